/* tests/property/test_compare_failures.c: a failure in a comparison affects only one row: an unusable log,
 * an out-of-memory error. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_cv.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 60, TRAIN = 44 };

static volt_compare_options small_options(void)
{
    volt_compare_options options = volt_compare_options_default();
    options.folds = 3;
    options.mcs_reps = 100;
    return options;
}

typedef struct counts {
    int begun, ended;
} counts;

static void count_event(int64_t row, int64_t rows, const char *name, const volt_search *search,
                        const volt_trial *trial, void *context)
{
    counts *all = context;
    assert_true(row >= 0 && row < rows && name);
    all->begun += !search;
    all->ended += search && !trial;
}

/* Names that reduce to the same letters, and long names with a common prefix, get separate logs. */
static void every_row_has_its_log(void **state)
{
    volt_rng rng = test_rng(3110);
    plain_problem made = plain_problem_make(&rng, ROWS, 2, 2);
    volt_compare_options options = small_options();
    char first[201], second[201];
    memset(first, 'x', 200);
    first[200] = '\0';
    memcpy(second, first, sizeof second);
    second[199] = 'y';
    volt_contender all[] = {{"rbf:gamma=1e-3", "rbf:gamma=1e-3"},
                            {"rbf:gamma=1e+3", "rbf:gamma=1e+3"},
                            {first, "linear"},
                            {second, "rbf:window=1"},
                            {"+-+", "linear:window=1"}};
    static const char *const names[] = {"01-rbf-gamma-1e-3.jsonl", "02-rbf-gamma-1e-3.jsonl", NULL, NULL,
                                        "05.jsonl"};
    options.contenders = all;
    options.n_contenders = 5;
    options.draws = 2;
    options.log = scratch_path("own-logs");
    assert_int_equal(mkdir(options.log, 0777), 0);
    volt_comparison *comparison = NULL;
    for (options.resume = 0; options.resume < 2; options.resume++) {
        check_ok(volt_compare_run(plain_inputs(&made), plain_targets(&made), TRAIN, &options, &comparison));
        for (int i = 0; i < 5; i++) {
            volt_search_info info = {.struct_size = sizeof info};
            volt_search_get_info(volt_comparison_row_at(comparison, i)->search, &info);
            assert_int_equal(info.resumed, options.resume ? 2 : 0);
        }
        volt_comparison_free(comparison);
    }
    char path[512];
    for (int i = 0; i < 5; i++) {
        if (names[i])
            snprintf(path, sizeof path, "%s/%s", options.log, names[i]);
        else
            snprintf(path, sizeof path, "%s/%02d-%.63s.jsonl", options.log, i + 1, first);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(options.log), 0); /* and no other file exists */
    plain_problem_free(&made);
}

/* The log of the second kernel is unusable. Its row reports the error, the first and third rows have
 * results, and the comparison is marked incomplete. */
static void failing_log_affects_one_row(void **state)
{
    volt_rng rng = test_rng(3111);
    plain_problem made = plain_problem_make(&rng, ROWS, 2, 2);
    volt_compare_options options = small_options();
    volt_contender three[] = {{"one", "rbf"}, {"two", "linear"}, {"three", "volterra"}};
    options.contenders = three;
    options.n_contenders = 3;
    options.draws = 2;
    counts all = {0};
    options.on_event = count_event;
    options.event_context = &all;
    for (int i = 0; i < 3; i++) { /* one that cannot be read is found before any is tuned */
        const char *right = three[i].kernel;
        volt_comparison *comparison = NULL;
        three[i].kernel = "no such kernel";
        check_fails(volt_compare_run(plain_inputs(&made), plain_targets(&made), TRAIN, &options, &comparison),
                    VOLT_ERR_KERNEL, "kernel");
        assert_null(comparison);
        three[i].kernel = right;
    }
    options.log = scratch_directory();
    unlink(scratch_path("01-one.jsonl"));
    unlink(scratch_path("03-three.jsonl"));
    const char *path = scratch_write_text("02-two.jsonl", "not a log\n");
    for (int resume = 0; resume < 2; resume++) {
        volt_comparison *comparison = NULL;
        options.resume = resume;
        check_fails(volt_compare_run(plain_inputs(&made), plain_targets(&made), TRAIN, &options, &comparison),
                    resume ? VOLT_ERR_FORMAT : VOLT_ERR_IO, "failed");
        assert_non_null(comparison);
        assert_true(volt_comparison_row_at(comparison, 3 - 1) && !volt_comparison_row_at(comparison, 3));
        const volt_comparison_row *failed = volt_comparison_row_at(comparison, 1);
        assert_non_null(strstr(failed->failure, path));
        assert_string_equal(failed->name, "two");
        assert_string_equal(failed->kernel, "");
        assert_true(isnan(failed->metrics->nmse) && isnan(failed->mcs_pvalue) && isnan(failed->score));
        assert_null(volt_comparison_row_at(comparison, 1)->losses);
        for (int i = 0; i < 3; i += 2) {
            assert_null(volt_comparison_row_at(comparison, i)->failure);
            assert_true(volt_comparison_row_at(comparison, i)->metrics->nmse > 0);
            assert_true(volt_comparison_row_at(comparison, i)->mcs_pvalue >= 0);
        }
        volt_comparison_free(comparison);
    }
    assert_int_equal(all.begun, 6);
    assert_int_equal(all.ended, 4);
    char *text = scratch_read(path, NULL);
    assert_string_equal(text, "not a log\n");
    free(text);
    plain_problem_free(&made);
}

/* With any single allocation failing, the other row is still computed. */
static void allocation_failure_affects_one_row(void **state)
{
    volt_rng rng = test_rng(3112);
    plain_problem made = plain_problem_make(&rng, ROWS, 2, 2);
    volt_compare_options options = small_options();
    volt_contender pair[] = {{"one", "rbf:window=1"}, {"two", "linear:window=1"}};
    options.contenders = pair;
    options.n_contenders = 2;
    options.draws = 1;
    options.mcs_reps = 20;
    check_ok(volt_set_threads(1)); /* the order of allocations is then fixed */
    int without = 0, first_lost = 0, second_lost = 0;
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_comparison *comparison = NULL;
        volt_status status =
            volt_compare_run(plain_inputs(&made), plain_targets(&made), TRAIN, &options, &comparison);
        without += !comparison;
        if (comparison) {
            assert_true(volt_comparison_row_at(comparison, 2 - 1) && !volt_comparison_row_at(comparison, 2));
            const char *failures[] = {volt_comparison_row_at(comparison, 0)->failure,
                                      volt_comparison_row_at(comparison, 1)->failure};
            assert_false(failures[0] && failures[1]);
            first_lost += failures[0] != NULL;
            second_lost += failures[1] != NULL;
        }
        volt_comparison_free(comparison);
        failing_alloc_check(status);
    }
    assert_true(first_lost > 10 && second_lost > 10); /* most allocations are the rows' own, */
    assert_true(without < first_lost);                /* and few are of what both need */
    check_ok(volt_set_threads(0));
    plain_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_its_log),
        cmocka_unit_test(failing_log_affects_one_row),
        cmocka_unit_test(allocation_failure_affects_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
