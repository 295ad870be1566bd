/* src/solve/exact/factor_errors.c: one-step, held-out and leave-one-out errors, and the likelihood. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "solve/exact/factor.h"

#include <math.h>
#include <string.h>

enum { PIVOTS = 512, COLUMNS = 64 }; /* processed at a time */

/* ---- one step ahead --------------------------------------------------------------------------- */

void volt_factor_one_step(volt_factor *f, int64_t begin, volt_matrix out)
{
    const volt_factor_task *task = &f->task;
    double pivots[PIVOTS];
    for (int64_t first = f->summed; first < f->m; first += PIVOTS) {
        int64_t end = volt_min(first + PIVOTS, f->m);
        volt_factor_pivots(f, first, end - first, pivots);
        for (int64_t t = first; t < end; t++) {
            const double *row = task->W.data + t * task->W.ld, *y = task->Y.data + t * task->Y.ld;
            double pivot = pivots[t - first], u = task->u ? task->u[t * task->ld_u] : 0;
            if (t >= begin) {
                if (task->u)
                    volt_factor_update_intercepts(f, t);
                for (int64_t k = 0; k < f->q;
                     k++) /* c and shift differ by the mean that a centred kernel excludes */
                    out.data[(t - begin) * out.ld + k] =
                        y[k] - pivot * (row[k] - u * f->c[k]) + (f->shift[k] - f->c[k]);
            }
            if (task->u)
                volt_factor_add_to_sums(f, t);
        }
    }
    f->summed = f->m;
}

/* ---- held out --------------------------------------------------------------------------------- */

/* Workspace of held_out: a block of rows of L, sums, intercepts. */
typedef struct held_out_workspace {
    double *L, *uw, *c;
} held_out_workspace;

/* c_h of the rows before h, 0 if none of them has a target. The sums already include rows before *summed. */
static void intercepts_before(const volt_factor *f, int64_t h, int64_t *summed, double *uu, double *uw,
                              double *c)
{
    const volt_factor_task *task = &f->task;
    for (; *summed < h; ++*summed) {
        double u = task->u[*summed * task->ld_u];
        *uu += u * u;
        for (int64_t k = 0; k < f->q; k++)
            uw[k] += u * task->W.data[*summed * task->W.ld + k];
    }
    for (int64_t k = 0; k < f->q; k++)
        c[k] = *uu > 0 ? uw[k] / *uu : 0;
}

/* v_t of factor.h, from columns h .. t of row t of L; 0 if no row with a target is known. */
static double variance_ahead(const volt_factor *f, const double *row, int64_t h, int64_t t, bool constant,
                             double uu)
{
    double v = 0, price = 0;
    if (constant && !(uu > 0))
        return 0;
    for (int64_t j = h; j <= t; j++) {
        v += row[j - h] * row[j - h];
        price += constant ? row[j - h] * f->task.u[j * f->task.ld_u] : 0;
    }
    return constant ? v + price * price / uu : v;
}

/* Maximum number of columns of L needed by a block of rows, whose last row is predicted from at most `most`
 * rows. */
static int64_t widest_block(const volt_factor *f, int64_t ahead, int64_t most)
{
    return volt_max(COLUMNS + ahead, f->m - most);
}

/* Process rows t .. t + count - 1. Their part of L, from the first column unknown to one of them, is copied
 * to the host. v (count numbers; NULL: not computed) receives the variances. */
