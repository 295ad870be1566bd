/* tests/support/plain_cv.c: cross-validation in time order with one separate fit per forecast. */
#include "support/plain_cv.h"
#include "select/folds/problem.h"

#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "text/text.h"

/* ---- problems --------------------------------------------------------------------------------- */

plain_problem plain_problem_make(volt_rng *rng, int64_t n, int64_t d, int64_t q)
{
    plain_problem p = {n, d, q, random_rows(rng, n, d, 2), new_matrix(n, q)};
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            p.X[i * d + k] += 0.5 - 0.3 * (double)k;
    p.X[(int64_t)((double)n * volt_rng_uniform(rng)) * d] += 4; /* the largest value lies in any row */
    for (int64_t k = 0; k < q; k++) {
        double memory = 0, size = pow(10, (double)k - 1), level = 3 * volt_rng_normal(rng);
        double weight[2] = {volt_rng_normal(rng), volt_rng_normal(rng)};
        for (int64_t i = 0; i < n; i++) {
            const double *x = p.X + i * d;
            memory = 0.6 * memory + weight[0] * x[k % d] + weight[1] * x[0] * x[(k + 1) % d];
            p.Y[i * q + k] = size * (level + memory + 0.3 * volt_rng_normal(rng));
        }
    }
    return p;
}

void plain_problem_free(plain_problem *problem)
{
    free(problem->Y);
    free(problem->X);
}

volt_view plain_inputs(const plain_problem *problem)
{
    return volt_view_of(problem->X, problem->n, problem->d);
}

volt_view plain_targets(const plain_problem *problem)
{
    return volt_view_of(problem->Y, problem->n, problem->q);
}

/* ---- scales ----------------------------------------------------------------------------------- */

/* A problem in the units of the kernel and of the readout. */
typedef struct scaled {
    int64_t n, d, q;
    double *Z, *T; /* n x d, n x q */
    double *size;  /* q: factors of the scaled targets */
    double radius;
    const char *kernel;
} scaled;

static double mean_of(const double *column, int64_t rows, int64_t stride)
{
    double sum = 0, rest = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += column[i * stride];
    for (int64_t i = 0; i < rows; i++)
        rest += column[i * stride] - sum / (double)rows;
    return (sum + rest) / (double)rows;
}

static double largest_norm(const double *rows, int64_t n, int64_t d)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < d; k++)
            sum += rows[i * d + k] * rows[i * d + k];
        largest = fmax(largest, sqrt(sum));
    }
    return largest;
}

/* The value of a parameter of a kernel, not present when it has none of that name. */
static volt_kernel_value value_of(const char *text, const char *name)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    volt_kernel *kernel = plain_parse(text);
    if (volt_kernel_get(kernel, name, &value) != VOLT_OK)
        value = (volt_kernel_value){.struct_size = sizeof(volt_kernel_value)};
    volt_kernel_free(kernel);
    return value;
}

static scaled scale(const plain_problem *p, const char *kernel, int is_scaled)
{
    scaled s = {p->n, p->d,  p->q, new_matrix(p->n, p->d), new_matrix(p->n, p->q), new_matrix(1, p->q),
                0,    kernel};
    volt_kernel_value lift = value_of(kernel, "lift");
    int shifted = is_scaled && strcmp(lift.text, "even") != 0;
    for (int64_t k = 0; k < p->d; k++) {
        double shift = shifted ? mean_of(p->X + k, p->n, p->d) : 0;
        for (int64_t i = 0; i < p->n; i++)
            s.Z[i * p->d + k] = p->X[i * p->d + k] - shift;
    }
    double norm = is_scaled ? largest_norm(s.Z, p->n, p->d) : 1;
    for (int64_t i = 0; i < p->n * p->d; i++)
        s.Z[i] /= norm;
    s.radius = largest_norm(s.Z, p->n, p->d);

    for (int64_t k = 0; k < p->q; k++) {
        double mean = is_scaled ? mean_of(p->Y + k, p->n, p->q) : 0, squares = 0;
        for (int64_t i = 0; i < p->n; i++) {
            s.T[i * p->q + k] = p->Y[i * p->q + k] - mean;
            squares += s.T[i * p->q + k] * s.T[i * p->q + k];
        }
        s.size[k] = is_scaled ? sqrt(squares / (double)p->n) : 1;
        for (int64_t i = 0; i < p->n; i++)
            s.T[i * p->q + k] /= s.size[k];
    }
    return s;
}

