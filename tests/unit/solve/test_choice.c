/* tests/unit/solve/test_choice.c: model choice on held-out rows against a reference: every candidate is refitted
 * by Gaussian elimination for every held-out row, and a textbook t test decides whether it beats the naive
 * forecast. */
#include "solve/choice/choice.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/sequences.h"
#include "volterra/model.h"

static int64_t draw(volt_rng *rng, int64_t least, int64_t most)
{
    return least + (int64_t)(volt_rng_uniform(rng) * (double)(most - least + 1));
}

/* ---- the test of blocks ----------------------------------------------------------------------- */

/* P(T <= t) of Student's t, by Simpson's rule on its density. */
static double student(double t, int64_t degrees)
{
    enum { STEPS = 2000 };
    double f = (double)degrees, sum = 0, h = t / STEPS;
    double size = exp(lgamma((f + 1) / 2) - lgamma(f / 2)) / sqrt(f * acos(-1));
    for (int i = 0; i <= STEPS; i++) {
        double x = h * i, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * pow(1 + x * x / f, -(f + 1) / 2);
    }
    return 0.5 + size * sum * h / 3;
}

/* p value of Student's t test for `count` numbers. */
static double plain_p(const double *values, int64_t count)
{
    double mean = 0, squares = 0;
    for (int64_t b = 0; b < count; b++)
        mean += values[b] / (double)count;
    for (int64_t b = 0; b < count; b++)
        squares += (values[b] - mean) * (values[b] - mean);
    return student(mean / sqrt(squares / (double)(count - 1) / (double)count), count - 1);
}

/* The larger p value of the two tests of docs/math.md; 0: too few blocks. */
static double plain_test(const double *e, const double *reference, int64_t ld, int64_t n, int64_t least,
                         double *differences)
{
    int64_t blocks = n / least < 20 ? n / least : 20, row = 0;
    double own[20], other[20], d[20], l[20], total = 0, gain = 0, ratio = 1;
    if (blocks < 4)
        return *differences = 0;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t end = (b + 1) * (n / blocks) + (b + 1 < n % blocks ? b + 1 : n % blocks), count = end - row;
        for (own[b] = other[b] = 0; row < end; row++) {
            own[b] += pow(e[row * ld], 2) / (double)count;
            other[b] += pow(reference[row * ld], 2) / (double)count;
        }
        d[b] = other[b] - own[b];
        gain += d[b];
        total += other[b] / (double)blocks;
    }
    assert_int_equal(row, n);
    for (int64_t b = 0; b < blocks; b++) {
        double r = (own[b] + total / 100) / (other[b] + total / 100);
        l[b] = -log(r);
        ratio *= pow(r, 1 / (double)blocks);
    }
    *differences = plain_p(d, blocks);
    return gain > 0 && ratio <= 0.8 ? fmax(*differences, plain_p(l, blocks)) : *differences;
}

/* Is p on the side given by `sure` despite rounding? The table has three decimals, so the error of p is
 * 0.0005 times the density. */
static bool agrees(double sure, double p)
{
    const double unsure = 1e-4;
    double least = sure == 0.99   ? 0.99
                   : sure == 0.95 ? 0.95
                                  : 0,
           most = sure == 0.99   ? 1
                  : sure == 0.95 ? 0.99
                                 : 0.95;
    return p >= least - unsure && p <= most + unsure;
}

