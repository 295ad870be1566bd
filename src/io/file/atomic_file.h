/* src/io/file/atomic_file.h: a file that is replaced as a whole or not at all.
 *
 *     volt_atomic_file file;
 *     VOLT_TRY(volt_atomic_open(&file, path));
 *     volt_atomic_write(&file, bytes, size);          (as often as needed; failures are kept)
 *     return volt_atomic_close(&file);                (or volt_atomic_discard: the old file stays)
 *
 * The bytes go to a temporary file in the same directory, which is synced to the disk and then renamed
 * over the target. An existing target keeps its permission bits; a symbolic link stays, and the file it
 * points to is replaced. A target that is no regular file (a device, a pipe) is written straight away;
 * "-" and /dev/stdout are standard output. A temporary file that a killed writer left is removed by the next one
 * that writes to the same name, where the file system has locks.
 *
 * Beyond a file size limit the system sends SIGXFSZ, which ends a program that does not ignore it; once
 * it is ignored, the limit is a failed write like any other. */
#ifndef IO_ATOMIC_FILE_H
#define IO_ATOMIC_FILE_H

#include "base/progress.h"
#include "volterra/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct volt_atomic_file {
    FILE *stream;
    char *path;        /* as the user gave it, for error sentences */
    char *target;      /* what is replaced: the path with its links followed; NULL: written straight */
    char *temporary;   /* what is renamed to target; NULL: written straight */
    int lock;          /* a second descriptor of temporary, which holds its lock; -1: none */
    int failure;       /* errno of the first write that failed, ECANCELED: the user's; 0 while all is well */
    volt_stage *stage; /* polled while the file is written; set it after volt_atomic_open, NULL: none */
    int64_t written;   /* bytes */
} volt_atomic_file;

/* Begin. VOLT_ERR_IO (the sentence has the path and the reason), VOLT_ERR_MEMORY. */
volt_status volt_atomic_open(volt_atomic_file *file, const char *path);

/* Append bytes. After a failure it does nothing, and volt_atomic_close reports the failure. */
void volt_atomic_write(volt_atomic_file *file, const void *bytes, size_t size);

/* Put the new content in place and free `file`, or report the first failure and leave the old one: VOLT_ERR_IO,
 * VOLT_ERR_CANCELLED. */
volt_status volt_atomic_close(volt_atomic_file *file);

/* From now on files are written to nowhere: for the processes of a job that do what the first one does. */
void volt_atomic_write_nothing(void);

/* Is a file at `path` replaced by a rename? Not standard output, devices and pipes. */
bool volt_atomic_replaces(const char *path);

/* The file that `path` stands for, which need not exist: its links are followed. Free *target with volt_free. */
volt_status volt_follow_links(const char *path, char **target);

/* Give up: remove the temporary file, leave the target as it was. */
void volt_atomic_discard(volt_atomic_file *file);

#endif
