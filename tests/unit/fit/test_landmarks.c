/* tests/unit/fit/test_landmarks.c: choice of landmarks, and models with landmarks: files, streams, errors,
 * choices, invalid options. */
#include "base/threads.h"
#include "fit/landmarks.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/failing_alloc.h"
#include "support/landmark_problem.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/polling.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/live.h"

/* ---- landmarks -------------------------------------------------------------------------------- */

static void check_set(int64_t rows, int64_t washout, const int64_t *lengths, int64_t n, int64_t m,
                      volt_landmarks choice, int64_t ghosts)
{
    volt_records records;
    volt_landmark_set set;
    check_ok(volt_records_make(lengths, n, rows, &records));
    check_ok(volt_landmark_set_choose(rows, washout, &records, m, choice, ghosts, &set));
    int64_t total = 0, a = 0;
    assert_int_equal(set.m, m);
    for (int64_t r = 0; r < set.n_runs; r++) {
        int64_t begin = set.source[total], record = volt_records_begin(&records, begin), since = 0;
        for (int64_t i = total; i < total + set.runs[r]; i++, since++) {
            assert_int_equal(set.source[i], begin + i - total);                    /* neighbours in time ... */
            assert_int_equal(volt_records_begin(&records, set.source[i]), record); /* ... of one record */
            assert_true(set.source[i] < rows);
            if (a < m && set.column[a] == i) {
                assert_true(set.source[i] >= washout);
                assert_true(since >= ghosts || begin == record);
                a++;
            }
        }
        total += set.runs[r];
        assert_int_equal(set.column[a - 1], total - 1); /* a run ends with a landmark */
    }
    assert_int_equal(a, m); /* ascending, each in a run */
    assert_int_equal(total, set.n);
    if (choice == VOLT_LANDMARKS_LAST)
        assert_int_equal(set.source[set.column[0]], rows - m);
    if (choice == VOLT_LANDMARKS_SPREAD && m > 32) {
        assert_int_equal(set.source[set.column[0]], washout);
        assert_int_equal(set.source[set.column[m - 1]], rows - 1);
        assert_int_equal(set.source[set.column[31]], washout + 31);
    }
    volt_landmark_set_release(&set);
    volt_records_release(&records);
}

static void landmarks_form_runs(void **state)
{
    static const int64_t lengths[] = {50, 1, 99, 250};
    static const int64_t counts[] = {1, 2, 31, 32, 33, 64, 65, 100, 250, 399, 400};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int choice = VOLT_LANDMARKS_SPREAD; choice <= VOLT_LANDMARKS_RANDOM; choice++)
            for (int64_t ghosts = 0; ghosts <= 40; ghosts += 8) {
                check_set(400, 0, NULL, 0, counts[c], (volt_landmarks)choice, ghosts);
                check_set(400, 0, lengths, 4, counts[c], (volt_landmarks)choice, ghosts);
                if (counts[c] <= 370)
                    check_set(400, 30, NULL, 0, counts[c], (volt_landmarks)choice, ghosts);
            }
}

/* The number of rows after which the influence of the state is below 1e-7, or the window length. */
static void landmark_runs_cover_kernel_memory(void **state)
{
    static const struct {
        const char *text;
        int64_t ghosts;
    } cases[] = {
        {"rbf:gamma=0.5", 0}, {"linear:window=4", 3}, {"gak:window=5,sigma=1", 4},
        {"fir:mu=0.5", 24},   {"fir:mu=0.999", 256},  {"fir:mu=0.5 + rbf:gamma=1,window=30", 29},
        {"gak:path=rows", 0}, {"fir:mu=0", 256},
    };
    volt_rng rng = test_rng(9400);
    double *X = random_rows(&rng, 20, D, 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_resolved resolved = resolve_on(cases[c].text, volt_view_of(X, 20, D));
        if (volt_landmark_memory(&resolved) != cases[c].ghosts)
            fail_msg("%s: %" PRId64 " ghosts", cases[c].text, volt_landmark_memory(&resolved));
        volt_resolved_release(&resolved);
    }
    free(X);
}

/* ---- use of a model --------------------------------------------------------------------------- */

