"""Automatic forecasts of series: levels in, levels out, by every method, equal to the program's."""

from __future__ import annotations

import json
import pickle
import zlib

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge

pytestmark = pytest.mark.filterwarnings("ignore::volterra.BeyondWarning")


def seasonal(rng, n=160, d=1, period=12):
    """Random walks with a season."""
    t = np.arange(n)[:, None] + 3 * np.arange(d)
    return 100 + 10 * np.sin(2 * np.pi * t / period) + np.cumsum(0.3 * rng.normal(size=(n, d)), axis=0)


# ---- given and automatic settings --------------------------------------------------------------------------


def test_numeric_ahead_equals_plain_fit(rng):
    x = seasonal(rng)
    plain = VolterraRidge(alpha=1e-3).fit(x)
    assert plain.alpha_ == 1e-3 and plain.target_ == "level" and plain.input_ == "level" and plain.season_ == 0
    level = VolterraRidge(alpha=1e-3, target="level", input="level", season=None).fit(x)
    assert np.array_equal(plain.fitted_, level.fitted_)
    change = VolterraRidge(alpha=1e-3, target="change", input="both", season=12).fit(x)
    assert (
        change.alpha_ == 1e-3
        and change.target_ == "change"
        and change.input_ == "both"
        and change.season_ == 12
    )
    assert not np.allclose(plain.fitted_, change.fitted_)


@pytest.mark.parametrize("kind", [VolterraRidge, SequenceKernelRidge])
def test_all_options_are_chosen(rng, kind):
    x = seasonal(rng)
    model = kind().fit(x[:120])
    assert model.alpha == "auto" and model.alpha_ > 0 and np.isfinite(model.alpha_)
    assert model.target_ == "change" and model.input_ == "both" and model.season_ == 12
    report = model.report_
    assert report["rows"] == 119 - 119 // 2 and report["share"][0] == 1
    assert 0.5 < model.heldout_r2_ <= 1 and report["mse"][0] < 0.3 * report["naive_mse"][0]
    assert report["best_mse"][0] == report["mse"][0]
    errors = x[121:] - model.predict(x[120:])[:-1]
    assert np.mean(errors**2) < 0.5 * np.mean(np.diff(x[120:], axis=0) ** 2)


def test_random_walk_keeps_naive_forecast(rng):
    x = np.cumsum(rng.normal(size=(120, 1)), axis=0)
    model = VolterraRidge().fit(x[:80])
    assert np.isinf(model.alpha_) and model.target_ == "change" and model.report_["share"][0] == 0
    assert np.array_equal(model.fitted_, x[:79])
    assert np.array_equal(model.predict(x[80:]), x[80:])
    assert np.array_equal(model.forecast(), x[79:80])
    assert abs(model.baselines_["naive"]["skill"]) < 1e-12
    few = VolterraRidge().fit(x[:5])
    assert np.isinf(few.alpha_) and np.isnan(few.heldout_r2_) and few.baselines_ == {}


def test_separate_targets(rng):
    u = rng.normal(size=(200, 1))
    y = np.convolve(u[:, 0], [0, 1, 0.5])[:200] + 0.1 * rng.normal(size=200)
    model = VolterraRidge().fit(u[:150], y[:150])
    assert model.target_ == "level" and model.input_ == "level" and model.report_["rows"] == 75
    assert np.isnan(model.report_["naive_mse"][0])
    assert model.score(u[150:], y[150:]) > 0.9 and abs(model.heldout_r2_ - 0.95) < 0.06
    assert set(model.baselines_) >= {"naive", "drift", "ar"}
    noise = VolterraRidge().fit(u, rng.normal(size=200))  # there is nothing to learn
    assert abs(noise.heldout_r2_) < 0.1 and noise.score(u, noise.fitted_) == pytest.approx(1)


