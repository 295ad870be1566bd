/* src/export/export_model.c: converts a model to plain arrays. */
#include "export/export_model.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "fit/landmarks.h"
#include "gram/engine/engine.h"
#include "kernel/kernel_entry.h"
#include "predict/interval/interval.h"
#include "solve/exact/operator.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The rows of a part: those of the model, or landmarks. */
typedef struct volt_export_rows {
    const volt_resolved *resolved;
    volt_view Z;                /* rows x d */
    const double *coefficients; /* rows x q */
    const volt_columns *columns;
    const volt_state *end; /* after the last training row */
    /* owned, by landmarks */
    volt_resolved own_resolved;
    volt_columns *own_columns;
    volt_state *own_end;
    double *own_coefficients;
    double error;
} volt_export_rows;

/* ---- a model on landmarks that is nearest to an exact one on its training rows ----------------------- */

/*     f = K A (n x q),     B: kernels of the n rows against m landmarks,     g = argmin |B g - f|^2
 *
 * The normal equations are regularised by a multiple of rounding. Two steps of refinement remove most of its effect. */

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

static void export_rows_release(volt_export_rows *rows)
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

static volt_status run_model(landmark_task *task, volt_progress progress)
{
    const volt_model *model = task->model;
    volt_stage stage;
    volt_state *state = NULL;
    int64_t most = volt_block_rows(model->n, model->n);
    volt_stage_begin(&stage, progress, "landmarks", 0, 0.5, (double)model->n * (double)model->n);
    VOLT_TRY(volt_state_create(&model->resolved, model->columns, most, &state));
    volt_status status = run_rows(task, state, most, &stage, take_values);
    volt_state_free(state);
    return status;
}

