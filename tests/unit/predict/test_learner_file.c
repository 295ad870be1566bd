/* tests/unit/predict/test_learner_file.c: saving and loading the state of a learner, and learners with allocation
 * failures. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/school.h"
#include "support/scratch.h"

enum { TRAIN = SCHOOL_TRAIN, N = SCHOOL_ROWS, D = SCHOOL_D, Q = SCHOOL_Q };

/* Bitwise equal at any time, also between a row and its target. */
static void loaded_learner_continues(void **state)
{
    for (int i = 0; engine_kernels[i]; i++)
        for (int pending = 0; pending < 2; pending++) {
            school s;
            open_school(engine_kernels[i], 839, &s);
            volt_live *learner = new_learner(s.model, 15, 0.97), *again = NULL;
            double first[Q], second[Q];
            int64_t t = TRAIN;
            for (; t < TRAIN + 9; t++)
                check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, NULL));
            check_ok(volt_live_restart(learner));
            for (; t < TRAIN + 13; t++)
                check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, NULL));
            if (pending)
                check_ok(volt_live_feed(learner, s.X + t * D, first));
            check_ok(volt_live_save(learner, scratch_path("learner")));
            check_ok(volt_live_load(s.model, NULL, scratch_path("learner"), &again));
            volt_live_info one = info_of(learner), two = info_of(again);
            assert_memory_equal(one.last, two.last, D * sizeof *one.last);
            one.last = two.last;
            one.resumed = two.resumed;
            assert_memory_equal(&one, &two, sizeof one);
            for (; t < N; t++) {
                volt_live *both[] = {learner, again};
                for (int b = 0; b < 2; b++) {
                    if (!pending || t > TRAIN + 13)
                        check_ok(volt_live_feed(both[b], s.X + t * D, b ? second : first));
                    check_ok(volt_live_learn(both[b], 0, s.Y + t * Q));
                }
                if (!pending || t > TRAIN + 13)
                    assert_memory_equal(first, second, sizeof first);
            }
            check_ok(volt_live_save(learner, scratch_path("one")));
            check_ok(volt_live_save(again, scratch_path("two")));
            size_t size = 0, size_again = 0;
            char *bytes = scratch_read(scratch_path("one"), &size);
            char *bytes_again = scratch_read(scratch_path("two"), &size_again);
            assert_int_equal(size, size_again);
            assert_memory_equal(bytes, bytes_again, size);
            free(bytes);
            free(bytes_again);
            volt_live_free(learner);
            volt_live_free(again);
            close_school(&s);
        }
}

static void state_of_another_model_is_rejected(void **state)
{
    school s, other;
    open_school("volterra:tau_coef=0.6,lambda_coef=0.8", 840, &s);
    open_school("volterra:tau_coef=0.6,lambda_coef=0.8", 841, &other);
    volt_live *learner = new_learner(s.model, 5, 1), *again = NULL;
    volt_live *stream = NULL;
    check_ok(volt_live_save(learner, scratch_path("state")));
    check_fails(volt_live_load(other.model, NULL, scratch_path("state"), &again), VOLT_ERR_FORMAT, "model");
    volt_live_options options = volt_live_options_default();
    check_fails(volt_live_load(s.model, &options, scratch_path("state"), &stream), VOLT_ERR_FORMAT, "learn 1");
    check_ok(volt_live_create(s.model, NULL, &stream));
    check_ok(volt_live_save(stream, scratch_path("stream")));
    check_fails(volt_live_load(s.model, with_learning(), scratch_path("stream"), &again), VOLT_ERR_FORMAT,
                "learn 0");
    check_fails(volt_live_load(s.model, NULL, scratch_path("nothing"), &again), VOLT_ERR_IO, "nothing");
    assert_null(again);
    volt_live_free(stream);
    volt_live_free(learner);
    close_school(&s);
    close_school(&other);
}

