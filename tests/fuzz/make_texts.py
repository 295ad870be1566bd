"""tests/fuzz/make_texts.py: the seeds of the targets that read texts, and those of fuzz_rows_part.

    python3 tests/fuzz/make_texts.py

adds or replaces them in the archives of corpus/. Needs only Python.
"""
import json
import struct

import corpus

# ---- tables and collections of series ---------------------------------------------------------------

CSV = {
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
    "bom": "\ufeffa,b\n1,2\n",
    "utf16": "a,b\n1,2\n".encode("utf-16"),
    "latin1": "Stra\u00dfe,b\n1,2\n".encode("latin-1"),
    "zero-byte": "a,b\n1,\0\n",
}

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
    "latin1": "@classLabel true \u00df\n@data\n1:\u00df\n".encode("latin-1"),
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

TABLES = {
    "commas": "a,b\n1,2\n3,4\n5,6\n7,8\n",
    "quotes": '"a ""x"", y","b\nc"\n"1",2\n3,"4"\n',
    "blanks": "  1   2\n3 4  \n\t5 6\n",
    "savetxt": "# a b\n1.0 2.0\n3.0 4.0\n",
    "bom": "\ufeffa;b\n1,5;2\n3;4,25\n",
    "crlf": "date,a\r\n2021-01-01,1\r\n\r\n2021-01-02,\r\n2021-01-03,3\r\n",
    "tabs": "x\ty\n1\t2\n\n3\t4",
    "missing": "a,b\n1,NA\n,3\nnan,4\n",
    "open": 'a,b\n1,"2\n3,4\n',
    "ragged": "a,b\n1,2\n3\n4,5,6\n",
    "zero-byte": "a,b\n1,2\n3,\0\n",
    "latin1": b"a,b\xe9\n1,2\n3,4\n",
    "returns": "1,2\r3,4\r",
}

TEXTS = {
    "series": "series,a\nx,1\nx,2\ny,3\n",
    "classes": "label\nup\ndown\nup\n",
    "numbers": "label\n10\n2\n1\n1.0\n+1\n",
    "not-numbers": "label\n1\nnan\ninf\n2\n",
    "empty-cell": "a,b\n1,\n2,x\n",
    "two": "a,b\n1,x\n2,y\n",
    "quoted": 'n,label\n1,"a ""b"""\n2,"c,d"\n3," e "\n',
    "dates": "date,series\n2021-01-01,s\n2021-01-02,t\n",
    "no-header": "1\n2\n1\n",
    "header-alone": "series\n",
    "wide": "series,series\na,b\n",
}

LONG = "unique_id,ds,y\n" + "".join(f"{s},2020-01-{d:02d},{(7 * d + i) % 5}\n" for i, s in enumerate("ab") for d in range(1, 13))
EARLIER = "unique_id,ds,y,y.error,y.lower80,y.upper80\n"
MANY = {
    "two": f"\n---\n{LONG}",
    "broken-cell": f"\n---\n{LONG.replace('2020-01-05,1', '2020-01-05,x')}",
    "missing-cell": f"\n---\n{LONG.replace('2020-01-05,1', '2020-01-05,')}",
    "broken-time": f"\n---\n{LONG.replace('2020-01-05', '2020-13-45')}",
    "infinite": f"\n---\n{LONG.replace('2020-01-05,1', '2020-01-05,inf')}",
    "short-row": f"\n---\n{LONG.replace('b,2020-01-05,1', 'b,2020-01-05')}",
    "long-row": f"\n---\n{LONG.replace('b,2020-01-05,1', 'b,2020-01-05,1,2')}",
    "turned": "\n---\n" + LONG.splitlines(True)[0] + "".join(reversed(LONG.splitlines(True)[1:])),
    "id": f"s\n---\n{LONG.replace('unique_id', 's')}",
    "id-unknown": f"t\n---\n{LONG}",
    "no-id": "\n---\nu,y\n1,2\n",
    "quoted": "\n---\n" + LONG.replace("\na,", '\n"a, 1",'),
    "empty-id": "\n---\n" + LONG.replace("\na,", "\n,"),
    "semicolons": "\n---\n" + LONG.replace(",", ";"),
    "no-rows": "\n---\nunique_id,ds,y\n",
    "empty": "\n---\n",
    "resume": f"\n---\n{LONG}---\n{EARLIER}a,2020-01-13,1,1,0,2\na,2020-01-14,1,1,0,2\n",
    "resume-other-times": f"\n---\n{LONG}---\n{EARLIER}a,2020-01-12,1,1,0,2\na,2020-01-13,1,1,0,2\n",
    "resume-cut": f"\n---\n{LONG}---\n{EARLIER}a,2020-01-13,1,1,0,2\na,2020-01",
    "resume-header": f"\n---\n{LONG}---\nunique_id,ds,y\na,2020-01-13,1\n",
    "resume-cells": f"\n---\n{LONG}---\n{EARLIER}a,2020-01-13,1\n",
    "resume-twice": f"\n---\n{LONG}---\n{EARLIER}" + "a,2020-01-13,1,1,0,2\na,2020-01-14,1,1,0,2\nb,2020-01-13,1,1,0,2\n" * 2,
    "resume-unknown": f"\n---\n{LONG}---\n{EARLIER}z,2020-01-13,1,1,0,2\nz,2020-01-14,1,1,0,2\n",
}


# COLUMNS, rows of the first record, table.
def clock(name, times, columns="", record=0):
    rows = "".join(f"{time},{i % 3}\n" for i, time in enumerate(times))
    return f"{columns}\n{record}\n{name},y\n{rows}"


