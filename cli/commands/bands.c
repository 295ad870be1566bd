/* cli/commands/bands.c: columns of prediction intervals and standard deviations. */
#include "commands/bands.h"

#include "files/inputs.h"
#include "terminal/messages.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bands_check(const number_list *levels)
{
    for (int c = 0; c < levels->count; c++)
        for (int earlier = 0; earlier < c; earlier++)
            if (levels->values[earlier] == levels->values[c])
                return complain(EXIT_USAGE, "--interval contains %g twice", levels->values[c]);
    return 0;
}

int64_t bands_columns(const band_request *request, int64_t q)
{
    return q * (2 * request->levels.count + request->std);
}

const char *bands_suffix(const band_request *request, int64_t c, char suffix[HEADER_LINE_END])
{
    if (c == 2 * request->levels.count)
        return strcpy(suffix, ".std");
    return header_line_end(request->levels.values[c / 2], c % 2, suffix);
}

void bands_fill(const band_request *request, volt_view forecast, volt_view half, volt_view std, volt_matrix out)
{
    int64_t count = request->levels.count;
    for (int64_t i = 0; i < forecast.rows; i++) {
        const double *widths = volt_view_rows(half, half.rows > 1 ? i : 0, 1).data;
        double *cell = out.data + i * out.ld;
        for (int64_t k = 0; k < forecast.cols; k++) {
            double y = forecast.data[i * forecast.ld + k];
            for (int64_t c = 0; c < count; c++) {
                *cell++ = y - widths[k * count + c];
                *cell++ = y + widths[k * count + c];
            }
            if (request->std)
                *cell++ = std.data[i * std.ld + k];
        }
    }
}

void bands_print(const band_request *request, int64_t q, const double *y, const double *half,
                 const char *unbounded)
{
    char number[VOLT_NUMBER_LENGTH];
    for (int64_t k = 0; k < q; k++)
        for (int64_t c = 0; c < 2 * request->levels.count; c++) {
            double width = half[c / 2 * q + k], end = y[k] + (c % 2 ? width : -width);
            putchar(',');
            fputs(isfinite(end) ? volt_format_number(end, number) : unbounded, stdout);
        }
}

int bands_of_model(const volt_model *model, const number_list *levels, volt_matrix *half)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_matrix by_level = {0};
    int64_t count = levels->count;
    volt_model_get_info(model, &info);
    int failed = allocate_matrix(1, info.q * count, "the intervals", half);
    if (!failed)
        failed = allocate_matrix(count, info.q, "the intervals", &by_level);
    if (!failed) {
        volt_status status = volt_model_interval(model, levels->values, count, by_level);
        failed = status ? complain_status(status) : 0;
    }
    for (int64_t k = 0; !failed && k < info.q; k++)
        for (int64_t c = 0; c < count; c++)
            half->data[k * count + c] = by_level.data[c * by_level.ld + k];
    free(by_level.data);
    return failed;
}
