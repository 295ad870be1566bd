/* src/kernel/kinds/reservoir_kernel.c: shared parameters and weights of reservoir kernels. */
#include "kernel/kinds/reservoir_kernel.h"

#include "base/error.h"
#include "kernel/reservoir.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

const char *const volt_start_words[] = {"rest", "zero", NULL};

/* With weights from a file, no parameter of random weights may be given. */
static volt_status set_drawn_default(volt_kernel *kernel, const volt_reservoir_kind *kind, int p)
{
    const volt_kernel_info *info = &kernel->entry->info;
    VOLT_REQUIRE(!(kernel->present[kind->weights] && kernel->present[p]), VOLT_ERR_KERNEL,
                 "kernel %s: %s applies to random weights, but weights=%s is given", info->name,
                 info->parameters[p].name, kernel->word[kind->weights]);
    if (!kernel->present[kind->weights])
        volt_kernel_use_fallback(kernel, p);
    return VOLT_OK;
}

volt_status volt_reservoir_set_defaults(volt_kernel *kernel)
{
    const volt_reservoir_kind *kind = kernel->entry->reservoir;
    const int common[] = {kind->size, kind->density, kind->seed};
    volt_kernel_use_fallback(kernel, kind->start);
    for (int i = 0; i < 3; i++)
        VOLT_TRY(set_drawn_default(kernel, kind, common[i]));
    for (const int *p = kind->drawn; p && *p >= 0; p++)
        VOLT_TRY(set_drawn_default(kernel, kind, *p));
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
                                  const int64_t shape[VOLT_MAX_DIMENSIONS], bool optional, const double **data)
{
    const volt_array *array = volt_arrays_find(arrays, name);
    char found[64], wanted[64];
    int dimensions = 0;
    while (dimensions < VOLT_MAX_DIMENSIONS && shape[dimensions] > 0)
        dimensions++;
    *data = NULL;
    VOLT_REQUIRE(array || optional, VOLT_ERR_SHAPE, "%s has no tensor %s, which must be %s", file, name,
                 shape_text(dimensions, shape, wanted));
    if (!array)
        return VOLT_OK;
    bool fits = array->dimensions == dimensions;
    for (int k = 0; fits && k < dimensions; k++)
        fits = array->shape[k] == shape[k];
    VOLT_REQUIRE(fits, VOLT_ERR_SHAPE, "%s: tensor %s must be %s (got %s)", file, name,
                 shape_text(dimensions, shape, wanted), shape_text(array->dimensions, array->shape, found));
    *data = array->data;
    return VOLT_OK;
}

/* The size of a state: from saved weights, else from the file, which is read into *arrays, else from the
 * parameter. VOLT_ERR_SHAPE if the tensor is not square. */
static volt_status find_size(const volt_kernel *kernel, const volt_reservoir_kind *kind, volt_arrays **arrays,
                             int64_t *size)
{
    if (kernel->stored) {
        *size = kernel->stored->size;
        return VOLT_OK;
    }
    *size = (int64_t)kernel->value[kind->size];
    if (!kernel->present[kind->weights])
        return VOLT_OK;
    const char *file = kernel->word[kind->weights];
    VOLT_TRY(volt_arrays_read(file, arrays));
    const volt_array *array = volt_arrays_find(*arrays, kind->square);
    *size = array ? array->shape[0] : 1;
    const double *unused = NULL;
    return volt_reservoir_tensor(file, *arrays, kind->square, (const int64_t[]){*size, *size, 0}, false,
                                 &unused);
}

/* ---- radius and norm of drawn matrices -------------------------------------------------------- */

typedef struct known_matrix {
    volt_drawn_matrix drawn;
    bool is_norm;
    double value;
} known_matrix;

enum { MAX_KNOWN = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the two variables below */
static known_matrix known[MAX_KNOWN];
static int64_t n_known;

static bool is_same(const known_matrix *a, const known_matrix *b)
{
    return a->is_norm == b->is_norm && a->drawn.n == b->drawn.n && a->drawn.seed == b->drawn.seed &&
           a->drawn.stream == b->drawn.stream && a->drawn.density == b->drawn.density;
}

static bool recall(known_matrix *one)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int64_t i = 0; i < n_known && i < MAX_KNOWN && !found; i++)
        if (is_same(&known[i], one)) {
            one->value = known[i].value;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void remember(known_matrix one)
{
    pthread_mutex_lock(&lock);
    known[n_known++ % MAX_KNOWN] = one;
    pthread_mutex_unlock(&lock);
}

static volt_status measure(const volt_drawn_matrix *drawn, bool is_norm, double *value)
{
    known_matrix one = {.drawn = *drawn, .is_norm = is_norm};
    if (!recall(&one)) {
        VOLT_TRY((is_norm ? volt_spectral_norm : volt_spectral_radius)(drawn->A, drawn->n, &one.value));
        remember(one);
    }
    *value = one.value;
    return VOLT_OK;
}

volt_status volt_drawn_radius(const volt_drawn_matrix *drawn, double *radius)
{
    return measure(drawn, false, radius);
}

volt_status volt_drawn_norm(const volt_drawn_matrix *drawn, double *norm)
{
    return measure(drawn, true, norm);
}

/* ---- on inputs -------------------------------------------------------------------------------- */

static volt_status make_weights(const volt_kernel *kernel, const volt_reservoir_kind *kind,
                                const volt_arrays *arrays, double radius, volt_resolved *resolved)
{
    volt_reservoir *reservoir = resolved->reservoir;
    VOLT_TRY(volt_reservoir_allocate(reservoir));
    if (kernel->stored)
        VOLT_TRY(volt_reservoir_set(reservoir, kernel->stored));
    else
        VOLT_TRY(arrays ? kind->take(kernel, arrays, reservoir)
                        : kind->draw(kernel, radius > 0 ? radius : 1, reservoir));
    VOLT_TRY(kind->conclude(kernel, radius, resolved));
    if (!kernel->stored && (int)kernel->value[kind->start] == VOLT_STATE_REST)
        return volt_reservoir_rest_state(reservoir, kernel->entry->info.name);
    return VOLT_OK;
}

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, bool weights,
                           volt_resolved *resolved)
{
    const volt_reservoir_kind *kind = kernel->entry->reservoir;
    volt_arrays *arrays = NULL;
    int64_t size = 0;
    volt_resolved fresh = {.facts = {.radius = radius}, .window = 1};
    volt_status status = find_size(kernel, kind, &arrays, &size);
    if (status == VOLT_OK) {
        fresh.reservoir = volt_reservoir_outline(size, d, kind->length(kernel, size, d));
        status = fresh.reservoir ? VOLT_OK : VOLT_ERR_MEMORY;
    }
    if (status == VOLT_OK)
        kind->describe(kernel, fresh.reservoir);
    if (status == VOLT_OK && weights)
        status = make_weights(kernel, kind, arrays, radius, &fresh);
    volt_arrays_free(arrays);
    if (status == VOLT_OK)
        *resolved = fresh;
    else
        volt_reservoir_free(fresh.reservoir);
    return status;
}

volt_status volt_reservoir_resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    return resolve(kernel, radius, d, true, resolved);
}

volt_status volt_reservoir_sketch(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    return resolve(kernel, radius, d, false, resolved);
}
