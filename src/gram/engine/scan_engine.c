/* src/gram/engine/scan_engine.c: the state of a diagonal scan, advanced in place.
 *
 * The states of the last row against every column are in a buffer, ordered by diagonal. With every row, each
 * diagonal moves one column to the right, which is one position to the left in the buffer. Nothing is copied
 * until the start of the buffer is reached; then the states move to its end. A column that leaves moves the
 * others one position to the right. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "gram/engine/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A walk along the border: the states of a sequence against rows that are all `origin` (NULL: zero), whose number
 * of scan->own is origin_own. */
typedef struct volt_scan_border {
    const volt_scan *scan;
    const double *origin;
    double origin_own;
    double local; /* internal: of the last step ... */
    bool settled; /* ... which did not change the state: the next step with the same value is skipped */
} volt_scan_border;

/* ---- bands of diagonals, tiles of four rows, one step function per kernel ---------------------------- */

enum {
    BAND = 256, /* maximum number of diagonals in a band: its columns of a tile stay in the first-level cache */
    MIN_BAND =
        120,    /* narrower bands write rows of K in short pieces: 0.65 of the speed at 88 diagonals, AVX-512 */
    BANDS = 25, /* of a triangle, for many threads: the longest band has 2 / BANDS of the entries */
    MIN_SIZE = 2048, /* fewer diagonals have bands of BAND */
    ROWS = VOLT_SCAN_ROWS,
    CHUNK = VOLT_COLUMNS_CHUNK,
    /* Columns before the first one, for alignment, and a chunk that exceeds the last. */
    TILE_LD = BAND + 2 * CHUNK + (VOLT_PRODUCT_ALIGN > 1 ? VOLT_PRODUCT_ALIGN : 0)
};

/* Numbers of ROWS rows from `row` on, from column `first` on. */
typedef struct tile {
    _Alignas(8 * VOLT_PRODUCT_ALIGN) double at[ROWS * TILE_LD];
} tile;

/* Destination of entries: entry (i, j) is data[(i - row) ld + j - first]. */
typedef struct entries {
    double *data;
    int64_t ld, row, first;
} entries;

/* The part of the grid that a band of diagonals low .. high - 1 has in rows row .. row + rows - 1. */
typedef struct piece {
    int64_t row, rows, low, high;
    int64_t first, end; /* its columns, starting at a cache line */
} piece;

/* Step down rows row .. row + rows - 1 of the diagonals j - i = from .. to - 1. */
static void step_diagonals(const volt_scan_grid *grid, const piece *p, tile *local, const entries *out,
                           int64_t row, int64_t rows, int64_t from, int64_t to)
{
    if (to <= from)
        return;
    double *values = local->at + (row - p->row) * TILE_LD + (row + from - p->first);
    double *state = grid->state + (from + grid->rows.rows - 1);
    double *entry = out->data + (row - out->row) * out->ld + (row + from - out->first);
    const volt_scan *scan = grid->scan;
    volt_scan with_own;
    if (scan->own) {
        with_own = *scan;
        with_own.own_rows = grid->own + row;
        with_own.own_columns = volt_columns_own(grid->columns) + row + from;
        scan = &with_own;
    }
    /* One row down the same diagonal is one column to the right: hence the + 1. */
    scan->step(scan, rows, values, TILE_LD + 1, state, grid->stride, entry, out->ld + 1, to - from);
}

