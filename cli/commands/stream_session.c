/* cli/commands/stream_session.c: one run of volterra stream: reads input lines and writes forecasts. */
#define _POSIX_C_SOURCE 200809L
#include "commands/stream_session.h"

#include "files/header_line.h"
#include "files/model_times.h"
#include "files/outputs.h"
#include "files/row_lines.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "text/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The state file is replaced after this many rows, or this many seconds. If saving takes long, the time between two is at
 * least PAUSE times as long. */
enum { ROWS_BETWEEN_SAVES = 10000, SECONDS_BETWEEN_SAVES = 60, PAUSE = 20 };

/* Number of lines of one kind, and the first of them. */
typedef struct line_count {
    int64_t count, first;
} line_count;

/* One run of the command. */
typedef struct stream_session {
    const stream_arguments *arguments;
    const volt_model *model;
    volt_model_info info;
    model_times times; /* of the model */
    volt_live *live;
    row_lines lines;
    const char **names; /* names of the inputs, and of the targets after them; NULL: the model has none */
    double *cells;      /* cells of a line: inputs, then targets with --learn */
    double *x, *y;      /* row and its forecast */
    double *target;     /* targets of the line */
    int64_t *source;    /* per output, the input column with its later value; NULL: lines contain targets */
    double *half;       /* half-widths of the intervals */
    int64_t answered;   /* rows with a forecast */
    int64_t beyond;     /* rows outside the training ball before this run */
    volt_predict_warning range; /* rows outside the range of the training inputs, without --learn */
    line_count refused, skipped, held, without_target, unlearned;
    int64_t unsaved;  /* rows since the state was saved */
    double next_save; /* time at which it is saved again */
    bool flush_lines; /* flush every line, for interactive use */
    bool is_first;    /* the next row starts a record */
} stream_session;

static volt_live_info live_info(const stream_session *session)
{
    volt_live_info info = {.struct_size = sizeof info};
    volt_live_get_info(session->live, &info);
    return info;
}

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
    bands_print(&session->arguments->bands, session->info.q, session->y, session->half, json ? "null" : "NA");
    end_answer(session, json ? "]" : "");
}

/* Writes an empty answer, so that answers match the input lines. */
static void print_nothing(const stream_session *session)
{
    bool json = session->arguments->common.json;
    for (int64_t k = 0;
         !json && k < session->info.q + bands_columns(&session->arguments->bands, session->info.q); k++)
        fputs(k ? ",NA" : "NA", stdout);
    end_answer(session, json ? "null" : "");
}

