/* src/select/folds/state_loo.c: errors and leverages of all rows, for several alphas in one pass. */
#include "select/folds/state_folds.h"

#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/folds/cross_validation.h"

#include <string.h>

enum { BLOCK = 512 }; /* rows at a time */

/* One alpha: its factor, readout and errors. */
typedef struct system_of_alpha {
    volt_status status;
    volt_matrix S, B;    /* states x states, states x q */
    double *c, *squares; /* q: intercepts, and sums of squared errors */
    double freedom;      /* sum of leverages */
    volt_matrix out;     /* rows x q: leave-one-out predictions */
} system_of_alpha;

typedef struct loo {
    volt_state_folds *folds;
    volt_view Y;
    bool constant;
    int64_t count;
    system_of_alpha *systems;
    double *memory;    /* memory of the systems */
    double *forecast;  /* BLOCK x q */
    double *h;         /* BLOCK */
    double *workspace; /* BLOCK x states: features, overwritten by leverages */
} loo;

static int64_t numbers_of(int64_t states, int64_t q, int64_t rows)
{
    return states * (states + q) + 2 * q + rows * q;
}

double volt_state_loo_bytes(const volt_problem *problem, double states, double alphas)
{
    double q = (double)problem->q, rows = (double)(problem->n - problem->washout);
    return 8 * (alphas * (states * (states + q) + 2 * q + rows * q) + BLOCK * (q + 1 + states));
}

static void release(loo *l)
{
    volt_free(l->systems);
    volt_free(l->memory);
    volt_free(l->forecast);
    volt_free(l->h);
    volt_free(l->workspace);
}

static volt_status allocate(loo *l)
{
    int64_t states = l->folds->states, q = l->Y.cols, each = numbers_of(states, q, l->Y.rows);
    l->systems = volt_alloc_zero(l->count, sizeof *l->systems);
    l->memory = volt_alloc_doubles(l->count, each);
    l->forecast = volt_alloc_doubles(BLOCK, q);
    l->h = volt_alloc_doubles(BLOCK, 1);
    l->workspace = volt_alloc_doubles(BLOCK, states);
    if (!l->systems || !l->memory || !l->forecast || !l->h || !l->workspace)
        return VOLT_ERR_MEMORY;
    for (int64_t a = 0; a < l->count; a++) {
        system_of_alpha *s = &l->systems[a];
        double *at = l->memory + a * each;
        s->S = volt_matrix_of(at, states, states);
        s->B = volt_matrix_of(at + states * states, states, q);
        s->c = s->B.data + states * q;
        s->squares = s->c + q;
        s->out = volt_matrix_of(s->squares + q, l->Y.rows, q);
        memset(s->squares, 0, (size_t)q * sizeof(double));
    }
    return VOLT_OK;
}

/* Computes factor and readout of one alpha. */
static volt_status solve(loo *l, double alpha, system_of_alpha *s)
{
    volt_state_sums *sums = l->folds->sums;
    size_t states = (size_t)sums->states, q = (size_t)sums->columns;
    s->status = volt_state_sums_solve(sums, alpha, l->constant, NULL);
    if (s->status != VOLT_OK)
        return s->status == VOLT_ERR_SINGULAR || s->status == VOLT_ERR_NOT_FINITE ? VOLT_OK : s->status;
    memcpy(s->S.data, sums->S, states * states * sizeof(double));
    memcpy(s->B.data, sums->B, states * q * sizeof(double));
    memcpy(s->c, sums->c, q * sizeof(double));
    return VOLT_OK;
}

/* Adds rows from `first` on with the features F. */
static void add_rows(loo *l, int64_t first, volt_view F, system_of_alpha *s)
{
    int64_t q = l->Y.cols;
    volt_matrix forecast = volt_matrix_of(l->forecast, F.rows, q);
    memcpy(l->workspace, F.data, (size_t)(F.rows * F.cols) * sizeof(double));
    volt_product(F, volt_as_view(s->B), s->c, forecast);
    volt_state_sums_leverages(l->folds->sums, volt_as_view(s->S), l->constant,
                              volt_matrix_of(l->workspace, F.rows, F.cols), l->h);
    for (int64_t i = 0; i < F.rows; i++) {
        s->freedom += l->h[i];
        for (int64_t k = 0; k < q; k++) {
            double y = l->Y.data[(first + i) * l->Y.ld + k], e = y - forecast.data[i * q + k];
            s->squares[k] += e * e;
            s->out.data[(first + i) * q + k] = y - e / (1 - l->h[i]);
        }
    }
}

/* The second pass over all rows. */
static volt_status pass(loo *l, volt_stage *stage)
{
    volt_operator *op = l->folds->op;
    int64_t w = l->folds->problem->washout, rows = l->Y.rows;
    for (int64_t first = 0, count = 0; first < rows; first += count) {
        count = volt_min(volt_min(BLOCK, l->folds->F.rows), rows - first);
        volt_matrix F = volt_matrix_rows(l->folds->F, 0, count);
        VOLT_TRY(op->states(op, w + first, F, stage));
        if (!volt_stage_should_continue(stage))
            return volt_stage_end(stage);
        for (int64_t a = 0; a < l->count; a++)
            if (l->systems[a].status == VOLT_OK)
                add_rows(l, first, volt_as_view(F), &l->systems[a]);
    }
    return VOLT_OK;
}

static volt_status score_system(const loo *l, system_of_alpha *s, double *score)
{
    const volt_problem *problem = l->folds->problem;
    volt_split all = {.begin = problem->washout, .end = problem->n};
    double n = (double)l->Y.rows, left = n - s->freedom;
    if (problem->score == VOLT_SCORE_LOO)
        return volt_block_score(problem, &all, volt_as_view(s->out), score);
    for (int64_t k = 0; k < l->Y.cols; k++)
        s->squares[k] *= n / (left * left);
    return volt_gcv_score(problem, s->squares, score);
}

volt_status volt_state_loo(volt_state_folds *folds, volt_view Y, const double *alphas, int64_t count,
                           bool constant, volt_stage *stage, volt_status *status, double *scores)
{
    loo l = {.folds = folds, .Y = Y, .constant = constant, .count = count};
    volt_status outcome = allocate(&l);
    for (int64_t a = 0; a < count && outcome == VOLT_OK; a++)
        outcome = solve(&l, alphas[a], &l.systems[a]);
    if (outcome == VOLT_OK)
        outcome = pass(&l, stage);
    for (int64_t a = 0; a < count && outcome == VOLT_OK; a++) {
        system_of_alpha *s = &l.systems[a];
        status[a] = s->status == VOLT_OK ? score_system(&l, s, &scores[a]) : s->status;
    }
    release(&l);
    return outcome;
}
