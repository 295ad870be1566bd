/* src/model/fit_report.c: how a fit did on rows that it did not see. */
#include "model/fit_report.h"

#include <math.h>

/* R2 of levels, mean over outputs, of mean squared errors over the rows held out. */
static double held_out_r2(const fit_task *task, const double *mse, int64_t first, int64_t rows, int64_t counted)
{
    double sum = 0;
    for (int64_t k = 0; k < task->Y.cols; k++) {
        const double *y = task->Y.data + first * task->Y.ld + k;
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < rows; i++)
            mean += fit_task_has_target(task, first + i) ? y[i * task->Y.ld] / (double)counted : 0;
        for (int64_t i = 0; i < rows; i++) {
            double off = fit_task_has_target(task, first + i) ? y[i * task->Y.ld] - mean : 0;
            variance += off * off / (double)counted;
        }
        sum += variance > 0 ? 1 - mse[k] / variance : mse[k] > 0 ? 0 : 1;
    }
    return sum / (double)task->Y.cols;
}

void volt_fit_make_report(const fit_task *task, const volt_choice *choice, const volt_held_out *held,
                          volt_model *model)
{
    int64_t q = model->q;
    double *mse = model->report_numbers, *best = mse + q, *naive = mse + 2 * q, *share = mse + 3 * q;
    const volt_held_out *rows = choice ? &choice->held : held;
    bool has_naive = rows->rows > 0 && fit_task_can_change(task->options, q);
    for (int64_t k = 0; k < q; k++) {
        const volt_chosen *chosen = choice ? &choice->outputs[k] : NULL;
        double unit = model->target_scale[k] * model->target_scale[k];
        mse[k] = unit * (chosen ? chosen->mse : held->mse[k]);
        best[k] = unit * (chosen ? chosen->best_mse : held->mse[k]);
        share[k] = chosen ? chosen->share : 1;
        naive[k] = has_naive ? 0 : NAN;
        for (int64_t i = model->washout + rows->begin; has_naive && i < task->Y.rows; i++) {
            if (!fit_task_has_target(task, i))
                continue;
            double e =
                task->Y.data[i * task->Y.ld + k] - task->X.data[i * task->X.ld + task->options->anchors[k]];
            naive[k] += e * e / (double)rows->counted;
        }
    }
    model->report = (volt_fit_report){.rows = rows->rows,
                                      .first = model->washout + rows->begin,
                                      .prequential_r2 = NAN,
                                      .naive_r2 = NAN,
                                      .alphas = choice ? choice->tried : 0,
                                      .mse = mse,
                                      .best_mse = best,
                                      .naive_mse = naive,
                                      .share = share,
                                      .solver = VOLT_SOLVER_EXACT,
                                      .residual = NAN};
    if (rows->rows > 0)
        model->report.prequential_r2 = held_out_r2(task, mse, model->report.first, rows->rows, rows->counted);
    if (has_naive)
        model->report.naive_r2 = held_out_r2(task, naive, model->report.first, rows->rows, rows->counted);
    model->has_report = true;
}

void volt_fit_report_solver(const volt_solver *solver, const volt_fit_way *way, const volt_pcg *pcg,
                            volt_model *model)
{
    model->report.solver = volt_fit_solver_of(solver);
    model->report.landmarks = way->landmarks + way->beside;
    model->report.iterations = pcg ? pcg->steps : 0;
    model->report.residual = pcg ? pcg->residual : NAN;
}

void volt_fit_report_left_out(const volt_left_out *left_out, volt_model *model)
{
    for (int64_t k = 0; k < model->q; k++) {
        double unit = model->target_scale[k] * model->target_scale[k];
        left_out->loo[k] *= unit;
        left_out->gcv[k] *= unit;
    }
    model->report.loo_mse = left_out->loo;
    model->report.gcv = left_out->gcv;
    model->report.loo_rows = left_out->rows;
}
