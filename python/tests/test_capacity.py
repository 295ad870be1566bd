"""Memory and information processing capacity."""

import json
from pathlib import Path

import numpy as np
import pytest
import volterra

GOLDEN = json.loads((Path(__file__).parents[2] / "tests/reference/capacity.json").read_text())


def test_kernel_from_its_definition():
    given = GOLDEN["volterra"]
    found = volterra.capacity(
        given["kernel"],
        rows=given["rows"],
        washout=given["washout"],
        degree=given["degree"],
        delay=given["delay"],
        alpha=given["alpha"],
        threshold=0,
        seed=GOLDEN["seed"],
    )
    expected = given["ridge"]
    np.testing.assert_allclose(found.capacities, expected["capacities"], atol=1e-10)
    assert [[number for pair in target for number in pair] for target in found.targets] == expected["factors"]
    assert np.isclose(found.effective_dimension, expected["effective_dimension"], rtol=1e-10)
    assert found.alpha == given["alpha"] and found.states == 0 and found.threshold == 0


def test_sums_and_curve():
    found = volterra.capacity("esn:size=15", rows=600, degree=3, delay=6)
    assert found.states == found.effective_dimension == 15 and found.alpha == 0
    assert found.targets[0] == () and found.targets[1] == ((0, 1),) and ((0, 2), (3, 1)) in found.targets
    degrees = np.array([sum(k for _, k in target) for target in found.targets])
    for degree in range(4):
        values = found.capacities[degrees == degree]
        assert np.isclose(values.sum(), found.by_degree[degree])
        assert found.n_targets[degree] == len(values) and found.n_significant[degree] == (values > 0).sum()
    assert np.array_equal(found.memory_curve, found.capacities[degrees == 1])
    assert np.isclose(found.by_delay.sum() + found.by_degree[0], found.total)
    assert found.linear_memory == found.by_degree[1] and "linear_memory=" in repr(found)
    assert (found.capacities[found.capacities > 0] >= found.threshold).all()


def test_threads_and_seeds():
    given = {"rows": 200, "degree": 2, "delay": 4}
    one = volterra.capacity(n_jobs=1, **given)
    two = volterra.capacity(n_jobs=2, **given)
    np.testing.assert_allclose(one.capacities, two.capacities, atol=1e-9)
    assert not np.array_equal(one.capacities, volterra.capacity(seed=1, **given).capacities)


@pytest.mark.parametrize(
    "name, value",
    [
        ("rows", 9),
        ("degree", 0),
        ("degree", 21),
        ("delay", -1),
        ("washout", 3),
        ("alpha", -1.0),
        ("alpha", 0.0),
        ("dimension", 0.0),
        ("dimension", 300),
        ("significance", 0.0),
        ("threshold", -0.5),
        ("threshold", 2.0),
        ("seed", -1),
    ],
)
def test_invalid(name, value):
    given = {"rows": 300, "degree": 2, "delay": 5, name: value}
    with pytest.raises(ValueError, match=name):
        volterra.capacity(**given)


def test_invalid_kernels_and_pairs():
    with pytest.raises(TypeError, match="rows"):
        volterra.capacity(rows=99.5)
    with pytest.raises(ValueError, match="alpha and dimension"):
        volterra.capacity(rows=100, alpha=1, dimension=5)
    with pytest.raises(volterra.SingularError):
        volterra.capacity("sigmoid:window=4", rows=100, alpha=1e-9)


def test_warning_and_progress():
    with pytest.warns(volterra.VolterraWarning, match="threshold"):
        volterra.capacity(rows=50, delay=2, alpha=1e-3)

    def cancel(stage, fraction):
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        volterra.capacity(rows=300, progress=cancel)


def test_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = volterra.capacity("esn:size=10", rows=300, degree=2, delay=4)
    curve, bars = volterra.plot.capacity(found)
    assert np.array_equal(curve.get_lines()[0].get_ydata(), found.memory_curve)
    heights = np.array([bar.get_height() for bar in bars.patches]).reshape(2, 5)
    np.testing.assert_allclose(heights, found.by_delay, atol=1e-14)  # tops less bottoms
    _, axes = pyplot.subplots()
    with pytest.raises(ValueError, match="1.*axes.*2"):
        volterra.plot.capacity(found, axes=axes)
    pyplot.close("all")
