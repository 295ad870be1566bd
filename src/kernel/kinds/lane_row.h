/* src/kernel/kinds/lane_row.h: one row of a linear recursion over the cells of two paths, VOLT_LANES pairs
 * at once.
 *
 *     K[a+1][b+1] = (K[a+1][b] + K[a][b+1]) first[a][b] + K[a][b] second[a][b]
 *
 * The terms from above do not depend on those from the left, so the dependency chain along a row is one
 * operation per cell. Two columns are processed at a time: the value above the first is the diagonal of the
 * second, and no register is copied. Vectors have the width of the machine: compilers leave loops over the
 * lanes scalar here, and split wider vectors through memory. */
#ifndef KERNEL_LANE_ROW_H
#define KERNEL_LANE_ROW_H

#include "base/clones.h"
#include "kernel/programme.h"

#if defined(__AVX__) /* a native build; the clones of a portable build share the narrow type */
#define VOLT_VECTOR_BYTES 32
#else
#define VOLT_VECTOR_BYTES 16
#endif

/* Aligned like a double. */
typedef double volt_vector __attribute__((vector_size(VOLT_VECTOR_BYTES), aligned(8), may_alias));

enum { VOLT_VECTOR_DOUBLES = VOLT_VECTOR_BYTES / 8, VOLT_LANE_VECTORS = VOLT_LANES / VOLT_VECTOR_DOUBLES };

/* Vector v of the lanes that begin at `values`. */
#define VOLT_VECTOR(values, v) (((volt_vector *)(values))[v])
#define VOLT_CONST_VECTOR(values, v) (((const volt_vector *)(values))[v])

typedef struct volt_lane_state {
    volt_vector diagonal[VOLT_LANE_VECTORS], left[VOLT_LANE_VECTORS];
} volt_lane_state;

/* Two columns, with the numbers `cell` and the following LANES. */
VOLT_INLINE void volt_lane_two(volt_lane_state *state, const double *first0, const double *second0,
                               const double *first1, const double *second1, double *cell)
{
    volt_vector up[VOLT_LANE_VECTORS];
    for (int v = 0; v < VOLT_LANE_VECTORS; v++) {
        volt_vector f = VOLT_CONST_VECTOR(first0, v);
        up[v] = VOLT_VECTOR(cell, v);
        volt_vector value = up[v] * f + state->diagonal[v] * VOLT_CONST_VECTOR(second0, v);
        value += state->left[v] * f;
        VOLT_VECTOR(cell, v) = state->left[v] = value;
    }
    cell += VOLT_LANES;
    for (int v = 0; v < VOLT_LANE_VECTORS; v++) {
        volt_vector f = VOLT_CONST_VECTOR(first1, v);
        state->diagonal[v] = VOLT_VECTOR(cell, v);
        volt_vector value = state->diagonal[v] * f + up[v] * VOLT_CONST_VECTOR(second1, v);
        value += state->left[v] * f;
        VOLT_VECTOR(cell, v) = state->left[v] = value;
    }
}

VOLT_INLINE void volt_lane_one(volt_lane_state *state, const double *first, const double *second, double *cell)
{
    for (int v = 0; v < VOLT_LANE_VECTORS; v++) {
        volt_vector f = VOLT_CONST_VECTOR(first, v), up = VOLT_VECTOR(cell, v);
        state->left[v] = state->left[v] * f + (up * f + state->diagonal[v] * VOLT_CONST_VECTOR(second, v));
        state->diagonal[v] = up;
        VOLT_VECTOR(cell, v) = state->left[v];
    }
}

/* K is the previous row, from column 1 on, and becomes this one. */
VOLT_INLINE void volt_lane_row(volt_lane_state state, int64_t columns, const double *first,
                               const double *second, int64_t step, double *K)
{
    int64_t b = 0;
    for (; b + 1 < columns; b += 2, first += 2 * step, second += 2 * step, K += 2 * VOLT_LANES)
        volt_lane_two(&state, first, second, first + step, second + step, K);
    if (b < columns)
        volt_lane_one(&state, first, second, K);
}

#endif
