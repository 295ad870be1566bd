/* tests/backend/test_placement.c: the choice between the CPU and a device at its exact limits.
 *
 * Replaces the clock, so that the trial of the CPU takes one second, and the device, whose times, memory and state
 * the test sets. Expected limits are computed from the operations. */
#include "base/row_bands.h"
#include "solve/landmark/landmark_operator.h"
#include "solve/landmark/placement.h"
#include "solve/solver_table.h"
#include "support/check.h"
#include "volterra.h"

#include <time.h>

enum { TRIAL_ROWS = 1536 }; /* of the trial: one second */
static const double gain = 1.5, start = 0.5, smallest = 2e10;

/* Each call advances the library's clock by one second. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static long seconds;
    (void)clock;
    *now = (struct timespec){.tv_sec = ++seconds};
    return 0;
}

/* ---- the device ------------------------------------------------------------------------------- */

static struct {
    double gram, factor; /* seconds per n^2 d and per n^3 */
    double run;
    uint64_t available;
    volt_status state;
} settings;

static volt_status device_state(void)
{
    return settings.state;
}

static uint64_t device_available(void)
{
    return settings.available;
}

static double device_bytes(double n)
{
    return 16 * n;
}

static void device_seconds(double n, double d, double *gram, double *factor)
{
    *gram = settings.gram * n * n * d;
    *factor = settings.factor * n * n * n;
}

static double device_run_seconds(double rows, double m, double d)
{
    (void)rows, (void)m, (void)d;
    return settings.run;
}

static void gather(volt_view K, const int64_t *column, const double *shift, volt_matrix F)
{
    (void)K, (void)column, (void)shift, (void)F;
}

static void accumulate(volt_view F, double scale, volt_matrix G)
{
    (void)F, (void)scale, (void)G;
}

static bool cross(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K,
                  volt_stage *stage)
{
    (void)form, (void)Y, (void)Z, (void)state, (void)K, (void)stage;
    return false;
}

static bool run(const volt_run_form *form, volt_view Y, volt_view coefficients, const volt_run_task *task,
                volt_matrix out, volt_run_result *result)
{
    (void)form, (void)Y, (void)coefficients, (void)task, (void)out, (void)result;
    return false;
}

static volt_backend device;

const volt_backend *__wrap_volt_device_backend(void);
const volt_backend *__wrap_volt_device_backend(void)
{
    return device.name ? &device : NULL;
}

static int make_device(void **state)
{
    device = (volt_backend){.name = "device",
                            .gather = gather,
                            .accumulate = accumulate,
                            .cross = cross,
                            .run = run,
                            .run_seconds = device_run_seconds,
                            .state = device_state,
                            .available = device_available,
                            .bytes = device_bytes,
                            .seconds = device_seconds};
    memset(&settings, 0, sizeof settings);
    settings.gram = settings.factor = 1e-30;
    return volt_set_threads(1) != VOLT_OK;
}

static int reset(void **state)
{
    volt_backend_set(NULL);
    return volt_set_threads(0) != VOLT_OK;
}

/* The CPU factors TRIAL_ROWS rows in a second. */
static double cpu_seconds(double n)
{
    return pow(n / TRIAL_ROWS, 3);
}

static const volt_backend *place(int64_t n, int64_t d, double factors)
{
    return volt_place(&(volt_work){.n = n, .d = d, .factors = factors});
}

/* ---- Gram matrices and factors ---------------------------------------------------------------- */

/* factors n^3 / 3 reaches 2e10 between 3914 and 3915 rows, and between 3107 and 3108 for two factors. */
static void small_work_stays_on_the_cpu(void **state)
{
    assert_ptr_equal(place(3914, 2, 1), &volt_cpu_backend);
    assert_ptr_equal(place(3915, 2, 1), &device);
    assert_ptr_equal(place(3107, 2, 2), &volt_cpu_backend);
    assert_ptr_equal(place(3108, 2, 2), &device);
}

