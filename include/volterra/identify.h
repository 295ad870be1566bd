/* volterra/identify.h: identification of a system from measured inputs and outputs, and diagnosis of the model. */
#ifndef VOLTERRA_IDENTIFY_H
#define VOLTERRA_IDENTIFY_H

#include "volterra/base.h"
#include "volterra/io.h"
#include "volterra/model.h"
#include "volterra/select.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- identification --------------------------------------------------------------------------- */

/* A simulation model from measured inputs and outputs, without choices by the caller:
 *
 *     volt_model *model = NULL;
 *     volt_identification found = {.struct_size = sizeof found};
 *     volt_status status = volt_identify(U, Y, NULL, &model, &found);
 *     if (!status)
 *         printf("%s: %g\n", found.candidates[found.chosen].kernel, found.test_rmse);
 *     volt_model_free(model); */
enum {
    VOLT_IDENTIFY_MIN_ROWS = 60,
    VOLT_IDENTIFY_SEARCH_ROWS = 3000, /* most rows of the searches */
    VOLT_IDENTIFY_CANDIDATES = 6,     /* two linear models, four nonlinear families */
    VOLT_IDENTIFY_BLOCKS = 3,         /* validation blocks */
    VOLT_IDENTIFY_WARNINGS = 12
};

/* Test of one output. */
typedef struct volt_output_test {
    /* root mean squared simulation errors on the test rows, of the model and of the linear model (NaN: not fitted) */
    double rmse, linear_rmse;
    double std; /* standard deviation of the output in these rows */
} volt_output_test;

typedef struct volt_identify_options {
    size_t struct_size;
    /* (optional) another experiment as the test; its first rows set the state. Without it the test is the last fifth of the
     * rows, which continue the training rows. Test rows take no part in any choice */
    volt_view test_inputs, test_outputs;
    /* (optional) lengths: the rows are consecutive records of these lengths, as in volt_fit_options. The test is then
     * whole last records if these have 15 to 25 % of the rows, otherwise the last fifth of the rows
     * [array n_records] */
    const int64_t *records;
    int64_t n_records; /* 0: one record */
    /* (optional) the same for the test inputs and outputs [array n_test_records] */
    const int64_t *test_records;
    int64_t n_test_records;
    double seconds; /* time budget (default: 300); ignored with draws */
    /* number of candidates of every search, instead of a time limit. The result then depends only on the data, the draws
     * and the seed, not on the number of threads. 0 (default): limited by `seconds` [option N; >= 1] */
    int64_t draws;
    uint64_t seed;
    const char *const *input_names;  /* (optional) names, stored in the model [array d] */
    const char *const *output_names; /* (optional) names [array q] */
    const volt_time *times; /* (optional) times of the rows of U, stored as in volt_fit_options [array n] */
    volt_progress progress;
    /* 1 (default): with two or more inputs, searches and models use volt_fit_options.scale_each, so that the result does not
     * depend on the unit of an input. 0: one scale for all inputs */
    int scale_each;
    /* (optional) times of the rows of U as numbers in any unit, for the data check only; ignored with `times`
     * [array n] */
    const double *clock;
    volt_output_test *output_tests; /* (optional) receives q entries, one for each output [array q] */
} volt_identify_options;
VOLT_API volt_identify_options volt_identify_options_default(void);

/* Best trial of one family. */
typedef struct volt_identify_candidate {
    const char *name;                /* static: "linear", "linear, feedback", ... */
    int is_linear;                   /* [flag; json linear] */
    char kernel[VOLT_KERNEL_LENGTH]; /* full text; "": no trial has a score */
    double alpha, feedback_weight;   /* weight 0: no feedback */
    double nmse;                     /* mean over the blocks; NaN: no trial has a score */
    double block_nmse[VOLT_IDENTIFY_BLOCKS];
    int64_t trials;
    double seconds;
    double test_rmse; /* NaN: not tested */
    /* Free runs on the last block, fitted on the rows before it; NaN: not computed. growth: root mean squared error of the
     * last third over that of the first third. excess: with inputs 1.3 times as far from their mean, the root mean squared
     * difference from the linear model, relative to the spread of the outputs of the linear model or the measured ones,
     * whichever is larger */
    double growth, excess;
    /* Free run over all blocks (m rows), fitted on the rows before them: root mean squared error relative to that of the linear
     * model; NaN: not computed */
    double long_run;
    /* 1: a nonlinear model whose run with scaled inputs diverges or has an excess above 3, or whose long run diverges or is not
     * below 1 - 1/sqrt(m), by one standard error of the ratio of two root mean squares of m errors [json rejected] */
    int is_rejected;
} volt_identify_candidate;

