/* volterra/identify.h: diagnosis of an identified model: residuals, frequency response, Volterra series, ranges.
 *
 *     volt_diagnosis *diagnosis = NULL;
 *     volt_status status = volt_identify_diagnose(U, Y, &options, model, &found, &diagnosis);
 *     if (!status)
 *         printf("%g\n", diagnosis->autocorrelation[1]);
 *     volt_diagnosis_free(diagnosis);
 */
#ifndef VOLTERRA_IDENTIFY_H
#define VOLTERRA_IDENTIFY_H

#include "volterra/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Read the fields, do not change them. Residuals are measured less simulated outputs on the test rows. */
typedef struct volt_diagnosis {
    size_t struct_size;
    int64_t d, q, rows;      /* inputs, outputs, test rows */
    int64_t first_row;       /* of the test, in the rows given, or in those of a separate test */
    const double *measured;  /* rows x q */
    const double *simulated; /* rows x q; NaN where measured rows set the state at the start of a record */
    int64_t lags;            /* lags 0 .. lags - 1 */
    const double *autocorrelation;   /* q x lags, of the residuals */
    double autocorrelation_bound;    /* 95 % for white residuals */
    const double *cross_correlation; /* q x d x lags, of the residuals with the inputs `lag` rows before them */
    const double *cross_bounds;      /* q x d: 95 % for residuals that are independent of the input */
    int64_t bins;                    /* frequencies; 0: too few rows */
    const double *frequencies;       /* bins, in cycles per row */
    /* best linear approximation of the training rows, q x d x bins, and its multiple coherence, q x bins */
    const double *gain, *phase, *coherence; /* phase in degrees */
    /* linear part of the model, about the mean of the inputs, q x d x bins; NULL: none */
    const double *model_gain, *model_phase;
    /* d + q, inputs and outputs: test rows below and above the training rows of the model, and the largest distance from these
     * relative to their range (infinite for a constant column) */
    const int64_t *below, *above;
    const double *beyond;
    const volt_explanation *explanation; /* Volterra series to order 2; NULL: the kernel has none */
} volt_diagnosis;

/* Diagnoses the model of volt_identify. Takes the U, Y and options of that call, and its result `found`. Simulates the test
 * rows again. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. Free *diagnosis with
 * volt_diagnosis_free. */
VOLT_API volt_status volt_identify_diagnose(volt_view U, volt_view Y, const volt_identify_options *options,
                                            const volt_model *model, const volt_identification *found,
                                            volt_diagnosis **diagnosis);
VOLT_API void volt_diagnosis_free(volt_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
