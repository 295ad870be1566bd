/* tests/unit/fit/test_fit_rows.c: rows generated on demand are bitwise equal to stored rows. */
#include "fit/fit_task.h"
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/failing_alloc.h"

enum { N = 9000, D = 2, MAX_WIDTH = 32 }; /* more rows than a block */

typedef struct problem {
    double x[N * D], y[N];
    volt_kernel *kernel;
    volt_records records;
    volt_missing_targets holes;
    fit_task task;
    volt_fit_options options;
} problem;

static problem p;
static const int64_t anchors[1] = {0};
static const int64_t lengths[3] = {4100, 3, N - 4103};

static void begin(const char *kernel, volt_input input, bool records)
{
    volt_rng rng;
    volt_rng_init(&rng, 41, 0);
    for (int i = 0; i < N * D; i++)
        p.x[i] = volt_rng_normal(&rng) + (i > D ? 0.5 * p.x[i - D] : 3);
    for (int i = 0; i < N; i++)
        p.y[i] = p.x[i * D] * p.x[i * D + 1];
    volt_view X = volt_view_of(p.x, N, D), Y = volt_view_of(p.y, N, 1);
    p.options = volt_fit_options_default();
    p.options.alpha = 1e-3;
    p.options.ahead = 1;
    p.options.input = input;
    p.options.season = input == VOLT_INPUT_BOTH ? 24 : 0;
    p.options.anchors = anchors;
    p.holes = (volt_missing_targets){.present = Y};
    check_ok(volt_kernel_parse(kernel, &p.kernel));
    check_ok(volt_records_make(lengths, records ? 3 : 0, N, &p.records));
    check_ok(volt_fit_task_resolve(X, Y, &p.options, &p.records, N, &p.task));
    p.task.missing_targets = &p.holes;
}

static void end(void)
{
    volt_records_release(&p.records);
    volt_kernel_free(p.kernel);
}

/* The fields of a model that rows need. */
static volt_status make(bool stored, volt_model **model, volt_fit_rows *rows)
{
    volt_recipe recipe = {0};
    *rows = (volt_fit_rows){0};
    volt_status status = volt_fit_task_recipe(&p.task, N, &recipe);
    int64_t width = recipe.columns * volt_kernel_slices(p.kernel);
    if (status == VOLT_OK)
        status = volt_model_allocate(N, width, 1, model);
    if (status != VOLT_OK) {
        volt_recipe_release(&recipe);
        return status;
    }
    (*model)->recipe = recipe;
    (*model)->scaled = true;
    status = volt_kernel_parse(volt_kernel_text(p.kernel), &(*model)->kernel);
    if (status != VOLT_OK)
        return status;
    volt_recipe_use_filters(&(*model)->recipe, (*model)->kernel);
    return volt_fit_rows_begin(&p.task, *model, width, stored, rows);
}

/* `count` rows from `first` on, generated and stored. */
static void compare(volt_fit_rows *made, volt_fit_rows *stored, int64_t first, int64_t count)
{
    static double a[600 * MAX_WIDTH], b[600 * MAX_WIDTH];
    int64_t d = stored->Z.cols;
    assert_true(d <= MAX_WIDTH && count <= 600);
    volt_fit_rows_get(made, first, volt_matrix_of(a, count, d));
    volt_fit_rows_get(stored, first, volt_matrix_of(b, count, d));
    assert_memory_equal(a, b, (size_t)(count * d) * sizeof *a);
    assert_memory_equal(b, stored->Z.data + first * d, (size_t)(count * d) * sizeof *b);
}

