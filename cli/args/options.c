/* cli/args/options.c: parse a command line against a table of options. */
#include "args/options.h"

#include "terminal/messages.h"
#include "text/text.h"
#include "volterra.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ROW(...) OPTION(common_arguments, __VA_ARGS__)
static const option common_rows[] = {
    ROW("json", NULL, json, "results as JSON on standard output"),
    ROW("threads", "N", threads, "number of threads", .range = AT_LEAST(1), .python = "",
        .unset = "OMP_NUM_THREADS, or one per core"),
    ROW("device", "D", device, "device for the matrices: auto, cpu, gpu, gpu:K, a list gpu:K,L or gpu:all",
        .unset = "auto, a GPU for work that is large enough"),
    ROW("decimal", "MARK", decimal, "decimal mark in CSV files, point or comma", .python = "",
        .unset = "detected"),
    ROW("thousands", "MARK", thousands,
        "separator of thousands in CSV files, a point, comma, apostrophe or blank", .python = "",
        .unset = "none, or the mark that is not the decimal mark"),
    ROW("seed", "S", seed, "seed of the random numbers", .python = "random_state"),
    ROW("quiet", NULL, quiet, "no progress bar and no warnings"),
    ROW("verbose", NULL, verbose, "all details in the result table", .python = ""),
};
const option_table common_options = OPTION_TABLE(common_rows);

/* ---- tables ----------------------------------------------------------------------------------- */

/* Lists the options of a struct of the library. */
static int expand_described(const option *group, int count, option rows[MAX_OPTIONS])
{
    const volt_struct *type = volt_struct_find(group->described);
    for (int64_t i = 0; i < type->n_fields; i++) {
        const volt_field *field = &type->fields[i];
        if (!field->option)
            continue;
        assert(count < MAX_OPTIONS);
        assert(field->kind == VOLT_KIND_DOUBLE || field->kind == VOLT_KIND_INT64 ||
               field->kind == VOLT_KIND_TEXT);
        rows[count] = (option){
            .name = field->option,
            .argument = field->value,
            .meaning = field->meaning,
            .heading = group->heading,
            .kind = field->kind == VOLT_KIND_DOUBLE  ? OPTION_NUMBER
                    : field->kind == VOLT_KIND_INT64 ? OPTION_COUNT
                                                     : OPTION_TEXT,
            .offset = group->offset + field->offset,
        };
        if (field->range)
            rows[count].range = (value_range){field->range->low, field->range->high,
                                              field->range->low_open != 0, field->range->high_open != 0};
        count++;
    }
    return count;
}

