/* src/solve/choice/choice.c: comparison of the candidates on held-out rows, and the decision. */
#include "solve/choice/choice.h"

#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "solve/exact/factor.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

double volt_choice_rows(double n)
{
    return fmin(n, 2 * VOLT_MAX_HELD_OUT);
}

double volt_choice_numbers(double n, double q)
{
    return n * (q + 2) + 6 * (volt_choice_rows(n) / 2 + 1) * q;
}

/* ---- block test ------------------------------------------------------------------------------- */

enum { MIN_BLOCKS = 4, MAX_BLOCKS = 20 };

/* In the ratio test, errors of a block below this share of the mean of the reference are not distinguished
 * ... */
static const double QUIET = 0.01;
/* ... and the geometric mean of the ratios must be at most this. */
static const double CLEAR = 0.8;

/* Quantiles of Student's t with B - 1 degrees of freedom, at B = 4 .. 20; fewer blocks are not tested. */
static const double quantile_99[MAX_BLOCKS + 1] = {0,     0,     0,     0,     4.541, 3.747, 3.365,
                                                   3.143, 2.998, 2.896, 2.821, 2.764, 2.718, 2.681,
                                                   2.650, 2.624, 2.602, 2.583, 2.567, 2.552, 2.539};
static const double quantile_95[MAX_BLOCKS + 1] = {0,     0,     0,     0,     2.353, 2.132, 2.015,
                                                   1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782,
                                                   1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729};

/* The confidence that the mean of independent numbers is above 0. */
static double above_zero(const double *values, int64_t count)
{
    double mean = 0, squares = 0;
    for (int64_t b = 0; b < count; b++)
        mean += values[b] / (double)count;
    for (int64_t b = 0; b < count; b++)
        squares += (values[b] - mean) * (values[b] - mean);
    double error = sqrt(squares / (double)(count - 1) / (double)count);
    if (mean > quantile_99[count] * error)
        return 0.99;
    return mean > quantile_95[count] * error ? 0.95 : 0;
}

double volt_block_test(const double *errors, const double *reference, int64_t ld, int64_t n, int64_t least)
{
    int64_t blocks = n / least < MAX_BLOCKS ? n / least : MAX_BLOCKS, row = 0;
    if (blocks < MIN_BLOCKS)
        return 0;
    double own[MAX_BLOCKS] = {0}, other[MAX_BLOCKS] = {0}, gains[MAX_BLOCKS];
    double gain = 0, total = 0, logarithm = 0;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t length = n / blocks + (b < n % blocks);
        for (int64_t end = row + length; row < end; row++) {
            own[b] += errors[row * ld] * errors[row * ld] / (double)length;
            other[b] += reference[row * ld] * reference[row * ld] / (double)length;
        }
        gains[b] = other[b] - own[b];
        gain += gains[b] / (double)blocks;
        total += other[b] / (double)blocks;
    }
    double sure = above_zero(gains, blocks);
    if (!(gain > 0))
        return sure;
    /* If one block has most of the error, its gain dominates the variance, and the t test has no power. */
    double quiet = QUIET * total;
    for (int64_t b = 0; b < blocks; b++) {
        gains[b] = log((other[b] + quiet) / (own[b] + quiet));
        logarithm += gains[b] / (double)blocks;
    }
    return logarithm >= -log(CLEAR) ? fmax(sure, above_zero(gains, blocks)) : sure;
}

/* ---- candidates ------------------------------------------------------------------------------- */

typedef struct contest {
    const volt_choice_source *source;
    volt_choice *choice;
    volt_view Y; /* q targets; the levels of the choice follow as further columns */
    const bool *without;
    bool intercept;
    int64_t q, columns;
    int64_t begin, held;              /* rows held out */
    volt_alpha_best *best;            /* columns */
    volt_matrix e, z, best_e, best_z; /* held x columns: errors, and frozen ones */
} contest;

/* Returns whether column k may be fitted with (without) a constant. A level uses the requested one; a change may omit it. */
static bool allows(const contest *c, int64_t k, bool constant)
{
    bool change = c->choice->naive.data && k < c->q;
    return change ? !constant || c->intercept : constant == c->intercept;
}

/* Over the held-out rows with a target; the others hold 0. */
static double mean_square(const contest *c, volt_view e, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < e.rows; i++)
        sum += e.data[i * e.ld + k] * e.data[i * e.ld + k];
    return sum / (double)c->choice->held.counted;
}

