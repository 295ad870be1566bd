/* src/solve/loss/newton_system.h: one Newton step on active directions (active_newton.h has the system). */
#ifndef SOLVE_LOSS_NEWTON_SYSTEM_H
#define SOLVE_LOSS_NEWTON_SYSTEM_H

#include "solve/loss/loss_problem.h"

/* n x m each, m the columns of the group. */
typedef struct newton_step {
    volt_matrix da, kda; /* the change of a, and K times that */
    double *dc;          /* m */
    double reach;        /* given: the step of an intercept to which no row says how far */
} newton_step;

/* From a and the slopes g at u, with these directions. `room` is n x m. Levels that no direction ties together are solved
 * each by itself. */
volt_status volt_newton_step(const volt_loss_problem *problem, const volt_loss_directions *directions,
                             volt_matrix a, volt_matrix g, double least_shift, double *room, newton_step *step);

#endif
