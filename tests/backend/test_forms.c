/* tests/backend/test_forms.c: numeric kernel forms (base/kernel_form.h) on every back end that supports
 * them, compared with the engines: Gram matrices of a sequence, later rows, records, windows, filter slices
 * and the final state. */
#include "base/error.h"
#include "kernel/kernel_entry.h"
#include "solve/exact/operator.h"
#include "support/check.h"
#include "support/far_backend.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/kernel.h"

enum { N = 71, LATER = 38, D = 3 };

/* Every kind of step, alone and with others; windows shorter and longer than records and sequences. */
static const char *const kernels[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.8",
    "volterra:lift=even,tau_coef=0.7,lambda_coef=0.8",
    "volterra:lift=exponential,tau_coef=0.7,lambda_coef=0.8",
    "volterra:lift=poly:4,tau_coef=0.7,lambda_coef=0.8",
    "volterra:lift=rbf,gamma=0.7,lambda_coef=0.9",
    "fir:mu=0.8",
    "fading:gamma=0.4,rho=0.7",
    "memory:gamma=1,rho=0.5,mu=0.8",
    "linear",
    "rbf:gamma=0.5",
    "poly:degree=3,gamma=0.4",
    "sigmoid:gamma=0.3",
    "cauchy:gamma=0.6",
    "linear:window=4",
    "rbf:gamma=0.1,window=7",
    "cauchy:gamma=0.1,window=200",
    "poly:degree=2,window=90",
    "fir:mu=0.9,corr=0.5",
    "volterra:pole=0.5",
    "2*fir:mu=0.7 + memory:gamma=1,rho=0.5,mu=0.8,pole=0.6",
    ("linear:window=3*rbf:gamma=0.5 + 0.5*volterra:tau_coef=0.6,lambda_coef=0.8 + "
     "3*fading*cauchy:window=5,gamma=0.2"),
    "linear*linear*linear*rbf + fir*fading + memory*cauchy + 2*poly:degree=2",
    NULL,
};

/* A kernel on rows after its input filter. */
typedef struct problem {
    const char *text;
    volt_kernel *kernel;
    volt_sliced_rows rows;
    volt_resolved resolved;
    volt_kernel_form form;
    volt_columns *columns;
} problem;

static problem make_problem(const char *text, volt_view Z, const int64_t *lengths, int64_t n_records)
{
    problem p = {.text = text, .kernel = plain_parse(text)};
    volt_records records = {0};
    check_ok(volt_records_make(lengths, n_records, Z.rows, &records));
    check_ok(volt_sliced_rows_make(p.kernel, Z, &records, 0, "the inputs", &p.rows));
    check_ok(volt_kernel_resolve_slices(p.kernel, p.rows.extents, Z.cols, &p.resolved));
    check_ok(volt_resolved_split(&p.resolved, &records, 0));
    check_ok(volt_columns_create(&p.resolved, volt_view_rows(p.rows.rows, 0, N), NULL, &p.columns));
    if (!volt_form_of(&p.resolved, &p.form))
        fail_msg("%s is no form", text);
    volt_records_release(&records);
    return p;
}

static void free_problem(problem *p)
{
    volt_columns_free(p->columns);
    volt_resolved_release(&p->resolved);
    volt_sliced_rows_release(&p->rows);
    volt_kernel_free(p->kernel);
}

/* Local values are sums of d numbers: those of distances, which the engines take from norms, are right to eps times these.
 * The steps keep it so up to the sums of what fades, and the degree of a power. */
static void check_near(const problem *p, const char *what, double expected, double found, double size)
{
    double allowed = 4096 * DBL_EPSILON * (1 + fabs(size));
    if (!(fabs(expected - found) <= allowed))
        fail_msg("%s, %s: %.17g and not %.17g, allowed %g", p->text, what, found, expected, allowed);
}

static void check_states(const problem *p, const char *what, const volt_state *kernel_state,
                         const double *state)
{
    int64_t length = volt_state_length(kernel_state);
    double *expected = new_matrix(length + 1, 1);
    volt_state_get(kernel_state, expected);
    for (int64_t i = 0; i < length; i++)
        check_near(p, what, expected[i], state[i], expected[i]);
    free(expected);
}

/* ---- one problem ------------------------------------------------------------------------------ */

