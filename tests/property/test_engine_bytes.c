/* tests/property/test_engine_bytes.c: the memory estimate of an engine is an upper bound of its allocations
 * and of the same order. Columns appended in pieces equal columns laid out at once. */
#include "base/memory.h"
#include "gram/engine/engine.h"
#include "support/check.h"
#include "support/sequences.h"

/* ---- an allocator that counts ------------------------------------------------------------------- */

enum { HEAD = 64 };

typedef struct counter {
    size_t now, most;
} counter;

static void *count_alloc(size_t bytes, void *context)
{
    counter *c = context;
    unsigned char *memory = aligned_alloc(64, (bytes + HEAD + 63) / 64 * 64);
    if (!memory)
        return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    c->now += bytes;
    c->most = c->now > c->most ? c->now : c->most;
    return memory + HEAD;
}

static void count_release(void *memory, void *context)
{
    counter *c = context;
    if (!memory)
        return;
    unsigned char *begin = (unsigned char *)memory - HEAD;
    size_t bytes;
    memcpy(&bytes, begin, sizeof bytes);
    c->now -= bytes;
    free(begin);
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* All engines, with and without what makes them take more. */
static const char *const kernels[] = {
    "volterra",
    "volterra:lift=rbf",
    "memory",
    "linear",
    "rbf",
    "linear:window=9",
    "rbf:window=9",
    "rbf:window=300",
    "gak:window=6",
    "gak:path=rows",
    "sigpde:window=6",
    "sigpde:window=300",
    "sigpde:path=rows,static=rbf",
    "sig:window=6,level=3",
    "sig:window=20,level=3,order=3",
    "sig:window=20,level=2,order=2,features=rbf",
    "sig:path=rows,level=3",
    "gak:path=rows,sigma=2",
    "fir + memory",
    "esn:size=40",
    "sas:size=30 + esn:size=20",
    "linear*rbf:window=9 + 2*volterra",
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

static volt_resolved resolve(const char *text, int64_t d, volt_kernel **kernel)
{
    volt_resolved resolved;
    check_ok(volt_kernel_parse(text, kernel));
    const volt_extent unit[VOLT_MAX_FACTORS] = {{1, 1}};
    check_ok(volt_kernel_resolve_slices(*kernel, unit, d, &resolved));
    return resolved;
}

/* The rows are three records; every kernel is tried on these too. */
static void split_rows(volt_resolved *resolved, int64_t m)
{
    const int64_t lengths[] = {2, m - 3, 1};
    volt_records records;
    check_ok(volt_records_make(lengths, 3, m, &records));
    check_ok(volt_resolved_split(resolved, &records, 0));
    volt_records_release(&records);
}

static void reported_bytes_bound_allocation(void **state)
{
    volt_rng rng = test_rng(733);
    bool met[8] = {false};
    for (int i = 0; i < 2 * KERNELS; i++)
        for (int64_t d = 1; d <= 4; d += 3)
            for (int64_t m = 5; m <= 1000; m = 4 * m + 3) {
                int64_t rows = m / 2 + 1;
                volt_kernel *kernel = NULL;
                volt_resolved resolved = resolve(kernels[i / 2], d, &kernel);
                if (i % 2)
                    split_rows(&resolved, m);
                double *Y = random_rows(&rng, m, d, 1);
                volt_columns *columns = NULL;
                volt_state *kernel_state = NULL;
                counter count = {0};
                volt_allocator counting = {count_alloc, count_release, &count};
                volt_set_allocator(&counting);
                check_ok(volt_columns_create(&resolved, volt_view_of(Y, m, d), NULL, &columns));
                check_ok(volt_state_create(&resolved, columns, rows, &kernel_state));
                for (int e = 0; volt_engine_table[e]; e++)
                    met[e] |= volt_engine_table[e] == columns->engine;
                volt_state_free(kernel_state);
                volt_columns_free(columns);
                volt_set_allocator(NULL);
                double said = volt_engine_bytes(&resolved, m, rows), took = (double)count.most;
                if (took > said + (i % 2 ? 4 : 1) * 2048 || said > 4 * took + 65536)
                    fail_msg("%s, d = %d, m = %d: %g bytes said, %g taken", kernels[i / 2], (int)d, (int)m,
                             said, took);
                assert_int_equal(count.now, 0);
                volt_resolved_release(&resolved);
                volt_kernel_free(kernel);
                free(Y);
            }
    for (int e = 0; volt_engine_table[e]; e++)
        assert_true(met[e]); /* every engine of the table */
}

/* Rows of K against columns that were appended in pieces, and against columns laid out at once. */
static void growing_columns(void **state)
{
    enum { M = 60, H = 7 };
    volt_rng rng = test_rng(734);
    for (int i = 0; i < 2 * KERNELS; i++)
        for (int64_t d = 1; d <= 4; d += 3) {
            volt_kernel *kernel = NULL;
            volt_resolved resolved = resolve(kernels[i / 2], d, &kernel);
            if (i % 2)
                split_rows(&resolved, M);
            double *Y = random_rows(&rng, M, d, 1), *Z = random_rows(&rng, H, d, 1);
            volt_view all = volt_view_of(Y, M, d);
            double once[H * M] = {0}, grown[H * M] = {0}, largest = 0;
            for (int which = 0; which < 2; which++) {
                volt_columns *columns = NULL;
                volt_state *kernel_state = NULL;
                int64_t there = which == 0 ? M : 1 + (int64_t)(20 * volt_rng_uniform(&rng));
                check_ok(volt_columns_create(&resolved, volt_view_rows(all, 0, there), NULL, &columns));
                if (which == 1 && i % 4 == 0 && columns->paths) { /* as if fewer rows had had another engine */
                    columns->engine = &volt_engine_window_block;
                    volt_free(columns->paths);
                    columns->paths = NULL;
                }
                while (there < M) {
                    int64_t more = 1 + (int64_t)(20 * volt_rng_uniform(&rng));
                    more = more < M - there ? more : M - there;
                    check_ok(volt_columns_append(&resolved, volt_view_rows(all, there, more), NULL, columns));
                    there += more;
                }
                assert_int_equal(columns->m, M);
                check_ok(volt_state_create(&resolved, columns, H, &kernel_state));
                volt_state_advance(kernel_state, volt_view_of(Z, H, d), false,
                                   volt_matrix_of(which == 0 ? once : grown, H, M), NULL);
                volt_state_free(kernel_state);
                volt_columns_free(columns);
            }
            for (int k = 0; k < H * M; k++)
                largest = fmax(largest, fabs(once[k]));
            for (int k = 0; k < H * M; k++) /* the same operations on the same numbers */
                if (once[k] != grown[k])
                    fail_msg("%s, d = %d: %.17g at once, %.17g grown", kernels[i / 2], (int)d, once[k],
                             grown[k]);
            assert_true(largest > 0);
            volt_resolved_release(&resolved);
            volt_kernel_free(kernel);
            free(Z);
            free(Y);
        }
}

/* The weights of a reservoir are not drawn for it. */
static void outline_matches_resolved_kernel(void **state)
{
    const volt_extent unit[VOLT_MAX_FACTORS] = {{1, 1}};
    for (int i = 0; i < KERNELS; i++) {
        volt_kernel *kernel = NULL;
        volt_resolved whole = resolve(kernels[i], 2, &kernel), outline = {0};
        check_ok(volt_kernel_outline_slices(kernel, unit, 2, &outline));
        assert_ptr_equal(volt_engine_of(&outline, 100), volt_engine_of(&whole, 100));
        assert_true(volt_engine_bytes(&outline, 100, 40) == volt_engine_bytes(&whole, 100, 40));
        assert_true(!outline.reservoir || (!outline.reservoir->matrix && whole.reservoir->matrix));
        volt_resolved_release(&outline);
        volt_resolved_release(&whole);
        volt_kernel_free(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reported_bytes_bound_allocation),
                                       cmocka_unit_test(growing_columns),
                                       cmocka_unit_test(outline_matches_resolved_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
