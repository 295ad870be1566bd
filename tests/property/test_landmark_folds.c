/* tests/property/test_landmark_folds.c: scores of landmark candidates equal those of landmark models fitted
 * separately on every training part, with landmarks from before the first block.
 *
 * Where landmarks are nearly dependent, a feature is known to sqrt(10 m eps max K_ii) <= 1e-6
 * (support/landmark_problem.h): forecasts of size 1 to that, and scores, whose variances are of size 1, to
 * some of it. Ghosts leave out 1e-7 of a past. The largest difference seen is 6e-8; 2e-6 is allowed, as in
 * test_nystrom. */
#include "fit/landmarks.h"
#include "select/folds/problem.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/plain_cv.h"
#include "support/plain_landmarks.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 78, D = 2, FOLDS = 3, MAX_RECORDS = 6 };
static const int64_t records[MAX_RECORDS] = {17, 12, 13, 11, 14, 11};
static const double allowed = 2e-6;

static int64_t pick(volt_rng *rng, int64_t count)
{
    return (int64_t)(volt_rng_uniform(rng) * (double)count);
}

static volt_search *search_one(const plain_problem *problem, const char *kernel, double alpha, double feedback,
                               const volt_search_options *options)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, &feedback, 1, &candidates));
    check_ok(volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), options, &search));
    volt_candidates_free(candidates);
    return search;
}

/* ---- the formula, written out ----------------------------------------------------------------- */

/* A group of training parts: its rows from `base` on, and its landmarks among those before its first block. */
typedef struct plain_group {
    const plain_problem *problem;
    const char *kernel;
    const volt_search_options *options;
    double alpha;
    int64_t base, before; /* rows before the first block */
} plain_group;

/* The lengths of the records of rows first .. end - 1 behind those that are there. */
static int64_t add_lengths(const plain_group *g, int64_t first, int64_t end, int64_t *lengths)
{
    int64_t n = 0, begin = 0;
    for (int64_t r = 0; r < g->options->n_records; begin += g->options->records[r++]) {
        int64_t from = begin > first ? begin : first, next = begin + g->options->records[r];
        int64_t to = next < end ? next : end;
        if (to > from)
            lengths[n++] = to - from;
    }
    if (g->options->n_records == 0)
        lengths[n++] = end - first;
    return n;
}

static volt_landmark_set choose(const plain_group *g, const volt_resolved *resolved)
{
    int64_t lengths[MAX_RECORDS];
    volt_records cut;
    volt_landmark_set set;
    int64_t n = add_lengths(g, g->base, N, lengths);
    check_ok(volt_records_make(lengths, n, N - g->base, &cut));
    check_ok(volt_landmark_set_choose(g->before, g->options->washout, &cut, g->options->landmarks,
                                      g->options->landmark_choice, volt_landmark_memory(resolved), &set));
    volt_records_release(&cut);
    return set;
}

/* Forecasts and leverages of rows base .. train_end - 1 and then of the block, from a fit on the former. */
static void fit_part(const plain_group *g, const volt_split *split, double *forecasts, double *leverages)
{
    const plain_problem *p = g->problem;
    bool reset = g->options->start == VOLT_START_RESET;
    int64_t trained = split->train_end - g->base, block = split->end - split->begin, shown = trained + block;
    int64_t until = reset ? split->train_end : split->end, seen = until - g->base;
    int64_t lengths[3 * MAX_RECORDS + N], n = add_lengths(g, g->base, until, lengths);
    volt_resolved resolved = resolve_on(g->kernel, plain_inputs(p));
    volt_landmark_set set = choose(g, &resolved);
    int64_t m = set.m, first = reset ? seen + block : seen, rows = first + set.n, w = g->options->washout;
    double *Z = new_matrix(rows, D), *Y = new_matrix(shown, p->q), radius;
    memcpy(Z, p->X + g->base * D, (size_t)(seen * D) * sizeof *Z);
    if (reset) {
        memcpy(Z + seen * D, p->X + split->begin * D, (size_t)(block * D) * sizeof *Z);
        n += add_lengths(g, split->begin, split->end, lengths + n);
    }
    for (int64_t i = 0; i < set.n; i++)
        memcpy(Z + (first + i) * D, p->X + (g->base + set.source[i]) * D, D * sizeof *Z);
    for (int64_t r = 0; r < set.n_runs; r++)
        lengths[n++] = set.runs[r];
    check_ok(volt_radius(plain_inputs(p), &radius));
    double *K = records_gram_within(g->kernel, volt_view_of(Z, rows, D), lengths, n, radius);
    double *Kmm = new_matrix(m, m), *Knm = new_matrix(shown, m),
           common = g->options->intercept ? resolved.common : 0;
    bool fits[2 * N] = {false};
    for (int64_t a = 0; a < m; a++) {
        for (int64_t b = 0; b < m; b++)
            Kmm[a * m + b] = K[(first + set.column[a]) * rows + first + set.column[b]] - common;
        for (int64_t i = 0; i < shown; i++) {
            int64_t at = i < trained ? i : reset ? seen + i - trained : split->begin - g->base + i - trained;
            Knm[i * m + a] = K[at * rows + first + set.column[a]] - common;
        }
    }
    for (int64_t i = 0; i < shown; i++) {
        int64_t at = i < trained ? g->base + i : split->begin + i - trained;
        memcpy(Y + i * p->q, p->Y + at * p->q, (size_t)p->q * sizeof *Y);
        fits[i] = i >= w && i < trained;
    }
    plain_landmark_fit(Kmm, m, Knm, &(plain_rows){shown, p->q, Y, fits, g->options->intercept, g->alpha},
                       forecasts, leverages);
    free(Knm);
    free(Kmm);
    free(K);
    free(Y);
    free(Z);
    volt_landmark_set_release(&set);
    volt_resolved_release(&resolved);
}

