/* cli/args/options.c: parse a command line against a table of options. */
#include "args/options.h"

#include "terminal/messages.h"
#include "text/text.h"
#include "volterra.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROW(...) OPTION(common_arguments, __VA_ARGS__)
static const option common_rows[] = {
    ROW("json", NULL, json, "results as JSON on standard output"),
    ROW("threads", "N", threads, "number of threads", .range = AT_LEAST(1), .python = "",
        .unset = "OMP_NUM_THREADS, or one per core"),
    ROW("device", "D", device, "device for the matrices: auto, cpu, gpu, gpu:K, a list gpu:K,L or gpu:all",
        .unset = "auto, a GPU for work that is large enough"),
    ROW("seed", "S", seed, "seed of the random numbers", .python = "random_state"),
    ROW("quiet", NULL, quiet, "no progress bar and no warnings"),
    ROW("verbose", NULL, verbose, "all details in the result table", .python = ""),
};
const option_table common_options = OPTION_TABLE(common_rows);

/* ---- tables ----------------------------------------------------------------------------------- */

static int expand(const option_table *table, const option *group, int count, option rows[MAX_OPTIONS])
{
    const char *heading = group ? group->heading : NULL;
    for (int i = 0; i < table->count; i++) {
        option row = table->options[i];
        row.offset += group ? group->offset : 0;
        row.heading = heading;
        if (row.kind == OPTION_HEADING) {
            heading = row.name;
        } else if (row.kind == OPTION_GROUP) {
            count = expand(row.table, &row, count, rows);
        } else {
            assert(count < MAX_OPTIONS);
            if (group && row.required)
                row.required_form = group->required_form;
            rows[count++] = row;
        }
    }
    return count;
}

int options_expand(const option_table *table, bool with_common, option rows[MAX_OPTIONS])
{
    int count = expand(table, NULL, 0, rows);
    return with_common ? expand(&common_options, NULL, count, rows) : count;
}

/* ---- help texts ------------------------------------------------------------------------------- */

char *option_meaning(const option *row, char text[MEANING_LENGTH])
{
    name_list names = {0};
    if (row->names)
        names = row->names();
    return names_expand(row->meaning, &names, text, MEANING_LENGTH);
}

const char *option_value_name(const option *row, char text[CHOICES_LENGTH])
{
    if (row->kind == OPTION_FLAG || row->is_positional)
        return NULL;
    return row->kind == OPTION_CHOICE ? choices_text(row->choices, text) : row->argument;
}

/* Gets the allowed range of a row. Returns false if any value is allowed. */
static bool range_of(const option *row, value_range *range)
{
    *range = row->range;
    bool is_given = range->low != 0 || range->high != 0;
    if (!is_given && row->kind == OPTION_NUMBER)
        *range = (value_range){0, HUGE_VAL, true, false};
    else if (!is_given && row->kind == OPTION_COUNT)
        *range = (value_range)AT_LEAST(0);
    return is_given || row->kind == OPTION_NUMBER || row->kind == OPTION_COUNT;
}

char *option_range(const option *row, char text[MEANING_LENGTH])
{
    value_range range;
    text[0] = '\0';
    if (row->is_duration || !range_of(row, &range))
        return text;
    const char *low = range.excludes_low ? "above" : "at least",
               *high = range.excludes_high ? "below" : "at most";
    if (isinf(range.high) && range.low == 0 && range.excludes_low)
        snprintf(text, MEANING_LENGTH, "positive");
    else if (isinf(range.high))
        snprintf(text, MEANING_LENGTH, "%s %g", low, range.low);
    else if (range.excludes_low && range.excludes_high)
        snprintf(text, MEANING_LENGTH, "between %g and %g", range.low, range.high);
    else if (!range.excludes_low && !range.excludes_high)
        snprintf(text, MEANING_LENGTH, "from %.10g to %.10g", range.low, range.high);
    else
        snprintf(text, MEANING_LENGTH, "%s %.10g and %s %.10g", low, range.low, high, range.high);
    return text;
}

char *option_help(const option *row, char text[MEANING_LENGTH])
{
    char range[MEANING_LENGTH];
    option_range(row, range);
    if (strcmp(range, "at least 0") == 0)
        range[0] = '\0'; /* default range of a count */
    option_meaning(row, text);
    const char *value = row->fallback ? row->fallback : row->unset;
    if (!range[0] && !value)
        return text;
    size_t used = strlen(text);
    snprintf(text + used, MEANING_LENGTH - used, " (%s%s%s%s)", range, range[0] && value ? "; " : "",
             value ? "default: " : "", value ? value : "");
    return text;
}

