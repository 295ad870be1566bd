/* tests/unit/io/test_csv.c: CSV files: common formats and every error. */
#include "base/memory.h"
#include "base/numbers.h"
#include "io/csv/csv.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "text/text.h"
#include "volterra/io.h"

#include <locale.h>

/* Reads `text` as a file; `columns` may be NULL. */
static volt_status read_text(const char *text, const char *columns, volt_missing missing, volt_table **table)
{
    char source[5000];
    const char *path = scratch_write_text("file.csv", text);
    snprintf(source, sizeof source, "%s%s%s", path, columns ? ":" : "", columns ? columns : "");
    *table = NULL;
    volt_status status =
        volt_table_read(source,
                        &(volt_read_options){
                            .struct_size = sizeof(volt_read_options), .missing = missing, .end = VOLT_LAST_ROW},
                        table);
    assert_true((status == VOLT_OK) == (*table != NULL));
    return status;
}

/* The table on one line: names joined by '|', values by ' ', rows by '/'. */
static void assert_reads(const char *text, const char *columns, const char *names, const char *values)
{
    volt_table *table;
    char found[2000] = "", number[VOLT_NUMBER_LENGTH];
    if (read_text(text, columns, VOLT_MISSING_ERROR, &table))
        fail_msg("%s: %s", text, volt_error_detail());
    for (int64_t j = 0; j < table->cols; j++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", j ? "|" : "", table->names[j]);
    assert_string_equal(found, names);
    found[0] = '\0';
    for (int64_t i = 0; i < table->rows; i++)
        for (int64_t j = 0; j < table->cols; j++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s",
                     j   ? " "
                     : i ? "/"
                         : "",
                     volt_format_number(table->values[i * table->cols + j], number));
    assert_string_equal(found, values);
    volt_table_free(table);
}

static void assert_fails(const char *text, const char *columns, volt_status expected, const char *reason)
{
    volt_table *table;
    volt_status status = read_text(text, columns, VOLT_MISSING_ERROR, &table);
    if (status != expected || !error_names(reason))
        fail_msg("%s: status %d, '%s' does not say '%s'", text, (int)status, volt_error_detail(), reason);
    volt_table_free(table);
}

/* The message ends with a selection of these columns. */
static void assert_proposes(const char *text, const char *columns)
{
    volt_table *table;
    assert_int_not_equal(read_text(text, NULL, VOLT_MISSING_ERROR, &table), VOLT_OK);
    const char *proposed = strstr(volt_error_detail(), "FILE:");
    assert_non_null(proposed);
    assert_string_equal(proposed + strlen("FILE:"), columns);
    volt_table_free(table);
}

static void headers(void **state)
{
    assert_reads("a,b\n1,2\n3,4\n", NULL, "a|b", "1 2/3 4");
    assert_reads("1,2\n3,4\n", NULL, "1|2", "1 2/3 4");
    assert_reads("1,,2\n3,4,5", "1,3", "1|3", "1 2/3 5");           /* a missing value does not make a header */
    assert_reads("2019-04-09,1\n2019-04-10,2\n", NULL, "2", "1/2"); /* neither does a date */
    assert_reads("x,2019,2020\n1,2,3\n", NULL, "x|2019|2020", "1 2 3");
    assert_reads("a,,c\n1,2,3\n", NULL, "a|2|c", "1 2 3");
    assert_reads("\"a\",\"b, c\",\"d \"\"e\"\"\"\n\"1\",\" 2 \",3\n", NULL, "a|b, c|d \"e\"", "1 2 3");
    assert_reads("x,\"a;b\"\n1,\"c;d\"\n2,\"e;f\"\n", "x", "x",
                 /* delimiters in quotes are ignored */
                 "1/2");
    assert_reads("x \"a  b\"\n1 2\n", NULL, "x|a  b", "1 2");
    assert_reads("  a  , b b \n  1  ,\t2 \n", NULL, "a|b b", "1 2");
    assert_reads("# a b\n1 2\n", NULL, "a|b", "1 2"); /* numpy.savetxt */
    assert_reads("Stra\xdf"
                 "e\n1\n",
                 NULL,
                 "Stra\xc3\x9f"
                 "e",
                 "1"); /* Latin-1 becomes UTF-8 */
    volt_table *table;
    assert_int_equal(read_text("a\n1\n", NULL, VOLT_MISSING_ERROR, &table), VOLT_OK);
    assert_int_equal(table->has_header, 1);
    volt_table_free(table);
    assert_int_equal(read_text("1\n1\n", NULL, VOLT_MISSING_ERROR, &table), VOLT_OK);
    assert_int_equal(table->has_header, 0);
    assert_int_equal(table->rows, 2);
    volt_table_free(table);
}

static void lines_and_separators(void **state)
{
    assert_reads("a,b\r\n1,2\r\n\r\n3,4\r\n\r\n", NULL, "a|b", "1 2/3 4");
    assert_reads("a,b\r1,2\r3,4", NULL, "a|b", "1 2/3 4");
    assert_reads("\n\n  \na,b\n\n1,2\n   \n3,4\n\n", NULL, "a|b", "1 2/3 4");
    assert_reads("\xef\xbb\xbf"
                 "a,b\n1,2\n",
                 NULL, "a|b", "1 2");
    assert_reads("\"V1\",\"V2\",\n0.5,0.25,\n1,2,\n\n", NULL, "V1|V2", "0.5 0.25/1 2"); /* silverbox */
    assert_reads("1,2,\n3,4,\n", NULL, "1|2", "1 2/3 4");
    assert_reads("  86 \r\n 141 \r\n", NULL, "1", "86/141"); /* Santa Fe */
    assert_reads("a;b\n1.5;2\n", NULL, "a|b", "1.5 2");
    assert_reads("a\tb\n1\t2\n", NULL, "a|b", "1 2");
    assert_reads("a,\tb\n1,\t2\n", NULL, "a|b", "1 2");
    assert_reads("  a   b\n 1.0  2.0\n-1e3\t+4 \n", NULL, "a|b", "1 2/-1000 4");
    assert_reads("a,b c;d\n1,2\n3,4\n", NULL, "a|b c;d", "1 2/3 4");
    assert_reads("flow rate\n1\n2\n", NULL, "flow rate", "1/2");
    assert_reads("a;b\n1,5;2\n-0,25;1.234,5\n", NULL, "a|b", "1.5 2/-0.25 1234.5"); /* decimal commas */
    assert_reads("1,5;2\n3;4,5\n", NULL, "1|2", "1.5 2/3 4.5");
    assert_reads("t\tb\n01.02.2019\t1,5e3\n02.02.2019\t2\n", NULL, "b", "1500/2");
    assert_reads("7", NULL, "1", "7");
}

static void dates(void **state)
{
    static const char *const dates[] = {"2019-04-09",
                                        "2019/4/9",
                                        "09.04.2019",
                                        "4/9/2019",
                                        "2019-04-09 12:30",
                                        "12:30:05.125",
                                        "2019-04",
                                        "2019-04-09T12:30:05Z",
                                        "09.04.2019 12:30:05",
                                        "2019-04-09 7:30 PM",
                                        "2019-04-09T12:30:05+01:00"};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        char text[200];
        snprintf(text, sizeof text, "day,x\n%s,1\n%s,2\n", dates[i], dates[i]);
        assert_reads(text, NULL, "x", "1/2");
        assert_reads(text, "*", "x", "1/2"); /* patterns skip it */
        assert_fails(text, "day", VOLT_ERR_FORMAT, "column 'day'");
    }
    assert_reads("Date,x\nMon 9 April,1\nTue 10 April,2\n", NULL, "x", "1/2"); /* selected by name */
    assert_reads("time,x\n0.5,1\n1.0,2\n", NULL, "time|x", "0.5 1/1 2");       /* time may be numeric */
    assert_reads("a,date,b\n1,2019-04-09,2\n", "a..b", "a|b", "1 2");
    assert_fails("day,x\n2019-04-09,1\nsoon,2\n", NULL, VOLT_ERR_FORMAT, "line 2 column 'day' '2019-04-09'");
    assert_fails("day\n2019-04-09\n", NULL, VOLT_ERR_FORMAT, "column");
    assert_fails("v\n1.2.3\n", NULL, VOLT_ERR_FORMAT, "not '1.2.3'"); /* a version, not a date */
}