/* The mean over outputs of the error, divided by the variance or not. */
static double score_rows(const plain_problem *p, int64_t begin, int64_t count, const double *forecasts,
                         volt_score score)
{
    double total = 0;
    for (int64_t k = 0; k < p->q; k++) {
        double mean = 0, errors = 0, squares = 0;
        for (int64_t i = 0; i < count; i++)
            mean += p->Y[(begin + i) * p->q + k] / (double)count;
        for (int64_t i = 0; i < count; i++) {
            errors += pow(p->Y[(begin + i) * p->q + k] - forecasts[i * p->q + k], 2);
            squares += pow(p->Y[(begin + i) * p->q + k] - mean, 2);
        }
        total += errors / (score == VOLT_SCORE_MSE ? (double)count : squares) / (double)p->q;
    }
    return score == VOLT_SCORE_R2 ? 1 - total : total;
}

static double plain_fold(const plain_group *g, const volt_split *split)
{
    const plain_problem *p = g->problem;
    int64_t trained = split->train_end - g->base, block = split->end - split->begin;
    double *forecasts = new_matrix(trained + block, p->q), *h = new_matrix(trained + block, 1);
    fit_part(g, split, forecasts, h);
    double score = score_rows(p, split->begin, block, forecasts + trained * p->q, g->options->score);
    free(h);
    free(forecasts);
    return score;
}

/* Leave-one-out or generalised cross-validation. */
static double plain_left_out(const plain_group *g)
{
    const plain_problem *p = g->problem;
    int64_t w = g->options->washout, kept = N - w;
    double *forecasts = new_matrix(N, p->q), *h = new_matrix(N, 1), freedom = 0;
    fit_part(g, &(volt_split){0, N, N, N}, forecasts, h);
    for (int64_t i = w; i < N; i++)
        freedom += h[i];
    for (int64_t i = w; i < N; i++) {
        double left = g->options->score == VOLT_SCORE_GCV ? ((double)kept - freedom) / (double)kept : 1 - h[i];
        for (int64_t k = 0; k < p->q; k++) {
            double y = p->Y[i * p->q + k];
            forecasts[i * p->q + k] = y - (y - forecasts[i * p->q + k]) / left;
        }
    }
    double score = score_rows(p, w, kept, forecasts + w * p->q, VOLT_SCORE_NMSE);
    free(h);
    free(forecasts);
    return score;
}

