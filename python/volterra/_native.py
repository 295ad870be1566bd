"""The C library: where it lies, and the prototypes of its functions.

The tests compare the prototypes with those of ``include/volterra/*.h``, so that the two cannot drift apart.
"""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any, Dict, List, Tuple

from ._io_structs import MISSING, Collection, ReadOptions, Table  # noqa: F401
from ._learner_structs import FORGET_WHAT, LearnerInfo, LearnerOptions
from ._plan_structs import Plan, SearchPlan, SolverPlans
from ._series_structs import *  # noqa: F403
from ._series_structs import (
    AnomalyInfo,
    ClassifierInfo,
    ClassifierKernel,
    ClassifyOptions,
    Ranking,
    SeriesAnomalyOptions,
    SeriesRidgeInfo,
    SeriesRidgeOptions,
)
from ._structs import *  # noqa: F403  the rest of the package finds everything in this module
from ._structs import (
    Bekk,
    BekkFitInfo,
    BekkFitOptions,
    BekkSimulateOptions,
    BuildInfo,
    DeviceInfo,
    DrawOptions,
    EvidenceOptions,
    EvidenceResult,
    ExplainOptions,
    Explanation,
    FitOptions,
    FitReport,
    GramOptions,
    KernelFacts,
    KernelInfo,
    KernelValue,
    LogFn,
    LorenzOptions,
    LossInfo,
    MackeyGlassOptions,
    Matrix,
    Mcs,
    McsOptions,
    Metrics,
    ModelInfo,
    Narma10Options,
    Prepared,
    PredictOptions,
    SearchInfo,
    SearchOptions,
    Skill,
    Trial,
)

# ---- prototypes --------------------------------------------------------------------------------------------

_HANDLE = c_void_p  # an opaque object of the library
_OUT_HANDLE = POINTER(c_void_p)
_DOUBLES = c_void_p  # the address of an array's first number

