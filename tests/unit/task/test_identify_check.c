/* tests/unit/task/test_identify_check.c: data check of an identification, on simulated systems with known answers. */
#include "base/fft.h"
#include "stats/cross_spectrum.h"
#include "support/check.h"
#include "support/sequences.h"
#include "task/identify_internal.h"

enum { N = 600 };

static const double pi = 3.14159265358979323846;

/* y = a y[-1] + b u[-dead], with u an autoregression with coefficient `smooth` and noise of that share of the deviation of y. */
typedef struct test_system {
    double pole, smooth, noise, limit, square;
    int64_t dead;
} test_system;

typedef struct test_rows {
    double u[N], y[N];
} test_rows;

static void simulate(const test_system *one, uint64_t seed, test_rows *rows)
{
    volt_rng rng = test_rng(seed);
    double input = 0, output = 0, sum = 0;
    for (int64_t t = 0; t < N; t++) {
        input = one->smooth * input + sqrt(1 - one->smooth * one->smooth) * volt_rng_normal(&rng);
        rows->u[t] = input;
        double from = t >= one->dead ? rows->u[t - one->dead] : 0;
        output = one->pole * output + from + one->square * from * from;
        rows->y[t] = one->limit > 0 ? fmax(-one->limit, fmin(one->limit, output)) : output;
        sum += rows->y[t] * rows->y[t] / N;
    }
    for (int64_t t = 0; t < N; t++)
        rows->y[t] += one->noise * sqrt(sum) * volt_rng_normal(&rng);
}

static volt_identification check_with(const double *u, int64_t d, const double *y,
                                      const volt_identify_options *options)
{
    volt_identification found = {.struct_size = sizeof found};
    check_ok(volt_identify_check(volt_view_of(u, N, d), volt_view_of(y, N, 1), &(volt_records){0}, options, 0,
                                 (volt_progress){0}, &found));
    return found;
}

static volt_identification check_rows(const double *u, int64_t d, const double *y, const volt_time *times)
{
    return check_with(u, d, y, &(volt_identify_options){.times = times});
}

static bool warns(const volt_identification *found, volt_warning_code code)
{
    for (int64_t i = 0; i < found->n_warnings; i++)
        if (found->warnings[i].code == code)
            return true;
    return false;
}

/* Linear systems with and without noise: no warning, and the numbers of the system. */
static void a_linear_system_has_no_warning(void **state)
{
    static const test_system systems[] = {{.pole = 0.7, .dead = 1},
                                          {.pole = 0.7, .dead = 5, .noise = 0.1},
                                          {.pole = 0.8, .dead = 1, .smooth = 0.9}};
    for (size_t i = 0; i < (UNDER_SANITIZERS ? 1 : sizeof systems / sizeof *systems); i++) {
        test_rows rows;
        simulate(&systems[i], 20 + i, &rows);
        volt_identification found = check_rows(rows.u, 1, rows.y, NULL);
        assert_int_equal(found.n_warnings, 0);
        assert_int_equal(found.dead_time, systems[i].dead);
        assert_false(found.is_nonlinear);
        double noise = pow(systems[i].noise, 2), share = noise / (1 + noise);
        /* A model of 500 rows with m numbers adds m / 500 of the noise; 0.005 is left for regularisation. */
        assert_true(found.unexplained <= 1.3 * share + 0.005 && found.unexplained >= 0.7 * share);
        assert_true(found.forward_gain > 0.5 && found.reverse_gain < 0.1);
        assert_true(found.integration < 0.7 && found.output_at_extreme < 0.02 && found.input_period == 0);
        assert_true(found.time_step == 0 && found.uneven_steps == 0);
    }
}