@pytest.mark.parametrize(
    "parameters, kind, message",
    [
        (dict(alpha=0), ValueError, "alpha must be one positive, finite number, or 'auto'.*got 0"),
        (dict(alpha=float("nan")), ValueError, "alpha must be .*got nan"),
        (dict(alpha="best"), ValueError, "alpha must be one positive, finite number, or 'auto'.*got 'best'"),
        (dict(target="levels"), ValueError, "target must be .*got 'levels'"),
        (dict(input="diff"), ValueError, "input must be .*got 'diff'"),
        (dict(season=1), ValueError, "season must be at least 2.*got 1"),
        (dict(season=12.0), TypeError, "season must be .*got 12.0"),
        (dict(season="year"), ValueError, "season must be .*got 'year'"),
        (dict(ahead=0), ValueError, "ahead must be .*got 0"),
        (dict(ahead=-1), ValueError, "ahead must be .*got -1"),
        (dict(ahead=1.5), TypeError, "ahead must be .*got 1.5"),
        (dict(ahead=[1, 3]), ValueError, "ahead must be a number of rows"),
        (dict(ahead=range(0, 3)), ValueError, "ahead begins with 0"),
        (dict(ahead=[]), ValueError, "must be a number of rows"),
        (dict(ahead=40), ValueError, "ahead must be less than the 40 rows.*got 40"),
    ],
)
def test_impossible_options_are_rejected(rng, parameters, kind, message):
    with pytest.raises(kind, match=message):
        VolterraRidge(**parameters).fit(seasonal(rng, 40))


def test_changes_need_targets_among_the_inputs(rng):
    x = seasonal(rng, 60, 2)
    with pytest.raises(ValueError, match="0 rows ahead"):
        VolterraRidge(target="change").fit(x, x[:, 0] * 2)
    with pytest.raises(ValueError, match="target.*input"):
        VolterraRidge(target="change", ahead=1).fit(x, x[:, 0] * 2)
    model = VolterraRidge(target="change", ahead=1, alpha=0.1).fit(x, x[:, 1])
    assert model.target_ == "change" and model.fitted_.shape == (59,)


def test_target_that_is_an_input_of_its_row_is_rejected(rng):
    x = seasonal(rng, 60, 2)
    for model in (VolterraRidge(alpha=0.1), SequenceKernelRidge("rbf", alpha=0.1), volterra.VolterraRidgeCV(draws=1)):
        with pytest.raises(ValueError, match="target.*0.*input.*1"):
            model.fit(x, x[:, 1])
    VolterraRidge(alpha=0.1, allow_target_in_inputs=True).fit(x, x[:, 1])
    VolterraRidge(alpha=0.1, ahead=1).fit(x, x[:, 1])
    VolterraRidge(alpha=0.1).fit(x, x[:, 1] + 1)


# ---- horizons ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [1, 2, 5])
@pytest.mark.parametrize("alpha", ["auto", 0.01])
def test_levels_in_every_form(rng, ahead, alpha, tmp_path):
    """predict at once, in parts, row by row, in a new process's clothes: the same levels; scores compare like with
    like."""
    x = seasonal(rng, 160, 2)
    train, later = x[:120], x[120:]
    model = VolterraRidge(ahead=ahead, alpha=alpha, target="auto" if alpha == "auto" else "change").fit(train)
    assert model.fitted_.shape == (120 - ahead, 2)
    forecasts = model.predict(later)
    whole = model.predict(x)
    assert np.array_equal(whole[: 120 - ahead], model.fitted_)
    assert np.allclose(whole[120:], forecasts, rtol=1e-11)
    assert np.allclose(whole[120 - ahead : 120], model.forecast(), rtol=1e-11)
    stream = model.stream()
    assert np.allclose([stream.feed(row) for row in later], forecasts, rtol=1e-11)
    reset = model.predict(x, start="reset")
    assert np.allclose(reset, whole, rtol=1e-9)

    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(later), forecasts) and np.array_equal(
        again.forecast(), model.forecast()
    )
    assert again.report_["rows"] == model.report_["rows"] and again.baselines_ == model.baselines_

    model.save(tmp_path / "model.safetensors")
    loaded = volterra.load(tmp_path / "model.safetensors")
    assert np.array_equal(loaded.predict(later), forecasts)
    assert np.allclose(loaded.predict(x), whole, rtol=1e-9)
    assert np.array_equal(np.atleast_1d(loaded.alpha_), np.atleast_1d(model.alpha_))
    assert np.array_equal(loaded.target_, model.target_) and loaded.season_ == model.season_
    assert loaded.ahead == ahead and not hasattr(loaded, "report_") and not hasattr(loaded, "baselines_")
    assert np.array_equal(loaded.forecast(), model.forecast())

    expected = volterra.metrics.r2(later[ahead:], forecasts[:-ahead])
    assert model.score(later) == pytest.approx(expected, abs=1e-12)
    assert model.score(later, later) == pytest.approx(expected, abs=1e-12)
    assert model.score(later, sample_weight=np.ones(40)) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match=f"requires at least {ahead + 1} rows"):
        model.score(later[:ahead])


