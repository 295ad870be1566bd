/* cli/page/report_tables.c: the tables of the report. */
#include "compare/comparison.h"
#include "page/page_frame.h"
#include "page/report_pages.h"

#include <math.h>
#include <string.h>

static void begin_table(report_page *page, const char *caption)
{
    /* The caption is above the table, because a table scrolls sideways on narrow screens. */
    page->tables++;
    fprintf(page->html, "<p class=\"caption\" id=\"table%d\">Table %d. ", page->tables, page->tables);
    html_escape(page->html, caption);
    fprintf(page->html, "</p>\n<div class=\"scroll\"><table aria-labelledby=\"table%d\">\n<thead><tr>",
            page->tables);
}

static void end_table(const report_page *page)
{
    fputs("</tbody>\n</table></div>\n", page->html);
}

/* Writes the name of a kernel with its colour in the plots. */
static void write_row_name(const report_page *page, int64_t row, const char *name)
{
    const char *colour = "transparent";
    for (int64_t r = 0; r < page->rows.count; r++)
        if (page->rows.rows[r] == row)
            colour = picture_colour(r);
    fprintf(page->html, "<tr><th scope=\"row\"><span class=\"swatch\" style=\"background:%s\"></span>", colour);
    html_escape(page->html, name);
    fputs("</th>", page->html);
}

/* Table I: forecast accuracy. */
void page_write_accuracy(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    bool is_repeated = comparison->n_samples > 1;
    int level = (int)lround(100 * (1 - comparison->setting.options.mcs_size));
    char text[CELL_LENGTH], caption[320];
    snprintf(caption, sizeof caption,
             "Errors on the test rows. Bold: lowest of its column; **: in the model confidence set at %d %%%s.",
             level, is_repeated ? " in every sample; in parentheses: standard errors of the means" : "");
    begin_table(page, caption);
    int count = 0;
    const measure_column *columns = comparison_columns(comparison, &count);
    fputs("<th scope=\"col\">Kernel</th>", page->html);
    for (int c = 0; c < count; c++)
        fprintf(page->html, "<th scope=\"col\">%s</th>", columns[c].html);
    fprintf(page->html, "<th scope=\"col\">%s<span class=\"mark\"></span></th></tr></thead>\n<tbody>\n",
            is_repeated ? "in the MCS" : "MCS p-value");
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        write_row_name(page, i, row->name);
        for (int c = 0; c < count; c++)
            fprintf(page->html, "<td%s>%s</td>",
                    cell_is_lowest(comparison, row, &columns[c]) ? " class=\"lowest\"" : "",
                    cell_measure(comparison, row, &columns[c], text));
        fprintf(page->html, "<td>%s<span class=\"mark\">%s</span></td></tr>\n",
                cell_confidence(comparison, row, text), comparison_in_mcs(comparison, row) ? "**" : "");
    }
    end_table(page);
}

/* Baseline forecasts, for user data. */
void page_write_baselines(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    const volt_assessment *found = &comparison->setting.found;
    const comparison_row *best = comparison_lowest(comparison, comparison_ranked_by(comparison));
    char note[HEADLINE_LENGTH];
    if (found->n_baselines == 0)
        return;
    begin_table(page, "Baselines on the test rows.");
    if (found->loss_name)
        page_write_text(page, "<th scope=\"col\">Baseline</th><th scope=\"col\">", found->loss_name,
                        "</th><th scope=\"col\">loss of<br>");
    else
        fputs("<th scope=\"col\">Baseline</th><th scope=\"col\">RMSE</th><th scope=\"col\">MAE</th><th "
              "scope=\"col\">R<sup>2</sup></th><th scope=\"col\">squared error of<br>",
              page->html);
    html_escape(page->html, best ? best->name : "the best kernel");
    fputs(" over its own</th></tr></thead>\n<tbody>\n", page->html);
    for (int64_t i = 0; i < found->n_baselines; i++) {
        const volt_baseline_score *score = &found->baselines[i];
        page_write_text(page, "<tr><th scope=\"row\">", score->name, "</th>");
        if (found->loss_name)
            fprintf(page->html, "<td>%.4g</td>", score->loss);
        else
            fprintf(page->html, "<td>%.4g</td><td>%.4g</td><td>%.4g</td>", score->rmse, score->mae, score->r2);
        if (isfinite(score->ratio))
            fprintf(page->html, "<td>%.3g</td></tr>\n", score->ratio);
        else
            fputs("<td>-</td></tr>\n", page->html);
    }
    end_table(page);
    if (comparison_baseline_note(comparison, note)[0])
        page_write_text(page, "<p>", note, "</p>\n");
}

