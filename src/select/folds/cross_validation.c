/* src/select/folds/cross_validation.c: scores all validation blocks of a candidate with one factorisation.
 *
 * Training parts that start at the same row are leading blocks of each other. One factor
 * (solve/exact/factor.h) grows from block to block and predicts each from the rows before it, so a candidate
 * that is stopped early costs little. Training parts that start elsewhere (rolling ones) form further
 * groups. Candidates with far fewer explicit states than rows use those instead (state_folds.h): their sums
 * grow from block to block. With a loss every training part is fitted separately (fold_loss.h); only the
 * rows of the matrix are shared.
 *
 * If alpha is not given it is profiled: the same Gram matrix is factored with every alpha of a grid, and the
 * best mean score is used. With expensive kernel entries this is cheaper than drawing alpha with the other
 * parameters. */
#include "select/folds/cross_validation.h"

#include "base/error.h"
#include "model/initial.h"
#include "select/folds/evaluation.h"
#include "solve/choice/choice.h"
#include "solve/loss/loss_solve.h"

#include <math.h>
#include <string.h>

/* ---- groups of folds -------------------------------------------------------------------------- */

/* Scores whose training parts start at the same row: first .. next - 1. */
typedef struct group {
    int64_t first, next;
    int64_t rows; /* rows required */
} group;

/* The group that starts with score `first`. */
static group group_at(const volt_problem *problem, int64_t first)
{
    if (volt_score_is_of_all_rows(problem->score))
        return (group){.first = 0, .next = 1, .rows = problem->n};
    int64_t base = problem->splits[first].train_begin, next = first, end = 0;
    for (; next < problem->n_splits && problem->splits[next].train_begin == base; next++) {
        const volt_split *split = &problem->splits[next];
        end = problem->start == VOLT_START_RESET ? split->train_end : split->end;
    }
    return (group){.first = first, .next = next, .rows = end - base};
}

static volt_status begin(volt_evaluation *e, const group *folds)
{
    bool all = volt_score_is_of_all_rows(e->problem->score);
    return volt_evaluation_begin(e, all ? 0 : e->problem->splits[folds->first].train_begin, folds->rows);
}

static volt_status score_at(volt_evaluation *e, int64_t k, double *score)
{
    volt_status status = volt_score_is_of_all_rows(e->problem->score)
                             ? volt_evaluation_score_all(e, score)
                             : volt_evaluation_score(e, &e->problem->splits[k], score);
    VOLT_TRY(volt_backend_state(e->factor->backend)); /* results from a lost device are invalid */
    return status;
}

/* ---- all folds, alpha given ------------------------------------------------------------------- */

static volt_status evaluate_all(volt_evaluation *e, volt_continue_fn should_continue, void *context,
                                double *folds, int64_t *n_done)
{
    int64_t count = e->problem->folds;
    for (group at = {0}; at.next < count;) {
        at = group_at(e->problem, at.next);
        VOLT_TRY(begin(e, &at));
        for (int64_t k = at.first; k < at.next; k++) {
            VOLT_TRY(score_at(e, k, &folds[k]));
            *n_done = k + 1;
            if (k + 1 < count && should_continue && !should_continue(folds, k + 1, context))
                return VOLT_OK;
        }
    }
    return VOLT_OK;
}

/* ---- all folds, alpha profiled ---------------------------------------------------------------- */

typedef struct profile {
    double alphas[VOLT_MAX_ALPHAS];
    bool failed[VOLT_MAX_ALPHAS];
    int64_t count;
    volt_status status; /* of the last failure, whose message is kept */
} profile;

/* Records the status of an alpha. One that fails is skipped. */
static volt_status note(profile *p, int64_t a, volt_status status)
{
    p->failed[a] = status == VOLT_ERR_SINGULAR || status == VOLT_ERR_NOT_FINITE;
    if (!p->failed[a])
        return status;
    p->status = status;
    return VOLT_OK;
}

/* All folds of a group with alpha number a. */
static volt_status profile_folds(volt_evaluation *e, const group *at, int64_t a, profile *p)
{
    double *scores = e->space->profile + a * e->problem->folds;
    volt_status status = VOLT_OK;
    for (int64_t k = at->first; k < at->next && status == VOLT_OK; k++)
        status = score_at(e, k, &scores[k]);
    return note(p, a, status);
}

