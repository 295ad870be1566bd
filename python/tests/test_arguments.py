"""Invalid arguments raise errors: masked and missing values, fractions, numbers above 64 bit,
texts with a null character."""

from __future__ import annotations

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge, VolterraRidgeCV, datasets, metrics
from volterra._core._arguments import MOST, MAX_SEED, seed_number, whole

# ---- masked and missing values -----------------------------------------------------------------------------


def hide(a, *place):
    masked = np.ma.array(a)
    masked[place] = np.ma.masked
    return masked


def array_entry_points(model, X, y):
    """Every function that takes arrays, as (name, what it does with a 2-D array of 300 x 2, or 1-D of 300)."""
    bekk = datasets.BEKK.preset("sp500-d5")
    returns = bekk.simulate(50, seed=1).returns
    yield "fit X", X, lambda a: VolterraRidge().fit(a, y)
    yield "fit y", y, lambda a: VolterraRidge().fit(X, a)
    yield "fit y, 2-D", X, lambda a: VolterraRidge(allow_target_in_inputs=True).fit(X, a)
    yield "fit a series", X, lambda a: VolterraRidge().fit(a)
    yield "search", X, lambda a: VolterraRidgeCV(draws=2).fit(a, y)
    yield "predict", X, model.predict
    yield "score", y, lambda a: model.score(X, a)
    yield "weights of a score", np.ones(300), lambda a: model.score(X, y, sample_weight=a)
    yield "push", X[0], lambda a: model.stream().feed(a)
    yield "gram", X, volterra.gram
    yield "gram Y", X, lambda a: volterra.gram(X, a)
    yield "gram of an array of series", X.reshape(3, 100, 2), lambda a: volterra.gram(a, kernel="gak:sigma=1")
    yield "gram of a list of series", X, lambda a: volterra.gram([X, a], kernel="gak:sigma=1")
    yield "losses", y, lambda a: volterra.losses(y, a)
    yield "MCS", X**2, volterra.MCS
    yield "scores", y, lambda a: metrics.scores(a, y)
    yield "w1", y, lambda a: metrics.w1(a, y[:7])
    yield "valid_rows", X, lambda a: metrics.valid_rows(X, a)
    yield "log_returns", np.exp(X), datasets.log_returns
    yield "BEKK.score", returns, bekk.score
    yield "BEKK.covariances", returns, bekk.covariances
    yield "BEKK.fit", returns, datasets.BEKK.fit
    yield "BEKK C", np.eye(2), lambda a: datasets.BEKK(a, [0.1, 0.1], [0.9, 0.9])
    yield "BEKK a", np.array([0.1, 0.1]), lambda a: datasets.BEKK(np.eye(2), a, [0.9, 0.9])
    yield "lorenz start", np.array([1.0, 1.0, 1.0]), lambda a: datasets.lorenz(5, start=a)


@pytest.mark.filterwarnings("ignore::volterra.BeyondWarning", "ignore::volterra.VolterraWarning")
def test_masked_values_are_rejected_everywhere(system, rng):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X, y)
    for name, a, call in array_entry_points(model, X, y):
        call(np.ma.array(a))  # without masked values it is a plain array
        place = tuple(int(rng.integers(size)) for size in a.shape)
        with pytest.raises(ValueError, match="1.*masked") as caught:
            call(hide(a, *place))
        if "series" not in name:
            assert f"at {place}" in str(caught.value), name
        everything = np.ma.array(a, mask=True)
        with pytest.raises(ValueError, match="masked"):
            call(everything)


def test_masked_rows_in_lists_and_object_arrays(system):
    X, _ = system
    rows = [np.ma.array(row) for row in X]
    assert np.array_equal(volterra.gram(rows), volterra.gram(X))
    rows[7] = hide(X[7], 1)
    for value in (rows, tuple(rows), [list(rows[:3]), [hide(X[0], 0)]]):
        with pytest.raises(ValueError, match="masked"):
            volterra.gram(value)
    # values under the mask must not be used
    objects = np.empty(2, dtype=object)
    objects[:] = [hide(X[:5], 2, 0), X[:5]]
    with pytest.raises(ValueError, match="masked"):
        volterra.gram(objects, kernel="gak:sigma=1")


def test_masked_integers():
    table = np.random.default_rng(5).normal(size=(30, 2)) ** 2
    rows = np.tile(np.arange(30), (4, 1))
    volterra.MCS(table, indices=rows)
    with pytest.raises(ValueError, match="indices.*1"):
        volterra.MCS(table, indices=hide(rows, 1, 2))


@pytest.mark.parametrize("kind", ["Int64", "Float64", "object"])
def test_missing_values_of_pandas(system, kind):
    pandas = pytest.importorskip("pandas")
    X, y = system
    frame = pandas.DataFrame(np.arange(600).reshape(300, 2), columns=["a", "b"]).astype(kind)
    VolterraRidge().fit(frame, y)
    frame.iloc[4, 1] = pandas.NA
    with pytest.raises(ValueError, match=r"X contains (<NA>|NaN) at .*4.*1"):
        VolterraRidge().fit(frame, y)
    target = pandas.Series(y).astype("Float64" if kind == "Int64" else kind)
    target[9] = pandas.NA
    with pytest.raises(ValueError, match="y contains (<NA>|NaN) at .*9"):
        VolterraRidge().fit(X, target)
    with pytest.raises(ValueError, match="None at"):
        VolterraRidge().fit([[1.0], [None], [2.0]], [1, 2, 3])


