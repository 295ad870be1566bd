/* src/fit/fit_report.c: out-of-sample errors of a fit. */
#include "fit/fit_task.h"

#include "base/numbers.h"
#include "base/row_bands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* R2 of levels, mean over outputs, from root mean squared errors of the held-out rows in units of `scale`.
 * These units avoid overflow and underflow. As in volt_r2, constant targets give 1 or 0; the rounding of their mean is
 * ignored. */
static double held_out_r2(const fit_task *task, const double *scale, const double *root, int64_t first,
                          int64_t rows, int64_t counted)
{
    double sum = 0;
    for (int64_t k = 0; k < task->Y.cols; k++) {
        const double *y = task->Y.data + first * task->Y.ld + k;
        double mean = 0, low = INFINITY, high = -INFINITY;
        volt_squares squares = {0};
        for (int64_t i = 0; i < rows; i++)
            if (fit_task_has_target(task, first + i)) {
                mean += y[i * task->Y.ld] / (double)counted;
                low = fmin(low, y[i * task->Y.ld]);
                high = fmax(high, y[i * task->Y.ld]);
            }
        for (int64_t i = 0; i < rows; i++)
            if (fit_task_has_target(task, first + i))
                volt_squares_add(&squares, (y[i * task->Y.ld] - mean) / scale[k]);
        double deviation = volt_squares_root_mean(&squares, counted), share = root[k] / scale[k] / deviation;
        sum += high > low && deviation > 0 ? 1 - share * share : root[k] > 0 ? 0 : 1;
    }
    return sum / (double)task->Y.cols;
}

/* Root mean squared error of the naive forecast of output k over the held-out rows. */
static double naive_root(const fit_task *task, int64_t first, int64_t counted, int64_t k)
{
    volt_squares squares = {0};
    for (int64_t i = first; i < task->Y.rows; i++)
        if (fit_task_has_target(task, i))
            volt_squares_add(&squares, task->Y.data[i * task->Y.ld + k] -
                                           task->X.data[i * task->X.ld + task->options->anchors[k]]);
    return volt_squares_root_mean(&squares, counted);
}

void volt_fit_report_numbers(volt_model *model)
{
    int64_t q = model->q;
    double *numbers = model->report_numbers;
    model->report.mse = numbers;
    model->report.best_mse = numbers + q;
    model->report.naive_mse = numbers + 2 * q;
    model->report.share = numbers + 3 * q;
    model->report.rmse = numbers + 6 * q;
    model->report.best_rmse = numbers + 7 * q;
    model->report.naive_rmse = numbers + 8 * q;
    model->report.best_alpha = numbers + 11 * q;
    model->report.rkhs_norm = numbers + 12 * q;
    model->report.effective_dimension = numbers + 13 * q;
    model->report.dimension_error = numbers + 14 * q;
    model->report.noise = numbers + 15 * q;
}

/* K A of fitted row i and output k, from K A + c = share y - alpha A - (the mean that is not learned). */
static double fitted_part(const fit_task *task, const volt_model *model, int64_t i, int64_t k, double a,
                          double unlearned)
{
    double base =
        model->anchors[k] >= 0 ? task->X.data[i * task->X.ld + model->anchors[k]] : model->target_mean[k];
    double y = (task->Y.data[i * task->Y.ld + k] - base) / model->target_scale[k];
    return model->shares[k] * y - unlearned - model->intercepts[k] - model->alphas[k] * a;
}

void volt_fit_report_norms(const fit_task *task, const double *coefficients, const double *unlearned,
                           const volt_chosen *chosen, volt_view states, volt_model *model)
{
    int64_t q = model->q, w = model->washout;
    double *norm = model->report_numbers + 12 * q, *noise = norm + 3 * q;
    const double *dimension = norm + q;
    for (int64_t k = 0; k < q; k++) {
        bool is_used = isfinite(model->alphas[k]) && model->report.share[k] > 0;
        double square = 0, errors = 0, rows = 0;
        for (int64_t i = w; is_used && i < task->Y.rows; i++) {
            double a = coefficients[i * q + k];
            if (!fit_task_has_target(task, i))
                continue;
            rows++;
            errors += model->alphas[k] * a * model->alphas[k] * a;
            square += states.rows > 0 ? 0 : a * fitted_part(task, model, i, k, a, unlearned[k]);
        }
        for (int64_t i = 0; is_used && i < states.rows; i++)
            square += states.data[i * states.ld + k] * states.data[i * states.ld + k];
        bool constant = chosen ? chosen[k].constant : model->intercept;
        double freedom = rows - (constant ? 1 : 0) - dimension[k];
        norm[k] = model->target_scale[k] * sqrt(fmax(square, 0)); /* the sum may round below 0 */
        noise[k] = is_used && model->shares[k] == 1 && freedom > 0
                       ? model->target_scale[k] * sqrt(errors / freedom)
                       : NAN;
    }
}

