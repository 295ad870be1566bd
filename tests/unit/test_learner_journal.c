/* tests/unit/test_learner_journal.c: a learner whose process ends at any time loses at most the current row. */
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/live.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { TRAIN = 12, ROWS = 14, D = 2, Q = 1, MAX_STEPS = 32 };
static const volt_matrix nowhere = {NULL, 0, 0, 0};

typedef struct school {
    double *X, *Y;
    volt_model *model;
} school;

static void open_school(uint64_t seed, school *s)
{
    volt_rng rng = test_rng(seed);
    volt_kernel *kernel = plain_parse("volterra:tau_coef=0.6,lambda_coef=0.8,pole=0.2");
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.3;
    s->X = random_rows(&rng, TRAIN + ROWS, D, 0.9);
    s->Y = normal_rows(&rng, TRAIN + ROWS, Q);
    check_ok(volt_model_fit(kernel, volt_view_of(s->X, TRAIN, D), volt_view_of(s->Y, TRAIN, Q), &options,
                            nowhere, &s->model));
    volt_kernel_free(kernel);
}

static void close_school(school *s)
{
    volt_model_free(s->model);
    free(s->X);
    free(s->Y);
}

static volt_live *new_learner(const school *s)
{
    volt_live_options options = *with_learning();
    volt_live *learner = NULL;
    options.window = 8;
    check_ok(volt_live_create(s->model, &options, &learner));
    return learner;
}

static int64_t events_of(const volt_live *learner)
{
    volt_live_info info = {.struct_size = sizeof info};
    volt_live_get_info(learner, &info);
    return info.events;
}

/* Numbered steps of every kind: rows with and without targets, drops, a restart. Returns false after the
 * last. */
static bool take_step(const school *s, volt_live *learner, int64_t step)
{
    double y[Q];
    const double *x = s->X + (TRAIN + step % ROWS) * D, *target = s->Y + (TRAIN + step % ROWS) * Q;
    if (step == 5)
        check_ok(volt_live_drop(learner, 2));
    else if (step == 9)
        check_ok(volt_live_restart(learner));
    else if (step == 12 || step == 3)
        check_ok(volt_live_feed(learner, x, y));
    else if (step == 13)
        check_ok(volt_live_learn(learner, 0, target));
    else
        check_ok(volt_live_update(learner, x, 0, target, y));
    return step < ROWS + 3;
}

/* The state of a learner, as the bytes of its file. */
static char *bytes_of(volt_live *learner, size_t *size)
{
    check_ok(volt_live_save(learner, scratch_path("all")));
    return scratch_read(scratch_path("all"), size);
}

static void check_same(volt_live *one, volt_live *two)
{
    size_t size = 0, other_size = 0;
    char *bytes = bytes_of(one, &size), *other = bytes_of(two, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, other, size);
    free(bytes);
    free(other);
}

/* The state of the learner after each number of steps. */
static int64_t all_states(const school *s, volt_live *states[MAX_STEPS])
{
    int64_t n = 0;
    for (bool goes_on = true; goes_on; n++) {
        states[n] = new_learner(s);
        for (int64_t step = 0; step < n; step++)
            goes_on = take_step(s, states[n], step);
        goes_on = n == 0 || goes_on;
    }
    return n;
}

/* The journal is truncated at any byte: all complete lines are replayed, and the learner continues from
 * there. */
static void truncated_journal_is_recovered(void **state)
{
    (void)state;
    school s;
    volt_live *states[MAX_STEPS];
    open_school(851, &s);
    int64_t n = all_states(&s, states);
    volt_live *learner = new_learner(&s);
    check_ok(volt_journal_open(learner, scratch_path("whole"), NULL));
    for (int64_t step = 0; step < n - 1; step++)
        take_step(&s, learner, step);
    check_same(learner, states[n - 1]);
    volt_live_free(learner);
    size_t size = 0;
    char *bytes = scratch_read(scratch_path("whole"), &size);

    for (size_t cut = 0; cut <= size; cut += cut + 40 < size ? 7 : 1) {
        int64_t lines = 0, replayed = 0;
        for (size_t i = 0; i < cut; i++)
            lines += bytes[i] == '\n';
        int64_t done = lines > 0 ? lines - 1 : 0;
        const char *path = scratch_write("cut", bytes, cut);
        learner = new_learner(&s);
        check_ok(volt_journal_open(learner, path, &replayed));
        assert_int_equal(replayed, done);
        assert_int_equal(events_of(learner), done);
        if (cut % 5 == 0) {
            check_same(learner, states[done]);
            if (done < n - 1)
                take_step(&s, learner, done); /* after the complete lines */
            volt_live_free(learner);
            learner = new_learner(&s);
            check_ok(volt_journal_open(learner, path, &replayed));
            assert_int_equal(replayed, done < n - 1 ? done + 1 : done);
        }
        volt_live_free(learner);
    }
    free(bytes);
    for (int64_t i = 0; i < n; i++)
        volt_live_free(states[i]);
    close_school(&s);
}

