/* src/predict/live/live_rows.c: feeds rows and predicts them; learns, feeds back or tracks their targets.
 *
 *     k_j <- 1 + lambda^2 kappa(z_t, z_j) k_{j-1},     y = c + A' k      (Volterra; section II.B) */
#include "base/blas.h"
#include "base/clones.h"
#include "base/error.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"
#include "model/initial.h"
#include "model/model_internal.h"
#include "predict/live/live_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

VOLT_CLONES
static double dot(const double *restrict a, const double *restrict b, int64_t n)
{
    enum { LANES = 8 };
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += a[i + l] * b[i + l];
    double sum = 0;
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

/* ---- predictions without targets yet ---------------------------------------------------------------- */

double *volt_live_prediction(const volt_live *live, int64_t back)
{
    int64_t row = live->n_predictions - 1 - back;
    return row < 0 ? NULL : live->predictions + row % (live->model->ahead + 1) * live->model->q;
}

/* Stores the prediction of the last row in the ring; y NULL: it overflowed. */
static void keep_prediction(volt_live *live, const double *y)
{
    double *kept = volt_live_prediction(live, 0);
    for (int64_t k = 0; k < live->model->q; k++)
        kept[k] = y ? y[k] : DBL_MAX;
    if (live->learns)
        volt_window_record(live, volt_moving_next(live->moving) - 1, kept);
}

/* Updates the intervals with the target of a prediction. */
static volt_status observe(volt_live *live, int64_t back, const double *y)
{
    const double *made = volt_live_prediction(live, back);
    if (!live->interval || !made || made[0] == DBL_MAX)
        return VOLT_OK;
    return volt_interval_learn(live->interval, made, y);
}

/* ---- feed ------------------------------------------------------------------------------------- */

/* After loading, the prediction is known only up to rounding, so the message may name any output. */
volt_status volt_live_report_diverged(const volt_live *live, int64_t row)
{
    const volt_feedback *fed_outputs = &live->model->recipe.fed_outputs;
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        if (live->members[i]->diverged)
            return volt_fail_prefix(volt_live_report_diverged(live->members[i], row), "member %" PRId64, i + 1);
    int64_t k = volt_feedback_find_diverged(fed_outputs, live->y);
    return volt_feedback_report_diverged(fed_outputs, k < 0 ? 0 : k, row, live->y);
}

/* Whether a row of the object, without learning, calls BLAS. */
static bool multiplies(const volt_live *live)
{
    bool any = !live->members && volt_model_reader_of(live->model).columns->engine->multiplies;
    for (int64_t i = 0; live->members && !any && i < live->model->sum->n; i++)
        any = multiplies(live->members[i]);
    return any;
}

/* Advances the state with the row in live->z; its kernel is in live->k. */
static void advance_kernel_state(volt_live *live)
{
    volt_state_advance(live->kernel_state, volt_view_of(live->z, 1, live->model->d), false,
                       volt_matrix_of(live->k, 1, volt_model_reader_of(live->model).columns->m), NULL);
}

static volt_status feed_taken(volt_live *live, const double *x, double *y);

/* Feeds the row x, which all members have taken, and adds their outputs. Every member is fed, also after one
 * whose output overflowed. */
static volt_status feed_members(volt_live *live, const double *x)
{
    const volt_members *sum = live->model->sum;
    volt_status failed = VOLT_OK;
    live->diverged = false;
    for (int64_t i = 0; i < sum->n; i++) {
        volt_live *member = live->members[i];
        volt_status status = feed_taken(member, x, NULL);
        if (status != VOLT_OK)
            failed = volt_fail_prefix(status, "member %" PRId64, i + 1);
        live->diverged |= member->diverged;
        volt_sum_add(sum->weights[i], member->y, live->model->q, i == 0, live->y);
    }
    VOLT_TRY(failed);
    return volt_model_check_output(live->model, live->pushed - 1, live->y);
}

/* Predicts the last row x into live->y. */
static volt_status evaluate(volt_live *live, const double *x)
{
    const volt_model *model = live->model;
    if (live->members)
        return feed_members(live, x);
    if (live->learns) {
        volt_window_solve(live);
        return volt_model_unscale_output(model, live->pushed - 1, x, live->y);
    }
    int64_t m = volt_model_reader_of(model).columns->m;
    for (int64_t k = 0; k < model->q; k++)
        live->y[k] = dot(live->k, live->coefficients + k * m, m);
    return volt_model_finish_output(model, live->pushed - 1, x, live->y);
}

/* Undoes take_input. */
static void release_input(volt_live *live)
{
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        release_input(live->members[i]);
    volt_recent_unfilter(&live->model->recipe, &live->recent);
    live->recent.fed &= !live->found_first;
}

/* Feeds row x, which take_input has converted to live->z. */
static volt_status feed_taken(volt_live *live, const double *x, double *y)
{
    const volt_model *model = live->model;
    const volt_feedback *fed_outputs = &model->recipe.fed_outputs;
    volt_status status = live->learns ? volt_window_take(live) : VOLT_OK;
    if (status != VOLT_OK) {
        release_input(live);
        return status;
    }
    if (live->learns)
        volt_window_commit(live, x);
    else if (!live->members)
        advance_kernel_state(live);
    memcpy(live->last, x, (size_t)model->recipe.inputs * sizeof *x);
    volt_recent_push(&model->recipe, &live->recent, x);
    live->pushed++;
    live->beyond = live->next_beyond;
    live->n_predictions++;
    volt_live_update_half_widths(live);
    live->diverged = fed_outputs->n > 0 && !live->learns; /* an output that is not finite is not fed back */
    status = evaluate(live, x);
    keep_prediction(live, status == VOLT_OK ? live->y : NULL);
    VOLT_TRY(status);
    volt_recent_feed(&model->recipe, &live->recent, live->y); /* until the target is known */
    if (!live->members)
        live->diverged = live->diverged && volt_feedback_find_diverged(fed_outputs, live->y) >= 0;
    if (y)
        memcpy(y, live->y, (size_t)model->q * sizeof *y);
    return VOLT_OK;
}

/* Sets the output before the first row of a sequence if none is known. A learning object keeps the mean: its
 * readout changes. */
static volt_status find_first_output(volt_live *live, const double *x)
{
    const volt_model *model = live->model;
    if (live->recent.begun || live->recent.fed || model->initial != VOLT_INITIAL_FIRST ||
        model->recipe.fed_outputs.n == 0 || live->learns)
        return VOLT_OK;
    VOLT_TRY(volt_model_stationary_output(model, x, live->y));
    volt_recent_feed(&model->recipe, &live->recent, live->y);
    live->found_first = true;
    return VOLT_OK;
}

static volt_status take_input(volt_live *live, const double *x);

/* All members take the row, or none. */
static volt_status take_members(volt_live *live, const double *x)
{
    for (int64_t i = 0; i < live->model->sum->n; i++) {
        volt_live *member = live->members[i];
        volt_status status = take_input(member, x);
        if (status != VOLT_OK) {
            for (int64_t j = 0; j < i; j++)
                release_input(live->members[j]);
            return volt_fail_prefix(status, "member %" PRId64, i + 1);
        }
        live->next_beyond = volt_max(live->next_beyond, member->next_beyond);
    }
    return VOLT_OK;
}

/* Converts the input for the kernel, into live->z. */
static volt_status take_input(volt_live *live, const double *x)
{
    live->next_beyond = live->beyond;
    if (live->members)
        return take_members(live, x);
    if (live->diverged)
        return volt_live_report_diverged(live, live->pushed - 1);
    live->found_first = false;
    VOLT_TRY(find_first_output(live, x));
    volt_status status = volt_model_take_input(live->model, &live->recent, x, live->policy, live->pushed,
                                               live->z, &live->next_beyond);
    if (status != VOLT_OK)
        live->recent.fed &= !live->found_first;
    return status;
}

static volt_status feed_row(volt_live *live, const double *x, double *y)
{
    volt_blas_use use;
    bool claims = !live->learns && !live->claimed && multiplies(live);
    if (claims)
        VOLT_TRY(volt_blas_claim(&use));
    volt_status status = take_input(live, x);
    if (status == VOLT_OK)
        status = feed_taken(live, x, y);
    if (claims)
        volt_blas_release(&use);
    return status;
}

volt_status volt_live_feed(volt_live *live, const double *x, double *y)
{
    VOLT_REQUIRE(live && x && y, VOLT_ERR_ARGUMENT, "the live object, the input or the output is NULL");
    return feed_row(live, x, y);
}

/* ---- learn ------------------------------------------------------------------------------------ */

static bool all_known(const volt_live *live, const double *y)
{
    for (int64_t k = 0; k < live->model->q; k++)
        if (isnan(y[k]))
            return false;
    return true;
}

static volt_status set_known(volt_live *live, const double *y, bool apply);

/* Members fitted on residuals receive what the members before them leave of the outputs. */
static volt_status set_known_of_members(volt_live *live, const double *y, bool apply)
{
    const volt_members *sum = live->model->sum;
    double *own = live->k;
    bool exact = true; /* `own` is known */
    memcpy(own, y, (size_t)live->model->q * sizeof *y);
    for (int64_t i = 0; i < sum->n; i++) {
        if (volt_model_feedback_weight(sum->models[i]) > 0) {
            VOLT_REQUIRE(exact, VOLT_ERR_ARGUMENT,
                         "known outputs before the first row are not supported by member %" PRId64
                         ", which was fitted on a residual",
                         i + 1);
            VOLT_TRY(set_known(live->members[i], own, apply));
        }
        const double *made = volt_live_prediction(live->members[i], 0);
        if (sum->kind == VOLT_SUM_RESIDUAL && made)
            volt_sum_add(-sum->weights[i], made, live->model->q, false, own);
        exact &= sum->kind == VOLT_SUM_AVERAGE || made;
    }
    return VOLT_OK;
}

/* Feeds known outputs back; with apply false, only checks them. */
static volt_status set_known(volt_live *live, const double *y, bool apply)
{
    const volt_recipe *recipe = &live->model->recipe;
    for (int64_t k = 0; k < recipe->fed_outputs.n; k++)
        VOLT_REQUIRE(isfinite(y[k]) && isfinite(volt_feedback_column(&recipe->fed_outputs, k, y[k])),
                     VOLT_ERR_NOT_FINITE,
                     "known output %" PRId64 " of row %" PRId64 " is not finite or too large", k + 1,
                     live->pushed);
    if (live->members)
        VOLT_TRY(set_known_of_members(live, y, apply));
    if (apply) {
        volt_recent_feed(recipe, &live->recent, y);
        live->diverged = false;
    }
    return VOLT_OK;
}

/* A target without learning: for intervals and feedback. */
static volt_status compare(volt_live *live, int64_t back, const double *y)
{
    bool fed_outputs = volt_model_feedback_weight(live->model) > 0 && !live->free_run;
    VOLT_REQUIRE(
        live->interval || fed_outputs, VOLT_ERR_ARGUMENT,
        "targets are not used: the object does not learn, tracks no intervals and was fitted without feedback");
    VOLT_REQUIRE(back >= 0 && back <= live->model->ahead, VOLT_ERR_ARGUMENT,
                 "the target must be 0 to %" PRId64 " rows back (got %" PRId64 ")", live->model->ahead, back);
    fed_outputs = fed_outputs && back == 0 && all_known(live, y);
    if (fed_outputs)
        VOLT_TRY(set_known(live, y, false));
    VOLT_TRY(observe(live, back, y));
    return fed_outputs ? set_known(live, y, true) : VOLT_OK;
}

/* Learns the target of a pending row. *learned false: it is not pending. */
static volt_status learn_waiting(volt_live *live, int64_t back, const double *y, bool *learned)
{
    VOLT_TRY(volt_window_learn(live, back, y, learned));
    if (!*learned)
        return VOLT_OK;
    (void)observe(live, back, y); /* an error that overflows is ignored */
    if (back == 0)
        volt_recent_feed(&live->model->recipe, &live->recent, y);
    return VOLT_OK;
}

volt_status volt_live_learn(volt_live *live, int64_t back, const double *y)
{
    VOLT_REQUIRE(live && y, VOLT_ERR_ARGUMENT, "the live object or the target is NULL");
    bool learned = false;
    if (!live->learns)
        return compare(live, back, y);
    int64_t late = volt_max(live->model->ahead, 1) - 1;
    VOLT_REQUIRE(back == 0 || back == late, VOLT_ERR_ARGUMENT,
                 late ? "the target must be 0 or %" PRId64 " rows back (got %" PRId64 ")"
                      : "the target must be %" PRId64 " rows back (got %" PRId64 ")",
                 late, back);
    VOLT_TRY(learn_waiting(live, back, y, &learned));
    VOLT_REQUIRE(learned, VOLT_ERR_ARGUMENT,
                 "no row has this target pending: feed a row first; rows are learned once, in order");
    return VOLT_OK;
}

/* ---- both ------------------------------------------------------------------------------------- */

/* Without learning the row is fed first, so that a rejected row changes nothing. */
static volt_status update_fixed(volt_live *live, const double *x, bool late, const double *y,
                                double *prediction)
{
    VOLT_TRY(feed_row(live, x, prediction));
    VOLT_TRY(compare(live, late ? live->model->ahead : 0, y));
    if (late)
        volt_live_update_half_widths(live);
    return VOLT_OK;
}

static volt_status update_own(volt_live *live, const double *x, const double *y, double *prediction)
{
    VOLT_TRY(volt_window_check_target(live, x, y));
    int64_t pushed = live->pushed;
    volt_status status = feed_row(live, x, prediction);
    if (live->pushed == pushed)
        return status;
    volt_status learned = volt_live_learn(live, 0, y);
    return learned != VOLT_OK ? learned : status;
}

static volt_status update_late(volt_live *live, const double *x, const double *y, double *prediction)
{
    if (!all_known(live, y))
        return feed_row(live, x, prediction);
    bool learned = false;
    VOLT_TRY(take_input(live, x));
    volt_status status = learn_waiting(live, live->model->ahead - 1, y, &learned);
    if (status != VOLT_OK && status != VOLT_ERR_SINGULAR) {
        release_input(live);
        return status;
    }
    volt_status predicts = feed_taken(live, x, prediction);
    return predicts != VOLT_OK ? predicts : status;
}

volt_status volt_live_update(volt_live *live, const double *x, int late, const double *y, double *prediction)
{
    VOLT_REQUIRE(live && x && y, VOLT_ERR_ARGUMENT, "the live object, the input or the target is NULL");
    bool waits = late && live->model->ahead > 0;
    if (!live->learns)
        return update_fixed(live, x, waits, y, prediction);
    return waits || (late && !all_known(live, y)) ? update_late(live, x, y, prediction)
                                                  : update_own(live, x, y, prediction);
}

/* ---- drop and restart ------------------------------------------------------------------------- */

volt_status volt_live_drop(volt_live *live, int64_t count)
{
    VOLT_REQUIRE(live, VOLT_ERR_ARGUMENT, "the live object is NULL");
    VOLT_REQUIRE(count >= 0 && count <= live->n, VOLT_ERR_ARGUMENT,
                 "%" PRId64 " rows are to be dropped, but the window has %" PRId64, count, live->n);
    if (live->learns)
        volt_window_drop(live, count);
    return VOLT_OK;
}

volt_status volt_live_restart(volt_live *live)
{
    VOLT_REQUIRE(live, VOLT_ERR_ARGUMENT, "the live object is NULL");
    if (live->learns)
        VOLT_TRY(volt_window_restart(live));
    else if (!live->members)
        volt_state_zero(live->kernel_state);
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        VOLT_TRY(volt_live_restart(live->members[i]));
    volt_recent_restart(&live->recent);
    live->diverged = false;
    live->n_predictions = 0;
    return VOLT_OK;
}
