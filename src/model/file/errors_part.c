/* src/model/file/errors_part.c: the parts of a model file for intervals: errors of the training rows, and factors of the Gram
 * matrix. Predictions do not depend on them. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"

#include <inttypes.h>
#include <string.h>

/* ---- errors ------------------------------------------------------------------------------------ */

/* By volt_error_kind. */
static const struct {
    const char *errors, *scales;
} names[VOLT_ROW_ERRORS] = {{"errors", "error_scales"}, {"far_errors", "far_error_scales"}};

static bool has_errors(const volt_model *model)
{
    return model->errors.lists[VOLT_ERRORS_NEAR].rows > 0;
}

/* Whether all outputs have the same scales, as with one alpha. Then one column is saved. */
static bool has_one_scale(const volt_error_list *list, int64_t q)
{
    bool same = true;
    for (int64_t i = 0; same && i < list->rows * q; i++)
        same = list->scale[i] == list->scale[i / q * q];
    return same;
}

static volt_status save_errors(const volt_model *model, volt_file_writer *writer)
{
    for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
        const volt_error_list *list = &model->errors.lists[i];
        int64_t q = model->q, columns = has_one_scale(list, q) ? 1 : q;
        volt_put_tensor(writer, names[i].errors, list->rows, q, list->e);
        double *scales = volt_put_buffer(writer, names[i].scales, list->rows, columns);
        for (int64_t t = 0; scales && t < list->rows; t++)
            memcpy(scales + t * columns, list->scale + t * q, (size_t)columns * sizeof *scales);
    }
    return VOLT_OK;
}

static volt_status load_list(const volt_file_fields *fields, int i, int64_t rows, int64_t q,
                             volt_error_list *list)
{
    const volt_tensor *e = NULL, *scales = NULL;
    VOLT_TRY(volt_fields_tensor(fields, names[i].errors, rows, q, &e));
    VOLT_TRY(volt_fields_tensor(fields, names[i].scales, e->rows, -1, &scales));
    VOLT_REQUIRE(scales->cols == 1 || scales->cols == q, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" must have 1 or %" PRId64 " columns (got %" PRId64 ")", fields->path,
                 names[i].scales, q, scales->cols);
    VOLT_TRY(volt_error_list_allocate(e->rows, q, list));
    memcpy(list->e, e->data, (size_t)(e->rows * q) * sizeof(double));
    for (int64_t j = 0; j < e->rows * q; j++) {
        list->scale[j] = scales->data[scales->cols == q ? j : j / q];
        VOLT_REQUIRE(list->scale[j] >= 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" contains %g, which is below 0",
                     fields->path, names[i].scales, list->scale[j]);
    }
    return VOLT_OK;
}

static volt_status load_errors(const volt_file_fields *fields, volt_model *model)
{
    int64_t fitted_rows = volt_model_fitted_rows(model);
    volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    bool has_landmarks = model->trained.landmarks > 0; /* only errors of the last rows */
    VOLT_TRY(load_list(fields, VOLT_ERRORS_NEAR, has_landmarks ? -1 : fitted_rows, model->q, near));
    VOLT_REQUIRE(near->rows <= fitted_rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" has %" PRId64 " rows, but may have %" PRId64, fields->path,
                 names[VOLT_ERRORS_NEAR].errors, near->rows, fitted_rows);
    volt_error_list *far = &model->errors.lists[VOLT_ERRORS_FAR];
    VOLT_TRY(load_list(fields, VOLT_ERRORS_FAR, -1, model->q, far));
    VOLT_REQUIRE(far->rows > 0 && far->rows <= fitted_rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" must have 1 to %" PRId64 " rows (got %" PRId64 ")", fields->path,
                 names[VOLT_ERRORS_FAR].errors, fitted_rows, far->rows);
    return VOLT_OK;
}

const volt_file_part volt_errors_part = {.name = "errors",
                                         .format = VOLT_FORMAT_ANY,
                                         .mark = "errors",
                                         .present = has_errors,
                                         .save = save_errors,
                                         .load = load_errors};

/* ---- factors ----------------------------------------------------------------------------------- */

static bool has_factors(const volt_model *model)
{
    return model->stored_factors.of != NULL;
}

static int64_t packed(int64_t m)
{
    return m * (m + 1) / 2;
}

