/* tests/property/test_expressions.c: sums, products and filters, for every kernel of the table.
 *
 * The reference convolves the rows with the closed-form impulse response of the filter, computes the matrix
 * of each factor on these rows, and multiplies and adds the matrices in plain loops. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/kernel_forms.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

enum { N = 31, M = 23, D = 2, MOST = 4, SERIES = 5, TEXT = 200 };

static const double pi = 3.14159265358979323846264338327950288;

/* ---- random expressions ----------------------------------------------------------------------- */

typedef struct piece {
    char plain[TEXT]; /* the factor without its filter */
    double pole, pair, angle, weight;
    bool begins; /* a term, which has this weight */
} piece;

typedef struct expression {
    piece factor[MOST];
    int n;
    char text[4 * TEXT];
} expression;

/* A single kernel, with a window if it requires one on a sequence. */
static void plain_text(const volt_kernel_entry *entry, bool on_series, char text[TEXT])
{
    bool needs_window = entry->paths && !on_series;
    snprintf(text, TEXT, "%s", kernel_small_form(&entry->info, needs_window ? "window=3" : "").text);
}

static bool takes_series(const volt_kernel_entry *entry)
{
    volt_kernel *kernel = plain_parse(kernel_small_form(&entry->info, "").text);
    double row[D] = {0.1, 0.2}, value;
    volt_view series = volt_view_of(row, 1, D);
    bool takes =
        volt_gram_collection(kernel, &series, 1, NULL, 0, NULL, volt_matrix_of(&value, 1, 1)) == VOLT_OK;
    volt_kernel_free(kernel);
    return takes;
}

static double uniform(volt_rng *rng, double low, double high)
{
    return low + (high - low) * volt_rng_uniform(rng);
}

static void draw_filter(volt_rng *rng, piece *p)
{
    p->pole = volt_rng_uniform(rng) < 0.5 ? uniform(rng, -0.9, 0.9) : 0;
    p->pair = volt_rng_uniform(rng) < 0.5 ? uniform(rng, 0.01, 0.9) : 0;
    double turn = volt_rng_uniform(rng);
    p->angle = p->pair == 0 || turn < 0.2 ? 0 : turn < 0.3 ? 1 : uniform(rng, 0.02, 0.98);
}

/* The filter of another factor, of which one number is drawn anew, or none: factors with equal filters share their rows, and
 * filters that differ in one number must not. */
static void draw_filter_like(volt_rng *rng, const piece *other, piece *p)
{
    piece fresh;
    draw_filter(rng, &fresh);
    p->pole = other->pole;
    p->pair = other->pair;
    p->angle = other->angle;
    double which = 4 * volt_rng_uniform(rng);
    if (which < 1)
        p->pole = fresh.pole;
    else if (which < 2 && p->pair > 0)
        p->pair = uniform(rng, 0.01, 0.9);
    else if (which < 3 && p->pair > 0)
        p->angle = uniform(rng, 0.02, 0.98);
}

/* Factor f of the expression: kernel `entry`, which begins a term or is multiplied to the last one. */
static void add_piece(volt_rng *rng, const volt_kernel_entry *entry, bool on_series, expression *e)
{
    piece *p = &e->factor[e->n];
    size_t used = strlen(e->text);
    char *at = e->text + used, separator;
    plain_text(entry, on_series, p->plain);
    if (e->n > 0 && volt_rng_uniform(rng) < 0.5)
        draw_filter_like(rng, &e->factor[e->n - 1], p);
    else
        draw_filter(rng, p);
    p->begins = e->n == 0 || volt_rng_uniform(rng) < 0.5;
    p->weight = p->begins && volt_rng_uniform(rng) < 0.7 ? exp(uniform(rng, -3, 3)) : 1;
    at += sprintf(at, "%s", e->n == 0 ? "" : p->begins ? " + " : "*");
    if (p->begins && p->weight != 1)
        at += sprintf(at, "%.17g*", p->weight);
    at += sprintf(at, "%s", p->plain);
    separator = strchr(p->plain, ':') ? ',' : ':';
    const double numbers[] = {p->pole, p->pair, p->angle};
    static const char *const names[] = {"pole", "pair", "angle"};
    for (int k = 0; k < 3; k++)
        if (numbers[k] != 0) {
            at += sprintf(at, "%c%s=%.17g", separator, names[k], numbers[k]);
            separator = ',';
        }
    e->n++;
}

