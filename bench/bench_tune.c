/* bench/bench_tune.c: a hyperparameter search, 100 draws, n = 3008, d = 10, q = 55, 5 expanding folds.
 *
 * Compared with numba and scikit-learn on the same draws (tune_peer.py), and with the time of the operations at the rate of
 * DGEMM. Validation resets the state; no intercept, no scaling: the published protocol (tune_problem.h).
 *
 * Other sizes, without budgets: BENCH_TUNE_ROWS, BENCH_TUNE_DRAWS. BENCH_TUNE_SCORES names a file (.csv, .npy) for the
 * scores, one row for each draw and one column for each fold. */
#include "gemm_rate.h"
#include "measure.h"
#include "peer.h"
#include "select/folds/problem.h"
#include "text/text.h"
#include "tune_problem.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 3008, DRAWS = 100, FOLDS = 5, THREADS = 2, GEMM_RUNS = 3, GRAM_RUNS = 5 };
enum { TRIED = 4 };          /* draws on which the peer chooses its method */
enum { THREAD_DRAWS = 12 };  /* draws of the search with each number of threads */
enum { SEPARATE_DRAWS = 3 }; /* draws whose scores are checked by separate fits */

typedef struct search_run {
    const tune_problem *problem;
    const volt_candidates *candidates;
    volt_race race;
    int64_t draws;
    volt_search *search; /* of the latest run */
} search_run;

static double run_search(void *context)
{
    search_run *run = context;
    volt_search_options options = volt_search_options_default();
    options.splits.folds = FOLDS;
    options.start = VOLT_START_RESET;
    options.intercept = options.scale = 0;
    options.race = run->race;
    options.draws = run->draws;
    volt_search_free(run->search);
    run->search = NULL;
    double begin = seconds_now();
    need(volt_search_run(run->candidates, volt_as_view(run->problem->X), volt_as_view(run->problem->Y),
                         &options, &run->search),
         "search");
    return seconds_now() - begin;
}

static volt_search_info info_of(const search_run *run)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(run->search, &info);
    return info;
}

/* ---- scores of the library and the peer ------------------------------------------------------- */

/* A prediction is accurate to eps sum_j |k_j A_j|, and alpha A_j is a residual, of size 1 here: n eps / alpha for a nearly
 * constant kernel, the worst case. */
static double score_tolerance(const tune_problem *problem)
{
    double smallest = INFINITY;
    for (int64_t i = 0; i < problem->draws.rows; i++)
        smallest = fmin(smallest, problem->draws.data[i * TUNE_PARAMETERS + TUNE_ALPHA]);
    return (double)problem->X.rows * DBL_EPSILON / smallest;
}

/* draws x FOLDS, of a search without early stopping. */
static volt_matrix scores_of(const search_run *run)
{
    volt_search_info info = info_of(run);
    volt_matrix scores = volt_matrix_of(need_doubles(run->draws * FOLDS), run->draws, FOLDS);
    if (info.trials != run->draws || info.failed > 0) {
        fprintf(stderr, "bench: %lld of %lld draws were tried, %lld failed\n", (long long)info.trials,
                (long long)run->draws, (long long)info.failed);
        exit(1);
    }
    for (int64_t i = 0; i < run->draws; i++) {
        const volt_trial *trial = volt_search_trial(run->search, i);
        for (int64_t fold = 0; fold < FOLDS; fold++)
            scores.data[i * FOLDS + fold] = fold < trial->n_folds ? trial->folds[fold] : NAN;
    }
    return scores;
}

static double largest_difference(volt_view first, volt_view second)
{
    double largest = first.rows == second.rows && first.cols == second.cols ? 0 : NAN;
    for (int64_t i = 0; i < first.rows && !isnan(largest); i++)
        for (int64_t j = 0; j < first.cols; j++) {
            double difference = fabs(first.data[i * first.ld + j] - second.data[i * second.ld + j]);
            if (difference > largest || isnan(difference))
                largest = difference;
        }
    return largest;
}