static void block_test_equals_two_t_tests(void **state)
{
    volt_rng rng = test_rng(911);
    int64_t seen[3] = {0}, by_ratios = 0;
    for (int trial = 0; trial < 3000; trial++) {
        enum { LD = 2, MOST = 130 };
        int64_t n = draw(&rng, 1, MOST), least = draw(&rng, 1, 9);
        double e[MOST * LD], reference[MOST * LD], better = 0.6 * volt_rng_uniform(&rng), size = 1, differences;
        double restless = trial % 2 ? 0.6 * volt_rng_uniform(&rng) : 0; /* errors of varying amplitude */
        for (int64_t i = 0; i < n; i++) {
            size *= exp(restless * volt_rng_normal(&rng));
            e[i * LD] = size * (1 - better) * volt_rng_normal(&rng);
            reference[i * LD] = size * volt_rng_normal(&rng);
        }
        double sure = volt_block_test(e, reference, LD, n, least);
        double p = plain_test(e, reference, LD, n, least, &differences);
        by_ratios += sure == 0.99 && differences < 0.98;
        if (!agrees(sure, p))
            fail_msg("%" PRId64 " rows in blocks of %" PRId64 " or more: %g, and p is %g", n, least, sure, p);
        assert_true(n / least >= 4 || sure == 0);
        seen[sure == 0.99 ? 2 : sure == 0.95 ? 1 : 0]++;
    }
    print_message("%" PRId64 " by ratios\n", by_ratios);
    assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 100 && by_ratios > 30);
    static const double same[8] = {1, -1, 1, 1, -1, 1, -1, 1}; /* no difference and no variance: no gain */
    assert_true(volt_block_test(same, same, 1, 8, 1) == 0);
}

/* ---- reference choice ------------------------------------------------------------------------- */

enum { MAX_N = 54, MAX_Q = 2, POWERS = 12 };

/* A fit: its settings and the derived data. */
typedef struct problem {
    int64_t n, q, kept; /* rows, outputs (inputs at a later row), rows after the washout */
    volt_fit_options options;
    int64_t block; /* held-out rows predicted by one fit */
    int64_t anchors[MAX_Q];
    double X[(MAX_N + 10) * MAX_Q], Y[MAX_N * MAX_Q];
    double K[MAX_N * MAX_N]; /* kept x kept, without the common part */
    double mean_diagonal, largest;
} problem;

/* Random walks, noise, seasons and trends. */
static void make_problem(problem *p, volt_rng *rng)
{
    *p = (problem){
        .n = draw(rng, 16, 36), .block = 1, .q = draw(rng, 1, MAX_Q), .options = volt_fit_options_default()};
    int64_t ahead = p->options.ahead = draw(rng, 1, 4);
    p->options.washout = draw(rng, 0, 1) ? 0 : draw(rng, 1, 4);
    p->options.intercept = draw(rng, 0, 3) > 0;
    p->options.season = 0;
    p->kept = p->n - p->options.washout;
    for (int64_t k = 0; k < p->q; k++) {
        double walk = 0.2 * (double)draw(rng, 0, 2), noise = (double)draw(rng, 0, 1);
        double wave = (double)draw(rng, 0, 2), trend = 0.05 * (double)draw(rng, 0, 1), level = 0;
        for (int64_t i = 0; i < p->n + ahead; i++) {
            level += walk * volt_rng_normal(rng);
            p->X[i * p->q + k] = level + noise * volt_rng_normal(rng) + wave * sin(0.7 * (double)i) +
                                 trend * (double)i + 1e-3 * volt_rng_normal(rng);
        }
        p->anchors[k] = k;
    }
    memcpy(p->Y, p->X + ahead * p->q, (size_t)(p->n * p->q) * sizeof(double));
    p->options.anchors = p->anchors;
}

/* K - common 11' on the kept rows, with the kernel of the scaled columns. */
static void make_gram(problem *p, const volt_kernel *kernel, const volt_model_info *info)
{
    volt_prepared *prepared = NULL;
    double *Z = new_matrix(p->n, info->columns), *K = new_matrix(p->n, p->n);
    check_ok(volt_prepare(volt_view_of(p->X, p->n, p->q), volt_view_of(p->Y, p->n, p->q), &p->options, p->n,
                          &prepared));
    assert_int_equal(prepared->X.cols, info->columns);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < info->columns; j++)
            Z[i * info->columns + j] =
                (prepared->X.data[i * info->columns + j] - info->input_shift[j]) * info->input_scale;
    check_ok(volt_gram(kernel, volt_view_of(Z, p->n, info->columns), volt_view_of(NULL, 0, 0), NULL,
                       volt_matrix_of(K, p->n, p->n)));
    double common = p->options.intercept ? 1 / (1 - info->facts->lambda * info->facts->lambda) : 0;
    int64_t w = p->options.washout;
    p->mean_diagonal = p->largest = 0;
    for (int64_t i = 0; i < p->kept; i++) {
        for (int64_t j = 0; j < p->kept; j++)
            p->K[i * p->kept + j] = K[(w + i) * p->n + w + j] - common;
        p->mean_diagonal += p->K[i * (p->kept + 1)] / (double)p->kept;
        p->largest = fmax(p->largest, p->K[i * (p->kept + 1)]);
    }
    volt_prepared_free(prepared);
    free(K);
    free(Z);
}

