/* src/select/trial_log.c: writing and reading the log of a search. */
#include "select/trial_log.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/excerpt.h"
#include "io/file_bytes.h"
#include "select/search_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
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

/* Candidate 0 stands for all: it depends on kernel, ranges and seed. One that cannot be had adds nothing. */
static volt_status add_candidate(const volt_candidates *candidates, unsigned long *sum)
{
    char kernel[VOLT_KERNEL_LENGTH] = "";
    double alpha = 0;
    volt_status status = volt_candidates_get(candidates, 0, kernel, &alpha);
    *sum = add_bytes(add_bytes(*sum, kernel, strlen(kernel)), &alpha, sizeof alpha);
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* Two sums: the data, and what is asked of them. How many draws, which shard and how long is not part of it:
 * those may differ between runs that belong together. */
volt_status volt_search_fingerprint(const volt_candidates *candidates, volt_view X, volt_view Y,
                                    const volt_search_options *options,
                                    char fingerprint[VOLT_FINGERPRINT_LENGTH])
{
    int64_t asked[] = {options->splits.folds,     options->splits.gap,     options->splits.min_train,
                       options->splits.max_train, options->splits.rolling, (int64_t)options->start,
                       options->washout,          options->intercept != 0, options->scale != 0,
                       (int64_t)options->score,   (int64_t)options->race};
    unsigned long data = add_rows(add_rows(crc32(0, NULL, 0), X), Y);
    unsigned long question = add_bytes(crc32(0, NULL, 0), asked, sizeof asked);
    VOLT_TRY(add_candidate(candidates, &question));
    snprintf(fingerprint, VOLT_FINGERPRINT_LENGTH, "%08lx%08lx", data & 0xffffffffUL, question & 0xffffffffUL);
    return VOLT_OK;
}

/* ---- writing ---------------------------------------------------------------------------------- */

volt_status volt_trial_log_open(const char *path, const char *fingerprint, volt_score score, int64_t whole,
                                volt_trial_log *log)
{
    log->path = volt_strdup(path);
    if (!log->path)
        return VOLT_ERR_MEMORY;
    snprintf(log->fingerprint, sizeof log->fingerprint, "%s", fingerprint);
    log->score = score;
    log->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct stat entry;
    if (log->file >= 0 && fstat(log->file, &entry) == 0 &&
        (entry.st_size <= (off_t)whole || ftruncate(log->file, (off_t)whole) == 0))
        return VOLT_OK;
    volt_status status = volt_fail(VOLT_ERR_IO, "%s: %s", path, strerror(errno));
    volt_trial_log_close(log);
    return status;
}

void volt_trial_log_close(volt_trial_log *log)
{
    if (log->file >= 0)
        close(log->file);
    log->file = -1;
    volt_free(log->path);
    log->path = NULL;
}

/* A growing text; `failed` when memory ran out. */
typedef struct text {
    char *bytes;
    int64_t size, capacity;
    bool failed;
} text;

static void put(text *line, const char *piece)
{
    int64_t length = (int64_t)strlen(piece);
    if (line->failed ||
        volt_grow((void **)&line->bytes, &line->capacity, line->size + length + 1, 1) != VOLT_OK) {
        line->failed = true;
        return;
    }
    memcpy(line->bytes + line->size, piece, (size_t)length + 1);
    line->size += length;
}

static void put_number(text *line, const char *key, double value)
{
    char number[VOLT_NUMBER_LENGTH];
    put(line, key);
    put(line, isfinite(value) ? volt_format_number(value, number) : "null");
}

static void put_string(text *line, const char *key, const char *value)
{
    put(line, key);
    json_t *string = value ? json_string(value) : json_null();
    char *encoded = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    if (encoded)
        put(line, encoded);
    else
        line->failed = true;
    free(encoded);
    json_decref(string);
}

static void put_trial(text *line, const volt_trial_log *log, const volt_trial *trial)
{
    put_number(line, "{\"index\":", (double)trial->index);
    put_string(line, ",\"kernel\":", trial->kernel);
    put_number(line, ",\"alpha\":", trial->alpha);
    put(line, ",\"folds\":[");
    for (int64_t k = 0; k < trial->n_folds; k++)
        put_number(line, k ? "," : "", trial->folds[k]);
    put_number(line, "],\"score\":", trial->score);
    put_number(line, ",\"seconds\":", trial->seconds);
    put_number(line, ",\"stopped\":", trial->stopped ? (double)trial->n_folds : NAN);
    put_string(line, ",\"failure\":", trial->failure);
    put_string(line, ",\"measure\":", volt_score_name(log->score));
    put_string(line, ",\"search\":", log->fingerprint);
    put(line, "}\n");
}

volt_status volt_trial_log_append(volt_trial_log *log, const volt_trial *trial)
{
    text line = {0};
    put_trial(&line, log, trial);
    volt_status status = line.failed ? VOLT_ERR_MEMORY : VOLT_OK;
    int64_t written = 0;
    while (status == VOLT_OK && written < line.size) {
        ssize_t now = write(log->file, line.bytes + written, (size_t)(line.size - written));
        if (now > 0)
            written += now;
        else if (errno != EINTR)
            status = volt_fail(VOLT_ERR_IO, "%s: %s", log->path, strerror(errno));
    }
    volt_free(line.bytes);
    return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static const char *string_of(const json_t *line, const char *key)
{
    return json_string_value(json_object_get(line, key));
}

static double number_of(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static volt_status read_score(const char *name, volt_score *score)
{
    for (int s = VOLT_SCORE_R2; name && s <= VOLT_SCORE_LOG; s++)
        if (strcmp(name, volt_score_name((volt_score)s)) == 0) {
            *score = (volt_score)s;
            return VOLT_OK;
        }
    return volt_fail(VOLT_ERR_FORMAT, "its measure is no score");
}

/* Of which search is this line? */
static volt_status check_search(const json_t *line, char fingerprint[VOLT_FINGERPRINT_LENGTH],
                                volt_score *score)
{
    const char *search = string_of(line, "search");
    VOLT_REQUIRE(search && strlen(search) + 1 == VOLT_FINGERPRINT_LENGTH, VOLT_ERR_FORMAT,
                 "it does not say which search it belongs to");
    volt_score measured = VOLT_SCORE_R2;
    VOLT_TRY(read_score(string_of(line, "measure"), &measured));
    if (!fingerprint[0]) {
        memcpy(fingerprint, search, VOLT_FINGERPRINT_LENGTH);
        *score = measured;
    }
    VOLT_REQUIRE(strcmp(search, fingerprint) == 0 && measured == *score, VOLT_ERR_FORMAT,
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

static volt_status read_trial(const json_t *line, const double *folds, int64_t n_folds, volt_trial **trial)
{
    double index = number_of(line, "index"), alpha = number_of(line, "alpha");
    double seconds = number_of(line, "seconds");
    const char *kernel = string_of(line, "kernel"), *failure = string_of(line, "failure");
    VOLT_REQUIRE(index >= 0 && index < 9e15 && index == floor(index), VOLT_ERR_FORMAT, "it has no index");
    VOLT_REQUIRE(kernel, VOLT_ERR_FORMAT, "it has no kernel");
    VOLT_REQUIRE(alpha > 0, VOLT_ERR_FORMAT, "it has no alpha");
    VOLT_REQUIRE(failure || n_folds > 0, VOLT_ERR_FORMAT, "it has neither folds nor a failure");
    volt_trial *fresh = volt_trial_new((int64_t)index, kernel, alpha, folds, n_folds, failure);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->stopped = json_is_number(json_object_get(line, "stopped"));
    fresh->seconds = seconds >= 0 ? seconds : 0;
    *trial = fresh;
    return VOLT_OK;
}

static volt_status read_line(const char *bytes, size_t size, char fingerprint[VOLT_FINGERPRINT_LENGTH],
                             volt_score *score, volt_trial **trial)
{
    json_error_t error;
    json_t *line = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    double *folds = NULL;
    int64_t n_folds = 0;
    volt_status status = json_is_object(line) ? check_search(line, fingerprint, score)
                                              : volt_fail(VOLT_ERR_FORMAT, "it is not a line of JSON");
    if (status == VOLT_OK)
        status = read_folds(line, &folds, &n_folds);
    if (status == VOLT_OK)
        status = read_trial(line, folds, n_folds, trial);
    volt_free(folds);
    json_decref(line);
    return status;
}

volt_status volt_trial_log_read(const char *path, char fingerprint[VOLT_FINGERPRINT_LENGTH], volt_score *score,
                                volt_trial_take_fn take, void *context, int64_t *whole)
{
    char *bytes = NULL;
    int64_t size = 0, number = 0;
    VOLT_TRY(volt_file_load(path, &bytes, &size));
    volt_status status = VOLT_OK;
    const char *at = bytes, *end;
    while (status == VOLT_OK && (end = memchr(at, '\n', (size_t)(bytes + size - at)))) {
        volt_trial *trial = NULL;
        number++;
        status = read_line(at, (size_t)(end - at), fingerprint, score, &trial);
        if (status == VOLT_OK)
            status = take(trial, context);
        at = end + 1;
    }
    if (status == VOLT_OK && whole)
        *whole = at - bytes;
    volt_free(bytes);
    return status == VOLT_OK || status == VOLT_ERR_MEMORY
               ? status
               : volt_fail_prefix(status, "%s, line %" PRId64, path, number);
}
