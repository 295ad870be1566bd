/* src/solve/exact/operator.h: the matrix K of a solver as an operator with products and rows.
 *
 * A solver that stores K requests all rows once. Other solvers multiply, and K is recomputed block by block
 * each time. K is the kernel matrix of one sequence, or a stored matrix. */
#ifndef SOLVE_OPERATOR_H
#define SOLVE_OPERATOR_H

#include "backend/backend.h"
#include "gram/engine/state.h"

struct volt_state_sums;

typedef struct volt_operator {
    int64_t n;
    double entry_cost; /* operations per entry, at least 1, for progress reports */
    double
        row_units; /* entries per row of states or of `combine`; 0: n_states. Further operations of a row are counted
                        * in entries, of entry_cost operations each */
    /* Writes rows first .. first + K.rows - 1 into K (K.cols = n), at the back end. With all rows at once
     * (first = 0, K.rows = n) only the lower triangle is written. Requests in ascending order are cheapest. */
    volt_status (*rows)(struct volt_operator *op, int64_t first, const volt_backend *backend, volt_matrix K,
                        volt_stage *stage);
    void (*release)(struct volt_operator *op);
    /* (optional) The same rows in host memory, only up to the diagonal: row i of K (K.cols = first + K.rows)
     * receives columns 0 .. first + i. In ascending order this takes half the time of `rows`. */
    volt_status (*lower)(struct volt_operator *op, int64_t first, volt_matrix K, volt_stage *stage);
    /* (optional) The contribution of rows first .. end - 1 of the lower triangle to C = K V (host memory), by a back
     * end that has `product`; *done is false, and nothing has changed, if it does not support the kernel. The states
     * before the band are stored, for repeated products of the same band. */
    volt_status (*product)(struct volt_operator *op, const volt_backend *backend, int64_t first, int64_t end,
                           volt_view V, volt_matrix C, volt_stage *stage, bool *done);
    /* A row other than the first at which `lower` restarts repeatedly; the state before it is stored. */
    int64_t mark;
    /* a product was computed by several processes, each of which has processed only a band of the rows */
    bool is_banded;
    /* If the kernel has explicit states and volt_kernel_operator_use_states was called: their length, and
     * the states of rows first .. first + F.rows - 1 into F (host memory), with K = F F'. Ascending order is
     * cheapest. */
    int64_t n_states;
    volt_status (*states)(struct volt_operator *op, int64_t first, volt_matrix F, volt_stage *stage);
    /* (optional) For states in the memory of a back end: adds rows first .. first + Y.rows - 1 to sums there. Y
     * holds their targets; without[i] marks rows without a target. */
    const volt_backend *sums_backend;
    volt_status (*add)(struct volt_operator *op, int64_t first, volt_view Y, const bool *without,
                       struct volt_state_sums *sums, volt_stage *stage);
    /* (optional) out <- F' R of rows first .. first + R.rows - 1, which were added and are stored there. In a job, all
     * parts have it or none, each for its band of rows. */
    volt_status (*fold)(struct volt_operator *op, int64_t first, volt_view R, volt_matrix out);
    int64_t block_rows; /* preferred number of rows per request; 0: any */
    /* (optional) F B of rows first .. first + out.rows - 1 (B is n_states x q), if that is cheaper than F. */
    volt_status (*combine)(struct volt_operator *op, int64_t first, volt_view B, volt_matrix out,
                           volt_stage *stage);
} volt_operator;

/* K of the sequence Z with itself; resolved, columns (those of Z) and Z must outlive it. With `checks`, an
 * entry that is not finite is VOLT_ERR_NOT_FINITE, unless a bound of the kernel excludes it. */
volt_status volt_kernel_operator(const volt_resolved *resolved, const volt_columns *columns, volt_view Z,
                                 bool checks, volt_operator **op);
/* Hands over the state after the last row of Z, for the rows that follow. `op` is an operator of
 * volt_kernel_operator. Cannot fail after the last row was requested, unless is_banded: then the process
 * that has computed that row sends the state to the others. */
volt_status volt_kernel_operator_end(volt_operator *op, volt_state **state);

/* Gives the operator states. `states` are columns of volt_states_columns and must outlive it.
 * volt_kernel_operator_end then hands over a state against those. */
void volt_kernel_operator_use_states(volt_operator *op, const volt_columns *states);

/* B <- F' A (n_states x q), where F are the states of all n rows of the operator; A is n x q.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_operator_fold(volt_operator *op, volt_view A, volt_matrix B, volt_progress progress);

/* K (n x n, both triangles, host memory), which must outlive it. */
volt_status volt_dense_operator(volt_view K, volt_operator **op);

void volt_operator_free(volt_operator *op); /* NULL is allowed */

/* C <- K V (both n x k, host memory), without storing K: by the `product` of the back end, if it has one; if the
 * operator has `lower`, on the host, up to the diagonal; else by blocks of rows. The first two use each entry for
 * both halves, and the parts of a job (base/row_bands.h) share the rows, with equal numbers of entries. A single
 * process prefers blocks of rows to the host if the back end has `cross`. If one part fails or is cancelled, the
 * others return VOLT_ERR_CANCELLED. The stage counts entries. Cancelled: C is unfinished. */
volt_status volt_operator_multiply(volt_operator *op, const volt_backend *backend, volt_view V, volt_matrix C,
                                   volt_stage *stage);

/* Adds the contribution of rows first .. end - 1 of the lower triangle to C = K V; each entry is used for
 * both halves. The sum over bands that cover all n rows is K V. Requires `lower`. The result does not depend
 * on the number of threads if the entries do not. VOLT_ERR_MEMORY; if cancelled, the status is VOLT_OK and C
 * is unfinished (operator.c). */
volt_status volt_operator_add_lower(volt_operator *op, int64_t first, int64_t end, volt_view V, volt_matrix C,
                                    volt_stage *stage);
/* Memory usage in bytes for n rows and k columns of V. */
double volt_half_product_bytes(double n, double k);

/* Number of rows, of `rows` rows of n numbers, in a block that stays in cache between the scan and a
 * product. */
int64_t volt_block_rows(int64_t rows, int64_t n);
/* The same for a back end, which may prefer larger blocks. */
int64_t volt_block_rows_at(const volt_backend *backend, int64_t rows, int64_t n);

/* Rows before the current one that the state of the kernel depends on, up to rounding; -1: all. */
int64_t volt_operator_memory(const volt_resolved *resolved);

/* volt_state_advance with K at the back end; `checks` as above. If cancelled, the status is VOLT_OK and K is
 * unfinished; check the stage. */
volt_status volt_state_advance_at(const volt_backend *backend, volt_state *state, volt_view Z, bool same,
                                  bool checks, volt_matrix K, volt_stage *stage);

#endif
