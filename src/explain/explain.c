/* src/explain/explain.c: Volterra kernels of a fitted model, their posterior standard deviations, and
 * the share of each order in its predictions. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/views.h"
#include "explain/explain_setup.h"
#include "model/initial.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

_Static_assert((int)VOLT_EXPLAIN_ORDERS == (int)VOLT_MAX_ORDER, "public and internal largest order agree");

volt_explain_options volt_explain_options_default(void)
{
    volt_explain_options options = {.struct_size = sizeof(volt_explain_options),
                                    .order = 2,
                                    .about = VOLT_ABOUT_MEAN,
                                    .band = 1,
                                    .shares = 1};
    return options;
}

/* Memory of an explanation. */
typedef struct explanation_memory {
    volt_explanation shown; /* first: the caller holds its address */
    double *g[VOLT_EXPLAIN_ORDERS + 1];
    double *about, *deviations, *shares, *variances;
    int64_t *memory;
} explanation_memory;

void volt_explanation_free(volt_explanation *explanation)
{
    explanation_memory *self = (explanation_memory *)explanation;
    if (!self)
        return;
    for (int p = 0; p <= VOLT_EXPLAIN_ORDERS; p++)
        volt_free(self->g[p]);
    volt_free(self->about);
    volt_free(self->deviations);
    volt_free(self->shares);
    volt_free(self->variances);
    volt_free(self->memory);
    volt_free(self);
}

