/* src/fit/landmarks.c: selects landmarks and converts a model to landmarks. */
#include "fit/landmarks.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "volterra/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_MEMORY_ROWS = 256, /* limit: a longer history is truncated, which gives a different but equally good
                        * landmark */
    SEED = 20,             /* of random landmarks */
};
static const double min_share = 1e-7; /* weight of the history beyond the ghosts */

/* ---- selection ------------------------------------------------------------------------------- */

/* For a kernel without factors. */
static int64_t ghosts_of(const volt_resolved *factor)
{
    if (!factor->reservoir && (!factor->scan.step || factor->scan.state_size == 0))
        return volt_min(factor->window - 1, MAX_MEMORY_ROWS);
    double kept = factor->facts.contraction;
    double rows = kept > 0 && kept < 1 ? ceil(log(min_share) / log(kept)) : MAX_MEMORY_ROWS;
    return (int64_t)fmin(rows, MAX_MEMORY_ROWS);
}

int64_t volt_landmark_memory(const volt_resolved *resolved)
{
    int64_t most = 0;
    if (!resolved->sum)
        return ghosts_of(resolved);
    for (int64_t f = 0; f < resolved->sum->n_factors; f++)
        most = volt_max(most, ghosts_of(&resolved->sum->factor[f]));
    return most;
}

void volt_landmark_set_release(volt_landmark_set *set)
{
    volt_free(set->column);
    volt_free(set->source);
    volt_free(set->runs);
    *set = (volt_landmark_set){0};
}

/* Runs of VOLT_LANDMARK_RUN rows, evenly spaced from the first row to the last. */
static void spread(int64_t first, int64_t rows, int64_t m, int64_t *landmark)
{
    int64_t gaps = (m + VOLT_LANDMARK_RUN - 1) / VOLT_LANDMARK_RUN - 1, free = rows - m;
    for (int64_t a = 0; a < m; a++) {
        int64_t run = a / VOLT_LANDMARK_RUN;
        landmark[a] = first + a + (gaps > 0 ? free / gaps * run + free % gaps * run / gaps : free);
    }
}

/* m rows, uniformly at random, ascending (selection sampling: Knuth, The Art of Computer Programming 2,
 * 3.4.2, algorithm S). */
static void draw(int64_t first, int64_t rows, int64_t m, int64_t *landmark)
{
    volt_rng rng;
    volt_rng_init(&rng, SEED, 0);
    for (int64_t i = 0, a = 0; a < m; i++)
        if ((double)(rows - i) * volt_rng_uniform(&rng) < (double)(m - a))
            landmark[a++] = first + i;
}

/* Groups landmarks into runs. A run continues while the next landmark is in the same record and would share
 * its ghosts. Called twice: without arrays to count, then to fill. */
static void make_runs(const int64_t *landmark, const volt_records *records, int64_t ghosts,
                      volt_landmark_set *set)
{
    bool fills = set->source != NULL;
    int64_t n = 0, runs = 0, end = 0; /* end: after the last row added */
    for (int64_t a = 0; a < set->m; a++) {
        int64_t begin = volt_max(landmark[a] - ghosts, volt_records_begin(records, landmark[a]));
        bool continues = a > 0 && begin <= end && volt_records_begin(records, landmark[a]) < end;
        int64_t from = continues ? end : begin, length = landmark[a] + 1 - from;
        if (fills) {
            for (int64_t i = 0; i < length; i++)
                set->source[n + i] = from + i;
            set->column[a] = n + length - 1;
            set->runs[continues ? runs - 1 : runs] = (continues ? set->runs[runs - 1] : 0) + length;
        }
        runs += !continues;
        n += length;
        end = landmark[a] + 1;
    }
    set->n = n;
    set->n_runs = runs;
}