/* Result of volt_identify. Rows count from the first row given. */
typedef struct volt_identification {
    size_t struct_size; /* set by the caller */
    /* -- rows -- */
    int64_t rows, train_rows; /* given, and before the test part */
    int64_t test_rows;        /* test rows in the error, at most 20000 */
    int test_is_separate;     /* [flag] */
    int64_t train_records;    /* records of the training rows; 1: one sequence */
    /* rows at the start of a record of the test, whose measured outputs set the state and are not compared: the washout, at
     * most a tenth of the record; 0: the test continues the training rows */
    int64_t test_washout;
    int64_t search_begin, search_rows; /* rows of the searches */
    int64_t fit_begin, fit_rows;       /* rows of the model */
    /* first rows of every record in the searches and in the model that are not fitted: a twentieth of a record, at most 100 */
    int64_t washout;
    /* -- data check, on the training rows (the best excited 20000 of more), partly on their longest record; see docs/math.md
     * -- */
    double time_step;     /* median difference of the times in seconds (of a clock: in its unit); 0: no times */
    int64_t uneven_steps; /* time steps that differ from it by more than 10 % */
    int64_t delay;        /* lag of the largest absolute correlation of an output with an earlier input ... */
    double correlation;   /* ... and this correlation */
    int64_t dead_time;    /* first lag with a significant response to a whitened input, below 100; -1: none */
    int64_t input_changes; /* rows in which an input differs from the row before */
    /* number of sine waves of equal power in the input that has fewest; infinite if no record has 40 rows */
    double input_lines;
    /* largest share of the rows within 0.1 % of the range of the minimum or the maximum of a column */
    double output_at_extreme, input_at_extreme;
    /* variance of all rows over the mean variance of four quarters, the largest of all outputs, and of all inputs */
    double output_growth, input_growth;
    double integration;  /* share of the increments of the outputs that sums of the inputs explain */
    double forward_gain; /* reduction of the error of the outputs from their past by past inputs, 0 to 1 ... */
    double reverse_gain; /* ... and of the inputs from their past by past outputs */
    /* shares of the variance of the outputs: not explained by the best linear model, at most due to noise, and the difference,
     * which is at least due to nonlinearity */
    double unexplained, noise, nonlinearity;
    int is_nonlinear;     /* the last is above 0.01, and above 20 % of the first [flag] */
    int64_t input_period; /* rows; > 0: the noise is the change between periods */
    /* -- candidates -- */
    volt_identify_candidate candidates[VOLT_IDENTIFY_CANDIDATES];
    int64_t chosen, best_linear; /* candidates [json -] */
    int64_t n_averaged; /* candidates whose average is the model; 1: the chosen one only [json averaged] */
    /* these candidates, the chosen one first [array n_averaged; json -] */
    int64_t averaged[VOLT_IDENTIFY_CANDIDATES];
    /* root mean squared simulation errors on the test rows, over all outputs (of each: options.output_tests) */
    double test_rmse, linear_test_rmse;
    double seconds;
    /* VOLT_WARNING_LITTLE_EXCITATION, FEW_FREQUENCIES, CONSTANT_INPUT, UNEVEN_STEPS, NO_RESPONSE, SATURATED, INTEGRATING,
     * DRIFT, REVERSED, RUN_BOUNDED (in the test), WORSE_THAN_CONSTANT (on the blocks),
     * BETTER_LINEAR (in the test) */
    int64_t n_warnings;
    volt_warning warnings[VOLT_IDENTIFY_WARNINGS]; /* [array n_warnings; json -] */
    int scale_each;                                /* 1: every input is scaled separately (volt_fit_options) */
    /* of all models: VOLT_INITIAL_ZERO, or VOLT_INITIAL_FIRST if the linear model without feedback then has a lower error on
     * every block, and at most 1 / 1.1 of the root mean NMSE */
    volt_initial initial;
    double
        test_std; /* standard deviation of the outputs in the test rows, the root mean square over all outputs */
} volt_identification;

