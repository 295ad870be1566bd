/* cli/terminal/matrix_json.c: a matrix as JSON. */
#include "terminal/matrix_json.h"

#include "terminal/json_build.h"

static json_t *json_row(json_build *build, volt_view values, int64_t i)
{
    json_t *row = build_array(build);
    for (int64_t j = 0; j < values.cols; j++)
        build_append(build, row, build_number(build, values.data[i * values.ld + j]));
    return row;
}

int print_matrix_json(volt_view values, const char *const *names, const char *const *times,
                      const char *extra_key, int64_t extra)
{
    json_build build = {0};
    json_t *object = build_object(&build), *rows = build_array(&build);
    if (names) {
        json_t *columns = build_array(&build);
        for (int64_t j = 0; j < values.cols; j++)
            build_append(&build, columns, build_text(&build, names[j]));
        build_set(&build, object, "columns", columns);
    }
    if (times) {
        json_t *list = build_array(&build);
        for (int64_t i = 0; i < values.rows; i++)
            build_append(&build, list, build_text(&build, times[i]));
        build_set(&build, object, "time", list);
    }
    if (extra_key)
        build_set(&build, object, extra_key, build_count(&build, extra));
    for (int64_t i = 0; i < values.rows; i++)
        build_append(&build, rows, json_row(&build, values, i));
    build_set(&build, object, "rows", rows);
    return build_print(&build, object, JSON_COMPACT);
}
