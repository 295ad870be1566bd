#!/usr/bin/env python3
"""The public headers as tables: the structs, their fields and the functions of include/volterra/*.h.

    scripts/describe.py                   write python/volterra/_core/_generated.py
    scripts/describe.py --check           fail when that file is not current, or when a field has no tag that it requires
    scripts/describe.py --table FILE      write the C source of volt_struct_find (include/volterra/describe.h)

docs/adding_an_option.md describes the tags. A header that cannot be read in this way is an error."""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple

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


@dataclass
class Field:
    """A field of a struct: its C type, and the tags of its comment."""

    name: str
    base: str  # int, double, char, volt_view ...
    stars: int
    sizes: List[str]  # of an array, as written
    comment: str = ""
    tags: Dict[str, str] = field(default_factory=dict)


KNOWN_TAGS = ("flag", "count", "number", "array", "words", "json", "unit", "struct", "option", "other")
RANGE = re.compile(
    r"(?:(?:count|number) )?(?:(?P<below>>=?) (?P<low>[-\w.]+))?,? ?(?:(?P<above><=?) (?P<high>[-\w.]+))?$"
)
BOUNDS = re.compile(r"(?:(?:count|number) )?(?P<low>-?[\w.]+) to (?P<high>-?[\w.]+)$")

FIELD_OR_COMMENT = re.compile(r"/\*(.*?)\*/|([^;/]+;[ \t]*\n?)", re.DOTALL)


def tags_of(comment: str, where: str) -> Tuple[str, Dict[str, str]]:
    """A comment without its last bracket, and the tags in it: {"array": "q, d"}; a range is the tag "range"."""
    match = re.search(r"(?:^|\s+)\[([^][]*)\]\s*$", comment)
    if not match:
        return comment, {}
    tags: Dict[str, str] = {}
    for text in (" ".join(part.split()) for part in match[1].split(";")):
        word, _, rest = text.partition(" ")
        if word in ("count", "number"):
            tags[word] = ""
        if RANGE.match(text) and not text.isalpha() or BOUNDS.match(text):
            tags["range"] = text
        elif word in KNOWN_TAGS:
            tags[word] = rest
        else:
            sys.exit(f"{where}: unknown tag [{text}]")
    return comment[: match.start()], tags