/* The past of the true input explains the output whether or not there is noise. */
static void swapped_columns_are_noticed(void **state)
{
    for (uint64_t seed = 30; seed < (UNDER_SANITIZERS ? 31 : 34); seed++) {
        test_rows rows;
        test_system one = {.pole = 0.6, .dead = 1, .smooth = seed % 2 ? 0.9 : 0, .noise = seed < 32 ? 0 : 0.1};
        simulate(&one, seed, &rows);
        volt_identification right = check_rows(rows.u, 1, rows.y, NULL);
        volt_identification wrong = check_rows(rows.y, 1, rows.u, NULL);
        assert_true(!warns(&right, VOLT_WARNING_REVERSED) && warns(&wrong, VOLT_WARNING_REVERSED));
        assert_true(right.forward_gain == wrong.reverse_gain && right.reverse_gain == wrong.forward_gain);
    }
}

/* The direction depends neither on units nor on an input that is constant. */
static void direction_of_other_units(void **state)
{
    enum { INPUTS = 3 };
    test_rows rows;
    simulate(&(test_system){.pole = 0.7, .dead = 1, .noise = 0.1}, 37, &rows);
    double inputs[N * INPUTS];
    for (int64_t t = 0; t < N; t++) {
        inputs[t * INPUTS] = rows.u[t];
        inputs[t * INPUTS + 1] = 1e6 * rows.u[N - 1 - t];
        inputs[t * INPUTS + 2] = 1;
    }
    volt_identification found = check_rows(inputs, INPUTS, rows.y, NULL);
    assert_true(warns(&found, VOLT_WARNING_CONSTANT_INPUT) && !warns(&found, VOLT_WARNING_REVERSED));
    assert_true(found.forward_gain > 0.5 && fabs(found.reverse_gain) < 0.5);
    for (int64_t t = 0; t < N; t++) { /* powers of two: the same bits */
        inputs[t * INPUTS] *= 0x1p-10;
        rows.y[t] *= 0x1p-20;
    }
    volt_identification small = check_rows(inputs, INPUTS, rows.y, NULL);
    assert_true(small.forward_gain == found.forward_gain && small.reverse_gain == found.reverse_gain);
}

/* An input that is constant in the second half of the rows is not explained by the output. */
static void direction_of_an_input_that_stops(void **state)
{
    test_rows rows;
    simulate(&(test_system){.pole = 0.7}, 38, &rows);
    static const double last[] = {0, 0.7, -1.3};
    for (int i = 0; i < 3; i++) {
        for (int64_t t = 0; t < N; t++) /* a mean of exactly 0, or a rounded one */
            rows.u[t] = t >= N / 2 ? last[i] : t % 4 < 2 ? 1 : -1;
        volt_identification found = check_rows(rows.u, 1, rows.y, NULL);
        assert_true(!warns(&found, VOLT_WARNING_REVERSED) && found.reverse_gain == 0);
    }
}

/* Without delay the past of the output determines its state, and only white inputs show the direction. */
static void swapped_columns_without_delay(void **state)
{
    if (UNDER_SANITIZERS) /* the code of the test above */
        skip();
    test_rows rows;
    simulate(&(test_system){.pole = 0.8, .limit = 3}, 35, &rows);
    volt_identification right = check_rows(rows.u, 1, rows.y, NULL);
    volt_identification wrong = check_rows(rows.y, 1, rows.u, NULL);
    assert_true(!warns(&right, VOLT_WARNING_REVERSED) && warns(&wrong, VOLT_WARNING_REVERSED));
}

static void nonlinear_systems_are_told_from_linear_ones(void **state)
{
    test_rows rows;
    simulate(&(test_system){.pole = 0.5, .dead = 1, .square = 0.4, .noise = 0.1}, 40, &rows);
    volt_identification found = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(found.is_nonlinear && found.nonlinearity > 0.1);
    assert_true(fabs(found.unexplained - found.noise - found.nonlinearity) <= DBL_EPSILON);
    assert_true(found.noise > 0.5 * 0.01 && found.noise < 0.05); /* noise 0.1: 1 % of the variance */
    if (UNDER_SANITIZERS) /* a statement about numbers, of the same code */
        return;
    /* Noise is not a nonlinearity, whatever its share. */
    simulate(&(test_system){.pole = 0.5, .dead = 1, .noise = 1}, 41, &rows);
    found = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(!found.is_nonlinear && found.unexplained > 0.4 && found.unexplained < 0.65);
}

