/* tests/faults/failing.h: what the parts of the preloaded library share. */
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

/* Count a call of this family. Is it this call's turn to fail? */
bool fault_due(fault_family family);

/* What the chosen family of system calls does when it fails: -errno, or FAULT_SHORT. */
enum { FAULT_SHORT = 1 };
long fault_result(void);

/* failing_calls.c: see system calls from now on. False: this system cannot show them. */
bool fault_watch_calls(void);

/* failing_lapack.c: find the routines that its own stand before. */
void fault_find_lapack(void);

#endif
