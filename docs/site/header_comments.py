"""docs/site/header_comments.py: convert the comments of a public header to reStructuredText.

The headers have plain comments in reading order. `documented` returns a header with the comments of declarations in Doxygen
format; their text is reStructuredText, which breathe passes to Sphinx. `introduction` returns the opening comment.
"""

import re

COMMENT = re.compile(r"/\*.*?\*/", re.S)
SECTION = re.compile(r"/\* -{2,} (.+?) -{2,} \*/$")
ENUM_BY_MACRO = re.compile(
    r"#define VOLT_STATUS_ENUM\(code, message\) code,\n\s*VOLT_STATUS_LIST\(VOLT_STATUS_ENUM\)\n#undef VOLT_STATUS_ENUM\n"
)
CODE_OR_NAME = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\bvolterra/(?P<header>[a-z]+)\.h\b"
    r"|\b(?P<name>(?:volt|VOLT)_\w*\w)(?P<member>\.[a-z]\w*)?(?P<call>\(\))?(?![\w*])"
)


def lines_of(comment):
    """Return the lines of a comment without its delimiters."""
    body = comment[2:-2].strip("\n ")
    return [re.sub(r"^\s*\* ?", "", line).rstrip() if i else line.rstrip() for i, line in enumerate(body.split("\n"))]


def escaped(text):
    return re.sub(r"([\\*|_`])", r"\\\1", text)


def sentence(text):
    """Convert one paragraph: names of the library become links, all other text is escaped."""
    out, end = [], 0
    for match in CODE_OR_NAME.finditer(text):
        out.append(escaped(text[end : match.start()]))
        end = match.end()
        if match["code"]:
            mark = f"``{match['code']}``"
        elif match["header"]:
            mark = f":doc:`volterra/{match['header']}.h </c/{match['header']}>`"
        elif match["member"]:
            mark = f":c:member:`{match['name']}{match['member']}`"
        else:
            mark = f":c:{'func' if match['call'] else 'type'}:`{match['name']}`"
        out.append(("" if not out or out[-1][-1:] in ("", " ", "(") else "\\ ") + mark)
        if end < len(text) and text[end] not in " .,:;!?)]-'\"/>":
            out.append("\\ ")
    out.append(escaped(text[end:]))
    return "\\ " + "".join(out)


def paragraphs(lines):
    group = []
    for line in [*lines, ""]:
        if line:
            group.append(line)
        elif group:
            yield group
            group = []


def restructured(lines):
    """Convert a comment to reStructuredText. Lines indented by four spaces are code or preformatted tables."""
    blocks = []
    for group in paragraphs(lines):
        if all(line.startswith("    ") for line in group):
            language = "c" if any(line.endswith(";") for line in group) else "none"
            code = "\n".join("   " + line[4:] for line in group)
            if blocks and blocks[-1].startswith(f".. code-block:: {language}"):
                blocks[-1] += "\n\n" + code
            else:
                blocks.append(f".. code-block:: {language}\n\n{code}")
        elif group[0].startswith("- "):
            items = re.split(r"\n(?=- )", "\n".join(group))
            blocks.append("\n".join("- " + sentence(" ".join(item[2:].split())) for item in items))
        else:
            blocks.append(sentence(" ".join(" ".join(group).split())))
    return "\n\n".join(blocks)


def introduction(header):
    """Return title, one-line purpose and remaining text of the opening comment."""
    lines = lines_of(COMMENT.match(header)[0])
    end = lines.index("") if "" in lines else len(lines)
    title, purpose = " ".join(lines[:end]).split(": ", 1)
    return title, purpose[0].upper() + purpose[1:], restructured(lines[end:])


def explicit_enum(header):
    """Expand the macro list of status codes into an enum with one comment per code."""
    codes = re.findall(r"X\((VOLT_\w+), \"(.*?)\"\)", header)
    return ENUM_BY_MACRO.sub("".join(f"    {code}, /* {message} */\n" for code, message in codes), header)


def documented(header):
    """Return the header with its comments in Doxygen format."""
    header = explicit_enum(header)

    def replace(match):
        comment = match[0]
        before = header[header.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match.start() == 0:
            return ""
        if SECTION.match(comment) or before.lstrip().startswith("#"):
            return comment
        if before.strip():
            mark = "/**<"
        elif re.match(r"\n\s*\S", header[match.end() :]):
            mark = "/**"
        else:
            return comment
        return f"{mark} \\verbatim embed:rst\n{restructured(lines_of(comment))}\n\\endverbatim */"

    return COMMENT.sub(replace, header)
