/* volterra/base.h: matrix views, memory, threads, random numbers, log and progress.
 *
 * Matrices are row-major. A view never owns: whoever made the memory frees it. All sizes are 64-bit. */
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

/* Version of the library that is running, "MAJOR.MINOR.PATCH". */
VOLT_API const char *volt_version(void);

/* How this library was built and what it runs on. All strings are static. */
typedef struct volt_build_info {
    size_t struct_size; /* set by the caller */
    const char *version;
    const char *compiler;     /* name and version */
    const char *cpu_flags;    /* the machine flags of the build: "portable" or e.g. "-march=native" */
    const char *fast_loops;   /* the instruction set the fast loops picked at run time */
    const char *blas;         /* name, version and threading of the BLAS */
    int64_t threads;          /* what volt_threads() gives now */
    int64_t default_threads;  /* what volt_set_threads(0) gives */
    const char *threads_from; /* where `threads` comes from: OMP_NUM_THREADS, the processors, a quota, ... */
    uint64_t memory;          /* bytes that can be allocated now, 0 when unknown */
} volt_build_info;
VOLT_API volt_status volt_build_info_get(volt_build_info *info);

/* ---- matrix views ----------------------------------------------------------------------------- */

/* A writable view: entry (i, j) is data[i * ld + j], ld >= cols. */
typedef struct volt_matrix {
    double *data;
    int64_t rows, cols, ld;
} volt_matrix;

/* The same, read-only. */
typedef struct volt_view {
    const double *data;
    int64_t rows, cols, ld;
} volt_view;

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

/* Data `offset` numbers further on; NULL stays NULL. Static analysers would take the test for NULL as proof that the data of
 * any view may be NULL, so they see the function without it. */
static inline const double *volt_data_at(const double *data, int64_t offset)
{
#ifdef __clang_analyzer__
    return data + offset;
#else
    return data ? data + offset : NULL;
#endif
}

/* Rows first .. first + count - 1 of a view. */
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

/* A replacement for the library's allocator. alloc returns memory aligned to 64 bytes, or NULL;
 * release takes what alloc gave, or NULL. Both must be safe to call from several threads. */
typedef struct volt_allocator {
    void *(*alloc)(size_t bytes, void *context);
    void (*release)(void *memory, void *context);
    void *context;
} volt_allocator;

/* Use `allocator` from now on; NULL restores the default. Set it before anything is created: what
 * one allocator gave, the same one must take back. */
VOLT_API void volt_set_allocator(const volt_allocator *allocator);

/* Free what a function of this library handed over (the header of that function says so). */
VOLT_API void volt_free(void *memory);

/* ---- threads ---------------------------------------------------------------------------------- */

/* Threads for the library's loops and for BLAS, set in this one place for the whole process. count = 0 restores the
 * default (OMP_NUM_THREADS; else one for each processor that the process may run on and that the CPU quota of its control
 * group leaves it). VOLT_ERR_ARGUMENT when count < 0. Set it while no other thread is in
 * a call of the library.
 *
 * After fork() in a process that has several threads (every earlier call with more than one leaves some) the child
 * stays on one thread: the others are not there, and OpenMP would wait for them for ever. volt_threads() is 1
 * there, results are the same, and a larger count, here and below, is answered with VOLT_OK and a warning in the
 * log. A child that runs exec, or whose parent had one thread, has all threads. */
VOLT_API volt_status volt_set_threads(int64_t count);
/* What calls from this thread use. */
VOLT_API int64_t volt_threads(void);

/* Threads for calls from the calling thread alone, whatever other threads set or do; count = 0 (the default): as
 * the process. Calls of BLAS outside the library's loops run on one thread where this differs from the number of
 * the process. A BLAS with threads of its own (not OpenMP's) does not know this number. *before (may be NULL) receives the
 * number until now. */
VOLT_API volt_status volt_set_own_threads(int64_t count, int64_t *before);

/* ---- devices ---------------------------------------------------------------------------------- */

/* Where matrices live and are factored: on the CPU, or on a GPU through a plugin, libvolterra_cuda.so, that is found beside
 * this library or at VOLT_CUDA_PLUGIN (an absolute path). One choice for the whole process, made while no other thread is in
 * a call of the library:
 *
 *     "auto"    (the default) the first GPU, for work that a plan says it pays for and that fits there; else the CPU
 *     "cpu"
 *     "gpu"     the first GPU: everything the plugin covers runs there. "gpu:1": the second, and so on
 *
 * VOLT_ERR_ARGUMENT for any other word, VOLT_ERR_DEVICE with the reason when there is no such device: the choice then stays
 * as it was. */
VOLT_API volt_status volt_set_device(const char *device);

typedef struct volt_devices {
    size_t struct_size; /* set by the caller */
    const char *chosen; /* "auto", "cpu", or "gpu:0" and so on */
    int64_t count;      /* GPUs there are */
    const char *why;    /* count 0: why there is none, one sentence; otherwise "" */
    const char *plugin; /* the plugin, its version and its path; "" where there is none */
} volt_devices;
/* Texts are static. VOLT_ERR_ARGUMENT for a struct_size that no version had. */
VOLT_API volt_status volt_devices_get(volt_devices *devices);

/* All texts end with a zero. */
typedef struct volt_device_info {
    size_t struct_size;         /* set by the caller */
    char name[128];             /* "NVIDIA H200" */
    char driver[64];            /* "550.54, CUDA 12.4" */
    uint64_t memory, available; /* bytes in all, and now; 0 when unknown */
} volt_device_info;

/* VOLT_ERR_ARGUMENT when there is no such number. */
VOLT_API volt_status volt_device_get_info(int64_t device, volt_device_info *info);

/* ---- log -------------------------------------------------------------------------------------- */

typedef enum volt_log_level { VOLT_LOG_INFO, VOLT_LOG_WARNING } volt_log_level;
typedef void (*volt_log_fn)(volt_log_level level, const char *message, void *context);

/* Receive what the library has to say; NULL (the default) drops it. The library never prints. Set it while nothing runs;
 * it is called by the threads that work, by several at a time where several do. */
VOLT_API void volt_set_log(volt_log_fn log, void *context);

/* ---- progress --------------------------------------------------------------------------------- */

/* Called now and then, by the thread that called the library, with the stage ("gram", "factor", ...)
 * and the share of the whole call that is done, 0 to 1. Return nonzero to cancel: the call then ends
 * within a second with VOLT_ERR_CANCELLED and leaves nothing half-done. */
typedef int (*volt_progress_fn)(const char *stage, double fraction, void *context);

typedef struct volt_progress {
    volt_progress_fn report; /* (optional) */
    void *context;
} volt_progress;

/* ---- random numbers --------------------------------------------------------------------------- */

/* Philox 4x64-10 (Random123), a counter-based generator: the numbers depend on (seed, stream) alone,
 * not on the machine or the number of threads. Equals NumPy's Philox(key=[seed, stream]).
 * A plain value: copy it to repeat a sequence. */
typedef struct volt_rng {
    uint64_t seed, stream;
    uint64_t block; /* counter of the next block of four words */
    uint64_t words[4];
    int used;      /* words of the block already given out */
    int has_spare; /* a normal left over from the last pair */
    double spare;
} volt_rng;

VOLT_API void volt_rng_init(volt_rng *rng, uint64_t seed, uint64_t stream);
/* Uniform on [0, 1), 53 bits. */
VOLT_API double volt_rng_uniform(volt_rng *rng);
/* Standard normal (Box-Muller). */
VOLT_API double volt_rng_normal(volt_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
