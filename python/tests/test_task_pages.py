"""The Python in documents prints the documented output, numbers to a part in a thousand (tests/cli/documents.py)."""

from __future__ import annotations

import doctest
import importlib.util
import os
import pathlib

import pytest
from readme_example import python_blocks

ROOT = pathlib.Path(os.environ.get("VOLTERRA_ROOT", pathlib.Path(__file__).parents[2]))
GUIDES = [
    ROOT / name
    for name in ("README.md", "docs/first_steps_python.md", "docs/sklearn_users.md", "docs/statsforecast_users.md", "docs/universality.md")
]
PAGES = [*GUIDES, *sorted((ROOT / "docs/tasks").glob("*.md"))]

_spec = importlib.util.spec_from_file_location("documents", ROOT / "tests/cli/documents.py")
documents = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(documents)


class NearlyTheSame(doctest.OutputChecker):
    """Output that may differ in the last digits."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return documents.difference(want.splitlines(), got.splitlines()) is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch):
    for folder in ("examples", "bench"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    code = "\n".join(python_blocks(page.read_text(encoding="utf-8")))
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    assert test.examples, "the page has no Python"
    said = []
    results = doctest.DocTestRunner(NearlyTheSame()).run(test, out=said.append)
    assert results.failed == 0, "".join(said)


def test_pages_exist():
    assert len(PAGES) >= 1
