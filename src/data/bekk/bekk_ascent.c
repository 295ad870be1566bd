/* src/data/bekk/bekk_ascent.c: maximises the log-likelihood of the BEKK model from a given point.
 *
 * Unbounded coordinates: the upper triangle of C, and for every asset the image of the open disc a^2 + b^2 < 1
 * in the plane,
 *
 *     a = u / sqrt(1 + u^2 + v^2),   b = v / sqrt(1 + u^2 + v^2).
 *
 * In these the curvature differs by orders of magnitude between directions. A round therefore begins with a
 * matrix J = R R' that approximates minus the Hessian, and optimises over y with x = x_0 + R'^{-1} y, where
 * the curvature is about 1 in all directions. The limited-memory BFGS of NLopt (Nocedal 1980, Liu and Nocedal
 * 1989) then needs few iterations. J is the sum of outer products of the scores, plus the contribution of C C'
 * (below). When that stalls, J is the Hessian itself, by differences, which costs 2 P evaluations. Rounds are
 * repeated until 1/2 g' J^{-1} g, the second-order estimate of the remaining gain, is negligible. */
#include "data/bekk/bekk_likelihood.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/symmetric_eigen.h"

#include <inttypes.h>
#include <math.h>
#include <nlopt.h>
#include <string.h>

enum { EVALUATIONS_A_ROUND = 100, ROUNDS_BY_SCORES = 12 };

typedef struct climber {
    volt_bekk_likelihood *likelihood;
    volt_stage *stage;
    nlopt_opt optimiser;
    int64_t d, entries, count; /* count: parameters */
    double *point, *C, *a, *b; /* of the last evaluation, in one block */
    double *gradient;          /* P: with respect to C, a, b, then with respect to x */
    double *centre, *x;        /* P: start of the round, and the current point */
    double *scale;             /* P x P: R */
    double *y, *differences;   /* P, 2 P */
    double *scores, *workspace;
    double *eigen; /* 2 x d x d */
    double *memory;
    int64_t evaluations;
} climber;

static volt_status make_climber(volt_bekk_likelihood *likelihood, volt_stage *stage, climber *made)
{
    int64_t d = likelihood->d, P = volt_bekk_parameter_count(d);
    double *memory = volt_alloc_zero(d * d + 2 * d + 6 * P + P * P + likelihood->n * P +
                                         volt_bekk_scores_workspace(d) + 2 * d * d,
                                     sizeof *memory);
    if (!memory)
        return VOLT_ERR_MEMORY;
    climber fresh = {
        .likelihood = likelihood, .stage = stage, .d = d, .entries = likelihood->entries, .count = P};
    fresh.memory = fresh.point = fresh.C = memory;
    fresh.a = fresh.C + d * d;
    fresh.b = fresh.a + d;
    fresh.gradient = fresh.b + d;
    fresh.centre = fresh.gradient + P;
    fresh.x = fresh.centre + P;
    fresh.y = fresh.x + P;
    fresh.differences = fresh.y + P;
    fresh.scale = fresh.differences + 2 * P;
    fresh.scores = fresh.scale + P * P;
    fresh.workspace = fresh.scores + likelihood->n * P;
    fresh.eigen = fresh.workspace + volt_bekk_scores_workspace(d);
    *made = fresh;
    return VOLT_OK;
}

/* ---- coordinates ------------------------------------------------------------------------------ */

static void to_coordinates(const climber *climb, const double *C, const double *a, const double *b, double *x)
{
    int64_t d = climb->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++)
            *x++ = C[i * d + j];
    for (int64_t i = 0; i < d; i++) {
        double stretch = 1 / sqrt(1 - a[i] * a[i] - b[i] * b[i]);
        x[i] = a[i] * stretch;
        x[d + i] = b[i] * stretch;
    }
}

static void from_coordinates(const climber *climb, const double *x, double *C, double *a, double *b)
{
    int64_t d = climb->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++)
            C[i * d + j] = *x++;
    for (int64_t i = 0; i < d; i++) {
        double length = sqrt(1 + x[i] * x[i] + x[d + i] * x[d + i]);
        a[i] = x[i] / length;
        b[i] = x[d + i] / length;
    }
}

/* Transforms derivatives with respect to C, a, b to derivatives with respect to x, in place. */
static void turn_derivatives(const climber *climb, const double *x, double *derivatives)
{
    int64_t d = climb->d;
    const double *u = x + climb->entries, *v = u + d;
    double *by_a = derivatives + climb->entries, *by_b = by_a + d;
    for (int64_t i = 0; i < d; i++) {
        double square = 1 + u[i] * u[i] + v[i] * v[i], cube = square * sqrt(square);
        double ga = by_a[i], gb = by_b[i];
        by_a[i] = (ga * (1 + v[i] * v[i]) - gb * u[i] * v[i]) / cube;
        by_b[i] = (gb * (1 + u[i] * u[i]) - ga * u[i] * v[i]) / cube;
    }
}

