/* tests/unit/stats/test_mcs_unit.c: model confidence set, losses and block lengths with known values, and errors. */
#include "stats/stats_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/stats.h"

static const volt_mcs_method methods[] = {VOLT_MCS_R, VOLT_MCS_MAX};

static volt_mcs_options options_of(volt_mcs_method method, int64_t reps)
{
    volt_mcs_options options = volt_mcs_options_default();
    options.method = method;
    options.reps = reps;
    return options;
}

static volt_mcs *mcs_of(volt_view losses, const volt_mcs_options *options)
{
    volt_mcs *mcs = NULL;
    check_ok(volt_mcs_compute(losses, options, &mcs));
    return mcs;
}

/* A few operations: a few eps. */
static void check_near(const char *name, double expected, double actual)
{
    golden_check_number(name, expected, actual, 16 * DBL_EPSILON, GOLDEN_RELATIVE);
}

/* ---- known values ----------------------------------------------------------------------------- */

/* Two models, two rows: losses (0, 0) and (1, 3), so d = L_2 - L_1 = 2. The replications use the rows (0,
 * 0), (1, 1), (0, 1), (1, 0): d* - d = -1, 1, 0, 0, so V = 1/2 and T = 2 sqrt 2. T* = sqrt 2, sqrt 2, 0, 0:
 * none exceeds T. The losses (0, 2) and (1.5, 1) give d = 1/4, d*_t = (1.5, -1), d* - d = 1.25, -1.25, 0, 0,
 * V = 25/32, T = 1 / (5 / sqrt 2) = sqrt 2 / 5. T* = sqrt 2, sqrt 2, 0, 0: half of them exceed T. For two
 * models both methods are the same: c = d/2, s = sqrt V / 2. */
/* The block length of one series, as its difference from zeros. */
static volt_status block_length(const double *values, int64_t count, double *block)
{
    double *both = new_matrix(count, 2);
    for (int64_t t = 0; t < count; t++) {
        both[2 * t] = 0;
        both[2 * t + 1] = values[t];
    }
    volt_status status =
        volt_block_length_of_differences(volt_view_of(both, count, 2), (volt_progress){0}, block);
    free(both);
    return status;
}

static void two_models_by_hand(void **state)
{
    const int64_t indices[] = {0, 0, 1, 1, 0, 1, 1, 0};
    const double apart[] = {0, 1, 0, 3}, close[] = {0, 1.5, 2, 1};
    for (int m = 0; m < 2; m++) {
        volt_mcs_options options = options_of(methods[m], 1);
        volt_mcs *mcs = NULL;
        options.indices = indices;
        options.reps = 4;
        check_ok(volt_mcs_compute(volt_view_of(apart, 2, 2), &options, &mcs));
        check_near("statistic", 2 * sqrt(2), mcs->statistics[0]);
        assert_true(mcs->step_shares[0] == 0 && mcs->pvalues[0] == 1 && mcs->pvalues[1] == 0);
        assert_true(mcs->order[0] == 1 && mcs->order[1] == 0);
        assert_true(mcs->included[0] == 1 && mcs->included[1] == 0);
        assert_true(mcs->mean_losses[0] == 0 && mcs->mean_losses[1] == 2);
        volt_mcs_free(mcs);

        options.indices = indices;
        options.reps = 4;
        check_ok(volt_mcs_compute(volt_view_of(close, 2, 2), &options, &mcs));
        check_near("statistic", sqrt(2) / 5, mcs->statistics[0]);
        assert_true(mcs->step_shares[0] == 0.5 && mcs->pvalues[1] == 0.5 && mcs->included[1] == 1);
        volt_mcs_free(mcs);

        /* A model is included when p is above the size, not at it. */
        options.size = 0.5;
        options.indices = indices;
        options.reps = 4;
        check_ok(volt_mcs_compute(volt_view_of(close, 2, 2), &options, &mcs));
        assert_true(mcs->included[1] == 0 && mcs->included[0] == 1);
        volt_mcs_free(mcs);
    }
}

static void single_model_is_the_set(void **state)
{
    const double losses[] = {3, 1, 2};
    for (int m = 0; m < 2; m++) {
        volt_mcs_options options = options_of(methods[m], 10);
        volt_mcs *mcs = mcs_of(volt_view_of(losses, 3, 1), &options);
        assert_true(mcs->models == 1 && mcs->pvalues[0] == 1 && mcs->included[0] == 1 && mcs->order[0] == 0);
        check_near("mean", 2, mcs->mean_losses[0]);
        volt_mcs_free(mcs);
    }
}

