"""Kernels given as expressions: sums, products and filters, wherever a kernel is accepted."""

import pickle

import numpy as np
import pytest

import volterra
from volterra import SequenceKernelRidge, VolterraRidge, VolterraRidgeCV

TEXTS = [
    "2*fir:mu=0.8 + memory:gamma=1,rho=0.5,mu=0.8",
    "volterra:tau=0.4,lambda=0.5 + 0.5*fir:corr=0.4,pole=0.3",
    "linear*rbf:gamma=0.5,window=3 + fading:pole=0.5,pair=0.7,angle=0.2",
]


@pytest.fixture
def data():
    rng = np.random.default_rng(13)
    X = rng.normal(size=(90, 2))
    w = np.array([1.0, 0.5, 0.25])
    Y = np.column_stack([np.convolve(X[:, 0], w)[:90], np.tanh(np.convolve(X[:, 1], w)[:90])])
    return X, Y


def pole(X, p):
    out = np.zeros_like(X)
    for t in range(len(X)):
        out[t] = (p * out[t - 1] if t else 0) + (1 - abs(p)) * X[t]
    return out


def test_gram_is_the_sum_of_products(data):
    X, _ = data
    X = X / np.abs(X).max() / 2
    K = volterra.gram(X, kernel="2*fir:mu=0.8 + memory:pole=0.7*rbf:gamma=1")
    parts = (
        volterra.gram(X, kernel="fir:mu=0.8"),
        volterra.gram(pole(X, 0.7), kernel="memory"),
        volterra.gram(X, kernel="rbf:gamma=1"),
    )
    np.testing.assert_allclose(K, 2 * parts[0] + parts[1] * parts[2], rtol=1e-12)


def test_gram_of_collections(data):
    X, _ = data
    series = [X[:10] / 4, X[5:30] / 4, X[7:8] / 4]
    K = volterra.gram(series, kernel="3*fir + gak:pole=0.5")
    parts = volterra.gram(series, kernel="fir"), volterra.gram([pole(s, 0.5) for s in series], kernel="gak")
    np.testing.assert_allclose(K, 3 * parts[0] + parts[1], rtol=1e-12)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("kind", [VolterraRidge, SequenceKernelRidge])
def test_estimators(kind, text, data, tmp_path):
    X, Y = data
    model = kind(kernel=text, alpha=1e-3, beyond="allow").fit(X[:70], Y[:70])
    assert volterra.kernel_text(model.kernel_) == model.kernel_
    batch = model.predict(X[70:])
    stream = model.stream()
    np.testing.assert_allclose([stream.feed(row) for row in X[70:]], batch, rtol=1e-9, atol=1e-12)
    model.save(tmp_path / "m.safetensors")
    loaded = volterra.load(tmp_path / "m.safetensors")
    assert isinstance(loaded, SequenceKernelRidge)
    assert np.array_equal(loaded.set_params(beyond="allow").predict(X[70:]), batch)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X[70:]), batch)


def test_alpha_is_chosen(data):
    X, Y = data
    assert SequenceKernelRidge("fir:mu=0.6 + 0.1*memory").fit(X, Y[:, 0]).score(X, Y[:, 0]) > 0.9


def test_search(data, tmp_path):
    X, Y = data
    search = VolterraRidgeCV(
        kernel="fir:corr=? + ?*memory:pole=?,gamma=1",
        ranges={"2.mu": (0.1, 0.9), "1.mu": [0.5, 0.7]},
        draws=6,
        folds=2,
        random_state=1,
        log=tmp_path / "t.jsonl",
    ).fit(X, Y)
    kernel = search.best_params_["kernel"]
    assert kernel == search.kernel_
    tried = [params["kernel"] for params in search.cv_results_["params"]]
    assert all(text.startswith(("fir:mu=0.5,", "fir:mu=0.7,")) for text in tried)
    assert all("pole=" in text and "corr=0 " not in text for text in tried[1:])  # the first has the defaults
    assert search.best_estimator_.predict(X[:5] / 2).shape == (5, 2)
    assert len(set(tried)) == 6


def test_search_of_a_sum_that_begins_with_volterra(data):
    X, Y = data
    search = VolterraRidgeCV(kernel="volterra + fir", ranges={"1.lambda_coef": (0.5, 0.9)}, draws=3, folds=2).fit(X, Y)
    assert set(search.best_params_) == {"kernel", "alpha"}
    assert search.best_estimator_.kernel_ == search.kernel_


def test_listed_candidates(data):
    X, Y = data
    given = [dict(kernel="fir", alpha=1e-3), dict(kernel="fir + rbf:pole=0.5", alpha=1e-3)]
    assert VolterraRidgeCV(candidates=given, folds=2).fit(X, Y).best_params_ in given


@pytest.mark.parametrize(
    "kernel, sentence",
    [
        ("rbf:pole=1", "pole=1 lies outside"),
        ("rbf:angle=0.2", "requires pair"),
        ("0*rbf + linear", "weight 0 of a term must be positive"),
        ("rbf + linear:pole=?", "factor 2: kernel linear: pole=\\?"),
        ("rbf + ", "a factor is missing"),
        ("+".join(["linear"] * 1000), "characters"),
        ("(rbf + linear)*fir", "kernel"),
    ],
)
def test_bad_expressions(kernel, sentence, data):
    X, Y = data
    with pytest.raises(ValueError, match=sentence):
        volterra.gram(X, kernel=kernel)
    with pytest.raises(ValueError, match=sentence):
        SequenceKernelRidge(kernel).fit(X, Y)


def test_range_of_missing_factor(data):
    X, Y = data
    with pytest.raises(ValueError, match="3.gamma"):
        VolterraRidgeCV(kernel="rbf + linear", ranges={"3.gamma": (0.1, 1)}, draws=2, folds=2).fit(X, Y)


def test_impulse_response(data):
    X, Y = data
    model = SequenceKernelRidge("fir:mu=0.5", alpha=1e-6).fit(X, Y[:, 0])
    g = model.impulse_response(4)
    assert g.shape == (1, 4, 2)
    np.testing.assert_allclose(g[0, :, 0], [1, 0.5, 0.25, 0], atol=0.02)
    np.testing.assert_allclose(g[0, :, 1], 0, atol=0.02)
    with pytest.raises(ValueError, match="response"):
        SequenceKernelRidge("fir*rbf", alpha=1).fit(X, Y).impulse_response()
    with pytest.raises(ValueError, match="lags"):
        model.impulse_response(0)


def test_fir_is_in_the_table():
    assert set(volterra.kernel_table()["fir"]["parameters"]) == {"mu", "corr"}
