/* cli/compare/comparison_cells.c: formatted numbers of a comparison. */
#include "compare/comparison.h"

#include "args/kernel_parts.h"
#include "terminal/digits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const measure_column paper_columns[] = {
    {MEASURE_MDAE, 100, "MdAE x100", "MdAE $\\times 100$", "MdAE &times; 100"},
    {MEASURE_NMSE, 1, "NMSE", "NMSE", "NMSE"},
    {MEASURE_W1, 100, "W1 x100", "$W_1 \\times 100$", "W<sub>1</sub> &times; 100"},
};

static const measure_column own_columns[] = {
    {MEASURE_RMSE, 1, "RMSE", "RMSE", "RMSE"},       {MEASURE_MAE, 1, "MAE", "MAE", "MAE"},
    {MEASURE_MDAE, 1, "MdAE", "MdAE", "MdAE"},       {MEASURE_NMSE, 1, "NMSE", "NMSE", "NMSE"},
    {MEASURE_W1, 1, "W1", "$W_1$", "W<sub>1</sub>"},
};

static const measure_column loss_columns[] = {{MEASURE_LOSS, 1, "loss", "loss", "loss"}};

const measure_column *comparison_columns(const cli_comparison *comparison, int *count)
{
    if (comparison->setting.loss_score) {
        *count = 1;
        return loss_columns;
    }
    bool is_paper = comparison->setting.is_preset;
    *count = (int)(is_paper ? sizeof paper_columns : sizeof own_columns) / (int)sizeof(measure_column);
    return is_paper ? paper_columns : own_columns;
}

bool cell_is_lowest(const cli_comparison *comparison, const comparison_row *row, const measure_column *column)
{
    return comparison->n_rows > 1 && row == comparison_lowest(comparison, column->which);
}

char *cell_measure(const cli_comparison *comparison, const comparison_row *row, const measure_column *column,
                   char text[CELL_LENGTH])
{
    const estimate *value = &row->values[column->which];
    const comparison_row *lowest = comparison_lowest(comparison, column->which);
    int decimals = column_decimals(lowest ? column->factor * lowest->values[column->which].mean : 1);
    number_text mean = fixed_digits(column->factor * value->mean, decimals);
    if (row->results == 0)
        strcpy(text, "-");
    else if (comparison->n_samples > 1 && isfinite(value->error))
        snprintf(text, CELL_LENGTH, "%s (%s)", mean.text,
                 fixed_digits(column->factor * value->error, decimals).text);
    else
        snprintf(text, CELL_LENGTH, "%s", mean.text);
    return text;
}

char *cell_confidence(const cli_comparison *comparison, const comparison_row *row, char text[CELL_LENGTH])
{
    strcpy(text, "-");
    if (row->results == 0 || !isfinite(row->mcs_pvalue.mean))
        return text;
    if (comparison->n_samples > 1)
        snprintf(text, CELL_LENGTH, "%lld/%lld", (long long)row->in_mcs, (long long)comparison->n_samples);
    else
        snprintf(text, CELL_LENGTH, "%.3f", row->mcs_pvalue.mean);
    return text;
}

/* Returns true if a cost clause applies to the kernel. "augment": the parameter is given; "lift=poly": its
 * value starts with poly. */
static bool is_case_of(const volt_kernel *kernel, const char *name, size_t length)
{
    char parameter[CELL_LENGTH];
    volt_kernel_value value = {.struct_size = sizeof value};
    size_t name_length = 0;
    while (name_length < length && name[name_length] != '=')
        name_length++;
    snprintf(parameter, sizeof parameter, "%.*s", (int)name_length, name);
    if (!kernel_value(kernel, parameter, &value) || !value.given)
        return false;
    return name_length == length || strncmp(value.text, name + name_length + 1, length - name_length - 1) == 0;
}

char *cell_cost(const comparison_row *row, char text[CELL_LENGTH])
{
    volt_kernel *kernel = kernel_read(row->won ? row->won->kernel : row->kernel);
    text[0] = '\0';
    for (const char *clause = row->cost; clause; clause = strstr(clause, "; ")) {
        clause += clause > row->cost ? 2 : 0;
        size_t case_length = strcspn(clause, ":;"); /* the default clause comes first */
        bool has_case = clause[case_length] == ':';
        if (has_case && !is_case_of(kernel, clause, case_length))
            continue;
        const char *formula = has_case ? strstr(clause, ": O(") : clause;
        if (formula)
            snprintf(text, CELL_LENGTH, "%.*s", (int)strcspn(formula + 2 * has_case, ",;"),
                     formula + 2 * has_case);
    }
    volt_kernel_free(kernel);
    return text;
}

char *cell_seconds(double seconds, char text[CELL_LENGTH])
{
    snprintf(text, CELL_LENGTH, "%.*f", seconds < 9.95 ? 2 : seconds < 99.95 ? 1 : 0, seconds);
    return text;
}

char *cell_winner(const volt_comparison_row *won, bool kernel, char *text, size_t capacity)
{
    char brief[VOLT_KERNEL_LENGTH];
    const char *shown = kernel ? kernel_brief(won->kernel, brief, sizeof brief)
                               : kernel_brief_values(won->kernel, brief, sizeof brief);
    snprintf(text, capacity, "%s%salpha=%.3g", shown, *shown ? " " : "", won->alpha);
    return text;
}
