/* tests/fuzz/fuzz_learner_journal.c: libFuzzer target for the journal of a learner, with valid checksums and
 * model digest.
 *
 * Both are corrected, except in lines that a mutation has destroyed. A journal that opens contains only
 * complete lines and reopens with the same number of steps. The learner is usable. */
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_own_file.h"
/* behind them: */
#include "fuzz/fuzz_learner.h"
#include "predict/live/live_internal.h"
#include "support/live_options.h"

#include <stdlib.h>
#include <zlib.h>

enum { MAX_BYTES = 1 << 12, CRC_DIGITS = 8 };
static const char head[] = "volterra-journal 1 ";

static void mend_line(char *line, size_t length, const char *digits)
{
    size_t head_length = sizeof head - 1;
    char crc[CRC_DIGITS + 1];
    if (length > head_length + LEARNER_DIGITS && memcmp(line, head, head_length) == 0)
        memcpy(line + head_length, digits, LEARNER_DIGITS);
    if (length < CRC_DIGITS + 2 || line[length - CRC_DIGITS - 1] != ' ')
        return;
    size_t body = length - CRC_DIGITS - 1;
    snprintf(crc, sizeof crc, "%08lx", crc32(crc32(0, NULL, 0), (const unsigned char *)line, (unsigned)body));
    memcpy(line + body + 1, crc, CRC_DIGITS);
}

static void mend(char *bytes, size_t size, const char *digits)
{
    for (size_t first = 0; first < size;) {
        char *end = memchr(bytes + first, '\n', size - first);
        size_t length = end ? (size_t)(end - bytes) - first : size - first;
        mend_line(bytes + first, length, digits);
        first += length + 1;
    }
}

static volt_live *new_learner(const volt_model *model)
{
    volt_live *learner = NULL;
    volt_live_options options = *with_learning();
    options.window = 5;
    FUZZ_CHECK(volt_live_create(model, &options, &learner) == VOLT_OK);
    return learner;
}

static void learn_digest(const volt_model *model, char digits[LEARNER_DIGITS])
{
    size_t size = 0;
    volt_live *learner = new_learner(model);
    FUZZ_CHECK(volt_journal_open(learner, fuzz_own_path(), NULL) == VOLT_OK);
    volt_live_free(learner);
    uint8_t *bytes = fuzz_read(fuzz_own_path(), &size);
    FUZZ_CHECK(size > sizeof head - 1 + LEARNER_DIGITS);
    memcpy(digits, bytes + sizeof head - 1, LEARNER_DIGITS);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static volt_model *model;
    static char digits[LEARNER_DIGITS];
    if (!model) {
        FUZZ_CHECK(volt_set_threads(1) == VOLT_OK);
        model = learner_model(0);
        learn_digest(model, digits);
    }
    if (size > MAX_BYTES)
        return 0;
    char *own = malloc(size + 1);
    FUZZ_CHECK(own);
    memcpy(own, bytes, size);
    mend(own, size, digits);
    fuzz_write(fuzz_own_path(), own, size);
    free(own);

    int64_t steps = -1, again = -1;
    volt_live *learner = new_learner(model);
    volt_status status = volt_journal_open(learner, fuzz_own_path(), &steps);
    volt_live_free(learner);
    if (status != VOLT_OK) {
        FUZZ_CHECK(steps == -1 && *volt_error_detail());
        return 0;
    }
    double y[LEARNER_ROWS];
    learner = new_learner(model);
    FUZZ_CHECK(volt_journal_open(learner, fuzz_own_path(), &again) == VOLT_OK && again == steps);
    learner_use(learner, y);
    volt_live_free(learner);
    return 0;
}
