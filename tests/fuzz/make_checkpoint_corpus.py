#!/usr/bin/env python3
"""tests/fuzz/make_checkpoint_corpus.py: the seeds of fuzz_pcg_checkpoint.

    python3 tests/fuzz/make_checkpoint_corpus.py

writes checkpoints of the fit in that target to corpus/pcg_checkpoint in this folder, with variants whose metadata or tensors say
something else. The target puts checksums and the digest of the fit right, so they are zeros.
"""
import json
import pathlib
import struct

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus" / "pcg_checkpoint"
ROWS, COLUMNS, NUMBERS = 12, 2, 10  # of the target, and VOLT_PCG_NUMBERS
METADATA = {
    "checksum": "00000000",
    "format": "volterra-pcg",
    "version": "1",
    "library": "0.1.0",
    "kernel": "volterra:tau_coef=0.3,lambda_coef=0.5",
    "fit": "0" * 16,
    "steps": "2",
    "restarts": "0",
}


def vectors(scale):
    return [[scale * ((5 * t + 3 * k) % 7 - 3) for k in range(COLUMNS)] for t in range(ROWS)]


# alpha, r'z, |y|, |r| / |y|, the same as last found, five moves
TENSORS = {"x": vectors(0.5), "r": vectors(0.125), "p": vectors(0.25),
           "numbers": [[0.05, 2.0, 3.5, 0.5, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0] for _ in range(COLUMNS)]}


def checkpoint(metadata=None, **tensors):
    header, data = {"__metadata__": {**METADATA, **(metadata or {})}}, b""
    for name, rows in {**TENSORS, **tensors}.items():
        if rows is None:
            continue
        begin = len(data)
        for row in rows:
            data += struct.pack(f"<{len(row)}d", *row)
        header[name] = {"dtype": "F64", "shape": [len(rows), len(rows[0])], "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def with_number(which, value):
    return checkpoint(numbers=[[*row[:which], value, *row[which + 1:]] for row in TENSORS["numbers"]])


def main():
    seeds = {
        "plain": checkpoint(),
        "first": checkpoint({"steps": "0"}),
        "late": checkpoint({"steps": "39"}),
        "past": checkpoint({"steps": "41"}),
        "steps-huge": checkpoint({"steps": "8999999999999999"}),
        "steps-minus": checkpoint({"steps": "-1"}),
        "restarts-huge": checkpoint({"restarts": "8999999999999999"}),
        "version": checkpoint({"version": "2"}),
        "format": checkpoint({"format": "volterra-stream"}),
        "no-kernel": checkpoint({"kernel": ""}),
        "no-p": checkpoint(p=None),
        "short": checkpoint(r=TENSORS["r"][:-1]),
        "wide": checkpoint(x=[row + [0.0] for row in TENSORS["x"]]),
        "zero-direction": checkpoint(p=vectors(0.0)),
        "zero-residual": checkpoint(r=vectors(0.0)),
        "huge-solution": checkpoint(x=vectors(1e307)),
        "huge-residual": checkpoint(r=vectors(1e200)),
        "huge-direction": checkpoint(p=vectors(1e200)),
        "tiny-direction": checkpoint(p=vectors(1e-200)),
        "nan": checkpoint(x=[[float("nan")] * COLUMNS] * ROWS),
        "other-alpha": with_number(0, 0.5),
        "rz-zero": with_number(1, 0.0),
        "rz-minus": with_number(1, -1.0),
        "rz-huge": with_number(1, 1e308),
        "size-zero": with_number(2, 0.0),
        "size-minus": with_number(2, -1.0),
        "done": with_number(3, 0.0),
        "true-small": with_number(4, 0.0),
        "moved-zero": with_number(5, 0.0),
        "moved-minus": with_number(9, -1.0),
        "settled": checkpoint({"steps": "9"}, numbers=[row[:5] + [0.0] * 5 for row in TENSORS["numbers"]]),
    }
    CORPUS.mkdir(parents=True, exist_ok=True)
    for name, content in seeds.items():
        (CORPUS / f"{name}.ckpt").write_bytes(content)


if __name__ == "__main__":
    main()
