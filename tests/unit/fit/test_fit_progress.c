/* tests/unit/fit/test_fit_progress.c: progress of a whole fit: fractions that never decrease, one end, and a contribution of every
 * stage in proportion to its operations. Every poll calls the user (volt_stage_set_interval), on one thread. */
#include "base/progress.h"
#include "support/check.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "volterra/kernel.h"
#include "volterra/model.h"

enum { N = 2100, D = 2, MAX_STAGES = 16, NAME = 32 };

typedef struct part {
    char name[NAME]; /* the first word of a stage */
    double first, last;
} part;

typedef struct record {
    int64_t calls, backwards, ends, after_end;
    double last, longest; /* longest: the largest step between two calls */
    part parts[MAX_STAGES];
    int64_t n_parts;
} record;

static part *part_of(record *r, const char *stage)
{
    size_t length = strcspn(stage, " ");
    for (int64_t i = 0; i < r->n_parts; i++)
        if (strlen(r->parts[i].name) == length && strncmp(r->parts[i].name, stage, length) == 0)
            return &r->parts[i];
    assert_true(r->n_parts < MAX_STAGES && length < NAME);
    part *fresh = &r->parts[r->n_parts++];
    snprintf(fresh->name, sizeof fresh->name, "%.*s", (int)length, stage);
    fresh->first = r->last;
    return fresh;
}

static int listen(const char *stage, double fraction, void *context)
{
    record *r = context;
    part_of(r, stage)->last = fraction;
    r->calls++;
    r->after_end += r->ends > 0;
    r->backwards += fraction < r->last;
    r->ends += fraction >= 1;
    r->longest = fmax(r->longest, fraction - r->last);
    r->last = fraction;
    return 0;
}

static record record_fit(const char *solver, int64_t rows, int64_t landmarks, double alpha)
{
    record r = {0};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    volt_rng rng = test_rng(5);
    double *X = normal_rows(&rng, N, D), *Y = new_matrix(N, 1);
    for (int64_t i = 0; i < N; i++)
        Y[i] = X[i * D] + 0.5 * X[i * D + 1] * (i > 0 ? X[(i - 1) * D] : 0);
    options.solver = solver;
    options.landmarks = landmarks;
    options.alpha = alpha;
    options.progress = (volt_progress){listen, &r};
    check_ok(volt_kernel_parse("volterra:tau_coef=0.4,lambda_coef=0.7", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(X, rows, D), volt_view_of(Y, rows, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
    free(Y);
    return r;
}

/* `stages`: those that must move the fraction, separated by spaces. */
static void check_record(record *r, const char *stages)
{
    char name[NAME];
    for (int used = 0; sscanf(stages, "%31s%n", name, &used) == 1; stages += used) {
        part *p = NULL;
        for (int64_t i = 0; i < r->n_parts; i++)
            if (strcmp(r->parts[i].name, name) == 0)
                p = &r->parts[i];
        if (!p)
            fail_msg("no stage %s", name);
        if (!(p->last > p->first))
            fail_msg("stage %s does not move from %g", name, p->first);
    }
    assert_int_equal(r->backwards, 0);
    assert_int_equal(r->ends, 1);
    assert_int_equal(r->after_end, 0);
    assert_true(r->last == 1);
}

static void landmark_fit(void **state)
{
    record r = record_fit("nystrom", N, 96, 1e-3);
    check_record(&r, "landmarks states solve readout finish");
    assert_true(r.longest < 0.25); /* five blocks of rows in each pass */
}

static void landmark_fit_that_chooses_alpha(void **state)
{
    record r = record_fit("nystrom", N, 96, 0);
    check_record(&r, "landmarks states choose solve readout finish");
    assert_true(r.longest < 0.25);
}

static void iterative_fit(void **state)
{
    record r = record_fit("pcg", N, 64, 1e-3);
    check_record(&r, "landmarks states step finish");
}

static void iterative_fit_that_chooses_alpha(void **state)
{
    record r = record_fit("pcg", N, 64, 0);
    check_record(&r, "landmarks states choose step finish");
}

static void exact_fit(void **state)
{
    record r = record_fit("exact", 300, 0, 1e-3);
    check_record(&r, "gram factor finish");
    r = record_fit("exact", 300, 0, 0);
    check_record(&r, "gram choose factor finish");
}

/* ---- the meter -------------------------------------------------------------------------------- */

static void meter_covers_parts_in_turn(void **state)
{
    record r = {0};
    volt_meter meter;
    volt_progress progress = volt_meter_begin(&meter, (volt_progress){listen, &r});
    volt_stage stage;
    volt_meter_cover(&meter, 0, 0.25);
    volt_stage_begin(&stage, progress, "one", 0, 1, 2);
    volt_stage_advance(&stage, 1);
    assert_true(r.last == 0.125);
    check_ok(volt_stage_end(&stage));
    assert_true(r.last == 0.25);
    volt_meter_cover(&meter, 0.25, 0.75);
    volt_stage_begin(&stage, progress, "two", 0, 1, 1);
    check_ok(volt_stage_end(&stage));
    assert_true(r.last < 1); /* 1 is reserved for the end */
    volt_stage_begin(&stage, progress, "back", 0, 1, 1);
    assert_int_equal(r.backwards, 0);
    check_ok(volt_meter_end(&meter, VOLT_OK));
    assert_int_equal(r.ends, 1);
    assert_int_equal(volt_meter_end(&meter, VOLT_ERR_MEMORY), VOLT_ERR_MEMORY); /* a failed call has no end */
    assert_int_equal(r.ends, 1);
}

static void inner_stage_counts_for_the_outer_one(void **state)
{
    record r = {0};
    volt_stage outer, inner;
    volt_stage_begin(&outer, (volt_progress){listen, &r}, "outer", 0, 1, 8);
    volt_stage_advance(&outer, 2);
    volt_stage_begin_inner(&outer, 4, 100, &inner);
    assert_true(r.last == 0.25);
    volt_stage_advance(&inner, 50);
    assert_true(r.last == 0.5);
    assert_true(volt_stage_end_inner(&outer, 4, &inner));
    assert_true(r.last == 0.75);
    assert_true(volt_stage_reach(&outer, 7));
    assert_true(r.last == 0.875);
    assert_true(volt_stage_reach(&outer, 3)); /* passed already */
    assert_true(r.last == 0.875);
    check_ok(volt_stage_end(&outer));
    volt_stage_begin_inner(NULL, 4, 100, &inner); /* without an outer stage */
    assert_true(volt_stage_advance(&inner, 1));
    assert_true(volt_stage_end_inner(NULL, 4, &inner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landmark_fit),
        cmocka_unit_test(landmark_fit_that_chooses_alpha),
        cmocka_unit_test(iterative_fit),
        cmocka_unit_test(iterative_fit_that_chooses_alpha),
        cmocka_unit_test(exact_fit),
        cmocka_unit_test(meter_covers_parts_in_turn),
        cmocka_unit_test(inner_stage_counts_for_the_outer_one),
    };
    return cmocka_run_group_tests_name("fit_progress", tests, poll_always, poll_as_usual);
}
