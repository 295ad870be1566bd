/* cli/commands/cmd_stream.c: volterra stream, one line of inputs in, one line of forecasts out. */
#define _POSIX_C_SOURCE 200809L
#include "args/command.h"
#include "commands/forecast.h"
#include "files/header_line.h"
#include "files/model_times.h"
#include "files/outputs.h"
#include "files/row_lines.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum missing_line { MISSING_SKIP, MISSING_HOLD, MISSING_ERROR } missing_line;

static const choice missing_line_choices[] = {
    {"skip", MISSING_SKIP, NULL},
    {"hold", MISSING_HOLD, NULL},
    {"error", MISSING_ERROR, NULL},
    {NULL, 0, NULL},
};

typedef struct stream_arguments {
    common_arguments common;
    const char *model, *state;
    int start, beyond, missing;
    bool strict, header;
} stream_arguments;

static const option rows[] = {
    {.name = "MODEL",
     .kind = OPTION_POSITIONAL,
     .required = true,
     .offset = offsetof(stream_arguments, model),
     .meaning = "a model file that volterra fit wrote"},
    {.name = "start",
     .kind = OPTION_CHOICE,
     .choices = start_choices,
     .fallback = "continue",
     .offset = offsetof(stream_arguments, start),
     .meaning = START_MEANING},
    {.name = "beyond",
     .kind = OPTION_CHOICE,
     .choices = beyond_choices,
     .fallback = "clip",
     .offset = offsetof(stream_arguments, beyond),
     .meaning = BEYOND_MEANING},
    {.name = "missing",
     .kind = OPTION_CHOICE,
     .choices = missing_line_choices,
     .fallback = "skip",
     .offset = offsetof(stream_arguments, missing),
     .meaning = "a line with missing values: no row, and NA for an answer; or the values of the row before; or "
                "the end"},
    {.name = "strict",
     .kind = OPTION_FLAG,
     .offset = offsetof(stream_arguments, strict),
     .meaning = "end at the first line that is refused"},
    {.name = "state",
     .kind = OPTION_TEXT,
     .offset = offsetof(stream_arguments, state),
     .argument = "FILE",
     .meaning =
         "go on from the moment that FILE holds, if it is there (else from --start), and write it at the end"},
    {.name = "header",
     .kind = OPTION_FLAG,
     .offset = offsetof(stream_arguments, header),
     .meaning = "begin the output with a line of column names"},
};

/* Lines of one kind: how many, and where the first is. */
typedef struct line_count {
    int64_t count, first;
} line_count;

/* One run of the command. */
typedef struct stream_session {
    const stream_arguments *arguments;
    volt_model_info info;
    model_times times; /* of the model */
    volt_stream *stream;
    row_lines lines;
    double *x, *y;    /* a row, its forecast */
    double *last;     /* the row before, where a value is held */
    int64_t answered; /* rows with a forecast */
    int64_t beyond;   /* rows beyond the ball before this run */
    line_count refused, skipped, held;
    bool flush_lines; /* somebody may be waiting for the answer */
    bool is_first;    /* the next row is the first of a record that began here */
} stream_session;

static void count_line(line_count *lines, int64_t line)
{
    if (lines->count++ == 0)
        lines->first = line;
}

/* ---- output ----------------------------------------------------------------------------------- */

static void end_answer(const stream_session *session, const char *end)
{
    puts(end);
    if (session->flush_lines)
        fflush(stdout);
}

static void print_forecast(const stream_session *session)
{
    char number[VOLT_NUMBER_LENGTH];
    bool json = session->arguments->common.json;
    if (json)
        putchar('[');
    for (int64_t k = 0; k < session->info.q; k++) {
        if (k)
            putchar(',');
        fputs(volt_format_number(session->y[k], number), stdout);
    }
    end_answer(session, json ? "]" : "");
}

/* The answer to a line that brought no forecast: answers stand line by line beside the rows. */
static void print_nothing(const stream_session *session)
{
    bool json = session->arguments->common.json;
    for (int64_t k = 0; !json && k < session->info.q; k++)
        fputs(k ? ",NA" : "NA", stdout);
    end_answer(session, json ? "null" : "");
}

static int print_header(const stream_session *session)
{
    const char **names = output_names(&session->info);
    if (!names)
        return complain(EXIT_FAILED, "not enough memory for the column names");
    header_line_print(stdout, names, session->info.q);
    output_names_free(names);
    if (session->flush_lines)
        fflush(stdout);
    return 0;
}

/* ---- input ------------------------------------------------------------------------------------ */

static int complain_line(const stream_session *session, const char *problem, const char *hint)
{
    return complain(EXIT_FAILED, "line %lld of standard input: %s%s", (long long)session->lines.line, problem,
                    hint);
}

/* A line that is no row, or that the model does not take, costs that line. */
static int refuse_line(stream_session *session, const char *problem)
{
    if (session->arguments->strict)
        return complain_line(session, problem, "");
    count_line(&session->refused, session->lines.line);
    report("line %lld of standard input: %s; the answer is %s", (long long)session->lines.line, problem,
           session->arguments->common.json ? "null" : "NA");
    print_nothing(session);
    return 0;
}