/* ---- durations -------------------------------------------------------------------------------- */

/* Largest unit first. The longest name of each unit is last. */
static const struct {
    const char *names[6];
    double seconds;
} units[] = {{{"d", "day", "days"}, 86400},
             {{"h", "hr", "hrs", "hour", "hours"}, 3600},
             {{"m", "min", "mins", "minute", "minutes"}, 60},
             {{"s", "sec", "secs", "second", "seconds"}, 1}};
enum { N_UNITS = (int)(sizeof units / sizeof units[0]) };

/* Returns the unit with index >= `first` that matches the letters at the start of `text`, or N_UNITS. */
static int find_unit(const char *text, size_t length, int first)
{
    for (int unit = first; unit < N_UNITS; unit++)
        for (const char *const *name = units[unit].names; *name; name++)
            if (strlen(*name) == length && strncmp(text, *name, length) == 0)
                return unit;
    return N_UNITS;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* Parses the number at the start of `text`: digits with at most one decimal point. Returns its length, 0 if
 * there is no number. */
static size_t read_plain_number(const char *text, double *value)
{
    char digits[32];
    size_t length = strspn(text, "0123456789.");
    if (length == 0 || length >= sizeof digits)
        return 0;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return volt_parse_number(digits, value) && isfinite(*value) ? length : 0;
}

bool parse_duration(const char *text, double *seconds)
{
    double total = 0;
    int next = 0; /* first unit that is still allowed */
    bool is_first = true;
    for (const char *from = skip_blanks(text); *from; is_first = false) {
        double value = 0;
        size_t length = read_plain_number(from, &value);
        if (length == 0)
            return false;
        from = skip_blanks(from + length);
        if (!*from && is_first) { /* a number without a unit must be the whole text */
            total = value;
            break;
        }
        length = strspn(from, "abcdefghijklmnopqrstuvwxyz");
        int unit = find_unit(from, length, next);
        if (unit == N_UNITS)
            return false;
        total += value * units[unit].seconds;
        next = unit + 1;
        from = skip_blanks(from + length);
    }
    if (!(total > 0) || !isfinite(total))
        return false;
    *seconds = total;
    return true;
}

/* ---- single values ---------------------------------------------------------------------------- */

/* Largest count: doubles represent integers exactly up to this value, and INT64_MAX is reserved. */
static const int64_t max_count = INT64_C(1) << 53;

static int check_range(const option *row, const char *text, double number)
{
    value_range range;
    char allowed[MEANING_LENGTH];
    if (!isfinite(number))
        return complain(EXIT_USAGE, "--%s must be finite (got %s)", row->name, text);
    if (!range_of(row, &range))
        return 0;
    bool is_low = range.excludes_low ? number <= range.low : number < range.low;
    bool is_high = range.excludes_high ? number >= range.high : number > range.high;
    if (is_low || is_high)
        return complain(EXIT_USAGE, "--%s must be %s (got %s)", row->name, option_range(row, allowed), text);
    return 0;
}

static int parse_count(const option *row, const char *text, int64_t *value)
{
    double number = 0;
    if (!volt_parse_number(text, &number) || !(fabs(number) <= (double)max_count) || number != floor(number))
        return complain(EXIT_USAGE, "--%s must be an integer (got '%s')", row->name, text);
    *value = (int64_t)number;
    return check_range(row, text, number);
}

static int parse_number(const option *row, const char *text, double *value)
{
    if (row->is_duration)
        return parse_duration(text, value)
                   ? 0
                   : complain(EXIT_USAGE,
                              "--%s must be a positive time such as 90s, 3min, 2h or 1h30m (got '%s')",
                              row->name, text);
    if (!volt_parse_number(text, value))
        return complain(EXIT_USAGE, "--%s must be a number (got '%s')", row->name, text);
    return check_range(row, text, *value);
}

static int parse_seed(const option *row, const char *text, seed_value *seed)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno)
        return complain(EXIT_USAGE, "--%s must be an integer from 0 to 2^64 - 1 (got '%s')", row->name, text);
    seed->given = true;
    seed->value = value;
    return 0;
}

