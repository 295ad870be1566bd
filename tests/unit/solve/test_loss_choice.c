/* tests/unit/solve/test_loss_choice.c: choice of alpha by the loss on held-out rows. */
#include "base/alpha_grid.h"
#include "solve/loss/loss_solve.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/solve.h"

enum { N = 48 };

/* Noise is not predictable, and a smaller alpha overfits more. A noise-free rule is fitted best with a small
 * alpha. */
static void noisy_data_choose_larger_alpha(void **state)
{
    static double K[N * N];
    double noise[N], rule[N], alpha = 0, unit;
    volt_rng rng = test_rng(4501);
    for (int i = 0; i < N; i++) {
        noise[i] = volt_rng_normal(&rng);
        rule[i] = sin(0.3 * i);
        for (int j = 0; j < N; j++)
            K[i * N + j] = 2 * exp(-0.02 * (i - j) * (i - j));
    }
    unit = volt_loss_unit(volt_view_of(K, N, N));
    assert_true(fabs(unit - 2) < 1e-14);
    volt_loss *loss = NULL;
    check_ok(volt_loss_parse("huber:delta=1", &loss));
    volt_loss_task task = {
        .loss = loss, .Y = volt_view_of(noise, N, 1), .tolerance = 1e-6, .intercept = true, .share = 1};
    check_ok(volt_loss_choose(volt_matrix_of(K, N, N), &task, &alpha));
    assert_true(alpha >= 0.1 * unit);
    task.Y = volt_view_of(rule, N, 1);
    check_ok(volt_loss_choose(volt_matrix_of(K, N, N), &task, &alpha));
    assert_true(alpha <= unit);
    double twice[2 * N], same = 0; /* two equal columns have the same choice */
    for (int i = 0; i < 2 * N; i++)
        twice[i] = rule[i / 2];
    task.Y = volt_view_of(twice, N, 2);
    check_ok(volt_loss_choose(volt_matrix_of(K, N, N), &task, &same));
    assert_true(same == alpha);
    volt_loss_free(loss);
}

/* ---- more rows than the screening limit --------------------------------------------------------- */

enum { LONG = 90, SCREENED = 30, HELD = SCREENED / 3 };

/* The mean loss on the last HELD rows for a fit on rows `from` .. LONG - HELD - 1 with this alpha. */
static double plain_loss(const double *K, const volt_loss_task *task, int from, double alpha)
{
    int m = LONG - HELD - from;
    static double part[LONG * LONG], A[LONG], U[LONG], u[LONG];
    double c;
    for (int i = 0; i < m; i++)
        memcpy(part + i * m, K + (from + i) * LONG + from, (size_t)m * sizeof *part);
    volt_loss_task fit = *task;
    fit.Y = volt_view_rows(task->Y, from, m);
    fit.alpha = alpha;
    volt_loss_result result = {.A = volt_matrix_of(A, m, 1), .U = volt_matrix_of(U, m, 1), .c = &c};
    volt_status status = volt_loss_minimise(volt_matrix_of(part, m, m), &fit, &result);
    if (status == VOLT_ERR_SINGULAR) /* the gap is not closed: such an alpha is not chosen */
        return INFINITY;
    check_ok(status);
    for (int t = LONG - HELD; t < LONG; t++) {
        u[t] = c;
        for (int j = 0; j < m; j++)
            u[t] += K[t * LONG + from + j] * A[j];
    }
    return volt_loss_mean(task, volt_view_of(u, LONG, 1), LONG - HELD);
}

/* The first rows are far from the rule of the others but close to them in the kernel. A fit on all rows
 * requires a large alpha, one on the last rows a small one. For every loss, the chosen alpha is the best for
 * fits on all rows. */
