/* cli/compare/compare_tables.c: a comparison as CSV and as a LaTeX table. */
#include "compare/comparison.h"

#include "text/text.h"

#include <math.h>
#include <string.h>

/* ---- CSV -------------------------------------------------------------------------------------- */

/* Writes quoted text; quotation marks inside are doubled. */
static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* Writes the shortest text that reads back exactly, or nothing for NaN. */
static void write_number(FILE *out, double value)
{
    char text[VOLT_NUMBER_LENGTH];
    fprintf(out, ",%s", isfinite(value) ? volt_format_number(value, text) : "");
}

/* Writes the measures first .. end - 1 with the standard errors of their means. */
static void write_measures(FILE *out, const comparison_row *row, int first, int end)
{
    for (int m = first; m < end; m++) {
        write_number(out, row->values[m].mean);
        write_number(out, row->values[m].error);
    }
}

/* RMSE, MAE and the loss exist only for user data. They come last so that the other columns keep their
 * positions. */
void compare_write_csv(FILE *out, const cli_comparison *comparison)
{
    bool is_own = !comparison->setting.is_preset, has_loss = comparison->setting.loss_score != NULL;
    fprintf(out,
            "name,kernel,mdae,mdae_error,nmse,nmse_error,w1,w1_error,mcs_pvalue,samples_in_mcs,results,"
            "hyperparameters,cost,draws,failed,seconds,best_kernel,best_alpha,best_score,failure%s\n",
            has_loss ? ",rmse,rmse_error,mae,mae_error,loss,loss_error"
            : is_own ? ",rmse,rmse_error,mae,mae_error"
                     : "");
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        write_quoted(out, row->name);
        fputc(',', out);
        write_quoted(out, row->kernel);
        write_measures(out, row, MEASURE_MDAE, MEASURE_RMSE);
        write_number(out, row->mcs_pvalue.mean);
        fprintf(out, ",%lld,%lld,%lld,", (long long)row->in_mcs, (long long)row->results,
                (long long)row->hyperparameters);
        write_quoted(out, row->cost);
        fprintf(out, ",%lld,%lld", (long long)row->draws, (long long)row->failed);
        write_number(out, row->seconds);
        fputc(',', out);
        write_quoted(out, row->won ? row->won->kernel : "");
        write_number(out, row->won ? row->won->alpha : NAN);
        write_number(out, row->won ? row->won->score : NAN);
        fputc(',', out);
        write_quoted(out, row->failure ? row->failure : "");
        if (is_own)
            write_measures(out, row, MEASURE_RMSE, has_loss ? N_MEASURES : MEASURE_LOSS);
        fputc('\n', out);
    }
}

/* ---- LaTeX ------------------------------------------------------------------------------------ */

static void write_escaped(FILE *out, const char *text)
{
    char shown[VOLT_CHARACTER_LENGTH];
    const char *end = text + strlen(text);
    for (size_t step; (step = volt_show_character(text, (size_t)(end - text), shown)) > 0; text += step)
        if (strchr("&%$#_{}", *shown))
            fprintf(out, "\\%s", shown);
        else if (*shown == '\\')
            fputs("\\textbackslash{}", out);
        else if (*shown == '~' || *shown == '^')
            fprintf(out, "\\%s{}", shown);
        else if (*shown == '<' || *shown == '>' || *shown == '|')
            fprintf(out, "$%s$", shown);
        else
            fputs(shown, out);
}

/* Writes a cost such as O(4^dyadic window^2) as a formula: upright words, exponents in braces, thin spaces. */
static void write_formula(FILE *out, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    fputc('$', out);
    while (*text) {
        bool is_exponent = *text == '^';
        text += is_exponent;
        size_t length = strspn(text, letters);
        fputs(is_exponent ? "^{" : "", out);
        if (length > 1)
            fprintf(out, "\\mathrm{%.*s}", (int)length, text);
        else if (*text == ' ')
            fputs("\\,", out);
        else if (*text && !strchr("&%$#_{}\\~", *text))
            fputc(*text, out);
        text += length > 1 ? length : *text != '\0';
        fputs(is_exponent ? "}" : "", out);
    }
    fputc('$', out);
}

