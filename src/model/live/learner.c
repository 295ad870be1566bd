/* src/model/live/learner.c: the life of a learner, and what it is. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/file/state_lock.h"
#include "model/live/learner_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const volt_forget_words[2] = {[VOLT_FORGET_DYNAMICS] = "dynamics", [VOLT_FORGET_ALL] = "all"};

volt_learner_options volt_learner_options_default(void)
{
    volt_learner_options options = {.struct_size = sizeof(volt_learner_options),
                                    .forget = 1,
                                    .forget_what = VOLT_FORGET_ALL,
                                    .beyond = VOLT_BEYOND_CLIP};
    return options;
}

/* ---- groups of outputs ------------------------------------------------------------------------ */

/* Does the kernel play a part in output k? */
static bool is_live(const volt_model *model, int64_t k)
{
    return isfinite(model->alphas[k]) && model->alphas[k] > 0;
}

/* Was output k fitted with an intercept? A fit that chose to go without one left 0, less the share of what is common to all
 * entries (solve/choice/choice.c), which is computed here in the same way, so that it is the same bits. A target that never moves
 * has intercept 0 and coefficients 0 either way: it has the intercept that the model was fitted with. */
static bool is_constant(const volt_model *model, int64_t k)
{
    double sum = 0;
    bool moves = false;
    for (int64_t i = model->washout; i < model->n; i++) {
        sum += model->coefficients[i * model->q + k];
        moves = moves || model->coefficients[i * model->q + k] != 0;
    }
    return model->intercept && (!moves || model->intercepts[k] != -model->resolved.common * sum);
}

static bool is_first_of_alpha(const volt_model *model, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (is_live(model, i) && model->alphas[i] == model->alphas[k])
            return false;
    return is_live(model, k);
}

static volt_status make_group(const volt_model *model, double alpha, volt_learner_group *group)
{
    group->outputs = volt_alloc(model->q, sizeof *group->outputs);
    group->constant = volt_alloc(model->q, sizeof *group->constant);
    group->y = volt_alloc_doubles(model->q, 1);
    if (!group->outputs || !group->constant || !group->y)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < model->q; k++)
        if (model->alphas[k] == alpha) {
            group->constant[group->n] = is_constant(model, k);
            group->outputs[group->n++] = k;
        }
    return volt_online_create(group->n, alpha, &group->factor);
}

static volt_status make_groups(volt_learner *learner)
{
    const volt_model *model = learner->model;
    learner->groups = volt_alloc_zero(model->q, sizeof *learner->groups);
    if (!learner->groups)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < model->q; k++)
        if (is_first_of_alpha(model, k))
            VOLT_TRY(make_group(model, model->alphas[k], &learner->groups[learner->n_groups++]));
    return VOLT_OK;
}

/* ---- life ------------------------------------------------------------------------------------- */

static volt_status check(const volt_model *model, const volt_learner_options *options)
{
    VOLT_REQUIRE(options->window >= 0, VOLT_ERR_ARGUMENT,
                 "the window is %" PRId64 " rows, and must be at least 1, or 0 for all", options->window);
    VOLT_REQUIRE(options->forget > 0 && options->forget <= 1, VOLT_ERR_ARGUMENT,
                 "forget is %.6g, and must be above 0 and at most 1", options->forget);
    VOLT_REQUIRE(options->forget_what == VOLT_FORGET_DYNAMICS || options->forget_what == VOLT_FORGET_ALL,
                 VOLT_ERR_ARGUMENT, "forget_what is %d, and must be VOLT_FORGET_DYNAMICS or VOLT_FORGET_ALL",
                 (int)options->forget_what);
    VOLT_REQUIRE(model->trained.landmarks == 0, VOLT_ERR_ARGUMENT,
                 "a learner goes on from all rows of training, and the model has %" PRId64
                 " landmarks of them: fit it with the exact solver",
                 model->trained.landmarks);
    VOLT_REQUIRE(
        !model->loss, VOLT_ERR_ARGUMENT,
        "the model was fitted with loss %s, or with weights: learning row by row goes with squares alone",
        model->loss->text);
    VOLT_REQUIRE(
        !model->resolved.centred || model->intercept, VOLT_ERR_ARGUMENT,
        "a centred kernel without an intercept forecasts deviations from a mean that the model does not "
        "keep: fit it with an intercept to go on learning");
    return VOLT_OK;
}

volt_status volt_learner_begin(const volt_model *model, const volt_learner_options *options,
                               volt_learner **learner)
{
    VOLT_TRY(check(model, options));
    volt_learner *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->model = model;
    fresh->window = options->window;
    fresh->forget = options->forget;
    fresh->forget_what = options->forget_what;
    fresh->policy = options->beyond;
    fresh->history.complete = options->window == 0;
    fresh->last = volt_alloc_doubles(1, model->recipe.inputs);
    fresh->z = volt_alloc_doubles(1, model->d);
    fresh->y = volt_alloc_doubles(1, model->q);
    fresh->forecast = volt_alloc_doubles(1, model->q);
    volt_status status = fresh->last && fresh->z && fresh->y && fresh->forecast ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_late_create(fresh);
    if (status == VOLT_OK)
        status = make_groups(fresh);
    if (status == VOLT_OK)
        status = volt_means_create(model, &fresh->means);
    if (status == VOLT_OK)
        status = volt_recent_create(&model->recipe, &fresh->recent);
    if (status == VOLT_OK)
        status = volt_moving_create(&model->resolved, &fresh->moving);
    if (status == VOLT_OK)
        *learner = fresh;
    else
        volt_learner_free(fresh);
    return status;
}

