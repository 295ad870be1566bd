/* src/kernel/jet.h: arithmetic of power series in several variables, cut off behind an order.
 *
 * A kernel is a recursion of sums, products and functions of one number. The same recursion in this arithmetic, with the
 * inputs moved away from where they are by variables, gives the kernel as a power series in those variables: all of its
 * derivatives, to rounding (Griewank and Walther, Evaluating Derivatives, chapter 13). A series is eight series at a time,
 * its lanes, for eight columns of a Gram matrix.
 *
 * Coefficients stand degree by degree; those of a degree in the order of their last variables: monomial v_1 <= ... <= v_p
 * is number sum_j C(v_j + j - 1, j) of its degree, so that the series in the first e variables are prefixes. */
#ifndef KERNEL_JET_H
#define KERNEL_JET_H

#include "volterra/base.h"

#include <stdbool.h>

enum {
    VOLT_JET_LANES = 8,
    VOLT_MOST_ORDER = 8, /* of a series */
    VOLT_JET_SPARE = 3   /* series that a kernel's step may use as it likes */
};

/* Series in n variables up to an order. */
typedef struct volt_jet_space {
    int64_t n;
    int order;
    int64_t start[VOLT_MOST_ORDER + 2]; /* the first coefficient of each degree; the last: how many there are */
    int64_t *places;                    /* order x (n + 1): C(v + j, j + 1), what v adds in place j */
} volt_jet_space;

/* Coefficients of such a series, as a number that does not overflow; and the space. */
double volt_jet_size(int64_t n, int order);
volt_status volt_jet_space_create(int64_t n, int order, volt_jet_space *space);
void volt_jet_space_release(volt_jet_space *space);

/* Only variables first .. end - 1 occur, up to `degree`; what is elsewhere in `c` is not looked at. */
typedef struct volt_jet {
    double *c; /* coefficients x lanes */
    int64_t first, end;
    int degree;
} volt_jet;

/* `count` series, all 0. VOLT_ERR_MEMORY. */
volt_status volt_jet_create(const volt_jet_space *space, int64_t count, volt_jet **series);
void volt_jet_free(volt_jet *series);

/* The space, and series for whoever calculates. */
typedef struct volt_jet_room {
    const volt_jet_space *space;
    volt_jet *spare; /* VOLT_JET_SPARE, and one for volt_jet_compose */
} volt_jet_room;
volt_status volt_jet_room_create(const volt_jet_space *space, volt_jet_room *room);
void volt_jet_room_release(volt_jet_room *room);

/* The place of monomial v[0] <= ... <= v[p - 1]; and the next one of its degree in variables first .. end - 1, from all
 * `first` on: false behind the last. */
int64_t volt_jet_place(const volt_jet_space *space, int p, const int64_t *v);
bool volt_jet_next(int p, int64_t first, int64_t end, int64_t *v);

/* r <- values (a number for each lane; NULL: 0), all variables between first and end - 1 up to `degree` being there with
 * coefficients 0. */
void volt_jet_set(const volt_jet_space *space, const double *values, int64_t first, int64_t end, int degree,
                  volt_jet *r);
/* Both change places; their memory stays with whom it belongs to. */
void volt_jet_swap(volt_jet *x, volt_jet *y);
void volt_jet_copy(const volt_jet_space *space, const volt_jet *x, volt_jet *r);
void volt_jet_scale(const volt_jet_space *space, double factor, volt_jet *r);
/* The same number added in every lane. */
void volt_jet_shift(double number, volt_jet *r);
/* r <- r + factor x. */
void volt_jet_add(const volt_jet_space *space, double factor, const volt_jet *x, volt_jet *r);
/* r <- x y, which are other series, up to degree `most`. */
void volt_jet_multiply(const volt_jet_space *space, int most, const volt_jet *x, const volt_jet *y,
                       volt_jet *r);

/* The Taylor coefficients of a function at x, of every lane: f(x + e) = f[0] + f[1] e + ... + f[order] e^order. */
typedef double volt_lanes[VOLT_JET_LANES];
typedef void (*volt_taylor)(const void *own, const double *x, int order, volt_lanes *f);
/* r <- f(x), another series. */
void volt_jet_compose(const volt_jet_room *room, volt_taylor f, const void *own, const volt_jet *x,
                      volt_jet *r);

/* Taylor coefficients that several kernels need: scale exp(rate x), and scale / (1 - rate x). */
void volt_taylor_exp(double scale, double rate, const double *x, int order, volt_lanes *f);
void volt_taylor_inverse(double scale, double rate, const double *x, int order, volt_lanes *f);

#endif
