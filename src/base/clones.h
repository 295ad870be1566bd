/* src/base/clones.h: loops with run-time selection of the instruction set.
 *
 * A portable x86-64 build compiles a function marked VOLT_CLONES once per instruction set, and the loader
 * selects one. The mark has no effect on ARM, where the baseline includes NEON, and in native builds. */
#ifndef BASE_CLONES_H
#define BASE_CLONES_H

/* For functions called in the inner loop of a clone. Without it, compilers do not inline them: they are
 * compiled for the baseline, and the loop around the call stays scalar. */
#if defined(__GNUC__)
#define VOLT_INLINE static inline __attribute__((always_inline))
#else
#define VOLT_INLINE static inline
#endif

/* Disabled under sanitizers, which are not initialised when the loader selects a clone, and with clang
 * before 16: version 14 gives the resolver of a static function a global name, so two files with functions
 * of the same name do not link. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VOLT_SANITIZED 1
#elif defined(__has_feature)
#define VOLT_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define VOLT_SANITIZED 0
#endif
#if defined(VOLT_PORTABLE) && defined(__x86_64__) && defined(__ELF__) && defined(__has_attribute)
#if __has_attribute(target_clones) && !VOLT_SANITIZED && !(defined(__clang__) && __clang_major__ < 16)
#define VOLT_HAVE_CLONES 1
#endif
#endif

#ifndef VOLT_HAVE_CLONES
#define VOLT_HAVE_CLONES 0
#endif

/* For AVX-512, compilers use half-width vectors by default. That is faster for loops that mostly load and
 * store, since full-width vectors straddle two cache lines. VOLT_CLONES_WIDE is for loops with much
 * arithmetic per number, such as exponentials, where the full width is four times as fast. */
#if VOLT_HAVE_CLONES
#define VOLT_CLONES __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#define VOLT_CLONES_WIDE __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define VOLT_CLONES
#define VOLT_CLONES_WIDE
#endif

#endif