static void files_and_streams_continue(void **state)
{
    problem *p = make_problem(9500);
    volt_fit_options options = plain_options();
    static const int64_t lengths[] = {30, 50};
    double fitted[N * Q], later[H * Q], again[H * Q], half[2][Q];
    options.landmarks = 45;
    options.records = lengths;
    options.n_records = 2;
    volt_model *model = fit_text("memory:gamma=1,rho=0.5,mu=0.8", p, &options, fitted), *loaded = NULL;
    predict_rest(model, p, later);
    check_ok(volt_model_save(model, scratch_path("model.safetensors"), (volt_progress){0}));
    check_ok(volt_model_load(scratch_path("model.safetensors"), &loaded));
    predict_rest(loaded, p, again);
    assert_memory_equal(later, again, sizeof later);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(loaded, &info);
    assert_int_equal(info.n, N);
    assert_int_equal(info.landmarks, 45);
    assert_int_equal(info.n_records, 2);
    assert_int_equal(info.records[1], 50);
    assert_int_equal(info.washout, 0);
    volt_live *stream = NULL;
    check_ok(volt_live_create(loaded, NULL, &stream));
    for (int64_t i = 0; i < H; i++)
        check_ok(volt_live_feed(stream, p->X + (N + i) * D, again + i * Q));
    assert_true(largest_gap(later, again, H * Q) <= allowed);
    volt_live_free(stream);
    const double coverage = 0.8;
    check_ok(volt_model_interval(model, &coverage, 1, volt_matrix_of(half[0], 1, Q)));
    check_ok(volt_model_interval(loaded, &coverage, 1, volt_matrix_of(half[1], 1, Q)));
    assert_memory_equal(half[0], half[1], sizeof half[0]);
    assert_true(half[0][0] > 0.05 && half[0][0] < 2); /* errors of size 0.1 and more */
    volt_live *learner = NULL;
    check_fails(volt_live_create(loaded, with_learning(), &learner), VOLT_ERR_ARGUMENT, "landmarks");
    volt_model_free(loaded);
    volt_model_free(model);
    free(p);
}

/* Held-out errors equal those of a model fitted on the rows before them. */
static void errors_are_out_of_sample(void **state)
{
    problem *p = make_problem(9600);
    volt_kernel *kernel = plain_parse("memory:gamma=1,rho=0.5,mu=0.8");
    volt_fit_options options = plain_options();
    double fitted[N * Q], errors[N * Q], early[N * Q];
    options.landmarks = 30;
    options.missing_targets = 1;
    volt_model *model = fit_text("memory:gamma=1,rho=0.5,mu=0.8", p, &options, fitted), *before = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_int_equal(info.report->rows, N / 2);
    assert_int_equal(info.report->first, N / 2);
    problem *half = make_problem(9600);
    for (int64_t i = N / 2; i < N; i++)
        half->Y[i * Q] = NAN;
    check_ok(volt_model_fit(kernel, volt_view_of(half->X, N, D), volt_view_of(half->Y, N, Q), &options,
                            volt_matrix_of(early, N, Q), &before));
    assert_int_equal(volt_model_errors_read(model, volt_matrix_of(errors, N, Q)), N);
    double mse[Q] = {0};
    for (int64_t i = 0; i < N * Q; i++) {
        if (i / Q < N / 2)
            assert_true(isnan(errors[i]) != 0);
        else
            assert_true(fabs(errors[i] - (p->Y[i] - early[i])) <= allowed);
        if (i / Q >= N / 2)
            mse[i % Q] += errors[i] * errors[i] / (N - N / 2);
    }
    assert_true(largest_gap(mse, info.report->mse, Q) <= allowed);
    volt_model_free(before);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(half);
    free(p);
}

/* The candidate with the smallest held-out error is chosen, and the model is the fit with it. */
static void alpha_is_chosen_with_landmarks(void **state)
{
    problem *p = make_problem(9700);
    volt_fit_options options = plain_options();
    double fitted[2][N * Q];
    options.landmarks = 40;
    options.alpha = 0;
    volt_model *model = fit_text("memory:gamma=1,rho=0.5,mu=0.8", p, &options, fitted[0]);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_true(info.report->alphas > 5);
    for (int64_t k = 0; k < Q; k++) {
        assert_true(isfinite(info.alphas[k]) && info.alphas[k] > 0);
        for (int power = -2; power <= 2; power++) {
            volt_model_info other = {.struct_size = sizeof other};
            options.alpha = info.alphas[k] * pow(10, power);
            volt_model *other_model = fit_text("memory:gamma=1,rho=0.5,mu=0.8", p, &options, fitted[1]);
            volt_model_get_info(other_model, &other);
            assert_true(other.report->mse[k] >= info.report->mse[k] * (1 - 1e-9));
            if (power == 0)
                for (int64_t i = 0; i < N; i++)
                    assert_true(fabs(fitted[0][i * Q + k] - fitted[1][i * Q + k]) <= allowed);
            volt_model_free(other_model);
        }
    }
    volt_model_free(model);
    free(p);
}

