/* tests/unit/solve/test_loss_factor.c: the linear algebra of the two methods that minimise a loss: blocked solves with a factor that
 * exceeds the cache of one thread, Newton steps, directions of rows, steps of ADMM, and the number of steps. */
#include "solve/loss/loss_solve.h"
#include "support/check.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

/* L L' x = b with a known x, for one and two columns, around the size from which blocks are used. */
static void block_solve_equals_full_solve(void **state)
{
    static const int64_t sizes[] = {1, 193, 999, 1000, 1153};
    volt_rng rng = test_rng(31);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int64_t q = 1; q <= 2; q++) {
            int64_t n = sizes[s];
            double *L = new_matrix(n, n), *x = normal_rows(&rng, n, q), *b = new_matrix(n, q),
                   *half = new_matrix(n, q);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) /* entries above the diagonal are not read */
                    L[i * n + j] = j > i    ? NAN
                                   : j == i ? 1 + volt_rng_uniform(&rng)
                                            : volt_rng_normal(&rng) / (2.0 * (double)n);
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k < q; k++) {
                    half[i * q + k] = 0;
                    for (int64_t j = i; j < n; j++)
                        half[i * q + k] += L[j * n + i] * x[j * q + k];
                }
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k < q; k++) {
                    b[i * q + k] = 0;
                    for (int64_t j = 0; j <= i; j++)
                        b[i * q + k] += L[i * n + j] * half[j * q + k];
                }
            volt_loss_solve_factor(volt_matrix_of(L, n, n), volt_matrix_of(b, n, q));
            /* The diagonal lies in (1, 2) and the other entries are small: the condition number of L L' is
             * below 100. */
            for (int64_t i = 0; i < n * q; i++)
                if (!(fabs(b[i] - x[i]) <= 100 * 100 * (double)n * DBL_EPSILON))
                    fail_msg("n = %d: %.17g, and should be %.17g", (int)n, b[i], x[i]);
            free(half);
            free(b);
            free(x);
            free(L);
        }
}

/* ---- one Newton step -------------------------------------------------------------------------- */

enum { ROWS = 11, LEVELS = 4, MOST = 3 * ROWS };

/* A positive definite K of ROWS rows, in the layout of a problem: K above the diagonal, NAN in the working memory. */
typedef struct small_problem {
    double K[ROWS * ROWS], layout[ROWS * ROWS], diagonal[ROWS];
    volt_loss_problem problem;
} small_problem;

static void make_small(volt_rng *rng, bool intercept, small_problem *p)
{
    double *K = plain_random_spd(rng, ROWS, 0.3);
    memcpy(p->K, K, sizeof p->K);
    free(K);
    for (int i = 0; i < ROWS; i++) {
        p->diagonal[i] = p->K[i * (ROWS + 1)];
        for (int j = 0; j < ROWS; j++)
            p->layout[i * ROWS + j] = j > i ? p->K[i * ROWS + j] : NAN;
    }
    p->problem = (volt_loss_problem){.n = ROWS,
                                     .columns = LEVELS,
                                     .group = LEVELS,
                                     .alpha = 0.7,
                                     .intercept = intercept,
                                     .K = volt_matrix_of(p->layout, ROWS, ROWS),
                                     .diagonal = p->diagonal};
}

static void add(volt_loss_directions *all, int64_t row, int64_t first, int64_t count, double d, const double *x)
{
    all->items[all->size++] = (volt_loss_direction){row, first, count, all->numbers_size, d};
    for (int64_t j = 0; j < count; j++)
        all->numbers[all->numbers_size++] = x[j];
}

/* Directions of a row, orthonormal: single levels of `ones`, or the deviations of two or three tied levels from `first` on. */
static void add_row(volt_loss_directions *all, int64_t row, int ones, int64_t first, int64_t tied, double d)
{
    static const double one = 1;
    const double two[] = {sqrt(0.5), -sqrt(0.5)}, three[] = {sqrt(1.0 / 6), sqrt(1.0 / 6), -sqrt(2.0 / 3)};
    for (int64_t k = 0; k < LEVELS; k++)
        if (ones >> k & 1)
            add(all, row, k, 1, d + (double)k, &one);
    if (tied > 1)
        add(all, row, first, 2, d, two);
    if (tied > 2)
        add(all, row, first, 3, 2 * d, three);
}

