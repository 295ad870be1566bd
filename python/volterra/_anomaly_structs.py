"""The structs of anomaly.h, as `_structs` has the others."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_int, c_int64, c_uint64

from ._structs import CONSTANTS, STRUCTS, Matrix, Progress


class ObjectsOptions(ctypes.Structure):
    _fields_ = [("scale", c_int), ("input", c_int), ("normalise", c_int), ("compare", c_int)]


class Ranking(ctypes.Structure):
    _fields_ = [("roc_auc", c_double), ("pr_auc", c_double), ("marked", c_int64), ("others", c_int64)]


class AnomalyOptions(ctypes.Structure):
    _fields_ = [
        ("score", c_int),
        ("alpha", c_double),
        ("rate", c_double),
        ("examples", Matrix),
        ("progress", Progress),
    ]


class AnomalyInfo(ctypes.Structure):
    _fields_ = [
        ("n", c_int64),
        ("score", c_int),
        ("alpha", c_double),
        ("rate", c_double),
        ("least", c_double),
        ("growth", c_double),
        ("threshold", c_double),
        ("left_out", POINTER(c_double)),
        ("areas", Ranking),
    ]


class SeriesAnomalyOptions(ctypes.Structure):
    _fields_ = [
        ("objects", ObjectsOptions),
        ("detector", AnomalyOptions),
        ("draws", c_int64),
        ("seed", c_uint64),
    ]


ANOMALY_SCORES = {"mahalanobis": 0, "conformance": 1}
CONSTANTS.update({f"VOLT_ANOMALY_{word.upper()}": value for word, value in ANOMALY_SCORES.items()})
OBJECT_SCALES = {"channels": 0, "series": 1, "none": 2}
CONSTANTS.update({f"VOLT_OBJECT_SCALE_{word.upper()}": value for word, value in OBJECT_SCALES.items()})
OBJECT_INPUTS = {"level": 0, "change": 1, "both": 2}
CONSTANTS.update({f"VOLT_OBJECT_INPUT_{word.upper()}": value for word, value in OBJECT_INPUTS.items()})
STRUCTS["volt_objects_options"] = ObjectsOptions
STRUCTS["volt_ranking"] = Ranking
STRUCTS["volt_anomaly_options"] = AnomalyOptions
STRUCTS["volt_anomaly_info"] = AnomalyInfo
STRUCTS["volt_series_anomaly_options"] = SeriesAnomalyOptions
