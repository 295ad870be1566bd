/* src/base/views.h: checks of the matrix views that callers pass. */
#ifndef BASE_VIEWS_H
#define BASE_VIEWS_H

#include "volterra/base.h"

/* VOLT_ERR_SHAPE unless the view has data, rows, columns and a valid leading dimension. Messages begin with `name`. */
volt_status volt_check_shape(volt_view X, const char *name);

/* The same for an output, which must be rows x cols. */
volt_status volt_check_output(volt_matrix out, int64_t rows, int64_t cols, const char *name);

#endif
