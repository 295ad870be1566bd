/* tests/unit/select/test_trial_log.c: untrusted logs: every field of a line is checked before use, the better of
 * two duplicate trials is used, and only one search writes at a time. */
#include "support/check.h"
#include "support/plain_cv.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/select.h"

#include <jansson.h>
#include <unistd.h>

enum { COUNT = 6, FOLDS = 3 };

static plain_problem problem;
static volt_candidates *candidates;
static char *good; /* the log of a complete search */

static volt_search_options options_with_log(const char *path)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = FOLDS;
    options.draws = COUNT;
    options.race = VOLT_RACE_NONE;
    options.log = path;
    options.resume = 1;
    return options;
}

static volt_status run(const volt_search_options *options, volt_search **search)
{
    return volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), options, search);
}

/* A search of the lines in a log only. */
static volt_status report(const char *path, volt_search **search)
{
    volt_search_options options = options_with_log(path);
    options.draws = 0;
    return run(&options, search);
}

static int make_log(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 2710, 0);
    problem = plain_problem_make(&rng, 40, 2, 1);
    if (volt_candidates_draw("rbf", plain_inputs(&problem), NULL, &candidates) != VOLT_OK)
        return -1;
    volt_search_options options = options_with_log(scratch_path("good.jsonl"));
    volt_search *search = NULL;
    if (run(&options, &search) != VOLT_OK)
        return -1;
    volt_search_free(search);
    good = scratch_read(options.log, NULL);
    return good ? 0 : -1;
}

static int free_log(void **state)
{
    free(good);
    volt_candidates_free(candidates);
    plain_problem_free(&problem);
    return 0;
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* Line `number` of the valid log (from 0) as a modifiable object. */
static json_t *line_of(int number)
{
    const char *at = good;
    for (int i = 0; i < number; i++)
        at = strchr(at, '\n') + 1;
    json_t *line = json_loadb(at, (size_t)(strchr(at, '\n') - at), 0, NULL);
    assert_non_null(line);
    return line;
}

static void set_text(json_t *line, const char *key, const char *json)
{
    json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    assert_int_equal(json_object_set_new(line, key, value), 0);
}

static void set_folds(json_t *line, const double *folds, int count)
{
    json_t *list = json_array();
    double sum = 0;
    for (int k = 0; k < count; k++) {
        json_array_append_new(list, json_real(folds[k]));
        sum += folds[k];
    }
    json_object_set_new(line, "folds", list);
    json_object_set_new(line, "score", json_real(sum / count));
}

/* Writes a log of the lines, frees them, and returns its path. */
static const char *write_lines(const char *name, json_t **lines, int count)
{
    char text[16384];
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        char *dumped = json_dumps(lines[i], JSON_COMPACT | JSON_REAL_PRECISION(17));
        assert_non_null(dumped);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", dumped);
        assert_true(used < sizeof text);
        free(dumped);
        json_decref(lines[i]);
    }
    return scratch_write_text(name, text);
}