static const volt_kernel_entry *any_kernel(volt_rng *rng, bool on_series)
{
    for (;;) {
        const volt_kernel_entry *entry =
            volt_kernel_table[(int64_t)(volt_rng_uniform(rng) * (double)volt_kernel_count())];
        if (!on_series || takes_series(entry))
            return entry;
    }
}

/* An expression that begins with this kernel. */
static expression draw(volt_rng *rng, const volt_kernel_entry *first, bool on_series)
{
    expression e = {.n = 0};
    add_piece(rng, first, on_series, &e);
    for (int more = (int)(volt_rng_uniform(rng) * MOST); more > 0; more--)
        add_piece(rng, any_kernel(rng, on_series), on_series, &e);
    return e;
}

/* ---- by hand ---------------------------------------------------------------------------------- */

/* The impulse responses of the pole and of the pair at lag k. */
static double pole_response(double p, int64_t k)
{
    return p == 0 ? (k == 0) : (1 - fabs(p)) * pow(p, (double)k);
}

static double pair_response(double r, double a, int64_t k)
{
    if (r == 0)
        return k == 0;
    double gain = 1 - 2 * r * cos(pi * a) + r * r;
    double shape = a == 0   ? (double)(k + 1)
                   : a == 1 ? (double)(k + 1) * (k % 2 ? -1 : 1)
                            : sin((double)(k + 1) * pi * a) / sin(pi * a);
    return gain * pow(r, (double)k) * shape;
}

static double *convolve(const piece *p, const double *X, int64_t rows)
{
    double *out = new_matrix(rows, D);
    for (int64_t t = 0; t < rows; t++)
        for (int c = 0; c < D; c++) {
            double sum = 0;
            for (int64_t k = 0; k <= t; k++)
                for (int64_t l = 0; k + l <= t; l++)
                    sum += pair_response(p->pair, p->angle, k) * pole_response(p->pole, l) *
                           X[(t - k - l) * D + c];
            out[t * D + c] = sum;
        }
    return out;
}

/* Multiply and add the matrices of the factors, which `fill` makes, into `out`. */
static void combine(const expression *e, void (*fill)(const piece *p, const void *context, double *K),
                    const void *context, int64_t count, double *out)
{
    double *product = new_matrix(1, count), *K = new_matrix(1, count), weight = 1;
    memset(out, 0, (size_t)count * sizeof(double));
    for (int f = 0; f < e->n; f++) {
        const piece *p = &e->factor[f];
        fill(p, context, K);
        for (int64_t k = 0; k < count; k++)
            product[k] = p->begins ? K[k] : product[k] * K[k];
        if (p->begins)
            weight = p->weight;
        if (f + 1 == e->n || e->factor[f + 1].begins)
            for (int64_t k = 0; k < count; k++)
                out[k] += weight * product[k];
    }
    free(K);
    free(product);
}

/* Filtered rows differ by some N eps, and no kernel here, at norms up to 1, turns that into more than a thousand times as
 * much of its largest entry, four factors multiplied. */
static void compare(const char *what, const char *text, const double *expected, const double *actual,
                    int64_t count)
{
    double largest = 0, worst = 0;
    for (int64_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(expected[k]));
    for (int64_t k = 0; k < count; k++)
        worst = fmax(worst, isfinite(actual[k]) ? fabs(actual[k] - expected[k]) : INFINITY);
    if (!(worst <= 4000 * N * DBL_EPSILON * largest))
        fail_msg("%s, %s: off by %.3g, entries up to %.3g", text, what, worst, largest);
}

/* ---- sequences -------------------------------------------------------------------------------- */

typedef struct sequences {
    const double *X, *Y; /* N x D and M x D; Y NULL: X with itself */
} sequences;

static void fill_gram(const piece *p, const void *context, double *K)
{
    const sequences *s = context;
    volt_kernel *kernel = plain_parse(p->plain);
    double *x = convolve(p, s->X, N), *y = s->Y ? convolve(p, s->Y, M) : NULL;
    check_ok(volt_gram(kernel, volt_view_of(x, N, D), volt_view_of(y, y ? M : 0, y ? D : 0), NULL,
                       volt_matrix_of(K, N, y ? M : N)));
    volt_kernel_free(kernel);
    free(x);
    free(y);
}

