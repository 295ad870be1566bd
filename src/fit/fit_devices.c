/* src/fit/fit_devices.c: a fit on several devices, each with its bands of rows (backend/backend.h). */
#include "backend/backend.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/row_bands.h"
#include "fit/fit_task.h"
#include "kernel/kernel_entry.h"
#include "solve/landmark/landmark_operator.h"

#include <inttypes.h>

/* The back end whose devices share the rows; NULL: the fit is not divided. Only a list of devices that the user has
 * chosen has several. */
static volt_status find_devices(const volt_kernel *kernel, const fit_task *task, const volt_loss_fit *loss,
                                const volt_backend **backend)
{
    const volt_backend *chosen = volt_backend_chosen();
    volt_recipe recipe = {0};
    volt_solver_choice choice = {0};
    *backend = NULL;
    if (!chosen || volt_backend_devices(chosen) == 1 || loss->loss || volt_bands_current()->parts > 1)
        return VOLT_OK;
    volt_status status = volt_fit_task_recipe(task, task->X.rows, &recipe);
    if (status == VOLT_OK)
        status = volt_fit_solver_choose(kernel, task, recipe.columns, false, &choice);
    volt_recipe_release(&recipe);
    bool by_landmarks = choice.landmarks > 0 && volt_device_landmarks_can(chosen);
    bool by_products = choice.solver && choice.solver->needs.rows && task->backend == chosen;
    if (status == VOLT_OK && (by_landmarks || by_products))
        *backend = chosen;
    return status;
}

typedef struct team_fit {
    const volt_kernel *kernel;
    const fit_task *task;
    volt_loss_fit *loss;
    volt_matrix fitted;
    volt_model **model;
} team_fit;

/* The first part has the results. The others have the same sizes, and their results are discarded. */
static volt_status fit_part(int64_t part, volt_progress progress, void *context)
{
    const team_fit *fit = context;
    volt_fit_options options = *fit->task->options;
    fit_task task = *fit->task;
    options.progress = progress;
    task.options = &options;
    if (part == 0)
        return volt_fit_solve_part(fit->kernel, &task, fit->loss, fit->fitted, fit->model);
    volt_landmark_levels levels = fit->task->levels ? *fit->task->levels : (volt_landmark_levels){0};
    volt_matrix values = {0};
    volt_model *copy = NULL;
    task.meter = NULL;
    task.levels = fit->task->levels ? &levels : NULL;
    if (fit->fitted.data) {
        values = volt_matrix_of(volt_alloc_doubles(fit->fitted.rows, fit->fitted.cols), fit->fitted.rows,
                                fit->fitted.cols);
        if (!values.data)
            return VOLT_ERR_MEMORY;
    }
    volt_status status = volt_fit_solve_part(fit->kernel, &task, fit->loss, values, &copy);
    if (status == VOLT_OK)
        volt_model_free(copy);
    volt_free(values.data);
    return status;
}

volt_status volt_fit_solve(const volt_kernel *kernel, const fit_task *task, volt_loss_fit *loss,
                           volt_matrix fitted, volt_model **model)
{
    const volt_backend *backend = NULL;
    VOLT_TRY(find_devices(kernel, task, loss, &backend));
    if (!backend)
        return volt_fit_solve_part(kernel, task, loss, fitted, model);
    team_fit fit = {.kernel = kernel, .task = task, .loss = loss, .fitted = fitted, .model = model};
    volt_model *made = NULL;
    fit.model = &made;
    volt_status status = volt_team_run(backend, task->options->progress, fit_part, &fit);
    if (status == VOLT_OK) {
        *model = made;
        return VOLT_OK;
    }
    volt_model_free(made);
    if (status != VOLT_ERR_MEMORY && status != VOLT_ERR_DEVICE)
        return status;
    volt_log(VOLT_LOG_WARNING, "the fit on %" PRId64 " devices failed and is repeated on the first one: %s",
             volt_backend_devices(backend), volt_error_detail());
    return volt_fit_solve_part(kernel, task, loss, fitted, model);
}
