/* src/gram/engine/path_engine.c: kernels between paths that are built one by one, each pair by its own
 * cells. */
#include "base/error.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "gram/engine/engine.h"
#include "gram/engine/explicit_path.h"

#include <math.h>

enum { LANES = VOLT_LANES };

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
            volt_explicit_run(resolved, x, group, stage, programme_scratch, out);
            if (stage && !volt_stage_should_continue(stage))
                break;
            for (int64_t l = 0; l < LANES && j + l < end; l++) {
                double value = out[l];
                if (self && !volt_pair_finish(&resolved->programme, at >= 0 && at + i == j + l, self[i],
                                              columns->self[j + l], &value)) {
                    double least = volt_pair_least(self[i], columns->self[j + l]);
                    value = volt_pair_from_log(
                        volt_explicit_log(resolved, x, group + l, least, stage, programme_scratch), least);
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
