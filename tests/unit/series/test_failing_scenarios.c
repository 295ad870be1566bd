/* tests/unit/series/test_failing_scenarios.c: sequences of calls on kernels, collections and detectors under fault
 * injection (support/scenario.h). */
#include "series/anomaly/variance_norm.h"
#include "series/gram/objects_internal.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/scenario.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 7, H = 4, D = 2, SERIES = 5, LONG = 70, FIGURES = LONG * LONG };

static struct {
    double *rows; /* LONG x D */
    volt_view series[SERIES];
} given;

/* The results of a sequence of calls. Unwritten entries keep their values. */
typedef struct call_case {
    const char *name, *kernel;
    volt_status (*run)(const struct call_case *j, volt_progress progress, double *figures);
} call_case;

static int make_rows(void **state)
{
    volt_rng rng = test_rng(2411);
    given.rows = random_rows(&rng, LONG, D, 0.9);
    for (int i = 0; i < SERIES; i++)
        given.series[i] = volt_view_of(given.rows + i * N * D, N - i % 3, D);
    return scenario_begin(state);
}

static int free_rows(void **state)
{
    free(given.rows);
    return scenario_end(state);
}

/* ---- call sequences --------------------------------------------------------------------------- */

static volt_status gram(const call_case *j, volt_progress progress, volt_view X, volt_view Y, double *figures)
{
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(j->kernel, &kernel);
    volt_gram_options options = volt_gram_options_default();
    options.normalise = Y.data != NULL;
    options.progress = progress;
    if (status == VOLT_OK)
        status = volt_gram(kernel, X, Y, &options, volt_matrix_of(figures, X.rows, Y.data ? Y.rows : X.rows));
    volt_kernel_free(kernel);
    return status;
}

static volt_status rows_with_others(const call_case *j, volt_progress progress, double *figures)
{
    return gram(j, progress, volt_view_of(given.rows, N, D), volt_view_of(given.rows + N * D, H, D), figures);
}

static volt_status many_rows_with_others(const call_case *j, volt_progress progress, double *figures)
{
    return gram(j, progress, volt_view_of(given.rows, LONG, D), volt_view_of(given.rows, H, D), figures);
}

static volt_status rows_with_themselves(const call_case *j, volt_progress progress, double *figures)
{
    return gram(j, progress, volt_view_of(given.rows, N, D), volt_view_of(NULL, 0, 0), figures);
}

static volt_status spectrum(const call_case *j, volt_progress progress, int64_t count, double *figures)
{
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(j->kernel, &kernel);
    volt_gram_options options = volt_gram_options_default();
    options.progress = progress;
    if (status == VOLT_OK)
        status = volt_gram_spectrum(kernel, volt_view_of(given.rows, LONG, D), &options,
                                    volt_matrix_of(figures, count, 2));
    volt_kernel_free(kernel);
    return status;
}

static volt_status all_eigenvalues(const call_case *j, volt_progress progress, double *figures)
{
    return spectrum(j, progress, LONG, figures);
}

static volt_status few_eigenvalues(const call_case *j, volt_progress progress, double *figures)
{
    return spectrum(j, progress, 3, figures);
}

static volt_status forgetting(const call_case *j, volt_progress progress, double *figures)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_view rows = volt_view_of(given.rows, LONG, D);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.progress = progress;
    volt_status status = volt_kernel_parse(j->kernel, &kernel);
    if (status == VOLT_OK)
        status = volt_model_fit(kernel, rows, rows, &options, (volt_matrix){0}, &model);
    if (status == VOLT_OK)
        status = volt_model_forgetting(model, volt_view_rows(rows, 0, N), volt_view_rows(rows, N, H),
                                       volt_view_rows(rows, N, LONG - N), progress,
                                       volt_matrix_of(figures, LONG - N + 1, 2));
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

/* Of 12 rows: more than the states of esn:size=3. alpha is chosen, or 0. */
static volt_status capacities(const call_case *j, volt_progress progress, double *figures)
{
    volt_kernel *kernel = NULL;
    volt_capacity *capacity = NULL;
    volt_capacity_options options = volt_capacity_options_default();
    options.rows = 12;
    options.washout = 5;
    options.degree = options.delay = 2;
    options.threshold = 0;
    options.progress = progress;
    volt_status status = volt_kernel_parse(j->kernel, &kernel);
    if (status == VOLT_OK)
        status = volt_capacity_compute(kernel, &options, &capacity);
    assert_true((status == VOLT_OK) == (capacity != NULL));
    if (status == VOLT_OK)
        memcpy(figures, capacity->capacities, (size_t)capacity->n_targets * sizeof *figures);
    volt_capacity_free(capacity);
    volt_kernel_free(kernel);
    return status;
}

static volt_status collections(const call_case *j, volt_progress progress, double *figures)
{
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(j->kernel, &kernel);
    volt_gram_options options = volt_gram_options_default();
    options.progress = progress;
    options.normalise = 1;
    if (status == VOLT_OK)
        status = volt_gram_collection(kernel, given.series, SERIES, given.series, 2, &options,
                                      volt_matrix_of(figures, SERIES, 2));
    volt_kernel_free(kernel);
    return status;
}

static volt_status compare_objects(const call_case *j, const volt_objects_options *options,
                                   volt_progress progress, const volt_view *series, int64_t count,
                                   double *figures)
{
    volt_kernel *kernel = NULL;
    volt_objects *objects = NULL;
    volt_status status = volt_kernel_parse(j->kernel, &kernel);
    if (status == VOLT_OK)
        status = volt_objects_create(series, count, options, &objects);
    if (status == VOLT_OK)
        status = volt_objects_gram(objects, kernel, &progress, volt_matrix_of(figures, count, count));
    figures += count * count;
    if (status == VOLT_OK)
        status = volt_objects_cross(objects, kernel, series, 2, &progress, volt_matrix_of(figures, 2, count),
                                    figures + 2 * count);
    volt_objects_free(objects);
    volt_kernel_free(kernel);
    return status;
}

