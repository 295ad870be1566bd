/* tests/unit/io/test_file_failures.c: every call of a file reader or writer fails once. Each call sequence
 * below is run with the k-th call of one function failing, for every k and every function
 * (faults/failing_functions.h). It either succeeds or returns a status and a message. A file to be replaced
 * is the old or the new one. Memory, descriptors and temporary files are released, and the same sequence
 * succeeds afterwards. */
#define _GNU_SOURCE
#include "faults/failing_functions.h"
#include "io/file/file_bytes.h"
#include "io/mat/mat.h"
#include "io/safetensors/safetensors.h"
#include "support/archive.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/io.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 3, COLS = 2 };
static const double numbers[ROWS * COLS] = {1, 2.5, -3, 4, 0.125, 6};

/* ---- call sequences --------------------------------------------------------------------------- */

typedef struct scenario {
    const char *name;
    const char *file; /* in the scratch folder: the file read or replaced */
    /* Adds the values read to *sum. */
    volt_status (*run)(const char *path, double *sum);
    bool writes;
} scenario;

static volt_status write_text(const char *path, double *sum)
{
    (void)sum;
    return volt_text_write(path, "new and longer");
}

static volt_status write_table(const char *path, double *sum)
{
    (void)sum;
    return volt_table_write(path, volt_view_of(numbers, ROWS, COLS), NULL, NULL);
}

static volt_status write_tensors(const char *path, double *sum)
{
    (void)sum;
    const volt_tensor tensor = {"a", ROWS, COLS, numbers};
    return volt_safetensors_write(path, &tensor, 1, NULL, 0);
}

static volt_status read_text(const char *path, double *sum)
{
    char *text = NULL;
    volt_status status = volt_text_read(path, &text);
    for (size_t i = 0; status == VOLT_OK && text[i]; i++)
        *sum += (double)(i + 1) * text[i];
    volt_free(text);
    return status;
}

static volt_status read_table(const char *path, double *sum)
{
    volt_table *table = NULL;
    volt_status status = volt_table_read(path, NULL, &table);
    for (int64_t i = 0; status == VOLT_OK && i < table->rows * table->cols; i++)
        *sum += (double)(i + 1) * table->values[i];
    volt_table_free(table);
    return status;
}

static volt_status read_tensors(const char *path, double *sum)
{
    volt_safetensors *file = NULL;
    volt_status status = volt_safetensors_read(path, &file);
    for (int i = 0; status == VOLT_OK && i < ROWS * COLS; i++)
        *sum += (i + 1) * volt_safetensors_tensor(file, "a")->data[i];
    volt_safetensors_free(file);
    return status;
}

static volt_status read_series(const char *path, double *sum)
{
    volt_collection *series = NULL;
    volt_status status = volt_collection_read(path, &series);
    for (int64_t s = 0; status == VOLT_OK && s < series->count; s++)
        for (int64_t t = 0; t < series->series[s].rows; t++)
            *sum += (double)(s + 1) * (double)(t + 1) * series->series[s].data[t * series->series[s].ld];
    volt_collection_free(series);
    return status;
}

/* matio does its own reading; only the calls before it can fail here. */
static volt_status check_mat(const char *path, double *sum)
{
    int64_t size = 0;
    volt_status status = volt_mat_check(path, &size);
    if (status == VOLT_OK)
        *sum = (double)size;
    return status;
}

static volt_status read_piece(const char *path, double *sum)
{
    FILE *stream = NULL;
    char piece[4] = "";
    volt_status status = volt_file_open(path, &stream);
    if (status != VOLT_OK)
        return status;
    status = volt_file_read_at(stream, path, 7, 2, 4, piece);
    for (int i = 0; status == VOLT_OK && i < 4; i++)
        *sum += (i + 1) * piece[i];
    fclose(stream);
    return status;
}

