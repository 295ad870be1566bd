/* tests/unit/io/test_atomic_file.c: atomic replacement of files. */
#define _GNU_SOURCE
#include "io/file/atomic_file.h"
#include "io/file/file_bytes.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

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

static void creates_and_replaces_files(void **state)
{
    const char *path = scratch_path("new.txt");
    mode_t mask = umask(027);
    assert_int_equal(write_whole(path, "first"), VOLT_OK);
    umask(mask);
    assert_content(path, "first");
    assert_int_equal(permissions(path), 0640); /* the default mode of a new file */

    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(write_whole(path, "second, longer"), VOLT_OK);
    assert_content(path, "second, longer");
    assert_int_equal(permissions(path), 0604); /* mode is preserved */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(scratch_count(), 0); /* no temporary file is left */
}

static void discard_keeps_the_old_file(void **state)
{
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

static void reports_reason_of_failure(void **state)
{
    const char *path = scratch_path("nowhere/file.txt");
    assert_int_equal(write_whole(path, "x"), VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "nowhere/file.txt"));
    assert_non_null(strstr(volt_error_detail(), "No such file or directory"));
    assert_int_equal(write_whole(scratch_directory(), "x"), VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "Is a directory"));
}

/* Root may write anything, so the test drops the real and the effective user id for a while. */
static bool become_nobody(void)
{
    enum { NOBODY = 65534 };
    return geteuid() != 0 || (chmod(scratch_directory(), 0777) == 0 && setresuid(NOBODY, NOBODY, 0) == 0);
}

static void become_oneself(void)
{
    uid_t real, effective, saved;
    assert_int_equal(getresuid(&real, &effective, &saved), 0);
    if (saved == 0)
        assert_int_equal(setresuid(0, 0, 0), 0);
}

static void does_not_replace_read_only_file(void **state)
{
    const char *path = scratch_write_text("protected.txt", "old"), *folder = scratch_path("closed");
    char inside[512];
    snprintf(inside, sizeof inside, "%s/new.txt", folder);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(mkdir(folder, 0555), 0);
    if (!become_nobody())
        skip(); /* root of a container without other users */
    volt_status protected = write_whole(path, "new"), closed = write_whole(inside, "new");
    become_oneself();
    assert_int_equal(protected, VOLT_ERR_IO);
    assert_int_equal(closed, VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "Permission denied"));
    assert_content(path, "old");
    assert_int_equal(scratch_count(), 2); /* no temporary file is left */
    assert_int_equal(rmdir(folder), 0);
    unlink(path);
}

static void writes_through_symbolic_links(void **state)
{
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
    assert_int_equal(write_whole(second, "again"), VOLT_OK); /* the link was dangling */
    assert_content(target, "again");
    unlink(target);
    unlink(link);
    assert_int_equal(symlink("second.txt", link), 0); /* circular links */
    assert_int_equal(write_whole(link, "x"), VOLT_ERR_IO);
    unlink(link);
    unlink(second);
}

/* ---- sync to disk ----------------------------------------------------------------------------- */

static struct {
    int files, folders; /* number of syncs of each */
    off_t size;         /* size of the file at the sync */
    bool replaced;      /* the target was already replaced when the file was synced */
    bool renamed;       /* the target was already replaced when the folder was synced */
} synced;
static const char *synced_target;

/* Replaces the C library's function and counts the calls. */
int fsync(int descriptor)
{
    struct stat entry, target;
    if (!synced_target || fstat(descriptor, &entry) != 0)
        return 0;
    bool is_new = stat(synced_target, &target) == 0 && target.st_size > 3; /* the old text has 3 bytes */
    if (S_ISDIR(entry.st_mode)) {
        synced.folders++;
        synced.renamed = is_new;
    } else {
        synced.files++;
        synced.size = entry.st_size;
        synced.replaced = is_new;
    }
    return 0;
}

/* The data are synced before the rename, and the folder after it. After a power failure either the old or
 * the new file exists, never an empty one. */
static void syncs_the_file_then_renames_then_syncs_the_folder(void **state)
{
    synced_target = scratch_write_text("synced.txt", "old");
    memset(&synced, 0, sizeof synced);
    assert_int_equal(write_whole(synced_target, "new and longer"), VOLT_OK);
    assert_int_equal(synced.files, 1);
    assert_int_equal(synced.size, 14); /* all of it: the stream was flushed first */
    assert_false(synced.replaced);
    assert_int_equal(synced.folders, 1);
    assert_true(synced.renamed);
    unlink(synced_target);
    synced_target = NULL;
}

/* ---- killed writers --------------------------------------------------------------------------- */

