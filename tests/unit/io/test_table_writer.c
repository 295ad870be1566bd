/* tests/unit/io/test_table_writer.c: files written in pieces: the same bytes as in one call, or the old file. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/io.h"

static const double values[10] = {1, -2.5, 1e300, 0.1, 5, 6, 7, 8, 9, 1.0 / 3};
static const char *const names[2] = {"first", "a, b"}, *const labels[5] = {"mon", "tue", "wed", "thu", "fri"};

static volt_status write_pieces(const char *path, const char *const *columns, bool labelled)
{
    volt_table_writer *writer = NULL;
    volt_status status = volt_table_writer_open(
        path, 5, 2, columns,
        &(volt_write_options){.struct_size = sizeof(volt_write_options), .label_name = labelled ? "day" : NULL},
        &writer);
    static const int64_t counts[] = {2, 0, 1, 2};
    for (int64_t i = 0, first = 0; status == VOLT_OK && i < 4; first += counts[i++])
        status = volt_table_writer_rows(writer, volt_view_of(values + 2 * first, counts[i], 2),
                                        labelled ? labels + first : NULL);
    if (status != VOLT_OK) {
        volt_table_writer_close(writer, 0);
        return status;
    }
    return volt_table_writer_close(writer, 1);
}

static void same_bytes(void **state)
{
    static const char *const files[] = {"pieces.csv", "pieces.npy"};
    for (int f = 0; f < 2; f++)
        for (int named = 0; named < 2; named++)
            for (int labelled = 0; labelled < 2; labelled++) {
                const char *path = scratch_path(files[f]);
                size_t size[2];
                check_ok(write_pieces(path, named ? names : NULL, labelled));
                char *pieces = scratch_read(path, &size[0]);
                check_ok(volt_table_write(path, volt_view_of(values, 5, 2), named ? names : NULL,
                                          &(volt_write_options){.struct_size = sizeof(volt_write_options),
                                                                .label_name = labelled ? "day" : NULL,
                                                                .labels = labelled ? labels : NULL}));
                char *whole = scratch_read(path, &size[1]);
                assert_int_equal(size[0], size[1]);
                assert_memory_equal(pieces, whole, size[0]);
                free(pieces);
                free(whole);
            }
}

static void check_old(const char *path, int files)
{
    char *text = scratch_read(path, NULL);
    assert_string_equal(text, "old\n");
    free(text);
    assert_int_equal(scratch_count(), files); /* no temporary file is left */
}

static void old_file_is_preserved(void **state)
{
    const char *path = scratch_write_text("old.csv", "old\n");
    int files = scratch_count();
    volt_table_writer *writer = NULL;
    check_ok(volt_table_writer_open(path, 5, 2, names, NULL, &writer));
    check_ok(volt_table_writer_rows(writer, volt_view_of(values, 4, 2), NULL));
    check_fails(volt_table_writer_rows(writer, volt_view_of(values, 2, 2), NULL), VOLT_ERR_SHAPE, "2 fit 1");
    check_fails(volt_table_writer_rows(writer, volt_view_of(values, 1, 3), NULL), VOLT_ERR_SHAPE, "x 1 3");
    check_fails(volt_table_writer_close(writer, 1), VOLT_ERR_SHAPE, "4 rows 5");
    check_old(path, files);

    check_ok(volt_table_writer_open(
        path, 5, 2, names,
        &(volt_write_options){.struct_size = sizeof(volt_write_options), .label_name = "day"}, &writer));
    check_fails(volt_table_writer_rows(writer, volt_view_of(values, 1, 2), NULL), VOLT_ERR_ARGUMENT, "labels");
    volt_table_writer_close(writer, 0);
    volt_table_writer_close(NULL, 0);
    check_old(path, files);

    writer = NULL;
    check_fails(volt_table_writer_open("x.mat", 5, 2, names, NULL, &writer), VOLT_ERR_ARGUMENT, "pieces");
    check_fails(volt_table_writer_open("", 5, 2, names, NULL, &writer), VOLT_ERR_ARGUMENT, "empty");
    check_fails(volt_table_writer_open(path, 5, 0, names, NULL, &writer), VOLT_ERR_ARGUMENT, "x 5 0");
    assert_null(writer);
}

static void every_allocation_may_fail(void **state)
{
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = write_pieces(scratch_path("memory.csv"), names, true);
        failing_alloc_check_lenient(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(old_file_is_preserved),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
