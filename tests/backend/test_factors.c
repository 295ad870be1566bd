/* tests/backend/test_factors.c: results of a factor on every back end, compared with separate fits by
 * Gaussian elimination.
 *
 * The bordered system of the first m rows (without intercept: only the first block)
 *
 *     | K + alpha I   1 | | A |   | Y |
 *     |     1'        0 | | c | = | 0 |
 *
 * is solved in long double for every result. */
#include "base/error.h"
#include "solve/exact/factor.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/far_backend.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

enum { N = 30, W = 5, ROWS = N + W, Q = 3 };
static const double alpha = 0.3, constant = 4; /* the constant subtracted from the Gram matrix */

/* Options of the factor. */
typedef struct way {
    bool intercept, centred, steady;
    int64_t washout;
} way;

static const way ways[] = {
    {.intercept = true, .steady = true},
    {.intercept = true, .steady = true, .washout = W},
    {.intercept = true, .centred = true, .steady = true, .washout = W},
    {.steady = true, .washout = W},
    {.intercept = true, .washout = W},
    {.washout = 0},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct set {
    way way;
    int64_t n; /* rows kept */
    double *K; /* ROWS x ROWS */
    double *Y; /* ROWS x Q */
    double allowed;
    double workspace[ROWS * (Q + 1)], D[ROWS * Q];
    volt_operator *op;
    volt_factor *factor;
    volt_stage stage;
} set;

static const double *row_of(const set *s, int64_t t)
{
    return s->K + (s->way.washout + t) * ROWS + s->way.washout;
}

static const double *target_of(const set *s, int64_t t)
{
    return s->Y + (s->way.washout + t) * Q;
}

/* Errors of a backward stable solve are n eps times the condition number, here of (K + alpha I) with its constant part,
 * at most (largest eigenvalue + alpha) / alpha, times the size of the targets. */
static void make_set(set *s, way w, uint64_t seed, const volt_backend *backend)
{
    volt_rng rng = test_rng(seed);
    *s = (set){.way = w, .n = ROWS - w.washout};
    s->K = plain_random_spd(&rng, ROWS, 0);
    for (int64_t i = 0; i < ROWS * ROWS; i++)
        s->K[i] += constant;
    s->Y = normal_rows(&rng, ROWS, Q);
    for (int64_t i = 0; i < ROWS * Q; i++)
        s->Y[i] += 2;
    double smallest, largest, size = 0;
    for (int64_t i = 0; i < ROWS * Q; i++)
        size = fmax(size, fabs(s->Y[i]));
    plain_eigenvalues(volt_view_of(s->K, ROWS, ROWS), &smallest, &largest);
    s->allowed = 16 * ROWS * DBL_EPSILON * (largest + alpha) / alpha * size;
    check_ok(volt_dense_operator(volt_view_of(s->K, ROWS, ROWS), &s->op));
    check_ok(volt_factor_create(backend, NULL, ROWS, Q, &s->factor));
    volt_stage_begin(&s->stage, (volt_progress){0}, "test", 0, 1, 1);
}

static void free_set(set *s)
{
    volt_factor_free(s->factor);
    volt_operator_free(s->op);
    free(s->Y);
    free(s->K);
}

static void begin(set *s)
{
    bool intercept = s->way.intercept, joined = s->way.steady && intercept;
    volt_matrix workspace = {s->workspace, s->n, Q, joined ? Q + 1 : Q};
    volt_factor_task task = {.rows = ROWS,
                             .washout = s->way.washout,
                             .alpha = alpha,
                             .common = intercept ? 0.9 * constant : 0,
                             .centred = s->way.centred,
                             .Y = volt_view_of(target_of(s, 0), s->n, Q),
                             .W = workspace,
                             .u = !intercept ? NULL : s->workspace + (joined ? Q : ROWS * Q),
                             .ld_u = joined ? Q + 1 : 1,
                             .steady = s->way.steady,
                             .stage = &s->stage};
    volt_factor_begin(s->factor, &task);
    check_ok(volt_factor_fill(s->factor, s->op));
}

/* A (n x Q) and c (Q) of the rows kept that `uses` says, count of them, by elimination; unused rows of A are 0. */
static void plain_fit(const set *s, const bool *uses, double *A, double *c)
{
    double system[(N + W + 1) * (N + W + 1)], right[(N + W + 1) * Q];
    int64_t place[ROWS], count = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (uses[i])
            place[count++] = i;
    int64_t size = count + (s->way.intercept ? 1 : 0);
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j < size; j++)
            system[i * size + j] = i < count && j < count ? row_of(s, place[i])[place[j]] + (i == j ? alpha : 0)
                                                          : (i < count || j < count ? 1 : 0);
        for (int64_t k = 0; k < Q; k++)
            right[i * Q + k] = i < count ? target_of(s, place[i])[k] : 0;
    }
    plain_solve(volt_view_of(system, size, size), volt_matrix_of(right, size, Q));
    memset(A, 0, (size_t)(s->n * Q) * sizeof(double));
    for (int64_t k = 0; k < Q; k++) {
        c[k] = s->way.intercept ? right[count * Q + k] : 0;
        for (int64_t i = 0; i < count; i++)
            A[place[i] * Q + k] = right[i * Q + k];
    }
}

