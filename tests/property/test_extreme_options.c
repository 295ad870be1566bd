/* tests/property/test_extreme_options.c: every number of every options structure, set to extreme values: the call returns
 * a status, and a message if it fails. The sanitizers report what it should not do. Long calls are cancelled.
 *
 * A new structure requires an entry in `cases`. The numbers are those of volt_struct_find. */
#include "select/folds/problem.h"
#include "support/check.h"
#include "support/polling.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 70, D = 2, SERIES = 10, STEPS = 12, MOST_POLLS = 40, LARGEST = 2048 };

/* y depends on u, and can be forecast. */
static double u[N * D], y[N], later[N * D], out[N * N];
static volt_view X, Y, series[SERIES];
static volt_kernel *kernel;
static volt_model *model, *fed_back;
static volt_pairing *pairing;
static volt_candidates *candidates;

static int create(void **state)
{
    scratch_write_text("rows.csv", "t,a,b\n1,2,3\n2,3,5\n3,1,4\n");
    volt_rng rng = test_rng(4700);
    volt_fit_options options = volt_fit_options_default();
    for (int i = 0; i < N * D; i++)
        u[i] = volt_rng_normal(&rng);
    for (int t = 1; t < N; t++)
        y[t] = 0.6 * y[t - 1] + tanh(u[D * t]) + 0.3 * u[D * t - D] * u[D * t];
    X = volt_view_of(u, N, D);
    Y = volt_view_of(y, N, 1);
    for (int i = 0; i < SERIES; i++)
        series[i] = volt_view_of(u + 5 * D * i, 12 + i % 3, D);
    check_ok(volt_kernel_parse("volterra:tau_coef=0.5,lambda_coef=0.5", &kernel));
    options.alpha = 0.01;
    options.keep_factor = 1;
    check_ok(volt_model_fit(kernel, X, Y, &options, (volt_matrix){0}, &model));
    options.keep_factor = 0;
    options.ahead = options.feedback = 1;
    check_ok(volt_model_fit(kernel, volt_view_of(y, N - 1, 1), volt_view_of(y + 1, N - 1, 1), &options,
                            (volt_matrix){0}, &fed_back));
    check_ok(volt_pairing_create(X, Y, NULL, &pairing));
    check_ok(volt_candidates_draw("volterra", X, NULL, &candidates));
    return poll_always(state);
}

static int destroy(void **state)
{
    volt_candidates_free(candidates);
    volt_pairing_free(pairing);
    volt_model_free(fed_back);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return poll_as_usual(state);
}

static int polls;

static int stop_later(const char *stage, double fraction, void *context)
{
    (void)stage, (void)fraction, (void)context;
    return ++polls > MOST_POLLS;
}

static const volt_progress limited = {stop_later, NULL};

/* ---- calls: defaults of the options, and what is called with them ------------------------------ */

static volt_matrix room(int64_t rows, int64_t cols)
{
    return volt_matrix_of(out, rows, cols);
}

#define DEFAULTS(type, ...)             \
    static void type##_set(void *given) \
    {                                   \
        type *options = given;          \
        *options = type##_default();    \
        __VA_ARGS__;                    \
    }

DEFAULTS(volt_read_options, (void)options)
static volt_status use_read(const void *options)
{
    volt_table *table = NULL;
    volt_status status = volt_table_read(scratch_path("rows.csv"), options, &table);
    volt_table_free(table);
    return status;
}

static void volt_write_options_set(void *given)
{
    *(volt_write_options *)given = (volt_write_options){.struct_size = sizeof(volt_write_options)};
}
static volt_status use_write(const void *options)
{
    return volt_table_write(scratch_path("written.csv"), X, NULL, options);
}

DEFAULTS(volt_gram_options, (void)options)
static volt_status use_gram(const void *options)
{
    volt_status status = volt_gram(kernel, X, (volt_view){0}, options, room(N, N));
    volt_gram_spectrum(kernel, X, options, room(3, 2));
    volt_gram_collection(kernel, series, 4, NULL, 0, options, room(4, 4));
    return status;
}

DEFAULTS(volt_fit_options, options->progress = limited)
static volt_status use_fit(const void *given)
{
    static const char *const solvers[] = {"exact", "nystrom", "pcg", "features"};
    volt_fit_options options = *(const volt_fit_options *)given;
    volt_model *fitted = NULL;
    volt_prepared *prepared = NULL;
    volt_prepare(X, Y, &options, N / 2, &prepared);
    volt_prepared_free(prepared);
    options.loss = "huber:delta=1";
    volt_model_fit(kernel, X, Y, &options, (volt_matrix){0}, &fitted);
    volt_model_free(fitted);
    options.loss = NULL;
    volt_status status = VOLT_OK;
    for (int s = 3; s >= 0; s--) {
        fitted = NULL;
        polls = 0;
        options.solver = solvers[s];
        status = volt_model_fit(kernel, X, Y, &options, room(N, 1), &fitted);
        volt_model_free(fitted);
    }
    return status;
}

