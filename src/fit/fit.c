/* src/fit/fit.c: fits a model to a sequence of inputs and targets.
 *
 * This file computes the scales and resolves the kernel. A solver from the table (solve/solver_table.h)
 * computes the readout. It also chooses alpha and the kind of target when they are not given
 * (solve/choice/choice.h).
 *
 * Fitted values follow from K A + 1 c = Y - alpha A on the fitted rows. K A of the washout rows is computed
 * with the readout.
 *
 * A kernel with a centred Gram matrix, H K H, and no intercept predicts like the plain kernel with an
 * intercept, less the mean of the fitted targets. It is solved in that form (factor.h). */
#define _POSIX_C_SOURCE 200809L
#include "base/blas.h"

#include "backend/backend.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/row_bands.h"
#include "base/strings.h"
#include "base/views.h"
#include "fit/fit_task.h"
#include "fit/landmarks.h"
#include "gram/gram.h"
#include "io/file/file_bytes.h"
#include "kernel/kernel_entry.h"
#include "model/file/file_fields.h"
#include "model/model_internal.h"
#include "model/recipe.h"
#include "solve/iterative/pcg.h"
#include "solve/landmark/landmark_operator.h"
#include "solve/landmark/placement.h"
#include "solve/solver_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the rows ----------------------------------------------------------------------------------- */

/* Training rows, stored or computed on demand. */

enum { BLOCK = 4096 }; /* rows per block: at least the number that volt_kernel_warn reads */

/* ---- computed on demand ------------------------------------------------------------------------- */

/* Unscaled columns of row `next`. Increments `next`. */
static void make_columns(volt_fit_rows *rows, double *columns)
{
    const volt_recipe *recipe = &rows->model->recipe;
    const double *x = rows->task->X.data + rows->next * rows->task->X.ld;
    if (rows->next == 0 || volt_records_begins(rows->task->records, rows->next))
        volt_recent_restart(&rows->recent);
    volt_recipe_row(recipe, &rows->recent, x, columns);
    volt_recent_push(recipe, &rows->recent, x);
    rows->next++;
}

static void make_row(volt_fit_rows *rows, double *z)
{
    const volt_model *model = rows->model;
    make_columns(rows, z);
    volt_input_scale_row(&model->input, model->recipe.columns, z, z);
    volt_recent_filter(&model->recipe, &rows->recent, z);
}

/* For volt_input_scale_learn_rows, which reads rows in order. */
static const double *columns_of(void *context, int64_t i)
{
    volt_fit_rows *rows = context;
    rows->next = i;
    make_columns(rows, rows->workspace);
    return rows->workspace;
}

void volt_fit_rows_get(volt_fit_rows *rows, int64_t first, volt_matrix Z)
{
    if (rows->Z.data) {
        for (int64_t i = 0; i < Z.rows; i++)
            memcpy(Z.data + i * Z.ld, rows->Z.data + (first + i) * rows->Z.ld, (size_t)Z.cols * sizeof(double));
        return;
    }
    int64_t begin = volt_records_begin(rows->task->records, first);
    if (rows->next > first || rows->next < begin)
        rows->next = begin; /* start of the record */
    while (rows->next < first)
        make_row(rows, rows->workspace);
    for (int64_t i = 0; i < Z.rows; i++)
        make_row(rows, Z.data + i * Z.ld);
}

/* ---- begin ------------------------------------------------------------------------------------ */

/* Fills Z with columns of the inputs and of fed-back targets, then scales and filters them. */
static volt_status store(volt_fit_rows *rows, volt_matrix Z)
{
    const fit_task *task = rows->task;
    volt_model *model = rows->model;
    volt_matrix columns = {Z.data, Z.rows, model->recipe.columns, Z.ld}; /* before filtering */
    volt_view own = {Z.data, Z.rows, volt_recipe_input_columns(&model->recipe), Z.ld};
    while (rows->next < Z.rows)
        make_columns(rows, Z.data + rows->next * Z.ld);
    VOLT_TRY(
        volt_input_scale_learn(own, !volt_kernel_keeps_origin(model->kernel), !model->scaled, &model->input));
    if (model->recipe.fed_outputs.n > 0)
        VOLT_TRY(volt_feedback_learn(&model->recipe.fed_outputs, task->Y, task->records, model->target_mean,
                                     model->target_scale, !model->scaled, model->initial == VOLT_INITIAL_FIRST,
                                     columns, &model->input));
    VOLT_TRY(volt_model_settle_past(model));
    for (int64_t i = 0; i < Z.rows; i++) {
        double *z = Z.data + i * Z.ld;
        if (volt_records_begins(task->records, i) && rows->recent.bank.state)
            volt_filter_bank_reset(&rows->recent.bank);
        volt_input_scale_row(&model->input, columns.cols, z, z);
        volt_recent_filter(&model->recipe, &rows->recent, z);
    }
    rows->Z = volt_as_view(Z);
    return VOLT_OK;
}

static volt_status learn(volt_fit_rows *rows)
{
    volt_model *model = rows->model;
    volt_row_source source = {
        .rows = rows->Z.rows, .cols = model->recipe.columns, .row = columns_of, .context = rows};
    VOLT_TRY(volt_input_scale_learn_rows(&source, !volt_kernel_keeps_origin(model->kernel), !model->scaled,
                                         &model->input));
    VOLT_TRY(volt_model_settle_past(model));
    rows->next = 0;
    while (rows->next < rows->Z.rows) /* state before the row after the last */
        make_row(rows, rows->workspace);
    return VOLT_OK;
}

volt_status volt_fit_rows_begin(const fit_task *task, volt_model *model, int64_t d, bool stored,
                                volt_fit_rows *rows)
{
    int64_t n = task->X.rows;
    *rows = (volt_fit_rows){.task = task, .model = model, .Z = volt_view_of(NULL, n, d)};
    VOLT_TRY(volt_recent_create(&model->recipe, &model->recent));
    VOLT_TRY(volt_recent_create(&model->recipe, &rows->recent));
    double *memory = volt_alloc_doubles(stored ? n : 1, d);
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_status status = VOLT_OK;
    if (stored) {
        status = store(rows, volt_matrix_of(memory, n, d));
        rows->Z.data = memory; /* released by the caller in every case */
    } else {
        rows->workspace = memory;
        status = learn(rows);
    }
    if (status == VOLT_OK)
        volt_recent_copy(&model->recipe, &rows->recent, &model->recent);
    return status;
}