static void check_gram(const expression *e, sequences s)
{
    int64_t m = s.Y ? M : N;
    double *expected = new_matrix(N, m), *K = new_matrix(N, m);
    volt_kernel *kernel = plain_parse(e->text);
    combine(e, fill_gram, &s, N * m, expected);
    check_ok(volt_gram(kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, s.Y ? M : 0, s.Y ? D : 0), NULL,
                       volt_matrix_of(K, N, m)));
    compare(s.Y ? "two sequences" : "one sequence", e->text, expected, K, N * m);
    volt_kernel_free(kernel);
    free(K);
    free(expected);
}

static void every_kernel_in_expressions(void **state)
{
    volt_rng rng = test_rng(1301);
    for (int repeat = 0; repeat < (UNDER_SANITIZERS ? 2 : 8); repeat++)
        for (int64_t i = 0; i < volt_kernel_count(); i++) {
            double *X = random_rows(&rng, N, D, 1), *Y = random_rows(&rng, M, D, 1);
            expression e = draw(&rng, volt_kernel_table[i], false);
            check_gram(&e, (sequences){X, Y});
            check_gram(&e, (sequences){X, NULL});
            free(Y);
            free(X);
        }
}

/* Factors that are all scans meet tile by tile, in many bands of diagonals: the same numbers as whole matrices that are
 * multiplied and added, up to the rounding of a few products and sums. */
static void parallel_scans(void **state)
{
    enum { ROWS = 613, COLUMNS = 401, FACTORS = 4 };
    static const char *const factor[FACTORS] = {"fir:mu=0.9,corr=0.3", "memory", "volterra:lift=rbf", "cauchy"};
    volt_rng rng = test_rng(1306);
    double *X = random_rows(&rng, ROWS, D, 1), *Y = random_rows(&rng, COLUMNS, D, 1);
    volt_kernel *sum = plain_parse("2*fir:mu=0.9,corr=0.3 + 0.3*memory*volterra:lift=rbf + cauchy");
    for (int same = 0; same < 2; same++) {
        int64_t m = same ? ROWS : COLUMNS;
        volt_view x = volt_view_of(X, ROWS, D),
                  y = same ? volt_view_of(NULL, 0, 0) : volt_view_of(Y, COLUMNS, D);
        double *K = new_matrix(ROWS, m), *part[FACTORS];
        check_ok(volt_gram(sum, x, y, NULL, volt_matrix_of(K, ROWS, m)));
        for (int f = 0; f < FACTORS; f++) {
            volt_kernel *alone = plain_parse(factor[f]);
            part[f] = new_matrix(ROWS, m);
            check_ok(volt_gram(alone, x, y, NULL, volt_matrix_of(part[f], ROWS, m)));
            volt_kernel_free(alone);
        }
        for (int64_t k = 0; k < ROWS * m; k++) {
            double a = 2 * part[0][k], b = 0.3 * part[1][k] * part[2][k], c = part[3][k];
            double tolerance = 8 * DBL_EPSILON * (fabs(a) + fabs(b) + fabs(c));
            if (!(fabs(K[k] - (a + b + c)) <= tolerance))
                fail_msg("entry (%" PRId64 ", %" PRId64 "): %.17g, not %.17g", k / m, k % m, K[k], a + b + c);
        }
        for (int f = 0; f < FACTORS; f++)
            free(part[f]);
        free(K);
    }
    volt_kernel_free(sum);
    free(Y);
    free(X);
}

/* Rows that are filtered and read backwards are the rows again. Each step divides by 1 - |p| >= 0.1 and by
 * |1 - r exp(i pi a)|^2 >= 0.01 at most: a rounding of the filtered rows, of size up to 10, grows a thousandfold. */
static void filters_can_be_undone(void **state)
{
    volt_rng rng = test_rng(1307);
    for (int repeat = 0; repeat < 40; repeat++) {
        piece p;
        draw_filter(&rng, &p);
        volt_filter filter = {p.pole, p.pair, p.angle, repeat % 2 ? uniform(&rng, -0.9, 0.9) : 0};
        double *X = random_rows(&rng, N, D, 1), filtered[N * D], plain[N * D];
        check_ok(volt_filter_rows(&filter, 1, NULL, volt_view_of(X, N, D), filtered));
        volt_filter_undo(&filter, volt_view_of(filtered, N, D), plain);
        compare("undone", "a filter", X, plain, N * D);
        free(X);
    }
}