static volt_status allocate(const explain_setup *setup, const volt_explain_options *options,
                            explanation_memory **fresh)
{
    int64_t q = setup->model->q, block = 1, orders = volt_max(2, setup->order);
    explanation_memory *self = volt_alloc_zero(1, sizeof *self);
    if (!self)
        return VOLT_ERR_MEMORY;
    bool allocated = true;
    for (int p = 0; p <= setup->order; p++, block *= setup->lags * setup->inputs)
        allocated &= (self->g[p] = volt_alloc_doubles(q, block)) != NULL;
    allocated &= (self->about = volt_alloc_doubles(setup->inputs, 1)) != NULL;
    allocated &= (self->memory = volt_alloc_zero(q, sizeof *self->memory)) != NULL;
    if (options->band)
        allocated &= (self->deviations = volt_alloc_doubles(q, setup->lags * setup->inputs)) != NULL;
    if (options->shares) {
        allocated &= (self->shares = volt_alloc_doubles(q, orders + 1)) != NULL;
        allocated &= (self->variances = volt_alloc_doubles(q, orders + 1)) != NULL;
    }
    if (!allocated) {
        volt_explanation_free(&self->shown);
        return VOLT_ERR_MEMORY;
    }
    memcpy(self->about, setup->about, (size_t)setup->inputs * sizeof(double));
    self->shown = (volt_explanation){.struct_size = sizeof(volt_explanation),
                                     .d = setup->inputs,
                                     .q = q,
                                     .lags = setup->lags,
                                     .order = setup->order,
                                     .about = self->about,
                                     .g0 = self->g[0],
                                     .g1_std = self->deviations,
                                     .share_orders = options->shares ? orders : 0,
                                     .shares = self->shares,
                                     .variances = self->variances,
                                     .memory = self->memory};
    for (int p = 1; p <= setup->order; p++)
        self->shown.kernels[p - 1] = self->g[p];
    *fresh = self;
    return VOLT_OK;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* Standard deviation of every input over the training rows, in user units: of its level, or of its changes if the
 * kernel uses only those; 1 if unknown. */
static void input_deviations(const explain_setup *setup, double *deviations)
{
    const volt_model *model = setup->model;
    for (int64_t j = 0; j < setup->inputs; j++)
        deviations[j] = 1;
    for (int64_t c = setup->columns - 1; c >= 0;
         c--) { /* the first column of an input is its level, if present */
        double mean = 0, squares = 0;
        for (int64_t i = 0; i < setup->n; i++)
            mean += setup->rows[i * setup->width + c] / (double)setup->n;
        for (int64_t i = 0; i < setup->n; i++)
            squares += pow(setup->rows[i * setup->width + c] - mean, 2) / (double)setup->n;
        double deviation = fabs(sqrt(squares) / (model->input.scale * volt_explain_weight(setup, c)));
        if (deviation > 0 && isfinite(deviation))
            deviations[volt_explain_source(setup, c)] = deviation;
    }
}

/* Number of lags that hold 99 % of the variance that g1 and g2 give for independent inputs. A term counts at
 * its largest lag. `unit` is the scale of the output: squares in user units may overflow. */
static int64_t find_memory(const explain_setup *setup, double unit, const double *deviations, const double *g1,
                           const double *g2, double *energy)
{
    int64_t L = setup->lags, d = setup->inputs;
    double total = 0, sum = 0;
    for (int64_t m = 0; m < L; m++) {
        energy[m] = 0;
        for (int64_t j = 0; j < d; j++)
            energy[m] += pow(g1[m * d + j] * deviations[j] / unit, 2);
        for (int64_t m1 = 0; g2 && m1 <= m; m1++)
            for (int64_t c = 0; c < d * d; c++) {
                double g = g2[(m1 * L + m) * d * d + c] * deviations[c / d] / unit * deviations[c % d];
                energy[m] += (m1 == m ? 2 : 1) * g * g;
            }
        total += energy[m];
    }
    int64_t m = 0;
    for (sum = energy[0]; sum < 0.99 * total; sum += energy[m]) /* the last sum is the total */
        m++;
    return total > 0 ? m + 1 : 0;
}

static volt_status find_memories(const explain_setup *setup, explanation_memory *self)
{
    int64_t block = setup->lags * setup->inputs;
    double *deviations = volt_alloc_doubles(setup->inputs, 1), *energy = volt_alloc_doubles(setup->lags, 1);
    volt_status status = deviations && energy ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        input_deviations(setup, deviations);
    for (int64_t k = 0; status == VOLT_OK && k < setup->model->q; k++)
        self->memory[k] = find_memory(setup, setup->model->target_scale[k], deviations, self->g[1] + k * block,
                                      setup->order > 1 ? self->g[2] + k * block * block : NULL, energy);
    volt_free(energy);
    volt_free(deviations);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Converts the rows of X, a new sequence, to kernel rows. */
static volt_status take_rows(const volt_model *model, volt_view X, const volt_records *records, double *Z)
{
    volt_recent recent = {0};
    int64_t beyond = 0;
    volt_status status = volt_recent_create(&model->recipe, &recent);
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++) {
        if (i > 0 && volt_records_begins(records, i))
            volt_recent_restart(&recent);
        status = volt_model_take_input(model, &recent, X.data + i * X.ld, VOLT_BEYOND_CLIP, i, Z + i * model->d,
                                       &beyond);
        volt_recent_push(&model->recipe, &recent, X.data + i * X.ld);
    }
    volt_recent_release(&recent);
    return status;
}

static volt_status check_rows(const volt_model *model, volt_view X)
{
    VOLT_TRY(volt_check_shape(X, "the inputs"));
    VOLT_REQUIRE(model->recipe.fed_outputs.n == 0, VOLT_ERR_ARGUMENT,
                 "orders along other rows are not defined for a model with feedback");
    VOLT_REQUIRE(X.cols == model->recipe.inputs, VOLT_ERR_SHAPE,
                 "the inputs have %" PRId64 " columns, but the model takes %" PRId64, X.cols,
                 model->recipe.inputs);
    return VOLT_OK;
}

/* Parts of the rows of X: h x (order + 2) x q, scaled. */
static volt_status parts_of_rows(const explain_setup *setup, volt_view X, const volt_records *records,
                                 int order, volt_stage *stage, double *parts)
{
    double *Z = volt_alloc_doubles(X.rows, setup->width);
    volt_status status = Z ? take_rows(setup->model, X, records, Z) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status =
            volt_explain_orders(setup, volt_view_of(Z, X.rows, setup->width), records, order, stage, parts);
    volt_free(Z);
    return status;
}

/* ---- shares ----------------------------------------------------------------------------------- */

/* Shares of output k over the rows from `first` on. */
static void share_out(const double *parts, int64_t rows, int64_t first, int64_t orders, int64_t q, int64_t k,
                      double *shares, double *variances)
{
    int64_t step = (orders + 2) * q, count = rows - first;
    double mean[VOLT_EXPLAIN_ORDERS + 2] = {0}, total = 0;
    for (int64_t p = 0; p <= orders + 1; p++) {
        for (int64_t i = first; i < rows; i++)
            mean[p] += parts[i * step + p * q + k] / (double)count;
        if (p >= 1 && p <= orders)
            shares[p - 1] = variances[p - 1] = 0;
    }
    shares[orders] = variances[orders] = 0;
    for (int64_t i = first; i < rows; i++) {
        const double *part = parts + i * step + k;
        double f = part[(orders + 1) * q] - mean[orders + 1], rest = f - (part[0] - mean[0]);
        total += f * f;
        for (int64_t p = 1; p <= orders; p++) {
            double value = part[p * q] - mean[p];
            shares[p - 1] += value * f;
            variances[p - 1] += value * value;
            rest -= value;
        }
        shares[orders] += rest * f;
        variances[orders] += rest * rest;
    }
    for (int64_t p = 0; p <= orders; p++) {
        shares[p] = total > 0 ? shares[p] / total : 0;
        variances[p] = total > 0 ? variances[p] / total : 0;
    }
}

/* ---- explain ---------------------------------------------------------------------------------- */

/* Progress shares of the stages, approximately proportional to their operations. */
typedef struct stage_shares {
    double kernels, orders, band;
} stage_shares;

static stage_shares plan_stages(const explain_setup *setup, const volt_explain_options *options)
{
    double n = (double)setup->n, rows = (double)(options->along.data ? options->along.rows : setup->n);
    double kernels = n * (double)setup->lags * volt_jet_size(setup->lags * setup->inputs, setup->order);
    double orders = options->shares ? 50 * rows * n : 0, band = options->band ? n * n * (n / 24 + 2) : 0;
    double all = kernels + orders + band;
    return (stage_shares){kernels / all, orders / all, band / all};
}

static volt_status find_kernels(const explain_setup *setup, volt_progress progress, double share,
                                explanation_memory *self)
{
    volt_stage stage;
    volt_stage_begin(&stage, progress, "kernels", 0, share, (double)setup->n / VOLT_JET_LANES);
    VOLT_TRY(volt_explain_kernels(setup, &stage, self->g));
    VOLT_TRY(volt_stage_end(&stage));
    return find_memories(setup, self);
}

static volt_status find_shares(const explain_setup *setup, const volt_explain_options *options,
                               const volt_records *records, double from, double share, explanation_memory *self)
{
    bool apart = options->along.data != NULL;
    volt_view Z = volt_view_of(setup->rows, setup->n, setup->width);
    int order = (int)volt_max(2, setup->order);
    int64_t rows = apart ? options->along.rows : setup->n, q = setup->model->q;
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "orders", from, share, (double)rows);
    double *parts = volt_alloc_doubles(rows, (order + 2) * q);
    volt_status status = parts ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = apart ? parts_of_rows(setup, options->along, records, order, &stage, parts)
                       : volt_explain_orders(setup, Z, setup->records, order, &stage, parts);
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    for (int64_t k = 0; status == VOLT_OK && k < q; k++)
        share_out(parts, rows, apart ? 0 : setup->model->washout, order, q, k, self->shares + k * (order + 1),
                  self->variances + k * (order + 1));
    volt_free(parts);
    return status;
}