DEFAULTS(volt_predict_options, options->progress = limited)
static volt_status use_predict(const void *options)
{
    volt_model_continue(fed_back, (volt_view){0}, options, room(STEPS, 1), NULL);
    return volt_model_predict(model, X, options, room(N, 1), NULL);
}

DEFAULTS(volt_explain_options, options->progress = limited)
static volt_status use_explain(const void *given)
{
    const volt_explain_options *options = given;
    volt_explanation *explanation = NULL;
    if (options->order >= 1 && options->order <= VOLT_EXPLAIN_ORDERS)
        volt_model_orders(model, volt_view_rows(X, 0, STEPS), options, room(STEPS, options->order + 2));
    volt_status status = volt_model_explain(model, options, &explanation);
    volt_explanation_free(explanation);
    return status;
}

DEFAULTS(volt_live_options, options->progress = limited)
static volt_status use_live(const void *given)
{
    volt_live_options options = *(const volt_live_options *)given;
    volt_live *live = NULL;
    volt_status status = volt_live_create(model, &options, &live);
    if (!status)
        volt_live_feed(live, u, out);
    volt_live_free(live);
    options.learn = !options.learn;
    live = NULL;
    volt_live_create(fed_back, &options, &live);
    volt_live_free(live);
    return status;
}

static void volt_export_options_set(void *given)
{
    *(volt_export_options *)given =
        (volt_export_options){.struct_size = sizeof(volt_export_options), .progress = limited};
}
static volt_status use_export(const void *options)
{
    return volt_model_export(model, options, scratch_path("model.c"), NULL);
}

static void volt_split_options_set(void *given)
{
    *(volt_split_options *)given = (volt_split_options){.folds = 3, .min_train = 1};
}
static volt_status use_split(const void *options)
{
    static volt_split splits[1024];
    const volt_split_options *given = options;
    return given->folds <= 1024 ? volt_splits(N, given, splits) : VOLT_OK;
}

DEFAULTS(volt_draw_options)
static volt_status use_draw(const void *options)
{
    static const int64_t indices[] = {0, 1, 7, INT64_MAX - 1, INT64_MAX, -1, INT64_MIN};
    volt_candidates *drawn = NULL;
    volt_status status = volt_candidates_draw("volterra | rbf", X, options, &drawn);
    for (size_t i = 0; !status && i < sizeof indices / sizeof *indices; i++) {
        char text[VOLT_KERNEL_LENGTH];
        double alpha, feedback;
        volt_candidates_get(drawn, indices[i], text, &alpha, &feedback);
    }
    volt_candidates_free(drawn);
    return status;
}

DEFAULTS(volt_evidence_options, options->alpha = 0.1, options->progress = limited)
static volt_status use_evidence(const void *options)
{
    volt_evidence_result *result = NULL;
    volt_status status = volt_evidence(kernel, X, Y, options, &result);
    volt_evidence_free(result);
    return status;
}

DEFAULTS(volt_search_options, options->draws = 3, options->progress = limited)
static volt_status use_search(const void *options)
{
    volt_search *search = NULL;
    volt_search_plan plan = {.struct_size = sizeof plan};
    volt_plan_search(kernel, N, D, 1, 0, options, 0, &plan);
    volt_status status = volt_search_run(candidates, X, Y, options, &search);
    volt_search_free(search);
    return status;
}

static void volt_simulate_options_set(void *given)
{
    *(volt_simulate_options *)given = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
}
/* A value that is changed is changed for every system. */
static volt_status use_simulate(const void *given)
{
    const volt_simulate_options base = volt_simulate_options_default(VOLT_SYSTEM_LORENZ);
    volt_status last = VOLT_OK;
    for (int64_t s = 0; volt_system_at(s); s++) {
        volt_simulate_options options = volt_simulate_options_default((volt_system)s);
        int64_t cols = 0;
        options.discard = base.discard; /* none */
        for (size_t at = 0; at < sizeof base; at += sizeof(double))
            if (memcmp((const char *)given + at, (const char *)&base + at, sizeof(double)) != 0)
                memcpy((char *)&options + at, (const char *)given + at, sizeof(double));
        options.progress = limited;
        polls = MOST_POLLS - 2; /* of many steps each */
        volt_status status = volt_simulate_columns((volt_system)s, &options, &cols);
        if (!status && cols <= N)
            status = volt_simulate((volt_system)s, &options, room(2, cols));
        last = status ? status : last;
    }
    return last;
}

