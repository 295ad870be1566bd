"""The structs, constants and prototypes of volterra._core._generated equal those of the C headers."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys

import pytest
from volterra._core import _native as c

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def compile_and_run(root, folder, lines):
    """Return the output of a C program with these statements, as a dict."""
    if COMPILER is None:
        pytest.skip("there is no C compiler")
    source = folder / "layout.c"
    source.write_text(
        '#include "volterra.h"\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n'
        + "\n".join(lines)
        + "\nreturn 0;\n}\n"
    )
    subprocess.run([COMPILER, "-I", root / "include", source, "-o", folder / "layout"], check=True)
    output = subprocess.run([folder / "layout"], check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value in (line.split() for line in output.splitlines())}


def test_generated_file_is_current(root):
    script = root / "scripts/describe.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_layout_of_structs(root, tmp_path):
    """Sizes and offsets equal those of the compiler."""
    lines, expected = [], {}
    for name, struct in c.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected[name] = ctypes.sizeof(struct)
        for field, *_ in struct._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            expected[f"{name}.{field}"] = getattr(struct, field).offset
    assert len(expected) > 500
    assert compile_and_run(root, tmp_path, lines) == expected


def test_constants(root, tmp_path):
    lines = [f'printf("{name} %g\\n", (double){name});' for name in c.CONSTANTS]
    assert compile_and_run(root, tmp_path, lines) == c.CONSTANTS


def test_every_function_is_found(root):
    """The exported functions have the number of arguments in the headers."""
    exported = (root / "abi/libvolterra.symbols").read_text().split()
    assert set(exported) == set(c.PROTOTYPES)
    for name in exported:
        assert getattr(c.lib, name).argtypes == [c._ARGUMENTS.get(kind, kind) for kind in c.PROTOTYPES[name][1]]
