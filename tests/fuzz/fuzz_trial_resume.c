/* tests/fuzz/fuzz_trial_resume.c: libFuzzer target for a search resumed from a log.
 *
 * The fingerprint 0123456789abcdef in the input stands for that of the small search below, so that lines
 * reach the later checks of candidates, folds and positions. No log line is ever lost. A rejected log is
 * unchanged. A successful search is complete, and so is its log. */
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_own_file.h"
#include "select/search/trial_log.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, COUNT = 3, MAX_BYTES = 1 << 14 };
static const char placeholder[] = "0123456789abcdef";

static const double inputs[ROWS] = {0.5, -1, 2, 0.25, -0.75, 1.5, 1, -2, 0.125, 3, -0.5, 0.75};
static const double targets[ROWS] = {1, 0.5, -1, 2.25, 0.25, -0.5, 1.75, 1, -2, 0.5, 3, -0.25};
static const char *const kernels[COUNT] = {"linear", "rbf:gamma=2", "volterra:tau_coef=0.5,lambda_coef=0.5"};
static const double alphas[COUNT] = {0.5, 1e-3, 2};

static volt_candidates *candidates;
static volt_search_options options;
static char fingerprint[VOLT_FINGERPRINT_LENGTH];

static void prepare(const char *path)
{
    if (candidates)
        return;
    FUZZ_CHECK(volt_set_threads(1) == VOLT_OK);
    FUZZ_CHECK(volt_candidates_list(kernels, alphas, NULL, COUNT, &candidates) == VOLT_OK);
    options = volt_search_options_default();
    options.splits.folds = 2;
    options.log = path;
    options.resume = 1;
    FUZZ_CHECK(volt_search_fingerprint(candidates, volt_view_of(inputs, ROWS, 1),
                                       volt_view_of(targets, ROWS, 1), &options, fingerprint) == VOLT_OK);
}

static uint8_t *with_fingerprint(const uint8_t *bytes, size_t size)
{
    uint8_t *log = malloc(size + 1);
    FUZZ_CHECK(log);
    memcpy(log, bytes, size);
    size_t length = sizeof placeholder - 1;
    for (uint8_t *at = log; (at = memmem(at, size - (size_t)(at - log), placeholder, length)); at += length)
        memcpy(at, fingerprint, length);
    return log;
}

static size_t whole_lines(const uint8_t *log, size_t size)
{
    const uint8_t *end = memrchr(log, '\n', size);
    return end ? (size_t)(end - log) + 1 : 0;
}

static volt_status resume(volt_search **search)
{
    return volt_search_run(candidates, volt_view_of(inputs, ROWS, 1), volt_view_of(targets, ROWS, 1), &options,
                           search);
}

/* Every candidate once, by index, with the kernel it has; the best is complete and none is better. */
static void check_search(const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
    FUZZ_CHECK(info.trials == COUNT && info.resumed <= COUNT && info.folds == options.splits.folds);
    FUZZ_CHECK(best && !best->failure && !best->stopped);
    for (int64_t i = 0; i < COUNT; i++) {
        const volt_trial *trial = volt_search_trial(search, i);
        volt_kernel *kernel = NULL;
        FUZZ_CHECK(trial->index == i && trial->alpha == alphas[i] && trial->n_folds <= info.folds);
        FUZZ_CHECK(volt_kernel_parse(trial->kernel, &kernel) == VOLT_OK);
        volt_kernel_free(kernel);
        if (!trial->failure && !trial->stopped)
            FUZZ_CHECK(trial->n_folds == info.folds && isfinite(trial->score) && trial->score <= best->score);
    }
}

/* The log of a successful search: another run reads all trials from it, evaluates none and gives the same
 * result. */
static void check_finished(const volt_search *search, const char *path)
{
    size_t size_before, size_after;
    volt_search *again = NULL;
    volt_search_info info = {.struct_size = sizeof info};
    uint8_t *before = fuzz_read(path, &size_before);
    FUZZ_CHECK(resume(&again) == VOLT_OK);
    check_search(again);
    volt_search_get_info(again, &info);
    FUZZ_CHECK(info.resumed == COUNT);
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST),
                     *same = volt_search_trial(again, VOLT_TRIAL_BEST);
    FUZZ_CHECK(best->index == same->index && best->score == same->score);
    volt_search_free(again);

    uint8_t *after = fuzz_read(path, &size_after);
    FUZZ_CHECK(size_after == size_before && memcmp(before, after, size_before) == 0);
    free(before);
    free(after);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > MAX_BYTES)
        return 0;
    const char *path = fuzz_own_path();
    prepare(path);
    uint8_t *log = with_fingerprint(bytes, size);
    fuzz_write(path, log, size);

    volt_search *search = NULL;
    volt_status status = resume(&search);
    size_t after_size, whole = whole_lines(log, size);
    uint8_t *after = fuzz_read(path, &after_size);
    FUZZ_CHECK(after_size >= whole && memcmp(after, log, whole) == 0);
    if (status == VOLT_ERR_FORMAT)
        FUZZ_CHECK(!search && after_size == size && memcmp(after, log, size) == 0);
    FUZZ_CHECK(status == VOLT_OK || *volt_error_detail());
    if (status == VOLT_OK) {
        check_search(search);
        check_finished(search, path);
    }
    volt_search_free(search);
    free(after);
    free(log);
    return 0;
}
