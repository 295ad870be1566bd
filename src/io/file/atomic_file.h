/* src/io/file/atomic_file.h: atomic replacement of files.
 *
 *     volt_atomic_file file;
 *     VOLT_TRY(volt_atomic_open(&file, path));
 *     volt_atomic_write(&file, bytes, size);          (repeatedly; failures are recorded)
 *     return volt_atomic_close(&file);                (or volt_atomic_discard: keeps the old file)
 *
 * The bytes are written to a temporary file in the same directory, which is synced to the disk and then
 * renamed to the target. An existing target keeps its permission bits; a symbolic link is kept, and the file
 * it points to is replaced. A target that is not a regular file (a device, a pipe) is written directly; "-"
 * and /dev/stdout are standard output. On file systems with locks, the temporary file of a killed writer is
 * removed by the next writer to the same name.
 *
 * Beyond a file size limit the system sends SIGXFSZ, which ends a program that does not ignore it. If it is
 * ignored, the write fails. */
#ifndef IO_ATOMIC_FILE_H
#define IO_ATOMIC_FILE_H

#include "base/progress.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct volt_atomic_file {
    FILE *stream;
    char *path;        /* as given by the user, for error messages */
    char *target;      /* the path with its links resolved; NULL: written directly */
    char *temporary;   /* renamed to target; NULL: written directly */
    int lock;          /* a second descriptor of temporary, which holds its lock; -1: none */
    int failure;       /* errno of the first failed write; ECANCELED: by the user; 0: none */
    volt_stage *stage; /* polled while the file is written; set it after volt_atomic_open, NULL: none */
    int64_t written;   /* bytes */
} volt_atomic_file;

/* Opens the file. VOLT_ERR_IO (the message names the path and the reason), VOLT_ERR_MEMORY. */
volt_status volt_atomic_open(volt_atomic_file *file, const char *path);

/* Appends bytes. After a failure it does nothing, and volt_atomic_close reports the failure. */
void volt_atomic_write(volt_atomic_file *file, const void *bytes, size_t size);

/* Replaces the target and frees `file`, or reports the first failure and keeps the old file: VOLT_ERR_IO,
 * VOLT_ERR_CANCELLED. */
volt_status volt_atomic_close(volt_atomic_file *file);

/* Discards all files written from now on: for the processes of a job that repeat the work of the first. */
void volt_atomic_discard_all(void);

/* Whether a file at `path` is replaced by a rename. Not standard output, devices and pipes. */
bool volt_atomic_replaces(const char *path);

/* Resolves the links of `path`; the file need not exist. Free *target with volt_free. */
volt_status volt_follow_links(const char *path, char **target);

/* Removes the temporary file and keeps the target. */
void volt_atomic_discard(volt_atomic_file *file);

typedef enum volt_lock {
    VOLT_LOCK_HELD, /* until the last copy of the descriptor is closed, also by process exit */
    VOLT_LOCK_BUSY, /* held through another open descriptor, in this or another process */
    VOLT_LOCK_NONE  /* the file system has no locks */
} volt_lock;

/* Locks an open file without waiting. The descriptor must be open for writing, as network file systems
 * require. */
volt_lock volt_file_lock(int descriptor);

#endif
