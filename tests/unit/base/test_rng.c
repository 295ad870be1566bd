/* tests/unit/base/test_rng.c: Philox equals NumPy's, and its uniform and normal numbers have the expected
 * moments. */
#include "base/numbers.h"
#include "support/check.h"
#include "support/golden.h"
#include "volterra/base.h"

/* A 64-bit word from its two halves in the golden file. */
static uint64_t word_of(const double *halves)
{
    return (uint64_t)halves[0] << 32 | (uint64_t)halves[1];
}

static void words_and_uniforms_equal_numpy(void **state)
{
    golden *file = golden_load("philox");
    golden_array keys = golden_array_of(file, "inputs.keys");           /* key x (seed, stream) x halves */
    golden_array words = golden_array_of(file, "expected.words");       /* key x word x halves */
    golden_array uniforms = golden_array_of(file, "expected.uniforms"); /* key x draw */
    int64_t n_words = words.shape[1];
    for (int64_t k = 0; k < keys.rows; k++) {
        volt_rng raw, rng;
        volt_rng_init(&raw, word_of(keys.data + 4 * k), word_of(keys.data + 4 * k + 2));
        rng = raw;
        for (int64_t i = 0; i < n_words; i++) {
            if (volt_rng_word(&raw) != word_of(words.data + 2 * (k * n_words + i)))
                fail_msg("key %d, word %d differs from NumPy", (int)k, (int)i);
            double uniform = volt_rng_uniform(&rng);
            golden_check("uniform", uniforms.data + k * n_words + i, &uniform, 1, 0, GOLDEN_ABSOLUTE);
        }
    }
    golden_free(file);
}

static void a_copy_repeats_the_sequence(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 5, 6);
    for (int start = 0; start < 9; start++) { /* every position in a block, with and without a stored normal */
        volt_rng copy = rng;
        for (int i = 0; i < 20; i++) {
            double x = volt_rng_normal(&rng), y = volt_rng_normal(&copy);
            assert_memory_equal(&x, &y, sizeof x);
            assert_true(volt_rng_word(&rng) == volt_rng_word(&copy));
        }
        volt_rng_normal(&rng);
        volt_rng_word(&rng);
    }
}

static void streams_and_seeds_differ(void **state)
{
    volt_rng a, b, c;
    volt_rng_init(&a, 1, 0);
    volt_rng_init(&b, 1, 1);
    volt_rng_init(&c, 2, 0);
    int equal = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t x = volt_rng_word(&a), y = volt_rng_word(&b), z = volt_rng_word(&c);
        equal += x == y || x == z || y == z;
    }
    assert_int_equal(equal, 0); /* one equal pair in 3000 has probability 2e-16 */
}

enum { DRAWS = 1000000 };

/* Each sample moment is approximately normal about its expected value with the given standard deviation.
 * Five standard deviations are allowed (6e-7), and the seed is fixed. */
static void check_moment(const char *name, double value, double expected, double deviation)
{
    print_message("%s %.6f, expected %.6f +- %.6f\n", name, value, expected, deviation);
    assert_true(fabs(value - expected) <= 5 * deviation);
}

static void uniforms_fill_the_unit_interval(void **state)
{
    const uint64_t seed = 20240101;
    print_message("seed %d, stream 0\n", (int)seed);
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    double sum = 0, squares = 0, low = 1, high = 0;
    int64_t bins[16] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double u = volt_rng_uniform(&rng);
        assert_true(u >= 0 && u < 1);
        low = fmin(low, u);
        high = fmax(high, u);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
        bins[(int)(u * 16)]++;
    }
    const double n = DRAWS;
    check_moment("mean", sum / n, 0.5, sqrt(1 / 12.0 / n));
    check_moment("variance", squares / n, 1 / 12.0, sqrt((1 / 80.0 - 1 / 144.0) / n));
    for (int i = 0; i < 16; i++)
        assert_true(fabs((double)bins[i] - n / 16) <= 5 * sqrt(n * 15 / 256));
    assert_true(low < 20 / n && high > 1 - 20 / n); /* each fails with probability e^-20 */
}

static void normals_have_the_moments_of_the_normal(void **state)
{
    const uint64_t seed = 20240102;
    print_message("seed %d, stream 0\n", (int)seed);
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    double moment[5] = {0}, neighbours = 0, last = 0;
    int64_t beyond_two = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = volt_rng_normal(&rng), power = 1;
        assert_true(isfinite(x));
        for (int k = 1; k <= 4; k++)
            moment[k] += power *= x;
        neighbours += x * last;
        last = x;
        beyond_two += fabs(x) > 2;
    }
    /* var(x^k) = E x^2k - (E x^k)^2 with E x^2, x^4, x^6, x^8 = 1, 3, 15, 105 */
    const double n = DRAWS;
    check_moment("mean", moment[1] / n, 0, sqrt(1 / n));
    check_moment("variance", moment[2] / n, 1, sqrt(2 / n));
    check_moment("skewness", moment[3] / n, 0, sqrt(15 / n));
    check_moment("kurtosis", moment[4] / n, 3, sqrt(96 / n));
    check_moment("correlation of neighbours", neighbours / n, 0, sqrt(1 / n));
    double tail = erfc(sqrt(2));
    check_moment("share beyond 2", (double)beyond_two / n, tail, sqrt(tail * (1 - tail) / n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_uniforms_equal_numpy),
        cmocka_unit_test(a_copy_repeats_the_sequence),
        cmocka_unit_test(streams_and_seeds_differ),
        cmocka_unit_test(uniforms_fill_the_unit_interval),
        cmocka_unit_test(normals_have_the_moments_of_the_normal),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
