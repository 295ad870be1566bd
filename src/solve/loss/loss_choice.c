/* src/solve/loss/loss_choice.c: fits on the earlier rows, one alpha after the other, judged by the later ones. */
#include "solve/loss/loss_choice.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_TRIED = 1200, MOST_POWER = 2 };

double volt_loss_alpha(double unit, int64_t i)
{
    return unit * pow(10, MOST_POWER - (double)i);
}

double volt_loss_unit(volt_view K)
{
    double unit = 0;
    for (int64_t i = 0; i < K.rows; i++)
        unit += K.data[i * (K.ld + 1)] / (double)K.rows;
    return unit > 0 ? unit : 1;
}

double volt_loss_choice_numbers(double n, double columns)
{
    double rows = fmin(n, MOST_TRIED);
    return rows * rows + 4 * rows * columns + volt_loss_numbers(rows, columns);
}

double volt_loss_mean(const volt_loss_task *task, volt_view U, int64_t first)
{
    const volt_loss *loss = task->loss;
    const volt_loss_kind *kind = loss->kind;
    double sum = 0, total = 0, u[VOLT_MOST_LEVELS];
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
    less.from = task->from;
    less.share = 0;
    return less;
}

/* Does the part that trains know enough: a weight above 0, and every class? */
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

/* The mean loss of the rows held out with one alpha; NaN: it can not be had. work is fitted x fitted, A and U rows x
 * columns. */
static volt_status try_alpha(volt_view K, const volt_loss_task *task, const trial_rows *part, double alpha,
                             volt_matrix work, volt_matrix A, volt_matrix U, double *c, double *value)
{
    int64_t fitted = part->fitted, first = part->first, columns = task->Y.cols;
    for (int64_t i = 0; i < fitted; i++)
        memcpy(work.data + i * work.ld, K.data + (first + i) * K.ld + first, (size_t)(i + 1) * sizeof(double));
    volt_loss_task less = part_of(task, part, fitted), all = part_of(task, part, part->rows);
    less.alpha = alpha;
    volt_loss_result result = {
        .A = volt_matrix_rows(A, 0, fitted), .U = volt_matrix_rows(U, 0, fitted), .c = c};
    volt_status status = volt_loss_minimise(work, &less, &result);
    *value = NAN;
    if (status == VOLT_ERR_SINGULAR)
        return VOLT_OK;
    VOLT_TRY(status);
    for (int64_t i = fitted; i < part->rows; i++)
        memcpy(U.data + i * U.ld, c, (size_t)columns * sizeof *c);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)(part->rows - fitted),
                (volt_blas_int)columns, (volt_blas_int)fitted, 1, K.data + (first + fitted) * K.ld + first,
                (volt_blas_int)K.ld, A.data, (volt_blas_int)A.ld, 1, U.data + fitted * U.ld,
                (volt_blas_int)U.ld);
    *value = volt_loss_mean(&all, volt_as_view(U), fitted);
    return VOLT_OK;
}

static volt_status choose(volt_view K, const volt_loss_task *task, const trial_rows *part, double unit,
                          double *numbers, double *alpha)
{
    int64_t columns = task->Y.cols;
    volt_matrix work = volt_matrix_of(numbers, part->fitted, part->fitted);
    volt_matrix A = volt_matrix_of(numbers + part->fitted * part->fitted, part->rows, columns);
    volt_matrix U = volt_matrix_of(A.data + part->rows * columns, part->rows, columns);
    double *c = U.data + part->rows * columns, best = INFINITY;
    *alpha = unit;
    for (int64_t i = 0, lost = 0; i < VOLT_LOSS_ALPHAS && lost < VOLT_LOSS_LOST; i++) {
        double now = volt_loss_alpha(unit, i), value;
        VOLT_TRY(try_alpha(K, task, part, now, work, A, U, c, &value));
        lost = value < best ? 0 : lost + 1;
        if (value < best) {
            best = value;
            *alpha = now;
        }
    }
    return VOLT_OK;
}

/* The last rows, at most MOST_TRIED; those that train end where a third of the weights above 0 is left. */
static trial_rows split_rows(const volt_loss_task *task, int64_t n, int64_t *counted)
{
    trial_rows part = {.first = n - volt_min(n, MOST_TRIED), .rows = volt_min(n, MOST_TRIED)};
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

volt_status volt_loss_choose(volt_view K, const volt_loss_task *task, double *alpha)
{
    int64_t counted, rows;
    trial_rows part = split_rows(task, K.rows, &counted);
    VOLT_REQUIRE(counted >= VOLT_LEAST_CHOSEN, VOLT_ERR_DATA,
                 "alpha can not be chosen on %" PRId64 " rows, and at least %d are needed: give alpha", counted,
                 VOLT_LEAST_CHOSEN);
    rows = part.rows;
    double unit = volt_loss_unit(K);
    if (!can_train(task, &part)) {
        *alpha = unit;
        return VOLT_OK;
    }
    double *numbers = volt_alloc_doubles(part.fitted * part.fitted + (2 * rows + 1) * task->Y.cols, 1);
    volt_status status = numbers ? choose(K, task, &part, unit, numbers, alpha) : VOLT_ERR_MEMORY;
    volt_free(numbers);
    return status;
}
