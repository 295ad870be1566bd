/* cli/search/training_loss.c: reads losses, weights and labels. */
#include "search/training_loss.h"

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
    OPTION(loss_arguments, "loss", "L", text,
           "loss function: {names or}, with parameters as in huber:delta=0.5 or quantile:q=0.1/0.5/0.9",
           .names = loss_names, .unset = "squares"),
    OPTION(loss_arguments, "tolerance", "T", tolerance,
           "relative duality gap of the objective, or relative residual of pcg", .range = BETWEEN(0, 1),
           .unset = "1e-6, pcg 1e-4"),
};
const option_table loss_options = OPTION_TABLE(loss_rows);

int loss_read(const loss_arguments *arguments, loss_data *data)
{
    volt_status status = arguments->text ? volt_loss_parse(arguments->text, &data->loss) : VOLT_OK;
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
    const volt_table *table = x->table;
    int64_t count = 0, rows = x->view.rows;
    if (strcmp(source, "-") == 0 && strcmp(x->source, "-") == 0)
        return complain(EXIT_USAGE, "--x and --y cannot both be read from standard input");
    volt_status status = volt_texts_read(source, &data->texts, &count);
    if (status)
        return complain_status(status);
    if (count != table->file_rows)
        return complain(EXIT_FAILED, "%s has %lld rows but %s has %lld; they must match row by row", source,
                        (long long)count, x->source, (long long)table->file_rows);
    data->labels = malloc((size_t)rows * sizeof *data->labels + 1);
    if (!data->labels)
        return complain(EXIT_FAILED, "not enough memory for the classes of %s", source);
    for (int64_t i = 0; i < rows; i++)
        data->labels[i] = data->texts[table->row_numbers[i]];
    return name_labels(data, source);
}

/* ---- weights ---------------------------------------------------------------------------------- */

int loss_read_weights(loss_data *data, const loss_arguments *arguments, const dataset *x, int64_t count,
                      const int64_t *rows)
{
    const char *source = arguments->weights;
    dataset read = {0};
    if (!source)
        return 0;
    if (strcmp(source, "-") == 0 && strcmp(x->source, "-") == 0)
        return complain(EXIT_USAGE, "--x and --weights cannot both be read from standard input");
    row_range all = {0};
    int failed = dataset_read_rows(&read, source, VOLT_MISSING_KEEP, &all, "--weights");
    if (!failed && read.view.cols != 1)
        failed = complain(EXIT_USAGE, "--weights %s must be one column, FILE:COLUMN (got %lld columns)", source,
                          (long long)read.view.cols);
    if (!failed && read.table->file_rows != x->table->file_rows)
        failed = complain(EXIT_FAILED, "%s has %lld rows but %s has %lld; they must match row by row", source,
                          (long long)read.table->file_rows, x->source, (long long)x->table->file_rows);
    if (!failed) {
        data->weights = malloc((size_t)count * sizeof *data->weights + 1);
        if (!data->weights)
            failed = complain(EXIT_FAILED, "not enough memory for the weights");
    }
    for (int64_t i = 0; !failed && i < count; i++) {
        int64_t row = x->table->row_numbers[rows ? rows[i] : i];
        data->weights[i] = read.view.data[row * read.view.ld];
        if (!(data->weights[i] >= 0 && isfinite(data->weights[i])))
            failed = complain(EXIT_FAILED,
                              "%s: weights must be finite and at least 0 (row %lld, counted from 0, is %g)",
                              source, (long long)row, data->weights[i]);
    }
    dataset_release(&read);
    return failed;
}

/* ---- results ---------------------------------------------------------------------------------- */

void loss_report(const volt_model_info *info, const volt_assessment *found, result_list *results)
{
    results_text(results, "loss", "loss", "%s", info->loss);
    if (info->n_classes > 0)
        results_texts(results, "classes", (char *const *)info->classes, info->n_classes);
    results_details(results, true);
    results_number(results, "objective", "objective", info->objective);
    results_number(results, "duality_gap", NULL, info->duality_gap);
    results_number(results, "tolerance", NULL, info->tolerance);
    results_text(results, NULL, "duality gap", "%.3g (relative: %.3g)", info->duality_gap,
                 info->duality_gap / fabs(info->objective));
    results_details(results, false);
    if (!found->loss_name) /* weights without a loss */
        return;
    results_number(results, "score", NULL, found->loss);
    results_text(results, "score_name", NULL, "%s", found->loss_name);
    results_text(results, NULL, "in sample", "%s %.6g per row", found->loss_name, found->loss);
}
