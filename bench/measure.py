"""bench/measure.py: write one measurement as JSON and as a row of the final table, as bench/measure.c does."""

import json
import os


def report(
    name, parameters, seconds=None, value=None, unit=None, peer=None, peer_seconds=None, at_least=0, at_most=0
):
    """Budgets apply to the ratio if there is a peer, else to the value."""
    ratio = peer_seconds / seconds if peer_seconds else None
    quantity, of = (ratio, "x") if at_least else (value, unit)
    budget = f">= {at_least:g}" if at_least else f"<= {at_most:g}" if at_most else ""
    met = None if not budget or quantity is None else quantity >= at_least if at_least else quantity <= at_most
    line = {"name": name, "parameters": parameters}
    if seconds is not None:
        line["seconds"] = seconds
    if unit:
        line.update(value=value, unit=unit)
    if peer:
        line.update(peer=peer, peer_seconds=peer_seconds, ratio=ratio)
    if budget:
        line.update(judged="ratio" if at_least else "value", budget=budget, met=met)
    print(json.dumps(line), flush=True)
    if os.environ.get("BENCH_TABLE"):
        words = " ".join(f"{key}={value}" for key, value in parameters.items())
        measured = f"{quantity:.4g} {of}" if quantity is not None else "no peer"
        verdict = "" if not budget else "not judged" if met is None else "met" if met else "MISSED"
        with open(os.environ["BENCH_TABLE"], "a") as table:
            print(f"{name:<22} {words:<50} {measured:<22} {budget:<9} {verdict}", file=table)
