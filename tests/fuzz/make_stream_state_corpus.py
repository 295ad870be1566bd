#!/usr/bin/env python3
"""tests/fuzz/make_stream_state_corpus.py: the seeds of fuzz_stream_state.

    python3 tests/fuzz/make_stream_state_corpus.py

writes states of streams of the model in that target to corpus/stream_state in this folder, with variants whose
metadata or tensors say something else. The target puts checksums and the digest of the model right, so they are zeros.
"""
import json
import pathlib
import struct

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus" / "stream_state"
TRAINED, SEASON = 12, 3  # of the target
METADATA = {
    "checksum": "00000000",
    "format": "volterra-stream",
    "version": "1",
    "library": "0.1.0",
    "kernel": "volterra:tau_coef=0.3,lambda_coef=0.9",
    "model": "0" * 16,
    "rows": "4",
    "beyond": "1",
    "begun": "yes",
}
TENSORS = {"state": [1 + k / 8 for k in range(TRAINED + 1)], "last": [0.5], "recent": [0.25, 0.75, 0.5]}


def state(metadata=None, **tensors):
    header, data = {"__metadata__": {**METADATA, **(metadata or {})}}, b""
    for name, numbers in {**TENSORS, **tensors}.items():
        if numbers is None:
            continue
        begin = len(data)
        data += struct.pack(f"<{len(numbers)}d", *numbers)
        header[name] = {"dtype": "F64", "shape": [len(numbers)], "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def main():
    seeds = {
        "plain": state(),
        "first": state({"rows": "0", "begun": "no"}, last=[], recent=[]),
        "continued": state({"rows": "0"}, last=[]),
        "no-recent": state(recent=[]),
        "no-last": state(last=None),
        "not-begun": state({"begun": "no"}),
        "maybe": state({"begun": "maybe"}),
        "rows-huge": state({"rows": "8999999999999999"}),
        "rows-negative": state({"rows": "-1"}),
        "rows-half": state({"rows": "0.5"}),
        "version": state({"version": "2"}),
        "format": state({"format": "volterra-model"}),
        "no-kernel": state({"kernel": ""}),
        "state-short": state(state=TENSORS["state"][:-1]),
        "state-long": state(state=TENSORS["state"] + [1.0]),
        "recent-long": state(recent=[0.5] * (SEASON + 1)),
    }
    for name, value in {"nan": float("nan"), "infinite": float("inf"), "huge": 1e308, "zero": 0.0}.items():
        for tensor, numbers in TENSORS.items():
            seeds[f"{tensor}-{name}"] = state(**{tensor: [value, *numbers[1:]]})
    CORPUS.mkdir(parents=True, exist_ok=True)
    for name, content in seeds.items():
        (CORPUS / f"{name}.state").write_bytes(content)


if __name__ == "__main__":
    main()
