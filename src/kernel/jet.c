/* src/kernel/jet.c: arithmetic of power series in several variables. */
#include "kernel/jet.h"

#include "base/error.h"
#include "base/fastmath.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = VOLT_JET_LANES };

/* ---- spaces and memory ------------------------------------------------------------------------ */

/* C(n + p - 1, p): monomials of degree p in n variables. */
static double monomials(int64_t n, int p)
{
    double count = 1;
    for (int j = 1; j <= p; j++)
        count = count * (double)(n + j - 1) / j;
    return count;
}

double volt_jet_size(int64_t n, int order)
{
    return monomials(n + 1, order);
}

volt_status volt_jet_space_create(int64_t n, int order, volt_jet_space *space)
{
    *space = (volt_jet_space){.n = n, .order = order};
    space->places = volt_alloc_zero(volt_max(order, 1) * (n + 1), sizeof *space->places);
    if (!space->places)
        return VOLT_ERR_MEMORY;
    for (int p = 0; p <= order; p++)
        space->start[p + 1] = space->start[p] + llround(monomials(n, p));
    for (int j = 0; j < order; j++)
        for (int64_t v = 1; v <= n; v++) /* C(v + j, j + 1) = C(v - 1 + j, j + 1) + C(v + j - 1, j) */
            space->places[j * (n + 1) + v] =
                space->places[j * (n + 1) + v - 1] + (j ? space->places[(j - 1) * (n + 1) + v] : 1);
    return VOLT_OK;
}

void volt_jet_space_release(volt_jet_space *space)
{
    volt_free(space->places);
    space->places = NULL;
}

