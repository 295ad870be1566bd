"""bench/bench_forecast_peers.py: `volterra forecast` without options compared with other forecasting methods.

    bench_forecast_peers.py [options]      VOLTERRA: path of the program; set by bench/run.sh forecast-peers

FORECAST_SERIES (or --series) is a folder with manifest.json:

    {"series": [{"path": "dev/monthly/a.csv", "split": "dev",
                 "frequency": "monthly", "season": 12, "horizon": 18}, ...]}

Each file has a header line and two columns, time and value. The test rows are the last `horizon` rows.
Without a folder the series of bench/series are used. Peers need a Python with statsforecast and lightgbm
(forecast_methods.py). Their forecasts are computed once and stored in FOLDER/peers_SPLIT.json, or in
build/forecast_peers.json for bench/series. With --volterra-only nothing but the standard library is used,
and the stored forecasts of peers are shown.

A series on which a method fails is scored with the forecast of Naive2 and counted in the column "failed".
"""

import argparse
import csv
import hashlib
import importlib.util
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed

from forecast_scores import COVERAGE, NORMAL, mean, naive2, scores
from series_list import listed_series

# Season and horizon by the rules of M4; season 52 instead of 1 for weeks.
RULES = {
    "yearly": (1, 6),
    "quarterly": (4, 8),
    "monthly": (12, 18),
    "weekly": (52, 13),
    "daily": (7, 14),
    "half-hourly": (18, 36),
    "hourly": (24, 48),
}
STEPS = {
    "year": "yearly",
    "quarter": "quarterly",
    "month": "monthly",
    "week": "weekly",
    "day": "daily",
    "hour": "hourly",
}
ONE_THREAD = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
BENCH = pathlib.Path(__file__).parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--series", default=os.environ.get("FORECAST_SERIES"), help="folder of series (default: bench/series)")
    add("--split", help="only series of this split, e.g. dev or confirm")
    add("--frequency", help="only these frequencies, separated by commas")
    add("--limit", type=int, help="only the first series of each frequency")
    add("--match", help="only series whose path contains this regular expression")
    add("--jobs", type=int, default=os.cpu_count(), help="processes at a time (default: all cores)")
    add("--volterra-only", action="store_true", help="compute no peers; show stored ones")
    add("--peers-only", action="store_true", help="compute and show only the peers")
    add("--peers", help="file with the forecasts of peers (default: peers_SPLIT.json in the folder)")
    add("--program", default=os.environ.get("VOLTERRA", "build/volterra"), help="the program volterra")
    add("--options", default="", help="more options of volterra forecast, in quotes")
    add("--timeout", type=float, default=600, help="seconds per series for volterra")
    add("--save", help="write the forecasts and scores of volterra to this file")
    add("--against", nargs="*", default=[], help="files written by --save: additional rows of the tables")
    add("--paired", action="store_true", help="also print the MASE of volterra relative to each method")
    add("--each", action="store_true", help="also print the MASE of each series")
    add("--table", default=os.environ.get("FORECAST_TABLE"), help="file for the tables")
    return parser.parse_args()


def read_series(folder, entry):
    """The entry with lines, training values, test values and a checksum of the file."""
    text = (folder / entry["path"]).read_text()
    lines = text.splitlines()
    values = [float(row[1]) for row in csv.reader(lines[1:])]
    horizon = entry["horizon"]
    entry = dict(entry, lines=lines[:-horizon], train=values[:-horizon], truth=values[-horizon:])
    entry["digest"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return entry


def tasks(options):
    if options.series:
        folder = pathlib.Path(options.series)
        entries = json.loads((folder / "manifest.json").read_text())["series"]
    else:
        folder = BENCH / "series"
        entries = []
        for name, step, _, _ in listed_series(folder):
            frequency = STEPS.get(step, "half-hourly")
            season, horizon = RULES[frequency]
            entries.append(
                {"path": f"{name}.csv", "frequency": frequency, "season": season, "horizon": horizon}
            )
    counts, chosen = {}, []
    for entry in entries:
        if options.split and entry.get("split") != options.split:
            continue
        if options.frequency and entry["frequency"] not in options.frequency.split(","):
            continue
        if options.match and not re.search(options.match, entry["path"]):
            continue
        counts[entry["frequency"]] = counts.get(entry["frequency"], 0) + 1
        if not options.limit or counts[entry["frequency"]] <= options.limit:
            chosen.append(read_series(folder, entry))
    if not chosen:
        sys.exit("bench_forecast_peers: no series selected")
    order = list(RULES)
    return folder, sorted(chosen, key=lambda entry: order.index(entry["frequency"]))


def load(path, entries):
    """Stored results of those series whose files have not changed: path -> method -> result."""
    if not path or not pathlib.Path(path).exists():
        return {}
    stored = json.loads(pathlib.Path(path).read_text())["series"]
    return {
        entry["path"]: stored[entry["path"]]["methods"]
        for entry in entries
        if stored.get(entry["path"], {}).get("digest") == entry["digest"]
    }


def store(path, entries, results):
    """Adds results to a file: path -> method -> result."""
    path = pathlib.Path(path)
    stored = json.loads(path.read_text()) if path.exists() else {"coverage": COVERAGE, "series": {}}
    for entry in entries:
        if entry["path"] in results:
            kept = stored["series"].get(entry["path"], {})
            found = kept.get("methods", {}) if kept.get("digest") == entry["digest"] else {}
            about = {key: entry[key] for key in ("frequency", "season", "horizon", "digest")}
            stored["series"][entry["path"]] = {**about, "methods": {**found, **results[entry["path"]]}}
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps(stored))
    scratch.replace(path)


