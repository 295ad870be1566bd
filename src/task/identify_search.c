/* src/task/identify_search.c: searches of an identification.
 *
 * The factorisation of a candidate costs the cube of its rows. Families are therefore compared and refined on a
 * short stretch; all of them are then scored on the rows of the search, and the best are refined there:
 *
 *     explore   every family, adaptive search                                           short stretch
 *     refine    the best nonlinear family, and the second if it is close, by CMA-ES     short stretch
 *     compare   the best candidate of every family                                      all rows of the search
 *     polish    the linear families and the best two nonlinear ones, by CMA-ES          all rows of the search
 *
 * CMA-ES starts at the best candidate so far. With few rows there is one level: explore, refine. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "select/candidates/candidates.h"
#include "task/identify_check.h"
#include "task/identify_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LINEAR = VOLT_IDENTIFY_LINEAR,
    CMA_ROWS = 500,     /* about 50 rows for each searched parameter */
    SHORT_ROWS = 800,   /* rows of the short stretch, ... */
    MIN_LONG = 1600,    /* ... if the search has at least this many */
    POLISH_DIVISOR = 32 /* with draws, this many times fewer trials on all rows, which cost more */
};

/* Shares of the time budget. */
static const double linear_share = 0.4, explore_share = 0.7, refine_share = 5, compare_share = 0.3,
                    polish_share = 2;
/* The second family is refined if its error is less than this many times that of the best. */
static const double close_nmse = 4;
/* Another initial input is used if the NMSE is at least this many times lower: 1.1 in RMSE. */
static const double clearly_better = 1.21;
/* Initial steps of CMA-ES, relative to the ranges of the parameters. */
static const double refine_step = 0.2, polish_step = 0.03;

typedef struct family {
    const char *name, *kernel;
    bool feeds;
    int64_t n_ranges; /* first ones of filter_ranges */
} family;

/* Filters are low passes: sampled systems are, and the search then has a quarter of the volume. */
static const volt_range filter_ranges[] = {
    {.name = "1.pole", .kind = VOLT_SEARCH_LINEAR, .low = 0, .high = 0.995},
    {.name = "1.angle", .kind = VOLT_SEARCH_LINEAR, .low = 0, .high = 0.6},
};

static const family families[VOLT_IDENTIFY_CANDIDATES] = {
    {"linear", "fir:corr=?", false, 0},
    {"linear, feedback", "fir:corr=?", true, 0},
    {"volterra", "volterra:lift=rbf,pole=? + ?*fir:corr=?", false, 1},
    {"memory", "memory:pole=?,pair=?,angle=? + ?*fir:corr=?", false, 2},
    {"fading, feedback", "fading + ?*fir:corr=?", true, 0},
    {"volterra, feedback", "volterra:lift=rbf + ?*fir:corr=?", true, 0},
};

double volt_identify_search_shares(void)
{
    return LINEAR * linear_share + (VOLT_IDENTIFY_CANDIDATES - LINEAR) * explore_share + refine_share +
           compare_share + polish_share;
}

double volt_identify_polish_share(void)
{
    return polish_share;
}

void volt_identify_begin_candidates(volt_identification *found)
{
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        found->candidates[i] = (volt_identify_candidate){.name = families[i].name,
                                                         .is_linear = i < LINEAR,
                                                         .nmse = INFINITY,
                                                         .test_rmse = NAN,
                                                         .growth = NAN,
                                                         .excess = NAN,
                                                         .long_run = NAN};
}

/* ---- one search ------------------------------------------------------------------------------- */

/* Consecutive rows of the search. */
typedef struct stretch {
    volt_view U, Y; /* inputs as columns of the kernel */
    int64_t *records, n_records;
    volt_prepared *prepared; /* owns these inputs; NULL: as measured */
} stretch;

typedef struct attempt {
    const stretch *rows;
    double step;  /* of CMA-ES from the candidate; 0: adaptive search from draws */
    double share; /* of the time */
    int64_t
        divisor; /* of the number of draws; 0: one trial without a time limit, of the candidate or the defaults */
} attempt;

static void keep_trial(const volt_search *search, volt_identify_candidate *candidate)
{
    const volt_trial *best = search ? volt_search_trial(search, VOLT_TRIAL_BEST) : NULL;
    volt_search_info info = {.struct_size = sizeof info};
    if (!search || volt_search_get_info(search, &info))
        return;
    candidate->trials += info.trials;
    if (!best || best->n_folds < VOLT_IDENTIFY_BLOCKS || !isfinite(best->score) ||
        best->score >= candidate->nmse)
        return;
    snprintf(candidate->kernel, sizeof candidate->kernel, "%s", best->kernel);
    candidate->alpha = best->alpha;
    candidate->feedback_weight = best->feedback;
    candidate->nmse = best->score;
    memcpy(candidate->block_nmse, best->folds, sizeof candidate->block_nmse);
}

