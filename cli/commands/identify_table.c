/* cli/commands/identify_table.c: results of `identify` as a table or JSON. */
#include "commands/identify_table.h"

#include "terminal/digits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const volt_identify_candidate *chosen_of(const volt_identification *found)
{
    return &found->candidates[found->chosen];
}

/* Why a nonlinear model is rejected, and with --verbose the growth of its error. */
static char *describe_checks(const volt_identify_candidate *one, char *text, size_t size)
{
    const double max_excess = 3; /* volt_identify_candidate.is_rejected */
    size_t used = 0;
    text[0] = '\0';
    if (is_verbose() && isfinite(one->growth))
        used = (size_t)snprintf(text, size, "; error of the last third of a block %s times that of the first",
                                digits(one->growth).text);
    if (one->is_rejected && one->excess > max_excess)
        snprintf(text + used, size - used,
                 "; rejected: %s standard deviations from the linear model for inputs 1.3 times as large",
                 digits(one->excess).text);
    else if (one->is_rejected && isfinite(one->long_run))
        snprintf(text + used, size - used,
                 "; rejected: %s times the error of the linear model in one simulation of all blocks, not "
                 "clearly lower",
                 digits(one->long_run).text);
    else if (one->is_rejected)
        snprintf(text + used, size - used, "; rejected: its simulation diverges");
    return text;
}

/* The table of the candidates: a line each, and the names of the columns above them. */
static void report_candidates(const volt_identification *found, result_list *results)
{
    enum { WIDTH = 7 };
    char time[QUANTITY_LENGTH], checks[256];
    double lowest = INFINITY, lowest_block = INFINITY;
    for (int i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        const volt_identify_candidate *one = &found->candidates[i];
        results_append_struct(results, "candidates", volt_identify_candidate, one);
        lowest = fmin(lowest, one->nmse);
        for (int b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
            lowest_block = fmin(lowest_block, one->block_nmse[b]);
    }
    int decimals = column_decimals(lowest), block_decimals = column_decimals(lowest_block);
    results_text(results, NULL, "", "%*s  %*s  %*s  %*s  trials  time", WIDTH, "NMSE", WIDTH, "block 1", WIDTH,
                 "block 2", WIDTH, "block 3");
    for (int i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        const volt_identify_candidate *one = &found->candidates[i];
        format_seconds(one->seconds, time);
        if (isfinite(one->nmse))
            results_text(results, NULL, one->name, "%*s  %*s  %*s  %*s  %6lld  %s%s", WIDTH,
                         fixed_digits(one->nmse, decimals).text, WIDTH,
                         fixed_digits(one->block_nmse[0], block_decimals).text, WIDTH,
                         fixed_digits(one->block_nmse[1], block_decimals).text, WIDTH,
                         fixed_digits(one->block_nmse[2], block_decimals).text, (long long)one->trials, time,
                         describe_checks(one, checks, sizeof checks));
        else
            results_text(results, NULL, one->name, "%*s  no trial with a score, %lld trials, %s", WIDTH, "-",
                         (long long)one->trials, time);
    }
}

static void report_check(const volt_identification *found, result_list *results)
{
    char dead_time[64] = "no significant response";
    if (found->dead_time >= 0)
        snprintf(dead_time, sizeof dead_time, "dead time %lld row%s", (long long)found->dead_time,
                 found->dead_time == 1 ? "" : "s");
    results_text(results, NULL, "data check",
                 "%s; shares of the output variance: linear %s, noise up to %s, nonlinear %s%s", dead_time,
                 fixed_digits(1 - found->unexplained, 3).text, fixed_digits(found->noise, 3).text,
                 found->is_nonlinear ? "at least " : "", fixed_digits(found->nonlinearity, 3).text);
}

const char *identify_file_rows(const dataset *x, int64_t first, int64_t count, char text[QUANTITY_LENGTH])
{
    const int64_t *numbers = x->table->row_numbers;
    snprintf(text, QUANTITY_LENGTH, "%lld:%lld", (long long)numbers[first],
             (long long)numbers[first + count - 1] + 1);
    return text;
}

static void report_parts(const identify_table *table, result_list *results)
{
    const volt_identification *found = table->found;
    char rows[QUANTITY_LENGTH], records[QUANTITY_LENGTH] = "", searched[3 * QUANTITY_LENGTH] = "",
                                fitted[3 * QUANTITY_LENGTH] = "";
    if (found->train_records > 1)
        snprintf(records, sizeof records, " in %lld records", (long long)found->train_records);
    if (found->search_rows < found->train_rows)
        snprintf(searched, sizeof searched, "; the search uses the best excited rows, %s",
                 identify_file_rows(table->x, found->search_begin, found->search_rows, rows));
    if (found->fit_rows < found->train_rows)
        snprintf(fitted, sizeof fitted, "; the model is fitted to rows %s",
                 identify_file_rows(table->x, found->fit_begin, found->fit_rows, rows));
    results_text(results, NULL, "data", "training rows %s%s%s%s; %lld test rows",
                 identify_file_rows(table->x, 0, found->train_rows, rows), records, searched, fitted,
                 (long long)found->test_rows);
}

/* Reports the state at the first row of a record, and the use of measured outputs. */
static void report_initial(const volt_identification *found, result_list *results)
{
    bool is_first = found->initial == VOLT_INITIAL_FIRST, feeds = false;
    char test[2 * QUANTITY_LENGTH] = "continues the training rows";
    if (found->test_washout > 0)
        snprintf(test, sizeof test, "starts from the measured outputs of %lld row%s",
                 (long long)found->test_washout, found->test_washout == 1 ? "" : "s");
    results_text(results, NULL, "initial state", "inputs before the first row: %s (--initial %s); the test %s",
                 is_first ? "as in the first row" : "the mean", is_first ? "first" : "zero", test);
    for (int64_t i = 0; i < found->n_averaged; i++)
        feeds = feeds || found->candidates[found->averaged[i]].feedback_weight > 0;
    if (feeds)
        results_text(results, NULL, "", "another experiment needs measured outputs (%s %lld); without them %s",
                     "predict --start reset --known Y --warm-up", (long long)found->washout,
                     is_first ? "the simulation starts at rest" : "the simulation starts at the mean");
}

static void report_rows(const identify_table *table, result_list *results)
{
    const volt_identification *found = table->found;
    results_fields(results, volt_identification, found, NULL);
    results_count(results, "d", NULL, table->x->view.cols);
    results_count(results, "q", NULL, table->y->view.cols);
    report_parts(table, results);
    report_initial(found, results);
    report_check(found, results);
}

/* The chosen family, and those averaged with it. */
static void report_chosen(const volt_identification *found, result_list *results)
{
    char names[256] = "";
    bool has_others = false;
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        has_others = has_others || (!found->candidates[i].is_linear && isfinite(found->candidates[i].nmse));
    for (int64_t i = 0; i < found->n_averaged; i++) {
        const char *name = found->candidates[found->averaged[i]].name;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? " + " : "", name);
    }
    results_text(results, NULL, "chosen", "%s%s", found->n_averaged > 1 ? "average of " : "", names);
    if (chosen_of(found)->is_linear)
        results_text(results, NULL, "", "%s",
                     has_others ? "no other model is better on every block and in one run over all of them"
                                : "no nonlinear model has a score: increase the budget");
}