/* Equal columns, and columns that differ by rounding errors, are one model: all distinct columns have the results that they
 * have without the others, and equal columns follow each other in the order. */
static void equal_columns_are_one_model(void **state)
{
    enum { T = 50, M = 6, DISTINCT = 3 };
    static const int64_t source[M] = {0, 1, 0, 2, 1, 1};
    double losses[T * M], distinct[T * DISTINCT];
    volt_rng rng = test_rng(11);
    for (int t = 0; t < T; t++) {
        for (int k = 0; k < DISTINCT; k++)
            distinct[t * DISTINCT + k] = volt_rng_uniform(&rng) + 0.1 * k;
        for (int i = 0; i < M; i++)
            losses[t * M + i] = distinct[t * DISTINCT + source[i]];
        losses[t * M + 4] *= 1 + DBL_EPSILON; /* always above column 1 */
    }
    for (int m = 0; m < 2; m++) {
        volt_mcs_options options = options_of(methods[m], 300);
        options.block = VOLT_BLOCK_AUTO;
        volt_mcs *all = mcs_of(volt_view_of(losses, T, M), &options);
        volt_mcs *single = mcs_of(volt_view_of(distinct, T, DISTINCT), &options);
        assert_true(all->block == single->block);
        for (int i = 0; i < M; i++)
            assert_true(all->pvalues[i] == single->pvalues[source[i]] &&
                        all->included[i] == single->included[source[i]]);
        for (int s = 0, at = 0; s < DISTINCT; s++)
            for (int i = 0; i < M; i++)
                if (source[i] == single->order[s]) {
                    if (at < M - 1) {
                        assert_true(all->statistics[at] == (s < DISTINCT - 1 ? single->statistics[s] : 0));
                        assert_true(all->step_shares[at] == (s < DISTINCT - 1 ? single->step_shares[s] : 1));
                    }
                    assert_int_equal(all->order[at++], i);
                }
        volt_mcs_free(single);
        volt_mcs_free(all);
    }
}

/* Constant losses: the difference has zero variance, and the worse model is removed first in either order. */
static void constant_difference_is_significant(void **state)
{
    const double losses[] = {0.3, 0.7, 0.1, 0.3, 0.7, 0.1, 0.3, 0.7, 0.1};
    for (int m = 0; m < 2; m++) {
        volt_mcs_options options = options_of(methods[m], 100);
        volt_mcs *mcs = mcs_of(volt_view_of(losses, 3, 3), &options);
        assert_true(mcs->order[0] == 1 && mcs->order[1] == 0 && mcs->order[2] == 2);
        assert_true(isinf(mcs->statistics[0]) && isinf(mcs->statistics[1]));
        assert_true(mcs->pvalues[1] == 0 && mcs->pvalues[0] == 0 && mcs->pvalues[2] == 1);
        volt_mcs_free(mcs);
    }
}

/* Two rows of opposite losses: the bootstrap errors of the difference, 0 or 1.9 to either side, are about 0.7 times the unit
 * of the losses, so that the statistic is finite. */
static void large_errors_are_not_significant(void **state)
{
    const double losses[] = {1, -1, -0.9, 0.9};
    for (int m = 0; m < 2; m++) {
        volt_mcs_options options = options_of(methods[m], 400);
        options.block = 1;
        volt_mcs *mcs = mcs_of(volt_view_of(losses, 2, 2), &options);
        assert_true(mcs->statistics[0] > 0 && mcs->statistics[0] < 0.2);
        assert_true(mcs->order[0] == 0 && mcs->pvalues[0] > 0.1);
        volt_mcs_free(mcs);
    }
}

/* Scaling the losses, up to the limits of the double range, does not change the p-values. */
static void result_does_not_depend_on_units(void **state)
{
    enum { T = 60, M = 4 };
    double losses[T * M], scaled[T * M];
    volt_rng rng = test_rng(12);
    for (int t = 0; t < T; t++)
        for (int i = 0; i < M; i++)
            losses[t * M + i] = volt_rng_uniform(&rng) + 0.05 * i;
    for (int m = 0; m < 2; m++) {
        volt_mcs_options options = options_of(methods[m], 500);
        volt_mcs *plain = mcs_of(volt_view_of(losses, T, M), &options);
        const int exponents[] = {1023, -900};
        for (int e = 0; e < 2; e++) {
            for (int i = 0; i < T * M; i++)
                scaled[i] = ldexp(losses[i], exponents[e]);
            volt_mcs *other = mcs_of(volt_view_of(scaled, T, M), &options);
            assert_memory_equal(plain->pvalues, other->pvalues, M * sizeof(double));
            check_near("mean", ldexp(plain->mean_losses[3], exponents[e]), other->mean_losses[3]);
            volt_mcs_free(other);
        }
        volt_mcs_free(plain);
    }
}

