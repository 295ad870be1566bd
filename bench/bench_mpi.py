"""bench/bench_mpi.py: a search on two processes compared with one, one thread each (bench/run.sh mpi; VOLT_MPI=ON).

MPI_ROWS, MPI_DRAWS: a smaller search than 2000 rows and 60 draws, without a budget. With the same seed, draws and race the logs
must be bit-identical.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from measure import report

ROWS, DRAWS = int(os.environ.get("MPI_ROWS", 2000)), int(os.environ.get("MPI_DRAWS", 60))
VOLTERRA = os.environ["VOLTERRA"]
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def trials(path):
    """The lines of a log by index, without their times."""
    with open(path) as log:
        lines = [json.loads(line) for line in log]
    return {line["index"]: {key: value for key, value in line.items() if key != "seconds"} for line in lines}


def search(folder, processes):
    """Seconds from the start of the launcher to its end, and the trials."""
    log = os.path.join(folder, f"search_{processes}.jsonl")
    words = ["tune", "--x", "all.csv:u", "--y", "all.csv:y", "--kernel", "volterra", "--race", "none"]
    begun = time.monotonic()
    subprocess.run(
        ["mpirun", "-n", str(processes), "--oversubscribe", VOLTERRA + "-mpi"]
        + words
        + ["--draws", str(DRAWS), "--seed", "1", "--log", log],
        cwd=folder,
        check=True,
        **QUIET,
    )
    return time.monotonic() - begun, trials(log)


def main():
    if not os.path.exists(VOLTERRA + "-mpi"):
        print("bench: there is no volterra-mpi (VOLT_MPI=ON), so mpi is left out", file=sys.stderr)
        return 0
    os.environ["OMP_NUM_THREADS"] = "1"
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [VOLTERRA, "simulate", "narma10", "--length", str(ROWS), "--seed", "11", "-o", "all.csv"],
            cwd=folder,
            check=True,
            **QUIET,
        )
        one, alone = search(folder, 1)
        two, together = search(folder, 2)
    usual = not {"MPI_ROWS", "MPI_DRAWS"} & set(os.environ)
    report(
        "mpi tune",
        {"n": ROWS, "draws": DRAWS, "processes": 2},
        seconds=two,
        peer="one process",
        peer_seconds=one,
        at_least=1.8 if usual else 0,
    )
    if alone != together:
        print("bench: the trials of two processes are not those of one", file=sys.stderr)
    return alone != together


if __name__ == "__main__":
    sys.exit(main())
