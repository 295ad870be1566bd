/* src/solve/loss/loss_choice.h: alpha, chosen by the loss itself on rows that are held out (solver_loss.c says how). */
#ifndef SOLVE_LOSS_LOSS_CHOICE_H
#define SOLVE_LOSS_LOSS_CHOICE_H

#include "solve/loss/loss_solve.h"

/* Above task->most_tried rows K (n x n, its lower triangle) is overwritten on the way and restored on success. The task's alpha is
 * not used. *alpha receives one that is positive.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED; VOLT_ERR_DATA for fewer rows than VOLT_LEAST_CHOSEN, since none can be held out. */
volt_status volt_loss_choose(volt_matrix K, const volt_loss_task *task, double *alpha);
enum { VOLT_LEAST_CHOSEN = 12 };

/* The unit of alpha: the mean of the diagonal, 1 where that is not positive. */
double volt_loss_unit(volt_view K);

/* Numbers that it takes beside K. */
double volt_loss_choice_numbers(double n, double columns);

/* The mean loss of u (in the units of the task's Y) over the rows from `first` on, by their weights; levels are taken in order.
 * NaN: none of them has a weight. */
double volt_loss_mean(const volt_loss_task *task, volt_view U, int64_t first);

#endif
