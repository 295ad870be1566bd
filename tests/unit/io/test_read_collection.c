/* tests/unit/io/test_read_collection.c: read collections of series from .ts, NPY and long CSV files, and reject
 * invalid ones. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "text/text.h"
#include "volterra/io.h"

enum { LONGEST = 1 << 16 };

/* ---- helpers ---------------------------------------------------------------------------------- */

/* The whole collection as one line: names joined by ',' before a ';', series joined by '|'. A series is its
 * label and ':' (if there are labels), then its rows joined by '/', each with numbers joined by ' '. */
static const char *line_of(const volt_collection *collection)
{
    static char line[LONGEST];
    char number[VOLT_NUMBER_LENGTH];
    size_t used = 0;
    line[0] = '\0';
    for (int64_t k = 0; collection->names && k < collection->channels; k++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", collection->names[k],
                                 k + 1 < collection->channels ? "," : ";");
    for (int64_t s = 0; s < collection->count; s++) {
        volt_view series = collection->series[s];
        assert_int_equal(series.cols, collection->channels);
        if (collection->labels)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s:", collection->labels[s]);
        for (int64_t i = 0; i < series.rows; i++)
            for (int64_t k = 0; k < series.cols; k++) {
                volt_format_number(series.data[i * series.ld + k], number);
                int is_last = i + 1 == series.rows && k + 1 == series.cols && s + 1 == collection->count;
                const char *behind = k + 1 < series.cols ? " " : i + 1 < series.rows ? "/" : is_last ? "" : "|";
                used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", number, behind);
                assert_true(used < sizeof line);
            }
    }
    return line;
}

static void assert_file_reads(const char *path, const char *expected)
{
    volt_collection *collection = NULL;
    check_ok(volt_collection_read(path, &collection));
    assert_string_equal(line_of(collection), expected);
    volt_collection_free(collection);
}

static void assert_reads(const char *name, const char *text, const char *expected)
{
    assert_file_reads(scratch_write_text(name, text), expected);
}

static void assert_file_fails(const char *path, volt_status expected, const char *reason)
{
    volt_collection untouched, *collection = &untouched;
    check_fails(volt_collection_read(path, &collection), expected, reason);
    assert_ptr_equal(collection, &untouched);
}

typedef struct bad_file {
    const char *text, *reason;
} bad_file;