/* Explicit double sums, with filters and one input of another size. */
static void fir_is_its_double_sum(void **state)
{
    volt_rng rng = test_rng(1302);
    for (int repeat = 0; repeat < 20; repeat++) {
        double mu = volt_rng_uniform(&rng), corr = uniform(&rng, -1, 1), K[N * M], expected[N * M];
        piece p = {.weight = 1, .begins = true};
        char text[TEXT];
        draw_filter(&rng, &p);
        snprintf(text, sizeof text, "fir:mu=%.17g,corr=%.17g,pole=%.17g,pair=%.17g,angle=%.17g", mu, corr,
                 p.pole, p.pair, p.angle);
        double *X = random_rows(&rng, N, D, 1), *Y = random_rows(&rng, M, D, 1000);
        double *x = convolve(&p, X, N), *y = convolve(&p, Y, M);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < M; j++) {
                double sum = 0;
                for (int64_t k = 0; k <= i; k++)
                    for (int64_t l = 0; l <= j; l++) {
                        double product = 0;
                        for (int c = 0; c < D; c++)
                            product += x[(i - k) * D + c] * y[(j - l) * D + c];
                        sum += pow(mu, 0.5 * (double)(k + l)) * pow(corr, fabs((double)(k - l))) * product;
                    }
                expected[i * M + j] = sum;
            }
        volt_kernel *kernel = plain_parse(text);
        check_ok(
            volt_gram(kernel, volt_view_of(X, N, D), volt_view_of(Y, M, D), NULL, volt_matrix_of(K, N, M)));
        compare("double sum", text, expected, K, N * M);
        volt_kernel_free(kernel);
        free(y);
        free(x);
        free(Y);
        free(X);
    }
}

/* A filter may make rows longer than the radius that the inputs were given: kernels without a domain accept
 * them, kernels on a ball reject them. */
static void radius_equals_largest_input_norm(void **state)
{
    double X[] = {1, 0, 1, 0, 1, 0, 0, 1}, K[16], plain[16], one;
    volt_view rows = volt_view_of(X, 4, D), none = volt_view_of(NULL, 0, 0);
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1;
    static const char *const any[] = {"fir:corr=0.9", "linear + rbf:pair=0.9,angle=0.3", "fir:corr=0.9*fading"};
    for (int t = 0; t < 3; t++) {
        volt_kernel *kernel = plain_parse(any[t]);
        check_ok(volt_gram(kernel, rows, none, NULL, volt_matrix_of(plain, 4, 4)));
        check_ok(volt_gram(kernel, rows, none, &options, volt_matrix_of(K, 4, 4)));
        assert_memory_equal(K, plain, sizeof K);
        volt_kernel_free(kernel);
    }
    volt_kernel *fir = plain_parse("fir:corr=0.9"),
                *ball = plain_parse("fir:corr=0.9 + volterra:pair=0.9,angle=0.5");
    check_ok(volt_gram_collection(fir, &rows, 1, NULL, 0, &options, volt_matrix_of(&one, 1, 1)));
    check_fails(volt_gram(ball, rows, none, &options, volt_matrix_of(K, 4, 4)), VOLT_ERR_ARGUMENT, "radius 1");
    options.radius = -1;
    check_fails(volt_gram(fir, rows, none, &options, volt_matrix_of(K, 4, 4)), VOLT_ERR_ARGUMENT, "radius -1");
    volt_kernel_free(ball);
    volt_kernel_free(fir);
}

/* ---- collections ------------------------------------------------------------------------------ */

static const int64_t lengths[SERIES] = {9, 1, 17, 4, 31};

static void fill_collection(const piece *p, const void *context, double *K)
{
    volt_kernel *kernel = plain_parse(p->plain);
    volt_view series[SERIES];
    double *rows[SERIES];
    for (int i = 0; i < SERIES; i++) {
        rows[i] = convolve(p, (const double *)context + i * D, lengths[i]);
        series[i] = volt_view_of(rows[i], lengths[i], D);
    }
    check_ok(volt_gram_collection(kernel, series, SERIES, NULL, 0, NULL, volt_matrix_of(K, SERIES, SERIES)));
    for (int i = 0; i < SERIES; i++)
        free(rows[i]);
    volt_kernel_free(kernel);
}