static void factors_use_a_faster_device(void **state)
{
    for (int factors = 1; factors <= 3; factors += 2) {
        double n = 5000, d = 2;
        double limit = (factors * cpu_seconds(n) - start) / (gain * factors);
        for (int share = 0; share <= 4; share++) {
            settings.gram = limit * share / 4 / (n * n * d);
            settings.factor = limit * (4 - share) / 4 / (n * n * n);
            settings.gram *= 1 - 1e-9;
            settings.factor *= 1 - 1e-9;
            assert_ptr_equal(place((int64_t)n, (int64_t)d, factors), &device);
            settings.gram *= 1 + 2e-9;
            settings.factor *= 1 + 2e-9;
            assert_ptr_equal(place((int64_t)n, (int64_t)d, factors), &volt_cpu_backend);
        }
    }
    settings.gram = settings.factor = 0; /* unknown */
    assert_ptr_equal(place(5000, 2, 1), &volt_cpu_backend);
}

static void work_must_fit_on_a_working_device(void **state)
{
    settings.available = 16 * 5000;
    assert_ptr_equal(place(5000, 2, 1), &device);
    settings.available--;
    assert_ptr_equal(place(5000, 2, 1), &volt_cpu_backend);
    assert_int_equal(volt_place_require(&device, 4999, "this"), VOLT_OK);
    check_fails(volt_place_require(&device, 5000, "this"), VOLT_ERR_MEMORY, "4999 rows");
    settings.available = 0; /* unknown */
    assert_ptr_equal(place(5000, 2, 1), &device);
    assert_int_equal(volt_place_require(&device, 5000, "this"), VOLT_OK);
    device.available = NULL;
    assert_ptr_equal(place(5000, 2, 1), &device);
    settings.state = VOLT_ERR_DEVICE;
    assert_ptr_equal(place(5000, 2, 1), &volt_cpu_backend);
    settings.state = VOLT_OK;
    volt_backend_set(&volt_cpu_backend);
    assert_ptr_equal(place(5000, 2, 1), &volt_cpu_backend);
    volt_backend_set(&device);
    assert_ptr_equal(place(2, 2, 1), &device);
    volt_backend_set(NULL);
    device.name = NULL;
    assert_ptr_equal(place(5000, 2, 1), &volt_cpu_backend);
}

static void device_plan_has_all_figures(void **state)
{
    volt_device_plan plan;
    settings.gram = 3;
    settings.factor = 5;
    for (int64_t fits = 1; fits <= 70; fits++) {
        settings.available = (uint64_t)(16 * fits + (fits % 3 == 0 ? 15 : 0));
        volt_device_plan_make(&(volt_work){.n = 10, .d = 2, .factors = 1}, &plan);
        assert_ptr_equal(plan.backend, &device);
        assert_int_equal(plan.n_that_fits, fits);
        assert_true(plan.bytes == 160 && plan.available == (double)settings.available);
        assert_true(plan.gram_seconds == 600 && plan.factor_seconds == 5000);
    }
    settings.available = 0;
    device.seconds = NULL;
    device.bytes = NULL;
    volt_device_plan_make(&(volt_work){.n = 10, .d = 2, .factors = 1}, &plan);
    assert_true(plan.n_that_fits == 0 && plan.gram_seconds == 0 && plan.factor_seconds == 0);
    assert_true(plan.bytes == 800);
    volt_backend_set(&volt_cpu_backend);
    volt_device_plan_make(&(volt_work){.n = 10, .d = 2, .factors = 1}, &plan);
    assert_null(plan.backend);
    volt_backend_set(NULL);
    device.name = NULL;
    volt_device_plan_make(&(volt_work){.n = 10, .d = 2, .factors = 1}, &plan);
    assert_null(plan.backend);
}

/* ---- landmarks -------------------------------------------------------------------------------- */

