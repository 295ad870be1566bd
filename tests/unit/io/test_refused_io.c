/* tests/unit/io/test_refused_io.c: invalid arguments of tables, lines and times: each argument in turn, with
 * its message, and unchanged outputs. */
#include "io/time/time_text.h"
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/io.h"

static void reading_into_null(void **state)
{
    const char *path = scratch_write_text("two.csv", "a,b\n1,2\n3,4\n");
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    check_fails(volt_table_read(NULL, &options, &table), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_table_read(path, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_table_read("", NULL, &table), VOLT_ERR_IO, "empty");
    check_fails(volt_table_read(path,
                                &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                     .missing = (volt_missing)-1,
                                                     .end = VOLT_LAST_ROW},
                                &table),
                VOLT_ERR_ARGUMENT, "missing");
    check_fails(volt_table_read(path,
                                &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                     .missing = VOLT_MISSING_DROP_FIRST,
                                                     .end = VOLT_LAST_ROW},
                                &table),
                VOLT_ERR_ARGUMENT, "missing");
    options.first = 2;
    check_fails(volt_table_read(path, &options, &table), VOLT_ERR_SHAPE, "2 rows");
    assert_null(table);

    char **texts = NULL;
    int64_t rows = -7;
    check_fails(volt_texts_read(NULL, &texts, &rows, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_texts_read(path, NULL, &rows, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_texts_read(path, &texts, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_texts_read("", &texts, &rows, NULL), VOLT_ERR_IO, "empty");
    assert_null(texts);
    assert_int_equal(rows, -7);
}

/* Records may be numbered in any format: one column of numbers is read as text, two columns are rejected. */
static void texts_of_a_column_of_numbers(void **state)
{
    const double numbers[] = {3, -0.5, 1e300, 7};
    const char *path = scratch_path("records.npy");
    char **texts = NULL;
    int64_t rows = 0;
    check_ok(volt_table_write(path, volt_view_of(numbers, 4, 1), NULL, NULL));
    check_ok(volt_texts_read(path, &texts, &rows, NULL));
    assert_int_equal(rows, 4);
    assert_string_equal(texts[0], "3");
    assert_string_equal(texts[1], "-0.5");
    assert_string_equal(texts[2], "1e+300");
    volt_free(texts);

    texts = NULL;
    check_ok(volt_table_write(path, volt_view_of(numbers, 2, 2), NULL, NULL));
    check_fails(volt_texts_read(path, &texts, &rows, NULL), VOLT_ERR_FORMAT, "2 columns");
    assert_null(texts);
    assert_int_equal(rows, 4);
}

static void two_tables_with_missing_values(void **state)
{
    volt_table *whole = NULL, *holed = NULL, *longer = NULL;
    check_ok(volt_table_read(scratch_write_text("x.csv", "a\n1\n2\n"),
                             &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                  .missing = VOLT_MISSING_KEEP,
                                                  .end = VOLT_LAST_ROW},
                             &whole));
    check_ok(volt_table_read(scratch_write_text("y.csv", "b\n1\nNA\n"),
                             &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                  .missing = VOLT_MISSING_KEEP,
                                                  .end = VOLT_LAST_ROW},
                             &holed));
    check_ok(volt_table_read(scratch_write_text("z.csv", "c\n1\n2\n3\n"),
                             &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                  .missing = VOLT_MISSING_KEEP,
                                                  .end = VOLT_LAST_ROW},
                             &longer));
    check_fails(volt_tables_clean(NULL, holed, VOLT_MISSING_DROP, NULL, 0), VOLT_ERR_ARGUMENT, "first");
    check_fails(volt_tables_clean(whole, longer, VOLT_MISSING_DROP, NULL, 0), VOLT_ERR_SHAPE, "second 3");
    /* A missing value is found in either matrix. */
    check_fails(volt_tables_clean(whole, holed, VOLT_MISSING_ERROR, NULL, 0), VOLT_ERR_NOT_FINITE, "missing");
    check_fails(volt_tables_clean(holed, whole, VOLT_MISSING_ERROR, NULL, 0), VOLT_ERR_NOT_FINITE, "missing");
    const int64_t none = 0, two = 2;
    check_fails(volt_tables_clean(whole, NULL, VOLT_MISSING_ERROR, &two, -1), VOLT_ERR_ARGUMENT, "-1 records");
    check_fails(volt_tables_clean(whole, NULL, VOLT_MISSING_ERROR, &two, 0), VOLT_ERR_ARGUMENT, "records");
    check_fails(volt_tables_clean(whole, NULL, VOLT_MISSING_ERROR, &none, 1), VOLT_ERR_SHAPE, "record 1 0");
    check_ok(volt_tables_clean(whole, NULL, VOLT_MISSING_ERROR, &two, 1));
    check_ok(volt_tables_clean(whole, NULL, VOLT_MISSING_ERROR, NULL, 0));
    assert_true(isnan(holed->values[1]) && whole->rows == 2);
    volt_table_free(whole);
    volt_table_free(holed);
    volt_table_free(longer);
}

