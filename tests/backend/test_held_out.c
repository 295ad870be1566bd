/* tests/backend/test_held_out.c: held-out errors, and one matrix with several values of alpha, on every back
 * end, compared with a separate fit by Gaussian elimination for every row:
 *
 *     | K - common 11' + alpha I   1 | | A |   | Y |
 *     |            1'              0 | | c | = | 0 |         (without a constant: only the first block) */
#include "base/error.h"
#include "solve/exact/factor.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/far_backend.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

enum { MOST = 70, Q = 2 }; /* rows; more than the 64 that are handled at a time */

typedef struct set {
    int64_t rows, washout, n; /* n: kept */
    double alpha, common, allowed;
    double *K, *Y, *W;  /* K: rows x rows; Y, W: of the rows kept; W with u behind */
    bool without[MOST]; /* rows kept that have no target */
    volt_operator *op;
    volt_factor *factor;
    volt_stage stage;
} set;

static int64_t draw(volt_rng *rng, int64_t least, int64_t most)
{
    return least + (int64_t)(volt_rng_uniform(rng) * (double)(most - least + 1));
}

/* The targets of the first rows and of some others are removed and set to 0. */
static void make_holes(set *s, volt_rng *rng, int64_t first)
{
    for (int64_t i = 0; i < s->n; i++) {
        s->without[i] = i < first || volt_rng_uniform(rng) < 0.2;
        for (int64_t k = 0; s->without[i] && k < Q; k++)
            s->Y[i * Q + k] = 0;
    }
}

/* Errors of a backward stable solve: n eps times the condition number, at most (largest eigenvalue + alpha) / alpha, times
 * the size of the targets. */
static void make_set(set *s, volt_rng *rng, int64_t rows, int64_t washout, const volt_backend *backend)
{
    const double constant = 3;
    *s = (set){.rows = rows, .washout = washout, .n = rows - washout, .alpha = 0.2, .common = 0.9 * constant};
    s->K = plain_random_spd(rng, rows, 0);
    for (int64_t i = 0; i < rows * rows; i++)
        s->K[i] += constant;
    s->Y = normal_rows(rng, s->n, Q);
    double smallest, largest, size = 0;
    for (int64_t i = 0; i < s->n * Q; i++) {
        s->Y[i] += 2;
        size = fmax(size, fabs(s->Y[i]));
    }
    plain_eigenvalues(volt_view_of(s->K, rows, rows), &smallest, &largest);
    s->allowed = 16 * (double)rows * DBL_EPSILON * (largest + s->alpha) / s->alpha * size;
    s->W = new_matrix(s->n, Q + 1);
    check_ok(volt_dense_operator(volt_view_of(s->K, rows, rows), &s->op));
    check_ok(volt_factor_create(backend, NULL, rows, Q, &s->factor));
    volt_stage_begin(&s->stage, (volt_progress){0}, "test", 0, 1, 1);
}

static void free_set(set *s)
{
    volt_factor_free(s->factor);
    volt_operator_free(s->op);
    free(s->W);
    free(s->Y);
    free(s->K);
}

static volt_factor_task task_of(set *s, double alpha)
{
    return (volt_factor_task){.rows = s->rows,
                              .washout = s->washout,
                              .alpha = alpha,
                              .common = s->common,
                              .Y = volt_view_of(s->Y, s->n, Q),
                              .W = {s->W, s->n, Q, Q + 1},
                              .u = s->W + Q,
                              .ld_u = Q + 1,
                              .without = s->without,
                              .stage = &s->stage};
}

static double entry(const set *s, int64_t i, int64_t j)
{
    return s->K[(s->washout + i) * s->rows + s->washout + j] - s->common;
}

/* Target less forecast of row t, fitted on rows first .. end - 1 of those kept: 0 without any; 0 where there is
 * no target. */
static void plain_error(const set *s, double alpha, int64_t first, int64_t end, int64_t t, bool constant,
                        double *e)
{
    double system[(MOST + 1) * (MOST + 1)], right[(MOST + 1) * Q];
    int64_t place[MOST], count = 0;
    for (int64_t i = first; i < end; i++)
        if (!s->without[i])
            place[count++] = i;
    int64_t size = count > 0 ? count + constant : 0;
    right[0] = right[1] = 0;
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j < size; j++)
            system[i * size + j] = i < count && j < count ? entry(s, place[i], place[j]) + (i == j ? alpha : 0)
                                                          : (i < count || j < count);
        for (int64_t k = 0; k < Q; k++)
            right[i * Q + k] = i < count ? s->Y[place[i] * Q + k] : 0;
    }
    if (size > 0)
        plain_solve(volt_view_of(system, size, size), volt_matrix_of(right, size, Q));
    for (int64_t k = 0; k < Q; k++) {
        e[k] = s->without[t] ? 0 : s->Y[t * Q + k] - (constant ? right[count * Q + k] : 0);
        for (int64_t j = 0; !s->without[t] && j < count; j++)
            e[k] -= entry(s, t, place[j]) * right[j * Q + k];
    }
}

