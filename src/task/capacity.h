/* src/task/capacity.h: the parts of the capacities of a kernel: targets, and their quadratic forms. */
#ifndef TASK_CAPACITY_H
#define TASK_CAPACITY_H

#include "base/progress.h"
#include "volterra/task.h"

/* ---- targets ----------------------------------------------------------------------------------- */

/* Inputs u of `rows` rows from the seed. */
void volt_capacity_inputs(uint64_t seed, int64_t rows, double *u);

/* Legendre polynomials of unit variance: table[k * rows + t] is that of degree k at u[t], k = 0 .. degree. */
void volt_capacity_polynomials(const double *u, int64_t rows, int64_t degree, double *table);

/* Column k of Y (rows x count) receives target first + k on the rows after the washout. */
void volt_capacity_targets(const volt_capacity *capacity, const double *table, int64_t first, volt_matrix Y);

/* ---- the form y' H y --------------------------------------------------------------------------- */

/* H = K (K + alpha I)^-1 = I - alpha (L L')^-1, or H = V diag(weights) V' with orthonormal columns V. */
typedef struct volt_capacity_form {
    int64_t n;
    double alpha, dimension; /* dimension: tr H */
    volt_matrix L;           /* n x n */
    volt_matrix V;           /* n x rank, if the kernel has explicit states */
    double *weights;         /* rank */
    double *product;         /* rank x VOLT_CAPACITY_BLOCK: workspace */
    double *memory;          /* of L or V */
} volt_capacity_form;

enum { VOLT_CAPACITY_BLOCK = 256 }; /* most columns of Y in a call */

/* Of the rows of u after the washout. options->washout is the number of rows before them. Release it in every
 * case. */
volt_status volt_capacity_form_make(const volt_kernel *kernel, volt_view u,
                                    const volt_capacity_options *options, volt_capacity_form *form,
                                    int64_t *states);
void volt_capacity_form_release(volt_capacity_form *form);

/* forms[k] = y' H y / y' y for every column y of Y, which is overwritten. */
void volt_capacity_form_evaluate(const volt_capacity_form *form, volt_matrix Y, double *forms);

#endif
