/* src/base/fastmath.h: an exponential that compilers vectorise.
 *
 * x = k ln 2 + r with |r| <= ln 2 / 2, e^x = 2^k e^r; e^r by its Taylor polynomial of degree 13, whose
 * remainder there is below 5e-18. Error at most 2 ulp. Below -708 the result is 0; above 709 the caller
 * must not go (kernels only exponentiate what their bounds allow). */
#ifndef BASE_FASTMATH_H
#define BASE_FASTMATH_H

#include <stdint.h>
#include <string.h>

static inline double volt_exp(double x)
{
    const double log2_e = 1.4426950408889634;
    const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45; /* their sum is ln 2 */
    const double round_to_int = 0x1.8p52; /* adding it leaves the rounded integer in the low bits */

    double clamped = x < -708.0 ? -708.0 : x;
    double shifted = clamped * log2_e + round_to_int;
    double k = shifted - round_to_int;
    double r = (clamped - k * ln2_high) - k * ln2_low;

    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;

    uint64_t bits, exponent;
    memcpy(&exponent, &shifted, sizeof exponent);
    memcpy(&bits, &p, sizeof bits);
    bits += exponent << 52;
    memcpy(&p, &bits, sizeof p);
    return x < -708.0 ? 0.0 : p;
}

#endif
