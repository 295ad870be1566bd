/* src/predict/live/live_file.c: the state of a live object as a safetensors file.
 *
 * The file holds everything that changes with the rows, and a digest of the model (docs/file_formats.md).
 * Version 1.0 wrote two formats, one for objects that learn and one for the others. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/model_internal.h"
#include "predict/live/live_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { VERSION = 1 };
static const char format[] = "volterra-live", stream_format[] = "volterra-stream",
                  learner_format[] = "volterra-learner";

/* ---- save ------------------------------------------------------------------------------------- */

static void put_head(const volt_live *live, volt_file_writer *writer)
{
    const volt_model *model = live->model;
    const volt_recent *recent = &live->recent;
    char digest[VOLT_DIGEST_LENGTH] = "";
    double *row = volt_writer_buffer(writer, model->d);
    if (row)
        volt_model_digest(model, row, digest);
    volt_put_text(writer, "format", format);
    volt_put_count(writer, "version", VERSION);
    volt_put_text(writer, "library", volt_version());
    volt_put_text(writer, "kernel", volt_model_text(model));
    volt_put_copy(writer, "model", digest);
    volt_put_flag(writer, "learns", live->learns);
    volt_put_count(writer, "rows", live->pushed);
    volt_put_count(writer, "beyond", live->beyond);
    volt_put_flag(writer, "begun", recent->begun);
    volt_put_tensor(writer, "last", live->pushed > 0 ? model->recipe.inputs : 0, 0, live->last);
    double *rows = volt_put_buffer(writer, "recent", recent->begun ? volt_recent_length(&model->recipe) : 0, 0);
    if (rows && recent->begun)
        volt_recent_get(&model->recipe, recent, rows);
    if (recent->n_fed_outputs > 0)
        volt_put_tensor(writer, "fed", recent->n_fed_outputs, 0, recent->fed_outputs);
}

/* Predictions without a target yet, oldest first, and the intervals. */
static void put_predictions(const volt_live *live, volt_file_writer *writer)
{
    int64_t q = live->model->q, waiting = volt_min(live->n_predictions, live->model->ahead + 1);
    double *made = volt_put_buffer(writer, "made", waiting * q, 0);
    for (int64_t i = 0; made && i < waiting; i++)
        memcpy(made + i * q, volt_live_prediction(live, waiting - 1 - i), (size_t)q * sizeof *made);
    if (!live->interval)
        return;
    volt_put_tensor(writer, "coverages", live->interval->count, 0, live->interval->coverages);
    double *scores = volt_put_buffer(writer, "scores", volt_interval_length(live->interval), 0);
    if (scores)
        volt_interval_get(live->interval, scores);
}

static void put_kernel_state(const volt_live *live, volt_file_writer *writer)
{
    if (live->recent.n_fed_outputs > 0)
        volt_put_flag(writer, "strays", live->diverged);
    double *state = volt_put_buffer(writer, "state", volt_state_length(live->kernel_state), 0);
    if (state)
        volt_state_get(live->kernel_state, state);
}

static void put_settings(const volt_live *live, volt_file_writer *writer)
{
    volt_put_count(writer, "window", live->window);
    volt_put_number(writer, "forget", live->forget);
    volt_put_text(writer, "forget_what", volt_forget_words[live->forget_what]);
    volt_put_count(writer, "learned", live->learned);
    volt_put_flag(writer, "pending", live->pending);
}

static int64_t count_columns(const volt_live *live)
{
    return volt_moving_next(live->moving) - volt_moving_begin(live->moving);
}

/* Length of the factors of all groups, and of their solves. */
static int64_t factor_length(const volt_live *live)
{
    return live->n * (live->n + 1) / 2;
}

static int64_t solved_length(const volt_live *live)
{
    int64_t columns = 0;
    for (int64_t g = 0; g < live->n_groups; g++)
        columns += live->groups[g].n + 1;
    return live->n * columns;
}

