/* src/io/series/text_index.c: distinct texts, numbered in order of appearance. */
#include "io/series/series_list.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

static uint64_t hash_of(const char *text)
{
    uint64_t hash = volt_digest_start;
    for (; *text; text++)
        hash = volt_digest_byte(hash, (unsigned char)*text);
    return hash;
}

/* The slot of a text, or the free slot for it. */
static int64_t find_slot(const volt_text_index *index, const char *text)
{
    uint64_t mask = (uint64_t)index->n_slots - 1, slot = hash_of(text) & mask;
    while (index->slots[slot] && strcmp(index->texts + index->places[index->slots[slot] - 1], text) != 0)
        slot = (slot + 1) & mask;
    return (int64_t)slot;
}

static volt_status double_slots(volt_text_index *index)
{
    int64_t n_slots = index->n_slots ? 2 * index->n_slots : FIRST_SLOTS;
    int64_t *slots = volt_alloc_zero(n_slots, sizeof *slots);
    if (!slots)
        return VOLT_ERR_MEMORY;
    volt_free(index->slots);
    index->slots = slots;
    index->n_slots = n_slots;
    for (int64_t i = 0; i < index->count; i++)
        slots[find_slot(index, index->texts + index->places[i])] = i + 1;
    return VOLT_OK;
}

volt_status volt_text_index_put(volt_text_index *index, const char *text, int64_t *number)
{
    if (2 * (index->count + 1) > index->n_slots)
        VOLT_TRY(double_slots(index));
    int64_t slot = find_slot(index, text);
    if (!index->slots[slot]) {
        int64_t length = (int64_t)strlen(text) + 1;
        VOLT_TRY(volt_grow((void **)&index->texts, &index->capacity, index->size + length, 1));
        VOLT_TRY(volt_grow((void **)&index->places, &index->places_capacity, index->count + 1,
                           sizeof *index->places));
        memcpy(index->texts + index->size, text, (size_t)length);
        index->places[index->count] = index->size;
        index->size += length;
        index->slots[slot] = ++index->count;
    }
    *number = index->slots[slot] - 1;
    return VOLT_OK;
}

void volt_text_index_clear(volt_text_index *index)
{
    volt_free(index->texts);
    volt_free(index->places);
    volt_free(index->slots);
    *index = (volt_text_index){.count = 0};
}