static void free_scaled(scaled *s)
{
    free(s->size);
    free(s->T);
    free(s->Z);
}

/* ---- one fit ---------------------------------------------------------------------------------- */

static double largest_value(const double *values, int64_t count)
{
    double largest = values[0];
    for (int64_t i = 1; i < count; i++)
        largest = fmax(largest, values[i]);
    return largest;
}

/* The kernel for a Gram matrix with columns from .. to - 1. A kernel with a prescale divides by the largest
 * value of its columns, but the scale is computed from all rows: prescale times the ratio gives the same
 * kernel. */
static volt_kernel *kernel_for(const scaled *s, int64_t from, int64_t to)
{
    volt_kernel *kernel = plain_parse(s->kernel);
    volt_kernel_value prescale = value_of(s->kernel, "prescale"), value = {.struct_size = sizeof value};
    if (!prescale.given)
        return kernel;
    char text[VOLT_KERNEL_LENGTH], number[VOLT_NUMBER_LENGTH];
    volt_format_number(prescale.number * largest_value(s->Z + from * s->d, (to - from) * s->d) /
                           largest_value(s->Z, s->n * s->d),
                       number);
    snprintf(text, sizeof text, "%s", volt_kernel_info_of(kernel)->name);
    const char *name;
    for (int64_t i = 0; (name = volt_kernel_parameter_name(kernel, i)); i++) {
        check_ok(volt_kernel_get(kernel, name, &value));
        if (value.given)
            assert_true(volt_kernel_text_add(text, sizeof text, name,
                                             strcmp(name, "prescale") == 0 ? number : value.text));
    }
    volt_kernel_free(kernel);
    return plain_parse(text);
}

/* K[i][j], i over rows first .. last - 1, j over rows from .. to - 1, each side a sequence after a zero
 * past. */
static double *gram(const scaled *s, int64_t first, int64_t last, int64_t from, int64_t to)
{
    double *K = new_matrix(last - first, to - from);
    volt_gram_options options = volt_gram_options_default();
    options.radius = s->radius;
    volt_kernel *kernel = kernel_for(s, from, to);
    check_ok(volt_gram(kernel, volt_view_of(s->Z + first * s->d, last - first, s->d),
                       volt_view_of(s->Z + from * s->d, to - from, s->d), &options,
                       volt_matrix_of(K, last - first, to - from)));
    volt_kernel_free(kernel);
    return K;
}

/* Solve A X = B (A n x n, B n x q) by elimination with partial pivoting; both are overwritten, B with X. */
static void eliminate(double *A, int64_t n, double *B, int64_t q)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        for (int64_t j = 0; j < n && best != k; j++) {
            double spare = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = spare;
        }
        for (int64_t j = 0; j < q && best != k; j++) {
            double spare = B[k * q + j];
            B[k * q + j] = B[best * q + j];
            B[best * q + j] = spare;
        }
        for (int64_t i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int64_t j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            for (int64_t j = 0; j < q; j++)
                B[i * q + j] -= factor * B[k * q + j];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--)
        for (int64_t j = 0; j < q; j++) {
            double sum = B[i * q + j];
            for (int64_t k = i + 1; k < n; k++)
                sum -= A[i * n + k] * B[k * q + j];
            B[i * q + j] = sum / A[i * n + i];
        }
}

/* A fit on the rows of a split: K + alpha I with its border on the left, the targets and the kernels of the
 * validation rows on the right. */
