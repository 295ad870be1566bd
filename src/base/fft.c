/* src/base/fft.c: discrete Fourier transform with radix 2. */
#include "base/fft.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

void volt_fft(double complex *z, int64_t n)
{
    for (int64_t i = 1, j = 0; i < n; i++) { /* bit reversal */
        int64_t bit = n / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j |= bit;
        if (i < j) {
            double complex swapped = z[i];
            z[i] = z[j];
            z[j] = swapped;
        }
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t k = 0; k < half; k++) {
            double angle = -pi * (double)k / (double)half;
            double complex turn = cos(angle) + I * sin(angle);
            for (int64_t i = k; i < n; i += 2 * half) {
                double complex odd = turn * z[i + half];
                z[i + half] = z[i] - odd;
                z[i] += odd;
            }
        }
}
