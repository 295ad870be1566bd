/* tests/support/call_sites.c: events of a run that reach a call site for the first time. */
#include "support/call_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

enum { SLOTS = 1 << 14, MOST = SLOTS / 2 };

static uint64_t sites[SLOTS]; /* address and kind; open addressing; 0: free */
static uint64_t kind_now;
static int64_t n_sites, numbers[MOST], n_numbers;

static bool add_site(uint64_t site)
{
    size_t slot = (site * 2654435761u >> 7) % SLOTS;
    for (; sites[slot]; slot = (slot + 1) % SLOTS)
        if (sites[slot] == site)
            return false;
    if (++n_sites > MOST) {
        fprintf(stderr, "call_sites: more than %d call sites\n", MOST);
        abort();
    }
    sites[slot] = site;
    return true;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *frame, void *is_new)
{
    uint64_t site = _Unwind_GetIP(frame);
    if (site != 0 && add_site(site << 3 | kind_now))
        *(bool *)is_new = true;
    return _URC_NO_REASON;
}

void call_sites_begin(int kind, bool forgets)
{
    kind_now = (uint64_t)kind;
    n_numbers = 0;
    if (forgets) {
        memset(sites, 0, sizeof sites);
        n_sites = 0;
    }
}

void call_sites_note(int64_t number)
{
    bool is_new = false;
    _Unwind_Backtrace(visit, &is_new);
    if (is_new)
        numbers[n_numbers++] = number; /* fewer than sites */
}

const int64_t *call_sites_list(int64_t *count)
{
    *count = n_numbers;
    return numbers;
}