void volt_fit_rows_release(volt_fit_rows *rows)
{
    volt_recent_release(&rows->recent);
    volt_free((double *)rows->Z.data);
    volt_free(rows->workspace);
    *rows = (volt_fit_rows){0};
}

/* ---- statistics of all rows ---------------------------------------------------------------------- */

volt_status volt_fit_rows_extents(volt_fit_rows *rows, int64_t slices, volt_extent *extents)
{
    static const char name[] = "the inputs";
    if (rows->Z.data)
        return volt_extents_of(rows->Z, slices, name, extents);
    int64_t n = rows->Z.rows, d = rows->Z.cols;
    volt_status status = VOLT_OK;
    double *memory = volt_alloc_doubles(volt_min(n, BLOCK), d);
    if (!memory)
        return VOLT_ERR_MEMORY;
    for (int64_t first = 0; first < n && status == VOLT_OK; first += BLOCK) {
        volt_extent found[VOLT_MAX_FACTORS];
        volt_matrix block = volt_matrix_of(memory, volt_min(BLOCK, n - first), d);
        volt_fit_rows_get(rows, first, block);
        status = volt_extents_of(volt_as_view(block), slices, name, found);
        for (int64_t s = 0; s < slices && status == VOLT_OK; s++)
            extents[s] = first == 0 ? found[s]
                                    : (volt_extent){.radius = fmax(extents[s].radius, found[s].radius),
                                                    .largest = fmax(extents[s].largest, found[s].largest)};
    }
    volt_free(memory);
    return status;
}

static volt_status fit_rows_warn(volt_fit_rows *rows)
{
    const volt_model *model = rows->model;
    if (rows->Z.data)
        return volt_kernel_warn(model->kernel, &model->resolved, rows->Z);
    int64_t count = volt_min(rows->Z.rows, BLOCK), d = rows->Z.cols;
    volt_matrix some = volt_matrix_of(volt_alloc_doubles(count, d), count, d);
    if (!some.data)
        return VOLT_ERR_MEMORY;
    volt_fit_rows_get(rows, 0, some);
    volt_status status = volt_kernel_warn(model->kernel, &model->resolved, volt_as_view(some));
    volt_free(some.data);
    return status;
}

/* ---- checkpoints -------------------------------------------------------------------------------- */

/* Saves and loads the state of an iteration. */

typedef struct volt_checkpoint {
    const char *path;   /* NULL: no checkpoint */
    const char *kernel; /* its text */
    char digest[VOLT_DIGEST_LENGTH];
    double every; /* seconds */
    double last;  /* time of the last write or attempt */
    bool complained;
} volt_checkpoint;

enum { VERSION = 1 };
static const char format[] = "volterra-pcg";

/* Checks that `path` can be a checkpoint. VOLT_ERR_IO when it exists and is not a regular file, or is not
 * writable. */
static volt_status checkpoint_check(const char *path)
{
    struct stat file_info;
    volt_atomic_file file;
    bool exists = stat(path, &file_info) == 0;
    VOLT_REQUIRE(!exists || S_ISREG(file_info.st_mode), VOLT_ERR_IO, "the checkpoint %s is not a regular file",
                 path);
    VOLT_TRY(volt_atomic_open(&file, path));
    volt_atomic_discard(&file);
    return VOLT_OK;
}

/* ---- load ------------------------------------------------------------------------------------- */

static volt_status check_head(const volt_checkpoint *checkpoint, const volt_file_fields *fields)
{
    const char *text = NULL, *kernel = NULL;
    int64_t version = 0;
    VOLT_TRY(volt_fields_text(fields, "format", &text));
    if (strcmp(text, format) != 0)
        return volt_fields_wrong_format(fields, text);
    VOLT_TRY(volt_fields_count(fields, "version", &version));
    VOLT_REQUIRE(version == VERSION, VOLT_ERR_FORMAT,
                 "%s has checkpoint format %" PRId64 ", but this library (%s) reads format %d", fields->path,
                 version, volt_version(), VERSION);
    VOLT_TRY(volt_fields_text(fields, "kernel", &kernel));
    VOLT_TRY(volt_fields_text(fields, "fit", &text));
    VOLT_REQUIRE(strcmp(text, checkpoint->digest) == 0, VOLT_ERR_FORMAT,
                 "%s belongs to another fit (%.40s with kernel %.80s; this one is %s with kernel %.80s): other "
                 "data, kernel, alpha or landmarks",
                 fields->path, text, kernel, checkpoint->digest, checkpoint->kernel);
    return VOLT_OK;
}

static volt_status read_state(const volt_file_fields *fields, volt_pcg_state *state)
{
    int64_t rows = state->rows, columns = state->columns;
    VOLT_TRY(volt_fields_count(fields, "steps", &state->steps));
    VOLT_TRY(volt_fields_count(fields, "restarts", &state->restarts));
    VOLT_TRY(volt_fields_copy(fields, "x", rows, columns, state->x));
    VOLT_TRY(volt_fields_copy(fields, "r", rows, columns, state->r));
    VOLT_TRY(volt_fields_copy(fields, "p", rows, columns, state->p));
    VOLT_TRY(volt_fields_copy(fields, "numbers", columns, VOLT_PCG_NUMBERS, state->numbers));
    for (int64_t k = 0; k < columns; k++) {
        const double *numbers = state->numbers + k * VOLT_PCG_NUMBERS;
        bool right = numbers[VOLT_PCG_SIZE] >= 0;
        for (int i = VOLT_PCG_RESIDUAL; i < VOLT_PCG_NUMBERS; i++)
            right = right && numbers[i] >= 0;
        VOLT_REQUIRE(right, VOLT_ERR_FORMAT, "%s: tensor \"numbers\" does not hold the state of an iteration",
                     fields->path);
    }
    return VOLT_OK;
}

/* For volt_iteration; `context` is a volt_checkpoint. VOLT_ERR_FORMAT for a file that is damaged, foreign or
 * from another fit. */
