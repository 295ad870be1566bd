/* src/explain/forgetting.c: distance of two states after different pasts and the same inputs.
 *
 * The state map of the paper is a contraction with constant lambda sqrt(sup kappa) (proof of
 * the Volterra reservoir theorem, appendix C), so that the distance d of two states that receive the same inputs obeys
 *
 *     d_s <= (lambda sqrt(sup kappa))^s d_0. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "base/views.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A past followed by the common inputs, as passed to the kernel. */
typedef struct sequence {
    double *Z; /* rows x d */
    int64_t past, rows;
} sequence;

static volt_status check(const volt_model *model, volt_view X, const char *name)
{
    VOLT_TRY(volt_check_shape(X, name));
    VOLT_REQUIRE(X.cols == model->recipe.inputs, VOLT_ERR_SHAPE,
                 "%s has %" PRId64 " columns, but the model takes %" PRId64, name, X.cols,
                 model->recipe.inputs);
    return VOLT_OK;
}

static volt_status take_rows(const volt_model *model, volt_recent *recent, volt_view X, int64_t row, double *Z)
{
    int64_t beyond = 0;
    for (int64_t i = 0; i < X.rows; i++) {
        const double *x = X.data + i * X.ld;
        VOLT_TRY(volt_model_take_input(model, recent, x, VOLT_BEYOND_CLIP, row + i, Z + i * model->d, &beyond));
        volt_recent_push(&model->recipe, recent, x);
    }
    return VOLT_OK;
}

static volt_status take_sequence(const volt_model *model, volt_view past, volt_view X, sequence *s)
{
    volt_recent recent = {0};
    *s = (sequence){.past = past.rows, .rows = past.rows + X.rows};
    s->Z = volt_alloc_doubles(s->rows, model->d);
    volt_status status = s->Z ? volt_recent_create(&model->recipe, &recent) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = take_rows(model, &recent, past, 0, s->Z);
    if (status == VOLT_OK)
        status = take_rows(model, &recent, X, past.rows, s->Z + past.rows * model->d);
    volt_recent_release(&recent);
    return status;
}

/* values[k] <- kernel of the states of `a` and `b` after k common rows. */
static volt_status kernel_along(const volt_resolved *resolved, int64_t d, const sequence *a, const sequence *b,
                                volt_stage *stage, double *values)
{
    enum { BLOCK = 64 };
    volt_columns *columns = NULL;
    volt_state *state = NULL;
    int64_t most = volt_min(BLOCK, a->rows);
    double *K = volt_alloc_doubles(most, b->rows);
    volt_status status =
        K ? volt_columns_create(resolved, volt_view_of(b->Z, b->rows, d), stage, &columns) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_state_create(resolved, columns, most, &state);
    for (int64_t i = 0; status == VOLT_OK && i < a->rows && volt_stage_should_continue(stage); i += most) {
        int64_t count = volt_min(most, a->rows - i);
        volt_state_advance(state, volt_view_of(a->Z + i * d, count, d), false,
                           volt_matrix_of(K, count, b->rows), stage);
        for (int64_t k = 0; k < count; k++)
            if (i + k >= a->past - 1)
                values[i + k - a->past + 1] = K[k * b->rows + b->past - 1 + i + k - (a->past - 1)];
    }
    volt_state_free(state);
    volt_columns_free(columns);
    volt_free(K);
    return status;
}

/* The contraction of the states; NaN: the theorem does not apply. */
static double contraction_of(const volt_model *model)
{
    bool applies = !model->resolved.sum && model->kernel->entry == &volt_kernel_volterra &&
                   !volt_kernel_filters(model->kernel) && model->recipe.columns == model->recipe.inputs;
    return applies ? sqrt(model->resolved.facts.contraction) : NAN;
}

static volt_status find_distances(const volt_model *model, const sequence *a, const sequence *b,
                                  volt_progress progress, double *values, volt_matrix out)
{
    const volt_resolved *resolved = model->resolved.records ? &model->resolved.records->each : &model->resolved;
    int64_t count = out.rows;
    double first = (double)a->rows, second = (double)b->rows;
    double contraction = contraction_of(model);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "forgetting", 0, 1, first * first + second * second + first * second);
    VOLT_TRY(kernel_along(resolved, model->d, a, a, &stage, values));
    VOLT_TRY(kernel_along(resolved, model->d, b, b, &stage, values + count));
    VOLT_TRY(kernel_along(resolved, model->d, a, b, &stage, values + 2 * count));
    VOLT_TRY(volt_stage_end(&stage));
    for (int64_t k = 0; k < count; k++) {
        double distance = volt_gram_distance(values[k], values[count + k], values[2 * count + k]);
        out.data[k * out.ld] = distance;
        out.data[k * out.ld + 1] = isnan(contraction) ? NAN : out.data[0] * pow(contraction, (double)k);
    }
    return VOLT_OK;
}

volt_status volt_model_forgetting(const volt_model *model, volt_view first, volt_view second, volt_view X,
                                  volt_progress progress, volt_matrix out)
{
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    VOLT_TRY(volt_model_require_single(model, "forgetting"));
    VOLT_TRY(check(model, first, "the first history"));
    VOLT_TRY(check(model, second, "the second history"));
    VOLT_TRY(check(model, X, "the sequence of common inputs"));
    VOLT_REQUIRE(model->recipe.fed_outputs.n == 0, VOLT_ERR_ARGUMENT,
                 "forgetting is not supported for models with a feedback weight");
    VOLT_REQUIRE(out.data && out.rows == X.rows + 1 && out.cols == 2 && out.ld >= 2, VOLT_ERR_SHAPE,
                 "the distances must be %" PRId64 " x 2 (got %" PRId64 " x %" PRId64 ")", X.rows + 1, out.rows,
                 out.cols);
    volt_blas_use use;
    sequence a = {0}, b = {0};
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    volt_matrix found = volt_matrix_of(volt_alloc_doubles(out.rows, 2), out.rows, 2);
    double *values = volt_alloc_doubles(3 * out.rows, 1);
    volt_status status = found.data && values ? take_sequence(model, first, X, &a) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = take_sequence(model, second, X, &b);
    if (status == VOLT_OK)
        status = find_distances(model, &a, &b, progress, values, found);
    for (int64_t i = 0; status == VOLT_OK && i < out.rows; i++)
        memcpy(out.data + i * out.ld, found.data + 2 * i, 2 * sizeof(double));
    volt_free(values);
    volt_free(found.data);
    volt_free(b.Z);
    volt_free(a.Z);
    volt_blas_release(&use);
    return status;
}
