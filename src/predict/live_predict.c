/* src/predict/live_predict.c: predictions of many consecutive rows of a live object. Without learning
 * and feedback they are computed in blocks, as in volt_model_predict. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/views.h"
#include "gram/gram.h"
#include "model/model_internal.h"
#include "predict/live/live_internal.h"
#include "predict/predict_internal.h"

#include <inttypes.h>
#include <string.h>

/* Predictions with a fixed window. */
typedef struct window_run {
    volt_moving *moving; /* a copy */
    volt_recent recent;
    double *A, *c;  /* n x q and q: the readout of the window */
    double *k;      /* against the columns */
    double *z;      /* d: the row as passed to the kernel */
    double *result; /* X.rows x q: the caller's */
    int64_t beyond;
} window_run;

static void release(window_run *run)
{
    volt_moving_free(run->moving);
    volt_recent_release(&run->recent);
    volt_free(run->A);
    volt_free(run->c);
    volt_free(run->k);
    volt_free(run->z);
}

static volt_status begin(const volt_live *live, window_run *run)
{
    const volt_model *model = live->model;
    int64_t columns = volt_moving_next(live->moving) - volt_moving_begin(live->moving);
    run->A = volt_alloc_doubles(live->n, model->q);
    run->c = volt_alloc_doubles(model->q, 1);
    run->k = volt_alloc_doubles(columns, 1);
    run->z = volt_alloc_doubles(model->d, 1);
    if (!run->A || !run->c || !run->k || !run->z)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(volt_recent_create(&model->recipe, &run->recent));
    volt_recent_copy(&model->recipe, &live->recent, &run->recent);
    VOLT_TRY(volt_moving_copy(live->moving, &run->moving));
    return volt_live_coefficients(live, volt_matrix_of(run->A, live->n, model->q), run->c, NULL);
}

/* Predicts row i of X, i + 1 rows after the last one. */
static volt_status predict_row(const volt_live *live, window_run *run, int64_t i, const double *x)
{
    double *z = run->z;
    const volt_model *model = live->model;
    int64_t q = model->q, first = volt_moving_begin(run->moving);
    int64_t now = volt_moving_next(run->moving) + i;
    double *v = run->result + i * q;
    VOLT_TRY(volt_model_take_input(model, &run->recent, x, live->policy, i, z, &run->beyond));
    VOLT_TRY(volt_moving_prepare(run->moving, z, false, true));
    volt_moving_push(run->moving, z, false, run->k);
    volt_recent_push(&model->recipe, &run->recent, x);
    memcpy(v, run->c, (size_t)q * sizeof *v);
    for (int64_t j = 0; j < live->n; j++) {
        int64_t row = live->numbers[j];
        double k = volt_live_decayed(live, run->k[row - first], now - row);
        for (int64_t output = 0; output < q; output++)
            v[output] += k * run->A[j * q + output];
    }
    VOLT_TRY(volt_model_unscale_output(model, i, x, v));
    int64_t stray = volt_feedback_find_diverged(&model->recipe.fed_outputs, v);
    if (stray >= 0)
        return volt_feedback_report_diverged(&model->recipe.fed_outputs, stray, i, v);
    volt_recent_feed(&model->recipe, &run->recent, v); /* free run with feedback */
    return VOLT_OK;
}

static volt_status predict_window(const volt_live *live, volt_view X, double *result, int64_t *beyond)
{
    window_run run = {.result = result};
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = begin(live, &run);
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++)
        status = predict_row(live, &run, i, X.data + i * X.ld);
    volt_blas_release(&use);
    *beyond = run.beyond;
    release(&run);
    return status;
}

/* Feeds the rows one by one. */
static volt_status feed_rows(volt_live *live, volt_view X, double *result, int64_t *beyond)
{
    int64_t before = live->beyond, q = live->model->q;
    for (int64_t i = 0; i < X.rows; i++) {
        double *y = result + i * q;
        VOLT_TRY(volt_live_feed(live, X.data + i * X.ld, y));
        if (live->diverged)
            return volt_live_report_diverged(live, i);
    }
    *beyond = live->beyond - before;
    return VOLT_OK;
}

