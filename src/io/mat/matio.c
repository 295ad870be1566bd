/* src/io/mat/matio.c: loads matio. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "io/mat/matio.h"

#include "base/error.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Looks up a function. The address is copied through memory, because C has no conversion from data pointers to
 * function pointers. */
static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* HDF5 is a dependency of matio, which its headers do not mention. Reference: HDF5 reference manual, H5Eget_auto2
 * and H5Eset_auto2; error stack 0 is the default one, and an hid_t has 64 bits since version 1.10. */
static void find_reports(void *library, volt_matio *functions)
{
    find(library, "H5Eget_auto2", &functions->get_reports);
    find(library, "H5Eset_auto2", &functions->set_reports);
}

#ifdef VOLT_MATIO_LIBRARY
volt_status volt_matio_load(volt_matio *functions)
{
    volt_matio found;
    void *library = dlopen(VOLT_MATIO_LIBRARY, RTLD_NOW | RTLD_LOCAL); /* loaded once, and never unloaded */
    const struct {
        const char *name;
        void *function;
    } wanted[] = {
        {"Mat_Open", &found.Open},
        {"Mat_Close", &found.Close},
        {"Mat_Rewind", &found.Rewind},
        {"Mat_GetVersion", &found.GetVersion},
        {"Mat_SizeOfClass", &found.SizeOfClass},
        {"Mat_VarReadNextInfo", &found.VarReadNextInfo},
        {"Mat_VarReadDataAll", &found.VarReadDataAll},
        {"Mat_VarFree", &found.VarFree},
    };
    bool is_complete = library != NULL;
    for (size_t i = 0; is_complete && i < sizeof wanted / sizeof *wanted; i++)
        is_complete = find(library, wanted[i].name, wanted[i].function);
    if (!is_complete) {
        const char *reason = dlerror();
        return volt_fail(VOLT_ERR_FORMAT,
                         "reading MATLAB files requires matio (%s); install it, or save as CSV",
                         reason ? reason : VOLT_MATIO_LIBRARY);
    }
    find_reports(library, &found);
    *functions = found;
    return VOLT_OK;
}
#else
volt_status volt_matio_load(volt_matio *functions)
{
    *functions = (volt_matio){.Open = Mat_Open,
                              .Close = Mat_Close,
                              .Rewind = Mat_Rewind,
                              .GetVersion = Mat_GetVersion,
                              .SizeOfClass = Mat_SizeOfClass,
                              .VarReadNextInfo = Mat_VarReadNextInfo,
                              .VarReadDataAll = Mat_VarReadDataAll,
                              .VarFree = Mat_VarFree};
    find_reports(RTLD_DEFAULT, functions);
    return VOLT_OK;
}
#endif
