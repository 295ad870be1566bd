/* tests/unit/select/test_record_washout.c: washout of every record, in fits and in searches. */
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 90, RECORDS = 4, WASHOUT = 5 };
static const int64_t lengths[RECORDS] = {20, 31, 3, 36};
static const char kernel_text[] = "fading:gamma=0.3,rho=0.4 + fir:mu=0.8";

static void make_rows(uint64_t seed, double *u, double *y)
{
    volt_rng rng = test_rng(seed);
    double state = 0;
    for (int64_t t = 0; t < N; t++) {
        u[t] = volt_rng_normal(&rng);
        state = 0.6 * state + tanh(u[t]);
        y[t] = state + 0.05 * volt_rng_normal(&rng);
    }
}

static bool is_washout(int64_t row)
{
    int64_t begin = 0;
    for (int64_t r = 0; r < RECORDS; begin += lengths[r++])
        if (row >= begin && row < begin + WASHOUT && row < begin + lengths[r])
            return true;
    return false;
}

static volt_model *fit(const double *u, const double *y, int64_t rows, int64_t n_records, double weight,
                       int64_t washout)
{
    int64_t cut[RECORDS], left = rows;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    for (int64_t r = 0; r < n_records; left -= cut[r++])
        cut[r] = lengths[r] < left ? lengths[r] : left;
    options.alpha = 0.1;
    options.scale = 0;
    options.feedback_weight = weight;
    options.washout = washout;
    options.records = cut;
    options.n_records = n_records;
    options.missing_targets = 1;
    check_ok(volt_kernel_parse(kernel_text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(u, rows, 1), volt_view_of(y, rows, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_kernel_free(kernel);
    return model;
}

/* Rows of the washouts are not fitted: the same as targets that are missing there. */
static void washout_rows_of_records_are_not_fitted(void **state)
{
    double u[N], y[N], holes[N], first[N], second[N];
    make_rows(1, u, y);
    for (int64_t t = 0; t < N; t++)
        holes[t] = is_washout(t) ? NAN : y[t];
    volt_model *model = fit(u, y, N, RECORDS, 0, WASHOUT), *same = fit(u, holes, N, RECORDS, 0, 0);
    volt_predict_options options = volt_predict_options_default();
    options.start = VOLT_START_RESET;
    check_ok(volt_model_predict(model, volt_view_of(u, N, 1), &options, volt_matrix_of(first, N, 1), NULL));
    check_ok(volt_model_predict(same, volt_view_of(u, N, 1), &options, volt_matrix_of(second, N, 1), NULL));
    assert_memory_equal(first, second, sizeof first);
    volt_model_free(model);
    volt_model_free(same);
}

/* Outputs of the rows begin .. N - 1 from a model of the rows before, record by record. */
static double simulated_nmse(const double *u, const double *y, int64_t begin, double weight)
{
    int64_t end = 0, records = 0, count = 0;
    double sum = 0, mean = 0, variance = 0, out[N];
    while (end < begin)
        end += lengths[records++];
    volt_model *model = fit(u, y, begin, records, weight, WASHOUT);
    for (int64_t at = begin; at < N; end += at < N ? lengths[records++] : 0) {
        volt_predict_options options = volt_predict_options_default();
        bool starts = end - at == lengths[records - 1];
        if (starts) {
            options.start = VOLT_START_RESET;
            options.known = weight > 0 ? volt_view_of(y + at, end - at, 1) : options.known;
            options.warm_up = weight > 0 ? (WASHOUT < end - at ? WASHOUT : end - at) : 0;
        }
        check_ok(volt_model_predict(model, volt_view_of(u + at, end - at, 1), &options,
                                    volt_matrix_of(out + at, end - at, 1), NULL));
        at = end;
    }
    for (int64_t t = begin; t < N; t++)
        if (!is_washout(t)) {
            mean += y[t];
            count++;
        }
    for (int64_t t = begin; t < N; t++)
        if (!is_washout(t)) {
            sum += pow(out[t] - y[t], 2);
            variance += pow(y[t] - mean / (double)count, 2);
        }
    volt_model_free(model);
    return sum / variance;
}

static void scores_of_a_search_leave_out_the_washouts(void **state)
{
    double u[N], y[N];
    make_rows(2, u, y);
    /* From row 45, the end of record 2, or from row 55, the second row of record 4, to the end. */
    static const int64_t begins[] = {45, 55};
    for (int i = 0; i < 4; i++) {
        double weight = i % 2 ? 0.7 : 0, alpha = 0.1;
        const char *kernels[] = {kernel_text};
        volt_candidates *candidates = NULL;
        volt_search *search = NULL;
        volt_search_options options = volt_search_options_default();
        options.splits.folds = 1;
        options.splits.min_train = begins[i / 2];
        options.washout = WASHOUT;
        options.records = lengths;
        options.n_records = RECORDS;
        options.score = VOLT_SCORE_NMSE;
        options.scale = 0;
        check_ok(volt_candidates_list(kernels, &alpha, &weight, 1, &candidates));
        check_ok(volt_search_run(candidates, volt_view_of(u, N, 1), volt_view_of(y, N, 1), &options, &search));
        double expected = simulated_nmse(u, y, begins[i / 2], weight);
        assert_true(fabs(volt_search_trial(search, VOLT_TRIAL_BEST)->score - expected) <= 1e-9 * expected);
        volt_search_free(search);
        options.score = VOLT_SCORE_LOO;
        options.validate = VOLT_VALIDATE_ONE_STEP;
        check_fails(
            volt_search_run(candidates, volt_view_of(u, N, 1), volt_view_of(y, N, 1), &options, &search),
            VOLT_ERR_ARGUMENT, "washout loo");
        volt_candidates_free(candidates);
    }
}

static void washouts_must_leave_rows(void **state)
{
    double u[N], y[N];
    make_rows(3, u, y);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.washout = 36;
    options.records = lengths;
    options.n_records = RECORDS;
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_fails(volt_model_fit(kernel, volt_view_of(u, N, 1), volt_view_of(y, N, 1), &options,
                               volt_matrix_of(NULL, 0, 0), &model),
                VOLT_ERR_ARGUMENT, "washout 36");
    options.washout = -1;
    check_fails(volt_model_fit(kernel, volt_view_of(u, N, 1), volt_view_of(y, N, 1), &options,
                               volt_matrix_of(NULL, 0, 0), &model),
                VOLT_ERR_ARGUMENT, "washout -1");
    volt_kernel_free(kernel);
}

/* Changes and their scales start anew in every record: fitted rows equal predictions of each record on its own. */
static void columns_of_records_are_separate(void **state)
{
    double u[N], y[N], fitted[N], out[N] = {0};
    make_rows(4, u, y);
    for (int each = 0; each < 2; each++) {
        volt_kernel *kernel = NULL;
        volt_model *model = NULL;
        volt_fit_options options = volt_fit_options_default();
        options.alpha = 0.1;
        options.input = each ? VOLT_INPUT_CHANGE : VOLT_INPUT_BOTH;
        options.records = lengths;
        options.n_records = RECORDS;
        check_ok(volt_kernel_parse(kernel_text, &kernel));
        check_ok(volt_model_fit(kernel, volt_view_of(u, N, 1), volt_view_of(y, N, 1), &options,
                                volt_matrix_of(fitted, N, 1), &model));
        for (int64_t r = 0, begin = 0; r < RECORDS; begin += lengths[r++]) {
            volt_predict_options predicting = volt_predict_options_default();
            predicting.start = VOLT_START_RESET;
            check_ok(volt_model_predict(model, volt_view_of(u + begin, lengths[r], 1), &predicting,
                                        volt_matrix_of(out + begin, lengths[r], 1), NULL));
        }
        for (int64_t t = 0; t < N; t++) /* sums of N terms of size 10 */
            assert_true(fabs(fitted[t] - out[t]) <= 1e-11);
        volt_model_free(model);
        volt_kernel_free(kernel);
    }
}

/* The last row of a record does not enter the prepared columns of the next one. Columns are learned on the first record. */
static void prepared_records_are_separate(void **state)
{
    double u[N], y[N];
    volt_prepared *made[2] = {NULL, NULL};
    volt_fit_options options = volt_fit_options_default();
    options.input = VOLT_INPUT_BOTH;
    options.records = lengths;
    options.n_records = RECORDS;
    make_rows(5, u, y);
    for (int i = 0; i < 2; i++) {
        u[lengths[0] + lengths[1] - 1] = 0.1 * i;
        check_ok(volt_prepare(volt_view_of(u, N, 1), volt_view_of(y, N, 1), &options, lengths[0], &made[i]));
    }
    int differ = 0;
    for (int64_t t = 0; t < N; t++)
        differ += memcmp(made[0]->X.data + t * made[0]->X.ld, made[1]->X.data + t * made[1]->X.ld,
                         (size_t)made[0]->X.cols * sizeof(double)) != 0;
    assert_int_equal(made[0]->X.cols, 2);
    assert_int_equal(differ, 1);
    volt_prepared_free(made[0]);
    volt_prepared_free(made[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(washout_rows_of_records_are_not_fitted),
        cmocka_unit_test(scores_of_a_search_leave_out_the_washouts),
        cmocka_unit_test(washouts_must_leave_rows),
        cmocka_unit_test(columns_of_records_are_separate),
        cmocka_unit_test(prepared_records_are_separate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
