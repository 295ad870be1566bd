/* src/kernel/engine/window_state.c: the past of a kernel on windows: the rows that later windows still see. */
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/explicit_path.h"

#include <string.h>

typedef struct window_past {
    volt_state base;
    double *rows;   /* (window - 1 + most_rows) x d: the last window - 1 rows, then the new ones */
    double *work;   /* the same rows centred, or as increments */
    double *norms;  /* of work */
    double *beyond; /* most_rows: what windows longer than the columns add to sums of squared distances ... */
    /* ... and its room: (window - columns->window + most_rows) squared norms and as many sums */
    double *squares;
    volt_self *self; /* most_rows: each new window against itself, where the programme needs it */
    double *scratch; /* of the engine, for every thread */
    double *self_scratch;
    int64_t threads; /* that there is scratch space for */
} window_past;

/* Rows by which the windows of a sum of squared distances are longer than those of the columns. Beyond, the columns
 * have zeros: an inner product gets nothing from there, and |x - 0|^2 is what the row itself brings. */
static int64_t sums_beyond(const volt_resolved *resolved, const volt_columns *columns)
{
    bool sums = resolved->scan.step && columns->distance;
    return sums ? resolved->window - columns->window : 0;
}

static void release(volt_state *base)
{
    window_past *past = (window_past *)base;
    volt_free(past->rows);
    volt_free(past->work);
    volt_free(past->norms);
    volt_free(past->beyond);
    volt_free(past->squares);
    volt_free(past->self);
    volt_free(past->scratch);
    volt_free(past->self_scratch);
    volt_free(past);
}

static volt_status allocate(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                            volt_state **base)
{
    window_past *past = volt_alloc_zero(1, sizeof *past);
    if (!past)
        return VOLT_ERR_MEMORY;
    int64_t rows = resolved->window - 1 + most_rows, d = columns->d;
    past->threads = volt_threads();
    past->rows = volt_alloc_doubles(rows, d);
    past->work = volt_alloc_doubles(rows, d);
    past->norms = volt_alloc_doubles(rows, 1);
    int64_t longer = sums_beyond(resolved, columns);
    past->beyond = volt_alloc_doubles(longer > 0 ? most_rows : 0, 1);
    past->squares = volt_alloc_doubles(longer > 0 ? 2 * longer + most_rows : 0, 1);
    past->self = volt_alloc(columns->self ? most_rows : 0, sizeof *past->self);
    past->scratch = volt_alloc_doubles(past->threads, columns->engine->scratch(resolved, columns));
    past->self_scratch = volt_alloc_doubles(columns->self ? volt_self_scratch(resolved) : 0, 1);
    if (!past->rows || !past->work || !past->norms || !past->beyond || !past->squares || !past->self ||
        !past->scratch || !past->self_scratch) {
        release(&past->base);
        return VOLT_ERR_MEMORY;
    }
    *base = &past->base;
    return VOLT_OK;
}

static void zero(volt_state *base)
{
    memset(((window_past *)base)->rows, 0, (size_t)volt_state_length(base) * sizeof(double));
}

static void get(const volt_state *base, double *state)
{
    memcpy(state, ((const window_past *)base)->rows, (size_t)volt_state_length(base) * sizeof(double));
}

static void set(volt_state *base, const double *state)
{
    memcpy(((window_past *)base)->rows, state, (size_t)volt_state_length(base) * sizeof(double));
}

/* The last window - 1 rows, after zeros where there are fewer. */
static void seek(volt_state *base, volt_view Z)
{
    window_past *past = (window_past *)base;
    int64_t d = base->columns->d, kept = base->resolved->window - 1;
    zero(base);
    for (int64_t i = kept > Z.rows ? kept - Z.rows : 0; i < kept; i++)
        memcpy(past->rows + i * d, Z.data + (Z.rows - kept + i) * Z.ld, (size_t)d * sizeof(double));
}

/* The number of threads may have been raised since the scratch space was made. */
static int64_t threads_of(const window_past *past)
{
    return volt_threads() < past->threads ? volt_threads() : past->threads;
}

/* Sums of the first `longer` squared norms in the window of each of h new rows. As in window_sum.c nothing is subtracted:
 * a sum is a suffix of one chunk of `longer` rows and a beginning of the next. */