/* 2 n m^2 reaches 2e10. */
static void few_landmarks_stay_on_the_cpu(void **state)
{
    assert_ptr_equal(volt_place_landmarks(100000, 316, 2), &volt_cpu_backend);
    assert_ptr_equal(volt_place_landmarks(100000, 317, 2), &device);
    assert_true(2 * 1e5 * 316 * 316 < smallest && 2 * 1e5 * 317 * 317 > smallest);
}

/* The CPU solves and multiplies 2 n m^2 operations at the speed of a factorisation of as many. The device takes twice
 * the time of its factorisation, and two passes of n rows against 4 m columns, which are twice the entries of a
 * triangle. */
static void landmarks_use_a_faster_device(void **state)
{
    const double n = 200000, m = 1000, d = 3;
    double equal = cbrt(6 * n * m * m), limit = (cpu_seconds(equal) - start) / gain;
    double gram = 2 * (2 * 4 * n * m) * d, factor = 2 * pow(equal, 3);
    for (int share = 0; share <= 2; share++) {
        settings.gram = limit * share / 2 / gram * (1 - 1e-9);
        settings.factor = limit * (2 - share) / 2 / factor * (1 - 1e-9);
        assert_ptr_equal(volt_place_landmarks((int64_t)n, (int64_t)m, (int64_t)d), &device);
        settings.gram *= 1 + 2e-9;
        settings.factor *= 1 + 2e-9;
        assert_ptr_equal(volt_place_landmarks((int64_t)n, (int64_t)m, (int64_t)d), &volt_cpu_backend);
    }
    settings.gram = settings.factor = 1e-30;
    settings.available = (uint64_t)ceil(volt_device_landmarks_bytes(&device, 0, m, 8 * m));
    assert_ptr_equal(volt_place_landmarks((int64_t)n, (int64_t)m, 3), &device);
    settings.available--;
    assert_ptr_equal(volt_place_landmarks((int64_t)n, (int64_t)m, 3), &volt_cpu_backend);
    settings.available = 0;
    settings.state = VOLT_ERR_DEVICE;
    assert_ptr_equal(volt_place_landmarks((int64_t)n, (int64_t)m, 3), &volt_cpu_backend);
    settings.state = VOLT_OK;
    device.gather = NULL;
    assert_ptr_equal(volt_place_landmarks((int64_t)n, (int64_t)m, 3), &volt_cpu_backend);
    device.gather = gather;
    device.seconds = NULL;
    assert_ptr_equal(volt_place_landmarks((int64_t)n, (int64_t)m, 3), &volt_cpu_backend);
}

/* Without a block size the blocks have 512 rows: two of K, one of features, one of transposed features for each of two
 * threads; W; 3 matrices and 1024 rows for each of two sums; 5 GB of workspace. */
static void landmark_memory_is_the_sum_of_its_blocks(void **state)
{
    const double m = 40, columns = 300, n = 7000;
    double fixed = 5e9 + 8 * (m * m + n * m) + 2 * 8 * (3 * m * m + 1024 * m);
    double each = 8 * (2 * columns + m) + 2 * 8 * m; /* bytes of a row of a block */
    assert_true(volt_device_landmarks_bytes(&device, n, m, columns) == fixed + 512 * each);
    device.block = 75000; /* 8 blocks of it: 600,000 numbers, 2000 rows */
    assert_true(volt_device_landmarks_bytes(&device, n, m, columns) == fixed + 2000 * each);
    settings.available = (uint64_t)8 * 2 * 8 * 2 * 600000; /* two blocks of twice the size take an eighth */
    assert_true(volt_device_landmarks_bytes(&device, n, m, columns) == fixed + 4000 * each);
    settings.available--;
    assert_true(volt_device_landmarks_bytes(&device, n, m, columns) == fixed + 2000 * each);
    device.block = 75000000;
    double large = volt_device_landmarks_bytes(&device, n, m, columns);
    assert_true(large == fixed + 32768 * each);
    double transposed = volt_device_landmarks_bytes(&device, 0, 10000, columns); /* at most 3e8 numbers */
    assert_true(transposed ==
                5e9 + 8 * (1e8 + 32768 * (2 * columns + 10000)) + 2 * 8 * (3e8 + 1024 * 1e4 + 3e8));
}

