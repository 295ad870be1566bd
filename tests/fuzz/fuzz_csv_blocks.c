/* tests/fuzz/fuzz_csv_blocks.c: libFuzzer target for CSV files read in blocks.
 *
 * The first byte is the block length. Cells and errors equal those of the file read at once, for any block
 * boundaries. */
#include "fuzz/fuzz_input.h"

#include "io/csv/csv.h"

#include <string.h>

enum { LONGEST_BLOCK = 64 };

/* A hash of all cells with their positions, and the final status. */
typedef struct walk {
    uint64_t digest;
    int64_t cells, rows;
    char delimiter;
    volt_status opened, walked;
} walk;

static uint64_t join(uint64_t digest, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
    return digest;
}

static volt_status add_cell(void *context, int64_t line, int64_t column, const char *text, size_t length)
{
    walk *seen = context;
    FUZZ_CHECK(line >= 1 && column >= 0 && text[length] == '\0');
    seen->digest = join(seen->digest, &line, sizeof line);
    seen->digest = join(seen->digest, &column, sizeof column);
    seen->digest = join(seen->digest, text, length + 1);
    seen->cells++;
    return VOLT_OK;
}

static volt_status add_row(void *context, int64_t line, int64_t n_cells)
{
    walk *seen = context;
    FUZZ_CHECK(line >= 1 && n_cells >= 1);
    seen->digest = join(seen->digest, &line, sizeof line);
    seen->digest = join(seen->digest, &n_cells, sizeof n_cells);
    seen->rows++;
    return VOLT_OK;
}

static walk walk_in_blocks(const char *path, int64_t block)
{
    walk seen = {.digest = UINT64_C(14695981039346656037)};
    volt_csv_text csv = {0};
    volt_csv_events events = {.cell = add_cell, .row = add_row, .context = &seen};
    seen.opened = volt_csv_text_open_blocks(path, block, &csv);
    if (seen.opened != VOLT_OK)
        return seen;
    seen.delimiter = csv.delimiter;
    seen.walked = volt_csv_walk(&csv, &events);
    volt_csv_text_close(&csv);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1)
        return 0;
    const char *path = fuzz_input_path(bytes + 1, size - 1);
    walk whole = walk_in_blocks(path, VOLT_CSV_BLOCK);
    walk parts = walk_in_blocks(path, 1 + bytes[0] % LONGEST_BLOCK);
    /* Binary data are detected when the reader reaches them, or at once in the first block. Both are errors. */
    int is_refused = whole.opened || whole.walked;
    FUZZ_CHECK(is_refused == (parts.opened || parts.walked));
    if (is_refused)
        return 0;
    FUZZ_CHECK(whole.delimiter == parts.delimiter && whole.cells == parts.cells && whole.rows == parts.rows);
    FUZZ_CHECK(whole.digest == parts.digest);
    return 0;
}