/* alpha da + B diag(d) B' (K da + 1 dc) + alpha a + g, which is 0. All numbers are of size 1 to 10 and the condition numbers
 * below 1e3. */
static void check_step(const small_problem *p, const volt_loss_directions *all, const double *a,
                       const double *g, const newton_step *step, const bool *idle)
{
    double rest[ROWS * LEVELS], change[ROWS * LEVELS];
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < LEVELS; k++) {
            int64_t at = i * LEVELS + k;
            change[at] = 0;
            for (int j = 0; j < ROWS; j++)
                change[at] += p->K[i * ROWS + j] * step->da.data[j * LEVELS + k];
            assert_true(fabs(change[at] - step->kda.data[at]) <= 1e-11);
            change[at] += step->dc[k];
            rest[at] = p->problem.alpha * (step->da.data[at] + a[at]) + g[at];
        }
    for (int64_t b = 0; b < all->size; b++) {
        const volt_loss_direction *one = &all->items[b];
        const double *x = all->numbers + one->at;
        double along = 0;
        for (int64_t j = 0; j < one->count; j++)
            along += x[j] * change[one->row * LEVELS + one->first + j];
        for (int64_t j = 0; j < one->count; j++)
            rest[one->row * LEVELS + one->first + j] += one->d * along * x[j];
    }
    for (int i = 0; i < ROWS * LEVELS; i++)
        if (!(fabs(rest[i]) <= 1e-10))
            fail_msg("row %d, level %d: %g remains", i / LEVELS, i % LEVELS, rest[i]);
    for (int k = 0; k < LEVELS; k++) {
        double sum = 0;
        for (int i = 0; i < ROWS; i++)
            sum += a[i * LEVELS + k] + step->da.data[i * LEVELS + k];
        if (!p->problem.intercept)
            assert_true(step->dc[k] == 0);
        else if (idle[k])
            assert_true(step->dc[k] == copysign(step->reach, sum));
        else
            assert_true(fabs(sum) <= 1e-10);
    }
}

/* Separate levels of which the last has no direction, two tied pairs, all levels tied, more directions than rows, and pairs of
 * which only the difference can change: their mean intercept is not determined, and its equation is singular. */
static void newton_step_solves_its_equations(void **state)
{
    volt_rng rng = test_rng(32);
    for (int draw = 0; draw < 30; draw++)
        for (int intercept = 0; intercept < 2; intercept++) {
            int form = draw % 5;
            small_problem p;
            volt_loss_direction items[MOST];
            double numbers[3 * MOST], a[ROWS * LEVELS], g[ROWS * LEVELS], da[ROWS * LEVELS], kda[ROWS * LEVELS],
                dc[LEVELS], space[ROWS * LEVELS];
            bool idle[LEVELS] = {false, false, false, form == 0};
            volt_loss_directions all = {.items = items, .numbers = numbers};
            make_small(&rng, intercept, &p);
            for (int i = 0; i < ROWS * LEVELS; i++) {
                a[i] = volt_rng_normal(&rng);
                g[i] = volt_rng_normal(&rng);
            }
            for (int i = 1; form == 4 && i < ROWS * LEVELS; i += 2) {
                a[i] = -a[i - 1];
                g[i] = -g[i - 1];
            }
            for (int64_t i = 0; i < ROWS; i++) {
                double d = 0.5 + volt_rng_uniform(&rng);
                if (form == 0)
                    add_row(&all, i, i % 3 == 0 ? 0 : i % 3 == 1 ? 5 : 2, 0, 0, d);
                else if (form == 1)
                    add_row(&all, i, i % 3 == 0 ? 0 : 1 << (int)i % LEVELS, i % 2 * 2, i % 3 == 0 ? 2 : 0, d);
                else if (form == 2)
                    add_row(&all, i,
                            i % 4 == 1   ? 1 << (int)i / 4
                            : i % 4 == 2 ? 8
                                         : 0,
                            i % 2,
                            i % 4 == 3   ? 3
                            : i % 4 == 0 ? 2
                                         : 0,
                            d);
                else if (form == 4)
                    add_row(&all, i, 0, i % 2 * 2, 2, d);
                else
                    add_row(&all, i, 1 + 8 * (int)(i % 2), 1 + (i + 1) % 2, 2, d);
            }
            newton_step step = {.da = volt_matrix_of(da, ROWS, LEVELS),
                                .kda = volt_matrix_of(kda, ROWS, LEVELS),
                                .dc = dc,
                                .reach = 1.25};
            check_ok(volt_newton_step(&p.problem, &all, volt_matrix_of(a, ROWS, LEVELS),
                                      volt_matrix_of(g, ROWS, LEVELS), 0, space, &step));
            check_step(&p, &all, a, g, &step, idle);
        }
}

