/* tests/unit/io/test_read_texts.c: read one column of a file as text: column selection, invalid arguments,
 * memory. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/io.h"

/* The texts of `columns` (NULL: not named) of a file with this content, joined by bars. */
static const char *texts_of(const char *name, const char *content, const char *columns)
{
    static char joined[256];
    char source[600], **texts = NULL;
    int64_t rows = 0;
    snprintf(source, sizeof source, "%s%s%s", scratch_write_text(name, content), columns ? ":" : "",
             columns ? columns : "");
    check_ok(volt_texts_read(source, &texts, &rows, NULL));
    joined[0] = '\0';
    for (int64_t i = 0; i < rows; i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s|", texts[i]);
    volt_free(texts);
    return joined;
}

static void selected_column_is_read(void **state)
{
    const char *file = "u,run,y\n1,a,2\n3,\"b, c\",4\n\n5,7,6\n";
    assert_string_equal(texts_of("a.csv", file, "run"), "a|b, c|7|");
    assert_string_equal(texts_of("a.csv", file, "u"), "1|3|5|");
    assert_string_equal(texts_of("a.csv", "x;series\n1;p\n2;q\n", NULL), "p|q|");
    assert_string_equal(texts_of("a.csv", "run\np\nq\n", NULL), "p|q|");   /* the only one */
    assert_string_equal(texts_of("a.csv", "1,10\n2,20\n", "2"), "10|20|"); /* no header */
    assert_string_equal(texts_of("a.csv", "u,r\n1,2020-01-01\n2,NA\n", "r"), "2020-01-01|NA|");
    assert_string_equal(texts_of("a.csv", "u,r\n1,\"two\nlines\"\n2,b\n", "r"), "two\nlines|b|");
}

static void numbers_of_other_formats(void **state)
{
    double values[] = {1, 1, 2.5};
    const char *path = scratch_path("groups.npy");
    char **texts = NULL;
    int64_t rows = 0;
    check_ok(volt_table_write(path, volt_view_of(values, 3, 1), NULL, NULL));
    check_ok(volt_texts_read(path, &texts, &rows, NULL));
    assert_int_equal(rows, 3);
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(texts[2], "2.5");
    volt_free(texts);
}

static void invalid_arguments_are_rejected(void **state)
{
    static const struct {
        const char *content, *columns, *says;
        volt_status status;
    } cases[] = {
        {"u,run\n1,a\n", ":ran", "no column 'ran'; the columns are 'u', 'run'", VOLT_ERR_FORMAT},
        {"u,run\n1,a\n", ":u,run", "2 columns", VOLT_ERR_FORMAT},
        {"u,run\n1,a\n", "", "no column 'series'", VOLT_ERR_FORMAT},
        {"u,run\n1,a\n2,\n", ":run", "line 3: the column of records is empty", VOLT_ERR_FORMAT},
        {"u,run\n1,a\n2\n", ":run", "line 3 is ragged", VOLT_ERR_FORMAT},
        {"u,run\n", ":run", "no data row", VOLT_ERR_FORMAT},
        {"u,run\n1,\"a\n", ":run", "quotation mark", VOLT_ERR_FORMAT},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char source[600], **texts = NULL;
        int64_t rows = 0;
        snprintf(source, sizeof source, "%s%s", scratch_write_text("bad.csv", cases[c].content),
                 cases[c].columns);
        check_fails(volt_texts_read(source, &texts, &rows, NULL), cases[c].status, cases[c].says);
        assert_null(texts);
    }
    char **texts = NULL;
    int64_t rows = 0;
    check_fails(volt_texts_read("nowhere.csv:a", &texts, &rows, NULL), VOLT_ERR_IO, "nowhere.csv");
    check_fails(volt_texts_read("", &texts, &rows, NULL), VOLT_ERR_IO, "empty");
}

static void every_allocation_may_fail(void **state)
{
    char source[600];
    snprintf(source, sizeof source, "%s:run", scratch_write_text("m.csv", "u,run\n1,a\n2,a\n3,b\n"));
    for (int64_t k = 0; failing_alloc_next(&k);) {
        char **texts = NULL;
        int64_t rows = 0;
        volt_status status = volt_texts_read(source, &texts, &rows, NULL);
        volt_free(texts);
        failing_alloc_check(status);
    }
}

static void texts_are_numbered_in_order(void **state)
{
    const char *const texts[] = {"b", "10", "9", "B", "10", "-1", "1.0", "1", "nan"};
    const char *const order[] = {"-1", "1", "1.0", "9", "10", "B", "b", "nan"};
    const char *distinct[9];
    int64_t count = 0, numbers[9];
    check_ok(volt_texts_number(texts, 9, distinct, &count, numbers));
    assert_int_equal(count, 8);
    for (int64_t i = 0; i < count; i++)
        assert_string_equal(distinct[i], order[i]);
    for (int64_t i = 0; i < 9; i++)
        assert_string_equal(distinct[numbers[i]], texts[i]);
    check_fails(volt_texts_number(NULL, 9, distinct, &count, numbers), VOLT_ERR_ARGUMENT, "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selected_column_is_read),   cmocka_unit_test(texts_are_numbered_in_order),
        cmocka_unit_test(numbers_of_other_formats),  cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