static void check_gram(const problem *p, const volt_backend *backend, volt_state *kernel_state, double *state)
{
    double *expected = new_matrix(N, N), *found = new_matrix(N, N), *there = backend->alloc(N, N);
    volt_view Z = volt_view_rows(p->rows.rows, 0, N);
    assert_non_null(there);
    volt_state_advance(kernel_state, Z, true, volt_matrix_of(expected, N, N), NULL);
    assert_true(backend->gram(&p->form, Z, volt_matrix_of(there, N, N), state, NULL));
    backend->get(volt_view_of(there, N, N), volt_matrix_of(found, N, N));
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j <= i; j++)
            check_near(p, "gram", expected[i * N + j], found[i * N + j], expected[i * N + j]);
    check_states(p, "end", kernel_state, state);
    backend->release(there);
    free(expected);
    free(found);
}

/* The following rows in two parts. The second part starts from the final state of the first. */
static void check_cross(const problem *p, const volt_backend *backend, volt_state *kernel_state, double *state)
{
    double *expected = new_matrix(LATER, N), *found = new_matrix(LATER, N),
           *there = backend->alloc(LATER, N + 5);
    volt_view Y = volt_view_rows(p->rows.rows, 0, N);
    const int64_t parts[] = {0, 13, LATER};
    assert_non_null(there);
    for (int k = 0; k < 2; k++) {
        int64_t first = parts[k], count = parts[k + 1] - first;
        volt_view Z = volt_view_rows(p->rows.rows, N + first, count);
        volt_matrix K = {there + first * (N + 5), count, N, N + 5};
        volt_state_advance(kernel_state, Z, false, volt_matrix_of(expected + first * N, count, N), NULL);
        assert_true(backend->cross(&p->form, Y, Z, state, K, NULL));
        check_states(p, "state", kernel_state, state);
    }
    backend->get((volt_view){there, LATER, N, N + 5}, volt_matrix_of(found, LATER, N));
    for (int64_t i = 0; i < LATER * N; i++)
        check_near(p, "cross", expected[i], found[i], expected[i]);
    backend->release(there);
    free(expected);
    free(found);
}

/* `zeros`: the rows that follow begin another record. */
static void run_problem(const char *text, const volt_backend *backend, volt_view Z, const int64_t *lengths,
                        int64_t n_records, bool zeros)
{
    problem p = make_problem(text, Z, lengths, n_records);
    volt_state *kernel_state = NULL;
    check_ok(volt_state_create(&p.resolved, p.columns, N, &kernel_state));
    double *state = new_matrix(volt_state_length(kernel_state) + 1, 1);
    check_gram(&p, backend, kernel_state, state);
    if (zeros) {
        volt_state_zero(kernel_state);
        volt_state_get(kernel_state, state);
    }
    check_cross(&p, backend, kernel_state, state);
    free(state);
    volt_state_free(kernel_state);
    free_problem(&p);
}

static void forms_on(const volt_backend *backend)
{
    static const int64_t lengths[] = {29, 1, 12, 29 + LATER}, other[] = {29, 1, 41, LATER};
    if (!backend->gram)
        return;
    volt_rng rng = test_rng(7400);
    double *inputs = random_rows(&rng, N + LATER, D, 1);
    volt_view Z = volt_view_of(inputs, N + LATER, D);
    for (int64_t k = 0; kernels[k]; k++) {
        run_problem(kernels[k], backend, Z, NULL, 0, false);
        run_problem(kernels[k], backend, Z, lengths, 4, false);
        run_problem(kernels[k], backend, Z, other, 4, true);
    }
    free(inputs);
}

static void device_forms_equal_engines(void **state)
{
    for_each_backend(forms_on);
}

/* ---- which kernels ---------------------------------------------------------------------------- */

static bool has_form(const char *text)
{
    volt_rng rng = test_rng(7401);
    double *inputs = random_rows(&rng, N, D, 1);
    volt_kernel *kernel = plain_parse(text);
    volt_sliced_rows rows = {0};
    volt_resolved resolved = {0};
    volt_kernel_form form;
    check_ok(volt_sliced_rows_make(kernel, volt_view_of(inputs, N, D), NULL, 0, "the inputs", &rows));
    check_ok(volt_kernel_resolve_slices(kernel, rows.extents, D, &resolved));
    bool known = volt_form_of(&resolved, &form);
    volt_resolved_release(&resolved);
    volt_sliced_rows_release(&rows);
    volt_kernel_free(kernel);
    free(inputs);
    return known;
}

static void paths_and_reservoirs_have_no_form(void **state)
{
    assert_true(has_form("volterra + fir*rbf"));
    assert_false(has_form("gak:window=4"));
    assert_false(has_form("sig:window=4,level=2"));
    assert_false(has_form("esn:size=5"));
    assert_false(has_form("volterra + fir*esn:size=5"));
}

static int make_backends(void **state)
{
    far_backends_register();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_forms_equal_engines),
        cmocka_unit_test(paths_and_reservoirs_have_no_form),
    };
    return cmocka_run_group_tests_name("forms", tests, make_backends, NULL);
}
