/* src/kernel/resolved.c: resolved kernels: expressions, records, balls. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- norms of rows, the largest value, and membership in a ball -------------------------------------- */

double volt_row_norm(const double *row, int64_t d)
{
    volt_squares squares = {0};
    volt_squares_add_all(&squares, row, d);
    return volt_squares_root(&squares);
}

volt_status volt_extent_of(volt_view X, const char *name, volt_extent *extent)
{
    volt_extent found = {.radius = 0, .largest = X.data[0]};
    double plain = 0; /* largest sum of squares of rows without very small and very large values */
    for (int64_t i = 0; i < X.rows; i++) {
        const double *row = X.data + i * X.ld;
        for (int64_t k = 0; k < X.cols; k++) {
            VOLT_REQUIRE(isfinite(row[k]), VOLT_ERR_NOT_FINITE,
                         "row %" PRId64 ", column %" PRId64 " of %s (counted from 1) is %g", i + 1, k + 1, name,
                         row[k]);
            found.largest = row[k] > found.largest ? row[k] : found.largest;
        }
        volt_squares squares = {0};
        volt_squares_add_all(&squares, row, X.cols);
        if (squares.small == 0 && squares.large == 0)
            plain = squares.middle > plain ? squares.middle : plain;
        else
            found.radius = fmax(found.radius, volt_squares_root(&squares));
    }
    found.radius = fmax(found.radius, sqrt(plain));
    VOLT_REQUIRE(isfinite(found.radius), VOLT_ERR_NOT_FINITE, "the norms of %s are too large for a double",
                 name);
    *extent = found;
    return VOLT_OK;
}

volt_status volt_check_products(double radius)
{
    static const double least = 0x1p-500, most = 0x1p500;
    VOLT_REQUIRE(radius == 0 || (radius >= least && radius <= most), VOLT_ERR_NOT_FINITE,
                 "the largest norm of unscaled inputs must be %.3g to %.3g (got %g)", least, most, radius);
    return VOLT_OK;
}

/* With u = eps / 2, a sum of d squares has a relative error of at most d u, and its root d u / 2 + u. Two
 * roots are compared, and rows on the sphere were rounded a few times before. */
double volt_norm_tolerance(int64_t d)
{
    return (double)(d + 8) * (DBL_EPSILON / 2);
}

bool volt_is_within(double norm, double radius, int64_t d)
{
    return norm <= radius * (1 + volt_norm_tolerance(d));
}

int64_t volt_kernel_slices(const volt_kernel *kernel)
{
    return kernel->n_factors > 0 ? kernel->n_slices : 1;
}

bool volt_kernel_filters(const volt_kernel *kernel)
{
    return kernel->n_factors > 0 && !(kernel->n_slices == 1 && volt_filter_is_none(&kernel->filters[0]));
}

/* ---- the inputs before a sequence -------------------------------------------------------------- */

static volt_status copy_past(const volt_past *from, double gain, volt_past *to)
{
    double *input = from->input ? volt_alloc_doubles(from->n, 1) : NULL;
    if (from->input && !input)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; input && k < from->n; k++)
        input[k] = gain * from->input[k];
    volt_free(to->input);
    *to = (volt_past){.kind = from->kind, .n = from->n, .input = input};
    return VOLT_OK;
}

volt_status volt_kernel_use_past(volt_kernel *kernel, const volt_past *past)
{
    return copy_past(past, 1, &kernel->past);
}

/* The input as a factor receives it: after its filter. */
static volt_status settle_factor(const volt_kernel *kernel, const volt_filter *filter, bool is_stored,
                                 volt_resolved *factor)
{
    VOLT_REQUIRE(kernel->past.kind == VOLT_PAST_ZERO || !factor->scan.has_no_rest, VOLT_ERR_ARGUMENT,
                 "the initial input must be zero for kernel %s, whose memory does not fade", kernel->text);
    VOLT_TRY(copy_past(&kernel->past, filter ? volt_filter_gain(filter) : 1, &factor->past));
    if (!factor->past.input)
        return VOLT_OK;
    double norm = volt_row_norm(factor->past.input, factor->d);
    VOLT_REQUIRE(!factor->gain || factor->gain(factor, fmax(norm, factor->facts.radius)) < 1, VOLT_ERR_ARGUMENT,
                 "the initial input has norm %g, and the kernel converges only up to the largest norm of the "
                 "inputs, %g",
                 norm, factor->facts.radius);
    if (is_stored) /* the start of saved weights is already that state */
        return VOLT_OK;
    return factor->reservoir ? volt_reservoir_start_at(factor->reservoir, factor->past.input) : VOLT_OK;
}