static void unselected_columns_are_ignored(void **state)
{
    /* one value, then no value */
    const char *tanks = "\"uEst\",\"yEst\",\"Ts\",\r\n3.25,5.5,4,\r\n3.5,5.25,,\r\n";
    assert_reads(tanks, "yEst,uEst", "yEst|uEst", "5.5 3.25/5.25 3.5");
    assert_fails(tanks, NULL, VOLT_ERR_NOT_FINITE, "line 3 column 'Ts'");
    assert_proposes(tanks, "uEst,yEst");
    assert_proposes("a,b,c\n1,2,3\n4,,6\n", "a,c");
    const char *methods = "method,error\nLTI SS,6.5\nRNN,1.5\n";
    assert_reads(methods, "error", "error", "6.5/1.5");
    assert_fails(methods, NULL, VOLT_ERR_FORMAT, "line 2 column 'method' 'LTI SS'");
    assert_proposes(methods, "error");
    assert_proposes("day,a,b,c\n2019-04-09,1,x,2\n2019-04-10,3,y,4\n", "a,c"); /* without the dates */
#define TENTHS "_tenths_of_a_degree_above_the_mean_of_the_last_ten_years"
    assert_proposes("a" TENTHS ",b" TENTHS ",c" TENTHS ",d\n1,2,3,4\n5,6,7,x\n", /* as many as fit */
                    "a" TENTHS ",b" TENTHS);
    assert_fails(tanks, "*", VOLT_ERR_NOT_FINITE, "line 3 column 'Ts'");
    assert_null(strstr(volt_error_detail(), "FILE:")); /* the columns were selected */
}

