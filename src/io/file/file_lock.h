/* src/io/file/file_lock.h: one writer at a time, by an advisory lock of the whole file. */
#ifndef IO_FILE_LOCK_H
#define IO_FILE_LOCK_H

typedef enum volt_lock {
    VOLT_LOCK_HELD, /* until the last copy of the descriptor is closed, also by the end of the process */
    VOLT_LOCK_BUSY, /* another open of the file holds it, here or in another process */
    VOLT_LOCK_NONE  /* the file system has no locks: nobody can tell who else writes */
} volt_lock;

/* Take the lock of an open file without waiting. The descriptor must be open for writing: network file systems
 * ask for that. */
volt_lock volt_file_lock(int descriptor);

#endif
