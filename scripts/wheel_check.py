#!/usr/bin/env python3
"""Check the libraries and licences in a wheel. Called by scripts/wheel.sh and by cibuildwheel (pyproject.toml).

wheel_check.py WHEEL

The wheel must contain one OpenMP runtime, one OpenBLAS that uses it, no network libraries, every text named in
packaging/licenses/README.md, and no library that this page does not list.
"""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

LICENCES = Path(__file__).resolve().parent.parent / "packaging" / "licenses" / "README.md"
NETWORK = ("libcurl", "libssl", "libcrypto")


def errors_in(wheel: zipfile.ZipFile) -> list[str]:
    """Return one message for each error."""
    names = wheel.namelist()
    bundled = {name: re.split(r"[-.]", name.rsplit("/", 1)[1])[0] for name in names if ".libs/lib" in name}
    openblas = [name for name, library in bundled.items() if library.startswith("libopenblas")]
    runtimes = [name for name, library in bundled.items() if library in ("libgomp", "libomp")]
    found = []
    if len(runtimes) != 1:
        found.append(f"{len(runtimes)} OpenMP runtimes instead of 1")
    if len(openblas) != 1:
        found.append(f"{len(openblas)} builds of OpenBLAS instead of 1")
    found += [f"{name} does not use OpenMP" for name in openblas if b"USE_OPENMP" not in wheel.read(name)]
    found += [f"network library {library}" for library in bundled.values() if library in NETWORK]

    page = LICENCES.read_text()
    texts = {name.rsplit("/", 1)[1] for name in names if ".dist-info/licenses/" in name}
    found += [f"no {text}" for text in sorted(set(re.findall(r"`([A-Za-z0-9.-]+\.txt)`", page)) - texts)]
    listed = set(re.findall(r"^\| `(\w+)` ", page, re.MULTILINE))
    found += [f"{library} is not in packaging/licenses/README.md" for library in sorted(set(bundled.values()) - listed)]
    return found


if __name__ == "__main__":
    with zipfile.ZipFile(sys.argv[1]) as archive:
        errors = errors_in(archive)
    for error in errors:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
    sys.exit(len(errors) > 0)