def test_one_step_ahead_continues(rng):
    x = seasonal(rng, 120)
    model = VolterraRidge().fit(x)
    path = model.continue_(24)
    assert np.array_equal(model.forecast(24), path)
    stream, row = model.stream(), model.forecast()[0]
    walked = [row] + [row := stream.feed(row) for _ in range(23)]
    assert np.allclose(walked, path, rtol=1e-9)
    with pytest.raises(ValueError, match="steps.*4.*fitted.*3.*ahead"):
        VolterraRidge(ahead=3).fit(x).forecast(4)
    with pytest.raises(ValueError, match="ahead is 0"):
        VolterraRidge(alpha=1).fit(x, x[:, 0] ** 2).forecast()


def test_y_ahead_is_y_shifted(rng):
    x = seasonal(rng, 150, 2)
    y = x[:, 1]
    shifted = VolterraRidge(ahead=3).fit(x[:100], y[:100])
    by_hand = VolterraRidge(alpha=1e-3, ahead=3, target="level", input="level").fit(x[:100], y[:100])
    plain = VolterraRidge(alpha=1e-3).fit(x[:97], y[3:100])
    assert np.array_equal(by_hand.fitted_, plain.fitted_)
    assert np.array_equal(by_hand.predict(x[100:]), plain.predict(x[97:])[3:])
    assert shifted.target_ == "change" and shifted.fitted_.shape == (97,) and shifted.forecast().shape == (3,)
    forecasts = shifted.predict(x[100:])
    assert shifted.score(x[100:], y[100:]) == pytest.approx(volterra.metrics.r2(y[103:], forecasts[:-3]))
    with pytest.raises(ValueError, match="score"):
        shifted.score(x[100:])


def test_several_horizons(rng, tmp_path):
    x = seasonal(rng, 130, 2)
    model = VolterraRidge(ahead=range(1, 7)).fit(x[:100])
    assert model.n_outputs_ == 12 and model.fitted_.shape == (94, 12) and model.report_["mse"].shape == (12,)
    forecasts = model.predict(x[100:])
    assert forecasts.shape == (30, 12)
    ahead = model.forecast()
    assert ahead.shape == (6, 2) and model.forecast(3).shape == (3, 2)
    last = model.predict(x[:100])[-1]
    assert np.allclose(ahead, np.c_[last[:6], last[6:]], rtol=1e-11)
    truth = np.column_stack([x[100 + h : 124 + h, k] for k in range(2) for h in range(1, 7)])
    assert model.score(x[100:]) == pytest.approx(volterra.metrics.r2(truth, forecasts[:24]), abs=1e-12)
    assert model.score(x[100:]) > 0.5
    model.save(tmp_path / "model.safetensors")
    loaded = volterra.load(tmp_path / "model.safetensors")
    assert loaded.ahead == range(1, 7) and np.array_equal(loaded.predict(x[100:]), forecasts)
    flat = VolterraRidge(ahead=range(1, 7)).fit(x[:100], x[:100, 0])
    assert flat.forecast().shape == (6,) and flat.predict(x[100:]).shape == (30, 6)


