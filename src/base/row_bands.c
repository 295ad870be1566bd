/* src/base/row_bands.c: which rows a process has. */
#include "base/row_bands.h"

#include "base/numbers.h"

#include <stddef.h>

static void leave_alone(double *numbers, int64_t count)
{
    (void)numbers;
    (void)count;
}

static const volt_bands alone = {.parts = 1, .sum = leave_alone};
static _Thread_local const volt_bands *current;

void volt_bands_use(const volt_bands *bands)
{
    current = bands;
}

const volt_bands *volt_bands_current(void)
{
    return current ? current : &alone;
}

void volt_bands_rows(const volt_bands *bands, int64_t begin, int64_t end, int64_t block, int64_t *first,
                     int64_t *last)
{
    int64_t blocks = (volt_max(end - begin, 0) + block - 1) / block;
    *first = volt_min(begin + blocks * bands->part / bands->parts * block, end);
    *last = volt_min(begin + blocks * (bands->part + 1) / bands->parts * block, end);
    *last = volt_max(*first, *last);
}
