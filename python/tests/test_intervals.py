"""Intervals and quantiles from the errors of the training rows."""

import numpy as np
import pytest

import volterra


def make_data(rows=420, seed=3):
    print("seed", seed)
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, 2))
    Y = np.column_stack([X[:, 0] + rng.uniform(-0.1, 0.1, rows), 50 * X[:, 0] * X[:, 1] + rng.normal(size=rows)])
    return X, Y


def fitted(**options):
    X, Y = make_data()
    return volterra.SequenceKernelRidge("poly:degree=2", alpha=1e-2, **options).fit(X[:400], Y[:400]), X, Y


def test_errors_equal_earlier_fits():
    X, Y = make_data(60)
    options = {"alpha": 1e-2, "scale": False}
    errors = volterra.SequenceKernelRidge("rbf:gamma=1", **options).fit(X, Y).prequential_errors_
    assert errors.shape == (60, 2) and np.isnan(errors[0]).all()
    for t in (5, 30, 59):
        before = volterra.SequenceKernelRidge("rbf:gamma=1", **options).fit(X[:t], Y[:t])
        # Condition below 1e4, targets up to 50: rounding reaches 1e-10.
        assert np.abs(Y[t] - before.predict(X[t : t + 1])[0] - errors[t]).max() <= 1e-8


def test_shapes_and_order():
    model, X, Y = fitted()
    forecast = model.predict(X[400:])
    ends = model.predict_interval(X[400:])
    assert ends.shape == (20, 2, 2)
    assert np.allclose(ends.mean(axis=2), forecast)
    several = model.predict_interval(X[400:], coverage=[0.8, 0.9, 0.95])
    assert several.shape == (20, 2, 2, 3)
    assert np.array_equal(several[..., 1], ends)
    assert (np.diff(several[:, :, 0], axis=2) < 0).all() and (np.diff(several[:, :, 1], axis=2) > 0).all()
    quantiles = model.predict_quantiles(X[400:], alpha=[0.05, 0.5, 0.95])
    assert quantiles.shape == (20, 2, 3)
    assert np.allclose(quantiles[..., [0, 2]], ends) and np.allclose(quantiles[..., 1], forecast)
    one = volterra.SequenceKernelRidge("linear", alpha=1e-2).fit(X, Y[:, 0])
    assert one.predict_interval(X[:7], start="continue").shape == (7, 2)
    assert one.predict_quantiles(X[:7], alpha=0.1, start="continue").shape == (7,)
    parts = one.predict_interval([X[:5], X[5:9]])
    assert [part.shape for part in parts] == [(5, 2), (4, 2)]


def test_half_width_is_a_rank():
    X, Y = make_data()
    model = volterra.SequenceKernelRidge("linear", alpha=1e-2).fit(X, Y[:, 0])
    ends = model.predict_interval(X[:1], coverage=0.9, start="continue")
    # Noise is uniform on +-0.1: the share that an interval holds is ten times half its height.
    assert 0.085 <= (ends[0, 1] - ends[0, 0]) / 2 <= 0.1


