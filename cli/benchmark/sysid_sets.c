/* cli/benchmark/sysid_sets.c: three measured systems, their files and their official splits.
 *
 * The splits are those of the Python package nonlinear_benchmarks; an error counts after the first 50 rows of a test, which
 * are there to set a state. The tanks had 5 such rows until its version 1.0, and the published figures are of that protocol. */
#include "benchmark/sysid.h"
#include "files/outputs.h"
#include "terminal/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SILVERBOX_FIRST = 40650, SILVERBOX_SPLIT = 40650 + 65062, SILVERBOX_END = 127400 };

const sysid_set sysid_sets[] = {
    {.name = "wh",
     .title = "Wiener-Hammerstein",
     .files = {"wiener_hammerstein.csv", "WienerHammerBenchMark.csv", "WienerHammerBenchMark.mat"},
     .input = "uBenchMark",
     .output = "yBenchMark",
     .first = 5200,
     .end = 105200,
     .file_rows = 184000,
     .unit = "mV",
     .per_unit = 1000,
     .n_tests = 1,
     .tests = {{.name = "test",
                .input = "uBenchMark",
                .output = "yBenchMark",
                .first = 105200,
                .end = 184000,
                .n_measures = 1,
                .measures = {{"Wiener-Hammerstein", "WH", "test", 50, 3}}}}},
    {.name = "silverbox",
     .title = "Silverbox",
     .files = {"silverbox_snls80mv.csv", "SNLS80mV.csv", "SNLS80mV.mat", "SilverboxFiles/SNLS80mV.csv",
               "SilverboxFiles/SNLS80mV.mat"},
     .input = "V1",
     .output = "V2",
     .first = SILVERBOX_FIRST,
     .end = SILVERBOX_SPLIT,
     .file_rows = SILVERBOX_END,
     .unit = "mV",
     .per_unit = 1000,
     .n_tests = 2,
     .tests = {{.name = "multisine",
                .input = "V1",
                .output = "V2",
                .first = SILVERBOX_SPLIT,
                .end = SILVERBOX_END,
                .n_measures = 1,
                .measures = {{"Silverbox multisine", "SB multisine", "multisine", 50, 0}}},
               {.name = "arrow",
                .input = "V1",
                .output = "V2",
                .first = 100,
                .end = 40575,
                .n_measures = 2,
                .measures = {{"Silverbox arrow", "SB arrow", "arrow", 50, 1},
                             {"Silverbox arrow, no extrapolation", "SB no extrap.", "arrow, no extrap.", 50,
                              2}},
                .rows = {0, 32000}}}},
    {.name = "tanks",
     .title = "Cascaded Tanks",
     .files = {"cascaded_tanks.csv", "dataBenchmark.csv", "dataBenchmark.mat",
               "CascadedTanksFiles/dataBenchmark.csv", "CascadedTanksFiles/dataBenchmark.mat"},
     .input = "uEst",
     .output = "yEst",
     .file_rows = 1024,
     .unit = "V",
     .per_unit = 1,
     .n_tests = 1,
     .tests = {{.name = "validation",
                .input = "uVal",
                .output = "yVal",
                .n_measures = 2,
                .measures = {{"Cascaded Tanks", "tanks, 5", "after 5 rows", 5, 4},
                             {"Cascaded Tanks", "tanks, 50", "after 50 rows", 50, -1}}}}},
};
const int n_sysid_sets = (int)(sizeof sysid_sets / sizeof sysid_sets[0]);

name_list sysid_set_names(void)
{
    name_list list = {0};
    for (int i = 0; i < n_sysid_sets; i++)
        names_add(&list, sysid_sets[i].name);
    return list;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* The first of the set's files that is in the folder, into data->path. */
static int find_file(sysid_data *data, const char *folder)
{
    const sysid_set *set = data->set;
    for (int i = 0; i < SYSID_MOST_FILES && set->files[i]; i++) {
        size_t size = strlen(folder) + strlen(set->files[i]) + 2;
        char *path = malloc(size);
        if (!path)
            return complain(EXIT_FAILED, "not enough memory for the name of a file");
        snprintf(path, size, "%s/%s", folder, set->files[i]);
        if (access(path, F_OK) == 0) {
            data->path = path;
            return 0;
        }
        free(path);
    }
    name_list names = {0};
    char text[256];
    for (int i = 0; i < SYSID_MOST_FILES && set->files[i]; i++)
        if (!strchr(set->files[i], '/'))
            names_add(&names, set->files[i]);
    return complain(EXIT_FAILED, "the data of %s are not in %s: there is no %s", set->title, folder,
                    names_join(&names, ", ", " or ", text, sizeof text));
}

/* Rows first <= t < end of two columns of the file. */
static int read_columns(const sysid_data *data, const char *input, const char *output, int64_t first,
                        int64_t end, volt_table **table)
{
    size_t size = strlen(data->path) + strlen(input) + strlen(output) + 3;
    char *source = malloc(size);
    if (!source)
        return complain(EXIT_FAILED, "not enough memory for the name of a file");
    snprintf(source, size, "%s:%s,%s", data->path, input, output);
    volt_read_options options = volt_read_options_default();
    options.first = first;
    options.end = end ? end : VOLT_LAST_ROW;
    volt_status status = volt_table_read_part(source, &options, table);
    free(source);
    if (status == VOLT_ERR_SHAPE)
        return complain(EXIT_FAILED, "%s is not the published file of %s: it has fewer than %lld rows",
                        data->path, data->set->title, (long long)data->set->file_rows);
    if (status)
        return complain_status(status);
    if ((*table)->file_rows < data->set->file_rows)
        return complain(EXIT_FAILED,
                        "%s is not the published file of %s: it has %lld rows, and %lld are needed", data->path,
                        data->set->title, (long long)(*table)->file_rows, (long long)data->set->file_rows);
    return 0;
}

int sysid_read(sysid_data *data, const sysid_set *set, const char *folder)
{
    data->set = set;
    int failed = find_file(data, folder);
    if (!failed)
        failed = read_columns(data, set->input, set->output, set->first, set->end, &data->train);
    for (int i = 0; !failed && i < set->n_tests; i++) {
        const sysid_test *test = &set->tests[i];
        failed = read_columns(data, test->input, test->output, test->first, test->end, &data->tests[i]);
    }
    return failed;
}

void sysid_release(sysid_run *run)
{
    free(run->data.path);
    volt_table_free(run->data.train);
    for (int i = 0; i < SYSID_MOST_TESTS; i++) {
        volt_table_free(run->data.tests[i]);
        free(run->simulated[i].data);
    }
    *run = (sysid_run){0};
}
