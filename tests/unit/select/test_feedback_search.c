/* tests/unit/select/test_feedback_search.c: candidates with output feedback: scores against explicit fits and free
 * runs; draws, logs and adaptive candidates. */
#include "select/candidates/candidates.h"
#include "select/folds/problem.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { D = 1, Q = 2, N = 84, FOLDS = 3 };

static const volt_matrix nowhere = {NULL, 0, 0, 0};
static double x[N * D], y[N * Q];

static int make_rows(void **state)
{
    volt_rng rng = test_rng(4200);
    double v[Q] = {0};
    for (int64_t t = 0; t < N; t++) {
        x[t] = 3 + volt_rng_normal(&rng);
        double first = 0.6 * v[0] - 0.2 * v[1] + x[t] - 3, second = 0.3 * tanh(v[0]) + 0.4 * v[1];
        v[0] = first;
        v[1] = second;
        y[t * Q] = 5 * v[0] + 20;
        y[t * Q + 1] = 0.1 * v[1];
    }
    return 0;
}

static volt_view inputs(void)
{
    return volt_view_of(x, N, D);
}

static volt_view targets(void)
{
    return volt_view_of(y, N, Q);
}

/* ---- explicit fits and free runs -------------------------------------------------------------- */

/* Rows as scaled by a search: scales are computed from all rows. */
typedef struct seen_rows {
    double x[N * D], y[N * Q], omega;
} seen_rows;

static void see_rows(bool scaled, double omega, const int64_t *lengths, int64_t n_records, seen_rows *seen)
{
    double mean_x = 0, largest = 0, joint = 0;
    memcpy(seen->x, x, sizeof x);
    memcpy(seen->y, y, sizeof y);
    seen->omega = omega;
    if (!scaled)
        return;
    for (int64_t t = 0; t < N; t++)
        mean_x += x[t] / N;
    for (int64_t t = 0; t < N; t++)
        largest = fmax(largest, fabs(x[t] - mean_x));
    for (int64_t t = 0; t < N; t++)
        seen->x[t] = (x[t] - mean_x) / largest;
    for (int k = 0; k < Q; k++) {
        double mean = 0, square = 0;
        for (int64_t t = 0; t < N; t++)
            mean += y[t * Q + k] / N;
        for (int64_t t = 0; t < N; t++)
            square += pow(y[t * Q + k] - mean, 2) / N;
        for (int64_t t = 0; t < N; t++)
            seen->y[t * Q + k] = (y[t * Q + k] - mean) / sqrt(square);
    }
    int64_t begin = 0, r = 0;
    for (int64_t t = 0; t < N; t++) {
        if (n_records > 0 && t == begin)
            begin += lengths[r++];
        bool first = t == 0 || (n_records > 0 && t == begin - lengths[r - 1]);
        double fed_outputs = first ? 0 : omega * hypot(seen->y[(t - 1) * Q], seen->y[(t - 1) * Q + 1]);
        joint = fmax(joint, hypot(seen->x[t], fed_outputs));
    }
    for (int64_t t = 0; t < N; t++)
        seen->x[t] /= joint;
    seen->omega /= joint;
}

