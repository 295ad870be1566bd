/* cli/cmd_stream.c: volterra stream, one line of inputs in, one line of forecasts out. */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "forecast.h"
#include "header_line.h"
#include "interrupt.h"
#include "outputs.h"
#include "report.h"
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
     .choices = START_CHOICES,
     .fallback = "continue",
     .offset = offsetof(stream_arguments, start),
     .meaning = START_MEANING},
    {.name = "beyond",
     .kind = OPTION_CHOICE,
     .choices = BEYOND_CHOICES,
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
    double *cells, *x, *y; /* a line's numbers, those the model wants, its forecast */
    int64_t n_cells;       /* numbers in a line */
    int64_t *from;         /* x[j] = cells[from[j]] */
    int64_t line, rows;    /* lines read, rows forecast */
    bool flush_lines;      /* somebody may be waiting for the answer */
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
    header_line_print(names, session->info.q);
    output_names_free(names);
    if (session->flush_lines)
        fflush(stdout);
    return 0;
}

/* ---- input ------------------------------------------------------------------------------------ */

/* A header may order the columns in its own way, and have more of them than the model. */
static int take_header(stream_session *session, char *line)
{
    char **names = NULL;
    int64_t count = 0;
    if (header_line_split(line, &names, &count))
        return complain(EXIT_FAILED, "not enough memory for the header on standard input");
    if (session->info.input_names &&
        header_line_locate(names, count, session->info.input_names, session->info.d, session->from)) {
        double *cells = realloc(session->cells, (size_t)count * sizeof *cells);
        if (!cells) {
            free(names);
            return complain(EXIT_FAILED, "not enough memory for the columns of standard input");
        }
        session->cells = cells;
        session->n_cells = count;
    }
    free(names);
    return 0;
}

/* The reader of lines leaves out a date; a header counts it. Do so too when the first column is not one
 * of the model's. */
static bool skip_date_column(stream_session *session)
{
    if (session->n_cells <= session->info.d)
        return false;
    for (int64_t j = 0; j < session->info.d; j++)
        if (session->from[j] == 0)
            return false;
    for (int64_t j = 0; j < session->info.d; j++)
        session->from[j]--;
    session->n_cells--;
    return true;
}

static int push_line(stream_session *session, char *line, size_t length)
{
    if (strlen(line) != length)
        return complain(EXIT_FAILED, "line %lld of standard input holds a zero byte", (long long)session->line);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
    if (strspn(line, " \t") == length)
        return 0;
    if (session->line == 1 && header_line_is(line))
        return take_header(session, line);

    volt_status status = volt_csv_parse_line(line, session->n_cells, session->cells);
    if (status && session->rows == 0 && skip_date_column(session))
        status = volt_csv_parse_line(line, session->n_cells, session->cells);
    if (!status) {
        for (int64_t j = 0; j < session->info.d; j++)
            session->x[j] = session->cells[session->from[j]];
        status = volt_stream_push(session->stream, session->x, session->y);
    }
    if (status)
        return complain(EXIT_FAILED, "line %lld of standard input: %s", (long long)session->line,
                        volt_error_detail());
    session->rows++;
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
        session->line++;
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
    size_t d = (size_t)session->info.d;
    session->n_cells = session->info.d;
    session->cells = malloc(d * sizeof *session->cells);
    session->x = malloc(d * sizeof *session->x);
    session->y = malloc((size_t)session->info.q * sizeof *session->y);
    session->from = malloc(d * sizeof *session->from);
    if (!session->cells || !session->x || !session->y || !session->from)
        return complain(EXIT_FAILED, "not enough memory for a row of the model");
    for (size_t j = 0; j < d; j++)
        session->from[j] = (int64_t)j;

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
        forecast_warn_beyond(session->arguments->beyond, volt_stream_beyond(session->stream), session->rows);

    volt_stream_free(session->stream);
    free(session->cells);
    free(session->x);
    free(session->y);
    free(session->from);
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
