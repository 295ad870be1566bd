/* src/data/bekk/returns.c: log-returns of prices. */
#include "data/bekk/bekk.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/views.h"
#include "volterra/data.h"

#include <inttypes.h>
#include <math.h>

/* "row 3, column 2", counted from 1. */
#define PLACE "row %" PRId64 ", column %" PRId64

volt_status volt_returns_check(volt_view returns)
{
    VOLT_TRY(volt_check_shape(returns, "the returns"));
    for (int64_t t = 0; t < returns.rows; t++)
        for (int64_t j = 0; j < returns.cols; j++)
            VOLT_REQUIRE(isfinite(returns.data[t * returns.ld + j]), VOLT_ERR_NOT_FINITE,
                         "the return in " PLACE " is not finite", t + 1, j + 1);
    return VOLT_OK;
}

volt_status volt_log_returns(volt_view prices, volt_matrix returns)
{
    VOLT_TRY(volt_check_shape(prices, "the prices"));
    VOLT_REQUIRE(prices.rows >= 2, VOLT_ERR_DATA, "at least two rows of prices are required (got %" PRId64 ")",
                 prices.rows);
    VOLT_TRY(volt_check_output(returns, prices.rows - 1, prices.cols, "the returns"));
    for (int64_t t = 0; t < prices.rows; t++)
        for (int64_t j = 0; j < prices.cols; j++) {
            double price = prices.data[t * prices.ld + j];
            VOLT_REQUIRE(isfinite(price), VOLT_ERR_NOT_FINITE,
                         "the price in " PLACE " is missing or not finite", t + 1, j + 1);
            VOLT_REQUIRE(price > 0, VOLT_ERR_DATA, "the price in " PLACE " must be above 0 (got %g)", t + 1,
                         j + 1, price);
        }
    for (int64_t t = 1; t < prices.rows; t++)
        for (int64_t j = 0; j < prices.cols; j++)
            returns.data[(t - 1) * returns.ld + j] =
                log(prices.data[t * prices.ld + j]) - log(prices.data[(t - 1) * prices.ld + j]);
    return VOLT_OK;
}
