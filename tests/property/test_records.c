/* tests/property/test_records.c: several records in one fit: fitted values, forecasts, streams, files and
 * folds. */
#include "select/folds/problem.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/select.h"
#include "volterra/task.h"

enum { N = 96, D = 2, MOST = 12, H = 9 };

/* Absolute parameters: a fit on some of the rows has the same kernel as one on all. */
static const char *const kernels[] = {
    "volterra:tau=0.15,lambda=0.6",
    "memory:gamma=1,rho=0.5,mu=0.8,pole=0.6",
    "rbf:gamma=0.5,window=4",
    "gak:window=5,sigma=1",
    "sig:window=4,level=2,order=2",
    "2*fir:mu=0.7,pair=0.5,angle=0.2 + memory:gamma=1,rho=0.5,mu=0.8*rbf:gamma=0.4,pole=-0.3",
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* Rows of random records, with targets that remember the inputs of their own record. */
typedef struct problem {
    double *X, *Y;
    int64_t lengths[MOST], n;
} problem;

static problem make_problem(volt_rng *rng)
{
    problem p = {.X = random_rows(rng, N, D, 1), .Y = new_matrix(N, 1)};
    for (int64_t left = N; left > 0; left -= p.lengths[p.n++]) {
        int64_t length = 1 + (int64_t)(24 * volt_rng_uniform(rng));
        p.lengths[p.n] = p.n == MOST - 1 || length > left ? left : length;
    }
    double memory = 0;
    for (int64_t i = 0, r = 0, end = p.lengths[0]; i < N; i++) {
        if (i == end) {
            end += p.lengths[++r];
            memory = 0;
        }
        memory = 0.6 * memory + p.X[i * D] + p.X[i * D + 1] * p.X[i * D];
        p.Y[i] = memory + 0.1 * volt_rng_normal(rng);
    }
    assert_true(p.n > 1);
    return p;
}

static void free_problem(problem *p)
{
    free(p->X);
    free(p->Y);
}

static volt_view inputs(const problem *p)
{
    return volt_view_of(p->X, N, D);
}

static volt_view targets(const problem *p)
{
    return volt_view_of(p->Y, N, 1);
}

static volt_fit_options fit_options(const problem *p)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.05;
    options.scale = 0;
    options.records = p->lengths;
    options.n_records = p->n;
    return options;
}

static volt_model *fit(const char *text, const problem *p, const volt_fit_options *options, double *fitted)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, inputs(p), targets(p), options, volt_matrix_of(fitted, N, 1), &model));
    volt_kernel_free(kernel);
    return model;
}

/* ---- fitted values ---------------------------------------------------------------------------- */

/* Fitted values come from the factor, and forecasts of the same records from new rows of K. Coefficients are
 * at most |Y| / alpha, so that K A loses N eps max|K| |Y| / alpha: 1e-9 leaves room. Inputs as levels and as
 * changes, whose first row of a record has none. */
static void fitted_values_equal_record_predictions(void **state)
{
    volt_rng rng = test_rng(8101);
    static const int64_t anchors[] = {0};
    for (int k = 0; k < KERNELS; k++)
        for (int input = VOLT_INPUT_LEVEL; input <= VOLT_INPUT_BOTH; input++) {
            problem p = make_problem(&rng);
            volt_fit_options options = fit_options(&p);
            options.input = (volt_input)input;
            options.scale = k % 2;
            options.anchors = anchors;
            options.ahead = 1;
            options.season = input == VOLT_INPUT_BOTH ? 3 : 0;
            if (input == VOLT_INPUT_LEVEL) { /* rows without a target only update the state */
                p.Y[7] = p.Y[N / 2] = NAN;
                options.missing_targets = 1;
            }
            double fitted[N], out[N];
            volt_model *model = fit(kernels[k], &p, &options, fitted);
            volt_predict_options how = volt_predict_options_default();
            how.start = VOLT_START_RESET;
            how.records = p.lengths;
            how.n_records = p.n;
            check_ok(volt_model_predict(model, inputs(&p), &how, volt_matrix_of(out, N, 1), NULL));
            for (int64_t i = 0; i < N; i++)
                if (!(fabs(out[i] - fitted[i]) <= 1e-9 * (1 + fabs(fitted[i]))))
                    fail_msg("%s, row %" PRId64 ": fitted %.17g, forecast %.17g", kernels[k], i, fitted[i],
                             out[i]);
            volt_model_free(model);
            free_problem(&p);
        }
}

/* ---- one record ------------------------------------------------------------------------------- */

