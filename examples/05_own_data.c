/* examples/05_own_data.c: read a CSV file, save and load a model, write predictions as CSV.
 *
 *     05_own_data [FILE:INPUT,TARGET]        default: data/tanks.csv:pump,level in the directory of this source file */
#include <volterra.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WASHOUT = 100 };

/* Fits a model on the first n rows and saves it to `path`. */
static volt_status fit_and_save(volt_view X, volt_view Y, const char *path)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;
    options.washout = WASHOUT;

    volt_status status = volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.99", &kernel);
    if (!status)
        status = volt_model_fit(kernel, X, Y, &options, volt_matrix_of(NULL, 0, 0), &model);
    if (!status)
        status = volt_model_save(model, path, (volt_progress){0});
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

/* Loads the model and predicts the rows that follow those of training. */
static volt_status load_and_forecast(const char *path, volt_view X, volt_matrix out, int64_t *clipped)
{
    volt_model *model = NULL;
    volt_status status = volt_model_load(path, &model);
    if (!status)
        status = volt_model_predict(model, X, NULL, out, clipped);
    volt_model_free(model);
    return status;
}

int main(int argc, char **argv)
{
    char source[4096], model[4096], csv[4096];
    const char *slash = strrchr(__FILE__, '/'), *scratch = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    int folder = slash ? (int)(slash - __FILE__) + 1 : 0;
    snprintf(source, sizeof source, "%.*sdata/tanks.csv:pump,level", folder, __FILE__);
    snprintf(model, sizeof model, "%s/tanks.safetensors", scratch);
    snprintf(csv, sizeof csv, "%s/tanks_forecast.csv", scratch);

    volt_table *table = NULL;
    if (volt_table_read(argc > 1 ? argv[1] : source, NULL, &table) || table->cols != 2) {
        fprintf(stderr, "%s\n", table ? "name two columns, FILE:INPUT,TARGET" : volt_error_detail());
        volt_table_free(table);
        return 1;
    }
    int64_t n_train = table->rows * 3 / 4, n_new = table->rows - n_train, clipped = 0;
    volt_view X = {table->values, table->rows, 1, 2}, Y = {table->values + 1, table->rows, 1, 2};
    volt_matrix out = volt_matrix_of(malloc((size_t)n_new * sizeof(double)), n_new, 1);

    volt_metrics metrics = {.struct_size = sizeof metrics};
    volt_status status = fit_and_save(volt_view_rows(X, 0, n_train), volt_view_rows(Y, 0, n_train), model);
    if (!status)
        status = load_and_forecast(model, volt_view_rows(X, n_train, n_new), out, &clipped);
    if (!status)
        status = volt_table_write(csv, volt_as_view(out), (const char *const *)table->names + 1, NULL);
    if (!status)
        status = volt_metrics_compute(volt_view_rows(Y, n_train, n_new), volt_as_view(out), &metrics);
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    else
        printf("%lld rows fitted: %s\n%lld forecasts: %s\nR2 %.3f, median error %.3f, %lld inputs clipped\n",
               (long long)n_train, model, (long long)n_new, csv, metrics.r2, metrics.mdae, (long long)clipped);
    free(out.data);
    volt_table_free(table);
    return !status && metrics.r2 > 0.95 ? 0 : 1;
}