CLOCKS = {
    "counter": clock("", range(6)),
    "index": clock("Index", range(10, 70, 10)),
    "year": clock("year", range(1990, 1996)),
    "seconds": clock("Time (s)", [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
    "uneven": clock("t", [0, 1, 2.5, 3, 4, 5.25]),
    "gap": clock("time", [0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13.001]),
    "excel": clock("Date", range(45000, 45008)),
    "excel-weekdays": clock("Date", [45001, 45002, 45005, 45006, 45007, 45008, 45009, 45012, 45013]),
    "excel-fraction": clock("date", [45000, 45000.25, 45000.5, 45000.75, 45001, 45001.5]),
    "datenum": clock("ds", [738000, 738001, 738003, 738004, 738005]),
    "unix": clock("timestamp", [1700000000, 1700000060, 1700000120, 1700000181]),
    "unix-milliseconds": clock("timestamp [ms]", [1700000000000, 1700000000250, 1700000000500, 1700000009000]),
    "falls": clock("t", [0, 2, 1, 3, 4]),
    "stands": clock("t", [0, 1, 1, 2, 3]),
    "records": clock("t", [0, 1, 2, 0, 1, 3], record=3),
    "record-beyond": clock("t", [0, 1, 2], record=9),
    "missing": clock("t", [0, 1, "", 3, 4]),
    "text": clock("t", [0, 1, "x", 3, 4]),
    "huge": clock("t", [-1.7e308, 0, 1, 1.7e308]),
    "tiny": clock("t", [0, 5e-324, 1e-323, 1e-300]),
    "equal-to-rounding": clock("t", [9007199254740990, 9007199254740991, 9007199254740992, 9007199254740994]),
    "two-rows": clock("t", [0, 1]),
    "unit-only": clock("(s)", [0, 1, 2, 4]),
    "two-clocks": "\n0\nt,time,y\n0,1,1\n1,3,2\n2,4,1\n4,5,2\n",
    "one-column": "t\n0\nt,y\n0,1\n1,2\n2,1\n",
    "colons": "y:t\n0\nt,y:t,y\n0,1,2\n1,2,3\n2,3,5\n",
    "pattern": "t..y,[a-z]\n0\nt,x,y\n0,1,2\n1,2,3\n2,3,5\n",
    "no-header": "1..2\n0\n0,1\n1,2\n2,3\n",
    "semicolons": "\n0\nt;y\n0,5;1\n1,0;2\n1,75;1\n",
}


def npy(order, shape, numbers, descr="<f8", code="d"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(numbers)}{code}", *numbers)


ARRAYS = {
    "rows": npy(False, (4, 2), range(8)),
    "columns": npy(True, (4, 2), range(8)),
    "vector": npy(False, (5,), range(5)),
    "small": npy(True, (3, 2), range(6), "<i2", "h"),
    "short": npy(False, (4, 2), range(7)),
    "infinite-first": npy(False, (3, 1), [float("inf"), 1, float("nan")]),
}

WINDOWS = {"all": (0, 127), "inner": (1, 3), "last": (-2, 127), "but-last": (0, -1), "none": (3, 2), "beyond": (2, 100)}

# ---- times, kernels, losses, JSON -------------------------------------------------------------------

TIMES = {
    "days": "2019-04-09\n2019-04-10\n2019-04-11\n",
    "slashes": "2019/4/9\n2019/12/31\n",
    "months": "2019-01\n2019-02\n2019-03\n",
    "month-ends": "2020-01-31\n2020-02-29\n2020-03-31\n",
    "quarters": "2019Q1\n2019Q2\n2019Q4\n",
    "years": "1871\n1872\n1873\n",
    "points": "09.04.2019\n10.04.2019\n",
    "day-first": "9/4/2019\n13/4/2019\n",
    "month-first": "4/9/2019 11:59:59 PM\n4/13/2019 12:00 AM\n",
    "either": "4/9/2019\n",
    "minutes": "2019-04-09 12:30\n2019-04-09 12:31\n",
    "seconds": "2019-04-09T12:30:05\n2019-04-09T12:30:06\n",
    "fractions": "2019-04-09 12:30:05.25\n2019-04-09 12:30:05.5\n",
    "many-digits": "2019-04-09 12:30:05.123456789012\n",
    "zones": "2019-04-09 12:30Z\n2019-04-09 12:30 UTC\n2019-04-09T12:30+01:00\n2019-04-09 12:30:00-0530\n",
    "leap-day": "1900-02-29\n",
    "no-day": "2019-99-99\n",
    "midnight": "2019-12-31 24:00\n",
    "first-year": "0001-01-01\n9999-12-31 23:59:59.999\n",
    "weekdays": "2024-03-27\n2024-03-28\n2024-04-01\n2024-04-02\n2024-04-03\n2024-04-04\n2024-04-05\n2024-04-08\n",
    "steps-except": "86400 s except Sat Sun\n3600 s except Mon\n86400 s except Mon Tue Wed Thu Fri Sat Sun\n",
    "steps": "3600 s\n1 month\n3 months to the last day\n0.25 s\n-1 s\n1e300 s\n9007199254740993 months\n",
    "calendars": "hour,weekday\nminute\nmonth,yearday,hour,minute,weekday\nhour,hour\nhour,\n,\n",
    "calendar-line": "2019-04-09 12:30,1,2\nhour,weekday\n",
    "durations": "90s\n3min\n1h30m\n2 hours\n1d2h3m4s\n4m3h\n.\n1.2.3s\n1e3s\n",
    "empty": "\n",
    "time-of-day": "12:30\n12:31\n",
}

KERNELS = {
    "volterra": "volterra",
    "volterra-both": "volterra:tau=0.1,lambda=0.5",
    "volterra-coefs": "volterra:tau_coef=0.3,lambda_coef=0.9",
    "volterra-even": "volterra:lift=even,tau_coef=0.25",
    "volterra-exponential": "volterra:lift=exponential,lambda=0.125",
    "volterra-poly": "volterra:lift=poly:3,tau_coef=0.5",
    "volterra-rbf": "volterra:lift=rbf,gamma=0.25,lambda=0.5",
    "tau-twice": "volterra:tau=0.1,tau_coef=0.3",
    "linear": "linear",
    "linear-window": "linear:window=3",
    "rbf": "rbf: gamma = 0.5 , window = 4",
    "poly": "poly:degree=3,coef0=1",
    "poly-large": "poly:degree=50,coef0=1e300",
    "sigmoid": "sigmoid:gamma=0.5,coef0=-1",
    "cauchy": "cauchy:gamma=2,window=2",
    "fading": "fading:gamma=0.5,rho=0.75",
    "memory": "memory:gamma=0.5,rho=0.75,mu=0.25",
    "recurrent": "recurrent:activation=relu,input=0.5,radius=0.75,bias=0.25,leak=0.5",
    "gak": "gak:sigma=2,window=3",
    "gak-centre": "gak:sigma=0.001,centre=yes,window=5",
    "sig": "sig:level=3,path=rows",
    "sig-augment": "sig:level=2,augment=time+leadlag,window=3,scale=0.5",
    "sig-rbf": "sig:level=2,order=2,features=rbf,gamma=0.25,window=4",
    "sigpde": "sigpde:dyadic=1,static=rbf,sigma=2,window=3",
    "prescale": "sig:level=2,prescale=0.5,path=rows",
    "empty": "",
    "colon": "rbf:",
    "equals": "rbf:=",
    "commas": "rbf:,,gamma=1,",
    "unknown": "gausian:gamma=1",
    "unknown-parameter": "rbf:gama=1",
    "twice": "rbf:gamma=1,gamma=2",
    "negative": "rbf:gamma=-1",
    "zero": "rbf:gamma=0",
    "infinite": "rbf:gamma=inf",
    "nan": "cauchy:gamma=nan",
    "small": "rbf:gamma=4.9406564584124654e-324",
    "large": "rbf:gamma=1.7976931348623157e308",
    "long-window": "rbf:window=7993",
    "long-path": "gak:window=412293",
    "huge-window": "rbf:window=9007199254740993",
    "long-number": "rbf:gamma=0." + "3" * 300,
    "control": "rbf:gamma=1\n,window=2\x1b",
    "fir": "fir:mu=0.5,corr=-0.5",
    "esn": "esn:size=3,norm=0.5,leak=1,activation=identity,degree=2,start=zero",
    "esn-weights": "esn:weights=a/b.safetensors,radius=0.5 + sas:degree=2,weights=x+y",
    "filtered": "rbf:pole=0.5,pair=0.25,angle=1",
    "sum": "2*fir:mu=0.75 + memory:pole=-0.5 * rbf:gamma=1",
    "sum-weights": "1e+3*linear+2.5e-3*linear + 1*fir",
    "sum-paths": "gak:window=3*sig:level=2,window=2,augment=time+basepoint+linear",
    "sum-overflow": "1e308*poly:degree=50,coef0=1e6*poly:degree=50 + 1e308*linear",
    "sum-underflow": "1e-308*rbf:gamma=1e300*fir:mu=0",
    "sum-ask": "?*fir + rbf:pole=?",
    "sum-nothing": "+*+",
    "sum-nested": "2*(rbf + (linear*3))",
    "sum-centred": "gak:centre=yes,window=2 + rbf",
    "sum-many": "+".join(["linear"] * 17),
    "sum-long": "+".join(["linear"] * 500),
    "sum-full": "+".join(["0.1*memory:gamma=0.12345678901234567,pole=0.75"] * 16),
    "pole-one": "rbf:pole=1",
    "angle-alone": "linear + rbf:angle=0.5",
}

LOSSES = {
    "squares": "squares",
    "huber": "huber:delta=0.5",
    "epsilon": "epsilon:epsilon=0.1",
    "quantile": "quantile:q=0.5",
    "quantiles": "quantile:q=0.1/0.5/0.9",
    "falling": "quantile:q=0.9/0.1",
    "equal": "quantile:q=0.5/0.5",
    "one": "quantile:q=1",
    "expectile": "expectile:q=0.25",
    "logistic": "logistic",
    "multinomial": "multinomial",
    "poisson": " poisson ",
    "near-zero": "quantile:q=5e-324",
    "near-one": "quantile:q=0.99999999999999989",
    "huge": "huber:delta=1.7976931348623157e308",
    "unknown": "hubber",
    "other-parameter": "huber:q=1",
    "no-value": "huber:delta=",
    "parameter-of-none": "logistic:x=1",
    "many": "quantile:q=" + "/".join(str((k + 1) / 300) for k in range(299)),
}

JSON = {
    "object": '{"a": [1, 2.5, -0, -0.0, 1e3], "b": {"c": null}, "d": true, "e": ""}',
    "texts": '["\\u00e9\\ud83d\\ude00\\n\\"\\\\\\/", "\u00e9\U0001f600"]',
    "numbers": "[9223372036854775807, -9223372036854775808, 1.7976931348623157e308, 5e-324, 0.1]",
    "integer-long": "[9223372036854775808]",
    "real-long": "[1e309]",
    "leading-zero": "[01]",
    "bare": " 12 ",
    "bare-text": '"a"',
    "twice": '{"a": 1, "a": 2}',
    "comma": "[1,]",
    "open": '{"a": [1',
    "deep": "[" * 64 + "]" * 64,
    "deeper": "[" * 65 + "]" * 65,
    "surrogate": '["\\ud800"]',
    "zero-character": '["\\u0000"]',
    "control": b'["\x01"]',
    "latin1": b'["\xe9"]',
    "overlong": b'["\xc0\x80"]',
    "after": "[1] x",
    "words": "[nul]",
    "empty": "",
}


def bekk(d=2, **other):
    entries = {
        "C": [[0.01 * (j - i + 1) if j >= i else 0 for j in range(d)] for i in range(d)],
        "a": [0.25] * d,
        "b": [0.9] * d,
    }
    entries.update(other)
    return json.dumps({key: value for key, value in entries.items() if value is not ...})


def bekk_files():
    full = dict(
        tickers=["AAA", 'B"\u00e9'],
        dates=["2019-04-09", "2024-01-02"],
        loglik=1234.5,
        observations=500,
        converged=True,
        command="volterra bekk fit 'a b.csv'",
        C_error=[[0.001234567, 0.5], [0, 1e-300]],
        a_error=[0.01, 0.02],
        b_error=[0.03, 0.04],
    )
    return {
        "plain": bekk(),
        "one": bekk(1),
        "three": bekk(3),
        "six": bekk(6),
        "full": bekk(**full),
        "empty": "",
        "no-C": bekk(C=...),
        "no-a": bekk(a=...),
        "array": "[1,2]",
        "open": bekk()[:-9],
        "empty-a": bekk(a=[]),
        "short-a": bekk(a=[0.5]),
        "ragged": bekk(C=[[1, 2], [3]]),
        "lower": bekk(C=[[1, 0], [0.5, 1]]),
        "text-number": bekk(a=["0.5", 0.5]),
        "not-stationary": bekk(a=[1, 0.5]),
        "at-the-bound": bekk(a=[0.6, 0.6], b=[0.8, 0.8]),
        "zero": bekk(C=[[0, 0], [0, 0]], a=[0, 0], b=[0, 0]),
        "minus-zero": bekk(a=[-0.0, 0.5]),
        "huge": bekk(C=[[1e200, 1], [0, 1e200]]),
        "tiny": bekk(C=[[1e-200, 0], [0, 5e-324]]),
        "overflow": bekk().replace("0.25", "1e999"),
        "big-integer": bekk(a=[10**30, 0.5]),
        "half-errors": bekk(C_error=[[1, 2], [0, 1]]),
        "null": bekk(tickers=None, dates=None, loglik=None, command=None),
        "wrong-texts": bekk(tickers=["A"], dates=["x", 3]),
        "huge-loglik": bekk(loglik=1e308, observations=2**62),
        "key-twice": bekk()[:-1] + ', "a": [0.1, 0.1]}',
        "deep": "[" * 3000,
        "escapes": bekk(tickers=["\u0000", "\ud83d\ude00\n\x1b"]),
    }


# ---- the program and the bindings -------------------------------------------------------------------

# Words of a command line, one a line; fuzz_command_line.c defines their options.
COMMAND_LINES = {
    "range-log": ["--range", "alpha=log:1e-8..1"],
    "range-uniform": ["--range", "tau_coef=uniform:0.1..0.9"],
    "range-int": ["--range", "window=int:1..30", "degree=logint:1..8"],
    "range-choices": ["--range", "lift=even|geometric|poly:3"],
    "range-one": ["--range", "gamma=0.5"],
    "range-turned": ["--range", "gamma=log:2..1"],
    "range-zero": ["--range", "gamma=log:0..1"],
    "range-law": ["--range", "gamma=lag:1..2"],
    "range-dots": ["--range", "gamma=1..2"],
    "range-empty": ["--range", "gamma=|1|"],
    "range-huge": ["--range", "window=int:-9e15..9e15", "gamma=uniform:-1e308..1e308"],
    "range-twice": ["--range", "alpha=1", "--alpha", "log:1..2"],
    "alpha": ["--alpha=1e-6|1e-3|1"],
    "budget-seconds": ["--budget", "90s"],
    "budget-all": ["--budget", "1d2h30m5.5s"],
    "budget-number": ["--budget", "0.25"],
    "budget-order": ["--budget", "5s2h"],
    "budget-zero": ["--budget", "0s"],
    "budget-points": ["--budget", "1.2.3s"],
    "rows": ["--rows", "2:8"],
    "rows-open": ["--rows", ":"],
    "rows-negative": ["--rows", "-5:-1"],
    "rows-beyond": ["--rows", "0:11"],
    "rows-least": ["--rows", "-9223372036854775808:9223372036854775807"],
    "rows-long": ["--rows", "0:99999999999999999999"],
    "columns": ["--columns", "a,c"],
    "columns-range": ["--columns", "a..c,h1"],
    "columns-pattern": ["--columns", "h*,?"],
    "columns-refused": ["--columns", "date,b"],
    "columns-family": ["--columns", "h"],
    "columns-twice": ["--columns", "twice"],
    "columns-empty": ["--columns", "a,,b"],
    "columns-brackets": ["--columns", "[!a-z]*,[[:alpha:]]"],
    "numbers": ["--numbers", "1,2.5,-1e-3"],
    "numbers-many": ["--numbers", "1,2,3,4,5,6,7,8,9"],
    "count": ["--count", "3", "-n5"],
    "seed": ["--seed", "18446744073709551615"],
    "choice": ["--choice", "secand", "--"],
    "unknown": ["--rwos", "1:2"],
    "end": ["--", "--rows"],
}

COMMAND_TABLES = {
    "export": "export model.safetensors -o m.c --precision single --landmarks 64 --interval 0.5,0.9 --name m",
    "export-json": "export model.safetensors --format json -o m.json",
    "export-choice": "export model.safetensors --format xml -o m.c",
    "curve": "curve --x u --y v --kernel rbf linear --sizes 20,40 --test 10 --repeat 3 --alpha 1e-3 -o t.csv --plot p.svg",
    "curve-system": "curve --system lorenz --length 100 --points 4",
    "curve-size": "curve --x u --sizes 20,1",
    "curve-points": "curve --x u --points 1001",
    "capacity": "capacity --kernel esn:size=5 --rows 30 --degree 2 --delay 2 --washout 3",
    "capacity-degree": "capacity --degree 0",
    "fit-auto": "fit --x u --solver nystrom --landmarks auto -o m",
    "fit-auto-random": "fit --x u --landmarks auto:random -o m",
    "fit-landmarks": "fit --x u --landmarks 200:last --alpha 0.1 -o m",
    "fit-landmarks-word": "fit --x u --landmarks autos -o m",
    "fit-landmarks-long": "fit --x u --landmarks 9223372036854775808 -o m",
    "fit-checkpoint": "fit --x u --solver pcg --checkpoint c --checkpoint-every 1h30m --iterations 5 -o m",
    "tune": "tune --x u --kernel rbf --range gamma=log:0.1..1 --draws 5 --folds 3 --budget 90s --seed 3 --landmarks 20",
    "tune-auto": "tune --x u --landmarks auto",
    "tune-adaptive": "tune --x d.csv:u --y d.csv:y --search adaptive --draws 80 --log t.jsonl --resume",
    "tune-cma": "tune --x d.csv:a..c,h* --y d.csv:y --search=cma --budget 1h30m",
    "tune-search-unknown": "tune --x u --search gradiant",
    "tune-search-twice": "tune --x u --search cma --search random",
    "identify": "identify d.csv --x u --y y --budget 2min --draws 5 --test-rows 10 -o m",
    "forecast": "forecast d.csv --id unique_id --steps 3 --season 12 --interval 0.8 --resume -o f.csv",
    "compare": "compare --x u --y v --kernel linear rbf --draws 4 --log logs --resume",
    "predict": "predict m --x u --rows 5:-1 --std --interval 0.5 -o f",
    "continue": "continue m --steps 5 --paths 10 --interval 0.5",
    "stream": "stream m --learn --window 20 --forget 0.99 --state s",
    "explain": "explain m --lags 3 --no-shares -o e",
    "classify": "classify --train a --test b --splits 2",
    "anomaly": "anomaly --x u --train-rows 20 --window 10",
    "mcs": "mcs l.csv --reps 20 --method max --size 0.1",
    "bekk": "bekk fit --x r.csv",
    "plan": "plan --n 1000 --d 3",
    "gram": "gram --x u --kernel linear -o K.csv",
    "simulate": "simulate lorenz --length 5 -o x",
    "score": "score a b",
    "info": "info m",
    "combine": "combine a b -o c",
    "twice": "info a b",
    "empty-word": "info \x01",
    "unknown": "info --lenght 3",
}

STREAMS = {
    "plain": "1,2,3\n4,5,6\n",
    "header": "a,b,c\n1,2,3\n4,5,6\n",
    "header-turned": "c,a,x,b\n3,1,9,2\n6,4,9,5\n",
    "header-date": "date,a,b,c\n2019-04-09,1,2,3\n2019-04-10,4,5,6\n",
    "header-date-turned": "date,c,b,a\n2019-04-09,1,2,3\n",
    "header-other": "x,y,z\n1,2,3\n",
    "header-few": "a,b\n1,2\n",
    "header-quoted": '"a","b ""q"" , c", c ,b\n1,2,3,4\n',
    "header-open": 'a,"b,c\n1,2,3\n',
    "header-blanks": " a\t, \"b\" x, c \n1,2,3\n",
    "header-twice": "a,a,b,c\n1,2,3,4\n",
    "header-empty": ",,\n1,2,3\n",
    "header-bom": "\ufeffa,b,c\n1,2,3\n",
    "header-semicolons": "a;b;c\n1;2;3\n",
    "header-semicolons-turned": "c;b;a\n3;2;1\n",
    "header-tabs-turned": "c\tb\ta\n3\t2\t1\n",
    "header-bom-turned": "\ufeffc,b,a\n3,2,1\n",
    "header-savetxt": "# c b a\n3.0 2.0 1.0\n",
    "header-short-row": "x,a,b,c\n1,2,3\n",
    "header-late": "1,2,3\na,b,c\n",
    "header-quoted-blanks": '" a ",b,c\n1,2,3\n',
    "date": "2019-04-09,1,2,3\n",
    "crlf": "a,b,c\r\n1,2,3\r\n\r\n4,5,6\r\n",
    "no-end": "1,2,3",
    "blank-lines": "\n  \n1,2,3\n\t\n4,5,6\n",
    "semicolons": "1,5;2,5;3\n",
    "tabs": "1\t2\t3\n",
    "blanks": " 1   2 3\n",
    "few": "1,2\n",
    "many": "1,2,3,4\n",
    "trailing": "1,2,3,\n",
    "missing": "1,,3\n",
    "infinite": "1,inf,3\n",
    "overflow": "1,1e999,3\n",
    "text": "1,two,3\n",
    "quoted": '"1","2","3"\n',
    "open-quote": '1,"2\n3,4\n',
    "zero-byte": "1,2\0,3\n",
    "latin1": b"1,\xe9,3\n",
    "carriage-returns": "1,2,3\r4,5,6\r",
}

NOTES = {
    "all": ["2020-12-31", "86400 s", "weekday,month", "0.5", "4 0123456789abcdef", "1..24"],
    "none": [""],
    "end": ["2021-01-02 12:00:00.5"],
    "months": ["2020-12-31", "1 month to the last day"],
    "zone": ["2020-12-31 23:00+01:00", "3600 s"],
    "step-zero": ["2020-12-31", "0 s"],
    "step-huge": ["2020-12-31", "1e308 s"],
    "step-minus": ["2020-12-31", "-86400 s"],
    "months-huge": ["2020-12-31", "9007199254740992 months"],
    "calendar-all": ["", "", "minute,hour,weekday,month"],
    "calendar-scale": ["", "", "hour", "1e308"],
    "calendar-scale-zero": ["", "", "hour", "0"],
    "calendar-scale-nan": ["", "", "hour", "nan"],
    "calendar-no-scale": ["", "", "hour"],
    "calendar-other": ["", "", "hours", "1"],
    "rows-huge": ["", "", "", "", "99999999999999999999 0"],
    "rows-minus": ["", "", "", "", "-3 0"],
    "rows": ["", "", "", "", "4 97f5b0b7b3a0f5a5"],
    "target": ["2020-12-31", "86400 s", "", "", "", "", "2021-01-02"],
    "target-later": ["2020-12-31", "", "", "", "", "", "2022-01-02"],
    "target-other": ["", "", "", "", "", "", "soon"],
    "horizons-other": ["", "", "", "", "", "1..25"],
    "horizons-turned": ["", "", "", "", "", "24..1"],
}

QUOTED = {
    "plain": "level\nflow rate\ntemperature\n",
    "tags": "<script>alert(1)</script>\n\"a\" & 'b'\n&#x3c;\n&lt;\n",
    "marks": "`ls`\n@macro\n%h 100%\n\"; set out\nline\\\n'''\n$(x)\n",
    "shell": "a b\nit's\n$HOME\n`x`\n\\\n*\n\n",
    "commas": 'a,b\n"q"\nc;d\n#e\n  f\ng  \n',
    "characters": "\u00e9\u4e2d\n\U0001f600\n\u202eabc\n\u00a0\n",
    "control": "\x01\x1b[31m\n\x7f\n\x80\n",
    "one": "x",
    "digits": "1\n2.5\n-3e7\n",
}

NUMBERS = " ".join(f"{(i * 37 % 23 - 11) / 8:g}" for i in range(24))
PAIRS = " ".join(f"{(i * 37 % 23 - 11) / 8:g} {(i * 29 % 19 - 9) / 4:g}" for i in range(12))

BINDINGS = {
    "version": "version",
    "unknown": "fitt\nX v 1 2",
    "fit": f"fit\nX v {NUMBERS}\nY v {NUMBERS}\nalpha v 0.1\nkernel t rbf",
    "fit-options": f"fit\nX m 2 {PAIRS}\nahead v 1 2\ninput_names t a|b\nscale v 1\nwashout v 2\ntarget t change\n"
                   "season t none\nsolver t nystrom\nlandmarks v 4\nlandmark_choice t last\nkeep_factor v 1",
    "fit-auto": f"fit\nX v {NUMBERS}\nsolver t nystrom\nlandmarks v -1",
    "fit-loss": f"fit\nX v {NUMBERS}\nloss t quantile:q=0.1/0.9\nalpha v 0.1",
    "fit-records": f"fit\nX v {NUMBERS}\nY v {NUMBERS}\nrecords v 10 14\nfeedback_weight v 0.5\ninitial t first",
    "fit-typo": "fit\nX v 1 2 3\nalhpa v 1",
    "fit-kinds": "fit\nX t a\nalpha t b\nkernel v 1\nrecords t c",
    "fit-fraction": f"fit\nX v {NUMBERS}\nwashout v 1.5",
    "fit-absent": f"fit\nX v {NUMBERS}\ninitial t values\npassthrough_columns v 9",
    "predict": "predict\nmodel f\nX v 1 2 3\ncoverage v 0.5 0.9\nstart t reset\nbeyond t clip",
    "predict-std": "predict\nmodel f\nX v 1 2 3\nstd v 1",
    "predict-known": "predict\nmodel f\nX v 1 2 3\nknown v 1 2 3\nwarm_up v 1\nrecords v 1 2",
    "continue": "continue\nmodel f\nsteps v 5",
    "continue-many": "continue\nmodel f\nsteps v 1e300",
    "explain": "explain\nmodel f\nlags v 2\norder v 2\nband v 0\nshares v 1",
    "explain-point": "explain\nmodel f\nabout t point",
    "save": "save\nmodel f\npath t x",
    "load": "load\npath t x",
    "no-model": "predict\nmodel s\nX v 1",
    "tune": f"tune\nX v {NUMBERS}\nkernel t rbf\ndraws v 2\nfolds v 2\nseed v 1\nranges l\n> gamma v 0.1 1\n"
            "> alpha t linear|0.1|1",
    "tune-ranges": f"tune\nX v {NUMBERS}\nkernel t poly\ndraws v 2\nranges l\n> degree t integer|1|3\n> alpha t 1|2\n"
                   "> gamma n\nlog t x\nresume v 1",
    "tune-range-ends": f"tune\nX v {NUMBERS}\nranges l\n> alpha t linear|a\n",
    "stream": "stream\nmodel f\nlearn v 1\nwindow v 5\nforget v 0.9\nstart t continue",
    "feed": "feed\nstream s\nX v 1 2",
    "feed-columns": "feed\nstream s\nX m 2 1 2",
    "learn": "learn\nstream s\ny v 1",
    "forecast": f"forecast\nseries v {NUMBERS}\nsteps v 2\nseason v 4\ncoverage v 0.8\nnames t a",
    "forecast-times": f"forecast\nseries v {NUMBERS}\ntimes v 0 1 2\nsteps v 1",
    "backtest": f"backtest\nseries v {NUMBERS}\nsteps v 1\norigins v 2",
    "identify": f"identify\nU v {NUMBERS}\nY v {NUMBERS}\ndraws v 1\nrecords v 12 12\noutput_names t y",
    "compare": f"compare\nX v {NUMBERS}\nY v {NUMBERS}\ntrain v 16\nkernels t linear|rbf\ndraws v 1\nfolds v 2",
    "mcs": f"mcs\nlosses m 2 {PAIRS}\nreps v 20\nmethod t max\nsize v 0.1\nblock v 3",
    "mcs-indices": "mcs\nlosses m 2 1 2 3 4 5 6\nindices v 1 2 3 3 1 1",
    "mcs-index": "mcs\nlosses m 2 1 2 3 4\nindices v 1 9",
    "bekk-fit": f"bekk_fit\nreturns m 2 {PAIRS}\nstarts v 1\nrounds v 1\nstandard_errors v 0",
    "bekk-loglik": f"bekk_loglik\nreturns m 2 {PAIRS}\nC m 2 1 0 0.5 1\na v 0.3 0.3\nb v 0.9 0.9",
    "bekk-shapes": "bekk_loglik\nreturns m 2 1 2\nC m 2 1 0 0.5 1\na v 0.3\nb v 0.9 0.9",
    "bekk-simulate": "bekk_simulate\nC m 1 1\na v 0.3\nb v 0.9\nrows v 3\nseed v 1\ndiscard v 2",
    "returns": "returns\nprices m 2 1 2 3 4 5 6",
    "simulate": "simulate\nsystem t narma10\nrows v 20\nseed v 2\ndiscard v 0",
    "simulate-rows": "simulate\nsystem t lorenz:sigma=9\nrows v -1",
}

# ---- logs and candidates of searches ----------------------------------------------------------------

SEARCH = "0123456789abcdef"


def trial(number, folds, **other):
    line = {
        "index": number,
        "kernel": f"volterra:tau_coef=0.{number + 1},lambda_coef=0.9",
        "alpha": 0.001,
        "folds": folds,
        "score": sum(folds) / len(folds) if folds else None,
        "seconds": 0.25,
        "stopped": None,
        "failure": None,
        "measure": "r2",
        "search": SEARCH,
    }
    line.update(other)
    return json.dumps(line, separators=(",", ":")) + "\n"


def trial_logs():
    one, two = trial(0, [0.5, 0.75]), trial(1, [0.25, 0.875])
    stopped = trial(2, [-3.5], stopped=1)
    failed = trial(3, [], score=None, failure='Cholesky failed at pivot 3: "alpha" = 1e-9')
    plain = one + two + stopped + failed
    return {
        "plain": plain,
        "empty": "",
        "one": one,
        "turned": failed + two + stopped + one,
        "twice": plain + plain,
        "cut": plain[:-40],
        "no-newline": plain[:-1],
        "only-failed": failed,
        "only-stopped": stopped,
        "blank-line": one + "\n" + two,
        "crlf": plain.replace("\n", "\r\n"),
        "bom": "\ufeff" + plain,
        "another-search": one + trial(1, [0.5, 0.5], search="fedcba9876543210"),
        "another-measure": one + trial(1, [0.5, 0.5], measure="mse"),
        "short-search": trial(0, [0.5], search="0123"),
        "errors": trial(0, [0.5, 0.5], measure="mse") + trial(1, [0.25, 0.5], measure="mse"),
        "log-score": trial(0, [-1100.5], measure="log"),
        "other-candidate": one + trial(0, [0.5, 0.75], alpha=2),
        "fewer-folds": one + trial(1, [0.5]),
        "more-folds": one + trial(1, [0.5] * 9),
        "stopped-after-all": one + trial(1, [0.5, 0.5], stopped=2),
        "failed-with-folds": one + trial(1, [0.5], failure="the scores are not finite"),
        "negative-index": trial(-1, [0.5]),
        "real-index": trial(0, [0.5], index=0.5),
        "huge-index": trial(0, [0.5], index=10**15),
        "overflow": trial(0, [0.5]).replace("0.001", "1e999"),
        "alpha-zero": trial(0, [0.5], alpha=0),
        "fold-text": trial(0, [0.5]).replace("[0.5]", '["0.5"]'),
        "no-folds": trial(0, []),
        "kernel-number": trial(0, [0.5], kernel=5),
        "key-twice": one.replace('"alpha"', '"index":1,"alpha"'),
        "array": "[1,2,3]\n",
        "not-json": "index kernel alpha\n",
        "deep": "[" * 3000 + "\n",
    }


def resume_logs():
    """Logs of the search in fuzz_trial_resume.c: three candidates, two folds."""
    kernels = ["linear:window=1", "rbf:gamma=2,window=1", "volterra:tau_coef=0.5,lambda_coef=0.5"]
    alphas = [0.5, 1e-3, 2]

    def mine(number, folds, **other):
        return trial(number, folds, **{"kernel": kernels[number], "alpha": alphas[number], **other})

    one, two, three = mine(0, [0.5, 0.25]), mine(1, [-1.5, 0.75]), mine(2, [0.125, 0.875])
    failed = mine(1, [], score=None, failure="the scores are not finite")
    return {
        "empty": "",
        "one": one,
        "last": three,
        "all": one + two + three,
        "turned": three + one + two,
        "all-cut": one + two + three[:-20],
        "no-newline": one + two[:-1],
        "failed": failed + one,
        "all-failed": "".join(mine(i, [], score=None, failure="singular") for i in range(3)),
        "stopped": one + mine(1, [-9.0], stopped=1),
        "stopped-first": mine(0, [-9.0], stopped=1) + mine(0, [0.5, 0.5]),
        "twice": one + one + two,
        "twice-better": mine(0, [0.25, 0.25]) + mine(0, [0.75, 0.75]),
        "beyond": one + trial(3, [0.5, 0.5]),
        "other-kernel": mine(0, [0.5, 0.5], kernel="linear:window=2"),
        "other-alpha": mine(0, [0.5, 0.5], alpha=0.25),
        "short-kernel": mine(0, [0.5, 0.5], kernel="linear"),
        "few-folds": one + mine(1, [0.5]),
        "many-folds": one + mine(1, [0.5] * 3),
        "many-stopped": one + mine(1, [0.5] * 3, stopped=3),
        "wrong-score": mine(0, [0.5, 0.25], score=0.9),
        "huge-score": mine(0, [1e308, 1e308], score=None),
        "other-search": trial(0, [0.5, 0.5], search="fedcba9876543210"),
        "control": mine(0, [], score=None, failure="a\u001b[31m\u009bb\nc"),
        "commands": mine(0, [0.5, 0.5], kernel='linear:window=1"\nsystem("touch ran")\n"'),
        "index-huge": mine(0, [0.5, 0.5], index=2**53),
        "blank-lines": "\n\n" + one,
        "not-json": "index\n",
    }


def candidate_files():
    return {
        "plain": "tau,lambda,alpha\n0.25,0.5,1e-3\n0.125,0.75,2\n",
        "rbf": "alpha,gamma\n1,2\n0.5,1e-2\n",
        "words": "lift,tau,alpha\neven,0.5,1\npoly:3,0.25,2\nrbf,,3\n",
        "auto": "lift,tau,alpha\npoly:3,0.25,auto\neven,0.5,1\n",
        "feedback": "feedback,alpha,kernel\n0.5,auto,linear:window=2\n",
        "augment": "augment,window,alpha\ntime+leadlag,3,1\n",
        "kernels": 'alpha,kernel\n0.5,"volterra:tau=0.25,lambda=0.5"\n1,linear\n',
        "kernels-and-more": "alpha,kernel,gamma\n1,rbf,2\n",
        "empty": "",
        "header-only": "alpha,gamma\n",
        "no-alpha": "gamma\n1\n",
        "no-name": "alpha,\n1,2\n",
        "same-names": "alpha,gamma,gamma\n1,2,3\n",
        "unknown": "alpha,gama\n1,2\n",
        "given": "alpha,window\n1,2\n",
        "negative": "alpha,gamma\n1,-2\n",
        "not-a-number": "alpha,gamma\nx,2\n",
        "infinite": "alpha,gamma\ninf,2\nnan,2\n",
        "ragged": "alpha,gamma\n1\n1,2,3\n",
        "open-quote": 'alpha,kernel\n1,"rbf\n',
        "quoted-newline": 'alpha,kernel\n1,"rbf:\ngamma=2"\n',
        "bom": "\ufeffalpha,gamma\n1,2\n",
        "crlf": "alpha,gamma\r\n1,2\r\n",
        "german": "alpha;gamma\n0,5;2\n",
        "tabs": "alpha\tgamma\n1\t2\n",
        "savetxt": "# alpha gamma\n1.0 2.0\n",
        "zero-byte": "alpha,gamma\n1,\0\n",
        "latin1": b"alpha,gamma\n1,\xe9\n",
        "long-cell": "alpha,gamma\n1," + "1" * 2000 + "\n",
        "injection": "alpha,gamma\n1,2,window=3\n1,\"2,window=3\"\n",
    }


def encoded(text):
    return text if isinstance(text, bytes) else text.encode()


def blocks():
    """Tables read in blocks of one byte, and of some more."""
    for k, (name, text) in enumerate(TABLES.items()):
        for block in (0, 2 + k):
            yield f"{name}-{block + 1}", bytes([block]) + encoded(text)


def parts():
    for k, (name, text) in enumerate({**ARRAYS, **TABLES}.items()):
        for window in WINDOWS if name in ("rows", "columns", "commas") else [list(WINDOWS)[k % len(WINDOWS)]]:
            yield f"{name}-{window}", struct.pack("bb", *WINDOWS[window]) + encoded(text)


SEEDS = [
    ("csv", "csv", CSV),
    ("ts", "ts", TS),
    ("long_csv", "csv", LONG_CSV),
    ("column_texts", "csv", {**TEXTS, **TABLES}),
    ("csv_blocks", "bin", dict(blocks())),
    ("rows_part", "bin", dict(parts())),
    ("many_series", "txt", MANY),
    ("time_columns", "txt", CLOCKS),
    ("times", "txt", TIMES),
    ("kernel_text", "txt", KERNELS),
    ("loss_text", "txt", LOSSES),
    ("json", "json", JSON),
    ("bekk_json", "json", bekk_files()),
    ("command_line", "txt", {name: "\n".join(words) for name, words in COMMAND_LINES.items()}),
    ("command_tables", "txt", {name: line.replace(" ", "\n") + "\n" for name, line in COMMAND_TABLES.items()}),
    ("stream_lines", "csv", STREAMS),
    ("model_notes", "txt", {name: "\n".join(lines) + "\n" for name, lines in NOTES.items()}),
    ("quoted_text", "txt", QUOTED),
    ("bindings", "txt", BINDINGS),
    ("trial_log", "jsonl", trial_logs()),
    ("trial_resume", "jsonl", resume_logs()),
    ("candidates", "csv", candidate_files()),
]

if __name__ == "__main__":
    for seeds in SEEDS:
        corpus.put(*seeds)
