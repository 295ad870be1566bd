/* cli/commands/identify_table.h: results of `identify` as a table or JSON. */
#ifndef CLI_IDENTIFY_TABLE_H
#define CLI_IDENTIFY_TABLE_H

#include "files/inputs.h"
#include "files/outputs.h"
#include "page/identify_page.h"
#include "volterra.h"

#include <stdbool.h>

typedef struct identify_table {
    const volt_identification *found;
    const dataset *x, *y;
    const volt_output_test *output_tests; /* one for each column of y */
    const char *model, *page;             /* files; page: of `report` */
    const char *command;                  /* fits the same model */
    const identify_report *report;        /* NULL: no page */
} identify_table;

/* Prints the results. Returns the exit status. */
int identify_table_print(const identify_table *table, bool json);

/* Writes rows first .. first + count - 1 of the data as rows of the file, "A:B", and returns the text. */
const char *identify_file_rows(const dataset *x, int64_t first, int64_t count, char text[QUANTITY_LENGTH]);

#endif