void volt_fit_make_report(const fit_task *task, const volt_choice *choice, const volt_held_out *held,
                          volt_model *model)
{
    int64_t q = model->q;
    double *mse = model->report_numbers, *best = mse + q, *naive = mse + 2 * q, *share = mse + 3 * q;
    double *root = mse + 6 * q, *best_root = mse + 7 * q, *naive_roots = mse + 8 * q;
    const volt_held_out *rows = choice ? &choice->held : held;
    bool has_naive = rows->rows > 0 && volt_fit_task_can_change(task->options, q);
    for (int64_t k = 0; k < q; k++) {
        const volt_chosen *chosen = choice ? &choice->outputs[k] : NULL;
        double unit = model->target_scale[k], own = chosen ? chosen->mse : held->mse[k];
        double tried = chosen ? chosen->best_mse : held->mse[k];
        root[k] = unit * sqrt(own);
        best_root[k] = unit * sqrt(tried);
        naive_roots[k] = has_naive ? naive_root(task, model->washout + rows->begin, rows->counted, k) : NAN;
        mse[k] = unit * unit * own;
        best[k] = unit * unit * tried;
        naive[k] = naive_roots[k] * naive_roots[k];
        share[k] = chosen ? chosen->share : 1;
        mse[11 * q + k] = chosen ? chosen->best_alpha : NAN;
    }
    model->report = (volt_fit_report){.struct_size = sizeof(volt_fit_report),
                                      .rows = rows->rows,
                                      .first = model->washout + rows->begin,
                                      .heldout_r2 = NAN,
                                      .naive_r2 = NAN,
                                      .blocks = (int)rows->blocks,
                                      .alphas = choice ? choice->tried : 0,
                                      .solver = volt_solver_exact.info.name,
                                      .residual = NAN};
    volt_fit_report_numbers(model);
    if (rows->rows > 0)
        model->report.heldout_r2 =
            held_out_r2(task, model->target_scale, root, model->report.first, rows->rows, rows->counted);
    if (has_naive)
        model->report.naive_r2 =
            held_out_r2(task, model->target_scale, naive_roots, model->report.first, rows->rows, rows->counted);
    model->has_report = true;
}

void volt_fit_report_solver(const volt_solver *solver, const volt_solver_choice *choice,
                            const volt_iteration *iteration, const volt_backend *backend, volt_model *model)
{
    const volt_bands *bands = volt_bands_current();
    int used = snprintf(model->device, sizeof model->device, "%s", volt_device_of(backend));
    if (bands->parts > 1 && !bands->in_process)
        snprintf(model->device + used, sizeof model->device - (size_t)used, ", %" PRId64 " processes",
                 bands->parts);
    model->report.device = model->device;
    model->report.solver = solver->info.name;
    model->report.landmarks = choice->landmarks + choice->preconditioner_landmarks;
    model->report.iterations = iteration->steps;
    model->report.residual = iteration->residual;
}

void volt_fit_report_loo(const volt_loo_errors *loo_errors, volt_model *model)
{
    double *loo_root = model->report_numbers + 9 * model->q, *gcv_root = model->report_numbers + 10 * model->q;
    for (int64_t k = 0; k < model->q; k++) {
        double unit = model->target_scale[k] * model->target_scale[k];
        loo_root[k] = model->target_scale[k] * sqrt(loo_errors->loo[k]);
        gcv_root[k] = model->target_scale[k] * sqrt(loo_errors->gcv[k]);
        loo_errors->loo[k] *= unit;
        loo_errors->gcv[k] *= unit;
    }
    model->report.loo_mse = loo_errors->loo;
    model->report.gcv = loo_errors->gcv;
    model->report.loo_rmse = loo_root;
    model->report.gcv_rmse = gcv_root;
    model->report.loo_rows = loo_errors->rows;
}
