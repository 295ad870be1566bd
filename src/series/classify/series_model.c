/* src/series/classify/series_model.c: the readout on series: info and predictions. */
#include "series/classify/series_model.h"
#include "kernel/kernel_entry.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/views.h"

#include <inttypes.h>
#include <string.h>

volt_series_options volt_series_options_default(void)
{
    return (volt_series_options){.struct_size = sizeof(volt_series_options),
                                 .scale = VOLT_SERIES_CHOOSE,
                                 .input = VOLT_SERIES_CHOOSE,
                                 .compare = VOLT_SERIES_CHOOSE,
                                 .normalise = 1,
                                 .draws = VOLT_SERIES_CHOOSE,
                                 .budget = VOLT_SERIES_CHOOSE,
                                 .screen = VOLT_SERIES_CHOOSE,
                                 .landmarks = VOLT_SERIES_CHOOSE,
                                 .folds = 5,
                                 .blend = 3,
                                 .splits = 20,
                                 .held_out = 0.3};
}

volt_status volt_series_model_allocate(volt_series_model *model, int64_t n, int64_t columns, int64_t outputs)
{
    model->columns = columns;
    model->A = volt_alloc_doubles(columns, outputs);
    model->c = volt_alloc_doubles(outputs, 1);
    model->loo_outputs = volt_alloc_doubles(n, outputs);
    return model->A && model->c && model->loo_outputs ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_series_model_free(volt_series_model *model)
{
    if (!model)
        return;
    for (int64_t p = 0; p < VOLT_MAX_BLEND; p++)
        volt_kernel_free(model->parts[p].kernel);
    for (int64_t p = 0; p < VOLT_MAX_PREPARATIONS; p++)
        volt_objects_free(model->objects[p]);
    volt_loss_free(model->loss);
    volt_free(model->A);
    volt_free(model->c);
    volt_free(model->loo_outputs);
    volt_free(model->warnings);
    volt_free(model);
}

void volt_series_model_describe(volt_series_model *model)
{
    volt_series_info *info = &model->info;
    for (int64_t p = 0; p < model->n_parts; p++) {
        volt_objects_options way = model->parts[p].objects->options;
        model->kernels[p] =
            (volt_series_kernel){volt_kernel_text(model->parts[p].kernel), way.scale, way.input, way.compare};
    }
    volt_series_kernel first = model->kernels[0];
    info->channels = model->parts[0].objects->channels;
    info->parts = model->n_parts;
    info->kernels = model->kernels;
    info->kernel = first.kernel;
    info->loss = model->loss ? model->loss->text : "squares";
    info->scale = first.scale;
    info->input = first.input;
    info->compare = first.compare;
    info->left_out_outputs = model->loo_outputs;
    info->warnings = model->warnings;
}

volt_status volt_series_model_get_info(const volt_series_model *model, volt_series_info *info)
{
    VOLT_REQUIRE(model && info, VOLT_ERR_ARGUMENT, "the model or the output for its info is NULL");
    return volt_result_copy(info, &model->info, sizeof model->info, "volt_series_info");
}

/* ---- predict ---------------------------------------------------------------------------------- */

static volt_status check_place(volt_matrix place, int64_t rows, int64_t cols, const char *name)
{
    return place.data ? volt_check_output(place, rows, cols, name) : VOLT_OK;
}

static void read_out(const volt_series_model *model, const double *K, double *u)
{
    int64_t q = model->info.outputs;
    for (int64_t k = 0; k < q; k++)
        u[k] = model->c[k];
    for (int64_t j = 0; j < model->columns; j++)
        for (int64_t k = 0; k < q; k++)
            u[k] += K[j] * model->A[j * q + k];
    if (model->loss)
        volt_loss_link(model->loss, q, u);
}

/* Adds the parts into C; K is one of them. */
static volt_status add_part(const volt_series_model *model, int64_t p, const volt_view *series,
                            const volt_progress *progress, volt_matrix K, volt_matrix C)
{
    const volt_series_part *part = &model->parts[p];
    VOLT_TRY(volt_objects_cross(part->objects, part->kernel, series, K.rows, progress, K, NULL));
    for (int64_t i = 0; i < K.rows * K.cols; i++)
        C.data[i] += K.data[i] / model->divisor;
    return VOLT_OK;
}

static void give(const volt_series_model *model, int64_t i, double *u, volt_matrix outputs,
                 volt_matrix probabilities, int64_t *classes)
{
    int64_t q = model->info.outputs;
    if (outputs.data)
        memcpy(outputs.data + i * outputs.ld, u, (size_t)q * sizeof *u);
    if (classes)
        classes[i] = volt_class_of_largest(u, q);
    if (!probabilities.data)
        return;
    if (!model->loss)
        volt_class_softmax(u, q, model->info.temperature);
    memcpy(probabilities.data + i * probabilities.ld, u, (size_t)q * sizeof *u);
}

volt_status volt_series_model_predict(const volt_series_model *model, const volt_view *series, int64_t count,
                                      volt_progress progress, volt_matrix outputs, volt_matrix probabilities,
                                      int64_t *classes)
{
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    int64_t n = model->columns, q = model->info.outputs;
    VOLT_REQUIRE(series && count > 0, VOLT_ERR_SHAPE, "the collection is empty");
    VOLT_REQUIRE(model->info.classes > 0 || (!probabilities.data && !classes), VOLT_ERR_ARGUMENT,
                 "the model predicts numbers, which have no classes and no probabilities");
    VOLT_REQUIRE(outputs.data || probabilities.data || classes, VOLT_ERR_ARGUMENT,
                 "outputs, probabilities and classes are all NULL");
    VOLT_TRY(check_place(outputs, count, q, "the outputs"));
    VOLT_TRY(check_place(probabilities, count, q, "the probabilities"));
    VOLT_TRY(
        volt_memory_require(16.0 * (double)count * (double)n, "the matrices of new against training series"));
    volt_matrix C = volt_matrix_of(volt_alloc_zero(count * n, sizeof(double)), count, n);
    volt_matrix K = volt_matrix_of(volt_alloc_doubles(count, n), count, n);
    double *u = volt_alloc_doubles(q, 1);
    volt_status status = C.data && K.data && u ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t p = 0; p < model->n_parts && status == VOLT_OK; p++)
        status = add_part(model, p, series, &progress, K, C);
    for (int64_t i = 0; i < count && status == VOLT_OK; i++) {
        read_out(model, C.data + i * n, u);
        give(model, i, u, outputs, probabilities, classes);
    }
    volt_free(C.data);
    volt_free(K.data);
    volt_free(u);
    return status;
}
