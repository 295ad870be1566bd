/* examples/00_the_paper.c: the method of the paper in plain C, and the same results from the library.
 *
 * "Reservoir kernels and Volterra series" by Gonon, Grigoryeva and Ortega (arXiv:2212.14641) treats filters: systems whose
 * output y_t depends on all inputs z_t, z_{t-1}, ... up to now. Analytic filters with fading memory are linear functions of
 * the state x_t of one universal system (12), the Volterra reservoir (10):
 *
 *     x_t = lambda x_{t-1} (x) ~z_t + 1,    ~z = 1 + tau z + tau^2 z (x) z + ...        ((x): tensor product)
 *
 * A state has infinitely many numbers and is never computed. A ridge regression on states requires only their inner products
 * K = <x_i, x_j>, and these follow a recursion with one division per entry. Equations have the numbers of version 2 of the
 * paper; docs/paper.md lists all of its statements.
 *
 * Parts 1 to 4 use only the standard library of C. Part 5 computes the same matrix and predictions with volterra, and part 6
 * compares them. */
#include <volterra.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* n rows to learn from, h rows to predict, inputs of d numbers. Rows are time steps, and indices start at 0. */
enum { n = 300, h = 100, d = 2 };

static const double tau = 0.6;    /* weight of products of inputs: tau M < 1, where M bounds their norms */
static const double lambda = 0.7; /* memory: lambda^2 < 1 - tau^2 M^2 (Theorem II.2) */
static const double alpha = 1e-3; /* regularisation, lambda_reg in the paper */

/* ---- 1. a system ------------------------------------------------------------------------------ */

/* Returns a number between -1 and 1 from a linear congruential generator. */
static double uniform(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return ldexp((double)(*seed >> 11), -52) - 1;
}

/* Simulates an analytic filter with fading memory and U(0) = 0, as Theorem II.2 (ii) requires. The inputs are in the ball of
 * radius M = 1. The factor of s is at most 0.62, so that the influence of earlier inputs decays. */
static void simulate(double z[n + h][d], double y[n + h])
{
    unsigned long long seed = 1;
    double s = 0;
    for (int t = 0; t < n + h; t++) {
        for (int k = 0; k < d; k++)
            z[t][k] = sqrt(0.5) * uniform(&seed);
        s = (0.4 + 0.3 * z[t][1]) * s + z[t][0];
        y[t] = s + 0.3 * s * s;
    }
}

/* ---- 2. the Volterra kernel and its Gram matrix ----------------------------------------------- */

static double inner_product(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < d; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Computes K[i][j], the inner product of the states after the rows 0 .. i and after the rows 0 .. j, by the recursion (13):
 *
 *     K[i][j] = 1 + lambda^2 K[i-1][j-1] / (1 - tau^2 <z_i, z_j>)
 *
 * Inputs before the first row are zero (22). The fixed point of the recursion for zero inputs is 1 / (1 - lambda^2).
 *
 * The first n rows are the Gram matrix (15) of the training rows. The other h rows extend it for the forecast (16). */
static void gram(double z[n + h][d], double K[n + h][n])
{
    for (int i = 0; i < n + h; i++) {
        for (int j = 0; j < n; j++) {
            double before = i > 0 && j > 0 ? K[i - 1][j - 1] : 1 / (1 - lambda * lambda);
            K[i][j] = 1 + lambda * lambda * before / (1 - tau * tau * inner_product(z[i], z[j]));
        }
    }
}

/* ---- 3. the ridge readout --------------------------------------------------------------------- */

/* Replaces the lower triangle of a symmetric positive definite matrix by its Cholesky factor L, with L L' the matrix. */
static void cholesky(double L[n][n])
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = L[i][j];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
}

/* Computes the coefficients A that minimise |K A - y|^2 + alpha A' K A. The paper has A = (K'K + alpha K)^-1 K y (28). K is
 * symmetric; if it is invertible, A = (K + alpha I)^-1 y, without the rounding errors of a squared matrix. */