/* A column of numbers as text. */
static volt_status read_texts(const char *path, double *sum)
{
    char **texts = NULL, source[512];
    int64_t rows = 0;
    snprintf(source, sizeof source, "%s:2", path);
    volt_status status = volt_texts_read(source, &texts, &rows, NULL);
    for (int64_t i = 0; status == VOLT_OK && i < rows; i++)
        *sum += (double)(i + 1) * strtod(texts[i], NULL);
    volt_free(texts);
    return status;
}

static const scenario scenarios[] = {
    {"write a text", "old.txt", write_text, true},
    {"write a text through a link", "link.txt", write_text, true},
    {"write CSV", "old.csv", write_table, true},
    {"write NPY", "old.npy", write_table, true},
    {"write MAT", "old.mat", write_table, true},
    {"write safetensors", "old.safetensors", write_tensors, true},
    {"read a text", "text.txt", read_text, false},
    {"read a piece", "text.txt", read_piece, false},
    {"read CSV", "in.csv", read_table, false},
    {"read CSV with a header and times", "dated.csv", read_table, false},
    {"read NPY", "in.npy", read_table, false},
    {"read NPY without its extension", "npy", read_table, false},
    {"read a column of NPY as texts", "in.npy", read_texts, false},
    {"read a column of CSV as texts", "in.csv", read_texts, false},
    {"read NPY of columns", "columns.npy", read_table, false},
    {"read safetensors", "in.safetensors", read_tensors, false},
    {"read series of NPY", "in.npy", read_series, false},
    {"read series of text", "in.ts", read_series, false},
    {"read series of CSV", "long.csv", read_series, false},
    {"check MAT", "in.mat", check_mat, false},
    {"check compressed MAT", "compressed.mat", check_mat, false},
    {"check MAT 7.3", "v73.mat", check_mat, false},
};
enum { N_SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* Files that the library does not write itself. */
static void unpack_mat_files(void)
{
    FILE *archive = fopen("tests/fuzz/corpus/mat.tar", "rb");
    char name[ARCHIVE_NAME + 1];
    uint8_t *bytes;
    size_t size;
    int count = 0;
    assert_non_null(archive);
    while (archive_next(archive, name, &bytes, &size) > 0) {
        if (strcmp(name, "compressed.mat") == 0 || strcmp(name, "v73.mat") == 0) {
            scratch_write(name, bytes, size);
            count++;
        }
        free(bytes);
    }
    fclose(archive);
    assert_int_equal(count, 2);
}

static int make_files(void **state)
{
    static const char columns[] =
        "\x93NUMPY\x01\0?\0{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }\n";
    enum { LENGTH = sizeof columns - 1 };
    char fortran[LENGTH + sizeof numbers];
    memcpy(fortran, columns, LENGTH);
    fortran[8] = LENGTH - 10; /* for the dictionary */
    memcpy(fortran + LENGTH, numbers, sizeof numbers);
    scratch_write("columns.npy", fortran, sizeof fortran);
    scratch_write_text("text.txt", "a text of some length");
    scratch_write_text("in.ts", "@univariate true\n@classLabel true a b\n@data\n1,2,1:a\n2,1,1:b\n");
    scratch_write_text("long.csv", "series,u\na,1\na,2\nb,3\n");
    scratch_write_text("dated.csv", "day,time,u,,v\n13/1/2020,1:00,1,2,3\n13/1/2020,2:00,4,5,6\n");
    check_ok(write_table(scratch_path("in.csv"), NULL));
    check_ok(write_table(scratch_path("in.npy"), NULL));
    check_ok(write_table(scratch_path("in.mat"), NULL));
    check_ok(write_tensors(scratch_path("in.safetensors"), NULL));
    check_ok(write_table(scratch_path("npy.npy"), NULL));
    assert_int_equal(rename(scratch_path("npy.npy"), scratch_path("npy")), 0);
    unpack_mat_files();
    return symlink("old.txt", scratch_path("link.txt"));
}

/* ---- one call fails --------------------------------------------------------------------------- */

static int open_files(void)
{
    int count = 0;
    DIR *files = opendir("/proc/self/fd");
    while (files && readdir(files))
        count++;
    if (files)
        closedir(files);
    return count;
}

/* The outcome of the call sequence with the k-th call of `function` failing. */
typedef struct outcome {
    volt_status status;
    double sum;
    bool hit;
} outcome;

static outcome disturbed(const scenario *trip, const char *path, const char *function, int64_t k, int reason)
{
    outcome out = {.sum = 0};
    int before = open_files(), files = scratch_count();
    failing_alloc_start(0);
    if (function)
        failing_function_start(function, k, reason);
    out.status = trip->run(path, &out.sum);
    if (function)
        out.hit = failing_function_stop();
    int64_t live = failing_alloc_live();
    failing_alloc_stop();
    if (live != 0 || open_files() != before || scratch_count() != files)
        fail_msg("%s, call %d of %s fails: %d blocks, %d descriptors, %d files stay", trip->name, (int)k,
                 function ? function : "nothing", (int)live, open_files() - before, scratch_count() - files);
    return out;
}

static char *content(const char *path)
{
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    assert_non_null(bytes);
    return bytes;
}

static const char *path_of(const scenario *trip)
{
    const char *path = scratch_path(trip->file);
    if (trip->writes)
        scratch_write_text(trip->file, "old");
    return path;
}

static void check_scenario(const scenario *trip, const char *function, int reason, int64_t hits[])
{
    const char *path = path_of(trip);
    outcome whole = disturbed(trip, path, NULL, 0, 0);
    check_ok(whole.status);
    for (int64_t k = 1;; k++) {
        path = path_of(trip);
        outcome out = disturbed(trip, path, function, k, reason);
        if (!out.hit) {
            check_ok(out.status);
            break;
        }
        hits[out.status != VOLT_OK]++;
        if (out.status == VOLT_OK && !trip->writes && out.sum != whole.sum)
            fail_msg("%s, call %d of %s fails: %g was read, not %g", trip->name, (int)k, function, out.sum,
                     whole.sum);
        /* memory errors do not name the file */
        const char *said = out.status == VOLT_ERR_MEMORY ? "" : trip->file;
        if (out.status != VOLT_OK && (!*volt_error_detail() || !strstr(volt_error_detail(), said)))
            fail_msg("%s, call %d of %s fails: the sentence is '%s'", trip->name, (int)k, function,
                     volt_error_detail());
        if (trip->writes) {
            char *found = content(path);
            assert_int_equal(strcmp(found, "old") == 0, out.status != VOLT_OK);
            free(found);
            if (out.status != VOLT_OK) /* the message reports a full disk */
                check_fails(out.status, VOLT_ERR_IO, strerror(reason ? reason : ENAMETOOLONG));
        }
        outcome again = disturbed(trip, path, NULL, 0, 0);
        check_ok(again.status);
        assert_true(again.sum == whole.sum);
    }
    if (trip->writes)
        unlink(path_of(trip));
    if (strcmp(trip->file, "link.txt") == 0)
        assert_int_equal(symlink("old.txt", scratch_path("link.txt")), 0);
}

/* `fails`: some sequence fails; `passes`: some sequence succeeds. The calls depend on the C library, so
 * neither is required of functions that it may call under another name. */
static const struct {
    const char *function;
    int reason;
    bool fails, passes;
} cases[] = {
    {"open", EACCES, true, true},
    {"open", EEXIST, false, true},
    {"fopen", EMFILE, true, false},
    {"fdopen", ENOMEM, true, false},
    {"fcntl", EMFILE, true, false},
    {"fclose", EIO, true, true},
    {"close", EIO, false, true},
    {"fflush", ENOSPC, true, false},
    {"fsync", EIO, true, true},
    {"fsync", EINVAL, false, true},
    {"fsync", ENOTSUP, false, true},
    {"fsync", EROFS, false, true},
    {"fchmod", EPERM, true, false},
    {"rename", EXDEV, true, false},
    {"flock", ENOLCK, false, true},
    {"flock", EINTR, false, true},
    {"flock", EWOULDBLOCK, false, true},
    {"opendir", EACCES, false, true},
    {"fstat", EIO, false, false},
    {"fseek", EIO, false, false},
    {"fseeko", EIO, false, false},
    {"fread", EIO, false, false},
    {"fread", 0, false, false},
    {"pread", EIO, true, false},
    {"pread", EINTR, false, true},
    {"pread", 0, false, true},
    {"readlink", EIO, true, false},
    {"readlink", 0, true, false},
    {"csv_init", ENOMEM, true, false},
    {"csv_parse", ENOMEM, true, false},
    {"inflateInit_", ENOMEM, true, false},
};

static void every_call_may_fail(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t hits[2] = {0, 0};
        for (int j = 0; j < N_SCENARIOS; j++)
            check_scenario(&scenarios[j], cases[i].function, cases[i].reason, hits);
        if ((cases[i].fails && hits[1] == 0) || (cases[i].passes && hits[0] == 0))
            fail_msg("%s with errno %d: %d scenarios continued, %d failed", cases[i].function, cases[i].reason,
                     (int)hits[0], (int)hits[1]);
    }
}

