/* src/model/fit/missing_targets.c: rows without targets. */
#include "model/fit/fit_task.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_left_out(volt_view Y, const double *weights, bool missing, int64_t i)
{
    bool out = weights && weights[i] == 0;
    for (int64_t k = 0; missing && !out && k < Y.cols; k++)
        out = isnan(Y.data[i * Y.ld + k]);
    return out;
}

volt_status volt_missing_targets_find(volt_view Y, const double *weights, bool missing, int64_t first,
                                      volt_missing_targets *holes)
{
    int64_t left_out = 0, fitted = 0, kept = 0;
    *holes = (volt_missing_targets){.present = Y};
    for (int64_t i = 0; i < Y.rows; i++) {
        bool hole = is_left_out(Y, weights, missing, i);
        left_out += hole;
        fitted += !hole && i >= first;
    }
    if (left_out == 0)
        return VOLT_OK;
    VOLT_REQUIRE(fitted > 0, VOLT_ERR_DATA,
                 weights ? "the weights of the %" PRId64 " rows to fit sum to 0, or their targets are missing"
                         : "a target is missing in each of the %" PRId64 " rows to fit",
                 Y.rows - first);
    holes->without = volt_alloc_zero(Y.rows, sizeof *holes->without);
    holes->copy = volt_alloc_doubles(Y.rows - left_out, Y.cols);
    if (!holes->without || !holes->copy)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < Y.rows; i++) {
        holes->without[i] = is_left_out(Y, weights, missing, i);
        if (!holes->without[i])
            memcpy(holes->copy + kept++ * Y.cols, Y.data + i * Y.ld, (size_t)Y.cols * sizeof(double));
    }
    holes->present = volt_view_of(holes->copy, kept, Y.cols);
    return VOLT_OK;
}

void volt_missing_targets_release(volt_missing_targets *holes)
{
    volt_free(holes->without);
    volt_free(holes->copy);
}
