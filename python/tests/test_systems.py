"""Systems of datasets.simulate: the same numbers as the named functions, and invalid arguments."""

import numpy as np
import pytest
from volterra._core import _native
from volterra.datasets import lorenz, narma10, simulate, systems

DRIVEN = ("duffing", "van-der-pol", "wiener-hammerstein", "bouc-wen")


def test_equals_the_named_functions():
    np.testing.assert_array_equal(simulate("lorenz:rho=30", 50), lorenz(50, rho=30))
    np.testing.assert_array_equal(simulate("narma10", 50, seed=3)[:, 1], narma10(50, seed=3)[1])


def test_henon_satisfies_its_map():
    x, y = simulate("henon", 200, start=(0.1, 0.1), discard=0).T
    np.testing.assert_allclose(x[1:], 1 - 1.4 * x[:-1] ** 2 + y[:-1], rtol=0, atol=1e-14)
    np.testing.assert_array_equal(y[1:], 0.3 * x[:-1])


def uniform(seed, count):
    return np.random.Generator(np.random.Philox(key=np.array([seed, 0], dtype=np.uint64))).random(count)


def test_wiener_and_relay_from_their_definitions():
    u, y = simulate("wiener:pole=0.25,offset=0.5", 60, seed=5, discard=40).T
    inputs, v, expected = 2 * uniform(5, 100) - 1, 0.0, []
    for one in inputs:
        v = 0.25 * v + 0.75 * one
        expected.append(np.sqrt(v * v + 0.25))
    np.testing.assert_array_equal(u, inputs[40:])
    np.testing.assert_allclose(y, expected[40:], rtol=1e-15)
    u, y = simulate("relay:rate=0.1", 300, seed=5, discard=0).T
    chance, value = uniform(5, 600).reshape(300, 2).T
    np.testing.assert_array_equal(u, np.where(chance < 0.1, np.where(value < 0.5, -1, 1), value - 0.5))
    last = np.maximum.accumulate(np.where(chance < 0.1, np.arange(300), -1))
    np.testing.assert_array_equal(y, np.where(last < 0, 1, u[last]))


def test_seeds_select_inputs_and_starts():
    for system in ("duffing", "lorenz96:dimension=5", "bouc-wen:period=100"):
        assert np.any(simulate(system, 20, seed=1, discard=0) != simulate(system, 20, seed=2, discard=0))


def test_every_system_is_reachable():
    table = systems()
    assert list(table) == [name.replace("_", "-") for name in _native.SYSTEMS]
    for name, info in table.items():
        assert info["equation"] and all(one["meaning"] for one in info["parameters"].values())
        rows = simulate(f"{name}:period=50" if name in DRIVEN else name, 3, discard=1)
        assert rows.shape[0] == 3 and np.all(np.isfinite(rows))
        with pytest.raises(ValueError, match="nothing"):
            simulate(f"{name}:nothing=1", 3)
        for parameter in info["parameters"]:
            with pytest.raises(ValueError, match=rf"{parameter}\b.*nan"):
                simulate(f"{name}:{parameter}=nan", 3)
    assert table["bouc-wen"]["columns"] == ["u", "y"] and table["lorenz96"]["columns"] == ["x"]
    assert table["narma10"]["parameters"] == {} and table["lorenz96"]["parameters"]["forcing"]["default"] == 8


@pytest.mark.parametrize("system, word", [("lorenz96:dimension=2", "dimension"), ("henon:c=1", "c"), ("none", "none")])
def test_invalid_systems(system, word):
    with pytest.raises(ValueError, match=word):
        simulate(system, 5)
    with pytest.raises(ValueError, match="start"):
        simulate("henon", 5, start=(1.0,))
