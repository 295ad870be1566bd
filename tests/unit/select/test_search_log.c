/* tests/unit/select/test_search_log.c: log contents, resume from a log truncated anywhere, logs of another search,
 * and logs of several machines. */
#include "support/check.h"
#include "support/plain_cv.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/select.h"

#include <jansson.h>
#include <unistd.h>

enum { COUNT = 30, FOLDS = 4 };

static plain_problem problem;
static volt_candidates *candidates;

static int make_problem(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 2700, 0);
    problem = plain_problem_make(&rng, 45, 2, 2);
    return volt_candidates_draw("volterra", plain_inputs(&problem), NULL, &candidates);
}

static int free_problem(void **state)
{
    volt_candidates_free(candidates);
    plain_problem_free(&problem);
    return 0;
}

static volt_search_options options_with_log(const char *path)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = FOLDS;
    options.draws = COUNT;
    options.log = path;
    return options;
}

static volt_search *run(const volt_search_options *options)
{
    volt_search *search = NULL;
    check_ok(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), options, &search));
    return search;
}

static const char *fresh_path(const char *name)
{
    const char *path = scratch_path(name);
    unlink(path);
    return path;
}

/* The same trials, bit for bit, except for their durations. */
static void same_search(const volt_search *a, const volt_search *b)
{
    volt_search_info info = {.struct_size = sizeof info}, other = {.struct_size = sizeof other};
    volt_search_get_info(a, &info);
    volt_search_get_info(b, &other);
    assert_int_equal(info.trials, other.trials);
    assert_int_equal(info.failed, other.failed);
    assert_int_equal(info.folds, other.folds);
    assert_int_equal(info.score, other.score);
    assert_memory_equal(info.stopped, other.stopped, (size_t)(info.folds + 1) * sizeof *info.stopped);
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *x = volt_search_trial(a, i), *y = volt_search_trial(b, i);
        assert_int_equal(x->index, y->index);
        assert_string_equal(x->kernel, y->kernel);
        assert_true(x->alpha == y->alpha);
        assert_int_equal(x->stopped, y->stopped);
        assert_int_equal(x->n_folds, y->n_folds);
        assert_memory_equal(x->folds, y->folds, (size_t)x->n_folds * sizeof(double));
        assert_true(x->score == y->score || (isnan(x->score) && isnan(y->score)));
        assert_int_equal(x->failure != NULL, y->failure != NULL);
        if (x->failure)
            assert_string_equal(x->failure, y->failure);
    }
    assert_int_equal(volt_search_trial(a, VOLT_TRIAL_BEST)->index,
                     volt_search_trial(b, VOLT_TRIAL_BEST)->index);
}

/* ---- lines ------------------------------------------------------------------------------------ */

static void check_line(const json_t *line, const volt_search *search, int *seen)
{
    const char *kernel = json_string_value(json_object_get(line, "kernel"));
    json_t *folds = json_object_get(line, "folds"), *alpha = json_object_get(line, "alpha");
    json_t *score = json_object_get(line, "score"), *seconds = json_object_get(line, "seconds");
    int64_t index = json_integer_value(json_object_get(line, "index"));
    assert_true(kernel && json_is_array(folds) && json_is_number(alpha) && json_is_number(score));
    assert_true(json_is_number(seconds) && json_number_value(seconds) >= 0);
    assert_true(index >= 0 && index < COUNT && !seen[index]);
    seen[index] = 1;
    const volt_trial *trial = volt_search_trial(search, index);
    assert_string_equal(kernel, trial->kernel);
    assert_true(json_number_value(alpha) == trial->alpha && json_number_value(score) == trial->score);
    assert_int_equal(json_array_size(folds), trial->n_folds);
    for (int64_t f = 0; f < trial->n_folds; f++)
        assert_true(json_number_value(json_array_get(folds, (size_t)f)) == trial->folds[f]);
    json_t *stopped = json_object_get(line, "stopped");
    assert_true(trial->stopped ? json_integer_value(stopped) == trial->n_folds : json_is_null(stopped));
    assert_true(json_is_null(json_object_get(line, "failure")));
}

