"""The constants and structs of the C library, as ``include/volterra/*.h`` lays them out.

The tests compile a program against those headers and compare constants, sizes and offsets with what stands
here.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p
from typing import Any, Dict

from ._base_structs import *  # noqa: F403
from ._base_structs import Matrix, Progress, TrialFn
from ._data_structs import *  # noqa: F403
from ._data_structs import (
    Bekk,
    BekkFitInfo,
    BekkFitOptions,
    BekkSimulateOptions,
    LorenzOptions,
    MackeyGlassOptions,
    Narma10Options,
)

# ---- constants ---------------------------------------------------------------------------------------------

OK = 0
ERR_ARGUMENT = 1
ERR_KERNEL = 2
ERR_SHAPE = 3
ERR_NOT_FINITE = 4
ERR_DATA = 5
ERR_DOMAIN = 6
ERR_MEMORY = 7
ERR_SINGULAR = 8
ERR_IO = 9
ERR_FORMAT = 10
ERR_CANCELLED = 11
ERR_DEVICE = 12

KERNEL_LENGTH = 2048
VALUE_LENGTH = 256

#: Constants of the headers by their C names; the words are what users of the package write.
LOG_LEVELS = {"VOLT_LOG_INFO": 0, "VOLT_LOG_WARNING": 1}
STARTS = {"continue": 0, "reset": 1}
BEYOND = {"clip": 0, "error": 1, "allow": 2}
ODE_METHODS = {"rk4": 0, "accurate": 1}
PARAMETER_KINDS = {"real": 0, "integer": 1, "choice": 2, "text": 3}
SEARCH_LAWS = {"none": 0, "log": 1, "linear": 2, "integer": 3, "log_integer": 4}
UNITS = {"one": 0, "distance": 1, "square": 2, "inverse_square": 3}
SCORES = {"r2": 0, "nmse": 1, "mse": 2, "prequential": 3, "log": 4, "loo": 5, "gcv": 6, "loss": 7}
RACES = {"exact": 0, "fast": 1, "none": 2}
STRATEGIES = {"random": 0, "adaptive": 1, "gradient": 2}
VALIDATIONS = {"simulate": 0, "one-step": 1}
MCS_METHODS = {"R": 0, "max": 1}
BLOCKS = {"sqrt": 0.0, "auto": -1.0}
TARGETS = {"level": 0, "change": 1, "auto": 2}
INPUTS = {"level": 0, "change": 1, "both": 2, "auto": 3}
SOLVERS = {"auto": 0, "exact": 1, "nystrom": 2, "features": 3, "pcg": 4}
SOLVER_NAMES = {value: word for word, value in SOLVERS.items()}
LANDMARKS = {"spread": 0, "last": 1, "random": 2}
ABOUT = {"mean": 0, "zero": 1, "point": 2}
EXPLAIN_ORDERS = 8
BASELINES = {"naive": 0, "seasonal": 1, "drift": 2, "ar": 3}

# ---- structs -----------------------------------------------------------------------------------------------


class BuildInfo(ctypes.Structure):
    _fields_ = [
        ("version", c_char_p),
        ("compiler", c_char_p),
        ("cpu_flags", c_char_p),
        ("fast_loops", c_char_p),
        ("blas", c_char_p),
        ("threads", c_int64),
        ("memory", c_uint64),
    ]


class DeviceInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char * 128),
        ("driver", c_char * 64),
        ("memory", c_uint64),
        ("available", c_uint64),
    ]


class ParameterInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("meaning", c_char_p),
        ("fallback", c_char_p),
        ("range", c_char_p),
        ("kind", c_int),
        ("closed", c_int),
        ("low", c_double),
        ("high", c_double),
        ("words", POINTER(c_char_p)),
        ("search", c_int),
        ("unit", c_int),
        ("search_low", c_double),
        ("search_high", c_double),
    ]


class KernelInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("formula", c_char_p),
        ("cost", c_char_p),
        ("notes", c_char_p),
        ("parameters", POINTER(ParameterInfo)),
        ("n_parameters", c_int64),
    ]


class KernelValue(ctypes.Structure):
    _fields_ = [
        ("info", POINTER(ParameterInfo)),
        ("given", c_int),
        ("present", c_int),
        ("number", c_double),
        ("text", c_char * VALUE_LENGTH),
    ]


class KernelFacts(ctypes.Structure):
    _fields_ = [
        (name, c_double)
        for name in (
            "radius",
            "tau",
            "lambda",
            "lambda_bound",
            "sup_kappa",
            "contraction",
            "largest",
            "horizon",
        )
    ]


class GramOptions(ctypes.Structure):
    _fields_ = [("radius", c_double), ("mirror", c_int), ("normalise", c_int), ("progress", Progress)]


class ModelNotes(ctypes.Structure):
    _fields_ = [
        ("time_end", c_char_p),
        ("time_step", c_char_p),
        ("calendar", c_char_p),
        ("calendar_scale", c_char_p),
        ("first_rows", c_char_p),
        ("horizons", c_char_p),
    ]


class LossInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("meaning", c_char_p),
        ("parameter", c_char_p),
        ("score", c_char_p),
        ("several", c_int),
        ("classes", c_int),
        ("unscaled", c_int),
    ]


class FitOptions(ctypes.Structure):
    _fields_ = [
        ("alpha", c_double),
        ("intercept", c_int),
        ("scale", c_int),
        ("loss", c_char_p),
        ("tolerance", c_double),
        ("weights", POINTER(c_double)),
        ("classes", POINTER(c_char_p)),
        ("n_classes", c_int64),
        ("washout", c_int64),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("missing_targets", c_int),
        ("target", c_int),
        ("input", c_int),
        ("anchors", POINTER(c_int64)),
        ("ahead", c_int64),
        ("season", c_int64),
        ("as_they_are", c_int64),
        ("guarded", c_int),
        ("feedback", c_int),
        ("feedback_weight", c_double),
        ("solver", c_int),
        ("landmarks", c_int64),
        ("landmark_choice", c_int),
        ("iterations", c_int64),
        ("checkpoint", c_char_p),
        ("checkpoint_seconds", c_double),
        ("keep_factor", c_int),
        ("input_names", POINTER(c_char_p)),
        ("output_names", POINTER(c_char_p)),
        ("notes", ModelNotes),
        ("progress", Progress),
    ]


class Prepared(ctypes.Structure):
    _fields_ = [
        ("X", Matrix),
        ("Y", Matrix),
        ("base", Matrix),
        ("target", c_int),
        ("input", c_int),
        ("season", c_int64),
    ]


class FitReport(ctypes.Structure):
    _fields_ = [
        ("rows", c_int64),
        ("first", c_int64),
        ("prequential_r2", c_double),
        ("naive_r2", c_double),
        ("alphas", c_int64),
        ("mse", POINTER(c_double)),
        ("best_mse", POINTER(c_double)),
        ("naive_mse", POINTER(c_double)),
        ("share", POINTER(c_double)),
        ("log_likelihood", c_double),
        ("loo_mse", POINTER(c_double)),
        ("gcv", POINTER(c_double)),
        ("loo_rows", c_int64),
        ("solver", c_int),
        ("iterations", c_int64),
        ("residual", c_double),
        ("landmarks", c_int64),
    ]


class ModelInfo(ctypes.Structure):
    _fields_ = [
        ("n", c_int64),
        ("d", c_int64),
        ("q", c_int64),
        ("kernel", c_char_p),
        ("facts", KernelFacts),
        ("alpha", c_double),
        ("rcond", c_double),
        ("washout", c_int64),
        ("ahead", c_int64),
        ("intercept", c_int),
        ("scaled", c_int),
        ("feedback", c_int),
        ("input_names", POINTER(c_char_p)),
        ("output_names", POINTER(c_char_p)),
        ("coefficients", POINTER(c_double)),
        ("intercepts", POINTER(c_double)),
        ("input_shift", POINTER(c_double)),
        ("input_scale", c_double),
        ("target_mean", POINTER(c_double)),
        ("target_scale", POINTER(c_double)),
        ("columns", c_int64),
        ("season", c_int64),
        ("input", c_int),
        ("anchors", POINTER(c_int64)),
        ("alphas", POINTER(c_double)),
        ("report", POINTER(FitReport)),
        ("notes", ModelNotes),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("feedback_weight", c_double),
        ("loss", c_char_p),
        ("objective", c_double),
        ("duality_gap", c_double),
        ("tolerance", c_double),
        ("classes", POINTER(c_char_p)),
        ("n_classes", c_int64),
        ("keeps_factor", c_int),
        ("landmarks", c_int64),
        ("kernel_rows", c_int64),
    ]


class PredictOptions(ctypes.Structure):
    _fields_ = [
        ("start", c_int),
        ("beyond", c_int),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("known", Matrix),
        ("warm_up", c_int64),
        ("progress", Progress),
    ]


class ExplainOptions(ctypes.Structure):
    _fields_ = [
        ("lags", c_int64),
        ("order", c_int64),
        ("about", c_int),
        ("point", POINTER(c_double)),
        ("band", c_int),
        ("shares", c_int),
        ("along", Matrix),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("progress", Progress),
    ]


class Explanation(ctypes.Structure):
    _fields_ = [
        ("d", c_int64),
        ("q", c_int64),
        ("lags", c_int64),
        ("order", c_int64),
        ("about", POINTER(c_double)),
        ("g0", POINTER(c_double)),
        ("kernels", POINTER(c_double) * EXPLAIN_ORDERS),
        ("g1_std", POINTER(c_double)),
        ("share_orders", c_int64),
        ("shares", POINTER(c_double)),
        ("variances", POINTER(c_double)),
        ("memory", POINTER(c_int64)),
    ]


class SplitOptions(ctypes.Structure):
    _fields_ = [
        ("folds", c_int64),
        ("gap", c_int64),
        ("min_train", c_int64),
        ("max_train", c_int64),
        ("rolling", c_int),
    ]


class Range(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int),
        ("low", c_double),
        ("high", c_double),
        ("choices", POINTER(c_char_p)),
        ("n_choices", c_int64),
    ]


class DrawOptions(ctypes.Structure):
    _fields_ = [
        ("seed", c_uint64),
        ("ranges", POINTER(Range)),
        ("n_ranges", c_int64),
        ("scale", c_int),
        ("from_defaults", c_int),
        ("fed", Matrix),
        ("series_steps", c_double),
    ]


class EvidenceOptions(ctypes.Structure):
    _fields_ = [
        ("alpha", c_double),
        ("washout", c_int64),
        ("intercept", c_int),
        ("scale", c_int),
        ("gradient", c_int),
        ("leave_one_out", c_int),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("progress", Progress),
    ]


class EvidenceResult(ctypes.Structure):
    _fields_ = [
        ("rows", c_int64),
        ("q", c_int64),
        ("log_likelihood", c_double),
        ("alpha", c_double),
        ("alpha_gradient", c_double),
        ("n_parameters", c_int64),
        ("names", POINTER(c_char_p)),
        ("values", POINTER(c_double)),
        ("gradient", POINTER(c_double)),
        ("by_differences", POINTER(c_int)),
        ("scale", POINTER(c_double)),
        ("loo_errors", POINTER(c_double)),
        ("loo_variances", POINTER(c_double)),
        ("gcv", POINTER(c_double)),
        ("trace", c_double),
    ]


class Trial(ctypes.Structure):
    _fields_ = [
        ("index", c_int64),
        ("kernel", c_char_p),
        ("alpha", c_double),
        ("score", c_double),
        ("folds", POINTER(c_double)),
        ("n_folds", c_int64),
        ("stopped", c_int),
        ("seconds", c_double),
        ("failure", c_char_p),
        ("feedback", c_double),
    ]


class SearchOptions(ctypes.Structure):
    _fields_ = [
        ("splits", SplitOptions),
        ("folds_by_records", c_int),
        ("start", c_int),
        ("washout", c_int64),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("base", Matrix),
        ("intercept", c_int),
        ("scale", c_int),
        ("loss", c_char_p),
        ("tolerance", c_double),
        ("weights", POINTER(c_double)),
        ("classes", POINTER(c_char_p)),
        ("n_classes", c_int64),
        ("solver", c_int),
        ("landmarks", c_int64),
        ("landmark_choice", c_int),
        ("score", c_int),
        ("validate", c_int),
        ("race", c_int),
        ("strategy", c_int),
        ("draws", c_int64),
        ("seconds", c_double),
        ("shard", c_int64),
        ("shards", c_int64),
        ("log", c_char_p),
        ("resume", c_int),
        ("on_trial", TrialFn),
        ("trial_context", c_void_p),
        ("progress", Progress),
    ]


class SearchInfo(ctypes.Structure):
    _fields_ = [
        ("trials", c_int64),
        ("failed", c_int64),
        ("resumed", c_int64),
        ("folds", c_int64),
        ("stopped", POINTER(c_int64)),
        ("expected", c_int64),
        ("out_of_time", c_int),
        ("seconds", c_double),
        ("blas_seconds", c_double),
        ("flops", c_double),
        ("parallel", c_int64),
        ("score", c_int),
        ("loss", c_char_p),
        ("score_name", c_char_p),
        ("landmarks", c_int64),
    ]


class McsOptions(ctypes.Structure):
    _fields_ = [
        ("method", c_int),
        ("size", c_double),
        ("block", c_double),
        ("reps", c_int64),
        ("seed", c_uint64),
        ("progress", Progress),
    ]


class Mcs(ctypes.Structure):
    _fields_ = [
        ("models", c_int64),
        ("pvalues", POINTER(c_double)),
        ("included", POINTER(c_int)),
        ("order", POINTER(c_int64)),
        ("statistics", POINTER(c_double)),
        ("step_shares", POINTER(c_double)),
        ("mean_losses", POINTER(c_double)),
        ("block", c_double),
    ]


class Metrics(ctypes.Structure):
    _fields_ = [(name, c_double) for name in ("mse", "nmse", "r2", "mae", "mdae", "w1", "mape", "rmse")]


class Skill(ctypes.Structure):
    _fields_ = [("skill", c_double), ("mase", c_double), ("outputs", c_int64)]


#: The C name of every struct here and in the modules above, for the test of their layout.
STRUCTS: Dict[str, Any] = {
    "volt_matrix": Matrix,
    "volt_view": Matrix,
    "volt_build_info": BuildInfo,
    "volt_progress": Progress,
    "volt_parameter_info": ParameterInfo,
    "volt_kernel_info": KernelInfo,
    "volt_kernel_value": KernelValue,
    "volt_kernel_facts": KernelFacts,
    "volt_gram_options": GramOptions,
    "volt_loss_info": LossInfo,
    "volt_fit_options": FitOptions,
    "volt_model_notes": ModelNotes,
    "volt_fit_report": FitReport,
    "volt_prepared": Prepared,
    "volt_model_info": ModelInfo,
    "volt_predict_options": PredictOptions,
    "volt_explain_options": ExplainOptions,
    "volt_explanation": Explanation,
    "volt_device_info": DeviceInfo,
    "volt_split_options": SplitOptions,
    "volt_range": Range,
    "volt_draw_options": DrawOptions,
    "volt_evidence_options": EvidenceOptions,
    "volt_evidence_result": EvidenceResult,
    "volt_trial": Trial,
    "volt_search_options": SearchOptions,
    "volt_search_info": SearchInfo,
    "volt_metrics": Metrics,
    "volt_skill": Skill,
    "volt_mcs_options": McsOptions,
    "volt_mcs": Mcs,
    "volt_lorenz_options": LorenzOptions,
    "volt_mackey_glass_options": MackeyGlassOptions,
    "volt_narma10_options": Narma10Options,
    "volt_bekk": Bekk,
    "volt_bekk_simulate_options": BekkSimulateOptions,
    "volt_bekk_fit_options": BekkFitOptions,
    "volt_bekk_fit_info": BekkFitInfo,
}

#: The value of every constant above by its C name, for the same test.
CONSTANTS: Dict[str, int] = {
    **{f"VOLT_{name}": value for name, value in list(globals().items()) if name.startswith("ERR_")},
    "VOLT_OK": OK,
    "VOLT_KERNEL_LENGTH": KERNEL_LENGTH,
    "VOLT_VALUE_LENGTH": VALUE_LENGTH,
    "VOLT_EXPLAIN_ORDERS": EXPLAIN_ORDERS,
    **{f"VOLT_ABOUT_{word.upper()}": value for word, value in ABOUT.items()},
    **LOG_LEVELS,
    **{f"VOLT_START_{word.upper()}": value for word, value in STARTS.items()},
    **{f"VOLT_BEYOND_{word.upper()}": value for word, value in BEYOND.items()},
    **{f"VOLT_TARGET_{word.upper()}": value for word, value in TARGETS.items()},
    **{f"VOLT_INPUT_{word.upper()}": value for word, value in INPUTS.items()},
    **{f"VOLT_SOLVER_{word.upper()}": value for word, value in SOLVERS.items()},
    **{f"VOLT_LANDMARKS_{word.upper()}": value for word, value in LANDMARKS.items()},
    **{f"VOLT_BASELINE_{word.upper()}": value for word, value in BASELINES.items()},
    **{f"VOLT_ODE_{word.upper()}": value for word, value in ODE_METHODS.items()},
    **{f"VOLT_PARAMETER_{word.upper()}": value for word, value in PARAMETER_KINDS.items()},
    **{f"VOLT_SEARCH_{word.upper()}": value for word, value in SEARCH_LAWS.items()},
    **{f"VOLT_UNIT_{word.upper()}": value for word, value in UNITS.items()},
    **{f"VOLT_SCORE_{word.upper()}": value for word, value in SCORES.items()},
    **{f"VOLT_RACE_{word.upper()}": value for word, value in RACES.items()},
    **{f"VOLT_STRATEGY_{word.upper()}": value for word, value in STRATEGIES.items()},
    **{f"VOLT_VALIDATE_{word.upper().replace('-', '_')}": value for word, value in VALIDATIONS.items()},
    **{f"VOLT_MCS_{word.upper()}": value for word, value in MCS_METHODS.items()},
    **{f"VOLT_BLOCK_{word.upper()}": int(value) for word, value in BLOCKS.items()},
}
