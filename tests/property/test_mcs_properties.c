/* tests/property/test_mcs_properties.c: properties of every model confidence set. */
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/stats.h"

static const volt_mcs_method methods[] = {VOLT_MCS_R, VOLT_MCS_MAX};

enum { MAX_MODELS = 8 };

static volt_mcs_options options_of(volt_mcs_method method, int64_t reps, uint64_t seed)
{
    volt_mcs_options options = volt_mcs_options_default();
    options.method = method;
    options.reps = reps;
    options.seed = seed;
    return options;
}

static volt_mcs *mcs_of(const double *losses, int64_t T, int64_t M, const volt_mcs_options *options)
{
    volt_mcs *mcs = NULL;
    check_ok(volt_mcs_compute(volt_view_of(losses, T, M), options, &mcs));
    return mcs;
}

/* Losses with a common autoregressive part; model i is worse by i times `step` on average. */
static double *random_losses(volt_rng *rng, int64_t T, int64_t M, double step)
{
    double *losses = new_matrix(T, M), common = 0;
    for (int64_t t = 0; t < T; t++) {
        common = 0.7 * common + volt_rng_normal(rng);
        for (int64_t i = 0; i < M; i++)
            losses[t * M + i] = common + step * (double)i + volt_rng_normal(rng);
    }
    return losses;
}

/* ---- a plain version -------------------------------------------------------------------------- */

typedef struct plain_set {
    double pvalues[MAX_MODELS], statistics[MAX_MODELS];
    int64_t order[MAX_MODELS];
} plain_set;

static double column_mean(const double *losses, int64_t T, int64_t M, int64_t i, const int64_t *rows)
{
    double sum = 0;
    for (int64_t t = 0; t < T; t++)
        sum += losses[(rows ? rows[t] : t) * M + i] / (double)T;
    return sum;
}

/* The literal definition: model by model, pair by pair, replication by replication. */
static plain_set plain_mcs(const double *losses, int64_t T, int64_t M, const int64_t *indices, int64_t reps,
                           volt_mcs_method method)
{
    double mean[MAX_MODELS], *error = new_matrix(reps, M), V[MAX_MODELS][MAX_MODELS] = {{0}};
    int alive[MAX_MODELS];
    for (int64_t i = 0; i < M; i++) {
        alive[i] = 1;
        mean[i] = column_mean(losses, T, M, i, NULL);
        for (int64_t b = 0; b < reps; b++)
            error[b * M + i] = column_mean(losses, T, M, i, indices + b * T) - mean[i];
    }
    for (int64_t b = 0; b < reps; b++)
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < M; j++)
                V[i][j] += pow(error[b * M + i] - error[b * M + j], 2) / (double)reps;

    plain_set set = {{0}, {0}, {0}};
    double running = 0;
    for (int64_t left = M; left > 1; left--) {
        double middle = 0, s[MAX_MODELS] = {0}, statistic = -1;
        int64_t loser = 0, above = 0;
        for (int64_t i = 0; i < M; i++)
            middle += alive[i] ? mean[i] / (double)left : 0;
        for (int pass = 0; pass < 3; pass++) /* 0: the errors s_i; 1: the statistic; 2: the replications */
            for (int64_t b = 0; b < (pass == 1 ? 1 : reps); b++) {
                double error_middle = 0, highest = -1;
                for (int64_t i = 0; i < M; i++)
                    error_middle += alive[i] ? error[b * M + i] / (double)left : 0;
                for (int64_t i = 0; i < M; i++) {
                    double centred = error[b * M + i] - error_middle;
                    if (alive[i] && pass == 0)
                        s[i] += centred * centred / (double)reps;
                    for (int64_t j = 0; j < M && pass > 0; j++) {
                        if (!alive[i] || !alive[j] || (i == j && method == VOLT_MCS_R))
                            continue;
                        double size = sqrt(method == VOLT_MCS_R ? V[i][j] : s[i]);
                        double value = method == VOLT_MCS_R ? mean[i] - mean[j] : mean[i] - middle;
                        if (pass == 2)
                            value = method == VOLT_MCS_R ? error[b * M + i] - error[b * M + j] : centred;
                        highest = fmax(highest, value / size);
                        if (pass == 1 && value / size > statistic) {
                            statistic = value / size;
                            loser = i;
                        }
                    }
                }
                above += pass == 2 && highest > statistic;
            }
        running = fmax(running, (double)above / (double)reps);
        set.statistics[M - left] = statistic;
        set.order[M - left] = loser;
        set.pvalues[loser] = running;
        alive[loser] = 0;
    }
    for (int64_t i = 0; i < M; i++)
        if (alive[i]) {
            set.pvalues[i] = 1;
            set.order[M - 1] = i;
        }
    free(error);
    return set;
}

/* Both sum T values and take a square root of a sum of reps squares: T + reps roundings of relative size eps,
 * and the differences of means cancel up to three digits. */