typedef struct fit {
    int64_t rows, kept, size, count, width;
    double *K;     /* rows x rows */
    double *cross; /* count x rows: validation rows against training rows */
    double *right; /* size x width: A and the intercept, then h for each validation row */
} fit;

static fit fit_rows(const scaled *s, double alpha, const volt_search_options *options, volt_split split)
{
    int64_t w = options->washout, q = s->q, border = options->intercept ? 1 : 0;
    fit f = {.rows = split.train_end - split.train_begin, .count = split.end - split.begin};
    f.kept = f.rows - w;
    f.size = f.kept + border;
    f.width = q + f.count;
    /* In `continue` the validation rows have the rows of the split before them. */
    int64_t first = options->start == VOLT_START_RESET ? split.begin : split.train_begin;
    double *cross = gram(s, first, split.end, split.train_begin, split.train_end);
    f.cross = new_matrix(f.count, f.rows);
    memcpy(f.cross, cross + (split.begin - first) * f.rows, (size_t)(f.count * f.rows) * sizeof *cross);
    free(cross);
    f.K = gram(s, split.train_begin, split.train_end, split.train_begin, split.train_end);
    f.right = new_matrix(f.size, f.width);

    double *left = new_matrix(f.size, f.size);
    for (int64_t i = 0; i < f.size; i++) {
        for (int64_t j = 0; j < f.size; j++)
            left[i * f.size + j] = i < f.kept && j < f.kept
                                       ? f.K[(w + i) * f.rows + w + j] + (i == j ? alpha : 0)
                                       : (i < f.kept || j < f.kept ? 1 : 0);
        for (int64_t k = 0; k < f.width; k++)
            f.right[i * f.width + k] = k < q ? (i < f.kept ? s->T[(split.train_begin + w + i) * q + k] : 0)
                                       : i < f.kept ? f.cross[(k - q) * f.rows + w + i]
                                                    : 1;
    }
    eliminate(left, f.size, f.right, f.width);
    free(left);
    return f;
}

static void free_fit(fit *f)
{
    free(f->right);
    free(f->cross);
    free(f->K);
}

static double column_norm(const fit *f, int64_t column)
{
    double sum = 0;
    for (int64_t i = 0; i < f->kept; i++)
        sum += f->right[i * f->width + column] * f->right[i * f->width + column];
    return sqrt(sum);
}

/* Forecasts for the validation rows of a split into out (rows x q), and how far rounding moves each, in scaled
 * units. */
static void fit_and_forecast(const scaled *s, double alpha, const volt_search_options *options,
                             volt_split split, double *out, double *moved)
{
    fit f = fit_rows(s, alpha, options, split);
    double largest = 0;
    for (int64_t i = 0; i < f.rows * f.rows; i++)
        largest = fmax(largest, fabs(f.K[i]));
    for (int64_t i = 0; i < f.count; i++)
        for (int64_t k = 0; k < s->q; k++) {
            double sum = options->intercept ? f.right[f.kept * f.width + k] : 0;
            for (int64_t j = 0; j < f.kept; j++)
                sum += f.cross[i * f.rows + options->washout + j] * f.right[j * f.width + k];
            out[i * s->q + k] = sum;
            moved[i * s->q + k] =
                8 * DBL_EPSILON * largest * (1 + column_norm(&f, s->q + i)) * column_norm(&f, k);
        }
    free_fit(&f);
}

/* ---- scores ----------------------------------------------------------------------------------- */