/* ---- directions of a row ---------------------------------------------------------------------- */

/* The slopes of levels are piecewise linear in u: their derivative is B diag(d) B', with unit vectors B. */
static void directions_are_the_derivative_of_slopes(void **state)
{
    volt_rng rng = test_rng(34);
    volt_loss *loss = NULL;
    int tied = 0, compared = 0;
    check_ok(volt_loss_parse("quantile:q=0.1/0.4/0.6/0.9", &loss));
    for (int draw = 0; draw < 300; draw++) {
        const double w = 1.7, rho = 3, h = 1e-6;
        double y[LEVELS], u[LEVELS], g0[LEVELS], g[LEVELS], up[LEVELS], down[LEVELS],
            sum[LEVELS * LEVELS] = {0};
        volt_loss_directions all = {0};
        volt_loss_problem problem = {
            .loss = loss, .n = 1, .columns = LEVELS, .group = LEVELS, .p = loss->values, .weights = &w};
        for (int k = 0; k < LEVELS; k++) {
            y[k] = 0.3;
            u[k] = 0.3 + 0.5 * volt_rng_normal(&rng);
            g0[k] = 0.3 * volt_rng_normal(&rng);
        }
        problem.Y = volt_view_of(y, 1, LEVELS);
        check_ok(volt_loss_row_slope(&problem, 0, 0, u, g0, rho, g, &all));
        for (int64_t b = 0; b < all.size; b++) {
            const volt_loss_direction *one = &all.items[b];
            const double *x = all.numbers + one->at;
            double square = 0;
            assert_true(one->row == 0 && one->first >= 0 && one->first + one->count <= LEVELS);
            tied += one->count > 1;
            for (int64_t j = 0; j < one->count; j++) {
                square += x[j] * x[j];
                for (int64_t i = 0; i < one->count; i++)
                    sum[(one->first + i) * LEVELS + one->first + j] += one->d * x[i] * x[j];
            }
            assert_true(fabs(square - 1) <= 4 * DBL_EPSILON);
        }
        for (int k = 0; k < LEVELS; k++) {
            double at = u[k];
            u[k] = at + h;
            check_ok(volt_loss_row_slope(&problem, 0, 0, u, g0, rho, up, NULL));
            u[k] = at - h;
            check_ok(volt_loss_row_slope(&problem, 0, 0, u, g0, rho, down, NULL));
            u[k] = at;
            for (int j = 0; j < LEVELS; j++) {
                if (fabs(up[j] - 2 * g[j] + down[j]) > 1e-9) /* a kink in between */
                    continue;
                compared++;
                assert_true(fabs((up[j] - down[j]) / (2 * h) - sum[j * LEVELS + k]) <= 1e-8);
            }
        }
        free(all.items);
        free(all.numbers);
    }
    assert_true(tied > 50 && compared > 4000);
    volt_loss_free(loss);
}

