/* src/model/model_digest.h: what a forecast depends on beside the past, as a short text: states and journals belong to one
 * model. */
#ifndef MODEL_MODEL_DIGEST_H
#define MODEL_MODEL_DIGEST_H

#include "base/numbers.h"
#include "model/model_internal.h"

enum { VOLT_DIGEST_LENGTH = 17 };
/* Numbers join a digest by their bits. */
uint64_t volt_digest_numbers(uint64_t digest, const double *numbers, int64_t count);

/* `row` is room for d numbers. */
void volt_model_digest(const volt_model *model, double *row, char text[VOLT_DIGEST_LENGTH]);

#endif