static void copy_column(volt_matrix from, volt_matrix to, int64_t k)
{
    for (int64_t i = 0; i < from.rows; i++)
        to.data[i * to.ld + k] = from.data[i * from.ld + k];
}

/* Offers the errors `e`. True: they are the least so far in some column, and frozen errors are needed. */
static bool offer_errors(contest *c, volt_alpha_choice *alphas, bool constant)
{
    bool improved = false;
    for (int64_t k = 0; k < c->columns; k++) {
        if (!allows(c, k, constant) || !volt_alpha_offer(alphas, k, mean_square(c, volt_as_view(c->e), k), 0))
            continue;
        c->best[k].constant = constant;
        copy_column(c->e, c->best_e, k);
        improved = true;
    }
    return improved;
}

static void keep_frozen(contest *c, double alpha, bool constant, volt_matrix frozen)
{
    for (int64_t k = 0; k < c->columns; k++)
        if (c->best[k].alpha == alpha && c->best[k].constant == constant)
            copy_column(frozen, c->best_z, k);
}

static bool has_target(const contest *c, int64_t t)
{
    return !(c->without && c->without[t]);
}

static double target_at(const contest *c, int64_t t, int64_t k)
{
    volt_view level = c->choice->level;
    return k < c->q ? c->Y.data[t * c->Y.ld + k] : level.data[t * level.ld + k - c->q];
}

/* alpha = infinity: 0, or the mean of the known targets, for changes always the latest. */
static void try_infinity(contest *c, volt_alpha_choice *alphas, bool constant)
{
    int64_t ahead = c->choice->ahead;
    int64_t block = c->choice->naive.data ? 1 : volt_held_out_block(&c->choice->held);
    for (int64_t k = 0; k < c->columns; k++) {
        double sum = 0, frozen = 0;
        int64_t known = 0, counted = 0;
        for (int64_t i = 0; i < c->held; i++) {
            int64_t t = c->begin + i, h = t - i % block - ahead + 1;
            for (; constant && known < h; known++) {
                sum += target_at(c, known, k);
                counted += has_target(c, known);
            }
            double mean = constant && counted > 0 ? sum / (double)counted : 0;
            bool is_given = has_target(c, t);
            frozen = i == 0 ? mean : frozen;
            c->e.data[i * c->e.ld + k] = is_given ? target_at(c, t, k) - mean : 0;
            c->z.data[i * c->z.ld + k] = is_given ? target_at(c, t, k) - frozen : 0;
        }
    }
    alphas->alpha = INFINITY;
    if (offer_errors(c, alphas, constant))
        keep_frozen(c, INFINITY, constant, c->z);
}

static volt_status evaluate(void *context, volt_alpha_choice *alphas)
{
    contest *c = context;
    const volt_choice_source *source = c->source;
    for (int constant = 0; constant <= (int)c->intercept; constant++) {
        VOLT_TRY(source->errors(source->context, alphas->alpha, constant, VOLT_HELD_OUT_LATEST, c->e));
        if (!offer_errors(c, alphas, constant) || !c->choice->naive.data)
            continue;
        if (source->refits)
            VOLT_TRY(source->errors(source->context, alphas->alpha, constant, VOLT_HELD_OUT_FROZEN, c->z));
        keep_frozen(c, alphas->alpha, constant, source->refits ? c->z : c->e);
    }
    return VOLT_OK;
}

/* Screening only ranks the candidates, because the fits omit the rows before the screening rows. */
static volt_status screen(void *context, volt_alpha_choice *alphas)
{
    contest *c = context;
    for (int constant = 0; constant <= (int)c->intercept; constant++) {
        VOLT_TRY(c->source->errors(c->source->context, alphas->alpha, constant, VOLT_HELD_OUT_SCREENED, c->e));
        offer_errors(c, alphas, constant);
    }
    return VOLT_OK;
}

static volt_status try_all(contest *c)
{
    volt_alpha_choice alphas = {.grid = VOLT_ALPHA_SQUARES,
                                .given = c->choice->alpha,
                                .start = c->choice->start,
                                .unit = c->source->unit,
                                .least = c->source->least,
                                .evaluate = evaluate,
                                .screen = c->source->screens ? screen : NULL,
                                .context = c,
                                .columns = c->columns,
                                .best = c->best};
    for (int constant = 0; constant <= (int)c->intercept; constant++)
        try_infinity(c, &alphas, constant);
    volt_status status = volt_alpha_choose(&alphas);
    c->choice->tried = alphas.tried;
    c->choice->failed = alphas.failed;
    return status;
}

/* ---- verdict ---------------------------------------------------------------------------------- */

