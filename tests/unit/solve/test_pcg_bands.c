/* tests/unit/solve/test_pcg_bands.c: conjugate gradients with rows distributed over the processes of a job, which
 * are threads here. */
#include "base/error.h"
#include "base/row_bands.h"
#include "solve/iterative/pcg.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/landmark_problem.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "support/thread_bands.h"

#include <unistd.h>

/* ---- bands of a triangle ------------------------------------------------------------------------ */

/* Every row is in exactly one band; a band differs from its share by at most two rows. */
static void every_entry_is_in_one_band(void **state)
{
    static const int64_t sizes[] = {1, 2, 7, 1000, 46342};
    for (int64_t parts = 1; parts <= 7; parts++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int64_t n = sizes[s], next = 0;
            for (int64_t part = 0; part < parts; part++) {
                volt_bands bands = {.parts = parts, .part = part};
                int64_t first, last;
                volt_bands_of_triangle(&bands, n, &first, &last);
                assert_int_equal(first, next);
                assert_true(last >= first);
                double entries =
                    0.5 * ((double)last * (double)(last + 1) - (double)first * (double)(first + 1));
                assert_true(fabs(entries - (double)n * (double)n / 2 / (double)parts) <= 2 * (double)n);
                next = last;
            }
            assert_int_equal(next, n);
        }
}

/* ---- products ----------------------------------------------------------------------------------- */

enum { KEPT = N - 6, RECORDS = 3 }; /* rows to multiply; other rows follow */
static const int64_t lengths[RECORDS] = {9, 1, KEPT - 10};

typedef struct product_task {
    const volt_resolved *resolved;
    const volt_columns *columns;
    const double *Z, *V;
    volt_status status;
    double C[KEPT * Q];           /* the product ... */
    double again[KEPT * (Q + 1)]; /* ... and again from the stored entries, with a leading dimension */
    double later[(N - KEPT) * KEPT];
} product_task;

static volt_status multiply(product_task *t, volt_operator *op)
{
    volt_view V = volt_view_of(t->V, KEPT, Q);
    volt_matrix C = volt_matrix_of(t->C, KEPT, Q), again = {t->again, KEPT, Q, Q + 1};
    VOLT_TRY(volt_operator_multiply(op, volt_backend_current(), V, C, NULL));
    VOLT_TRY(volt_operator_multiply(op, volt_backend_current(), V, again, NULL));
    volt_state *kernel_state = NULL;
    VOLT_TRY(volt_kernel_operator_end(op, &kernel_state));
    for (int64_t i = KEPT; i < N; i++)
        volt_state_advance(kernel_state, volt_view_of(t->Z + i * D, 1, D), false,
                           volt_matrix_of(t->later + (i - KEPT) * KEPT, 1, KEPT), NULL);
    volt_state_free(kernel_state);
    return VOLT_OK;
}

static void run_product(void *context)
{
    product_task *t = context;
    volt_operator *op = NULL;
    t->status = volt_kernel_operator(t->resolved, t->columns, volt_view_of(t->Z, KEPT, D), false, &op);
    if (t->status == VOLT_OK)
        t->status = multiply(t, op);
    volt_operator_free(op);
}

/* Compared with sums over K; entries of K agree to 16 n eps of the largest, as in
 * tests/backend/test_operators.c. */
static void check_numbers(const product_task *t, const double *K, bool records)
{
    double size = 0;
    for (int64_t i = 0; i < N * N; i++)
        size = fmax(size, fabs(K[i]));
    double of_entry = 16 * N * DBL_EPSILON * size;
    for (int64_t i = 0; i < KEPT; i++)
        for (int64_t k = 0; k < Q; k++) {
            double sum = 0, lengths_of = 0;
            for (int64_t j = 0; j < KEPT; j++) {
                sum += K[i * N + j] * t->V[j * Q + k];
                lengths_of += fabs(t->V[j * Q + k]);
            }
            assert_true(fabs(t->C[i * Q + k] - sum) <= 2 * of_entry * lengths_of);
            assert_true(t->again[i * (Q + 1) + k] == t->C[i * Q + k]);
        }
    for (int64_t i = KEPT; i < N && !records; i++) /* these would continue with a record of their own */
        for (int64_t j = 0; j < KEPT; j++)
            assert_true(fabs(t->later[(i - KEPT) * KEPT + j] - K[i * N + j]) <= of_entry);
}

