/* examples/09_classify_series.c: classify time series.
 *
 * The series in data/turns_train.ts and turns_test.ts are points that turn to the left or to the right. Kernel parameters,
 * alpha and the preparation of the steps are selected on the training series, by leave-one-out accuracy. */
#include <volterra.h>

#include <stdio.h>
#include <string.h>

enum { MOST = 32, N_CLASSES = 2 };

static const char *const names[N_CLASSES] = {"left", "right"};

static int64_t number_of(const char *label)
{
    return strcmp(label, names[1]) == 0;
}

static volt_status read_beside(const char *name, volt_collection **collection)
{
    char path[4096];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*sdata/%s", slash ? (int)(slash - __FILE__) + 1 : 0, __FILE__, name);
    return volt_collection_read(path, collection);
}

static volt_status learn(const volt_collection *train, volt_series_model **model)
{
    int64_t classes[MOST];
    volt_series_options options = volt_series_options_default();
    options.kernel = "volterra"; /* open parameters are drawn; NULL: a list of kernels */
    options.draws = 8;
    for (int64_t i = 0; i < train->count; i++)
        classes[i] = number_of(train->labels[i]);
    return volt_series_fit(train->series, train->count, classes, N_CLASSES, (volt_view){0}, &options, model);
}

int main(void)
{
    volt_collection *train = NULL, *test = NULL;
    volt_series_model *model = NULL;
    double outputs[MOST][N_CLASSES];
    int64_t found[MOST], right = 0;

    volt_status status = read_beside("turns_train.ts", &train);
    if (!status)
        status = read_beside("turns_test.ts", &test);
    int fits = !status && train->count <= MOST && test->count <= MOST;
    if (fits)
        status = learn(train, &model);
    if (fits && !status)
        status = volt_series_model_predict(model, test->series, test->count, (volt_progress){0},
                                           volt_matrix_of(outputs[0], test->count, N_CLASSES),
                                           volt_matrix_of(NULL, 0, 0), found);
    if (fits && !status) {
        volt_series_info info = {.struct_size = sizeof info};
        status = volt_series_model_get_info(model, &info);
        for (int64_t i = 0; i < test->count; i++)
            right += found[i] == number_of(test->labels[i]);
        printf("kernel         %s\n", info.kernel);
        printf("nested         %.0f %% of %lld training series\n", 100 * info.nested, (long long)info.series);
        printf("test           %lld of %lld\n", (long long)right, (long long)test->count);
        printf("first series   %s: %.3f, %s: %.3f\n", names[0], outputs[0][0], names[1], outputs[0][1]);
    }
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    int good = fits && !status && right == test->count;
    volt_series_model_free(model);
    volt_collection_free(test);
    volt_collection_free(train);
    return good ? 0 : 1;
}
