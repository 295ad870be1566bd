/* tests/reference/test_online.c: learners against direct solves of every window in 50 digits (m2_online_*.json). */
#include "support/check.h"
#include "support/golden.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "volterra/live.h"

enum { MOST = 64 };

static const struct {
    const char *name, *text;
} files[] = {
    {"m2_online_geometric", "volterra:tau=%.17g,lambda=%.17g"},
    {"m2_online_rbf", "volterra:lift=rbf,gamma=%.17g,lambda=%.17g"},
    {"m2_online_memory", "memory:gamma=%.17g,rho=%.17g,mu=%.17g"},
};

static volt_kernel *kernel_of(golden *file, const char *form)
{
    char text[256];
    bool memory = golden_has(file, "params.rho"), rbf = golden_has(file, "params.gamma");
    double first = golden_number(file, rbf ? "params.gamma" : "params.tau");
    double second = golden_number(file, memory ? "params.rho" : "params.lambda");
    double third = memory ? golden_number(file, "params.mu") : 0;
    if (memory)
        snprintf(text, sizeof text, form, first, second, third);
    else
        snprintf(text, sizeof text, form, first, second);
    return plain_parse(text);
}

/* A learner of a model that was fitted on the first rows, as they are. */
typedef struct pupil {
    golden_array Z, y;
    volt_model *model;
    volt_live *learner;
} pupil;

static void begin(golden *file, const char *form, int64_t rows, bool intercept, int64_t window, double forget,
                  pupil *p)
{
    volt_kernel *kernel = kernel_of(file, form);
    volt_fit_options fit = volt_fit_options_default();
    volt_live_options options = *with_learning();
    p->Z = golden_array_of(file, "inputs.Z");
    p->y = golden_array_of(file, "inputs.y");
    fit.alpha = golden_number(file, "params.alpha");
    fit.scale = 0;
    fit.intercept = intercept;
    check_ok(volt_model_fit(kernel, volt_view_of(p->Z.data, rows, p->Z.cols), volt_view_of(p->y.data, rows, 1),
                            &fit, (volt_matrix){0}, &p->model));
    options.window = window;
    options.forget = forget;
    options.forget_what = VOLT_FORGET_ALL; /* the kernel as a whole fades in these files */
    options.beyond = VOLT_BEYOND_ALLOW;
    check_ok(volt_live_create(p->model, &options, &p->learner));
    volt_kernel_free(kernel);
}

static void end(pupil *p)
{
    volt_live_free(p->learner);
    volt_model_free(p->model);
}

static void check_snapshot(golden *file, pupil *p, const char *path)
{
    char field[256];
    double A[MOST], c = 0, next = 0;
    volt_live_info info = {.struct_size = sizeof info};
    volt_live_get_info(p->learner, &info);
    snprintf(field, sizeof field, "%s.coefficients", path);
    golden_array expected = golden_array_of(file, field);
    assert_int_equal(info.rows, expected.count);
    int64_t rows[MOST];
    check_ok(volt_live_coefficients(p->learner, volt_matrix_of(A, info.rows, 1), &c, rows));
    golden_check("coefficients", expected.data, A, expected.count, golden_tol(file, "coefficients"),
                 GOLDEN_MAX_NORM);
    snprintf(field, sizeof field, "%s.intercept", path);
    golden_check_number("intercept", golden_number(file, field), c, golden_tol(file, "intercept"),
                        GOLDEN_ABSOLUTE);
    snprintf(field, sizeof field, "%s.first", path);
    assert_int_equal(rows[0], (int64_t)golden_number(file, field));
    snprintf(field, sizeof field, "%s.forecast_next", path);
    int64_t t = rows[info.rows - 1] + 1;
    check_ok(volt_live_predict(p->learner, volt_view_of(p->Z.data + t * p->Z.cols, 1, p->Z.cols), 0,
                               volt_matrix_of(&next, 1, 1), NULL));
    golden_check_number("forecast_next", golden_number(file, field), next, golden_tol(file, "forecast"),
                        GOLDEN_ABSOLUTE);
}

static void run_script(golden *file, const char *form, int64_t case_number)
{
    char path[128], step[160];
    pupil p;
    snprintf(path, sizeof path, "expected.%d.intercept", (int)case_number);
    snprintf(step, sizeof step, "expected.%d.script.0.1", (int)case_number);
    int64_t t = (int64_t)golden_number(file, step);
    begin(file, form, t, golden_flag(file, path), 0, 1, &p);
    snprintf(path, sizeof path, "expected.%d.script", (int)case_number);
    for (int64_t s = 0; s < golden_length(file, path); s++) {
        snprintf(step, sizeof step, "expected.%d.script.%d.1", (int)case_number, (int)s);
        int64_t count = (int64_t)golden_number(file, step);
        snprintf(step, sizeof step, "expected.%d.script.%d.0", (int)case_number, (int)s);
        if (strcmp(golden_text(file, step), "drop") == 0)
            check_ok(volt_live_drop(p.learner, count));
        for (; s > 0 && strcmp(golden_text(file, step), "append") == 0 && count > 0; count--, t++)
            check_ok(volt_live_update(p.learner, p.Z.data + t * p.Z.cols, 0, p.y.data + t, NULL));
        snprintf(step, sizeof step, "expected.%d.snapshots.%d", (int)case_number, (int)s);
        check_snapshot(file, &p, step);
    }
    end(&p);
}

static void run_window(golden *file, const char *form, int64_t case_number)
{
    char path[128];
    pupil p;
    snprintf(path, sizeof path, "expected.%d.first_forecast_row", (int)case_number);
    int64_t first = (int64_t)golden_number(file, path);
    snprintf(path, sizeof path, "expected.%d.phi", (int)case_number);
    double forget = golden_has(file, path) ? golden_number(file, path) : 1;
    snprintf(path, sizeof path, "expected.%d.window", (int)case_number);
    int64_t window = (int64_t)golden_number(file, path);
    snprintf(path, sizeof path, "expected.%d.intercept", (int)case_number);
    begin(file, form, first, golden_flag(file, path), window, forget, &p);
    snprintf(path, sizeof path, "expected.%d.forecast", (int)case_number);
    golden_array expected = golden_array_of(file, path);
    double found[MOST];
    for (int64_t i = 0; i < expected.count; i++)
        check_ok(
            volt_live_update(p.learner, p.Z.data + (first + i) * p.Z.cols, 0, p.y.data + first + i, &found[i]));
    golden_check("forecast", expected.data, found, expected.count, golden_tol(file, "forecast"),
                 GOLDEN_ABSOLUTE);
    end(&p);
}

static void every_window_equals_direct_solve(void **state)
{
    int scripts = 0, windows = 0;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        golden *file = golden_load(files[f].name);
        for (int64_t i = 0; i < golden_length(file, "expected"); i++) {
            char path[64];
            snprintf(path, sizeof path, "expected.%d.kind", (int)i);
            const char *kind = golden_text(file, path);
            if (strcmp(kind, "script") == 0)
                run_script(file, files[f].text, i), scripts++;
            else if (strcmp(kind, "weights") != 0) /* not offered: docs/math.md */
                run_window(file, files[f].text, i), windows++;
        }
        golden_free(file);
    }
    assert_int_equal(scripts, 6);
    assert_int_equal(windows, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_window_equals_direct_solve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