static volt_status run_landmarks(landmark_task *task, volt_progress progress, volt_export_rows *rows)
{
    volt_stage stage;
    int64_t n = task->n, most = volt_block_rows(n, task->set.n);
    volt_stage_begin(&stage, progress, "landmarks", 0.5, 0.5, (double)n * (double)task->set.n);
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

static volt_status reduce(landmark_task *task, volt_progress progress, volt_export_rows *rows)
{
    int64_t q = task->q;
    VOLT_TRY(choose(task, rows));
    rows->own_coefficients = volt_alloc_zero(task->set.n * q, sizeof(double));
    if (!rows->own_coefficients)
        return VOLT_ERR_MEMORY;
    rows->Z = volt_view_of(task->Z, task->set.n, task->model->d);
    VOLT_TRY(run_model(task, progress));
    VOLT_TRY(run_landmarks(task, progress, rows));
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

/* Replaces the rows by `m` landmarks whose readout is nearest to that of the model on the training rows. Release the
 * result in every case. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
static volt_status export_use_landmarks(const volt_model *model, int64_t m, volt_progress progress,
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
    volt_status status = reduce(&task, progress, rows);
    volt_blas_release(&use);
    release(&task);
    return status;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* An array, after a link to the one before it. */
typedef struct volt_export_memory {
    struct volt_export_memory *before;
    _Alignas(16) char bytes[];
} memory_block;

static void *keep(volt_export *made, int64_t count, size_t size)
{
    memory_block *fresh = volt_alloc_zero(1, sizeof *fresh + (size_t)volt_max(count, 1) * size);
    if (!fresh)
        return NULL;
    fresh->before = made->memory;
    made->memory = fresh;
    return fresh->bytes;
}

/* Zeroed numbers that the export owns; NULL: out of memory. */
static double *export_numbers(volt_export *made, int64_t count)
{
    return keep(made, count, sizeof(double));
}

void volt_export_release(volt_export *made)
{
    while (made->memory) {
        memory_block *block = made->memory;
        made->memory = block->before;
        volt_free(block);
    }
    volt_free(made->parts);
    *made = (volt_export){0};
}

/* ---- what cannot be exported -------------------------------------------------------------------- */

static volt_status check_factor(const volt_resolved *factor, const char *text)
{
    VOLT_REQUIRE(factor->reservoir || (factor->scan.step && factor->scan.code), VOLT_ERR_ARGUMENT,
                 "export is not supported for the kernel %s: it has no recursion from row to row", text);
    VOLT_REQUIRE(!factor->reservoir || factor->reservoir->arrange_code, VOLT_ERR_ARGUMENT,
                 "export is not supported for the reservoir %s", text);
    return VOLT_OK;
}

static const char *factor_text(const volt_model *model, int64_t f)
{
    return volt_kernel_text(model->kernel->n_factors > 0 ? model->kernel->factors[f] : model->kernel);
}

static volt_status check_part(const volt_model *model)
{
    const volt_resolved *resolved = &model->resolved;
    const volt_sum *sum = resolved->sum;
    for (int64_t f = 0; f < (sum ? sum->n_factors : 1); f++)
        VOLT_TRY(check_factor(sum ? &sum->factor[f] : resolved, factor_text(model, f)));
    return VOLT_OK;
}

/* ---- factors ---------------------------------------------------------------------------------- */

/* Of a power of the product of reservoir states. */
static const volt_scan_code product_code = {
    .constants = {"coef0", "int degree"},
    .step = "const double base = s + coef0;\n"
            "double value = base;\n"
            "int p;\n"
            "for (p = 1; p < degree; p++)\n"
            "    value *= base;\n"
            "return value;\n",
};

static int64_t record_end(const volt_export_part *part, int64_t r)
{
    return r + 1 < part->records ? part->starts[r + 1] : part->rows;
}

/* Row j of the slice of a factor. */
static const double *row_of(const volt_export_part *part, const volt_export_factor *factor, int64_t j)
{
    return part->inputs + j * part->d + factor->slice * part->columns;
}

/* The numbers of the rows by scan.own, record by record. */
static volt_status fill_own(volt_export *made, const volt_export_part *part, const volt_resolved *resolved,
                            volt_export_factor *factor)
{
    const volt_scan *scan = &resolved->scan;
    factor->own = export_numbers(made, part->rows);
    factor->past_own = export_numbers(made, part->borders);
    if (!factor->own || !factor->past_own)
        return VOLT_ERR_MEMORY;
    factor->own_first = scan->own_start;
    for (int64_t r = 0; r < part->records; r++) {
        double kept = 0;
        const double *past = volt_past_input(&resolved->past, row_of(part, factor, part->starts[r]));
        double own = volt_scan_own_rest(scan, past, part->columns, &kept);
        if (r < part->borders)
            factor->past_own[r] = own;
        volt_view rows = {row_of(part, factor, part->starts[r]), record_end(part, r) - part->starts[r],
                          part->columns, part->d};
        volt_scan_own_rows(scan, rows, &kept, factor->own + part->starts[r]);
    }
    return VOLT_OK;
}

/* The states of the rows, record by record. */
static volt_status fill_features(volt_export *made, const volt_export_part *part, const volt_resolved *resolved,
                                 volt_export_factor *factor)
{
    const volt_reservoir *reservoir = resolved->reservoir;
    int64_t size = reservoir->size;
    double *workspace = export_numbers(made, volt_reservoir_workspace_size(reservoir));
    double *x = export_numbers(made, reservoir->ld);
    factor->features = export_numbers(made, part->rows * size);
    if (!workspace || !x || !factor->features)
        return VOLT_ERR_MEMORY;
    for (int64_t r = 0; r < part->records; r++) {
        int64_t begin = part->starts[r], count = record_end(part, r) - begin;
        volt_view rows = {row_of(part, factor, begin), count, part->columns, part->d};
        memcpy(x, reservoir->start, (size_t)size * sizeof *x);
        if (part->past_is_first)
            (void)volt_reservoir_settle(reservoir, rows.data, x, workspace);
        volt_reservoir_run(reservoir, rows, x, workspace,
                           volt_matrix_of(factor->features + begin * size, count, size));
    }
    return VOLT_OK;
}

static volt_status fill_factor(volt_export *made, volt_export_part *part, const volt_resolved *resolved,
                               volt_export_factor *factor)
{
    const volt_scan *scan = &resolved->scan;
    factor->reservoir = resolved->reservoir;
    factor->window = resolved->reservoir ? 1 : resolved->window;
    factor->origin = resolved->past.input;
    if (resolved->reservoir) {
        factor->code = part->rows > 0 ? &product_code : NULL;
        factor->numbers[0] = resolved->reservoir->coef0;
        factor->numbers[1] = (double)resolved->reservoir->degree;
        return part->rows > 0 ? fill_features(made, part, resolved, factor) : VOLT_OK;
    }
    factor->code = scan->code;
    factor->state_size = scan->state_size;
    factor->distance = scan->distance;
    factor->first = scan->start;
    if (scan->code->numbers)
        scan->code->numbers(scan, factor->numbers);
    else
        memcpy(factor->numbers, scan->form.number, sizeof scan->form.number);
    return scan->own ? fill_own(made, part, resolved, factor) : VOLT_OK;
}

/* ---- states ----------------------------------------------------------------------------------- */

static volt_status allocate_state(volt_export *made, const volt_export_part *part,
                                  const volt_export_factor *factor, volt_export_state *state)
{
    state->diagonals = export_numbers(made, part->rows * factor->state_size);
    state->border = export_numbers(made, part->borders * factor->state_size);
    state->window = export_numbers(made, (factor->window - 1) * part->columns);
    state->x = export_numbers(made, factor->reservoir ? factor->reservoir->size : 0);
    return state->diagonals && state->border && state->window && state->x ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* Takes the numbers of one factor in record r from those of a state (volt_state_get); returns the rest. */
static const double *take_record(const volt_export_part *part, const volt_export_factor *factor, int64_t r,
                                 const double *numbers, volt_export_state *state)
{
    int64_t begin = part->starts[r], count = record_end(part, r) - begin, size = factor->state_size;
    if (factor->reservoir) {
        memcpy(state->x, numbers, (size_t)factor->reservoir->size * sizeof *numbers);
        return numbers + factor->reservoir->size;
    }
    if (factor->window > 1) {
        memcpy(state->window, numbers, (size_t)((factor->window - 1) * part->columns) * sizeof *numbers);
        return numbers + (factor->window - 1) * part->columns;
    }
    for (int64_t j = 0; j < count; j++)
        for (int64_t s = 0; s < size; s++)
            state->diagonals[(begin + j) * size + s] = numbers[s * count + j];
    numbers += size * count;
    if (r < part->borders)
        memcpy(state->border + r * size, numbers, (size_t)size * sizeof *numbers);
    numbers += size;
    if (factor->own)
        state->kept = *numbers++;
    return numbers;
}

static volt_status take_state(volt_export *made, volt_export_part *part, const volt_state *state, bool at_end)
{
    double *numbers = export_numbers(made, volt_state_length(state));
    if (!numbers)
        return VOLT_ERR_MEMORY;
    volt_state_get(state, numbers);
    const double *at = numbers;
    for (int64_t f = 0; f < part->n_factors; f++)
        VOLT_TRY(allocate_state(made, part, &part->factor[f],
                                at_end ? &part->factor[f].end : &part->factor[f].start));
    for (int64_t r = 0; r < part->records; r++)
        for (int64_t f = 0; f < part->n_factors; f++)
            at = take_record(part, &part->factor[f], r, at,
                             at_end ? &part->factor[f].end : &part->factor[f].start);
    return VOLT_OK;
}

static volt_status take_states(volt_export *made, volt_export_part *part, const volt_export_rows *rows)
{
    volt_state *zero = NULL;
    VOLT_TRY(volt_state_create(rows->resolved, rows->columns, 1, &zero));
    volt_status status = take_state(made, part, zero, false);
    volt_state_free(zero);
    return status == VOLT_OK ? take_state(made, part, rows->end, true) : status;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Row i has an effect. Without state, rows with zero coefficients have none. */
static bool matters(const volt_export_part *part, bool has_memory, const double *coefficients)
{
    bool nonzero = has_memory;
    for (int64_t k = 0; k < part->model->q; k++)
        nonzero = nonzero || coefficients[k] != 0;
    return nonzero;
}

static bool has_memory(const volt_resolved *resolved)
{
    const volt_sum *sum = resolved->sum;
    bool has = false;
    for (int64_t f = 0; f < (sum ? sum->n_factors : 1); f++) {
        const volt_resolved *factor = sum ? &sum->factor[f] : resolved;
        has = has || factor->reservoir || factor->scan.state_size > 0 || factor->window > 1;
    }
    return has;
}

static volt_status fill_rows(volt_export *made, volt_export_part *part, const volt_export_rows *rows)
{
    const volt_resolved_records *records = rows->resolved->records;
    int64_t n = rows->Z.rows, q = part->model->q;
    bool memory = has_memory(records ? &records->each : rows->resolved);
    part->records = memory && records ? records->rows.n : 1;
    part->borders = part->past_is_first ? part->records : 1;
    part->starts = keep(made, part->records + 1, sizeof *part->starts);
    part->inputs = export_numbers(made, n * part->d);
    part->coefficients = export_numbers(made, n * q);
    if (!part->starts || !part->inputs || !part->coefficients)
        return VOLT_ERR_MEMORY;
    for (int64_t r = 1; r < part->records; r++)
        part->starts[r] = records->rows.ends[r - 1];
    for (int64_t i = 0; i < n; i++) {
        if (!matters(part, memory, rows->coefficients + i * q))
            continue;
        memcpy(part->inputs + part->rows * part->d, rows->Z.data + i * rows->Z.ld,
               (size_t)part->d * sizeof(double));
        memcpy(part->coefficients + part->rows * q, rows->coefficients + i * q, (size_t)q * sizeof(double));
        part->rows++;
    }
    part->rows = volt_max(part->rows, 1); /* at least one, also without effect: the prediction is the mean */
    part->starts[part->records] = part->rows;
    return VOLT_OK;
}

/* The readout of states; the roots of the weights of a sum are included. */
static volt_status fill_readout(volt_export *made, volt_export_part *part)
{
    const volt_model *model = part->model;
    const volt_sum *sum = model->resolved.sum;
    int64_t q = model->q, states = model->states->m, at = 0;
    part->records = part->borders = 1;
    part->starts = keep(made, 1, sizeof *part->starts);
    part->coefficients = export_numbers(made, states * q);
    if (!part->starts || !part->coefficients)
        return VOLT_ERR_MEMORY;
    for (int64_t f = 0; f < part->n_factors; f++) {
        const volt_resolved *factor = sum ? &sum->factor[f] : &model->resolved;
        double root = sum ? sqrt(sum->weight[sum->term[f]]) : 1;
        for (int64_t i = 0; i < factor->reservoir->size * q; i++, at++)
            part->coefficients[at] = root * model->states_readout[at];
    }
    return VOLT_OK;
}

/* ---- inputs ----------------------------------------------------------------------------------- */

static void fill_slices(volt_export_part *part)
{
    const volt_model *model = part->model;
    for (int64_t s = 0; s < part->slices; s++) {
        double radius = volt_slice_radius(&model->resolved, s);
        part->radius[s] = radius;
        part->limit[s] = radius * (1 + volt_norm_tolerance(part->columns));
        part->clips[s] = volt_slice_gain(&model->resolved, s, radius) >= 0;
    }
}

static volt_status fill_recent(volt_export *made, volt_export_part *part)
{
    const volt_recipe *recipe = &part->model->recipe;
    int64_t lags = recipe->memory * recipe->inputs,
            bank = recipe->filters ? volt_filter_bank_length(recipe->slices, recipe->columns) : 0;
    double *end = export_numbers(made, lags + bank);
    if (!end)
        return VOLT_ERR_MEMORY;
    volt_recent_get(recipe, &part->model->recent, end);
    if (lags > 0) {
        part->lags_end = end;
        part->lags_start = recipe->initial ? export_numbers(made, lags) : NULL;
        if (recipe->initial && !part->lags_start)
            return VOLT_ERR_MEMORY;
        for (int64_t i = 0; part->lags_start && i < lags; i++)
            part->lags_start[i] = recipe->initial[i % recipe->inputs];
    }
    if (bank > 0) {
        volt_filter_bank reset = {0};
        part->filter_end = end + lags;
        part->filter_start = export_numbers(made, bank);
        if (!part->filter_start)
            return VOLT_ERR_MEMORY;
        VOLT_TRY(
            volt_filter_bank_create(recipe->filters, recipe->slices, recipe->columns, recipe->past, &reset));
        memcpy(part->filter_start, reset.state, (size_t)bank * sizeof(double));
        volt_filter_bank_release(&reset);
    }
    return VOLT_OK;
}

/* ---- parts ------------------------------------------------------------------------------------ */

static volt_status fill_part(volt_export *made, const volt_export_rows *rows, volt_export_part *part)
{
    const volt_model *model = part->model;
    const volt_resolved *resolved = rows->resolved->records ? &rows->resolved->records->each : rows->resolved;
    const volt_sum *sum = resolved->sum;
    part->columns = model->recipe.columns;
    part->slices = model->d / part->columns;
    part->d = model->d;
    part->past_is_first = model->past.kind == VOLT_PAST_FIRST;
    part->n_factors = sum ? sum->n_factors : 1;
    part->n_terms = sum ? sum->n_terms : 1;
    part->landmark_error = rows->error;
    for (int64_t t = 0; t < part->n_terms; t++)
        part->term_weight[t] = sum ? sum->weight[t] : 1;
    VOLT_TRY(model->states ? fill_readout(made, part) : fill_rows(made, part, rows));
    for (int64_t f = 0; f < part->n_factors; f++) {
        part->factor[f].text = factor_text(model, f);
        part->factor[f].slice = sum ? sum->slice[f] : 0;
        part->factor[f].term = sum ? sum->term[f] : 0;
        VOLT_TRY(fill_factor(made, part, sum ? &sum->factor[f] : resolved, &part->factor[f]));
    }
    fill_slices(part);
    VOLT_TRY(fill_recent(made, part));
    return take_states(made, part, rows);
}

static volt_status make_part(volt_export *made, const volt_export_task *task, int64_t index,
                             volt_export_part *part)
{
    const volt_model *model = part->model;
    volt_model_reader reader = volt_model_reader_of(model);
    volt_export_rows rows = {.resolved = &model->resolved,
                             .Z = volt_view_of(model->columns->given, model->n, model->d),
                             .coefficients = model->coefficients,
                             .columns = reader.columns,
                             .end = model->end};
    double parts = (double)made->n_parts;
    volt_meter meter;
    volt_progress progress = volt_meter_begin(&meter, task->progress);
    volt_meter_cover(&meter, (double)index / parts, 1 / parts);
    VOLT_TRY(check_part(model));
    volt_status status =
        task->landmarks > 0 ? export_use_landmarks(model, task->landmarks, progress, &rows) : VOLT_OK;
    if (status == VOLT_OK)
        status = fill_part(made, &rows, part);
    export_rows_release(&rows);
    return status;
}

static int64_t count_parts(const volt_model *model)
{
    int64_t count = model->sum ? 0 : 1;
    for (int64_t i = 0; model->sum && i < model->sum->n; i++)
        count += count_parts(model->sum->models[i]);
    return count;
}

/* The fitted models in order, each with its weight in the sum. */
static int64_t list_parts(const volt_model *model, double weight, volt_export_part *parts, int64_t at)
{
    if (!model->sum) {
        parts[at].model = model;
        parts[at].weight = weight;
        return at + 1;
    }
    for (int64_t i = 0; i < model->sum->n; i++)
        at = list_parts(model->sum->models[i], weight * model->sum->weights[i], parts, at);
    return at;
}

/* Known outputs of a residual member depend on the predictions of the members before it, which must be fitted models. */
static volt_status check_tree(const volt_model *model)
{
    for (int64_t i = 0; model->sum && i < model->sum->n; i++) {
        VOLT_REQUIRE(model->sum->kind == VOLT_SUM_AVERAGE || !model->sum->models[i]->sum ||
                         volt_model_feedback_weight(model) == 0,
                     VOLT_ERR_ARGUMENT,
                     "export is not supported for residual models with feedback whose member %" PRId64
                     " is a sum of models",
                     i + 1);
        VOLT_TRY(check_tree(model->sum->models[i]));
    }
    return VOLT_OK;
}

static volt_status make_intervals(volt_export *made, const volt_export_task *task)
{
    volt_interval *interval = NULL;
    made->coverages = task->coverages;
    made->n_coverages = task->n_coverages;
    if (task->n_coverages == 0)
        return VOLT_OK;
    VOLT_TRY(volt_interval_create(made->model, task->coverages, task->n_coverages, &interval));
    made->half = export_numbers(made, task->n_coverages * made->model->q);
    if (made->half)
        volt_interval_half_widths(interval, made->half);
    volt_interval_free(interval);
    if (!made->half)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < task->n_coverages * made->model->q; i++)
        VOLT_REQUIRE(isfinite(made->half[i]), VOLT_ERR_ARGUMENT,
                     "the interval of coverage %g is infinite: the model keeps too few errors of training rows",
                     task->coverages[i / made->model->q]);
    return VOLT_OK;
}

volt_status volt_export_make(const volt_model *model, const volt_export_task *task, volt_export *made)
{
    *made = (volt_export){.model = model, .can_continue = true};
    made->feeds_back = volt_model_feedback_weight(model) > 0;
    VOLT_TRY(check_tree(model));
    int64_t count = count_parts(model);
    made->parts = volt_alloc_zero(count, sizeof *made->parts);
    if (!made->parts)
        return VOLT_ERR_MEMORY;
    made->n_parts = list_parts(model, 1, made->parts, 0);
    for (int64_t i = 0; i < count; i++) {
        volt_status status = make_part(made, task, i, &made->parts[i]);
        if (status != VOLT_OK)
            return count > 1 ? volt_fail_prefix(status, "member %" PRId64, i + 1) : status;
        made->can_continue &= !made->parts[i].model->ends_without_target;
    }
    return make_intervals(made, task);
}
