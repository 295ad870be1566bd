/* cli/series/series_many.c: forecasts of the many series of a file in long format. */
#define _POSIX_C_SOURCE 200809L
#include "series/series_many.h"

#include "files/header_line.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "series/series_resume.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "terminal/text_stream.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double write_seconds = 60; /* between two writes of the forecasts so far */

/* Series without a forecast that are named in warnings, unless --verbose is given; lines of a row that are read to find the
 * columns. */
enum { MAX_NAMED = 20, MAX_CELL_LINES = 20, LONG_SOURCE_LENGTH = PATH_MAX + 512 };

/* ---- columns of the file ---------------------------------------------------------------------- */

static bool is_regular_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Splits PATH or PATH:COLUMN at the first colon that follows the name of a file. Both parts may contain colons. */
static bool split_source(const char *source, char path[PATH_MAX], const char **column)
{
    *column = NULL;
    snprintf(path, PATH_MAX, "%s", source);
    if (is_regular_file(path))
        return true;
    for (const char *colon = strchr(source, ':'); colon; colon = strchr(colon + 1, ':')) {
        snprintf(path, PATH_MAX, "%.*s", (int)(colon - source), source);
        if (is_regular_file(path)) {
            *column = colon + 1;
            return true;
        }
    }
    return false;
}

/* Reads the next row, whose quoted cells may have several lines; NULL: none. */
static char *read_row(FILE *file)
{
    char *row = NULL, *line = NULL, **cells = NULL;
    size_t capacity = 0, length = 0;
    int64_t count;
    volt_status status = VOLT_ERR_FORMAT;
    for (int i = 0; i < MAX_CELL_LINES && status == VOLT_ERR_FORMAT && getline(&line, &capacity, file) > 0;
         i++) {
        char *longer = realloc(row, length + strlen(line) + 1);
        if (!longer)
            break;
        row = longer;
        strcpy(row + length, line);
        length += strlen(line);
        status = volt_csv_split_line(row, NULL, &cells, &count);
        if (!status)
            volt_free(cells);
    }
    free(line);
    return row;
}

