"""Interpreter for scripts that require only NumPy: without scikit-learn, `import volterra` takes a sixth of the time."""

import os
import sys

BARE_PYTHON = os.environ.get("VOLTERRA_FRESH", sys.executable)
