/* src/select/search/cma.c: CMA-ES with weighted recombination, cumulative step-size adaptation, and rank-one
 * and rank-mu updates with negative weights. Equation numbers refer to Hansen, "The CMA Evolution Strategy: A
 * Tutorial", arXiv:1604.00772v2 (2023).
 *
 *     z_k ~ N(0, I),  y_k = B D z_k,  x_k = m + sigma y_k            (38-40)    C = B D^2 B'
 *
 * Bounds: the point to be evaluated is x_k reflected into the unit box, and the distribution learns from x_k
 * itself. The values are thus those of a continuous function on the whole space, the even periodic extension
 * of the given one, and no penalty is needed.
 *
 * C is diagonalised in every generation, so C^{-1/2} y_k = B z_k. */
#include "select/search/cma.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/symmetric_eigen.h"
#include "select/candidates/candidates.h"

#include <math.h>
#include <string.h>

enum { MIN_STAGNANT = 120, MIN_POPULATION = 4 };
static const double max_condition = 1e14;

struct volt_cma {
    int64_t n, population, parents;
    double mass, c_sigma, d_sigma, c_c, c_1, c_mu; /* mass: mu_eff */
    double length;                                 /* E |N(0, I)| */
    double sigma, tolerance_x, tolerance_value;
    int64_t generation;
    double *weights;         /* population, in order of rank; negative for the worse half */
    double *mean, *p_sigma;  /* n */
    double *p_c, *mean_step; /* n; the second is <y>_w, then B <z>_w */
    double *C, *B, *D;       /* n x n (lower triangle), n x n with eigenvectors in rows, n */
    double *work;            /* n x n */
    double *z, *y, *points;  /* population x n */
    int64_t *order;          /* population */
    double *best;            /* best values of the last `window` generations, the newest last */
    int64_t window, n_best;
};

/* ---- parameters of the strategy -------------------------------------------------------------------- */

/* Rates that depend on n and on the mass of the positive weights: (55) to (58). */
static void set_rates(volt_cma *c)
{
    double n = (double)c->n, mass = c->mass;
    c->c_sigma = (mass + 2) / (n + mass + 5);
    c->d_sigma = 1 + 2 * fmax(0, sqrt((mass - 1) / (n + 1)) - 1) + c->c_sigma;
    c->c_c = (4 + mass / n) / (n + 4 + 2 * mass / n);
    c->c_1 = 2 / ((n + 1.3) * (n + 1.3) + mass);
    c->c_mu = fmin(1 - c->c_1, 2 * (0.25 + mass + 1 / mass - 2) / ((n + 2) * (n + 2) + mass));
    c->length = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

/* mu_eff = (sum w)^2 / sum w^2 of `count` weights. */
static double mass_of(const double *weights, int64_t count)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += weights[i];
        squares += weights[i] * weights[i];
    }
    return squares > 0 ? sum * sum / squares : 0;
}

/* The weights: (49) to (53). The positive ones sum to 1. */
static void set_weights(volt_cma *c)
{
    double positive = 0, negative = 0, n = (double)c->n;
    c->parents = c->population / 2;
    for (int64_t i = 0; i < c->population; i++) {
        c->weights[i] = log(((double)c->population + 1) / 2) - log((double)i + 1);
        *(i < c->parents ? &positive : &negative) += fabs(c->weights[i]);
    }
    c->mass = mass_of(c->weights, c->parents);
    set_rates(c);
    double mass_negative = mass_of(c->weights + c->parents, c->population - c->parents);
    double most = fmin(1 + c->c_1 / c->c_mu, 1 + 2 * mass_negative / (c->mass + 2));
    most = fmin(most, (1 - c->c_1 - c->c_mu) / (n * c->c_mu));
    for (int64_t i = 0; i < c->population; i++)
        c->weights[i] *= i < c->parents ? 1 / positive : most / negative;
}

/* ---- creation -------------------------------------------------------------------------------------- */

void volt_cma_free(volt_cma *cma)
{
    if (!cma)
        return;
    volt_free(cma->order);
    volt_free(cma->weights); /* the first of all numbers */
    volt_free(cma);
}

static double *take(double **numbers, int64_t count)
{
    double *taken = *numbers;
    *numbers += count;
    return taken;
}

