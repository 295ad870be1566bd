/* src/fit/plan.h: plan of a fit on a given back end. */
#ifndef FIT_PLAN_H
#define FIT_PLAN_H

#include "backend/backend.h"
#include "volterra/model.h"

struct volt_solver;
/* The same with the given solver; NULL: the default. */
volt_status volt_plan_with(const volt_kernel *kernel, const struct volt_solver *solver, int64_t n, int64_t d,
                           int64_t q, int measured, const volt_backend *backend, volt_plan *plan);

/* Size of the explicit states of the kernel on d columns (0: none), and the number of columns of m landmarks
 * in runs, ghosts included. */
volt_status volt_plan_columns(const volt_kernel *kernel, int64_t d, int64_t landmarks, int64_t *columns);

#endif
