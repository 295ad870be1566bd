/* tests/unit/model/test_recipe_file.c: hand-written files of models with a recipe. The valid file loads. Files
 * with out-of-range or inconsistent fields are rejected with the path and the reason. */
#include "io/safetensors/safetensors.h"
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/model.h"

enum { TENSORS = 13, METADATA = 14, COLUMNS = 9, RECENT = 10, ANCHORS = 11, ALPHAS = 12 };

typedef struct crafted {
    volt_tensor tensors[TENSORS];
    volt_metadatum metadata[METADATA + 1];
    double columns[2 * 6], recent[2], anchors[1], alphas[1];
    int64_t n_tensors, n_metadata;
} crafted;

/* Two rows of the level and the change of one input, whose change is predicted. */
static void craft(crafted *c)
{
    static const double inputs[] = {0.5, 0.25, -0.5, 0.25}, coefficients[] = {0.25, -0.25}, zero = 0, one = 1;
    static const double shift[] = {0, 0}, state[] = {1.2, 1.3, 4.0 / 3};
    static const double columns[] = {0, 0, -1, 1, -1, 1, 0, 0, 1, 0.5, -0.5, 0.5};
    memset(c, 0, sizeof *c);
    memcpy(c->columns, columns, sizeof columns);
    c->recent[0] = 3;
    c->recent[1] = 4;
    c->alphas[0] = 0.5;
    const volt_tensor tensors[TENSORS] = {
        {"inputs", 2, 2, inputs},      {"coefficients", 2, 1, coefficients}, {"intercepts", 1, 0, &zero},
        {"input_shift", 2, 0, shift},  {"input_scale", 1, 0, &one},          {"target_mean", 1, 0, &zero},
        {"target_scale", 1, 0, &one},  {"last_target", 1, 0, &one},          {"state", 3, 0, state},
        {"columns", 2, 6, c->columns}, {"recent", 2, 1, c->recent},          {"anchors", 1, 0, c->anchors},
        {"alphas", 1, 0, c->alphas}};
    const volt_metadatum metadata[METADATA] = {{"format", "volterra-model"},
                                               {"version", "2"},
                                               {"library", "0.1.0"},
                                               {"kernel", "volterra:tau=0.5,lambda=0.5"},
                                               {"radius", "1"},
                                               {"alpha", "0.5"},
                                               {"rcond", "0.1"},
                                               {"washout", "0"},
                                               {"ahead", "1"},
                                               {"intercept", "yes"},
                                               {"scaled", "yes"},
                                               {"feedback", "yes"},
                                               {"input", "both"},
                                               {"season", "0"}};
    memcpy(c->tensors, tensors, sizeof tensors);
    memcpy(c->metadata, metadata, sizeof metadata);
    c->n_tensors = TENSORS;
    c->n_metadata = METADATA;
}

/* The same with a weight for each of `inputs` inputs (NULL: field omitted). */
static void craft_weighted(crafted *c, const char *inputs)
{
    craft(c);
    for (int i = 0; i < METADATA; i++)
        if (strcmp(c->metadata[i].key, "version") == 0)
            c->metadata[i].value = "9";
    if (inputs)
        c->metadata[c->n_metadata++] = (volt_metadatum){"weighted_inputs", inputs};
}

/* Levels of the inputs 0 and 2 of three, without feedback. */
static void craft_levels(crafted *c)
{
    craft_weighted(c, "3");
    for (int i = 0; i < METADATA; i++) {
        if (strcmp(c->metadata[i].key, "input") == 0)
            c->metadata[i].value = "level";
        if (strcmp(c->metadata[i].key, "feedback") == 0)
            c->metadata[i].value = "no";
    }
    c->tensors[RECENT] = c->tensors[--c->n_tensors];
    c->columns[6] = 2;
    c->columns[8] = -1;
    for (int j = 0; j < 2; j++) {
        c->columns[6 * j + 4] = -DBL_MAX;
        c->columns[6 * j + 5] = DBL_MAX;
    }
}