static void missing_values(void **state)
{
    static const char *const words[] = {"",     "NA", "nan", "NaN",  "-nan", "null",
                                        "NULL", "?",  "N/A", "None", " "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[100];
        snprintf(text, sizeof text, "a,b\n1,2\n%s,3\n4,8\n", words[i]);
        assert_fails(text, NULL, VOLT_ERR_NOT_FINITE, "line 3 column 'a'");
        volt_table *table;
        assert_int_equal(read_text(text, NULL, VOLT_MISSING_KEEP, &table), VOLT_OK);
        assert_true(isnan(table->values[2]));
        volt_table_free(table);

        assert_int_equal(read_text(text, NULL, VOLT_MISSING_DROP, &table), VOLT_OK);
        assert_int_equal(table->rows, 2);
        assert_int_equal(table->dropped, 1);
        assert_true(table->values[2] == 4 && table->values[3] == 8);
        volt_table_free(table);

        assert_int_equal(read_text(text, NULL, VOLT_MISSING_INTERPOLATE, &table), VOLT_OK);
        assert_int_equal(table->interpolated, 1);
        assert_true(table->values[2] == 2.5);
        volt_table_free(table);
    }
    volt_table *table;
    assert_int_equal(read_text("a,b\n1,\n2,NA\n", NULL, VOLT_MISSING_INTERPOLATE, &table), VOLT_ERR_NOT_FINITE);
    assert_non_null(strstr(volt_error_detail(), "column 'b' has no value in any of the 2 rows"));
    assert_int_equal(read_text("a,b\n1,\n,2\n", NULL, VOLT_MISSING_DROP, &table), VOLT_ERR_NOT_FINITE);
    assert_non_null(strstr(volt_error_detail(), "every one of the 2 rows"));
    assert_non_null(strstr(volt_error_detail(), "file.csv"));
}

