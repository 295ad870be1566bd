/* src/kernel/path.c: construction of paths, and a programme on one path against several others. */
#include "kernel/path.h"

#include "base/clones.h"
#include "base/error.h"
#include "kernel/kind_parts.h"

#include <string.h>

enum { VOLT_PATH_SEQUENCE, VOLT_PATH_ROWS };

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

/* ---- parameters of the kernels between paths --------------------------------------------------------- */

const char *const volt_path_words[] = {"sequence", "rows", NULL};

enum { TIME = 1, LEADLAG = 2, BASEPOINT = 4 };

/* Every order of the augmentations; the result does not depend on it. */
#define AUGMENTS(X)                                         \
    X("none", 0)                                            \
    X("time", TIME)                                         \
    X("leadlag", LEADLAG)                                   \
    X("basepoint", BASEPOINT)                               \
    X("time+leadlag", TIME | LEADLAG)                       \
    X("time+basepoint", TIME | BASEPOINT)                   \
    X("leadlag+time", TIME | LEADLAG)                       \
    X("leadlag+basepoint", LEADLAG | BASEPOINT)             \
    X("basepoint+time", TIME | BASEPOINT)                   \
    X("basepoint+leadlag", LEADLAG | BASEPOINT)             \
    X("time+leadlag+basepoint", TIME | LEADLAG | BASEPOINT) \
    X("time+basepoint+leadlag", TIME | LEADLAG | BASEPOINT) \
    X("leadlag+time+basepoint", TIME | LEADLAG | BASEPOINT) \
    X("leadlag+basepoint+time", TIME | LEADLAG | BASEPOINT) \
    X("basepoint+time+leadlag", TIME | LEADLAG | BASEPOINT) \
    X("basepoint+leadlag+time", TIME | LEADLAG | BASEPOINT)

#define WORD(word, parts) word,
#define PARTS(word, parts) parts,
const char *const volt_augment_words[] = {AUGMENTS(WORD) NULL};
static const int augment_parts[] = {AUGMENTS(PARTS)};

static bool paths_are_rows(const volt_kernel *kernel, const volt_path_parameters *where)
{
    return kernel->present[where->path] && (int)kernel->value[where->path] == VOLT_PATH_ROWS;
}

volt_status volt_path_set_defaults(volt_kernel *kernel, const volt_path_parameters *where)
{
    const char *name = kernel->entry->info.name;
    bool rows = paths_are_rows(kernel, where);
    VOLT_REQUIRE(!rows || !kernel->present[where->window], VOLT_ERR_KERNEL,
                 "kernel %s: give window or path=rows, not both", name);
    VOLT_REQUIRE(where->prescale < 0 || rows || !kernel->present[where->prescale], VOLT_ERR_KERNEL,
                 "kernel %s: prescale requires path=rows", name);
    for (int p = 0; p < kernel->entry->info.n_parameters; p++)
        if (p != where->prescale || rows)
            volt_kernel_use_fallback(kernel, p);
    return VOLT_OK;
}

/* The requested augmentations; the default of path=rows is the published transform. */
static int augmentations(const volt_kernel *kernel, const volt_path_parameters *where, bool rows)
{
    if (where->augment < 0)
        return 0;
    if (rows && !kernel->present[where->augment])
        return TIME | LEADLAG;
    return augment_parts[(int)kernel->value[where->augment]];
}

volt_path_shape volt_path_shape_of(const volt_kernel *kernel, const volt_path_parameters *where)
{
    bool rows = paths_are_rows(kernel, where);
    int what = augmentations(kernel, where, rows);
    volt_path_shape shape = {
        .rows = rows,
        .time = what & TIME,
        .leadlag = what & LEADLAG,
        .basepoint = what & BASEPOINT,
        .prescale = rows && where->prescale >= 0 ? kernel->value[where->prescale] : 0,
        .scale = 1,
    };
    return shape;
}

volt_status volt_path_refuse_on_series(const volt_kernel *kernel)
{
    const volt_kernel_info *info = &kernel->entry->info;
    for (int p = 0; p < info->n_parameters; p++) {
        const char *name = info->parameters[p].name;
        bool rows = strcmp(name, "path") == 0 && (int)kernel->value[p] == VOLT_PATH_ROWS;
        VOLT_REQUIRE(!kernel->present[p] || (strcmp(name, "window") != 0 && !rows), VOLT_ERR_KERNEL,
                     "kernel %s: %s is for one sequence; in a collection every series is a path", info->name,
                     rows ? "path=rows" : "window");
    }
    return VOLT_OK;
}

volt_status volt_path_resolve(const volt_kernel *kernel, const volt_path_parameters *where, double radius,
                              volt_programme programme, double largest, volt_resolved *resolved)
{
    volt_path_shape shape = volt_path_shape_of(kernel, where);
    bool windowed = kernel->present[where->window];
    VOLT_REQUIRE(windowed || shape.rows, VOLT_ERR_KERNEL,
                 "kernel %s on a sequence requires window=W or path=rows", kernel->entry->info.name);
    shape.increments = volt_programme_on_increments(&programme);
    volt_resolved made = {
        .facts = {.radius = radius, .largest = largest},
        .window = windowed ? (int64_t)kernel->value[where->window] : 1,
        .programme = programme,
        .shape = shape,
    };
    *resolved = made;
    return VOLT_OK;
}