/* The score of a fold by an explicit fit on the training rows of its records. */
static double plain_fold(const char *text, double alpha, const seen_rows *seen,
                         const volt_search_options *options, const volt_split *split, int64_t record_begin)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options fit = volt_fit_options_default();
    int64_t rows = split->train_end - split->train_begin, block = split->end - split->begin;
    int64_t lengths[8], n = 0, at = 0;
    for (int64_t r = 0; r < options->n_records && at < split->train_end; at += options->records[r++])
        lengths[n++] =
            at + options->records[r] <= split->train_end ? options->records[r] : split->train_end - at;
    fit.alpha = alpha;
    fit.scale = 0;
    fit.washout = options->washout;
    fit.intercept = options->intercept;
    fit.feedback_weight = seen->omega;
    fit.records = lengths;
    fit.n_records = n;
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(seen->x + split->train_begin, rows, D),
                            volt_view_of(seen->y + split->train_begin * Q, rows, Q), &fit, nowhere, &model));
    /* Continues from the end of training, with measured outputs in the gap, or starts from a zero initial
     * state. */
    bool is_new = options->start == VOLT_START_RESET || record_begin == split->begin;
    int64_t first = is_new ? split->begin : split->train_end, count = split->end - first;
    volt_predict_options how = volt_predict_options_default();
    double *out = new_matrix(count, Q), score = 0;
    how.start = is_new ? VOLT_START_RESET : VOLT_START_CONTINUE;
    if (options->validate == VOLT_VALIDATE_ONE_STEP || first < split->begin) {
        how.known = volt_view_of(seen->y + first * Q, count, Q);
        how.warm_up = options->validate == VOLT_VALIDATE_ONE_STEP ? 0 : split->begin - first;
    }
    check_ok(volt_model_predict(model, volt_view_of(seen->x + first, count, D), &how,
                                volt_matrix_of(out, count, Q), NULL));
    for (int k = 0; k < Q; k++) {
        double mean = 0, error = 0, spread = 0;
        for (int64_t t = split->begin; t < split->end; t++)
            mean += seen->y[t * Q + k] / (double)block;
        for (int64_t t = split->begin; t < split->end; t++) {
            error += pow(seen->y[t * Q + k] - out[(t - first) * Q + k], 2);
            spread += pow(seen->y[t * Q + k] - mean, 2);
        }
        score += (1 - error / spread) / Q;
    }
    free(out);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return score;
}

/* None of these kernels depends on the ball, which a fit on fewer rows would estimate differently. */
static const char *const kernels[] = {"fading:gamma=0.3,rho=0.4", "2*fir:mu=0.5,corr=0.2 + rbf:gamma=0.1",
                                      "rbf:gamma=0.2,window=3", "memory:gamma=0.4,rho=0.3,mu=0.5,pole=0.4"};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };
static const double alphas[N_KERNELS] = {1e-2, 1e-2, 1e-2, 1e-2};
static const double weights[N_KERNELS] = {0.7, 1.5, 0.4, 1};

static volt_search *run_search(const volt_candidates *candidates, const volt_search_options *options)
{
    volt_search *search = NULL;
    check_ok(volt_search_run(candidates, inputs(), targets(), options, &search));
    return search;
}

/* A fit on scaled rows and one on rows scaled by hand differ by rounding, amplified by the condition of the
 * system, at most max K / alpha, some 1e4, and by the contracting loop. */
static const double bound = 1e5 * N * DBL_EPSILON;

static void check_scores(const volt_search_options *options, const char *what)
{
    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_list(kernels, alphas, weights, N_KERNELS, &candidates));
    volt_search *search = run_search(candidates, options);
    volt_split splits[FOLDS];
    volt_split_options of = options->splits;
    if (options->folds_by_records) {
        of.gap = 0;
        check_ok(volt_splits(options->n_records, &of, splits));
    } else {
        check_ok(volt_splits(N, &of, splits));
    }
    for (int64_t c = 0; c < N_KERNELS; c++) {
        const volt_trial *trial = volt_search_trial(search, c);
        seen_rows seen;
        see_rows(options->scale, weights[c], options->records, options->n_records, &seen);
        print_message("%s: %s: %s\n", what, trial->kernel, trial->failure ? trial->failure : "scored");
        assert_null(trial->failure);
        assert_true(trial->feedback == weights[c]);
        for (int64_t f = 0; f < FOLDS; f++) {
            volt_split split = splits[f];
            int64_t begin = 0;
            if (options->folds_by_records) { /* from records to rows */
                int64_t *at[] = {&split.train_begin, &split.train_end, &split.begin, &split.end};
                for (int i = 0; i < 4; i++) {
                    int64_t row = 0;
                    for (int64_t r = 0; r < *at[i]; r++)
                        row += options->records[r];
                    *at[i] = row;
                }
                begin = split.begin;
            }
            double wanted = plain_fold(kernels[c], alphas[c], &seen, options, &split, begin);
            if (!(fabs(wanted - trial->folds[f]) < bound * (1 + fabs(1 - wanted))))
                fail_msg("fold %d: %.17g, and an explicit fit has %.17g", (int)f, trial->folds[f], wanted);
        }
    }
    volt_search_free(search);
    volt_candidates_free(candidates);
}

static volt_search_options fold_options(void)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = FOLDS;
    options.race = VOLT_RACE_NONE;
    return options;
}

