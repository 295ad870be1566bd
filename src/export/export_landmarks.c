/* src/export/export_landmarks.c: a model on landmarks that is nearest to an exact one on its training rows.
 *
 *     f = K A (n x q),     B: kernels of the n rows against m landmarks,     g = argmin |B g - f|^2
 *
 * The normal equations are regularised by a multiple of rounding. Two steps of refinement remove most of its effect. */
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "export/export_model.h"
#include "fit/landmarks.h"
#include "solve/exact/operator.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct landmark_task {
    const volt_model *model;
    volt_records records; /* of the training rows */
    volt_landmark_set set;
    int64_t n, q, m, first; /* first: of the fitted rows */
    double *Z;              /* rows of the landmarks */
    double *F, *rest;       /* n x q: values of the model, and what landmarks leave of them */
    double *B;              /* n x m */
    double *G, *g, *step;   /* m x m; m x q: readout, and a refinement of it */
} landmark_task;

static void release(landmark_task *task)
{
    volt_records_release(&task->records);
    volt_landmark_set_release(&task->set);
    volt_free(task->Z);
    volt_free(task->F);
    volt_free(task->rest);
    volt_free(task->B);
    volt_free(task->G);
    volt_free(task->g);
    volt_free(task->step);
}

void volt_export_rows_release(volt_export_rows *rows)
{
    volt_state_free(rows->own_end);
    volt_columns_free(rows->own_columns);
    (void)volt_resolved_split(&rows->own_resolved, &(volt_records){0},
                              0); /* its records; the rest is the model's */
    volt_free(rows->own_coefficients);
}

/* C = A B. */
static void multiply(const double *A, const double *B, int64_t rows, int64_t inner, int64_t cols, double *C)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)rows, (volt_blas_int)cols,
                (volt_blas_int)inner, 1, A, (volt_blas_int)inner, B, (volt_blas_int)cols, 0, C,
                (volt_blas_int)cols);
}

/* ---- kernels of the training rows --------------------------------------------------------------- */

/* Calls `take` with the kernels of each block of training rows against the columns of the state. */
typedef void (*take_block)(landmark_task *task, int64_t first, volt_view K);

static volt_status run_rows(landmark_task *task, volt_state *state, int64_t most, volt_stage *stage,
                            take_block take)
{
    const volt_model *model = task->model;
    int64_t m = state->columns->m;
    volt_view Z = volt_view_of(model->columns->given, model->n, model->d);
    double *block = volt_alloc_doubles(most, m);
    if (!block)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0, count = 0; i < model->n && volt_stage_should_continue(stage); i += count) {
        count = volt_min(most, volt_records_segment_end(&task->records, i, model->n) - i);
        if (i > 0 && volt_records_begins(&task->records, i))
            volt_state_zero(state);
        volt_matrix K = volt_matrix_of(block, count, m);
        volt_state_advance(state, volt_view_rows(Z, i, count), false, K, stage);
        take(task, i, volt_view_of(block, count, m));
    }
    volt_free(block);
    return volt_stage_end(stage);
}

static void take_values(landmark_task *task, int64_t first, volt_view K)
{
    multiply(K.data, task->model->coefficients, K.rows, task->n, task->q, task->F + first * task->q);
}

static void take_features(landmark_task *task, int64_t first, volt_view K)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t a = 0; a < task->m; a++)
            task->B[(first + i) * task->m + a] = K.data[i * K.ld + task->set.column[a]];
}

static volt_status run_model(landmark_task *task, const volt_export_share *share)
{
    const volt_model *model = task->model;
    volt_stage stage;
    volt_state *state = NULL;
    int64_t most = volt_block_rows(model->n, model->n);
    volt_stage_begin(&stage, share->progress, "landmarks", share->from, share->share / 2,
                     (double)model->n * (double)model->n);
    VOLT_TRY(volt_state_create(&model->resolved, model->columns, most, &state));
    volt_status status = run_rows(task, state, most, &stage, take_values);
    volt_state_free(state);
    return status;
}