static void features_are_stored_where_they_fit(void **state)
{
    double bytes = volt_device_landmarks_bytes(&device, 1000, 40, 300);
    assert_ptr_equal(volt_place_features(&device, 1000, 40, 300), &device);
    settings.available = (uint64_t)bytes;
    assert_ptr_equal(volt_place_features(&device, 1000, 40, 300), &device);
    settings.available--;
    assert_ptr_equal(volt_place_features(&device, 1000, 40, 300), &volt_cpu_backend);
    const volt_bands two = {.parts = 2};
    volt_bands_use(&two);
    assert_ptr_equal(volt_place_features(&device, 1000, 40, 300), &device);
    assert_ptr_equal(volt_place_features(&device, 2000, 40, 300), &volt_cpu_backend);
    settings.available++;
    assert_ptr_equal(volt_place_features(&device, 1999, 40, 300), &device);
    assert_ptr_equal(volt_place_features(&device, 2001, 40, 300), &volt_cpu_backend);
    volt_bands_use(NULL);
    assert_ptr_equal(volt_place_features(NULL, 10, 4, 30), &volt_cpu_backend);
    device.accumulate = NULL;
    assert_ptr_equal(volt_place_features(&device, 10, 4, 30), &volt_cpu_backend);
}

/* ---- a job ------------------------------------------------------------------------------------ */

static double others; /* devices of the other parts */

static void add_others(double *numbers, int64_t count)
{
    assert_int_equal(count, 1);
    *numbers += others;
}

static void parts_of_a_job_agree(void **state)
{
    const volt_bands three = {.parts = 3, .sum = add_others};
    assert_ptr_equal(volt_place_agree(&device), &device);
    assert_null(volt_place_agree(NULL));
    volt_bands_use(&three);
    others = 2;
    assert_ptr_equal(volt_place_agree(&device), &device);
    assert_ptr_equal(volt_place_agree(&volt_cpu_backend), &volt_cpu_backend);
    others = 1;
    assert_ptr_equal(volt_place_agree(&device), &volt_cpu_backend);
    volt_bands_use(NULL);
}

/* ---- products and free runs ------------------------------------------------------------------- */

static void products_use_a_faster_device(void **state)
{
    /* n^2 (1 + d / 20) reaches 2e9 */
    assert_ptr_equal(volt_place_products(36514, 10), &volt_cpu_backend);
    assert_ptr_equal(volt_place_products(36515, 10), &device);
    /* 20 products: half of the entries at 0.5e9 per second, or all of them on the device */
    const double n = 100000, d = 10;
    for (int threads = 1; threads <= 2; threads++) {
        check_ok(volt_set_threads(threads));
        double limit = (20 * n * n / 2 * (1 + d / 20) / 0.5e9 / threads - start) / (gain * 20 * 2);
        settings.gram = limit / (n * n * d) * (1 - 1e-9);
        assert_ptr_equal(volt_place_products((int64_t)n, (int64_t)d), &device);
        settings.gram *= 1 + 2e-9;
        assert_ptr_equal(volt_place_products((int64_t)n, (int64_t)d), &volt_cpu_backend);
    }
    settings.gram = 1e-30;
    settings.state = VOLT_ERR_DEVICE;
    assert_ptr_equal(volt_place_products((int64_t)n, 10), &volt_cpu_backend);
    settings.state = VOLT_OK;
    device.seconds = NULL;
    assert_ptr_equal(volt_place_products((int64_t)n, 10), &volt_cpu_backend);
    device.seconds = device_seconds;
    device.cross = NULL;
    assert_ptr_equal(volt_place_products((int64_t)n, 10), &volt_cpu_backend);
    volt_backend_set(&device);
    assert_ptr_equal(volt_place_products(10, 10), &volt_cpu_backend);
    device.cross = cross;
    assert_ptr_equal(volt_place_products(10, 10), &device);
}