static void scores_equal_explicit_runs(void **state)
{
    for (int scale = 0; scale <= 1; scale++)
        for (int validate = VOLT_VALIDATE_SIMULATE; validate <= VOLT_VALIDATE_ONE_STEP; validate++)
            for (int start = VOLT_START_CONTINUE; start <= VOLT_START_RESET; start++) {
                volt_search_options options = fold_options();
                options.scale = scale;
                options.validate = (volt_validate)validate;
                options.start = (volt_start)start;
                check_scores(&options, "plain");
                options.washout = 3;
                options.splits.gap = 2;
                options.intercept = 0;
                check_scores(&options, "washout, gap, no intercept");
                options.splits.rolling = 1;
                check_scores(&options, "rolling");
            }
}

static void scores_of_records(void **state)
{
    static const int64_t lengths[] = {22, 20, 21, N - 63};
    for (int start = VOLT_START_CONTINUE; start <= VOLT_START_RESET; start++) {
        volt_search_options options = fold_options();
        options.records = lengths;
        options.n_records = 4;
        options.folds_by_records = 1;
        options.start = (volt_start)start;
        check_scores(&options, "records");
    }
}

/* Results are bitwise independent of the number of threads, also for kernels that depend on the ball. */
static void results_do_not_depend_on_threads(void **state)
{
    volt_draw_options draw = volt_draw_options_default();
    draw.fed_outputs = targets();
    draw.seed = 5;
    draw.from_defaults = 1;
    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_draw("volterra | fir:mu=0.5 + fading", inputs(), &draw, &candidates));
    volt_search_options options = fold_options();
    options.draws = 84;
    options.strategy = VOLT_STRATEGY_ADAPTIVE;
    volt_search *first = NULL;
    for (int64_t threads = 1; threads <= 3; threads += 2) {
        volt_set_threads(threads);
        volt_search *search = run_search(candidates, &options);
        for (int64_t i = 0; first && i < options.draws; i++) {
            const volt_trial *a = volt_search_trial(first, i), *b = volt_search_trial(search, i);
            assert_string_equal(a->kernel, b->kernel);
            assert_true(a->alpha == b->alpha && a->feedback == b->feedback);
            assert_true(a->score == b->score || (a->failure && b->failure));
            assert_true(b->feedback >= 0.02 && b->feedback <= 100);
        }
        if (first)
            volt_search_free(search);
        else
            first = search;
    }
    volt_set_threads(0);
    assert_true(volt_search_trial(first, 0)->feedback == 1); /* the default */
    volt_search_free(first);
    volt_candidates_free(candidates);
}

/* ---- diverging runs --------------------------------------------------------------------------- */

/* A growing system: accurate one-step-ahead forecasts, and a free run that leaves the range. */
static void diverging_candidates_fail(void **state)
{
    enum { ROWS = 40 };
    double u[ROWS], v[ROWS] = {0};
    volt_rng rng = test_rng(4201);
    for (int t = 0; t < ROWS; t++) {
        u[t] = volt_rng_normal(&rng);
        v[t] = 2 * (t ? v[t - 1] : 0) + u[t];
    }
    const char *const kernel[] = {"linear", "rbf:gamma=1e-3"};
    const double alpha[] = {1e-9, 1}, weight[] = {1, 1};
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(kernel, alpha, weight, 2, &candidates));
    volt_search_options options = fold_options();
    options.scale = 0;
    options.log = scratch_path("diverging.jsonl");
    check_ok(
        volt_search_run(candidates, volt_view_of(u, ROWS, 1), volt_view_of(v, ROWS, 1), &options, &search));
    const volt_trial *trial = volt_search_trial(search, 0);
    assert_non_null(trial->failure);
    assert_non_null(strstr(trial->failure, "on rows 11 to 20: the free run diverges: output 1 of row"));
    assert_int_equal(volt_search_trial(search, VOLT_TRIAL_BEST)->index, 1);
    char *log = scratch_read(options.log, NULL);
    assert_non_null(strstr(log, "the free run diverges"));
    assert_non_null(strstr(log, "\"feedback\":1,"));
    free(log);
    volt_search_free(search);
    volt_candidates_free(candidates);
}

/* ---- draws, files and logs -------------------------------------------------------------------- */

