/* src/kernel/engine/track.h: the columns of one sequence while they come and go, and where a sequence of rows stands
 * against them.
 *
 * A past (state.h) has columns that stay. A track has a window of them: the row that was pushed last may join at the end,
 * and the oldest leave. Entries keep the whole past, rows that left included, which is what a scan needs `edge` for:
 *
 *     state(t, j) follows from state(t-1, j-1);   of the first column, j - 1 has left, and was last seen at t - 1
 *
 * exact where one row leaves for each that comes. Otherwise its error fades as the kernel forgets, and volt_track_ghosts
 * says how many columns before the first that is wanted make it vanish.
 *
 * The rows pushed are those of the columns' own sequence, of which every one joins, until volt_track_restart: from then
 * on they are another sequence after a zero past, and none joins. */
#ifndef KERNEL_TRACK_H
#define KERNEL_TRACK_H

#include "kernel/kernel_entry.h"

typedef struct volt_track volt_track;

/* What an engine offers (engine.h); its own track begins with a struct volt_track. */
typedef struct volt_track_ops {
    /* Without columns, after a zero past. */
    volt_status (*create)(const volt_resolved *resolved, volt_track **track);
    void (*release)(volt_track *track);
    /* All the memory that pushing z will take; nothing else changes. VOLT_ERR_MEMORY. */
    volt_status (*prepare)(volt_track *track, const double *z, bool joins, bool wanted);
    /* Push the row z that was prepared in the same way: k, NULL where values are not wanted, receives the kernel of the
     * rows so far against every column, and where z joins, against itself. */
    void (*push)(volt_track *track, const double *z, bool joins, double *k);
    void (*drop)(volt_track *track, int64_t count); /* at least 1 */
    void (*restart)(volt_track *track);
    int64_t (*ghosts)(const volt_resolved *resolved);
    /* The whole track as a list of numbers, out, and into one just created. VOLT_ERR_FORMAT for a list that none gave
     * out, VOLT_ERR_MEMORY. */
    int64_t (*length)(const volt_track *track);
    void (*get)(const volt_track *track, double *state);
    volt_status (*set)(volt_track *track, const double *state, int64_t length);
} volt_track_ops;

struct volt_track {
    const volt_track_ops *ops;
    const volt_resolved *resolved; /* outlives the track */
    int64_t count;                 /* columns */
};

volt_status volt_track_create(const volt_resolved *resolved, volt_track **track);
void volt_track_free(volt_track *track);
int64_t volt_track_ghosts(const volt_resolved *resolved);

/* Where a list of numbers holds a count: is it a whole number from 0 to `most`? VOLT_ERR_FORMAT. */
volt_status volt_track_count(double number, int64_t most, int64_t *count);

/* Of the engines on windows, which share one, and of the others. */
extern const volt_track_ops volt_window_track_ops, volt_sum_track_ops, volt_scan_track_ops,
    volt_reservoir_track_ops;

#endif
