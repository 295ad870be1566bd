/* tests/support/far_device.c: the arithmetic of a GPU in plain C, on memory that callers cannot access. */
#define _GNU_SOURCE
#include "support/far_device.h"

#include "run_grid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

volt_host far_host;

/* For tests and for a plugin. */
static void need(bool condition)
{
    if (!condition) {
        fprintf(stderr, "far_device: invalid call or no memory\n");
        abort();
    }
}

/* ---- memory ----------------------------------------------------------------------------------- */

typedef struct region {
    char *shadow; /* what callers see: no access */
    size_t size;
    char *real;
    int64_t device;
    struct region *next;
} region;

enum { MAX_DEVICES = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static region *regions;
static _Atomic int64_t live, filled, rows_run;
static _Atomic int64_t operations[MAX_DEVICES], lost_after[MAX_DEVICES], fails_alloc = -1;
static _Thread_local int64_t bound;

static void far_bind(int64_t device)
{
    need(device >= 0 && device < MAX_DEVICES);
    bound = device;
}

/* Counts an operation on the bound device. */
static void count(void)
{
    atomic_fetch_add(&operations[bound], 1);
}

static volt_status far_state(void)
{
    int64_t last = atomic_load(&lost_after[bound]);
    return last >= 0 && atomic_load(&operations[bound]) > last
               ? far_host.fail(VOLT_ERR_DEVICE, "the device %lld was lost", (long long)bound)
               : VOLT_OK;
}

static double *far_alloc(int64_t rows, int64_t cols)
{
    if (atomic_load(&fails_alloc) == bound) {
        far_host.fail(VOLT_ERR_MEMORY, "the memory of device %lld is full", (long long)bound);
        return NULL;
    }
    count();
    region *fresh = malloc(sizeof *fresh);
    need(fresh != NULL);
    fresh->device = bound;
    fresh->size = (size_t)(rows * cols) * sizeof(double) + sizeof(double);
    fresh->real = malloc(fresh->size);
    fresh->shadow = mmap(NULL, fresh->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    need(fresh->real && fresh->shadow != MAP_FAILED);
    pthread_mutex_lock(&lock);
    fresh->next = regions;
    regions = fresh;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&live, 1);
    return (double *)(void *)fresh->shadow;
}

static void far_release(double *memory)
{
    region *found = NULL;
    if (!memory)
        return;
    pthread_mutex_lock(&lock);
    for (region **at = &regions; *at; at = &(*at)->next)
        if ((*at)->shadow == (char *)memory) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    need(found);
    munmap(found->shadow, found->size);
    free(found->real);
    free(found);
    atomic_fetch_sub(&live, 1);
}

static double *real_of(const double *far)
{
    char *at = (char *)(size_t)far, *real = NULL;
    count();
    pthread_mutex_lock(&lock);
    for (region *r = regions; r; r = r->next)
        if (r->device == bound && at >= r->shadow && at < r->shadow + r->size)
            real = r->real + (at - r->shadow);
    pthread_mutex_unlock(&lock);
    if (!real) {
        fprintf(stderr, "far_backend: an operation was given an address that is not on its device\n");
        abort();
    }
    return (double *)(void *)real;
}

static volt_matrix near_matrix(volt_matrix A)
{
    volt_matrix real = {real_of(A.data), A.rows, A.cols, A.ld};
    return real;
}

static volt_view near_view(volt_view A)
{
    volt_view real = {real_of(A.data), A.rows, A.cols, A.ld};
    return real;
}

int64_t far_backends_live(void)
{
    return atomic_load(&live);
}

int64_t far_backends_filled(void)
{
    return atomic_load(&filled);
}

int64_t far_backends_rows_run(void)
{
    return atomic_load(&rows_run);
}

/* ---- operations: the CPU's, on the numbers themselves ----------------------------------------- */

#define CPU (*far_host.cpu)

static void far_put(volt_view here, volt_matrix there)
{
    CPU.put(here, near_matrix(there));
}

static void far_get(volt_view there, volt_matrix here)
{
    CPU.get(near_view(there), here);
}

static void far_shift(volt_matrix A, int64_t first, int64_t count, double common, double alpha, double *largest)
{
    CPU.shift(near_matrix(A), first, count, common, alpha, largest);
}

static void far_mirror(volt_matrix A, bool up)
{
    CPU.mirror(near_matrix(A), up);
}

static void far_isolate(volt_matrix A, int64_t i, int64_t first, int64_t count, double diagonal)
{
    CPU.isolate(near_matrix(A), i, first, count, diagonal);
}

static void far_trsm(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage)
{
    CPU.trsm(near_matrix(L), first, count, from, to, stage);
}

static void far_potrf(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot)
{
    CPU.potrf(near_matrix(L), from, to, stage, pivot);
}

static volt_status far_norm(volt_view A, double *norm)
{
    return CPU.norm(near_view(A), norm);
}

static volt_status far_rcond(volt_matrix L, double norm, double *rcond)
{
    return CPU.rcond(near_matrix(L), norm, rcond);
}

static void far_invert(volt_matrix L, volt_stage *stage)
{
    CPU.invert(near_matrix(L), stage);
}

static void far_update(volt_matrix R, volt_view B, double scale)
{
    CPU.update(near_matrix(R), B, scale);
}

static void far_forward(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B)
{
    CPU.forward(near_matrix(L), from, to, steady, B);
}

static void far_backward(volt_matrix L, bool steady, volt_matrix B)
{
    CPU.backward(near_matrix(L), steady, B);
}

static void far_gemm(volt_view A, bool transposed, volt_view B, const double *shift, bool steady, volt_matrix C)
{
    CPU.gemm(near_view(A), transposed, B, shift, steady, C);
}

static void far_gather(volt_view K, const int64_t *column, const double *shift, volt_matrix F)
{
    volt_view from = near_view(K);
    volt_matrix to = near_matrix(F);
    for (int64_t i = 0; i < F.rows; i++)
        for (int64_t a = 0; a < F.cols; a++)
            to.data[i * to.ld + a] = from.data[i * from.ld + column[a]] - shift[a];
}

static void far_accumulate(volt_view F, double scale, volt_matrix G)
{
    volt_view from = near_view(F);
    volt_matrix to = near_matrix(G);
    for (int64_t a = 0; a < G.rows; a++)
        for (int64_t b = 0; b <= a; b++) {
            double sum = scale == 0 ? 0 : scale * to.data[a * to.ld + b];
            for (int64_t i = 0; i < F.rows; i++)
                sum += from.data[i * from.ld + a] * from.data[i * from.ld + b];
            to.data[a * to.ld + b] = sum;
        }
}

/* ---- numeric kernel forms, by diagonals as on a GPU --------------------------------------------- */

/* Down the diagonal j - i = diagonal, as one thread of a GPU does. */
static void walk_diagonal(const volt_form_grid *g, int64_t diagonal, volt_matrix K)
{
    const volt_kernel_form *form = &g->form;
    double state[VOLT_FORM_FACTORS][VOLT_FORM_STATE] = {{0}};
    int64_t d = form->d, first = diagonal < 0 ? -diagonal : 0;
    for (int64_t i = first; i < g->h && i + diagonal < g->m; i++) {
        int64_t j = i + diagonal;
        double product = 0, sum = 0;
        for (int f = 0; f < form->n_factors; f++) {
            const volt_factor_form *factor = &form->factor[f];
            volt_form_enter(g, f, i, j, state[f]);
            double local =
                factor->window > 1
                    ? volt_form_window(g, f, i, j)
                    : volt_form_local(d, factor->distance != 0, g->rows + factor->slice * d * g->ld_rows + i,
                                      g->ld_rows, g->columns + factor->slice * d * g->ld_columns + j,
                                      g->ld_columns);
            volt_form_join(form, f, volt_form_step(&factor->step, local, state[f]), &product, &sum);
            for (int s = 0; i == g->h - 1 && s < factor->state_size; s++)
                g->end[(g->state[f] + s) * g->ld_top + j] = state[f][s];
        }
        K.data[i * K.ld + j] = sum;
    }
}

static bool walk_grid(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K)
{
    count();
    volt_form_grid grid;
    double *block = malloc((size_t)volt_form_grid_numbers(form, Z, Y) * sizeof *block);
    need(block); // cppcheck-suppress uninitdata; only the pointer is checked
    volt_form_grid_make(form, Z, Y, state, block, &grid);
    for (int64_t diagonal = -(grid.h - 1); diagonal < (grid.same ? 1 : grid.m); diagonal++)
        walk_diagonal(&grid, diagonal, near_matrix(K));
    volt_form_grid_state(&grid, grid.end, state);
    free(block);
    atomic_fetch_add(&filled, 1);
    return true;
}

static bool far_gram(const volt_kernel_form *form, volt_view Z, volt_matrix K, double *end, volt_stage *stage)
{
    (void)stage;
    return walk_grid(form, (volt_view){0}, Z, end, K);
}

static bool far_cross(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K,
                      volt_stage *stage)
{
    (void)stage;
    return walk_grid(form, Y, Z, state, K);
}

/* In blocks of rows, as on a GPU: each is used for both halves, and its final states enter the next one. */
static bool far_product(const volt_kernel_form *form, const volt_product_task *task, volt_stage *stage)
{
    enum { ROWS = 13 };
    count();
    volt_view Z = task->Z, V = task->V;
    volt_matrix C = task->C;
    int64_t n = Z.rows, last = task->first + task->count;
    volt_form_grid grid;
    double *block = malloc((size_t)volt_form_grid_numbers(form, Z, (volt_view){0}) * sizeof *block);
    need(block);
    volt_form_grid_make(form, Z, (volt_view){0}, NULL, block, &grid);
    double *K = malloc((size_t)(ROWS * n) * sizeof *K);
    double *states = malloc((size_t)(grid.states * n + 1) * sizeof *states), *ends[] = {grid.end, states};
    need(K && states);
    for (int64_t i = 0; V.data && i < n; i++)
        memset(C.data + i * C.ld, 0, (size_t)C.cols * sizeof(double));
    if (task->first > 0)
        memcpy(ends[0], task->before, (size_t)(grid.states * n) * sizeof(double));
    for (int64_t first = task->first, at = 0; first < last; first += ROWS, at = !at) {
        int64_t count = first + ROWS < last ? ROWS : last - first;
        volt_form_grid rows = volt_form_grid_rows(&grid, first, count, ends[at], ends[!at]);
        for (int64_t diagonal = -(count - 1); diagonal <= first; diagonal++)
            walk_diagonal(&rows, diagonal, volt_matrix_of(K, count, n));
        for (int64_t i = 0; V.data && i < count; i++)
            for (int64_t j = 0; j <= first + i; j++)
                for (int64_t k = 0; k < C.cols; k++) {
                    C.data[(first + i) * C.ld + k] += K[i * n + j] * V.data[j * V.ld + k];
                    if (j < first + i)
                        C.data[j * C.ld + k] += K[i * n + j] * V.data[(first + i) * V.ld + k];
                }
        grid.end = ends[!at];
    }
    if (task->after)
        memcpy(task->after, grid.end, (size_t)(grid.states * n) * sizeof(double));
    if (task->end && last == n)
        volt_form_grid_state(&grid, grid.end, task->end);
    free(states);
    free(K);
    free(block);
    atomic_fetch_add(&filled, 1);
    if (stage)
        far_host.advance(stage, task->count * (task->first + task->count / 2));
    return true;
}

static bool far_corner(const volt_kernel_form *form, volt_view Z, const int64_t *column, double shift,
                       volt_matrix L, volt_stage *stage)
{
    int64_t n = Z.rows;
    volt_form_grid grid;
    volt_matrix to = near_matrix(L);
    double *block = malloc((size_t)volt_form_grid_numbers(form, Z, (volt_view){0}) * sizeof *block);
    double *K = malloc((size_t)(n * n) * sizeof *K);
    need(block && K);
    volt_form_grid_make(form, Z, (volt_view){0}, NULL, block, &grid);
    for (int64_t diagonal = -(n - 1); diagonal <= 0; diagonal++)
        walk_diagonal(&grid, diagonal, volt_matrix_of(K, n, n));
    for (int64_t a = 0; a < L.rows; a++)
        for (int64_t b = 0; b < L.rows; b++) {
            int64_t i = column[a] > column[b] ? column[a] : column[b], j = column[a] + column[b] - i;
            to.data[a * to.ld + b] = K[i * n + j] - shift;
        }
    free(K);
    free(block);
    if (stage)
        far_host.advance(stage, n * n / 2);
    return true;
}

/* ---- free runs as on a GPU, with one lane ------------------------------------------------------- */

/* Row t: every entry, and the outputs that follow; true: the run has left its range. */
static bool run_row(const volt_run_grid *g, const volt_run_workspace *workspace, int64_t t, double *entries)
{
    int64_t m = g->grid.m;
    bool left = false;
    for (int64_t p = 0; p < m; p++)
        entries[(p + t) % m] = volt_run_entry(g, workspace, t % g->ring_rows, p, (p + t) % m);
    for (int64_t k = 0; k < g->q; k++) {
        double sum = 0;
        for (int64_t j = 0; j < m; j++)
            sum += entries[j] * g->list[RUN_COEFFICIENTS][k * m + j];
        left |= volt_run_output(g, workspace, t, k, sum);
    }
    volt_run_accept(g, workspace, t, true, 0, 1);
    return left;
}

static volt_run_result run_rows(const volt_run_grid *g, const volt_run_workspace *workspace, double *entries)
{
    volt_run_result result = {.end = VOLT_RUN_COMPLETE};
    volt_run_begin(g, workspace, 0, 1);
    for (int64_t t = 0; t < g->rows && result.end == VOLT_RUN_COMPLETE; t++) {
        int flags = volt_run_row(g, workspace, t, t % g->ring_rows, 0, 1);
        if (flags & VOLT_RUN_HOST_ROW) {
            result.end = VOLT_RUN_NEEDS_HOST;
            break;
        }
        result.outside += (flags & VOLT_RUN_COUNTED) != 0;
        for (int64_t i = 0; !g->chained && t + 1 < g->rows && i < g->inputs; i++)
            workspace->x[((t + 1) & 1) * g->inputs + i] = volt_run_given(g, t + 1, i);
        result.end = run_row(g, workspace, t, entries) ? VOLT_RUN_DIVERGED : VOLT_RUN_COMPLETE;
        result.done = t + 1;
    }
    return result;
}

static bool far_run(const volt_run_form *form, volt_view Y, volt_view coefficients, const volt_run_task *task,
                    volt_matrix out, volt_run_result *result)
{
    volt_run_layout layout = volt_run_layout_of(form, Y, task, out.rows);
    double *block = malloc((size_t)layout.total * sizeof *block),
           *there = malloc((size_t)layout.total * sizeof *there);
    volt_run_grid grid, moved;
    need(block && there);
    volt_run_grid_make(form, Y, coefficients, task, out.rows, block, &grid);
    double *memory = malloc((size_t)volt_run_workspace_numbers(&grid) * sizeof *memory),
           *entries = malloc((size_t)Y.rows * sizeof *entries);
    need(memory && entries);
    memcpy(there, block, (size_t)layout.total * sizeof *there); /* as on a device */
    moved = grid;
    volt_run_grid_move(&moved, block, there);
    volt_run_workspace workspace = volt_run_workspace_in(&moved, memory);
    volt_run_leave(&moved, &workspace, run_rows(&moved, &workspace, entries), 0, 1);
    memcpy(block + layout.back, there + layout.back, (size_t)(layout.back_end - layout.back) * sizeof *there);
    volt_run_grid_take(&grid, task, out, result);
    atomic_fetch_add(&rows_run, result->done);
    free(entries);
    free(memory);
    free(there);
    free(block);
    return true;
}

#define FAR_ENTRIES                                                                                           \
    .alloc = far_alloc, .release = far_release, .put = far_put, .get = far_get, .block = 1 << 26,             \
    .shift = far_shift, .mirror = far_mirror, .isolate = far_isolate, .trsm = far_trsm, .potrf = far_potrf,   \
    .norm = far_norm, .rcond = far_rcond, .invert = far_invert, .update = far_update, .forward = far_forward, \
    .backward = far_backward, .gemm = far_gemm, .gather = far_gather, .accumulate = far_accumulate

const volt_backend far_plain = {.name = "far", FAR_ENTRIES};
volt_backend far_device = {.name = "far-gram",
                           FAR_ENTRIES,
                           .gram = far_gram,
                           .cross = far_cross,
                           .product = far_product,
                           .corner = far_corner,
                           .run = far_run,
                           .state = far_state,
                           .bind = far_bind};

void far_backends_present(int64_t devices)
{
    need(devices >= 1 && devices <= MAX_DEVICES);
    far_device.devices = devices;
    atomic_store(&fails_alloc, -1);
    for (int64_t i = 0; i < MAX_DEVICES; i++) {
        atomic_store(&operations[i], 0);
        atomic_store(&lost_after[i], -1);
    }
}

void far_backends_fail_alloc(int64_t device)
{
    atomic_store(&fails_alloc, device);
}

void far_backends_lose(int64_t device, int64_t more)
{
    atomic_store(&lost_after[device], more < 0 ? -1 : atomic_load(&operations[device]) + more);
}

int64_t far_backends_operations(int64_t device)
{
    return atomic_load(&operations[device]);
}
