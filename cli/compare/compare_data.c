/* cli/compare/compare_data.c: samples for a comparison of kernels. */
#include "compare/comparison.h"

#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/messages.h"
#include "volterra/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LENGTH = 96 };

/* Allocates one block: the pointers, then the names, all initially "". */
static int allocate_names(compare_data *data, int64_t count, char **names)
{
    size_t n = (size_t)count;
    data->output_names = calloc(n, sizeof *data->output_names + NAME_LENGTH);
    if (!data->output_names)
        return complain(EXIT_FAILED, "not enough memory for the names of the outputs");
    *names = (char *)(data->output_names + n);
    for (size_t k = 0; k < n; k++)
        data->output_names[k] = *names + k * NAME_LENGTH;
    return 0;
}

/* Names the outputs in vech order, by column: h11, h21, ..., hd1, h22, ... */
static int name_covariances(compare_data *data)
{
    int64_t d = data->model->d, k = 0;
    char *const *tickers = data->model->tickers;
    char *names = NULL;
    int failed = allocate_names(data, d * (d + 1) / 2, &names);
    for (int64_t j = 0; !failed && j < d; j++)
        for (int64_t i = j; i < d; i++) {
            char *name = names + NAME_LENGTH * k++;
            if (!tickers)
                snprintf(name, NAME_LENGTH, "h%lld,%lld", (long long)i + 1, (long long)j + 1);
            else if (i == j)
                snprintf(name, NAME_LENGTH, "variance of %.32s", tickers[i]);
            else
                snprintf(name, NAME_LENGTH, "covariance of %.32s and %.32s", tickers[j], tickers[i]);
        }
    return failed;
}

int compare_data_preset(compare_data *data, const char *preset, int64_t pairs)
{
    volt_status status = volt_bekk_preset(preset, &data->model);
    if (status)
        return complain_status(status);
    int64_t d = data->model->d, q = d * (d + 1) / 2;
    int failed = name_covariances(data);
    if (!failed)
        failed = allocate_matrix(pairs, d, "a sample", &data->X);
    if (!failed)
        failed = allocate_matrix(pairs, q, "a sample", &data->Y);
    data->inputs = volt_as_view(data->X);
    data->targets = volt_as_view(data->Y);
    data->seen_inputs = data->inputs;
    data->seen_targets = data->targets;
    return failed;
}

int compare_data_user(compare_data *data, const training_arguments *arguments)
{
    int failed = training_read(arguments, &data->user);
    if (failed)
        return failed;
    data->inputs = data->user.inputs;
    data->targets = data->user.targets;
    data->output_names = names_or_default(data->user.pairing->output_names, "y", data->targets.cols);
    return data->output_names ? 0 : complain(EXIT_FAILED, "not enough memory for the names of the outputs");
}

int compare_data_prepare(compare_data *data, const training_arguments *arguments, bool levels,
                         int64_t learn_rows)
{
    int failed = search_data_prepare(arguments, &data->user, levels, learn_rows, &data->seen);
    if (failed)
        return failed;
    data->seen_inputs = data->seen.prepared->X;
    data->seen_targets = data->seen.prepared->Y;
    return 0;
}

/* The data of the paper: innovations z_t of a BEKK model as inputs and 1000 vech(H_{t+1}) as targets. */
int compare_data_sample(compare_data *data, uint64_t seed)
{
    static const double target_unit = 1000; /* daily covariances are small */
    volt_matrix X = data->X, Y = data->Y, z = {0}, h = {0};
    if (!data->model)
        return 0;
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.seed = seed;
    int failed = allocate_matrix(X.rows + 1, X.cols, "the innovations", &z);
    if (!failed)
        failed = allocate_matrix(Y.rows + 1, Y.cols, "the covariances", &h);
    if (!failed) {
        volt_status status = volt_bekk_simulate(data->model, &options, z, (volt_matrix){0}, h);
        failed = status ? complain_status(status) : 0;
    }
    for (int64_t t = 0; !failed && t < X.rows; t++) {
        memcpy(X.data + t * X.ld, z.data + t * z.ld, (size_t)X.cols * sizeof *X.data);
        for (int64_t k = 0; k < Y.cols; k++)
            Y.data[t * Y.ld + k] = target_unit * h.data[(t + 1) * h.ld + k];
    }
    free(z.data);
    free(h.data);
    return failed;
}

int compare_data_keep_truth(compare_data *data, int64_t n_train)
{
    volt_view test = volt_view_rows(data->targets, n_train, data->targets.rows - n_train);
    int failed = allocate_matrix(test.rows, test.cols, "the test targets", &data->truth);
    for (int64_t t = 0; !failed && test.data && t < test.rows; t++)
        for (int64_t k = 0; k < test.cols; k++)
            data->truth.data[t * data->truth.ld + k] = test.data[t * test.ld + k];
    return failed;
}

void compare_data_release(compare_data *data)
{
    search_data_release(&data->seen);
    training_release(&data->user);
    volt_bekk_free(data->model);
    free(data->X.data);
    free(data->Y.data);
    free(data->truth.data);
    free((void *)data->output_names);
    memset(data, 0, sizeof *data);
}
