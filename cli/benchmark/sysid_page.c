/* cli/benchmark/sysid_page.c: the files of a run: tables, pictures, and a page of both. */
#include "benchmark/sysid_report.h"
#include "files/gnuplot.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "page/inline_svg.h"
#include "page/page_frame.h"
#include "terminal/messages.h"
#include "terminal/text_stream.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the page --------------------------------------------------------------------------------- */

static void write_cell(FILE *html, double value, bool is_own)
{
    if (value > 0)
        fprintf(html, "<td%s>%.3g</td>", is_own ? " class=\"lowest\"" : "", value);
    else
        fputs("<td>-</td>", html);
}

static void write_table(FILE *html, const sysid_runs *runs)
{
    sysid_figure figures[SYSID_MOST_FIGURES];
    int count = sysid_figures(runs, figures);
    html_write_text(
        html,
        "<p class=\"caption\" id=\"table1\">Table 1. RMSE of the simulations of the test rows. Other methods: ",
        sysid_published_source, ".</p>\n");
    fputs("<div class=\"scroll\"><table aria-labelledby=\"table1\">\n<thead><tr><th scope=\"col\">Method</th>",
          html);
    for (int i = 0; i < count; i++) {
        html_write_text(html, "<th scope=\"col\">", figures[i].run->set->title, "<br>");
        html_write_text(html, "", figures[i].measure->column, "");
        fprintf(html, ", %s</th>", figures[i].run->set->unit);
    }
    fputs("</tr></thead>\n<tbody>\n<tr><th scope=\"row\">volterra</th>", html);
    for (int i = 0; i < count; i++)
        write_cell(html, figures[i].value, true);
    fputs("</tr>\n", html);
    for (int m = 0; m < n_sysid_published; m++) {
        html_write_text(html, "<tr><th scope=\"row\">", sysid_published_rows[m].method, "</th>");
        for (int i = 0; i < count; i++)
            write_cell(html, sysid_published_figure(&sysid_published_rows[m], &figures[i]), false);
        fputs("</tr>\n", html);
    }
    fputs("</tbody>\n</table></div>\n", html);
}

static int write_run(FILE *html, const sysid_run *run, sysid_svgs svgs, int *figures)
{
    const sysid_setting *setting = &run->setting;
    const int64_t first = setting->first + setting->washout;
    char *commands = sysid_commands(run);
    if (!commands)
        return complain(EXIT_FAILED, "not enough memory for the commands");
    html_write_text(html, "<h2>", run->set->title, "</h2>\n");
    if (setting->how)
        html_write_text(html, "<p>", setting->how, "</p>\n");
    if (run->draws > 0)
        fprintf(html, "<p>The setting was searched in this run, on training rows: %lld draws.</p>\n",
                (long long)run->draws);
    fprintf(
        html,
        "<p>Fitted on %lld rows from row %lld of the file on; the %lld before them feed the past alone.</p>\n",
        (long long)setting->rows, (long long)first, (long long)setting->washout);
    for (int i = 0; i < run->set->n_tests; i++) {
        if (!svgs[i])
            continue;
        char prefix[32];
        snprintf(prefix, sizeof prefix, "f%d-", ++*figures);
        html_write_text(html, "<figure>\n<h3>", run->set->tests[i].name, "</h3>\n");
        inline_svg_write(html, svgs[i], prefix, run->set->tests[i].name);
        fprintf(
            html,
            "<figcaption>Figure %d. Above: measured and simulated; in the middle: the rows around the largest "
            "error; below: simulated less measured.</figcaption>\n</figure>\n",
            *figures);
    }
    fputs("<p>The same by hand:</p>\n<pre>", html);
    for (char *line = strtok(commands, "\n"); line; line = strtok(NULL, "\n"))
        html_write_text(html, "", line, "\n");
    fputs("</pre>\n", html);
    free(commands);
    return 0;
}

int sysid_page(const char *path, const sysid_runs *runs, sysid_svgs *svgs)
{
    text_stream memory;
    FILE *html = text_open(&memory);
    int failed = html ? 0 : complain(EXIT_FAILED, "not enough memory for the report"), figures = 0;
    if (html) {
        page_begin(html, "Benchmark", "identification of nonlinear systems");
        fputs("<p class=\"finding\">Measured systems, simulated from their inputs alone.</p>\n<p>The model "
              "sees the "
              "inputs of the test from a zero past on, and no measured output. Settings were chosen on "
              "training rows "
              "alone.</p>\n<h2>Results</h2>\n",
              html);
        write_table(html, runs);
    }
    for (int r = 0; !failed && r < runs->count; r++)
        failed = write_run(html, &runs->runs[r], svgs[r], &figures);
    if (!failed)
        page_end(html, runs->command, NULL);
    char *text = text_close(&memory);
    if (!failed)
        failed = text ? output_text(path, text) : complain(EXIT_FAILED, "not enough memory for the report");
    free(text);
    return failed;
}

