"""The adapter for sktime, with the real package where it is installed."""

import numpy as np
import pytest

import volterra

pytest.importorskip("sktime")
pandas = pytest.importorskip("pandas")


def make_series(rows=160, seed=2):
    print("seed", seed)
    rng = np.random.default_rng(seed)
    t = np.arange(rows)
    values = 10 + np.sin(2 * np.pi * t / 12) + 0.1 * rng.normal(size=rows)
    return pandas.Series(values, index=pandas.period_range("2000-01", periods=rows, freq="M"), name="level")


def test_forecasts_equal_estimator():
    from volterra.sktime import VolterraForecaster

    y = make_series()
    forecaster = VolterraForecaster("rbf:window=12", alpha=0.1).fit(y, fh=[1, 3, 6])
    path = forecaster.predict()
    plain = volterra.SequenceKernelRidge("rbf:window=12", 0.1, ahead=range(1, 7)).fit(y.to_numpy()[:, None])
    assert np.allclose(path.to_numpy(), np.ravel(plain.forecast())[[0, 2, 5]])
    assert list(path.index) == [y.index[-1] + 1, y.index[-1] + 3, y.index[-1] + 6] and path.name == "level"
    ends = forecaster.predict_interval(coverage=[0.5, 0.9])
    assert ends.shape == (3, 4)
    assert np.allclose((ends.iloc[:, 2] + ends.iloc[:, 3]) / 2, path)
    assert (ends.iloc[:, 3] > ends.iloc[:, 1]).all()
    quantiles = forecaster.predict_quantiles(alpha=[0.05, 0.95])
    assert np.allclose(quantiles.to_numpy(), ends.iloc[:, 2:].to_numpy())


def test_update():
    from volterra.sktime import VolterraForecaster

    y = make_series()
    forecaster = VolterraForecaster("rbf:window=12", alpha=0.1).fit(y[:150], fh=[1, 2])
    forecaster.update(y[150:], update_params=False)
    plain = volterra.SequenceKernelRidge("rbf:window=12", 0.1, ahead=range(1, 3)).fit(y[:150].to_numpy()[:, None])
    follows = np.asarray(plain.predict(y[150:].to_numpy()[:, None], start="continue"))[-1]
    assert np.allclose(forecaster.predict().to_numpy(), follows)
    assert forecaster.cutoff[0] == y.index[-1]
    forecaster.update(y[150:], update_params=True)
    again = VolterraForecaster("rbf:window=12", alpha=0.1).fit(y, fh=[1, 2])
    assert np.allclose(forecaster.predict().to_numpy(), again.predict().to_numpy())


def test_several_series():
    from volterra.sktime import VolterraForecaster

    y = make_series()
    frame = pandas.DataFrame({"a": y, "b": 100 - 3 * y.shift(1, fill_value=y.iloc[0])})
    forecaster = VolterraForecaster("linear:window=3", alpha=0.01).fit(frame, fh=[1, 2, 3])
    assert list(forecaster.predict().columns) == ["a", "b"] and forecaster.predict().shape == (3, 2)
    ends = forecaster.predict_interval(coverage=0.9)
    assert list(ends.columns.get_level_values(0)) == ["a", "a", "b", "b"]
    inside = (ends[("b", 0.9, "lower")] < forecaster.predict()["b"]) & (
        forecaster.predict()["b"] < ends[("b", 0.9, "upper")]
    )
    assert inside.all()


def test_unrequested_horizons():
    from volterra.sktime import VolterraForecaster

    forecaster = VolterraForecaster("linear:window=3", alpha=0.01).fit(make_series(), fh=[1, 2])
    with pytest.raises(ValueError):
        forecaster.predict(fh=[5])


def driven(rows=200, seed=4):
    """A series that follows its input at once, and the input."""
    print("seed", seed)
    rng = np.random.default_rng(seed)
    index = pandas.period_range("2000-01", periods=rows, freq="M")
    x = pandas.DataFrame({"price": rng.normal(size=rows), "rain": rng.normal(size=rows)}, index=index)
    return pandas.Series(2 * x["price"] - x["rain"] + 0.05 * rng.normal(size=rows), index=index, name="sales"), x


@pytest.mark.parametrize("fh", [[1], [1, 2, 3], [2, 5]])
def test_exogenous_inputs(fh):
    from volterra.sktime import VolterraForecaster

    y, x = driven()
    forecaster = VolterraForecaster("linear", alpha=1e-3).fit(y[:180], X=x[:180], fh=fh)
    path = forecaster.predict(X=x[180:])
    truth = y.loc[path.index]
    assert np.abs(path - truth).max() < 0.3  # without X the standard deviation of y, 2.2
    # The estimator on the same rows: the values, and the inputs of every horizon.
    leads = np.hstack([y.to_numpy()[:, None]] + [np.vstack([x.to_numpy()[h:], np.zeros((h, 2))]) for h in fh])
    ahead = range(1, max(fh) + 1) if max(fh) > 1 else 1
    plain = volterra.SequenceKernelRidge("linear", 1e-3, ahead=ahead).fit(leads[:180], y[:180].to_numpy()[:, None])
    first = 180 - max(fh)
    expected = plain._model.predict(np.ascontiguousarray(leads[first:180]), "continue", "clip")[0][-1]
    assert np.allclose(path, expected[np.array(fh) - 1])
    ends = forecaster.predict_interval(X=x[180:], coverage=0.9)
    assert np.allclose((ends.iloc[:, 0] + ends.iloc[:, 1]) / 2, path)
    # Rows at the horizons are enough; times between use the last known inputs, which a linear kernel of one row ignores.
    assert np.allclose(forecaster.predict(X=x.loc[path.index]), path)
    with pytest.raises(ValueError, match="needs X"):
        forecaster.predict()
    with pytest.raises(ValueError, match="needs X at"):
        forecaster.predict(X=x[190:])


def test_update_with_exogenous_inputs():
    from volterra.sktime import VolterraForecaster

    y, x = driven()
    forecaster = VolterraForecaster("linear:window=2", alpha=1e-3).fit(y[:150], X=x[:150], fh=[1, 2])
    forecaster.update(y[150:180], X=x[150:180], update_params=False)
    path = forecaster.predict(X=x[180:])
    assert list(path.index) == list(y.index[180:182]) and np.abs(path - y[180:182]).max() < 0.3
    with pytest.raises(ValueError, match="update needs X"):
        forecaster.update(y[180:185])
    forecaster.update(y[150:180], X=x[150:180], update_params=True)
    again = VolterraForecaster("linear:window=2", alpha=1e-3).fit(y[:180], X=x[:180], fh=[1, 2])
    assert np.allclose(forecaster.predict(X=x[180:]), again.predict(X=x[180:]))


def test_checks_of_sktime():
    from sktime.utils.estimator_checks import check_estimator

    from volterra.sktime import VolterraForecaster

    found = check_estimator(VolterraForecaster, raise_exceptions=False, verbose=False)
    failed = {name: result for name, result in found.items() if result != "PASSED"}
    assert len(found) > 50 and not failed
