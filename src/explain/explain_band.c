/* src/explain/explain_band.c: posterior standard deviations of the kernel of order 1.
 *
 * Ridge regression is the posterior mean of a Gaussian process with covariance s^2 K and noise alpha s^2. A
 * linear functional of it, here the derivative with respect to one input at one lag, has the posterior
 * variance
 *
 *     s^2 [ D D' K - v'v + (u'v)^2 / (u'u) ],      v = L^{-1} D K(., w^(i)),   u = L^{-1} 1,   L L' = K + alpha I
 *
 * The last term is present only with an intercept. D D' K, the derivative with respect to both arguments, is
 * a coefficient of the power series of the kernel in two variables; s^2 = A'(K + alpha I) A / (m - 1)
 * (docs/math.md). L is the factor kept by the model; without one it is computed again. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "explain/explain_setup.h"
#include "solve/exact/factor.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES = VOLT_JET_LANES };

/* ---- prior ----------------------------------------------------------------------------------- */

/* Change of column c caused by variable v, in slice `slice` of the row `lag` rows ago. */
static double change(const explain_setup *setup, int64_t v, int64_t slice, int64_t c, int64_t lag)
{
    int64_t since = setup->lags - 1 - v / setup->inputs - lag; /* rows since the change */
    if (since < 0 || volt_explain_source(setup, c) != v % setup->inputs)
        return 0;
    return setup->response[(slice * setup->columns + c) * setup->lags + since];
}

/* Local value of two rows that both move from the point, one by e (variable 0), the other by e' (variable
 * 1), for variables first .. first + LANES - 1. */
