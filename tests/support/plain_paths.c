/* tests/support/plain_paths.c: kernels between paths as plain loops over one pair at a time. */
#include "support/plain_paths.h"

#include "support/plain_kernels.h"
#include "support/sequences.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double eps = DBL_EPSILON;

volt_kernel *plain_path_parse(const plain_path_kernel *kernel, const char *more)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", kernel->text,
             !more                       ? ""
             : strchr(kernel->text, ':') ? ","
                                         : ":",
             more ? more : "");
    return plain_parse(text);
}

/* ---- paths ------------------------------------------------------------------------------------ */

static plain_path new_path(int64_t points, int64_t channels)
{
    plain_path path = {new_matrix(points, channels), points, channels};
    return path;
}

static plain_path with_basepoint(plain_path old)
{
    plain_path path = new_path(old.points + 1, old.channels);
    for (int64_t c = 0; c < old.channels; c++)
        path.point[c] = 0;
    memcpy(path.point + old.channels, old.point, (size_t)(old.points * old.channels) * sizeof(double));
    free(old.point);
    return path;
}

/* (x_0, x_0), (x_0, x_1), (x_1, x_1), (x_1, x_2), ...: first what lags, then what leads. */
static plain_path with_leadlag(plain_path old)
{
    plain_path path = new_path(2 * old.points - 1, 2 * old.channels);
    for (int64_t t = 0; t < path.points; t++)
        for (int64_t c = 0; c < old.channels; c++) {
            path.point[t * path.channels + c] = old.point[t / 2 * old.channels + c];
            path.point[t * path.channels + old.channels + c] = old.point[(t + 1) / 2 * old.channels + c];
        }
    free(old.point);
    return path;
}

static plain_path with_time(plain_path old)
{
    plain_path path = new_path(old.points, old.channels + 1);
    for (int64_t t = 0; t < path.points; t++) {
        path.point[t * path.channels] = path.points > 1 ? (double)t / (double)(path.points - 1) : 0;
        for (int64_t c = 0; c < old.channels; c++)
            path.point[t * path.channels + 1 + c] = old.point[t * old.channels + c];
    }
    free(old.point);
    return path;
}

static plain_path augmented(const plain_path_kernel *kernel, plain_path path)
{
    if (kernel->basepoint)
        path = with_basepoint(path);
    if (kernel->leadlag)
        path = with_leadlag(path);
    return kernel->time ? with_time(path) : path;
}

static plain_path *new_paths(int64_t count)
{
    return malloc((size_t)count * sizeof(plain_path));
}

plain_path *plain_windows(const plain_path_kernel *kernel, volt_view X, int64_t window)
{
    plain_path *paths = new_paths(X.rows);
    for (int64_t i = 0; i < X.rows; i++) {
        plain_path path = new_path(window, X.cols);
        for (int64_t t = 0; t < window; t++)
            for (int64_t c = 0; c < X.cols; c++) {
                int64_t row = i - window + 1 + t;
                path.point[t * X.cols + c] = row < 0 ? 0 : X.data[row * X.ld + c];
            }
        paths[i] = augmented(kernel, path);
    }
    return paths;
}

plain_path *plain_rows(const plain_path_kernel *kernel, volt_view X, double scale)
{
    plain_path *paths = new_paths(X.rows);
    for (int64_t i = 0; i < X.rows; i++) {
        plain_path path = new_path(X.cols, 1);
        for (int64_t t = 0; t < X.cols; t++)
            path.point[t] = scale * X.data[i * X.ld + t];
        paths[i] = augmented(kernel, path);
    }
    return paths;
}

plain_path *plain_series(const plain_path_kernel *kernel, const volt_view *series, int64_t count)
{
    plain_path *paths = new_paths(count);
    for (int64_t i = 0; i < count; i++) {
        plain_path path = new_path(series[i].rows, series[i].cols);
        for (int64_t t = 0; t < path.points; t++)
            memcpy(path.point + t * path.channels, series[i].data + t * series[i].ld,
                   (size_t)path.channels * sizeof(double));
        paths[i] = augmented(kernel, path);
    }
    return paths;
}

void plain_paths_free(plain_path *paths, int64_t count)
{
    for (int64_t i = 0; paths && i < count; i++)
        free(paths[i].point);
    free(paths);
}

/* ---- local values ----------------------------------------------------------------------------- */

/* A number, and how far the library may be from it. */
typedef struct bounded {
    double value, bound;
} bounded;

/* A sum of d products is off by (d + 2) eps sum |x_k y_k|. */
static bounded product(const double *x, const double *y, int64_t d)
{
    bounded result = {0, 0};
    for (int64_t k = 0; k < d; k++) {
        result.value += x[k] * y[k];
        result.bound += fabs(x[k] * y[k]);
    }
    result.bound *= 2 * (double)(d + 2) * eps;
    return result;
}