static void held_out_rows(volt_factor *f, int64_t ahead, int64_t most, int64_t t, int64_t count, bool constant,
                          const held_out_workspace *workspace, int64_t *summed, double *uu, double *v,
                          volt_matrix out)
{
    const volt_factor_task *task = &f->task;
    int64_t left = volt_min(t - ahead + 1, most), width = t + count - left, q = f->q;
    volt_view on_device = {f->L.data + t * f->L.ld + left, count, width, f->L.ld};
    f->backend->get(on_device, volt_matrix_of(workspace->L, count, width));
    bool frozen = left == most; /* the same rows are known to all: one intercept, and rows in any order */
    if (frozen && constant)
        intercepts_before(f, most, summed, uu, workspace->uw, workspace->c);
    double work = (double)count * (double)width * (double)q;
#pragma omp parallel for schedule(static, 4) num_threads((int)volt_threads_for(frozen ? work : 0))
    for (int64_t i = 0; i < count; i++) {
        int64_t h = volt_min(t + i - ahead + 1, most);
        double *e = out.data + i * out.ld;
        const double *row = workspace->L + i * width;
        if (constant && !frozen)
            intercepts_before(f, h, summed, uu, workspace->uw, workspace->c);
        memset(e, 0, (size_t)q * sizeof *e);
        for (int64_t j = h; j <= t + i; j++) {
            const double *w = task->W.data + j * task->W.ld;
            double weight = row[j - left], u = constant ? task->u[j * task->ld_u] : 0;
            for (int64_t k = 0; k < q; k++)
                e[k] += weight * (w[k] - u * workspace->c[k]);
        }
        if (v)
            v[i] = variance_ahead(f, row + h - left, h, t + i, constant, *uu);
    }
}

void volt_held_out_rows(volt_held_out *held, int64_t m, const bool *without)
{
    enum { MIN_BEGIN = 8 };
    int64_t later = volt_max(m / 2, m - volt_max_held_out(held));
    held->begin = volt_max(volt_max(later, 2 * held->ahead + 2), MIN_BEGIN);
    held->rows = volt_max(m - held->begin, 0);
    held->counted = 0;
    for (int64_t t = held->begin; t < m; t++)
        held->counted += !(without && without[t]);
    if (held->counted == 0)
        held->rows = 0;
    int64_t block = volt_held_out_block(held);
    if (held->blocks > 0)
        held->blocks = (held->rows + block - 1) / block;
}

int64_t volt_held_out_block(const volt_held_out *held)
{
    return held->blocks > 0 ? volt_max((held->rows + held->blocks - 1) / held->blocks, 1) : 1;
}

volt_status volt_factor_held_out(volt_factor *f, int64_t ahead, int64_t begin, bool constant, int64_t block,
                                 volt_matrix out)
{
    int64_t summed = 0, widest = volt_max(COLUMNS, volt_min(block, f->m)) + ahead;
    double uu = 0;
    held_out_workspace workspace = {.L = volt_alloc_doubles(COLUMNS, widest),
                                    .uw = volt_alloc_zero(f->q, sizeof(double)),
                                    .c = volt_alloc_zero(f->q, sizeof(double))};
    volt_status status = workspace.L && workspace.uw && workspace.c ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t t = begin, count; status == VOLT_OK && t < f->m; t += count) {
        int64_t first = t - (t - begin) % block, end = block > 1 ? volt_min(first + block, f->m) : f->m;
        count = volt_min(COLUMNS, end - t);
        held_out_rows(f, ahead, block > 1 ? first - ahead + 1 : f->m, t, count, constant, &workspace, &summed,
                      &uu, NULL, volt_matrix_rows(out, t - begin, count));
        if (!volt_stage_poll(f->task.stage))
            status = volt_stage_end(f->task.stage);
    }
    volt_free(workspace.c);
    volt_free(workspace.uw);
    volt_free(workspace.L);
    return status;
}

/* Store row t in `errors`; v is 0 if it was not predicted. */
static void take_row(const volt_factor *f, int64_t t, const int64_t *column, double v, const double *e,
                     volt_row_errors *errors)
{
    int64_t i = t - errors->begin;
    bool is_known = v > 0 && !(f->task.without && f->task.without[t]);
    double scale = is_known ? sqrt(v) : 0;
    for (int64_t k = 0; k < errors->e.cols; k++)
        if (column[k] >= 0) {
            errors->e.data[i * errors->e.ld + k] = is_known ? e[column[k]] : 0;
            errors->scale.data[i * errors->scale.ld + k] = scale;
        }
}

