/* cli/search/training_loss.c: reads losses, weights and labels. */
#include "search/training.h"

#include "terminal/digits.h"
#include "terminal/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static name_list loss_names(void)
{
    name_list list = {0};
    for (int64_t i = 0; volt_loss_at(i); i++)
        names_add(&list, volt_loss_at(i)->name);
    return list;
}

static const option loss_rows[] = {
    OPTION(training_arguments, "loss", "L", fit.loss,
           "loss function: {names or}, with parameters as in huber:delta=0.5 or quantile:q=0.1/0.5/0.9",
           .names = loss_names, .unset = "squares"),
    OPTION(training_arguments, "tolerance", "T", fit.tolerance,
           "relative duality gap of the objective, or relative residual of pcg", .range = BETWEEN(0, 1),
           .unset = "1e-6, pcg 1e-4", .is_rare = true),
};
const option_table loss_options = OPTION_TABLE(loss_rows);

int loss_read(const char *text, loss_data *data)
{
    volt_status status = text ? volt_loss_parse(text, &data->loss) : VOLT_OK;
    if (status)
        return complain(EXIT_USAGE, "--loss: %s", volt_error_detail());
    data->info.struct_size = sizeof data->info;
    if (data->loss)
        volt_loss_get_info(data->loss, &data->info);
    return 0;
}

void loss_release(loss_data *data)
{
    volt_loss_free(data->loss);
    dataset_release(&data->weight_file);
    dataset_release(&data->label_file);
    free(data->weights);
    volt_free(data->texts);
    free((void *)data->labels);
    free(data->name);
    memset(data, 0, sizeof *data);
}

bool loss_is_other(const loss_data *data)
{
    return data->loss && strcmp(data->info.text, "squares") != 0;
}

bool loss_has_classes(const loss_data *data)
{
    return data->info.classes;
}

/* ---- labels ----------------------------------------------------------------------------------- */

static int name_labels(loss_data *data, const char *source)
{
    const char *colon = strrchr(source, ':'), *name = colon ? colon + 1 : "class";
    data->name = malloc(strlen(name) + 1);
    if (!data->name)
        return complain(EXIT_FAILED, "not enough memory for the name of the classes");
    strcpy(data->name, name);
    return 0;
}

int loss_read_labels(loss_data *data, const char *source, const dataset *x)
{
    if (strcmp(source, "-") == 0 && strcmp(x->source, "-") == 0)
        return complain(EXIT_USAGE, "--x and --y cannot both be read from standard input");
    int failed = dataset_read_texts(&data->label_file, source, &data->texts);
    return failed ? failed : name_labels(data, source);
}

int loss_set_labels(loss_data *data)
{
    const volt_table *table = data->label_file.table;
    if (!table)
        return 0;
    data->labels = malloc((size_t)table->rows * sizeof *data->labels + 1);
    if (!data->labels)
        return complain(EXIT_FAILED, "not enough memory for the classes of %s", data->label_file.source);
    for (int64_t i = 0; i < table->rows; i++)
        data->labels[i] = data->texts[table->row_numbers[i]];
    return 0;
}

/* ---- weights ---------------------------------------------------------------------------------- */

int loss_read_weights(loss_data *data, const char *source, const dataset *x)
{
    if (!source)
        return 0;
    if (strcmp(source, "-") == 0 && strcmp(x->source, "-") == 0)
        return complain(EXIT_USAGE, "--x and --weights cannot both be read from standard input");
    int failed = dataset_read(&data->weight_file, source, VOLT_MISSING_KEEP);
    if (!failed && data->weight_file.view.cols != 1)
        failed = complain(EXIT_USAGE, "--weights %s must be one column, FILE:COLUMN (got %lld columns)", source,
                          (long long)data->weight_file.view.cols);
    return failed;
}

int loss_set_weights(loss_data *data, int64_t count, const int64_t *rows)
{
    const dataset *read = &data->weight_file;
    if (!read->table)
        return 0;
    data->weights = malloc((size_t)count * sizeof *data->weights + 1);
    if (!data->weights)
        return complain(EXIT_FAILED, "not enough memory for the weights");
    for (int64_t i = 0; i < count; i++) {
        int64_t row = rows ? rows[i] : i;
        data->weights[i] = read->view.data[row * read->view.ld];
        if (!(data->weights[i] >= 0 && isfinite(data->weights[i])))
            return complain(EXIT_FAILED,
                            "%s: weights must be finite and at least 0 (row %lld, counted from 0, is %g)",
                            read->source, (long long)read->table->row_numbers[row], data->weights[i]);
    }
    return 0;
}

/* ---- results ---------------------------------------------------------------------------------- */

void loss_report(const volt_model_info *info, const volt_assessment *found, result_list *results)
{
    results_text(results, "loss", "loss", "%s", info->loss);
    results_fields(results, volt_model_info, info, "classes duality_gap tolerance");
    results_details(results, true);
    results_number(results, "objective", "objective", info->objective);
    results_text(results, NULL, "duality gap", "%s (relative: %s)", digits(info->duality_gap).text,
                 digits(info->duality_gap / fabs(info->objective)).text);
    results_details(results, false);
    if (!found->loss_name) /* weights without a loss */
        return;
    results_fields(results, volt_assessment, found, "loss loss_name");
    results_text(results, NULL, "in sample", "%s %s per row", found->loss_name, digits(found->loss).text);
}
