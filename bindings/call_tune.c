/* bindings/call_tune.c: searches of kernel parameters. */
#include "call_training.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---------------------------------------------------------------------------------- */

static const field_word starts[] = {{"continue", VOLT_START_CONTINUE}, {"reset", VOLT_START_RESET}, {NULL, 0}};
static const field_word scores[] = {{"r2", VOLT_SCORE_R2},
                                    {"nmse", VOLT_SCORE_NMSE},
                                    {"mse", VOLT_SCORE_MSE},
                                    {"prequential", VOLT_SCORE_PREQUENTIAL},
                                    {"log", VOLT_SCORE_LOG},
                                    {"evidence", VOLT_SCORE_LOG},
                                    {"loo", VOLT_SCORE_LOO},
                                    {"gcv", VOLT_SCORE_GCV},
                                    {NULL, 0}};
static const field_word races[] = {
    {"exact", VOLT_RACE_EXACT}, {"fast", VOLT_RACE_FAST}, {"none", VOLT_RACE_NONE}, {NULL, 0}};
static const field_word strategies[] = {{"random", VOLT_STRATEGY_RANDOM},
                                        {"adaptive", VOLT_STRATEGY_ADAPTIVE},
                                        {"cma", VOLT_STRATEGY_CMA},
                                        {NULL, 0}};
static const field_word validations[] = {
    {"simulate", VOLT_VALIDATE_SIMULATE}, {"one-step", VOLT_VALIDATE_ONE_STEP}, {NULL, 0}};

static const field search_fields[] = {
    FIELD_NAMED(volt_search_options, FIELD_COUNT, "folds", splits.folds, NULL),
    FIELD_NAMED(volt_search_options, FIELD_COUNT, "gap", splits.gap, NULL),
    FIELD_NAMED(volt_search_options, FIELD_COUNT, "min_train", splits.min_train, NULL),
    FIELD_NAMED(volt_search_options, FIELD_COUNT, "max_train", splits.max_train, NULL),
    FIELD_WORDS(volt_search_options, FIELD_CHOICE, score, scores),
    FIELD_WORDS(volt_search_options, FIELD_CHOICE, race, races),
    FIELD_NAMED(volt_search_options, FIELD_CHOICE, "search", strategy, strategies),
    FIELD_WORDS(volt_search_options, FIELD_CHOICE, validate, validations),
    FIELD_WORDS(volt_search_options, FIELD_CHOICE, start, starts),
    FIELD(volt_search_options, FIELD_COUNT, draws),
    FIELD_NAMED(volt_search_options, FIELD_REAL, "budget", seconds, NULL),
    FIELD(volt_search_options, FIELD_TEXT, log),
    FIELD(volt_search_options, FIELD_FLAG, resume),
    OTHER("seed"),
    OTHER("ranges"),
    OTHER("feedback"),
    FIELDS_END,
};

/* ---- tune ------------------------------------------------------------------------------------- */

enum { MAX_RANGES = 64 };

/* Reads one range: two numbers (logarithmic), "linear" or "integer" and two numbers, or a list of values. */
static volt_status read_range(call *c, const char *name, const value *given, volt_range *range)
{
    range->name = name;
    if (given->kind == VALUE_NUMBERS && given->rows * given->cols == 2) {
        range->kind = VOLT_SEARCH_LOG;
        range->low = given->numbers[0];
        range->high = given->numbers[1];
        return VOLT_OK;
    }
    if (given->kind != VALUE_TEXTS || given->rows < 1)
        return call_fail(c, "the range of %s must be two numbers, c(\"linear\", low, high) or texts", name);
    bool is_linear = strcmp(given->texts[0], "linear") == 0,
         is_integer = strcmp(given->texts[0], "integer") == 0;
    if (is_linear || is_integer) {
        char *end[2] = {0};
        range->kind = is_linear ? VOLT_SEARCH_LINEAR : VOLT_SEARCH_INTEGER;
        if (given->rows == 3) {
            range->low = strtod(given->texts[1], &end[0]);
            range->high = strtod(given->texts[2], &end[1]);
        }
        if (given->rows != 3 || *end[0] || *end[1])
            return call_fail(c, "the range of %s must have a lower and an upper end after \"%s\"", name,
                             given->texts[0]);
        return VOLT_OK;
    }
    range->choices = (const char *const *)given->texts;
    range->n_choices = given->rows;
    return VOLT_OK;
}

typedef struct tuning {
    training t;
    volt_range ranges[MAX_RANGES];
    volt_draw_options draw;
    volt_search_options search;
    volt_fit_options fit;
    volt_prepared *prepared;
    volt_candidates *candidates;
    volt_search *found;
    bool feeds, alpha_is_given;
} tuning;

static volt_status read_ranges(call *c, tuning *run)
{
    const value *given = value_get(c->arguments, "ranges");
    volt_status status = VOLT_OK;
    if (given && (given->kind != VALUE_LIST || given->rows > MAX_RANGES))
        return call_fail(c, "ranges must be a named list of at most %d ranges", MAX_RANGES);
    for (int64_t i = 0; given && i < given->rows && !status; i++) {
        status = read_range(c, given->names[i], given->items[i], &run->ranges[i]);
        run->alpha_is_given = run->alpha_is_given || strcmp(given->names[i], "alpha") == 0;
        run->draw.n_ranges = i + 1;
    }
    run->draw.ranges = run->ranges;
    return status;
}

