/* src/select/search/trial_log.h: the log of a search, one line of JSON per trial.
 *
 *     {"index":0,"kernel":"volterra:tau_coef=0.3,...","alpha":0.001,"folds":[0.81,0.85],"score":0.83,
 *      "seconds":0.21,"stopped":null,"failure":null,"measure":"r2","search":"9f2c..."}
 *
 * With feedback, its weight `feedback` follows alpha. With a loss, `loss` follows `measure`, which is then
 * the name of its score, such as "pinball loss". `stopped` is the number of folds after which the race
 * stopped the candidate. `failure` is the reason why there is no score (alpha is 0 then if it was to be
 * profiled). `search` is a fingerprint of data, candidates and options, the same in all lines of one search. */
#ifndef SELECT_TRIAL_LOG_H
#define SELECT_TRIAL_LOG_H

#include "select/search/search_internal.h"

#include <stdbool.h>

enum { VOLT_FINGERPRINT_LENGTH = 17 }; /* 16 digits and a zero byte */

typedef struct volt_trial_log {
    int file; /* descriptor */
    char *path;
    char fingerprint[VOLT_FINGERPRINT_LENGTH];
    volt_measure measure;
} volt_trial_log;

/* The fingerprint of a search, 16 digits. VOLT_ERR_MEMORY. */
volt_status volt_search_fingerprint(const volt_candidates *candidates, volt_view X, volt_view Y,
                                    const volt_search_options *options,
                                    char fingerprint[VOLT_FINGERPRINT_LENGTH]);

/* A trial and its line, from 0. */
typedef struct volt_queued_trial {
    volt_trial *trial; /* NULL: ownership was taken */
    int64_t order;
} volt_queued_trial;

/* The trials of a log, by index; for equal indices the trial with most scores first. Initialise to {0}. */
typedef struct volt_trial_queue {
    volt_queued_trial *entries;
    int64_t count, capacity;
} volt_trial_queue;

/* Reads the trials of the search with this fingerprint and measure. An incomplete last line, left by a killed
 * process, is skipped; *whole receives the bytes before it. Every field of a line is checked; a kernel must
 * be written as volt_kernel_text writes it. VOLT_ERR_IO; VOLT_ERR_FORMAT, with the line, also for lines of
 * another search and for two candidates with the same index. Always free the queue. */
volt_status volt_trial_log_read(const char *path, const char *fingerprint, const volt_measure *measure,
                                volt_trial_queue *queue, int64_t *whole);
/* Also frees the trials that were not taken. */
void volt_trial_queue_free(volt_trial_queue *queue);

/* Opens for appending and holds the lock of the file until it is closed: one search writes at a time, and
 * reads earlier trials under the lock. VOLT_ERR_IO, also when another search has the lock. Warns if the file
 * system has no locks. */
volt_status volt_trial_log_open(const char *path, const char *fingerprint, const volt_measure *measure,
                                volt_trial_log *log);
bool volt_trial_log_is_empty(const volt_trial_log *log);
/* Truncates a longer file to its first `whole` bytes. */
volt_status volt_trial_log_cut(const volt_trial_log *log, int64_t whole);
/* Writes one line in one call. */
volt_status volt_trial_log_append(volt_trial_log *log, const volt_trial *trial);
void volt_trial_log_close(volt_trial_log *log);

#endif
