"""MCS, against arch's figures."""

from __future__ import annotations

import numpy as np
import pytest
import volterra


@pytest.mark.parametrize("method", ["R", "max"])
def test_given_indices(golden, method):
    """With the replications given the p-values are exact."""
    file = golden(f"mcs_given_indices_{method}")
    indices = np.array(file.inputs["bootstrap_indices"])
    mcs = volterra.MCS(file.array("losses"), method=method, indices=indices)
    file.check("pvalues", mcs.pvalues, "absolute")
    assert mcs.order == file.expected["elimination_order"]
    file.check("step_statistics", mcs.statistics, "each")


@pytest.mark.parametrize("method", ["R", "max"])
def test_golden(golden, method):
    file = golden(f"mcs_{method}")
    p = file.params
    mcs = volterra.MCS(file.array("losses"), method=method, block=p["block_size"], reps=p["reps"])
    file.check("pvalues", mcs.pvalues, "absolute")
    assert mcs.included == sorted(file.expected["included_025"])
    assert volterra.MCS(
        file.array("losses"), 0.1, method=method, block=p["block_size"], reps=p["reps"]
    ).included == sorted(file.expected["included_010"])


def test_names(rng):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        rng.normal(size=(100, 1)) + 0.1 * rng.normal(size=(100, 3)) + [0, 0, 2], columns=["a", "b", "c"]
    )
    mcs = volterra.MCS(frame, size=0.25, reps=500)
    assert mcs.excluded == ["c"] and list(mcs.pvalues.index) == ["a", "b", "c"]
    assert mcs.order[0] == "c" and mcs.pvalues["c"] <= 0.25
    assert repr(mcs) == "MCS(included=['a', 'b'], excluded=['c'], size=0.25, method='R')"
    assert np.array_equal(mcs.pvalues, volterra.MCS(frame.to_numpy(), reps=500).pvalues)


def test_losses_are_the_nmse(rng):
    truth, forecast = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    assert np.isclose(volterra.losses(truth, forecast).mean(), volterra.metrics.nmse(truth, forecast))


def test_wrong(rng):
    table = rng.normal(size=(30, 2))
    for given, sentence in [
        (dict(size=1.5), "size"),
        (dict(method="T"), "method must be .*got 'T'"),
        (dict(block="long"), "block must be .*got 'long'"),
        (dict(block=0), "block must be .*got 0"),
        (dict(indices=[[0, 1]]), "indices has shape"),
        (dict(indices=np.full((2, 30), 99)), "99"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            volterra.MCS(table, **given)
