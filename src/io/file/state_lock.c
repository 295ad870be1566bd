/* src/io/file/state_lock.c: exclusive ownership of a state file.
 *
 * The owner removes the lock file. A process that opened it earlier and locks it later has a file without a
 * name, detects this, and retries. */
#define _POSIX_C_SOURCE 200809L
#include "io/file/state_lock.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct volt_state_lock {
    int file;    /* -1: not locked, because the path is not a regular file */
    char *path;  /* of the lock file */
    pid_t owner; /* a forked child neither owns nor removes it */
};

/* The name of the lock file, *name; NULL when the path is written directly, e.g. a device. */
static volt_status lock_path(const char *path, char **name)
{
    char *target = NULL;
    *name = NULL;
    if (!volt_atomic_replaces(path))
        return VOLT_OK;
    VOLT_TRY(volt_follow_links(path, &target));
    size_t length = strlen(target) + sizeof ".lock";
    *name = volt_alloc((int64_t)length, 1);
    if (*name)
        snprintf(*name, length, "%s.lock", target);
    volt_free(target);
    return *name ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* Whether the open file still has its name. */
static bool has_name(int file, const char *path)
{
    struct stat opened, named;
    return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static volt_status take_file(volt_state_lock *lock, const char *path)
{
    enum { MAX_TRIES = 100 };
    for (int i = 0; i < MAX_TRIES; i++) {
        lock->file = open(lock->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        VOLT_REQUIRE(lock->file >= 0, VOLT_ERR_IO, "cannot lock %s: %s: %s", path, lock->path, strerror(errno));
        volt_lock got = volt_file_lock(lock->file);
        VOLT_REQUIRE(got != VOLT_LOCK_BUSY, VOLT_ERR_IO,
                     "%s is in use by another process or object (its lock file %s is held): use another state "
                     "file, or end that process first",
                     path, lock->path);
        if (got == VOLT_LOCK_NONE || has_name(lock->file, lock->path))
            return VOLT_OK;
        close(lock->file);
        lock->file = -1;
    }
    return volt_fail(VOLT_ERR_IO, "cannot lock %s: %s is removed repeatedly", path, lock->path);
}

volt_status volt_state_lock_take(const char *path, volt_state_lock **lock)
{
    VOLT_REQUIRE(path && lock, VOLT_ERR_ARGUMENT, "the path or the lock is NULL");
    volt_state_lock *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->file = -1;
    volt_status status = lock_path(path, &fresh->path);
    if (status == VOLT_OK && fresh->path)
        status = take_file(fresh, path);
    if (status == VOLT_OK) {
        fresh->owner = getpid();
        *lock = fresh;
        return VOLT_OK;
    }
    volt_state_lock_free(fresh); /* owner 0: the file of another owner is kept */
    return status;
}

void volt_state_lock_free(volt_state_lock *lock)
{
    if (!lock)
        return;
    if (lock->file >= 0 && lock->owner == getpid() && has_name(lock->file, lock->path))
        unlink(lock->path);
    if (lock->file >= 0)
        close(lock->file);
    volt_free(lock->path);
    volt_free(lock);
}

volt_status volt_state_lock_for_save(const volt_state_lock *held, const char *path, volt_state_lock **taken)
{
    char *name = NULL;
    *taken = NULL;
    if (held && held->file >= 0) {
        VOLT_TRY(lock_path(path, &name));
        bool same = name && has_name(held->file, name);
        volt_free(name);
        if (same)
            return VOLT_OK;
    }
    return volt_state_lock_take(path, taken);
}
