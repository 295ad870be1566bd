/* src/series/classify/class_bench.c: leave-one-out scores of a Gram matrix of series in classes, also within
 * folds. */
#include "series/classify/class_bench.h"

#include "backend/cholesky.h"
#include "base/alpha_grid.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "gram/gram.h"
#include "series/classify/series_model.h"
#include "solve/exact/factor.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Series in classes: columns of targets, stratified splits, accuracies,
 * probabilities. */

void volt_class_columns(const volt_class_list *classes, volt_matrix Y)
{
    for (int64_t i = 0; i < classes->n; i++)
        for (int64_t k = 0; k < classes->n_classes; k++)
            Y.data[i * Y.ld + k] = classes->of[i] == k;
}

int64_t volt_class_of_largest(const double *outputs, int64_t n_classes)
{
    int64_t largest = 0;
    for (int64_t k = 1; k < n_classes; k++)
        if (outputs[k] > outputs[largest])
            largest = k;
    return largest;
}

int64_t volt_class_count_correct(const volt_class_list *classes, volt_view Y, const int64_t *rows, int64_t m,
                                 volt_view errors)
{
    int64_t right = 0;
    for (int64_t i = 0; i < m; i++) {
        int64_t row = rows ? rows[i] : i, largest = 0;
        const double *y = Y.data + row * Y.ld, *e = errors.data + i * errors.ld;
        for (int64_t k = 1; k < classes->n_classes; k++)
            if (y[k] - e[k] > y[largest] - e[largest])
                largest = k;
        right += largest == classes->of[row];
    }
    return right;
}

/* Writes the series of a class in random order to `members`; returns how many. Each split and class has its
 * own random stream. */
static int64_t shuffle_class(const volt_class_list *classes, int64_t class_number, uint64_t seed, int64_t split,
                             int64_t *members)
{
    int64_t count = 0;
    volt_rng rng;
    for (int64_t i = 0; i < classes->n; i++)
        if (classes->of[i] == class_number)
            members[count++] = i;
    volt_rng_init(&rng, seed, (uint64_t)(split * classes->n_classes + class_number));
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)(volt_rng_uniform(&rng) * (double)(i + 1)), kept = members[i];
        members[i] = members[j];
        members[j] = kept;
    }
    return count;
}

int64_t volt_class_split(const volt_class_list *classes, double share, uint64_t seed, int64_t split,
                         int64_t *workspace, int64_t *rows)
{
    int64_t held = 0;
    for (int64_t k = 0; k < classes->n_classes; k++) {
        int64_t count = shuffle_class(classes, k, seed, split, workspace);
        int64_t out = (int64_t)fmin(fmax(round(share * (double)count), 1), (double)(count - 1));
        for (int64_t i = 0; i < out; i++)
            rows[held++] = workspace[i];
    }
    return held;
}

void volt_class_folds(const volt_class_list *classes, int64_t folds, uint64_t seed, int64_t *workspace,
                      int64_t *fold)
{
    int64_t next = 0; /* counted over all classes, so that small classes are not all in the first folds */
    for (int64_t k = 0; k < classes->n_classes; k++) {
        int64_t count = shuffle_class(classes, k, seed, 0, workspace);
        for (int64_t i = 0; i < count; i++)
            fold[workspace[i]] = next++ % folds;
    }
}

/* A series and its key; the smallest key is taken first. */
typedef struct sampled {
    int64_t row;
    double key;
} sampled;

static int by_key(const void *a, const void *b)
{
    const sampled *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

volt_status volt_class_sample(const volt_class_list *classes, int64_t m, uint64_t seed, int64_t *rows)
{
    enum { OF_EACH = 2, SAMPLE = 1 << 20 }; /* the streams of splits are below */
    sampled *all = volt_alloc(classes->n, sizeof *all);
    int64_t *members = volt_alloc(classes->n, sizeof *members);
    volt_status status = all && members ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < classes->n_classes && status == VOLT_OK; k++) {
        int64_t count = shuffle_class(classes, k, seed, SAMPLE, members);
        for (int64_t i = 0; i < count; i++)
            all[members[i]] =
                (sampled){members[i], i < OF_EACH ? (double)(i - OF_EACH) : ((double)i + 0.5) / (double)count};
    }
    if (status == VOLT_OK) {
        qsort(all, (size_t)classes->n, sizeof *all, by_key);
        for (int64_t i = 0; i < m; i++)
            rows[i] = all[i].row;
        qsort(rows, (size_t)m, sizeof *rows, by_row);
    }
    volt_free(all);
    volt_free(members);
    return status;
}

