/* tests/support/export_program.c: fits cases, exports them, and writes the program that checks them. */
#include "support/export_program.h"

#include "predict/live/live_internal.h"
#include "support/check.h"

enum { MAX_D = 4, MAX_Q = 4, N = EXPORT_N, H = EXPORT_H, RUNS = 2, ROWS = N > RUNS *H ? N : RUNS *H };

/* ---- data --------------------------------------------------------------------------------------- */

typedef struct export_rows {
    double x[N + RUNS * H][MAX_D], y[N + RUNS * H][MAX_Q];
    int64_t d, q;
} export_rows;

static int64_t inputs_of(const export_case *wanted)
{
    return wanted->d ? wanted->d : 2;
}

/* Smooth inputs, a system with memory, and one input far outside the training range in each run. */
static export_rows make_rows(const export_case *wanted)
{
    export_rows rows = {.d = inputs_of(wanted), .q = wanted->q ? wanted->q : 1};
    volt_rng rng;
    volt_rng_init(&rng, 340, 1);
    double state = 0, level = 0;
    for (int t = 0; t < N + RUNS * H; t++) {
        for (int k = 0; k < rows.d; k++)
            rows.x[t][k] = sin(0.7 * (k + 1) * t) + 0.3 * volt_rng_normal(&rng) + 0.5 * k;
        level += 0.2 * volt_rng_normal(&rng);
        if (wanted->change)
            rows.x[t][0] = level + sin(1.5707963267948966 * t);
        if (t == N + 5 || t == N + H + 5)
            rows.x[t][0] += 6;
        state = 0.6 * state + rows.x[t][0] + 0.3 * rows.x[t][rows.d - 1] * rows.x[t][0];
        for (int k = 0; k < rows.q; k++)
            rows.y[t][k] = state * (k + 1) + 0.1 * k * state * state;
        if (wanted->loss && strncmp(wanted->loss, "poisson", 7) == 0)
            rows.y[t][0] = floor(fabs(state));
        if (wanted->loss && (strncmp(wanted->loss, "log", 3) == 0 || strncmp(wanted->loss, "mult", 4) == 0))
            rows.y[t][0] = state > 0.5 ? 2 : state > -0.5 && wanted->loss[0] == 'm' ? 1 : 0;
    }
    for (int t = 0; wanted->change && t + 1 < N + RUNS * H; t++)
        rows.y[t][0] = rows.x[t + 1][0];
    return rows;
}

