/* src/gram/engine/path_engine.c: kernels between paths that are built one by one, each pair by its own
 * cells. */
#include "base/error.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- paths built one by one, and their kernel with themselves ---------------------------------------- */

enum { LANES = VOLT_LANES };

/* ---- paths ------------------------------------------------------------------------------------ */

/* Raw points of a path, and numbers in each. */
static int64_t raw_points(const volt_resolved *resolved)
{
    return resolved->shape.rows ? resolved->d : resolved->window;
}

static int64_t raw_channels(const volt_resolved *resolved)
{
    return resolved->shape.rows ? 1 : resolved->d;
}

bool volt_path_is_explicit(const volt_resolved *resolved)
{
    const volt_path_shape *shape = &resolved->shape;
    return shape->rows || shape->time || shape->leadlag || shape->basepoint;
}

int64_t volt_explicit_length(const volt_resolved *resolved)
{
    return volt_path_length(&resolved->shape, raw_points(resolved));
}

int64_t volt_explicit_channels(const volt_resolved *resolved)
{
    return volt_path_channels(&resolved->shape, raw_channels(resolved));
}

int64_t volt_explicit_numbers(const volt_resolved *resolved)
{
    return volt_explicit_length(resolved) * volt_explicit_channels(resolved);
}

void volt_explicit_build(const volt_resolved *resolved, const double *rows, double *path, int64_t step)
{
    volt_path_build(&resolved->shape, rows, raw_channels(resolved), raw_points(resolved),
                    raw_channels(resolved), path, volt_explicit_channels(resolved) * step, step);
}

const double *volt_explicit_window(const volt_resolved *resolved, const volt_columns *columns, int64_t j,
                                   double *buffer)
{
    int64_t w = resolved->window, d = columns->d;
    assert(columns->given);
    if (j >= w - 1)
        return columns->given + (j - w + 1) * d;
    const double *past = volt_past_input(&resolved->past, columns->given);
    for (int64_t t = 0; t < w - 1 - j; t++)
        for (int64_t k = 0; k < d; k++)
            buffer[t * d + k] = past ? past[k] : 0;
    memcpy(buffer + (w - 1 - j) * d, columns->given, (size_t)((j + 1) * d) * sizeof(double));
    return buffer;
}

volt_resolved volt_with_window(const volt_resolved *kernel, int64_t window)
{
    volt_resolved windowed = *kernel;
    windowed.window = window;
    return windowed;
}

/* ---- one pair --------------------------------------------------------------------------------- */

/* One path x against the VOLT_LANES paths of `group`, and log K of x and one lane of it (programme.h). scratch
 * has explicit_pair_scratch() numbers. */
static int64_t explicit_pair_scratch(const volt_resolved *resolved)
{
    int64_t length = volt_explicit_length(resolved);
    return volt_pair_scratch(&resolved->programme, length) + length + 1;
}

static void explicit_run(const volt_resolved *resolved, const double *x, const double *group, volt_stage *stage,
                         double *scratch, double *out)
{
    const volt_programme *programme = &resolved->programme;
    int64_t length = volt_explicit_length(resolved), lengths[LANES];
    for (int l = 0; l < LANES; l++)
        lengths[l] = programme->differences && !resolved->shape.increments ? length - 1 : length;
    volt_pair_run(programme, x, length, group, length, volt_explicit_channels(resolved), lengths, stage,
                  scratch, out);
}

static double explicit_log(const volt_resolved *resolved, const double *x, const double *group, double least,
                           volt_stage *stage, double *scratch)
{
    int64_t length = volt_explicit_length(resolved), channels = volt_explicit_channels(resolved);
    return resolved->programme.log_value(&resolved->programme, x, length, group, length, channels * LANES,
                                         LANES, channels, least, stage, scratch);
}

/* ---- a path against itself -------------------------------------------------------------------- */

/* The path, a group made of it, and the scratch space of the pair. */
int64_t volt_self_scratch(const volt_resolved *resolved)
{
    return volt_explicit_numbers(resolved) * (1 + LANES) + explicit_pair_scratch(resolved);
}

volt_self volt_self_compute(const volt_resolved *resolved, const double *rows, volt_stage *stage,
                            double *scratch)
{
    int64_t numbers = volt_explicit_numbers(resolved);
    double *x = scratch, *group = scratch + numbers, *programme_scratch = group + numbers * LANES, out[LANES];
    volt_explicit_build(resolved, rows, x, 1);
    for (int64_t k = 0; k < numbers; k++)
        for (int l = 0; l < LANES; l++)
            group[k * LANES + l] = x[k];
    explicit_run(resolved, x, group, stage, programme_scratch, out);
    volt_self self = volt_self_of(&resolved->programme, out[0], volt_explicit_length(resolved));
    if (resolved->programme.normalised && self.factor == 0)
        self.log = explicit_log(resolved, x, group, -INFINITY, stage, programme_scratch);
    return self;
}