def interval_option(program):
    """The option for intervals of volterra forecast, where it has one."""
    page = subprocess.run([program, "forecast", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return ["--interval", f"{COVERAGE:g}"] if "--interval " in page else []


def volterra_forecast(program, extra, entry, limit):
    """Runs the program on the training rows. Without columns of intervals: normal, from NAME.error."""
    begun = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch) / "series.csv"
            file.write_text("\n".join(entry["lines"]) + "\n")
            command = [program, "forecast", "series.csv", "--steps", str(entry["horizon"]), "-o", "-"]
            run = subprocess.run(
                [*command, "--quiet", *extra],
                cwd=scratch,
                env=ONE_THREAD,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        if run.returncode != 0:
            raise ValueError((run.stderr.strip().splitlines() or ["no message"])[-1])
        header, *rows = list(csv.reader(run.stdout.splitlines()))
        if len(rows) != entry["horizon"]:
            raise ValueError(f"{len(rows)} rows instead of {entry['horizon']}")
        column = {re.sub(r"^.*\.(lo|hi|error)(90)?$", r"\1", name): k for k, name in enumerate(header) if k}
        value = [float(row[1]) for row in rows]
        if "lo" in column:
            low, high = ([float(row[column[end]]) for row in rows] for end in ("lo", "hi"))
        else:
            half = [NORMAL * float(row[column["error"]]) for row in rows]
            low, high = [y - w for y, w in zip(value, half)], [y + w for y, w in zip(value, half)]
        result = {"forecast": value, "low": low, "high": high}
        if not all(math.isfinite(number) for numbers in result.values() for number in numbers):
            raise ValueError("values that are not finite")
    except (ValueError, KeyError, subprocess.TimeoutExpired) as error:
        result = {"error": str(error)}
        print(f"volterra failed on {entry['path']}: {error}", file=sys.stderr, flush=True)
    result["seconds"] = round(time.perf_counter() - begun, 3)
    return result


def peer_task(entry, known):
    from forecast_methods import peer_forecasts

    return peer_forecasts(entry["train"], entry["season"], entry["horizon"], entry["frequency"], known)


def progress(done, count, begun):
    if sys.stderr.isatty() or done == count or done % 20 == 0:
        print(f"{done} of {count} series, {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)


def add_peers(options, entries, path, results):
    """Computes the peers that are not stored, and stores them after every series."""
    begun = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(peer_task, entry, list(results.get(entry["path"], ()))): entry for entry in entries}
        for done, run in enumerate(as_completed(runs), 1):
            entry, found = runs[run], run.result()
            known = results.setdefault(entry["path"], {})
            if found or "Naive2" not in known:
                known.update(found)
                score_methods(entry, known)
                store(path, [entry], {entry["path"]: known})
            progress(done, len(entries), begun)


def add_volterra(options, entries, results):
    begun = time.perf_counter()
    extra = [*interval_option(options.program), *shlex.split(options.options)]
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = {
            pool.submit(volterra_forecast, options.program, extra, entry, options.timeout): entry
            for entry in entries
        }
        for done, run in enumerate(as_completed(runs), 1):
            results.setdefault(runs[run]["path"], {})["volterra"] = run.result()
            progress(done, len(entries), begun)


def score_methods(entry, found):
    """Scores every method of a series; adds Naive2, which also replaces forecasts of failed methods."""
    found["Naive2"] = naive2(entry["train"], entry["season"], entry["horizon"])
    base = scores(entry["train"], entry["truth"], entry["season"], found["Naive2"])
    for result in found.values():
        used = found["Naive2"] if "error" in result else result
        result.update(scores(entry["train"], entry["truth"], entry["season"], used))
        if base["mase"] > 0 and base["smape"] > 0:
            result["owa"] = (result["mase"] / base["mase"] + result["smape"] / base["smape"]) / 2


def summary(entries, results, method):
    """Means over the series that have this method. OWA: ratios of the means to those of Naive2 (M4)."""
    having = [entry for entry in entries if method in results[entry["path"]]]
    found = [results[entry["path"]][method] for entry in having]
    base = [results[entry["path"]]["Naive2"] for entry in having]
    row = {
        key: mean(result[key] for result in found) for key in ("mase", "smape", "coverage", "width", "score")
    }
    row["owa"] = mean(row[key] / mean(b[key] for b in base) for key in ("mase", "smape"))
    pairs = [(result["mase"], b["mase"]) for result, b in zip(found, base) if b["mase"] > 0]
    row["ratio"] = math.exp(mean(math.log(max(a, 1e-3 * b) / b) for a, b in pairs))
    row["series"] = len(having)
    row["failed"] = sum("error" in result for result in found)
    row["seconds"] = mean(result.get("seconds", 0) for result in found)
    return row


def table(title, entries, results, names):
    lines = [f"### {title}", ""]
    lines += [
        "| method | MASE | sMAPE | OWA | MASE / Naive2 | coverage | width | interval score | failed | s |"
    ]
    lines += ["|---" + "|---:" * 9 + "|"]
    rows = {method: summary(entries, results, method) for method in names}
    # Means over some of the series are not comparable with the others: last.
    for method, row in sorted(rows.items(), key=lambda item: (-item[1]["series"], item[1]["owa"])):
        part = "" if row["series"] == len(entries) else f" ({row['series']} of {len(entries)})"
        bold = "**" if method == "volterra" else ""
        errors = f"{row['mase']:.3f} | {row['smape']:.2f} | {row['owa']:.3f} | {row['ratio']:.3f}"
        intervals = f"{100 * row['coverage']:.1f} % | {row['width']:.2f} | {row['score']:.2f}"
        runs = f"{row['failed']} | {row['seconds']:.2f}"
        lines.append(f"| {bold}{method}{bold}{part} | {errors} | {intervals} | {runs} |")
    return [*lines, ""]


def paired(entries, results, names):
    """Per method: MASE of volterra relative to it as a geometric mean with a 95 % interval over series."""
    lines = []
    for method in names:
        found = [results[entry["path"]] for entry in entries]
        pairs = [(f["volterra"]["mase"], f[method]["mase"]) for f in found if method in f and "volterra" in f]
        if method == "volterra" or len(pairs) < 2:
            continue
        logs = [math.log(max(a, 1e-3 * b) / max(b, 1e-3 * a)) if a or b else 0.0 for a, b in pairs]
        centre = mean(logs)
        error = 1.96 * math.sqrt(mean((log - centre) ** 2 for log in logs) / (len(logs) - 1))
        ratio, low, high = (math.exp(value) for value in (centre, centre - error, centre + error))
        wins = sum(a < b for a, b in pairs)
        lines.append(
            f"- volterra / {method}: {ratio:.3f} ({low:.3f} to {high:.3f}), better on {wins} of {len(pairs)}"
        )
    return [*lines, ""] if lines else []


def each_series(entries, results, names):
    lines = [f"| series | {' | '.join(names)} |", "|---" + "|---:" * len(names) + "|"]
    for entry in entries:
        found = results[entry["path"]]
        cells = [f"{found[name]['mase']:.3f}" if name in found else "" for name in names]
        lines.append(f"| {entry['path']} | {' | '.join(cells)} |")
    return [*lines, ""]


def report(options, entries, results):
    def names(part):
        found = [name for entry in part for name in results[entry["path"]]]
        return list(dict.fromkeys(found))

    explained = (
        f"Mean scores, methods ordered by OWA. Coverage, width and interval score of {100 * COVERAGE:g} % "
        "intervals; width and score in units of the scale of MASE. MASE / Naive2: geometric mean over series. "
        "s: seconds per series."
    )
    lines = [explained, ""]
    for frequency in RULES:
        part = [entry for entry in entries if entry["frequency"] == frequency]
        if part:
            title = f"{frequency}: {len(part)} series, horizon {part[0]['horizon']}"
            lines += table(title, part, results, names(part))
            if options.paired:
                lines += paired(part, results, names(part))
            if options.each:
                lines += each_series(part, results, names(part))
    lines += table(f"all: {len(entries)} series", entries, results, names(entries))
    if options.paired:
        lines += paired(entries, results, names(entries))
    print("\n".join(lines))
    if options.table:
        pathlib.Path(options.table).write_text("\n".join(lines))


def main():
    options = arguments()
    folder, entries = tasks(options)
    suffix = f"_{options.split}" if options.split else ""
    default = folder / f"peers{suffix}.json" if options.series else BENCH.parent / "build/forecast_peers.json"
    peers = pathlib.Path(options.peers or default)
    results = {path: dict(found) for path, found in load(peers, entries).items()}
    missing = [name for name in ("statsforecast", "lightgbm") if not importlib.util.find_spec(name)]
    if missing and not options.volterra_only:
        print(f"no peers: {' and '.join(missing)} not installed (PEER_PYTHON)", file=sys.stderr)
    elif not options.volterra_only:
        add_peers(options, entries, peers, results)
    if not options.peers_only:
        options.program = str(pathlib.Path(options.program).resolve())
        add_volterra(options, entries, results)
    for file in options.against:
        for path, found in load(file, entries).items():
            results.setdefault(path, {})[pathlib.Path(file).stem] = found["volterra"]
    for entry in entries:
        score_methods(entry, results.setdefault(entry["path"], {}))
    report(options, entries, results)
    if options.save:
        own = {path: {"volterra": found["volterra"]} for path, found in results.items() if "volterra" in found}
        pathlib.Path(options.save).unlink(missing_ok=True)
        store(options.save, entries, own)


if __name__ == "__main__":
    main()
