/* src/base/digest.h: FNV-1a, 64 bits, byte by byte: the same on every machine. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdint.h>

static const uint64_t volt_digest_start = UINT64_C(0xcbf29ce484222325);

static inline uint64_t volt_digest_byte(uint64_t digest, unsigned char byte)
{
    return (digest ^ byte) * UINT64_C(0x100000001b3);
}

#endif