/* Records a = (1, NA, 3, NA) and (NA, 20, NA, 40): no value is interpolated across records. */
static void records_are_filled_separately(void **state)
{
    static const char text[] = "a,b\n1,5\n,5\n3,5\n,5\n,6\n20,6\n,6\n40,6\n";
    static const double expected[] = {1, 2, 3, 3, 20, 20, 30, 40};
    const int64_t records[] = {4, 4}, uneven[] = {4, 5}, alone[] = {4, 1, 3};
    double kept[4];
    volt_table *table, *second;
    assert_int_equal(read_text(text, NULL, VOLT_MISSING_KEEP, &table), VOLT_OK);
    assert_int_equal(read_text(text, NULL, VOLT_MISSING_KEEP, &second), VOLT_OK);
    assert_int_equal(volt_tables_clean(table, second, VOLT_MISSING_INTERPOLATE, uneven, 2), VOLT_ERR_SHAPE);
    assert_int_equal(volt_tables_clean(table, second, VOLT_MISSING_INTERPOLATE, records, 1), VOLT_ERR_SHAPE);
    assert_int_equal(volt_tables_clean(table, second, VOLT_MISSING_INTERPOLATE, NULL, 2), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_tables_clean(table, second, VOLT_MISSING_INTERPOLATE, alone, 3), VOLT_ERR_NOT_FINITE);
    assert_non_null(strstr(volt_error_detail(), "column 'a' has no value in any of the 1 rows of record 2 "));
    assert_true(isnan(table->values[2])); /* unchanged after a failure */
    for (int i = 4; i < 8; i++) {         /* the second table has no value in record 2 */
        kept[i - 4] = second->values[2 * i];
        second->values[2 * i] = NAN;
    }
    assert_int_equal(volt_tables_clean(table, second, VOLT_MISSING_INTERPOLATE, records, 2),
                     VOLT_ERR_NOT_FINITE);
    assert_true(isnan(table->values[2]) && isnan(second->values[2]));
    for (int i = 4; i < 8; i++)
        second->values[2 * i] = kept[i - 4];
    assert_int_equal(volt_tables_clean(table, second, VOLT_MISSING_INTERPOLATE, records, 2), VOLT_OK);
    for (int i = 0; i < 8; i++)
        assert_true(table->values[2 * i] == expected[i] && second->values[2 * i] == expected[i]);
    assert_int_equal(table->interpolated, 2);
    assert_int_equal(table->filled_before, 1);
    assert_int_equal(table->filled_behind, 1);
    assert_int_equal(table->filled_column, 0);
    volt_table_free(table);
    volt_table_free(second);
}

