"""docs/kernels.md agrees with the table of kernels."""

from __future__ import annotations

import re

import pytest
import volterra

TABLE = volterra.kernel_table()


def sections(root):
    parts = re.split(r"^## (.+)$", (root / "docs/kernels.md").read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def cell(text):
    return (text or "").replace("|", r"\|")


@pytest.mark.parametrize("name", TABLE)
def test_section(root, name):
    text = sections(root)[name]
    rows = [line for line in text.split("\n") if line.startswith("| `")]
    assert rows == [
        f"| `{parameter}` | {cell(info['meaning'])} | {cell(info['range'])} | {cell(info['default'])} |"
        for parameter, info in TABLE[name]["parameters"].items()
    ]
    assert f"`{TABLE[name]['formula']}`" in text
    example = re.search(
        rf"^\| `{name}` \| `({name}:[^`]+)`", (root / "docs/kernels.md").read_text(), flags=re.M
    )
    assert example, f"a text of {name} in the table of kernels"
    assert volterra.kernel_text(example[1]).startswith(name + ":")
    assert (root / f"docs/images/kernel_{name}.svg").is_file()
    assert f"(images/kernel_{name}.svg)" in text