/* ---- probabilities ------------------------------------------------------------------------------ */

void volt_class_softmax(double *u, int64_t q, double temperature)
{
    double largest = u[volt_class_of_largest(u, q)], sum = 0;
    for (int64_t k = 0; k < q; k++)
        sum += u[k] = exp((u[k] - largest) / temperature);
    for (int64_t k = 0; k < q; k++)
        u[k] /= sum;
}

/* The derivative of the log loss of all series with respect to s = 1 / t: sum over k of (p_k - target_k)
 * u_k. */
static double slope(const volt_class_list *classes, volt_view outputs, double s)
{
    int64_t n = classes->n, q = classes->n_classes;
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *u = outputs.data + i * outputs.ld;
        double largest = u[volt_class_of_largest(u, q)], sum = 0, mean = 0, target = 0;
        for (int64_t k = 0; k < q; k++) {
            double weight = exp(s * (u[k] - largest));
            sum += weight;
            mean += weight * u[k];
            target += u[k] * ((double)n * (classes->of[i] == k) + 1) / (double)(n + q);
        }
        total += mean / sum - target;
    }
    return total;
}

double volt_class_temperature(const volt_class_list *classes, volt_view outputs)
{
    enum { HALVINGS = 60 };
    const double widest = 1e3;
    double low = -log(widest), high = log(widest); /* the loss is convex in s, so its slope changes sign once */
    for (int step = 0; step < HALVINGS; step++) {
        double middle = (low + high) / 2;
        if (slope(classes, outputs, exp(middle)) > 0)
            high = middle;
        else
            low = middle;
    }
    return exp(-(low + high) / 2);
}

/* Errors of rows left out of a ridge regression, in any blocks, from one
 * factorisation. */

volt_status volt_loo_create(int64_t n, int64_t q, volt_loo_readout *loo)
{
    *loo = (volt_loo_readout){.n = n, .q = q};
    loo->P = volt_alloc_doubles(n, n);
    loo->A = volt_alloc_doubles(n, q);
    loo->c = volt_alloc_doubles(q, 1);
    loo->r = volt_alloc_doubles(n, 1);
    if (loo->P && loo->A && loo->c && loo->r)
        return VOLT_OK;
    volt_loo_release(loo);
    return VOLT_ERR_MEMORY;
}

void volt_loo_release(volt_loo_readout *loo)
{
    volt_free(loo->P);
    volt_free(loo->A);
    volt_free(loo->c);
    volt_free(loo->r);
    *loo = (volt_loo_readout){0};
}

/* A = P Y. */
static void multiply(const volt_loo_readout *loo, volt_view Y)
{
    int64_t n = loo->n, q = loo->q;
    for (int64_t i = 0; i < n; i++) {
        double *a = loo->A + i * q;
        for (int64_t k = 0; k < q; k++)
            a[k] = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < q; k++)
                a[k] += loo->P[i * n + j] * Y.data[j * Y.ld + k];
    }
}

/* Replaces R by P, and computes the intercepts. */
static void take_out_intercept(volt_loo_readout *loo, volt_view Y)
{
    int64_t n = loo->n, q = loo->q;
    double *P = loo->P, *r = loo->r, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        r[i] = 0;
        for (int64_t j = 0; j < n; j++)
            r[i] += P[i * n + j];
        sum += r[i];
    }
    for (int64_t k = 0; k < q; k++)
        loo->c[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            P[i * n + j] -= r[i] * r[j] / sum;
        for (int64_t k = 0; k < q; k++)
            loo->c[k] += r[i] * Y.data[i * Y.ld + k] / sum;
    }
}

