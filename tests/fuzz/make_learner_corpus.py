#!/usr/bin/env python3
"""tests/fuzz/make_learner_corpus.py: the seeds of fuzz_learner_state.

    python3 tests/fuzz/make_learner_corpus.py build/volterra

writes states of learners of the models in that target to corpus/learner_state in this folder, with variants whose
metadata or tensors differ. The target corrects checksums and the digest of the model.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TRAINED = 6  # of fuzz_learner.h, as are the kernels
KERNELS = {
    "scan": ("volterra:tau_coef=0.3,lambda_coef=0.5,pole=0.5", 0),
    "window": ("rbf:window=2", 0),
    "sum": ("esn:size=2*linear + memory", 0),
    "late": ("volterra:tau_coef=0.3,lambda_coef=0.5", 3),
}
LINES = "0.5,1\n0.25,\n0.75,2\n0.1,0.5\n"


def learned(program, kernel, ahead, folder, *options):
    """The state of a learner that took LINES."""
    x, y = folder / "x.csv", folder / "y.csv"
    x.write_text("".join(f"{7 * t % 5 / 4}\n" for t in range(TRAINED + ahead)))
    y.write_text("".join(f"{3 * t % 4}\n" for t in range(TRAINED + ahead)))
    model, state = folder / "model", folder / "state"
    subprocess.run([program, "fit", "--x", x, "--y", y, "--kernel", kernel, "--ahead", str(ahead), "--alpha", "0.5", "-o", model, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    stream = [program, "stream", model, "--learn", "--quiet", *options]
    state.unlink(missing_ok=True)
    subprocess.run([*stream, "--state", state], input=LINES, text=True, check=True, stdout=subprocess.DEVNULL)
    return state.read_bytes()


def parts(content):
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    data = content[8 + size :]
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = list(struct.unpack(f"<{(end - begin) // 8}d", data[begin:end]))
    return metadata, tensors


def state(metadata, tensors):
    header, data = {"__metadata__": {**metadata, "checksum": "00000000"}}, b""
    for name, numbers in tensors.items():
        begin = len(data)
        data += struct.pack(f"<{len(numbers)}d", *numbers)
        header[name] = {"dtype": "F64", "shape": [len(numbers)], "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def states(content):
    metadata, tensors = parts(content)
    yield "plain", state(metadata, tensors)
    for key, value in {"window": "2", "forget": "0", "pending": "yes", "begun": "no", "rows": "0", "version": "9"}.items():
        yield f"{key}-{value}", state({**metadata, key: value}, tensors)
    for name, numbers in tensors.items():
        yield f"{name}-short", state(metadata, {**tensors, name: numbers[:-1]})
        yield f"{name}-long", state(metadata, {**tensors, name: numbers + [1.0]})
        yield f"{name}-absent", state(metadata, {n: v for n, v in tensors.items() if n != name})
        for what, value in {"huge": 1e308, "zero": 0.0, "negative": -1.0, "nan": float("nan")}.items():
            yield f"{name}-{what}", state(metadata, {**tensors, name: [value, *numbers[1:]]})
    for place in range(min(8, len(tensors["moving"]))):
        yield f"moving-{place}", state(metadata, {**tensors, "moving": [*tensors["moving"][:place], 3.0, *tensors["moving"][place + 1 :]]})


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (HERE / "corpus/learner_state").mkdir(parents=True, exist_ok=True)
        for kernel, (text, ahead) in KERNELS.items():
            more = ["--targets", "now", "--interval", "0.5"] if ahead else []
            content = learned(program, text, ahead, folder, "--window", "5", *more)
            for name, bytes_ in states(content):
                own = name.startswith(("late", "pending", "scores", "coverages")) if kernel == "late" else name.startswith("moving")
                if kernel == "scan" or name == "plain" or own:
                    (HERE / "corpus/learner_state" / f"{kernel}-{name}.state").write_bytes(bytes_)
            if kernel == "scan":
                content = learned(program, text, ahead, folder)  # all rows, which the state then has
                for name, bytes_ in states(content):
                    if name.startswith(("history", "plain")):
                        (HERE / "corpus/learner_state" / f"all-{name}.state").write_bytes(bytes_)


if __name__ == "__main__":
    main(sys.argv[1])