static void put_columns(const volt_live *live, volt_file_writer *writer)
{
    double *moving = volt_put_buffer(writer, "moving", volt_moving_length(live->moving), 0);
    if (moving)
        volt_moving_get(live->moving, moving);
    if (live->pending)
        volt_put_tensor(writer, "pending_kernel", count_columns(live), 0, live->k);
}

/* Pending rows before the last, in order, each with its kernel from the first kept column to its own. */
static void put_late(const volt_live *live, volt_file_writer *writer)
{
    int64_t begin = volt_moving_begin(live->moving), next = volt_moving_next(live->moving);
    int64_t inputs = live->model->recipe.inputs, n = 0, entries = 0;
    for (int64_t i = 0; i < live->n_late; i++)
        if (live->late[i].number >= begin) {
            entries += live->late[i].number - begin + 1;
            n++;
        }
    if (n == 0)
        return;
    double *numbers = volt_put_buffer(writer, "late", n, 0);
    double *kernels = volt_put_buffer(writer, "late_kernels", entries, 0);
    double *x = volt_put_buffer(writer, "late_inputs", n * inputs, 0);
    if (!numbers || !kernels || !x)
        return;
    for (int64_t t = next - live->n_late - 1, i = 0; t < next; t++) {
        const volt_late_row *row = volt_late_find(live, t);
        if (!row || t < begin)
            continue;
        int64_t length = t - begin + 1;
        numbers[i] = (double)t;
        memcpy(kernels, row->k + (begin - row->first), (size_t)length * sizeof *kernels);
        memcpy(x + i * inputs, row->x, (size_t)inputs * sizeof *x);
        kernels += length;
        i++;
    }
}

static void put_window(const volt_live *live, volt_file_writer *writer)
{
    double *numbers = volt_put_buffer(writer, "numbers", live->n, 0);
    double *packed = volt_put_buffer(writer, "factors", live->n_groups * factor_length(live), 0);
    double *solved = volt_put_buffer(writer, "solved", solved_length(live), 0);
    for (int64_t i = 0; numbers && i < live->n; i++)
        numbers[i] = (double)live->numbers[i];
    for (int64_t g = 0; packed && solved && g < live->n_groups; g++) {
        const volt_online_factor *factor = live->groups[g].factor;
        int64_t width = factor->q + 1;
        volt_online_get(factor, packed + g * factor_length(live));
        memcpy(solved, factor->W + factor->start * width, (size_t)(live->n * width) * sizeof *solved);
        solved += live->n * width;
    }
    if (live->means.n > 0 && live->n > 0)
        volt_put_tensor(writer, "means", live->n * live->means.n, 0, live->means.Y);
}

/* All rows since the end of the model, if kept. Older readers skip them. */
static void put_history(const volt_live *live, volt_file_writer *writer)
{
    const volt_feedback_rows *history = &live->history;
    if (history->complete && live->pushed > 0)
        volt_put_tensor(writer, "history", live->pushed * (live->model->recipe.inputs + live->model->q), 0,
                        history->rows);
    double *starts = history->n_starts > 0 ? volt_put_buffer(writer, "starts", history->n_starts, 0) : NULL;
    for (int64_t i = 0; starts && i < history->n_starts; i++)
        starts[i] = (double)history->starts[i];
}

static volt_status check_finite(const volt_file_writer *writer)
{
    for (int64_t t = 0; t < writer->n_tensors; t++)
        for (int64_t i = 0; !writer->failed && i < writer->tensors[t].rows; i++)
            VOLT_REQUIRE(isfinite(writer->tensors[t].data[i]), VOLT_ERR_NOT_FINITE,
                         "the state contains a value that is not finite (%s), and cannot be saved",
                         writer->tensors[t].name);
    return VOLT_OK;
}

void volt_live_put_state(const volt_live *live, volt_file_writer *writer)
{
    put_head(live, writer);
    if (live->learns) {
        put_settings(live, writer);
        put_columns(live, writer);
        put_late(live, writer);
        put_window(live, writer);
        put_history(live, writer);
    } else if (live->members) {
        volt_live_put_members(live, writer);
    } else {
        put_kernel_state(live, writer);
    }
    put_predictions(live, writer);
    if (live->detector)
        volt_detector_put(live->detector, writer);
}

