/* src/io/time/time_grid.c: the step of times of rows, and rows missing from them.
 *
 * The step is the description that most rows follow exactly, among those that the median step suggests: months to the same
 * or the last day, or to the last or first open weekday; seconds, with or without closed weekdays. */
#include "io/time/time_grid.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "io/time/time_text.h"

#include <math.h>
#include <stdbool.h>

static const double day = 86400, min_month = 27 * 86400.0;
static const double late = 1.5; /* largest distance of consecutive rows, in steps */
static const double rare = 0.1; /* relative to an even distribution: a rarer weekday or time of day is closed */
static const double rounding = 2e-6;             /* of times with 10 digits, in seconds */
static const double max_seconds = 4e6 * 86400.0; /* about 11000 years: days fit an integer */
enum { HOLIDAY = 2 /* working days */, SUNDAY = 6, WEEK = 7, MIN_ROWS = 3, WEEKEND = 1 << 5 | 1 << 6 };

/* Local time for days, months and closed weekdays, UTC for other steps, which clock changes must not affect. */
static double moment(volt_time_step step, volt_time time)
{
    int is_local = step.months > 0 || step.seconds >= day || step.closed_weekdays;
    return is_local ? time.clock : time.seconds;
}

static int64_t day_of(double seconds)
{
    return (int64_t)floor(seconds / day);
}

/* Less than a day, also of times that differ from midnight by less than the rounding error. */
static double time_of_day(volt_time time)
{
    return fmin(time.clock - day * floor(time.clock / day), nextafter(day, 0));
}

int volt_time_is_put_back(volt_time_step step, volt_time before, volt_time after)
{
    const double hour = 3600;
    const volt_time late_night = {.clock = after.clock + hour};
    int has_zone = before.seconds != before.clock || after.seconds != after.clock;
    return !has_zone && step.seconds > 0 && step.seconds <= hour && fabs(after.clock) < max_seconds &&
           fabs(after.clock - before.clock - (step.seconds - hour)) <= rounding &&
           volt_weekday_of_days(day_of(late_night.clock)) == SUNDAY && time_of_day(late_night) < 5 * hour;
}

int64_t volt_times_disorder(const volt_time *times, int64_t n, volt_time_step step)
{
    int64_t i = 1;
    while (i < n &&
           (times[i].seconds > times[i - 1].seconds || volt_time_is_put_back(step, times[i - 1], times[i])))
        i++;
    return volt_min(i, n);
}

int64_t volt_time_grid_missing(const volt_time_grid *grid, volt_time before, volt_time after)
{
    volt_time_step step = grid->step;
    double a = moment(step, before), b = moment(step, after);
    if (!volt_time_step_is_known(step) || !(fabs(a) < max_seconds && fabs(b) < max_seconds))
        return 0;
    double apart = volt_time_steps_between(step, a, b);
    if (grid->closes_nightly) {
        int64_t nights = volt_open_days(step.closed_weekdays, day_of(before.clock), day_of(after.clock) - 1);
        if (nights > 0 && nights <= (step.closed_weekdays ? 1 + HOLIDAY : 1))
            return 0;
    }
    int64_t missing = apart > late ? (int64_t)fmin(rint(apart), 0x1p53) - 1 : 0; /* steps may be tiny */
    return step.closed_weekdays && step.seconds == day && missing <= HOLIDAY ? 0 : missing;
}

/* ---- parts of a description ------------------------------------------------------------------- */

static double median(double *values, int64_t n)
{
    volt_sort(values, n);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Median step in seconds. Days are measured on the local clock. */
static double find_seconds(const volt_time *times, int64_t n, double *work)
{
    double seconds = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 1; i < n; i++)
            work[i - 1] = pass ? times[i].clock - times[i - 1].clock : times[i].seconds - times[i - 1].seconds;
        seconds = median(work, n - 1);
        if (!(seconds >= 23 * day / 24))
            break;
    }
    return seconds;
}

/* The number of months that most rows are apart, on whichever days; 0: none. */
static int64_t find_months(const volt_time *times, int64_t n, double *work)
{
    const volt_time_step month = {.months = 1};
    int64_t alike = 0;
    for (int64_t i = 1; i < n; i++)
        work[i - 1] = volt_time_steps_between(month, times[i - 1].clock, times[i].clock);
    int64_t usual = (int64_t)median(work, n - 1);
    for (int64_t i = 0; i + 1 < n; i++)
        alike += work[i] == (double)usual;
    return usual > 0 && 2 * alike > n - 1 ? usual : 0;
}

