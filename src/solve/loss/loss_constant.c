/* src/solve/loss/loss_constant.c: the best forecast that knows nothing but the targets.
 *
 * Of classes their frequencies; of everything else the number with the least mean loss, which lies between the least and
 * the largest target, and on either side of which the loss only grows: golden sections find it. */
#include "base/error.h"
#include "base/numbers.h"
#include "solve/loss/loss.h"

#include <inttypes.h>
#include <math.h>

enum { SECTIONS = 64 }; /* 0.618^64 = 4e-14 of the range is left */

/* The rows that count, of one target and one output. */
typedef struct constant_problem {
    const volt_loss *loss;
    volt_view Y;
    const double *weights;
    int64_t target, level;
} constant_problem;

static double weight_of(const constant_problem *problem, int64_t i)
{
    double y = problem->Y.data[i * problem->Y.ld + problem->target];
    return isnan(y) ? 0 : problem->weights ? problem->weights[i] : 1;
}

/* The loss of all rows where u is forecast. */
static double total_at(const constant_problem *problem, double u)
{
    const volt_loss *loss = problem->loss;
    const volt_loss_kind *kind = loss->kind;
    double sum = 0;
    for (int64_t i = 0; i < problem->Y.rows; i++) {
        double w = weight_of(problem, i), y = problem->Y.data[i * problem->Y.ld + problem->target];
        if (w > 0)
            sum += w * (kind->score ? kind->score(1, y, &u) : kind->value(loss->values[problem->level], y, u));
    }
    return sum;
}

static double find_constant(const constant_problem *problem)
{
    static const double golden = 0.6180339887498949;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < problem->Y.rows; i++)
        if (weight_of(problem, i) > 0) {
            low = fmin(low, problem->Y.data[i * problem->Y.ld + problem->target]);
            high = fmax(high, problem->Y.data[i * problem->Y.ld + problem->target]);
        }
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = total_at(problem, left), at_right = total_at(problem, right);
    for (int s = 0; s < SECTIONS && low < high; s++) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = total_at(problem, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = total_at(problem, right);
        }
    }
    return 0.5 * (low + high);
}

static void find_frequencies(volt_view Y, const double *weights, int64_t classes, double *forecast)
{
    double total = 0;
    for (int64_t k = 0; k < classes; k++)
        forecast[k] = 0;
    for (int64_t i = 0; i < Y.rows; i++) {
        double y = Y.data[i * Y.ld], w = isnan(y) ? 0 : weights ? weights[i] : 1;
        if (w > 0)
            forecast[(int64_t)y] += w;
        total += w;
    }
    for (int64_t k = 0; k < classes; k++)
        forecast[k] /= total;
}

static volt_status check(const volt_loss *loss, volt_view Y, const double *weights, int64_t outputs)
{
    VOLT_REQUIRE(loss && Y.data, VOLT_ERR_ARGUMENT, "the loss or the targets are NULL");
    int64_t group = volt_loss_group(loss, outputs);
    VOLT_REQUIRE(outputs >= 1 && outputs == Y.cols * group, VOLT_ERR_SHAPE,
                 "there are %" PRId64 " targets and %" PRId64 " outputs, and must be %" PRId64, Y.cols, outputs,
                 Y.cols * group);
    for (int64_t k = 0; k < Y.cols; k++) {
        double total = 0;
        for (int64_t i = 0; i < Y.rows; i++) {
            double y = Y.data[i * Y.ld + k], w = weights ? weights[i] : 1;
            VOLT_REQUIRE(w >= 0 && isfinite(w), VOLT_ERR_ARGUMENT,
                         "weight %" PRId64 " is %g, and must be finite and at least 0", i + 1, w);
            VOLT_REQUIRE(!loss->kind->info.classes || isnan(y) ||
                             (y >= 0 && y < (double)outputs && y == floor(y)),
                         VOLT_ERR_ARGUMENT,
                         "the class of row %" PRId64 " is %g, and must be a whole number from 0 to %" PRId64,
                         i + 1, y, outputs - 1);
            total += isnan(y) ? 0 : w;
        }
        VOLT_REQUIRE(total > 0, VOLT_ERR_DATA, "no row has both a target and a weight above 0");
    }
    return VOLT_OK;
}

volt_status volt_loss_constant(const volt_loss *loss, volt_view Y, const double *weights, int64_t outputs,
                               double *forecast)
{
    VOLT_REQUIRE(forecast, VOLT_ERR_ARGUMENT, "there is no place for the forecast");
    VOLT_TRY(check(loss, Y, weights, outputs));
    if (loss->kind->info.classes) {
        find_frequencies(Y, weights, outputs, forecast);
        return VOLT_OK;
    }
    int64_t group = volt_loss_group(loss, outputs);
    for (int64_t k = 0; k < outputs; k++) {
        constant_problem problem = {loss, Y, weights, k / group, k % group};
        forecast[k] = find_constant(&problem);
    }
    for (int64_t k = 0; k < outputs && group > 1; k += group)
        volt_sort(forecast + k, group);
    return VOLT_OK;
}
