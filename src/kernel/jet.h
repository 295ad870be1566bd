/* src/kernel/jet.h: arithmetic of truncated power series in several variables.
 *
 * A kernel is a recursion of sums, products and functions of one number. Evaluated in this arithmetic, with
 * inputs shifted by variables, it yields the kernel as a power series in those variables, and so all
 * derivatives to rounding (Griewank and Walther, Evaluating Derivatives, chapter 13). A series has eight
 * lanes, for eight columns of a Gram matrix.
 *
 * Coefficients are ordered by degree, and within a degree by their last variables: monomial v_1 <= ... <=
 * v_p is number sum_j C(v_j + j - 1, j) of its degree. Series in the first e variables are therefore
 * prefixes. */
#ifndef KERNEL_JET_H
#define KERNEL_JET_H

#include "volterra/base.h"

#include <stdbool.h>

enum {
    VOLT_JET_LANES = 8,
    VOLT_MAX_ORDER = 8, /* of a series */
    VOLT_JET_SPARE = 3  /* scratch series for the step of a kernel */
};

/* Series in n variables up to an order. */
typedef struct volt_jet_space {
    int64_t n;
    int order;
    int64_t start[VOLT_MAX_ORDER + 2]; /* the first coefficient of each degree; the last: the total number */
    /* order x (n + 1): C(v + j, j + 1), the contribution of v at position j */
    int64_t *places;
} volt_jet_space;

/* Number of coefficients of such a series, without overflow; and creation of the space. */
double volt_jet_size(int64_t n, int order);
volt_status volt_jet_space_create(int64_t n, int order, volt_jet_space *space);
void volt_jet_space_release(volt_jet_space *space);

/* Only variables first .. end - 1 occur, up to `degree`; other parts of `c` are ignored. */
typedef struct volt_jet {
    double *c; /* coefficients x lanes */
    int64_t first, end;
    int degree;
} volt_jet;

/* `count` series, all 0. VOLT_ERR_MEMORY. */
volt_status volt_jet_create(const volt_jet_space *space, int64_t count, volt_jet **series);
void volt_jet_free(volt_jet *series);

/* The space, and scratch series. */
typedef struct volt_jet_workspace {
    const volt_jet_space *space;
    volt_jet *spare; /* VOLT_JET_SPARE, and one for volt_jet_compose */
} volt_jet_workspace;
volt_status volt_jet_workspace_create(const volt_jet_space *space, volt_jet_workspace *workspace);
void volt_jet_workspace_release(volt_jet_workspace *workspace);

/* The index of monomial v[0] <= ... <= v[p - 1]; and the next monomial of its degree in variables first ..
 * end - 1, starting with all `first`: false after the last. */
int64_t volt_jet_place(const volt_jet_space *space, int p, const int64_t *v);
bool volt_jet_next(int p, int64_t first, int64_t end, int64_t *v);

/* r <- values (a number for each lane; NULL: 0), with variables first .. end - 1 up to `degree` and
 * coefficients 0. */
void volt_jet_set(const volt_jet_space *space, const double *values, int64_t first, int64_t end, int degree,
                  volt_jet *r);
/* Swaps two series; each keeps its memory. */
void volt_jet_swap(volt_jet *x, volt_jet *y);
void volt_jet_copy(const volt_jet_space *space, const volt_jet *x, volt_jet *r);
void volt_jet_scale(const volt_jet_space *space, double factor, volt_jet *r);
/* Adds the same number in every lane. */
void volt_jet_shift(double number, volt_jet *r);
/* r <- r + factor x. */
void volt_jet_add(const volt_jet_space *space, double factor, const volt_jet *x, volt_jet *r);
/* r <- x y, distinct series, up to degree `most`. */
void volt_jet_multiply(const volt_jet_space *space, int most, const volt_jet *x, const volt_jet *y,
                       volt_jet *r);

/* The Taylor coefficients of a function at x, for every lane: f(x + e) = f[0] + f[1] e + ... + f[order]
 * e^order. */
typedef double volt_lanes[VOLT_JET_LANES];
typedef void (*volt_taylor)(const void *context, const double *x, int order, volt_lanes *f);
/* r <- f(x), a distinct series. */
void volt_jet_compose(const volt_jet_workspace *workspace, volt_taylor f, const void *context,
                      const volt_jet *x, volt_jet *r);

/* Taylor coefficients used by several kernels: scale exp(rate x), and scale / (1 - rate x). */
void volt_taylor_exp(double scale, double rate, const double *x, int order, volt_lanes *f);
void volt_taylor_inverse(double scale, double rate, const double *x, int order, volt_lanes *f);

#endif
