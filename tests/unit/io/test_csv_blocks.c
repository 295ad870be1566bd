/* tests/unit/io/test_csv_blocks.c: CSV files read in blocks: results do not depend on block boundaries, and
 * concurrent changes to the file give a valid table or an error. */
#define _POSIX_C_SOURCE 200809L
#include "base/memory.h"
#include "io/csv/csv.h"
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/io.h"

#include <unistd.h>

/* ---- blocks ----------------------------------------------------------------------------------- */

/* The result of a pass as one text. */
typedef struct story {
    char text[8192];
    size_t used;
} story;

static volt_status tell_cell(void *context, int64_t line, int64_t column, const char *text, size_t length)
{
    story *s = context;
    s->used += (size_t)snprintf(s->text + s->used, sizeof s->text - s->used, "%lld,%lld,%zu=<%s>",
                                (long long)line, (long long)column, length, text);
    return VOLT_OK;
}

static volt_status tell_row(void *context, int64_t line, int64_t n_cells)
{
    story *s = context;
    s->used += (size_t)snprintf(s->text + s->used, sizeof s->text - s->used, "row %lld:%lld|", (long long)line,
                                (long long)n_cells);
    return VOLT_OK;
}

static const char *const texts[] = {
    "a,b\n1.25,-3e-4\n5,6\n",
    "a;b\r\n1,5;2\r\n\r\n3;4",
    "\"first\nname\",\"a \"\"quote\"\"\"\n1,2\n3,4\n",
    "\xef\xbb\xbf# t x\n  1   2\n\t3 \t 4  \n\n5 6\n",
    "  1  \"a  b\"   3 \n 4   5  6\n",
    "a\tb\n1\t\n\t2\n",
    "1,2,\n3,4,\n",
    "#x,y\n1,2\n",
    " \n\n  \n# u v\n1 2\n",
    "1\r2\r3\r",
    "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21,5\n",
    "                                                                                x   y\n1 2\n",
};

static void walk_blocks(const char *path, int64_t block, story *told)
{
    volt_csv_text csv;
    volt_csv_events events = {tell_cell, tell_row, told};
    told->used = 0;
    told->text[0] = '\0';
    assert_int_equal(volt_csv_text_open_blocks(path, block, &csv), VOLT_OK);
    assert_non_null(csv.file);
    assert_int_equal(volt_csv_walk(&csv, &events), VOLT_OK);
    char *once = strdup(told->text);
    told->used = 0;
    assert_int_equal(volt_csv_walk(&csv, &events), VOLT_OK); /* can be repeated */
    assert_string_equal(told->text, once);
    free(once);
    volt_csv_text_close(&csv);
}

/* The same text from memory, without the bytes that volt_csv_text_open skips. */
static void walk_memory(const char *text, story *told)
{
    char *copy = strdup(text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0));
    char *first = copy + strspn(copy, " \t\r\n");
    if (*first == '#')
        *first = ' ';
    volt_csv_text csv = volt_csv_text_of(copy, (int64_t)strlen(copy));
    volt_csv_events events = {tell_cell, tell_row, told};
    assert_int_equal(volt_csv_walk(&csv, &events), VOLT_OK);
    free(copy);
}

static void result_does_not_depend_on_block_size(void **state)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        story whole = {.used = 0}, cut = {.used = 0};
        walk_memory(texts[i], &whole);
        const char *path = scratch_write_text("blocks.csv", texts[i]);
        for (int64_t block = 1; block <= 24; block++) {
            walk_blocks(path, block, &cut);
            if (strcmp(cut.text, whole.text) != 0)
                fail_msg("text %zu in blocks of %lld:\n%s\nnot\n%s", i, (long long)block, cut.text, whole.text);
        }
    }
}

/* An unterminated quote at the end, and a zero byte in a later block. */
static void errors_in_any_block(void **state)
{
    story told = {.used = 0};
    volt_csv_events events = {tell_cell, tell_row, &told};
    volt_csv_text csv;
    const char *open = scratch_write_text("open.csv", "a,b\n1,\"2\n3,4\n");
    for (int64_t block = 1; block <= 16; block++) {
        assert_int_equal(volt_csv_text_open_blocks(open, block, &csv), VOLT_OK);
        assert_int_equal(volt_csv_walk(&csv, &events), VOLT_ERR_FORMAT);
        assert_non_null(strstr(volt_error_detail(), "opens on line 2"));
        volt_csv_text_close(&csv);
        told.used = 0;
    }
    char text[200];
    for (int i = 0; i < 200; i++)
        text[i] = i % 2 ? '\n' : '1';
    text[150] = '\0';
    const char *zero = scratch_write("zero.csv", text, 200);
    /* twenty lines determine the delimiter */
    assert_int_equal(volt_csv_text_open_blocks(zero, 4, &csv), VOLT_OK);
    assert_int_equal(volt_csv_walk(&csv, &events), VOLT_ERR_FORMAT);
    assert_non_null(strstr(volt_error_detail(), "byte 151 is zero"));
    volt_csv_text_close(&csv);
}

