/* bench/bench_fit.c: seconds of a fit, n = 5000, d = q = 3, compared with the authors' method.
 *
 * The authors' class fills the Gram matrix entry by entry in numba and inverts it in NumPy. */
#include "lorenz_problem.h"
#include "measure.h"
#include "peer.h"
#include "solve/exact/factor.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, RUNS_IN_TURN = 3 };

static double run_fit(void *context)
{
    double begin = seconds_now();
    volt_model *model = lorenz_fit(context);
    double seconds = seconds_now() - begin;
    volt_model_free(model);
    return seconds;
}

static double run_fit_default(void *context)
{
    double begin = seconds_now();
    volt_model *model = lorenz_fit_default(context);
    double seconds = seconds_now() - begin;
    volt_model_free(model);
    return seconds;
}

/* ---- check ------------------------------------------------------------------------------------ */

/* (K + alpha I) A = Y on the rows after the washout, with the reference K. The backward error of Cholesky is at most a small
 * multiple of n eps max|K| in each entry of K, so that the residual is at most that times the sum of |A|. */
static void check_coefficients(const lorenz_problem *problem, const volt_model *model)
{
    int64_t n = LORENZ_PAIRS, w = LORENZ_WASHOUT, q = LORENZ_D;
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    volt_matrix K = volt_matrix_of(need_doubles(n * n), n, n);
    plain_kernel kernel = lorenz_plain_kernel(problem);
    plain_gram(&kernel, lorenz_inputs(problem->scaled), K);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            K.data[j * n + i] = K.data[i * n + j];

    const double *A = info.coefficients;
    volt_view Y = lorenz_targets(problem->scaled);
    double worst = 0;
    for (int64_t k = 0; k < q; k++) {
        double sum_A = 0, largest_K = info.facts->largest, largest = 0;
        for (int64_t j = w; j < n; j++)
            sum_A += fabs(A[j * q + k]);
        for (int64_t i = w; i < n; i++) {
            double sum = lorenz_alpha * A[i * q + k] - Y.data[i * Y.ld + k];
            for (int64_t j = w; j < n; j++)
                sum += K.data[i * n + j] * A[j * q + k];
            if (fabs(sum) > largest || isnan(sum))
                largest = fabs(sum);
        }
        double relative = largest / ((double)n * DBL_EPSILON * largest_K * sum_A);
        if (relative > worst || isnan(relative))
            worst = relative;
    }
    free(K.data);
    need_close("the coefficients, residual in units of n eps max|K| sum|A|", worst, 1);
}

/* The prediction after the last training row, summed over the outputs, as the authors define it: their constant is alpha
 * times the mean of the coefficients. */
static double authors_forecast(const lorenz_problem *problem, const volt_model *model, double *scale)
{
    double y[LORENZ_D], sum = 0;
    volt_view next = volt_view_rows(lorenz_targets(problem->scaled), LORENZ_PAIRS - 1, 1);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    need(volt_model_predict(model, next, NULL, volt_matrix_of(y, 1, LORENZ_D), NULL), "predict");
    *scale = 0;
    for (int k = 0; k < LORENZ_D; k++) {
        double sum_A = 0;
        for (int64_t j = LORENZ_WASHOUT; j < LORENZ_PAIRS; j++) {
            sum_A += info.coefficients[j * LORENZ_D + k];
            *scale += fabs(info.coefficients[j * LORENZ_D + k]) * info.facts->largest;
        }
        sum += y[k] + lorenz_alpha * sum_A / (LORENZ_PAIRS - LORENZ_WASHOUT);
    }
    return sum;
}

/* ---- parts ------------------------------------------------------------------------------------ */

