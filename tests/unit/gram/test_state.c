/* tests/unit/gram/test_state.c: skipping rows of a state equals pushing them, or returns an error. */
#include "gram/engine/state.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

enum { M = 11, N = 17, D = 2 };

typedef struct fixture {
    volt_kernel *kernel;
    volt_resolved resolved;
    volt_columns *columns;
    volt_state *kernel_state, *other;
    double *rows, *Y;
} fixture;

/* In place: the state keeps a pointer to the resolved kernel. */
static void make(const char *text, volt_rng *rng, fixture *f)
{
    volt_extent extent = {.radius = 1, .largest = 1};
    f->kernel = plain_parse(text);
    f->rows = random_rows(rng, N, D, 1);
    f->Y = random_rows(rng, M, D, 1);
    check_ok(volt_kernel_resolve(f->kernel, extent, D, &f->resolved));
    check_ok(volt_columns_create(&f->resolved, volt_view_of(f->Y, M, D), NULL, &f->columns));
    check_ok(volt_state_create(&f->resolved, f->columns, N, &f->kernel_state));
    check_ok(volt_state_create(&f->resolved, f->columns, N, &f->other));
}

static void release(fixture *f)
{
    volt_state_free(f->kernel_state);
    volt_state_free(f->other);
    volt_columns_free(f->columns);
    volt_kernel_free(f->kernel);
    free(f->rows);
    free(f->Y);
}

static void skipping_equals_pushing_on_windows(void **state)
{
    volt_rng rng = test_rng(731);
    static const char *const kernels[] = {"rbf:window=4",
                                          "linear:window=30",
                                          "gak:window=5",
                                          "sig:level=3,window=4",
                                          "sig:window=3,augment=time",
                                          "sigpde:static=rbf,window=5",
                                          "gak:path=rows",
                                          "sig:path=rows,prescale=0.5",
                                          "sigpde:path=rows",
                                          "sigpde:dyadic=1,window=2"};
    for (size_t p = 0; p < sizeof kernels / sizeof *kernels; p++)
        for (int64_t skipped = 1; skipped < N; skipped += 5) {
            fixture f;
            make(kernels[p], &rng, &f);
            double pushed[N * M], after[N * M];
            volt_view rows = volt_view_of(f.rows, N, D);
            int64_t rest = N - skipped;
            volt_state_advance(f.kernel_state, volt_view_rows(rows, 0, skipped), false,
                               volt_matrix_of(pushed, skipped, M), NULL);
            volt_state_advance(f.kernel_state, volt_view_rows(rows, skipped, rest), false,
                               volt_matrix_of(pushed, rest, M), NULL);
            check_ok(volt_state_seek(f.other, volt_view_rows(rows, 0, skipped)));
            volt_state_advance(f.other, volt_view_rows(rows, skipped, rest), false,
                               volt_matrix_of(after, rest, M), NULL);
            assert_memory_equal(pushed, after, (size_t)(rest * M) * sizeof(double));
            release(&f);
        }
}

/* A scan does not support skipping: it returns an error and is unchanged. */
static void scans_reject_skipping(void **state)
{
    volt_rng rng = test_rng(732);
    static const char *const kernels[] = {"volterra", "volterra:lift=even", "fading", "memory", "rbf"};
    for (size_t p = 0; p < sizeof kernels / sizeof *kernels; p++) {
        fixture f;
        make(kernels[p], &rng, &f);
        double untouched[N * M], after[N * M];
        volt_view rows = volt_view_of(f.rows, N, D);
        check_fails(volt_state_seek(f.other, volt_view_rows(rows, 0, 7)), VOLT_ERR_ARGUMENT, "7 rows");
        volt_state_advance(f.kernel_state, rows, false, volt_matrix_of(untouched, N, M), NULL);
        volt_state_advance(f.other, rows, false, volt_matrix_of(after, N, M), NULL);
        assert_memory_equal(untouched, after, sizeof after);
        release(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_equals_pushing_on_windows),
        cmocka_unit_test(scans_reject_skipping),
    };
    return cmocka_run_group_tests_name("past", tests, NULL, NULL);
}
