/* src/backend/backend.h: storage of large matrices, and the operations on them.
 *
 * A back end stores the n x n matrix: in the memory of this process, on a GPU, or distributed over the
 * processes of a job. Thin matrices (right-hand sides and predictions, n x q) are always in host memory; a
 * back end copies them as needed. The layers above (solve, model, select) use the current back end and do not
 * depend on where it runs. The CPU back end is backend/cpu_backend.c; a GPU back end comes from a plugin
 * (backend/plugin.h). Others can register:
 *
 *     static const volt_backend mine = {.name = "mine", .alloc = ..., ...};
 *     volt_backend_register(&mine);
 *     volt_backend_use("mine");
 *
 * Matrices are row-major. Only the lower triangle of symmetric matrices and factors is used. `data` of a
 * matrix at the back end is an address returned by alloc, or one inside that block (data + i * ld + j is entry
 * i, j). Only the back end may dereference it, unless it provides `map`. */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "base/kernel_form.h"
#include "base/progress.h"
#include "base/run_form.h"

/* Rows first .. first + count - 1 of the lower triangle of K, of the sequence Z (n x d) with itself; all in host
 * memory. C receives their contribution to K V: each entry is used for both halves, and the contributions of
 * bands that cover all rows add up to K V. The states between bands are volt_form_states() x n numbers. */
typedef struct volt_product_task {
    volt_view Z;
    int64_t first, count;
    volt_view V;          /* n x q; without data: nothing is multiplied */
    volt_matrix C;        /* n x q */
    const double *before; /* states after row first - 1; not read if first = 0 */
    double *after;        /* (optional) receives the states after the last row of the band; may be `before` */
    double *end;          /* (optional) as for gram, if the band includes row n - 1 */
} volt_product_task;

/* Every entry is REQUIRED unless marked (optional). Entries are called from several threads at once, each
 * with its own matrices. A stage may be NULL; it is advanced regularly, and cancelling it stops the work
 * early. `steady` requires results that do not depend on the number of threads; otherwise all threads may
 * share the sums. */
