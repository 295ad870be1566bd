/* tests/property/test_loss_differential.c: readouts under every loss against the plain minimiser, over random combinations of
 * loss, rank of the kernel, ties, weights, intercept and alpha.
 *
 * LOSS_CASES and LOSS_SEED in the environment run more combinations or others. */
#include "base/error.h"
#include "solve/loss/loss_solve.h"
#include "support/check.h"
#include "support/plain_losses.h"
#include "support/sequences.h"

enum { CASES = UNDER_SANITIZERS ? 40 : 120 };

static const double TOLERANCE = 1e-6;

typedef struct combination {
    char text[64];
    plain_loss_problem plain;
    double F[PLAIN_ROWS * PLAIN_ROWS], Y[PLAIN_ROWS * PLAIN_COLUMNS], weights[PLAIN_ROWS];
    bool weighted;
    double scale; /* J of f = 0, c = 0 */
} combination;

/* ---- random combinations ---------------------------------------------------------------------- */

static double pick(volt_rng *rng, int64_t count, const double *values)
{
    return values[(int64_t)(volt_rng_uniform(rng) * (double)count)];
}

static void draw_loss(volt_rng *rng, combination *c)
{
    static const double levels[] = {0.05, 0.1, 0.3, 0.5, 0.8, 0.95}, widths[] = {0.01, 0.1, 0.5, 3};
    plain_loss_problem *p = &c->plain;
    p->columns = 1;
    double kind = volt_rng_uniform(rng);
    if (kind < 0.3) {
        p->kind = PLAIN_QUANTILE;
        p->p[0] = pick(rng, 6, levels);
        snprintf(c->text, sizeof c->text, "quantile:q=%g", p->p[0]);
    } else if (kind < 0.5) {
        bool three = volt_rng_uniform(rng) < 0.5;
        p->kind = PLAIN_QUANTILE;
        p->columns = three ? 3 : 2;
        p->p[0] = three ? 0.1 : 0.3;
        p->p[1] = three ? 0.5 : 0.6;
        p->p[2] = 0.9;
        snprintf(c->text, sizeof c->text, three ? "quantile:q=0.1/0.5/0.9" : "quantile:q=0.3/0.6");
    } else if (kind < 0.75) {
        p->kind = PLAIN_EPSILON;
        p->p[0] = pick(rng, 4, widths);
        snprintf(c->text, sizeof c->text, "epsilon:epsilon=%g", p->p[0]);
    } else {
        static const plain_loss_kind kinds[] = {PLAIN_SQUARES,  PLAIN_HUBER,       PLAIN_EXPECTILE,
                                                PLAIN_LOGISTIC, PLAIN_MULTINOMIAL, PLAIN_POISSON};
        static const char *const names[] = {"squares",  "huber:delta=%g", "expectile:q=%g",
                                            "logistic", "multinomial",    "poisson"};
        int64_t which = (int64_t)(volt_rng_uniform(rng) * 6);
        p->kind = kinds[which];
        p->p[0] = which == 1 ? pick(rng, 4, widths) : which == 2 ? pick(rng, 6, levels) : 0;
        p->columns = p->kind == PLAIN_MULTINOMIAL ? 3 : 1;
        const char *name = names[which];
        int64_t length = (int64_t)strcspn(name, "%");
        if (name[length])
            snprintf(c->text, sizeof c->text, "%.*s%g", (int)length, name, p->p[0]);
        else
            snprintf(c->text, sizeof c->text, "%s", name);
    }
}

/* Every class, and counts above 0, where every row has a weight: the minimum exists. */
static void draw_targets(volt_rng *rng, combination *c)
{
    plain_loss_problem *p = &c->plain;
    bool rounded = volt_rng_uniform(rng) < 0.5, follows = volt_rng_uniform(rng) < 0.5;
    double shift = volt_rng_uniform(rng) < 0.3 ? 3 : 0;
    for (int64_t i = 0; i < p->n; i++) {
        double y = volt_rng_normal(rng) + (follows && p->rank ? 2 * c->F[i * p->rank] : 0) + shift;
        if (rounded)
            y = rint(2 * y) / 2;
        for (int64_t k = 0; k < p->columns; k++) {
            double *to = &c->Y[i * p->columns + k];
            *to = p->kind == PLAIN_LOGISTIC      ? (i == 0   ? 1
                                                    : i == 1 ? -1
                                                    : y > 0  ? 1
                                                             : -1)
                  : p->kind == PLAIN_POISSON     ? floor(fabs(y)) + (i == 0)
                  : p->kind == PLAIN_MULTINOMIAL ? (k == (i < 3      ? i
                                                          : y < -0.4 ? 0
                                                          : y < 0.4  ? 1
                                                                     : 2))
                                                 : y;
            if (c->weights[i] == 0 && p->kind <= PLAIN_EXPECTILE)
                *to = -9999; /* a placeholder */
        }
    }
}