static void seed_both(const explain_setup *setup, const volt_jet_space *space, const volt_jet_factor *factor,
                      int64_t first, int64_t lag, volt_jet *local)
{
    static const int64_t squares[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    const double *x = setup->point + factor->slice * setup->columns;
    int64_t most = setup->lags * setup->inputs - 1;
    volt_jet_set(space, NULL, 0, 2, 2, local);
    double *e = local->c + LANES, *other = local->c + 2 * LANES, *second[3];
    for (int i = 0; i < 3; i++)
        second[i] = local->c + volt_jet_place(space, 2, squares[i]) * LANES;
    for (int k = 0; k < LANES; k++)
        for (int64_t c = 0; c < setup->columns; c++) {
            double move = change(setup, volt_min(first + k, most), factor->slice, c, lag);
            if (factor->scan->distance) { /* |e move - e' move|^2 */
                second[0][k] += move * move;
                second[1][k] -= 2 * move * move;
                second[2][k] += move * move;
            } else { /* (x + e move) (x + e' move) */
                local->c[k] += x[c] * x[c];
                e[k] += x[c] * move;
                other[k] += x[c] * move;
                second[1][k] += move * move;
            }
        }
}

static void walk_both(const explain_setup *setup, int64_t f, int64_t first, explain_walker *walker)
{
    const volt_jet_factor *factor = &setup->kernel.factor[f];
    const volt_jet_space *space = walker->workspace.space;
    const double *x = setup->point + factor->slice * setup->columns;
    double s[3], values[LANES];
    volt_jet_local(factor, setup->columns, x, NULL, x, s);
    for (int k = 0; k < LANES; k++)
        values[k] = s[0];
    if (factor->series->rest) {
        volt_jet_set(space, values, 0, 0, 0, walker->local);
        factor->series->rest(factor->scan, &walker->workspace, walker->local, walker->states + factor->state);
        for (int64_t lag = setup->lags - 1; lag >= 0; lag--) {
            seed_both(setup, space, factor, first, lag, walker->local);
            factor->series->step(factor->scan, &walker->workspace, walker->local,
                                 walker->states + factor->state, lag == 0 ? &walker->values[f] : NULL);
        }
        return;
    }
    int64_t moved = volt_min(factor->window, setup->lags);
    for (int k = 0; k < LANES; k++)
        values[k] = s[0] * (double)(factor->window - moved);
    volt_jet_set(space, values, 0, 2, 2, walker->local);
    for (int64_t lag = 0; lag < moved; lag++) {
        seed_both(setup, space, factor, first, lag, walker->part);
        volt_jet_add(space, 1, walker->part, walker->local);
    }
    factor->series->step(factor->scan, &walker->workspace, walker->local, NULL, &walker->values[f]);
}

/* prior[v] <- D D' K of every variable. */
static volt_status find_prior(const explain_setup *setup, double *prior)
{
    static const int64_t both[] = {0, 1};
    int64_t n = setup->lags * setup->inputs;
    volt_jet_space space = {0};
    explain_walker walker = {0};
    volt_status status = volt_jet_space_create(2, 2, &space);
    if (status == VOLT_OK)
        status = volt_explain_walker_create(setup, &space, &walker);
    for (int64_t first = 0; status == VOLT_OK && first < n; first += LANES) {
        for (int64_t f = 0; f < setup->kernel.n_factors; f++)
            walk_both(setup, f, first, &walker);
        volt_jet_join(&setup->kernel, &walker.workspace, walker.values, walker.out);
        for (int64_t k = 0; k < LANES && first + k < n; k++)
            prior[first + k] = walker.out->c[volt_jet_place(&space, 2, both) * LANES + k];
    }
    volt_explain_walker_release(&walker);
    volt_jet_space_release(&space);
    return status;
}

/* ---- posterior ------------------------------------------------------------------------------- */

/* The fitted rows are those after the washout with a nonzero coefficient. */
static void find_unfitted(const volt_model *model, bool *without)
{
    int64_t w = model->washout;
    for (int64_t i = w; i < model->n; i++) {
        without[i - w] = true;
        for (int64_t k = 0; k < model->q; k++)
            without[i - w] &= model->coefficients[i * model->q + k] == 0;
    }
}

typedef struct band_buffers {
    double *slopes; /* n x variables: overwritten with v */
    double *copy;   /* copy for another alpha; NULL: all outputs have the same */
    double *fitted; /* n x q: K A of the training rows */
    double *u, *prior, *variance;
    double *response; /* as setup->response, per unit 2^exponents[j] of input j */
    int *exponents;
    bool *without;
} band_buffers;

/* s^2 of output k. */
static double noise_scale(const volt_model *model, const band_buffers *workspace, int64_t k)
{
    double sum = 0;
    int64_t rows = 0;
    for (int64_t i = model->washout; i < model->n; i++) {
        double a = model->coefficients[i * model->q + k];
        sum += a * (workspace->fitted[i * model->q + k] + model->alphas[k] * a);
        rows += !workspace->without[i - model->washout];
    }
    return fmax(sum, 0) / (double)volt_max(1, rows - (model->intercept || model->resolved.centred));
}

/* variance[v] for this alpha, in units of s^2. */
static volt_status find_variances(const explain_setup *setup, double alpha, volt_operator *op, double *slopes,
                                  const band_buffers *workspace, volt_stage *stage)
{
    const volt_model *model = setup->model;
    int64_t n = setup->lags * setup->inputs, w = model->washout, m = model->n - w;
    bool intercept = model->intercept || model->resolved.centred;
    volt_factor *factor = NULL;
    VOLT_TRY(volt_factor_create(volt_backend_current(), NULL, model->n, n, &factor));
    volt_matrix V = volt_matrix_of(slopes + w * n, m, n);
    for (int64_t i = 0; i < m; i++)
        for (int64_t v = 0; workspace->without[i] && v < n; v++)
            V.data[i * n + v] = 0;
    volt_factor_task task = {.rows = model->n,
                             .washout = w,
                             .alpha = alpha,
                             .common = intercept ? model->resolved.common : 0,
                             .without = workspace->without,
                             .Y = volt_as_view(V),
                             .W = V,
                             .u = intercept ? workspace->u : NULL,
                             .ld_u = 1,
                             .stage = stage};
    volt_factor_begin(factor, &task);
    volt_status status = volt_factor_fill(factor, op);
    if (status == VOLT_OK && volt_stage_should_continue(stage))
        status = volt_factor_grow(factor, m);
    for (int64_t v = 0; status == VOLT_OK && v < n; v++) {
        double vv = 0, uv = 0, uu = 0;
        for (int64_t i = 0; i < m; i++) {
            double value = V.data[i * n + v];
            vv += value * value;
            uv += intercept ? workspace->u[i] * value : 0;
            uu += intercept ? workspace->u[i] * workspace->u[i] : 0;
        }
        workspace->variance[v] = fmax(workspace->prior[v] - vv + (uu > 0 ? uv * uv / uu : 0), 0);
    }
    volt_factor_free(factor);
    return status;
}

enum { TOGETHER = 64 }; /* variables per unpacking of the factor */

/* The same from the factor kept by the model, without factoring again. */
static volt_status find_kept_variances(const explain_setup *setup, const volt_stored_factor *kept,
                                       const band_buffers *workspace, volt_stage *stage)
{
    const volt_model *model = setup->model;
    int64_t n = setup->lags * setup->inputs, w = model->washout, most = volt_min(n, TOGETHER);
    double *rows = volt_alloc_doubles(most, kept->m), *plain = volt_alloc_doubles(most, 1);
    volt_status status = rows && plain ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t first = 0; status == VOLT_OK && first < n && volt_stage_should_continue(stage);
         first += most) {
        int64_t count = volt_min(most, n - first);
        for (int64_t i = 0; i < kept->m; i++)
            for (int64_t v = 0; v < count; v++)
                rows[v * kept->m + i] = workspace->slopes[(w + i) * n + first + v];
        status =
            volt_stored_factor_latent_variances(kept, 0, volt_matrix_of(rows, count, kept->m),
                                                workspace->prior + first, plain, workspace->variance + first);
    }
    volt_free(plain);
    volt_free(rows);
    return status;
}

