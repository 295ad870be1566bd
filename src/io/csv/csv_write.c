/* src/io/csv/csv_write.c: writes CSV: a header, then one line per row, with numbers that parse to the same
 * value. */
#include "base/error.h"
#include "base/memory.h"
#include "io/csv/csv.h"
#include "text/text.h"

#include <string.h>

/* Quotes a name or label that the reader would otherwise split or trim; quotation marks in it are doubled. */
static void write_cell(volt_atomic_file *file, const char *name)
{
    size_t length = strlen(name);
    int is_padded = length > 0 && (strchr(" \t", name[0]) || strchr(" \t", name[length - 1]));
    if (!is_padded && !strpbrk(name, ",;\t\"\r\n")) {
        volt_atomic_write(file, name, length);
        return;
    }
    volt_atomic_write(file, "\"", 1);
    for (const char *c = name; *c; c++) {
        volt_atomic_write(file, c, 1);
        if (*c == '"')
            volt_atomic_write(file, c, 1);
    }
    volt_atomic_write(file, "\"", 1);
}

void volt_csv_write_header(volt_atomic_file *file, int64_t cols, const char *const *names,
                           const char *label_name)
{
    /* A header that contains only numbers would be read as data, so it is not written. */
    if (!names ||
        !(volt_cells_are_header(names, cols) || (label_name && volt_cells_are_header(&label_name, 1))))
        return;
    if (label_name) {
        write_cell(file, label_name);
        volt_atomic_write(file, ",", 1);
    }
    for (int64_t j = 0; j < cols; j++) {
        write_cell(file, names[j]);
        volt_atomic_write(file, j + 1 < cols ? "," : "\n", 1);
    }
}

void volt_csv_write_rows(volt_atomic_file *file, volt_view values, const char *const *labels)
{
    for (int64_t i = 0; i < values.rows && !file->failure; i++) {
        if (labels) {
            write_cell(file, labels[i]);
            volt_atomic_write(file, ",", 1);
        }
        for (int64_t j = 0; j < values.cols; j++) {
            char text[VOLT_NUMBER_LENGTH];
            volt_format_number(values.data[i * values.ld + j], text);
            volt_atomic_write(file, text, strlen(text));
            volt_atomic_write(file, j + 1 < values.cols ? "," : "\n", 1);
        }
    }
}