static void one_record_equals_sequence_bitwise(void **state)
{
    volt_rng rng = test_rng(8102);
    problem p = make_problem(&rng);
    p.n = 1;
    p.lengths[0] = N;
    for (int k = 0; k < KERNELS; k++) {
        double one[N], none[N];
        volt_fit_options options = fit_options(&p);
        volt_model_free(fit(kernels[k], &p, &options, one));
        options.n_records = 0;
        volt_model_free(fit(kernels[k], &p, &options, none));
        assert_memory_equal(one, none, sizeof one);
    }
    free_problem(&p);
}

/* ---- streams and files ------------------------------------------------------------------------ */

/* Rows one by one, with a new record in the middle. */
static void stream_rows(const volt_model *model, volt_start start, const double *X, double *y)
{
    volt_predict_options how = volt_predict_options_default();
    volt_live *stream = NULL;
    how.start = start;
    check_ok(volt_live_create(model, as_live(&how), &stream));
    for (int64_t i = 0; i < H; i++) {
        if (i == 4)
            volt_live_restart(stream);
        check_ok(volt_live_feed(stream, X + i * D, &y[i]));
    }
    volt_live_free(stream);
}

static void streams_and_files_reproduce_predictions(void **state)
{
    volt_rng rng = test_rng(8103);
    const char *path = scratch_path("records.safetensors");
    for (int k = 0; k < KERNELS; k++) {
        problem p = make_problem(&rng);
        volt_fit_options options = fit_options(&p);
        double fitted[N], *X = random_rows(&rng, H, D, 1);
        static const int64_t halves[] = {4, H - 4};
        volt_model *model = fit(kernels[k], &p, &options, fitted), *loaded = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        check_ok(volt_model_save(model, path, (volt_progress){0}));
        check_ok(volt_model_load(path, &loaded));
        volt_model_get_info(loaded, &info);
        assert_int_equal(info.n_records, p.n);
        assert_memory_equal(info.records, p.lengths, (size_t)p.n * sizeof *p.lengths);
        for (int start = VOLT_START_CONTINUE; start <= VOLT_START_RESET; start++) {
            double batch[H], again[H], streamed[H];
            volt_predict_options how = volt_predict_options_default();
            how.start = (volt_start)start;
            how.records = halves;
            how.n_records = 2;
            check_ok(volt_model_predict(model, volt_view_of(X, H, D), &how, volt_matrix_of(batch, H, 1), NULL));
            check_ok(
                volt_model_predict(loaded, volt_view_of(X, H, D), &how, volt_matrix_of(again, H, 1), NULL));
            assert_memory_equal(batch, again, sizeof batch);
            stream_rows(model, how.start, X, streamed);
            for (int i = 0; i < H; i++)
                if (!(fabs(streamed[i] - batch[i]) <= 1e-10 * (1 + fabs(batch[i]))))
                    fail_msg("%s, row %d: %.17g streamed, %.17g in one call", kernels[k], i, streamed[i],
                             batch[i]);
        }
        volt_model_free(loaded);
        volt_model_free(model);
        free_problem(&p);
        free(X);
    }
}

/* ---- folds ------------------------------------------------------------------------------------ */

/* The records of rows first .. end - 1. */
static int64_t cut_records(const problem *p, int64_t first, int64_t end, int64_t lengths[MOST])
{
    int64_t n = 0;
    for (int64_t r = 0, begin = 0; r < p->n; begin += p->lengths[r++]) {
        int64_t from = begin > first ? begin : first;
        int64_t to = begin + p->lengths[r] < end ? begin + p->lengths[r] : end;
        if (to > from)
            lengths[n++] = to - from;
    }
    return n;
}

/* Does a record begin at this row? */
static bool begins(const problem *p, int64_t row)
{
    int64_t begin = 0;
    for (int64_t r = 0; r < p->n && begin < row; r++)
        begin += p->lengths[r];
    return begin == row;
}

/* The mean squared error of a model fitted only on the training rows. */
static double separate_fit(const char *text, const problem *p, const volt_split *split, volt_start start)
{
    int64_t train[MOST], block[MOST], rows = split->train_end - split->train_begin,
                                      h = split->end - split->begin;
    volt_fit_options options = fit_options(p);
    volt_predict_options how = volt_predict_options_default();
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    double out[N], sum = 0;
    options.records = train;
    options.n_records = cut_records(p, split->train_begin, split->train_end, train);
    check_ok(volt_model_fit(kernel, volt_view_rows(inputs(p), split->train_begin, rows),
                            volt_view_rows(targets(p), split->train_begin, rows), &options, (volt_matrix){0},
                            &model));
    how.start = begins(p, split->begin) ? VOLT_START_RESET : start;
    how.beyond = VOLT_BEYOND_ALLOW;
    how.records = block;
    how.n_records = cut_records(p, split->begin, split->end, block);
    check_ok(volt_model_predict(model, volt_view_rows(inputs(p), split->begin, h), &how,
                                volt_matrix_of(out, h, 1), NULL));
    for (int64_t i = 0; i < h; i++)
        sum += (out[i] - p->Y[split->begin + i]) * (out[i] - p->Y[split->begin + i]) / (double)h;
    volt_model_free(model);
    volt_kernel_free(kernel);
    return sum;
}

