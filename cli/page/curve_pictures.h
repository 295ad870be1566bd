/* cli/page/curve_pictures.h: plots of a spectrum and of forgetting. */
#ifndef CLI_CURVE_PICTURES_H
#define CLI_CURVE_PICTURES_H

#include "volterra.h"

/* Both write an SVG file ("-": standard output) with gnuplot, and return 0, or the exit status after an error
 * message. */

/* Eigenvalues over their number, and the effective dimension over alpha, from the rows of volt_gram_spectrum. */
int picture_spectrum_file(const char *path, volt_view spectrum);

/* Distance and bound over the number of common rows, from the rows of volt_model_forgetting. */
int picture_forgetting_file(const char *path, volt_view curve);

#endif
