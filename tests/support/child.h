/* tests/support/child.h: the end of a forked child. */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

/* As _exit; in the build of `make coverage` the counters are written down first, which _exit leaves out. */
_Noreturn void child_ends(int status);

#endif