static volt_status draw_candidates(volt_identify_state *run, int64_t which, const attempt *how,
                                   volt_candidates **candidates)
{
    const volt_identify_candidate *candidate = &run->found.candidates[which];
    volt_draw_options drawing = volt_draw_options_default();
    volt_setting setting = {candidate->alpha, candidate->feedback_weight};
    drawing.seed = run->options.seed + (how->step > 0);
    drawing.scale = drawing.from_defaults = 1;
    drawing.ranges = filter_ranges;
    drawing.n_ranges = families[which].n_ranges;
    if (families[which].feeds)
        drawing.fed_outputs = how->rows->Y;
    VOLT_TRY(volt_candidates_draw(families[which].kernel, how->rows->U, &drawing, candidates));
    return how->step > 0 ? volt_candidates_start(*candidates, candidate->kernel, &setting, how->step) : VOLT_OK;
}

/* Searches a family and keeps its best trial, if it is better than the candidate so far. A family without a
 * score takes no part. */
static volt_status search_family(volt_identify_state *run, int64_t which, attempt how)
{
    volt_identify_candidate *candidate = &run->found.candidates[which];
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_search_options options = volt_identify_search_options(run, how.rows->U.rows);
    double began = volt_seconds(), seconds = volt_identify_begin_stage(run, candidate->name, how.share);
    if (how.step > 0 && candidate->kernel[0] == '\0')
        return VOLT_OK;
    options.seconds = run->options.draws > 0 || how.divisor == 0 ? 0 : seconds;
    options.draws = how.divisor == 0 ? 1 : volt_max(run->options.draws / how.divisor, run->options.draws > 0);
    options.strategy = how.step > 0 ? VOLT_STRATEGY_CMA : VOLT_STRATEGY_ADAPTIVE;
    options.progress = volt_identify_progress(run);
    options.records = how.rows->records;
    options.n_records = how.rows->n_records;
    volt_status status = draw_candidates(run, which, &how, &candidates);
    if (!status)
        status = volt_search_run(candidates, how.rows->U, how.rows->Y, &options, &search);
    if (status != VOLT_ERR_CANCELLED)
        keep_trial(search, candidate);
    candidate->seconds += volt_seconds() - began;
    volt_search_free(search);
    volt_candidates_free(candidates);
    return status == VOLT_ERR_DATA ? VOLT_OK : status;
}

/* ---- stages ----------------------------------------------------------------------------------- */

bool volt_identify_has_score(const volt_identify_candidate *candidate)
{
    return isfinite(candidate->nmse) != 0;
}

bool volt_identify_is_better(const volt_identify_candidate *one, const volt_identify_candidate *other)
{
    for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++)
        if (!(one->block_nmse[b] < other->block_nmse[b]))
            return false;
    return volt_identify_has_score(one);
}

int64_t volt_identify_best_of(const volt_identification *found, int64_t first, int64_t end, int64_t skipped)
{
    int64_t best = -1;
    for (int64_t i = first; i < end; i++)
        if (i != skipped && volt_identify_has_score(&found->candidates[i]) &&
            (best < 0 || found->candidates[i].nmse < found->candidates[best].nmse))
            best = i;
    return best;
}

/* The best two nonlinear families; -1: there is none. */
static void best_two(const volt_identification *found, int64_t best[2])
{
    best[0] = volt_identify_best_of(found, LINEAR, VOLT_IDENTIFY_CANDIDATES, -1);
    best[1] = volt_identify_best_of(found, LINEAR, VOLT_IDENTIFY_CANDIDATES, best[0]);
}

/* Reports a budget in which no trial of a nonlinear family is expected to end. */
static volt_status check_budget(const volt_identify_state *run, const stretch *rows)
{
    double seconds = 0, left = fmax(0, run->options.seconds - (volt_seconds() - run->began));
    double part = left * explore_share / run->shares;
    if (run->options.draws > 0)
        return VOLT_OK;
    VOLT_TRY(volt_identify_trial_seconds(run, rows->U.rows, &seconds));
    if (seconds > part)
        volt_log(VOLT_LOG_WARNING,
                 "a trial of a nonlinear model is expected to take about %.2g s, and the budget of %g s leaves "
                 "%.2g s for each family: the model may be linear for lack of time; increase the budget",
                 seconds, run->options.seconds, part);
    return VOLT_OK;
}

/* Scores a linear candidate with the present initial input. */
static volt_status score_linear(volt_identify_state *run, int64_t which, const stretch *rows)
{
    run->found.candidates[which].nmse = INFINITY;
    return search_family(run, which, (attempt){.rows = rows, .step = polish_step});
}

/* The inputs before the first row of a record are its first row if the linear model without feedback, whose memory is the
 * longest, is then clearly better on every block. */
static volt_status choose_initial(volt_identify_state *run, const stretch *rows)
{
    volt_identify_candidate *one = &run->found.candidates[0], zero = *one;
    if (!volt_identify_has_score(one))
        return VOLT_OK;
    run->found.initial = VOLT_INITIAL_FIRST;
    VOLT_TRY(score_linear(run, 0, rows));
    zero.trials = one->trials;
    zero.seconds = one->seconds;
    if (volt_identify_is_better(one, &zero) && clearly_better * one->nmse <= zero.nmse)
        return score_linear(run, 1, rows);
    run->found.initial = VOLT_INITIAL_ZERO;
    *one = zero;
    return VOLT_OK;
}

