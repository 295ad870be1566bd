/* tests/unit/test_atomic_file.c: files that are replaced as a whole or not at all. */
#define _GNU_SOURCE
#include "io/atomic_file.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static volt_status write_whole(const char *path, const char *text)
{
    volt_atomic_file file;
    volt_status status = volt_atomic_open(&file, path);
    if (status)
        return status;
    volt_atomic_write(&file, text, strlen(text));
    return volt_atomic_close(&file);
}

static void assert_content(const char *path, const char *expected)
{
    char *found = scratch_read(path, NULL);
    assert_non_null(found);
    assert_string_equal(found, expected);
    free(found);
}

static mode_t permissions(const char *path)
{
    struct stat entry;
    assert_int_equal(stat(path, &entry), 0);
    return entry.st_mode & 07777;
}

static void makes_and_replaces(void **state)
{
    (void)state;
    const char *path = scratch_path("new.txt");
    mode_t mask = umask(027);
    assert_int_equal(write_whole(path, "first"), VOLT_OK);
    umask(mask);
    assert_content(path, "first");
    assert_int_equal(permissions(path), 0640); /* as of any new file */

    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(write_whole(path, "second, longer"), VOLT_OK);
    assert_content(path, "second, longer");
    assert_int_equal(permissions(path), 0604); /* kept */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(scratch_count(), 0); /* no temporary file stays */
}

static void discard_keeps_the_old_file(void **state)
{
    (void)state;
    const char *path = scratch_write_text("old.txt", "old");
    volt_atomic_file file;
    assert_int_equal(volt_atomic_open(&file, path), VOLT_OK);
    volt_atomic_write(&file, "new", 3);
    assert_int_equal(scratch_count(), 2);
    volt_atomic_discard(&file);
    assert_int_equal(scratch_count(), 1);
    assert_content(path, "old");
    unlink(path);
}

static void says_why_not(void **state)
{
    (void)state;
    const char *path = scratch_path("nowhere/file.txt");
    assert_int_equal(write_whole(path, "x"), VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "nowhere/file.txt"));
    assert_non_null(strstr(volt_error_detail(), "No such file or directory"));
    assert_int_equal(write_whole(scratch_directory(), "x"), VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "Is a directory"));
}

static void respects_a_protected_file(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip(); /* root may write anything */
    const char *path = scratch_write_text("protected.txt", "old");
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(write_whole(path, "new"), VOLT_ERR_IO);
    assert_content(path, "old");
    unlink(path);
}

static void follows_links(void **state)
{
    (void)state;
    const char *target = scratch_write_text("target.txt", "old");
    const char *link = scratch_path("link.txt"), *second = scratch_path("second.txt");
    assert_int_equal(symlink("target.txt", link), 0);
    assert_int_equal(symlink(link, second), 0);
    assert_int_equal(write_whole(second, "new"), VOLT_OK);
    assert_content(target, "new");

    struct stat entry;
    assert_int_equal(lstat(link, &entry), 0);
    assert_true(S_ISLNK(entry.st_mode));
    unlink(target);
    assert_int_equal(write_whole(second, "again"), VOLT_OK); /* the link pointed to nothing */
    assert_content(target, "again");
    unlink(target);
    unlink(link);
    assert_int_equal(symlink("second.txt", link), 0); /* round in a circle */
    assert_int_equal(write_whole(link, "x"), VOLT_ERR_IO);
    unlink(link);
    unlink(second);
}

static void writes_straight_to_devices(void **state)
{
    (void)state;
    assert_int_equal(write_whole("/dev/null", "gone"), VOLT_OK);
    struct stat entry;
    assert_int_equal(stat("/dev/null", &entry), 0);
    assert_true(S_ISCHR(entry.st_mode)); /* still a device */
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(write_whole("/dev/full", "too much"), VOLT_ERR_IO);
        assert_non_null(strstr(volt_error_detail(), "No space left"));
    }
}

static void size_limit_leaves_the_old_file(void **state)
{
    (void)state;
    enum { LIMIT = 4096, SIZE = 100000 };
    const char *path = scratch_write_text("limited.txt", "old");
    char *bytes = calloc(1, SIZE);
    assert_non_null(bytes);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = LIMIT;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);

    volt_atomic_file file;
    volt_status opened = volt_atomic_open(&file, path), closed = VOLT_OK;
    if (!opened) {
        volt_atomic_write(&file, bytes, SIZE);
        closed = volt_atomic_close(&file);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    free(bytes);

    assert_int_equal(opened, VOLT_OK);
    assert_int_equal(closed, VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "limited.txt"));
    assert_non_null(strstr(volt_error_detail(), "File too large"));
    assert_content(path, "old");
    assert_int_equal(scratch_count(), 1);
    unlink(path);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *target = scratch_write_text("target.txt", "old"), *link = scratch_path("link.txt");
    assert_int_equal(symlink("target.txt", link), 0);
    for (int64_t k = 1;; k++) {
        failing_alloc_start(k);
        volt_status status = write_whole(link, "new");
        int hit = failing_alloc_hit();
        int64_t live = failing_alloc_live();
        failing_alloc_stop();
        assert_int_equal(live, 0);
        assert_int_equal(scratch_count(), 2);
        /* The last allocation names the directory to sync: by then the file is in place. */
        if (status)
            assert_int_equal(status, VOLT_ERR_MEMORY);
        assert_content(target, status ? "old" : "new");
        if (!hit)
            break;
        scratch_write_text("target.txt", "old");
    }
    unlink(link);
    unlink(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_and_replaces),
        cmocka_unit_test(discard_keeps_the_old_file),
        cmocka_unit_test(says_why_not),
        cmocka_unit_test(respects_a_protected_file),
        cmocka_unit_test(follows_links),
        cmocka_unit_test(writes_straight_to_devices),
        cmocka_unit_test(size_limit_leaves_the_old_file),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
