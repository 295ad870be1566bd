/* src/select/search/trial_log.c: writes the log of a search, one writer at a time. */
#include "select/search/trial_log.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "io/file/atomic_file.h"
#include "select/candidates/candidates.h"
#include "select/search/search_internal.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
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
