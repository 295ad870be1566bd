/* tests/unit/solve/test_held_out_limits.c: held-out errors, and the alpha chosen by them, match the fitted model
 * on both sides of the limit above which candidates are screened and sums are kept. The limit is lowered
 * (volt_held_out.most), so that every held-out row can be predicted by a separate fit with Gaussian
 * elimination. */
#include "solve/iterative/pcg.h"
#include "solve/solver_table.h"
#include "support/check.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

enum { MAX_N = 60, STATES = 6, Q = 2 };

/* ---- an operator with explicit states, K = F F' -------------------------------------------------- */

typedef struct state_operator {
    volt_operator op;
    const double *F, *K;
} state_operator;

static volt_status give_rows(volt_operator *op, int64_t first, const volt_backend *backend, volt_matrix K,
                             volt_stage *stage)
{
    (void)stage;
    backend->put(volt_view_of(((state_operator *)op)->K + first * op->n, K.rows, op->n), K);
    return VOLT_OK;
}

static volt_status give_states(volt_operator *op, int64_t first, volt_matrix F, volt_stage *stage)
{
    (void)stage;
    for (int64_t i = 0; i < F.rows; i++)
        memcpy(F.data + i * F.ld, ((state_operator *)op)->F + (first + i) * STATES, STATES * sizeof(double));
    return VOLT_OK;
}

static void release_nothing(volt_operator *op)
{
    (void)op;
}

/* ---- problems ------------------------------------------------------------------------------------ */

static const double PCG_TOLERANCE = 1e-6;

typedef struct problem {
    int64_t n, washout, kept, ahead, most, begin; /* begin: the first held-out row */
    int64_t blocks, block;                        /* at most this many blocks, of this many rows */
    bool intercept, has_holes;
    bool without[MAX_N];
    double F[MAX_N * STATES], K[MAX_N * MAX_N];
    double Y[MAX_N * Q]; /* for the kept rows; 0 where the target is missing */
} problem;

/* Leaky averages of noise, reset at the start of each of three records. The targets depend on a state that
 * is never reset. The first rows of a record therefore follow another rule, as in real sequences, and an
 * alpha that is too small fits them. */
static void make_problem(volt_rng *rng, int64_t kept, problem *p)
{
    p->n = kept + p->washout;
    p->kept = kept;
    p->block = 1;
    double state[STATES] = {0}, whole[STATES];
    for (int64_t j = 0; j < STATES; j++)
        whole[j] = 3 * volt_rng_normal(rng);
    for (int64_t i = 0; i < p->n; i++) {
        double x = volt_rng_normal(rng);
        if (i % (p->n / 3 + 1) == 0)
            memset(state, 0, sizeof state);
        for (int64_t j = 0; j < STATES; j++) {
            state[j] = 0.15 * (double)j * state[j] + x;
            whole[j] = 0.15 * (double)j * whole[j] + x;
            p->F[i * STATES + j] = state[j];
        }
        int64_t row = i - p->washout;
        if (row < 0)
            continue;
        p->without[row] = p->has_holes && volt_rng_uniform(rng) < 0.15;
        for (int64_t k = 0; k < Q; k++)
            p->Y[row * Q + k] =
                p->without[row] ? 0 : 2 + (k == 0 ? whole[3] : tanh(whole[5])) + 0.3 * volt_rng_normal(rng);
    }
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->n; j++) {
            double sum = 0;
            for (int64_t s = 0; s < STATES; s++)
                sum += p->F[i * STATES + s] * p->F[j * STATES + s];
            p->K[i * p->n + j] = sum;
        }
}

/* ---- a fit for every held-out row ---------------------------------------------------------------- */

/* The prediction of row t, column k, from the targets of the rows before row h. */
static double plain_prediction(const problem *p, int64_t t, int64_t h, double alpha, int64_t k)
{
    double *system = new_matrix(h + 1, h + 1), *right = new_matrix(h + 1, 1), value;
    int64_t rows[MAX_N] = {0}, m = 0;
    for (int64_t i = 0; i < h; i++)
        if (!p->without[i])
            rows[m++] = i;
    int64_t size = m + p->intercept, w = p->washout;
    for (int64_t i = 0; i < size; i++) {
        right[i] = i < m ? p->Y[rows[i] * Q + k] : 0;
        for (int64_t j = 0; j < size; j++)
            system[i * size + j] = i < m && j < m
                                       ? p->K[(w + rows[i]) * p->n + w + rows[j]] + (i == j ? alpha : 0)
                                       : i < m || j < m;
    }
    plain_solve(volt_view_of(system, size, size), volt_matrix_of(right, size, 1));
    value = p->intercept ? right[m] : 0;
    for (int64_t j = 0; j < m; j++)
        value += p->K[(w + t) * p->n + w + rows[j]] * right[j];
    free(system);
    free(right);
    return value;
}