static volt_status settle_past(const volt_kernel *kernel, volt_resolved *resolved)
{
    const volt_sum *sum = resolved->sum;
    if (!sum)
        return settle_factor(kernel, NULL, kernel->stored != NULL, resolved);
    for (int64_t f = 0; f < sum->n_factors; f++)
        VOLT_TRY(settle_factor(kernel, &kernel->filters[sum->slice[f]], kernel->factors[f]->stored != NULL,
                               &sum->factor[f]));
    return VOLT_OK;
}

/* volt_kernel_resolve or volt_kernel_outline. */
typedef volt_status (*resolve_fn)(const volt_kernel *kernel, volt_extent extent, int64_t d,
                                  volt_resolved *resolved);

static volt_status resolve_factors(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                   resolve_fn resolve, volt_sum *sum)
{
    for (int64_t f = 0; f < kernel->n_factors; f++) {
        volt_status status = resolve(kernel->factors[f], extents[kernel->slice[f]], d, &sum->factor[f]);
        if (status == VOLT_ERR_ARGUMENT && kernel->n_factors > 1)
            return volt_fail_prefix(status, "factor %" PRId64, f + 1);
        VOLT_TRY(status);
        sum->slice[f] = kernel->slice[f];
        sum->term[f] = kernel->term[f];
        sum->weight[kernel->term[f]] = kernel->weight[kernel->term[f]];
    }
    return VOLT_OK;
}

/* Bounds of the expression from those of its factors. The constant of a factor can be subtracted from its
 * term only if the term has no other factor. */
static void join_facts(const volt_sum *sum, volt_resolved *whole)
{
    for (int64_t f = 0; f < sum->n_factors;) {
        int64_t t = sum->term[f], first = f;
        double largest = sum->weight[t];
        for (; f < sum->n_factors && sum->term[f] == t; f++) {
            const volt_resolved *factor = &sum->factor[f];
            largest *= factor->facts.largest;
            whole->facts.contraction = fmax(whole->facts.contraction, factor->facts.contraction);
            whole->facts.radius = fmax(whole->facts.radius, factor->facts.radius);
        }
        whole->facts.largest += largest;
        if (f == first + 1)
            whole->common += sum->weight[t] * sum->factor[first].common;
    }
}

static volt_status resolve_slices(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                  resolve_fn resolve, volt_resolved *resolved)
{
    if (kernel->n_factors == 0)
        return resolve(kernel, extents[0], d, resolved);
    volt_resolved whole = {.d = d * kernel->n_slices, .window = 1};
    volt_sum *sum = whole.sum = volt_alloc_zero(1, sizeof *sum);
    volt_status status = sum ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        sum->n_factors = kernel->n_factors;
        sum->n_terms = kernel->n_terms;
        sum->n_slices = kernel->n_slices;
        sum->d = d;
        sum->factor = volt_alloc_zero(sum->n_factors, sizeof *sum->factor);
        status = sum->factor ? resolve_factors(kernel, extents, d, resolve, sum) : VOLT_ERR_MEMORY;
    }
    if (status != VOLT_OK) {
        volt_resolved_release(&whole);
        return status;
    }
    join_facts(sum, &whole);
    *resolved = whole;
    return VOLT_OK;
}