volt_status volt_factor_row_errors(volt_factor *f, bool constant, const int64_t *column,
                                   volt_row_errors *errors)
{
    int64_t summed = 0, ahead = errors->ahead;
    int64_t first =
        volt_max(errors->begin, constant ? ahead : ahead - 1); /* an intercept needs one known row */
    double uu = 0, v[COLUMNS];
    held_out_workspace workspace = {.L = volt_alloc_doubles(COLUMNS, widest_block(f, ahead, errors->most)),
                                    .uw = volt_alloc_zero(f->q, sizeof(double)),
                                    .c = volt_alloc_zero(f->q, sizeof(double))};
    volt_matrix e = volt_matrix_of(volt_alloc_zero(COLUMNS * f->q, sizeof(double)), COLUMNS, f->q);
    volt_status status = workspace.L && workspace.uw && workspace.c && e.data ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t t = errors->begin; status == VOLT_OK && t < volt_min(first, f->m); t++)
        take_row(f, t, column, 0, e.data, errors);
    for (int64_t t = first; status == VOLT_OK && t < f->m; t += COLUMNS) {
        int64_t count = volt_min(COLUMNS, f->m - t);
        held_out_rows(f, ahead, errors->most, t, count, constant, &workspace, &summed, &uu, v,
                      volt_matrix_rows(e, 0, count));
        for (int64_t i = 0; i < count; i++)
            take_row(f, t + i, column, v[i], e.data + i * e.ld, errors);
        if (!volt_stage_poll(f->task.stage))
            status = volt_stage_end(f->task.stage);
    }
    volt_free(e.data);
    volt_free(workspace.c);
    volt_free(workspace.uw);
    volt_free(workspace.L);
    return status;
}

/* ---- one left out ----------------------------------------------------------------------------- */

/* squares[t] <- R_tt, the squared norm of column t of L^{-1}, for columns first .. first + count - 1. */
static void square_columns(volt_factor *f, int64_t first, int64_t count, double *workspace, double *squares)
{
    int64_t below = f->m - first;
    volt_matrix corner = {f->L.data + first * (f->L.ld + 1), below, below, f->L.ld};
    volt_matrix X = volt_matrix_of(workspace, below, count);
    memset(workspace, 0, (size_t)(below * count) * sizeof(double));
    for (int64_t k = 0; k < count; k++)
        X.data[k * count + k] = 1;
    double begun = volt_seconds();
    f->backend->forward(corner, 0, below, f->task.steady, X);
    volt_factor_account(f, begun, (double)below * (double)below * (double)count);
    memset(squares + first, 0, (size_t)count * sizeof(double));
    for (int64_t i = 0; i < below; i++)
        for (int64_t k = 0; k < count; k++)
            squares[first + k] += X.data[i * count + k] * X.data[i * count + k];
}

void volt_factor_squares(volt_factor *f)
{
    const volt_factor_task *task = &f->task;
    memset(f->squares, 0, (size_t)f->q * sizeof(double));
    for (int64_t t = 0; t < f->m; t++)
        for (int64_t k = 0; k < f->q; k++) {
            double d = task->W.data[t * task->W.ld + k] - (task->u ? task->u[t * task->ld_u] * f->c[k] : 0);
            f->squares[k] += d * d;
        }
}

/* r = L^{-T} u (m x 1), with an intercept. */
static void zero_sum(volt_factor *f, volt_matrix r)
{
    if (!f->task.u)
        return;
    for (int64_t t = 0; t < f->m; t++)
        r.data[t * r.ld] = f->task.u[t * f->task.ld_u];
    f->backend->backward(f->L, f->task.steady, r);
}

static volt_status find_precisions(volt_factor *f, double *r, double *workspace, double *P)
{
    for (int64_t first = 0; first < f->m; first += COLUMNS) {
        square_columns(f, first, volt_min(COLUMNS, f->m - first), workspace, P);
        if (!volt_stage_poll(f->task.stage))
            return volt_stage_end(f->task.stage);
    }
    zero_sum(f, volt_matrix_of(r, f->m, 1));
    for (int64_t t = 0; f->task.u && t < f->m; t++)
        P[t] -= r[t] * r[t] / f->uu;
    return VOLT_OK;
}

