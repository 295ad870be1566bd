/* cli/files/explained.c: Volterra kernels and variance shares of a model, as JSON and as tables.
 *
 * The table of a kernel of order p has one row per non-decreasing tuple of lags and one column per output
 * and tuple of inputs. */
#include "files/explained.h"

#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------ */

/* Returns the input names and "y[-1]" for every fed-back output, in one block that starts with the pointers. */
static const char **all_inputs(const volt_model_info *info, const char *const *outputs)
{
    enum { BEHIND = 8 };
    const char **own = input_names(info);
    size_t count = (size_t)info->expansion_inputs, bytes = 0;
    for (int64_t k = 0; k < info->q; k++)
        bytes += strlen(outputs[k]) + BEHIND;
    for (int64_t j = 0; own && j < info->d; j++)
        bytes += strlen(own[j]) + 1;
    const char **names = own ? malloc(count * sizeof *names + bytes) : NULL;
    char *at = names ? (char *)(names + count) : NULL;
    for (size_t j = 0; names && j < count; j++) {
        names[j] = at;
        bool is_own = (int64_t)j < info->d;
        at += sprintf(at, is_own ? "%s" : "%s[-1]", is_own ? own[j] : outputs[(int64_t)j - info->d]) + 1;
    }
    output_names_free(own);
    return names;
}

int explained_name(explained *shown)
{
    shown->outputs = output_names(&shown->info);
    shown->inputs = shown->outputs ? all_inputs(&shown->info, shown->outputs) : NULL;
    return shown->inputs ? 0 : complain(EXIT_FAILED, "not enough memory for the names");
}

void explained_release(explained *shown)
{
    output_names_free(shown->inputs);
    output_names_free(shown->outputs);
    free(shown->parts.data);
}

const char *explained_order(const explained *shown, int64_t number, char name[ORDER_NAME_LENGTH])
{
    if (number >= shown->series->share_orders)
        return strcpy(name, "higher");
    snprintf(name, ORDER_NAME_LENGTH, "order%" PRId64, number + 1);
    return name;
}

const char *explained_path(const char *prefix, const char *what, char path[EXPLAINED_PATH])
{
    snprintf(path, EXPLAINED_PATH, "%s.%s", prefix, what);
    return path;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* Nested lists of numbers with dimensions sizes[0] x sizes[1] x ... */
static json_t *nested(json_build *build, const double *numbers, const int64_t *sizes, int depth)
{
    int64_t step = 1;
    for (int i = 1; i < depth; i++)
        step *= sizes[i];
    json_t *list = build_array(build);
    for (int64_t i = 0; i < sizes[0]; i++)
        build_append(build, list,
                     depth == 1 ? build_number(build, numbers[i])
                                : nested(build, numbers + i * step, sizes + 1, depth - 1));
    return list;
}

static json_t *texts(json_build *build, const char *const *names, int64_t count)
{
    json_t *list = build_array(build);
    for (int64_t i = 0; i < count; i++)
        build_append(build, list, build_text(build, names[i]));
    return list;
}

/* {"order1": ..., "higher": ...} for output k; k < 0: the mean over outputs. */
static json_t *by_order(json_build *build, const explained *shown, const double *numbers, int64_t k)
{
    const volt_explanation *e = shown->series;
    int64_t orders = e->share_orders + 1;
    char name[ORDER_NAME_LENGTH];
    json_t *object = build_object(build);
    for (int64_t p = 0; p < orders; p++) {
        double sum = 0;
        for (int64_t i = k < 0 ? 0 : k; i < (k < 0 ? e->q : k + 1); i++)
            sum += numbers[i * orders + p];
        build_set(build, object, explained_order(shown, p, name),
                  build_number(build, k < 0 ? sum / (double)e->q : sum));
    }
    return object;
}

/* Sets the mean over outputs under `key` and the values of each output under `each_key`. */
static void set_shares(json_build *build, const explained *shown, const char *key, const char *each_key,
                       const double *numbers, json_t *object)
{
    json_t *list = build_array(build);
    for (int64_t k = 0; k < shown->series->q; k++)
        build_append(build, list, by_order(build, shown, numbers, k));
    build_set(build, object, key, by_order(build, shown, numbers, -1));
    build_set(build, object, each_key, list);
}

int explained_print_json(const explained *shown)
{
    const volt_explanation *e = shown->series;
    json_build build = {0};
    json_t *object = build_object(&build);
    build_set(&build, object, "kernel", build_text(&build, shown->info.kernel));
    build_fields(&build, object, volt_explanation, e, "lags order about g0 memory");
    build_set(&build, object, "about", build_text(&build, shown->about));
    build_set(&build, object, "inputs", texts(&build, shown->inputs, e->d));
    build_set(&build, object, "outputs", texts(&build, shown->outputs, e->q));
    for (int p = 1; p <= e->order; p++) {
        int64_t sizes[1 + 2 * VOLT_EXPLAIN_ORDERS] = {e->q};
        char name[] = {'g', (char)('0' + p), '\0'};
        for (int j = 0; j < p; j++) {
            sizes[1 + j] = e->lags;
            sizes[1 + p + j] = e->d;
        }
        build_set(&build, object, name, nested(&build, e->kernels[p - 1], sizes, 1 + 2 * p));
    }
    if (e->g1_std)
        build_set(&build, object, "g1_std", nested(&build, e->g1_std, (int64_t[]){e->q, e->lags, e->d}, 3));
    if (e->shares) {
        set_shares(&build, shown, "shares", "shares_by_output", e->shares, object);
        set_shares(&build, shown, "variances", "variances_by_output", e->variances, object);
    }
    return build_print(&build, object, JSON_INDENT(2));
}

/* ---- tables ----------------------------------------------------------------------------------- */

/* Column names, each in its own allocation. */
typedef struct column_list {
    char **names;
    int64_t count, most;
} column_list;

static bool columns_create(column_list *columns, int64_t most)
{
    *columns = (column_list){.names = calloc((size_t)most, sizeof(char *)), .most = most};
    return columns->names != NULL;
}

static void columns_release(column_list *columns)
{
    for (int64_t i = 0; columns->names && i < columns->count; i++)
        free(columns->names[i]);
    free((void *)columns->names);
}

static bool columns_add(column_list *columns, const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy)
        columns->names[columns->count++] = strcpy(copy, text);
    return copy != NULL;
}