static void add_up_beyond(window_past *past, int64_t h, int64_t longer)
{
    int64_t d = past->base.columns->d;
    double *squares = past->squares, *suffix = squares + longer + h, running = 0;
    for (int64_t t = 0; t < longer + h - 1; t++) {
        squares[t] = 0;
        for (int64_t k = 0; k < d; k++)
            squares[t] += past->rows[t * d + k] * past->rows[t * d + k];
    }
    for (int64_t i = 0; i < h; i++) {
        int64_t position = i % longer;
        running = position == 0 ? 0 : running + squares[i + longer - 1];
        for (int64_t t = longer - 1; position == 0 && t >= 0; t--)
            suffix[t] = squares[i + t] + (t < longer - 1 ? suffix[t + 1] : 0);
        past->beyond[i] = suffix[position] + running;
    }
}

/* Rows of the windows of h new rows that count: as many as the columns', or where those are cut short and second
 * differences are taken, one zero and all from the first row that is none. */
static int64_t window_of_rows(const window_past *past, int64_t h, int64_t own)
{
    const volt_columns *columns = past->base.columns;
    int64_t w = past->base.resolved->window, numbers = volt_state_length(&past->base), zeros = 0;
    if (columns->window == w || own >= 0 || past->base.resolved->scan.step)
        return columns->window;
    while (zeros < numbers && past->rows[zeros] == 0)
        zeros++;
    return volt_min(w, w - zeros / columns->d + h);
}

/* The rows as the engine wants them, in windows of `window`. */
static volt_window_rows prepare(window_past *past, int64_t window, int64_t h, int64_t own)
{
    const volt_columns *columns = past->base.columns;
    int64_t d = columns->d, total = window - 1 + h, longer = sums_beyond(past->base.resolved, columns);
    const double *rows = past->rows + (past->base.resolved->window - window) * d;
    volt_window_rows x = {
        .rows = volt_view_of(rows, total, d), .h = h, .threads = threads_of(past), .own = own};
    if (longer > 0) {
        add_up_beyond(past, h, longer);
        x.beyond = past->beyond;
    }
    if (columns->distance) {
        volt_columns_centre(columns, x.rows, past->work, past->norms);
        x.rows.data = past->work;
        x.norms = past->norms;
    } else if (columns->increments) {
        for (int64_t k = 0; k < (total - 1) * d; k++)
            past->work[k] = rows[k + d] - rows[k];
        x.rows = volt_view_of(past->work, total - 1, d);
    }
    return x;
}

static void advance(volt_state *base, volt_view Z, int64_t own, volt_matrix K, volt_stage *stage)
{
    window_past *past = (window_past *)base;
    const volt_columns *columns = base->columns;
    int64_t d = columns->d, kept = base->resolved->window - 1;
    for (int64_t i = 0; i < Z.rows; i++)
        memcpy(past->rows + (kept + i) * d, Z.data + i * Z.ld, (size_t)d * sizeof(double));

    volt_resolved seen = *base->resolved;
    seen.window = window_of_rows(past, Z.rows, own);
    const double *rows = past->rows + (base->resolved->window - seen.window) * d;
    const volt_self *self = NULL;
    if (columns->self) {
        self = own >= 0 ? columns->self + own : past->self;
        for (int64_t i = 0; own < 0 && i < Z.rows; i++)
            past->self[i] = volt_self_compute(&seen, rows + i * d, stage, past->self_scratch);
        if (stage && !volt_stage_goes_on(stage))
            return;
    }
    volt_window_rows x = prepare(past, seen.window, Z.rows, own);
    columns->engine->run(&seen, columns, &x, self, past->scratch, K, stage);
    memmove(past->rows, past->rows + Z.rows * d, (size_t)(kept * d) * sizeof(double));
}

static int64_t length(const volt_resolved *resolved, int64_t m)
{
    (void)m;
    return (resolved->window - 1) * resolved->d;
}

double volt_window_state_numbers(const volt_resolved *resolved, int64_t rows)
{
    double seen = (double)(resolved->window - 1) + (double)rows;
    return seen * (2 * (double)resolved->d + 3) + 4 * (double)rows;
}

const volt_state_ops volt_window_state_ops = {
    .allocate = allocate,
    .zero = zero,
    .release = release,
    .advance = advance,
    .seek = seek,
    .length = length,
    .get = get,
    .set = set,
};
