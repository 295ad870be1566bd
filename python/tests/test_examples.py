"""Every public class has an example, and examples print rounded numbers."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest
import volterra
from readme_example import python_blocks

UNROUNDED = re.compile(r"\d\.\d{5}")


def public_objects():
    """Return the public classes and functions of the package and of its modules, by their names."""
    found = [one.name for one in pkgutil.walk_packages(volterra.__path__, "volterra.") if "._" not in one.name]
    names = [name for name in found if name != "volterra.sktime" and not name.startswith("volterra.lib")]
    modules = [volterra, *map(importlib.import_module, names)]
    return {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in modules
        for name in getattr(module, "__all__", [])
        if callable(getattr(module, name))
    }


def unrounded(text, name):
    return [one.want for one in doctest.DocTestParser().get_examples(text, name) if UNROUNDED.search(one.want)]


def test_docstrings():
    pytest.importorskip("sklearn")  # volterra.gaussian_process
    found = public_objects()
    assert len(found) > 80
    examples = {name: inspect.getdoc(one) or "" for name, one in found.items()}
    classes = [
        name for name, one in found.items() if inspect.isclass(one) and one.__module__.startswith("volterra")
    ]
    assert [name for name in classes if ">>>" not in examples[name]] == []
    assert {name: wrong for name, text in examples.items() if (wrong := unrounded(text, name))} == {}


def test_pages(root):
    pages = sorted((root / "docs").rglob("*.md"))
    blocks = {str(page): "\n".join(python_blocks(page.read_text(encoding="utf-8"))) for page in pages}
    assert {
        name: wrong for name, text in blocks.items() if ">>>" in text and (wrong := unrounded(text, name))
    } == {}
