/* tests/property/test_feature_map.c: the kernel is the inner product of the Volterra filter's states.
 *
 *     z~ = 1 + sum_i tau^i z (x) ... (x) z,      x_t = lambda x_{t-1} (x) z~_t + 1          (double tensor algebra)
 *
 * The state is built here as plain arrays: z~ is cut at tensor degree p, which leaves D = 1 + d + ... + d^p
 * numbers, and x at N past steps, which leaves blocks of D^0, D^1, ..., D^N numbers.
 *
 * The truncation error, with t = (tau M)^2, sup kappa = 1/(1 - t), q = lambda^2 sup kappa and
 * r = t^(p+1)/(1 - t), the tail of the geometric series:
 *     sum_{k > N} q^k + sum_{k <= N} lambda^(2k) (sup kappa^k - (sup kappa - r)^k)
 * since |kappa - kappa_p| <= r and |kappa_p| <= sup kappa - r. Equality holds for constant z with |z| = M. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

typedef struct feature_map {
    double tau, lambda;
    int d, degree, steps;
    int64_t D; /* numbers in z~ */
} feature_map;

static feature_map feature_map_of(const plain_kernel *kernel, int d, int degree, int steps)
{
    feature_map map = {kernel->tau, kernel->lambda, d, degree, steps, 0};
    int64_t power = 1;
    for (int i = 0; i <= degree; i++, power *= d)
        map.D += power;
    return map;
}

/* z~: for each degree, every product of that many components of z, weighted by tau^degree. */
static void tensorise(const feature_map *map, const double *z, double *tensor)
{
    int64_t last = 0, at = 1, count = 1; /* the tensors of the last degree, and where the next go */
    tensor[0] = 1;
    for (int i = 1; i <= map->degree; i++) {
        for (int64_t a = 0; a < count; a++)
            for (int k = 0; k < map->d; k++)
                tensor[at + a * map->d + k] = map->tau * tensor[last + a] * z[k];
        last = at;
        count *= map->d;
        at += count;
    }
}

static int64_t state_size(const feature_map *map)
{
    int64_t size = 0, power = 1;
    for (int j = 0; j <= map->steps; j++, power *= map->D)
        size += power;
    return size;
}

/* next = lambda last (x) z~ + 1, cut after block `steps`. */
static void advance(const feature_map *map, const double *last, const double *tensor, double *next)
{
    int64_t block = 1, from = 0, to = 1;
    next[0] = 1;
    for (int j = 1; j <= map->steps; j++) {
        for (int64_t a = 0; a < block; a++)
            for (int64_t b = 0; b < map->D; b++)
                next[to + a * map->D + b] = map->lambda * last[from + a] * tensor[b];
        from += block;
        block *= map->D;
        to += block;
    }
}

/* The states after each row of Z (n x d), after a past of zeros: n x state_size. */
static double *states_of(const feature_map *map, const double *Z, int64_t n)
{
    int64_t size = state_size(map);
    double *states = new_matrix(n, size), *previous = new_matrix(2, size), *tensor = new_matrix(1, map->D);
    double *zero = calloc((size_t)map->d, sizeof *zero);
    memset(previous, 0, (size_t)(2 * size) * sizeof *previous);
    tensorise(map, zero, tensor);
    for (int j = 0; j <= map->steps; j++) { /* as many steps as a state remembers */
        advance(map, previous, tensor, previous + size);
        memcpy(previous, previous + size, (size_t)size * sizeof *previous);
    }
    for (int64_t t = 0; t < n; t++) {
        tensorise(map, Z + t * map->d, tensor);
        advance(map, t > 0 ? states + (t - 1) * size : previous, tensor, states + t * size);
    }
    free(zero);
    free(tensor);
    free(previous);
    return states;
}

static double truncation(const feature_map *map)
{
    double t = map->tau * map->tau, sup = 1 / (1 - t), lambda2 = map->lambda * map->lambda, q = lambda2 * sup;
    double rest = pow(t, map->degree + 1) / (1 - t), sum = pow(q, map->steps + 1) / (1 - q);
    for (int k = 1; k <= map->steps; k++)
        sum += pow(lambda2, k) * (pow(sup, k) - pow(sup - rest, k));
    return sum;
}

