/* tests/unit/task/test_identify_search.c: searches of an identification on two levels, and free runs beyond the
 * scores. */
#include "support/check.h"
#include "support/sequences.h"
#include "task/identify_internal.h"
#include "volterra/identify.h"

/* Inputs, and outputs of a filter, a saturation and a filter. */
static void saturating(uint64_t seed, int64_t n, double **u, double **y)
{
    volt_rng rng = test_rng(seed);
    double before = 0, after = 0;
    *u = normal_rows(&rng, n, 1);
    *y = new_matrix(n, 1);
    for (int64_t t = 0; t < n; t++) {
        before = 0.6 * before + (*u)[t];
        after = 0.5 * after + tanh(before);
        (*y)[t] = after + 0.02 * volt_rng_normal(&rng);
    }
}

/* Scores of a candidate on all rows of the search. */
static void score_again(const volt_identify_candidate *one, volt_view U, volt_view Y, int64_t washout,
                        double blocks[VOLT_IDENTIFY_BLOCKS])
{
    const char *kernel = one->kernel;
    volt_candidates *list = NULL;
    volt_search *search = NULL;
    volt_search_options options = volt_search_options_default();
    options.splits.folds = VOLT_IDENTIFY_BLOCKS;
    options.splits.min_train = U.rows - VOLT_IDENTIFY_BLOCKS * (U.rows / 6);
    options.washout = washout;
    options.score = VOLT_SCORE_NMSE;
    options.solver = "exact";
    check_ok(volt_candidates_list(&kernel, &one->alpha, &one->feedback_weight, 1, &list));
    check_ok(volt_search_run(list, U, Y, &options, &search));
    memcpy(blocks, volt_search_trial(search, 0)->folds, VOLT_IDENTIFY_BLOCKS * sizeof *blocks);
    volt_search_free(search);
    volt_candidates_free(list);
}

/* With many rows, families are searched on a part of the rows of the search, and compared on all of them. */
static void candidates_are_compared_on_all_rows_of_the_search(void **state)
{
    if (UNDER_SANITIZERS) /* a statement about numbers, of code that the other tests run */
        skip();
    (void)state;
    enum { N = 2010, TRAIN = 1608, DRAWS = 8 };
    double *u, *y, blocks[VOLT_IDENTIFY_BLOCKS];
    saturating(1, N, &u, &y);
    volt_identify_options options = volt_identify_options_default();
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    options.draws = DRAWS;
    check_ok(volt_identify(volt_view_of(u, N, 1), volt_view_of(y, N, 1), &options, &model, &found));
    assert_true(found.train_rows == TRAIN && found.search_rows == TRAIN);
    int64_t refined = 0;
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        const volt_identify_candidate *one = &found.candidates[i];
        int64_t compared = DRAWS + 1 + (i == 0); /* the initial input was chosen with the first */
        printf("%s: %d trials\n", one->name, (int)one->trials);
        assert_true(one->trials >= compared && (!one->is_linear || one->trials == compared + 1));
        refined += !one->is_linear && one->trials > compared;
        if (isnan(one->nmse))
            continue;
        score_again(one, volt_view_of(u, TRAIN, 1), volt_view_of(y, TRAIN, 1), found.washout, blocks);
        for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
            assert_true(fabs(blocks[b] - one->block_nmse[b]) <= 1e-9 * blocks[b]);
    }
    assert_true(refined >= 2 && refined <= 4);
    volt_model_free(model);
    free(u);
    free(y);
}

/* Counts the warnings that name the budget. */
static void count_budget_warnings(volt_log_level level, const char *text, void *context)
{
    *(int *)context += level == VOLT_LOG_WARNING && strstr(text, "budget") != NULL;
}

/* A budget that ends before the first trial still gives a linear model, with one warning. */
static void linear_models_have_a_trial_in_any_budget(void **state)
{
    enum { ROWS = 120 };
    double *u, *y;
    saturating(3, ROWS, &u, &y);
    volt_identify_options options = volt_identify_options_default();
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    int warnings = 0;
    options.seconds = 1e-9;
    volt_set_log(count_budget_warnings, &warnings);
    check_ok(volt_identify(volt_view_of(u, ROWS, 1), volt_view_of(y, ROWS, 1), &options, &model, &found));
    volt_set_log(NULL, NULL);
    assert_int_equal(warnings, 1);
    assert_true(isfinite(found.test_rmse) && isfinite(found.linear_test_rmse));
    for (int64_t i = 0; i < 2; i++)
        assert_true(found.candidates[i].trials > 0 && isfinite(found.candidates[0].nmse));
    volt_model_free(model);
    free(u);
    free(y);
}