static void draw_weights(volt_rng *rng, combination *c)
{
    double kind = volt_rng_uniform(rng);
    c->weighted = kind > 0.4;
    for (int64_t i = 0; i < c->plain.n; i++) {
        double u = volt_rng_uniform(rng), z = volt_rng_normal(rng);
        c->weights[i] = kind < 0.4   ? 1
                        : kind < 0.6 ? 0.2 + 2 * u
                        : kind < 0.8 ? (u < 0.4 && i > 2 ? 0 : 0.2 + u)
                        : kind < 0.9 ? rint(3 * u) + (i < 3)
                                     : pow(10, z);
    }
}

static void draw(volt_rng *rng, combination *c)
{
    memset(c, 0, sizeof *c);
    plain_loss_problem *p = &c->plain;
    draw_loss(rng, c);
    p->n = 4 + (int64_t)(volt_rng_uniform(rng) * (PLAIN_ROWS - 4));
    if (volt_rng_uniform(rng) < 0.7) { /* rank 0: a kernel that is 0 everywhere */
        p->rank = (int64_t)(volt_rng_uniform(rng) * 4.2);
    } else {
        p->n = 4 + (int64_t)(volt_rng_uniform(rng) * 8);
        p->rank = p->n;
    }
    bool rounded = volt_rng_uniform(rng) < 0.5;
    double size = pow(10, 3 * volt_rng_uniform(rng) - 1.5);
    for (int64_t i = 0; i < p->n * p->rank; i++) {
        double z = volt_rng_normal(rng);
        c->F[i] = size * (rounded ? rint(z) : z);
    }
    draw_weights(rng, c);
    draw_targets(rng, c);
    p->F = c->F;
    p->Y = c->Y;
    p->weights = c->weights;
    p->alpha = pow(10, 6 * volt_rng_uniform(rng) - 4) * size * size;
    p->intercept = volt_rng_uniform(rng) < 0.6;
    p->ordered = p->kind == PLAIN_QUANTILE && p->columns > 1;
    double zero[PLAIN_ROWS * PLAIN_COLUMNS] = {0};
    c->scale = plain_loss_objective(p, zero, 0);
}

/* ---- the library's readout -------------------------------------------------------------------- */

typedef struct readout {
    double A[PLAIN_ROWS * PLAIN_COLUMNS], U[PLAIN_ROWS * PLAIN_COLUMNS], c[PLAIN_COLUMNS];
    double u[PLAIN_ROWS * PLAIN_COLUMNS], norm; /* from A and c by the features */
    double objective, gap;
    int64_t steps;
} readout;

static volt_status solve(const combination *c, readout *r)
{
    const plain_loss_problem *p = &c->plain;
    int64_t n = p->n, m = p->columns;
    double K[PLAIN_ROWS * PLAIN_ROWS];
    volt_loss *loss = NULL;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            K[i * n + j] = 0;
            for (int64_t f = 0; f < p->rank; f++)
                K[i * n + j] += c->F[i * p->rank + f] * c->F[j * p->rank + f];
        }
    check_ok(volt_loss_parse(c->text, &loss));
    volt_loss_task task = {.loss = loss,
                           .Y = volt_view_of(c->Y, n, m),
                           .weights = c->weighted ? c->weights : NULL,
                           .alpha = p->alpha,
                           .tolerance = TOLERANCE,
                           .intercept = p->intercept,
                           .share = 1};
    volt_loss_result result = {.A = volt_matrix_of(r->A, n, m), .U = volt_matrix_of(r->U, n, m), .c = r->c};
    volt_status status = volt_loss_minimise(volt_matrix_of(K, n, n), &task, &result);
    r->objective = result.objective;
    r->gap = result.gap;
    r->steps = result.steps + 1000000 * result.newton_steps;
    volt_loss_free(loss);
    return status;
}