static volt_model *fit_one(const export_case *wanted, const char *kernel_text, const export_rows *rows)
{
    static const int64_t two[] = {17, N - 17}, three[] = {9, 14, N - 23}, anchors[] = {0};
    double X[N * MAX_D], Y[N * MAX_Q], initial[MAX_D] = {0.2, -0.1, 0.3, 0};
    for (int t = 0; t < N; t++) {
        memcpy(X + t * rows->d, rows->x[t], (size_t)rows->d * sizeof *X);
        memcpy(Y + t * rows->q, rows->y[t], (size_t)rows->q * sizeof *Y);
    }
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-2;
    options.feedback_weight = wanted->feedback;
    options.initial = wanted->initial;
    options.initial_values = wanted->initial == VOLT_INITIAL_VALUES ? initial : NULL;
    options.records = wanted->records ? wanted->records == 2 ? two : three : NULL;
    options.n_records = wanted->records;
    options.scale_each = wanted->scale_each;
    options.scale = !wanted->unscaled;
    options.washout = wanted->washout;
    options.season = wanted->season;
    options.loss = wanted->loss;
    options.solver = wanted->solver;
    options.landmarks = wanted->landmarks;
    options.target = wanted->change ? VOLT_TARGET_CHANGE : VOLT_TARGET_LEVEL;
    options.input = wanted->change ? VOLT_INPUT_BOTH : VOLT_INPUT_LEVEL;
    options.anchors = wanted->change ? anchors : NULL;
    options.ahead = wanted->change;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    check_ok(volt_kernel_parse(kernel_text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, rows->d), volt_view_of(Y, N, rows->q), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_kernel_free(kernel);
    return model;
}

volt_model *export_case_fit(const export_case *wanted)
{
    export_rows rows = make_rows(wanted);
    volt_model *model = fit_one(wanted, wanted->kernel, &rows);
    if (!wanted->second)
        return model;
    static const double weights[] = {0.75, 0.5};
    volt_model *members[] = {model, fit_one(wanted, wanted->second, &rows)}, *sum = NULL;
    check_ok(volt_model_sum((const volt_model *const *)members, weights, 2, wanted->sum, &sum));
    volt_model_free(members[0]);
    volt_model_free(members[1]);
    return sum;
}

/* ---- expected outputs and bounds ------------------------------------------------------------------- */

typedef struct export_run {
    double y[N][MAX_Q];
    double size[N][MAX_Q]; /* sum of |coefficient| |kernel|, in the units of the targets */
} export_run;

static double size_of(const volt_live *live, int64_t k)
{
    double sum = 0;
    const volt_model *model = live->model;
    if (live->members) {
        for (int64_t i = 0; i < model->sum->n; i++)
            sum += fabs(model->sum->weights[i]) * size_of(live->members[i], k);
        return sum;
    }
    int64_t m = volt_model_reader_of(model).columns->m;
    for (int64_t j = 0; j < m; j++)
        sum += fabs(live->k[j] * live->coefficients[k * m + j]);
    return model->target_scale[k] * (sum + fabs(model->intercepts[k])) + fabs(model->target_mean[k]);
}

static bool is_known(const export_case *wanted, int t)
{
    return wanted->known && t % 3 != 2;
}

/* Runs `count` rows, with the inputs changed by a relative amount. With `fed` not 0, the output of the first row is fed
 * back times `fed`. */
static export_run run_live(const export_case *wanted, const volt_model *model, const export_rows *rows,
                           int first, int count, volt_start start, double change, double fed)
{
    volt_live_options options = volt_live_options_default();
    volt_live *live = NULL;
    export_run run = {0};
    options.start = start;
    check_ok(volt_live_create(model, &options, &live));
    for (int t = 0; t < count; t++) {
        double x[MAX_D], known[MAX_Q];
        for (int k = 0; k < rows->d; k++)
            x[k] = rows->x[first + t][k] * (1 + ((t + k) % 2 ? change : -change));
        check_ok(volt_live_feed(live, x, run.y[t]));
        for (int64_t k = 0; k < model->q; k++)
            run.size[t][k] = size_of(live, k);
        for (int64_t k = 0; k < rows->q; k++)
            known[k] = is_known(wanted, t) ? rows->y[first + t][k] : run.y[t][k];
        for (int64_t k = 0; t == 0 && fed != 0 && k < rows->q; k++)
            known[k] *= fed;
        if (is_known(wanted, t) || (t == 0 && fed != 0))
            check_ok(volt_live_learn(live, 0, known));
    }
    volt_live_free(live);
    return run;
}

static double contraction_of(const volt_model *model)
{
    double most = 0;
    for (int64_t i = 0; model->sum && i < model->sum->n; i++)
        most = fmax(most, contraction_of(model->sum->models[i]));
    if (model->sum)
        return most;
    const volt_sum *sum = model->resolved.sum;
    for (int64_t f = 0; f < (sum ? sum->n_factors : 1); f++)
        most = fmax(most, sum ? sum->factor[f].facts.contraction : model->resolved.facts.contraction);
    return most;
}

/* Bounds of the difference of two computations of the same outputs, to first order in eps:
 *
 *     rounding of inputs and local values   a relative change of the inputs by (d + 8) eps; its effect is measured
 *     sums and recursions                   eps (n + 8 (d + 8) / (1 - c)) sum |coefficient| |kernel|, contraction rate c
 *     scale, mean and link                  8 eps |output|
 *     output before the first row           1e-9 of the range of the targets, where the iteration ends
 *     feedback                              each earlier error times the measured effect of a change of a fed-back output,
 *                                           summed over the rows after it */
static void make_bounds(const export_case *wanted, const volt_model *model, const export_rows *rows, int first,
                        int count, volt_start start, double eps, export_run *run, double bound[][MAX_Q])
{
    static const double change = 1e-6;
    export_run moved = run_live(wanted, model, rows, first, count, start, change, 0);
    double gains = 0, d = (double)rows->d, rate = N + 8 * (d + 8) / (1 - contraction_of(model));
    *run = run_live(wanted, model, rows, first, count, start, 0, 0);
    if (wanted->feedback > 0) {
        export_run fed = run_live(wanted, model, rows, first, count, start, 0, 1);
        export_run changed = run_live(wanted, model, rows, first, count, start, 0, 1 + change);
        double size = fabs(wanted->known ? rows->y[first][0] : fed.y[0][0]);
        for (int t = 0; t < count; t++)
            for (int64_t k = 0; k < model->q; k++)
                gains += fabs(changed.y[t][k] - fed.y[t][k]) / (change * size);
    }
    double first_output = 0;
    for (int t = 0; t < N && wanted->feedback > 0 && wanted->initial == VOLT_INITIAL_FIRST; t++)
        first_output = fmax(first_output, 2e-9 * fabs(rows->y[t][0]));
    for (int t = 0; t < count; t++)
        for (int64_t k = 0; k < model->q; k++)
            bound[t][k] =
                first_output * (1 + gains) + eps * (1 + gains) *
                                                 ((d + 8) * fabs(moved.y[t][k] - run->y[t][k]) / change +
                                                  rate * run->size[t][k] + 8 * fabs(run->y[t][k]));
}

/* ---- the program ------------------------------------------------------------------------------------ */

static void put_rows(FILE *run, const char *type, const char *name, const char *what, int64_t count,
                     int64_t cols, const double *numbers, int64_t stride)
{
    fprintf(run, "static const %s %s_%s[%d][%d] = {\n", type, name, what, (int)count, (int)cols);
    for (int64_t t = 0; t < count; t++) {
        fprintf(run, "    {");
        for (int64_t k = 0; k < cols; k++)
            fprintf(run, "%s%.17g", k ? ", " : "", numbers[t * stride + k]);
        fprintf(run, "},\n");
    }
    fprintf(run, "};\n");
}

void export_program_begin(export_program *program, const char *folder, bool single)
{
    char path[4096];
    *program = (export_program){.folder = folder, .single = single};
    snprintf(path, sizeof path, "%s/run.c", folder);
    program->run = fopen(path, "w");
    assert_non_null(program->run);
    fprintf(
        program->run,
        "#include <math.h>\n#include <stdio.h>\n\ntypedef %s real;\n\n"
        "static int differs(const char *name, int start, int row, double found, double expected, double "
        "bound)\n{\n"
        "    if (fabs(found - expected) <= bound)\n        return 0;\n"
        "    printf(\"%%s start %%d row %%d: %%.17g, expected %%.17g, bound %%g\\n\", name, start, row, found, "
        "expected, bound);\n"
        "    return 1;\n}\n",
        single ? "float" : "double");
}

/* The state has the size that the export reports, and padding. */
static void put_case(const export_program *program, const export_case *wanted, const char *name, int count,
                     const volt_export_report *report, int64_t q, bool feeds)
{
    FILE *run = program->run;
    fprintf(run,
            "static int %s_check(void)\n{\n"
            "    static %s_state state;\n"
            "    int failed = differs(\"%s size\", 0, 0, (double)sizeof state, %d, %d);\n"
            "    for (int start = 0; start < %d; start++) {\n"
            "        if (start == 0)\n            %s_reset(&state);\n"
            "        else\n            %s_continue(&state);\n"
            "        for (int t = 0; t < %d; t++) {\n"
            "            const int i = start * %d + t;\n"
            "            real y[%d];\n"
            "            int status = %s_step(&state, %s_x[i], y);\n"
            "            if (status < 0)\n"
            "                failed += differs(\"%s status\", start, t, status, 0.0, 0.0);\n"
            "            for (int k = 0; k < %d && failed < 3; k++)\n"
            "                failed += differs(\"%s\", start, t, y[k], %s_y[i][k], %s_bound[i][k]);\n",
            name, name, name, (int)report->state_bytes, (int)(8 * report->parts), wanted->reduced ? 1 : RUNS,
            name, name, count, count, (int)q, name, name, name, (int)q, name, name, name);
    if (feeds)
        fprintf(run, "            if (t %% 3 != 2)\n                (void)%s_feed(&state, %s_known[i]);\n",
                name, name);
    if (wanted->coverage > 0)
        fprintf(run,
                "            real low[%d], high[%d];\n"
                "            %s_interval(0, y, low, high);\n"
                "            failed += differs(\"%s interval\", start, t, (high[0] - low[0]) / 2, %s_half, "
                "%s_half * 1e-5 + "
                "%s_bound[i][0]);\n",
                (int)q, (int)q, name, name, name, name, name);
    fprintf(run, "        }\n    }\n    return failed;\n}\n\n");
}

static double half_width(const export_case *wanted, const volt_model *model)
{
    double half[MAX_Q];
    volt_live_options options = volt_live_options_default();
    volt_live *live = NULL;
    options.coverages = &wanted->coverage;
    options.n_coverages = 1;
    check_ok(volt_live_create(model, &options, &live));
    check_ok(volt_live_interval(live, half));
    volt_live_free(live);
    return half[0];
}

/* The change by landmarks on the training rows is at most sqrt(n) times its root mean square. */
static void bound_by_landmarks(const volt_export_report *report, const export_run *run, int64_t q,
                               double bound[][MAX_Q])
{
    for (int64_t k = 0; k < q; k++) {
        double mean = 0, squares = 0;
        for (int t = 0; t < N; t++)
            mean += run->y[t][k] / N;
        for (int t = 0; t < N; t++)
            squares += (run->y[t][k] - mean) * (run->y[t][k] - mean);
        for (int t = 0; t < N; t++)
            bound[t][k] += report->landmark_error * sqrt(squares);
    }
}

void export_program_add(export_program *program, const export_case *wanted)
{
    if (program->single && wanted->double_only)
        return;
    export_rows rows = make_rows(wanted);
    volt_model *model = export_case_fit(wanted);
    char path[4096], *name = program->names[program->count++];
    int count = wanted->reduced ? N : H;
    double eps = program->single ? (double)FLT_EPSILON : DBL_EPSILON;
    static double bound[ROWS][MAX_Q], y[ROWS][MAX_Q];
    volt_export_report report = {.struct_size = sizeof report};
    volt_export_options options = {.struct_size = sizeof options,
                                   .single = program->single,
                                   .landmarks = wanted->reduced,
                                   .coverages = &wanted->coverage,
                                   .n_coverages = wanted->coverage > 0};
    snprintf(name, sizeof program->names[0], "%s", wanted->name);
    snprintf(path, sizeof path, "%s/%s.c", program->folder, name);
    check_ok(volt_model_export(model, &options, path, &report));
    assert_true(report.state_bytes > 0 && report.constant_bytes > 0 && report.operations > 0);

    for (int start = 0; start < (wanted->reduced ? 1 : RUNS); start++) {
        export_run run;
        int first = wanted->reduced ? 0 : N + start * H;
        make_bounds(wanted, model, &rows, first, count, start ? VOLT_START_CONTINUE : VOLT_START_RESET, eps,
                    &run, bound + start * count);
        memcpy(y + start * count, run.y, (size_t)count * sizeof y[0]);
        if (wanted->reduced)
            bound_by_landmarks(&report, &run, model->q, bound);
    }
    int total = wanted->reduced ? N : RUNS * H, from = wanted->reduced ? 0 : N;
    fprintf(program->run, "\n#include \"%s.h\"\n", name);
    put_rows(program->run, "real", name, "x", total, rows.d, rows.x[from], MAX_D);
    put_rows(program->run, "double", name, "y", total, model->q, y[0], MAX_Q);
    put_rows(program->run, "double", name, "bound", total, model->q, bound[0], MAX_Q);
    bool feeds = wanted->feedback > 0 && wanted->known;
    if (feeds)
        put_rows(program->run, "real", name, "known", total, rows.q, rows.y[from], MAX_Q);
    if (wanted->coverage > 0)
        fprintf(program->run, "static const double %s_half = %.17g;\n", name, half_width(wanted, model));
    put_case(program, wanted, name, count, &report, model->q, feeds);
    volt_model_free(model);
}

void export_program_end(export_program *program)
{
    fprintf(program->run, "int main(void)\n{\n    int failed = 0;\n");
    for (int i = 0; i < program->count; i++)
        fprintf(program->run, "    failed += %s_check() > 0;\n", program->names[i]);
    fprintf(program->run, "    printf(\"%%d of %d cases differ\\n\", failed);\n    return failed > 0;\n}\n",
            program->count);
    assert_int_equal(fclose(program->run), 0);
}
