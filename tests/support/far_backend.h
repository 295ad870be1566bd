/* tests/support/far_backend.h: back ends whose memory this process may not touch, as a GPU's.
 *
 * Addresses that they give out lie in pages without any access; the numbers stand elsewhere, and only the back end's own
 * operations, which are the CPU's, find them. Whoever reads or writes a matrix past the back end dies of it. */
#ifndef SUPPORT_FAR_BACKEND_H
#define SUPPORT_FAR_BACKEND_H

#include "base/backend.h"

/* "far", which has rows put there, and "far-gram", which fills matrices of kernels that are numbers alone
 * itself, as a GPU does (cuda/scan_form.h): add both to the table. */
void far_backends_register(void);

/* Blocks of theirs that are not released, and Gram matrices that far-gram has filled. */
int64_t far_backends_live(void);
int64_t far_backends_filled(void);
/* Rows of free runs that far-gram has made. */
int64_t far_backends_rows_run(void);

/* Run `test` with every back end of the table as the current one, in turn; its name is printed. The CPU is current
 * afterwards. */
void for_each_backend(void (*test)(const volt_backend *backend));
/* From now on for_each_backend runs with this one alone; has nobody said so? */
void only_backend(const char *name);
bool all_backends_run(void);

#endif
