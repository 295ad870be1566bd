/* src/study/published_scaling.c: standardised columns, or a ball that holds training and test rows. */
#include "study/published_scaling.h"

#include "kernel/extent.h"
#include "model/scaling.h"

#include <math.h>

void volt_published_moments(volt_view Y, int64_t n_train, double *mean, double *deviation)
{
    volt_target_scale_learn(volt_view_rows(Y, 0, n_train), false, mean, deviation);
}

static double largest_norm(volt_view X)
{
    double largest = 0;
    for (int64_t i = 0; i < X.rows; i++)
        largest = fmax(largest, volt_row_norm(X.data + i * X.ld, X.cols));
    return largest > 0 ? largest : 1;
}

void volt_published_scale_inputs(volt_view X, int64_t n_train, volt_published_inputs kind, volt_matrix Z)
{
    if (kind == VOLT_INPUTS_IN_BALL) {
        double norm = largest_norm(X);
        for (int64_t i = 0; i < X.rows; i++)
            for (int64_t k = 0; k < X.cols; k++)
                Z.data[i * Z.ld + k] = X.data[i * X.ld + k] / norm;
        return;
    }
    for (int64_t k = 0; k < X.cols; k++) {
        volt_view column = {X.data + k, X.rows, 1, X.ld};
        double mean, deviation;
        volt_published_moments(column, n_train, &mean, &deviation);
        for (int64_t i = 0; i < X.rows; i++)
            Z.data[i * Z.ld + k] = (X.data[i * X.ld + k] - mean) / deviation;
    }
}
