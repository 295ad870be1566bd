/* tests/faults/failing_functions.c: functions of the C library and of other libraries whose k-th call fails. */
#define _GNU_SOURCE
#include "faults/failing_functions.h"

#include <csv.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <nlopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const char *const known[] = {
    "close",  "csv_init",  "csv_parse", "dladdr",       "dlopen",       "fchmod", "fclose",  "fcntl",
    "fdopen", "fflush",    "flock",     "fopen",        "fread",        "fseek",  "fseeko",  "fstat",
    "fsync",  "ftruncate", "getrlimit", "inflateInit_", "nlopt_create", "open",   "opendir", "posix_memalign",
    "pread",  "readlink",  "realpath",  "rename",       "setenv",       "write"};

static const char *chosen; /* NULL: none fails */
static int64_t fail_at, calls;
static int reason;
static char root[1024];

void failing_function_start(const char *function, int64_t k, int why)
{
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known = is_known || strcmp(known[i], function) == 0;
    if (!is_known) {
        fprintf(stderr, "failing_functions: %s is not among them\n", function);
        abort();
    }
    fail_at = k;
    reason = why;
    __atomic_store_n(&calls, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&chosen, function, __ATOMIC_RELEASE);
}

bool failing_function_stop(void)
{
    __atomic_store_n(&chosen, NULL, __ATOMIC_RELEASE);
    return __atomic_load_n(&calls, __ATOMIC_RELAXED) >= fail_at;
}

void failing_function_root(const char *folder)
{
    snprintf(root, sizeof root, "%s", folder ? folder : "");
}

static bool is_due(const char *function)
{
    const char *failing = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
    if (!failing || strcmp(failing, function) != 0)
        return false;
    if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != fail_at)
        return false;
    errno = reason;
    return true;
}

static void *next(const char *function)
{
    void *found = dlsym(RTLD_NEXT, function);
    if (!found)
        abort();
    return found;
}

/* TYPE NAME PARAMETERS, which gives `failure` when it fails; `next_NAME` is the one of the library. A conversion from data
 * pointers to function pointers, which C does not know and POSIX needs, passes through memory. */
