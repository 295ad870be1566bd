/* src/kernel/tangent.h: derivatives of a kernel by its parameters.
 *
 * A derivative is run by the engines like a kernel: the same local values and grid, with dK / dp instead of
 * K. For a scan, the state contains the derivative in addition to the kernel. For an expression, the product
 * rule leaves the term of the parameter, with the factor replaced by its derivative. Parameters that change
 * the rows (filters, the echo of fir) and programmes between paths have no derivative here. For these,
 * finite differences of kernels from volt_kernel_with are used. */
#ifndef KERNEL_TANGENT_H
#define KERNEL_TANGENT_H

#include "kernel/kernel_entry.h"

/* A parameter by which a kernel can be differentiated. */
typedef struct volt_variable {
    const char *name; /* as accepted by volt_kernel_get; owned by the kernel */
    double value;
    double low, high; /* range: low included if `closed`, and both ends of an angle */
    bool closed;
} volt_variable;

/* The variables of the kernel: its real parameters that have a value, in the order of its text; the weights
 * of its terms if there are several or one is given; and its filters. Returns their number, at most `most`. */
enum { VOLT_MAX_VARIABLES = 64 };
int64_t volt_kernel_variables(const volt_kernel *kernel, int64_t most, volt_variable *variables);

/* Returns whether two names refer to the same parameter. A kernel of one factor needs no number: gamma is 1.gamma. */
bool volt_same_parameter(const char *first, const char *second);

/* The derivative of the kernel, resolved as `resolved` (without records), by the variable of that name.
 * *known is false if the kernel has none. It borrows data of `resolved`. VOLT_ERR_MEMORY. */
volt_status volt_kernel_tangent(const volt_kernel *kernel, const volt_resolved *resolved, const char *name,
                                volt_resolved *tangent, bool *known);

/* Returns whether the kernel has a derivative by that variable, as far as is known without rows. */
bool volt_kernel_has_tangent(const volt_kernel *kernel, const char *name);

void volt_tangent_release(volt_resolved *tangent);

/* The text of the kernel with other values for `count` parameters. VOLT_ERR_KERNEL if it is too long. */
volt_status volt_kernel_with(const volt_kernel *kernel, int64_t count, const char *const *names,
                             const double *values, char text[VOLT_EXPRESSION_LENGTH]);

#endif