/* Writes a cost such as O(4^dyadic window^2) with superscript exponents. */
static void write_formula(FILE *html, const char *text)
{
    bool is_raised = false;
    for (; *text; text++) {
        char letter[2] = {*text, '\0'};
        if (is_raised && (*text == ' ' || *text == ')')) {
            fputs("</sup>", html);
            is_raised = false;
        }
        if (*text == '^') {
            fputs("<sup>", html);
            is_raised = true;
        } else {
            html_escape(html, letter);
        }
    }
    fputs(is_raised ? "</sup>" : "", html);
}

/* Writes the parameters, with line breaks allowed after commas. */
static void write_winner(FILE *html, const char *text)
{
    fputs("<td class=\"winner\"><code>", html);
    while (*text) {
        size_t length = strcspn(text, ",") + (strchr(text, ',') != NULL);
        html_escape_part(html, text, length);
        fputs(text[length - 1] == ',' ? "<wbr>" : "", html);
        text += length;
    }
    fputs("</code></td></tr>\n", html);
}

/* Table II: tuning cost and best parameters. */
void page_write_tuning(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    char text[VOLT_KERNEL_LENGTH], seconds[CELL_LENGTH], caption[256];
    snprintf(caption, sizeof caption,
             "Cost of tuning%s, and best parameters%s. One entry: cost of one entry of the Gram matrix.",
             comparison->n_samples > 1 ? ", per sample" : "",
             comparison->n_samples > 1 ? " (sample with the lowest error)" : "");
    begin_table(page, caption);
    fputs("<th scope=\"col\">Kernel</th><th scope=\"col\">tuned<br>numbers</th><th scope=\"col\" "
          "class=\"words\">one "
          "entry</th><th scope=\"col\">draws</th><th scope=\"col\">failed<br>draws</th><th "
          "scope=\"col\">seconds</th>"
          "<th scope=\"col\">",
          page->html);
    fputs(comparison->setting.loss_score ? "loss" : "R<sup>2</sup>", page->html);
    fputs(
        " in<br>validation</th><th scope=\"col\" class=\"words\">best parameters</th></tr></thead>\n<tbody>\n",
        page->html);
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        const comparison_row *row = &comparison->rows[i];
        write_row_name(page, i, row->name);
        fprintf(page->html, "<td>%lld</td>", (long long)row->hyperparameters);
        fputs("<td class=\"words\">", page->html);
        write_formula(page->html, cell_cost(row, seconds));
        fputs("</td>", page->html);
        fprintf(page->html, "<td>%lld</td><td>%lld</td><td>%s</td>", (long long)row->draws,
                (long long)row->failed, cell_seconds(row->seconds, seconds));
        if (row->won) {
            fprintf(page->html, "<td>%.4f%s</td>", row->won->score,
                    row->won->score < 0 && !comparison->setting.is_preset ? "<br>(worse than a constant)" : "");
            write_winner(page->html, cell_winner(row->won, false, text, sizeof text));
        } else {
            page_write_text(page, "<td>-</td><td class=\"winner\">failed: ",
                            row->failure ? row->failure : "no result", "</td></tr>\n");
        }
    }
    end_table(page);
}

/* NMSE of every sample, if there are several. */
void page_write_samples(report_page *page)
{
    const cli_comparison *comparison = page->comparison;
    if (comparison->n_samples < 2)
        return;
    begin_table(page, comparison->setting.loss_score
                          ? "Loss in every sample; **: in the model confidence set of the sample."
                          : "NMSE in every sample; **: in the model confidence set of the sample.");
    fputs("<th scope=\"col\">Kernel</th>", page->html);
    for (int64_t s = 0; s < comparison->n_samples; s++)
        fprintf(page->html, "<th scope=\"col\">seed %llu<span class=\"mark\"></span></th>",
                (unsigned long long)comparison->setting.first_seed + (unsigned long long)s);
    fputs("</tr></thead>\n<tbody>\n", page->html);
    for (int64_t i = 0; i < comparison->n_rows; i++) {
        write_row_name(page, i, comparison->rows[i].name);
        for (int64_t s = 0; s < comparison->n_samples; s++) {
            const volt_comparison_row *row = volt_comparison_row_at(comparison->samples[s], i);
            if (row->failure)
                fputs("<td>-<span class=\"mark\"></span></td>", page->html);
            else
                fprintf(page->html, "<td>%.4f<span class=\"mark\">%s</span></td>",
                        measure_of(row, comparison_ranked_by(comparison)), row->in_mcs ? "**" : "");
        }
        fputs("</tr>\n", page->html);
    }
    end_table(page);
}