static void run_piece(const volt_scan_grid *grid, const piece *p, const entries *out)
{
    int64_t m = grid->columns->m, row = p->row, rows = p->rows, last = row + rows - 1;
    tile local;
    volt_columns_local(grid->columns, grid->rows.data + row * grid->rows.ld, grid->rows.ld,
                       grid->row_norms ? grid->row_norms + row : NULL, rows, p->first, p->end - p->first,
                       local.at, TILE_LD);
    if (grid->diagonal >= 0 && grid->scan->distance && p->high > grid->diagonal)
        for (int64_t i = row; i <= last; i++) /* a row is at distance 0 from itself, regardless of rounding */
            local.at[(i - row) * TILE_LD + (i + grid->diagonal - p->first)] = 0;

    /* Diagonals shared by all rows are processed together; the ends, where a diagonal enters the grid at the
     * left or leaves it at the right, row by row. */
    int64_t shared_low = volt_max(p->low, -row), shared_high = volt_min(p->high, m - last);
    if (shared_low >= shared_high || rows == 1) {
        for (int64_t i = row; i <= last; i++)
            step_diagonals(grid, p, &local, out, i, 1, volt_max(p->low, -i), volt_min(p->high, m - i));
        return;
    }
    for (int64_t i = row; i <= last; i++)
        step_diagonals(grid, p, &local, out, i, 1, shared_high, volt_min(p->high, m - i));
    step_diagonals(grid, p, &local, out, row, rows, shared_low, shared_high);
    for (int64_t i = row; i <= last; i++)
        step_diagonals(grid, p, &local, out, i, 1, volt_max(p->low, -i), shared_low);
}

/* ---- sums of products: all factors, a piece at a time ------------------------------------------ */

/* P <- P Q on the columns first .. end - 1 of row i. */
static void multiply_row(const piece *p, int64_t i, int64_t first, int64_t end, tile *P, const tile *Q)
{
    int64_t at = (i - p->row) * TILE_LD - p->first;
    for (int64_t j = at + first; j < at + end; j++)
        P->at[j] *= Q->at[j];
}

/* K <- w P there, or K + w P. */
static void add_row(const piece *p, int64_t i, int64_t first, int64_t end, double weight, const tile *P,
                    bool begins, volt_matrix K)
{
    const double *product = P->at + (i - p->row) * TILE_LD - p->first;
    double *row = K.data + i * K.ld;
    if (begins)
        for (int64_t j = first; j < end; j++)
            row[j] = weight * product[j];
    else
        for (int64_t j = first; j < end; j++)
            row[j] += weight * product[j];
}

static void run_factors(const volt_scan_grid *grids, const volt_sum *sum, const piece *p, volt_matrix K)
{
    int64_t m = grids->columns->m;
    /* A first term of one factor needs no separate tile. */
    bool straight = volt_sum_ends_term(sum, 0) && sum->weight[0] == 1;
    tile product, factor;
    if (straight)
        run_piece(grids, p, &(entries){.data = K.data, .ld = K.ld});
    for (int64_t f = straight; f < sum->n_factors; f++) {
        bool begins = volt_sum_begins_term(sum, f);
        tile *values = begins ? &product : &factor;
        run_piece(&grids[f], p, &(entries){values->at, TILE_LD, p->row, p->first});
        for (int64_t i = p->row; i < p->row + p->rows; i++) {
            int64_t first = volt_max(0, i + p->low), end = volt_min(m, i + p->high);
            if (!begins)
                multiply_row(p, i, first, end, &product, &factor);
            if (volt_sum_ends_term(sum, f))
                add_row(p, i, first, end, sum->weight[sum->term[f]], &product, sum->term[f] == 0, K);
        }
    }
}

/* ---- the grid ---------------------------------------------------------------------------------- */

/* Diagonals low .. high - 1, in bands of `band` from `high` down. */
/* The tile of diagonals low .. high - 1 that begins in rows from .. from + ROWS - 1, if any. */
static bool run_tile(const volt_scan_grid *grids, const volt_sum *sum, volt_matrix K, int64_t low, int64_t high,
                     int64_t from, volt_stage *stage)
{
    int64_t n = grids->rows.rows, m = grids->columns->m;
    int64_t first_row = volt_max(0, -(high - 1)), end_row = volt_min(n, m - low);
    int64_t row = from <= first_row ? first_row : first_row + (from - first_row + ROWS - 1) / ROWS * ROWS;
    if (row >= from + ROWS || row >= end_row)
        return true;
    piece p = {.row = row, .rows = volt_min(ROWS, end_row - row), .low = low, .high = high};
    p.first = volt_max(row + low, 0);
    p.first -= p.first % VOLT_PRODUCT_ALIGN;
    p.end = volt_min(row + p.rows - 1 + high, m);
    if (sum)
        run_factors(grids, sum, &p, K);
    else
        run_piece(grids, &p, &(entries){.data = K.data, .ld = K.ld});
    return !stage || volt_stage_advance(stage, p.rows * (high - low));
}

