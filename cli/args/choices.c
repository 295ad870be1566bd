/* cli/args/choices.c: option values for the enums of the library. */
#include "args/choices.h"

#include "text/text.h"
#include "volterra.h"

#include <stdbool.h>
#include <string.h>

const choice start_choices[] = {
    {"continue", VOLT_START_CONTINUE, NULL},
    {"reset", VOLT_START_RESET, NULL},
    {NULL, 0, NULL},
};

const choice beyond_choices[] = {
    {"clip", VOLT_BEYOND_CLIP, NULL},
    {"error", VOLT_BEYOND_ERROR, NULL},
    {"allow", VOLT_BEYOND_ALLOW, NULL},
    {NULL, 0, NULL},
};

const choice missing_choices[] = {
    {"error", VOLT_MISSING_ERROR, NULL},
    {"drop", VOLT_MISSING_DROP, NULL},
    {"interpolate", VOLT_MISSING_INTERPOLATE, NULL},
    {NULL, 0, NULL},
};

const choice target_choices[] = {
    {"level", VOLT_TARGET_LEVEL, NULL},
    {"change", VOLT_TARGET_CHANGE, NULL},
    {"auto", VOLT_TARGET_AUTO, NULL},
    {NULL, 0, NULL},
};

const choice input_choices[] = {
    {"level", VOLT_INPUT_LEVEL, NULL},
    {"change", VOLT_INPUT_CHANGE, NULL},
    {"both", VOLT_INPUT_BOTH, NULL},
    {"auto", VOLT_INPUT_AUTO, NULL},
    {NULL, 0, NULL},
};

const choice object_scale_choices[] = {
    {"channels", VOLT_OBJECT_SCALE_CHANNELS, "channels over all training series"},
    {"series", VOLT_OBJECT_SCALE_SERIES, "channels in each series"},
    {"none", VOLT_OBJECT_SCALE_NONE, "nothing"},
    {"auto", VOLT_SERIES_CHOOSE, NULL},
    {NULL, 0, NULL},
};

const choice object_input_choices[] = {
    {"level", VOLT_OBJECT_INPUT_LEVEL, "values"},
    {"change", VOLT_OBJECT_INPUT_CHANGE, "changes"},
    {"both", VOLT_OBJECT_INPUT_BOTH, "values and changes"},
    {"auto", VOLT_SERIES_CHOOSE, NULL},
    {NULL, 0, NULL},
};

const choice object_compare_choices[] = {
    {"series", VOLT_OBJECT_COMPARE_SERIES, "whole series"},
    {"steps", VOLT_OBJECT_COMPARE_STEPS, "all steps with each other"},
    {"auto", VOLT_SERIES_CHOOSE, NULL},
    {NULL, 0, NULL},
};

const choice landmark_choices[] = {
    {"spread", VOLT_LANDMARKS_SPREAD, NULL},
    {"last", VOLT_LANDMARKS_LAST, NULL},
    {"random", VOLT_LANDMARKS_RANDOM, NULL},
    {NULL, 0, NULL},
};

const choice score_choices[] = {
    {"r2", VOLT_SCORE_R2, "R2"},
    {"nmse", VOLT_SCORE_NMSE, "NMSE"},
    {"mse", VOLT_SCORE_MSE, "MSE"},
    {"prequential", VOLT_SCORE_PREQUENTIAL, "prequential R2"},
    {"log", VOLT_SCORE_LOG, "log likelihood"},
    {"evidence", VOLT_SCORE_LOG, "log likelihood"}, /* synonym */
    {"loo", VOLT_SCORE_LOO, "leave-one-out NMSE"},
    {"gcv", VOLT_SCORE_GCV, "GCV over variance"},
    {NULL, 0, NULL},
};

const choice folds_by_choices[] = {
    {"rows", 0, NULL},
    {"records", 1, NULL},
    {NULL, 0, NULL},
};

const choice race_choices[] = {
    {"exact", VOLT_RACE_EXACT, NULL},
    {"fast", VOLT_RACE_FAST, NULL},
    {"none", VOLT_RACE_NONE, NULL},
    {NULL, 0, NULL},
};

const choice strategy_choices[] = {
    {"random", VOLT_STRATEGY_RANDOM, NULL},
    {"adaptive", VOLT_STRATEGY_ADAPTIVE, NULL},
    {"cma", VOLT_STRATEGY_CMA, NULL},
    {NULL, 0, NULL},
};