/* With a loss: from the largest alpha down, until the folds of the first group have lost as often as a fit
 * allows. */
static volt_status profile_loss(volt_evaluation *e, const group *at, profile *p)
{
    double best = INFINITY;
    int64_t lost = 0;
    VOLT_TRY(volt_evaluation_fill(e, at->rows));
    if (at->first == 0)
        p->count = volt_alpha_list(VOLT_ALPHA_LOSS, volt_loss_unit(volt_as_view(e->factor->L)), 0, p->alphas);
    for (int64_t a = 0; a < p->count; a++) {
        double mean = 0;
        if (p->failed[a])
            continue;
        e->alpha = p->alphas[a];
        VOLT_TRY(profile_folds(e, at, a, p));
        for (int64_t k = at->first; k < at->next && !p->failed[a]; k++)
            mean -= volt_score_sign(e->problem->score) * e->space->profile[a * e->problem->folds + k];
        lost = !p->failed[a] && mean < best ? 0 : lost + 1;
        best = lost == 0 ? mean : best;
        if (at->first == 0 && lost == volt_alpha_patience(VOLT_ALPHA_LOSS))
            p->count = a + 1;
    }
    return VOLT_OK;
}

/* All alphas on the folds of a group. The Gram matrix is computed once. */
static volt_status profile_rows(volt_evaluation *e, const group *at, profile *p)
{
    double *diagonal = e->space->diagonal;
    VOLT_TRY(volt_evaluation_fill(e, at->rows));
    volt_factor_task task = e->factor->task;
    volt_factor_keep(e->factor, 0, diagonal);
    if (at->first == 0) {
        double least, unit = volt_alpha_unit(diagonal, e->factor->L.rows, e->factor->L.rows, &least);
        p->count = volt_alpha_list(VOLT_ALPHA_SQUARES, unit, least, p->alphas);
    }
    bool is_whole = true;
    for (int64_t a = 0; a < p->count; a++) {
        if (p->failed[a])
            continue;
        if (!is_whole)
            volt_factor_restore(e->factor, 0);
        is_whole = false;
        volt_factor_restart(e->factor, &task, 0, p->alphas[a], diagonal);
        VOLT_TRY(profile_folds(e, at, a, p));
    }
    return VOLT_OK;
}

/* The same in states: the sums of a fold serve all alphas. */
static volt_status profile_states(volt_evaluation *e, const group *at, profile *p)
{
    for (int64_t k = at->first; k < at->next; k++) {
        const volt_split *split = &e->problem->splits[k];
        volt_view F = {0};
        VOLT_TRY(volt_evaluation_prepare_states(e, split, &F));
        if (k == 0)
            VOLT_TRY(
                volt_state_folds_grid(e->states, at->rows, e->space->diagonal, p->alphas, &p->count, e->stage));
        for (int64_t a = 0; a < p->count; a++) {
            if (p->failed[a])
                continue;
            double *score = &e->space->profile[a * e->problem->folds + k];
            VOLT_TRY(note(p, a, volt_evaluation_score_states(e, split, p->alphas[a], F, score)));
        }
    }
    return VOLT_OK;
}

/* All alphas at once if all rows are one block. */
static volt_status profile_loo(volt_evaluation *e, profile *p)
{
    volt_status status[VOLT_MAX_ALPHAS];
    VOLT_TRY(volt_evaluation_score_loo(e, p->alphas, &p->count, status, e->space->profile));
    for (int64_t a = 0; a < p->count; a++)
        VOLT_TRY(note(p, a, status[a]));
    return VOLT_OK;
}

static volt_status profile_group(volt_evaluation *e, const group *at, profile *p)
{
    VOLT_TRY(begin(e, at));
    if (e->problem->loss)
        return profile_loss(e, at, p);
    if (!e->states)
        return profile_rows(e, at, p);
    return volt_score_is_of_all_rows(e->problem->score) ? profile_loo(e, p) : profile_states(e, at, p);
}