/* Series that begin at different rows of one sequence, all after a zero past. */
static void collections_of_every_kernel(void **state)
{
    volt_rng rng = test_rng(1303);
    for (int repeat = 0; repeat < (UNDER_SANITIZERS ? 2 : 8); repeat++)
        for (int64_t i = 0; i < volt_kernel_count(); i++) {
            if (!takes_series(volt_kernel_table[i]))
                continue;
            double *X = random_rows(&rng, N + SERIES, D, 1), expected[SERIES * SERIES], K[SERIES * SERIES],
                   part[2 * SERIES];
            expression e = draw(&rng, volt_kernel_table[i], true);
            volt_kernel *kernel = plain_parse(e.text);
            volt_view series[SERIES];
            for (int s = 0; s < SERIES; s++)
                series[s] = volt_view_of(X + s * D, lengths[s], D);
            combine(&e, fill_collection, X, SERIES * SERIES, expected);
            check_ok(
                volt_gram_collection(kernel, series, SERIES, NULL, 0, NULL, volt_matrix_of(K, SERIES, SERIES)));
            compare("collection", e.text, expected, K, SERIES * SERIES);
            if (strstr(e.text, "volterra") == NULL) { /* its ball covers all series in the call */
                check_ok(volt_gram_collection(kernel, series, 2, series, SERIES, NULL,
                                              volt_matrix_of(part, 2, SERIES)));
                compare("two collections", e.text, expected, part, 2 * SERIES);
            }
            volt_gram_options options = volt_gram_options_default();
            options.normalise = 1;
            volt_status status = volt_gram_collection(kernel, series, SERIES, NULL, 0, &options,
                                                      volt_matrix_of(K, SERIES, SERIES));
            double self[SERIES];
            bool is_positive = true; /* a finite difference, sigpde, may be negative on a series of few rows */
            for (int r = 0; r < SERIES; r++) {
                self[r] = sqrt(expected[r * SERIES + r]);
                is_positive = is_positive && self[r] > 0;
            }
            if (is_positive) {
                check_ok(status);
                for (int r = 0; r < SERIES; r++)
                    for (int c = 0; c < SERIES; c++)
                        expected[r * SERIES + c] /= self[r] * self[c];
                compare("normalised", e.text, expected, K, SERIES * SERIES);
            } else {
                check_fails(status, VOLT_ERR_DATA, "positive");
            }
            volt_kernel_free(kernel);
            free(X);
        }
}

static void collections_run_out_of_memory(void **state)
{
    volt_rng rng = test_rng(1305);
    double *X = random_rows(&rng, N, D, 1), K[SERIES * SERIES];
    volt_kernel *kernel = plain_parse("0.5*fir:corr=0.4 + gak:pole=0.3*memory + sig:level=2");
    volt_view series[SERIES];
    for (int s = 0; s < SERIES; s++)
        series[s] = volt_view_of(X, lengths[s], D);
    for (int own = 0; own < 2; own++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_status status =
                volt_gram_collection(kernel, series, SERIES, own ? NULL : series, own ? 0 : SERIES, NULL,
                                     volt_matrix_of(K, SERIES, SERIES));
            failing_alloc_check(status);
        }
    volt_kernel_free(kernel);
    free(X);
}

/* ---- positive semidefinite -------------------------------------------------------------------- */

static void positive_semidefinite(void **state)
{
    volt_rng rng = test_rng(1304);
    for (int repeat = 0; repeat < 40; repeat++) {
        expression e = draw(&rng, any_kernel(&rng, false), false);
        if (strstr(e.text, "sigmoid") || strstr(e.text, "sigpde")) /* which need not be */
            continue;
        double *X = random_rows(&rng, N, D, 1), K[N * N], smallest, largest, most = 0;
        volt_kernel *kernel = plain_parse(e.text);
        check_ok(
            volt_gram(kernel, volt_view_of(X, N, D), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, N, N)));
        for (int k = 0; k < N * N; k++)
            most = fmax(most, fabs(K[k]));
        plain_eigenvalues(volt_view_of(K, N, N), &smallest, &largest);
        if (!(smallest >= -1000 * N * DBL_EPSILON * most))
            fail_msg("%s: eigenvalues from %.3g to %.3g, entries up to %.3g", e.text, smallest, largest, most);
        volt_kernel_free(kernel);
        free(X);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_in_expressions),
        cmocka_unit_test(parallel_scans),
        cmocka_unit_test(filters_can_be_undone),
        cmocka_unit_test(fir_is_its_double_sum),
        cmocka_unit_test(radius_equals_largest_input_norm),
        cmocka_unit_test(collections_of_every_kernel),
        cmocka_unit_test(collections_run_out_of_memory),
        cmocka_unit_test(positive_semidefinite),
    };
    return cmocka_run_group_tests_name("expressions", tests, NULL, NULL);
}
