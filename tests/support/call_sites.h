/* tests/support/call_sites.h: events of a run that reach a call site for the first time.
 *
 * Of the many allocations of a search, one below each call is enough to make every call on the way fail once. */
#ifndef SUPPORT_CALL_SITES_H
#define SUPPORT_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

/* Start a run with events of this kind (1 to 7). `forgets`: no site is known; otherwise those of earlier runs are. */
void call_sites_begin(int kind, bool forgets);

/* Keep the number of an event if a return address on the stack is new for its kind. */
void call_sites_note(int64_t number);

/* Numbers kept since the begin, in increasing order. */
const int64_t *call_sites_list(int64_t *count);

#endif
