/* src/base/clones.h: fast loops that pick their instruction set at run time.
 *
 * A portable x86-64 build compiles a function marked VOLT_CLONES once per instruction set and lets the
 * loader pick. On ARM the baseline already has its vectors (NEON), and a native build needs no choice:
 * there the mark means nothing. */
#ifndef BASE_CLONES_H
#define BASE_CLONES_H

/* What a clone calls in its inner loop: compilers leave such a function outside the clones, compiled for the
 * baseline, and the loop around the call scalar, unless they are told. */
#if defined(__GNUC__)
#define VOLT_INLINE static inline __attribute__((always_inline))
#else
#define VOLT_INLINE static inline
#endif

/* Not under sanitizers, which are not there yet when the loader picks; and not with clang before 16: version 14 gives what picks
 * among the clones of a static function a global name, and two files with functions of one name do not link. */
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

/* For AVX-512 a compiler takes vectors of half the width unless told: better where a loop mostly loads and stores,
 * since those of full width straddle two lines of the cache. VOLT_CLONES_WIDE is for loops that compute much for
 * every number, exponentials above all: there the full width is four times as fast. */
#if VOLT_HAVE_CLONES
#define VOLT_CLONES __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#define VOLT_CLONES_WIDE __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define VOLT_CLONES
#define VOLT_CLONES_WIDE
#endif

#endif