/* Rows begin .. of the rows kept from `first` on, as the factor has them, against one fit a row. */
static void check_held_out(set *s, double alpha, int64_t first, int64_t ahead, int64_t begin, bool constant,
                           int64_t block)
{
    int64_t n = s->n - first;
    double *out = new_matrix(n - begin, Q), expected[Q];
    check_ok(volt_factor_held_out(s->factor, ahead, begin, constant, block, volt_matrix_of(out, n - begin, Q)));
    for (int64_t t = begin; t < n; t++) {
        int64_t end = t - (t - begin) % block - ahead + 1;
        plain_error(s, alpha, first, first + end, first + t, constant, expected);
        for (int64_t k = 0; k < Q; k++)
            if (!(fabs(out[(t - begin) * Q + k] - expected[k]) <= s->allowed))
                fail_msg("row %" PRId64 " of %" PRId64 ", %" PRId64 " ahead, from row %" PRId64
                         ", constant %d, blocks of %" PRId64 ": %.17g, expected %.17g, allowed %.3g",
                         t, n, ahead, begin, constant, block, out[(t - begin) * Q + k], expected[k],
                         s->allowed);
    }
    free(out);
}

static void check_all(set *s, double alpha, int64_t first, int64_t ahead, int64_t begin)
{
    const int64_t blocks[] = {1, 3, MOST}; /* MOST: all rows */
    for (int way = 0; way < 6; way++)
        check_held_out(s, alpha, first, ahead, begin, way & 1, blocks[way / 2]);
}

/* ---- held out --------------------------------------------------------------------------------- */

static void held_out_on(const volt_backend *backend)
{
    volt_rng rng = test_rng(7401);
    for (int trial = 0; trial < 5; trial++) {
        set s;
        int64_t washout = trial % 2 ? draw(&rng, 1, 9) : 0;
        int64_t rows = trial == 0 ? MOST : draw(&rng, washout + 12, 60);
        make_set(&s, &rng, rows, washout, backend);
        if (trial > 1)
            make_holes(&s, &rng, trial == 3 ? s.n / 2 : 0);
        int64_t ahead = trial == 0 ? 3 : trial == 1 ? 1 : draw(&rng, 1, (s.n - 1) / 2);
        int64_t begin = trial == 0 ? 10 : draw(&rng, ahead, s.n - 1);
        volt_factor_task task = task_of(&s, s.alpha);
        volt_factor_begin(s.factor, &task);
        check_ok(volt_factor_fill(s.factor, s.op));
        check_ok(volt_factor_grow(s.factor, s.n));
        check_all(&s, s.alpha, 0, ahead, begin);
        check_all(&s, s.alpha, 0, ahead, ahead); /* from a single row on */
        free_set(&s);
    }
}

static void held_out_row_equals_fit_on_earlier_rows(void **state)
{
    for_each_backend(held_out_on);
}

static void later_half_is_held_out(void **state)
{
    for (int64_t ahead = 1; ahead < 30; ahead += 7)
        for (int64_t m = 1; m < 100; m++) {
            volt_held_out held = {.ahead = ahead};
            volt_held_out_rows(&held, m, NULL);
            assert_true(held.begin >= m / 2 && held.begin >= 8 && held.begin >= 2 * ahead + 2);
            assert_true(held.begin == m / 2 || held.begin == 8 || held.begin == 2 * ahead + 2);
            assert_int_equal(held.rows, m > held.begin ? m - held.begin : 0);
            assert_int_equal(held.counted, held.rows);
        }
}

/* ---- one alpha after the other ---------------------------------------------------------------- */

/* The operations are the same, except that alpha is added to a diagonal that was read back. */
static void check_same_coefficients(set *s, set *fresh, double alpha)
{
    double *A = new_matrix(s->n, Q), *B = new_matrix(s->n, Q);
    volt_factor_task task = task_of(fresh, alpha);
    volt_factor_begin(fresh->factor, &task);
    check_ok(volt_factor_fill(fresh->factor, fresh->op));
    check_ok(volt_factor_grow(fresh->factor, s->n));
    volt_factor_intercepts(fresh->factor);
    volt_factor_coefficients(fresh->factor, volt_matrix_of(B, s->n, Q));
    volt_factor_intercepts(s->factor);
    volt_factor_coefficients(s->factor, volt_matrix_of(A, s->n, Q));
    for (int64_t i = 0; i < s->n * Q; i++)
        assert_true(fabs(A[i] - B[i]) <= s->allowed / s->alpha);
    for (int64_t k = 0; k < Q; k++)
        assert_true(fabs(s->factor->c[k] - fresh->factor->c[k]) <= s->allowed);
    free(B);
    free(A);
}

