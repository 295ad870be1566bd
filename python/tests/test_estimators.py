"""Semantics of fit, predict, score, stream and continue_."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge

KERNELS = [
    "volterra:tau_coef=0.4,lambda_coef=0.8",
    "volterra:lift=even,lambda_coef=0.8",
    "rbf:gamma=0.5,window=4",
    "memory:gamma=1,rho=0.5,mu=0.85",
    "gak:sigma=1,window=4",
    "sig:level=3,window=4",
]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", volterra.VolterraWarning)
        yield


def rounding(model, X, y):
    """Rounding difference of two orders of summation in a prediction: a small multiple of eps sum_j |k_j A_j|."""
    largest = np.abs(volterra.gram(X / np.linalg.norm(X, axis=1).max(), kernel=model.kernel_)).max()
    return 64 * np.finfo(float).eps * largest * np.abs(model.dual_coef_).sum() * np.std(y)


# ---- predict -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
def test_training_rows_give_fitted_values(system, kernel):
    X, y = system
    model = SequenceKernelRidge(kernel, alpha=1e-3, washout=7).fit(X, y)
    assert np.array_equal(model.predict(X), model.fitted_)
    # ... equal to the prediction as a new sequence: K A, to the rounding of a solve with this condition
    rebuilt = model.predict(X, start="reset")
    assert np.abs(rebuilt - model.fitted_).max() <= 300 * np.finfo(float).eps / model.rcond_ * np.abs(y).max()


def test_training_rows_then_more(system):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    assert np.array_equal(model.predict(X), np.r_[model.fitted_, model.predict(X[200:])])


def test_other_rows_follow_the_training_rows(system):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    # predictions after training equal those of one long sequence
    long_series = np.vstack([X[:200], X[200:]])
    K = volterra.gram(
        (long_series - X[:200].mean(axis=0)) / np.linalg.norm(X[:200] - X[:200].mean(axis=0), axis=1).max(),
        kernel=f"volterra:tau={model.facts_['tau']!r},lambda={model.facts_['lambda']!r}",
    )
    scale = y[:200].std()
    expected = scale * (K[200:, :200] @ model.dual_coef_[:, 0]) + model.intercept_[0]
    inside = model.predict(X[200:], start="continue")
    beyond = np.linalg.norm(X - X[:200].mean(axis=0), axis=1)
    first = np.argmax(beyond[200:] > beyond[:200].max()) or 100  # clipped from here on
    assert np.allclose(inside[:first], expected[:first], rtol=0, atol=1e-10)
    assert np.array_equal(model.predict(X[200:]), inside)


def test_start_continue_repeats_the_training_rows(system):
    X, y = system
    model = VolterraRidge(alpha=1e-3, start="continue").fit(X, y)
    assert not np.allclose(model.predict(X)[:5], model.fitted_[:5])
    assert np.array_equal(model.predict(X), VolterraRidge(alpha=1e-3).fit(X, y).predict(X, start="continue"))


def test_part_of_training_rows_is_new_data(system):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X, y)
    assert np.array_equal(model.predict(X[:50]), model.predict(X[:50], start="continue"))


def test_changed_training_array_is_detected(system):
    X, y = system
    mine = X.copy()
    model = VolterraRidge(alpha=1e-3).fit(mine, y)
    mine[10, 0] += 0.1
    assert not np.array_equal(model.predict(mine), model.fitted_)
    assert np.array_equal(model.predict(X), model.fitted_)


def test_score_is_r2(system):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    assert model.score(X[:200], y[:200]) == volterra.metrics.r2(y[:200], model.fitted_)
    assert model.score(X[200:], y[200:]) == volterra.metrics.r2(y[200:], model.predict(X[200:]))
    assert model.score(X[200:], y[200:]) > 0.8
    weights = np.linspace(0, 1, 100)
    assert model.score(X[200:], y[200:], weights) != model.score(X[200:], y[200:])


def test_shapes_follow_y(system):
    X, y = system
    assert VolterraRidge().fit(X, y).predict(X[:5]).shape == (5,)
    assert VolterraRidge().fit(X, y[:, None]).predict(X[:5]).shape == (5, 1)
    two = np.c_[y, -2 * y]
    model = VolterraRidge().fit(X, two)
    assert model.predict(X[:5]).shape == (5, 2)
    assert model.fitted_.shape == (300, 2)
    assert np.allclose(model.predict(X[:5])[:, 1], -2 * model.predict(X[:5])[:, 0])


# ---- a series without y ------------------------------------------------------------------------------------


def test_series_equals_shifted_targets(rng):
    x = volterra.datasets.lorenz(400)
    alone = VolterraRidge(alpha=1e-6).fit(x[:300])
    shifted = VolterraRidge(alpha=1e-6).fit(x[:299], x[1:300])
    assert np.array_equal(alone.fitted_, shifted.fitted_)
    assert np.array_equal(alone.continue_(20), shifted.continue_(20))
    # the continuation begins at row 300; for the shifted pairs row 299 comes first
    assert np.array_equal(alone.predict(x[300:]), shifted.predict(x[299:])[1:])
    assert np.array_equal(alone.predict(x[:300])[:299], alone.fitted_)
    assert np.array_equal(alone.predict(x[:300])[299:], shifted.predict(x[299:300]))
    assert np.array_equal(alone.predict(x[:310])[300:], alone.predict(x[300:310]))


def test_score_without_y():
    x = volterra.datasets.mackey_glass(500)
    model = VolterraRidge(alpha=1e-8).fit(x[:400])
    assert model.score(x[400:]) == volterra.metrics.r2(x[401:], model.predict(x[400:])[:-1])
    assert model.score(x[400:]) > 0.99


def test_continue_feeds_outputs_back():
    x = volterra.datasets.lorenz(600)
    model = VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8).fit(x)
    path = model.continue_(30)
    stream, row, by_hand = model.stream(start="continue"), None, []
    # the stream of a series continues after its last row, but its first prediction needs that row: use pairs
    pairs = VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8).fit(x[:-1], x[1:])
    stream, row = pairs.stream(), x[-1]
    for _ in range(30):
        row = stream.feed(row)
        by_hand.append(row)
    assert np.abs(path - np.array(by_hand)).max() <= 1e-9 * np.abs(x).max()


def test_continue_needs_feedback(system):
    X, y = system
    with pytest.raises(ValueError, match="outputs"):
        VolterraRidge().fit(X, y).continue_(3)
    with pytest.raises(ValueError, match="steps must be .*got 0"):
        VolterraRidge().fit(X).continue_(0)


# ---- streams -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
def test_stream_equals_predict(system, kernel):
    X, y = system
    model = SequenceKernelRidge(kernel, alpha=1e-3).fit(X[:200], y[:200])
    for start in ("continue", "reset"):
        stream = model.stream(start=start)
        live = [stream.feed(row) for row in X[200:]]
        assert isinstance(live[0], float)
        assert np.allclose(live, model.predict(X[200:], start=start), rtol=0, atol=rounding(model, X, y))


def test_stream_of_a_series_follows_it():
    x = volterra.datasets.lorenz(320)
    model = VolterraRidge(alpha=1e-6).fit(x[:300])
    stream = model.stream()
    assert np.allclose([stream.feed(row) for row in x[300:]], model.predict(x[300:]), rtol=0, atol=1e-9)


def test_stream_outlives_its_estimator(system):
    X, y = system
    stream = VolterraRidge().fit(X, y).stream()
    assert np.isfinite(stream.feed(X[0]))
    with pytest.raises(ValueError, match="shape"):
        stream.feed([1.0, 2.0, 3.0])


# ---- copies ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pickle.loads, "deepcopy"])
@pytest.mark.parametrize("kernel", KERNELS[:4])
def test_copies_predict_bitwise_equal(system, make, kernel):
    X, y = system
    model = SequenceKernelRidge(kernel, alpha=1e-3).fit(X[:200], y[:200])
    other = copy.deepcopy(model) if make == "deepcopy" else make(pickle.dumps(model))
    assert np.array_equal(other.predict(X), model.predict(X))
    assert np.array_equal(other.fitted_, model.fitted_)
    assert other.get_params() == model.get_params()


def test_pickle_holds_the_safetensors_bytes(system):
    X, y = system
    model = VolterraRidge().fit(X, y)
    assert b'"format":"volterra-model"' in pickle.dumps(model)


def test_refit_discards_previous_fit(system):
    X, y = system
    model = VolterraRidge().fit(X, np.c_[y, y])
    model.fit(X[:, :1], y)
    assert model.n_features_in_ == 1 and model.n_outputs_ == 1
    assert model.predict(X[:4, :1]).shape == (4,)


# ---- parameters --------------------------------------------------------------------------------------------


def test_parameters_become_a_kernel(system):
    X, y = system
    kernel = VolterraRidge(tau=0.4, lam=0.7, lift="even").fit(X, y).kernel_
    assert kernel == volterra.kernel_text("volterra:tau=0.4,lambda=0.7,lift=even")
    assert VolterraRidge(lift="rbf", gamma=0.3, lam=0.8).fit(X, y).kernel_.startswith("volterra:gamma=0.3")
    same = VolterraRidge(kernel="volterra:tau=0.4,lambda=0.7,lift=even").fit(X, y)
    assert same.kernel_ == kernel
    with pytest.raises(ValueError, match="kernel and tau"):
        VolterraRidge(tau=0.3, kernel="volterra").fit(X, y)


def test_numbers_keep_all_their_digits(system):
    X, y = system
    tau, lam = 0.1 + 0.2, 1 / 3
    facts = VolterraRidge(tau=tau, lam=lam).fit(X, y).facts_
    assert facts["tau"] == tau and facts["lambda"] == lam


def test_threads_of_one_fit(system):
    X, y = system
    before = volterra.threads()
    VolterraRidge(n_jobs=1).fit(X, y)
    assert volterra.threads() == before
    with pytest.raises(ValueError, match="n_jobs must be .*got 0"):
        VolterraRidge(n_jobs=0).fit(X, y)


def test_beyond(system):
    X, y = system
    far = 3 * X[:5]
    with pytest.warns(volterra.BeyondWarning, match="of 5 input rows"):
        clipped = VolterraRidge(alpha=1e-3).fit(X, y).predict(far)
    assert np.isfinite(clipped).all()
    with pytest.raises(ValueError, match="beyond|norm"):
        VolterraRidge(alpha=1e-3, beyond="error").fit(X, y).predict(far)
    # without scaling, inputs outside the ball are used unchanged if possible
    plain = VolterraRidge(tau=0.2, lam=0.5, alpha=1e-3, scale=False).fit(X, y)
    explicit = VolterraRidge(tau=0.2, lam=0.5, alpha=1e-3, scale=False, beyond="allow").fit(X, y)
    assert np.array_equal(plain.predict(1.2 * X[:5]), explicit.predict(1.2 * X[:5]))


def test_repr():
    assert repr(VolterraRidge(tau=0.3, alpha=1e-4)) == "VolterraRidge(alpha=0.0001, tau=0.3)"


def test_lambda_coef_has_one_name():
    u, y = volterra.datasets.narma10(120, seed=3)
    u = u.reshape(-1, 1)
    model = VolterraRidge(lambda_coef=0.7, alpha=1e-3).fit(u, y)
    assert model.kernel_ == volterra.kernel_text("volterra:lambda_coef=0.7")
    K = volterra.volterra_kernel(u, lambda_coef=0.7)
    assert np.array_equal(K, volterra.gram(u, kernel="volterra:lambda_coef=0.7"))
    with pytest.raises(ValueError, match="kernel.*lambda_coef"):
        VolterraRidge(kernel="volterra", lambda_coef=0.7).fit(u, y)
    search = volterra.VolterraRidgeCV(candidates={"lambda_coef": [0.5, 0.6], "alpha": [1e-3]}).fit(u, y)
    assert search.best_params_["lambda_coef"] in (0.5, 0.6) and "param_lambda_coef" in search.cv_results_
    drawn = volterra.VolterraRidgeCV(draws=2, ranges={"lambda_coef": ("linear", 0.5, 0.6)}, random_state=0).fit(u, y)
    assert 0.5 <= drawn.best_params_["lambda_coef"] <= 0.6


def test_continue_after_new_rows():
    x = volterra.datasets.lorenz(340)
    model = VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8).fit(x[:300])
    path = model.continue_(20, after=x[300:330])
    stream = model.stream()
    by_hand = [stream.feed(row) for row in x[300:330]][-1:]
    while len(by_hand) < 20:
        by_hand.append(stream.feed(by_hand[-1]))
    assert np.array_equal(path, by_hand)
    assert np.array_equal(path, model.continue_(20, after=x[:330]))  # it may begin with the rows of training
    assert np.array_equal(model.continue_(20), model.continue_(20, after=x[:300]))
    assert not np.array_equal(path, model.continue_(20))
    # With y given, X continues after the last input, or after the last target.
    pairs = VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8).fit(x[:299], x[1:300])
    assert np.array_equal(path, pairs.continue_(20, after=x[299:330]))
    assert np.array_equal(path, pairs.continue_(20, after=x[300:330]))
    # A row equal to the last training row is a new row.
    again = np.vstack([x[299], x[300:305]])
    stream = model.stream()
    expected = [stream.feed(row) for row in again][-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", volterra.OrderWarning)
        assert np.array_equal(model.continue_(1, after=again)[0], expected)
    with pytest.raises(ValueError, match="features"):
        model.continue_(3, after=x[300:, :2])
