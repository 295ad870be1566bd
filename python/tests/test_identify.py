"""identify: the same bits as the program, and the bad input that it rejects."""

from __future__ import annotations

import json
import pickle
import warnings

import numpy as np
import pytest
import volterra


def system(rows=300, seed=1):
    """A filter, a function and a filter."""
    rng = np.random.default_rng(seed)
    u, y = rng.normal(size=rows), np.empty(rows)
    before = after = 0.0
    for t in range(rows):
        before = 0.6 * before + u[t]
        after = 0.5 * after + np.tanh(1.5 * before)
        y[t] = after
    return u, y


def table(path, u, y):
    np.savetxt(path, np.column_stack([u, y]), delimiter=",", fmt="%.17g", header="u,y", comments="")
    return path


def test_records_are_bitwise_equal_to_program(program, tmp_path):
    u, y = system()
    inputs = np.column_stack([u, np.random.default_rng(3).normal(size=300)])
    outputs = np.column_stack([y, y**2])
    run = np.repeat([7, 5, 6, 2, 9], 60)
    path = tmp_path / "runs.csv"
    rows = np.column_stack([run, inputs, outputs])
    np.savetxt(path, rows, delimiter=",", fmt="%.17g", header="run,u,v,y,z", comments="")
    model = tmp_path / "program.safetensors"
    words = ["--x", "u,v", "--y", "y,z", "--series", "run", "--draws", "4", "--json", "-o", model]
    report = json.loads(program("identify", path, *words))
    pieces = [np.split(inputs, 5), np.split(outputs, 5)]
    found = [volterra.identify(inputs, outputs, draws=4, groups=run), volterra.identify(*pieces, draws=4)]
    expected = volterra.load(model).predict(inputs, start="reset")
    for one in found:
        assert one.chosen_ == report["chosen"] and one.test_rmse_ == report["test_rmse"]
        assert one.rows_["train_records"] == report["train_records"] == 4
        assert one.predict(inputs, start="reset").tolist() == expected.tolist()
    held = volterra.identify(inputs[:240], outputs[:240], draws=4, groups=run[:240], test=(inputs[240:], outputs[240:]))
    assert held.test_rmse_ == report["test_rmse"]


def test_identifier(tmp_path):
    sklearn = pytest.importorskip("sklearn.base")
    u, y = system()
    model = volterra.Identifier(draws=4, random_state=3)
    with pytest.raises(volterra.NotFittedError):
        model.predict(u)
    copy = sklearn.clone(model)
    assert copy.get_params() == dict(
        budget="5min", draws=4, random_state=3, n_jobs=None, verbose=False, scale_each=True
    )
    assert copy.fit(u[:, None], y) is copy
    same = volterra.identify(u, y, draws=4, seed=3)
    assert copy.report_.test_rmse_ == same.test_rmse_ and copy.kernel_ == same.model.kernel_
    assert copy.predict(u[240:]).tolist() == same.predict(u[240:]).tolist()
    r2 = 1 - np.mean((copy.predict(u[240:]) - y[240:]) ** 2) / np.var(y[240:])
    assert copy.score(u[240:, None], y[240:]) == pytest.approx(r2, rel=1e-12)
    volterra.save(copy.model_, tmp_path / "m.safetensors")
    assert volterra.load(tmp_path / "m.safetensors").predict(u[:, None]).tolist() == copy.predict(u).tolist()
    again = pickle.loads(pickle.dumps(copy))
    assert again.predict(u[240:]).tolist() == same.predict(u[240:]).tolist()
    frame = pytest.importorskip("pandas").DataFrame({"pump": u, "valve": u[::-1]})
    named = volterra.Identifier(draws=1).fit(frame, y)
    assert list(named.feature_names_in_) == ["pump", "valve"] and named.n_features_in_ == 2


def test_bitwise_equal_to_program(program, tmp_path):
    u, y = system()
    v, z = system(90, seed=2)
    data, other = table(tmp_path / "data.csv", u, y), table(tmp_path / "other.csv", v, z)
    for test, options in ((None, []), ((v, z), ["--test", other])):
        path = tmp_path / "program.safetensors"
        printed = program(
            "identify", data, "--x", "u", "--y", "y", "--draws", "8", "--seed", "3", "--json", "-o", path, *options
        )
        report = json.loads(printed)
        found = volterra.identify(u, y, draws=8, seed=3, test=test)
        assert found.chosen_ == report["chosen"] and found.best_linear_ == report["best_linear"]
        assert found.output_tests_ == [{**report["output_tests"][0], "output": None}]
        assert found.test_rmse_ == report["test_rmse"] and found.linear_test_rmse_ == report["linear_test_rmse"]
        for one, expected in zip(found.candidates_, report["candidates"]):
            for name in ("name", "kernel", "alpha", "feedback_weight", "nmse", "block_nmse", "trials", "linear"):
                assert one[name] == expected[name]
        for name, value in {**found.rows_, **found.check_}.items():
            assert value == report[name]
        expected = volterra.load(path).predict(v.reshape(-1, 1))
        assert found.predict(v).tolist() == np.ravel(expected).tolist()