static int print_header(const stream_session *session)
{
    const forecast_output output = {.bands = session->arguments->bands};
    const char **names = forecast_names(&session->info, &output);
    if (!names)
        return complain(EXIT_FAILED, "not enough memory for the column names");
    header_line_print(stdout, names, session->info.q + bands_columns(&output.bands, session->info.q));
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

/* Skips an invalid line with a message; with --strict, fails. */
static int refuse_line(stream_session *session, const char *problem)
{
    if (session->arguments->strict)
        return complain_line(session, problem, "");
    count_line(&session->refused, session->lines.line);
    report("line %lld of standard input: %s; output %s", (long long)session->lines.line, problem,
           session->arguments->common.json ? "null" : "NA");
    print_nothing(session);
    return 0;
}

/* Skips a line with missing values. Only the first such line is reported; all are counted. */
static int skip_line(stream_session *session)
{
    count_line(&session->skipped, session->lines.line);
    if (session->skipped.count == 1)
        report("line %lld of standard input: %s; output %s (reported once)", (long long)session->lines.line,
               session->lines.problem, session->arguments->common.json ? "null" : "NA");
    print_nothing(session);
    return 0;
}

/* Returns the number of input cells in a line. Calendar columns are computed from the date. */
static int64_t count_read(const stream_session *session)
{
    return session->info.d - session->times.calendar.cols;
}

/* Returns true if targets are used. */
static bool uses_targets(const stream_session *session)
{
    const stream_arguments *arguments = session->arguments;
    return arguments->learn || arguments->known || arguments->bands.levels.count > 0;
}

/* Returns true if lines contain targets after the inputs. */
static bool takes_targets(const stream_session *session)
{
    return uses_targets(session) && !session->source;
}

/* Returns the targets of the line; NULL if there are none or one is missing. */
static const double *targets_of(const stream_session *session)
{
    if (!uses_targets(session))
        return NULL;
    for (int64_t k = 0; k < session->info.q; k++) {
        session->target[k] = session->cells[session->source ? session->source[k] : count_read(session) + k];
        if (isnan(session->target[k]))
            return NULL;
    }
    return session->target;
}

/* Reports a row that was forecast but not learned, because its contribution is below rounding error. */
static void report_unlearned(stream_session *session)
{
    count_line(&session->unlearned, session->lines.line);
    if (session->unlearned.count == 1)
        report("line %lld of standard input: %s", (long long)session->lines.line, volt_error_detail());
}

static int push_row(stream_session *session)
{
    const double *target = targets_of(session);
    bool late = session->arguments->targets == TARGETS_NOW;
    session->unsaved++;
    volt_status status = target ? volt_live_update(session->live, session->x, late, target, session->y)
                                : volt_live_feed(session->live, session->x, session->y);
    if (status == VOLT_ERR_MEMORY || status == VOLT_ERR_IO)
        return complain_status(status);
    if (status == VOLT_ERR_SINGULAR)
        report_unlearned(session);
    else if (status)
        return refuse_line(session, volt_error_detail());
    if (session->arguments->bands.levels.count > 0)
        volt_live_interval(session->live, session->half);
    if (session->arguments->learn && !target)
        count_line(&session->without_target, session->lines.line);
    if (!session->arguments->learn)
        volt_model_check_range(session->model, volt_view_of(session->x, 1, session->info.d), session->answered,
                               &session->range);
    session->answered++;
    session->is_first = false;
    print_forecast(session);
    return 0;
}

static int hold_row(stream_session *session)
{
    const double *last = session->is_first ? NULL : live_info(session).last;
    if (!last) {
        char problem[ROW_PROBLEM_LENGTH + 64];
        snprintf(problem, sizeof problem, "%s, and no previous row exists (--missing hold)",
                 session->lines.problem);
        return refuse_line(session, problem);
    }
    count_line(&session->held, session->lines.line);
    for (int64_t j = 0; j < session->info.d; j++)
        if (isnan(session->x[j]))
            session->x[j] = last[j];
    return push_row(session);
}

/* Computes the calendar columns from the line's date and appends them to the numbers of the line. */
static bool add_calendar(const stream_session *session, const char *line, char problem[ROW_PROBLEM_LENGTH])
{
    const volt_calendar *added = &session->times.calendar;
    const char *reason = NULL;
    const char *row = session->lines.line == 1 ? header_line_behind_mark(line) : line;
    if (!added->parts || calendar_of_line(added, row, session->x + session->info.d - added->cols, &reason))
        return true;
    snprintf(problem, ROW_PROBLEM_LENGTH, "the calendar of the model requires a date: %s", reason);
    return false;
}

/* Returns true for an empty line or "# name", which separates records if the model was fitted on records. */
static bool begins_record(const stream_session *session, const char *line)
{
    return session->info.n_records > 0 && (*line == '#' || line[strspn(line, " \t\r\n")] == '\0');
}

/* Returns true if an input is missing. */
static bool has_missing_value(const stream_session *session)
{
    for (int64_t j = 0; j < count_read(session); j++)
        if (isnan(session->x[j]))
            return true;
    return false;
}

static int push_line(stream_session *session, char *line, size_t length)
{
    if (begins_record(session, line)) {
        session->lines.line++;
        session->is_first = true;
        volt_status status = volt_live_restart(session->live);
        return status ? complain_status(status) : 0;
    }
    row_kind kind = ROW_NONE;
    char problem[ROW_PROBLEM_LENGTH];
    int failed = row_lines_take(&session->lines, line, length, session->cells, &kind);
    if (failed || kind == ROW_NONE)
        return failed;
    memcpy(session->x, session->cells, (size_t)count_read(session) * sizeof *session->x);
    if (kind == ROW_HOLED && session->arguments->missing != MISSING_ERROR && !has_missing_value(session))
        kind = ROW_WHOLE; /* a row without a target is forecast but not learned */
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

static bool save_is_due(const stream_session *session)
{
    return session->arguments->state && session->unsaved > 0 &&
           (session->unsaved >= ROWS_BETWEEN_SAVES || seconds_now() >= session->next_save);
}

/* Replaces the state file after all answers are written. After a write error the old state is kept, so that the rows can be
 * sent again. Returns NULL, or the reason why the state was not saved. */
static const char *save_state(stream_session *session)
{
    if (!session->arguments->state || fflush(stdout) != 0 || ferror(stdout))
        return NULL;
    double begin = seconds_now();
    volt_status status = volt_live_save(session->live, NULL);
    double now = seconds_now();
    session->next_save = now + fmax(SECONDS_BETWEEN_SAVES, PAUSE * (now - begin));
    session->unsaved = 0;
    if (!status)
        return NULL;
    return status == VOLT_ERR_MEMORY ? volt_status_message(status) : volt_error_detail();
}

/* Returns the maximum line length in bytes. The limit bounds memory for input without line ends. */
static size_t longest_line(const stream_session *session)
{
    enum { MIN_BYTES = 1 << 20, CELL = 1024 };
    return MIN_BYTES + (size_t)(session->info.d + session->info.q) * CELL;
}

/* Like getline, but returns most + 1 for lines of more than `most` bytes. */
static ssize_t read_line(char **line, size_t *capacity, size_t most)
{
    size_t used = 0;
    int c = 0;
    while (used <= most && c != '\n' && (c = getc_unlocked(stdin)) != EOF) {
        if (used + 2 > *capacity) {
            char *longer = realloc(*line, 2 * *capacity + 256);
            if (!longer)
                return -1;
            *line = longer;
            *capacity = 2 * *capacity + 256;
        }
        (*line)[used++] = (char)c;
        (*line)[used] = '\0';
    }
    return used > 0 && !ferror(stdin) ? (ssize_t)used : -1;
}

static int push_lines(stream_session *session)
{
    char *line = NULL;
    size_t capacity = 0, most = longest_line(session);
    ssize_t length;
    int failed = 0;
    while (!failed && !interrupt_seen() && (length = read_line(&line, &capacity, most)) >= 0) {
        if ((size_t)length > most)
            failed =
                complain(EXIT_FAILED,
                         "line %lld of standard input is longer than %lld bytes, the maximum for this model",
                         (long long)session->lines.line + 1, (long long)most);
        else
            failed = push_line(session, line, (size_t)length);
        const char *unsaved = !failed && save_is_due(session) ? save_state(session) : NULL;
        if (unsaved)
            report("the state was not saved (another attempt follows): %s", unsaved);
        if (ferror(stdout))
            break; /* reported at program exit */
    }
    int reason = errno;
    free(line);
    if (!failed && interrupt_seen())
        return complain_status(VOLT_ERR_CANCELLED);
    if (!failed && !feof(stdin) && !ferror(stdout)) /* read error, or out of memory */
        return complain(EXIT_FAILED, "cannot read standard input: %s", strerror(reason));
    return failed;
}

/* ---- summary ---------------------------------------------------------------------------------- */

static void mention(const line_count *lines, const char *what)
{
    if (lines->count)
        warn("%lld line%s of standard input %s; first: line %lld", (long long)lines->count,
             lines->count == 1 ? "" : "s", what, (long long)lines->first);
}

/* Reports the counts of refused, incomplete and unlearned lines. Fails if none of the lines was answered. */
static int conclude(const stream_session *session)
{
    int64_t lost = session->refused.count + session->skipped.count;
    if (session->answered == 0 && lost > 0)
        return complain(
            EXIT_FAILED,
            "no line of standard input could be predicted: %lld invalid, %lld with missing values%s",
            (long long)session->refused.count, (long long)session->skipped.count,
            takes_targets(session)
                ? "; a line is the inputs followed by the targets or NA (volterra help stream)"
                : "");
    mention(&session->refused, "invalid");
    mention(&session->skipped, "with missing values skipped");
    mention(&session->held, "with missing values filled from the previous row");
    mention(&session->without_target, "without a target predicted but not learned");
    mention(&session->unlearned, "predicted but not learned: linearly dependent on earlier rows to rounding");
    forecast_warn_beyond(session->arguments->beyond, live_info(session).beyond - session->beyond,
                         session->answered);
    if (session->range.rows > 0)
        warn("%s", session->range.text);
    return 0;
}

/* ---- command ---------------------------------------------------------------------------------- */

static bool is_among(const char *name, const char *const *names, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Lists the names of the inputs and, if lines contain targets, of these. */
static int name_cells(stream_session *session)
{
    const volt_model_info *info = &session->info;
    int64_t inputs = count_read(session), targets = takes_targets(session) ? info->q : 0;
    if (!info->input_names || (targets > 0 && !info->output_names))
        return 0;
    session->names = malloc((size_t)(inputs + targets) * sizeof *session->names);
    if (!session->names)
        return complain(EXIT_FAILED, "not enough memory for the column names");
    for (int64_t j = 0; j < inputs + targets; j++)
        session->names[j] = j < inputs ? info->input_names[j] : info->output_names[j - inputs];
    return 0;
}

/* Begins to read lines. If targets are also inputs, a header does not determine the columns. */
static int begin_lines(stream_session *session)
{
    int64_t inputs = count_read(session), cells = inputs + (takes_targets(session) ? session->info.q : 0);
    int failed = name_cells(session);
    bool are_distinct = session->names != NULL;
    for (int64_t j = inputs; are_distinct && j < cells; j++)
        are_distinct = !is_among(session->names[j], session->names, inputs);
    if (failed)
        return failed;
    return row_lines_begin(&session->lines, cells, are_distinct ? session->names : NULL, session->names,
                           session->names ? cells : 0);
}

/* Returns the input with this name; -1: none. */
static int64_t input_named(const stream_session *session, const char *name)
{
    for (int64_t j = 0; j < count_read(session); j++)
        if (strcmp(session->info.input_names[j], name) == 0)
            return j;
    return -1;
}

/* Finds the input column of every output. If all outputs are inputs, lines contain no targets after the
 * inputs. */
static int find_sources(stream_session *session)
{
    const volt_model_info *info = &session->info;
    bool named = info->input_names && info->output_names, all = info->ahead > 0 && (named || info->feedback);
    if (info->notes.horizons)
        return complain(
            EXIT_USAGE,
            "--targets now requires one horizon, but the outputs are %s rows ahead: use --targets own",
            info->notes.horizons);
    int64_t *source = malloc((size_t)info->q * sizeof *source);
    if (!source)
        return complain(EXIT_FAILED, "not enough memory for a row of the model");
    for (int64_t k = 0; all && k < info->q; k++) {
        source[k] = named ? input_named(session, info->output_names[k]) : k;
        all = source[k] >= 0;
    }
    if (all)
        session->source = source;
    else
        free(source);
    return 0;
}

static int prepare(stream_session *session)
{
    session->x = malloc((size_t)session->info.d * sizeof *session->x);
    session->cells = malloc((size_t)(session->info.d + session->info.q) * sizeof *session->cells);
    session->y = malloc((size_t)session->info.q * sizeof *session->y);
    session->half = malloc((size_t)session->info.q * NUMBER_LIST_CAPACITY * sizeof *session->half);
    session->target = malloc((size_t)session->info.q * sizeof *session->target);
    if (!session->x || !session->cells || !session->y || !session->half || !session->target)
        return complain(EXIT_FAILED, "not enough memory for a row of the model");
    int failed = model_times_read(&session->info, &session->times);
    if (!failed && session->arguments->targets == TARGETS_NOW)
        failed = find_sources(session);
    if (!failed)
        failed = begin_lines(session);
    if (failed)
        return failed;

    struct stat about;
    session->flush_lines = fstat(STDIN_FILENO, &about) != 0 || !S_ISREG(about.st_mode);
    return 0;
}

/* Rejects options that contradict the saved state. */
static int check_kept(const stream_arguments *arguments, const volt_live_info *live)
{
    if (arguments->window > 0 && arguments->window != live->window)
        return complain(EXIT_USAGE, "%s was written with %s%lld (got --window %lld)", arguments->state,
                        live->window ? "--window " : "all rows, window ", (long long)live->window,
                        (long long)arguments->window);
    if (arguments->forget > 0 && arguments->forget != live->forget)
        return complain(EXIT_USAGE, "%s was written with --forget %g (got --forget %g)", arguments->state,
                        live->forget, arguments->forget);
    if (arguments->forget_what > 0 && arguments->forget_what != 1 + (int)live->forget_what)
        return complain(EXIT_USAGE, "%s was written with --forget-what %s", arguments->state,
                        live->forget_what == VOLT_FORGET_ALL ? "all" : "dynamics");
    const number_list *wanted = &arguments->bands.levels;
    bool same = live->n_coverages == wanted->count;
    for (int64_t c = 0; same && c < wanted->count; c++)
        same = live->coverages[c] == wanted->values[c];
    return same ? 0
                : complain(EXIT_USAGE, "%s was written with %s --interval: use the same, or another --state",
                           arguments->state,
                           live->n_coverages == 0 ? "no"
                           : wanted->count == 0   ? "an"
                                                  : "another");
}

static int open_live(stream_session *session, const volt_model *model)
{
    const stream_arguments *arguments = session->arguments;
    struct stat about;
    bool resumes = arguments->state && stat(arguments->state, &about) == 0;
    volt_live_options options = volt_live_options_default();
    options.start = (volt_start)arguments->start;
    options.beyond = (volt_beyond)arguments->beyond;
    options.learn = arguments->learn;
    options.window = arguments->window;
    if (arguments->forget > 0)
        options.forget = arguments->forget;
    if (arguments->forget_what > 0)
        options.forget_what = (volt_forget_what)(arguments->forget_what - 1);
    options.free_run = !arguments->known;
    options.coverages = arguments->bands.levels.values;
    options.n_coverages = resumes ? 0 : arguments->bands.levels.count;
    options.state = arguments->state;
    volt_status status = volt_live_create(model, &options, &session->live);
    if (status)
        return complain_status(status);
    volt_live_info live = live_info(session);
    int failed = live.resumed ? check_kept(arguments, &live) : 0;
    session->beyond = live.beyond;
    session->next_save = seconds_now() + SECONDS_BETWEEN_SAVES;
    return failed;
}

static int run_session(stream_session *session, const volt_model *model)
{
    session->model = model;
    session->info.struct_size = sizeof session->info;
    volt_model_get_info(model, &session->info);
    int failed = 0;
    if (session->arguments->known && session->info.feedback_weight == 0)
        failed = complain(EXIT_USAGE, "--known requires a model fitted with --feedback");
    if (!failed)
        failed = prepare(session);
    if (!failed)
        failed = open_live(session, model);
    if (!failed && session->arguments->header)
        failed = print_header(session);
    if (!failed) {
        interrupt_defer(true);
        failed = push_lines(session);
        const char *unsaved = save_state(session);
        int lost = unsaved ? complain(EXIT_FAILED, "the state was not saved: %s", unsaved) : 0;
        failed = failed ? failed : lost; /* a line error was reported first and determines the exit status */
        interrupt_defer(false);
    }
    if (!failed)
        failed = conclude(session);

    volt_live_free(session->live);
    row_lines_release(&session->lines);
    free(session->names);
    free(session->cells);
    free(session->x);
    free(session->y);
    free(session->half);
    free(session->target);
    free(session->source);
    return failed;
}

int stream_run(const stream_arguments *arguments, const volt_model *model)
{
    stream_session session = {.arguments = arguments};
    return run_session(&session, model);
}
