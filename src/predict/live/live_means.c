/* src/predict/live/live_means.c: outputs without a kernel part (alpha is INFINITY).
 *
 * Their prediction is 0 (the naive forecast of a change), or the mean of the targets in the window: the
 * limit of the readout as alpha grows. A model keeps no targets. They are recovered from the errors of the
 * training rows, where each row was predicted by the mean of the targets known before it, y_t = e_t +
 * mean(y_0, ..., y_{t-ahead}), and from the intercept, the mean of all. The first `ahead` targets have no
 * error. They are set to the common value that gives that mean; one row ahead this is exact. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "predict/live/live_internal.h"

#include <math.h>
#include <string.h>

/* A level has the intercept of the options; a change may have none. */
static bool has_mean(const volt_model *model, int64_t k)
{
    return model->intercept && (model->anchors[k] < 0 || model->intercepts[k] != 0);
}

volt_status volt_means_create(const volt_model *model, volt_live_means *means)
{
    means->outputs = volt_alloc(model->q, sizeof *means->outputs);
    means->constant = volt_alloc(model->q, sizeof *means->constant);
    if (!means->outputs || !means->constant)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < model->q; k++)
        if (isinf(model->alphas[k])) {
            means->constant[means->n] = has_mean(model, k);
            means->outputs[means->n++] = k;
        }
    return VOLT_OK;
}

void volt_means_release(volt_live_means *means)
{
    volt_free(means->outputs);
    volt_free(means->constant);
    volt_free(means->Y);
    *means = (volt_live_means){0};
}

volt_status volt_means_reserve(volt_live_means *means, int64_t rows)
{
    return volt_grow((void **)&means->Y, &means->capacity, rows * means->n, sizeof *means->Y);
}

void volt_means_forecast(const volt_live_means *means, int64_t rows, double *y)
{
    for (int64_t i = 0; i < means->n; i++) {
        double sum = 0;
        for (int64_t t = 0; means->constant[i] && t < rows; t++)
            sum += means->Y[t * means->n + i];
        y[means->outputs[i]] = rows > 0 ? sum / (double)rows : 0;
    }
}

/* ---- the targets of training ------------------------------------------------------------------ */

/* Recovers the targets of output k from its errors, in order. The `first` ones, without errors, are v.
 * Returns their sum. */
static double unroll(const volt_model *model, const int64_t *rows, int64_t n, int64_t k, bool constant,
                     double v, double *y)
{
    const volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    int64_t ahead = volt_max(model->ahead, 1), known = 0;
    double sum = 0, known_sum = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t t = rows[i] - model->washout;
        for (; known < i && rows[known] - model->washout <= t - ahead; known++)
            known_sum += y[known];
        bool is_known = near->scale[t * model->q + k] > 0;
        double mean = constant && known > 0 ? known_sum / (double)known : 0;
        y[i] = is_known ? near->e[t * model->q + k] + mean : v;
        sum += y[i];
    }
    return sum;
}

/* Recovers the targets of all fitted rows into y. */
static void recover(const volt_model *model, const int64_t *rows, int64_t n, int64_t k, bool constant,
                    double *y)
{
    double c = model->intercepts[k];
    if (model->errors.lists[VOLT_ERRORS_NEAR].rows != model->n - model->washout) {
        for (int64_t i = 0; i < n; i++)
            y[i] = c;
        return;
    }
    double none = unroll(model, rows, n, k, constant, 0, y);
    double slope = unroll(model, rows, n, k, constant, 1, y) - none;
    unroll(model, rows, n, k, constant, constant && slope > 0 ? ((double)n * c - none) / slope : 0, y);
}

volt_status volt_means_start(volt_live_means *means, const volt_model *model, const int64_t *rows, int64_t n,
                             int64_t window)
{
    int64_t dropped = n - window;
    double *y = volt_alloc_doubles(n, 1);
    volt_status status = y ? volt_means_reserve(means, window + 1) : VOLT_ERR_MEMORY;
    for (int64_t i = 0; status == VOLT_OK && i < means->n; i++) {
        recover(model, rows, n, means->outputs[i], means->constant[i], y);
        for (int64_t t = 0; t < window; t++)
            means->Y[t * means->n + i] = y[dropped + t];
    }
    volt_free(y);
    return status;
}
