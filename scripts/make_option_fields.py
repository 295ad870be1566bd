#!/usr/bin/env python3
"""Write tests/support/option_fields.h: the numbers in every options structure of include/volterra/*.h, for tests.

    scripts/make_option_fields.py            write the file
    scripts/make_option_fields.py --check    fail when the file is not what the headers give
"""

from __future__ import annotations

import sys
from typing import Iterator, Tuple

from make_python_structs import ROOT, Headers, class_name, write_or_check

OUTPUT = ROOT / "tests/support/option_fields.h"
KINDS = {"c_double": "double", "c_int": "int", "c_int64": "int64", "c_uint64": "int64"}


def numbers_of(headers: Headers, struct: str, prefix: str = "") -> Iterator[Tuple[str, str]]:
    """Name and kind of every number, also in inner structures; of an array of numbers the first."""
    inner = {class_name(name): name for name in headers.structs}
    for field, kind in headers.structs[struct]:
        element, _, is_array = kind.partition(" * ")
        if field != "struct_size" and element in KINDS:
            yield f"{prefix}{field}{'[0]' if is_array else ''}", KINDS[element]
        elif kind in inner:
            yield from numbers_of(headers, inner[kind], f"{prefix}{field}.")


def generate() -> str:
    headers = Headers()
    lines = [
        "/* tests/support/option_fields.h: numbers in the options structures. Written by scripts/make_option_fields.py. */",
        "#ifndef SUPPORT_OPTION_FIELDS_H",
        "#define SUPPORT_OPTION_FIELDS_H",
        "",
        '#include "volterra.h"',
        "",
        "#include <stddef.h>",
        "",
        "typedef enum option_kind { OPTION_INT, OPTION_INT64, OPTION_DOUBLE } option_kind;",
        "typedef struct option_field {",
        "    const char *name; /* NULL: the end of a list */",
        "    option_kind kind;",
        "    size_t offset;",
        "} option_field;",
        "typedef struct option_structure {",
        "    const char *name;",
        "    size_t size;",
        "    const option_field *fields;",
        "} option_structure;",
        "",
        "/* clang-format off */",
    ]
    structs = {name: list(numbers_of(headers, name)) for name in headers.structs if name.endswith("_options")}
    for struct, numbers in structs.items():
        lines += [f"static const option_field {struct}_fields[] = {{"]
        lines += [f'    {{"{name}", OPTION_{kind.upper()}, offsetof({struct}, {name})}},' for name, kind in numbers]
        lines += ["    {NULL, OPTION_INT, 0}};"]
    lines += ["static const option_structure option_structures[] = {"]
    lines += [f'    {{"{struct}", sizeof({struct}), {struct}_fields}},' for struct in structs]
    lines += ["};", "enum { OPTION_STRUCTURES = (int)(sizeof option_structures / sizeof *option_structures) };"]
    return "\n".join([*lines, "/* clang-format on */", "", "#endif"]) + "\n"


if __name__ == "__main__":
    sys.exit(write_or_check(OUTPUT, generate()))
