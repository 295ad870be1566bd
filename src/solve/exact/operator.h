/* src/solve/exact/operator.h: the matrix K of a solver as something that multiplies and gives its rows.
 *
 * A solver that stores K asks for all of its rows once; one that does not multiplies, and K is made again, block
 * by block, each time. K is that of a kernel on one sequence, or a matrix that is there. */
#ifndef SOLVE_OPERATOR_H
#define SOLVE_OPERATOR_H

#include "base/backend.h"
#include "kernel/engine/state.h"

struct volt_state_sums;

typedef struct volt_operator {
    int64_t n;
    double entry_cost; /* operations that one entry takes, for the shares of progress */
    /* Rows first .. first + K.rows - 1 into K (K.cols = n), at the back end. Of all rows at once (first = 0,
     * K.rows = n) only the lower triangle is written. In order is the cheapest way to ask. */
    volt_status (*rows)(struct volt_operator *op, int64_t first, const volt_backend *backend, volt_matrix K,
                        volt_stage *stage);
    void (*release)(struct volt_operator *op);
    /* (optional) The same rows here, up to the diagonal alone: row i of K (K.cols = first + K.rows) receives columns 0 .. first + i.
     * In order is the cheapest way to ask, and half the price of `rows`. */
    volt_status (*lower)(struct volt_operator *op, int64_t first, volt_matrix K, volt_stage *stage);
    /* The row at which `lower` begins again and again, where that is not the first: what is needed to go back to it is kept. */
    int64_t mark;
    /* a product was made by several processes, each of which has been through a band of the rows alone */
    bool is_banded;
    /* Where the kernel has explicit states and volt_kernel_operator_use_states was called: how many numbers they have, and
     * those of rows first .. first + F.rows - 1 into F (here), K being F F'. In order is the cheapest way to ask. */
    int64_t n_states;
    volt_status (*states)(struct volt_operator *op, int64_t first, volt_matrix F, volt_stage *stage);
    /* (optional) Where states live elsewhere: those of rows first .. first + Y.rows - 1, Y being their targets and without[i]
     * saying that there is none, join the sums, which have some already. */
    volt_status (*add)(struct volt_operator *op, int64_t first, volt_view Y, const bool *without,
                       struct volt_state_sums *sums, volt_stage *stage);
    int64_t block_rows; /* rows that are best asked for at a time; 0: no matter */
    /* (optional) F B of rows first .. first + out.rows - 1, B being n_states x q, where that is cheaper than F. */
    volt_status (*combine)(struct volt_operator *op, int64_t first, volt_view B, volt_matrix out,
                           volt_stage *stage);
} volt_operator;

/* K of the sequence Z with itself; resolved, columns (those of Z) and Z must outlive it. With `checks` an entry that is
 * not finite is VOLT_ERR_NOT_FINITE where no bound of the kernel excludes it. */
volt_status volt_kernel_operator(const volt_resolved *resolved, const volt_columns *columns, volt_view Z,
                                 bool checks, volt_operator **op);
/* Hand over the past after the last row of Z, for the rows that follow. `op` is one of volt_kernel_operator. Cannot fail
 * after the last row was asked for, unless is_banded: then the process that has seen that row tells the others. */
volt_status volt_kernel_operator_end(volt_operator *op, volt_state **past);

/* From now on the operator has states: `states` are columns of volt_states_columns, which must outlive it, and
 * volt_kernel_operator_end hands over a past against those. */
void volt_kernel_operator_use_states(volt_operator *op, const volt_columns *states);

/* B <- F' A (n_states x q), F being the states of all n rows of the operator; A is n x q. VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED. */
volt_status volt_operator_fold(volt_operator *op, volt_view A, volt_matrix B, volt_progress progress);

/* K (n x n, both triangles, here), which must outlive it. */
volt_status volt_dense_operator(volt_view K, volt_operator **op);

void volt_operator_free(volt_operator *op); /* NULL is fine */

/* C <- K V (both n x k, here), in blocks of rows that never make up K. Where the operator has `lower` and the back end no `cross`, K is made here up to the
 * diagonal alone and each entry is used for both halves, and the processes of a job (base/row_bands.h) share the rows, as many entries for
 * each: where one of them fails or is cancelled it is VOLT_ERR_CANCELLED in the others. The stage counts entries. Cancelled: C is unfinished. */
volt_status volt_operator_multiply(volt_operator *op, const volt_backend *backend, volt_view V, volt_matrix C,
                                   volt_stage *stage);

/* C <- C + what rows first .. end - 1 of the lower triangle add to K V, each entry being used for both halves: the sum over
 * bands of rows that make up all n is K V. The operator has `lower`. The result does not depend on the number of threads as
 * far as the entries do not. VOLT_ERR_MEMORY; cancelled, the status is VOLT_OK and C unfinished (half_product.c). */
volt_status volt_operator_add_lower(volt_operator *op, int64_t first, int64_t end, volt_view V, volt_matrix C,
                                    volt_stage *stage);
/* Bytes of memory that it takes for n rows and k columns of V. */
double volt_half_product_bytes(double n, double k);

/* Of `rows` rows of n numbers, how many make up a block that stays in cache between the scan and a product. */
int64_t volt_block_rows(int64_t rows, int64_t n);
/* The same at a back end, which may want them many at a time. */
int64_t volt_block_rows_at(const volt_backend *backend, int64_t rows, int64_t n);

/* volt_state_advance with K at the back end; `checks` as above. Cancelled, K is unfinished and the status VOLT_OK: the
 * stage says so. */
volt_status volt_state_advance_at(const volt_backend *backend, volt_state *past, volt_view Z, bool same,
                                  bool checks, volt_matrix K, volt_stage *stage);

#endif
