/* tests/unit/test_reshaped_fields.c: model and state files whose tensors have another shape.
 *
 * A vector as a column, a matrix as a vector, transposed, or without its last row: every reader rejects them. Files are saved after each row
 * and loaded again. */
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "support/tensor_fields.h"
#include "volterra/live.h"
#include "volterra/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 14, D = 2, AHEAD = 4 };
static const volt_matrix nowhere = {NULL, 0, 0, 0};
static double *X;

static int make_rows(void **state)
{
    (void)state;
    volt_rng rng = test_rng(8801);
    X = random_rows(&rng, ROWS + 2 * AHEAD, D, 1);
    return 0;
}

static int free_rows(void **state)
{
    (void)state;
    free(X);
    return 0;
}

static volt_model *fit(const char *text, const volt_fit_options *options, const double *Y)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_ok(
        volt_model_fit(kernel, volt_view_of(X, ROWS, D), volt_view_of(Y, ROWS, D), options, nowhere, &model));
    volt_kernel_free(kernel);
    return model;
}

/* Loads the file: a state of `model`, or without one a model. */
static volt_status load(const volt_model *model, const char *path)
{
    volt_model *loaded = NULL;
    volt_live *live = NULL;
    volt_status status = model ? volt_live_load(model, NULL, path, &live) : volt_model_load(path, &loaded);
    volt_live_free(live);
    volt_model_free(loaded);
    return status;
}

/* Tensor i in another shape is rejected, and the message names it. */
static void refuse(const fields *f, int64_t i, int64_t rows, int64_t cols, const volt_model *model)
{
    fields g = *f;
    const char *path = scratch_path("reshaped");
    g.tensors[i].rows = rows;
    g.tensors[i].cols = cols;
    check_ok(volt_safetensors_write(path, g.tensors, g.n_tensors, g.metadata, g.n_metadata));
    volt_status status = load(model, path);
    if (status != VOLT_ERR_FORMAT)
        fail_msg("%s as %d x %d: %s", g.tensors[i].name, (int)rows, (int)cols, volt_status_message(status));
}

static void reshape_every_tensor(const char *path, const volt_model *model)
{
    fields f = read_fields(path);
    check_ok(load(model, path));
    for (int64_t i = 0; i < f.n_tensors; i++) {
        int64_t rows = f.tensors[i].rows, cols = f.tensors[i].cols;
        if (rows > 0)
            refuse(&f, i, rows - 1, cols, model);
        if (cols == 0) {
            refuse(&f, i, rows, 1, model);
            continue;
        }
        refuse(&f, i, rows * cols, 0, model);
        if (rows != cols)
            refuse(&f, i, cols, rows, model);
    }
    free_fields(&f);
}

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s", scratch_path(name));
    return path;
}

static void reshape_model(volt_model *model)
{
    const char *path = path_of("model");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    reshape_every_tensor(path, NULL);
    volt_model_free(model);
}

/* ---- models ----------------------------------------------------------------------------------- */

static const int64_t lengths[] = {6, ROWS - 6};

static void models(void **state)
{
    (void)state;
    static const int64_t anchors[] = {0, 1};
    static const double values[] = {0.1, 0.2};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.initial = VOLT_INITIAL_MEAN;
    reshape_model(fit("volterra", &options, X + D));
    options.initial = VOLT_INITIAL_VALUES;
    options.initial_values = values;
    reshape_model(fit("esn:size=3", &options, X + D));
    options.initial = VOLT_INITIAL_ZERO;
    options.keep_factor = 1;
    options.records = lengths;
    options.n_records = 2;
    options.anchors = anchors;
    options.ahead = 1;
    options.season = 2;
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_BOTH;
    reshape_model(fit("rbf + fir:pole=0.5", &options, X + D));
    options = volt_fit_options_default();
    options.solver = "nystrom";
    options.landmarks = 5;
    reshape_model(fit("volterra", &options, X + D));
    options = volt_fit_options_default();
    options.alpha = 0.1;
    options.feedback_weight = 0.3;
    reshape_model(fit("volterra", &options, X + D));
    options.feedback_weight = 0;
    options.loss = "quantile:q=0.25/0.75";
    reshape_model(fit("volterra", &options, X + D));
}

/* ---- states ----------------------------------------------------------------------------------- */

/* The loaded object continues like the saved one. */
static void check_continues(const volt_live *live, const volt_model *model, const char *path, int64_t next)
{
    volt_live *saved = NULL, *loaded = NULL;
    double y[D], z[D];
    check_ok(volt_live_copy(live, &saved));
    check_ok(volt_live_load(model, NULL, path, &loaded));
    for (int64_t i = next; i < 2 * AHEAD; i++) {
        check_ok(volt_live_update(saved, X + (ROWS + i) * D, 1, X + i * D, y));
        check_ok(volt_live_update(loaded, X + (ROWS + i) * D, 1, X + i * D, z));
        assert_memory_equal(y, z, sizeof y);
    }
    volt_live_free(loaded);
    volt_live_free(saved);
}

/* Of a learner whose targets arrive AHEAD rows later: rows are pending, first one, then several. */
static void learners(void **state)
{
    (void)state;
    double y[D];
    volt_fit_options options = volt_fit_options_default();
    volt_live *live = NULL;
    options.alpha = 0.1;
    options.ahead = AHEAD;
    volt_model *model = fit("volterra", &options, X + AHEAD * D);
    check_ok(volt_live_create(model, with_learning(), &live));
    for (int64_t i = 0; i < 2 * AHEAD; i++) {
        const char *path = path_of("learner");
        if (i < AHEAD)
            check_ok(volt_live_feed(live, X + (ROWS + i) * D, y));
        else
            check_ok(volt_live_update(live, X + (ROWS + i) * D, 1, X + i * D, y));
        check_ok(volt_live_save(live, path));
        check_continues(live, model, path, i + 1);
        if (i % 3 == 1)
            reshape_every_tensor(path, model);
    }
    volt_live_free(live);
    volt_model_free(model);
}

static void streams(void **state)
{
    (void)state;
    static const double coverages[] = {0.5, 0.6};
    double y[D];
    volt_fit_options options = volt_fit_options_default();
    volt_live *live = NULL;
    options.alpha = 0.1;
    options.feedback_weight = 0.3;
    volt_model *model = fit("volterra", &options, X + D);
    volt_live_options tracking = volt_live_options_default();
    tracking.coverages = coverages;
    tracking.n_coverages = 2;
    check_ok(volt_live_create(model, &tracking, &live));
    for (int64_t i = 0; i < 3; i++) {
        const char *path = path_of("stream");
        check_ok(volt_live_feed(live, X + (ROWS + i) * D, y));
        check_ok(volt_live_save(live, path));
        reshape_every_tensor(path, model);
    }
    volt_live_free(live);
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models),
        cmocka_unit_test(learners),
        cmocka_unit_test(streams),
    };
    return cmocka_run_group_tests_name("reshaped fields", tests, make_rows, free_rows);
}
