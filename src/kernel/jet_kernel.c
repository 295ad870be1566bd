/* src/kernel/jet_kernel.c: the factors of a kernel as power series. */
#include "kernel/jet_kernel.h"

#include "base/error.h"
#include "kernel/kernel_entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "volterra, linear, ..." */
static const char *names_with_series(char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < volt_kernel_count() && used < capacity; i++)
        if (volt_kernel_table[i]->series)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? ", " : "",
                                     volt_kernel_table[i]->info.name);
    return text;
}

static volt_status check(const volt_kernel_entry *entry)
{
    char names[256];
    VOLT_REQUIRE(
        entry->series, VOLT_ERR_ARGUMENT,
        "kernel %s has no power series in the inputs here; these have: %s, and sums and products of them",
        entry->info.name, names_with_series(names, sizeof names));
    return VOLT_OK;
}

static void add_factor(const volt_kernel_entry *entry, const volt_resolved *resolved, int64_t slice,
                       double weight, volt_jet_kernel *made)
{
    made->factor[made->n_factors++] = (volt_jet_factor){.scan = &resolved->scan,
                                                        .series = entry->series,
                                                        .slice = slice,
                                                        .window = resolved->window,
                                                        .state = made->n_states,
                                                        .weight = weight};
    made->n_states += resolved->scan.state_size;
}

volt_status volt_jet_kernel_make(const volt_kernel *kernel, const volt_resolved *resolved,
                                 volt_jet_kernel *made)
{
    const volt_sum *sum = resolved->sum;
    const volt_resolved *alone = resolved->records ? &resolved->records->each : resolved;
    volt_jet_kernel fresh = {0};
    if (!sum) {
        VOLT_TRY(check(kernel->entry));
        add_factor(kernel->entry, alone, 0, 1, &fresh);
    }
    for (int64_t f = 0; sum && f < sum->n_factors; f++) {
        bool begins = f == 0 || sum->term[f - 1] != sum->term[f];
        VOLT_TRY(check(kernel->factors[f]->entry));
        add_factor(kernel->factors[f]->entry, &sum->factor[f], sum->slice[f],
                   begins ? sum->weight[sum->term[f]] : 0, &fresh);
    }
    *made = fresh;
    return VOLT_OK;
}

void volt_jet_local(const volt_jet_factor *factor, int64_t d, const double *x, const double *direction,
                    const double *w, double s[3])
{
    bool distance = factor->scan->distance;
    s[0] = s[1] = s[2] = 0;
    for (int64_t k = 0; k < d; k++) {
        double other = w ? w[k] : 0, move = direction ? direction[k] : 0;
        if (distance) {
            double gap = x[k] - other;
            s[0] += gap * gap;
            s[1] += 2 * move * gap;
            s[2] += move * move;
        } else {
            s[0] += x[k] * other;
            s[1] += move * other;
        }
    }
}

/* out <- weight x, in all variables of the space. */
static void begin_sum(const volt_jet_space *space, double weight, const volt_jet *x, volt_jet *out)
{
    bool is_whole = x->first == 0 && x->end == space->n && x->degree == space->order;
    if (is_whole && weight == 1) {
        volt_jet_copy(space, x, out);
        return;
    }
    volt_jet_set(space, NULL, 0, space->n, space->order, out);
    volt_jet_add(space, weight, x, out);
}

void volt_jet_join(const volt_jet_kernel *kernel, const volt_jet_workspace *workspace, volt_jet *factors,
                   volt_jet *out)
{
    const volt_jet_space *space = workspace->space;
    volt_jet *product = &workspace->spare[0];
    for (int64_t f = 0, next = 0; f < kernel->n_factors; f = next) {
        for (next = f + 1; next < kernel->n_factors && kernel->factor[next].weight == 0; next++) {
            volt_jet_multiply(space, space->order, &factors[f], &factors[next], product);
            volt_jet_swap(product, &factors[f]);
        }
        if (f == 0)
            begin_sum(space, kernel->factor[f].weight, &factors[f], out);
        else
            volt_jet_add(space, kernel->factor[f].weight, &factors[f], out);
    }
}