static void weights_are_drawn(void **state)
{
    static const char *const choices[] = {"2", "3"};
    const volt_range low = {.name = "feedback", .kind = VOLT_SEARCH_LOG, .low = 2, .high = 2.5},
                     words = {.name = "feedback", .choices = choices, .n_choices = 2},
                     zero = {.name = "feedback", .kind = VOLT_SEARCH_LINEAR, .low = 0, .high = 1};
    volt_draw_options draw = volt_draw_options_default();
    volt_candidates *candidates = NULL;
    char kernel[VOLT_KERNEL_LENGTH];
    double alpha, weight;
    draw.fed_outputs = targets();
    draw.ranges = &low;
    draw.n_ranges = 1;
    draw.from_defaults = 1;
    check_ok(volt_candidates_draw("rbf | linear", inputs(), &draw, &candidates));
    for (int64_t i = 0; i < 20; i++) {
        check_ok(volt_candidates_get(candidates, i, kernel, &alpha, &weight));
        assert_true(weight >= 2 && weight <= 2.5);
    }
    volt_candidates_free(candidates);
    draw.ranges = &words;
    draw.points = 3;
    check_ok(volt_candidates_draw("linear:window=2", inputs(), &draw, &candidates));
    draw.points = 0;
    assert_int_equal(candidates->count, 6); /* weights x alphas */
    check_ok(volt_candidates_get(candidates, 5, kernel, &alpha, &weight));
    assert_true(weight == 3);
    volt_candidates_free(candidates);
    candidates = NULL;
    draw.ranges = &zero;
    check_fails(volt_candidates_draw("rbf", inputs(), &draw, &candidates), VOLT_ERR_ARGUMENT,
                "range feedback 0");
    draw.ranges = &low;
    draw.fed_outputs = volt_view_of(NULL, 0, 0);
    check_fails(volt_candidates_draw("rbf", inputs(), &draw, &candidates), VOLT_ERR_ARGUMENT, "feedback");
    draw.fed_outputs = volt_view_of(y, N - 1, Q);
    check_fails(volt_candidates_draw("rbf", inputs(), &draw, &candidates), VOLT_ERR_SHAPE, "83 outputs");
    /* Without feedback every candidate has weight 0. */
    check_ok(volt_candidates_draw("rbf", inputs(), NULL, &candidates));
    check_ok(volt_candidates_get(candidates, 3, kernel, &alpha, &weight));
    assert_true(weight == 0);
    volt_candidates_free(candidates);
}

/* Widths are relative to the distances of the kernel inputs, which are scaled to 1. Once a weight makes the
 * outputs dominate, a larger one does not change the unit. */
static void widths_depend_on_feedback_weight(void **state)
{
    double gamma[3];
    static const double at[] = {1e-6, 1e6, 1e9};
    for (int i = 0; i < 3; i++) {
        const volt_range one = {.name = "feedback", .kind = VOLT_SEARCH_LOG, .low = at[i], .high = at[i]};
        volt_draw_options draw = {.struct_size = sizeof(volt_draw_options),
                                  .scale = 1,
                                  .fed_outputs = targets(),
                                  .ranges = &one,
                                  .n_ranges = 1};
        volt_candidates *candidates = NULL;
        check_ok(volt_candidates_draw("rbf", inputs(), &draw, &candidates));
        candidate c = candidate_get(candidates, 3);
        gamma[i] = candidate_number(&c, "gamma");
        volt_candidates_free(candidates);
    }
    assert_true(fabs(gamma[1] / gamma[2] - 1) < 1e-9);
    assert_true(fabs(gamma[0] / gamma[1] - 1) > 1e-3);
}