static void default_block_is_the_root_of_the_rows(void **state)
{
    double losses[99 * 2];
    volt_rng rng = test_rng(13);
    for (int i = 0; i < 99 * 2; i++)
        losses[i] = volt_rng_uniform(&rng);
    volt_mcs_options options = options_of(VOLT_MCS_R, 20);
    volt_mcs *mcs = mcs_of(volt_view_of(losses, 99, 2), &options);
    assert_true(mcs->block == 9);
    volt_mcs_free(mcs);
    options.block = VOLT_BLOCK_AUTO;
    double difference[99], block;
    for (int t = 0; t < 99; t++)
        difference[t] = losses[2 * t] - losses[2 * t + 1];
    check_ok(block_length(difference, 99, &block));
    mcs = mcs_of(volt_view_of(losses, 99, 2), &options);
    check_near("automatic", block, mcs->block);
    volt_mcs_free(mcs);
    volt_mcs_options defaults = volt_mcs_options_default();
    assert_true(defaults.method == VOLT_MCS_R && defaults.size == 0.25 && defaults.reps == 10000);
}

/* ---- the bootstrap ---------------------------------------------------------------------------- */

/* Block length 1 draws every row independently; a single block of length T is circular. Jumps have
 * probability 1 / block (a jump to the next row is not detected: probability 1/T), and rows are uniform.
 * Frequencies over n draws are within five standard deviations. */
static void indices_are_blocks_of_the_right_length(void **state)
{
    enum { T = 100, REPS = 400 };
    const double block = 8;
    int64_t indices[T], jumps = 0, counts[T] = {0};
    volt_rng rng = test_rng(14);
    for (int b = 0; b < REPS; b++) {
        volt_stationary_indices(&rng, block, T, indices);
        for (int t = 0; t < T; t++) {
            assert_true(indices[t] >= 0 && indices[t] < T);
            counts[indices[t]]++;
            jumps += t > 0 && indices[t] != (indices[t - 1] + 1) % T;
        }
    }
    double share = (1 - 1.0 / T) / block, steps = REPS * (T - 1.0);
    golden_check_number("jumps", share, (double)jumps / steps, 5 * sqrt(share * (1 - share) / steps),
                        GOLDEN_ABSOLUTE);
    /* A row occurs REPS times on average. Block sampling makes the variance of its count in one replication
     * about 2 block - 1 times as large as for independent draws. */
    for (int t = 0; t < T; t++)
        golden_check_number("row", REPS, (double)counts[t], 5 * sqrt(REPS * (2 * block - 1)), GOLDEN_ABSOLUTE);
}

/* ---- block length ----------------------------------------------------------------------------- */

/* b^3 = T (G / s)^2 with G = 2 R(1), s = R(0) + 2 R(1) when only lag 1 counts (window 1 at 1/2, 0 at 1). The
 * series 1 1 -1 -1 repeated four times has R(0) = 1, R(1) = 1/16, R(2) = -14/16, ...: even lags are
 * significant, so all lags up to the maximum bandwidth, 4 + 5, are included. The expected value is summed
 * from the definition. */
static void block_lengths_by_definition(void **state)
{
    enum { T = 16, MOST = 9 };
    double series[T], R[MOST + 1], block;
    for (int t = 0; t < T; t++)
        series[t] = t % 4 < 2 ? 1 : -1;
    double G = 0, sum = 0;
    for (int k = 0; k <= MOST; k++) {
        R[k] = 0;
        for (int t = k; t < T; t++)
            R[k] += series[t] * series[t - k] / T;
        double window = k <= MOST / 2.0 ? 1 : 2 * (1 - (double)k / MOST);
        G += (k ? 2 : 1) * window * k * R[k];
        sum += (k ? 2 : 1) * window * R[k];
    }
    check_near("R(2)", -14.0 / 16, R[2]);
    double expected = fmin(cbrt(2 * G * G / (2 * sum * sum) * T), ceil(fmin(3 * sqrt(T), T / 3.0)));
    check_ok(block_length(series, T, &block));
    golden_check_number("block", expected, block, 64 * DBL_EPSILON, GOLDEN_RELATIVE);

    /* A constant series has no dependence. Scale and level do not change the result. */
    double other[T];
    for (int t = 0; t < T; t++)
        other[t] = 0.1;
    check_ok(block_length(other, T, &block));
    assert_true(block == 1);
    for (int t = 0; t < T; t++)
        other[t] = ldexp(series[t], 1000);
    check_ok(block_length(other, T, &block));
    golden_check_number("unit", expected, block, 64 * DBL_EPSILON, GOLDEN_RELATIVE);
}