static volt_status write_state(const volt_live *live, const char *path)
{
    volt_file_writer writer = {0};
    volt_state_lock *taken = NULL;
    volt_live_put_state(live, &writer);
    volt_status status = check_finite(&writer);
    if (status == VOLT_OK)
        status = volt_state_lock_for_save(live->lock, path, &taken);
    if (status == VOLT_OK)
        status = volt_writer_finish(&writer, path, (volt_progress){0});
    volt_state_lock_free(taken);
    volt_writer_release(&writer);
    return status;
}

volt_status volt_live_save(volt_live *live, const char *path)
{
    VOLT_REQUIRE(live, VOLT_ERR_ARGUMENT, "the live object is NULL");
    VOLT_REQUIRE(path || live->path, VOLT_ERR_ARGUMENT, "the path is NULL, and the object has no state file");
    return write_state(live, path ? path : live->path);
}

/* ---- load: head ------------------------------------------------------------------------------- */

static volt_status check_model(const volt_file_fields *fields, const volt_model *model)
{
    const char *text = NULL, *kernel = NULL;
    char digest[VOLT_DIGEST_LENGTH];
    VOLT_TRY(volt_fields_text(fields, "kernel", &kernel));
    VOLT_TRY(volt_fields_text(fields, "model", &text));
    double *row = volt_alloc_doubles(1, model->d);
    if (!row)
        return VOLT_ERR_MEMORY;
    volt_model_digest(model, row, digest);
    volt_free(row);
    VOLT_REQUIRE(strcmp(text, digest) == 0, VOLT_ERR_FORMAT,
                 "%s belongs to another model (%.40s with kernel %.80s; this one is %s with kernel %.80s)",
                 fields->path, text, kernel, digest, volt_model_text(model));
    return VOLT_OK;
}

static volt_status check_head(const volt_file_fields *fields, const volt_model *model, bool *learns)
{
    const char *text = NULL;
    int64_t version = 0;
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    bool known = strcmp(text, format) == 0;
    *learns = strcmp(text, learner_format) == 0;
    if (!known && !*learns && strcmp(text, stream_format) != 0)
        return volt_fields_wrong_format(fields, text);
    VOLT_TRY(volt_fields_count(fields, "version", &version));
    VOLT_REQUIRE(version == VERSION, VOLT_ERR_FORMAT,
                 "%s has state format %" PRId64 ", but this library (%s) reads format %d", fields->path,
                 version, volt_version(), VERSION);
    if (known)
        VOLT_TRY(volt_fields_flag(fields, "learns", learns));
    return check_model(fields, model);
}

static volt_status read_head(const volt_file_fields *fields, volt_live *live)
{
    const volt_recipe *recipe = &live->model->recipe;
    volt_recent *recent = &live->recent;
    const volt_tensor *rows = NULL;
    VOLT_TRY(volt_fields_count(fields, "rows", &live->pushed));
    VOLT_TRY(volt_fields_count(fields, "beyond", &live->beyond));
    VOLT_TRY(volt_fields_flag(fields, "begun", &recent->begun));
    VOLT_TRY(volt_fields_copy(fields, "last", live->pushed > 0 ? recipe->inputs : 0, 0, live->last));
    VOLT_TRY(volt_fields_tensor(fields, "recent", recent->begun ? volt_recent_length(recipe) : 0, 0, &rows));
    if (recent->begun)
        volt_recent_set(recipe, rows->data, recent);
    return recent->n_fed_outputs > 0
               ? volt_fields_copy(fields, "fed", recent->n_fed_outputs, 0, recent->fed_outputs)
               : VOLT_OK;
}

/* ---- load: the window ------------------------------------------------------------------------- */

