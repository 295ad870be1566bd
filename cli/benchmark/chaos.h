/* cli/benchmark/chaos.h: chaotic systems, methods that continue them, and how long they follow.
 *
 * A method is a list of settings (kernel, alpha, solver), of which the one with the largest median valid time over starts that
 * are not in the table is run. Everything is noise-free and integrated to rounding. */
#ifndef CLI_CHAOS_H
#define CLI_CHAOS_H

#include "args/names.h"
#include "volterra.h"

#include <stdbool.h>

enum { CHAOS_MOST_SETTINGS = 6, CHAOS_METHODS = 3, CHAOS_MOST_PUBLISHED = 4, CHAOS_VALIDATION = 5 };

typedef struct chaos_setting {
    const char *kernel; /* NULL: behind the last */
    double alpha;
    volt_fit_solver solver;
} chaos_setting;

typedef struct chaos_method {
    const char *name;
    chaos_setting settings[CHAOS_MOST_SETTINGS + 1];
} chaos_method;

typedef struct chaos_figure {
    const char *method; /* with the source; NULL: behind the last */
    double value;       /* Lyapunov times */
} chaos_figure;

typedef struct chaos_system {
    const char *name, *title;
    int64_t d;
    double step;     /* time between rows ... */
    double lyapunov; /* ... and the exponent of errors, one over time */
    int64_t longest; /* rows that are followed at most */
    volt_status (*simulate)(volt_rng *rng, int64_t discard, volt_matrix out);
    chaos_method methods[CHAOS_METHODS];
    chaos_figure published[CHAOS_MOST_PUBLISHED + 1];
} chaos_system;

extern const chaos_system chaos_systems[];
extern const int n_chaos_systems;
name_list chaos_system_names(void);

extern const double chaos_threshold; /* of the error, in units of the spread of the training rows */

/* What one method did on one system. */
typedef struct chaos_result {
    const chaos_setting *setting;
    double validation;               /* its median on the starts that chose it */
    double median, lower, upper;     /* with the quartiles */
    double *times;                   /* of each start, in Lyapunov times */
    double fit_seconds, run_seconds; /* of one start, in the mean */
} chaos_result;

typedef struct chaos_run {
    const chaos_system *system;
    int64_t rows, starts;
    chaos_result results[CHAOS_METHODS];
} chaos_run;

/* Returns 0, or the exit status after saying what is wrong. Release it in every case. */
int chaos_compute(chaos_run *run, uint64_t seed, bool quiet);
void chaos_release(chaos_run *run);

int chaos_print(const chaos_run *runs, int count, bool json);

#endif
