"""Other classifiers on sets of the UEA archive, for the table of docs/results.md: 1-NN DTW, and MiniRocket + ridge.

    python bench/uea_peers.py FOLDER [SET ...]

FOLDER/SET/SET_TRAIN.ts and SET_TEST.ts, as `python -m volterra.benchmarks uea --data FOLDER` reads them. Requires aeon
(PyPI), in a separate environment. MiniRocket requires series of equal length: if a set has files SET_eq_TRAIN, those are used.
One line of JSON for every set and method: accuracy, seconds (training and test, without compilation).
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from aeon.classification.convolution_based import MiniRocketClassifier
from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier
from aeon.datasets import load_from_ts_file


def load(folder, name, part, equal):
    """Series (n, channels, time), or a list if lengths differ, and their classes; None: the file does not exist."""
    for stem in [f"{name}_eq_{part}"] * equal + [f"{name}_{part}"]:
        path = Path(folder) / name / (stem + ".ts")
        if path.exists():
            return load_from_ts_file(str(path))
    return None


def equally_long(X):
    return len({np.asarray(series).shape[-1] for series in X}) == 1


METHODS = {
    "1-NN DTW": (lambda: KNeighborsTimeSeriesClassifier(n_neighbors=1, distance="dtw", n_jobs=1), False),
    "MiniRocket": (lambda: MiniRocketClassifier(random_state=0, n_jobs=1), True),
}


def run(folder, name):
    for method, (make, equal) in METHODS.items():
        train, test = load(folder, name, "TRAIN", equal), load(folder, name, "TEST", equal)
        if equal and not equally_long(train[0]):
            continue
        few = np.sort(np.unique(train[1], return_index=True)[1])  # one of each class, for the compiler
        make().fit([train[0][i] for i in few], train[1][few]).predict([test[0][0], test[0][1]])
        begun = time.perf_counter()
        found = make().fit(*train).predict(test[0])
        row = {
            "dataset": name,
            "method": method,
            "accuracy": float(np.mean(found == test[1])),
            "seconds": round(time.perf_counter() - begun, 2),
        }
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    names = sys.argv[2:] or sorted(path.name for path in Path(sys.argv[1]).iterdir() if path.is_dir())
    for name in names:
        run(sys.argv[1], name)