#: name: (result, arguments)
PROTOTYPES: Dict[str, Tuple[Any, List[Any]]] = {
    # base.h, status.h
    "volt_version": (c_char_p, []),
    "volt_build_info_get": (None, [POINTER(BuildInfo)]),
    "volt_free": (None, [c_void_p]),
    "volt_set_threads": (c_int, [c_int64]),
    "volt_threads": (c_int64, []),
    "volt_default_threads": (c_int64, []),
    "volt_threads_from": (c_char_p, []),
    "volt_set_own_threads": (c_int, [c_int64]),
    "volt_own_threads": (c_int64, []),
    "volt_set_device": (c_int, [c_char_p]),
    "volt_device": (c_char_p, []),
    "volt_device_count": (c_int64, []),
    "volt_device_why": (c_char_p, []),
    "volt_device_describe": (c_int, [c_int64, POINTER(DeviceInfo)]),
    "volt_device_plugin": (c_char_p, []),
    "volt_set_log": (None, [LogFn, c_void_p]),
    "volt_status_message": (c_char_p, [c_int]),
    "volt_error_detail": (c_char_p, []),
    # kernel.h
    "volt_kernel_parse": (c_int, [c_char_p, _OUT_HANDLE]),
    "volt_kernel_free": (None, [_HANDLE]),
    "volt_kernel_text": (c_char_p, [_HANDLE]),
    "volt_kernel_count": (c_int64, []),
    "volt_kernel_describe": (POINTER(KernelInfo), [c_int64]),
    "volt_kernel_info_of": (POINTER(KernelInfo), [_HANDLE]),
    "volt_kernel_get": (c_int, [_HANDLE, c_char_p, POINTER(KernelValue)]),
    "volt_kernel_parameter_name": (c_char_p, [_HANDLE, c_int64]),
    "volt_kernel_query": (c_int, [_HANDLE, c_double, c_int64, c_double, POINTER(KernelFacts)]),
    "volt_gram_options_default": (GramOptions, []),
    "volt_gram": (c_int, [_HANDLE, Matrix, Matrix, POINTER(GramOptions), Matrix]),
    "volt_gram_collection": (
        c_int,
        [_HANDLE, POINTER(Matrix), c_int64, POINTER(Matrix), c_int64, POINTER(GramOptions), Matrix],
    ),
    # solve.h
    "volt_loss_describe": (POINTER(LossInfo), [c_int64]),
    "volt_loss_parse": (c_int, [c_char_p, _OUT_HANDLE]),
    "volt_loss_free": (None, [_HANDLE]),
    "volt_loss_text": (c_char_p, [_HANDLE]),
    "volt_loss_info_of": (POINTER(LossInfo), [_HANDLE]),
    "volt_loss_values": (c_int64, [_HANDLE, POINTER(POINTER(c_double))]),
    "volt_loss_score": (c_int, [_HANDLE, Matrix, Matrix, _DOUBLES, _DOUBLES]),
    "volt_loss_row_scores": (c_int, [_HANDLE, Matrix, Matrix, _DOUBLES]),
    "volt_loss_constant": (c_int, [_HANDLE, Matrix, _DOUBLES, c_int64, _DOUBLES]),
    # model.h
    "volt_fit_options_default": (FitOptions, []),
    "volt_model_fit": (c_int, [_HANDLE, Matrix, Matrix, POINTER(FitOptions), Matrix, _OUT_HANDLE]),
    "volt_prepare": (
        c_int,
        [Matrix, Matrix, POINTER(FitOptions), c_int64, POINTER(POINTER(Prepared))],
    ),
    "volt_prepared_free": (None, [POINTER(Prepared)]),
    "volt_model_free": (None, [_HANDLE]),
    "volt_model_describe": (None, [_HANDLE, POINTER(ModelInfo)]),
    "volt_predict_options_default": (PredictOptions, []),
    "volt_model_predict": (
        c_int,
        [_HANDLE, Matrix, POINTER(PredictOptions), Matrix, POINTER(c_int64)],
    ),
    "volt_model_continue_after": (
        c_int,
        [_HANDLE, Matrix, POINTER(PredictOptions), Matrix, POINTER(c_int64)],
    ),
    "volt_explain_options_default": (ExplainOptions, []),
    "volt_model_explain": (c_int, [_HANDLE, POINTER(ExplainOptions), POINTER(POINTER(Explanation))]),
    "volt_explanation_free": (None, [POINTER(Explanation)]),
    "volt_model_orders": (c_int, [_HANDLE, Matrix, POINTER(ExplainOptions), Matrix]),
    "volt_model_impulse": (c_int, [_HANDLE, c_int64, Matrix]),
    "volt_model_predict_std": (
        c_int,
        [_HANDLE, Matrix, POINTER(PredictOptions), Matrix, Matrix, POINTER(c_int64)],
    ),
    "volt_model_interval": (c_int, [_HANDLE, _DOUBLES, c_int64, Matrix]),
    "volt_model_errors_read": (c_int64, [_HANDLE, Matrix]),
    "volt_model_continue": (c_int, [_HANDLE, POINTER(PredictOptions), Matrix, POINTER(c_int64)]),
    "volt_stream_create": (c_int, [_HANDLE, POINTER(PredictOptions), _OUT_HANDLE]),
    "volt_stream_copy": (c_int, [_HANDLE, _OUT_HANDLE]),
    "volt_stream_push": (c_int, [_HANDLE, _DOUBLES, _DOUBLES]),
    "volt_stream_feed": (c_int, [_HANDLE, _DOUBLES]),
    "volt_stream_track": (c_int, [_HANDLE, _DOUBLES, c_int64]),
    "volt_stream_coverages": (c_int64, [_HANDLE, POINTER(POINTER(c_double))]),
    "volt_stream_interval": (c_int, [_HANDLE, _DOUBLES]),
    "volt_stream_observe": (c_int, [_HANDLE, c_int64, _DOUBLES]),
    "volt_stream_restart": (None, [_HANDLE]),
    "volt_stream_beyond": (c_int64, [_HANDLE]),
    "volt_stream_last": (c_int, [_HANDLE, _DOUBLES]),
    "volt_stream_save": (c_int, [_HANDLE, c_char_p]),
    "volt_stream_load": (c_int, [_HANDLE, POINTER(PredictOptions), c_char_p, _OUT_HANDLE]),
    "volt_stream_free": (None, [_HANDLE]),
    "volt_learner_options_default": (LearnerOptions, []),
    "volt_learner_create": (c_int, [_HANDLE, POINTER(LearnerOptions), _OUT_HANDLE]),
    "volt_learner_free": (None, [_HANDLE]),
    "volt_learner_push": (c_int, [_HANDLE, _DOUBLES, _DOUBLES]),
    "volt_learner_learn": (c_int, [_HANDLE, _DOUBLES]),
    "volt_learner_update": (c_int, [_HANDLE, _DOUBLES, _DOUBLES, _DOUBLES]),
    "volt_learner_advance": (c_int, [_HANDLE, _DOUBLES, _DOUBLES, _DOUBLES]),
    "volt_learner_track": (c_int, [_HANDLE, _DOUBLES, c_int64]),
    "volt_learner_coverages": (c_int64, [_HANDLE, POINTER(POINTER(c_double))]),
    "volt_learner_interval": (c_int, [_HANDLE, _DOUBLES]),
    "volt_learner_drop": (c_int, [_HANDLE, c_int64]),
    "volt_learner_restart": (c_int, [_HANDLE]),
    "volt_learner_predict": (c_int, [_HANDLE, Matrix, Matrix, POINTER(c_int64)]),
    "volt_learner_describe": (None, [_HANDLE, POINTER(LearnerInfo)]),
    "volt_learner_last": (c_int, [_HANDLE, _DOUBLES]),
    "volt_learner_coefficients": (c_int, [_HANDLE, Matrix, _DOUBLES, c_void_p]),
    "volt_learner_save": (c_int, [_HANDLE, c_char_p]),
    "volt_learner_load": (c_int, [_HANDLE, POINTER(LearnerOptions), c_char_p, _OUT_HANDLE]),
    "volt_learner_open_journal": (c_int, [_HANDLE, c_char_p, POINTER(c_int64)]),
    "volt_learner_clear_journal": (c_int, [_HANDLE]),
    "volt_model_save": (c_int, [_HANDLE, c_char_p]),
    "volt_model_load": (c_int, [c_char_p, _OUT_HANDLE]),
    "volt_plan_fit": (c_int, [c_int64, c_int64, c_int64, c_int, POINTER(Plan)]),
    "volt_plan_kernel": (c_int, [_HANDLE, c_int64, c_int64, c_int64, c_int, POINTER(Plan)]),
    "volt_plan_solvers": (
        c_int,
        [_HANDLE, c_int64, c_int64, c_int64, c_int64, c_int, POINTER(SolverPlans)],
    ),
    # select.h
    "volt_draw_options_default": (DrawOptions, []),
    "volt_candidates_draw": (c_int, [c_char_p, Matrix, POINTER(DrawOptions), _OUT_HANDLE]),
    "volt_candidates_list": (c_int, [POINTER(c_char_p), _DOUBLES, c_int64, _OUT_HANDLE]),
    "volt_candidates_list_fed": (c_int, [POINTER(c_char_p), _DOUBLES, _DOUBLES, c_int64, _OUT_HANDLE]),
    "volt_candidates_free": (None, [_HANDLE]),
    "volt_evidence_options_default": (EvidenceOptions, []),
    "volt_evidence": (
        c_int,
        [_HANDLE, Matrix, Matrix, POINTER(EvidenceOptions), POINTER(POINTER(EvidenceResult))],
    ),
    "volt_evidence_free": (None, [POINTER(EvidenceResult)]),
    "volt_search_options_default": (SearchOptions, []),
    "volt_plan_search": (
        c_int,
        [_HANDLE, c_int64, c_int64, c_int64, c_double, POINTER(SearchOptions), c_int, POINTER(SearchPlan)],
    ),
    "volt_search_run": (c_int, [_HANDLE, Matrix, Matrix, POINTER(SearchOptions), _OUT_HANDLE]),
    "volt_search_free": (None, [_HANDLE]),
    "volt_search_describe": (None, [_HANDLE, POINTER(SearchInfo)]),
    "volt_search_trial": (POINTER(Trial), [_HANDLE, c_int64]),
    "volt_search_best": (POINTER(Trial), [_HANDLE]),
    # stats.h
    "volt_losses": (c_int, [Matrix, Matrix, Matrix]),
    "volt_mcs_options_default": (McsOptions, []),
    "volt_mcs_compute": (c_int, [Matrix, POINTER(McsOptions), POINTER(POINTER(Mcs))]),
    "volt_mcs_from_indices": (
        c_int,
        [Matrix, c_void_p, c_int64, POINTER(McsOptions), POINTER(POINTER(Mcs))],
    ),
    "volt_mcs_free": (None, [POINTER(Mcs)]),
    "volt_block_length": (c_int, [_DOUBLES, c_int64, POINTER(c_double)]),
    "volt_metrics_compute": (c_int, [Matrix, Matrix, POINTER(Metrics)]),
    "volt_r2": (c_int, [Matrix, Matrix, POINTER(c_double)]),
    "volt_season_find": (c_int, [_DOUBLES, c_int64, c_int64, POINTER(c_int64)]),
    "volt_baseline_forecast": (c_int, [c_int, Matrix, c_int64, c_int64, c_int64, c_int64, Matrix]),
    "volt_skill_compute": (c_int, [Matrix, Matrix, Matrix, POINTER(Skill)]),
    "volt_wasserstein": (c_int, [_DOUBLES, c_int64, _DOUBLES, c_int64, POINTER(c_double)]),
    "volt_valid_rows": (c_int, [Matrix, Matrix, c_double, POINTER(c_int64), POINTER(c_int)]),
    "volt_ranking_compute": (c_int, [_DOUBLES, c_void_p, c_int64, POINTER(Ranking)]),
    # classify.h
    "volt_classify_options_default": (ClassifyOptions, []),
    "volt_classify_fit": (
        c_int,
        [POINTER(Matrix), c_int64, c_void_p, c_int64, POINTER(ClassifyOptions), _OUT_HANDLE],
    ),
    "volt_classifier_free": (None, [_HANDLE]),
    "volt_classifier_describe": (None, [_HANDLE, POINTER(ClassifierInfo)]),
    "volt_classifier_part": (c_int, [_HANDLE, c_int64, POINTER(ClassifierKernel)]),
    "volt_classifier_predict": (
        c_int,
        [_HANDLE, POINTER(Matrix), c_int64, POINTER(Progress), Matrix, c_void_p],
    ),
    "volt_classifier_left_out": (c_int, [_HANDLE, Matrix]),
    "volt_series_ridge_options_default": (SeriesRidgeOptions, []),
    "volt_series_ridge_fit": (
        c_int,
        [c_char_p, POINTER(Matrix), c_int64, Matrix, POINTER(SeriesRidgeOptions), _OUT_HANDLE],
    ),
    "volt_series_ridge_free": (None, [_HANDLE]),
    "volt_series_ridge_describe": (None, [_HANDLE, POINTER(SeriesRidgeInfo)]),
    "volt_series_ridge_predict": (c_int, [_HANDLE, POINTER(Matrix), c_int64, POINTER(Progress), Matrix]),
    "volt_series_ridge_left_out": (c_int, [_HANDLE, Matrix]),
    # anomaly.h
    "volt_series_anomaly_options_default": (SeriesAnomalyOptions, []),
    "volt_series_anomaly_fit": (
        c_int,
        [c_char_p, POINTER(Matrix), c_int64, POINTER(Matrix), c_int64, POINTER(SeriesAnomalyOptions), _OUT_HANDLE],
    ),
    "volt_series_anomaly_free": (None, [_HANDLE]),
    "volt_series_anomaly_describe": (c_char_p, [_HANDLE, POINTER(AnomalyInfo), POINTER(c_int64)]),
    "volt_series_anomaly_score": (c_int, [_HANDLE, POINTER(Matrix), c_int64, Progress, _DOUBLES]),
    # io.h
    "volt_read_options_default": (ReadOptions, []),
    "volt_table_read_part": (c_int, [c_char_p, POINTER(ReadOptions), POINTER(POINTER(Table))]),
    "volt_table_free": (None, [POINTER(Table)]),
    "volt_collection_read": (c_int, [c_char_p, POINTER(POINTER(Collection))]),
    "volt_collection_free": (None, [POINTER(Collection)]),
    # data.h
    "volt_lorenz_options_default": (LorenzOptions, []),
    "volt_simulate_lorenz": (c_int, [POINTER(LorenzOptions), Matrix]),
    "volt_mackey_glass_options_default": (MackeyGlassOptions, []),
    "volt_simulate_mackey_glass": (c_int, [POINTER(MackeyGlassOptions), Matrix]),
    "volt_narma10_options_default": (Narma10Options, []),
    "volt_simulate_narma10": (c_int, [POINTER(Narma10Options), Matrix]),
    "volt_bekk_create": (c_int, [c_int64, POINTER(POINTER(Bekk))]),
    "volt_bekk_free": (None, [POINTER(Bekk)]),
    "volt_bekk_describe": (c_int, [POINTER(Bekk), POINTER(c_char_p), c_char_p, c_char_p, c_char_p]),
    "volt_bekk_preset_name": (c_char_p, [c_int64]),
    "volt_bekk_preset": (c_int, [c_char_p, POINTER(POINTER(Bekk))]),
    "volt_bekk_to_json": (c_int, [POINTER(Bekk), _OUT_HANDLE]),
    "volt_bekk_from_json": (c_int, [c_char_p, POINTER(POINTER(Bekk))]),
    "volt_bekk_stationary_covariance": (c_int, [POINTER(Bekk), Matrix]),
    "volt_bekk_simulate": (c_int, [POINTER(Bekk), POINTER(BekkSimulateOptions), Matrix, Matrix, Matrix]),
    "volt_bekk_loglik": (c_int, [POINTER(Bekk), Matrix, _DOUBLES, Matrix, POINTER(c_double)]),
    "volt_log_returns": (c_int, [Matrix, Matrix]),
    "volt_bekk_fit_options_default": (BekkFitOptions, []),
    "volt_bekk_fit": (
        c_int,
        [Matrix, POINTER(BekkFitOptions), POINTER(POINTER(Bekk)), POINTER(BekkFitInfo)],
    ),
}