static void plain_fit_first(const set *s, int64_t m, double *A, double *c)
{
    bool uses[ROWS];
    for (int64_t i = 0; i < ROWS; i++)
        uses[i] = i < m;
    plain_fit(s, uses, A, c);
}

static double mean_of(const set *s, int64_t m, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; s->way.centred && i < m; i++)
        sum += target_of(s, i)[k];
    return sum / (double)m;
}

/* Kernel row k of n numbers times A, plus c. */
static double plain_forecast(const set *s, const double *row, const double *A, const double *c, int64_t k)
{
    double sum = c[k];
    for (int64_t j = 0; j < s->n; j++)
        sum += row[j] * A[j * Q + k];
    return sum;
}

static void check_near(const set *s, const char *what, double actual, double expected)
{
    if (!(fabs(actual - expected) <= s->allowed))
        fail_msg(
            "%s: %.17g, expected %.17g, allowed %.3g (intercept %d, centred %d, steady %d, washout %" PRId64
            ")",
            what, actual, expected, s->allowed, s->way.intercept, s->way.centred, s->way.steady,
            s->way.washout);
}

/* ---- growth, readout, forecasts --------------------------------------------------------------- */

static void check_first(set *s, int64_t m)
{
    enum { CROSS = 4 };
    volt_factor *f = s->factor;
    double A[ROWS * Q], c[Q], out[ROWS * Q];
    plain_fit_first(s, m, A, c);
    check_ok(volt_factor_grow(f, m));
    volt_factor_intercepts(f);
    for (int64_t k = 0; k < Q; k++) {
        check_near(s, "intercept", f->c[k], c[k]);
        check_near(s, "shift", f->shift[k], c[k] - mean_of(s, m, k));
    }
    volt_matrix D = volt_matrix_of(s->D, m, Q);
    volt_factor_coefficients(f, D);
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < Q; k++)
            check_near(s, "coefficient", D.data[i * Q + k], A[i * Q + k]);

    if (m < s->n) { /* later rows, not all of them and not from the next one on */
        int64_t first = m + 2, count = s->n - first - 1;
        volt_factor_forecast(f, first, D, volt_matrix_of(out, count, Q));
        for (int64_t i = 0; i < count; i++)
            for (int64_t k = 0; k < Q; k++)
                check_near(s, "continued", out[i * Q + k],
                           plain_forecast(s, row_of(s, first + i), A, c, k) - mean_of(s, m, k));
    }

    /* For another initial state any kernel rows will do: those of K in reverse order. */
    double cross[CROSS * ROWS];
    for (int64_t i = 0; i < CROSS; i++)
        for (int64_t j = 0; j < s->n; j++)
            cross[i * ROWS + j] = row_of(s, s->n - 1 - i)[j];
    double *there = f->backend->alloc(CROSS, ROWS);
    f->backend->put(volt_view_of(cross, CROSS, ROWS), volt_matrix_of(there, CROSS, ROWS));
    volt_factor_forecast_reset(f, (volt_view){there, CROSS, m, ROWS}, D, volt_matrix_of(out, CROSS, Q));
    f->backend->release(there);
    for (int64_t i = 0; i < CROSS; i++)
        for (int64_t k = 0; k < Q; k++)
            check_near(s, "reset", out[i * Q + k],
                       plain_forecast(s, cross + i * ROWS, A, c, k) - mean_of(s, m, k));
}

static void forecasts_on(const volt_backend *backend)
{
    for (int w = 0; w < WAYS; w++) {
        set s;
        make_set(&s, ways[w], 7201, backend);
        for (int repeat = 0; repeat < 2; repeat++) { /* a factor is reused */
            begin(&s);
            check_first(&s, 12);
            check_first(&s, 20);
            check_first(&s, s.n);
        }
        free_set(&s);
    }
}

static void results_equal_separate_fits(void **state)
{
    for_each_backend(forecasts_on);
}

/* ---- one step ahead, one left out, likelihood ------------------------------------------------- */

