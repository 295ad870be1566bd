#!/usr/bin/env python3
"""bench/bench_anomaly.py: novelty detection on sets of the UEA archive, by the protocol of KTAD.

    bench/bench_anomaly.py FOLDER [--volterra PROGRAM] [--draws N] [--only SET[,SET]]

FOLDER holds NAME/NAME_TRAIN.ts and NAME_TEST.ts (or .arff). Every class is the normal one once: a detector learns
its training series, and judges all test series. alpha and the kernel's parameters are chosen on training series
alone, by the other classes (volterra anomaly --normal --draws). A row is the mean over the classes of the areas on
the test series. As in Cass, Gonon and Zozoulenko, "Variance norms for kernelized anomaly detection", the normal class
is the one that is marked in the PR area: it is the smaller one. The splits are the archive's, the seed is fixed.
Needs Python alone. One line of JSON a row.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

KERNELS = {
    "volterra": "volterra",
    "GAK": "gak",
    "signature": "sig:level=4",
    "reservoir": "esn:size=100",
}


def find_sets(folder):
    for path in sorted(pathlib.Path(folder).iterdir()):
        for ending in (".ts", ".arff"):
            train, test = (path / f"{path.name}_{part}{ending}" for part in ("TRAIN", "TEST"))
            if train.exists() and test.exists():
                yield path.name, train, test
                break


def classes_of(program, train):
    """The classes of a file, from what gram says of it."""
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run(
            [
                program,
                "gram",
                "--collection",
                train,
                "--kernel",
                "volterra",
                "--json",
                "--quiet",
                "-o",
                f"{folder}/K.npy",
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    return sorted(set(json.loads(out)["row_labels"]))


def average_precision(scores, marked):
    """Of marks that should have the smaller scores; rows with equal scores come together."""
    hits = up = 0
    total = 0.0
    rows = sorted(zip(scores, marked))
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and rows[end][0] == rows[at][0]:
            end += 1
        own = sum(mark for _, mark in rows[at:end])
        hits, up = hits + own, end
        total += own * hits / up
        at = end
    return total / hits


def judge(program, train, test, normal, kernel, score, draws):
    with tempfile.TemporaryDirectory() as folder:
        words = [
            program,
            "anomaly",
            "--train",
            train,
            "--test",
            test,
            "--normal",
            normal,
            "--kernel",
            kernel,
            "--score",
            score,
            "--draws",
            str(draws),
            "--seed",
            "1",
            "--json",
            "--quiet",
            "-o",
            f"{folder}/s.csv",
        ]
        run = subprocess.run(words, check=False, capture_output=True, text=True)
        if run.returncode:
            raise SystemExit(run.stderr.strip())
        with open(f"{folder}/s.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    areas = json.loads(run.stdout)
    pr = average_precision([float(row["score"]) for row in rows], [row["class"] == normal for row in rows])
    return areas["roc_auc"], pr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--volterra", default="build/volterra")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    for name, train, test in find_sets(arguments.folder):
        if arguments.only and name not in arguments.only.split(","):
            continue
        classes = classes_of(arguments.volterra, train)
        for method, kernel in KERNELS.items():
            for score in ("conformance", "mahalanobis"):
                areas = [
                    judge(arguments.volterra, train, test, normal, kernel, score, arguments.draws)
                    for normal in classes
                ]
                for measure, column in (("ROC area", 0), ("PR area", 1)):
                    value = sum(area[column] for area in areas) / len(areas)
                    print(
                        json.dumps(
                            {
                                "dataset": name,
                                "kernel": method,
                                "score": score,
                                "measure": measure,
                                "value": round(value, 4),
                                "classes": len(classes),
                            }
                        )
                    )
                sys.stdout.flush()


if __name__ == "__main__":
    main()
