"""Writes the page with all its parts as one file: make_page.py SCRIPT WASM OUTPUT.

The WebAssembly is compressed, because the page must stay small and has no server that would compress it.
"""

import base64
import gzip
import html
import pathlib
import sys

LIMIT = 2_000_000  # bytes of the page
ROOT = pathlib.Path(__file__).parent.parent
LICENCES = {  # of the code in the page
    "volterra": "LICENSE",
    "Jansson": "packaging/licenses/jansson.txt",
    "libcsv": "packaging/licenses/libcsv.txt",
    "NLopt": "packaging/licenses/NLopt.txt",
    "LGPL 2.1, of libcsv and of parts of NLopt": "packaging/licenses/LGPL-2.1.txt",
    "Random123": "packaging/licenses/Random123.txt",
    "zlib": "packaging/licenses/zlib.txt",
    "Emscripten": "web/licenses/emscripten.txt",
    "musl": "web/licenses/musl.txt",
}


def licences() -> str:
    return "\n".join(f"<h3>{name}</h3>\n<pre>{html.escape((ROOT / path).read_text())}</pre>"
                     for name, path in LICENCES.items())


def main() -> int:
    script, wasm, output = (pathlib.Path(name) for name in sys.argv[1:4])
    folder = pathlib.Path(__file__).parent
    packed = base64.b64encode(gzip.compress(wasm.read_bytes(), 9, mtime=0)).decode()
    own = (folder / "worker.js").read_text()
    worker = "\n".join([f'const PACKED_WASM = "{packed}";', script.read_text(), own])
    parts = {
        "STYLE": (folder / "page.css").read_text(),
        "EXAMPLE_SERIES": (ROOT / "bench/series/co2_monthly.csv").read_text(),
        "EXAMPLE_SYSTEM": (ROOT / "examples/data/tanks.csv").read_text(),
        "LICENCES": licences(),
        "WORKER": worker,
        "PLOT": (folder / "plot.js").read_text(),
        "PAGE": (folder / "page.js").read_text(),
    }
    page = (folder / "page.html").read_text()
    for name, text in parts.items():
        if "</script" in text.lower():
            raise SystemExit(f"{name} would end its element")
        page = page.replace(f"@{name}@", text)
    output.write_text(page)
    size = output.stat().st_size
    print(f"{output}: {size} bytes")
    if size > LIMIT:
        print(f"the page must have at most {LIMIT} bytes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