DEFAULTS(volt_bekk_simulate_options, options->progress = limited)
static volt_status use_bekk_simulate(const void *options)
{
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_preset(volt_bekk_preset_name(0), &bekk));
    volt_status status = volt_bekk_simulate(bekk, options, (volt_matrix){0}, room(STEPS, 5), (volt_matrix){0});
    volt_bekk_free(bekk);
    return status;
}

DEFAULTS(volt_bekk_fit_options, options->progress = limited)
static volt_status use_bekk_fit(const void *options)
{
    volt_bekk *bekk = NULL;
    volt_status status = volt_bekk_fit(X, options, &bekk, NULL);
    volt_bekk_free(bekk);
    return status;
}

DEFAULTS(volt_mcs_options, options->reps = 100, options->progress = limited)
static volt_status use_mcs(const void *options)
{
    volt_mcs *mcs = NULL;
    volt_status status = volt_mcs_compute(X, options, &mcs);
    volt_mcs_free(mcs);
    return status;
}

DEFAULTS(volt_forecast_options, options->steps = 2, options->progress = limited)
static volt_status use_forecast(const void *options)
{
    volt_forecast *forecast = NULL;
    volt_status status = volt_forecast_run(volt_view_rows(Y, 0, N / 2), options, &forecast);
    volt_forecast_free(forecast);
    return status;
}

DEFAULTS(volt_row_anomaly_options, options->progress = limited)
static volt_status use_row_anomaly(const void *options)
{
    volt_model *fitted = NULL;
    volt_status status = volt_row_anomaly_fit(X, options, &fitted);
    polls = 0;
    if (!status)
        volt_row_anomaly_score(fitted, volt_view_of(later, STEPS, D), options, room(STEPS, 3), NULL);
    volt_model_free(fitted);
    return status;
}

DEFAULTS(volt_pairing_options)
static volt_status use_pairing(const void *options)
{
    volt_pairing *paired = NULL;
    volt_status status = volt_pairing_create(X, (volt_view){0}, options, &paired);
    volt_pairing_free(paired);
    paired = NULL;
    volt_pairing_create(X, Y, options, &paired);
    volt_pairing_free(paired);
    return status;
}

DEFAULTS(volt_assess_options, options->model = model)
static volt_status use_assess(const void *options)
{
    volt_assessment assessment = {.struct_size = sizeof assessment};
    return volt_assess(pairing, options, &assessment);
}

static const volt_contender contenders[] = {{NULL, "volterra"}};

DEFAULTS(volt_compare_options, options->draws = 2, options->contenders = contenders, options->n_contenders = 1,
         options->mcs_reps = 100, options->progress = limited)
static volt_status use_compare(const void *given)
{
    volt_compare_options options = *(const volt_compare_options *)given;
    volt_comparison *comparison = NULL;
    if (options.n_contenders > 1) /* more than there are */
        options.contenders = NULL;
    volt_status status = volt_compare_run(X, Y, N - STEPS, &options, &comparison);
    volt_comparison_free(comparison);
    return status;
}

DEFAULTS(volt_curve_options, options->progress = limited)
static volt_status use_curve(const void *options)
{
    static const char *const texts[] = {"volterra"};
    volt_curve *curve = NULL;
    volt_status status = volt_curve_run(X, Y, texts, 1, options, &curve);
    volt_curve_free(curve);
    return status;
}

DEFAULTS(volt_capacity_options, options->rows = 50, options->delay = 3, options->progress = limited)
static volt_status use_capacity(const void *options)
{
    volt_capacity *capacity = NULL;
    volt_status status = volt_capacity_compute(kernel, options, &capacity);
    volt_capacity_free(capacity);
    return status;
}

DEFAULTS(volt_identify_options, options->draws = 2, options->progress = limited)
static volt_status use_identify(const void *options)
{
    volt_model *fitted = NULL;
    volt_identification found = {.struct_size = sizeof found};
    volt_status status = volt_identify(X, Y, options, &fitted, &found);
    volt_model_free(fitted);
    return status;
}

DEFAULTS(volt_series_options, options->draws = 2, options->splits = 2, options->progress = limited)
static volt_status use_series(const void *given)
{
    static const int64_t classes[SERIES] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    volt_series_options options = *(const volt_series_options *)given;
    volt_series_model *fitted = NULL;
    volt_status status = volt_series_fit(series, SERIES, classes, 2, (volt_view){0}, &options, &fitted);
    volt_series_model_free(fitted);
    fitted = NULL;
    polls = 0;
    options.kernel = "volterra";
    volt_series_fit(series, SERIES, NULL, 0, volt_view_of(y, SERIES, 1), &options, &fitted);
    volt_series_model_free(fitted);
    return status;
}