/* The confidence that the best candidate of column k is better than the naive forecast, in its latest and
 * its frozen errors. */
static double confidence(const contest *c, int64_t k, int64_t output)
{
    const volt_choice *choice = c->choice;
    volt_view naive = volt_view_rows(choice->naive, c->begin, c->held);
    double *e0 = c->e.data; /* the naive errors in the layout of the errors */
    for (int64_t i = 0; i < c->held; i++)
        e0[i * c->columns] = naive.data[i * naive.ld + output];
    double going = volt_block_test(c->best_e.data + k, e0, c->columns, c->held, choice->ahead);
    double frozen = volt_block_test(c->best_z.data + k, e0, c->columns, c->held, choice->ahead);
    return fmin(going, frozen);
}

static double half_way_error(const contest *c, int64_t k)
{
    volt_view naive = volt_view_rows(c->choice->naive, c->begin, c->held);
    double sum = 0;
    for (int64_t i = 0; i < c->held; i++) {
        double e = (c->best_e.data[i * c->columns + k] + naive.data[i * naive.ld + k]) / 2;
        sum += e * e;
    }
    return sum / (double)c->choice->held.counted;
}

static volt_chosen decide(const contest *c, int64_t output)
{
    const volt_choice *choice = c->choice;
    int64_t k = output;
    if (c->columns > c->q && c->best[c->q + output].error < c->best[output].error &&
        volt_block_test(c->best_e.data + c->q + output, c->best_e.data + output, c->columns, c->held,
                        choice->ahead) > 0.98)
        k = c->q + output;
    const volt_alpha_best *best = &c->best[k];
    volt_chosen chosen = {.level = k >= c->q,
                          .constant = best->constant,
                          .alpha = best->alpha,
                          .share = 1,
                          .mse = best->error,
                          .best_mse = best->error,
                          .best_alpha = best->alpha,
                          .naive_mse = NAN};
    if (!choice->naive.data)
        return chosen;
    chosen.naive_mse = mean_square(c, volt_view_rows(choice->naive, c->begin, c->held), output);
    double sure = isinf(best->alpha) && !best->constant ? 0 : confidence(c, k, output);
    if (sure > 0.98)
        return chosen;
    bool half_way = sure > 0 && choice->ahead == 1 && !chosen.level;
    chosen.level = false;
    chosen.share = half_way ? 0.5 : 0;
    chosen.mse = half_way ? half_way_error(c, k) : chosen.naive_mse;
    if (!half_way) {
        chosen.alpha = INFINITY;
        chosen.constant = false;
    }
    return chosen;
}

/* Too few rows for held-out rows: the naive forecast if there is one, else an alpha of the size of the
 * kernel. */
static volt_chosen decide_blindly(const contest *c)
{
    bool changes = c->choice->naive.data != NULL;
    double alpha = c->choice->alpha > 0 ? c->choice->alpha : c->source->unit > 0 ? c->source->unit : 1;
    return (volt_chosen){.alpha = changes ? INFINITY : alpha,
                         .constant = !changes && c->intercept,
                         .share = changes ? 0 : 1,
                         .mse = NAN,
                         .best_mse = NAN,
                         .best_alpha = NAN,
                         .naive_mse = NAN};
}

volt_status volt_choice_pick(const volt_choice_source *source, volt_view Y, const bool *without, bool intercept,
                             volt_choice *choice)
{
    contest c = {.source = source,
                 .choice = choice,
                 .Y = Y,
                 .without = without,
                 .intercept = intercept,
                 .columns = choice->level.data ? 2 * Y.cols : Y.cols,
                 .q = Y.cols,
                 .begin = choice->held.begin,
                 .held = choice->held.rows};
    double *memory = volt_alloc_doubles(4 * volt_max(c.held, 1), c.columns);
    c.best = volt_alloc_zero(c.columns, sizeof *c.best);
    volt_status status = memory && c.best ? VOLT_OK : VOLT_ERR_MEMORY;
    choice->tried = choice->failed = 0;
    if (status == VOLT_OK && c.held > 0) {
        volt_matrix *const places[] = {&c.e, &c.z, &c.best_e, &c.best_z};
        for (int i = 0; i < 4; i++)
            *places[i] = volt_matrix_of(memory + i * c.held * c.columns, c.held, c.columns);
        status = try_all(&c);
    }
    for (int64_t k = 0; status == VOLT_OK && k < c.q; k++)
        choice->outputs[k] = c.held > 0 ? decide(&c, k) : decide_blindly(&c);
    volt_free(c.best);
    volt_free(memory);
    return status;
}