/* Score of one draw and fold by a separate fit. */
static double separate_score(const tune_problem *problem, const volt_trial *trial, const volt_split *split)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_metrics metrics = {.struct_size = sizeof metrics};
    int64_t rows = split->end - split->begin;
    volt_view X = volt_as_view(problem->X), Y = volt_as_view(problem->Y);
    volt_matrix forecast = volt_matrix_of(need_doubles(rows * TUNE_Q), rows, TUNE_Q);
    volt_fit_options fit = volt_fit_options_default();
    fit.alpha = trial->alpha;
    fit.scale = fit.intercept = 0;
    volt_predict_options predict = volt_predict_options_default();
    predict.start = VOLT_START_RESET;
    predict.beyond = VOLT_BEYOND_ALLOW; /* the largest row may be a validation row */

    need(volt_kernel_parse(trial->kernel, &kernel), trial->kernel);
    need(volt_model_fit(kernel, volt_view_rows(X, 0, split->train_end), volt_view_rows(Y, 0, split->train_end),
                        &fit, volt_matrix_of(NULL, 0, 0), &model),
         "a separate fit");
    need(volt_model_predict(model, volt_view_rows(X, split->begin, rows), &predict, forecast, NULL), "predict");
    need(volt_metrics_compute(volt_view_rows(Y, split->begin, rows), volt_as_view(forecast), &metrics), "r2");
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(forecast.data);
    return metrics.r2;
}

static void check_by_separate_fits(const search_run *run)
{
    volt_split splits[FOLDS];
    volt_split_options options = volt_search_options_default().splits;
    options.folds = FOLDS;
    need(volt_splits(run->problem->X.rows, &options, splits), "splits");
    for (int64_t i = 0; i < SEPARATE_DRAWS && i < run->draws; i++)
        for (int64_t fold = 0; fold < FOLDS; fold++) {
            const volt_trial *trial = volt_search_trial(run->search, i);
            need_close("a score, against a separate fit",
                       fabs(trial->folds[fold] - separate_score(run->problem, trial, splits + fold)),
                       score_tolerance(run->problem));
        }
}

static double mean_of_first(volt_matrix scores, int64_t rows)
{
    double sum = 0;
    for (int64_t i = 0; i < rows * scores.cols; i++)
        sum += scores.data[i];
    return sum / (double)(rows * scores.cols);
}

/* ---- reports ---------------------------------------------------------------------------------- */

typedef struct setting {
    char text[96]; /* for the measurements */
    bool is_full;  /* the size to which the budgets apply */
} setting;

static setting setting_of(int64_t n, int64_t draws, int64_t threads, bool is_full)
{
    setting s = {.is_full = is_full};
    snprintf(s.text, sizeof s.text, "n=%lld d=%d q=%d draws=%lld folds=%d threads=%lld", (long long)n, TUNE_D,
             TUNE_Q, (long long)draws, FOLDS, (long long)threads);
    return s;
}

static void report_value(const char *name, const char *parameters, double value, const char *unit)
{
    measurement m = {.name = name, .parameters = parameters, .value = value, .unit = unit};
    report(&m);
}

/* Where the draws were stopped, and which one was best. */
static void report_outcome(const search_run *run, const char *race)
{
    volt_search_info info = info_of(run);
    const volt_trial *best = volt_search_trial(run->search, VOLT_TRIAL_BEST);
    char name[64], parameters[256];
    int64_t stopped = 0;
    int length = snprintf(parameters, sizeof parameters, "draws=%lld", (long long)run->draws);
    for (int64_t fold = 0; fold <= info.folds; fold++) {
        stopped += info.stopped[fold];
        length += snprintf(parameters + length, sizeof parameters - (size_t)length, " after%lld=%lld",
                           (long long)fold, (long long)info.stopped[fold]);
    }
    snprintf(name, sizeof name, "tune %s, given up", race);
    report_value(name, parameters, (double)stopped, "draws");

    snprintf(name, sizeof name, "tune %s, best", race);
    snprintf(parameters, sizeof parameters, "draw=%lld kernel=%s alpha=%g", (long long)best->index,
             best->kernel, best->alpha);
    report_value(name, parameters, best->score, "R2");
}

/* Seconds, share in BLAS, and the time relative to that of the operations (at most `at_most`; 0: no budget). */
static void report_cost(const search_run *run, const char *race, const setting *at, timing time,
                        double gemm_rate, double at_most)
{
    volt_search_info info = info_of(run);
    volt_build_info build = {.struct_size = sizeof build};
    volt_build_info_get(&build);
    judged judge = at->is_full && at_most > 0 ? JUDGE_VALUE : JUDGE_NOTHING;
    char name[64];
    snprintf(name, sizeof name, "tune %s", race);
    measurement m = {.name = name, .parameters = at->text, .time = time, .value = time.best, .unit = "s"};
    m.judge = judge;
    m.at_most = 21; /* seconds: the published search, on 120 cores */
    report(&m);
    snprintf(name, sizeof name, "tune %s, a draw", race);
    report_value(name, at->text, time.best / (double)run->draws, "s");
    snprintf(name, sizeof name, "tune %s, in BLAS", race);
    report_value(name, at->text, info.blas_seconds / (info.seconds * (double)build.threads), "of the time");

    snprintf(name, sizeof name, "tune %s, at DGEMM", race);
    measurement ratio = {.name = name, .parameters = at->text, .unit = "x the time"};
    ratio.value = time.best / (info.flops / gemm_rate);
    ratio.judge = judge;
    ratio.at_most = at_most;
    report(&ratio);
}

