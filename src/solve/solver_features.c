/* src/solve/solver_features.c: ridge regression on explicit states, where they are far fewer than the rows.
 *
 * The rows go through twice, in blocks that are forgotten: once for the sums that the readout of states B and the
 * intercepts c follow from (state_sums.h), and once for the coefficients of the rows, A = (Y - F B - 1 c) / alpha.
 *
 * What only held-out rows can tell (alpha and the kind of target where they are not given, errors one step ahead) the exact
 * solver finds on the last rows. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/gram/gram.h"
#include "solve/solver_table.h"
#include "solve/state_sums.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_ROWS = 4096, /* below, the exact solver is as good, and tells more about the rows */
    LAST_ROWS = 2048,  /* that the exact solver sees */
    BLOCK = 512        /* rows that are run at a time */
};

static double bytes(double n, double q, double states)
{
    double last = fmin(n, LAST_ROWS);
    return volt_state_sums_bytes(states, 2 * q) +
           8 * (2 * states * states + (BLOCK + last) * states + 3 * last * last + (6 * q + 8) * last +
                BLOCK * 4 * q + 2 * n * q);
}

static bool takes(int64_t n, int64_t q, int64_t states, double available)
{
    return n > LEAST_ROWS && volt_state_sums_pay(n, states) &&
           (available == 0 || bytes((double)n, (double)q, (double)states) <= available);
}

/* Of the sums: n N^2 operations, at the speed of a trial. */
static volt_status seconds(double n, double states, double *value)
{
    enum { TRIAL = 256 };
    double *F = volt_alloc_doubles(TRIAL, TRIAL), *G = volt_alloc_doubles(TRIAL, TRIAL);
    volt_status status = F && G ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        for (int64_t i = 0; i < TRIAL * TRIAL; i++)
            F[i] = G[i] = 1.0 / (double)(i + 1);
        double start = volt_seconds();
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, TRIAL, TRIAL, 1, F, TRIAL, 1, G, TRIAL);
        double each = (volt_seconds() - start) / pow(TRIAL, 3);
        *value = each * (n * states * states + pow(states, 3) / 3);
    }
    volt_free(G);
    volt_free(F);
    return status;
}

/* ---- sums over the rows ----------------------------------------------------------------------- */

typedef struct pass {
    const volt_solver_task *task;
    int64_t rows, states, q; /* rows kept; targets: those asked for, and levels behind them */
    int64_t columns;
    volt_view first, level; /* targets */
    volt_state_sums *sums;
    double *block;   /* BLOCK x states */
    double *targets; /* BLOCK x columns */
    double *last;    /* states of the last rows: at most LAST_ROWS x states */
} pass;

static bool has_target(const pass *s, int64_t i)
{
    return !(s->task->without && s->task->without[i]);
}

static int64_t last_rows(const pass *s)
{
    return volt_min(s->rows, LAST_ROWS);
}

/* Targets of rows first .. first + count - 1, side by side. */
static void take_targets(const pass *s, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double *to = s->targets + i * s->columns;
        memcpy(to, s->first.data + (first + i) * s->first.ld, (size_t)s->q * sizeof *to);
        if (s->columns > s->q)
            memcpy(to + s->q, s->level.data + (first + i) * s->level.ld, (size_t)s->q * sizeof *to);
    }
}

/* A block of rows joins the sums, and what lies among the last rows is kept. */
static void add_block(pass *s, int64_t first, int64_t count)
{
    const bool *without = s->task->without;
    take_targets(s, first, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t late = first + i - (s->rows - last_rows(s));
        if (late >= 0)
            memcpy(s->last + late * s->states, s->block + i * s->states, (size_t)s->states * sizeof(double));
    }
    volt_state_sums_add(s->sums, volt_view_of(s->block, count, s->states),
                        volt_view_of(s->targets, count, s->columns), without ? without + first : NULL);
}

/* Rows of the washout are passed over. */
static volt_status add_rows(pass *s, double share)
{
    volt_operator *op = s->task->kernel;
    volt_stage stage;
    volt_stage_begin(&stage, s->task->progress, "states", 0, share, (double)op->n * (double)s->states);
    for (int64_t first = 0; first < s->rows && volt_stage_goes_on(&stage); first += BLOCK) {
        int64_t count = volt_min(BLOCK, s->rows - first);
        VOLT_TRY(op->states(op, s->task->washout + first, volt_matrix_of(s->block, count, s->states), &stage));
        if (volt_stage_goes_on(&stage))
            add_block(s, first, count);
    }
    return volt_stage_end(&stage);
}

/* ---- the readout as chosen -------------------------------------------------------------------- */

static volt_chosen chosen_of(const volt_solver_task *task, int64_t k)
{
    if (task->choice)
        return task->choice->outputs[k];
    return (volt_chosen){.constant = task->intercept, .alpha = task->alpha, .share = 1};
}