static void assert_all_fail(const char *name, const bad_file *files, size_t count, volt_status expected)
{
    for (size_t i = 0; i < count; i++)
        assert_file_fails(scratch_write_text(name, files[i].text), expected, files[i].reason);
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- .ts -------------------------------------------------------------------------------------- */

static void ts_files(void **state)
{
    assert_reads("a.ts",
                 "# comment\n\n@problemName Two\n@timeStamps false\n@missing false\n@univariate false\n"
                 "@dimensions 2\n@equalLength true\n@seriesLength 3\n@classLabel true up down\n@data\n"
                 "1,2,3:10,20,30:up\n# between\n4,5,6:-4,-5e-1,.5:down\n",
                 "up:1 10/2 20/3 30|down:4 -4/5 -0.5/6 0.5");
    /* Directives in any case, unknown directives, blank lines, CRLF, a byte order mark, no newline at the
     * end. */
    assert_reads("a.TS",
                 "\xef\xbb\xbf@PROBLEMNAME x\r\n@Author me\r\n  @TimeStamps False\r\n@UNIVARIATE TRUE\r\n"
                 "@ClassLabel\tTRUE  a   b \r\n@DATA\r\n 1 , 2 ,3 : b \r\n\r\n4,5:a",
                 "b:1/2/3|a:4/5");
    assert_reads("a.ts", "@data\r1,2:3,4\r5:6\r", "1 3/2 4|5 6"); /* unequal lengths, no labels, CR */
    assert_reads("a.ts", "@classLabel false a b\n@dimension 1\n@data\n1,2\n3\n", "1/2|3");
    assert_reads("a.ts", "@classLabel true\n@data\n1:any label\n", "any label:1");
    assert_reads("a.ts", "@targetLabel true\n@equalLength true\n@data\n1,2:0.25\n3,4:-7\n", "0.25:1/2|-7:3/4");
    assert_reads("a.ts", "@missing true\n@equalLength false\n@seriesLength 9\n@data\n1\n", "1");
    assert_reads("a.ts", "@classLabel true Stra\xdf\x65\n@data\n1:Stra\xdf\x65\n",
                 "Stra\xc3\x9f\x65:1"); /* Latin-1 */
}

static void invalid_ts_files(void **state)
{
    static const bad_file damaged[] = {
        {"", "the file is empty"},
        {"\n# nothing\n", "the file ends before @data"},
        {"@problemName x\n", "the file ends before @data"},
        {"@problemName x\n1,2\n@data\n",
         "line 2: expected a line that begins with @ before @data, found '1,2'"},
        {"@data\n", "no series after @data"},
        {"@data\n# 1,2\n\n", "there are no series"},
        {"@timeStamps true\n@data\n(0,1):a\n", "line 1: @timeStamps true: "},
        {"@timeStamps maybe\n@data\n1\n", "line 1: @timeStamps must be true or false, found 'maybe'"},
        {"@classLabel\n@data\n1\n", "line 1: @classLabel must be true or false, found ''"},
        {"@classLabel truely a\n@data\n1\n", "found 'truely a'"},
        {"@dimensions 0\n@data\n1\n", "line 1: @dimensions must be a whole number from 1 on, found '0'"},
        {"@dimensions two\n@data\n1\n", "found 'two'"},
        {"@seriesLength 1.5\n@data\n1\n", "@seriesLength must be a whole number"},
        {"@seriesLength 1e300\n@data\n1\n", "@seriesLength must be a whole number"},
        {"@dimensions nan\n@data\n1\n", "found 'nan'"},
        {"@univariate true\n@dimensions 2\n@data\n1:2\n", "@univariate true and @dimensions 2"},
        {"@univariate true\n@data\n1:2\n", "line 3: the number of dimensions is 2, expected 1"},
        {"@dimensions 3\n@data\n1:2\n", "line 3: the number of dimensions is 2, expected 3"},
        {"@data\n1:2\n\n3\n", "line 4: the number of dimensions is 1, expected 2"},
        {"@data\n1,2:3,4\n1,2:3\n", "line 3: dimension 2 has 1 values, dimension 1 has 2"},
        {"@equalLength true\n@data\n1,2\n3\n", "line 4: the series has 1 values"},
        {"@equalLength true\n@seriesLength 2\n@data\n1\n", "with @equalLength true it must have 2"},
        {"@classLabel true a b\n@data\n1,2:a\n1,2:c\n", "line 4: the label 'c' is not among the classes"},
        {"@classLabel true a b\n@data\n1,2:A\n", "the label 'A' is not among"},
        {"@classLabel true ab\n@data\n1,2:a\n", "the label 'a' is not among"},
        {"@classLabel true a b\n@data\n1,2\n", "line 3: there is no ':'"},
        {"@classLabel true\n@data\n1,2:\n", "line 3 has no label"},
        {"@targetLabel true\n@data\n1,2:x\n", "line 3: the target 'x' is not a number"},
        {"@targetLabel true\n@data\n1,2:nan\n", "line 3: the target 'nan' is not a number"},
        {"@data\n1,2:3,x\n", "line 2, dimension 2, position 2: 'x' is not a number"},
        {"@data\n1,2020-01-01\n", "position 2: '2020-01-01' is not a number"},
        {"\xff\xfe@\0", "UTF-16"},
    };
    assert_all_fail("bad.ts", damaged, LENGTH(damaged), VOLT_ERR_FORMAT);
    static const bad_file missing[] = {
        {"@data\n1,2:3,?\n", "line 2, dimension 2, position 2: '?' is a missing value"},
        {"@data\n1,NaN,2\n", "line 2, dimension 1, position 2: 'NaN' is a missing value"},
        {"@data\n1,2,\n", "line 2, dimension 1, position 3: '' is a missing value"},
        {"@data\n1::2\n", "line 2, dimension 2, position 1: '' is a missing value"},
        {"@data\n1,-inf\n", "line 2, dimension 1, position 2: '-inf' is not a finite number"},
        {"@data\n1e999\n", "'1e999' is not a finite number"},
    };
    assert_all_fail("bad.ts", missing, LENGTH(missing), VOLT_ERR_NOT_FINITE);
    assert_file_fails(scratch_write("bad.ts", "@data\n1,\0002\n", 11), VOLT_ERR_FORMAT, "9 zero");
    assert_file_fails(scratch_path("absent.ts"), VOLT_ERR_IO, "absent.ts No");
    /* The message begins with the file. */
    const char *path = scratch_write_text("bad.ts", "@data\n");
    assert_file_fails(path, VOLT_ERR_FORMAT, path);
}

/* ---- long CSV --------------------------------------------------------------------------------- */

static void long_csv_files(void **state)
{
    assert_reads("a.csv", "series,x,y\n1,0.5,1\n1,0.25,2\n2,3,4\n", "x,y;0.5 1/0.25 2|3 4");
    assert_reads("a.csv", "x,Series\n1,b\n2,a\n3,b\n4,c\n5,a\n", "x;1/3|2/5|4"); /* in order of appearance */
    assert_reads("a.csv", "series,x\n1,1\n1.0,2\n01,3\n", "x;1|2|3");            /* compared as text */
    assert_reads("a.csv", "date;series;x\n2020-01-01;a b;1\n2020-01-02;a b;2\n", "x;1/2");
    assert_reads("a.csv", "\"series\",\"x, y\",\n\"a, b\",1,\n\"a, b\",2,\n\n", "x, y;1/2"); /* final comma */
    assert_reads("a.csv", "series,,y\na,1,2\n", "2,y;1 2"); /* an unnamed column */
    assert_reads("a.tsv", "series\tx\r\na\t1\r\n\r\nb\t2", "x;1|2");
    assert_reads("a.txt", "# series x y\na 1  2\na 3  4\n", "x,y;1 2/3 4");
    assert_reads("no_extension", "series,x\na,1\n", "x;1");
    assert_reads("a.csv", "\xef\xbb\xbfseries,Stra\xdf\x65\na,1\n", "Stra\xc3\x9f\x65;1");
    /* the ends of ASCII and of Latin-1 */
    assert_reads("a.csv", "series,\x7f\x80\xbf\xc0\xff\na,1\n", "\x7f\xc2\x80\xc2\xbf\xc3\x80\xc3\xbf;1");
}

static void invalid_long_csv_files(void **state)
{
    static const bad_file damaged[] = {
        {"", "the file is empty"},
        {"\n \n", "only blank lines"},
        {"series,x\n", "header rows"},
        {"a,x\n1,2\n", "line 1: there is no column 'series'"},
        {"1,2\n3,4\n", "line 1: there is no column 'series'"},
        {"series,x,SERIES\n1,2,3\n", "line 1: 2 columns are named 'series'"},
        {"series\na\n", "there is no column of numbers"},
        {"series,date\na,2020-01-01\n", "there is no column of numbers"},
        {"series,x\na,1\na,2,3\n", "line 3 has 3 cells, expected 2 as on line 1"},
        {"series,x\na,1\na\n", "line 3 has 1 cells"},
        {"series,x\na,1\n,2\n", "line 3, column 'series': '' names no series"},
        {"series,x,class\na,1,walk\n", "line 2, column 'class': 'walk' is not a number"},
        {"series,x\na,1\na,2020-01-01\n", "line 3, column 'x': '2020-01-01' is not a number"},
    };
    assert_all_fail("bad.csv", damaged, LENGTH(damaged), VOLT_ERR_FORMAT);
    static const bad_file missing[] = {
        {"series,x\na,1\na,NA\n", "line 3, column 'x': 'NA' is a missing value"},
        {"series,x,y\na,,1\n", "line 2, column 'x': '' is a missing value"},
        {"series,x\na,inf\n", "line 2, column 'x': 'inf' is not a finite number"},
    };
    assert_all_fail("bad.csv", missing, LENGTH(missing), VOLT_ERR_NOT_FINITE);
    assert_file_fails(scratch_path("absent.csv"), VOLT_ERR_IO, "No");
}

/* More series than the initial hash table holds, with interleaved rows. */
static void many_interleaved_series(void **state)
{
    enum { SERIES = 3000, ROWS = 3 };
    size_t capacity = SERIES * ROWS * 32, used = 0;
    char *text = malloc(capacity);
    assert_non_null(text);
    used += (size_t)snprintf(text + used, capacity - used, "series,x\n");
    for (int i = 0; i < ROWS; i++)
        for (int s = 0; s < SERIES; s++)
            used += (size_t)snprintf(text + used, capacity - used, "name%d,%d\n", s, s * ROWS + i);
    volt_collection *collection = NULL;
    check_ok(volt_collection_read(scratch_write("a.csv", text, used), &collection));
    assert_int_equal(collection->count, SERIES);
    for (int s = 0; s < SERIES; s++) {
        assert_int_equal(collection->series[s].rows, ROWS);
        for (int i = 0; i < ROWS; i++)
            assert_true(collection->series[s].data[i] == s * ROWS + i);
    }
    volt_collection_free(collection);
    free(text);
}

/* ---- NPY -------------------------------------------------------------------------------------- */

static const char *write_npy(const char *descr, const char *order, const char *shape, const void *data,
                             size_t bytes)
{
    static unsigned char file[4096];
    char header[200];
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr,
                          order, shape);
    memcpy(file, "\x93NUMPY\1\0", 8);
    file[8] = (unsigned char)length;
    file[9] = 0;
    memcpy(file + 10, header, (size_t)length);
    memcpy(file + 10 + length, data, bytes);
    return scratch_write("a.npy", file, 10 + (size_t)length + bytes);
}