class Headers:
    """Declarations of the public headers."""

    def __init__(self) -> None:
        order = re.findall(r'#include "(volterra/\w+\.h)"', (ROOT / "include/volterra.h").read_text())
        names = ["volterra/status.h"] + [name for name in order if name != "volterra/status.h"]
        self.commented = "\n".join((ROOT / "include" / name).read_text() for name in names)
        self.text = re.sub(r"/\*.*?\*/", " ", self.commented, flags=re.DOTALL)
        self.constants: Dict[str, str] = {}
        self.enums: Dict[str, List[Tuple[str, str]]] = {}
        self.structs: Dict[str, List[Field]] = {}
        self.callbacks: Dict[str, str] = {}
        self.faults: List[str] = []
        self.enum_names = set(re.findall(r"typedef enum (\w+)", self.text))
        self.read_constants()
        self.read_words()
        self.read_callbacks()
        self.read_structs()
        self.check_tags()

    def value_of(self, text: str) -> str:
        """A constant expression, with the names in it replaced by their values."""
        return str(eval(re.sub(r"VOLT_\w+", lambda m: self.constants[m[0]], text)))  # of our own headers

    def read_constants(self) -> None:
        statuses = re.search(r"#define VOLT_STATUS_LIST\(X\)((?:.*\\\n)*.*)", self.text)
        assert statuses is not None
        for value, name in enumerate(re.findall(r"X\((VOLT_\w+),", statuses[1])):
            self.constants[name] = str(value)
        self.enums["volt_status"] = [(re.sub("VOLT_(ERR_)?", "", name).lower(), name) for name in self.constants]
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

    def read_words(self) -> None:
        """The words of each enum: its constants without their common prefix; VOLT_VALIDATE_ONE_STEP is one-step."""
        given = dict(re.findall(r"(VOLT_\w+),?\s*/\*[^/]*\[word (\S+)\] \*/", self.commented))
        for name, body in re.findall(r"typedef enum (\w+) \{(.*?)\}", self.text, flags=re.DOTALL):
            constants = [part.split("=")[0].strip() for part in body.split(",") if part.strip()]
            if "VOLT_STATUS_LIST" in body:
                continue
            parts = [constant.split("_") for constant in constants]
            common = 0
            while all(len(p) > common + 1 and p[common] == parts[0][common] for p in parts):
                common += 1
            self.enums[name] = [
                (given.get(c, "-".join(p[common:]).lower()), c) for c, p in zip(constants, parts)
            ]

    def read_callbacks(self) -> None:
        for result, name, arguments in re.findall(r"typedef (\w+) \(\*(volt_\w+)\)\((.*?)\);", self.text, flags=re.DOTALL):
            types = [self.type_of(a, by_address=False) for a in arguments.split(",")]
            kind = "None" if result == "void" else self.type_of(result + " x", by_address=False)
            self.callbacks[name] = f"ctypes.CFUNCTYPE({', '.join([kind] + types)})"

    # ---- structs and the comments of their fields

    def read_structs(self) -> None:
        for body, name in re.findall(r"typedef struct \w* ?\{(.*?)\n\}\s*(\w+);", self.commented, flags=re.DOTALL):
            self.structs[name] = []
            before, line = "", []  # the comment above, and the fields whose comment may follow on their line
            for comment, declaration in FIELD_OR_COMMENT.findall(body):
                text = re.sub(r"\s*\n\s*\* ?", " ", comment).strip()
                if declaration:
                    line = self.fields_of(" ".join(declaration.strip(" \n;").split()))
                    self.describe(line, name, before)
                    before = ""
                    self.structs[name] += line
                    if declaration.endswith("\n"):
                        line = []
                elif line:
                    self.describe(line, name, text)
                    line = []
                elif not text.startswith("--"):
                    before = text

    def describe(self, fields: List[Field], struct: str, comment: str) -> None:
        if not comment:
            return
        text, tags = tags_of(comment, f"{struct}.{fields[0].name}")
        for each in fields:
            each.comment = f"{each.comment} {text}".strip()
            each.tags.update({k: v for k, v in tags.items() if k != "array" or each.stars or each.sizes})

    def fields_of(self, declaration: str) -> List[Field]:
        """`const double *x, *y[3]` has two fields; stars and brackets belong to each name."""
        function = re.search(r"\(\*(\w+)\)", declaration)
        if function:
            return [Field(function[1], "void", 1, [])]
        tag, base, names = re.match(r"(?:const )?(struct )?(\w+)\s*(.*)", declaration).groups()  # type: ignore[union-attr]
        base = "void" if tag else base  # declared later
        fields = []
        for item in names.split(","):
            match = re.match(r"((?:\*|const\b|\s)*)(\w+)((?:\[[^]]*\])*)$", item.strip())
            assert match, declaration
            fields.append(Field(match[2], base, match[1].count("*"), re.findall(r"\[([^]]*)\]", match[3])))
        return fields

    # ---- the description of a field

    def kind_of(self, f: Field) -> str:
        """The VOLT_KIND_ of a field, "" if it has no tag that says."""
        if "other" in f.tags or f.base == "void" or f.base in self.callbacks or f.base in ("volt_progress", "size_t"):
            return "OTHER"
        if f.base in VIEWS:
            return "VIEW" if not f.stars else ""
        if f.base in self.structs:
            return "STRUCT"
        if f.base in self.enum_names or "words" in f.tags:
            return "WORD"
        if f.base == "int":
            if "count" in f.tags or "range" in f.tags:
                return "INT"
            return "FLAG" if "flag" in f.tags or re.search(r"(?:^|[ (])1(?: \(default\))?: ", f.comment) else ""
        kinds = {"double": "DOUBLE", "int64_t": "INT64", "uint64_t": "UINT64", "char": "TEXT" if f.stars else "CHARS"}
        return kinds.get(f.base, "OTHER")  # an opaque object

    def check_tags(self) -> None:
        for struct, fields in self.structs.items():
            names = [f.name for f in fields]
            for f in fields if struct not in VIEWS else []:
                where = f"{struct}.{f.name}"
                kind = self.kind_of(f)
                stars = f.stars - (kind == "TEXT")
                if not kind:
                    self.faults.append(f"{where}: requires one of [flag], [count], [words ENUM], [array ...], [other]")
                elif kind != "OTHER" and stars > 0 and not {"array", "struct"} & set(f.tags):
                    self.faults.append(f"{where}: requires [array SHAPE], [struct] or [other]")
                elif kind != "OTHER" and stars > 1:
                    self.faults.append(f"{where}: an array of pointers is [other]")
                if "words" in f.tags and f.tags["words"] not in self.enum_names:
                    self.faults.append(f"{where}: [words {f.tags['words']}] is not an enum")
                for word in re.findall(r"[A-Za-z_]\w+", f.tags.get("array", "")):
                    if word not in names and word not in self.constants:
                        self.faults.append(f"{where}: [array]: {word} is not a field of {struct}")

    def type_of(self, declaration: str, by_address: bool) -> str:
        """The ctypes type of a declaration with a name; by_address: pointers to scalars are plain addresses."""
        words = re.sub(r"\bconst\b", " ", declaration).replace("*", " * ").split()
        return self.ctype(words[0], words.count("*") + declaration.count("["), by_address)

    def ctype(self, base: str, stars: int, by_address: bool) -> str:
        if base == "char":
            return {0: "c_char", 1: "c_char_p"}.get(stars, "POINTER(c_char_p)")
        if base in SCALARS or base in self.enum_names:
            kind = SCALARS.get(base, "c_int")
            return kind if stars == 0 else "c_void_p" if by_address else "POINTER(" * stars + kind + ")" * stars
        if base in self.callbacks:
            return class_name(base)
        if base in self.structs:
            return "POINTER(" * stars + class_name(base) + ")" * stars
        return "c_void_p" if stars < 2 else "POINTER(c_void_p)"  # an opaque object

    def field_type(self, f: Field, struct: str) -> str:
        kind = self.ctype(f.base, f.stars, struct in VIEWS)
        for size in reversed(f.sizes):
            kind = f"{kind} * {self.value_of(size)}"
        return kind

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