/* Each entry has its own target, parameter and weight. */
static void slopes_of_several_columns(void **state)
{
    enum { TARGETS = 3, OF_EACH = 2, SPACED = 5 };
    volt_rng rng = test_rng(37);
    volt_loss *loss = NULL;
    double Y[TARGETS * SPACED], w[TARGETS] = {0.4, 0, 2.5}, p[OF_EACH] = {0.3, 0.1};
    check_ok(volt_loss_parse("epsilon:epsilon=0.2", &loss));
    for (int i = 0; i < TARGETS * SPACED; i++)
        Y[i] = volt_rng_normal(&rng);
    volt_loss_problem problem = {.loss = loss,
                                 .n = TARGETS,
                                 .columns = OF_EACH,
                                 .group = 1,
                                 .Y = {Y, TARGETS, OF_EACH, SPACED},
                                 .p = p,
                                 .weights = w};
    for (int64_t i = 0; i < TARGETS; i++)
        for (int64_t k = 0; k < OF_EACH; k++)
            for (int draw = 0; draw < 20; draw++) {
                double u = volt_rng_normal(&rng), g0 = volt_rng_normal(&rng), g, expected = 0, d = 0;
                volt_loss_directions all = {0};
                check_ok(volt_loss_row_slope(&problem, i, k, &u, &g0, 2, &g, &all));
                if (w[i] > 0)
                    loss->kind->slope(p[k], Y[i * SPACED + k], u, g0 / w[i], 2 / w[i], &expected, &d);
                assert_true(g == w[i] * expected);
                assert_int_equal(all.size, d > 0);
                if (d > 0)
                    assert_true(all.items[0].row == i && all.items[0].d == w[i] * d &&
                                all.items[0].count == 1 && all.items[0].first == 0 &&
                                all.numbers[all.items[0].at] == 1);
                free(all.items);
                free(all.numbers);
            }
    volt_loss_free(loss);
}

/* ---- steps of ADMM ---------------------------------------------------------------------------- */

/* The formulas of loss_solve.h with a dense solver. */
static void plain_admm(const small_problem *p, double rho, int steps, double *a, double *c, double *g)
{
    const double *y = p->problem.Y.data;
    double shift = p->problem.alpha / rho, M[ROWS * ROWS], u[ROWS], v[ROWS], b[ROWS], r1[ROWS];
    memcpy(M, p->K, sizeof M);
    for (int i = 0; i < ROWS; i++) {
        M[i * (ROWS + 1)] += shift;
        u[i] = p->problem.weights && p->problem.weights[i] == 0 ? 0 : y[i];
        g[i] = 0;
        r1[i] = 1;
    }
    plain_solve(volt_view_of(M, ROWS, ROWS), volt_matrix_of(r1, ROWS, 1));
    for (int step = 0; step < steps; step++) {
        double sum = 0, ones = 0;
        for (int i = 0; i < ROWS; i++)
            a[i] = b[i] = u[i] - g[i] / rho;
        plain_solve(volt_view_of(M, ROWS, ROWS), volt_matrix_of(a, ROWS, 1));
        for (int i = 0; i < ROWS; i++) {
            sum += a[i];
            ones += r1[i];
        }
        *c = p->problem.intercept ? sum / ones : 0;
        for (int i = 0; i < ROWS; i++) {
            a[i] -= r1[i] * *c;
            v[i] = 1.7 * (b[i] - shift * a[i]) - 0.7 * u[i];
            double next;
            check_ok(volt_loss_row_slope(&p->problem, i, 0, &v[i], &g[i], rho, &next, NULL));
            u[i] = v[i] + (g[i] - next) / rho;
            g[i] = next;
        }
    }
}

