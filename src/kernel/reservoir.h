/* src/kernel/reservoir.h: reservoirs: explicit states from a recursion over a sequence.
 *
 *     x_t = (1 - leak) x_{t-1} + leak f(M' u(x_{t-1}, z_t)),        K = (<x_t, x'_s> + coef0)^degree
 *
 * f is tanh, erf or the identity, and u is a vector computed from state and input: (x, z, 1) in an echo state
 * network, products of (x, 1) with powers of the inputs in a state-affine system. A step is one product with
 * the matrix M. Kinds of reservoirs differ only in u (kinds/esn.c, kinds/sas.c). The formulas are in
 * docs/math.md. */
#ifndef KERNEL_RESERVOIR_H
#define KERNEL_RESERVOIR_H

#include "base/progress.h"
#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_reservoir volt_reservoir;
struct volt_reservoir {
    int64_t size;   /* N numbers in a state */
    int64_t d;      /* in an input */
    int64_t length; /* length of u */
    int64_t ld;     /* of matrix: size, padded with zeros to a whole chunk (products.h) */
    double *matrix; /* M, length x ld */
    double *start;  /* size: the state after zero inputs */
    void (*arrange)(const volt_reservoir *reservoir, const double *z, const double *x, double *u);
    const char *arrange_code; /* the same as C text: the body of a function, with size, inputs and powers */
    int64_t powers;           /* of an input in u, set by the kind ... */
    double bounds[9];         /* ... with bounds for them */
    double leak;
    bool bends;     /* f is tanh ... */
    bool uses_erf;  /* ... or erf(sqrt(pi) v / 2) */
    int64_t degree; /* of the kernel: 1, or a power ... */
    double coef0;   /* ... of the product plus this */
};

void volt_reservoir_free(volt_reservoir *reservoir); /* NULL is allowed, at any stage */

/* Copy a block of weights (size x cols, contiguous) to columns `first` .. of M': row i of the block has the
 * weights of u[first ..] for state i. */
void volt_reservoir_put(volt_reservoir *reservoir, int64_t first, const double *weights, int64_t cols,
                        double scale);

/* Replaces the start by the limit state for constant inputs z. VOLT_ERR_ARGUMENT if it is not found,
 * VOLT_ERR_MEMORY. */
volt_status volt_reservoir_start_at(volt_reservoir *reservoir, const double *z);
/* The same from the state x on, which is updated. False: no convergence, x is the last state. */
bool volt_reservoir_settle(const volt_reservoir *reservoir, const double *z, double *x, double *workspace);

/* Size of the workspace of a run, in numbers. */
int64_t volt_reservoir_workspace_size(const volt_reservoir *reservoir);
/* Run the rows of Z from `state`, which is updated: row i of states (rows x size, ld apart) is the state
 * after row i. states.data may be NULL if only the last state is needed. */
void volt_reservoir_run(const volt_reservoir *reservoir, volt_view Z, double *state, double *workspace,
                        volt_matrix states);

/* Checks the echo state property from two initial states: the remaining share of their distance after H
 * rows, taken repeatedly from Z. It is well below 1 for fading memory. *rows receives H. VOLT_ERR_MEMORY. */
volt_status volt_reservoir_check_echo_state(const volt_reservoir *reservoir, volt_view Z, int64_t *rows,
                                            double *left);

/* ---- weights saved with a model --------------------------------------------------------------- */

/* M' and the start in one matrix: length + 1 rows of `size` numbers. */
typedef struct volt_reservoir_matrix {
    int64_t rows, size;
    const double *data;
} volt_reservoir_matrix;

void volt_reservoir_get(const volt_reservoir *reservoir, double *numbers);
/* VOLT_ERR_SHAPE if the matrix has a different shape than the reservoir. */
volt_status volt_reservoir_set(volt_reservoir *reservoir, const volt_reservoir_matrix *matrix);

/* ---- drawing ---------------------------------------------------------------------------------- */

/* A sparse Gaussian matrix: entries are nonzero with probability `density`, from stream `stream` of the
 * seed. */
void volt_reservoir_draw_normal(uint64_t seed, uint64_t stream, double density, int64_t count, double *entries);
/* Uniform on (-1, 1). */
void volt_reservoir_draw_uniform(uint64_t seed, uint64_t stream, int64_t count, double *entries);

/* ---- spectral radius and norm ------------------------------------------------------------------ */

/* The largest modulus of an eigenvalue of A (n x n, contiguous, finite), with a relative accuracy of about
 * 1e-13. No BLAS is used: the result does not depend on the number of threads. VOLT_ERR_MEMORY. */
volt_status volt_spectral_radius(const double *A, int64_t n, double *radius);

/* The largest singular value, with the same accuracy. */
volt_status volt_spectral_norm(const double *A, int64_t n, double *norm);

/* The largest modulus of an eigenvalue of H (n x n, contiguous, zero below its first subdiagonal), which is
 * destroyed. False: no convergence. */
int volt_hessenberg_radius(double *H, int64_t n, double *radius);

#endif
