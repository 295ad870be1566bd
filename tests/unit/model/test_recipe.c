/* tests/unit/model/test_recipe.c: kernel inputs compared with a reference construction. Models of levels and
 * changes give the same predictions in every mode: fitted, in one call, row by row, in a closed loop, from a
 * file. */
#include "model/recipe.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"

enum { N = 60, LATER = 25, ALL = N + LATER, MAX_D = 3, MAX_Q = 4, FAR = 6, MAX_COLUMNS = 4 * MAX_D };

static int64_t draw(volt_rng *rng, int64_t least, int64_t most)
{
    return least + (int64_t)(volt_rng_uniform(rng) * (double)(most - least + 1));
}

/* A random fit: a random walk with a season in every input; target k is an input, `ahead` rows later. */
typedef struct problem {
    int64_t d, q;
    double X[(ALL + FAR) * MAX_D], Y[ALL * MAX_Q];
    int64_t anchors[MAX_Q];
    volt_fit_options options;
} problem;

static void make_problem(problem *p, volt_rng *rng)
{
    p->d = draw(rng, 1, MAX_D);
    p->q = draw(rng, 1, MAX_Q);
    p->options = volt_fit_options_default();
    p->options.ahead = draw(rng, 1, FAR);
    p->options.washout = draw(rng, 0, 1) ? draw(rng, 1, 5) : 0;
    p->options.intercept = (int)draw(rng, 0, 1);
    p->options.scale = draw(rng, 0, 3) > 0;
    p->options.season =
        (int64_t[]){0, VOLT_SEASON_AUTO, p->options.ahead, 12, p->options.ahead / 2}[draw(rng, 0, 4)];
    if (p->options.season == 1)
        p->options.season = 2;
    p->options.passthrough_columns = draw(rng, 0, 2) ? 0 : p->d - 1;
    p->options.scale_each = p->options.scale && draw(rng, 0, 1);
    p->options.anchors = p->anchors;
    double size = p->options.scale ? 5 : 0.1, level[MAX_D] = {0};
    for (int64_t j = 0; j < p->d; j++)
        level[j] = p->options.scale ? 100 * volt_rng_normal(rng) : 0;
    for (int64_t i = 0; i < ALL + FAR; i++)
        for (int64_t j = 0; j < p->d; j++) {
            level[j] += size / 10 * volt_rng_normal(rng);
            p->X[i * p->d + j] = level[j] + size * sin(2 * acos(-1) * (double)i / 12 + (double)j);
        }
    for (int64_t k = 0; k < p->q; k++) {
        p->anchors[k] = draw(rng, 0, p->d - 1);
        for (int64_t i = 0; i < ALL; i++)
            p->Y[i * p->q + k] = p->X[(i + p->options.ahead) * p->d + p->anchors[k]];
    }
}

/* ---- columns ---------------------------------------------------------------------------------- */

/* Row i of input j at a lag; rows before the first equal the first. */
static double lagged(const problem *p, int64_t i, int64_t lag, int64_t j)
{
    return p->X[(i >= lag ? i - lag : 0) * p->d + j];
}

typedef struct plain_columns {
    int64_t count;
    double value[MAX_COLUMNS][ALL];
} plain_columns;

static double spread_of(const double *values, int64_t rows, double *low, double *high)
{
    double mean = 0, squares = 0;
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t i = 0; i < rows; i++) {
        mean += values[i] / (double)rows;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
    for (int64_t i = 0; i < rows; i++)
        squares += (values[i] - mean) * (values[i] - mean) / (double)rows;
    return sqrt(squares);
}

/* x_plus - x_minus (minus -1: only x_plus) with the spread of the input, or spread 1. Unless all columns are
 * levels, later rows are clipped to the range of the first. */
static void add_plain(const problem *p, volt_input kind, int64_t j, int64_t plus, int64_t minus, int64_t rows,
                      plain_columns *c)
{
    double *value = c->value[c->count], input[ALL], low, high;
    for (int64_t i = 0; i < ALL; i++) {
        input[i] = p->X[i * p->d + j];
        value[i] = lagged(p, i, plus, j) - (minus >= 0 ? lagged(p, i, minus, j) : 0);
    }
    double of_input = spread_of(input, rows, &low, &high), own = spread_of(value, rows, &low, &high);
    double weight = p->options.scale_each ? 1 / own : minus >= 0 && p->options.scale ? of_input / own : 1;
    for (int64_t i = 0; i < ALL; i++) {
        if (i >= rows && p->options.scale && kind != VOLT_INPUT_LEVEL)
            value[i] = fmin(fmax(value[i], low), high);
        value[i] *= weight;
    }
    c->count++;
}

