/* src/io/file/little_endian.c: numbers in little-endian byte order, on any machine. */
#include "io/file/file_bytes.h"

#include <string.h>

enum { CHUNK = 512 };

int volt_host_is_little(void)
{
    const uint16_t probe = 1;
    unsigned char first;
    memcpy(&first, &probe, 1);
    return first;
}

void volt_swap_items(void *items, int64_t count, int item_size)
{
    unsigned char *bytes = items;
    for (int64_t i = 0; i < count; i++, bytes += item_size)
        for (int low = 0, high = item_size - 1; low < high; low++, high--) {
            unsigned char byte = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = byte;
        }
}

void volt_doubles_to_little(const double *numbers, int64_t count, unsigned char *bytes)
{
    if (count == 0)
        return;
    memcpy(bytes, numbers, (size_t)count * sizeof *numbers);
    if (!volt_host_is_little())
        volt_swap_items(bytes, count, sizeof *numbers);
}

void volt_write_doubles(volt_atomic_file *file, const double *numbers, int64_t count)
{
    if (volt_host_is_little()) {
        volt_atomic_write(file, numbers, (size_t)count * sizeof *numbers);
        return;
    }
    unsigned char bytes[CHUNK * sizeof *numbers];
    for (int64_t done = 0; done < count; done += CHUNK) {
        int64_t step = count - done < CHUNK ? count - done : CHUNK;
        volt_doubles_to_little(numbers + done, step, bytes);
        volt_atomic_write(file, bytes, (size_t)step * sizeof *numbers);
    }
}

void volt_put_little(uint64_t number, int n_bytes, unsigned char *bytes)
{
    for (int i = 0; i < n_bytes; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
}

uint64_t volt_get_little(const unsigned char *bytes, int n_bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < n_bytes; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}