def test_nonlinear_model_is_saved(tmp_path):
    u, y = system()
    found = volterra.identify(u.reshape(-1, 1), y, draws=12)
    assert found.test_rmse_ < found.linear_test_rmse_ and not found.warnings_
    simulated = found.predict(u[240:])
    assert np.sqrt(np.mean((simulated - y[240:]) ** 2)) == pytest.approx(found.test_rmse_, rel=1e-12)
    volterra.save(found.model, tmp_path / "model.safetensors")
    assert volterra.load(tmp_path / "model.safetensors").predict(u[240:, None]).tolist() == simulated.tolist()
    assert found.chosen_ in repr(found)


def test_errors_of_each_output(program, tmp_path):
    pd = pytest.importorskip("pandas")
    u, y = system()
    frame = pd.DataFrame({"y": y, "z": np.roll(u, 1) ** 2})
    found = volterra.identify(u, frame, draws=2)
    tests = found.output_tests_
    assert [one["output"] for one in tests] == ["y", "z"]
    errors = found.predict(u[240:]) - frame.to_numpy()[240:]
    assert [one["rmse"] for one in tests] == pytest.approx(np.sqrt(np.mean(errors**2, axis=0)), rel=1e-12)
    assert [one["std"] for one in tests] == pytest.approx(frame[240:].std(ddof=0).tolist(), rel=1e-12)
    linear = np.sqrt(np.mean([one["linear_rmse"] ** 2 for one in tests]))
    assert linear == pytest.approx(found.linear_test_rmse_, rel=1e-12)


def test_swapped_columns_warn():
    u, _ = system()
    y = np.convolve(u, [0.0, 1.0, 0.5, 0.2])[: len(u)]
    with pytest.warns(volterra.FitWarning):
        assert volterra.identify(y, u, draws=1).warnings_


def test_bad_input():
    u, y = system(100)
    for inputs, outputs, word in ((u[:59], y[:59], "60"), (u, 0 * y, "constant"), (0 * u, y, "constant")):
        with pytest.raises(ValueError, match=word):
            volterra.identify(inputs, outputs, draws=1)
    with pytest.raises(ValueError, match="draws"):
        volterra.identify(u, y, draws=0)
    with pytest.raises(ValueError):
        volterra.identify(u, y[:99], draws=1)
    y[7] = np.nan
    with pytest.raises(ValueError, match="y"):
        volterra.identify(u, y, draws=1)


def test_diagnosis_equals_that_of_the_program(program, tmp_path):
    rng = np.random.default_rng(7)
    u = rng.uniform(-1, 1, size=(300, 2))
    y = np.zeros(300)
    for t in range(1, 300):
        y[t] = 0.5 * y[t - 1] + np.tanh(2 * u[t - 1, 0]) + 0.3 * u[t, 1]
    np.savetxt(tmp_path / "data.csv", np.column_stack([u, y]), delimiter=",", fmt="%.17g", header="a,b,y", comments="")
    page = tmp_path / "page.html"
    printed = program(
        "identify", tmp_path / "data.csv", "--x", "a,b", "--y", "y", "--draws", "3", "--json",
        "-o", tmp_path / "m.safetensors", "--report", page,
    )  # fmt: skip
    report = json.loads(printed)["diagnosis"]
    assert volterra.identify(u, y, draws=3).diagnosis_ is None
    found = volterra.identify(u, y, draws=3, diagnose=True)
    one = found.diagnosis_
    assert one["first_row"] == report["first_row"] == 240
    for name in ("autocorrelation", "cross_correlation", "gain", "phase", "model_gain", "coherence", "simulated"):
        assert one[name].ravel().tolist() == np.ravel(report[name]).tolist()
    residuals = one["measured"] - one["simulated"]
    assert np.sqrt(np.mean(residuals**2)) == pytest.approx(found.test_rmse_, rel=1e-12)
    assert one["measured"].ravel().tolist() == y[240:].tolist()
    assert one["cross_correlation"].shape == (1, 2, 15) and one["below"].shape == (3,)
    assert one["explanation"].g1.ravel().tolist() == np.ravel(report["g1"]).tolist()
    assert page.stat().st_size > 0


def test_times_as_in_the_program(program, tmp_path):
    pandas = pytest.importorskip("pandas")
    u, y = system(120)
    clock = 0.5 * (np.arange(120) + 4 * (np.arange(120) >= 50))
    dates = pandas.Timestamp("2024-01-01") + pandas.to_timedelta(clock, unit="s")
    for name, times, as_index in (("Time (s)", clock, True), ("t", clock, False), ("date", dates, True), ("t1", clock, False)):
        data = pandas.DataFrame({name: times, "u": u, "y": y})
        data.to_csv(tmp_path / "data.csv", index=False)
        inputs = "u" if as_index else f"{name},u"
        command = ("identify", tmp_path / "data.csv", "--x", inputs, "--y", "y", "--draws", "1", "--json")
        report = json.loads(program(*command, "-o", tmp_path / "m.safetensors"))
        indexed = data.set_index(name) if as_index else data
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = volterra.identify(indexed[inputs.split(",")], indexed["y"], draws=1)
        gaps = [str(w.message) for w in caught if issubclass(w.category, volterra.GapWarning)]
        assert len(gaps) == (name != "t1") and all("4 rows are missing" in gap for gap in gaps)
        assert found.test_rmse_ == report["test_rmse"]
        for key, value in found.check_.items():
            assert value == report[key]
        assert report["time_step"] == (0 if name == "t1" else 0.5)
        volterra.save(found.model, tmp_path / "ours.safetensors")
        assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "m.safetensors").read_bytes()
