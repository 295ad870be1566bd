/* src/base/blas.c: what differs from one BLAS to the next. */
#include "base/blas.h"

#include "base/error.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- OpenBLAS told which processor it runs on, where it does not know --------------------------
 * An OpenBLAS older than the processor falls back to kernels without AVX: release 0.3.21 takes recent x86 server
 * cores for a Prescott, and multiplies at 17 instead of 74 GFLOP/s a core. Its own way out is the variable
 * OPENBLAS_CORETYPE, read when it is loaded. Here, as this library is loaded and before it has called BLAS, the
 * choice is made once more with that variable set. What a user has put there stays. */

#if defined(VOLT_HAVE_OPENBLAS) && defined(__x86_64__) && defined(__GNUC__)

char *openblas_get_corename(void);

/* Of OpenBLAS builds that choose at run time; others lack them. */
__attribute__((weak)) void gotoblas_dynamic_init(void);
__attribute__((weak)) void gotoblas_dynamic_quit(void);

static const char variable[] = "OPENBLAS_CORETYPE";
static char misjudged[32];

/* The kernels of OpenBLAS that use what this processor has; NULL where it has no AVX2. */
static const char *best_core(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return "SkylakeX";
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : NULL;
}

/* Cores whose kernels know no AVX. */
static int is_ancient(const char *core)
{
    static const char *const names[] = {
        "Katmai",  "Coppermine", "Northwood", "Prescott",     "Banias",    "Core2", "Penryn", "Dunnington",
        "Nehalem", "Athlon",     "Opteron",   "Opteron_SSE3", "Barcelona", "Nano",  "Atom",   "Bobcat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(core, names[i]) == 0)
            return 1;
    return 0;
}

__attribute__((constructor)) static void choose_core(void)
{
    const char *found = openblas_get_corename(), *best = best_core();
    if (!best || !is_ancient(found) || !gotoblas_dynamic_init || !gotoblas_dynamic_quit || getenv(variable))
        return;
    strncpy(misjudged, found, sizeof misjudged - 1);
    if (setenv(variable, best, 1) == 0) {
        gotoblas_dynamic_quit();
        gotoblas_dynamic_init();
        unsetenv(variable);
    }
}

const char *volt_blas_misjudged(void)
{
    return misjudged[0] ? misjudged : NULL;
}

void volt_blas_say_core(void)
{
    static _Atomic bool logged;
    if (misjudged[0] && !atomic_exchange(&logged, true))
        volt_log(VOLT_LOG_INFO, "OpenBLAS took this processor for a %s, and was told to run as on a %s",
                 misjudged, openblas_get_corename());
}

#else

const char *volt_blas_misjudged(void)
{
    return NULL;
}

void volt_blas_say_core(void)
{
}

#endif
