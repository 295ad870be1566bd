/* cli/search/search_space.c: parser for the parameter ranges of a search. */
#include "search/search_space.h"

#include "terminal/messages.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

name_list range_forms(void)
{
    name_list forms = {0};
    for (const choice *law = law_choices; law->word; law++)
        names_add(&forms, law->label);
    return forms;
}

/* Parses "LAW:LOW..HIGH" in place. `written` is the whole option, for error messages. */
static int read_interval(char *spec, char *dots, const char *written, volt_range *range)
{
    char *colon = strchr(spec, ':');
    if (!colon || colon > dots)
        return complain(EXIT_USAGE, "--range %s: the distribution is missing (log:%s or uniform:%s)", written,
                        spec, spec);
    *colon = *dots = '\0';
    const char *low = colon + 1, *high = dots + 2;

    const choice *law = choice_of_word(law_choices, spec);
    if (!law) {
        char all[CHOICES_LENGTH];
        name_list names = choice_names(law_choices);
        const char *nearest = names_nearest(&names, spec);
        return complain(EXIT_USAGE, "--range %s: '%s' is not one of %s%s%s%s", written, spec,
                        names_join(&names, ", ", ", ", all, sizeof all), nearest ? "; did you mean " : "",
                        nearest ? nearest : "", nearest ? "?" : "");
    }
    range->kind = (volt_search_law)law->value;
    if (!volt_parse_number(low, &range->low) || !isfinite(range->low))
        return complain(EXIT_USAGE, "--range %s: '%s' is not a finite number", written, low);
    if (!volt_parse_number(high, &range->high) || !isfinite(range->high))
        return complain(EXIT_USAGE, "--range %s: '%s' is not a finite number", written, high);
    if (!(range->low <= range->high))
        return complain(EXIT_USAGE, "--range %s: the lower bound %s is above the upper bound %s", written, low,
                        high);
    return 0;
}

/* Parses "A|B|C" in place. */
static int read_choices(char *spec, const char *written, volt_range *range, const char ***choices)
{
    int64_t count = 1;
    for (const char *at = spec; *at; at++)
        count += *at == '|';
    const char **words = calloc((size_t)count, sizeof *words);
    *choices = words;
    if (!words)
        return complain(EXIT_FAILED, "not enough memory for the choices of --range %s", written);
    for (int64_t i = 0; i < count; i++) {
        size_t length = strcspn(spec, "|");
        spec[length] = '\0';
        if (length == 0)
            return complain(EXIT_USAGE, "--range %s has an empty choice", written);
        words[i] = spec;
        spec += length + 1;
    }
    range->choices = words;
    range->n_choices = count;
    return 0;
}

/* Adds a range to the space; `text` is NAME=SPEC. */
static int add_range(search_space *space, const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    space->texts[space->count] = copy;
    if (!copy)
        return complain(EXIT_FAILED, "not enough memory for --range %s", text);
    strcpy(copy, text);

    volt_range *range = &space->ranges[space->count];
    const char ***choices = &space->choices[space->count];
    space->count++;
    char *equals = strchr(copy, '=');
    if (!equals || equals == copy || !equals[1])
        return complain(EXIT_USAGE, "--range must be NAME=SPEC such as alpha=log:1e-8..1 (got '%s')", text);
    *equals = '\0';
    range->name = copy;
    for (int64_t i = 0; i + 1 < space->count; i++)
        if (strcmp(space->ranges[i].name, range->name) == 0)
            return complain(EXIT_USAGE, "--range gives %s twice%s", range->name,
                            strcmp(range->name, "alpha") == 0      ? " (--alpha is one)"
                            : strcmp(range->name, "feedback") == 0 ? " (--feedback-weight is one)"
                                                                   : "");
    char *spec = equals + 1, *dots = strstr(spec, "..");
    return dots ? read_interval(spec, dots, text, range) : read_choices(spec, text, range, choices);
}

/* Adds the range of a separate option; `spec` NULL: none. */
static int add_named(search_space *space, const char *name, const char *spec)
{
    if (!spec)
        return 0;
    char *text = malloc(strlen(name) + 1 + strlen(spec) + 1);
    if (!text)
        return complain(EXIT_FAILED, "not enough memory for the range of %s", name);
    strcpy(text, name);
    strcat(text, "=");
    strcat(text, spec);
    int failed = add_range(space, text);
    free(text);
    return failed;
}

int search_space_read(search_space *space, const text_list *specs, const char *alpha, const char *feedback)
{
    size_t most = (size_t)specs->count + 2;
    space->ranges = calloc(most, sizeof *space->ranges);
    space->texts = calloc(most, sizeof *space->texts);
    space->choices = calloc(most, sizeof *space->choices);
    if (!space->ranges || !space->texts || !space->choices)
        return complain(EXIT_FAILED, "not enough memory for the ranges");
    int failed = 0;
    for (int64_t i = 0; i < specs->count && !failed; i++)
        failed = add_range(space, specs->texts[i]);
    if (!failed)
        failed = add_named(space, "alpha", alpha);
    return failed ? failed : add_named(space, "feedback", feedback);
}

void search_space_release(search_space *space)
{
    for (int64_t i = 0; i < space->count; i++) {
        free(space->texts[i]);
        free(space->choices[i]);
    }
    free(space->ranges);
    free(space->texts);
    free(space->choices);
    memset(space, 0, sizeof *space);
}
