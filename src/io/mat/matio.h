/* src/io/mat/matio.h: the functions of matio, a library that is loaded with the first MATLAB file.
 *
 * matio requires HDF5 and, on Debian, 33 further libraries. Loading them takes three quarters of the time in which the
 * program starts. Builds with VOLT_MATIO_LIBRARY, its file name, therefore load it at run time. Others are linked to
 * it. */
#ifndef IO_MAT_MATIO_H
#define IO_MAT_MATIO_H

#include "volterra/status.h"

#include <matio.h>

/* As in matio.h, without the prefix Mat_. */
typedef struct volt_matio {
    mat_t *(*Open)(const char *path, int mode);
    int (*Close)(mat_t *file);
    int (*Rewind)(mat_t *file);
    enum mat_ft (*GetVersion)(mat_t *file);
    size_t (*SizeOfClass)(int class_type);
    matvar_t *(*VarReadNextInfo)(mat_t *file);
    int (*VarReadDataAll)(mat_t *file, matvar_t *variable);
    void (*VarFree)(matvar_t *variable);
    /* H5Eget_auto2 and H5Eset_auto2 of the HDF5 that matio uses; NULL without HDF5 */
    int (*get_reports)(long long stack, int (**print)(long long stack, void *context), void **context);
    int (*set_reports)(long long stack, int (*print)(long long stack, void *context), void *context);
} volt_matio;

/* Loads matio once. VOLT_ERR_FORMAT with the reason. */
volt_status volt_matio_load(volt_matio *functions);

#endif
