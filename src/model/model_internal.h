/* src/model/model_internal.h: the model, its notes and its errors. */
#ifndef MODEL_MODEL_INTERNAL_H
#define MODEL_MODEL_INTERNAL_H

#include "base/numbers.h"
#include "gram/engine/state.h"
#include "io/safetensors/safetensors.h"
#include "kernel/reservoir.h"
#include "model/recipe.h"
#include "solve/exact/factor.h"
#include "solve/exact/stored_factor.h"
#include "solve/loss/loss.h"
#include "volterra/model.h"

#include <stdatomic.h>

/* ---- notes stored with a model. They do not affect predictions ---------------------------------- */

enum { VOLT_NOTES = 8 };

/* Copies notes; release the copy with notes_release, also on failure. VOLT_ERR_MEMORY. */
volt_status volt_notes_copy(const volt_model_notes *from, volt_model_notes *to);
/* Notes the digest of the first rows of X, unless there is one. VOLT_ERR_MEMORY. */
volt_status volt_notes_first_rows(volt_view X, volt_model_notes *notes);
/* Sets the notes of n times of rows, whose last target is `ahead` rows after the last input. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_notes_set_times(const volt_time *times, int64_t n, int64_t ahead, volt_model_notes *notes);
/* Parses the notes of the times; `times` may be NULL. VOLT_ERR_FORMAT names the invalid note. */
volt_status volt_notes_get_times(const volt_model_notes *notes, int64_t ahead, volt_training_times *times);

/* Lists the notes as metadata of a file. Returns their number, at most VOLT_NOTES. */
int64_t volt_notes_list(const volt_model_notes *notes, volt_metadatum *metadata);
/* VOLT_ERR_MEMORY. */
volt_status volt_notes_read(const volt_safetensors *file, volt_model_notes *notes);

/* ---- errors of the training rows, and the intervals that follow from them (docs/math.md, "Intervals")  */

/*
 * They are computed from the factor of the fit. A row that was not predicted (the first ones, those without a target) has
 * scale 0. There are two lists:
 *
 *     near    all rows: predicted from the rows whose targets were known `ahead` rows before
 *     far     the last rows, for intervals: the last quarter of all rows (at most VOLT_INTERVAL_SCORES) is predicted from
 *             the rows before it
 *
 * Solvers with landmarks put the errors of their held-out rows into both. */

typedef struct volt_error_list {
    int64_t rows;  /* number of last training rows with errors; 0: none */
    double *e;     /* rows x q, in units of the scaled targets */
    double *scale; /* the same: sqrt(v_t) */
} volt_error_list;

typedef enum volt_error_kind { VOLT_ERRORS_NEAR, VOLT_ERRORS_FAR } volt_error_kind;

typedef struct volt_model_errors {
    volt_error_list lists[VOLT_ROW_ERRORS]; /* by volt_error_kind */
} volt_model_errors;

volt_status volt_error_list_allocate(int64_t rows, int64_t q, volt_error_list *list);
void volt_errors_release(volt_model_errors *errors);

/* Allocates both lists of a fit of `fitted_rows` rows, for at most the last `most` rows, and the arrays that a
 * solver fills. Rows of `without` (NULL: none) have no target. */
volt_status volt_errors_prepare(int64_t fitted_rows, int64_t q, int64_t ahead, const bool *without,
                                int64_t most, volt_model_errors *errors,
                                volt_row_errors wanted[VOLT_ROW_ERRORS]);

enum { VOLT_INTERVAL_SCORES = 300 }; /* scores used for an interval */

/* Copies the scores of output k: the last |e_t| of the far list in time order, at most VOLT_INTERVAL_SCORES.
 * Returns their number. */
int64_t volt_error_scores(const volt_model_errors *errors, int64_t q, int64_t k, double *scores);

/* The ceil((n + 1) coverage)-th smallest of n sorted scores; INFINITY if that exceeds n. */
double volt_interval_quantile(const double *sorted, int64_t n, double coverage);

/* VOLT_ERR_ARGUMENT unless there are `count` coverages, at least 0, and all are between 0 and 1. */
volt_status volt_coverages_check(const double *coverages, int64_t count);

/* ---- the contents of a model -------------------------------------------------------------------- */

/* Members of a sum of models. */
typedef struct volt_members {
    volt_sum_kind kind;
    int64_t n, depth;    /* members; levels of sums, 1 or more */
    volt_model **models; /* n, shared */
    double *weights;     /* n */
    char *text;          /* in place of a kernel */
} volt_members;