static void every_line_is_json_with_the_trial(void **state)
{
    const char *path = fresh_path("lines.jsonl");
    volt_search_options options = options_with_log(path);
    volt_search *search = run(&options);
    char *text = scratch_read(path, NULL);
    int seen[COUNT] = {0}, lines = 0;
    for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1, lines++) {
        json_t *line = json_loadb(at, (size_t)(end - at), JSON_REJECT_DUPLICATES, NULL);
        assert_true(json_is_object(line));
        check_line(line, search, seen);
        json_decref(line);
    }
    assert_int_equal(lines, COUNT);
    assert_true(text[strlen(text) - 1] == '\n');
    free(text);
    volt_search_free(search);
}

/* ---- resume ----------------------------------------------------------------------------------- */

/* A log truncated at any byte: the search reuses the remaining trials and repeats the others. The search and
 * its log equal those of an uninterrupted run. */
static void check_resume_after(const char *text, size_t length, const volt_search *whole, volt_race race)
{
    const char *path = scratch_write("cut.jsonl", text, length);
    volt_search_options options = options_with_log(path);
    options.race = race;
    options.resume = 1;
    volt_search *search = run(&options);
    same_search(search, whole);
    int64_t lines = 0, after = 0;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    assert_int_equal(info.resumed, lines);
    char *log = scratch_read(path, NULL);
    for (const char *at = log; (at = strchr(at, '\n')); at++)
        after++;
    assert_int_equal(after, COUNT);
    options.draws = 0; /* no limit: only the log */
    volt_search *logged = run(&options);
    same_search(logged, whole);
    volt_search_get_info(logged, &info);
    assert_true(info.resumed == COUNT && info.total == 0 && info.expected == 0 && info.seconds == 0);
    char *same = scratch_read(path, NULL);
    assert_string_equal(same, log);
    free(same);
    volt_search_free(logged);
    free(log);
    volt_search_free(search);
}

static void search_resumes_from_truncated_log(void **state)
{
    static const volt_race races[] = {VOLT_RACE_EXACT, VOLT_RACE_FAST, VOLT_RACE_NONE};
    volt_rng rng = test_rng(2701);
    for (int r = 0; r < 3; r++) {
        const char *path = fresh_path("whole.jsonl");
        volt_search_options options = options_with_log(path);
        options.race = races[r];
        volt_search *whole = run(&options);
        size_t size = 0;
        char *text = scratch_read(path, &size);
        for (int cut = 0; cut < 10; cut++)
            check_resume_after(text, (size_t)((double)size * volt_rng_uniform(&rng)), whole, races[r]);
        check_resume_after(text, 0, whole, races[r]);
        check_resume_after(text, size, whole, races[r]);
        check_resume_after(text, size - 1, whole, races[r]); /* only the end of the last line is missing */
        free(text);
        volt_search_free(whole);
    }
}

/* Reordered and duplicate lines, as after a manual concatenation. */
static void result_does_not_depend_on_line_order(void **state)
{
    const char *path = fresh_path("order.jsonl");
    volt_search_options options = options_with_log(path);
    volt_search *whole = run(&options);
    char *text = scratch_read(path, NULL), *turned = malloc(2 * strlen(text) + 1);
    size_t length = 0;
    turned[0] = '\0';
    for (char *end = text + strlen(text); end > text;) {
        char *start = end - 1;
        while (start > text && start[-1] != '\n')
            start--;
        memcpy(turned + length, start, (size_t)(end - start));
        length += (size_t)(end - start);
        end = start;
    }
    memcpy(turned + length, text, strlen(text));
    length += strlen(text);
    options.log = scratch_write("turned.jsonl", turned, length);
    options.resume = 1;
    volt_search *search = run(&options);
    same_search(search, whole);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    assert_int_equal(info.resumed, COUNT);
    volt_search_free(search);
    free(turned);
    free(text);
    volt_search_free(whole);
}

/* The number of draws may increase or decrease. */
static void log_supports_more_or_fewer_draws(void **state)
{
    const char *path = fresh_path("grow.jsonl");
    volt_search_options options = options_with_log(path), plain = options_with_log(NULL);
    options.draws = 12;
    volt_search_free(run(&options));
    options.resume = 1;
    options.draws = COUNT;
    volt_search *grown = run(&options), *whole = run(&plain);
    same_search(grown, whole);
    options.draws = plain.draws = 7;
    volt_search *few = run(&options), *fresh = run(&plain);
    same_search(few, fresh);
    volt_search_free(fresh);
    volt_search_free(few);
    volt_search_free(whole);
    volt_search_free(grown);
}

/* ---- logs of another search ------------------------------------------------------------------- */