static void admm_steps_equal_plain_steps(void **state)
{
    volt_rng rng = test_rng(35);
    volt_loss *loss = NULL;
    check_ok(volt_loss_parse("quantile:q=0.3", &loss));
    for (int form = 0; form < 4; form++) {
        const double rho = 0.9;
        small_problem p;
        double y[ROWS], w[ROWS], a[ROWS], c = 0, g[ROWS], A[ROWS], U[ROWS], G[ROWS], own = 0, r1[ROWS];
        make_small(&rng, form % 2, &p);
        for (int i = 0; i < ROWS; i++) {
            y[i] = volt_rng_normal(&rng);
            w[i] = i % 5 == 2 ? 0 : 0.5 + volt_rng_uniform(&rng);
            r1[i] = 1;
        }
        p.problem.loss = loss;
        p.problem.columns = p.problem.group = 1;
        p.problem.p = loss->values;
        p.problem.Y = volt_view_of(y, ROWS, 1);
        p.problem.weights = form / 2 ? w : NULL;
        p.problem.norm = 100;
        double factor[ROWS * ROWS];
        memcpy(factor, p.K, sizeof factor);
        for (int i = 0; i < ROWS; i++)
            factor[i * (ROWS + 1)] += p.problem.alpha / rho;
        plain_solve(volt_view_of(factor, ROWS, ROWS), volt_matrix_of(r1, ROWS, 1));
        for (int j = 0; j < ROWS; j++) /* Cholesky, below the diagonal of the layout and on it */
            for (int i = j; i < ROWS; i++) {
                double sum = factor[i * ROWS + j];
                for (int k = 0; k < j; k++)
                    sum -= p.layout[i * ROWS + k] * p.layout[j * ROWS + k];
                p.layout[i * ROWS + j] = i == j ? sqrt(sum) : sum / p.layout[j * (ROWS + 1)];
            }
        volt_loss_bound(&p.problem, NULL);
        for (int64_t steps = 1; steps <= 4; steps++) {
            volt_loss_state made = {.A = volt_matrix_of(A, ROWS, 1),
                                    .U = volt_matrix_of(U, ROWS, 1),
                                    .G = volt_matrix_of(G, ROWS, 1),
                                    .c = &own};
            volt_admm_task task = {.r1 = r1, .rho = rho, .tolerance = 1e-12, .max_steps = steps, .every = 2};
            int64_t taken = 10;
            check_ok(volt_admm_run(&p.problem, &task, &made, &taken));
            assert_int_equal(taken, 10 + steps);
            plain_admm(&p, rho, (int)steps, a, &c, g);
            assert_true(fabs(own - c) <= 1e-12);
            for (int i = 0; i < ROWS; i++) {
                double u = c;
                for (int j = 0; j < ROWS; j++)
                    u += p.K[i * ROWS + j] * a[j];
                assert_true(fabs(A[i] - a[i]) <= 1e-11 && fabs(U[i] - u) <= 1e-11);
                if (!p.problem.intercept) /* otherwise they are shifted to the sum 0 */
                    assert_true(fabs(G[i] - g[i]) <= 1e-11);
            }
            task.tolerance = INFINITY; /* the first check ends it */
            task.max_steps = 9;
            taken = 0;
            check_ok(volt_admm_run(&p.problem, &task, &made, &taken));
            assert_int_equal(taken, 2);
        }
    }
    volt_loss_free(loss);
}

/* ---- numbers of steps ------------------------------------------------------------------------- */

enum { COUNTED = 40, OUTPUTS = 5 };

/* A smooth rule with noise, as the loss requires it. */
static void make_targets(const volt_loss *loss, int64_t columns, double *K, double *Y)
{
    volt_rng rng = test_rng(36);
    double x[COUNTED];
    for (int i = 0; i < COUNTED; i++) {
        x[i] = 3 * volt_rng_uniform(&rng);
        double y = sin(2 * x[i]) + 0.3 * volt_rng_normal(&rng);
        for (int64_t k = 0; k < columns; k++)
            Y[i * columns + k] = loss->kind == &volt_loss_logistic  ? (y > 0.2 ? 1 : -1)
                                 : loss->kind == &volt_loss_poisson ? floor(exp(1 + y))
                                 : loss->kind->row                  ? (y < -0.2  ? 0
                                                                       : y < 0.5 ? 1
                                                                                 : 2) == k
                                                                    : y;
    }
    for (int i = 0; i < COUNTED; i++)
        for (int j = 0; j < COUNTED; j++)
            K[i * COUNTED + j] = exp(-2 * pow(x[i] - x[j], 2));
}

static const double count_alpha = 0.05;

/* 1.4826 times the median error of one-step predictions by ridge regression with a constant, from the rows of positive weight
 * before each; the first quarter only trains. */
