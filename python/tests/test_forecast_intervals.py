"""Intervals of forecasts after the end of training, and of rows that do not follow it."""

from __future__ import annotations

import numpy as np
import pytest
import volterra
from volterra import OrderWarning, SequenceKernelRidge, VolterraRidge

PHI, NOISE = 0.8, 0.5


def autoregression(rows, seed, columns=1):
    rng = np.random.default_rng(seed)
    x = np.zeros((rows, columns))
    for t in range(1, rows):
        x[t] = PHI * x[t - 1] + NOISE * rng.normal(size=columns)
    return x


def law(steps):
    """Standard deviation of the value `steps` ahead."""
    return NOISE * np.sqrt((1 - PHI ** (2 * steps)) / (1 - PHI**2))


def test_each_horizon_has_its_width():
    x = autoregression(1500, 3, 2)
    model = SequenceKernelRidge("linear", alpha=1.0, ahead=range(1, 6)).fit(x)
    forecast, interval = model.forecast(coverage=0.9)
    assert forecast.shape == (5, 2) and interval.shape == (5, 2, 2)
    assert np.array_equal(forecast, model.forecast())
    # predict_interval has the same half-widths, output by output: each column at all horizons.
    last = model.predict_interval(x)[-1]
    assert np.allclose(interval, last.reshape(2, 5, 2).transpose(1, 0, 2), rtol=1e-10)
    # Of 300 errors the quantile of |e| at 90 % has a standard error of sqrt(0.9 * 0.1 / 300) / 0.206 = 0.084 deviations, 5 % of
    # 1.645; errors 5 ahead overlap, so that fewer count: 15 %, and 25 % with the fit.
    expected = 2 * 1.645 * law(np.arange(1, 6))
    assert np.allclose(interval[:, :, 1] - interval[:, :, 0], expected[:, None], rtol=0.25)


def test_one_horizon():
    x = autoregression(600, 4)
    model = SequenceKernelRidge("linear", alpha=1.0, ahead=3).fit(x, x[:, 0])
    forecast, interval = model.forecast(coverage=0.8)
    assert forecast.shape == (3,) and interval.shape == (3, 2)
    assert np.allclose(interval, model.predict_interval(x, coverage=0.8)[-3:], rtol=1e-10)
    assert model.forecast(2, coverage=0.8).interval.shape == (2, 2)


def test_widths_grow_with_horizon():
    x = autoregression(1500, 5)
    model = SequenceKernelRidge("linear", alpha=1.0).fit(x)
    found = model.forecast(12, coverage=[0.5, 0.9])
    assert found.interval.shape == (12, 1, 2, 2)
    assert np.array_equal(found.forecast, model.continue_(12))
    width = found.interval[:, 0, 1] - found.interval[:, 0, 0]  # steps x coverages
    assert np.all(width[:, 1] > width[:, 0])
    # Of 200 paths an end at 5 % has a standard error of sqrt(0.05 * 0.95 / 200) / 0.103 = 0.15 deviations: 6 % of the width
    # of 3.3. The 300 errors that are drawn have one of 4 %. Three times the root of the sum of squares: 22 %.
    assert np.allclose(width[:, 1], 2 * 1.645 * law(np.arange(1, 13)), rtol=0.22)
    again = model.forecast(12, coverage=0.5)
    assert np.array_equal(model.forecast(12, coverage=0.5).interval, again.interval)


def test_forecast_of_a_file(tmp_path):
    x = autoregression(300, 6)
    for ahead in (1, 2, range(1, 4)):
        model = SequenceKernelRidge("linear", alpha=1.0, ahead=ahead).fit(x)
        model.save(tmp_path / "m.safetensors")
        loaded = volterra.load(tmp_path / "m.safetensors")
        for mine, other in zip(model.forecast(coverage=[0.5, 0.9]), loaded.forecast(coverage=[0.5, 0.9])):
            assert np.array_equal(mine, other)