/* A periodic input: the noise is the change between periods, here known. The square of three sine waves has other
 * frequencies, which no linear model explains. */
static void periods_give_the_noise(void **state)
{
    enum { PERIOD = 50 };
    volt_rng rng = test_rng(45);
    double pattern[PERIOD], u[N], y[N], output = 0, sum = 0;
    for (int64_t t = 0; t < PERIOD; t++)
        pattern[t] = sin(2 * pi * (double)t / PERIOD) + sin(6 * pi * (double)t / PERIOD + 1) +
                     sin(14 * pi * (double)t / PERIOD + 2);
    for (int64_t t = 0; t < N; t++) {
        u[t] = pattern[t % PERIOD];
        output = 0.5 * output + u[t] + 0.5 * u[t] * u[t];
        y[t] = output;
    }
    for (int64_t t = 0; t < N; t++) {
        double error = 0.2 * volt_rng_normal(&rng);
        y[t] += error;
        sum += error * error / N;
    }
    double mean = 0, variance = 0;
    for (int64_t t = 0; t < N; t++)
        mean += y[t] / N;
    for (int64_t t = 0; t < N; t++)
        variance += pow(y[t] - mean, 2) / N;
    volt_identification found = check_rows(u, 1, y, NULL);
    assert_true(found.input_period == PERIOD && found.is_nonlinear);
    /* The mean of 500 squared differences of two errors: relative deviation sqrt(3 / 500) = 0.08; four of them. */
    assert_true(fabs(found.noise / (sum / variance) - 1) < 0.32);
}

static void integrators_and_drifts_are_noticed(void **state)
{
    test_rows rows;
    simulate(&(test_system){.pole = 1, .dead = 1, .noise = 0.1}, 50, &rows);
    volt_identification found = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(warns(&found, VOLT_WARNING_INTEGRATING) && !warns(&found, VOLT_WARNING_DRIFT));
    assert_true(found.integration > 0.7);
    /* Without noise the sums of the input explain everything, for any number of rows in 16 spans. */
    simulate(&(test_system){.pole = 1, .dead = 1}, 52, &rows);
    for (int64_t n = 16 * 20; n <= 16 * 20 + 1; n++) {
        found = (volt_identification){.struct_size = sizeof found};
        double *y = new_matrix(n, 1); /* of exactly n rows, for the sanitizers */
        memcpy(y, rows.y, (size_t)n * sizeof *y);
        check_ok(volt_identify_check(volt_view_of(rows.u, n, 1), volt_view_of(y, n, 1), &(volt_records){0},
                                     &(volt_identify_options){0}, 0, (volt_progress){0}, &found));
        assert_true(fabs(found.integration - 1) < 1e-9);
        free(y);
    }
    /* A slope that is not due to the input is a drift. */
    simulate(&(test_system){.pole = 0.5, .dead = 1}, 51, &rows);
    for (int64_t t = 0; t < N; t++)
        rows.y[t] += 0.02 * (double)t;
    found = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(!warns(&found, VOLT_WARNING_INTEGRATING) && warns(&found, VOLT_WARNING_DRIFT));
    assert_true(found.output_growth > 2.5 && found.integration < 0.7);
}

static void saturation_is_noticed(void **state)
{
    test_rows rows;
    simulate(&(test_system){.pole = 0.8, .dead = 1, .limit = 2}, 60, &rows);
    int64_t at_end = 0;
    for (int64_t t = 0; t < N; t++)
        at_end += rows.y[t] >= 2;
    volt_identification found = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(warns(&found, VOLT_WARNING_SATURATED) && found.output_at_extreme >= (double)at_end / N);
    /* The same share in the input: it comes from there. */
    for (int64_t t = 0; t < N; t++)
        rows.u[t] = rows.u[t] > 0 ? 1 : -1;
    for (int64_t t = N - 1; t > 0; t--)
        rows.y[t] = rows.u[t - 1];
    rows.y[0] = -1;
    found = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(!warns(&found, VOLT_WARNING_SATURATED) && found.output_at_extreme > 0.3);
}