static void files_of_candidates(void **state)
{
    volt_candidates *candidates = NULL;
    char kernel[VOLT_KERNEL_LENGTH];
    double alpha, weight;
    const char *path =
        scratch_write_text("fed.csv", "gamma,feedback,alpha\n1,2.5,0.1\n2,3,auto\n2,0.25,auto\n");
    check_ok(volt_candidates_read(path, "rbf", &candidates));
    check_ok(volt_candidates_get(candidates, 0, kernel, &alpha, &weight));
    assert_true(weight == 2.5 && alpha == 0.1);
    check_ok(volt_candidates_get(candidates, 2, kernel, &alpha, &weight));
    assert_true(weight == 0.25);
    volt_candidates_free(candidates);
    path = scratch_write_text("texts.csv", "kernel,alpha,feedback\nrbf,1,4\n");
    check_ok(volt_candidates_read(path, NULL, &candidates));
    check_ok(volt_candidates_get(candidates, 0, kernel, &alpha, &weight));
    assert_true(weight == 4);
    volt_candidates_free(candidates);
    candidates = NULL;
    static const char *const wrong[] = {"0", "-1", "nan", "x", ""};
    for (int i = 0; i < 5; i++) {
        char text[64];
        snprintf(text, sizeof text, "gamma,feedback,alpha\n1,%s,1\n", wrong[i]);
        path = scratch_write_text("wrong.csv", text);
        check_fails(volt_candidates_read(path, "rbf", &candidates), VOLT_ERR_FORMAT, "line 2 feedback");
    }
    check_fails(
        volt_candidates_list((const char *const[]){"rbf"}, (double[]){1}, (double[]){-2}, 1, &candidates),
        VOLT_ERR_ARGUMENT, "feedback weight -2");
}

static void log_resumes(void **state)
{
    volt_draw_options draw = volt_draw_options_default();
    draw.fed_outputs = targets();
    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_draw("fading", inputs(), &draw, &candidates));
    volt_search_options options = fold_options();
    options.draws = 6;
    volt_search *whole = run_search(candidates, &options), *search = NULL;
    options.log = scratch_path("fed.jsonl");
    options.draws = 3;
    volt_search_free(run_search(candidates, &options));
    options.draws = 6;
    options.resume = 1;
    search = run_search(candidates, &options);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    assert_int_equal(info.resumed, 3);
    for (int64_t i = 0; i < 6; i++) {
        const volt_trial *a = volt_search_trial(whole, i), *b = volt_search_trial(search, i);
        assert_true(a->feedback == b->feedback && (a->score == b->score || a->failure));
    }
    volt_search_free(search);
    search = NULL;
    /* A search of the log only reports the feedback weight of the best candidate. */
    options.draws = 0;
    search = run_search(candidates, &options);
    assert_true(volt_search_trial(search, VOLT_TRIAL_BEST)->feedback ==
                volt_search_trial(whole, VOLT_TRIAL_BEST)->feedback);
    volt_search_free(search);
    search = NULL;
    /* Another validation method is a different search. */
    options.validate = VOLT_VALIDATE_ONE_STEP;
    check_fails(volt_search_run(candidates, inputs(), targets(), &options, &search), VOLT_ERR_FORMAT, "search");
    volt_search_free(whole);
    volt_candidates_free(candidates);
}

static void incompatible_options_are_rejected(void **state)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(kernels, alphas, weights, 1, &candidates));
    volt_search_options options = fold_options();
    options.score = VOLT_SCORE_LOG;
    check_fails(volt_search_run(candidates, inputs(), targets(), &options, &search), VOLT_ERR_ARGUMENT,
                "score log");
    options.validate = VOLT_VALIDATE_ONE_STEP;
    check_ok(volt_search_run(candidates, inputs(), targets(), &options, &search));
    volt_search_free(search);
    search = NULL;
    options.score = VOLT_SCORE_PREQUENTIAL;
    check_ok(volt_search_run(candidates, inputs(), targets(), &options, &search));
    volt_search_free(search);
    search = NULL;
    options.validate = (volt_validate)7;
    check_fails(volt_search_run(candidates, inputs(), targets(), &options, &search), VOLT_ERR_ARGUMENT, "7");
    options = fold_options();
    options.base = targets();
    check_fails(volt_search_run(candidates, inputs(), targets(), &options, &search), VOLT_ERR_ARGUMENT,
                "targets base");
    volt_candidates_free(candidates);
}

/* ---- memory ----------------------------------------------------------------------------------- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_equal_explicit_runs),
        cmocka_unit_test(scores_of_records),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(diverging_candidates_fail),
        cmocka_unit_test(weights_are_drawn),
        cmocka_unit_test(widths_depend_on_feedback_weight),
        cmocka_unit_test(files_of_candidates),
        cmocka_unit_test(log_resumes),
        cmocka_unit_test(incompatible_options_are_rejected),
    };
    return cmocka_run_group_tests(tests, make_rows, NULL);
}
