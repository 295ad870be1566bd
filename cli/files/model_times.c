/* cli/files/model_times.c: timestamps of the training rows, stored in the model's notes. */
#include "files/model_times.h"

#include "files/row_times.h"
#include "terminal/messages.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- write the notes -------------------------------------------------------------------------- */

void model_times_note(const volt_calendar *added, noted_times *noted)
{
    memset(noted, 0, sizeof *noted);
    if (added->parts) {
        noted->notes.calendar = added->parts;
        noted->notes.calendar_scale = volt_format_number(added->scale, noted->scale);
    }
}

void model_times_note_horizons(int64_t first, int64_t last, noted_times *noted)
{
    snprintf(noted->horizons, sizeof noted->horizons, "%lld..%lld", (long long)first, (long long)last);
    noted->notes.horizons = noted->horizons;
}

/* ---- read the notes --------------------------------------------------------------------------- */

static int complain_note(const char *name, const char *text)
{
    return complain(EXIT_FAILED, "the model's \"%s\" is invalid: \"%.40s\"", name, text);
}

static int read_calendar(const volt_model_info *model, volt_calendar *added)
{
    const volt_model_notes *notes = &model->notes;
    *added = (volt_calendar){.parts = notes->calendar, .scale = 1};
    if (!notes->calendar)
        return 0;
    if (volt_calendar_columns(added, NULL, volt_matrix_of(NULL, 0, 0)) || added->cols >= model->d)
        return complain_note("calendar", notes->calendar);
    const char *scale = notes->calendar_scale ? notes->calendar_scale : "";
    if (!volt_parse_number(scale, &added->scale) || !(added->scale > 0) || !isfinite(added->scale))
        return complain_note("calendar_scale", scale);
    return 0;
}

/* Validates the note "A..B": the outputs are the horizons A to B, and B is the model's horizon. */
static bool horizons_fit(const volt_model_info *model)
{
    long long first = 0, last = 0;
    int used = 0;
    const char *text = model->notes.horizons;
    return sscanf(text, "%12lld..%12lld%n", &first, &last, &used) == 2 && !text[used] && first >= 1 &&
           first < last && last == model->ahead && model->q % (last - first + 1) == 0;
}

int model_times_read(const volt_model_info *model, model_times *times)
{
    const volt_model_notes *notes = &model->notes;
    memset(times, 0, sizeof *times);
    if (notes->horizons && !horizons_fit(model))
        return complain_note("horizons", notes->horizons);
    times->ahead = notes->horizons ? 0 : model->ahead;
    times->step = model->times.step;
    return read_calendar(model, &times->calendar);
}

int model_times_read_inputs(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                            const volt_model_info *model, const model_times *times, const char *series,
                            record_list *records)
{
    volt_model_info own = *model; /* without calendar columns */
    volt_calendar added = times->calendar;
    own.d -= times->calendar.cols;
    int failed = dataset_read_inputs(data, source, record_list_policy(series, missing), rows, &own);
    if (!failed && series)
        failed = record_list_read(records, series, data, NULL);
    if (!failed && series)
        failed = record_list_fill(records, data, NULL, missing);
    return failed ? failed : calendar_add(&added, data, "the calendar of the model");
}

/* ---- compare new rows with the training rows -------------------------------------------------- */

/* Warns that rows are missing between `last`, the end of the training rows, and a row, or between two rows. */
static void warn_gap(const volt_model_info *model, const dataset *inputs, volt_time last,
                     const volt_warning *gap)
{
    char expected[VOLT_TIME_LENGTH] = "a later time", hint[128] = "";
    const volt_table *table = inputs->table;
    long long lacking = (long long)gap->value, ahead = (long long)model->ahead;
    volt_time before =
        gap->row > 0 && table->times[gap->row - 1].seconds >= last.seconds ? table->times[gap->row - 1] : last;
    bool at_start = before.seconds == last.seconds;
    volt_time_write_like(table->time_texts[gap->row], table->times[gap->row],
                         volt_time_advance(before, model->times.step, 1), expected);
    if (at_start && lacking <= ahead)
        snprintf(hint, sizeof hint, " (the last %lld row%s of the training file were targets only)", ahead,
                 ahead == 1 ? "" : "s");
    warn("%s %s at %s, but the row after %s is %s: %lld row%s missing%s", inputs->source,
         at_start ? "begins" : "has a gap", table->time_texts[gap->row],
         at_start ? "the training rows" : "the previous row", expected, lacking, lacking == 1 ? "" : "s", hint);
}

/* Warns of rows that do not follow `last`, the end of the training rows, as `note` writes it. */
static void warn_rows(const volt_model_info *model, const dataset *inputs, volt_time last, const char *note,
                      const volt_times_report *report)
{
    const volt_warning *gap = row_times_warning(report, VOLT_WARNING_ROWS_MISSING);
    if (note && row_times_warning(report, VOLT_WARNING_TRAINING_ROWS))
        warn("%s begins at %s, within the training rows, which end at %s, but the state is the one after "
             "training: give later rows, or --start reset",
             inputs->source, inputs->table->time_texts[0], note);
    else if (gap)
        warn_gap(model, inputs, last, gap);
}

int model_times_warn_start(const volt_model_info *model, const dataset *inputs, bool follows)
{
    volt_times_report report;
    volt_time end = model->times.end;
    int failed = row_times_check(inputs, &model->times.step, end, &report);
    if (failed || !follows || row_times_warning(&report, VOLT_WARNING_ROWS_UNORDERED))
        return failed;
    if (isfinite(end.seconds) && inputs->table->times)
        warn_rows(model, inputs, end, model->notes.time_end, &report);
    else if (volt_model_begins(model, inputs->view))
        warn("%s begins with the training rows, but the state is the one after training: give the rows after "
             "the first %lld, or --start reset",
             inputs->source, (long long)model->n);
    return 0;
}

/* Drops rows before the last training target. */
static int leave_out_known(const volt_model_info *model, int64_t known, dataset *inputs)
{
    const volt_table *table = inputs->table;
    char target[VOLT_TIME_LENGTH] = "a later time";
    volt_time_write_like(table->time_texts[0], table->times[0], model->times.target, target);
    if (known == table->rows)
        return complain(EXIT_FAILED, "%s ends at %s, but the training rows end at %s: no new rows",
                        inputs->source, table->time_texts[table->rows - 1], target);
    if (known > 0)
        warn("%s: %lld row%s before %s skipped (training rows)", inputs->source, (long long)known,
             known == 1 ? "" : "s", target);
    inputs->view = volt_view_rows(inputs->view, known, inputs->view.rows - known);
    return 0;
}

int model_times_find_start(const volt_model_info *model, dataset *inputs, volt_start *start)
{
    volt_times_report report;
    volt_time target = model->times.target;
    *start = VOLT_START_CONTINUE;
    if (!isfinite(target.seconds) || !inputs->table->times)
        return model_times_warn_start(model, inputs, true);
    int failed = row_times_check(inputs, &model->times.step, target, &report);
    if (!failed && !row_times_warning(&report, VOLT_WARNING_ROWS_UNORDERED))
        failed = leave_out_known(model, report.before, inputs);
    if (failed)
        return failed;
    *start = report.start;
    warn_rows(model, inputs, target, NULL, &report);
    return 0;
}