/* The readout of each output with its chosen alpha, constant and kind of
 * target.
 *
 * K is kept above the diagonal and factored below it, with one alpha after another. With many threads, copies of
 * K are factored with several alphas at once: the tiles of one matrix of a few thousand rows do not keep
 * sixteen threads busy. */

enum { MAX_SLOTS = VOLT_CHOLESKY_AT_ONCE, THREADS_PER_SLOT = 2 };

/* The factor with one alpha. The first slot is the factor of the fit, whose lower triangle holds K or a factor. */
typedef struct slot {
    volt_factor *factor;
    volt_matrix W;         /* rows x columns, followed by u */
    int64_t first;         /* the matrix is factored from this row on; rows: not factored */
    double alpha;          /* 0: no results */
    double norm;           /* of a matrix of all rows */
    int64_t pivot;         /* not positive; 0: all are */
    volt_matrix latest[2]; /* held-out errors without and with a constant */
} slot;

typedef struct exact_choice {
    slot slots[MAX_SLOTS];
    int64_t n_slots;
    slot *now;             /* the slot in use, ... */
    volt_factor *factor;   /* ... and its factor */
    volt_factor_task task; /* with all columns: q first targets, then q levels, if any */
    volt_choice *choice;
    bool intercept;
    int64_t q, columns;
    int64_t rows;     /* rows kept */
    int64_t first;    /* first screening row; 0: no screening */
    bool chooses;     /* held-out errors are required */
    double *diagonal; /* rows */
    double alphas
        [VOLT_MAX_ALPHAS]; /* alphas for which factors of the rows from `first` are required, in this order */
    int64_t n_alphas;
} exact_choice;

static bool row_has_target(const exact_choice *c, int64_t t)
{
    return !(c->task.without && c->task.without[t]);
}

/* ---- factors ---------------------------------------------------------------------------------- */

static void copy_lower(volt_matrix from, volt_matrix to)
{
    double entries = (double)from.rows * (double)from.rows;
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads_for(entries))
    for (int64_t i = 0; i < from.rows; i++)
        memcpy(to.data + i * to.ld, from.data + i * from.ld, (size_t)(i + 1) * sizeof(double));
}

/* Puts K + alpha I, from row `first` on, into the lower triangle of slot i. The first slot is set first, because the
 * others copy its triangle. */
static void load_slot(exact_choice *c, int64_t i, int64_t first, double alpha)
{
    slot *s = &c->slots[i];
    const volt_factor *source = c->slots[0].factor;
    volt_factor_task task = c->task;
    task.W = s->W;
    task.u = c->intercept ? s->W.data + c->columns : NULL;
    if (i == 0) {
        if (s->first < c->rows)
            volt_factor_restore(s->factor, s->first);
        volt_factor_restart(s->factor, &task, first, alpha, c->diagonal);
    } else {
        task.rows = c->rows - first;
        task.washout = 0;
        task.Y = volt_view_rows(task.Y, first, task.rows);
        task.without = task.without ? task.without + first : NULL;
        volt_factor_begin(s->factor, &task);
        s->factor->size = source->size;
        copy_lower(source->L, s->factor->L);
        volt_factor_restart(s->factor, &task, 0, alpha, c->diagonal + first);
    }
    s->first = first;
    s->alpha = 0;
}

/* Held-out errors of the loaded slots, one thread for each list. */
static volt_status take_latest(exact_choice *c, int64_t count)
{
    int kinds = c->intercept ? 2 : 1;
    volt_status status[2 * MAX_SLOTS];
    double work = (double)(count - 1) * (double)c->rows * (double)c->choice->held.rows * (double)c->columns;
#pragma omp parallel for schedule(dynamic) num_threads((int)volt_threads_for(work))
    for (int64_t p = 0; p < count * kinds; p++) {
        slot *s = &c->slots[p / kinds];
        int constant = (int)(p % kinds);
        status[p] = s->pivot ? VOLT_OK
                             : volt_factor_held_out(s->factor, c->choice->ahead,
                                                    c->choice->held.begin - s->first, constant,
                                                    volt_held_out_block(&c->choice->held), s->latest[constant]);
    }
    if (!volt_stage_should_continue(c->task.stage))
        return volt_stage_end(c->task.stage);
    for (int64_t p = 0; p < count * kinds; p++) /* messages of other threads are not known here */
        VOLT_REQUIRE(status[p] == VOLT_OK, status[p], "no memory for the held-out errors of %" PRId64 " rows",
                     c->choice->held.rows);
    return VOLT_OK;
}

