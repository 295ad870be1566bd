/* src/kernel/kinds/reservoir_kernel.h: what kernels of reservoirs share: parameters, and weights out of a file. */
#ifndef KERNEL_RESERVOIR_KERNEL_H
#define KERNEL_RESERVOIR_KERNEL_H

#include "base/tensors.h"
#include "kernel/kernel_entry.h"
#include "kernel/kinds/parameter_blocks.h"

#define VOLT_PARAMETER_SIZE                                                                        \
    {                                                                                              \
        .name = "size", .meaning = "numbers in a state", .fallback = "100", .range = "1 to 10000", \
        .kind = VOLT_PARAMETER_INTEGER, .low = 1, .high = 10000                                    \
    }
#define VOLT_PARAMETER_DENSITY                                                                               \
    {                                                                                                        \
        .name = "density", .meaning = "share of the weights between states that are not 0", .fallback = "1", \
        .range = "(0, 1]", .kind = VOLT_PARAMETER_REAL, .low = 0, .high = 1, .closed = 2                     \
    }
#define VOLT_PARAMETER_SEED                                                               \
    {                                                                                     \
        .name = "seed", .meaning = "of the weights that are drawn", .fallback = "1",      \
        .range = "0 to 1000000000", .kind = VOLT_PARAMETER_INTEGER, .low = 0, .high = 1e9 \
    }
#define VOLT_PARAMETER_START                                                                                \
    {                                                                                                       \
        .name = "start", .meaning = "the state before the first row: after zeros for ever, or zero",        \
        .fallback = "rest", .range = "rest, zero", .kind = VOLT_PARAMETER_CHOICE, .words = volt_start_words \
    }
#define VOLT_PARAMETER_WEIGHTS(its_tensors)                                                               \
    {                                                                                                     \
        .name = "weights", .meaning = "weights of your own in place of drawn ones: tensors " its_tensors, \
        .range = "a safetensors file", .kind = VOLT_PARAMETER_TEXT                                        \
    }

extern const char *const volt_start_words[];
enum { VOLT_STATE_REST, VOLT_STATE_ZERO };

/* Where the parameters stand in the list of a kernel. */
typedef struct volt_reservoir_parameters {
    int size, density, seed, start, weights;
} volt_reservoir_parameters;

/* For settle: defaults of these parameters; weights of a file have their own size, and nothing is drawn. */
volt_status volt_reservoir_settle(volt_kernel *kernel, const volt_reservoir_parameters *where);

/* Numbers in a state: of the weights that are saved, else of tensor `name` in the file, which is read into *arrays, else as
 * the kernel says. VOLT_ERR_SHAPE when the tensor is not square. */
volt_status volt_reservoir_size(const volt_kernel *kernel, const volt_reservoir_parameters *where,
                                const char *name, volt_arrays **arrays, int64_t *size);

/* Tensor `name` of the file, which must have this shape; behind 0 there are no more dimensions. VOLT_ERR_SHAPE names file,
 * tensor and both shapes. An optional one that is not there is NULL. */
volt_status volt_reservoir_tensor(const char *file, const volt_arrays *arrays, const char *name,
                                  const int64_t shape[VOLT_MOST_DIMENSIONS], bool optional,
                                  const double **data);

/* What every reservoir comes to once its matrix is there: the saved weights where there are some, its start, and the
 * place in `resolved`, which owns it from then on; on failure it is released. */
volt_status volt_reservoir_resolve(const volt_kernel *kernel, const volt_reservoir_parameters *where,
                                   volt_reservoir *reservoir, volt_resolved *resolved);

#endif