/* Threads share the sums: equal up to rounding. */
static void threads_change_only_rounding(void **state)
{
    problem *p = make_problem(9800);
    volt_fit_options options = plain_options();
    double fitted[2][N * Q];
    int64_t threads = volt_threads();
    options.landmarks = 40;
    for (int64_t t = 0; t < 2; t++) {
        volt_set_threads(t + 1);
        volt_model_free(fit_text("2*fir:mu=0.7 + memory:gamma=1,rho=0.5,mu=0.8", p, &options, fitted[t]));
    }
    volt_set_threads(threads);
    assert_true(largest_gap(fitted[0], fitted[1], N * Q) <= allowed);
    free(p);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void refuse(const volt_fit_options *options, const char *text, volt_status expected,
                   const char *fragment)
{
    problem *p = make_problem(9900);
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_fails(volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, Q), options,
                               (volt_matrix){0}, &model),
                expected, fragment);
    assert_null(model);
    volt_kernel_free(kernel);
    free(p);
}

static void invalid_options_are_rejected(void **state)
{
    volt_fit_options options = plain_options();
    options.landmarks = N + 1;
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "landmarks 81 1 80");
    options.washout = 70;
    options.landmarks = 11;
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "1 10 rows washout");
    options.landmarks = -2;
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "landmarks -2");
    options = plain_options();
    options.loss = "huber:delta=1";
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "nystrom");
    options = plain_options();
    options.keep_factor = 1;
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "factor");
    options = plain_options();
    options.solver = "exact";
    options.landmarks = 10;
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "landmarks");
    options = plain_options();
    options.solver = "features";
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "states");
    options.solver = "auto:x=1";
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "auto:x=1");
    options = plain_options();
    options.landmark_choice = (volt_landmarks)9;
    refuse(&options, "rbf:gamma=1", VOLT_ERR_ARGUMENT, "choice 9");
}

/* The kernel of the later landmarks overflows: (1e160)^2. */
static void overflowing_kernel_of_landmarks_is_rejected(void **state)
{
    problem *p = make_problem(9901);
    volt_fit_options options = plain_options();
    volt_kernel *kernel = plain_parse("poly:degree=2");
    volt_model *model = NULL;
    options.landmarks = N;
    for (int64_t i = N / 2 * D; i < N * D; i++)
        p->X[i] = 1e80;
    check_fails(volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, Q), &options,
                               (volt_matrix){0}, &model),
                VOLT_ERR_NOT_FINITE, "landmarks");
    assert_null(model);
    volt_kernel_free(kernel);
    free(p);
}

/* By default, few rows are fitted exactly. */
static void auto_is_exact_on_few_rows(void **state)
{
    problem *p = make_problem(9910);
    volt_fit_options options = plain_options();
    double fitted[N * Q];
    options.solver = "auto";
    volt_model *model = fit_text("rbf:gamma=1", p, &options, fitted);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_int_equal(info.landmarks, 0);
    assert_int_equal(info.kernel_rows, N);
    assert_null(info.report->loo_mse);
    volt_model_free(model);
    free(p);
}

static void every_allocation_may_fail(void **state)
{
    problem *p = make_problem(9920);
    volt_kernel *kernel = plain_parse("memory:gamma=1,rho=0.5,mu=0.8");
    volt_fit_options options = plain_options();
    static const int64_t lengths[] = {36, 44};
    options.landmarks = 33;
    options.records = lengths;
    options.n_records = 2;
    options.alpha = 0;
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_model *model = NULL;
        volt_status status = volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, Q),
                                            &options, (volt_matrix){0}, &model);
        assert_true((status == VOLT_OK) == (model != NULL));
        volt_model_free(model);
        failing_alloc_check(status);
    }
    volt_kernel_free(kernel);
    free(p);
}

static int stop(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return --*(int *)context <= 0;
}

static void cancelled_fit_leaks_nothing(void **state)
{
    problem *p = make_problem(9930);
    volt_kernel *kernel = plain_parse("memory:gamma=1,rho=0.5,mu=0.8");
    volt_fit_options options = plain_options();
    options.landmarks = 33;
    options.alpha = 0;
    volt_status status = VOLT_ERR_CANCELLED;
    for (int calls = 1; status != VOLT_OK; calls += 5) {
        int left = calls;
        volt_model *model = NULL;
        options.progress = (volt_progress){stop, &left};
        status = volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, Q), &options,
                                (volt_matrix){0}, &model);
        assert_true(status == VOLT_OK || status == VOLT_ERR_CANCELLED);
        assert_true((model != NULL) == (status == VOLT_OK));
        volt_model_free(model);
    }
    volt_kernel_free(kernel);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landmarks_form_runs),
        cmocka_unit_test(landmark_runs_cover_kernel_memory),
        cmocka_unit_test(files_and_streams_continue),
        cmocka_unit_test(errors_are_out_of_sample),
        cmocka_unit_test(alpha_is_chosen_with_landmarks),
        cmocka_unit_test(threads_change_only_rounding),
        cmocka_unit_test(invalid_options_are_rejected),
        cmocka_unit_test(overflowing_kernel_of_landmarks_is_rejected),
        cmocka_unit_test(auto_is_exact_on_few_rows),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test_setup_teardown(cancelled_fit_leaks_nothing, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
