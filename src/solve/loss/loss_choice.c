/* src/solve/loss/loss_choice.c: alpha by fits on the earlier rows, evaluated on the later ones.
 *
 * With many rows, fits on the last ones screen the candidates (base/alpha_grid.h). */
#include "solve/loss/loss_solve.h"

#include "backend/backend.h"
#include "base/alpha_grid.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_TRIED = 1200 };

double volt_loss_unit(volt_view K)
{
    double unit = 0;
    for (int64_t i = 0; i < K.rows; i++)
        unit += K.data[i * (K.ld + 1)] / (double)K.rows;
    return unit > 0 ? unit : 1;
}

double volt_loss_choice_numbers(double n, double columns)
{
    double rows = fmin(n, MAX_TRIED), whole = n > MAX_TRIED ? n + (2 * n + 1) * columns : 0;
    return rows * rows + 4 * rows * columns + volt_loss_numbers(rows, columns) + whole;
}

double volt_loss_mean(const volt_loss_task *task, volt_view U, int64_t first)
{
    const volt_loss *loss = task->loss;
    const volt_loss_kind *kind = loss->kind;
    double sum = 0, total = 0, u[VOLT_MAX_LEVELS];
    int64_t group = volt_max(loss->count, 1);
    for (int64_t i = first; i < U.rows; i++) {
        const double *y = task->Y.data + i * task->Y.ld, *row = U.data + i * U.ld;
        double w = task->weights ? task->weights[i] : 1;
        if (w == 0)
            continue;
        total += w;
        if (kind->row) {
            sum += w * kind->row->value(U.cols, y, row);
            continue;
        }
        for (int64_t k = 0; k < U.cols; k += group) {
            memcpy(u, row + k, (size_t)group * sizeof *u);
            if (group > 1)
                volt_sort(u, group);
            for (int64_t j = 0; j < group; j++) {
                double unit = kind->in_units && task->units ? task->units[k + j] : 1;
                sum += w * kind->value(loss->count > 0 ? loss->values[j] / unit : 0, y[k + j], u[j]);
            }
        }
    }
    return sum / total;
}

/* Rows first .. first + rows - 1, of which the first `fitted` train. */
typedef struct trial_rows {
    int64_t first, rows, fitted;
} trial_rows;

static volt_loss_task part_of(const volt_loss_task *task, const trial_rows *part, int64_t rows)
{
    volt_loss_task less = *task;
    less.Y = volt_view_rows(task->Y, part->first, rows);
    less.weights = task->weights ? task->weights + part->first : NULL;
    less.tolerance = 1e-4;
    less.tried = true;
    less.share = 0;
    return less;
}

/* Returns whether the training rows contain a weight above 0, and every class. */
static bool can_train(const volt_loss_task *task, const trial_rows *part)
{
    const volt_loss_kind *kind = task->loss->kind;
    for (int64_t k = 0; k < task->Y.cols; k++) {
        bool low = false, high = false;
        for (int64_t i = part->first; i < part->first + part->fitted; i++) {
            double y = task->Y.data[i * task->Y.ld + k];
            if (task->weights && task->weights[i] == 0)
                continue;
            low = low || y <= 0 || !kind->info.classes;
            high = high || y > 0 || !kind->info.classes;
        }
        if (!low || !high)
            return false;
    }
    return true;
}

/* Workspace for the trials of a part: A and U are rows x columns. */
typedef struct trial_workspace {
    double *numbers;
    volt_matrix work; /* fitted x fitted; no data: K itself is overwritten and restored ... */
    double *diagonal; /* ... with this, fitted */
    volt_matrix A, U;
    double *c;
} trial_workspace;

static volt_status make_workspace(const trial_rows *part, int64_t columns, bool in_place,
                                  trial_workspace *space)
{
    int64_t square = in_place ? 0 : part->fitted * part->fitted;
    space->numbers = volt_alloc_doubles(square + part->fitted + (2 * part->rows + 1) * columns, 1);
    if (!space->numbers)
        return VOLT_ERR_MEMORY;
    space->work = volt_matrix_of(in_place ? NULL : space->numbers, part->fitted, part->fitted);
    space->diagonal = space->numbers + square;
    space->A = volt_matrix_of(space->diagonal + part->fitted, part->rows, columns);
    space->U = volt_matrix_of(space->A.data + part->rows * columns, part->rows, columns);
    space->c = space->U.data + part->rows * columns;
    return VOLT_OK;
}

/* The matrix of the training rows, in memory that may be overwritten: its lower triangle is that part of K. */
static volt_matrix begin_work(volt_matrix K, const trial_rows *part, const trial_workspace *space)
{
    volt_matrix block = {K.data + part->first * (K.ld + 1), part->fitted, part->fitted, K.ld};
    for (int64_t i = 0; i < part->fitted; i++) {
        space->diagonal[i] = block.data[i * (block.ld + 1)];
        if (space->work.data)
            memcpy(space->work.data + i * space->work.ld, block.data + i * block.ld,
                   (size_t)(i + 1) * sizeof(double));
    }
    return space->work.data ? space->work : block;
}