static volt_status find_all(const explain_setup *setup, const volt_explain_options *options,
                            const volt_records *records, explanation_memory *self)
{
    stage_shares share = plan_stages(setup, options);
    VOLT_TRY(find_kernels(setup, options->progress, share.kernels, self));
    if (options->shares)
        VOLT_TRY(find_shares(setup, options, records, share.kernels, share.orders, self));
    if (options->band)
        VOLT_TRY(volt_explain_band(setup, options->progress, share.kernels + share.orders, share.band,
                                   self->deviations));
    return VOLT_OK;
}

volt_status volt_model_explain(const volt_model *model, const volt_explain_options *options,
                               volt_explanation **explanation)
{
    volt_explain_options requested = volt_explain_options_default();
    VOLT_TRY(volt_options_take(&requested, sizeof requested, options, "volt_explain_options"));
    options = &requested;
    VOLT_REQUIRE(model && explanation, VOLT_ERR_ARGUMENT, "the model or the explanation is NULL");
    VOLT_TRY(volt_model_require_single(model, "a Volterra series"));
    VOLT_TRY(volt_initial_require_zero(model));
    /* With a loss, weights or landmarks, the readout is not a posterior mean of the fitted rows. */
    requested.band = requested.band && !model->loss && model->trained.landmarks == 0;
    if (options->along.data)
        VOLT_TRY(check_rows(model, options->along));
    volt_records records;
    VOLT_TRY(volt_records_make(options->records, options->along.data ? options->n_records : 0,
                               options->along.rows, &records));
    explain_setup setup;
    explanation_memory *self = NULL;
    volt_blas_use use;
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = volt_explain_setup_make(model, options, &setup);
        if (status == VOLT_OK)
            status = allocate(&setup, options, &self);
        if (status == VOLT_OK)
            status = find_all(&setup, options, &records, self);
        volt_explain_setup_release(&setup);
        volt_blas_release(&use);
    }
    volt_records_release(&records);
    if (status == VOLT_OK)
        *explanation = &self->shown;
    else
        volt_explanation_free(self ? &self->shown : NULL);
    return status;
}

