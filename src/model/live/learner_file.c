/* src/model/live/learner_file.c: the moment of a learner as a safetensors file: its window, the factors, the columns, and how rows
 * were taken. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/sized.h"
#include "model/live/learner_internal.h"
#include "model/live/moment_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const volt_moment_kind learner_kind = {
    .format = "volterra-learner", .version = 1, .name = "learner", .kind = "the state of a volterra learner"};

static volt_moment moment_of(volt_learner *learner)
{
    return (volt_moment){.model = learner->model,
                         .recent = &learner->recent,
                         .last = learner->last,
                         .pushed = &learner->pushed,
                         .beyond = &learner->beyond};
}

/* ---- save ------------------------------------------------------------------------------------- */

static int64_t count_columns(const volt_learner *learner)
{
    return volt_moving_next(learner->moving) - volt_moving_begin(learner->moving);
}

/* Numbers of the factors of all groups, one after the other, and of their solves. */
static int64_t factor_length(const volt_learner *learner)
{
    return learner->n * (learner->n + 1) / 2;
}

static int64_t solved_length(const volt_learner *learner)
{
    int64_t columns = 0;
    for (int64_t g = 0; g < learner->n_groups; g++)
        columns += learner->groups[g].n + 1;
    return learner->n * columns;
}

static void put_settings(const volt_learner *learner, volt_file_writer *writer)
{
    volt_put_count(writer, "window", learner->window);
    volt_put_number(writer, "forget", learner->forget);
    volt_put_text(writer, "forget_what", volt_forget_words[learner->forget_what]);
    volt_put_count(writer, "learned", learner->learned);
    volt_put_count(writer, "events", learner->events);
    volt_put_flag(writer, "pending", learner->pending);
}

static void put_columns(const volt_learner *learner, volt_file_writer *writer)
{
    double *moving = volt_put_room(writer, "moving", volt_moving_length(learner->moving), 0);
    if (moving)
        volt_moving_get(learner->moving, moving);
    if (learner->pending) {
        volt_put_tensor(writer, "pending_kernel", count_columns(learner), 0, learner->k);
        volt_put_tensor(writer, "pending_forecast", learner->model->q, 0, learner->forecast);
    }
}

/* Rows before the last that wait for their targets, in their order, each with its kernel from the first column that is kept
 * to its own. */
static void put_late(const volt_learner *learner, volt_file_writer *writer)
{
    int64_t begin = volt_moving_begin(learner->moving), next = volt_moving_next(learner->moving);
    int64_t inputs = learner->model->recipe.inputs, q = learner->model->q, n = 0, entries = 0;
    for (int64_t i = 0; i < learner->n_late; i++)
        if (learner->late[i].number >= begin) {
            entries += learner->late[i].number - begin + 1;
            n++;
        }
    if (n == 0)
        return;
    double *numbers = volt_put_room(writer, "late", n, 0);
    double *kernels = volt_put_room(writer, "late_kernels", entries, 0);
    double *x = volt_put_room(writer, "late_inputs", n * inputs, 0);
    double *forecasts = volt_put_room(writer, "late_forecasts", n * q, 0);
    if (!numbers || !kernels || !x || !forecasts)
        return;
    for (int64_t t = next - learner->n_late - 1, i = 0; t < next; t++) {
        const volt_late_row *row = volt_late_find(learner, t);
        if (!row || t < begin)
            continue;
        int64_t length = t - begin + 1;
        numbers[i] = (double)t;
        memcpy(kernels, row->k + (begin - row->first), (size_t)length * sizeof *kernels);
        memcpy(x + i * inputs, row->x, (size_t)inputs * sizeof *x);
        memcpy(forecasts + i * q, row->forecast, (size_t)q * sizeof *forecasts);
        kernels += length;
        i++;
    }
}

static void put_window(const volt_learner *learner, volt_file_writer *writer)
{
    double *numbers = volt_put_room(writer, "numbers", learner->n, 0);
    double *packed = volt_put_room(writer, "factors", learner->n_groups * factor_length(learner), 0);
    double *solved = volt_put_room(writer, "solved", solved_length(learner), 0);
    for (int64_t i = 0; numbers && i < learner->n; i++)
        numbers[i] = (double)learner->numbers[i];
    for (int64_t g = 0; packed && solved && g < learner->n_groups; g++) {
        const volt_online_factor *factor = learner->groups[g].factor;
        int64_t width = factor->q + 1;
        volt_online_get(factor, packed + g * factor_length(learner));
        memcpy(solved, factor->W + factor->start * width, (size_t)(learner->n * width) * sizeof *solved);
        solved += learner->n * width;
    }
    if (learner->means.n > 0 && learner->n > 0)
        volt_put_tensor(writer, "means", learner->n * learner->means.n, 0, learner->means.Y);
}

