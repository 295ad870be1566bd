/* src/io/file/atomic_file.c: atomic replacement of files.
 *
 * A killed writer leaves its temporary file. The name of a temporary file therefore contains a checksum of the
 * target name, and its writer holds a lock on it until the rename. The next writer to the same target removes
 * temporary files without a lock. The kernel releases the locks of a dead process, so no process number is
 * needed. A writer whose file was removed between creation and locking creates another: see create_temporary.
 * On file systems without locks nothing is removed. */
#define _POSIX_C_SOURCE 200809L
#include "io/file/atomic_file.h"

#include "base/error.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_LINKS = 40, MAX_NAMES = 100, TEMPORARY_LENGTH = 80 };

static const volt_atomic_file no_file = {.lock = -1};

enum { PIECE = 1 << 20, SYNC_EVERY = 32 * PIECE }; /* in bytes, for a file with a stage */

static volt_status write_failure(const char *path, int reason)
{
    if (reason == ECANCELED)
        return volt_fail(VOLT_ERR_CANCELLED, "cancelled while %s was written", path);
    return volt_fail(VOLT_ERR_IO, "cannot write %s: %s", path, strerror(reason));
}

static int is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* Bytes of `path` up to and including its last slash. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The directory of `path` (with its slash) followed by `name`; NULL when out of memory. */
static char *in_folder_of(const char *path, const char *name)
{
    size_t directory = directory_length(path), length = strlen(name);
    char *joined = volt_alloc((int64_t)(directory + length + 1), 1);
    if (joined) {
        memcpy(joined, path, directory);
        memcpy(joined + directory, name, length + 1);
    }
    return joined;
}

/* Replaces *path by the target of the link, if it is a symbolic link. */
static volt_status follow_one_link(char **path, off_t link_size)
{
    size_t capacity = (size_t)(link_size > 0 ? link_size : 4096) + 1;
    char *text = volt_alloc((int64_t)capacity, 1);
    if (!text)
        return VOLT_ERR_MEMORY;
    ssize_t length = readlink(*path, text, capacity);
    if (length < 0 || (size_t)length >= capacity) {
        int reason = length < 0 ? errno : ENAMETOOLONG;
        volt_free(text);
        return write_failure(*path, reason);
    }
    text[length] = '\0';
    char *next = text[0] == '/' ? volt_strdup(text) : in_folder_of(*path, text);
    volt_free(text);
    if (!next)
        return VOLT_ERR_MEMORY;
    volt_free(*path);
    *path = next;
    return VOLT_OK;
}

/* Not with realpath, because the last target may not exist yet. */
volt_status volt_follow_links(const char *path, char **target)
{
    char *current = volt_strdup(path);
    if (!current)
        return VOLT_ERR_MEMORY;
    volt_status status = VOLT_OK;
    struct stat entry;
    for (int links = 0; !status && lstat(current, &entry) == 0 && S_ISLNK(entry.st_mode); links++)
        status = links < MAX_LINKS ? follow_one_link(&current, entry.st_size) : write_failure(path, ELOOP);
    if (status)
        volt_free(current);
    else
        *target = current;
    return status;
}

/* ---- the temporary file ----------------------------------------------------------------------- */

/* The prefix of all temporary files for `target`. Targets with the same checksum share it. */
static void write_prefix(const char *target, char prefix[TEMPORARY_LENGTH])
{
    const char *name = target + directory_length(target);
    unsigned long sum = crc32(crc32(0, NULL, 0), (const Bytef *)name, (uInt)strlen(name));
    snprintf(prefix, TEMPORARY_LENGTH, ".volterra-%08lx-", sum & 0xffffffffUL);
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void remove_if_dead(const char *path)
{
    int descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return;
    struct stat entry;
    if (fstat(descriptor, &entry) == 0 && S_ISREG(entry.st_mode) &&
        volt_file_lock(descriptor) == VOLT_LOCK_HELD)
        unlink(path);
    close(descriptor);
}

/* Removes the files that killed writers to this target left. Failures are ignored. */
static void remove_leftovers(const char *target)
{
    char prefix[TEMPORARY_LENGTH];
    write_prefix(target, prefix);
    char *folder = in_folder_of(target, ".");
    DIR *entries = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 || !ends_with(entry->d_name, ".tmp"))
            continue;
        char *path = in_folder_of(target, entry->d_name);
        if (path)
            remove_if_dead(path);
        volt_free(path);
    }
    if (entries)
        closedir(entries);
    volt_free(folder);
}