enum { VOLT_SUM_MEMBERS = 1000, VOLT_SUM_DEPTH = 4 }; /* largest n and depth */

/* Facts about the training rows of a model on landmarks, which does not keep them (landmarks.h). */
typedef struct volt_trained {
    int64_t landmarks; /* 0: the model has all its rows, and the rest is 0 */
    int64_t rows, washout;
    int64_t *records; /* n_records lengths; NULL: one sequence */
    int64_t n_records;
} volt_trained;

enum { VOLT_REPORT_NUMBERS = 16 };

/* Largest `ahead`: a stream keeps that many rows of predictions. */
enum { VOLT_MAX_AHEAD = 1000000 };

struct volt_model {
    int64_t n, d, q, washout, ahead; /* n: rows; d: kernel columns */
    bool intercept, scaled, scale_each, feedback;
    double *alphas; /* q */
    double rcond;
    volt_recipe recipe; /* from user rows to d columns */
    volt_recent recent; /* recent rows before the next one */
    int64_t *anchors;   /* q: the input whose present value is added to an output; -1: none */
    double *shares;     /* q: share of the readout used, 1 or 1/2 (volt_fit_report) */
    int64_t season;     /* of the recipe */
    volt_input kind;    /* of the recipe */
    bool has_report;
    volt_fit_report report;
    char device[160]; /* of the report */
    /* VOLT_REPORT_NUMBERS x q: mse, best_mse, naive_mse, share, loo_mse, gcv, roots of all but share, best_alpha,
     * rkhs_norm, effective_dimension, its error, noise */
    double *report_numbers;
    volt_initial initial;   /* inputs before the first row of a record ... */
    double *initial_values; /* ... recipe.inputs numbers for MEAN and VALUES; else NULL ... */
    volt_past past;         /* ... and as scaled columns */
    volt_kernel *kernel;
    volt_resolved resolved; /* on the ball of the scaled training inputs */
    /* slices: the largest values at resolution, if rows have been added since (live.c); NULL: those of
     * the inputs */
    double *largest;
    volt_columns *columns;  /* the scaled training inputs */
    volt_columns *states;   /* for kernels with explicit states: columns of the readout (see below) */
    double *states_readout; /* its coefficients, states->m x q */
    /* the state after the last training row, against `states` if present */
    volt_state *end;
    volt_input_scale input;
    double *target_mean, *target_scale; /* q */
    double *coefficients;               /* n x q, on scaled targets; washout rows are zero */
    double *intercepts;                 /* q, on scaled targets */
    double *last_target;                /* q, in the units of the targets */
    bool no_last_target;                /* the last training row has no target: last_target is 0 */
    bool ends_without_target;           /* with feedback: the last row has no output to feed back */
    double *pending; /* n_pending x inputs, in input units: rows after the last training row */
    int64_t n_pending;
    double *
        input_range; /* 2 x inputs: smallest and largest training inputs; NULL: unknown, or clipped by the recipe */
    char **input_names, **output_names; /* or NULL */
    volt_model_notes notes;             /* owned copies */
    int64_t *records;                   /* n_records lengths; NULL: one sequence */
    int64_t n_records;
    volt_trained trained;
    volt_model_errors errors;         /* of the training rows */
    volt_loss *loss;                  /* NULL: squares */
    double objective, gap, tolerance; /* of the loss */
    char **classes;                   /* n_classes texts, one per output; NULL: targets are numbers */
    int64_t n_classes;
    volt_stored_factors stored_factors; /* for prediction variances; count 0 and no factors: not kept */
    /* NULL: a fitted model. A sum has no rows and no kernel. `d` is the largest of its members, and the
     * recipe has only the inputs */
    volt_members *sum;
    char library[32];  /* version of the library that wrote the file; "": not read from a file */
    atomic_int shared; /* sums that have the model as a member: it is freed with the last of them */
};

/* Allocates a model of this size with empty arrays. volt_model_free accepts it at any stage. */
volt_status volt_model_allocate(int64_t n, int64_t d, int64_t q, volt_model **model);

/* ---- sums of models ------------------------------------------------------------------------------ */

/* Text of the kernel, or of a sum. */
const char *volt_model_text(const volt_model *model);
/* Largest feedback weight of the model or its members; 0: no outputs are fed back. */
double volt_model_feedback_weight(const volt_model *model);
/* Fails with VOLT_ERR_ARGUMENT for a sum; `operation` names what it does not support. */
volt_status volt_model_require_single(const volt_model *model, const char *operation);
/* The same for a fit with weights or a loss other than squares. */
volt_status volt_model_require_squares(const volt_model *model, const char *operation);
/* to += weight * from for `count` numbers, or to = weight * from for `first`. */
void volt_sum_add(double weight, const double *from, int64_t count, bool first, double *to);
/* Names of volt_sum_kind in files. */
extern const char *const volt_sum_words[2];

