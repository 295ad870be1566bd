/* src/base/backend.h: where large matrices live, and the operations that run there.
 *
 * A back end keeps the n x n matrix: in this process's memory, on a GPU, over the processes of a job. What is thin,
 * right-hand sides and forecasts of n x q numbers, lies here in every case; a back end moves it as it needs.
 * Everything above (solve, model, select) works through the one that is current and knows nothing of where it
 * runs. The CPU's is solve/exact/cpu_backend.c; a GPU's comes in a plugin (base/plugin.h), and others may register:
 *
 *     static const volt_backend mine = {.name = "mine", .alloc = ..., ...};
 *     volt_backend_register(&mine);
 *     volt_backend_use("mine");
 *
 * Matrices are row-major, and of symmetric ones and of factors the lower triangle counts. `data` of a matrix at the
 * back end is an address that alloc gave, or one inside of it (data + i * ld + j is entry i, j), to be read by the
 * back end alone unless it offers `map`. */
#ifndef BASE_BACKEND_H
#define BASE_BACKEND_H

#include "base/kernel_form.h"
#include "base/progress.h"
#include "base/run_form.h"

/* Every entry is REQUIRED unless it says (optional). Entries are called from several threads at a time, each with
 * matrices of its own. A stage, which may be NULL, is advanced now and then; cancelled, it leaves the work
 * unfinished. `steady` asks for the same bits whatever the number of threads; without it, all of them may share the
 * sums. */
typedef struct volt_backend {
    const char *name;

    /* ---- memory: rows x cols numbers, not initialised; NULL with the sentence of the failure ---- */
    double *(*alloc)(int64_t rows, int64_t cols);
    void (*release)(double *memory); /* NULL is fine */
    void (*put)(volt_view here, volt_matrix there);
    void (*get)(volt_view there, volt_matrix here);
    /* (optional) The same matrix as this process reads and writes it in place. NULL: its memory lies elsewhere. */
    volt_matrix (*map)(volt_matrix there);
    int64_t block; /* (optional) numbers in a block of rows that keep it busy; 0: as many as stay in cache */

    /* ---- factorisation, in place ---- */

    /* Rows first .. first + count - 1 of A: *largest <- max(*largest, A_ii), then A - common 11' + alpha I. */
    void (*shift)(volt_matrix A, int64_t first, int64_t count, double common, double alpha, double *largest);
    /* The strict lower triangle of A to the strict upper one, transposed (`up`), or back. No other entry touches the
     * upper triangle of a matrix that is factored. */
    void (*mirror)(volt_matrix A, bool up);
    /* Take row and column i out of A, as far as they lie in rows first .. first + count - 1: zeros, and A_ii = diagonal. */
    void (*isolate)(volt_matrix A, int64_t i, int64_t first, int64_t count, double diagonal);
    /* Rows first .. first + count - 1, final up to column `from`, become final up to column `to`, up to which the
     * leading block is factored (a product and a triangular solve: solve/exact/cholesky_grow.h). */
    void (*trsm)(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage);
    /* The leading `from` rows are factored, and rows from .. to - 1 final up to column `from`: factor the leading
     * `to` rows (SYRK and POTRF). *pivot is 0, or the 1-based row of the pivot that was not positive. */
    void (*potrf)(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot);
    /* 1-norm of the symmetric A, NaN when an entry is; and, once it is factored, the estimated reciprocal of its
     * condition number. VOLT_ERR_MEMORY. */
    volt_status (*norm)(volt_view A, double *norm);
    volt_status (*rcond)(volt_matrix L, double norm, double *rcond);

    /* The factor L becomes (L L')^{-1}, in its lower triangle. The same bits whatever the number of threads, as is ... */
    void (*invert)(volt_matrix L, volt_stage *stage);
    /* ... R <- B B' + scale R in the lower triangle, B being thin and here. */
    void (*update)(volt_matrix R, volt_view B, double scale);

    /* ---- large times thin: B and C lie here ---- */

    /* B[from:to] <- L[from:to, from:to]^{-1} (B[from:to] - L[from:to, :from] B[:from]), B[:from] being solved. */
    void (*forward)(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B);
    /* B <- L[:m, :m]^{-T} B for the first m = B.rows rows. */
    void (*backward)(volt_matrix L, bool steady, volt_matrix B);
    /* C <- A B, or A' B (never steady), plus the C.cols numbers of `shift` in every row (NULL: nothing). */
    void (*gemm)(volt_view A, bool transposed, volt_view B, const double *shift, bool steady, volt_matrix C);

    /* ---- features (optional, both or neither): all of it lies there but the lists of numbers ---- */

    /* F[i][a] <- K[i][column[a]] - shift[a], of F.cols columns. */
    void (*gather)(volt_view K, const int64_t *column, const double *shift, volt_matrix F);
    /* G <- F'F + scale G, in the lower triangle; where scale is 0, G may hold anything. */
    void (*accumulate)(volt_view F, double scale, volt_matrix G);

    /* ---- kernel matrices, of kernels that are numbers alone (base/kernel_form.h) ---- */

    /* (optional) The lower triangle of K, of the sequence Z (n x d, here) after a zero past; where the form has records,
     * each after its own. `end` receives the state of the past after the last row, as volt_state_get gives it. False when
     * this kernel is not one that runs there: rows are then made here, and put. */
    bool (*gram)(const volt_kernel_form *form, volt_view Z, volt_matrix K, double *end, volt_stage *stage);
    /* (optional) Rows Z of a sequence against the columns of Y (both here), K being Z.rows x Y.rows. `state` is that of
     * the past before the first row, as volt_state_get gives it, and becomes that after the last. False as above. */
    bool (*cross)(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K,
                  volt_stage *stage);
    /* (optional) A free run through the columns of Y, whose coefficients (q x Y.rows) are contiguous, all here: the first
     * result->done rows of `out`, and the state after them. False as above, or when it is too large for what it runs on: then
     * nothing has happened. */
    bool (*run)(const volt_run_form *form, volt_view Y, volt_view coefficients, const volt_run_task *task,
                volt_matrix out, volt_run_result *result);
    /* (optional) Roughly the seconds of a free run of so many rows against m columns of d numbers; NULL: it always pays. */
    double (*run_seconds)(double rows, double m, double d);

    /* ---- a device: what may be lost, and has memory and speed of its own ---- */

    /* (optional) VOLT_OK, or VOLT_ERR_DEVICE with the sentence of the first failure since it was opened. After one every
     * entry returns at once and its results are of no use; those that cannot say so leave it to this one. */
    volt_status (*state)(void);
    /* (optional) Bytes that alloc could give now, 0 when unknown; and how many it takes to factor n rows in place, work
     * space included: NULL, those of the matrix. */
    uint64_t (*available)(void);
    double (*bytes)(double n);
    /* (optional) Roughly the seconds of a Gram matrix of n rows of d inputs, and of its factor. */
    void (*seconds)(double n, double d, double *gram, double *factor);
    int64_t streams; /* (optional) candidates of a search that keep it busy; 0: one for each thread here */
} volt_backend;

