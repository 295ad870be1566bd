"""Benchmarks: published tables from the command line, and data of benchmark packages.

``python -m volterra.benchmarks sysid|chaos|uea`` runs the published comparisons; ``--help`` describes them. Sets, splits,
presets and published figures are JSON files in the folder ``data`` of this package.

The functions of this module fit and simulate with the data of nonlinear-benchmarks and identibench. Both packages are
optional, and neither is imported here: only the form of the data matters.

    train, test = nonlinear_benchmarks.Cascaded_Tanks()
    model = benchmarks.fit(volterra.SequenceKernelRidge("volterra:lift=rbf", alpha=0.01), train)
    print(benchmarks.rmse(test, benchmarks.simulate(model, test)))

    identibench.run_benchmark(spec, benchmarks.builder(volterra.SequenceKernelRidge("fir + memory")))
"""

from __future__ import annotations

from .packages import Record, Simulator, builder, fit, rmse, simulate

__all__ = ["Record", "Simulator", "builder", "fit", "rmse", "simulate"]
