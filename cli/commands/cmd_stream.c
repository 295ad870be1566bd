/* cli/commands/cmd_stream.c: volterra stream, one line of inputs in, one line of forecasts out. */
#define _POSIX_C_SOURCE 200809L
#include "args/command.h"
#include "commands/forecast.h"
#include "files/header_line.h"
#include "files/outputs.h"
#include "files/row_lines.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct stream_arguments {
    common_arguments common;
    const char *model;
    int start, beyond;
    bool header;
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
    {.name = "header",
     .kind = OPTION_FLAG,
     .offset = offsetof(stream_arguments, header),
     .meaning = "begin the output with a line of column names"},
};

/* One run of the command. */
typedef struct stream_session {
    const stream_arguments *arguments;
    volt_model_info info;
    volt_stream *stream;
    row_lines lines;
    double *x, *y;    /* a row, its forecast */
    bool flush_lines; /* somebody may be waiting for the answer */
} stream_session;

/* ---- output ----------------------------------------------------------------------------------- */

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
    puts(json ? "]" : "");
    if (session->flush_lines)
        fflush(stdout);
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

static int push_line(stream_session *session, char *line, size_t length)
{
    bool is_row = false;
    int failed = row_lines_take(&session->lines, line, length, session->x, &is_row);
    if (failed || !is_row)
        return failed;
    volt_status status = volt_stream_push(session->stream, session->x, session->y);
    if (status)
        return complain(EXIT_FAILED, "line %lld of standard input: %s", (long long)session->lines.line,
                        volt_error_detail());
    print_forecast(session);
    return 0;
}

static int push_lines(stream_session *session)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int failed = 0;
    errno = 0;
    while (!failed && !interrupt_seen() && (length = getline(&line, &capacity, stdin)) >= 0) {
        failed = push_line(session, line, (size_t)length);
        if (ferror(stdout))
            break; /* the end of the program says so */
    }
    free(line);
    if (!failed && interrupt_seen())
        return complain_status(VOLT_ERR_CANCELLED);
    if (!failed && ferror(stdin))
        return complain(EXIT_FAILED, "cannot read standard input: %s", strerror(errno));
    return failed;
}

/* ---- the command ------------------------------------------------------------------------------ */

static int prepare(stream_session *session)
{
    session->x = malloc((size_t)session->info.d * sizeof *session->x);
    session->y = malloc((size_t)session->info.q * sizeof *session->y);
    if (!session->x || !session->y)
        return complain(EXIT_FAILED, "not enough memory for a row of the model");
    int failed = row_lines_begin(&session->lines, session->info.d, session->info.input_names);
    if (failed)
        return failed;

    struct stat about;
    session->flush_lines = fstat(STDIN_FILENO, &about) != 0 || !S_ISREG(about.st_mode);
    return 0;
}

static int run_session(stream_session *session, const volt_model *model)
{
    volt_predict_options options = forecast_options(session->arguments->start, session->arguments->beyond);
    volt_model_describe(model, &session->info);
    int failed = prepare(session);
    volt_status status = failed ? VOLT_OK : volt_stream_create(model, &options, &session->stream);
    if (status)
        failed = complain_status(status);
    if (!failed && session->arguments->header)
        failed = print_header(session);
    if (!failed) {
        interrupt_defer(true);
        failed = push_lines(session);
        interrupt_defer(false);
    }
    if (!failed)
        forecast_warn_beyond(session->arguments->beyond, volt_stream_beyond(session->stream),
                             session->lines.rows);

    volt_stream_free(session->stream);
    row_lines_release(&session->lines);
    free(session->x);
    free(session->y);
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
        "order the columns in its own way. With --json every answer is a JSON array.\n",
    .examples = "  tail -n 100 new.csv | volterra stream model.safetensors\n"
                "  sensor | volterra stream model.safetensors --header > forecast.csv\n",
    .options = OPTION_TABLE(rows),
    .run = run_stream,
};
