/* src/select/candidates/coordinates.h: the parameters that a climb moves, on scales without curvature of their own.
 *
 *     LOG     z = log value
 *     LINEAR  z = log(s / (1 - s)), s the place of the value between the ends that the parameter may lie between
 *
 * within the range that is searched. Choices and whole numbers stay as they are. */
#ifndef SELECT_COORDINATES_H
#define SELECT_COORDINATES_H

#include "kernel/kernel_entry.h"
#include "volterra/select.h"

typedef struct volt_coordinate {
    char name[VOLT_ASKED_LENGTH]; /* of the parameter, or alpha */
    volt_search_law law;          /* LOG or LINEAR */
    double low, high;             /* of z */
    double end, width;            /* LINEAR: value = end + width s */
} volt_coordinate;

double volt_coordinate_place(const volt_coordinate *coordinate, double value); /* held to the range */
double volt_coordinate_value(const volt_coordinate *coordinate, double z,
                             double *slope); /* slope: d value / dz */

struct volt_space;

/* The coordinates of the space about a kernel that it holds, VOLT_MOST_AXES at most; widths keep the unit that they have
 * there. VOLT_ERR_MEMORY. */
volt_status volt_space_coordinates(const struct volt_space *space, const volt_kernel *kernel,
                                   volt_coordinate *coordinates, int64_t *count);

#endif