#define NEXT(name)                                        \
    static __typeof__(name) *next_##name;                 \
    if (!next_##name) {                                   \
        void *found = next(#name);                        \
        memcpy(&next_##name, &found, sizeof next_##name); \
    }
#define STAND_BEFORE(type, name, parameters, arguments, failure)  \
    type name parameters                                          \
    {                                                             \
        NEXT(name)                                                \
        return is_due(#name) ? (failure) : next_##name arguments; \
    }

/* ---- files ------------------------------------------------------------------------------------ */

STAND_BEFORE(int, fchmod, (int file, mode_t mode), (file, mode), -1)
STAND_BEFORE(FILE *, fdopen, (int file, const char *mode), (file, mode), NULL)
STAND_BEFORE(int, fflush, (FILE * stream), (stream), EOF)
STAND_BEFORE(int, flock, (int file, int operation), (file, operation), -1)
STAND_BEFORE(int, fseek, (FILE * stream, long offset, int whence), (stream, offset, whence), -1)
STAND_BEFORE(int, fseeko, (FILE * stream, off_t offset, int whence), (stream, offset, whence), -1)
STAND_BEFORE(int, fstat, (int file, struct stat *entry), (file, entry), -1)
STAND_BEFORE(int, ftruncate, (int file, off_t length), (file, length), -1)
STAND_BEFORE(int, rename, (const char *from, const char *to), (from, to), -1)
STAND_BEFORE(char *, realpath, (const char *restrict path, char *restrict resolved), (path, resolved), NULL)

/* The form of realpath when the compiler knows the buffer size (_FORTIFY_SOURCE, the default on some
 * systems). */
char *realpath_into(const char *restrict path, char *restrict resolved, size_t size) __asm__("__realpath_chk");
char *realpath_into(const char *restrict path, char *restrict resolved, size_t size)
{
    (void)size;
    return realpath(path, resolved);
}

/* Skipped, so that tests do not wait for the disk. */
int fsync(int file)
{
    (void)file;
    return is_due("fsync") ? -1 : 0;
}

static bool is_elsewhere(const char *path, char other[2048])
{
    if (!root[0] || (strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/sys/fs/", 8) != 0))
        return false;
    snprintf(other, 2048, "%s%s", root, path);
    return true;
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    NEXT(fopen)
    char other[2048];
    if (is_due("fopen"))
        return NULL;
    return next_fopen(is_elsewhere(path, other) ? other : path, mode);
}

DIR *opendir(const char *path)
{
    NEXT(opendir)
    char other[2048];
    if (is_due("opendir"))
        return NULL;
    return next_opendir(is_elsewhere(path, other) ? other : path);
}

int open(const char *path, int flags, ...)
{
    NEXT(open)
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0;
    va_end(more);
    return is_due("open") ? -1 : next_open(path, flags, mode);
}

int fcntl(int file, int command, ...)
{
    NEXT(fcntl)
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *); /* as wide as an int or a pointer, whichever it is */
    va_end(more);
    return is_due("fcntl") ? -1 : next_fcntl(file, command, argument);
}

/* The file is closed in any case. */
int fclose(FILE *stream)
{
    NEXT(fclose)
    bool fails = is_due("fclose");
    int result = next_fclose(stream);
    if (fails)
        errno = reason;
    return fails ? EOF : result;
}

int close(int file)
{
    NEXT(close)
    bool fails = is_due("close");
    int result = next_close(file);
    if (fails)
        errno = reason;
    return fails ? -1 : result;
}

/* ---- parts of files --------------------------------------------------------------------------- */

static FILE *broken; /* the stream of the fread that failed */

size_t fread(void *restrict bytes, size_t size, size_t count, FILE *restrict stream)
{
    NEXT(fread)
    broken = NULL;
    if (!is_due("fread"))
        return next_fread(bytes, size, count, stream);
    if (reason)
        broken = stream;
    return next_fread(bytes, size, count / 2, stream);
}

int ferror(FILE *stream)
{
    NEXT(ferror)
    return stream == broken || next_ferror(stream);
}

ssize_t pread(int file, void *bytes, size_t count, off_t at)
{
    NEXT(pread)
    if (!is_due("pread"))
        return next_pread(file, bytes, count, at);
    return reason ? -1 : next_pread(file, bytes, (count + 1) / 2, at);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    NEXT(write)
    if (!is_due("write"))
        return next_write(file, bytes, count);
    return reason ? -1 : next_write(file, bytes, (count + 1) / 2);
}

ssize_t readlink(const char *restrict path, char *restrict text, size_t capacity)
{
    NEXT(readlink)
    if (!is_due("readlink"))
        return next_readlink(path, text, capacity);
    if (reason)
        return -1;
    memset(text, 'x', capacity); /* longer than reported */
    return (ssize_t)capacity;
}

/* ---- memory, limits, the environment ---------------------------------------------------------- */

/* ThreadSanitizer is part of the program, and the next function is that of libc, whose memory its free() does not know. */
int sanitizer_memalign(void **memory, size_t alignment, size_t size) __asm__("__interceptor_posix_memalign")
    __attribute__((weak));

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    NEXT(posix_memalign)
    if (is_due("posix_memalign"))
        return ENOMEM;
    return (sanitizer_memalign ? sanitizer_memalign : next_posix_memalign)(memory, alignment, size);
}

STAND_BEFORE(int, setenv, (const char *name, const char *value, int replace), (name, value, replace), -1)
STAND_BEFORE(int, dladdr, (const void *address, Dl_info *about), (address, about), 0)
STAND_BEFORE(void *, dlopen, (const char *file, int mode), (file, mode), NULL)

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
    NEXT(getrlimit)
    return is_due("getrlimit") ? -1 : next_getrlimit(resource, limit);
}

/* ---- other libraries -------------------------------------------------------------------------- */

STAND_BEFORE(int, csv_init, (struct csv_parser * parser, unsigned char options), (parser, options), -1)
STAND_BEFORE(nlopt_opt, nlopt_create, (nlopt_algorithm algorithm, unsigned count), (algorithm, count), NULL)
STAND_BEFORE(int, inflateInit_, (z_streamp stream, const char *version, int size), (stream, version, size),
             Z_MEM_ERROR)

size_t csv_parse(struct csv_parser *parser, const void *text, size_t length,
                 void (*cell)(void *, size_t, void *), void (*row)(int, void *), void *context)
{
    NEXT(csv_parse)
    return is_due("csv_parse") ? length - 1 : next_csv_parse(parser, text, length, cell, row, context);
}