/* Target k of kept row i: the change, or the level minus its mean over all rows. */
static double target(const problem *p, bool level, int64_t i, int64_t k)
{
    int64_t row = p->options.washout + i;
    double from = level ? 0 : p->X[row * p->q + k];
    for (int64_t t = 0; level && t < p->n; t++)
        from += p->Y[t * p->q + k] / (double)p->n;
    return p->Y[row * p->q + k] - from;
}

/* Coefficients A (`rows` numbers) and constant c from the first `rows` targets. For infinite alpha, only the
 * constant. */
static void plain_fit(const problem *p, const double *targets, int64_t rows, double alpha, bool constant,
                      double *A, double *c)
{
    int64_t size = rows + constant;
    double *system = new_matrix(size, size), *right = new_matrix(size, 1), mean = 0;
    for (int64_t i = 0; i < rows; i++)
        mean += targets[i] / (double)rows;
    for (int64_t i = 0; i < size; i++) {
        right[i] = i < rows ? targets[i] : 0;
        for (int64_t j = 0; j < size; j++)
            system[i * size + j] =
                i < rows && j < rows ? p->K[i * p->kept + j] + (i == j ? alpha : 0) : (i < rows || j < rows);
    }
    if (isfinite(alpha))
        plain_solve(volt_view_of(system, size, size), volt_matrix_of(right, size, 1));
    for (int64_t i = 0; i < rows; i++)
        A[i] = isfinite(alpha) ? right[i] : 0;
    *c = !constant ? 0 : isfinite(alpha) ? right[rows] : mean;
    free(right);
    free(system);
}

static double plain_forecast(const problem *p, int64_t t, int64_t rows, const double *A, double c)
{
    for (int64_t j = 0; j < rows; j++)
        c += p->K[t * p->kept + j] * A[j];
    return c;
}

/* A candidate and its errors on the held-out rows. */
typedef struct candidate {
    bool level, constant;
    double alpha, mse;
    double e[MAX_N], z[MAX_N];
} candidate;

static void run_candidate(const problem *p, int64_t k, candidate *c, int64_t begin)
{
    double targets[MAX_N], A[MAX_N], frozen[MAX_N], constant, frozen_constant;
    int64_t H = p->options.ahead, start = begin - H + 1;
    for (int64_t i = 0; i < p->kept; i++)
        targets[i] = target(p, c->level, i, k);
    plain_fit(p, targets, start, c->alpha, c->constant, frozen, &frozen_constant);
    c->mse = 0;
    for (int64_t t = begin; t < p->kept; t++) {
        int64_t h = t - (t - begin) % p->block - H + 1;
        if ((t - begin) % p->block == 0)
            plain_fit(p, targets, h, c->alpha, c->constant, A, &constant);
        c->e[t - begin] = targets[t] - plain_forecast(p, t, h, A, constant);
        c->z[t - begin] = targets[t] - plain_forecast(p, t, start, frozen, frozen_constant);
        c->mse += c->e[t - begin] * c->e[t - begin] / (double)(p->kept - begin);
    }
}

