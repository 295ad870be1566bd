/* tests/backend/test_operator_scenarios.c: kernel and landmark operators on the CPU and on remote back ends,
 * with rows requested in every order, and with an out-of-memory error, a cancellation, a full device or a
 * lost device at every possible point (support/scenario.h). */
#include "base/progress.h"
#include "gram/engine/state.h"
#include "solve/landmark/landmark_operator.h"
#include "solve/landmark/state_sums.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/far_backend.h"
#include "support/lost_backend.h"
#include "support/sequences.h"

enum { N = 11, D = 2, Q = 2, MARK = 5, M = 3, RECORDS = 3 };

static double *x, *v;
static const int64_t lengths[RECORDS] = {4, 1, 6};
static volt_records records;

/* A kernel on the rows, as one sequence or as records, created before any fault. */
typedef struct ground {
    const char *text;
    bool has_records, has_states;
    volt_resolved resolved;
    volt_columns *columns, *states;
} ground;

static ground grounds[] = {
    {.text = "rbf:gamma=0.5"},
    {.text = "fir:mu=0.5 + rbf:gamma=0.5", .has_records = true},
    {.text = "memory:gamma=1,rho=0.3,mu=0.4"},
    {.text = "gak:sigma=2,window=3"},
    {.text = "esn:size=3", .has_states = true, .has_records = true},
};
enum { GROUNDS = sizeof grounds / sizeof *grounds, STATES = GROUNDS - 1 };

static volt_view rows_of(void)
{
    return volt_view_of(x, N, D);
}

