/* src/model/fit/pcg_checkpoint.h: where conjugate gradients stand, as a file, so that a fit of hours outlives its process.
 *
 * A safetensors file with the vectors of the iteration and a digest of what they belong to: data, kernel, alpha, landmarks
 * (docs/file_formats.md). What precedes the steps, the preconditioner, is made again. A file that cannot be written once the
 * fit is under way is said once, as a warning, and tried again later: the fit goes on. */
#ifndef MODEL_PCG_CHECKPOINT_H
#define MODEL_PCG_CHECKPOINT_H

#include "model/model_internal.h"
#include "solve/iterative/pcg.h"

typedef struct volt_checkpoint {
    const char *path;   /* NULL: there is none */
    const char *kernel; /* its text */
    char digest[VOLT_DIGEST_LENGTH];
    double every; /* seconds */
    double last;  /* when it was written, or tried */
    bool complained;
} volt_checkpoint;

/* Can it be one? A path to something that is there and no regular file, or where nothing can be written, is VOLT_ERR_IO. */
volt_status volt_checkpoint_check(const char *path);

/* For volt_iteration: `context` is a volt_checkpoint. VOLT_ERR_FORMAT for a file that is damaged, foreign or of another fit. */
volt_status volt_checkpoint_load(void *context, volt_pcg_moment *moment, bool *found);
volt_status volt_checkpoint_save(void *context, const volt_pcg_moment *moment, bool last);

#endif
