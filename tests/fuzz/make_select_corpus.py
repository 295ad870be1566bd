#!/usr/bin/env python3
"""tests/fuzz/make_select_corpus.py: the seeds of fuzz_trial_log, fuzz_trial_resume and fuzz_candidates.

    python3 tests/fuzz/make_select_corpus.py

writes corpus/trial_log, corpus/trial_resume and corpus/candidates in this folder. Needs nothing but Python.
"""
import json
import pathlib

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
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


def write(folder, ending, files):
    (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        (CORPUS / folder / f"{name}.{ending}").write_bytes(data)


write("trial_log", "jsonl", trial_logs())
write("trial_resume", "jsonl", resume_logs())
write("candidates", "csv", candidate_files())
