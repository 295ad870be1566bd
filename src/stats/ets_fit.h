/* src/stats/ets_fit.h: the fit of one form of exponential smoothing. */
#ifndef STATS_ETS_FIT_H
#define STATS_ETS_FIT_H

#include "stats/classical.h"

/* Parameters and initial states of a form. */
typedef struct volt_ets_fit {
    volt_ets_form form;
    volt_ets_state state; /* effects: S values of the caller */
    double likelihood;    /* as in volt_ets_info, with the rounding of the series added to the squares */
    double criterion;     /* likelihood with the prior; infinite: no fit */
    double squares;
} volt_ets_fit;

typedef struct volt_ets_fitter volt_ets_fitter;

/* Prepares fits of y, |y| < 1, which is not copied. season: 0 for none, or 2 to n / 2. NULL when memory is
 * exhausted. */
volt_ets_fitter *volt_ets_fitter_create(const double *y, int64_t n, int64_t season);
void volt_ets_fitter_free(volt_ets_fitter *fitter);

/* Fits fit->form. The search begins at the best of a grid of smoothing parameters and of the `count` other fits
 * `near`, whose forms may lack components of this one. */
void volt_ets_fit_form(volt_ets_fitter *fitter, const volt_ets_fit *const *near, int count, volt_ets_fit *fit);

/* Fits fit->form from the smoothing parameters in `start`. */
void volt_ets_fit_from(volt_ets_fitter *fitter, const volt_ets_info *start, volt_ets_fit *fit);

#endif