/* The rule described in mcs.c, with every lag computed and all sums written out. */
static double plain_block_length(const double *series, int T, int *bandwidth)
{
    double mean = 0, *R = new_matrix(T, 1);
    for (int t = 0; t < T; t++)
        mean += series[t] / T;
    for (int k = 0; k < T; k++) {
        R[k] = 0;
        for (int t = k; t < T; t++)
            R[k] += (series[t] - mean) * (series[t - k] - mean) / T;
    }
    int in_a_row = (int)fmax(5, ceil(sqrt(log10(T)))), most = (int)ceil(sqrt(T)) + in_a_row, m = most;
    for (int lag = most - in_a_row; lag >= 0; lag--) { /* the smallest valid bandwidth is found last */
        int good = 1;
        for (int k = lag + 1; k <= lag + in_a_row; k++)
            good &= fabs(R[k] / R[0]) < 2 * sqrt(log10(T) / T);
        if (good)
            m = (int)fmin(most, 2 * fmax(1, lag));
    }
    double G = 0, sum = 0;
    for (int k = -m; k <= m; k++) {
        double s = fabs((double)k / m), window = s <= 0.5 ? 1 : 2 * (1 - s);
        G += window * abs(k) * R[abs(k)];
        sum += window * R[abs(k)];
    }
    free(R);
    *bandwidth = m;
    return fmax(1, fmin(cbrt(2 * G * G / (2 * sum * sum) * T), ceil(fmin(3 * sqrt(T), T / 3.0))));
}

/* Autoregressions of various coefficients and lengths. Both sums have up to 2 m + 1 terms of size at most
 * R(0), each with rounding of about T eps: 1e-9 unless the spectrum is nearly 0. Bounds on the length would
 * hide differences, so most lengths must lie between the bounds. */
static void block_lengths_of_random_series(void **state)
{
    volt_rng rng = test_rng(18);
    int between = 0, wide = 0;
    enum { TRIES = 300 };
    for (int i = 0; i < TRIES; i++) {
        int T = 20 + (int)(400 * volt_rng_uniform(&rng)), m;
        double phi = 1.6 * volt_rng_uniform(&rng) - 0.8, *series = new_matrix(T, 1), last = 0, block;
        for (int t = 0; t < T; t++)
            series[t] = last = phi * last + volt_rng_normal(&rng);
        double expected = plain_block_length(series, T, &m);
        check_ok(block_length(series, T, &block));
        golden_check_number("block", expected, block, 1e-9, GOLDEN_RELATIVE);
        between += expected > 1 && expected < ceil(fmin(3 * sqrt(T), T / 3.0));
        wide += m > 2;
        free(series);
    }
    print_message("%d of %d lengths lie between their bounds, %d from more than two lags\n", between, TRIES,
                  wide);
    assert_true(between > TRIES / 2 && wide > TRIES / 4);
}

/* For an autoregression x_t = phi x_(t-1) + noise the optimum is known: G = 2 phi/(1-phi)^2/(1-phi^2) and s
 * = 1/(1-phi)^2 in units of the noise, so b = (T (2 phi / (1 - phi^2))^2)^(1/3). The relative error of the
 * estimate decreases with T. A factor of 1.5 at T = 100000 distinguishes phi = 0.5 from 0.3 and 0.7. */
static void block_length_of_an_autoregression(void **state)
{
    enum { T = 100000 };
    double *series = new_matrix(T, 1), block;
    const double coefficients[] = {0.3, 0.5, 0.7};
    for (int c = 0; c < 3; c++) {
        double phi = coefficients[c];
        volt_rng rng = test_rng(15 + (uint64_t)c);
        series[0] = volt_rng_normal(&rng) / sqrt(1 - phi * phi);
        for (int t = 1; t < T; t++)
            series[t] = phi * series[t - 1] + volt_rng_normal(&rng);
        double expected = cbrt(T * pow(2 * phi / (1 - phi * phi), 2));
        check_ok(block_length(series, T, &block));
        assert_true(block < 1.5 * expected && block > expected / 1.5);
    }
    free(series);
}

