/* tests/unit/kernel/test_jet.c: truncated power series in several variables against dense polynomials. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"

enum { LANES = VOLT_JET_LANES, MAX_N = 3, MAX_POWER = 3, SIDE = MAX_POWER + 1, ENTRIES = SIDE * SIDE * SIDE };

/* ---- dense polynomials ------------------------------------------------------------------------ */

/* The coefficient of prod_v x_v^{e_v} has index sum_v e_v SIDE^v. */
typedef struct plain {
    double c[ENTRIES];
} plain;

static const int strides[MAX_N] = {1, SIDE, SIDE *SIDE};

static int degree_of(int entry)
{
    return entry % SIDE + entry / SIDE % SIDE + entry / SIDE / SIDE;
}

static plain plain_of(const volt_jet_space *space, const volt_jet *x, int lane)
{
    plain made = {{x->c[lane]}};
    for (int p = 1; p <= x->degree; p++) {
        int64_t v[VOLT_MAX_ORDER];
        for (int j = 0; j < p; j++)
            v[j] = x->first;
        do {
            int entry = 0;
            for (int j = 0; j < p; j++)
                entry += strides[v[j]];
            made.c[entry] = x->c[volt_jet_place(space, p, v) * LANES + lane];
        } while (volt_jet_next(p, x->first, x->end, v));
    }
    return made;
}

/* a + factor b. */
static plain sum(plain a, double factor, plain b)
{
    for (int i = 0; i < ENTRIES; i++)
        a.c[i] += factor * b.c[i];
    return a;
}

/* a b truncated at the degree `most`. */
static plain product(const plain *a, const plain *b, int most)
{
    plain made = {{0}};
    for (int i = 0; i < ENTRIES; i++)
        for (int j = 0; j < ENTRIES; j++)
            if (a->c[i] != 0 && b->c[j] != 0 && degree_of(i) + degree_of(j) <= most)
                made.c[i + j] += a->c[i] * b->c[j];
    return made;
}

/* f[0] + f[1] e + ..., where e is x without its constant. */
static plain composed(const double *f, plain x, int order)
{
    plain made = {{f[0]}}, power = {{1}};
    x.c[0] = 0;
    for (int m = 1; m <= order; m++) {
        power = product(&power, &x, order);
        made = sum(made, f[m], power);
    }
    return made;
}

/* Sums of a few dozen products of numbers of order 1. Entries without a product are exactly 0. */
static void compare(const char *what, const volt_jet_space *space, const volt_jet *found, int lane,
                    const plain *wanted)
{
    plain is = plain_of(space, found, lane);
    double size = 1;
    for (int i = 0; i < ENTRIES; i++)
        size = fmax(size, fabs(wanted->c[i]));
    for (int i = 0; i < ENTRIES; i++)
        if (!(fabs(is.c[i] - wanted->c[i]) <= (wanted->c[i] == 0 ? 0 : 1000 * DBL_EPSILON * size)))
            fail_msg("%s: n = %d, order %d: entry %d is %.17g, and should be %.17g", what, (int)space->n,
                     space->order, i, is.c[i], wanted->c[i]);
}

/* ---- series in a subset of the variables ------------------------------------------------------- */

/* Variables first .. end - 1 up to `degree`, with distinct coefficients. Other entries hold values that must
 * not be read. */
static void draw(volt_rng *rng, const volt_jet_space *space, int64_t first, int64_t end, int degree,
                 volt_jet *x)
{
    for (int64_t i = 0; i < space->start[space->order + 1] * LANES; i++)
        x->c[i] = NAN;
    volt_jet_set(space, NULL, first, end, degree, x);
    for (int p = 0; p <= x->degree; p++) {
        int64_t v[VOLT_MAX_ORDER];
        for (int j = 0; j < p; j++)
            v[j] = first;
        do
            for (int k = 0; k < LANES; k++)
                x->c[volt_jet_place(space, p, v) * LANES + k] = volt_rng_normal(rng);
        while (volt_jet_next(p, first, end, v));
    }
}

