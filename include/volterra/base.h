/* volterra/base.h: matrix views, memory, threads, devices, log, progress and random numbers.
 *
 * Matrices are row-major. A view does not own its memory: the caller frees it. All sizes are 64-bit. */
#ifndef VOLTERRA_BASE_H
#define VOLTERRA_BASE_H

#include "volterra/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version and build ------------------------------------------------------------------------ */

/* Version of these headers. */
#define VOLT_VERSION_MAJOR 1
#define VOLT_VERSION_MINOR 0
#define VOLT_VERSION_PATCH 0

/* Returns the version of the library in use, "MAJOR.MINOR.PATCH". */
VOLT_API const char *volt_version(void);

/* Build and run-time properties of the library. All strings are static. */
typedef struct volt_build_info {
    size_t struct_size; /* set by the caller */
    const char *version;
    const char *compiler;     /* name and version */
    const char *cpu_flags;    /* machine flags of the build: "portable" or e.g. "-march=native" */
    const char *fast_loops;   /* instruction set selected at run time */
    const char *blas;         /* name, version and threading of the BLAS */
    int64_t threads;          /* used by calls from this thread */
    int64_t default_threads;  /* number of threads after volt_set_threads(0) */
    const char *threads_from; /* source of `threads`: OMP_NUM_THREADS, the processors, a quota, ... */
    uint64_t memory;          /* available memory in bytes; 0: unknown */
} volt_build_info;
VOLT_API volt_status volt_build_info_get(volt_build_info *info);

/* ---- matrix views ----------------------------------------------------------------------------- */

/* Writable view: entry (i, j) is data[i * ld + j], ld >= cols. */
typedef struct volt_matrix {
    double *data;
    int64_t rows, cols, ld;
} volt_matrix;

/* Read-only view. */
typedef struct volt_view {
    const double *data;
    int64_t rows, cols, ld;
} volt_view;

/* Views of rows x cols numbers without gaps: ld = cols. No view checks its arguments: the function that takes it does. */
static inline volt_matrix volt_matrix_of(double *data, int64_t rows, int64_t cols)
{
    volt_matrix m = {data, rows, cols, cols};
    return m;
}

static inline volt_view volt_view_of(const double *data, int64_t rows, int64_t cols)
{
    volt_view v = {data, rows, cols, cols};
    return v;
}

static inline volt_view volt_as_view(volt_matrix m)
{
    volt_view v = {m.data, m.rows, m.cols, m.ld};
    return v;
}

/* Returns data + offset, or NULL for NULL. Static analysers would conclude from the test for NULL that the data of any view
 * may be NULL, so they see the function without it. */
static inline const double *volt_data_at(const double *data, int64_t offset)
{
#ifdef __clang_analyzer__
    return data + offset;
#else
    return data ? data + offset : NULL;
#endif
}

/* Returns rows first .. first + count - 1 of a view. */
static inline volt_view volt_view_rows(volt_view v, int64_t first, int64_t count)
{
    volt_view rows = {volt_data_at(v.data, first * v.ld), count, v.cols, v.ld};
    return rows;
}