static void one_step_on(const volt_backend *backend)
{
    for (int w = 0; w < WAYS; w++) {
        enum { FIRST = 9 };
        set s;
        make_set(&s, ways[w], 7202, backend);
        begin(&s);
        double out[ROWS * Q], A[ROWS * Q], c[Q];
        check_ok(volt_factor_grow(s.factor, 20)); /* in two pieces */
        volt_factor_one_step(s.factor, FIRST, volt_matrix_of(out, 20 - FIRST, Q));
        check_ok(volt_factor_grow(s.factor, s.n));
        volt_factor_one_step(s.factor, 20, volt_matrix_of(out + (20 - FIRST) * Q, s.n - 20, Q));
        for (int64_t t = FIRST; t < s.n; t++) {
            plain_fit_first(&s, t, A, c);
            for (int64_t k = 0; k < Q; k++)
                check_near(&s, "one step ahead", out[(t - FIRST) * Q + k],
                           plain_forecast(&s, row_of(&s, t), A, c, k) - mean_of(&s, t, k));
        }
        free_set(&s);
    }
}

static void one_step_prediction_equals_fit_on_previous_rows(void **state)
{
    for_each_backend(one_step_on);
}

/* The variance of row t, forecast from the others: alpha + K_tt - k' R k + (1 - 1' R k)^2 / (1' R 1) in units of s^2,
 * R of the other rows. */
static double plain_variance(const set *s, int64_t t)
{
    double system[ROWS * ROWS], right[ROWS * 2], k[ROWS];
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (i == t)
            continue;
        k[count] = right[2 * count] = row_of(s, t)[i];
        right[2 * count + 1] = 1;
        int64_t place = 0;
        for (int64_t j = 0; j < s->n; j++)
            if (j != t)
                system[count * (s->n - 1) + place++] = row_of(s, i)[j] + (i == j ? alpha : 0);
        count++;
    }
    plain_solve(volt_view_of(system, count, count), volt_matrix_of(right, count, 2));
    double kRk = 0, oneRk = 0, oneRone = 0;
    for (int64_t i = 0; i < count; i++) {
        kRk += k[i] * right[2 * i];
        oneRk += right[2 * i];
        oneRone += right[2 * i + 1];
    }
    return alpha + row_of(s, t)[t] - kRk + (s->way.intercept ? (1 - oneRk) * (1 - oneRk) / oneRone : 0);
}

/* s_k^2 = Y' A over the degrees of freedom: Y' P Y with A = P Y. */
static double plain_spread(const set *s, const double *A, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        sum += target_of(s, i)[k] * A[i * Q + k];
    return sum / (double)(s->way.intercept ? s->n - 1 : s->n);
}

static volt_status leave_one_out(volt_factor *f, volt_matrix errors, volt_matrix variances)
{
    double P[ROWS];
    VOLT_TRY(volt_factor_precisions(f, P));
    volt_factor_squares(f);
    volt_factor_coefficients(f, errors);
    volt_factor_loo(f, P, errors, variances, NULL);
    return VOLT_OK;
}

static void leave_out_on(const volt_backend *backend)
{
    for (int w = 0; w < WAYS; w++) {
        set s;
        make_set(&s, ways[w], 7203, backend);
        begin(&s);
        double errors[ROWS * Q], variances[ROWS * Q], A[ROWS * Q], all[ROWS * Q], c[Q];
        check_ok(volt_factor_grow(s.factor, s.n));
        volt_factor_intercepts(s.factor);
        check_ok(leave_one_out(s.factor, volt_matrix_of(errors, s.n, Q), volt_matrix_of(variances, s.n, Q)));
        plain_fit_first(&s, s.n, all, c);
        for (int64_t t = 0; t < s.n; t++) {
            bool uses[ROWS];
            for (int64_t i = 0; i < ROWS; i++)
                uses[i] = i != t;
            plain_fit(&s, uses, A, c);
            double variance = plain_variance(&s, t);
            for (int64_t k = 0; k < Q; k++) {
                check_near(&s, "left out", errors[t * Q + k],
                           target_of(&s, t)[k] - plain_forecast(&s, row_of(&s, t), A, c, k));
                check_near(&s, "variance", variances[t * Q + k], plain_spread(&s, all, k) * variance);
            }
        }
        free_set(&s);
    }
}

static void loo_error_equals_refit_without_the_row(void **state)
{
    for_each_backend(leave_out_on);
}