/* All training rows up to 3000; in a short time fewer, but at least 1000. */
static void rows_of_the_search_depend_on_the_budget(void **state)
{
    enum { ROWS = 3200 };
    static const struct {
        int64_t rows, expected;
        double seconds;
    } budgets[] = {{ROWS, VOLT_IDENTIFY_SEARCH_ROWS, 1e9}, {1200, 1000, 1e-9}, {900, 900, 1e-9}};
    double *u, *y;
    saturating(5, ROWS, &u, &y);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        volt_view U = volt_view_of(u, budgets[i].rows, 1), Y = volt_view_of(y, budgets[i].rows, 1);
        volt_identify_state run = {.options = volt_identify_options_default()};
        run.options.seconds = budgets[i].seconds;
        run.options.test_inputs = U; /* any */
        run.options.test_outputs = Y;
        check_ok(volt_identify_take_rows(&run, U, Y));
        check_ok(volt_identify_choose_search_rows(&run, 1));
        assert_int_equal(run.found.search_rows, budgets[i].expected);
        volt_identify_release_rows(&run);
    }
    free(u);
    free(y);
}

/* Each block counts. */
static void a_better_model_is_better_on_every_block(void **state)
{
    volt_identify_candidate one = {.nmse = 0.1}, other = {.nmse = 0.2};
    for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++) {
        one.block_nmse[b] = 0.1;
        other.block_nmse[b] = 0.2;
    }
    assert_true(volt_identify_is_better(&one, &other) && !volt_identify_is_better(&other, &one));
    for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++) {
        volt_identify_candidate worse = one;
        worse.block_nmse[b] = 0.2;
        assert_false(volt_identify_is_better(&worse, &other));
    }
    one.nmse = INFINITY;
    assert_false(volt_identify_is_better(&one, &other));
}

/* Records of a slow system that start at rest far from the mean of the inputs, or not at rest. */
static void records_at_rest_start_from_their_first_input(void **state)
{
    enum { RECORDS = 6, LENGTH = 40, HELD = 10, ROWS = RECORDS * LENGTH };
    int64_t lengths[RECORDS];
    for (int rests = 0; rests < 2; rests++) {
        volt_rng rng = test_rng(4);
        double *u = new_matrix(ROWS, 1), *y = new_matrix(ROWS, 1), state_of = 0;
        for (int64_t t = 0; t < ROWS; t++) {
            lengths[t / LENGTH] = LENGTH;
            u[t] = t % HELD ? u[t - 1] : volt_rng_normal(&rng);
            if (t % LENGTH == 0)
                state_of = rests ? u[t] : volt_rng_normal(&rng);
            state_of += 0.03 * (u[t] - state_of);
            y[t] = state_of + 0.001 * volt_rng_normal(&rng);
        }
        volt_identify_options options = volt_identify_options_default();
        volt_identification found = {.struct_size = sizeof found};
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        options.draws = 4;
        options.records = lengths;
        options.n_records = RECORDS;
        check_ok(volt_identify(volt_view_of(u, ROWS, 1), volt_view_of(y, ROWS, 1), &options, &model, &found));
        check_ok(volt_model_get_info(model, &info));
        assert_int_equal(found.initial, rests ? VOLT_INITIAL_FIRST : VOLT_INITIAL_ZERO);
        assert_int_equal(info.initial, found.initial);
        volt_model_free(model);
        free(u);
        free(y);
    }
}

/* ---- free runs -------------------------------------------------------------------------------- */

enum { N = 360, BLOCK = 60, WASHOUT = 18 }; /* rows without a test: all are training rows */

