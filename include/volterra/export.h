/* volterra/export.h: write a model as C source code for other machines, or as JSON.
 *
 *     volt_export_options options = {.struct_size = sizeof options, .single = 1};
 *     volt_model_export(model, &options, "pump.c", NULL);
 *
 * pump.c and pump.h then have pump_reset, pump_continue and pump_step (docs/tasks/export.md). */
#ifndef VOLTERRA_EXPORT_H
#define VOLTERRA_EXPORT_H

#include "volterra/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum volt_export_format {
    VOLT_EXPORT_C,   /* C99 source file and header */
    VOLT_EXPORT_JSON /* the numbers and the steps (docs/file_formats.md) */
} volt_export_format;

/* All zero, apart from struct_size, are the defaults. */
typedef struct volt_export_options {
    size_t struct_size;
    volt_export_format format;
    int single;        /* 1: C code in single precision; 0: double */
    const char *name;  /* prefix of C functions and types; NULL: from the path */
    int64_t landmarks; /* number of rows that approximate an exact model; 0: all rows */
    /* numbers between 0 and 1: intervals with fixed half-widths [array n_coverages] */
    const double *coverages;
    int64_t n_coverages;
    volt_progress progress;
} volt_export_options;

typedef struct volt_export_report {
    size_t struct_size;     /* set by the caller */
    int64_t parts;          /* fitted models: 1, or those of a sum */
    int64_t rows;           /* rows of the kernel, of all parts; 0: states of a reservoir are read directly */
    int64_t state_bytes;    /* size of the state, without padding */
    int64_t constant_bytes; /* size of the tables */
    double operations;      /* additions, multiplications and divisions of a step, about ... */
    double calls;           /* ... and calls of exp, tanh and others */
    /* with landmarks: root mean square of the change of the predictions of the training rows, over their standard
     * deviation; the largest of all outputs */
    double landmark_error;
} volt_export_report;

/* Writes a model as source code for other machines: `path` must end in .c, and a header with the same name and .h is written
 * next to it. The code is C99, needs <math.h> and <float.h>, allocates nothing, and predicts as a live object that does not
 * learn, with inputs outside the training range clipped. With VOLT_EXPORT_JSON `path` may have any name. options and report may
 * be NULL.
 *
 * VOLT_ERR_ARGUMENT for an option, a name that is no C identifier, or a model that is not supported: kernels between paths
 * (gak, sig, sigpde), residual sums of sums with feedback.
 * VOLT_ERR_NOT_FINITE: a number of the C source would be infinite or NaN, in a model of extreme values.
 * VOLT_ERR_IO, VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_model_export(const volt_model *model, const volt_export_options *options,
                                       const char *path, volt_export_report *report);

#ifdef __cplusplus
}
#endif
#endif