/* ---- parts of a model ---------------------------------------------------------------------------- */

/* Divides the training rows into n records of these lengths, before the columns exist. No effect for n of 0
 * or 1. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_model_use_records(volt_model *model, const int64_t *lengths, int64_t n);

/* Stores the n rows Z in the layout of the kernel. */
volt_status volt_model_pack(volt_model *model, volt_view Z, volt_progress progress);

/* Checks the shape of inputs. */
volt_status volt_model_check_inputs(const volt_model *model, volt_view X);

/* Extends the range of the inputs by rows of X, unless the recipe clips them. VOLT_ERR_MEMORY. */
volt_status volt_model_extend_range(volt_model *model, volt_view X);

/* Copies the inputs after the last training row, whose targets are unknown. Not for a model with feedback,
 * where the last target is that row. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
volt_status volt_model_record_pending(volt_model *model, volt_view rows);
/* Those inputs, owned by the model. */
volt_view volt_model_pending(const volt_model *model);

/* Number of training rows after the washout. */
int64_t volt_model_fitted_rows(const volt_model *model);

/* Checks the start of a sequence. VOLT_ERR_ARGUMENT if outputs are fed back and the last training row has
 * none. */
volt_status volt_model_check_start(const volt_model *model, volt_start start);

/* VOLT_ERR_ARGUMENT unless the value is one of volt_beyond. */
volt_status volt_beyond_check(volt_beyond beyond);

/* Converts the user's row x, after the rows `recent`, to a kernel row: columns, scaled, with the policy for
 * inputs outside the range and the ball of training. z receives d numbers, *beyond is incremented; `row`
 * (from 0) is for messages. The rows in `recent` are unchanged until volt_recent_push. Its filters advance,
 * unless the row is rejected. */
volt_status volt_model_take_input(const volt_model *model, volt_recent *recent, const double *x,
                                  volt_beyond policy, int64_t row, double *z, int64_t *beyond);

/* Converts the scaled output v (q numbers, without intercept) of the user's row x to target units, in place.
 * VOLT_ERR_NOT_FINITE on overflow; `row` (from 0) is for messages. */
volt_status volt_model_finish_output(const volt_model *model, int64_t row, const double *x, double *v);
/* Its last step: checks that all values are finite. */
volt_status volt_model_check_output(const volt_model *model, int64_t row, const double *v);
/* The same for an output that includes the intercept. */
volt_status volt_model_unscale_output(const volt_model *model, int64_t row, const double *x, double *v);

/* ---- readout of a model --------------------------------------------------------------------------
 * A prediction is a row of K times n coefficients. If the kernel has explicit states
 * (gram/engine/state.h), it is a state times the readout of states, F' A, which every such model has. A
 * prediction then costs one step of the reservoir for any n, and the training rows are not run again. */

/* The columns of the state of the model, and the coefficients of its rows: columns->m x q. */
typedef struct volt_model_reader {
    const volt_columns *columns;
    const double *coefficients;
} volt_model_reader;

volt_model_reader volt_model_reader_of(const volt_model *model);

/* Allocates the readout of states if the resolved kernel has states. The caller fills it. */
volt_status volt_readout_allocate(volt_model *model);

/* Size of the state at the end of training. */
int64_t volt_readout_state_length(const volt_model *model);

/* ---- digest of everything that determines predictions except the state: state files belong to
 * one model */

enum { VOLT_DIGEST_LENGTH = 17 };
/* Adds the bits of numbers to a digest. */
uint64_t volt_digest_numbers(uint64_t digest, const double *numbers, int64_t count);

/* `row` is a buffer of d numbers. */
void volt_model_digest(const volt_model *model, double *row, char text[VOLT_DIGEST_LENGTH]);

/* ---- the weights of reservoirs in a model file ------------------------------------------------- */

/* The weights in the file, one entry per factor of the kernel. */
typedef struct volt_saved_weights {
    volt_reservoir_matrix factor[VOLT_MAX_FACTORS];
} volt_saved_weights;

/* The same with the reservoirs of a model. *numbers receives their memory, for volt_free. */
volt_status volt_weights_of(const volt_model *model, volt_kernel *kernel, volt_saved_weights *saved,
                            double **numbers);
/* Ends the use of saved weights. */
void volt_weights_detach(volt_kernel *kernel);

#endif
