/* cli/files/model_times.h: timestamps of the training rows, stored in the model's notes. */
#ifndef CLI_MODEL_TIMES_H
#define CLI_MODEL_TIMES_H

#include "files/calendar.h"
#include "files/inputs.h"
#include "files/record_list.h"
#include "text/text.h"
#include "volterra.h"

/* ---- write the notes -------------------------------------------------------------------------- */

/* The notes of a model and the memory of their texts. */
typedef struct noted_times {
    volt_model_notes notes;
    char scale[VOLT_NUMBER_LENGTH], horizons[VOLT_TIME_LENGTH];
} noted_times;

/* Notes the calendar columns. */
void model_times_note(const volt_calendar *added, noted_times *noted);

/* Notes that the outputs are the horizons `first` to `last`. */
void model_times_note_horizons(int64_t first, int64_t last, noted_times *noted);

/* ---- read the notes --------------------------------------------------------------------------- */

typedef struct model_times {
    volt_time_step step;    /* all zero: unknown */
    volt_calendar calendar; /* its columns are the last inputs */
    int64_t ahead;          /* horizon in rows; 0 also if the outputs have different horizons */
} model_times;

/* Returns 0, or the exit status after an error message about invalid notes. */
int model_times_read(const volt_model_info *model, model_times *times);

/* Warns if the rows are not in order or, with `follows`, do not begin where the training rows end. Returns 0, or the exit
 * status after an error message. */
int model_times_warn_start(const volt_model_info *model, const dataset *inputs, bool follows);

/* Sets the start for volt_model_continue. If the model and the rows have timestamps, rows before the last
 * training target are dropped from inputs->view with a warning. Otherwise the library compares values.
 * Returns 0, or the exit status after an error message if no row is left. */
int model_times_find_start(const volt_model_info *model, dataset *inputs, volt_start *start);

/* Reads the inputs of a model as dataset_read_inputs does, with the calendar columns, and the records in
 * `series` unless it is NULL. */
int model_times_read_inputs(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                            const volt_model_info *model, const model_times *times, const char *series,
                            record_list *records);

#endif