/* Restores the entries of K from the upper triangle, where volt_loss_minimise stores them. */
static void end_work(volt_matrix work, const trial_workspace *space)
{
    if (space->work.data)
        return;
    volt_cpu_backend.mirror(work, false);
    for (int64_t i = 0; i < work.rows; i++)
        work.data[i * (work.ld + 1)] = space->diagonal[i];
}

/* Offers the mean loss of the held-out rows; nothing if the fit fails. */
static volt_status try_alpha(volt_matrix K, const volt_loss_task *task, const trial_rows *part,
                             const trial_workspace *space, volt_alpha_choice *choice)
{
    int64_t fitted = part->fitted, first = part->first, columns = task->Y.cols;
    volt_matrix work = begin_work(K, part, space), A = space->A, U = space->U;
    volt_loss_task less = part_of(task, part, fitted), all = part_of(task, part, part->rows);
    less.alpha = choice->alpha;
    volt_loss_result result = {
        .A = volt_matrix_rows(A, 0, fitted), .U = volt_matrix_rows(U, 0, fitted), .c = space->c};
    volt_status status = volt_loss_minimise(work, &less, &result);
    if (status != VOLT_OK && status != VOLT_ERR_SINGULAR)
        return status;
    end_work(work, space);
    if (status == VOLT_ERR_SINGULAR)
        return VOLT_OK;
    for (int64_t i = fitted; i < part->rows; i++)
        memcpy(U.data + i * U.ld, space->c, (size_t)columns * sizeof(double));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)(part->rows - fitted),
                (volt_blas_int)columns, (volt_blas_int)fitted, 1, K.data + (first + fitted) * K.ld + first,
                (volt_blas_int)K.ld, A.data, (volt_blas_int)A.ld, 1, U.data + fitted * U.ld,
                (volt_blas_int)U.ld);
    volt_alpha_offer(choice, 0, volt_loss_mean(&all, volt_as_view(U), fitted), 0);
    return VOLT_OK;
}

typedef struct trials {
    volt_matrix K;
    const volt_loss_task *task;
    trial_rows last, whole; /* screening rows, and all rows */
    trial_workspace last_space, whole_space;
} trials;

static volt_status try_last(void *context, volt_alpha_choice *choice)
{
    const trials *all = context;
    return try_alpha(all->K, all->task, &all->last, &all->last_space, choice);
}

static volt_status try_whole(void *context, volt_alpha_choice *choice)
{
    const trials *all = context;
    return try_alpha(all->K, all->task, &all->whole, &all->whole_space, choice);
}

/* The last rows, at most `most`. The training rows end where a third of the weights above 0 remains. */
static trial_rows split_rows(const volt_loss_task *task, int64_t n, int64_t most, int64_t *counted)
{
    trial_rows part = {.first = n - volt_min(n, most), .rows = volt_min(n, most)};
    const double *weights = task->weights ? task->weights + part.first : NULL;
    int64_t held = 0;
    *counted = 0;
    for (int64_t i = 0; i < part.rows; i++)
        *counted += !weights || weights[i] > 0;
    part.fitted = part.rows;
    while (held < *counted / 3) {
        part.fitted--;
        held += !weights || weights[part.fitted] > 0;
    }
    return part;
}

volt_status volt_loss_choose(volt_matrix K, const volt_loss_task *task, double *alpha)
{
    int64_t counted;
    trial_rows last = split_rows(task, K.rows, task->max_tried > 0 ? task->max_tried : MAX_TRIED, &counted);
    VOLT_REQUIRE(counted >= VOLT_MIN_CHOSEN, VOLT_ERR_DATA,
                 "alpha cannot be chosen on %" PRId64 " rows (at least %d are required): set alpha", counted,
                 VOLT_MIN_CHOSEN);
    trials all = {.K = K, .task = task, .last = last};
    all.whole = (trial_rows){.first = 0, .rows = K.rows, .fitted = last.first + last.fitted};
    volt_alpha_best best = {0};
    volt_alpha_choice choice = {.grid = VOLT_ALPHA_LOSS,
                                .unit = volt_loss_unit(volt_as_view(K)),
                                .evaluate = last.first > 0 ? try_whole : try_last,
                                .screen = last.first > 0 ? try_last : NULL,
                                .context = &all,
                                .columns = 1,
                                .best = &best};
    *alpha = choice.unit;
    if (!can_train(task, &last))
        return VOLT_OK;
    volt_status status = make_workspace(&last, task->Y.cols, false, &all.last_space);
    if (status == VOLT_OK && last.first > 0)
        status = make_workspace(&all.whole, task->Y.cols, true, &all.whole_space);
    if (status == VOLT_OK)
        status = volt_alpha_choose(&choice);
    if (status == VOLT_OK && best.alpha > 0)
        *alpha = best.alpha;
    volt_free(all.last_space.numbers);
    volt_free(all.whole_space.numbers);
    return status;
}
