/* src/select/folds/state_folds.c: features of a group of folds, and their sums. */
#include "select/folds/state_folds.h"

#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"
#include "gram/engine/state.h"
#include "select/folds/cross_validation.h"
#include "solve/choice/choice.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- errors and leverages of all rows, for several alphas in one pass -------------------------------- */

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

/* Bytes that it takes, for `states` features and `alphas` alphas. */
static double state_loo_bytes(const volt_problem *problem, double states, double alphas)
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

enum { MIN_ROWS = 512 }; /* block size for features of landmarks */

static bool has_cross(const volt_problem *problem)
{
    return problem->start == VOLT_START_RESET;
}

/* Rows of F: the largest group, or with landmarks the rows after a training part. */
static int64_t feature_rows(const volt_problem *problem, const volt_solver *solver)
{
    int64_t most = MIN_ROWS;
    if (!solver->needs.landmarks)
        return problem->max_rows;
    for (int64_t k = 0; !has_cross(problem) && k < problem->n_splits; k++)
        most = volt_max(most, problem->splits[k].end - problem->splits[k].train_end);
    return most;
}

/* ---- creation ------------------------------------------------------------------------------------ */

/* Releases the data of the current group. */
static void forget_group(volt_state_folds *folds)
{
    volt_operator_free(folds->op);
    folds->op = NULL;
    if (!folds->solver->needs.landmarks)
        return;
    volt_columns_free(folds->columns);
    volt_landmark_set_release(&folds->set);
    volt_records_release(&folds->records);
    volt_free(folds->readout);
    folds->columns = NULL;
    folds->readout = NULL;
}

void volt_state_folds_free(volt_state_folds *folds)
{
    if (!folds)
        return;
    forget_group(folds);
    volt_columns_free(folds->columns);
    volt_state_sums_free(folds->sums);
    volt_free(folds->F.data);
    volt_free(folds->cross);
    volt_free(folds);
}

/* Bytes of the operator and its columns: runs of 32 or single rows with all their ghosts, at most all rows. */
static double landmark_bytes(const volt_problem *problem, const volt_resolved *resolved)
{
    int64_t run = problem->landmark_choice == VOLT_LANDMARKS_RANDOM ? 1 : VOLT_LANDMARK_RUN;
    int64_t m = problem->landmarks, runs = (m + run - 1) / run;
    int64_t columns = volt_min(m + runs * volt_landmark_memory(resolved), problem->max_rows);
    return volt_landmark_bytes((double)m, (double)columns) + volt_engine_bytes(resolved, columns, MIN_ROWS) +
           8 * (double)columns * ((double)(2 * resolved->d + problem->q) + 2);
}

double volt_state_folds_bytes(const volt_problem *problem, const volt_resolved *resolved)
{
    const volt_solver *solver = volt_candidate_solver(problem, resolved);
    double states = (double)volt_candidate_states(problem, resolved);
    double rows =
        (double)feature_rows(problem, solver) + (has_cross(problem) ? (double)volt_longest_block(problem) : 0);
    double loo_bytes =
        volt_score_is_of_all_rows(problem->score) ? state_loo_bytes(problem, states, VOLT_MAX_ALPHAS) : 0;
    return volt_state_sums_bytes(states, (double)problem->q) + 8 * states * rows + loo_bytes +
           (solver->needs.landmarks ? landmark_bytes(problem, resolved) : 0);
}

volt_status volt_state_folds_create(const volt_problem *problem, volt_resolved *resolved,
                                    volt_state_folds **folds)
{
    volt_state_folds *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    const volt_solver *solver = volt_candidate_solver(problem, resolved);
    int64_t states = volt_candidate_states(problem, resolved), rows = feature_rows(problem, solver);
    *fresh = (volt_state_folds){.problem = problem, .resolved = resolved, .states = states, .solver = solver};
    volt_status status = solver->needs.landmarks ? VOLT_OK : volt_states_columns(resolved, &fresh->columns);
    if (status == VOLT_OK)
        status = volt_state_sums_create(states, problem->q, &fresh->sums);
    if (status == VOLT_OK) {
        fresh->F = volt_matrix_of(volt_alloc_doubles(rows, states), rows, states);
        fresh->cross = has_cross(problem) ? volt_alloc_doubles(volt_longest_block(problem), states) : NULL;
        if (!fresh->F.data || (has_cross(problem) && !fresh->cross))
            status = VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK)
        *folds = fresh;
    else
        volt_state_folds_free(fresh);
    return status;
}

