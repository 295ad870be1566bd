/* bindings/call_training.h: training data and fits, shared by fit and tune. */
#ifndef BINDINGS_CALL_TRAINING_H
#define BINDINGS_CALL_TRAINING_H

#include "call.h"

typedef struct training {
    volt_pairing *pairing;
    int64_t *records;
    const char *kernel, *loss;
    const char *const *input_names;
    char horizons[64];
} training;

extern const field training_fields[]; /* inputs and targets, read by call_training_read */
extern const field fit_fields[];      /* of volt_fit_options */

/* Reads and pairs inputs and targets. feeds: past outputs are inputs. Release it also after a failure. */
volt_status call_training_read(call *c, bool feeds, training *t);
void call_training_release(training *t);
/* Sets what a fit takes from the pairing. */
void call_training_set(const training *t, volt_fit_options *options);
volt_assess_options call_training_assess_options(const training *t, int64_t season);
/* Fits a kernel, and adds model, fitted values, properties, assessment and warnings to the results. */
volt_status call_training_fit(call *c, const training *t, const char *kernel, const volt_fit_options *options,
                              volt_assess_options assess);
/* Adds the properties of a model to a list. */
void model_add_info(value *result, const volt_model *model);

#endif
