"""Whole series as objects: `SeriesClassifier`, `SequenceKernelRidge` on collections, layouts of `gram`."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import numpy as np
import pytest
import volterra


pytestmark = pytest.mark.filterwarnings("ignore:X of shape:UserWarning", "ignore:Y of shape:UserWarning")


def waves(count, seed, steps=14):
    """Two channels at random phases, of three frequencies in turn; noise. Series, labels, frequencies."""
    rng = np.random.default_rng(seed)
    names, frequencies = np.array(["slow", "fast", "flat"]), np.array([0.5, 1.4, 0.0])
    which = np.arange(count) % 3
    t = np.arange(steps)[:, None] + np.array([0.0, 1.0])
    X = [np.sin(frequencies[k] * t + 6 * rng.random()) + 0.1 * rng.normal(size=t.shape) for k in which]
    return np.stack(X), names[which], frequencies[which]


X, LABELS, FREQUENCIES = waves(18, 1)
OTHERS, OTHER_LABELS, OTHER_FREQUENCIES = waves(9, 2)
FEW = dict(kernel="rbf:window=3", compare="steps", input="level", draws=3)


@pytest.fixture(scope="module")
def fitted():
    return volterra.SeriesClassifier(**FEW).fit(X, LABELS)


def plain(K, C, Y, alpha):
    """Ridge with an intercept, by its normal equations: outputs of C, and of every row left out by refits."""

    def solve(rows):
        n = len(rows)
        system = np.block([[K[np.ix_(rows, rows)] + alpha * np.eye(n), np.ones((n, 1))], [np.ones((1, n)), 0]])
        found = np.linalg.solve(system, np.vstack([Y[rows], np.zeros((1, Y.shape[1]))]))
        return found[:-1], found[-1]

    everything = np.arange(len(K))
    A, constant = solve(everything)
    left_out = []
    for i in everything:
        rows = np.delete(everything, i)
        a, b = solve(rows)
        left_out.append(K[i, rows] @ a + b)
    return C @ A + constant, np.array(left_out)


# ---- SeriesClassifier ------------------------------------------------------------------------------------------


def test_outputs_are_ridge_regression_on_the_gram_matrix():
    settings = dict(alpha=0.05, scale="none", input="level", compare="series", draws=1)
    model = volterra.SeriesClassifier("gak", ranges={"sigma": [2]}, **settings).fit(X, LABELS)
    assert model.kernel_ == "gak:sigma=2" and model.alpha_ == 0.05 and len(model.parts_) == 1
    assert model.parts_[0] == {"kernel": "gak:sigma=2", "scale": "none", "input": "level", "compare": "series"}
    kernel = dict(kernel="gak:sigma=2", normalise=True)
    Y = (LABELS[:, None] == model.classes_).astype(float)
    outputs, left_out = plain(volterra.gram(X, **kernel), volterra.gram(OTHERS, X, **kernel), Y, 0.05)
    # The condition of K + alpha is at most 18 / 0.05.
    assert np.allclose(model.decision_function(OTHERS), outputs, rtol=0, atol=1e-11)
    assert np.allclose(model.left_out_, left_out, rtol=0, atol=1e-11)
    assert model.left_out_accuracy_ == np.mean(model.classes_[left_out.argmax(axis=1)] == LABELS)
    assert np.array_equal(model.predict(OTHERS), model.classes_[outputs.argmax(axis=1)])


def test_classifier_equals_program(program, tmp_path):
    np.save(tmp_path / "a.npy", X)
    np.save(tmp_path / "b.npy", OTHERS)
    for name, labels in (("a.csv", LABELS), ("b.csv", OTHER_LABELS)):
        (tmp_path / name).write_text("label\n" + "\n".join(labels) + "\n")
    files = ("--train", tmp_path / "a.npy", "--train-labels", tmp_path / "a.csv")
    files += ("--test", tmp_path / "b.npy", "--test-labels", tmp_path / "b.csv", "-o", tmp_path / "found.csv")
    for loss in ("squares", "multinomial"):
        options = ("--draws", 8, "--seed", 3, "--blend", 2, "--splits", 4, "--loss", loss, "--kernel", "rbf | linear")
        expected = json.loads(program("classify", *files, *options, "--json"))
        model = volterra.SeriesClassifier(
            "rbf | linear", draws=8, random_state=3, blend=2, splits=4, loss=loss
        ).fit(X, LABELS)
        assert model.alpha_ == pytest.approx(expected["alpha"], rel=1e-12)
        assert model.left_out_accuracy_ == pytest.approx(expected["left_out_accuracy"], rel=1e-12)
        assert model.split_mean_ == pytest.approx(expected["split_accuracy"], rel=1e-12)
        assert model.n_tried_ == expected["tried"]
        assert model.score(OTHERS, OTHER_LABELS) == pytest.approx(expected["accuracy"], rel=1e-12)
        lines = (tmp_path / "found.csv").read_text().splitlines()
        assert lines[0].split(",")[1:] == model.classes_.tolist()
        outputs = np.array([[float(x) for x in line.split(",")[1:]] for line in lines[1:]])
        found = model.predict_proba(OTHERS) if loss == "multinomial" else model.decision_function(OTHERS)
        assert np.allclose(found, outputs, rtol=0, atol=1e-9)
        assert np.array_equal(model.predict(OTHERS), [line.split(",")[0] for line in lines[1:]])


def test_probabilities_and_two_classes(fitted):
    two = LABELS != "flat"
    model = volterra.SeriesClassifier(**FEW, loss="multinomial").fit(X[two], LABELS[two])
    p = model.predict_proba(OTHERS)
    assert np.allclose(p.sum(axis=1), 1) and (p > 0).all() and 0 < model.log_loss_ < np.log(2)
    assert np.allclose(model.decision_function(OTHERS), np.log(p[:, 1] / p[:, 0]))
    assert np.isnan(fitted.log_loss_) and np.isnan(model.temperature_)
    outputs, p = fitted.decision_function(OTHERS), fitted.predict_proba(OTHERS)
    expected = np.exp(outputs / fitted.temperature_)
    assert np.allclose(p, expected / expected.sum(axis=1, keepdims=True), rtol=1e-9, atol=0)
    assert np.array_equal(fitted.classes_[p.argmax(axis=1)], fitted.predict(OTHERS))
    # The temperature has the smallest log loss on training series left out, with a count added to every class.
    targets = (18 * (LABELS[:, None] == fitted.classes_) + 1) / 21

    def log_loss(temperature):
        u = fitted.left_out_ / temperature
        return (targets * (np.log(np.exp(u).sum(axis=1, keepdims=True)) - u)).sum()

    best = log_loss(fitted.temperature_)
    assert all(best <= log_loss(fitted.temperature_ * factor) + 1e-12 for factor in (0.9, 0.99, 1.01, 1.1))
    ridge = volterra.SeriesClassifier(**FEW, alpha=0.1).fit(X[two], np.where(LABELS[two] == "fast", 7, 3))
    assert ridge.classes_.tolist() == [3, 7]
    assert np.array_equal(ridge.predict(OTHERS), np.where(ridge.decision_function(OTHERS) > 0, 7, 3))


def test_layouts_of_aeon_and_tslearn(fitted):
    expected = fitted.decision_function(OTHERS)
    model = volterra.SeriesClassifier(**FEW, layout="channels").fit(X.transpose(0, 2, 1), LABELS)
    assert np.array_equal(model.decision_function([one.T for one in OTHERS]), expected)
    # Series of other lengths, as a list and filled up with nan.
    short = [one[: 14 - i % 3] for i, one in enumerate(X)]
    padded = np.full(X.shape, np.nan)
    for row, one in zip(padded, short):
        row[: len(one)] = one
    listed = volterra.SeriesClassifier(**FEW).fit(short, LABELS)
    filled = volterra.SeriesClassifier(**FEW).fit(padded, LABELS)
    assert np.array_equal(listed.decision_function(padded), filled.decision_function(short))
    padded[2, 3, 0] = np.nan  # one channel, or in the middle: missing, not padding
    with pytest.raises(ValueError, match=r"X\[2\] contains NaN at row 3, column 0"):
        filled.predict(padded)
    with pytest.raises(ValueError, match=r"X\[1\] has no step"):
        filled.predict(np.stack([X[0], np.full(X[0].shape, np.nan)]))


def test_layout_is_detected_or_required(fitted):
    expected = fitted.decision_function(OTHERS)
    aeon, others = X.transpose(0, 2, 1), OTHERS.transpose(0, 2, 1)  # (18, 2, 14): 14 steps of 2 channels
    with pytest.warns(UserWarning, match=r"14 steps of 2 channels \(layout='channels'\)"):
        model = volterra.SeriesClassifier(**FEW).fit(aeon, LABELS)
    assert model.layout_ == "channels" and model.n_features_in_ == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # predict uses the layout of fit, and an explicit layout causes no warning
        assert np.array_equal(model.decision_function(others), expected)
        assert np.array_equal(model.decision_function(others[:, :, :9]), model.decision_function(list(others[:, :, :9])))
        given = volterra.SeriesClassifier(**FEW, layout="channels").fit(aeon, LABELS)
        assert np.array_equal(given.decision_function(others), expected)
        # Different lengths, or one channel, determine the layout.
        lists = [one[:, : 14 - i % 3] for i, one in enumerate(aeon)]
        turned = volterra.SeriesClassifier(**FEW).fit(lists, LABELS)
        plainly = volterra.SeriesClassifier(**FEW).fit([one.T for one in lists], LABELS)
        assert (turned.layout_, plainly.layout_) == ("channels", "time")
        assert np.array_equal(turned.decision_function(others), plainly.decision_function(OTHERS))
        one = volterra.SeriesClassifier(**FEW).fit(X[:, :, :1], LABELS)
        two = volterra.SeriesClassifier(**FEW).fit(aeon[:, :1], LABELS)
        assert (one.layout_, two.layout_) == ("time", "channels")
        assert np.array_equal(one.decision_function(OTHERS[:, :, :1]), two.decision_function(others[:, :1]))
    for estimator in (volterra.SeriesClassifier(), volterra.SeriesAnomaly(), volterra.SequenceKernelRidge("gak:sigma=1")):
        with pytest.raises(ValueError, match=r"shape \(18, 3, 2\).*layout='channels'"):
            estimator.fit(X[:, :3], np.ones(18))


def test_univariate_arrays_and_frames():
    pandas = pytest.importorskip("pandas")
    model = volterra.SeriesClassifier(**FEW).fit(X[:, :, :1], LABELS)
    expected = model.decision_function(OTHERS[:, :, :1])
    flat, others = X[:, :, 0], OTHERS[:, :, 0]
    cells = pandas.DataFrame({"dim_0": [pandas.Series(row) for row in flat]})
    for form in (flat, pandas.DataFrame(flat), list(flat), cells):
        again = volterra.SeriesClassifier(**FEW).fit(form, LABELS)
        assert again.n_features_in_ == 1
        assert np.array_equal(again.decision_function(others), expected)
    padded = np.hstack([others, np.full((9, 3), np.nan)])
    assert np.array_equal(model.decision_function(padded), expected)
    both = volterra.SeriesClassifier(**FEW, layout="time").fit(X, LABELS)
    nested = pandas.DataFrame({k: [pandas.Series(one[:, k]) for one in OTHERS] for k in range(2)})
    rows = pandas.MultiIndex.from_product([range(9), range(14)], names=["series", "time"])
    long = pandas.DataFrame(OTHERS.reshape(-1, 2), index=rows)
    for form in (nested, long):
        assert np.array_equal(both.decision_function(form), both.decision_function(OTHERS))
    nested.iloc[4, 1] = nested.iloc[4, 1][:-1]
    with pytest.raises(ValueError, match="series.*4.*lengths"):
        both.predict(nested)
    for wrong, message in [(np.zeros((0, 5)), "0 sample"), (np.zeros((3, 0)), "0 feature"), (flat[0], "Reshape your data")]:
        with pytest.raises(ValueError, match=message):
            model.predict(wrong)


def test_random_states():
    settings = dict(kernel="rbf", compare="steps", draws=4)
    first = volterra.SeriesClassifier(**settings, random_state=np.random.RandomState(3), layout="time").fit(X, LABELS)
    again = volterra.SeriesClassifier(**settings, random_state=np.random.RandomState(3), layout="time").fit(X, LABELS)
    assert first.kernel_ == again.kernel_
    kernels = {
        volterra.SeriesClassifier(**settings, random_state=None, layout="time").fit(X, LABELS).kernel_ for _ in range(3)
    }
    assert len(kernels) > 1  # another seed at each fit
    copied = pickle.loads(pickle.dumps(first))
    assert np.array_equal(copied.decision_function(OTHERS), first.decision_function(OTHERS))


def test_nested_accuracy_race_and_landmarks(program, tmp_path):
    settings = dict(draws=48, screen=9, landmarks=12, folds=3, layout="time")
    model = volterra.SeriesClassifier(**settings).fit(X, LABELS)
    assert (model.n_tried_, model.n_screen_, model.n_landmarks_, model.cut_) == (48, 9, 12, False)
    assert 6 <= model.n_finalists_ < 48 and 0 <= model.nested_accuracy_ <= 1
    np.save(tmp_path / "a.npy", X)
    (tmp_path / "a.csv").write_text("label\n" + "\n".join(LABELS) + "\n")
    files = ("--train", tmp_path / "a.npy", "--train-labels", tmp_path / "a.csv")
    options = ("--draws", 48, "--screen", 9, "--landmarks", 12, "--folds", 3, "--json")
    expected = json.loads(program("classify", *files, *options))
    assert model.nested_accuracy_ == pytest.approx(expected["nested_accuracy"], rel=1e-12)
    assert model.kernel_ == expected["kernel"] and model.n_finalists_ == expected["finalists"]
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copied.decision_function(OTHERS), model.decision_function(OTHERS))
    # Random labels: the accuracy of the selected kernel is optimistic.
    labels = np.random.default_rng(5).permutation(LABELS)
    lucky = volterra.SeriesClassifier("rbf | memory", draws=60, layout="time").fit(X, labels)
    assert lucky.left_out_accuracy_ > lucky.nested_accuracy_
    assert np.isnan(volterra.SeriesClassifier(**FEW, folds=0, layout="time").fit(X, LABELS).nested_accuracy_)


@pytest.mark.parametrize("loss", ["squares", "multinomial"])
def test_pickles_and_copies(loss):
    # Several drawn kernels: a copy uses those and draws nothing.
    model = volterra.SeriesClassifier("rbf | linear", draws=8, loss=loss, compare="series").fit(X, LABELS)
    expected = model.decision_function(OTHERS)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(twin.decision_function(OTHERS), expected)
        assert twin.parts_ == model.parts_ and twin.left_out_accuracy_ == model.left_out_accuracy_


def test_warnings_of_the_library():
    rng = np.random.default_rng(3)
    X = [rng.normal(size=(20, 1)) for _ in range(9)]
    with pytest.warns(volterra.VolterraWarning):
        model = volterra.SeriesClassifier("gak:sigma=2").fit(X, [0, 0, 0, 0, 1, 1, 1, 1, 2])
    assert [note.series for note in model.warnings_] == [2]  # the class with one series


def test_scikit_learn_conventions(fitted):
    params = volterra.SeriesClassifier("esn", draws=2).get_params()
    assert params["kernel"] == "esn" and params["draws"] == 2 and params["loss"] == "squares"
    base, selection = pytest.importorskip("sklearn.base"), pytest.importorskip("sklearn.model_selection")
    assert base.is_classifier(fitted) and not hasattr(base.clone(fitted), "classes_")
    folds = selection.StratifiedKFold(3)
    scores = selection.cross_val_score(volterra.SeriesClassifier(**FEW), X, LABELS, cv=folds)
    assert scores.shape == (3,) and scores.mean() > 0.5
    with pytest.raises(volterra.NotFittedError):
        volterra.SeriesClassifier().predict(X)
    with pytest.raises(volterra.NotFittedError):
        pickle.loads(pickle.dumps(volterra.SeriesClassifier())).predict(X)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"kernel": "gakk"}, "gak"),
        ({"loss": "huber"}, "loss must be .*got 'huber'"),
        ({"alpha": 0}, "alpha must be .*got 0"),
        ({"alpha": "some"}, "alpha must be .*got 'some'"),
        ({"draws": 0}, "draws must be .*got 0"),
        ({"budget": "soon"}, "budget must be .*got 'soon'"),
        ({"blend": 9}, "blend must be at most 8.*got 9"),
        ({"ranges": {"alpha": (1, 2)}}, "range .*alpha"),
        ({"scale": "all"}, "scale must be .*got 'all'"),
        ({"input": "rows"}, "input must be .*got 'rows'"),
        ({"compare": "ends"}, "compare must be .*got 'ends'"),
        ({"splits": -1}, "splits must be .*got -1"),
        ({"layout": "rows"}, "layout must be .*got 'rows'"),
        ({"screen": 5, "draws": 2}, "screen must be at least 6.*got 5"),
        ({"landmarks": 19, "draws": 2}, "landmarks must be .*got 19"),
        ({"folds": 1}, "folds must be .*got 1"),
        ({"random_state": -1}, "random_state must be .*got -1"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        volterra.SeriesClassifier(**arguments).fit(X, LABELS)


def test_invalid_data_leave_estimator_unchanged(fitted):
    model, expected = copy.deepcopy(fitted), fitted.predict(OTHERS)
    for series, labels, message in [
        (X[0, :, 0], LABELS, "must be a collection"),
        (X[0], LABELS, r"y has shape \(18,\)"),
        (X, LABELS[:-1], r"y has shape \(17,\)"),
        (X, ["one"] * 18, "1 class"),
        (X, [np.nan] * 18, "not labels"),
        ([*X[:-1], X[-1][:, :1]], LABELS, "different numbers of channels"),
        (np.zeros(X.shape), LABELS, "nothing to compare"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.fit(series, labels)
    assert np.array_equal(model.predict(OTHERS), expected)
    with pytest.raises(ValueError, match="X.*1.*channels.*SeriesClassifier.*2"):
        model.predict(X[:, :, :1])


# ---- SequenceKernelRidge on collections ------------------------------------------------------------------------

TARGETS = np.column_stack([FREQUENCIES, X[:, -1, 0]])


@pytest.mark.parametrize("normalise", [True, False])
def test_numbers_of_series_are_ridge_regression_on_the_gram_matrix(normalise):
    model = volterra.SequenceKernelRidge("memory:mu=0.8", 0.1, scale=False, normalise=normalise).fit(X, TARGETS)
    radius = np.linalg.norm(X, axis=2).max()
    kernel = dict(kernel="memory:mu=0.8", normalise=normalise, radius=radius)
    K, C = volterra.gram(X, **kernel), volterra.gram(X[::-1], X, **kernel)
    unit = np.trace(K) / len(K)
    outputs, left_out = plain(K / unit, C / unit, TARGETS, 0.1)
    assert np.allclose(model.predict(X[::-1]), outputs, rtol=0, atol=1e-10)
    assert np.allclose(model.left_out_, left_out, rtol=0, atol=1e-10)
    r2 = 1 - ((TARGETS - left_out) ** 2).mean(axis=0) / TARGETS.var(axis=0)
    assert model.left_out_r2_ == pytest.approx(r2.mean(), rel=1e-9)
    assert model.alpha_ == 0.1 and model.n_outputs_ == 2 and model.n_features_in_ == 2
    assert model.score(X, TARGETS) == pytest.approx(volterra.metrics.r2(TARGETS, model.predict(X)), rel=1e-12)


def test_alpha_is_best_by_loo():
    model = volterra.SequenceKernelRidge("gak:sigma=1").fit(X, FREQUENCIES)
    errors = {}
    for power in range(-8, 2):
        other = volterra.SequenceKernelRidge("gak:sigma=1", alpha=10.0**power).fit(X, FREQUENCIES)
        errors[other.alpha_] = np.mean((other.left_out_ - FREQUENCIES) ** 2)
    assert model.alpha_ == min(errors, key=errors.get)
    assert model.left_out_.shape == (18,) and model.predict(OTHERS).shape == (9,)
    assert model.score(OTHERS, OTHER_FREQUENCIES) > 0.5


def test_collections_in_every_form():
    expected = volterra.SequenceKernelRidge("gak:sigma=1", input="both").fit(X, FREQUENCIES).predict(OTHERS)
    listed = volterra.SequenceKernelRidge("gak:sigma=1", input="both").fit(list(X), FREQUENCIES.tolist())
    assert np.array_equal(listed.predict(list(OTHERS)), expected)
    turned = volterra.SequenceKernelRidge("gak:sigma=1", input="both", layout="channels")
    turned.fit(X.transpose(0, 2, 1), FREQUENCIES)
    assert np.array_equal(turned.predict(OTHERS.transpose(0, 2, 1)), expected)
    for twin in (pickle.loads(pickle.dumps(listed)), copy.deepcopy(listed)):
        assert np.array_equal(twin.predict(OTHERS), expected)
    # From series to a sequence and back.
    rows, targets = X.reshape(-1, 2), X.reshape(-1, 2)[:, 0] ** 2
    alone = volterra.SequenceKernelRidge("fading", 0.1).fit(rows, targets)
    both = copy.deepcopy(alone).fit(X, FREQUENCIES)
    assert not hasattr(both, "facts_") and not hasattr(both, "fitted_")
    both.fit(rows, targets)
    assert np.array_equal(both.predict(rows), alone.predict(rows)) and not hasattr(both, "left_out_")


def test_sequence_options_are_rejected():
    for settings, name in [({"ahead": 1}, "ahead is 1"), ({"loss": "huber"}, "loss is 'huber'"), ({"washout": 3}, "washout")]:
        with pytest.raises(ValueError, match=name):
            volterra.SequenceKernelRidge(**settings).fit(X, FREQUENCIES)
    with pytest.raises(ValueError, match="neither sample_weight"):
        volterra.SequenceKernelRidge().fit(X, FREQUENCIES, sample_weight=np.ones(18))
    with pytest.raises(ValueError, match="17.*rows.*X.*18.*series"):
        volterra.SequenceKernelRidge().fit(X, FREQUENCIES[:-1])
    model = volterra.SequenceKernelRidge("gak:sigma=1").fit(X, FREQUENCIES)
    for call in (lambda: model.continue_(3), lambda: model.save("model.safetensors"), lambda: model.stream()):
        with pytest.raises(ValueError, match="fitted to whole series"):
            call()
    with pytest.raises(ValueError, match="start"):
        model.predict(X, start="reset")
    with pytest.raises(ValueError, match="collection"):
        model.predict(X[0])
    with pytest.raises(ValueError, match="learned 2"):
        model.predict(X[:, :, :1])
    with pytest.raises(ValueError, match="row.*series"):
        model.score(X, FREQUENCIES[:-1])


# ---- gram ------------------------------------------------------------------------------------------------------


def test_gram_in_both_layouts():
    expected = volterra.gram(OTHERS, X, kernel="gak:sigma=1")
    turned = volterra.gram(OTHERS.transpose(0, 2, 1), X.transpose(0, 2, 1), kernel="gak:sigma=1", layout="channels")
    assert np.array_equal(turned, expected)
    padded = np.concatenate([X, np.full((18, 3, 2), np.nan)], axis=1)
    assert np.array_equal(volterra.gram(OTHERS, padded, kernel="gak:sigma=1"), expected)
    with pytest.raises(ValueError, match="layout"):
        volterra.gram(X[0], layout="channels")
    with pytest.raises(ValueError, match="'rows'"):
        volterra.gram(X, layout="rows")
