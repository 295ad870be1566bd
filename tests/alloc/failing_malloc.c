/* tests/alloc/failing_malloc.c: a library to preload that makes the k-th allocation of a whole program fail.
 *
 *   VOLT_FAIL_AT=k      the k-th call fails, counted from the start of main's libraries on; 0: none, count only
 *   VOLT_FAIL_ON=1      and so does every later one: memory is out for good
 *   VOLT_FAIL_SAYS=FILE receives one line: how many calls there were, or the stack of the first that failed as
 *                       "library!function" from the innermost on
 *
 * The variables are taken out of the environment, so that programs started from the one under test live on.
 * Nothing here allocates. Memory comes from glibc's own entry points, hence Linux with glibc only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
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

static bool counting, for_good;
static long fail_at, calls;
static char says[1024];
static _Thread_local bool inside; /* the unwinder's own allocations do not count */

/* ---- what is said ----------------------------------------------------------------------------- */

static void say(const char *line)
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

/* The callers, innermost first, without the functions of this file. A function without a name of its own is given
 * as its place in the library, for addr2line. */
static void say_stack(void)
{
    void *frames[DEEPEST];
    char line[LINE_LENGTH];
    Dl_info own = {0};
    dladdr((void *)(uintptr_t)say_stack, &own);
    int depth = backtrace(frames, DEEPEST), used = 0;
    for (int i = 0; i < depth && used < LINE_LENGTH - 1; i++) {
        Dl_info where = {0};
        if (!dladdr(frames[i], &where) || where.dli_fbase == own.dli_fbase)
            continue;
        size_t room = sizeof line - (size_t)used;
        const char *space = used ? " " : "", *library = last_part(where.dli_fname);
        used += where.dli_sname ? snprintf(line + used, room, "%s%s!%s", space, library, where.dli_sname)
                                : snprintf(line + used, room, "%s%s!0x%zx", space, library,
                                           (size_t)((char *)frames[i] - (char *)where.dli_fbase));
    }
    line[used < LINE_LENGTH - 1 ? used : LINE_LENGTH - 2] = '\0';
    strcat(line, "\n");
    say(line);
}

/* Is it this call's turn to fail? */
static bool fails(void)
{
    if (!counting || inside)
        return false;
    long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (fail_at == 0 || call < fail_at || (call > fail_at && !for_good))
        return false;
    if (call == fail_at) {
        inside = true;
        say_stack();
        inside = false;
    }
    errno = ENOMEM;
    return true;
}

/* ---- life ------------------------------------------------------------------------------------- */

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("VOLT_FAIL_AT"), *path = getenv("VOLT_FAIL_SAYS");
    if (!at)
        return;
    fail_at = atol(at);
    for_good = getenv("VOLT_FAIL_ON") != NULL;
    snprintf(says, sizeof says, "%s", path ? path : "");
    unsetenv("VOLT_FAIL_AT");
    unsetenv("VOLT_FAIL_ON");
    unsetenv("VOLT_FAIL_SAYS");
    void *frames[1];
    backtrace(frames, 1); /* loads the unwinder, which allocates */
    counting = true;
}

__attribute__((destructor)) static void end(void)
{
    char line[64];
    if (counting && fail_at == 0) {
        snprintf(line, sizeof line, "%ld\n", calls);
        say(line);
    }
    counting = false;
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