/* The smallest error over alphas and constants. */
static candidate best_of(const problem *p, int64_t k, bool level, int64_t begin)
{
    candidate best = {.mse = INFINITY};
    bool intercept = p->options.intercept;
    for (int g = 4; g >= -8; g--) /* 4: infinity */
        for (int constant = 0; constant <= (int)intercept; constant++) {
            candidate now = {.level = level, .constant = constant};
            now.alpha = g == 4 ? INFINITY : p->mean_diagonal * pow(10, g);
            if ((level && constant != (int)intercept) ||
                now.alpha <= 10 * (double)p->kept * DBL_EPSILON * p->largest)
                continue;
            run_candidate(p, k, &now, begin);
            if (now.mse < best.mse)
                best = now;
        }
    return best;
}

/* p value of the test that `better` has smaller squared errors than `worse`. */
static double p_of(const problem *p, const double *better, const double *worse, int64_t rows)
{
    double differences;
    return plain_test(better, worse, 1, rows, p->options.ahead, &differences);
}

/* The p value is too close to a threshold for rounding and a table of three decimals. */
static bool is_near(double p)
{
    return fabs(p - 0.99) < 1e-4 || fabs(p - 0.95) < 1e-4;
}

typedef struct verdict {
    candidate best;
    double share, mse, naive_mse;
    bool clear; /* no test was close to its threshold */
} verdict;

/* The rule of docs/math.md. */
static verdict decide(const problem *p, int64_t k, int64_t begin)
{
    int64_t rows = p->kept - begin;
    bool only_level = p->options.target == VOLT_TARGET_LEVEL;
    double naive[MAX_N], half = 0;
    verdict v = {.best = best_of(p, k, only_level, begin), .share = 1, .clear = true};
    for (int64_t i = 0; i < rows; i++) {
        naive[i] = target(p, false, begin + i, k);
        v.naive_mse += naive[i] * naive[i] / (double)rows;
    }
    v.mse = v.best.mse;
    if (only_level)
        return v;
    if (p->options.target == VOLT_TARGET_AUTO) {
        candidate level = best_of(p, k, true, begin);
        double sure = p_of(p, level.e, v.best.e, rows);
        v.clear = !is_near(sure);
        if (level.mse < v.best.mse && sure >= 0.99)
            v.best = level;
    }
    double going = p_of(p, v.best.e, naive, rows), frozen = p_of(p, v.best.z, naive, rows);
    double sure = isinf(v.best.alpha) && !v.best.constant ? 0 : fmin(going, frozen);
    v.clear = v.clear && !is_near(going) && !is_near(frozen);
    for (int64_t i = 0; i < rows; i++)
        half += (v.best.e[i] + naive[i]) / 2 * (v.best.e[i] + naive[i]) / 2 / (double)rows;
    bool half_way = sure >= 0.95 && p->options.ahead == 1 && !v.best.level;
    v.share = sure >= 0.99 ? 1 : half_way ? 0.5 : 0;
    v.mse = v.share == 1 ? v.best.mse : v.share == 0.5 ? half : v.naive_mse;
    return v;
}

/* Fitted values of the choice, from the model's alpha and all rows. */
static void check_fitted(const problem *p, const volt_model_info *info, const verdict *v, int64_t k,
                         const double *fitted, double allowed)
{
    double targets[MAX_N], A[MAX_N], c;
    int64_t w = p->options.washout;
    for (int64_t i = 0; i < p->kept; i++)
        targets[i] = target(p, v->best.level && v->share == 1, i, k);
    plain_fit(p, targets, p->kept, v->share > 0 ? v->best.alpha : INFINITY, v->share > 0 && v->best.constant, A,
              &c);
    for (int64_t i = 0; i < p->kept; i++) {
        double y = p->Y[(w + i) * p->q + k];
        double expected = y - targets[i] + v->share * plain_forecast(p, i, p->kept, A, c);
        if (!(fabs(fitted[(w + i) * p->q + k] - expected) <= allowed))
            fail_msg("fitted value %" PRId64 " of output %" PRId64 " is %.17g, expected %.17g (alpha %g)", i, k,
                     fitted[(w + i) * p->q + k], expected, info->alphas[k]);
    }
}

