/* bench/path_reference.c: kernels of windows, paths and whole histories, directly from their formulas. */
#include "path_reference.h"

#include "measure.h"

#include <math.h>
#include <stdlib.h>

/* ---- paths ------------------------------------------------------------------------------------ */

static plain_path new_path(int64_t length, int64_t channels)
{
    plain_path path = {length, channels, need_doubles(length * channels)};
    return path;
}

plain_path plain_window(volt_view X, int64_t i, int64_t window)
{
    plain_path path = new_path(window, X.cols);
    for (int64_t t = 0; t < window; t++) {
        int64_t row = i - (window - 1) + t;
        for (int64_t k = 0; k < X.cols; k++)
            path.points[t * X.cols + k] = row < 0 ? 0 : X.data[row * X.ld + k];
    }
    return path;
}

plain_path plain_row(volt_view X, int64_t i)
{
    plain_path path = new_path(X.cols, 1);
    for (int64_t k = 0; k < X.cols; k++)
        path.points[k] = X.data[i * X.ld + k];
    return path;
}

plain_path plain_row_lead_lag(volt_view X, int64_t i, double scale)
{
    plain_path path = new_path(2 * X.cols - 1, 3);
    const double *row = X.data + i * X.ld;
    for (int64_t t = 0; t < path.length; t++) {
        double *point = path.points + 3 * t;
        point[0] = (double)t / (double)(path.length - 1);
        point[1] = scale * row[t / 2];
        point[2] = scale * row[(t + 1) / 2];
    }
    return path;
}

static double point_distance(const plain_path *x, int64_t a, const plain_path *y, int64_t b)
{
    double sum = 0;
    for (int64_t k = 0; k < x->channels; k++) {
        double gap = x->points[a * x->channels + k] - y->points[b * y->channels + k];
        sum += gap * gap;
    }
    return sum;
}

/* ---- global alignment ------------------------------------------------------------------------- */

/* M[P][Q]; no underflow for a few dozen points. */
static double alignments(const plain_path *x, const plain_path *y, double sigma)
{
    int64_t ld = y->length + 1;
    double *M = need_doubles((x->length + 1) * ld);
    for (int64_t a = 0; a <= x->length; a++)
        for (int64_t b = 0; b <= y->length; b++) {
            if (a == 0 || b == 0) {
                M[a * ld + b] = a == b;
                continue;
            }
            double e = exp(-point_distance(x, a - 1, y, b - 1) / (2 * sigma * sigma));
            M[a * ld + b] = e / (2 - e) * (M[(a - 1) * ld + b] + M[a * ld + b - 1] + M[(a - 1) * ld + b - 1]);
        }
    double value = M[x->length * ld + y->length];
    free(M);
    return value;
}

double plain_gak(const plain_path *x, const plain_path *y, double sigma)
{
    return alignments(x, y, sigma) / sqrt(alignments(x, x, sigma) * alignments(y, y, sigma));
}

/* ---- signatures ------------------------------------------------------------------------------- */

static double increment_product(const plain_path *x, int64_t a, const plain_path *y, int64_t b)
{
    double sum = 0;
    for (int64_t k = 0; k < x->channels; k++)
        sum += (x->points[(a + 1) * x->channels + k] - x->points[a * x->channels + k]) *
               (y->points[(b + 1) * y->channels + k] - y->points[b * y->channels + k]);
    return sum;
}

double plain_sigpde(const plain_path *x, const plain_path *y)
{
    int64_t ld = y->length;
    double *K = need_doubles(x->length * ld); /* ones: the border */
    for (int64_t a = 0; a + 1 < x->length; a++)
        for (int64_t b = 0; b + 1 < y->length; b++) {
            double g = increment_product(x, a, y, b);
            K[(a + 1) * ld + b + 1] = (K[(a + 1) * ld + b] + K[a * ld + b + 1]) * (1 + g / 2 + g * g / 12) -
                                      K[a * ld + b] * (1 - g * g / 12);
        }
    double value = K[(x->length - 1) * ld + y->length - 1];
    free(K);
    return value;
}

/* Offset of level m of a signature, starting with level 0; level + 1 is the total length. */
static int64_t level_offset(int64_t channels, int m)
{
    int64_t offset = 0, count = 1;
    for (int i = 0; i < m; i++, count *= channels)
        offset += count;
    return offset;
}

/* The signature of one straight piece: level m is dx^{(x) m} / m!. */
static void exponential(const double *dx, int64_t channels, int level, double *E)
{
    E[0] = 1;
    for (int m = 1; m <= level; m++) {
        int64_t from = level_offset(channels, m - 1), to = level_offset(channels, m);
        for (int64_t k = 0; k < to - from; k++)
            for (int64_t c = 0; c < channels; c++)
                E[to + k * channels + c] = E[from + k] * dx[c] / m;
    }
}

/* S <- S (x) E (Chen); the highest level first, since it reads the lower ones. */
static void concatenate(const double *E, int64_t channels, int level, double *S)
{
    for (int m = level; m >= 1; m--) {
        int64_t at = level_offset(channels, m);
        for (int i = m - 1; i >= 0; i--) {
            int64_t left = level_offset(channels, i), n_left = level_offset(channels, i + 1) - left;
            int64_t right = level_offset(channels, m - i), n_right = level_offset(channels, m - i + 1) - right;
            for (int64_t p = 0; p < n_left; p++)
                for (int64_t q = 0; q < n_right; q++)
                    S[at + p * n_right + q] += S[left + p] * E[right + q];
        }
    }
}

static double *signature(const plain_path *x, int level)
{
    int64_t d = x->channels, length = level_offset(d, level + 1);
    double *S = need_doubles(length), *E = need_doubles(length), *dx = need_doubles(d);
    for (int64_t k = 1; k < length; k++)
        S[k] = 0;
    for (int64_t t = 0; t + 1 < x->length; t++) {
        for (int64_t k = 0; k < d; k++)
            dx[k] = x->points[(t + 1) * d + k] - x->points[t * d + k];
        exponential(dx, d, level, E);
        concatenate(E, d, level, S);
    }
    free(dx);
    free(E);
    return S;
}

double plain_sig(const plain_path *x, const plain_path *y, int level)
{
    double *Sx = signature(x, level), *Sy = signature(y, level), sum = 0;
    for (int64_t k = 0; k < level_offset(x->channels, level + 1); k++)
        sum += Sx[k] * Sy[k];
    free(Sx);
    free(Sy);
    return sum;
}

/* ---- sums over the past ----------------------------------------------------------------------- */

static double entry_of(volt_view X, int64_t i, int64_t k)
{
    return i < 0 ? 0 : X.data[i * X.ld + k];
}

double plain_product(volt_view X, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < X.cols; k++)
        sum += entry_of(X, i, k) * entry_of(X, j, k);
    return sum;
}

double plain_distance(volt_view X, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < X.cols; k++) {
        double gap = entry_of(X, i, k) - entry_of(X, j, k);
        sum += gap * gap;
    }
    return sum;
}

double plain_sum(double (*local)(volt_view X, int64_t i, int64_t j), volt_view X, int64_t i, int64_t j,
                 int64_t window)
{
    double sum = 0;
    for (int64_t lag = 0; lag < window; lag++)
        sum += local(X, i - lag, j - lag);
    return sum;
}
