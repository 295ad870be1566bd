/* src/kernel/kinds/reservoir_kernel.c: parameters and weights that kernels of reservoirs share. */
#include "kernel/kinds/reservoir_kernel.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

const char *const volt_start_words[] = {"rest", "zero", NULL};

volt_status volt_reservoir_settle(volt_kernel *kernel, const volt_reservoir_parameters *where)
{
    const int drawn[] = {where->size, where->density, where->seed};
    const volt_kernel_info *info = &kernel->entry->info;
    volt_kernel_use_fallback(kernel, where->start);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        VOLT_REQUIRE(!(kernel->present[where->weights] && kernel->present[drawn[i]]), VOLT_ERR_KERNEL,
                     "kernel %s: %s is of weights that are drawn, and weights=%s brings its own", info->name,
                     info->parameters[drawn[i]].name, kernel->word[where->weights]);
        if (!kernel->present[where->weights])
            volt_kernel_use_fallback(kernel, drawn[i]);
    }
    return VOLT_OK;
}

/* "7 x 2" */
static const char *shape_text(int dimensions, const int64_t *shape, char text[64])
{
    int used = 0;
    for (int k = 0; k < dimensions; k++)
        used += snprintf(text + used, 64 - (size_t)used, "%s%" PRId64, k ? " x " : "", shape[k]);
    return text;
}

volt_status volt_reservoir_tensor(const char *file, const volt_arrays *arrays, const char *name,
                                  const int64_t shape[VOLT_MOST_DIMENSIONS], bool optional, const double **data)
{
    const volt_array *array = volt_arrays_find(arrays, name);
    char found[64], wanted[64];
    int dimensions = 0;
    while (dimensions < VOLT_MOST_DIMENSIONS && shape[dimensions] > 0)
        dimensions++;
    *data = NULL;
    VOLT_REQUIRE(array || optional, VOLT_ERR_SHAPE, "%s has no tensor %s, which must be %s", file, name,
                 shape_text(dimensions, shape, wanted));
    if (!array)
        return VOLT_OK;
    bool fits = array->dimensions == dimensions;
    for (int k = 0; fits && k < dimensions; k++)
        fits = array->shape[k] == shape[k];
    VOLT_REQUIRE(fits, VOLT_ERR_SHAPE, "%s: tensor %s is %s, and must be %s", file, name,
                 shape_text(array->dimensions, array->shape, found), shape_text(dimensions, shape, wanted));
    *data = array->data;
    return VOLT_OK;
}

volt_status volt_reservoir_size(const volt_kernel *kernel, const volt_reservoir_parameters *where,
                                const char *name, volt_arrays **arrays, int64_t *size)
{
    *arrays = NULL;
    if (kernel->stored) {
        *size = kernel->stored->size;
        return VOLT_OK;
    }
    *size = (int64_t)kernel->value[where->size];
    if (!kernel->present[where->weights])
        return VOLT_OK;
    const char *file = kernel->word[where->weights];
    VOLT_TRY(volt_arrays_read(file, arrays));
    const volt_array *array = volt_arrays_find(*arrays, name);
    *size = array ? array->shape[0] : 1;
    const double *unused = NULL;
    return volt_reservoir_tensor(file, *arrays, name, (const int64_t[]){*size, *size, 0}, false, &unused);
}

volt_status volt_reservoir_resolve(const volt_kernel *kernel, const volt_reservoir_parameters *where,
                                   volt_reservoir *reservoir, volt_resolved *resolved)
{
    volt_status status = VOLT_OK;
    if (kernel->stored)
        status = volt_reservoir_set(reservoir, kernel->stored);
    else if ((int)kernel->value[where->start] == VOLT_STATE_REST)
        status = volt_reservoir_rest(reservoir, kernel->entry->info.name);
    if (status == VOLT_OK)
        resolved->reservoir = reservoir;
    else
        volt_reservoir_free(reservoir);
    return status;
}
