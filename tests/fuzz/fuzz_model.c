/* tests/fuzz/fuzz_model.c: libFuzzer target for the model loader, with a valid checksum.
 *
 * The header length, padding and checksum are corrected, so that mutations of the metadata, shapes and
 * tensors reach the loader. With a loaded model a prediction is rejected, or finite and unchanged after the
 * model is saved and loaded again. The same holds for intervals, standard deviations and noisy paths. Exported as C or JSON, a
 * model has only finite numbers. */
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_mend.h"
#include "fuzz/fuzz_own_file.h"

#include "base/json.h"
#include "support/live_options.h"
#include "support/predict_std.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A forecast costs about rows x window^2 steps of a path, times the inputs: small models show as much. */
enum { MAX_BYTES = 1 << 14, MAX_WIDTH = 64, ROWS = 2 };
static const double untouched = -12345.678;

/* Predictions of two arbitrary rows; returns whether they succeeded. */
static int forecast(const volt_model *model, const volt_model_info *info, double out[ROWS * MAX_WIDTH])
{
    double X[ROWS * MAX_WIDTH];
    volt_predict_options options = volt_predict_options_default();
    for (int64_t i = 0; i < ROWS * info->d; i++)
        X[i] = 0.75 - 0.5 * (double)(i % 3);
    for (int64_t i = 0; i < ROWS * info->q; i++)
        out[i] = untouched;
    volt_status status = volt_model_predict(model, volt_view_of(X, ROWS, info->d), &options,
                                            volt_matrix_of(out, ROWS, info->q), NULL);
    for (int64_t i = 0; i < ROWS * info->q; i++)
        FUZZ_CHECK(status ? out[i] == untouched : isfinite(out[i]));

    double y[MAX_WIDTH];
    volt_live *stream = NULL;
    if (volt_live_create(model, as_live(&options), &stream) == VOLT_OK) {
        for (int64_t i = 0; i < info->q; i++)
            y[i] = untouched;
        volt_status pushed = volt_live_feed(stream, X, y);
        for (int64_t i = 0; i < info->q; i++)
            FUZZ_CHECK(pushed ? y[i] == untouched : isfinite(y[i]));
        volt_live_free(stream);
    }
    return status == VOLT_OK;
}

/* Results are finite and at least `least`, or nothing was written. */
static void check_numbers(volt_status status, const double *numbers, int64_t n, double least)
{
    for (int64_t i = 0; i < n; i++)
        FUZZ_CHECK(status ? numbers[i] == untouched : isfinite(numbers[i]) && numbers[i] >= least);
}

/* Intervals and standard deviations. */
static void use_uncertainty(const volt_model *model, const volt_model_info *info)
{
    static const double coverages[] = {0.5, 0.8};
    double X[ROWS * MAX_WIDTH], first[ROWS * MAX_WIDTH], second[ROWS * MAX_WIDTH];
    int64_t n = ROWS * info->q;
    for (int64_t i = 0; i < ROWS * MAX_WIDTH; i++) {
        X[i] = 0.5 - 0.25 * (double)(i % 5);
        first[i] = second[i] = untouched;
    }
    check_numbers(volt_model_interval(model, coverages, 2, volt_matrix_of(first, 2, info->q)), first, n, 0);
    for (int64_t i = 0; i < n; i++)
        first[i] = untouched;
    volt_status status =
        predict_std(model, volt_view_of(X, ROWS, info->d), NULL, volt_matrix_of(first, ROWS, info->q),
                    volt_matrix_of(second, ROWS, info->q), NULL);
    check_numbers(status, second, n, 0);
    for (int64_t i = 0; i < n; i++)
        first[i] = untouched;
    status = volt_model_continue(
        model, (volt_view){0},
        &(volt_predict_options){.struct_size = sizeof(volt_predict_options), .paths = 2, .seed = 1},
        volt_matrix_of(first, 2, info->q), NULL);
    check_numbers(status, first, n, -INFINITY);
}

/* Replaces comments by blanks. */
static void blank_comments(char *text)
{
    for (char *begin = strstr(text, "/*"); begin; begin = strstr(begin, "/*")) {
        char *end = strstr(begin + 2, "*/");
        FUZZ_CHECK(end);
        memset(begin, ' ', (size_t)(end + 2 - begin));
    }
}

/* Exports the model; the text is complete and has no number that is not finite. */
static void export_text(const volt_model *model, volt_export_format format, int single)
{
    static char path[sizeof fuzz_file + 4], header[sizeof path];
    static const double coverages[] = {0.5};
    volt_export_options options = {.struct_size = sizeof options, .format = format, .single = single};
    snprintf(path, sizeof path, "%s.c", fuzz_own_path());
    snprintf(header, sizeof header, "%s.h", fuzz_own_path());
    if (single)
        options.landmarks = 1;
    else
        options.coverages = coverages;
    options.n_coverages = !single;
    volt_export_report report = {.struct_size = sizeof report};
    if (volt_model_export(model, &options, path, &report)) {
        FUZZ_CHECK(*volt_error_detail() && access(path, F_OK) != 0 && access(header, F_OK) != 0);
        return;
    }
    size_t size = 0;
    char *text = (char *)fuzz_read(path, &size);
    text[size] = '\0';
    FUZZ_CHECK(size > 0 && strlen(text) == size && text[size - 1] == '\n');
    FUZZ_CHECK(report.parts >= 1 && report.rows >= 0 && report.state_bytes >= 0 && isfinite(report.operations));
    if (format == VOLT_EXPORT_JSON) {
        json_t *root = NULL;
        FUZZ_CHECK(volt_json_parse(text, (int64_t)size, &root) == VOLT_OK);
        json_decref(root);
    } else {
        blank_comments(text);
        FUZZ_CHECK(!strstr(text, " nan") && !strstr(text, " inf") && !strstr(text, "-inf"));
        FUZZ_CHECK(access(header, R_OK) == 0);
    }
    free(text);
    unlink(path);
    unlink(header);
}

static void use(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    double first[ROWS * MAX_WIDTH], second[ROWS * MAX_WIDTH];
    volt_model_get_info(model, &info);
    FUZZ_CHECK(info.n >= 1 && info.d >= 1 && info.q >= 1);
    if (info.d > MAX_WIDTH || info.q > MAX_WIDTH)
        return;
    int has_forecast = forecast(model, &info, first);
    use_uncertainty(model, &info);

    const char *path = fuzz_own_path();
    volt_model *again = NULL;
    FUZZ_CHECK(volt_model_save(model, path, (volt_progress){0}) == VOLT_OK);
    FUZZ_CHECK(volt_model_load(path, &again) == VOLT_OK);
    FUZZ_CHECK(forecast(again, &info, second) == has_forecast);
    FUZZ_CHECK(memcmp(first, second, (size_t)(ROWS * info.q) * sizeof *first) == 0);
    volt_model_free(again);
    export_text(model, VOLT_EXPORT_C, 0);
    export_text(model, VOLT_EXPORT_C, 1);
    export_text(model, VOLT_EXPORT_JSON, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int is_ready;
    if (!is_ready)
        is_ready = volt_set_threads(1) == VOLT_OK;
    if (size < SAFETENSORS_LENGTH_BYTES || size > MAX_BYTES)
        return 0;
    size_t mended_size;
    uint8_t *mended = fuzz_mend(bytes, size, &mended_size);
    volt_model *model = NULL;
    if (volt_model_load(fuzz_input_path(mended, mended_size), &model) == VOLT_OK)
        use(model);
    else
        FUZZ_CHECK(!model && *volt_error_detail());
    volt_model_free(model);
    free(mended);
    return 0;
}