/* Standard deviations of the outputs with the alpha of output `first`. */
static void finish(const explain_setup *setup, const band_buffers *workspace, int64_t first, double *deviations)
{
    const volt_model *model = setup->model;
    int64_t n = setup->lags * setup->inputs;
    for (int64_t k = first; k < model->q; k++) {
        if (model->alphas[k] != model->alphas[first])
            continue;
        double s = model->target_scale[k] * sqrt(noise_scale(model, workspace, k));
        for (int64_t lag = 0; lag < setup->lags; lag++)
            for (int64_t j = 0; j < setup->inputs; j++)
                deviations[k * n + lag * setup->inputs + j] =
                    s * sqrt(workspace->variance[(setup->lags - 1 - lag) * setup->inputs + j]);
    }
}

/* Whether an earlier output has the same alpha, or output k has no kernel part. */
static bool is_done(const volt_model *model, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (model->alphas[i] == model->alphas[k])
            return true;
    return isinf(model->alphas[k]);
}

/* Whether the model keeps the factor of every output with a kernel part. */
static bool keeps_factor(const volt_model *model)
{
    for (int64_t k = 0; model->stored_factors.of && k < model->q; k++)
        if (model->stored_factors.of[k] < 0 && !isinf(model->alphas[k]))
            return false;
    return model->stored_factors.of;
}

static volt_status find_band(const explain_setup *setup, const band_buffers *workspace, volt_stage *stage,
                             double *deviations)
{
    const volt_model *model = setup->model;
    size_t bytes = (size_t)(model->n * setup->lags * setup->inputs) * sizeof(double);
    volt_operator *op = NULL;
    find_unfitted(model, workspace->without);
    VOLT_TRY(find_prior(setup, workspace->prior));
    VOLT_TRY(volt_explain_slopes(setup, stage, workspace->slopes));
    volt_view Z = volt_view_of(setup->rows, model->n, setup->width);
    VOLT_TRY(volt_explain_whole(setup, Z, setup->records, stage,
                                volt_matrix_of(workspace->fitted, model->n, model->q)));
    volt_status status = VOLT_OK;
    for (int64_t k = 0; status == VOLT_OK && k < model->q && volt_stage_should_continue(stage); k++) {
        if (is_done(model, k))
            continue;
        if (keeps_factor(model)) {
            status = find_kept_variances(setup, &model->stored_factors.factors[model->stored_factors.of[k]],
                                         workspace, stage);
        } else {
            if (workspace->copy)
                memcpy(workspace->copy, workspace->slopes, bytes);
            status = volt_kernel_operator(&model->resolved, model->columns, Z, false, &op);
            if (status == VOLT_OK)
                status =
                    find_variances(setup, model->alphas[k], op,
                                   workspace->copy ? workspace->copy : workspace->slopes, workspace, stage);
            volt_operator_free(op);
            op = NULL;
        }
        if (status == VOLT_OK)
            finish(setup, workspace, k, deviations);
    }
    return status;
}

