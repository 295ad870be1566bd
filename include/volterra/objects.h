/* volterra/objects.h: how whole series are prepared and compared, for volterra/classify.h and volterra/anomaly.h.
 *
 * The scale of each channel and the ball of the inputs are learned from the training series and applied to new series. */
#ifndef VOLTERRA_OBJECTS_H
#define VOLTERRA_OBJECTS_H

#include "volterra/base.h"

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

#ifdef __cplusplus
}
#endif
#endif
