/* tests/unit/predict/test_forecaster.c: predictions in pieces equal predictions of the whole sequence. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "volterra.h"

enum { TRAIN = 200, FEW = 500, NEW = 11000, D = 2 };

static double x[(TRAIN + NEW) * D], y[TRAIN];
static const int64_t anchors[1] = {0};

static volt_model *make_model(const char *text, volt_input input, const char *solver)
{
    volt_rng rng;
    volt_rng_init(&rng, 12, 0);
    for (int i = 0; i < (TRAIN + NEW) * D; i++)
        x[i] = (i > D ? 0.6 * x[i - D] : 0) + volt_rng_normal(&rng);
    for (int i = 0; i < TRAIN; i++)
        y[i] = x[(i + 1) * D];
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;
    options.ahead = 1;
    options.input = input;
    options.season = input == VOLT_INPUT_BOTH ? 7 : 0;
    options.anchors = anchors;
    options.solver = solver;
    options.landmarks = strcmp(solver, "nystrom") == 0 ? 40 : 0;
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(x, TRAIN, D), volt_view_of(y, TRAIN, 1), &options,
                            (volt_matrix){0}, &model));
    volt_kernel_free(kernel);
    return model;
}

static volt_view new_rows(int64_t rows)
{
    return volt_view_of(x + TRAIN * D, rows, D);
}

/* Pieces with sizes from a list that is repeated. */
static int64_t in_pieces(const volt_model *model, const volt_predict_options *options, int64_t rows,
                         const int64_t *sizes, int n, double *out)
{
    volt_live *live = NULL;
    int64_t beyond = 0;
    check_ok(volt_live_create(model, as_live(options), &live));
    for (int64_t first = 0, i = 0, count = 0; first < rows; first += count, i++) {
        int64_t counted = -1;
        count = sizes[i % n] < rows - first ? sizes[i % n] : rows - first;
        check_ok(volt_live_predict(live, volt_view_rows(new_rows(rows), first, count), 1,
                                   volt_matrix_of(out + first, count, 1), &counted));
        beyond += counted;
    }
    volt_live_free(live);
    return beyond;
}

static void check_model(const char *text, volt_input input, const char *solver, volt_start start)
{
    static double whole[FEW], pieces[FEW];
    static const int64_t sizes[] = {1, 7, 64, 3, 100};
    volt_model *model = make_model(text, input, solver);
    volt_predict_options options = volt_predict_options_default();
    options.start = start;
    int64_t beyond = -1;
    check_ok(volt_model_predict(model, new_rows(FEW), &options, volt_matrix_of(whole, FEW, 1), &beyond));
    assert_int_equal(in_pieces(model, &options, FEW, sizes, 5, pieces), beyond);
    double size = 0, worst = 0;
    for (int i = 0; i < FEW; i++) {
        size = fmax(size, fabs(whole[i]));
        worst = fmax(worst, fabs(whole[i] - pieces[i]));
    }
    /* Sums of TRAIN products with coefficients up to 1 / alpha, at most in another order. */
    if (!(worst <= TRAIN * 1e3 * DBL_EPSILON * size))
        fail_msg("%s: %g of %g", text, worst, size);
    volt_model_free(model);
}

/* Pieces made of whole blocks give bitwise equal results. */
static void blocks_are_bitwise_equal(void **state)
{
    static double whole[NEW], pieces[NEW];
    volt_model *model = make_model("volterra", VOLT_INPUT_LEVEL, "exact");
    volt_live *live = NULL;
    check_ok(volt_model_predict(model, new_rows(NEW), NULL, volt_matrix_of(whole, NEW, 1), NULL));
    check_ok(volt_live_create(model, NULL, &live));
    int64_t block = live_info(live).block_rows;
    assert_true(block > NEW / 4 && block < NEW);
    volt_live_free(live);
    in_pieces(model, NULL, NEW, &block, 1, pieces);
    assert_memory_equal(whole, pieces, sizeof whole);
    volt_model_free(model);
}

static void blocks_equal_whole_prediction(void **state)
{
    static const char *const kernels[] = {"volterra", "rbf:window=4,pole=0.4", "volterra + memory:pole=0.6"};
    for (int k = 0; k < 3; k++)
        for (int start = VOLT_START_CONTINUE; start <= VOLT_START_RESET; start++) {
            check_model(kernels[k], VOLT_INPUT_LEVEL, "exact", (volt_start)start);
            check_model(kernels[k], VOLT_INPUT_BOTH, "exact", (volt_start)start);
            check_model(kernels[k], VOLT_INPUT_LEVEL, "nystrom", (volt_start)start);
        }
}

/* Errors name the row of the whole sequence. After a failure the object and the outputs are unchanged. */
static void failing_block(void **state)
{
    double out[20], whole[25];
    volt_live *live = NULL;
    volt_model *model = make_model("volterra", VOLT_INPUT_LEVEL, "exact");
    check_ok(volt_live_create(model, NULL, &live));
    check_fails(volt_live_predict(live, volt_view_of(x, 4, D + 1), 1, volt_matrix_of(out, 4, 1), NULL),
                VOLT_ERR_SHAPE, "inputs 3 columns");
    check_fails(volt_live_predict(live, volt_view_of(x, 4, D), 1, volt_matrix_of(out, 3, 1), NULL),
                VOLT_ERR_SHAPE, "x 4 1");
    check_ok(volt_live_predict(live, volt_view_of(x, 20, D), 1, volt_matrix_of(out, 20, 1), NULL));
    double bad[5 * D];
    memcpy(bad, x, sizeof bad);
    bad[3 * D] = NAN;
    out[0] = -77;
    check_fails(volt_live_predict(live, volt_view_of(bad, 5, D), 1, volt_matrix_of(out, 5, 1), NULL),
                VOLT_ERR_NOT_FINITE, "input row 24");
    assert_true(out[0] == -77);
    check_ok(volt_live_predict(live, volt_view_of(x + 20 * D, 5, D), 1, volt_matrix_of(out, 5, 1), NULL));
    check_ok(volt_model_predict(model, volt_view_of(x, 25, D), NULL, volt_matrix_of(whole, 25, 1), NULL));
    for (int i = 0; i < 5; i++)
        assert_true(fabs(out[i] - whole[20 + i]) <= TRAIN * 1e3 * DBL_EPSILON * (1 + fabs(whole[20 + i])));
    volt_live_free(live);
    volt_live_free(NULL);
    check_fails(volt_live_create(NULL, NULL, &live), VOLT_ERR_ARGUMENT, "NULL");
    volt_model_free(model);
}

static void every_allocation_may_fail(void **state)
{
    volt_model *model = make_model("volterra", VOLT_INPUT_BOTH, "exact");
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_live *live = NULL;
        double out[30];
        volt_status status = volt_live_create(model, NULL, &live);
        assert_true((status == VOLT_OK) == (live != NULL));
        if (status == VOLT_OK)
            status = volt_live_predict(live, volt_view_of(x, 30, D), 1, volt_matrix_of(out, 30, 1), NULL);
        volt_live_free(live);
        failing_alloc_check(status);
    }
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_equal_whole_prediction),
        cmocka_unit_test(blocks_are_bitwise_equal),
        cmocka_unit_test(failing_block),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