# ---- integers ----------------------------------------------------------------------------------------------


def whole_entry_points(model, X, y):
    """Every integer argument, as (name, least, most, call)."""
    bekk = datasets.BEKK([[0.01]], [0.3], [0.9])
    table = np.abs(X)

    def search(**given):
        return VolterraRidgeCV(**{"draws": 2, "random_state": 0, **given}).fit(X, y)

    yield "washout", 0, MOST, lambda n: VolterraRidge(washout=n).fit(X, y)
    yield "washout", 0, MOST, lambda n: SequenceKernelRidge(washout=n).fit(X, y)
    yield "washout", 0, MOST, lambda n: search(washout=n)
    yield "steps", 1, MOST, model.continue_
    yield "n_jobs", 1, 4096, lambda n: VolterraRidge(n_jobs=n).fit(X, y)
    yield "n_jobs", 1, 4096, lambda n: volterra.gram(X, n_jobs=n)
    yield "number of threads", 0, 4096, volterra.set_threads
    yield "folds", 0, MOST, lambda n: search(folds=n)
    yield "gap", 0, MOST, lambda n: search(gap=n)
    yield "max_train", 0, MOST, lambda n: search(max_train=n)
    yield "draws", 1, MOST, lambda n: search(draws=n)
    yield "random_state", 0, MAX_SEED, lambda n: search(random_state=n)
    yield "reps", 1, MOST, lambda n: volterra.MCS(table, reps=n)
    yield "seed", 0, MAX_SEED, lambda n: volterra.MCS(table, reps=9, seed=n)
    yield "number of inputs", 1, MOST, lambda n: volterra.kernel_facts("linear", n_features=n)
    yield "length", 1, MOST, datasets.lorenz
    yield "discard", 0, MOST, lambda n: datasets.lorenz(5, discard=n)
    yield "length", 1, MOST, datasets.mackey_glass
    yield "every", 1, MOST, lambda n: datasets.mackey_glass(5, every=n)
    yield "discard", 0, MOST, lambda n: datasets.mackey_glass(5, discard=n)
    yield "length", 1, MOST, datasets.narma10
    yield "seed", 0, MAX_SEED, lambda n: datasets.narma10(5, seed=n)
    yield "discard", 0, MOST, lambda n: datasets.narma10(5, discard=n)
    yield "length", 1, MOST, bekk.simulate
    yield "seed", 0, MAX_SEED, lambda n: bekk.simulate(5, seed=n)
    yield "stream", 0, MAX_SEED, lambda n: bekk.simulate(5, stream=n)
    yield "discard", 0, MOST, lambda n: bekk.simulate(5, discard=n)
    returns = bekk.simulate(60).returns
    yield "starts", 1, MOST, lambda n: datasets.BEKK.fit(returns, starts=n)
    yield "seed", 0, MAX_SEED, lambda n: datasets.BEKK.fit(returns, seed=n)


@pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")
def test_every_whole_number_is_checked(system):
    X, y = system[0][:120], system[1][:120]
    model = VolterraRidge(alpha=1e-3).fit(X)
    before = volterra.threads()
    for name, least, most, call in whole_entry_points(model, X, y):
        for wrong in (1.5, 2.0, np.float64(3), "2", [1], float("nan")):
            with pytest.raises(TypeError, match=rf"{name} must be a whole number"):
                call(wrong)
        for wrong in (2**64 + 1, most + 1, -(2**64) + 2, min(least - 1, -2)):
            with pytest.raises(ValueError, match=rf"({name}|number of threads) must be .*got {wrong}"):
                call(wrong)
    assert volterra.threads() == before


def test_whole_numbers_of_every_type_are_taken(system):
    X, y = system
    for zero in (0, False, np.int8(0), np.uint64(0), np.array(0)):
        assert whole("n", zero) == 0
    assert whole("n", MOST) == MOST and seed_number("n", 2**64 - 1) == 2**64 - 1
    one = VolterraRidge(washout=np.int32(20)).fit(X, y)
    assert np.array_equal(one.predict(X), VolterraRidge(washout=20).fit(X, y).predict(X))


def test_rows_of_replications_are_not_rounded():
    table = np.random.default_rng(6).normal(size=(30, 2)) ** 2
    rows = np.tile(np.arange(30), (4, 1))
    expected = volterra.MCS(table, indices=rows).pvalues
    assert np.array_equal(volterra.MCS(table, indices=rows.astype(np.uint8)).pvalues, expected)
    assert np.array_equal(volterra.MCS(table, indices=rows.tolist()).pvalues, expected)
    with pytest.raises(TypeError, match="indices.*float64"):
        volterra.MCS(table, indices=rows + 0.25)
    with pytest.raises(ValueError, match="indices holds 18446744073709551615"):
        volterra.MCS(table, indices=np.full((4, 30), 2**64 - 1, dtype=np.uint64))