/* The CPU, which is there from the start (solve/exact/cpu_backend.c). */
extern const volt_backend volt_cpu_backend;

/* Units that a stage counts of potrf of n rows: those of n^3 / 3 operations in tiles of so many rows. */
static inline int64_t volt_backend_tile(int64_t n)
{
    return n < 10000 ? 256 : n < 16000 ? 384 : 512;
}

static inline double volt_backend_potrf_units(int64_t n)
{
    double tiles = (double)((n + volt_backend_tile(n) - 1) / volt_backend_tile(n));
    return tiles * tiles * tiles;
}

/* A matrix at the back end as this process reads and writes it; no data: it cannot. */
static inline volt_matrix volt_backend_map(const volt_backend *backend, volt_matrix there)
{
    return backend->map ? backend->map(there) : (volt_matrix){0};
}

static inline bool volt_backend_is_elsewhere(const volt_backend *backend)
{
    return !backend->map;
}

/* How many of the bytes of a matrix at the back end are not this process's: all of them, or none. */
static inline double volt_backend_elsewhere(const volt_backend *backend, double bytes)
{
    return backend->map ? 0 : bytes;
}

/* Has it worked so far? */
static inline volt_status volt_backend_state(const volt_backend *backend)
{
    return backend->state ? backend->state() : VOLT_OK;
}

/* Bytes there that factoring n rows in place takes. */
static inline double volt_backend_bytes(const volt_backend *backend, double n)
{
    return backend->bytes ? backend->bytes(n) : 8 * n * n;
}

/* Add a back end, which must stay where it is. VOLT_ERR_ARGUMENT when a required entry is missing, the name is taken
 * or the table is full. Not while another thread is in a call of the library; the same for the choice. */
VOLT_API volt_status volt_backend_register(const volt_backend *backend);

/* Number i of the table, from 0; NULL after the last. */
VOLT_API const volt_backend *volt_backend_at(int64_t i);

/* Choose by name. VOLT_ERR_ARGUMENT with the names there are. */
VOLT_API volt_status volt_backend_use(const char *name);
/* The one chosen; the CPU's where the work decides. */
VOLT_API const volt_backend *volt_backend_current(void);

/* For volt_set_device: has it a name and all that is required (VOLT_ERR_ARGUMENT)? Choose one that is in no table; NULL, as
 * at the start: the work decides (solve/landmark/placement.h), and does it? */
volt_status volt_backend_check(const volt_backend *backend);
void volt_backend_set(const volt_backend *backend);
bool volt_backend_is_automatic(void);

/* ---- the devices of the plugin (base/plugin.h), one of which may be open ----------------------- */

/* For work that may go where it pays: the back end of the device that is open, of the first one otherwise, which is
 * opened. NULL where there is none; a device that could not be opened is not tried again. From any thread. */
const volt_backend *volt_device_backend(void);

/* Close what is open, choose automatically as at the start, and look for the plugin again when it is next needed. For
 * tests. */
void volt_device_reset(void);

/* "auto", "cpu", or "gpu:0" and so on. */
const char *volt_device(void);
/* GPUs there are. 0 where there is none or no plugin: volt_device_why() says in one sentence why. */
int64_t volt_device_count(void);
const char *volt_device_why(void);
/* The plugin, its version and where it lies; "" where there is none. Static. */
const char *volt_device_plugin(void);

#endif
