/* src/task/identify_validate.c: free runs of the candidates of an identification beyond their scores.
 *
 * Every candidate is fitted on the rows of the search before the last validation block and simulates the block
 * twice: with the measured inputs u, and with mean + 1.3 (u - mean). It is also fitted on the rows before the first
 * block, and simulates all blocks in one run. With the nonlinear model f and linear g,
 *
 *     growth   root mean squared error of the last third of the first run over that of its first third
 *     excess   |f - g| / max(|g - m|, |y - m|) on the second run: root mean squares over the rows, m the
 *              mean of the training outputs y; the largest of all outputs
 *     long run |f - y| / |g - y| on the run over all blocks: root of the mean ratio of squares over the outputs
 *
 * A nonlinear candidate is rejected if one of the last two runs diverges, if its excess is larger than max_excess, or if
 * its long run is not below 1 - 1/sqrt(m), with m rows: errors that grow slowly do not show in short blocks, and a search
 * of many trials finds small advantages in blocks by chance. 1/sqrt(m) is the standard error of the ratio of two root mean
 * squares of m independent normal errors. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/stats_internal.h"
#include "task/identify_internal.h"

#include <math.h>
#include <string.h>

static const double scaling = 1.3, max_excess = 3;

/* Rows of the check, and the linear run. */
typedef struct check {
    int64_t begin, end;        /* the last block, rows of the training part ... */
    int64_t first;             /* ... and the first row of the first one */
    volt_identify_data scaled; /* training rows with scaled inputs in the block */
    double *inputs;            /* of `scaled`: given rows x d */
    double *linear;            /* run of the linear model with scaled inputs: (end - begin) x q */
    double *outputs;           /* of a run, at most over all blocks */
    double *errors;            /* root mean squared errors of the linear model in the long run: q */
} check;

/* Inputs of all given rows; those of the block are scaled about the mean of the rows before it. */
static void scale_inputs(const volt_identify_state *run, check *c)
{
    volt_view U = run->given.U;
    int64_t first = run->found.search_begin, d = U.cols;
    for (int64_t t = 0; t < U.rows; t++)
        memcpy(c->inputs + t * d, U.data + t * U.ld, (size_t)d * sizeof *c->inputs);
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;
        for (int64_t t = first; t < c->begin; t++)
            mean += (U.data[t * U.ld + j] - mean) / (double)(t - first + 1);
        for (int64_t t = c->begin; t < c->end; t++)
            c->inputs[t * d + j] = mean + scaling * (U.data[t * U.ld + j] - mean);
    }
    c->scaled = run->given;
    c->scaled.U = volt_view_of(c->inputs, U.rows, d);
}

static volt_status begin_check(const volt_identify_state *run, check *c)
{
    int64_t rows = run->found.search_rows, block = rows / VOLT_IDENTIFY_BLOCK_SHARE, q = run->Y.cols;
    c->end = run->found.search_begin + rows;
    c->begin = c->end - block;
    c->first = c->end - VOLT_IDENTIFY_BLOCKS * block;
    c->inputs = volt_alloc_doubles(run->given.U.rows, run->given.U.cols);
    c->linear = volt_alloc_doubles(block, q);
    c->outputs = volt_alloc_doubles(VOLT_IDENTIFY_BLOCKS * block, q);
    c->errors = volt_alloc_doubles(1, q);
    if (!c->inputs || !c->linear || !c->outputs || !c->errors)
        return VOLT_ERR_MEMORY;
    scale_inputs(run, c);
    return VOLT_OK;
}

static void end_check(check *c)
{
    volt_free(c->inputs);
    volt_free(c->linear);
    volt_free(c->outputs);
    volt_free(c->errors);
}

/* Root mean squared error of the rows first .. last - 1 of the block; NaN without simulated rows. */
static double error_of(const volt_identify_state *run, const check *c, int64_t first, int64_t last)
{
    volt_view Y = run->given.Y;
    volt_squares squares = {0};
    int64_t count = 0;
    for (int64_t t = first; t < last; t++)
        for (int64_t k = 0; k < Y.cols; k++) {
            double simulated = c->outputs[t * Y.cols + k];
            if (isnan(simulated))
                continue;
            volt_squares_add(&squares, simulated - Y.data[(c->begin + t) * Y.ld + k]);
            count++;
        }
    return count > 0 ? volt_squares_root_mean(&squares, count) : NAN;
}