/* Identifies a system with inputs U (n x d) and outputs Y (n x q), rows in time order, at least 60.
 *
 * Searches use all training rows up to 3000, or the stretch of 3000 with the largest product of the shares of the range of
 * every input and output that it covers; with a time budget, shorter stretches of at least 1000 rows if about 40 trials on
 * them would not be possible otherwise. Trials are free runs on three validation blocks of a sixth of these rows, after the
 * first half, from the measured state. The families are fir without and with feedback (linear), volterra and memory with
 * filters (low passes), and fading and volterra with feedback, the last four with a linear term. With 500 rows or more the
 * best nonlinear family, and the second if it is close, are refined by CMA-ES from their best trial. From 1600 rows on, these
 * searches use the best-excited 800 rows; all families are then scored on all rows of the search, and the best are refined
 * there (with draws: a 32nd of them). A nonlinear model replaces the better linear one only if it has a lower error on every
 * block and is not rejected (volt_identify_candidate). The model is the average (volt_model_sum) of all such models with at
 * most 1.1 times the root mean NMSE of the best. This average and the linear model are fitted again on as many training rows
 * as the time (with draws: 6000 rows) and the memory allow, and simulated on the test rows.
 *
 * The linear families have at least one trial, whatever the time budget. A log message (volt_set_log) warns before the
 * nonlinear searches if the budget is too short for them. The weights of the inputs relative to each other are not searched.
 *
 * VOLT_ERR_DATA: too few rows, a constant output, constant inputs, an output that equals an input, or no linear model with
 * a score; VOLT_ERR_NOT_FINITE, VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED. Free *model with volt_model_free. */
VOLT_API volt_status volt_identify(volt_view U, volt_view Y, const volt_identify_options *options,
                                   volt_model **model, volt_identification *result);

/* ---- diagnosis --------------------------------------------------------------------------------- */

/* Residuals, frequency response, Volterra series and ranges of an identified model:
 *
 *     volt_diagnosis *diagnosis = NULL;
 *     volt_status status = volt_identify_diagnose(U, Y, &options, model, &found, &diagnosis);
 *     if (!status)
 *         printf("%g\n", diagnosis->autocorrelation[1]);
 *     volt_diagnosis_free(diagnosis);
 *
 * Read the fields, do not change them. Residuals are measured less simulated outputs on the test rows. */
typedef struct volt_diagnosis {
    size_t struct_size;
    int64_t d, q, rows;     /* inputs, outputs, test rows */
    int64_t first_row;      /* of the test, in the rows given, or in those of a separate test */
    const double *measured; /* [array rows, q] */
    /* rows x q; NaN where measured rows set the state at the start of a record [array rows, q] */
    const double *simulated;
    int64_t lags;                  /* lags 0 .. lags - 1 */
    const double *autocorrelation; /* q x lags, of the residuals [array q, lags] */
    double autocorrelation_bound;  /* 95 % for white residuals */
    /* q x d x lags, of the residuals with the inputs `lag` rows before them [array q, d, lags] */
    const double *cross_correlation;
    const double *cross_bounds; /* 95 % for residuals that are independent of the input [array q, d] */
    int64_t bins;               /* frequencies; 0: too few rows */
    const double *frequencies;  /* in cycles per row [array bins] */
    /* best linear approximation of the training rows, phase in degrees [array q, d, bins] */
    const double *gain, *phase;
    const double *coherence; /* its multiple coherence [array q, bins] */
    /* linear part of the model, about the mean of the inputs; NULL: none [array q, d, bins] */
    const double *model_gain, *model_phase;
    /* inputs, then outputs: test rows below and above the training rows of the model, and the largest distance from these
     * relative to their range (infinite for a constant column) [array d + q] */
    const int64_t *below, *above;
    const double *beyond;                /* [array d + q] */
    const volt_explanation *explanation; /* Volterra series to order 2; NULL: the kernel has none [struct] */
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