static void excitation_is_counted(void **state)
{
    test_rows rows;
    simulate(&(test_system){.pole = 0.5, .dead = 1}, 70, &rows);
    volt_identification found = check_rows(rows.u, 1, rows.y, NULL);
    /* White noise: n / 2 lines with exponential powers count as n / 4, n = 512. */
    assert_true(found.input_lines > 90 && found.input_lines < 170);
    for (int64_t t = 0; t < N; t++)
        rows.u[t] = sin(2 * pi * (double)t / 64); /* a line of the 512 rows */
    for (int64_t t = 1; t < N; t++)
        rows.y[t] = 0.5 * rows.y[t - 1] + rows.u[t - 1];
    found = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(warns(&found, VOLT_WARNING_FEW_FREQUENCIES) && fabs(found.input_lines - 1) < 1e-6);
    assert_false(warns(&found, VOLT_WARNING_LITTLE_EXCITATION));
    for (int64_t t = 0; t < N; t++)
        rows.u[t] = (double)(5 * t / N % 2); /* four steps */
    for (int64_t t = 1; t < N; t++)
        rows.y[t] = 0.5 * rows.y[t - 1] + rows.u[t - 1];
    found = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(warns(&found, VOLT_WARNING_LITTLE_EXCITATION) && found.input_changes == 4);
}

static void unrelated_columns_have_no_response(void **state)
{
    test_rows rows, other;
    simulate(&(test_system){.pole = 0.8, .dead = 1}, 80, &rows);
    simulate(&(test_system){.pole = 0.8, .dead = 1}, 81, &other);
    volt_identification found = check_rows(other.u, 1, rows.y, NULL);
    assert_true(warns(&found, VOLT_WARNING_NO_RESPONSE) && found.dead_time == -1 && !found.is_nonlinear);
    /* The first input acts at once, the second after three rows. */
    static double both[2 * N], sum[N];
    for (int64_t t = 0; t < N; t++) {
        both[2 * t] = rows.u[t];
        both[2 * t + 1] = other.u[t];
        sum[t] = rows.u[t] + (t >= 3 ? other.u[t - 3] : 0);
    }
    assert_int_equal(check_rows(both, 2, sum, NULL).dead_time, 0);
    /* The square of a symmetric input is not correlated with it. */
    for (int64_t t = 1; t < N; t++)
        other.y[t] = 0.5 * other.y[t - 1] + pow(other.u[t - 1], 2);
    found = check_rows(other.u, 1, other.y, NULL);
    assert_true(!warns(&found, VOLT_WARNING_NO_RESPONSE) && found.is_nonlinear);
}

static void uneven_times_are_noticed(void **state)
{
    test_rows rows;
    volt_time times[N];
    simulate(&(test_system){.pole = 0.8, .dead = 1}, 90, &rows);
    for (int64_t t = 0; t < N; t++)
        times[t].seconds = times[t].clock = 4.0 * (double)t;
    volt_identification found = check_rows(rows.u, 1, rows.y, times);
    assert_true(found.time_step == 4 && found.uneven_steps == 0 && found.n_warnings == 0);
    for (int64_t t = 0; t < N; t += 10)
        times[t].seconds += 1; /* the steps before and after it */
    found = check_rows(rows.u, 1, rows.y, times);
    assert_true(found.time_step == 4 && found.uneven_steps == 2 * (N / 10) - 1);
    assert_true(warns(&found, VOLT_WARNING_UNEVEN_STEPS));

    double clock[N]; /* the same from row 3 on, as numbers */
    for (int64_t t = 0; t < N; t++)
        clock[t] = (double)t + (t >= 3 && t % 10 == 0 ? 0.25 : 0);
    found = check_with(rows.u, 1, rows.y, &(volt_identify_options){.clock = clock});
    assert_true(found.time_step == 1 && found.uneven_steps == 2 * (N / 10 - 1));
    assert_int_equal(found.warnings[0].code, VOLT_WARNING_UNEVEN_STEPS);
    assert_int_equal(found.warnings[0].row, 10);
}

