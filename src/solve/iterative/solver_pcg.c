/* src/solve/iterative/solver_pcg.c: conjugate gradients with a landmark preconditioner (pcg.h), to a
 * tolerance and without storing K.
 *
 * Alpha and the errors of held-out rows are computed with the landmarks as in solver_nystrom.c. The same
 * pass over the rows computes the features of the preconditioner. Then every output is solved with its
 * alpha. */
#include "base/error.h"
#include "base/memory.h"
#include "solve/iterative/pcg.h"
#include "solve/landmark/feature_fit.h"
#include "solve/landmark/landmark_operator.h"

#include <math.h>
#include <string.h>

static double bytes(double n, double q, double landmarks)
{
    return volt_pcg_bytes(n, q, landmarks) + volt_solver_nystrom.bytes(n, q, landmarks);
}

static bool takes(int64_t n, int64_t q, int64_t landmarks, double available)
{
    return landmarks <= n && (available == 0 || bytes((double)n, (double)q, (double)landmarks) <= available);
}

/* The preconditioner, at the speed of the Nystrom trial, and the steps, whose additional operations are less
 * efficient. */
static volt_status seconds(double n, double landmarks, double *value)
{
    double m = fmax(landmarks, 1), once = 2 * n * m * m;
    VOLT_TRY(volt_solver_nystrom.seconds(n, m, value));
    *value *= 1 + 4 * (volt_pcg_flops(n, 1, m, VOLT_PCG_EXPECTED) - once) / once;
    return VOLT_OK;
}

/* The systems to solve: outputs that use the kernel. */
typedef struct system_list {
    int64_t columns;
    int64_t *output, *group; /* columns */
    double *alpha;
    bool *constant;
    double *targets; /* rows x columns */
    volt_preconditioner pre;
    volt_pcg_state state;
    double *product; /* n x columns: K x */
    double rcond;    /* of K + alpha I as approximated by the landmarks; 1 without landmarks */
} system_list;

static void release(void *workspace)
{
    system_list *s = workspace;
    if (!s)
        return;
    volt_preconditioner_release(&s->pre);
    volt_free(s->output);
    volt_free(s->group);
    volt_free(s->alpha);
    volt_free(s->constant);
    volt_free(s->targets);
    volt_free(s->state.x);
    volt_free(s->state.r);
    volt_free(s->state.p);
    volt_free(s->state.numbers);
    volt_free(s->product);
    volt_free(s);
}

static volt_status prepare(const volt_solver_task *task, const volt_readout *readout, void **workspace)
{
    VOLT_REQUIRE(task->iteration && (task->iteration->landmarks || !task->choice), VOLT_ERR_ARGUMENT,
                 "the solver \"pcg\" requires landmarks or alpha");
    int64_t n = task->kernel->n, rows = readout->A.rows, q = readout->A.cols;
    system_list *s = *workspace = volt_alloc_zero(1, sizeof *s);
    if (!s)
        return VOLT_ERR_MEMORY;
    *s = (system_list){.output = volt_alloc_zero(q, sizeof *s->output),
                       .group = volt_alloc_zero(q, sizeof *s->group),
                       .alpha = volt_alloc_doubles(q, 1),
                       .constant = volt_alloc_zero(q, sizeof *s->constant),
                       .targets = volt_alloc_doubles(rows, q),
                       .state = {.rows = rows,
                                 .x = volt_alloc_doubles(rows, q),
                                 .r = volt_alloc_doubles(rows, q),
                                 .p = volt_alloc_doubles(rows, q),
                                 .numbers = volt_alloc_zero(q * VOLT_PCG_NUMBERS, sizeof(double))},
                       .product = volt_alloc_doubles(n, q),
                       .rcond = 1};
    bool allocated = s->output && s->group && s->alpha && s->constant && s->targets && s->state.x &&
                     s->state.r && s->state.p && s->state.numbers && s->product;
    if (!allocated)
        return VOLT_ERR_MEMORY;
    volt_operator *landmarks = task->iteration->landmarks;
    return landmarks ? volt_preconditioner_make(landmarks, task->washout, q, &s->pre) : VOLT_OK;
}

