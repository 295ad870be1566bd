"""Compare two folders that scripts/same_results.sh filled: see there."""

import csv
import json
import re
import sys
from pathlib import Path

TIMES = {"seconds", "time", "elapsed", "cpu_seconds", "fit_seconds", "search_seconds", "rate", "bytes_available"}

ADDED = {"input_range"}


def numbers(value):
    """The structure of a JSON document without its texts and times."""
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items() if key not in TIMES and "seconds" not in key}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return "text" if isinstance(value, str) else value


def output(path):
    """Standard output: JSON documents by their numbers, other texts by the numbers in them."""
    text = path.read_text(errors="replace")
    try:
        return [numbers(json.loads(line)) for line in text.splitlines() if line.strip()]
    except ValueError:
        pass
    try:
        return numbers(json.loads(text))
    except ValueError:
        return re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.sub(r"[\d.]+ ?(m?s|min|MB|GB|[MG]iB)\b", "", text))


def model(path):
    """Tensors and metadata of a safetensors file, without its checksum and tensors that older builds do not write."""
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    metadata = {key: value for key, value in header.pop("__metadata__", {}).items() if key != "checksum"}
    tensors = {
        name: (item["dtype"], item["shape"], data[end + item["data_offsets"][0] : end + item["data_offsets"][1]])
        for name, item in header.items()
        if name not in ADDED
    }
    return metadata, tensors


def content(path):
    if path.suffix == ".safetensors":
        return model(path)
    if path.suffix in (".out", ".jsonl"):
        return output(path)
    if path.suffix in (".svg", ".html", ".tex"):
        return None
    if path.suffix == ".csv" and b",seconds," in path.read_bytes().split(b"\n", 1)[0]:
        with path.open(newline="") as file:
            return [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(file)]
    return path.read_bytes()


def main():
    old, new, commands = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    lines = [line for line in commands.read_text().splitlines() if line and not line.startswith("#")]
    names = sorted({str(p.relative_to(side)) for side in (old, new) for p in side.rglob("*") if p.is_file()})
    bad = []
    for name in names:
        if name.endswith(".err"):
            continue
        a, b = old / name, new / name
        if not (a.exists() and b.exists()):
            bad.append((name, "is in one folder only"))
        elif content(a) != content(b):
            bad.append((name, "differs"))
    failed = [n for n in names if n.endswith(".status") and (old / n).read_text().strip() != "0"]
    for name, reason in bad:
        command = lines[int(name[:3]) - 1] if re.match(r"\d{3}\.", name) else ""
        print(f"{name} {reason}  {command}")
    for name in failed:
        print(f"note: status {(old / name).read_text().strip()} in the old build: {lines[int(name[:3]) - 1]}")
    print(f"{len(lines)} commands, {len(names) - len(bad)} results")
    print(f"{len(names) - len(bad)} equal, {len(bad)} different")
    sys.exit(bool(bad))


main()
