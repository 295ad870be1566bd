/* tests/support/golden.h: expected figures from JSON files, and how to compare with them.
 *
 *     golden *file = golden_load("volterra_gram_d1_p0");
 *     golden_array X = golden_array_of(file, "inputs.X");          X.rows x X.cols, row-major
 *     golden_array gram = golden_array_of(file, "expected.gram_xx");
 *     golden_check("gram_xx", gram.data, K, gram.count, golden_tol(file, "gram_xx"), GOLDEN_MAX_NORM);
 *     golden_free(file);                                           frees X and gram as well
 *
 * Every function ends the running cmocka test with a message when something is missing or wrong, so
 * that callers need no checks. */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>

enum { GOLDEN_MAX_DEPTH = 5 };

/* A nested array as flat doubles, the last index fastest. */
typedef struct golden_array {
    double *data;
    int64_t count; /* product of the shape */
    int depth;     /* levels of nesting: 1 for a vector, 2 for a matrix */
    int64_t shape[GOLDEN_MAX_DEPTH];
    int64_t rows, cols; /* shape[0] and shape[1]; cols = 1 for a vector */
} golden_array;

typedef struct golden golden;

/* Open <GOLDEN_DIR>/<name>.json. */
golden *golden_load(const char *name);

/* Close the file and free every array taken from it. NULL is fine. */
void golden_free(golden *file);

/* A path names the way through objects and arrays: "expected.rk4_at.500", "inputs.pairs.2.x" (an
 * index from 0 where it meets an array). A key that holds a dot itself is found as well. */
bool golden_has(golden *file, const char *path);
double golden_number(golden *file, const char *path);
bool golden_flag(golden *file, const char *path);
const char *golden_text(golden *file, const char *path);
int64_t golden_length(golden *file, const char *path); /* of the array or object there */

/* A rectangular array of numbers, of any depth up to GOLDEN_MAX_DEPTH. */
golden_array golden_array_of(golden *file, const char *path);

/* The tolerance of one expected field: tol_by_field.<field> if present, else tol. */
double golden_tol(golden *file, const char *field);

typedef enum golden_how {
    GOLDEN_MAX_NORM, /* |actual - expected| <= tol max|expected| over the whole array */
    GOLDEN_RELATIVE, /* |actual - expected| <= tol |expected| for each element */
    GOLDEN_ABSOLUTE  /* |actual - expected| <= tol */
} golden_how;

/* Fail the test unless all `count` numbers agree; the message gives the worst index, both values, the
 * error and the tolerance. A NaN never agrees. */
void golden_check(const char *name, const double *expected, const double *actual, int64_t count, double tol,
                  golden_how how);

/* The same for one number. */
void golden_check_number(const char *name, double expected, double actual, double tol, golden_how how);

#endif
