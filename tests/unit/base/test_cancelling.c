/* tests/unit/base/test_cancelling.c: cancellation of long calls at every poll, and polls in every long
 * computation. Every poll calls the user (volt_stage_set_interval), on one thread, so the tests do not
 * depend on the speed of the machine. An operation is cancelled at each of its calls in turn. */
#include "base/progress.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "volterra/kernel.h"
#include "volterra/model.h"
#include "volterra/select.h"
#include "volterra/stats.h"

enum { N = 12, D = 2, SERIES = 10 };

/* ---- a callback that cancels ------------------------------------------------------------------ */

typedef struct user {
    int64_t calls, cancel_at, at_zero; /* cancel_at 0: never; at_zero: calls before the first entry */
} user;

static int listen(const char *stage, double fraction, void *context)
{
    (void)stage;
    user *u = context;
    u->at_zero += fraction == 0;
    return ++u->calls == u->cancel_at;
}

/* ---- operations ------------------------------------------------------------------------------- */

typedef struct setting {
    volt_kernel *kernel;
    volt_view X;
    double K[N * N];
    volt_model *model; /* for predictions */
} setting;

typedef volt_status (*operation)(setting *s, volt_progress progress);

static volt_status gram(setting *s, volt_progress progress)
{
    volt_gram_options options = volt_gram_options_default();
    options.progress = progress;
    return volt_gram(s->kernel, s->X, volt_view_of(NULL, 0, 0), &options, volt_matrix_of(s->K, N, N));
}

static volt_status fit(setting *s, volt_progress progress)
{
    volt_fit_options options = volt_fit_options_default();
    options.progress = progress;
    options.alpha = 1;
    volt_model *model = NULL;
    volt_status status = volt_model_fit(s->kernel, s->X, s->X, &options, volt_matrix_of(NULL, 0, 0), &model);
    assert_true(status == VOLT_OK || !model);
    volt_model_free(model);
    return status;
}

static volt_status predict(setting *s, volt_progress progress)
{
    volt_predict_options options = volt_predict_options_default();
    double out[N * D];
    options.progress = progress;
    if (!s->model) {
        volt_fit_options fitting = volt_fit_options_default();
        fitting.alpha = 1;
        check_ok(volt_model_fit(s->kernel, s->X, s->X, &fitting, volt_matrix_of(NULL, 0, 0), &s->model));
    }
    return volt_model_predict(s->model, s->X, &options, volt_matrix_of(out, N, D), NULL);
}

static volt_status collection(setting *s, volt_progress progress)
{
    volt_view series[SERIES];
    for (int64_t i = 0; i < SERIES; i++)
        series[i] = volt_view_rows(s->X, 0, 3 + i % (N - 2));
    volt_gram_options options = volt_gram_options_default();
    options.progress = progress;
    return volt_gram_collection(s->kernel, series, SERIES, NULL, 0, &options,
                                volt_matrix_of(s->K, SERIES, SERIES));
}

/* Losses of N models at 40 times, recomputed from the rows. */
static volt_status confidence_set(setting *s, volt_progress progress, volt_mcs_method method)
{
    enum { T = 40, REPS = 30 };
    double losses[T * N];
    for (int64_t k = 0; k < T * N; k++)
        losses[k] = s->X.data[k * 7 % (N * D)] * (1 + (double)(k % 11));
    volt_mcs_options options = volt_mcs_options_default();
    options.method = method;
    options.block = VOLT_BLOCK_AUTO;
    options.reps = REPS;
    options.progress = progress;
    volt_mcs *mcs = NULL;
    volt_status status = volt_mcs_compute(volt_view_of(losses, T, N), &options, &mcs);
    assert_true(status == VOLT_OK || !mcs);
    volt_mcs_free(mcs);
    return status;
}

static volt_status confidence_set_r(setting *s, volt_progress progress)
{
    return confidence_set(s, progress, VOLT_MCS_R);
}

static volt_status confidence_set_max(setting *s, volt_progress progress)
{
    return confidence_set(s, progress, VOLT_MCS_MAX);
}

/* ---- cancellation at every call --------------------------------------------------------------- */

static const struct {
    const char *kernel;
    operation run;
} operations[] = {
    {"volterra", gram},
    {"volterra", fit},
    {"volterra", predict},
    {"volterra", collection},
    {"rbf:window=30", fit},
    {"rbf:window=5", predict},
    {"gak:window=40", gram},
    {"gak:window=40", fit},
    {"gak:window=40,sigma=0.01", predict},
    {"gak:path=rows", predict},
    {"gak", collection},
    {"gak:sigma=0.001", collection},
    {"gak:centre=yes", collection},
    {"sig:level=3,window=4", predict},
    {"sig:level=8,window=5", fit},
    {"sig:level=9,window=3,augment=time+leadlag", predict},
    {"sigpde:window=6,static=rbf", predict},
    {"sigpde", collection},
    {"2*fir + memory:pole=0.5*rbf:window=3", gram},
    {"2*fir + memory:pole=0.5*rbf:window=3", fit},
    {"gak:window=5 + fir:corr=0.5", predict},
    {"fir:pole=0.3 + gak*volterra", collection},
    {"linear", confidence_set_r},
    {"linear", confidence_set_max},
};

