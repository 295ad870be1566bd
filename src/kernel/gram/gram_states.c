/* src/kernel/gram/gram_states.c: every series is run once, and its last state kept; then all pairs. */
#include "kernel/gram/gram_states.h"

#include "base/memory.h"

#include <omp.h>
#include <string.h>

/* The last state of each series into a row of `states`. */
static volt_status run_all(const volt_reservoir *reservoir, const volt_view *series, volt_stage *stage,
                           volt_matrix states)
{
    int64_t threads = volt_threads(), each = volt_reservoir_room(reservoir);
    double *room = volt_alloc_doubles(threads, each);
    if (!room)
        return VOLT_ERR_MEMORY;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (int64_t i = 0; i < states.rows; i++) {
        double *state = states.data + i * states.ld;
        memcpy(state, reservoir->start, (size_t)reservoir->size * sizeof *state);
        if (volt_stage_poll(stage))
            volt_reservoir_run(reservoir, series[i], state, room + omp_get_thread_num() * each,
                               (volt_matrix){0});
    }
    volt_free(room);
    return VOLT_OK;
}

static double pair_value(const volt_reservoir *reservoir, const double *x, const double *y)
{
    double sum = reservoir->coef0, power = 1;
    for (int64_t k = 0; k < reservoir->size; k++)
        sum += x[k] * y[k];
    for (int64_t p = 0; p < reservoir->degree; p++)
        power *= sum;
    return power;
}

volt_status volt_gram_states(const volt_reservoir *reservoir, const volt_view *X, const volt_view *Y, bool same,
                             volt_stage *stage, volt_matrix K)
{
    int64_t ld = reservoir->ld;
    volt_matrix x = volt_matrix_of(volt_alloc_doubles(K.rows, ld), K.rows, ld);
    volt_matrix y = same ? x : volt_matrix_of(volt_alloc_doubles(K.cols, ld), K.cols, ld);
    volt_status status = x.data && y.data ? run_all(reservoir, X, stage, x) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && !same)
        status = run_all(reservoir, Y, stage, y);
    if (status == VOLT_OK) {
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
        for (int64_t i = 0; i < K.rows; i++)
            if (volt_stage_goes_on(stage)) {
                for (int64_t j = 0; j < (same ? i + 1 : K.cols); j++)
                    K.data[i * K.ld + j] = pair_value(reservoir, x.data + i * ld, y.data + j * ld);
                volt_stage_advance(stage, 1);
            }
        status = volt_stage_end(stage);
    }
    if (!same)
        volt_free(y.data);
    volt_free(x.data);
    return status;
}
