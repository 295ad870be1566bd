/* src/solve/solver_table.c: the solvers there are. */
#include "solve/solver_table.h"

#include "base/memory.h"
#include "volterra/base.h"

#include <stddef.h>

#define ENTRY(name) &volt_solver_##name,
const volt_solver *const volt_solver_table[] = {VOLT_SOLVER_LIST(ENTRY) NULL};

double volt_solver_available(const volt_backend *backend, int64_t n)
{
    double available = (double)volt_memory_available();
    return available > 0 ? available + volt_backend_elsewhere(backend, 8 * (double)n * (double)n) : 0;
}

const volt_solver *volt_solver_choose(int64_t n, int64_t q, int64_t states, bool loss, double available)
{
    const volt_solver *last = NULL;
    for (int64_t i = 0; volt_solver_table[i]; i++) {
        const volt_solver *solver = volt_solver_table[i];
        if (solver->any_loss != loss || solver->on_landmarks || solver->iterates)
            continue;
        if (solver->takes(n, q, states, available))
            return solver;
        last = solver;
    }
    return last;
}