static volt_status allocate(volt_cma *c)
{
    int64_t n = c->n, samples = c->population * n;
    double *numbers =
        volt_alloc_zero(c->population + 4 * n + 3 * n * n + n + 3 * samples + c->window, sizeof *numbers);
    c->order = volt_alloc(c->population, sizeof *c->order);
    c->weights = numbers;
    if (!numbers || !c->order)
        return VOLT_ERR_MEMORY;
    take(&numbers, c->population);
    c->mean = take(&numbers, n);
    c->p_sigma = take(&numbers, n);
    c->p_c = take(&numbers, n);
    c->mean_step = take(&numbers, n);
    c->C = take(&numbers, n * n);
    c->B = take(&numbers, n * n);
    c->work = take(&numbers, n * n);
    c->D = take(&numbers, n);
    c->z = take(&numbers, samples);
    c->y = take(&numbers, samples);
    c->points = take(&numbers, samples);
    c->best = take(&numbers, c->window);
    return VOLT_OK;
}

volt_status volt_cma_create(const volt_cma_options *options, volt_cma **cma)
{
    int64_t n = options->n;
    VOLT_REQUIRE(n >= 1 && options->sigma > 0, VOLT_ERR_ARGUMENT,
                 "CMA-ES requires at least 1 dimension and a positive step size");
    volt_cma *c = volt_alloc_zero(1, sizeof *c);
    if (!c)
        return VOLT_ERR_MEMORY;
    c->n = n;
    c->population = options->population ? options->population : MIN_POPULATION + (int64_t)(3 * log((double)n));
    c->population = volt_max(c->population, MIN_POPULATION);
    c->sigma = options->sigma;
    c->tolerance_x = options->tolerance_x > 0 ? options->tolerance_x : 1e-12 * options->sigma;
    c->tolerance_value = options->tolerance_value;
    c->window = MIN_STAGNANT + 30 * n / c->population;
    if (allocate(c) != VOLT_OK) {
        volt_cma_free(c);
        return VOLT_ERR_MEMORY;
    }
    set_weights(c);
    for (int64_t i = 0; i < n; i++) {
        c->mean[i] = options->start[i];
        c->C[i * n + i] = c->B[i * n + i] = c->D[i] = 1;
    }
    *cma = c;
    return VOLT_OK;
}

int64_t volt_cma_population(const volt_cma *cma)
{
    return cma->population;
}

/* ---- one generation -------------------------------------------------------------------------------- */

/* y = B z, with the columns of B in rows. */
static void turn(const volt_cma *c, const double *z, double *y)
{
    memset(y, 0, (size_t)c->n * sizeof *y);
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t i = 0; i < c->n; i++)
            y[i] += z[j] * c->B[j * c->n + i];
}

void volt_cma_ask(volt_cma *cma, uint64_t seed, uint64_t stream)
{
    int64_t n = cma->n;
    for (int64_t k = 0; k < cma->population; k++) {
        double *z = cma->z + k * n, *y = cma->y + k * n, *point = cma->points + k * n;
        volt_rng rng;
        volt_rng_init(&rng, seed, stream + (uint64_t)k);
        for (int64_t i = 0; i < n; i++) {
            z[i] = volt_rng_normal(&rng);
            point[i] = cma->D[i] * z[i]; /* as a buffer */
        }
        turn(cma, point, y);
        for (int64_t i = 0; i < n; i++)
            point[i] = volt_reflect(cma->mean[i] + cma->sigma * y[i]);
    }
}

const double *volt_cma_point(const volt_cma *cma, int64_t k)
{
    return cma->points + k * cma->n;
}

/* Sorts the points by value, NaN last; a stable insertion sort. */
static void rank(volt_cma *c, const double *values)
{
    for (int64_t k = 0; k < c->population; k++) {
        int64_t place = k;
        for (; place > 0; place--) {
            double before = values[c->order[place - 1]];
            if (!(values[k] < before || (isnan(before) && !isnan(values[k]))))
                break;
            c->order[place] = c->order[place - 1];
        }
        c->order[place] = k;
    }
}

static double norm(const double *x, int64_t n)
{
    double squares = 0;
    for (int64_t i = 0; i < n; i++)
        squares += x[i] * x[i];
    return sqrt(squares);
}

/* sum = the mean of the samples with the positive weights. */
static void recombine(const volt_cma *c, const double *samples, double *sum)
{
    memset(sum, 0, (size_t)c->n * sizeof *sum);
    for (int64_t r = 0; r < c->parents; r++)
        for (int64_t i = 0; i < c->n; i++)
            sum[i] += c->weights[r] * samples[c->order[r] * c->n + i];
}

