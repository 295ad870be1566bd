/* tests/fuzz/fuzz_trial_log.c: libFuzzer target for the reader of trial logs, as a resumed search uses it. The search and
 * its measure are those of the first line. */
#include "fuzz/fuzz_input.h"
#include "select/search/trial_log.h"
#include "volterra/select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the first text of a key, without escapes; "" if there is none. */
static void text_of(const uint8_t *bytes, size_t size, const char *key, char *text, size_t capacity)
{
    const uint8_t *at = memmem(bytes, size, key, strlen(key));
    const uint8_t *from = at ? at + strlen(key) : NULL;
    const uint8_t *end = from ? memchr(from, '"', size - (size_t)(from - bytes)) : NULL;
    snprintf(text, capacity, "%.*s", end ? (int)(end - from) : 0, end ? (const char *)from : "");
}

static void check_trial(const volt_trial *trial)
{
    int has_alpha = trial->alpha > 0 || (trial->failure && trial->alpha == 0); /* a profile that failed */
    if (trial->index < 0 || !has_alpha || (!trial->failure && !isfinite(trial->score)))
        abort();
    volt_kernel *kernel = NULL; /* what is printed, drawn and put into scripts is a kernel and nothing else */
    if (!trial->kernel || volt_kernel_parse(trial->kernel, &kernel))
        abort();
    volt_kernel_free(kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = fuzz_input_path(bytes, size);
    char fingerprint[VOLT_FINGERPRINT_LENGTH], name[64];
    volt_measure measure = {.name = name};
    volt_trial_queue queue = {0};
    int64_t whole = -1;
    text_of(bytes, size, "\"search\":\"", fingerprint, sizeof fingerprint);
    text_of(bytes, size, "\"measure\":\"", name, sizeof name);
    text_of(bytes, size, "\"loss\":\"", measure.loss, sizeof measure.loss);
    if (volt_trial_log_read(path, fingerprint, &measure, &queue, &whole) == VOLT_OK) {
        if (whole < 0 || whole > (int64_t)size || (whole > 0 && bytes[whole - 1] != '\n') ||
            memchr(bytes + whole, '\n', size - (size_t)whole) || (queue.count > 0) != (whole > 0))
            abort();
        for (int64_t i = 0; i < queue.count; i++) {
            check_trial(queue.entries[i].trial);
            if (i > 0 && queue.entries[i].trial->index < queue.entries[i - 1].trial->index)
                abort();
        }
    }
    volt_trial_queue_free(&queue);
    return 0;
}
