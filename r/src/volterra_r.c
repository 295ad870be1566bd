/* r/src/volterra_r.c: converts values of R, and calls the library.
 *
 * One entry point: .Call(volterra_r_call, function, arguments, verbose). It returns the results, or a list with the class
 * "volterra_error", which R/call.R turns into a condition, so that no error leaves C code with memory allocated. */
#include "call.h"

#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>
#include <stdlib.h>
#include <string.h>

/* ---- from R ----------------------------------------------------------------------------------- */

static value *from_r(SEXP x);

static value *numbers_from_r(SEXP x)
{
    SEXP dim = Rf_getAttrib(x, R_DimSymbol);
    bool is_matrix = Rf_length(dim) == 2;
    int64_t rows = is_matrix ? INTEGER(dim)[0] : (int64_t)Rf_xlength(x), cols = is_matrix ? INTEGER(dim)[1] : 1;
    value *v = value_matrix(rows, cols);
    for (int64_t j = 0; v && j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            R_xlen_t at = (R_xlen_t)(i + j * rows);
            int whole = TYPEOF(x) == REALSXP ? 0 : TYPEOF(x) == INTSXP ? INTEGER(x)[at] : LOGICAL(x)[at];
            v->numbers[i * cols + j] = TYPEOF(x) == REALSXP ? REAL(x)[at] : whole == NA_INTEGER ? R_NaN : whole;
        }
    return v;
}

static value *texts_from_r(SEXP x)
{
    int64_t n = (int64_t)Rf_xlength(x);
    const char **texts = (const char **)R_alloc((size_t)n + 1, sizeof *texts);
    for (int64_t i = 0; i < n; i++)
        texts[i] = Rf_translateCharUTF8(STRING_ELT(x, (R_xlen_t)i));
    return value_texts(texts, n);
}

static value *list_from_r(SEXP x)
{
    value *list = value_list();
    SEXP names = Rf_getAttrib(x, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(x); i++)
        value_add(list, names == R_NilValue ? "" : Rf_translateCharUTF8(STRING_ELT(names, i)),
                  from_r(VECTOR_ELT(x, i)));
    return list;
}

static value *from_r(SEXP x)
{
    switch (TYPEOF(x)) {
    case REALSXP:
    case INTSXP:
    case LGLSXP:
        return numbers_from_r(x);
    case STRSXP:
        return texts_from_r(x);
    case VECSXP:
        return list_from_r(x);
    case EXTPTRSXP:
        return value_handle(R_ExternalPtrAddr(x), false);
    default:
        return value_none();
    }
}

/* ---- to R ------------------------------------------------------------------------------------- */

static void finalize_handle(SEXP pointer)
{
    handle_release(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

static void finalize_value(SEXP pointer)
{
    value_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

static SEXP to_r(value *v)
{
    SEXP x = R_NilValue;
    switch (v->kind) {
    case VALUE_NONE:
        break;
    case VALUE_NUMBERS:
        x = PROTECT(v->is_vector ? Rf_allocVector(REALSXP, (R_xlen_t)v->rows)
                                 : Rf_allocMatrix(REALSXP, (int)v->rows, (int)v->cols));
        for (int64_t i = 0; i < v->rows; i++)
            for (int64_t j = 0; j < v->cols; j++)
                REAL(x)[i + j * v->rows] = v->numbers[i * v->cols + j];
        UNPROTECT(1);
        break;
    case VALUE_TEXTS:
        x = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)v->rows));
        for (int64_t i = 0; i < v->rows; i++)
            SET_STRING_ELT(x, (R_xlen_t)i, Rf_mkCharCE(v->texts[i], CE_UTF8));
        UNPROTECT(1);
        break;
    case VALUE_LIST: {
        x = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)v->rows));
        SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)v->rows));
        for (int64_t i = 0; i < v->rows; i++) {
            SET_VECTOR_ELT(x, (R_xlen_t)i, to_r(v->items[i]));
            SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkCharCE(v->names[i], CE_UTF8));
        }
        Rf_setAttrib(x, R_NamesSymbol, names);
        UNPROTECT(2);
        break;
    }
    case VALUE_HANDLE:
        x = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
        R_RegisterCFinalizerEx(x, finalize_handle, TRUE);
        R_SetExternalPtrAddr(x, v->object);
        v->owns = false;
        UNPROTECT(1);
        break;
    }
    return x;
}

/* ---- calls ------------------------------------------------------------------------------------ */

static void check_interrupt(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

static int report_progress(const char *stage, double fraction, void *context)
{
    int *verbose = context;
    if (*verbose)
        REprintf("\r%3.0f %% %-24s", 100 * fraction, stage);
    return !R_ToplevelExec(check_interrupt, NULL);
}

static SEXP error_to_r(volt_status status, const char *message)
{
    const char *names[] = {"id", "message", ""};
    SEXP x = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(x, 0, Rf_mkString(volterra_status_id(status)));
    SET_VECTOR_ELT(x, 1, Rf_ScalarString(Rf_mkCharCE(message, CE_UTF8)));
    Rf_setAttrib(x, R_ClassSymbol, Rf_mkString("volterra_error"));
    UNPROTECT(1);
    return x;
}

static SEXP volterra_r_call(SEXP function, SEXP arguments, SEXP verbose)
{
    char message[CALL_MESSAGE] = "";
    int is_verbose = Rf_asLogical(verbose) == TRUE;
    volt_progress progress = {report_progress, &is_verbose};
    value *result = NULL, *given = from_r(arguments);
    volt_status status = VOLT_ERR_MEMORY;
    if (value_list_ok(given))
        status = volterra_call(CHAR(STRING_ELT(function, 0)), given, progress, &result, message);
    value_free(given);
    if (is_verbose)
        REprintf("\r%32s\r", "");
    if (status)
        return error_to_r(status, message[0] ? message : volt_status_message(status));
    /* owns the result if an allocation of R fails */
    SEXP owner = PROTECT(R_MakeExternalPtr(result, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(owner, finalize_value, FALSE);
    SEXP x = PROTECT(to_r(result));
    finalize_value(owner);
    UNPROTECT(2);
    return x;
}

static const R_CallMethodDef methods[] = {{"volterra_r_call", (DL_FUNC)&volterra_r_call, 3}, {NULL, NULL, 0}};

void R_init_volterra(DllInfo *info)
{
    R_registerRoutines(info, NULL, methods, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