/* ---- the files -------------------------------------------------------------------------------- */

static int file_name(char name[PATH_MAX], const char *prefix, const sysid_run *run, int test,
                     const char *ending)
{
    int length =
        run ? snprintf(name, PATH_MAX, "%s-%s-%s%s", prefix, run->set->name, run->set->tests[test].name, ending)
            : snprintf(name, PATH_MAX, "%s%s", prefix, ending);
    return length < PATH_MAX ? 0 : complain(EXIT_USAGE, "the name %s is too long", prefix);
}

int sysid_check_files(const sysid_runs *runs, const char *prefix)
{
    char name[PATH_MAX];
    int failed = file_name(name, prefix, NULL, 0, ".html");
    if (!failed)
        failed = output_check(name);
    for (int r = 0; !failed && r < runs->count; r++)
        for (int i = 0; !failed && i < runs->runs[r].set->n_tests; i++) {
            failed = file_name(name, prefix, &runs->runs[r], i, ".csv");
            if (!failed)
                failed = output_check(name);
        }
    return failed;
}

static int make_table(const sysid_run *run, int i, volt_matrix *table)
{
    const volt_table *test = run->data.tests[i];
    int failed = allocate_matrix(test->rows, SYSID_COLUMNS, "the table of a simulation", table);
    for (int64_t t = 0; !failed && t < test->rows; t++) {
        double *row = table->data + t * table->ld;
        row[SYSID_INPUT] = test->values[t * test->cols];
        row[SYSID_MEASURED] = test->values[t * test->cols + 1];
        row[SYSID_SIMULATED] = run->simulated[i].data[t * run->simulated[i].ld];
        row[SYSID_ERROR] = row[SYSID_SIMULATED] - row[SYSID_MEASURED];
    }
    return failed;
}

/* The picture of a test as text; NULL after saying what is wrong. */
static char *draw(const sysid_run *run, int test, volt_view table)
{
    text_stream memory;
    FILE *script = gnuplot_script();
    if (!script)
        return NULL;
    sysid_picture(script, run, test, table);
    int failed = text_open(&memory) ? gnuplot_draw(script, memory.out) : 0;
    char *svg = text_close(&memory);
    if (!svg && !failed)
        complain(EXIT_FAILED, "not enough memory for a picture");
    fclose(script);
    if (failed) {
        free(svg);
        svg = NULL;
    }
    return svg;
}

static int write_test(const sysid_run *run, int i, const char *prefix, bool with_picture, char **svg)
{
    static const char *const names[] = {"input", "measured", "simulated", "error"};
    char name[PATH_MAX];
    volt_matrix table = {0};
    int failed = make_table(run, i, &table);
    if (!failed)
        failed = file_name(name, prefix, run, i, ".csv");
    if (!failed)
        failed = output_matrix(name, volt_as_view(table), names, false, NULL, 0);
    if (!failed && with_picture) {
        *svg = draw(run, i, volt_as_view(table));
        failed = *svg ? file_name(name, prefix, run, i, ".svg") : EXIT_FAILED;
        if (!failed)
            failed = output_text(name, *svg);
    }
    free(table.data);
    return failed;
}

static int write_all(const sysid_runs *runs, const char *prefix, bool with_pictures, sysid_svgs *svgs)
{
    char name[PATH_MAX];
    int failed = 0;
    for (int r = 0; !failed && r < runs->count; r++)
        for (int i = 0; !failed && i < runs->runs[r].set->n_tests; i++)
            failed = write_test(&runs->runs[r], i, prefix, with_pictures, &svgs[r][i]);
    if (!failed)
        failed = file_name(name, prefix, NULL, 0, ".html");
    return failed ? failed : sysid_page(name, runs, svgs);
}

int sysid_write_files(const sysid_runs *runs, const char *prefix)
{
    bool with_pictures = gnuplot_is_there();
    sysid_svgs *svgs = calloc((size_t)runs->count, sizeof *svgs);
    if (!svgs)
        return complain(EXIT_FAILED, "not enough memory for the pictures");
    if (!with_pictures)
        warn("there are no pictures: there is no program gnuplot to draw them (Debian: gnuplot-nox)");
    int failed = write_all(runs, prefix, with_pictures, svgs);
    for (int r = 0; r < runs->count; r++)
        for (int i = 0; i < SYSID_MOST_TESTS; i++)
            free(svgs[r][i]);
    free(svgs);
    return failed;
}