/* u and |f|^2 of the readout, by the features. */
static void expand(const combination *c, readout *r)
{
    const plain_loss_problem *p = &c->plain;
    r->norm = 0;
    for (int64_t k = 0; k < p->columns; k++) {
        double b[PLAIN_ROWS] = {0};
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t f = 0; f < p->rank; f++)
                b[f] += c->F[i * p->rank + f] * r->A[i * p->columns + k];
        for (int64_t f = 0; f < p->rank; f++)
            r->norm += b[f] * b[f];
        for (int64_t i = 0; i < p->n; i++) {
            r->u[i * p->columns + k] = r->c[k];
            for (int64_t f = 0; f < p->rank; f++)
                r->u[i * p->columns + k] += c->F[i * p->rank + f] * b[f];
        }
    }
}

/* Relative to the largest level or target. */
static double largest_crossing(const combination *c, const readout *r)
{
    int64_t m = c->plain.columns;
    double most = 0, size = DBL_MIN;
    for (int64_t i = 0; i < c->plain.n * m; i++)
        if (c->weights[i / m] > 0)
            size = fmax(size, fmax(fabs(r->u[i]), fabs(c->Y[i])));
    for (int64_t i = 0; i < c->plain.n; i++)
        for (int64_t k = 1; c->plain.ordered && c->weights[i] > 0 && k < m; k++)
            most = fmax(most, r->u[i * m + k - 1] - r->u[i * m + k]);
    return most / size;
}

/* Returns a description of the error in the readout, or NULL. */
static const char *fault(const combination *c, volt_status status, const readout *r, double low, double high)
{
    /* roundings of the two evaluations */
    double rounding = 1e-9 * (fabs(c->scale) + fabs(high));
    if (status != VOLT_OK)
        return "the status is not 0";
    double J = plain_loss_objective(&c->plain, r->u, r->norm);
    /* multipliers of levels that must be equal can be large, and a' K a has their roundings: the gap counts them */
    if (!(fabs(J - r->objective) <= rounding + r->gap))
        return "the objective is not that of the readout";
    if (largest_crossing(c, r) > 1e-8)
        return "levels cross";
    if (!(J >= low - rounding))
        return "the objective lies below the minimum";
    if (!(J - r->gap <= high + rounding))
        return "the gap is too small";
    if (!(r->gap <= TOLERANCE * fabs(J) + rounding))
        return "the gap is open";
    return NULL;
}

static int64_t from_environment(const char *name, int64_t usual)
{
    const char *text = getenv(name);
    return text ? strtoll(text, NULL, 10) : usual;
}

static void readouts_attain_the_minimum(void **state)
{
    volt_rng rng = test_rng((uint64_t)from_environment("LOSS_SEED", 2701));
    int64_t cases = from_environment("LOSS_CASES", CASES), wrong = 0, open = 0;
    for (int64_t i = 0; i < cases; i++) {
        combination c;
        readout r = {0};
        double low, high;
        draw(&rng, &c);
        volt_status status = solve(&c, &r);
        expand(&c, &r);
        plain_loss_minimum(&c.plain, &low, &high);
        open += !(high - low <= 1e-9 * (fabs(c.scale) + fabs(high)));
        const char *text = fault(&c, status, &r, low, high);
        if (!text)
            continue;
        wrong++;
        print_message("# case %" PRId64 ": %s, %" PRId64 " rows of rank %" PRId64
                      "%s%s, alpha %g: %s; objective %.12g, gap %.3g, minimum in [%.12g, %.12g], steps %" PRId64
                      "%s%s\n",
                      i, c.text, c.plain.n, c.plain.rank, c.weighted ? ", weighted" : "",
                      c.plain.intercept ? "" : ", no intercept", c.plain.alpha, text, r.objective, r.gap, low,
                      high, r.steps, status ? ": " : "", status ? volt_error_detail() : "");
    }
    print_message("# %" PRId64 " of %" PRId64 " combinations wrong, %" PRId64 " wide brackets\n", wrong, cases,
                  open);
    assert_int_equal(wrong, 0);
    assert_true(open <= cases / 50); /* the plain minimiser knows what it compares with */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(readouts_attain_the_minimum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