static void npy_files(void **state)
{
    /* Entry (s, t, c) is 100 s + 10 t + c for 2 series of 3 rows and 2 channels, in both orders. */
    double c_order[12], fortran[12];
    float c_single[12];
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 3; t++)
            for (int c = 0; c < 2; c++) {
                c_order[(s * 3 + t) * 2 + c] = fortran[s + 2 * (t + 3 * c)] = 100 * s + 10 * t + c;
                c_single[(s * 3 + t) * 2 + c] = (float)(100 * s + 10 * t + c);
            }
    const char *expected = "0 1/10 11/20 21|100 101/110 111/120 121";
    assert_file_reads(write_npy("=f8", "False", "(2, 3, 2)", c_order, sizeof c_order), expected);
    assert_file_reads(write_npy("=f8", "True", "(2, 3, 2)", fortran, sizeof fortran), expected);
    assert_file_reads(write_npy("=f4", "False", "(2, 3, 2)", c_single, sizeof c_single), expected);
    assert_file_reads(write_npy("=f8", "False", "(4, 3)", c_order, sizeof c_order),
                      "0/1/10|11/20/21|100/101/110|111/120/121");
    assert_file_reads(write_npy("=f8", "True", "(2, 6)", fortran, sizeof fortran),
                      "0/10/20/1/11/21|100/110/120/101/111/121");
    assert_file_reads(write_npy("=f8", "False", "(1, 1, 12)", c_order, sizeof c_order),
                      "0 1 10 11 20 21 100 101 110 111 120 121");
    /* The bytes of 1.5 and -2 in both byte orders. */
    static const unsigned char little8[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0};
    static const unsigned char big8[] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0};
    static const unsigned char little4[] = {0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0},
                               big4[] = {0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0};
    assert_file_reads(write_npy("<f8", "False", "(1, 2, 1)", little8, 16), "1.5/-2");
    assert_file_reads(write_npy(">f8", "True", "(1, 1, 2)", big8, 16), "1.5 -2");
    assert_file_reads(write_npy("<f4", "True", "(2, 1, 1)", little4, 8), "1.5|-2");
    assert_file_reads(write_npy(">f4", "False", "(2, 1)", big4, 8), "1.5|-2");
    assert_file_reads(write_npy("|u1", "False", "(2, 2)", "\1\2\3\4", 4), "1/2|3/4");
}

