/* tests/backend/test_operators.c: operators of every engine on every back end, compared with the explicit
 * matrix. */
#include "solve/exact/operator.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/far_backend.h"
#include "support/sequences.h"

enum { N = 70, D = 3, Q = 4 };

/* The data of one case. */
typedef struct case_set {
    const char *text;
    double *Z, *K; /* K: N x N by volt_gram */
    double size;   /* largest |K_ij| */
    volt_resolved resolved;
    volt_columns *columns;
    volt_operator *op;
} case_set;

/* Some of one row, some shorter than windows. */
enum { RECORDS = 6 };
static const int64_t lengths[RECORDS] = {24, 1, 17, 2, 1, 25};

/* The kernel on the rows of Z, which are one sequence or records. */
static volt_resolved resolve_records(const char *text, volt_view Z, bool records)
{
    volt_resolved resolved = resolve_on(text, Z);
    volt_records rows = {0};
    if (records)
        check_ok(volt_records_make(lengths, RECORDS, Z.rows, &rows));
    check_ok(volt_resolved_split(&resolved, &rows, 0));
    volt_records_release(&rows);
    return resolved;
}

static case_set make_case(const char *text, volt_rng *rng, bool records)
{
    case_set s = {.text = text, .Z = random_rows(rng, N, D, 1)};
    volt_view Z = volt_view_of(s.Z, N, D);
    s.K = records ? records_gram(text, Z, lengths, RECORDS) : full_gram(text, Z);
    for (int64_t i = 0; i < N * N; i++)
        s.size = fmax(s.size, fabs(s.K[i]));
    s.resolved = resolve_records(text, Z, records);
    check_ok(volt_columns_create(&s.resolved, Z, NULL, &s.columns));
    return s;
}

static void free_case(case_set *s)
{
    volt_columns_free(s->columns);
    volt_resolved_release(&s->resolved);
    free(s->K);
    free(s->Z);
}

/* Engines may sum in another order where rows come in other blocks: each entry is the end of N steps at most, each of
 * which rounds numbers of the size of K a few times. */
static double allowed(const case_set *s)
{
    return 16 * N * DBL_EPSILON * s->size;
}

/* Rows first .. first + count - 1 of the operator. If all rows are requested, only up to the diagonal. */
static void check_rows(const case_set *s, const volt_backend *backend, int64_t first, int64_t count)
{
    double rows[N * N];
    double *there = backend->alloc(count, N);
    check_ok(s->op->rows(s->op, first, backend, volt_matrix_of(there, count, N), NULL));
    backend->get(volt_view_of(there, count, N), volt_matrix_of(rows, count, N));
    backend->release(there);
    bool all = count == N;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < (all ? i + 1 : N); j++)
            if (!(fabs(rows[i * N + j] - s->K[(first + i) * N + j]) <= allowed(s)))
                fail_msg("%s: row %" PRId64 ", column %" PRId64 " is %.17g, and K holds %.17g", s->text,
                         first + i, j, rows[i * N + j], s->K[(first + i) * N + j]);
}

/* The same rows up to the diagonal. Entries beyond it are not written. */
static void check_lower(const case_set *s, int64_t first, int64_t count)
{
    double rows[N * N];
    int64_t width = first + count;
    for (int64_t i = 0; i < count * width; i++)
        rows[i] = -77;
    check_ok(s->op->lower(s->op, first, volt_matrix_of(rows, count, width), NULL));
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < width; j++) {
            double found = rows[i * width + j], expected = s->K[(first + i) * N + j];
            if (j <= first + i ? !(fabs(found - expected) <= allowed(s)) : found != -77)
                fail_msg("%s: row %" PRId64 ", column %" PRId64 " is %.17g, and K holds %.17g", s->text,
                         first + i, j, found, expected);
        }
}

/* K V with a sum of N products in each entry, in any order. */
static void check_product(const case_set *s, const volt_backend *backend, volt_rng *rng)
{
    double *V = normal_rows(rng, N, Q), C[N * Q];
    check_ok(volt_operator_multiply(s->op, backend, volt_view_of(V, N, Q), volt_matrix_of(C, N, Q), NULL));
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < Q; k++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < N; j++) {
                sum += s->K[i * N + j] * V[j * Q + k];
                size += fabs(V[j * Q + k]);
            }
            assert_true(fabs(C[i * Q + k] - sum) <= (allowed(s) + 2 * N * DBL_EPSILON * s->size) * size);
        }
    free(V);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void every_engine_has_a_kernel(void **state)
{
    volt_rng rng = test_rng(7101);
    double *Z = random_rows(&rng, N, D, 1);
    for (int64_t e = 0; volt_engine_table[e]; e++) {
        bool found = false;
        for (int64_t k = 0; engine_kernels[k]; k++)
            for (int records = 0; records < 2; records++) {
                volt_resolved resolved = resolve_records(engine_kernels[k], volt_view_of(Z, N, D), records);
                found = found || volt_engine_of(&resolved, N) == volt_engine_table[e];
                volt_resolved_release(&resolved);
            }
        if (!found)
            fail_msg("no kernel of engine_kernels runs on the engine %s", volt_engine_table[e]->name);
    }
    free(Z);
}

