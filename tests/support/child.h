/* tests/support/child.h: the end of a forked child. */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

/* As _exit, but writes the counters of `make coverage` first. */
_Noreturn void child_ends(int status);

#endif
