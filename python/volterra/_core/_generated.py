"""The structs, constants and functions of include/volterra/*.h. Written by scripts/describe.py."""

# fmt: off
# ruff: noqa
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Dict

CONSTANTS: Dict[str, Any] = {
    "VOLT_OK": 0,
    "VOLT_ERR_ARGUMENT": 1,
    "VOLT_ERR_KERNEL": 2,
    "VOLT_ERR_SHAPE": 3,
    "VOLT_ERR_NOT_FINITE": 4,
    "VOLT_ERR_DATA": 5,
    "VOLT_ERR_DOMAIN": 6,
    "VOLT_ERR_MEMORY": 7,
    "VOLT_ERR_SINGULAR": 8,
    "VOLT_ERR_IO": 9,
    "VOLT_ERR_FORMAT": 10,
    "VOLT_ERR_CANCELLED": 11,
    "VOLT_ERR_DEVICE": 12,
    "VOLT_VERSION_MAJOR": 1,
    "VOLT_VERSION_MINOR": 0,
    "VOLT_VERSION_PATCH": 0,
    "VOLT_BLOCK_SQRT": 0.0,
    "VOLT_BLOCK_AUTO": -1.0,
    "VOLT_LOG_INFO": 0,
    "VOLT_LOG_WARNING": 1,
    "VOLT_MISSING_ERROR": 0,
    "VOLT_MISSING_KEEP": 1,
    "VOLT_MISSING_DROP": 2,
    "VOLT_MISSING_INTERPOLATE": 3,
    "VOLT_MISSING_DROP_FIRST": 4,
    "VOLT_TIME_LENGTH": 128,
    "VOLT_CALENDAR_NAME_LENGTH": 16,
    "VOLT_CALENDAR_COLUMNS": 10,
    "VOLT_PARAMETER_REAL": 0,
    "VOLT_PARAMETER_INTEGER": 1,
    "VOLT_PARAMETER_CHOICE": 2,
    "VOLT_PARAMETER_TEXT": 3,
    "VOLT_SEARCH_NONE": 0,
    "VOLT_SEARCH_LOG": 1,
    "VOLT_SEARCH_LINEAR": 2,
    "VOLT_SEARCH_INTEGER": 3,
    "VOLT_SEARCH_LOG_INTEGER": 4,
    "VOLT_UNIT_ONE": 0,
    "VOLT_UNIT_DISTANCE": 1,
    "VOLT_UNIT_SQUARE": 2,
    "VOLT_UNIT_INVERSE_SQUARE": 3,
    "VOLT_VALUE_LENGTH": 256,
    "VOLT_TARGET_LEVEL": 0,
    "VOLT_TARGET_CHANGE": 1,
    "VOLT_TARGET_AUTO": 2,
    "VOLT_INPUT_LEVEL": 0,
    "VOLT_INPUT_CHANGE": 1,
    "VOLT_INPUT_BOTH": 2,
    "VOLT_INPUT_AUTO": 3,
    "VOLT_SEASON_AUTO": -1,
    "VOLT_LANDMARKS_SPREAD": 0,
    "VOLT_LANDMARKS_LAST": 1,
    "VOLT_LANDMARKS_RANDOM": 2,
    "VOLT_LANDMARKS_AUTO": -1,
    "VOLT_INITIAL_ZERO": 0,
    "VOLT_INITIAL_FIRST": 1,
    "VOLT_INITIAL_MEAN": 2,
    "VOLT_INITIAL_VALUES": 3,
    "VOLT_SUM_AVERAGE": 0,
    "VOLT_SUM_RESIDUAL": 1,
    "VOLT_START_CONTINUE": 0,
    "VOLT_START_RESET": 1,
    "VOLT_START_AT_TARGET": 2,
    "VOLT_START_AFTER_TARGET": 3,
    "VOLT_BEYOND_CLIP": 0,
    "VOLT_BEYOND_ERROR": 1,
    "VOLT_BEYOND_ALLOW": 2,
    "VOLT_PREDICT_TEXT": 320,
    "VOLT_EXPLAIN_ORDERS": 8,
    "VOLT_ABOUT_MEAN": 0,
    "VOLT_ABOUT_ZERO": 1,
    "VOLT_ABOUT_POINT": 2,
    "VOLT_FORGET_DYNAMICS": 0,
    "VOLT_FORGET_ALL": 1,
    "VOLT_EXPORT_C": 0,
    "VOLT_EXPORT_JSON": 1,
    "VOLT_GAP_AUTO": -1,
    "VOLT_KERNEL_LENGTH": 2048,
    "VOLT_SCORE_R2": 0,
    "VOLT_SCORE_NMSE": 1,
    "VOLT_SCORE_MSE": 2,
    "VOLT_SCORE_PREQUENTIAL": 3,
    "VOLT_SCORE_LOG": 4,
    "VOLT_SCORE_LOO": 5,
    "VOLT_SCORE_GCV": 6,
    "VOLT_SCORE_LOSS": 7,
    "VOLT_RACE_EXACT": 0,
    "VOLT_RACE_FAST": 1,
    "VOLT_RACE_NONE": 2,
    "VOLT_STRATEGY_RANDOM": 0,
    "VOLT_STRATEGY_ADAPTIVE": 1,
    "VOLT_STRATEGY_CMA": 2,
    "VOLT_VALIDATE_SIMULATE": 0,
    "VOLT_VALIDATE_ONE_STEP": 1,
    "VOLT_TRIAL_BEST": -1,
    "VOLT_ODE_RK4": 0,
    "VOLT_ODE_ACCURATE": 1,
    "VOLT_SYSTEM_LORENZ": 0,
    "VOLT_SYSTEM_MACKEY_GLASS": 1,
    "VOLT_SYSTEM_NARMA10": 2,
    "VOLT_SYSTEM_LORENZ96": 3,
    "VOLT_SYSTEM_KURAMOTO_SIVASHINSKY": 4,
    "VOLT_SYSTEM_HENON": 5,
    "VOLT_SYSTEM_DUFFING": 6,
    "VOLT_SYSTEM_VAN_DER_POL": 7,
    "VOLT_SYSTEM_WIENER_HAMMERSTEIN": 8,
    "VOLT_SYSTEM_BOUC_WEN": 9,
    "VOLT_SYSTEM_WIENER": 10,
    "VOLT_SYSTEM_RELAY": 11,
    "VOLT_SYSTEM_MAX_PARAMETERS": 16,
    "VOLT_BEKK_MAX_ASSETS": 200,
    "VOLT_BASELINE_NAIVE": 0,
    "VOLT_BASELINE_SEASONAL": 1,
    "VOLT_BASELINE_DRIFT": 2,
    "VOLT_BASELINE_AR": 3,
    "VOLT_MCS_R": 0,
    "VOLT_MCS_MAX": 1,
    "VOLT_WARNING_CONSTANT_HELDOUT": 0,
    "VOLT_WARNING_NAIVE_FORECAST": 1,
    "VOLT_WARNING_BETTER_BASELINE": 2,
    "VOLT_WARNING_FEW_ROWS": 3,
    "VOLT_WARNING_WORSE_THAN_CONSTANT": 4,
    "VOLT_WARNING_PAST_TARGETS": 5,
    "VOLT_WARNING_SEARCH_CUT": 6,
    "VOLT_WARNING_SINGLE_SERIES_CLASS": 7,
    "VOLT_WARNING_RATE_TOO_SMALL": 8,
    "VOLT_WARNING_ROWS_UNORDERED": 9,
    "VOLT_WARNING_ROWS_MISSING": 10,
    "VOLT_WARNING_TRAINING_ROWS": 11,
    "VOLT_WARNING_RUN_BOUNDED": 12,
    "VOLT_WARNING_NO_FIRST_OUTPUT": 13,
    "VOLT_WARNING_FREE_RUN": 14,
    "VOLT_WARNING_INPUT_RANGE": 15,
    "VOLT_WARNING_LITTLE_EXCITATION": 16,
    "VOLT_WARNING_CONSTANT_INPUT": 17,
    "VOLT_WARNING_INTEGRATING": 18,
    "VOLT_WARNING_REVERSED": 19,
    "VOLT_WARNING_DRIFT": 20,
    "VOLT_WARNING_UNEVEN_STEPS": 21,
    "VOLT_WARNING_NO_RESPONSE": 22,
    "VOLT_WARNING_SATURATED": 23,
    "VOLT_WARNING_FEW_FREQUENCIES": 24,
    "VOLT_WARNING_SHORT_SEASON": 25,
    "VOLT_WARNING_ROW_COUNTER": 26,
    "VOLT_WARNING_UNEVEN_CLOCK": 27,
    "VOLT_WARNING_SERIAL_DATES": 28,
    "VOLT_WARNING_BETTER_LINEAR": 29,
    "VOLT_MEMBER_KERNEL": 0,
    "VOLT_MEMBER_THETA": 1,
    "VOLT_MEMBER_ETS": 2,
    "VOLT_MEMBER_NAIVE": 3,
    "VOLT_MEMBER_SEASONAL": 4,
    "VOLT_MEMBER_DRIFT": 5,
    "VOLT_MEMBER_AR": 6,
    "VOLT_FORECAST_MAX_STEPS": 60,
    "VOLT_FORECAST_SEARCH_NONE": 0,
    "VOLT_FORECAST_SEARCH_ROWS": 1,
    "VOLT_FORECAST_SEARCH_TIME": 2,
    "VOLT_FORECAST_SEARCH_WORSE": 3,
    "VOLT_FORECAST_SEARCH_REJECTED": 4,
    "VOLT_FORECAST_SEARCH_ACCEPTED": 5,
    "VOLT_BACKTEST_METHODS": 8,
    "VOLT_AHEAD_AUTO": -1,
    "VOLT_PROTOCOL_HISTORY": 0,
    "VOLT_PROTOCOL_PUBLISHED": 1,
    "VOLT_CAPACITY_DEGREE": 20,
    "VOLT_CAPACITY_TARGETS": 1000000,
    "VOLT_IDENTIFY_MIN_ROWS": 60,
    "VOLT_IDENTIFY_SEARCH_ROWS": 3000,
    "VOLT_IDENTIFY_CANDIDATES": 6,
    "VOLT_IDENTIFY_BLOCKS": 3,
    "VOLT_IDENTIFY_WARNINGS": 12,
    "VOLT_OBJECT_SCALE_CHANNELS": 0,
    "VOLT_OBJECT_SCALE_SERIES": 1,
    "VOLT_OBJECT_SCALE_NONE": 2,
    "VOLT_OBJECT_INPUT_LEVEL": 0,
    "VOLT_OBJECT_INPUT_CHANGE": 1,
    "VOLT_OBJECT_INPUT_BOTH": 2,
    "VOLT_OBJECT_COMPARE_SERIES": 0,
    "VOLT_OBJECT_COMPARE_STEPS": 1,
    "VOLT_SERIES_CHOOSE": -1,
    "VOLT_ANOMALY_MAHALANOBIS": 0,
    "VOLT_ANOMALY_CONFORMANCE": 1,
    "VOLT_KIND_DOUBLE": 0,
    "VOLT_KIND_INT64": 1,
    "VOLT_KIND_UINT64": 2,
    "VOLT_KIND_INT": 3,
    "VOLT_KIND_FLAG": 4,
    "VOLT_KIND_WORD": 5,
    "VOLT_KIND_TEXT": 6,
    "VOLT_KIND_CHARS": 7,
    "VOLT_KIND_STRUCT": 8,
    "VOLT_KIND_VIEW": 9,
    "VOLT_KIND_OTHER": 10,
}