static void check_problem(const char *kernel, volt_input input, bool records)
{
    begin(kernel, input, records);
    volt_model *model[2] = {NULL, NULL};
    volt_fit_rows rows[2];
    volt_extent extents[2][VOLT_MAX_FACTORS];
    int64_t slices = volt_kernel_slices(p.kernel);
    for (int stored = 0; stored < 2; stored++) {
        check_ok(make(stored, &model[stored], &rows[stored]));
        check_ok(volt_fit_rows_extents(&rows[stored], slices, extents[stored]));
    }
    assert_null(rows[0].Z.data);
    assert_memory_equal(extents[0], extents[1], (size_t)slices * sizeof **extents);
    assert_true(model[0]->input.scale == model[1]->input.scale);
    assert_memory_equal(model[0]->input.shift, model[1]->input.shift,
                        (size_t)model[0]->recipe.columns * sizeof(double));

    /* The preceding rows of the row after the last. */
    int64_t length = volt_recent_length(&model[0]->recipe);
    double *recent[2] = {calloc((size_t)length + 1, 8), calloc((size_t)length + 1, 8)};
    for (int i = 0; i < 2; i++)
        volt_recent_get(&model[i]->recipe, &model[i]->recent, recent[i]);
    assert_memory_equal(recent[0], recent[1], (size_t)length * sizeof(double));
    free(recent[0]);
    free(recent[1]);

    static const int64_t firsts[] = {0, 500, 500, 1200, 4095, 4099, 4101, 4103, 3, 8500, 4100, 0, 8999};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        compare(&rows[0], &rows[1], firsts[i], firsts[i] + 500 <= N ? 500 : N - firsts[i]);
    for (int i = 0; i < 2; i++) {
        volt_fit_rows_release(&rows[i]);
        volt_model_free(model[i]);
    }
    end();
}

static void computed_rows_equal_stored_rows(void **state)
{
    static const char *const kernels[] = {"volterra", "rbf:window=3,pole=0.5",
                                          "volterra + memory:pair=0.8,angle=0.3"};
    static const volt_input inputs[] = {VOLT_INPUT_LEVEL, VOLT_INPUT_CHANGE, VOLT_INPUT_BOTH};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            for (int records = 0; records < 2; records++)
                check_problem(kernels[k], inputs[i], records);
}

static void every_allocation_may_fail(void **state)
{
    begin("volterra", VOLT_INPUT_BOTH, true);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_model *model = NULL;
        volt_fit_rows rows = {0};
        volt_extent extents[VOLT_MAX_FACTORS];
        failing_alloc_start(k);
        volt_status status = make(false, &model, &rows);
        if (status == VOLT_OK)
            status = volt_fit_rows_extents(&rows, 1, extents);
        volt_fit_rows_release(&rows);
        volt_model_free(model);
        failing_alloc_check(status);
    }
    end();
}

/* The season is that of the longest record, wherever it is; of two, that of the first. */
static void season_of_the_longest_record(void **state)
{
    enum { ROWS = 160 };
    static const struct {
        int64_t parts[3];
        int longest;
    } cases[] = {{{100, 30, 30}, 0}, {{30, 100, 30}, 1}, {{30, 30, 100}, 2}, {{65, 65, 30}, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t *parts = cases[c].parts;
        double x[ROWS];
        volt_rng rng;
        volt_rng_init(&rng, 42, 0);
        for (int64_t part = 0, i = 0; part < 3; part++)
            for (int64_t end = i + parts[part]; i < end; i++)
                x[i] = (part == cases[c].longest ? 3 * sin(0.785398163397448 * (double)i) : 0) +
                       0.1 * volt_rng_normal(&rng);
        volt_view X = volt_view_of(x, ROWS - 1, 1), Y = volt_view_of(x + 1, ROWS - 1, 1);
        volt_fit_options options = volt_fit_options_default();
        volt_records records;
        fit_task task;
        options.ahead = 1;
        options.anchors = anchors;
        options.season = VOLT_SEASON_AUTO;
        const int64_t rows[3] = {parts[0], parts[1], parts[2] - 1};
        check_ok(volt_records_make(rows, 3, ROWS - 1, &records));
        check_ok(volt_fit_task_resolve(X, Y, &options, &records, ROWS - 1, &task));
        assert_int_equal(task.season, 8);
        volt_records_release(&records);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_rows_equal_stored_rows),
        cmocka_unit_test(season_of_the_longest_record),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
