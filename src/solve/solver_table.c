/* src/solve/solver_table.c: the table of solvers, and the choice among them. */
#include "solve/solver_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/text.h"
#include "volterra/base.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ENTRY(name) &volt_solver_##name,
const volt_solver *const volt_solver_table[] = {VOLT_SOLVER_LIST(ENTRY) NULL};
enum { SOLVERS = sizeof volt_solver_table / sizeof *volt_solver_table - 1, NAMES = 256 };
_Static_assert(SOLVERS <= sizeof((volt_solver_plans *)NULL)->solver / sizeof(volt_solver_plan),
               "volt_solver_plans holds every solver");

/* Returns whether it is the first entry with its name. */
static bool is_first(int64_t i)
{
    for (int64_t j = 0; j < i; j++)
        if (strcmp(volt_solver_table[j]->info.name, volt_solver_table[i]->info.name) == 0)
            return false;
    return true;
}

const volt_solver_info *volt_solver_at(int64_t index)
{
    for (int64_t i = 0; volt_solver_table[i]; i++)
        if (is_first(i) && index-- == 0)
            return &volt_solver_table[i]->info;
    return NULL;
}

/* ---- capabilities ----------------------------------------------------------------------------- */

static bool is_any(const volt_solver *solver)
{
    (void)solver;
    return true;
}

static bool takes_losses(const volt_solver *solver)
{
    return solver->accepts.losses;
}

static bool takes_centred(const volt_solver *solver)
{
    return solver->accepts.centred;
}

static bool keeps_factor(const volt_solver *solver)
{
    return solver->offers.factor;
}

static bool takes_landmarks(const volt_solver *solver)
{
    return solver->needs.landmarks;
}

static bool iterates(const volt_solver *solver)
{
    return solver->iterations > 0;
}

static bool saves(const volt_solver *solver)
{
    return solver->offers.checkpoints;
}

/* The names of solvers with a capability, into `text`: "auto, exact and pcg". */
static const char *names_of(bool (*can)(const volt_solver *), const char *first, char text[NAMES])
{
    const char *names[SOLVERS + 1];
    int64_t count = 0, used = 0;
    if (first)
        names[count++] = first;
    for (int64_t i = 0; i < SOLVERS; i++) {
        const char *name = volt_solver_table[i]->info.name;
        bool is_listed = false;
        for (int64_t j = 0; j < count; j++)
            is_listed |= strcmp(names[j], name) == 0;
        if (can(volt_solver_table[i]) && !is_listed)
            names[count++] = name;
    }
    *text = 0;
    for (int64_t i = 0; i < count && used < NAMES; i++)
        used += snprintf(text + used, NAMES - (size_t)used, "%s%s",
                         i == 0           ? ""
                         : i + 1 == count ? " and "
                                          : ", ",
                         names[i]);
    return text;
}

volt_status volt_solver_check(const volt_solver *solver, const volt_solver_request *request)
{
    const struct {
        bool asked;
        const char *what;
        bool (*can)(const volt_solver *);
        bool automatic; /* auto finds a suitable solver */
    } wishes[] = {{request->loss, "losses other than squares, or weights", takes_losses, true},
                  {request->factor, "keeping the factor", keeps_factor, true},
                  {request->centred, "a centred kernel without an intercept", takes_centred, true},
                  {request->landmarks, "landmarks", takes_landmarks, true},
                  {request->iterations, "iterations", iterates, false},
                  {request->checkpoint, "a checkpoint", saves, false}};
    char names[NAMES];
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
        VOLT_REQUIRE(!wishes[i].asked || (solver ? wishes[i].can(solver) : wishes[i].automatic),
                     VOLT_ERR_ARGUMENT, "the solver \"%s\" does not support %s; solvers that do: %s",
                     solver ? solver->info.name : "auto", wishes[i].what,
                     names_of(wishes[i].can, wishes[i].automatic ? "auto" : NULL, names));
    VOLT_REQUIRE(!solver || !iterates(solver) || (request->tolerance >= 0 && request->tolerance < 1),
                 VOLT_ERR_ARGUMENT, "the tolerance must be between 0 and 1 (got %g)", request->tolerance);
    return VOLT_OK;
}

/* ---- its text --------------------------------------------------------------------------------- */

/* The entry with that name for squares, or for losses; the other entry if that variant does not exist. */
static volt_status find(const char *name, bool loss, const volt_solver **solver)
{
    const char *names[SOLVERS + 1] = {"auto"};
    int64_t count = 1;
    *solver = NULL;
    if (strcmp(name, "auto") == 0)
        return VOLT_OK;
    for (int64_t i = 0; i < SOLVERS; i++) {
        const volt_solver *entry = volt_solver_table[i];
        if (strcmp(entry->info.name, name) == 0 && (!*solver || entry->accepts.losses == loss))
            *solver = entry;
        names[count++] = entry->info.name;
    }
    if (*solver)
        return VOLT_OK;
    char all[NAMES];
    const char *nearest = volt_nearest_name(name, names, count);
    return nearest ? volt_fail(VOLT_ERR_ARGUMENT, "unknown solver \"%s\"; did you mean \"%s\"?", name, nearest)
                   : volt_fail(VOLT_ERR_ARGUMENT, "unknown solver \"%s\"; known solvers: %s", name,
                               names_of(is_any, "auto", all));
}

volt_status volt_solver_parse(const char *text, const volt_solver_request *request, const volt_solver **solver)
{
    VOLT_TRY(find(text ? text : "auto", request->loss, solver));
    return volt_solver_check(*solver, request);
}

/* ---- which one -------------------------------------------------------------------------------- */

double volt_solver_available(const volt_backend *backend, int64_t n)
{
    double available = (double)volt_memory_available();
    return available > 0 ? available + volt_backend_remote_bytes(backend, 8 * (double)n * (double)n) : 0;
}

const volt_solver *volt_solver_choose(int64_t n, int64_t q, int64_t states, bool loss, double available)
{
    const volt_solver *found = NULL;
    for (int64_t i = SOLVERS - 1; i >= 0; i--) {
        const volt_solver *solver = volt_solver_table[i];
        if (solver->accepts.losses != loss || solver->accuracy != VOLT_ACCURACY_ROUNDING)
            continue;
        found = solver;
        if (solver->takes(n, q, states, available))
            break;
    }
    return found;
}

const volt_solver *volt_solver_approximate(void)
{
    for (int64_t i = 0; i < SOLVERS; i++)
        if (volt_solver_table[i]->accuracy == VOLT_ACCURACY_APPROXIMATE)
            return volt_solver_table[i];
    return NULL;
}

bool volt_solver_keeps_landmarks(const volt_solver *solver)
{
    return solver->needs.landmarks && !solver->needs.rows;
}

bool volt_solver_recomputes(const volt_solver *solver)
{
    return solver->needs.landmarks || solver->needs.rows;
}

int64_t volt_solver_landmarks(const volt_solver *solver, int64_t wanted, int64_t rows)
{
    return !solver->needs.landmarks ? 0 : wanted > 0 ? wanted : solver->landmarks(rows);
}

double volt_solver_fit_bytes(const volt_solver *solver, double n, double d, double q, double landmarks)
{
    /* Targets, coefficients and fitted values; inputs are scaled block by block. The memory of the columns
     * is a rough estimate, small compared with the rest. Stored rows are scaled, and the model keeps them as
     * columns with their state. */
    double kept = solver->needs.rows ? 8 * n * (3 * d + 8) : 0;
    return 8 * (n * (4 * q + 2) + 64 * landmarks * (d + 4)) + solver->bytes(n, q, landmarks) + kept;
}
