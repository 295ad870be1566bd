/* cli/benchmark/chaos_run.c: learn from the rows of a start, let the model run alone, see how long it follows. */
#include "benchmark/chaos.h"
#include "files/inputs.h"
#include "terminal/interrupt.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { WASHOUT = 50, DISCARD = 1000, FIRST_VALIDATION = 1000000 /* stream of the generator */ };

/* Rows of one start, and what a path of them is measured by. */
typedef struct chaos_start {
    /* training rows, the last of which is the first input of the free run, and those after them */
    volt_matrix rows;
    double spread; /* root mean squared distance of the training rows from their mean */
} chaos_start;

static double now(void)
{
    struct timespec time = {0};
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- a start ---------------------------------------------------------------------------------- */

static double spread_of(volt_view rows)
{
    double sum = 0;
    for (int64_t k = 0; k < rows.cols; k++) {
        double mean = 0;
        for (int64_t t = 0; t < rows.rows; t++)
            mean += rows.data[t * rows.ld + k] / (double)rows.rows;
        for (int64_t t = 0; t < rows.rows; t++)
            sum += pow(rows.data[t * rows.ld + k] - mean, 2) / (double)rows.rows;
    }
    return sqrt(sum);
}

static int make_start(const chaos_run *run, uint64_t seed, uint64_t stream, chaos_start *start)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, stream);
    int64_t count = run->rows + 1 + run->system->longest;
    int failed = allocate_matrix(count, run->system->d, "a path", &start->rows);
    volt_status status = failed ? VOLT_OK : run->system->simulate(&rng, DISCARD, start->rows);
    if (status)
        failed = complain_status(status);
    if (!failed)
        start->spread = spread_of(volt_view_of(start->rows.data, run->rows + 1, start->rows.cols));
    return failed;
}

/* ---- a model of it ---------------------------------------------------------------------------- */