/* The first trial of a linear family has no time limit: the other models are compared with it. */
static volt_status explore(volt_identify_state *run, const stretch *rows)
{
    const volt_identify_candidate *candidates = run->found.candidates;
    for (int64_t i = 0; i < LINEAR; i++) {
        VOLT_TRY(search_family(run, i, (attempt){.rows = rows, .divisor = 1, .share = linear_share}));
        if (candidates[i].trials == 0)
            VOLT_TRY(search_family(run, i, (attempt){.rows = rows}));
    }
    VOLT_REQUIRE(volt_identify_best_of(&run->found, 0, LINEAR, -1) >= 0, VOLT_ERR_DATA,
                 "no linear model has a score after %" PRId64 " trials: check the data",
                 candidates[0].trials + candidates[1].trials);
    VOLT_TRY(choose_initial(run, rows));
    VOLT_TRY(check_budget(run, rows));
    for (int64_t i = LINEAR; i < VOLT_IDENTIFY_CANDIDATES; i++)
        VOLT_TRY(search_family(run, i, (attempt){.rows = rows, .divisor = 1, .share = explore_share}));
    return VOLT_OK;
}

/* Both families have one long run if they are close: one with more parameters may be behind until late. */
static volt_status refine(volt_identify_state *run, const stretch *rows)
{
    const volt_identification *found = &run->found;
    int64_t best[2];
    best_two(found, best);
    if (best[0] < 0)
        return VOLT_OK;
    attempt how = {.rows = rows, .step = refine_step, .divisor = 1, .share = refine_share};
    if (best[1] >= 0 && found->candidates[best[1]].nmse < close_nmse * found->candidates[best[0]].nmse) {
        how.share /= 2;
        VOLT_TRY(search_family(run, best[1], how));
    }
    return search_family(run, best[0], how);
}

/* Scores all candidates on the rows, and refines the linear ones and the best two others there. */
static volt_status compare(volt_identify_state *run, const stretch *rows)
{
    volt_identification *found = &run->found;
    int64_t best[2];
    attempt how = {.rows = rows, .step = polish_step, .share = compare_share / VOLT_IDENTIFY_CANDIDATES};
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        found->candidates[i].nmse = INFINITY;
        VOLT_TRY(search_family(run, i, how));
    }
    VOLT_REQUIRE(volt_identify_best_of(found, 0, LINEAR, -1) >= 0, VOLT_ERR_DATA,
                 "no linear model has a score on %" PRId64 " rows: check the data", rows->U.rows);
    how.divisor = POLISH_DIVISOR;
    how.share = polish_share / 6;
    for (int64_t i = 0; i < LINEAR; i++)
        VOLT_TRY(search_family(run, i, how));
    best_two(found, best);
    if (best[1] >= 0)
        VOLT_TRY(search_family(run, best[1], how));
    how.share *= 3;
    return best[0] >= 0 ? search_family(run, best[0], how) : VOLT_OK;
}

/* The best-excited rows among those of the search. Every input has its weight from all these. */
static volt_status shorten(const volt_identify_state *run, const stretch *whole, int64_t count, stretch *part)
{
    int64_t first = volt_identify_stretch(run->search_U, run->search_Y, count, NULL);
    part->U = volt_view_rows(whole->U, first, count);
    part->Y = volt_view_rows(whole->Y, first, count);
    return volt_identify_records(run, run->found.search_begin + first, count, &part->records, &part->n_records);
}

/* All rows of the search. */
static volt_status take_rows(const volt_identify_state *run, stretch *whole)
{
    volt_fit_options options = volt_identify_fit_options(run);
    *whole = (stretch){run->search_U, run->search_Y, run->search_records, run->n_records, NULL};
    if (!options.scale_each)
        return VOLT_OK;
    VOLT_TRY(volt_prepare(run->search_U, run->search_Y, &options, run->search_U.rows, &whole->prepared));
    whole->U = whole->prepared->X;
    return VOLT_OK;
}

volt_status volt_identify_search(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    stretch whole, part;
    bool has_levels = found->search_rows >= MIN_LONG, refines = found->search_rows >= CMA_ROWS;
    if (!refines)
        run->shares -= refine_share;
    if (!has_levels)
        run->shares -= compare_share + polish_share;
    VOLT_TRY(take_rows(run, &whole));
    part = whole;
    volt_status status = has_levels ? shorten(run, &whole, SHORT_ROWS, &part) : VOLT_OK;
    if (!status)
        status = explore(run, &part);
    if (!status && refines)
        status = refine(run, &part);
    if (!status && has_levels)
        status = compare(run, &whole);
    if (has_levels)
        volt_free(part.records);
    volt_prepared_free(whole.prepared);
    found->best_linear = volt_identify_best_of(found, 0, LINEAR, -1);
    return status;
}
