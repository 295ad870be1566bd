/* src/base/blas.c: what differs from one BLAS to the next. */
#include "base/blas.h"

#include <stdio.h>

#ifdef VOLT_HAVE_OPENBLAS
/* In OpenBLAS's own header too, but that is not the cblas.h of every distribution. */
int openblas_get_parallel(void);
char *openblas_get_config(void);
char *openblas_get_corename(void);

const char *volt_blas_name(void)
{
    static const char *const threading[] = {"serial", "pthreads", "OpenMP"};
    static _Thread_local char name[256];
    int parallel = openblas_get_parallel();
    const char *misjudged = volt_blas_misjudged();
    snprintf(name, sizeof name, "%s (%s, core %s%s%s)", openblas_get_config(),
             parallel >= 0 && parallel <= 2 ? threading[parallel] : "unknown threading",
             openblas_get_corename(), misjudged ? ", set here: it took this processor for " : "",
             misjudged ? misjudged : "");
    return name;
}
#else
const char *volt_blas_name(void)
{
    return VOLT_BLAS_LABEL;
}
#endif