typedef struct volt_backend {
    const char *name;

    /* ---- memory: rows x cols numbers, not initialised; on failure NULL, with an error message ----  */
    double *(*alloc)(int64_t rows, int64_t cols);
    void (*release)(double *memory); /* NULL is allowed */
    void (*put)(volt_view host, volt_matrix device);
    void (*get)(volt_view device, volt_matrix host);
    /* (optional) The same matrix as a host pointer, for direct access. NULL: its memory is not accessible. */
    volt_matrix (*map)(volt_matrix device);
    int64_t block; /* (optional) numbers in a block of rows that keep it busy; 0: limited by the cache */

    /* ---- factorisation, in place ---- */

    /* Rows first .. first + count - 1 of A: *largest <- max(*largest, A_ii), then A - common 11' + alpha I. */
    void (*shift)(volt_matrix A, int64_t first, int64_t count, double common, double alpha, double *largest);
    /* Copies the strict lower triangle of A to the strict upper one, transposed (`up`), or back. No other
     * entry modifies the upper triangle of a factored matrix. */
    void (*mirror)(volt_matrix A, bool up);
    /* Removes row and column i from A, restricted to rows first .. first + count - 1: zeros, and A_ii =
     * diagonal. */
    void (*isolate)(volt_matrix A, int64_t i, int64_t first, int64_t count, double diagonal);
    /* Extends rows first .. first + count - 1, final up to column `from`, to column `to`. The leading block
     * is factored up to `to` (a product and a triangular solve). */
    void (*trsm)(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage);
    /* Factors the leading `to` rows (SYRK and POTRF). The leading `from` rows are factored, and rows from ..
     * to - 1 are final up to column `from`. *pivot is 0, or the 1-based row of the first non-positive pivot. */
    void (*potrf)(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot);
    /* 1-norm of the symmetric A, NaN when an entry is NaN; and, after factoring, the estimated reciprocal
     * condition number. VOLT_ERR_MEMORY. */
    volt_status (*norm)(volt_view A, double *norm);
    volt_status (*rcond)(volt_matrix L, double norm, double *rcond);

    /* Replaces the factor L by (L L')^{-1}, in its lower triangle. Independent of the number of threads. */
    void (*invert)(volt_matrix L, volt_stage *stage);
    /* R <- B B' + scale R in the lower triangle; B is thin and in host memory. Independent of the number of
     * threads. */
    void (*update)(volt_matrix R, volt_view B, double scale);

    /* ---- large times thin: B and C are in host memory ----  */

    /* B[from:to] <- L[from:to, from:to]^{-1} (B[from:to] - L[from:to, :from] B[:from]); B[:from] is already
     * solved. */
    void (*forward)(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B);
    /* B <- L[:m, :m]^{-T} B for the first m = B.rows rows. */
    void (*backward)(volt_matrix L, bool steady, volt_matrix B);
    /* C <- A B, or A' B (never steady), plus the C.cols numbers of `shift` in every row (NULL: none). */
    void (*gemm)(volt_view A, bool transposed, volt_view B, const double *shift, bool steady, volt_matrix C);

    /* ---- features (optional, both or neither): matrices are at the back end, lists of numbers in host
     * memory ---- */

    /* F[i][a] <- K[i][column[a]] - shift[a], of F.cols columns. */
    void (*gather)(volt_view K, const int64_t *column, const double *shift, volt_matrix F);
    /* G <- F'F + scale G, in the lower triangle; with scale 0, G need not be initialised. */
    void (*accumulate)(volt_view F, double scale, volt_matrix G);

    /* ---- kernel matrices, of kernels that have a numeric form (base/kernel_form.h) ----  */

    /* (optional) The lower triangle of K, of the sequence Z (n x d, in host memory) from a zero initial
     * state; each record of the form starts from a zero state. `end` receives the state after the last row,
     * in the format of volt_state_get. False when the back end does not support this kernel: the host then
     * computes the rows and uploads them. */
    bool (*gram)(const volt_kernel_form *form, volt_view Z, volt_matrix K, double *end, volt_stage *stage);
    /* (optional) Rows Z of a sequence against the columns of Y (both in host memory), K being Z.rows x
     * Y.rows. `state` is the state before the first row, in the format of volt_state_get, and is updated to
     * the state after the last row. False as above. */
    bool (*cross)(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K,
                  volt_stage *stage);
    /* (optional) The product of a band of rows, without storing K. False as above. */
    bool (*product)(const volt_kernel_form *form, const volt_product_task *task, volt_stage *stage);
    /* (optional) L[a][b] <- K[column[a]][column[b]] - shift: some rows and columns, in any order, of the sequence
     * Z with itself; L is at the back end. False as above. */
    bool (*corner)(const volt_kernel_form *form, volt_view Z, const int64_t *column, double shift,
                   volt_matrix L, volt_stage *stage);
    /* (optional) A free run through the columns of Y, with contiguous coefficients (q x Y.rows), all in host
     * memory: the first result->done rows of `out`, and the state after them. False as above, or when the
     * run is too large for the device; then nothing has changed. */
    bool (*run)(const volt_run_form *form, volt_view Y, volt_view coefficients, const volt_run_task *task,
                volt_matrix out, volt_run_result *result);
    /* (optional) Estimated seconds of a free run of `rows` rows against m columns of d numbers; NULL: always
     * use it. */
    double (*run_seconds)(double rows, double m, double d);

    /* ---- devices: can fail, and have their own memory and speed ---- -------- */

    /* (optional) VOLT_OK, or VOLT_ERR_DEVICE with the message of the first failure since it was opened.
     * After a failure every entry returns at once with invalid results; entries without a status report it
     * only here. */
    volt_status (*state)(void);
    /* (optional) Bytes that alloc could return now, 0 when unknown; and the bytes needed to factor n rows in
     * place, including workspace (NULL: those of the matrix). */
    uint64_t (*available)(void);
    double (*bytes)(double n);
    /* (optional) Estimated seconds of a Gram matrix of n rows of d inputs, and of its factor. */
    void (*seconds)(double n, double d, double *gram, double *factor);
    int64_t streams; /* (optional) search trials that keep a device busy; 0: one for each host thread */

    /* (optional) Number of devices, each with its own memory and first failure; 0: one. All entries use the device
     * that the calling thread has bound, which is device 0 until it binds another one. `release` also accepts
     * memory of another device. Callers use volt_backend_bind. */
    int64_t devices;
    void (*bind)(int64_t device);
} volt_backend;

/* The CPU back end, always registered (backend/cpu_backend.c). */
extern const volt_backend volt_cpu_backend;

/* Units that a stage counts in potrf of n rows: n^3 / 3 operations in tiles of this many rows. Their number
 * depends only on n, so that rounding does not depend on the number of threads. */
static inline int64_t volt_backend_tile(int64_t n)
{
    /* 192: sixteen cores wait for the diagonal tiles of a few thousand rows otherwise */
    return n < 2048 ? 256 : n < 6000 ? 192 : n < 10000 ? 256 : n < 16000 ? 384 : 512;
}

static inline double volt_backend_potrf_units(int64_t n)
{
    double tiles = (double)((n + volt_backend_tile(n) - 1) / volt_backend_tile(n));
    return tiles * tiles * tiles;
}

/* Host view of a matrix at the back end; without data when the host cannot access it. */
static inline volt_matrix volt_backend_map(const volt_backend *backend, volt_matrix device)
{
    return backend->map ? backend->map(device) : (volt_matrix){0};
}

static inline bool volt_backend_is_remote(const volt_backend *backend)
{
    return !backend->map;
}