/* Tile by tile, all bands side by side: rows of K are then written in longer pieces. */
static void run_group(const volt_scan_grid *grids, const volt_sum *sum, volt_matrix K, int64_t low, int64_t end,
                      int64_t band, volt_stage *stage)
{
    int64_t first_row = volt_max(0, -(end - 1)), end_row = volt_min(grids->rows.rows, grids->columns->m - low);
    for (int64_t row = first_row; row < end_row; row += ROWS)
        for (int64_t high = end; high > low; high -= band)
            if (!run_tile(grids, sum, K, volt_max(low, high - band), high, row, stage))
                return;
}

void volt_scan_run(const volt_scan_grid *grids, const volt_sum *sum, volt_matrix K, volt_stage *stage)
{
    int64_t n = grids->rows.rows, m = grids->columns->m;
    int64_t lowest = -(n - 1),
            highest = volt_diagonal_end(grids->diagonal, 0, m); /* diagonals lowest .. highest - 1 */
    double work = (double)n * (double)m * (double)(grids->columns->d + 8) * (double)(sum ? sum->n_factors : 1);
    /* The size depends only on the grid, because rounding depends on the ends of a band. */
    int64_t size = highest - lowest;
    int64_t band = size < MIN_SIZE ? BAND : volt_max(MIN_BAND, volt_min(BAND, size / BANDS / CHUNK * CHUNK));
    int64_t bands = (highest - lowest + band - 1) / band;
    /* One thread takes neighbouring bands together as long as every thread has two groups. */
    int64_t threads = volt_threads_for(work),
            together = volt_max(1, volt_min(BAND / band, bands / (2 * threads)));
    int64_t groups = (bands + together - 1) / together;

    /* From the long diagonals to the short ones, for load balance. */
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (int64_t g = 0; g < groups; g++) {
        int64_t high = highest - g * together * band;
        run_group(grids, sum, K, volt_max(lowest, high - together * band), high, band, stage);
    }
}

/* ---- constant rows ----------------------------------------------------------------------------- */

enum { MAX_STEPS = 1000000 }; /* of an iteration to a fixed point */

/* The local value of z and `origin`. */
static double local_value(const volt_scan *scan, const double *z, const double *origin, int64_t d)
{
    double local = 0;
    for (int64_t k = 0; scan->distance && k < d; k++) {
        double gap = origin ? z[k] - origin[k] : z[k];
        local += gap * gap;
    }
    for (int64_t k = 0; !scan->distance && origin && k < d; k++)
        local += z[k] * origin[k];
    return local;
}

/* One step of one diagonal, for rows with these numbers of their own. */
static void step_one(const volt_scan *scan, double own_row, double own_column, double local, double *state)
{
    volt_scan with_own = *scan;
    double value;
    with_own.own_rows = &own_row;
    with_own.own_columns = &own_column;
    scan->step(&with_own, 1, &local, 1, state, 1, &value, 1, 1);
}

static double square_of(const double *z, int64_t d)
{
    double square = 0;
    for (int64_t k = 0; z && k < d; k++)
        square += z[k] * z[k];
    return square;
}

double volt_scan_own_rest(const volt_scan *scan, const double *x, int64_t d, double *kept)
{
    double unused = scan->own_start, *at = kept ? kept : &unused, before = NAN, own = 0;
    *at = scan->own_start;
    if (!scan->own)
        return 0;
    for (int64_t i = 0; i < MAX_STEPS && *at != before; i++) {
        before = *at;
        own = scan->own(scan, square_of(x, d), at);
    }
    return own;
}

void volt_scan_own_rows(const volt_scan *scan, volt_view Z, double *kept, double *own)
{
    for (int64_t i = 0; scan->own && i < Z.rows; i++)
        own[i] = scan->own(scan, square_of(Z.data + i * Z.ld, Z.cols), kept);
}

