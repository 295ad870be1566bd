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

int model_times_note(const dataset *data, int64_t n, int64_t ahead, const calendar *added, noted_times *noted)
{
    memset(noted, 0, sizeof *noted);
    volt_model_notes *notes = &noted->notes;
    if (added->parts) {
        notes->calendar = added->parts;
        notes->calendar_scale = volt_format_number(added->scale, noted->scale);
    }
    if (!data->table->times)
        return 0;
    volt_time_step step;
    int failed = row_times_step(data, &step);
    if (!failed && volt_time_step_is_known(step))
        notes->time_step = volt_time_step_format(step, noted->step);
    notes->time_end = volt_time_format(data->table->times[n - 1], noted->end);
    notes->time_target = volt_time_format(data->table->times[n - 1 + ahead], noted->target);
    return failed;
}

void model_times_note_horizons(int64_t first, int64_t last, noted_times *noted)
{
    snprintf(noted->horizons, sizeof noted->horizons, "%lld..%lld", (long long)first, (long long)last);
    noted->notes.horizons = noted->horizons;
}

/* ---- read the notes --------------------------------------------------------------------------- */

static int complain_note(const char *name, const char *text)
{
    return complain(EXIT_FAILED, "the model's \"%s\" is \"%.40s\", which is none", name, text);
}

static int read_calendar(const volt_model_info *model, calendar *added)
{
    const volt_model_notes *notes = &model->notes;
    *added = (calendar){.parts = notes->calendar, .scale = 1};
    if (!notes->calendar)
        return 0;
    if (volt_calendar_parse(notes->calendar, &added->columns) || added->columns.cols >= model->d)
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
    if (notes->time_end) {
        if (volt_times_parse(&notes->time_end, 1, &times->end))
            return complain_note("time_end", notes->time_end);
        times->has_end = true;
    }
    if (notes->time_step && volt_time_step_parse(notes->time_step, &times->step))
        return complain_note("time_step", notes->time_step);
    if (notes->time_target && volt_times_parse(&notes->time_target, 1, &times->target))
        return complain_note("time_target", notes->time_target);
    times->has_target = notes->time_target != NULL;
    if (!times->has_target && times->has_end &&
        volt_time_step_is_known(times->step)) { /* a file of version 1.0 */
        times->target = volt_time_advance(times->end, times->step, model->ahead);
        times->has_target = true;
    }
    return read_calendar(model, &times->calendar);
}

int model_times_read_inputs(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                            const volt_model_info *model, const model_times *times, const char *series,
                            record_list *records)
{
    volt_model_info own = *model; /* without calendar columns */
    own.d -= times->calendar.columns.cols;
    int failed = dataset_read_inputs(data, source, record_list_policy(series, missing), rows, &own);
    if (!failed && series)
        failed = record_list_read(records, series, data);
    if (!failed && series)
        failed = record_list_fill(records, data, NULL, missing);
    return failed ? failed : calendar_add(&times->calendar, data, "the calendar of the model");
}

/* ---- compare new rows with the training rows -------------------------------------------------- */

/* Warns that the first row is not at `next`, the time after the training rows. `step` is in seconds. */
static void warn_gap(const volt_model_info *model, const dataset *inputs, int64_t first, volt_time next,
                     double step)
{
    char expected[VOLT_TIME_LENGTH];
    const volt_table *table = inputs->table;
    long long lacking = llround((table->times[first].seconds - next.seconds) / step);
    char hint[128] = "";
    if (lacking > 0 && lacking <= model->ahead)
        snprintf(hint, sizeof hint, " (the last %lld row%s of the training file were targets only)",
                 (long long)model->ahead, model->ahead == 1 ? "" : "s");
    warn("%s begins at %s, and the row that follows the model's training rows is that of %s: %lld row%s "
         "between are "
         "missing%s",
         inputs->source, table->time_texts[first], volt_time_format(next, expected), lacking,
         lacking == 1 ? "" : "s", hint);
}

static void warn_start_by_time(const volt_model_info *model, const model_times *times, const dataset *inputs)
{
    char end[VOLT_TIME_LENGTH];
    const volt_table *table = inputs->table;
    volt_time next = volt_time_advance(times->end, times->step, 1);
    double first = table->times[0].seconds, step = next.seconds - times->end.seconds;
    if (first <= times->end.seconds)
        warn("%s begins at %s, among the rows that the model was fitted on, which end at %s: forecasts go on "
             "after those; "
             "give the rows after them, or --start reset",
             inputs->source, table->time_texts[0], volt_time_format(times->end, end));
    else if (step > 0 && first - next.seconds > step / 2)
        warn_gap(model, inputs, 0, next, step);
}

void model_times_warn_start(const volt_model_info *model, const model_times *times, const dataset *inputs)
{
    if (times->has_end && inputs->table->times)
        warn_start_by_time(model, times, inputs);
    else if (volt_model_begins(model, inputs->view))
        warn("%s begins with the rows that the model was fitted on, and forecasts go on after those: give the "
             "rows after "
             "the first %lld, or --start reset",
             inputs->source, (long long)model->n);
}

/* Drops rows before the last training target. */
static int leave_out_known(const model_times *times, dataset *inputs, int64_t *first)
{
    char end[VOLT_TIME_LENGTH];
    const volt_table *table = inputs->table;
    *first = 0;
    while (*first < table->rows && !row_times_are_same(table->times[*first], times->target) &&
           table->times[*first].seconds < times->target.seconds)
        ++*first;
    if (*first == 0)
        return 0;
    volt_time_format(times->target, end);
    if (*first == table->rows)
        return complain(EXIT_FAILED,
                        "%s ends at %s, and the training rows of the model end at %s: no row is new",
                        inputs->source, table->time_texts[table->rows - 1], end);
    warn("%s: %lld row%s before %s left out: the model was fitted on them", inputs->source, (long long)*first,
         *first == 1 ? "" : "s", end);
    inputs->view.data += *first * inputs->view.ld;
    inputs->view.rows -= *first;
    return 0;
}

int model_times_find_start(const volt_model_info *model, const model_times *times, dataset *inputs,
                           volt_start *start)
{
    const volt_table *table = inputs->table;
    int64_t first = 0;
    *start = VOLT_START_CONTINUE;
    bool ordered = row_times_warn_order(inputs);
    if (!ordered || !times->has_target || !table->times) {
        if (ordered)
            model_times_warn_start(model, times, inputs);
        return 0;
    }
    int failed = leave_out_known(times, inputs, &first);
    if (failed)
        return failed;
    *start =
        row_times_are_same(table->times[first], times->target) ? VOLT_START_AT_TARGET : VOLT_START_AFTER_TARGET;
    volt_time next = volt_time_advance(times->target, times->step, 1);
    double step = next.seconds - times->target.seconds;
    if (step > 0 && table->times[first].seconds - next.seconds > step / 2)
        warn_gap(model, inputs, first, next, step);
    return 0;
}
