/* tests/unit/io/test_reshaped_fields.c: model and state files whose tensors have another shape.
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

enum { ROWS = 14, D = 2, AHEAD = 4 };
static const volt_matrix nowhere = {NULL, 0, 0, 0};
static double *X;

static int make_rows(void **state)
{
    volt_rng rng = test_rng(8801);
    X = random_rows(&rng, ROWS + 2 * AHEAD, D, 1);
    return 0;
}

static int free_rows(void **state)
{
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

/* ---- detectors -------------------------------------------------------------------------------- */

static volt_metadatum *find_text(fields *f, const char *key)
{
    int64_t i = 0;
    while (i < f->n_metadata && strcmp(f->metadata[i].key, key) != 0)
        i++;
    assert_true(i < f->n_metadata);
    return &f->metadata[i];
}

static void refuse_fields(const fields *f, const volt_model *model, const char *words)
{
    const char *path = scratch_path("reshaped");
    check_ok(volt_safetensors_write(path, f->tensors, f->n_tensors, f->metadata, f->n_metadata));
    check_fails(load(model, path), VOLT_ERR_FORMAT, words);
}

static void refuse_text(const char *path, const volt_model *model, const char *key, const char *text,
                        const char *words)
{
    fields f = read_fields(path);
    if (text)
        find_text(&f, key)->value = text;
    else
        *find_text(&f, key) = f.metadata[--f.n_metadata];
    refuse_fields(&f, model, words);
    free_fields(&f);
}

/* A number below 0, and numbers of other rows than there are channels or allowed. */
static void refuse_numbers(const char *path, const volt_model *model)
{
    static const char *const names[] = {"detector_largest", "detector_errors", "detector_scores"};
    enum { MANY = 4096 }; /* more than any of them may have */
    static double numbers[MANY];
    for (int k = 0; k < 3; k++) {
        fields f = read_fields(path);
        int64_t i = 0, count = 0;
        while (strcmp(f.tensors[i].name, names[k]) != 0)
            i++;
        count = numbers_of(&f.tensors[i]);
        assert_true(count > 0);
        memcpy(numbers, f.tensors[i].data, (size_t)count * sizeof *numbers);
        f.tensors[i].data = numbers;
        numbers[count - 1] = -1;
        refuse_fields(&f, model, names[k]);
        numbers[count - 1] = 0;
        f.tensors[i].rows = k == 2 ? MANY : count + 1;
        refuse_fields(&f, model, "detector");
        f.tensors[i].rows = MANY;
        refuse_fields(&f, model, "detector");
        f.tensors[i] = f.tensors[--f.n_tensors];
        if (k != 1) /* without errors there is no detector */
            refuse_fields(&f, model, names[k]);
        free_fields(&f);
    }
}

static void detectors(void **state)
{
    volt_fit_options options = volt_fit_options_default();
    volt_live_options detecting = volt_live_options_default();
    volt_live *live = NULL;
    volt_detection found = {.struct_size = sizeof found};
    options.alpha = 0.1;
    options.ahead = options.feedback = 1;
    detecting.alarm_rate = 0.1;
    detecting.scale_rows = 12;
    volt_model *model = fit("volterra", &options, X + D);
    check_ok(volt_live_create(model, &detecting, &live));
    for (int64_t i = 0; i < 2 * AHEAD; i++)
        check_ok(volt_live_detect(live, X + (ROWS + i) * D, NULL, &found));
    const char *path = path_of("detector");
    check_ok(volt_live_save(live, path));
    volt_live_free(live);
    check_ok(load(model, path));
    refuse_text(path, model, "alarm_rate", NULL, "alarm_rate");
    refuse_text(path, model, "alarm_rate", "2", "rate 2");
    refuse_text(path, model, "scale_rows", "many", "scale_rows");
    refuse_text(path, model, "scale_rows", "9", "scale_rows 9");
    refuse_text(path, model, "scale_rows", "16777217", "scale_rows 16777217");
    refuse_numbers(path, model);
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models),
        cmocka_unit_test(learners),
        cmocka_unit_test(streams),
        cmocka_unit_test(detectors),
    };
    return cmocka_run_group_tests_name("reshaped fields", tests, make_rows, free_rows);
}
