/* bench/bench_io.c: MB/s of reading and writing CSV and NPY, and of saving and loading a model. */
#define _DEFAULT_SOURCE
#include "lorenz_problem.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 100000, COLS = 10, RUNS = 5 };

static double megabytes(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? 1e-6 * (double)s.st_size : 0;
}

static void report_rate(const char *name, const char *parameters, double *seconds, double size)
{
    measurement m = {.name = name, .parameters = parameters, .unit = "MB/s", .time = timing_of(seconds, RUNS)};
    m.value = size / m.time.best;
    report(&m);
}

static void measure_table(const char *folder, const char *extension, volt_view values)
{
    char path[256], parameters[96], name[32];
    double write_seconds[RUNS], read_seconds[RUNS];
    snprintf(path, sizeof path, "%s/table.%s", folder, extension);
    for (int run = 0; run < RUNS; run++) {
        volt_table *table = NULL;
        double begin = seconds_now();
        need(volt_table_write(path, values, NULL, NULL), "write");
        double middle = seconds_now();
        need(volt_table_read(path, NULL, &table), "read");
        write_seconds[run] = middle - begin;
        read_seconds[run] = seconds_now() - middle;
        int same = table->rows == values.rows && table->cols == values.cols &&
                   memcmp(table->values, values.data, sizeof(double) * (size_t)(ROWS * COLS)) == 0;
        need_close("the table that was read", same ? 0 : 1, 0);
        volt_table_free(table);
    }
    double size = megabytes(path);
    snprintf(parameters, sizeof parameters, "rows=%d cols=%d MB=%.1f", ROWS, COLS, size);
    snprintf(name, sizeof name, "write %s", extension);
    report_rate(name, parameters, write_seconds, size);
    snprintf(name, sizeof name, "read %s", extension);
    report_rate(name, parameters, read_seconds, size);
    remove(path);
}

static void measure_model(const char *folder)
{
    const double start[LORENZ_D] = {0, 1, 1.05};
    char path[256], parameters[96];
    double save_seconds[RUNS], load_seconds[RUNS];
    lorenz_problem problem = lorenz_problem_make(start, 0, 0);
    volt_model *model = lorenz_fit(&problem);
    volt_model_info saved = {.struct_size = sizeof saved}, loaded = {.struct_size = sizeof loaded};
    volt_model_get_info(model, &saved);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    for (int run = 0; run < RUNS; run++) {
        volt_model *copy = NULL;
        double begin = seconds_now();
        need(volt_model_save(model, path, (volt_progress){0}), "save");
        double middle = seconds_now();
        need(volt_model_load(path, &copy), "load");
        save_seconds[run] = middle - begin;
        load_seconds[run] = seconds_now() - middle;
        volt_model_get_info(copy, &loaded);
        int same = loaded.n == saved.n && memcmp(loaded.coefficients, saved.coefficients,
                                                 sizeof(double) * (size_t)(saved.n * saved.q)) == 0;
        need_close("the model that was loaded", same ? 0 : 1, 0);
        volt_model_free(copy);
    }
    double size = megabytes(path);
    snprintf(parameters, sizeof parameters, "n=%d d=3 q=3 MB=%.2f", LORENZ_PAIRS, size);
    report_rate("save model", parameters, save_seconds, size);
    report_rate("load model", parameters, load_seconds, size);
    remove(path);
    volt_model_free(model);
    lorenz_problem_free(&problem);
}

int main(void)
{
    const char *parent = getenv("TMPDIR");
    char folder[200];
    snprintf(folder, sizeof folder, "%s/volterra-bench-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        perror("bench: a temporary folder");
        return 1;
    }
    volt_matrix values = volt_matrix_of(need_doubles((int64_t)ROWS * COLS), ROWS, COLS);
    gaussian_inputs(5, values);
    measure_table(folder, "csv", volt_as_view(values));
    measure_table(folder, "npy", volt_as_view(values));
    measure_model(folder);
    free(values.data);
    rmdir(folder);
    return 0;
}