/* ---- losses ----------------------------------------------------------------------------------- */

static void losses_by_hand(void **state)
{
    /* Variances 1 and 4; the third output is constant with errors 0, 3, 0, 0: mean square 9/4. */
    const double truth[] = {0, 0, 5, 0, 4, 5, 2, 0, 5, 2, 4, 5};
    const double forecast[] = {1, 0, 5, 0, 2, 8, 2, 0, 5, 2, 0, 5};
    const double expected[] = {1.0 / 3, (1 + 4) / 3.0, 0, 4.0 / 3};
    double losses[4 * 2] = {-1, -1, -1, -1, -1, -1, -1, -1};
    volt_matrix column = {losses + 1, 4, 1, 2};
    check_ok(volt_losses(volt_view_of(truth, 4, 3), volt_view_of(forecast, 4, 3), column));
    for (int t = 0; t < 4; t++) {
        golden_check_number("loss", expected[t], losses[2 * t + 1], 8 * DBL_EPSILON, GOLDEN_ABSOLUTE);
        assert_true(losses[2 * t] == -1);
    }
    volt_metrics metrics = {.struct_size = sizeof metrics};
    check_ok(volt_metrics_compute(volt_view_of(truth, 4, 3), volt_view_of(forecast, 4, 3), &metrics));
    check_near("nmse", metrics.nmse, (losses[1] + losses[3] + losses[5] + losses[7]) / 4);
    /* An exact prediction of a constant output has zero loss. */
    check_ok(volt_losses((volt_view){truth + 2, 4, 1, 3}, (volt_view){truth + 2, 4, 1, 3}, column));
    for (int t = 0; t < 4; t++)
        assert_true(losses[2 * t + 1] == 0);
}

static void invalid_losses_are_rejected(void **state)
{
    double y[] = {1, 2, 3}, f[] = {1, 2, NAN}, huge[] = {1e200, -1e200, 1e200}, out[] = {7, 7, 7};
    volt_view truth = volt_view_of(y, 3, 1);
    check_fails(volt_losses(truth, volt_view_of(y, 2, 1), volt_matrix_of(out, 3, 1)), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_losses(truth, truth, volt_matrix_of(out, 1, 3)), VOLT_ERR_SHAPE, "losses 1 3");
    double wide[6];
    check_fails(volt_losses(truth, truth, volt_matrix_of(wide, 3, 2)), VOLT_ERR_SHAPE, "losses 3 2");
    check_fails(volt_losses(truth, truth, volt_matrix_of(wide, 6, 1)), VOLT_ERR_SHAPE, "losses 6 1");
    check_fails(volt_losses(truth, truth, volt_matrix_of(NULL, 3, 1)), VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_losses(truth, volt_view_of(f, 3, 1), volt_matrix_of(out, 3, 1)), VOLT_ERR_NOT_FINITE,
                "row 2 column 0 forecast");
    check_fails(volt_losses(truth, volt_view_of(huge, 3, 1), volt_matrix_of(out, 3, 1)), VOLT_ERR_NOT_FINITE,
                "overflow");
    assert_true(out[0] == 7 && out[1] == 7 && out[2] == 7);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_calls_are_rejected(void **state)
{
    double losses[] = {1, 2, 3, 4, 5, 6};
    volt_view view = volt_view_of(losses, 3, 2);
    volt_mcs *mcs = NULL;
    check_fails(volt_mcs_compute(view, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_mcs_compute(volt_view_of(losses, 1, 2), NULL, &mcs), VOLT_ERR_SHAPE, "x 1 2");
    check_fails(volt_mcs_compute(volt_view_of(losses, 3, 0), NULL, &mcs), VOLT_ERR_SHAPE, "x 3 0");
    check_fails(volt_mcs_compute(volt_view_of(NULL, 3, 2), NULL, &mcs), VOLT_ERR_SHAPE, "data");
    check_fails(volt_mcs_compute((volt_view){losses, 3, 2, 1}, NULL, &mcs), VOLT_ERR_SHAPE, "dimension 1");

    volt_mcs_options options = volt_mcs_options_default();
    const double sizes[] = {0, 1, -0.1, NAN};
    for (int s = 0; s < 4; s++) {
        options.size = sizes[s];
        check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_ARGUMENT, "size");
    }
    options = volt_mcs_options_default();
    const double blocks[] = {0.5, 3.5, -2, NAN, INFINITY};
    for (int b = 0; b < 5; b++) {
        options.block = blocks[b];
        check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_ARGUMENT, "1 3 rows");
    }
    options.block = VOLT_BLOCK_AUTO;
    check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_SHAPE, "10 rows 3");
    options = options_of(VOLT_MCS_R, 0);
    check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_ARGUMENT, "replications 0");
    options = options_of((volt_mcs_method)7, 10);
    check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_ARGUMENT, "method 7");
    options = options_of(VOLT_MCS_R, INT64_MAX / 64);
    check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_MEMORY, "replications");

    int64_t indices[] = {0, 1, 2, 0, 3, 1};
    options = volt_mcs_options_default();
    options.indices = indices;
    options.reps = 2;
    check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_ARGUMENT, "index 1 3 0 2");
    indices[4] = -1;
    options.indices = indices;
    options.reps = 2;
    check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_ARGUMENT, "-1");
    options.indices = indices;
    options.reps = 0;
    check_fails(volt_mcs_compute(view, &options, &mcs), VOLT_ERR_ARGUMENT, "replications 0");
    losses[3] = INFINITY;
    check_fails(volt_mcs_compute(view, NULL, &mcs), VOLT_ERR_NOT_FINITE, "row 1 column losses");
    assert_null(mcs);
    volt_mcs_free(NULL);

    double series[10] = {0}, block = 7;
    check_fails(block_length(series, 9, &block), VOLT_ERR_SHAPE, "not 9");
    assert_true(block == 7);
}