/* Unread data in a stream are not mistaken for the end of the file. */
static void read_error_is_not_end_of_file(void **state)
{
    char *text = NULL;
    failing_function_start("fread", 1, EIO);
    volt_status status = volt_text_read(scratch_path("text.txt"), &text);
    if (failing_function_stop())
        check_fails(status, VOLT_ERR_IO, strerror(EIO));
    volt_free(text);
}

/* ---- one allocation fails --------------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    for (int j = 0; j < N_SCENARIOS; j++) {
        const scenario *trip = &scenarios[j];
        double whole = 0;
        const char *path = path_of(trip);
        check_ok(trip->run(path, &whole));
        for (int64_t k = 1;; k++) {
            double sum = 0;
            path = path_of(trip);
            int before = open_files(), files = scratch_count();
            failing_alloc_start(k);
            volt_status status = trip->run(path, &sum);
            int hit = failing_alloc_hit();
            int64_t live = failing_alloc_live();
            failing_alloc_stop();
            if (live != 0 || open_files() != before || scratch_count() != files)
                fail_msg("%s: allocation %d fails, and %d blocks, %d descriptors, %d files stay", trip->name,
                         (int)k, (int)live, open_files() - before, scratch_count() - files);
            if (status != VOLT_OK) /* the folder sync may fail */
                assert_int_equal(status, VOLT_ERR_MEMORY);
            else if (!trip->writes)
                assert_true(sum == whole);
            if (trip->writes) {
                char *found = content(path);
                assert_int_equal(strcmp(found, "old") == 0, status != VOLT_OK);
                free(found);
            } else {
                assert_int_equal(status != VOLT_OK, hit);
            }
            if (!hit)
                break;
        }
        if (trip->writes)
            unlink(path_of(trip));
        if (strcmp(trip->file, "link.txt") == 0)
            assert_int_equal(symlink("old.txt", scratch_path("link.txt")), 0);
    }
}

/* matio is loaded with the first MATLAB file. */
static void a_missing_matio_is_reported(void **state)
{
    double sum = 0;
    failing_function_start("dlopen", 1, ENOENT);
    volt_status status = read_table(scratch_path("in.mat"), &sum);
    if (!failing_function_stop())
        skip(); /* linked to matio, or built without it */
    check_fails(status, VOLT_ERR_FORMAT, "matio");
    assert_non_null(strstr(volt_error_detail(), "in.mat"));
    check_ok(read_table(scratch_path("in.mat"), &sum));
    assert_true(sum != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(read_error_is_not_end_of_file),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_missing_matio_is_reported),
    };
    return cmocka_run_group_tests_name("file_failures", tests, make_files, NULL);
}
