#!/usr/bin/env python3
"""Make the seed corpora under tests/fuzz/corpus: well-formed, truncated and odd files of each format.

Needs numpy, scipy and h5py. Inputs that a fuzzer found (crash-*, found-*) are not made here and are kept.
"""
import io
import json
import pathlib
import struct
import zlib

import h5py
import numpy as np
import scipy.io
import scipy.sparse

CORPUS = pathlib.Path(__file__).parent / "corpus"
MATRIX = np.arange(12.0).reshape(4, 3)


def put(reader, name, data):
    (CORPUS / reader / name).write_bytes(data)


def put_truncated(reader, name, data, parts=4):
    stem, _, extension = name.rpartition(".")
    for k in range(1, parts):
        put(reader, f"{stem}-cut{k}.{extension}", data[: len(data) * k // parts])


def make_csv():
    texts = {
        "plain": "a,b\n1,2\n3,4.5\n",
        "no-header": "1,2,3\n4,5,6\n",
        "crlf": "a,b\r\n1,2\r\n\r\n3,4\r\n",
        "old-mac": "a,b\r1,2\r3,4\r",
        "quoted": '"a","b, c","d ""e"""\n"1","2","3"\n',
        "quoted-newline": '"a\nb",c\n1,2\n3,x\n',
        "open-quote": 'a,b\n1,"2\n3,4\n',
        "trailing-commas": '"V1","V2",\n0.1,0.2,\n0.3,0.4,\n\n',
        "padding": "  86 \r\n 141 \r\n  95 \r\n",
        "dates": "date,x\n2019-04-09,1\n2019-04-10,2\n",
        "timestamps": "2019-04-09T12:30:05.25Z;1.5\n2019-04-09T12:31:05.25Z;2.5\n",
        "german": "Datum;a\n09.04.2019;1,5\n10.04.2019;2,5\n",
        "tabs": "a\tb\n1\t2\n3\t4\n",
        "blanks": "  a   b\n 1.0  2.0\n-1e3  +4\n",
        "savetxt": "# a b\n1 2\n3 4\n",
        "missing": "a,b\n1,\nNA,2\n?,NaN\n4,null\n5,5\n",
        "ragged": "a,b\n1,2\n3\n4,5,6\n",
        "text": "a,b\n1,2\n3,hello\n",
        "infinite": "a\n1\ninf\n",
        "overflow": "a\n1\n1e999\n-1e-999\n",
        "empty": "",
        "blank-lines": "\n\r\n  \n\n",
        "header-only": "a,b,c\n",
        "one-cell": "1",
        "same-names": "a,a,a\n1,2,3\n",
        "no-names": ",,\n1,2,3\n",
        "only-commas": ",,,\n,,,\n",
        "one-decimal-column": "y\r\n1,5\r\n-2,25\r\n3\r\n1.234,5\r\n",
        "decimal-or-two": "1,5\n2,5\n3,7\n",
        "hex": "0x1p3,nan(1),1_0\n",
        "quote-inside": 'a,5" pipe\n1,2\n',
        "numbers-long": "a\n" + "1" * 400 + "." + "2" * 400 + "\n",
    }
    for name, text in texts.items():
        put("csv", f"{name}.csv", text.encode())
    put("csv", "bom.csv", b"\xef\xbb\xbfa,b\n1,2\n")
    put("csv", "utf16.csv", "a,b\n1,2\n".encode("utf-16"))
    put("csv", "latin1.csv", "Stra\u00dfe,b\n1,2\n".encode("latin-1"))
    put("csv", "zero-byte.csv", b"a,b\n1,\x00\n")


def npy(array, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def npy_header(text, data=b"", version=1):
    header = text.encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def make_npy():
    arrays = {
        "f8": MATRIX,
        "f8-big": MATRIX.astype(">f8"),
        "f4": MATRIX.astype("<f4"),
        "f4-big-fortran": np.asfortranarray(MATRIX.astype(">f4")),
        "fortran": np.asfortranarray(MATRIX),
        "vector": np.arange(5.0),
        "i8": np.arange(6).reshape(3, 2),
        "u1": np.arange(6, dtype="u1"),
        "bool": np.array([True, False, True]),
        "complex": MATRIX + 1j,
        "scalar": np.array(3.0),
        "cube": np.zeros((2, 2, 2)),
        "empty": np.zeros((0, 3)),
        "nan": np.array([[1.0, np.nan], [2.0, 3.0]]),
        "inf": np.array([[1.0, np.inf], [2.0, 3.0]]),
        "fields": np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]),
        "text": np.array(["ab", "c"]),
    }
    for name, array in arrays.items():
        put("npy", f"{name}.npy", npy(array))
    put("npy", "version2.npy", npy(MATRIX, (2, 0)))
    put("npy", "version3.npy", npy(MATRIX, (3, 0)))
    put("npy", "trailing.npy", npy(MATRIX) + b"\0")
    put_truncated("npy", "f8.npy", npy(MATRIX), 6)
    keys = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n"
    put("npy", "huge-shape.npy", npy_header(keys % "(4611686018427387904, 4)", bytes(64)))
    put("npy", "overflowing-shape.npy", npy_header(keys % "(99999999999999999999999, 1)"))
    put("npy", "negative-shape.npy", npy_header(keys % "(-1, 2)", bytes(16)))
    put("npy", "no-tuple.npy", npy_header(keys % "(2)", bytes(16)))
    put("npy", "python2.npy", npy_header(keys % "(2L, 1L)", bytes(16)))
    put("npy", "no-keys.npy", npy_header("{}"))
    put("npy", "key-twice.npy", npy_header("{'shape': (1,), 'shape': (1,), 'descr': '<f8'}", bytes(8)))
    put("npy", "code.npy", npy_header("{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,)}", bytes(8)))
    put("npy", "long-header.npy", npy_header("{", version=2)[:8] + b"\xff\xff\xff\xff{")


def mat5(variables, **options):
    stream = io.BytesIO()
    scipy.io.savemat(stream, variables, **options)
    data = bytearray(stream.getvalue())
    data[:116] = b"MATLAB 5.0 MAT-file, corpus".ljust(116)  # no date: the same bytes every time
    return bytes(data)


def mat73(variables):
    stream = io.BytesIO()
    with h5py.File(stream, "w", userblock_size=512) as file:
        for name, array in variables.items():
            dataset = file.create_dataset(name, data=array.T, track_times=False)
            kind = b"double" if array.dtype == "f8" else b"single"
            string = h5py.h5t.C_S1.copy()
            string.set_size(len(kind))
            attribute = h5py.h5a.create(
                dataset.id, b"MATLAB_class", string, h5py.h5s.create(h5py.h5s.SCALAR)
            )
            attribute.write(np.array(kind, dtype=f"S{len(kind)}"), mtype=string)
    data = bytearray(stream.getvalue())
    data[:128] = b"MATLAB 7.3 MAT-file, corpus".ljust(116) + bytes(8) + b"\x00\x02IM"
    return bytes(data)


def mat5_big():
    """A version 5 file in big-endian order, with one 2 x 1 matrix y."""

    def element(kind, body):
        return struct.pack(">II", kind, len(body)) + body.ljust((len(body) + 7) // 8 * 8, b"\0")

    body = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", 2, 1))
    body += element(1, b"y") + element(9, struct.pack(">dd", 1.5, 2.5))
    return b"MATLAB 5.0 MAT-file, corpus".ljust(116) + bytes(8) + b"\x01\x00MI" + element(14, body)


def make_mat():
    column = np.arange(4.0).reshape(-1, 1)
    two = {"X": MATRIX, "y": column}
    files = {
        "plain": mat5(two),
        "compressed": mat5(two, do_compression=True),
        "big-endian": mat5_big(),
        "row-vector": mat5({"y": np.arange(5.0)}),
        "integers": mat5({"a": np.arange(3, dtype="i1"), "b": np.arange(3, dtype="u2"), "c": np.arange(3)}),
        "mixed": mat5({"X": MATRIX, "s": "text", "t": {"a": 1.0, "b": "c"}, "c": np.array([1, "a"], dtype=object)}),
        "mixed-compressed": mat5({"t": {"a": {"b": MATRIX}}, "y": column}, do_compression=True),
        "complex": mat5({"X": MATRIX + 1j}),
        "sparse": mat5({"X": scipy.sparse.csc_matrix(MATRIX), "y": column}),
        "cube": mat5({"X": np.zeros((2, 2, 2))}),
        "empty": mat5({"X": np.zeros((0, 0))}),
        "rows-differ": mat5({"u": np.arange(5.0), "y": column}),
        "nan": mat5({"y": np.array([1.0, np.nan])}),
        "header-only": mat5({}),
        "v73": mat73(two),
        "v73-single": mat73({"y": column.astype("f4")}),
        "not-mat": b"hello, this is text".ljust(200),
        "v73-without-hdf5": b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(600),
    }
    for name, data in files.items():
        put("mat", f"{name}.mat", data)
    for name in ("plain", "compressed", "mixed", "v73"):
        put_truncated("mat", f"{name}.mat", files[name], 6)
    damaged = bytearray(files["compressed"])
    damaged[170] ^= 1
    put("mat", "compressed-damaged.mat", bytes(damaged))
    lying = bytearray(files["plain"])
    lying[160:164] = struct.pack("<i", 0x7FFFFFFF)  # rows of X
    put("mat", "huge-shape.mat", bytes(lying))


def safetensors(header, data=b"", checksum=True):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    text = text.ljust((len(text) + 7) // 8 * 8)
    whole = struct.pack("<Q", len(text)) + text + data
    if checksum:
        whole = whole.replace(b'"00000000"', b'"%08x"' % zlib.crc32(whole), 1)
    return whole


def make_safetensors():
    notes = {"checksum": "00000000", "format": "test"}

    def tensor(shape, begin, end, dtype="F64"):
        return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}

    good = {"__metadata__": notes, "a": tensor([2], 0, 16), "b": tensor([2, 3], 16, 64)}
    data = struct.pack("<8d", *range(8))
    headers = {
        "good": good,
        "reversed": {"__metadata__": notes, "b": tensor([2, 3], 16, 64), "a": tensor([2], 0, 16)},
        "no-tensors": {"__metadata__": notes},
        "gap": {"__metadata__": notes, "a": tensor([2], 0, 16), "b": tensor([2], 48, 64)},
        "overlap": {"__metadata__": notes, "a": tensor([5], 0, 40), "b": tensor([5], 24, 64)},
        "beyond": {"__metadata__": notes, "a": tensor([800], 0, 6400)},
        "negative": {"__metadata__": notes, "a": tensor([-8], 0, 64)},
        "overflow": {"__metadata__": notes, "a": tensor([2**61, 8], 0, 64)},
        "backwards": {"__metadata__": notes, "a": tensor([8], 64, 0)},
        "huge-offsets": {"__metadata__": notes, "a": tensor([2**60 - 1], 8, 2**63 - 8)},
        "float32": {"__metadata__": notes, "a": tensor([16], 0, 64, "F32")},
        "cube": {"__metadata__": notes, "a": tensor([2, 2, 2], 0, 64)},
        "scalar": {"__metadata__": notes, "a": tensor([], 0, 8)},
        "no-columns": {"__metadata__": notes, "a": tensor([8, 0], 0, 64)},
        "no-shape": {"__metadata__": notes, "a": {"dtype": "F64", "data_offsets": [0, 64]}},
        "number-for-tensor": {"__metadata__": notes, "a": 3},
        "number-in-metadata": {"__metadata__": dict(notes, n=3), "a": tensor([8], 0, 64)},
        "real-shape": {"__metadata__": notes, "a": tensor([8.0], 0, 64)},
        "foreign": {"a": tensor([8], 0, 64)},
        "array": [1, 2, 3],
    }
    for name, header in headers.items():
        put("safetensors", f"{name}.safetensors", safetensors(header, data))
    twice = b'{"__metadata__":{"checksum":"00000000"},"a":{"dtype":"F64","shape":[8],"data_offsets":[0,64]},"a":1}'
    put("safetensors", "name-twice.safetensors", safetensors(twice, data))
    put("safetensors", "not-json.safetensors", safetensors(b"hello, this is not JSON", data))
    put("safetensors", "deep.safetensors", safetensors(b"[" * 3000, data))
    put("safetensors", "wrong-checksum.safetensors", safetensors(good, data, checksum=False))
    put("safetensors", "huge-length.safetensors", b"\xff" * 8 + b"{}")
    put("safetensors", "empty.safetensors", b"")
    put_truncated("safetensors", "good.safetensors", safetensors(good, data), 8)


if __name__ == "__main__":
    for folder in ("csv", "npy", "mat", "safetensors"):
        (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    make_csv()
    make_npy()
    make_mat()
    make_safetensors()
