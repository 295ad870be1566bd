/* src/kernel/kinds/path_kernel.h: shared parts of the kernels between paths: gak, sig, sigpde. */
#ifndef KERNEL_PATH_KERNEL_H
#define KERNEL_PATH_KERNEL_H

#include "kernel/kernel_entry.h"
#include "kernel/kinds/kind_parts.h"

extern const char *const volt_path_words[];    /* of the parameter path */
extern const char *const volt_augment_words[]; /* of the parameter augment */

#define VOLT_PARAMETER_PATH_WINDOW                                                                             \
    {                                                                                                          \
        VOLT_PARAMETER_ROWS("number of latest rows in a path, including the current one; or path=rows", 2, 32) \
    }

#define VOLT_PARAMETER_PATH                                                               \
    {                                                                                     \
        .name = "path", .meaning = "rows: each row of d numbers is a path of d points",   \
        .fallback = "sequence", .range = "sequence, rows", .kind = VOLT_PARAMETER_CHOICE, \
        .words = volt_path_words                                                          \
    }

#define VOLT_PARAMETER_AUGMENT                                                                            \
    {                                                                                                     \
        .name = "augment", .meaning = "augmentations of paths; default time+leadlag with path=rows",      \
        .range = "none, time, leadlag, basepoint, or several joined by +", .kind = VOLT_PARAMETER_CHOICE, \
        .words = volt_augment_words                                                                       \
    }

#define VOLT_PARAMETER_PRESCALE                                                                             \
    VOLT_PARAMETER_POSITIVE("prescale", "path=rows: factor of values divided by their largest in training", \
                            VOLT_UNIT_ONE, 0.01, 1)

/* Indices of the shared parameters in a kernel's list; -1: none. */
typedef struct volt_path_parameters {
    int window, path, augment, prescale;
} volt_path_parameters;

/* Settle: reject conflicting parameters, then set the applicable defaults. */
volt_status volt_path_set_defaults(volt_kernel *kernel, const volt_path_parameters *where);

/* The shape of paths given by the parameters. */
volt_path_shape volt_path_shape_of(const volt_kernel *kernel, const volt_path_parameters *where);

/* Resolve a kernel between paths on a sequence; VOLT_ERR_KERNEL unless there is a window or path=rows. */
volt_status volt_path_resolve(const volt_kernel *kernel, const volt_path_parameters *where, double radius,
                              volt_programme programme, double largest, volt_resolved *resolved);

/* VOLT_ERR_KERNEL if a kernel between paths has a parameter that only applies to sequences. */
volt_status volt_path_refuse_on_series(const volt_kernel *kernel);

#endif