/* Random options of every kind. */
static volt_search_options draw_options(volt_rng *rng)
{
    static const volt_score scores[] = {VOLT_SCORE_R2, VOLT_SCORE_NMSE, VOLT_SCORE_MSE, VOLT_SCORE_LOO,
                                        VOLT_SCORE_GCV};
    volt_search_options options = volt_search_options_default();
    options.score = scores[pick(rng, 5)];
    options.splits.folds = FOLDS;
    options.race = VOLT_RACE_NONE;
    options.intercept = pick(rng, 4) > 0;
    options.scale = 0;
    options.landmark_choice = (volt_landmarks)pick(rng, 3);
    bool blocks = options.score <= VOLT_SCORE_MSE;
    if (blocks && pick(rng, 2))
        options.start = VOLT_START_RESET;
    options.splits.gap = blocks ? pick(rng, 3) : 0;
    if (pick(rng, 3) == 0) {
        options.records = records;
        options.n_records = MAX_RECORDS;
        options.folds_by_records = blocks && pick(rng, 2);
        if (options.folds_by_records)
            options.splits.min_train = 2;
        else if (blocks && pick(rng, 2))
            options.splits.max_train = 21; /* records begin in the middle of training parts */
    } else {
        options.washout = pick(rng, 2) ? 4 : 0;
        if (blocks && pick(rng, 3) == 0)
            options.splits.max_train = 21;
        else
            options.splits.rolling = blocks && pick(rng, 3) == 0;
    }
    return options;
}

/* The splits of the search, and how many landmarks there may be. */
static int64_t find_splits(const plain_problem *problem, const volt_search_options *options,
                           volt_split splits[FOLDS])
{
    volt_problem *made = NULL;
    int64_t most = N;
    check_ok(volt_problem_create(plain_inputs(problem), plain_targets(problem), options, &made));
    for (int64_t k = 0; k < made->n_splits; k++) {
        splits[k] = made->splits[k];
        int64_t rows = splits[k].train_end - splits[k].train_begin;
        most = rows < most ? rows : most;
    }
    volt_problem_free(made);
    return most - options->washout;
}

static double compare(const plain_problem *problem, const char *kernel, double alpha,
                      const volt_search_options *options, const volt_split *splits)
{
    volt_search *search = search_one(problem, kernel, alpha, 0, options);
    const volt_trial *trial = volt_search_trial(search, 0);
    double worst = 0;
    bool blocks = options->score <= VOLT_SCORE_MSE;
    if (trial->failure)
        fail_msg("%s: %s", kernel, trial->failure);
    assert_int_equal(trial->n_folds, blocks ? FOLDS : 1);
    plain_group g = {.problem = problem, .kernel = kernel, .options = options, .alpha = alpha, .before = N};
    for (int64_t k = 0; k < trial->n_folds; k++) {
        if (blocks && (k == 0 || splits[k].train_begin != g.base)) {
            g.base = splits[k].train_begin;
            g.before = splits[k].train_end - g.base;
        }
        double plain = blocks ? plain_fold(&g, &splits[k]) : plain_left_out(&g);
        double distance = fabs(plain - trial->folds[k]) / (1 + fabs(plain));
        if (!(distance <= allowed))
            fail_msg("%s, alpha %g, score %d, %" PRId64 " landmarks (%d), start %d, gap %" PRId64
                     ", washout %" PRId64 ", %" PRId64 " records, fold %" PRId64 ": %.17g, written out %.17g",
                     kernel, alpha, (int)options->score, options->landmarks, (int)options->landmark_choice,
                     (int)options->start, options->splits.gap, options->washout, options->n_records, k,
                     trial->folds[k], plain);
        worst = fmax(worst, distance);
    }
    volt_search_free(search);
    return worst;
}

static void shrink_rows(plain_problem *problem)
{
    for (int64_t i = 0; i < problem->n * problem->d; i++)
        problem->X[i] *= 0.15;
    for (int64_t k = 0; k < problem->q;
         k++) { /* sizes of 1, so that differences of scores mean the same in all */
        double mean = 0, squares = 0;
        for (int64_t i = 0; i < problem->n; i++)
            mean += problem->Y[i * problem->q + k] / (double)problem->n;
        for (int64_t i = 0; i < problem->n; i++)
            squares += pow(problem->Y[i * problem->q + k] - mean, 2) / (double)problem->n;
        for (int64_t i = 0; i < problem->n; i++)
            problem->Y[i * problem->q + k] = 0.5 + (problem->Y[i * problem->q + k] - mean) / sqrt(squares);
    }
}

static void scores_equal_separate_models(void **state)
{
    enum { ROUNDS = UNDER_SANITIZERS ? 1 : 2 };
    volt_rng rng = test_rng(17001);
    double worst = 0;
    for (int64_t r = 0; r < ROUNDS; r++)
        for (int64_t c = 0; engine_kernels[c]; c++) {
            if (UNDER_SANITIZERS && c % 5 > 0)
                continue;
            plain_problem problem = plain_problem_make(&rng, N, D, 1 + pick(&rng, 2));
            volt_split splits[FOLDS];
            shrink_rows(&problem);
            volt_search_options options = draw_options(&rng);
            int64_t most = find_splits(&problem, &options, splits);
            double alpha = pow(10, -2 + 2 * volt_rng_uniform(&rng));
            options.solver = "nystrom";
            options.landmarks = 1 + pick(&rng, most < 40 ? most : 40);
            worst = fmax(worst, compare(&problem, engine_kernels[c], alpha, &options, splits));
            plain_problem_free(&problem);
        }
    printf("# largest difference %.2g\n", worst);
}