static void make_plain(const problem *p, volt_input kind, int64_t season, int64_t rows, plain_columns *c)
{
    int64_t H = p->options.ahead, one = season;
    while (season > 0 && season < H) /* the least multiple that is known at the time of the forecast */
        season += one;
    c->count = 0;
    for (int64_t j = 0; j < p->d; j++) {
        bool anchored = false, whole = kind == VOLT_INPUT_LEVEL || j >= p->d - p->options.passthrough_columns;
        for (int64_t k = 0; k < p->q; k++)
            anchored |= p->anchors[k] == j;
        if (whole || kind == VOLT_INPUT_BOTH)
            add_plain(p, kind, j, 0, -1, rows, c);
        if (whole)
            continue;
        add_plain(p, kind, j, 0, 1, rows, c);
        if (!anchored || season == 0)
            continue;
        if (season > H)
            add_plain(p, kind, j, season - H, 0, rows, c);
        add_plain(p, kind, j, season - H, season, rows, c);
    }
}

static void columns_equal_plain_construction(void **state)
{
    volt_rng rng = test_rng(901);
    int seasons = 0, beyond = 0;
    for (int trial = 0; trial < 200; trial++) {
        problem p;
        plain_columns plain;
        volt_prepared *prepared = NULL;
        make_problem(&p, &rng);
        p.options.input = (volt_input)draw(&rng, 0, 3);
        int64_t rows = draw(&rng, 0, 1) ? ALL : draw(&rng, 30, ALL);
        check_ok(volt_prepare(volt_view_of(p.X, ALL, p.d), volt_view_of(p.Y, ALL, p.q), &p.options, rows,
                              &prepared));
        assert_int_equal(prepared->input,
                         p.options.input == VOLT_INPUT_AUTO ? VOLT_INPUT_BOTH : p.options.input);
        if (p.options.season != VOLT_SEASON_AUTO && prepared->input != VOLT_INPUT_LEVEL)
            assert_int_equal(prepared->season, p.options.season);
        make_plain(&p, prepared->input, prepared->season, rows, &plain);
        seasons += prepared->season > 0;
        beyond += prepared->season > 0 && prepared->season < p.options.ahead;
        assert_int_equal(prepared->X.cols, plain.count);
        /* Sums over the rows in a different order, and one multiplication by the weight: n eps times the
         * values. */
        for (int64_t i = 0; i < ALL; i++)
            for (int64_t j = 0; j < plain.count; j++) {
                double off = prepared->X.data[i * prepared->X.ld + j] - plain.value[j][i];
                if (!(fabs(off) <= 16 * ALL * DBL_EPSILON * (1e3 + fabs(plain.value[j][i]))))
                    fail_msg("trial %d, row %" PRId64 ", column %" PRId64 ": off by %g", trial, i, j, off);
            }
        for (int64_t i = 0; i < ALL; i++) /* targets are undetermined: changes */
            for (int64_t k = 0; k < p.q; k++) {
                double now = p.X[i * p.d + p.anchors[k]];
                assert_true(prepared->base.data[i * p.q + k] == now);
                assert_true(prepared->Y.data[i * p.q + k] == p.Y[i * p.q + k] - now);
            }
        volt_prepared_free(prepared);
    }
    assert_true(seasons > 20 && beyond > 5);
}

static void constant_difference_is_dropped(void **state)
{
    double X[2 * N];
    for (int64_t i = 0; i < N; i++) {
        X[2 * i] = 0.1 * (double)(i * i % 17);
        X[2 * i + 1] = 7.1;
    }
    volt_recipe recipe;
    volt_recipe_task task = {.kind = VOLT_INPUT_BOTH, .ahead = 1, .scale = true};
    check_ok(volt_recipe_learn(volt_view_of(X, N, 2), &task, &recipe));
    assert_int_equal(recipe.columns, 2);
    assert_true(recipe.column[0].source == 0 && recipe.column[1].source == 0);
    volt_recipe_release(&recipe);
    for (int64_t i = 0; i < N; i++)
        X[2 * i] = 7;
    check_fails(volt_recipe_learn(volt_view_of(X, N, 2), &task, &recipe), VOLT_ERR_DATA, "constant");
    volt_recipe_release(&recipe);
}

