#!/usr/bin/env python3
"""Every file, every identifier of the library and every test case (file.c:case) that the documents on the code and on the
paper name in code font must exist."""

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
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("adding_*.md")),
]


def main() -> int:
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    ).split()
    files = [name for name in listed if (ROOT / name).is_file()]
    code = "".join(
        (ROOT / name).read_text(errors="ignore")
        for name in files
        if name.endswith((".c", ".h", ".cu", ".cmake", ".py", "CMakeLists.txt"))
    )
    faults = 0
    for document in DOCUMENTS:
        words = re.findall(r"`([^`\n]+)`", (ROOT / document).read_text())
        paths = {path for word in words for path in re.findall(r"[\w./-]+\.(?:c|h|py|sh|cu|md)\b", word)}
        missing = [
            path for path in paths if "NAME" not in path and not any(f == path or f.endswith("/" + path) for f in files)
        ]
        names = {name for word in words for name in re.findall(r"\b(?:volt|VOLT)_\w+", word) if "NAME" not in name}
        missing += [name for name in names if name not in code]
        for path, case in {pair for word in words for pair in re.findall(r"([\w./-]+\.c):(\w+)", word)}:
            texts = [(ROOT / f).read_text() for f in files if f == path or f.endswith("/" + path)]
            if not any(f"cmocka_unit_test({case})" in text for text in texts):
                missing.append(f"{path}:{case}")
        for name in sorted(missing):
            print(f"{document}: {name} does not exist", file=sys.stderr)
        faults += len(missing)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