/* The first line with a hole is reported, and they are counted: holes that come again and again are no news. */
static int skip_line(stream_session *session)
{
    count_line(&session->skipped, session->lines.line);
    if (session->skipped.count == 1)
        report("line %lld of standard input: %s; the answer is %s, as for every such line",
               (long long)session->lines.line, session->lines.problem,
               session->arguments->common.json ? "null" : "NA");
    print_nothing(session);
    return 0;
}

static int push_row(stream_session *session)
{
    volt_status status = volt_stream_push(session->stream, session->x, session->y);
    if (status == VOLT_ERR_MEMORY)
        return complain_status(status);
    if (status)
        return refuse_line(session, volt_error_detail());
    session->answered++;
    session->is_first = false;
    print_forecast(session);
    return 0;
}

static int hold_row(stream_session *session)
{
    double *last = session->last;
    if (session->is_first || !volt_stream_last(session->stream, last)) {
        char problem[ROW_PROBLEM_LENGTH + 64];
        snprintf(problem, sizeof problem, "%s, and there is no row before it to hold", session->lines.problem);
        return refuse_line(session, problem);
    }
    count_line(&session->held, session->lines.line);
    for (int64_t j = 0; j < session->info.d; j++)
        if (isnan(session->x[j]))
            session->x[j] = last[j];
    return push_row(session);
}

/* The calendar of the line's date, behind the numbers that the line holds. */
static bool add_calendar(const stream_session *session, const char *line, char problem[ROW_PROBLEM_LENGTH])
{
    const calendar *added = &session->times.calendar;
    const char *reason = NULL;
    const char *row = session->lines.line == 1 ? header_line_behind_mark(line) : line;
    if (!added->parts || calendar_of_line(added, row, session->x + session->info.d - added->cols, &reason))
        return true;
    snprintf(problem, ROW_PROBLEM_LENGTH, "the calendar of the model needs a date, and %s", reason);
    return false;
}

/* An empty line, or "# name": between records, where the model was fitted on some. */
static bool begins_record(const stream_session *session, const char *line)
{
    return session->info.n_records > 0 && (*line == '#' || line[strspn(line, " \t\r\n")] == '\0');
}

static int push_line(stream_session *session, char *line, size_t length)
{
    if (begins_record(session, line)) {
        session->lines.line++;
        session->is_first = true;
        volt_stream_restart(session->stream);
        return 0;
    }
    row_kind kind = ROW_NONE;
    char problem[ROW_PROBLEM_LENGTH];
    int failed = row_lines_take(&session->lines, line, length, session->x, &kind);
    if (failed || kind == ROW_NONE)
        return failed;
    if (kind != ROW_REFUSED && !add_calendar(session, line, problem))
        return refuse_line(session, problem);
    if (kind == ROW_WHOLE)
        return push_row(session);
    if (kind == ROW_REFUSED)
        return refuse_line(session, session->lines.problem);
    switch (session->arguments->missing) {
    case MISSING_HOLD:
        return hold_row(session);
    case MISSING_SKIP:
        return skip_line(session);
    default:
        return complain_line(session, session->lines.problem, " (or --missing hold, or --missing skip)");
    }
}

static int push_lines(stream_session *session)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int failed = 0;
    while (!failed && !interrupt_seen() && (length = getline(&line, &capacity, stdin)) >= 0) {
        failed = push_line(session, line, (size_t)length);
        if (ferror(stdout))
            break; /* the end of the program says so */
    }
    int reason = errno;
    free(line);
    if (!failed && interrupt_seen())
        return complain_status(VOLT_ERR_CANCELLED);
    if (!failed && !feof(stdin) && !ferror(stdout)) /* a failed read, or no memory for the line */
        return complain(EXIT_FAILED, "cannot read standard input: %s", strerror(reason));
    return failed;
}

/* ---- the end ---------------------------------------------------------------------------------- */

static void mention(const line_count *lines, const char *what)
{
    if (lines->count)
        warn("%lld line%s of standard input %s; the first is line %lld", (long long)lines->count,
             lines->count == 1 ? "" : "s", what, (long long)lines->first);
}

/* Keep the moment, once every answer is out: where they cannot be written the rows are to come again, and the old moment
 * stays. A failure of the lines is said first, and is the one that counts. */
static int keep_moment(const stream_session *session, int failed)
{
    if (!session->arguments->state || fflush(stdout) != 0 || ferror(stdout))
        return failed;
    volt_status status = volt_stream_save(session->stream, session->arguments->state);
    if (!status)
        return failed;
    int complaint = complain(EXIT_FAILED, "the state was not saved: %s",
                             status == VOLT_ERR_MEMORY ? volt_status_message(status) : volt_error_detail());
    return failed ? failed : complaint;
}

