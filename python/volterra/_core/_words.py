"""User-facing words for the enums of the C library."""

from __future__ import annotations

from typing import Dict

from ._generated import CONSTANTS


def _words(prefix: str, words: str) -> Dict[str, int]:
    """Return the constants PREFIX_WORD by their words."""
    return {word: CONSTANTS[f"{prefix}_{word.upper().replace('-', '_')}"] for word in words.split()}


OK: int = CONSTANTS["VOLT_OK"]
ERR_ARGUMENT: int = CONSTANTS["VOLT_ERR_ARGUMENT"]
ERR_KERNEL: int = CONSTANTS["VOLT_ERR_KERNEL"]
ERR_SHAPE: int = CONSTANTS["VOLT_ERR_SHAPE"]
ERR_NOT_FINITE: int = CONSTANTS["VOLT_ERR_NOT_FINITE"]
ERR_DATA: int = CONSTANTS["VOLT_ERR_DATA"]
ERR_DOMAIN: int = CONSTANTS["VOLT_ERR_DOMAIN"]
ERR_MEMORY: int = CONSTANTS["VOLT_ERR_MEMORY"]
ERR_SINGULAR: int = CONSTANTS["VOLT_ERR_SINGULAR"]
ERR_IO: int = CONSTANTS["VOLT_ERR_IO"]
ERR_FORMAT: int = CONSTANTS["VOLT_ERR_FORMAT"]
ERR_CANCELLED: int = CONSTANTS["VOLT_ERR_CANCELLED"]
ERR_DEVICE: int = CONSTANTS["VOLT_ERR_DEVICE"]

KERNEL_LENGTH: int = CONSTANTS["VOLT_KERNEL_LENGTH"]
VALUE_LENGTH: int = CONSTANTS["VOLT_VALUE_LENGTH"]
EXPLAIN_ORDERS: int = CONSTANTS["VOLT_EXPLAIN_ORDERS"]
SERIES_CHOOSE: int = CONSTANTS["VOLT_SERIES_CHOOSE"]

LOG_LEVELS = {name: CONSTANTS[name] for name in ("VOLT_LOG_INFO", "VOLT_LOG_WARNING")}
STARTS = _words("VOLT_START", "continue reset")
PATH_STARTS = _words("VOLT_START", "continue reset at_target after_target")  # of `continue_`
BEYOND = _words("VOLT_BEYOND", "clip error allow")
ODE_METHODS = _words("VOLT_ODE", "rk4 accurate")
SYSTEMS = _words(
    "VOLT_SYSTEM",
    "lorenz mackey_glass narma10 lorenz96 kuramoto_sivashinsky henon duffing van_der_pol wiener_hammerstein bouc_wen "
    "wiener relay",
)
PARAMETER_KINDS = _words("VOLT_PARAMETER", "real integer choice text")
SEARCH_LAWS = _words("VOLT_SEARCH", "none log linear integer log_integer")
UNITS = _words("VOLT_UNIT", "one distance square inverse_square")
SCORES = _words("VOLT_SCORE", "r2 nmse mse prequential log loo gcv loss")
RACES = _words("VOLT_RACE", "exact fast none")
STRATEGIES = _words("VOLT_STRATEGY", "random adaptive cma")
VALIDATIONS = _words("VOLT_VALIDATE", "simulate one-step")
MCS_METHODS = _words("VOLT_MCS", "R max")
BLOCKS = {word: float(value) for word, value in _words("VOLT_BLOCK", "sqrt auto").items()}
TARGETS = _words("VOLT_TARGET", "level change auto")
INITIALS = _words("VOLT_INITIAL", "zero first mean values")
INPUTS = _words("VOLT_INPUT", "level change both auto")
LANDMARKS = _words("VOLT_LANDMARKS", "spread last random")
ABOUT = _words("VOLT_ABOUT", "mean zero point")
BASELINES = _words("VOLT_BASELINE", "naive seasonal drift ar")
MISSING = _words("VOLT_MISSING", "error keep drop interpolate")
FORGET_WHAT = _words("VOLT_FORGET", "dynamics all")
ANOMALY_SCORES = _words("VOLT_ANOMALY", "mahalanobis conformance")
OBJECT_SCALES = _words("VOLT_OBJECT_SCALE", "channels series none")
OBJECT_INPUTS = _words("VOLT_OBJECT_INPUT", "level change both")
OBJECT_COMPARES = _words("VOLT_OBJECT_COMPARE", "series steps")
