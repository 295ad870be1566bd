/* tests/support/long_run.c: long runs of a stream and of a learner, compared with fresh ones. */
#include "support/long_run.h"
#include "base/memory.h"
#include "support/live_options.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { TRAINED = 200, YOUNG = 1000, COMPARED = 20, WASHOUT = 200 };
static const double alpha = 0.01;

#define TRY(call)                 \
    do {                          \
        volt_status tried = call; \
        if (tried)                \
            return tried;         \
    } while (0)

/* ---- memory usage ------------------------------------------------------------------------------ */

enum { ALIGNMENT = 64 };
static atomic_llong bytes_held;

/* The size is stored before the block. */
static void *counted_alloc(size_t bytes, void *context)
{
    (void)context;
    size_t space = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    char *block = aligned_alloc(ALIGNMENT, space);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    atomic_fetch_add(&bytes_held, (long long)bytes);
    return block + ALIGNMENT;
}

static void counted_release(void *memory, void *context)
{
    (void)context;
    if (!memory)
        return;
    char *block = (char *)memory - ALIGNMENT;
    size_t bytes;
    memcpy(&bytes, block, sizeof bytes);
    atomic_fetch_sub(&bytes_held, (long long)bytes);
    free(block);
}

void soak_count(void)
{
    static const volt_allocator counted = {counted_alloc, counted_release, NULL};
    volt_set_allocator(&counted);
}

void soak_uncount(void)
{
    volt_set_allocator(NULL);
}

/* ---- the system -------------------------------------------------------------------------------- */

typedef struct source {
    volt_rng rng;
    double before[2]; /* the last two inputs */
} source;

static source source_begin(uint64_t seed)
{
    source s = {.before = {0, 0}};
    volt_rng_init(&s.rng, seed, 0);
    return s;
}

static void source_next(source *s, double *x, double *y)
{
    *x = 2 * volt_rng_uniform(&s->rng) - 1;
    *y = 0.8 * *x + 0.6 * *x * s->before[0] + 0.4 * s->before[1] + 0.05 * (2 * volt_rng_uniform(&s->rng) - 1);
    s->before[1] = s->before[0];
    s->before[0] = *x;
}

/* A model of these rows, all but the washout. */
static volt_status fit(const double *x, const double *y, int64_t rows, int64_t washout, volt_model **model)
{
    volt_kernel *kernel = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.scale = 0;
    options.season = 0;
    options.washout = washout;
    TRY(volt_kernel_parse("volterra:tau=0.5,lambda=0.6", &kernel));
    volt_status status = volt_model_fit(kernel, volt_view_of(x, rows, 1), volt_view_of(y, rows, 1), &options,
                                        (volt_matrix){0}, model);
    volt_kernel_free(kernel);
    return status;
}

/* ---- a stream ---------------------------------------------------------------------------------- */

typedef struct streaming {
    volt_model *model;
    volt_live *stream;
    source from;
    double recent[YOUNG], forecasts[YOUNG]; /* ring buffers: row t is at t % YOUNG */
    double bound;
} streaming;

static double bound_of_stream(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    double size = 0;
    volt_model_get_info(model, &info);
    for (int64_t i = 0; i < info.kernel_rows; i++)
        size += fabs(info.coefficients[i]);
    return 2 * DBL_EPSILON * info.facts->largest * size * ((double)info.n + 8 / (1 - info.facts->contraction));
}

static volt_status begin_stream(streaming *s)
{
    double x[TRAINED], y[TRAINED];
    volt_predict_options options = volt_predict_options_default();
    s->from = source_begin(91);
    for (int64_t i = 0; i < TRAINED; i++)
        source_next(&s->from, &x[i], &y[i]);
    x[0] = 1; /* the largest there is */
    TRY(fit(x, y, TRAINED, 0, &s->model));
    s->bound = bound_of_stream(s->model);
    options.beyond = VOLT_BEYOND_ERROR;
    return volt_live_create(s->model, as_live(&options), &s->stream);
}

/* Compare the last predictions with those of a stream that starts at the last YOUNG rows. */
static volt_status compare_stream(const streaming *s, int64_t rows, double *error)
{
    volt_live *young = NULL;
    volt_predict_options options = volt_predict_options_default();
    options.start = VOLT_START_RESET;
    *error = 0;
    volt_status status = volt_live_create(s->model, as_live(&options), &young);
    for (int64_t t = rows - YOUNG; status == VOLT_OK && t < rows; t++) {
        double y = NAN;
        status = volt_live_feed(young, &s->recent[t % YOUNG], &y);
        if (t >= rows - COMPARED)
            *error = fmax(*error, fabs(y - s->forecasts[t % YOUNG]));
    }
    volt_live_free(young);
    return status;
}

