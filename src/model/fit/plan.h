/* src/model/fit/plan.h: the plan of a fit whose place is settled. */
#ifndef MODEL_PLAN_H
#define MODEL_PLAN_H

#include "base/backend.h"
#include "volterra/model.h"

/* The plan of volt_plan_fit, at the back end that the fit would be placed at. */
volt_status volt_plan_placed(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, int measured,
                             volt_plan *plan);

/* The same at this back end. */
volt_status volt_plan_at(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, int measured,
                         const volt_backend *backend, volt_plan *plan);

struct volt_solver;
/* The same with this solver, whether it would be chosen or not; NULL: the one that would. */
volt_status volt_plan_with(const volt_kernel *kernel, const struct volt_solver *solver, int64_t n, int64_t d,
                           int64_t q, int measured, const volt_backend *backend, volt_plan *plan);

/* Numbers in the explicit states of the kernel on d columns (0: it has none), and the columns of so many landmarks in runs,
 * with the rows before them. */
volt_status volt_plan_states(const volt_kernel *kernel, int64_t d, int64_t *states);
volt_status volt_plan_columns(const volt_kernel *kernel, int64_t d, int64_t landmarks, int64_t *columns);

#endif
