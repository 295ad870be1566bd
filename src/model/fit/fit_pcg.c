/* src/model/fit/fit_pcg.c: landmarks beside a model that keeps all its rows. */
#include "model/fit/fit_pcg.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void volt_pcg_room_release(volt_pcg_room *room)
{
    volt_operator_free(room->pcg.landmarks);
    volt_columns_free(room->columns);
    volt_resolved_split(&room->resolved, &(volt_records){0}, 0); /* frees its records, and cannot fail */
    volt_landmark_set_release(&room->set);
    *room = (volt_pcg_room){0};
}

/* The rows of the set as columns, whose records are its runs. */
static volt_status take_columns(const fit_task *fit, volt_view Z, volt_pcg_room *room)
{
    const volt_landmark_set *set = &room->set;
    volt_records runs = {0};
    volt_stage stage;
    double *rows = volt_alloc_doubles(set->n, Z.cols);
    volt_status status = rows ? volt_records_make(set->runs, set->n_runs, set->n, &runs) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_resolved_split(&room->resolved, &runs, 0);
    for (int64_t i = 0; status == VOLT_OK && i < set->n; i++)
        memcpy(rows + i * Z.cols, Z.data + set->source[i] * Z.ld, (size_t)Z.cols * sizeof *rows);
    volt_stage_begin(&stage, fit->options->progress, "landmarks", 0, 0, 1);
    if (status == VOLT_OK)
        status =
            volt_columns_create(&room->resolved, volt_view_of(rows, set->n, Z.cols), &stage, &room->columns);
    if (status == VOLT_OK && !volt_stage_goes_on(&stage)) /* and the columns are not whole */
        status = volt_stage_end(&stage);
    volt_records_release(&runs);
    volt_free(rows);
    return status;
}

static volt_status take_landmarks(const fit_task *fit, const volt_model *model, volt_view Z, int64_t m,
                                  double common, volt_pcg_room *room)
{
    room->resolved = model->resolved.records ? model->resolved.records->each : model->resolved;
    room->resolved.records = NULL;
    VOLT_TRY(volt_landmark_set_choose(Z.rows, model->washout, fit->records, m, fit->options->landmark_choice,
                                      volt_landmark_ghosts(&room->resolved), &room->set));
    VOLT_TRY(take_columns(fit, Z, room));
    volt_landmark_task task = {.resolved = &room->resolved,
                               .columns = room->columns,
                               .column = room->set.column,
                               .m = room->set.m,
                               .Z = Z,
                               .records = fit->records,
                               .common = common};
    volt_stage stage;
    volt_stage_begin(&stage, fit->options->progress, "landmarks", 0, 0,
                     (double)room->set.n * (double)room->set.n);
    return volt_landmark_operator(&task, &stage, &room->pcg.landmarks);
}

/* What the answer depends on, but for where the iteration stops. */
static void find_digest(const fit_task *fit, const volt_model *model, volt_view Z, const volt_solver_task *task,
                        volt_view targets, volt_pcg_room *room)
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
                               (double)room->set.m,
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
    snprintf(room->checkpoint.digest, VOLT_DIGEST_LENGTH, "%016" PRIx64, digest);
}

volt_status volt_pcg_room_make(const fit_task *fit, const volt_model *model, volt_view Z, int64_t m,
                               const volt_solver_task *task, volt_view targets, volt_pcg_room *room)
{
    const volt_fit_options *options = fit->options;
    *room =
        (volt_pcg_room){.pcg = {.tolerance = options->tolerance > 0 ? options->tolerance : VOLT_PCG_TOLERANCE,
                                .most_steps = options->iterations > 0 ? options->iterations : VOLT_PCG_STEPS}};
    if (options->checkpoint) {
        VOLT_TRY(volt_checkpoint_check(options->checkpoint));
        room->checkpoint = (volt_checkpoint){.path = options->checkpoint,
                                             .kernel = volt_kernel_text(model->kernel),
                                             .every = options->checkpoint_seconds};
        room->pcg.load = volt_checkpoint_load;
        room->pcg.save = volt_checkpoint_save;
        room->pcg.context = &room->checkpoint;
    }
    VOLT_TRY(take_landmarks(fit, model, Z, m, task->common, room));
    if (options->checkpoint)
        find_digest(fit, model, Z, task, targets, room);
    return VOLT_OK;
}