/* The k-th allocation fails, for every k: the learner is unchanged, and a second call succeeds. */
static void every_allocation_may_fail(void **state)
{
    static const char *const kernels[] = {"volterra:tau_coef=0.6,lambda_coef=0.8", "gak:window=4,sigma=1"};
    for (int i = 0; i < 2; i++) {
        school s;
        open_school(kernels[i], 846, &s);
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_live *learner = NULL;
            volt_status status = volt_live_create(s.model, with_learning(), &learner);
            volt_live_free(learner);
            failing_alloc_check(status);
        }
        volt_live *learner = new_learner(s.model, 0, 1), *plain = new_learner(s.model, 0, 1), *loaded = NULL;
        for (int64_t t = TRAIN; t < N; t++) {
            double y[Q] = {9, 9}, expected[Q];
            volt_status status = VOLT_ERR_MEMORY;
            for (int64_t k = 1; status == VOLT_ERR_MEMORY; k++) {
                failing_alloc_start(k);
                status = volt_live_feed(learner, s.X + t * D, y);
                failing_alloc_stop();
                assert_true(status == VOLT_OK || (y[0] == 9 && y[1] == 9));
            }
            check_ok(status);
            status = VOLT_ERR_MEMORY;
            for (int64_t k = 1; status == VOLT_ERR_MEMORY; k++) {
                failing_alloc_start(k);
                status = volt_live_learn(learner, 0, s.Y + t * Q);
                failing_alloc_stop();
            }
            check_ok(status);
            check_ok(volt_live_update(plain, s.X + t * D, 0, s.Y + t * Q, expected));
            assert_memory_equal(y, expected, sizeof y);
        }
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_status status = volt_live_save(learner, scratch_path("state"));
            failing_alloc_check_lenient(status); /* removal of leftovers may fail */
        }
        for (int64_t k = 1; !loaded; k++) {
            failing_alloc_start(k);
            volt_status status = volt_live_load(s.model, NULL, scratch_path("state"), &loaded);
            int hit = failing_alloc_hit();
            failing_alloc_stop();
            assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);
        }
        volt_live_free(loaded);
        volt_live_free(learner);
        volt_live_free(plain);
        close_school(&s);
    }
}

/* The readout was halved: the model file records this, and the learner takes unscaled targets. */
static void readout_decay_is_saved(void **state)
{
    school s;
    volt_model *loaded = NULL;
    open_school("volterra:tau_coef=0.6,lambda_coef=0.8", 849, &s);
    double whole[Q], halved[Q], found[Q];
    volt_live *learner = new_learner(s.model, 0, 1);
    check_ok(volt_live_update(learner, s.X + TRAIN * D, 0, s.Y + TRAIN * Q, NULL));
    check_ok(volt_live_feed(learner, s.X + (TRAIN + 1) * D, whole));
    volt_live_free(learner);
    for (int64_t i = 0; i < TRAIN; i++)
        s.model->coefficients[i * Q] /= 2;
    s.model->intercepts[0] /= 2;
    s.model->shares[0] = 0.5;
    check_ok(volt_model_save(s.model, scratch_path("model"), (volt_progress){0}));
    check_ok(volt_model_load(scratch_path("model"), &loaded));
    assert_true(loaded->shares[0] == 0.5 && loaded->shares[1] == 1);
    learner = new_learner(loaded, 0, 1);
    check_ok(volt_live_update(learner, s.X + TRAIN * D, 0, s.Y + TRAIN * Q, NULL));
    check_ok(volt_live_feed(learner, s.X + (TRAIN + 1) * D, halved));
    check_ok(volt_live_predict(learner, volt_view_of(s.X + (TRAIN + 2) * D, 1, D), 0,
                               volt_matrix_of(found, 1, Q), NULL));
    assert_true(fabs(2 * halved[0] - whole[0]) < 1e-9 && fabs(halved[1] - whole[1]) < 1e-9);
    volt_live_free(learner);
    volt_model_free(loaded);
    close_school(&s);
}

/* The state of a model is rejected by any other model, whatever differs between them. */
static void model_digest_covers_every_number(void **state)
{
    school s;
    open_school("rbf", 845, &s);
    double *const parts[] = {s.model->coefficients, s.model->intercepts,   s.model->input.shift,
                             s.model->target_mean,  s.model->target_scale, &s.model->input.scale};
    char before[VOLT_DIGEST_LENGTH], after[VOLT_DIGEST_LENGTH];
    double row[D];
    assert_int_equal(s.model->d, D);
    volt_model_digest(s.model, row, before);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double kept = *parts[i];
        *parts[i] = 2 * kept + 1;
        volt_model_digest(s.model, row, after);
        assert_string_not_equal(after, before);
        *parts[i] = kept;
    }
    s.model->anchors[0]++;
    volt_model_digest(s.model, row, after);
    assert_string_not_equal(after, before);
    s.model->anchors[0]--;
    volt_model_digest(s.model, row, after);
    assert_string_equal(after, before);
    volt_model_free(s.model);

    s.fit.initial = VOLT_INITIAL_MEAN;
    s.model = fit_rows(&s, TRAIN, 0);
    volt_model_digest(s.model, row, before);
    s.model->past.input[D - 1] += 1;
    volt_model_digest(s.model, row, after);
    assert_string_not_equal(after, before);
    close_school(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_learner_continues),
        cmocka_unit_test(state_of_another_model_is_rejected),
        cmocka_unit_test(model_digest_covers_every_number),
        cmocka_unit_test(readout_decay_is_saved),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