# ---- null characters ---------------------------------------------------------------------------------------


def test_null_character_is_rejected_in_every_text(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X, y)
    path = f"{tmp_path}/a\0b"
    search = dict(draws=1, random_state=0)
    calls = [
        lambda: model.save(path),
        lambda: model.save(path.encode()),
        lambda: volterra.save(model, path),
        lambda: volterra.load(path),
        lambda: VolterraRidgeCV(**search, log=path).fit(X, y),
        lambda: VolterraRidgeCV(**search, kernel="volterra\0:").fit(X, y),
        lambda: VolterraRidgeCV(**search, ranges={"tau_coef\0": (0.1, 0.2)}).fit(X, y),
        lambda: VolterraRidgeCV(**search, ranges={"lift": ["even\0"]}).fit(X, y),
        lambda: VolterraRidgeCV(candidates=[{"lift": "even\0"}]).fit(X, y),
        lambda: VolterraRidge(lift="even\0x").fit(X, y),
        lambda: SequenceKernelRidge("linear\0x").fit(X, y),
        lambda: volterra.gram(X, kernel="linear\0"),
        lambda: volterra.kernel_text("linear\0"),
        lambda: volterra.kernel_facts("linear\0"),
        lambda: datasets.BEKK.preset("sp500-d5\0"),
        lambda: datasets.BEKK.from_json(datasets.BEKK.preset("sp500-d5").to_json() + "\0"),
        lambda: datasets.BEKK([[0.01]], [0.3], [0.9], tickers=["A\0B"]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="null"):
            call()
    assert list(tmp_path.iterdir()) == []


def test_null_character_in_the_name_of_a_column(system):
    pandas = pytest.importorskip("pandas")
    X, y = system
    with pytest.raises(ValueError, match="input"):
        VolterraRidge().fit(pandas.DataFrame(X, columns=["a", "b\0"]), y)


def test_messages_name_the_value_and_the_nearest_word(rng):
    X = rng.normal(size=(40, 1))
    for wrong, error, words in (
        (dict(alpha=[1, 2]), TypeError, ("alpha", "[1, 2]", "'auto'")),
        (dict(alpha="atuo"), ValueError, ("alpha", "'atuo'", "did you mean 'auto'?")),
        (dict(alpha="automatic value"), ValueError, ("alpha", "'automatic value'")),
        (dict(season="Auto"), ValueError, ("season", "did you mean 'auto'?")),
        (dict(target="chnage"), ValueError, ("target", "'chnage'", "did you mean 'change'?")),
        (dict(target=["change"]), ValueError, ("target", "['change']")),
        (dict(target=np.array([1, 2])), ValueError, ("target", "array([1, 2])")),
        (dict(solver="exakt"), ValueError, ("solver", "exakt", 'did you mean "exact"?')),
        (dict(solver=3), TypeError, ("solver", "3", "volterra.solver_table()")),
        (dict(kernel=3), TypeError, ("kernel", "3", "volterra.kernel_table()")),
    ):
        with pytest.raises(error) as caught:
            volterra.SequenceKernelRidge(**wrong).fit(X)
        assert all(word in str(caught.value) for word in words), str(caught.value)
    for kind in (volterra.VolterraRidge, volterra.VolterraRidgeCV, volterra.RowAnomaly, volterra.VolterraClassifier):
        with pytest.raises(TypeError, match="kernel must be .*got 3"):
            kind(kernel=3).fit(X, *([] if kind is volterra.RowAnomaly else [X[:, 0] > 0]))
    for kind in (volterra.SeriesAnomaly, volterra.SeriesClassifier):
        with pytest.raises(TypeError, match="kernel must be .*got 3"):
            kind(kernel=3).fit([X, X + 1, X + 2, X + 3], [1, 1, 1, -1])
    with pytest.raises(TypeError, match="kernel must be .*got 3"):
        volterra.gram(X, kernel=3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_lazy_frames_are_rejected(rng):
    polars = pytest.importorskip("polars")
    X = rng.normal(size=(40, 1))
    lazy = polars.DataFrame({"a": X[:, 0]}).lazy()
    model = volterra.VolterraRidge(alpha=1.0)
    for name, call in (
        ("X", lambda: model.fit(lazy)),
        ("y", lambda: model.fit(X, lazy)),
        ("X", lambda: model.fit(X).predict(lazy)),
        ("X", lambda: volterra.RowAnomaly().fit(lazy)),
    ):
        with pytest.raises(TypeError, match=rf"{name} is a LazyFrame.*{name}\.collect\(\)"):
            call()


def test_completion_shows_only_public_names():
    import pkgutil

    modules = [volterra]
    for found in pkgutil.iter_modules(volterra.__path__):
        if not found.name.startswith(("_", "lib")) and found.name != "sktime":
            modules.append(__import__(f"volterra.{found.name}", fromlist=["x"]))
    assert len(modules) > 10
    for module in modules:
        assert dir(module) == sorted(module.__all__)
        assert not [name for name in dir(module) if name.startswith("_")]
        assert all(hasattr(module, name) for name in dir(module))
