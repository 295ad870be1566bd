/* tests/unit/fit/test_estimates.c: estimated memory and operations of the solvers against counts of their arrays. */
#include "base/row_bands.h"
#include "fit/fit_task.h"
#include "solve/choice/choice.h"
#include "solve/exact/factor.h"
#include "solve/exact/operator.h"
#include "solve/iterative/pcg.h"
#include "solve/landmark/feature_fit.h"
#include "solve/landmark/landmark_operator.h"
#include "solve/loss/loss_solve.h"
#include "solve/solver_table.h"
#include "support/check.h"

enum { NUMBER = 8 /* bytes */, HELD_OUT = 2048 };

static void check_bytes(const char *what, double expected, double found)
{
    if (expected != found)
        fail_msg("%s: %.0f bytes, expected %.0f", what, found, expected);
}

/* The choice: targets and two more columns of all rows, and six numbers per output of half of at most 4096 rows. */
static double choice(double n, double q)
{
    return n * (q + 2) + 6 * (fmin(n, 2 * HELD_OUT) / 2 + 1) * q;
}

static void exact_fits(void **state)
{
    for (double n = 10; n < 1e5; n *= 7)
        for (double q = 1; q < 8; q += 3) {
            assert_true(volt_choice_rows(n) == fmin(n, 4096));
            assert_true(volt_choice_numbers(n, q) == choice(n, q));
            check_bytes("exact", NUMBER * (n * n + 68 * n + choice(n, q)), volt_solver_exact.bytes(n, q, 0));
        }
    assert_true(volt_factor_bytes(30, 5) - volt_factor_bytes(20, 5) == NUMBER * (900 - 400));
    assert_true(volt_factor_bytes(30, 5) > NUMBER * 900);
}

