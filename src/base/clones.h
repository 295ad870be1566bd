/* src/base/clones.h: fast loops that pick their instruction set at run time.
 *
 * A portable x86-64 build compiles a function marked VOLT_CLONES once per instruction set and lets the
 * loader pick. On ARM the baseline already has its vectors (NEON), and a native build needs no choice:
 * there the mark means nothing. */
#ifndef BASE_CLONES_H
#define BASE_CLONES_H

#if defined(VOLT_PORTABLE) && defined(__x86_64__) && defined(__ELF__) && defined(__has_attribute)
#if __has_attribute(target_clones) && !defined(__SANITIZE_ADDRESS__)
#define VOLT_HAVE_CLONES 1
#endif
#endif

#ifndef VOLT_HAVE_CLONES
#define VOLT_HAVE_CLONES 0
#endif

#if VOLT_HAVE_CLONES
#define VOLT_CLONES __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define VOLT_CLONES
#endif

#endif