/* |x - y|^2, which the library may take as |x|^2 + |y|^2 - 2 <x, y> of rows that were shifted by `centre`:
 * off by (d + 4) eps times the squares of the shifted norms, twice over as the three of them add. */
static bounded distance(const double *x, const double *y, int64_t d, double centre)
{
    double squared = 0, norm_x = 0, norm_y = 0;
    for (int64_t k = 0; k < d; k++) {
        squared += (x[k] - y[k]) * (x[k] - y[k]);
        norm_x += x[k] * x[k];
        norm_y += y[k] * y[k];
    }
    double size_x = sqrt(norm_x) + centre, size_y = sqrt(norm_y) + centre;
    bounded result = {squared, 2 * (double)(d + 4) * eps * (size_x * size_x + size_y * size_y)};
    return result;
}

/* ---- static kernels --------------------------------------------------------------------------- */

/* Error propagated from s by a formula, plus a few roundings. */
static bounded static_kernel(const plain_path_kernel *kernel, const plain_path *x, const plain_path *y,
                             double centre)
{
    int64_t d = x->channels;
    bounded s = {0, 0}, result;
    double terms = 0; /* bound on the sum of absolute values, for the roundings of the sum over the window */
    for (int64_t t = 0; t < x->points; t++) {
        bool far = kernel->family == PLAIN_STATIC_RBF;
        bounded step = far ? distance(x->point + t * d, y->point + t * d, d, centre)
                           : product(x->point + t * d, y->point + t * d, d);
        s.value += step.value;
        s.bound += step.bound;
        terms += far ? step.value : step.bound / (2 * (double)(d + 2) * eps);
    }
    s.bound += 2 * (double)x->points * eps * terms;

    double base = kernel->gamma * s.value + kernel->coef0,
           error = kernel->gamma * s.bound + 4 * eps * fabs(base);
    switch (kernel->family) {
    case PLAIN_STATIC_RBF:
        result.value = exp(-kernel->gamma * s.value);
        result.bound = result.value * (expm1(fmin(kernel->gamma * s.bound, 700)) + 6 * eps +
                                       2 * eps * kernel->gamma * s.value);
        break;
    case PLAIN_STATIC_POLY:
        result.value = pow(base, kernel->degree);
        result.bound = kernel->degree * pow(fabs(base) + error, kernel->degree - 1) * error +
                       2 * kernel->degree * eps * fabs(result.value);
        break;
    case PLAIN_STATIC_SIGMOID:
        result.value = tanh(base);
        result.bound = error + 6 * eps * fabs(result.value);
        break;
    default:
        result = s;
        break;
    }
    result.bound += 1e-300; /* the library's exponential is 0 below e^-708 */
    return result;
}

/* ---- global alignments ------------------------------------------------------------------------ */

/* The sum over alignments, and the largest relative error of a local value that counts. */
static double alignments(const plain_path *x, const plain_path *y, double sigma, double centre, double *worst)
{
    double rate = 1 / (2 * sigma * sigma);
    double *M = new_matrix(x->points + 1, y->points + 1);
    int64_t ld = y->points + 1;
    for (int64_t k = 0; k < (x->points + 1) * ld; k++)
        M[k] = 0;
    M[0] = 1;
    *worst = 0;
    for (int64_t a = 1; a <= x->points; a++)
        for (int64_t b = 1; b <= y->points; b++) {
            bounded squared = distance(x->point + (a - 1) * x->channels, y->point + (b - 1) * y->channels,
                                       x->channels, centre);
            double e = exp(-rate * squared.value);
            if (e > 1e-290) /* log(e / (2 - e)) changes by at most 2 rate for each unit of the distance */
                *worst = fmax(*worst, 2 * rate * (squared.bound + 4 * eps * squared.value));
            M[a * ld + b] = e / (2 - e) * (M[(a - 1) * ld + b] + M[a * ld + b - 1] + M[(a - 1) * ld + b - 1]);
        }
    double value = M[x->points * ld + y->points];
    free(M);
    return value;
}

/* An alignment of P and Q points has at most P + Q local values. Errors of the three values add. */
static bounded gak(const plain_path_kernel *kernel, const plain_path *x, const plain_path *y, double centre,
                   const double *self_x, const double *self_y)
{
    double worst, steps = (double)(x->points + y->points);
    double value = alignments(x, y, kernel->sigma, centre, &worst);
    bounded result = {value / sqrt(*self_x * *self_y), 0};
    double worst_self = 16 * (double)x->channels * eps; /* distances of a path to itself are differences */
    result.bound =
        result.value * steps * (expm1(fmin(worst, 600 / steps)) + 2 * worst_self + 32 * eps) + 1e-290;
    return result;
}

