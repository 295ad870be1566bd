/* src/kernel/jet_kernel.h: a resolved kernel in the arithmetic of power series.
 *
 * Each factor walks down a diagonal: the input is its local value at every row, as a series, the output its
 * kernel. */
#ifndef KERNEL_JET_KERNEL_H
#define KERNEL_JET_KERNEL_H

#include "kernel/kernel_entry.h"

typedef struct volt_jet_factor {
    const volt_scan *scan;
    const volt_scan_series *series;
    int64_t slice;  /* slice of the rows that it uses */
    int64_t window; /* rows over which its local value is summed; 1 if it has a state */
    int64_t state;  /* index of its first state among those of all factors */
    double weight;  /* weight of the term that it begins; 0: it continues a term */
} volt_jet_factor;

typedef struct volt_jet_kernel {
    int64_t n_factors, n_states;
    volt_jet_factor factor[VOLT_MAX_FACTORS];
} volt_jet_kernel;

/* Both must outlive it. VOLT_ERR_ARGUMENT if a factor has no power series; the message names it, and the
 * kernels that have one. */
volt_status volt_jet_kernel_make(const volt_kernel *kernel, const volt_resolved *resolved,
                                 volt_jet_kernel *made);

/* The local value of rows x and w (d numbers each; w NULL: zeros) of a factor when x moves to x + e
 * direction (NULL: fixed): s[0] + s[1] e + s[2] e^2. */
void volt_jet_local(const volt_jet_factor *factor, int64_t d, const double *x, const double *direction,
                    const double *w, double s[3]);

/* out <- the kernel, in all variables of the space, from the values `factors` of its factors, which are
 * overwritten. */
void volt_jet_join(const volt_jet_kernel *kernel, const volt_jet_workspace *workspace, volt_jet *factors,
                   volt_jet *out);

#endif