static void check_refused(const volt_search_options *options, const volt_candidates *which,
                          const plain_problem *data, volt_status status, const char *fragment)
{
    volt_search *search = NULL;
    size_t before = 0, after = 0;
    char *old = scratch_read(options->log, &before);
    check_fails(volt_search_run(which, plain_inputs(data), plain_targets(data), options, &search), status,
                fragment);
    assert_null(search);
    char *now = scratch_read(options->log, &after);
    assert_true(before == after && memcmp(old, now, before) == 0); /* the log is unchanged */
    free(now);
    free(old);
}

static void log_of_another_search_is_rejected(void **state)
{
    const char *path = fresh_path("other.jsonl");
    volt_search_options options = options_with_log(path);
    options.draws = 3;
    volt_search_free(run(&options));

    check_refused(&options, candidates, &problem, VOLT_ERR_IO, "log");
    options.resume = 1;
    volt_search_options other = options;
    static const char *const words = "another search";
#define OTHER(change)                                                        \
    do {                                                                     \
        other = options;                                                     \
        change;                                                              \
        check_refused(&other, candidates, &problem, VOLT_ERR_FORMAT, words); \
    } while (0)
    OTHER(other.splits.folds = 3);
    OTHER(other.splits.gap = 1);
    OTHER(other.splits.min_train = 30);
    OTHER(other.splits.max_train = 9);
    OTHER(other.splits.rolling = 1);
    OTHER(other.start = VOLT_START_RESET);
    OTHER(other.washout = 2);
    OTHER(other.intercept = 0);
    OTHER(other.scale = 0);
    OTHER(other.score = VOLT_SCORE_MSE);
    const double values[] = {0.5, -0.5};
    OTHER(other.initial = VOLT_INITIAL_FIRST);
    OTHER((other.initial = VOLT_INITIAL_VALUES, other.initial_values = values));
#undef OTHER
    double *entry[] = {&problem.X[17], &problem.Y[31]};
    for (int e = 0; e < 2; e++) {
        double before = *entry[e];
        *entry[e] = nextafter(before, 10);
        check_refused(&options, candidates, &problem, VOLT_ERR_FORMAT, words);
        *entry[e] = before;
    }
    volt_draw_options seeded = volt_draw_options_default();
    seeded.seed = 5;
    volt_candidates *others = NULL;
    check_ok(volt_candidates_draw("volterra", plain_inputs(&problem), &seeded, &others));
    check_refused(&options, others, &problem, VOLT_ERR_FORMAT, "");
    volt_candidates_free(others);
}

/* The names of the classes are part of a search. */
static void other_classes_are_another_search(void **state)
{
    static const char *const names[] = {"low", "high"}, *const others[] = {"low", "mean"};
    double y[45];
    plain_problem classes = {problem.n, problem.d, 1, problem.X, y};
    for (int64_t i = 0; i < problem.n; i++)
        y[i] = (double)(i % 2);
    assert_int_equal(problem.n, 45);
    volt_search_options options = options_with_log(fresh_path("classes.jsonl"));
    volt_search *search = NULL;
    options.draws = 1;
    options.loss = "logistic";
    options.score = VOLT_SCORE_LOSS;
    options.classes = names;
    options.n_classes = 2;
    check_ok(volt_search_run(candidates, plain_inputs(&classes), plain_targets(&classes), &options, &search));
    volt_search_free(search);
    options.resume = 1;
    options.classes = others;
    check_refused(&options, candidates, &classes, VOLT_ERR_FORMAT, "another search");
}

/* Fields of the last line with another value. */
static void damaged_fields_are_rejected_with_their_line(void **state)
{
    static const struct {
        const char *field, *value, *term;
    } cases[] = {
        {"folds", "3", "folds"},        {"folds", "[1,\"x\"]", "fold"},  {"feedback", "-1", "feedback"},
        {"feedback", "[]", "feedback"}, {"alpha", "0", "alpha"},         {"alpha", "[]", "alpha"},
        {"seconds", "-1", "seconds"},   {"stopped", "\"x\"", "stopped"}, {"kernel", "3", "kernel"}};
    const char *path = fresh_path("good.jsonl");
    volt_search_options options = options_with_log(path);
    options.draws = 3;
    volt_search_free(run(&options));
    char *good = scratch_read(path, NULL);
    char *last = strchr(strchr(good, '\n') + 1, '\n') + 1;
    options.resume = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[8192];
        json_t *line = json_loads(last, 0, NULL), *value = json_loads(cases[i].value, JSON_DECODE_ANY, NULL);
        assert_true(line && value);
        json_object_set_new(line, cases[i].field, value);
        char *damaged = json_dumps(line, JSON_COMPACT);
        snprintf(text, sizeof text, "%.*s%s\n", (int)(last - good), good, damaged);
        options.log = scratch_write_text("damaged.jsonl", text);
        check_refused(&options, candidates, &problem, VOLT_ERR_FORMAT, "damaged.jsonl line 3");
        if (!error_names(cases[i].term))
            fail_msg("%s: '%s'", cases[i].field, volt_error_detail());
        free(damaged);
        json_decref(line);
    }
    free(good);
}

