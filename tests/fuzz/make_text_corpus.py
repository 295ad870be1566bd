#!/usr/bin/env python3
"""tests/fuzz/make_text_corpus.py: the seeds of fuzz_kernel_text, fuzz_bekk_json, fuzz_command_line and fuzz_stream_lines.

    python3 tests/fuzz/make_text_corpus.py

writes the folders of those names under corpus/ in this folder. Needs nothing but Python.
"""
import json
import pathlib

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"

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


# Words of a command line, one a line; fuzz_command_line.c defines their options.
COMMANDS = {
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


def write(folder, ending, files):
    (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        (CORPUS / folder / f"{name}.{ending}").write_bytes(data)


write("kernel_text", "txt", KERNELS)
write("bekk_json", "json", bekk_files())
write("command_line", "txt", {name: "\n".join(words) for name, words in COMMANDS.items()})
write("stream_lines", "csv", STREAMS)
