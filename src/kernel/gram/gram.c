/* src/kernel/gram/gram.c: Gram matrices of sequences, each with a zero past. */
#include "kernel/gram/gram.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/team.h"
#include "kernel/engine/engine.h"
#include "kernel/gram/centre.h"

#include <inttypes.h>
#include <math.h>

volt_status volt_check_shape(volt_view X, const char *name)
{
    VOLT_REQUIRE(X.data && X.rows > 0 && X.cols > 0, VOLT_ERR_SHAPE,
                 "%s: %" PRId64 " x %" PRId64 ", where at least one row and one column are needed", name,
                 X.rows, X.cols);
    VOLT_REQUIRE(X.ld >= X.cols, VOLT_ERR_SHAPE,
                 "%s has %" PRId64 " columns and a leading dimension of %" PRId64 ", which is smaller", name,
                 X.cols, X.ld);
    return VOLT_OK;
}

volt_status volt_take_radius(double asked, int64_t d, double *radius)
{
    VOLT_REQUIRE(asked >= 0 && isfinite(asked), VOLT_ERR_ARGUMENT,
                 "the radius is %g, and must be finite and at least 0", asked);
    VOLT_REQUIRE(asked == 0 || volt_is_within(*radius, asked, d), VOLT_ERR_ARGUMENT,
                 "the radius is %.17g, and the inputs have norms up to %.17g", asked, *radius);
    if (asked > 0)
        *radius = asked;
    return VOLT_OK;
}

volt_status volt_check_finite(volt_matrix K, bool lower)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++)
            VOLT_REQUIRE(isfinite(K.data[i * K.ld + j]), VOLT_ERR_NOT_FINITE,
                         "the kernel of row %" PRId64 " and column %" PRId64
                         " (counted from 1) is too large for a double",
                         i + 1, j + 1);
    return VOLT_OK;
}

volt_gram_options volt_gram_options_default(void)
{
    volt_gram_options options = {.mirror = 1};
    return options;
}

/* Block by block, so that a block of the source and one of the target stay in cache. */
void volt_mirror(volt_matrix K)
{
    enum { BLOCK = 64 };
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads())
    for (int64_t i0 = 0; i0 < K.rows; i0 += BLOCK)
        for (int64_t j0 = 0; j0 <= i0; j0 += BLOCK)
            for (int64_t i = i0; i < i0 + BLOCK && i < K.rows; i++)
                for (int64_t j = j0; j < j0 + BLOCK && j < i; j++)
                    K.data[j * K.ld + i] = K.data[i * K.ld + j];
}

/* A call of volt_gram. */
typedef struct gram_job {
    const volt_resolved *resolved;
    volt_view X, Y;
    bool same;
    volt_progress progress;
} gram_job;

/* The matrix as the engine gives it: that of the columns with themselves (`own`), or the one asked for. Its
 * progress covers [from, from + share] of the call. */
static volt_status fill(const void *context, bool own, double from, double share, volt_matrix K)
{
    const gram_job *job = context;
    const volt_resolved *resolved = job->resolved;
    volt_view X = own ? job->Y : job->X;
    bool same = own || job->same;
    volt_columns *columns = NULL;
    volt_past *past = NULL;
    double entries = (double)X.rows * (double)job->Y.rows / (same ? 2 : 1);
    volt_stage stage;
    volt_stage_begin(&stage, job->progress, "gram", from, share, entries);
    volt_status status = volt_columns_create(resolved, job->Y, &stage, &columns);
    if (status == VOLT_OK)
        status = volt_past_create(resolved, columns, X.rows, &past);
    volt_blas_use use;
    bool multiplies = status == VOLT_OK && columns->engine->multiplies;
    if (multiplies)
        status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        volt_past_advance(past, X, same, K, &stage);
        status = volt_stage_end(&stage);
        if (multiplies)
            volt_blas_release(&use);
    }
    /* No bound says that K, or what it is made of, cannot overflow. */
    if (status == VOLT_OK && (!isfinite(resolved->facts.largest) || resolved->programme.gaussian > 0))
        status = volt_check_finite(K, same);
    volt_past_free(past);
    volt_columns_free(columns);
    return status;
}

volt_status volt_gram(const volt_kernel *kernel, volt_view X, volt_view Y, const volt_gram_options *options,
                      volt_matrix K)
{
    volt_gram_options standard = volt_gram_options_default();
    if (!options)
        options = &standard;
    bool same = !Y.data;
    if (same)
        Y = X;
    VOLT_REQUIRE(kernel, VOLT_ERR_ARGUMENT, "the kernel is NULL");
    VOLT_TRY(volt_check_shape(X, "X"));
    VOLT_TRY(volt_check_shape(Y, "Y"));
    VOLT_REQUIRE(X.cols == Y.cols, VOLT_ERR_SHAPE, "X has %" PRId64 " columns and Y has %" PRId64, X.cols,
                 Y.cols);
    VOLT_REQUIRE(K.data && K.rows == X.rows && K.cols == Y.rows && K.ld >= K.cols, VOLT_ERR_SHAPE,
                 "K is %" PRId64 " x %" PRId64 " and must be %" PRId64 " x %" PRId64, K.rows, K.cols, X.rows,
                 Y.rows);

    volt_extent extent = {0}, columns = {0};
    VOLT_TRY(volt_extent_of(X, "X", &extent));
    if (!same) {
        VOLT_TRY(volt_extent_of(Y, "Y", &columns));
        extent.radius = fmax(extent.radius, columns.radius);
        extent.largest = columns.largest; /* the columns are what was trained on */
    }
    VOLT_TRY(volt_take_radius(options->radius, X.cols, &extent.radius));

    volt_resolved resolved;
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_kernel_resolve(kernel, extent, X.cols, &resolved));
    volt_kernel_warn(kernel);
    gram_job job = {&resolved, X, Y, same, options->progress};
    volt_status status = resolved.centred ? volt_centre_gram(fill, &job, same, K) : fill(&job, false, 0, 1, K);
    if (status == VOLT_OK && same && options->mirror)
        volt_mirror(K);
    return status;
}
