/* src/base/blas.c: differences between BLAS implementations. */
#include "base/blas.h"

#include "base/error.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef VOLT_HAVE_OPENBLAS
/* Declared in OpenBLAS's own header too, but not every distribution's cblas.h is that header. */
int openblas_get_parallel(void);
char *openblas_get_config(void);
char *openblas_get_corename(void);

const char *volt_blas_name(void)
{
    static const char *const threading[] = {"serial", "pthreads", "OpenMP"};
    static _Thread_local char name[256];
    int parallel = openblas_get_parallel();
    const char *misjudged = volt_blas_overridden_core();
    snprintf(name, sizeof name, "%s (%s, core %s%s%s)", openblas_get_config(),
             parallel >= 0 && parallel <= 2 ? threading[parallel] : "unknown threading",
             openblas_get_corename(), misjudged ? ", set here: detected as " : "", misjudged ? misjudged : "");
    return name;
}

bool volt_blas_needs_one_thread(void)
{
    return openblas_get_parallel() == 0;
}
#else
bool volt_blas_needs_one_thread(void)
{
    return false;
}

const char *volt_blas_name(void)
{
    return VOLT_BLAS_LABEL;
}
#endif

/* ---- override of OpenBLAS's processor detection -------------------------------------------------
 * An OpenBLAS older than the processor falls back to kernels without AVX: release 0.3.21 detects recent x86
 * server cores as Prescott, and multiplies at 17 instead of 74 GFLOP/s a core. OpenBLAS reads the variable
 * OPENBLAS_CORETYPE when it is loaded. This code repeats the detection with that variable set, when the
 * library is loaded and before its first BLAS call. A value set by the user is kept. */

#if defined(VOLT_HAVE_OPENBLAS) && defined(__x86_64__) && defined(__GNUC__)

char *openblas_get_corename(void);

/* Present in OpenBLAS builds with run-time dispatch only. */
__attribute__((weak)) void gotoblas_dynamic_init(void);
__attribute__((weak)) void gotoblas_dynamic_quit(void);

static const char variable[] = "OPENBLAS_CORETYPE";
static char misjudged[32];

/* The OpenBLAS kernels for the instruction set of this processor; NULL without AVX2. */
static const char *best_core(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return "SkylakeX";
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : NULL;
}

/* Cores with kernels that do not use AVX. */
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

const char *volt_blas_overridden_core(void)
{
    return misjudged[0] ? misjudged : NULL;
}

void volt_blas_log_core(void)
{
    static _Atomic bool logged;
    if (misjudged[0] && !atomic_exchange(&logged, true))
        volt_log(VOLT_LOG_INFO, "OpenBLAS detected this processor as %s; using the kernels for %s", misjudged,
                 openblas_get_corename());
}

#else

const char *volt_blas_overridden_core(void)
{
    return NULL;
}

void volt_blas_log_core(void)
{
}

#endif