/* ---- a group ---------------------------------------------------------------------------------- */

/* Rows of the group before its first block; all of them without blocks. */
static int64_t rows_before(const volt_problem *problem, int64_t base)
{
    for (int64_t k = 0; k < problem->n_splits; k++)
        if (problem->splits[k].train_begin == base)
            return problem->splits[k].train_end - base;
    return problem->n;
}

/* Stores the landmarks and their ghosts as columns, one record per run. */
static volt_status lay_columns(volt_state_folds *folds, volt_view Z, volt_stage *stage)
{
    const volt_landmark_set *set = &folds->set;
    volt_records runs = {0};
    double *rows = volt_alloc_doubles(set->n, Z.cols);
    volt_status status = rows ? volt_records_make(set->runs, set->n_runs, set->n, &runs) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_resolved_split(folds->resolved, &runs, 0);
    for (int64_t i = 0; status == VOLT_OK && i < set->n; i++)
        memcpy(rows + i * Z.cols, Z.data + set->source[i] * Z.ld, (size_t)Z.cols * sizeof *rows);
    if (status == VOLT_OK)
        status =
            volt_columns_create(folds->resolved, volt_view_of(rows, set->n, Z.cols), stage, &folds->columns);
    volt_records_release(&runs);
    volt_free(rows);
    return status;
}

static volt_status begin_landmarks(volt_state_folds *folds, int64_t base, volt_view Z, volt_stage *stage)
{
    const volt_problem *problem = folds->problem;
    VOLT_TRY(volt_records_from(&problem->records, base, &folds->records));
    VOLT_TRY(volt_landmark_set_choose(rows_before(problem, base), problem->washout, &folds->records,
                                      folds->states, problem->landmark_choice,
                                      volt_landmark_memory(folds->resolved), &folds->set));
    VOLT_TRY(lay_columns(folds, Z, stage));
    folds->readout = volt_alloc_doubles(folds->set.n + 1, problem->q);
    if (!folds->readout)
        return VOLT_ERR_MEMORY;
    return volt_landmark_operator(&(volt_landmark_task){.resolved = folds->resolved,
                                                        .columns = folds->columns,
                                                        .column = folds->set.column,
                                                        .m = folds->set.m,
                                                        .Z = Z,
                                                        .records = &folds->records,
                                                        .common = folds->common},
                                  stage, &folds->op);
}