/* ---- before the iteration ----------------------------------------------------------------------- */

/* Targets of output k: its level if that was chosen, else `first`. */
static volt_view targets_of(const volt_solver_task *task, int64_t k, volt_view first)
{
    return task->choice && task->choice->outputs[k].level ? task->choice->level : first;
}

/* Lists the chosen columns and their targets. */
static void list_systems(const volt_solver_task *task, volt_view first, system_list *s)
{
    for (int64_t k = 0; k < first.cols; k++) {
        volt_chosen chosen = volt_feature_chosen(task, k);
        if (isinf(chosen.alpha))
            continue;
        s->output[s->columns] = k;
        s->alpha[s->columns] = chosen.alpha;
        s->constant[s->columns++] = chosen.constant;
    }
    s->state.columns = s->columns;
    for (int64_t i = 0; i < first.rows; i++)
        for (int64_t c = 0; c < s->columns; c++) {
            int64_t k = s->output[c];
            volt_view Y = targets_of(task, k, first);
            s->targets[i * s->columns + c] = task->without && task->without[i] ? 0 : Y.data[i * Y.ld + k];
        }
}

/* One pass over the rows: choice on held-out rows, and the preconditioner. */
static volt_status choose_and_precondition(const volt_solver_task *task, volt_view first, double share,
                                           system_list *s)
{
    volt_solver_task by_landmarks = *task;
    volt_feature_fit fit = {0};
    if (!task->iteration->landmarks) {
        list_systems(task, first, s);
        return VOLT_OK;
    }
    by_landmarks.kernel = task->iteration->landmarks;
    by_landmarks.loo_errors = NULL;
    volt_feature_fit plan = volt_feature_fit_of(&by_landmarks, 0, first);
    volt_feature_shares of = volt_feature_fit_shares(&plan);
    share /= of.states + of.choose;
    volt_status status = volt_nystrom_sum(&by_landmarks, first, s->pre.first, s->pre.B, share * of.states,
                                          share * of.choose, &fit);
    if (status == VOLT_OK) {
        list_systems(task, first, s);
        status = volt_preconditioner_factor(fit.sums, s->alpha, s->constant, s->columns, s->group, &s->pre,
                                            &s->rcond);
    }
    volt_feature_fit_release(&fit);
    return status;
}

/* ---- after it ----------------------------------------------------------------------------------- */

/* Mean of column k of the targets over the rows with a target; and of K x. */
static double mean_target(const volt_solver_task *task, volt_view Y, int64_t k)
{
    double sum = 0, count = 0;
    for (int64_t i = 0; i < Y.rows; i++)
        if (!(task->without && task->without[i])) {
            sum += Y.data[i * Y.ld + k];
            count++;
        }
    return count > 0 ? sum / count : 0;
}

/* If the kernel is not used: 0, or the mean of the targets. `first` is still in A. */
static void take_constant(const volt_solver_task *task, int64_t k, volt_readout *readout)
{
    volt_chosen chosen = volt_feature_chosen(task, k);
    volt_view Y = targets_of(task, k, volt_as_view(readout->A));
    readout->intercepts[k] = chosen.constant ? mean_target(task, Y, k) : 0;
    readout->unlearned[k] = 0;
    for (int64_t i = 0; i < readout->A.rows; i++)
        readout->A.data[i * readout->A.ld + k] = 0;
    for (int64_t i = 0; readout->washout_fitted.data && i < readout->washout_fitted.rows; i++)
        readout->washout_fitted.data[i * readout->washout_fitted.ld + k] = 0;
}

/* Store solved column c. With an intercept c = mean (y - K x), corrected for the rounding error of 1'x times
 * `common`. */