/* Log-likelihood at x, and climb->gradient with respect to x; false when a covariance is not positive
 * definite. */
static int evaluate(climber *climb, const double *x, double *loglik)
{
    from_coordinates(climb, x, climb->C, climb->a, climb->b);
    climb->evaluations++;
    if (volt_bekk_likelihood_evaluate(climb->likelihood, climb->C, climb->a, climb->b, loglik,
                                      climb->gradient) >= 0)
        return 0;
    turn_derivatives(climb, x, climb->gradient);
    return 1;
}

/* The index of entry (i, j) of C, j >= i, among the parameters. */
static int64_t index_in_C(int64_t d, int64_t i, int64_t j)
{
    return i * d - i * (i - 1) / 2 + j - i;
}

/* ---- one round -------------------------------------------------------------------------------- */

/* The log-likelihood depends on C through C C', which adds curvature: minus its Hessian has -2 sum G_t
 * between the entries of a column of C. Where C C' tends to a singular matrix the scores vanish, and this is
 * the only curvature. Adds its positive part to J. */
static void add_product_curvature(climber *climb)
{
    int64_t d = climb->d, P = climb->count;
    double *values = climb->eigen, *vectors = values + d * d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            values[i * d + j] = -2 * climb->likelihood->sums[volt_packed(i, j)];
    if (!volt_symmetric_eigen(d, values, vectors))
        return;
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k <= i; k++) {
            double part = 0;
            for (int64_t l = 0; l < d; l++)
                part += fmax(values[l * d + l], 0) * vectors[l * d + i] * vectors[l * d + k];
            for (int64_t j = i; j < d; j++)
                climb->scale[index_in_C(d, i, j) * P + index_in_C(d, k, j)] += part;
        }
}

/* J of the scores at x, lower triangle. Directions in which all scores vanish get a small curvature, so that
 * J is invertible. */
static void outer_product(climber *climb, const double *x)
{
    int64_t P = climb->count, n = climb->likelihood->n;
    for (int64_t t = 0; t < n; t++)
        turn_derivatives(climb, x, climb->scores + t * P);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)P, (int)n, 1, climb->scores, (int)P, 0,
                climb->scale, (int)P);
    add_product_curvature(climb);
    for (int64_t k = 0; k < P; k++)
        climb->scale[k * P + k] = climb->scale[k * P + k] * (1 + 1e-8) + 1e-8;
}

/* Minus the Hessian with respect to x, without terms that vanish with the gradient. */
static int minus_hessian(climber *climb, const double *x)
{
    int64_t P = climb->count;
    if (!volt_bekk_minus_hessian(climb->likelihood, climb->point, climb->scores, climb->stage, 0,
                                 climb->differences, climb->scale))
        return 0;
    climb->evaluations += 2 * P;
    for (int side = 0; side < 2; side++) { /* transform the rows, transpose, transform the rows */
        for (int64_t k = 0; k < P; k++)
            turn_derivatives(climb, x, climb->scale + k * P);
        for (int64_t k = 0; k < P; k++)
            for (int64_t l = 0; l < k; l++) {
                double kept = climb->scale[k * P + l];
                climb->scale[k * P + l] = climb->scale[l * P + k];
                climb->scale[l * P + k] = kept;
            }
    }
    return 1;
}

static int factorise_scale(climber *climb)
{
    volt_blas_int order = (volt_blas_int)climb->count, info = 0;
    dpotrf_("U", &order, climb->scale, &order, &info, 1);
    return info == 0;
}

/* R at x, just evaluated; returns 1/2 g' J^{-1} g. */
static double measure_scale(climber *climb, const double *x, int by_scores)
{
    int64_t P = climb->count;
    volt_bekk_scores(climb->likelihood, climb->C, climb->a, climb->b, climb->workspace, climb->scores);
    if (by_scores || !minus_hessian(climb, x) || !factorise_scale(climb)) {
        outer_product(climb, x);
        if (!factorise_scale(climb)) { /* rounding: use a scale without directions */
            memset(climb->scale, 0, (size_t)(P * P) * sizeof *climb->scale);
            for (int64_t k = 0; k < P; k++)
                climb->scale[k * P + k] =
                    fmax(cblas_dnrm2((int)climb->likelihood->n, climb->scores + k, (int)P), 1e-4);
        }
    }
    memcpy(climb->y, climb->gradient, (size_t)P * sizeof *climb->y);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)P, climb->scale, (int)P, climb->y,
                1);
    return 0.5 * cblas_ddot((int)P, climb->y, 1, climb->y, 1);
}