/* Whole records of 2 folds, or rows of 4. */
static void fill_splits(const problem *p, const volt_search_options *options, volt_split *splits)
{
    volt_split_options plain = options->splits;
    check_ok(volt_splits(options->folds_by_records ? p->n : N, &plain, splits));
    for (int64_t k = 0; options->folds_by_records && k < plain.folds; k++) {
        int64_t *at[] = {&splits[k].train_begin, &splits[k].train_end, &splits[k].begin, &splits[k].end};
        for (int i = 0; i < 4; i++) {
            int64_t rows = 0;
            for (int64_t r = 0; r < *at[i]; r++)
                rows += p->lengths[r];
            *at[i] = rows;
        }
    }
}

static void folds_equal_separate_fits(void **state)
{
    volt_rng rng = test_rng(8104);
    for (int k = 0; k < KERNELS; k++)
        for (int choice = 0; choice < 8; choice++) {
            problem p = make_problem(&rng);
            double alpha = 0.05;
            volt_split splits[4];
            volt_candidates *candidates = NULL;
            volt_search *search = NULL;
            volt_search_options options = volt_search_options_default();
            options.scale = 0;
            options.score = VOLT_SCORE_MSE;
            options.race = VOLT_RACE_NONE;
            options.records = p.lengths;
            options.n_records = p.n;
            options.start = choice & 1 ? VOLT_START_RESET : VOLT_START_CONTINUE;
            options.folds_by_records = choice >> 1 & 1;
            options.splits.rolling = choice >> 2 & 1;
            options.splits.folds = options.folds_by_records ? 2 : 4;
            fill_splits(&p, &options, splits);
            check_ok(volt_candidates_list(&kernels[k], &alpha, NULL, 1, &candidates));
            check_ok(volt_search_run(candidates, inputs(&p), targets(&p), &options, &search));
            const volt_trial *trial = volt_search_trial(search, VOLT_TRIAL_BEST);
            for (int64_t f = 0; f < options.splits.folds; f++) {
                double expected = separate_fit(kernels[k], &p, &splits[f], options.start);
                if (!(fabs(trial->folds[f] - expected) <= 1e-9 * (1 + expected)))
                    fail_msg("%s, choice %d, fold %" PRId64 ": %.17g, a separate fit gives %.17g", kernels[k],
                             choice, f, trial->folds[f], expected);
            }
            volt_search_free(search);
            volt_candidates_free(candidates);
            free_problem(&p);
        }
}

/* ---- the impulse response --------------------------------------------------------------------- */

/* For a linear model: the predictions for an impulse followed by zeros, minus those for zeros. */
static void impulse_response_of_records(void **state)
{
    enum { LAGS = 12 };
    static const char *const linear[] = {"fir:mu=0.8", "2*fir:mu=0.7,pole=0.4 + fir:mu=0.5,corr=0.2"};
    volt_rng rng = test_rng(8107);
    for (int k = 0; k < 2; k++) {
        problem p = make_problem(&rng);
        volt_fit_options options = fit_options(&p);
        double fitted[N], g[LAGS * D], X[LAGS * D] = {0}, zeros[LAGS], out[LAGS];
        volt_model *model = fit(linear[k], &p, &options, fitted);
        volt_predict_options how = volt_predict_options_default();
        how.start = VOLT_START_RESET;
        how.beyond = VOLT_BEYOND_ALLOW;
        check_ok(volt_model_impulse(model, LAGS, volt_matrix_of(g, LAGS, D)));
        check_ok(
            volt_model_predict(model, volt_view_of(X, LAGS, D), &how, volt_matrix_of(zeros, LAGS, 1), NULL));
        for (int c = 0; c < D; c++) {
            X[c] = 1;
            check_ok(
                volt_model_predict(model, volt_view_of(X, LAGS, D), &how, volt_matrix_of(out, LAGS, 1), NULL));
            X[c] = 0;
            for (int lag = 0; lag < LAGS; lag++)
                assert_true(fabs(out[lag] - zeros[lag] - g[lag * D + c]) <= 1e-10);
        }
        volt_model_free(model);
        free_problem(&p);
    }
}

