"""docs/site/stage.py: write the Sphinx sources of the site to a build folder.

    stage.py ROOT SOURCE

The documents of the tree are copied, and only their links change. A link to another document becomes a link to its page, a
link to a public header one to the C reference, and a link to any other file of the tree one to a page with its text.
"""

import os
import re
import shutil
import sys
from pathlib import Path

FRONT = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
EXTRA = ["python/tutorials/README.md", "examples/README.md"]  # pages in a toctree outside docs/
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
CODE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)\s*?$|`[^`\n]+`)", re.S | re.M)
LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".sh": "bash", ".json": "json"}


class Stage:
    def __init__(self, root, source):
        self.root, self.source = root, source
        self.done = set()

    def place_of(self, path):
        """Return the page path of a file of the tree (its path from the root)."""
        if path in FRONT:
            return FRONT[path]
        if path.startswith("docs/"):
            return path[len("docs/") :]
        header = re.fullmatch(r"include/volterra/(\w+)\.h", path)
        if header:
            return f"c/{header[1]}.rst"
        return f"source/{path}" if path.endswith(".md") else f"source/{path}.md"

    def target(self, page, link):
        """Return the path from the root of a link target; None if it is not in the tree."""
        path = os.path.normpath(os.path.join(os.path.dirname(page), link))
        if (self.root / path).is_dir():
            path = os.path.join(path, "README.md")
        return path if (self.root / path).is_file() and not path.startswith("..") else None

    def relinked(self, page, text):
        def replace(match):
            path = self.target(page, match[2])
            if path is None:
                return match[0]
            self.add(path)
            here = os.path.dirname(self.place_of(page)) or "."
            return f"{match[1]}{os.path.relpath(self.place_of(path), here)}{match[3] or ''}{match[4]}"

        parts = CODE.split(text)
        return "".join(part if i % 2 else LINK.sub(replace, part) for i, part in enumerate(parts))

    def write(self, path, text):
        out = self.source / self.place_of(path)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text)

    def add(self, path):
        if path in self.done or path.startswith("include/volterra/"):
            return
        self.done.add(path)
        place = self.source / self.place_of(path)
        if path.endswith(".md"):
            text = re.sub(r"^```math$", "```{math}", (self.root / path).read_text(), flags=re.M)
            orphan = "---\norphan: true\n---\n" if self.place_of(path).startswith("source/") else ""
            self.write(path, orphan + self.relinked(path, text))
        elif path.startswith("docs/"):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / path, place)
        else:
            language = LANGUAGES.get(Path(path).suffix, "none")
            body = (self.root / path).read_text().rstrip("\n")
            fence = "`" * 8
            self.write(path, f"---\norphan: true\n---\n# {path}\n\n{fence}{language}\n{body}\n{fence}\n")

    def add_site(self):
        """Copy the pages of docs/site."""
        for path in sorted((self.root / "docs/site").rglob("*")):
            if path.suffix in {".md", ".rst"}:
                out = self.source / path.relative_to(self.root / "docs/site")
                out.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, out)


def main():
    root, source = map(Path, sys.argv[1:])
    stage = Stage(root, source)
    for path in [*FRONT, *EXTRA, *(str(p.relative_to(root)) for p in sorted((root / "docs").rglob("*.md")))]:
        if not path.startswith("docs/site/"):
            stage.add(path)
    stage.add_site()


if __name__ == "__main__":
    main()