/* A state saved at any step, with the journal before and after it was emptied. */
static void state_and_journal_must_match(void **state)
{
    (void)state;
    school s;
    volt_live *states[MAX_STEPS];
    open_school(852, &s);
    int64_t n = all_states(&s, states);
    for (int64_t saved = 0; saved < n; saved += 3)
        for (int emptied = 0; emptied < 2; emptied++) {
            int64_t replayed = -1;
            unlink(scratch_path("journal"));
            volt_live *learner = new_learner(&s), *again = NULL;
            check_ok(volt_journal_open(learner, scratch_path("journal"), NULL));
            for (int64_t step = 0; step < n - 1; step++) {
                if (step == saved) {
                    check_ok(volt_live_save(learner, scratch_path("state")));
                    if (emptied)
                        check_ok(volt_journal_clear(learner));
                }
                take_step(&s, learner, step);
            }
            if (saved == n - 1)
                check_ok(volt_live_save(learner, scratch_path("state")));
            volt_live_free(learner); /* killed here */
            check_ok(volt_live_load(s.model, NULL, scratch_path("state"), &again));
            check_ok(volt_journal_open(again, scratch_path("journal"), &replayed));
            assert_int_equal(replayed, n - 1 - saved);
            check_same(again, states[n - 1]);
            volt_live_free(again);
        }
    for (int64_t i = 0; i < n; i++)
        volt_live_free(states[i]);
    close_school(&s);
}

/* A journal emptied while its state is lost, one of another model, one already in use, a damaged one. */
static void mismatching_files_are_rejected(void **state)
{
    (void)state;
    school s, other;
    open_school(853, &s);
    open_school(854, &other);
    volt_live *learner = new_learner(&s), *second = new_learner(&s), *foreign = new_learner(&other);
    const char *path = scratch_path("first");
    check_ok(volt_journal_open(learner, path, NULL));
    check_fails(volt_journal_open(learner, path, NULL), VOLT_ERR_ARGUMENT, "already");
    check_fails(volt_journal_open(second, path, NULL), VOLT_ERR_IO, "journal");
    for (int64_t step = 0; step < 4; step++)
        take_step(&s, learner, step);
    check_ok(volt_journal_clear(learner));
    take_step(&s, learner, 4);
    volt_live_free(learner);
    check_fails(volt_journal_open(second, path, NULL), VOLT_ERR_FORMAT, "4 events 0");
    check_fails(volt_journal_open(foreign, path, NULL), VOLT_ERR_FORMAT, "model");
    check_fails(volt_journal_open(second, scratch_write_text("list", "1,2,3\n"), NULL), VOLT_ERR_FORMAT,
                "journal volterra");
    check_fails(volt_journal_open(second, scratch_directory(), NULL), VOLT_ERR_IO, "opened");
    check_fails(volt_journal_open(second, "/dev/null", NULL), VOLT_ERR_IO, "regular");
    check_fails(volt_journal_clear(second), VOLT_ERR_ARGUMENT, "journal");

    unlink(path);
    check_ok(volt_journal_open(second, path, NULL));
    for (int64_t step = 0; step < 3; step++)
        take_step(&s, second, step);
    volt_live_free(second);
    size_t size = 0;
    char *bytes = scratch_read(path, &size), *middle = strchr(bytes, '\n') + 4;
    *middle = *middle == '7' ? '8' : '7';
    second = new_learner(&s);
    check_fails(volt_journal_open(second, scratch_write("damaged", bytes, size), NULL), VOLT_ERR_FORMAT,
                "line 2 journal");
    assert_int_equal(events_of(second), 0);
    free(bytes);
    volt_live_free(second);
    volt_live_free(foreign);
    close_school(&s);
    close_school(&other);
}

/* Limits the file size to this number of bytes: a write beyond it is partial, and later writes fail. */
static struct rlimit limit_files(rlim_t bytes)
{
    struct rlimit before, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    return before;
}

/* The learner accepts no row until its journal is restarted, and a failed restart does not count. Lines
 * written earlier are replayed. */
static void full_disk_is_reported(void **state)
{
    (void)state;
    enum { DONE = 3, PART = 5 };
    school s;
    open_school(856, &s);
    volt_live *learner = new_learner(&s), *again = new_learner(&s);
    const char *path = scratch_path("full");
    double y;
    int64_t replayed = 0;
    size_t size = 0;
    check_ok(volt_journal_open(learner, path, NULL));
    for (int64_t step = 0; step < DONE; step++)
        take_step(&s, learner, step);
    free(scratch_read(path, &size));

    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    struct rlimit before = limit_files(size + PART);
    volt_status status = volt_live_feed(learner, s.X, &y), refused = volt_live_feed(learner, s.X, &y);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, VOLT_ERR_IO);
    assert_int_equal(refused, VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "ahead of the journal"));
    char *copy = scratch_read(path, &size);
    const char *kept = scratch_write("kept", copy, size);
    free(copy);
    check_ok(volt_journal_open(again, kept, &replayed));
    assert_int_equal(replayed, DONE);

    before = limit_files(PART);
    status = volt_journal_clear(learner);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, VOLT_ERR_IO);
    check_fails(volt_live_feed(learner, s.X, &y), VOLT_ERR_IO, "ahead journal");
    check_ok(volt_journal_clear(learner));
    check_ok(volt_live_feed(learner, s.X, &y));
    signal(SIGXFSZ, handler);
    volt_live_free(learner);
    volt_live_free(again);
    close_school(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    school s;
    open_school(855, &s);
    volt_live *learner = new_learner(&s);
    check_ok(volt_journal_open(learner, scratch_path("short"), NULL));
    for (int64_t step = 0; step < 8; step++)
        take_step(&s, learner, step);
    volt_live_free(learner);
    for (int64_t k = 1;; k++) {
        learner = new_learner(&s);
        failing_alloc_start(k);
        volt_status status = volt_journal_open(learner, scratch_path("short"), NULL);
        int hit = failing_alloc_hit();
        failing_alloc_stop();
        assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);
        assert_true(hit || events_of(learner) == 8);
        volt_live_free(learner);
        if (!hit)
            break;
    }
    close_school(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_journal_is_recovered), cmocka_unit_test(state_and_journal_must_match),
        cmocka_unit_test(mismatching_files_are_rejected), cmocka_unit_test(full_disk_is_reported),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