/* Two inputs: responses, residual and multiple coherence of a known system. */
static void spectra_give_the_response(void **state)
{
    enum { ROWS = 1 << 14, LENGTH = 64 };
    volt_rng rng = test_rng(95);
    double *U = normal_rows(&rng, ROWS, 2), *Y = new_matrix(ROWS, 1), all = 0, left = 0;
    for (int64_t t = 0; t < ROWS; t++)
        Y[t] = (t > 0 ? 2 * U[2 * (t - 1)] : 0) - U[2 * t + 1] + volt_rng_normal(&rng);
    volt_spectrum *spectrum = NULL;
    check_ok(volt_spectrum_create(volt_view_of(U, ROWS, 2), volt_view_of(Y, ROWS, 1), LENGTH, &spectrum));
    assert_true(spectrum->bins == LENGTH / 2 && spectrum->segments == 2 * ROWS / LENGTH - 1);
    /* The deviation of H is about sqrt(noise / (input power segments)) = 0.05; five of them. */
    for (int64_t b = 0; b < spectrum->bins; b++) {
        double complex H[2], known = 2 * cexp(-I * 2 * pi * (double)(b + 1) / LENGTH);
        double power, residual;
        assert_true(volt_spectrum_response(spectrum, b, H, &power, &residual));
        assert_true(cabs(H[0] - known) < 0.25 && cabs(H[1] + 1) < 0.25);
        all += power;
        left += residual;
    }
    assert_true(fabs(left / all - 1.0 / 6) < 0.02); /* variances 4, 1 and 1 */
    volt_spectrum_free(spectrum);
    free(U);
    free(Y);
}

static void transforms_and_solutions_are_exact(void **state)
{
    enum { COUNT = 16, ORDER = 4 };
    volt_rng rng = test_rng(96);
    double complex z[COUNT], copy[COUNT], A[ORDER * ORDER], kept[ORDER * ORDER], B[ORDER], x[ORDER];
    for (int64_t i = 0; i < COUNT; i++)
        copy[i] = z[i] = volt_rng_normal(&rng) + I * volt_rng_normal(&rng);
    volt_fft(z, COUNT);
    for (int64_t j = 0; j < COUNT; j++) {
        double complex sum = 0;
        for (int64_t t = 0; t < COUNT; t++)
            sum += copy[t] * cexp(-I * 2 * pi * (double)(j * t) / COUNT);
        assert_true(cabs(sum - z[j]) < 100 * COUNT * DBL_EPSILON);
    }
    for (int64_t i = 0; i < ORDER * ORDER; i++)
        kept[i] = A[i] = volt_rng_normal(&rng) + I * volt_rng_normal(&rng);
    for (int64_t i = 0; i < ORDER; i++)
        B[i] = x[i] = i + 1;
    assert_true(volt_solve_complex(ORDER, 1, A, x));
    for (int64_t i = 0; i < ORDER; i++) {
        double complex sum = 0;
        for (int64_t j = 0; j < ORDER; j++)
            sum += kept[i * ORDER + j] * x[j];
        assert_true(cabs(sum - B[i]) < 1e-12);
    }
    double complex singular[] = {1, 2, 2, 4}, side[] = {1, 1};
    assert_false(volt_solve_complex(2, 1, singular, side));
    assert_true(volt_power_of_two(1) == 1 && volt_power_of_two(63) == 32 && volt_power_of_two(64) == 64);
}

/* ---- direct computations ---------------------------------------------------------------------- */

static double mean_of(const double *x, int64_t n, int64_t ld)
{
    double sum = 0;
    for (int64_t t = 0; t < n; t++)
        sum += x[t * ld] / (double)n;
    return sum;
}

/* Sum of products about the means. */
static double product_of(const double *x, const double *y, int64_t n, int64_t ld)
{
    double sum = 0, first = mean_of(x, n, ld), second = mean_of(y, n, ld);
    for (int64_t t = 0; t < n; t++)
        sum += (x[t * ld] - first) * (y[t * ld] - second);
    return sum;
}