static volt_status run_stream(streaming *s, int64_t rows, int64_t samples, soak_report *report, void *context)
{
    int64_t next = 1;
    for (int64_t t = 0; t < rows; t++) {
        double x, y;
        source_next(&s->from, &x, &y);
        s->recent[t % YOUNG] = x;
        TRY(volt_live_feed(s->stream, &x, &s->forecasts[t % YOUNG]));
        if (t + 1 < YOUNG || (t + 1) * samples < next * rows)
            continue;
        soak_sample sample = {.rows = t + 1, .bound = s->bound, .held = atomic_load(&bytes_held)};
        TRY(compare_stream(s, t + 1, &sample.error));
        report(context, &sample);
        next++;
    }
    return VOLT_OK;
}

volt_status soak_stream(int64_t rows, int64_t samples, soak_report *report, void *context)
{
    streaming s = {.model = NULL};
    volt_status status = begin_stream(&s);
    if (status == VOLT_OK)
        status = run_stream(&s, rows, samples, report, context);
    volt_live_free(s.stream);
    volt_model_free(s.model);
    return status;
}

/* ---- a learner --------------------------------------------------------------------------------- */

typedef struct learning {
    volt_model *model;
    volt_live *learner;
    source from;
    int64_t kept;  /* rows of x and y: washout, window and the rows that are forecast */
    double *x, *y; /* those that the learner has seen, then those to come */
} learning;

/* Advance by one row: drop the oldest and append a new one. */
static void move_on(learning *l)
{
    memmove(l->x, l->x + 1, (size_t)(l->kept - 1) * sizeof *l->x);
    memmove(l->y, l->y + 1, (size_t)(l->kept - 1) * sizeof *l->y);
    source_next(&l->from, &l->x[l->kept - 1], &l->y[l->kept - 1]);
}

static volt_status begin_learner(learning *l, int64_t window)
{
    volt_live_options options = *with_learning();
    options.window = window;
    options.beyond = VOLT_BEYOND_ALLOW;
    l->kept = WASHOUT + window + COMPARED;
    l->x = calloc((size_t)l->kept, sizeof *l->x);
    l->y = calloc((size_t)l->kept, sizeof *l->y);
    if (!l->x || !l->y)
        return VOLT_ERR_MEMORY;
    l->from = source_begin(92);
    for (int64_t i = 0; i < l->kept; i++)
        source_next(&l->from, &l->x[i], &l->y[i]);
    TRY(fit(l->x, l->y, l->kept - COMPARED, WASHOUT, &l->model));
    return volt_live_create(l->model, &options, &l->learner);
}

/* Compare predictions of the next rows with those of a fit on the rows of the window. */
static volt_status compare_learner(const learning *l, soak_sample *sample)
{
    volt_model *fresh = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_predict_options options = volt_predict_options_default();
    double expected[COMPARED], found[COMPARED];
    int64_t seen = l->kept - COMPARED;
    volt_view next = volt_view_of(l->x + seen, COMPARED, 1);
    TRY(fit(l->x, l->y, seen, WASHOUT, &fresh));
    volt_model_get_info(fresh, &info);
    options.beyond = VOLT_BEYOND_ALLOW;
    volt_status status = volt_model_predict(fresh, next, &options, volt_matrix_of(expected, COMPARED, 1), NULL);
    if (status == VOLT_OK)
        status = volt_live_predict(l->learner, next, 0, volt_matrix_of(found, COMPARED, 1), NULL);
    for (int64_t i = 0; status == VOLT_OK && i < COMPARED; i++)
        sample->error = fmax(sample->error, fabs(found[i] - expected[i]));
    double n = (double)seen;
    sample->bound = n * DBL_EPSILON * (n * info.facts->largest + alpha) / alpha;
    volt_model_free(fresh);
    return status;
}

static volt_status run_learner(learning *l, int64_t rows, int64_t samples, soak_report *report, void *context)
{
    int64_t next = 1;
    for (int64_t t = 0; t < rows; t++) {
        int64_t now = l->kept - COMPARED;
        TRY(volt_live_update(l->learner, &l->x[now], 0, &l->y[now], NULL));
        move_on(l);
        if ((t + 1) * samples < next * rows)
            continue;
        soak_sample sample = {.rows = t + 1, .held = atomic_load(&bytes_held)};
        TRY(compare_learner(l, &sample));
        report(context, &sample);
        next++;
    }
    return VOLT_OK;
}

volt_status soak_learn(int64_t window, int64_t rows, int64_t samples, soak_report *report, void *context)
{
    learning l = {.model = NULL};
    volt_status status = begin_learner(&l, window);
    if (status == VOLT_OK)
        status = run_learner(&l, rows, samples, report, context);
    volt_live_free(l.learner);
    volt_model_free(l.model);
    free(l.x);
    free(l.y);
    return status;
}