/* Whether the new file still exists: another writer may have removed it before it was locked. */
static int keep_alive(int descriptor)
{
    struct stat entry;
    return volt_file_lock(descriptor) != VOLT_LOCK_BUSY && fstat(descriptor, &entry) == 0 && entry.st_nlink > 0;
}

/* Takes over the descriptor of the new file and duplicates it: one for the stream, one that keeps the lock
 * until the rename. Closes it on failure. */
static int open_stream(volt_atomic_file *file, int descriptor)
{
    file->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    file->stream = file->lock >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file->stream)
        return 0;
    int reason = errno;
    close(descriptor);
    unlink(file->temporary);
    return reason;
}

/* Creates a new file in the folder of file->target, with the permissions of an ordinary new file. */
static volt_status create_temporary(volt_atomic_file *file)
{
    static atomic_uint counter;
    char prefix[TEMPORARY_LENGTH], name[2 * TEMPORARY_LENGTH];
    write_prefix(file->target, prefix);
    for (int i = 0; i < MAX_NAMES; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(name, sizeof name, "%s%lx-%lx-%x.tmp", prefix, (unsigned long)getpid(),
                 (unsigned long)now.tv_nsec, atomic_fetch_add(&counter, 1));
        file->temporary = in_folder_of(file->target, name);
        if (!file->temporary)
            return VOLT_ERR_MEMORY;
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        int reason = descriptor < 0 ? errno : 0;
        if (!reason && keep_alive(descriptor)) {
            reason = open_stream(file, descriptor);
            if (!reason)
                return VOLT_OK;
        } else if (!reason) {
            reason = EEXIST; /* in use: try another name */
            close(descriptor);
            unlink(file->temporary);
        }
        volt_free(file->temporary);
        file->temporary = NULL;
        if (reason != EEXIST)
            return write_failure(file->path, reason);
    }
    return write_failure(file->path, EEXIST);
}

/* ---- open ------------------------------------------------------------------------------------- */

static volt_status open_straight(volt_atomic_file *file)
{
    file->stream = fopen(file->path, "wb");
    return file->stream ? VOLT_OK : write_failure(file->path, errno);
}

static volt_status open_replacement(volt_atomic_file *file, const struct stat *existing)
{
    /* A rename does not require write access to the old file: check it, so that a protected file is kept. */
    if (existing && faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0)
        return write_failure(file->path, errno);
    VOLT_TRY(volt_follow_links(file->path, &file->target));
    remove_leftovers(file->target);
    VOLT_TRY(create_temporary(file));
    if (existing && fchmod(fileno(file->stream), existing->st_mode & 07777) != 0)
        return write_failure(file->path, errno);
    return VOLT_OK;
}

static atomic_bool writes_nothing;

void volt_atomic_discard_all(void)
{
    atomic_store(&writes_nothing, true);
}

/* Opens /dev/null instead of the path. */
static volt_status open_unnamed(volt_atomic_file *file)
{
    file->stream = fopen("/dev/null", "wb");
    return file->stream ? VOLT_OK : write_failure("/dev/null", errno);
}

/* The names of open files in /proc and /dev are written directly. */
static bool is_written_straight(const char *path, const struct stat *existing)
{
    return !S_ISREG(existing->st_mode) || strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/", 5) == 0;
}

bool volt_atomic_replaces(const char *path)
{
    struct stat existing;
    return !is_standard_output(path) && !atomic_load(&writes_nothing) &&
           (stat(path, &existing) != 0 || !is_written_straight(path, &existing));
}