static double growth_of(const double *x, int64_t n, int64_t ld)
{
    double within = 0;
    for (int64_t i = 0; i < 4; i++)
        within += product_of(x + i * (n / 4) * ld, x + i * (n / 4) * ld, n / 4, ld) / (double)(n / 4) / 4;
    return product_of(x, x, n, ld) / (double)n / within;
}

/* Adjusted R^2 of the increments over 16 spans on the sums of two inputs. */
static double integration_of(const double *u, const double *y, int64_t n)
{
    int64_t span = (n - 1) / 16;
    double rows[16 * 3];
    for (int64_t s = 0; s < 16; s++) {
        rows[3 * s] = mean_of(u + 2 * s * span, span, 2) * (double)span;
        rows[3 * s + 1] = mean_of(u + 2 * s * span + 1, span, 2) * (double)span;
        rows[3 * s + 2] = y[2 * (s + 1) * span] - y[2 * s * span];
    }
    double aa = product_of(rows, rows, 16, 3), ab = product_of(rows, rows + 1, 16, 3);
    double bb = product_of(rows + 1, rows + 1, 16, 3), ay = product_of(rows, rows + 2, 16, 3);
    double by = product_of(rows + 1, rows + 2, 16, 3), yy = product_of(rows + 2, rows + 2, 16, 3);
    double determinant = aa * bb - ab * ab;
    double explained = (ay * (bb * ay - ab * by) + by * (aa * by - ab * ay)) / determinant;
    return 1 - (1 - explained / yy) * 15 / 13;
}

static double lines_of(const double *x, int64_t n, int64_t ld)
{
    double sum = 0, squares = 0, mean = mean_of(x, n, ld);
    for (int64_t b = 1; b <= n / 2; b++) {
        double complex z = 0;
        for (int64_t t = 0; t < n; t++)
            z += (x[t * ld] - mean) * cexp(-I * 2 * pi * (double)(b * t % n) / (double)n);
        sum += creal(z * conj(z));
        squares += pow(creal(z * conj(z)), 2);
    }
    return sum * sum / squares;
}

static double at_extremes(const double *x, int64_t n, int64_t ld)
{
    double low = INFINITY, high = -INFINITY, at_low = 0, at_high = 0;
    for (int64_t t = 0; t < n; t++) {
        low = fmin(low, x[t * ld]);
        high = fmax(high, x[t * ld]);
    }
    for (int64_t t = 0; t < n; t++) {
        at_low += x[t * ld] <= low + 1e-3 * (high - low);
        at_high += x[t * ld] >= high - 1e-3 * (high - low);
    }
    return fmax(at_low, at_high) / (double)n;
}

