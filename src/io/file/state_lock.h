/* src/io/file/state_lock.h: exclusive ownership of state files. */
#ifndef IO_STATE_LOCK_H
#define IO_STATE_LOCK_H

#include "volterra/status.h"

/* A state file is replaced by a rename, so a lock of the file itself would be lost with the first save. The
 * lock is held on a separate file, NAME.lock. The kernel releases it when the process ends, so a killed
 * process does not block others. */

/* Ownership of a state file: while the lock exists, no other object, in this process or another, can lock
 * the file or save to it. It is a kernel lock (flock) of the lock file. Devices, pipes and file systems
 * without locks are not locked. VOLT_ERR_IO: another owner has the file, or the lock file cannot be written. */
typedef struct volt_state_lock volt_state_lock;
volt_status volt_state_lock_take(const char *path, volt_state_lock **lock);
void volt_state_lock_free(volt_state_lock *lock);

/* Locks `path` for one save. Does nothing when `held` is the lock of that path; otherwise *taken receives a
 * new lock, to be freed after the save. VOLT_ERR_IO: another owner has the path. */
volt_status volt_state_lock_for_save(const volt_state_lock *held, const char *path, volt_state_lock **taken);

#endif