volt_status volt_learner_create(const volt_model *model, const volt_learner_options *options,
                                volt_learner **learner)
{
    volt_learner_options own = volt_learner_options_default();
    VOLT_TRY(volt_options_take(&own, sizeof own, options, "volt_learner_options"));
    options = &own;
    VOLT_REQUIRE(model && learner, VOLT_ERR_ARGUMENT, "the model or the place for the learner is NULL");
    volt_learner *fresh = NULL;
    volt_blas_use use;
    VOLT_TRY(volt_learner_begin(model, options, &fresh));
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = volt_learner_start(fresh, options->progress);
        volt_blas_release(&use);
    }
    if (status == VOLT_OK)
        *learner = fresh;
    else
        volt_learner_free(fresh);
    return status;
}

void volt_learner_free(volt_learner *learner)
{
    if (!learner)
        return;
    volt_journal_free(learner->journal);
    volt_state_lock_free(learner->lock);
    volt_moving_free(learner->moving);
    volt_recent_release(&learner->recent);
    for (int64_t g = 0; g < learner->n_groups; g++) {
        volt_online_free(learner->groups[g].factor);
        volt_free(learner->groups[g].outputs);
        volt_free(learner->groups[g].constant);
        volt_free(learner->groups[g].y);
    }
    volt_free(learner->groups);
    volt_means_release(&learner->means);
    volt_free(learner->history.rows);
    volt_free(learner->history.starts);
    volt_free(learner->numbers);
    volt_free(learner->last);
    volt_free(learner->z);
    volt_free(learner->y);
    volt_late_free(learner);
    volt_free(learner->k);
    volt_free(learner->fresh);
    volt_free(learner->seen);
    volt_free(learner->forecast);
    volt_interval_free(learner->interval);
    volt_free(learner->half);
    volt_free(learner);
}

/* ---- what it is ------------------------------------------------------------------------------- */

volt_status volt_learner_get_info(const volt_learner *learner, volt_learner_info *info)
{
    double condition = 1;
    for (int64_t g = 0; g < learner->n_groups; g++)
        condition = fmax(condition, volt_online_condition(learner->groups[g].factor));
    volt_learner_info now = {
        .struct_size = sizeof(volt_learner_info),
        .rows = learner->n,
        .window = learner->window,
        .forget = learner->forget,
        .forget_what = learner->forget_what,
        .pushed = learner->pushed,
        .learned = learner->learned,
        .beyond = learner->beyond,
        .condition = condition,
        .events = learner->events,
        .last = learner->pushed > 0 ? learner->last : NULL,
    };
    now.n_coverages = volt_learner_coverages(learner, &now.coverages);
    return volt_result_give(info, &now, sizeof now, "volt_learner_info");
}

/* Those of one group into the columns of its outputs. `a` is room for n x group->n numbers and group->n more. */
static void give_coefficients(const volt_learner *learner, const volt_learner_group *group, double *a,
                              volt_matrix A, double *c)
{
    double *own = a + learner->n * group->n, common = volt_learner_common(learner);
    volt_online_coefficients(group->factor, group->constant, volt_matrix_of(a, learner->n, group->n), own);
    for (int64_t i = 0; i < group->n; i++) {
        int64_t k = group->outputs[i];
        double share = learner->model->shares[k], sum = 0;
        for (int64_t j = 0; j < learner->n; j++) {
            A.data[j * A.ld + k] = share * a[j * group->n + i];
            sum += A.data[j * A.ld + k];
        }
        c[k] = share * own[i] - common * sum;
    }
}

volt_status volt_learner_coefficients(const volt_learner *learner, volt_matrix A, double *c, int64_t *t)
{
    VOLT_REQUIRE(learner && c, VOLT_ERR_ARGUMENT, "the learner or the place for the intercepts is NULL");
    const volt_model *model = learner->model;
    VOLT_REQUIRE(A.rows == learner->n && A.cols == model->q && A.ld >= A.cols && (A.data || A.rows == 0),
                 VOLT_ERR_SHAPE,
                 "the coefficients are %" PRId64 " x %" PRId64 ", and must be %" PRId64 " x %" PRId64, A.rows,
                 A.cols, learner->n, model->q);
    double *a = volt_alloc_doubles(learner->n + 1, model->q);
    if (!a)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < learner->n; i++)
        memset(A.data + i * A.ld, 0, (size_t)A.cols * sizeof *A.data);
    volt_means_forecast(&learner->means, learner->n, c);
    for (int64_t g = 0; g < learner->n_groups; g++)
        give_coefficients(learner, &learner->groups[g], a, A, c);
    if (t)
        memcpy(t, learner->numbers, (size_t)learner->n * sizeof *t);
    volt_free(a);
    return VOLT_OK;
}
