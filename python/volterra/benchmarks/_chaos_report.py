"""Valid times with published ones, as text or JSON."""

from __future__ import annotations

from typing import Any, Dict, List

from ._chaos_run import ChaosRun, Result
from ._common import format_seconds, print_json


def _row(run: ChaosRun, method: str, result: Result) -> Dict[str, Any]:
    return {
        "dataset": run.system["name"],
        "method": method,
        "measure": "median valid time",
        "value": result.quantile(0.5),
        "unit": "Lyapunov times",
        "lower_quartile": result.quantile(0.25),
        "upper_quartile": result.quantile(0.75),
        "values": result.times,
        "kernel": result.setting["kernel"],
        "alpha": result.setting["alpha"],
        "validation": result.validation,
        "fit_seconds": result.fit_seconds,
        "run_seconds": result.run_seconds,
        "published": run.system["published"],
    }


def _rows(run: ChaosRun) -> List[Dict[str, Any]]:
    return [_row(run, method["method"], result) for method, result in zip(run.system["methods"], run.results)]


def _system(run: ChaosRun) -> Dict[str, Any]:
    system = run.system
    return {
        "dataset": system["name"],
        "n": run.rows,
        "starts": run.starts,
        "step": system["step"],
        "lyapunov": system["lyapunov"],
        "threshold": system["threshold"],
    }


def _print_run(run: ChaosRun) -> None:
    system = run.system
    print(
        f"{system['title']}: {run.starts} starts, {run.rows} training rows, {system['step']:g} apart; "
        f"Lyapunov time {1 / system['lyapunov']:.4g}; threshold {system['threshold']:g}"
    )
    print(f"{'valid time, in Lyapunov times':<58} {'median':>7} {'quartiles':>15}  setting")
    for row in _rows(run):
        quartiles = f"{row['lower_quartile']:6.2f} to {row['upper_quartile']:5.2f}"
        print(f"{row['method']:<58} {row['value']:7.2f} {quartiles}  {row['kernel']}, alpha {row['alpha']:g}")
    for entry in system["published"]:
        print(f"{entry['method']:<58} {entry['value']:7g} {'':15}  published")
    seconds = run.starts * sum(result.fit_seconds + result.run_seconds for result in run.results)
    print(f"time: {format_seconds(seconds)} for all starts with the chosen settings")


def print_report(runs: List[ChaosRun], as_json: bool) -> None:
    if as_json:
        rows = [row for run in runs for row in _rows(run)]
        print_json(
            {
                "benchmark": "chaos",
                "systems": [_system(run) for run in runs],
                "rows": rows,
            }
        )
        return
    for number, run in enumerate(runs):
        if number:
            print()
        _print_run(run)