/* Factors the rows from `first` on with `alpha` and the alphas after it in the list, as many as there are slots. The
 * entries of K are preserved by volt_factor_keep. */
static volt_status factor_batch(exact_choice *c, int64_t first, double alpha)
{
    double alphas[MAX_SLOTS] = {alpha};
    int64_t count = 1, pivots[MAX_SLOTS] = {0};
    volt_factor *factors[MAX_SLOTS] = {c->slots[0].factor};
    for (int64_t i = 0; first == c->first && i < c->n_alphas; i++)
        if (c->alphas[i] == alpha)
            for (int64_t j = i + 1; j < c->n_alphas && count < c->n_slots; j++)
                alphas[count++] = c->alphas[j];
    for (int64_t i = 0; i < c->n_slots; i++)
        c->slots[i].alpha = 0;
    for (int64_t i = 0; i < count; i++) {
        factors[i] = c->slots[i].factor;
        load_slot(c, i, first, alphas[i]);
        if (first == 0)
            VOLT_TRY(volt_factor_norm(c->slots[i].factor, &c->slots[i].norm));
    }
    VOLT_TRY(volt_factor_grow_all(count, factors, pivots));
    for (int64_t i = 0; i < count; i++) {
        c->slots[i].alpha = alphas[i];
        c->slots[i].pivot = pivots[i];
    }
    return c->chooses ? take_latest(c, count) : VOLT_OK;
}

/* Makes the factor of the rows from `first` on with `alpha` the current one. */
static volt_status factor_rows(exact_choice *c, int64_t first, double alpha)
{
    slot *found = NULL;
    for (int64_t i = 0; i < c->n_slots; i++)
        if (c->slots[i].alpha == alpha && c->slots[i].first == first)
            found = &c->slots[i];
    if (!found) {
        VOLT_TRY(factor_batch(c, first, alpha));
        found = &c->slots[0];
    }
    c->now = found;
    c->factor = found->factor;
    if (found->pivot)
        return volt_ridge_singular(found->pivot, c->rows - first, alpha,
                                   volt_factor_rounding_level(c->factor, c->rows - first));
    return VOLT_OK;
}

/* ---- the choice ------------------------------------------------------------------------------- */

static volt_status candidate_errors(void *context, double alpha, bool constant, volt_held_out_errors kind,
                                    volt_matrix e)
{
    exact_choice *c = context;
    int64_t first = kind == VOLT_HELD_OUT_SCREENED ? c->first : 0;
    VOLT_TRY(factor_rows(c, first, alpha));
    if (kind == VOLT_HELD_OUT_FROZEN)
        return volt_factor_held_out(c->factor, c->choice->ahead, c->choice->held.begin, constant, e.rows, e);
    memcpy(e.data, c->now->latest[constant].data, (size_t)(e.rows * e.cols) * sizeof(double));
    return VOLT_OK;
}

static volt_status choose(exact_choice *c, volt_progress progress, double from, double share)
{
    volt_choice_source source = {
        .errors = candidate_errors, .context = c, .refits = true, .screens = c->first > 0};
    int64_t counted = 0;
    for (int64_t i = 0; i < c->rows; i++)
        counted += row_has_target(c, i);
    source.unit = volt_alpha_unit(c->diagonal, c->rows, counted, &source.least);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "choose", from, share,
                     c->choice->alpha > 0 ? volt_cholesky_units(c->rows)
                                          : VOLT_MAX_ALPHAS * volt_cholesky_units(c->rows - c->first) +
                                                (c->first > 0 ? volt_cholesky_units(c->rows) : 0));
    c->task.stage = &stage;
    c->chooses = true;
    c->n_alphas = c->choice->alpha > 0 || c->choice->start > 0
                      ? 0
                      : volt_alpha_list(VOLT_ALPHA_SQUARES, source.unit, source.least, c->alphas);
    volt_view Y = {c->task.Y.data, c->rows, c->q, c->task.Y.ld};
    volt_status status = volt_choice_pick(&source, Y, c->task.without, c->intercept, c->choice);
    c->task.stage = NULL;
    c->chooses = false;
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- the chosen readout ----------------------------------------------------------------------- */

static int64_t column_of(const exact_choice *c, int64_t output)
{
    return c->choice->outputs[output].level ? c->q + output : output;
}

/* The largest alpha below `bound` required by an output; 0: none. */
static double next_alpha(const exact_choice *c, double bound)
{
    double next = 0;
    for (int64_t k = 0; k < c->q; k++)
        if (c->choice->outputs[k].alpha < bound)
            next = fmax(next, c->choice->outputs[k].alpha);
    return next;
}