static double plain_scale(const double *K, const double *Y, int64_t columns, const double *w)
{
    int64_t rows[COUNTED] = {0}, m = 0, count = 0;
    double errors[COUNTED];
    for (int64_t i = 0; i < COUNTED; i++)
        if (w[i] > 0)
            rows[m++] = i;
    for (int64_t t = m / 4; t < m; t++) {
        double M[(COUNTED + 1) * (COUNTED + 1)] = {0}, b[COUNTED + 1] = {0};
        for (int64_t i = 0; i < t; i++) {
            for (int64_t j = 0; j < t; j++)
                M[i * (t + 1) + j] = K[rows[i] * COUNTED + rows[j]] + (i == j ? count_alpha : 0);
            M[i * (t + 1) + t] = M[t * (t + 1) + i] = 1;
            b[i] = Y[rows[i] * columns];
        }
        plain_solve(volt_view_of(M, t + 1, t + 1), volt_matrix_of(b, t + 1, 1));
        double value = b[t];
        for (int64_t i = 0; i < t; i++)
            value += K[rows[t] * COUNTED + rows[i]] * b[i];
        errors[count++] = fabs(Y[rows[t] * columns] - value);
    }
    for (int64_t i = 0; i < count; i++) /* the element in the middle */
        for (int64_t j = i + 1; j < count; j++)
            if (errors[j] < errors[i]) {
                double other = errors[i];
                errors[i] = errors[j];
                errors[j] = other;
            }
    return 1.4826 * errors[count / 2];
}

/* Of K + (alpha / rho) I, by the diagonal of its Cholesky factor. */
static double plain_rcond(const double *K, double rho)
{
    static double L[COUNTED * COUNTED];
    double least = INFINITY, most = 0;
    for (int j = 0; j < COUNTED; j++)
        for (int i = j; i < COUNTED; i++) {
            double sum = K[i * COUNTED + j] + (i == j ? count_alpha / rho : 0);
            for (int k = 0; k < j; k++)
                sum -= L[i * COUNTED + k] * L[j * COUNTED + k];
            L[i * COUNTED + j] = i == j ? sqrt(sum) : sum / L[j * (COUNTED + 1)];
            least = i == j ? fmin(least, sqrt(sum)) : least;
            most = i == j ? fmax(most, sqrt(sum)) : most;
        }
    return least * least / (most * most);
}

/* Both methods converge in the number of steps that their orders of convergence imply. The numbers are those of this problem;
 * rounding may add a step of Newton's method, or a check of the gap of the other, which are 5 steps, and change the rows that
 * are interpolated. */
