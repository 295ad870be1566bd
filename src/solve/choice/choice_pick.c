/* src/solve/choice/choice_pick.c: a choice whose candidates are fitted on the rows before those held out, and then frozen.
 *
 * Where a fit is a regression on features of the rows, one more fit is cheap and one for every row held out is not: all of
 * them are forecast by what the rows before the first one tell, so the two tests of choice.h are one. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/choice/chooser.h"

#include <math.h>
#include <string.h>

/* One alpha, with and without a constant. */
static volt_status try_alpha(volt_chooser *c, const volt_choice_source *source, double alpha)
{
    c->choice->tried++;
    for (int constant = 0; constant <= (int)c->intercept; constant++) {
        volt_status status = source->errors(source->context, alpha, constant, c->e);
        if (status == VOLT_ERR_SINGULAR) {
            volt_log(VOLT_LOG_INFO, "alpha = %g is left out: %s", alpha, volt_error_detail());
            c->choice->failed++;
            return VOLT_OK;
        }
        VOLT_TRY(status);
        if (volt_chooser_contend(c, alpha, constant)) {
            memcpy(c->z.data, c->e.data, (size_t)(c->held * c->columns) * sizeof(double));
            volt_chooser_keep_frozen(c, alpha, constant);
        }
    }
    return VOLT_OK;
}

static volt_status try_all(volt_chooser *c, const volt_choice_source *source, volt_progress progress,
                           double from, double share)
{
    double alphas[VOLT_CHOICE_ALPHAS] = {c->choice->alpha};
    int64_t count = c->choice->alpha > 0 ? 1 : volt_choice_grid_of(source->mean, source->least, alphas);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "choose", from, share, (double)volt_max(count, 1));
    for (int constant = 0; constant <= (int)c->intercept; constant++)
        volt_chooser_try_infinity(c, constant);
    for (int64_t i = 0; i < count && volt_stage_goes_on(&stage); i++) {
        VOLT_TRY(try_alpha(c, source, alphas[i]));
        volt_stage_advance(&stage, 1);
    }
    return volt_stage_end(&stage);
}

volt_status volt_choice_pick(const volt_choice_source *source, volt_view Y, const bool *without, bool intercept,
                             volt_choice *choice, volt_progress progress, double from, double share)
{
    volt_chooser c = {.choice = choice,
                      .task = {.Y = Y, .without = without},
                      .intercept = intercept,
                      .columns = Y.cols,
                      .q = choice->level.data ? Y.cols / 2 : Y.cols,
                      .rows = Y.rows,
                      .begin = choice->held.begin,
                      .held = choice->held.rows,
                      .mean = source->mean};
    choice->tried = choice->failed = 0;
    choice->log_likelihood = NAN;
    if (c.held == 0) {
        volt_chooser_decide_blindly(&c);
        return VOLT_OK;
    }
    double *memory = volt_alloc_doubles(4 * c.held, c.columns);
    c.best = volt_alloc_zero(c.columns, sizeof *c.best);
    volt_status status = memory && c.best ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_matrix *const places[] = {&c.e, &c.z, &c.best_e, &c.best_z};
        for (int i = 0; i < 4; i++)
            *places[i] = volt_matrix_of(memory + i * c.held * c.columns, c.held, c.columns);
        for (int64_t k = 0; k < c.columns; k++)
            c.best[k].mse = INFINITY;
        status = try_all(&c, source, progress, from, share);
    }
    for (int64_t k = 0; status == VOLT_OK && k < c.q; k++)
        choice->outputs[k] = volt_chooser_decide(&c, k);
    volt_free(c.best);
    volt_free(memory);
    return status;
}
