/* cli/compare/compare_contenders.h: which kernels are compared. */
#ifndef CLI_COMPARE_CONTENDERS_H
#define CLI_COMPARE_CONTENDERS_H

#include "args/options.h"
#include "volterra.h"
#include "volterra/study.h"

/* The kernels that were asked for, or all of the protocol when none were. A kernel is a text, or the name of a row
 * of the protocol (Sig-PDE, in any case); the name of a kernel alone (gak) is its first row there, so that it sees
 * what the protocol lets it see. The list is to be freed; its texts lie in `asked` or are static. Returns 0, or the
 * exit status after saying what is wrong. */
int compare_contenders(volt_protocol protocol, const text_list *asked, volt_contender **contenders,
                       int64_t *count);

#endif
