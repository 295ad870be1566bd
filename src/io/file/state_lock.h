/* src/io/file/state_lock.h: one owner of a state file at a time.
 *
 * A state file is replaced by a rename, so a lock of the file itself would be lost with the first save. The lock is that of
 * a file beside it, NAME.lock, which the kernel releases with the process: what a killed process leaves does not block. */
#ifndef IO_STATE_LOCK_H
#define IO_STATE_LOCK_H

#include "volterra/status.h"

/* Ownership of a state file: while the lock lives, nobody else, in this process or another, can lock the file or save to it.
 * It is a kernel lock (flock) of the lock file. Nothing is locked where the file is a device or a pipe, or where the file
 * system has no locks. VOLT_ERR_IO: another owner has the file, or the lock file cannot be written. */
typedef struct volt_state_lock volt_state_lock;
volt_status volt_state_lock_take(const char *path, volt_state_lock **lock);
void volt_state_lock_free(volt_state_lock *lock);

/* For one save to `path`: nothing where `held` is the lock of that path, else a lock of its own in *taken, to be freed after
 * the save. VOLT_ERR_IO: another owner has the path. */
volt_status volt_state_lock_for_save(const volt_state_lock *held, const char *path, volt_state_lock **taken);

#endif