/* Parses one end of a range. An empty text is an open end. */
static bool parse_range_end(const char *text, size_t length, bool *given, int64_t *value)
{
    char digits[24];
    if (length == 0)
        return true;
    if (length >= sizeof digits || isspace((unsigned char)text[0]))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    char *end = NULL;
    errno = 0;
    *value = strtoll(digits, &end, 10);
    *given = true;
    return *end == '\0' && errno == 0 && *value >= -max_count && *value <= max_count;
}

static int parse_rows(const option *row, const char *text, row_range *rows)
{
    const char *colon = strchr(text, ':');
    if (!colon || !parse_range_end(text, (size_t)(colon - text), &rows->has_start, &rows->start) ||
        !parse_range_end(colon + 1, strlen(colon + 1), &rows->has_stop, &rows->stop))
        return complain(EXIT_USAGE, "--%s must be START:STOP such as 0:5000, -1000: or :800 (got '%s')",
                        row->name, text);
    rows->given = true;
    rows->text = text;
    return 0;
}

static int parse_numbers(const option *row, const char *text, number_list *list)
{
    list->count = 0;
    for (const char *from = text;; from++) {
        char item[64];
        size_t length = strcspn(from, ",");
        if (list->count == NUMBER_LIST_CAPACITY)
            return complain(EXIT_USAGE, "--%s takes at most %d numbers (got '%s')", row->name,
                            NUMBER_LIST_CAPACITY, text);
        bool reads = length > 0 && length < sizeof item;
        if (reads) {
            memcpy(item, from, length);
            item[length] = '\0';
            reads = volt_parse_number(item, &list->values[list->count]);
        }
        if (!reads)
            return complain(EXIT_USAGE, "--%s must be numbers separated by commas (got '%s')", row->name, text);
        int failed = check_range(row, item, list->values[list->count]);
        if (failed)
            return failed;
        list->count++;
        from += length;
        if (!*from)
            return 0;
    }
}

static int parse_choice(const option *row, const char *text, int *value)
{
    const choice *chosen = choice_of_word(row->choices, text);
    if (chosen) {
        *value = chosen->value;
        return 0;
    }
    char all[CHOICES_LENGTH];
    name_list words = choice_names(row->choices);
    const char *nearest = names_nearest(&words, text);
    choices_text(row->choices, all);
    if (nearest)
        return complain(EXIT_USAGE, "--%s must be %s (got '%s'); did you mean %s?", row->name, all, text,
                        nearest);
    return complain(EXIT_USAGE, "--%s must be %s (got '%s')", row->name, all, text);
}

static int append_text(const option *row, const char *text, text_list *list)
{
    if (!*text)
        return complain(EXIT_USAGE, "%s%s must not be empty", row->is_positional ? "" : "--", row->name);
    const char **texts = realloc(list->texts, ((size_t)list->count + 1) * sizeof *texts);
    if (!texts)
        return complain(EXIT_FAILED, "not enough memory for the values of --%s", row->name);
    list->texts = texts;
    list->texts[list->count++] = text;
    return 0;
}

void text_list_free(text_list *list)
{
    free(list->texts);
    list->texts = NULL;
    list->count = 0;
}

static int parse_value(const option *row, const char *text, void *target)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)target = true;
        return 0;
    case OPTION_TEXT:
        if (!*text)
            return complain(EXIT_USAGE, "%s%s must not be empty", row->is_positional ? "" : "--", row->name);
        *(const char **)target = text;
        return 0;
    case OPTION_COUNT:
        return parse_count(row, text, target);
    case OPTION_NUMBER:
        return parse_number(row, text, target);
    case OPTION_CHOICE:
        return parse_choice(row, text, target);
    case OPTION_SEED:
        return parse_seed(row, text, target);
    case OPTION_ROWS:
        return parse_rows(row, text, target);
    case OPTION_NUMBERS:
        return parse_numbers(row, text, target);
    case OPTION_TEXTS:
        return append_text(row, text, target);
    case OPTION_HEADING:
    case OPTION_GROUP:
        break;
    }
    return complain(EXIT_FAILED, "option --%s has no parser", row->name);
}

/* ---- the command line ------------------------------------------------------------------------- */

typedef struct option_parser {
    option rows[MAX_OPTIONS]; /* the command's options, then the common options */
    bool seen[MAX_OPTIONS];
    int count;
    int form_giver;  /* the first option given that is specific to one form, or -1 */
    char *arguments; /* the command's struct */
} option_parser;