static volt_status read_options(const volt_file_fields *fields, volt_live_options *options)
{
    const char *what = NULL;
    VOLT_TRY(volt_fields_count(fields, "window", &options->window));
    VOLT_TRY(volt_fields_number(fields, "forget", 0, &options->forget));
    VOLT_REQUIRE(options->forget > 0 && options->forget <= 1, VOLT_ERR_FORMAT,
                 "%s: \"forget\" must be above 0 and at most 1 (got %g)", fields->path, options->forget);
    VOLT_TRY(volt_fields_text(fields, "forget_what", &what));
    bool all = strcmp(what, volt_forget_words[VOLT_FORGET_ALL]) == 0;
    VOLT_REQUIRE(all || strcmp(what, volt_forget_words[VOLT_FORGET_DYNAMICS]) == 0, VOLT_ERR_FORMAT,
                 "%s: \"forget_what\" must be %s or %s (got \"%.40s\")", fields->path,
                 volt_forget_words[VOLT_FORGET_DYNAMICS], volt_forget_words[VOLT_FORGET_ALL], what);
    options->forget_what = all ? VOLT_FORGET_ALL : VOLT_FORGET_DYNAMICS;
    return VOLT_OK;
}

/* Rows of the window are consecutive columns. */
static volt_status read_numbers(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *numbers = NULL;
    int64_t next = volt_moving_next(live->moving);
    int64_t least = volt_max(volt_moving_begin(live->moving), live->model->washout);
    VOLT_TRY(volt_fields_tensor(fields, "numbers", -1, 0, &numbers));
    VOLT_REQUIRE(numbers->rows <= next - least && (live->window == 0 || numbers->rows <= live->window),
                 VOLT_ERR_FORMAT, "%s: the window has %" PRId64 " rows, more than there can be", fields->path,
                 numbers->rows);
    VOLT_TRY(volt_live_reserve(live, numbers->rows + 1));
    for (int64_t i = 0; i < numbers->rows; i++) {
        double number = numbers->data[i];
        VOLT_REQUIRE(number >= (double)least && number < (double)next && number == floor(number),
                     VOLT_ERR_FORMAT, "%s: row %" PRId64 " of the window has number %.9g, which no column has",
                     fields->path, i + 1, number);
        live->numbers[i] = (int64_t)number;
        least = live->numbers[i] + 1;
    }
    live->n = numbers->rows;
    VOLT_REQUIRE(!live->pending || least < next, VOLT_ERR_FORMAT,
                 "%s: the row with the pending target is missing", fields->path);
    return VOLT_OK;
}

static volt_status read_groups(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *packed = NULL, *solved = NULL;
    int64_t each = factor_length(live);
    VOLT_TRY(volt_fields_tensor(fields, "factors", live->n_groups * each, 0, &packed));
    VOLT_TRY(volt_fields_tensor(fields, "solved", solved_length(live), 0, &solved));
    const double *W = solved->data;
    for (int64_t g = 0; g < live->n_groups; g++) {
        volt_online_factor *factor = live->groups[g].factor;
        volt_status status = volt_online_set(factor, live->n, packed->data + g * each, W);
        if (status != VOLT_OK)
            return volt_fail_prefix(status, "%s", fields->path);
        W += live->n * (factor->q + 1);
    }
    return VOLT_OK;
}

/* Files of versions that did not learn these outputs have no means; learning continues from the mean of the
 * model. */
static volt_status read_means(const volt_file_fields *fields, volt_live *live)
{
    volt_live_means *means = &live->means;
    VOLT_TRY(volt_means_reserve(means, live->n + 1));
    if (volt_safetensors_tensor(fields->file, "means"))
        return volt_fields_copy(fields, "means", live->n * means->n, 0, means->Y);
    for (int64_t t = 0; t < live->n; t++)
        for (int64_t i = 0; i < means->n; i++)
            means->Y[t * means->n + i] = live->model->intercepts[means->outputs[i]];
    return VOLT_OK;
}

