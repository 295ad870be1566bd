/* cli/page/capacity_picture.h: plot of capacities. */
#ifndef CLI_CAPACITY_PICTURE_H
#define CLI_CAPACITY_PICTURE_H

#include "volterra.h"

/* Writes an SVG file ("-": standard output) with gnuplot: the memory curve, and the capacities of all degrees over the
 * largest delay. Returns 0, or the exit status after an error message. */
int picture_capacity_file(const char *path, const volt_capacity *capacity);

#endif