volt_status volt_factor_precisions(volt_factor *f, double *P)
{
    double *r = volt_alloc_doubles(f->m, 1), *workspace = volt_alloc_doubles(f->m, COLUMNS);
    volt_status status = r && workspace ? find_precisions(f, r, workspace, P) : VOLT_ERR_MEMORY;
    volt_free(workspace);
    volt_free(r);
    return status;
}

/* ---- effective dimension ---------------------------------------------------------------------- */

/* tr R over the rows with a target. `squares` has m numbers, `workspace` m x COLUMNS. */
static volt_status trace_exactly(volt_factor *f, double *squares, double *workspace, double *trace)
{
    *trace = 0;
    for (int64_t first = 0; first < f->m; first += COLUMNS) {
        int64_t count = volt_min(COLUMNS, f->m - first);
        square_columns(f, first, count, workspace, squares);
        for (int64_t t = first; t < first + count; t++)
            *trace += f->task.without && f->task.without[t] ? 0 : squares[t];
        if (!volt_stage_poll(f->task.stage))
            return volt_stage_end(f->task.stage);
    }
    return VOLT_OK;
}

/* z' R z, and z' r for r (m numbers; NULL: 0), of COLUMNS vectors of random signs. */
static void probe(volt_factor *f, volt_rng *rng, const double *r, double *workspace, double *squares,
                  double *products)
{
    volt_matrix Z = volt_matrix_of(workspace, f->m, COLUMNS);
    memset(squares, 0, COLUMNS * sizeof *squares);
    memset(products, 0, COLUMNS * sizeof *products);
    for (int64_t t = 0; t < f->m; t++) {
        uint64_t signs = volt_rng_word(rng); /* one bit for each of the 64 columns */
        bool is_fitted = !(f->task.without && f->task.without[t]);
        for (int64_t k = 0; k < COLUMNS; k++) {
            double z = !is_fitted ? 0 : signs >> k & 1 ? 1 : -1;
            Z.data[t * COLUMNS + k] = z;
            products[k] += r ? z * r[t] : 0;
        }
    }
    f->backend->forward(f->L, 0, f->m, f->task.steady, Z);
    for (int64_t t = 0; t < f->m; t++)
        for (int64_t k = 0; k < COLUMNS; k++)
            squares[k] += Z.data[t * COLUMNS + k] * Z.data[t * COLUMNS + k];
}

/* The trace of R, or of P with r, from probes, and its standard error. */
static volt_status trace_by_probes(volt_factor *f, const double *r, double uu, double *workspace, double *trace,
                                   double *error)
{
    double squares[COLUMNS], products[COLUMNS], values[VOLT_DIMENSION_PROBES], sum = 0, spread = 0;
    volt_rng rng;
    volt_rng_init(&rng, 0, 0);
    for (int64_t first = 0; first < VOLT_DIMENSION_PROBES; first += COLUMNS) {
        probe(f, &rng, r, workspace, squares, products);
        for (int64_t k = 0; k < COLUMNS; k++) {
            values[first + k] = squares[k] - (r ? products[k] * products[k] / uu : 0);
            sum += values[first + k];
        }
        if (!volt_stage_poll(f->task.stage))
            return volt_stage_end(f->task.stage);
    }
    *trace = sum / VOLT_DIMENSION_PROBES;
    for (int64_t k = 0; k < VOLT_DIMENSION_PROBES; k++)
        spread += (values[k] - *trace) * (values[k] - *trace);
    *error = sqrt(spread / (VOLT_DIMENSION_PROBES - 1) / VOLT_DIMENSION_PROBES);
    return VOLT_OK;
}