static void report_against_peer(const char *race, const setting *at, timing ours, const peer *other,
                                timing theirs, double at_least)
{
    char name[64];
    snprintf(name, sizeof name, "tune %s against peer", race);
    measurement m = {.name = name,
                     .parameters = at->text,
                     .time = ours,
                     .value = ours.best,
                     .unit = "s",
                     .at_least = at_least};
    m.judge = at->is_full && at_least > 0 ? JUDGE_RATIO : JUDGE_NOTHING;
    if (other) {
        m.peer = peer_name(other);
        m.peer_time = theirs;
        if (m.judge == JUDGE_NOTHING) {
            m.value = theirs.best / ours.best;
            m.unit = "x";
        }
    }
    report(&m);
}

/* ---- the peer --------------------------------------------------------------------------------- */

/* Its Gram matrix must be competitive too. */
static void measure_gram_of_peer(const tune_problem *problem, const char *X_path, const setting *at)
{
    char tau[VOLT_NUMBER_LENGTH], lambda[VOLT_NUMBER_LENGTH];
    double n = (double)problem->X.rows;
    peer *other = peer_start_script(
        "tune_peer.py", (const char *[]){"gram", X_path, volt_format_number(problem->draws.data[TUNE_TAU], tau),
                                         volt_format_number(problem->draws.data[TUNE_LAMBDA], lambda), NULL});
    if (!other)
        return;
    measurement m = {.name = "tune, Gram of the peer", .parameters = at->text, .unit = "G entries/s"};
    m.time = time_runs(peer_run, other, GRAM_RUNS);
    m.value = 1e-9 * n * (n + 1) / 2 / m.time.best;
    m.judge = at->is_full ? JUDGE_VALUE : JUDGE_NOTHING;
    m.at_least = 0.08;
    report(&m);
    peer_stop(other);
}

/* scores_path: file for the scores of every run. */
static peer *start_peer(const tune_problem *problem, const char *draws_path, const char *scores_path,
                        const setting *at)
{
    char X_path[PEER_PATH_LENGTH], Y_path[PEER_PATH_LENGTH], folds[8], tried[8];
    peer_write_matrix(volt_as_view(problem->X), X_path);
    peer_write_matrix(volt_as_view(problem->Y), Y_path);
    snprintf(folds, sizeof folds, "%d", FOLDS);
    snprintf(tried, sizeof tried, "%d", TRIED);
    measure_gram_of_peer(problem, X_path, at);
    peer *other = peer_start_script("tune_peer.py", (const char *[]){"search", X_path, Y_path, draws_path,
                                                                     folds, tried, scores_path, NULL});
    remove(X_path);
    remove(Y_path);
    return other;
}

/* Writes the library's scores if requested; other may be NULL. */
static void compare_scores(const search_run *run, const peer *other, const char *path, const setting *at)
{
    volt_matrix scores = scores_of(run);
    const char *kept = getenv("BENCH_TUNE_SCORES");
    if (kept && *kept)
        need(volt_table_write(kept, volt_as_view(scores), NULL, NULL), kept);
    if (other) {
        volt_table *theirs = NULL;
        int64_t tried = scores.rows < TRIED ? scores.rows : TRIED;
        double tolerance = score_tolerance(run->problem), first = mean_of_first(scores, tried);
        need(volt_table_read(path, NULL, &theirs), "the scores of the peer");
        double difference = largest_difference(volt_as_view(scores), volt_table_view(theirs));
        report_value("tune, score error", at->text, difference, "R2");
        need_close("the scores of the peer", difference, tolerance);
        need_close("the first scores of the peer", fabs(first - peer_value(other)), tolerance);
        volt_table_free(theirs);
    }
    free(scores.data);
}

/* ---- main ------------------------------------------------------------------------------------- */

static void same_winner(const search_run *first, const search_run *second)
{
    const volt_trial *a = volt_search_trial(first->search, VOLT_TRIAL_BEST),
                     *b = volt_search_trial(second->search, VOLT_TRIAL_BEST);
    need_close("the winner of the exact race", (double)llabs(a->index - b->index), 0);
    need_close("its score", fabs(a->score - b->score), score_tolerance(first->problem));
}