/* The excess of the outputs f of the run, the largest of all outputs; NaN: unknown. */
static double excess_of(const volt_identify_state *run, const check *c)
{
    volt_view Y = run->given.Y;
    double excess = NAN;
    for (int64_t k = 0; k < Y.cols; k++) {
        volt_squares apart = {0}, linear = {0}, measured = {0};
        double mean = 0;
        for (int64_t t = run->found.search_begin; t < c->begin; t++)
            mean += (Y.data[t * Y.ld + k] - mean) / (double)(t - run->found.search_begin + 1);
        for (int64_t t = 0; t < c->end - c->begin; t++) {
            double f = c->outputs[t * Y.cols + k], g = c->linear[t * Y.cols + k];
            if (isnan(f) || isnan(g))
                continue;
            volt_squares_add(&apart, f - g);
            volt_squares_add(&linear, g - mean);
            volt_squares_add(&measured, Y.data[(c->begin + t) * Y.ld + k] - mean);
        }
        double size = fmax(volt_squares_root(&linear), volt_squares_root(&measured));
        if (size > 0)
            excess = fmax(excess, volt_squares_root(&apart) / size); /* the first replaces NaN */
    }
    return excess;
}

/* Both runs of a fitted candidate. The first candidate checked is the linear one. */
static volt_status check_runs(volt_identify_state *run, check *c, const volt_model *model, bool is_reference,
                              volt_identify_candidate *candidate)
{
    bool is_bounded = false;
    int64_t block = c->end - c->begin, third = block / 3, q = run->Y.cols;
    VOLT_TRY(volt_identify_simulate(run, model, &run->given, c->begin, c->end, true, c->outputs, &is_bounded));
    candidate->growth = error_of(run, c, block - third, block) / error_of(run, c, 0, third);
    VOLT_TRY(volt_identify_simulate(run, model, &c->scaled, c->begin, c->end, true, c->outputs, &is_bounded));
    if (is_reference)
        memcpy(c->linear, c->outputs, (size_t)(block * q) * sizeof *c->linear);
    candidate->excess = excess_of(run, c);
    candidate->is_rejected = !candidate->is_linear && (is_bounded || candidate->excess > max_excess);
    return VOLT_OK;
}

/* Root mean squared error of output k in the long run. */
static double long_run_error(const volt_identify_state *run, const check *c, int64_t k)
{
    volt_view Y = run->given.Y;
    volt_squares squares = {0};
    int64_t count = 0;
    for (int64_t t = c->first; t < c->end; t++) {
        double simulated = c->outputs[(t - c->first) * Y.cols + k];
        if (isnan(simulated))
            continue;
        volt_squares_add(&squares, simulated - Y.data[t * Y.ld + k]);
        count++;
    }
    return volt_squares_root_mean(&squares, count);
}

/* The run of a candidate fitted on the rows before the first block over all blocks. */
static volt_status check_long_run(volt_identify_state *run, check *c, const volt_model *model,
                                  bool is_reference, volt_identify_candidate *candidate)
{
    bool is_bounded = false;
    double sum = 0;
    int64_t q = run->Y.cols;
    VOLT_TRY(volt_identify_simulate(run, model, &run->given, c->first, c->end, true, c->outputs, &is_bounded));
    for (int64_t k = 0; k < q; k++) {
        double error = long_run_error(run, c, k);
        if (is_reference)
            c->errors[k] = error;
        sum += pow(error / c->errors[k], 2) / (double)q;
    }
    candidate->long_run = sqrt(sum);
    if (!candidate->is_linear &&
        (is_bounded || !(candidate->long_run < 1 - 1 / sqrt((double)(c->end - c->first)))))
        candidate->is_rejected = 1;
    return VOLT_OK;
}

typedef volt_status (*check_fn)(volt_identify_state *run, check *c, const volt_model *model, bool is_reference,
                                volt_identify_candidate *candidate);

/* Fits a candidate on the rows of the search before `end` and checks it. */
static volt_status fit_and_check(volt_identify_state *run, check *c, int64_t end, check_fn runs,
                                 bool is_reference, volt_identify_candidate *candidate)
{
    volt_model *model = NULL;
    int64_t begin = run->found.search_begin;
    volt_status status = volt_identify_fit(run, candidate, begin, end - begin, &model);
    if (!status)
        status = runs(run, c, model, is_reference, candidate);
    volt_model_free(model);
    if (status == VOLT_ERR_MEMORY || status == VOLT_ERR_CANCELLED)
        return status;
    candidate->is_rejected |= status != VOLT_OK;
    return VOLT_OK;
}

static volt_status check_candidate(volt_identify_state *run, check *c, bool is_reference,
                                   volt_identify_candidate *candidate)
{
    VOLT_TRY(fit_and_check(run, c, c->begin, check_runs, is_reference, candidate));
    return fit_and_check(run, c, c->first, check_long_run, is_reference, candidate);
}

volt_status volt_identify_validate(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    check c = {0};
    volt_status status = begin_check(run, &c);
    if (!status)
        status = check_candidate(run, &c, true, &found->candidates[found->best_linear]);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES && !status; i++)
        if (i != found->best_linear && volt_identify_has_score(&found->candidates[i]))
            status = check_candidate(run, &c, false, &found->candidates[i]);
    end_check(&c);
    return status;
}
