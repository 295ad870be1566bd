/* tests/fuzz/fuzz_loss_text.c: libFuzzer target for the text of a loss.
 *
 * A parsed loss round-trips bitwise through its text. Its constant prediction and score are finite or
 * rejected. */
#include "fuzz/fuzz_input.h"
#include "solve/loss/loss.h"

#include "volterra.h"

#include <math.h>
#include <string.h>

enum { MAX_BYTES = 1 << 11, ROWS = 6, MAX_OUTPUTS = 256 };

static void check_values(const volt_loss_info *info, const volt_loss_info *again)
{
    FUZZ_CHECK(info->n_values >= 0 && info->n_values == again->n_values);
    for (int64_t i = 0; i < info->n_values; i++)
        FUZZ_CHECK(isfinite(info->values[i]) && info->values[i] == again->values[i]);
}

/* Targets that are valid as numbers, counts, classes and binary labels. */
static void use(const volt_loss *loss, const volt_loss_info *info)
{
    static const double y[ROWS] = {0, 1, 1, 0, 1, 0};
    int64_t outputs = info->classes ? 2 : info->several ? info->n_values : 1;
    double constant[MAX_OUTPUTS], forecasts[ROWS * MAX_OUTPUTS], score = NAN;
    if (outputs > MAX_OUTPUTS)
        return;
    FUZZ_CHECK(volt_loss_constant(loss, volt_view_of(y, ROWS, 1), NULL, outputs, constant) == VOLT_OK);
    for (int64_t i = 0; i < ROWS * outputs; i++)
        forecasts[i] = constant[i % outputs];
    FUZZ_CHECK(volt_loss_score(loss, volt_view_of(y, ROWS, 1), volt_view_of(forecasts, ROWS, outputs), NULL,
                               &score) == VOLT_OK);
    FUZZ_CHECK(isfinite(score) && score >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char text[MAX_BYTES + 1];
    volt_loss *loss = NULL, *again = NULL;
    if (size > MAX_BYTES || memchr(bytes, 0, size))
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    if (volt_loss_parse(text, &loss)) {
        FUZZ_CHECK(!loss && *volt_error_detail());
        return 0;
    }
    volt_loss_info info = {.struct_size = sizeof info}, info_again = {.struct_size = sizeof info_again};
    volt_loss_get_info(loss, &info);
    FUZZ_CHECK(volt_loss_parse(info.text, &again) == VOLT_OK);
    volt_loss_get_info(again, &info_again);
    FUZZ_CHECK(strcmp(info.text, info_again.text) == 0 && info.name == info_again.name);
    check_values(&info, &info_again);
    use(loss, &info);
    volt_loss_free(again);
    volt_loss_free(loss);
    return 0;
}