/* The ring buffer of recent rows compared with the rows themselves, from any row on. */
static void recent_rows_are_previous_rows(void **state)
{
    volt_rng rng = test_rng(902);
    for (int trial = 0; trial < 50; trial++) {
        int64_t memory = draw(&rng, 1, 9);
        volt_column column = {.plus = draw(&rng, 0, memory), .minus = draw(&rng, -1, memory), .weight = 2};
        volt_recipe recipe = {.inputs = 1, .columns = 1, .column = &column, .memory = memory};
        volt_recent recent, other;
        check_ok(volt_recent_create(&recipe, &recent));
        check_ok(volt_recent_create(&recipe, &other));
        double X[N], value, kept[9];
        for (int64_t i = 0; i < N; i++) {
            X[i] = volt_rng_normal(&rng);
            volt_recipe_row(&recipe, &recent, &X[i], &value);
            double expected = X[i >= column.plus ? i - column.plus : 0];
            if (column.minus >= 0)
                expected -= X[i >= column.minus ? i - column.minus : 0];
            assert_true(value == 2 * expected);
            volt_recent_push(&recipe, &recent, &X[i]);
            volt_recent_get(&recipe, &recent, kept);
            for (int64_t l = 1; l <= memory; l++)
                assert_true(kept[memory - l] == X[i >= l - 1 ? i - l + 1 : 0]);
            if (draw(&rng, 0, 1)) { /* a copy, or a state loaded from a file, continues identically */
                if (draw(&rng, 0, 1))
                    volt_recent_set(&recipe, kept, &other);
                else
                    volt_recent_copy(&recipe, &recent, &other);
                volt_recent swapped = recent;
                recent = other;
                other = swapped;
            }
        }
        volt_recent_release(&recent);
        volt_recent_release(&other);
    }
}

/* ---- models ----------------------------------------------------------------------------------- */

/* Rounding of a prediction: sums of n products of kernel values and coefficients. */
static double allowed_of(const volt_model_info *info, int64_t k)
{
    double total = 1, size = info->facts->largest;
    double alpha = isinf(info->alphas[k]) ? 0 : info->alphas[k];
    for (int64_t i = 0; i < info->n; i++)
        total += fabs(info->coefficients[i * info->q + k]);
    return 64 * (double)info->n * DBL_EPSILON * ((size + alpha) * total * info->target_scale[k] + 1e3);
}

static void check_rows(const char *what, const volt_model_info *info, const double *actual,
                       const double *expected, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < info->q; k++) {
            double off = actual[i * info->q + k] - expected[i * info->q + k];
            if (!(fabs(off) <= allowed_of(info, k)))
                fail_msg("%s: output %" PRId64 " of row %" PRId64
                         " is off by %g, allowed %g (input %d, season %" PRId64 ", anchor %" PRId64
                         ", alpha %g)",
                         what, k, i, off, allowed_of(info, k), (int)info->input, info->season, info->anchors[k],
                         info->alphas[k]);
        }
}

static void predict(const volt_model *model, const problem *p, int64_t first, int64_t rows, volt_start start,
                    double *out)
{
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options), .start = start};
    check_ok(volt_model_predict(model, volt_view_of(p->X + first * p->d, rows, p->d), &options,
                                volt_matrix_of(out, rows, p->q), NULL));
}

/* Row by row; a copy of the stream takes over half-way. */
static void stream(const volt_model *model, const problem *p, int64_t first, int64_t rows, volt_start start,
                   double *out)
{
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options), .start = start};
    volt_live *stream = NULL, *copy = NULL;
    check_ok(volt_live_create(model, as_live(&options), &stream));
    for (int64_t i = 0; i < rows; i++) {
        if (i == rows / 2) {
            check_ok(volt_live_copy(stream, &copy));
            volt_live_free(stream);
            stream = copy;
        }
        double before[MAX_D], nothing[MAX_Q];
        memcpy(before, p->X + (first + i) * p->d, sizeof(double) * (size_t)p->d);
        before[0] = NAN; /* rejected, and the stream is unchanged */
        assert_true(volt_live_feed(stream, before, nothing) != VOLT_OK);
        check_ok(volt_live_feed(stream, p->X + (first + i) * p->d, out + i * p->q));
    }
    volt_live_free(stream);
}