static void steps_are_few(void **state)
{
    static const struct {
        const char *loss;
        int64_t columns, steps[2], newton_steps[2];
    } cases[] = {
        {"squares", 1, {1, 1}, {0, 0}},
        {"huber:delta=0.3", 1, {10, 40}, {0, 2}},
        {"quantile:q=0.9", 1, {10, 10}, {24, 24}},
        {"quantile:q=0.1/0.3/0.5/0.7/0.9", 5, {10, 10}, {67, 83}},
        {"epsilon:epsilon=0.2", 1, {10, 10}, {31, 31}},
        {"expectile:q=0.8", 1, {10, 25}, {0, 2}},
        {"logistic", 1, {20, 40}, {0, 2}},
        {"multinomial", 3, {20, 110}, {0, 0}},
        {"poisson", 1, {40, 40}, {1, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int form = 0; form < 4; form++) {
            static const double tolerances[] = {1e-4, 1e-10};
            static double before[COUNTED * COUNTED], K[COUNTED * COUNTED], Y[COUNTED * OUTPUTS],
                A[COUNTED * OUTPUTS], U[COUNTED * OUTPUTS];
            double c[OUTPUTS], w[COUNTED], mean = 0;
            int64_t columns = cases[i].columns, counted = 0, weighted = form / 2, strict = form % 2;
            volt_loss *loss = NULL;
            check_ok(volt_loss_parse(cases[i].loss, &loss));
            make_targets(loss, columns, before, Y);
            memcpy(K, before, sizeof K);
            for (int64_t t = 0; t < COUNTED; t++) {
                w[t] = !weighted ? 1 : t % 9 == 4 ? 0 : 0.5 + (double)(t % 4);
                counted += w[t] > 0;
                mean += w[t];
            }
            volt_loss_task task = {.loss = loss,
                                   .Y = volt_view_of(Y, COUNTED, columns),
                                   .weights = weighted ? w : NULL,
                                   .alpha = count_alpha,
                                   .tolerance = tolerances[strict],
                                   .intercept = true,
                                   .share = 1};
            volt_loss_result result = {
                .A = volt_matrix_of(A, COUNTED, columns), .U = volt_matrix_of(U, COUNTED, columns), .c = c};
            check_ok(volt_loss_minimise(volt_matrix_of(K, COUNTED, COUNTED), &task, &result));
            double scale = loss->kind->by_residuals ? plain_scale(before, Y, columns, w) : 1;
            double rcond = plain_rcond(before, loss->kind->rho / scale * mean / (double)counted);
            print_message("# %s, %g: %d and %d steps, gap %g of %g, rcond %g, expected %g\n", cases[i].loss,
                          task.tolerance, (int)result.steps, (int)result.newton_steps, result.gap,
                          result.objective, result.rcond, rcond);
            assert_true(result.gap <= task.tolerance * fabs(result.objective));
            bool squares = loss->kind == &volt_loss_squares;
            if (squares ? !weighted
                        : !loss->kind->row || !strict) /* otherwise rho is adapted, or there is none */
                assert_true(fabs(result.rcond - rcond) <= 1e-9 * rcond);
            if (!weighted) {
                int64_t steps = cases[i].steps[strict], newton_steps = cases[i].newton_steps[strict];
                assert_true(result.steps >= (squares ? 1 : 5) &&
                            result.steps <= steps + (!squares && (steps < 40 || loss->kind->row) ? 5 : 0));
                assert_true(result.newton_steps <= newton_steps + (loss->kind->smooth ? 0 : newton_steps / 4));
                assert_true(result.newton_steps >= (newton_steps > 0));
            }
            volt_loss_free(loss);
        }
}

/* Equal targets are their own constant: no coefficients, no steps, no gap. */
static void constant_targets_need_no_steps(void **state)
{
    enum { ROWS_OF_ONE = 7, PAIR = 2 };
    static const char *const texts[] = {"huber:delta=0.3", "quantile:q=0.4", "epsilon:epsilon=0.1", "squares"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        double K[ROWS_OF_ONE * ROWS_OF_ONE], Y[ROWS_OF_ONE * PAIR], A[ROWS_OF_ONE * PAIR],
            U[ROWS_OF_ONE * PAIR], c[PAIR];
        volt_loss *loss = NULL;
        check_ok(volt_loss_parse(texts[t], &loss));
        for (int i = 0; i < ROWS_OF_ONE; i++) {
            for (int j = 0; j < ROWS_OF_ONE; j++)
                K[i * ROWS_OF_ONE + j] = exp(-0.3 * (i - j) * (i - j));
            for (int k = 0; k < PAIR; k++) {
                Y[i * PAIR + k] = 1.5 - 4 * k;
                A[i * PAIR + k] = U[i * PAIR + k] = NAN;
            }
        }
        volt_loss_task task = {.loss = loss,
                               .Y = volt_view_of(Y, ROWS_OF_ONE, PAIR),
                               .alpha = 0.1,
                               .tolerance = 1e-6,
                               .intercept = true,
                               .share = 1};
        volt_loss_result result = {.A = volt_matrix_of(A, ROWS_OF_ONE, PAIR),
                                   .U = volt_matrix_of(U, ROWS_OF_ONE, PAIR),
                                   .c = c,
                                   .gap = 7,
                                   .steps = 7,
                                   .newton_steps = 7};
        check_ok(volt_loss_minimise(volt_matrix_of(K, ROWS_OF_ONE, ROWS_OF_ONE), &task, &result));
        assert_true(result.gap == 0 && result.objective == 0 && result.rcond == 1);
        assert_true(result.steps == 0 && result.newton_steps == 0);
        for (int i = 0; i < ROWS_OF_ONE * PAIR; i++)
            assert_true(A[i] == 0 && U[i] == Y[i]);
        assert_true(c[0] == 1.5 && c[1] == -2.5);
        volt_loss_free(loss);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_solve_equals_full_solve),
        cmocka_unit_test(newton_step_solves_its_equations),
        cmocka_unit_test(directions_are_the_derivative_of_slopes),
        cmocka_unit_test(slopes_of_several_columns),
        cmocka_unit_test(admm_steps_equal_plain_steps),
        cmocka_unit_test(steps_are_few),
        cmocka_unit_test(constant_targets_need_no_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
