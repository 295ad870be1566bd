#!/usr/bin/env python3
"""scripts/mutate.py: would the tests notice a fault? What `make mutate` calls, through scripts/mutate.sh.

    scripts/mutate.py [--count N] [--seed N] [--folders src/io,cli] [--only 12,57] [--steps draw,build,try,sanitize]

draw      N mutants, at random from the seed, spread over all folders of src/ and cli/, are written into a copy of the
          tree, build-mutate/tree, all at once: the environment chooses which one is alive (scripts/mutation/tree.py).
build     that copy is compiled, once.
try       the tests run without a mutant; then each mutant meets the tests that reach it until one of them fails,
          crashes or takes ten times as long as it should.
sanitize  what lives meets the same tests built with both sanitizers and assertions.

--only tries those mutants again, as they were drawn, on the tests as they are now. Survivors that no test could kill are
explained in tests/mutants_left.txt. build-mutate/results.tsv has a line for each mutant as soon as it is known,
build-mutate/report.txt the report. The status is 0 when at least GOAL of the mutants that change anything are killed.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutation import mutants as mutants_of, trials  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
GOAL = 0.9


def say(text):
    print(text, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description="Draw mutants, and see whether the tests notice them.")
    parser.add_argument("--count", type=int, default=420, help="mutants to draw (%(default)s)")
    parser.add_argument("--seed", type=int, default=20261116, help="of the draw (%(default)s)")
    parser.add_argument("--folders", help="only mutants of these, e.g. src/io,cli")
    parser.add_argument("--only", help="try these again, e.g. 12,57; nothing is drawn")
    parser.add_argument("--changed", action="store_true", help="with --only: on the tests alone that are new or have changed")
    parser.add_argument("--steps", default="draw,build,try,sanitize", help="(%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests and compilers at a time (%(default)s)")
    parser.add_argument("--work", type=Path, default=ROOT / "build-mutate", help="where all of it is kept (%(default)s)")
    parser.add_argument("--factor", type=float, default=10, help="times its own time before a test is stopped (%(default)s)")
    parser.add_argument("--budget", type=float, default=600, help="seconds of programs, and of the command line, for one mutant (%(default)s)")
    given = parser.parse_args()
    if given.count < 1 or given.jobs < 1:
        parser.error("--count and --jobs are at least 1")
    if given.only and not re.fullmatch(r"\d+(,\d+)*", given.only):
        parser.error(f"--only takes numbers and commas, not '{given.only}'")
    unknown = set(given.steps.split(",")) - {"draw", "build", "try", "sanitize", "report"}
    if unknown:
        parser.error(f"there is no step '{unknown.pop()}'")
    return given


# ---- draw ---------------------------------------------------------------------------------------
def configure(work, folder, *options):
    parts = ["-DVOLT_BUILD_BENCH=OFF", "-DVOLT_BUILD_EXAMPLES=OFF"]
    command = ["cmake", "-S", work / "tree", "-B", work / folder, *parts, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def compiler_headers():
    compiler = os.environ.get("CC", "cc")
    return subprocess.run([compiler, "-print-file-name=include"], check=True, capture_output=True, text=True).stdout.strip()


def draw(given):
    import json

    from mutation import tree as copy

    tree = given.work / "tree"
    copy.refresh(ROOT, tree, lambda name: name != copy.MUTANT_HEADER)
    configure(given.work, "build", "-DCMAKE_BUILD_TYPE=Release")
    commands = json.loads((given.work / "build/compile_commands.json").read_text())
    folders = given.folders.split(",") if given.folders else []
    found, faults = copy.all_sites(tree, commands, folders, compiler_headers(), given.jobs)
    for fault in faults:
        say(f"not parsed: {fault}")
    lacking = set(folders) - set(found)
    if lacking:
        raise SystemExit(f"mutate: there is nothing to change in '{lacking.pop()}'")
    drawn = copy.draw(ROOT, found, given.count, given.seed)
    copy.plant(ROOT, tree, drawn)
    mutants_of.save(given.work / "mutants.json", drawn)
    (given.work / "results.tsv").unlink(missing_ok=True)
    places = sum(map(len, found.values()))
    say(f"{len(drawn.mutants)} mutants, drawn with seed {given.seed} from {places} in {len(found)} folders")


# ---- build --------------------------------------------------------------------------------------
def compile_copy(given, folder, targets=()):
    """Returns the compiler's messages, or None on success."""
    keep_going = "-k0" if (given.work / folder / "build.ninja").exists() else "-k"
    command = ["cmake", "--build", given.work / folder, "--parallel", str(given.jobs)]
    command += ["--target", *targets] if targets else []
    log = subprocess.run([*command, "--", keep_going], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace")
    (given.work / f"{folder}.log").write_text(log.stdout)
    return log.stdout if log.returncode else None


def build(given):
    """All but what does not compile with its mutants: that file goes without."""
    from mutation import tree as copy

    tree = given.work / "tree"
    drawn = mutants_of.load(given.work / "mutants.json")
    if given.only:
        copy.refresh(ROOT, tree, lambda name: name != copy.MUTANT_HEADER and not re.match(r"(src|cli)/.*\.c$", name))
        copy.plant(ROOT, tree, drawn)
    while said := compile_copy(given, "build"):
        errors = dict(re.findall(r"tree/((?:src|cli)/\S+\.c):\d+:\d+: (error: .*)", said))
        left = [m for m in drawn.mutants if m.site.path not in errors]
        if len(left) == len(drawn.mutants):
            raise SystemExit(f"mutate: the copy does not build, see {given.work}/build.log")
        for path, error in errors.items():
            say(f"does not compile with its mutants, which are dropped: {path}: {error}")
        drawn.mutants = left
        copy.plant(ROOT, tree, drawn)
        mutants_of.save(given.work / "mutants.json", drawn)


# ---- try ----------------------------------------------------------------------------------------
def read_results(path):
    """{number: (killed, how)}; a later line counts."""
    if not path.exists():
        return {}
    rows = [line.split("\t", 2) for line in path.read_text().splitlines()]
    return {int(number): (killed == "killed", how) for number, killed, how in rows}


def meet(given, mutants, tests, reached=None, kills_only=False):
    """Measure the tests (what they reach goes to the file `reached`), try the mutants, write down each outcome, or, where all have
    one already, those that die. Returns the tests that were of use."""
    start = time.monotonic()
    useful = trials.baseline(tests, given.work / "tree", given.jobs, say)
    say(f"{len(useful)} of {len(tests)} tests pass and reach a mutant ({time.monotonic() - start:.0f} s)")
    if reached:
        trials.remember(tests, reached)
    with open(given.work / "results.tsv", "a") as results:
        def record(mutant, outcome):
            if outcome.killed or not kills_only:
                results.write(f"{mutant.number}\t{'killed' if outcome.killed else 'lives'}\t{outcome.how}\n")
                results.flush()
            if not outcome.killed and not kills_only:
                say(f"lives: {mutant} ({outcome.how})")

        trials.try_all(mutants, useful, given.work / "tree", given.jobs, given.factor, given.budget, record)
    return useful


def attempt(given, mutants):
    tests = trials.test_programs(given.work / "tree", given.work / "build")
    if not tests:
        raise SystemExit("mutate: no test program was built (is cmocka there?)")
    tests += trials.program_cases(given.work / "tree", given.work / "build")
    reached = given.work / "reached.json"
    if given.only:
        return meet(given, mutants, trials.worth_measuring(tests, mutants, reached, given.changed), kills_only=given.changed)
    return meet(given, mutants, tests, reached)


def sanitize(given, mutants, tests):
    """Those that live and that a plain test reached: mutants of src/ meet the test programs, those of cli/ the command line."""
    results = read_results(given.work / "results.tsv")
    reached = {number for t in tests for number in t.reached}
    alive = [m for m in mutants if m.number in reached and m.number in results and not results[m.number][0]]
    groups = [([m for m in alive if (m.folder == "cli") == of_program], of_program) for of_program in (False, True)]
    names = set()
    for group, of_program in groups:  # cases of the command line are slow: the quickest
        for m in group:
            able = [t.name for t in trials.tests_for(m, tests) if t.of_program == of_program]
            names.update(able[:12] if of_program else able)
    if not names:
        return
    if "build" in given.steps.split(","):
        configure(given.work, "build-sanitize", "-DVOLT_SANITIZE=ON", "-DCMAKE_BUILD_TYPE=Debug",
                  "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1")
        programs = {name.split("/")[1] for name in names if not name.startswith("cli: ")}
        if compile_copy(given, "build-sanitize", ["volterra_cli", *sorted(programs)]):
            raise SystemExit(f"mutate: the sanitized copy does not build, see {given.work}/build-sanitize.log")
    for group, of_program in groups:
        make = trials.program_cases if of_program else trials.test_programs
        found = make(given.work / "tree", given.work / "build-sanitize", trials.SANITIZED)
        meet(given, group, [t for t in found if t.name in names], kills_only=True)


# ---- report -------------------------------------------------------------------------------------
def report(drawn, results):
    mutants = drawn.mutants
    reasons = mutants_of.explained(ROOT / "tests/mutants_left.txt")
    known = [m for m in mutants if m.number in results]
    left = [m for m in known if not results[m.number][0]]
    alike = [m for m in left if m.key() in reasons]
    lines = [f"seed {drawn.seed}: {len(known)} of {len(mutants)} mutants tried", "",
             f"{'folder':16} {'mutants':>8} {'killed':>8} {'explained':>10} {'left':>6} {'killed':>8}"]

    def row(name, of):
        dead = sum(results[m.number][0] for m in of)
        same = sum(m in alike for m in of)
        share = f"{100 * dead / len(of):.1f} %" if of else "-"
        return f"{name:16} {len(of):8} {dead:8} {same:10} {len(of) - dead - same:6} {share:>8}"

    for folder in sorted({m.folder for m in known}):
        lines.append(row(folder, [m for m in known if m.folder == folder]))
    lines.append(row("in all", known))
    if len(left) > len(alike):
        lines += ["", "survivors:"]
        lines += [f"  {m} ({results[m.number][1]}; {m.key()})" for m in left if m not in alike]
    if alike:
        lines += ["", "explained in tests/mutants_left.txt:"] + [f"  {m}" for m in alike]
    dead, of = len(known) - len(left), len(known) - len(alike)
    lines += ["", f"killed: {dead} of {len(known)}, {100 * dead / max(len(known), 1):.1f} %; "
                  f"of the {of} that change anything {100 * dead / max(of, 1):.1f} %"]
    return "\n".join(lines), dead >= GOAL * of


def choose(drawn, numbers):
    """The mutants with these numbers, which must be in the copy still."""
    known = {m.number: m for m in drawn.mutants}
    chosen = []
    for number in map(int, numbers.split(",")):
        if number not in known:
            raise SystemExit(f"mutate: there is no mutant {number}")
        path = known[number].site.path
        if mutants_of.digest(ROOT / path) != drawn.sources[path]:
            raise SystemExit(f"mutate: {path} has changed since mutant {number} was drawn")
        chosen.append(known[number])
    return chosen


def main():
    given = arguments()
    given.work.mkdir(parents=True, exist_ok=True)
    steps = given.steps.split(",")
    if "draw" in steps and not given.only:
        draw(given)
    stored = given.work / "mutants.json"
    if not stored.exists():
        raise SystemExit("mutate: nothing was drawn yet; `make mutate` without MUTANTS does")
    if "build" in steps:
        build(given)
    drawn = mutants_of.load(stored)
    chosen = choose(drawn, given.only) if given.only else drawn.mutants
    if "try" in steps:
        tests = attempt(given, chosen)
        if "sanitize" in steps:
            sanitize(given, chosen, tests)
    text, is_enough = report(drawn, read_results(given.work / "results.tsv"))
    (given.work / "report.txt").write_text(text + "\n")
    say("\n" + text)
    return 0 if is_enough else 1


if __name__ == "__main__":
    sys.exit(main())