static volt_status read_history(const volt_file_fields *fields, volt_live *live)
{
    volt_feedback_rows *history = &live->history;
    const volt_tensor *starts = NULL, *rows = NULL;
    int64_t inputs = live->model->recipe.inputs, q = live->model->q, pushed = live->pushed;
    int64_t least = live->model->n;
    history->complete = live->window == 0 && (pushed == 0 || volt_safetensors_tensor(fields->file, "history"));
    if (!history->complete)
        return VOLT_OK;
    VOLT_REQUIRE(volt_moving_next(live->moving) == live->model->n + pushed, VOLT_ERR_FORMAT,
                 "%s: %" PRId64 " rows were pushed, but its columns end with row %" PRId64, fields->path,
                 pushed, volt_moving_next(live->moving));
    if (pushed > 0) {
        VOLT_TRY(volt_fields_tensor(fields, "history", -1, 0, &rows));
        VOLT_REQUIRE(rows->rows % (inputs + q) == 0 && rows->rows / (inputs + q) == pushed, VOLT_ERR_FORMAT,
                     "%s: tensor \"history\" has %" PRId64 " numbers, but %" PRId64 " rows of %" PRId64
                     " were pushed",
                     fields->path, rows->rows, pushed, inputs + q);
        VOLT_TRY(volt_grow((void **)&history->rows, &history->capacity, rows->rows, sizeof(double)));
        memcpy(history->rows, rows->data, (size_t)rows->rows * sizeof(double));
    }
    if (!volt_safetensors_tensor(fields->file, "starts"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "starts", -1, 0, &starts));
    VOLT_TRY(volt_grow((void **)&history->starts, &history->starts_size, starts->rows, sizeof(int64_t)));
    for (; history->n_starts < starts->rows; history->n_starts++) {
        int64_t *start = &history->starts[history->n_starts];
        VOLT_TRY(volt_fields_index(fields, "starts", starts->data[history->n_starts], least,
                                   live->model->n + pushed, start));
        least = *start + 1;
    }
    return VOLT_OK;
}

/* Solves again for the row whose target is pending. */
static volt_status read_pending(const volt_file_fields *fields, volt_live *live)
{
    int64_t columns = count_columns(live);
    if (!live->pending)
        return VOLT_OK;
    VOLT_TRY(volt_grow((void **)&live->k, &live->k_size, columns, sizeof *live->k));
    VOLT_TRY(volt_fields_copy(fields, "pending_kernel", columns, 0, live->k));
    volt_window_solve(live);
    return VOLT_OK;
}

/* Reads one pending row. Its kernel starts at the first kept column. */
static volt_status read_late_row(const volt_file_fields *fields, volt_live *live, int64_t number,
                                 const volt_tensor *kernels, int64_t *taken)
{
    volt_late_row *row = &live->late[number % live->n_late];
    int64_t begin = volt_moving_begin(live->moving), length = number - begin + 1;
    VOLT_REQUIRE(*taken + length <= kernels->rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"late_kernels\" has %" PRId64 " numbers, too few for row %" PRId64, fields->path,
                 kernels->rows, number);
    VOLT_TRY(volt_grow((void **)&row->k, &row->capacity, length, sizeof *row->k));
    memcpy(row->k, kernels->data + *taken, (size_t)length * sizeof *row->k);
    *taken += length;
    row->number = number;
    row->first = begin;
    return VOLT_OK;
}

