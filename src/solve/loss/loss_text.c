/* src/solve/loss/loss_text.c: parsing and printing of a loss, NAME or NAME:PARAMETER=VALUE[/VALUE...]. */
#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "solve/loss/loss.h"
#include "text/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 2048, MAX_LOSSES = 32 };

/* Removes surrounding blanks; returns the start of the text. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    return text;
}

static volt_status find_kind(const char *name, const volt_loss_kind **kind)
{
    const char *names[MAX_LOSSES];
    int64_t count = 0;
    for (; volt_loss_table[count]; count++) {
        names[count] = volt_loss_table[count]->info.name;
        if (strcmp(names[count], name) == 0) {
            *kind = volt_loss_table[count];
            return VOLT_OK;
        }
    }
    const char *nearest = volt_nearest_name(name, names, count);
    volt_text_buffer all = {0};
    for (int64_t i = 0; i < count; i++) {
        volt_text_put(&all, i ? ", " : "");
        volt_text_put(&all, names[i]);
    }
    volt_status status =
        all.failed ? VOLT_ERR_MEMORY
        : nearest  ? volt_fail(VOLT_ERR_ARGUMENT, "unknown loss \"%s\"; did you mean \"%s\"?", name, nearest)
                   : volt_fail(VOLT_ERR_ARGUMENT, "unknown loss \"%s\"; known losses: %s", name, all.bytes);
    volt_free(all.bytes);
    return status;
}

static volt_status read_value(const volt_loss_kind *kind, const char *text, volt_loss *loss)
{
    const char *name = kind->info.name, *parameter = kind->info.parameter;
    double value;
    VOLT_REQUIRE(volt_parse_number(text, &value), VOLT_ERR_ARGUMENT, "loss %s: %s=%s is not a number", name,
                 parameter, text);
    if (isinf(kind->high))
        VOLT_REQUIRE(value > kind->low && isfinite(value), VOLT_ERR_ARGUMENT,
                     "loss %s: %s must be finite and greater than %g (got %s)", name, parameter, kind->low,
                     text);
    VOLT_REQUIRE(value > kind->low && value < kind->high, VOLT_ERR_ARGUMENT,
                 "loss %s: %s must be between %g and %g (got %s)", name, parameter, kind->low, kind->high,
                 text);
    VOLT_REQUIRE(loss->count < VOLT_MAX_LEVELS, VOLT_ERR_ARGUMENT,
                 "loss %s: more than %d values of %s are given", name, VOLT_MAX_LEVELS, parameter);
    VOLT_REQUIRE(loss->count == 0 || value > loss->values[loss->count - 1], VOLT_ERR_ARGUMENT,
                 "loss %s: the values of %s must increase (got %s after %g)", name, parameter, text,
                 loss->values[loss->count - 1]);
    loss->values[loss->count++] = value;
    return VOLT_OK;
}

static volt_status read_parameter(const volt_loss_kind *kind, char *text, volt_loss *loss)
{
    const char *name = kind->info.name, *parameter = kind->info.parameter;
    char *value = strchr(text, '=');
    VOLT_REQUIRE(parameter, VOLT_ERR_ARGUMENT, "loss %s has no parameter (got \"%s\")", name, text);
    VOLT_REQUIRE(value, VOLT_ERR_ARGUMENT, "loss %s: \"%s\" is not %s=VALUE", name, text, parameter);
    *value++ = 0;
    char *given = trim(text);
    VOLT_REQUIRE(strcmp(given, parameter) == 0, VOLT_ERR_ARGUMENT, "loss %s has no parameter \"%s\"; it has %s",
                 name, given, parameter);
    for (char *next; value; value = next) {
        next = strchr(value, '/');
        if (next)
            *next++ = 0;
        VOLT_REQUIRE(kind->info.several || !next, VOLT_ERR_ARGUMENT, "loss %s takes one value of %s", name,
                     parameter);
        VOLT_TRY(read_value(kind, trim(value), loss));
    }
    return VOLT_OK;
}

static volt_status read_loss(char *text, volt_loss *loss)
{
    char *parameter = strchr(text, ':');
    if (parameter)
        *parameter++ = 0;
    VOLT_TRY(find_kind(trim(text), &loss->kind));
    const volt_loss_info *info = &loss->kind->info;
    VOLT_REQUIRE(parameter || !info->parameter, VOLT_ERR_ARGUMENT,
                 "loss %s requires its parameter: %s:%s=VALUE", info->name, info->name, info->parameter);
    return parameter ? read_parameter(loss->kind, trim(parameter), loss) : VOLT_OK;
}

static volt_status print_loss(volt_loss *loss)
{
    const volt_loss_info *info = &loss->kind->info;
    volt_text_buffer text = {0};
    char number[VOLT_NUMBER_LENGTH];
    volt_text_put(&text, info->name);
    for (int64_t i = 0; i < loss->count; i++) {
        volt_text_put(&text, i ? "/" : ":");
        if (i == 0) {
            volt_text_put(&text, info->parameter);
            volt_text_put(&text, "=");
        }
        volt_text_put(&text, volt_format_number(loss->values[i], number));
    }
    loss->text = text.bytes;
    return text.failed ? VOLT_ERR_MEMORY : VOLT_OK;
}

volt_status volt_loss_parse(const char *text, volt_loss **loss)
{
    VOLT_REQUIRE(text && loss, VOLT_ERR_ARGUMENT, "text or loss is NULL");
    VOLT_REQUIRE(strlen(text) < LONGEST_TEXT, VOLT_ERR_ARGUMENT,
                 "the text of the loss must be shorter than %d characters (got %zu)", LONGEST_TEXT,
                 strlen(text));
    char copy[LONGEST_TEXT];
    snprintf(copy, sizeof copy, "%s", text);
    volt_loss *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    volt_status status = read_loss(copy, fresh);
    if (status == VOLT_OK)
        status = print_loss(fresh);
    if (status == VOLT_OK)
        *loss = fresh;
    else
        volt_loss_free(fresh);
    return status;
}

void volt_loss_free(volt_loss *loss)
{
    if (loss)
        volt_free(loss->text);
    volt_free(loss);
}