/* Errors of a prediction with a share of the readout: between e and the errors of the naive forecast, which
 * are the changes. */
static void take_share(const exact_choice *c, int64_t k, volt_row_errors *errors)
{
    double share = c->choice->outputs[k].share;
    const double *y = c->task.Y.data + errors->begin * c->task.Y.ld + k;
    for (int64_t i = 0; share < 1 && i < errors->e.rows; i++) {
        double *e = &errors->e.data[i * errors->e.ld + k], change = y[i * c->task.Y.ld];
        if (errors->scale.data[i * errors->scale.ld + k] > 0)
            *e = change + share * (*e - change);
    }
}

/* Row errors of the outputs with this alpha. `column` has q numbers. */
static volt_status take_errors(exact_choice *c, double alpha, bool constant, int64_t *column)
{
    bool some = false;
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        column[k] = chosen->alpha == alpha && chosen->constant == constant ? column_of(c, k) : -1;
        some |= column[k] >= 0;
    }
    for (int i = 0; some && i < VOLT_ROW_ERRORS; i++) {
        volt_row_errors *errors = &c->choice->errors[i];
        VOLT_TRY(volt_factor_row_errors(c->factor, constant, column, errors));
        for (int64_t k = 0; k < c->q; k++)
            if (column[k] >= 0)
                take_share(c, k, errors);
    }
    return VOLT_OK;
}

static volt_status take_all_errors(exact_choice *c, double alpha)
{
    int64_t *column = volt_alloc(c->q, sizeof *column);
    volt_status status = column ? take_errors(c, alpha, false, column) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && c->intercept)
        status = take_errors(c, alpha, true, column);
    volt_free(column);
    return status;
}

/* The same for output k without the kernel: the target less the mean of the known targets, or less 0. */
static void take_constant_errors(const exact_choice *c, int64_t k, volt_row_errors *errors)
{
    const double *y = c->task.Y.data + column_of(c, k);
    bool constant = c->choice->outputs[k].constant;
    double sum = 0;
    int64_t known = 0, counted = 0;
    for (int64_t t = errors->begin; t < c->rows; t++) {
        int64_t i = t - errors->begin;
        for (; constant && known < volt_min(t - errors->ahead + 1, errors->most); known++) {
            sum += y[known * c->task.Y.ld];
            counted += row_has_target(c, known);
        }
        bool has_error = t >= errors->ahead - 1 && row_has_target(c, t) && (!constant || counted > 0);
        double mean = counted > 0 ? sum / (double)counted : 0;
        errors->e.data[i * errors->e.ld + k] = has_error ? y[t * c->task.Y.ld] - mean : 0;
        errors->scale.data[i * errors->scale.ld + k] = has_error ? 1 : 0;
    }
}

/* Without the kernel: 0, or the mean of the targets. */
static void take_constants(const exact_choice *c, volt_matrix A, double *intercepts)
{
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        int64_t column = column_of(c, k);
        if (!isinf(chosen->alpha))
            continue;
        for (int i = 0; c->choice->errors && i < VOLT_ROW_ERRORS; i++)
            take_constant_errors(c, k, &c->choice->errors[i]);
        c->choice->log_likelihood = NAN;
        if (c->choice->dimension)
            c->choice->dimension[k] = c->choice->dimension_error[k] = 0;
        intercepts[k] = 0;
        int64_t counted = 0;
        for (int64_t i = 0; chosen->constant && i < c->rows; i++) {
            intercepts[k] += c->task.Y.data[i * c->task.Y.ld + column];
            counted += row_has_target(c, i);
        }
        if (counted > 0)
            intercepts[k] /= (double)counted;
        for (int64_t i = 0; i < c->rows; i++)
            A.data[i * A.ld + k] = 0;
    }
}

/* Store the factor of this alpha, and the outputs that use it. */
static volt_status keep_factor(const exact_choice *c, double alpha)
{
    volt_stored_factors *stored_factors = c->choice->stored_factors;
    VOLT_TRY(volt_stored_factor_fill(c->factor, alpha, &stored_factors->factors[stored_factors->count]));
    for (int64_t k = 0; k < c->q; k++)
        if (c->choice->outputs[k].alpha == alpha) {
            stored_factors->of[k] = stored_factors->count;
            stored_factors->constant[k] = c->choice->outputs[k].constant;
        }
    stored_factors->count++;
    return VOLT_OK;
}

