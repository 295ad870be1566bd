"""Data files read by the package: tables, collections of series; areas of rankings; the smallest training part."""

from __future__ import annotations

import benchmark_files as files
import numpy as np
import pytest
import volterra
from volterra import datasets, metrics


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "data.csv"
    found.write_text("date,u,y\n2020-01-01,1,2\n2020-01-02,,4\n2020-01-03,5,6\n")
    return found


def test_columns_and_rows(path):
    table = datasets.read_table(path, "y,u", rows=(2, None))
    assert table.names == ["y", "u"] and table.file_rows == 3
    np.testing.assert_array_equal(table.values, [[6, 5]])
    np.testing.assert_array_equal(datasets.read_table(path, "y").values[:, 0], [2, 4, 6])
    assert datasets.read_table(path, rows=(0, 1)).names == ["u", "y"]


def test_missing_values(path):
    with pytest.raises(ValueError, match="u"):
        datasets.read_table(path)
    np.testing.assert_array_equal(datasets.read_table(path, "u", missing="keep").values[:, 0], [1, np.nan, 5])
    np.testing.assert_array_equal(datasets.read_table(path, "u", missing="drop").values[:, 0], [1, 5])
    np.testing.assert_array_equal(datasets.read_table(path, "u", missing="interpolate").values[:, 0], [1, 3, 5])



def test_separators_of_thousands(tmp_path):
    """A column with 996 and 1.045 requires its marks."""
    path = tmp_path / "data.csv"
    path.write_text("month;y\n2020-01;996\n2020-02;1.045\n2020-03;1.100\n")
    with pytest.raises(ValueError, match=r"'y'.*1\.045.*thousands"):
        datasets.read_table(path)
    for marks in (dict(thousands="."), dict(decimal=",")):
        assert datasets.read_table(path, **marks).values[:, 0].tolist() == [996, 1045, 1100]
    assert datasets.read_table(path, decimal=".").values[:, 0].tolist() == [996, 1.045, 1.1]
    with pytest.raises(ValueError, match="decimal"):
        datasets.read_table(path, decimal=".", thousands=".")
    with pytest.raises(ValueError, match="thousands"):
        datasets.read_table(path, thousands="x")


def test_wrong_tables(path, tmp_path):
    with pytest.raises(FileNotFoundError):
        datasets.read_table(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="z"):
        datasets.read_table(path, "z")
    with pytest.raises(ValueError, match="missing"):
        datasets.read_table(path, missing="guess")
    with pytest.raises(ValueError, match="first row"):
        datasets.read_table(path, rows=(-1, None))
    with pytest.raises(ValueError):
        datasets.read_table(path, "y", rows=(3, 9))


def test_series(tmp_path):
    files.write_waves(tmp_path / "waves.ts", 3)
    found = datasets.read_series(tmp_path / "waves.ts")
    assert len(found.series) == 18 and found.labels[:3] == ["slow", "fast", "flat"]
    line = (tmp_path / "waves.ts").read_text().splitlines()[5]
    for channel, text in enumerate(line.split(":")[:2]):
        np.testing.assert_array_equal(found.series[1][:, channel], [float(cell) for cell in text.split(",")])
    files.write_waves(tmp_path / "plain.ts", 3, labels=False)
    assert datasets.read_series(tmp_path / "plain.ts").labels is None
    with pytest.raises(FileNotFoundError):
        datasets.read_series(tmp_path / "none.ts")


def test_ranking():
    assert metrics.ranking([1, 1, 0, 0], [4, 3, 2, 1]) == {"roc_auc": 1.0, "pr_auc": 1.0}
    assert metrics.ranking([True, False], [1.0, 1.0]) == {"roc_auc": 0.5, "pr_auc": 0.5}
    with pytest.raises(ValueError):
        metrics.ranking([True, True], [1.0, 2.0])
    with pytest.raises(ValueError, match="shapes"):
        metrics.ranking([True, False], [1.0, 2.0, 3.0])


def test_smallest_training_part(rng):
    """Scores refer to folds that begin after min_train rows."""
    X = rng.normal(size=(60, 1))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    candidate = {"kernel": "linear", "alpha": 0.1}
    search = volterra.VolterraRidgeCV(
        folds=2, candidates=[candidate], min_train=40, scoring="neg_mse", scale=False, refit=False
    ).fit(X, y)
    errors = []
    for first in (40, 50):
        model = volterra.SequenceKernelRidge("linear", alpha=0.1, scale=False).fit(X[:first], y[:first])
        errors.append(-np.mean((model.predict(X[first : first + 10]) - y[first : first + 10]) ** 2))
    found = [search.cv_results_[f"split{k}_test_score"][0] for k in range(2)]
    np.testing.assert_allclose(found, errors, rtol=1e-9)
    with pytest.raises(ValueError, match="min_train"):
        volterra.VolterraRidgeCV(min_train=0).fit(X, y)