/* A solver accepts work that just fits; 0: the memory is unknown. */
static void solvers_accept_what_fits(void **state)
{
    const struct {
        const volt_solver *solver;
        int64_t n, states;
    } cases[] = {{&volt_solver_exact, 500, 0},
                 {&volt_solver_loss, 500, 0},
                 {&volt_solver_features, 5000, 20},
                 {&volt_solver_nystrom, 500, 20},
                 {&volt_solver_pcg, 500, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const volt_solver *solver = cases[i].solver;
        const int64_t n = cases[i].n, m = cases[i].states, q = 3;
        double bytes = solver->bytes((double)n, (double)q, (double)m);
        assert_true(solver->takes(n, q, m, 0));
        assert_true(solver->takes(n, q, m, bytes));
        assert_false(solver->takes(n, q, m, bytes - 1));
        if (!solver->needs.landmarks)
            continue;
        assert_true(solver->takes(n, q, n, 0));
        assert_false(solver->takes(n, q, n + 1, 0));
    }
    assert_false(volt_solver_nystrom.takes(500, 1, 0, 0));
    assert_true(volt_solver_pcg.takes(500, 1, 0, 0));
    assert_false(volt_solver_features.takes(4096, 1, 20, 0));
    assert_true(volt_solver_features.takes(4097, 1, 20, 0));
}

/* Sums: two squares, two blocks of right-hand sides, 512 rows, two more vectors, and two numbers per column. */
static double sums(double m, double columns)
{
    return 2 * m * m + 2 * m * columns + (512 + 2) * m + 2 * columns;
}

/* A block of 512 rows and the held-out rows; four thin matrices; and the held-out rows; two numbers per row. */
static double features(double n, double q, double m)
{
    double last = fmin(n, HELD_OUT);
    return sums(m, 2 * q) + (512 + last) * m + (m + 512) * 4 * q + last + 2 * n * q;
}

/* The factor of the landmarks, a block of rows, and one vector. Blocks have at most 2^23 numbers. */
static double landmarks(double m, double columns, double rows)
{
    return m * m + rows * columns + m;
}

static void fits_on_features(void **state)
{
    for (double n = 100; n < 1e5; n *= 9)
        for (double q = 1; q < 6; q += 2)
            for (double m = 10; m < 100; m += 40) {
                double last = fmin(n, HELD_OUT);
                check_bytes("sums", NUMBER * sums(m, q), volt_state_sums_bytes(m, q));
                check_bytes("fit", NUMBER * features(n, q, m), volt_feature_fit_bytes(n, q, m));
                check_bytes("features",
                            NUMBER * (features(n, q, m) + sums(m, 2 * q) + 2 * m * m + 3 * last * last +
                                      (6 * q + 8) * last),
                            volt_solver_features.bytes(n, q, m));
                check_bytes("nystrom",
                            NUMBER *
                                (features(n, q, m) + sums(m, 2 * q) + landmarks(m, 8 * m, 512) + 8 * last * q),
                            volt_solver_nystrom.bytes(n, q, m));
            }
    check_bytes("512 rows", NUMBER * landmarks(10, 16384, 512), volt_landmark_bytes(10, 16384));
    check_bytes("511 rows", NUMBER * landmarks(10, 16385, 511), volt_landmark_bytes(10, 16385));
    check_bytes("32 rows", NUMBER * landmarks(10, 1e6, 32), volt_landmark_bytes(10, 1e6));
    check_bytes("device", NUMBER * (3 * 70.0 * 70 + 1024 * 70.0), volt_state_sums_device_bytes(70));
}

/* A block of K, both factors transposed, and a part of every 1024 columns. Blocks have at most 2^21 numbers and
 * 8 to 64 rows, in whole groups of four. */
static double half(double n, double q, double rows)
{
    return rows * n + 2 * n * q + (n / 1024 + 1) * rows * q;
}

static void iterations(void **state)
{
    const double n = 5000, q = 3, m = 70, rows = 64;
    check_bytes("half", NUMBER * half(n, q, rows), volt_half_product_bytes(n, q));
    check_bytes("half", NUMBER * half(40000, q, 52),
                volt_half_product_bytes(40000, q)); /* 2^21 / 40000 = 52.4 */
    check_bytes("half", NUMBER * half(1e6, q, 8), volt_half_product_bytes(1e6, q));
    /* a band of features with their parts, three systems, and ten vectors per output */
    for (int parts = 1; parts <= 3; parts += 2)
        for (double systems = 1; systems <= 6; systems += 1) {
            const volt_bands bands = {.parts = parts};
            volt_bands_use(&bands);
            double band = ceil(n / parts), found = volt_pcg_bytes(n, systems, m);
            double stored = band * m + fmin(systems, 4) * m * m;
            double pieces =
                (found / NUMBER - half(n, systems, rows) - 10 * n * systems - stored) / (m * systems);
            assert_true(pieces == floor(pieces) && pieces >= 3); /* of the band, and two more */
            check_bytes("pcg", found + volt_solver_nystrom.bytes(n, systems, m),
                        volt_solver_pcg.bytes(n, systems, m));
        }
    volt_bands_use(NULL);
    /* features of the landmarks; in each step two products with them and one with K */
    assert_true(volt_pcg_flops(n, q, m, 10) == 2 * n * m * m + 10 * q * (4 * n * m + 2 * n * n));
    assert_true(volt_pcg_flops(n, 1, m, 1) == 2 * n * m * m + 4 * n * m + 2 * n * n);
    assert_int_equal(volt_pcg_landmarks(10000), 1248); /* 1270 in runs of 32 */
    assert_int_equal(volt_pcg_landmarks(40), 40);
    assert_int_equal(volt_pcg_landmarks(1), 1);
}

/* Two vectors, the probe of the residuals, and 14 numbers per value. */
static double loss(double n, double q)
{
    return 2 * n + 512.0 * 512 + 14 * n * q;
}

/* Fits of at most 1200 rows: their matrix and four numbers per value; above, the rows again, with two numbers per
 * value and one per column. */
static void losses(void **state)
{
    for (double n = 150; n < 5000; n *= 2)
        for (double q = 1; q < 5; q += 2) {
            double rows = fmin(n, 1200), more = n > 1200 ? n + (2 * n + 1) * q : 0;
            double tried = rows * rows + 4 * rows * q + loss(rows, q) + more;
            assert_true(volt_loss_numbers(n, q) == loss(n, q));
            assert_true(volt_loss_choice_numbers(n, q) == tried);
            check_bytes("loss", NUMBER * (n * n + loss(n, q) + tried), volt_solver_loss.bytes(n, q, 0));
        }
}

/* Targets, coefficients and fitted values, 64 rows of columns per landmark, and scaled rows where they are kept. */
static void whole_fits(void **state)
{
    const double n = 900, d = 5, q = 2, m = 30;
    double fit = NUMBER * (n * (4 * q + 2) + 64 * m * (d + 4));
    check_bytes("nystrom", fit + volt_solver_nystrom.bytes(n, q, m),
                volt_solver_fit_bytes(&volt_solver_nystrom, n, d, q, m));
    check_bytes("pcg", fit + volt_solver_pcg.bytes(n, q, m) + NUMBER * n * (3 * d + 8),
                volt_solver_fit_bytes(&volt_solver_pcg, n, d, q, m));
    assert_int_equal(volt_solver_landmarks(&volt_solver_exact, 7, 900), 0);
    assert_int_equal(volt_solver_landmarks(&volt_solver_nystrom, 7, 900), 7);
    assert_int_equal(volt_solver_landmarks(&volt_solver_nystrom, 0, 900), 900);
    assert_int_equal(volt_solver_landmarks(&volt_solver_nystrom, 0, 9000), 2000);
}

/* An exact fit is too large if it does not fit in memory, or stores the matrix of more than VOLT_MAX_EXACT rows. */
static void exact_fits_that_are_too_large(void **state)
{
    const int64_t n = VOLT_MAX_EXACT + 1;
    const double stored = volt_solver_exact.bytes((double)n, 2, 0);
    volt_plan plan = {.struct_size = sizeof plan, .available_bytes = 2 * stored};
    assert_non_null(volt_exact_is_too_much(n, 2, stored, &plan));
    assert_null(volt_exact_is_too_much(n - 1, 2, stored, &plan));
    assert_null(volt_exact_is_too_much(n, 2, stored - 1, &plan)); /* states */
    plan.on_device = 1;
    assert_null(volt_exact_is_too_much(n, 2, stored, &plan));
    assert_null(volt_exact_is_too_much(10, 2, 2 * stored, &plan));
    assert_non_null(volt_exact_is_too_much(10, 2, 2 * stored + 1, &plan));
    plan.available_bytes = 0; /* unknown */
    assert_null(volt_exact_is_too_much(10, 2, 2 * stored + 1, &plan));
}

/* Class 3 is in rows 2 and 5; row 5 has weight 0. */
static void classes_of_a_range_of_rows(void **state)
{
    double labels[] = {0, 1, 3, 0, 1, 3}, weights[] = {1, 1, 1, 1, 1, 0};
    const volt_loss_fit fit = {.labels = labels};
    for (int64_t begin = 0; begin <= 6; begin++)
        for (int64_t end = begin; end <= 6; end++) {
            bool first = begin <= 2 && end > 2, second = begin <= 5 && end > 5;
            assert_int_equal(volt_loss_fit_has_class(&fit, NULL, begin, end, 3), first || second);
            assert_int_equal(volt_loss_fit_has_class(&fit, weights, begin, end, 3), first);
            assert_false(volt_loss_fit_has_class(&fit, weights, begin, end, 2));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_fits),
        cmocka_unit_test(solvers_accept_what_fits),
        cmocka_unit_test(fits_on_features),
        cmocka_unit_test(iterations),
        cmocka_unit_test(losses),
        cmocka_unit_test(whole_fits),
        cmocka_unit_test(exact_fits_that_are_too_large),
        cmocka_unit_test(classes_of_a_range_of_rows),
    };
    return cmocka_run_group_tests_name("estimates", tests, NULL, NULL);
}
