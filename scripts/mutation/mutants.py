"""scripts/mutation/mutants.py: mutants and the files that list them."""

import hashlib
import json
from dataclasses import asdict, dataclass


@dataclass
class Site:
    """text[begin:end] of `path` becomes `after`; a statement is left out when `after` is empty."""

    path: str
    function: str
    line: int
    begin: int
    end: int
    before: str
    after: str

    def overlaps(self, other):
        return self.path == other.path and self.begin < other.end and other.begin < self.end


@dataclass
class Mutant:
    number: int
    folder: str  # the stratum: src/io, ..., or cli
    site: Site

    def key(self):
        """Identifies the mutant in the list of explained survivors, without its file and line."""
        change = f"{self.site.before} -> {self.site.after or '(left out)'}"
        return f"{self.site.function}:{hashlib.sha256(change.encode()).hexdigest()[:4]}"

    def __str__(self):
        after = self.site.after or "(left out)"
        return f"{self.number}  {self.site.path}:{self.site.line} {self.site.function}: {self.site.before}  ->  {after}"


@dataclass
class Draw:
    seed: int
    mutants: list
    sources: dict  # a digest of each file that has a mutant, as it was then


# ---- files --------------------------------------------------------------------------------------
def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def save(path, draw):
    path.write_text(json.dumps(asdict(draw), indent=1))


def load(path):
    stored = json.loads(path.read_text())
    mutants = [Mutant(m["number"], m["folder"], Site(**m["site"])) for m in stored["mutants"]]
    return Draw(stored["seed"], mutants, stored["sources"])


def explained(path):
    """The keys in a list of survivors that no test could kill."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {key for line in lines if not line.startswith("#") for key in line.split()}