volt_status volt_atomic_open(volt_atomic_file *file, const char *path)
{
    *file = no_file;
    file->path = volt_strdup(path);
    if (!file->path)
        return VOLT_ERR_MEMORY;

    volt_status status = VOLT_OK;
    struct stat existing;
    if (is_standard_output(path))
        file->stream = stdout;
    else if (atomic_load(&writes_nothing))
        status = open_unnamed(file);
    else if (stat(path, &existing) != 0)
        status = open_replacement(file, NULL);
    else if (S_ISDIR(existing.st_mode))
        status = write_failure(path, EISDIR);
    else if (is_written_straight(path, &existing))
        status = open_straight(file);
    else
        status = open_replacement(file, &existing);

    if (status)
        volt_atomic_discard(file);
    return status;
}

/* Flushes to the disk, if the file system supports it. */
static int sync_stream(FILE *stream)
{
    if (fflush(stream) != 0)
        return errno;
    if (fsync(fileno(stream)) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        return errno;
    return 0;
}

/* Called between two pieces of a file with a stage. Data are synced regularly, because one sync at the end
 * could not be cancelled. */
static void watch_piece(volt_atomic_file *file)
{
    if (!volt_stage_advance(file->stage, PIECE))
        file->failure = ECANCELED;
    else if (file->temporary && file->written % SYNC_EVERY == 0)
        file->failure = sync_stream(file->stream);
}

void volt_atomic_write(volt_atomic_file *file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0 && !file->failure) {
        size_t space = PIECE - (size_t)(file->written % PIECE), count = size < space ? size : space;
        errno = 0;
        if (fwrite(at, 1, count, file->stream) != count)
            file->failure = errno ? errno : EIO;
        at += count;
        size -= count;
        file->written += (int64_t)count;
        if (file->stage && !file->failure && file->written % PIECE == 0)
            watch_piece(file);
    }
}

/* Makes the rename durable. Failures are ignored: the new content is already in place. */
static void sync_directory(const char *path)
{
    char *directory = in_folder_of(path, ".");
    int descriptor = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
    volt_free(directory);
}

volt_status volt_atomic_close(volt_atomic_file *file)
{
    if (!file->failure && file->temporary)
        file->failure = sync_stream(file->stream);
    else if (!file->failure && fflush(file->stream) != 0)
        file->failure = errno;
    if (file->stream != stdout && fclose(file->stream) != 0 && !file->failure)
        file->failure = errno;
    file->stream = NULL;
    if (!file->failure && file->stage && volt_stage_end(file->stage) != VOLT_OK)
        file->failure = ECANCELED;

    if (!file->failure && file->temporary) {
        if (rename(file->temporary, file->target) != 0) {
            file->failure = errno;
        } else {
            volt_free(file->temporary); /* nothing left to remove */
            file->temporary = NULL;
            sync_directory(file->target);
        }
    }
    volt_status status = file->failure ? write_failure(file->path, file->failure) : VOLT_OK;
    volt_atomic_discard(file);
    return status;
}

void volt_atomic_discard(volt_atomic_file *file)
{
    if (file->stream && file->stream != stdout)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    if (file->lock >= 0)
        close(file->lock);
    volt_free(file->temporary);
    volt_free(file->target);
    volt_free(file->path);
    *file = no_file;
}

/* ---- exclusive writing, by an advisory lock of the whole file ------------------------------------
 * flock and not fcntl's F_SETLK: its lock belongs to the open file, so two threads of one process exclude
 * each other too, and closing another descriptor of the same file does not release it. */

volt_lock volt_file_lock(int descriptor)
{
    int failed;
    do
        failed = flock(descriptor, LOCK_EX | LOCK_NB);
    while (failed && errno == EINTR);
    if (!failed)
        return VOLT_LOCK_HELD;
    return errno == EWOULDBLOCK ? VOLT_LOCK_BUSY : VOLT_LOCK_NONE;
}