LogFn = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)
ProgressFn = ctypes.CFUNCTYPE(c_int, c_char_p, c_double, c_void_p)
TrialFn = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
ForecastFn = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
CompareFn = ctypes.CFUNCTYPE(None, c_int64, c_int64, c_char_p, c_void_p, c_void_p, c_void_p)


class Sized(ctypes.Structure):
    def __init__(self, **fields: Any) -> None:
        super().__init__(struct_size=ctypes.sizeof(type(self)), **fields)


class BuildInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("version", c_char_p),
        ("compiler", c_char_p),
        ("cpu_flags", c_char_p),
        ("fast_loops", c_char_p),
        ("blas", c_char_p),
        ("threads", c_int64),
        ("default_threads", c_int64),
        ("threads_from", c_char_p),
        ("memory", c_uint64),
    ]


class Matrix(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("rows", c_int64),
        ("cols", c_int64),
        ("ld", c_int64),
    ]


class Devices(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("chosen", c_char_p),
        ("count", c_int64),
        ("why", c_char_p),
        ("plugin", c_char_p),
    ]


class DeviceInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char * 128),
        ("driver", c_char * 64),
        ("memory", c_uint64),
        ("available", c_uint64),
    ]


class Progress(ctypes.Structure):
    _fields_ = [
        ("report", ProgressFn),
        ("context", c_void_p),
    ]


class Rng(ctypes.Structure):
    _fields_ = [
        ("seed", c_uint64),
        ("stream", c_uint64),
        ("block", c_uint64),
        ("words", c_uint64 * 4),
        ("used", c_int),
        ("has_spare", c_int),
        ("spare", c_double),
    ]


class Time(ctypes.Structure):
    _fields_ = [
        ("seconds", c_double),
        ("clock", c_double),
    ]


class Table(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
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
        ("lines", POINTER(c_int64)),
        ("faults", POINTER(c_char_p)),
        ("inserted", c_int64),
    ]


class ReadOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("missing", c_int),
        ("first", c_int64),
        ("end", c_int64),
        ("names", POINTER(c_char_p)),
        ("n_names", c_int64),
        ("time_name", c_char_p),
        ("keep_faults", c_int),
        ("decimal", c_char_p),
        ("thousands", c_char_p),
    ]


class WriteOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("label_name", c_char_p),
        ("labels", POINTER(c_char_p)),
        ("progress", Progress),
    ]


class TimeStep(ctypes.Structure):
    _fields_ = [
        ("seconds", c_double),
        ("months", c_int64),
        ("is_month_end", c_int),
        ("closed_weekdays", c_int),
    ]


class TimeGrid(ctypes.Structure):
    _fields_ = [
        ("step", TimeStep),
        ("closes_nightly", c_int),
    ]


class TrainingTimes(ctypes.Structure):
    _fields_ = [
        ("end", Time),
        ("target", Time),
        ("step", TimeStep),
    ]


class Calendar(ctypes.Structure):
    _fields_ = [
        ("parts", c_char_p),
        ("scale", c_double),
        ("inputs", Matrix),
        ("cols", c_int64),
        ("names", c_char * 16 * 10),
    ]


class Collection(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("count", c_int64),
        ("channels", c_int64),
        ("series", POINTER(Matrix)),
        ("labels", POINTER(c_char_p)),
        ("names", POINTER(c_char_p)),
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


class KernelInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("formula", c_char_p),
        ("cost", c_char_p),
        ("notes", c_char_p),
        ("parameters", POINTER(ParameterInfo)),
        ("n_parameters", c_int64),
        ("text", c_char_p),
        ("names", POINTER(c_char_p)),
        ("n_names", c_int64),
    ]


class KernelValue(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("info", POINTER(ParameterInfo)),
        ("given", c_int),
        ("present", c_int),
        ("number", c_double),
        ("text", c_char * 256),
    ]


class KernelFacts(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("radius", c_double),
        ("tau", c_double),
        ("lambda", c_double),
        ("lambda_bound", c_double),
        ("sup_kappa", c_double),
        ("contraction", c_double),
        ("largest", c_double),
        ("horizon", c_double),
    ]


class GramOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("radius", c_double),
        ("mirror", c_int),
        ("normalise", c_int),
        ("progress", Progress),
        ("distance", c_int),
    ]


class LossInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("meaning", c_char_p),
        ("parameter", c_char_p),
        ("score", c_char_p),
        ("constant", c_char_p),
        ("several", c_int),
        ("classes", c_int),
        ("unscaled", c_int),
        ("outputs", c_int64),
        ("text", c_char_p),
        ("values", POINTER(c_double)),
        ("n_values", c_int64),
    ]


class SolverInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("meaning", c_char_p),
        ("searches", c_int),
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


class SolverPlans(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("count", c_int64),
        ("solver", SolverPlan * 8),
        ("taken", c_int64),
        ("why", c_char_p),
    ]


class ModelNotes(ctypes.Structure):
    _fields_ = [
        ("time_end", c_char_p),
        ("time_target", c_char_p),
        ("time_step", c_char_p),
        ("calendar", c_char_p),
        ("calendar_scale", c_char_p),
        ("first_rows", c_char_p),
        ("horizons", c_char_p),
        ("target_ndim", c_char_p),
    ]


class FitOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("alpha", c_double),
        ("alpha_start", c_double),
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
        ("passthrough_columns", c_int64),
        ("guarded", c_int),
        ("feedback", c_int),
        ("feedback_weight", c_double),
        ("solver", c_char_p),
        ("landmarks", c_int64),
        ("landmark_choice", c_int),
        ("iterations", c_int64),
        ("checkpoint", c_char_p),
        ("checkpoint_seconds", c_double),
        ("keep_factor", c_int),
        ("input_names", POINTER(c_char_p)),
        ("output_names", POINTER(c_char_p)),
        ("notes", ModelNotes),
        ("times", POINTER(Time)),
        ("n_times", c_int64),
        ("pending", Matrix),
        ("progress", Progress),
        ("initial", c_int),
        ("initial_values", POINTER(c_double)),
        ("scale_each", c_int),
    ]


class Prepared(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("X", Matrix),
        ("Y", Matrix),
        ("base", Matrix),
        ("target", c_int),
        ("input", c_int),
        ("season", c_int64),
        ("guarded", c_int),
        ("initial", c_int),
        ("initial_values", POINTER(c_double)),
    ]


class FitReport(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("first", c_int64),
        ("heldout_r2", c_double),
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
        ("solver", c_char_p),
        ("iterations", c_int64),
        ("residual", c_double),
        ("landmarks", c_int64),
        ("rmse", POINTER(c_double)),
        ("best_rmse", POINTER(c_double)),
        ("naive_rmse", POINTER(c_double)),
        ("loo_rmse", POINTER(c_double)),
        ("gcv_rmse", POINTER(c_double)),
        ("blocks", c_int),
        ("best_alpha", POINTER(c_double)),
        ("rkhs_norm", POINTER(c_double)),
        ("effective_dimension", POINTER(c_double)),
        ("dimension_error", POINTER(c_double)),
        ("noise", POINTER(c_double)),
        ("landmarks_tried", c_int64),
        ("landmarks_gain", c_double),
        ("landmarks_why", c_char_p),
        ("device", c_char_p),
    ]


class ModelInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("n", c_int64),
        ("d", c_int64),
        ("q", c_int64),
        ("kernel", c_char_p),
        ("facts", POINTER(KernelFacts)),
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
        ("pending", Matrix),
        ("times", TrainingTimes),
        ("expansion_inputs", c_int64),
        ("members", POINTER(c_void_p)),
        ("member_weights", POINTER(c_double)),
        ("n_members", c_int64),
        ("sum_kind", c_int),
        ("initial", c_int),
        ("initial_values", POINTER(c_double)),
        ("scale_each", c_int),
        ("library", c_char_p),
    ]


class PredictWarning(ctypes.Structure):
    _fields_ = [
        ("code", c_int),
        ("row", c_int64),
        ("rows", c_int64),
        ("column", c_int64),
        ("value", c_double),
        ("text", c_char * 320),
    ]


class PredictReport(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("n_warnings", c_int64),
        ("warnings", PredictWarning * 4),
    ]


class PredictOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("start", c_int),
        ("beyond", c_int),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("known", Matrix),
        ("warm_up", c_int64),
        ("paths", c_int64),
        ("seed", c_uint64),
        ("std", Matrix),
        ("progress", Progress),
        ("report", POINTER(PredictReport)),
    ]


class ExplainOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
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


class Explanation(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("d", c_int64),
        ("q", c_int64),
        ("lags", c_int64),
        ("order", c_int64),
        ("about", POINTER(c_double)),
        ("g0", POINTER(c_double)),
        ("kernels", POINTER(c_double) * 8),
        ("g1_std", POINTER(c_double)),
        ("share_orders", c_int64),
        ("shares", POINTER(c_double)),
        ("variances", POINTER(c_double)),
        ("memory", POINTER(c_int64)),
    ]


class Plan(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
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
    ]


class LiveOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("start", c_int),
        ("beyond", c_int),
        ("pending", Matrix),
        ("learn", c_int),
        ("window", c_int64),
        ("forget", c_double),
        ("forget_what", c_int),
        ("free_run", c_int),
        ("coverages", POINTER(c_double)),
        ("n_coverages", c_int64),
        ("alarm_rate", c_double),
        ("scale_rows", c_int64),
        ("state", c_char_p),
        ("lock", c_int),
        ("progress", Progress),
    ]


class Detection(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("score", c_double),
        ("threshold", c_double),
        ("alarm", c_int),
        ("channel", c_int64),
    ]


class LiveInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("learns", c_int),
        ("rows", c_int64),
        ("window", c_int64),
        ("forget", c_double),
        ("forget_what", c_int),
        ("rows_fed", c_int64),
        ("learned", c_int64),
        ("beyond", c_int64),
        ("condition", c_double),
        ("resumed", c_int),
        ("last", POINTER(c_double)),
        ("coverages", POINTER(c_double)),
        ("n_coverages", c_int64),
        ("block_rows", c_int64),
    ]


class ExportOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("format", c_int),
        ("single", c_int),
        ("name", c_char_p),
        ("landmarks", c_int64),
        ("coverages", POINTER(c_double)),
        ("n_coverages", c_int64),
        ("progress", Progress),
    ]


class ExportReport(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("parts", c_int64),
        ("rows", c_int64),
        ("state_bytes", c_int64),
        ("constant_bytes", c_int64),
        ("operations", c_double),
        ("calls", c_double),
        ("landmark_error", c_double),
    ]


class Split(ctypes.Structure):
    _fields_ = [
        ("train_begin", c_int64),
        ("train_end", c_int64),
        ("begin", c_int64),
        ("end", c_int64),
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


class DrawOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("seed", c_uint64),
        ("ranges", POINTER(Range)),
        ("n_ranges", c_int64),
        ("scale", c_int),
        ("from_defaults", c_int),
        ("fed_outputs", Matrix),
        ("series_steps", c_double),
        ("points", c_int64),
    ]


class EvidenceOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("alpha", c_double),
        ("washout", c_int64),
        ("intercept", c_int),
        ("scale", c_int),
        ("leave_one_out", c_int),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("progress", Progress),
        ("initial", c_int),
        ("initial_values", POINTER(c_double)),
    ]


class EvidenceResult(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("q", c_int64),
        ("log_likelihood", c_double),
        ("scale", POINTER(c_double)),
        ("loo_errors", POINTER(c_double)),
        ("loo_variances", POINTER(c_double)),
        ("gcv", POINTER(c_double)),
        ("trace", c_double),
    ]


class Trial(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
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


class SearchOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("splits", SplitOptions),
        ("ahead", c_int64),
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
        ("solver", c_char_p),
        ("landmarks", c_int64),
        ("landmark_choice", c_int),
        ("score", c_int),
        ("validate", c_int),
        ("race", c_int),
        ("strategy", c_int),
        ("draws", c_int64),
        ("seconds", c_double),
        ("log", c_char_p),
        ("resume", c_int),
        ("on_trial", TrialFn),
        ("trial_context", c_void_p),
        ("progress", Progress),
        ("initial", c_int),
        ("initial_values", POINTER(c_double)),
    ]


class SearchPlan(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("solver", c_char_p),
        ("landmarks", c_int64),
        ("why", c_char_p),
        ("max_rows", c_int64),
        ("parallel", c_int64),
        ("on_device", c_int),
        ("bytes", c_double),
        ("available_bytes", c_double),
        ("fits", c_int),
        ("candidate_seconds", c_double),
        ("seconds", c_double),
    ]


class SearchInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("trials", c_int64),
        ("failed", c_int64),
        ("resumed", c_int64),
        ("folds", c_int64),
        ("gap", c_int64),
        ("stopped", POINTER(c_int64)),
        ("total", c_int64),
        ("expected", c_int64),
        ("out_of_time", c_int),
        ("seconds", c_double),
        ("blas_seconds", c_double),
        ("flops", c_double),
        ("parallel", c_int64),
        ("score", c_int),
        ("loss", c_char_p),
        ("score_name", c_char_p),
        ("solver", c_char_p),
        ("landmarks", c_int64),
    ]


class SimulateOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("sigma", c_double),
        ("rho", c_double),
        ("beta", c_double),
        ("a", c_double),
        ("b", c_double),
        ("power", c_double),
        ("delay", c_double),
        ("start", c_double * 3),
        ("step", c_double),
        ("every", c_int64),
        ("method", c_int),
        ("seed", c_uint64),
        ("discard", c_int64),
        ("progress", Progress),
        ("parameters", c_double * 16),
        ("start_noise", c_double),
    ]