/* What became of the lines. A stream that had no answer to any of them has failed. */
static int conclude(const stream_session *session)
{
    int64_t lost = session->refused.count + session->skipped.count;
    if (session->answered == 0 && lost > 0)
        return complain(EXIT_FAILED,
                        "no line of standard input gave a forecast: %lld refused, %lld with missing values",
                        (long long)session->refused.count, (long long)session->skipped.count);
    mention(&session->refused, "refused");
    mention(&session->skipped, "with missing values passed over");
    mention(&session->held, "with missing values completed from the row before");
    forecast_warn_beyond(session->arguments->beyond, volt_stream_beyond(session->stream) - session->beyond,
                         session->answered);
    return 0;
}

/* ---- the command ------------------------------------------------------------------------------ */

static int prepare(stream_session *session)
{
    session->x = malloc((size_t)session->info.d * sizeof *session->x);
    session->y = malloc((size_t)session->info.q * sizeof *session->y);
    session->last = malloc((size_t)session->info.d * sizeof *session->last);
    if (!session->x || !session->y || !session->last)
        return complain(EXIT_FAILED, "not enough memory for a row of the model");
    int failed = model_times_read(&session->info, &session->times);
    if (!failed)
        failed = row_lines_begin(&session->lines, session->info.d - session->times.calendar.cols,
                                 session->info.input_names);
    if (failed)
        return failed;

    struct stat about;
    session->flush_lines = fstat(STDIN_FILENO, &about) != 0 || !S_ISREG(about.st_mode);
    return 0;
}

/* Where the stream begins: at the moment that was kept, or as --start says. */
static int open_stream(stream_session *session, const volt_model *model)
{
    struct stat about;
    const char *state = session->arguments->state;
    volt_predict_options options = forecast_options(session->arguments->start, session->arguments->beyond);
    bool resumes = state && stat(state, &about) == 0;
    volt_status status = resumes ? volt_stream_load(model, &options, state, &session->stream)
                                 : volt_stream_create(model, &options, &session->stream);
    if (status)
        return complain_status(status);
    session->beyond = volt_stream_beyond(session->stream);
    return 0;
}

static int run_session(stream_session *session, const volt_model *model)
{
    volt_model_describe(model, &session->info);
    int failed = prepare(session);
    if (!failed)
        failed = open_stream(session, model);
    if (!failed && session->arguments->header)
        failed = print_header(session);
    if (!failed) {
        interrupt_defer(true);
        failed = keep_moment(session, push_lines(session));
        interrupt_defer(false);
    }
    if (!failed)
        failed = conclude(session);

    volt_stream_free(session->stream);
    row_lines_release(&session->lines);
    free(session->x);
    free(session->y);
    free(session->last);
    return failed;
}

static int run_stream(int argc, char *const *argv)
{
    stream_arguments arguments = {0};
    stream_session session = {.arguments = &arguments};
    volt_model *model = NULL;
    int failed = options_parse(&command_stream.options, argc, argv, &arguments);
    if (failed)
        return failed;
    if (strcmp(arguments.model, "-") == 0)
        return complain(EXIT_USAGE, "the model must be a file: standard input brings the rows");
    if (arguments.state && is_standard_output(arguments.state))
        return complain(EXIT_USAGE, "--state must be a file: standard output brings the forecasts");
    failed = arguments.state ? output_check(arguments.state) : 0;
    if (!failed && arguments.state)
        failed = output_check_against(arguments.state, arguments.model);
    if (!failed)
        failed = model_read(arguments.model, &model);
    if (!failed)
        failed = run_session(&session, model);
    volt_model_free(model);
    return failed;
}

const cli_command command_stream = {
    .name = "stream",
    .summary = "forecast row by row: inputs on standard input, outputs on standard output",
    .description =
        "Each line of standard input is one row of inputs, numbers with commas between; each answer is\n"
        "printed before the next line is read. A first line of names is taken as a header, and may\n"
        "order the columns in its own way. With --json every answer is a JSON array.\n"
        "\n"
        "Every line but a header and blank ones has one line of answer, so that answers and rows stand\n"
        "side by side. A line that is no row (text, too many cells or too few) or that the model refuses\n"
        "is reported on standard error and costs that line: its answer is NA in every column, null with\n"
        "--json, and the stream goes on as if it had not come. With --missing skip, the default, so does\n"
        "a line with an empty cell, NA or the like; hold takes the missing values from the row before.\n"
        "The status is 0 unless no line at all gave a forecast.\n"
        "\n"
        "Where the model was fitted on several records (--series), an empty line or one that begins with #\n"
        "begins another: the past is zero again, and there is no answer.\n"
        "\n"
        "With --state a stream that ends, at the end of its input, at a signal (Ctrl-C, SIGTERM) or at a\n"
        "line that ends it, goes on with the next call as if it had never stopped.\n",
    .examples = "  tail -n 100 new.csv | volterra stream model.safetensors\n"
                "  sensor | volterra stream model.safetensors --missing hold --header > forecast.csv\n"
                "  volterra stream model.safetensors --state sensor.state < today.csv\n",
    .options = OPTION_TABLE(rows),
    .run = run_stream,
};
