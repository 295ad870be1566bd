"""learning_curve: the same numbers as the program and as separate fits, records, plots, and invalid arguments."""

import json

import numpy as np
import pytest
import volterra
from volterra.datasets import simulate

pytestmark = pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")
KERNELS = ["volterra", "rbf:gamma=2,window=2"]


def sample(seed=0, length=90):
    u, y = simulate("wiener", length, seed=seed).T
    return u, y


def test_equals_the_program(program, tmp_path):
    u, y = sample(4)
    curve = volterra.learning_curve(u, y, KERNELS, sizes=[14, 28, 55], test=15, repeat=2, washout=3)
    np.save(tmp_path / "u.npy", u)
    np.save(tmp_path / "y.npy", y)
    found = json.loads(
        program(
            *("curve", "--x", tmp_path / "u.npy", "--y", tmp_path / "y.npy", "--sizes", "14,28,55", "--test", 15),
            *("--repeat", 2, "--washout", 3, "--json", "--kernel", *KERNELS),
        )
    )
    assert found["sizes"] == curve.sizes.tolist() and found["first"] == curve.first.tolist()
    assert found["test_rows"] == curve.test_rows and found["washout"] == curve.washout and found["gap"] == curve.gap
    for k, one in enumerate(found["kernels"]):
        assert one["kernel"] == curve.kernels[k]
        np.testing.assert_array_equal(one["nmse"], curve.nmse[k])
        np.testing.assert_array_equal(one["rmse"], curve.rmse[k])
        np.testing.assert_array_equal(one["mean_nmse"], curve.mean_nmse[k])
        np.testing.assert_array_equal(one["nmse_error"], curve.nmse_error[k])
        alphas = np.array(one["alphas"], dtype=float)  # null: infinite
        np.testing.assert_array_equal(np.where(np.isnan(alphas), np.inf, alphas), curve.alphas[k, :, :, 0])
        assert one["rate"] == curve.rate[k] and one["rate_error"] == curve.rate_error[k]


def test_equals_separate_fits():
    u, y = sample(5)
    u[0] = 1.0  # the range of the inputs in every training set
    curve = volterra.learning_curve(u, y, KERNELS, sizes=[25, 50, 70], test=20, alpha=0.01, scale=False)
    for k, kernel in enumerate(KERNELS):
        for s, rows in enumerate(curve.sizes):
            model = volterra.SequenceKernelRidge(kernel, alpha=0.01, scale=False).fit(u[:rows, None], y[:rows])
            predicted = model.predict(u[rows:, None])[-20:]
            # condition numbers below 1e5: 1e5 n eps
            assert curve.nmse[k, 0, s] == pytest.approx(volterra.metrics.nmse(y[-20:], predicted), rel=1e-9)


def test_records_are_repeats():
    parts = [sample(seed) for seed in (1, 2)]
    curve = volterra.learning_curve([u for u, _ in parts], [y for _, y in parts], sizes=[20, 60], test=20)
    for r, (u, y) in enumerate(parts):
        one = volterra.learning_curve(u, y, sizes=[20, 60], test=20)
        np.testing.assert_allclose(curve.nmse[:, r], one.nmse[:, 0], rtol=1e-12)
    joined = volterra.learning_curve(
        np.concatenate([u for u, _ in parts]),
        np.concatenate([y for _, y in parts]),
        sizes=[20, 60],
        test=20,
        groups=np.repeat([0, 1], 90),
    )
    np.testing.assert_array_equal(joined.nmse, curve.nmse)
    np.testing.assert_allclose(curve.mean_nmse, curve.nmse.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(curve.nmse_error, curve.nmse.std(axis=1, ddof=1) / np.sqrt(2), rtol=1e-9)
    slopes = np.log(curve.nmse[0, :, 1] / curve.nmse[0, :, 0]) / np.log(3)
    assert curve.rate[0] == pytest.approx(slopes.mean(), rel=1e-9)
    three = volterra.learning_curve([u for u, _ in parts], [y for _, y in parts], sizes=[10, 20, 60], test=20)
    assert three.rate[0] == pytest.approx(slopes.mean(), abs=1e-6)  # alpha down to 1e-8 of the diagonal


def test_a_series_without_targets():
    x = simulate("henon", 120, discard=10)
    curve = volterra.learning_curve(x, kernels="volterra", points=2, target="level", input="level", initial="first")
    assert curve.alphas.shape == (1, 1, 2, 2) and curve.gap == 0 and curve.sizes[-1] == 119 - 23
    assert curve.nmse[0, 0, 1] < curve.nmse[0, 0, 0]
    far = volterra.learning_curve(x, points=2, ahead=3, washout=4, scale_each=True, season=None)
    assert far.gap == 2 and far.washout == 4
    assert repr(curve).startswith("<LearningCurve: 2 sizes up to 96 rows")


def test_plot():
    pytest.importorskip("matplotlib").use("Agg")
    u, y = sample(6)
    curve = volterra.learning_curve(u, y, KERNELS, points=3, repeat=2)
    axes = curve.plot()
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == curve.kernels
    assert volterra.learning_curve(u, y, points=3).plot(axes=axes) is axes


@pytest.mark.parametrize(
    "arguments, error, word",
    [
        ({"kernels": "voltera"}, ValueError, "volterra"),
        ({"kernels": []}, ValueError, "kernels"),
        ({"sizes": []}, ValueError, "sizes"),
        ({"sizes": [20, 20]}, ValueError, "sizes.*20"),
        ({"sizes": [1]}, ValueError, "sizes.*1"),
        ({"sizes": [20.5]}, TypeError, "sizes"),
        ({"sizes": [80], "test": 20}, ValueError, "80"),
        ({"points": 0}, ValueError, "points.*0"),
        ({"points": 1001}, ValueError, "points.*1001"),
        ({"test": 0}, ValueError, "test.*0"),
        ({"repeat": 0}, ValueError, "repeat.*0"),
        ({"repeat": 95}, ValueError, "95"),
        ({"alpha": -1}, ValueError, "alpha.*-1"),
        ({"washout": -1}, ValueError, "washout.*-1"),
        ({"ahead": -1}, ValueError, "ahead.*-1"),
        ({"target": "slope"}, ValueError, "target.*slope"),
        ({"input": "slope"}, ValueError, "input.*slope"),
        ({"season": 1}, ValueError, "season.*1"),
        ({"initial": [1.0, 2.0]}, ValueError, "initial.*1.*2"),
        ({"groups": [0, 1]}, ValueError, "groups"),
    ],
)
def test_invalid_arguments(arguments, error, word):
    u, y = sample(7)
    with pytest.raises(error, match=word):
        volterra.learning_curve(u, y, **arguments)
