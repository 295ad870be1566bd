/* tests/unit/base/test_struct_sizes.c: options without a size are rejected by every function that takes some. A
 * caller that forgets the function with the defaults gets a message and no result. */
#include "data/system_table.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 30 };

static const max_align_t zero[64]; /* options of any kind, all fields 0 */

#define rejects(call) check_fails((call), VOLT_ERR_ARGUMENT, "struct_size")

static void options_need_a_size(void **state)
{
    const void *options = zero;
    volt_rng rng = test_rng(1);
    double *rows = normal_rows(&rng, N, 1), out[N];
    volt_view X = volt_view_of(rows, N, 1), many[2] = {X, X};
    volt_matrix to = volt_matrix_of(out, N, 1);
    volt_kernel *kernel = plain_parse("fir");
    volt_model *model = NULL, *made = NULL;
    check_ok(volt_model_fit(kernel, X, X, NULL, (volt_matrix){0}, &model));

    rejects(volt_model_fit(kernel, X, X, options, (volt_matrix){0}, &made));
    rejects(volt_model_predict(model, X, options, to, NULL));
    rejects(volt_model_continue(model, X, options, to, NULL));
    volt_live *live = NULL;
    rejects(volt_live_create(model, options, &live));
    rejects(volt_live_load(model, options, "no such file", &live));
    volt_explanation *explanation = NULL;
    rejects(volt_model_explain(model, options, &explanation));
    rejects(volt_model_orders(model, X, options, to));
    rejects(volt_model_export(model, options, "model.c", NULL));
    assert_true(!made && !live && !explanation);

    rejects(volt_gram(kernel, X, X, options, volt_matrix_of(out, 1, 1)));
    rejects(volt_gram_spectrum(kernel, X, options, to));
    rejects(volt_gram_collection(kernel, many, 2, NULL, 0, options, volt_matrix_of(out, 2, 2)));

    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_search_plan plan = {.struct_size = sizeof plan};
    volt_evidence_result *evidence = NULL;
    rejects(volt_candidates_draw("fir", X, options, &candidates));
    assert_null(candidates);
    check_ok(volt_candidates_draw("fir", X, NULL, &candidates));
    rejects(volt_search_run(candidates, X, X, options, &search));
    rejects(volt_plan_search(kernel, N, 1, 1, 1, options, 0, &plan));
    rejects(volt_evidence(kernel, X, X, options, &evidence));
    assert_true(!search && !evidence);

    const char *const texts[] = {"fir"};
    volt_curve *curve = NULL;
    volt_capacity *capacity = NULL;
    volt_backtest backtest = {.struct_size = sizeof backtest};
    rejects(volt_curve_run(X, X, texts, 1, options, &curve));
    volt_curve_options of_fit = volt_curve_options_default();
    of_fit.fit = options;
    rejects(volt_curve_run(X, X, texts, 1, &of_fit, &curve));
    rejects(volt_capacity_compute(kernel, options, &capacity));
    rejects(volt_forecast_backtest(X, options, 2, &backtest));
    assert_true(!curve && !capacity);

    const int64_t classes[2] = {0, 1};
    volt_series_model *series = NULL;
    volt_series_anomaly *anomaly = NULL;
    rejects(volt_series_fit(many, 2, classes, 2, (volt_view){0}, options, &series));
    rejects(volt_series_fit(many, 2, NULL, 0, volt_view_of(rows, 2, 1), options, &series));
    rejects(volt_series_anomaly_fit("fir", many, 2, NULL, 0, options, &anomaly));
    assert_true(!series && !anomaly);

    volt_mcs *mcs = NULL;
    volt_bekk *bekk = NULL;
    rejects(volt_mcs_compute(X, options, &mcs));
    rejects(volt_simulate(VOLT_SYSTEM_NARMA10, options, to));
    rejects(volt_bekk_fit(X, options, &bekk, NULL));
    assert_true(!mcs && !bekk);
    int64_t columns = -7;
    rejects(volt_simulate_columns(VOLT_SYSTEM_NARMA10, options, &columns));
    rejects(volt_simulate_set(VOLT_SYSTEM_NARMA10, (void *)(size_t)options, "noise", 1));
    check_ok(volt_bekk_preset(volt_bekk_preset_name(0), &bekk));
    rejects(volt_bekk_simulate(bekk, options, (volt_matrix){0}, (volt_matrix){0}, (volt_matrix){0}));
    volt_bekk_free(bekk);
    volt_table *table = NULL;
    volt_table_writer *writer = NULL;
    rejects(volt_table_read("no such file", options, &table));
    rejects(volt_table_write("no such folder/file.csv", X, NULL, options));
    rejects(volt_table_writer_open("no such folder/file.csv", 1, 1, NULL, options, &writer));
    assert_true(columns == -7 && !table && !writer);

    volt_candidates_free(candidates);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_need_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
