/* tests/unit/solve/test_losses.c: loss functions against their definitions, and minima against direct evaluation
 * of the objective. */
#include "base/error.h"
#include "solve/loss/loss_solve.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/polling.h"
#include "support/sequences.h"

static volt_loss *parse(const char *text)
{
    volt_loss *loss = NULL;
    check_ok(volt_loss_parse(text, &loss));
    return loss;
}

/* ---- functions -------------------------------------------------------------------------------- */

static const char *const texts[] = {
    "squares",          "huber:delta=0.7", "quantile:q=0.8", "epsilon:epsilon=0.3",
    "expectile:q=0.85", "logistic",        "poisson",        "multinomial"};

static double random_target(const volt_loss *loss, volt_rng *rng)
{
    double z = volt_rng_normal(rng);
    if (loss->kind == &volt_loss_logistic)
        return z > 0 ? 1 : -1;
    return loss->kind == &volt_loss_poisson ? floor(fabs(3 * z)) : z;
}

/* g is a subgradient of the loss at the prox: the excess is 0 there and nonnegative elsewhere. */
static void slopes_satisfy_proximal_equation(void **state)
{
    volt_rng rng = test_rng(4411);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        volt_loss *loss = parse(texts[t]);
        const volt_loss_kind *kind = loss->kind;
        for (int draw = 0; draw < 400 && !kind->row; draw++) {
            double p = loss->values[0], y = random_target(loss, &rng), u = 2 * volt_rng_normal(&rng), g, d;
            double rho = exp(3 * volt_rng_normal(&rng)), g0 = 0.5 * volt_rng_normal(&rng), low, high;
            kind->slope(p, y, u, g0, rho, &g, &d);
            kind->range(p, y, &low, &high);
            double prox = u + (g0 - g) / rho, size = 1 + fabs(y) + fabs(u) + 1 / rho;
            assert_true(g >= low && g <= high && d >= 0);
            /* an error e of the prox gives an error of rho e in g: the excess is their product */
            double error = 1e-15 * size * (1 + rho) * size * (1 + fabs(g));
            if (!(kind->excess(p, y, prox, g) <= 100 * error))
                fail_msg("%s: y %g u %g g0 %g rho %g: excess %g", texts[t], y, u, g0, rho,
                         kind->excess(p, y, prox, g));
            assert_true(kind->excess(p, y, u, g) >= 0);
            /* l(v) >= l(prox) + g (v - prox) */
            double v = prox + volt_rng_normal(&rng);
            assert_true(kind->value(p, y, v) >=
                        kind->value(p, y, prox) + g * (v - prox) - 1e-12 * size * size * (1 + rho));
        }
        volt_loss_free(loss);
    }
}

/* l + l* - g u, with the conjugate of math.md. */
static double plain_conjugate(const volt_loss *loss, double y, double g)
{
    double p = loss->values[0], share = -g * y;
    if (loss->kind == &volt_loss_huber || loss->kind == &volt_loss_squares)
        return g * y + g * g / 2;
    if (loss->kind == &volt_loss_quantile)
        return g * y;
    if (loss->kind == &volt_loss_epsilon)
        return g * y + p * fabs(g);
    if (loss->kind == &volt_loss_expectile)
        return g * y + g * g / (4 * (g < 0 ? p : 1 - p));
    if (loss->kind == &volt_loss_logistic)
        return share * log(share) + (1 - share) * log(1 - share);
    return (g + y) * log(g + y) - (g + y);
}

static void excess_equals_conjugate_gap(void **state)
{
    volt_rng rng = test_rng(4412);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        volt_loss *loss = parse(texts[t]);
        const volt_loss_kind *kind = loss->kind;
        for (int draw = 0; draw < 200 && !kind->row; draw++) {
            double p = loss->values[0], y = random_target(loss, &rng), u = 2 * volt_rng_normal(&rng), low, high;
            kind->range(p, y, &low, &high);
            low = fmax(low, -3);
            high = fmin(high, 3);
            double g = low + (high - low) * (0.001 + 0.998 * volt_rng_uniform(&rng));
            double plain = kind->value(p, y, u) + plain_conjugate(loss, y, g) - g * u;
            double size = kind->value(p, y, u) + fabs(plain_conjugate(loss, y, g)) + fabs(g * u);
            assert_true(fabs(kind->excess(p, y, u, g) - plain) <= 40 * DBL_EPSILON * (1 + size));
        }
        volt_loss_free(loss);
    }
}