volt_status volt_loo_solve(volt_loo_readout *loo, volt_view K, double alpha, volt_view Y)
{
    int64_t n = loo->n, pivot;
    volt_matrix P = volt_matrix_of(loo->P, n, n);
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++)
            P.data[i * n + j] = K.data[i * K.ld + j];
        largest = fmax(largest, K.data[i * K.ld + i]);
        P.data[i * n + i] += alpha;
    }
    volt_cholesky_factor(P, NULL, &pivot);
    if (pivot > 0)
        return volt_ridge_singular(pivot, n, alpha, (double)n * DBL_EPSILON * largest);
    volt_cholesky_invert(P, NULL);
    volt_mirror(P);
    take_out_intercept(loo, Y);
    multiply(loo, Y);
    return VOLT_OK;
}

void volt_loo_each(const volt_loo_readout *loo, volt_matrix errors)
{
    int64_t n = loo->n, q = loo->q;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = loo->A[i * q + k] / loo->P[i * n + i];
}

volt_status volt_loo_block(const volt_loo_readout *loo, const int64_t *rows, int64_t m, double *workspace,
                           volt_matrix errors)
{
    int64_t n = loo->n, q = loo->q, pivot;
    volt_matrix B = volt_matrix_of(workspace, m, m);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j <= i; j++)
            B.data[i * m + j] = loo->P[rows[i] * n + rows[j]];
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = loo->A[rows[i] * q + k];
    }
    volt_cholesky_factor(B, NULL, &pivot);
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR, "the block of left-out rows is singular");
    volt_cholesky_forward(B, errors);
    volt_cholesky_backward(B, errors);
    return VOLT_OK;
}

/* Errors of all rows (n x q) without the m rows of a block B: those of B by the fit of the others, and each of
 * the others left out of that fit as well. With C the other rows and S = P_CC - P_CB P_BB^{-1} P_BC, the P of
 * the fit without B,
 *
 *     e_B = P_BB^{-1} A_B,    e_i = (A_i - P_iB e_B) / S_ii.
 *
 * `workspace` has m x (m + n + q) numbers. VOLT_ERR_SINGULAR as above. */
static volt_status loo_excluding(const volt_loo_readout *loo, const int64_t *rows, int64_t m, double *workspace,
                                 volt_matrix errors)
{
    int64_t n = loo->n, q = loo->q;
    volt_matrix factor = volt_matrix_of(workspace, m, m), X = volt_matrix_of(workspace + m * m, m, n);
    volt_matrix block = volt_matrix_of(workspace + m * (m + n), m, q);
    VOLT_TRY(volt_loo_block(loo, rows, m, factor.data, block)); /* keeps the factor of P_BB */
    for (int64_t b = 0; b < m; b++)
        for (int64_t i = 0; i < n; i++)
            X.data[b * n + i] = loo->P[rows[b] * n + i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = loo->A[i * q + k];
    for (int64_t b = 0; b < m; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < q; k++)
                errors.data[i * errors.ld + k] -= X.data[b * n + i] * block.data[b * q + k];
    volt_cholesky_forward(factor, X);
    for (int64_t i = 0; i < n; i++) {
        double rest = loo->P[i * n + i];
        for (int64_t b = 0; b < m; b++)
            rest -= X.data[b * n + i] * X.data[b * n + i];
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] /= rest;
    }
    for (int64_t b = 0; b < m; b++)
        for (int64_t k = 0; k < q; k++)
            errors.data[rows[b] * errors.ld + k] = block.data[b * q + k];
    return VOLT_OK;
}

/* ---- ridge regression on Nystrom features, with leave-one-out errors --------------------------------- */

volt_status volt_landmark_readout_create(int64_t n, int64_t m, int64_t q, const int64_t *rows,
                                         volt_landmark_readout *readout)
{
    /* workspace of dsyevd: 1 + 6 m + 2 m^2 numbers and 3 + 5 m integers */
    *readout = (volt_landmark_readout){
        .n = n, .m = m, .q = q, .rows = rows, .work_size = 1 + 6 * m + 2 * m * m, .included = n};
    readout->L = volt_alloc_doubles(m, m);
    readout->F = volt_alloc_doubles(n, m);
    readout->V = volt_alloc_doubles(n, m);
    readout->U = volt_alloc_doubles(m, m);
    readout->values = volt_alloc_doubles(m, 1);
    readout->mean = volt_alloc_doubles(m, 1);
    readout->B = volt_alloc_doubles(m, q);
    readout->y_mean = volt_alloc_doubles(q, 1);
    readout->work = volt_alloc_doubles(readout->work_size, 1);
    readout->integers = volt_alloc(3 + 5 * m, sizeof(volt_blas_int));
    if (readout->L && readout->F && readout->V && readout->U && readout->values && readout->mean &&
        readout->B && readout->y_mean && readout->work && readout->integers)
        return VOLT_OK;
    volt_landmark_readout_release(readout);
    return VOLT_ERR_MEMORY;
}

