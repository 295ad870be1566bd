/* src/kernel/spectrum.h: how far a square matrix reaches: its spectral radius, and its norm. */
#ifndef KERNEL_SPECTRUM_H
#define KERNEL_SPECTRUM_H

#include "volterra/base.h"

/* The largest modulus of an eigenvalue of A (n x n, contiguous, finite), to about 1e-13 of itself. The same bits whatever
 * the number of threads: no BLAS is called. VOLT_ERR_MEMORY. */
volt_status volt_spectral_radius(const double *A, int64_t n, double *radius);

/* The largest singular value likewise. */
volt_status volt_spectral_norm(const double *A, int64_t n, double *norm);

/* The largest modulus of an eigenvalue of H (n x n, contiguous, zero below its first subdiagonal), which is destroyed. False: the iteration did not end. */
int volt_hessenberg_radius(double *H, int64_t n, double *radius);

#endif
