/* src/solve/landmark/placement.h: the choice of the back end for a piece of work.
 *
 * The user has chosen one (volt_set_device), or the work uses a device if that is faster and the data fit. */
#ifndef SOLVE_PLACEMENT_H
#define SOLVE_PLACEMENT_H

#include "backend/backend.h"

/* Gram matrices and their factors. */
typedef struct volt_work {
    int64_t n;      /* rows */
    int64_t d;      /* inputs */
    double factors; /* number of factorisations of n rows, at least about 1 */
} volt_work;

/* Properties of a device before the work is placed. Seconds are for one matrix and one factorisation. */
typedef struct volt_device_plan {
    const volt_backend *backend;         /* NULL: no device, or the CPU was chosen */
    double bytes, available;             /* on the device; available is 0 if unknown */
    int64_t n_that_fits;                 /* 0 if unknown */
    double gram_seconds, factor_seconds; /* 0 if unknown */
} volt_device_plan;

/* Plan for the chosen or a possible device. Loads the plugin and opens the device. */
void volt_device_plan_make(const volt_work *work, volt_device_plan *plan);

/* The back end for the work. If a device would be faster but lacks memory, the work stays on the CPU, and a
 * message is logged once per process. */
const volt_backend *volt_place(const volt_work *work);

/* The back end for the work of a solver; NULL: one that factors. */
struct volt_solver;
const volt_backend *volt_place_solver(const struct volt_solver *solver, const volt_work *work);

/* The CPU, for work that only runs there. If the user has chosen a device, a message is logged once per
 * process; `what` names the work: "a loss other than squares is solved". */
const volt_backend *volt_place_on_cpu(const char *what);

/* The back end for features and sums of n rows of d numbers with this many landmarks. */
const volt_backend *volt_place_landmarks(int64_t n, int64_t landmarks, int64_t d);

/* The back end that stores the features of all n rows, in a job those of a band, on landmarks with this many columns:
 * `backend`, or the CPU if it cannot, or has too little memory. */
const volt_backend *volt_place_features(const volt_backend *backend, int64_t n, int64_t landmarks,
                                        int64_t columns);

/* In a job (base/row_bands.h): the back end if all parts use a device, else the CPU; collective. */
const volt_backend *volt_place_agree(const volt_backend *backend);

/* The back end for repeated products with K, of n rows of d numbers, without storing it. */
const volt_backend *volt_place_products(int64_t n, int64_t d);

/* The back end for a free run of `rows` rows against m columns of d numbers. Rows are sequential, so a
 * process can use only one core. The other function: is a run faster at this back end? */
const volt_backend *volt_place_run(int64_t rows, int64_t m, int64_t d);
bool volt_run_is_faster(const volt_backend *backend, int64_t rows, int64_t m, int64_t d);

/* VOLT_ERR_MEMORY with the largest n that fits, if a device has too little memory to factor n rows in place.
 * `what` names the work. */
volt_status volt_place_require(const volt_backend *backend, int64_t n, const char *what);

#endif