/* x = centre + R'^{-1} y. */
static void move(const climber *climb, const double *y, double *x)
{
    int p = (int)climb->count;
    memcpy(x, y, (size_t)climb->count * sizeof *x);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, p, climb->scale, p, x, 1);
    for (int64_t k = 0; k < climb->count; k++)
        x[k] += climb->centre[k];
}

/* Objective for NLopt, which always requests the gradient: minus the log-likelihood at y. */
static double objective(unsigned count, const double *y, double *gradient, void *context)
{
    climber *climb = context;
    double loglik = 0;
    if (!volt_stage_advance(climb->stage, 0))
        nlopt_force_stop(climb->optimiser);
    move(climb, y, climb->x);
    if (!evaluate(climb, climb->x, &loglik)) {
        memset(gradient, 0, count * sizeof *gradient);
        return HUGE_VAL;
    }
    int p = (int)climb->count;
    for (int64_t k = 0; k < climb->count; k++)
        gradient[k] = -climb->gradient[k];
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, p, climb->scale, p, gradient, 1);
    return -loglik;
}

/* Runs the optimiser from the centre, and moves the centre to the best point found. */
static volt_status run_round(climber *climb, double *loglik)
{
    nlopt_opt optimiser = nlopt_create(NLOPT_LD_LBFGS, (unsigned)climb->count);
    if (!optimiser)
        return volt_fail(VOLT_ERR_MEMORY, "could not allocate the optimiser of %" PRId64 " parameters",
                         climb->count);
    climb->optimiser = optimiser;
    double lowest = 0;
    memset(climb->y, 0, (size_t)climb->count * sizeof *climb->y);
    nlopt_set_min_objective(optimiser, objective, climb);
    nlopt_set_maxeval(optimiser, EVALUATIONS_A_ROUND);
    nlopt_set_ftol_abs(optimiser, 1e-10);
    nlopt_result result = nlopt_optimize(optimiser, climb->y, &lowest);
    nlopt_destroy(optimiser);
    climb->optimiser = NULL;
    VOLT_REQUIRE(result != NLOPT_OUT_OF_MEMORY, VOLT_ERR_MEMORY,
                 "not enough memory to optimise %" PRId64 " parameters", climb->count);

    double reached = 0; /* a better point is used whatever the status */
    move(climb, climb->y, climb->x);
    if (evaluate(climb, climb->x, &reached) && reached > *loglik) {
        memcpy(climb->centre, climb->x, (size_t)climb->count * sizeof *climb->x);
        *loglik = reached;
    }
    return VOLT_OK;
}

/* ---- rounds ----------------------------------------------------------------------------------- */

static volt_status climb_rounds(climber *climb, int64_t rounds, double enough, volt_bekk_ascent *ascent)
{
    double loglik = 0, gain_left = INFINITY;
    VOLT_REQUIRE(evaluate(climb, climb->centre, &loglik), VOLT_ERR_SINGULAR,
                 "the likelihood cannot be computed at the starting point");
    int by_scores = 1;
    for (int64_t round = 0; round < rounds; round++) {
        by_scores = by_scores && round < ROUNDS_BY_SCORES;
        gain_left = measure_scale(climb, climb->centre, by_scores);
        if (gain_left < enough)
            break;
        double before = loglik, value = 0;
        VOLT_TRY(run_round(climb, &loglik));
        if (!volt_stage_advance(climb->stage, 1))
            return volt_stage_end(climb->stage);
        if (!(loglik > before) && !by_scores)
            break;
        by_scores = by_scores && loglik > before; /* stalled: use the Hessian */
        evaluate(climb, climb->centre,
                 &value); /* slopes for the scores at the centre, where the evaluation succeeded before */
    }
    ascent->loglik = loglik;
    ascent->gain_left = gain_left;
    ascent->evaluations = climb->evaluations;
    return VOLT_OK;
}

volt_status volt_bekk_climb(volt_bekk_likelihood *likelihood, int64_t rounds, double enough, volt_stage *stage,
                            double *point, volt_bekk_ascent *ascent)
{
    climber climb;
    VOLT_TRY(make_climber(likelihood, stage, &climb));
    int64_t d = likelihood->d;
    double *C = point, *a = C + d * d, *b = a + d;
    to_coordinates(&climb, C, a, b, climb.centre);
    volt_status status = climb_rounds(&climb, rounds, enough, ascent);
    if (status == VOLT_OK)
        from_coordinates(&climb, climb.centre, C, a, b);
    volt_free(climb.memory);
    return status;
}