/* Rounding errors of the factor are n eps times the condition number, at most (largest row sum + alpha) /
 * alpha. */
static double rounding(const problem *p, double alpha, double size)
{
    double most = 0;
    for (int64_t i = 0; i < p->kept; i++) {
        double sum = 0;
        for (int64_t j = 0; j < p->kept; j++)
            sum += fabs(p->K[i * p->kept + j]);
        most = fmax(most, sum);
    }
    return 32 * (double)p->kept * DBL_EPSILON * (isinf(alpha) ? 1 : (most + alpha) / alpha) * size;
}

static void check_choice(const volt_kernel *kernel, problem *p, int *seen)
{
    double fitted[MAX_N * MAX_Q];
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_fit(kernel, volt_view_of(p->X, p->n, p->q), volt_view_of(p->Y, p->n, p->q), &p->options,
                            volt_matrix_of(fitted, p->n, p->q), &model));
    volt_model_get_info(model, &info);
    make_gram(p, kernel, &info);
    volt_held_out held = {.ahead = p->options.ahead};
    volt_held_out_rows(&held, p->kept, NULL);
    const volt_fit_report *report = info.report;
    assert_int_equal(report->rows, held.rows);
    assert_int_equal(report->first, p->options.washout + held.begin);
    assert_int_equal(report->blocks, p->options.anchors ? 0 : (held.rows + p->block - 1) / p->block);
    for (int64_t k = 0; k < p->q && held.rows > 0; k++) {
        verdict v = decide(p, k, held.begin);
        double size = 0;
        for (int64_t i = 0; i < p->n; i++)
            size = fmax(size, fabs(p->Y[i * p->q + k] - p->X[i * p->q + k]) + fabs(p->Y[i * p->q + k]));
        double allowed = rounding(p, v.best.alpha, size), squared = 4 * allowed * size;
        assert_true(p->options.anchors
                        ? fabs(report->naive_mse[k] - v.naive_mse) <= 64 * DBL_EPSILON * v.naive_mse
                        : isnan(report->naive_mse[k]));
        if (!v.clear)
            continue;
        if (!(fabs(report->best_mse[k] - v.best.mse) <= squared && fabs(report->mse[k] - v.mse) <= squared &&
              report->share[k] == v.share))
            fail_msg("output %" PRId64 ": error %g (best %g), share %g; expected %g (%g), %g; allowed %g", k,
                     report->mse[k], report->best_mse[k], report->share[k], v.mse, v.best.mse, v.share,
                     squared);
        assert_int_equal(info.anchors[k]<0, v.share> 0 && v.best.level);
        double alpha = v.share > 0 ? v.best.alpha : INFINITY;
        if (isfinite(alpha) && fabs(info.alphas[k] / alpha - 1) > 1e-9) {
            seen[4]++; /* two candidates equal up to rounding */
            continue;
        }
        assert_int_equal(isinf(info.alphas[k]), isinf(alpha));
        check_fitted(p, &info, &v, k, fitted, allowed);
        seen[v.share == 0 ? 0 : v.share < 1 ? 1 : v.best.level ? 2 : 3]++;
    }
    volt_model_free(model);
}

static void choice_equals_plain_implementation(void **state)
{
    volt_rng rng = test_rng(912);
    volt_kernel *kernel = plain_parse("volterra");
    int seen[5] = {0};
    for (int trial = 0; trial < (UNDER_SANITIZERS ? 8 : 30); trial++) {
        problem p;
        make_problem(&p, &rng);
        p.options.target = (volt_target)(trial % 3);
        check_choice(kernel, &p, seen);
    }
    print_message("naive %d, half-way %d, level %d, change %d, ties %d\n", seen[0], seen[1], seen[2], seen[3],
                  seen[4]);
    assert_true(seen[0] > 0 && seen[2] > 0 && seen[3] > 0 && seen[4] <= 1);
    assert_true(UNDER_SANITIZERS || seen[1] > 0);
    volt_kernel_free(kernel);
}