/* 0.6e9 entries of 1 + d / 20 operations per second. */
static void free_runs_use_a_faster_device(void **state)
{
    const double rows = 3e6, m = 1000, d = 10, on_cpu = rows * m * (1 + d / 20) / 0.6e9; /* 7.5 s */
    settings.run = on_cpu * (1 - 1e-9);
    assert_true(volt_run_is_faster(&device, (int64_t)rows, (int64_t)m, (int64_t)d));
    settings.run = on_cpu * (1 + 1e-9);
    assert_false(volt_run_is_faster(&device, (int64_t)rows, (int64_t)m, (int64_t)d));
    settings.run = (on_cpu - start) / gain * (1 - 1e-9);
    assert_ptr_equal(volt_place_run((int64_t)rows, (int64_t)m, (int64_t)d), &device);
    settings.run = (on_cpu - start) / gain * (1 + 1e-9);
    assert_ptr_equal(volt_place_run((int64_t)rows, (int64_t)m, (int64_t)d), &volt_cpu_backend);
    /* runs of less than 0.75 s do not search for a device */
    settings.run = 0;
    assert_ptr_equal(volt_place_run(299999, 1000, 10), &volt_cpu_backend);
    assert_ptr_equal(volt_place_run(300001, 1000, 10), &device);
    settings.state = VOLT_ERR_DEVICE;
    assert_ptr_equal(volt_place_run(300001, 1000, 10), &volt_cpu_backend);
    settings.state = VOLT_OK;
    settings.run = 1e30;
    device.run_seconds = NULL; /* always use it */
    assert_ptr_equal(volt_place_run(300001, 1000, 10), &device);
    device.run = NULL;
    assert_ptr_equal(volt_place_run(300001, 1000, 10), &volt_cpu_backend);
    assert_false(volt_run_is_faster(&device, (int64_t)rows, (int64_t)m, (int64_t)d));
    volt_backend_set(&device);
    assert_ptr_equal(volt_place_run(1, 1, 1), &device);
}

/* ---- solvers ---------------------------------------------------------------------------------- */

/* 40,000 rows of 10 inputs: a matrix takes 192 s on the CPU, and a product 2.4 s. */
static void solvers_are_placed_by_their_work(void **state)
{
    const volt_work work = {.n = 40000, .d = 10, .factors = 1};
    settings.gram = 50 / (40000.0 * 40000 * 10);
    assert_ptr_equal(volt_place_solver(NULL, &work), &device);
    assert_ptr_equal(volt_place_solver(&volt_solver_exact, &work), &device);
    assert_ptr_equal(volt_place_solver(&volt_solver_pcg, &work), &volt_cpu_backend);
    assert_ptr_equal(volt_place_solver(&volt_solver_nystrom, &work), &volt_cpu_backend);
    settings.gram = 0.5 / (40000.0 * 40000 * 10);
    assert_ptr_equal(volt_place_solver(&volt_solver_pcg, &work), &device);
    assert_ptr_equal(volt_place_solver(&volt_solver_nystrom, &work), volt_backend_current());
    assert_ptr_equal(volt_place_on_cpu("this runs"), &volt_cpu_backend);
}

int main(void)
{
#define PLACED(name) cmocka_unit_test_setup_teardown(name, make_device, reset)
    const struct CMUnitTest tests[] = {
        PLACED(small_work_stays_on_the_cpu),
        PLACED(factors_use_a_faster_device),
        PLACED(work_must_fit_on_a_working_device),
        PLACED(device_plan_has_all_figures),
        PLACED(few_landmarks_stay_on_the_cpu),
        PLACED(landmarks_use_a_faster_device),
        PLACED(landmark_memory_is_the_sum_of_its_blocks),
        PLACED(features_are_stored_where_they_fit),
        PLACED(parts_of_a_job_agree),
        PLACED(products_use_a_faster_device),
        PLACED(free_runs_use_a_faster_device),
        PLACED(solvers_are_placed_by_their_work),
    };
    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
