/* tests/faults/failing.c: a preloaded library that makes the k-th call of a family fail in a program: an
 * allocation, a system call or a LAPACK routine.
 *
 *   VOLT_FAIL=FAMILY[:HOW]  memory, lapack, or a family of system calls (`names` below), with the error they
 * end in
 *   VOLT_FAIL_AT=k          the k-th call fails, counted from the start of main's libraries on; 0: none, count
 * only
 *   VOLT_FAIL_ON=1          and so does every later one: memory is out for good
 *   VOLT_FAIL_SAYS=FILE     receives a line "FAMILY COUNT" for each family, or the stack of the first call that
 * failed
 *                           as "library!function" from the innermost on
 *
 * The variables are removed from the environment, so that child processes run without faults. Nothing here
 * allocates. Memory comes from glibc's own entry points, hence Linux with glibc only. */
#define _GNU_SOURCE
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

enum { DEEPEST = 48, LINE_LENGTH = 4096 };

static const char *const names[FAULT_FAMILIES] = {
    [FAULT_MEMORY] = "memory", [FAULT_OPEN] = "open",         [FAULT_READ] = "read",
    [FAULT_WRITE] = "write",   [FAULT_SYNC] = "sync",         [FAULT_RENAME] = "rename",
    [FAULT_CLOSE] = "close",   [FAULT_TRUNCATE] = "truncate", [FAULT_STAT] = "stat",
    [FAULT_LOCK] = "lock",     [FAULT_SEEK] = "seek",         [FAULT_LIST] = "list",
    [FAULT_FOLDER] = "folder", [FAULT_LAPACK] = "lapack",
};

static const struct {
    const char *name;
    long result;
} ways[] = {{"EIO", -EIO},       {"ENOSPC", -ENOSPC}, {"EINTR", -EINTR},     {"EMFILE", -EMFILE},
            {"EACCES", -EACCES}, {"ENOLCK", -ENOLCK}, {"short", FAULT_SHORT}};

static bool counting, for_good;
static fault_family chosen;
static long fail_at, calls[FAULT_FAMILIES], result;
static char says[1024];
static _Thread_local bool inside; /* calls made by this library are not counted */

/* ---- output ------------------------------------------------------------------------------------ */

static void report_line(const char *line)
{
    int file = *says ? open(says, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
    if (file < 0)
        return;
    ssize_t written = write(file, line, strlen(line));
    (void)written;
    close(file);
}

static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

/* The callers, innermost first, without the functions of this file. An unnamed function is printed as its
 * offset in the library, for addr2line. */
static void report_stack(void)
{
    void *frames[DEEPEST];
    char line[LINE_LENGTH];
    Dl_info own = {0};
    dladdr((void *)(uintptr_t)report_stack, &own);
    int depth = backtrace(frames, DEEPEST), used = 0;
    for (int i = 0; i < depth && used < LINE_LENGTH - 1; i++) {
        Dl_info where = {0};
        if (!dladdr(frames[i], &where) || where.dli_fbase == own.dli_fbase)
            continue;
        size_t capacity = sizeof line - (size_t)used;
        const char *space = used ? " " : "", *library = last_part(where.dli_fname);
        if (strncmp(library, "linux-vdso", 10) == 0) /* between a system call and its handler */
            continue;
        used += where.dli_sname ? snprintf(line + used, capacity, "%s%s!%s", space, library, where.dli_sname)
                                : snprintf(line + used, capacity, "%s%s!0x%zx", space, library,
                                           (size_t)((char *)frames[i] - (char *)where.dli_fbase));
    }
    line[used < LINE_LENGTH - 1 ? used : LINE_LENGTH - 2] = '\0';
    strcat(line, "\n");
    report_line(line);
}

bool fault_due(fault_family family)
{
    if (!counting || inside || family == FAULT_FAMILIES)
        return false;
    long call = __atomic_add_fetch(&calls[family], 1, __ATOMIC_RELAXED);
    if (fail_at == 0 || family != chosen || call < fail_at || (call > fail_at && !for_good))
        return false;
    if (call == fail_at) {
        inside = true;
        report_stack();
        inside = false;
    }
    return true;
}

long fault_result(void)
{
    return result;
}

static bool fails(void)
{
    if (!fault_due(FAULT_MEMORY))
        return false;
    errno = ENOMEM;
    return true;
}

/* ---- start and exit ---------------------------------------------------------------------------- */

static bool choose(const char *what)
{
    size_t length = strcspn(what, ":");
    const char *way = what[length] ? what + length + 1 : "EIO";
    bool known = false, knows_way = false;
    for (int i = 0; i < FAULT_FAMILIES && !known; i++)
        if (strlen(names[i]) == length && memcmp(what, names[i], length) == 0) {
            chosen = (fault_family)i;
            known = true;
        }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(way, ways[i].name) == 0) {
            result = ways[i].result;
            knows_way = true;
        }
    return known && knows_way;
}

/* Registered first and therefore called last by exit. Later calls, such as writing the counters of `make
 * coverage`, are not part of the program under test. */
static void end(void)
{
    char lines[32 * FAULT_FAMILIES];
    int used = 0;
    counting = false;
    for (int i = 0; i < FAULT_FAMILIES; i++)
        used += snprintf(lines + used, sizeof lines - (size_t)used, "%s %ld\n", names[i], calls[i]);
    if (fail_at == 0)
        report_line(lines);
}

__attribute__((constructor)) static void begin(void)
{
    static const char *const variables[] = {"VOLT_FAIL", "VOLT_FAIL_AT", "VOLT_FAIL_ON", "VOLT_FAIL_SAYS"};
    const char *what = getenv("VOLT_FAIL"), *at = getenv("VOLT_FAIL_AT"), *path = getenv("VOLT_FAIL_SAYS");
    if (!at)
        return;
    fail_at = atol(at);
    for_good = getenv("VOLT_FAIL_ON") != NULL;
    snprintf(says, sizeof says, "%s", path ? path : "");
    if (!choose(what ? what : "memory")) {
        fprintf(stderr, "failing: VOLT_FAIL=%s is not known\n", what);
        _exit(125);
    }
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    void *frames[1];
    backtrace(frames, 1); /* loads the unwinder, which allocates */
    fault_find_lapack();
    atexit(end);
    if (chosen != FAULT_MEMORY && chosen != FAULT_LAPACK)
        fault_watch_calls();
    counting = true;
}

/* ---- the functions replaced ------------------------------------------------------------------- */

__attribute__((noinline)) void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

__attribute__((noinline)) void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

__attribute__((noinline)) void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}

__attribute__((noinline)) void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

__attribute__((noinline)) void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

__attribute__((noinline)) int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = fails() ? NULL : __libc_memalign(alignment, size);
    if (!made)
        return ENOMEM;
    *memory = made;
    return 0;
}