void volt_scan_rest(const volt_scan *scan, const double *x, const double *y, int64_t d, double *state)
{
    memcpy(state, scan->start, sizeof scan->start);
    if (!x)
        return;
    double constant = local_value(scan, x, y, d);
    if (scan->rest) {
        scan->rest(scan, constant, state);
        return;
    }
    double own_x = volt_scan_own_rest(scan, x, d, NULL), own_y = volt_scan_own_rest(scan, y, d, NULL);
    bool moves = scan->state_size > 0;
    for (int64_t i = 0; i < MAX_STEPS && moves; i++) {
        double before[VOLT_MAX_STATE];
        memcpy(before, state, sizeof before);
        step_one(scan, own_x, own_y, constant, state);
        moves = false;
        for (int s = 0; s < scan->state_size; s++)
            moves |= fabs(state[s] - before[s]) > DBL_EPSILON / 2 * fabs(state[s]);
    }
}

/* Advances border[] (VOLT_MAX_STATE numbers) by the row z (d numbers, not centred) with its number of scan->own. */
static void scan_border_step(volt_scan_border *b, const double *z, double own, int64_t d, double *border)
{
    const volt_scan *scan = b->scan;
    double local = local_value(scan, z, b->origin, d), before[VOLT_MAX_STATE];
    if (b->settled && local == b->local)
        return;
    memcpy(before, border, sizeof before);
    step_one(scan, own, b->origin_own, local, border);
    b->local = local;
    b->settled = !scan->own && memcmp(before, border, (size_t)scan->state_size * sizeof *border) == 0;
}

/* Number of rows before the states are moved back: large enough to make the move of m numbers negligible.
 * Initial capacity for moving columns, and the maximum kept for a kernel with long memory. */
enum { MIN_SLACK = 64, MAX_SLACK = 4096, MIN_COLUMN_CAPACITY = 64, MAX_SETTLING = 16384 };

typedef struct scan_state {
    volt_state base;
    double *buffer; /* state_size x capacity: number s against column j is buffer[s * capacity + at + j] */
    int64_t capacity, at;
    bool unbegun;                  /* the past is the first row, which is not known yet */
    double border[VOLT_MAX_STATE]; /* of the rows against the past of the columns */
    double *row, *first;           /* d: a column, and the first one */
    double kept, *own;             /* of scan.own: the state of the rows, and max_rows: their numbers */
    double past_own;               /* the number of the past of the columns */
    double *centred;               /* max_rows x d and max_rows: a block of rows, for distances by norms */
    double *norms;

    /* Moving columns. */
    volt_columns moving; /* packed[k * ld + j], without norms: distances use differences */
    int64_t start,
        column_capacity; /* positions before the first column in the lists of `moving`, and capacity */
    double *local;       /* capacity and a chunk: local values of a row ... */
    double *unwanted;    /* ... and capacity: unused kernel values */
    bool cut;            /* columns have left: the edge precedes the first, else their past does */
    double edge[VOLT_MAX_STATE], edge_border[VOLT_MAX_STATE]; /* of the last column that left: state, border */
} scan_state;

static int64_t size_of(const scan_state *state)
{
    return state->base.resolved->scan.state_size;
}

static int64_t has_own(const volt_resolved *resolved)
{
    return resolved->scan.own ? 1 : 0;
}

/* Lists of moving columns: their components, and the numbers of scan.own. */
static int64_t lists_of(const scan_state *state)
{
    return state->moving.d + has_own(state->base.resolved);
}

static void copy_lists(const double *from, int64_t ld_from, double *to, int64_t ld_to, int64_t lists,
                       int64_t count)
{
    for (int64_t r = 0; r < lists && count > 0; r++)
        memmove(to + r * ld_to, from + r * ld_from, (size_t)count * sizeof(double));
}

/* ---- life ------------------------------------------------------------------------------------- */

static void release(volt_state *base)
{
    scan_state *state = (scan_state *)base;
    volt_free(state->buffer);
    volt_free(state->row);
    volt_free(state->first);
    volt_free(state->own);
    volt_free(state->centred);
    volt_free(state->norms);
    volt_free(state->moving.packed ? state->moving.packed - state->start : NULL);
    volt_free(state->local);
    volt_free(state->unwanted);
}

static int64_t slack_of(int64_t m, int64_t max_rows)
{
    return volt_max(max_rows, volt_min(volt_max(m, MIN_SLACK), MAX_SLACK));
}

