"""RowAnomaly: bit-identical to the program, and the outlier detector API."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
import volterra


def series(rows=500, channels=2, seed=5):
    rng = np.random.default_rng(seed)
    t = np.arange(rows)[:, None]
    x = np.sin(0.3 * t + np.arange(channels)) + 0.05 * rng.normal(size=(rows, channels))
    x[rows - 120, channels - 1] += 3
    return x


def judged(program, tmp_path, x, *options):
    """The output of the program: its JSON report and its table."""
    names = ",".join("ab"[: x.shape[1]])
    np.savetxt(tmp_path / "x.csv", x, delimiter=",", fmt="%.17g", header=names, comments="")
    out = tmp_path / "out.csv"
    printed = program("anomaly", "--x", tmp_path / "x.csv", "--json", *options, "-o", out)
    return json.loads(printed), np.genfromtxt(out, delimiter=",", names=True)


@pytest.mark.parametrize(
    "settings, options",
    [
        ({}, []),
        ({"rate": 0.02, "window": 60}, ["--rate", "0.02", "--window", "60"]),
        ({"kernel": "rbf:gamma=2,window=3", "window": 0}, ["--kernel", "rbf:gamma=2,window=3", "--window", "0"]),
    ],
)
@pytest.mark.parametrize("channels", [1, 2])
def test_bitwise_equal_to_program(program, tmp_path, settings, options, channels):
    x = series(channels=channels)
    report, table = judged(program, tmp_path, x, "--train-rows", "150", *options)
    detector = volterra.RowAnomaly(**settings).fit(x[:150])
    found = detector.details(x[150:])
    assert report["watched_rows"] == 350 and table["row"][0] == 150
    assert found["score"].tolist() == table["score"].tolist() == report["scores"]
    assert np.where(np.isfinite(found["threshold"]), found["threshold"], np.nan).tolist() == pytest.approx(
        table["threshold"].tolist(), abs=0, nan_ok=True
    )
    assert found["alarm"].astype(int).tolist() == table["alarm"].astype(int).tolist()
    alarms = [alarm["row"] - 150 for alarm in report["alarms"]]
    assert np.flatnonzero(detector.predict(x[150:]) == -1).tolist() == alarms and 230 in alarms
    assert [("a", "b")[k] for k in found["channel"][alarms]] == [alarm["channel"] for alarm in report["alarms"]]


def test_fit_predict_equals_program_defaults(program, tmp_path):
    x = series(rows=330)
    report, table = judged(program, tmp_path, x)
    labels = volterra.RowAnomaly().fit_predict(x)
    assert report["train_rows"] == 110 and (labels[:110] == 1).all()
    assert (labels[110:] == -1).tolist() == (table["alarm"] == 1).tolist() and (labels == -1).any()
    with pytest.raises(ValueError, match="first 50"):
        volterra.RowAnomaly().fit_predict(x[:50])


def test_outlier_detector_interface():
    x = series()
    detector = volterra.RowAnomaly(rate=0.01).fit(x[:200])
    found = detector.details(x[200:])
    scores, decision, labels = (getattr(detector, name)(x[200:]) for name in ("score_samples", "decision_function", "predict"))
    assert scores.tolist() == (-found["score"]).tolist()
    assert decision.tolist() == (found["threshold"] - found["score"]).tolist()
    assert ((decision < 0) == (labels == -1)).all() and set(labels) == {-1, 1}
    # Every call starts from the end of fit, whether X begins with the rows of fit or not.
    assert detector.predict(x)[200:].tolist() == labels.tolist() and np.isnan(detector.score_samples(x)[:200]).all()
    assert detector.n_features_in_ == 2 and detector.train_rows_ == 200 and detector.kernel_.startswith("volterra:")
    # One channel may be 1-D; more alarms with a higher rate.
    flat = volterra.RowAnomaly(rate=0.01).fit(x[:200, 1])
    assert flat.predict(x[200:, 1]).tolist() == volterra.RowAnomaly(rate=0.01).fit(x[:200, 1:]).predict(x[200:, 1:]).tolist()
    many = volterra.RowAnomaly(rate=0.2).fit(x[:200]).predict(x[200:])
    assert (many == -1).sum() > (labels == -1).sum()
    for twin in (pickle.loads(pickle.dumps(detector)), copy.deepcopy(detector)):
        assert twin.score_samples(x[200:]).tolist() == scores.tolist()
    base = pytest.importorskip("sklearn.base")
    assert base.clone(detector).get_params() == detector.get_params() and base.is_outlier_detector(detector)


def test_pandas_keeps_the_index():
    pd = pytest.importorskip("pandas")
    x = series()
    index = pd.date_range("2024-01-01", periods=len(x), freq="h")
    frame = pd.DataFrame(x, index=index, columns=["a", "b"])
    detector = volterra.RowAnomaly().fit(frame[:200])
    plain = volterra.RowAnomaly().fit(x[:200])
    assert list(detector.feature_names_in_) == ["a", "b"]
    for name in ("score_samples", "decision_function", "predict"):
        found = getattr(detector, name)(frame[200:])
        assert list(found.index) == list(index[200:]) and found.tolist() == getattr(plain, name)(x[200:]).tolist()
    table = detector.details(frame[200:])
    assert list(table.columns) == ["score", "threshold", "alarm", "channel"] and list(table.index) == list(index[200:])
    one = volterra.RowAnomaly().fit(frame["b"][:200]).predict(frame["b"][200:])
    assert list(one.index) == list(index[200:]) and one.loc[index[380]] == -1


@pytest.mark.parametrize(
    "settings, error, message",
    [
        ({"rate": 0.0}, ValueError, "rate must be .*got 0"),
        ({"rate": 1.5}, ValueError, "rate must be .*got 1.5"),
        ({"window": -1}, ValueError, "window must be .*got -1"),
        ({"window": 1.5}, TypeError, "window must be .*got 1.5"),
        ({"kernel": "gakk"}, ValueError, "gak"),
    ],
)
def test_wrong_arguments(settings, error, message):
    with pytest.raises(error, match=message):
        volterra.RowAnomaly(**settings).fit(series())


def test_wrong_data():
    x = series()
    with pytest.raises(volterra.NotFittedError):
        volterra.RowAnomaly().predict(x)
    with pytest.raises(ValueError, match="minimum.*3"):
        volterra.RowAnomaly().fit(x[:2])
    with pytest.raises(ValueError, match="X has 1 features"):
        volterra.RowAnomaly().fit(x).predict(x[:, :1])
    with pytest.raises(ValueError, match="NaN at row 3"):
        volterra.RowAnomaly().fit(x).predict(np.where(np.arange(500)[:, None] == 3, np.nan, x))
