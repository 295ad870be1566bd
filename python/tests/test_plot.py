"""Contents of the plots."""

from __future__ import annotations

import numpy as np
import pytest
import volterra

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


def test_forecast(tmp_path):
    x = volterra.datasets.lorenz(120)
    axes = volterra.plot.forecast(x[100:], x[100:] + 1, history=x[:100], names="uvw")
    assert [a.get_ylabel() for a in axes] == ["u", "v", "w"]
    history, edge, truth, forecast = axes[0].get_lines()
    assert np.array_equal(forecast.get_ydata(), x[100:, 0] + 1) and np.array_equal(
        truth.get_ydata(), x[100:, 0]
    )
    assert history.get_xdata()[-1] == -1 and truth.get_xdata()[0] == 0
    axes[0].figure.savefig(tmp_path / "f.png")
    _, ax = pyplot.subplots()
    assert volterra.plot.forecast(x[:, 0], x[:, 0], axes=ax)[0] is ax
    with pytest.raises(ValueError, match="agree"):
        volterra.plot.forecast(x, x[1:])
    with pytest.raises(ValueError, match="1.*axes.*3"):
        volterra.plot.forecast(x, x, axes=ax)


def test_forecast_with_dates():
    pandas = pytest.importorskip("pandas")
    index = pandas.date_range("2024-01-01", periods=30)
    series = pandas.Series(np.arange(30.0), index=index)
    axes = volterra.plot.forecast(series[20:], series[20:], history=series[:20])
    assert axes[0].get_lines()[2].get_xdata()[0] == np.datetime64("2024-01-21")
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["measured", "predicted"]
    months = pandas.Series(np.arange(30.0), index=pandas.period_range("2020-01", periods=30, freq="M"))
    axes = volterra.plot.forecast(months[20:], months[20:], history=months[:20])
    axes[0].figure.canvas.draw()
    assert "2022" in [label.get_text() for label in axes[0].get_xticklabels()]


def test_search(system, tmp_path):
    X, y = system
    search = volterra.VolterraRidgeCV(draws=12, random_state=0, ranges={"lift": ["geometric", "even"]}).fit(
        X, y
    )
    axes = volterra.plot.search(search)
    assert [a.get_xlabel() for a in axes] == ["alpha", "lambda_coef", "lift", "tau_coef"]
    assert axes[0].get_xscale() == "log"
    assert sum(len(c.get_offsets()) for c in axes[0].collections[:2]) == 12
    axes[0].figure.savefig(tmp_path / "s.png")
    with pytest.raises(ValueError, match="parameter"):
        volterra.plot.search(volterra.VolterraRidgeCV(candidates=[{"tau": 0.3}]).fit(X, y))