static int expand(const option_table *table, const option *group, int count, option rows[MAX_OPTIONS])
{
    const char *heading = group ? group->heading : NULL;
    for (int i = 0; i < table->count; i++) {
        option row = table->options[i];
        row.offset += group ? group->offset : 0;
        row.heading = heading;
        if (row.kind == OPTION_HEADING) {
            heading = row.name;
        } else if (row.described) {
            count = expand_described(&row, count, rows);
        } else if (row.kind == OPTION_GROUP) {
            count = expand(row.table, &row, count, rows);
        } else {
            assert(count < MAX_OPTIONS);
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
    if (row->kind == OPTION_FLAG || row->kind == OPTION_SWITCH || row->is_positional)
        return NULL;
    return row->kind == OPTION_CHOICE ? choices_text(row->choices, text) : row->argument;
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

char *option_clause(const option *row, int width, char text[MEANING_LENGTH])
{
    static const char *const ends[] = {"", "; ", " (", ": "};
    enum { N_ENDS = sizeof ends / sizeof *ends };
    const char *value = row->fallback ? row->fallback : row->unset;
    for (int i = 0; i < 3 * N_ENDS; i++) { /* with the default, with its first clause, without it */
        char after[MEANING_LENGTH] = "";
        int length = value ? (int)(i < N_ENDS ? strlen(value) : strcspn(value, ";")) : 0;
        if (value && i < 2 * N_ENDS)
            snprintf(after, sizeof after, " (default: %.*s)", length, value);
        option_meaning(row, text);
        for (int k = 1; k <= i % N_ENDS; k++) {
            char *end = strstr(text, ends[k]);
            if (end)
                *end = '\0';
        }
        size_t used = strlen(text);
        if ((int)(used + strlen(after)) <= width) {
            snprintf(text + used, MEANING_LENGTH - used, "%s", after);
            break;
        }
    }
    return text;
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

static int find_option(const option_parser *parser, const char *name, size_t length)
{
    for (int i = 0; i < parser->count; i++)
        if (!parser->rows[i].is_positional && strlen(parser->rows[i].name) == length &&
            strncmp(parser->rows[i].name, name, length) == 0)
            return i;
    return -1;
}

/* Names of options in other programs. */
static const struct {
    const char *option, *synonyms;
} usual_synonyms[] = {
    {"x", "input inputs data file train features"},
    {"y", "target targets outputs label labels"},
    {"alpha", "lambda regularization regularisation ridge penalty"},
    {"draws", "trials candidates iterations iter n-iter"},
    {"season", "freq frequency seasonality period"},
    {"interval", "confidence level coverage"},
    {"budget", "time timeout time-limit"},
    {"plot", "figure picture chart svg"},
    {"threads", "jobs n-jobs cores cpus"},
    {"seed", "random-state random-seed"},
};

/* Whether `name`, up to an equals sign, is one of the words of `synonyms`. */
static bool is_among(const char *name, const char *synonyms)
{
    size_t length = strcspn(name, "=");
    for (const char *at = synonyms; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

/* Returns the option that has `name` among its own or the usual synonyms, or NULL. */
static const option *find_synonym(const option_parser *parser, const char *name)
{
    for (int i = 0; i < parser->count; i++)
        if (is_among(name, parser->rows[i].synonyms))
            return &parser->rows[i];
    for (size_t k = 0; k < sizeof usual_synonyms / sizeof *usual_synonyms; k++) {
        const char *usual = usual_synonyms[k].option;
        int index = is_among(name, usual_synonyms[k].synonyms) ? find_option(parser, usual, strlen(usual)) : -1;
        if (index >= 0)
            return &parser->rows[index];
    }
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
        return complain(EXIT_USAGE, "unknown option %s; write %s or %s:COLUMNS without an option name", written,
                        meant, meant);
    const option *argument = find_argument(parser, name);
    if (argument)
        return complain(EXIT_USAGE, "unknown option %s; write %s without an option name (volterra %s --help)",
                        written, argument->name, command_name());
    if (!meant && name[0] && name[1]) /* a single letter is near to any name */
        meant = volt_nearest_name(name, names, count);
    if (meant)
        return complain(EXIT_USAGE, "unknown option %s; did you mean --%s?", written, meant);
    return complain(EXIT_USAGE, "unknown option %s (volterra %s --help lists them)", written, command_name());
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
    return row->required && !parser->seen[index] && (!row->form || row->form == form);
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
    return failed ? failed : option_parse_value(row, text, parser->arguments + row->offset);
}

/* Whether an unexpected argument may be the value of an option that is required, or of --x in a command without positional
 * arguments. */
static bool may_be_meant(const option_parser *parser, int index, const char *text)
{
    const option *row = &parser->rows[index];
    bool is_input = strcmp(row->name, "x") == 0 && (parser->form_giver < 0 || row->form == form_of(parser));
    for (int i = 0; i < parser->count; i++)
        is_input = is_input && !parser->rows[i].is_positional;
    bool is_text = row->kind == OPTION_TEXT || row->kind == OPTION_TEXTS;
    return !row->is_positional && !parser->seen[index] && (is_text || isdigit((unsigned char)*text)) &&
           (is_input || is_wanted(parser, index));
}

/* Reports an unexpected argument, with the first two options that may be meant. */
static int complain_surplus(const option_parser *parser, const char *text)
{
    const char *meant[2] = {NULL};
    int count = 0;
    for (int i = 0; i < parser->count && count < 2; i++)
        if (may_be_meant(parser, i, text))
            meant[count++] = parser->rows[i].name;
    if (count == 2 && strcmp(meant[1], "x") == 0) /* another form of the command */
        return complain(EXIT_USAGE, "unexpected argument '%s'; did you mean --%s %s or --x %s?", text, meant[0],
                        text, text);
    if (count > 0)
        return complain(EXIT_USAGE, "unexpected argument '%s'; did you mean --%s %s?", text, meant[0], text);
    return complain(EXIT_USAGE, "unexpected argument '%s' (see volterra %s --help)", text, command_name());
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
    if (row->kind == OPTION_FLAG || row->kind == OPTION_SWITCH) {
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

static const char *given_decimal, *given_thousands;
static const option_table *parsed_table;

bool options_offer(const char *name)
{
    option_parser parser = {.count = 0};
    if (parsed_table)
        parser.count = options_expand(parsed_table, true, parser.rows);
    return find_option(&parser, name, strlen(name)) >= 0;
}

volt_read_options reading_options(void)
{
    volt_read_options options = volt_read_options_default();
    options.decimal = given_decimal;
    options.thousands = given_thousands;
    return options;
}

int reading_options_refuse(const char *what)
{
    if (!given_decimal && !given_thousands)
        return 0;
    return complain(EXIT_USAGE, "--%s is not supported for %s", given_decimal ? "decimal" : "thousands", what);
}

static int apply_common(const common_arguments *common)
{
    given_decimal = common->decimal;
    given_thousands = common->thousands;
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
    parsed_table = table;
    parser.count = options_expand(table, true, parser.rows);
    for (int i = 0; i < parser.count; i++) {
        const option *row = &parser.rows[i];
        int status = row->fallback ? option_parse_value(row, row->fallback, parser.arguments + row->offset) : 0;
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
            return complain(EXIT_USAGE, "%s is missing (%s; see volterra %s --help)", row->name, meaning,
                            command_name());
        return complain(EXIT_USAGE, "%s%s %s is missing (%s; see volterra %s --help)", row->letter ? "-" : "--",
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