static void truncation_between_blocks(void **state)
{
    story told = {.used = 0};
    volt_csv_events events = {tell_cell, tell_row, &told};
    volt_csv_text csv;
    const char *path = scratch_write_text("short.csv", "a,b\n1,2\n3,4\n5,6\n");
    assert_int_equal(volt_csv_text_open_blocks(path, 4, &csv), VOLT_OK);
    assert_int_equal(truncate(path, 9), 0);
    assert_int_equal(volt_csv_walk(&csv, &events), VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "it had 16 bytes, and now ends at 9"));
    volt_csv_text_close(&csv);
}

/* ---- concurrent writes ------------------------------------------------------------------------ */

/* Changes the content of the file at the k-th allocation of a read. */
static const char *changed_path;
static const char *changed_text; /* NULL: truncate to 10 bytes */
static int64_t change_at, asked;

static void *changing_alloc(size_t bytes, void *context)
{
    (void)context;
    if (++asked == change_at && changed_text) {
        /* in place: a reader of a replaced file keeps the old content */
        FILE *file = fopen(changed_path, "r+b");
        assert_non_null(file);
        fputs(changed_text, file);
        fclose(file);
    } else if (asked == change_at) {
        assert_int_equal(truncate(changed_path, 10), 0);
    }
    return aligned_alloc(64, (bytes / 64 + 1) * 64);
}

static void changing_release(void *block, void *context)
{
    (void)context;
    free(block);
}

/* Changes the file at every allocation. The result is the old table, the new table or an error. Counts each
 * outcome. */
static void change_while_read(const char *before, const char *after, int64_t counts[3], const char *sentence)
{
    static const volt_allocator allocator = {changing_alloc, changing_release, NULL};
    counts[0] = counts[1] = counts[2] = 0;
    for (int64_t k = 1;; k++) {
        changed_path = scratch_write_text("changed.csv", before);
        changed_text = after;
        volt_table *table = NULL;
        asked = 0;
        change_at = k;
        volt_set_allocator(&allocator);
        volt_status status = volt_table_read(changed_path, NULL, &table);
        int64_t last = asked;
        if (status == VOLT_OK) {
            counts[table->rows == 3 && table->cols == 2 && table->values[5] == 6 ? 0 : 1]++;
            for (int64_t i = 0; i < table->rows * table->cols; i++)
                assert_true(table->values[i] >= 0 && table->values[i] < 100);
        } else {
            assert_true(status == VOLT_ERR_IO || status == VOLT_ERR_FORMAT || status == VOLT_ERR_NOT_FINITE);
            counts[2] += error_names(sentence);
        }
        volt_table_free(table);
        volt_set_allocator(NULL);
        if (last < k)
            return;
    }
}

static void file_modified_while_reading(void **state)
{
    int64_t counts[3];
    static const char plain[] = "a,b\n1,2\n3,4\n5,6\n",
                      dated[] = "date,a,b\n2020-01-01,1,2\n2020-01-02,3,4\n2020-01-03,5,6\n";
    change_while_read(plain, NULL, counts, "was truncated while it was read");
    assert_true(counts[2] > 0);
    change_while_read(plain, "a,b\n1\n2\n3\n4\n5\n6\n", counts, "was written to while it was read: line 2");
    assert_true(counts[2] > 0);
    change_while_read(plain, "a,b\n10,20\n30,40\n", counts, "it had 3 rows, and now has 2");
    assert_true(counts[2] > 0);
    change_while_read(dated, "date,a,b\n2020-01-01 00:00:00.00,1,2\n2020-01-02 00:00:0,3,4\n\n\n\n", counts,
                      "was written to while it was read: ");
    assert_true(counts[2] > 0);
    /* Data appended after opening are not read. */
    change_while_read(plain, "a,b\n1,2\n3,4\n5,6\n7,8\n", counts, "");
    assert_true(counts[0] > 0 && counts[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(result_does_not_depend_on_block_size),
        cmocka_unit_test(errors_in_any_block),
        cmocka_unit_test(truncation_between_blocks),
        cmocka_unit_test(file_modified_while_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
