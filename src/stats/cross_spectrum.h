/* src/stats/cross_spectrum.h: cross-spectra by Welch's method, and linear responses of outputs to inputs. */
#ifndef STATS_CROSS_SPECTRUM_H
#define STATS_CROSS_SPECTRUM_H

#include "volterra/base.h"
#include "volterra/status.h"

#include <complex.h>
#include <stdint.h>

/* Largest power of two that is at most n >= 1. */
int64_t volt_power_of_two(int64_t n);

/* Solves A X = B in place of B, by elimination with pivots. A is n x n, B is n x m; both are overwritten. Returns 0
 * if A is singular. */
int volt_solve_complex(int64_t n, int64_t m, double complex *A, double complex *B);

/* Mean cross-spectra of the columns (inputs, then outputs) over segments. */
typedef struct volt_spectrum {
    int64_t d, q, length, bins, segments; /* bin b = 0 .. bins - 1: frequency (b + 1) / length cycles per row */
    /* bins x c x c, c = d + q: entry (a, b) is the mean of conj(F_a) F_b, with column a in units of 2^exponents[a] */
    double complex *cross;
    int *exponents;
    double complex *work;
} volt_spectrum;

/* The exponent of the largest absolute value of a column, as in frexp: squares in units of this power of two neither overflow
 * nor, for typical values, underflow. */
int volt_column_exponent(volt_view rows, int64_t column);

/* Estimates the cross-spectra of U (n x d) and Y (n x q) from segments of `length` rows, a power of two >= 4 and at most n, with
 * half overlap and Hann windows. Column means are subtracted. VOLT_ERR_MEMORY. */
volt_status volt_spectrum_create(volt_view U, volt_view Y, int64_t length, volt_spectrum **spectrum);
void volt_spectrum_free(volt_spectrum *spectrum);

/* Least-squares response at a bin: H (q x d; NULL: not returned), and for every output its power and the residual power
 * in a unit of its own, corrected for the d estimated numbers. 0 if the inputs are linearly dependent at this frequency; constant
 * inputs have the response 0. */
int volt_spectrum_response(const volt_spectrum *spectrum, int64_t bin, double complex *H, double *power,
                           double *residual);

#endif
