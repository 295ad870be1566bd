/* bench/measure.h: time runs, compare them with a budget, write one JSON line per measurement.
 *
 * JSON is written to standard output. If the environment variable BENCH_TABLE names a file, a formatted row is appended to it:
 * bench/run.sh prints the table at the end. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "volterra.h"

#include <stdint.h>

/* Seconds of a monotonic clock. */
double seconds_now(void);

/* Pauses, so that the spinning threads of one side are asleep before the other side is timed. */
void rest(void);

typedef struct timing {
    double best, median; /* seconds */
} timing;

/* Sorts `seconds`. */
timing timing_of(double *seconds, int64_t count);

/* Runs the measured work once and returns its seconds. */
typedef double (*run_fn)(void *context);

/* `count` runs; the first may have cold caches and is not part of best and median. */
timing time_runs(run_fn run, void *context, int count);

/* The same for two sides in alternation, under the same conditions. With warm_up each side runs once untimed before each run:
 * after a pause the system takes milliseconds to give two threads two cores, which matters for short work. */
void time_in_turn(run_fn ours, void *our_context, run_fn theirs, void *their_context, int count, int warm_up,
                  timing *our_timing, timing *their_timing);

typedef enum judged { JUDGE_NOTHING, JUDGE_VALUE, JUDGE_RATIO } judged;

typedef struct measurement {
    const char *name;
    const char *parameters; /* "n=3008 d=10": becomes an object in the JSON line */
    timing time;            /* all zero: nothing was timed */
    double value;           /* rate, or another measured value */
    const char *unit;       /* of value; NULL: none. "G entries/s" makes it a rate */
    const char *peer;       /* name of the peer measured in alternation; NULL: none */
    timing peer_time;
    judged judge;             /* JUDGE_RATIO: peer_time over time, best against best */
    double at_least, at_most; /* the budget: one of them, the other 0 */
} measurement;

/* Writes a measurement. A budget on the ratio is ignored without a peer. */
void report(const measurement *m);

/* Ends the program with the library's message if a call failed. */
void need(volt_status status, const char *what);

/* Ends the program if `error` is not within `tolerance` (or NaN). */
void need_close(const char *what, double error, double tolerance);

/* ---- progress --------------------------------------------------------------------------------- */

/* Times of the stages of a fit, from its progress reports. With BENCH_STAGES in the environment, each stage is
 * printed to standard error, and at the end the longest time without a new fraction. */
typedef struct stage_times {
    char stage[64];
    double begun, moved; /* of the stage; last increase of the fraction */
    double fraction, longest;
    int decreased; /* a fraction below an earlier one was reported */
} stage_times;

stage_times stages_begin(void);
/* Of type volt_progress_fn; the context is a stage_times. */
int watch_stages(const char *stage, double fraction, void *context);
/* Ends the program if a fraction has decreased. */
void stages_end(stage_times *times);

/* Allocates `count` doubles with all pages mapped; ends the program without memory. */
double *need_doubles(int64_t count);

#endif
