"""Season, baselines and metrics relative to baselines."""

from __future__ import annotations

import json

import numpy as np
import pytest
import volterra
from volterra import metrics


@pytest.fixture(scope="module")
def reference(root):
    return json.loads((root / "tests/reference/baselines.json").read_text())


def test_seasons(reference):
    for series in reference["inputs"]["series"]:
        assert volterra.season(series["y"]) == series["season"], series["name"]


def test_forecasts(reference):
    for task in reference["inputs"]["forecasts"]:
        y = np.array(reference["inputs"]["series"][task["series"]]["y"])
        for kind in ("naive", "seasonal", "drift", "ar"):
            if kind not in task["expected"]:
                continue
            expected = np.array(task["expected"][kind])
            forecast = volterra.baseline(
                kind,
                y,
                ahead=task["lag"],
                season=task["season"],
                train=task["learn_end"] or None,
                begin=task["begin"],
                end=task["begin"] + len(expected),
            )
            assert forecast.shape == expected.shape
            np.testing.assert_allclose(forecast, expected, rtol=0, atol=reference["tol"] * np.abs(expected).max())


def test_rows_and_columns():
    y = np.cumsum(np.random.default_rng(3).normal(size=(80, 2)), axis=0)  # seed 3
    assert volterra.baseline("naive", y).shape == (79, 2)
    np.testing.assert_array_equal(volterra.baseline("naive", y, ahead=5), y[:-5])
    np.testing.assert_array_equal(volterra.baseline("seasonal", y, ahead=5, season=4), y[:-8])
    np.testing.assert_array_equal(volterra.baseline("naive", y, ahead=3, begin=80, end=83), y[-3:])
    both = volterra.baseline("ar", y, train=60, season=0)
    assert both.shape == (20, 2)
    np.testing.assert_array_equal(both[:, 1], volterra.baseline("ar", y[:, 1], train=60, season=0))
    # A strided view is a series too.
    np.testing.assert_array_equal(volterra.baseline("drift", y[::2]), volterra.baseline("drift", y[::2].copy()))
    # The season is estimated from the training rows only.
    t = np.arange(240)
    wave = np.where(t < 120, np.sin(2 * np.pi * t / 12), np.sin(2 * np.pi * t / 30))
    np.testing.assert_array_equal(volterra.baseline("seasonal", wave, train=120), wave[108:-12])


def test_invalid_arguments():
    y = np.arange(10.0)
    with pytest.raises(ValueError, match="kind must be .*got 'mean'"):
        volterra.baseline("mean", y)
    with pytest.raises(ValueError, match="season.*2.*rows"):
        volterra.baseline("seasonal", y)
    with pytest.raises(ValueError, match="ahead must be .*got 0"):
        volterra.baseline("naive", y, ahead=0)
    with pytest.raises(ValueError, match="row.*forecast"):
        volterra.baseline("naive", y, ahead=10)
    with pytest.raises(ValueError, match="is row 10"):
        volterra.baseline("naive", y, end=12)
    with pytest.raises(ValueError, match="is row 3"):
        volterra.baseline("naive", y, ahead=3, begin=1)
    with pytest.raises(ValueError, match="one column .got 2"):
        volterra.season(np.zeros((20, 2)))
    with pytest.raises(ValueError, match="NaN at row 3"):
        volterra.season([1.0, 2.0, 3.0, np.nan])


def test_skill():
    truth, past = np.array([11.0, 16, 22]), np.array([1.0, 2, 4, 7])
    forecast = np.array([10.0, 17, 20])
    assert metrics.skill(truth, forecast, past=past) == pytest.approx(1 - 6 / 77, abs=1e-15)
    assert metrics.mase(truth, forecast, past=past) == pytest.approx(4 / 15, abs=1e-15)
    assert metrics.skill(truth, forecast, past=past, ahead=2) == pytest.approx(1 - 6 / 251, abs=1e-15)
    assert metrics.skill(truth, forecast, past=past, ahead=2, season=3) == pytest.approx(1 - 6 / 450, abs=1e-15)
    assert metrics.mase(truth, forecast, past=past, ahead=2, season=3) == pytest.approx(4 / 36, abs=1e-15)
    # Without `past` the first row is not compared.
    assert metrics.skill(truth, forecast) == pytest.approx(1 - 5 / 61, abs=1e-15)
    given = volterra.baseline("naive", np.concatenate([past, truth]), begin=4)
    assert metrics.skill(truth, forecast, given) == metrics.skill(truth, forecast, past=past)
    assert metrics.rmse(truth, forecast) == pytest.approx(np.sqrt(2), abs=1e-15)
    assert metrics.scores(truth, forecast)["rmse"] == metrics.rmse(truth, forecast)
    with pytest.raises(ValueError, match="3 rows earlier"):
        metrics.skill(truth, forecast, ahead=3)
    with pytest.raises(ValueError, match="baseline.*exact"):
        metrics.skill([1.0, 1, 1], [1.0, 2, 3])
    with pytest.raises(ValueError, match="equal"):
        metrics.skill(truth, forecast[:2])
    with pytest.raises(ValueError, match="2.*columns"):
        metrics.mase(truth, forecast, past=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="season must be .*got 1"):
        metrics.mase(truth, forecast, past=past, season=1)
