/* src/io/file/state_lock.h: one owner of a state file at a time.
 *
 * A state file is replaced by a rename, so a lock of the file itself would be lost with the first save. The lock is that of
 * a file beside it, NAME.lock, which the kernel releases with the process: what a killed process leaves does not block. */
#ifndef IO_STATE_LOCK_H
#define IO_STATE_LOCK_H

#include "volterra/io.h"

/* For one save to `path`: nothing where `held` is the lock of that path, else a lock of its own in *taken, to be freed after
 * the save. VOLT_ERR_IO: another owner has the path. */
volt_status volt_state_lock_for_save(const volt_state_lock *held, const char *path, volt_state_lock **taken);

#endif
