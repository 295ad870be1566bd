/* src/data/bekk/bekk_simulate.c: simulates returns and their covariances from the BEKK model.
 *
 *     r_t = H_t^{1/2} z_t,    H_{t+1} = C C' + (a o r_t)(a o r_t)' + (b b') o H_t
 *
 * H^{1/2} = V diag(sqrt(eigenvalues)) V' is the symmetric root, which, unlike the Cholesky factor, does not
 * depend on the order of the assets. The first H is the stationary covariance. Row t has z_t, r_t and
 * vech(H_t). */
#include "base/error.h"
#include "base/memory.h"
#include "base/symmetric_eigen.h"
#include "data/bekk/bekk.h"
#include "data/bekk/bekk_likelihood.h"
#include "data/process.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct bekk_system {
    const volt_bekk *bekk;
    volt_rng rng;
    double *intercept; /* packed C C' */
    double *H;         /* packed, of this step */
    double *workspace; /* of the root */
    double *row;       /* z, r, vech(H) */
    double *memory;    /* all of the above */
} bekk_system;

volt_bekk_simulate_options volt_bekk_simulate_options_default(void)
{
    volt_bekk_simulate_options options = {
        .struct_size = sizeof(volt_bekk_simulate_options), .seed = 0, .stream = 0, .discard = 1000};
    return options;
}

/* ---- one step --------------------------------------------------------------------------------- */

volt_status volt_symmetric_root(int64_t d, const double *packed, const double *z, double *workspace, double *r)
{
    double *values = workspace, *vectors = workspace + d * d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            values[i * d + j] = packed[volt_packed(i, j)];
    VOLT_REQUIRE(volt_symmetric_eigen(d, values, vectors), VOLT_ERR_NOT_FINITE, "the covariance is not finite");

    memset(r, 0, (size_t)d * sizeof *r);
    for (int64_t k = 0; k < d; k++) {
        const double *vector = vectors + k * d;
        double part = 0;
        for (int64_t i = 0; i < d; i++)
            part += vector[i] * z[i];
        part *= sqrt(fmax(values[k * d + k], 0)); /* rounding may make a zero eigenvalue negative */
        for (int64_t i = 0; i < d; i++)
            r[i] += part * vector[i];
    }
    return VOLT_OK;
}

int64_t volt_symmetric_root_workspace(int64_t d)
{
    return 2 * d * d;
}

/* From H_t, r_t to H_{t+1}. */
static void next_covariance(bekk_system *system, const double *r)
{
    const double *a = system->bekk->a, *b = system->bekk->b;
    for (int64_t i = 0, e = 0; i < system->bekk->d; i++)
        for (int64_t j = 0; j <= i; j++, e++)
            system->H[e] = system->intercept[e] + (a[i] * r[i]) * (a[j] * r[j]) + b[i] * b[j] * system->H[e];
}

static volt_status bekk_step(void *state, volt_stage *stage)
{
    (void)stage;
    bekk_system *system = state;
    int64_t d = system->bekk->d;
    double *z = system->row, *r = z + d;
    for (int64_t i = 0; i < d; i++)
        z[i] = volt_rng_normal(&system->rng);
    VOLT_TRY(volt_symmetric_root(d, system->H, z, system->workspace, r));
    volt_packed_to_vech(d, system->H, r + d);
    next_covariance(system, r);
    return VOLT_OK;
}

/* ---- setting up ------------------------------------------------------------------------------- */

static volt_status begin_system(bekk_system *system, const volt_bekk *bekk, uint64_t seed, uint64_t stream)
{
    int64_t d = bekk->d, entries = volt_packed_count(d), workspace = volt_symmetric_root_workspace(d);
    double *memory = volt_alloc_doubles(3 * entries + 2 * d + workspace, 1);
    if (!memory)
        return VOLT_ERR_MEMORY;
    system->bekk = bekk;
    system->memory = memory;
    system->intercept = memory;
    system->H = memory + entries;
    system->workspace = system->H + entries;
    system->row = system->workspace + workspace;

    volt_rng_init(&system->rng, seed, stream);
    volt_bekk_intercept(d, bekk->C, system->intercept);
    for (int64_t i = 0, e = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++, e++)
            system->H[e] = system->intercept[e] / (1 - bekk->a[i] * bekk->a[j] - bekk->b[i] * bekk->b[j]);
    return VOLT_OK;
}

static volt_status check_output(const char *what, volt_matrix out, int64_t cols, int64_t *rows)
{
    if (!out.data)
        return VOLT_OK;
    VOLT_REQUIRE(out.cols == cols && out.ld >= cols, VOLT_ERR_SHAPE,
                 "bekk: the matrix of %s must have %" PRId64 " columns (got %" PRId64 ")", what, cols,
                 out.cols);
    VOLT_REQUIRE(*rows < 0 || out.rows == *rows, VOLT_ERR_SHAPE,
                 "bekk: the matrix of %s has %" PRId64 " rows, but another has %" PRId64, what, out.rows,
                 *rows);
    *rows = out.rows;
    return VOLT_OK;
}

static void copy_columns(volt_matrix out, const double *rows, int64_t length, int64_t first)
{
    for (int64_t t = 0; out.data && t < out.rows; t++)
        memcpy(out.data + t * out.ld, rows + t * length + first, (size_t)out.cols * sizeof(double));
}

volt_status volt_bekk_simulate(const volt_bekk *bekk, const volt_bekk_simulate_options *options,
                               volt_matrix innovations, volt_matrix returns, volt_matrix covariances)
{
    volt_bekk_simulate_options opts = volt_bekk_simulate_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_bekk_simulate_options"));
    options = &opts;
    VOLT_TRY(volt_bekk_check_stationary(bekk));
    int64_t d = bekk->d, length = 2 * d + volt_packed_count(d), n = -1;
    VOLT_TRY(check_output("innovations", innovations, d, &n));
    VOLT_TRY(check_output("returns", returns, d, &n));
    VOLT_TRY(check_output("covariances", covariances, volt_packed_count(d), &n));
    VOLT_REQUIRE(n >= 1, VOLT_ERR_ARGUMENT, "bekk: %s",
                 n < 0 ? "there is no matrix to fill" : "the number of rows must be at least 1 (got 0)");
    VOLT_TRY(volt_memory_require(2.0 * (double)n * (double)length * sizeof(double), "the simulated rows"));

    bekk_system system = {.memory = NULL};
    double *rows = volt_alloc_doubles(n, length);
    volt_status status = rows ? begin_system(&system, bekk, options->seed, options->stream) : VOLT_ERR_MEMORY;
    volt_process process = {
        .name = "the BEKK model",
        .state = &system,
        .row = system.row,
        .cols = length,
        .lead = 1,
        .every = 1,
        .discard = options->discard,
        .step = bekk_step,
    };
    volt_matrix all = volt_matrix_of(rows, n, length);
    if (status == VOLT_OK)
        status = volt_process_check("bekk", all, length, 1, options->discard);
    if (status == VOLT_OK)
        status = volt_process_run(&process, options->progress, all);
    if (status == VOLT_OK) {
        copy_columns(innovations, rows, length, 0);
        copy_columns(returns, rows, length, d);
        copy_columns(covariances, rows, length, 2 * d);
    }
    volt_free(system.memory);
    volt_free(rows);
    return status;
}
