/* src/io/file/file_lock.h: one writer at a time, by an advisory lock of the whole file. */
#ifndef IO_FILE_LOCK_H
#define IO_FILE_LOCK_H

#include "volterra/status.h"

typedef enum volt_lock {
    VOLT_LOCK_HELD, /* until the last copy of the descriptor is closed, also by the end of the process */
    VOLT_LOCK_BUSY, /* another open of the file holds it, here or in another process */
    VOLT_LOCK_NONE  /* the file system has no locks: nobody can tell who else writes */
} volt_lock;

/* Take the lock of an open file without waiting. The descriptor must be open for writing: network file systems
 * ask for that. */
volt_lock volt_file_lock(int descriptor);

/* ---- one owner of a state file at a time -------------------------------------------------------
 * A state file is replaced by a rename, so a lock of the file itself would be lost with the first save. The lock is that of
 * a file beside it, NAME.lock, which the kernel releases with the process: what a killed process leaves does not block. */

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
