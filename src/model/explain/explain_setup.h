/* src/model/explain/explain_setup.h: what the expansions of a model share: its kernel as power series, its training rows, and the
 * point that it is expanded about.
 *
 * The model is a functional of sequences with an endless past, f = c + sum_i A_i K(., w^(i)), w^(i) being the training rows
 * up to row i after zeros. It is expanded about the sequence that is one constant for ever. Where outputs come back, it is
 * the functional of one step: of the inputs, and of the outputs as they were measured. */
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
    double *rows;  /* n x width: the training rows as the kernel sees them, slice by slice */
    double *about; /* inputs: the point, as the user has it ... */
    double *point; /* ... and width: as the kernel sees it, when it was always there */
    /* slices x columns x lags: what a unit of an input leaves in a column so many rows later */
    double *response;
    int64_t reach[VOLT_MOST_FACTORS]; /* of each slice: lags from there on have a response of 0 */
} explain_setup;

/* Refuses models, lags, orders and points that have no expansion: VOLT_ERR_ARGUMENT, VOLT_ERR_DOMAIN. `lags` 0: as many
 * as the memory of the kernel asks for. Release it in every case. */
volt_status explain_setup_make(const volt_model *model, const volt_explain_options *options,
                               explain_setup *setup);
void explain_setup_release(explain_setup *setup);

/* The input that column c is made of; outputs that come back, of the row before, are inputs behind those of the user. */
int64_t explain_source(const explain_setup *setup, int64_t c);
double explain_weight(const explain_setup *setup, int64_t c);

/* Row j of the training rows as factor f sees it. */
const double *explain_row(const explain_setup *setup, int64_t f, int64_t j);

/* Where a thread calculates. */
typedef struct explain_walker {
    volt_jet_room room;
    volt_jet *states; /* of the kernel */
    volt_jet *values; /* of its factors */
    volt_jet *local, *part, *out;
} explain_walker;
volt_status explain_walker_create(const explain_setup *setup, const volt_jet_space *space,
                                  explain_walker *walker);
void explain_walker_release(explain_walker *walker);
/* Series of a walker, for the memory it takes. */
int64_t explain_walker_count(const explain_setup *setup);

/* `local` <- s[0] + s[1] e + s[2] e^2 in every lane, e being variable 0 of the space. */
void explain_set_local(const volt_jet_space *space, const double s[3], volt_jet *local);

/* The states of rows that were point + e direction (NULL: point) for ever against column j and the columns before it:
 * states[(s (order + 1) + p) explain_state_row(n) + j + 1] is coefficient p of state s; at j = -1 stands the state against
 * zeros alone. The space has one variable. */
static inline int64_t explain_state_row(int64_t n)
{
    return n + 1 + VOLT_JET_LANES; /* so that lanes may reach beyond the last column */
}
void explain_columns_at_rest(const explain_setup *setup, const volt_jet_space *space, const double *direction,
                             explain_walker *walker, double *states);

/* ---- the parts of an explanation -------------------------------------------------------------- */

/* The kernels of the orders up to setup->order in the units of the user: g[p] is q x lags^p x inputs^p, g[0] is g0. */
volt_status explain_kernels(const explain_setup *setup, volt_stage *stage, double *const *g);

/* Derivatives of K(., w^(i)) with respect to every input and lag: n x (lags inputs), oldest lag first, in scaled targets
 * for a unit of the inputs. */
volt_status explain_slopes(const explain_setup *setup, volt_stage *stage, double *slopes);

/* Parts of each order, and f itself, of rows Z as the kernel sees them, after a zero past in every record, without
 * intercept, in scaled units: parts is h x (order + 2) x q, f last. `order` need not be that of the setup. */
volt_status explain_orders(const explain_setup *setup, volt_view Z, const volt_records *records, int order,
                           volt_stage *stage, double *parts);

/* f alone, without intercept and scaled: row i at f + i ld. */
volt_status explain_whole(const explain_setup *setup, volt_view Z, const volt_records *records,
                          volt_stage *stage, volt_matrix f);

/* Posterior standard deviations of g1: q x lags x inputs. The stage of this covers [from, from + share]. */
volt_status explain_band(const explain_setup *setup, volt_progress progress, double from, double share,
                         double *deviations);

#endif