static inline volt_matrix volt_matrix_rows(volt_matrix m, int64_t first, int64_t count)
{
    volt_matrix rows = {(double *)volt_data_at(m.data, first * m.ld), count, m.cols, m.ld};
    return rows;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* Frees memory returned by the library, where the function's documentation requires it. */
VOLT_API void volt_free(void *memory);

/* ---- threads ---------------------------------------------------------------------------------- */

/* Sets the number of threads of the library and of BLAS, for the whole process. count = 0 restores the default:
 * OMP_NUM_THREADS, or else the number of processors available to the process, limited by the CPU quota of its control
 * group. VOLT_ERR_ARGUMENT when count < 0. Do not call it while another thread is inside the library.
 *
 * After fork() in a process with several threads (any earlier call with more than one leaves some), the child uses one
 * thread: OpenMP would wait forever for the others. Results are the same. A request for
 * more threads, here or below, returns VOLT_OK and logs a warning. A child that calls exec, or whose parent had one thread,
 * can use all threads. */
VOLT_API volt_status volt_set_threads(int64_t count);

/* Sets the number of threads for calls from the calling thread only. count = 0 (the default): the number of the process.
 * Where the two differ, calls of BLAS outside the library's loops use one thread. A BLAS with its own thread pool (not
 * OpenMP) ignores this number. *before (may be NULL) receives the previous number. */
VOLT_API volt_status volt_set_threads_local(int64_t count, int64_t *before);

/* ---- devices ---------------------------------------------------------------------------------- */

/* Selects the device that stores and factors matrices: the CPU, or a GPU through the plugin libvolterra_cuda.so. The plugin
 * is searched for in the directory of this library, or at VOLT_CUDA_PLUGIN (an absolute path). The choice applies to the
 * whole process. Do not call it while another thread is inside the library.
 *
 *     "auto"    (default) the first GPU for work that fits there and is estimated to be faster there; otherwise the CPU
 *     "cpu"
 *     "gpu"     the first GPU, for everything the plugin supports. "gpu:1": the second, and so on
 *     "gpu:0,1" several GPUs, at most 16. A search evaluates candidates on all of them; "nystrom" and "pcg" divide the rows.
 *               Other work uses the first one. Results differ from those of one GPU by rounding. A GPU that is listed twice
 *               has two independent contexts. "gpu:all": all GPUs
 *
 * A process of an MPI job (volterra-mpi) uses one GPU: number r of the list, or of all GPUs, where r is its rank on the
 * machine modulo their number.
 * VOLT_ERR_ARGUMENT for any other text, VOLT_ERR_DEVICE with the reason if the device is not available. The choice is
 * then unchanged. */
VOLT_API volt_status volt_set_device(const char *device);

typedef struct volt_devices {
    size_t struct_size; /* set by the caller */
    const char *chosen; /* "auto", "cpu", "gpu:0", "gpu:0,1", ... */
    int64_t count;      /* number of GPUs */
    const char *why;    /* count 0: the reason; otherwise "" */
    const char *plugin; /* plugin, its version and path; "" without one */
} volt_devices;
/* Strings are null-terminated. */
typedef struct volt_device_info {
    size_t struct_size;         /* set by the caller */
    char name[128];             /* "NVIDIA H200" */
    char driver[64];            /* "550.54, CUDA 12.4" */
    uint64_t memory, available; /* total and free bytes; 0: unknown */
} volt_device_info;

/* Returns the choice and the number of GPUs (static strings), and with `info` (may be NULL) the description of GPU `device`.
 * VOLT_ERR_ARGUMENT for an invalid device number or an unknown struct_size. */
VOLT_API volt_status volt_devices_get(volt_devices *devices, int64_t device, volt_device_info *info);

/* ---- log -------------------------------------------------------------------------------------- */

typedef enum volt_log_level { VOLT_LOG_INFO, VOLT_LOG_WARNING } volt_log_level;
typedef void (*volt_log_fn)(volt_log_level level, const char *message, void *context);

/* Sets the function that receives log messages; NULL (the default) discards them. The library never prints. Do not call it
 * while the library is in use. Worker threads call the function, possibly several at the same time. */
VOLT_API void volt_set_log(volt_log_fn log, void *context);

/* ---- progress --------------------------------------------------------------------------------- */

/* Called repeatedly by the thread that called the library, with the stage ("gram", "factor", ...) and the completed
 * fraction of the call, 0 to 1. In a fit it never decreases, is proportional to the expected operations, and is 1 once, at
 * the end. Return nonzero to cancel: the call ends within a second with VOLT_ERR_CANCELLED and leaves
 * no partial results. */
typedef int (*volt_progress_fn)(const char *stage, double fraction, void *context);

typedef struct volt_progress {
    volt_progress_fn report; /* (optional) */
    void *context;
} volt_progress;

/* ---- random numbers --------------------------------------------------------------------------- */

/* Philox 4x64-10 (Random123), a counter-based generator. The numbers depend only on (seed, stream), not on the machine or
 * the number of threads, and equal NumPy's Philox(key=[seed, stream]). A plain value: copy it to repeat a sequence.
 * `rng` must not be NULL. */
typedef struct volt_rng {
    uint64_t seed, stream;
    uint64_t block; /* counter of the next block of four words */
    uint64_t words[4];
    int used;      /* words of the block already used [count 0 to 4] */
    int has_spare; /* 1: `spare` is the second normal of the last pair */
    double spare;
} volt_rng;

/* Sets the generator to the first number of a stream. */
VOLT_API void volt_rng_init(volt_rng *rng, uint64_t seed, uint64_t stream);
/* Returns a uniform number on [0, 1), 53 bits. */
VOLT_API double volt_rng_uniform(volt_rng *rng);
/* Returns a standard normal number (Box-Muller). */
VOLT_API double volt_rng_normal(volt_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
