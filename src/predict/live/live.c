/* src/predict/live/live.c: creation of live objects, their intervals and facts. */
#include "backend/backend.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "io/file/file_bytes.h"
#include "model/model_internal.h"
#include "predict/live/live_internal.h"
#include "solve/exact/operator.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const volt_forget_words[2] = {[VOLT_FORGET_DYNAMICS] = "dynamics", [VOLT_FORGET_ALL] = "all"};

volt_live_options volt_live_options_default(void)
{
    return (volt_live_options){.struct_size = sizeof(volt_live_options),
                               .start = VOLT_START_CONTINUE,
                               .beyond = VOLT_BEYOND_CLIP,
                               .forget = 1,
                               .forget_what = VOLT_FORGET_ALL,
                               .scale_rows = 300};
}

/* ---- groups of outputs ------------------------------------------------------------------------ */

/* Whether output k has a kernel part. */
static bool is_live(const volt_model *model, int64_t k)
{
    return isfinite(model->alphas[k]) && model->alphas[k] > 0;
}

/* Whether output k was fitted with an intercept. A fit without one leaves 0, less the share of the common
 * part of all entries (solve/choice/choice.c). It is computed here in the same way, to the same bits. A
 * constant target has intercept 0 and coefficients 0 in both cases; then the setting of the model applies. */
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

static volt_status make_group(const volt_model *model, double alpha, volt_live_group *group)
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

static volt_status make_groups(volt_live *live)
{
    const volt_model *model = live->model;
    live->groups = volt_alloc_zero(model->q, sizeof *live->groups);
    if (!live->groups)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < model->q; k++)
        if (is_first_of_alpha(model, k))
            VOLT_TRY(make_group(model, model->alphas[k], &live->groups[live->n_groups++]));
    return VOLT_OK;
}

/* ---- creation --------------------------------------------------------------------------------- */

static volt_status check(const volt_model *model, const volt_live_options *options)
{
    VOLT_TRY(volt_model_require_single(model, "online learning"));
    VOLT_REQUIRE(options->window >= 0, VOLT_ERR_ARGUMENT,
                 "the window must be at least 1, or 0 for all (got %" PRId64 " rows)", options->window);
    VOLT_REQUIRE(options->forget > 0 && options->forget <= 1, VOLT_ERR_ARGUMENT,
                 "forget must be above 0 and at most 1 (got %.6g)", options->forget);
    VOLT_REQUIRE(options->forget_what == VOLT_FORGET_DYNAMICS || options->forget_what == VOLT_FORGET_ALL,
                 VOLT_ERR_ARGUMENT, "forget_what must be VOLT_FORGET_DYNAMICS or VOLT_FORGET_ALL (got %d)",
                 (int)options->forget_what);
    VOLT_REQUIRE(model->trained.landmarks == 0, VOLT_ERR_ARGUMENT,
                 "learning requires all rows of training, but the model has %" PRId64
                 " landmarks of them: fit it with the exact solver",
                 model->trained.landmarks);
    VOLT_TRY(volt_model_require_squares(model, "online learning"));
    VOLT_REQUIRE(
        !model->resolved.centred || model->intercept, VOLT_ERR_ARGUMENT,
        "online learning with a centred kernel requires an intercept: the model does not keep the mean of its "
        "targets");
    return VOLT_OK;
}

volt_status volt_live_allocate(const volt_model *model, volt_beyond policy, volt_live **live)
{
    volt_live *fresh = *live = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->model = model;
    fresh->policy = policy;
    fresh->last = volt_alloc_doubles(1, model->recipe.inputs);
    fresh->z = volt_alloc_doubles(1, model->d);
    fresh->y = volt_alloc_doubles(1, model->q);
    fresh->predictions = volt_alloc_zero((model->ahead + 1) * model->q, sizeof *fresh->predictions);
    if (!fresh->last || !fresh->z || !fresh->y || !fresh->predictions)
        return VOLT_ERR_MEMORY;
    return volt_recent_create(&model->recipe, &fresh->recent);
}

/* Transposed, so that each output is one pass over contiguous memory. */
static volt_status copy_coefficients(volt_live *live)
{
    volt_model_reader reads = volt_model_reader_of(live->model);
    int64_t m = live->k_size = reads.columns->m, q = live->model->q;
    live->k = volt_alloc_doubles(1, m);
    live->coefficients = volt_alloc_doubles(q, m);
    if (!live->k || !live->coefficients)
        return VOLT_ERR_MEMORY;
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < q; k++)
            live->coefficients[k * m + j] = reads.coefficients[j * q + k];
    return VOLT_OK;
}