/* The log score of an output, as chosen, from the factor with its alpha; logs: without and with a constant. */
static double likelihood_of(const exact_choice *c, int64_t k, const double *logs)
{
    const volt_chosen *chosen = &c->choice->outputs[k];
    if (!c->choice->target_scale || chosen->share != 1)
        return NAN;
    double score = volt_factor_output_score(c->factor, column_of(c, k), chosen->constant,
                                            c->choice->target_scale[k], logs[chosen->constant]);
    return isfinite(score) ? score : NAN;
}

/* Effective dimensions of the outputs with this alpha. */
static volt_status take_dimensions(exact_choice *c, double alpha, bool constant)
{
    double dimension = NAN, error = 0;
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        if (chosen->alpha != alpha || chosen->constant != constant)
            continue;
        if (isnan(dimension))
            VOLT_TRY(volt_factor_dimension(c->factor, constant, &dimension, &error));
        c->choice->dimension[k] = dimension;
        c->choice->dimension_error[k] = error;
    }
    return VOLT_OK;
}

static volt_status solve_alpha(exact_choice *c, double alpha, volt_matrix A, double *intercepts, double *rcond)
{
    VOLT_TRY(factor_rows(c, 0, alpha));
    volt_factor *f = c->factor;
    f->task.stage = c->task.stage;
    c->now->alpha = 0; /* the forward solves become the coefficients */
    VOLT_TRY(volt_factor_rcond(f, c->now->norm, rcond));
    volt_factor_intercepts(f);
    for (int constant = 0; c->choice->dimension && constant <= (c->intercept ? 1 : 0); constant++)
        VOLT_TRY(take_dimensions(c, alpha, constant));
    if (c->choice->errors)
        VOLT_TRY(take_all_errors(c, alpha));
    if (c->choice->stored_factors)
        VOLT_TRY(keep_factor(c, alpha));
    const double logs[2] = {volt_factor_log_determinant(f, false),
                            c->intercept ? volt_factor_log_determinant(f, true) : 0};
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        if (!chosen->constant)
            f->c[column_of(c, k)] = 0;
        if (chosen->alpha == alpha)
            c->choice->log_likelihood += likelihood_of(c, k, logs);
    }
    volt_matrix solved = c->now->W;
    volt_factor_coefficients(f, solved);
    for (int64_t k = 0; k < c->q; k++) {
        const volt_chosen *chosen = &c->choice->outputs[k];
        if (chosen->alpha != alpha)
            continue;
        int64_t column = column_of(c, k);
        double sum = 0;
        for (int64_t i = 0; i < c->rows; i++) {
            A.data[i * A.ld + k] = chosen->share * solved.data[i * solved.ld + column];
            sum += A.data[i * A.ld + k];
        }
        intercepts[k] = chosen->share * f->c[column] - c->task.common * sum;
    }
    return VOLT_OK;
}

static volt_status solve_alphas(exact_choice *c, volt_matrix A, double *intercepts, double *rcond)
{
    *rcond = 1;
    c->n_alphas = 0;
    for (double alpha = next_alpha(c, INFINITY); alpha > 0 && c->n_alphas < VOLT_MAX_ALPHAS;
         alpha = next_alpha(c, alpha))
        c->alphas[c->n_alphas++] = alpha;
    for (double alpha = next_alpha(c, INFINITY); alpha > 0; alpha = next_alpha(c, alpha))
        VOLT_TRY(solve_alpha(c, alpha, A, intercepts, rcond));
    take_constants(c, A, intercepts);
    return VOLT_OK;
}