static void check_products(const char *text, volt_rng *rng, bool records, int64_t parts)
{
    static const int64_t of_all[RECORDS] = {9, 1, N - 10};
    static product_task tasks[THREAD_BANDS];
    void *list[THREAD_BANDS];
    double *Z = random_rows(rng, N, D, 1), *V = normal_rows(rng, KEPT, Q);
    volt_view rows = volt_view_of(Z, N, D);
    double *K = records ? records_gram(text, rows, of_all, RECORDS) : full_gram(text, rows);
    volt_resolved resolved = resolve_on(text, rows);
    volt_records split = {0};
    volt_columns *columns = NULL;
    if (records)
        check_ok(volt_records_make(lengths, RECORDS, KEPT, &split));
    check_ok(volt_resolved_split(&resolved, &split, 0));
    volt_records_release(&split);
    check_ok(volt_columns_create(&resolved, volt_view_of(Z, KEPT, D), NULL, &columns));
    for (int64_t p = 0; p < parts; p++) {
        tasks[p] = (product_task){.resolved = &resolved, .columns = columns, .Z = Z, .V = V};
        list[p] = &tasks[p];
    }
    thread_bands_run(parts, run_product, list);
    for (int64_t p = 0; p < parts; p++) {
        if (tasks[p].status != VOLT_OK)
            fail_msg("%s, %" PRId64 " parts: status %d", text, parts, (int)tasks[p].status);
        check_numbers(&tasks[p], K, records);
        assert_memory_equal(tasks[p].C, tasks[0].C, sizeof tasks[p].C);
        assert_memory_equal(tasks[p].later, tasks[0].later, sizeof tasks[p].later);
    }
    volt_columns_free(columns);
    volt_resolved_release(&resolved);
    free(K);
    free(V);
    free(Z);
}

static void banded_products_equal_products(void **state)
{
    volt_rng rng = test_rng(9600);
    for (int64_t k = 0; engine_kernels[k]; k++)
        for (int records = 0; records < 2 && !(UNDER_SANITIZERS && k % 2); records++)
            check_products(engine_kernels[k], &rng, records, 2 + (k + records) % 3);
}

/* ---- fits --------------------------------------------------------------------------------------- */

typedef struct fit_job {
    const char *text;
    const double *X, *Y;
    int64_t n; /* rows of the fit; H follow */
    volt_fit_options options;
    int64_t canceller; /* process that is cancelled ... */
    int64_t at;        /* ... in this iteration; 0: none */
    int64_t begin;     /* receives the first iteration */
    volt_status status;
    char detail[256];
    int64_t steps;
    double residual;
    double *fitted, *later; /* n x Q, H x Q */
} fit_job;

static int stop_at(const char *stage, double fraction, void *context)
{
    fit_job *job = context;
    int64_t step = 0;
    (void)fraction;
    if (sscanf(stage, "step %" SCNd64, &step) != 1)
        return 0;
    job->begin = job->begin > 0 ? job->begin : step;
    return thread_bands_part() == job->canceller && step == job->at;
}