static void writing_invalid_matrices(void **state)
{
    const double numbers[] = {1, 2, 3, 4};
    const char *path = scratch_path("out.csv");
    volt_table_writer *writer = NULL;
    check_fails(volt_table_write(NULL, volt_view_of(numbers, 2, 2), NULL, NULL), VOLT_ERR_ARGUMENT, "name");
    check_fails(volt_table_write("", volt_view_of(numbers, 2, 2), NULL, NULL), VOLT_ERR_ARGUMENT, "name");
    check_fails(volt_table_write(path, volt_view_of(NULL, 2, 2), NULL, NULL), VOLT_ERR_ARGUMENT, "values");
    check_fails(volt_table_write(path, (volt_view){numbers, -1, 2, 2}, NULL, NULL), VOLT_ERR_ARGUMENT,
                "x -1 2");
    check_fails(volt_table_write(path, (volt_view){numbers, 2, 0, 2}, NULL, NULL), VOLT_ERR_ARGUMENT, "x 2 0");
    check_fails(volt_table_write(path, (volt_view){numbers, 2, 2, 1}, NULL, NULL), VOLT_ERR_ARGUMENT,
                "dimension 1");
    const char *labels[] = {"a", "b"};
    check_fails(
        volt_table_write(path, volt_view_of(numbers, 2, 2), NULL,
                         &(volt_write_options){.struct_size = sizeof(volt_write_options), .labels = labels}),
        VOLT_ERR_ARGUMENT, "labels");
    check_fails(volt_table_writer_open(path, 2, 2, NULL, NULL, NULL), VOLT_ERR_ARGUMENT, "writer NULL");
    check_fails(volt_table_writer_open(scratch_path("out.mat"), 2, 2, NULL, NULL, &writer), VOLT_ERR_ARGUMENT,
                "pieces");
    check_ok(volt_table_writer_close(NULL, 0));
    assert_null(writer);
    assert_null(scratch_read(path, NULL));
}

