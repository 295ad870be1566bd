/* src/base/symmetric_eigen.c: eigenvalues of small symmetric matrices by Jacobi rotations.
 *
 * A rotation in the plane (p, q) by the angle with cot 2 theta = (a_qq - a_pp) / (2 a_pq) makes a_pq zero;
 * sweeps over all planes converge quadratically (Golub and Van Loan, Matrix Computations, section 8.5).
 * LAPACK is not used because simulations and searches with a seed should be identical on every machine, and
 * its rounding depends on the BLAS and even on the number of threads. Matrices have at most a few dozen rows
 * here. */
#include "base/symmetric_eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 60 }; /* about eight are needed */

/* Rotates rows p and q of M. */
static void rotate_rows(int64_t d, double *M, int64_t p, int64_t q, double c, double s)
{
    double *mp = M + p * d, *mq = M + q * d;
    for (int64_t k = 0; k < d; k++) {
        double x = mp[k], y = mq[k];
        mp[k] = c * x - s * y;
        mq[k] = s * x + c * y;
    }
}

static void rotate(int64_t d, double *A, double *V, int64_t p, int64_t q)
{
    double difference = A[q * d + q] - A[p * d + p], off = A[p * d + q];
    double theta = difference / (2 * off);
    double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1)); /* the smaller of the two angles */
    double c = 1 / hypot(t, 1), s = t * c;
    rotate_rows(d, A, p, q, c, s);
    for (int64_t k = 0; k < d; k++) { /* the same for its columns */
        double x = A[k * d + p], y = A[k * d + q];
        A[k * d + p] = c * x - s * y;
        A[k * d + q] = s * x + c * y;
    }
    A[p * d + q] = A[q * d + p] = 0;
    rotate_rows(d, V, p, q, c, s);
}

int volt_symmetric_eigen(int64_t d, double *A, double *V)
{
    memset(V, 0, (size_t)(d * d) * sizeof *V);
    for (int64_t i = 0; i < d; i++)
        V[i * d + i] = 1;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        double off = 0, size = 0;
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j <= i; j++)
                *(i == j ? &size : &off) += A[i * d + j] * A[i * d + j];
        if (!isfinite(off + size))
            return 0;
        if (off <= 0.25 * DBL_EPSILON * DBL_EPSILON * size)
            break;
        for (int64_t p = 0; p < d; p++)
            for (int64_t q = p + 1; q < d; q++)
                if (A[p * d + q] != 0)
                    rotate(d, A, V, p, q);
    }
    return 1;
}
