#!/usr/bin/env python3
"""scripts/voice.py: find phrases that do not belong into technical prose.

Usage: scripts/voice.py [--limit PERCENT] [PATH...]

Reads Markdown files, the comments and strings of C files, and the comments and docstrings of Python and shell
files. Prints the number of sentences and of flagged sentences for each top-level folder. With --limit, prints
every flagged sentence of the rows above PERCENT and exits with status 1 if there is such a row.
"""
import argparse
import pathlib
import re
import sys

DEFAULT_PATHS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "include", "src", "cli", "bindings", "r", "matlab", "python", "tests",
                 "examples", "bench", "scripts"]
SUFFIXES = {".md", ".c", ".h", ".cu", ".py", ".sh"}
SKIPPED = re.compile(r"(^|/)(build[^/]*|\.git)(/|$)|(^|/)scripts/voice\.py$")

PATTERNS = {
    "stands": r"\b(?:stands?|stood)\b(?! (?:for|up|out|by)\b)",
    "whoever": r"\bwhoever\b",
    "clause as subject": r"(?:^|[.;:] )What [a-z]+s? (?!is new\b)",
    "is said": r"\b(?:is|are|was|were) said\b|\bsays so\b|\bsaid so\b|\bsay so\b|\bwith a word\b|\bone sentence\b",
    "go on": r"\bgo(?:es)? on\b|\bgoing on\b|\bwent on\b",
    "goes with": r"\b(?:goes|go) with\b",
    "comes back": r"\bcomes? back\b|\bcame back\b|\bcomes? to (?:its|an|the) end\b|\bcame to\b",
    "life of its own":
        r"\b(?:life|lives|name|past|state|alpha|figures?|file|thread|process) of (?:its|their|one's) own\b",
    "trailing alone": r"\b[a-z]+ alone\b(?=[,.;:)]|$)",
    "so many": r"\bso many\b|\bas many as\b|\bso far as\b|\bso long as\b",
    "put out, put away": r"\bput(?:s)? (?:out|away|aside)\b",
    "is there": r"\b(?:it|they|one|none) (?:is|are) there\b|\bis there already\b|\bthat there (?:is|are)\b",
    "that is none": r"\bthat is none\b|\bwhere there is (?:none|one|some)\b|\bno such\b",
    "told from": r"\btold from\b",
    "in its place": r"\bin (?:its|their) place\b|\bin the place of\b",
    "is that of": r"\b(?:it|this) is that of\b|\bis that of\b|\bare those of\b|\bas those of\b",
    "mind": r"\bminds?\b(?! (?:that|the gap))",
    "beside": r"\bbeside\b",
    "mended": r"\bmend(?:ed|s|ing)?\b",
    "as before": r"\blikewise\b|\bas before\b|\bof before\b",
    "to be had": r"\bas one (?:likes|wants)\b|\bis to be had\b|\bto be had\b",
    "ours": r"\bours\b|\bof ours\b",
    "errs": r"\berrs\b",
    "the moment": r"\bmoment that\b|\bthe moment\b",
}
COMPILED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in PATTERNS.items()}

C_TEXT = re.compile(r"/\*(.*?)\*/|((?:\"(?:[^\"\\\n]|\\.)*\"\s*)+)", re.DOTALL)
SCRIPT_TEXT = re.compile(r'"""(.*?)"""|(?:^[ \t]*#(?!!)[^\n]*\n)+', re.DOTALL | re.MULTILINE)


def blank(match):
    return "\n" * match.group(0).count("\n")


def texts(path):
    """Yields (line, text) for each piece of prose in the file."""
    source = path.read_text(errors="replace")
    if path.suffix == ".md":
        source = re.sub(r"```.*?```", blank, source, flags=re.DOTALL)
        source = "\n".join("" if line.startswith("    ") else line for line in source.split("\n"))
        yield 1, re.sub(r"`[^`\n]*`", "CODE", source)
        return
    is_c = path.suffix in {".c", ".h", ".cu"}
    for match in (C_TEXT if is_c else SCRIPT_TEXT).finditer(source):
        text = match.group(1)
        if text is None and is_c:
            text = " ".join(re.findall(r"\"((?:[^\"\\\n]|\\.)*)\"", match.group(2)))
        elif text is None:
            text = re.sub(r"^[ \t]*#", "", match.group(0), flags=re.MULTILINE)
        elif is_c:
            text = re.sub(r"\n\s*\*", "\n", text)
        if len(text.split()) >= 4:
            yield source.count("\n", 0, match.start()) + 1, text


def sentences(text):
    for sentence in re.split(r"(?<=[.;:!?])\s+|\n\s*\n|\n\s*[-|*]|\|", text):
        words = sentence.split()
        if len(words) >= 4:
            yield " ".join(words)


def row_of(path):
    """The row of the report that counts the file: its top-level folder or its name."""
    return path.parts[0]


def files_of(paths):
    for path in map(pathlib.Path, paths):
        found = path.rglob("*") if path.is_dir() else [path]
        for file in sorted(found):
            if file.suffix in SUFFIXES and file.is_file() and not SKIPPED.search(file.as_posix()):
                yield file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, help="highest allowed percentage of flagged sentences in a row")
    parser.add_argument("--list", action="store_true", help="print every flagged sentence")
    parser.add_argument("paths", nargs="*", default=DEFAULT_PATHS)
    arguments = parser.parse_args()

    counts, flagged = {}, {}
    for path in files_of(arguments.paths):
        row = row_of(path)
        for line, text in texts(path):
            for sentence in sentences(text):
                counts[row] = counts.get(row, 0) + 1
                names = [name for name, pattern in COMPILED.items() if pattern.search(sentence)]
                if names:
                    flagged.setdefault(row, []).append(f"{path}:{line}: [{', '.join(names)}] {sentence[:200]}")

    failed = False
    print(f"{'where':<20} {'sentences':>9} {'flagged':>8} {'%':>6}")
    for row, count in sorted(counts.items()):
        found = flagged.get(row, [])
        percent = 100 * len(found) / count
        print(f"{row:<20} {count:9d} {len(found):8d} {percent:6.2f}")
        over = arguments.limit is not None and percent > arguments.limit
        failed = failed or over
        if over or arguments.list:
            print("\n".join("    " + sentence for sentence in found))
    if failed:
        print(f"voice: more than {arguments.limit} % of the sentences are flagged", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