/* Powers of two in the units of input and output change no bit of the check. */
static void checks_do_not_depend_on_units(void **state)
{
    static test_rows rows;
    static double u[N], y[N];
    simulate(&(test_system){.pole = 0.7, .dead = 2, .square = 0.3, .noise = 0.02}, 98, &rows);
    volt_identification plain = check_rows(rows.u, 1, rows.y, NULL);
    assert_true(plain.dead_time == 2 && plain.is_nonlinear);
    static const int units[][2] = {{333, 333}, {-565, -565}, {333, -565}, {0, 333}, {-565, 0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        for (int64_t t = 0; t < N; t++) {
            u[t] = ldexp(rows.u[t], units[i][0]);
            y[t] = ldexp(rows.y[t], units[i][1]);
        }
        volt_identification other = check_rows(u, 1, y, NULL);
        assert_memory_equal(&plain, &other, sizeof plain);
        assert_int_equal(
            volt_identify_stretch(volt_view_of(u, N, 1), volt_view_of(y, N, 1), 80, NULL),
            volt_identify_stretch(volt_view_of(rows.u, N, 1), volt_view_of(rows.y, N, 1), 80, NULL));
    }
}

/* The gain is in the units of the columns; coherences do not depend on them. */
static void spectra_have_any_unit(void **state)
{
    enum { LENGTH = 32 };
    static test_rows rows;
    static double u[N], y[N];
    double power[2], residual[2];
    double complex H[2];
    volt_spectrum *spectra[2] = {NULL};
    simulate(&(test_system){.pole = 0.7, .noise = 0.1}, 99, &rows);
    for (int64_t t = 0; t < N; t++) {
        u[t] = ldexp(rows.u[t], 333);
        y[t] = ldexp(rows.y[t], -565);
    }
    check_ok(volt_spectrum_create(volt_view_of(rows.u, N, 1), volt_view_of(rows.y, N, 1), LENGTH, &spectra[0]));
    check_ok(volt_spectrum_create(volt_view_of(u, N, 1), volt_view_of(y, N, 1), LENGTH, &spectra[1]));
    for (int64_t b = 0; b < LENGTH / 2; b++) {
        for (int i = 0; i < 2; i++)
            assert_true(volt_spectrum_response(spectra[i], b, &H[i], &power[i], &residual[i]));
        assert_true(creal(H[1]) == ldexp(creal(H[0]), -565 - 333) &&
                    cimag(H[1]) == ldexp(cimag(H[0]), -565 - 333));
        assert_true(residual[1] / power[1] == residual[0] / power[0] && power[0] > 0);
    }
    volt_spectrum_free(spectra[0]);
    volt_spectrum_free(spectra[1]);
}

/* Sixteen records of ten rows: all of them together show the response, and one alone shows nothing. */
static void short_records_are_checked_together(void **state)
{
    enum { RECORDS = 16, LENGTH = 10, ROWS = RECORDS * LENGTH };
    int64_t lengths[RECORDS];
    double u[ROWS], y[ROWS], output = 0;
    volt_rng rng = test_rng(100);
    volt_records records;
    for (int64_t t = 0; t < ROWS; t++) {
        lengths[t / LENGTH] = LENGTH;
        output = t % LENGTH ? output : volt_rng_normal(&rng);
        u[t] = volt_rng_normal(&rng);
        y[t] = output = 0.6 * output + (t % LENGTH ? u[t - 1] : 0);
    }
    check_ok(volt_records_make(lengths, RECORDS, ROWS, &records));
    for (int unrelated = 0; unrelated < 2; unrelated++) {
        volt_identification found = {.struct_size = sizeof found};
        for (int64_t t = 0; t < ROWS && unrelated; t++)
            u[t] = volt_rng_normal(&rng);
        check_ok(volt_identify_check(volt_view_of(u, ROWS, 1), volt_view_of(y, ROWS, 1), &records,
                                     &(volt_identify_options){0}, 0, (volt_progress){0}, &found));
        assert_int_equal(found.dead_time, unrelated ? -1 : 1);
        assert_int_equal(warns(&found, VOLT_WARNING_NO_RESPONSE), unrelated);
        assert_int_equal(found.n_warnings, unrelated);
    }
    volt_records_release(&records);
}

/* Two inputs and two outputs in three records. The longest record, in the middle, gives spectra and growth. */
static void numbers_equal_direct_computations(void **state)
{
    const int64_t lengths[] = {120, 380, 100}, begin = 120, rows = 380;
    static double U[2 * N], Y[2 * N];
    double clock[N];
    volt_rng rng = test_rng(97);
    for (int64_t t = 0; t < N; t++) {
        double last[] = {t ? U[2 * t - 2] : 0, t ? U[2 * t - 1] : 0};
        U[2 * t] = t % 3 ? last[0] : volt_rng_normal(&rng);
        U[2 * t + 1] = t % 4 ? last[1] : fmin(0.8, 0.9 * last[1] + volt_rng_normal(&rng));
        Y[2 * t] = (t ? 0.97 * Y[2 * t - 2] : 0) + last[0] - last[1] + 0.3 * volt_rng_normal(&rng);
        Y[2 * t + 1] = fmax(-1, (t >= 5 ? U[2 * (t - 5)] : 0) + 0.5 * volt_rng_normal(&rng));
        clock[t] = 0.5 * (double)t + (t % 90 == 40 ? 0.2 : 0) + (t >= 120 ? 7 : 0);
    }
    volt_records records;
    check_ok(volt_records_make(lengths, 3, N, &records));
    volt_identification found = {.struct_size = sizeof found};
    check_ok(volt_identify_check(volt_view_of(U, N, 2), volt_view_of(Y, N, 2), &records,
                                 &(volt_identify_options){.clock = clock}, 0, (volt_progress){0}, &found));

    double correlation = 0;
    int64_t changes = 0, delay = -1;
    for (int64_t t = 1; t < N; t++)
        changes += t != 120 && t != 500 && (U[2 * t] != U[2 * t - 2] || U[2 * t + 1] != U[2 * t - 1]);
    for (int64_t pair = 0; pair < 4; pair++) {
        const double *u = U + pair / 2, *y = Y + pair % 2;
        double scale = sqrt(product_of(u, u, N, 2) * product_of(y, y, N, 2));
        double input = mean_of(u, N, 2), output = mean_of(y, N, 2);
        for (int64_t lag = 0; lag < 100; lag++) {
            double sum = 0;
            for (int64_t t = lag; t < N; t++) {
                int64_t record = (t >= 120) + (t >= 500), from = (t - lag >= 120) + (t - lag >= 500);
                if (record == from)
                    sum += (u[2 * (t - lag)] - input) * (y[2 * t] - output);
            }
            if (fabs(sum / scale) > fabs(correlation)) {
                correlation = sum / scale;
                delay = lag;
            }
        }
    }
    const double *u = U + 2 * begin, *y = Y + 2 * begin,
                 tolerance = 1e-9; /* sums of at most N terms of order 1 */
    assert_int_equal(found.input_changes, changes);
    assert_int_equal(found.delay, delay);
    assert_true(fabs(found.correlation - correlation) < tolerance);
    assert_true(found.time_step == 0.5 && found.uneven_steps == 2 * 7); /* rows 40, 130, 220, ..., 580 */
    assert_true(found.input_at_extreme == fmax(at_extremes(U, N, 2), at_extremes(U + 1, N, 2)));
    assert_true(found.output_at_extreme == fmax(at_extremes(Y, N, 2), at_extremes(Y + 1, N, 2)));
    double lines = fmin(lines_of(u + 2 * (rows - 256), 256, 2), lines_of(u + 2 * (rows - 256) + 1, 256, 2));
    assert_true(fabs(found.input_lines - lines) < tolerance * lines);
    assert_true(fabs(found.input_growth - fmax(growth_of(u, rows, 2), growth_of(u + 1, rows, 2))) < tolerance);
    assert_true(fabs(found.output_growth - fmax(growth_of(y, rows, 2), growth_of(y + 1, rows, 2))) < tolerance);
    double integration = fmax(fmax(integration_of(u, y, rows), integration_of(u, y + 1, rows)), 0);
    assert_true(integration > 0.1 && fabs(found.integration - integration) < tolerance);
    volt_records_release(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_system_has_no_warning),
        cmocka_unit_test(swapped_columns_are_noticed),
        cmocka_unit_test(direction_of_other_units),
        cmocka_unit_test(direction_of_an_input_that_stops),
        cmocka_unit_test(swapped_columns_without_delay),
        cmocka_unit_test(nonlinear_systems_are_told_from_linear_ones),
        cmocka_unit_test(periods_give_the_noise),
        cmocka_unit_test(integrators_and_drifts_are_noticed),
        cmocka_unit_test(saturation_is_noticed),
        cmocka_unit_test(excitation_is_counted),
        cmocka_unit_test(unrelated_columns_have_no_response),
        cmocka_unit_test(uneven_times_are_noticed),
        cmocka_unit_test(spectra_give_the_response),
        cmocka_unit_test(transforms_and_solutions_are_exact),
        cmocka_unit_test(checks_do_not_depend_on_units),
        cmocka_unit_test(spectra_have_any_unit),
        cmocka_unit_test(short_records_are_checked_together),
        cmocka_unit_test(numbers_equal_direct_computations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