/* Adds the column "y:x1*x2" for output k. `inputs` encodes the tuple of inputs. */
static bool add_kernel_column(const explained *shown, int p, int64_t k, int64_t inputs, const char *behind,
                              column_list *columns)
{
    enum { MAX_TEXT = 1024 };
    const volt_explanation *e = shown->series;
    char text[MAX_TEXT];
    int64_t divisor = 1;
    for (int j = 1; j < p; j++)
        divisor *= e->d;
    size_t used = (size_t)snprintf(text, sizeof text, "%s", shown->outputs[k]);
    for (int j = 0; j < p && used<sizeof text; j++, divisor = divisor> 1 ? divisor / e->d : 1)
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%s", j ? '*' : ':',
                                 shown->inputs[inputs / divisor % e->d]);
    if (used < sizeof text)
        snprintf(text + used, sizeof text - used, "%s", behind);
    return columns_add(columns, text);
}

static int64_t power(int64_t base, int p)
{
    int64_t product = 1;
    while (p-- > 0)
        product *= base;
    return product;
}

/* Advances to the next non-decreasing tuple of lags, the last lag fastest. Returns false after the last
 * tuple. */
static bool next_lags(int p, int64_t lags, int64_t *lag)
{
    for (int j = p - 1; j >= 0; j--)
        if (lag[j] + 1 < lags) {
            lag[j]++;
            for (int i = j + 1; i < p; i++)
                lag[i] = lag[j];
            return true;
        }
    return false;
}

