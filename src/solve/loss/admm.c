/* src/solve/loss/admm.c: the alternating direction method of multipliers; the formulas are in
 * loss_methods.h. */
#include "solve/loss/loss_methods.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <math.h>
#include <string.h>

static const double RELAXATION = 1.7;

/* ---- solves with one column ------------------------------------------------------------------- */

/* A triangular solve with one column is limited by reading L, so all threads must read. Rows below (columns
 * left of) a diagonal block are independent of each other. */
enum { SOLVE_BLOCK = 192, MIN_SHARED = 1000 }; /* below, L stays in the cache of one thread */

static void solve_block(volt_matrix L, int64_t first, int64_t count, CBLAS_TRANSPOSE transpose, double *x)
{
    cblas_dtrsv(CblasRowMajor, CblasLower, transpose, CblasNonUnit, (volt_blas_int)count,
                L.data + first * (L.ld + 1), (volt_blas_int)L.ld, x + first, 1);
}

static int64_t block_rows(int64_t n)
{
    return n < MIN_SHARED ? n : SOLVE_BLOCK;
}

static void forward_column(volt_matrix L, double *x)
{
    int64_t n = L.rows, block = block_rows(n);
    for (int64_t first = 0; first < n; first += block) {
        int64_t count = volt_min(block, n - first);
        solve_block(L, first, count, CblasNoTrans, x);
        if (first + count < n)
            cblas_dgemv(CblasRowMajor, CblasNoTrans, (volt_blas_int)(n - first - count), (volt_blas_int)count,
                        -1, L.data + (first + count) * L.ld + first, (volt_blas_int)L.ld, x + first, 1, 1,
                        x + first + count, 1);
    }
}

static void backward_column(volt_matrix L, double *x)
{
    int64_t n = L.rows, block = block_rows(n);
    for (int64_t first = (n - 1) / block * block; first >= 0; first -= block) {
        int64_t count = volt_min(block, n - first);
        solve_block(L, first, count, CblasTrans, x);
        if (first > 0)
            cblas_dgemv(CblasRowMajor, CblasTrans, (volt_blas_int)count, (volt_blas_int)first, -1,
                        L.data + first * L.ld, (volt_blas_int)L.ld, x + first, 1, 1, x, 1);
    }
}

void volt_loss_solve_factor(volt_matrix L, volt_matrix B)
{
    if (B.cols == 1 && B.ld == 1) {
        forward_column(L, B.data);
        backward_column(L, B.data);
    } else {
        volt_cholesky_forward(L, B);
        volt_cholesky_backward(L, B);
    }
}

/* ---- steps ------------------------------------------------------------------------------------ */

/* n x columns each: v (= K a + 1 c of the readout), u and g of the split. */
typedef struct admm_workspace {
    volt_matrix v, u, g;
    double *certificate;
} admm_workspace;

static volt_status begin(const volt_loss_problem *problem, admm_workspace *space)
{
    int64_t n = problem->n, m = problem->columns;
    double *all = volt_alloc_doubles(n, 5 * m);
    if (!all)
        return VOLT_ERR_MEMORY;
    space->v = volt_matrix_of(all, n, m);
    space->u = volt_matrix_of(all + n * m, n, m);
    space->g = volt_matrix_of(all + 2 * n * m, n, m);
    space->certificate = all + 3 * n * m;
    const volt_loss_kind *kind = problem->loss->kind;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < m; k++) {
            double y = problem->Y.data[i * problem->Y.ld + k];
            bool counts = volt_loss_weight(problem, i) > 0;
            space->u.data[i * m + k] = !counts ? 0 : kind->start ? kind->start(y) : y;
            space->g.data[i * m + k] = 0;
        }
    return VOLT_OK;
}

/* Computes a, c and v for the current u and g. */
static void solve_readout(const volt_loss_problem *problem, const volt_admm_task *task, double rho,
                          const admm_workspace *space, volt_loss_state *state)
{
    int64_t n = problem->n, m = problem->columns;
    double *b = space->v.data, *a = state->A.data, shift = problem->alpha / rho, r1 = 0;
    for (int64_t i = 0; i < n * m; i++)
        a[i] = b[i] = space->u.data[i] - space->g.data[i] / rho;
    volt_loss_solve_factor(problem->K, state->A);
    for (int64_t i = 0; problem->intercept && i < n; i++)
        r1 += task->r1[i];
    for (int64_t k = 0; k < m; k++) {
        double sum = 0;
        for (int64_t i = 0; problem->intercept && i < n; i++)
            sum += a[i * m + k];
        double c = problem->intercept ? sum / r1 : 0;
        state->c[k] = c;
        for (int64_t i = 0; i < n; i++) {
            a[i * m + k] -= problem->intercept ? task->r1[i] * c : 0;
            b[i * m + k] -= shift * a[i * m + k];
        }
    }
}