/* ---- all rows before the block ---------------------------------------------------------------- */

static const char *const texts[] = {
    "volterra:lambda_coef=0.6",
    "fir:mu=0.8,pole=0.4 + 0.5*memory:gamma=1,rho=0.5,mu=0.8,pair=0.5,angle=0.2",
    "rbf:gamma=0.7,window=4",
    "memory:gamma=1,rho=0.5,mu=0.6",
    "esn:size=9,norm=0.7,start=zero,bias=1",
};
enum { TEXTS = (int)(sizeof texts / sizeof *texts) };

/* One block, and every row before it a landmark: the exact search, whatever else is asked. */
static void all_rows_as_landmarks_equal_exact_search(void **state)
{
    enum { CASES = UNDER_SANITIZERS ? 5 : 20 };
    volt_rng rng = test_rng(17002);
    double worst = 0;
    for (int c = 0; c < CASES; c++) {
        plain_problem problem = plain_problem_make(&rng, N, D, 1 + pick(&rng, 2));
        volt_search_options options = draw_options(&rng);
        volt_split splits[FOLDS];
        double *base = normal_rows(&rng, N, problem.q), feedback = pick(&rng, 2) ? 0.3 : 0;
        double alpha = pow(10, -2 + 2 * volt_rng_uniform(&rng));
        options.scale = 1;
        options.splits.folds = 1;
        options.splits.min_train = options.folds_by_records ? 4 : 60;
        options.validate =
            options.score > VOLT_SCORE_MSE || pick(&rng, 2) ? VOLT_VALIDATE_ONE_STEP : VOLT_VALIDATE_SIMULATE;
        if (options.splits.max_train)
            options.splits.max_train = 55;
        if (feedback == 0 && pick(&rng, 3) == 0)
            options.base = volt_view_of(base, N, problem.q);
        volt_search *exact = search_one(&problem, texts[c % TEXTS], alpha, feedback, &options);
        options.landmarks = find_splits(&problem, &options, splits);
        options.solver = "nystrom";
        volt_search *landmarks = search_one(&problem, texts[c % TEXTS], alpha, feedback, &options);
        const volt_trial *a = volt_search_trial(exact, 0), *b = volt_search_trial(landmarks, 0);
        double distance = fabs(a->score - b->score) / (1 + fabs(a->score));
        if (a->failure || b->failure || !(distance <= allowed))
            fail_msg("%s, alpha %g, score %d, feedback %g: exact %.17g, all landmarks %.17g", texts[c % TEXTS],
                     alpha, (int)options.score, feedback, a->score, b->score);
        worst = fmax(worst, distance);
        volt_search_free(exact);
        volt_search_free(landmarks);
        free(base);
        plain_problem_free(&problem);
    }
    printf("# largest difference %.2g\n", worst);
}

/* ---- free runs -------------------------------------------------------------------------------- */

/* One block after the training part of a model on as many landmarks: the kernel has a constant part, which
 * is in none of the two forecasts, and no row reaches beyond the ball that tau is good for. */
