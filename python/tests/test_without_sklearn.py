"""The estimators work without scikit-learn, pandas and matplotlib."""

from __future__ import annotations

import subprocess
import sys
import textwrap

SCRIPT = """
    import pickle, sys
    for name in ("sklearn", "pandas", "matplotlib"):
        sys.modules[name] = None  # as if it were not installed
    import numpy as np, volterra

    x = volterra.datasets.lorenz(200)
    model = volterra.VolterraRidge(tau=0.3, alpha=1e-6)
    assert repr(model) == "VolterraRidge(alpha=1e-06, tau=0.3)", repr(model)
    assert model.get_params()["tau"] == 0.3 and model.get_params(deep=False) == model.get_params()
    assert model.set_params(alpha=1e-5) is model and model.alpha == 1e-5
    try:
        model.set_params(taw=1)
        raise SystemExit("set_params took a wrong name")
    except ValueError as error:
        assert "Invalid parameter 'taw'" in str(error)
    try:
        model.predict(x)
        raise SystemExit("predicted without a fit")
    except volterra.NotFittedError as error:
        assert isinstance(error, (ValueError, AttributeError))
    model.fit(x)
    assert model.score(x) > 0.9 and model.continue_(3).shape == (3, 3)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(x), model.predict(x))
    search = volterra.VolterraRidgeCV(draws=3, random_state=0).fit(x)
    assert search.best_estimator_.predict(x).shape == x.shape
    assert volterra.MCS(np.abs(x), reps=100).included
    try:
        volterra.plot.forecast(x, x)
        raise SystemExit("drew without matplotlib")
    except ImportError as error:
        assert "pip install matplotlib" in str(error)
    try:
        import volterra.gaussian_process
        raise SystemExit("imported a kernel of scikit-learn without it")
    except ImportError as error:
        assert "pip install scikit-learn" in str(error)
    print("done")
"""


def test_without_optional_packages():
    script = textwrap.dedent(SCRIPT)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "done\n", done.stderr
