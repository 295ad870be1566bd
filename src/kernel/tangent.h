/* src/kernel/tangent.h: derivatives of a kernel by its parameters.
 *
 * A derivative is a kernel too: the same local values, the same walk over the grid, with dK / dp in place of K. So engines
 * run it like any other: a scan whose state has the derivative beside the kernel; of an expression, by the product rule,
 * the one term that the parameter belongs to, with the factor's derivative in place of the factor. Only what changes
 * the rows themselves (filters, the echo of fir) and what no kernel gives a derivative of (programmes between paths)
 * has none: there two neighbours of the kernel are compared, which volt_kernel_with makes. */
#ifndef KERNEL_TANGENT_H
#define KERNEL_TANGENT_H

#include "kernel/kernel_entry.h"

/* A parameter by which a kernel can be differentiated. */
typedef struct volt_variable {
    const char *name; /* as volt_kernel_get takes it; the kernel's */
    double value;
    double low, high; /* between which it may lie: low included where `closed`, and both ends of an angle */
    bool closed;
} volt_variable;

/* The variables of the kernel: its real parameters that have a value, in the order of its text, the weights of its terms
 * where it has several or one is given, and the filters that are there. At most `most` of them; returns how many. */
enum { VOLT_MOST_VARIABLES = 64 };
int64_t volt_kernel_variables(const volt_kernel *kernel, int64_t most, volt_variable *variables);

/* Do two names speak of the same parameter? A kernel of one factor needs no number: gamma is 1.gamma there. */
bool volt_same_parameter(const char *first, const char *second);

/* The derivative of the kernel, which is resolved as `resolved` (without records), by the variable of that name. *known
 * is false, and nothing is made, where the kernel gives none. It borrows what `resolved` owns. VOLT_ERR_MEMORY. */
volt_status volt_kernel_tangent(const volt_kernel *kernel, const volt_resolved *resolved, const char *name,
                                volt_resolved *tangent, bool *known);

/* Does the kernel give one by that variable, as far as can be said without rows? */
bool volt_kernel_has_tangent(const volt_kernel *kernel, const char *name);

void volt_tangent_release(volt_resolved *tangent);

/* The text of the kernel with other values in place of those of `count` parameters. VOLT_ERR_KERNEL when it is too long. */
volt_status volt_kernel_with(const volt_kernel *kernel, int64_t count, const char *const *names,
                             const double *values, char text[VOLT_EXPRESSION_LENGTH]);

#endif
