"""tests/reference/make_philox.py: raw words of NumPy's Philox 4x64-10 for several keys -> philox.json.

Run with NumPy:  python tests/reference/make_philox.py
A 64-bit word is stored as two exact numbers, its high and its low 32 bits."""
import json
import os

import numpy as np

N_WORDS = 18  # more than four blocks of four
KEYS = [(0, 0), (1, 0), (0, 1), (42, 7), (2**64 - 1, 2**63 + 12345)]


def halves(word):
    return [int(word) >> 32, int(word) & 0xFFFFFFFF]


def main():
    words, uniforms = [], []
    for seed, stream in KEYS:
        generator = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64))
        words.append([halves(w) for w in generator.random_raw(N_WORDS)])
        again = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64))
        uniforms.append(np.random.Generator(again).random(N_WORDS).tolist())
    case = {
        "name": "philox",
        "source": f"numpy {np.__version__} Philox(key=[seed, stream]).random_raw and Generator.random",
        "params": {"n_words": N_WORDS},
        "inputs": {"keys": [[halves(seed), halves(stream)] for seed, stream in KEYS]},
        "expected": {"words": words, "uniforms": uniforms},
        "tol": 0,
        "notes": "words and keys as [high 32 bits, low 32 bits]",
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "philox.json")
    with open(path, "w") as file:
        json.dump(case, file, indent=1)
        file.write("\n")


main()
