/* src/kernel/gram/gram_expression.h: Gram matrices of collections with an expression. */
#ifndef KERNEL_GRAM_EXPRESSION_H
#define KERNEL_GRAM_EXPRESSION_H

#include "volterra/kernel.h"

/* volt_gram_collection for a kernel of several factors, or of one on filtered series, once the arguments are checked. */
volt_status volt_gram_expression(const volt_kernel *kernel, const volt_view *X, int64_t n_x, const volt_view *Y,
                                 int64_t n_y, const volt_gram_options *options, volt_matrix K);

#endif