# ---- Python ---------------------------------------------------------------------------------------


def python_module(headers: Headers) -> str:
    lines = [
        '"""The structs, constants and functions of include/volterra/*.h. Written by scripts/describe.py."""',
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
        base = "Sized" if fields[0].name == "struct_size" else "ctypes.Structure"
        lines += ["", "", f"class {class_name(name)}({base}):", "    _fields_ = ["]
        lines += [f'        ("{f.name}", {headers.field_type(f, name)}),' for f in fields]
        lines += ["    ]"]
    lines += ["", "", "STRUCTS: Dict[str, Any] = {"]
    lines += [f'    "{name}": {class_name(name)},' for name in headers.structs]
    lines += ["}", "", "#: name: (result, arguments)", "PROTOTYPES: Dict[str, Any] = {"]
    lines += [f'    "{name}": {kind},' for name, kind in headers.prototypes().items()]
    lines += ["}"]
    return "\n".join(lines) + "\n"


# ---- the table in C -------------------------------------------------------------------------------


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if text else '""'


def meaning_of(comment: str) -> str:
    """The first sentence of a comment, without marks that concern C only."""
    text = re.sub(r"^\(optional\) ", "", comment)
    text = re.sub(r"^\.\.\. |  *\.\.\.$", "", text)
    return re.split(r"\. (?=[A-Z0-9])", text)[0].rstrip(".")


def range_of(headers: Headers, text: str) -> str:
    """The initialiser of a volt_bounds."""
    match = BOUNDS.match(text) or RANGE.match(text)
    assert match
    given = match.groupdict()

    def bound(key: str, absent: str) -> str:
        number = given.get(key)
        return absent if number is None else headers.constants.get(number, number)

    low_open, high_open = int(given.get("below") == ">"), int(given.get("above") == "<")
    return f"{{{bound('low', '-INFINITY')}, {bound('high', 'INFINITY')}, {low_open}, {high_open}}}"


class Table:
    """The C source of the table, written from the inner parts to the outer ones."""

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.names = [name for name in headers.structs if name not in VIEWS]
        self.lines: List[str] = []

    def dimensions(self, f: Field, struct: str) -> List[str]:
        """The initialisers of the dimensions of an array."""
        fields = {g.name: g for g in self.headers.structs[struct]}
        shape = [part.strip() for part in f.tags["array"].split(",")] if "array" in f.tags else f.sizes
        if f.base == "char" and not f.stars and "array" not in f.tags:
            shape = f.sizes[:-1]
        found = []
        for dimension in shape:
            plus, offsets, given = 0, [], "1"
            for sign, term in re.findall(r"([-+]?) *(\w+)", dimension):
                if term.isdigit() or term in self.headers.constants:
                    plus += int(self.headers.value_of(sign + term))
                elif term in fields and fields[term].base == "int64_t":
                    offsets.append(f"offsetof({struct}, {term})")
                else:
                    given = "0"
            found.append(f'{{"{dimension}", {plus}, {given}, {len(offsets)}, {{{", ".join(offsets) or 0}}}}}')
        return found

    def field(self, f: Field, struct: str, number: int) -> str:
        kind = self.headers.kind_of(f)
        prefix = f"{struct}_{number}"
        member = f"(({struct} *)0)->{f.name}"
        dimensions = [] if kind in ("OTHER", "VIEW") else self.dimensions(f, struct)
        pointer = int(kind != "OTHER" and f.stars - (kind == "TEXT") > 0)
        element = "[0]" * len(f.sizes[:-1] if kind == "CHARS" else f.sizes)
        parts = [
            f"{quoted(f.name)}, VOLT_KIND_{kind}, {pointer}, offsetof({struct}, {f.name})",
            f"sizeof({'*' * pointer}{member}{element})",
        ]
        if dimensions:
            self.lines.append(f"static const volt_dimension {prefix}_shape[] = {{{', '.join(dimensions)}}};")
            parts.append(f".n_dimensions = {len(dimensions)}, .shape = {prefix}_shape")
        if kind == "STRUCT":
            parts.append(f".inner = &table[{self.names.index(f.base)}]")
        if kind == "WORD":
            parts.append(f".words = {f.tags.get('words', f.base)}_words")
        if "range" in f.tags:
            self.lines.append(f"static const volt_bounds {prefix}_range = {range_of(self.headers, f.tags['range'])};")
            parts.append(f".range = &{prefix}_range")
        fields = self.headers.structs[struct]
        is_length = f.name.startswith("n_") and any(f.name in g.tags.get("array", "").split() for g in fields)
        json = f.tags.get("json", "-" if is_length else f.name)
        parts.append(f".json = {'NULL' if json == '-' or kind == 'OTHER' else quoted(json)}")
        if "option" in f.tags:
            parts.append(f".option = {quoted(f.name.replace('_', '-'))}, .value = {quoted(f.tags['option'])}")
        parts.append(f".unit = {quoted(f.tags.get('unit', ''))}, .meaning = {quoted(meaning_of(f.comment))}")
        return f"    {{{', '.join(parts)}}},"

    def source(self) -> str:
        headers = self.headers
        defaults = {n for n in headers.prototypes() if n.endswith("_default")}
        takes_none = set(re.findall(r"\b(volt_\w+_default)\(void\)", headers.text))
        self.lines += [
            "/* The fields of the structs of include/volterra/. Written by scripts/describe.py. */",
            '#include "volterra.h"',
            "",
            "#include <math.h>",
            "#include <string.h>",
            "",
            f"static const volt_struct table[{len(self.names) + 1}];",
        ]
        used = {f.tags.get("words", f.base) for fields in headers.structs.values() for f in fields}
        for name, words in headers.enums.items():
            if name in used:
                rows = ", ".join(f"{{{quoted(word)}, {constant}}}" for word, constant in words)
                self.lines.append(f"static const volt_word {name}_words[] = {{{rows}, {{NULL, 0}}}};")
        rows = []
        for struct in self.names:
            fields = [f for f in headers.structs[struct] if f.name != "struct_size"]
            entries = [self.field(f, struct, number) for number, f in enumerate(fields)]
            self.lines += [f"static const volt_field {struct}_fields[] = {{", *entries, "};"]
            setter = "NULL"
            if f"{struct}_default" in defaults & takes_none:
                setter = f"{struct}_set"
                self.lines += [
                    f"static void {setter}(void *options)",
                    "{",
                    f"    *({struct} *)options = {struct}_default();",
                    "}",
                ]
            sized = int(headers.structs[struct][0].name == "struct_size")
            rows.append(
                f'    {{"{struct}", sizeof({struct}), {sized}, {len(fields)}, {struct}_fields, {setter}}},'
            )
        self.lines += [f"static const volt_struct table[{len(self.names) + 1}] = {{", *rows, "    {.name = NULL},", "};"]
        self.lines += [
            "",
            "const volt_struct *volt_struct_find(const char *name)",
            "{",
            "    const volt_struct *found = table;",
            "    while (name && found->name && strcmp(found->name, name) != 0)",
            "        found++;",
            "    return found->name ? found : NULL;",
            "}",
        ]
        return "\n".join(self.lines) + "\n"


def main(arguments: List[str]) -> int:
    headers = Headers()
    print("\n".join(headers.faults), file=sys.stderr, end="\n" if headers.faults else "")
    if headers.faults:
        return 1
    if arguments[:1] == ["--table"]:
        Path(arguments[1]).write_text(Table(headers).source())
        return 0
    text = python_module(headers)
    if "--check" not in arguments:
        OUTPUT.write_text(text)
    elif not OUTPUT.exists() or OUTPUT.read_text() != text:
        print(f"{OUTPUT.relative_to(ROOT)} is not current: run scripts/describe.py", file=sys.stderr)
        return 1
    Table(headers).source()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