volt_status volt_live_open_at(const volt_model *model, volt_beyond policy, const volt_state *start,
                              const volt_recent *recent, volt_live **live)
{
    volt_live *fresh = NULL;
    volt_status status = volt_live_allocate(model, policy, &fresh);
    if (status == VOLT_OK)
        status = copy_coefficients(fresh);
    if (status == VOLT_OK)
        status = start ? volt_state_copy(start, 1, &fresh->kernel_state)
                       : volt_state_create(&model->resolved, volt_model_reader_of(model).columns, 1,
                                           &fresh->kernel_state);
    if (status != VOLT_OK) {
        volt_live_free(fresh);
        return status;
    }
    if (recent)
        volt_recent_copy(&model->recipe, recent, &fresh->recent);
    *live = fresh;
    return VOLT_OK;
}

volt_status volt_live_open(const volt_model *model, volt_start start, volt_beyond policy, volt_live **live)
{
    VOLT_TRY(volt_model_check_start(model, start));
    if (model->sum)
        return volt_live_open_sum(model, start, policy, NULL, live);
    bool reset = start == VOLT_START_RESET;
    return volt_live_open_at(model, policy, reset ? NULL : model->end, reset ? NULL : &model->recent, live);
}

volt_status volt_live_begin(const volt_model *model, const volt_live_options *options, volt_live **live)
{
    VOLT_TRY(check(model, options));
    volt_live *fresh = NULL;
    volt_status status = volt_live_allocate(model, options->beyond, &fresh);
    if (status == VOLT_OK) {
        fresh->learns = true;
        fresh->window = options->window;
        fresh->forget = options->forget;
        fresh->forget_what = options->forget_what;
        fresh->history.complete = options->window == 0;
        status = volt_late_create(fresh);
    }
    if (status == VOLT_OK)
        status = make_groups(fresh);
    if (status == VOLT_OK)
        status = volt_means_create(model, &fresh->means);
    if (status == VOLT_OK)
        status = volt_moving_create(&model->resolved, &fresh->moving);
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

static volt_status create_learning(const volt_model *model, const volt_live_options *options, volt_live **live)
{
    volt_blas_use use;
    VOLT_REQUIRE(options->start == VOLT_START_CONTINUE || options->start == VOLT_START_RESET, VOLT_ERR_ARGUMENT,
                 "the start must be VOLT_START_CONTINUE (%d) or VOLT_START_RESET (%d), got %d",
                 (int)VOLT_START_CONTINUE, (int)VOLT_START_RESET, (int)options->start);
    VOLT_TRY(volt_live_begin(model, options, live));
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = volt_live_start(*live, options->progress);
    volt_blas_release(&use);
    if (status == VOLT_OK && options->start == VOLT_START_RESET)
        status = volt_live_restart(*live);
    return status;
}

static bool has_kernel_part(const volt_model *model)
{
    bool has = false;
    for (int64_t k = 0; k < model->q; k++)
        has = has || isfinite(model->alphas[k]);
    return has;
}

static volt_status feed_pending(volt_live *live, volt_view rows)
{
    if (rows.rows > 0)
        VOLT_TRY(volt_model_check_inputs(live->model, rows));
    for (int64_t i = 0; i < rows.rows; i++)
        VOLT_TRY(volt_live_feed(live, rows.data + i * rows.ld, live->y));
    return VOLT_OK;
}

static volt_status create_new(const volt_model *model, const volt_live_options *options, volt_live **live)
{
    volt_live *fresh = NULL;
    bool learns = options->learn && (options->alarm_rate == 0 || has_kernel_part(model));
    volt_status status = learns ? create_learning(model, options, &fresh)
                                : volt_live_open(model, options->start, options->beyond, &fresh);
    if (status == VOLT_OK)
        status = feed_pending(fresh, options->pending);
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Adds intervals and a detector to an object. */
static volt_status finish(volt_live *live, const volt_live_options *options, const char *path)
{
    live->free_run = options->free_run != 0;
    live->progress = options->progress;
    if (path && !(live->path = volt_strdup(path)))
        return VOLT_ERR_MEMORY;
    if (options->n_coverages > 0 && !live->interval)
        VOLT_TRY(volt_live_track(live, options->coverages, options->n_coverages));
    if (options->alarm_rate != 0 && !live->detector)
        VOLT_TRY(volt_detector_create(live->model, options->alarm_rate, options->scale_rows, &live->detector));
    return VOLT_OK;
}

/* The file is locked before it is read, so that no other object can save in between. `must` 1: it must
 * exist. */
static volt_status make(const volt_model *model, const volt_live_options *options, const char *path, bool lock,
                        bool must, int learn, volt_live **live)
{
    volt_state_lock *held = NULL;
    volt_live *fresh = NULL;
    VOLT_TRY(volt_coverages_check(options->coverages, options->n_coverages));
    if (lock)
        VOLT_TRY(volt_state_lock_take(path, &held));
    bool resumes = must;
    volt_status status = path && !must ? volt_file_exists(path, &resumes) : VOLT_OK;
    if (status == VOLT_OK)
        status = resumes ? volt_live_read_state(model, path, learn, options, &fresh)
                         : create_new(model, options, &fresh);
    if (status == VOLT_OK) {
        fresh->lock = held;
        held = NULL;
        fresh->resumed = resumes;
        status = finish(fresh, options, path);
    }
    volt_state_lock_free(held);
    if (status == VOLT_OK)
        *live = fresh;
    else
        volt_live_free(fresh);
    return status;
}

volt_status volt_live_create(const volt_model *model, const volt_live_options *options, volt_live **live)
{
    VOLT_REQUIRE(model && live, VOLT_ERR_ARGUMENT, "the model or the output for the live object is NULL");
    volt_live_options opts = volt_live_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_live_options"));
    VOLT_TRY(volt_beyond_check(opts.beyond));
    return make(model, &opts, opts.state, opts.state != NULL, false, opts.learn != 0, live);
}

volt_status volt_live_load(const volt_model *model, const volt_live_options *options, const char *path,
                           volt_live **live)
{
    VOLT_REQUIRE(model && path && live, VOLT_ERR_ARGUMENT,
                 "the model, the path or the output for the live object is NULL");
    volt_live_options opts = volt_live_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_live_options"));
    VOLT_TRY(volt_beyond_check(opts.beyond));
    return make(model, &opts, path, opts.lock != 0, true, options ? opts.learn != 0 : -1, live);
}

/* ---- release ---------------------------------------------------------------------------------- */

void volt_live_free(volt_live *live)
{
    if (!live)
        return;
    volt_state_lock_free(live->lock);
    volt_free(live->path);
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        volt_live_free(live->members[i]);
    volt_free(live->members);
    volt_state_free(live->kernel_state);
    volt_free(live->coefficients);
    volt_moving_free(live->moving);
    volt_recent_release(&live->recent);
    for (int64_t g = 0; g < live->n_groups; g++) {
        volt_online_free(live->groups[g].factor);
        volt_free(live->groups[g].outputs);
        volt_free(live->groups[g].constant);
        volt_free(live->groups[g].y);
    }
    volt_free(live->groups);
    volt_means_release(&live->means);
    volt_free(live->history.rows);
    volt_free(live->history.starts);
    volt_free(live->numbers);
    volt_free(live->last);
    volt_free(live->z);
    volt_free(live->y);
    volt_late_free(live);
    volt_free(live->k);
    volt_free(live->fresh);
    volt_free(live->seen);
    volt_free(live->predictions);
    volt_interval_free(live->interval);
    volt_free(live->half);
    volt_detector_free(live->detector);
    volt_free(live);
}

/* ---- intervals -------------------------------------------------------------------------------- */

volt_status volt_live_track(volt_live *live, const double *coverages, int64_t count)
{
    VOLT_REQUIRE(live && coverages, VOLT_ERR_ARGUMENT, "the live object or the coverages are NULL");
    volt_interval *interval = NULL;
    VOLT_TRY(volt_interval_create(live->model, coverages, count, &interval));
    double *half = volt_alloc_doubles(count, live->model->q);
    if (!half) {
        volt_interval_free(interval);
        return VOLT_ERR_MEMORY;
    }
    volt_interval_free(live->interval);
    volt_free(live->half);
    live->interval = interval;
    live->half = half;
    volt_live_update_half_widths(live);
    return VOLT_OK;
}

void volt_live_update_half_widths(volt_live *live)
{
    if (live->interval)
        volt_interval_half_widths(live->interval, live->half);
}

volt_status volt_live_interval(const volt_live *live, double *half)
{
    VOLT_REQUIRE(live && half, VOLT_ERR_ARGUMENT, "the live object or the output for the half-widths is NULL");
    VOLT_REQUIRE(live->interval, VOLT_ERR_ARGUMENT, "no intervals are tracked: set coverages in the options");
    memcpy(half, live->half, (size_t)(live->interval->count * live->interval->q) * sizeof *half);
    return VOLT_OK;
}

/* ---- facts ------------------------------------------------------------------------------------ */

/* Block size of volt_live_predict for a long sequence. */
static int64_t block_rows(const volt_live *live)
{
    enum { MANY = 1 << 20 };
    int64_t most = 1;
    for (int64_t i = 0; live->members && i < live->model->sum->n; i++)
        most = volt_max(most, block_rows(live->members[i]));
    if (live->members)
        return most;
    return live->learns
               ? 1
               : volt_block_rows_at(volt_backend_current(), MANY, volt_model_reader_of(live->model).columns->m);
}

volt_status volt_live_get_info(const volt_live *live, volt_live_info *info)
{
    VOLT_REQUIRE(live && info, VOLT_ERR_ARGUMENT, "the live object or the output for its info is NULL");
    double condition = 1;
    for (int64_t g = 0; g < live->n_groups; g++)
        condition = fmax(condition, volt_online_condition(live->groups[g].factor));
    volt_live_info now = {
        .learns = live->learns,
        .rows = live->n,
        .window = live->window,
        .forget = live->learns ? live->forget : 1,
        .forget_what = live->forget_what,
        .rows_fed = live->pushed,
        .learned = live->learned,
        .beyond = live->beyond,
        .condition = condition,
        .resumed = live->resumed,
        .last = live->pushed > 0 ? live->last : NULL,
        .coverages = live->interval ? live->interval->coverages : NULL,
        .n_coverages = live->interval ? live->interval->count : 0,
        .block_rows = block_rows(live),
    };
    return volt_result_copy(info, &now, sizeof now, "volt_live_info");
}

/* Copies the coefficients of one group to the columns of its outputs. `a` is a buffer of n x group->n
 * numbers and group->n more. */
static void give_coefficients(const volt_live *live, const volt_live_group *group, double *a, volt_matrix A,
                              double *c)
{
    double *outputs = a + live->n * group->n, common = volt_live_common(live);
    volt_online_coefficients(group->factor, group->constant, volt_matrix_of(a, live->n, group->n), outputs);
    for (int64_t i = 0; i < group->n; i++) {
        int64_t k = group->outputs[i];
        double share = live->model->shares[k], sum = 0;
        for (int64_t j = 0; j < live->n; j++) {
            A.data[j * A.ld + k] = share * a[j * group->n + i];
            sum += A.data[j * A.ld + k];
        }
        c[k] = share * outputs[i] - common * sum;
    }
}

volt_status volt_live_coefficients(const volt_live *live, volt_matrix A, double *c, int64_t *t)
{
    VOLT_REQUIRE(live && c, VOLT_ERR_ARGUMENT, "the live object or the output for the intercepts is NULL");
    VOLT_REQUIRE(live->learns, VOLT_ERR_ARGUMENT,
                 "the coefficients are the model's: the object does not learn");
    const volt_model *model = live->model;
    VOLT_REQUIRE(A.rows == live->n && A.cols == model->q && A.ld >= A.cols && (A.data || A.rows == 0),
                 VOLT_ERR_SHAPE,
                 "the coefficients must be %" PRId64 " x %" PRId64 " (got %" PRId64 " x %" PRId64 ")", live->n,
                 model->q, A.rows, A.cols);
    double *a = volt_alloc_doubles(live->n + 1, model->q);
    if (!a)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < live->n; i++)
        memset(A.data + i * A.ld, 0, (size_t)A.cols * sizeof *A.data);
    volt_means_forecast(&live->means, live->n, c);
    for (int64_t g = 0; g < live->n_groups; g++)
        give_coefficients(live, &live->groups[g], a, A, c);
    if (t)
        memcpy(t, live->numbers, (size_t)live->n * sizeof *t);
    volt_free(a);
    return VOLT_OK;
}
