/* src/kernel/path.h: paths made of rows, for kernels between paths.
 *
 * Raw points (rows of a window, a whole series, or the numbers of one row) are scaled and augmented in this
 * order:
 *
 *     basepoint  the point 0 first
 *     leadlag    points (x_t, x_t), (x_t, x_{t+1}), (x_{t+1}, x_{t+1}), ...: 2 T - 1 points of 2 c channels,
 *                first lag, then lead
 *     time       one more channel, first: from 0 to 1 in equal steps, not scaled
 *
 * Paths are stored as points, or as increments if the programme uses products of increments. */
#ifndef KERNEL_PATH_H
#define KERNEL_PATH_H

#include "kernel/programme.h"
#include "volterra/base.h"

typedef struct volt_path_shape {
    bool rows; /* a row of d numbers is a path of d points in one dimension */
    bool time, leadlag, basepoint;
    double prescale; /* > 0: raw values are multiplied by prescale / (largest training value) ... */
    double scale;    /* ... which is this factor, once the kernel is resolved */
    bool increments; /* store increments, not points */
} volt_path_shape;

/* Points (or increments) and channels of the path of `points` raw points in `channels` dimensions. */
int64_t volt_path_length(const volt_path_shape *shape, int64_t points);
int64_t volt_path_channels(const volt_path_shape *shape, int64_t channels);

/* Build the path of the raw points (row p is raw + p * ld) into path[t * t_step + c * c_step]. */
void volt_path_build(const volt_path_shape *shape, const double *raw, int64_t ld, int64_t points,
                     int64_t channels, double *path, int64_t t_step, int64_t c_step);

/* One path x (length P, `channels` numbers each, contiguous) against VOLT_LANES paths y, packed as y[(t *
 * channels + c) * VOLT_LANES + l], with Q steps and zeros after the end of each lane. lengths[l] is the
 * number of cells of lane l. scratch has volt_pair_scratch() numbers. out receives VOLT_LANES values, which
 * are undefined after the stage (may be NULL) is cancelled. */
int64_t volt_pair_scratch(const volt_programme *programme, int64_t Q);
void volt_pair_run(const volt_programme *programme, const double *x, int64_t P, const double *y, int64_t Q,
                   int64_t channels, const int64_t *lengths, volt_stage *stage, double *scratch, double *out);

#endif