static volt_status save_factors(const volt_model *model, volt_file_writer *writer)
{
    const volt_stored_factors *stored_factors = &model->stored_factors;
    int64_t m = model->n - model->washout, numbers = packed(m);
    double *outputs = volt_put_buffer(writer, "factor_outputs", model->q, 2);
    for (int64_t k = 0; outputs && k < model->q; k++) {
        outputs[2 * k] = (double)stored_factors->of[k];
        outputs[2 * k + 1] = stored_factors->constant[k];
    }
    double *alphas = volt_put_buffer(writer, "factor_alphas", stored_factors->count, 2);
    double *ones = volt_put_buffer(writer, "factor_ones", stored_factors->count, m);
    for (int64_t f = 0; alphas && ones && f < stored_factors->count; f++) {
        alphas[2 * f] = stored_factors->factors[f].alpha;
        alphas[2 * f + 1] = stored_factors->factors[f].common;
        memcpy(ones + f * m, stored_factors->factors[f].u, (size_t)m * sizeof(double));
    }
    if (stored_factors->count == 1) { /* written in place: it is large */
        volt_put_tensor(writer, "factors", 1, numbers, stored_factors->factors[0].L);
        return VOLT_OK;
    }
    double *factors = volt_put_buffer(writer, "factors", stored_factors->count, numbers);
    for (int64_t f = 0; factors && f < stored_factors->count; f++)
        memcpy(factors + f * numbers, stored_factors->factors[f].L, (size_t)numbers * sizeof(double));
    return VOLT_OK;
}

static volt_status load_outputs(const volt_file_fields *fields, int64_t count,
                                volt_stored_factors *stored_factors)
{
    const volt_tensor *outputs = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "factor_outputs", stored_factors->q, 2, &outputs));
    for (int64_t k = 0; k < stored_factors->q; k++) {
        int64_t constant = 0;
        VOLT_TRY(volt_fields_index(fields, "factor_outputs", outputs->data[2 * k], -1, count - 1,
                                   &stored_factors->of[k]));
        VOLT_TRY(volt_fields_index(fields, "factor_outputs", outputs->data[2 * k + 1], 0, 1, &constant));
        stored_factors->constant[k] = constant != 0;
    }
    return VOLT_OK;
}

static volt_status load_one(const volt_file_fields *fields, const double *numbers, const double *alpha,
                            const double *ones, int64_t m, volt_stored_factor *factor)
{
    VOLT_REQUIRE(alpha[0] > 0, VOLT_ERR_FORMAT,
                 "%s: tensor \"factor_alphas\" contains %g, which is not above 0", fields->path, alpha[0]);
    VOLT_TRY(volt_stored_factor_allocate(m, factor));
    factor->alpha = alpha[0];
    factor->common = alpha[1];
    memcpy(factor->L, numbers, (size_t)packed(m) * sizeof(double));
    memcpy(factor->u, ones, (size_t)m * sizeof(double));
    for (int64_t i = 0; i < m; i++) {
        factor->uu += ones[i] * ones[i];
        VOLT_REQUIRE(factor->L[packed(i) + i] >= 0, VOLT_ERR_FORMAT,
                     "%s: tensor \"factors\" has %g on its diagonal, which is below 0", fields->path,
                     factor->L[packed(i) + i]);
    }
    return VOLT_OK;
}

static volt_status load_factors(const volt_file_fields *fields, volt_model *model)
{
    int64_t m = model->n - model->washout;
    const volt_tensor *factors = NULL, *alphas = NULL, *ones = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "factors", -1, packed(m), &factors));
    VOLT_REQUIRE(factors->rows <= model->q, VOLT_ERR_FORMAT,
                 "%s: there are %" PRId64 " factors, and %" PRId64 " outputs", fields->path, factors->rows,
                 model->q);
    VOLT_TRY(volt_fields_tensor(fields, "factor_alphas", factors->rows, 2, &alphas));
    VOLT_TRY(volt_fields_tensor(fields, "factor_ones", factors->rows, m, &ones));
    VOLT_TRY(volt_stored_factors_create(model->q, &model->stored_factors));
    VOLT_TRY(load_outputs(fields, factors->rows, &model->stored_factors));
    model->stored_factors.count = factors->rows;
    for (int64_t f = 0; f < factors->rows; f++)
        VOLT_TRY(load_one(fields, factors->data + f * packed(m), alphas->data + 2 * f, ones->data + f * m, m,
                          &model->stored_factors.factors[f]));
    for (int64_t k = 0; k < model->q; k++) {
        int64_t f = model->stored_factors.of[k];
        VOLT_REQUIRE(f < 0 || model->stored_factors.factors[f].alpha == model->alphas[k], VOLT_ERR_FORMAT,
                     "%s: tensor \"factor_alphas\" has %g for output %" PRId64 ", whose alpha is %g",
                     fields->path, model->stored_factors.factors[f < 0 ? 0 : f].alpha, k + 1, model->alphas[k]);
    }
    return VOLT_OK;
}

const volt_file_part volt_factor_part = {.name = "factor",
                                         .format = VOLT_FORMAT_ANY,
                                         .mark = "factor_outputs",
                                         .present = has_factors,
                                         .save = save_factors,
                                         .load = load_factors};