static volt_status feed_copy(const volt_live *live, volt_view X, double *result, int64_t *beyond)
{
    volt_live *copy = NULL;
    VOLT_TRY(volt_live_copy(live, &copy));
    volt_status status = feed_rows(copy, X, result, beyond);
    volt_live_free(copy);
    return status;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* Updates the object after the rows of X, from `state`. */
static void take_state(volt_live *live, volt_view X, int64_t beyond, volt_predict_state *state)
{
    const volt_recipe *recipe = &live->model->recipe;
    volt_state *kernel_state = live->kernel_state;
    live->kernel_state = state->kernel_state;
    state->kernel_state = kernel_state;
    volt_recent_copy(recipe, &state->recent, &live->recent);
    memcpy(live->last, X.data + (X.rows - 1) * X.ld, (size_t)recipe->inputs * sizeof *live->last);
    live->pushed += X.rows;
    live->beyond += beyond;
    live->n_predictions = 0;
}

static volt_status predict_blocks(volt_live *live, volt_view X, bool advance, volt_matrix result,
                                  int64_t *beyond)
{
    const volt_model *model = live->model;
    volt_predict_options options = volt_predict_options_default();
    options.beyond = live->policy;
    options.progress = live->progress;
    volt_predict_state state;
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = volt_predict_state_at(model, live->kernel_state, &live->recent, X.rows, 1, &state);
    state.done = live->pushed;
    if (status == VOLT_OK)
        status = volt_predict_rows(model, X, NULL, &options, &state, result, (volt_matrix){0}, beyond);
    if (status == VOLT_OK && advance)
        take_state(live, X, *beyond, &state);
    volt_predict_state_release(&state);
    volt_blas_release(&use);
    return status;
}

/* ---- sums ------------------------------------------------------------------------------------- */

static volt_status predict(volt_live *live, volt_view X, bool advance, double *result, int64_t *beyond);

/* Adds the predictions of the members without feedback. With `advanced` (NULL: none) copies of them take the
 * rows. */
static volt_status add_members(volt_live *live, volt_view X, volt_live **advanced, double *part, double *result,
                               int64_t *beyond)
{
    const volt_members *sum = live->model->sum;
    int64_t count = X.rows * live->model->q;
    for (int64_t i = 0; i < sum->n; i++) {
        int64_t counted = 0;
        if (advanced)
            VOLT_TRY(volt_live_copy(live->members[i], &advanced[i]));
        volt_live *member = advanced ? advanced[i] : live->members[i];
        member->progress = live->progress;
        volt_status status = predict(member, X, advanced, part, &counted);
        if (status != VOLT_OK)
            return volt_fail_prefix(status, "member %" PRId64, i + 1);
        volt_sum_add(sum->weights[i], part, count, i == 0, result);
        *beyond = volt_max(*beyond, counted);
    }
    for (int64_t t = 0; t < X.rows; t++)
        VOLT_TRY(volt_model_check_output(live->model, live->pushed + t, result + t * live->model->q));
    return VOLT_OK;
}

static volt_status predict_members(volt_live *live, volt_view X, bool advance, double *result, int64_t *beyond)
{
    int64_t n = live->model->sum->n, inputs = live->model->recipe.inputs;
    double *part = volt_alloc_doubles(X.rows, live->model->q);
    volt_live **other = advance ? volt_alloc_zero(n, sizeof *other) : NULL;
    volt_status status =
        part && (other || !advance) ? add_members(live, X, other, part, result, beyond) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && advance) {
        volt_live **members = live->members;
        live->members = other;
        other = members;
        memcpy(live->last, X.data + (X.rows - 1) * X.ld, (size_t)inputs * sizeof *live->last);
        live->pushed += X.rows;
        for (int64_t i = 0; i < n; i++)
            live->beyond = volt_max(live->beyond, live->members[i]->beyond);
        live->n_predictions = 0;
    }
    for (int64_t i = 0; other && i < n; i++)
        volt_live_free(other[i]);
    volt_free(other);
    volt_free(part);
    return status;
}

/* ---- all -------------------------------------------------------------------------------------- */

static volt_status predict(volt_live *live, volt_view X, bool advance, double *result, int64_t *beyond)
{
    bool feeds_back = volt_model_feedback_weight(live->model) > 0;
    if (live->members && !feeds_back)
        return predict_members(live, X, advance, result, beyond);
    if (!live->learns && !feeds_back)
        return predict_blocks(live, X, advance, volt_matrix_of(result, X.rows, live->model->q), beyond);
    if (advance)
        return feed_rows(live, X, result, beyond);
    return live->learns ? predict_window(live, X, result, beyond) : feed_copy(live, X, result, beyond);
}

volt_status volt_live_predict(volt_live *live, volt_view X, int advance, volt_matrix out, int64_t *beyond)
{
    VOLT_REQUIRE(live, VOLT_ERR_ARGUMENT, "the live object is NULL");
    const volt_model *model = live->model;
    VOLT_TRY(volt_model_check_inputs(model, X));
    VOLT_TRY(volt_check_output(out, X.rows, model->q, "the predictions"));
    int64_t counted = 0;
    double *result = volt_alloc_doubles(X.rows, model->q);
    volt_status status = result ? predict(live, X, advance != 0, result, &counted) : VOLT_ERR_MEMORY;
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++)
        memcpy(out.data + i * out.ld, result + i * model->q, (size_t)model->q * sizeof(double));
    if (status == VOLT_OK && beyond)
        *beyond = counted;
    volt_free(result);
    return status;
}
