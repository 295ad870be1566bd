/* tests/fuzz/fuzz_trial_log.c: libFuzzer target for the reader of trial logs. */
#include "fuzz/fuzz_input.h"
#include "select/search/trial_log.h"
#include "volterra/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A log that is read is a valid search: trials are sorted by index and unique, complete trials have all
 * folds and a finite score, and the best trial has the best score. */
static void check(const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST), *last = NULL;
    double sign = volt_score_sign(info.score);
    int64_t failed = 0, stopped = 0;
    if (!best || info.trials < 1 || best->failure || best->stopped)
        abort();
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(search, i);
        int has_alpha = trial->alpha > 0 || (trial->failure && trial->alpha == 0); /* a profile that failed */
        if ((last && trial->index <= last->index) || trial->index < 0 || !trial->kernel || !has_alpha)
            abort();
        if (trial->n_folds > info.folds)
            abort();
        volt_kernel *kernel =
            NULL; /* what is printed, drawn and put into scripts is a kernel and nothing else */
        if (volt_kernel_parse(trial->kernel, &kernel))
            abort();
        volt_kernel_free(kernel);
        failed += trial->failure != NULL;
        stopped += !trial->failure && trial->stopped;
        if (!trial->failure && !trial->stopped)
            if (trial->n_folds != info.folds || sign * trial->score > sign * best->score)
                abort();
        last = trial;
    }
    for (int64_t k = 0; k <= info.folds; k++)
        stopped -= info.stopped[k];
    if (failed != info.failed || stopped != 0)
        abort();
}

static volt_status count_line(volt_trial *trial, void *context)
{
    volt_free((void *)trial->kernel);
    volt_free((void *)trial->failure);
    volt_free(trial->folds);
    volt_free(trial);
    ++*(int64_t *)context;
    return VOLT_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = fuzz_input_path(bytes, size), *twice[] = {path, path};
    volt_search *search = NULL;
    if (volt_search_merge(&path, 1, &search) == VOLT_OK) {
        check(search);
        volt_search_free(search);
        if (volt_search_merge(twice, 2, &search) != VOLT_OK) /* the union with itself is itself */
            abort();
        check(search);
        volt_search_free(search);
    }
    /* Read as by a resumed search: the valid part ends after the last complete line. */
    char fingerprint[VOLT_FINGERPRINT_LENGTH] = "0123456789abcdef";
    volt_measure measure = {0};
    int64_t whole = -1, lines = 0;
    if (volt_trial_log_read(path, fingerprint, &measure, count_line, &lines, &whole) == VOLT_OK)
        if (whole < 0 || whole > (int64_t)size || (whole > 0 && bytes[whole - 1] != '\n') ||
            memchr(bytes + whole, '\n', size - (size_t)whole) || (lines > 0) != (whole > 0))
            abort();
    return 0;
}
