"""The forms of nonlinear-benchmarks and identibench, with arrays and with the packages themselves."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import volterra
from volterra import benchmarks

KERNEL = "fir:mu=0.6 + memory"


def make_record(rows, seed, columns=False):
    rng = np.random.default_rng(seed)
    print("seed", seed)
    u, y, state = rng.uniform(-1, 1, rows), np.empty(rows), 0.0
    for t in range(rows):
        state = 0.5 * state + u[t]
        y[t] = state + 0.2 * state**2
    return (u.reshape(-1, 1), y.reshape(-1, 1)) if columns else (u, y)


def iodata(u, y, window=None):
    """A record as nonlinear-benchmarks makes it."""
    return SimpleNamespace(u=u, y=y, sampling_time=1.0, name="", state_initialization_window_length=window)


def estimator(**more):
    return volterra.SequenceKernelRidge(KERNEL, alpha=1e-4, washout=20, **more)


def test_one_record_equals_the_estimator():
    u, y = make_record(200, 1)
    v, z = make_record(80, 2)
    test = iodata(v, z, 10)
    model = benchmarks.fit(estimator(), iodata(u, y))
    plain = estimator().fit(u.reshape(-1, 1), y).predict(v.reshape(-1, 1), start="reset")
    found = benchmarks.simulate(model, test)
    np.testing.assert_array_equal(found, plain)
    error = benchmarks.rmse(test, found)
    assert error == np.sqrt(np.mean((plain[10:] - z[10:]) ** 2))
    assert 0 < error < 0.2 * z.std()
    np.testing.assert_array_equal(benchmarks.simulate(model, (v, z)), plain)


def test_test_outputs_are_not_used():
    u, y = make_record(150, 3)
    v, z = make_record(60, 4)
    model = benchmarks.fit(estimator(), (u, y))
    np.testing.assert_array_equal(
        benchmarks.simulate(model, iodata(v, z, 5)), benchmarks.simulate(model, iodata(v, np.full(60, 9.0), 5))
    )


@pytest.mark.parametrize("form", [list, tuple])
def test_several_records(form):
    parts = [make_record(n, 5 + n) for n in (90, 60, 70)]
    model = benchmarks.fit(
        volterra.SequenceKernelRidge(KERNEL, alpha=1e-4), form(iodata(u, y) for u, y in parts)
    )
    plain = volterra.SequenceKernelRidge(KERNEL, alpha=1e-4)
    plain.fit([u.reshape(-1, 1) for u, _ in parts], [y for _, y in parts])
    tests = form(iodata(*make_record(40, seed), 8) for seed in (11, 12))
    found = benchmarks.simulate(model, tests)
    assert len(found) == 2
    for test, values in zip(tests, found):
        np.testing.assert_array_equal(values, plain.predict(test.u.reshape(-1, 1), start="reset"))
    errors = benchmarks.rmse(tests, found)
    assert errors == [benchmarks.rmse(test, values) for test, values in zip(tests, found)]


def test_columns_keep_their_shape():
    u, y = make_record(150, 6, columns=True)
    model = benchmarks.fit(estimator(), (u, y))
    found = benchmarks.simulate(model, (u, y))
    assert found.shape == y.shape
    assert benchmarks.rmse((u, y), found).shape == (1,)


def test_rows_limit_the_fit():
    u, y = make_record(200, 7)
    model = benchmarks.fit(estimator(), (u, y), rows=120)
    assert len(model.fitted_) == 120
    plain = estimator().fit(u[:120].reshape(-1, 1), y[:120])
    np.testing.assert_array_equal(
        benchmarks.simulate(model, (u, y)), plain.predict(u.reshape(-1, 1), start="reset")
    )


def test_feedback_uses_only_first_outputs():
    u, y = make_record(200, 16)
    v, z = make_record(70, 17)
    model = benchmarks.fit(
        volterra.SequenceKernelRidge("fading + fir:mu=0.3", alpha=1e-5, feedback=2.0), (u, y)
    )
    test = iodata(v, z, 10)
    found = benchmarks.simulate(model, test)
    plain = model.predict(v.reshape(-1, 1), start="reset", y_known=z, warm_up=10)
    np.testing.assert_array_equal(found, plain)
    other = np.concatenate([z[:10], np.full(60, 9.0)])
    np.testing.assert_array_equal(benchmarks.simulate(model, iodata(v, other, 10)), found)
    free = benchmarks.simulate(model, (v, z))
    np.testing.assert_array_equal(free, model.predict(v.reshape(-1, 1), start="reset"))
    assert np.abs(free - found)[:15].max() > 0
    as_called = benchmarks.Simulator(model)(v.reshape(-1, 1), z[:10].reshape(-1, 1), {})
    np.testing.assert_array_equal(as_called[:, 0], found)


def context(parts, **hyperparameters):
    """Arguments of a builder in identibench."""
    sequences = [SimpleNamespace(u=u.astype(np.float32), y=y.astype(np.float32), attrs={}) for u, y in parts]
    return SimpleNamespace(hyperparameters=hyperparameters, get_train_sequences=lambda: iter(sequences))


def test_builder_fits_a_copy():
    parts = [make_record(150, 8, columns=True)]
    base = estimator()
    model = benchmarks.builder(base)(context(parts, alpha=1e-3))
    assert not hasattr(base, "n_features_in_") and base.alpha == 1e-4
    assert model.estimator.alpha == 1e-3
    v, z = make_record(50, 9, columns=True)
    found = model(v, z[:5], {"fs": 1.0})
    assert found.shape == (50, 1)
    np.testing.assert_array_equal(found[:, 0], model.estimator.predict(v, start="reset"))
    np.testing.assert_array_equal(found, model(v, z[:0], {}))


def test_wrong_records():
    u, y = make_record(50, 10)
    with pytest.raises(TypeError, match="record"):
        benchmarks.fit(estimator(), 7)
    with pytest.raises(ValueError, match="50.*rows.*40"):
        benchmarks.fit(estimator(), (u, y[:40]))
    with pytest.raises(ValueError, match="rows"):
        benchmarks.fit(estimator(), (u, y), rows=0)
    with pytest.raises(ValueError, match="score"):
        benchmarks.rmse(iodata(u, y, 50), y)
    with pytest.raises(ValueError, match="shape"):
        benchmarks.rmse((u, y), y[:20])


def test_packages_are_not_imported():
    assert "identibench" not in vars(benchmarks) and "nonlinear_benchmarks" not in vars(benchmarks)
    assert sys.modules["volterra.benchmarks"] is benchmarks


def test_with_nonlinear_benchmarks():
    package = pytest.importorskip("nonlinear_benchmarks")
    from nonlinear_benchmarks.error_metrics import RMSE

    u, y = make_record(260, 13)
    whole = package.Input_output_data(u, y, sampling_time=1.0)
    train, test = whole[:180], whole[180:]
    test.state_initialization_window_length = 10
    model = benchmarks.fit(estimator(), train)
    found = benchmarks.simulate(model, test)
    assert benchmarks.rmse(test, found) == pytest.approx(RMSE(test, found), rel=1e-12)
    flat = benchmarks.simulate(model, (u[180:], y[180:]))
    np.testing.assert_array_equal(benchmarks.simulate(model, test.atleast_2d())[:, 0], flat)


def test_with_identibench(tmp_path):
    package = pytest.importorskip("identibench")
    h5py = pytest.importorskip("h5py")

    def write(folder, part):
        folder.mkdir(parents=True)
        with h5py.File(folder / "a.hdf5", "w") as out:
            out["u0"], out["y0"] = part
            out.attrs["fs"] = 1.0

    write(tmp_path / "made_up/train", make_record(200, 14))
    write(tmp_path / "made_up/test", make_record(80, 15))

    def rmse(found, wanted):
        return float(np.sqrt(np.mean((found - wanted) ** 2)))

    data = package.Dataset("made_up", None)
    spec = package.BenchmarkSpec(
        name="made up",
        u_cols=["u0"],
        y_cols=["y0"],
        train=[(data, "train/*.hdf5")],
        valid=[],
        test_sets={"test": [(data, "test/*.hdf5")]},
        task=package.Simulation(metric=rmse, init_window=10),
    )
    with package.data_root(tmp_path):
        result = package.run_benchmark(spec, benchmarks.builder(estimator()), seed=1)
    assert 0 < result["metric_score"] < 0.2