def test_half_width_follows_the_documented_rule():
    """docs/math.md, "Intervals": row t is predicted from the rows before min(t - H + 1, m - m // 4)."""
    print("seed", 11)
    x = np.cumsum(np.random.default_rng(11).normal(size=(47, 1)), axis=0)
    options = {"alpha": 0.1, "scale": False, "beyond": "allow"}
    model = volterra.SequenceKernelRidge("linear:window=3", ahead=range(1, 4), target="level", **options).fit(x)
    horizon, rows = 3, 44
    X, Y = x[:rows], np.column_stack([x[h : h + rows, 0] for h in (1, 2, 3)])
    scores = []
    for t in range(horizon, rows):
        known = min(t - horizon + 1, rows - rows // 4)
        if known == 1:  # one row: its target
            forecast = Y[0]
        else:
            before = volterra.SequenceKernelRidge("linear:window=3", **options).fit(X[:known], Y[:known])
            forecast = before.predict(X[known : t + 1], start="continue")[-1]
        scores.append(np.abs(Y[t] - forecast))
    ranked = np.sort(np.array(scores), axis=0)  # fewer than 100: all of them
    half = model.predict_interval(np.array([[0.5]]), coverage=[0.5, 0.9], start="continue")
    half = (half[0, :, 1] - half[0, :, 0]) / 2  # outputs x levels
    for c, level in enumerate((0.5, 0.9)):
        rank = int(np.ceil((len(ranked) + 1) * level - 1e-9))
        # Condition below 1e4, values up to 20: rounding reaches 1e-10.
        assert np.abs(half[:, c] - ranked[rank - 1]).max() <= 1e-8


def test_pandas():
    pandas = pytest.importorskip("pandas")
    X, Y = make_data()
    frame, targets = pandas.DataFrame(X, columns=["a", "b"]), pandas.DataFrame(Y, columns=["p", "q"])
    model = volterra.SequenceKernelRidge("linear", alpha=1e-2).fit(frame[:400], targets[:400])
    ends = model.predict_interval(frame[400:], coverage=[0.8, 0.95])
    names = [f"{name}.{end}{level}" for name in "pq" for level in (80, 95) for end in ("lo", "hi")]
    assert list(ends.columns) == names and list(ends.index) == list(range(400, 420))
    plain = model.predict_interval(X[400:], coverage=[0.8, 0.95])
    assert np.array_equal(ends["q.hi95"], plain[:, 1, 1, 1]) and np.array_equal(ends["p.lo80"], plain[:, 0, 0, 0])
    single = model.predict_interval(frame[400:])
    assert list(single.columns) == ["p.lo90", "p.hi90", "q.lo90", "q.hi90"]
    assert list(model.predict_quantiles(frame[400:], alpha=[0.1]).columns) == ["p.q0.1", "q.q0.1"]


def test_files_preserve_intervals(tmp_path):
    model, X, _ = fitted()
    model.save(tmp_path / "m.safetensors")
    read = volterra.load(tmp_path / "m.safetensors")
    assert np.array_equal(read.predict_interval(X[400:]), model.predict_interval(X[400:], start="continue"))


@pytest.mark.parametrize("coverage", [0, 1, 1.2, -0.1, float("nan"), [0.5, 2]])
def test_coverage_between_0_and_1(coverage):
    model, X, _ = fitted()
    with pytest.raises(ValueError, match="coverage.*0.*1"):
        model.predict_interval(X, coverage=coverage)
    with pytest.raises(ValueError, match="alpha.*0.*1"):
        model.predict_quantiles(X, alpha=coverage)


def test_invalid_arguments():
    X, Y = make_data()
    few = volterra.SequenceKernelRidge("linear", alpha=1e-2).fit(X[:3], Y[:3])
    with pytest.raises(ValueError, match="3.*rows.*output.*1.*2"):
        few.predict_interval(X, coverage=0.5)
    with pytest.raises(ValueError, match="a number or a list"):
        few.predict_interval(X, coverage=[])
    with pytest.raises(volterra.NotFittedError):
        volterra.VolterraRidge().predict_interval(X)


def test_standard_deviations():
    X, Y = make_data()
    model = volterra.SequenceKernelRidge("poly:degree=2", alpha=1e-2, keep_factor=True).fit(X[:400], Y[:400])
    forecast, std = model.predict(X[400:], return_std=True)
    assert np.array_equal(forecast, model.predict(X[400:])) and std.shape == (20, 2)
    assert (std > 0).all() and 0.04 <= std[:, 0].mean() <= 0.1  # uniform noise on +-0.1 has 0.058
    assert np.allclose(model.predict_var(X[400:]), std**2)
    # Training rows are predicted again, and rows far from all others have a larger deviation.
    both = model.predict(X, return_std=True)[1]
    assert both.shape == (420, 2) and np.allclose(both[400:], std, rtol=1e-6)
    one = volterra.SequenceKernelRidge("rbf:gamma=2", alpha=1e-2, keep_factor=True, beyond="allow")
    one.fit(X[:400], Y[:400, 0])
    far = one.predict([[3.0, 3.0]], return_std=True)[1]
    assert far.shape == (1,) and far[0] > 3 * one.predict(X[400:], return_std=True)[1].max()
    parts = one.predict([X[:5], X[5:9]], return_std=True)[1]
    assert [part.shape for part in parts] == [(5,), (4,)]


def test_standard_deviations_of_a_file(tmp_path):
    X, Y = make_data()
    model = volterra.VolterraRidge(alpha=1e-2, keep_factor=True).fit(X[:400], Y[:400, 0])
    model.save(tmp_path / "m.safetensors")
    read = volterra.load(tmp_path / "m.safetensors")
    assert np.array_equal(read.predict(X[400:], return_std=True)[1], model.predict(X[400:], return_std=True)[1])
    plain = volterra.VolterraRidge(alpha=1e-2).fit(X[:400], Y[:400, 0])
    with pytest.raises(ValueError, match="keep.*fit.*keep_factor"):
        plain.predict(X[400:], return_std=True)


def test_streams_adapt(tmp_path):
    rng = np.random.default_rng(5)
    print("seed", 5)
    u = rng.uniform(-1, 1, (1600, 1))
    y = u[:, 0] + np.where(np.arange(1600) < 800, 0.1, 0.3) * rng.normal(size=1600)
    model = volterra.SequenceKernelRidge("linear", 1e-2).fit(u[:400], y[:400])
    stream = model.stream()
    with pytest.raises(ValueError, match="intervals"):
        stream.interval()
    with pytest.raises(ValueError, match="0.*1"):
        model.stream(coverage=1.2)
    stream = model.stream(coverage=[0.5, 0.9])
    inside = []
    for t in range(400, 1600):
        forecast, half = stream.feed(u[t]), stream.interval()
        assert half.shape == (2, 1) and half[0, 0] <= half[1, 0]
        inside.append(abs(y[t] - forecast) <= half[1, 0])
        stream.learn(y[t])
        if t == 900:
            stream.save(tmp_path / "s.state")
            stream = volterra.Stream.load(tmp_path / "s.state", model)
    # After 800 rows of three times the noise the share is within (0.9 + 0.02) / (0.02 * 800) of 0.9, whatever the data.
    assert abs(np.mean(inside[400:]) - 0.9) <= 0.06
    with pytest.raises(ValueError, match="rows back"):
        stream.learn(0.0, back=1)
    stream.learn(float("nan"))