class SystemParameter(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("meaning", c_char_p),
        ("fallback", c_double),
        ("low", c_double),
        ("high", c_double),
        ("open", c_int),
        ("whole", c_int),
    ]


class SystemInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("equation", c_char_p),
        ("columns", POINTER(c_char_p)),
        ("parameters", POINTER(SystemParameter)),
        ("n_parameters", c_int64),
        ("n_start", c_int64),
        ("length", c_int64),
        ("has_input", c_int),
        ("is_numbered", c_int),
        ("reads_step", c_int),
        ("reads_every", c_int),
        ("reads_method", c_int),
        ("accuracy", c_char_p),
    ]


class Bekk(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
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


class BekkSimulateOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("seed", c_uint64),
        ("stream", c_uint64),
        ("discard", c_int64),
        ("progress", Progress),
    ]


class BekkFitOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("starts", c_int64),
        ("seed", c_uint64),
        ("rounds", c_int64),
        ("standard_errors", c_int),
        ("progress", Progress),
    ]


class BekkFitInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("loglik", c_double),
        ("start_loglik", c_double),
        ("gain_left", c_double),
        ("converged", c_int),
        ("evaluations", c_int64),
        ("starts", c_int64),
        ("reached", c_int64),
    ]


class Metrics(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("mse", c_double),
        ("nmse", c_double),
        ("r2", c_double),
        ("mae", c_double),
        ("mdae", c_double),
        ("w1", c_double),
        ("mape", c_double),
        ("rmse", c_double),
    ]


class Ranking(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("roc_auc", c_double),
        ("pr_auc", c_double),
        ("marked", c_int64),
        ("others", c_int64),
    ]


class Skill(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("skill", c_double),
        ("mase", c_double),
        ("outputs", c_int64),
        ("rows", c_int64),
        ("lag", c_int64),
    ]


class McsOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("method", c_int),
        ("size", c_double),
        ("block", c_double),
        ("reps", c_int64),
        ("seed", c_uint64),
        ("indices", POINTER(c_int64)),
        ("progress", Progress),
    ]


class Mcs(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("models", c_int64),
        ("pvalues", POINTER(c_double)),
        ("included", POINTER(c_int)),
        ("order", POINTER(c_int64)),
        ("statistics", POINTER(c_double)),
        ("step_shares", POINTER(c_double)),
        ("mean_losses", POINTER(c_double)),
        ("block", c_double),
    ]


class Warning(ctypes.Structure):
    _fields_ = [
        ("code", c_int),
        ("series", c_int64),
        ("value", c_double),
        ("baseline", c_int),
        ("row", c_int64),
    ]


class ForecastOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kernel", c_char_p),
        ("steps", c_int64),
        ("season", c_int64),
        ("step", TimeStep),
        ("separate", c_int),
        ("all_rows", c_int),
        ("known", Matrix),
        ("search_seconds", c_double),
        ("seed", c_uint64),
        ("coverages", POINTER(c_double)),
        ("n_coverages", c_int64),
        ("names", POINTER(c_char_p)),
        ("many_seconds", c_double),
        ("progress", Progress),
        ("missing", c_int),
        ("times", POINTER(Time)),
        ("calendar", c_char_p),
        ("future_times", POINTER(Time)),
    ]


class ForecastInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("steps", c_int64),
        ("series", c_int64),
        ("rows", c_int64),
        ("first_row", c_int64),
        ("origins", c_int64),
        ("members", c_int64),
        ("member_names", POINTER(c_char_p)),
        ("kernel", c_char_p),
        ("search", c_int),
        ("search_draws", c_int64),
        ("search_mse", c_double),
        ("search_mse_given", c_double),
        ("warnings", POINTER(Warning)),
        ("n_warnings", c_int64),
        ("fitted_steps", c_int64),
        ("inserted_rows", c_int64),
        ("interpolated", c_int64),
    ]


class ForecastStep(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("value", c_double),
        ("rmse", c_double),
        ("kernel_share", c_double),
        ("is_change", c_int),
        ("member_value", POINTER(c_double)),
        ("member_rmse", POINTER(c_double)),
        ("lower", POINTER(c_double)),
        ("upper", POINTER(c_double)),
    ]


class ForecastSeries(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("season", c_int64),
        ("rmse", c_double),
        ("mase", c_double),
        ("ets", c_char_p),
        ("member_weight", POINTER(c_double)),
        ("member_rmse", POINTER(c_double)),
    ]


class Backtest(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("mase", POINTER(c_double)),
        ("smape", POINTER(c_double)),
        ("rmse", POINTER(c_double)),
        ("values", POINTER(c_int64)),
        ("coverage", POINTER(c_double)),
        ("width", POINTER(c_double)),
        ("names", POINTER(c_char_p)),
        ("steps", c_int64),
        ("origins", c_int64),
        ("first_rows", c_int64),
        ("distance", c_int64),
    ]


class LongRows(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("ids", POINTER(c_char_p)),
        ("times", POINTER(c_char_p)),
        ("values", POINTER(c_double)),
        ("faults", POINTER(c_char_p)),
        ("lines", POINTER(c_int64)),
        ("time_name", c_char_p),
        ("value_name", c_char_p),
        ("done", POINTER(c_char_p)),
        ("done_times", POINTER(c_char_p)),
        ("n_done", c_int64),
    ]


class ForecastResult(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("id", c_char_p),
        ("index", c_int64),
        ("count", c_int64),
        ("rows", c_int64),
        ("status", c_int),
        ("message", c_char_p),
        ("done", c_int64),
        ("forecast", c_void_p),
        ("times", POINTER(c_char_p)),
        ("is_dated", c_int),
        ("missing_rows", c_int64),
    ]


class RowAnomalyOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kernel", c_char_p),
        ("train_rows", c_int64),
        ("names", POINTER(c_char_p)),
        ("rate", c_double),
        ("window", c_int64),
        ("progress", Progress),
    ]


class PairingOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("ahead", c_int64),
        ("first_ahead", c_int64),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("record_names", POINTER(c_char_p)),
        ("known_inputs", c_int64),
        ("allow_target_in_inputs", c_int),
        ("input_names", POINTER(c_char_p)),
        ("target_names", POINTER(c_char_p)),
        ("loss", c_char_p),
        ("labels", POINTER(c_char_p)),
        ("n_classes", c_int64),
        ("fed_outputs", c_int),
    ]


class Pairing(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("first_ahead", c_int64),
        ("ahead", c_int64),
        ("inputs", Matrix),
        ("targets", Matrix),
        ("series", Matrix),
        ("rows", POINTER(c_int64)),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("anchors", POINTER(c_int64)),
        ("outputs", c_int64),
        ("feedback", c_int),
        ("pending", Matrix),
        ("gap", c_int64),
        ("missing_targets", c_int64),
        ("output_names", POINTER(c_char_p)),
        ("classes", POINTER(c_char_p)),
        ("n_classes", c_int64),
        ("loss", c_char_p),
        ("fed_outputs", c_int),
    ]


class TimesReport(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("grid", TimeGrid),
        ("before", c_int64),
        ("start", c_int),
        ("n_warnings", c_int64),
        ("warnings", Warning * 4),
        ("step", TimeStep),
        ("missing", c_int64),
        ("disorder", c_int64),
        ("misplaced", c_int64),
    ]


class TimeColumns(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("counter", c_int64),
        ("step", c_double),
        ("clock", c_int64),
        ("serial", c_char_p),
        ("n_warnings", c_int64),
        ("warnings", Warning * 4),
        ("missing", c_int64),
    ]


class AssessOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("model", c_void_p),
        ("fitted", Matrix),
        ("splits", POINTER(SplitOptions)),
        ("test", POINTER(Split)),
        ("running", c_int),
        ("measure", c_int),
        ("score", c_double),
        ("season", c_int64),
        ("season_rows", c_int64),
        ("by_loss", c_int),
        ("weights", POINTER(c_double)),
        ("simulated", c_int),
    ]


class BaselineScore(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("mse", c_double),
        ("rmse", c_double),
        ("mae", c_double),
        ("r2", c_double),
        ("loss", c_double),
        ("ratio", c_double),
    ]