volt_status volt_landmark_set_choose(int64_t rows, int64_t washout, const volt_records *records, int64_t m,
                                     volt_landmarks choice, int64_t ghosts, volt_landmark_set *set)
{
    *set = (volt_landmark_set){.m = m};
    int64_t kept = rows - washout, *landmark = volt_alloc(m, sizeof *landmark);
    if (!landmark)
        return VOLT_ERR_MEMORY;
    if (choice == VOLT_LANDMARKS_RANDOM)
        draw(washout, kept, m, landmark);
    else if (choice == VOLT_LANDMARKS_LAST)
        for (int64_t a = 0; a < m; a++)
            landmark[a] = rows - m + a;
    else
        spread(washout, kept, m, landmark);
    make_runs(landmark, records, ghosts, set);
    set->column = volt_alloc(m, sizeof *set->column);
    set->source = volt_alloc(set->n + m, sizeof *set->source); /* and room to order the landmarks */
    set->runs = volt_alloc(set->n_runs, sizeof *set->runs);
    bool allocated = set->column && set->source && set->runs;
    if (allocated)
        make_runs(landmark, records, ghosts, set);
    volt_free(landmark);
    return allocated ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* The level at which a run takes part: 0 for the first one, ... */
static int64_t level_of(int64_t run, int64_t top)
{
    int64_t level = top;
    for (; level > 0 && run % 2 == 0; run /= 2)
        level--;
    return level;
}

void volt_landmark_set_nest(volt_landmark_set *set, volt_landmarks choice, volt_landmark_levels *levels)
{
    int64_t runs = (set->m + VOLT_LANDMARK_RUN - 1) / VOLT_LANDMARK_RUN, top = 0, placed = 0;
    while (top + 1 < VOLT_LANDMARK_LEVELS && runs >> (top + 1) >= 2)
        top++;
    int64_t *ascending = set->source + set->n; /* room for m numbers */
    memcpy(ascending, set->column, (size_t)set->m * sizeof *ascending);
    for (int64_t level = 0; level <= top; level++) {
        for (int64_t a = 0; a < set->m; a++) {
            /* counted from the last landmark, of which the latest come first */
            int64_t run = choice == VOLT_LANDMARKS_LAST ? 0 : a / VOLT_LANDMARK_RUN, back = set->m - 1 - a;
            bool is_last = choice == VOLT_LANDMARKS_LAST;
            int64_t begin = level > 0 ? set->m >> (top - level + 1) : 0, end = set->m >> (top - level);
            if (is_last ? back >= begin && back < end : level_of(run, top) == level)
                set->column[placed++] = ascending[a];
        }
        levels->m[level] = placed;
    }
    levels->count = top + 1;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Stores the facts about the training rows that the model no longer keeps. */
static volt_status keep_trained(volt_model *model, const fit_task *task)
{
    const volt_fit_options *options = task->options;
    volt_trained *trained = &model->trained;
    *trained = (volt_trained){.rows = task->X.rows, .washout = options->washout};
    if (task->records->n == 0)
        return VOLT_OK;
    trained->records = volt_alloc(options->n_records, sizeof *trained->records);
    if (!trained->records)
        return VOLT_ERR_MEMORY;
    memcpy(trained->records, options->records, (size_t)options->n_records * sizeof *trained->records);
    trained->n_records = options->n_records;
    return VOLT_OK;
}

volt_status volt_model_use_landmarks(volt_model *model, const fit_task *task, volt_fit_rows *rows,
                                     const volt_landmark_set *set, volt_progress progress,
                                     double **coefficients)
{
    VOLT_TRY(keep_trained(model, task));
    double *fresh = volt_alloc_zero(set->n * model->q, sizeof *fresh);
    int64_t d = rows->Z.cols;
    double *kept = volt_alloc_doubles(set->n, d);
    volt_status status = fresh && kept ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        *coefficients = model->coefficients;
        model->coefficients = fresh;
        fresh = NULL;
        model->n = set->n;
        for (int64_t i = 0; i < set->n; i++)
            volt_fit_rows_get(rows, set->source[i], volt_matrix_of(kept + i * d, 1, d));
        status = volt_model_use_records(model, set->runs, set->n_runs);
    }
    if (status == VOLT_OK)
        status = volt_model_pack(model, volt_view_of(kept, set->n, d), progress);
    volt_free(kept);
    volt_free(fresh);
    return status;
}

/* The prediction is k_m' beta + c with features K - common, so common 1' beta moves from the features to the
 * intercept. */
void volt_model_take_landmarks(volt_model *model, const volt_landmark_set *set, volt_operator *op,
                               volt_matrix gamma, volt_matrix washout_fitted)
{
    double common = model->intercept ? model->resolved.common : 0;
    volt_landmark_coefficients(op, gamma);
    for (int64_t k = 0; k < model->q; k++) {
        double shift = 0;
        for (int64_t a = 0; a < set->m; a++) {
            double beta = gamma.data[a * gamma.ld + k];
            model->coefficients[set->column[a] * model->q + k] = beta;
            shift += common * beta;
        }
        model->intercepts[k] -= shift;
        for (int64_t i = 0; washout_fitted.data && i < washout_fitted.rows; i++)
            washout_fitted.data[i * washout_fitted.ld + k] += shift;
    }
    model->trained.landmarks = set->m;
    model->washout = 0;
}