typedef struct fixture {
    volt_rng rng;
    volt_jet_space space;
    volt_jet_workspace workspace;
    volt_jet *series; /* x, y, results, factors */
} fixture;

enum { X, Y, R, FACTORS, SERIES = FACTORS + 3 };

/* Runs `test` on every pair of variable ranges and degrees, in every space. */
static void on_all_pairs(uint64_t seed, void (*test)(fixture *f))
{
    fixture f = {.rng = test_rng(seed)};
    for (int64_t n = 1; n <= MAX_N; n++)
        for (int order = 1; order <= MAX_POWER; order++) {
            check_ok(volt_jet_space_create(n, order, &f.space));
            check_ok(volt_jet_workspace_create(&f.space, &f.workspace));
            check_ok(volt_jet_create(&f.space, SERIES, &f.series));
            assert_int_equal((int64_t)volt_jet_size(n, order), f.space.start[order + 1]);
            for (int64_t a = 0; a <= n; a++)
                for (int64_t b = a; b <= n; b++)
                    for (int64_t c = 0; c <= n; c++)
                        for (int64_t d = c; d <= n; d++)
                            for (int degree = 0; degree <= order; degree++) {
                                /* in a space of one variable, series come first */
                                draw(&f.rng, &f.space, n == 1 ? 0 : a, n == 1 ? b - a : b, degree,
                                     &f.series[X]);
                                draw(&f.rng, &f.space, n == 1 ? 0 : c, n == 1 ? d - c : d,
                                     (degree + (int)(b + d)) % (order + 1), &f.series[Y]);
                                test(&f);
                            }
            volt_jet_free(f.series);
            volt_jet_workspace_release(&f.workspace);
            volt_jet_space_release(&f.space);
        }
}

static void try_sums(fixture *f)
{
    plain x[LANES], y[LANES];
    for (int k = 0; k < LANES; k += 3) {
        x[k] = plain_of(&f->space, &f->series[X], k);
        y[k] = plain_of(&f->space, &f->series[Y], k);
    }
    volt_jet_copy(&f->space, &f->series[X], &f->series[R]);
    volt_jet_scale(&f->space, -0.5, &f->series[R]);
    for (int k = 0; k < LANES; k += 3) {
        plain wanted = sum((plain){{0}}, -0.5, x[k]);
        compare("scale", &f->space, &f->series[R], k, &wanted);
        compare("copied from", &f->space, &f->series[X], k, &x[k]);
    }
    volt_jet_add(&f->space, 3, &f->series[Y], &f->series[R]);
    volt_jet_shift(0.25, &f->series[R]);
    for (int k = 0; k < LANES; k += 3) {
        plain wanted = sum(sum((plain){{0.25}}, -0.5, x[k]), 3, y[k]);
        compare("add", &f->space, &f->series[R], k, &wanted);
    }
}

static void sums_equal_polynomial_sums(void **state)
{
    on_all_pairs(921, try_sums);
}

static void try_products(fixture *f)
{
    for (int most = 0; most <= f->space.order; most++) {
        volt_jet_multiply(&f->space, most, &f->series[X], &f->series[Y], &f->series[R]);
        assert_true(f->series[R].degree <= most);
        for (int k = 0; k < LANES; k += 3) {
            plain x = plain_of(&f->space, &f->series[X], k), y = plain_of(&f->space, &f->series[Y], k);
            plain wanted = product(&x, &y, most);
            compare("multiply", &f->space, &f->series[R], k, &wanted);
        }
    }
}

static void products_equal_polynomial_products(void **state)
{
    on_all_pairs(922, try_products);
}

/* ---- functions -------------------------------------------------------------------------------- */

static void some_exp(const void *context, const double *x, int order, volt_lanes *f)
{
    volt_taylor_exp(2, *(const double *)context, x, order, f);
}

static void some_inverse(const void *context, const double *x, int order, volt_lanes *f)
{
    volt_taylor_inverse(0.5, *(const double *)context / 100, x, order, f);
}

