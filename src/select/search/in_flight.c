/* src/select/search/in_flight.c: the number of workspaces, from threads and from memory of host and device. */
#include "select/search/search_run.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "solve/landmark/placement.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    MAX_PARALLEL_ROWS = 8192, /* larger factorisations use all threads */
    MANY = 1000               /* assumed number of candidates of an unlimited search */
};

/* Shares of the available memory; the rest is for engines, and for other users of a device. */
static const double host_share = 0.5, device_share = 0.9;

void volt_flight_choose(volt_problem *problem, int64_t candidates)
{
    volt_work work = {
        .n = problem->max_rows, .d = problem->d, .factors = candidates < 0 ? MANY : (double)candidates};
    problem->backend = problem->loss        ? volt_place_on_cpu("a loss other than squares is minimised")
                       : problem->landmarks ? volt_place_on_cpu("candidates are fitted on landmarks")
                                            : volt_place(&work);
}

volt_status volt_flight_place(volt_problem *problem, int64_t candidates)
{
    char what[96];
    volt_flight_choose(problem, candidates);
    snprintf(what, sizeof what, "a search on %" PRId64 " rows", problem->n);
    volt_status status = volt_memory_require(volt_workspace_bytes(problem), what);
    return status == VOLT_OK ? volt_place_require(problem->backend, problem->max_rows, what) : status;
}

/* Reduces the count until each has `bytes` of `share` of the available memory (0: unknown). */
static int64_t within(int64_t count, double bytes, double available, double share)
{
    while (count > 1 && available > 0 && (double)count * bytes > share * available)
        count--;
    return volt_max(count, 1);
}

int64_t volt_flight_size(const volt_problem *problem, int64_t candidates)
{
    const volt_backend *backend = problem->backend;
    int64_t count = volt_threads();
    int64_t devices = volt_backend_devices(backend);
    if (backend->streams > 0)
        count = backend->streams * devices;
    count = volt_max(count, devices);
    if (candidates >= 0)
        count = volt_min(count, candidates);
    if (!volt_backend_is_remote(backend) && !problem->landmarks && problem->max_rows > MAX_PARALLEL_ROWS)
        count = 1;
    count = within(count, volt_workspace_bytes(problem), (double)volt_memory_available(), host_share);
    for (int64_t i = 0; backend->available && i < devices; i++) {
        int64_t before = volt_backend_bind(backend, i), each = (count + devices - 1) / devices;
        each = within(each, volt_workspace_device_bytes(problem), (double)backend->available(), device_share);
        count = volt_min(count, each * devices);
        volt_backend_bind(backend, before);
    }
    return count;
}
