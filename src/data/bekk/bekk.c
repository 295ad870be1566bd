/* src/data/bekk/bekk.c: BEKK parameters: creation, copies, presets. */
#include "data/bekk/bekk.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "text/text.h"
#include "volterra/data.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

volt_status volt_bekk_create(int64_t d, volt_bekk **bekk)
{
    VOLT_REQUIRE(bekk, VOLT_ERR_ARGUMENT, "the output for the BEKK parameters is NULL");
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MAX_ASSETS, VOLT_ERR_ARGUMENT,
                 "the number of assets must be 1 to %d (got %" PRId64 ")", VOLT_BEKK_MAX_ASSETS, d);
    volt_bekk *fresh = volt_alloc_zero(1, sizeof *fresh);
    double *numbers = volt_alloc_zero(d * (d + 2), sizeof *numbers);
    if (!fresh || !numbers) {
        volt_free(numbers);
        volt_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    fresh->struct_size = sizeof *fresh;
    fresh->d = d;
    fresh->C = numbers;
    fresh->a = numbers + d * d;
    fresh->b = fresh->a + d;
    fresh->loglik = NAN;
    fresh->converged = -1;
    *bekk = fresh;
    return VOLT_OK;
}

volt_status volt_bekk_allocate_errors(volt_bekk *bekk)
{
    int64_t d = bekk->d;
    if (bekk->C_error)
        return VOLT_OK;
    double *numbers = volt_alloc_zero(d * (d + 2), sizeof *numbers);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    bekk->C_error = numbers;
    bekk->a_error = numbers + d * d;
    bekk->b_error = bekk->a_error + d;
    return VOLT_OK;
}

void volt_bekk_free(volt_bekk *bekk)
{
    if (!bekk)
        return;
    volt_names_free(bekk->tickers, bekk->d);
    volt_free(bekk->first_date);
    volt_free(bekk->last_date);
    volt_free(bekk->command);
    volt_free(bekk->C_error);
    volt_free(bekk->C);
    volt_free(bekk);
}

volt_status volt_bekk_set_source(volt_bekk *bekk, const char *const *tickers, const char *first_date,
                                 const char *last_date, const char *command)
{
    VOLT_REQUIRE(bekk, VOLT_ERR_ARGUMENT, "the BEKK parameters are NULL");
    const char *const texts[] = {first_date, last_date, command};
    char *copies[3] = {NULL, NULL, NULL}, **names = NULL;
    volt_status status = volt_names_copy(tickers, bekk->d, &names);
    for (int i = 0; i < 3 && status == VOLT_OK; i++)
        if (texts[i]) {
            copies[i] = volt_strdup(texts[i]);
            status = copies[i] ? VOLT_OK : VOLT_ERR_MEMORY;
        }
    if (status != VOLT_OK) {
        for (int i = 0; i < 3; i++)
            volt_free(copies[i]);
        volt_names_free(names, bekk->d);
        return status;
    }
    volt_names_free(bekk->tickers, bekk->d);
    volt_free(bekk->first_date);
    volt_free(bekk->last_date);
    volt_free(bekk->command);
    bekk->tickers = names;
    bekk->first_date = copies[0];
    bekk->last_date = copies[1];
    bekk->command = copies[2];
    return VOLT_OK;
}

/* ---- built-in parameters of the BEKK model ----------------------------------------------------- */

const char *volt_bekk_preset_name(int64_t index)
{
    for (int64_t i = 0; volt_bekk_preset_texts[i].name; i++)
        if (i == index)
            return volt_bekk_preset_texts[i].name;
    return NULL;
}

volt_status volt_bekk_preset(const char *name, volt_bekk **bekk)
{
    enum { MAX_NAMES = 64 };
    const char *names[MAX_NAMES];
    int64_t count = 0;
    VOLT_REQUIRE(name && bekk, VOLT_ERR_ARGUMENT, "the name of the preset or the output for it is NULL");
    for (const volt_bekk_preset_text *preset = volt_bekk_preset_texts; preset->name; preset++) {
        if (strcmp(preset->name, name) == 0)
            return volt_bekk_from_json(preset->text, bekk);
        if (count < MAX_NAMES)
            names[count++] = preset->name;
    }
    const char *nearest = volt_nearest_name(name, names, count);
    if (nearest)
        return volt_fail(VOLT_ERR_ARGUMENT, "unknown preset '%s'; did you mean %s?", name, nearest);
    return volt_fail(VOLT_ERR_ARGUMENT, "unknown preset '%s' (the first is %s)", name, names[0]);
}
