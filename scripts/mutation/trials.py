"""scripts/mutation/trials.py: run the tests on each mutant until one of them fails.

A test is a program of the suites unit, property, reference and backend, or one case of the command line. Mutants of src/
meet the programs first. Surviving mutants also run with the sanitizers, which detect accesses beyond the end of an array.
"""

import json
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from .mutants import digest

SUITES = ("unit", "property", "reference", "backend")
# A mutant may ask for any amount of memory or disk. The sanitizers map more than any limit, and have one of their own.
# The limit of memory is soft: tests of limits raise it.
LIMITS = 'ulimit -c 0; ulimit -f 2097152; [ -n "${ASAN_OPTIONS:-}" ] || ulimit -S -v 25165824; exec "$@"'
# As in tests/run_tests.sh: the search for leaks takes seconds on 64-bit ARM.
SANITIZED = {"ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=16384:hard_rss_limit_mb=8192:"
                             f"detect_leaks={int(platform.machine() != 'aarch64')}:detect_stack_use_after_return=0"}


@dataclass
class Test:
    name: str
    command: list
    of_program: bool = False  # of the command line
    environment: dict = field(default_factory=dict)
    source: str = ""  # a digest of its text: whether it has changed
    seconds: float = 0
    reached: set = field(default_factory=set)


@dataclass
class Outcome:
    killed: bool
    how: str  # the test and how it ended; or why it lives


def test_programs(tree, build, environment=None):
    return [Test(f"{suite}/{path.name}", [str(path)], environment=environment or {},
                 source=digest(next((tree / "tests" / suite).rglob(f"{path.name}.c"), tree)))
            for suite in SUITES for path in sorted((build / "tests" / suite).glob("test_*")) if os.access(path, os.X_OK)]


def program_cases(tree, build, environment=None):
    """The cases whose name is written out; those made in a loop are left to the whole suite."""
    runner = str(tree / "tests/cli/run.sh")
    cases = []
    for path in sorted((tree / "tests/cli/cases").glob("*.sh")):
        for name in re.findall(r'^check "([^"$]*)" \w+$', path.read_text(), re.M):
            pattern = "^" + re.sub(r"([^\w ])", r"\\\1", name) + "$"
            cases.append(Test(f"cli: {name}", ["bash", runner, pattern], True,
                              {"VOLTERRA": f"{build}/volterra", "VOLT_SUITE": "cli", **(environment or {})}, digest(path)))
    return cases


def run(test, tree, variables, limit):
    """(status, seconds, output); status None: stopped. Its files are its own, and all its processes end with it."""
    scratch = tempfile.mkdtemp(prefix="mutant-")
    environment = dict(os.environ, TMPDIR=scratch, CMOCKA_MESSAGE_OUTPUT="TAP", OMP_WAIT_POLICY="passive",
                       OMP_NUM_THREADS="2", **test.environment, **variables)
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(["bash", "-c", LIMITS, "limited", *test.command], cwd=tree, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            status = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        seconds = time.monotonic() - start
        output.seek(0)
        text = output.read(1 << 20).decode(errors="replace")
    shutil.rmtree(scratch, ignore_errors=True)
    return status, seconds, text


# ---- without a mutant ---------------------------------------------------------------------------
def measure(test, tree):
    """Run unmutated, for its time and the mutants it reaches: (whether it passes, what it prints)."""
    with tempfile.TemporaryDirectory(prefix="trace-") as folder:
        trace = Path(folder) / "reached"
        status, test.seconds, text = run(test, tree, {"VOLT_MUTANT_TRACE": str(trace)}, 900)
        test.reached = {int(n) for n in trace.read_text().split()} if trace.exists() else set()
    return status == 0, text


def remember(tests, path):
    """Saves the functions reached by each test, for a later run on a few mutants."""
    known = [{"name": t.name, "source": t.source, "seconds": t.seconds, "reached": sorted(t.reached)} for t in tests]
    path.write_text(json.dumps(known))


def worth_measuring(tests, mutants, path, only_changed):
    """Tests that have changed, and unless these alone are asked for, those known to reach one of the mutants."""
    known = {k["name"]: k for k in json.loads(path.read_text())} if path.exists() else {}
    numbers = {m.number for m in mutants}
    changed = [t for t in tests if t.name not in known or known[t.name]["source"] != t.source]
    reaching = [t for t in tests if t not in changed and numbers & set(known[t.name]["reached"])]
    return changed if only_changed else changed + reaching


def baseline(tests, tree, jobs, say):
    """The tests that pass and reach a mutant."""
    useful = []
    with ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(measure, test, tree): test for test in tests}
        for future in as_completed(waiting):
            test, (passed, text) = waiting[future], future.result()
            if not passed:
                failed = [line for line in text.splitlines() if line.startswith("not ok") or "ERROR" in line][:3]
                say(f"left out: {test.name} fails without a mutant {failed}")
            elif test.reached:
                useful.append(test)
    return useful


# ---- with one -----------------------------------------------------------------------------------
def compares_figures(test):
    return test.name.startswith("cli: figures of")


def tests_for(mutant, tests):
    """Those that reach it, the quick ones first, and of these the ones that reach little else. For src/ the programs come before
    the command line, and of this the cases that compare all numbers come first."""
    def order(test):
        effort = test.seconds * (20 + len(test.reached))
        return effort if mutant.folder == "cli" else (test.of_program, not compares_figures(test), effort)

    return sorted([t for t in tests if mutant.number in t.reached], key=order)


def try_mutant(mutant, tests, tree, factor, budget):
    """The budget is for programs, and the same for the command line. Cases that compare all numbers run in any case."""
    able = tests_for(mutant, tests)
    if not able:
        return Outcome(False, "not reached by any test")
    count, spent = 0, {False: 0, True: 0}
    for test in able:
        if spent[test.of_program] > budget and not compares_figures(test):
            continue
        limit = factor * (test.seconds + 1)
        status, seconds, text = run(test, tree, {"VOLT_MUTANT": str(mutant.number)}, limit)
        if status != 0:
            how = f"stopped after {limit:.0f} s" if status is None else first_failure(text) or f"status {status}"
            return Outcome(True, f"{test.name}: {how}")
        count += 1
        spent[test.of_program] += seconds
    if count < len(able):
        return Outcome(False, f"{count} of {len(able)} tests pass; no time for more")
    return Outcome(False, f"{len(able)} tests reach it, all pass")


def first_failure(text):
    for line in text.splitlines():
        if line.startswith("not ok") and "# SKIP" not in line:
            return line[:120]
    return None


def try_all(mutants, tests, tree, jobs, factor, budget, record):
    """record(mutant, outcome) as they come. In random order: an interrupted run is then an unbiased sample."""
    lock = threading.Lock()
    order = random.Random(len(mutants)).sample(mutants, len(mutants))

    def one(mutant):
        outcome = try_mutant(mutant, tests, tree, factor, budget)
        with lock:
            record(mutant, outcome)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            for future in [pool.submit(one, m) for m in order]:
                future.result()
        finally:  # Ctrl-C: pending trials are cancelled
            pool.shutdown(wait=False, cancel_futures=True)
