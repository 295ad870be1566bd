/* src/kernel/own_numbers.h: the numbers that only one kernel understands, inside what the engines carry.
 *
 * A scan and a programme are copied by value, and engines pass them back to the kernel's functions without looking
 * into `own`. A kernel's file names its numbers in a struct and says VOLT_OWN_NUMBERS once:
 *
 *     typedef struct constants {
 *         double gamma, rho;
 *     } constants;
 *     VOLT_OWN_NUMBERS(constants)
 *
 *     .own = constants_keep((constants){.gamma = gamma, .rho = rho})        in resolve
 *     const constants own = constants_of(&scan->own);                       in the step, before its loops */
#ifndef KERNEL_OWN_NUMBERS_H
#define KERNEL_OWN_NUMBERS_H

#include "base/clones.h"

#include <stdalign.h>
#include <string.h>

enum { VOLT_OWN_BYTES = 64 };

typedef struct volt_own {
    alignas(double) unsigned char bytes[VOLT_OWN_BYTES];
} volt_own;

/* Copies, not casts: the struct may be any, and the copy is in registers after the compiler is done. */
#define VOLT_OWN_NUMBERS(type)                                                                              \
    _Static_assert(sizeof(type) <= VOLT_OWN_BYTES, "the kernel has more numbers than VOLT_OWN_BYTES hold"); \
    VOLT_INLINE volt_own type##_keep(type numbers)                                                          \
    {                                                                                                       \
        volt_own own = {.bytes = {0}};                                                                      \
        memcpy(own.bytes, &numbers, sizeof numbers);                                                        \
        return own;                                                                                         \
    }                                                                                                       \
    VOLT_INLINE type type##_of(const volt_own *own)                                                         \
    {                                                                                                       \
        type numbers;                                                                                       \
        memcpy(&numbers, own->bytes, sizeof numbers);                                                       \
        return numbers;                                                                                     \
    }

#endif
