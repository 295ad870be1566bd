/* src/study/sample.c: the paper's data: innovations in, covariances of the next day out. */
#include "base/error.h"
#include "base/memory.h"
#include "volterra/study.h"

#include <inttypes.h>
#include <string.h>

static const double target_unit = 1000; /* of the paper's targets: covariances of daily returns are small */

volt_status volt_study_sample(const volt_bekk *model, uint64_t seed, volt_matrix X, volt_matrix Y)
{
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the BEKK model is NULL");
    int64_t rows = X.rows, d = model->d, q = d * (d + 1) / 2;
    VOLT_REQUIRE(X.data && Y.data && rows >= 1 && Y.rows == rows && X.cols == d && Y.cols == q && X.ld >= d &&
                     Y.ld >= q,
                 VOLT_ERR_SHAPE,
                 "the sample is %" PRId64 " x %" PRId64 " and %" PRId64 " x %" PRId64 ", and must have %" PRId64
                 " and %" PRId64 " columns and as many rows of each",
                 X.rows, X.cols, Y.rows, Y.cols, d, q);

    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.seed = seed;
    volt_matrix z = volt_matrix_of(volt_alloc_doubles(rows + 1, d), rows + 1, d);
    volt_matrix h = volt_matrix_of(volt_alloc_doubles(rows + 1, q), rows + 1, q);
    volt_status status =
        z.data && h.data ? volt_bekk_simulate(model, &options, z, (volt_matrix){0}, h) : VOLT_ERR_MEMORY;
    for (int64_t t = 0; status == VOLT_OK && t < rows; t++) {
        memcpy(X.data + t * X.ld, z.data + t * d, (size_t)d * sizeof(double));
        for (int64_t k = 0; k < q; k++)
            Y.data[t * Y.ld + k] = target_unit * h.data[(t + 1) * q + k];
    }
    volt_free(h.data);
    volt_free(z.data);
    return status;
}
