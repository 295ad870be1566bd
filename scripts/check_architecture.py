#!/usr/bin/env python3
"""Checks docs/architecture.md against the tree.

1. Every file, every identifier of the library and every test case (file.c:case) that the documents on the code and on the
   paper name in code font must exist.
2. A folder of src/ uses itself, src/text and the folders that the table "Folders" of docs/architecture.md gives it, with
   what those may use. A subfolder uses what SUBFOLDERS below gives it, and a folder of cli/ what PROGRAM gives it. Both
   includes and symbols count: `nm` on the object files of the default build (build/) tells which file uses a symbol and
   which defines it. Objects older than their source are left out; without a build only includes are checked.
3. Every function that docs/reading.md lists is defined in the file named there, and scripts/walk.gdb stops at the same
   functions in the same order."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    "docs/architecture.md",
    "docs/internals.md",
    "docs/paper.md",
    "docs/reading.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("adding_*.md")),
]

# The subfolders of its folder that each subfolder may use besides itself; "." denotes the files directly in the folder.
SUBFOLDERS = {
    "io": {
        "file": "",
        "time": "",
        "table": "file",
        "safetensors": "file",
        "csv": "table time file",
        "npy": "table file",
        "mat": "table file",
        "series": "csv npy file",
        ".": "series csv npy mat safetensors table time file",
    },
    "kernel": {".": "", "kinds": "."},
    "gram": {"engine": "", ".": "engine"},
    "solve": {
        "exact": "",
        "choice": "exact",
        ".": "choice exact",
        "loss": ". exact",
        "landmark": ". choice exact",
        "iterative": ". landmark exact",
    },
    "model": {".": "", "file": "."},
    "predict": {"interval": "", "live": "interval", ".": "live interval"},
    "select": {"candidates": "", "folds": "", "evidence": "folds", "search": "candidates folds evidence"},
    "series": {"gram": "", "classify": "gram", "anomaly": "gram"},
    "data": {".": "", "ode": ".", "bekk": "."},
}
# A table of entries refers to the entries, whose files include its header.
TABLES = {"src/data/systems.c", "src/kernel/kernel_table.c", "src/solve/solver_table.c"}

PROGRAM = {
    "terminal": "",
    "args": "terminal",
    "files": "args terminal",
    "search": "files args terminal",
    "series": "search files args terminal",
    "compare": "search files args terminal",
    "page": "compare search files args terminal",
    "commands": "page compare series search files args terminal",
    ".": "commands page compare series search files args terminal",
}

# The folder of a public header, where the names differ.
HEADERS = {"status": "base", "live": "predict", "forecast": "task", "identify": "task", "row_anomaly": "task", "describe": "base"}


# ---- names in documents ---------------------------------------------------------------------------


def missing_names(files: list[str]) -> list[str]:
    code = "".join(
        (ROOT / name).read_text(errors="ignore")
        for name in files
        if name.endswith((".c", ".h", ".cu", ".cmake", ".py", "CMakeLists.txt"))
    )
    faults = []
    for document in DOCUMENTS:
        words = re.findall(r"`([^`\n]+)`", (ROOT / document).read_text())
        paths = {path for word in words for path in re.findall(r"[\w./-]+\.(?:c|h|py|sh|cu|md)\b", word)}
        missing = [
            path
            for path in paths
            if "NAME" not in path and not any(f == path or f.endswith("/" + path) for f in files)
        ]
        names = {
            name for word in words for name in re.findall(r"\b(?:volt|VOLT)_\w+", word) if "NAME" not in name
        }
        missing += [name for name in names if name not in code]
        for path, case in {pair for word in words for pair in re.findall(r"([\w./-]+\.c):(\w+)", word)}:
            texts = [(ROOT / f).read_text() for f in files if f == path or f.endswith("/" + path)]
            if not any(f"cmocka_unit_test({case})" in text for text in texts):
                missing.append(f"{path}:{case}")
        faults += [f"{document}: {name} does not exist" for name in sorted(missing)]
    return faults


# ---- the walk through a fit -----------------------------------------------------------------------


def walk_faults() -> list[str]:
    page = (ROOT / "docs/reading.md").read_text()
    listed = re.findall(r"^\d+\. `(\w+)` \(`([\w./]+)`\)", page, re.MULTILINE)
    faults = [
        f"docs/reading.md: {path} does not define {name}"
        for name, path in listed
        if (ROOT / path).is_file()
        and not re.search(rf"^\w[^\n;]*\b{name}\([^;{{]*\)\n\{{", (ROOT / path).read_text(), re.MULTILINE)
    ]
    stops = re.findall(r'^ +Stop\("(\w+)"', (ROOT / "scripts/walk.gdb").read_text(), re.MULTILINE)
    if not stops or stops != [name for name, _ in listed]:
        faults.append("docs/reading.md and scripts/walk.gdb name different functions")
    return faults


# ---- folders --------------------------------------------------------------------------------------


def read_table(files: list[str]) -> dict[str, set[str]]:
    """The folders that each folder of src/ may use: those of its row, and what these may use."""
    rows = re.findall(
        r"^\| `src/(\w+)/` \|.*\| ([\w, ]*)\|$", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE
    )
    allowed: dict[str, set[str]] = {}
    for folder, below in rows:
        allowed[folder] = {folder, "text"}
        for name in below.replace(",", " ").split():
            if name not in allowed:
                sys.exit(f"docs/architecture.md: {folder} may not include {name}, which is not in a row above")
            allowed[folder] |= allowed[name]
    for folder in sorted({name.split("/")[1] for name in files if name.startswith("src/")}):
        if folder not in allowed:
            sys.exit(f"docs/architecture.md: src/{folder} is not in the table of folders")
    return allowed


def place_of(path: str) -> tuple[str, str, str]:
    """("src", folder, subfolder) of a file of src/, ("cli", folder, "") of one of cli/."""
    if path.startswith("include/"):
        name = Path(path).stem
        return "src", HEADERS.get(name, name), ""
    tree, *inside = path.split("/")[:-1]
    return tree, inside[0] if inside else ".", inside[1] if len(inside) > 1 else "."


def may_use(table: dict[str, set[str]], user: str, used: str) -> bool:
    tree, folder, room = place_of(user)
    other_tree, other_folder, other_room = place_of(used)
    if tree == "cli":
        return other_tree == "src" or other_folder in [folder, *PROGRAM[folder].split()]
    if folder != other_folder:
        return other_folder in table[folder]
    rooms = SUBFOLDERS.get(folder)
    return not rooms or not other_room or not room or other_room in [room, *rooms[room].split()]


def includes(files: list[str]) -> list[tuple[str, str, str]]:
    """(file, file used, text of the fault) for each quoted include of a header of the tree."""
    found = []
    known = set(files)
    for user in files:
        if not user.endswith((".c", ".h")) or not user.startswith(("src/", "cli/", "include/volterra/")):
            continue
        for path in re.findall(r'^ *# *include *"([^"]*)"', (ROOT / user).read_text(), re.MULTILINE):
            for used in (f"include/{path}", f"src/{path}", f"cli/{path}"):
                if used in known and used != "include/volterra.h":
                    found.append((user, used, f"{user} must not include {path}"))
    return found


def symbols() -> list[tuple[str, str, str]] | None:
    """(file, file used, text of the fault) for each symbol of another file; None without a build."""
    objects: dict[str, Path] = {}
    for target in ("volterra_objects", "volterra_cli_parts", "volterra_cli"):
        folder = ROOT / f"build/CMakeFiles/{target}.dir"
        for path in folder.rglob("*.c.o"):
            source = str(path.relative_to(folder))[:-2]
            if (ROOT / source).is_file() and (ROOT / source).stat().st_mtime <= path.stat().st_mtime:
                objects[source] = path
    if not objects:
        return None
    defined: dict[str, str] = {}
    needed: list[tuple[str, str]] = []
    for source, path in sorted(objects.items()):
        for line in subprocess.check_output(["nm", "-P", str(path)], text=True).splitlines():
            name, kind = line.split()[:2]
            if kind == "U":
                needed.append((source, name))
            elif kind.isupper() or (kind == "i" and name.startswith("volt_")):  # i: one copy for each processor
                defined[name] = source
    print(f"links: {len(objects)} object files, {len(needed)} symbols of other files")
    return [
        (user, defined[name], f"{user} must not use {name} of {defined[name]}")
        for user, name in needed
        if name in defined and user not in TABLES
    ]


def main() -> int:
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    ).split()
    files = [name for name in listed if (ROOT / name).is_file()]
    faults = missing_names(files) + walk_faults()
    table = read_table(files)
    links = symbols()
    if links is None:
        print("links: build/ has no object files: only includes are checked")
    faults += [text for user, used, text in includes(files) + (links or []) if not may_use(table, user, used)]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
