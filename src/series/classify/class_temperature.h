/* src/series/classify/class_temperature.h: probabilities from the outputs of ridge regression.
 *
 * softmax(u / t), with the temperature t of least log loss on outputs u of series that were left out (Guo et al. 2017). The
 * targets have one count added to every class, (n [k = class] + 1) / (n + classes) of n series, so that t stays above 0
 * where all series are classified correctly (after Platt 1999). */
#ifndef CLASSIFY_CLASS_TEMPERATURE_H
#define CLASSIFY_CLASS_TEMPERATURE_H

#include "series/classify/class_splits.h"

/* u (q) becomes softmax(u / temperature). */
void volt_class_softmax(double *u, int64_t q, double temperature);

/* The temperature for outputs (n x n_classes), between 1e-3 and 1e3. */
double volt_class_temperature(const volt_class_list *classes, volt_view outputs);

#endif