/* The alpha with the best mean; -1: all failed. */
static int64_t best_of(const profile *p, const volt_problem *problem, const double *scores)
{
    int64_t index = -1, folds = problem->folds;
    volt_alpha_best best = {0};
    volt_alpha_choice choice = {.columns = 1, .best = &best};
    for (int64_t a = 0; a < p->count; a++) {
        double mean = 0;
        for (int64_t k = 0; k < folds; k++)
            mean += volt_score_sign(problem->score) * scores[a * folds + k] / (double)folds;
        choice.alpha = p->alphas[a];
        if (!p->failed[a] && volt_alpha_offer(&choice, 0, -mean, 0))
            index = a;
    }
    return index;
}

static volt_status profile_alpha(volt_evaluation *e, double *alpha, double *folds, int64_t *n_done)
{
    const volt_problem *problem = e->problem;
    profile p = {.status = VOLT_OK};
    for (group at = {0}; at.next < problem->folds;) {
        at = group_at(problem, at.next);
        VOLT_TRY(profile_group(e, &at, &p));
    }
    VOLT_REQUIRE(p.count > 0, VOLT_ERR_DATA,
                 "the diagonal of the Gram matrix is 0 or not finite: there is no alpha of its size");
    int64_t best = best_of(&p, problem, e->space->profile);
    if (best < 0)
        return p.status;
    *alpha = p.alphas[best];
    *n_done = problem->folds;
    memcpy(folds, e->space->profile + best * problem->folds, (size_t)problem->folds * sizeof *folds);
    return VOLT_OK;
}

/* As in fits. */
static volt_status check_solver(const volt_problem *problem, const volt_resolved *resolved)
{
    const volt_solver *solver = volt_candidate_solver(problem, resolved);
    VOLT_REQUIRE(problem->intercept || !resolved->centred || solver->accepts.centred, VOLT_ERR_ARGUMENT,
                 "the solver \"%s\" requires an intercept for centred kernels", solver->info.name);
    return VOLT_OK;
}

volt_status volt_evaluate(const volt_problem *problem, volt_workspace *workspace, const char *kernel,
                          double *alpha, double feedback, volt_continue_fn should_continue, void *context,
                          volt_stage *stage, double *folds, int64_t *n_done, volt_cost *cost)
{
    volt_evaluation e = {.problem = problem,
                         .space = workspace,
                         .factor = workspace->factor,
                         .alpha = *alpha,
                         .width = problem->d,
                         .stage = stage};
    *n_done = 0;
    e.factor->cost = (volt_cost){0};
    VOLT_TRY(volt_kernel_parse(kernel, &e.kernel));
    e.inputs = volt_kernel_keeps_origin(e.kernel) ? &problem->unshifted : &problem->shifted;
    volt_status status = volt_kernel_use_past(e.kernel, &e.inputs->past);
    if (status == VOLT_OK && feedback > 0)
        status = volt_initial_check(problem->initial, e.inputs->past.input, problem->d, true);
    if (status == VOLT_OK && feedback > 0) {
        status = volt_feedback_inputs_create(problem, e.inputs, feedback, &e.fed_outputs);
        e.inputs = &e.fed_outputs.all;
        e.width += problem->q;
    }
    if (status == VOLT_OK)
        status = volt_evaluation_slice(&e, 0);
    if (status == VOLT_OK)
        status = volt_kernel_resolve_slices(e.kernel, e.sliced.extents, e.width, &e.resolved);
    e.intercept = problem->intercept || e.resolved.centred;
    if (status == VOLT_OK && volt_score_is_of_all_rows(problem->score) && e.resolved.centred)
        status = volt_fail(VOLT_ERR_ARGUMENT, "the score %s is not supported for centred kernels",
                           volt_score_name(problem->score));
    if (status == VOLT_OK)
        status = check_solver(problem, &e.resolved);
    if (status == VOLT_OK && volt_candidate_states(problem, &e.resolved) > 0)
        status = volt_state_folds_create(problem, &e.resolved, &e.states);
    if (status == VOLT_OK)
        status = *alpha > 0 ? evaluate_all(&e, should_continue, context, folds, n_done)
                            : profile_alpha(&e, alpha, folds, n_done);
    volt_evaluation_discard_columns(&e);
    volt_state_folds_free(e.states);
    volt_resolved_release(&e.resolved);
    volt_sliced_rows_release(&e.sliced);
    volt_feedback_inputs_release(&e.fed_outputs);
    volt_kernel_free(e.kernel);
    *cost = e.factor->cost;
    return status;
}