/* Output k from the system that was solved last. */
static void take_output(const pass *s, int64_t k, const volt_chosen *chosen, volt_readout *readout)
{
    int64_t column = chosen->level ? s->q + k : k;
    for (int64_t i = 0; i < s->states; i++)
        readout->states.data[i * readout->states.ld + k] = chosen->share * s->sums->B[i * s->columns + column];
    readout->intercepts[k] = chosen->share * s->sums->c[column];
}

/* Where the kernel plays no part: 0, or the mean of the targets. */
static void take_constant(const pass *s, int64_t k, const volt_chosen *chosen, volt_readout *readout)
{
    for (int64_t i = 0; i < s->states; i++)
        readout->states.data[i * readout->states.ld + k] = 0;
    bool mean = chosen->share > 0 && chosen->constant && s->sums->counted > 0;
    readout->intercepts[k] = mean ? s->sums->y[chosen->level ? s->q + k : k] / s->sums->counted : 0;
}

/* One system for every alpha, with and without a constant, that an output wants. */
static volt_status solve_outputs(const pass *s, volt_readout *readout)
{
    double alpha = 0, rcond = 1;
    bool constant = false;
    readout->rcond = 1;
    for (int64_t k = 0; k < s->q; k++) {
        volt_chosen chosen = chosen_of(s->task, k);
        readout->unlearned[k] = 0;
        if (!(chosen.share > 0) || isinf(chosen.alpha)) {
            take_constant(s, k, &chosen, readout);
            continue;
        }
        if (chosen.alpha != alpha || chosen.constant != constant) {
            alpha = chosen.alpha;
            constant = chosen.constant;
            VOLT_TRY(volt_state_sums_solve(s->sums, alpha, constant, &rcond));
            readout->rcond = fmin(readout->rcond, rcond);
        }
        take_output(s, k, &chosen, readout);
    }
    return VOLT_OK;
}

/* ---- coefficients of the rows ----------------------------------------------------------------- */

/* A row of fitted values, intercept not in it, and the row of A that follows: (share y - f B - c) / alpha. */
static void finish_row(const pass *s, int64_t i, const double *fitted, volt_readout *readout)
{
    for (int64_t k = 0; k < s->q; k++) {
        volt_chosen chosen = chosen_of(s->task, k);
        double *a = &readout->A.data[i * readout->A.ld + k];
        double y = chosen.level ? s->level.data[i * s->level.ld + k] : *a;
        bool takes_part = chosen.share > 0 && !isinf(chosen.alpha) && has_target(s, i);
        *a = takes_part ? (chosen.share * y - fitted[k] - readout->intercepts[k]) / chosen.alpha : 0;
    }
}

/* All rows once more, those of the washout too. */
static volt_status finish_rows(const pass *s, double from, volt_readout *readout)
{
    volt_operator *op = s->task->kernel;
    int64_t w = s->task->washout;
    volt_blas_int n = (volt_blas_int)s->states, q = (volt_blas_int)s->q;
    volt_stage stage;
    volt_stage_begin(&stage, s->task->progress, "readout", from, 1 - from, (double)op->n * (double)s->states);
    for (int64_t first = 0; first < op->n && volt_stage_goes_on(&stage); first += BLOCK) {
        int64_t count = volt_min(BLOCK, op->n - first);
        VOLT_TRY(op->states(op, first, volt_matrix_of(s->block, count, s->states), &stage));
        if (!volt_stage_goes_on(&stage))
            break;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)count, q, n, 1, s->block, n,
                    readout->states.data, (volt_blas_int)readout->states.ld, 0, s->targets, q);
        for (int64_t i = 0; i < count; i++) {
            const double *fitted = s->targets + i * s->q;
            if (first + i >= w)
                finish_row(s, first + i - w, fitted, readout);
            else if (readout->washed.data)
                memcpy(readout->washed.data + (first + i) * readout->washed.ld, fitted,
                       (size_t)s->q * sizeof *fitted);
        }
    }
    return volt_stage_end(&stage);
}

/* ---- what held-out rows tell ------------------------------------------------------------------ */

/* The part of a list of errors that the last `rows` rows are; what comes before was not forecast. */
static volt_row_errors last_errors(volt_row_errors all, int64_t skipped)
{
    int64_t before = volt_max(skipped - all.begin, 0);
    for (int64_t i = 0; i < before && i < all.e.rows; i++) {
        memset(all.e.data + i * all.e.ld, 0, (size_t)all.e.cols * sizeof(double));
        memset(all.scale.data + i * all.scale.ld, 0, (size_t)all.scale.cols * sizeof(double));
    }
    return (volt_row_errors){.ahead = all.ahead,
                             .begin = volt_max(all.begin - skipped, 0),
                             .e = volt_matrix_rows(all.e, before, all.e.rows - before),
                             .scale = volt_matrix_rows(all.scale, before, all.scale.rows - before)};
}

/* The progress of a solver inside this one: [0, 1] is [from, from + share] of the whole. */
typedef struct inner_progress {
    volt_progress outer;
    double from, share;
} inner_progress;