void volt_landmark_readout_release(volt_landmark_readout *readout)
{
    volt_free(readout->L);
    volt_free(readout->F);
    volt_free(readout->V);
    volt_free(readout->U);
    volt_free(readout->values);
    volt_free(readout->mean);
    volt_free(readout->B);
    volt_free(readout->y_mean);
    volt_free(readout->work);
    volt_free(readout->integers);
    *readout = (volt_landmark_readout){0};
}

/* Factors K_ZZ. With nearly equal landmarks, the diagonal is increased until the factor exists. */
static volt_status factor_landmarks(volt_landmark_readout *readout, volt_view K)
{
    static const double jitters[] = {1e-12, 1e-10, 1e-8, 1e-6};
    int64_t m = readout->m, pivot = 1;
    for (size_t t = 0; t < sizeof jitters / sizeof *jitters && pivot > 0; t++) {
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j <= i; j++)
                readout->L[i * m + j] = K.data[readout->rows[i] * K.ld + j];
            readout->L[i * m + i] *= 1 + jitters[t];
        }
        volt_cholesky_factor(volt_matrix_of(readout->L, m, m), NULL, &pivot);
    }
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR, "the matrix of %" PRId64 " landmarks is not positive definite",
                 m);
    return VOLT_OK;
}

/* Features of K (n x m: rows against landmarks). VOLT_ERR_SINGULAR. BLAS must be claimed, here and below. */
static volt_status landmark_readout_map(volt_landmark_readout *readout, volt_view K)
{
    int64_t n = readout->n, m = readout->m;
    VOLT_TRY(factor_landmarks(readout, K));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            readout->F[i * m + j] = K.data[i * K.ld + j];
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (volt_blas_int)n,
                (volt_blas_int)m, 1, readout->L, (volt_blas_int)m, readout->F, (volt_blas_int)m);
    return VOLT_OK;
}

/* Means of features and targets over the included rows. */
static void find_means(volt_landmark_readout *readout, const bool *out, volt_view Y)
{
    int64_t n = readout->n, m = readout->m, q = readout->q, count = 0;
    for (int64_t j = 0; j < m; j++)
        readout->mean[j] = 0;
    for (int64_t k = 0; k < q; k++)
        readout->y_mean[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        if (out && out[i])
            continue;
        count++;
        for (int64_t j = 0; j < m; j++)
            readout->mean[j] += readout->F[i * m + j];
        for (int64_t k = 0; k < q; k++)
            readout->y_mean[k] += Y.data[i * Y.ld + k];
    }
    for (int64_t j = 0; j < m; j++)
        readout->mean[j] /= (double)count;
    for (int64_t k = 0; k < q; k++)
        readout->y_mean[k] /= (double)count;
    readout->included = count;
}

/* The rows of U are eigenvectors, as LAPACK's columns are. */
static volt_status find_eigenvectors(volt_landmark_readout *readout)
{
    volt_blas_int m = (volt_blas_int)readout->m, info = 0, size = (volt_blas_int)readout->work_size;
    volt_blas_int integers = 3 + 5 * m;
    dsyevd_("V", "U", &m, readout->U, &m, readout->values, readout->work, &size, readout->integers, &integers,
            &info, 1, 1);
    VOLT_REQUIRE(info == 0, VOLT_ERR_SINGULAR, "the features of %" PRId64 " landmarks have no decomposition",
                 readout->m);
    for (int64_t j = 0; j < readout->m; j++)
        readout->values[j] = fmax(readout->values[j], 0);
    return VOLT_OK;
}