/* A resumed search rejects the log with this message and does not change it. */
static void check_refused(const char *path, const char *fragment)
{
    volt_search_options options = options_with_log(path);
    volt_search *search = NULL;
    char *before = scratch_read(path, NULL);
    check_fails(run(&options, &search), VOLT_ERR_FORMAT, fragment);
    assert_null(search);
    char *after = scratch_read(path, NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* Invalid fields, each with a part of the expected message. A text is JSON; NULL removes the field. */
static const struct {
    const char *key, *json, *fragment;
} wrong_fields[] = {
    {"kernel", NULL, "it has no kernel"},
    {"kernel", "5", "it has no kernel"},
    {"kernel", "\"\"", "its kernel is invalid"},
    {"kernel", "\"rfb:gamma=1\"", "its kernel is invalid"},
    {"kernel", "\"rbf:gamma=1\\nsystem('touch ran')\\n\"", "its kernel is invalid"},
    {"kernel", "\"rbf:gamma=`touch ran`\"", "its kernel is invalid"},
    {"kernel", "\"linear\\u001b[2J\"", "its kernel is invalid"},
    {"kernel", "\" linear:window=1\"", "its kernel"},
    {"kernel", "\"linear\"", "not written as a search writes it"},
    {"kernel", "\"linear:window=1.0\"", "its kernel"},
    {"index", NULL, "its index is not a number"},
    {"index", "\"1\"", "its index is not a number"},
    {"index", "null", "its index is not a number"},
    {"index", "-1", "its index is not a whole number"},
    {"index", "0.5", "its index is not a whole number"},
    {"index", "1e16", "its index is not a whole number"},
    {"alpha", NULL, "its alpha is not a number"},
    {"alpha", "null", "its alpha is not a number"},
    {"alpha", "\"1\"", "its alpha is not a number"},
    {"alpha", "0", "its alpha is not above 0"},
    {"alpha", "-1", "its alpha is not above 0"},
    {"folds", NULL, "no list of folds"},
    {"folds", "[0.5,null,0.5]", "a fold is not a number"},
    {"folds", "[]", "neither folds nor a failure"},
    {"folds", "[1e308,1e308,1e308]", "not finite"},
    {"score", NULL, "its score is not a number or null"},
    {"score", "\"high\"", "its score is not a number or null"},
    {"score", "null", "its score is not the mean of its folds"},
    {"score", "17", "its score is not the mean of its folds"},
    {"seconds", NULL, "its seconds is not a number"},
    {"seconds", "null", "its seconds is not a number"},
    {"seconds", "-1", "its seconds is not from 0 up"},
    {"stopped", NULL, "its stopped is not a number or null"},
    {"stopped", "true", "its stopped is not a number or null"},
    {"stopped", "1.5", "its stopped is not a whole number"},
    {"stopped", "2", "stopped after 2 folds, and has 3"},
    {"failure", NULL, "its failure is not a text or null"},
    {"failure", "3", "its failure is not a text or null"},
    {"failure", "\"it failed\"", "its score is not null, and it failed"},
    {"measure", NULL, "measure"},
    {"measure", "\"r3\"", "another search"},
    {"measure", "1", "measure"},
    {"loss", "\"huber:delta=1\"", "another search"},
    {"measure", "\"mse\"", "another search"},
    {"search", NULL, "search"},
    {"search", "\"0123456789abcde`\"", "another search"},
    {"search", "\"0123456789abcdef\"", "another search"},
};

static void every_field_of_a_line_is_checked(void **state)
{
    for (size_t i = 0; i < sizeof wrong_fields / sizeof *wrong_fields; i++) {
        json_t *lines[] = {line_of(0), line_of(1), line_of(2)};
        if (wrong_fields[i].json)
            set_text(lines[1], wrong_fields[i].key, wrong_fields[i].json);
        else
            assert_int_equal(json_object_del(lines[1], wrong_fields[i].key), 0);
        const char *path = write_lines("wrong.jsonl", lines, 3);
        check_refused(path, "wrong.jsonl, line 2");
        check_refused(path, wrong_fields[i].fragment);
    }
}

/* The mean of folds summed in another order differs by rounding. */
static void rounded_scores_are_read(void **state)
{
    for (int side = -1; side <= 1; side += 2) {
        json_t *lines[] = {line_of(0), line_of(1), line_of(2)};
        double score = json_number_value(json_object_get(lines[1], "score"));
        json_object_set_new(lines[1], "score", json_real(nextafter(score, side < 0 ? -INFINITY : INFINITY)));
        volt_search *search = NULL;
        check_ok(report(write_lines("rounded.jsonl", lines, 3), &search));
        volt_search_free(search);
    }
}

/* Random changes of the bytes of a line, with printed seeds: the line is rejected or read. */
static void damaged_bytes_are_rejected_or_read(void **state)
{
    volt_rng rng = test_rng(2711);
    size_t size = strlen(good);
    int refused = 0;
    for (int i = 0; i < 300; i++) {
        char *text = strdup(good);
        for (int k = 0; k < 3; k++)
            text[(size_t)(volt_rng_uniform(&rng) * (double)size)] =
                (char)(unsigned char)(1 + 254 * volt_rng_uniform(&rng));
        volt_search *search = NULL;
        if (report(scratch_write("bytes.jsonl", text, size), &search) != VOLT_OK)
            refused++;
        for (int64_t t = 0; search && volt_search_trial(search, t); t++) {
            volt_kernel *kernel = NULL; /* the result is a valid kernel */
            check_ok(volt_kernel_parse(volt_search_trial(search, t)->kernel, &kernel));
            volt_kernel_free(kernel);
        }
        volt_search_free(search);
        free(text);
    }
    assert_true(refused > 100);
}

/* ---- resume ----------------------------------------------------------------------------------- */

static void check_not_resumed(json_t *line, const char *fragment)
{
    json_t *lines[] = {line_of(0), line};
    volt_search_options options = options_with_log(write_lines("resumed.jsonl", lines, 2));
    volt_search *search = NULL;
    check_fails(run(&options, &search), VOLT_ERR_FORMAT, fragment);
    assert_non_null(strstr(volt_error_detail(), "resumed.jsonl, line 2"));
    assert_null(search);
}

static void resumed_candidates_equal_search(void **state)
{
    json_t *line = line_of(1);
    json_object_set_new(line, "alpha", json_real(2 * json_real_value(json_object_get(line, "alpha"))));
    check_not_resumed(line, "would now be rbf:");
    json_t *other = line_of(2);
    line = line_of(1);
    json_object_set(line, "kernel", json_object_get(other, "kernel"));
    json_decref(other);
    check_not_resumed(line, "would now be rbf:");
}

static void resumed_trials_have_search_folds(void **state)
{
    static const double folds[FOLDS + 1] = {0.5, 0.25, 0.125, 0.5};
    json_t *line = line_of(1);
    set_folds(line, folds, FOLDS - 1);
    check_not_resumed(line, "it has 2 folds, but there are 3");
    line = line_of(1);
    set_folds(line, folds, FOLDS + 1);
    check_not_resumed(line, "it has 4 folds, but there are 3");
    line = line_of(1);
    set_folds(line, folds, FOLDS + 1);
    set_text(line, "stopped", "4");
    check_not_resumed(line, "it has 4 folds, more than the 3");
    line = line_of(1);
    set_folds(line, folds, FOLDS + 1);
    set_text(line, "score", "null");
    set_text(line, "failure", "\"it failed\"");
    check_not_resumed(line, "it has 4 folds, more than the 3");
}

/* ---- duplicate lines -------------------------------------------------------------------------- */

/* Candidate 1 four times: failed, stopped after one fold, stopped after two, complete. */
static json_t *version_of(int version)
{
    static const double folds[] = {0.5, 0.25};
    json_t *line = line_of(1);
    if (version == 0) {
        set_text(line, "folds", "[]");
        set_text(line, "score", "null");
        set_text(line, "failure", "\"it failed\"");
    } else if (version < 3) {
        set_folds(line, folds, version);
        json_object_set_new(line, "stopped", json_integer(version));
    }
    return line;
}

static void better_of_duplicate_trials_counts(void **state)
{
    json_t *line = line_of(1);
    int64_t index = json_integer_value(json_object_get(line, "index"));
    json_decref(line);
    for (int first = 0; first < 4; first++)
        for (int second = 0; second < 4; second++) {
            json_t *lines[] = {line_of(0), version_of(first), version_of(second)};
            volt_search *search = NULL;
            check_ok(report(write_lines("duplicates.jsonl", lines, 3), &search));
            volt_search_info info = {.struct_size = sizeof info};
            volt_search_get_info(search, &info);
            assert_int_equal(info.trials, 2);
            const volt_trial *trial = volt_search_trial(search, 0);
            if (trial->index != index)
                trial = volt_search_trial(search, 1);
            int better = first > second ? first : second;
            assert_int_equal(trial->failure != NULL, better == 0);
            assert_int_equal(trial->stopped, better == 1 || better == 2);
            assert_int_equal(trial->n_folds, better);
            volt_search_free(search);
        }
}

/* Of two equally complete trials the first is used: the result depends only on the order of the lines. */
static void first_of_equal_trials_counts(void **state)
{
    static const double folds[2][FOLDS] = {{0.5, 0.25, 0.125}, {0.5, 0.25, 0.25}};
    for (int turned = 0; turned < 2; turned++) {
        json_t *lines[] = {line_of(1), line_of(1)};
        set_folds(lines[0], folds[turned], FOLDS);
        set_folds(lines[1], folds[!turned], FOLDS);
        volt_search *search = NULL;
        check_ok(report(write_lines("equals.jsonl", lines, 2), &search));
        assert_true(volt_search_trial(search, VOLT_TRIAL_BEST)->folds[2] == folds[turned][2]);
        volt_search_free(search);
    }
}

static void another_candidate_of_one_index_is_rejected(void **state)
{
    for (int change = 0; change < 2; change++) {
        json_t *lines[] = {line_of(0), line_of(1), line_of(1)}, *third = line_of(2);
        if (change == 0)
            json_object_set_new(lines[2], "alpha", json_real(0.12345));
        else
            json_object_set(lines[2], "kernel", json_object_get(third, "kernel"));
        json_decref(third);
        volt_search *search = NULL;
        check_fails(report(write_lines("two.jsonl", lines, 3), &search), VOLT_ERR_FORMAT, "two.jsonl another");
        if (change == 0)
            assert_non_null(strstr(volt_error_detail(), "alpha 0.12345"));
        assert_null(search);
    }
}

/* ---- one writer ------------------------------------------------------------------------------- */

typedef struct intruder {
    const char *path;
    int tries;
} intruder;

/* Starts a second search on the log of the calling search, fresh or resumed: it is rejected and changes
 * nothing. */
static void intrude(const volt_search *search, const volt_trial *trial, void *context)
{
    (void)search;
    (void)trial;
    intruder *one = context;
    char *before = scratch_read(one->path, NULL);
    for (int resume = 0; resume < 2; resume++) {
        volt_search_options options = options_with_log(one->path);
        options.resume = resume;
        volt_search *second = NULL;
        check_fails(run(&options, &second), VOLT_ERR_IO, "search");
        assert_non_null(strstr(volt_error_detail(), one->path));
        assert_null(second);
    }
    char *after = scratch_read(one->path, NULL);
    assert_int_equal(strncmp(before, after, strlen(before)), 0); /* it may have grown since */
    one->tries++;
    free(before);
    free(after);
}

static void one_search_writes_a_log_at_a_time(void **state)
{
    intruder one = {.path = scratch_path("shared.jsonl")};
    volt_search_options options = options_with_log(one.path);
    options.on_trial = intrude;
    options.trial_context = &one;
    volt_search *search = NULL;
    check_ok(run(&options, &search));
    volt_search_free(search);
    assert_int_equal(one.tries, COUNT);
    char *text = scratch_read(one.path, NULL);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, COUNT);
    free(text);
    /* The lock ends with the search. */
    options.on_trial = NULL;
    check_ok(run(&options, &search));
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    assert_int_equal(info.resumed, COUNT);
    volt_search_free(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_line_is_checked),
        cmocka_unit_test(rounded_scores_are_read),
        cmocka_unit_test(damaged_bytes_are_rejected_or_read),
        cmocka_unit_test(resumed_candidates_equal_search),
        cmocka_unit_test(resumed_trials_have_search_folds),
        cmocka_unit_test(better_of_duplicate_trials_counts),
        cmocka_unit_test(first_of_equal_trials_counts),
        cmocka_unit_test(another_candidate_of_one_index_is_rejected),
        cmocka_unit_test(one_search_writes_a_log_at_a_time),
    };
    return cmocka_run_group_tests_name("trial_log", tests, make_log, free_log);
}
