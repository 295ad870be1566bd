/* tests/fuzz/fuzz_column_texts.c: libFuzzer target for text columns and class labels.
 *
 * Record names and series labels are read by this code. Every row has a text. The classes are sorted and
 * unique, and every text belongs to one class. */
#include "fuzz/fuzz_input.h"

#include "files/class_names.h"
#include "io/csv/csv.h"

#include <string.h>

static void check_classes(char **texts, int64_t rows)
{
    volt_collection collection = {.count = rows, .channels = 1};
    labelled_series series = {.source = "labels", .collection = &collection, .labels = texts};
    class_names classes = {0};
    int64_t *numbers = NULL, *again = NULL, total = 0;
    FUZZ_CHECK(class_names_read(&classes, &series, &numbers) == 0);
    FUZZ_CHECK(class_numbers(&classes, &series, &again) == 0);
    FUZZ_CHECK(classes.count >= 1 && classes.count <= rows);
    for (int64_t i = 0; i < rows; i++) {
        FUZZ_CHECK(numbers[i] >= 0 && numbers[i] < classes.count);
        FUZZ_CHECK(numbers[i] == again[i] && strcmp(classes.names[numbers[i]], texts[i]) == 0);
    }
    for (int64_t k = 0; k < classes.count; k++) {
        int64_t members = class_count(numbers, rows, k);
        FUZZ_CHECK(members >= 1);
        total += members;
    }
    FUZZ_CHECK(total == rows);
    free(numbers);
    free(again);
    class_names_release(&classes);
}

static void read_column(const char *path, const char *selection)
{
    char **texts = NULL;
    int64_t rows = 0;
    if (volt_csv_column_texts(path, selection, &texts, &rows)) {
        FUZZ_CHECK(!texts && *volt_error_detail());
        return;
    }
    FUZZ_CHECK(rows >= 1);
    for (int64_t i = 0; i < rows; i++)
        FUZZ_CHECK(*texts[i]);
    check_classes(texts, rows);
    volt_free(texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > 1 << 12)
        return 0;
    const char *path = fuzz_input_path(bytes, size);
    read_column(path, NULL);
    read_column(path, "series");
    read_column(path, "2");
    return 0;
}