volt_status volt_landmark_readout_decompose(volt_landmark_readout *readout, const bool *out, volt_view Y)
{
    int64_t n = readout->n, m = readout->m, q = readout->q, at = 0;
    find_means(readout, out, Y);
    for (int64_t i = 0; i < n; i++) /* V temporarily holds the included centred rows */
        for (int64_t j = 0; j < m && !(out && out[i]); j++)
            readout->V[at++] = readout->F[i * m + j] - readout->mean[j];
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (volt_blas_int)m, (volt_blas_int)readout->included, 1,
                readout->V, (volt_blas_int)m, 0, readout->U, (volt_blas_int)m);
    for (int64_t j = 0; j < m; j++) /* the diagonal, which bounds the other entries */
        VOLT_REQUIRE(isfinite(readout->U[j * m + j]), VOLT_ERR_NOT_FINITE,
                     "the features of %" PRId64 " landmarks are not finite", m);
    VOLT_TRY(find_eigenvectors(readout));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (volt_blas_int)n, (volt_blas_int)m, (volt_blas_int)m,
                1, readout->F, (volt_blas_int)m, readout->U, (volt_blas_int)m, 0, readout->V, (volt_blas_int)m);
    for (int64_t j = 0; j < m; j++) { /* of the mean, which is then subtracted from every row */
        double shift = 0;
        for (int64_t k = 0; k < m; k++)
            shift += readout->U[j * m + k] * readout->mean[k];
        readout->work[j] = shift;
    }
    for (int64_t j = 0; j < m * q; j++)
        readout->B[j] = 0;
    for (int64_t i = 0; i < n; i++) {
        double *v = readout->V + i * m;
        for (int64_t j = 0; j < m; j++)
            v[j] -= readout->work[j];
        for (int64_t j = 0; j < m && !(out && out[i]); j++)
            for (int64_t k = 0; k < q; k++)
                readout->B[j * q + k] += v[j] * (Y.data[i * Y.ld + k] - readout->y_mean[k]);
    }
    return VOLT_OK;
}

/* Errors of all rows (n x q) with alpha, for the decomposed set. */
static void landmark_readout_errors(const volt_landmark_readout *readout, double alpha, const bool *out,
                                    volt_view Y, volt_matrix errors)
{
    int64_t n = readout->n, m = readout->m, q = readout->q;
    for (int64_t i = 0; i < n; i++) {
        const double *v = readout->V + i * m;
        double *e = errors.data + i * errors.ld, h = 1 / (double)readout->included;
        for (int64_t k = 0; k < q; k++)
            e[k] = Y.data[i * Y.ld + k] - readout->y_mean[k];
        for (int64_t j = 0; j < m; j++) {
            double w = v[j] / (readout->values[j] + alpha);
            h += v[j] * w;
            for (int64_t k = 0; k < q; k++)
                e[k] -= w * readout->B[j * q + k];
        }
        for (int64_t k = 0; k < q && !(out && out[i]); k++)
            e[k] /= 1 - h;
    }
}

/* Coefficients of the landmarks, outputs = K A + c: A (m x q), c (q). */
static void landmark_readout_coefficients(const volt_landmark_readout *readout, double alpha, double *A,
                                          double *c)
{
    int64_t m = readout->m, q = readout->q;
    for (int64_t j = 0; j < m * q; j++)
        A[j] = 0;
    for (int64_t e = 0; e < m; e++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t k = 0; k < q; k++)
                A[j * q + k] += readout->U[e * m + j] * readout->B[e * q + k] / (readout->values[e] + alpha);
    for (int64_t k = 0; k < q; k++) {
        c[k] = readout->y_mean[k];
        for (int64_t j = 0; j < m; j++)
            c[k] -= readout->mean[j] * A[j * q + k];
    }
    volt_cholesky_backward(volt_matrix_of(readout->L, m, m), volt_matrix_of(A, m, q));
}

