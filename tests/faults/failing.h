/* tests/faults/failing.h: shared declarations of the preloaded library. */
#ifndef FAULTS_FAILING_H
#define FAULTS_FAILING_H

#include <stdbool.h>

typedef enum fault_family {
    FAULT_MEMORY,
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_RENAME,
    FAULT_CLOSE,
    FAULT_TRUNCATE,
    FAULT_STAT,
    FAULT_LOCK,
    FAULT_SEEK,
    FAULT_LIST,
    FAULT_FOLDER,
    FAULT_LAPACK,
    FAULT_FAMILIES
} fault_family;

/* Count a call of this family. Returns whether this call must fail. */
bool fault_due(fault_family family);

/* Result of a failing call of the selected family: -errno, or FAULT_SHORT. */
enum { FAULT_SHORT = 1 };
long fault_result(void);

/* failing_calls.c: start intercepting system calls. Returns false if the system does not support it. */
bool fault_watch_calls(void);

/* failing_lapack.c: look up the routines that it replaces. */
void fault_find_lapack(void);

#endif