static volt_status read_late(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *numbers = NULL, *kernels = NULL, *x = NULL;
    int64_t inputs = live->model->recipe.inputs, taken = 0, least = 0;
    int64_t begin = volt_moving_begin(live->moving), next = volt_moving_next(live->moving);
    if (!volt_safetensors_tensor(fields->file, "late"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "late", -1, 0, &numbers));
    VOLT_TRY(volt_fields_tensor(fields, "late_kernels", -1, 0, &kernels));
    VOLT_TRY(volt_fields_tensor(fields, "late_inputs", numbers->rows * inputs, 0, &x));
    least = next - 1 - live->n_late > begin ? next - 1 - live->n_late : begin;
    if (live->n > 0 && live->numbers[live->n - 1] >= least)
        least = live->numbers[live->n - 1] + 1; /* they are learned in order */
    for (int64_t i = 0; i < numbers->rows; i++) {
        int64_t number = 0;
        VOLT_TRY(volt_fields_index(fields, "late", numbers->data[i], least, next - 2, &number));
        VOLT_TRY(read_late_row(fields, live, number, kernels, &taken));
        volt_late_row *row = &live->late[number % live->n_late];
        memcpy(row->x, x->data + i * inputs, (size_t)inputs * sizeof *row->x);
        least = number + 1;
    }
    VOLT_REQUIRE(taken == kernels->rows, VOLT_ERR_FORMAT,
                 "%s: tensor \"late_kernels\" has %" PRId64 " numbers, but its rows are %" PRId64 " long",
                 fields->path, kernels->rows, taken);
    return VOLT_OK;
}

/* ---- load: the rest --------------------------------------------------------------------------- */

static volt_status read_kernel_state(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *state = NULL;
    VOLT_TRY(volt_fields_tensor(fields, "state", volt_state_length(live->kernel_state), 0, &state));
    volt_state_set(live->kernel_state, state->data);
    for (int64_t k = 0; k < live->recent.n_fed_outputs; k++)
        live->y[k] = volt_feedback_output(&live->model->recipe.fed_outputs, k, live->recent.fed_outputs[k]);
    return live->recent.n_fed_outputs > 0 ? volt_fields_flag(fields, "strays", &live->diverged) : VOLT_OK;
}

static volt_status read_window(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *moving = NULL;
    VOLT_TRY(volt_fields_count(fields, "learned", &live->learned));
    VOLT_TRY(volt_fields_flag(fields, "pending", &live->pending));
    VOLT_REQUIRE(!live->pending || live->pushed > 0, VOLT_ERR_FORMAT,
                 "%s: the target of a row is pending, but no row was fed", fields->path);
    VOLT_TRY(volt_fields_tensor(fields, "moving", -1, 0, &moving));
    volt_status status = volt_moving_set(live->moving, moving->data, moving->rows);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(read_numbers(fields, live));
    VOLT_TRY(read_groups(fields, live));
    VOLT_TRY(read_means(fields, live));
    VOLT_TRY(read_history(fields, live));
    VOLT_TRY(read_late(fields, live));
    return read_pending(fields, live);
}

/* For an object that learned, in version 1.0: predictions are stored with the pending rows. */
static volt_status read_waiting_predictions(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *late = NULL, *late_made = NULL;
    int64_t q = live->model->q, rows = live->model->ahead + 1, next = volt_moving_next(live->moving);
    for (int64_t i = 0; i < rows * q; i++)
        live->predictions[i] = DBL_MAX;
    live->n_predictions = rows;
    if (live->pending)
        VOLT_TRY(volt_fields_copy(fields, "pending_forecast", q, 0, volt_live_prediction(live, 0)));
    if (!volt_safetensors_tensor(fields->file, "late"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "late", -1, 0, &late));
    VOLT_TRY(volt_fields_tensor(fields, "late_forecasts", late->rows * q, 0, &late_made));
    for (int64_t i = 0; i < late->rows; i++) /* read_late has checked the numbers */
        memcpy(volt_live_prediction(live, next - 1 - (int64_t)late->data[i]), late_made->data + i * q,
               (size_t)q * sizeof(double));
    return VOLT_OK;
}