/* The two parts of the fit separately, on the same problem: Gram matrix, then factor and solve. */
static void measure_parts(const lorenz_problem *problem, const char *parameters)
{
    int64_t n = LORENZ_PAIRS, kept = n - LORENZ_WASHOUT;
    volt_matrix K = volt_matrix_of(need_doubles(n * n), n, n);
    volt_matrix block = {K.data + LORENZ_WASHOUT * (n + 1), kept, kept, n};
    volt_matrix A = volt_matrix_of(need_doubles(kept * LORENZ_D), kept, LORENZ_D);
    volt_view Y = volt_view_rows(lorenz_targets(problem->scaled), LORENZ_WASHOUT, kept);
    volt_kernel *kernel = NULL;
    assert(Y.data);
    need(volt_kernel_parse(lorenz_kernel, &kernel), "the kernel");
    volt_gram_options gram = volt_gram_options_default();
    gram.mirror = 0;
    volt_ridge_options ridge = volt_ridge_options_default();
    ridge.alpha = lorenz_alpha;
    ridge.intercept = 0;

    double gram_seconds[RUNS], solve_seconds[RUNS], c[LORENZ_D];
    for (int run = 0; run < RUNS; run++) {
        double begin = seconds_now();
        need(volt_gram(kernel, lorenz_inputs(problem->scaled), volt_view_of(NULL, 0, 0), &gram, K), "gram");
        double middle = seconds_now();
        memcpy(A.data, Y.data, (size_t)(kept * LORENZ_D) * sizeof(double));
        need(volt_ridge_solve(block, A, &ridge, c, NULL), "solve");
        gram_seconds[run] = middle - begin;
        solve_seconds[run] = seconds_now() - middle;
    }
    measurement m = {.name = "fit, its Gram matrix", .parameters = parameters, .unit = "G entries/s"};
    m.time = timing_of(gram_seconds, RUNS);
    m.value = 1e-9 * (double)n * (double)(n + 1) / 2 / m.time.best;
    report(&m);
    m.name = "fit, factor and solve";
    m.unit = "GFLOP/s";
    m.time = timing_of(solve_seconds, RUNS);
    m.value = 1e-9 * (double)kept * (double)kept * (double)kept / 3 / m.time.best;
    report(&m);

    volt_kernel_free(kernel);
    free(A.data);
    free(K.data);
}

int main(void)
{
    const char *parameters = "n=5000 d=3 q=3 threads=2";
    const double start[LORENZ_D] = {0, 1, 1.05};
    need(volt_set_threads(2), "threads");
    lorenz_problem problem = lorenz_problem_make(start, 0, 0);
    volt_model *model = lorenz_fit(&problem);
    check_coefficients(&problem, model);

    char inputs[PEER_PATH_LENGTH], targets[PEER_PATH_LENGTH];
    peer_write_matrix(lorenz_inputs(problem.scaled), inputs);
    peer_write_matrix(lorenz_targets(problem.scaled), targets);
    peer *other = peer_start((const char *[]){"fit", inputs, targets, "0.3", "0.3", "1e-10", "100", NULL});
    remove(inputs);
    remove(targets);

    measurement m = {
        .name = "fit against peer", .parameters = parameters, .unit = "s", .judge = JUDGE_RATIO, .at_least = 6};
    if (other) {
        /* An explicit inverse is less accurate than a factorisation, by the condition number: its relative accuracy is 1e-6
         * here. Results for different problems differ by far more. */
        double scale, ours = authors_forecast(&problem, model, &scale);
        need_close("the forecast of the peer", fabs(peer_value(other) - ours), fmax(1e-6, scale * DBL_EPSILON));
        m.peer = peer_name(other);
        time_in_turn(run_fit, &problem, peer_run, other, RUNS_IN_TURN, 0, &m.time, &m.peer_time);
        peer_stop(other);
    } else {
        m.time = time_runs(run_fit, &problem, RUNS);
    }
    m.value = m.time.best;
    report(&m);

    measure_parts(&problem, parameters);
    measurement full = {.name = "fit, scale, intercept", .parameters = parameters, .unit = "s"};
    full.time = time_runs(run_fit_default, &problem, RUNS);
    full.value = full.time.best;
    report(&full);

    volt_model_free(model);
    lorenz_problem_free(&problem);
    return 0;
}