static void report_test(const identify_table *table, const char *const *names, result_list *results)
{
    enum { MOST_LINES = 5 };
    const volt_identification *found = table->found;
    int64_t q = table->y->view.cols;
    results_text(results, NULL, "test RMSE", "%s, linear model %s, standard deviation of %s %s",
                 digits(found->test_rmse).text, digits(found->linear_test_rmse).text,
                 q > 1 ? "the outputs" : "the output", digits(found->test_std).text);
    results_details(results, q > MOST_LINES);
    for (int64_t k = 0; k < q; k++) {
        const volt_output_test *one = &table->output_tests[k];
        result_list *inner = results_new(true);
        results_text(inner, "output", NULL, "%s", names[k]);
        results_fields(inner, volt_output_test, one, NULL);
        results_append(results, "output_tests", inner);
        if (q > 1)
            results_text(results, NULL, "", "%s: %s, linear model %s, standard deviation %s", names[k],
                         digits(one->rmse).text, digits(one->linear_rmse).text, digits(one->std).text);
    }
    results_details(results, false);
}

int identify_table_print(const identify_table *table, bool json)
{
    const volt_identification *found = table->found;
    const volt_identify_candidate *chosen = chosen_of(found);
    const char **outputs = names_or_default((const char *const *)table->y->names, "y", table->y->view.cols);
    if (!outputs)
        return complain(EXIT_FAILED, "not enough memory for the report");
    result_list *results = results_new(json);
    results_text(results, "model", "model", "%s", table->model);
    report_rows(table, results);
    report_candidates(found, results);
    results_text(results, "chosen", NULL, "%s", chosen->name);
    results_text(results, "best_linear", NULL, "%s", found->candidates[found->best_linear].name);
    results_fields(results, volt_identify_candidate, chosen, "kernel alpha feedback_weight");
    report_chosen(found, results);
    report_test(table, outputs, results);
    output_names_free(outputs);
    results_text(results, "command", "same model", "%s", table->command);
    if (table->report) {
        results_text(results, "report", "report", "%s", table->page);
        identify_report_json(table->report, results);
    }
    return results_print(results);
}
