/* tests/fuzz/fuzz_pcg_checkpoint.c: libFuzzer target for the checkpoint of a conjugate-gradient fit.
 *
 * Its checksum and fit digest are corrected, so that mutations of the iteration state reach the solver. The
 * fit resumes from it or rejects it. A resulting model has finite coefficients, and its checkpoint can be
 * resumed. */
#define STATE_KEY "fit"
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_own_file.h"
#include "fuzz/fuzz_state.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 13, ROWS = 12, OUTPUTS = 2, LANDMARKS = 3, STEPS = 40 };

static volt_status fit(int64_t steps, volt_model **model)
{
    double x[ROWS], y[ROWS * OUTPUTS];
    volt_kernel *kernel = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.05;
    options.solver = "pcg";
    options.landmarks = LANDMARKS;
    options.iterations = steps;
    options.checkpoint = fuzz_own_path();
    for (int t = 0; t < ROWS; t++) {
        x[t] = (double)(7 * t % 5) / 4;
        y[OUTPUTS * t] = (double)(3 * t % 4);
        y[OUTPUTS * t + 1] = (double)(5 * t % 7) - 3;
    }
    FUZZ_CHECK(volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.5", &kernel) == VOLT_OK);
    volt_status status = volt_model_fit(kernel, volt_view_of(x, ROWS, 1), volt_view_of(y, ROWS, OUTPUTS),
                                        &options, (volt_matrix){0}, model);
    volt_kernel_free(kernel);
    return status;
}

/* The digest of this fit, from a checkpoint that it left. */
static void learn_digest(uint8_t digits[STATE_DIGITS])
{
    volt_model *model = NULL;
    size_t size = 0;
    unlink(fuzz_own_path());
    FUZZ_CHECK(fit(2, &model) == VOLT_OK);
    uint8_t *bytes = fuzz_read(fuzz_own_path(), &size);
    state_learn_digest(bytes, size, digits);
    volt_model_free(model);
}

static void check_model(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    for (int64_t i = 0; i < ROWS * OUTPUTS; i++)
        FUZZ_CHECK(isfinite(info.coefficients[i]));
    for (int64_t k = 0; k < OUTPUTS; k++)
        FUZZ_CHECK(isfinite(info.intercepts[k]));
    FUZZ_CHECK(info.report && isfinite(info.report->residual) && info.report->residual >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t digits[STATE_DIGITS];
    if (!*digits) {
        FUZZ_CHECK(volt_set_threads(1) == VOLT_OK);
        learn_digest(digits);
    }
    if (size < SAFETENSORS_LENGTH_BYTES || size > MAX_BYTES)
        return 0;
    size_t mended_size;
    uint8_t *mended = state_mend(bytes, size, digits, &mended_size);
    volt_model *model = NULL, *again = NULL;
    fuzz_write(fuzz_own_path(), mended, mended_size);
    if (fit(STEPS, &model) == VOLT_OK) {
        check_model(model);
        if (fit(STEPS, &again) == VOLT_OK)
            check_model(again);
        else
            FUZZ_CHECK(!again && *volt_error_detail());
    } else {
        FUZZ_CHECK(!model && *volt_error_detail());
    }
    volt_model_free(again);
    volt_model_free(model);
    free(mended);
    return 0;
}
