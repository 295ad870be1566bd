/* src/model/file/errors_part.c: the errors of the training rows in a model file. Forecasts are the same without them. */
#include "base/error.h"
#include "base/memory.h"
#include "model/file/file_parts.h"

#include <inttypes.h>
#include <string.h>

/* By volt_error_kind. */
static const struct {
    const char *errors, *scales;
} names[VOLT_ROW_ERRORS] = {{"errors", "error_scales"}, {"far_errors", "far_error_scales"}};

static bool is_present(const volt_model *model)
{
    return model->errors.lists[VOLT_ERRORS_NEAR].rows > 0;
}

/* Do all outputs have the scales of the first? They do with one alpha, and then one column is saved. */
static bool has_one_scale(const volt_error_list *list, int64_t q)
{
    bool same = true;
    for (int64_t i = 0; same && i < list->rows * q; i++)
        same = list->scale[i] == list->scale[i / q * q];
    return same;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
        const volt_error_list *list = &model->errors.lists[i];
        int64_t q = model->q, columns = has_one_scale(list, q) ? 1 : q;
        volt_put_tensor(writer, names[i].errors, list->rows, q, list->e);
        double *scales = volt_put_room(writer, names[i].scales, list->rows, columns);
        for (int64_t t = 0; scales && t < list->rows; t++)
            memcpy(scales + t * columns, list->scale + t * q, (size_t)columns * sizeof *scales);
    }
    return VOLT_OK;
}

static volt_status load_list(const volt_file_fields *fields, int i, int64_t rows, int64_t q,
                             volt_error_list *list)
{
    const volt_tensor *e = NULL, *scales = NULL;
    VOLT_TRY(volt_fields_tensor(fields, names[i].errors, rows, q, &e));
    VOLT_TRY(volt_fields_tensor(fields, names[i].scales, e->rows, -1, &scales));
    VOLT_REQUIRE(scales->cols == 1 || scales->cols == q, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" has %" PRId64 " columns, and must have 1 or %" PRId64, fields->path,
                 names[i].scales, scales->cols, q);
    VOLT_TRY(volt_error_list_allocate(e->rows, q, list));
    memcpy(list->e, e->data, (size_t)(e->rows * q) * sizeof(double));
    for (int64_t j = 0; j < e->rows * q; j++) {
        list->scale[j] = scales->data[scales->cols == q ? j : j / q];
        VOLT_REQUIRE(list->scale[j] >= 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" holds %g, which is below 0",
                     fields->path, names[i].scales, list->scale[j]);
    }
    return VOLT_OK;
}

static volt_status load(const volt_file_fields *fields, volt_model *model)
{
    int64_t kept = volt_model_kept(model);
    volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    bool has_landmarks = model->trained.landmarks > 0; /* and errors of the last rows alone */
    VOLT_TRY(load_list(fields, VOLT_ERRORS_NEAR, has_landmarks ? -1 : kept, model->q, near));
    VOLT_REQUIRE(near->rows <= kept, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" has %" PRId64 " rows, and may have %" PRId64, fields->path,
                 names[VOLT_ERRORS_NEAR].errors, near->rows, kept);
    volt_error_list *far = &model->errors.lists[VOLT_ERRORS_FAR];
    VOLT_TRY(load_list(fields, VOLT_ERRORS_FAR, -1, model->q, far));
    VOLT_REQUIRE(far->rows > 0 && far->rows <= kept, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" has %" PRId64 " rows, and must have 1 to %" PRId64, fields->path,
                 names[VOLT_ERRORS_FAR].errors, far->rows, kept);
    return VOLT_OK;
}

const volt_file_part volt_errors_part = {.name = "errors",
                                         .format = VOLT_FORMAT_ANY,
                                         .mark = "errors",
                                         .present = is_present,
                                         .save = save,
                                         .load = load};