/* Free run of a candidate over the last `count` rows, with inputs `scale` times as far from their mean before them. */
static void run_last(const volt_identify_candidate *one, const double *u, const double *y, int64_t count,
                     double scale, double *out)
{
    int64_t fitted = N - count;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    double inputs[VOLT_IDENTIFY_BLOCKS * BLOCK], mean = 0;
    for (int64_t t = 0; t < fitted; t++)
        mean += u[t] / (double)fitted;
    for (int64_t t = 0; t < count; t++)
        inputs[t] = mean + scale * (u[fitted + t] - mean);
    options.alpha = one->alpha;
    options.washout = WASHOUT;
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    check_ok(volt_kernel_parse(one->kernel, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(u, fitted, 1), volt_view_of(y, fitted, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(
        volt_model_predict(model, volt_view_of(inputs, count, 1), NULL, volt_matrix_of(out, count, 1), NULL));
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static double root_mean_square(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t t = 0; t < count; t++)
        sum += pow(a[t] - b[t], 2) / (double)count;
    return sqrt(sum);
}

static void set_candidate(volt_identify_candidate *one, const char *kernel, double alpha)
{
    snprintf(one->kernel, sizeof one->kernel, "%s", kernel);
    one->alpha = alpha;
    one->nmse = 0.1;
}

static void models_that_fail_in_further_runs_are_rejected(void **state)
{
    enum { LONG = VOLT_IDENTIFY_BLOCKS * BLOCK };
    double *u, *y, linear[BLOCK], own[LONG], means[BLOCK], long_linear[LONG], mean = 0;
    saturating(2, N, &u, &y);
    volt_identify_state run = {.options = volt_identify_options_default()};
    volt_identification *found = &run.found;
    run.options.draws = 1;
    run.options.test_inputs = volt_view_of(u, N, 1); /* any */
    run.options.test_outputs = volt_view_of(y, N, 1);
    check_ok(volt_identify_take_rows(&run, volt_view_of(u, N, 1), volt_view_of(y, N, 1)));
    volt_identify_begin_candidates(found);
    check_ok(volt_identify_choose_search_rows(&run, 1));
    assert_true(found->search_rows == N && found->washout == WASHOUT);
    volt_identify_candidate *candidates = found->candidates;
    set_candidate(&candidates[0], "fir:mu=0.8", 0.01);
    set_candidate(&candidates[2], "poly:degree=9,gamma=4,window=6", 1e-9);
    set_candidate(&candidates[3], "memory:gamma=1,rho=0.6,mu=0.5 + fir:mu=0.8", 0.01);
    set_candidate(&candidates[4], "fir:mu=0.8 + fir:mu=0.1", 0.01); /* as good as the linear model */
    found->best_linear = 0;
    check_ok(volt_identify_validate(&run));

    for (int64_t t = 0; t < N - BLOCK; t++)
        mean += y[t] / (N - BLOCK);
    for (int64_t t = 0; t < BLOCK; t++)
        means[t] = mean;
    run_last(&candidates[0], u, y, BLOCK, 1.3, linear);
    run_last(&candidates[0], u, y, LONG, 1, long_linear);
    for (int64_t i = 0; i < 5; i++) {
        if (i == 1)
            continue;
        const double *last = y + N - BLOCK;
        run_last(&candidates[i], u, y, BLOCK, 1, own);
        double growth = root_mean_square(own + 40, last + 40, 20) / root_mean_square(own, last, 20);
        run_last(&candidates[i], u, y, BLOCK, 1.3, own);
        double size = fmax(root_mean_square(linear, means, BLOCK), root_mean_square(last, means, BLOCK));
        double excess = root_mean_square(own, linear, BLOCK) / size;
        run_last(&candidates[i], u, y, LONG, 1, own);
        double long_run =
            root_mean_square(own, y + N - LONG, LONG) / root_mean_square(long_linear, y + N - LONG, LONG);
        printf("%s: growth %g, excess %g, long run %g\n", candidates[i].kernel, candidates[i].growth,
               candidates[i].excess, candidates[i].long_run);
        assert_true(fabs(candidates[i].growth - growth) <= 1e-6 * growth);
        assert_true(fabs(candidates[i].excess - excess) <= 1e-6 * excess);
        assert_true(fabs(candidates[i].long_run - long_run) <= 1e-6 * long_run);
        assert_int_equal(candidates[i].is_rejected, i > 0 && (excess > 3 || long_run >= 1 - 1 / sqrt(LONG)));
    }
    assert_true(candidates[4].is_rejected && candidates[4].excess < 3);
    assert_true(candidates[0].excess == 0 && candidates[2].is_rejected && !candidates[3].is_rejected);
    assert_true(isnan(candidates[1].growth) && isnan(candidates[1].excess) && !candidates[1].is_rejected);
    volt_identify_release_rows(&run);
    free(u);
    free(y);
}

/* ---- free runs by records --------------------------------------------------------------------- */

enum { RUN_ROWS = 60, RUN_RECORDS = 3 };
static const int64_t run_lengths[RUN_RECORDS] = {30, 25, 5};

/* Rows first .. end - 1 after `before` measured rows from a zero state, or after the training rows. */
static void plain_run(const volt_model *model, const double *u, const double *y, int64_t first, int64_t before,
                      int64_t end, bool follows, double *out)
{
    double all[RUN_ROWS];
    int64_t from = first - before, rows = end - from;
    volt_predict_options options = volt_predict_options_default();
    options.start = follows ? VOLT_START_CONTINUE : VOLT_START_RESET;
    if (before > 0) {
        options.known = volt_view_of(y + from, rows, 1);
        options.warm_up = before;
    }
    check_ok(volt_model_predict(model, volt_view_of(u + from, rows, 1), &options, volt_matrix_of(all, rows, 1),
                                NULL));
    memcpy(out, all + before, (size_t)(end - first) * sizeof *out);
}

static int stop_at(const char *stage, double fraction, void *context)
{
    int64_t *left = context;
    assert_string_equal(stage, "run");
    assert_true(fraction >= 0.25 && fraction <= 0.75);
    return --*left == 0;
}

/* Each record starts anew: the outputs of its first rows, a tenth of it and at most the washout of 4, set the state. */
static void free_runs_begin_with_records(void **state)
{
    double *u, *y, out[RUN_ROWS + 1], expected[RUN_ROWS];
    bool is_bounded = true;
    saturating(11, RUN_ROWS, &u, &y);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.feedback_weight = 0.5;
    check_ok(volt_kernel_parse("fading:gamma=0.3,rho=0.4 + fir:mu=0.8", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(u, RUN_ROWS, 1), volt_view_of(y, RUN_ROWS, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_identify_state run = {.found = {.washout = 4}};
    volt_identify_data data = {.U = volt_view_of(u, RUN_ROWS, 1), .Y = volt_view_of(y, RUN_ROWS, 1)};
    check_ok(volt_records_make(run_lengths, RUN_RECORDS, RUN_ROWS, &data.records));
    static const int64_t starts[RUN_RECORDS] = {3, 2, 1};
    static const struct {
        int64_t begin, end;
        bool follows;
    } parts[] = {{0, RUN_ROWS, false}, {30, 57, false}, {32, 34, false}, {10, 40, false}, {10, 40, true},
                 {30, 50, true},       {30, 31, false}, {30, 32, false}, {30, 33, false}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        int64_t begin = parts[p].begin, end = parts[p].end, record = 0;
        for (int64_t i = 0; i <= RUN_ROWS; i++)
            out[i] = -77;
        check_ok(volt_identify_simulate(&run, model, &data, begin, end, parts[p].follows, out, &is_bounded));
        assert_false(is_bounded);
        for (int r = 0; r < RUN_RECORDS; record += run_lengths[r++]) {
            int64_t from = record > begin ? record : begin;
            int64_t to = record + run_lengths[r] < end ? record + run_lengths[r] : end;
            if (from >= to)
                continue;
            int64_t first = from > record ? from : from + starts[r] < to ? from + starts[r] : to;
            bool follows = parts[p].follows && from == begin && record < from;
            for (int64_t i = from; i < first; i++)
                expected[i - begin] = NAN;
            if (first < to)
                plain_run(model, u, y, first, follows ? 0 : first - record, to, follows,
                          expected + first - begin);
        }
        for (int64_t i = 0; i < end - begin; i++)
            assert_true(isnan(expected[i]) ? isnan(out[i]) : out[i] == expected[i]);
        for (int64_t i = end - begin; i <= RUN_ROWS; i++)
            assert_true(out[i] == -77);
    }
    int64_t left = 100000; /* progress of the stage, whose part of the call are the fractions from 1/4 to 3/4 */
    run.options.progress = (volt_progress){stop_at, &left};
    strcpy(run.stage, "run");
    run.done = 0.25;
    run.fraction = 0.5;
    check_ok(volt_identify_simulate(&run, model, &data, 0, RUN_ROWS, false, out, &is_bounded));
    assert_true(left < 100000);
    left = 1;
    assert_int_equal(volt_identify_simulate(&run, model, &data, 0, RUN_ROWS, false, out, &is_bounded),
                     VOLT_ERR_CANCELLED);
    volt_records_release(&data.records);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(u);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_compared_on_all_rows_of_the_search),
        cmocka_unit_test(linear_models_have_a_trial_in_any_budget),
        cmocka_unit_test(rows_of_the_search_depend_on_the_budget),
        cmocka_unit_test(a_better_model_is_better_on_every_block),
        cmocka_unit_test(records_at_rest_start_from_their_first_input),
        cmocka_unit_test(models_that_fail_in_further_runs_are_rejected),
        cmocka_unit_test(free_runs_begin_with_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
