/* cli/compare/compare_json.c: a comparison as JSON. Numbers are in the units of the targets; unknown values are
 * null. */
#include "compare/comparison.h"

#include "args/choices.h"
#include "terminal/results.h"

#include <math.h>
#include <stdio.h>

static void set_number(json_build *build, json_t *object, const char *key, double value)
{
    build_set(build, object, key, build_number(build, value));
}

static void set_count(json_build *build, json_t *object, const char *key, int64_t value)
{
    build_set(build, object, key, build_count(build, value));
}

static void set_flag(json_build *build, json_t *object, const char *key, bool value)
{
    build_set(build, object, key, json_boolean(value));
}

static void set_text(json_build *build, json_t *object, const char *key, const char *text)
{
    build_set(build, object, key, build_text(build, text));
}

static void set_winner(json_build *build, json_t *object, const volt_comparison_row *won)
{
    json_t *best = won ? build_object(build) : json_null();
    if (won)
        build_fields(build, best, volt_comparison_row, won, "kernel alpha score");
    build_set(build, object, "best", best);
}

static json_t *json_of_row(json_build *build, const cli_comparison *comparison, const comparison_row *row)
{
    json_t *object = build_object(build);
    set_text(build, object, "name", row->name);
    set_text(build, object, "kernel", row->kernel);
    int first, end = comparison_measures(comparison, &first);
    for (int m = first; m < end; m++)
        set_number(build, object, measure_key((measure)m), row->values[m].mean);
    set_number(build, object, "mcs_pvalue", row->mcs_pvalue.mean);
    set_flag(build, object, "in_mcs", comparison_in_mcs(comparison, row));
    if (comparison->n_samples > 1) {
        for (int m = first; m < end; m++) {
            char key[32];
            snprintf(key, sizeof key, "%s_error", measure_key((measure)m));
            set_number(build, object, key, row->values[m].error);
        }
        set_count(build, object, "results", row->results);
        set_count(build, object, "samples_in_mcs", row->in_mcs);
    }
    set_count(build, object, "hyperparameters", row->hyperparameters);
    set_text(build, object, "cost", row->cost);
    set_count(build, object, "draws", row->draws);
    set_count(build, object, "failed", row->failed);
    set_number(build, object, "seconds", row->seconds);
    set_number(build, object, "fit_seconds", row->fit_seconds);
    set_winner(build, object, row->won);
    set_text(build, object, "failure", row->failure);
    return object;
}

/* Writes the result of one kernel on one sample. */
static json_t *json_of_result(json_build *build, const cli_comparison *comparison,
                              const volt_comparison_row *row)
{
    int first, end = comparison_measures(comparison, &first);
    json_t *object = build_object(build);
    bool has_result = !row->failure;
    set_text(build, object, "name", row->name);
    for (int m = first; m < end; m++)
        set_number(build, object, measure_key((measure)m), has_result ? measure_of(row, (measure)m) : NAN);
    set_number(build, object, "mcs_pvalue", has_result ? row->mcs_pvalue : NAN);
    set_flag(build, object, "in_mcs", has_result && row->in_mcs);
    build_fields(build, object, volt_comparison_row, row, "draws failed seconds");
    set_winner(build, object, has_result ? row : NULL);
    set_text(build, object, "failure", row->failure);
    return object;
}

static json_t *json_of_samples(json_build *build, const cli_comparison *comparison)
{
    json_t *samples = build_array(build);
    for (int64_t s = 0; s < comparison->n_samples; s++) {
        json_t *sample = build_object(build), *rows = build_array(build);
        set_count(build, sample, "seed", (int64_t)(comparison->setting.first_seed + (uint64_t)s));
        for (int64_t i = 0; volt_comparison_row_at(comparison->samples[s], i); i++)
            build_append(build, rows,
                         json_of_result(build, comparison, volt_comparison_row_at(comparison->samples[s], i)));
        build_set(build, sample, "rows", rows);
        build_append(build, samples, sample);
    }
    return samples;
}

/* Adds the fields that exist only for user data. */
static void set_user_data(json_build *build, json_t *object, const comparison_setting *setting)
{
    json_t *baselines = build_array(build);
    set_count(build, object, "gap", setting->options.gap);
    build_fields(build, object, volt_fit_options, &setting->seen->fit, "target input season");
    for (int64_t i = 0; i < setting->found.n_baselines; i++) {
        const volt_baseline_score *score = &setting->found.baselines[i];
        json_t *one = build_object(build);
        set_text(build, one, "name", score->name);
        build_fields(build, one, volt_baseline_score, score,
                     setting->found.loss_name ? "loss" : "mse rmse mae r2");
        set_number(build, one, "skill", 1 - score->ratio);
        build_append(build, baselines, one);
    }
    build_set(build, object, "baselines", baselines);
    if (setting->loss_score) {
        set_text(build, object, "loss", setting->options.loss ? setting->options.loss : "squares");
        set_text(build, object, "score", setting->loss_score);
    }
}

int compare_print_json(const cli_comparison *comparison, const compare_files *files)
{
    const comparison_setting *setting = &comparison->setting;
    const volt_compare_options *options = &setting->options;
    json_build build = {0};
    json_t *object = build_object(&build), *rows = build_array(&build);
    char headline[HEADLINE_LENGTH];
    set_text(&build, object, setting->is_preset ? "preset" : "x", setting->source);
    set_text(&build, object, "protocol", choice_word(protocol_choices, (int)options->protocol));
    set_count(&build, object, "seed", (int64_t)setting->first_seed);
    set_count(&build, object, "samples", comparison->n_samples);
    set_count(&build, object, "rows_train", setting->n_train - options->gap);
    set_count(&build, object, "rows_test", setting->n - setting->n_train);
    set_count(&build, object, "inputs", setting->d);
    set_count(&build, object, "outputs", setting->q);
    set_count(&build, object, "folds", options->folds);
    set_number(&build, object, "mcs_level", 1 - options->mcs_size);
    set_flag(&build, object, "interrupted", comparison->interrupted);
    if (!setting->is_preset)
        set_user_data(&build, object, setting);
    for (int64_t i = 0; i < comparison->n_rows; i++)
        build_append(&build, rows, json_of_row(&build, comparison, &comparison->rows[i]));
    build_set(&build, object, "rows", rows);
    if (comparison->n_samples > 1)
        build_set(&build, object, "by_sample", json_of_samples(&build, comparison));
    set_text(&build, object, "headline", comparison_headline(comparison, headline));
    set_text(&build, object, "command", setting->command);
    set_text(&build, object, "report", files->report);
    return build_print(&build, object, JSON_INDENT(2));
}