/* First and second derivatives against finite differences. */
static void derivatives_equal_finite_differences(void **state)
{
    volt_rng rng = test_rng(4413);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        volt_loss *loss = parse(texts[t]);
        const volt_loss_kind *kind = loss->kind;
        for (int draw = 0; draw < 100 && !kind->row; draw++) {
            double p = loss->values[0], y = random_target(loss, &rng), u = volt_rng_normal(&rng), h = 1e-5;
            double g, d, up, down, rho = kind->smooth && draw % 2 ? INFINITY : 2, g0 = isinf(rho) ? 0 : 0.2;
            kind->slope(p, y, u, g0, rho, &g, &d);
            kind->slope(p, y, u + h, g0, rho, &up, &(double){0});
            kind->slope(p, y, u - h, g0, rho, &down, &(double){0});
            double d_up, d_down;
            kind->slope(p, y, u + h, g0, rho, &up, &d_up);
            kind->slope(p, y, u - h, g0, rho, &down, &d_down);
            if (fabs(d_up - d_down) < 1e-3) /* no kink in between */
                assert_true(fabs((up - down) / (2 * h) - d) <= 1e-4 * (1 + fabs(d)));
            if (isinf(rho)) {
                double slope = (kind->value(p, y, u + h) - kind->value(p, y, u - h)) / (2 * h);
                assert_true(fabs(slope - g) <= 1e-4 * (1 + fabs(g)));
            }
        }
        volt_loss_free(loss);
    }
}

/* ---- minima ----------------------------------------------------------------------------------- */

enum { N = 40, MOST = 5 };

/* A problem of N rows: rbf on random inputs, targets of the loss. */
typedef struct problem {
    volt_loss *loss;
    int64_t columns;
    double K[N * N], Y[N * MOST], weights[N], alpha, common;
    bool intercept, weighted;
} problem;

