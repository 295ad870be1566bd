/* tests/support/tensor_file.c: safetensors files as other programs write them. */
#include "support/tensor_file.h"

#include "support/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t items_of(const tensor_entry *entry)
{
    int64_t items = 1;
    for (int k = 0; k < entry->dimensions; k++)
        items *= entry->shape[k];
    return items;
}

static void put_little(unsigned char *at, uint64_t bits, int width)
{
    for (int b = 0; b < width; b++)
        at[b] = (unsigned char)(bits >> (8 * b));
}

const char *tensor_file_write(const char *name, const tensor_entry *entries, int count)
{
    char header[2048];
    size_t used = (size_t)snprintf(header, sizeof header, "{");
    int64_t total = 0;
    for (int i = 0; i < count; i++) {
        int width = entries[i].single ? 4 : 8;
        used += (size_t)snprintf(header + used, sizeof header - used, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[",
                                 i ? "," : "", entries[i].name, entries[i].single ? "F32" : "F64");
        for (int k = 0; k < entries[i].dimensions; k++)
            used += (size_t)snprintf(header + used, sizeof header - used, "%s%" PRId64, k ? "," : "",
                                     entries[i].shape[k]);
        used += (size_t)snprintf(header + used, sizeof header - used,
                                 "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", total,
                                 total + items_of(&entries[i]) * width);
        total += items_of(&entries[i]) * width;
    }
    used += (size_t)snprintf(header + used, sizeof header - used, "}");
    unsigned char *bytes = malloc(8 + used + (size_t)total);
    if (!bytes)
        abort();
    unsigned char *at = bytes + 8 + used;
    put_little(bytes, used, 8);
    memcpy(bytes + 8, header, used);
    for (int i = 0; i < count; i++)
        for (int64_t k = 0; k < items_of(&entries[i]); k++) {
            uint64_t bits = 0;
            uint32_t half = 0;
            float single = (float)entries[i].data[k];
            memcpy(&bits, &entries[i].data[k], 8);
            memcpy(&half, &single, 4);
            put_little(at, entries[i].single ? half : bits, entries[i].single ? 4 : 8);
            at += entries[i].single ? 4 : 8;
        }
    const char *path = scratch_write(name, bytes, 8 + used + (size_t)total);
    free(bytes);
    return path;
}
