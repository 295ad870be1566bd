"""docs/site/c_reference.py: write the pages of the C reference, one per public header, in the order of its declarations.

    c_reference.py headers INCLUDE OUT          write the headers with comments in Doxygen format
    c_reference.py pages INCLUDE OUT XML PAGES  write pages with breathe directives for all declarations in the Doxygen XML
"""

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from header_comments import COMMENT, SECTION, documented, introduction

DIRECTIVES = {"function": "doxygenfunction", "typedef": "doxygentypedef", "enum": "doxygenenum", "define": "doxygendefine"}
HIDDEN = {"VOLT_API", "VOLT_PRINTF", "VOLT_STATUS_LIST"}  # internal macros


def reading_order(include):
    """Return the names of the headers: those not included by volterra.h first, then the others in its order."""
    named = re.findall(r'#include "volterra/(\w+)\.h"', (include / "volterra.h").read_text())
    others = sorted(path.stem for path in (include / "volterra").glob("*.h") if path.stem not in named)
    return [*others, *named]


def write_headers(include, out):
    (out / "volterra").mkdir(parents=True, exist_ok=True)
    for path in sorted((include / "volterra").glob("*.h")):
        (out / "volterra" / path.name).write_text(documented(path.read_text()))


def text_of(element):
    """Return the reStructuredText of a comment."""
    verbatim = element.findall(".//verbatim")
    return "\n\n".join(v.text.replace("embed:rst\n", "", 1).strip() for v in verbatim)


def indented(text):
    return "\n".join("   " + line if line else "" for line in text.split("\n"))


def constants(member):
    """Yield an entry for each constant of an unnamed enum."""
    for value in member.findall("enumvalue"):
        text = text_of(value) or text_of(member)
        yield f".. c:macro:: {value.findtext('name')}\n\n   ``{value.findtext('initializer')}``\n\n{indented(text)}\n"


def declarations(xml, name):
    """Yield (line, reStructuredText) for each declaration of a header."""
    tree = ET.parse(xml / f"{name.replace('_', '__')}_8h.xml").getroot().find("compounddef")
    for inner in tree.findall("innerclass"):
        compound = ET.parse(xml / f"{inner.get('refid')}.xml").getroot().find("compounddef")
        line = int(compound.find("location").get("line"))
        yield line, f".. doxygenstruct:: {inner.text}\n   :members:\n   :undoc-members:\n"
    for member in tree.findall("sectiondef/memberdef"):
        title, line = member.findtext("name"), int(member.find("location").get("line"))
        if title in HIDDEN or title.startswith("VOLTERRA_"):
            continue
        if member.get("kind") == "enum" and (not title or title.startswith("@")):
            yield from ((line, text) for text in constants(member))
        else:
            yield line, f".. {DIRECTIVES[member.get('kind')]}:: {title}\n"


def check_complete(name, header, text):
    """Fail if a declaration is missing: Doxygen does not report declarations that it cannot parse."""
    declared = set(re.findall(r"^(?:VOLT_API|static inline) [^(;]*?\b(volt_\w+)\(", COMMENT.sub("", header), re.M))
    missing = sorted(function for function in declared if f":: {function}\n" not in text)
    if missing:
        sys.exit(f"c_reference: volterra/{name}.h declares {', '.join(missing)}, missing in the Doxygen output")


def sections(header):
    """Yield (line, reStructuredText) for each section heading of a header."""
    for line, text in enumerate(header.split("\n"), 1):
        match = SECTION.match(text)
        if match:
            title = match[1][0].upper() + match[1][1:]
            yield line, f"{title}\n{'-' * len(title)}\n"


def write_pages(include, headers, xml, pages):
    pages.mkdir(parents=True, exist_ok=True)
    order = reading_order(include)
    for name in order:
        title, purpose, rest = introduction((include / "volterra" / f"{name}.h").read_text())
        header = (headers / "volterra" / f"{name}.h").read_text()
        body = sorted([*sections(header), *declarations(xml, name)], key=lambda item: item[0])
        check_complete(name, header, "".join(text for _, text in body))
        parts = [f"{title}\n{'=' * len(title)}\n", purpose + "\n", rest + "\n", *(text for _, text in body)]
        (pages / f"{name}.rst").write_text("\n".join(parts))
    _, purpose, rest = introduction((include / "volterra.h").read_text())
    toctree = "\n".join(f"   {name}" for name in order)
    (pages / "index.rst").write_text(
        f"C reference\n===========\n\n``#include <volterra.h>``: {purpose}\n\n{rest}\n\n.. toctree::\n   :maxdepth: 2\n\n{toctree}\n"
    )


if __name__ == "__main__":
    task, *paths = sys.argv[1:]
    {"headers": write_headers, "pages": write_pages}[task](*map(Path, paths))
