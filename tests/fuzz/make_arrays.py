"""tests/fuzz/make_arrays.py: the seeds of fuzz_npy, fuzz_npy_collection and fuzz_mat.

    python3 tests/fuzz/make_arrays.py

adds or replaces them in the archives of corpus/. Needs numpy, scipy and h5py.
"""
import io
import struct

import h5py
import numpy as np
import scipy.io
import scipy.sparse

import corpus

MATRIX = np.arange(12.0).reshape(4, 3)


def npy(array, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def npy_header(text, data=b"", version=1):
    header = text.encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def npy_files():
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
    keys = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n"
    return {
        **{name: npy(array) for name, array in arrays.items()},
        **corpus.truncated("f8", npy(MATRIX), 6),
        "version2": npy(MATRIX, (2, 0)),
        "version3": npy(MATRIX, (3, 0)),
        "trailing": npy(MATRIX) + b"\0",
        "huge-shape": npy_header(keys % "(4611686018427387904, 4)", bytes(64)),
        "overflowing-shape": npy_header(keys % "(99999999999999999999999, 1)"),
        "negative-shape": npy_header(keys % "(-1, 2)", bytes(16)),
        "no-tuple": npy_header(keys % "(2)", bytes(16)),
        "python2": npy_header(keys % "(2L, 1L)", bytes(16)),
        "no-keys": npy_header("{}"),
        "key-twice": npy_header("{'shape': (1,), 'shape': (1,), 'descr': '<f8'}", bytes(8)),
        "code": npy_header("{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,)}", bytes(8)),
        "long-header": npy_header("{", version=2)[:8] + b"\xff\xff\xff\xff{",
    }


def npy_collections():
    cube = np.arange(12.0).reshape(2, 3, 2)
    arrays = {
        "cube": cube,
        "cube-big": cube.astype(">f8"),
        "cube-f4": cube.astype("<f4"),
        "cube-f4-big-fortran": np.asfortranarray(cube.astype(">f4")),
        "cube-fortran": np.asfortranarray(cube),
        "cube-u1": cube.astype("u1"),
        "matrix": cube[0],
        "vector": cube[0, 0],
        "four": cube.reshape(2, 3, 2, 1),
        "empty": cube[:, :0],
        "nan": np.where(cube == 7, np.nan, cube),
        "inf": np.where(cube == 7, np.inf, cube),
    }
    files = {name: npy(array) for name, array in arrays.items()}
    huge = b"(3037000500, 3037000500, 3037000500), }  ".ljust(52)
    return {
        **files,
        "cut": files["cube"][:-5],
        "trailing": files["cube"] + b"\0",
        "huge-shape": files["cube"].replace(b"(2, 3, 2), }" + b" " * 40, huge),
    }


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


def mat_files():
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
    for name in ("plain", "compressed", "mixed", "v73"):
        files.update(corpus.truncated(name, files[name], 6))
    damaged, lying = bytearray(files["compressed"]), bytearray(files["plain"])
    damaged[170] ^= 1
    lying[160:164] = struct.pack("<i", 0x7FFFFFFF)  # rows of X
    return {**files, "compressed-damaged": bytes(damaged), "huge-shape": bytes(lying)}


if __name__ == "__main__":
    corpus.put("npy", "npy", npy_files())
    corpus.put("npy_collection", "npy", npy_collections())
    corpus.put("mat", "mat", mat_files())
