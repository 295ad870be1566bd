/* src/select/folds/state_folds.c: states of a group of folds, and their sums. */
#include "select/folds/state_folds.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/engine/states.h"
#include "solve/cholesky_grow.h"

#include <math.h>

static bool has_cross(const volt_problem *problem)
{
    return problem->start == VOLT_START_RESET;
}

void volt_state_folds_free(volt_state_folds *folds)
{
    if (!folds)
        return;
    volt_operator_free(folds->op);
    volt_columns_free(folds->coordinates);
    volt_state_sums_free(folds->sums);
    volt_free(folds->F.data);
    volt_free(folds->cross);
    volt_free(folds);
}

double volt_state_folds_bytes(const volt_problem *problem, const volt_resolved *resolved)
{
    double states = (double)volt_states_count(resolved);
    double rows = (double)problem->most_rows + (has_cross(problem) ? (double)volt_longest_block(problem) : 0);
    return volt_state_sums_bytes(states, (double)problem->q) + 8 * states * rows;
}

volt_status volt_state_folds_create(const volt_problem *problem, const volt_resolved *resolved,
                                    volt_state_folds **folds)
{
    volt_state_folds *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    int64_t states = volt_states_count(resolved), rows = problem->most_rows;
    fresh->problem = problem;
    fresh->resolved = resolved;
    volt_status status = volt_states_columns(resolved, &fresh->coordinates);
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

volt_status volt_state_folds_begin(volt_state_folds *folds, volt_view Z)
{
    volt_operator_free(folds->op);
    folds->op = NULL;
    folds->filled = folds->m = 0;
    volt_state_sums_clear(folds->sums);
    VOLT_TRY(volt_kernel_operator(folds->resolved, NULL, Z, false, &folds->op));
    volt_kernel_operator_use_states(folds->op, folds->coordinates);
    return VOLT_OK;
}

volt_status volt_state_folds_fill(volt_state_folds *folds, int64_t rows, volt_stage *stage)
{
    if (rows <= folds->filled)
        return VOLT_OK;
    volt_matrix fresh = volt_matrix_rows(folds->F, folds->filled, rows - folds->filled);
    VOLT_TRY(folds->op->states(folds->op, folds->filled, fresh, stage));
    folds->filled = rows;
    return volt_stage_goes_on(stage) ? VOLT_OK : volt_stage_end(stage);
}

volt_status volt_state_folds_grow(volt_state_folds *folds, int64_t to, volt_view Y, volt_stage *stage)
{
    int64_t w = folds->problem->washout, m = folds->m;
    if (to <= m)
        return VOLT_OK;
    VOLT_TRY(volt_state_folds_fill(folds, w + to, stage));
    volt_state_sums_add(folds->sums, volt_view_rows(volt_as_view(folds->F), w + m, to - m),
                        volt_view_rows(Y, m, to - m), NULL);
    folds->m = to;
    return VOLT_OK;
}

void volt_state_folds_forecast(const volt_state_folds *folds, volt_view F, volt_matrix out)
{
    const volt_state_sums *sums = folds->sums;
    volt_product(F, volt_view_of(sums->B, sums->states, sums->columns), sums->c, out);
}

void volt_state_folds_diagonal(const volt_state_folds *folds, int64_t count, double *diagonal)
{
    for (int64_t i = 0; i < count; i++) {
        const double *f = folds->F.data + (folds->problem->washout + i) * folds->F.ld;
        diagonal[i] = 0;
        for (int64_t k = 0; k < folds->F.cols; k++)
            diagonal[i] += f[k] * f[k];
    }
}
