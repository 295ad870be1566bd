"""The structs of ``include/volterra/io.h``: tables and collections of series that are read from files."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64

from ._structs import CONSTANTS, STRUCTS, Matrix


class Time(ctypes.Structure):
    _fields_ = [("seconds", c_double), ("clock", c_double)]


class Table(ctypes.Structure):
    _fields_ = [
        ("rows", c_int64),
        ("cols", c_int64),
        ("values", POINTER(c_double)),
        ("names", POINTER(c_char_p)),
        ("has_header", c_int),
        ("dropped", c_int64),
        ("interpolated", c_int64),
        ("filled_before", c_int64),
        ("filled_behind", c_int64),
        ("filled_column", c_int64),
        ("file_rows", c_int64),
        ("row_numbers", POINTER(c_int64)),
        ("time_name", c_char_p),
        ("time_texts", POINTER(c_char_p)),
        ("times", POINTER(Time)),
    ]


class ReadOptions(ctypes.Structure):
    _fields_ = [
        ("missing", c_int),
        ("first", c_int64),
        ("end", c_int64),
        ("names", POINTER(c_char_p)),
        ("n_names", c_int64),
    ]


class Collection(ctypes.Structure):
    _fields_ = [
        ("count", c_int64),
        ("channels", c_int64),
        ("series", POINTER(Matrix)),
        ("labels", POINTER(c_char_p)),
        ("names", POINTER(c_char_p)),
    ]


MISSING = {"error": 0, "keep": 1, "drop": 2, "interpolate": 3}

CONSTANTS.update({f"VOLT_MISSING_{word.upper()}": value for word, value in MISSING.items()})
STRUCTS["volt_time"] = Time
STRUCTS["volt_table"] = Table
STRUCTS["volt_read_options"] = ReadOptions
STRUCTS["volt_collection"] = Collection
