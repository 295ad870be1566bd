"""Run type checkers over scripts of users: a correct one passes, and every mistake of an incorrect one is reported."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

import pytest
from volterra._core import _native as c
from volterra import search
from volterra._core import _types
from volterra._core._data import LAYOUTS

FOLDER = pathlib.Path(__file__).parent / "typed_scripts"
RIGHT, WRONG = FOLDER / "user_script.py", FOLDER / "wrong_script.py"


def run(*words):
    done = subprocess.run([sys.executable, "-m", *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy():
    """Lines with an error, of each script."""
    with tempfile.TemporaryDirectory() as cache:
        told = run("mypy", "--strict", "--cache-dir", cache, RIGHT, WRONG)
    print(told)
    errors = re.findall(r"^(.*\.py):(\d+): error", told, re.MULTILINE)
    return sorted({(pathlib.Path(name).name, int(line)) for name, line in errors})


def basedpyright():
    """The same by a pyright that brings its own node."""
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder, "pyrightconfig.json")
        settings = dict(typeCheckingMode="standard", include=[str(RIGHT), str(WRONG)])
        project.write_text(json.dumps(settings), encoding="utf-8")
        told = run("basedpyright", "--outputjson", "--pythonpath", sys.executable, "--project", project)
    found = json.loads(told)
    assert found["summary"]["filesAnalyzed"] == 2
    errors = [one for one in found["generalDiagnostics"] if one["severity"] == "error"]
    print(json.dumps(errors, indent=1))
    return sorted({(pathlib.Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in errors})


@pytest.mark.parametrize("checker", [mypy, basedpyright], ids=lambda checker: checker.__name__)
def test_right_and_wrong_scripts(checker):
    for module in (checker.__name__, "polars"):  # whose types the script uses
        pytest.importorskip(module, reason=f"{module} is not installed")
    marked = [
        (WRONG.name, i)
        for i, line in enumerate(WRONG.read_text(encoding="utf-8").splitlines(), 1)
        if line.endswith("# wrong")
    ]
    assert len(marked) > 20
    assert checker() == marked


@pytest.mark.parametrize(
    "name, words",
    [
        ("Target", c.TARGETS),
        ("Input", c.INPUTS),
        ("StreamStart", c.STARTS),
        ("Race", c.RACES),
        ("Validate", c.VALIDATIONS),
        ("Baseline", c.BASELINES),
        ("Scoring", search._SCORES),
        ("Beyond", {"auto", *c.BEYOND}),
        ("Start", {"auto", *c.STARTS}),
        ("OdeMethod", c.ODE_METHODS),
        ("McsMethod", c.MCS_METHODS),
        ("ForgetWhat", c.FORGET_WHAT),
        ("SeriesScale", c.OBJECT_SCALES),
        ("SeriesInput", c.OBJECT_INPUTS),
        ("SeriesCompare", c.OBJECT_COMPARES),
        ("AnomalyScore", c.ANOMALY_SCORES),
        ("Layout", LAYOUTS),
    ],
)
def test_choices_equal_library(name, words):
    assert set(typing.get_args(getattr(_types, name))) == set(words)
