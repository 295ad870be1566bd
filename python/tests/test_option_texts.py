"""Docstrings of parameters that correspond to options of the program begin with the sentence of the option."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest


@pytest.fixture
def script(root, program_path, tmp_path):
    """Run option_texts.py of a copy of the sources, in which texts can be changed."""
    shutil.copytree(root / "python" / "volterra", tmp_path / "python" / "volterra")
    (tmp_path / "scripts").mkdir()
    shutil.copy(root / "scripts" / "option_texts.py", tmp_path / "scripts")

    def run(*words):
        command = [sys.executable, str(tmp_path / "scripts" / "option_texts.py"), "python", str(program_path), *words]
        return subprocess.run(command, capture_output=True, text=True)

    return run


def test_docstrings_are_current(script):
    done = script("--check")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) >= 70


def test_changed_sentences_are_found_and_restored(script, tmp_path):
    path = tmp_path / "python" / "volterra" / "ridge.py"
    current = path.read_text()
    assert "Leading rows of every record excluded from the fit" in current
    path.write_text(current.replace("Leading rows of every record excluded from the fit", "First rows"))
    done = script("--check")
    assert done.returncode != 0
    assert "ridge.py (VolterraRidge)" in done.stderr
    assert script().returncode == 0
    assert path.read_text() == current


def test_every_option_has_a_meaning(program_path):
    tables = json.loads(subprocess.run([program_path, "help", "--json"], capture_output=True, check=True).stdout)
    options = [o for c in tables["commands"] for o in c["options"]] + tables["options"]
    assert len(options) > 200
    for option in options:
        assert option["meaning"] and not option["meaning"].endswith("."), option
        assert ". " not in option["meaning"], option  # the first sentence of a docstring ends there
        assert option["type"] != "choice" or "|" in option["value"], option
