/* cli/commands/bekk_params.c: reads BEKK parameters from a file or preset, and simulates from them. */
#include "commands/bekk_params.h"

#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

name_list bekk_preset_names(void)
{
    name_list names = {0};
    for (int64_t i = 0; volt_bekk_preset_name(i); i++)
        names_add(&names, volt_bekk_preset_name(i));
    return names;
}

static int read_file(const char *path, volt_bekk **params)
{
    char *text = NULL;
    volt_status status = volt_text_read(path, &text);
    if (status)
        return complain_status(status);
    status = volt_bekk_from_json(text, params);
    volt_free(text);
    return status ? complain_status_hint(status, " (in %s)", path) : 0;
}

int bekk_params_read(const char *path, const char *preset, volt_bekk **params)
{
    if (path && preset)
        return complain(EXIT_USAGE, "the file %s and --preset %s cannot be given together", path, preset);
    if (path)
        return read_file(path, params);
    if (!preset) {
        char all[512];
        name_list names = bekk_preset_names();
        return complain(EXIT_USAGE, "a file of BEKK parameters or --preset is required (presets: %s)",
                        names_join(&names, ", ", ", ", all, sizeof all));
    }
    volt_status status = volt_bekk_preset(preset, params);
    return status ? complain_status(status) : 0;
}

/* ---- simulation ------------------------------------------------------------------------------- */

enum { NAME_LENGTH = 16 };

/* Returns the column names in one block, freed by the caller. */
static const char **column_names(int64_t d)
{
    size_t count = (size_t)(2 * d + d * (d + 1) / 2);
    const char **names = malloc(count * (sizeof *names + NAME_LENGTH));
    if (!names)
        return NULL;
    char *text = (char *)(names + count);
    size_t at = 0;
    for (int64_t i = 0; i < 2 * d; i++, at++)
        snprintf(text + at * NAME_LENGTH, NAME_LENGTH, "%c%d", i < d ? 'z' : 'r', (int)(i % d + 1));
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = j; i < d; i++, at++)
            snprintf(text + at * NAME_LENGTH, NAME_LENGTH, d < 10 ? "h%d%d" : "h%d_%d", (int)(i + 1),
                     (int)(j + 1));
    for (size_t k = 0; k < count; k++)
        names[k] = text + k * NAME_LENGTH;
    return names;
}

static volt_matrix columns_of(volt_matrix all, int64_t first, int64_t count)
{
    volt_matrix part = {all.data + first, all.rows, count, all.ld};
    return part;
}

static int write_rows(const bekk_simulation *simulation, volt_view rows)
{
    bool json = simulation->common.json;
    int64_t d = simulation->params->d;
    const char **names = column_names(d);
    if (!names)
        return complain(EXIT_FAILED, "not enough memory for the names of the columns");
    int failed = output_matrix(simulation->output, rows, names, json);
    free((void *)names);
    if (failed || is_standard_output(simulation->output))
        return failed;
    result_list *results = results_new(json);
    results_text(results, "system", NULL, "bekk");
    results_count(results, "rows", NULL, rows.rows);
    results_count(results, "columns", NULL, rows.cols);
    results_count(results, "assets", NULL, d);
    results_text(results, "output", NULL, "%s", simulation->output);
    results_text(results, NULL, simulation->output, "%lld rows of bekk, %lld assets, parameters of %s",
                 (long long)rows.rows, (long long)d, simulation->origin);
    return results_print(results);
}

int bekk_simulate(const bekk_simulation *simulation)
{
    int failed = output_check(simulation->output);
    if (failed)
        return failed;
    volt_matrix all = {0};
    int64_t d = simulation->params->d, entries = d * (d + 1) / 2;
    failed = allocate_matrix(simulation->length, 2 * d + entries, "the sequence", &all);
    if (failed)
        return failed;
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    if (simulation->common.seed.given)
        options.seed = simulation->common.seed.value;
    if (simulation->discard >= 0)
        options.discard = simulation->discard;
    options.progress = progress_begin(simulation->common.quiet);
    volt_status status = volt_bekk_simulate(simulation->params, &options, columns_of(all, 0, d),
                                            columns_of(all, d, d), columns_of(all, 2 * d, entries));
    progress_end();
    failed = status ? complain_status(status) : write_rows(simulation, volt_as_view(all));
    free(all.data);
    return failed;
}