/* The largest change of u and of g relative to their largest values. */
typedef struct movement {
    double u, g, du, dg;
    double apart; /* the largest difference between v and u, which converges to 0 */
} movement;

static volt_status ease_rows(const volt_loss_problem *problem, double rho, const admm_workspace *space,
                             movement *moved)
{
    int64_t m = problem->columns;
    double g[VOLT_MAX_LEVELS], v[VOLT_MAX_LEVELS];
    *moved = (movement){0};
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t k = 0; k < m; k += problem->group) {
            double *u_i = space->u.data + i * m + k, *g_i = space->g.data + i * m + k;
            for (int64_t j = 0; j < problem->group; j++)
                v[j] = RELAXATION * space->v.data[i * m + k + j] + (1 - RELAXATION) * u_i[j];
            VOLT_TRY(volt_loss_row_slope(problem, i, k, v, g_i, rho, g, NULL));
            for (int64_t j = 0; j < problem->group; j++) {
                double u = v[j] + (g_i[j] - g[j]) / rho;
                moved->apart = fmax(moved->apart, fabs(space->v.data[i * m + k + j] - u));
                moved->du = fmax(moved->du, fabs(u - u_i[j]));
                moved->dg = fmax(moved->dg, fabs(g[j] - g_i[j]));
                moved->u = fmax(moved->u, fabs(u));
                moved->g = fmax(moved->g, fabs(g[j]));
                u_i[j] = u;
                g_i[j] = g[j];
            }
        }
    return VOLT_OK;
}

static void certify(const volt_loss_problem *problem, const volt_admm_task *task, const admm_workspace *space,
                    volt_loss_state *state)
{
    memcpy(state->G.data, space->g.data, (size_t)(problem->n * problem->columns) * sizeof(double));
    volt_loss_certify(problem, task->tolerance, state, space->certificate);
}

/* The rho that balances the primal and dual residuals, each relative to its size (Stellato and others, OSQP,
 * 2020, section 5.2); the current one if it is within a factor. */
static double better_rho(const volt_admm_task *task, const movement *moved, double rho)
{
    enum { NEAR = 3 };
    double ratio = moved->apart * moved->g / (rho * moved->du * moved->u);
    if (!(ratio > 0 && isfinite(ratio)))
        return rho;
    double better = fmin(fmax(rho * sqrt(ratio), task->min_rho), task->max_rho);
    return better > NEAR * rho || NEAR * better < rho ? better : rho;
}

static volt_status run(const volt_loss_problem *problem, const volt_admm_task *task,
                       const admm_workspace *space, volt_loss_state *state, int64_t *steps)
{
    enum { FIRST_LOOK = 30 };
    movement moved;
    double rho = task->rho;
    for (int64_t step = 1, look = FIRST_LOOK; step <= task->max_steps; step++, ++*steps) {
        if (!volt_stage_poll(problem->stage))
            return volt_stage_end(problem->stage);
        solve_readout(problem, task, rho, space, state);
        VOLT_TRY(ease_rows(problem, rho, space, &moved));
        if (step % task->every != 0 && step < task->max_steps)
            continue;
        certify(problem, task, space, state);
        bool still = !task->needs_convergence ||
                     (moved.du <= task->tolerance * moved.u && moved.dg <= task->tolerance * moved.g);
        if (state->gap <= volt_loss_gap_tolerance(problem, task->tolerance, state->objective) && still) {
            ++*steps;
            break;
        }
        if (!task->refactor || step < look)
            continue;
        look *= 3;
        double next = better_rho(task, &moved, rho);
        if (next != rho)
            VOLT_TRY(task->refactor(task->context, next));
        rho = next;
    }
    return VOLT_OK;
}

volt_status volt_admm_run(const volt_loss_problem *problem, const volt_admm_task *task, volt_loss_state *state,
                          int64_t *steps)
{
    admm_workspace space = {0};
    VOLT_TRY(begin(problem, &space));
    volt_status status = run(problem, task, &space, state, steps);
    volt_free(space.v.data);
    return status;
}