/* Returns the first name that begins with `text` (-k for --kernel, --keep for --keep-factor), or NULL. */
static const char *begins_with(const char *text, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (text[0] && strncmp(names[i], text, strlen(text)) == 0)
            return names[i];
    return NULL;
}

/* Returns the option that has `name`, up to an equals sign, among its synonyms, or NULL. */
static const option *find_synonym(const option_parser *parser, const char *name)
{
    size_t length = strcspn(name, "=");
    for (int i = 0; i < parser->count; i++)
        for (const char *at = parser->rows[i].synonyms; at && *at; at += strcspn(at, " "), at += *at == ' ')
            if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
                return &parser->rows[i];
    return NULL;
}

/* Returns the positional argument called `name`, up to an equals sign and ignoring case, or NULL. */
static const option *find_argument(const option_parser *parser, const char *name)
{
    size_t length = strcspn(name, "=");
    for (int i = 0; i < parser->count; i++) {
        const option *row = &parser->rows[i];
        if (row->is_positional && strlen(row->name) == length && strncasecmp(row->name, name, length) == 0)
            return row;
    }
    return NULL;
}

static int unknown_option(const option_parser *parser, const char *written, const char *name)
{
    const char *names[MAX_OPTIONS + 1];
    int count = 0;
    for (int i = 0; i < parser->count; i++)
        if (!parser->rows[i].is_positional)
            names[count++] = parser->rows[i].name;
    names[count++] = "help";
    const option *other = find_synonym(parser, name);
    const char *meant = other ? other->name : begins_with(name, names, count);
    if (other && other->is_positional)
        return complain(EXIT_USAGE, "unknown option %s; select columns with %s:COLUMNS", written, meant);
    const option *argument = find_argument(parser, name);
    if (argument)
        return complain(EXIT_USAGE, "unknown option %s; write %s without an option name (volterra help %s)",
                        written, argument->name, command_name());
    if (!meant && name[0] && name[1]) /* a single letter is near to any name */
        meant = volt_nearest_name(name, names, count);
    if (meant)
        return complain(EXIT_USAGE, "unknown option %s; did you mean --%s?", written, meant);
    return complain(EXIT_USAGE, "unknown option %s (volterra help %s lists them)", written, command_name());
}

static int find_option(const option_parser *parser, const char *name, size_t length)
{
    for (int i = 0; i < parser->count; i++)
        if (!parser->rows[i].is_positional && strlen(parser->rows[i].name) == length &&
            strncmp(parser->rows[i].name, name, length) == 0)
            return i;
    return -1;
}

static int find_letter(const option_parser *parser, char letter)
{
    for (int i = 0; i < parser->count; i++)
        if (parser->rows[i].letter == letter)
            return i;
    return -1;
}

/* Returns the form of the command selected by the options so far. The default is the first form. */
static char form_of(const option_parser *parser)
{
    return parser->form_giver < 0 ? 1 : parser->rows[parser->form_giver].form;
}

static bool is_wanted(const option_parser *parser, int index)
{
    const option *row = &parser->rows[index];
    char form = form_of(parser);
    return row->required && !parser->seen[index] && (!row->form || row->form == form) &&
           (!row->required_form || row->required_form == form);
}

/* Rejects the name of a file of another type. */
static int check_ending(const option *row, const char *text)
{
    size_t length = strlen(text), needed = row->ending ? strlen(row->ending) : 0;
    if (!row->ending || strcmp(text, "-") == 0 || strcmp(text, "none") == 0 ||
        (length > needed && strcmp(text + length - needed, row->ending) == 0))
        return 0;
    return complain(EXIT_USAGE, "--%s must end in %s (got '%s')", row->name, row->ending, text);
}

static int take_value(option_parser *parser, int index, const char *text)
{
    const option *row = &parser->rows[index];
    if (parser->seen[index] && row->kind != OPTION_TEXTS)
        return complain(EXIT_USAGE, "--%s is given twice", row->name);
    parser->seen[index] = true;
    if (row->form && parser->form_giver < 0)
        parser->form_giver = index;
    if (row->form && row->form != form_of(parser))
        return complain(EXIT_USAGE, "--%s is not supported with --%s", row->name,
                        parser->rows[parser->form_giver].name);
    int failed = check_ending(row, text);
    return failed ? failed : parse_value(row, text, parser->arguments + row->offset);
}

