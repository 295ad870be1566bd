/* tests/unit/io/test_state_lock.c: a state file has one owner at a time, and none after the owner exits. */
#define _POSIX_C_SOURCE 200809L
#include "io/file/state_lock.h"
#include "support/check.h"
#include "support/child.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/school.h"
#include "support/scratch.h"
#include "volterra/io.h"
#include "volterra/live.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void one_owner(void **state)
{
    char path[256], link[256], other[256];
    volt_state_lock *lock = NULL, *second = NULL;
    strcpy(path, scratch_path("state"));
    strcpy(link, scratch_path("link"));
    strcpy(other, scratch_path("other"));
    assert_int_equal(symlink("state", link), 0);

    check_ok(volt_state_lock_take(path, &lock));
    check_fails(volt_state_lock_take(path, &second), VOLT_ERR_IO, path);
    check_fails(volt_state_lock_take(link, &second), VOLT_ERR_IO, "use"); /* the file, not its name */
    assert_null(second);
    check_ok(volt_state_lock_take(other, &second));
    volt_state_lock_free(second);
    volt_state_lock_free(lock);
    assert_int_equal(scratch_count(), 1); /* the link */

    scratch_write_text("state.lock", ""); /* left by a killed process */
    check_ok(volt_state_lock_take(link, &lock));
    volt_state_lock_free(lock);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(scratch_count(), 0);
    volt_state_lock_free(NULL);

    check_ok(volt_state_lock_take("/dev/null", &lock)); /* written directly: no lock */
    check_ok(volt_state_lock_take("/dev/null", &second));
    volt_state_lock_free(lock);
    volt_state_lock_free(second);
    check_fails(volt_state_lock_take(scratch_path("no/such/folder"), &lock), VOLT_ERR_IO, "lock");
    check_fails(volt_state_lock_take(NULL, &lock), VOLT_ERR_ARGUMENT, "path");
}

/* The lock of another process holds until that process is killed; a forked child neither owns nor releases
 * the lock of its parent. */
static void processes(void **state)
{
    volt_state_lock *lock = NULL;
    int ready[2];
    char byte = 0;
    char path[256];
    strcpy(path, scratch_path("state"));
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        volt_status status = volt_state_lock_take(path, &lock);
        if (write(ready[1], status == VOLT_OK ? "y" : "n", 1) == 1)
            pause();
        child_ends(1);
    }
    assert_true(read(ready[0], &byte, 1) == 1 && byte == 'y');
    check_fails(volt_state_lock_take(path, &lock), VOLT_ERR_IO, "use");
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    check_ok(volt_state_lock_take(path, &lock));

    child = fork();
    if (child == 0) {
        volt_state_lock_free(lock);
        child_ends(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    volt_state_lock *second = NULL;
    check_fails(volt_state_lock_take(path, &second), VOLT_ERR_IO, "use");
    volt_state_lock_free(lock);
    assert_int_equal(scratch_count(), 0);
    close(ready[0]);
    close(ready[1]);
}

/* Only the holder of the lock saves; for any other the file is unchanged. */
static void saving(void **state)
{
    school s;
    volt_live *owner = NULL, *stranger = NULL, *learner = NULL;
    volt_live_options owning = volt_live_options_default();
    char path[256];
    size_t size = 0, again = 0;
    strcpy(path, scratch_path("state"));
    open_school("volterra", 1, &s);
    volt_live *second = new_learner(s.model, 0, 1);
    owning.state = path;
    check_ok(volt_live_create(s.model, &owning, &owner));
    assert_false(live_info(owner).resumed);
    check_ok(volt_live_create(s.model, NULL, &stranger));
    check_fails(volt_live_create(s.model, &owning, &learner), VOLT_ERR_IO, "use");
    check_ok(volt_live_save(owner, NULL));
    check_ok(volt_live_save(owner, path));
    char *before = scratch_read(path, &size);
    double y[SCHOOL_Q];
    check_ok(volt_live_feed(stranger, s.X, y));
    check_fails(volt_live_save(stranger, path), VOLT_ERR_IO, "use");
    check_fails(volt_live_save(second, path), VOLT_ERR_IO, "use");
    char *after = scratch_read(path, &again);
    assert_true(size == again && memcmp(before, after, size) == 0);
    check_ok(volt_live_save(owner, scratch_path("another"))); /* its own lock does not block it */
    volt_live_free(owner);

    check_ok(volt_live_save(stranger, path)); /* no owner */
    owning.learn = 1;
    check_fails(volt_live_create(s.model, &owning, &learner), VOLT_ERR_FORMAT, "learn 0");
    assert_null(learner);
    check_ok(volt_live_save(second, path));
    check_ok(volt_live_create(s.model, &owning, &learner));
    assert_true(live_info(learner).resumed);
    check_ok(volt_live_save(learner, path));
    check_fails(volt_live_save(second, path), VOLT_ERR_IO, "use");
    volt_live_free(learner);
    owning.lock = 1;
    check_ok(volt_live_load(s.model, &owning, path, &learner));
    check_fails(volt_live_save(second, path), VOLT_ERR_IO, "use");
    volt_live_free(learner);
    check_ok(volt_live_save(second, path));
    assert_int_equal(scratch_count(), 2); /* no lock file is left */

    free(before);
    free(after);
    volt_live_free(stranger);
    volt_live_free(second);
    close_school(&s);
}

static void every_allocation_may_fail(void **state)
{
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_state_lock *lock = NULL;
        const char *path = scratch_path("short");
        failing_alloc_start(k);
        volt_status status = volt_state_lock_take(path, &lock);
        volt_state_lock_free(lock);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_owner),
        cmocka_unit_test(processes),
        cmocka_unit_test(saving),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
