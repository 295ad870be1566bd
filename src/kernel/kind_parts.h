/* src/kernel/kind_parts.h: shared parts of kernels: descriptions of parameters, and static kernels. */
#ifndef KERNEL_KIND_PARTS_H
#define KERNEL_KIND_PARTS_H

#include "io/safetensors/safetensors.h"
#include "kernel/kernel_entry.h"

#include <math.h>

/* ---- descriptions of parameters: kernels pass their differences as macro arguments ---------------- */

/* Fields of a description: a number from `from` to `to`, with the ends included according to `ends`
 * (volt_parameter_info.closed); an integer; a word from a list; the range of searches. */
#define VOLT_REAL(its_name, its_range, from, to, ends)                                                  \
    .name = (its_name), .range = (its_range), .kind = VOLT_PARAMETER_REAL, .low = (from), .high = (to), \
    .closed = (ends)
#define VOLT_INTEGER(its_name, its_range, from, to) \
    .name = (its_name), .range = (its_range), .kind = VOLT_PARAMETER_INTEGER, .low = (from), .high = (to)
#define VOLT_CHOICE(its_name, its_range, its_words) \
    .name = (its_name), .range = (its_range), .kind = VOLT_PARAMETER_CHOICE, .words = (its_words)
#define VOLT_SEARCHED(law, from, to) .search = VOLT_SEARCH_##law, .search_low = (from), .search_high = (to)

/* The list of a file, as fields of its kernel's info. */
#define VOLT_KERNEL_INFO \
    .struct_size = sizeof(volt_kernel_info), .parameters = parameters, .n_parameters = N_PARAMETERS

/* A positive number, default 1, searched log-uniformly from `from` to `to` in units of `its_unit`. */
#define VOLT_PARAMETER_POSITIVE(its_name, its_meaning, its_unit, from, to)             \
    {                                                                                  \
        VOLT_REAL(its_name, "(0, inf)", 0, INFINITY, 0), VOLT_SEARCHED(LOG, from, to), \
            .unit = (its_unit), .fallback = "1", .meaning = (its_meaning)              \
    }

/* A decay factor from 0 to below 1, searched uniformly from 0 to `to`. */
#define VOLT_PARAMETER_SHARE(its_name, its_meaning, its_fallback, to)                                     \
    {                                                                                                     \
        VOLT_REAL(its_name, "[0, 1)", 0, 1, 1), VOLT_SEARCHED(LINEAR, 0, to), .fallback = (its_fallback), \
                                                                              .meaning = (its_meaning)    \
    }

/* gamma of exp(-gamma D), where D is a squared distance including earlier rows. */
#define VOLT_PARAMETER_DISTANCE_GAMMA(to) \
    VOLT_PARAMETER_POSITIVE("gamma", "scale of the squared distance", VOLT_UNIT_ONE, 1e-2, to)

#define VOLT_PARAMETER_RHO(its_fallback, to) \
    VOLT_PARAMETER_SHARE("rho", "decay factor of the distance per step", its_fallback, to)

/* Rows of a window: the fields except the default, which not every kernel has. */
#define VOLT_PARAMETER_ROWS(its_meaning, from, to)                                        \
    VOLT_INTEGER("window", "1 to 1000000", 1, 1e6), VOLT_SEARCHED(LOG_INTEGER, from, to), \
        .meaning = (its_meaning)

/* Of static kernels. */
#define VOLT_PARAMETER_WINDOW                                                                           \
    {                                                                                                   \
        .fallback = "1", VOLT_PARAMETER_ROWS("number of latest rows, including the current one", 1, 64) \
    }

/* ---- static kernels: of one row, or of a window of rows read as one long row ----------------------
 *
 * They are scans without state: a formula of the local value, summed over the window. */

/* A resolved static kernel. `largest` bounds |K| on the ball. */
static inline volt_resolved volt_static_resolved(volt_scan scan, int64_t window, double radius, double largest)
{
    return (volt_resolved){.facts = {.radius = radius, .largest = largest}, .window = window, .scan = scan};
}

/* The step of a static kernel: out = formula of the local value s, inlined and vectorised. */
#define VOLT_STATIC_STEP(formula)                          \
    (void)state;                                           \
    (void)stride;                                          \
    for (int64_t r = 0; r < rows; r++) {                   \
        const double *restrict row = local + r * ld_local; \
        double *restrict row_out = out + r * ld_out;       \
        for (int64_t k = 0; k < count; k++) {              \
            double s = row[k];                             \
            row_out[k] = (formula);                        \
        }                                                  \
    }

/* Its power series, from the Taylor coefficients of the formula. */
#define VOLT_STATIC_SERIES(taylor)                                                                             \
    static void series_step(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local, \
                            volt_jet *state, volt_jet *out)                                                    \
    {                                                                                                          \
        (void)state;                                                                                           \
        volt_jet_compose(workspace, taylor, &scan->constants, local, out);                                     \
    }                                                                                                          \
    static const volt_scan_series series = {.step = series_step};

/* gamma as given, or 1 / (d window), the default of static kernels. */
static inline double volt_static_gamma(const volt_kernel *kernel, int p, int64_t d, int64_t window)
{
    return kernel->present[p] ? kernel->value[p] : 1 / ((double)d * (double)window);
}

#define VOLT_PARAMETER_STATIC_GAMMA                                                                        \
    {                                                                                                      \
        .name = "gamma", .meaning = "scale of the local value; default 1/(d window)", .range = "(0, inf)", \
        .kind = VOLT_PARAMETER_REAL, .low = 0, .high = INFINITY, .search = VOLT_SEARCH_LOG,                \
        .unit = VOLT_UNIT_INVERSE_SQUARE, .search_low = 1e-3, .search_high = 10                            \
    }

/* ---- shared parts of the kernels between paths: gak, sig, sigpde ------------------------------------- */

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

/* Shared parts of reservoir kernels: parameters, and weights from a
 * file. */

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
