/* src/base/memory.c: the replaceable allocator, and the available memory. */
#include "base/memory.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };

/* Request huge pages from this size on: a Gram matrix is written once, row by row, and page faults would
 * cost as much as the recursion. */
static const size_t huge_from = (size_t)4 << 20;

static void *default_alloc(size_t bytes, void *context)
{
    (void)context;
    void *memory = NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= huge_from) {
        const size_t huge_page = (size_t)2 << 20;
        if (posix_memalign(&memory, huge_page, bytes) != 0)
            return NULL;
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
        return memory;
    }
#endif
    /* The exact size: sanitizers detect accesses beyond it. */
    return posix_memalign(&memory, ALIGNMENT, bytes ? bytes : 1) == 0 ? memory : NULL;
}

static void default_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

static volt_allocator current = {default_alloc, default_release, NULL};

void volt_set_allocator(const volt_allocator *allocator)
{
    const volt_allocator standard = {default_alloc, default_release, NULL};
    current = allocator ? *allocator : standard;
}

void *volt_alloc(int64_t count, size_t size)
{
    void *memory = NULL;
    if (count >= 0 && (size == 0 || (uint64_t)count <= (SIZE_MAX / 2) / size))
        memory = current.alloc((size_t)count * size, current.context);
    if (!memory)
        volt_fail(VOLT_ERR_MEMORY, "could not allocate %" PRId64 " objects of %zu bytes", count, size);
    return memory;
}

void *volt_alloc_zero(int64_t count, size_t size)
{
    void *memory = volt_alloc(count, size);
    if (memory)
        memset(memory, 0, (size_t)count * size);
    return memory;
}

double *volt_alloc_doubles(int64_t rows, int64_t cols)
{
    if (rows < 0 || cols < 0 || (cols > 0 && rows > INT64_MAX / cols)) {
        volt_fail(VOLT_ERR_MEMORY, "a matrix of %" PRId64 " x %" PRId64 " does not fit in memory", rows, cols);
        return NULL;
    }
    return volt_alloc(rows * cols, sizeof(double));
}

volt_status volt_grow(void **memory, int64_t *capacity, int64_t needed, size_t size)
{
    if (needed <= *capacity)
        return VOLT_OK;
    int64_t wanted = *capacity < INT64_MAX / 2 ? *capacity * 2 : needed;
    if (wanted < needed)
        wanted = needed;
    if (wanted < 16)
        wanted = 16;
    void *grown = volt_alloc(wanted, size);
    if (!grown)
        return VOLT_ERR_MEMORY;
    if (*memory)
        memcpy(grown, *memory, (size_t)*capacity * size);
    volt_free(*memory);
    *memory = grown;
    *capacity = wanted;
    return VOLT_OK;
}

char *volt_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = volt_alloc((int64_t)bytes, 1);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

void volt_free(void *memory)
{
    if (memory)
        current.release(memory, current.context);
}

/* ---- available memory ------------------------------------------------------------------------- */

/* The number in a file that holds one, or UINT64_MAX ("max" in a control group: no limit). */
static uint64_t read_limit(const char *path)
{
    uint64_t value = UINT64_MAX;
    FILE *file = fopen(path, "r");
    if (!file)
        return value;
    if (fscanf(file, "%" SCNu64, &value) != 1)
        value = UINT64_MAX;
    fclose(file);
    return value;
}

/* The number after `key` in a file of lines "key number", or UINT64_MAX. */
static uint64_t read_entry(const char *path, const char *key)
{
    char line[256];
    uint64_t value = UINT64_MAX;
    FILE *file = fopen(path, "r");
    if (!file)
        return value;
    while (value == UINT64_MAX && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            sscanf(line + strlen(key), "%" SCNu64, &value);
    fclose(file);
    return value;
}

static uint64_t system_available(void)
{
    uint64_t kib = read_entry("/proc/meminfo", "MemAvailable:");
    return kib == UINT64_MAX ? UINT64_MAX : kib * 1024;
}

/* Unused page-cache pages count as used but are reclaimed on demand. They are added back; otherwise a
 * container that has read many files would seem full. */
static uint64_t group_available(void)
{
    uint64_t limit = read_limit("/sys/fs/cgroup/memory.max");
    uint64_t used = read_limit("/sys/fs/cgroup/memory.current");
    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    uint64_t cached = read_entry("/sys/fs/cgroup/memory.stat", "inactive_file ");
    if (cached < used)
        used -= cached;
    return limit > used ? limit - used : 0;
}

static uint64_t address_space_available(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    uint64_t pages = read_limit("/proc/self/statm");
    uint64_t used = pages == UINT64_MAX ? 0 : pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

static uint64_t sharers = 1;

void volt_memory_set_sharers(int64_t processes)
{
    sharers = processes > 1 ? (uint64_t)processes : 1;
}

uint64_t volt_memory_available(void)
{
    uint64_t least = system_available();
    uint64_t group = group_available();
    uint64_t space = address_space_available();
    if (group < least)
        least = group;
    if (least != UINT64_MAX)
        least /= sharers;
    if (space < least)
        least = space;
    if (least == UINT64_MAX)
        return 0;
    return least > 0 ? least : 1; /* 0 would mean unknown */
}

/* A size with a suitable unit. */
typedef struct size_text {
    char text[32];
} size_text;

static size_text size_of(double bytes)
{
    static const char *const units[] = {"MiB", "GiB", "TiB", "PiB", "EiB"};
    size_text size;
    int unit = 0;
    double value = bytes / 0x1p20;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    snprintf(size.text, sizeof size.text, "%.1f %s", value, units[unit]);
    return size;
}

volt_status volt_memory_insufficient(double bytes, const char *what)
{
    return volt_fail(VOLT_ERR_MEMORY, "%s requires %s of memory, but %s is available", what,
                     size_of(bytes).text, size_of((double)volt_memory_available()).text);
}

volt_status volt_memory_require(double bytes, const char *what)
{
    uint64_t available = volt_memory_available();
    return available == 0 || bytes <= (double)available ? VOLT_OK : volt_memory_insufficient(bytes, what);
}

bool volt_memory_can_map(double bytes)
{
    if (!(bytes < (double)(SIZE_MAX / 2)))
        return false;
    void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED && munmap(memory, (size_t)bytes) == 0;
}

/* ---- public structs that begin with struct_size ------------------------------------------------ */

static volt_status read_size(const void *given, const char *name, size_t *size)
{
    VOLT_REQUIRE(given, VOLT_ERR_ARGUMENT, "the %s is NULL", name);
    memcpy(size, given, sizeof *size);
    VOLT_REQUIRE(*size >= sizeof *size, VOLT_ERR_ARGUMENT, "%s.struct_size must be sizeof(%s) (got %zu)", name,
                 name, *size);
    return VOLT_OK;
}

volt_status volt_options_take(void *options, size_t size, const void *given, const char *name)
{
    size_t known = 0;
    if (!given)
        return VOLT_OK;
    VOLT_TRY(read_size(given, name, &known));
    memcpy(options, given, known < size ? known : size);
    memcpy(options, &size, sizeof size);
    return VOLT_OK;
}

volt_status volt_result_copy(void *given, const void *result, size_t size, const char *name)
{
    size_t known = 0;
    VOLT_TRY(read_size(given, name, &known));
    memcpy((char *)given + sizeof known, (const char *)result + sizeof known,
           (known < size ? known : size) - sizeof known);
    return VOLT_OK;
}