static volt_status find_dimension(volt_factor *f, bool constant, double *r, double *workspace,
                                  double *dimension, double *error)
{
    double rows = 0, uu = 0, rr = 0, trace = 0, spread = 0;
    for (int64_t t = 0; t < f->m; t++) {
        double u = constant ? f->task.u[t * f->task.ld_u] : 0;
        rows += !(f->task.without && f->task.without[t]);
        uu += u * u;
    }
    if (constant)
        zero_sum(f, volt_matrix_of(r, f->m, 1));
    for (int64_t t = 0; constant && t < f->m; t++)
        rr += r[t] * r[t];
    if (f->m <= VOLT_EXACT_DIMENSION) {
        VOLT_TRY(trace_exactly(f, workspace + f->m * COLUMNS, workspace, &trace));
        trace -= constant ? rr / uu : 0;
    } else {
        VOLT_TRY(trace_by_probes(f, constant ? r : NULL, uu, workspace, &trace, &spread));
    }
    double most = constant ? rows - 1 : rows;
    *dimension = fmin(fmax(most - f->task.alpha * trace, 0), most); /* rounding may leave the range */
    *error = f->task.alpha * spread;
    return VOLT_OK;
}

volt_status volt_factor_dimension(volt_factor *f, bool constant, double *dimension, double *error)
{
    double *r = volt_alloc_doubles(f->m, 1), *workspace = volt_alloc_doubles(f->m, COLUMNS + 1);
    volt_status status =
        r && workspace ? find_dimension(f, constant, r, workspace, dimension, error) : VOLT_ERR_MEMORY;
    volt_free(workspace);
    volt_free(r);
    return status;
}

/* ---- leave-one-out errors ---------------------------------------------------------------------- */

/* On entry, `errors` holds the coefficients. */
void volt_factor_loo(volt_factor *f, const double *P, volt_matrix errors, volt_matrix variances, double *gcv)
{
    double rows = (double)(f->task.u ? f->m - 1 : f->m), trace = 0;
    for (int64_t t = 0; t < f->m; t++)
        trace += P[t];
    for (int64_t k = 0; k < f->q; k++) {
        double squares = 0;
        for (int64_t t = 0; t < f->m; t++) {
            double *e = &errors.data[t * errors.ld + k];
            squares += *e * *e;
            *e /= P[t];
            if (variances.data)
                variances.data[t * variances.ld + k] = f->squares[k] / rows / P[t];
        }
        if (gcv)
            gcv[k] = (double)f->m * squares / (trace * trace);
    }
}

/* ---- likelihood ------------------------------------------------------------------------------- */

double volt_factor_log_determinant(const volt_factor *f, bool constant)
{
    double logs = constant ? log(f->uu) / 2 : 0, pivots[PIVOTS];
    for (int64_t t = 0; t < f->m; t++) {
        if (t % PIVOTS == 0)
            volt_factor_pivots(f, t, volt_min(PIVOTS, f->m - t), pivots);
        if (!(f->task.without && f->task.without[t]))
            logs += log(pivots[t % PIVOTS]);
    }
    return logs;
}

double volt_factor_output_score(const volt_factor *f, int64_t k, bool constant, double scale, double logs)
{
    const double two_pi = 6.283185307179586476925286766559;
    const volt_factor_task *task = &f->task;
    double rows = constant ? -1 : 0, squares = 0, c = constant ? f->c[k] : 0;
    for (int64_t t = 0; t < f->m; t++) {
        if (task->without && task->without[t])
            continue;
        double d = task->W.data[t * task->W.ld + k] - (constant ? task->u[t * task->ld_u] * c : 0);
        rows++;
        squares += d * d;
    }
    return -rows * (log(two_pi * squares / rows) / 2 + 0.5 + log(scale)) - logs;
}

volt_status volt_factor_log_score(volt_factor *f, const double *scale, double *score)
{
    double sum = 0, logs = volt_factor_log_determinant(f, f->task.u != NULL);
    for (int64_t k = 0; k < f->q; k++)
        sum += volt_factor_output_score(f, k, f->task.u != NULL, scale[k], logs);
    VOLT_REQUIRE(isfinite(sum), VOLT_ERR_NOT_FINITE, "the log score is not finite: a target is fitted exactly");
    *score = sum;
    return VOLT_OK;
}
