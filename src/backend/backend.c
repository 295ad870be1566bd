/* src/backend/backend.c: the table of back ends, and the current one. */
#include "backend/backend.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MAX_BACKENDS = 8 };

static const volt_backend *table[MAX_BACKENDS + 1] = {&volt_cpu_backend}; /* NULL-terminated */
static const volt_backend *chosen; /* NULL: chosen by the work (solve/landmark/placement.h) */
static const volt_backend *shared; /* of a job; NULL: a single process */
static _Thread_local int64_t bound;

static const volt_backend *find(const char *name)
{
    for (int64_t i = 0; table[i]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

static bool is_complete(const volt_backend *b)
{
    return b->alloc && b->release && b->put && b->get && b->shift && b->mirror && b->isolate && b->trsm &&
           b->potrf && b->norm && b->rcond && b->invert && b->update && b->forward && b->backward && b->gemm;
}

volt_status volt_backend_check(const volt_backend *backend)
{
    VOLT_REQUIRE(backend && backend->name && backend->name[0], VOLT_ERR_ARGUMENT, "the back end has no name");
    VOLT_REQUIRE(is_complete(backend), VOLT_ERR_ARGUMENT, "the back end %s lacks a required entry",
                 backend->name);
    return VOLT_OK;
}

volt_status volt_backend_register(const volt_backend *backend)
{
    VOLT_TRY(volt_backend_check(backend));
    VOLT_REQUIRE(!find(backend->name), VOLT_ERR_ARGUMENT, "a back end named %s is already registered",
                 backend->name);
    int64_t count = 0;
    while (table[count])
        count++;
    VOLT_REQUIRE(count < MAX_BACKENDS, VOLT_ERR_ARGUMENT, "too many back ends (%d): cannot register %s",
                 MAX_BACKENDS, backend->name);
    table[count] = backend;
    return VOLT_OK;
}

const volt_backend *volt_backend_at(int64_t i)
{
    return i >= 0 && i < MAX_BACKENDS ? table[i] : NULL;
}

volt_status volt_backend_use(const char *name)
{
    const volt_backend *found = name ? find(name) : NULL;
    char names[256] = "";
    for (int64_t i = 0, used = 0; !found && table[i]; i++) {
        used += snprintf(names + used, sizeof names - (size_t)used, "%s%s", i ? ", " : "", table[i]->name);
        if (used >= (int64_t)sizeof names)
            break;
    }
    VOLT_REQUIRE(found, VOLT_ERR_ARGUMENT, "unknown back end '%s'; available: %s", name ? name : "", names);
    chosen = found;
    return VOLT_OK;
}

void volt_backend_set(const volt_backend *backend)
{
    chosen = backend;
}

const volt_backend *volt_backend_current(void)
{
    return shared ? shared : chosen ? chosen : &volt_cpu_backend;
}

const volt_backend *volt_backend_chosen(void)
{
    return chosen;
}

void volt_backend_share(const volt_backend *job)
{
    shared = job;
}

bool volt_backend_is_automatic(void)
{
    return !chosen && !shared;
}

int64_t volt_backend_bind(const volt_backend *backend, int64_t device)
{
    int64_t before = bound;
    if (volt_backend_devices(backend) > 1) {
        backend->bind(device);
        bound = device;
    }
    return before;
}

int64_t volt_backend_bound(void)
{
    return bound;
}
