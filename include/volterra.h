/* volterra.h: learn any input/output system with fading memory from one sequence of observations,
 * with the Volterra reservoir kernel of Gonon, Grigoryeva and Ortega, "Reservoir kernels and Volterra
 * series".
 *
 *     volt_kernel *kernel = NULL;
 *     volt_model *model = NULL;
 *     volt_matrix no_fitted = volt_matrix_of(NULL, 0, 0); // fitted values are not wanted
 *     volt_fit_options options = volt_fit_options_default();
 *     options.alpha = 1e-6;
 *
 *     // X: n x d inputs in time order, Y: n x q targets, H: h x d inputs that follow, out: h x q.
 *     volt_status status = volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.9", &kernel);
 *     if (!status)
 *         status = volt_model_fit(kernel, X, Y, &options, no_fitted, &model);
 *     if (!status)
 *         status = volt_model_predict(model, H, NULL, out, NULL);
 *     if (status)
 *         fprintf(stderr, "%s\n", volt_error_detail());
 *
 *     volt_model_free(model);
 *     volt_kernel_free(kernel);
 *
 * Rules of the interface:
 *
 * - A function that can fail returns volt_status. Outputs come last in the argument list. On failure they are
 *   unchanged or NULL, and volt_error_detail() returns the message. Functions that return no status, except _free, require
 *   valid pointers.
 * - Options are structs. Start from the _default() function and set fields by name. NULL means the defaults. A field
 *   whose comment states no default is 0, NULL or the first value of its enum.
 * - Structs of options and results begin with struct_size, so that fields can be appended without a new soname. The
 *   _default() function sets it for options, the caller for results that a function fills (info = {.struct_size =
 *   sizeof info}), the library for results that it allocates. Structs without it, such as views, do not change. C++ before
 *   C++20 has no designated initialisers: volt_metrics metrics{}; metrics.struct_size = sizeof metrics;
 * - volt_progress is a field of the options. Functions without options take it by value; (volt_progress){0} is none.
 * - Objects that a function creates have a _free function, which accepts NULL. Pointers inside them, and those in structs
 *   that a _get_info function fills, belong to the object and are valid until it is changed or freed. Arguments may be
 *   freed after the call, unless the function requires that they outlive its result.
 * - Threads may call the library at the same time, on separate objects, and on one object that all of these calls take as
 *   const, such as a model. A call that changes an object (volt_live_feed) must be the only call on it.
 * - One meaning per verb: _get_info fills a struct about an object, _at returns entry `index` of a table (NULL after the
 *   last), _get reads one value, _set changes one.
 * - VOLT_VERSION_MAJOR, VOLT_VERSION_MINOR and VOLT_VERSION_PATCH are the version of the headers, volt_version() returns
 *   the version of the library.
 *
 * Headers: base, io, kernel, solve (losses and solvers), model (fit and predict), live (row by row), export
 * (C code), select (search), data (simulated series), stats (metrics and baselines), forecast, row_anomaly
 * (anomalous rows of a series), task (pairing, assessment, comparison, capacities), identify (identification of
 * systems), series (whole series as objects), describe (the fields of these structs as a table). */
#ifndef VOLTERRA_H
#define VOLTERRA_H

/* In order of dependence, not alphabetical. */
/* clang-format off */
#include "volterra/base.h"
#include "volterra/io.h"
#include "volterra/kernel.h"
#include "volterra/solve.h"
#include "volterra/model.h"
#include "volterra/live.h"
#include "volterra/export.h"
#include "volterra/select.h"
#include "volterra/data.h"
#include "volterra/stats.h"
#include "volterra/forecast.h"
#include "volterra/row_anomaly.h"
#include "volterra/task.h"
#include "volterra/identify.h"
#include "volterra/series.h"
#include "volterra/describe.h"
/* clang-format on */

#endif