/* All rows since the model ended, where they are kept; a reader that does not know them passes them over. */
static void put_history(const volt_learner *learner, volt_file_writer *writer)
{
    const volt_pushed_rows *history = &learner->history;
    if (history->complete && learner->pushed > 0)
        volt_put_tensor(writer, "history",
                        learner->pushed * (learner->model->recipe.inputs + learner->model->q), 0,
                        history->rows);
    double *starts = history->n_starts > 0 ? volt_put_room(writer, "starts", history->n_starts, 0) : NULL;
    for (int64_t i = 0; starts && i < history->n_starts; i++)
        starts[i] = (double)history->starts[i];
}

volt_status volt_learner_save(const volt_learner *learner, const char *path)
{
    VOLT_REQUIRE(learner && path, VOLT_ERR_ARGUMENT, "the learner or the path is NULL");
    volt_file_writer writer = {0};
    const volt_moment moment = moment_of((volt_learner *)learner); /* which is read only */
    volt_moment_put(&learner_kind, &moment, &writer);
    put_settings(learner, &writer);
    put_columns(learner, &writer);
    put_late(learner, &writer);
    put_window(learner, &writer);
    put_history(learner, &writer);
    volt_moment_put_interval(learner->interval, &writer);
    return volt_moment_finish(&learner_kind, &writer, learner->lock, path);
}