static void mcs_equals_plain_implementation(void **state)
{
    enum { T = 40, REPS = 50 };
    volt_rng rng = test_rng(21);
    int64_t indices[T * REPS];
    for (int sample = 0; sample < 30; sample++) {
        int64_t M = 2 + sample % (MAX_MODELS - 1);
        double *losses = random_losses(&rng, T, M, 0.05 * (sample % 4));
        for (int i = 0; i < T * REPS; i++)
            indices[i] = (int64_t)(volt_rng_uniform(&rng) * T);
        for (int m = 0; m < 2; m++) {
            plain_set expected = plain_mcs(losses, T, M, indices, REPS, methods[m]);
            volt_mcs_options options = options_of(methods[m], 1, 0);
            volt_mcs *mcs = NULL;
            options.indices = indices;
            options.reps = REPS;
            check_ok(volt_mcs_compute(volt_view_of(losses, T, M), &options, &mcs));
            golden_check("statistics", expected.statistics, mcs->statistics, M - 1, 1e3 * (T + REPS) * 0x1p-52,
                         GOLDEN_RELATIVE);
            golden_check("pvalues", expected.pvalues, mcs->pvalues, M, 4 * 0x1p-52, GOLDEN_ABSOLUTE);
            for (int64_t i = 0; i < M; i++)
                assert_int_equal(expected.order[i], mcs->order[i]);
            volt_mcs_free(mcs);
        }
        free(losses);
    }
}

/* ---- invariances ------------------------------------------------------------------------------ */

static void relabelling_permutes_the_pvalues(void **state)
{
    enum { T = 120, M = 6 };
    const int64_t permutation[M] = {3, 0, 5, 1, 4, 2};
    volt_rng rng = test_rng(22);
    double *losses = random_losses(&rng, T, M, 0.08), other[T * M];
    for (int t = 0; t < T; t++)
        for (int i = 0; i < M; i++)
            other[t * M + i] = losses[t * M + permutation[i]];
    for (int m = 0; m < 2; m++)
        for (int automatic = 0; automatic < 2; automatic++) {
            volt_mcs_options options = options_of(methods[m], 1000, 5);
            options.block = automatic ? VOLT_BLOCK_AUTO : VOLT_BLOCK_SQRT;
            volt_mcs *first = mcs_of(losses, T, M, &options), *second = mcs_of(other, T, M, &options);
            assert_true(first->block == second->block);
            for (int i = 0; i < M; i++) {
                assert_true(first->pvalues[permutation[i]] == second->pvalues[i]);
                assert_int_equal(first->included[permutation[i]], second->included[i]);
                assert_int_equal(first->order[i], permutation[second->order[i]]);
            }
            volt_mcs_free(second);
            volt_mcs_free(first);
        }
    free(losses);
}

/* A constant, or any series that all models share, drops out of every difference. The losses are multiples of
 * 2^-30, so that the additions are exact and only the means round: 1e-10 is 4096 / 1e-3 (a small difference of
 * means) times T eps. No statistic comes nearer to another than that. */
static void common_loss_component_has_no_effect(void **state)
{
    enum { T = 100, M = 5 };
    volt_rng rng = test_rng(23);
    double losses[T * M], constant[T * M], series[T * M];
    for (int t = 0; t < T; t++) {
        double shared = 1024 + floor(64 * volt_rng_normal(&rng));
        for (int i = 0; i < M; i++) {
            losses[t * M + i] = floor(0x1p30 * (volt_rng_normal(&rng) + 0.1 * i)) / 0x1p30;
            constant[t * M + i] = losses[t * M + i] + 4096;
            series[t * M + i] = losses[t * M + i] + shared;
        }
    }
    for (int m = 0; m < 2; m++) {
        volt_mcs_options options = options_of(methods[m], 1000, 6);
        options.block = VOLT_BLOCK_AUTO;
        volt_mcs *plain = mcs_of(losses, T, M, &options);
        const double *const others[] = {constant, series};
        for (int o = 0; o < 2; o++) {
            volt_mcs *other = mcs_of(others[o], T, M, &options);
            assert_true(plain->block == other->block);
            golden_check("statistics", plain->statistics, other->statistics, M - 1, 1e-10, GOLDEN_RELATIVE);
            golden_check("pvalues", plain->pvalues, other->pvalues, M, 0, GOLDEN_ABSOLUTE);
            volt_mcs_free(other);
        }
        volt_mcs_free(plain);
    }
}

