/* src/io/mat/mat_quiet.c: HDF5 without its habit of printing errors.
 *
 * HDF5 comes with matio, which does not say so in its headers, and is not linked by name: its two functions are
 * looked up in the running program. Where they are not found (matio without HDF5) there is nothing to silence.
 * Reference: HDF5 reference manual, H5Eget_auto2 and H5Eset_auto2; error stack 0 is the default one, and an
 * hid_t has 64 bits since version 1.10. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "io/mat/mat_quiet.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef int report_fn(long long stack, void *context);
typedef int get_auto_fn(long long stack, report_fn **print, void **context);
typedef int set_auto_fn(long long stack, report_fn *print, void *context);

/* A function of the running program. The address passes through memory: C knows no conversion from data
 * pointers to function pointers, though POSIX needs one here. */
static void find(const char *name, void *function)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &address, sizeof address);
}

void volt_hdf5_silence(volt_hdf5_reports *reports)
{
    get_auto_fn *get_auto;
    set_auto_fn *set_auto;
    find("H5Eget_auto2", &get_auto);
    find("H5Eset_auto2", &set_auto);
    memset(reports, 0, sizeof *reports);
    if (get_auto && set_auto && get_auto(0, &reports->print, &reports->context) >= 0)
        reports->is_saved = set_auto(0, NULL, NULL) >= 0;
}

void volt_hdf5_restore(const volt_hdf5_reports *reports)
{
    set_auto_fn *set_auto;
    find("H5Eset_auto2", &set_auto);
    if (reports->is_saved && set_auto)
        set_auto(0, reports->print, reports->context);
}