static int cancel_in_stage(const char *stage, double fraction, void *context)
{
    assert_true(fraction >= 0 && fraction <= 1);
    return strcmp(stage, context) == 0;
}

static void cancellation_leaks_nothing(void **state)
{
    const double losses[] = {1, 2, 3, 4, 6, 5};
    const char *const stages[] = {"bootstrap", "eliminate"};
    for (int s = 0; s < 2; s++) {
        volt_mcs *mcs = NULL;
        char stage[16];
        strcpy(stage, stages[s]);
        volt_mcs_options options = options_of(VOLT_MCS_R, 100);
        options.progress = (volt_progress){cancel_in_stage, stage};
        failing_alloc_start(0);
        check_fails(volt_mcs_compute(volt_view_of(losses, 3, 2), &options, &mcs), VOLT_ERR_CANCELLED, "");
        assert_int_equal(failing_alloc_live(), 0);
        failing_alloc_stop();
        assert_null(mcs);
    }
}

static void memory_failures_are_clean(void **state)
{
    double losses[12 * 2], truth[3] = {1, 2, 4}, out[3];
    for (int i = 0; i < 24; i++)
        losses[i] = (i * 7) % 5;
    volt_mcs_options options = options_of(VOLT_MCS_MAX, 50);
    options.block = VOLT_BLOCK_AUTO;
    for (int call = 0; call < 3; call++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_mcs *mcs = NULL;
            double block;
            volt_status status;
            if (call == 0)
                status = volt_mcs_compute(volt_view_of(losses, 12, 2), &options, &mcs);
            else if (call == 1)
                status = volt_losses(volt_view_of(truth, 3, 1), volt_view_of(losses, 3, 1),
                                     volt_matrix_of(out, 3, 1));
            else
                status = block_length(losses, 24, &block);
            volt_mcs_free(mcs);
            failing_alloc_check(status);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_models_by_hand),
        cmocka_unit_test(single_model_is_the_set),
        cmocka_unit_test(equal_columns_are_one_model),
        cmocka_unit_test(constant_difference_is_significant),
        cmocka_unit_test(large_errors_are_not_significant),
        cmocka_unit_test(result_does_not_depend_on_units),
        cmocka_unit_test(default_block_is_the_root_of_the_rows),
        cmocka_unit_test(indices_are_blocks_of_the_right_length),
        cmocka_unit_test(block_lengths_by_definition),
        cmocka_unit_test(block_lengths_of_random_series),
        cmocka_unit_test(block_length_of_an_autoregression),
        cmocka_unit_test(losses_by_hand),
        cmocka_unit_test(invalid_losses_are_rejected),
        cmocka_unit_test(invalid_calls_are_rejected),
        cmocka_unit_test(cancellation_leaks_nothing),
        cmocka_unit_test(memory_failures_are_clean),
    };
    return cmocka_run_group_tests_name("mcs", tests, NULL, NULL);
}