static void results_do_not_depend_on_threads(void **state)
{
    enum { T = 90, M = 7 };
    volt_rng rng = test_rng(24);
    double *losses = random_losses(&rng, T, M, 0.05);
    for (int m = 0; m < 2; m++) {
        volt_mcs_options options = options_of(methods[m], 1001, 7);
        check_ok(volt_set_threads(1));
        volt_mcs *one = mcs_of(losses, T, M, &options);
        const int64_t counts[] = {2, 3, 8};
        for (int c = 0; c < 3; c++) {
            check_ok(volt_set_threads(counts[c]));
            volt_mcs *more = mcs_of(losses, T, M, &options);
            assert_memory_equal(one->pvalues, more->pvalues, M * sizeof(double));
            assert_memory_equal(one->statistics, more->statistics, (M - 1) * sizeof(double));
            volt_mcs_free(more);
        }
        check_ok(volt_set_threads(0));
        /* Another seed is another sample, so the test above is not empty. */
        options.seed++;
        volt_mcs *other = mcs_of(losses, T, M, &options);
        assert_memory_not_equal(one->statistics, other->statistics, (M - 1) * sizeof(double));
        volt_mcs_free(other);
        volt_mcs_free(one);
    }
    free(losses);
}

/* ---- what a set means ------------------------------------------------------------------------- */

static void pvalues_rise_along_the_elimination_and_sets_are_nested(void **state)
{
    enum { T = 80, M = 8 };
    volt_rng rng = test_rng(25);
    for (int sample = 0; sample < 20; sample++) {
        double *losses = random_losses(&rng, T, M, 0.06);
        volt_mcs_options narrow = options_of(methods[sample % 2], 300, (uint64_t)sample), wide = narrow;
        narrow.size = 0.4;
        wide.size = 0.1;
        volt_mcs *small = mcs_of(losses, T, M, &narrow), *large = mcs_of(losses, T, M, &wide);
        for (int s = 0; s + 1 < M; s++) {
            assert_true(small->pvalues[small->order[s]] <= small->pvalues[small->order[s + 1]]);
            assert_true(small->pvalues[small->order[s]] >= small->step_shares[s]);
        }
        assert_true(small->pvalues[small->order[M - 1]] == 1);
        for (int i = 0; i < M; i++)
            assert_true(small->included[i] <= large->included[i]);
        volt_mcs_free(large);
        volt_mcs_free(small);
        free(losses);
    }
}

/* Models 2 and 4 are worse by three standard deviations of a row (and equal to one another), the others alike:
 * whatever the sample, both are out, with p-values of 0 and before all others. */
static void clearly_worse_models_are_eliminated(void **state)
{
    enum { T = 100, M = 5 };
    volt_rng rng = test_rng(26);
    for (int sample = 0; sample < 10; sample++) {
        double *losses = random_losses(&rng, T, M, 0);
        for (int t = 0; t < T; t++) {
            losses[t * M + 2] += 3;
            losses[t * M + 4] = losses[t * M + 2];
        }
        volt_mcs_options options = options_of(methods[sample % 2], 500, (uint64_t)sample);
        volt_mcs *mcs = mcs_of(losses, T, M, &options);
        assert_true(mcs->pvalues[2] == 0 && mcs->pvalues[4] == 0 && !mcs->included[2] && !mcs->included[4]);
        assert_true(mcs->order[0] == 2 && mcs->order[1] == 4);
        volt_mcs_free(mcs);
        free(losses);
    }
}

/* When all models are equally good the first test rejects with probability `size`, so that the set is
 * everything in 1 - size of all samples, up to the error of the bootstrap at T = 200. 300 samples: four
 * standard deviations are 0.1. */
static void set_covers_best_model_at_nominal_level(void **state)
{
    enum { T = 200, M = 4, SAMPLES = UNDER_SANITIZERS ? 30 : 300 };
    volt_rng rng = test_rng(27);
    for (int m = 0; m < 2; m++) {
        int complete = 0;
        for (int sample = 0; sample < SAMPLES; sample++) {
            double *losses = random_losses(&rng, T, M, 0);
            volt_mcs_options options = options_of(methods[m], 200, (uint64_t)sample);
            options.block = 2; /* differences are independent over time here */
            volt_mcs *mcs = mcs_of(losses, T, M, &options);
            int included = 0;
            for (int i = 0; i < M; i++)
                included += mcs->included[i];
            complete += included == M;
            volt_mcs_free(mcs);
            free(losses);
        }
        print_message("complete sets: %d of %d\n", complete, SAMPLES);
        golden_check_number("coverage", 0.75, (double)complete / SAMPLES, 4 * sqrt(0.75 * 0.25 / SAMPLES),
                            GOLDEN_ABSOLUTE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mcs_equals_plain_implementation),
        cmocka_unit_test(relabelling_permutes_the_pvalues),
        cmocka_unit_test(common_loss_component_has_no_effect),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(pvalues_rise_along_the_elimination_and_sets_are_nested),
        cmocka_unit_test(clearly_worse_models_are_eliminated),
        cmocka_unit_test(set_covers_best_model_at_nominal_level),
    };
    return cmocka_run_group_tests_name("mcs properties", tests, NULL, NULL);
}
