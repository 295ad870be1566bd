/* cli/files/record_list.c: derive records from a column of names. */
#include "files/record_list.h"

#include "terminal/messages.h"

#include <stdlib.h>
#include <string.h>

/* The first row of a contiguous block with one name. */
typedef struct record_start {
    const char *name;
    int64_t row;
} record_start;

static int compare_starts(const void *first, const void *second)
{
    const record_start *a = first, *b = second;
    int order = strcmp(a->name, b->name);
    return order ? order : a->row < b->row ? -1 : 1;
}

/* Rejects a record whose rows are not contiguous, at the earliest such row. */
static int check_together(const record_list *list, const char *source, const dataset *data)
{
    record_start *starts = malloc((size_t)list->n * sizeof *starts + 1);
    if (!starts)
        return complain(EXIT_FAILED, "not enough memory for the records of %s", source);
    for (int64_t r = 0, row = 0; r < list->n; row += list->lengths[r++])
        starts[r] = (record_start){list->names[r], row};
    qsort(starts, (size_t)list->n, sizeof *starts, compare_starts);
    const record_start *torn = NULL;
    for (int64_t r = 1; r < list->n; r++)
        if (strcmp(starts[r].name, starts[r - 1].name) == 0 && (!torn || starts[r].row < torn->row))
            torn = &starts[r];
    int failed = 0;
    if (torn)
        failed = complain(EXIT_FAILED,
                          "%s: row %lld (counted from 0) belongs to record '%.60s', which ended earlier: the "
                          "rows of a record must be consecutive",
                          source, (long long)data->table->row_numbers[torn->row], torn->name);
    free(starts);
    return failed;
}

static void find_records(record_list *list, int64_t rows)
{
    list->n = 0;
    for (int64_t i = 0; i < rows; i++) {
        bool begins = i == 0 || strcmp(list->of_row[i], list->of_row[i - 1]) != 0;
        if (begins) {
            list->names[list->n] = list->of_row[i];
            list->lengths[list->n++] = 0;
        }
        list->lengths[list->n - 1]++;
    }
}

int record_list_open(record_list *list, const char *source, const dataset *data)
{
    if (!source)
        return 0;
    if (strcmp(source, "-") == 0 && strcmp(data->source, "-") == 0)
        return complain(EXIT_USAGE, "--x and --series cannot both be read from standard input");
    return dataset_read_texts(&list->file, source, &list->texts);
}

int record_list_find(record_list *list, const dataset *data)
{
    const volt_table *table = list->file.table;
    int64_t rows = data->view.rows;
    if (!table)
        return 0;
    list->of_row = malloc((size_t)rows * sizeof *list->of_row + 1);
    list->names = malloc((size_t)rows * sizeof *list->names + 1);
    list->lengths = malloc((size_t)rows * sizeof *list->lengths + 1);
    if (!list->of_row || !list->names || !list->lengths)
        return complain(EXIT_FAILED, "not enough memory for the records of %s", list->file.source);
    for (int64_t i = 0; i < rows; i++)
        list->of_row[i] = list->texts[table->row_numbers[i]];
    find_records(list, rows);
    return check_together(list, list->file.source, data);
}

int record_list_read(record_list *list, const char *source, dataset *data, dataset *second)
{
    dataset none = {0};
    int failed = record_list_open(list, source, data);
    if (!failed)
        failed = dataset_align((dataset *const[]){data, second ? second : &none, &list->file}, 3);
    return failed ? failed : record_list_find(list, data);
}

volt_missing record_list_policy(const char *source, volt_missing missing)
{
    return source && missing == VOLT_MISSING_INTERPOLATE ? VOLT_MISSING_KEEP : missing;
}

int record_list_fill(const record_list *list, dataset *first, dataset *second, volt_missing missing)
{
    if (list->n == 0 || missing != VOLT_MISSING_INTERPOLATE)
        return 0;
    volt_status status = VOLT_OK;
    for (int i = 0; i < 2 && !status; i++) {
        dataset *data = i ? second : first;
        if (data && data->table) {
            status = volt_tables_clean(data->table, NULL, missing, list->lengths, list->n);
            if (status)
                return complain(EXIT_FAILED, "%s: %s", data->source,
                                status == VOLT_ERR_MEMORY ? volt_status_message(status) : volt_error_detail());
            dataset_mention_repairs(data);
        }
    }
    return 0;
}

void record_list_release(record_list *list)
{
    volt_free(list->texts);
    dataset_release(&list->file);
    free((void *)list->of_row);
    free((void *)list->names);
    free(list->lengths);
    memset(list, 0, sizeof *list);
}