class Assessment(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("heldout_rows", c_int64),
        ("heldout_rmse", c_double),
        ("loo_rmse", c_double),
        ("gcv_rmse", c_double),
        ("naive_outputs", c_int64),
        ("halfway_outputs", c_int64),
        ("naive_ratio", c_double),
        ("r2", c_double),
        ("loss", c_double),
        ("loss_name", c_char_p),
        ("season", c_int64),
        ("n_baselines", c_int64),
        ("baselines", BaselineScore * 8),
        ("better", c_int64),
        ("n_warnings", c_int64),
        ("warnings", Warning * 4),
    ]


class Contender(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kernel", c_char_p),
    ]


class CompareOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("protocol", c_int),
        ("contenders", POINTER(Contender)),
        ("n_contenders", c_int64),
        ("gap", c_int64),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("base", Matrix),
        ("loss", c_char_p),
        ("tolerance", c_double),
        ("weights", POINTER(c_double)),
        ("classes", POINTER(c_char_p)),
        ("n_classes", c_int64),
        ("draws", c_int64),
        ("seconds", c_double),
        ("folds", c_int64),
        ("race", c_int),
        ("from_defaults", c_int),
        ("seed", c_uint64),
        ("mcs_size", c_double),
        ("mcs_reps", c_int64),
        ("log", c_char_p),
        ("resume", c_int),
        ("on_event", CompareFn),
        ("event_context", c_void_p),
        ("progress", Progress),
    ]


class ComparisonRow(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("given", c_char_p),
        ("kernel", c_char_p),
        ("alpha", c_double),
        ("score", c_double),
        ("metrics", POINTER(Metrics)),
        ("loss", c_double),
        ("mcs_pvalue", c_double),
        ("in_mcs", c_int),
        ("hyperparameters", c_int64),
        ("cost", c_char_p),
        ("draws", c_int64),
        ("failed", c_int64),
        ("seconds", c_double),
        ("fit_seconds", c_double),
        ("failure", c_char_p),
        ("forecast", Matrix),
        ("losses", POINTER(c_double)),
        ("search", c_void_p),
    ]


class CurveOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("sizes", POINTER(c_int64)),
        ("n_sizes", c_int64),
        ("points", c_int64),
        ("test", c_int64),
        ("repeat", c_int64),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("fit", POINTER(FitOptions)),
        ("progress", Progress),
    ]


class Curve(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("n_kernels", c_int64),
        ("n_repeats", c_int64),
        ("n_sizes", c_int64),
        ("outputs", c_int64),
        ("kernels", POINTER(c_char_p)),
        ("sizes", POINTER(c_int64)),
        ("first", POINTER(c_int64)),
        ("washout", c_int64),
        ("gap", c_int64),
        ("test_rows", c_int64),
        ("nmse", POINTER(c_double)),
        ("rmse", POINTER(c_double)),
        ("alphas", POINTER(c_double)),
        ("mean_nmse", POINTER(c_double)),
        ("nmse_error", POINTER(c_double)),
        ("rate", POINTER(c_double)),
        ("rate_error", POINTER(c_double)),
    ]


class CapacityOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("washout", c_int64),
        ("degree", c_int64),
        ("delay", c_int64),
        ("alpha", c_double),
        ("dimension", c_double),
        ("significance", c_double),
        ("threshold", c_double),
        ("seed", c_uint64),
        ("progress", Progress),
    ]


class Capacity(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("washout", c_int64),
        ("degree", c_int64),
        ("delay", c_int64),
        ("states", c_int64),
        ("alpha", c_double),
        ("effective_dimension", c_double),
        ("threshold", c_double),
        ("total", c_double),
        ("n_targets", c_int64),
        ("factors", POINTER(c_int64)),
        ("capacities", POINTER(c_double)),
        ("by_degree", POINTER(c_double)),
        ("targets", POINTER(c_int64)),
        ("significant", POINTER(c_int64)),
        ("by_delay", POINTER(c_double)),
    ]


class OutputTest(ctypes.Structure):
    _fields_ = [
        ("rmse", c_double),
        ("linear_rmse", c_double),
        ("std", c_double),
    ]


class IdentifyOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("test_inputs", Matrix),
        ("test_outputs", Matrix),
        ("records", POINTER(c_int64)),
        ("n_records", c_int64),
        ("test_records", POINTER(c_int64)),
        ("n_test_records", c_int64),
        ("seconds", c_double),
        ("draws", c_int64),
        ("seed", c_uint64),
        ("input_names", POINTER(c_char_p)),
        ("output_names", POINTER(c_char_p)),
        ("times", POINTER(Time)),
        ("progress", Progress),
        ("scale_each", c_int),
        ("clock", POINTER(c_double)),
        ("output_tests", POINTER(OutputTest)),
    ]


class IdentifyCandidate(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("is_linear", c_int),
        ("kernel", c_char * 2048),
        ("alpha", c_double),
        ("feedback_weight", c_double),
        ("nmse", c_double),
        ("block_nmse", c_double * 3),
        ("trials", c_int64),
        ("seconds", c_double),
        ("test_rmse", c_double),
        ("growth", c_double),
        ("excess", c_double),
        ("long_run", c_double),
        ("is_rejected", c_int),
    ]


class Identification(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("rows", c_int64),
        ("train_rows", c_int64),
        ("test_rows", c_int64),
        ("test_is_separate", c_int),
        ("train_records", c_int64),
        ("test_washout", c_int64),
        ("search_begin", c_int64),
        ("search_rows", c_int64),
        ("fit_begin", c_int64),
        ("fit_rows", c_int64),
        ("washout", c_int64),
        ("time_step", c_double),
        ("uneven_steps", c_int64),
        ("delay", c_int64),
        ("correlation", c_double),
        ("dead_time", c_int64),
        ("input_changes", c_int64),
        ("input_lines", c_double),
        ("output_at_extreme", c_double),
        ("input_at_extreme", c_double),
        ("output_growth", c_double),
        ("input_growth", c_double),
        ("integration", c_double),
        ("forward_gain", c_double),
        ("reverse_gain", c_double),
        ("unexplained", c_double),
        ("noise", c_double),
        ("nonlinearity", c_double),
        ("is_nonlinear", c_int),
        ("input_period", c_int64),
        ("candidates", IdentifyCandidate * 6),
        ("chosen", c_int64),
        ("best_linear", c_int64),
        ("n_averaged", c_int64),
        ("averaged", c_int64 * 6),
        ("test_rmse", c_double),
        ("linear_test_rmse", c_double),
        ("seconds", c_double),
        ("n_warnings", c_int64),
        ("warnings", Warning * 12),
        ("scale_each", c_int),
        ("initial", c_int),
        ("test_std", c_double),
    ]


class Diagnosis(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("d", c_int64),
        ("q", c_int64),
        ("rows", c_int64),
        ("first_row", c_int64),
        ("measured", POINTER(c_double)),
        ("simulated", POINTER(c_double)),
        ("lags", c_int64),
        ("autocorrelation", POINTER(c_double)),
        ("autocorrelation_bound", c_double),
        ("cross_correlation", POINTER(c_double)),
        ("cross_bounds", POINTER(c_double)),
        ("bins", c_int64),
        ("frequencies", POINTER(c_double)),
        ("gain", POINTER(c_double)),
        ("phase", POINTER(c_double)),
        ("coherence", POINTER(c_double)),
        ("model_gain", POINTER(c_double)),
        ("model_phase", POINTER(c_double)),
        ("below", POINTER(c_int64)),
        ("above", POINTER(c_int64)),
        ("beyond", POINTER(c_double)),
        ("explanation", POINTER(Explanation)),
    ]


class SeriesKernel(ctypes.Structure):
    _fields_ = [
        ("kernel", c_char_p),
        ("scale", c_int),
        ("input", c_int),
        ("compare", c_int),
    ]


class SeriesOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kernel", c_char_p),
        ("scale", c_int),
        ("input", c_int),
        ("compare", c_int),
        ("normalise", c_int),
        ("alpha", c_double),
        ("loss", c_char_p),
        ("draws", c_int64),
        ("budget", c_double),
        ("screen", c_int64),
        ("landmarks", c_int64),
        ("folds", c_int64),
        ("blend", c_int64),
        ("seed", c_uint64),
        ("splits", c_int64),
        ("held_out", c_double),
        ("ranges", POINTER(Range)),
        ("n_ranges", c_int64),
        ("parts", POINTER(SeriesKernel)),
        ("n_parts", c_int64),
        ("progress", Progress),
    ]


class SeriesInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("series", c_int64),
        ("channels", c_int64),
        ("classes", c_int64),
        ("outputs", c_int64),
        ("parts", c_int64),
        ("kernels", POINTER(SeriesKernel)),
        ("kernel", c_char_p),
        ("loss", c_char_p),
        ("alpha", c_double),
        ("scale", c_int),
        ("input", c_int),
        ("compare", c_int),
        ("left_out_error", c_double),
        ("left_out_outputs", POINTER(c_double)),
        ("left_out", c_double),
        ("nested", c_double),
        ("folds", c_int64),
        ("splits", c_int64),
        ("split_mean", c_double),
        ("split_deviation", c_double),
        ("temperature", c_double),
        ("log_loss", c_double),
        ("planned", c_int64),
        ("tried", c_int64),
        ("failed", c_int64),
        ("screen", c_int64),
        ("finalists", c_int64),
        ("cut", c_int),
        ("landmarks", c_int64),
        ("seconds", c_double),
        ("warnings", POINTER(Warning)),
        ("n_warnings", c_int64),
    ]


class SeriesAnomalyOptions(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("scale", c_int),
        ("input", c_int),
        ("normalise", c_int),
        ("compare", c_int),
        ("score", c_int),
        ("alpha", c_double),
        ("rate", c_double),
        ("draws", c_int64),
        ("seed", c_uint64),
        ("progress", Progress),
    ]


class AnomalyInfo(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("n", c_int64),
        ("score", c_int),
        ("alpha", c_double),
        ("rate", c_double),
        ("least", c_double),
        ("growth", c_double),
        ("threshold", c_double),
        ("left_out", POINTER(c_double)),
        ("scores", POINTER(c_double)),
        ("areas", Ranking),
        ("kernel", c_char_p),
        ("tried", c_int64),
        ("warnings", POINTER(Warning)),
        ("n_warnings", c_int64),
    ]


class Word(ctypes.Structure):
    _fields_ = [
        ("text", c_char_p),
        ("value", c_int),
    ]


class Dimension(ctypes.Structure):
    _fields_ = [
        ("text", c_char_p),
        ("plus", c_int64),
        ("is_given", c_int),
        ("n_offsets", c_int64),
        ("offsets", c_size_t * 2),
    ]


class Bounds(ctypes.Structure):
    _fields_ = [
        ("low", c_double),
        ("high", c_double),
        ("low_open", c_int),
        ("high_open", c_int),
    ]


class Field(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int),
        ("is_pointer", c_int),
        ("offset", c_size_t),
        ("size", c_size_t),
        ("n_dimensions", c_int64),
        ("shape", POINTER(Dimension)),
        ("inner", c_void_p),
        ("words", POINTER(Word)),
        ("range", POINTER(Bounds)),
        ("json", c_char_p),
        ("unit", c_char_p),
        ("option", c_char_p),
        ("value", c_char_p),
        ("meaning", c_char_p),
    ]


class Struct(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("size", c_size_t),
        ("is_sized", c_int),
        ("n_fields", c_int64),
        ("fields", POINTER(Field)),
        ("set_default", c_void_p),
    ]


STRUCTS: Dict[str, Any] = {
    "volt_build_info": BuildInfo,
    "volt_matrix": Matrix,
    "volt_view": Matrix,
    "volt_devices": Devices,
    "volt_device_info": DeviceInfo,
    "volt_progress": Progress,
    "volt_rng": Rng,
    "volt_time": Time,
    "volt_table": Table,
    "volt_read_options": ReadOptions,
    "volt_write_options": WriteOptions,
    "volt_time_step": TimeStep,
    "volt_time_grid": TimeGrid,
    "volt_training_times": TrainingTimes,
    "volt_calendar": Calendar,
    "volt_collection": Collection,
    "volt_parameter_info": ParameterInfo,
    "volt_kernel_info": KernelInfo,
    "volt_kernel_value": KernelValue,
    "volt_kernel_facts": KernelFacts,
    "volt_gram_options": GramOptions,
    "volt_loss_info": LossInfo,
    "volt_solver_info": SolverInfo,
    "volt_solver_plan": SolverPlan,
    "volt_solver_plans": SolverPlans,
    "volt_model_notes": ModelNotes,
    "volt_fit_options": FitOptions,
    "volt_prepared": Prepared,
    "volt_fit_report": FitReport,
    "volt_model_info": ModelInfo,
    "volt_predict_warning": PredictWarning,
    "volt_predict_report": PredictReport,
    "volt_predict_options": PredictOptions,
    "volt_explain_options": ExplainOptions,
    "volt_explanation": Explanation,
    "volt_plan": Plan,
    "volt_live_options": LiveOptions,
    "volt_detection": Detection,
    "volt_live_info": LiveInfo,
    "volt_export_options": ExportOptions,
    "volt_export_report": ExportReport,
    "volt_split": Split,
    "volt_split_options": SplitOptions,
    "volt_range": Range,
    "volt_draw_options": DrawOptions,
    "volt_evidence_options": EvidenceOptions,
    "volt_evidence_result": EvidenceResult,
    "volt_trial": Trial,
    "volt_search_options": SearchOptions,
    "volt_search_plan": SearchPlan,
    "volt_search_info": SearchInfo,
    "volt_simulate_options": SimulateOptions,
    "volt_system_parameter": SystemParameter,
    "volt_system_info": SystemInfo,
    "volt_bekk": Bekk,
    "volt_bekk_simulate_options": BekkSimulateOptions,
    "volt_bekk_fit_options": BekkFitOptions,
    "volt_bekk_fit_info": BekkFitInfo,
    "volt_metrics": Metrics,
    "volt_ranking": Ranking,
    "volt_skill": Skill,
    "volt_mcs_options": McsOptions,
    "volt_mcs": Mcs,
    "volt_warning": Warning,
    "volt_forecast_options": ForecastOptions,
    "volt_forecast_info": ForecastInfo,
    "volt_forecast_step": ForecastStep,
    "volt_forecast_series": ForecastSeries,
    "volt_backtest": Backtest,
    "volt_long_rows": LongRows,
    "volt_forecast_result": ForecastResult,
    "volt_row_anomaly_options": RowAnomalyOptions,
    "volt_pairing_options": PairingOptions,
    "volt_pairing": Pairing,
    "volt_times_report": TimesReport,
    "volt_time_columns": TimeColumns,
    "volt_assess_options": AssessOptions,
    "volt_baseline_score": BaselineScore,
    "volt_assessment": Assessment,
    "volt_contender": Contender,
    "volt_compare_options": CompareOptions,
    "volt_comparison_row": ComparisonRow,
    "volt_curve_options": CurveOptions,
    "volt_curve": Curve,
    "volt_capacity_options": CapacityOptions,
    "volt_capacity": Capacity,
    "volt_output_test": OutputTest,
    "volt_identify_options": IdentifyOptions,
    "volt_identify_candidate": IdentifyCandidate,
    "volt_identification": Identification,
    "volt_diagnosis": Diagnosis,
    "volt_series_kernel": SeriesKernel,
    "volt_series_options": SeriesOptions,
    "volt_series_info": SeriesInfo,
    "volt_series_anomaly_options": SeriesAnomalyOptions,
    "volt_anomaly_info": AnomalyInfo,
    "volt_word": Word,
    "volt_dimension": Dimension,
    "volt_bounds": Bounds,
    "volt_field": Field,
    "volt_struct": Struct,
}

