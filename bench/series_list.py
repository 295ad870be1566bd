"""bench/series_list.py: the series of bench/series, as listed in its README.md."""

import re
import sys


def listed_series(folder):
    """(name, step, season, far) of every series in the table of the README, in the order of the files."""
    found = {}
    for line in (folder / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and cells[1].startswith("`"):
            for name in re.findall(r"`(\w+)`", cells[1]):
                found[name] = (cells[3], int(cells[4]), int(cells[5]))
    files = sorted(path.stem for path in folder.glob("*.csv"))
    if files != sorted(found):
        sys.exit(f"bench: series/README.md and the files differ: {set(files) ^ set(found)}")
    return [(name, *found[name]) for name in files]
