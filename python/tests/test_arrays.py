"""Arrays are passed without a copy if possible, and converted otherwise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import volterra
from volterra._core._data import as_collection, as_matrix, is_collection
from volterra._core._native import view

KERNEL = "volterra:tau_coef=0.4,lambda_coef=0.8"


def test_contiguous_rows_are_not_copied(rng):
    base = rng.normal(size=(40, 6))
    for a in (base, base[5:20], base[:, 1:4], base[::2], base[:, 5:], base[3:4], base[::3, 2:5]):
        taken = as_matrix(a)
        assert np.shares_memory(taken, base)
        v = view(taken)
        assert (v.data, v.rows, v.cols) == (a.ctypes.data, *a.shape)
        # a leading dimension, not a copy: the library sees the same numbers
        assert np.array_equal(volterra.gram(a, kernel=KERNEL), volterra.gram(a.copy(), kernel=KERNEL))


def test_other_arrays_are_converted(rng):
    base = rng.normal(size=(30, 4))
    expected = volterra.gram(base, kernel=KERNEL)
    unaligned = np.frombuffer(b"x" + base.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(base.shape)
    for a in (
        np.asfortranarray(base),
        base.tolist(),
        base[::-1][::-1],
        base.astype(object),
        unaligned,
        base.astype(">f8"),
    ):
        assert np.array_equal(volterra.gram(a, kernel=KERNEL), expected)
    assert np.array_equal(
        volterra.gram(base[::-1], kernel=KERNEL), volterra.gram(base[::-1].copy(), kernel=KERNEL)
    )
    single = volterra.gram(base.astype(np.float32), kernel=KERNEL)
    assert np.array_equal(single, volterra.gram(base.astype(np.float32).astype(float), kernel=KERNEL))
    whole = np.arange(8).reshape(4, 2)
    assert np.array_equal(volterra.gram(whole, kernel="linear"), whole @ whole.T)


def test_read_only_arrays(rng):
    base = rng.normal(size=(30, 2))
    base.flags.writeable = False
    volterra.VolterraRidge(allow_target_in_inputs=True).fit(base, base[:, 0]).predict(base[:3])


def test_inputs_are_not_changed(rng):
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    x_before, y_before = X.copy(), y.copy()
    volterra.VolterraRidge(alpha=1e-2).fit(X, y).predict(X)
    assert np.array_equal(X, x_before) and np.array_equal(y, y_before)


def test_collections(rng):
    cube = rng.normal(size=(5, 12, 2))
    ragged = [rng.normal(size=(length, 2)) for length in (8, 12, 10)]
    assert is_collection(cube) and is_collection(ragged) and is_collection(tuple(ragged))
    assert not is_collection(cube[0]) and not is_collection(cube[0].tolist())
    for kernel in ("gak:sigma=2", "sig:level=3", KERNEL, "memory:gamma=1,rho=0.5,mu=0.8"):
        K = volterra.gram(cube, ragged, kernel)
        assert K.shape == (5, 3)
        assert np.allclose(K, volterra.gram(list(cube), ragged, kernel), rtol=1e-14)
        whole = volterra.gram(ragged, kernel=kernel)
        assert np.array_equal(whole, whole.T)
    # the Volterra kernel of two series is the last entry of the Gram matrix of their rows, ends aligned
    first, second = ragged[0], ragged[1][-8:]
    radius = max(np.linalg.norm(s, axis=1).max() for s in ragged)
    K = volterra.gram([first], [second], "volterra:tau=0.1,lambda=0.5", radius=radius)
    assert np.isclose(
        K[0, 0], volterra.gram(first, second, "volterra:tau=0.1,lambda=0.5", radius=radius)[-1, -1]
    )


def test_collections_that_do_not_fit(rng):
    with pytest.raises(ValueError, match="channels"):
        as_collection([rng.normal(size=(5, 2)), rng.normal(size=(5, 3))])
    with pytest.raises(ValueError, match="of one kind"):
        volterra.gram(rng.normal(size=(3, 5, 2)), rng.normal(size=(5, 2)), "gak")
    with pytest.raises(ValueError, match="of one kind"):
        volterra.gram(rng.normal(size=(5, 2)), rng.normal(size=(3, 5, 2)), "gak:window=2")
    with pytest.raises(ValueError, match=r"X\[1\] contains NaN"):
        volterra.gram([np.ones((3, 1)), np.full((3, 1), np.nan)], kernel="gak:sigma=1")


def test_normalised(rng):
    x, y = rng.normal(size=(20, 2)), rng.normal(size=(9, 2))
    own = [np.diag(volterra.gram(z, kernel=KERNEL, radius=9)) for z in (x, y)]
    plain = volterra.gram(x, y, kernel=KERNEL, radius=9)
    normalised = volterra.gram(x, y, kernel=KERNEL, radius=9, normalise=True)
    assert np.allclose(normalised, plain / np.sqrt(np.outer(*own)), rtol=0, atol=1e-13)
    K = volterra.gram([x[:7], x[3:]], kernel=KERNEL, normalise=True)
    assert np.array_equal(np.diag(K), [1, 1]) and 0 < K[0, 1] < 1
    with pytest.raises(ValueError, match="itself.*0"):
        volterra.gram(np.zeros((2, 1)), kernel="linear", normalise=True)


def test_radii_of_one_problem(rng):
    train = rng.normal(size=(20, 2))
    far = 3 * train
    with pytest.warns(volterra.VolterraWarning, match="radius"):
        volterra.gram(far, train, kernel=KERNEL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        volterra.gram(far, train, kernel=KERNEL, radius=4 * np.linalg.norm(train, axis=1).max())
        volterra.gram(train / 2, train, kernel=KERNEL)
        volterra.gram(far, train, kernel="rbf:gamma=1")


@pytest.mark.filterwarnings("ignore:kernel sigpde need not be")
def test_pairwise_functions_are_gram(rng):
    X, Y = rng.normal(size=(20, 2)) / 4, rng.normal(size=(15, 2)) / 4
    pairs = [
        (
            volterra.volterra_kernel(X, Y, tau=0.5, lam=0.4, lift="even"),
            "volterra:tau=0.5,lambda=0.4,lift=even",
        ),
        (volterra.gak_kernel(X, Y, sigma=1.5, window=4), "gak:sigma=1.5,window=4"),
        (
            volterra.signature_kernel(X, Y, level=3, window=4, augment="time"),
            "sig:level=3,window=4,augment=time",
        ),
        (
            volterra.sigpde_kernel(X, Y, dyadic=1, static="linear", window=4),
            "sigpde:dyadic=1,static=linear,window=4",
        ),
    ]
    for K, kernel in pairs:
        assert np.array_equal(K, volterra.gram(X, Y, kernel)), kernel
