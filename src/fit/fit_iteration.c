/* src/fit/fit_iteration.c: landmarks and checkpoint of an iterative fit that keeps all rows. */
#include "fit/fit_iteration.h"
#include "kernel/kernel_entry.h"

#include "base/error.h"
#include "base/memory.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void volt_iteration_end(volt_iteration_workspace *space)
{
    volt_operator_free(space->settings.landmarks);
    volt_columns_free(space->columns);
    volt_resolved_split(&space->resolved, &(volt_records){0}, 0); /* frees its records; cannot fail */
    volt_landmark_set_release(&space->set);
    *space = (volt_iteration_workspace){0};
}

/* Resolves the rows of the set as columns. The runs of the set become records. */
static volt_status take_columns(const fit_task *fit, volt_view Z, volt_iteration_workspace *space)
{
    const volt_landmark_set *set = &space->set;
    volt_records runs = {0};
    volt_stage stage;
    double *rows = volt_alloc_doubles(set->n, Z.cols);
    volt_status status = rows ? volt_records_make(set->runs, set->n_runs, set->n, &runs) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_resolved_split(&space->resolved, &runs, 0);
    for (int64_t i = 0; status == VOLT_OK && i < set->n; i++)
        memcpy(rows + i * Z.cols, Z.data + set->source[i] * Z.ld, (size_t)Z.cols * sizeof *rows);
    volt_stage_begin(&stage, fit->options->progress, "landmarks", 0, 0, 1);
    if (status == VOLT_OK)
        status =
            volt_columns_create(&space->resolved, volt_view_of(rows, set->n, Z.cols), &stage, &space->columns);
    if (status == VOLT_OK && !volt_stage_should_continue(&stage)) /* the columns are incomplete */
        status = volt_stage_end(&stage);
    volt_records_release(&runs);
    volt_free(rows);
    return status;
}

static volt_status take_landmarks(const fit_task *fit, const volt_model *model, volt_view Z, int64_t m,
                                  double common, volt_iteration_workspace *space)
{
    space->resolved = model->resolved.records ? model->resolved.records->each : model->resolved;
    space->resolved.records = NULL;
    VOLT_TRY(volt_landmark_set_choose(Z.rows, model->washout, fit->records, m, fit->options->landmark_choice,
                                      volt_landmark_memory(&space->resolved), &space->set));
    VOLT_TRY(take_columns(fit, Z, space));
    volt_landmark_task task = {
        .resolved = &space->resolved,
        .columns = space->columns,
        .column = space->set.column,
        .m = space->set.m,
        .Z = Z,
        .records = fit->records,
        .common = common,
        .washout = model->washout,
        .backend = volt_place_agree(volt_place_features(fit->backend, Z.rows, m, space->set.n))};
    double n = (double)Z.rows, share = volt_landmark_share(&task, VOLT_PCG_USUAL * n * n / 2);
    volt_stage stage;
    volt_meter_cover(fit->meter, 0, share);
    volt_stage_begin(&stage, fit->options->progress, "landmarks", 0, 1, volt_landmark_units(&task));
    volt_status status = volt_landmark_operator(&task, &stage, &space->settings.landmarks);
    volt_meter_cover(fit->meter, share, 1 - share);
    return status;
}

/* Digest of everything that determines the result except the stopping criterion. */
static void find_digest(const fit_task *fit, const volt_model *model, volt_view Z, const volt_solver_task *task,
                        volt_view targets, volt_iteration_workspace *space)
{
    const volt_fit_options *options = fit->options;
    const double settings[] = {(double)Z.rows,
                               (double)Z.cols,
                               (double)targets.cols,
                               (double)task->washout,
                               task->alpha,
                               (double)task->intercept,
                               (double)options->ahead,
                               (double)fit->change,
                               (double)fit->chooses,
                               (double)space->set.m,
                               (double)options->landmark_choice};
    uint64_t digest = volt_digest_numbers(volt_digest_start, settings, sizeof settings / sizeof *settings);
    for (const char *c = volt_kernel_text(model->kernel); *c; c++)
        digest = volt_digest_byte(digest, (unsigned char)*c);
    for (int64_t i = 0; i < Z.rows; i++)
        digest = volt_digest_numbers(digest, Z.data + i * Z.ld, Z.cols);
    for (int64_t i = 0; i < targets.rows; i++) {
        digest = volt_digest_numbers(digest, targets.data + i * targets.ld, targets.cols);
        if (task->choice && task->choice->level.data)
            digest = volt_digest_numbers(digest, task->choice->level.data + i * task->choice->level.ld,
                                         targets.cols);
        digest = volt_digest_byte(digest, task->without && task->without[i]);
    }
    for (int64_t r = 0; r < options->n_records; r++) {
        double rows = (double)options->records[r];
        digest = volt_digest_numbers(digest, &rows, 1);
    }
    snprintf(space->checkpoint.digest, VOLT_DIGEST_LENGTH, "%016" PRIx64, digest);
}

volt_status volt_iteration_begin(const fit_task *fit, const volt_model *model, volt_view Z, int64_t m,
                                 const volt_solver *solver, const volt_solver_task *task, volt_view targets,
                                 volt_iteration_workspace *space)
{
    const volt_fit_options *options = fit->options;
    *space = (volt_iteration_workspace){
        .settings = {.tolerance = options->tolerance > 0 ? options->tolerance : solver->tolerance,
                     .max_steps = options->iterations > 0 ? options->iterations : solver->iterations,
                     .residual = NAN}};
    if (options->checkpoint) {
        VOLT_TRY(volt_checkpoint_check(options->checkpoint));
        space->checkpoint = (volt_checkpoint){.path = options->checkpoint,
                                              .kernel = volt_kernel_text(model->kernel),
                                              .every = options->checkpoint_seconds};
        space->settings.load = volt_checkpoint_load;
        space->settings.save = volt_checkpoint_save;
        space->settings.context = &space->checkpoint;
    }
    if (m > 0)
        VOLT_TRY(take_landmarks(fit, model, Z, m, task->common, space));
    if (options->checkpoint)
        find_digest(fit, model, Z, task, targets, space);
    return VOLT_OK;
}