static void wrong_files(void **state)
{
    assert_fails("", NULL, VOLT_ERR_FORMAT, "empty");
    assert_fails("\n \r\n", NULL, VOLT_ERR_FORMAT, "lines");
    assert_fails("a,b\n", NULL, VOLT_ERR_FORMAT, "row");
    assert_fails("a,b\n1,2\n3\n", NULL, VOLT_ERR_FORMAT, "line 3 1 expected 2");
    assert_fails("a,b\n\n1,2,3\n", NULL, VOLT_ERR_FORMAT, "line 3 expected 2");
    assert_fails("a,b\n1,2\n3,hello\n", NULL, VOLT_ERR_FORMAT, "line 3 column 'b' 'hello'");
    assert_fails("\"a\nb\",c\r\n1,2\r\n\r\n3,x\r\n", NULL, VOLT_ERR_FORMAT, "line 5 column 'c' 'x'");
    assert_fails("\"a\r\nb\rc\r\",c\r\n1,x\r\n", NULL, VOLT_ERR_FORMAT, "line 5 column 'c' 'x'");
    assert_fails("a,b\n1,\"2\n3,4\n", NULL, VOLT_ERR_FORMAT, "line 2");
    assert_fails("a\ninf\n", NULL, VOLT_ERR_NOT_FINITE, "line 2 column 'a' 'inf'");
    assert_fails("a\n1\n1e999\n", NULL, VOLT_ERR_NOT_FINITE, "line 3 column 'a' '1e999'");
    assert_fails("a;b\n1,5;2.5\n", NULL, VOLT_ERR_FORMAT, "decimal '1,5'");
    assert_fails("a,b\n\"1,5\",2\n", NULL, VOLT_ERR_FORMAT, "decimal '1,5'");
    assert_fails("a,b\n\"1,234.5\",2\n", NULL, VOLT_ERR_FORMAT, "thousands '1,234.5'");
    assert_fails("a\n1\nabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n", NULL, VOLT_ERR_FORMAT,
                 "klmn...'");
    assert_fails("\xff\xfe"
                 "1",
                 NULL, VOLT_ERR_FORMAT, "UTF-16");
    assert_fails("PK\3\4 of a spreadsheet", NULL, VOLT_ERR_FORMAT, "archive");
    assert_fails("\x1f\x8b\b", NULL, VOLT_ERR_FORMAT, "gzip");
    assert_fails("BZh91AY&SY\x1f", NULL, VOLT_ERR_FORMAT, "bzip2");
    assert_fails("PAR1\x15", NULL, VOLT_ERR_FORMAT, "Parquet");
    assert_reads("PAR1,BZh\n1,2\n", NULL, "PAR1|BZh", "1 2");
    /* blanks do not separate the cells of ragged lines; a quotation mark within a cell opens nothing */
    assert_fails("a b c d,e\n1,2\n3\n", NULL, VOLT_ERR_FORMAT, "3");
    assert_reads("p,q,r;b\n5\" x;1\n6 x;2\n7 x;3\n", "b", "b", "1/2/3");
    assert_fails("\xd0\xcf\x11\xe0", NULL, VOLT_ERR_FORMAT, "spreadsheet");
    assert_fails("a,b\n1,2\n", "c", VOLT_ERR_FORMAT, "column 'c'");
    volt_table *table = NULL;
    const char *zero = scratch_write("zero.csv", "a\n1\0\n", 5);
    assert_int_equal(volt_table_read(zero, NULL, &table), VOLT_ERR_FORMAT);
    assert_int_equal(volt_table_read(scratch_path("absent.csv"), NULL, &table), VOLT_ERR_IO);
    assert_non_null(strstr(volt_error_detail(), "absent.csv: No such file"));
    assert_int_equal(volt_table_read(scratch_directory(), NULL, &table), VOLT_ERR_IO);
    assert_null(table);
}

/* Every double is read as it was written, also in a locale with a decimal comma, if one is installed. */
static void numbers_are_exact(void **state)
{
    enum { ROWS = 500, COLS = 3 };
    const uint64_t seed = 7;
    print_message("seed %d\n", (int)seed);
    static double values[ROWS * COLS];
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int i = 0; i < ROWS * COLS; i++)
        do {
            uint64_t bits = volt_rng_word(&rng);
            memcpy(&values[i], &bits, sizeof bits);
        } while (!isfinite(values[i]));
    static const char *const locales[] = {"C", "de_DE.UTF-8"};
    const char *names[] = {"a", "b, \"c\"", " d "};
    for (int l = 0; l < 2; l++) {
        if (!setlocale(LC_ALL, locales[l]))
            continue;
        volt_table *table = NULL;
        const char *path = scratch_path("exact.csv");
        assert_int_equal(volt_table_write(path, volt_view_of(values, ROWS, COLS), names, NULL), VOLT_OK);
        assert_int_equal(volt_table_read(path, NULL, &table), VOLT_OK);
        assert_int_equal(table->rows, ROWS);
        assert_memory_equal(table->values, values, sizeof values);
        assert_string_equal(table->names[1], "b, \"c\"");
        assert_string_equal(table->names[2], "d");
        volt_table_free(table);
    }
    setlocale(LC_ALL, "C");
}

