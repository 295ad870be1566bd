/* src/model/fit/fit_report.h: the report of a fit (volt_fit_report), from what the solver found out. */
#ifndef MODEL_FIT_REPORT_H
#define MODEL_FIT_REPORT_H

#include "model/fit/fit_solver.h"
#include "model/fit/fit_task.h"
#include "model/model_internal.h"
#include "solve/solver_table.h"

/* Makes the arrays of the report those of the model's report_numbers. */
void volt_fit_report_numbers(volt_model *model);

/* Of the rows held out: `choice` where one was made, else `held`. */
void volt_fit_make_report(const fit_task *task, const volt_choice *choice, const volt_held_out *held,
                          volt_model *model);

/* Which solver, and how its steps went. */
void volt_fit_report_solver(const volt_solver *solver, const volt_solver_choice *choice,
                            const volt_iteration *iteration, volt_model *model);

/* Of the rows left out one by one, which become those of the report, in the units of the targets. */
void volt_fit_report_left_out(const volt_left_out *left_out, volt_model *model);

#endif