/* Without the targets among the inputs, 21 to 40 held-out rows are at most 20 blocks of two rows, and each block is
 * predicted by one fit. */
static void targets_that_are_not_inputs_are_held_out_in_blocks(void **state)
{
    volt_rng rng = test_rng(914);
    volt_kernel *kernel = plain_parse("volterra");
    int seen[5] = {0};
    for (int trial = 0; trial < (UNDER_SANITIZERS ? 1 : 4); trial++) {
        problem p;
        make_problem(&p, &rng);
        p.n = trial % 2 ? 54 : 46;
        for (int64_t i = 0; i < p.n; i++)
            for (int64_t k = 0; k < p.q; k++) {
                p.X[i * p.q + k] = volt_rng_normal(&rng);
                p.Y[i * p.q + k] = (i > 0 ? 0.9 * p.Y[(i - 1) * p.q + k] : 0) + tanh(p.X[i * p.q + k]) +
                                   0.1 * volt_rng_normal(&rng);
            }
        p.kept = p.n - p.options.washout;
        p.block = 2;
        p.options.anchors = NULL;
        p.options.target = VOLT_TARGET_LEVEL;
        check_choice(kernel, &p, seen);
    }
    assert_true(seen[2] > 0 && seen[4] <= 1);
    volt_kernel_free(kernel);
}

/* ---- many rows -------------------------------------------------------------------------------- */

/* Above the limit, the last 2048 rows are held out, each predicted from all rows before it. For the linear
 * kernel of one input the errors have a closed form: e_t = y_t - x_t sum_{j < t} x_j y_j / (alpha + sum_{j <
 * t} x_j^2). The early rows follow another rule, so a fit without them has other errors. Alpha is fixed with
 * a guard: one factorisation. */
static void held_out_row_is_predicted_from_all_previous_rows(void **state)
{
    enum { HELD = 2048, N = 2 * HELD + 150 };
    volt_rng rng = test_rng(913);
    volt_kernel *kernel = plain_parse("linear");
    double *X = new_matrix(N + 1, 1), xx = 0, xy = 0, mse = 0, naive = 0;
    int64_t anchor = 0, first = N - 2 * HELD, begin = N - HELD;
    X[0] = 0;
    for (int64_t i = 0; i < N; i++)
        X[i + 1] = (i < first ? -0.5 : 0.6) * X[i] + volt_rng_normal(&rng);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 2;
    options.scale = options.intercept = 0;
    options.ahead = options.guarded = 1;
    options.target = VOLT_TARGET_CHANGE;
    options.anchors = &anchor;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(X + 1, N, 1), &options,
                            (volt_matrix){0}, &model));
    volt_model_get_info(model, &info);
    for (int64_t t = 0; t < N; t++) {
        double y = X[t + 1] - X[t], e = y - X[t] * xy / (options.alpha + xx);
        if (t >= begin) {
            mse += e * e / (double)(N - begin);
            naive += y * y / (double)(N - begin);
        }
        xx += X[t] * X[t];
        xy += X[t] * y;
    }
    assert_int_equal(info.report->rows, N - begin);
    assert_int_equal(info.report->first, begin);
    assert_true(fabs(info.report->mse[0] - mse) <= 1e-9 * mse);
    assert_true(fabs(info.report->naive_mse[0] - naive) <= 1e-12 * naive);
    assert_true(info.report->share[0] == 1 && info.report->alphas == 1 && info.alphas[0] == options.alpha);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
}

/* A search fits its best candidate with `guarded` if the target is a change. A centred kernel without an
 * intercept has no held-out errors for the guard. Levels predicted from levels are not guarded. */
