/* src/kernel/sliced_rows.c: the rows of a sequence through the filters of a kernel. */
#include "kernel/sliced_rows.h"

#include "base/error.h"
#include "base/memory.h"

volt_status volt_sliced_rows_make(const volt_kernel *kernel, volt_view X, const char *name,
                                  volt_sliced_rows *sliced)
{
    int64_t slices = volt_kernel_slices(kernel);
    volt_extent given; /* a value that is not finite is named as it was given */
    *sliced = (volt_sliced_rows){.rows = X};
    VOLT_TRY(volt_extent_of(X, name, &given));
    if (volt_kernel_filters(kernel)) {
        sliced->filtered = volt_alloc_doubles(X.rows, slices * X.cols);
        if (!sliced->filtered)
            return VOLT_ERR_MEMORY;
        VOLT_TRY(volt_filter_rows(kernel->filters, slices, X, sliced->filtered));
        sliced->rows = volt_view_of(sliced->filtered, X.rows, slices * X.cols);
    }
    return volt_extents_of(sliced->rows, slices, name, sliced->extents);
}

void volt_sliced_rows_release(volt_sliced_rows *sliced)
{
    volt_free(sliced->filtered);
    sliced->filtered = NULL;
}