/* Changes of an input in units of a power of two in which they change the columns by about 1: derivatives by inputs in large
 * or small units have squares that underflow or overflow. */
static void scale_inputs(explain_setup *setup, const band_buffers *workspace)
{
    for (int64_t j = 0; j < setup->inputs; j++)
        workspace->exponents[j] = DBL_MAX_EXP; /* no change */
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < setup->width * setup->lags; i++) {
            int own,
                *exponent = &workspace->exponents[volt_explain_source(setup, i / setup->lags % setup->columns)];
            if (pass > 0) {
                workspace->response[i] = ldexp(setup->response[i], *exponent);
            } else if (setup->response[i] != 0) {
                frexp(setup->response[i], &own);
                *exponent = -own < *exponent ? -own : *exponent;
            }
        }
    setup->response = workspace->response;
}

volt_status volt_explain_band(const explain_setup *setup, volt_progress progress, double from, double share,
                              double *deviations)
{
    const volt_model *model = setup->model;
    int64_t n = setup->lags * setup->inputs, kinds = 0;
    for (int64_t k = 0; k < model->q; k++)
        kinds += !is_done(model, k);
    bool rebuilds = !keeps_factor(model);
    char what[96];
    snprintf(what, sizeof what, "factor of %lld rows for the standard deviations", (long long)model->n);
    VOLT_TRY(volt_memory_require(
        (rebuilds ? volt_factor_bytes(model->n, n) : 0) + 16.0 * (double)model->n * (double)n, what));
    band_buffers workspace = {.slopes = volt_alloc_doubles(model->n, n),
                              .copy = rebuilds && kinds > 1 ? volt_alloc_doubles(model->n, n) : NULL,
                              .fitted = volt_alloc_doubles(model->n, model->q),
                              .u = volt_alloc_doubles(model->n, 1),
                              .prior = volt_alloc_doubles(n, 1),
                              .variance = volt_alloc_doubles(n, 1),
                              .response = volt_alloc_doubles(setup->width, setup->lags),
                              .exponents = volt_alloc_zero(setup->inputs, sizeof(int)),
                              .without = volt_alloc_zero(model->n, sizeof(bool))};
    explain_setup scaled = *setup;
    bool allocated = workspace.response && workspace.exponents && workspace.slopes &&
                     (workspace.copy || !rebuilds || kinds <= 1) && workspace.fitted && workspace.u &&
                     workspace.prior && workspace.variance && workspace.without;
    volt_status status = VOLT_ERR_MEMORY;
    if (allocated) {
        volt_stage stage;
        scale_inputs(&scaled, &workspace);
        volt_stage_begin(&stage, progress, "band", from, share, (double)model->n * (double)model->n);
        memset(deviations, 0, (size_t)(model->q * n) * sizeof *deviations);
        status = find_band(&scaled, &workspace, &stage, deviations);
        for (int64_t i = 0; i < model->q * n; i++)
            deviations[i] = ldexp(deviations[i], -workspace.exponents[i % setup->inputs]);
        if (status == VOLT_OK)
            status = volt_stage_end(&stage);
    }
    volt_free(workspace.exponents);
    volt_free(workspace.response);
    volt_free(workspace.without);
    volt_free(workspace.variance);
    volt_free(workspace.prior);
    volt_free(workspace.u);
    volt_free(workspace.fitted);
    volt_free(workspace.copy);
    volt_free(workspace.slopes);
    return status;
}
