"""What the wheel holds."""

from __future__ import annotations

import importlib.metadata
import re

import pytest

import volterra


@pytest.fixture
def files():
    try:
        return [str(path) for path in importlib.metadata.files("volterra") or []]
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package runs from its source")


def test_library_lies_beside_the_package(files):
    libraries = [path for path in files if re.search(r"\.(so|dylib)", path)]
    assert libraries in (["volterra/libvolterra.so"], ["volterra/libvolterra.dylib"])
    assert "volterra/py.typed" in files


def test_nothing_else_is_installed(files):
    assert not [path for path in files if not re.match(r"volterra(-[0-9.]+\.dist-info)?/", path)]


def test_one_version(root):
    stated = re.search(r"project\(volterra VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
    assert volterra.__version__ == volterra.info()["version"] == stated


def test_everything_public_is_documented():
    for name in volterra.__all__:
        assert getattr(volterra, name).__doc__, name