static const char *write_crafted(const crafted *c)
{
    const char *path = scratch_path("model.safetensors");
    check_ok(volt_safetensors_write(path, c->tensors, c->n_tensors, c->metadata, c->n_metadata));
    return path;
}

static void refused(const crafted *c, const char *fragment)
{
    const char *path = write_crafted(c);
    volt_model *model = (volt_model *)&path;
    volt_status status = volt_model_load(path, &model);
    if (status != VOLT_ERR_FORMAT || !strstr(volt_error_detail(), path) || !error_names(fragment))
        fail_msg("status \"%s\", sentence \"%s\", expected \"%s\"", volt_status_message(status),
                 volt_error_detail(), fragment);
    assert_ptr_equal(model, &path);
}

/* The columns of x = 4.5 after 3 and 4 are 1 (4.5, clipped) and 0.25 (half of 0.5); its prediction is a
 * change from 4.5. */
static void crafted_model_loads(void **state)
{
    crafted c;
    craft(&c);
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_load(write_crafted(&c), &model));
    volt_model_get_info(model, &info);
    assert_true(info.d == 1 && info.columns == 2 && info.q == 1 && info.anchors[0] == 0 &&
                info.alphas[0] == 0.5);
    assert_true(info.input == VOLT_INPUT_BOTH && info.season == 0 && !info.report);
    double x = 4.5, y, z[2] = {1, 0.25};
    double norm = sqrt(z[0] * z[0] + z[1] * z[1]);
    int64_t beyond = 0;
    check_ok(volt_model_predict(model, volt_view_of(&x, 1, 1), NULL, volt_matrix_of(&y, 1, 1), &beyond));
    assert_int_equal(beyond, 1);
    z[0] /= norm; /* to the ball */
    z[1] /= norm;
    double first = 1 + 0.25 / (1 - 0.25 * (z[0] * 0.5 + z[1] * 0.25)) * 4 / 3;
    double second = 1 + 0.25 / (1 - 0.25 * (z[0] * -0.5 + z[1] * 0.25)) * 1.2;
    assert_true(fabs(y - (4.5 + 0.25 * first - 0.25 * second)) < 1e-14);
    volt_model_free(model);
}

static void infinite_alphas_and_ranges_round_trip(void **state)
{
    crafted c;
    craft(&c);
    c.alphas[0] = 0;
    for (int i = 0; i < METADATA; i++)
        if (strcmp(c.metadata[i].key, "alpha") == 0)
            c.metadata[i].value = "0";
    c.columns[4] = -DBL_MAX;
    c.columns[5] = DBL_MAX;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_load(write_crafted(&c), &model));
    volt_model_get_info(model, &info);
    assert_true(isinf(info.alphas[0]) && isinf(info.alpha));
    volt_model_free(model);
}