static int report_inner(const char *stage, double fraction, void *context)
{
    const inner_progress *inner = context;
    return inner->outer.report(stage, inner->from + inner->share * fraction, inner->outer.context);
}

/* The exact solver on the last rows: its choice and its errors are kept, its readout is not. `room` has rows x q numbers
 * and 2 q. */
static volt_status ask_last_rows(const pass *s, volt_operator *K, inner_progress *inner, double *room)
{
    const volt_solver_task *task = s->task;
    int64_t rows = last_rows(s), skipped = s->rows - rows;
    volt_row_errors errors[VOLT_ROW_ERRORS];
    volt_choice choice;
    volt_solver_task last = {.kernel = K,
                             .alpha = task->alpha,
                             .without = task->without ? task->without + skipped : NULL,
                             .intercept = task->intercept,
                             .held_out = task->held_out};
    if (inner->outer.report)
        last.progress = (volt_progress){.report = report_inner, .context = inner};
    volt_matrix A = volt_matrix_of(room, rows, s->q);
    volt_readout readout = {.A = A, .intercepts = room + rows * s->q, .unlearned = room + rows * s->q + s->q};
    for (int64_t i = 0; i < rows; i++)
        memcpy(A.data + i * A.ld, s->first.data + (skipped + i) * s->first.ld, (size_t)s->q * sizeof(double));
    for (int i = 0; task->errors && i < VOLT_ROW_ERRORS; i++)
        errors[i] = last_errors(task->errors[i], skipped);
    last.errors = task->errors ? errors : NULL;
    if (task->choice) {
        choice = *task->choice;
        if (choice.naive.data)
            choice.naive = volt_view_rows(choice.naive, skipped, rows);
        if (choice.level.data)
            choice.level = volt_view_rows(choice.level, skipped, rows);
        last.choice = &choice;
    }
    if (task->held_out)
        volt_held_out_rows(task->held_out, rows, last.without);
    volt_status status = volt_solver_cholesky.solve(&last, &readout);
    if (task->held_out)
        task->held_out->begin += skipped;
    if (status == VOLT_OK && task->choice) {
        task->choice->held = choice.held;
        task->choice->held.begin += skipped;
        task->choice->tried = choice.tried;
        task->choice->failed = choice.failed;
    }
    return status;
}

static volt_status hold_out(const pass *s, double from, double share)
{
    inner_progress inner = {s->task->progress, from, share};
    int64_t rows = last_rows(s);
    volt_blas_int m = (volt_blas_int)rows, n = (volt_blas_int)s->states;
    double *K = volt_alloc_doubles(rows, rows), *room = volt_alloc_doubles(rows + 2, s->q);
    volt_operator *op = NULL;
    volt_status status = K && room ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, m, n, 1, s->last, n, 0, K, m);
        volt_mirror(volt_matrix_of(K, rows, rows));
        status = volt_dense_operator(volt_view_of(K, rows, rows), &op);
    }
    if (status == VOLT_OK)
        status = ask_last_rows(s, op, &inner, room);
    volt_operator_free(op);
    volt_free(room);
    volt_free(K);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void release(pass *s)
{
    volt_state_sums_free(s->sums);
    volt_free(s->block);
    volt_free(s->targets);
    volt_free(s->last);
}

static volt_status allocate(pass *s)
{
    VOLT_TRY(volt_state_sums_create(s->states, s->columns, &s->sums));
    s->block = volt_alloc_doubles(BLOCK, s->states);
    s->targets = volt_alloc_doubles(BLOCK, s->columns);
    s->last = volt_alloc_doubles(last_rows(s), s->states);
    return s->block && s->targets && s->last ? VOLT_OK : VOLT_ERR_MEMORY;
}

static volt_status solve(const volt_solver_task *task, volt_readout *readout)
{
    static const double share = 0.4; /* of each pass over the rows */
    VOLT_REQUIRE(task->kernel->n_states > 0, VOLT_ERR_ARGUMENT,
                 "the solver \"features\" needs a kernel with explicit states");
    bool levels = task->choice && task->choice->level.data;
    pass s = {.task = task,
              .rows = readout->A.rows,
              .states = task->kernel->n_states,
              .q = readout->A.cols,
              .columns = readout->A.cols * (levels ? 2 : 1),
              .first = volt_as_view(readout->A)};
    if (levels)
        s.level = task->choice->level;
    volt_status status = allocate(&s);
    if (status == VOLT_OK)
        status = add_rows(&s, share);
    if (status == VOLT_OK && (task->choice || task->held_out || task->errors))
        status = hold_out(&s, share, 1 - 2 * share);
    if (status == VOLT_OK)
        status = solve_outputs(&s, readout);
    if (status == VOLT_OK)
        status = finish_rows(&s, 1 - share, readout);
    release(&s);
    return status;
}

const volt_solver volt_solver_features = {
    .name = "features",
    .meaning = "exact: sums over explicit states, where they are fewer than half of the rows",
    .on_states = true,
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .solve = solve,
};
