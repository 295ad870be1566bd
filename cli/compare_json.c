/* cli/compare_json.c: a comparison as JSON. Every number is in the units of the targets; what is not known is null. */
#include "compare_output.h"

#include "report.h"

#include <jansson.h>
#include <math.h>

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void set_count(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

/* NULL, and a text that is not UTF-8, become null. */
static void set_text(json_t *object, const char *key, const char *text)
{
    json_t *value = text ? json_string(text) : NULL;
    json_object_set_new(object, key, value ? value : json_null());
}

static void set_winner(json_t *object, const volt_study_row *won)
{
    json_t *best = won ? json_object() : json_null();
    if (won) {
        set_text(best, "kernel", won->kernel);
        set_number(best, "alpha", won->alpha);
        set_number(best, "score", won->score);
    }
    json_object_set_new(object, "best", best);
}

static json_t *json_of_row(const cli_comparison *comparison, const comparison_row *row)
{
    json_t *object = json_object();
    set_text(object, "name", row->name);
    set_text(object, "kernel", row->kernel);
    set_number(object, "mdae", row->mdae.mean);
    set_number(object, "nmse", row->nmse.mean);
    set_number(object, "w1", row->w1.mean);
    set_number(object, "mcs_pvalue", row->mcs_pvalue.mean);
    json_object_set_new(object, "in_mcs", json_boolean(comparison_in_mcs(comparison, row)));
    if (comparison->n_samples > 1) {
        set_number(object, "mdae_error", row->mdae.error);
        set_number(object, "nmse_error", row->nmse.error);
        set_number(object, "w1_error", row->w1.error);
        set_count(object, "results", row->results);
        set_count(object, "samples_in_mcs", row->in_mcs);
    }
    set_count(object, "hyperparameters", row->hyperparameters);
    set_text(object, "cost", row->cost);
    set_count(object, "draws", row->draws);
    set_count(object, "failed", row->failed);
    set_number(object, "seconds", row->seconds);
    set_number(object, "fit_seconds", row->fit_seconds);
    set_winner(object, row->won);
    set_text(object, "failure", row->failure);
    return object;
}

/* One kernel on one sample. */
static json_t *json_of_result(const volt_study_row *row)
{
    json_t *object = json_object();
    bool has_result = !row->failure;
    set_text(object, "name", row->name);
    set_number(object, "mdae", has_result ? row->metrics.mdae : NAN);
    set_number(object, "nmse", has_result ? row->metrics.nmse : NAN);
    set_number(object, "w1", has_result ? row->metrics.w1 : NAN);
    set_number(object, "mcs_pvalue", has_result ? row->mcs_pvalue : NAN);
    json_object_set_new(object, "in_mcs", json_boolean(has_result && row->in_mcs));
    set_count(object, "draws", row->draws);
    set_count(object, "failed", row->failed);
    set_number(object, "seconds", row->seconds);
    set_winner(object, has_result ? row : NULL);
    set_text(object, "failure", row->failure);
    return object;
}

static json_t *json_of_samples(const cli_comparison *comparison)
{
    json_t *samples = json_array();
    for (int64_t s = 0; s < comparison->n_samples; s++) {
        json_t *sample = json_object(), *rows = json_array();
        set_count(sample, "seed", (int64_t)(comparison->setting.first_seed + (uint64_t)s));
        for (int64_t i = 0; i < volt_study_count(comparison->studies[s]); i++)
            json_array_append_new(rows, json_of_result(volt_study_row_at(comparison->studies[s], i)));
        json_object_set_new(sample, "rows", rows);
        json_array_append_new(samples, sample);
    }
    return samples;
}

int compare_print_json(const cli_comparison *comparison, const compare_files *files)
{
    const comparison_setting *setting = &comparison->setting;
    const volt_study_options *options = &setting->options;
    json_t *object = json_object(), *rows = json_array();
    char headline[HEADLINE_LENGTH];
    set_text(object, setting->is_preset ? "preset" : "x", setting->source);
    set_text(object, "protocol", protocol_name(options->protocol));
    set_count(object, "seed", (int64_t)setting->first_seed);
    set_count(object, "samples", comparison->n_samples);
    set_count(object, "rows_train", setting->n_train);
    set_count(object, "rows_test", setting->n - setting->n_train);
    set_count(object, "inputs", setting->d);
    set_count(object, "outputs", setting->q);
    set_count(object, "folds", options->folds);
    set_number(object, "mcs_level", 1 - options->mcs_size);
    json_object_set_new(object, "interrupted", json_boolean(comparison->interrupted));
    for (int64_t i = 0; i < comparison->n_rows; i++)
        json_array_append_new(rows, json_of_row(comparison, &comparison->rows[i]));
    json_object_set_new(object, "rows", rows);
    if (comparison->n_samples > 1)
        json_object_set_new(object, "by_sample", json_of_samples(comparison));
    set_text(object, "headline", comparison_headline(comparison, headline));
    set_text(object, "command", setting->command);
    set_text(object, "report", files->report);

    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(object);
    if (failed && !ferror(stdout))
        return complain(EXIT_FAILED, "not enough memory for the JSON text");
    if (!failed)
        putchar('\n');
    return EXIT_DONE; /* a write error is seen when standard output is closed */
}
