"""The structs of objects.h, classify.h and anomaly.h, as `_structs` has the others."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_uint64

from ._structs import CONSTANTS, STRUCTS, Matrix, Progress, Range


class ObjectsOptions(ctypes.Structure):
    _fields_ = [("scale", c_int), ("input", c_int), ("normalise", c_int), ("compare", c_int)]


class ClassifierKernel(ctypes.Structure):
    _fields_ = [("kernel", c_char_p), ("scale", c_int), ("input", c_int), ("compare", c_int)]


class ClassifyOptions(ctypes.Structure):
    _fields_ = [
        ("kernel", c_char_p),
        ("loss", c_char_p),
        ("scale", c_int),
        ("input", c_int),
        ("compare", c_int),
        ("alpha", c_double),
        ("draws", c_int64),
        ("budget", c_double),
        ("blend", c_int64),
        ("seed", c_uint64),
        ("splits", c_int64),
        ("held_out", c_double),
        ("ranges", POINTER(Range)),
        ("n_ranges", c_int64),
        ("parts", POINTER(ClassifierKernel)),
        ("n_parts", c_int64),
        ("progress", Progress),
    ]


class ClassifierInfo(ctypes.Structure):
    _fields_ = [
        ("series", c_int64),
        ("classes", c_int64),
        ("channels", c_int64),
        ("parts", c_int64),
        ("kernel", c_char_p),
        ("loss", c_char_p),
        ("alpha", c_double),
        ("scale", c_int),
        ("input", c_int),
        ("compare", c_int),
        ("tried", c_int64),
        ("failed", c_int64),
        ("left_out", c_double),
        ("left_out_error", c_double),
        ("splits", c_int64),
        ("split_mean", c_double),
        ("split_deviation", c_double),
        ("log_loss", c_double),
        ("seconds", c_double),
    ]


class SeriesRidgeOptions(ctypes.Structure):
    _fields_ = [("objects", ObjectsOptions), ("alpha", c_double), ("progress", Progress)]


class SeriesRidgeInfo(ctypes.Structure):
    _fields_ = [
        ("series", c_int64),
        ("channels", c_int64),
        ("outputs", c_int64),
        ("kernel", c_char_p),
        ("alpha", c_double),
        ("left_out_error", c_double),
    ]


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
OBJECT_COMPARES = {"series": 0, "steps": 1}
CONSTANTS.update({f"VOLT_OBJECT_COMPARE_{word.upper()}": value for word, value in OBJECT_COMPARES.items()})
CLASSIFY_CHOOSE = -1
CONSTANTS["VOLT_CLASSIFY_CHOOSE"] = CLASSIFY_CHOOSE
STRUCTS["volt_objects_options"] = ObjectsOptions
STRUCTS["volt_classifier_kernel"] = ClassifierKernel
STRUCTS["volt_classify_options"] = ClassifyOptions
STRUCTS["volt_classifier_info"] = ClassifierInfo
STRUCTS["volt_series_ridge_options"] = SeriesRidgeOptions
STRUCTS["volt_series_ridge_info"] = SeriesRidgeInfo
STRUCTS["volt_ranking"] = Ranking
STRUCTS["volt_anomaly_options"] = AnomalyOptions
STRUCTS["volt_anomaly_info"] = AnomalyInfo
STRUCTS["volt_series_anomaly_options"] = SeriesAnomalyOptions