volt_status volt_state_folds_begin(volt_state_folds *folds, int64_t base, volt_view Z, double common,
                                   volt_stage *stage)
{
    forget_group(folds);
    folds->first = folds->filled = folds->m = 0;
    folds->squares = folds->largest = 0;
    folds->common = common;
    volt_state_sums_clear(folds->sums);
    if (folds->solver->needs.landmarks)
        return begin_landmarks(folds, base, Z, stage);
    VOLT_TRY(volt_kernel_operator(folds->resolved, NULL, Z, false, &folds->op));
    volt_kernel_operator_use_states(folds->op, folds->columns);
    return VOLT_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Keeps the rows from `first` on, drops the earlier ones, and adds more up to `to`. */
static volt_status fill(volt_state_folds *folds, int64_t first, int64_t to, volt_stage *stage)
{
    if (to <= folds->filled)
        return VOLT_OK;
    if (to - folds->first > folds->F.rows) {
        int64_t from = volt_min(first, folds->filled), kept = folds->filled - from;
        memmove(folds->F.data, folds->F.data + (from - folds->first) * folds->F.ld,
                (size_t)(kept * folds->F.ld) * sizeof(double));
        folds->first = from;
    }
    volt_matrix fresh = volt_matrix_rows(folds->F, folds->filled - folds->first, to - folds->filled);
    VOLT_TRY(folds->op->states(folds->op, folds->filled, fresh, stage));
    folds->filled = to;
    return volt_stage_should_continue(stage) ? VOLT_OK : volt_stage_end(stage);
}

static volt_view cached_rows(const volt_state_folds *folds, int64_t begin, int64_t end)
{
    return volt_view_rows(volt_as_view(folds->F), begin - folds->first, end - begin);
}

static void measure(volt_state_folds *folds, volt_view F)
{
    for (int64_t i = 0; i < F.rows; i++) {
        double square = 0;
        for (int64_t k = 0; k < F.cols; k++)
            square += F.data[i * F.ld + k] * F.data[i * F.ld + k];
        folds->squares += square;
        folds->largest = fmax(folds->largest, square);
    }
}

volt_status volt_state_folds_grow(volt_state_folds *folds, int64_t to, volt_view Y, const bool *without,
                                  volt_stage *stage)
{
    int64_t w = folds->problem->washout;
    while (folds->m < to) {
        int64_t begin = w + folds->m, most = volt_min(w + to, folds->filled + folds->F.rows);
        if (folds->filled <= begin)
            VOLT_TRY(fill(folds, folds->filled, most, stage));
        int64_t end = volt_min(folds->filled, w + to);
        if (end <= begin) /* washout rows */
            continue;
        volt_view F = cached_rows(folds, begin, end);
        volt_state_sums_add(folds->sums, F, volt_view_rows(Y, folds->m, end - begin),
                            without ? without + folds->m : NULL);
        if (folds->solver->needs.landmarks)
            measure(folds, F);
        folds->m = end - w;
    }
    return VOLT_OK;
}

volt_status volt_state_folds_rows(volt_state_folds *folds, int64_t begin, int64_t end, volt_stage *stage,
                                  volt_view *F)
{
    VOLT_TRY(fill(folds, folds->problem->washout + folds->m, end, stage));
    *F = cached_rows(folds, begin, end);
    return VOLT_OK;
}

volt_status volt_state_folds_other(volt_state_folds *folds, volt_view Z, const volt_records *records,
                                   volt_matrix F, volt_stage *stage)
{
    return volt_landmark_features(folds->op, Z, records, F, stage);
}

/* ---- forecasts -------------------------------------------------------------------------------- */

void volt_state_folds_forecast(const volt_state_folds *folds, volt_view F, volt_matrix out)
{
    const volt_state_sums *sums = folds->sums;
    volt_product(F, volt_view_of(sums->B, sums->states, sums->columns), sums->c, out);
}

/* For landmarks: beta = L^{-T} gamma at their columns, and c less the common part of the kernel. */
void volt_state_folds_readout(volt_state_folds *folds, const double **coefficients, const double **intercepts)
{
    const volt_state_sums *sums = folds->sums;
    const volt_landmark_set *set = &folds->set;
    int64_t q = sums->columns;
    *coefficients = sums->B;
    *intercepts = sums->c;
    if (!folds->solver->needs.landmarks)
        return;
    double *beta = sums->B,
           *shift = folds->readout + set->n * q; /* the system is solved again for another alpha */
    volt_landmark_coefficients(folds->op, volt_matrix_of(beta, set->m, q));
    memset(folds->readout, 0, (size_t)(set->n * q) * sizeof(double));
    memcpy(shift, sums->c, (size_t)q * sizeof(double));
    for (int64_t a = 0; a < set->m; a++)
        for (int64_t k = 0; k < q; k++) {
            folds->readout[set->column[a] * q + k] = beta[a * q + k];
            shift[k] -= folds->common * beta[a * q + k];
        }
    *coefficients = folds->readout;
    *intercepts = shift;
}

/* Squared norms of the states after the washout: the diagonal of K. */
static void find_diagonal(const volt_state_folds *folds, int64_t count, double *diagonal)
{
    for (int64_t i = 0; i < count; i++) {
        const double *f = folds->F.data + (folds->problem->washout + i) * folds->F.ld;
        diagonal[i] = 0;
        for (int64_t k = 0; k < folds->F.cols; k++)
            diagonal[i] += f[k] * f[k];
    }
}

volt_status volt_state_folds_grid(volt_state_folds *folds, int64_t rows, double *diagonal, double *alphas,
                                  int64_t *count, volt_stage *stage)
{
    int64_t kept = rows - folds->problem->washout;
    if (folds->solver->needs.landmarks) {
        *count = volt_alpha_list(VOLT_ALPHA_SQUARES, folds->squares / (double)folds->m,
                                 10 * (double)folds->states * DBL_EPSILON * folds->largest, alphas);
        return VOLT_OK;
    }
    VOLT_TRY(fill(folds, 0, rows, stage));
    find_diagonal(folds, kept, diagonal);
    double least, unit = volt_alpha_unit(diagonal, kept, kept, &least);
    *count = volt_alpha_list(VOLT_ALPHA_SQUARES, unit, least, alphas);
    return VOLT_OK;
}
