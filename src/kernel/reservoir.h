/* src/kernel/reservoir.h: a reservoir: explicit states that a recursion in time makes of a sequence.
 *
 *     x_t = (1 - leak) x_{t-1} + leak f(M' u(x_{t-1}, z_t)),        K = (<x_t, x'_s> + coef0)^degree
 *
 * f is tanh or the identity, and u is a list of numbers made of state and input: (x, z, 1) in an echo state network,
 * products of (x, 1) with powers of the inputs in a state-affine system. So one matrix M, one product a step, and what a
 * kind of reservoir is stands in its u alone (kinds/esn.c, kinds/sas.c). docs/math.md has the formulas. */
#ifndef KERNEL_RESERVOIR_H
#define KERNEL_RESERVOIR_H

#include "base/progress.h"
#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_reservoir volt_reservoir;
struct volt_reservoir {
    int64_t size;   /* N numbers in a state */
    int64_t d;      /* in an input */
    int64_t length; /* of u */
    int64_t ld;     /* of matrix: size, and zeros up to a whole chunk (products.h) */
    double *matrix; /* M, length x ld */
    double *start;  /* size: the state of a zero past */
    void (*arrange)(const volt_reservoir *reservoir, const double *z, const double *x, double *u);
    int64_t powers;   /* of an input in u, for the kind ... */
    double bounds[9]; /* ... and what it knows of them */
    double leak;
    bool bends;     /* f is tanh */
    int64_t degree; /* of the readout: 1 unless the kernel is a power ... */
    double coef0;   /* ... of the product and this */
};

/* A reservoir of this shape, whose arrays are not there yet: enough to know what it takes. NULL: out of memory. */
volt_reservoir *volt_reservoir_outline(int64_t size, int64_t d, int64_t length);
/* Its arrays, all zero. VOLT_ERR_MEMORY. */
volt_status volt_reservoir_allocate(volt_reservoir *reservoir);
void volt_reservoir_free(volt_reservoir *reservoir); /* NULL is fine, at any stage */

/* Put a block of weights (size x cols, contiguous) into columns `first` .. of M': row i of the block is what state i gets
 * from u[first ..]. */
void volt_reservoir_put(volt_reservoir *reservoir, int64_t first, const double *weights, int64_t cols,
                        double scale);

/* The state that a sequence of zeros ends in: by iteration of f, or exactly where f is the identity. VOLT_ERR_ARGUMENT
 * when there is none; `name` is for the sentence. VOLT_ERR_MEMORY. */
volt_status volt_reservoir_rest(volt_reservoir *reservoir, const char *name);

/* Numbers of room that a run takes. */
int64_t volt_reservoir_room(const volt_reservoir *reservoir);
/* Rows of Z from `state` on, which is carried along: row i of states (rows x size, ld apart) is the state after row i.
 * states.data may be NULL: only the last one is wanted. */
void volt_reservoir_run(const volt_reservoir *reservoir, volt_view Z, double *state, double *room,
                        volt_matrix states);

/* What is left, after H rows taken from Z again and again, of the distance between the start and another state: well
 * below 1 where the past fades (the echo state property, checked from two starts). *rows receives H. VOLT_ERR_MEMORY. */
volt_status volt_reservoir_echo(const volt_reservoir *reservoir, volt_view Z, int64_t *rows, double *left);

/* ---- weights as they are saved with a model --------------------------------------------------- */

/* M' and the start in one matrix: length + 1 rows of `size` numbers. */
typedef struct volt_reservoir_matrix {
    int64_t rows, size;
    const double *data;
} volt_reservoir_matrix;

void volt_reservoir_get(const volt_reservoir *reservoir, double *numbers);
/* VOLT_ERR_SHAPE when the matrix is of another shape than the reservoir's. */
volt_status volt_reservoir_set(volt_reservoir *reservoir, const volt_reservoir_matrix *matrix);

/* ---- drawing ---------------------------------------------------------------------------------- */

/* A sparse Gaussian matrix: entries are there with probability `density`, from stream `stream` of the seed. */
void volt_reservoir_draw_normal(uint64_t seed, uint64_t stream, double density, int64_t count, double *entries);
/* Uniform on (-1, 1). */
void volt_reservoir_draw_uniform(uint64_t seed, uint64_t stream, int64_t count, double *entries);

/* ---- how far a square matrix reaches ----------------------------------------------------------- */

/* The largest modulus of an eigenvalue of A (n x n, contiguous, finite), to about 1e-13 of itself. The same bits whatever
 * the number of threads: no BLAS is called. VOLT_ERR_MEMORY. */
volt_status volt_spectral_radius(const double *A, int64_t n, double *radius);

/* The largest singular value likewise. */
volt_status volt_spectral_norm(const double *A, int64_t n, double *norm);

/* The largest modulus of an eigenvalue of H (n x n, contiguous, zero below its first subdiagonal), which is destroyed. False: the iteration did not end. */
int volt_hessenberg_radius(double *H, int64_t n, double *radius);

#endif
