/* tests/faults/failing_functions.h: functions of the C library and of other libraries whose k-th call fails.
 *
 * failing_functions.c defines functions that replace those of the libraries in a test program. They forward
 * every call, except that the k-th call of one function after failing_function_start fails:
 *
 *     failing_function_start("rename", 1, EACCES);
 *     volt_status status = volt_text_write(path, text);
 *     bool hit = failing_function_stop();          (was there such a call?)
 *
 * An unknown function name ends the program. Calls inside stdio and other libraries are not intercepted
 * (faults/failing_calls.c intercepts those of a whole program). */
#ifndef FAULTS_FAILING_FUNCTIONS_H
#define FAULTS_FAILING_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* reason: errno of the failing call. With 0, pread and write transfer half of the bytes, and fread and
 * readlink behave as if the file had become shorter or longer. */
void failing_function_start(const char *function, int64_t k, int reason);
bool failing_function_stop(void);

/* Files under /proc and /sys/fs are looked for under this folder; NULL: where they are. */
void failing_function_root(const char *folder);

#endif
