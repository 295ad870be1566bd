/* cli/benchmark/sysid_run.c: fit a setting, simulate the tests, score them. */
#include "args/shell_words.h"
#include "benchmark/sysid.h"
#include "files/inputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/text_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

volt_view sysid_column(const volt_table *table, int column, int64_t first, int64_t rows)
{
    volt_view view = {table->values + first * table->cols + column, rows, 1, table->cols};
    return view;
}

int64_t sysid_warm_up(const sysid_run *run)
{
    return run->setting.feedback_weight > 0 ? run->warm_up : 0;
}

/* ---- fit -------------------------------------------------------------------------------------- */

/* The rows of the setting must lie in the training part. */
static int check_rows(const sysid_run *run)
{
    const sysid_setting *setting = &run->setting;
    int64_t end = setting->first + setting->washout + setting->rows;
    int64_t first = run->set->first, last = first + run->data.train->rows;
    if (setting->first < first || end > last)
        return complain(
            EXIT_USAGE, "rows %lld to %lld do not lie in the training part of %s, rows %lld to %lld",
            (long long)setting->first, (long long)end, run->set->title, (long long)first, (long long)last);
    return 0;
}

static int fit_setting(sysid_run *run, bool quiet, volt_model **model)
{
    const sysid_setting *setting = &run->setting;
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(setting->kernel, &kernel);
    if (status)
        return complain_status(status);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = setting->alpha;
    options.feedback_weight = setting->feedback_weight;
    options.washout = setting->washout;
    options.progress = progress_begin(quiet);
    int64_t begin = setting->first - run->set->first, rows = setting->washout + setting->rows;
    status = volt_model_fit(kernel, sysid_column(run->data.train, 0, begin, rows),
                            sysid_column(run->data.train, 1, begin, rows), &options, volt_matrix_of(NULL, 0, 0),
                            model);
    run->fit_seconds = progress_end();
    volt_kernel_free(kernel);
    return status ? complain_status_hint(status, " (%s)", run->set->title) : 0;
}

/* ---- simulate --------------------------------------------------------------------------------- */

/* The first outputs of a test, which set the state of a model with feedback; the others are not there to be seen. */
static int first_outputs(const volt_table *test, int64_t rows, volt_matrix *known)
{
    int failed = allocate_matrix(test->rows, 1, "the first outputs", known);
    for (int64_t t = 0; !failed && t < test->rows; t++)
        known->data[t] = t < rows ? test->values[t * test->cols + 1] : NAN;
    return failed;
}

static int simulate_test(sysid_run *run, const volt_model *model, int i, bool quiet)
{
    volt_matrix *out = &run->simulated[i], known = {0};
    const volt_table *test = run->data.tests[i];
    int failed = allocate_matrix(test->rows, 1, "a simulation", out);
    volt_predict_options options = volt_predict_options_default();
    options.start = VOLT_START_RESET;
    options.beyond = VOLT_BEYOND_ALLOW;
    if (!failed && sysid_warm_up(run) > 0) {
        failed = first_outputs(test, sysid_warm_up(run), &known);
        options.known = volt_as_view(known);
        options.warm_up = sysid_warm_up(run);
    }
    if (!failed) {
        options.progress = progress_begin(quiet);
        volt_status status =
            volt_model_predict(model, sysid_column(test, 0, 0, test->rows), &options, *out, NULL);
        run->simulate_seconds += progress_end();
        if (status)
            failed = complain_status_hint(status, " (%s, %s)", run->set->title, run->set->tests[i].name);
    }
    free(known.data);
    return failed;
}

static double rmse(const volt_table *test, volt_matrix simulated, int64_t first, int64_t end)
{
    double sum = 0;
    for (int64_t t = first; t < end; t++) {
        double error = simulated.data[t * simulated.ld] - test->values[t * test->cols + 1];
        sum += error * error;
    }
    return sqrt(sum / (double)(end - first));
}

static void score_test(sysid_run *run, int i)
{
    const sysid_test *test = &run->set->tests[i];
    for (int k = 0; k < test->n_measures; k++) {
        int64_t end = test->rows[k] ? test->rows[k] : run->data.tests[i]->rows;
        run->rmse[i][k] =
            run->set->per_unit * rmse(run->data.tests[i], run->simulated[i], test->measures[k].after, end);
    }
}