static volt_status run_landmarks(landmark_task *task, const volt_export_share *share, volt_export_rows *rows)
{
    volt_stage stage;
    int64_t n = task->n, most = volt_block_rows(n, task->set.n);
    volt_stage_begin(&stage, share->progress, "landmarks", share->from + share->share / 2, share->share / 2,
                     (double)n * (double)task->set.n);
    VOLT_TRY(volt_columns_create(&rows->own_resolved, rows->Z, NULL, &rows->own_columns));
    VOLT_TRY(volt_state_create(&rows->own_resolved, rows->own_columns, most, &rows->own_end));
    return run_rows(task, rows->own_end, most, &stage, take_features);
}

/* ---- the readout -------------------------------------------------------------------------------- */

/* step <- (B' B + shift)^{-1} B' rest, with its factor in G. */
static void solve_step(landmark_task *task)
{
    int64_t fitted = task->n - task->first, m = task->m, q = task->q;
    volt_matrix step = volt_matrix_of(task->step, m, q);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (volt_blas_int)m, (volt_blas_int)q,
                (volt_blas_int)fitted, 1, task->B + task->first * m, (volt_blas_int)m,
                task->rest + task->first * q, (volt_blas_int)q, 0, task->step, (volt_blas_int)q);
    volt_cholesky_forward(volt_matrix_of(task->G, m, m), step);
    volt_cholesky_backward(volt_matrix_of(task->G, m, m), step);
}

static volt_status fit_readout(landmark_task *task)
{
    enum { REFINEMENTS = 2 };
    int64_t fitted = task->n - task->first, m = task->m, q = task->q;
    double trace = 0;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (volt_blas_int)m, (volt_blas_int)fitted, 1,
                task->B + task->first * m, (volt_blas_int)m, 0, task->G, (volt_blas_int)m);
    for (int64_t a = 0; a < m; a++)
        trace += task->G[a * m + a];
    double shift = 16 * DBL_EPSILON * trace;
    for (int64_t a = 0; a < m; a++)
        task->G[a * m + a] += shift > 0 ? shift : 1;
    VOLT_TRY(volt_cholesky(volt_matrix_of(task->G, m, m), (volt_progress){0}));
    memcpy(task->rest, task->F, (size_t)(task->n * q) * sizeof *task->rest);
    for (int i = 0; i <= REFINEMENTS; i++) {
        solve_step(task);
        for (int64_t k = 0; k < m * q; k++)
            task->g[k] += task->step[k];
        multiply(task->B, task->g, task->n, m, q, task->rest);
        for (int64_t k = 0; k < task->n * q; k++)
            task->rest[k] = task->F[k] - task->rest[k];
    }
    return VOLT_OK;
}