/* sum_k [ -rows/2 (log(2 pi s_k^2) + 1 + 2 log scale_k) - log det L - 1/2 log(1' R 1) ], the last with intercept. */
static double plain_log_score(const set *s, const double *scale)
{
    double L[ROWS * ROWS], ones[ROWS], A[ROWS * Q], c[Q], logs = 0, sum = 0, oneRone = 0;
    int64_t n = s->n;
    for (int64_t i = 0; i < n; i++) {
        ones[i] = 1;
        for (int64_t j = 0; j < n; j++)
            L[i * n + j] = row_of(s, i)[j] + (i == j ? alpha : 0);
    }
    plain_solve(volt_view_of(L, n, n), volt_matrix_of(ones, n, 1));
    for (int64_t i = 0; i < n; i++)
        oneRone += ones[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double value = L[i * n + j];
            for (int64_t k = 0; k < j; k++)
                value -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(value) : value / L[j * n + j];
            logs += i == j ? log(L[i * n + i]) : 0;
        }
    plain_fit_first(s, n, A, c);
    double rows = (double)(s->way.intercept ? n - 1 : n);
    for (int64_t k = 0; k < Q; k++)
        sum -= rows / 2 * (log(2 * acos(-1) * plain_spread(s, A, k)) + 1 + 2 * log(scale[k])) + logs +
               (s->way.intercept ? log(oneRone) / 2 : 0);
    return sum;
}

static void log_score_on(const volt_backend *backend)
{
    static const double scale[Q] = {1, 3, 0.2};
    for (int w = 0; w < WAYS; w++) {
        set s;
        make_set(&s, ways[w], 7204, backend);
        begin(&s);
        double score = 0; /* of K itself: det(L) and u'u account for the subtracted constant */
        double before = s.factor->cost.flops, n = (double)s.n;
        check_ok(volt_factor_grow(s.factor, 13)); /* in two pieces: n^3 / 3 and n^2 for each right-hand side */
        check_ok(volt_factor_grow(s.factor, s.n));
        double flops = n * n * n / 3 + n * n * (Q + (s.way.intercept ? 1 : 0));
        assert_true(fabs(s.factor->cost.flops - before - flops) <= 1e-13 * (flops + before));
        volt_factor_intercepts(s.factor);
        check_ok(volt_factor_log_score(s.factor, scale, &score));
        s.allowed *= (double)s.n;
        check_near(&s, "log score", score, plain_log_score(&s, scale));
        free_set(&s);
    }
}

static void log_score_equals_density_of_targets(void **state)
{
    for_each_backend(log_score_on);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void failures_on(const volt_backend *backend)
{
    set s;
    double norm = 0;
    make_set(&s, ways[0], 7205, backend);
    s.K[20 * ROWS + 20] = -50;
    begin(&s);
    check_ok(volt_factor_grow(s.factor, 20)); /* the rows before it are valid */
    check_fails(volt_factor_grow(s.factor, s.n), VOLT_ERR_SINGULAR, "pivot 21 35");
    s.K[20 * ROWS + 3] = NAN;
    begin(&s);
    check_fails(volt_factor_norm(s.factor, &norm), VOLT_ERR_NOT_FINITE, "finite");
    s.K[20 * ROWS + 3] = s.K[20 * ROWS + 20] = 30;
    begin(&s);
    s.stage.cancelled = true;
    check_fails(volt_factor_grow(s.factor, s.n), VOLT_ERR_CANCELLED, "cancelled test");
    free_set(&s);
}

static void failures_set_error_messages(void **state)
{
    for_each_backend(failures_on);
}

static volt_status leave_out(set *s)
{
    volt_factor *factor = NULL, *given = s->factor;
    VOLT_TRY(volt_factor_create(given->backend, NULL, ROWS, Q, &factor));
    s->factor = factor;
    begin(s);
    double errors[ROWS * Q], variances[ROWS * Q], rcond, norm = 0;
    volt_status status = volt_factor_norm(factor, &norm);
    if (status == VOLT_OK)
        status = volt_factor_grow(factor, s->n);
    if (status == VOLT_OK)
        status = volt_factor_rcond(factor, norm, &rcond);
    if (status == VOLT_OK) {
        volt_factor_intercepts(factor);
        status = leave_one_out(factor, volt_matrix_of(errors, s->n, Q), volt_matrix_of(variances, s->n, Q));
    }
    volt_factor_free(factor);
    s->factor = given;
    return status;
}

static void memory_on(const volt_backend *backend)
{
    set s;
    make_set(&s, ways[1], 7206, backend);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = leave_out(&s);
        failing_alloc_check(status);
    }
    free_set(&s);
}

static void allocation_failure_leaks_nothing(void **state)
{
    for_each_backend(memory_on);
}

static int make_backends(void **state)
{
    far_backends_register();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_equal_separate_fits),
        cmocka_unit_test(one_step_prediction_equals_fit_on_previous_rows),
        cmocka_unit_test(loo_error_equals_refit_without_the_row),
        cmocka_unit_test(log_score_equals_density_of_targets),
        cmocka_unit_test(failures_set_error_messages),
        cmocka_unit_test(allocation_failure_leaks_nothing),
    };
    return cmocka_run_group_tests_name("factors", tests, make_backends, NULL);
}
