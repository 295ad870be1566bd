/* tests/unit/model/test_model_file_parts.c: the parts of a model file, by format version and flags. */
#include "io/safetensors/safetensors.h"
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/model.h"

/* A model of two rows in the given format, with a tensor `extra` of the given length. */
static volt_status load_format(const char *version, const char *kernel, const char *extra, int64_t numbers,
                               int64_t n_state, volt_model **model)
{
    static const double inputs[] = {1, -0.5}, coefficients[] = {0.25, -0.25}, zero = 0, one = 1, minus = -1,
                        many[] = {1, 1, 1, 1};
    const volt_tensor tensors[] = {
        {"inputs", 2, 1, inputs},     {"coefficients", 2, 1, coefficients},
        {"intercepts", 1, 0, &zero},  {"input_shift", 1, 0, &zero},
        {"input_scale", 1, 0, &one},  {"target_mean", 1, 0, &zero},
        {"target_scale", 1, 0, &one}, {"last_target", 1, 0, &one},
        {"state", n_state, 0, many},  {"anchors", 1, 0, &minus},
        {"alphas", 1, 0, &zero},      {extra, numbers, 0, many},
    };
    const volt_metadatum metadata[] = {
        {"format", "volterra-model"},
        {"version", version},
        {"library", "0.1.0"},
        {"radius", "1"},
        {"alpha", "0"}, /* infinite if the model has a recipe */
        {"kernel", kernel},
        {"rcond", "0.1"},
        {"washout", "0"},
        {"ahead", "1"},
        {"intercept", "yes"},
        {"scaled", "no"},
        {"feedback", "no"},
        {"input", "level"},
        {"season", "0"},
    };
    const char *path = scratch_path("parts.safetensors");
    check_ok(volt_safetensors_write(path, tensors, sizeof tensors / sizeof *tensors, metadata,
                                    sizeof metadata / sizeof *metadata));
    return volt_model_load(path, model);
}

static const char *const plain = "volterra:tau=0.5,lambda=0.5";

static void part_requires_its_format_version(void **state)
{
    static const struct {
        const char *version;
        double alpha;
        int64_t records, n_state;
    } cases[] = {{"1", 0, 0, 3}, {"2", INFINITY, 0, 3}, {"3", INFINITY, 2, 4}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        check_ok(load_format(cases[c].version, plain, "records", 2, cases[c].n_state, &model));
        volt_model_get_info(model, &info);
        assert_true(info.alphas[0] == cases[c].alpha);
        assert_int_equal(info.n_records, cases[c].records);
        volt_model_free(model);
    }
}

/* Additions that a later version may make without a new format. */
static void unknown_tensor_is_ignored(void **state)
{
    for (const char *version = "12"; *version; version++) {
        const char text[] = {*version, 0};
        volt_model *model = NULL;
        check_ok(load_format(text, plain, "of_another_time", 4, 3, &model));
        volt_model_free(model);
    }
}

/* The filter state is part of the recipe, which format 1 does not have. */
static void filters_without_state_are_rejected(void **state)
{
    volt_model *model = NULL;
    check_fails(load_format("1", "volterra:tau=0.5,lambda=0.5,pole=0.5", "radii", 1, 3, &model),
                VOLT_ERR_FORMAT, "kernel");
    check_fails(load_format("2", "volterra:tau=0.5,lambda=0.5,pole=0.5", "radii", 1, 3, &model),
                VOLT_ERR_FORMAT, "\"filters\"");
    assert_null(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(part_requires_its_format_version),
        cmocka_unit_test(unknown_tensor_is_ignored),
        cmocka_unit_test(filters_without_state_are_rejected),
    };
    return cmocka_run_group_tests_name("model_file_parts", tests, NULL, NULL);
}