int sysid_fit_and_simulate(sysid_run *run, bool quiet)
{
    volt_model *model = NULL;
    int failed = check_rows(run);
    if (!failed)
        failed = fit_setting(run, quiet, &model);
    for (int i = 0; !failed && i < run->set->n_tests; i++) {
        failed = simulate_test(run, model, i, quiet);
        if (!failed)
            score_test(run, i);
    }
    volt_model_free(model);
    return failed;
}

/* ---- the same by hand ------------------------------------------------------------------------- */

static void add_source(shell_words *words, const char *name, const char *path, const char *column)
{
    char source[4096];
    snprintf(source, sizeof source, "%s:%s", path, column);
    shell_words_add(words, name, source);
}

static void add_number(shell_words *words, const char *name, double value)
{
    char number[VOLT_NUMBER_LENGTH];
    shell_words_add(words, name, volt_format_number(value, number));
}

static void add_rows(shell_words *words, const char *name, int64_t first, int64_t end)
{
    char range[64];
    snprintf(range, sizeof range, "%lld:%lld", (long long)first, (long long)end);
    shell_words_add(words, name, range);
}

static char *fit_command(const sysid_run *run, const char *model)
{
    shell_words words = {0};
    const sysid_setting *setting = &run->setting;
    shell_words_add(&words, "volterra", "fit");
    add_source(&words, "--x", run->data.path, run->set->input);
    add_source(&words, "--y", run->data.path, run->set->output);
    add_rows(&words, "--rows", setting->first, setting->first + setting->washout + setting->rows);
    shell_words_add_count(&words, "--washout", setting->washout);
    shell_words_add(&words, "--kernel", setting->kernel);
    add_number(&words, "--alpha", setting->alpha);
    if (setting->feedback_weight > 0) {
        shell_words_add(&words, "--feedback", NULL);
        add_number(&words, "--feedback-weight", setting->feedback_weight);
    }
    shell_words_add(&words, "-o", model);
    return shell_words_take(&words);
}

static char *predict_command(const sysid_run *run, const sysid_test *test, int64_t rows, const char *model,
                             const char *output)
{
    shell_words words = {0};
    shell_words_add(&words, "volterra", "predict");
    shell_words_add(&words, model, NULL);
    add_source(&words, "--x", run->data.path, test->input);
    add_rows(&words, "--rows", test->first, test->first + rows);
    shell_words_add(&words, "--start", "reset");
    shell_words_add(&words, "--beyond", "allow");
    if (sysid_warm_up(run) > 0) {
        add_source(&words, "--known", run->data.path, test->output);
        shell_words_add_count(&words, "--warm-up", sysid_warm_up(run));
    }
    shell_words_add(&words, "-o", output);
    return shell_words_take(&words);
}

static char *score_command(const sysid_run *run, const sysid_test *test, int measure, int64_t rows,
                           const char *output)
{
    shell_words words = {0};
    int64_t after = test->measures[measure].after, end = test->rows[measure] ? test->rows[measure] : rows;
    shell_words_add(&words, "volterra", "score");
    add_source(&words, "--truth", run->data.path, test->output);
    shell_words_add(&words, "--pred", output);
    add_rows(&words, "--truth-rows", test->first + after, test->first + end);
    add_rows(&words, "--pred-rows", after, end);
    return shell_words_take(&words);
}

/* Append a line, which is freed; false when it is NULL. */
static bool add_line(FILE *out, char *line)
{
    if (line)
        fprintf(out, "%s\n", line);
    free(line);
    return line != NULL;
}

char *sysid_commands(const sysid_run *run)
{
    char model[64], output[64];
    text_stream memory;
    FILE *out = text_open(&memory);
    bool fine = out != NULL;
    snprintf(model, sizeof model, "%s.safetensors", run->set->name);
    fine = fine && add_line(out, fit_command(run, model));
    for (int i = 0; fine && i < run->set->n_tests; i++) {
        const sysid_test *test = &run->set->tests[i];
        int64_t rows = run->data.tests[i]->rows;
        snprintf(output, sizeof output, "%s-%s.csv", run->set->name, test->name);
        fine = add_line(out, predict_command(run, test, rows, model, output));
        for (int k = 0; fine && k < test->n_measures; k++)
            fine = add_line(out, score_command(run, test, k, rows, output));
    }
    char *text = text_close(&memory);
    if (!fine) {
        free(text);
        text = NULL;
    }
    return text;
}