static volt_status steps(const call_case *j, volt_progress progress, double *figures)
{
    const volt_objects_options options = {VOLT_OBJECT_SCALE_SERIES, VOLT_OBJECT_INPUT_LEVEL, 0,
                                          VOLT_OBJECT_COMPARE_STEPS};
    return compare_objects(j, &options, progress, given.series, SERIES, figures);
}

/* One series is longer than a block of rows. */
static volt_status long_steps(const call_case *j, volt_progress progress, double *figures)
{
    const volt_objects_options options = {VOLT_OBJECT_SCALE_NONE, VOLT_OBJECT_INPUT_LEVEL, 1,
                                          VOLT_OBJECT_COMPARE_STEPS};
    const volt_view series[] = {volt_view_of(given.rows, LONG, D), volt_view_of(given.rows, N, D)};
    return compare_objects(j, &options, progress, series, 2, figures);
}

static volt_status equal_series(const call_case *j, volt_progress progress, double *figures)
{
    const volt_objects_options options = {VOLT_OBJECT_SCALE_CHANNELS, VOLT_OBJECT_INPUT_BOTH, 1,
                                          VOLT_OBJECT_COMPARE_SERIES};
    const volt_view series[] = {given.series[0], given.series[3], volt_view_of(given.rows + 3, N, D)};
    return compare_objects(j, &options, progress, series, 3, figures);
}

static volt_status detector(const call_case *j, volt_progress progress, double *figures)
{
    (void)j;
    double K[N * N], C[2 * N];
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            K[a * N + b] = (a == b) + given.rows[a * D] * given.rows[b * D] +
                           given.rows[a * D + 1] * given.rows[b * D + 1];
    memcpy(C, K, sizeof C);
    volt_anomaly_options options = volt_anomaly_options_default();
    volt_anomaly *anomaly = NULL;
    options.progress = progress;
    options.examples = volt_view_of(C, 2, N);
    volt_status status = volt_anomaly_fit(volt_view_of(K, N, N), &options, &anomaly);
    assert_true((status == VOLT_OK) == (anomaly != NULL));
    if (status == VOLT_OK)
        status = volt_anomaly_score(anomaly, volt_view_of(K, N, N), figures);
    volt_anomaly_free(anomaly);
    return status;
}

static volt_status series_detector(const call_case *j, volt_progress progress, double *figures)
{
    volt_series_anomaly_options options = volt_series_anomaly_options_default();
    volt_series_anomaly *anomaly = NULL;
    options.alpha = 0.1;
    options.progress = progress;
    options.draws = 2;
    volt_status status =
        volt_series_anomaly_fit(j->kernel, given.series, 4, given.series + 4, 1, &options, &anomaly);
    assert_true((status == VOLT_OK) == (anomaly != NULL));
    if (status == VOLT_OK)
        status = volt_series_anomaly_score(anomaly, given.series, 2, progress, figures);
    volt_series_anomaly_free(anomaly);
    return status;
}

static const call_case cases[] = {
    {"cross", "volterra:tau=0.3,lambda=0.3", rows_with_others},
    {"cross", "esn:size=3", rows_with_others},
    {"cross", "gak:window=3,sigma=1", rows_with_others},
    {"cross", "rbf + 0.5*esn:size=3*fir:pole=0.5", rows_with_others},
    {"cross", "gak:path=rows,centre=yes", rows_with_others},
    {"long cross", "rbf", many_rows_with_others},
    {"gram", "sas:size=3,degree=2", rows_with_themselves},
    {"gram", "sig:window=3,level=2,order=2", rows_with_themselves},
    {"all eigenvalues", "volterra:tau=0.3,lambda=0.3", all_eigenvalues},
    {"few eigenvalues", "volterra:tau=0.3,lambda=0.3", few_eigenvalues},
    {"forgetting", "volterra:tau=0.3,lambda=0.3", forgetting},
    {"forgetting", "rbf + 0.5*esn:size=3*fir:pole=0.5", forgetting},
    {"capacities", "volterra:tau=0.3,lambda=0.3", capacities},
    {"capacities", "esn:size=3", capacities},
    {"capacities", "esn:size=20", capacities},
    {"collections", "esn:size=3", collections},
    {"collections", "2*fir:corr=0.5 + esn:size=3*volterra:tau=0.3,lambda=0.3", collections},
    {"collections", "gak", collections},
    {"steps", "volterra:tau=0.1,lambda=0.1", steps},
    {"steps", "rbf + fir:pole=0.5", steps},
    {"long steps", "esn:size=3", long_steps},
    {"series as rows", "rbf + 2*linear", equal_series},
    {"series", "fir*gak + sigpde", equal_series},
    {"detector", "", detector},
    {"detector of series", "gak", series_detector},
};

static volt_status run_case(const void *with, volt_progress progress, scenario_result *result)
{
    static double figures[FIGURES];
    const call_case *j = with;
    memset(figures, 0, sizeof figures);
    volt_status status = j->run(j, progress, figures);
    scenario_put(result, figures, status == VOLT_OK ? FIGURES : 0);
    return status;
}

static void every_call_scenario(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        scenario_check(&(scenario){cases[i].name, &cases[i], run_case, 0, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_scenario)};
    return cmocka_run_group_tests_name("failing scenarios", tests, make_rows, free_rows);
}
