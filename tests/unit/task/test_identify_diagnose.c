/* tests/unit/task/test_identify_diagnose.c: diagnosis of an identified model against direct computations. */
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/identify.h"

#include <complex.h>

enum { N = 500, D = 2, TEST = N / 5, TRAIN = N - TEST };

static const double pi = 3.14159265358979323846;

/* y = 0.5 y[-1] + u1[-1] - 0.5 u2 + noise; u1 leaves its range in two test rows. */
static void simulate(double *u, double *y, double noise)
{
    volt_rng rng = test_rng(5);
    for (int64_t t = 0; t < N; t++) {
        for (int64_t i = 0; i < D; i++)
            u[t * D + i] = 2 * volt_rng_uniform(&rng) - 1;
        if (t == TRAIN + 10 || t == TRAIN + 20)
            u[t * D] = 3;
        y[t] =
            (t > 0 ? 0.5 * y[t - 1] + u[(t - 1) * D] : 0) - 0.5 * u[t * D + 1] + noise * volt_rng_normal(&rng);
    }
}

static void numbers_equal_direct_computations(void **state)
{
    static double u[N * D], y[N];
    volt_identify_options options = volt_identify_options_default();
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    volt_diagnosis *one = NULL;
    volt_view U = volt_view_of(u, N, D), Y = volt_view_of(y, N, 1);
    simulate(u, y, 0.05);
    options.draws = 6;
    check_ok(volt_identify(U, Y, &options, &model, &found));
    check_ok(volt_identify_diagnose(U, Y, &options, model, &found, &one));
    assert_true(one->d == D && one->q == 1 && one->rows == TEST && one->first_row == TRAIN);
    for (int i = 0; i < 4; i++) { /* results of other rows */
        volt_identification other = found;
        volt_diagnosis *none = NULL;
        if (i == 0)
            other.fit_begin = -1;
        else if (i == 1)
            other.fit_rows = 0;
        else if (i == 2)
            other.train_rows--;
        else
            other.fit_rows = TRAIN - other.fit_begin + 1;
        check_fails(volt_identify_diagnose(U, Y, &options, model, &other, &none), VOLT_ERR_ARGUMENT, "result");
        assert_null(none);
    }

    double sum = 0, mean = 0, e[TEST];
    for (int64_t t = 0; t < TEST; t++) {
        assert_true(one->measured[t] == y[TRAIN + t]);
        e[t] = one->measured[t] - one->simulated[t];
        sum += e[t] * e[t] / TEST;
        mean += e[t] / TEST;
    }
    assert_true(fabs(sqrt(sum) - found.test_rmse) <= 1e-12 * found.test_rmse);
    assert_true(one->lags == TEST / 4 && one->autocorrelation[0] == 1);
    assert_true(fabs(one->autocorrelation_bound - 1.96 / sqrt(TEST)) < 1e-4);
    for (int64_t i = 0; i < D; i++) {
        double level = 0, power = 0, input = 0, spread = 1;
        for (int64_t t = 0; t < TEST; t++)
            level += u[(TRAIN + t) * D + i] / TEST;
        for (int64_t lag = 0; lag < one->lags; lag++) {
            double own = 0, cross = 0, of_input = 0;
            for (int64_t t = lag; t < TEST; t++) {
                double v = u[(TRAIN + t - lag) * D + i] - level;
                own += (e[t] - mean) * (e[t - lag] - mean);
                cross += (e[t] - mean) * v;
                of_input += (u[(TRAIN + t) * D + i] - level) * v;
            }
            power = lag == 0 ? own : power;
            input = lag == 0 ? of_input : input;
            spread += lag > 0 ? 2 * own / power * of_input / input : 0;
            assert_true(fabs(one->autocorrelation[lag] - own / power) < 1e-12);
            assert_true(fabs(one->cross_correlation[i * one->lags + lag] - cross / sqrt(power * input)) <
                        1e-12);
        }
        double bound = one->autocorrelation_bound * sqrt(fmax(1, spread));
        assert_true(fabs(one->cross_bounds[i] - bound) < 1e-12);
    }

    for (int64_t column = 0; column <= D; column++) {
        int64_t below = 0, above = 0, stride = column < D ? D : 1;
        const double *v = column < D ? u + column : y;
        double low = INFINITY, high = -INFINITY, most = 0;
        for (int64_t t = 0; t < TRAIN; t++) {
            low = fmin(low, v[t * stride]);
            high = fmax(high, v[t * stride]);
        }
        for (int64_t t = TRAIN; t < N; t++) {
            below += v[t * stride] < low;
            above += v[t * stride] > high;
            most = fmax(most, fmax(low - v[t * stride], v[t * stride] - high));
        }
        assert_true(one->below[column] == below && one->above[column] == above);
        assert_true(fabs(one->beyond[column] - most / (high - low)) < 1e-12);
    }
    assert_true(one->below[0] == 0 && one->above[0] == 2 && one->beyond[0] > 0.9 && one->beyond[0] < 1.1);
    assert_true(one->below[1] + one->above[1] < 5 && one->beyond[1] < 0.1);

    /* Both responses equal the known one of the system. Estimates from 400 rows have errors of about 5 %; five of them. */
    assert_true(one->bins > 0 && one->model_gain && one->explanation && one->explanation->order == 2);
    for (int64_t b = 0; b < one->bins; b++) {
        double complex turn = cexp(-2 * pi * I * one->frequencies[b]);
        double complex known[D] = {turn / (1 - 0.5 * turn), -0.5 / (1 - 0.5 * turn)};
        assert_true(one->coherence[b] > 0.9 && one->coherence[b] <= 1);
        for (int64_t i = 0; i < D; i++) {
            int64_t at = i * one->bins + b;
            double complex empirical = one->gain[at] * cexp(I * one->phase[at] * pi / 180);
            double complex modelled = one->model_gain[at] * cexp(I * one->model_phase[at] * pi / 180);
            assert_true(cabs(empirical - known[i]) < 0.25 * cabs(known[i]) + 0.05);
            assert_true(cabs(modelled - known[i]) < 0.15 * cabs(known[i]) + 0.05);
        }
    }
    volt_diagnosis_free(one);

    /* A result of other rows. */
    one = NULL;
    check_fails(volt_identify_diagnose(volt_view_rows(U, 0, N - 100), volt_view_rows(Y, 0, N - 100), &options,
                                       model, &found, &one),
                VOLT_ERR_ARGUMENT, "rows");
    check_fails(volt_identify_diagnose(U, Y, &options, NULL, &found, &one), VOLT_ERR_ARGUMENT, "NULL");
    assert_null(one);
    volt_model_free(model);
}

