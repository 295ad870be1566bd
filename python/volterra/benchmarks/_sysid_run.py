"""Fit a setting on training rows, simulate the tests and score them."""

from __future__ import annotations

import time
import warnings
from typing import Any, List

import numpy as np

from .._core._arrays import Array
from .._core._errors import BeyondWarning
from ..ridge import SequenceKernelRidge
from ._common import Machine, command_line
from ._sysid_sets import Data, Measure, Set, Setting, Test
from .packages import Record, simulate


class Run:
    """One set: its data, the fitted setting and the simulations of its tests."""

    data: Data

    def __init__(self, one: Set, setting: Setting, warm_up: int) -> None:
        self.set = one
        self.setting = setting
        self._warm_up = warm_up
        self.simulated: List[Array] = []
        self.rmse: List[List[float]] = []  # of each test, of each measure, in the unit of the set
        self.fit_seconds = self.simulate_seconds = self.search_seconds = 0.0
        self.trials = 0  # of identify; 0: a preset
        self.family = ""  # that identify chose

    @property
    def warm_up(self) -> int:
        """Measured outputs that a simulation uses: 0 without feedback."""
        return self._warm_up if self.setting.feedback_weight > 0 else 0

    def training_rows(self, first: int, count: int) -> Array:
        """Rows of the file, columns input and output."""
        begin = first - self.set.train.first
        return self.data.train[begin : begin + count]


def fit_and_simulate(run: Run, machine: Machine) -> None:
    setting = run.setting
    rows = run.training_rows(setting.first, setting.washout + setting.rows)
    model = SequenceKernelRidge(
        setting.kernel,
        alpha=setting.alpha,
        washout=setting.washout,
        feedback=setting.feedback_weight or False,
        beyond="allow",
        verbose=machine.verbose,
    )
    begun = time.perf_counter()
    model.fit(rows[:, :1], rows[:, 1])
    run.fit_seconds = time.perf_counter() - begun
    simulate_tests(run, model)


def simulate_tests(run: Run, model: Any) -> None:
    """Simulate all tests with a fitted model, and score them."""
    for test, values in zip(run.set.tests, run.data.tests):
        begun = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BeyondWarning)  # tests that extrapolate are part of the benchmark
            run.simulated.append(simulate(model, Record(values[:, :1], values[:, 1], run.warm_up)))
        run.simulate_seconds += time.perf_counter() - begun
        errors = run.simulated[-1] - values[:, 1]
        run.rmse.append([_rmse(errors, measure, run.set.per_unit) for measure in test.measures])


def _rmse(errors: Array, measure: Measure, per_unit: float) -> float:
    return per_unit * float(np.sqrt(np.mean(errors[measure.after : measure.end] ** 2)))


# ---- the same with the program -------------------------------------------------------------------------------


def _fit_command(run: Run, model: str) -> str:
    setting, part, path = run.setting, run.set.train, run.data.path
    end = setting.first + setting.washout + setting.rows
    words: List[Any] = ["volterra", "fit", "--x", f"{path}:{part.input}", "--y", f"{path}:{part.output}"]
    words += ["--rows", f"{setting.first}:{end}", "--washout", setting.washout, "--kernel", setting.kernel]
    words += ["--alpha", float(setting.alpha)]
    if setting.feedback_weight > 0:
        words += ["--feedback", "--feedback-weight", float(setting.feedback_weight)]
    return command_line([*words, "-o", model])


def _predict_command(run: Run, test: Test, count: int, model: str, output: str) -> str:
    path, part = run.data.path, test.part
    words: List[Any] = [
        "volterra",
        "predict",
        model,
        "--x",
        f"{path}:{part.input}",
        "--rows",
        f"{part.first}:{part.first + count}",
    ]
    words += ["--start", "reset", "--beyond", "allow"]
    if run.warm_up > 0:
        words += ["--known", f"{path}:{part.output}", "--warm-up", run.warm_up]
    return command_line([*words, "-o", output])


def _score_command(run: Run, test: Test, measure: Measure, count: int, output: str) -> str:
    first, end = test.part.first, count if measure.end is None else measure.end
    words = ["volterra", "score", "--truth", f"{run.data.path}:{test.part.output}", "--pred", output]
    words += ["--truth-rows", f"{first + measure.after}:{first + end}", "--pred-rows", f"{measure.after}:{end}"]
    return command_line(words)


def commands(run: Run) -> List[str]:
    """Commands of the program ``volterra`` that fit the model, simulate the tests and score them."""
    model = f"{run.set.name}.safetensors"
    lines = [_fit_command(run, model)]
    for test, values in zip(run.set.tests, run.data.tests):
        output = f"{run.set.name}-{test.name}.csv"
        lines.append(_predict_command(run, test, len(values), model, output))
        lines += [_score_command(run, test, measure, len(values), output) for measure in test.measures]
    return lines