/* Increases the capacity for moving columns; on failure nothing changes. */
static volt_status enlarge(scan_state *state, int64_t column_capacity)
{
    volt_columns *moving = &state->moving;
    int64_t count = state->base.count, capacity = 2 * column_capacity,
            ld = column_capacity + VOLT_COLUMNS_CHUNK;
    double *packed = volt_alloc_zero(lists_of(state) * ld, sizeof(double));
    double *buffer = volt_alloc_doubles(size_of(state), capacity);
    double *local = volt_alloc_doubles(ld, 1), *unwanted = volt_alloc_doubles(column_capacity, 1);
    if (!packed || !buffer || !local || !unwanted) {
        volt_free(packed);
        volt_free(buffer);
        volt_free(local);
        volt_free(unwanted);
        return VOLT_ERR_MEMORY;
    }
    copy_lists(moving->packed, moving->ld, packed, ld, lists_of(state), count);
    if (count > 0) /* otherwise there is no buffer yet */
        copy_lists(state->buffer + state->at, state->capacity, buffer + capacity - count, capacity,
                   size_of(state), count);
    volt_free(moving->packed ? moving->packed - state->start : NULL);
    volt_free(state->buffer);
    volt_free(state->local);
    volt_free(state->unwanted);
    moving->packed = packed;
    moving->ld = ld;
    state->buffer = buffer;
    state->capacity = capacity;
    state->at = capacity - count;
    state->local = local;
    state->unwanted = unwanted;
    state->start = 0;
    state->column_capacity = column_capacity;
    return VOLT_OK;
}

