#!/usr/bin/env python3
"""The tables of the published protocol in docs/paper_results.md: `volterra compare` on several samples, as Markdown.

    bench/bench_published.py FOLDER --d 10 [--draws 100] [--seeds 1 2 3] [--kernel NAME...] [--program build/volterra]

Each kernel and seed is one run. FOLDER/dD-SEED-KERNEL.json is its result and FOLDER/dD-SEED-KERNEL.trials its log. The same
command continues after an interruption. Existing results are not computed again. A run of one kernel has no model confidence set.
Threads: OMP_NUM_THREADS.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

KERNELS = ["Linear", "RBF", "Poly", "Sigmoid", "GAK", "Sig(N)", "Sig-PDE", "Volterra", "Volterra even"]


def run(args, seed, kernel):
    """Returns the row of one kernel on one sample."""
    path = args.folder / f"d{args.d}-{seed}-{re.sub('[^a-z0-9]+', '-', kernel.lower()).strip('-')}.json"
    if not path.exists():
        log = path.with_suffix(".trials")
        command = [args.program, "compare", "--preset", f"sp500-d{args.d}", "--protocol", "published"]
        command += ["--draws", str(args.draws), "--race", "fast", "--seed", str(seed), "--kernel", kernel]
        command += ["--json", "--quiet", "--log", str(log)]
        if log.exists():
            command.append("--resume")
        log.mkdir(exist_ok=True)
        found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        path.with_suffix(".part").write_text(found)
        path.with_suffix(".part").rename(path)
    return json.loads(path.read_text())["rows"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--d", type=int, choices=(5, 10, 15), required=True)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--kernel", nargs="+", default=KERNELS)
    parser.add_argument("--program", default="build/volterra")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    print("| kernel | MdAE x100 | NMSE | W1 x100 | seconds | failed draws |\n|---|---|---|---|---|---|")
    for kernel in args.kernel:
        rows = [run(args, seed, kernel) for seed in args.seeds]
        median = {name: statistics.median(row[name] for row in rows) for name in ("mdae", "nmse", "w1")}
        each = ", ".join(f"{row['nmse']:.3f}" for row in rows)
        seconds = ", ".join(f"{row['seconds']:.0f}" for row in rows)
        print(
            f"| {kernel} | {100 * median['mdae']:.3f} | {median['nmse']:.3f} ({each}) | {100 * median['w1']:.3f} "
            f"| {seconds} | {sum(row['failed'] for row in rows)} |",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