static void invalid_npy_files(void **state)
{
    double data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const struct {
        const char *shape, *reason;
    } cases[] = {
        {"(8,)", "the array has 1 dimension; a collection has 3"},
        {"()", "the array has 0 dimensions"},
        {"(2, 2, 2, 1)", "the array has 4 dimensions"},
        {"(0, 2, 2)", "the array is empty: 0 x 2 x 2"},
        {"(2, 0, 2)", "the array is empty"},
        {"(2, 2, 0)", "the array is empty"},
        {"(2, 2, 3)", "the file is truncated: 2 x 2 x 3 numbers are 96 bytes, found 64"},
        {"(1, 2, 2)", "32 bytes follow the 1 x 2 x 2 numbers"},
        {"(2, 4611686018427387904, 4)", "larger than any file"},
        {"(4611686018427387904, 2, 4)", "larger than any file"},
        {"(3037000500, 3037000500, 3037000500)", "larger than any file"},
        {"(1000000000, 1000000, 100)", "the file is truncated"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_file_fails(write_npy("=f8", "False", cases[i].shape, data, sizeof data), VOLT_ERR_FORMAT,
                          cases[i].reason);
    assert_file_fails(write_npy("<c16", "False", "(2, 2, 1)", data, sizeof data), VOLT_ERR_FORMAT, "'<c16'");
    assert_file_fails(scratch_write("a.npy", "hello", 5), VOLT_ERR_FORMAT, "NPY");
    data[5] = NAN;
    assert_file_fails(write_npy("=f8", "False", "(2, 2, 2)", data, sizeof data), VOLT_ERR_NOT_FINITE,
                      "series 2 row 1 channel NaN");
    data[5] = -INFINITY;
    assert_file_fails(write_npy("=f8", "True", "(2, 2, 2)", data, sizeof data), VOLT_ERR_NOT_FINITE,
                      "series 2 row 1 channel");
}

/* ---- all formats ------------------------------------------------------------------------------ */

/* Random series written as text with all digits are read back bit for bit. */
static void numbers_read_exactly(void **state)
{
    enum { SERIES = 7, ROWS = 11, CHANNELS = 3 };
    volt_rng rng = test_rng(20240601);
    static double values[SERIES][ROWS][CHANNELS];
    for (double *value = &values[0][0][0]; value < &values[0][0][0] + SERIES * ROWS * CHANNELS; value++)
        *value = ldexp(volt_rng_normal(&rng), (int)(volt_rng_uniform(&rng) * 1200) - 600);

    static char ts[LONGEST], csv[LONGEST];
    char number[VOLT_NUMBER_LENGTH];
    strcpy(ts, "@classLabel true k\n@data\n");
    strcpy(csv, "series,x,y,z\n");
    for (int s = 0; s < SERIES; s++) {
        for (int k = 0; k < CHANNELS; k++) {
            for (int i = 0; i < ROWS; i++) {
                volt_format_number(values[s][i][k], number);
                strcat(strcat(ts, number), i + 1 < ROWS ? "," : ":");
            }
        }
        strcat(ts, "k\n");
        for (int i = 0; i < ROWS; i++) {
            snprintf(csv + strlen(csv), 8, "%d", s);
            for (int k = 0; k < CHANNELS; k++)
                strcat(strcat(csv, ","), volt_format_number(values[s][i][k], number));
            strcat(csv, "\n");
        }
    }
    const char *paths[] = {
        scratch_write_text("exact.ts", ts),
        scratch_write_text("exact.csv", csv),
    };
    for (size_t f = 0; f < LENGTH(paths); f++) {
        volt_collection *collection = NULL;
        check_ok(volt_collection_read(paths[f], &collection));
        assert_int_equal(collection->count, SERIES);
        assert_int_equal(collection->channels, CHANNELS);
        for (int s = 0; s < SERIES; s++) {
            assert_int_equal(collection->series[s].rows, ROWS);
            assert_memory_equal(collection->series[s].data, values[s], sizeof values[s]);
        }
        volt_collection_free(collection);
    }
}

static const char *const small_ts =
    "@classLabel true a b\n@equalLength true\n@data\n1,2,3:4,5,6:a\n7,8,9:1,2,3:b\n";
static const char *const small_csv = "date,series,x,y\n2020-01-01,a,1,2\n2020-01-02,b,3,4\n2020-01-03,a,5,6\n";

static void every_allocation_may_fail(void **state)
{
    const double data[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const char *paths[] = {
        scratch_write_text("small.ts", small_ts),
        scratch_write_text("small.csv", small_csv),
        write_npy("=f8", "True", "(2, 2, 2)", data, sizeof data),
    };
    for (size_t f = 0; f < LENGTH(paths); f++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_collection *collection = NULL;
            volt_status status = volt_collection_read(paths[f], &collection);
            assert_true((status == VOLT_OK) == (collection != NULL));
            volt_collection_free(collection);
            failing_alloc_check(status);
            assert_true(status || k > 5);
        }
}

/* A file truncated at any byte is rejected, or read up to its last complete line. */
static void cut_files(void **state)
{
    static const struct {
        const char *name, *text;
    } files[] = {{"cut.ts", small_ts}, {"cut.csv", small_csv}};
    for (size_t f = 0; f < LENGTH(files); f++)
        for (size_t length = 0; length + 1 < strlen(files[f].text); length++) {
            volt_collection *collection = NULL;
            volt_status status =
                volt_collection_read(scratch_write(files[f].name, files[f].text, length), &collection);
            if (status == VOLT_OK)
                assert_true(files[f].text[length] == '\n' || files[f].text[length - 1] == '\n');
            else
                assert_true(status == VOLT_ERR_FORMAT || status == VOLT_ERR_NOT_FINITE);
            volt_collection_free(collection);
        }
}

static void invalid_calls_are_rejected(void **state)
{
    volt_collection *collection = NULL;
    check_fails(volt_collection_read(NULL, &collection), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_collection_read("a.ts", NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_file_fails("", VOLT_ERR_IO, "empty");
    assert_file_fails(scratch_directory(), VOLT_ERR_IO, "directory");
    assert_file_fails(scratch_write_text("a.mat", "MATLAB"), VOLT_ERR_FORMAT, "MAT");
    volt_collection_free(NULL);
}

static void collection_is_not_a_table(void **state)
{
    volt_table *table = NULL;
    check_fails(volt_table_read("walks.ts", NULL, &table), VOLT_ERR_FORMAT, "series");
    assert_null(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collection_is_not_a_table),
        cmocka_unit_test(ts_files),
        cmocka_unit_test(invalid_ts_files),
        cmocka_unit_test(long_csv_files),
        cmocka_unit_test(invalid_long_csv_files),
        cmocka_unit_test(many_interleaved_series),
        cmocka_unit_test(npy_files),
        cmocka_unit_test(invalid_npy_files),
        cmocka_unit_test(numbers_read_exactly),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(invalid_calls_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
