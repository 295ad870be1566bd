/* src/solve/landmark/placement.h: at which back end a piece of work is done.
 *
 * The user has chosen one (volt_set_device), or the work decides: it goes to a device where that pays and where it fits. */
#ifndef SOLVE_PLACEMENT_H
#define SOLVE_PLACEMENT_H

#include "base/backend.h"

/* Gram matrices and their factors. */
typedef struct volt_work {
    int64_t n;      /* rows */
    int64_t d;      /* inputs */
    double factors; /* how many factorisations of n rows, at least about 1 */
} volt_work;

/* What is known of a device before the work is placed; seconds are those of one matrix and one factor. */
typedef struct volt_device_plan {
    const volt_backend *backend;         /* NULL: there is no device, or the CPU was chosen */
    double bytes, available;             /* there; available is 0 when unknown */
    int64_t n_that_fits;                 /* 0 when unknown */
    double gram_seconds, factor_seconds; /* 0 when unknown */
} volt_device_plan;

/* Of the device that was chosen, or that could be. Opens it, the plugin is looked for. */
void volt_device_plan_make(const volt_work *work, volt_device_plan *plan);

/* Where the work is done. Work that decides for itself and does not fit on the device that it would pay on stays here, and
 * says so in the log, once a process. */
const volt_backend *volt_place(const volt_work *work);

/* Where the work of a solver is done; NULL: of one that factors. */
struct volt_solver;
const volt_backend *volt_place_solver(const struct volt_solver *solver, const volt_work *work);

/* The CPU, for work that is done there alone. Where the user has chosen a device the log says so, once a process for all such
 * work; `what` names it: "a loss other than squares is solved". */
const volt_backend *volt_place_here(const char *what);

/* Where n rows of d numbers meet so many landmarks: features of all rows, and their sums. */
const volt_backend *volt_place_landmarks(int64_t n, int64_t landmarks, int64_t d);

/* Where K, of n rows of d numbers, is multiplied again and again without being stored. */
const volt_backend *volt_place_products(int64_t n, int64_t d);

/* Where a free run of so many rows against m columns of d numbers is made: rows come one after the other, so that of this
 * process one core alone can work on it. Does it pay at this back end? */
const volt_backend *volt_place_run(int64_t rows, int64_t m, int64_t d);
bool volt_run_pays(const volt_backend *backend, int64_t rows, int64_t m, int64_t d);

/* VOLT_ERR_MEMORY with the largest n that fits, when a back end elsewhere has not room for n rows to be factored in place.
 * `what` names the work. */
volt_status volt_place_require(const volt_backend *backend, int64_t n, const char *what);

#endif
