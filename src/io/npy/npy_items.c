/* src/io/npy/npy_items.c: the numbers of an NPY file, of whatever type, as doubles. */
#include "io/npy/npy_items.h"

#include <string.h>

#define DECODE_CASE(letter, ctype)                                        \
    case (letter) << 4 | (int)sizeof(ctype):                              \
        for (int64_t i = 0; i < count; i++) {                             \
            ctype item;                                                   \
            memcpy(&item, bytes + i * (int64_t)sizeof item, sizeof item); \
            numbers[i] = (double)item;                                    \
        }                                                                 \
        break
void volt_npy_decode(const unsigned char *bytes, int64_t count, char type, int item_size, double *numbers)
{
    switch (type << 4 | item_size) {
        DECODE_CASE('f', double);
        DECODE_CASE('f', float);
        DECODE_CASE('i', int8_t);
        DECODE_CASE('i', int16_t);
        DECODE_CASE('i', int32_t);
        DECODE_CASE('i', int64_t);
        DECODE_CASE('u', uint8_t);
        DECODE_CASE('u', uint16_t);
        DECODE_CASE('u', uint32_t);
        DECODE_CASE('u', uint64_t);
        DECODE_CASE('b', uint8_t);
    }
}