static void take_column(const volt_solver_task *task, const system_list *s, int64_t c, volt_readout *readout)
{
    int64_t k = s->output[c], w = task->washout, rows = s->state.rows, columns = s->columns;
    double share = volt_feature_chosen(task, k).share, sum = 0;
    volt_view product = volt_view_of(s->product + w * columns, rows, columns);
    double mean = mean_target(task, volt_view_of(s->targets, rows, columns), c);
    for (int64_t i = 0; i < rows; i++) {
        sum += s->state.x[i * columns + c];
        readout->A.data[i * readout->A.ld + k] = share * s->state.x[i * columns + c];
    }
    readout->unlearned[k] = task->centred ? mean : 0;
    readout->intercepts[k] =
        s->constant[c] ? share * (mean - mean_target(task, product, c)) : -share * task->common * sum;
    readout->intercepts[k] -= readout->unlearned[k];
    for (int64_t i = 0; readout->washout_fitted.data && i < w; i++)
        readout->washout_fitted.data[i * readout->washout_fitted.ld + k] = share * s->product[i * columns + c];
}

static void take_readout(const volt_solver_task *task, const system_list *s, volt_readout *readout)
{
    readout->rcond = s->rcond;
    for (int64_t k = 0, c = 0; k < readout->A.cols; k++)
        if (c < s->columns && s->output[c] == k)
            take_column(task, s, c++, readout);
        else
            take_constant(task, k, readout);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* Operations before the steps, relative to a product with K: a pass over the rows, and the systems of the choice. */
static double work_before(const volt_solver_task *task, double q)
{
    const volt_operator *kernel = task->kernel, *landmarks = task->iteration->landmarks;
    if (!landmarks)
        return 0;
    double n = (double)kernel->n, m = (double)landmarks->n_states;
    double product = n * n / 2 * kernel->entry_cost + q * (4 * n * m + 2 * n * n);
    double pass = n * (landmarks->row_units * landmarks->entry_cost + 2 * m * m);
    return (pass + (task->choice ? VOLT_MAX_ALPHAS : 1) * m * m * m / 3) / product;
}

static volt_status solve(const volt_solver_task *task, void *workspace, volt_readout *readout)
{
    int64_t n = task->kernel->n;
    double before = work_before(task, (double)readout->A.cols), share = before / (before + VOLT_PCG_USUAL + 1);
    system_list *s = workspace;
    readout->log_likelihood = NAN;
    task->iteration->steps = 0;
    task->iteration->residual = 0;
    task->iteration->converged = true;
    VOLT_TRY(choose_and_precondition(task, volt_as_view(readout->A), share, s));
    volt_pcg_problem problem = {.kernel = task->kernel,
                                .backend = task->backend ? task->backend : volt_backend_current(),
                                .washout = task->washout,
                                .without = task->without,
                                .common = task->common,
                                .columns = s->columns,
                                .alpha = s->alpha,
                                .constant = s->constant,
                                .targets = s->targets,
                                .pre = &s->pre,
                                .group = s->group,
                                .progress = task->progress,
                                .before = before};
    if (s->columns > 0)
        VOLT_TRY(volt_pcg_run(&problem, task->iteration, &s->state, volt_matrix_of(s->product, n, s->columns)));
    take_readout(task, s, readout);
    return VOLT_OK;
}

const volt_solver volt_solver_pcg = {
    .info = {.name = "pcg", .meaning = "exact to a tolerance: conjugate gradients, without the Gram matrix"},
    .accuracy = VOLT_ACCURACY_TOLERANCE,
    .needs = {.rows = true, .landmarks = true},
    .accepts = {.device = true},
    .offers = {.checkpoints = true},
    .iterations = 1000,
    .tolerance = 1e-4,
    .products = VOLT_PCG_EXPECTED,
    .landmarks = volt_pcg_landmarks,
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .prepare = prepare,
    .solve = solve,
    .release = release,
};
