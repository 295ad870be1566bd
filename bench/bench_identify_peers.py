"""bench/bench_identify_peers.py: `volterra identify` without options compared with other methods.

    bench_identify_peers.py [options]      VOLTERRA: path of the program; set by bench/run.sh identify-peers
    bench_identify_peers.py --make --systems FOLDER [--raw FOLDER]

The systems are in IDENTIFY_SYSTEMS (or --systems): a folder with manifest.json and, for each system, training
and test rows as CSV files with the columns u1, u2, ... and y. --make writes the folder: the simulated systems,
and with --raw the measured ones from their published files (identify_systems.py).

Every method has the training rows and simulates the test rows from their inputs. The measured outputs of the
first rows (known_rows in the manifest) set the initial state. Errors are root mean squares over the other test
rows.

--budget is the time of a method for a system: for volterra the option of `identify`, for the peers seconds of
processor time. Peers need a Python with scipy, scikit-learn, sysidentpy and torch (identify_methods.py). Their
results are stored in FOLDER/peers_SPLIT.json and computed again only for a larger budget. With --volterra-only
nothing but the standard library is used, and the stored results of the peers are shown.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed

PEERS = ("output error", "FROLS", "kernel NARX", "GRU")
LINEAR = "output error"
TOLERANCE = 1.05  # a result within this factor of the best peer's counts as equal
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--systems", default=os.environ.get("IDENTIFY_SYSTEMS"), help="folder of systems")
    add("--make", action="store_true", help="write the folder of systems and stop")
    add("--raw", help="with --make: folder with the files of the measured systems")
    add("--split", choices=("dev", "confirm"), help="only systems of this half (default: both)")
    add("--match", help="only these systems, separated by commas")
    add("--methods", default=",".join(PEERS), help=f"peers, separated by commas (default: {','.join(PEERS)})")
    add("--jobs", type=int, default=os.cpu_count(), help="processes at a time (default: all cores)")
    add("--budget", type=float, default=60, help="seconds per system and method (default: 60)")
    add("--volterra-only", action="store_true", help="compute no peers; show stored ones")
    add("--peers-only", action="store_true", help="compute and show only the peers")
    add("--peers", help="file with the results of peers (default: peers_SPLIT.json in the folder)")
    add("--program", default=os.environ.get("VOLTERRA", "build/volterra"), help="the program volterra")
    add("--options", default="", help="more options of volterra identify, in quotes")
    add("--save", help="write the results of volterra to this file")
    add("--show", help="show the results of volterra in this file instead of computing them")
    add("--table", default=os.environ.get("IDENTIFY_TABLE"), help="file for the table")
    options = parser.parse_args()
    if not options.systems:
        parser.error("--systems or IDENTIFY_SYSTEMS must name a folder of systems")
    return options


# ---- systems and stored results ----------------------------------------------------------------------------


def chosen_systems(options):
    folder = pathlib.Path(options.systems)
    entries = json.loads((folder / "manifest.json").read_text())["systems"]
    names = options.match.split(",") if options.match else None
    chosen = []
    for entry in entries:
        if (options.split and entry["split"] != options.split) or (names and entry["name"] not in names):
            continue
        data = b"".join((folder / entry[part]).read_bytes() for part in ("train", "test"))
        paths = {part: str((folder / entry[part]).resolve()) for part in ("train", "test")}
        chosen.append({**entry, **paths, "digest": hashlib.sha256(data).hexdigest()[:16]})
    if not chosen:
        sys.exit("bench_identify_peers: no system selected")
    return chosen


def load(path, entries):
    """Stored results of those systems whose files have not changed: name -> method -> result."""
    if not path or not pathlib.Path(path).exists():
        return {}
    stored = json.loads(pathlib.Path(path).read_text())["systems"]
    same = [e for e in entries if stored.get(e["name"], {}).get("digest") == e["digest"]]
    return {entry["name"]: stored[entry["name"]]["methods"] for entry in same}


def store(path, entries, results, about):
    path = pathlib.Path(path)
    stored = json.loads(path.read_text()) if path.exists() else {"systems": {}}
    stored.update(about)
    for entry in entries:
        if entry["name"] in results:
            kept = stored["systems"].get(entry["name"], {})
            found = kept.get("methods", {}) if kept.get("digest") == entry["digest"] else {}
            found = {**found, **results[entry["name"]]}
            stored["systems"][entry["name"]] = {"digest": entry["digest"], "methods": found}
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps(stored, indent=1) + "\n")
    scratch.replace(path)


def load_average():
    return [round(value, 1) for value in os.getloadavg()]


# ---- runs --------------------------------------------------------------------------------------------------


def volterra_result(program, extra, entry, budget):
    """The errors that `identify` reports for the test rows after the known ones."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        command = [program, "identify", entry["train"], "--x", ",".join(entry["inputs"])]
        command += ["--y", ",".join(entry["outputs"]), "--test", entry["test"], "--budget", f"{budget:g}s"]
        command += ["--threads", "1", "-o", "model.safetensors", "--json", "--quiet", *extra]
        printed, messages = pathlib.Path(scratch) / "printed", pathlib.Path(scratch) / "messages"
        with printed.open("w") as out, messages.open("w") as err:
            child = subprocess.Popen(
                command, cwd=scratch, env={**os.environ, **ONE_THREAD}, stdout=out, stderr=err
            )
            _, status, usage = os.wait4(child.pid, 0)  # subprocess does not report the time of one child
            child.returncode = status
        try:
            if status != 0:
                raise ValueError((messages.read_text().strip().splitlines() or ["no message"])[-1])
            found = json.loads(printed.read_text())
            if found["test_washout"] != entry["known_rows"]:
                raise ValueError(f"scored after {found['test_washout']} rows, not {entry['known_rows']}")
            result = {
                "rmse": found["test_rmse"],
                "linear": found["linear_test_rmse"],
                "setting": found["chosen"],
            }
            if result["rmse"] is None:
                result["error"] = "the test error is not finite"
            keys = ("name", "nmse", "block_nmse", "trials", "seconds", "test_rmse", "kernel")
            result["candidates"] = [{key: c.get(key) for key in keys} for c in found["candidates"]]
        except (ValueError, KeyError) as error:
            result = {"error": str(error)}
            print(f"volterra failed on {entry['name']}: {error}", file=sys.stderr, flush=True)
    cpu = round(usage.ru_utime + usage.ru_stime, 1)
    return {**result, "cpu_seconds": cpu, "seconds": round(time.perf_counter() - begun, 1)}