static void try_functions(fixture *f)
{
    static const double rate = -0.7;
    for (int which = 0; which < 2; which++) {
        volt_jet_compose(&f->workspace, which ? some_inverse : some_exp, &rate, &f->series[X], &f->series[R]);
        for (int k = 0; k < LANES; k += 3) {
            plain x = plain_of(&f->space, &f->series[X], k);
            double taylor[SIDE], r = which ? rate / 100 : rate;
            for (int m = 0; m < SIDE;
                 m++) /* scale rate^m / m! e^{rate x}, and scale rate^m / (1 - rate x)^{m+1} */
                taylor[m] = which ? 0.5 * pow(r, m) / pow(1 - r * x.c[0], m + 1)
                                  : 2 * pow(r, m) / tgamma(m + 1) * exp(r * x.c[0]);
            plain wanted = composed(taylor, x, f->series[X].degree > 0 ? f->space.order : 0);
            compare(which ? "inverse" : "exp", &f->space, &f->series[R], k, &wanted);
            assert_true(plain_of(&f->space, &f->series[X], k).c[0] == x.c[0]);
        }
    }
}

static void functions_equal_taylor_series(void **state)
{
    on_all_pairs(923, try_functions);
}

/* e^{-800} underflows to 0, as do its derivatives. */
static void underflowed_function(void **state)
{
    const double x[LANES] = {800, 1, 709, 0, 1e6, 2, 1e300, 700};
    volt_lanes f[3];
    volt_taylor_exp(3, -1, x, 2, f);
    for (int k = 0; k < LANES; k++)
        for (int m = 0; m < 3; m++)
            if (x[k] > 708)
                assert_true(f[m][k] == 0);
            else
                assert_true(fabs(f[m][k] / (3 * exp(-x[k]) * (m == 1 ? -1 : m == 2 ? 0.5 : 1)) - 1) < 1e-14);
}

/* ---- factors ---------------------------------------------------------------------------------- */

/* 2 a b + c and a + 0.5 b c, for series in some of the variables. */
static void try_joining(fixture *f)
{
    static const double weights[][3] = {{2, 0, 1}, {1, 0.5, 0}};
    for (int which = 0; which < 2; which++) {
        volt_jet_kernel kernel = {.n_factors = 3};
        volt_jet *factors = f->series + FACTORS;
        volt_jet_copy(&f->space, &f->series[X], &factors[0]);
        volt_jet_copy(&f->space, &f->series[Y], &factors[1]);
        volt_jet_copy(&f->space, &f->series[X], &factors[2]);
        volt_jet_shift(1, &factors[2]);
        plain wanted[LANES];
        for (int k = 0; k < LANES; k += 3) {
            plain a = plain_of(&f->space, &factors[0], k), b = plain_of(&f->space, &factors[1], k);
            plain c = plain_of(&f->space, &factors[2], k);
            plain both = which ? product(&b, &c, f->space.order) : product(&a, &b, f->space.order);
            wanted[k] = which ? sum(a, 0.5, both) : sum(c, 2, both);
        }
        for (int i = 0; i < 3; i++)
            kernel.factor[i].weight = weights[which][i];
        volt_jet_join(&kernel, &f->workspace, factors, &f->series[R]);
        for (int k = 0; k < LANES; k += 3)
            compare("join", &f->space, &f->series[R], k, &wanted[k]);
    }
}

static void factors_are_multiplied_and_added(void **state)
{
    on_all_pairs(924, try_joining);
}

static void every_allocation_may_fail(void **state)
{
    for (int64_t fails = 0; failing_alloc_next(&fails);) {
        volt_jet_space space = {0};
        volt_jet_workspace workspace = {0};
        volt_status status = volt_jet_space_create(2, 3, &space);
        if (status == VOLT_OK)
            status = volt_jet_workspace_create(&space, &workspace);
        volt_jet_workspace_release(&workspace);
        volt_jet_space_release(&space);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_equal_polynomial_sums),
        cmocka_unit_test(products_equal_polynomial_products),
        cmocka_unit_test(functions_equal_taylor_series),
        cmocka_unit_test(underflowed_function),
        cmocka_unit_test(factors_are_multiplied_and_added),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("jet", tests, NULL, NULL);
}