/* Reports an unexpected argument, which may be the value of the first missing required option. */
static int complain_surplus(const option_parser *parser, const char *text)
{
    for (int i = 0; i < parser->count; i++) {
        const option *row = &parser->rows[i];
        if (is_wanted(parser, i) && !row->is_positional)
            return complain(EXIT_USAGE, "unexpected argument '%s'; did you mean --%s %s?", text, row->name,
                            text);
    }
    return complain(EXIT_USAGE, "unexpected argument '%s' (see volterra help %s)", text, command_name());
}

static int take_positional(option_parser *parser, const char *text)
{
    for (int i = 0; i < parser->count; i++)
        if (parser->rows[i].is_positional && (!parser->seen[i] || parser->rows[i].kind == OPTION_TEXTS))
            return take_value(parser, i, text);
    return complain_surplus(parser, text);
}

/* Parses the option argv[*at] and its value, and sets *at to the last argument used. */
static int take_option(option_parser *parser, int argc, char *const *argv, int *at)
{
    const char *written = argv[*at];
    const char *name, *value = NULL;
    int index;
    if (written[1] == '-') {
        name = written + 2;
        size_t length = strcspn(name, "=");
        index = find_option(parser, name, length);
        if (name[length] == '=')
            value = name + length + 1;
    } else {
        name = written + 1;
        index = find_letter(parser, name[0]);
        if (index >= 0 && name[1])
            value = name + 1 + (name[1] == '=');
        /* A long name after a single dash: suggest the option. */
        if (index < 0 && find_option(parser, name, strlen(name)) >= 0)
            return complain(EXIT_USAGE, "unknown option %s; did you mean --%s?", written, name);
    }
    if (index < 0)
        return unknown_option(parser, written, name);

    const option *row = &parser->rows[index];
    if (row->kind == OPTION_FLAG) {
        if (value)
            return complain(EXIT_USAGE, "--%s takes no value", row->name);
        return take_value(parser, index, "");
    }
    if (!value) {
        bool is_option = *at + 1 < argc && strncmp(argv[*at + 1], "--", 2) == 0;
        char all[CHOICES_LENGTH];
        if (*at + 1 >= argc || is_option)
            return complain(EXIT_USAGE, "%s requires a value: %s %s", written, written,
                            option_value_name(row, all));
        value = argv[++*at];
    }
    int failed = take_value(parser, index, value);
    while (!failed && row->kind == OPTION_TEXTS && *at + 1 < argc && argv[*at + 1][0] != '-')
        failed = take_value(parser, index, argv[++*at]);
    return failed;
}

static int apply_common(const common_arguments *common)
{
    set_quiet(common->quiet);
    set_verbose(common->verbose);
    volt_status status = common->threads > 0 ? volt_set_threads(common->threads) : VOLT_OK;
    if (!status && common->device)
        status = volt_set_device(common->device);
    return status ? complain_status(status) : 0;
}

int options_parse(const option_table *table, int argc, char *const *argv, void *arguments)
{
    option_parser parser = {.form_giver = -1, .arguments = arguments};
    parser.count = options_expand(table, true, parser.rows);
    for (int i = 0; i < parser.count; i++) {
        const option *row = &parser.rows[i];
        int status = row->fallback ? parse_value(row, row->fallback, parser.arguments + row->offset) : 0;
        if (status)
            return status;
    }

    bool options_end = false;
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at];
        int status;
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (!options_end && word[0] == '-' && word[1])
            status = take_option(&parser, argc, argv, &at);
        else
            status = take_positional(&parser, word);
        if (status)
            return status;
    }

    for (int i = 0; i < parser.count; i++) {
        const option *row = &parser.rows[i];
        if (!is_wanted(&parser, i))
            continue;
        char meaning[MEANING_LENGTH];
        option_meaning(row, meaning);
        if (row->is_positional)
            return complain(EXIT_USAGE, "%s is missing (%s; see volterra help %s)", row->name, meaning,
                            command_name());
        return complain(EXIT_USAGE, "%s%s %s is missing (%s; see volterra help %s)", row->letter ? "-" : "--",
                        row->letter ? (char[]){row->letter, '\0'} : row->name, row->argument, meaning,
                        command_name());
    }
    return apply_common(arguments);
}

bool options_ask_help(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}