static void check_file(const volt_model *model, const problem *p)
{
    const char *path = scratch_path("model.safetensors");
    double first[LATER * MAX_Q], second[LATER * MAX_Q];
    volt_model *loaded = NULL;
    volt_model_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    size_t size, again;
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    char *bytes = scratch_read(path, &size);
    check_ok(volt_model_load(path, &loaded));
    check_ok(volt_model_save(loaded, path, (volt_progress){0}));
    char *bytes_again = scratch_read(path, &again);
    assert_int_equal(size, again);
    assert_memory_equal(bytes, bytes_again, size);
    volt_model_get_info(model, &a);
    volt_model_get_info(loaded, &b);
    assert_true(a.d == b.d && a.q == b.q && a.columns == b.columns && a.ahead == b.ahead && a.input == b.input);
    assert_true(a.season == b.season && !b.report);
    for (int64_t k = 0; k < a.q; k++)
        assert_true(a.anchors[k] == b.anchors[k] && a.alphas[k] == b.alphas[k]);
    for (int start = 0; start < 2; start++) {
        predict(model, p, N, LATER, start ? VOLT_START_RESET : VOLT_START_CONTINUE, first);
        predict(loaded, p, N, LATER, start ? VOLT_START_RESET : VOLT_START_CONTINUE, second);
        assert_memory_equal(first, second, sizeof(double) * (size_t)(LATER * p->q));
        stream(model, p, N, LATER, start ? VOLT_START_RESET : VOLT_START_CONTINUE, first);
        stream(loaded, p, N, LATER, start ? VOLT_START_RESET : VOLT_START_CONTINUE, second);
        assert_memory_equal(first, second, sizeof(double) * (size_t)(LATER * p->q));
    }
    free(bytes_again);
    free(bytes);
    volt_model_free(loaded);
}

static void check_model(const volt_kernel *kernel, const problem *p, int *learned, int *formats)
{
    double fitted[N * MAX_Q], whole[ALL * MAX_Q], later[LATER * MAX_Q], live[LATER * MAX_Q];
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_fit(kernel, volt_view_of(p->X, N, p->d), volt_view_of(p->Y, N, p->q), &p->options,
                            volt_matrix_of(fitted, N, p->q), &model));
    volt_model_get_info(model, &info);
    assert_true(info.d == p->d && info.q == p->q && info.input != VOLT_INPUT_AUTO);
    for (int64_t k = 0; k < p->q; k++) {
        learned[0] += isfinite(info.alphas[k]);
        learned[1] += info.anchors[k] >= 0;
        assert_true(info.anchors[k] == -1 || info.anchors[k] == p->anchors[k]);
    }
    *formats += info.columns != p->d;
    predict(model, p, 0, ALL, VOLT_START_RESET, whole);
    check_rows("fitted against forecasts of the same rows", &info, fitted, whole, N);
    predict(model, p, N, LATER, VOLT_START_CONTINUE, later);
    check_rows("rows that follow against the whole", &info, later, whole + N * p->q, LATER);
    stream(model, p, N, LATER, VOLT_START_CONTINUE, live);
    check_rows("row by row", &info, live, later, LATER);
    predict(model, p, N, LATER, VOLT_START_RESET, later);
    stream(model, p, N, LATER, VOLT_START_RESET, live);
    check_rows("row by row after a zero past", &info, live, later, LATER);
    check_file(model, p);
    volt_model_free(model);
}

static void all_prediction_paths_agree(void **state)
{
    volt_rng rng = test_rng(903);
    int learned[2] = {0}, formats = 0;
    volt_kernel *kernels[] = {plain_parse("volterra"), plain_parse("rbf:gamma=0.5,window=3")};
    for (int trial = 0; trial < (UNDER_SANITIZERS ? 40 : 150); trial++) {
        problem p;
        make_problem(&p, &rng);
        p.options.target = (volt_target)draw(&rng, 0, 2);
        p.options.input = (volt_input)draw(&rng, 0, 3);
        p.options.alpha = draw(&rng, 0, 1) ? 0 : pow(10, (double)draw(&rng, -4, 1));
        p.options.guarded = (int)draw(&rng, 0, 1);
        check_model(kernels[trial % 2], &p, learned, &formats);
    }
    print_message("outputs learned: %d, changes: %d, recipes: %d\n", learned[0], learned[1], formats);
    assert_true(learned[0] > 20 && learned[1] > 20 && formats > 10);
    volt_kernel_free(kernels[1]);
    volt_kernel_free(kernels[0]);
}