/* The largest root mean square of the change over the deviation of the model's values. */
static double added_error(const landmark_task *task)
{
    double largest = 0, fitted = (double)(task->n - task->first);
    for (int64_t k = 0; k < task->q; k++) {
        double mean = 0, squares = 0, change = 0;
        for (int64_t i = task->first; i < task->n; i++)
            mean += task->F[i * task->q + k] / fitted;
        for (int64_t i = task->first; i < task->n; i++) {
            double value = task->F[i * task->q + k] - mean, rest = task->rest[i * task->q + k];
            squares += value * value;
            change += rest * rest;
        }
        if (change > 0)
            largest = fmax(largest, sqrt(change / squares));
    }
    return largest;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static volt_status allocate(landmark_task *task)
{
    int64_t n = task->n, m = task->m, q = task->q;
    task->Z = volt_alloc_doubles(task->set.n, task->model->d);
    task->F = volt_alloc_doubles(n, q);
    task->rest = volt_alloc_doubles(n, q);
    task->B = volt_alloc_doubles(n, m);
    task->G = volt_alloc_doubles(m, m);
    task->g = volt_alloc_zero(m * q, sizeof *task->g);
    task->step = volt_alloc_doubles(m, q);
    return task->Z && task->F && task->rest && task->B && task->G && task->g && task->step ? VOLT_OK
                                                                                           : VOLT_ERR_MEMORY;
}

static volt_status choose(landmark_task *task, volt_export_rows *rows)
{
    const volt_model *model = task->model;
    const volt_resolved *resolved = model->resolved.records ? &model->resolved.records->each : &model->resolved;
    VOLT_TRY(volt_records_make(model->records, model->n_records, model->n, &task->records));
    /* Rows without history are best apart from each other. With history, neighbours share it. */
    int64_t ghosts = volt_landmark_memory(resolved);
    VOLT_TRY(volt_landmark_set_choose(model->n, model->washout, &task->records, task->m,
                                      ghosts > 0 ? VOLT_LANDMARKS_SPREAD : VOLT_LANDMARKS_RANDOM, ghosts,
                                      &task->set));
    VOLT_TRY(allocate(task));
    for (int64_t j = 0; j < task->set.n; j++)
        memcpy(task->Z + j * model->d, model->columns->given + task->set.source[j] * model->d,
               (size_t)model->d * sizeof(double));
    volt_records runs = {0};
    VOLT_TRY(volt_records_make(task->set.runs, task->set.n_runs, task->set.n, &runs));
    rows->own_resolved = *resolved;
    rows->own_resolved.records = NULL;
    volt_status status = volt_resolved_split(&rows->own_resolved, &runs, 0);
    volt_records_release(&runs);
    return status;
}

static volt_status reduce(landmark_task *task, const volt_export_share *share, volt_export_rows *rows)
{
    int64_t q = task->q;
    VOLT_TRY(choose(task, rows));
    rows->own_coefficients = volt_alloc_zero(task->set.n * q, sizeof(double));
    if (!rows->own_coefficients)
        return VOLT_ERR_MEMORY;
    rows->Z = volt_view_of(task->Z, task->set.n, task->model->d);
    VOLT_TRY(run_model(task, share));
    VOLT_TRY(run_landmarks(task, share, rows));
    VOLT_TRY(fit_readout(task));
    for (int64_t a = 0; a < task->m; a++)
        memcpy(rows->own_coefficients + task->set.column[a] * q, task->g + a * q, (size_t)q * sizeof(double));
    rows->error = added_error(task);
    rows->resolved = &rows->own_resolved;
    rows->columns = rows->own_columns;
    rows->Z = volt_view_of(rows->own_columns->given, task->set.n, task->model->d);
    rows->coefficients = rows->own_coefficients;
    rows->end = rows->own_end;
    return VOLT_OK;
}

volt_status volt_export_use_landmarks(const volt_model *model, int64_t m, const volt_export_share *share,
                                      volt_export_rows *rows)
{
    int64_t fitted = volt_model_fitted_rows(model);
    VOLT_REQUIRE(
        !model->states, VOLT_ERR_ARGUMENT,
        "landmarks are not supported for a model that reads the states of a reservoir: it has no rows");
    VOLT_REQUIRE(model->trained.landmarks == 0, VOLT_ERR_ARGUMENT,
                 "the model was fitted on %" PRId64 " landmarks: export it without landmarks",
                 model->trained.landmarks);
    VOLT_REQUIRE(m <= fitted, VOLT_ERR_ARGUMENT,
                 "landmarks must be at most %" PRId64 ", the rows that were fitted (got %" PRId64 ")", fitted,
                 m);
    landmark_task task = {.model = model, .n = model->n, .q = model->q, .m = m, .first = model->washout};
    volt_blas_use use;
    VOLT_TRY(volt_blas_claim(&use));
    volt_status status = reduce(&task, share, rows);
    volt_blas_release(&use);
    release(&task);
    return status;
}
