/* src/solve/choice/choice.c: comparison of the candidates on held-out rows, and the decision. */
#include "solve/choice/choice.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

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