static volt_status read_predictions(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *made = NULL;
    bool older = !volt_safetensors_metadata(fields->file, "learns");
    if (older && !volt_safetensors_tensor(fields->file, "made"))
        return live->learns ? read_waiting_predictions(fields, live) : VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "made", -1, 0, &made));
    int64_t q = live->model->q, rows = made->rows / q;
    VOLT_REQUIRE(made->rows == rows * q && rows <= live->model->ahead + 1 && (rows > 0 || !live->pending),
                 VOLT_ERR_FORMAT,
                 "%s: tensor \"made\" has %" PRId64 " numbers, which are not predictions of %" PRId64
                 " outputs that wait %" PRId64 " rows",
                 fields->path, made->rows, q, live->model->ahead);
    memcpy(live->predictions, made->data, (size_t)made->rows * sizeof *live->predictions);
    live->n_predictions = rows;
    return VOLT_OK;
}

static volt_status read_interval(const volt_file_fields *fields, volt_live *live)
{
    const volt_tensor *coverages = NULL, *scores = NULL;
    if (!volt_safetensors_tensor(fields->file, "coverages"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_tensor(fields, "coverages", -1, 0, &coverages));
    volt_status status = volt_live_track(live, coverages->data, coverages->rows);
    if (status == VOLT_ERR_ARGUMENT)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path);
    VOLT_TRY(status);
    VOLT_TRY(volt_fields_tensor(fields, "scores", volt_interval_length(live->interval), 0, &scores));
    VOLT_REQUIRE(volt_interval_set(live->interval, scores->data), VOLT_ERR_FORMAT,
                 "%s: tensor \"scores\" does not hold errors of predictions", fields->path);
    volt_live_update_half_widths(live);
    return VOLT_OK;
}

static volt_status read_state(const volt_file_fields *fields, volt_live *live)
{
    VOLT_TRY(read_head(fields, live));
    VOLT_TRY(live->learns    ? read_window(fields, live)
             : live->members ? volt_live_read_members(fields, live)
                             : read_kernel_state(fields, live));
    VOLT_TRY(read_predictions(fields, live));
    VOLT_TRY(volt_detector_read(fields, live->model, &live->detector));
    return read_interval(fields, live);
}

volt_status volt_live_read_fields(const volt_file_fields *fields, volt_live *live)
{
    bool learns = false;
    VOLT_TRY(check_head(fields, live->model, &learns));
    VOLT_REQUIRE(!learns, VOLT_ERR_FORMAT, "%s: \"learns\" must be no in a sum", fields->path);
    return read_state(fields, live);
}

static volt_status open_fields(const volt_file_fields *fields, const volt_model *model, int learn,
                               const volt_live_options *options, volt_live **live)
{
    volt_live_options opts = *options;
    bool learns = false;
    VOLT_TRY(check_head(fields, model, &learns));
    VOLT_REQUIRE(learn < 0 || learn == learns, VOLT_ERR_FORMAT, "%s was saved with learn %d, but learn is %d",
                 fields->path, learns, learn);
    if (learns) {
        VOLT_TRY(read_options(fields, &opts));
        VOLT_TRY(volt_live_begin(model, &opts, live));
    } else {
        VOLT_TRY(volt_live_open(model, VOLT_START_RESET, opts.beyond, live));
    }
    return read_state(fields, *live);
}

/* All numbers of the file are finite, but those computed from extreme ones may not be. Such a state could not be saved. */
static volt_status check_loaded(const volt_file_fields *fields, const volt_live *live)
{
    volt_file_writer writer = {0};
    volt_live_put_state(live, &writer);
    volt_status status = writer.failed ? VOLT_ERR_MEMORY : check_finite(&writer);
    volt_writer_release(&writer);
    return status == VOLT_ERR_NOT_FINITE ? volt_fail_prefix(VOLT_ERR_FORMAT, "%s", fields->path) : status;
}

volt_status volt_live_read_state(const volt_model *model, const char *path, int learn,
                                 const volt_live_options *options, volt_live **live)
{
    volt_safetensors *file = NULL;
    VOLT_TRY(volt_safetensors_read(path, &file));
    const volt_file_fields fields = {.file = file, .path = path, .kind = "the state of a volterra model"};
    volt_status status = open_fields(&fields, model, learn, options, live);
    if (status == VOLT_OK)
        status = check_loaded(&fields, *live);
    volt_safetensors_free(file);
    return status;
}