/* Writes the kernel of order p. For order 1, each column is followed by its standard deviations. */
static int write_kernel(const explained *shown, int p, const char *path)
{
    const volt_explanation *e = shown->series;
    int64_t choices = power(e->d, p), rows = 0, lag[VOLT_EXPLAIN_ORDERS] = {0},
            each = p == 1 && e->g1_std ? 2 : 1;
    do
        rows++;
    while (next_lags(p, e->lags, lag));
    volt_matrix table = {0};
    column_list columns;
    bool has_names = columns_create(&columns, p + each * e->q * choices);
    for (int j = 0; has_names && j < p; j++) {
        char text[] = {'l', 'a', 'g', p > 1 ? (char)('1' + j) : '\0', '\0'};
        has_names = columns_add(&columns, text);
    }
    for (int64_t i = 0; has_names && i < e->q * choices; i++) {
        has_names = add_kernel_column(shown, p, i / choices, i % choices, "", &columns);
        if (has_names && each == 2)
            has_names = add_kernel_column(shown, p, i / choices, i % choices, ".std", &columns);
    }
    int failed = has_names ? allocate_matrix(rows, columns.count, "the kernel", &table)
                           : complain(EXIT_FAILED, "not enough memory for the names of the columns");
    memset(lag, 0, sizeof lag);
    for (int64_t r = 0; !failed && r < rows; r++, next_lags(p, e->lags, lag)) {
        double *to = table.data + r * table.ld;
        int64_t at = 0;
        for (int j = 0; j < p; j++) {
            *to++ = (double)lag[j];
            at = at * e->lags + lag[j];
        }
        for (int64_t i = 0; i < e->q * choices; i++) {
            int64_t place = (i / choices * power(e->lags, p) + at) * choices + i % choices;
            *to++ = e->kernels[p - 1][place];
            if (each == 2)
                *to++ = e->g1_std[place];
        }
    }
    if (!failed)
        failed = output_matrix(path, volt_as_view(table), (const char *const *)columns.names, false);
    free(table.data);
    columns_release(&columns);
    return failed;
}

/* Writes one row per output. */
static int write_shares(const explained *shown, const char *path)
{
    const volt_explanation *e = shown->series;
    int64_t orders = e->shares ? e->share_orders + 1 : 0;
    char name[ORDER_NAME_LENGTH], text[ORDER_NAME_LENGTH + 16];
    volt_matrix table = {0};
    column_list columns;
    bool has_names = columns_create(&columns, 3 + 2 * orders) && columns_add(&columns, "output") &&
                     columns_add(&columns, "g0") && columns_add(&columns, "memory");
    for (int64_t i = 0; has_names && i < 2 * orders; i++) {
        snprintf(text, sizeof text, "%s.%s", i < orders ? "share" : "variance",
                 explained_order(shown, i % orders, name));
        has_names = columns_add(&columns, text);
    }
    int failed = has_names ? allocate_matrix(e->q, columns.count, "the shares", &table)
                           : complain(EXIT_FAILED, "not enough memory for the names of the columns");
    for (int64_t k = 0; !failed && k < e->q; k++) {
        double *to = table.data + k * table.ld;
        *to++ = (double)(k + 1);
        *to++ = e->g0[k];
        *to++ = (double)e->memory[k];
        for (int64_t i = 0; i < 2 * orders; i++)
            *to++ = (i < orders ? e->shares : e->variances)[k * orders + i % orders];
    }
    if (!failed)
        failed = output_matrix(path, volt_as_view(table), (const char *const *)columns.names, false);
    free(table.data);
    columns_release(&columns);
    return failed;
}

/* Writes the contributions of the orders to the predictions on other rows. */
static int write_parts(const explained *shown, const char *path)
{
    int64_t q = shown->series->q, each = shown->parts.cols / q;
    column_list columns;
    bool has_names = columns_create(&columns, shown->parts.cols);
    for (int64_t i = 0; has_names && i < shown->parts.cols; i++) {
        char text[1024];
        if (i % each + 1 < each)
            snprintf(text, sizeof text, "%s.order%" PRId64, shown->outputs[i / each], i % each);
        else
            snprintf(text, sizeof text, "%s.higher", shown->outputs[i / each]);
        has_names = columns_add(&columns, text);
    }
    int failed =
        has_names ? output_matrix(path, volt_as_view(shown->parts), (const char *const *)columns.names, false)
                  : complain(EXIT_FAILED, "not enough memory for the names of the columns");
    columns_release(&columns);
    return failed;
}

int explained_write_tables(const explained *shown, const char *prefix, const char *extension)
{
    char path[EXPLAINED_PATH], what[16];
    int failed = 0;
    for (int p = 1; !failed && p <= shown->series->order; p++) {
        snprintf(what, sizeof what, "g%d.%s", p, extension);
        failed = write_kernel(shown, p, explained_path(prefix, what, path));
    }
    snprintf(what, sizeof what, "shares.%s", extension);
    if (!failed)
        failed = write_shares(shown, explained_path(prefix, what, path));
    snprintf(what, sizeof what, "orders.%s", extension);
    if (!failed && shown->parts.data)
        failed = write_parts(shown, explained_path(prefix, what, path));
    return failed;
}
