/* src/explain/explain_setup.h: data shared by the expansions of a model: the kernel as power series,
 * the training rows, and the point of expansion.
 *
 * The model is a functional of infinite sequences, f = c + sum_i A_i K(., w^(i)), where w^(i) are the
 * training rows up to row i after zeros. It is expanded about a constant sequence. With feedback it is the
 * one-step functional of the inputs and the measured outputs. */
#ifndef MODEL_EXPLAIN_SETUP_H
#define MODEL_EXPLAIN_SETUP_H

#include "kernel/jet_kernel.h"
#include "model/model_internal.h"

typedef struct explain_setup {
    const volt_model *model;
    volt_jet_kernel kernel;
    const volt_records *records; /* of the training rows; NULL: one sequence */
    int64_t n, inputs, columns, slices, width, lags;
    int order;
    double *rows;  /* n x width: training rows as passed to the kernel, by slice */
    double *about; /* inputs: the point in user units */
    double *point; /* width: the point as passed to the kernel, in the steady state */
    /* slices x columns x lags: response of a column to a unit change of its input, by lag */
    double *response;
    int64_t reach[VOLT_MAX_FACTORS]; /* per slice: the response is 0 from this lag on */
} explain_setup;

/* Rejects models, lags, orders and points without an expansion: VOLT_ERR_ARGUMENT, VOLT_ERR_DOMAIN. `lags`
 * 0: chosen from the memory length of the kernel. Always release it. */
volt_status volt_explain_setup_make(const volt_model *model, const volt_explain_options *options,
                                    explain_setup *setup);
void volt_explain_setup_release(explain_setup *setup);

/* Input of column c. Fed-back outputs of the previous row are numbered after the user's inputs. */
int64_t volt_explain_source(const explain_setup *setup, int64_t c);
double volt_explain_weight(const explain_setup *setup, int64_t c);

/* Training row j as passed to factor f. */
const double *volt_explain_row(const explain_setup *setup, int64_t f, int64_t j);

/* Workspace of one thread. */
typedef struct explain_walker {
    volt_jet_workspace workspace;
    volt_jet *states; /* of the kernel */
    volt_jet *values; /* of its factors */
    volt_jet *local, *part, *out;
} explain_walker;
volt_status volt_explain_walker_create(const explain_setup *setup, const volt_jet_space *space,
                                       explain_walker *walker);
void volt_explain_walker_release(explain_walker *walker);
/* Number of series in a walker, for memory estimates. */
int64_t volt_explain_walker_count(const explain_setup *setup);

/* Stationary states of rows point + e direction (NULL: point) against column j and the columns before it:
 * states[(s (order + 1) + p) explain_state_row(n) + j + 1] is coefficient p of state s. Index j = -1 holds
 * the state against zeros. The space has one variable. */
static inline int64_t explain_state_row(int64_t n)
{
    return n + 1 + VOLT_JET_LANES; /* padding for lanes beyond the last column */
}
void volt_explain_columns_at_rest(const explain_setup *setup, const volt_jet_space *space,
                                  const double *direction, explain_walker *walker, double *states);

/* ---- the parts of an explanation -------------------------------------------------------------- */

/* Kernels of the orders up to setup->order in user units: g[p] is q x lags^p x inputs^p, g[0] is g0. */
volt_status volt_explain_kernels(const explain_setup *setup, volt_stage *stage, double *const *g);

/* Derivatives of K(., w^(i)) with respect to every input and lag: n x (lags inputs), oldest lag first, in
 * scaled targets per unit of the inputs. */
volt_status volt_explain_slopes(const explain_setup *setup, volt_stage *stage, double *slopes);

/* Parts of each order, and f itself, of kernel rows Z, with a zero initial state in every record, without
 * intercept, in scaled units. parts is h x (order + 2) x q, f last. `order` may differ from that of the
 * setup. */
volt_status volt_explain_orders(const explain_setup *setup, volt_view Z, const volt_records *records, int order,
                                volt_stage *stage, double *parts);

/* Only f, scaled and without intercept: row i at f + i ld. */
volt_status volt_explain_whole(const explain_setup *setup, volt_view Z, const volt_records *records,
                               volt_stage *stage, volt_matrix f);

/* Posterior standard deviations of g1: q x lags x inputs. Its progress covers [from, from + share]. */
volt_status volt_explain_band(const explain_setup *setup, volt_progress progress, double from, double share,
                              double *deviations);

#endif