/* Sums of squares S of errors that are moved by m, |m|^2 = M, move by 2 sqrt(S M) + M at most. */
static double score_block(const scaled *s, volt_score score, int64_t begin, int64_t count,
                          const double *forecast, const double *moved, double *rounding)
{
    double total = 0;
    *rounding = 0;
    for (int64_t k = 0; k < s->q; k++) {
        const double *truth = s->T + begin * s->q + k;
        double mean = mean_of(truth, count, s->q), errors = 0, squares = 0, moves = 0;
        for (int64_t i = 0; i < count; i++) {
            errors += pow(truth[i * s->q] - forecast[i * s->q + k], 2);
            moves += pow(moved[i * s->q + k], 2);
            squares += pow(truth[i * s->q] - mean, 2);
        }
        double unit = score == VOLT_SCORE_MSE ? s->size[k] * s->size[k] / (double)count : 1 / squares;
        total += score == VOLT_SCORE_MSE || score == VOLT_SCORE_NMSE ? errors * unit : 1 - errors * unit;
        *rounding += (2 * sqrt(errors * moves) + moves) * unit / (double)s->q;
    }
    return total / (double)s->q;
}

void plain_cv_folds(const plain_problem *problem, const char *kernel, double alpha,
                    const volt_search_options *options, double *folds, double *rounding)
{
    scaled s = scale(problem, kernel, options->scale);
    int64_t n_folds = options->splits.folds, q = s.q;
    volt_split *splits = malloc((size_t)n_folds * sizeof *splits);
    check_ok(volt_splits(s.n, &options->splits, splits));
    for (int64_t f = 0; f < n_folds; f++) {
        int64_t begin = splits[f].begin, count = splits[f].end - begin;
        double *forecast = new_matrix(count, q), *moved = new_matrix(count, q);
        if (options->score == VOLT_SCORE_PREQUENTIAL)
            for (int64_t t = 0; t < count; t++) {
                volt_split row = {0, begin + t, begin + t, begin + t + 1};
                fit_and_forecast(&s, alpha, options, row, forecast + t * q, moved + t * q);
            }
        else
            fit_and_forecast(&s, alpha, options, splits[f], forecast, moved);
        folds[f] = score_block(&s, options->score, begin, count, forecast, moved, &rounding[f]);
        free(moved);
        free(forecast);
    }
    free(splits);
    free_scaled(&s);
}

/* ---- log score -------------------------------------------------------------------------------- */

/* The log density at y (n, overwritten) of a normal law with mean 0 and covariance s^2 C, s^2 = y' C^-1 y / n:
 * C = G G' (C is overwritten with G), e = G^-1 y. */
static double profiled_density(double *C, int64_t n, double *y)
{
    double log_det = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = C[i * n + j];
            for (int64_t k = 0; k < j; k++)
                sum -= C[i * n + k] * C[j * n + k];
            C[i * n + j] = i == j ? sqrt(sum) : sum / C[j * n + j];
        }
        for (int64_t k = 0; k < i; k++)
            y[i] -= C[i * n + k] * y[k];
        y[i] /= C[i * n + i];
        squares += y[i] * y[i];
        log_det += 2 * log(C[i * n + i]);
    }
    double variance = squares / (double)n;
    return -(double)n / 2 * (log(2 * acos(-1) * variance) + 1) - log_det / 2;
}

double plain_cv_log_score(const plain_problem *problem, const char *kernel, double alpha,
                          const volt_search_options *options)
{
    scaled s = scale(problem, kernel, options->scale);
    int64_t w = options->washout, n = s.n - w, m = options->intercept ? n - 1 : n;
    double *K = gram(&s, 0, s.n, 0, s.n), *C = new_matrix(n, n), *D = new_matrix(m, m), *y = new_matrix(n, 1);
    double total = 0;
    for (int64_t k = 0; k < s.q; k++) {
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++)
                C[i * n + j] = K[(w + i) * s.n + w + j] + (i == j ? alpha : 0);
            y[i] = s.T[(w + i) * s.q + k] * s.size[k];
        }
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++)
                D[i * m + j] = options->intercept ? C[(i + 1) * n + j + 1] - C[i * n + j + 1] -
                                                        C[(i + 1) * n + j] + C[i * n + j]
                                                  : C[i * n + j];
        for (int64_t i = 0; i < m && options->intercept; i++)
            y[i] = y[i + 1] - y[i];
        total += profiled_density(D, m, y);
    }
    free(y);
    free(D);
    free(C);
    free(K);
    free_scaled(&s);
    return total;
}