/* Weekdays without rows, which must have passed twice; once suffices for a whole weekend. */
static int find_closed(const volt_time *times, int64_t n)
{
    int64_t counts[WEEK] = {0}, first = day_of(times[0].clock), last = day_of(times[n - 1].clock);
    int once = 0, twice = 0;
    for (int64_t i = 0; i < n; i++)
        counts[volt_weekday_of_days(day_of(times[i].clock))]++;
    for (int k = 0; k < WEEK; k++) {
        int64_t passed = volt_open_days(~(1 << k), first, last);
        int is_rare = (double)counts[k] <= rare * (double)n / WEEK;
        once |= (is_rare && passed >= 1) << k;
        twice |= (is_rare && passed >= 2) << k;
    }
    return (once & WEEKEND) == WEEKEND ? twice | WEEKEND : twice;
}

/* Whether row i is the first of its day. */
static int begins_day(const volt_time *times, int64_t i)
{
    return i > 0 && day_of(times[i].clock) != day_of(times[i - 1].clock);
}

/* Whether there are several rows a day and most nights have none. */
static int find_nights(const volt_time *times, int64_t n, volt_time_step step)
{
    int64_t nights = 0, empty = 0;
    for (int64_t i = 1; i < n; i++) {
        int is_new_day = begins_day(times, i);
        nights += is_new_day;
        empty += is_new_day &&
                 volt_time_steps_between(step, moment(step, times[i - 1]), moment(step, times[i])) > late;
    }
    return step.seconds < day && nights > 1 && 2 * empty > nights;
}

typedef enum closed_hours { CLOSED_NEVER, CLOSED_AT_NIGHT, CLOSED_BY_DAY } closed_hours;

/* Finds times of day without rows, which must have passed twice in at least 3 days; CLOSED_BY_DAY: some are between rows of the
 * same day. */
static volt_status find_closed_hours(const volt_time *times, int64_t n, double seconds, closed_hours *result)
{
    double slots = day / seconds, days = 1;
    bool has_opened = false, has_closed = false;
    *result = CLOSED_NEVER;
    for (int64_t i = 1; i < n; i++)
        days += begins_day(times, i);
    if (days < 3 || slots < 2 || slots > day || slots != floor(slots))
        return VOLT_OK;
    double *counts = volt_alloc_doubles((int64_t)slots, 1);
    if (!counts)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < (int64_t)slots; k++)
        counts[k] = 0;
    for (int64_t i = 0; i < n; i++)
        counts[volt_min((int64_t)(time_of_day(times[i]) / seconds), (int64_t)slots - 1)]++;
    for (int64_t k = 0; k < (int64_t)slots; k++) {
        double begin = seconds * (double)k;
        int64_t passed = day_of(times[n - 1].clock - begin) - day_of(times[0].clock - begin);
        if (counts[k] <= rare * days && passed >= 2) {
            *result = *result == CLOSED_NEVER ? CLOSED_AT_NIGHT : *result;
            has_closed = has_opened;
        } else {
            *result = has_closed ? CLOSED_BY_DAY : *result;
            has_opened = true;
        }
    }
    volt_free(counts);
    return VOLT_OK;
}

/* ---- the grid, to which most rows are near ---------------------------------------------------- */

/* work: n numbers. */
static volt_status find_grid(const volt_time *times, int64_t n, double *work, volt_time_grid *grid)
{
    volt_time_step step = {.seconds = find_seconds(times, n, work)};
    int64_t alike = 0, near = 0;
    if (!(step.seconds > 0))
        return VOLT_OK;
    for (int64_t i = 1; i < n; i++)
        alike += moment(step, times[i]) - moment(step, times[i - 1]) == step.seconds;
    if (step.seconds >= min_month && (double)alike < 0.9 * (double)(n - 1)) {
        grid->step.months = find_months(times, n, work);
        return VOLT_OK;
    }
    if (step.seconds <= day)
        step.closed_weekdays = find_closed(times, n);
    for (int64_t i = 1; i < n; i++) {
        double apart = volt_time_steps_between(step, moment(step, times[i - 1]), moment(step, times[i]));
        near += fabs(apart - 1) < late - 1;
    }
    if (2 * near <= n - 1) /* rows at irregular times have no step */
        return VOLT_OK;
    closed_hours closed = CLOSED_NEVER;
    VOLT_TRY(find_closed_hours(times, n, step.seconds, &closed));
    if (closed != CLOSED_BY_DAY)
        *grid = (volt_time_grid){.step = step, .closes_nightly = find_nights(times, n, step)};
    return VOLT_OK;
}

