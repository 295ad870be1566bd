/* src/fit/fit_model.c: volt_model_fit: checks, back end and results of a fit, which fit.c computes. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/views.h"
#include "fit/fit_task.h"
#include "fit/landmark_growth.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

volt_fit_options volt_fit_options_default(void)
{
    volt_fit_options options = {.struct_size = sizeof(volt_fit_options),
                                .intercept = 1,
                                .scale = 1,
                                .target = VOLT_TARGET_AUTO,
                                .input = VOLT_INPUT_AUTO,
                                .season = VOLT_SEASON_AUTO,
                                .checkpoint_seconds = 60};
    return options;
}

static volt_status check(const volt_kernel *kernel, volt_view X, volt_view Y, volt_view present,
                         volt_matrix fitted, volt_model **model)
{
    VOLT_REQUIRE(kernel && model, VOLT_ERR_ARGUMENT, "the kernel or the output for the model is NULL");
    VOLT_TRY(volt_check_pairs_present(X, Y, present));
    return fitted.data ? volt_check_output(fitted, Y.rows, Y.cols, "the fitted values") : VOLT_OK;
}

/* Rows without a target have no fitted values yet. The model predicts all rows from a zero initial state. */
static volt_status fill_missing_targets(const volt_model *model, const fit_task *task, volt_matrix fitted)
{
    volt_matrix all = volt_matrix_of(volt_alloc_doubles(fitted.rows, fitted.cols), fitted.rows, fitted.cols);
    volt_predict_options options = volt_predict_options_default();
    options.start = VOLT_START_RESET;
    options.records = task->options->records;
    options.n_records = task->options->n_records;
    if (model->recipe.fed_outputs.n > 0)
        options.known = task->Y;
    volt_status status = all.data ? volt_model_predict(model, task->X, &options, all, NULL) : VOLT_ERR_MEMORY;
    for (int64_t i = 0; status == VOLT_OK && i < fitted.rows; i++)
        if (!fit_task_has_target(task, i))
            memcpy(fitted.data + i * fitted.ld, all.data + i * all.ld, (size_t)all.cols * sizeof(double));
    volt_free(all.data);
    return status;
}

/* Chooses the back end from the cost of the factorisations. */
static const volt_backend *place(const fit_task *task)
{
    double n = (double)task->X.rows, choosing = VOLT_MAX_ALPHAS * pow(volt_choice_rows(n) / n, 3);
    const volt_backend *backend = volt_place_solver(
        task->solver,
        &(volt_work){.n = task->X.rows, .d = task->X.cols, .factors = 1 + (task->chooses ? choosing : 0)});
    return volt_place_agree(backend);
}

static volt_status allocate_values(volt_matrix fitted, volt_matrix *values)
{
    *values = volt_matrix_of(volt_alloc_doubles(fitted.rows, fitted.cols), fitted.rows, fitted.cols);
    return values->data ? VOLT_OK : VOLT_ERR_MEMORY;
}

static bool is_centred(const volt_kernel *kernel)
{
    volt_kernel_value centre = {.struct_size = sizeof centre};
    return volt_kernel_get(kernel, "centre", &centre) == VOLT_OK && centre.present &&
           strcmp(centre.text, "yes") == 0;
}

static volt_status check_and_fit(const volt_kernel *kernel, volt_view X, volt_loss_fit *loss,
                                 const volt_records *records, const volt_missing_targets *missing_targets,
                                 volt_meter *meter, volt_matrix fitted, volt_model **model)
{
    volt_blas_use use;
    fit_task task;
    double *weights = NULL;
    VOLT_TRY(check(kernel, X, loss->Y, missing_targets->present, fitted, model));
    VOLT_REQUIRE(!loss->options.keep_factor || !loss->loss, VOLT_ERR_ARGUMENT,
                 "keep_factor requires squares without weights: a fit with %s has no standard deviations",
                 loss->loss && loss->loss->kind == &volt_loss_squares ? "weights" : "another loss");
    VOLT_TRY(volt_fit_task_resolve(X, loss->Y, &loss->options, records, X.rows, &task));
    if (loss->options.alpha > 0 && !loss->options.intercept && is_centred(kernel))
        task.chooses = false; /* there are no held-out errors for the guard */
    task.missing_targets = missing_targets;
    task.meter = meter;
    VOLT_TRY(volt_fit_solver_check(kernel, loss->loss != NULL, &task));
    if (loss->options.feedback_weight > 0)
        VOLT_TRY(volt_feedback_check_targets(loss->Y, records));
    if (loss->loss) {
        task.chooses = false; /* the solver chooses alpha from the loss */
        VOLT_TRY(volt_loss_fit_weights(loss, missing_targets, &weights));
        task.weights = weights;
    }
    task.backend = loss->loss ? volt_place_on_cpu("a loss other than squares is minimised") : place(&task);
    volt_model *fresh = NULL;
    volt_matrix values = {0}; /* allocated here: the caller's memory is written only on success */
    volt_status status = fitted.data ? allocate_values(fitted, &values) : VOLT_OK;
    if (status == VOLT_OK)
        status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = volt_fit_grow(kernel, &task, loss, values, &fresh);
        volt_blas_release(&use);
    }
    volt_free(weights);
    if (status == VOLT_OK && missing_targets->without && fitted.data &&
        !fresh->loss) /* the readout of a loss has all rows */
        status = fill_missing_targets(fresh, &task, values);
    status = volt_meter_end(meter, status);
    if (status == VOLT_OK) {
        for (int64_t i = 0; i < values.rows; i++)
            memcpy(fitted.data + i * fitted.ld, values.data + i * values.ld,
                   (size_t)values.cols * sizeof(double));
        *model = fresh;
    } else {
        volt_model_free(fresh);
    }
    volt_free(values.data);
    return status;
}

volt_status volt_model_fit(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_fit_options *options,
                           volt_matrix fitted, volt_model **model)
{
    volt_fit_options opts = volt_fit_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_fit_options"));
    options = &opts;
    volt_meter meter;
    opts.progress = volt_meter_begin(&meter, opts.progress);
    volt_missing_targets missing_targets = {.present = Y};
    volt_records records;
    volt_loss_fit loss;
    volt_status status = volt_records_make(options->records, options->n_records, X.rows, &records);
    int64_t record_washout = status == VOLT_OK && records.n > 0 && opts.washout > 0 ? opts.washout : 0;
    opts.washout -= record_washout; /* leading washout of one sequence */
    if (status == VOLT_OK) {
        status = volt_loss_fit_begin(Y, options, &loss);
        missing_targets.present = loss.Y;
        if (status == VOLT_OK && (options->missing_targets || options->weights) && Y.data)
            status = volt_missing_targets_find(loss.Y, options->weights, options->missing_targets,
                                               options->washout, &missing_targets);
        if (status == VOLT_OK && record_washout > 0)
            status = volt_missing_targets_add_washout(&records, X.rows, record_washout, &missing_targets);
        if (status == VOLT_OK)
            status = check_and_fit(kernel, X, &loss, &records, &missing_targets, &meter, fitted, model);
        volt_loss_fit_release(&loss);
    }
    volt_missing_targets_release(&missing_targets);
    volt_records_release(&records);
    return status;
}
