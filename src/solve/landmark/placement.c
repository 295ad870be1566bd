/* src/solve/landmark/placement.c: the choice between the CPU and a device, from estimated times. */
#include "solve/landmark/placement.h"
#include "base/threads.h"

#include "backend/backend.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "solve/landmark/landmark_operator.h"
#include "solve/solver_table.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

/* Factorisations below this number of operations do not search for a device: about a second on two cores. */
static const double min_operations = 2e10;

/* A device must be faster by this factor, including this start-up time in seconds: times are estimates. */
static const double min_gain = 1.5, start_seconds = 0.5;

/* ---- what fits -------------------------------------------------------------------------------- */

/* Largest n that fits in `bytes`. */
static int64_t rows_within(const volt_backend *backend, double bytes)
{
    int64_t fits = 0, does_not = 1;
    while (volt_backend_bytes(backend, (double)does_not) <= bytes) {
        fits = does_not;
        does_not *= 2;
    }
    while (does_not - fits > 1) {
        int64_t middle = fits + (does_not - fits) / 2;
        if (volt_backend_bytes(backend, (double)middle) <= bytes)
            fits = middle;
        else
            does_not = middle;
    }
    return fits;
}

static bool fits_on_device(const volt_device_plan *plan)
{
    return plan->available <= 0 || plan->bytes <= plan->available;
}

static void make_plan(const volt_backend *backend, const volt_work *work, volt_device_plan *plan)
{
    double n = (double)work->n;
    *plan = (volt_device_plan){.backend = backend,
                               .bytes = volt_backend_bytes(backend, n),
                               .available = backend->available ? (double)backend->available() : 0};
    if (plan->available > 0)
        plan->n_that_fits = rows_within(backend, plan->available);
    if (backend->seconds)
        backend->seconds(n, (double)work->d, &plan->gram_seconds, &plan->factor_seconds);
}

void volt_device_plan_make(const volt_work *work, volt_device_plan *plan)
{
    const volt_backend *backend = volt_backend_is_automatic() ? volt_device_backend() : volt_backend_current();
    *plan = (volt_device_plan){0};
    if (backend && volt_backend_is_remote(backend))
        make_plan(backend, work, plan);
}

volt_status volt_place_require(const volt_backend *backend, int64_t n, const char *what)
{
    volt_device_plan plan;
    make_plan(backend, &(volt_work){.n = n, .d = 1, .factors = 1}, &plan);
    VOLT_REQUIRE(fits_on_device(&plan), VOLT_ERR_MEMORY,
                 "%s requires %.3g GB on the device, which has %.3g GB available; up to %" PRId64 " rows fit",
                 what, plan.bytes / 1e9, plan.available / 1e9, plan.n_that_fits);
    return VOLT_OK;
}

/* ---- what pays -------------------------------------------------------------------------------- */

/* Seconds to factor n rows on the CPU, from one trial per process; 0 if it failed. */
static double cpu_seconds(double n)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static double of_a_thousand; /* 0: not known yet */
    pthread_mutex_lock(&lock);
    if (of_a_thousand == 0 && volt_solver_exact.seconds(1000, 0, &of_a_thousand) != VOLT_OK)
        of_a_thousand = 0;
    double seconds = of_a_thousand;
    pthread_mutex_unlock(&lock);
    return seconds * pow(n / 1000, 3);
}

static bool pays(const volt_device_plan *plan, const volt_work *work)
{
    double on_device = plan->gram_seconds + plan->factor_seconds;
    return on_device > 0 &&
           work->factors * cpu_seconds((double)work->n) > min_gain * work->factors * on_device + start_seconds;
}

/* True only for the first call. */
static bool is_first(atomic_flag *warned)
{
    return !atomic_flag_test_and_set(warned);
}

const volt_backend *volt_place_on_cpu(const char *what)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    bool is_shared = volt_bands_current()->parts > 1; /* the back end of a job is remote, but not a device */
    if (volt_backend_is_remote(volt_backend_current()) && !is_shared && is_first(&warned))
        volt_log(VOLT_LOG_WARNING, "%s on the CPU; the device setting is ignored", what);
    return &volt_cpu_backend;
}

static void warn_once(const volt_work *work, const volt_device_plan *plan)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (is_first(&warned))
        volt_log(VOLT_LOG_WARNING,
                 "%" PRId64 " rows do not fit on the device, which holds up to %" PRId64 ": the CPU is used",
                 work->n, plan->n_that_fits);
}

const volt_backend *volt_place(const volt_work *work)
{
    double n = (double)work->n;
    if (!volt_backend_is_automatic())
        return volt_backend_current();
    if (work->factors * n * n * n / 3 < min_operations)
        return &volt_cpu_backend;
    const volt_backend *device = volt_device_backend();
    if (!device || volt_backend_state(device) != VOLT_OK)
        return &volt_cpu_backend;
    volt_device_plan plan;
    make_plan(device, work, &plan);
    if (!pays(&plan, work))
        return &volt_cpu_backend;
    if (!fits_on_device(&plan)) {
        warn_once(work, &plan);
        return &volt_cpu_backend;
    }
    return device;
}

/* ---- landmarks -------------------------------------------------------------------------------- */

/* A triangular solve and a product of n m^2 operations each, relative to a factorisation of as many; and two
 * passes of rows against the columns of the landmarks. */
