/* cli/commands/curve_report.h: learning curves as text, JSON and a table. */
#ifndef CLI_CURVE_REPORT_H
#define CLI_CURVE_REPORT_H

#include "volterra.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct curve_setting {
    const char *source;       /* inputs, or the simulated system */
    const char *const *names; /* of the kernels, as given */
    bool is_simulated;
    uint64_t seed;  /* of the first repeat of a system */
    int64_t inputs; /* columns of the inputs */
    bool verbose;
} curve_setting;

/* Print to standard output. Every function returns 0, or the exit status after an error message. */
int curve_print_text(const volt_curve *curve, const curve_setting *setting);
int curve_print_json(const volt_curve *curve, const curve_setting *setting);

/* Writes one row for each kernel, repeat and size: kernel and repeat from 1, rows, nmse, rmse, alpha of the first
 * output (infinite: the kernel is not used). */
int curve_write(const char *path, const volt_curve *curve);

#endif