/* ---- a comparison ----------------------------------------------------------------------------- */

/* The test error of a comparison equals that of its winner fitted on the training rows, which end inside a
 * record or at its end. */
static void comparison_equals_fits_and_predictions(void **state)
{
    volt_rng rng = test_rng(8106);
    for (int c = 0; c < 2; c++) {
        problem p = make_problem(&rng);
        p.n = 4;
        memcpy(p.lengths, (int64_t[]){30, 24, 22, 20}, 4 * sizeof *p.lengths);
        const volt_contender contender = {"window", "rbf:gamma=0.5,window=4"};
        int64_t n_train = c ? 76 : 70, train[MOST], block[MOST];
        volt_compare_options options = volt_compare_options_default();
        volt_comparison *comparison = NULL;
        options.contenders = &contender;
        options.n_contenders = 1;
        options.draws = 3;
        options.mcs_reps = 100;
        options.records = p.lengths;
        options.n_records = p.n;
        check_ok(volt_compare_run(inputs(&p), targets(&p), n_train, &options, &comparison));
        const volt_comparison_row *row = volt_comparison_row_at(comparison, 0);
        volt_fit_options how = volt_fit_options_default();
        volt_kernel *kernel = plain_parse(row->kernel);
        volt_model *model = NULL;
        double out[N];
        how.alpha = row->alpha;
        how.records = train;
        how.n_records = cut_records(&p, 0, n_train, train);
        check_ok(volt_model_fit(kernel, volt_view_rows(inputs(&p), 0, n_train),
                                volt_view_rows(targets(&p), 0, n_train), &how, (volt_matrix){0}, &model));
        volt_predict_options from = volt_predict_options_default();
        from.start = c ? VOLT_START_RESET : VOLT_START_CONTINUE;
        from.records = block;
        from.n_records = cut_records(&p, n_train, N, block);
        check_ok(volt_model_predict(model, volt_view_rows(inputs(&p), n_train, N - n_train), &from,
                                    volt_matrix_of(out, N - n_train, 1), NULL));
        assert_memory_equal(out, volt_comparison_row_at(comparison, 0)->forecast.data,
                            (size_t)(N - n_train) * sizeof *out);
        volt_model_free(model);
        volt_kernel_free(kernel);
        volt_comparison_free(comparison);
        free_problem(&p);
    }
}

/* ---- bad input -------------------------------------------------------------------------------- */

static void invalid_records_are_rejected(void **state)
{
    volt_rng rng = test_rng(8105);
    problem p = make_problem(&rng);
    volt_kernel *kernel = plain_parse("volterra");
    volt_model *model = NULL;
    static const struct {
        int64_t lengths[3];
        int64_t washout;
        const char *says;
    } cases[] = {
        {{40, 0, N - 40}, 0, "record 2 0 rows"},  {{40, -3, N - 37}, 0, "record 2 -3 rows"},
        {{40, 40, N}, 0, "record 3 96 rows"},     {{10, 10, 10}, 0, "30 rows in total"},
        {{40, 40, N - 80}, N, "washout records"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_fit_options options = fit_options(&p);
        options.records = cases[c].lengths;
        options.n_records = 3;
        options.washout = cases[c].washout;
        check_fails(volt_model_fit(kernel, inputs(&p), targets(&p), &options, (volt_matrix){0}, &model),
                    VOLT_ERR_ARGUMENT, cases[c].says);
    }
    volt_search_options search = volt_search_options_default();
    volt_candidates *candidates = NULL;
    volt_search *found = NULL;
    const char *text = "volterra";
    double alpha = 1;
    search.folds_by_records = 1;
    check_ok(volt_candidates_list(&text, &alpha, NULL, 1, &candidates));
    check_fails(volt_search_run(candidates, inputs(&p), targets(&p), &search, &found), VOLT_ERR_ARGUMENT,
                "records");
    volt_candidates_free(candidates);
    volt_kernel_free(kernel);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitted_values_equal_record_predictions),
        cmocka_unit_test(one_record_equals_sequence_bitwise),
        cmocka_unit_test(streams_and_files_reproduce_predictions),
        cmocka_unit_test(folds_equal_separate_fits),
        cmocka_unit_test(impulse_response_of_records),
        cmocka_unit_test(comparison_equals_fits_and_predictions),
        cmocka_unit_test(invalid_records_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