static problem make_problem(const char *text, volt_rng *rng, int64_t targets)
{
    problem p = {.loss = parse(text), .alpha = exp(2 * volt_rng_normal(rng) - 3)};
    double x[N], units = volt_rng_uniform(rng);
    int64_t count = p.loss->count > 1 ? p.loss->count : 1;
    bool many = p.loss->kind->row != NULL;
    p.columns = many ? 3 : targets * count;
    p.intercept = volt_rng_uniform(rng) < 0.7;
    p.weighted = volt_rng_uniform(rng) < 0.5;
    for (int64_t i = 0; i < N; i++) {
        x[i] = 3 * volt_rng_uniform(rng);
        p.weights[i] = i % 7 == 3 ? 0 : 0.2 + 2 * volt_rng_uniform(rng);
        double first = sin(2 * x[i]) + 0.5 * volt_rng_normal(rng) + units;
        for (int64_t k = 0; k < p.columns; k++) {
            double y = first + (double)(k / count);
            if (p.loss->kind == &volt_loss_logistic)
                y = y > 0.3 ? 1 : -1;
            if (p.loss->kind == &volt_loss_poisson)
                y = floor(exp(fabs(y)));
            if (many)
                y = (first < 0 ? 0 : first < 0.7 ? 1 : 2) == k;
            p.Y[i * p.columns + k] = y;
        }
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            p.K[i * N + j] = exp(-2 * (x[i] - x[j]) * (x[i] - x[j]));
    return p;
}

typedef struct solution {
    double A[N * MOST], U[N * MOST], c[MOST], objective, gap;
} solution;

static volt_status solve(const problem *p, double tolerance, volt_progress progress, solution *s)
{
    double K[N * N];
    memcpy(K, p->K, sizeof K);
    volt_loss_task task = {.loss = p->loss,
                           .Y = volt_view_of(p->Y, N, p->columns),
                           .weights = p->weighted ? p->weights : NULL,
                           .alpha = p->alpha,
                           .common = p->common,
                           .tolerance = tolerance,
                           .intercept = p->intercept,
                           .progress = progress,
                           .share = 1};
    volt_loss_result result = {
        .A = volt_matrix_of(s->A, N, p->columns), .U = volt_matrix_of(s->U, N, p->columns), .c = s->c};
    VOLT_TRY(volt_loss_minimise(volt_matrix_of(K, N, N), &task, &result));
    s->objective = result.objective;
    s->gap = result.gap;
    return VOLT_OK;
}

/* J of any readout, from its definition. u is sorted where levels must not cross, which gives a lower bound
 * for any readout. */
static double plain_objective(const problem *p, const double *A, const double *c)
{
    const volt_loss_kind *kind = p->loss->kind;
    double sum = 0;
    for (int64_t i = 0; i < N; i++) {
        double u[MOST], w = p->weighted ? p->weights[i] : 1;
        for (int64_t k = 0; k < p->columns; k++) {
            u[k] = 0;
            for (int64_t j = 0; j < N; j++)
                u[k] += p->K[i * N + j] * A[j * p->columns + k];
            sum += p->alpha / 2 * u[k] * A[i * p->columns + k];
            u[k] += c[k];
        }
        if (kind->row)
            sum += w * kind->row->value(p->columns, p->Y + i * p->columns, u);
        for (int64_t k = 0; !kind->row && k < p->columns; k++)
            sum += w * kind->value(p->loss->count ? p->loss->values[k % p->loss->count] : 0,
                                   p->Y[i * p->columns + k], u[k]);
    }
    return sum;
}

static const char *const solved[] = {"squares",
                                     "huber:delta=0.3",
                                     "quantile:q=0.9",
                                     "quantile:q=0.2/0.5",
                                     "quantile:q=0.1/0.3/0.5/0.7/0.9",
                                     "epsilon:epsilon=0.2",
                                     "expectile:q=0.8",
                                     "logistic",
                                     "multinomial",
                                     "poisson"};
enum { SOLVED = sizeof solved / sizeof *solved };

/* No readout near the solution, or near a worse one, is better by more than the gap. */
static void duality_gap_bounds_suboptimality(void **state)
{
    volt_rng rng = test_rng(4414);
    for (int t = 0; t < SOLVED; t++)
        for (int draw = 0; draw < (UNDER_SANITIZERS ? 2 : 6); draw++) {
            problem p = make_problem(solved[t], &rng, draw % 2 && t != 4 ? 2 : 1);
            solution exact, rough;
            check_ok(solve(&p, 1e-12, (volt_progress){0}, &exact));
            check_ok(solve(&p, 1e-2, (volt_progress){0}, &rough));
            double size = fabs(exact.objective) + 1, rounding = 1e-11 * size;
            print_message("# %s alpha %.3g%s%s: %.10g, rough %.3g above, gap %.3g\n", solved[t], p.alpha,
                          p.intercept ? "" : " plain", p.weighted ? " weighted" : "", exact.objective,
                          rough.objective - exact.objective, rough.gap);
            assert_true(exact.gap >= 0 && exact.gap <= 1e-12 * fabs(exact.objective));
            assert_true(rough.gap >= 0 && rough.gap <= 1e-2 * fabs(rough.objective));
            assert_true(rough.objective - exact.objective <= rough.gap + rounding);
            assert_true(exact.objective - rough.objective <= exact.gap + rounding);
            assert_true(fabs(plain_objective(&p, exact.A, exact.c) - exact.objective) <= 1e-9 * size);
            bool coupled = p.loss->count > 1; /* a crossing readout may be better but is not allowed */
            for (int near = 0; near < (UNDER_SANITIZERS ? 5 : 30) && !coupled; near++) {
                solution other = exact;
                double step = pow(10, -6 * volt_rng_uniform(&rng));
                for (int64_t i = 0; i < N * p.columns; i++)
                    other.A[i] += step * volt_rng_normal(&rng);
                for (int64_t k = 0; p.intercept && k < p.columns; k++)
                    other.c[k] += step * volt_rng_normal(&rng);
                assert_true(plain_objective(&p, other.A, other.c) >= exact.objective - exact.gap - rounding);
            }
            for (int64_t i = 0; coupled && i < N; i++)
                for (int64_t k = 1; k < p.columns; k++)
                    if (k % p.loss->count && (!p.weighted || p.weights[i] > 0))
                        assert_true(exact.U[i * p.columns + k] >= exact.U[i * p.columns + k - 1] - 1e-9);
            volt_loss_free(p.loss);
        }
}

/* Rounded entries 1 + s k, minus 1: the rounding errors of 1 dominate those of the difference. */
static void small_variation_around_large_constant_is_solved(void **state)
{
    volt_rng rng = test_rng(4417);
    for (int t = 0; t < SOLVED; t++)
        for (double s = 1e-3; s > 5e-8; s /= 10) {
            problem p = make_problem(solved[t], &rng, 1);
            solution found;
            p.intercept = true;
            p.common = 1;
            for (int64_t i = 0; i < N * N; i++) {
                volatile double sum = 1 + s * p.K[i];
                p.K[i] = sum - 1;
            }
            p.alpha *= s;
            check_ok(solve(&p, 1e-6, (volt_progress){0}, &found));
            print_message("# %s, %.0e of the constant: gap %.3g of %.6g\n", solved[t], s, found.gap,
                          found.objective);
            assert_true(found.gap <= 1e-5 * fabs(found.objective));
            assert_true(fabs(plain_objective(&p, found.A, found.c) - found.objective) <=
                        1e-8 * (fabs(found.objective) + 1));
            volt_loss_free(p.loss);
        }
}

/* A negative eigenvalue far above rounding: either rejected or without effect on the readout. The objective
 * is never invalid. */
static void invalid_gram_matrix_is_rejected(void **state)
{
    volt_rng rng = test_rng(4418);
    int refused = 0;
    for (int t = 0; t < SOLVED; t++)
        for (double below = 1; below > 1e-9; below /= 10) {
            problem p = make_problem(solved[t], &rng, 1);
            double v[N], size = 0;
            solution found;
            p.common = 1e3; /* the smallest shift hides it from Cholesky */
            p.intercept = true;
            for (int64_t i = 0; i < N; i++) {
                v[i] = volt_rng_normal(&rng);
                size += v[i] * v[i];
            }
            for (int64_t i = 0; i < N * N; i++)
                p.K[i] -= below * v[i / N] * v[i % N] / size;
            volt_status status = solve(&p, 1e-6, (volt_progress){0}, &found);
            refused += status == VOLT_ERR_SINGULAR;
            if (status != VOLT_OK) {
                check_fails(status, VOLT_ERR_SINGULAR, "");
            } else {
                double energy = 0, rounding = 0, largest = 0;
                for (int64_t i = 0; i < N; i++)
                    largest = fmax(largest, p.K[i * N + i]);
                for (int64_t i = 0; i < N * p.columns; i++) {
                    double a = found.A[i], u = found.U[i], c = found.c[i % p.columns];
                    energy += a * (u - c);
                    rounding += 10 * N * DBL_EPSILON * (largest + p.common) * a * a +
                                10 * DBL_EPSILON * fabs(a) * (fabs(u) + fabs(c));
                }
                assert_true(energy >= -1.01 * rounding); /* the documented limit, summed in another order */
            }
            volt_loss_free(p.loss);
        }
    print_message("# %d refused\n", refused);
    assert_true(refused >= SOLVED);

    /* Nothing but a small negative eigenvalue: every readout has a negative norm, between 0 and -1. */
    for (int t = 0; t < SOLVED; t++) {
        problem p = make_problem(solved[t], &rng, 1);
        solution found;
        p.alpha = 1;
        p.intercept = false;
        for (int64_t i = 0; i < N * N; i++)
            p.K[i] = -1e-4 * (double)((i / N + 1) % 3) * (double)((i % N + 1) % 3);
        check_fails(solve(&p, 1e-6, (volt_progress){0}, &found), VOLT_ERR_SINGULAR, "");
        volt_loss_free(p.loss);
    }
}

/* Two copies of a row equal one row of weight 2, and a row of weight 0 is ignored: minimum and predictions
 * are the same. */
static void weights_equal_repeated_rows(void **state)
{
    volt_rng rng = test_rng(4415);
    for (int t = 0; t < SOLVED; t++) {
        problem p = make_problem(solved[t], &rng, 1), q;
        p.intercept = true;
        p.weighted = true;
        q = p;
        q.loss = p.loss;
        /* q has rows 0 .. 9 twice, replacing rows 30 .. 39, which p excludes */
        for (int64_t i = 0; i < N; i++)
            p.weights[i] = i < 10 ? 2 : i < 30 ? 1 : 0;
        q.weighted = false;
        int64_t from[N];
        for (int64_t i = 0; i < N; i++)
            from[i] = i < 30 ? i : i - 30;
        for (int64_t i = 0; i < N; i++) {
            memcpy(q.Y + i * p.columns, p.Y + from[i] * p.columns, (size_t)p.columns * sizeof(double));
            for (int64_t j = 0; j < N; j++)
                q.K[i * N + j] = p.K[from[i] * N + from[j]];
        }
        p.alpha = q.alpha = 0.1;
        solution one, two;
        check_ok(solve(&p, 1e-12, (volt_progress){0}, &one));
        check_ok(solve(&q, 1e-12, (volt_progress){0}, &two));
        double size = fabs(one.objective);
        assert_true(fabs(one.objective - two.objective) <= 1e-10 * size);
        for (int64_t i = 0; i < 30 * p.columns; i++) /* predictions change with the square root of the gap */
            assert_true(fabs(one.U[i] - two.U[i]) <= 2 * sqrt(2 * 1e-12 * size / p.alpha) + 1e-9);
        for (int64_t i = 30 * p.columns; i < N * p.columns; i++)
            assert_true(one.A[i] == 0 || fabs(one.A[i]) <= 1e-9);
        volt_loss_free(p.loss);
    }
}

/* A parameter in the units of the targets: the same minimum in other units. */
static void parameters_follow_the_units(void **state)
{
    volt_rng rng = test_rng(4416);
    static const char *const pairs[][2] = {{"huber:delta=0.3", "huber:delta=1.5"},
                                           {"epsilon:epsilon=0.2", "epsilon:epsilon=1"}};
    for (int t = 0; t < 2; t++) {
        problem p = make_problem(pairs[t][0], &rng, 1);
        solution one, two;
        double K[N * N], unit = 5;
        check_ok(solve(&p, 1e-12, (volt_progress){0}, &one));
        volt_loss *large = parse(pairs[t][1]);
        memcpy(K, p.K, sizeof K);
        volt_loss_task task = {.loss = large,
                               .Y = volt_view_of(p.Y, N, 1),
                               .units = &unit,
                               .weights = p.weighted ? p.weights : NULL,
                               .alpha = p.alpha,
                               .tolerance = 1e-12,
                               .intercept = p.intercept,
                               .share = 1};
        volt_loss_result result = {
            .A = volt_matrix_of(two.A, N, 1), .U = volt_matrix_of(two.U, N, 1), .c = two.c};
        check_ok(volt_loss_minimise(volt_matrix_of(K, N, N), &task, &result));
        assert_true(fabs(result.objective - one.objective) <= 1e-11 * fabs(one.objective));
        volt_loss_free(large);
        volt_loss_free(p.loss);
    }
}

/* For two classes the first output is 0 and the only column gives the second; c excludes the part subtracted
 * from K. */
static void outputs_of_two_classes_are_one_column(void **state)
{
    volt_rng rng = test_rng(4419);
    problem p = make_problem("logistic", &rng, 1);
    solution one, two;
    double K[N * N], Y[N * 2], sum = 0;
    p.common = 0.25;
    check_ok(solve(&p, 1e-10, (volt_progress){0}, &one));
    memcpy(K, p.K, sizeof K);
    for (int i = 0; i < N; i++) {
        Y[2 * i] = 0;
        Y[2 * i + 1] = p.Y[i];
    }
    volt_loss_task task = {.loss = p.loss,
                           .Y = volt_view_of(Y, N, 2),
                           .weights = p.weighted ? p.weights : NULL,
                           .alpha = p.alpha,
                           .common = p.common,
                           .tolerance = 1e-10,
                           .intercept = p.intercept,
                           .share = 1};
    volt_loss_result result = {.A = volt_matrix_of(two.A, N, 2), .U = volt_matrix_of(two.U, N, 2), .c = two.c};
    check_ok(volt_loss_minimise_outputs(volt_matrix_of(K, N, N), &task, &result));
    assert_true(result.alpha == p.alpha && result.objective == one.objective);
    for (int i = 0; i < N; i++) {
        assert_true(two.A[2 * i] == 0 && two.U[2 * i] == 0);
        assert_true(two.A[2 * i + 1] == one.A[i] && two.U[2 * i + 1] == one.U[i]);
        sum += one.A[i];
    }
    assert_true(two.c[0] == 0 && two.c[1] == one.c[0] - p.common * sum);
    volt_loss_free(p.loss);
}

/* ---- memory, threads, cancellation ------------------------------------------------------------ */

static void every_allocation_may_fail(void **state)
{
    volt_rng rng = test_rng(4417);
    for (int t = 0; t < SOLVED; t++) {
        problem p = make_problem(solved[t], &rng, 1);
        solution s;
        /* every k is tested without sanitizers */
        for (int64_t k = 0; failing_alloc_next(&k); k += UNDER_SANITIZERS ? 4 : 0) {
            volt_status status = solve(&p, 1e-8, (volt_progress){0}, &s);
            failing_alloc_check(status);
        }
        volt_loss_free(p.loss);
    }
}

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

static void every_poll_can_cancel(void **state)
{
    volt_rng rng = test_rng(4418);
    for (int t = 0; t < SOLVED; t++) {
        problem p = make_problem(solved[t], &rng, 1);
        solution s;
        user all = {0, 0};
        check_ok(solve(&p, 1e-8, (volt_progress){listen, &all}, &s));
        assert_true(all.calls > (p.loss->kind == &volt_loss_squares ? 0 : 5)); /* one factor, or steps */
        for (int64_t at = 1; at <= all.calls; at += 1 + all.calls / (UNDER_SANITIZERS ? 3 : 12)) {
            user one = {0, at};
            check_fails(solve(&p, 1e-8, (volt_progress){listen, &one}, &s), VOLT_ERR_CANCELLED, "cancel");
            assert_int_equal(one.calls, at);
        }
        volt_loss_free(p.loss);
    }
}

static void results_do_not_depend_on_threads(void **state)
{
    volt_rng rng = test_rng(4419);
    for (int t = 0; t < SOLVED; t++) {
        problem p = make_problem(solved[t], &rng, 1);
        solution s[3];
        for (int i = 0; i < 3; i++) {
            check_ok(volt_set_threads(1 << i));
            check_ok(solve(&p, 1e-12, (volt_progress){0}, &s[i]));
            double size = fabs(s[0].objective);
            for (int64_t k = 0; k < N * p.columns; k++)
                assert_true(fabs(s[i].U[k] - s[0].U[k]) <= 2 * sqrt(2 * 1e-12 * size / p.alpha) + 1e-9);
        }
        volt_loss_free(p.loss);
    }
    check_ok(volt_set_threads(1));
}

/* Small problems: more threads only add overhead. */
static int use_one_thread(void **state)
{
    return volt_set_threads(1) != VOLT_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_satisfy_proximal_equation),
        cmocka_unit_test(excess_equals_conjugate_gap),
        cmocka_unit_test(derivatives_equal_finite_differences),
        cmocka_unit_test(duality_gap_bounds_suboptimality),
        cmocka_unit_test(small_variation_around_large_constant_is_solved),
        cmocka_unit_test(invalid_gram_matrix_is_rejected),
        cmocka_unit_test(weights_equal_repeated_rows),
        cmocka_unit_test(parameters_follow_the_units),
        cmocka_unit_test(outputs_of_two_classes_are_one_column),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test_setup_teardown(every_poll_can_cancel, poll_always, poll_as_usual),
        cmocka_unit_test(results_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests_name("losses", tests, use_one_thread, NULL);
}