static double plain_mse(const problem *p, double alpha, int64_t k)
{
    double sum = 0, counted = 0;
    for (int64_t t = p->begin; t < p->kept; t++) {
        if (p->without[t])
            continue;
        double e =
            p->Y[t * Q + k] - plain_prediction(p, t, t - (t - p->begin) % p->block - p->ahead + 1, alpha, k);
        sum += e * e;
        counted++;
    }
    return sum / counted;
}

/* ---- the solvers --------------------------------------------------------------------------------- */

typedef struct outcome {
    double A[MAX_N * Q], intercepts[Q], mse[Q], alpha[Q];
    int64_t begin, rows;
} outcome;

/* With alpha fixed, or chosen (0). */
static void solve(const volt_solver *solver, const problem *p, double alpha, outcome *o)
{
    state_operator op = {.op = {.n = p->n,
                                .entry_cost = 1,
                                .rows = give_rows,
                                .n_states = STATES,
                                .states = give_states,
                                .release = release_nothing},
                         .F = p->F,
                         .K = p->K};
    state_operator landmarks = op;
    volt_iteration pcg = {.landmarks = &landmarks.op, .tolerance = PCG_TOLERANCE, .max_steps = 10 * MAX_N};
    volt_chosen chosen[Q] = {{0}};
    volt_held_out held = {.ahead = p->ahead, .most = p->most, .blocks = p->blocks, .mse = o->mse};
    volt_choice choice = {.ahead = p->ahead, .outputs = chosen, .held = {.most = p->most, .blocks = p->blocks}};
    double unlearned[Q], states[STATES * Q];
    volt_solver_task task = {.kernel = &op.op,
                             .washout = p->washout,
                             .alpha = alpha,
                             .without = p->has_holes ? p->without : NULL,
                             .intercept = p->intercept,
                             .choice = alpha > 0 ? NULL : &choice,
                             .held_out = &held,
                             .iteration = &pcg};
    volt_readout readout = {.A = volt_matrix_of(o->A, p->kept, Q),
                            .intercepts = o->intercepts,
                            .unlearned = unlearned,
                            .states = volt_matrix_of(states, STATES, Q)};
    volt_held_out_rows(&held, p->kept, task.without);
    memcpy(o->A, p->Y, sizeof o->A);
    check_ok(solver->solve(&task, &readout));
    const volt_held_out *used = alpha > 0 ? &held : &choice.held;
    o->begin = used->begin;
    o->rows = used->rows;
    for (int64_t k = 0; k < Q; k++) {
        o->alpha[k] = alpha > 0 ? alpha : chosen[k].alpha;
        o->mse[k] = alpha > 0 ? held.mse[k] : chosen[k].mse;
    }
}

/* Relative error of a solution: n eps times the condition number. */
static double rounding_of(const problem *p, double alpha)
{
    double most = 0;
    for (int64_t i = 0; i < p->n; i++)
        most = fmax(most, p->K[i * (p->n + 1)]);
    return (double)p->n * DBL_EPSILON * ((double)p->n * most + alpha) / alpha;
}

/* For squared errors of the size of the targets (below 20). */
static double allowed_error(const problem *p, double alpha)
{
    return 64 * rounding_of(p, alpha) * 20 * 20 + 1e-12;
}

/* Conjugate gradients refuse an alpha with which rounding exceeds their tolerance. An alpha chosen for one output may be so
 * small, and is given for both. */
static bool may_refuse(const volt_solver *solver, const problem *p, double alpha)
{
    return strcmp(solver->info.name, "pcg") == 0 && rounding_of(p, alpha) > PCG_TOLERANCE;
}

/* Errors are equal with alpha chosen, with alpha fixed and for separate fits. Readouts with chosen and fixed
 * alpha are equal. */
static void check_case(const volt_solver *solver, problem *p, const char *name)
{
    outcome chosen, given;
    solve(solver, p, 0, &chosen);
    p->begin = chosen.begin;
    bool one = volt_solver_recomputes(solver) || (solver->needs.states && p->kept > p->most);
    if (one || p->blocks > 0)
        p->block = one ? chosen.rows : (chosen.rows + p->blocks - 1) / p->blocks;
    assert_int_equal(chosen.begin + chosen.rows, p->kept);
    for (int64_t k = 0; k < Q; k++) {
        if (isinf(chosen.alpha[k]) || may_refuse(solver, p, chosen.alpha[k]))
            continue;
        solve(solver, p, chosen.alpha[k], &given);
        double plain = plain_mse(p, chosen.alpha[k], k), allowed = allowed_error(p, chosen.alpha[k]);
        assert_int_equal(given.begin, chosen.begin);
        assert_int_equal(given.rows, chosen.rows);
        if (!(fabs(chosen.mse[k] - given.mse[k]) <= allowed && fabs(chosen.mse[k] - plain) <= allowed))
            fail_msg(
                "%s, %s: error %.15g of the choice, %.15g with that alpha (%g), and %.15g by a fit for every "
                "row; allowed %g",
                solver->info.name, name, chosen.mse[k], given.mse[k], chosen.alpha[k], plain, allowed);
        for (int64_t i = 0; i < p->kept; i++)
            assert_true(fabs(chosen.A[i * Q + k] - given.A[i * Q + k]) <= allowed / chosen.alpha[k]);
    }
}