static volt_status allocate(volt_state *base)
{
    scan_state *state = (scan_state *)base;
    const volt_scan *scan = &base->resolved->scan;
    int64_t d = base->resolved->d, centred = scan->distance && !base->moves ? base->max_rows : 0;
    state->row = volt_alloc_doubles(1, d);
    state->first = volt_alloc_doubles(1, d);
    state->own = volt_alloc_doubles(has_own(base->resolved) * base->max_rows, 1);
    state->centred = volt_alloc_doubles(centred, d);
    state->norms = volt_alloc_doubles(centred, 1);
    if (!state->row || !state->first || !state->own || !state->centred || !state->norms)
        return VOLT_ERR_MEMORY;
    if (base->moves) {
        state->moving = (volt_columns){.d = d, .distance = scan->distance};
        base->columns = &state->moving;
        return enlarge(state, MIN_COLUMN_CAPACITY);
    }
    state->at = slack_of(base->count, base->max_rows);
    state->capacity = base->count + state->at;
    state->buffer = volt_alloc_doubles(scan->state_size, state->capacity);
    return state->buffer ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* The past of the columns: fixed, or their first row; `first` if there is none yet. With a cut it is not used. */
static const double *column_past(const scan_state *state, const double *first)
{
    const volt_past *past = &state->base.resolved->past;
    if (past->kind == VOLT_PAST_FIRST && state->base.count > 0) {
        volt_columns_row(state->base.columns, 0, state->first);
        first = state->first;
    }
    return volt_past_input(past, first);
}

/* Walks the border of the columns' sequence against constant rows `past`: border[] advances from the one before
 * the first column to the one after `count` columns. out[s * ld + j], unless NULL, receives the one after column
 * j. */
static void walk_columns(const scan_state *state, int64_t count, const double *past, double *border,
                         double *out, int64_t ld)
{
    const volt_columns *columns = state->base.columns;
    const volt_scan *scan = &state->base.resolved->scan;
    double past_own = volt_scan_own_rest(scan, past, state->base.resolved->d, NULL);
    volt_scan_border walk = {.scan = scan, .origin = past, .origin_own = past_own};
    for (int64_t j = 0; j < count && scan->state_size > 0; j++) {
        if (past || scan->distance) /* else the local value is 0 */
            volt_columns_row(columns, j, state->row);
        scan_border_step(&walk, state->row, scan->own ? volt_columns_own(columns)[j] : 0, columns->d, border);
        for (int s = 0; out && s < scan->state_size; s++)
            out[s * ld + j] = border[s];
    }
}

/* The same for all columns, where rows begin whose past is `past`. `first`: as column_past. The border at a cut
 * is known only for a past that does not depend on the rows; otherwise the error fades (state.h). */
static void walk_all_columns(scan_state *state, const double *past, const double *first, double *out,
                             int64_t ld)
{
    const volt_resolved *resolved = state->base.resolved;
    bool knows_edge = state->cut && resolved->past.kind != VOLT_PAST_FIRST;
    double border[VOLT_MAX_STATE];
    volt_scan_rest(&resolved->scan, past, column_past(state, first), resolved->d, border);
    if (knows_edge)
        memcpy(border, state->edge_border, sizeof border);
    else if (state->cut)
        memcpy(state->edge_border, border, sizeof border);
    walk_columns(state, state->base.count, past, border, out, ld);
}

/* The state before the first row against column j is the border of the columns' sequence after row j. `first`:
 * the first row, or NULL if the past does not depend on it. */
static void begin(scan_state *state, const double *first)
{
    const volt_resolved *resolved = state->base.resolved;
    const double *past = volt_past_input(&resolved->past, first);
    walk_all_columns(state, past, first, state->buffer + state->at, state->capacity);
    memcpy(state->edge, state->edge_border, sizeof state->edge);
    volt_scan_rest(&resolved->scan, past, column_past(state, first), resolved->d, state->border);
    (void)volt_scan_own_rest(&resolved->scan, past, resolved->d, &state->kept);
    state->past_own = volt_scan_own_rest(&resolved->scan, column_past(state, first), resolved->d, NULL);
    state->unbegun = false;
}

static void zero(volt_state *base)
{
    scan_state *state = (scan_state *)base;
    if (base->resolved->past.kind != VOLT_PAST_FIRST) {
        begin(state, NULL);
        return;
    }
    state->unbegun = true;
    for (int64_t s = 0; s < size_of(state); s++) /* they are saved as numbers */
        memset(state->buffer + s * state->capacity + state->at, 0, (size_t)base->count * sizeof(double));
    state->border[0] = VOLT_UNBEGUN;
}

/* ---- moving columns ---------------------------------------------------------------------------- */

static volt_status prepare(volt_state *base, const double *z, bool joins, bool wanted)
{
    (void)z;
    (void)joins;
    (void)wanted;
    scan_state *state = (scan_state *)base;
    volt_columns *moving = &state->moving;
    /* Moved back only if that frees enough space: the cost of a move is spread over many rows. */
    if (state->start + base->count + 1 > state->column_capacity && state->start > state->column_capacity / 4) {
        copy_lists(moving->packed, moving->ld, moving->packed - state->start, moving->ld, lists_of(state),
                   base->count);
        moving->packed -= state->start;
        state->start = 0;
    }
    return state->start + base->count + 1 > state->column_capacity ? enlarge(state, 2 * state->column_capacity)
                                                                   : VOLT_OK;
}

static void set_count(scan_state *state, int64_t count)
{
    state->base.count = state->moving.m = count;
}

static void join(scan_state *state, const double *z)
{
    for (int64_t k = 0; k < state->moving.d; k++)
        state->moving.packed[k * state->moving.ld + state->base.count] = z[k];
    if (has_own(state->base.resolved))
        state->moving.packed[state->moving.d * state->moving.ld + state->base.count] = state->own[0];
    set_count(state, state->base.count + 1);
}

static void drop(volt_state *base, int64_t count)
{
    scan_state *state = (scan_state *)base;
    for (int64_t s = 0; s < size_of(state); s++)
        state->edge[s] = state->buffer[s * state->capacity + state->at + count - 1];
    const double *past = base->resolved->past.input; /* NULL also if it is the first row: walk_all_columns */
    if (!state->cut)
        volt_scan_rest(&base->resolved->scan, past, past, base->resolved->d, state->edge_border);
    walk_columns(state, count, past, state->edge_border, NULL, 0);
    state->cut = true;
    state->moving.packed += count;
    state->start += count;
    state->at += count;
    set_count(state, base->count - count);
}

/* Number of columns after which the error of a wrong edge is below rounding. */
static int64_t settling(const volt_resolved *resolved)
{
    double kept = resolved->scan.state_size > 0 ? resolved->facts.contraction : 0;
    return (int64_t)fmin(ceil(log(DBL_EPSILON) / fmin(log(kept), -DBL_MIN)), MAX_SETTLING);
}

/* ---- rows ------------------------------------------------------------------------------------- */

static void reserve(scan_state *state, int64_t rows)
{
    if (state->at >= rows)
        return;
    int64_t end = state->capacity - state->base.count;
    copy_lists(state->buffer + state->at, state->capacity, state->buffer + end, state->capacity, size_of(state),
               state->base.count);
    state->at = end;
}

/* Moves every diagonal by h rows, h positions to the left in the buffer, and returns the first. Diagonals
 * that enter at the left border take the border's states; the last of the old states leaves the grid at the
 * right. */
static double *enter_rows(scan_state *state, volt_view Z)
{
    const volt_scan *scan = &state->base.resolved->scan;
    if (state->unbegun)
        begin(state, Z.data);
    reserve(state, Z.rows);
    state->at -= Z.rows;
    double *diagonals = state->buffer + state->at;
    volt_scan_own_rows(scan, Z, &state->kept, state->own);
    volt_scan_border walk = {.scan = scan, .origin = column_past(state, Z.data), .origin_own = state->past_own};
    for (int64_t i = 0; i < Z.rows && scan->state_size > 0; i++) {
        for (int s = 0; s < scan->state_size; s++) /* row i enters at the left end of its diagonal */
            diagonals[s * state->capacity + Z.rows - 1 - i] = state->border[s];
        scan_border_step(&walk, Z.data + i * Z.ld, scan->own ? state->own[i] : 0, Z.cols, state->border);
    }
    return diagonals;
}

volt_scan_grid volt_scan_state_grid(volt_state *base, volt_view Z, int64_t diagonal)
{
    scan_state *state = (scan_state *)base;
    volt_scan_grid grid = {
        .scan = &base->resolved->scan,
        .columns = base->columns,
        .rows = Z,
        .diagonal = diagonal,
        .own = state->own,
        .state = enter_rows(state, Z),
        .stride = state->capacity,
    };
    if (grid.scan->distance) {
        volt_columns_centre(base->columns, Z, state->centred, state->norms);
        grid.rows = volt_view_of(state->centred, Z.rows, Z.cols);
        grid.row_norms = state->norms;
    }
    return grid;
}

/* One row, with all columns in one call of the step: the last bits may depend on vector boundaries. */
static void advance_moving(scan_state *state, volt_view Z, bool joins, double *k)
{
    const volt_scan *scan = &state->base.resolved->scan;
    double *diagonals = enter_rows(state, Z);
    for (int64_t s = 0; state->cut && s < scan->state_size; s++)
        diagonals[s * state->capacity] = state->edge[s];
    if (joins)
        join(state, Z.data);
    int64_t count = state->base.count;
    if (count == 0)
        return;
    volt_columns_local(&state->moving, Z.data, Z.ld, NULL, 1, 0, count, state->local, 0);
    volt_scan with_own = *scan;
    with_own.own_rows = state->own;
    with_own.own_columns = scan->own ? volt_columns_own(&state->moving) : NULL;
    scan->step(&with_own, 1, state->local, 1, diagonals, state->capacity, k ? k : state->unwanted, 1, count);
}

static void advance(volt_state *base, volt_view Z, int64_t diagonal, volt_matrix K, volt_stage *stage)
{
    if (base->moves) {
        advance_moving((scan_state *)base, Z, diagonal >= 0, K.data);
    } else {
        volt_scan_grid grid = volt_scan_state_grid(base, Z, diagonal);
        volt_scan_run(&grid, NULL, K, stage);
    }
}

/* ---- as numbers ------------------------------------------------------------------------------- */

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    return resolved->scan.state_size * (m + 1) + has_own(resolved);
}