def test_pandas_continuation(rng):
    pandas = pytest.importorskip("pandas")
    index = pandas.date_range("2024-01-01", periods=120, freq="D")
    frame = pandas.DataFrame(seasonal(rng, 120, 2), index=index, columns=["a", "b"])
    ahead = VolterraRidge(ahead=range(1, 4)).fit(frame)
    out = ahead.forecast()
    assert list(out.columns) == ["a", "b"] and list(out.index) == list(
        pandas.date_range("2024-04-30", periods=3)
    )
    assert list(ahead.predict(frame).columns) == ["a+1", "a+2", "a+3", "b+1", "b+2", "b+3"]
    one = VolterraRidge(ahead=2).fit(frame, frame["b"])
    assert one.forecast().name == "b" and list(one.forecast().index) == list(out.index[:2])
    unknown = frame.iloc[np.sort(np.random.default_rng(2).permutation(120)[:80])]
    assert list(VolterraRidge(ahead=2).fit(unknown).forecast().index) == [1, 2]
    counted = VolterraRidge(ahead=2).fit(frame.reset_index(drop=True)).forecast()
    assert list(counted.index) == [120, 121]


# ---- against the program -----------------------------------------------------------------------------------


def test_baselines_and_report_equal_program(rng, program, tmp_path):
    for name, x, options, given in [
        ("one", seasonal(rng, 150), [], {}),
        ("far", seasonal(rng, 150, 2), ["--ahead", 3], dict(ahead=3)),
        ("all", seasonal(rng, 150), ["--ahead", "1..6"], dict(ahead=range(1, 7))),
        ("walk", np.cumsum(rng.normal(size=(90, 1)), axis=0), ["--season", "none"], dict(season=None)),
    ]:
        np.save(tmp_path / "x.npy", x)
        path = tmp_path / f"{name}.safetensors"
        said = json.loads(program("fit", "--x", tmp_path / "x.npy", *options, "-o", path, "--json"))
        model = VolterraRidge(**given).fit(x)
        assert said["heldout_r2"] == model.heldout_r2_ and said["r2"] == model.verdict_["r2"]
        assert said["heldout_rmse"] == model.verdict_["heldout_rmse"] and said["season"] == model.verdict_["season"]
        assert said["heldout_rows"] == model.report_["rows"] and said["input"] == model.input_
        assert said["naive_kept"] == (model.verdict_["naive_outputs"] == model.n_outputs_)
        assert {one["name"] for one in said["baselines"]} == {PROGRAM_NAMES[kind] for kind in model.baselines_}
        for one in said["baselines"]:
            volt = model.baselines_[next(kind for kind, name in PROGRAM_NAMES.items() if name == one["name"])]
            for figure, value in volt.items():
                assert one[figure] == value, (name, one["name"], figure)
        theirs = volterra.load(path)
        assert np.array_equal(theirs.predict(x[:30], start="reset"), model.predict(x[:30], start="reset"))


PROGRAM_NAMES = {"naive": "naive", "seasonal": "seasonal naive", "drift": "drift", "ar": "autoregression"}


# ---- against NumPy -----------------------------------------------------------------------------------------


def test_choices_equal_golden_file(golden):
    file = golden("forecast_choice")
    for case in file.inputs["cases"]:
        y = np.array(case["y"]).reshape(-1, 1)
        train, ahead = case["training_rows"], case["ahead"]
        model = VolterraRidge(ahead=ahead).fit(y[:train])
        assert model.season_ == case["season"] and model.report_["first"] == case["first_held_out"]
        assert model.report_["best_mse"][0] == pytest.approx(case["best_mse"], rel=file.tol("forecasts"))
        assert model.report_["naive_mse"][0] == pytest.approx(case["naive_mse"], rel=1e-12)
        alpha = np.inf if case["naive_kept"] else case["best_alpha"]
        assert model.alpha_ == pytest.approx(alpha, rel=1e-12) and model.target_ == "change"
        forecasts = np.vstack([model.forecast(), model.predict(y[train:])])[:5, 0]
        assert forecasts == pytest.approx(case["forecasts"], rel=file.tol("forecasts"))


# ---- files and copies --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [0, 1, 2, range(1, 4)])
@pytest.mark.parametrize("shape", [(150,), (150, 1), (150, 2)])
def test_file_predicts_like_estimator(rng, ahead, shape, tmp_path):
    X = seasonal(rng, 150, 2)
    y = rng.normal(size=shape) + X[:, 0].reshape(150, *[1] * (len(shape) - 1))
    model = VolterraRidge(alpha=0.01, ahead=ahead).fit(X[:120], y[:120])
    model.save(tmp_path / "model.safetensors")
    loaded = volterra.load(tmp_path / "model.safetensors")
    found, wanted = loaded.predict(X[120:]), model.predict(X[120:])
    assert found.shape == wanted.shape and np.array_equal(found, wanted)
    assert np.allclose(loaded.predict(X), model.predict(X), rtol=0, atol=1e-9 * np.abs(y).max())
    stream, other = loaded.stream(), model.stream()
    for row in X[120:130]:
        assert np.array_equal(stream.feed(row), other.feed(row))


