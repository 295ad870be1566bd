/* src/kernel/kinds/reservoir_kernel.h: shared parts of reservoir kernels: parameters, and weights from a
 * file. */
#ifndef KERNEL_RESERVOIR_KERNEL_H
#define KERNEL_RESERVOIR_KERNEL_H

#include "io/safetensors/safetensors.h"
#include "kernel/kernel_entry.h"
#include "kernel/kinds/kind_parts.h"

#define VOLT_PARAMETER_SIZE                                                                            \
    {                                                                                                  \
        .name = "size", .meaning = "dimension of the state", .fallback = "100", .range = "1 to 10000", \
        .kind = VOLT_PARAMETER_INTEGER, .low = 1, .high = 10000                                        \
    }
#define VOLT_PARAMETER_DENSITY                                                                                 \
    {                                                                                                          \
        .name = "density", .meaning = "fraction of nonzero state weights", .fallback = "1", .range = "(0, 1]", \
        .kind = VOLT_PARAMETER_REAL, .low = 0, .high = 1, .closed = 2                                          \
    }
#define VOLT_PARAMETER_SEED                                                                                   \
    {                                                                                                         \
        .name = "seed", .meaning = "seed of the random weights", .fallback = "1", .range = "0 to 1000000000", \
        .kind = VOLT_PARAMETER_INTEGER, .low = 0, .high = 1e9                                                 \
    }
#define VOLT_PARAMETER_START                                                                                \
    {                                                                                                       \
        .name = "start", .meaning = "initial state: stationary state for zero inputs, or zero",             \
        .fallback = "rest", .range = "rest, zero", .kind = VOLT_PARAMETER_CHOICE, .words = volt_start_words \
    }
#define VOLT_PARAMETER_WEIGHTS(its_tensors)                                                   \
    {                                                                                         \
        .name = "weights", .meaning = "weights instead of random ones: tensors " its_tensors, \
        .range = "a safetensors file", .kind = VOLT_PARAMETER_TEXT                            \
    }

extern const char *const volt_start_words[];

/* One kind of reservoir: `reservoir` of the kernel's entry. */
struct volt_reservoir_kind {
    int size, density, seed, start, weights; /* indices of parameters in the list of the kernel ... */
    const int *drawn;                        /* ... and other parameters of random weights; terminated by -1 */
    const char *square;                      /* the tensor of a file that determines the size of a state */
    /* The length of u, and other properties that do not depend on weights. */
    int64_t (*length)(const volt_kernel *kernel, int64_t size, int64_t d);
    void (*describe)(const volt_kernel *kernel, volt_reservoir *reservoir);
    /* Weights: random for inputs of norm up to M, or from a file. */
    volt_status (*draw)(const volt_kernel *kernel, double M, volt_reservoir *reservoir);
    volt_status (*take)(const volt_kernel *kernel, const volt_arrays *arrays, volt_reservoir *reservoir);
    /* Properties of the kernel that follow from the weights, into resolved->facts and gain. */
    volt_status (*conclude)(const volt_kernel *kernel, double radius, volt_resolved *resolved);
};

/* For settle: defaults of these parameters. With weights from a file the size is given and nothing is
 * random. */
volt_status volt_reservoir_set_defaults(volt_kernel *kernel);

/* resolve and outline of the entry. Weights are the ones saved with a model, else those of the file, else
 * random. An outline has none; it is sufficient for queries of engines. */
volt_status volt_reservoir_resolve(const volt_kernel *kernel, double radius, int64_t d,
                                   volt_resolved *resolved);
volt_status volt_reservoir_sketch(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved);

/* Tensor `name` of the file, which must have this shape; 0 ends the dimensions. VOLT_ERR_SHAPE names file,
 * tensor and both shapes. An absent optional tensor is NULL. */
volt_status volt_reservoir_tensor(const char *file, const volt_arrays *arrays, const char *name,
                                  const int64_t shape[VOLT_MAX_DIMENSIONS], bool optional, const double **data);

/* A random matrix and the inputs of its generator, which determine its spectral radius or norm. The last
 * results are cached, because a search over other parameters uses the same matrices repeatedly.
 * VOLT_ERR_MEMORY. */
typedef struct volt_drawn_matrix {
    const double *A; /* n x n */
    int64_t n;
    uint64_t seed, stream;
    double density;
} volt_drawn_matrix;

volt_status volt_drawn_radius(const volt_drawn_matrix *drawn, double *radius);
volt_status volt_drawn_norm(const volt_drawn_matrix *drawn, double *norm);

#endif
