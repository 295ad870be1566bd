/* bench/bench_lorenz.c: valid prediction time of a simulation of the Lorenz system.
 *
 * The first step at which |y - yhat| / |y| >= 0.2 in raw units, in Lyapunov times (step 0.005, exponent 0.9).
 * From the authors' starting point, with their scaling and with the library's, and from 20 others. */
#include "lorenz_problem.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STARTS = 20, FUTURE = 5000 /* 22.5 Lyapunov times */, SEED = 1963, SETTLE = 4000 };

static const double threshold = 0.2;

/* Valid prediction time of `path`, in raw units. */
static double valid_time(const lorenz_problem *problem, volt_matrix path)
{
    int64_t rows;
    int reached;
    need(volt_valid_rows(lorenz_future(problem->raw), volt_as_view(path), threshold, &rows, &reached), "score");

    /* Plainly: */
    volt_view truth = lorenz_future(problem->raw);
    int64_t t = 0;
    for (; t < truth.rows; t++) {
        double error2 = 0, size2 = 0;
        for (int k = 0; k < LORENZ_D; k++) {
            double y = truth.data[t * truth.ld + k], difference = y - path.data[t * path.ld + k];
            error2 += difference * difference;
            size2 += y * y;
        }
        if (sqrt(error2 / size2) >= threshold)
            break;
    }
    need_close("the rows that are valid", fabs((double)(rows - (t < truth.rows ? t + 1 : t))), 0);
    return (double)rows * lorenz_step * lorenz_lyapunov;
}

static double run_authors(const lorenz_problem *problem)
{
    volt_matrix path = volt_matrix_of(need_doubles(FUTURE * LORENZ_D), FUTURE, LORENZ_D);
    volt_model *model = lorenz_fit(problem);
    need(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, path, NULL), "continue");
    for (int64_t t = 0; t < FUTURE; t++)
        for (int k = 0; k < LORENZ_D; k++)
            path.data[t * LORENZ_D + k] = path.data[t * LORENZ_D + k] * problem->norm + problem->shift[k];
    double time = valid_time(problem, path);
    volt_model_free(model);
    free(path.data);
    return time;
}

static double run_default(const lorenz_problem *problem)
{
    volt_matrix path = volt_matrix_of(need_doubles(FUTURE * LORENZ_D), FUTURE, LORENZ_D);
    volt_model *model = lorenz_fit_default(problem);
    need(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, path, NULL), "continue");
    double time = valid_time(problem, path);
    volt_model_free(model);
    free(path.data);
    return time;
}

static void report_time(const char *name, const char *parameters, double time, double budget)
{
    measurement m = {.name = name,
                     .parameters = parameters,
                     .value = time,
                     .unit = "Lyapunov times",
                     .judge = budget > 0 ? JUDGE_VALUE : JUDGE_NOTHING,
                     .at_least = budget};
    report(&m);
}

int main(void)
{
    const double authors_start[LORENZ_D] = {0, 1, 1.05};
    need(volt_set_threads(2), "threads");
    lorenz_problem problem = lorenz_problem_make(authors_start, 0, FUTURE);
    report_time("valid time, authors", "start=0,1,1.05 scaling=authors", run_authors(&problem), 9);
    report_time("valid time, default", "start=0,1,1.05 scaling=default", run_default(&problem), 9);
    lorenz_problem_free(&problem);

    /* Other starting points: normally distributed about the authors', on the attractor after SETTLE rows. */
    volt_rng rng;
    volt_rng_init(&rng, SEED, 0);
    double sum[2] = {0}, least[2] = {INFINITY, INFINITY}, most[2] = {0};
    char parameters[128];
    for (int s = 0; s < STARTS; s++) {
        double start[LORENZ_D];
        for (int k = 0; k < LORENZ_D; k++)
            start[k] = authors_start[k] + volt_rng_normal(&rng);
        problem = lorenz_problem_make(start, SETTLE, FUTURE);
        double times[2] = {run_authors(&problem), run_default(&problem)};
        lorenz_problem_free(&problem);
        for (int way = 0; way < 2; way++) {
            sum[way] += times[way];
            least[way] = fmin(least[way], times[way]);
            most[way] = fmax(most[way], times[way]);
        }
        printf("{\"name\": \"valid time from a start\", \"parameters\": {\"start\": [%.6g, %.6g, %.6g]}, "
               "\"authors\": %.4g, \"default\": %.4g, \"unit\": \"Lyapunov times\"}\n",
               start[0], start[1], start[2], times[0], times[1]);
        fflush(stdout);
    }
    for (int way = 0; way < 2; way++) {
        snprintf(parameters, sizeof parameters, "starts=%d seed=%d scaling=%s min=%.3g max=%.3g", STARTS, SEED,
                 way ? "default" : "authors", least[way], most[way]);
        report_time("valid time, mean", parameters, sum[way] / STARTS, 0);
    }
    return 0;
}
