/* tests/support/failing_alloc.c: an allocator whose k-th allocation fails, and that counts live blocks.
 *
 * Live blocks are kept in a small hash set of addresses, so that freeing a block from before the start
 * does not upset the count. */
#include "support/failing_alloc.h"
#include "base/memory.h"

#include "support/check.h"
#include "volterra/base.h"

#include <pthread.h>

enum { ALIGNMENT = 64, SLOTS = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t fail_at, asked, live;
static int hit;
static void (*watcher)(int64_t number);
static void *blocks[SLOTS];        /* open addressing; NULL: never used, `removed`: free again */
static size_t used[SLOTS], n_used; /* slots that are not NULL: the set is emptied often, and is small mostly */
static char removed_mark;
static void *const removed = &removed_mark;

static size_t first_slot(const void *block)
{
    return ((uintptr_t)block / ALIGNMENT * 2654435761u) % SLOTS;
}

static void remember(void *block)
{
    size_t slot = first_slot(block);
    for (int tries = 0; tries < SLOTS; tries++, slot = (slot + 1) % SLOTS)
        if (!blocks[slot] || blocks[slot] == removed) {
            if (!blocks[slot])
                used[n_used++] = slot;
            blocks[slot] = block;
            live++;
            return;
        }
    fprintf(stderr, "failing_alloc: more than %d live blocks\n", SLOTS);
    abort();
}

static void forget(const void *block)
{
    size_t slot = first_slot(block);
    for (int tries = 0; tries < SLOTS && blocks[slot]; tries++, slot = (slot + 1) % SLOTS)
        if (blocks[slot] == block) {
            blocks[slot] = removed;
            live--;
            return;
        }
}

static void *counting_alloc(size_t bytes, void *context)
{
    (void)context;
    void *block = NULL;
    pthread_mutex_lock(&lock);
    asked++;
    if (watcher)
        watcher(asked);
    if (asked == fail_at)
        hit = 1;
    else if (bytes <= SIZE_MAX - ALIGNMENT)
        block = aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);
    if (block)
        remember(block);
    pthread_mutex_unlock(&lock);
    return block;
}

static void counting_release(void *block, void *context)
{
    (void)context;
    pthread_mutex_lock(&lock);
    if (block)
        forget(block);
    pthread_mutex_unlock(&lock);
    free(block);
}

void failing_alloc_start(int64_t k)
{
    static const volt_allocator allocator = {counting_alloc, counting_release, NULL};
    pthread_mutex_lock(&lock);
    fail_at = k;
    asked = live = 0;
    hit = 0;
    while (n_used > 0)
        blocks[used[--n_used]] = NULL;
    pthread_mutex_unlock(&lock);
    volt_set_allocator(&allocator);
}

int failing_alloc_hit(void)
{
    return hit;
}

int64_t failing_alloc_live(void)
{
    return live;
}

int64_t failing_alloc_count(void)
{
    return asked;
}

void failing_alloc_watch(void (*note)(int64_t number))
{
    watcher = note;
}

void failing_alloc_stop(void)
{
    watcher = NULL;
    volt_set_allocator(NULL);
}

/* ---- every allocation --------------------------------------------------------------------------- */

static bool passed;     /* the last call met no failure */
static int64_t checked; /* the last k */

bool failing_alloc_next(int64_t *k)
{
    if (*k > 0 && checked != fail_at)
        fail_msg("failing_alloc_check is missing");
    if (*k > 0 && passed)
        return false;
    failing_alloc_start(++*k);
    return true;
}

void failing_alloc_check_at(volt_status status, bool lenient, const char *file, int line)
{
    const int64_t left = live;
    failing_alloc_stop();
    passed = !hit;
    checked = fail_at;
    const volt_status expected = hit ? VOLT_ERR_MEMORY : VOLT_OK;
    if (left == 0 && (status == expected || (lenient && status == VOLT_OK)) && fail_at > 0 &&
        (hit ? status == VOLT_OK || strlen(volt_error_detail()) > 0 : fail_at > 1))
        return;
    print_error("allocation %" PRId64 " of %" PRId64 ": status \"%s\" (%s), %" PRId64 " blocks are not freed\n",
                fail_at, asked, volt_status_message(status), volt_error_detail(), left);
    _fail(file, line);
}