/* Bytes of a matrix at the back end outside this process's memory: all of them, or none. */
static inline double volt_backend_remote_bytes(const volt_backend *backend, double bytes)
{
    return backend->map ? 0 : bytes;
}

/* Status of the back end: VOLT_OK unless the device has failed. */
static inline volt_status volt_backend_state(const volt_backend *backend)
{
    return backend->state ? backend->state() : VOLT_OK;
}

static inline int64_t volt_backend_devices(const volt_backend *backend)
{
    return backend->devices > 1 && backend->bind ? backend->devices : 1;
}

/* Binds the calling thread to a device of the back end and returns the device that was bound before. Does nothing
 * with a single device. A thread that binds a device restores the previous one when it is done; a thread that it
 * starts binds volt_backend_bound() of its creator. */
int64_t volt_backend_bind(const volt_backend *backend, int64_t device);
int64_t volt_backend_bound(void);

/* Bytes at the back end needed to factor n rows in place. */
static inline double volt_backend_bytes(const volt_backend *backend, double n)
{
    return backend->bytes ? backend->bytes(n) : 8 * n * n;
}

/* Registers a back end; the struct must remain valid. VOLT_ERR_ARGUMENT when a required entry is missing,
 * the name is taken or the table is full. Do not call it, or volt_backend_use, while another thread is in a
 * call of the library. */
volt_status volt_backend_register(const volt_backend *backend);

/* Entry i of the table, from 0; NULL after the last. */
const volt_backend *volt_backend_at(int64_t i);

/* Selects a back end by name. VOLT_ERR_ARGUMENT lists the available names. */
volt_status volt_backend_use(const char *name);
/* Sets the back end of a job, which distributes matrices over its processes; NULL: none. It takes precedence for
 * matrices. Rows that are divided among the processes (base/row_bands.h) use the device of each process. */
void volt_backend_share(const volt_backend *job);
/* The back end of the job, otherwise the selected one; the CPU back end when the work decides. */
const volt_backend *volt_backend_current(void);
/* The selected back end, also in a job; NULL when the work decides. */
const volt_backend *volt_backend_chosen(void);

/* For volt_set_device: check the name and the required entries (VOLT_ERR_ARGUMENT); select a back end that
 * need not be registered, where NULL restores the default, chosen by the work (solve/landmark/placement.h);
 * and report whether that default is active. */
volt_status volt_backend_check(const volt_backend *backend);
void volt_backend_set(const volt_backend *backend);
bool volt_backend_is_automatic(void);

/* ---- the devices of the plugin (backend/plugin.h); one list of them is open at a time -------------- */

/* The back end for work that is placed automatically: the open devices, otherwise the first device, which is
 * opened. NULL without a device. A device that failed to open is not tried again. Callable from any thread. */
const volt_backend *volt_device_backend(void);

/* For process `index` of those on this machine: it uses one device, the one at `index` modulo the length of the
 * chosen list, or modulo the number of devices if no list is chosen. -1: the default. No device may be open. */
void volt_device_own(int64_t index);

/* Closes the open device, restores automatic choice, and searches for the plugin again when it is next
 * needed. For tests. */
void volt_device_reset(void);

/* "auto", "cpu", or "gpu:0", "gpu:0,1" and so on. */
const char *volt_device(void);
/* The devices in use by this back end: "cpu", or the open ones. */
const char *volt_device_of(const volt_backend *backend);
/* Number of GPUs. 0 without a GPU or plugin; volt_device_error() returns the reason. */
int64_t volt_device_count(void);
const char *volt_device_error(void);
/* Name, version and path of the plugin; "" without a plugin. Static. */
const char *volt_device_plugin(void);

/* ---- one fit on several devices of a back end -------------------------------------------------------- */

/* A team has one thread for each device. The threads run the same calls with the same numbers as the parts of a
 * job (base/row_bands.h): each computes its bands on its own device, and the sums are added over the threads in
 * the order of the parts. Everything that works in a job of several processes therefore works on several devices.
 *
 * Lock discipline: the lock of the team protects the count of waiting threads, the generation and the flag that
 * stops the team. Numbers that are added belong to their threads. Between the two barriers of a sum, thread p is the
 * only one that reads or writes slice p of the numbers of all threads. */

/* The work of one part. `progress` replaces the user's: part 0 forwards to the user, the others only stop when
 * another part has failed or was cancelled. */
typedef volt_status (*volt_team_fn)(int64_t part, volt_progress progress, void *context);

/* Runs the work on all devices of the back end, part 0 in the calling thread, with the threads of the call divided
 * among the parts. Returns the status of the part that failed first, with its message. Messages to the log are those of part 0. VOLT_ERR_MEMORY if a thread cannot be started. */
volt_status volt_team_run(const volt_backend *backend, volt_progress progress, volt_team_fn work,
                          void *context);

#endif