def test_fitted_quantiles_are_interval_bounds():
    x = autoregression(300, 7)
    loss = dict(loss="quantile:q=0.1/0.5/0.9", alpha=1.0)
    model = SequenceKernelRidge("linear", ahead=2, **loss).fit(x, x[:, 0])
    forecast, interval = model.forecast(coverage=0.8)
    assert forecast.shape == (2, 3) and np.array_equal(interval[:, 0], forecast[:, [0, 2]])
    with pytest.raises(ValueError, match="0.05 and 0.95"):
        model.forecast(coverage=0.9)
    several = SequenceKernelRidge("linear", ahead=range(1, 4), **loss).fit(x, x[:, 0])
    outputs = several.predict(x)[-1].reshape(3, 3)  # horizons x levels
    assert np.allclose(several.forecast(), outputs, rtol=1e-10)
    assert np.allclose(several.forecast(coverage=0.8).interval[:, 0], outputs[:, [0, 2]], rtol=1e-10)


@pytest.mark.parametrize("coverage, message", [(0, "coverage must be .*got 0"), (1.5, "coverage must be .*got 1.5"), ([], "coverage")])
def test_invalid_coverages(coverage, message):
    model = SequenceKernelRidge("linear", alpha=1.0).fit(autoregression(100, 8))
    with pytest.raises(ValueError, match=message):
        model.forecast(coverage=coverage)


def test_pandas_columns():
    pd = pytest.importorskip("pandas")
    index = pd.date_range("2024-01-01", periods=300, freq="D")
    X = pd.DataFrame(autoregression(300, 9, 2), index=index, columns=["a", "b"])
    model = SequenceKernelRidge("linear", alpha=1.0, ahead=range(2, 5)).fit(X)
    found = model.forecast(coverage=[0.8, 0.95])
    ends = [f"{name}{end}" for name in "ab" for end in ("", ".lo80", ".hi80", ".lo95", ".hi95")]
    assert list(found.columns) == ends
    assert list(found.index) == list(pd.date_range(index[-1], periods=5)[2:])
    plain = SequenceKernelRidge("linear", alpha=1.0, ahead=range(2, 5)).fit(X.to_numpy()).forecast(coverage=[0.8, 0.95])
    assert np.array_equal(found[["a", "b"]].to_numpy(), plain.forecast)
    assert np.array_equal(found["b.hi95"].to_numpy(), plain.interval[:, 1, 1, 1])
    assert np.array_equal(found["a.lo80"].to_numpy(), plain.interval[:, 0, 0, 0])
    assert list(model.forecast(coverage=0.9).columns)[:3] == ["a", "a.lo90", "a.hi90"]
    run = SequenceKernelRidge("linear", alpha=1.0).fit(X["a"]).forecast(4, coverage=0.9)
    assert list(run.columns) == ["a", "a.lo90", "a.hi90"] and len(run) == 4


# ---- the rows that were given ------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_part_of_training_rows_by_index(ahead):
    pd = pytest.importorskip("pandas")
    index = pd.date_range("2024-01-01", periods=220, freq="D")
    X = pd.DataFrame(autoregression(220, 10, 2), index=index, columns=["a", "b"])
    y = X["a"].shift(1, fill_value=0.0) + 0.1 * X["b"]
    train, model = X[:200], SequenceKernelRidge("memory", alpha=0.1, ahead=ahead, keep_factor=True)
    model.fit(train, y[:200])
    whole, ends = model.predict(X), model.predict_interval(X)
    for first, last in ((199, 200), (150, 160), (190, 200), (190, 220), (0, 100)):
        part = X[first:last]
        assert np.allclose(model.predict(part), whole[first:last], rtol=1e-9)
        assert np.allclose(model.predict_interval(part), ends[first:last], rtol=1e-9)
    with pytest.raises(ValueError, match="index"):  # other values at these dates
        model.predict_interval(train[-1:] + 1)
    with pytest.warns(OrderWarning):
        model.predict(train[-1:] + 1)
    if ahead:
        std = model.predict(X, return_std=True)[1]
        assert np.allclose(model.predict(X[199:210], return_std=True)[1], std[199:210], rtol=1e-9)
    with pytest.raises(ValueError, match="training rows"):
        model.predict(X[100:110], return_std=True)


def test_end_of_training_rows_without_index(tmp_path):
    x = autoregression(200, 11, 2)
    model = VolterraRidge(alpha=0.1).fit(x)
    model.save(tmp_path / "m.safetensors")
    for one in (model, volterra.load(tmp_path / "m.safetensors")):
        for method in (one.predict_interval, one.predict_quantiles):
            with pytest.raises(ValueError, match="the end of the training rows"):
                method(x[-1:])
            method(x[-1:], start="continue")
            method(x[-1:] + 0.1)
        with pytest.warns(OrderWarning, match="the end of the training rows"):
            one.predict(x[-1:])
