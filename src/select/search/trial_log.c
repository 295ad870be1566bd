/* src/select/search/trial_log.c: writes the log of a search, one writer at a time. */
#include "select/search/trial_log.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "io/file/atomic_file.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"
#include "kernel/kernel_entry.h"
#include "select/candidates/candidates.h"
#include "select/search/search_internal.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- fingerprint ------------------------------------------------------------------------------ */

static unsigned long add_bytes(unsigned long sum, const void *bytes, size_t size)
{
    return crc32(sum, bytes, (uInt)size);
}

static unsigned long add_rows(unsigned long sum, volt_view V)
{
    sum = add_bytes(sum, &V.rows, sizeof V.rows);
    for (int64_t i = 0; i < V.rows; i++)
        sum = add_bytes(sum, V.data + i * V.ld, (size_t)V.cols * sizeof(double));
    return sum;
}

/* The first candidate, or the first of every kernel, represents all: it depends on kernel, ranges and seed.
 * A candidate that cannot be made adds nothing. */
static volt_status add_candidate(const volt_candidates *candidates, int64_t index, unsigned long *sum)
{
    char kernel[VOLT_KERNEL_LENGTH] = "";
    volt_setting setting = {0};
    volt_status status = volt_candidates_take(candidates, index, kernel, &setting);
    *sum = add_bytes(add_bytes(*sum, kernel, strlen(kernel)), &setting.alpha, sizeof setting.alpha);
    if (setting.feedback > 0)
        *sum = add_bytes(*sum, &setting.feedback, sizeof setting.feedback);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* Adds loss and weights, unless they are squares with equal weights. */
static unsigned long add_loss(unsigned long sum, const volt_search_options *options, int64_t n)
{
    const char *loss = options->loss ? options->loss : "squares";
    sum = add_bytes(add_bytes(sum, loss, strlen(loss)), &options->tolerance, sizeof options->tolerance);
    for (int64_t k = 0; k < options->n_classes; k++)
        sum = add_bytes(sum, options->classes[k], strlen(options->classes[k]) + 1);
    return options->weights ? add_bytes(sum, options->weights, (size_t)n * sizeof *options->weights) : sum;
}

/* Two sums: data, and options. Number of draws and budget are excluded: they may differ between runs of one
 * search. */
volt_status volt_search_fingerprint(const volt_candidates *candidates, volt_view X, volt_view Y,
                                    const volt_search_options *options,
                                    char fingerprint[VOLT_FINGERPRINT_LENGTH])
{
    int64_t asked[] = {options->splits.folds,     options->splits.gap,     options->splits.min_train,
                       options->splits.max_train, options->splits.rolling, (int64_t)options->start,
                       options->washout,          options->intercept != 0, options->scale != 0,
                       (int64_t)options->score,   (int64_t)options->race};
    unsigned long data = add_rows(add_rows(crc32(0, NULL, 0), X), Y);
    if (options->base.data)
        data = add_rows(data, options->base);
    unsigned long question = add_bytes(crc32(0, NULL, 0), asked, sizeof asked);
    if (options->n_records > 0) {
        int64_t by_records = options->folds_by_records != 0;
        question = add_bytes(question, &by_records, sizeof by_records);
        question = add_bytes(question, options->records, (size_t)options->n_records * sizeof(int64_t));
    }
    for (int64_t i = 0; i < volt_max(candidates->heads, 1); i++)
        VOLT_TRY(add_candidate(candidates, i, &question));
    if (candidates->feeds) {
        int64_t validate = (int64_t)options->validate;
        question = add_bytes(question, &validate, sizeof validate);
    }
    if (options->initial != VOLT_INITIAL_ZERO) {
        int64_t initial = (int64_t)options->initial;
        question = add_bytes(question, &initial, sizeof initial);
        if (options->initial == VOLT_INITIAL_VALUES)
            question = add_bytes(question, options->initial_values, (size_t)X.cols * sizeof(double));
    }
    if (options->loss || options->weights)
        question = add_loss(question, options, X.rows);
    if (options->landmarks > 0) {
        int64_t landmarks[] = {options->landmarks, (int64_t)options->landmark_choice};
        question = add_bytes(question, landmarks, sizeof landmarks);
    }
    if (options->strategy == VOLT_STRATEGY_ADAPTIVE) /* then every candidate depends on the seed */
        question = add_bytes(question, &candidates->seed, sizeof candidates->seed);
    if (options->strategy == VOLT_STRATEGY_CMA) {
        question = add_bytes(question, &candidates->seed, sizeof candidates->seed);
        question = add_bytes(question, "cma", strlen("cma"));
    }
    snprintf(fingerprint, VOLT_FINGERPRINT_LENGTH, "%08lx%08lx", data & 0xffffffffUL, question & 0xffffffffUL);
    return VOLT_OK;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* Locks a file for appending. Pipes and devices cannot lose lines and have no lock. */
static volt_status lock_log(const volt_trial_log *log, const struct stat *entry)
{
    volt_lock lock = S_ISREG(entry->st_mode) ? volt_file_lock(log->file) : VOLT_LOCK_HELD;
    if (lock == VOLT_LOCK_NONE)
        volt_log(VOLT_LOG_WARNING,
                 "%s: its file system has no locks, so a second search on this log would not be noticed",
                 log->path);
    VOLT_REQUIRE(lock != VOLT_LOCK_BUSY, VOLT_ERR_IO,
                 "%s is in use by another search: wait for it, or choose another name", log->path);
    return VOLT_OK;
}

volt_status volt_trial_log_open(const char *path, const char *fingerprint, const volt_measure *measure,
                                volt_trial_log *log)
{
    log->path = volt_strdup(path);
    if (!log->path)
        return VOLT_ERR_MEMORY;
    snprintf(log->fingerprint, sizeof log->fingerprint, "%s", fingerprint);
    log->measure = *measure;
    log->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct stat entry;
    volt_status status = VOLT_OK;
    if (log->file < 0 || fstat(log->file, &entry) != 0)
        status = volt_fail(VOLT_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    else
        status = lock_log(log, &entry);
    if (status != VOLT_OK)
        volt_trial_log_close(log);
    return status;
}

bool volt_trial_log_is_empty(const volt_trial_log *log)
{
    struct stat entry;
    return fstat(log->file, &entry) == 0 && entry.st_size == 0;
}

volt_status volt_trial_log_cut(const volt_trial_log *log, int64_t whole)
{
    struct stat entry;
    if (fstat(log->file, &entry) == 0 &&
        (entry.st_size <= (off_t)whole || ftruncate(log->file, (off_t)whole) == 0))
        return VOLT_OK;
    return volt_fail(VOLT_ERR_IO, "cannot write %s: %s", log->path, strerror(errno));
}

void volt_trial_log_close(volt_trial_log *log)
{
    if (log->file >= 0)
        close(log->file);
    log->file = -1;
    volt_free(log->path);
    log->path = NULL;
}

static void put_number(volt_text_buffer *line, const char *key, double value)
{
    char number[VOLT_NUMBER_LENGTH];
    volt_text_put(line, key);
    volt_text_put(line, isfinite(value) ? volt_format_number(value, number) : "null");
}

static void put_string(volt_text_buffer *line, const char *key, const char *value)
{
    volt_text_put(line, key);
    if (!value)
        volt_text_put(line, "null");
    else if (volt_json_quote(line, value) != VOLT_OK)
        line->failed = true;
}

static void put_trial(volt_text_buffer *line, const volt_trial_log *log, const volt_trial *trial)
{
    put_number(line, "{\"index\":", (double)trial->index);
    put_string(line, ",\"kernel\":", trial->kernel);
    put_number(line, ",\"alpha\":", trial->alpha);
    if (trial->feedback > 0)
        put_number(line, ",\"feedback\":", trial->feedback);
    volt_text_put(line, ",\"folds\":[");
    for (int64_t k = 0; k < trial->n_folds; k++)
        put_number(line, k ? "," : "", trial->folds[k]);
    put_number(line, "],\"score\":", trial->score);
    put_number(line, ",\"seconds\":", trial->seconds);
    put_number(line, ",\"stopped\":", trial->stopped ? (double)trial->n_folds : NAN);
    put_string(line, ",\"failure\":", trial->failure);
    put_string(line, ",\"measure\":", log->measure.name);
    if (log->measure.loss[0])
        put_string(line, ",\"loss\":", log->measure.loss);
    put_string(line, ",\"search\":", log->fingerprint);
    volt_text_put(line, "}\n");
}

volt_status volt_trial_log_append(volt_trial_log *log, const volt_trial *trial)
{
    volt_text_buffer line = {0};
    put_trial(&line, log, trial);
    volt_status status = line.failed ? VOLT_ERR_MEMORY : VOLT_OK;
    int64_t written = 0;
    while (status == VOLT_OK && written < line.size) {
        ssize_t now = write(log->file, line.bytes + written, (size_t)(line.size - written));
        if (now > 0)
            written += now;
        else if (errno != EINTR)
            status = volt_fail(VOLT_ERR_IO, "cannot write %s: %s", log->path, strerror(errno));
    }
    volt_free(line.bytes);
    return status;
}

/* ---- reads the log of a search ----------------------------------------------------------------------- */

/* Every field is checked before any is used: logs are untrusted, and their texts are printed in tables,
 * plots and command lines. */

static volt_status wrong_field(const char *key, const char *wanted)
{
    return volt_fail(VOLT_ERR_FORMAT, "its %s is not %s", key, wanted);
}

static const char *string_of(const json_t *line, const char *key)
{
    return json_string_value(json_object_get(line, key));
}

/* A number, or NaN for null. Jansson rejects numbers that are not finite. */
static volt_status read_number(const json_t *line, const char *key, bool may_be_null, double *number)
{
    const json_t *value = json_object_get(line, key);
    if (!json_is_number(value) && !(may_be_null && json_is_null(value)))
        return wrong_field(key, may_be_null ? "a number or null" : "a number");
    *number = json_is_number(value) ? json_number_value(value) : NAN;
    return VOLT_OK;
}

static volt_status read_count(const json_t *line, const char *key, bool may_be_null, double *count)
{
    VOLT_TRY(read_number(line, key, may_be_null, count));
    if (!isnan(*count) && !(*count >= 0 && *count < 9e15 && *count == floor(*count)))
        return wrong_field(key, "a whole number from 0 up");
    return VOLT_OK;
}

/* Checks that a line belongs to the search. */
static volt_status check_search(const json_t *line, const char *fingerprint, const volt_measure *measure)
{
    const char *search = string_of(line, "search"), *name = string_of(line, "measure"),
               *loss = string_of(line, "loss");
    VOLT_REQUIRE(search && name, VOLT_ERR_FORMAT, "it does not name its search and measure");
    VOLT_REQUIRE(strcmp(search, fingerprint) == 0 && strcmp(name, measure->name) == 0 &&
                     strcmp(loss ? loss : "", measure->loss) == 0,
                 VOLT_ERR_FORMAT,
                 "it belongs to another search: the data, the candidates, the splits or the options differ");
    return VOLT_OK;
}

static volt_status read_folds(const json_t *line, double **folds, int64_t *count)
{
    const json_t *list = json_object_get(line, "folds");
    VOLT_REQUIRE(json_is_array(list), VOLT_ERR_FORMAT, "it has no list of folds");
    *count = (int64_t)json_array_size(list);
    *folds = volt_alloc_doubles(*count, 1);
    if (!*folds)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < *count; k++) {
        const json_t *value = json_array_get(list, (size_t)k);
        VOLT_REQUIRE(json_is_number(value), VOLT_ERR_FORMAT, "a fold is not a number");
        (*folds)[k] = json_number_value(value);
    }
    return VOLT_OK;
}

/* The text of a kernel must be exactly as the library writes it. */
static volt_status check_kernel(const char *given)
{
    char shown[VOLT_EXCERPT_LENGTH];
    volt_kernel *kernel = NULL;
    VOLT_REQUIRE(given, VOLT_ERR_FORMAT, "it has no kernel");
    volt_status status = volt_kernel_parse(given, &kernel);
    if (status == VOLT_ERR_MEMORY)
        return status;
    if (status != VOLT_OK)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "its kernel is invalid");
    bool is_canonical = strcmp(volt_kernel_text(kernel), given) == 0;
    if (!is_canonical)
        status = volt_fail(VOLT_ERR_FORMAT, "its kernel \"%s\" is not written as a search writes it: %s",
                           volt_excerpt(given, strlen(given), shown), volt_kernel_text(kernel));
    volt_kernel_free(kernel);
    return status;
}

/* The numbers of a line, checked one by one. */
typedef struct line_numbers {
    double index, alpha, score, seconds, stopped; /* NaN for null */
    double feedback;                              /* 0: absent */
} line_numbers;

static volt_status read_numbers(const json_t *line, line_numbers *numbers)
{
    VOLT_TRY(read_count(line, "index", false, &numbers->index));
    VOLT_TRY(read_number(line, "alpha", false, &numbers->alpha));
    if (json_object_get(line, "feedback")) {
        VOLT_TRY(read_number(line, "feedback", false, &numbers->feedback));
        if (!(numbers->feedback > 0))
            return wrong_field("feedback", "above 0");
    }
    VOLT_TRY(read_number(line, "score", true, &numbers->score));
    VOLT_TRY(read_number(line, "seconds", false, &numbers->seconds));
    VOLT_TRY(read_count(line, "stopped", true, &numbers->stopped));
    bool failed = json_is_string(json_object_get(line, "failure")); /* a failed profile has no alpha */
    if (!(numbers->alpha > 0 || (failed && numbers->alpha == 0)))
        return wrong_field("alpha", "above 0");
    if (!(numbers->seconds >= 0))
        return wrong_field("seconds", "from 0 up");
    return VOLT_OK;
}

/* Whether the score is the mean, up to the rounding of a sum in any order. */
static bool is_mean(double score, const volt_trial *trial)
{
    double size = 0;
    for (int64_t k = 0; k < trial->n_folds; k++)
        size += fabs(trial->folds[k]) / (double)trial->n_folds;
    return fabs(score - trial->score) <= (double)trial->n_folds * DBL_EPSILON * size;
}

/* Checks that the fields of a trial are consistent. */
static volt_status check_trial(const volt_trial *trial, const line_numbers *numbers)
{
    VOLT_REQUIRE(trial->failure || trial->n_folds > 0, VOLT_ERR_FORMAT, "it has neither folds nor a failure");
    VOLT_REQUIRE(!trial->stopped || numbers->stopped == (double)trial->n_folds, VOLT_ERR_FORMAT,
                 "it was stopped after %.0f folds, and has %" PRId64, numbers->stopped, trial->n_folds);
    VOLT_REQUIRE(trial->failure || isfinite(trial->score), VOLT_ERR_FORMAT,
                 "the mean of its folds is not finite");
    VOLT_REQUIRE(trial->failure ? isnan(numbers->score) : is_mean(numbers->score, trial), VOLT_ERR_FORMAT,
                 "its score is not %s", trial->failure ? "null, and it failed" : "the mean of its folds");
    return VOLT_OK;
}

static volt_status read_trial(const json_t *line, const double *folds, int64_t n_folds, volt_trial **trial)
{
    line_numbers numbers = {0};
    const json_t *failure = json_object_get(line, "failure");
    const char *kernel = string_of(line, "kernel");
    VOLT_TRY(read_numbers(line, &numbers));
    VOLT_TRY(check_kernel(kernel));
    if (!json_is_string(failure) && !json_is_null(failure))
        return wrong_field("failure", "a text or null");
    volt_trial *fresh = volt_trial_new((int64_t)numbers.index, kernel, numbers.alpha, folds, n_folds,
                                       json_string_value(failure));
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->stopped = !isnan(numbers.stopped);
    fresh->seconds = numbers.seconds;
    fresh->feedback = numbers.feedback;
    volt_status status = check_trial(fresh, &numbers);
    if (status == VOLT_OK)
        *trial = fresh;
    else
        volt_trial_free(fresh);
    return status;
}

static volt_status read_line(const char *bytes, size_t size, const char *fingerprint,
                             const volt_measure *measure, volt_trial **trial)
{
    json_t *line = NULL;
    double *folds = NULL;
    int64_t n_folds = 0;
    volt_status status = volt_json_parse(bytes, (int64_t)size, &line);
    if (status == VOLT_ERR_FORMAT || (status == VOLT_OK && !json_is_object(line)))
        status = volt_fail(VOLT_ERR_FORMAT, "it is not a line of JSON");
    if (status == VOLT_OK)
        status = check_search(line, fingerprint, measure);
    if (status == VOLT_OK)
        status = read_folds(line, &folds, &n_folds);
    if (status == VOLT_OK)
        status = read_trial(line, folds, n_folds, trial);
    volt_free(folds);
    json_decref(line);
    return status;
}

static volt_status queue_add(volt_trial_queue *queue, volt_trial *trial)
{
    volt_status status =
        volt_grow((void **)&queue->entries, &queue->capacity, queue->count + 1, sizeof *queue->entries);
    if (status != VOLT_OK) {
        volt_trial_free(trial);
        return status;
    }
    queue->entries[queue->count] = (volt_queued_trial){.trial = trial, .order = queue->count};
    queue->count++;
    return VOLT_OK;
}

/* A complete trial precedes a stopped one, and that a failure. */
static int64_t rank(const volt_trial *trial)
{
    if (trial->failure)
        return -1;
    return trial->stopped ? trial->n_folds : INT64_MAX;
}

static int compare_counts(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_index_and_rank(const void *a, const void *b)
{
    const volt_queued_trial *first = a, *second = b;
    int order = compare_counts(first->trial->index, second->trial->index);
    if (order == 0)
        order = compare_counts(rank(second->trial), rank(first->trial));
    return order ? order : compare_counts(first->order, second->order);
}

static volt_status check_same(const volt_trial *first, const volt_trial *second)
{
    bool known = first->alpha > 0 && second->alpha > 0; /* a failed profile has no alpha */
    VOLT_REQUIRE(strcmp(first->kernel, second->kernel) == 0 && first->feedback == second->feedback &&
                     (!known || first->alpha == second->alpha),
                 VOLT_ERR_FORMAT,
                 "candidate %" PRId64 " is %s, alpha %g, in one log line and %s, alpha %g, in another",
                 first->index, first->kernel, first->alpha, second->kernel, second->alpha);
    return VOLT_OK;
}

static volt_status sort(volt_trial_queue *queue)
{
    if (queue->count > 1)
        qsort(queue->entries, (size_t)queue->count, sizeof *queue->entries, by_index_and_rank);
    for (int64_t i = 1; i < queue->count; i++)
        if (queue->entries[i].trial->index == queue->entries[i - 1].trial->index)
            VOLT_TRY(check_same(queue->entries[i - 1].trial, queue->entries[i].trial));
    return VOLT_OK;
}

void volt_trial_queue_free(volt_trial_queue *queue)
{
    for (int64_t i = 0; i < queue->count; i++)
        volt_trial_free(queue->entries[i].trial);
    volt_free(queue->entries);
    *queue = (volt_trial_queue){0};
}

/* ---- log -------------------------------------------------------------------------------------- */

static volt_status read_lines(const char *path, const char *bytes, int64_t size, const char *fingerprint,
                              const volt_measure *measure, volt_trial_queue *queue, int64_t *whole)
{
    const char *at = bytes, *end;
    while ((end = memchr(at, '\n', (size_t)(bytes + size - at)))) {
        volt_trial *trial = NULL;
        volt_status status = read_line(at, (size_t)(end - at), fingerprint, measure, &trial);
        if (status != VOLT_OK && status != VOLT_ERR_MEMORY)
            status = volt_fail_prefix(status, "%s, line %" PRId64, path, queue->count + 1);
        VOLT_TRY(status);
        VOLT_TRY(queue_add(queue, trial));
        at = end + 1;
    }
    *whole = at - bytes;
    return VOLT_OK;
}

volt_status volt_trial_log_read(const char *path, const char *fingerprint, const volt_measure *measure,
                                volt_trial_queue *queue, int64_t *whole)
{
    char *bytes = NULL;
    int64_t size = 0;
    VOLT_TRY(volt_file_load_text(path, &bytes, &size));
    volt_status status = read_lines(path, bytes, size, fingerprint, measure, queue, whole);
    volt_free(bytes);
    VOLT_TRY(status);
    return sort(queue) == VOLT_OK ? VOLT_OK : volt_fail_prefix(VOLT_ERR_FORMAT, "%s", path);
}