static void run_fit(void *context)
{
    fit_job *job = context;
    volt_kernel *kernel = plain_parse(job->text);
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    job->options.progress = (volt_progress){stop_at, job};
    job->status = volt_model_fit(kernel, volt_view_of(job->X, job->n, D), volt_view_of(job->Y, job->n, Q),
                                 &job->options, volt_matrix_of(job->fitted, job->n, Q), &model);
    snprintf(job->detail, sizeof job->detail, "%s", job->status == VOLT_OK ? "" : volt_error_detail());
    if (job->status == VOLT_OK) {
        job->status = volt_model_predict(model, volt_view_of(job->X + job->n * D, H, D), NULL,
                                         volt_matrix_of(job->later, H, Q), NULL);
        volt_model_get_info(model, &info);
        job->steps = info.report->iterations;
        job->residual = info.report->residual;
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* Run `parts` processes, each with the task `given`; jobs[p] receives the result of process p. */
static void run_jobs(const fit_job *given, int64_t parts, fit_job *jobs)
{
    void *list[THREAD_BANDS];
    for (int64_t p = 0; p < parts; p++) {
        jobs[p] = *given;
        jobs[p].fitted = calloc((size_t)(given->n * Q), sizeof(double));
        jobs[p].later = calloc(H * Q, sizeof(double));
        assert_true(jobs[p].fitted && jobs[p].later);
        list[p] = &jobs[p];
    }
    thread_bands_run(parts, run_fit, list);
}

static void release_jobs(fit_job *jobs, int64_t parts)
{
    for (int64_t p = 0; p < parts; p++) {
        free(jobs[p].fitted);
        free(jobs[p].later);
    }
}

/* Both residuals are below the tolerance (1e-10), so the error of each is at most 10 sqrt(K_ii / alpha)
 * times that, relative to the norm of the targets (tests/unit/solve/test_pcg.c). Observed: 1e-12. Required: 1e-9
 * of their spread. */
static void check_same(const fit_job *a, const fit_job *b)
{
    double spread = 0;
    for (int64_t i = 0; i < a->n * Q; i++)
        spread = fmax(spread, isfinite(a->Y[i]) ? fabs(a->Y[i]) : 0);
    double gap = fmax(largest_gap(a->fitted, b->fitted, a->n * Q), largest_gap(a->later, b->later, H * Q));
    printf("# %s: %.1e of the spread, %" PRId64 " and %" PRId64 " steps\n", a->text, gap / spread, a->steps,
           b->steps);
    assert_true(gap < 1e-9 * spread);
    assert_true(a->residual <= a->options.tolerance && b->residual <= b->options.tolerance);
}

static void check_fits(const fit_job *given, int64_t parts)
{
    fit_job alone, jobs[THREAD_BANDS];
    run_jobs(given, 1, &alone);
    run_jobs(given, parts, jobs);
    assert_int_equal(alone.status, VOLT_OK);
    for (int64_t p = 0; p < parts; p++) {
        assert_int_equal(jobs[p].status, VOLT_OK);
        assert_memory_equal(jobs[p].fitted, jobs[0].fitted, (size_t)(given->n * Q) * sizeof(double));
        assert_memory_equal(jobs[p].later, jobs[0].later, H * Q * sizeof(double));
        assert_true(jobs[p].steps == jobs[0].steps && jobs[p].residual == jobs[0].residual);
    }
    check_same(&alone, &jobs[0]);
    /* A preconditioner without one band still converges, with more iterations; with few iterations, rounding
     * does not explain the difference. */
    assert_true(alone.steps > 20 || llabs(alone.steps - jobs[0].steps) <= 2);
    release_jobs(&alone, 1);
    release_jobs(jobs, parts);
}

static fit_job job_of(const char *text, const problem *p)
{
    fit_job job = {.text = text, .X = p->X, .Y = p->Y, .n = N, .options = plain_options()};
    job.options.solver = "pcg";
    job.options.tolerance = 1e-10;
    job.options.landmarks = 20;
    return job;
}

static const char plain_text[] = "memory:gamma=1,rho=0.5,mu=0.8";

static void banded_fits_equal_fits(void **state)
{
    static const int64_t records[] = {20, 35, 25};
    problem *p = make_problem(9610);
    for (int64_t parts = UNDER_SANITIZERS ? THREAD_BANDS : 2; parts <= THREAD_BANDS; parts++) {
        fit_job plain = job_of(plain_text, p);
        check_fits(&plain, parts);
        fit_job washed = job_of("2*fir:mu=0.7 + memory:gamma=1,rho=0.5,mu=0.8", p);
        washed.options.washout = 9;
        washed.options.alpha = 0; /* selected */
        check_fits(&washed, parts);
        fit_job split = job_of("volterra:tau_coef=0.6,lambda_coef=0.8,pole=0.4", p);
        split.options.records = records;
        split.options.n_records = 3;
        split.options.intercept = false;
        check_fits(&split, parts);
    }
    for (int64_t i = 3; i < N; i += 9)
        p->Y[i * Q] = NAN;
    fit_job holes = job_of("gak:window=5,sigma=1", p);
    holes.options.missing_targets = 1;
    check_fits(&holes, 3);
    free(p);
}

/* Enough rows that the features of the preconditioner and their sums are distributed too. */
static void many_rows_share_the_preconditioner(void **state)
{
    enum { LARGE = UNDER_SANITIZERS ? 2300 : 2700 };
    volt_rng rng = test_rng(9620);
    double *X = random_rows(&rng, LARGE + H, D, 1), *Y = new_matrix(LARGE, Q), memory = 0;
    for (int64_t i = 0; i < LARGE; i++) {
        memory = 0.6 * memory + X[i * D] + X[i * D + 1] * X[i * D];
        Y[i * Q] = memory + 0.1 * volt_rng_normal(&rng);
        Y[i * Q + 1] = 3 + X[i * D] * memory;
    }
    fit_job job = {.text = "fir:mu=0.5", .X = X, .Y = Y, .n = LARGE, .options = plain_options()};
    job.options.solver = "pcg";
    job.options.landmarks = 32;
    job.options.tolerance = 1e-10;
    job.options.washout = 5;
    job.options.alpha = UNDER_SANITIZERS ? 10 : 0.01; /* fewer iterations */
    check_fits(&job, 3);
    free(Y);
    free(X);
}

/* ---- checkpoints and termination ---------------------------------------------------------------- */

/* Cancelling one process stops all of them. The checkpoint resumes with any number of processes. */
static void stopped_job_resumes_with_any_process_count(void **state)
{
    problem *p = make_problem(9630);
    fit_job whole = job_of(plain_text, p), jobs[THREAD_BANDS], alone;
    const char *path = scratch_path("job.ckpt");
    whole.options.landmarks = 6;
    run_jobs(&whole, 1, &alone);
    assert_int_equal(alone.status, VOLT_OK);
    assert_true(alone.steps > 8);
    for (int64_t canceller = UNDER_SANITIZERS; canceller < 3; canceller++) {
        fit_job stopped = whole;
        stopped.options.checkpoint = path;
        stopped.options.checkpoint_seconds = 1e9; /* only the final checkpoint is written */
        stopped.canceller = canceller;
        stopped.at = 4 + canceller;
        run_jobs(&stopped, 3, jobs);
        for (int64_t part = 0; part < 3; part++) {
            assert_int_equal(jobs[part].status, VOLT_ERR_CANCELLED);
            assert_non_null(strstr(jobs[part].detail,
                                   part == canceller ? "cancelled during step" : "another process of the job"));
        }
        release_jobs(jobs, 3);
        assert_int_equal(access(path, F_OK), 0);

        fit_job rest = whole;
        rest.options.checkpoint = path;
        rest.options.checkpoint_seconds = 1e9;
        int64_t parts = 1 + canceller;
        run_jobs(&rest, parts, jobs);
        for (int64_t part = 0; part < parts; part++) {
            assert_int_equal(jobs[part].status, VOLT_OK);
            assert_int_equal(jobs[part].begin, stopped.at);
        }
        assert_true(llabs(jobs[0].steps - alone.steps) <= 2);
        check_same(&alone, &jobs[0]);
        release_jobs(jobs, parts);
        remove(path);
    }
    release_jobs(&alone, 1);
    free(p);
}

/* The first process reads the checkpoint, and all processes return its status. */
static void foreign_checkpoint_stops_all_processes(void **state)
{
    problem *p = make_problem(9640);
    fit_job job = job_of(plain_text, p), jobs[THREAD_BANDS];
    job.options.checkpoint = scratch_write_text("foreign.ckpt", "this is none");
    run_jobs(&job, 2, jobs);
    for (int64_t part = 0; part < 2; part++)
        assert_int_equal(jobs[part].status, VOLT_ERR_FORMAT);
    assert_non_null(strstr(jobs[0].detail, "foreign.ckpt"));
    assert_non_null(strstr(jobs[1].detail, "the first process"));
    release_jobs(jobs, 2);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_in_one_band),
        cmocka_unit_test(banded_products_equal_products),
        cmocka_unit_test(banded_fits_equal_fits),
        cmocka_unit_test(many_rows_share_the_preconditioner),
        cmocka_unit_test(stopped_job_resumes_with_any_process_count),
        cmocka_unit_test(foreign_checkpoint_stops_all_processes),
    };
    return cmocka_run_group_tests_name("conjugate gradients by bands", tests, NULL, NULL);
}
