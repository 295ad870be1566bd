/* tests/faults/failing_functions.h: functions of the C library, and of others, whose k-th call fails.
 *
 * A test program that is linked with failing_functions.c has functions of these names of its own, which come before those of
 * the libraries. They hand every call on; the k-th of one function, counted from failing_function_start on, fails instead:
 *
 *     failing_function_start("rename", 1, EACCES);
 *     volt_status status = volt_text_write(path, text);
 *     bool hit = failing_function_stop();          (was there such a call?)
 *
 * Known are the names in failing_functions.c; another one ends the program. What stdio and other libraries do among
 * themselves does not come through here (faults/failing_calls.c sees that too, of a whole program). */
#ifndef FAULTS_FAILING_FUNCTIONS_H
#define FAULTS_FAILING_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* reason: errno of the call that fails. 0, of pread and write: half of it is done; of fread and readlink: what the
 * file has has become less or more. */
void failing_function_start(const char *function, int64_t k, int reason);
bool failing_function_stop(void);

/* Files under /proc and /sys/fs are looked for under this folder; NULL: where they are. */
void failing_function_root(const char *folder);

#endif
