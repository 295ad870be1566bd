"""What the structs of the C library are made of: functions that it calls, matrices, progress (base.h)."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, c_char_p, c_double, c_int, c_int64, c_void_p

# ---- functions that the library calls ----------------------------------------------------------------------

ProgressFn = CFUNCTYPE(c_int, c_char_p, c_double, c_void_p)
LogFn = CFUNCTYPE(None, c_int, c_char_p, c_void_p)
TrialFn = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)

# ---- structs -----------------------------------------------------------------------------------------------


class Matrix(ctypes.Structure):
    """``volt_matrix`` and, with the same layout, ``volt_view``."""

    _fields_ = [("data", c_void_p), ("rows", c_int64), ("cols", c_int64), ("ld", c_int64)]


class Progress(ctypes.Structure):
    _fields_ = [("report", ProgressFn), ("context", c_void_p)]