/* The first series, hidden from the caller, owns the memory, because series are swapped. */
volt_status volt_jet_create(const volt_jet_space *space, int64_t count, volt_jet **series)
{
    int64_t size = space->start[space->order + 1] * LANES;
    volt_jet *fresh = volt_alloc_zero(count + 1, sizeof *fresh);
    double *numbers = fresh ? volt_alloc_doubles(volt_max(count, 1), size) : NULL;
    if (!numbers) {
        volt_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    fresh->c = numbers;
    for (int64_t i = 0; i < count; i++) {
        fresh[i + 1].c = numbers + i * size;
        volt_jet_set(space, NULL, 0, 0, 0, &fresh[i + 1]);
    }
    *series = fresh + 1;
    return VOLT_OK;
}

void volt_jet_free(volt_jet *series)
{
    if (!series)
        return;
    volt_free(series[-1].c);
    volt_free(series - 1);
}

volt_status volt_jet_workspace_create(const volt_jet_space *space, volt_jet_workspace *workspace)
{
    *workspace = (volt_jet_workspace){.space = space};
    return volt_jet_create(space, VOLT_JET_SPARE + 1, &workspace->spare);
}

void volt_jet_workspace_release(volt_jet_workspace *workspace)
{
    volt_jet_free(workspace->spare);
    workspace->spare = NULL;
}

/* ---- monomials -------------------------------------------------------------------------------- */

int64_t volt_jet_place(const volt_jet_space *space, int p, const int64_t *v)
{
    int64_t place = space->start[p];
    for (int j = 0; j < p; j++)
        place += space->places[j * (space->n + 1) + v[j]];
    return place;
}

bool volt_jet_next(int p, int64_t first, int64_t end, int64_t *v)
{
    for (int j = 0; j < p; j++)
        if (v[j] < (j + 1 < p ? v[j + 1] : end - 1)) {
            v[j]++;
            for (int i = 0; i < j; i++)
                v[i] = first;
            return true;
        }
    return false;
}

static void begin(int p, int64_t first, int64_t *v)
{
    for (int j = 0; j < p; j++)
        v[j] = first;
}

/* Number of coefficients of degree p >= 1 in the first `end` variables, which come first. */
static int64_t prefix(const volt_jet_space *space, int p, int64_t end)
{
    return space->places[(p - 1) * (space->n + 1) + end];
}

/* The index of the product of two monomials. */
static int64_t place_of_product(const volt_jet_space *space, int p, const int64_t *v, int s, const int64_t *w)
{
    int64_t place = space->start[p + s], row = space->n + 1;
    for (int j = 0, i = 0, k = 0; j < p + s; j++)
        place += space->places[j * row + (k == s || (i < p && v[i] <= w[k]) ? v[i++] : w[k++])];
    return place;
}

/* ---- sums ------------------------------------------------------------------------------------- */

static void zero_degree(const volt_jet_space *space, int p, int64_t first, int64_t end, double *c)
{
    if (p == 0 || first == 0) {
        int64_t count = p == 0 ? 1 : prefix(space, p, end);
        memset(c + space->start[p] * LANES, 0, (size_t)(count * LANES) * sizeof *c);
        return;
    }
    int64_t v[VOLT_MAX_ORDER];
    begin(p, first, v);
    do
        memset(c + volt_jet_place(space, p, v) * LANES, 0, LANES * sizeof *c);
    while (volt_jet_next(p, first, end, v));
}

void volt_jet_set(const volt_jet_space *space, const double *values, int64_t first, int64_t end, int degree,
                  volt_jet *r)
{
    r->first = first;
    r->end = end;
    r->degree = end > first ? degree : 0;
    for (int p = 0; p <= r->degree; p++)
        zero_degree(space, p, first, end, r->c);
    if (values)
        memcpy(r->c, values, LANES * sizeof *values);
}

/* r <- r + factor x; r has space for the terms of x. */
static void add_inside(const volt_jet_space *space, double factor, const volt_jet *x, volt_jet *r)
{
    for (int p = 0; p <= x->degree; p++) {
        if (p == 0 || x->first == 0) {
            int64_t begins = space->start[p] * LANES, count = (p ? prefix(space, p, x->end) : 1) * LANES;
            for (int64_t i = begins; i < begins + count; i++)
                r->c[i] += factor * x->c[i];
            continue;
        }
        int64_t v[VOLT_MAX_ORDER];
        begin(p, x->first, v);
        do {
            int64_t i = volt_jet_place(space, p, v) * LANES;
            for (int k = 0; k < LANES; k++)
                r->c[i + k] += factor * x->c[i + k];
        } while (volt_jet_next(p, x->first, x->end, v));
    }
}

static bool is_inside(const volt_jet *r, int p, const int64_t *v)
{
    return p <= r->degree && v[0] >= r->first && v[p - 1] < r->end;
}

/* Extend r to variables first .. end - 1 up to `degree`. */
static void widen(const volt_jet_space *space, int64_t first, int64_t end, int degree, volt_jet *r)
{
    if (end == first || degree == 0)
        return;
    bool was_constant = r->degree == 0;
    int64_t from = was_constant ? first : volt_min(first, r->first), to = volt_max(end, r->end);
    int most = degree > r->degree ? degree : r->degree;
    for (int p = 1; p <= most; p++) {
        if (was_constant) {
            zero_degree(space, p, from, to, r->c);
        } else if (from == 0 && r->first == 0) {
            int64_t kept = p <= r->degree ? prefix(space, p, r->end) : 0, all = prefix(space, p, to);
            memset(r->c + (space->start[p] + kept) * LANES, 0, (size_t)((all - kept) * LANES) * sizeof *r->c);
        } else {
            int64_t v[VOLT_MAX_ORDER];
            begin(p, from, v);
            do
                if (!is_inside(r, p, v))
                    memset(r->c + volt_jet_place(space, p, v) * LANES, 0, LANES * sizeof *r->c);
            while (volt_jet_next(p, from, to, v));
        }
    }
    r->first = from;
    r->end = to;
    r->degree = most;
}

void volt_jet_swap(volt_jet *x, volt_jet *y)
{
    volt_jet kept = *x;
    *x = *y;
    *y = kept;
}

void volt_jet_copy(const volt_jet_space *space, const volt_jet *x, volt_jet *r)
{
    if (x->first == 0) {
        r->first = 0;
        r->end = x->end;
        r->degree = x->degree;
        for (int p = 0; p <= x->degree; p++)
            memcpy(r->c + space->start[p] * LANES, x->c + space->start[p] * LANES,
                   (size_t)((p ? prefix(space, p, x->end) : 1) * LANES) * sizeof *r->c);
        return;
    }
    volt_jet_set(space, NULL, x->first, x->end, x->degree, r);
    add_inside(space, 1, x, r);
}

void volt_jet_scale(const volt_jet_space *space, double factor, volt_jet *r)
{
    for (int p = 0; p <= r->degree; p++) {
        if (p == 0 || r->first == 0) {
            int64_t begins = space->start[p] * LANES, count = (p ? prefix(space, p, r->end) : 1) * LANES;
            for (int64_t i = begins; i < begins + count; i++)
                r->c[i] *= factor;
            continue;
        }
        int64_t v[VOLT_MAX_ORDER];
        begin(p, r->first, v);
        do {
            double *c = r->c + volt_jet_place(space, p, v) * LANES;
            for (int k = 0; k < LANES; k++)
                c[k] *= factor;
        } while (volt_jet_next(p, r->first, r->end, v));
    }
}

void volt_jet_shift(double number, volt_jet *r)
{
    for (int k = 0; k < LANES; k++)
        r->c[k] += number;
}

void volt_jet_add(const volt_jet_space *space, double factor, const volt_jet *x, volt_jet *r)
{
    widen(space, x->first, x->end, x->degree, r);
    add_inside(space, factor, x, r);
}

/* ---- products --------------------------------------------------------------------------------- */

static void add_product(const double *restrict a, const double *restrict b, double *restrict to)
{
    for (int k = 0; k < LANES; k++)
        to[k] += a[k] * b[k];
}

/* r <- r + a y, with a number a for each lane; only terms of y of degrees from .. to. */
static void add_multiple(const volt_jet_space *space, const double *a, const volt_jet *y, int from, int to,
                         volt_jet *r)
{
    for (int p = from; p <= to; p++) {
        if (p == 0 || y->first == 0) {
            int64_t begins = space->start[p], count = p ? prefix(space, p, y->end) : 1;
            for (int64_t i = begins; i < begins + count; i++)
                add_product(a, y->c + i * LANES, r->c + i * LANES);
            continue;
        }
        int64_t v[VOLT_MAX_ORDER];
        begin(p, y->first, v);
        do {
            int64_t i = volt_jet_place(space, p, v) * LANES;
            add_product(a, y->c + i, r->c + i);
        } while (volt_jet_next(p, y->first, y->end, v));
    }
}

/* Linear times linear. */
static void multiply_linear(const volt_jet_space *space, const volt_jet *x, const volt_jet *y, volt_jet *r)
{
    const double *x1 = x->c + space->start[1] * LANES, *y1 = y->c + space->start[1] * LANES;
    double *r2 = r->c + space->start[2] * LANES;
    for (int64_t i = x->first; i < x->end; i++)
        for (int64_t j = y->first; j < y->end; j++) {
            int64_t high = volt_max(i, j), low = volt_min(i, j);
            add_product(x1 + i * LANES, y1 + j * LANES, r2 + (high * (high + 1) / 2 + low) * LANES);
        }
}

/* Terms of degree p of x times terms of degree s of y, both at least 1. */
static void multiply_degrees(const volt_jet_space *space, const volt_jet *x, int p, const volt_jet *y, int s,
                             volt_jet *r)
{
    if (p == 1 && s == 1) {
        multiply_linear(space, x, y, r);
        return;
    }
    int64_t v[VOLT_MAX_ORDER], w[VOLT_MAX_ORDER];
    begin(p, x->first, v);
    do {
        const double *a = x->c + volt_jet_place(space, p, v) * LANES;
        begin(s, y->first, w);
        do
            add_product(a, y->c + volt_jet_place(space, s, w) * LANES,
                        r->c + place_of_product(space, p, v, s, w) * LANES);
        while (volt_jet_next(s, y->first, y->end, w));
    } while (volt_jet_next(p, x->first, x->end, v));
}

/* x y for a single variable. */
static void multiply_line(int most, const volt_jet *x, const volt_jet *y, volt_jet *r)
{
    const volt_lanes *a = (const volt_lanes *)x->c, *b = (const volt_lanes *)y->c;
    volt_lanes *to = (volt_lanes *)r->c;
    int degree = (int)volt_min(most, x->degree + y->degree);
    for (int p = 0; p <= degree; p++) {
        volt_lanes sum = {0};
        for (int i = p > y->degree ? p - y->degree : 0; i <= p && i <= x->degree; i++)
            for (int k = 0; k < LANES; k++)
                sum[k] += a[i][k] * b[p - i][k];
        memcpy(to[p], sum, sizeof sum);
    }
    r->first = 0;
    r->end = 1;
    r->degree = degree;
}

void volt_jet_multiply(const volt_jet_space *space, int most, const volt_jet *x, const volt_jet *y, volt_jet *r)
{
    if (space->n == 1) {
        multiply_line(most, x, y, r);
        return;
    }
    int degree = (int)volt_min(most, x->degree + y->degree), dx = (int)volt_min(x->degree, most),
        dy = (int)volt_min(y->degree, most);
    int64_t first = volt_min(x->first, y->first), end = volt_max(x->end, y->end);
    if (x->degree == 0 || y->degree == 0) { /* constants have no variables */
        const volt_jet *other = x->degree == 0 ? y : x;
        first = other->first;
        end = other->end;
    }
    volt_jet_set(space, NULL, first, end, degree, r);
    add_multiple(space, x->c, y, 0, dy, r);
    if (dx > 0)
        add_multiple(space, y->c, x, 1, dx, r);
    for (int p = 1; p <= dx; p++)
        for (int s = 1; s <= dy && p + s <= most; s++)
            multiply_degrees(space, x, p, y, s, r);
}

/* ---- functions -------------------------------------------------------------------------------- */

/* f(x) for a single variable: order + 1 numbers per lane. */
static void compose_line(int order, const volt_jet *x, volt_lanes *taylor, volt_jet *r)
{
    const volt_lanes *e = (const volt_lanes *)x->c;
    volt_lanes *to = (volt_lanes *)r->c;
    for (int p = 0; p <= order; p++)
        for (int k = 0; k < LANES; k++)
            to[p][k] = p == 0 ? taylor[order][k] : 0;
    for (int m = order - 1; m >= 0; m--) /* to <- to e + f[m] */
        for (int p = order - m; p >= 0; p--) {
            volt_lanes sum = {0};
            for (int i = 1; i <= p && i <= x->degree; i++)
                for (int k = 0; k < LANES; k++)
                    sum[k] += to[p - i][k] * e[i][k];
            for (int k = 0; k < LANES; k++)
                to[p][k] = p == 0 ? taylor[m][k] : sum[k];
        }
    r->first = 0;
    r->end = 1;
    r->degree = order;
}

/* Horner's rule in e = x - x_0. A factor that is multiplied m more times is needed only up to degree order -
 * m. */
static void compose_all(const volt_jet_workspace *workspace, int order, const volt_jet *x, volt_lanes *taylor,
                        volt_jet *r)
{
    const volt_jet_space *space = workspace->space;
    volt_lanes centre, zero = {0};
    memcpy(centre, x->c, sizeof centre);
    memcpy(x->c, zero, sizeof zero); /* x holds e during the evaluation */
    for (int m = order; m >= 0; m--) {
        volt_jet *to = (order - m) % 2 == order % 2 ? r : &workspace->spare[VOLT_JET_SPARE];
        const volt_jet *from = to == r ? &workspace->spare[VOLT_JET_SPARE] : r;
        if (m == order) {
            volt_jet_set(space, taylor[m], 0, 0, 0, to);
            continue;
        }
        volt_jet_multiply(space, order - m, from, x, to);
        for (int k = 0; k < LANES; k++)
            to->c[k] += taylor[m][k];
    }
    memcpy(x->c, centre, sizeof centre);
}

void volt_jet_compose(const volt_jet_workspace *workspace, volt_taylor f, const void *context,
                      const volt_jet *x, volt_jet *r)
{
    int order = x->degree > 0 ? workspace->space->order : 0;
    volt_lanes taylor[VOLT_MAX_ORDER + 1];
    f(context, x->c, order, taylor);
    if (workspace->space->n == 1 && order > 0)
        compose_line(order, x, taylor, r);
    else
        compose_all(workspace, order, x, taylor, r);
}

void volt_taylor_exp(double scale, double rate, const double *x, int order, volt_lanes *f)
{
    for (int k = 0; k < LANES; k++)
        f[0][k] = scale * volt_exp(rate * x[k]);
    for (int p = 1; p <= order; p++)
        for (int k = 0; k < LANES; k++)
            f[p][k] = f[p - 1][k] * (rate / p);
}

void volt_taylor_inverse(double scale, double rate, const double *x, int order, volt_lanes *f)
{
    volt_lanes inverse;
    for (int k = 0; k < LANES; k++) {
        inverse[k] = 1 / (1 - rate * x[k]);
        f[0][k] = scale * inverse[k];
    }
    for (int p = 1; p <= order; p++)
        for (int k = 0; k < LANES; k++)
            f[p][k] = f[p - 1][k] * rate * inverse[k];
}

/* ---- the factors of a kernel as power series --------------------------------------------------------- */

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