DEFAULTS(volt_series_anomaly_options, options->progress = limited)
static volt_status use_series_anomaly(const void *options)
{
    volt_series_anomaly *anomaly = NULL;
    volt_status status = volt_series_anomaly_fit("volterra", series, 6, series + 6, 4, options, &anomaly);
    volt_series_anomaly_free(anomaly);
    return status;
}

#define CASE(name)                                                      \
    {                                                                   \
        "volt_" #name "_options", volt_##name##_options_set, use_##name \
    }
static const struct {
    const char *structure;
    void (*set)(void *options);
    volt_status (*use)(const void *options);
} cases[] = {
    CASE(read),     CASE(write),          CASE(gram),     CASE(fit),   CASE(predict),  CASE(explain),
    CASE(live),     CASE(export),         CASE(split),    CASE(draw),  CASE(evidence), CASE(search),
    CASE(simulate), CASE(bekk_simulate),  CASE(bekk_fit), CASE(mcs),   CASE(forecast), CASE(row_anomaly),
    CASE(pairing),  CASE(assess),         CASE(compare),  CASE(curve), CASE(capacity), CASE(identify),
    CASE(series),   CASE(series_anomaly),
};
enum { CASES = (int)(sizeof cases / sizeof *cases) };

/* ---- values ----------------------------------------------------------------------------------- */

static const double doubles[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e-320, 0.5, 3, DBL_MAX};
static const int64_t integers[] = {INT64_MIN, -2, -1, 0, 1, 2, 7, INT64_C(1) << 40, INT64_MAX};
static const int ints[] = {INT_MIN, -1, 0, 1, 2, 3, 99, INT_MAX};

/* The number of values for a kind; 0: not a number. */
static int count_values(volt_kind kind)
{
    switch (kind) {
    case VOLT_KIND_DOUBLE:
        return (int)(sizeof doubles / sizeof *doubles);
    case VOLT_KIND_INT64:
    case VOLT_KIND_UINT64:
        return (int)(sizeof integers / sizeof *integers);
    case VOLT_KIND_INT:
    case VOLT_KIND_FLAG:
    case VOLT_KIND_WORD:
        return (int)(sizeof ints / sizeof *ints);
    default:
        return 0;
    }
}

static void put_value(const volt_field *field, int v, char *at)
{
    const void *value = field->kind == VOLT_KIND_DOUBLE  ? (const void *)&doubles[v]
                        : field->size == sizeof(int64_t) ? (const void *)&integers[v]
                                                         : (const void *)&ints[v];
    memcpy(at, value, field->size);
}

static const volt_field view_fields[] = {
    {.name = "rows", .kind = VOLT_KIND_INT64, .offset = offsetof(volt_view, rows), .size = sizeof(int64_t)},
    {.name = "cols", .kind = VOLT_KIND_INT64, .offset = offsetof(volt_view, cols), .size = sizeof(int64_t)},
    {.name = "ld", .kind = VOLT_KIND_INT64, .offset = offsetof(volt_view, ld), .size = sizeof(int64_t)},
};
static const volt_struct view = {.name = "volt_view", .n_fields = 3, .fields = view_fields};

/* Tests every number of a structure at `offset` of the options, also in inner structures; of an array of numbers the first. */
static int test_numbers(int c, const volt_struct *structure, size_t offset)
{
    static _Alignas(16) char options[LARGEST];
    int tested = 0;
    for (int64_t i = 0; i < structure->n_fields; i++) {
        const volt_field *field = &structure->fields[i];
        if (field->is_pointer)
            continue;
        if (field->kind == VOLT_KIND_STRUCT || field->kind == VOLT_KIND_VIEW)
            tested += test_numbers(c, field->inner ? field->inner : &view, offset + field->offset);
        for (int v = 0; v < count_values(field->kind); v++) {
            tested++;
            cases[c].set(options);
            put_value(field, v, options + offset + field->offset);
            polls = 0;
            volt_status status = cases[c].use(options);
            if ((int)status < VOLT_OK || !volt_status_message(status) ||
                (status && !*volt_status_message(status)))
                fail_msg("%s.%s, value %d: status %d", structure->name, field->name, v, (int)status);
        }
    }
    return tested;
}

static void extreme_numbers_have_a_status(void **state)
{
    int structures = 0, tested = 0;
    for (const volt_struct *structure = volt_struct_find(NULL); structure->name; structure++) {
        const char *end = strstr(structure->name, "_options");
        structures += end && strcmp(end, "_options") == 0;
    }
    assert_int_equal(CASES, structures);
    for (int c = 0; c < CASES; c++) {
        const volt_struct *structure = volt_struct_find(cases[c].structure);
        assert_non_null(structure);
        assert_true(structure->size <= LARGEST);
        tested += test_numbers(c, structure, 0);
    }
    assert_true(tested > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extreme_numbers_have_a_status)};
    return cmocka_run_group_tests(tests, create, destroy);
}
