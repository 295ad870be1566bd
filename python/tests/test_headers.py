"""The layouts, constants and prototypes of volterra._native are those of the C headers."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess

import pytest
from volterra import _native as c

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def compile_and_run(root, folder, lines):
    """What a program of these statements prints, as a dict."""
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
    return {name: int(value) for name, value in (line.split() for line in output.splitlines())}


def test_layout_of_structs(root, tmp_path):
    lines, expected = [], {}
    for name, struct in c.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected[name] = ctypes.sizeof(struct)
        for field, *_ in struct._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            expected[f"{name}.{field}"] = getattr(struct, field).offset
    assert compile_and_run(root, tmp_path, lines) == expected


def test_constants(root, tmp_path):
    lines = [f'printf("{name} %d\\n", (int){name});' for name in c.CONSTANTS]
    assert compile_and_run(root, tmp_path, lines) == c.CONSTANTS


def declared(root):
    """Every prototype of the public headers: name, result, arguments, as C writes them without names."""
    prototypes = {}
    for header in sorted((root / "include/volterra").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        for result, name, arguments in re.findall(r"VOLT_API\s+([\w\s*]+?)\s*\b(volt_\w+)\(([^;]*)\);", text):
            arguments = " ".join(arguments.split())
            types = [] if arguments == "void" else [kind_of(a) for a in arguments.split(", ")]
            prototypes[name] = (kind_of(result + " x"), types)
    return prototypes


STRUCT_NAMES = set(c.STRUCTS)
SCALARS = {"int": "int", "int64_t": "int64", "uint64_t": "uint64", "double": "double", "void": "void"}


def kind_of(declaration):
    """int, double, int64, text, pointer or the name of a struct by value, from a C declaration with a name."""
    declaration = re.sub(r"\bconst\b", "", declaration)
    if "*" in declaration or "[" in declaration:
        one_star = declaration.count("*") + declaration.count("[") == 1
        return "text" if one_star and re.search(r"\bchar\b", declaration) else "pointer"
    word = declaration.split()[0]
    if word in ("volt_matrix", "volt_view"):
        return "matrix"
    if word in SCALARS:
        return SCALARS[word]
    if word in STRUCT_NAMES:
        return word
    if word in ("volt_progress_fn", "volt_log_fn", "volt_trial_fn", "volt_candidate_fn"):
        return "pointer"
    return "int"  # an enum


def python_kind(kind):
    scalars = {
        None: "void",
        ctypes.c_int: "int",
        ctypes.c_int64: "int64",
        ctypes.c_uint64: "uint64",
        ctypes.c_double: "double",
        ctypes.c_char_p: "text",
        ctypes.c_void_p: "pointer",
        c.Matrix: "matrix",
    }
    if kind in scalars:
        return scalars[kind]
    by_value = [name for name, struct in c.STRUCTS.items() if struct is kind]
    return by_value[0] if by_value else "pointer"


@pytest.mark.parametrize("name", sorted(c.PROTOTYPES))
def test_prototype(root, name):
    result, arguments = c.PROTOTYPES[name]
    assert declared(root)[name] == (python_kind(result), [python_kind(a) for a in arguments])
