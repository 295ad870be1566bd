#!/usr/bin/env python3
"""tests/fuzz/make_line_corpus.py: the seeds of the targets of short texts and of parts of tables: fuzz_times, fuzz_json, fuzz_loss_text,
fuzz_model_notes, fuzz_quoted_text, fuzz_csv_blocks, fuzz_rows_part, fuzz_column_texts, fuzz_bindings, fuzz_command_tables,
fuzz_many_series, fuzz_time_columns.

    python3 tests/fuzz/make_line_corpus.py

writes the folders of those names under corpus/ in this folder. Needs nothing but Python.
"""
import pathlib
import struct

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"

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
    "gnuplot": "`ls`\n@macro\n%h 100%\n\"; set out\nline\\\n'''\n$(x)\n",
    "shell": "a b\nit's\n$HOME\n`x`\n\\\n*\n\n",
    "commas": 'a,b\n"q"\nc;d\n#e\n  f\ng  \n',
    "characters": "\u00e9\u4e2d\n\U0001f600\n\u202eabc\n\u00a0\n",
    "control": "\x01\x1b[31m\n\x7f\n\x80\n",
    "one": "x",
    "digits": "1\n2.5\n-3e7\n",
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
    "predict": "predict\nmodel f\nX v 1 2 3\ncoverage v 0.5 0.9\nstart t reset\nbeyond t clip",
    "predict-std": "predict\nmodel f\nX v 1 2 3\nstd v 1",
    "predict-known": "predict\nmodel f\nX v 1 2 3\nknown v 1 2 3\nwarm_up v 1\nrecords v 1 2",
    "continue": "continue\nmodel f\nsteps v 5",
    "continue-many": "continue\nmodel f\nsteps v 1e300",
    "explain": "explain\nmodel f\nlags v 2\norder v 2\nband v 0\nshares v 1",
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

COMMANDS = {
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
    "tune-adaptive": "tune --x d.csv:u --y d.csv:y --search adaptive --draws 80 --log t.jsonl --resume --shard 1/3",
    "tune-cma": "tune --x d.csv:a..c,h* --y d.csv:y --search=cma --budget 1h30m",
    "tune-gradient": "tune --x u --y y --search gradient --score evidence --draws 100",
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


def encoded(text):
    return text if isinstance(text, bytes) else text.encode("utf-8")


def write(folder, ending, files):
    (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (CORPUS / folder / f"{name}.{ending}").write_bytes(encoded(text))


def main():
    write("times", "txt", TIMES)
    write("json", "json", JSON)
    write("loss_text", "txt", LOSSES)
    write("model_notes", "txt", {name: "\n".join(lines) + "\n" for name, lines in NOTES.items()})
    write("quoted_text", "txt", QUOTED)
    write("bindings", "txt", BINDINGS)
    write("command_tables", "txt", {name: line.replace(" ", "\n") + "\n" for name, line in COMMANDS.items()})
    write("many_series", "txt", MANY)
    write("time_columns", "txt", CLOCKS)
    write("column_texts", "csv", {**TEXTS, **TABLES})
    write("csv_blocks", "bin", {f"{name}-{block + 1}": bytes([block]) + encoded(text)
                                for k, (name, text) in enumerate(TABLES.items()) for block in (0, 2 + k)})
    write("rows_part", "bin", {
        f"{name}-{window}": struct.pack("bb", *WINDOWS[window]) + encoded(text)
        for k, (name, text) in enumerate({**ARRAYS, **TABLES}.items())
        for window in (list(WINDOWS) if name in ("rows", "columns", "commas") else [list(WINDOWS)[k % len(WINDOWS)]])})


if __name__ == "__main__":
    main()
