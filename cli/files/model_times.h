/* cli/files/model_times.h: what a model knows of the times of its training rows, and whether other rows follow them. */
#ifndef CLI_MODEL_TIMES_H
#define CLI_MODEL_TIMES_H

#include "files/calendar.h"
#include "files/inputs.h"
#include "files/record_list.h"
#include "text/text.h"
#include "volterra.h"

/* ---- into a model ----------------------------------------------------------------------------- */

/* The notes of a model, and the texts that they point to. */
typedef struct noted_times {
    volt_model_notes notes;
    char end[VOLT_TIME_LENGTH], target[VOLT_TIME_LENGTH], step[VOLT_TIME_LENGTH];
    char scale[VOLT_NUMBER_LENGTH], horizons[VOLT_TIME_LENGTH];
} noted_times;

/* Notes the end and the step of the times of the first `n` rows of the data, which a model is fitted on, the time of its last
 * target, `ahead` rows later, and the calendar whose columns they have. Returns 0, or the exit status after a message. */
int model_times_note(const dataset *data, int64_t n, int64_t ahead, const calendar *added, noted_times *noted);

/* Note that the outputs lie from `first` to `last` rows ahead. */
void model_times_note_horizons(int64_t first, int64_t last, noted_times *noted);

/* ---- out of it -------------------------------------------------------------------------------- */

typedef struct model_times {
    bool has_end, has_target;
    volt_time end;       /* of the last training input */
    volt_time target;    /* of the last training target */
    volt_time_step step; /* all zero: not known */
    calendar calendar;   /* whose columns are the last inputs */
    int64_t ahead;       /* rows from an input to what is forecast; 0 also where the outputs differ in that */
} model_times;

/* Returns 0, or the exit status after saying that the notes of the model are no such. */
int model_times_read(const volt_model_info *model, model_times *times);

/* Warn, in one line, when the rows do not begin where the training rows ended. */
void model_times_warn_start(const volt_model_info *model, const model_times *times, const dataset *inputs);

/* Where the rows begin that a model continues after, for volt_model_continue. Dates decide where the model and the
 * rows have them: rows before the last training target are left out of inputs->view, with a warning. Without dates the
 * library decides by value. Returns 0, or the exit status after the message that no row is left. */
int model_times_find_start(const volt_model_info *model, const model_times *times, dataset *inputs,
                           volt_start *start);

/* Read the inputs of a model as dataset_read_inputs does, with the columns of its calendar, and the records that `series`
 * names, where it is not NULL. */
int model_times_read_inputs(dataset *data, const char *source, volt_missing missing, const row_range *rows,
                            const volt_model_info *model, const model_times *times, const char *series,
                            record_list *records);

#endif
