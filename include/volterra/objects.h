/* volterra/objects.h: whole series as objects: a collection, prepared, and its Gram matrices.
 *
 *     volt_objects *objects = NULL;
 *     volt_status status = volt_objects_create(train->series, train->count, NULL, &objects);
 *     if (!status)
 *         status = volt_objects_gram(objects, kernel, NULL, K);                                   // n x n
 *     if (!status)
 *         status = volt_objects_cross(objects, kernel, test->series, test->count, NULL, C, NULL); // tests x n
 *     volt_objects_free(objects);
 *
 * What the training series teach (the scale of each channel, the ball of the inputs) is learned once and applied to new
 * series. volterra/classify.h is built on this. */
#ifndef VOLTERRA_OBJECTS_H
#define VOLTERRA_OBJECTS_H

#include "volterra/base.h"
#include "volterra/kernel.h"
#include "volterra/select.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How values are scaled before a kernel sees them. After CHANNELS and SERIES all steps are divided by one number, so that
 * the largest norm of a training step is 1. */
typedef enum volt_object_scale {
    VOLT_OBJECT_SCALE_CHANNELS, /* each channel: mean 0, deviation 1 over all steps of the training series */
    VOLT_OBJECT_SCALE_SERIES,   /* each channel of each series: mean 0, deviation 1 (0 where it is constant) */
    VOLT_OBJECT_SCALE_NONE      /* as they are */
} volt_object_scale;

/* What a step of a series is. */
typedef enum volt_object_input {
    VOLT_OBJECT_INPUT_LEVEL,  /* its values */
    VOLT_OBJECT_INPUT_CHANGE, /* their changes since the step before; 0 in the first step */
    VOLT_OBJECT_INPUT_BOTH    /* values, then changes */
} volt_object_input;

/* What of two series is compared. */
typedef enum volt_object_compare {
    VOLT_OBJECT_COMPARE_SERIES, /* the series: final states, whole paths, all steps as one row */
    VOLT_OBJECT_COMPARE_STEPS /* the mean of the kernel over all pairs of steps, one of each series, with what came before
                                 * them: when something happens does not matter, how often does. Kernels are those of
                                 * volt_gram, also on windows */
} volt_object_compare;

typedef struct volt_objects_options {
    volt_object_scale scale;     /* VOLT_OBJECT_SCALE_CHANNELS */
    volt_object_input input;     /* VOLT_OBJECT_INPUT_LEVEL */
    int normalise;               /* 1: K(x, x) = 1 for every series */
    volt_object_compare compare; /* VOLT_OBJECT_COMPARE_SERIES */
} volt_objects_options;
VOLT_API volt_objects_options volt_objects_options_default(void);

/* Training series, prepared and copied. Never written to again: several threads may use it. */
typedef struct volt_objects volt_objects;

/* `count` series, each rows (time) x channels; lengths may differ. options may be NULL. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE;
 * VOLT_ERR_DATA when all steps are alike, so that there is nothing to compare; VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_objects_create(const volt_view *series, int64_t count,
                                         const volt_objects_options *options, volt_objects **objects);
VOLT_API void volt_objects_free(volt_objects *objects);

/* How many there are, channels of the series as they were given, the median number of steps, and whether all have the same
 * number of them. */
VOLT_API int64_t volt_objects_count(const volt_objects *objects);
VOLT_API int64_t volt_objects_channels(const volt_objects *objects);
VOLT_API double volt_objects_steps(const volt_objects *objects);
VOLT_API int volt_objects_are_equally_long(const volt_objects *objects);
/* How they were prepared. */
VOLT_API volt_objects_options volt_objects_options_of(const volt_objects *objects);

/* K (n x n, both triangles) of the training series with themselves. Kernels are those of volt_gram_collection and, where
 * all series have one length, the static ones (linear, rbf, poly, sigmoid, cauchy): a series is one row of steps x
 * channels numbers for them; for steps that are compared those of volt_gram. progress may be NULL. VOLT_ERR_KERNEL: a kernel that does not compare series, centred, or on
 * windows; VOLT_ERR_SHAPE, VOLT_ERR_DATA (normalising a series that has 0 with itself), VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_objects_gram(const volt_objects *objects, const volt_kernel *kernel,
                                       const volt_progress *progress, volt_matrix K);

/* K[i][j] of new series i and training series j (count x n). New series are prepared as the training series were; for
 * kernels that hold on a ball, steps beyond that of the training series are drawn in to it. self (optional) receives
 * `count` numbers, each new series with itself: 1 where normalised. Otherwise as above. */
VOLT_API volt_status volt_objects_cross(const volt_objects *objects, const volt_kernel *kernel,
                                        const volt_view *series, int64_t count, const volt_progress *progress,
                                        volt_matrix K, double *self);

/* Candidates for these series as of volt_candidates_draw: what `kernel` leaves open is drawn, widths in units of the
 * prepared steps, and no windows unless steps are compared. Of options (may be NULL) seed and ranges count; alpha is drawn too, for whoever asks. */
VOLT_API volt_status volt_objects_candidates(const volt_objects *objects, const char *kernel,
                                             const volt_draw_options *options, volt_candidates **candidates);

#ifdef __cplusplus
}
#endif
#endif
