/* src/model/live/moment_file.h: what the files of a stream's and of a learner's moment have in common.
 *
 * Such a file has what changes with every row, and a digest of what does not: the model. docs/file_formats.md describes it. */
#ifndef MODEL_MOMENT_FILE_H
#define MODEL_MOMENT_FILE_H

#include "io/file/state_lock.h"
#include "model/file/file_fields.h"
#include "model/interval/adaptive_interval.h"
#include "model/model_internal.h"

typedef struct volt_moment_kind {
    const char *format; /* "volterra-stream" */
    int64_t version;
    const char *name; /* "stream" */
    const char *kind; /* "the state of a volterra stream" */
} volt_moment_kind;

/* How rows have been taken so far: places in a stream or a learner. */
typedef struct volt_moment {
    const volt_model *model;
    volt_recent *recent;
    double *last; /* recipe.inputs: the last row as it was given, once one is pushed */
    int64_t *pushed, *beyond;
} volt_moment;

/* ---- save ------------------------------------------------------------------------------------- */

/* Into an empty writer: the head, and how rows were taken. */
void volt_moment_put(const volt_moment_kind *kind, const volt_moment *moment, volt_file_writer *writer);
/* The coverages and errors of intervals; NULL: nothing. */
void volt_moment_put_interval(const volt_interval *interval, volt_file_writer *writer);
/* Write the file, in which all numbers must be finite, and release the writer in every case. `held` (may be NULL) is the
 * lock that the stream or learner has; a file that another owner has locked is VOLT_ERR_IO. VOLT_ERR_NOT_FINITE,
 * VOLT_ERR_MEMORY, VOLT_ERR_IO. */
volt_status volt_moment_finish(const volt_moment_kind *kind, volt_file_writer *writer,
                               const volt_state_lock *held, const char *path);

/* ---- load ------------------------------------------------------------------------------------- */

/* Read a file and check that it is of this kind and of this model. *file, which `fields` are those of, is the caller's to
 * free then. */
volt_status volt_moment_open(const volt_moment_kind *kind, const volt_model *model, const char *path,
                             volt_safetensors **file, volt_file_fields *fields);
/* How rows were taken. */
volt_status volt_moment_read(const volt_file_fields *fields, const volt_moment *moment);
/* The coverages of the intervals that the file holds; *coverages is NULL where it holds none. */
volt_status volt_moment_coverages(const volt_file_fields *fields, const volt_tensor **coverages);
/* Their errors, into intervals of these coverages. */
volt_status volt_moment_errors(const volt_file_fields *fields, volt_interval *interval);

#endif
