/* src/export/export_model.h: a fitted model as plain arrays.
 *
 * A part is one fitted model; a sum of models has several. Its step is that of a stream (predict/live/live.c):
 *
 *     columns   inputs at their lags and fed-back outputs, clipped, scaled and filtered
 *     kernel    every factor against every row, with the state of each diagonal, and its border (gram/engine/engine.h)
 *     outputs   coefficients times kernel, in the units of the targets
 *
 * export_c.c writes source code from it, and export_json.c the numbers. */
#ifndef MODEL_EXPORT_MODEL_H
#define MODEL_EXPORT_MODEL_H

#include "base/strings.h"
#include "gram/engine/state.h"
#include "model/model_internal.h"

/* The state of a factor at one time. */
typedef struct volt_export_state {
    double *diagonals; /* rows x state_size */
    double *border;    /* borders x state_size */
    double kept;       /* of scan.own */
    double *window;    /* (window - 1) x columns, oldest first */
    double *x;         /* reservoir->size */
} volt_export_state;

typedef struct volt_export_factor {
    const char *text;           /* the kernel */
    const volt_scan_code *code; /* its step; NULL: none, the states of the reservoir are read directly */
    double numbers[4];          /* constants of the code */
    int64_t state_size, window, slice, term;
    bool distance;
    const double *first;             /* state_size: the state of two zero sequences */
    const volt_reservoir *reservoir; /* local values are products of its states; NULL: of rows */
    double *features;                /* rows x reservoir->size: states of the rows; NULL if read directly */
    double *own;                     /* rows: numbers by code->own; NULL: none */
    double own_first;                /* and their state after zero inputs */
    double *past_own;                /* borders: the number of the past of the rows */
    const double *origin; /* columns: the constant input before every sequence; NULL: zero, or first row */
    volt_export_state start, end;
} volt_export_factor;

typedef struct volt_export_part {
    const volt_model *model;
    double weight;              /* in the sum */
    int64_t rows;               /* of the kernel; 0: the states are read directly */
    int64_t columns, slices, d; /* numbers of a slice, slices, and both: numbers of a row */
    int64_t records, borders;   /* sequences of the rows; borders: these, or 1 where all are equal */
    int64_t *starts;            /* records: their first rows */
    double *inputs;             /* rows x d */
    double *coefficients;       /* rows x q; or states x q, of all reservoirs */
    bool past_is_first;         /* the inputs before a sequence are its first row */
    int64_t n_factors, n_terms;
    volt_export_factor factor[VOLT_MAX_FACTORS];
    double term_weight[VOLT_MAX_FACTORS];
    double limit[VOLT_MAX_FACTORS],
        radius[VOLT_MAX_FACTORS];      /* slices: a longer row is outside, and is clipped ... */
    bool clips[VOLT_MAX_FACTORS];      /* ... if so */
    double *filter_start, *filter_end; /* slices x 4 x columns; NULL: no filters */
    double *lags_start, *lags_end;     /* memory x inputs; NULL: none, or the first row */
    double landmark_error; /* root mean square of the change by landmarks over the deviation of the targets */
} volt_export_part;

typedef struct volt_export {
    const volt_model *model;
    int64_t n_parts;
    volt_export_part *parts;
    bool feeds_back, can_continue;
    int64_t n_coverages;
    const double *coverages;
    double *half;                      /* n_coverages x q: half-widths of the intervals */
    struct volt_export_memory *memory; /* of all arrays */
} volt_export;

/* Options of the parts. */
typedef struct volt_export_task {
    int64_t landmarks; /* 0: all rows */
    const double *coverages;
    int64_t n_coverages;
    volt_progress progress;
} volt_export_task;

/* Converts a model. VOLT_ERR_ARGUMENT if it cannot be exported, VOLT_ERR_MEMORY. Always release it. */
volt_status volt_export_make(const volt_model *model, const volt_export_task *task, volt_export *made);

void volt_export_release(volt_export *made);

/* ---- writes C source into a growing text ------------------------------------------------------------- */

/* All pieces are written for `double`. In single precision, identifiers and literals are translated: double to
 * float, exp to expf, DBL_MAX to FLT_MAX, 1.0 to 1.0f. Comments and preprocessor lines are not changed. */

typedef struct volt_source {
    volt_text_buffer text;
    bool single;
    bool in_comment;
    bool overflows;  /* a number is too large for the precision */
    bool not_finite; /* a number has no literal */
    int64_t table_bytes;
} volt_source;

void volt_source_release(volt_source *source);

/* Appends formatted code. */
void volt_source_put(volt_source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- C99 source of an exported model ----------------------------------------------------------------- */

/* Names of the files' contents. */
typedef struct volt_c_names {
    const char *name;  /* prefix of functions and types: name_step */
    const char *upper; /* the same in upper case, for constants */
    const char *file;  /* of the header, without its folder */
} volt_c_names;

/* Numbers and operations of a step, for the comment and the report. */
typedef struct volt_c_cost {
    int64_t state_bytes, table_bytes;
    double operations, calls; /* additions, multiplications and divisions; functions of <math.h> */
} volt_c_cost;

/* Write the header and the source file. `cost` is complete after both. */
void volt_c_header(const volt_export *made, const volt_c_names *names, volt_source *out, volt_c_cost *cost);
void volt_c_source(const volt_export *made, const volt_c_names *names, volt_source *out, volt_c_cost *cost);

/* ---- the numbers of an exported model as JSON (docs/file_formats.md) --------------------------------- */

/* VOLT_ERR_MEMORY; VOLT_ERR_ARGUMENT for a name that is not UTF-8. Free text->bytes with volt_free. */
volt_status volt_export_json(const volt_export *made, volt_text_buffer *text);

#endif