#: name: (result, arguments)
PROTOTYPES: Dict[str, Any] = {
    "volt_status_message": (c_char_p, [c_int]),
    "volt_error_detail": (c_char_p, []),
    "volt_version": (c_char_p, []),
    "volt_build_info_get": (c_int, [POINTER(BuildInfo)]),
    "volt_free": (None, [c_void_p]),
    "volt_set_threads": (c_int, [c_int64]),
    "volt_set_threads_local": (c_int, [c_int64, c_void_p]),
    "volt_set_device": (c_int, [c_char_p]),
    "volt_devices_get": (c_int, [POINTER(Devices), c_int64, POINTER(DeviceInfo)]),
    "volt_set_log": (None, [LogFn, c_void_p]),
    "volt_rng_init": (None, [POINTER(Rng), c_uint64, c_uint64]),
    "volt_rng_uniform": (c_double, [POINTER(Rng)]),
    "volt_rng_normal": (c_double, [POINTER(Rng)]),
    "volt_read_options_default": (ReadOptions, []),
    "volt_table_read": (c_int, [c_char_p, POINTER(ReadOptions), POINTER(POINTER(Table))]),
    "volt_table_free": (None, [POINTER(Table)]),
    "volt_columns_match": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p]),
    "volt_texts_read": (c_int, [c_char_p, c_void_p, c_void_p, POINTER(POINTER(Table))]),
    "volt_texts_number": (c_int, [c_void_p, c_int64, c_void_p, c_void_p, c_void_p]),
    "volt_tables_clean": (c_int, [POINTER(Table), POINTER(Table), c_int, c_void_p, c_int64]),
    "volt_table_write": (c_int, [c_char_p, Matrix, c_void_p, POINTER(WriteOptions)]),
    "volt_table_writer_open": (c_int, [c_char_p, c_int64, c_int64, c_void_p, POINTER(WriteOptions), POINTER(c_void_p)]),
    "volt_table_writer_rows": (c_int, [c_void_p, Matrix, c_void_p]),
    "volt_table_writer_close": (c_int, [c_void_p, c_int]),
    "volt_csv_parse_row": (c_int, [c_char_p, c_int64, c_int, c_void_p]),
    "volt_csv_split_line": (c_int, [c_char_p, c_char_p, c_void_p, c_void_p]),
    "volt_times_parse": (c_int, [c_void_p, c_int64, POINTER(Time)]),
    "volt_times_form_row": (c_int64, [c_void_p, c_int64]),
    "volt_time_write_like": (c_int, [c_char_p, Time, Time, c_char_p]),
    "volt_time_advance": (Time, [Time, TimeStep, c_int64]),
    "volt_calendar_columns": (c_int, [POINTER(Calendar), POINTER(Time), Matrix]),
    "volt_text_read": (c_int, [c_char_p, c_void_p]),
    "volt_text_write": (c_int, [c_char_p, c_char_p]),
    "volt_collection_read": (c_int, [c_char_p, POINTER(POINTER(Collection))]),
    "volt_collection_free": (None, [POINTER(Collection)]),
    "volt_kernel_parse": (c_int, [c_char_p, POINTER(c_void_p)]),
    "volt_kernel_free": (None, [c_void_p]),
    "volt_kernel_at": (POINTER(KernelInfo), [c_int64]),
    "volt_kernel_get_info": (c_int, [c_void_p, POINTER(KernelInfo)]),
    "volt_kernel_get": (c_int, [c_void_p, c_char_p, POINTER(KernelValue)]),
    "volt_kernel_query": (c_int, [c_void_p, c_double, c_int64, c_double, POINTER(KernelFacts)]),
    "volt_gram_options_default": (GramOptions, []),
    "volt_radius": (c_int, [Matrix, c_void_p]),
    "volt_gram": (c_int, [c_void_p, Matrix, Matrix, POINTER(GramOptions), Matrix]),
    "volt_gram_spectrum": (c_int, [c_void_p, Matrix, POINTER(GramOptions), Matrix]),
    "volt_gram_collection": (c_int, [c_void_p, POINTER(Matrix), c_int64, POINTER(Matrix), c_int64, POINTER(GramOptions), Matrix]),
    "volt_loss_at": (POINTER(LossInfo), [c_int64]),
    "volt_loss_parse": (c_int, [c_char_p, POINTER(c_void_p)]),
    "volt_loss_free": (None, [c_void_p]),
    "volt_loss_get_info": (c_int, [c_void_p, POINTER(LossInfo)]),
    "volt_loss_score": (c_int, [c_void_p, Matrix, Matrix, c_void_p, c_void_p]),
    "volt_solver_at": (POINTER(SolverInfo), [c_int64]),
    "volt_fit_options_default": (FitOptions, []),
    "volt_model_fit": (c_int, [c_void_p, Matrix, Matrix, POINTER(FitOptions), Matrix, POINTER(c_void_p)]),
    "volt_model_free": (None, [c_void_p]),
    "volt_prepare": (c_int, [Matrix, Matrix, POINTER(FitOptions), c_int64, POINTER(POINTER(Prepared))]),
    "volt_prepared_free": (None, [POINTER(Prepared)]),
    "volt_model_get_info": (c_int, [c_void_p, POINTER(ModelInfo)]),
    "volt_model_begins": (c_int, [POINTER(ModelInfo), Matrix]),
    "volt_predict_options_default": (PredictOptions, []),
    "volt_model_check_range": (c_int, [c_void_p, Matrix, c_int64, POINTER(PredictWarning)]),
    "volt_model_predict": (c_int, [c_void_p, Matrix, POINTER(PredictOptions), Matrix, c_void_p]),
    "volt_model_continue": (c_int, [c_void_p, Matrix, POINTER(PredictOptions), Matrix, c_void_p]),
    "volt_model_sum": (c_int, [POINTER(c_void_p), c_void_p, c_int64, c_int, POINTER(c_void_p)]),
    "volt_model_interval": (c_int, [c_void_p, c_void_p, c_int64, Matrix]),
    "volt_model_errors_read": (c_int64, [c_void_p, Matrix]),
    "volt_model_impulse": (c_int, [c_void_p, c_int64, Matrix]),
    "volt_model_save": (c_int, [c_void_p, c_char_p, Progress]),
    "volt_model_load": (c_int, [c_char_p, POINTER(c_void_p)]),
    "volt_explain_options_default": (ExplainOptions, []),
    "volt_model_explain": (c_int, [c_void_p, POINTER(ExplainOptions), POINTER(POINTER(Explanation))]),
    "volt_explanation_free": (None, [POINTER(Explanation)]),
    "volt_model_orders": (c_int, [c_void_p, Matrix, POINTER(ExplainOptions), Matrix]),
    "volt_model_forgetting": (c_int, [c_void_p, Matrix, Matrix, Matrix, Progress, Matrix]),
    "volt_plan_fit": (c_int, [c_void_p, c_int64, c_int64, c_int64, c_int64, c_int, POINTER(Plan), POINTER(SolverPlans)]),
    "volt_live_options_default": (LiveOptions, []),
    "volt_live_create": (c_int, [c_void_p, POINTER(LiveOptions), POINTER(c_void_p)]),
    "volt_live_copy": (c_int, [c_void_p, POINTER(c_void_p)]),
    "volt_live_free": (None, [c_void_p]),
    "volt_live_feed": (c_int, [c_void_p, c_void_p, c_void_p]),
    "volt_live_learn": (c_int, [c_void_p, c_int64, c_void_p]),
    "volt_live_update": (c_int, [c_void_p, c_void_p, c_int, c_void_p, c_void_p]),
    "volt_live_drop": (c_int, [c_void_p, c_int64]),
    "volt_live_restart": (c_int, [c_void_p]),
    "volt_live_predict": (c_int, [c_void_p, Matrix, c_int, Matrix, c_void_p]),
    "volt_live_interval": (c_int, [c_void_p, c_void_p]),
    "volt_live_detect": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(Detection)]),
    "volt_live_get_info": (c_int, [c_void_p, POINTER(LiveInfo)]),
    "volt_live_coefficients": (c_int, [c_void_p, Matrix, c_void_p, c_void_p]),
    "volt_live_model": (c_int, [c_void_p, c_int, Progress, POINTER(c_void_p)]),
    "volt_live_save": (c_int, [c_void_p, c_char_p]),
    "volt_live_load": (c_int, [c_void_p, POINTER(LiveOptions), c_char_p, POINTER(c_void_p)]),
    "volt_model_export": (c_int, [c_void_p, POINTER(ExportOptions), c_char_p, POINTER(ExportReport)]),
    "volt_draw_options_default": (DrawOptions, []),
    "volt_candidates_draw": (c_int, [c_char_p, Matrix, POINTER(DrawOptions), POINTER(c_void_p)]),
    "volt_candidates_list": (c_int, [c_void_p, c_void_p, c_void_p, c_int64, POINTER(c_void_p)]),
    "volt_candidates_read": (c_int, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "volt_candidates_free": (None, [c_void_p]),
    "volt_candidates_get": (c_int, [c_void_p, c_int64, c_char_p, c_void_p, c_void_p]),
    "volt_evidence_options_default": (EvidenceOptions, []),
    "volt_evidence": (c_int, [c_void_p, Matrix, Matrix, POINTER(EvidenceOptions), POINTER(POINTER(EvidenceResult))]),
    "volt_evidence_free": (None, [POINTER(EvidenceResult)]),
    "volt_search_options_default": (SearchOptions, []),
    "volt_search_run": (c_int, [c_void_p, Matrix, Matrix, POINTER(SearchOptions), POINTER(c_void_p)]),
    "volt_plan_search": (c_int, [c_void_p, c_int64, c_int64, c_int64, c_double, POINTER(SearchOptions), c_int, POINTER(SearchPlan)]),
    "volt_search_free": (None, [c_void_p]),
    "volt_search_get_info": (c_int, [c_void_p, POINTER(SearchInfo)]),
    "volt_search_trial": (POINTER(Trial), [c_void_p, c_int64]),
    "volt_simulate_options_default": (SimulateOptions, [c_int]),
    "volt_system_at": (POINTER(SystemInfo), [c_int64]),
    "volt_system_parse": (c_int, [c_char_p, c_void_p, POINTER(SimulateOptions)]),
    "volt_simulate_columns": (c_int, [c_int, POINTER(SimulateOptions), c_void_p]),
    "volt_simulate": (c_int, [c_int, POINTER(SimulateOptions), Matrix]),
    "volt_bekk_create": (c_int, [c_int64, POINTER(POINTER(Bekk))]),
    "volt_bekk_free": (None, [POINTER(Bekk)]),
    "volt_bekk_set_source": (c_int, [POINTER(Bekk), c_void_p, c_char_p, c_char_p, c_char_p]),
    "volt_bekk_preset_name": (c_char_p, [c_int64]),
    "volt_bekk_preset": (c_int, [c_char_p, POINTER(POINTER(Bekk))]),
    "volt_bekk_to_json": (c_int, [POINTER(Bekk), c_void_p]),
    "volt_bekk_from_json": (c_int, [c_char_p, POINTER(POINTER(Bekk))]),
    "volt_bekk_stationary_covariance": (c_int, [POINTER(Bekk), Matrix]),
    "volt_bekk_simulate_options_default": (BekkSimulateOptions, []),
    "volt_bekk_simulate": (c_int, [POINTER(Bekk), POINTER(BekkSimulateOptions), Matrix, Matrix, Matrix]),
    "volt_bekk_loglik": (c_int, [POINTER(Bekk), Matrix, c_void_p, Matrix, c_void_p]),
    "volt_log_returns": (c_int, [Matrix, Matrix]),
    "volt_bekk_fit_options_default": (BekkFitOptions, []),
    "volt_bekk_fit": (c_int, [Matrix, POINTER(BekkFitOptions), POINTER(POINTER(Bekk)), POINTER(BekkFitInfo)]),
    "volt_metrics_compute": (c_int, [Matrix, Matrix, POINTER(Metrics)]),
    "volt_wasserstein": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_void_p]),
    "volt_valid_rows": (c_int, [Matrix, Matrix, c_double, c_void_p, c_void_p]),
    "volt_losses": (c_int, [Matrix, Matrix, Matrix]),
    "volt_ranking_compute": (c_int, [c_void_p, c_void_p, c_int64, POINTER(Ranking)]),
    "volt_season_find": (c_int, [c_void_p, c_int64, c_int64, c_void_p]),
    "volt_baseline_name": (c_char_p, [c_int]),
    "volt_baseline_forecast": (c_int, [c_int, Matrix, c_int64, c_int64, c_int64, c_int64, Matrix]),
    "volt_skill_compute": (c_int, [Matrix, Matrix, Matrix, Matrix, c_int64, c_int64, POINTER(Skill)]),
    "volt_mcs_options_default": (McsOptions, []),
    "volt_mcs_compute": (c_int, [Matrix, POINTER(McsOptions), POINTER(POINTER(Mcs))]),
    "volt_mcs_free": (None, [POINTER(Mcs)]),
    "volt_warning_text": (c_char_p, [c_int]),
    "volt_forecast_options_default": (ForecastOptions, []),
    "volt_forecast_run": (c_int, [Matrix, POINTER(ForecastOptions), POINTER(c_void_p)]),
    "volt_forecast_free": (None, [c_void_p]),
    "volt_forecast_get_info": (c_int, [c_void_p, POINTER(ForecastInfo)]),
    "volt_forecast_step_at": (POINTER(ForecastStep), [c_void_p, c_int64, c_int64]),
    "volt_forecast_series_at": (POINTER(ForecastSeries), [c_void_p, c_int64]),
    "volt_forecast_backtest": (c_int, [Matrix, POINTER(ForecastOptions), c_int64, POINTER(Backtest)]),
    "volt_forecast_many": (c_int, [POINTER(LongRows), POINTER(ForecastOptions), ForecastFn, c_void_p]),
    "volt_row_anomaly_options_default": (RowAnomalyOptions, []),
    "volt_row_anomaly_fit": (c_int, [Matrix, POINTER(RowAnomalyOptions), POINTER(c_void_p)]),
    "volt_row_anomaly_score": (c_int, [c_void_p, Matrix, POINTER(RowAnomalyOptions), Matrix, c_void_p]),
    "volt_pairing_options_default": (PairingOptions, []),
    "volt_pairing_create": (c_int, [Matrix, Matrix, POINTER(PairingOptions), POINTER(POINTER(Pairing))]),
    "volt_pairing_free": (None, [POINTER(Pairing)]),
    "volt_tables_align": (c_int, [POINTER(POINTER(Table)), c_void_p, c_int64, c_void_p, c_void_p]),
    "volt_times_check": (c_int, [POINTER(Time), c_int64, POINTER(TimeGrid), Time, POINTER(TimesReport)]),
    "volt_tables_fill": (c_int, [POINTER(Table), POINTER(Table), POINTER(Time)]),
    "volt_time_columns_find": (c_int, [Matrix, c_void_p, c_void_p, c_int64, c_void_p, POINTER(TimeColumns)]),
    "volt_assess_options_default": (AssessOptions, []),
    "volt_assess": (c_int, [POINTER(Pairing), POINTER(AssessOptions), POINTER(Assessment)]),
    "volt_compare_options_default": (CompareOptions, []),
    "volt_compare_run": (c_int, [Matrix, Matrix, c_int64, POINTER(CompareOptions), POINTER(c_void_p)]),
    "volt_comparison_free": (None, [c_void_p]),
    "volt_comparison_row_at": (POINTER(ComparisonRow), [c_void_p, c_int64]),
    "volt_curve_options_default": (CurveOptions, []),
    "volt_curve_run": (c_int, [Matrix, Matrix, c_void_p, c_int64, POINTER(CurveOptions), POINTER(POINTER(Curve))]),
    "volt_curve_free": (None, [POINTER(Curve)]),
    "volt_capacity_options_default": (CapacityOptions, []),
    "volt_capacity_compute": (c_int, [c_void_p, POINTER(CapacityOptions), POINTER(POINTER(Capacity))]),
    "volt_capacity_free": (None, [POINTER(Capacity)]),
    "volt_identify_options_default": (IdentifyOptions, []),
    "volt_identify": (c_int, [Matrix, Matrix, POINTER(IdentifyOptions), POINTER(c_void_p), POINTER(Identification)]),
    "volt_identify_diagnose": (c_int, [Matrix, Matrix, POINTER(IdentifyOptions), c_void_p, POINTER(Identification), POINTER(POINTER(Diagnosis))]),
    "volt_diagnosis_free": (None, [POINTER(Diagnosis)]),
    "volt_series_options_default": (SeriesOptions, []),
    "volt_series_fit": (c_int, [POINTER(Matrix), c_int64, c_void_p, c_int64, Matrix, POINTER(SeriesOptions), POINTER(c_void_p)]),
    "volt_series_model_free": (None, [c_void_p]),
    "volt_series_model_get_info": (c_int, [c_void_p, POINTER(SeriesInfo)]),
    "volt_series_model_predict": (c_int, [c_void_p, POINTER(Matrix), c_int64, Progress, Matrix, Matrix, c_void_p]),
    "volt_series_anomaly_options_default": (SeriesAnomalyOptions, []),
    "volt_series_anomaly_fit": (c_int, [c_char_p, POINTER(Matrix), c_int64, POINTER(Matrix), c_int64, POINTER(SeriesAnomalyOptions), POINTER(c_void_p)]),
    "volt_series_anomaly_free": (None, [c_void_p]),
    "volt_series_anomaly_get_info": (c_int, [c_void_p, POINTER(AnomalyInfo)]),
    "volt_series_anomaly_score": (c_int, [c_void_p, POINTER(Matrix), c_int64, Progress, c_void_p]),
    "volt_struct_find": (POINTER(Struct), [c_char_p]),
}