volt_status volt_kernel_resolve_slices(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                       volt_resolved *resolved)
{
    VOLT_TRY(resolve_slices(kernel, extents, d, volt_kernel_resolve, resolved));
    volt_status status = settle_past(kernel, resolved);
    if (status != VOLT_OK) {
        volt_resolved_release(resolved);
        return status;
    }
    volt_kernel_facts *facts = &resolved->facts;
    facts->struct_size = sizeof *facts;
    facts->horizon = facts->contraction > 0 ? ceil(log(DBL_EPSILON) / log(facts->contraction)) : 0;
    return VOLT_OK;
}

volt_status volt_kernel_outline_slices(const volt_kernel *kernel, const volt_extent *extents, int64_t d,
                                       volt_resolved *resolved)
{
    return resolve_slices(kernel, extents, d, volt_kernel_outline, resolved);
}

static void forget_records(volt_resolved *resolved)
{
    if (resolved->records)
        volt_records_release(&resolved->records->rows);
    volt_free(resolved->records);
    resolved->records = NULL;
}

volt_status volt_resolved_split(volt_resolved *resolved, const volt_records *records, int64_t first)
{
    volt_records rows = {0};
    forget_records(resolved);
    VOLT_TRY(volt_records_from(records, first, &rows));
    if (rows.n == 0)
        return VOLT_OK;
    volt_resolved_records *fresh = volt_alloc(1, sizeof *fresh);
    if (!fresh) {
        volt_records_release(&rows);
        return VOLT_ERR_MEMORY;
    }
    *fresh = (volt_resolved_records){.rows = rows, .each = *resolved};
    resolved->records = fresh;
    return VOLT_OK;
}

static void release_factor(volt_resolved *factor)
{
    volt_reservoir_free(factor->reservoir);
    volt_free(factor->past.input);
    factor->reservoir = NULL;
    factor->past = (volt_past){.kind = VOLT_PAST_ZERO};
}

void volt_resolved_release(volt_resolved *resolved)
{
    forget_records(resolved);
    for (int64_t f = 0; resolved->sum && resolved->sum->factor && f < resolved->sum->n_factors; f++)
        release_factor(&resolved->sum->factor[f]);
    if (resolved->sum)
        volt_free(resolved->sum->factor);
    volt_free(resolved->sum);
    resolved->sum = NULL;
    release_factor(resolved);
}

static double gain_of(const volt_resolved *factor, double norm)
{
    return factor->gain ? factor->gain(factor, norm) : -1;
}

double volt_slice_gain(const volt_resolved *resolved, int64_t s, double norm)
{
    const volt_sum *sum = resolved->sum;
    if (!sum)
        return gain_of(resolved, norm);
    double most = -1;
    for (int64_t f = 0; f < sum->n_factors; f++)
        if (sum->slice[f] == s)
            most = fmax(most, gain_of(&sum->factor[f], norm));
    return most;
}

double volt_slice_radius(const volt_resolved *resolved, int64_t s)
{
    const volt_sum *sum = resolved->sum;
    if (!sum)
        return resolved->facts.radius;
    int64_t f = 0;
    while (sum->slice[f] != s) /* some factor uses it */
        f++;
    return sum->factor[f].facts.radius;
}

volt_status volt_extents_of(volt_view rows, int64_t slices, const char *name, volt_extent *extents)
{
    int64_t d = rows.cols / slices;
    for (int64_t s = 0; s < slices; s++) {
        volt_view slice = {rows.data + s * d, rows.rows, d, rows.ld};
        VOLT_TRY(volt_extent_of(slice, name, &extents[s]));
    }
    return VOLT_OK;
}

/* ---- a resolved kernel as plain numbers -------------------------------------------------------- */

_Static_assert((int)VOLT_FORM_FACTORS == (int)VOLT_MAX_FACTORS, "as many factors");
_Static_assert((int)VOLT_FORM_STATE == (int)VOLT_MAX_STATE, "as many numbers of state");

static bool add_factor(const volt_resolved *resolved, int64_t slice, int64_t term, volt_kernel_form *form)
{
    const volt_scan *scan = &resolved->scan;
    if (!scan->step || scan->form.kind == VOLT_FORM_NONE || resolved->past.kind != VOLT_PAST_ZERO)
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