void volt_learner_hold(volt_learner *learner, volt_state_lock *lock)
{
    if (!learner) {
        volt_state_lock_free(lock);
        return;
    }
    volt_state_lock_free(learner->lock);
    learner->lock = lock;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status read_options(const volt_file_fields *fields, volt_learner_options *options)
{
    const char *what = NULL;
    VOLT_TRY(volt_fields_count(fields, "window", &options->window));
    VOLT_TRY(volt_fields_number(fields, "forget", 0, &options->forget));
    VOLT_REQUIRE(options->forget > 0 && options->forget <= 1, VOLT_ERR_FORMAT,
                 "%s: \"forget\" is %g, and must be above 0 and at most 1", fields->path, options->forget);
    VOLT_TRY(volt_fields_text(fields, "forget_what", &what));
    bool all = strcmp(what, volt_forget_words[VOLT_FORGET_ALL]) == 0;
    VOLT_REQUIRE(all || strcmp(what, volt_forget_words[VOLT_FORGET_DYNAMICS]) == 0, VOLT_ERR_FORMAT,
                 "%s: \"forget_what\" is \"%.40s\", and must be %s or %s", fields->path, what,
                 volt_forget_words[VOLT_FORGET_DYNAMICS], volt_forget_words[VOLT_FORGET_ALL]);
    options->forget_what = all ? VOLT_FORGET_ALL : VOLT_FORGET_DYNAMICS;
    return VOLT_OK;
}

/* Rows of the window are columns, one after the other. */
static volt_status read_numbers(const volt_file_fields *fields, volt_learner *learner)
{
    const volt_tensor *numbers = NULL;
    int64_t next = volt_moving_next(learner->moving);
    int64_t least = volt_max(volt_moving_begin(learner->moving), learner->model->washout);
    VOLT_TRY(volt_fields_tensor(fields, "numbers", -1, 0, &numbers));
    VOLT_REQUIRE(numbers->rows <= next - least && (learner->window == 0 || numbers->rows <= learner->window),
                 VOLT_ERR_FORMAT, "%s: the window has %" PRId64 " rows, more than there can be", fields->path,
                 numbers->rows);
    VOLT_TRY(volt_learner_reserve(learner, numbers->rows + 1));
    for (int64_t i = 0; i < numbers->rows; i++) {
        double number = numbers->data[i];
        VOLT_REQUIRE(number >= (double)least && number < (double)next && number == floor(number),
                     VOLT_ERR_FORMAT, "%s: row %" PRId64 " of the window has number %.9g, which no column has",
                     fields->path, i + 1, number);
        learner->numbers[i] = (int64_t)number;
        least = learner->numbers[i] + 1;
    }
    learner->n = numbers->rows;
    VOLT_REQUIRE(!learner->pending || least < next, VOLT_ERR_FORMAT,
                 "%s: the row that waits for its target is not there", fields->path);
    return VOLT_OK;
}

static volt_status read_groups(const volt_file_fields *fields, volt_learner *learner)
{
    const volt_tensor *packed = NULL, *solved = NULL;
    int64_t each = factor_length(learner);
    VOLT_TRY(volt_fields_tensor(fields, "factors", learner->n_groups * each, 0, &packed));
    VOLT_TRY(volt_fields_tensor(fields, "solved", solved_length(learner), 0, &solved));
    const double *W = solved->data;
    for (int64_t g = 0; g < learner->n_groups; g++) {
        volt_online_factor *factor = learner->groups[g].factor;
        volt_status status = volt_online_set(factor, learner->n, packed->data + g * each, W);
        if (status != VOLT_OK)
            return volt_fail_prefix(status, "%s", fields->path);
        W += learner->n * (factor->q + 1);
    }
    return VOLT_OK;
}

/* A file of a version that did not learn these outputs has none: they go on from the model's mean. */
static volt_status read_means(const volt_file_fields *fields, volt_learner *learner)
{
    volt_learner_means *means = &learner->means;
    VOLT_TRY(volt_means_reserve(means, learner->n + 1));
    if (volt_safetensors_tensor(fields->file, "means"))
        return volt_fields_copy(fields, "means", learner->n * means->n, 0, means->Y);
    for (int64_t t = 0; t < learner->n; t++)
        for (int64_t i = 0; i < means->n; i++)
            means->Y[t * means->n + i] = learner->model->intercepts[means->outputs[i]];
    return VOLT_OK;
}

static volt_status read_history(const volt_file_fields *fields, volt_learner *learner)
{
    volt_pushed_rows *history = &learner->history;
    const volt_tensor *starts = NULL, *rows = NULL;
    int64_t inputs = learner->model->recipe.inputs, q = learner->model->q, pushed = learner->pushed;
    int64_t least = learner->model->n;
    history->complete =
        learner->window == 0 && (pushed == 0 || volt_safetensors_tensor(fields->file, "history"));
    if (!history->complete)
        return VOLT_OK;
    VOLT_REQUIRE(volt_moving_next(learner->moving) == learner->model->n + pushed, VOLT_ERR_FORMAT,
                 "%s: %" PRId64 " rows were pushed, and its columns end with row %" PRId64, fields->path,
                 pushed, volt_moving_next(learner->moving));
    if (pushed > 0) {
        VOLT_TRY(volt_fields_tensor(fields, "history", -1, 0, &rows));
        VOLT_REQUIRE(rows->rows % (inputs + q) == 0 && rows->rows / (inputs + q) == pushed, VOLT_ERR_FORMAT,
                     "%s: tensor \"history\" has %" PRId64 " numbers, and %" PRId64 " rows of %" PRId64
                     " were pushed",
                     fields->path, rows->rows, pushed, inputs + q);
        VOLT_TRY(volt_grow((void **)&history->rows, &history->room, rows->rows, sizeof(double)));
        memcpy(history->rows, rows->data, (size_t)rows->rows * sizeof(double));
    }
    if (!volt_safetensors_tensor(fields->file, "starts"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "starts", -1, 0, &starts));
    VOLT_TRY(volt_grow((void **)&history->starts, &history->starts_room, starts->rows, sizeof(int64_t)));
    for (; history->n_starts < starts->rows; history->n_starts++) {
        int64_t *start = &history->starts[history->n_starts];
        VOLT_TRY(volt_fields_index(fields, "starts", starts->data[history->n_starts], least,
                                   learner->model->n + pushed, start));
        least = *start + 1;
    }
    return VOLT_OK;
}

/* The row that waits for its target, solved for again. */
static volt_status read_pending(const volt_file_fields *fields, volt_learner *learner)
{
    int64_t columns = count_columns(learner);
    if (!learner->pending)
        return VOLT_OK;
    VOLT_TRY(volt_grow((void **)&learner->k, &learner->k_room, columns, sizeof *learner->k));
    VOLT_TRY(volt_fields_copy(fields, "pending_kernel", columns, 0, learner->k));
    VOLT_TRY(volt_fields_copy(fields, "pending_forecast", learner->model->q, 0, learner->forecast));
    volt_learner_solve(learner);
    return VOLT_OK;
}

/* One of them, whose kernel begins with the first column that is kept. */
static volt_status read_late_row(const volt_file_fields *fields, volt_learner *learner, int64_t number,
                                 const volt_tensor *kernels, int64_t *taken)
{
    volt_late_row *row = &learner->late[number % learner->n_late];
    int64_t begin = volt_moving_begin(learner->moving), length = number - begin + 1;
    VOLT_REQUIRE(*taken + length <= kernels->rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"late_kernels\" has %" PRId64 " numbers, too few for row %" PRId64, fields->path,
                 kernels->rows, number);
    VOLT_TRY(volt_grow((void **)&row->k, &row->room, length, sizeof *row->k));
    memcpy(row->k, kernels->data + *taken, (size_t)length * sizeof *row->k);
    *taken += length;
    row->number = number;
    row->first = begin;
    return VOLT_OK;
}

static volt_status read_late(const volt_file_fields *fields, volt_learner *learner)
{
    const volt_tensor *numbers = NULL, *kernels = NULL, *x = NULL, *forecasts = NULL;
    int64_t inputs = learner->model->recipe.inputs, q = learner->model->q, taken = 0, least = 0;
    int64_t begin = volt_moving_begin(learner->moving), next = volt_moving_next(learner->moving);
    if (!volt_safetensors_tensor(fields->file, "late"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "late", -1, 0, &numbers));
    VOLT_TRY(volt_fields_tensor(fields, "late_kernels", -1, 0, &kernels));
    VOLT_TRY(volt_fields_tensor(fields, "late_inputs", numbers->rows * inputs, 0, &x));
    VOLT_TRY(volt_fields_tensor(fields, "late_forecasts", numbers->rows * q, 0, &forecasts));
    least = next - 1 - learner->n_late > begin ? next - 1 - learner->n_late : begin;
    if (learner->n > 0 && learner->numbers[learner->n - 1] >= least)
        least = learner->numbers[learner->n - 1] + 1; /* they are learned in their order */
    for (int64_t i = 0; i < numbers->rows; i++) {
        int64_t number = 0;
        VOLT_TRY(volt_fields_index(fields, "late", numbers->data[i], least, next - 2, &number));
        VOLT_TRY(read_late_row(fields, learner, number, kernels, &taken));
        volt_late_row *row = &learner->late[number % learner->n_late];
        memcpy(row->x, x->data + i * inputs, (size_t)inputs * sizeof *row->x);
        memcpy(row->forecast, forecasts->data + i * q, (size_t)q * sizeof *row->forecast);
        least = number + 1;
    }
    VOLT_REQUIRE(taken == kernels->rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"late_kernels\" has %" PRId64 " numbers, and its rows are %" PRId64 " long",
                 fields->path, kernels->rows, taken);
    return VOLT_OK;
}

static volt_status read_interval(const volt_file_fields *fields, volt_learner *learner)
{
    const volt_tensor *coverages = NULL;
    VOLT_TRY(volt_moment_coverages(fields, &coverages));
    if (!coverages)
        return VOLT_OK;
    volt_status status = volt_learner_track(learner, coverages->data, coverages->rows);
    if (status == VOLT_ERR_ARGUMENT)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(volt_moment_errors(fields, learner->interval));
    volt_learner_widen(learner);
    return VOLT_OK;
}

static volt_status read_moment(const volt_file_fields *fields, volt_learner *learner)
{
    const volt_moment moment = moment_of(learner);
    const volt_tensor *moving = NULL;
    VOLT_TRY(volt_moment_read(fields, &moment));
    VOLT_TRY(volt_fields_count(fields, "learned", &learner->learned));
    VOLT_TRY(volt_fields_count(fields, "events", &learner->events));
    VOLT_TRY(volt_fields_flag(fields, "pending", &learner->pending));
    VOLT_REQUIRE(!learner->pending || learner->pushed > 0, VOLT_ERR_FORMAT,
                 "%s: a row waits for its target, and none was pushed", fields->path);
    VOLT_TRY(volt_fields_tensor(fields, "moving", -1, 0, &moving));
    volt_status status = volt_moving_set(learner->moving, moving->data, moving->rows);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(read_numbers(fields, learner));
    VOLT_TRY(read_groups(fields, learner));
    VOLT_TRY(read_means(fields, learner));
    VOLT_TRY(read_history(fields, learner));
    VOLT_TRY(read_late(fields, learner));
    VOLT_TRY(read_pending(fields, learner));
    return read_interval(fields, learner);
}

volt_status volt_learner_load(const volt_model *model, const volt_learner_options *options, const char *path,
                              volt_learner **learner)
{
    VOLT_REQUIRE(model && path && learner, VOLT_ERR_ARGUMENT,
                 "the model, the path or the place for the learner is NULL");
    volt_learner_options own = volt_learner_options_default();
    VOLT_TRY(volt_options_take(&own, sizeof own, options, "volt_learner_options"));
    volt_safetensors *file = NULL;
    volt_file_fields fields;
    volt_learner *fresh = NULL;
    VOLT_TRY(volt_moment_open(&learner_kind, model, path, &file, &fields));
    volt_status status = read_options(&fields, &own);
    if (status == VOLT_OK)
        status = volt_learner_begin(model, &own, &fresh);
    if (status == VOLT_OK)
        status = read_moment(&fields, fresh);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        *learner = fresh;
    else
        volt_learner_free(fresh);
    return status;
}