/* A separate test of two records: residuals do not cross them, and rows that set the state have none. */
static void records_of_the_test_are_separate(void **state)
{
    static double u[N * D], y[N];
    const int64_t records[] = {TEST / 2, TEST - TEST / 2};
    volt_identify_options options = volt_identify_options_default();
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    volt_diagnosis *one = NULL;
    volt_view U = volt_view_of(u, TRAIN, D), Y = volt_view_of(y, TRAIN, 1);
    simulate(u, y, 0.05);
    options.draws = 3;
    options.test_inputs = volt_view_of(u + TRAIN * D, TEST, D);
    options.test_outputs = volt_view_of(y + TRAIN, TEST, 1);
    options.test_records = records;
    options.n_test_records = 2;
    check_ok(volt_identify(U, Y, &options, &model, &found));
    check_ok(volt_identify_diagnose(U, Y, &options, model, &found, &one));
    int64_t known = 0;
    double sum = 0;
    for (int64_t t = 0; t < one->rows; t++)
        if (!isnan(one->simulated[t])) {
            known++;
            sum += pow(one->measured[t] - one->simulated[t], 2);
        }
    assert_true(one->first_row == 0 && known == found.test_rows && isnan(one->simulated[0]) &&
                isnan(one->simulated[TEST / 2]));
    assert_true(fabs(sqrt(sum / (double)known) - found.test_rmse) <= 1e-12 * found.test_rmse);
    volt_diagnosis_free(one);
    volt_model_free(model);
}

/* The second output is minus three times the first: its response has three times the gain and the opposite sign. */
static void each_output_has_its_response(void **state)
{
    static double u[N * D], y[N], both[N * 2];
    volt_identify_options options = volt_identify_options_default();
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    volt_diagnosis *one = NULL;
    volt_view U = volt_view_of(u, N, D), Y = volt_view_of(both, N, 2);
    simulate(u, y, 0.05);
    for (int t = 0; t < N; t++) {
        both[t * 2] = y[t];
        both[t * 2 + 1] = -3 * y[t];
    }
    options.draws = 3;
    check_ok(volt_identify(U, Y, &options, &model, &found));
    check_ok(volt_identify_diagnose(U, Y, &options, model, &found, &one));
    int64_t bins = one->bins;
    assert_true(one->q == 2 && bins > 0);
    for (int64_t b = 0; b < bins; b++) {
        assert_true(fabs(one->coherence[b] - one->coherence[bins + b]) < 1e-9);
        for (int64_t i = 0; i < D; i++) {
            double first = one->gain[i * bins + b], second = one->gain[(D + i) * bins + b];
            double turn = one->phase[(D + i) * bins + b] - one->phase[i * bins + b];
            assert_true(fabs(second - 3 * first) < 1e-9 * second);
            assert_true(fabs(fabs(turn) - 180) < 1e-6);
        }
    }
    volt_diagnosis_free(one);
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_equal_direct_computations),
        cmocka_unit_test(records_of_the_test_are_separate),
        cmocka_unit_test(each_output_has_its_response),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