/* Count and cut flag, the columns, their states, their borders, both edges and the border. */
static int64_t length_of(const scan_state *state, int64_t count)
{
    return 2 + count * (lists_of(state) + 2 * size_of(state)) + 3 * size_of(state) +
           has_own(state->base.resolved);
}

static int64_t moving_length(const volt_state *base)
{
    return length_of((const scan_state *)base, base->count);
}

/* Copies lists to or from `numbers`, and returns the position after them. */
static double *exchange(double *lists, int64_t ld, int64_t n, int64_t count, double *numbers, bool out)
{
    copy_lists(out ? lists : numbers, out ? ld : count, out ? numbers : lists, out ? count : ld, n, count);
    return numbers + n * count;
}

static void exchange_all(scan_state *state, double *numbers, bool out)
{
    int64_t m = state->base.count, size = size_of(state);
    if (state->base.moves)
        numbers = exchange(state->moving.packed, state->moving.ld, lists_of(state), m, numbers, out);
    numbers = exchange(state->buffer + state->at, state->capacity, size, m, numbers, out);
    if (state->base.moves) {
        if (out && state->base.resolved->past.kind == VOLT_PAST_FIRST) /* depends on the next sequence */
            memset(numbers, 0, (size_t)(size * m) * sizeof *numbers);
        else if (out) /* they follow from the columns and the border at the edge */
            walk_all_columns(state, state->base.resolved->past.input, NULL, numbers, m);
        numbers = exchange(state->edge, 0, 1, size, numbers + size * m, out);
        numbers = exchange(state->edge_border, 0, 1, size, numbers, out);
    }
    numbers = exchange(state->border, 0, 1, size, numbers, out);
    exchange(&state->kept, 0, 1, has_own(state->base.resolved), numbers, out);
    if (out) /* the state may be shared: nothing is written to it */
        return;
    state->unbegun = state->base.resolved->past.kind == VOLT_PAST_FIRST && state->border[0] == VOLT_UNBEGUN;
    if (m > 0 || state->base.resolved->past.kind != VOLT_PAST_FIRST)
        state->past_own = volt_scan_own_rest(&state->base.resolved->scan, column_past(state, NULL),
                                             state->base.resolved->d, NULL);
}