static double log_sum(double a, double b)
{
    if (a == -INFINITY || b == -INFINITY)
        return fmax(a, b);
    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

double plain_gak_log(const plain_path *x, const plain_path *y, double sigma)
{
    int64_t Q = y->points;
    double *row = malloc((size_t)(Q + 1) * sizeof *row), rate = 1 / (2 * sigma * sigma);
    for (int64_t b = 0; b <= Q; b++)
        row[b] = b == 0 ? 0 : -INFINITY;
    for (int64_t a = 0; a < x->points; a++) {
        double diagonal = row[0];
        row[0] = -INFINITY;
        for (int64_t b = 0; b < Q; b++) {
            double squared = 0;
            for (int64_t c = 0; c < x->channels; c++) {
                double gap = x->point[a * x->channels + c] - y->point[b * x->channels + c];
                squared += gap * gap;
            }
            double up = row[b + 1], local = -rate * squared - log1p(-expm1(-rate * squared));
            row[b + 1] = local + log_sum(log_sum(up, row[b]), diagonal);
            diagonal = up;
        }
    }
    double result = row[Q];
    free(row);
    return result;
}

/* ---- truncated signature ---------------------------------------------------------------------- */

enum { MAX_LEVEL = 16 };

int64_t plain_signature_length(int64_t channels, int level)
{
    int64_t length = 0, power = 1;
    for (int m = 1; m <= level; m++)
        length += power *= channels;
    return length;
}

/* S <- S (x) sum_{r <= order} dx^r / r!, where level m of S begins at S[m] and has size[m] numbers. */
static void multiply_exponential(const double *dx, int64_t channels, int level, int order, double *const *S,
                                 const int64_t *size)
{
    double *power[MAX_LEVEL + 1];
    for (int r = 0; r <= level; r++) {
        power[r] = new_matrix(size[r], 1);
        power[r][0] = 1;
        for (int64_t k = 0; r > 0 && k < size[r]; k++)
            power[r][k] = power[r - 1][k / channels] * dx[k % channels] / r;
    }
    for (int m = level; m >= 1; m--)
        for (int r = 1; r <= m && r <= order; r++)
            for (int64_t k = 0; k < size[m]; k++)
                S[m][k] += S[m - r][k / size[r]] * power[r][k % size[r]];
    for (int r = 0; r <= level; r++)
        free(power[r]);
}

static void signature_of(const plain_path *path, int level, int order, bool absolute, double *list)
{
    int64_t channels = path->channels, size[MAX_LEVEL + 1];
    double one = 1, *S[MAX_LEVEL + 1], *dx = new_matrix(channels, 1);
    S[0] = &one;
    size[0] = 1;
    for (int m = 1; m <= level; m++) {
        size[m] = size[m - 1] * channels;
        S[m] = m == 1 ? list : S[m - 1] + size[m - 1];
    }
    for (int64_t k = 0; k < plain_signature_length(channels, level); k++)
        list[k] = 0;
    for (int64_t t = 0; t + 1 < path->points; t++) {
        for (int64_t c = 0; c < channels; c++) {
            dx[c] = path->point[(t + 1) * channels + c] - path->point[t * channels + c];
            dx[c] = absolute ? fabs(dx[c]) : dx[c];
        }
        multiply_exponential(dx, channels, level, order, S, size);
    }
    free(dx);
}

void plain_signature(const plain_path *path, int level, int order, double *list, double *sizes)
{
    signature_of(path, level, order, false, list);
    signature_of(path, level, order, true, sizes);
}

/* Every product of at most `level` factors goes through sums over the rows, the columns and the channels; the
 * kernel of the absolute values bounds the sum of their sizes. */
static bounded sig(const plain_path_kernel *kernel, const plain_path *x, const plain_path *y,
                   const double *list_x, const double *list_y)
{
    int64_t length = plain_signature_length(x->channels, kernel->level);
    bounded result = {1, 1};
    for (int64_t k = 0; k < length; k++) {
        result.value += list_x[k] * list_y[k];
        result.bound += list_x[length + k] * list_y[length + k];
    }
    result.bound *= 2 * eps * kernel->level * (double)(x->points + y->points + x->channels + 10);
    return result;
}

/* ---- Goursat scheme --------------------------------------------------------------------------- */

static double goursat(const double *D, int64_t P, int64_t Q, int dyadic, bool absolute)
{
    int64_t split = (int64_t)1 << dyadic, rows = P * split, columns = Q * split, ld = columns + 1;
    double *K = new_matrix(rows + 1, ld);
    for (int64_t k = 0; k < (rows + 1) * ld; k++)
        K[k] = 1;
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b < columns; b++) {
            double g = D[a / split * Q + b / split] / (double)(split * split);
            g = absolute ? fabs(g) : g;
            K[(a + 1) * ld + b + 1] = (K[(a + 1) * ld + b] + K[a * ld + b + 1]) * (1 + g / 2 + g * g / 12) -
                                      K[a * ld + b] * (1 - g * g / 12);
        }
    double value = K[rows * ld + columns];
    free(K);
    return value;
}

