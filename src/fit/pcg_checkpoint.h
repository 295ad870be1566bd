/* src/fit/pcg_checkpoint.h: checkpoint file of conjugate gradients, so that long fits can be resumed.
 *
 * A safetensors file with the vectors of the iteration and a digest of data, kernel, alpha and landmarks
 * (docs/file_formats.md). The preconditioner is computed again. If a write fails during the fit, the fit
 * warns once, continues and retries later. */
#ifndef FIT_PCG_CHECKPOINT_H
#define FIT_PCG_CHECKPOINT_H

#include "model/model_internal.h"
#include "solve/iterative/pcg.h"

typedef struct volt_checkpoint {
    const char *path;   /* NULL: no checkpoint */
    const char *kernel; /* its text */
    char digest[VOLT_DIGEST_LENGTH];
    double every; /* seconds */
    double last;  /* time of the last write or attempt */
    bool complained;
} volt_checkpoint;

/* Checks that `path` can be a checkpoint. VOLT_ERR_IO when it exists and is not a regular file, or is not
 * writable. */
volt_status volt_checkpoint_check(const char *path);

/* For volt_iteration; `context` is a volt_checkpoint. VOLT_ERR_FORMAT for a file that is damaged, foreign or
 * from another fit. */
volt_status volt_checkpoint_load(void *context, volt_pcg_state *state, bool *found);
volt_status volt_checkpoint_save(void *context, const volt_pcg_state *state, bool last);

#endif