/* Whether days and months of all times can be computed. */
static int are_dates(const volt_time *times, int64_t n)
{
    int are = 1;
    for (int64_t i = 0; i < n; i++)
        are &= fabs(times[i].clock) < max_seconds && fabs(times[i].seconds) < max_seconds;
    return are;
}

volt_status volt_time_grid_find(const volt_time *times, int64_t n, volt_time_grid *grid)
{
    *grid = (volt_time_grid){0};
    if (n < MIN_ROWS || !are_dates(times, n))
        return VOLT_OK;
    double *work = volt_alloc_doubles(n, 1);
    if (!work)
        return VOLT_ERR_MEMORY;
    volt_status status = find_grid(times, n, work, grid);
    volt_free(work);
    return status;
}

/* ---- the step, which rows follow exactly ------------------------------------------------------ */

enum { MAX_CANDIDATES = 6 };

/* Fraction of the rows that are one step after the row before. */
static double fraction_following(const volt_time *times, int64_t n, volt_time_step step)
{
    int64_t following = 0;
    for (int64_t i = 1; i < n; i++) {
        volt_time due = volt_time_advance(times[i - 1], step, 1);
        following += fabs(moment(step, due) - moment(step, times[i])) <= rounding;
    }
    return (double)following / (double)(n - 1);
}

/* Steps that the median step suggests, simple ones first. Returns their number. work: n numbers. */
static int list_candidates(const volt_time *times, int64_t n, double *work, volt_time_step *list)
{
    const volt_time_step plain = {.seconds = find_seconds(times, n, work)};
    int count = 0;
    if (!(plain.seconds > 0))
        return 0;
    int64_t months = plain.seconds >= min_month ? find_months(times, n, work) : 0;
    int closed = plain.seconds <= day ? find_closed(times, n) : 0;
    if (months > 0) {
        list[count++] = (volt_time_step){.months = months, .is_month_end = 1};
        list[count++] = (volt_time_step){.months = months};
    }
    list[count++] = plain;
    if (months > 0) {
        list[count++] = (volt_time_step){.months = months, .is_month_end = 1, .closed_weekdays = WEEKEND};
        list[count++] = (volt_time_step){.months = months, .closed_weekdays = WEEKEND};
    }
    if (closed) {
        list[count] = plain;
        list[count++].closed_weekdays = closed;
    }
    return count;
}

/* Nine of ten rows must follow a plain step: this allows a few missing rows and clock changes, but not a six-day week. Four
 * of five suffice without closed weekdays: the others follow holidays. */
static volt_status choose_step(const volt_time *times, int64_t n, double *work, volt_time_step *step)
{
    volt_time_step list[MAX_CANDIDATES], best = {0};
    int count = list_candidates(times, n, work, list);
    closed_hours closed = CLOSED_NEVER;
    double most = 0;
    for (int i = 0; i < count; i++) {
        double fraction = fraction_following(times, n, list[i]);
        best = fraction > most ? list[i] : best;
        most = fmax(most, fraction);
    }
    if (10 * most < (best.closed_weekdays ? 8 : 9))
        return VOLT_OK;
    if (best.months == 0 && best.seconds < day)
        VOLT_TRY(find_closed_hours(times, n, best.seconds, &closed));
    if (closed == CLOSED_NEVER)
        *step = best;
    return VOLT_OK;
}

volt_status volt_time_step_find(const volt_time *times, int64_t n, volt_time_step *step)
{
    VOLT_REQUIRE(times && step && n >= 0, VOLT_ERR_ARGUMENT,
                 "volt_time_step_find requires times and an output for the step");
    *step = (volt_time_step){0};
    if (n < 2 || !are_dates(times, n))
        return VOLT_OK;
    double *work = volt_alloc_doubles(n, 1);
    if (!work)
        return VOLT_ERR_MEMORY;
    volt_status status = choose_step(times, n, work, step);
    volt_free(work);
    return status;
}