static void writes_plain_text(void **state)
{
    const double values[] = {1, 2.5, 99, 0.1, -3e300, 99}; /* 2 x 2 with ld 3 */
    const volt_view view = {values, 2, 2, 3};
    const char *names[] = {"a", "b"}, *numbers[] = {"1", "2"};
    const char *path = scratch_path("plain.csv");
    assert_int_equal(volt_table_write(path, view, names, NULL), VOLT_OK);
    char *text = scratch_read(path, NULL);
    assert_string_equal(text, "a,b\n1,2.5\n0.1,-3e+300\n");
    free(text);
    assert_int_equal(volt_table_write(path, view, numbers, NULL), VOLT_OK); /* would be read as a row */
    text = scratch_read(path, NULL);
    assert_string_equal(text, "1,2.5\n0.1,-3e+300\n");
    free(text);
    assert_int_equal(volt_table_write(scratch_path("no/such.csv"), view, NULL, NULL), VOLT_ERR_IO);
    const volt_view empty = {values, 2, 0, 3};
    assert_int_equal(volt_table_write(path, empty, NULL, NULL), VOLT_ERR_ARGUMENT);
}

static void one_line(void **state)
{
    double row[3] = {-1, -1, -1};
    assert_int_equal(volt_csv_parse_row("1, 2.5 ,3\n", 3, VOLT_MISSING_ERROR, row), VOLT_OK);
    assert_true(row[0] == 1 && row[1] == 2.5 && row[2] == 3);
    assert_int_equal(volt_csv_parse_row(" 4  5\t6\r\n", 3, VOLT_MISSING_ERROR, row), VOLT_OK);
    assert_true(row[0] == 4 && row[1] == 5 && row[2] == 6);
    assert_int_equal(volt_csv_parse_row("7;8;9;", 3, VOLT_MISSING_ERROR, row), VOLT_OK);
    assert_true(row[2] == 9);
    assert_int_equal(volt_csv_parse_row("2019-04-09,\"1\",2,3", 3, VOLT_MISSING_ERROR, row), VOLT_OK);
    assert_true(row[0] == 1 && row[2] == 3);
    assert_int_equal(volt_csv_parse_row("7", 1, VOLT_MISSING_ERROR, row), VOLT_OK);

    row[0] = -1;
    assert_int_equal(volt_csv_parse_row(NULL, 3, VOLT_MISSING_ERROR, row), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_csv_parse_row("1,2,3", 3, VOLT_MISSING_ERROR, NULL), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_csv_parse_row("1,2,3", 0, VOLT_MISSING_ERROR, row), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_csv_parse_row("1,2", 3, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT);
    assert_non_null(strstr(volt_error_detail(), "found 2 numbers, expected 3"));
    assert_int_equal(volt_csv_parse_row("1,2,3,4", 3, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT);
    assert_int_equal(volt_csv_parse_row("1,x,3", 3, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT);
    assert_non_null(strstr(volt_error_detail(), "column 2: 'x'"));
    assert_int_equal(volt_csv_parse_row("1,,3", 3, VOLT_MISSING_ERROR, row), VOLT_ERR_NOT_FINITE);
    double holed[3] = {0};
    assert_int_equal(volt_csv_parse_row("1,,NA", 3, VOLT_MISSING_KEEP, holed), VOLT_OK);
    assert_true(holed[0] == 1 && isnan(holed[1]) && isnan(holed[2]));
    assert_int_equal(volt_csv_parse_row("1,,x", 3, VOLT_MISSING_KEEP, holed), VOLT_ERR_FORMAT);
    assert_int_equal(volt_csv_parse_row("1,,3", 3, VOLT_MISSING_ERROR, holed), VOLT_ERR_NOT_FINITE);
    assert_int_equal(volt_csv_parse_row("1,inf,3", 3, VOLT_MISSING_KEEP, holed), VOLT_ERR_NOT_FINITE);
    assert_int_equal(volt_csv_parse_row("1,2,3", 3, VOLT_MISSING_DROP, holed), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_csv_parse_row("1,2,nan", 3, VOLT_MISSING_ERROR, row), VOLT_ERR_NOT_FINITE);
    assert_int_equal(volt_csv_parse_row("1,2,-inf", 3, VOLT_MISSING_ERROR, row), VOLT_ERR_NOT_FINITE);
    assert_int_equal(volt_csv_parse_row("", 3, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT);
    assert_int_equal(volt_csv_parse_row("1,2,3\n4,5,6\n", 3, VOLT_MISSING_ERROR, row), VOLT_ERR_FORMAT);
    assert_true(row[0] == -1); /* not modified by any of these */
}

static void check_cells(const char *line, int64_t expected, const char *const *texts)
{
    char **cells = NULL;
    int64_t count = -1;
    assert_int_equal(volt_csv_split_line(line, NULL, &cells, &count), VOLT_OK);
    assert_int_equal(count, expected);
    for (int64_t j = 0; j < count; j++)
        assert_string_equal(cells[j], texts[j]);
    volt_free(cells);
}

/* The cells are those parsed by volt_csv_parse_row. */
static void cells_of_one_line(void **state)
{
    check_cells("a, b ,\"c, \"\"d\"\"\"\n", 3, (const char *const[]){"a", "b", "c, \"d\""});
    check_cells("a;b,c;d", 3, (const char *const[]){"a", "b,c", "d"});
    check_cells("a\tb\tc", 3, (const char *const[]){"a", "b", "c"});
    check_cells("  a   b ", 2, (const char *const[]){"a", "b"});
    check_cells("a,,", 3, (const char *const[]){"a", "", ""});
    check_cells("\" a \"", 1, (const char *const[]){" a "});
    check_cells("\"a \"\"b\"\"  c\" d", 2, (const char *const[]){"a \"b\"  c", "d"});
    check_cells("\"\"\"a;\"\";\",b", 2, (const char *const[]){"\"a;\";", "b"});
    check_cells("", 0, NULL);

    char **cells = NULL;
    int64_t count = -1;
    assert_int_equal(volt_csv_split_line("a,\"b", NULL, &cells, &count), VOLT_ERR_FORMAT);
    assert_int_equal(volt_csv_split_line("a\nb\n", NULL, &cells, &count), VOLT_ERR_FORMAT);
    assert_int_equal(volt_csv_split_line(NULL, NULL, &cells, &count), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_csv_split_line("a", "b\nc", &cells, &count), VOLT_ERR_FORMAT);
    assert_true(!cells && count == -1); /* not modified by any of these */

    /* A single line is split at its semicolon; the next line shows that the delimiter is a comma. */
    assert_int_equal(volt_csv_split_line("x;y,a,b", "2019-09,1,2", &cells, &count), VOLT_OK);
    assert_int_equal(count, 3);
    assert_string_equal(cells[0], "x;y");
    assert_string_equal(cells[2], "b");
    volt_free(cells);
}

/* Cells that are not numbers, with the lines of their rows; dropped rows move both. */
static void faults_are_kept(void **state)
{
    const char *text = "id,ds,y,z\na,1,2,0\n\na,2,x,0\nb,,,1\nb,2,inf,two\nb,3,NA,three\n";
    volt_read_options options = volt_read_options_default();
    volt_table *table = NULL;
    char source[5000];
    snprintf(source, sizeof source, "%s:y,z", scratch_write_text("faults.csv", text));
    options.missing = VOLT_MISSING_KEEP;
    options.keep_faults = 1;
    options.time_name = "ds";
    check_ok(volt_table_read(source, &options, &table));
    static const int64_t lines[] = {2, 4, 5, 6, 7};
    static const char *const faults[] = {NULL, "'x' is not a number", NULL, "'inf' is not a finite number",
                                         "'three' is not a number"};
    static const char *const times[] = {"1", "2", "", "2", "3"};
    assert_int_equal(table->rows, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(table->lines[i], lines[i]);
        assert_string_equal(table->time_texts[i], times[i]);
        assert_int_equal(table->faults[i] == NULL, faults[i] == NULL);
        if (faults[i])
            assert_string_equal(table->faults[i], faults[i]);
    }
    assert_null(table->times);
    assert_true(isinf(table->values[2]) && isnan(table->values[4]) && isinf(table->values[7]));
    volt_table_free(table);
    options.missing = VOLT_MISSING_DROP; /* rows 5 and 7, of which the latter has a fault too */
    check_ok(volt_table_read(source, &options, &table));
    assert_int_equal(table->rows, 3);
    assert_int_equal(table->lines[2], 6);
    assert_null(table->faults[0]);
    assert_string_equal(table->faults[1], faults[1]);
    assert_string_equal(table->faults[2], faults[3]);
    volt_table_free(table);
    options.time_name = "day";
    check_fails(volt_table_read(source, &options, &table), VOLT_ERR_FORMAT, "day");
}

/* The times are the first column of dates, also if it is the first column of the file, or the column that is named. */
static void the_first_column_of_dates_has_the_times(void **state)
{
    static const char *const texts[] = {"from,to,y\n2020-01-01,2020-02-02,5\n2020-01-02,2020-02-03,6\n",
                                        "y,from,to\n5,2020-01-01,2020-02-02\n6,2020-01-02,2020-02-03\n"};
    for (int i = 0; i < 2; i++)
        for (int named = 0; named < 3; named++) {
            static const char *const names[] = {NULL, "from", "to"};
            volt_read_options options = volt_read_options_default();
            volt_table *table = NULL;
            char source[5000];
            snprintf(source, sizeof source, "%s:y", scratch_write_text("dates.csv", texts[i]));
            options.time_name = names[named];
            check_ok(volt_table_read(source, &options, &table));
            assert_true(table->rows == 2 && table->values[0] == 5 && table->values[1] == 6);
            assert_string_equal(table->time_name, named == 2 ? "to" : "from");
            assert_string_equal(table->time_texts[1], named == 2 ? "2020-02-03" : "2020-01-02");
            volt_table_free(table);
        }
}

static void every_allocation_may_fail(void **state)
{
    const char *path = scratch_write_text(
        "alloc.csv", "date,a,b,c,\n2019-04-09,1,2,x,\n2019-04-10,3,,y,\n2019-04-11,no,1,y,\n");
    char source[5000];
    snprintf(source, sizeof source, "%s:b,a", path);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_table *table = NULL;
        volt_status status = volt_table_read(source,
                                             &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                                  .missing = VOLT_MISSING_DROP,
                                                                  .end = VOLT_LAST_ROW,
                                                                  .keep_faults = 1},
                                             &table);
        volt_table_free(table);
        failing_alloc_check(status);
    }
    double row[2];
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_csv_parse_row("1,2", 2, VOLT_MISSING_ERROR, row);
        failing_alloc_check(status);
    }
}

/* The second pass over a file fills at most the size measured by the first. */
static void too_long_texts_are_rejected(void **state)
{
    volt_csv_texts kept = {.column = -1};
    check_ok(volt_csv_texts_begin(&kept, 2, 3, 9));
    assert_int_equal(kept.column, 2);
    assert_true(volt_csv_texts_put(&kept, 0, "12:30", 5));
    assert_false(volt_csv_texts_put(&kept, 1, "123", 3));
    assert_true(volt_csv_texts_put(&kept, 1, "12", 2));
    assert_false(volt_csv_texts_put(&kept, 2, "", 0));
    assert_string_equal(kept.texts[0], "12:30");
    assert_string_equal(kept.texts[1], "12");
    volt_free(kept.texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_long_texts_are_rejected),
        cmocka_unit_test(headers),
        cmocka_unit_test(lines_and_separators),
        cmocka_unit_test(dates),
        cmocka_unit_test(unselected_columns_are_ignored),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(records_are_filled_separately),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(writes_plain_text),
        cmocka_unit_test(one_line),
        cmocka_unit_test(cells_of_one_line),
        cmocka_unit_test(faults_are_kept),
        cmocka_unit_test(the_first_column_of_dates_has_the_times),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