/* A rejected piece leaves the writer unchanged: the remaining pieces complete the file. */
static void blocks_with_wrong_shape(void **state)
{
    const double numbers[] = {1, 2, 3, 4};
    const char *labels[] = {"one", "two"};
    volt_table_writer *writer = NULL;
    check_ok(volt_table_writer_open(
        scratch_path("pieces.csv"), 2, 2, NULL,
        &(volt_write_options){.struct_size = sizeof(volt_write_options), .label_name = "day"}, &writer));
    check_fails(volt_table_writer_rows(NULL, volt_view_of(numbers, 1, 2), labels), VOLT_ERR_ARGUMENT, "values");
    check_fails(volt_table_writer_rows(writer, volt_view_of(NULL, 1, 2), labels), VOLT_ERR_ARGUMENT, "values");
    check_fails(volt_table_writer_rows(writer, volt_view_of(numbers, 1, 2), NULL), VOLT_ERR_ARGUMENT, "labels");
    check_fails(volt_table_writer_rows(writer, volt_view_of(numbers, 4, 1), labels), VOLT_ERR_SHAPE, "x 4 1");
    check_fails(volt_table_writer_rows(writer, (volt_view){numbers, 1, 2, 1}, labels), VOLT_ERR_SHAPE, "x 1 2");
    check_fails(volt_table_writer_rows(writer, (volt_view){numbers, -1, 2, 2}, labels), VOLT_ERR_SHAPE,
                "x -1 2");
    check_fails(volt_table_writer_rows(writer, (volt_view){numbers, 3, 2, 2}, labels), VOLT_ERR_SHAPE, "x 3 2");
    check_ok(volt_table_writer_rows(writer, volt_view_of(NULL, 0, 2), NULL));
    check_ok(volt_table_writer_rows(writer, volt_view_of(numbers, 2, 2), labels));
    check_ok(volt_table_writer_close(writer, 1));
    char *text = scratch_read(scratch_path("pieces.csv"), NULL);
    assert_non_null(strstr(text, "one,1,2\ntwo,3,4\n"));
    free(text);
}

