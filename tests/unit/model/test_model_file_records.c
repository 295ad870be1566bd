/* tests/unit/model/test_model_file_records.c: hand-written model files with several records, valid and invalid. */
#include "io/safetensors/safetensors.h"
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/model.h"

/* A model of two rows; `lengths` are its record lengths. `state` holds the state of each record's rows and
 * its border. */
static volt_status load_with(const double *lengths, int64_t n, const double *state, int64_t n_state,
                             volt_model **model)
{
    static const double inputs[] = {1, -0.5}, coefficients[] = {0.25, -0.25}, zero = 0, one = 1, alpha = 0.001,
                        none = -1;
    const volt_tensor tensors[] = {
        {"inputs", 2, 1, inputs},     {"coefficients", 2, 1, coefficients},
        {"intercepts", 1, 0, &zero},  {"input_shift", 1, 0, &zero},
        {"input_scale", 1, 0, &one},  {"target_mean", 1, 0, &zero},
        {"target_scale", 1, 0, &one}, {"last_target", 1, 0, &one},
        {"state", n_state, 0, state}, {"anchors", 1, 0, &none},
        {"alphas", 1, 0, &alpha},     {"records", n, 0, lengths},
    };
    const volt_metadatum metadata[] = {
        {"format", "volterra-model"},
        {"version", "3"},
        {"library", "0.1.0"},
        {"radius", "1"},
        {"alpha", "0.001"},
        {"kernel", "volterra:tau=0.5,lambda=0.5"},
        {"rcond", "0.1"},
        {"washout", "0"},
        {"ahead", "1"},
        {"intercept", "yes"},
        {"scaled", "no"},
        {"feedback", "no"},
        {"input", "level"},
        {"season", "0"},
    };
    int64_t count = (int64_t)(sizeof tensors / sizeof *tensors) - (lengths ? 0 : 1);
    const char *path = scratch_path("records.safetensors");
    check_ok(volt_safetensors_write(path, tensors, count, metadata, sizeof metadata / sizeof *metadata));
    return volt_model_load(path, model);
}

/* Two records of one row each, states k and border b: a row of value x has the entry 1 + l^2 kappa(x, z_j) b
 * for each of them, because the border precedes the only row of a record. */
static void two_records_of_one_row(void **state)
{
    const double lengths[] = {1, 1}, states[] = {9, 1.5, 7, 1.25};
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    double x = 0.5, y = 0;
    check_ok(load_with(lengths, 2, states, 4, &model));
    volt_model_get_info(model, &info);
    assert_int_equal(info.n_records, 2);
    check_ok(volt_model_predict(model, volt_view_of(&x, 1, 1), NULL, volt_matrix_of(&y, 1, 1), NULL));
    double first = 1 + 0.25 / (1 - 0.25 * 0.5) * 1.5, second = 1 + 0.25 / (1 + 0.25 * 0.25) * 1.25;
    assert_true(fabs(y - 0.25 * (first - second)) <= 1e-15);
    volt_model_free(model);
}

static void invalid_arguments_are_rejected(void **state)
{
    static const double states[] = {1.2, 1.3, 1.2, 1.3};
    static const struct {
        double lengths[3];
        int64_t n, n_state;
        const char *says;
    } cases[] = {
        {{1, 2}, 2, 4, "record 2 rows"},     {{1, 0}, 2, 4, "whole numbers from 1 to 2"},
        {{1.5, 0.5}, 2, 4, "whole numbers"}, {{1e300, 1}, 2, 4, "whole numbers"},
        {{1, 1, 1}, 3, 4, "record 3"},       {{1}, 1, 3, "1 rows in total"},
        {{1, 1}, 2, 3, "\"state\""},         {{2}, 1, 4, "\"state\""},
    };
    volt_model *model = NULL;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        check_fails(load_with(cases[c].lengths, cases[c].n, states, cases[c].n_state, &model), VOLT_ERR_FORMAT,
                    cases[c].says);
        assert_null(model);
    }
    check_fails(load_with(NULL, 0, states, 4, &model), VOLT_ERR_FORMAT, "\"records\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_records_of_one_row),
        cmocka_unit_test(invalid_arguments_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
