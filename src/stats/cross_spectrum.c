/* src/stats/cross_spectrum.c: cross-spectra by Welch's method, and linear responses of outputs to inputs.
 *
 * Welch, IEEE Transactions on Audio and Electroacoustics 15 (1967). With the spectra F_u, F_y of K windowed segments,
 * S_ab = mean of conj(F_a) F_b, the least-squares response at a frequency is H = S_uu^-1 S_uy, and the residual power
 * S_yy - S_yu H has the expectation (1 - d / K') of the power that is not a linear function of the inputs. Hann windows
 * with half overlap have a correlation of 1/6, so that K segments count as K' = K / (1 + 2 (1 - 1/K) / 36). */
#include "stats/cross_spectrum.h"

#include "base/error.h"
#include "base/fft.h"
#include "base/memory.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

int64_t volt_power_of_two(int64_t n)
{
    int64_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

int volt_solve_complex(int64_t n, int64_t m, double complex *A, double complex *B)
{
    double largest = 0;
    for (int64_t i = 0; i < n * n; i++)
        largest = fmax(largest, cabs(A[i]));
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++)
            if (cabs(A[i * n + k]) > cabs(A[pivot * n + k]))
                pivot = i;
        if (!(cabs(A[pivot * n + k]) > 1e-13 * largest))
            return 0;
        for (int64_t j = 0; j < n && pivot != k; j++) {
            double complex swapped = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = swapped;
        }
        for (int64_t j = 0; j < m && pivot != k; j++) {
            double complex swapped = B[k * m + j];
            B[k * m + j] = B[pivot * m + j];
            B[pivot * m + j] = swapped;
        }
        for (int64_t i = 0; i < n; i++) {
            if (i == k)
                continue;
            double complex factor = A[i * n + k] / A[k * n + k];
            for (int64_t j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            for (int64_t j = 0; j < m; j++)
                B[i * m + j] -= factor * B[k * m + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            B[i * m + j] /= A[i * n + i];
    return 1;
}

int volt_column_exponent(volt_view rows, int64_t column)
{
    double largest = 0;
    int exponent = 0;
    for (int64_t t = 0; t < rows.rows; t++)
        largest = fmax(largest, fabs(rows.data[t * rows.ld + column]));
    frexp(largest, &exponent);
    return exponent;
}

/* The mean; of a constant column exactly its value. */
static double mean_of(volt_view rows, int64_t column)
{
    double sum = 0, first = rows.data[column];
    for (int64_t t = 0; t < rows.rows; t++)
        sum += (rows.data[t * rows.ld + column] - first) / (double)rows.rows;
    return first + sum;
}

/* Adds the cross products of one segment; `F` has c x length numbers. */
static void add_segment(volt_spectrum *s, volt_view U, volt_view Y, const double *means, int64_t first,
                        double complex *F)
{
    int64_t c = s->d + s->q, m = s->length;
    for (int64_t a = 0; a < c; a++) {
        volt_view rows = a < s->d ? U : Y;
        int64_t column = a < s->d ? a : a - s->d;
        for (int64_t t = 0; t < m; t++) {
            double window = 0.5 - 0.5 * cos(2 * pi * (double)t / (double)m);
            F[a * m + t] =
                window * ldexp(rows.data[(first + t) * rows.ld + column] - means[a], -s->exponents[a]);
        }
        volt_fft(F + a * m, m);
    }
    for (int64_t b = 0; b < s->bins; b++)
        for (int64_t i = 0; i < c; i++)
            for (int64_t j = 0; j < c; j++)
                s->cross[(b * c + i) * c + j] +=
                    conj(F[i * m + b + 1]) * F[j * m + b + 1] / (double)s->segments;
}

volt_status volt_spectrum_create(volt_view U, volt_view Y, int64_t length, volt_spectrum **spectrum)
{
    volt_spectrum *s = volt_alloc_zero(1, sizeof *s);
    int64_t c = U.cols + Y.cols, step = length / 2;
    if (!s)
        return VOLT_ERR_MEMORY;
    s->d = U.cols;
    s->q = Y.cols;
    s->length = length;
    s->bins = length / 2;
    s->segments = 1 + (U.rows - length) / step;
    s->cross = volt_alloc_zero(s->bins * c * c, sizeof *s->cross);
    s->work = volt_alloc(s->d * (s->d + s->q), sizeof *s->work);
    double complex *F = volt_alloc(c * length, sizeof *F);
    double *means = volt_alloc_doubles(1, c);
    s->exponents = volt_alloc(c, sizeof *s->exponents);
    bool is_complete = s->cross && s->work && F && means && s->exponents;
    for (int64_t a = 0; a < c && is_complete; a++) {
        means[a] = a < s->d ? mean_of(U, a) : mean_of(Y, a - s->d);
        s->exponents[a] = a < s->d ? volt_column_exponent(U, a) : volt_column_exponent(Y, a - s->d);
    }
    for (int64_t k = 0; k < s->segments && is_complete; k++)
        add_segment(s, U, Y, means, k * step, F);
    volt_free(F);
    volt_free(means);
    if (!is_complete) {
        volt_spectrum_free(s);
        return VOLT_ERR_MEMORY;
    }
    *spectrum = s;
    return VOLT_OK;
}

void volt_spectrum_free(volt_spectrum *spectrum)
{
    if (!spectrum)
        return;
    volt_free(spectrum->exponents);
    volt_free(spectrum->cross);
    volt_free(spectrum->work);
    volt_free(spectrum);
}

/* z 2^exponent */
static double complex in_units(double complex z, int exponent)
{
    return ldexp(creal(z), exponent) + ldexp(cimag(z), exponent) * I;
}

int volt_spectrum_response(const volt_spectrum *spectrum, int64_t bin, double complex *H, double *power,
                           double *residual)
{
    int64_t d = spectrum->d, q = spectrum->q, c = d + q;
    const double complex *S = spectrum->cross + bin * c * c;
    double complex *A = spectrum->work, *B = A + d * d; /* B: d x q */
    double count = (double)spectrum->segments;
    double effective = count / (1 + (1 - 1 / count) / 18);
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++)
            A[i * d + j] = S[i * c + j];
        for (int64_t k = 0; k < q; k++)
            B[i * q + k] = S[i * c + d + k];
        if (creal(A[i * d + i]) == 0)
            A[i * d + i] = 1; /* a constant input has no response */
    }
    int is_regular = volt_solve_complex(d, q, A, B);
    for (int64_t k = 0; k < q; k++) {
        double explained = 0;
        for (int64_t i = 0; i < d && is_regular; i++) {
            explained += creal(conj(S[i * c + d + k]) * B[i * q + k]);
            if (H)
                H[k * d + i] = in_units(B[i * q + k], spectrum->exponents[d + k] - spectrum->exponents[i]);
        }
        power[k] = creal(S[(d + k) * c + d + k]);
        residual[k] = is_regular && effective > (double)d
                          ? fmax(0, power[k] - explained) / (1 - (double)d / effective)
                          : power[k];
    }
    return is_regular;
}
