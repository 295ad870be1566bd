/* src/kernel/engine/engine_table.c: the engines. */
#include "kernel/engine/engine.h"

#include <stddef.h>

#define ENTRY(name) &volt_engine_##name,
const volt_engine *const volt_engine_table[] = {VOLT_ENGINE_LIST(ENTRY) NULL};

const volt_engine *volt_engine_of(const volt_resolved *resolved, int64_t m)
{
    const volt_engine *const *engine = volt_engine_table;
    while (engine[1] && !(*engine)->takes(resolved, m))
        engine++;
    return *engine;
}

bool volt_engine_is_dear(const volt_resolved *resolved, int64_t m)
{
    return volt_engine_of(resolved->records ? &resolved->records->each : resolved, m)->is_dear;
}

double volt_engine_bytes(const volt_resolved *resolved, int64_t m, int64_t rows)
{
    double given = (double)m * (double)resolved->d;
    return 8 * (given + volt_engine_of(resolved, m)->numbers(resolved, m, rows));
}
