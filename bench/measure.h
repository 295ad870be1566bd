/* bench/measure.h: time runs, judge them against a budget, write one JSON line per measurement.
 *
 * JSON goes to standard output. Where the environment names a file BENCH_TABLE, a row for people is
 * appended to it: bench/run.sh prints them together at the end. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "volterra.h"

#include <stdint.h>

/* Seconds on a clock that only goes forward. */
double seconds_now(void);

/* A rest, so that the spinning threads of one side are asleep before the other side is timed. */
void rest(void);

typedef struct timing {
    double best, median; /* seconds */
} timing;

/* Sorts `seconds`. */
timing timing_of(double *seconds, int64_t count);

/* Seconds of one run of what is measured. */
typedef double (*run_fn)(void *context);

/* `count` runs, the first of which may find cold caches: best and median do not see it. */
timing time_runs(run_fn run, void *context, int count);

/* The same for two sides in turn, so that both see the same machine. With warm_up each side runs once
 * untimed before each run: after a rest the system takes milliseconds to give two threads two cores, which
 * matters for work as short as that. */
void time_in_turn(run_fn ours, void *our_context, run_fn theirs, void *their_context, int count, int warm_up,
                  timing *our_timing, timing *their_timing);

typedef enum judged { JUDGE_NOTHING, JUDGE_VALUE, JUDGE_RATIO } judged;

typedef struct measurement {
    const char *name;
    const char *parameters; /* "n=3008 d=10": becomes an object in the JSON line */
    timing time;            /* all zero: nothing was timed */
    double value;           /* the rate, or what else was measured */
    const char *unit;       /* of value; NULL: there is none. "G entries/s" makes it a rate */
    const char *peer;       /* who was measured in turn with us; NULL: nobody */
    timing peer_time;
    judged judge;             /* JUDGE_RATIO: peer_time over time, best against best */
    double at_least, at_most; /* the budget: one of them, the other 0 */
} measurement;

/* Write it. A budget on the ratio without a peer is not judged. */
void report(const measurement *m);

/* End the program, with the library's sentence, when a call failed. */
void need(volt_status status, const char *what);

/* End the program when `error` is not within `tolerance` (or not a number). */
void need_close(const char *what, double error, double tolerance);

/* `count` doubles, all pages touched; ends the program when there is no memory. */
double *need_doubles(int64_t count);

#endif
