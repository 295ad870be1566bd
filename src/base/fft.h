/* src/base/fft.h: discrete Fourier transform. */
#ifndef BASE_FFT_H
#define BASE_FFT_H

#include <complex.h>
#include <stdint.h>

/* Replaces z by its discrete Fourier transform, sum_t z_t exp(-2 pi i j t / n). n is a power of two. */
void volt_fft(double complex *z, int64_t n);

#endif