static void free_runs_equal_separate_models(void **state)
{
    volt_rng rng = test_rng(17008);
    volt_kernel *kernel = NULL;
    const char *text = "volterra:tau=0.2,lambda=0.6";
    check_ok(volt_kernel_parse(text, &kernel));
    for (int64_t m = 5; m <= 60; m += UNDER_SANITIZERS ? 55 : 11) {
        plain_problem problem = plain_problem_make(&rng, N, D, 2);
        double out[N * 2];
        volt_search_options options = volt_search_options_default();
        volt_fit_options fit = volt_fit_options_default();
        volt_model *model = NULL;
        shrink_rows(&problem);
        for (int64_t i = 60 * D; i < N * D; i++)
            problem.X[i] *= 0.2; /* a model would hold what reaches beyond its training rows to their ball */
        options.splits.folds = 1;
        options.splits.min_train = 60;
        options.scale = fit.scale = 0;
        options.solver = fit.solver = "nystrom";
        options.landmarks = fit.landmarks = m;
        fit.alpha = 0.1;
        fit.feedback_weight = 0.3;
        volt_search *search = search_one(&problem, text, fit.alpha, fit.feedback_weight, &options);
        int64_t trained = N - N / 2 > 60 ? N - N / 2 : 60, rest = N - trained;
        check_ok(volt_model_fit(kernel, volt_view_of(problem.X, trained, D),
                                volt_view_of(problem.Y, trained, 2), &fit, volt_matrix_of(NULL, 0, 0), &model));
        check_ok(volt_model_predict(model, volt_view_of(problem.X + trained * D, rest, D), NULL,
                                    volt_matrix_of(out, rest, 2), NULL));
        double own = score_rows(&problem, trained, rest, out, VOLT_SCORE_R2);
        if (!(fabs(own - volt_search_trial(search, 0)->score) <= allowed * (1 + fabs(own))))
            fail_msg("%" PRId64 " landmarks: %.17g in the search, the model by itself %.17g", m,
                     volt_search_trial(search, 0)->score, own);
        volt_model_free(model);
        volt_search_free(search);
        plain_problem_free(&problem);
    }
    volt_kernel_free(kernel);
}

/* ---- alpha profiled --------------------------------------------------------------------------- */

/* The best of the grid: as good with this alpha given, and no worse than ten times as much or as little. The
 * grid is of powers of ten times the mean diagonal, which is 1 for rbf. */
static void profiled_alpha_is_best_of_grid(void **state)
{
    static const volt_score scores[] = {VOLT_SCORE_R2, VOLT_SCORE_LOO, VOLT_SCORE_GCV};
    volt_rng rng = test_rng(17003);
    for (int s = 0; s < (UNDER_SANITIZERS ? 1 : 3); s++)
        for (int start = 0; start < (s == 0 ? 2 : 1); start++) {
            plain_problem problem = plain_problem_make(&rng, N, D, 2);
            volt_search_options options = volt_search_options_default();
            options.solver = "nystrom";
            options.score = scores[s];
            options.start = start ? VOLT_START_RESET : VOLT_START_CONTINUE;
            options.splits.folds = FOLDS;
            options.landmarks = 15;
            volt_search *profiled = search_one(&problem, texts[0], 0, 0, &options);
            const volt_trial *best = volt_search_trial(profiled, 0);
            assert_null(best->failure);
            volt_search *unit = search_one(&problem, "rbf:gamma=0.7", 0, 0, &options);
            double power_of_ten =
                log10(volt_search_trial(unit, 0)->alpha); /* landmarks lose some of the diagonal of 1 */
            assert_true(fabs(power_of_ten - round(power_of_ten)) < 0.1);
            volt_search_free(unit);
            for (int power = -1; power <= 1; power++) {
                volt_search *given = search_one(&problem, texts[0], best->alpha * pow(10, power), 0, &options);
                double score = volt_search_trial(given, 0)->score;
                if (power == 0)
                    assert_true(fabs(score - best->score) <= 1e-9 * (1 + fabs(score)));
                else
                    assert_true(s == 0 ? best->score > score - 1e-9 : best->score < score + 1e-9);
                volt_search_free(given);
            }
            volt_search_free(profiled);
            plain_problem_free(&problem);
        }
}

static void count_warning(volt_log_level level, const char *message, void *context)
{
    (void)message;
    *(int *)context += level == VOLT_LOG_WARNING;
}

/* More than 32768 training rows: the candidates are solved on landmarks, with a warning. Nothing is evaluated here. */
static void long_search_uses_landmarks(void **state)
{
    enum { ROWS = 50000 };
    double *x = new_matrix(ROWS, 1);
    int warnings = 0;
    for (int i = 0; i < ROWS; i++)
        x[i] = sin(i);
    volt_search_options options = volt_search_options_default();
    volt_problem *made = NULL;
    volt_set_log(count_warning, &warnings);
    volt_view X = volt_view_of(x, ROWS, 1);
    volt_status status = volt_problem_create(X, X, &options, &made);
    volt_set_log(NULL, NULL);
    check_ok(status);
    assert_string_equal(made->solver->info.name, "nystrom");
    assert_true(made->landmarks > 0 && made->landmarks < ROWS && warnings == 1);
    volt_problem_free(made);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_equal_separate_models),
        cmocka_unit_test(all_rows_as_landmarks_equal_exact_search),
        cmocka_unit_test(free_runs_equal_separate_models),
        cmocka_unit_test(profiled_alpha_is_best_of_grid),
        cmocka_unit_test(long_search_uses_landmarks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