static volt_status fit(const chaos_run *run, const chaos_start *start, const chaos_setting *setting,
                       volt_model **model)
{
    volt_kernel *kernel = NULL;
    volt_fit_options options = volt_fit_options_default();
    int64_t anchors[] = {0, 1, 2};
    options.alpha = setting->alpha;
    options.solver = setting->solver;
    options.washout = WASHOUT < run->rows / 4 ? WASHOUT : run->rows / 4;
    options.ahead = options.feedback = 1;
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_LEVEL;
    options.season = 0;
    options.anchors = anchors;
    volt_view rows = volt_as_view(start->rows);
    volt_status status = volt_kernel_parse(setting->kernel, &kernel);
    if (!status)
        status = volt_model_fit(kernel, volt_view_rows(rows, 0, run->rows), volt_view_rows(rows, 1, run->rows),
                                &options, volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    return status;
}

/* Rows for which the path of the model is valid. A path that leaves what numbers can hold is not valid from there on. */
static volt_status follow(const chaos_run *run, const chaos_start *start, const volt_model *model,
                          int64_t *valid)
{
    volt_stream *stream = NULL;
    volt_status status = volt_stream_create(model, NULL, &stream);
    double x[3], y[3];
    int reached = 0;
    volt_view truth = volt_view_rows(volt_as_view(start->rows), run->rows, run->system->longest + 1);
    for (int64_t k = 0; k < truth.cols; k++)
        y[k] = truth.data[k];
    *valid = 0;
    while (!status && !reached && *valid < run->system->longest) {
        for (int64_t k = 0; k < truth.cols; k++)
            x[k] = y[k];
        ++*valid;
        int64_t rows = 0;
        if (volt_stream_push(stream, x, y) != VOLT_OK)
            break;
        status = volt_valid_rows_of_size(volt_view_rows(truth, *valid, 1), volt_view_of(y, 1, truth.cols),
                                         start->spread, chaos_threshold, &rows, &reached);
    }
    volt_stream_free(stream);
    return status;
}

/* The valid time of a setting on a start, in Lyapunov times. A setting that cannot be fitted follows for no time. */
static int measure(const chaos_run *run, const chaos_start *start, const chaos_setting *setting,
                   chaos_result *result, double *time)
{
    volt_model *model = NULL;
    int64_t valid = 0;
    double begun = now();
    volt_status status = fit(run, start, setting, &model);
    if (status == VOLT_ERR_SINGULAR) {
        *time = 0;
        return 0;
    }
    double fitted = now();
    if (!status)
        status = follow(run, start, model, &valid);
    result->fit_seconds += fitted - begun;
    result->run_seconds += now() - fitted;
    *time = (double)valid * run->system->step * run->system->lyapunov;
    volt_model_free(model);
    return status ? complain_status_hint(status, " (%s, %s)", run->system->title, setting->kernel) : 0;
}

/* ---- a method --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quantile of `count` sorted values, on the line between two of them. */
static double quantile(const double *sorted, int64_t count, double share)
{
    double at = share * (double)(count - 1);
    int64_t low = (int64_t)at, high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

/* As many other starts choose the settings, at most CHAOS_VALIDATION. */
static int64_t validation_of(const chaos_run *run)
{
    return run->starts < CHAOS_VALIDATION ? run->starts : CHAOS_VALIDATION;
}

typedef struct chaos_progress {
    volt_progress progress;
    double done, total; /* fits */
} chaos_progress;

/* One more fit is done; true: the user wants no more. */
static bool advance(chaos_progress *progress)
{
    progress->done++;
    return progress->progress.report &&
           progress->progress.report("starts", progress->done / progress->total, progress->progress.context);
}

static int choose_setting(const chaos_run *run, const chaos_method *method, const chaos_start *starts,
                          chaos_progress *progress, chaos_result *result)
{
    result->validation = -1;
    for (const chaos_setting *setting = method->settings; setting->kernel; setting++) {
        double times[CHAOS_VALIDATION] = {0};
        chaos_result unused = {0};
        int64_t count = validation_of(run);
        for (int64_t s = 0; s < count; s++) {
            int failed = measure(run, &starts[s], setting, &unused, &times[s]);
            if (failed)
                return failed;
            if (advance(progress))
                return complain(interrupt_exit_status(), "interrupted");
        }
        qsort(times, (size_t)count, sizeof *times, compare);
        double median = quantile(times, count, 0.5);
        if (median > result->validation) {
            result->validation = median;
            result->setting = setting;
        }
    }
    return 0;
}

static int run_method(chaos_run *run, const chaos_start *starts, chaos_progress *progress, chaos_result *result)
{
    int failed = 0;
    double *sorted = malloc((size_t)run->starts * sizeof *sorted);
    result->times = malloc((size_t)run->starts * sizeof *result->times);
    if (!sorted || !result->times)
        failed = complain(EXIT_FAILED, "not enough memory for the valid times");
    for (int64_t s = 0; !failed && s < run->starts; s++) {
        failed = measure(run, &starts[s], result->setting, result, &result->times[s]);
        if (!failed && advance(progress))
            failed = complain(interrupt_exit_status(), "interrupted");
    }
    for (int64_t s = 0; !failed && s < run->starts; s++)
        sorted[s] = result->times[s];
    if (!failed) {
        qsort(sorted, (size_t)run->starts, sizeof *sorted, compare);
        result->median = quantile(sorted, run->starts, 0.5);
        result->lower = quantile(sorted, run->starts, 0.25);
        result->upper = quantile(sorted, run->starts, 0.75);
        result->fit_seconds /= (double)run->starts;
        result->run_seconds /= (double)run->starts;
    }
    free(sorted);
    return failed;
}

/* ---- a system --------------------------------------------------------------------------------- */

static double count_fits(const chaos_run *run)
{
    double count = 0;
    for (int m = 0; m < CHAOS_METHODS; m++) {
        count += (double)run->starts;
        for (const chaos_setting *setting = run->system->methods[m].settings; setting->kernel; setting++)
            count += (double)validation_of(run);
    }
    return count;
}

static int run_methods(chaos_run *run, const chaos_start *starts, const chaos_start *validation, bool quiet)
{
    chaos_progress progress = {.progress = progress_begin(quiet), .total = count_fits(run)};
    int failed = 0;
    progress_describe(run->system->title);
    for (int m = 0; !failed && m < CHAOS_METHODS; m++) {
        failed = choose_setting(run, &run->system->methods[m], validation, &progress, &run->results[m]);
        if (!failed)
            failed = run_method(run, starts, &progress, &run->results[m]);
    }
    progress_end();
    return failed;
}

int chaos_compute(chaos_run *run, uint64_t seed, bool quiet)
{
    int64_t count = run->starts + validation_of(run);
    chaos_start *starts = calloc((size_t)count, sizeof *starts);
    int failed = starts ? 0 : complain(EXIT_FAILED, "not enough memory for the starts");
    for (int64_t s = 0; !failed && s < count; s++)
        failed = make_start(run, seed, (uint64_t)(s < run->starts ? s : FIRST_VALIDATION + s - run->starts),
                            &starts[s]);
    if (!failed) {
        volt_set_log(NULL, NULL); /* alphas at the rounding level are here on purpose: rows have no noise */
        failed = run_methods(run, starts, starts + run->starts, quiet);
        volt_set_log(hold_library_warning, NULL);
    }
    for (int64_t s = 0; starts && s < count; s++)
        free(starts[s].rows.data);
    free(starts);
    return failed;
}

void chaos_release(chaos_run *run)
{
    for (int m = 0; m < CHAOS_METHODS; m++)
        free(run->results[m].times);
}