/* Reads the names of the columns from the first row. *count is 0 for a file that cannot be read. */
static volt_status read_header(const char *path, char ***names, int64_t *count)
{
    FILE *file = fopen(path, "rb");
    volt_status status = VOLT_OK;
    *count = 0;
    if (!file)
        return VOLT_OK;
    char *header = read_row(file), *row = header ? read_row(file) : NULL;
    if (header)
        status = volt_csv_split_line(header_line_behind_mark(header), row, names, count);
    fclose(file);
    free(header);
    free(row);
    if (status)
        *count = 0;
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

int long_source_find(const char *source, const char *id, long_source *found)
{
    static const char *const usual[] = {"unique_id", "ds", "y"};
    const char *column = NULL;
    char **names = NULL;
    int64_t count = 0, place[3];
    bool has_usual = false, has_id = false;
    *found = (long_source){.id = id ? id : usual[0], .value = usual[2]};
    bool is_file = split_source(source, found->path, &column), has_value = column != NULL;
    if (id && !is_file)
        return complain(EXIT_USAGE, "--id requires a file that can be read; %s cannot be", source);
    if (!is_file || (column && !id)) {
        found->path[0] = '\0';
        return 0;
    }
    volt_status status = read_header(found->path, &names, &count);
    if (!status)
        status = header_line_locate(names, count, usual, 3, place, &has_usual);
    if (!status)
        status = header_line_locate(names, count, usual + 1, 1, place, &found->has_ds);
    if (!status && id)
        status = header_line_locate(names, count, &id, 1, place, &has_id);
    if (!status && id && !has_value)
        status = header_line_locate(names, count, usual + 2, 1, place, &has_value);
    volt_free(names);
    if (status)
        return complain_status(status);
    if (id && !has_id)
        return complain(EXIT_FAILED, "--id: %s has no column '%.60s'", found->path, id);
    if (id && !has_value)
        return complain(EXIT_USAGE, "--id: %s has no column 'y'; name the column of the values, '%s:COLUMN'",
                        found->path, found->path);
    if (!id && !has_usual)
        found->path[0] = '\0';
    found->value = column ? column : usual[2];
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------- */

typedef struct long_file {
    dataset file;
    char value_source[LONG_SOURCE_LENGTH];
    char **ids;            /* of all rows of the file */
    const char **kept;     /* ids of the rows of `file` */
    const char *time_name; /* NULL: no times */
    volt_long_rows rows;
} long_file;

static void release_file(long_file *file)
{
    dataset_release(&file->file);
    volt_free(file->ids);
    free((void *)file->kept);
}

static int read_texts(const char *path, const char *column, int64_t rows, char ***texts)
{
    char source[LONG_SOURCE_LENGTH];
    int64_t count = 0;
    snprintf(source, sizeof source, "%s:%s", path, column);
    volt_status status = volt_texts_read(source, texts, &count, NULL);
    if (status)
        return complain_status(status);
    if (count != rows)
        return complain(EXIT_FAILED, "%s has %lld rows, expected %lld", source, (long long)count,
                        (long long)rows);
    return 0;
}

static int read_file(const many_request *request, long_file *file)
{
    const long_source *source = request->source;
    volt_read_options options = reading_options();
    options.missing = request->missing;
    options.time_name = source->has_ds ? "ds" : NULL;
    options.keep_faults = 1;
    snprintf(file->value_source, sizeof file->value_source, "%s:%s", source->path, source->value);
    int failed = dataset_read_with(&file->file, file->value_source, &options);
    if (failed)
        return failed;
    const volt_table *table = file->file.table;
    if (table->cols != 1)
        return complain(EXIT_USAGE, "%s selects %lld columns: with --id, one column has the values",
                        file->value_source, (long long)table->cols);
    failed = read_texts(source->path, source->id, table->file_rows, &file->ids);
    if (failed)
        return failed;
    int64_t rows = table->rows;
    file->kept = malloc((size_t)rows * sizeof *file->kept + 1);
    if (!file->kept)
        return complain(EXIT_FAILED, "not enough memory for the rows of %s", source->path);
    for (int64_t i = 0; i < rows; i++)
        file->kept[i] = file->ids[table->row_numbers[i]];
    file->time_name = table->time_texts ? table->time_name : NULL;
    file->rows = (volt_long_rows){.struct_size = sizeof file->rows,
                                  .rows = rows,
                                  .ids = file->kept,
                                  .times = (const char *const *)table->time_texts,
                                  .values = table->values,
                                  .faults = (const char *const *)table->faults,
                                  .lines = table->lines,
                                  .time_name = file->time_name,
                                  .value_name = table->names[0]};
    return 0;
}

/* ---- results ---------------------------------------------------------------------------------- */

typedef struct many_outcome {
    const many_request *request;
    const long_file *file;
    earlier_forecasts earlier;
    text_stream stream; /* of `out` */
    FILE *out;          /* text of the output file; NULL: none */
    char *options;      /* on which it depends, one on each line */
    result_list *results;
    int64_t series, made, undated, gaps;
    int64_t resumed; /* forecasts of an earlier run, which are among those made */
    int64_t late;    /* series that did not begin within the time limit */
    double written;  /* time of the last write of the output */
    int failed;      /* exit status of a failed one */
    int64_t min_steps, max_steps;
    int64_t kernels; /* series with a kernel fit in at least one step */
    double mase;     /* sum over `measured` series */
    int64_t measured;
} many_outcome;

static void write_header(const many_outcome *outcome, FILE *out)
{
    const many_request *request = outcome->request;
    const char *names[2] = {request->source->id, outcome->file->time_name ? outcome->file->time_name : "step"};
    char name[512], suffix[HEADER_LINE_END];
    for (int j = 0; j < 2; j++) {
        header_line_print_cell(out, names[j]);
        fputc(',', out);
    }
    header_line_print_cell(out, request->source->value);
    fputc(',', out);
    snprintf(name, sizeof name, "%s.error", request->source->value);
    header_line_print_cell(out, name);
    for (int64_t c = 0; c < 2 * request->n_coverages; c++) {
        snprintf(name, sizeof name, "%s%s", request->source->value,
                 header_line_end(request->coverages[c / 2], c % 2, suffix));
        fputc(',', out);
        header_line_print_cell(out, name);
    }
    fputc('\n', out);
}

static void print_number(FILE *out, double value)
{
    char text[VOLT_NUMBER_LENGTH];
    fprintf(out, ",%s", volt_format_number(value, text));
}

static void write_steps(const many_outcome *outcome, const volt_forecast_result *result, int64_t steps)
{
    for (int64_t h = 0; h < steps; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(result->forecast, h, 0);
        header_line_print_cell(outcome->out, result->id);
        fputc(',', outcome->out);
        header_line_print_cell(outcome->out, result->times[h]);
        print_number(outcome->out, step->value);
        print_number(outcome->out, step->rmse);
        for (int64_t c = 0; c < outcome->request->n_coverages; c++) {
            print_number(outcome->out, step->lower[c]);
            print_number(outcome->out, step->upper[c]);
        }
        fputc('\n', outcome->out);
    }
}

/* Adds a list with one number of each step: the value, its error, or an end of interval c. */
static void add_steps(result_list *inner, const char *key, const volt_forecast *forecast, int64_t steps,
                      int field, int64_t c)
{
    double *values = malloc((size_t)steps * sizeof *values);
    if (!values) {
        note_lack_of_memory();
        return;
    }
    for (int64_t h = 0; h < steps; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(forecast, h, 0);
        values[h] = field == 0   ? step->value
                    : field == 1 ? step->rmse
                    : field == 2 ? step->lower[c]
                                 : step->upper[c];
    }
    results_numbers(inner, key, values, steps);
    free(values);
}

static void add_json(const many_outcome *outcome, const volt_forecast_result *result, int64_t steps)
{
    const volt_forecast_series *series = volt_forecast_series_at(result->forecast, 0);
    result_list *inner = results_new(true);
    results_fields(inner, volt_forecast_result, result, "id rows");
    results_fields(inner, volt_forecast_series, series, "season mase");
    results_texts(inner, "time", (char *const *)result->times, steps);
    add_steps(inner, "forecast", result->forecast, steps, 0, 0);
    add_steps(inner, "rmse", result->forecast, steps, 1, 0);
    for (int64_t c = 0; c < outcome->request->n_coverages; c++) {
        result_list *interval = results_new(true);
        results_number(interval, "coverage", NULL, outcome->request->coverages[c]);
        add_steps(interval, "lower", result->forecast, steps, 2, c);
        add_steps(interval, "upper", result->forecast, steps, 3, c);
        results_append(inner, "intervals", interval);
    }
    results_append(outcome->results, "series", inner);
}

static void add_skipped(const many_outcome *outcome, const volt_forecast_result *result)
{
    int64_t before = outcome->series - outcome->made - outcome->late - 1;
    if (before < MAX_NAMED || is_verbose())
        warn("series '%.60s' has no forecast: %s", result->id, result->message);
    result_list *inner = results_new(true);
    results_fields(inner, volt_forecast_result, result, "id message");
    results_append(outcome->results, "skipped", inner);
}

static void add_forecast(many_outcome *outcome, const volt_forecast_result *result)
{
    volt_forecast_info info = {.struct_size = sizeof info};
    volt_forecast_get_info(result->forecast, &info);
    const volt_forecast_series *series = volt_forecast_series_at(result->forecast, 0);
    int64_t least = outcome->max_steps ? outcome->min_steps : info.steps;
    outcome->min_steps = least < info.steps ? least : info.steps;
    outcome->max_steps = outcome->max_steps > info.steps ? outcome->max_steps : info.steps;
    outcome->undated += outcome->file->time_name && !result->is_dated;
    outcome->gaps += result->missing_rows > 0;
    outcome->kernels += series->member_weight[VOLT_MEMBER_KERNEL] > 0;
    if (isfinite(series->mase)) {
        outcome->mase += series->mase;
        outcome->measured++;
    }
    if (outcome->out)
        write_steps(outcome, result, info.steps);
    if (outcome->request->json)
        add_json(outcome, result, info.steps);
}

/* Replaces the output by the forecasts so far. Returns the exit status. */
static int write_so_far(many_outcome *outcome)
{
    const char *path = outcome->request->output;
    if (fflush(outcome->out) || outcome->stream.failed)
        return complain(EXIT_FAILED, "not enough memory for the forecasts");
    outcome->written = seconds_now();
    return earlier_write(path, outcome->stream.text, outcome->options);
}

static bool is_file(const many_request *request)
{
    return request->output && !is_standard_output(request->output);
}

static int take_result(const volt_forecast_result *result, void *context)
{
    many_outcome *outcome = context;
    char text[64];
    outcome->series++;
    outcome->made += result->status == VOLT_OK;
    outcome->late += result->status == VOLT_ERR_CANCELLED;
    outcome->resumed += result->done >= 0;
    if (result->done >= 0)
        earlier_print(&outcome->earlier, result->done, outcome->out);
    else if (result->status == VOLT_OK)
        add_forecast(outcome, result);
    else if (result->status != VOLT_ERR_CANCELLED)
        add_skipped(outcome, result);
    snprintf(text, sizeof text, "%lld of %lld series", (long long)outcome->series, (long long)result->count);
    progress_describe(text);
    if (is_file(outcome->request) && outcome->made > 0 && seconds_now() - outcome->written > write_seconds)
        outcome->failed = write_so_far(outcome);
    return outcome->failed || memory_was_out();
}

/* Adds the counts to the results, and the warnings about several series at once. */
static void summarise(const many_outcome *outcome)
{
    result_list *results = outcome->results;
    int64_t made = outcome->made - outcome->resumed, skipped = outcome->series - outcome->made - outcome->late;
    results_count(results, "count", "series", outcome->series);
    results_count(results, "forecasts", "forecasts", outcome->made);
    results_count(results, "resumed", outcome->resumed ? "of an earlier run" : NULL, outcome->resumed);
    results_count(results, "without_forecast", skipped ? "no forecast" : NULL, skipped);
    results_count(results, "not_begun", outcome->late ? "not begun" : NULL, outcome->late);
    results_count(results, "rows", "rows", outcome->file->rows.rows);
    if (made > 0 && outcome->min_steps == outcome->max_steps)
        results_text(results, NULL, "steps", "%lld", (long long)outcome->max_steps);
    else if (made > 0)
        results_text(results, NULL, "steps", "%lld to %lld", (long long)outcome->min_steps,
                     (long long)outcome->max_steps);
    results_count(results, "with_kernel", NULL, outcome->kernels);
    if (made > 0)
        results_text(results, NULL, "kernel", "has a part in %lld of %lld forecasts",
                     (long long)outcome->kernels, (long long)made);
    if (outcome->measured > 0) {
        double mase = outcome->mase / (double)outcome->measured;
        results_number(results, "mase", NULL, mase);
        results_text(results, NULL, "expected error", "MASE %s, mean of %lld series", digits(mase).text,
                     (long long)outcome->measured);
    }
    if (skipped > MAX_NAMED && !is_verbose())
        warn("%lld further series have no forecast; --verbose names all of them",
             (long long)(skipped - MAX_NAMED));
    if (outcome->late > 0)
        warn("%lld of %lld series did not begin within --time-limit%s", (long long)outcome->late,
             (long long)outcome->series,
             is_file(outcome->request) ? "; the same command with --resume continues" : "");
    if (outcome->undated > 0)
        warn("the times of %lld series have no regular step: column '%s' has the numbers of their steps",
             (long long)outcome->undated, outcome->file->time_name);
    if (outcome->gaps > 0)
        warn("rows are missing in %lld series; %s", (long long)outcome->gaps,
             outcome->request->options.missing == VOLT_MISSING_INTERPOLATE
                 ? "they are filled in"
                 : "the row after a gap is used as the next step");
}

/* ---- the steps in order ----------------------------------------------------------------------- */

/* Returns the options that change the forecasts, as text; NULL: out of memory. */
static char *describe_options(const many_request *request)
{
    text_stream text = {0};
    FILE *out = text_open(&text);
    char number[VOLT_NUMBER_LENGTH];
    if (!out)
        return NULL;
    fprintf(out, "version %s\nfile %s\n--id %s\nvalues %s\n", volt_version(), request->source->path,
            request->source->id, request->source->value);
    fprintf(out, "--missing %s\n--kernel %s\n", request->missing == VOLT_MISSING_DROP ? "drop" : "error",
            request->options.kernel);
    fprintf(out, request->options.steps > 0 ? "--steps %lld\n" : "--steps default\n",
            (long long)request->options.steps);
    fprintf(out, request->options.season == VOLT_SEASON_AUTO ? "--season auto\n" : "--season %lld\n",
            (long long)request->options.season);
    for (int64_t c = 0; c < request->n_coverages; c++)
        fprintf(out, "--interval %s\n", volt_format_number(request->coverages[c], number));
    return text_close(&text);
}

/* Opens the output, and reads the forecasts of an earlier run. */
static int begin_output(many_outcome *outcome)
{
    const many_request *request = outcome->request;
    text_stream header = {0};
    if (!request->output)
        return 0;
    outcome->out = text_open(&outcome->stream);
    FILE *out = text_open(&header);
    if (out)
        write_header(outcome, out);
    char *line = text_close(&header);
    outcome->options = describe_options(request);
    int failed = outcome->out && line && outcome->options
                     ? 0
                     : complain(EXIT_FAILED, "not enough memory for the forecasts");
    if (!failed && request->resume)
        failed =
            earlier_read(request->output, request->source->path, line, outcome->options, &outcome->earlier);
    if (!failed)
        fputs(line, outcome->out);
    free(line);
    return failed;
}

/* Writes the output. An interrupted run keeps the forecasts that are complete. */
static int end_output(many_outcome *outcome, volt_status status)
{
    const many_request *request = outcome->request;
    int failed = outcome->failed;
    if (!failed && memory_was_out())
        failed = complain(EXIT_FAILED, "not enough memory for the forecasts");
    if (!failed && status == VOLT_ERR_CANCELLED && is_file(request) && outcome->made > 0) {
        failed = write_so_far(outcome);
        return failed ? failed
                      : complain(interrupt_exit_status(),
                                 "interrupted; %s has the forecasts of %lld series, and the same command with "
                                 "--resume continues",
                                 request->output, (long long)outcome->made);
    }
    if (!failed && status)
        failed = complain_status_hint(status, " (%.120s)", request->source->path);
    if (failed || !request->output)
        return failed;
    char *text = text_close(&outcome->stream);
    if (!text) {
        failed = complain(EXIT_FAILED, "not enough memory for the forecasts");
    } else if (is_file(request)) {
        interrupt_defer(true);
        failed = earlier_write(request->output, text, outcome->options);
        interrupt_defer(false);
    } else {
        failed = output_text(request->output, text);
    }
    free(text);
    return failed;
}

static int forecast_file(const many_request *request, const long_file *file)
{
    many_outcome outcome = {
        .request = request, .file = file, .results = results_new(request->json), .written = seconds_now()};
    volt_forecast_options options = request->options;
    volt_long_rows rows = file->rows;
    int failed = begin_output(&outcome);
    if (!failed) {
        rows.done = outcome.earlier.ids;
        rows.done_times = outcome.earlier.times;
        rows.n_done = outcome.earlier.count;
        options.progress = progress_begin(request->quiet);
        volt_status status = volt_forecast_many(&rows, &options, take_result, &outcome);
        progress_end();
        failed = end_output(&outcome, status);
    }
    free(text_close(&outcome.stream));
    free(outcome.options);
    earlier_release(&outcome.earlier);
    bool prints = !failed && !(request->output && is_standard_output(request->output));
    if (!failed) {
        summarise(&outcome);
        if (request->output)
            results_text(outcome.results, "output", "written", "%s", request->output);
    }
    if (prints)
        return results_print(outcome.results);
    results_discard(outcome.results);
    return failed;
}

int many_run(const many_request *request)
{
    long_file file = {.time_name = NULL};
    int failed = read_file(request, &file);
    if (!failed)
        failed = forecast_file(request, &file);
    release_file(&file);
    return failed;
}