static volt_status checkpoint_load(void *context, volt_pcg_state *state, bool *found)
{
    volt_checkpoint *checkpoint = context;
    volt_safetensors *file = NULL;
    checkpoint->last = volt_seconds();
    VOLT_TRY(volt_file_exists(checkpoint->path, found));
    if (!*found)
        return VOLT_OK;
    VOLT_TRY(volt_safetensors_read(checkpoint->path, &file));
    volt_file_fields fields = {
        .file = file, .path = checkpoint->path, .kind = "the checkpoint of a volterra fit"};
    volt_status status = check_head(checkpoint, &fields);
    if (status == VOLT_OK)
        status = read_state(&fields, state);
    volt_safetensors_free(file);
    if (status == VOLT_OK)
        volt_log(VOLT_LOG_INFO, "resuming from %s after %" PRId64 " steps", checkpoint->path, state->steps);
    return status;
}

/* ---- save ------------------------------------------------------------------------------------- */

static volt_status write_state(const volt_checkpoint *checkpoint, const volt_pcg_state *state)
{
    int64_t rows = state->rows, columns = state->columns;
    volt_file_writer writer = {0};
    volt_put_text(&writer, "format", format);
    volt_put_count(&writer, "version", VERSION);
    volt_put_text(&writer, "library", volt_version());
    volt_put_text(&writer, "kernel", checkpoint->kernel);
    volt_put_text(&writer, "fit", checkpoint->digest);
    volt_put_count(&writer, "steps", state->steps);
    volt_put_count(&writer, "restarts", state->restarts);
    volt_put_tensor(&writer, "x", rows, columns, state->x);
    volt_put_tensor(&writer, "r", rows, columns, state->r);
    volt_put_tensor(&writer, "p", rows, columns, state->p);
    volt_put_tensor(&writer, "numbers", columns, VOLT_PCG_NUMBERS, state->numbers);
    volt_status status = volt_writer_finish(&writer, checkpoint->path, (volt_progress){0});
    volt_writer_release(&writer);
    return status;
}

static volt_status checkpoint_save(void *context, const volt_pcg_state *state, bool last)
{
    volt_checkpoint *checkpoint = context;
    if (!last && volt_seconds() - checkpoint->last < checkpoint->every)
        return VOLT_OK;
    volt_status status = write_state(checkpoint, state);
    checkpoint->last = volt_seconds();
    if (status == VOLT_OK || status == VOLT_ERR_MEMORY) {
        checkpoint->complained &= status != VOLT_OK;
        return status;
    }
    if (!checkpoint->complained)
        volt_log(VOLT_LOG_WARNING, "%s; continuing without a checkpoint of step %" PRId64, volt_error_detail(),
                 state->steps);
    checkpoint->complained = true;
    return VOLT_OK;
}

/* ---- iteration ---------------------------------------------------------------------------------- */

/* Landmarks and checkpoint of an iterative fit that keeps all rows. */

typedef struct iteration_workspace {
    volt_landmark_set set;
    volt_resolved resolved; /* that of the model with the runs as records; owns only the records */
    volt_columns *columns;
    volt_checkpoint checkpoint;
    volt_iteration settings;
} iteration_workspace;

static void iteration_end(iteration_workspace *space)
{
    volt_operator_free(space->settings.landmarks);
    volt_columns_free(space->columns);
    volt_resolved_split(&space->resolved, &(volt_records){0}, 0); /* frees its records; cannot fail */
    volt_landmark_set_release(&space->set);
    *space = (iteration_workspace){0};
}

/* Resolves the rows of the set as columns. The runs of the set become records. */
static volt_status take_columns(const fit_task *fit, volt_view Z, iteration_workspace *space)
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
                                  double common, iteration_workspace *space)
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
                        volt_view targets, iteration_workspace *space)
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

/* Prepares m landmarks of the rows Z (0: none) and the iteration options. `task` is the task of the solver,
 * with everything that determines the result. `targets` are the rows to fit. Always call iteration_end. */
static volt_status iteration_begin(const fit_task *fit, const volt_model *model, volt_view Z, int64_t m,
                                   const volt_solver *solver, const volt_solver_task *task, volt_view targets,
                                   iteration_workspace *space)
{
    const volt_fit_options *options = fit->options;
    *space = (iteration_workspace){
        .settings = {.tolerance = options->tolerance > 0 ? options->tolerance : solver->tolerance,
                     .max_steps = options->iterations > 0 ? options->iterations : solver->iterations,
                     .residual = NAN}};
    if (options->checkpoint) {
        VOLT_TRY(checkpoint_check(options->checkpoint));
        space->checkpoint = (volt_checkpoint){.path = options->checkpoint,
                                              .kernel = volt_kernel_text(model->kernel),
                                              .every = options->checkpoint_seconds};
        space->settings.load = checkpoint_load;
        space->settings.save = checkpoint_save;
        space->settings.context = &space->checkpoint;
    }
    if (m > 0)
        VOLT_TRY(take_landmarks(fit, model, Z, m, task->common, space));
    if (options->checkpoint)
        find_digest(fit, model, Z, task, targets, space);
    return VOLT_OK;
}

/* ---- report ------------------------------------------------------------------------------------- */

/* Out-of-sample errors of a fit. */

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

/* Reports norms and noise. The dimensions are known; `coefficients` (n x q) and `unlearned` as in volt_readout;
 * `chosen` (q) is NULL if nothing was chosen. `states` is the readout of states or landmarks if the solver works on these; without data, K A follows from
 * the coefficients. */