static volt_status solve_chosen(exact_choice *c, volt_progress progress, double from, double share,
                                volt_matrix A, double *intercepts, double *rcond)
{
    volt_stage stage;
    volt_stage_begin(&stage, progress, "factor", from, share, volt_cholesky_units(c->rows));
    c->task.stage = &stage;
    volt_status status = solve_alphas(c, A, intercepts, rcond);
    c->task.stage = NULL;
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* Slots that the threads keep busy, one for each thread if the matrix is small, and whose matrices take at most a quarter of
 * the available memory. */
static int64_t slots_of(const exact_choice *c, const volt_choice *choice)
{
    int64_t threads = volt_threads(), each = volt_cholesky_is_small(c->rows) ? 1 : THREADS_PER_SLOT;
    double size = (double)(c->rows - c->first), available = (double)volt_memory_available();
    if (c->factor->backend != &volt_cpu_backend || threads < 2 * each || omp_in_parallel() ||
        choice->alpha > 0 || choice->start > 0)
        return 1;
    double fit = available > 0 ? available / 4 / (8 * size * size) : MAX_SLOTS;
    return 1 + (int64_t)fmin((double)volt_min(MAX_SLOTS, threads / each) - 1, fit);
}

static volt_status allocate_slot(exact_choice *c, int64_t i)
{
    slot *s = &c->slots[i];
    int64_t rows = i == 0 ? c->rows : c->rows - c->first, held = volt_max(c->choice->held.rows, 1);
    s->W = volt_matrix_of(volt_alloc_doubles(rows, c->columns + 1), rows, c->columns);
    s->W.ld = c->columns + 1;
    s->first = c->rows;
    double *errors = volt_alloc_doubles(2 * held, c->columns);
    for (int constant = 0; constant < 2; constant++)
        s->latest[constant] = volt_matrix_of(errors ? errors + constant * held * c->columns : NULL,
                                             c->choice->held.rows, c->columns);
    if (!s->W.data || !errors)
        return VOLT_ERR_MEMORY;
    if (i > 0)
        VOLT_TRY(volt_factor_create(&volt_cpu_backend, NULL, rows, c->columns, &s->factor));
    return VOLT_OK;
}

static volt_status allocate(exact_choice *c, volt_matrix *joined)
{
    c->diagonal = volt_alloc_doubles(c->rows, 1);
    bool needs_copy = c->columns > c->q;
    if (needs_copy)
        *joined = volt_matrix_of(volt_alloc_doubles(c->rows, c->columns), c->rows, c->columns);
    if (!c->diagonal || (needs_copy && !joined->data))
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < c->n_slots; i++)
        VOLT_TRY(allocate_slot(c, i));
    return VOLT_OK;
}

static void release_slots(exact_choice *c)
{
    for (int64_t i = 0; i < c->n_slots; i++) {
        volt_free(c->slots[i].W.data);
        volt_free(c->slots[i].latest[0].data);
        if (i > 0)
            volt_factor_free(c->slots[i].factor);
    }
}

/* First targets and levels as columns of one matrix. */
static void join_targets(const exact_choice *c, volt_view first, volt_view level, volt_matrix joined)
{
    for (int64_t i = 0; i < c->rows; i++) {
        memcpy(joined.data + i * joined.ld, first.data + i * first.ld, (size_t)c->q * sizeof(double));
        memcpy(joined.data + i * joined.ld + c->q, level.data + i * level.ld, (size_t)c->q * sizeof(double));
    }
}

volt_status volt_choice_solve(volt_factor *factor, const volt_factor_task *task, bool intercept,
                              volt_choice *choice, volt_progress progress, double from, volt_matrix A,
                              double *intercepts, double *rcond)
{
    exact_choice c = {.factor = factor, .task = *task, .choice = choice, .intercept = intercept};
    volt_matrix joined = {0};
    c.slots[0].factor = factor;
    c.q = A.cols;
    c.columns = factor->q;
    c.rows = A.rows;
    choice->held.ahead = choice->ahead;
    volt_held_out_rows(&choice->held, c.rows, task->without);
    /* the held-out rows, as many rows before them, and enough for the first prediction */
    c.first = volt_max(
        volt_min(c.rows - 2 * volt_max_held_out(&choice->held), choice->held.begin - (2 * choice->ahead + 2)),
        0);
    choice->tried = choice->failed = 0;
    choice->log_likelihood = 0;

    c.n_slots = choice->decided ? 1 : slots_of(&c, choice);

    volt_status status = allocate(&c, &joined);
    if (status == VOLT_OK) {
        if (joined.data)
            join_targets(&c, volt_as_view(A), choice->level, joined);
        c.task.Y = joined.data ? volt_as_view(joined) : volt_as_view(A);
        c.task.ld_u = c.columns + 1;
        double norm = 0;
        status = volt_factor_norm(factor, &norm); /* a matrix that is not finite has no best alpha */
    }
    if (status == VOLT_OK) {
        volt_factor_keep(factor, 0, c.diagonal);
        double last = pow((double)c.rows, 3);
        double cost = VOLT_MAX_ALPHAS * pow((double)(c.rows - c.first), 3) + (c.first > 0 ? last : 0);
        double share = (1 - from) * cost / (cost + last);
        if (!choice->decided)
            status = choose(&c, progress, from, share);
        if (status == VOLT_OK)
            status = solve_chosen(&c, progress, from + share, 1 - from - share, A, intercepts, rcond);
    }
    release_slots(&c);
    volt_free(joined.data);
    volt_free(c.diagonal);
    return status;
}
