/* bench/tune_problem.c: a sample like the published one, and the draws. */
#include "tune_problem.h"

#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = TUNE_D, Q = TUNE_Q, BURN_IN = 500, SAMPLE_SEED = 20240229, DRAW_SEED = 100 };

/* ---- the sample ------------------------------------------------------------------------------- */

typedef struct bekk {
    double Omega[D][D], a[D], b[D];
    double H[D][D]; /* the covariance of the step to come */
} bekk;

/* Daily volatilities of 1 to 2.4 %, correlations of 0.4. a^2 + b^2 = 0.8 is less persistent than real returns: 3008 rows are
 * enough to learn it, so that good and poor draws differ. */
static bekk bekk_start(void)
{
    bekk process;
    for (int i = 0; i < D; i++) {
        double a2 = 0.20 + 0.01 * i;
        process.a[i] = sqrt(a2);
        process.b[i] = sqrt(0.8 - a2);
    }
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            double correlation = i == j ? 1 : 0.4;
            process.H[i][j] = correlation * (0.010 + 0.0015 * i) * (0.010 + 0.0015 * j);
            process.Omega[i][j] = 0.2 * process.H[i][j];
        }
    return process;
}

static void cholesky(double H[D][D], double L[D][D])
{
    for (int j = 0; j < D; j++)
        for (int i = j; i < D; i++) {
            double sum = H[i][j];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
}

static void bekk_step(bekk *process, const double z[D])
{
    double L[D][D], ar[D] = {0};
    cholesky(process->H, L);
    for (int i = 0; i < D; i++) {
        for (int j = 0; j <= i; j++)
            ar[i] += L[i][j] * z[j];
        ar[i] *= process->a[i];
    }
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            process->H[i][j] =
                process->Omega[i][j] + ar[i] * ar[j] + process->b[i] * process->b[j] * process->H[i][j];
}

static void simulate(volt_matrix X, volt_matrix Y)
{
    volt_rng rng;
    volt_rng_init(&rng, SAMPLE_SEED, 0);
    bekk process = bekk_start();
    for (int64_t t = -BURN_IN; t < X.rows; t++) {
        double z[D];
        for (int k = 0; k < D; k++)
            z[k] = volt_rng_normal(&rng);
        bekk_step(&process, z);
        if (t < 0)
            continue;
        double *x = X.data + t * D, *y = Y.data + t * Q;
        for (int k = 0; k < D; k++)
            x[k] = z[k];
        for (int j = 0; j < D; j++) /* vech: columns from the diagonal down */
            for (int i = j; i < D; i++)
                *y++ = 1000 * process.H[i][j];
    }
}

static void divide_by_largest_norm(volt_matrix X)
{
    double largest = 0;
    for (int64_t i = 0; i < X.rows; i++) {
        double sum = 0;
        for (int k = 0; k < D; k++)
            sum += X.data[i * D + k] * X.data[i * D + k];
        largest = fmax(largest, sum);
    }
    for (int64_t i = 0; i < X.rows * D; i++)
        X.data[i] /= sqrt(largest);
}

static void standardise(volt_matrix Y)
{
    double n = (double)Y.rows;
    for (int k = 0; k < Q; k++) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < Y.rows; i++)
            mean += Y.data[i * Q + k] / n;
        for (int64_t i = 0; i < Y.rows; i++) {
            Y.data[i * Q + k] -= mean;
            variance += Y.data[i * Q + k] * Y.data[i * Q + k] / n;
        }
        for (int64_t i = 0; i < Y.rows; i++)
            Y.data[i * Q + k] /= sqrt(variance);
    }
}

/* ---- the draws -------------------------------------------------------------------------------- */

static double log_uniform(volt_rng *rng, double low, double high)
{
    return low * pow(high / low, volt_rng_uniform(rng));
}

static void draw(volt_matrix draws)
{
    for (int64_t i = 0; i < draws.rows; i++) {
        volt_rng rng;
        volt_rng_init(&rng, DRAW_SEED, (uint64_t)i);
        double *row = draws.data + i * TUNE_PARAMETERS;
        row[TUNE_TAU] = log_uniform(&rng, 0.1, pow(10, -0.002));
        row[TUNE_LAMBDA] = log_uniform(&rng, 0.01, 0.999 * sqrt(1 - row[TUNE_TAU] * row[TUNE_TAU]));
        row[TUNE_ALPHA] = log_uniform(&rng, 1e-5, 10);
    }
}

/* ---- both ------------------------------------------------------------------------------------- */

static volt_matrix new_matrix(int64_t rows, int64_t cols)
{
    return volt_matrix_of(need_doubles(rows * cols), rows, cols);
}

tune_problem tune_problem_make(int64_t n, int64_t draws)
{
    tune_problem problem = {new_matrix(n, D), new_matrix(n, Q), new_matrix(draws, TUNE_PARAMETERS)};
    simulate(problem.X, problem.Y);
    divide_by_largest_norm(problem.X);
    standardise(problem.Y);
    draw(problem.draws);
    return problem;
}

void tune_problem_free(tune_problem *problem)
{
    free(problem->X.data);
    free(problem->Y.data);
    free(problem->draws.data);
}