/* With one thread and with all: the search chooses between parallel draws and parallel BLAS calls. */
static void measure_threads(search_run run, int64_t n)
{
    run.search = NULL;
    run.race = VOLT_RACE_NONE;
    run.draws = run.draws < THREAD_DRAWS ? run.draws : THREAD_DRAWS;
    for (int64_t threads = 1; threads <= THREADS; threads++) {
        need(volt_set_threads(threads), "threads");
        setting at = setting_of(n, run.draws, threads, false);
        measurement m = {.name = "tune, few draws", .parameters = at.text, .unit = "s a draw"};
        m.time = time_runs(run_search, &run, 1);
        m.value = m.time.best / (double)run.draws;
        report(&m);
        report_value("tune, draws at a time", at.text, (double)info_of(&run).parallel, "draws");
    }
    volt_search_free(run.search);
}

typedef struct race_case {
    const char *name;
    volt_race race;
    double at_least, at_most; /* relative to the peer, and to the time at DGEMM's rate; 0: no budget */
} race_case;

enum { RACES = 3 };
static const race_case cases[RACES] = {
    {"none", VOLT_RACE_NONE, 4, 1.4}, {"exact", VOLT_RACE_EXACT, 0, 0}, {"fast", VOLT_RACE_FAST, 10, 0}};

static void measure_all(const tune_problem *problem, const volt_candidates *candidates, const char *draws_path,
                        bool is_full)
{
    setting at = setting_of(problem->X.rows, problem->draws.rows, THREADS, is_full);
    search_run runs[RACES], *full = runs; /* the first one has no early stopping */
    for (int r = 0; r < RACES; r++)
        runs[r] = (search_run){problem, candidates, cases[r].race, problem->draws.rows, NULL};

    char scores_path[PEER_PATH_LENGTH];
    peer_new_file(".npy", scores_path);
    peer *other = start_peer(problem, draws_path, scores_path, &at);
    timing times[RACES], their_time = {0}, gemm = time_gemm(GEMM_RUNS);
    if (other)
        time_in_turn(run_search, full, peer_run, other, 1, 0, times, &their_time);
    else
        times[0] = time_runs(run_search, full, 1);
    for (int r = 1; r < RACES; r++)
        times[r] = time_runs(run_search, runs + r, 1);
    double gemm_rate = gemm_flops / fmin(gemm.best, time_gemm(GEMM_RUNS).best);

    check_by_separate_fits(full);
    same_winner(full, runs + 1);
    compare_scores(full, other, scores_path, &at);
    remove(scores_path);
    report_value("dgemm", "n=2048 threads=2", 1e-9 * gemm_rate, "GFLOP/s");
    for (int r = 0; r < RACES; r++) {
        report_cost(runs + r, cases[r].name, &at, times[r], gemm_rate, cases[r].at_most);
        report_outcome(runs + r, cases[r].name);
        report_against_peer(cases[r].name, &at, times[r], other, their_time, cases[r].at_least);
    }
    peer_stop(other);
    measure_threads(*full, problem->X.rows);
    for (int r = 0; r < RACES; r++)
        volt_search_free(runs[r].search);
}

static int64_t size_from(const char *variable, int64_t otherwise)
{
    const char *text = getenv(variable);
    double value;
    if (!text || !*text)
        return otherwise;
    if (!volt_parse_number(text, &value) || !(value >= 1 && value <= 1e6)) {
        fprintf(stderr, "bench: %s is %s, not a number from 1 to 1e6\n", variable, text);
        exit(1);
    }
    return (int64_t)value;
}

int main(void)
{
    static const char *const columns[] = {[TUNE_TAU] = "tau", [TUNE_LAMBDA] = "lambda", [TUNE_ALPHA] = "alpha"};
    int64_t n = size_from("BENCH_TUNE_ROWS", ROWS), draws = size_from("BENCH_TUNE_DRAWS", DRAWS);
    need(volt_set_threads(THREADS), "threads");
    tune_problem problem = tune_problem_make(n, draws);

    char draws_path[PEER_PATH_LENGTH];
    volt_candidates *candidates = NULL;
    peer_new_file(".csv", draws_path);
    need(volt_table_write(draws_path, volt_as_view(problem.draws), columns, NULL), "the draws");
    need(volt_candidates_read(draws_path, "volterra", &candidates), "the draws");
    measure_all(&problem, candidates, draws_path, n == ROWS && draws == DRAWS);
    remove(draws_path);
    volt_candidates_free(candidates);
    tune_problem_free(&problem);
    return 0;
}
