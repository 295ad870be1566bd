/* src/select/folds/workspace.c: workspace of an evaluation. */
#include "select/folds/cross_validation.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "solve/choice/choice.h"

/* Numbers overwritten by a fit with a loss: a Gram matrix of the longest training part, and intercepts. */
static double part_numbers(const volt_problem *problem)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < problem->n_splits; k++)
        longest = volt_max(longest, problem->splits[k].train_end - problem->splits[k].train_begin);
    return (double)longest * (double)longest + (double)problem->q;
}

/* Rows of the stored Gram matrix. */
static int64_t stored_rows(const volt_problem *problem)
{
    return problem->landmarks > 0 ? 1 : problem->max_rows;
}

/* Whether a block after a reset requires a separate buffer. */
static bool has_cross(const volt_problem *problem)
{
    return problem->start == VOLT_START_RESET && problem->landmarks == 0;
}

void volt_workspace_free(volt_workspace *workspace)
{
    if (!workspace)
        return;
    if (workspace->factor)
        workspace->factor->backend->release(workspace->cross);
    volt_factor_free(workspace->factor);
    volt_free(workspace->W);
    volt_free(workspace->D);
    volt_free(workspace->forecast);
    volt_free(workspace->diagonal);
    volt_free(workspace->part);
    volt_free(workspace->precisions);
    volt_free(workspace->profile);
    volt_free(workspace);
}

int64_t volt_workspace_bind(const volt_workspace *workspace)
{
    return volt_backend_bind(workspace->factor->backend, workspace->device);
}

volt_status volt_workspace_create(const volt_problem *problem, volt_workspace **workspace)
{
    const volt_backend *backend = problem->backend;
    int64_t n = problem->max_rows, block = volt_longest_block(problem);
    bool resets = has_cross(problem);
    volt_workspace *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->device = volt_backend_bound();
    volt_status status = volt_factor_create(backend, NULL, stored_rows(problem), problem->q, &fresh->factor);
    if (status == VOLT_OK) {
        fresh->W = volt_alloc_doubles(n, problem->q + 1);
        fresh->D = volt_alloc_doubles(n, problem->q);
        fresh->forecast = volt_alloc_doubles(block, problem->q);
        fresh->diagonal = volt_alloc_doubles(n, 1);
        fresh->precisions = volt_alloc_doubles(n, 1);
        fresh->profile = volt_alloc_doubles(VOLT_MAX_ALPHAS, problem->folds);
        fresh->part = problem->loss ? volt_alloc_doubles((int64_t)part_numbers(problem), 1) : NULL;
        fresh->cross = resets ? backend->alloc(block, n) : NULL;
        if (!fresh->W || !fresh->D || !fresh->forecast || !fresh->diagonal || !fresh->precisions ||
            !fresh->profile || (resets && !fresh->cross) || (problem->loss && !fresh->part))
            status = VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK)
        *workspace = fresh;
    else
        volt_workspace_free(fresh);
    return status;
}

/* Bytes of a block after a reset against the training rows. */
static double cross_bytes(const volt_problem *problem)
{
    return has_cross(problem) ? 8 * (double)volt_longest_block(problem) * (double)problem->max_rows : 0;
}

double volt_workspace_bytes(const volt_problem *problem)
{
    double n = (double)problem->max_rows, q = (double)problem->q, block = (double)volt_longest_block(problem);
    double part = problem->loss ? part_numbers(problem) + volt_loss_numbers(n, q) : 0;
    double thin = 8 * (n * (2 * q + 3) + block * q + part);
    double large = volt_factor_bytes(stored_rows(problem), problem->q) + cross_bytes(problem);
    return large - volt_backend_remote_bytes(problem->backend, large) + thin;
}

double volt_workspace_device_bytes(const volt_problem *problem)
{
    double matrix = volt_backend_bytes(problem->backend, (double)problem->max_rows);
    return volt_backend_remote_bytes(problem->backend, matrix + cross_bytes(problem));
}
