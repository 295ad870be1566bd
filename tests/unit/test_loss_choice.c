/* tests/unit/test_loss_choice.c: alpha by the loss of rows that are held out. */
#include "solve/loss/loss_choice.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/solve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { N = 48 };

/* Noise has nothing to learn, and every smaller alpha learns more of it; a rule without noise is learned best with little. */
static void noise_wants_much_and_a_rule_little(void **state)
{
    (void)state;
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
    check_ok(volt_loss_choose(volt_view_of(K, N, N), &task, &alpha));
    assert_true(alpha >= volt_loss_alpha(unit, 3));
    task.Y = volt_view_of(rule, N, 1);
    check_ok(volt_loss_choose(volt_view_of(K, N, N), &task, &alpha));
    assert_true(alpha <= volt_loss_alpha(unit, 2));
    volt_loss_free(loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noise_wants_much_and_a_rule_little)};
    return cmocka_run_group_tests_name("loss choice", tests, NULL, NULL);
}