def peer_task(entry, name, budget):
    import numpy as np
    from identify_methods import peer_result

    tables = [np.loadtxt(entry[part], delimiter=",", skiprows=1) for part in ("train", "test")]
    train, test = ((table[:, :-1], table[:, -1]) for table in tables)
    return peer_result(name, train, test, entry["known_rows"], budget)


def progress(done, count, name, begun):
    print(f"{done} of {count} ({name}), {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)


def add_peers(options, entries, path, results):
    """Computes the peers that are not stored with this budget, and stores each result at once."""
    begun, methods = time.perf_counter(), options.methods.split(",")
    os.environ.update(ONE_THREAD)  # before the workers import numpy
    wanted = [
        (entry, name)
        for entry in entries
        for name in methods
        if results.get(entry["name"], {}).get(name, {}).get("budget", 0) < options.budget
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(peer_task, entry, name, options.budget): (entry, name) for entry, name in wanted}
        for done, run in enumerate(as_completed(runs), 1):
            entry, name = runs[run]
            found = {**run.result(), "budget": options.budget, "load": load_average()}
            results.setdefault(entry["name"], {})[name] = found
            store(path, [entry], {entry["name"]: {name: found}}, {})
            progress(done, len(wanted), f"{entry['name']}, {name}", begun)


def add_volterra(options, entries, results):
    begun, extra = time.perf_counter(), shlex.split(options.options)
    program = str(pathlib.Path(options.program).resolve())
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(volterra_result, program, extra, e, options.budget): e for e in entries}
        for done, run in enumerate(as_completed(runs), 1):
            entry = runs[run]
            found = {**run.result(), "load": load_average()}
            results.setdefault(entry["name"], {})["volterra"] = found
            if options.save:
                about = {"budget": options.budget, "options": options.options}
                store(options.save, [entry], {entry["name"]: {"volterra": found}}, about)
            progress(done, len(entries), entry["name"], begun)


# ---- the table ---------------------------------------------------------------------------------------------


def value_of(found, name, key="rmse"):
    result = found.get(name, {})
    return None if "error" in result else result.get(key)


def table(entries, results):
    """Errors of all methods; volterra relative to the best peer and to the linear model of the peers."""
    names = [name for name in (*PEERS, "volterra") if any(name in results.get(e["name"], {}) for e in entries)]
    own = "volterra" in names
    heads = ["system", "rows", *names, *(["volterra / best peer", "model of volterra"] if own else [])]
    lines = [
        f"| {' | '.join(heads)} |",
        "|---" + "|---:" * (len(names) + 1 + own) + ("|---" if own else "") + "|",
    ]
    met = better = worse = 0
    for entry in entries:
        found = results.get(entry["name"], {})
        values = {name: value_of(found, name) for name in names}
        finite = [value for value in values.values() if value is not None]
        cells = []
        for name in names:
            value = values[name]
            text = "failed" if name in found and value is None else "" if value is None else f"{value:.4g}"
            cells.append(f"**{text}**" if finite and value == min(finite) else text)
        kind = "" if entry["kind"] == "simulated" else ", measured"
        lines.append(f"| {entry['name']}{kind} | {entry['train_rows']} | {' | '.join(cells)} |")
        peers = [values[name] for name in names if name != "volterra" and values[name] is not None]
        if own:
            ratio = values["volterra"] / min(peers) if peers and values["volterra"] is not None else None
            lines[-1] += (
                f" {'' if ratio is None else f'{ratio:.2f}'} | {found.get('volterra', {}).get('setting', '')} |"
            )
            met += ratio is not None and ratio <= TOLERANCE
            better += ratio is not None and ratio < 1
            linear = values.get(LINEAR)
            worse += values["volterra"] is None or (linear is not None and values["volterra"] > linear)
    if own:
        count = len(entries)
        lines += ["", f"volterra: within 5 % of the best peer on {met} of {count} systems, better on {better};"]
        lines += [f"failed or worse than the linear output error model on {worse}."]
    return lines


def main():
    options = arguments()
    if options.make:
        from identify_systems import make_systems

        for entry in make_systems(options.systems, options.raw):
            print(f"{entry['name']:14} {entry['split']:8} {entry['train_rows']:6} {entry['test_rows']:6}")
        return
    entries = chosen_systems(options)
    path = options.peers or pathlib.Path(options.systems) / f"peers_{options.split or 'all'}.json"
    results = load(path, entries)
    if not options.volterra_only and not options.show:
        add_peers(options, entries, path, results)
    if options.show:
        for name, methods in load(options.show, entries).items():
            results.setdefault(name, {}).update(methods)
    elif not options.peers_only:
        add_volterra(options, entries, results)
    text = "\n".join(table(entries, results)) + "\n"
    print(text)
    if options.table:
        pathlib.Path(options.table).write_text(text)


if __name__ == "__main__":
    main()