/* The largest difference between the inner products and the library's Gram matrix. */
static double largest_error(const plain_kernel *kernel, const feature_map *map, const double *X, int64_t n,
                            const double *Y, int64_t m)
{
    int64_t size = state_size(map);
    double *states_X = states_of(map, X, n), *states_Y = states_of(map, Y, m), *K = new_matrix(n, m);
    volt_kernel *parsed = plain_parse(kernel->text);
    volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .radius = 1};
    check_ok(volt_gram(parsed, volt_view_of(X, n, map->d), volt_view_of(Y, m, map->d), &options,
                       volt_matrix_of(K, n, m)));
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double product = 0;
            for (int64_t a = 0; a < size; a++)
                product += states_X[i * size + a] * states_Y[j * size + a];
            largest = fmax(largest, fabs(product - K[i * m + j]));
        }
    volt_kernel_free(parsed);
    free(K);
    free(states_Y);
    free(states_X);
    return largest;
}

enum { ROWS = 7, COLS = 5 };

static void check_map(const plain_kernel *kernel, int d, int degree, int steps, volt_rng *rng)
{
    feature_map map = feature_map_of(kernel, d, degree, steps);
    double *X = random_rows(rng, ROWS, d, 1), *Y = random_rows(rng, COLS, d, 1);
    double bound = truncation(&map),
           workspace = plain_tolerance(kernel, 1, d) + 1e-13; /* sums of 1e5 products */
    double error = largest_error(kernel, &map, X, ROWS, Y, COLS);
    print_message("d = %d, degree %d, %d steps, %lld numbers: error %.3g, truncation at most %.3g\n", d, degree,
                  steps, (long long)state_size(&map), error, bound);
    assert_true(error <= bound + workspace);

    /* Constant and on the sphere, where the bound is attained: the comparison is as sharp as it can be. */
    for (int i = 0; i < ROWS * d; i++)
        X[i] = i % d == 0;
    error = largest_error(kernel, &map, X, ROWS, X, ROWS);
    assert_true(error <= bound + workspace && error >= 0.9 * bound);
    free(Y);
    free(X);
}

static const plain_kernel small = {"volterra:tau=0.2,lambda=0.2", PLAIN_GEOMETRIC, .tau = 0.2, .lambda = 0.2};
static const plain_kernel middling = {"volterra:tau=0.4,lambda=0.45", PLAIN_GEOMETRIC, .tau = 0.4,
                                      .lambda = 0.45};

static void one_input(void **state)
{
    volt_rng rng = test_rng(21);
    check_map(&small, 1, 5, 6, &rng);
    check_map(&middling, 1, 3, 7, &rng);
    check_map(&middling, 1, 6, 3, &rng);
}

static void two_inputs(void **state)
{
    volt_rng rng = test_rng(22);
    check_map(&small, 2, 3, 4, &rng);
    check_map(&middling, 2, 2, 5, &rng);
    check_map(&middling, 2, 5, 2, &rng);
}

/* K = 1 + sum_{k >= 1} lambda^(2k) prod_{j < k} 1/(1 - tau^2 <z_{-j}, z'_{-j}>), inputs before the first being 0. */
static void kernel_equals_infinite_sum(void **state)
{
    volt_rng rng = test_rng(23);
    for (int slow = 0; slow < 2; slow++) {
        const plain_kernel *kernel = slow ? &plain_slow_kernels[0] : &plain_kernels[0];
        volt_kernel *parsed = plain_parse(kernel->text);
        enum { D = 3 };
        double *X = random_rows(&rng, ROWS, D, 1), *Y = random_rows(&rng, COLS, D, 1), K[ROWS * COLS];
        volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .radius = 1};
        check_ok(volt_gram(parsed, volt_view_of(X, ROWS, D), volt_view_of(Y, COLS, D), &options,
                           volt_matrix_of(K, ROWS, COLS)));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++) {
                double sum = 1, term = 1;
                for (int k = 0; term > 1e-25; k++) {
                    double kappa =
                        k <= i && k <= j ? plain_kappa(kernel, X + (i - k) * D, Y + (j - k) * D, D) : 1;
                    term *= kernel->lambda * kernel->lambda * kappa;
                    sum += term;
                }
                assert_true(fabs(K[i * COLS + j] - sum) <= plain_tolerance(kernel, 1, D));
            }
        free(Y);
        free(X);
        volt_kernel_free(parsed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_input),
        cmocka_unit_test(two_inputs),
        cmocka_unit_test(kernel_equals_infinite_sum),
    };
    return cmocka_run_group_tests_name("feature_map", tests, NULL, NULL);
}
