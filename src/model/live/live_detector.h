/* src/model/live/live_detector.h: scores of rows against their predictions, and the level above which a score is an alarm. */
#ifndef MODEL_LIVE_DETECTOR_H
#define MODEL_LIVE_DETECTOR_H

#include "model/file/file_fields.h"
#include "model/live/live_internal.h"

/* ---- the level -------------------------------------------------------------------------------- */

typedef struct volt_alarm_level {
    double rate;
    int64_t capacity, n, next;
    double *ring, *sorted;
} volt_alarm_level;

/* The last 20 / rate scores, at least 1000 and at most 100,000. Release it in every case. VOLT_ERR_MEMORY. */
volt_status volt_alarm_level_begin(volt_alarm_level *level, double rate);
void volt_alarm_level_release(volt_alarm_level *level);
void volt_alarm_level_add(volt_alarm_level *level, double score);
/* The level for the next score; INFINITY with fewer than 30. */
double volt_alarm_level_now(const volt_alarm_level *level);

/* ---- the detector ----------------------------------------------------------------------------- */

/* For a model that predicts its own inputs one row ahead; it starts with the errors of the later half of training.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_detector_create(const volt_model *model, double rate, int64_t scale_rows,
                                 volt_detector **detector);
volt_status volt_detector_copy(const volt_detector *source, const volt_model *model, volt_detector **detector);
/* Into a state file, and out of it where the file has one; *detector is NULL where it has none. */
void volt_detector_put(const volt_detector *detector, volt_file_writer *writer);
volt_status volt_detector_read(const volt_file_fields *fields, const volt_model *model,
                               volt_detector **detector);

#endif
