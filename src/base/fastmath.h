/* src/base/fastmath.h: an exponential and a hyperbolic tangent that compilers vectorise.
 *
 * x = k ln 2 + r with |r| <= ln 2 / 2, e^x = 2^k e^r; e^r by its Taylor polynomial of degree 13, with a
 * remainder below 5e-18. Error at most 2 ulp. Below -708 the result is 0. Arguments above 709 are not
 * allowed (kernels bound their exponents). */
#ifndef BASE_FASTMATH_H
#define BASE_FASTMATH_H

#include "base/clones.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

VOLT_INLINE double volt_exp(double x)
{
    const double log2_e = 1.4426950408889634;
    const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45; /* their sum is ln 2 */
    const double round_to_int = 0x1.8p52; /* adding it leaves the rounded integer in the low bits */

    double clamped = x < -708.0 ? -708.0 : x;
    double shifted = clamped * log2_e + round_to_int;
    double k = shifted - round_to_int;
    double r = (clamped - k * ln2_high) - k * ln2_low;

    /* e^r = 1 + (r + r^2 q(r)), q of degree 11 in pairs (Estrin), which shortens the dependency chain. */
    double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    double q01 = 1.0 / 2 + r * (1.0 / 6), q23 = 1.0 / 24 + r * (1.0 / 120);
    double q45 = 1.0 / 720 + r * (1.0 / 5040), q67 = 1.0 / 40320 + r * (1.0 / 362880);
    double q89 = 1.0 / 3628800 + r * (1.0 / 39916800), qab = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
    double q = (q01 + r2 * q23) + r4 * (q45 + r2 * q67) + r8 * (q89 + r2 * qab);
    double p = 1 + (r + r2 * q);

    uint64_t bits, exponent;
    memcpy(&exponent, &shifted, sizeof exponent);
    memcpy(&bits, &p, sizeof bits);
    bits += exponent << 52;
    memcpy(&p, &bits, sizeof p);
    return x < -708.0 ? 0.0 : p;
}

/* tanh x = (1 - e^{-2|x|}) / (1 + e^{-2|x|}) with the sign of x. Below 1/8, where that difference cancels,
 * the Taylor polynomial of degree 15, with a relative remainder below 1e-17. */
VOLT_INLINE double volt_tanh(double x)
{
    double size = fabs(x), e = volt_exp(-2 * size), x2 = x * x;
    double far = copysign((1 - e) / (1 + e), x);
    double p = -929569.0 / 638512875;
    p = p * x2 + 21844.0 / 6081075;
    p = p * x2 - 1382.0 / 155925;
    p = p * x2 + 62.0 / 2835;
    p = p * x2 - 17.0 / 315;
    p = p * x2 + 2.0 / 15;
    p = p * x2 - 1.0 / 3;
    double near = x + x * x2 * p;
    return size < 0.125 ? near : far;
}

#endif