static void lines_of_a_stream(void **state)
{
    double row[2] = {-7, -7};
    char **cells = NULL;
    int64_t count = -7;
    check_fails(volt_csv_parse_row(NULL, 2, VOLT_MISSING_KEEP, row), VOLT_ERR_ARGUMENT, "line");
    check_fails(volt_csv_parse_row("1,2", 2, VOLT_MISSING_KEEP, NULL), VOLT_ERR_ARGUMENT, "row");
    check_fails(volt_csv_parse_row("1,2", 0, VOLT_MISSING_KEEP, row), VOLT_ERR_ARGUMENT, "cols > 0");
    check_fails(volt_csv_parse_row("1,2", 2, VOLT_MISSING_DROP, row), VOLT_ERR_ARGUMENT, "error keep");
    check_fails(volt_csv_parse_row("1,2,3", 2, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT, "many");
    check_fails(volt_csv_parse_row("1,2,,", 2, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT, "many");
    check_fails(volt_csv_parse_row("1", 2, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT, "numbers 1");
    check_fails(volt_csv_parse_row("1,2\n3,4", 2, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT, "many");
    check_fails(volt_csv_parse_row("1,2\n\"\"", 2, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT, "2 lines");
    assert_true(row[0] == -7 && row[1] == -7);
    check_ok(volt_csv_parse_row("1,2,", 2, VOLT_MISSING_ERROR,
                                row)); /* a comma after the last number is permitted */
    assert_true(row[0] == 1 && row[1] == 2);

    check_fails(volt_csv_split_line(NULL, NULL, &cells, &count), VOLT_ERR_ARGUMENT, "line");
    check_fails(volt_csv_split_line("a,b", NULL, NULL, &count), VOLT_ERR_ARGUMENT, "cells");
    check_fails(volt_csv_split_line("a,b", NULL, &cells, NULL), VOLT_ERR_ARGUMENT, "cells");
    check_fails(volt_csv_split_line("a\nb", NULL, &cells, &count), VOLT_ERR_FORMAT, "2 lines");
    assert_null(cells);
    assert_int_equal(count, -7);
}

static void invalid_times(void **state)
{
    const char *first[] = {"4/9/2019", "13/9/2019", "4/13/2019"}, *nothing[] = {"soon"};
    volt_time times[3] = {{-7, -7}};
    char text[VOLT_TIME_LENGTH] = "as before";
    check_fails(volt_times_parse(NULL, 1, times), VOLT_ERR_ARGUMENT, "texts");
    check_fails(volt_times_parse(first, 1, NULL), VOLT_ERR_ARGUMENT, "texts");
    check_fails(volt_times_parse(first, -1, times), VOLT_ERR_ARGUMENT, "texts");
    check_fails(volt_times_parse(nothing, 1, times), VOLT_ERR_FORMAT, "'soon'");
    /* The third starts with a month, the second with a day. */
    check_fails(volt_times_parse(first, 3, times), VOLT_ERR_FORMAT, "begins '4/13/2019' '13/9/2019'");
    assert_true(times[0].seconds == -7);

    const volt_time day = {0, 0}, beyond = {1e14, 1e14};
    check_fails(volt_time_write_like(NULL, day, day, text), VOLT_ERR_FORMAT, "time");
    check_fails(volt_time_write_like("soon", day, day, text), VOLT_ERR_FORMAT, "'soon'");
    char spaces[VOLT_TIME_LENGTH + 8];
    memset(spaces, ' ', sizeof spaces);
    memcpy(spaces, "2020-01-01", 10);
    spaces[sizeof spaces - 1] = '\0';
    check_fails(volt_time_write_like(spaces, day, day, text), VOLT_ERR_FORMAT, "time");
    check_fails(volt_time_write_like("2020-01-01", day, beyond, text), VOLT_ERR_FORMAT, "four-digit");
    assert_string_equal(text, "as before");
    /* Times outside the calendar range are still formatted, and steps of months reach them in order. */
    assert_string_equal(volt_time_format(beyond, text), "100000000000000 seconds after 1970");
    const volt_time_step months = {.months = 1}, back = {.months = 12};
    assert_true(volt_time_advance(beyond, months, 1).seconds == 1e14 + 1e15);
    assert_true(volt_time_advance(day, months, 1000000).seconds == 1e15);
    assert_true(volt_time_advance(day, months, -1000000).seconds == -1e15);
    assert_true(volt_time_advance(day, back, -2000).seconds == -1e15);
    assert_true(volt_time_advance(day, back, 1).seconds == 365 * 86400.0);
}

/* AM and PM keep their case, noon and midnight are 12, and quarters range from 1 to 4. */
static void times_written_like_others(void **state)
{
    static const struct {
        const char *like;
        double later;
        const char *expected;
    } cases[] = {{"2020-01-01 01:30 am", 10.5 * 3600, "2020-01-01 12:00 pm"},
                 {"2020-01-01 01:30 AM", 10.5 * 3600, "2020-01-01 12:00 PM"},
                 {"2020-01-01 01:30 pm", 10.5 * 3600, "2020-01-02 12:00 am"},
                 {"2020-01-01 01:30 PM", 10.5 * 3600, "2020-01-02 12:00 AM"},
                 {"2020-01-01 01:30 AM", 3600, "2020-01-01 02:30 AM"},
                 {"13/1/2020", 86400, "14/1/2020"},
                 {"1/13/2020", 86400, "1/14/2020"},
                 {"2020Q1", 92 * 86400.0, "2020Q2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_time like, time;
        char text[VOLT_TIME_LENGTH];
        check_ok(volt_times_parse(&cases[i].like, 1, &like));
        time = (volt_time){like.seconds + cases[i].later, like.clock + cases[i].later};
        check_ok(volt_time_write_like(cases[i].like, like, time, text));
        assert_string_equal(text, cases[i].expected);
    }
    char text[VOLT_TIME_LENGTH];
    assert_string_equal(volt_time_format((volt_time){0, 0}, text), "1970-01-01");
    assert_string_equal(volt_time_format((volt_time){3661.25, 3661.25}, text), "1970-01-01 01:01:01.250000");
    assert_string_equal(volt_time_format((volt_time){3600, 0}, text), "1970-01-01 00:00-01:00");
    assert_string_equal(volt_time_format((volt_time){0, 5400}, text), "1970-01-01 01:30+01:30");
}

static void invalid_steps_and_calendars(void **state)
{
    const volt_time times[2] = {{0, 0}, {60, 60}}, beyond = {1e14, 1e14};
    volt_time_step step = {.seconds = -7};
    check_fails(volt_time_step_find(NULL, 2, &step), VOLT_ERR_ARGUMENT, "times");
    check_fails(volt_time_step_find(times, 2, NULL), VOLT_ERR_ARGUMENT, "step");
    check_fails(volt_time_step_find(times, -1, &step), VOLT_ERR_ARGUMENT, "times");
    check_fails(volt_time_step_parse(NULL, &step), VOLT_ERR_ARGUMENT, "text");
    check_fails(volt_time_step_parse("1 month", NULL), VOLT_ERR_ARGUMENT, "step");
    static const char *const none[] = {"",
                                       "s",
                                       "0 s",
                                       "-1 s",
                                       "1e12 s",
                                       "4e11 s",
                                       "1.5 months",
                                       "120000 months",
                                       "1 months",
                                       "2 month",
                                       "1 month to the",
                                       "60",
                                       "60 seconds",
                                       "nan s",
                                       "0.00000000000000000000000000000000000000000000000001 s"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        check_fails(volt_time_step_parse(none[i], &step), VOLT_ERR_FORMAT, "step");
    assert_true(step.seconds == -7);
    check_ok(volt_time_step_parse("2 months to the last day", &step));
    assert_true(step.months == 2 && step.is_month_end);

    volt_calendar calendar = {.parts = NULL, .cols = -7};
    double out[4] = {-7, -7, -7, -7};
    check_fails(volt_calendar_columns(NULL, times, volt_matrix_of(out, 2, 2)), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_calendar_columns(&calendar, times, volt_matrix_of(out, 2, 2)), VOLT_ERR_ARGUMENT, "NULL");
    calendar.parts = "hour";
    check_fails(volt_calendar_columns(&calendar, NULL, volt_matrix_of(out, 2, 2)), VOLT_ERR_ARGUMENT, "times");
    check_fails(volt_calendar_columns(&calendar, times, volt_matrix_of(NULL, 2, 2)), VOLT_ERR_ARGUMENT,
                "volt_calendar_columns");
    check_fails(volt_calendar_columns(&calendar, times, volt_matrix_of(out, 1, 4)), VOLT_ERR_SHAPE, "not 4");
    check_fails(volt_calendar_columns(&calendar, times, (volt_matrix){out, 2, 2, 1}), VOLT_ERR_SHAPE,
                "2 columns");
    check_fails(volt_calendar_columns(&calendar, &beyond, volt_matrix_of(out, 1, 2)), VOLT_ERR_ARGUMENT,
                "four-digit");
    assert_int_equal(calendar.cols, -7);
    check_ok(volt_calendar_columns(&calendar, NULL, volt_matrix_of(NULL, 0, 2)));
    assert_int_equal(calendar.cols, 2);
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == -7);
}

static void texts_without_output(void **state)
{
    const char *const texts[] = {"b", "a", "b"};
    const char *distinct[3];
    int64_t count = -1, numbers[3];
    check_fails(volt_texts_number(NULL, 3, distinct, &count, numbers), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_texts_number(texts, 3, NULL, &count, numbers), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_texts_number(texts, 3, distinct, NULL, numbers), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_texts_number(texts, 3, distinct, &count, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_texts_number(texts, -1, distinct, &count, numbers), VOLT_ERR_ARGUMENT, "");
    assert_int_equal(count, -1);
    check_ok(volt_texts_number(texts, 3, distinct, &count, numbers));
    assert_true(count == 2 && numbers[0] == 1 && numbers[1] == 0 && numbers[2] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_into_null),
        cmocka_unit_test(texts_of_a_column_of_numbers),
        cmocka_unit_test(two_tables_with_missing_values),
        cmocka_unit_test(texts_without_output),
        cmocka_unit_test(writing_invalid_matrices),
        cmocka_unit_test(blocks_with_wrong_shape),
        cmocka_unit_test(lines_of_a_stream),
        cmocka_unit_test(invalid_times),
        cmocka_unit_test(times_written_like_others),
        cmocka_unit_test(invalid_steps_and_calendars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