/* A closed loop of a model of changes equals a stream that is fed by the test. */
static void difference_model_continues(void **state)
{
    volt_rng rng = test_rng(904);
    volt_kernel *kernel = plain_parse("volterra");
    for (int trial = 0; trial < 10; trial++) {
        problem p;
        make_problem(&p, &rng);
        p.q = p.d;
        p.options.ahead = 1;
        p.options.feedback = p.options.scale = 1;
        p.options.alpha = 0.1;
        p.options.target = (volt_target)draw(&rng, 0, 1);
        p.options.input = (volt_input)draw(&rng, 0, 2);
        for (int64_t k = 0; k < p.d; k++)
            p.anchors[k] = k;
        volt_model *model = NULL;
        volt_live *stream = NULL;
        double path[LATER * MAX_D], row[MAX_D];
        check_ok(volt_model_fit(kernel, volt_view_of(p.X, N, p.d), volt_view_of(p.X + p.d, N, p.d), &p.options,
                                (volt_matrix){0}, &model));
        check_ok(
            volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(path, LATER, p.d), NULL));
        check_ok(volt_live_create(model, NULL, &stream));
        memcpy(row, p.X + N * p.d, sizeof row);
        for (int64_t i = 0; i < LATER; i++) {
            double out[MAX_D];
            check_ok(volt_live_feed(stream, row, out));
            assert_memory_equal(out, path + i * p.d, (size_t)p.d * sizeof(double));
            memcpy(row, out, sizeof row);
        }
        volt_live_free(stream);
        volt_model_free(model);
    }
    volt_kernel_free(kernel);
}

/* Several horizons in one model: each equals the fit of that horizon's targets on the same columns. */
static void horizons_are_independent(void **state)
{
    volt_rng rng = test_rng(905);
    volt_kernel *kernel = plain_parse("volterra");
    problem p;
    make_problem(&p, &rng);
    p.d = 1;
    p.options = volt_fit_options_default();
    p.options.ahead = 4;
    p.options.anchors = p.anchors;
    double Y[N * 4], one[N], all[N * 4], single[N];
    memset(p.anchors, 0, sizeof p.anchors);
    for (int64_t i = 0; i < N; i++)
        for (int64_t h = 0; h < 4; h++)
            Y[i * 4 + h] = p.X[i + 1 + h];
    volt_model *joint = NULL, *alone = NULL;
    volt_model_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    check_ok(volt_model_fit(kernel, volt_view_of(p.X, N, 1), volt_view_of(Y, N, 4), &p.options,
                            volt_matrix_of(all, N, 4), &joint));
    volt_model_get_info(joint, &a);
    for (int64_t h = 0; h < 4; h++) {
        for (int64_t i = 0; i < N; i++)
            one[i] = Y[i * 4 + h];
        check_ok(volt_model_fit(kernel, volt_view_of(p.X, N, 1), volt_view_of(one, N, 1), &p.options,
                                volt_matrix_of(single, N, 1), &alone));
        volt_model_get_info(alone, &b);
        assert_true(fabs(a.report->mse[h] - b.report->mse[0]) <= 1e-9 * a.report->naive_mse[h]);
        assert_true(isinf(a.alphas[h]) == isinf(b.alphas[0]) && a.report->share[h] == b.report->share[0]);
        for (int64_t i = 0; i < N; i++)
            assert_true(fabs(single[i] - all[i * 4 + h]) <= allowed_of(&a, h));
        volt_model_free(alone);
    }
    volt_model_free(joint);
    volt_kernel_free(kernel);
}

static void impossible_options_are_rejected(void **state)
{
    volt_rng rng = test_rng(906);
    volt_kernel *kernel = plain_parse("volterra");
    problem p;
    make_problem(&p, &rng);
    p.options = volt_fit_options_default();
    volt_view X = volt_view_of(p.X, N, p.d), Y = volt_view_of(p.Y, N, p.q);
    volt_model *model = NULL;
#define refused(fragment) \
    check_fails(volt_model_fit(kernel, X, Y, &p.options, (volt_matrix){0}, &model), VOLT_ERR_ARGUMENT, fragment)
    p.options.target = VOLT_TARGET_CHANGE;
    refused("targets are 0 rows ahead");
    p.options.ahead = 1;
    refused("a target is not an input");
    p.options.anchors = p.anchors;
    p.anchors[0] = p.d;
    refused("anchors 0 to 0");
    p.anchors[0] = -1;
    refused("a target is not an input");
    p.anchors[0] = 0;
    p.options.season = 1;
    refused("season");
    p.options.season = N;
    refused("season");
    p.options.season = 0;
    p.options.passthrough_columns = p.d;
    refused("passthrough_columns");
    p.options.passthrough_columns = 0;
    p.options.alpha = -1;
    refused("alpha");
    p.options.alpha = INFINITY;
    refused("alpha");
#undef refused
    assert_null(model);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_equal_plain_construction), cmocka_unit_test(constant_difference_is_dropped),
        cmocka_unit_test(recent_rows_are_previous_rows),    cmocka_unit_test(all_prediction_paths_agree),
        cmocka_unit_test(difference_model_continues),       cmocka_unit_test(horizons_are_independent),
        cmocka_unit_test(impossible_options_are_rejected),
    };
    return cmocka_run_group_tests_name("recipe", tests, NULL, NULL);
}
