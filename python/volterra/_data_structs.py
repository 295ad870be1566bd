"""The structs of ``include/volterra/data.h``: generators of data, and the BEKK model."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_uint64

from ._base_structs import Progress


class LorenzOptions(ctypes.Structure):
    _fields_ = [
        ("sigma", c_double),
        ("rho", c_double),
        ("beta", c_double),
        ("start", c_double * 3),
        ("step", c_double),
        ("discard", c_int64),
        ("method", c_int),
        ("progress", Progress),
    ]


class MackeyGlassOptions(ctypes.Structure):
    _fields_ = [
        ("a", c_double),
        ("b", c_double),
        ("power", c_double),
        ("delay", c_double),
        ("start", c_double),
        ("step", c_double),
        ("every", c_int64),
        ("discard", c_int64),
        ("method", c_int),
        ("progress", Progress),
    ]


class Narma10Options(ctypes.Structure):
    _fields_ = [("seed", c_uint64), ("discard", c_int64), ("progress", Progress)]


class Bekk(ctypes.Structure):
    _fields_ = [
        ("d", c_int64),
        ("C", POINTER(c_double)),
        ("a", POINTER(c_double)),
        ("b", POINTER(c_double)),
        ("C_error", POINTER(c_double)),
        ("a_error", POINTER(c_double)),
        ("b_error", POINTER(c_double)),
        ("tickers", POINTER(c_char_p)),
        ("first_date", c_char_p),
        ("last_date", c_char_p),
        ("command", c_char_p),
        ("observations", c_int64),
        ("loglik", c_double),
        ("converged", c_int),
    ]


class BekkSimulateOptions(ctypes.Structure):
    _fields_ = [("seed", c_uint64), ("stream", c_uint64), ("discard", c_int64), ("progress", Progress)]


class BekkFitOptions(ctypes.Structure):
    _fields_ = [
        ("starts", c_int64),
        ("seed", c_uint64),
        ("rounds", c_int64),
        ("standard_errors", c_int),
        ("progress", Progress),
    ]


class BekkFitInfo(ctypes.Structure):
    _fields_ = [
        ("loglik", c_double),
        ("start_loglik", c_double),
        ("gain_left", c_double),
        ("converged", c_int),
        ("evaluations", c_int64),
        ("starts", c_int64),
        ("reached", c_int64),
    ]
