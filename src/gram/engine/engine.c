/* src/gram/engine/engine.c: the table of engines, and the diagonal of a Gram matrix. */
#include "gram/engine/engine.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <stddef.h>
#include <string.h>

#define ENTRY(name) &volt_engine_##name,
const volt_engine *const volt_engine_table[] = {VOLT_ENGINE_LIST(ENTRY) NULL};

const volt_engine *volt_engine_of(const volt_resolved *resolved, int64_t m)
{
    const volt_engine *const *engine = volt_engine_table;
    while (engine[1] && !(*engine)->takes(resolved, m))
        engine++;
    return *engine;
}

bool volt_engine_is_expensive(const volt_resolved *resolved, int64_t m)
{
    return volt_engine_of(resolved->records ? &resolved->records->each : resolved, m)->is_expensive;
}

double volt_engine_bytes(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    double given = (double)m * (double)resolved->d;
    return 8 * (given + volt_engine_of(resolved, m)->numbers(resolved, m, rows));
}

/* ---- the diagonal ------------------------------------------------------------------------------
 *
 * A scan walks only the main diagonal. Kernels on windows use small matrices of a few rows. Other engines
 * compute the matrix of all rows, block by block. */

enum { CHUNK = 64 };

static void scan_diagonal(const volt_resolved *resolved, volt_view Z, int64_t first, double *out)
{
    const volt_scan *scan = &resolved->scan;
    const double *past = volt_past_input(&resolved->past, Z.data);
    double state[VOLT_MAX_STATE];
    double kept;
    (void)volt_scan_own_rest(scan, past, Z.cols, &kept);
    volt_scan_rest(scan, past, past, Z.cols, state);
    for (int64_t t = 0; t < Z.rows; t++) {
        const double *z = Z.data + t * Z.ld;
        double local = 0, value = 0, own = 0;
        volt_scan with_own = *scan;
        volt_scan_own_rows(scan, volt_view_rows(Z, t, 1), &kept, &own);
        with_own.own_rows = with_own.own_columns = &own;
        for (int64_t j = 0; !scan->distance && j < Z.cols; j++)
            local += z[j] * z[j];
        scan->step(&with_own, 1, &local, 1, state, 1, &value, 1, 1);
        if (t >= first)
            out[t - first] = value;
    }
}

/* Rows `wanted` .. of Z from the matrix of Z with itself; earlier rows set the state. */
static volt_status matrix_diagonal(const volt_resolved *resolved, volt_view Z, int64_t wanted, double *out)
{
    volt_columns *columns = NULL;
    volt_state *state = NULL;
    double *K = volt_alloc_doubles(CHUNK, Z.rows);
    volt_status status = K ? volt_columns_create(resolved, Z, NULL, &columns) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_state_create(resolved, columns, CHUNK, &state);
    for (int64_t t = 0; status == VOLT_OK && t < Z.rows; t += CHUNK) {
        int64_t count = volt_min(CHUNK, Z.rows - t);
        volt_state_advance(state, volt_view_rows(Z, t, count), false, volt_matrix_of(K, count, Z.rows), NULL);
        for (int64_t i = 0; i < count; i++)
            if (t + i >= wanted)
                out[t + i - wanted] = K[i * Z.rows + t + i];
    }
    volt_state_free(state);
    volt_columns_free(columns);
    volt_free(K);
    return status;
}

/* Rows that depend only on their window. */
static volt_status window_diagonal(const volt_resolved *resolved, volt_view Z, int64_t first, double *out)
{
    volt_status status = VOLT_OK;
    for (int64_t t = first; status == VOLT_OK && t < Z.rows; t += CHUNK) {
        int64_t from = volt_max(t - volt_max(resolved->window, 1), 0), end = volt_min(t + CHUNK, Z.rows);
        status = matrix_diagonal(resolved, volt_view_rows(Z, from, end - from), t - from, out + t - first);
    }
    return status;
}

static volt_status factor_diagonal(const volt_resolved *resolved, volt_view Z, int64_t first, double *out)
{
    const volt_engine *engine = volt_engine_of(resolved, Z.rows);
    if (engine == &volt_engine_scan) {
        scan_diagonal(resolved, Z, first, out);
        return VOLT_OK;
    }
    return engine->state == &volt_window_state_ops ? window_diagonal(resolved, Z, first, out)
                                                   : matrix_diagonal(resolved, Z, first, out);
}

/* sum_t w_t prod_f K_f(t, t). */
static volt_status sum_diagonal(const volt_sum *sum, volt_view Z, int64_t first, double *out)
{
    int64_t rows = Z.rows - first;
    double *product = volt_alloc_doubles(rows, 1), *factor = volt_alloc_doubles(rows, 1);
    volt_status status = product && factor ? VOLT_OK : VOLT_ERR_MEMORY;
    memset(out, 0, (size_t)rows * sizeof *out);
    for (int64_t f = 0; status == VOLT_OK && f < sum->n_factors; f++) {
        bool begins = volt_sum_begins_term(sum, f), ends = volt_sum_ends_term(sum, f);
        status = factor_diagonal(&sum->factor[f], volt_sum_slice(sum, f, Z), first, factor);
        for (int64_t i = 0; status == VOLT_OK && i < rows; i++) {
            product[i] = begins ? factor[i] : product[i] * factor[i];
            out[i] += ends ? sum->weight[sum->term[f]] * product[i] : 0;
        }
    }
    volt_free(factor);
    volt_free(product);
    return status;
}

volt_status volt_diagonal(const volt_resolved *resolved, volt_view Z, int64_t first, double *out)
{
    if (resolved->records)
        resolved = &resolved->records->each;
    return resolved->sum ? sum_diagonal(resolved->sum, Z, first, out)
                         : factor_diagonal(resolved, Z, first, out);
}
