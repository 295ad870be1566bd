/* tests/fuzz/fuzz_kernel_text.c: libFuzzer target for the kernel parser and the parsed kernels.
 *
 * A parsed kernel must round-trip through its text. On a small input it is rejected or gives only finite
 * values. */
#include "fuzz/fuzz_input.h"
#include "kernel/kernel_entry.h"

#include "base/progress.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, COLS = 2, MAX_TEXT = 4096 };

/* A zero row, rows alike, and norms from 0 to 5. */
static const double inputs[ROWS * COLS] = {0, 0, 0.5, -1, 0.5, -1, 3, 4, -0.125, 1e-3, 2, 0};
static const double untouched = -12345.678;

static void check_facts(const volt_kernel *kernel)
{
    volt_kernel_facts facts = {.struct_size = sizeof(volt_kernel_facts), .radius = untouched};
    if (volt_kernel_query(kernel, 5, COLS, 1e-12, &facts)) {
        FUZZ_CHECK(facts.radius == untouched);
        return;
    }
    FUZZ_CHECK(facts.radius == 5 && !isnan(facts.tau) && !isnan(facts.lambda) && !isnan(facts.lambda_bound));
    FUZZ_CHECK(!isnan(facts.sup_kappa) && !isnan(facts.contraction) && !isnan(facts.largest));
    FUZZ_CHECK(!isnan(facts.horizon));
}

/* Kernels with very long windows are valid but slow, so calls are cancelled after this time. A call that
 * ignores the cancellation hits the time limit of the fuzzer. */
static int give_up(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return volt_seconds() - *(double *)context > 0.25;
}

static volt_status small_gram(const volt_kernel *kernel, double *K)
{
    double begun = volt_seconds();
    volt_gram_options options = volt_gram_options_default();
    options.progress = (volt_progress){.report = give_up, .context = &begun};
    return volt_gram(kernel, volt_view_of(inputs, ROWS, COLS), volt_view_of(NULL, 0, 0), &options,
                     volt_matrix_of(K, ROWS, ROWS));
}

static void check_gram(const volt_kernel *kernel)
{
    double K[ROWS * ROWS], again[ROWS * ROWS];
    if (small_gram(kernel, K)) {
        FUZZ_CHECK(*volt_error_detail());
        return;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            FUZZ_CHECK(isfinite(K[i * ROWS + j]) && K[i * ROWS + j] == K[j * ROWS + i]);
    volt_status status = small_gram(kernel, again);
    FUZZ_CHECK(status == VOLT_OK || status == VOLT_ERR_CANCELLED);
    FUZZ_CHECK(status != VOLT_OK || memcmp(K, again, sizeof K) == 0);
}

/* The spectral radius of a reservoir takes size^3 operations, which are slow with sanitizers. */
static int has_large_reservoir(const char *text)
{
    enum { LARGE = 200 };
    for (const char *at = strstr(text, "size="); at; at = strstr(at + 1, "size="))
        if (strtod(at + strlen("size="), NULL) > LARGE)
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int is_ready;
    if (!is_ready)
        is_ready = volt_set_threads(1) == VOLT_OK; /* the fuzzer runs several processes, not several threads */
    char text[MAX_TEXT + 1];
    if (size > MAX_TEXT || memchr(bytes, 0, size))
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';

    volt_kernel *kernel = NULL, *again = NULL;
    if (volt_kernel_parse(text, &kernel)) {
        FUZZ_CHECK(!kernel && *volt_error_detail());
        return 0;
    }
    const char *printed = volt_kernel_text(kernel);
    FUZZ_CHECK(strlen(printed) < VOLT_KERNEL_LENGTH);
    FUZZ_CHECK(volt_kernel_parse(printed, &again) == VOLT_OK);
    FUZZ_CHECK(strcmp(volt_kernel_text(again), printed) == 0);
    if (!has_large_reservoir(printed)) {
        check_facts(kernel);
        check_gram(kernel);
    }
    volt_kernel_free(again);
    volt_kernel_free(kernel);
    return 0;
}