/* In order, again from the start, backwards, behind a gap, and all at once. */
static void rows_on(const volt_backend *backend, bool records)
{
    static const int64_t asked[][2] = {{0, 25}, {25, 30}, {55, 15}, {0, 10},
                                       {40, 7}, {20, 12}, {69, 1},  {0, N}};
    volt_rng rng = test_rng(7102);
    for (int64_t k = 0; engine_kernels[k]; k++) {
        case_set s = make_case(engine_kernels[k], &rng, records);
        check_ok(volt_kernel_operator(&s.resolved, s.columns, volt_view_of(s.Z, N, D), false, &s.op));
        for (size_t a = 0; a < sizeof asked / sizeof *asked; a++)
            check_rows(&s, backend, asked[a][0], asked[a][1]);
        for (size_t a = 0; !backend->cross && a < sizeof asked / sizeof *asked; a++)
            check_lower(&s, asked[a][0], asked[a][1]);
        check_product(&s, backend, &rng);
        check_rows(&s, backend, 30, 20);
        if (!backend->cross) {
            check_lower(&s, 50, 10);
            check_rows(&s, backend, 60, 10);
        }
        volt_operator_free(s.op);
        free_case(&s);
    }
}

static void kernels_on(const volt_backend *backend)
{
    rows_on(backend, false);
}

static void records_on(const volt_backend *backend)
{
    rows_on(backend, true);
}

static void records_give_block_matrices(void **state)
{
    for_each_backend(records_on);
}

static void kernel_operator_returns_rows_and_products(void **state)
{
    for_each_backend(kernels_on);
    assert_true(far_backends_filled() > 0 || !all_backends_run());
}

static void dense_on(const volt_backend *backend)
{
    volt_rng rng = test_rng(7103);
    case_set s = make_case(engine_kernels[0], &rng, false);
    check_ok(volt_dense_operator(volt_view_of(s.K, N, N), &s.op));
    check_rows(&s, backend, 0, N);
    check_rows(&s, backend, 31, 20);
    check_product(&s, backend, &rng);
    volt_operator_free(s.op);
    free_case(&s);
}

static void dense_operator_returns_rows_and_products(void **state)
{
    for_each_backend(dense_on);
}

/* The state after the last row continues with further rows, whichever method filled the matrix. */
static void ends_on(const volt_backend *backend)
{
    enum { MORE = 6, KEPT = N - MORE };
    volt_rng rng = test_rng(7104);
    for (int64_t k = 0; engine_kernels[k]; k++)
        for (int filled = 0; filled < 3; filled++) {
            double *Z = random_rows(&rng, N, D, 1), *K = full_gram(engine_kernels[k], volt_view_of(Z, N, D));
            volt_resolved resolved = resolve_on(engine_kernels[k], volt_view_of(Z, N, D));
            volt_columns *columns = NULL;
            volt_operator *op = NULL;
            volt_state *kernel_state = NULL;
            check_ok(volt_columns_create(&resolved, volt_view_of(Z, KEPT, D), NULL, &columns));
            check_ok(volt_kernel_operator(&resolved, columns, volt_view_of(Z, KEPT, D), false, &op));
            if (filled == 2) {
                double *V = random_rows(&rng, KEPT, 1, 1), C[KEPT];
                check_ok(volt_operator_multiply(op, backend, volt_view_of(V, KEPT, 1),
                                                volt_matrix_of(C, KEPT, 1), NULL));
                free(V);
            } else if (filled == 1) {
                double *there = backend->alloc(KEPT, KEPT);
                check_ok(op->rows(op, 0, backend, volt_matrix_of(there, KEPT, KEPT), NULL));
                backend->release(there);
            }
            check_ok(volt_kernel_operator_end(op, &kernel_state));
            volt_operator_free(op);
            double size = 0, row[KEPT];
            for (int64_t i = 0; i < N * N; i++)
                size = fmax(size, fabs(K[i]));
            for (int64_t i = KEPT; i < N; i++) {
                volt_state_advance(kernel_state, volt_view_of(Z + i * D, 1, D), false,
                                   volt_matrix_of(row, 1, KEPT), NULL);
                for (int64_t j = 0; j < KEPT; j++)
                    assert_true(fabs(row[j] - K[i * N + j]) <= 16 * N * DBL_EPSILON * size);
            }
            volt_state_free(kernel_state);
            volt_columns_free(columns);
            volt_resolved_release(&resolved);
            free(K);
            free(Z);
        }
}

static void final_state_continues_the_sequence(void **state)
{
    for_each_backend(ends_on);
}

/* (1e280)^3 overflows; `checks` reports it. */
static void overflow_on(const volt_backend *backend)
{
    double Z[] = {1, 1e140, 2};
    volt_resolved resolved = resolve_on("poly:gamma=1,degree=3", volt_view_of(Z, 3, 1));
    volt_columns *columns = NULL;
    check_ok(volt_columns_create(&resolved, volt_view_of(Z, 3, 1), NULL, &columns));
    for (int checks = 0; checks < 2; checks++) {
        volt_operator *op = NULL;
        double *there = backend->alloc(3, 3);
        check_ok(volt_kernel_operator(&resolved, columns, volt_view_of(Z, 3, 1), checks, &op));
        volt_status status = op->rows(op, 0, backend, volt_matrix_of(there, 3, 3), NULL);
        assert_int_equal(status, checks ? VOLT_ERR_NOT_FINITE : VOLT_OK);
        volt_operator_free(op);
        backend->release(there);
    }
    volt_columns_free(columns);
}

static void overflow_is_detected_when_requested(void **state)
{
    for_each_backend(overflow_on);
}

static int make_backends(void **state)
{
    far_backends_register();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_has_a_kernel),
        cmocka_unit_test(kernel_operator_returns_rows_and_products),
        cmocka_unit_test(records_give_block_matrices),
        cmocka_unit_test(dense_operator_returns_rows_and_products),
        cmocka_unit_test(final_state_continues_the_sequence),
        cmocka_unit_test(overflow_is_detected_when_requested),
    };
    return cmocka_run_group_tests_name("operators", tests, make_backends, NULL);
}
