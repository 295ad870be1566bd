#!/usr/bin/env python3
"""Make the seed corpora of the readers of collections under tests/fuzz/corpus: ts, long_csv, npy_collection.

Needs numpy. Inputs that a fuzzer found (found-*) are not made here and are kept.
"""
import io
import pathlib

import numpy as np

CORPUS = pathlib.Path(__file__).parent / "corpus"

TS_HEADER = """# a comment
@problemName P
@timeStamps false
@missing false
@univariate false
@dimensions 2
@equalLength true
@seriesLength 3
@classLabel true a b
@data
"""
TS = {
    "plain": TS_HEADER + "1,2,3:4,5,6:a\n7,8,9:-1,-2.5,3e-4:b\n",
    "univariate": "@univariate true\n@classLabel true a b\n@data\n1,2:a\n1,2,3:b\n",
    "unequal": "@equalLength false\n@data\n1,2:3,4\n5:6\n",
    "target": "@targetLabel true\n@data\n1,2:0.5\n3:0.25\n",
    "crlf": TS_HEADER.replace("\n", "\r\n") + "1,2,3:4,5,6:a\r\n",
    "old-mac": "@data\r1,2\r3\r",
    "bom": "\ufeff@data\n1\n",
    "time-stamps": "@timeStamps true\n@data\n(0,1),(1,2):(0,3),(1,4)\n",
    "missing": TS_HEADER + "1,?,3:4,5,NaN:a\n",
    "infinite": "@data\n1,inf,1e999\n",
    "empty-parts": "@data\n::\n,:,\n",
    "ragged": "@data\n1,2:3\n",
    "no-data": TS_HEADER,
    "no-header": "1,2,3:a\n",
    "wrong-label": TS_HEADER + "1,2,3:4,5,6:c\n",
    "no-label": TS_HEADER + "1,2,3\n",
    "huge-dimensions": "@dimensions 999999999999999\n@seriesLength 999999999999999\n@data\n1\n",
    "only-directives": "@\n@ \n@@\n@data x\n",
    "latin1": "@classLabel true \u00df\n@data\n1:\u00df\n",
    "empty": "",
    "long-number": "@data\n" + "1" * 400 + ".5\n",
}

LONG_CSV = {
    "plain": "series,x,y\n1,0.5,1\n1,0.25,2\n2,3,4\n",
    "alternate": "x,series\n1,b\n2,a\n3,b\n4,c\n5,a\n",
    "dates": "date;series;x\n2020-01-01;a b;1\n2020-01-02;a b;2\n",
    "quoted": '"series","x, y",\n"a, b",1,\n"a, b",2,\n\n',
    "blanks": "# series x y\na 1  2\na 3  4\n",
    "no-series": "a,x\n1,2\n",
    "two-series": "series,x,SERIES\n1,2,3\n",
    "only-series": "series\na\n",
    "header-only": "series,x\n",
    "ragged": "series,x\na,1\na,2,3\n",
    "shorter": "series,x,y\na,1,2\na\n",
    "no-id": "series,x\na,1\n,2\n",
    "text": "series,x,class\na,1,walk\n",
    "missing": "series,x\na,NA\n",
    "infinite": "series,x\na,inf\n",
    "no-names": ",series,\n1,a,\n2,b,3\n",
    "open-quote": 'series,x\na,"1\n',
    "empty": "",
    "many": "series,x\n" + "".join(f"n{i % 70},{i}\n" for i in range(140)),
}


def npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array)
    return stream.getvalue()


def npy_files():
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
    files["cut"] = files["cube"][:-5]
    files["trailing"] = files["cube"] + b"\0"
    files["huge-shape"] = files["cube"].replace(b"(2, 3, 2), }" + b" " * 40, b"(3037000500, 3037000500, 3037000500), }  ".ljust(52))
    return files


def put(reader, extension, files):
    folder = CORPUS / reader
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        if isinstance(data, str):
            data = data.encode("latin-1" if name == "latin1" else "utf-8")
        (folder / f"{name}.{extension}").write_bytes(data)


if __name__ == "__main__":
    put("ts", "ts", TS)
    put("long_csv", "csv", LONG_CSV)
    put("npy_collection", "npy", npy_files())