static void operations_stop_at_every_callback(void **state)
{
    volt_rng rng = test_rng(2301);
    double *rows = random_rows(&rng, N, D, 1);
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        setting s = {.kernel = plain_parse(operations[k].kernel), .X = volt_view_of(rows, N, D)};
        user all = {0};
        check_ok(operations[k].run(&s, (volt_progress){listen, &all}));
        assert_true(all.calls >= 3);
        int64_t step = 1 + all.calls / 200; /* all calls, or about 200 of them */
        for (int64_t j = 1; j <= all.calls; j += step) {
            user u = {.cancel_at = j};
            check_fails(operations[k].run(&s, (volt_progress){listen, &u}), VOLT_ERR_CANCELLED, "cancelled");
            if (u.calls != j)
                fail_msg("%s, operation %zu: cancelled at call %d, called %d times", operations[k].kernel, k,
                         (int)j, (int)u.calls);
        }
        volt_model_free(s.model);
        volt_kernel_free(s.kernel);
    }
    free(rows);
}

/* ---- long units of work ----------------------------------------------------------------------- */

/* Calls of the operation on one row or one series. Almost all the work is one path against itself. */
static user on_one_path(const char *text, int64_t length, int as_series)
{
    volt_rng rng = test_rng(2302);
    double *rows = random_rows(&rng, length, D, 1), value;
    volt_view series = volt_view_of(rows, length, D);
    volt_kernel *kernel = plain_parse(text);
    user u = {0};
    volt_gram_options options = volt_gram_options_default();
    options.progress = (volt_progress){listen, &u};
    volt_matrix K = volt_matrix_of(&value, 1, 1);
    if (as_series)
        check_ok(volt_gram_collection(kernel, &series, 1, NULL, 0, &options, K));
    else
        check_ok(volt_gram(kernel, volt_view_of(rows, 1, D), volt_view_of(NULL, 0, 0), &options, K));
    assert_true(value == value);
    volt_kernel_free(kernel);
    free(rows);
    return u;
}

/* A path of 600 points has 360 000 cells, with at most 4096 (of 8 lanes) between polls: 87 polls for a path
 * against itself. If all cells underflow, the computation uses logarithms, with one poll per row. */
static void one_long_path_polls(void **state)
{
    enum { LENGTH = 600, POLLS = LENGTH * LENGTH / 4096 - 1 };
    assert_true(on_one_path("gak:window=600", LENGTH, 0).at_zero >= POLLS);
    assert_true(on_one_path("gak", LENGTH, 1).at_zero >= 2 * POLLS); /* as a column and as a row */
    assert_true(on_one_path("gak:sigma=1e-9", LENGTH, 1).at_zero >= 2 * (POLLS + LENGTH));
    assert_true(on_one_path("sigpde", LENGTH, 1).at_zero >= POLLS);
}

/* 66 pairs of 12 models for the block length, then 12 rows of pairs and 12 + 11 + ... + 2 models in the
 * elimination. */
static void every_model_of_a_confidence_set_polls(void **state)
{
    volt_rng rng = test_rng(2303);
    double *rows = random_rows(&rng, N, D, 1);
    setting s = {.X = volt_view_of(rows, N, D)};
    user pairs = {0}, centres = {0};
    check_ok(confidence_set_r(&s, (volt_progress){listen, &pairs}));
    assert_true(pairs.calls >= N * (N - 1) / 2 + N + N * (N + 1) / 2 - 1);
    check_ok(confidence_set_max(&s, (volt_progress){listen, &centres}));
    assert_true(centres.calls >= N * (N - 1) / 2 + N * (N + 1) / 2 - 1);
    free(rows);
}

/* Calls of a search whose only block, after TRAINED rows, is simulated. */
enum { TRAINED = 60 };
static int64_t calls_of_search(volt_view X)
{
    const char *kernel = "linear";
    const double alpha = 1, feedback = 0.3;
    user u = {0};
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 1;
    options.splits.min_train = TRAINED;
    options.validate = VOLT_VALIDATE_SIMULATE;
    options.progress = (volt_progress){listen, &u};
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, &feedback, 1, &candidates));
    check_ok(volt_search_run(candidates, X, X, &options, &search));
    volt_search_free(search);
    volt_candidates_free(candidates);
    return u.calls;
}

/* A simulation computes its rows one by one: each polls. */
static void every_row_of_a_simulated_block_polls(void **state)
{
    enum { FEW = 10, MANY = 40 };
    volt_rng rng = test_rng(2304);
    double *rows = random_rows(&rng, TRAINED + MANY, 1, 1);
    int64_t few = calls_of_search(volt_view_of(rows, TRAINED + FEW, 1)),
            many = calls_of_search(volt_view_of(rows, TRAINED + MANY, 1));
    print_message("# %d calls for %d rows, %d for %d\n", (int)few, FEW, (int)many, MANY);
    assert_true(many - few >= MANY - FEW);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(operations_stop_at_every_callback, poll_always, poll_as_usual),
        cmocka_unit_test_setup_teardown(one_long_path_polls, poll_always, poll_as_usual),
        cmocka_unit_test_setup_teardown(every_model_of_a_confidence_set_polls, poll_always, poll_as_usual),
        cmocka_unit_test_setup_teardown(every_row_of_a_simulated_block_polls, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests_name("cancelling", tests, NULL, NULL);
}
