/* cli/page/curve_pictures.h: plots of a spectrum, of forgetting and of learning curves. */
#ifndef CLI_CURVE_PICTURES_H
#define CLI_CURVE_PICTURES_H

#include "volterra.h"

/* All write an SVG file ("-": standard output) with gnuplot, and return 0, or the exit status after an error
 * message. */

/* Eigenvalues over their number, and the effective dimension over alpha, from the rows of volt_gram_spectrum. */
int picture_spectrum_file(const char *path, volt_view spectrum);

/* Distance and bound over the number of common rows, from the rows of volt_model_forgetting. */
int picture_forgetting_file(const char *path, volt_view curve);

/* Mean NMSE over training rows with standard errors, on logarithmic axes. `names` has one name per kernel. */
int picture_learning_file(const char *path, const volt_curve *curve, const char *const *names);

#endif
