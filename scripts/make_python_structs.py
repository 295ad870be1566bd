#!/usr/bin/env python3
"""Write python/volterra/_core/_generated.py: the structs, constants and prototypes of include/volterra/*.h for ctypes.

    scripts/make_python_structs.py            write the file
    scripts/make_python_structs.py --check    fail when the file is not what the headers give

Reads the headers as text. It understands the forms they use: typedef enum, enum with constants, typedef struct,
typedef of a function pointer, #define of a number, and functions marked VOLT_API.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Dict, List, Tuple

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "python/volterra/_core/_generated.py"

SCALARS = {
    "int": "c_int",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
    "size_t": "c_size_t",
    "double": "c_double",
}
# One class for both kinds of view, whose data are given by address.
CLASS_NAMES = {"volt_view": "Matrix"}
VIEWS = ("volt_matrix", "volt_view")
# The base of the structs that begin with struct_size.
SIZED = [
    "",
    "",
    "class Sized(ctypes.Structure):",
    "    def __init__(self, **fields: Any) -> None:",
    "        super().__init__(struct_size=ctypes.sizeof(type(self)), **fields)",
]


def class_name(name: str) -> str:
    """volt_fit_options is FitOptions."""
    return CLASS_NAMES.get(name) or "".join(word.capitalize() for word in name.split("_")[1:])


class Headers:
    """Declarations of the public headers."""

    def __init__(self) -> None:
        order = re.findall(r'#include "(volterra/\w+\.h)"', (ROOT / "include/volterra.h").read_text())
        names = ["volterra/status.h"] + [name for name in order if name != "volterra/status.h"]
        text = "\n".join((ROOT / "include" / name).read_text() for name in names)
        self.text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
        self.constants: Dict[str, str] = {}
        self.structs: Dict[str, List[Tuple[str, str]]] = {}
        self.callbacks: Dict[str, str] = {}
        self.enums = set(re.findall(r"typedef enum (\w+)", self.text))
        self.read_constants()
        self.read_callbacks()
        self.read_structs()

    def value_of(self, text: str) -> str:
        """A constant expression, with the names in it replaced by their values."""
        return str(eval(re.sub(r"VOLT_\w+", lambda m: self.constants[m[0]], text)))  # of our own headers

    def read_constants(self) -> None:
        statuses = re.search(r"#define VOLT_STATUS_LIST\(X\)((?:.*\\\n)*.*)", self.text)
        assert statuses is not None
        for value, name in enumerate(re.findall(r"X\((VOLT_\w+),", statuses[1])):
            self.constants[name] = str(value)
        for name, value in re.findall(r"#define (VOLT_\w+) +\(?(-?[\d.]+)\)?", self.text):
            self.constants[name] = value
        for body in re.findall(r"enum\s*\w*\s*\{(.*?)\}", self.text, flags=re.DOTALL):
            if "VOLT_STATUS_LIST" in body:
                continue
            value = -1
            for item in (part.strip() for part in body.split(",")):
                name, _, given = (word.strip() for word in item.partition("="))
                if not name:
                    continue
                value = int(self.value_of(given)) if given else value + 1
                self.constants[name] = str(value)

    def read_callbacks(self) -> None:
        for result, name, arguments in re.findall(r"typedef (\w+) \(\*(volt_\w+)\)\((.*?)\);", self.text, flags=re.DOTALL):
            types = [self.type_of(a, by_address=False) for a in arguments.split(",")]
            kind = "None" if result == "void" else self.type_of(result + " x", by_address=False)
            self.callbacks[name] = f"ctypes.CFUNCTYPE({', '.join([kind] + types)})"

    def read_structs(self) -> None:
        for body, name in re.findall(r"typedef struct \w* ?\{(.*?)\}\s*(\w+);", self.text, flags=re.DOTALL):
            self.structs[name] = []
            for line in body.split(";"):
                declaration = " ".join(line.split())
                if declaration:
                    self.structs[name] += self.fields_of(declaration, by_address=name in VIEWS)

    def fields_of(self, declaration: str, by_address: bool) -> List[Tuple[str, str]]:
        """`const double *x, *y[3]` has two fields; stars and brackets belong to each name."""
        function = re.search(r"\(\*(\w+)\)", declaration)
        if function:
            return [(function[1], "c_void_p")]
        base, names = re.match(r"((?:const )?\w+)\s*(.*)", declaration).groups()  # type: ignore[union-attr]
        fields = []
        for item in names.split(","):
            match = re.match(r"((?:\*|const\b|\s)*)(\w+)((?:\[[^]]*\])*)$", item.strip())
            assert match, declaration
            kind = self.type_of(f"{base} {match[1]} {match[2]}", by_address)
            for size in reversed(re.findall(r"\[([^]]*)\]", match[3])):
                kind = f"{kind} * {self.value_of(size)}"
            fields.append((match[2], kind))
        return fields

    def type_of(self, declaration: str, by_address: bool) -> str:
        """The ctypes type of a declaration with a name; by_address: pointers to scalars are plain addresses."""
        words = re.sub(r"\bconst\b", " ", declaration).replace("*", " * ").split()
        base, stars = words[0], words.count("*") + declaration.count("[")
        if base == "char":
            return {0: "c_char", 1: "c_char_p"}.get(stars, "POINTER(c_char_p)")
        if base in SCALARS or base in self.enums:
            kind = SCALARS.get(base, "c_int")
            return kind if stars == 0 else "c_void_p" if by_address else "POINTER(" * stars + kind + ")" * stars
        if base in self.callbacks:
            return class_name(base)
        if base in self.structs:
            return "POINTER(" * stars + class_name(base) + ")" * stars
        return "c_void_p" if stars < 2 else "POINTER(c_void_p)"  # an opaque object

    def argument(self, declaration: str) -> str:
        """The type of an argument: arrays and results of scalars are addresses."""
        kind = self.type_of(declaration, by_address=True)
        return "c_void_p" if kind == "POINTER(c_char_p)" else kind

    def prototypes(self) -> Dict[str, str]:
        found = {}
        for result, name, arguments in re.findall(
            r"VOLT_API\s+([\w\s*]+?)\s*\b(volt_\w+)\(([^;]*)\)[^;()]*(?:VOLT_PRINTF\([^)]*\))?;", self.text
        ):
            joined = " ".join(arguments.split())
            types = [] if joined == "void" else [self.argument(a) for a in joined.split(", ")]
            kind = "None" if result.strip() == "void" else self.type_of(result + " x", by_address=False)
            found[name] = f"({kind}, [{', '.join(types)}])"
        return found


def generate() -> str:
    headers = Headers()
    lines = [
        '"""The structs, constants and functions of include/volterra/*.h. Written by scripts/make_python_structs.py."""',
        "",
        "# fmt: off",
        "# ruff: noqa",
        "from __future__ import annotations",
        "",
        "import ctypes",
        "from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p",
        "from typing import Any, Dict",
        "",
        "CONSTANTS: Dict[str, Any] = {",
        *[f'    "{name}": {value},' for name, value in headers.constants.items()],
        "}",
        "",
        "",
    ]
    for name, kind in headers.callbacks.items():
        if "volt_" not in kind:
            lines += [f"{class_name(name)} = {kind}"]
    lines += SIZED
    for name, fields in headers.structs.items():
        if name in CLASS_NAMES:
            continue
        base = "Sized" if fields[0][0] == "struct_size" else "ctypes.Structure"
        lines += ["", "", f"class {class_name(name)}({base}):", "    _fields_ = ["]
        lines += [f'        ("{field}", {kind}),' for field, kind in fields]
        lines += ["    ]"]
    lines += ["", "", "STRUCTS: Dict[str, Any] = {"]
    lines += [f'    "{name}": {class_name(name)},' for name in headers.structs]
    lines += ["}", "", "#: name: (result, arguments)", "PROTOTYPES: Dict[str, Any] = {"]
    lines += [f'    "{name}": {kind},' for name, kind in headers.prototypes().items()]
    lines += ["}"]
    return "\n".join(lines) + "\n"


def write_or_check(output: Path, text: str) -> int:
    """Write a generated file; with --check compare it. Returns the exit status."""
    if "--check" not in sys.argv[1:]:
        output.write_text(text)
    elif not output.exists() or output.read_text() != text:
        print(f"{output.relative_to(ROOT)} is not current: run scripts/{Path(sys.argv[0]).name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(write_or_check(OUTPUT, generate()))