/* ---- parts along a sequence ------------------------------------------------------------------- */

/* Parts of row i with inputs x, in the units of the outputs. */
static void finish_parts(const explain_setup *setup, int order, const double *x, const double *parts,
                         double *out)
{
    const volt_model *model = setup->model;
    int64_t q = model->q;
    for (int64_t k = 0; k < q; k++, out += order + 2) {
        double scale = model->target_scale[k], rest = parts[(order + 1) * q + k];
        for (int p = 0; p <= order; p++) {
            out[p] = scale * parts[p * q + k];
            rest -= parts[p * q + k];
        }
        out[order + 1] = scale * rest;
        out[0] += model->target_mean[k] + scale * model->intercepts[k];
        if (model->anchors[k] >= 0) { /* a change is added to the level */
            out[0] += setup->about[model->anchors[k]];
            out[1] += x[model->anchors[k]] - setup->about[model->anchors[k]];
        }
    }
}

static volt_status find_parts(const explain_setup *setup, volt_view X, const volt_explain_options *options,
                              const volt_records *records, volt_matrix out)
{
    int order = (int)options->order;
    int64_t width = (order + 2) * setup->model->q;
    volt_stage stage;
    volt_stage_begin(&stage, options->progress, "orders", 0, 1, (double)X.rows);
    double *parts = volt_alloc_doubles(X.rows, width), *row = volt_alloc_doubles(X.rows, width);
    volt_status status =
        parts && row ? parts_of_rows(setup, X, records, order, &stage, parts) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++) {
        finish_parts(setup, order, X.data + i * X.ld, parts + i * width, row + i * width);
        for (int64_t k = 0; status == VOLT_OK && k < width; k++)
            if (!isfinite(row[i * width + k]))
                status = volt_fail(VOLT_ERR_NOT_FINITE, "a part of row %" PRId64 " is too large for a double",
                                   i + 1);
    }
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++)
        memcpy(out.data + i * out.ld, row + i * width, (size_t)width * sizeof(double));
    volt_free(row);
    volt_free(parts);
    return status;
}

volt_status volt_model_orders(const volt_model *model, volt_view X, const volt_explain_options *options,
                              volt_matrix out)
{
    volt_explain_options requested = volt_explain_options_default();
    VOLT_TRY(volt_options_take(&requested, sizeof requested, options, "volt_explain_options"));
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    VOLT_TRY(volt_model_require_single(model, "a decomposition by orders"));
    VOLT_TRY(volt_initial_require_zero(model));
    VOLT_TRY(check_rows(model, X));
    VOLT_TRY(volt_check_output(out, X.rows, model->q * (requested.order + 2), "the parts"));
    requested.lags = 1; /* no kernel is requested */
    volt_records records;
    VOLT_TRY(volt_records_make(requested.records, requested.n_records, X.rows, &records));
    explain_setup setup;
    volt_blas_use use;
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = volt_explain_setup_make(model, &requested, &setup);
        if (status == VOLT_OK)
            status = find_parts(&setup, X, &requested, &records, out);
        volt_explain_setup_release(&setup);
        volt_blas_release(&use);
    }
    volt_records_release(&records);
    return status;
}