/* The mean and both paths: (41) to (43) and (45). Returns h_sigma: 0 when p_sigma is long. */
static int move(volt_cma *c)
{
    int64_t n = c->n;
    double *step = c->mean_step;
    recombine(c, c->z, c->work);
    turn(c, c->work, step); /* C^{-1/2} <y>_w */
    double keep = sqrt(c->c_sigma * (2 - c->c_sigma) * c->mass);
    for (int64_t i = 0; i < n; i++)
        c->p_sigma[i] = (1 - c->c_sigma) * c->p_sigma[i] + keep * step[i];
    double start = 1 - pow(1 - c->c_sigma, 2 * ((double)c->generation + 1));
    int h = norm(c->p_sigma, n) / sqrt(start) < (1.4 + 2 / ((double)n + 1)) * c->length;
    recombine(c, c->y, step);
    keep = h ? sqrt(c->c_c * (2 - c->c_c) * c->mass) : 0;
    for (int64_t i = 0; i < n; i++) {
        c->mean[i] += c->sigma * step[i];
        c->p_c[i] = (1 - c->c_c) * c->p_c[i] + keep * step[i];
    }
    return h;
}

/* The lower triangle of the covariance: (46) and (47). */
static void adapt(volt_cma *c, int h)
{
    int64_t n = c->n;
    double sum = 0, *C = c->C;
    for (int64_t r = 0; r < c->population; r++)
        sum += c->weights[r];
    double keep = 1 + (h ? 0 : c->c_1 * c->c_c * (2 - c->c_c)) - c->c_1 - c->c_mu * sum;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            C[i * n + j] = keep * C[i * n + j] + c->c_1 * c->p_c[i] * c->p_c[j];
    for (int64_t r = 0; r < c->population; r++) {
        const double *y = c->y + c->order[r] * n;
        double weight = c->c_mu * c->weights[r], size = norm(c->z + c->order[r] * n, n);
        if (weight < 0)
            weight *= (double)n / (size * size);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                C[i * n + j] += weight * y[i] * y[j];
    }
}

/* C = B D^2 B'. False: C is too badly conditioned. */
static bool diagonalise(volt_cma *c)
{
    int64_t n = c->n;
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            c->work[i * n + j] = c->work[j * n + i] = c->C[i * n + j];
    if (!volt_symmetric_eigen(n, c->work, c->B))
        return false;
    for (int64_t i = 0; i < n; i++) {
        double value = c->work[i * n + i];
        least = fmin(least, value);
        most = fmax(most, value);
        c->D[i] = sqrt(fmax(value, 0));
    }
    return least > 0 && most < max_condition * least;
}

/* ---- ends ------------------------------------------------------------------------------------------ */

static double median_of(const double *values, int64_t count, double *buffer)
{
    memcpy(buffer, values, (size_t)count * sizeof *buffer);
    volt_sort(buffer, count);
    return buffer[count / 2];
}

/* Whether the last values are better than earlier ones: TolHistFun over the last generations, and stagnation of
 * the medians over the whole window (Hansen, GECCO 2009, section 2). */
static bool makes_progress(volt_cma *c, const double *values)
{
    double best = values[c->order[0]], low = INFINITY, high = -INFINITY, buffer[MIN_STAGNANT];
    int64_t recent = volt_min(10 + 30 * c->n / c->population, c->window), share = MIN_STAGNANT / 6;
    if (c->n_best == c->window)
        memmove(c->best, c->best + 1, (size_t)(c->window - 1) * sizeof *c->best);
    else
        c->n_best++;
    c->best[c->n_best - 1] = best;
    for (int64_t g = volt_max(0, c->n_best - recent); g < c->n_best; g++) {
        low = fmin(low, c->best[g]);
        high = fmax(high, c->best[g]);
    }
    if (c->n_best >= recent && high - low <= c->tolerance_value * fabs(low))
        return false;
    return c->n_best < c->window ||
           median_of(c->best + c->window - share, share, buffer) < median_of(c->best, share, buffer);
}

bool volt_cma_tell(volt_cma *cma, const double *values)
{
    int64_t n = cma->n;
    rank(cma, values);
    if (isnan(values[cma->order[0]]))
        return false; /* all failed: there is nothing to follow */
    int h = move(cma);
    adapt(cma, h);
    cma->sigma *= exp(cma->c_sigma / cma->d_sigma * (norm(cma->p_sigma, n) / cma->length - 1)); /* (44) */
    cma->generation++;
    double widest = 0;
    for (int64_t i = 0; i < n; i++)
        widest = fmax(widest, cma->sigma * sqrt(cma->C[i * n + i]));
    return makes_progress(cma, values) && diagonalise(cma) && isfinite(cma->sigma) && widest > cma->tolerance_x;
}