/* With |g| in place of g the scheme bounds both the entries and the answer of the last entry to a unit
 * change of any other (for g = 0 a change is passed on as it is). A node rounds 8 eps of its size; an error
 * of D is passed on by the nodes of its cell, which share it. */
static bounded sigpde(const plain_path_kernel *kernel, const plain_path *x, const plain_path *y, double centre)
{
    int64_t P = x->points - 1, Q = y->points - 1, channels = x->channels;
    bool rbf = kernel->family == PLAIN_SIGPDE_RBF;
    bounded *static_value = malloc((size_t)(x->points * y->points) * sizeof *static_value);
    double *D = new_matrix(P, Q), spread = 0;
    for (int64_t a = 0; a <= P; a++)
        for (int64_t b = 0; b <= Q; b++) {
            bounded *here = static_value + a * y->points + b;
            *here = rbf ? distance(x->point + a * channels, y->point + b * channels, channels, centre)
                        : product(x->point + a * channels, y->point + b * channels, channels);
            if (rbf) {
                double error = here->bound / kernel->sigma;
                here->value = exp(-here->value / kernel->sigma);
                here->bound = here->value * expm1(fmin(error, 700)) + 6 * eps;
            }
        }
    for (int64_t a = 0; a < P; a++)
        for (int64_t b = 0; b < Q; b++) {
            const bounded *up = static_value + a * y->points + b, *down = up + y->points;
            D[a * Q + b] = (down[1].value - up[1].value) - (down[0].value - up[0].value);
            spread +=
                up[0].bound + up[1].bound + down[0].bound + down[1].bound +
                4 * eps * (fabs(up[0].value) + fabs(up[1].value) + fabs(down[0].value) + fabs(down[1].value));
        }
    double size = goursat(D, P, Q, kernel->dyadic, true), nodes = ldexp((double)(P * Q), 2 * kernel->dyadic);
    bounded result = {goursat(D, P, Q, kernel->dyadic, false), size * size * (8 * eps * nodes + spread)};
    free(D);
    free(static_value);
    return result;
}

/* ---- all pairs -------------------------------------------------------------------------------- */

/* Values of one path used in every pair: its signature with absolute values, or the kernel with itself. */
static double **prepare(const plain_path_kernel *kernel, const plain_path *paths, int64_t count)
{
    double **own = malloc((size_t)count * sizeof *own), worst;
    for (int64_t i = 0; i < count; i++) {
        int64_t length =
            kernel->family == PLAIN_SIG ? plain_signature_length(paths[i].channels, kernel->level) : 1;
        own[i] = new_matrix(2, length);
        if (kernel->family == PLAIN_SIG)
            plain_signature(&paths[i], kernel->level, kernel->order, own[i], own[i] + length);
        else if (kernel->family == PLAIN_GAK)
            own[i][0] = alignments(&paths[i], &paths[i], kernel->sigma, 0, &worst);
    }
    return own;
}

static void free_prepared(double **own, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        free(own[i]);
    free(own);
}

void plain_paths_gram(const plain_path_kernel *kernel, const plain_path *X, int64_t n, const plain_path *Y,
                      int64_t m, double centre, double *value, double *bound)
{
    double **own_x = prepare(kernel, X, n), **own_y = prepare(kernel, Y, m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            bounded result;
            switch (kernel->family) {
            case PLAIN_GAK:
                result = gak(kernel, &X[i], &Y[j], centre, own_x[i], own_y[j]);
                break;
            case PLAIN_SIG:
                result = sig(kernel, &X[i], &Y[j], own_x[i], own_y[j]);
                break;
            case PLAIN_SIGPDE:
            case PLAIN_SIGPDE_RBF:
                result = sigpde(kernel, &X[i], &Y[j], centre);
                break;
            default:
                result = static_kernel(kernel, &X[i], &Y[j], centre);
                break;
            }
            value[i * m + j] = result.value;
            bound[i * m + j] = result.bound;
        }
    free_prepared(own_y, m);
    free_prepared(own_x, n);
}
