/* src/kernel/path.c: construction of paths, and a programme on one path against several others. */
#include "kernel/path.h"

#include "base/clones.h"

#include <string.h>

enum { LANES = VOLT_LANES };

/* ---- building --------------------------------------------------------------------------------- */

/* Points after the augmentations, before increments are taken. */
static int64_t augmented_points(const volt_path_shape *shape, int64_t points)
{
    if (shape->basepoint)
        points++;
    return shape->leadlag ? 2 * points - 1 : points;
}

int64_t volt_path_length(const volt_path_shape *shape, int64_t points)
{
    return augmented_points(shape, points) - (shape->increments ? 1 : 0);
}

int64_t volt_path_channels(const volt_path_shape *shape, int64_t channels)
{
    return channels * (shape->leadlag ? 2 : 1) + (shape->time ? 1 : 0);
}

/* Channel c of augmented point t. */
static double point(const volt_path_shape *shape, const double *raw, int64_t ld, int64_t channels,
                    int64_t total, int64_t t, int64_t c)
{
    if (shape->time) {
        if (c == 0)
            return total > 1 ? (double)t / (double)(total - 1) : 0;
        c--;
    }
    if (shape->leadlag) {
        bool lead = c >= channels;
        t = lead ? (t + 1) / 2 : t / 2;
        c = lead ? c - channels : c;
    }
    if (shape->basepoint) {
        if (t == 0)
            return 0;
        t--;
    }
    return shape->scale * raw[t * ld + c];
}

void volt_path_build(const volt_path_shape *shape, const double *raw, int64_t ld, int64_t points,
                     int64_t channels, double *path, int64_t t_step, int64_t c_step)
{
    int64_t total = augmented_points(shape, points), width = volt_path_channels(shape, channels);
    int64_t length = volt_path_length(shape, points);
    for (int64_t t = 0; t < length; t++) {
        for (int64_t c = 0; c < width; c++) {
            double value = point(shape, raw, ld, channels, total, t, c);
            if (shape->increments)
                value = point(shape, raw, ld, channels, total, t + 1, c) - value;
            path[t * t_step + c * c_step] = value;
        }
    }
}

/* ---- running ---------------------------------------------------------------------------------- */

/* Local values of one point x against the Q points of every lane. */
VOLT_CLONES
static void local_row(const double *restrict x, const double *restrict y, int64_t Q, int64_t channels,
                      bool distance, double *restrict values)
{
    for (int64_t b = 0; b < Q; b++) {
        const double *restrict point_y = y + b * channels * LANES;
        double sum[LANES] = {0};
        for (int64_t c = 0; c < channels; c++)
            for (int l = 0; l < LANES; l++) {
                double other = point_y[c * LANES + l], gap = x[c] - other;
                sum[l] += distance ? gap * gap : x[c] * other;
            }
        for (int l = 0; l < LANES; l++)
            values[b * LANES + l] = sum[l];
    }
}

/* cells = second differences between the lifted rows `last` and `row`; then last <- row. */
VOLT_CLONES
static void difference_row(double *restrict last, const double *restrict row, int64_t cells,
                           double *restrict out)
{
    for (int64_t b = 0; b < cells * LANES; b++)
        out[b] = (row[b + LANES] - last[b + LANES]) - (row[b] - last[b]);
    memcpy(last, row, (size_t)((cells + 1) * LANES) * sizeof(double));
}

/* Clear the cells after the end of shorter paths. */
static void clear_behind(const int64_t *lengths, int64_t columns, double *cells)
{
    for (int l = 0; l < LANES; l++)
        for (int64_t b = lengths[l]; b < columns; b++)
            cells[b * LANES + l] = 0;
}

int64_t volt_pair_scratch(const volt_programme *programme, int64_t Q)
{
    return 4 * Q * LANES + programme->scratch_length(programme, Q);
}

void volt_pair_run(const volt_programme *programme, const double *x, int64_t P, const double *y, int64_t Q,
                   int64_t channels, const int64_t *lengths, volt_stage *stage, double *scratch, double *out)
{
    bool on_increments = volt_programme_on_increments(programme);
    bool differences = programme->differences && !on_increments;
    int64_t columns = differences ? Q - 1 : Q, between = volt_rows_between_polls(Q);
    double *values = scratch, *last = scratch + Q * LANES, *cells = last + Q * LANES,
           *second = cells + Q * LANES;
    double *programme_scratch = second + Q * LANES;

    programme->start(programme, columns, programme_scratch);
    for (int64_t a = 0; a < P && ((a + 1) % between != 0 || volt_stage_poll(stage)); a++) {
        local_row(x + a * channels, y, Q, channels, programme->distance, values);
        if (programme->lift)
            programme->lift(programme, values, Q * LANES);
        if (differences && a == 0) {
            memcpy(last, values, (size_t)(Q * LANES) * sizeof(double));
            continue;
        }
        if (differences)
            difference_row(last, values, columns, cells);
        double *row = differences ? cells : values;
        clear_behind(lengths, columns, row);
        if (programme->prepare)
            programme->prepare(programme, row, second, columns * LANES);
        programme->row(programme, columns, row, second, LANES, programme_scratch);
    }
    programme->finish(programme, lengths, programme_scratch, out);
}