static void ridge(double K[n + h][n], const double y[n + h], double A[n])
{
    static double L[n][n];
    memcpy(L, K, sizeof L);
    for (int i = 0; i < n; i++)
        L[i][i] += alpha;
    cholesky(L);

    for (int i = 0; i < n; i++) { /* L w = y, with w in A */
        A[i] = y[i];
        for (int k = 0; k < i; k++)
            A[i] -= L[i][k] * A[k];
        A[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) { /* L' A = w */
        for (int k = i + 1; k < n; k++)
            A[i] -= L[k][i] * A[k];
        A[i] /= L[i][i];
    }
}

/* ---- 4. the forecast -------------------------------------------------------------------------- */

/* Predicts the h rows that follow (16): sums of kernel values with the training rows. */
static void predict(double K[n + h][n], const double A[n], double predicted[h])
{
    for (int i = 0; i < h; i++) {
        predicted[i] = 0;
        for (int j = 0; j < n; j++)
            predicted[i] += K[n + i][j] * A[j];
    }
}

/* ---- 5. the same with the library -------------------------------------------------------------- */

/* K as above, and the predictions of a model. By default a fit subtracts means, scales and has an intercept; the paper does
 * not ("Differences from the paper" in docs/paper.md). */
static volt_status use_library(double z[n + h][d], const double y[n + h], double K[n + h][n],
                               double predicted[h])
{
    volt_view Z = volt_view_of(z[0], n + h, d), Y = volt_view_of(y, n, 1);
    volt_view learned = volt_view_rows(Z, 0, n), following = volt_view_rows(Z, n, h);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    char text[80];
    snprintf(text, sizeof text, "volterra:tau=%.17g,lambda=%.17g", tau, lambda);

    volt_gram_options gram_options = volt_gram_options_default();
    gram_options.radius = 1; /* M */
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.scale = 0;
    options.intercept = 0;
    volt_predict_options predict_options = volt_predict_options_default();
    predict_options.beyond = VOLT_BEYOND_ALLOW; /* M of a model is the longest training input: less than 1 */

    volt_status status = volt_kernel_parse(text, &kernel);
    if (!status)
        status = volt_gram(kernel, Z, learned, &gram_options, volt_matrix_of(K[0], n + h, n));
    if (!status)
        status = volt_model_fit(kernel, learned, Y, &options, volt_matrix_of(NULL, 0, 0), &model);
    if (!status)
        status = volt_model_predict(model, following, &predict_options, volt_matrix_of(predicted, h, 1), NULL);
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

/* ---- 6. both, side by side -------------------------------------------------------------------- */

/* Returns the largest |a_i - b_i|, divided by the largest |b_i|. */
static double difference(const double *a, const double *b, int count)
{
    double most = 0, size = 0;
    for (int i = 0; i < count; i++) {
        double apart = fabs(a[i] - b[i]);
        if (apart > most || isnan(apart)) /* fmax would ignore NaN */
            most = apart;
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}

int main(void)
{
    static double z[n + h][d], y[n + h], K[n + h][n], A[n], predicted[h];
    static double library_K[n + h][n], library_predicted[h];

    simulate(z, y);
    gram(z, K);
    ridge(K, y, A);
    predict(K, A, predicted);
    if (use_library(z, y, library_K, library_predicted))
        return 1;

    printf("row  measured    by the paper  by the library\n");
    for (int i = 0; i < 5; i++)
        printf("%d  %9.6f   %9.6f     %9.6f\n", n + i, y[n + i], predicted[i], library_predicted[i]);

    double kernels = difference(K[0], library_K[0], (n + h) * n);
    double predictions = difference(predicted, library_predicted, h);
    double errors = 0, squares = 0;
    for (int i = 0; i < h; i++) {
        errors += pow(predicted[i] - y[n + i], 2);
        squares += pow(y[n + i], 2);
    }
    printf("relative difference of %d kernel values: %.1e\n", (n + h) * n, kernels);
    printf("relative difference of %d predictions: %.1e\n", h, predictions);
    printf("mean squared error of the predictions, relative to the mean square of the outputs: %.1e\n",
           errors / squares);
    return kernels < 1e-12 && predictions < 1e-12 && errors < 0.01 * squares ? 0 : 1;
}
