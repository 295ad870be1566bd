/* tests/unit/solve/test_state_sums.c: ridge regression on states from sums over the rows, compared with
 * elimination. */
#include "solve/landmark/state_sums.h"
#include "support/check.h"
#include "support/sequences.h"

enum { ROWS = 40, STATES = 5, COLUMNS = 2 };

typedef struct system_of_rows {
    double F[ROWS * STATES], Y[ROWS * COLUMNS];
    bool without[ROWS];
} system_of_rows;

/* Expected results: readout, intercepts, and 1 / (|S| |S^-1|) in the 1-norm. */
typedef struct solved {
    double B[STATES * COLUMNS], c[COLUMNS], rcond;
} solved;

static void make_rows(uint64_t seed, system_of_rows *made)
{
    volt_rng rng = test_rng(seed);
    for (int i = 0; i < ROWS; i++) {
        made->without[i] = i % 7 == 3;
        for (int j = 0; j < STATES; j++)
            made->F[i * STATES + j] = 2 * j + (1 + j) * volt_rng_normal(&rng);
        for (int k = 0; k < COLUMNS; k++)
            made->Y[i * COLUMNS + k] = made->without[i] ? 0 : 30 + volt_rng_normal(&rng);
    }
}

static double norm_of(double A[STATES][STATES])
{
    double largest = 0;
    for (int j = 0; j < STATES; j++) {
        double sum = 0;
        for (int i = 0; i < STATES; i++)
            sum += fabs(A[i][j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* Gauss-Jordan elimination; the matrix is positive definite. */
static void invert(double A[STATES][STATES], double inverse[STATES][STATES])
{
    double left[STATES][STATES];
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++) {
            left[i][j] = A[i][j];
            inverse[i][j] = i == j;
        }
    for (int p = 0; p < STATES; p++) {
        double pivot = left[p][p];
        for (int j = 0; j < STATES; j++) {
            left[p][j] /= pivot;
            inverse[p][j] /= pivot;
        }
        for (int i = 0; i < STATES; i++) {
            double part = left[i][p];
            for (int j = 0; i != p && j < STATES; j++) {
                left[i][j] -= part * left[p][j];
                inverse[i][j] -= part * inverse[p][j];
            }
        }
    }
}

static solved solve_plainly(const system_of_rows *rows, int count, double alpha, bool constant)
{
    double S[STATES][STATES] = {{0}}, inverse[STATES][STATES], H[STATES][COLUMNS] = {{0}};
    double m[STATES] = {0}, y[COLUMNS] = {0}, n = 0;
    solved found = {.rcond = 0};
    for (int i = 0; i < count; i++)
        n += !rows->without[i];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < STATES && constant && !rows->without[i]; j++)
            m[j] += rows->F[i * STATES + j] / n;
        for (int k = 0; k < COLUMNS && !rows->without[i]; k++)
            y[k] += rows->Y[i * COLUMNS + k] / n;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < STATES && !rows->without[i]; j++) {
            double f = rows->F[i * STATES + j] - m[j];
            for (int l = 0; l < STATES; l++)
                S[j][l] += f * (rows->F[i * STATES + l] - m[l]);
            for (int k = 0; k < COLUMNS; k++)
                H[j][k] += f * rows->Y[i * COLUMNS + k];
        }
    for (int j = 0; j < STATES; j++)
        S[j][j] += alpha;
    invert(S, inverse);
    found.rcond = 1 / (norm_of(S) * norm_of(inverse));
    for (int k = 0; k < COLUMNS; k++) {
        found.c[k] = constant ? y[k] : 0;
        for (int j = 0; j < STATES; j++) {
            for (int l = 0; l < STATES; l++)
                found.B[j * COLUMNS + k] += inverse[j][l] * H[l][k];
            found.c[k] -= m[j] * found.B[j * COLUMNS + k];
        }
    }
    return found;
}

/* Every prefix, for each alpha. Values of 30 in sums of 1e4: eps x 1e4 x a condition number of 1e3 is at
 * most 2e-9. The condition estimate is an upper bound, usually within a factor of 3. */
static void every_prefix_equals_ridge_regression(void **state)
{
    static const double alphas[] = {0.5, 40, 3000};
    static const int ends[] = {11, 12, ROWS};
    system_of_rows rows;
    volt_state_sums *sums = NULL;
    make_rows(5101, &rows);
    check_ok(volt_state_sums_create(STATES, COLUMNS, &sums));
    for (int constant = 0; constant < 2; constant++) {
        volt_state_sums_clear(sums);
        for (int e = 0, at = 0; e < 3; at = ends[e++]) {
            int more = ends[e] - at;
            volt_state_sums_add(sums, volt_view_of(rows.F + (int64_t)at * STATES, more, STATES),
                                volt_view_of(rows.Y + (int64_t)at * COLUMNS, more, COLUMNS), rows.without + at);
            for (int a = 0; a < 3; a++) {
                double rcond = -1;
                solved plain = solve_plainly(&rows, ends[e], alphas[a], constant);
                check_ok(volt_state_sums_solve(sums, alphas[a], constant, &rcond));
                for (int i = 0; i < STATES * COLUMNS; i++)
                    assert_true(fabs(sums->B[i] - plain.B[i]) <= 1e-8);
                for (int k = 0; k < COLUMNS; k++)
                    assert_true(fabs(sums->c[k] - plain.c[k]) <= 1e-7);
                if (!(rcond <= 10 * plain.rcond && rcond >= plain.rcond / 10))
                    fail_msg("%d rows, alpha %g: rcond %g, truth %g", ends[e], alphas[a], rcond, plain.rcond);
            }
        }
    }
    volt_state_sums_free(sums);
}

/* More states than one task adds: sums of ROWS products of numbers up to 10, with the rounding of each. */
static void sums_of_many_states(void **state)
{
    enum { MANY = 300, THREE = 3 };
    volt_rng rng = test_rng(5102);
    double *F = normal_rows(&rng, ROWS, MANY), *Y = normal_rows(&rng, ROWS, THREE);
    const double allowed = 100 * ROWS * ROWS * DBL_EPSILON;
    volt_state_sums *sums = NULL;
    check_ok(volt_state_sums_create(MANY, THREE, &sums));
    volt_state_sums_add(sums, volt_view_of(F, ROWS, MANY), volt_view_of(Y, ROWS, THREE), NULL);
    for (int i = 0; i < MANY; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int t = 0; t < ROWS; t++)
                sum += (F[t * MANY + i] - sums->about[i]) * (F[t * MANY + j] - sums->about[j]);
            assert_true(fabs(sums->G[i * MANY + j] - sum) <= allowed);
        }
        for (int k = 0; k < THREE; k++) {
            double sum = 0;
            for (int t = 0; t < ROWS; t++)
                sum += (F[t * MANY + i] - sums->about[i]) * Y[t * THREE + k];
            assert_true(fabs(sums->H[i * THREE + k] - sum) <= allowed);
        }
    }
    volt_state_sums_free(sums);
    free(F);
    free(Y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_equals_ridge_regression),
        cmocka_unit_test(sums_of_many_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
