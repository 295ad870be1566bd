/* src/io/mat/mat_absent.c: reading MATLAB files, in builds without matio (-DVOLT_MATIO=OFF). */
#include "base/error.h"
#include "io/mat/mat.h"

volt_status volt_mat_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table)
{
    (void)columns, (void)options, (void)table;
    return volt_fail(VOLT_ERR_FORMAT,
                     "%s: this build does not read MATLAB files (VOLT_MATIO=OFF); save it as CSV", path);
}