static bool landmarks_pay(const volt_backend *device, double n, double m, double d)
{
    const double columns = 4, passes = 2, slower = 2; /* relative to a factorisation */
    double equal = cbrt(3 * 2 * n * m * m), entries = passes * columns * n * m, gram = 0, factor = 0, unused;
    if (!device->seconds)
        return false;
    device->seconds(equal, d, &unused, &factor);
    device->seconds(sqrt(2 * entries), d, &gram, &unused);
    return cpu_seconds(equal) > min_gain * (slower * factor + gram) + start_seconds;
}

/* Returns true if the device does not report its memory. */
static bool has_memory(const volt_backend *device, double bytes)
{
    double available = device->available ? (double)device->available() : 0;
    return available <= 0 || bytes <= available;
}

static bool landmarks_fit_on_device(const volt_backend *device, double m)
{
    enum { COLUMNS = 8 }; /* per landmark */
    return has_memory(device, volt_device_landmarks_bytes(device, 0, m, COLUMNS * m));
}

const volt_backend *volt_place_landmarks(int64_t n, int64_t landmarks, int64_t d)
{
    double m = (double)landmarks;
    const volt_backend *chosen = volt_backend_chosen();
    if (chosen) {
        return volt_device_landmarks_can(chosen) ? chosen : volt_place_on_cpu("a solver on landmarks works");
    }
    if (2 * (double)n * m * m < min_operations)
        return &volt_cpu_backend;
    const volt_backend *device = volt_device_backend();
    bool works = device && volt_device_landmarks_can(device) && volt_backend_state(device) == VOLT_OK;
    return works && landmarks_pay(device, (double)n, m, (double)d) && landmarks_fit_on_device(device, m)
               ? device
               : &volt_cpu_backend;
}

const volt_backend *volt_place_features(const volt_backend *backend, int64_t n, int64_t landmarks,
                                        int64_t columns)
{
    if (!backend || !volt_device_landmarks_can(backend))
        return &volt_cpu_backend;
    double rows = ceil((double)n / (double)volt_bands_current()->parts);
    double bytes = volt_device_landmarks_bytes(backend, rows, (double)landmarks, (double)columns);
    return has_memory(backend, bytes) ? backend : &volt_cpu_backend;
}

const volt_backend *volt_place_agree(const volt_backend *backend)
{
    const volt_bands *bands = volt_bands_current();
    double devices = backend && volt_backend_is_remote(backend);
    bands->sum(&devices, 1);
    return bands->parts == 1 || devices == (double)bands->parts ? backend : &volt_cpu_backend;
}

/* ---- products --------------------------------------------------------------------------------- */

/* The CPU computes entries up to the diagonal on all cores; a device computes all entries, block by block. */
static bool products_pay(const volt_backend *device, double n, double d)
{
    /* entries per second and core; estimated minimum number of products */
    const double rate = 0.5e9, products = 20;
    double gram = 0, factor = 0, on_cpu = n * n / 2 * (1 + d / 20) / rate / (double)volt_threads();
    if (!device->seconds)
        return false;
    device->seconds(n, d, &gram, &factor);
    return products * on_cpu > min_gain * products * 2 * gram + start_seconds;
}

const volt_backend *volt_place_products(int64_t n, int64_t d)
{
    const volt_backend *chosen = volt_backend_chosen();
    if (chosen) {
        return chosen->cross || chosen->product ? chosen : volt_place_on_cpu("a solver by products works");
    }
    if ((double)n * (double)n * (1 + (double)d / 20) < min_operations / 10)
        return &volt_cpu_backend;
    const volt_backend *device = volt_device_backend();
    bool works = device && device->cross && volt_backend_state(device) == VOLT_OK;
    return works && products_pay(device, (double)n, (double)d) ? device : &volt_cpu_backend;
}

const volt_backend *volt_place_solver(const volt_solver *solver, const volt_work *work)
{
    if (solver && volt_solver_keeps_landmarks(solver)) /* placed when the landmarks are known */
        return volt_backend_current();
    return solver && solver->needs.rows ? volt_place_products(work->n, work->d) : volt_place(work);
}

/* ---- free runs -------------------------------------------------------------------------------- */

/* One core, at the speed of a stream (docs/performance.md). */
static double run_seconds_on_cpu(int64_t rows, int64_t m, int64_t d)
{
    const double entries = 0.6e9;
    return (double)rows * (double)m * (1 + (double)d / 20) / entries;
}

static double run_seconds_on_device(const volt_backend *backend, int64_t rows, int64_t m, int64_t d)
{
    return backend->run_seconds ? backend->run_seconds((double)rows, (double)m, (double)d) : 0;
}

bool volt_run_is_faster(const volt_backend *backend, int64_t rows, int64_t m, int64_t d)
{
    return backend->run && run_seconds_on_device(backend, rows, m, d) < run_seconds_on_cpu(rows, m, d);
}

const volt_backend *volt_place_run(int64_t rows, int64_t m, int64_t d)
{
    if (!volt_backend_is_automatic())
        return volt_backend_current();
    double on_cpu = run_seconds_on_cpu(rows, m, d);
    if (on_cpu < min_gain * start_seconds) /* do not search for a device */
        return &volt_cpu_backend;
    const volt_backend *device = volt_device_backend();
    if (!device || !device->run || volt_backend_state(device) != VOLT_OK)
        return &volt_cpu_backend;
    return on_cpu > min_gain * run_seconds_on_device(device, rows, m, d) + start_seconds ? device
                                                                                         : &volt_cpu_backend;
}