# ---- the library -------------------------------------------------------------------------------------------


def _library_path() -> str:
    """``$VOLTERRA_LIBRARY`` where that is set, else the library that was installed beside this file."""
    chosen = os.environ.get("VOLTERRA_LIBRARY")
    if chosen:
        return chosen
    name = "libvolterra.dylib" if sys.platform == "darwin" else "libvolterra.so"
    path = Path(__file__).with_name(name)
    if not path.exists():
        raise ImportError(
            f"volterra: {name} does not lie beside the package ({path.parent}). Install the package with "
            "`pip install .` from the root of the repository, or set VOLTERRA_LIBRARY to a library that "
            "was built there."
        )
    return str(path)


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(_library_path())
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


#: The library. ctypes releases the GIL while one of its functions runs.
lib = _load()


def text(raw: Any) -> str:
    """A text of the library; '' for NULL."""
    return raw.decode() if raw else ""


def encode(what: str, value: Any) -> bytes:
    """A text for the library, where it would end at a null character."""
    raw = str(value).encode()
    if b"\0" in raw:
        raise ValueError(f"{what} holds a null character, and must not: {str(value)!r}")
    return raw


def encode_path(what: str, path: Any) -> bytes:
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError(f"{what} holds a null character, and must not: {path!r}")
    return raw


def names_array(what: str, names: Any) -> Any:
    """Texts as a C array of strings, or None for no names. Keep the result while C uses it."""
    if names is None:
        return None
    return (c_char_p * len(names))(*[encode(what, name) for name in names])
