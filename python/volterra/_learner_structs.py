"""The structs of learners, as `_structs` has the others."""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_int, c_int64

from ._structs import CONSTANTS, STRUCTS, Progress


class LearnerOptions(ctypes.Structure):
    _fields_ = [
        ("window", c_int64),
        ("forget", c_double),
        ("forget_what", c_int),
        ("beyond", c_int),
        ("progress", Progress),
    ]


class LearnerInfo(ctypes.Structure):
    _fields_ = [
        ("rows", c_int64),
        ("window", c_int64),
        ("forget", c_double),
        ("forget_what", c_int),
        ("pushed", c_int64),
        ("learned", c_int64),
        ("beyond", c_int64),
        ("condition", c_double),
        ("events", c_int64),
    ]


FORGET_WHAT = {"dynamics": 0, "all": 1}
CONSTANTS.update({f"VOLT_FORGET_{word.upper()}": value for word, value in FORGET_WHAT.items()})
STRUCTS["volt_learner_options"] = LearnerOptions
STRUCTS["volt_learner_info"] = LearnerInfo
