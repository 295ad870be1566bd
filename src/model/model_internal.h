/* src/model/model_internal.h: what a model holds. */
#ifndef MODEL_MODEL_INTERNAL_H
#define MODEL_MODEL_INTERNAL_H

#include "base/numbers.h"
#include "kernel/engine/state.h"
#include "model/model_errors.h"
#include "model/recipe.h"
#include "model/scaling.h"
#include "solve/exact/kept_factor.h"
#include "solve/loss/loss.h"
#include "volterra/model.h"

/* The rows that a model on landmarks was trained on, which it does not have any more (landmarks.h). */
typedef struct volt_trained {
    int64_t landmarks; /* 0: the model has all its rows, and the rest is 0 */
    int64_t rows, washout;
    int64_t *records; /* n_records lengths; NULL: one sequence */
    int64_t n_records;
} volt_trained;

enum { VOLT_REPORT_NUMBERS = 11 };

struct volt_model {
    int64_t n, d, q, washout, ahead; /* n: rows; d: columns that the kernel sees */
    bool intercept, scaled, feedback;
    double *alphas; /* q */
    double rcond;
    volt_recipe recipe; /* from the user's rows to d columns */
    volt_recent recent; /* the rows before the first that follows */
    int64_t *anchors;   /* q: the input whose present value is added to an output; -1: none */
    double *shares;     /* q: of the readout that was taken, 1 or 1/2 (volt_fit_report) */
    int64_t season;     /* that the recipe knows */
    volt_input kind;    /* of the recipe */
    bool has_report;
    volt_fit_report report;
    /* VOLT_REPORT_NUMBERS x q: mse, best_mse, naive_mse, share, loo_mse, gcv, and roots of all but share */
    double *report_numbers;
    volt_kernel *kernel;
    volt_resolved resolved; /* on the ball of the scaled training inputs */
    /* slices: the largest values that it was resolved with, where these are not those of the inputs: rows have been added
     * since (learner_model.c). NULL: they are */
    double *largest;
    volt_columns *columns; /* the scaled training inputs */
    volt_columns *states; /* where the kernel has explicit states: what forecasts are made of (readout.h) ... */
    double *states_readout; /* ... and its coefficients, states->m x q */
    /* the state of the past after the last training row, against the states where there are some */
    volt_state *end;
    volt_input_scale input;
    double *target_mean, *target_scale; /* q */
    double *coefficients;               /* n x q, on scaled targets; rows of the washout are zero */
    double *intercepts;                 /* q, on scaled targets */
    double *last_target;                /* q, in the units of the targets */
    bool no_last_target;                /* the last training row has no target: last_target is 0 */
    bool ends_without_target;           /* with outputs that come back: the last row has none to go on from */
    double *pending; /* n_pending x inputs, in the units of the inputs: rows after the last training row */
    int64_t n_pending;
    char **input_names, **output_names; /* or NULL */
    volt_model_notes notes;             /* texts of its own */
    int64_t *records;                   /* n_records lengths; NULL: one sequence */
    int64_t n_records;
    volt_trained trained;
    volt_model_errors errors;         /* of the training rows */
    volt_loss *loss;                  /* NULL: squares */
    double objective, gap, tolerance; /* of the loss */
    char **classes;                   /* n_classes texts, one for each output; NULL: targets are numbers */
    int64_t n_classes;
    volt_kept_list kept; /* for the variances of forecasts; count 0 and no factors: not kept */
};

/* A model of this size with its arrays, nothing filled in; volt_model_free takes it at any stage. */
volt_status volt_model_allocate(int64_t n, int64_t d, int64_t q, volt_model **model);

/* The training rows are n records of these lengths, for the columns too, which are not there yet; none, or one: nothing
 * happens. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_model_use_records(volt_model *model, const int64_t *lengths, int64_t n);

/* The rows Z, of which the model has n, as the kernel wants them. */
volt_status volt_model_pack(volt_model *model, volt_view Z, volt_progress progress);

/* Copies the inputs after the last training row, whose targets are not known yet; not for a model with feedback, where
 * the last target is that row. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
volt_status volt_model_record_pending(volt_model *model, volt_view rows);
/* Those inputs; they belong to the model. */
volt_view volt_model_pending(const volt_model *model);

/* Training rows after the washout. */
int64_t volt_model_kept(const volt_model *model);

/* Can a sequence begin so? VOLT_ERR_ARGUMENT where outputs come back and the last training row has none. */
volt_status volt_model_check_start(const volt_model *model, volt_start start);

/* The row x of a user after the rows `recent`, as the kernel wants it: its columns, scaled, with the policy for inputs
 * beyond the range and the ball of training applied. z receives d numbers, *beyond is counted up; `row` (from 0) is for
 * the sentence. The rows in `recent` stay: volt_recent_push goes on to the next
 * row; its filters have taken this one, unless the row is refused. */
volt_status volt_model_take_input(const volt_model *model, volt_recent *recent, const double *x,
                                  volt_beyond policy, int64_t row, double *z, int64_t *beyond);

/* Are these forecasts of the model's outputs for so many rows, and these inputs of the model? (predict.c) */
volt_status volt_predict_check_out(const volt_model *model, volt_matrix out, int64_t rows);
volt_status volt_predict_check_inputs(const volt_model *model, volt_view X);

/* Scaled output v (q numbers, intercept not yet in it) of the user's row x to the units of the targets, in place.
 * VOLT_ERR_NOT_FINITE when that overflows; `row` (from 0) is for the sentence. */
volt_status volt_model_finish_output(const volt_model *model, int64_t row, const double *x, double *v);
/* The last step of it: are they all finite? */
volt_status volt_model_check_output(const volt_model *model, int64_t row, const double *v);
/* The same where the intercept is in it. */
volt_status volt_model_unscale_output(const volt_model *model, int64_t row, const double *x, double *v);

/* ---- what the forecasts of a model are made of -------------------------------------------------
 * Against the rows of training a forecast is a row of K times n coefficients. Where the kernel has explicit states
 * (kernel/engine/state.h) it is a state times the readout of states, F' A, which every such model has: a forecast then
 * costs one step of the reservoir, whatever n is, and a model need not run its training rows again. */

/* Columns that a past of the model is against, and what its rows are multiplied by: columns->m x q. */
typedef struct volt_model_reader {
    const volt_columns *columns;
    const double *coefficients;
} volt_model_reader;

volt_model_reader volt_model_reads(const volt_model *model);

/* Does the kernel, resolved, have states? Then make room for their readout, which the caller fills in. */
volt_status volt_readout_allocate(volt_model *model);

/* Numbers in the state at the end of training. */
int64_t volt_readout_state_length(const volt_model *model);

/* ---- what a forecast depends on beside the past, as a short text: states and journals belong to one ----
 * model. */

enum { VOLT_DIGEST_LENGTH = 17 };
/* Numbers join a digest by their bits. */
uint64_t volt_digest_numbers(uint64_t digest, const double *numbers, int64_t count);

/* `row` is room for d numbers. */
void volt_model_digest(const volt_model *model, double *row, char text[VOLT_DIGEST_LENGTH]);

#endif
