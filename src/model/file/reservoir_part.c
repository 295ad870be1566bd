/* src/model/file/reservoir_part.c: the weights of reservoirs in a model file.
 *
 * The kernel text defines how they were drawn, or names a file of weights. With the weights in the model
 * file, predictions are bitwise identical on other machines and do not require that file. */
#include "model/file/file_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "gram/engine/engine.h"

#include <assert.h>
#include <inttypes.h>

static const char *const names[VOLT_MAX_FACTORS] = {
    "reservoir.1",  "reservoir.2",  "reservoir.3",  "reservoir.4",  "reservoir.5",  "reservoir.6",
    "reservoir.7",  "reservoir.8",  "reservoir.9",  "reservoir.10", "reservoir.11", "reservoir.12",
    "reservoir.13", "reservoir.14", "reservoir.15", "reservoir.16"};

static int64_t count_factors(const volt_kernel *kernel)
{
    return kernel->n_factors > 0 ? kernel->n_factors : 1;
}

static const volt_reservoir *reservoir_of(const volt_model *model, int64_t f)
{
    return model->resolved.sum ? model->resolved.sum->factor[f].reservoir : model->resolved.reservoir;
}

static int64_t count_reservoirs(const volt_model *model)
{
    int64_t count = 0;
    for (int64_t f = 0; f < count_factors(model->kernel); f++)
        count += reservoir_of(model, f) != NULL;
    return count;
}

static bool is_present(const volt_model *model)
{
    return count_reservoirs(model) > 0;
}

static volt_status save(const volt_model *model, volt_file_writer *writer)
{
    volt_put_count(writer, "reservoirs", count_reservoirs(model));
    if (model->states)
        volt_put_tensor(writer, "states_readout", model->states->m, model->q, model->states_readout);
    for (int64_t f = 0; f < count_factors(model->kernel); f++) {
        const volt_reservoir *reservoir = reservoir_of(model, f);
        double *numbers =
            reservoir ? volt_put_buffer(writer, names[f], reservoir->length + 1, reservoir->size) : NULL;
        if (numbers)
            volt_reservoir_get(reservoir, numbers);
    }
    return VOLT_OK;
}

/* ---- load, or copy ----------------------------------------------------------------------------- */

static volt_kernel *factor_of(volt_kernel *kernel, int64_t f)
{
    return kernel->n_factors > 0 ? kernel->factors[f] : kernel;
}

/* Size of the state by the kernel text; 0: defined by a file of weights, which may no longer exist. */
static int64_t size_of_text(const volt_kernel *factor)
{
    volt_kernel_value size = {.struct_size = sizeof size}, weights = {.struct_size = sizeof weights};
    bool known = volt_kernel_get(factor, "size", &size) == VOLT_OK &&
                 volt_kernel_get(factor, "weights", &weights) == VOLT_OK && !weights.present;
    return known ? (int64_t)size.number : 0;
}

/* Checks the number of reservoirs in the file, if declared. */
static volt_status check_count(const volt_file_fields *fields, int64_t count)
{
    int64_t declared = 0;
    if (!volt_safetensors_metadata(fields->file, "reservoirs"))
        return VOLT_OK;
    VOLT_TRY(volt_fields_count(fields, "reservoirs", &declared));
    VOLT_REQUIRE(declared == count, VOLT_ERR_FORMAT,
                 "%s: \"reservoirs\" is %" PRId64 ", but its kernel has %" PRId64, fields->path, declared,
                 count);
    return VOLT_OK;
}

volt_status volt_weights_find(const volt_file_fields *fields, volt_kernel *kernel, volt_saved_weights *saved)
{
    int64_t count = 0;
    for (int64_t f = 0; f < count_factors(kernel); f++) {
        volt_kernel *factor = factor_of(kernel, f);
        const volt_tensor *tensor = NULL;
        if (!factor->entry->reservoir)
            continue;
        count++;
        VOLT_TRY(volt_fields_tensor(fields, names[f], -1, -1, &tensor));
        assert(tensor);
        VOLT_REQUIRE(tensor->rows > 0 && tensor->cols > 0, VOLT_ERR_FORMAT, "%s: tensor \"%s\" is empty",
                     fields->path, names[f]);
        int64_t size = size_of_text(factor);
        VOLT_REQUIRE(size == 0 || size == tensor->cols, VOLT_ERR_FORMAT,
                     "%s: tensor \"%s\" is a reservoir of size %" PRId64 ", but its kernel has size=%" PRId64,
                     fields->path, names[f], tensor->cols, size);
        saved->factor[f] = (volt_reservoir_matrix){tensor->rows, tensor->cols, tensor->data};
        factor->stored = &saved->factor[f];
    }
    return check_count(fields, count);
}

volt_status volt_weights_of(const volt_model *model, volt_kernel *kernel, volt_saved_weights *saved,
                            double **numbers)
{
    int64_t total = 0, taken = 0;
    for (int64_t f = 0; f < count_factors(kernel); f++) {
        const volt_reservoir *reservoir = reservoir_of(model, f);
        total += reservoir ? (reservoir->length + 1) * reservoir->size : 0;
    }
    *numbers = volt_alloc_doubles(total, 1);
    if (!*numbers)
        return VOLT_ERR_MEMORY;
    for (int64_t f = 0; f < count_factors(kernel); f++) {
        const volt_reservoir *reservoir = reservoir_of(model, f);
        if (!reservoir)
            continue;
        volt_reservoir_get(reservoir, *numbers + taken);
        saved->factor[f] = (volt_reservoir_matrix){reservoir->length + 1, reservoir->size, *numbers + taken};
        factor_of(kernel, f)->stored = &saved->factor[f];
        taken += (reservoir->length + 1) * reservoir->size;
    }
    return VOLT_OK;
}

void volt_weights_detach(volt_kernel *kernel)
{
    for (int64_t f = 0; f < count_factors(kernel); f++)
        factor_of(kernel, f)->stored = NULL;
}

const volt_file_part volt_reservoir_part = {
    .name = "reservoir", .format = VOLT_FORMAT_ANY, .mark = "reservoirs", .present = is_present, .save = save};