const choice validate_choices[] = {
    {"simulate", VOLT_VALIDATE_SIMULATE, NULL},
    {"one-step", VOLT_VALIDATE_ONE_STEP, NULL},
    {NULL, 0, NULL},
};

const choice protocol_choices[] = {
    {"history", VOLT_PROTOCOL_HISTORY, NULL},
    {"published", VOLT_PROTOCOL_PUBLISHED, NULL},
    {NULL, 0, NULL},
};

const choice mcs_method_choices[] = {
    {"R", VOLT_MCS_R, NULL},
    {"max", VOLT_MCS_MAX, NULL},
    {NULL, 0, NULL},
};

const choice ode_method_choices[] = {
    {"rk4", VOLT_ODE_RK4, NULL},
    {"accurate", VOLT_ODE_ACCURATE, NULL},
    {NULL, 0, NULL},
};

const choice law_choices[] = {
    {"log", VOLT_SEARCH_LOG, "log:LOW..HIGH"},
    {"uniform", VOLT_SEARCH_LINEAR, "uniform:LOW..HIGH"},
    {"int", VOLT_SEARCH_INTEGER, "int:LOW..HIGH"},
    {"logint", VOLT_SEARCH_LOG_INTEGER, "logint:LOW..HIGH"},
    {NULL, 0, NULL},
};

const choice *choice_of_word(const choice *choices, const char *word)
{
    for (; choices->word; choices++)
        if (strcmp(choices->word, word) == 0)
            return choices;
    return NULL;
}

static const choice *choice_of_value(const choice *choices, int value)
{
    for (; choices->word; choices++)
        if (choices->value == value)
            return choices;
    return NULL;
}

const char *choice_word(const choice *choices, int value)
{
    const choice *found = choice_of_value(choices, value);
    return found ? found->word : "";
}

const char *choice_label(const choice *choices, int value)
{
    const choice *found = choice_of_value(choices, value);
    return found && found->label ? found->label : "";
}

name_list choice_names(const choice *choices)
{
    name_list names = {0};
    for (; choices->word; choices++)
        names_add(&names, choices->word);
    return names;
}

char *choices_text(const choice *choices, char text[CHOICES_LENGTH])
{
    name_list names = choice_names(choices);
    return names_join(&names, "|", "|", text, CHOICES_LENGTH);
}

/* ---- lists of names ---------------------------------------------------------------------------- */

void names_add(name_list *list, const char *name)
{
    if (list->count < MAX_NAMES)
        list->names[list->count++] = name;
}

static name_list list_solvers(bool searches)
{
    name_list list = {0};
    names_add(&list, "auto");
    for (int64_t i = 0; volt_solver_at(i); i++)
        if (volt_solver_at(i)->searches || !searches)
            names_add(&list, volt_solver_at(i)->name);
    return list;
}

name_list solver_names(void)
{
    return list_solvers(false);
}

name_list search_solver_names(void)
{
    return list_solvers(true);
}

int names_find(const name_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return i;
    return -1;
}

const char *names_nearest(const name_list *list, const char *word)
{
    return volt_nearest_name(word, list->names, list->count);
}

/* Appends at most `length` characters, limited by the capacity. Returns the new length of the text. */
static size_t append(char *text, size_t used, size_t capacity, const char *more, size_t length)
{
    if (length > capacity - 1 - used)
        length = capacity - 1 - used;
    memcpy(text + used, more, length);
    text[used + length] = '\0';
    return used + length;
}

char *names_join(const name_list *list, const char *between, const char *last, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < list->count; i++) {
        const char *before = i == 0 ? "" : i + 1 < list->count ? between : last;
        used = append(text, used, capacity, before, strlen(before));
        used = append(text, used, capacity, list->names[i], strlen(list->names[i]));
    }
    return text;
}

char *names_expand(const char *sentence, const name_list *list, char *text, size_t capacity)
{
    static const struct {
        const char *mark, *last;
    } forms[] = {{"{names}", ", "}, {"{names or}", " or "}};
    size_t used = 0;
    text[0] = '\0';
    while (*sentence) {
        size_t plain = 1;
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
            if (strncmp(sentence, forms[i].mark, strlen(forms[i].mark)) == 0) {
                names_join(list, ", ", forms[i].last, text + used, capacity - used);
                used += strlen(text + used);
                sentence += strlen(forms[i].mark);
                plain = 0;
            }
        used = append(text, used, capacity, sentence, plain);
        sentence += plain;
    }
    return text;
}
