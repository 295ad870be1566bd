/* src/data/process.c: the main loop of all generators.
 *
 * Rows are written to a private buffer and copied to the caller's matrix at the end: a run that is cancelled
 * or diverges changes nothing. */
#include "data/process.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Steps between two progress reports: a few milliseconds of the slowest generator. */
enum { LOOK_EVERY = 1024 };

volt_status volt_process_check(const char *name, volt_matrix out, int64_t cols, int64_t every, int64_t discard)
{
    VOLT_REQUIRE(out.rows >= 1, VOLT_ERR_ARGUMENT,
                 "%s: the number of rows must be at least 1 (got %" PRId64 ")", name, out.rows);
    VOLT_REQUIRE(out.cols == cols, VOLT_ERR_SHAPE,
                 "%s: the matrix must have %" PRId64 " columns (got %" PRId64 ")", name, cols, out.cols);
    VOLT_REQUIRE(out.data && out.ld >= out.cols, VOLT_ERR_ARGUMENT,
                 "%s: the matrix has no data, or its leading dimension %" PRId64 " is below its %" PRId64
                 " columns",
                 name, out.ld, out.cols);
    VOLT_REQUIRE(every >= 1, VOLT_ERR_ARGUMENT, "%s: every must be at least 1 (got %" PRId64 ")", name, every);
    VOLT_REQUIRE(discard >= 0 && discard <= INT64_MAX - out.rows, VOLT_ERR_ARGUMENT,
                 "%s: the number of rows to discard must be 0 to 2^63 - 1 - %" PRId64 " (got %" PRId64 ")",
                 name, out.rows, discard);
    return VOLT_OK;
}

/* Rows are numbered as in the output; discarded rows are numbered separately. */
static const char *kind_of_row(const volt_process *process, int64_t row)
{
    return row < process->discard ? "discarded row" : "row";
}

static int64_t number_of_row(const volt_process *process, int64_t row)
{
    return row < process->discard ? row : row - process->discard;
}

static volt_status check_row(const volt_process *process, int64_t row)
{
    for (int64_t j = 0; j < process->cols; j++)
        VOLT_REQUIRE(isfinite(process->row[j]), VOLT_ERR_NOT_FINITE,
                     "%s diverges: %s %" PRId64 " is not finite", process->name, kind_of_row(process, row),
                     number_of_row(process, row));
    return VOLT_OK;
}

/* Writes the kept rows to `kept`. */
static volt_status collect(const volt_process *process, volt_stage *stage, int64_t n_rows, double *kept)
{
    const size_t row_bytes = (size_t)process->cols * sizeof(double);
    int64_t since_look = 0;
    for (int64_t row = 0; row < process->discard + n_rows; row++) {
        int64_t n_steps = row == 0 ? process->lead : process->every;
        for (int64_t i = 0; i < n_steps; i++) {
            volt_status status = process->step(process->state, stage);
            if (status != VOLT_OK)
                return volt_fail_prefix(status, "%s %" PRId64, kind_of_row(process, row),
                                        number_of_row(process, row));
            if (++since_look == LOOK_EVERY) {
                volt_stage_advance(stage, since_look);
                since_look = 0;
            }
            if (!volt_stage_should_continue(stage))
                return volt_stage_end(stage);
        }
        VOLT_TRY(check_row(process, row));
        if (row >= process->discard)
            memcpy(kept + (row - process->discard) * process->cols, process->row, row_bytes);
    }
    return VOLT_OK;
}

volt_status volt_process_run(const volt_process *process, volt_progress progress, volt_matrix out)
{
    VOLT_TRY(volt_memory_require((double)out.rows * (double)out.cols * sizeof(double), "the simulated rows"));
    double *kept = volt_alloc_doubles(out.rows, out.cols);
    if (!kept)
        return VOLT_ERR_MEMORY;

    double n_steps =
        (double)process->lead + ((double)process->discard + (double)(out.rows - 1)) * (double)process->every;
    volt_stage stage;
    volt_stage_begin(&stage, progress, "simulate", 0, 1, n_steps);
    volt_status status = collect(process, &stage, out.rows, kept);
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    if (status == VOLT_OK)
        for (int64_t i = 0; i < out.rows; i++)
            memcpy(out.data + i * out.ld, kept + i * out.cols, (size_t)out.cols * sizeof(double));
    volt_free(kept);
    return status;
}
