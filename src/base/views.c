/* src/base/views.c: checks of the matrix views that callers pass. */
#include "base/views.h"

#include "base/error.h"

#include <inttypes.h>

static volt_status check_layout(volt_view view, const char *name)
{
    VOLT_REQUIRE(view.data, VOLT_ERR_SHAPE, "%s: data is NULL for %" PRId64 " x %" PRId64 " numbers", name,
                 view.rows, view.cols);
    VOLT_REQUIRE(view.ld >= view.cols, VOLT_ERR_SHAPE,
                 "%s: the leading dimension must be at least %" PRId64 ", the number of columns (got %" PRId64
                 ")",
                 name, view.cols, view.ld);
    return VOLT_OK;
}

volt_status volt_check_shape(volt_view X, const char *name)
{
    VOLT_REQUIRE(X.rows > 0 && X.cols > 0, VOLT_ERR_SHAPE,
                 "%s must have at least one row and one column (got %" PRId64 " x %" PRId64 ")", name, X.rows,
                 X.cols);
    return check_layout(X, name);
}

volt_status volt_check_output(volt_matrix out, int64_t rows, int64_t cols, const char *name)
{
    VOLT_REQUIRE(out.rows == rows && out.cols == cols, VOLT_ERR_SHAPE,
                 "%s must be %" PRId64 " x %" PRId64 " (got %" PRId64 " x %" PRId64 ")", name, rows, cols,
                 out.rows, out.cols);
    return check_layout(volt_as_view(out), name);
}
