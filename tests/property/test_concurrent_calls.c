/* tests/property/test_concurrent_calls.c: several threads of the caller use the library at the same time.
 *
 * Models are immutable, so the threads share one. Each thread creates its own stream and all other objects.
 * Results that do not depend on the number of threads (docs/architecture.md) are bitwise equal to those of a
 * single thread. scripts/tsan.sh runs this program under ThreadSanitizer. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra.h"

#include <pthread.h>

enum { CALLERS = 4, N = 96, ROWS = 40, D = 2, Q = 2, SERIES = 5, DRAWS = 6 };
static const volt_matrix nowhere = {NULL, 0, 0, 0};
static const volt_view none = {NULL, 0, 0, 0};

/* Data shared by all callers. */
typedef struct shared {
    const volt_model *model;
    const char *kernel, *whole; /* the kernel of rows, and of whole series */
    const double *X, *Y, *fresh;
} shared;

/* Results of one caller. */
typedef struct results {
    const shared *from;
    volt_status status;
    char sentence[256];
    double streamed[ROWS * Q], forecast[ROWS * Q], gram[ROWS * ROWS], collection[SERIES * SERIES];
    double fitted[N * Q];
    int64_t best, trials;
} results;

static volt_status push_rows(const shared *from, double *streamed)
{
    volt_live *stream = NULL;
    volt_status status = volt_live_create(from->model, NULL, &stream);
    for (int i = 0; i < ROWS && !status; i++)
        status = volt_live_feed(stream, from->fresh + (ptrdiff_t)i * D, streamed + (ptrdiff_t)i * Q);
    volt_live_free(stream);
    return status;
}

static volt_status fit(const shared *from, const volt_kernel *kernel, double *fitted)
{
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    volt_status status = volt_model_fit(kernel, volt_view_of(from->X, N, D), volt_view_of(from->Y, N, Q),
                                        &options, volt_matrix_of(fitted, N, Q), &model);
    volt_model_free(model);
    return status;
}

static volt_status search(const shared *from, results *r)
{
    volt_candidates *candidates = NULL;
    volt_search *found = NULL;
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_options options = volt_search_options_default();
    options.draws = DRAWS;
    options.race = VOLT_RACE_NONE;
    volt_status status = volt_candidates_draw("volterra", volt_view_of(from->X, N, D), NULL, &candidates);
    if (!status)
        status = volt_search_run(candidates, volt_view_of(from->X, N, D), volt_view_of(from->Y, N, Q), &options,
                                 &found);
    if (!status) {
        volt_search_get_info(found, &info);
        r->trials = info.trials;
        r->best = volt_search_trial(found, VOLT_TRIAL_BEST)->index;
    }
    volt_search_free(found);
    volt_candidates_free(candidates);
    return status;
}

static volt_status use_everything(results *r)
{
    const shared *from = r->from;
    volt_kernel *kernel = NULL, *whole = NULL;
    volt_view rows = volt_view_of(from->fresh, ROWS, D), series[SERIES];
    for (int s = 0; s < SERIES; s++)
        series[s] = volt_view_of(from->fresh + (ptrdiff_t)s * D, 8 + 5 * s, D);
    volt_status status = volt_kernel_parse(from->kernel, &kernel);
    if (!status)
        status = volt_kernel_parse(from->whole, &whole);
    if (!status)
        status = push_rows(from, r->streamed);
    if (!status)
        status = volt_model_predict(from->model, rows, NULL, volt_matrix_of(r->forecast, ROWS, Q), NULL);
    if (!status)
        status = volt_gram(kernel, rows, none, NULL, volt_matrix_of(r->gram, ROWS, ROWS));
    if (!status)
        status = volt_gram_collection(whole, series, SERIES, NULL, 0, NULL,
                                      volt_matrix_of(r->collection, SERIES, SERIES));
    if (!status)
        status = fit(from, kernel, r->fitted);
    if (!status)
        status = search(from, r);
    volt_kernel_free(whole);
    volt_kernel_free(kernel);
    return status;
}

static void *call(void *context)
{
    results *r = context;
    r->status = use_everything(r);
    strncpy(r->sentence, volt_error_detail(), sizeof r->sentence - 1);
    return NULL;
}

/* Runs all callers concurrently, then a single one. The results must agree. */
static void check_kernel(const char *text, const char *whole, volt_rng *rng)
{
    double *X = random_rows(rng, N, D, 1), *Y = normal_rows(rng, N, Q), *fresh = random_rows(rng, ROWS, D, 1);
    results *all = calloc(CALLERS + 1, sizeof *all);
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    assert_non_null(all);
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, D), volt_view_of(Y, N, Q), NULL, nowhere, &model));
    const shared from = {.model = model, .kernel = text, .whole = whole, .X = X, .Y = Y, .fresh = fresh};

    pthread_t threads[CALLERS];
    for (int c = 0; c <= CALLERS; c++)
        all[c].from = &from;
    for (int c = 0; c < CALLERS; c++)
        assert_int_equal(pthread_create(&threads[c], NULL, call, &all[c]), 0);
    for (int c = 0; c < CALLERS; c++)
        assert_int_equal(pthread_join(threads[c], NULL), 0);
    results *alone = &all[CALLERS];
    call(alone);
    for (int c = 0; c <= CALLERS; c++) {
        if (all[c].status)
            fail_msg("%s, caller %d: %s", text, c, all[c].sentence);
        assert_memory_equal(all[c].streamed, alone->streamed, sizeof alone->streamed);
        assert_memory_equal(all[c].gram, alone->gram, sizeof alone->gram);
        assert_memory_equal(all[c].collection, alone->collection, sizeof alone->collection);
        assert_int_equal(all[c].trials, DRAWS);
        assert_int_equal(all[c].best, alone->best);
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(all);
    free(fresh);
    free(Y);
    free(X);
}

static void concurrent_calls_are_independent(void **state)
{
    volt_rng rng = test_rng(73);
    check_kernel("volterra:tau_coef=0.3,lambda_coef=0.5", "volterra:tau_coef=0.3,lambda_coef=0.5", &rng);
    check_kernel("gak:sigma=1,window=4", "gak:sigma=1", &rng);
    check_kernel("sig:level=2,window=4", "sig:level=2", &rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concurrent_calls_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
