/* tests/support/loss_cases.c: rows, targets, options and searches of one candidate. */
#include "support/loss_cases.h"

#include "support/check.h"
#include "support/sequences.h"

loss_rows loss_rows_make(uint64_t seed)
{
    loss_rows d;
    volt_rng rng = test_rng(seed);
    for (int64_t i = 0; i < LOSS_ROWS; i++) {
        d.X[2 * i] = sin(0.9 * (double)i) + 0.2 * volt_rng_normal(&rng);
        d.X[2 * i + 1] = volt_rng_uniform(&rng);
        double y = d.X[2 * i] + d.X[2 * i + 1] * d.X[2 * i] + 0.4 * volt_rng_normal(&rng);
        d.y[i] = 5 + 2 * y;
        d.two[2 * i] = y;
        d.two[2 * i + 1] = 3 - y * y;
        d.counts[i] = floor(2 * fabs(y));
        d.labels[i] = y < -0.3 ? 0 : y < 0.5 ? 1 : 2;
        d.pairs[i] = y < 0 ? 0 : 1;
        d.weights[i] = i % 6 == 2 ? 0 : 0.5 + volt_rng_uniform(&rng);
    }
    return d;
}

const loss_case loss_cases[LOSS_CASES] = {
    {"squares", offsetof(loss_rows, two), 2, 2, 0},
    {"huber:delta=0.7", offsetof(loss_rows, y), 1, 1, 0},
    {"quantile:q=0.7", offsetof(loss_rows, two), 2, 2, 0},
    {"quantile:q=0.1/0.5/0.9", offsetof(loss_rows, two), 2, 6, 0},
    {"epsilon:epsilon=0.5", offsetof(loss_rows, y), 1, 1, 0},
    {"expectile:q=0.2", offsetof(loss_rows, two), 2, 2, 0},
    {"logistic", offsetof(loss_rows, pairs), 1, 2, 2},
    {"multinomial", offsetof(loss_rows, labels), 1, 3, 3},
    {"poisson", offsetof(loss_rows, counts), 1, 1, 0},
};
static const char *const names[] = {"a", "b", "c"};

volt_view loss_targets(const loss_rows *d, const loss_case *c)
{
    return volt_view_of((const double *)(const void *)((const char *)d + c->offset), LOSS_ROWS, c->targets);
}

volt_view loss_inputs(const loss_rows *d)
{
    return volt_view_of(d->X, LOSS_ROWS, 2);
}

volt_search_options loss_search_options(const loss_case *c)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = LOSS_FOLDS;
    options.splits.min_train = 24; /* enough for every class */
    options.loss = c->text;
    options.score = VOLT_SCORE_LOSS;
    options.n_classes = c->classes;
    options.classes = c->classes ? names : NULL;
    options.tolerance = c->classes > 2 ? 1e-9 : 1e-12; /* classes come to rest more slowly */
    options.race = VOLT_RACE_NONE;
    return options;
}

volt_status loss_search_one(const loss_rows *d, const loss_case *c, const volt_search_options *options,
                            const char *kernel, double alpha, double folds[LOSS_FOLDS], double *found)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &candidates));
    volt_status status = volt_search_run(candidates, loss_inputs(d), loss_targets(d, c), options, &search);
    if (status == VOLT_OK) {
        const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
        assert_non_null(best);
        assert_int_equal(best->n_folds, LOSS_FOLDS);
        memcpy(folds, best->folds, LOSS_FOLDS * sizeof *folds);
        if (found)
            *found = best->alpha;
    }
    volt_search_free(search);
    volt_candidates_free(candidates);
    return status;
}

volt_candidates *loss_draws(const loss_rows *d)
{
    volt_candidates *candidates = NULL;
    volt_range range = {.name = "alpha", .kind = VOLT_SEARCH_LOG, .low = 1e-3, .high = 1};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = &range;
    options.n_ranges = 1;
    check_ok(volt_candidates_draw("volterra", loss_inputs(d), &options, &candidates));
    return candidates;
}
