/* src/model/plan.h: the plan of a fit whose place is settled. */
#ifndef MODEL_PLAN_H
#define MODEL_PLAN_H

#include "base/backend.h"
#include "volterra/model.h"

/* volt_plan_kernel for a fit at this back end. */
volt_status volt_plan_at(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, int measured,
                         const volt_backend *backend, volt_plan *plan);

#endif
