/* tests/fuzz/fuzz_learner_state.c: libFuzzer target for the state of a learner, with valid checksum and
 * model digest.
 *
 * Both are corrected, so that mutations of the metadata, shapes and tensors reach the reader. A state that
 * loads must be usable, and saved and loaded again it must be the same. */
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_own_file.h"
#include "fuzz/fuzz_state.h"
/* behind them: */
#include "fuzz/fuzz_learner.h"
#include "support/live_options.h"

#include <stdlib.h>

enum { MAX_BYTES = 1 << 14 };

static void learn_digest(const volt_model *model, uint8_t digits[STATE_DIGITS])
{
    volt_live *learner = NULL;
    size_t size = 0;
    FUZZ_CHECK(volt_live_create(model, with_learning(), &learner) == VOLT_OK);
    FUZZ_CHECK(volt_live_save(learner, fuzz_own_path()) == VOLT_OK);
    uint8_t *bytes = fuzz_read(fuzz_own_path(), &size);
    state_learn_digest(bytes, size, digits);
    volt_live_free(learner);
}

static void use(const volt_model *model, volt_live *learner)
{
    double first[LEARNER_ROWS], second[LEARNER_ROWS];
    volt_live *again = NULL;
    volt_model *grown = NULL;
    if (volt_live_model(learner, 0, (volt_progress){0}, &grown) != VOLT_OK)
        FUZZ_CHECK(!grown && *volt_error_detail());
    volt_model_free(grown);
    FUZZ_CHECK(volt_live_save(learner, fuzz_own_path()) == VOLT_OK);
    FUZZ_CHECK(volt_live_load(model, NULL, fuzz_own_path(), &again) == VOLT_OK);
    learner_use(learner, first);
    learner_use(again, second);
    FUZZ_CHECK(memcmp(first, second, sizeof first) == 0);
    volt_live_free(again);
}

static void try_model(const volt_model *model, const uint8_t digits[STATE_DIGITS], const uint8_t *bytes,
                      size_t size)
{
    size_t mended_size;
    uint8_t *mended = state_mend(bytes, size, digits, &mended_size);
    volt_live *learner = NULL;
    if (volt_live_load(model, NULL, fuzz_input_path(mended, mended_size), &learner) == VOLT_OK)
        use(model, learner);
    else
        FUZZ_CHECK(!learner && *volt_error_detail());
    volt_live_free(learner);
    free(mended);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static volt_model *models[LEARNER_KERNELS];
    static uint8_t digits[LEARNER_KERNELS][STATE_DIGITS];
    for (int i = 0; i < LEARNER_KERNELS && !models[i]; i++) {
        FUZZ_CHECK(volt_set_threads(1) == VOLT_OK);
        models[i] = learner_model(i);
        learn_digest(models[i], digits[i]);
    }
    if (size < SAFETENSORS_LENGTH_BYTES || size > MAX_BYTES)
        return 0;
    for (int i = 0; i < LEARNER_KERNELS; i++)
        try_model(models[i], digits[i], bytes, size);
    return 0;
}