/* Starts a child that begins to write to `path` and waits to be killed. */
static pid_t start_writer(const char *path)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        volt_atomic_file file;
        alarm(20); /* the child must not outlive a failed test */
        if (volt_atomic_open(&file, path) == VOLT_OK && write(ready[1], "x", 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void stop_writer(pid_t child)
{
    int ended;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
}

static void removes_files_of_dead_writers(void **state)
{
    enum { KILLED = 3 };
    const char *path = scratch_path("killed.txt"), *other = scratch_path("other.txt");
    const char *link = scratch_path("killed-link.txt");
    for (int i = 0; i < KILLED; i++) {
        pid_t child = start_writer(path);
        assert_int_equal(scratch_count(), 1); /* each removes the file of the previous writer */
        stop_writer(child);
    }
    stop_writer(start_writer(other));
    assert_int_equal(scratch_count(), 2);
    assert_int_equal(symlink("killed.txt", link), 0);
    assert_int_equal(write_whole(link, "whole"), VOLT_OK); /* the same file under another name */
    assert_content(path, "whole");
    assert_int_equal(scratch_count(), 3); /* the file, its link, and the leftover of the other one */
    assert_int_equal(write_whole(other, "whole"), VOLT_OK);
    assert_int_equal(scratch_count(), 3);
    unlink(link);
    unlink(path);
    unlink(other);
    assert_int_equal(scratch_count(), 0);
}

/* Entries that only resemble leftovers are kept: another suffix, a folder, a link. */
static void keeps_unrelated_files(void **state)
{
    static const char name[] = "target.txt";
    unsigned long sum = crc32(crc32(0, NULL, 0), (const Bytef *)name, sizeof name - 1);
    char other[64], folder[64], link[64], dead[64];
    snprintf(other, sizeof other, ".volterra-%08lx-note", sum);
    snprintf(folder, sizeof folder, ".volterra-%08lx-folder.tmp", sum);
    snprintf(link, sizeof link, ".volterra-%08lx-link.tmp", sum);
    snprintf(dead, sizeof dead, ".volterra-%08lx-dead.tmp", sum);
    scratch_write_text(other, "x");
    scratch_write_text(dead, "x");
    assert_int_equal(mkdir(scratch_path(folder), 0777), 0);
    assert_int_equal(symlink(other, scratch_path(link)), 0);
    assert_int_equal(write_whole(scratch_path(name), "whole"), VOLT_OK);
    assert_int_equal(access(scratch_path(dead), F_OK), -1);
    assert_int_equal(scratch_count(), 4); /* the file and the three entries */
    assert_int_equal(rmdir(scratch_path(folder)), 0);
    assert_int_equal(unlink(scratch_path(link)), 0);
    assert_int_equal(unlink(scratch_path(other)), 0);
    assert_int_equal(unlink(scratch_path(name)), 0);
}

static void keeps_files_of_live_writers(void **state)
{
    const char *path = scratch_path("shared.txt");
    pid_t child = start_writer(path);
    volt_atomic_file mine; /* and one of this process */
    assert_int_equal(volt_atomic_open(&mine, path), VOLT_OK);
    assert_int_equal(scratch_count(), 2);
    assert_int_equal(write_whole(path, "second"), VOLT_OK);
    assert_int_equal(scratch_count(), 3);
    assert_content(path, "second");
    volt_atomic_write(&mine, "mine", 4);
    assert_int_equal(volt_atomic_close(&mine), VOLT_OK);
    assert_content(path, "mine");
    assert_int_equal(scratch_count(), 2);
    stop_writer(child);
    assert_int_equal(write_whole(path, "last"), VOLT_OK);
    assert_int_equal(scratch_count(), 1);
    unlink(path);
}

/* Concurrent writers to one name: none removes the temporary file of another, and every write completes. */
static void concurrent_writers_are_independent(void **state)
{
    enum { WRITERS = 4, WRITES = 200 };
    const char *path = scratch_path("busy.txt");
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            int failures = 0;
            for (int k = 0; k < WRITES; k++)
                failures += write_whole(path, "one whole text") != VOLT_OK;
            _exit(failures != 0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int ended;
        assert_int_equal(waitpid(children[i], &ended, 0), children[i]);
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    }
    assert_content(path, "one whole text");
    assert_int_equal(scratch_count(), 1);
    unlink(path);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void writes_directly_to_devices(void **state)
{
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
        /* The last allocation holds the directory name for the sync. The file is already in place by then. */
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

/* The last one cannot be rolled back. */
static void discards_output_when_requested(void **state)
{
    const char *old = scratch_path("kept.txt"), *missing = scratch_path("never.txt");
    assert_int_equal(write_whole(old, "old"), VOLT_OK);
    volt_atomic_discard_all();
    assert_int_equal(write_whole(old, "new"), VOLT_OK);
    assert_int_equal(write_whole(missing, "new"), VOLT_OK);
    assert_content(old, "old");
    assert_int_equal(access(missing, F_OK), -1);
}

/* A file that cannot be examined is an error: taken for absent, it would be replaced. */
static void existence_is_certain_or_an_error(void **state)
{
    const char *old = scratch_path("there.txt");
    char path[1024];
    bool exists = false;
    check_ok(write_whole(old, "old"));
    check_ok(volt_file_exists(old, &exists));
    assert_true(exists);
    snprintf(path, sizeof path, "%s/below", old); /* ENOTDIR */
    check_ok(volt_file_exists(path, &exists));
    assert_false(exists);
    check_ok(volt_file_exists(scratch_path("absent.txt"), &exists));
    assert_false(exists);
    const char *loop = scratch_path("loop");
    assert_int_equal(symlink("loop", loop), 0);
    check_fails(volt_file_exists(loop, &exists), VOLT_ERR_IO, strerror(ELOOP));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creates_and_replaces_files),
        cmocka_unit_test(discard_keeps_the_old_file),
        cmocka_unit_test(reports_reason_of_failure),
        cmocka_unit_test(does_not_replace_read_only_file),
        cmocka_unit_test(writes_through_symbolic_links),
        cmocka_unit_test(syncs_the_file_then_renames_then_syncs_the_folder),
        cmocka_unit_test(removes_files_of_dead_writers),
        cmocka_unit_test(keeps_unrelated_files),
        cmocka_unit_test(keeps_files_of_live_writers),
        cmocka_unit_test(concurrent_writers_are_independent),
        cmocka_unit_test(writes_directly_to_devices),
        cmocka_unit_test(size_limit_leaves_the_old_file),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(existence_is_certain_or_an_error),
        cmocka_unit_test(discards_output_when_requested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
