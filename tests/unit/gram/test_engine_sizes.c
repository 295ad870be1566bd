/* tests/unit/gram/test_engine_sizes.c: engines with more rows than a block, fewer threads than at creation,
 * appended columns, and cancellation within one entry. */
#include "gram/engine/engine.h"
#include "gram/engine/state.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/plain_kernels.h"
#include "support/polling.h"
#include "support/sequences.h"

enum { D = 2 };

static int threads_as_usual(void **state)
{
    return volt_set_threads(0) != VOLT_OK;
}

static double largest(const double *K, int64_t count)
{
    double size = 1;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, fabs(K[i]));
    return size;
}

/* ---- the diagonal ------------------------------------------------------------------------------ */

static void diagonals_equal_matrix_diagonal(void **state)
{
    enum { N = 150 };
    volt_rng rng = test_rng(931);
    double *rows = random_rows(&rng, N, D, 0.9);
    volt_view Z = volt_view_of(rows, N, D);
    for (int i = 0; engine_kernels[i]; i++) {
        volt_resolved resolved = resolve_on(engine_kernels[i], Z);
        double *K = full_gram(engine_kernels[i], Z), found[N];
        double most = 2000 * N * DBL_EPSILON * largest(K, (int64_t)N * N);
        for (int64_t first = 0; first < N; first += 70) {
            check_ok(volt_diagonal(&resolved, Z, first, found));
            for (int64_t t = first; t < N; t++)
                if (!(fabs(found[t - first] - K[t * N + t]) <= most))
                    fail_msg("%s: entry %d from %d is %.17g, and should be %.17g", engine_kernels[i], (int)t,
                             (int)first, found[t - first], K[t * N + t]);
        }
        free(K);
        volt_resolved_release(&resolved);
    }
    free(rows);
}

/* ---- states ------------------------------------------------------------------------------------ */

/* Single rows and batches are bitwise equal. The terms of a sum are multiplied by the root of their weights. */
static void states_of_many_rows(void **state)
{
    enum { N = 300 };
    volt_rng rng = test_rng(932);
    double *rows = random_rows(&rng, N, D, 0.9);
    volt_view Z = volt_view_of(rows, N, D);
    volt_resolved resolved = resolve_on("0.25*esn:size=3,radius=0.7,bias=0 + esn:size=2,seed=5", Z);
    assert_int_equal(volt_states_length(&resolved), 5);
    volt_columns *columns = NULL;
    volt_state *whole = NULL, *steps = NULL;
    double *F = new_matrix(N, 5), row[5], sought[5];
    check_ok(volt_states_columns(&resolved, &columns));
    check_ok(volt_state_create(&resolved, columns, N, &whole));
    check_ok(volt_state_create(&resolved, columns, 1, &steps));
    volt_state_advance(whole, Z, false, volt_matrix_of(F, N, 5), NULL);
    for (int64_t t = 0; t < N; t++) {
        volt_state_advance(steps, volt_view_rows(Z, t, 1), false, volt_matrix_of(row, 1, 5), NULL);
        assert_memory_equal(row, F + t * 5, sizeof row);
    }
    volt_state_zero(whole);
    check_ok(volt_state_seek(whole, volt_view_rows(Z, 0, N - 1)));
    volt_state_advance(whole, volt_view_rows(Z, N - 1, 1), false, volt_matrix_of(sought, 1, 5), NULL);
    assert_memory_equal(sought, row, sizeof row);
    double *K = full_gram("0.25*esn:size=3,radius=0.7,bias=0 + esn:size=2,seed=5", Z); /* K = F F' */
    for (int64_t t = 0; t < N; t += 23) {
        double sum = 0;
        for (int k = 0; k < 5; k++)
            sum += F[t * 5 + k] * F[(N - 1) * 5 + k];
        assert_true(fabs(sum - K[t * N + N - 1]) <= 100 * DBL_EPSILON);
    }
    free(K);
    free(F);
    volt_state_free(steps);
    volt_state_free(whole);
    volt_columns_free(columns);
    volt_resolved_release(&resolved);
    free(rows);
}

/* ---- appended columns --------------------------------------------------------------------------- */

static int cancel(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return 1;
}

static double *rows_of(const volt_resolved *resolved, const volt_columns *columns, volt_view Z)
{
    volt_state *kernel_state = NULL;
    double *K = new_matrix(Z.rows, columns->m);
    check_ok(volt_state_create(resolved, columns, Z.rows, &kernel_state));
    volt_state_advance(kernel_state, Z, false, volt_matrix_of(K, Z.rows, columns->m), NULL);
    volt_state_free(kernel_state);
    return K;
}

/* The states of the first columns are already computed when columns are appended. The new ones continue from
 * the last state. */