static void full_training_rows_decide(void **state)
{
    static const char *const losses[] = {"squares", "huber:delta=1", "quantile:q=0.5", "epsilon:epsilon=0.1",
                                         "expectile:q=0.3"};
    static double K[LONG * LONG], before[LONG * LONG];
    double y[LONG], weights[LONG];
    int moved = 0;
    volt_rng rng = test_rng(4502);
    for (int i = 0; i < LONG; i++) {
        double x = 0.2 * (i % 20);
        y[i] = sin(x) + 0.02 * volt_rng_normal(&rng) + (i < 60 ? 3 * volt_rng_normal(&rng) : 0);
        weights[i] = 1;
        for (int j = 0; j < LONG; j++)
            K[i * LONG + j] = exp(-0.5 * pow(x - 0.2 * (j % 20), 2));
        K[i * (LONG + 1)] += 1e-9 * i / LONG; /* entries that differ, to be restored */
    }
    memcpy(before, K, sizeof K);
    double unit = volt_loss_unit(volt_view_of(K, LONG, LONG));
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
        volt_loss *loss = NULL;
        check_ok(volt_loss_parse(losses[l], &loss));
        volt_loss_task task = {.loss = loss,
                               .Y = volt_view_of(y, LONG, 1),
                               .weights = weights,
                               .tolerance = 1e-4,
                               .intercept = true,
                               .tried = true,
                               .share = 1,
                               .max_tried = SCREENED};
        double alpha = 0, least = INFINITY, own = INFINITY, screened = INFINITY, by_last = 0;
        check_ok(volt_loss_choose(volt_matrix_of(K, LONG, LONG), &task, &alpha));
        double alphas[VOLT_MAX_ALPHAS];
        int64_t count = volt_alpha_list(VOLT_ALPHA_LOSS, unit, 0, alphas);
        assert_int_equal(count, volt_alpha_count(VOLT_ALPHA_LOSS));
        for (int64_t i = 0; i < count; i++) {
            double now = alphas[i], value = plain_loss(before, &task, 0, now);
            double last = plain_loss(before, &task, LONG - SCREENED, now);
            least = fmin(least, value);
            own = alpha == now ? value : own;
            by_last = last < screened ? now : by_last;
            screened = fmin(screened, last);
        }
        print_message("%s: alpha %g, %g by the last rows only; loss %g, least %g\n", losses[l], alpha, by_last,
                      own, least);
        /* the gap of a fit is 1e-4 of its objective: tied alphas may swap */
        assert_true(own <= 1.01 * least);
        moved += by_last < alpha;
        for (int i = 0; i < LONG; i++)
            for (int j = 0; j <= i; j++)
                assert_true(K[i * LONG + j] == before[i * LONG + j]);
        volt_loss_free(loss);
    }
    assert_true(moved >= 2); /* the last rows are misleading in this case */
}

/* ---- limits ----------------------------------------------------------------------------------- */

static int at_the_beginning(const char *stage, double fraction, void *context)
{
    int64_t *calls = context;
    assert_string_equal(stage, "factor");
    assert_true(fraction == 0.25);
    return ++*calls < 0;
}

/* Trials are a small part of a fit: their progress stays where the fit begins. 12 rows of positive weight are required, whose
 * last third is held out. Training rows without one of the classes leave the unit. */
static void limits_of_the_choice(void **state)
{
    enum { ROWS = 16 };
    double K[ROWS * ROWS], y[ROWS], w[ROWS], alpha = 0;
    int64_t calls = 0;
    volt_loss *loss = NULL, *pairs = NULL, *several = NULL;
    for (int i = 0; i < ROWS; i++) {
        y[i] = sin(0.5 * i);
        w[i] = i % 4 == 3 ? 0 : 1;
        for (int j = 0; j < ROWS; j++)
            K[i * ROWS + j] = 3 * exp(-0.05 * (i - j) * (i - j));
    }
    check_ok(volt_loss_parse("huber:delta=1", &loss));
    check_ok(volt_loss_parse("logistic", &pairs));
    check_ok(volt_loss_parse("multinomial", &several));
    volt_loss_task task = {.loss = loss,
                           .Y = volt_view_of(y, ROWS, 1),
                           .weights = w,
                           .tolerance = 1e-6,
                           .progress = {at_the_beginning, &calls},
                           .from = 0.25,
                           .share = 0.5};
    check_ok(volt_loss_choose(volt_matrix_of(K, ROWS, ROWS), &task, &alpha));
    assert_true(alpha > 0 && calls >= 4);
    w[0] = 0;
    check_fails(volt_loss_choose(volt_matrix_of(K, ROWS, ROWS), &task, &alpha), VOLT_ERR_DATA, "11 12 alpha");
    w[0] = 1;
    /* Rows 0, 1, 2, 4, 5, 6, 8, 9 train: the second class begins at 9, and then at 10. Two classes are one
     * column of -1 and 1, several are a column of 0 and 1 each. */
    for (int columns = 1; columns <= 2; columns++)
        for (int last = 9; last <= 10; last++) {
            double classes[2 * ROWS];
            for (int i = 0; i < ROWS; i++) {
                classes[columns * i] = i < last;
                classes[columns * i + columns - 1] = i >= last ? 1 : columns - 2;
            }
            alpha = 0;
            calls = 0;
            task.loss = columns == 1 ? pairs : several;
            task.Y = volt_view_of(classes, ROWS, columns);
            check_ok(volt_loss_choose(volt_matrix_of(K, ROWS, ROWS), &task, &alpha));
            assert_true(last == 9 ? calls > 0 : calls == 0 && fabs(alpha - 3) <= 1e-14);
        }
    volt_loss_free(loss);
    volt_loss_free(pairs);
    volt_loss_free(several);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noisy_data_choose_larger_alpha),
                                       cmocka_unit_test(full_training_rows_decide),
                                       cmocka_unit_test(limits_of_the_choice)};
    return cmocka_run_group_tests_name("loss choice", tests, NULL, NULL);
}