static void alphas_on(const volt_backend *backend)
{
    volt_rng rng = test_rng(7402), again = rng;
    set s, fresh;
    int64_t washout = 4, rows = 40, first = 11;
    make_set(&s, &rng, rows, washout, backend);
    make_set(&fresh, &again, rows, washout, backend);
    s.without[first + 4] = fresh.without[first + 4] = true;
    memset(s.Y + (first + 4) * Q, 0, Q * sizeof(double));
    memset(fresh.Y + (first + 4) * Q, 0, Q * sizeof(double));
    double diagonal[MOST];
    volt_factor_task task = task_of(&s, 0);
    task.W.data = task.u = NULL; /* as a choice begins */
    volt_factor_begin(s.factor, &task);
    check_ok(volt_factor_fill(s.factor, s.op));
    volt_factor_keep(s.factor, first, diagonal);
    for (int64_t i = 0; i < s.n; i++)
        assert_true(fabs(diagonal[i] - (s.without[i] ? 0 : entry(&s, i, i))) <= s.allowed);

    task = task_of(&s, 0);
    static const double alphas[] = {20, 0.2, 3};
    for (int a = 0; a < 3; a++) { /* of the last rows only */
        if (a > 0)
            volt_factor_restore(s.factor, first);
        volt_factor_restart(s.factor, &task, first, alphas[a], diagonal);
        check_ok(volt_factor_grow(s.factor, s.n - first));
        check_all(&s, alphas[a], first, 2, 6);
    }
    volt_factor_restore(s.factor, first); /* then of all */
    volt_factor_keep(s.factor, 0, NULL);
    for (int a = 0; a < 3; a++) {
        if (a > 0)
            volt_factor_restore(s.factor, 0);
        volt_factor_restart(s.factor, &task, 0, alphas[a], diagonal);
        check_ok(volt_factor_grow(s.factor, s.n));
        check_same_coefficients(&s, &fresh, alphas[a]);
        check_all(&s, alphas[a], 0, 3, 8);
    }
    free_set(&fresh);
    free_set(&s);
}

static void each_alpha_has_its_factor(void **state)
{
    for_each_backend(alphas_on);
}

/* The matrix can be restored after a failed pivot. */
static void failed_on(const volt_backend *backend)
{
    volt_rng rng = test_rng(7403);
    set s;
    make_set(&s, &rng, 30, 3, backend);
    double diagonal[MOST];
    volt_factor_task task = task_of(&s, 0);
    volt_factor_begin(s.factor, &task);
    check_ok(volt_factor_fill(s.factor, s.op));
    volt_factor_keep(s.factor, 0, diagonal);
    volt_factor_restart(s.factor, &task, 0, -5, diagonal);
    check_fails(volt_factor_grow(s.factor, s.n), VOLT_ERR_SINGULAR, "pivot");
    volt_factor_restore(s.factor, 0);
    volt_factor_restart(s.factor, &task, 0, s.alpha, diagonal);
    check_ok(volt_factor_grow(s.factor, s.n));
    check_all(&s, s.alpha, 0, 1, 8);
    free_set(&s);
}

static void failing_alpha_does_not_affect_others(void **state)
{
    for_each_backend(failed_on);
}

/* ---- failures --------------------------------------------------------------------------------- */

static int go_on(const char *stage, double share, void *context)
{
    (void)context;
    (void)stage;
    (void)share;
    return 0;
}

static void failures_on(const volt_backend *backend)
{
    volt_rng rng = test_rng(7404);
    set s;
    make_set(&s, &rng, 25, 0, backend);
    volt_factor_task task = task_of(&s, s.alpha);
    volt_factor_begin(s.factor, &task);
    check_ok(volt_factor_fill(s.factor, s.op));
    check_ok(volt_factor_grow(s.factor, s.n));
    double out[25 * Q];
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_factor_held_out(s.factor, 2, 9, true, 16, volt_matrix_of(out, 16, Q));
        failing_alloc_check(status);
    }
    volt_stage_begin(&s.stage, (volt_progress){go_on, NULL}, "test", 0, 1, 1);
    s.stage.cancelled = true;
    check_fails(volt_factor_held_out(s.factor, 2, 9, true, 16, volt_matrix_of(out, 16, Q)), VOLT_ERR_CANCELLED,
                "cancelled");
    free_set(&s);
}

static void allocation_failure_and_cancellation_leak_nothing(void **state)
{
    for_each_backend(failures_on);
}

static int make_backends(void **state)
{
    far_backends_register();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_out_row_equals_fit_on_earlier_rows),
        cmocka_unit_test(later_half_is_held_out),
        cmocka_unit_test(each_alpha_has_its_factor),
        cmocka_unit_test(failing_alpha_does_not_affect_others),
        cmocka_unit_test(allocation_failure_and_cancellation_leak_nothing),
    };
    return cmocka_run_group_tests_name("held out", tests, make_backends, NULL);
}