static volt_status read_tuning(call *c, tuning *run)
{
    const field *const tables[] = {training_fields, fit_fields, search_fields};
    double feedback = 0;
    int64_t seed = 0;
    run->fit = volt_fit_options_default();
    run->search = volt_search_options_default();
    run->draw = volt_draw_options_default();
    run->search.splits.gap = VOLT_GAP_AUTO;
    volt_status status = fields_check(c, tables, 3);
    if (!status)
        status = fields_set(c, fit_fields, &run->fit);
    if (!status)
        status = fields_set(c, search_fields, &run->search);
    if (!status)
        status = argument_number(c, "feedback", 0, &feedback);
    if (!status)
        status = argument_count(c, "seed", 0, &seed);
    if (!status && value_get(c->arguments, "alpha"))
        status = call_fail(c, "alpha is searched: use ranges for another range");
    if (!status && run->search.draws == 0 && !(run->search.seconds > 0))
        run->search.draws = 100;
    if (!status)
        status = read_ranges(c, run);
    run->feeds = feedback != 0;
    run->draw.seed = (uint64_t)seed;
    run->draw.scale = run->fit.scale;
    run->draw.from_defaults = 1;
    return status;
}

/* Sets what the search has in common with the fit. */
static void set_search(call *c, tuning *run)
{
    const volt_pairing *pairing = run->t.pairing;
    volt_search_options *search = &run->search;
    search->ahead = pairing->ahead;
    search->washout = run->fit.washout;
    search->intercept = run->fit.intercept;
    search->scale = run->fit.scale;
    search->records = pairing->records;
    search->n_records = pairing->n_records;
    search->base = run->prepared->base;
    search->initial = run->prepared->initial;
    search->initial_values = run->prepared->initial_values;
    search->solver = run->fit.solver;
    search->landmarks = run->fit.landmarks;
    search->landmark_choice = run->fit.landmark_choice;
    search->progress = c->progress;
    if (run->t.loss && strcmp(run->t.loss, "squares") != 0)
        search->loss = run->t.loss;
    if (run->fit.tolerance > 0)
        search->tolerance = run->fit.tolerance;
}

static void add_trials(value *result, const volt_search *found)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(found, &info);
    value *table = value_list(), *kernels = value_list();
    value *alpha = value_vector(NULL, info.trials), *score = value_vector(NULL, info.trials);
    value *feedback = value_vector(NULL, info.trials), *folds = value_vector(NULL, info.trials);
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(found, i);
        value_add(kernels, "", value_text(trial->kernel ? trial->kernel : ""));
        if (alpha && score && feedback && folds) {
            alpha->numbers[i] = trial->alpha;
            score->numbers[i] = trial->score;
            feedback->numbers[i] = trial->feedback;
            folds->numbers[i] = (double)trial->n_folds;
        }
    }
    value_add(table, "kernel", kernels);
    value_add(table, "alpha", alpha);
    value_add(table, "score", score);
    value_add(table, "feedback", feedback);
    value_add(table, "folds", folds);
    value_add(result, "trials", table);
    value_add(result, "score_name", value_text(info.score_name));
    value_add(result, "seconds", value_number(info.seconds));
    value_add(result, "failed", value_number((double)info.failed));
    if (info.out_of_time)
        value_add(result, "out_of_time", value_number(1));
}

static volt_status search_and_fit(call *c, tuning *run)
{
    volt_fit_options *fit = &run->fit;
    call_training_set(&run->t, fit);
    fit->alpha = run->alpha_is_given; /* the value is ignored */
    volt_status status = volt_prepare(run->t.pairing->inputs, run->t.pairing->targets, fit,
                                      run->t.pairing->inputs.rows, &run->prepared);
    if (status)
        return status;
    set_search(c, run);
    if (run->feeds)
        run->draw.fed_outputs = run->prepared->Y;
    status = volt_candidates_draw(run->t.kernel, run->prepared->X, &run->draw, &run->candidates);
    if (!status)
        status =
            volt_search_run(run->candidates, run->prepared->X, run->prepared->Y, &run->search, &run->found);
    const volt_trial *best = run->found ? volt_search_trial(run->found, VOLT_TRIAL_BEST) : NULL;
    if (!status && !best)
        return call_fail(c, "the budget ended the search before the first trial: increase it");
    if (status)
        return status;
    fit->target = run->prepared->target;
    fit->input = run->prepared->input;
    fit->season = run->prepared->season;
    fit->guarded = run->prepared->guarded;
    fit->alpha = best->alpha;
    fit->feedback_weight = best->feedback;
    fit->progress = c->progress;
    add_trials(c->result, run->found);
    value_add(c->result, "score", value_number(best->score));
    return call_training_fit(c, &run->t, best->kernel, fit,
                             call_training_assess_options(&run->t, VOLT_SEASON_AUTO));
}

static volt_status run_tune(call *c)
{
    tuning run = {0};
    volt_status status = read_tuning(c, &run);
    if (!status)
        status = call_training_read(c, run.feeds, &run.t);
    if (!status)
        status = search_and_fit(c, &run);
    volt_search_free(run.found);
    volt_candidates_free(run.candidates);
    volt_prepared_free(run.prepared);
    call_training_release(&run.t);
    return status;
}

const call_entry call_tune_entries[] = {{"tune", run_tune}, {NULL, NULL}};