static void damaged_logs_are_rejected_with_their_line(void **state)
{
    const char *path = fresh_path("good.jsonl");
    volt_search_options options = options_with_log(path);
    options.draws = 3;
    volt_search_free(run(&options));
    char *good = scratch_read(path, NULL);
    static const char *const lines[] = {
        "\n",         "not json\n", "[1,2]\n", "{}\n", "{\"index\":0,\"kernel\":\"rbf\"}\n", "{\"index\":0,\n",
        "\xff\xfe\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%s%s", good, lines[i], good);
        options.log = scratch_write_text("damaged.jsonl", text);
        options.resume = 1;
        check_refused(&options, candidates, &problem, VOLT_ERR_FORMAT, "damaged.jsonl line 4");
    }
    free(good);
}

/* A line of a candidate beyond this run, twice with different kernels, is rejected. */
static void index_with_two_candidates_is_rejected(void **state)
{
    volt_search_options options = options_with_log(fresh_path("two.jsonl"));
    options.draws = 3;
    volt_search_free(run(&options));
    char *good = scratch_read(options.log, NULL), text[8192];
    json_t *line = json_loadb(good, (size_t)(strchr(good, '\n') - good), 0, NULL);
    assert_non_null(line);
    json_object_set_new(line, "index", json_integer(7));
    char *first = json_dumps(line, JSON_COMPACT);
    json_object_set_new(line, "kernel", json_string("rbf:gamma=2,window=1"));
    char *second = json_dumps(line, JSON_COMPACT);
    options.resume = 1;
    for (int different = 0; different < 2; different++) {
        volt_search *search = NULL;
        snprintf(text, sizeof text, "%s%s\n%s\n", good, first, different ? second : first);
        options.log = scratch_write_text("two.jsonl", text);
        if (different) {
            check_refused(&options, candidates, &problem, VOLT_ERR_FORMAT, "two.jsonl candidate 7");
            continue;
        }
        check_ok(
            volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search));
        volt_search_free(search);
    }
    free(first);
    free(second);
    json_decref(line);
    free(good);
}

static void unwritable_logs_fail(void **state)
{
    char path[512];
    snprintf(path, sizeof path, "%s/none/trials.jsonl", scratch_directory());
    volt_search_options options = options_with_log(path);
    volt_search *search = NULL;
    check_fails(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search),
                VOLT_ERR_IO, "none/trials.jsonl");
    options.log = scratch_directory();
    check_fails(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search),
                VOLT_ERR_IO, scratch_directory());
    options.log = "/dev/full"; /* if it exists: opens, but rejects writes */
    if (access(options.log, W_OK) == 0)
        check_fails(
            volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search),
            VOLT_ERR_IO, "/dev/full");
    assert_null(search);
}

static void empty_logs_are_not_reported(void **state)
{
    volt_search_options options = options_with_log(scratch_write_text("empty.jsonl", ""));
    options.resume = 1;
    options.draws = 0;
    check_refused(&options, candidates, &problem, VOLT_ERR_DATA, "empty.jsonl trials");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_json_with_the_trial),
        cmocka_unit_test(search_resumes_from_truncated_log),
        cmocka_unit_test(result_does_not_depend_on_line_order),
        cmocka_unit_test(log_supports_more_or_fewer_draws),
        cmocka_unit_test(log_of_another_search_is_rejected),
        cmocka_unit_test(damaged_logs_are_rejected_with_their_line),
        cmocka_unit_test(other_classes_are_another_search),
        cmocka_unit_test(damaged_fields_are_rejected_with_their_line),
        cmocka_unit_test(index_with_two_candidates_is_rejected),
        cmocka_unit_test(unwritable_logs_fail),
        cmocka_unit_test(empty_logs_are_not_reported),
    };
    return cmocka_run_group_tests_name("search_log", tests, make_problem, free_problem);
}
