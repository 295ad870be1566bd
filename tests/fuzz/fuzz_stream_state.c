/* tests/fuzz/fuzz_stream_state.c: libFuzzer target for the state of a stream, with valid checksum and model
 * digest.
 *
 * Both are corrected, so that mutations of the metadata, shapes and tensors reach the reader. With a loaded
 * state a prediction is rejected, or finite and unchanged after the state is saved and loaded again. */
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_own_file.h"
#include "fuzz/fuzz_state.h"
#include "predict/live/live_internal.h"
#include "support/live_options.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 13, TRAINED = 12, SEASON = 3, ROWS = 5 };
static const double untouched = -12345.678;

/* A model of changes, which looks back over the rows of a season. */
static volt_model *make_model(void)
{
    double x[TRAINED + 1];
    const int64_t anchor = 0;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.5;
    options.ahead = 1;
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_BOTH;
    options.season = SEASON;
    options.anchors = &anchor;
    for (int t = 0; t <= TRAINED; t++)
        x[t] = (double)(7 * t % 5) / 4;
    FUZZ_CHECK(volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.9", &kernel) == VOLT_OK);
    FUZZ_CHECK(volt_model_fit(kernel, volt_view_of(x, TRAINED, 1), volt_view_of(x + 1, TRAINED, 1), &options,
                              (volt_matrix){0}, &model) == VOLT_OK);
    volt_kernel_free(kernel);
    return model;
}

static void learn_digest(const volt_model *model, uint8_t digits[STATE_DIGITS])
{
    volt_live *stream = NULL;
    size_t size = 0;
    FUZZ_CHECK(volt_live_create(model, NULL, &stream) == VOLT_OK);
    FUZZ_CHECK(volt_live_save(stream, fuzz_own_path()) == VOLT_OK);
    uint8_t *bytes = fuzz_read(fuzz_own_path(), &size);
    state_learn_digest(bytes, size, digits);
    volt_live_free(stream);
}

static void push_rows(volt_live *stream, double y[ROWS])
{
    for (int i = 0; i < ROWS; i++) {
        double x = 0.75 - 0.5 * (double)(i % 3);
        y[i] = untouched;
        volt_status status = volt_live_feed(stream, &x, &y[i]);
        FUZZ_CHECK(status ? y[i] == untouched : isfinite(y[i]));
    }
}

static void use(const volt_model *model, volt_live *stream)
{
    double first[ROWS], second[ROWS], last = untouched;
    volt_live *again = NULL;
    FUZZ_CHECK(live_last(stream, 1, &last) ? isfinite(last) : last == untouched);
    FUZZ_CHECK(volt_live_save(stream, fuzz_own_path()) == VOLT_OK);
    FUZZ_CHECK(volt_live_load(model, NULL, fuzz_own_path(), &again) == VOLT_OK);
    push_rows(stream, first);
    push_rows(again, second);
    FUZZ_CHECK(memcmp(first, second, sizeof first) == 0);
    FUZZ_CHECK(live_beyond(stream) == live_beyond(again));
    volt_live_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static volt_model *model;
    static uint8_t digits[STATE_DIGITS];
    if (!model) {
        FUZZ_CHECK(volt_set_threads(1) == VOLT_OK);
        model = make_model();
        learn_digest(model, digits);
    }
    if (size < SAFETENSORS_LENGTH_BYTES || size > MAX_BYTES)
        return 0;
    size_t mended_size;
    uint8_t *mended = state_mend(bytes, size, digits, &mended_size);
    volt_live *stream = NULL;
    if (volt_live_load(model, NULL, fuzz_input_path(mended, mended_size), &stream) == VOLT_OK)
        use(model, stream);
    else
        FUZZ_CHECK(!stream && *volt_error_detail());
    volt_live_free(stream);
    free(mended);
    return 0;
}