static void fit_report_norms(const fit_task *task, const double *coefficients, const double *unlearned,
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

/* Reports the held-out rows: from `choice` if one was made, else from `held`. */
static void fit_make_report(const fit_task *task, const volt_choice *choice, const volt_held_out *held,
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

/* Reports the solver, its iterations, and the devices of the back end that it used. */
static void fit_report_solver(const volt_solver *solver, const volt_solver_choice *choice,
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

/* Reports leave-one-out errors, in the units of the targets. */
static void fit_report_loo(const volt_loo_errors *loo_errors, volt_model *model)
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

/* ---- the fit ------------------------------------------------------------------------------------ */

/* ---- the fit ---------------------------------------------------------------------------------- */

/* Means and units of the targets: of the level, or of the change. The mean of a change is learned. */
static void prepare_targets(const fit_task *task, const volt_loss *loss, volt_model *model)
{
    volt_view Y = task->Y;
    bool unscaled = loss && loss->kind->info.unscaled;
    volt_target_scale_learn(task->missing_targets->present, !model->scaled || unscaled, model->target_mean,
                            model->target_scale);
    if (!model->scaled && !unscaled)
        volt_target_scale_powers(task->missing_targets->present, model->target_scale);
    for (int64_t k = 0; task->change && model->scaled && k < Y.cols; k++) {
        volt_squares squares = {0};
        int64_t count = 0;
        for (int64_t i = 0; i < Y.rows; i++)
            if (fit_task_has_target(task, i)) {
                volt_squares_add(&squares, Y.data[i * Y.ld + k] -
                                               task->X.data[i * task->X.ld + task->options->anchors[k]]);
                count++;
            }
        double unit = volt_squares_root_mean(&squares, count);
        model->target_scale[k] = unit > 0 && isfinite(1 / unit) ? unit : 1;
    }
}

/* A target of weight 0 is not fitted, but is still an input when outputs are the next inputs. */
static bool knows_last_target(const fit_task *task, const volt_model *model)
{
    volt_view Y = task->Y;
    bool known = model->feedback || model->recipe.fed_outputs.n > 0;
    for (int64_t k = 0; known && k < Y.cols; k++)
        known = isfinite(Y.data[(Y.rows - 1) * Y.ld + k]);
    return known || fit_task_has_target(task, Y.rows - 1);
}

/* Prepares everything before the Gram matrix: scales, kernel, and the rows as passed to the kernel (`width`
 * numbers each). */
static volt_status prepare(const volt_kernel *kernel, const fit_task *task, const volt_loss *loss,
                           int64_t width, bool stored, volt_fit_rows *rows, volt_model *model)
{
    const volt_fit_options *options = task->options;
    volt_view Y = task->Y;
    model->washout = options->washout;
    model->ahead = options->ahead;
    model->intercept = options->intercept != 0;
    model->scaled = options->scale != 0;
    model->scale_each = options->scale_each != 0;
    model->feedback = options->feedback != 0;
    model->season = task->season;
    model->kind = task->input;
    model->no_last_target = !knows_last_target(task, model);
    model->ends_without_target = model->recipe.fed_outputs.n > 0 && model->no_last_target;
    if (!model->no_last_target)
        memcpy(model->last_target, Y.data + (Y.rows - 1) * Y.ld, (size_t)Y.cols * sizeof(double));
    VOLT_TRY(volt_names_copy(options->input_names, model->recipe.inputs, &model->input_names));
    VOLT_TRY(volt_names_copy(options->output_names, model->q, &model->output_names));
    VOLT_TRY(volt_notes_copy(&options->notes, &model->notes));
    if (options->times)
        VOLT_TRY(volt_notes_set_times(options->times, options->n_times, options->ahead, &model->notes));
    VOLT_TRY(volt_notes_get_times(&model->notes, options->ahead, NULL));
    VOLT_TRY(volt_notes_first_rows(task->X, &model->notes));
    VOLT_TRY(volt_model_record_pending(model, options->pending));
    VOLT_TRY(volt_model_extend_range(model, task->X));
    VOLT_TRY(volt_kernel_parse(volt_kernel_text(kernel), &model->kernel));
    volt_recipe_use_filters(&model->recipe, model->kernel);
    model->initial = options->initial;
    VOLT_TRY(volt_initial_values(options->initial, options->initial_values, task->X, &model->initial_values));
    model->recipe.initial = model->initial_values;

    prepare_targets(task, loss, model); /* before the inputs, which may include fed-back targets */
    VOLT_TRY(volt_fit_rows_begin(task, model, width, stored, rows));
    if (!model->ends_without_target)
        volt_recent_feed(&model->recipe, &model->recent, model->last_target);
    volt_extent extents[VOLT_MAX_FACTORS];
    VOLT_TRY(volt_fit_rows_extents(rows, volt_kernel_slices(kernel), extents));
    VOLT_TRY(volt_kernel_resolve_slices(model->kernel, extents, model->recipe.columns, &model->resolved));
    return fit_rows_warn(rows);
}

/* Stores the choice in the model: alphas, shares, and which outputs are changes. */
static void take_choice(const fit_task *task, const volt_chosen *chosen, volt_model *model)
{
    for (int64_t k = 0; k < model->q; k++) {
        bool change = chosen ? task->change && !chosen[k].level : task->change;
        model->alphas[k] = chosen ? chosen[k].alpha : task->options->alpha;
        model->shares[k] = chosen && chosen[k].share > 0 ? chosen[k].share : 1;
        if (change)
            volt_fit_task_take_change(task, k, model);
    }
}

/* Holes after the washout. NULL: none. */
static const bool *fitted_missing(const fit_task *task)
{
    return task->missing_targets->without ? task->missing_targets->without + task->options->washout : NULL;
}

/* Buffers for a choice, or for the errors of a fit with a given alpha. */
typedef struct choice_buffers {
    volt_choice choice;
    volt_held_out held;
    volt_matrix naive, level;
} choice_buffers;

static volt_status prepare_choice(const fit_task *task, const volt_model *model, volt_view first,
                                  bool landmarks, choice_buffers *buffers)
{
    int64_t fitted_rows = first.rows, q = first.cols, ahead = volt_max(task->options->ahead, 1);
    int64_t blocks = volt_fit_task_blocks(task->options, q);
    buffers->held = (volt_held_out){.ahead = ahead, .blocks = blocks, .mse = volt_alloc_doubles(q, 1)};
    volt_held_out_rows(&buffers->held, fitted_rows, fitted_missing(task));
    buffers->choice = (volt_choice){.ahead = ahead,
                                    .alpha = task->options->alpha,
                                    .start = task->options->alpha_start,
                                    .held = {.blocks = blocks},
                                    .naive = task->change ? first : volt_view_of(NULL, 0, 0),
                                    .outputs = volt_alloc_zero(q, sizeof *buffers->choice.outputs)};
    if (!buffers->held.mse || !buffers->choice.outputs)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < q; k++)
        buffers->held.mse[k] = NAN; /* until rows are held out */
    if (!task->chooses || !task->change)
        return VOLT_OK;
    /* The first targets are the errors of the naive forecast. The solver overwrites them with coefficients,
     * except with landmarks, so they are copied here. */
    if (!landmarks)
        buffers->naive = volt_matrix_of(volt_alloc_doubles(fitted_rows, q), fitted_rows, q);
    if (task->level)
        buffers->level = volt_matrix_of(volt_alloc_doubles(fitted_rows, q), fitted_rows, q);
    if ((!landmarks && !buffers->naive.data) || (task->level && !buffers->level.data))
        return VOLT_ERR_MEMORY;
    if (!landmarks) {
        volt_fit_task_scale_targets(task, model, true, buffers->naive);
        buffers->choice.naive = volt_as_view(buffers->naive);
    }
    if (task->level) {
        volt_fit_task_scale_targets(task, model, false, buffers->level);
        buffers->choice.level = volt_as_view(buffers->level);
    }
    return VOLT_OK;
}

enum { LANDMARK_ERRORS = 2048 }; /* kept by a model on landmarks, to limit its size */

/* The chosen solver and its buffers. */
typedef struct solve_workspace {
    volt_solver_choice solver_choice;
    choice_buffers choice;
    volt_landmark_set set;
    double *coefficients; /* of all rows, when the model has landmarks */
    double *gamma;        /* readout of the landmark features */
    iteration_workspace iteration;
} solve_workspace;

static void release_workspace(solve_workspace *buffers)
{
    volt_free(buffers->choice.held.mse);
    volt_free(buffers->choice.choice.outputs);
    volt_free(buffers->choice.naive.data);
    volt_free(buffers->choice.level.data);
    volt_landmark_set_release(&buffers->set);
    volt_free(buffers->coefficients);
    volt_free(buffers->gamma);
    iteration_end(&buffers->iteration);
}

/* Stores the rows that the model keeps: all rows, or landmarks. */
static volt_status take_rows(const fit_task *task, volt_fit_rows *rows, solve_workspace *buffers,
                             volt_model *model)
{
    const volt_fit_options *options = task->options;
    if (!buffers->solver_choice.landmarks) {
        VOLT_TRY(volt_model_use_records(model, options->records, options->n_records));
        return volt_model_pack(model, rows->Z, options->progress);
    }
    VOLT_TRY(volt_landmark_set_choose(rows->Z.rows, options->washout, task->records,
                                      buffers->solver_choice.landmarks, options->landmark_choice,
                                      volt_landmark_memory(&model->resolved), &buffers->set));
    if (task->levels)
        volt_landmark_set_nest(&buffers->set, options->landmark_choice, task->levels);
    return volt_model_use_landmarks(model, task, rows, &buffers->set, options->progress,
                                    &buffers->coefficients);
}

static void get_rows(void *context, int64_t first, volt_matrix Z)
{
    volt_fit_rows_get(context, first, Z);
}

/* The operator of the solver: the kernel, or landmark features. */
static volt_status make_operator(const fit_task *fit, const solve_workspace *buffers, const volt_model *model,
                                 volt_fit_rows *rows, double common, volt_operator **op)
{
    if (!buffers->solver_choice.landmarks)
        return volt_kernel_operator(&model->resolved, model->columns, rows->Z, false, op);
    volt_landmark_task task = {
        .resolved = &model->resolved,
        .columns = model->columns,
        .column = buffers->set.column,
        .m = buffers->set.m,
        .Z = rows->Z,
        .get_rows = get_rows,
        .context = rows,
        .records = fit->records,
        .common = common,
        .washout = model->washout,
        .backend = volt_place_agree(volt_place_landmarks(rows->Z.rows, buffers->set.m, rows->Z.cols))};
    double share = volt_landmark_share(&task, 0);
    volt_stage stage;
    volt_meter_cover(fit->meter, 0, share);
    volt_stage_begin(&stage, fit->options->progress, "landmarks", 0, 1, volt_landmark_units(&task));
    volt_status status = volt_landmark_operator(&task, &stage, op);
    volt_meter_cover(fit->meter, share, 1 - share);
    return status;
}

/* The readout of states, if any: of reservoirs, or of landmarks. */
static volt_status make_states(const fit_task *fit, solve_workspace *buffers, volt_model *model,
                               volt_matrix *states)
{
    if (buffers->solver_choice.landmarks) {
        buffers->gamma = volt_alloc_doubles(buffers->set.m, model->q);
        *states = volt_matrix_of(buffers->gamma, buffers->set.m, model->q);
        return buffers->gamma ? VOLT_OK : VOLT_ERR_MEMORY;
    }
    if (!fit->options->keep_factor) /* the factor belongs to rows, not to states */
        VOLT_TRY(volt_readout_allocate(model));
    *states = volt_matrix_of(model->states_readout, model->states ? model->states->m : 0, model->q);
    return VOLT_OK;
}

static volt_status find_solver(const volt_solver_choice *choice, const volt_model *model,
                               const volt_backend *backend, const volt_solver **solver)
{
    int64_t states = model->states ? model->states->m : 0;
    *solver = choice->solver ? choice->solver
                             : volt_solver_choose(model->n, model->q, states, false,
                                                  volt_solver_available(backend, model->n));
    VOLT_REQUIRE(!(*solver)->needs.states || states > 0, VOLT_ERR_ARGUMENT,
                 "the solver \"%s\" requires a kernel with explicit states (got %s)", (*solver)->info.name,
                 volt_kernel_text(model->kernel));
    return VOLT_OK;
}

/* Stores the result of the solver in the model: coefficients of landmarks or of states, and the final state. */
static volt_status take_readout(const fit_task *fit, solve_workspace *buffers, const volt_solver *solver,
                                volt_operator *op, volt_matrix states, volt_matrix washout_fitted,
                                volt_model *model)
{
    if (buffers->solver_choice.landmarks) {
        volt_model_take_landmarks(model, &buffers->set, op, states, washout_fitted);
        return volt_landmark_operator_end(op, &model->end);
    }
    if (model->states && !solver->needs.states)
        VOLT_TRY(volt_operator_fold(op, volt_view_of(model->coefficients, model->n, model->q), states,
                                    fit->options->progress));
    return volt_kernel_operator_end(op, &model->end);
}

/* Computes coefficients, intercepts and the state after the last row. If `washout_fitted` (washout x q) has
 * data, it
 * receives K A of the washout rows. */
static volt_status solve_readout(const fit_task *fit, volt_model *model, volt_fit_rows *rows,
                                 solve_workspace *solving, double *unlearned, volt_matrix washout_fitted)
{
    choice_buffers *buffers = &solving->choice;
    volt_matrix states;
    const volt_solver *solver;
    VOLT_TRY(make_states(fit, solving, model, &states));
    VOLT_TRY(find_solver(&solving->solver_choice, model, fit->backend, &solver));
    if (!solver->accepts.device)
        volt_place_on_cpu("a solver that does not store the Gram matrix works");
    int64_t w = model->washout, q = model->q, fitted_rows = rows->Z.rows - w;
    double *coefficients = solving->coefficients ? solving->coefficients : model->coefficients;
    volt_matrix A = volt_matrix_of(coefficients + w * q, fitted_rows, q);
    bool intercept = model->intercept || model->resolved.centred;
    bool centred = model->resolved.centred && !model->intercept;
    VOLT_REQUIRE(!fit->chooses || !centred, VOLT_ERR_ARGUMENT,
                 "alpha is required for a centred kernel without an intercept");
    memset(coefficients, 0, (size_t)(w * q) * sizeof(double));
    volt_fit_task_scale_targets(fit, model, fit->change, A);
    VOLT_TRY(prepare_choice(fit, model, volt_as_view(A), solving->solver_choice.landmarks > 0, buffers));
    volt_solver_task task = {.washout = w,
                             .alpha = fit->options->alpha,
                             .without = fitted_missing(fit),
                             .intercept = intercept,
                             .common = intercept ? model->resolved.common : 0,
                             .centred = centred,
                             .choice = fit->chooses ? &buffers->choice : NULL,
                             .held_out = centred ? NULL : &buffers->held,
                             .target_scale = model->target_scale,
                             .backend = fit->backend,
                             .progress = fit->options->progress};
    volt_row_errors errors[VOLT_ROW_ERRORS];
    if (!centred) {
        VOLT_TRY(volt_errors_prepare(fitted_rows, q, buffers->held.ahead, fitted_missing(fit),
                                     solving->solver_choice.landmarks ? LANDMARK_ERRORS : fitted_rows,
                                     &model->errors, errors));
        task.errors = errors;
    }
    if (fit->options->keep_factor) {
        VOLT_REQUIRE(!centred, VOLT_ERR_ARGUMENT,
                     "keep_factor requires an intercept when the kernel is centred: without one there is no "
                     "error estimate");
        VOLT_TRY(volt_stored_factors_create(q, &model->stored_factors));
        task.stored_factors = &model->stored_factors;
    }
    volt_readout readout = {.A = A,
                            .intercepts = model->intercepts,
                            .unlearned = unlearned,
                            .washout_fitted = washout_fitted,
                            .log_likelihood = NAN,
                            .dimension = centred ? NULL : model->report_numbers + 13 * q,
                            .dimension_error = model->report_numbers + 14 * q};
    for (int64_t k = 0; k < 2 * q; k++)
        model->report_numbers[13 * q + k] = NAN;
    volt_loo_errors loo_errors = {.loo = model->report_numbers + 4 * q, .gcv = model->report_numbers + 5 * q};
    if (solver->offers.leverages)
        task.loo_errors = &loo_errors;
    VOLT_TRY(iteration_begin(fit, model, rows->Z, solving->solver_choice.preconditioner_landmarks, solver,
                             &task, volt_as_view(A), &solving->iteration));
    task.iteration = &solving->iteration.settings;
    VOLT_TRY(make_operator(fit, solving, model, rows, task.common, &task.kernel));
    if (model->states)
        volt_kernel_operator_use_states(task.kernel, model->states);
    readout.states = states;
    task.levels = solving->solver_choice.landmarks > 0 ? fit->levels : NULL;
    volt_status status = solver->solve(&task, &readout);
    model->rcond = readout.rcond;
    if (status == VOLT_OK && !task.levels) {
        take_choice(fit, fit->chooses ? buffers->choice.outputs : NULL, model);
        if (!centred)
            fit_make_report(fit, fit->chooses ? &buffers->choice : NULL, &buffers->held, model);
        model->report.log_likelihood = readout.log_likelihood;
        fit_report_solver(solver, &solving->solver_choice, task.iteration,
                          solving->solver_choice.landmarks ? task.kernel->sums_backend
                          : solver->accepts.device         ? fit->backend
                                                           : NULL,
                          model);
        if (task.loo_errors)
            fit_report_loo(&loo_errors, model);
        bool on_states = solver->needs.states || solving->solver_choice.landmarks > 0;
        if (!centred)
            fit_report_norms(fit, coefficients, unlearned, fit->chooses ? buffers->choice.outputs : NULL,
                             on_states ? volt_as_view(states) : (volt_view){0}, model);
        status = take_readout(fit, solving, solver, task.kernel, states, washout_fitted, model);
    }
    volt_operator_free(task.kernel);
    return status;
}

/* Fitted values (see the top of this file). `washout_fitted` is K A of the washout rows. With a share of 1/2,
 * the
 * fitted value is halfway between the present value and that of the full readout. */
static volt_status finish_fitted(const fit_task *task, const volt_model *model, const double *coefficients,
                                 const double *unlearned, volt_view washout_fitted, volt_matrix fitted)
{
    int64_t w = task->options->washout, q = model->q;
    volt_view X = task->X, Y = task->Y;
    for (int64_t i = 0; i < w; i++) {
        memcpy(fitted.data + i * fitted.ld, washout_fitted.data + i * washout_fitted.ld,
               (size_t)q * sizeof(double));
        VOLT_TRY(volt_model_finish_output(model, i, X.data + i * X.ld, fitted.data + i * fitted.ld));
    }
    for (int64_t k = 0; k < q; k++) {
        double scale = model->target_scale[k], shift = scale * unlearned[k];
        double share = model->has_report ? model->report.share[k] : 1;
        bool is_constant = isinf(model->alphas[k]);
        for (int64_t i = w; i < fitted.rows; i++) {
            double base = model->anchors[k] >= 0 ? X.data[i * X.ld + model->anchors[k]] : model->target_mean[k];
            double y = Y.data[i * Y.ld + k], *f = &fitted.data[i * fitted.ld + k];
            if (is_constant)
                *f = base + scale * model->intercepts[k];
            else
                *f = (share == 1 ? y : base + share * (y - base)) - shift -
                     model->alphas[k] * scale * coefficients[i * q + k];
        }
    }
    return VOLT_OK;
}

/* A fit of a resolved task (fit.c). With task->levels, if the model has landmarks, only these are computed, and the model is
 * incomplete. */
static volt_status fit_solve_part(const volt_kernel *kernel, const fit_task *task, volt_loss_fit *loss,
                                  volt_matrix fitted, volt_model **model)
{
    const volt_fit_options *options = task->options;
    int64_t n = task->X.rows, q = task->Y.cols;
    volt_recipe recipe = {0};
    solve_workspace buffers = {0};
    volt_status status = volt_fit_task_recipe(task, n, &recipe);
    if (status == VOLT_OK)
        status =
            volt_fit_solver_choose(kernel, task, recipe.columns, loss->loss != NULL, &buffers.solver_choice);
    int64_t width = recipe.columns * volt_kernel_slices(kernel); /* width of a row as passed to the kernel */
    volt_model *fresh = NULL;
    /* Landmark fits read the rows in blocks and need no copy of the inputs. */
    bool stored = !buffers.solver_choice.landmarks || recipe.fed_outputs.n > 0;
    volt_fit_rows rows = {0};
    volt_matrix washout_fitted = {0};
    double *unlearned = NULL;
    if (status == VOLT_OK)
        status = volt_model_allocate(n, width, q, &fresh);
    if (status == VOLT_OK) {
        fresh->recipe = recipe;
        unlearned = volt_alloc_doubles(q, 1);
        washout_fitted =
            volt_matrix_of(volt_alloc_doubles(fitted.data ? options->washout : 0, q), options->washout, q);
        status = unlearned && washout_fitted.data
                     ? prepare(kernel, task, loss->loss, width, stored, &rows, fresh)
                     : VOLT_ERR_MEMORY;
    } else {
        volt_recipe_release(&recipe);
    }
    if (status == VOLT_OK)
        status = take_rows(task, &rows, &buffers, fresh);
    if (status == VOLT_OK && loss->loss)
        status = volt_loss_fit_solve(task, loss, buffers.solver_choice.solver, rows.Z, fitted, fresh);
    else if (status == VOLT_OK)
        status = solve_readout(task, fresh, &rows, &buffers, unlearned,
                               fitted.data ? washout_fitted : (volt_matrix){0});
    bool has_readout = !(task->levels && task->levels->count > 0);
    if (status == VOLT_OK && fitted.data && !fresh->loss && has_readout)
        status = finish_fitted(task, fresh, buffers.coefficients ? buffers.coefficients : fresh->coefficients,
                               unlearned, volt_as_view(washout_fitted), fitted);

    release_workspace(&buffers);
    volt_free(washout_fitted.data);
    volt_free(unlearned);
    volt_fit_rows_release(&rows);
    if (status == VOLT_OK)
        *model = fresh;
    else
        volt_model_free(fresh);
    return status;
}

/* ---- devices ------------------------------------------------------------------------------------ */

/* A fit on several devices, each with its bands of rows (backend/backend.h). */

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
        return fit_solve_part(fit->kernel, &task, fit->loss, fit->fitted, fit->model);
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
    volt_status status = fit_solve_part(fit->kernel, &task, fit->loss, values, &copy);
    if (status == VOLT_OK)
        volt_model_free(copy);
    volt_free(values.data);
    return status;
}

/* The same, divided among the devices of the chosen back end if there are several and the solver divides its rows
 * (fit_devices.c). A division that fails for lack of memory or of a device is repeated on the first device. */
static volt_status fit_solve(const volt_kernel *kernel, const fit_task *task, volt_loss_fit *loss,
                             volt_matrix fitted, volt_model **model)
{
    const volt_backend *backend = NULL;
    VOLT_TRY(find_devices(kernel, task, loss, &backend));
    if (!backend)
        return fit_solve_part(kernel, task, loss, fitted, model);
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
    return fit_solve_part(kernel, task, loss, fitted, model);
}

/* ---- landmarks until the error stops falling ---------------------------------------------------- */

/* Trials with a growing number of landmarks, and the choice. */

enum { FIRST_LANDMARKS = 2048, MAX_LANDMARKS = 65536 };

static const double min_gain = 0.01;   /* of the held-out RMSE */
static const double max_seconds = 60;  /* of a trial, estimated from the one before it */
static const double trial_share = 0.8; /* of the operations that are left, if this is the last trial */

static const char within[] = "the error is within 1 % of that of all numbers tried",
                  by_rows[] = "as many as rows", by_most[] = "the largest number tried automatically",
                  by_memory[] = "twice as many do not fit in memory",
                  by_time[] = "twice as many would take too long", by_cost[] = "fewest estimated operations",
                  unknown[] = "too few rows are held out: the default";

/* ---- the level -------------------------------------------------------------------------------- */

static double gain(double mse, double reference)
{
    return reference > 0 ? 1 - sqrt(mse / reference) : 0;
}

static int64_t choose_by_error(const volt_landmark_levels *levels, bool *grows)
{
    int64_t last = levels->count - 1, level = 0;
    if (!isfinite(levels->mse[last]))
        return -1;
    while (level < last && !(gain(levels->mse[last], levels->mse[level]) < min_gain))
        level++;
    *grows = last == 0 || level == last;
    return level;
}

/* Steps of conjugate gradients that reduce the error to the tolerance at this condition number,
 * 2 ((sqrt(c) - 1) / (sqrt(c) + 1))^steps, at least one, and a product for the residual. */
static double products_of(double condition, double tolerance)
{
    double root = sqrt(condition);
    return 1 + (root > 1 ? fmax(1, ceil(log(2 / tolerance) / log((root + 1) / (root - 1)))) : 1);
}

/* The last level is the reference of the condition numbers and not a candidate. */
static int64_t choose_by_cost(const volt_landmark_levels *levels, const volt_landmark_costs *costs, bool *grows)
{
    double n = costs->n, product = n * n / 2 * (2 * costs->d + 24) + 2 * n * n * costs->q, least = INFINITY,
           iterating = 0;
    int64_t last = levels->count - 1, level = last;
    for (int64_t i = 0; i < last; i++) {
        double m = (double)levels->m[i], steps = products_of(levels->condition[i], costs->tolerance) * product;
        if (2 * n * m * m + steps < least) {
            level = i;
            least = 2 * n * m * m + steps;
            iterating = steps - 2 * product;
        }
    }
    double twice = 2 * (double)levels->m[last];
    *grows = last == 0 || (level == last - 1 && 2 * n * twice * twice < iterating);
    return level;
}

int64_t volt_landmark_level_choose(const volt_landmark_levels *levels, const volt_landmark_costs *costs,
                                   bool *grows)
{
    *grows = false;
    return costs->iterates ? choose_by_cost(levels, costs, grows) : choose_by_error(levels, grows);
}

/* ---- trials ----------------------------------------------------------------------------------- */

typedef struct growth {
    const volt_kernel *kernel;
    fit_task *task;
    volt_loss_fit *loss;
    volt_matrix fitted;
    const volt_solver *solver; /* of the fit; trials use nystrom */
    volt_landmark_costs costs;
    volt_landmark_levels levels; /* of the last trial */
    double seconds;              /* of that trial */
    int64_t chosen;
    const char *why;
} growth;

/* A trial with m landmarks. *model is NULL unless the fit does not use landmarks: then it is the result. */
static volt_status try_number(growth *g, int64_t m, volt_model **model)
{
    volt_landmark_levels levels = {.conditions = g->costs.iterates};
    double begin = volt_seconds();
    g->loss->options.landmarks = m;
    g->task->levels = &levels;
    if (g->costs.iterates)
        g->task->solver = &volt_solver_nystrom;
    volt_meter_part(g->task->meter, trial_share);
    volt_status status = fit_solve(g->kernel, g->task, g->loss, g->fitted, model);
    g->task->solver = g->solver;
    g->task->levels = NULL;
    if (status == VOLT_OK && levels.count > 0) {
        volt_model_free(*model);
        *model = NULL;
        g->levels = levels;
        g->seconds = volt_seconds() - begin;
        /* all processes of a job try the same numbers */
        const volt_bands *bands = volt_bands_current();
        volt_bands_broadcast(bands, g->levels.mse, VOLT_LANDMARK_LEVELS);
        volt_bands_broadcast(bands, g->levels.condition, VOLT_LANDMARK_LEVELS);
        volt_bands_broadcast(bands, &g->seconds, 1);
    }
    return status;
}

/* Chooses g->chosen; *model as above. */
static volt_status choose_number(growth *g, volt_model **model)
{
    int64_t rows = g->task->X.rows - g->task->options->washout, m = volt_min(FIRST_LANDMARKS, rows);
    for (bool grows = true; grows; m = volt_min(2 * m, rows)) {
        volt_status status = try_number(g, m, model);
        if (status == VOLT_ERR_MEMORY && g->levels.count > 0) {
            g->why = by_memory;
            return VOLT_OK;
        }
        VOLT_TRY(status);
        if (*model)
            return VOLT_OK;
        int64_t level = volt_landmark_level_choose(&g->levels, &g->costs, &grows);
        g->chosen = level >= 0 ? g->levels.m[level] : volt_solver_nystrom.landmarks(rows);
        g->why = level < 0 ? unknown : g->costs.iterates ? by_cost : within;
        if (grows && (m >= rows || m >= MAX_LANDMARKS || 4 * g->seconds > max_seconds)) {
            g->why = m >= rows ? by_rows : m >= MAX_LANDMARKS ? by_most : by_time;
            return VOLT_OK;
        }
    }
    return VOLT_OK;
}

/* fit_solve; with VOLT_LANDMARKS_AUTO the number is chosen first, and stored in loss->options. */
static volt_status fit_grow(const volt_kernel *kernel, fit_task *task, volt_loss_fit *loss, volt_matrix fitted,
                            volt_model **model)
{
    if (loss->options.landmarks != VOLT_LANDMARKS_AUTO)
        return fit_solve(kernel, task, loss, fitted, model);
    const volt_solver *solver = task->solver;
    double tolerance = loss->options.tolerance > 0 ? loss->options.tolerance : solver ? solver->tolerance : 0;
    growth g = {.kernel = kernel,
                .task = task,
                .loss = loss,
                .fitted = fitted,
                .solver = solver,
                .costs = {.iterates = solver && solver->needs.rows,
                          .n = (double)task->X.rows,
                          .d = (double)task->X.cols,
                          .q = (double)task->Y.cols,
                          .tolerance = tolerance}};
    VOLT_TRY(choose_number(&g, model));
    if (*model) /* the solver uses no landmarks */
        return VOLT_OK;
    loss->options.landmarks = g.chosen;
    volt_meter_part(task->meter, 1);
    VOLT_TRY(fit_solve(kernel, task, loss, fitted, model));
    int64_t last = g.levels.count - 1;
    volt_fit_report *report = &(*model)->report;
    report->landmarks_tried = g.levels.m[last];
    report->landmarks_why = g.why;
    report->landmarks_gain = NAN;
    for (int64_t i = 0; i <= last && !g.costs.iterates; i++)
        if (g.levels.m[i] == g.chosen)
            report->landmarks_gain = gain(g.levels.mse[last], g.levels.mse[i]);
    return VOLT_OK;
}

/* ---- volt_model_fit ----------------------------------------------------------------------------- */

/* Volt_model_fit: checks, back end and results of a fit, which fit.c computes. */

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
    VOLT_REQUIRE(kernel && model, VOLT_ERR_ARGUMENT, "the kernel or the output for the model is NULL");
    VOLT_TRY(volt_check_pairs_present(X, loss->Y, missing_targets->present));
    if (fitted.data)
        VOLT_TRY(volt_check_output(fitted, loss->Y.rows, loss->Y.cols, "the fitted values"));
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
    if (fitted.data)
        values = volt_matrix_of(volt_alloc_doubles(fitted.rows, fitted.cols), fitted.rows, fitted.cols);
    volt_status status = fitted.data && !values.data ? VOLT_ERR_MEMORY : VOLT_OK;
    if (status == VOLT_OK)
        status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = fit_grow(kernel, &task, loss, values, &fresh);
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