static void held_out_errors_equal_fit(void **state)
{
    volt_rng rng = test_rng(2701);
    problem *p = malloc(sizeof *p);
    assert_non_null(p);
    for (int64_t s = 0; volt_solver_table[s]; s++) {
        if (volt_solver_table[s]->accepts.losses) /* it reports no errors */
            continue;
        for (int variant = 0; variant < 5; variant++) {
            enum { MOST = 12 };
            static const int64_t rows[] = {MOST - 1, MOST,         MOST + 1, 2 * MOST - 1,
                                           2 * MOST, 2 * MOST + 1, 3 * MOST, 4 * MOST};
            for (size_t i = variant > 0 && UNDER_SANITIZERS ? 5 : 0; i < sizeof rows / sizeof *rows; i++) {
                *p = (problem){.most = MOST,
                               .washout = variant % 2 ? 4 : 0,
                               .ahead = variant & 2 ? 3 : 1,
                               .blocks = variant == 4 ? 5 : 0,
                               .intercept = (variant + (int)i) % 3 > 0,
                               .has_holes = (variant + (int)i) % 2};
                make_problem(&rng, rows[i], p);
                char name[96];
                snprintf(name, sizeof name, "%" PRId64 " rows, %" PRId64 " ahead", p->kept, p->ahead);
                check_case(volt_solver_table[s], p, name);
            }
        }
    }
    free(p);
}

/* Of m rows, those from max(m / 2, m - most, 2 ahead + 2, 8) on are held out, in blocks of equal length. */
static void blocks_divide_the_held_out_rows(void **state)
{
    static const struct {
        int64_t m, most, blocks, begin, rows, made, block;
    } cases[] = {
        {40, 0, 0, 20, 20, 0, 1}, {40, 0, 1, 20, 20, 1, 20},   {40, 0, 3, 20, 20, 3, 7},
        {40, 0, 6, 20, 20, 5, 4}, {40, 12, 20, 28, 12, 12, 1}, {9, 0, 20, 8, 1, 1, 1},
        {8, 0, 20, 8, 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_held_out held = {.ahead = 1, .most = cases[i].most, .blocks = cases[i].blocks};
        volt_held_out_rows(&held, cases[i].m, NULL);
        assert_int_equal(held.begin, cases[i].begin);
        assert_int_equal(held.rows, cases[i].rows);
        assert_int_equal(held.counted, cases[i].rows);
        assert_int_equal(held.blocks, cases[i].made);
        assert_int_equal(volt_held_out_block(&held), cases[i].block);
    }
}

/* The rows before the screened ones decide: they require a hundred times the smallest alpha of the grid, the
 * others do not. Every candidate is evaluated by separate fits. The chosen one is the best, except that
 * screening may miss a candidate that is better on all rows than on the last ones. The error is printed and
 * is at most 20 % above the minimum. */
static void screening_does_not_change_choice(void **state)
{
    volt_rng rng = test_rng(2702);
    problem *p = malloc(sizeof *p);
    assert_non_null(p);
    int best = 0, trials = UNDER_SANITIZERS ? 2 : 5;
    for (int trial = 0; trial < trials; trial++) {
        *p = (problem){.most = 12, .ahead = 1, .intercept = true};
        make_problem(&rng, 48, p);
        for (int64_t i = 0; i < 6; i++) /* far from the rule of the other rows */
            for (int64_t k = 0; k < Q; k++)
                p->Y[i * Q + k] += 8 * volt_rng_normal(&rng);
        outcome chosen, together;
        solve(&volt_solver_exact, p, 0, &chosen);
        check_ok(volt_set_threads(8)); /* several alphas are factored at once */
        solve(&volt_solver_exact, p, 0, &together);
        check_ok(volt_set_threads(0));
        assert_memory_equal(chosen.alpha, together.alpha, sizeof chosen.alpha);
        assert_memory_equal(chosen.mse, together.mse, sizeof chosen.mse);
        p->begin = chosen.begin;
        double mean = 0;
        for (int64_t i = 0; i < p->n; i++)
            mean += p->K[i * (p->n + 1)] / (double)p->n;
        for (int64_t k = 0; k < Q; k++) {
            double least = INFINITY;
            for (int power = -8; power <= 3; power++)
                least = fmin(least, plain_mse(p, mean * pow(10, power), k));
            print_message("trial %d, output %" PRId64 ": alpha %g, error %g, the least %g\n", trial, k,
                          chosen.alpha[k], chosen.mse[k], least);
            best += chosen.mse[k] <= least * (1 + 1e-6);
            assert_true(chosen.mse[k] <= 1.2 * least);
        }
    }
    assert_true(best >= trials);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_out_errors_equal_fit),
        cmocka_unit_test(blocks_divide_the_held_out_rows),
        cmocka_unit_test(screening_does_not_change_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
