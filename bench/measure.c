/* bench/measure.c: clocks, budgets, JSON lines. */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"
#include "text/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- time ------------------------------------------------------------------------------------- */

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void rest(void)
{
    struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    nanosleep(&pause, NULL);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

timing timing_of(double *seconds, int64_t count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare_doubles);
    timing t = {seconds[0], (seconds[(count - 1) / 2] + seconds[count / 2]) / 2};
    return t;
}

timing time_runs(run_fn run, void *context, int count)
{
    double *seconds = need_doubles(count);
    for (int i = 0; i < count; i++)
        seconds[i] = run(context);
    timing t = timing_of(seconds, count);
    free(seconds);
    return t;
}

static double run_rested(run_fn run, void *context, int warm_up)
{
    rest();
    if (warm_up)
        run(context);
    return run(context);
}

void time_in_turn(run_fn ours, void *our_context, run_fn theirs, void *their_context, int count, int warm_up,
                  timing *our_timing, timing *their_timing)
{
    double *our_seconds = need_doubles(count), *their_seconds = need_doubles(count);
    for (int i = 0; i < count; i++) {
        our_seconds[i] = run_rested(ours, our_context, warm_up);
        their_seconds[i] = run_rested(theirs, their_context, warm_up);
    }
    *our_timing = timing_of(our_seconds, count);
    *their_timing = timing_of(their_seconds, count);
    free(our_seconds);
    free(their_seconds);
}

/* ---- report ----------------------------------------------------------------------------------- */

/* "n=3008 lift=even" as {"n": 3008, "lift": "even"}. */
static void print_parameters(const char *parameters)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", parameters);
    const char *between = "";
    putchar('{');
    for (char *rest_of = copy, *pair; (pair = strtok_r(rest_of, " ", &rest_of));) {
        char *value = strchr(pair, '=');
        double number;
        if (!value)
            continue;
        *value++ = '\0';
        bool is_number = volt_parse_number(value, &number);
        printf(is_number ? "%s\"%s\": %s" : "%s\"%s\": \"%s\"", between, pair, value);
        between = ", ";
    }
    putchar('}');
}

typedef struct verdict {
    bool has_budget, is_judged, is_met;
    double quantity;
    const char *unit;
} verdict;

static verdict judge(const measurement *m)
{
    verdict v = {.has_budget = m->judge != JUDGE_NOTHING,
                 .quantity = m->judge == JUDGE_RATIO && m->peer ? m->peer_time.best / m->time.best : m->value,
                 .unit = m->judge == JUDGE_RATIO ? "x"
                         : m->unit               ? m->unit
                                                 : ""};
    v.is_judged = v.has_budget && (m->judge == JUDGE_VALUE || m->peer);
    v.is_met = v.is_judged && (m->at_least > 0 ? v.quantity >= m->at_least : v.quantity <= m->at_most);
    return v;
}

static void print_json(const measurement *m, const verdict *v)
{
    printf("{\"name\": \"%s\", \"parameters\": ", m->name);
    print_parameters(m->parameters);
    if (m->time.best > 0)
        printf(", \"seconds\": %.6g, \"median_seconds\": %.6g", m->time.best, m->time.median);
    if (m->unit) {
        size_t length = strlen(m->unit);
        bool is_rate = length > 2 && strcmp(m->unit + length - 2, "/s") == 0;
        printf(", \"%s\": %.6g, \"unit\": \"%s\"", is_rate ? "rate" : "value", m->value, m->unit);
    }
    if (m->peer)
        printf(", \"peer\": \"%s\", \"peer_seconds\": %.6g, \"peer_median_seconds\": %.6g, \"ratio\": %.4g",
               m->peer, m->peer_time.best, m->peer_time.median, m->peer_time.best / m->time.best);
    if (v->has_budget)
        printf(", \"judged\": \"%s\", \"budget\": \"%s %g\", \"met\": %s",
               m->judge == JUDGE_RATIO ? "ratio" : "value",
               m->at_least > 0 ? ">=" : "<=", m->at_least > 0 ? m->at_least : m->at_most,
               !v->is_judged ? "null"
               : v->is_met   ? "true"
                             : "false");
    puts("}");
    fflush(stdout);
}

static void append_row(const measurement *m, const verdict *v)
{
    const char *path = getenv("BENCH_TABLE");
    FILE *table = path && *path ? fopen(path, "a") : NULL;
    if (!table)
        return;
    char measured[64], budget[32] = "";
    if (v->has_budget && !v->is_judged)
        snprintf(measured, sizeof measured, "no peer");
    else
        snprintf(measured, sizeof measured, "%.4g %s", v->quantity, v->unit);
    if (v->has_budget)
        snprintf(budget, sizeof budget, "%s %g",
                 m->at_least > 0 ? ">=" : "<=", m->at_least > 0 ? m->at_least : m->at_most);
    fprintf(table, "%-22s %-50s %-22s %-9s %s\n", m->name, m->parameters, measured, budget,
            !v->has_budget  ? ""
            : !v->is_judged ? "not judged"
            : v->is_met     ? "met"
                            : "MISSED");
    fclose(table);
}

void report(const measurement *m)
{
    verdict v = judge(m);
    print_json(m, &v);
    append_row(m, &v);
}

/* ---- checks ----------------------------------------------------------------------------------- */

void need(volt_status status, const char *what)
{
    if (status == VOLT_OK)
        return;
    fprintf(stderr, "bench: %s: %s: %s\n", what, volt_status_message(status), volt_error_detail());
    exit(1);
}

void need_close(const char *what, double error, double tolerance)
{
    if (error <= tolerance)
        return;
    fprintf(stderr, "bench: %s: the error is %.3g, and may be %.3g\n", what, error, tolerance);
    exit(1);
}

double *need_doubles(int64_t count)
{
    double *values = malloc((size_t)(count > 0 ? count : 1) * sizeof *values);
    if (!values) {
        fprintf(stderr, "bench: no memory for %lld numbers\n", (long long)count);
        exit(1);
    }
    /* Not zeros: a compiler may turn malloc and zeros into calloc, whose pages are not mapped yet. */
    for (int64_t i = 0; i < count; i++)
        values[i] = 1;
    return values;
}

/* ---- progress --------------------------------------------------------------------------------- */

static int prints_stages(void)
{
    const char *text = getenv("BENCH_STAGES");
    return text && *text;
}

stage_times stages_begin(void)
{
    double now = seconds_now();
    return (stage_times){.begun = now, .moved = now};
}

static void end_stage(stage_times *times, const char *next)
{
    double now = seconds_now();
    if (prints_stages())
        fprintf(stderr, "bench:   %-28s %7.3f s\n", times->stage[0] ? times->stage : "(before)",
                now - times->begun);
    snprintf(times->stage, sizeof times->stage, "%s", next);
    times->begun = now;
}

int watch_stages(const char *stage, double fraction, void *context)
{
    stage_times *times = context;
    double now = seconds_now();
    if (strcmp(stage, times->stage) != 0)
        end_stage(times, stage);
    times->decreased |= fraction < times->fraction;
    if (fraction > times->fraction) {
        times->longest = now - times->moved > times->longest ? now - times->moved : times->longest;
        times->moved = now;
        times->fraction = fraction;
    }
    return 0;
}

void stages_end(stage_times *times)
{
    end_stage(times, "");
    if (times->decreased) {
        fprintf(stderr, "bench: the progress has decreased\n");
        exit(1);
    }
    if (prints_stages())
        fprintf(stderr, "bench:   longest time without progress %.3f s\n", times->longest);
}
