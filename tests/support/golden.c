/* tests/support/golden.c: expected figures from JSON files (Jansson). */
#include "support/golden.h"
#include "support/check.h"

#include <jansson.h>

#ifndef GOLDEN_DIR
#error "GOLDEN_DIR is the directory of the golden files, defined by the build"
#endif

struct golden {
    char name[128];
    json_t *root;
    double **arrays; /* what golden_array_of handed out */
    size_t n_arrays;
};

golden *golden_load(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.json", GOLDEN_DIR, name);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        fail_msg("%s: line %d: %s", path, error.line, error.text);

    golden *file = calloc(1, sizeof *file);
    assert_non_null(file);
    snprintf(file->name, sizeof file->name, "%s", name);
    file->root = root;
    return file;
}

void golden_free(golden *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->n_arrays; i++)
        free(file->arrays[i]);
    free(file->arrays);
    json_decref(file->root);
    free(file);
}

/* ---- paths ------------------------------------------------------------------------------------ */

/* Follow `path` from `node`. Longer keys are tried first, so that a key such as "sigma_0.5" is found. */
static json_t *follow(json_t *node, const char *path)
{
    if (json_is_array(node)) {
        char *end = NULL;
        unsigned long long index = strtoull(path, &end, 10);
        json_t *child = end > path ? json_array_get(node, (size_t)index) : NULL;
        if (!child || *end == '\0')
            return child;
        return *end == '.' ? follow(child, end + 1) : NULL;
    }
    if (!json_is_object(node))
        return NULL;

    json_t *whole = json_object_get(node, path);
    if (whole)
        return whole;
    size_t length = strlen(path);
    while (length > 0) {
        length--;
        if (path[length] != '.')
            continue;
        char key[256];
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json_t *child = json_object_get(node, key);
        json_t *found = child ? follow(child, path + length + 1) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static json_t *find(golden *file, const char *path)
{
    json_t *node = follow(file->root, path);
    if (!node)
        fail_msg("%s.json has no %s", file->name, path);
    return node;
}

bool golden_has(golden *file, const char *path)
{
    return follow(file->root, path) != NULL;
}

double golden_number(golden *file, const char *path)
{
    json_t *node = find(file, path);
    if (!json_is_number(node))
        fail_msg("%s.json: %s is not a number", file->name, path);
    return json_number_value(node);
}

bool golden_flag(golden *file, const char *path)
{
    json_t *node = find(file, path);
    if (!json_is_boolean(node))
        fail_msg("%s.json: %s is neither true nor false", file->name, path);
    return json_is_true(node);
}

const char *golden_text(golden *file, const char *path)
{
    const char *text = json_string_value(find(file, path));
    if (!text)
        fail_msg("%s.json: %s is not a string", file->name, path);
    return text;
}

int64_t golden_length(golden *file, const char *path)
{
    json_t *node = find(file, path);
    if (!json_is_array(node) && !json_is_object(node))
        fail_msg("%s.json: %s is neither an array nor an object", file->name, path);
    return (int64_t)(json_is_array(node) ? json_array_size(node) : json_object_size(node));
}

double golden_tol(golden *file, const char *field)
{
    char path[256];
    snprintf(path, sizeof path, "tol_by_field.%s", field);
    return golden_number(file, golden_has(file, path) ? path : "tol");
}

/* ---- arrays ----------------------------------------------------------------------------------- */

/* Copy `node`, which is `depth` levels deep, to *next and step it on; false when it is not of `shape`. */
static bool flatten(const json_t *node, const int64_t *shape, int depth, double **next)
{
    if (depth == 0) {
        if (!json_is_number(node))
            return false;
        *(*next)++ = json_number_value(node);
        return true;
    }
    if (!json_is_array(node) || (int64_t)json_array_size(node) != shape[0])
        return false;
    for (size_t i = 0; i < json_array_size(node); i++)
        if (!flatten(json_array_get(node, i), shape + 1, depth - 1, next))
            return false;
    return true;
}

golden_array golden_array_of(golden *file, const char *path)
{
    json_t *node = find(file, path);
    golden_array array = {.count = 1};
    for (const json_t *level = node; json_is_array(level); level = json_array_get(level, 0)) {
        if (array.depth == GOLDEN_MAX_DEPTH)
            fail_msg("%s.json: %s is more than %d levels deep", file->name, path, GOLDEN_MAX_DEPTH);
        array.shape[array.depth] = (int64_t)json_array_size(level);
        array.count *= array.shape[array.depth++];
    }
    if (array.depth == 0)
        fail_msg("%s.json: %s is not an array", file->name, path);
    array.rows = array.shape[0];
    array.cols = array.depth > 1 ? array.shape[1] : 1;

    double **arrays = realloc(file->arrays, (file->n_arrays + 1) * sizeof *arrays);
    assert_non_null(arrays);
    file->arrays = arrays;
    array.data = malloc((size_t)(array.count > 0 ? array.count : 1) * sizeof *array.data);
    assert_non_null(array.data);
    file->arrays[file->n_arrays++] = array.data;

    double *next = array.data;
    if (!flatten(node, array.shape, array.depth, &next))
        fail_msg("%s.json: %s is not a rectangular array of numbers", file->name, path);
    return array;
}

/* ---- comparison ------------------------------------------------------------------------------- */

void golden_check(const char *name, const double *expected, const double *actual, int64_t count, double tol,
                  golden_how how)
{
    static const char *const unit[] = {"of max|expected|", "relative", "absolute"};
    if (count < 1)
        fail_msg("%s: nothing to compare", name);
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(expected[i]));

    int64_t worst = 0;
    double worst_error = -1;
    for (int64_t i = 0; i < count; i++) {
        double error = fabs(actual[i] - expected[i]);
        double scale = how == GOLDEN_MAX_NORM ? largest : how == GOLDEN_RELATIVE ? fabs(expected[i]) : 1;
        if (error > 0)
            error /= scale; /* infinite where the truth is 0 and the value is not */
        if (isnan(error))
            error = INFINITY;
        if (error > worst_error) {
            worst_error = error;
            worst = i;
        }
    }
    if (!(worst_error <= tol))
        fail_msg("%s[%" PRId64 "] of %" PRId64 " is %.17g, expected %.17g: error %.3g %s, tolerance %.3g", name,
                 worst, count, actual[worst], expected[worst], worst_error, unit[how], tol);
}

void golden_check_number(const char *name, double expected, double actual, double tol, golden_how how)
{
    golden_check(name, &expected, &actual, 1, tol, how);
}