/* Returns the status of an operator call, or that of the stage if the user cancelled. */
static volt_status status_of(volt_status status, volt_stage *stage)
{
    return status != VOLT_OK || volt_stage_should_continue(stage) ? status : volt_stage_end(stage);
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* Rows to the back end, and back. */
static volt_status take_rows(volt_operator *op, int64_t first, int64_t count, volt_stage *stage,
                             scenario_result *result)
{
    const volt_backend *backend = volt_backend_current();
    double here[N * N], *there = backend->alloc(count, N);
    if (!there)
        return VOLT_ERR_MEMORY;
    volt_status status = status_of(op->rows(op, first, backend, volt_matrix_of(there, count, N), stage), stage);
    if (status == VOLT_OK)
        status = volt_backend_state(backend);
    if (status == VOLT_OK) {
        backend->get(volt_view_of(there, count, N), volt_matrix_of(here, count, N));
        for (int64_t i = 0; i < count; i++)
            scenario_put(result, here + i * N, count == N ? i + 1 : N);
    }
    backend->release(there);
    return status;
}

static volt_status take_lower(volt_operator *op, int64_t first, int64_t count, volt_stage *stage,
                              scenario_result *result)
{
    double K[N * N];
    int64_t width = first + count;
    volt_status status = status_of(op->lower(op, first, volt_matrix_of(K, count, width), stage), stage);
    for (int64_t i = 0; status == VOLT_OK && i < count; i++)
        scenario_put(result, K + i * width, first + i + 1);
    return status;
}

static volt_status take_product(volt_operator *op, volt_stage *stage, scenario_result *result)
{
    double C[N * Q];
    volt_status status = status_of(volt_operator_multiply(op, volt_backend_current(), volt_view_of(v, N, Q),
                                                          volt_matrix_of(C, N, Q), stage),
                                   stage);
    if (status == VOLT_OK)
        scenario_put(result, C, N * Q);
    return status;
}

/* The state after the last row, which the processes of a job exchange. */
static volt_status take_end(volt_operator *op, bool is_banded, scenario_result *result)
{
    volt_state *kernel_state = NULL;
    op->is_banded = is_banded;
    volt_status status = volt_kernel_operator_end(op, &kernel_state);
    if (status == VOLT_OK) {
        double row[N];
        volt_state_advance(kernel_state, volt_view_of(x, 1, D), false, volt_matrix_of(row, 1, N), NULL);
        scenario_put(result, row, N);
    }
    volt_state_free(kernel_state);
    return status;
}

/* Blocks in order, again, and behind a gap, from the mark again and again, all at once and what follows. */
static volt_status ask_kernel(const void *with, volt_progress progress, scenario_result *result)
{
    const ground *g = with;
    volt_operator *op = NULL;
    volt_stage stage;
    volt_stage_begin(&stage, progress, "rows", 0, 1, N * N);
    volt_status status = volt_kernel_operator(&g->resolved, g->columns, rows_of(), true, &op);
    static const int64_t blocks[][2] = {{0, 4}, {4, 4}, {2, 3}, {8, 2}};
    for (size_t i = 0; status == VOLT_OK && i < sizeof blocks / sizeof *blocks; i++)
        status = take_rows(op, blocks[i][0], blocks[i][1], &stage, result);
    if (status == VOLT_OK) {
        op->mark = MARK;
        for (int again = 0; status == VOLT_OK && again < 2; again++)
            status = take_lower(op, MARK, N - MARK, &stage, result);
    }
    if (status == VOLT_OK)
        status = take_rows(op, 0, N, &stage, result); /* after which there is no room for rows ... */
    if (status == VOLT_OK)
        status = take_lower(op, MARK, N - MARK, &stage, result); /* ... from the mark */
    if (status == VOLT_OK)
        status = take_product(op, &stage, result);
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    if (status == VOLT_OK)
        status = take_end(op, false, result);
    volt_operator_free(op);
    return status;
}

static volt_status end_of_job(const void *with, volt_progress progress, scenario_result *result)
{
    (void)progress;
    const ground *g = with;
    volt_operator *op = NULL;
    volt_stage none;
    volt_stage_begin(&none, (volt_progress){0}, "rows", 0, 1, 1);
    volt_status status = volt_kernel_operator(&g->resolved, g->columns, rows_of(), false, &op);
    if (status == VOLT_OK)
        status = take_product(op, &none, result);
    if (status == VOLT_OK)
        status = take_end(op, true, result);
    volt_operator_free(op);
    return status;
}

/* States, folded, and the past after them. */
static volt_status ask_states(const void *with, volt_progress progress, scenario_result *result)
{
    const ground *g = with;
    volt_operator *op = NULL;
    volt_state *kernel_state = NULL;
    double F[N * 8], B[8 * Q];
    volt_stage stage;
    volt_stage_begin(&stage, progress, "states", 0, 1, N);
    volt_status status = volt_kernel_operator(&g->resolved, NULL, rows_of(), false, &op);
    if (status == VOLT_OK) {
        volt_kernel_operator_use_states(op, g->states);
        assert_true(op->n_states <= 8);
        status = status_of(op->states(op, 7, volt_matrix_of(F, 3, op->n_states), &stage), &stage);
    }
    if (status == VOLT_OK) {
        scenario_put(result, F, 3 * op->n_states);
        status = volt_operator_fold(op, volt_view_of(v, N, Q), volt_matrix_of(B, op->n_states, Q), progress);
    }
    if (status == VOLT_OK) {
        scenario_put(result, B, op->n_states * Q);
        status = volt_kernel_operator_end(op, &kernel_state);
    }
    volt_state_free(kernel_state);
    volt_operator_free(op);
    return status;
}

/* ---- landmarks ---------------------------------------------------------------------------------- */

/* Every column is a landmark of its own run: M rows of the sequence. */
static volt_status make_landmarks(const ground *g, volt_stage *stage, volt_operator **op)
{
    static const int64_t column[M] = {1, 5, 9};
    return volt_landmark_operator(&(volt_landmark_task){.resolved = &g->resolved,
                                                        .columns = g->columns,
                                                        .column = column,
                                                        .m = M,
                                                        .Z = rows_of(),
                                                        .records = g->has_records ? &records : NULL,
                                                        .common = 0.25,
                                                        .backend = volt_backend_current()},
                                  stage, op);
}

static volt_status take_states(volt_operator *op, int64_t first, int64_t count, volt_stage *stage,
                               scenario_result *result)
{
    double F[N * M];
    volt_status status = status_of(op->states(op, first, volt_matrix_of(F, count, M), stage), stage);
    if (status == VOLT_OK)
        scenario_put(result, F, count * M);
    return status;
}

static volt_status create_sums(volt_operator *op, volt_state_sums **sums)
{
    return op->add ? volt_state_sums_create_at(op->sums_backend, M, Q, sums)
                   : volt_state_sums_create(M, Q, sums);
}

/* Sums of rows with and without a target, a solved system with leverages, and products with stored features. */
static volt_status take_sums(volt_operator *op, volt_view F, volt_stage *stage, scenario_result *result)
{
    const bool without[N] = {[3] = true, [8] = true};
    volt_state_sums *sums = NULL, *copied = NULL;
    double y[N * Q], rows[N * M], h[N], out[N * Q];
    memcpy(rows, F.data, sizeof rows);
    for (int64_t i = 0; i < N * Q; i++)
        y[i] = without[i / Q] ? 0 : v[i];
    volt_status status = create_sums(op, &sums);
    if (status == VOLT_OK)
        status = create_sums(op, &copied);
    if (!sums || !copied) {
        volt_state_sums_free(sums);
        return status;
    }
    if (op->add)
        status = status_of(op->add(op, 0, volt_view_of(y, N, Q), without, sums, stage), stage);
    else
        volt_state_sums_add(sums, F, volt_view_of(y, N, Q), without);
    double rcond = 0, freedom = 0;
    if (status == VOLT_OK) {
        volt_state_sums_copy(sums, copied);
        status = volt_state_sums_solve(copied, 0.5, true, &rcond);
    }
    if (status == VOLT_OK) {
        scenario_put(result, copied->B, M * Q);
        volt_state_sums_leverages(copied, volt_view_of(copied->S, M, M), true, volt_matrix_of(rows, N, M), h);
        freedom = volt_state_sums_freedom(copied, 0.5, true);
        scenario_put(result, h, N);
        scenario_put(result, &freedom, 1);
        status = volt_backend_state(volt_backend_current());
    }
    if (status == VOLT_OK && op->fold) {
        status = op->fold(op, 0, volt_view_of(y, N, Q), volt_matrix_of(out, M, Q));
        if (status == VOLT_OK)
            scenario_put(result, out, M * Q);
    }
    if (status == VOLT_OK)
        status =
            status_of(op->combine(op, 2, volt_view_of(v, M, Q), volt_matrix_of(out, N - 2, Q), stage), stage);
    if (status == VOLT_OK)
        scenario_put(result, out, (N - 2) * Q);
    volt_state_sums_free(sums);
    volt_state_sums_free(copied);
    return status;
}

/* Features in order and out of it, their sums, products with them, those of other rows, and what follows. */
static volt_status ask_landmarks(const void *with, volt_progress progress, scenario_result *result)
{
    const ground *g = with;
    volt_operator *op = NULL;
    volt_state *kernel_state = NULL;
    double F[N * M], out[N * Q];
    volt_stage stage;
    volt_stage_begin(&stage, progress, "landmarks", 0, 1, N * N);
    volt_status status = make_landmarks(g, &stage, &op);
    if (status == VOLT_OK)
        status = take_states(op, 6, 4, &stage, result);
    if (status == VOLT_OK)
        status = take_states(op, 2, 3, &stage, result);
    if (status == VOLT_OK)
        status =
            status_of(op->combine(op, 0, volt_view_of(v, M, Q), volt_matrix_of(out, N, Q), &stage), &stage);
    if (status == VOLT_OK) {
        scenario_put(result, out, N * Q);
        status = status_of(volt_landmark_features(op, rows_of(), g->has_records ? &records : NULL,
                                                  volt_matrix_of(F, N, M), &stage),
                           &stage);
    }
    if (status == VOLT_OK) {
        scenario_put(result, F, N * M);
        status = take_sums(op, volt_view_of(F, N, M), &stage, result);
    }
    if (status == VOLT_OK)
        status = volt_landmark_operator_end(op, &kernel_state);
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    volt_state_free(kernel_state);
    volt_operator_free(op);
    return status;
}

/* The past after all rows, none of which was asked for. */
static volt_status end_of_landmarks(const void *with, volt_progress progress, scenario_result *result)
{
    (void)progress;
    const ground *g = with;
    volt_operator *op = NULL;
    volt_state *kernel_state = NULL;
    volt_stage none;
    volt_stage_begin(&none, (volt_progress){0}, "landmarks", 0, 1, 1);
    volt_status status = make_landmarks(g, &none, &op);
    if (status == VOLT_OK)
        status = volt_landmark_operator_end(op, &kernel_state);
    if (status == VOLT_OK) {
        double row[N];
        volt_state_advance(kernel_state, volt_view_of(x, 1, D), false, volt_matrix_of(row, 1, N), NULL);
        scenario_put(result, row, N);
    }
    volt_state_free(kernel_state);
    volt_operator_free(op);
    return status;
}

/* ---- tests -------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    volt_status (*run)(const void *with, volt_progress progress, scenario_result *result);
    int traits;
} asked[] = {
    {"kernel", ask_kernel, 0},
    {"end of a job", end_of_job, SCENARIO_SILENT},
    {"landmarks", ask_landmarks, 0},
    {"end of landmarks", end_of_landmarks, SCENARIO_SILENT},
};

static void for_all(void (*check)(const scenario *j))
{
    for (int64_t g = 0; g < STATES; g++)
        for (size_t a = 0; a < sizeof asked / sizeof *asked; a++) {
            print_message("%s: ", grounds[g].text);
            check(&(scenario){asked[a].name, &grounds[g], asked[a].run, asked[a].traits, 0});
        }
}

static void operators_on_every_backend(void **state)
{
    static const char *const names[] = {"cpu", "far", "far-gram"};
    for (int i = 0; i < 3; i++) {
        check_ok(volt_backend_use(i == 0 ? volt_cpu_backend.name : names[i]));
        for_all(scenario_check);
        assert_true(far_backends_live() == 0);
    }
    check_ok(volt_backend_use(volt_cpu_backend.name));
    scenario_check(&(scenario){"states", &grounds[STATES], ask_states, 0, 0});
}

static void operators_on_failing_device(void **state)
{
    for_all(lost_backend_check);
}

static int make_grounds(void **state)
{
    volt_rng rng = test_rng(9500);
    x = random_rows(&rng, N, D, 1);
    v = normal_rows(&rng, N, Q);
    check_ok(volt_records_make(lengths, RECORDS, N, &records));
    for (ground *g = grounds; g < grounds + GROUNDS; g++) {
        g->resolved = resolve_on(g->text, rows_of());
        check_ok(volt_resolved_split(&g->resolved, g->has_records ? &records : &(volt_records){0}, 0));
        if (g->has_states)
            check_ok(volt_states_columns(&g->resolved, &g->states));
        else
            check_ok(volt_columns_create(&g->resolved, rows_of(), NULL, &g->columns));
    }
    far_backends_register();
    lost_backend_register();
    return scenario_begin(state);
}

static int free_grounds(void **state)
{
    for (ground *g = grounds; g < grounds + GROUNDS; g++) {
        volt_columns_free(g->columns);
        volt_columns_free(g->states);
        volt_resolved_release(&g->resolved);
    }
    volt_records_release(&records);
    free(v);
    free(x);
    return scenario_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_on_every_backend),
        cmocka_unit_test(operators_on_failing_device),
    };
    return cmocka_run_group_tests_name("operator_scenarios", tests, make_grounds, free_grounds);
}