static void invalid_metadata_are_rejected(void **state)
{
    static const struct {
        const char *key, *value, *fragment; /* value NULL: field omitted */
    } wrong[] = {
        {"input", NULL, "\"input\""},
        {"input", "auto", "level, change or both"},
        {"input", "", "level, change or both"},
        {"input", "level", "\"columns\""},
        {"season", NULL, "\"season\""},
        {"season", "-1", "\"season\""},
        {"season", "1.5", "whole"},
        {"version", "99", "format 99"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        crafted c;
        craft(&c);
        for (int64_t m = 0; m < c.n_metadata; m++)
            if (strcmp(c.metadata[m].key, wrong[i].key) == 0) {
                if (wrong[i].value)
                    c.metadata[m].value = wrong[i].value;
                else
                    c.metadata[m] = c.metadata[--c.n_metadata];
                break;
            }
        refused(&c, wrong[i].fragment);
    }
}

static void invalid_tensors_are_rejected(void **state)
{
    static const char *const names[] = {"columns", "recent", "anchors", "alphas"};
    for (int t = COLUMNS; t < TENSORS; t++) {
        crafted c;
        craft(&c);
        c.tensors[t] = c.tensors[TENSORS - 1];
        c.n_tensors--;
        refused(&c, t == COLUMNS ? "\"columns\"" : names[t - COLUMNS]);
    }
    static const struct {
        int tensor, at;
        double value;
        const char *fragment;
    } wrong[] = {
        {COLUMNS, 0, 1, "0 to 0"},   {COLUMNS, 0, -1, "0 to 0"},      {COLUMNS, 0, 0.5, "whole"},
        {COLUMNS, 1, 3, "0 to 2"},   {COLUMNS, 1, -1, "0 to 2"},      {COLUMNS, 2, 3, "-1 to 2"},
        {COLUMNS, 2, -2, "-1 to 2"}, {COLUMNS, 2, 1e300, "-1 to 2"},  {COLUMNS, 3, 0, "weight 0"},
        {COLUMNS, 3, -1, "weight"},  {COLUMNS, 4, 2, "range 2 to 1"}, {COLUMNS, 5, NAN, "not finite"},
        {RECENT, 0, NAN, "finite"},  {ANCHORS, 0, 1, "-1 to 0"},      {ANCHORS, 0, -2, "-1 to 0"},
        {ANCHORS, 0, 0.5, "whole"},  {ALPHAS, 0, -1, "alpha"},        {ALPHAS, 0, INFINITY, "finite"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        crafted c;
        craft(&c);
        double *numbers[] = {c.columns, c.recent, c.anchors, c.alphas};
        numbers[wrong[i].tensor - COLUMNS][wrong[i].at] = wrong[i].value;
        refused(&c, wrong[i].fragment);
    }
    static const double many[24] = {0};
    for (int t = COLUMNS; t < TENSORS; t++) {
        crafted c;
        craft(&c);
        c.tensors[t].data = many;
        c.tensors[t].cols = t == RECENT ? 0 : 4;
        refused(&c, names[t - COLUMNS]);
    }
    crafted c; /* two inputs, the second without feedback */
    craft(&c);
    c.tensors[RECENT].rows = 1;
    c.tensors[RECENT].cols = 2;
    refused(&c, "feedback");
}

/* Levels have no recent rows, and need not use every input. */
static void weighted_inputs_are_checked(void **state)
{
    crafted c;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    craft_weighted(&c, "1");
    check_ok(volt_model_load(write_crafted(&c), &model));
    volt_model_get_info(model, &info);
    assert_true(info.scale_each == 1 && info.d == 1 && info.columns == 2);
    volt_model_free(model);
    craft_levels(&c);
    check_ok(volt_model_load(write_crafted(&c), &model));
    volt_model_get_info(model, &info);
    assert_true(info.scale_each == 1 && info.d == 3 && info.columns == 2 && info.input == VOLT_INPUT_LEVEL);
    /* The kernel receives 0.5 and 0.5 * 0.5 for x = (0.5, 9, 0.5), and the anchor adds the first. */
    double x[3] = {0.5, 9, 0.5}, y = 0;
    check_ok(volt_model_predict(model, volt_view_of(x, 1, 3), NULL, volt_matrix_of(&y, 1, 1), NULL));
    double first = 1 + 0.25 / (1 - 0.25 * (0.5 * 0.5 + 0.25 * 0.25)) * 4 / 3;
    double second = 1 + 0.25 / (1 - 0.25 * (0.5 * -0.5 + 0.25 * 0.25)) * 1.2;
    assert_true(fabs(y - (0.5 + 0.25 * first - 0.25 * second)) < 1e-14);
    volt_model_free(model);

    static const char *const wrong[] = {NULL, "0", "-1", "1.5", "2", "x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        craft_weighted(&c, wrong[i]);
        refused(&c, "\"weighted_inputs\"");
    }
    craft_levels(&c);
    c.columns[1] = 1;
    refused(&c, "0 to 0");
    craft_levels(&c);
    c.columns[6] = 3;
    refused(&c, "0 to 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crafted_model_loads),
        cmocka_unit_test(infinite_alphas_and_ranges_round_trip),
        cmocka_unit_test(invalid_metadata_are_rejected),
        cmocka_unit_test(invalid_tensors_are_rejected),
        cmocka_unit_test(weighted_inputs_are_checked),
    };
    return cmocka_run_group_tests_name("recipe_file", tests, NULL, NULL);
}
