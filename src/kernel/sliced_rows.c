/* src/kernel/sliced_rows.c: the rows of a sequence through the filters of a kernel. */
#include "kernel/sliced_rows.h"

#include "base/error.h"
#include "base/memory.h"

/* Each record through filters of its own. */
static volt_status filter_records(const volt_kernel *kernel, volt_view X, const volt_records *records,
                                  int64_t first, double *filtered)
{
    int64_t slices = volt_kernel_slices(kernel);
    for (int64_t i = 0, end = 0; i < X.rows; i = end) {
        end = volt_records_stretch(records, first + i, first + X.rows) - first;
        VOLT_TRY(volt_filter_rows(kernel->filters, slices, volt_view_rows(X, i, end - i),
                                  filtered + i * slices * X.cols));
    }
    return VOLT_OK;
}

volt_status volt_sliced_rows_make(const volt_kernel *kernel, volt_view X, const volt_records *records,
                                  int64_t first, const char *name, volt_sliced_rows *sliced)
{
    int64_t slices = volt_kernel_slices(kernel);
    volt_extent given; /* a value that is not finite is named as it was given */
    *sliced = (volt_sliced_rows){.rows = X};
    VOLT_TRY(volt_extent_of(X, name, &given));
    if (volt_kernel_filters(kernel)) {
        sliced->filtered = volt_alloc_doubles(X.rows, slices * X.cols);
        if (!sliced->filtered)
            return VOLT_ERR_MEMORY;
        VOLT_TRY(filter_records(kernel, X, records, first, sliced->filtered));
        sliced->rows = volt_view_of(sliced->filtered, X.rows, slices * X.cols);
    }
    return volt_extents_of(sliced->rows, slices, name, sliced->extents);
}

void volt_sliced_rows_release(volt_sliced_rows *sliced)
{
    volt_free(sliced->filtered);
    sliced->filtered = NULL;
}
