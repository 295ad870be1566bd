/* tests/support/predict_std.h: forecasts with their standard deviations. */
#ifndef SUPPORT_PREDICT_STD_H
#define SUPPORT_PREDICT_STD_H

#include "volterra/model.h"

static inline volt_status predict_std(const volt_model *model, volt_view X, const volt_predict_options *options,
                                      volt_matrix out, volt_matrix std, int64_t *beyond)
{
    volt_predict_options own = options ? *options : volt_predict_options_default();
    own.std = std;
    return volt_model_predict(model, X, &own, out, beyond);
}

#endif
