/* src/kernel/form.c: a resolved kernel as numbers alone. */
#include "kernel/form.h"

#include <string.h>

_Static_assert((int)VOLT_FORM_FACTORS == (int)VOLT_MOST_FACTORS, "as many factors");
_Static_assert((int)VOLT_FORM_STATE == (int)VOLT_MOST_STATE, "as many numbers of state");

static bool add_factor(const volt_resolved *resolved, int64_t slice, int64_t term, volt_kernel_form *form)
{
    const volt_scan *scan = &resolved->scan;
    if (!scan->step || scan->form.kind == VOLT_FORM_NONE)
        return false;
    volt_factor_form factor = {.step = scan->form,
                               .distance = scan->distance,
                               .state_size = scan->state_size,
                               .window = resolved->window,
                               .slice = slice,
                               .term = term};
    memcpy(factor.start, scan->start, sizeof factor.start);
    form->factor[form->n_factors++] = factor;
    return true;
}

bool volt_form_of(const volt_resolved *resolved, volt_kernel_form *form)
{
    memset(form, 0, sizeof *form);
    if (resolved->records) {
        form->n_records = resolved->records->rows.n;
        form->ends = resolved->records->rows.ends;
        resolved = &resolved->records->each;
    }
    const volt_sum *sum = resolved->sum;
    form->d = sum ? sum->d : resolved->d;
    form->weight[0] = 1;
    if (!sum)
        return add_factor(resolved, 0, 0, form);
    memcpy(form->weight, sum->weight, sizeof form->weight);
    bool known = true;
    for (int64_t f = 0; known && f < sum->n_factors; f++)
        known = add_factor(&sum->factor[f], sum->slice[f], sum->term[f], form);
    return known;
}