static void appended_states_continue(void **state)
{
    enum { THERE = 30, N = 130 };
    volt_rng rng = test_rng(933);
    double *rows = random_rows(&rng, N, D, 0.9);
    volt_view Z = volt_view_of(rows, N, D), first = volt_view_rows(Z, 0, THERE);
    volt_resolved resolved = resolve_on("sas:size=7,norm=0.8", Z);
    volt_columns *all = NULL, *grown = NULL, *stopped = NULL;
    check_ok(volt_columns_create(&resolved, Z, NULL, &all));
    check_ok(volt_columns_create(&resolved, first, NULL, &grown));
    check_ok(volt_columns_create(&resolved, first, NULL, &stopped));
    free(rows_of(&resolved, grown, first));
    free(rows_of(&resolved, stopped, first));
    check_ok(volt_columns_append(&resolved, volt_view_rows(Z, THERE, N - THERE), NULL, grown));
    double *wanted = rows_of(&resolved, all, Z), *found = rows_of(&resolved, grown, Z);
    assert_memory_equal(wanted, found, (size_t)N * N * sizeof *found);
    volt_stage stage;
    volt_stage_begin(&stage, (volt_progress){cancel, NULL}, "gram", 0, 1, N);
    check_fails(volt_columns_append(&resolved, volt_view_rows(Z, THERE, N - THERE), &stage, stopped),
                VOLT_ERR_CANCELLED, "cancelled");
    free(found);
    free(wanted);
    volt_columns_free(stopped);
    volt_columns_free(grown);
    volt_columns_free(all);
    volt_resolved_release(&resolved);
    free(rows);
}

/* ---- threads ----------------------------------------------------------------------------------- */

/* More entries than one thread combines, and a state with workspace for more threads than are now available. */
static void results_do_not_depend_on_threads(void **state)
{
    enum { N = 320, M = 90 };
    static const char *const factors[] = {"esn:size=4,radius=0.5", "rbf:gamma=0.3", "2*fir:mu=0.5"};
    volt_rng rng = test_rng(934);
    double *rows = random_rows(&rng, N, D, 0.9), *K[3], *sums[2];
    volt_view Z = volt_view_of(rows, N, D);
    for (int f = 0; f < 3; f++)
        K[f] = full_gram(factors[f], Z);
    for (int t = 0; t < 2; t++) {
        check_ok(volt_set_threads(1 + 3 * t));
        sums[t] = full_gram("esn:size=4,radius=0.5*rbf:gamma=0.3 + 2*fir:mu=0.5", Z);
    }
    for (int t = 0; t < 2; t++)
        for (int64_t i = 0; i < (int64_t)N * N; i++)
            assert_true(fabs(sums[t][i] - (K[0][i] * K[1][i] + K[2][i])) <= 2000 * DBL_EPSILON);

    volt_view few = volt_view_rows(Z, 0, M);
    volt_resolved resolved = resolve_on("gak:window=5,sigma=1", few);
    volt_columns *columns = NULL;
    volt_state *kernel_state = NULL;
    double *many = new_matrix(M, M), *one = new_matrix(M, M);
    check_ok(volt_columns_create(&resolved, few, NULL, &columns));
    check_ok(volt_state_create(&resolved, columns, M, &kernel_state));
    volt_state_advance(kernel_state, few, false, volt_matrix_of(many, M, M), NULL);
    check_ok(volt_set_threads(1));
    volt_state_zero(kernel_state);
    volt_state_advance(kernel_state, few, false, volt_matrix_of(one, M, M), NULL);
    assert_memory_equal(many, one, (size_t)M * M * sizeof(double));
    free(one);
    free(many);
    volt_state_free(kernel_state);
    volt_columns_free(columns);
    volt_resolved_release(&resolved);
    for (int t = 0; t < 2; t++)
        free(sums[t]);
    for (int f = 0; f < 3; f++)
        free(K[f]);
    free(rows);
}

/* ---- within one entry --------------------------------------------------------------------------- */

typedef struct user {
    int64_t calls, cancel_at;
} user;

static int listen(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    user *u = context;
    return ++u->calls == u->cancel_at;
}

/* Windows of 80 rows are polled every 51 rows of cells, so there are calls before the first entry is
 * complete. */
static void long_window_can_be_cancelled(void **state)
{
    enum { N = 3 };
    volt_rng rng = test_rng(935);
    double *rows = random_rows(&rng, N, D, 0.9), K[N * N];
    volt_kernel *kernel = plain_parse("gak:window=80,sigma=5");
    volt_gram_options options = volt_gram_options_default();
    user all = {0};
    options.progress = (volt_progress){listen, &all};
    check_ok(volt_gram(kernel, volt_view_of(rows, N, D), volt_view_of(NULL, 0, 0), &options,
                       volt_matrix_of(K, N, N)));
    assert_true(all.calls > 2 * N);
    for (int64_t j = 1; j <= all.calls; j++) {
        user u = {.cancel_at = j};
        options.progress.context = &u;
        check_fails(volt_gram(kernel, volt_view_of(rows, N, D), volt_view_of(NULL, 0, 0), &options,
                              volt_matrix_of(K, N, N)),
                    VOLT_ERR_CANCELLED, "cancelled");
        assert_int_equal(u.calls, j);
    }
    volt_kernel_free(kernel);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagonals_equal_matrix_diagonal),
        cmocka_unit_test(states_of_many_rows),
        cmocka_unit_test(appended_states_continue),
        cmocka_unit_test_teardown(results_do_not_depend_on_threads, threads_as_usual),
        cmocka_unit_test_setup_teardown(long_window_can_be_cancelled, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests_name("engine sizes", tests, NULL, NULL);
}