volt_status volt_self_fill(const volt_resolved *kernel, int64_t first, volt_stage *stage, volt_columns *columns)
{
    const volt_resolved windowed = volt_with_window(kernel, columns->window), *resolved = &windowed;
    int64_t window_numbers = resolved->window * columns->d, threads = volt_threads();
    int64_t per_thread = window_numbers + volt_self_scratch(resolved);
    VOLT_TRY(volt_columns_extend((void **)&columns->self, first, columns->m, sizeof *columns->self));
    double *scratch = volt_alloc_doubles(threads, per_thread);
    if (!scratch)
        return VOLT_ERR_MEMORY;
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)threads)
    for (int64_t j = first; j < columns->m; j++) {
        double *window = scratch + omp_get_thread_num() * per_thread;
        if (volt_stage_poll(stage))
            columns->self[j] = volt_self_compute(resolved, volt_explicit_window(resolved, columns, j, window),
                                                 stage, window + window_numbers);
    }
    volt_free(scratch);
    return volt_columns_cancelled(stage);
}

static bool takes(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return volt_path_is_explicit(resolved);
}

/* Numbers of m paths in groups. */
static int64_t group_numbers(const volt_resolved *resolved, int64_t m)
{
    return (m + LANES - 1) / LANES * LANES * volt_explicit_numbers(resolved);
}

/* A path and the scratch space of a pair; a path against itself needs more. */
static int64_t scratch(const volt_resolved *resolved, const volt_columns *columns)
{
    (void)columns;
    return volt_self_scratch(resolved);
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    double each = (double)(volt_self_scratch(resolved) + resolved->window * resolved->d);
    return ((double)m + LANES) * (double)volt_explicit_numbers(resolved) + 3 * (double)m +
           (double)volt_threads() * each + volt_window_state_numbers(resolved, rows);
}

static volt_status pack(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns)
{
    int64_t each = volt_explicit_numbers(resolved);
    VOLT_TRY(volt_columns_extend((void **)&columns->paths, group_numbers(resolved, first),
                                 group_numbers(resolved, columns->m), sizeof(double)));
    double *window = volt_alloc_doubles(resolved->window, columns->d);
    if (!window)
        return VOLT_ERR_MEMORY;
    for (int64_t j = first; j < columns->m && volt_stage_poll(stage); j++)
        volt_explicit_build(resolved, volt_explicit_window(resolved, columns, j, window),
                            columns->paths + j / LANES * each * LANES + j % LANES, LANES);
    volt_free(window);
    VOLT_TRY(volt_columns_cancelled(stage));
    return volt_programme_needs_self(&resolved->programme) ? volt_self_fill(resolved, first, stage, columns)
                                                           : VOLT_OK;
}

static void run(const volt_resolved *resolved, const volt_columns *columns, const volt_window_rows *rows,
                const volt_self *self, double *workspace, volt_matrix K, volt_stage *stage)
{
    int64_t m = columns->m, each = volt_explicit_numbers(resolved), per_thread = scratch(resolved, columns);
    int64_t at = rows->diagonal;

#pragma omp parallel for schedule(dynamic, 4) num_threads((int)rows->threads)
    for (int64_t i = 0; i < rows->h; i++) {
        if (stage && !volt_stage_should_continue(stage))
            continue;
        double *x = workspace + omp_get_thread_num() * per_thread, *programme_scratch = x + each, out[LANES];
        int64_t end = volt_diagonal_end(at, i, m);
        volt_explicit_build(resolved, rows->rows.data + i * rows->rows.ld, x, 1);
        for (int64_t j = 0; j < end; j += LANES) {
            const double *group = columns->paths + j * each;
            explicit_run(resolved, x, group, stage, programme_scratch, out);
            if (stage && !volt_stage_should_continue(stage))
                break;
            for (int64_t l = 0; l < LANES && j + l < end; l++) {
                double value = out[l];
                if (self && !volt_pair_finish(&resolved->programme, at >= 0 && at + i == j + l, self[i],
                                              columns->self[j + l], &value)) {
                    double least = volt_pair_least(self[i], columns->self[j + l]);
                    value = volt_pair_from_log(
                        explicit_log(resolved, x, group + l, least, stage, programme_scratch), least);
                }
                K.data[i * K.ld + j + l] = value;
            }
        }
        if (stage)
            volt_stage_advance(stage, end);
    }
}

const volt_engine volt_engine_paths = {
    .name = "paths",
    .is_expensive = true,
    .takes = takes,
    .numbers = numbers,
    .pack = pack,
    .state = &volt_window_state_ops,
    .scratch = scratch,
    .run = run,
};
