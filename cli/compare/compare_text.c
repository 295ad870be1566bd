/* cli/compare/compare_text.c: a comparison for a terminal: Tables I and II of the paper in one, then the best
 * parameters. */
#include "compare/comparison.h"

#include "terminal/digits.h"
#include "terminal/messages.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

enum { MAX_COLUMNS = 6 + N_MEASURES, MAX_NAME = 40 };

typedef struct text_cell {
    char text[CELL_LENGTH];
    const char *mark; /* appended to the text */
} text_cell;

typedef struct text_column {
    const char *label;
    int width, mark_width;
    bool left;
} text_column;

static void set_cell(text_cell *cell, const char *text, const char *mark)
{
    snprintf(cell->text, sizeof cell->text, "%s", text);
    volt_make_printable(cell->text);
    cell->mark = mark;
}

static void fill_row(const cli_comparison *comparison, const comparison_row *row, text_cell cells[MAX_COLUMNS])
{
    char text[CELL_LENGTH];
    int at = 0, count = 0;
    const measure_column *columns = comparison_columns(comparison, &count);
    snprintf(text, sizeof text, "%.*s", MAX_NAME, row->name);
    set_cell(&cells[at++], text, "");
    for (const measure_column *column = columns; column < columns + count; column++)
        set_cell(&cells[at++], cell_measure(comparison, row, column, text),
                 cell_is_lowest(comparison, row, column) ? "*" : "");
    set_cell(&cells[at++], cell_confidence(comparison, row, text),
             comparison_in_mcs(comparison, row) ? "**" : "");
    snprintf(text, sizeof text, "%lld", (long long)row->hyperparameters);
    set_cell(&cells[at++], text, "");
    snprintf(text, sizeof text, "%lld", (long long)row->draws);
    set_cell(&cells[at++], text, "");
    set_cell(&cells[at++], cell_seconds(row->seconds, text), "");
    set_cell(&cells[at], cell_cost(row, text), "");
}

static void print_cell(FILE *out, const text_column *column, const char *text, const char *mark, bool is_last)
{
    int width = column->width;
    if (column->left)
        fprintf(out, "%-*s%s", is_last ? 0 : width, text, is_last ? "" : "  ");
    else
        fprintf(out, "%*s%-*s%s", width, text, is_last ? 0 : column->mark_width, mark, is_last ? "" : "  ");
}

static void widen(text_column *column, const char *text, const char *mark)
{
    if ((int)strlen(text) > column->width)
        column->width = (int)strlen(text);
    if ((int)strlen(mark) > column->mark_width)
        column->mark_width = (int)strlen(mark);
}

/* Sets up the columns with their labels. Returns the number of columns. */
static int begin_columns(const cli_comparison *comparison, text_column columns[MAX_COLUMNS])
{
    const char *const others[] = {comparison->n_samples > 1 ? "MCS" : "MCS p", "tuned", "draws", "seconds"};
    int count = 0, measures = 0;
    const measure_column *measured = comparison_columns(comparison, &measures);
    columns[count++] = (text_column){.label = "kernel", .left = true};
    for (int c = 0; c < measures; c++)
        columns[count++] = (text_column){.label = measured[c].label};
    for (int c = 0; c < 4; c++)
        columns[count++] = (text_column){.label = others[c]};
    columns[count++] = (text_column){.label = "cost/entry", .left = true};
    return count;
}

static void print_table(FILE *out, const cli_comparison *comparison)
{
    text_column columns[MAX_COLUMNS];
    text_cell cells[MAX_COLUMNS];
    const int n_columns = begin_columns(comparison, columns);
    for (int c = 0; c < n_columns; c++)
        widen(&columns[c], columns[c].label, "");
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        fill_row(comparison, &comparison->rows[i], cells);
        for (int c = 0; c < n_columns; c++)
            widen(&columns[c], cells[c].text, cells[c].mark);
    }
    for (int c = 0; c < n_columns; c++)
        print_cell(out, &columns[c], columns[c].label, "", c + 1 == n_columns);
    fputc('\n', out);
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        fill_row(comparison, &comparison->rows[i], cells);
        for (int c = 0; c < n_columns; c++)
            print_cell(out, &columns[c], cells[c].text, cells[c].mark, c + 1 == n_columns);
        fputc('\n', out);
    }
}

static void print_legend(FILE *out, const cli_comparison *comparison)
{
    int level = (int)lround(100 * (1 - comparison->setting.options.mcs_size));
    if (comparison->n_rows < 2)
        return;
    if (comparison->n_samples > 1)
        fprintf(out,
                "* lowest of its column; (standard error over %lld samples)\n"
                "** in the model confidence set at %d %% in every sample; MCS: number of samples\n",
                (long long)comparison->n_samples, level);
    else
        fprintf(out, "* lowest of its column; ** in the model confidence set at %d %%\n", level);
}

