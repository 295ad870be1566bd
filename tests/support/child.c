/* tests/support/child.c: the end of a forked child. */
#include "support/child.h"

#include <unistd.h>

#ifdef VOLT_COVERAGE
void __gcov_dump(void); /* libgcov */
#endif

_Noreturn void child_ends(int status)
{
#ifdef VOLT_COVERAGE
    __gcov_dump();
#endif
    _exit(status);
}