static void prepared_data_define_the_fit(void **state)
{
    enum { N = 60 };
    volt_rng rng = test_rng(914);
    double *x = normal_rows(&rng, N + 1, 1), weights[N];
    int64_t anchor = 0;
    volt_view X = volt_view_of(x, N, 1), Y = volt_view_of(x + 1, N, 1);
    volt_fit_options options = volt_fit_options_default();
    volt_prepared *prepared = NULL;
    options.ahead = 1;
    options.anchors = &anchor;
    check_ok(volt_prepare(X, Y, &options, N, &prepared));
    assert_true(prepared->guarded && prepared->target == VOLT_TARGET_CHANGE && prepared->base.data);
    volt_prepared_free(prepared);
    for (int i = 0; i < N; i++)
        weights[i] = 1;
    options.weights = weights;
    check_ok(volt_prepare(X, Y, &options, N, &prepared));
    assert_false(prepared->guarded);
    volt_prepared_free(prepared);
    options.weights = NULL;
    options.alpha = 1;
    check_ok(volt_prepare(X, Y, &options, N, &prepared));
    assert_true(prepared->X.data == x && prepared->Y.data == x + 1 && !prepared->base.data &&
                !prepared->guarded);
    volt_prepared_free(prepared);

    volt_kernel *kernel = plain_parse("gak:window=3,centre=yes");
    volt_model *model = NULL;
    options.target = VOLT_TARGET_CHANGE;
    options.intercept = 0;
    options.guarded = 1;
    check_ok(volt_model_fit(kernel, X, Y, &options, (volt_matrix){0}, &model));
    volt_model_free(model);
    options.alpha = 0;
    check_fails(volt_model_fit(kernel, X, Y, &options, (volt_matrix){0}, &model), VOLT_ERR_ARGUMENT, "alpha");
    volt_kernel_free(kernel);
    free(x);
}

/* ---- few rows and fixed settings -------------------------------------------------------------- */

static volt_model *fit_walk(volt_rng *rng, int64_t n, volt_fit_options options)
{
    static const int64_t anchor = 0;
    volt_kernel *kernel = plain_parse("volterra");
    double *X = new_matrix(n + options.ahead, 1);
    X[0] = 0;
    for (int64_t i = 1; i < n + options.ahead; i++)
        X[i] = X[i - 1] + volt_rng_normal(rng);
    volt_model *model = NULL;
    options.anchors = &anchor;
    check_ok(volt_model_fit(kernel, volt_view_of(X, n, 1), volt_view_of(X + options.ahead, n, 1), &options,
                            (volt_matrix){0}, &model));
    free(X);
    volt_kernel_free(kernel);
    return model;
}

static void too_few_rows_are_reported(void **state)
{
    volt_rng rng = test_rng(914);
    for (int64_t n = 2; n < 12; n++)
        for (int given = 0; given < 2; given++)
            for (int target = 0; target < 3; target++) {
                volt_fit_options options = volt_fit_options_default();
                options.ahead = 1;
                options.alpha = given ? 0.5 : 0;
                options.target = (volt_target)target;
                volt_model *model = fit_walk(&rng, n, options);
                volt_model_info info = {.struct_size = sizeof info};
                volt_model_get_info(model, &info);
                bool changes = target == VOLT_TARGET_CHANGE || (target == VOLT_TARGET_AUTO && !given);
                assert_int_equal(info.report->rows, n > 8 ? n - 8 : 0);
                assert_true((info.report->rows == 0) == isnan(info.report->mse[0]));
                assert_true((info.report->rows == 0) == isnan(info.report->best_mse[0]));
                assert_true((info.report->rows == 0) == isnan(info.report->heldout_r2));
                /* fewer than four blocks are not significant */
                assert_true(isinf(info.alphas[0]) == (changes && !given) || n > 11);
                assert_true(!given || info.alphas[0] == 0.5);
                volt_model_free(model);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_test_equals_two_t_tests),
        cmocka_unit_test(choice_equals_plain_implementation),
        cmocka_unit_test(targets_that_are_not_inputs_are_held_out_in_blocks),
        cmocka_unit_test(held_out_row_is_predicted_from_all_previous_rows),
        cmocka_unit_test(prepared_data_define_the_fit),
        cmocka_unit_test(too_few_rows_are_reported),
    };
    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