static void get(const volt_state *base, double *numbers)
{
    if (base->moves) {
        *numbers++ = (double)base->count;
        *numbers++ = ((const scan_state *)base)->cut;
    }
    exchange_all((scan_state *)base, numbers, true);
}

static volt_status set(volt_state *base, const double *numbers, int64_t length)
{
    scan_state *state = (scan_state *)base;
    if (base->moves) {
        int64_t count = 0, cut = 0;
        VOLT_REQUIRE(length >= 2, VOLT_ERR_FORMAT, "the state is truncated");
        VOLT_TRY(volt_state_count(numbers[0], length, &count));
        VOLT_TRY(volt_state_count(numbers[1], 1, &cut));
        VOLT_REQUIRE(length_of(state, count) == length, VOLT_ERR_FORMAT,
                     "the size of the state does not match its columns");
        if (count + 1 > state->column_capacity)
            VOLT_TRY(enlarge(state, 2 * (count + 1)));
        set_count(state, count);
        state->cut = cut;
        state->at = state->capacity - count;
        numbers += 2;
    }
    exchange_all(state, (double *)numbers, false);
    return VOLT_OK;
}

static const volt_state_ops state_ops = {
    .size = sizeof(scan_state),
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .advance = advance,
    .length = length,
    .moving_length = moving_length,
    .get = get,
    .set = set,
    .prepare = prepare,
    .drop = drop,
    .settling = settling,
};

/* ---- the engine ------------------------------------------------------------------------------- */

static bool takes(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return resolved->scan.step && resolved->window == 1;
}

static double numbers(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    double slack = (double)slack_of(m, rows);
    return volt_columns_numbers(resolved, m) + resolved->scan.state_size * ((double)m + slack) +
           (resolved->scan.distance ? (double)rows * ((double)resolved->d + 1) : 0) + 2 * (double)resolved->d +
           (double)has_own(resolved) * ((double)m + (double)rows);
}

const volt_engine volt_engine_scan = {
    .name = "scan",
    .takes = takes,
    .numbers = numbers,
    .pack = volt_columns_pack,
    .state = &state_ops,
};