/* Prints the best parameters, one kernel per line. */
static void print_winners(FILE *out, const cli_comparison *comparison)
{
    int width = 0;
    char text[VOLT_KERNEL_LENGTH];
    for (int64_t i = 0; i < comparison->n_rows; i++)
        if (shown_width(comparison->rows[i].name) > width)
            width = shown_width(comparison->rows[i].name);
    fprintf(out, "\nbest parameters%s\n",
            comparison->n_samples <= 1       ? ""
            : comparison->setting.loss_score ? " (sample with the lowest loss)"
                                             : " (sample with the lowest NMSE)");
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        print_shown(out, row->name, width);
        if (row->won) {
            fprintf(out, "  %s, validation %s %s%s",
                    volt_make_printable(cell_winner(row->won, true, text, sizeof text)),
                    comparison->setting.loss_score ? comparison->setting.loss_score : "R2",
                    digits(row->won->score).text,
                    row->won->score < 0 && !comparison->setting.is_preset ? " (worse than a constant)" : "");
            if (row->failed > 0)
                fprintf(out, "; %lld draw%s failed", (long long)row->failed, row->failed == 1 ? "" : "s");
            if (row->results < comparison->n_samples)
                fprintf(out, "; no result in %lld of %lld samples",
                        (long long)(comparison->n_samples - row->results), (long long)comparison->n_samples);
        } else {
            fputs("  failed: ", out);
            print_shown(out, row->failure ? row->failure : "no result", 0);
        }
        fputc('\n', out);
    }
}

/* Prints the kernels without a result. */
static void print_failures(FILE *out, const cli_comparison *comparison)
{
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        if (row->won)
            continue;
        print_shown(out, row->name, 0);
        fputs(" failed: ", out);
        print_shown(out, row->failure ? row->failure : "no result", 0);
        fputc('\n', out);
    }
}

/* Prints the baselines on the test rows in one line. */
static void print_baselines(FILE *out, const cli_comparison *comparison)
{
    const volt_assessment *found = &comparison->setting.found;
    char note[HEADLINE_LENGTH];
    if (found->n_baselines == 0)
        return;
    fprintf(out, "baselines  %s:", found->loss_name ? found->loss_name : "RMSE");
    for (int64_t i = 0; i < found->n_baselines; i++)
        fprintf(out, "%s %s %s", i ? "," : "", found->baselines[i].name,
                digits(found->loss_name ? found->baselines[i].loss : found->baselines[i].rmse).text);
    comparison_baseline_note(comparison, note);
    fprintf(out, "\n%s%s", note, note[0] ? "\n" : "");
}

/* Prints the errors of the baselines on the test rows. */
static void print_baseline_table(FILE *out, const cli_comparison *comparison)
{
    const volt_assessment *found = &comparison->setting.found;
    const comparison_row *best = comparison_lowest(comparison, comparison_ranked_by(comparison));
    int width = 0;
    if (found->n_baselines == 0)
        return;
    for (int64_t i = 0; i < found->n_baselines; i++)
        if (shown_width(found->baselines[i].name) > width)
            width = shown_width(found->baselines[i].name);
    fputs("\nbaselines on the test rows\n", out);
    for (int64_t i = 0; i < found->n_baselines; i++) {
        const volt_baseline_score *score = &found->baselines[i];
        print_shown(out, score->name, width);
        if (found->loss_name)
            fprintf(out, "  %s %s", found->loss_name, digits(score->loss).text);
        else
            fprintf(out, "  RMSE %s, MAE %s, R2 %s", digits(score->rmse).text, digits(score->mae).text,
                    digits(score->r2).text);
        if (best && isfinite(score->ratio)) {
            fputs(", skill of ", out);
            print_shown(out, best->name, 0);
            fprintf(out, " %s", digits(1 - score->ratio).text);
        }
        fputc('\n', out);
    }
}

void compare_print_text(FILE *out, const cli_comparison *comparison, const compare_files *files)
{
    char text[DESCRIPTION_LENGTH], headline[HEADLINE_LENGTH];
    const comparison_setting *setting = &comparison->setting;
    print_shown(out, setting->source, 0);
    fprintf(out, ": %s\n", comparison_describe_data(comparison, text));
    fprintf(out, "%s; seed%s %llu", comparison_describe_search(comparison, text),
            comparison->n_samples > 1 ? "s" : "", (unsigned long long)setting->first_seed);
    if (comparison->n_samples > 1)
        fprintf(out, " to %llu",
                (unsigned long long)setting->first_seed + (unsigned long long)comparison->n_samples - 1);
    fprintf(out, "\n\n");
    print_table(out, comparison);
    print_legend(out, comparison);
    fputc('\n', out);
    print_failures(out, comparison);
    print_baselines(out, comparison);
    fprintf(out, "%s\n", volt_make_printable(comparison_headline(comparison, headline)));
    if (is_verbose()) {
        print_baseline_table(out, comparison);
        print_winners(out, comparison);
    }

    const struct {
        const char *label, *path;
    } written[] = {{"report", files->report}, {"csv", files->csv}, {"latex", files->latex}};
    for (int i = 0; i < 3; i++)
        if (written[i].path) {
            fprintf(out, "%-7s ", written[i].label);
            print_shown(out, written[i].path, 0);
            fputc('\n', out);
        }
}