volt_status volt_class_bench_create(const volt_class_setting *setting, volt_class_bench *bench)
{
    int64_t n = setting->classes.n, q = setting->classes.n_classes, m = setting->n_landmarks;
    int64_t columns = m > 0 ? m : n;
    *bench = (volt_class_bench){.setting = *setting,
                                .K = volt_matrix_of(volt_alloc_doubles(n, columns), n, columns),
                                .Y = volt_matrix_of(volt_alloc_doubles(n, q), n, q),
                                .E = volt_matrix_of(volt_alloc_doubles(n, q), n, q),
                                .rows = volt_alloc(n, sizeof *bench->rows),
                                .out = volt_alloc_zero(n, sizeof *bench->out)};
    if (!bench->K.data || !bench->Y.data || !bench->E.data || !bench->rows || !bench->out)
        return VOLT_ERR_MEMORY;
    volt_class_columns(&setting->classes, bench->Y);
    if (m > 0)
        return volt_landmark_readout_create(n, m, q, setting->landmarks, &bench->by_landmarks);
    VOLT_TRY(volt_loo_create(n, q, &bench->loo));
    bench->workspace = volt_alloc_doubles(n, 2 * n + q);
    return bench->workspace ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_class_bench_release(volt_class_bench *bench)
{
    volt_free(bench->K.data);
    volt_free(bench->Y.data);
    volt_free(bench->E.data);
    volt_free(bench->rows);
    volt_free(bench->out);
    volt_free(bench->workspace);
    volt_loo_release(&bench->loo);
    volt_landmark_readout_release(&bench->by_landmarks);
    *bench = (volt_class_bench){0};
}

bool volt_class_is_better(const volt_class_score *a, const volt_class_score *b)
{
    return a->right > b->right || (a->right == b->right && a->right >= 0 && a->error < b->error);
}

/* Marks the rows of a fold in `out`; list 0 has none. */
static int64_t mark_fold(volt_class_bench *bench, int64_t list)
{
    int64_t m = 0;
    for (int64_t i = 0; i < bench->setting.classes.n; i++) {
        bench->out[i] = list > 0 && bench->setting.fold[i] == list - 1;
        if (bench->out[i])
            bench->rows[m++] = i;
    }
    return m;
}

/* The score of the errors E of a list, with the rows outside it marked. */
static volt_class_score score_errors(const volt_class_bench *bench, double alpha)
{
    const volt_class_list *classes = &bench->setting.classes;
    volt_class_score score = {.alpha = alpha};
    double sum = 0;
    int64_t included = 0;
    for (int64_t i = 0; i < classes->n; i++) {
        const double *e = bench->E.data + i * bench->E.ld;
        int64_t right = volt_class_count_correct(classes, volt_as_view(bench->Y), &i, 1,
                                                 volt_view_of(e, 1, classes->n_classes));
        if (bench->out[i]) {
            score.held += right;
            continue;
        }
        score.right += right;
        included++;
        for (int64_t k = 0; k < classes->n_classes; k++)
            sum += e[k] * e[k];
    }
    score.error = sum / ((double)included * (double)classes->n_classes);
    if (!isfinite(score.error))
        score.right = -1;
    return score;
}

/* The lists to score. */
typedef struct list_scores {
    volt_class_bench *bench;
    int64_t first, last;
    volt_class_score *scores;
} list_scores;

static void offer_errors(const list_scores *lists, int64_t list, volt_alpha_choice *choice)
{
    volt_class_score now = score_errors(lists->bench, choice->alpha);
    if (now.right >= 0 && volt_alpha_offer(choice, list - lists->first, -(double)now.right, now.error))
        lists->scores[list] = now;
}

/* One alpha, all lists, from one factorisation. */
static volt_status evaluate_exactly(void *context, volt_alpha_choice *choice)
{
    const list_scores *lists = context;
    volt_class_bench *bench = lists->bench;
    VOLT_TRY(volt_loo_solve(&bench->loo, volt_as_view(bench->K), choice->alpha, volt_as_view(bench->Y)));
    for (int64_t list = lists->first; list <= lists->last; list++) {
        volt_status status = VOLT_OK;
        int64_t m = mark_fold(bench, list);
        if (list == 0)
            volt_loo_each(&bench->loo, bench->E);
        else
            status = loo_excluding(&bench->loo, bench->rows, m, bench->workspace, bench->E);
        if (status == VOLT_OK)
            offer_errors(lists, list, choice);
    }
    return VOLT_OK;
}

/* One alpha, one list, from the decomposition for that list. */
static volt_status evaluate_landmarks(void *context, volt_alpha_choice *choice)
{
    const list_scores *lists = context;
    volt_class_bench *bench = lists->bench;
    landmark_readout_errors(&bench->by_landmarks, choice->alpha, bench->out, volt_as_view(bench->Y), bench->E);
    offer_errors(lists, lists->first, choice);
    return VOLT_OK;
}

static volt_status require_finite(const volt_class_score *score, double alpha)
{
    VOLT_REQUIRE(score->right >= 0, VOLT_ERR_SINGULAR, "alpha = %g is too small for the rounding of the matrix",
                 alpha);
    return VOLT_OK;
}

volt_status volt_class_profile(volt_class_bench *bench, double alpha, int64_t first, int64_t last,
                               volt_class_score *scores)
{
    list_scores lists = {bench, first, last, scores};
    volt_alpha_best best[VOLT_MAX_LISTS] = {0};
    volt_alpha_choice choice = {.grid = VOLT_ALPHA_SERIES,
                                .given = alpha,
                                .unit = 1,
                                .evaluate = evaluate_exactly,
                                .context = &lists,
                                .columns = last - first + 1,
                                .best = best};
    for (int64_t list = first; list <= last; list++)
        scores[list] = (volt_class_score){.right = -1};
    if (bench->setting.n_landmarks > 0) {
        choice.evaluate = evaluate_landmarks;
        choice.columns = 1;
        VOLT_TRY(landmark_readout_map(&bench->by_landmarks, volt_as_view(bench->K)));
        for (lists.first = first; lists.first <= last; lists.first++, choice.best++) {
            mark_fold(bench, lists.first);
            VOLT_TRY(volt_landmark_readout_decompose(&bench->by_landmarks, bench->out, volt_as_view(bench->Y)));
            VOLT_TRY(volt_alpha_choose(&choice));
        }
    } else {
        VOLT_TRY(volt_alpha_choose(&choice));
    }
    return require_finite(&scores[first], alpha > 0 ? alpha : volt_alpha_high(choice.grid));
}

volt_status volt_class_solve(volt_class_bench *bench, double alpha, volt_class_score *score)
{
    volt_view K = volt_as_view(bench->K), Y = volt_as_view(bench->Y);
    mark_fold(bench, 0);
    if (bench->setting.n_landmarks > 0) {
        VOLT_TRY(landmark_readout_map(&bench->by_landmarks, K));
        VOLT_TRY(volt_landmark_readout_decompose(&bench->by_landmarks, NULL, Y));
        landmark_readout_errors(&bench->by_landmarks, alpha, NULL, Y, bench->E);
    } else {
        VOLT_TRY(volt_loo_solve(&bench->loo, K, alpha, Y));
        volt_loo_each(&bench->loo, bench->E);
    }
    *score = score_errors(bench, alpha);
    return require_finite(score, alpha);
}

void volt_class_coefficients(const volt_class_bench *bench, double alpha, double *A, double *c)
{
    int64_t n = bench->setting.classes.n, q = bench->setting.classes.n_classes;
    if (bench->setting.n_landmarks > 0) {
        landmark_readout_coefficients(&bench->by_landmarks, alpha, A, c);
        return;
    }
    for (int64_t i = 0; i < n * q; i++)
        A[i] = bench->loo.A[i];
    for (int64_t k = 0; k < q; k++)
        c[k] = bench->loo.c[k];
}

volt_status volt_class_held_out_errors(volt_class_bench *bench, double alpha, const int64_t *rows, int64_t m,
                                       volt_matrix errors)
{
    int64_t q = bench->setting.classes.n_classes;
    if (bench->setting.n_landmarks == 0)
        return volt_loo_block(&bench->loo, rows, m, bench->workspace, errors);
    mark_fold(bench, 0);
    for (int64_t i = 0; i < m; i++)
        bench->out[rows[i]] = true;
    VOLT_TRY(volt_landmark_readout_decompose(&bench->by_landmarks, bench->out, volt_as_view(bench->Y)));
    landmark_readout_errors(&bench->by_landmarks, alpha, bench->out, volt_as_view(bench->Y), bench->E);
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = bench->E.data[rows[i] * bench->E.ld + k];
    return VOLT_OK;
}
