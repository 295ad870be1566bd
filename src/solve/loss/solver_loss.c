/* src/solve/loss/solver_loss.c: the solver for tasks with a loss. K is stored in host memory.
 *
 * If alpha is not given, the candidates of the grid LOSS (base/alpha_grid.h) are compared by the
 * loss of held-out rows: the last third of at most MAX_TRIED rows, predicted by fits on the rows before.
 * With more rows these fits screen the candidates, and fits on all rows before the held-out ones decide. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/loss/loss_solve.h"
#include "solve/solver_table.h"

#include <math.h>
#include <string.h>

static double bytes(double n, double q, double states)
{
    (void)states;
    return 8 * (n * n + volt_loss_numbers(n, q) + volt_loss_choice_numbers(n, q));
}

static bool takes(int64_t n, int64_t q, int64_t states, double available)
{
    return available == 0 || bytes((double)n, (double)q, (double)states) <= available;
}

/* Time of the factor; the steps take about as long. */
static volt_status seconds(double n, double states, double *value)
{
    VOLT_TRY(volt_solver_exact.seconds(n, states, value));
    *value *= 2;
    return VOLT_OK;
}

/* ---- solve ------------------------------------------------------------------------------------ */

static void take_result(const volt_loss_result *result, volt_readout *readout)
{
    volt_matrix A = readout->A;
    for (int64_t k = 0; k < A.cols; k++) {
        for (int64_t i = 0; i < A.rows; i++) {
            A.data[i * A.ld + k] = result->A.data[i * result->A.ld + k];
            if (readout->fitted.data)
                readout->fitted.data[i * readout->fitted.ld + k] = result->U.data[i * result->U.ld + k];
        }
        readout->intercepts[k] = result->c[k];
        readout->unlearned[k] = 0;
    }
    readout->alpha = result->alpha;
    readout->rcond = result->rcond;
    readout->objective = result->objective;
    readout->gap = result->gap;
}

/* With memory for the result: `numbers` is rows x 3 columns. */
static volt_status solve_with(volt_factor *factor, double *numbers, const volt_solver_task *task,
                              volt_readout *readout)
{
    int64_t rows = readout->A.rows, columns = readout->A.cols;
    double n = (double)task->kernel->n, gram = n * n / 2 * task->kernel->entry_cost;
    double share = gram / (gram + n * n * n);
    volt_matrix Y = volt_matrix_of(numbers, rows, columns);
    volt_factor_begin(factor, &(volt_factor_task){.rows = task->kernel->n,
                                                  .washout = task->washout,
                                                  .common = task->common,
                                                  .Y = volt_as_view(readout->A)});
    VOLT_TRY(volt_solver_fill(factor, task, share));
    for (int64_t i = 0; i < rows; i++)
        memcpy(Y.data + i * columns, readout->A.data + i * readout->A.ld, (size_t)columns * sizeof(double));
    volt_loss_task loss = *task->loss;
    loss.Y = volt_as_view(Y);
    loss.alpha = task->alpha;
    loss.common = task->common;
    loss.intercept = task->intercept;
    loss.progress = task->progress;
    loss.from = share;
    loss.share = 1 - share;
    volt_loss_result result = {.A = volt_matrix_of(numbers + rows * columns, rows, columns),
                               .U = volt_matrix_of(numbers + 2 * rows * columns, rows, columns),
                               .c = numbers + 3 * rows * columns};
    VOLT_TRY(volt_loss_minimise_outputs(factor->L, &loss, &result));
    take_result(&result, readout);
    return VOLT_OK;
}

static volt_status solve(const volt_solver_task *task, volt_readout *readout)
{
    VOLT_REQUIRE(!task->centred, VOLT_ERR_ARGUMENT,
                 "a centred kernel without an intercept requires squares without weights (the loss is %s)",
                 task->loss->loss->text);
    int64_t columns = readout->A.cols;
    double *numbers = volt_alloc_doubles(3 * readout->A.rows + 1, columns);
    volt_factor *factor = NULL;
    volt_status status = numbers
                             ? volt_factor_create(&volt_cpu_backend, NULL, task->kernel->n, columns, &factor)
                             : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = solve_with(factor, numbers, task, readout);
    if (status == VOLT_OK)
        volt_solver_fill_washout(factor, task, readout);
    volt_factor_free(factor);
    volt_free(numbers);
    return status;
}

const volt_solver volt_solver_loss = {
    .info = {.name = "exact",
             .meaning = "any loss: the Gram matrix is stored, and all iterations share one factor"},
    .needs = {.matrix = true},
    .accepts = {.losses = true, .centred = true},
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .solve = solve,
};
