/* tests/unit/solve/test_loss_scores.c: mean losses of predictions, by hand. */
#include "support/check.h"
#include "volterra/solve.h"

static volt_loss *parse(const char *text)
{
    volt_loss *loss = NULL;
    check_ok(volt_loss_parse(text, &loss));
    return loss;
}

static void scores_are_mean_losses(void **state)
{
    volt_loss *levels = parse("quantile:q=0.25/0.75"), *classes = parse("multinomial"),
              *counts = parse("poisson"), *huber = parse("huber:delta=1");
    double score, Y[] = {1, NAN, 3}, U[] = {0, 2, 5, 5, 3, 4}, weights[] = {1, 1, 3};
    check_ok(volt_loss_score(levels, volt_view_of(Y, 3, 1), volt_view_of(U, 3, 2), NULL, &score));
    /* row 1: (0.25 + 0.25)/2; row 3: (0 + 0.25)/2 */
    assert_true(fabs(score - (0.25 + 0.125) / 2) <= 1e-15);
    check_ok(volt_loss_score(levels, volt_view_of(Y, 3, 1), volt_view_of(U, 3, 2), weights, &score));
    assert_true(fabs(score - (0.25 + 3 * 0.125) / 4) <= 1e-15);
    double labels[] = {0, 2}, P[] = {0.5, 0.25, 0.25, 0.1, 0.1, 0.8}, means[] = {2, 0.5}, y[] = {2, 0};
    check_ok(volt_loss_score(classes, volt_view_of(labels, 2, 1), volt_view_of(P, 2, 3), NULL, &score));
    assert_true(fabs(score + (log(0.5) + log(0.8)) / 2) <= 1e-15);
    check_ok(volt_loss_score(counts, volt_view_of(y, 2, 1), volt_view_of(means, 2, 1), NULL, &score));
    assert_true(fabs(score - 0.5 / 2) <= 1e-15);
    check_ok(volt_loss_score(huber, volt_view_of(y, 2, 1), volt_view_of(labels, 2, 1), NULL, &score));
    assert_true(fabs(score - (1.5 + 1.5) / 2) <= 1e-15);
    check_fails(volt_loss_score(huber, volt_view_of(y, 2, 1), volt_view_of(P, 2, 3), NULL, &score),
                VOLT_ERR_SHAPE, "x 2 3");
    check_fails(volt_loss_score(classes, volt_view_of(means, 2, 1), volt_view_of(P, 2, 3), NULL, &score),
                VOLT_ERR_ARGUMENT, "class row 2");
    double none[] = {0, 0}, bad[] = {1, NAN};
    check_fails(volt_loss_score(huber, volt_view_of(y, 2, 1), volt_view_of(y, 2, 1), none, &score),
                VOLT_ERR_DATA, "weight 0");
    check_fails(volt_loss_score(huber, volt_view_of(y, 2, 1), volt_view_of(y, 2, 1), bad, &score),
                VOLT_ERR_ARGUMENT, "weight 2");
    /* NaN predictions of rows without a target are ignored. */
    U[2] = U[3] = NAN;
    check_ok(volt_loss_score(levels, volt_view_of(Y, 3, 1), volt_view_of(U, 3, 2), NULL, &score));
    U[5] = P[4] = NAN;
    Y[0] = INFINITY;
    check_fails(volt_loss_score(levels, volt_view_of(Y, 3, 1), volt_view_of(U, 3, 2), NULL, &score),
                VOLT_ERR_NOT_FINITE, "row 1 targets inf");
    check_fails(volt_loss_score(levels, volt_view_of(Y + 1, 2, 1), volt_view_of(U + 2, 2, 2), NULL, &score),
                VOLT_ERR_NOT_FINITE, "row 2 column 2 predictions nan");
    check_fails(volt_loss_score(classes, volt_view_of(labels, 2, 1), volt_view_of(P, 2, 3), NULL, &score),
                VOLT_ERR_NOT_FINITE, "row 2 column 2 predictions");
    check_fails(volt_loss_score(huber, volt_view_of(y, 2, 1), volt_view_of(y, 2, 1), NULL, NULL),
                VOLT_ERR_ARGUMENT, "score");
    volt_loss_free(levels);
    volt_loss_free(classes);
    volt_loss_free(counts);
    volt_loss_free(huber);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores_are_mean_losses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