def test_record_file_predicts_like_estimator(rng, tmp_path):
    X = [seasonal(rng, 60, 2), seasonal(rng, 50, 2)]
    model = VolterraRidge(alpha=0.01, ahead=2).fit(X)
    model.save(tmp_path / "model.safetensors")
    loaded = volterra.load(tmp_path / "model.safetensors")
    later = seasonal(rng, 20, 2)
    assert np.array_equal(loaded.predict(later), model.predict(later))
    assert np.array_equal(loaded.forecast(), model.forecast())
    joined = np.vstack([*X, later])
    assert np.allclose(loaded.predict(joined), model.predict(joined), rtol=1e-9)


def test_program_file_predicts_like_estimator(rng, tmp_path, program):
    x = seasonal(rng, 100, 2)
    np.savetxt(tmp_path / "x.csv", x[:80], delimiter=",")
    out = tmp_path / "model.safetensors"
    program("fit", "--x", tmp_path / "x.csv", "--ahead", 3, "--kernel", "volterra", "--alpha", 0.01, "-o", out)
    loaded, model = volterra.load(out), VolterraRidge(alpha=0.01, ahead=3).fit(x[:80])
    assert np.allclose(loaded.predict(x[80:]), model.predict(x[80:]), rtol=1e-9)
    assert np.allclose(loaded.forecast(), model.forecast(), rtol=1e-9)


def test_fitted_values_are_a_copy(rng):
    x = seasonal(rng, 80)
    for model in (VolterraRidge(alpha=0.1).fit(x), VolterraRidge(alpha=0.1).fit(x, np.roll(x[:, 0], 1))):
        before = model.predict(x)
        model.fitted_[:] = 0
        assert np.array_equal(model.predict(x), before) and np.array_equal(model.fitted_, before[: len(model.fitted_)])


def test_file_with_inconsistent_horizons(tmp_path):
    """The note of a file of three horizons says four; the checksum is right."""
    path = tmp_path / "model.safetensors"
    x = np.sin(0.4 * np.arange(80.0)).reshape(-1, 1)
    volterra.VolterraRidge(alpha=1e-3, ahead=range(1, 4)).fit(x).save(path)
    assert volterra.load(path).n_outputs_ == 3
    content = path.read_bytes()
    for wrong in (b"1..4", b"3..1", b"0..3", b"1...", b"a..3"):
        changed = content.replace(b'"horizons":"1..3"', b'"horizons":"' + wrong + b'"')
        assert changed != content
        at = changed.index(b'"checksum":"') + len(b'"checksum":"')
        blank = changed[:at] + b"00000000" + changed[at + 8 :]
        path.write_bytes(changed[:at] + b"%08x" % zlib.crc32(blank) + changed[at + 8 :])
        with pytest.raises(ValueError, match="horizons"):
            volterra.load(path)


def test_warnings_of_a_fit(rng):
    u = rng.normal(size=(120, 1))
    walk = np.cumsum(rng.normal(size=120))
    with pytest.warns(volterra.FitWarning):
        poor = VolterraRidge(alpha=1e-8).fit(np.cumsum(u, axis=0), rng.normal(size=120))
    assert poor.heldout_r2_ < 0 and poor.warnings_[0].code == _code("WORSE_THAN_CONSTANT")
    kept = VolterraRidge().fit(walk.reshape(-1, 1))
    assert kept.verdict_["naive_outputs"] == 1 and kept.warnings_[0].code == _code("NAIVE_FORECAST")
    few = VolterraRidge().fit(walk[:5].reshape(-1, 1))
    assert [note.code for note in few.warnings_] == [_code("FEW_ROWS")] and few.verdict_["heldout_rows"] == 0


def _code(name):
    from volterra._core import _native

    return _native.CONSTANTS[f"VOLT_WARNING_{name}"]
