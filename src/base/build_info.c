/* src/base/build_info.c: version, compiler, flags and machine. */
#include "base/blas.h"
#include "base/clones.h"
#include "base/memory.h"
#include "base/threads.h"
#include "volterra/base.h"

#ifndef VOLT_VERSION
#error "VOLT_VERSION comes from the build"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown compiler"
#endif

const char *volt_version(void)
{
    return VOLT_VERSION;
}

/* The instruction set that the clones of base/clones.h resolve to on this machine. */
static const char *fast_loops(void)
{
#if VOLT_HAVE_CLONES
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return "AVX-512 (picked at run time)";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "AVX2 and FMA (picked at run time)";
    return "SSE2 (picked at run time)";
#elif defined(__AVX512F__)
    return "AVX-512";
#elif defined(__AVX2__)
    return "AVX2";
#elif defined(__ARM_FEATURE_SVE)
    return "SVE";
#elif defined(__ARM_NEON)
    return "NEON";
#else
    return "the baseline of the machine";
#endif
}

volt_status volt_build_info_get(volt_build_info *info)
{
    volt_build_info now = {
        .struct_size = sizeof(volt_build_info),
        .version = VOLT_VERSION,
        .compiler = COMPILER,
        .cpu_flags = VOLT_CPU_FLAGS,
        .fast_loops = fast_loops(),
        .blas = volt_blas_name(),
        .threads = volt_threads(),
        .default_threads = volt_default_threads(),
        .threads_from = volt_threads_from(),
        .memory = volt_memory_available(),
    };
    return volt_result_copy(info, &now, sizeof now, "volt_build_info");
}