static void write_latex_row(FILE *out, const cli_comparison *comparison, const comparison_row *row)
{
    char text[CELL_LENGTH];
    int count = 0;
    const measure_column *columns = comparison_columns(comparison, &count);
    write_escaped(out, row->name);
    for (const measure_column *column = columns; column < columns + count; column++)
        fprintf(out, cell_is_lowest(comparison, row, column) ? " & \\textbf{%s}" : " & %s",
                cell_measure(comparison, row, column, text));
    fprintf(out, " & %s%s & %lld & ", cell_confidence(comparison, row, text),
            comparison_in_mcs(comparison, row) ? "\\rlap{$^{**}$}" : "", (long long)row->hyperparameters);
    fprintf(out, "%lld & %s & ", (long long)row->draws, cell_seconds(row->seconds, text));
    write_formula(out, cell_cost(row, text));
    fputs(" \\\\\n", out);
}

/* Writes failures to the caption, because they are too long for a column. */
static void write_failures(FILE *out, const cli_comparison *comparison)
{
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        if (row->won)
            continue;
        fputs(" ", out);
        write_escaped(out, row->name);
        fputs(" failed: ", out);
        write_escaped(out, row->failure ? row->failure : "no result");
        fputs(".", out);
    }
}

void compare_write_latex(FILE *out, const cli_comparison *comparison)
{
    char text[DESCRIPTION_LENGTH];
    const comparison_setting *setting = &comparison->setting;
    int level = (int)lround(100 * (1 - setting->options.mcs_size));

    /* \@classoptionslist is \relax before \documentclass. In that case the file is a document of its own. */
    fputs("% Made by volterra compare. \\input this file in a document that loads booktabs, or compile it as "
          "it is.\n"
          "\\makeatletter\n"
          "\\ifx\\@classoptionslist\\relax\n"
          "  \\documentclass{article}\\usepackage[margin=2cm]{geometry}\\usepackage{booktabs}\n"
          "  \\def\\volterraend{\\end{document}}\\begin{document}\n"
          "\\else\n"
          "  \\def\\volterraend{}\n"
          "\\fi\n"
          "\\makeatother\n",
          out);
    int count = 0;
    const measure_column *columns = comparison_columns(comparison, &count);
    fputs("\\begin{table}[htbp]\n\\centering\\footnotesize\\setlength{\\tabcolsep}{4pt}%\n\\makebox["
          "\\linewidth]{\\begin{tabular}{l",
          out);
    for (int c = 0; c < count; c++)
        fputc('r', out);
    fputs("rrrrl}\n\\toprule\nKernel", out);
    for (int c = 0; c < count; c++)
        fprintf(out, " & %s", columns[c].latex);
    fputs(" & MCS & tuned & draws & seconds & cost/entry \\\\\n\\midrule\n", out);
    for (int64_t i = 0; i < comparison->n_rows; i++)
        write_latex_row(out, comparison, &comparison->rows[i]);
    fputs("\\bottomrule\n\\end{tabular}}\n\\caption{", out);
    write_escaped(out, setting->source);
    fputs(": ", out);
    write_escaped(out, comparison_describe_data(comparison, text));
    fputs("; ", out);
    write_escaped(out, comparison_describe_search(comparison, text));
    if (comparison->n_samples > 1)
        fprintf(out,
                "; means over %lld samples with standard errors in parentheses, MCS: number of samples with "
                "the kernel in the model confidence set",
                (long long)comparison->n_samples);
    fprintf(out, ". Bold: lowest of its column; $^{**}$: in the model confidence set at %d\\,\\%%%s.", level,
            comparison->n_samples > 1 ? " in every sample" : "");
    write_failures(out, comparison);
    fputs("}\n\\end{table}\n\\volterraend\n", out);
}
