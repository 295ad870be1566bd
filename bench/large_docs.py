"""bench/large_docs.py: tables of bench/large/README.md and docs/images/large_n.svg from the measurements."""

import pathlib
import subprocess

PAGE = pathlib.Path("bench/large/README.md")
PICTURE = pathlib.Path("docs/images/large_n.svg")
SYSTEMS = {"narma": "NARMA10", "lorenz": "Lorenz, 1 % noise, five rows ahead"}
COLOURS = {"exact": 2, "nystrom": 1, "pcg": 3}  # of svg_plot.h
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


def picture(rows):
    """Time and memory over the rows, drawn by build/draw_plot."""
    text = ""
    for column, title in ((1, "time of a fit, two cores (s)"), (2, "peak memory of the process (MiB)")):
        text += f"panel {title}\nlog\nx rows n\n"
        for (solver, m), points in sorted(lines_of(rows).items(), key=lambda item: (list(NAMES).index(item[0][0]), item[0][1])):
            name = f"{COLOURS[solver]} {NAMES[solver]}{f', {m}' if m else ''}"
            series = "".join(f"{point[0]},{point[column]}\n" for point in points)
            text += f"{'line' if m <= 1000 else 'dashed'} {name}\n{series}dots {name.split()[0]}\n{series}"
    subprocess.run(["cmake", "--build", "build", "--target", "draw_plot"], stdout=subprocess.DEVNULL, check=True)
    with PICTURE.open("w", encoding="utf-8") as file:
        subprocess.run(["build/draw_plot", "2", "900"], input=text, text=True, stdout=file, check=True)


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
