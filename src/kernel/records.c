/* src/kernel/records.c: boundaries of records. */
#include "kernel/records.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <inttypes.h>

volt_status volt_records_make(const int64_t *lengths, int64_t n, int64_t rows, volt_records *records)
{
    *records = (volt_records){0};
    VOLT_REQUIRE(n >= 0 && (n == 0 || lengths), VOLT_ERR_ARGUMENT,
                 "the lengths of the %" PRId64 " records are required", n);
    int64_t end = 0;
    for (int64_t r = 0; r < n; r++) {
        VOLT_REQUIRE(lengths[r] >= 1 && lengths[r] <= rows - end, VOLT_ERR_ARGUMENT,
                     "record %" PRId64 " must have 1 to %" PRId64 " rows, the rest of the %" PRId64
                     " (got %" PRId64 ")",
                     r + 1, rows - end, rows, lengths[r]);
        end += lengths[r];
    }
    VOLT_REQUIRE(n == 0 || end == rows, VOLT_ERR_ARGUMENT,
                 "the records must have %" PRId64 " rows in total (got %" PRId64 ")", rows, end);
    if (n < 2)
        return VOLT_OK;
    records->ends = volt_alloc(n, sizeof *records->ends);
    if (!records->ends)
        return VOLT_ERR_MEMORY;
    records->n = n;
    end = 0;
    for (int64_t r = 0; r < n; r++)
        records->ends[r] = end += lengths[r];
    return VOLT_OK;
}

void volt_records_release(volt_records *records)
{
    volt_free(records->ends);
    *records = (volt_records){0};
}

static int64_t count_of(const volt_records *records)
{
    return records ? records->n : 0;
}

/* The first record that ends after `row`. */
int64_t volt_records_at(const volt_records *records, int64_t row)
{
    int64_t low = 0, high = count_of(records);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (records->ends[middle] > row)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int64_t volt_records_begin(const volt_records *records, int64_t row)
{
    int64_t r = volt_records_at(records, row);
    return r > 0 ? records->ends[r - 1] : 0;
}

int64_t volt_records_segment_end(const volt_records *records, int64_t row, int64_t end)
{
    int64_t r = volt_records_at(records, row);
    return r < count_of(records) ? volt_min(records->ends[r], end) : end;
}

bool volt_records_begins(const volt_records *records, int64_t row)
{
    return volt_records_begin(records, row) == row;
}

void volt_records_mark_starts(const volt_records *records, int64_t rows, int64_t count, bool *marked)
{
    for (int64_t begin = 0, end; begin < rows; begin = end) {
        end = volt_records_segment_end(records, begin, rows);
        for (int64_t i = begin; i < end && i < begin + count; i++)
            marked[i] = true;
    }
}

volt_status volt_records_from(const volt_records *records, int64_t first, volt_records *rest)
{
    int64_t skipped = volt_records_at(records, first), n = count_of(records) - skipped;
    *rest = (volt_records){0};
    if (n < 2)
        return VOLT_OK;
    rest->ends = volt_alloc(n, sizeof *rest->ends);
    if (!rest->ends)
        return VOLT_ERR_MEMORY;
    rest->n = n;
    for (int64_t r = 0; r < n; r++)
        rest->ends[r] = records->ends[skipped + r] - first;
    return VOLT_OK;
}

volt_status volt_records_slice(const volt_records *records, int64_t first, int64_t end, int64_t **lengths,
                               int64_t *n)
{
    *lengths = NULL;
    *n = 0;
    if (count_of(records) == 0)
        return VOLT_OK;
    *lengths = volt_alloc(count_of(records), sizeof **lengths);
    if (!*lengths)
        return VOLT_ERR_MEMORY;
    while (first < end) {
        int64_t next = volt_records_segment_end(records, first, end);
        (*lengths)[(*n)++] = next - first;
        first = next;
    }
    return VOLT_OK;
}
