"""bench/large_docs.py: tables of bench/large/README.md and docs/images/large_n.svg from the measurements."""

import pathlib
import subprocess
import tempfile

PAGE = pathlib.Path("bench/large/README.md")
PICTURE = pathlib.Path("docs/images/large_n.svg")
SYSTEMS = {"narma": "NARMA10", "lorenz": "Lorenz, 1 % noise, five rows ahead"}
STYLES = {"exact": "#d62728", "nystrom": "#1f77b4", "pcg": "#2ca02c"}
NAMES = {"exact": "exact", "nystrom": "landmarks", "pcg": "PCG"}


def table(head, rows):
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows])


def seconds(text):
    value = float(text)
    return f"{value:.1f} s" if value < 10 else f"{value:.0f} s" if value < 120 else f"{value / 60:.1f} min"


def memory(text):
    value = float(text)
    return f"{value:.0f} MiB" if value < 1024 else f"{value / 1024:.1f} GiB"


def thousands(text):
    return f"{int(text):,}"


# ---- tables --------------------------------------------------------------------------------------


def growth_table(rows):
    """A row for every n, a column for every solver."""
    kinds = sorted({(row["solver"], int(row["landmarks"])) for row in rows}, key=lambda kind: list(NAMES).index(kind[0]))
    sizes = sorted({int(row["n"]) for row in rows})
    found = {(row["solver"], int(row["landmarks"]), int(row["n"])): row for row in rows}
    head = ["n"] + [f"{NAMES[solver]}{f', {m}' if m else ''}" for solver, m in kinds]
    body = []
    for n in sizes:
        cells = [found.get((*kind, n)) for kind in kinds]
        body.append([thousands(n)] + [f"{seconds(c['wall_s'])}, {memory(c['peak_mib'])}" if c else "" for c in cells])
    return table(head, body)


def accuracy_table(rows):
    order = sorted(rows, key=lambda r: (list(SYSTEMS).index(r["system"]), r["solver"], int(r["landmarks"]), int(r["n"])))
    body = [
        [
            SYSTEMS[row["system"]],
            f"landmarks, {row['landmarks']}" if row["solver"] == "nystrom" else row["solver"],
            thousands(row["n"]),
            f"{float(row['error']):.4g}",
            seconds(row["wall_s"]),
            memory(row["peak_mib"]),
        ]
        for row in order
    ]
    return table(["system", "fit", "rows", "error", "time", "peak"], body)


def peers_table(rows):
    order = sorted(rows, key=lambda r: (list(SYSTEMS).index(r["system"]), int(r["n"]), r["method"], int(r["landmarks"])))
    body = [
        [
            SYSTEMS[row["system"]],
            row["method"],
            thousands(row["n"]),
            row["landmarks"] if int(row["landmarks"]) else "",
            f"{float(row['error']):.4g}",
            seconds(row["wall_s"]),
            memory(row["peak_mib"]),
        ]
        for row in order
    ]
    return table(["system", "method", "rows", "landmarks", "error", "time", "peak"], body)


# ---- plots ---------------------------------------------------------------------------------------


def lines_of(rows):
    """Points (n, seconds, MiB) of each solver."""
    lines = {}
    for row in sorted(rows, key=lambda row: int(row["n"])):
        point = int(row["n"]), float(row["wall_s"]), float(row["peak_mib"])
        lines.setdefault((row["solver"], int(row["landmarks"])), []).append(point)
    return lines


def plot_command(lines, folder, using):
    parts = []
    for (solver, m), points in sorted(lines.items(), key=lambda item: (list(NAMES).index(item[0][0]), item[0][1])):
        path = pathlib.Path(folder) / f"{solver}{m}.dat"
        path.write_text("\n".join(" ".join(map(str, point)) for point in points) + "\n")
        title = f"{NAMES[solver]}{f', {m}' if m else ''}"
        dash = "" if m <= 1000 else " dashtype 2"
        parts.append(
            f"'{path}' using 1:{using} with linespoints pointtype 7 pointsize 0.5 linewidth 2{dash} "
            f"linecolor rgb '{STYLES[solver]}' title '{title}'"
        )
    return "plot " + ", \\\n     ".join(parts)


def picture(rows):
    lines = lines_of(rows)
    with tempfile.TemporaryDirectory() as folder:
        script = f"""set terminal svg size 860,380 font 'sans-serif,13' background '#ffffff'
set output '{PICTURE}'
set multiplot layout 1,2
set logscale xy
set grid linecolor rgb '#dddddd'
set border linecolor rgb '#555555'
set format x '10^{{%T}}'
set xlabel 'rows n'
set key bottom right
set title 'Time of a fit, two cores'
set ylabel 'seconds'
{plot_command(lines, folder, 2)}
unset key
set title 'Peak memory of the process'
set ylabel 'MiB'
{plot_command(lines, folder, 3)}
"""
        subprocess.run(["gnuplot"], input=script, text=True, check=True)


# ---- the page ------------------------------------------------------------------------------------


def replace(text, name, content):
    """Replace the text between the marks of `name`."""
    begin, end = f"<!-- large: {name} -->\n", f"<!-- large: end of {name} -->\n"
    before, rest = text.split(begin)
    return before + begin + "\n" + content + "\n\n" + end + rest.split(end)[1]


def write(results):
    text = PAGE.read_text()
    if results["growth"]:
        picture(results["growth"])
        text = replace(text, "growth", growth_table(results["growth"]))
    if results["accuracy"]:
        text = replace(text, "accuracy", accuracy_table(results["accuracy"]))
    if results["peers"]:
        text = replace(text, "peers", peers_table(results["peers"]))
    PAGE.write_text(text)
