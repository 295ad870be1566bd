"""The structs of plans, as `_structs` has the others."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_double, c_int, c_int64

from ._structs import STRUCTS


class Plan(ctypes.Structure):
    _fields_ = [
        ("fit_bytes", c_double),
        ("model_bytes", c_double),
        ("available_bytes", c_double),
        ("gram_seconds", c_double),
        ("factor_seconds", c_double),
        ("stream_seconds", c_double),
        ("n_that_fits", c_int64),
        ("choose_seconds", c_double),
        ("factor_bytes", c_double),
        ("on_device", c_int),
        ("device_bytes", c_double),
        ("device_available_bytes", c_double),
        ("device_n_that_fits", c_int64),
        ("device_gram_seconds", c_double),
        ("device_factor_seconds", c_double),
        ("evidence_bytes", c_double),
        ("evidence_seconds", c_double),
    ]


class SolverPlan(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("bytes", c_double),
        ("seconds", c_double),
        ("fits", c_int),
        ("landmarks", c_int64),
        ("error", c_double),
        ("noise_free_error", c_double),
    ]


class SolverPlans(ctypes.Structure):
    _fields_ = [
        ("count", c_int64),
        ("solver", SolverPlan * 4),
        ("taken", c_int64),
        ("why", c_char_p),
    ]


class SearchPlan(ctypes.Structure):
    _fields_ = [
        ("solver", c_int),
        ("landmarks", c_int64),
        ("why", c_char_p),
        ("most_rows", c_int64),
        ("parallel", c_int64),
        ("on_device", c_int),
        ("bytes", c_double),
        ("available_bytes", c_double),
        ("fits", c_int),
        ("candidate_seconds", c_double),
        ("seconds", c_double),
    ]


STRUCTS.update(
    {
        "volt_plan": Plan,
        "volt_solver_plan": SolverPlan,
        "volt_solver_plans": SolverPlans,
        "volt_search_plan": SearchPlan,
    }
)
