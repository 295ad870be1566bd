/* tests/backend/test_devices.c: invalid plugins, failing devices and a working device.
 *
 * Uses the devices of tests/plugin/fake_plugin.c. Their back end runs the CPU operations on memory that
 * callers cannot access. Results equal those of the CPU up to the order in which a Gram matrix is filled. */
#define _GNU_SOURCE
#include "backend/backend.h"
#include "backend/plugin.h"
#include "solve/landmark/placement.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

#include <unistd.h>

#define FAKE PLUGIN_FOLDER "/fake_plugin.so"

/* ---- plugins ---------------------------------------------------------------------------------- */

/* Select the plugin at `path` with these faults. */
static void plug(const char *path, const char *faults)
{
    volt_device_reset();
    setenv("VOLT_CUDA_PLUGIN", path, 1);
    setenv("VOLT_FAKE_DEVICE", faults, 1);
}

static void unplug(void)
{
    volt_device_reset();
    unsetenv("VOLT_CUDA_PLUGIN");
    unsetenv("VOLT_FAKE_DEVICE");
}

/* Every GPU request fails with this reason. No other state changes. */
static void refused(const char *path, const char *faults, const char *reason)
{
    plug(path, faults);
    assert_int_equal(volt_device_count(), 0);
    if (!strstr(volt_device_error(), reason))
        fail_msg("'%s' is not in '%s'", reason, volt_device_error());
    check_fails(volt_set_device("gpu"), VOLT_ERR_DEVICE, reason);
    check_fails(volt_set_device("gpu:1"), VOLT_ERR_DEVICE, reason);
    assert_string_equal(volt_device(), "auto");
    assert_string_equal(volt_device_plugin(), "");
    assert_ptr_equal(volt_backend_current(), &volt_cpu_backend);
    assert_null(volt_device_backend());
    unplug();
}

static void test_absent(void **state)
{
    refused("/no/such/folder/libvolterra_cuda.so", "",
            "VOLT_CUDA_PLUGIN names /no/such/folder/libvolterra_cuda.so");
    refused("libvolterra_cuda.so", "", "VOLT_CUDA_PLUGIN must be an absolute path (got 'libvolterra_cuda.so')");
    refused("./fake_plugin.so", "", "must be an absolute path");
    refused("", "", "no libvolterra_cuda.so in ");
}

/* A plugin in the working folder is never loaded, whatever the loader settings. */
static void test_plugin_is_not_loaded_from_the_working_folder(void **state)
{
    char *before = getcwd(NULL, 0);
    const char *copy = scratch_path("libvolterra_cuda.so");
    assert_non_null(before);
    assert_int_equal(symlink(FAKE, copy), 0);
    assert_int_equal(chdir(scratch_directory()), 0);
    setenv("LD_LIBRARY_PATH", scratch_directory(), 1);
    refused("", "", "no libvolterra_cuda.so in ");
    refused("libvolterra_cuda.so", "", "must be an absolute path");
    unsetenv("LD_LIBRARY_PATH");
    assert_int_equal(chdir(before), 0);
    assert_int_equal(unlink(copy), 0);
    free(before);
}

static void test_damaged(void **state)
{
    const char *text = scratch_write_text("text.so", "no shared object");
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", text);
    refused(copy, "", "the plugin cannot be loaded: ");
    refused(PLUGIN_FOLDER "/no_plugin.so", "", "it has no volt_plugin_query");
    refused(FAKE, "null", "is damaged: ");
    for (int entry = 1; entry <= 6; entry++) {
        char fault[32];
        snprintf(fault, sizeof fault, "incomplete=%d", entry);
        refused(FAKE, fault, "is damaged: it lacks an entry");
    }
    refused(FAKE, "interface=0", "is older than this library: its interface is 0, and ");
    refused(FAKE, "interface=99", "is newer than this library: its interface is 99, and ");
}

static void test_no_device(void **state)
{
    refused(FAKE, "driver", "found no device: there is no driver (libcuda.so.1)");
    refused(FAKE, "devices=0", "found no device: the driver has none");
    refused(FAKE, "devices=-1", "found no device: the driver has none");
}

/* The selected device is unchanged, and an open device stays open. */
static void test_device_choice_persists(void **state)
{
    plug(FAKE, "open");
    check_fails(volt_set_device("gpu"), VOLT_ERR_DEVICE, "gpu:0");
    assert_string_equal(volt_device(), "auto");
    assert_null(volt_device_backend());
    check_ok(volt_set_device("cpu"));
    check_fails(volt_set_device("gpu"), VOLT_ERR_DEVICE, "gpu:0");
    assert_string_equal(volt_device(), "cpu");

    plug(FAKE, "lacks");
    check_fails(volt_set_device("gpu"), VOLT_ERR_DEVICE, "lacks");
    assert_string_equal(volt_device(), "auto");

    plug(FAKE, "open1");
    check_ok(volt_set_device("gpu"));
    const volt_backend *first = volt_backend_current();
    assert_string_equal(volt_device(), "gpu:0");
    assert_null(first->map);
    check_fails(volt_set_device("gpu:1"), VOLT_ERR_DEVICE, "gpu:1");
    assert_string_equal(volt_device(), "gpu:0");
    assert_ptr_equal(volt_backend_current(), first);
    check_fails(volt_set_device("gpu:2"), VOLT_ERR_DEVICE, "plugin 2");
    assert_ptr_equal(volt_backend_current(), first);
    const char *wrong[] = {"",
                           "GPU",
                           "gpu:",
                           "gpu:x",
                           "gpu:1x",
                           "gpu:-1",
                           "gpu:99999",
                           "gpu1",
                           "cuda",
                           "cpu:0",
                           " gpu",
                           "gpu:0,",
                           "gpu:,1",
                           "gpu:0:1",
                           "gpu,1",
                           "gpu:all,0",
                           "gpu:0 ,1",
                           "gpu:0,all",
                           "gpu:0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check_fails(volt_set_device(wrong[i]), VOLT_ERR_ARGUMENT, "auto cpu gpu gpu:1");
    check_fails(volt_set_device(NULL), VOLT_ERR_ARGUMENT, "device ''");
    assert_string_equal(volt_device(), "gpu:0");
    check_ok(volt_set_device("cpu"));
    assert_ptr_equal(volt_backend_current(), &volt_cpu_backend);
    unplug();
}

static void test_list(void **state)
{
    plug(FAKE, "devices=3,memory=5e8");
    volt_device_info info = {.struct_size = sizeof info};
    volt_devices devices = {.struct_size = sizeof devices};
    assert_int_equal(volt_device_count(), 3);
    assert_string_equal(volt_device_error(), "");
    assert_string_equal(volt_device_plugin(), "fake 1.2.3 (" FAKE ")");
    check_ok(volt_devices_get(&devices, 2, &info));
    assert_string_equal(info.name, "Fake 2");
    assert_string_equal(info.driver, "1.0");
    assert_true(info.memory == (uint64_t)2e9 && info.available == (uint64_t)5e8);
    check_fails(volt_devices_get(&devices, 3, &info), VOLT_ERR_ARGUMENT, "device 3");
    check_fails(volt_devices_get(&devices, -1, &info), VOLT_ERR_ARGUMENT, "device -1");
    check_ok(volt_set_device("gpu:2"));
    assert_string_equal(volt_device(), "gpu:2");
    assert_int_equal(volt_backend_devices(volt_backend_current()), 1);

    static const struct {
        const char *asked, *open;
        int64_t count;
    } lists[] = {{"gpu:2,0", "gpu:2,0", 2}, {"gpu:1,1", "gpu:1,1", 2}, {"gpu:all", "gpu:0,1,2", 3}};
    for (int i = 0; i < 3; i++) {
        check_ok(volt_set_device(lists[i].asked));
        assert_string_equal(volt_device(), lists[i].open);
        assert_string_equal(volt_device_of(volt_backend_current()), lists[i].open);
        assert_int_equal(volt_backend_devices(volt_backend_current()), lists[i].count);
        check_ok(volt_set_device(lists[i].asked)); /* open already */
    }
    check_fails(volt_set_device("gpu:0,3"), VOLT_ERR_DEVICE, "gpu:3 plugin 3");
    assert_string_equal(volt_device(), "gpu:0,1,2");
    assert_string_equal(volt_device_of(&volt_cpu_backend), "cpu");

    /* The processes of a job on one machine have one device each. */
    static const struct {
        int64_t process;
        const char *asked, *open;
    } jobs[] = {{1, "gpu:all", "gpu:1"}, {5, "gpu", "gpu:2"}, {3, "gpu:2,0", "gpu:0"}, {4, "gpu:1", "gpu:1"}};
    for (int i = 0; i < 4; i++) {
        plug(FAKE, "devices=3");
        volt_device_own(jobs[i].process);
        check_ok(volt_set_device(jobs[i].asked));
        assert_string_equal(volt_device(), jobs[i].open);
        assert_int_equal(volt_backend_devices(volt_backend_current()), 1);
    }
    plug(FAKE, "devices=3");
    volt_device_own(4);
    assert_string_equal(volt_device_of(volt_device_backend()), "gpu:1"); /* automatic */
    unplug();
}

/* ---- work on a device ------------------------------------------------------------------------- */

enum { N = 60, D = 2, Q = 2, LATER = 9, CANDIDATES = 6 };

typedef struct results {
    double forecasts[LATER * Q];
    double fitted[N * Q];
    double score; /* of the best candidate */
    int64_t best;
} results;

typedef struct data {
    double *X, *Y;
} data;

static data make_data(void)
{
    volt_rng rng = test_rng(16);
    data made = {.X = random_rows(&rng, N + LATER, D, 1), .Y = new_matrix(N + LATER, Q)};
    for (int64_t i = 0; i < N + LATER; i++)
        for (int64_t k = 0; k < Q; k++)
            made.Y[i * Q + k] = made.X[i * D + k % D] - (i > 0 ? made.X[(i - 1) * D] * made.X[i * D + 1] : 0);
    return made;
}

static void free_data(data *made)
{
    free(made->X);
    free(made->Y);
}

/* Fit with the given alpha (0: selected by the library) and predict. On failure *out is unchanged. */
static volt_status fit_and_predict(const data *made, const char *text, double alpha, results *out)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    results found = *out;
    options.alpha = alpha;
    options.washout = 3;
    volt_status status = volt_kernel_parse(text, &kernel);
    if (status == VOLT_OK)
        status = volt_model_fit(kernel, volt_view_of(made->X, N, D), volt_view_of(made->Y, N, Q), &options,
                                volt_matrix_of(found.fitted, N, Q), &model);
    if (status != VOLT_OK)
        assert_null(model);
    if (status == VOLT_OK)
        status = volt_model_predict(model, volt_view_of(made->X + N * D, LATER, D), NULL,
                                    volt_matrix_of(found.forecasts, LATER, Q), NULL);
    if (status == VOLT_OK)
        *out = found;
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

/* Candidates of several engines, on folds that begin at one row or not, and after a reset. */
static volt_status search(const data *made, double alpha, volt_start start, const char *log, bool resume,
                          volt_search **search)
{
    static const char *const kernels[CANDIDATES] = {
        "volterra:tau_coef=0.3,lambda_coef=0.5",
        "rbf:gamma=0.7",
        "memory:gamma=0.5,rho=0.5,mu=0.7",
        "gak:sigma=1,window=4",
        "rbf:gamma=1,window=3",
        "2*fir:mu=0.5 + linear*rbf:gamma=1",
    };
    double alphas[CANDIDATES];
    for (int64_t i = 0; i < CANDIDATES; i++)
        alphas[i] = alpha;
    volt_candidates *candidates = NULL;
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 3;
    options.start = start;
    options.race = VOLT_RACE_NONE;
    options.log = log;
    options.resume = resume;
    volt_status status = volt_candidates_list(kernels, alphas, NULL, CANDIDATES, &candidates);
    if (status == VOLT_OK)
        status = volt_search_run(candidates, volt_view_of(made->X, N, D), volt_view_of(made->Y, N, Q), &options,
                                 search);
    volt_candidates_free(candidates);
    return status;
}

static volt_status search_best(const data *made, double alpha, volt_start start, results *out)
{
    volt_search *found = NULL;
    volt_status status = search(made, alpha, start, NULL, false, &found);
    if (status == VOLT_OK) {
        out->score = volt_search_trial(found, VOLT_TRIAL_BEST)->score;
        out->best = volt_search_trial(found, VOLT_TRIAL_BEST)->index;
    }
    volt_search_free(found);
    return status;
}

/* Entries of K may differ by a few eps, which K + alpha I has the condition n / alpha of 60 / 1e-3 to enlarge: 1e-11 at
 * most, and a margin. A chosen alpha is smaller, and has its own (`slack` times as much). */
static void assert_near(const double *a, const double *b, int64_t count, double slack)
{
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) < 1e-8 * slack))
            fail_msg("number %lld: %.17g and %.17g", (long long)i, a[i], b[i]);
}

static void test_results_match_the_cpu(void **state)
{
    const char *const kernels[] = {"volterra:tau_coef=0.3,lambda_coef=0.5", "rbf:gamma=0.5,window=3",
                                   "gak:sigma=1,window=4", "2*fir:mu=0.5 + linear*rbf:gamma=1"};
    const double alphas[] = {1e-3, 0}, slack[] = {1, 1000};
    data made = make_data();
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 2; a++) {
            results here = {0}, there = {0};
            unplug();
            check_ok(fit_and_predict(&made, kernels[k], alphas[a], &here));
            plug(FAKE, "");
            check_ok(volt_set_device("gpu"));
            check_ok(fit_and_predict(&made, kernels[k], alphas[a], &there));
            assert_near(here.forecasts, there.forecasts, LATER * Q, slack[a]);
            assert_near(here.fitted, there.fitted, N * Q, slack[a]);
        }
    for (int start = VOLT_START_CONTINUE; start <= VOLT_START_RESET; start++)
        for (int a = 0; a < 2; a++) {
            results here = {0}, there = {0};
            unplug();
            check_ok(search_best(&made, alphas[a], (volt_start)start, &here));
            plug(FAKE, "streams=3");
            check_ok(volt_set_device("gpu:1"));
            check_ok(search_best(&made, alphas[a], (volt_start)start, &there));
            assert_near(&here.score, &there.score, 1, slack[a]);
            assert_int_equal(here.best, there.best);
        }
    unplug(); /* aborts if a block was not released */
    free_data(&made);
}

/* Fails each allocation and each operation once. Each failure sets a message, leaves the results unchanged,
 * and the device works after it is reopened. `all` repeats the work until it succeeds. Returns the number of
 * failures. */
typedef volt_status (*work_fn)(const data *made, results *out);

static volt_status fit_given(const data *made, results *out)
{
    return fit_and_predict(made, "volterra:tau_coef=0.3,lambda_coef=0.5", 1e-3, out);
}

static volt_status fit_chosen(const data *made, results *out)
{
    return fit_and_predict(made, "rbf:gamma=0.5,window=3", 0, out);
}

static volt_status search_continued(const data *made, results *out)
{
    return search_best(made, 1e-3, VOLT_START_CONTINUE, out);
}

static volt_status search_profiled(const data *made, results *out)
{
    return search_best(made, 0, VOLT_START_RESET, out);
}

static int64_t fail_at_each(const data *made, work_fn work, const char *fault, int64_t step,
                            volt_status expected, const char *sentence)
{
    for (int64_t k = 1;; k += step) {
        char faults[64];
        results out, before;
        memset(&out, 0x2a, sizeof out);
        before = out;
        snprintf(faults, sizeof faults, "%s=%lld", fault, (long long)k);
        plug(FAKE, faults);
        check_ok(volt_set_device("gpu"));
        volt_status status = work(made, &out);
        if (status == VOLT_OK) {
            unplug();
            return k - 1;
        }
        check_fails(status, expected, sentence);
        assert_memory_equal(&out, &before, sizeof out);
        setenv("VOLT_FAKE_DEVICE", "", 1);
        check_ok(volt_set_device("gpu")); /* reopened if it was lost */
        check_ok(volt_backend_state(volt_backend_current()));
    }
}

static void test_failures_during_work(void **state)
{
    static const work_fn works[] = {fit_given, fit_chosen, search_continued, search_profiled};
    data made = make_data();
    check_ok(volt_set_threads(1)); /* so that the number of operations is the same each time */
    for (int w = 0; w < 4; w++) {
        /* A search has many operations: every 61st is tested, which covers all kinds. */
        int64_t blocks = fail_at_each(&made, works[w], "alloc", 1, VOLT_ERR_MEMORY, "device");
        int64_t steps = fail_at_each(&made, works[w], "lost", w < 2 ? 1 : 61, VOLT_ERR_DEVICE, "device");
        assert_true(blocks >= 1 && steps > 10);
    }
    check_ok(volt_set_threads(0));
    free_data(&made);
}

static volt_search_info info_of(const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    return info;
}

/* A search that loses its device has logged the finished trials and resumes from the log. */
static void test_search_continues_after_device_failure(void **state)
{
    const char *log = scratch_path("lost.jsonl");
    char name[4096];
    data made = make_data();
    results whole = {0};
    volt_search *found = NULL;
    snprintf(name, sizeof name, "%s", log);
    check_ok(search_best(&made, 1e-3, VOLT_START_CONTINUE, &whole));
    check_ok(volt_set_threads(1));
    plug(FAKE, "lost=60");
    check_ok(volt_set_device("gpu"));
    check_fails(search(&made, 1e-3, VOLT_START_CONTINUE, name, false, &found), VOLT_ERR_DEVICE, "lost");
    assert_null(found);
    setenv("VOLT_FAKE_DEVICE", "", 1);
    check_ok(volt_set_device("gpu"));
    check_ok(search(&made, 1e-3, VOLT_START_CONTINUE, name, true, &found));
    assert_true(info_of(found).resumed > 0);
    assert_true(info_of(found).resumed < CANDIDATES);
    assert_near(&volt_search_trial(found, VOLT_TRIAL_BEST)->score, &whole.score, 1, 1);
    assert_int_equal(volt_search_trial(found, VOLT_TRIAL_BEST)->index, whole.best);
    volt_search_free(found);
    unplug();
    check_ok(volt_set_threads(0));
    free_data(&made);
}

/* The number of concurrent candidates is limited by device memory and by the streams of the device. */
static void test_concurrent_trials(void **state)
{
    const struct {
        const char *faults;
        int64_t parallel;
    } cases[] = {{"streams=4", 4},
                 {"streams=9", CANDIDATES},
                 {"streams=4,memory=70000", 2},
                 {"streams=4,memory=30000", 1}};
    data made = make_data();
    for (int i = 0; i < 4; i++) {
        volt_search *found = NULL;
        plug(FAKE, cases[i].faults);
        check_ok(volt_set_device("gpu"));
        check_ok(search(&made, 1e-3, VOLT_START_CONTINUE, NULL, false, &found));
        assert_int_equal(info_of(found).parallel, cases[i].parallel);
        volt_search_free(found);
    }
    plug(FAKE, "memory=20000");
    check_ok(volt_set_device("gpu"));
    volt_search *none = NULL;
    check_fails(search(&made, 1e-3, VOLT_START_CONTINUE, NULL, false, &none), VOLT_ERR_MEMORY,
                "search 60 rows");
    assert_null(none);
    unplug();
    free_data(&made);
}

/* ---- memory, and where work goes -------------------------------------------------------------- */

static void test_does_not_fit(void **state)
{
    data made = make_data();
    results out = {0};
    volt_plan plan = {.struct_size = sizeof plan};
    plug(FAKE, "memory=20000"); /* 8 n (n + 1) bytes: 49 rows take 19600 */
    check_ok(volt_set_device("gpu"));
    check_fails(fit_given(&made, &out), VOLT_ERR_MEMORY, "49 rows");
    check_ok(volt_plan_fit(NULL, 60, D, Q, 0, 0, &plan, NULL));
    assert_true(plan.on_device && plan.device_n_that_fits == 49 && plan.n_that_fits == 49);
    assert_true(plan.device_bytes == 8.0 * 60 * 61 && plan.device_available_bytes == 20000);

    /* The matrix belongs to another memory space. */
    volt_plan there = {.struct_size = sizeof there}, here = {.struct_size = sizeof here};
    plug(FAKE, "memory=1e12");
    check_ok(volt_set_device("gpu"));
    check_ok(volt_plan_fit(NULL, 5000, D, Q, 0, 0, &there, NULL));
    unplug();
    check_ok(volt_plan_fit(NULL, 5000, D, Q, 0, 0, &here, NULL));
    assert_true(!here.on_device && here.device_bytes == 0);
    assert_true(here.fit_bytes - there.fit_bytes == 8.0 * 5000 * 5000);
    free_data(&made);
}

/* For expensive work the device's time estimate decides. Small work does not look for a device. */
static void test_automatic(void **state)
{
    const volt_work small = {.n = 1000, .d = 3, .factors = 1}, large = {.n = 200000, .d = 3, .factors = 1};
    const volt_work many = {.n = 1000, .d = 3, .factors = 1e9};
    plug(FAKE, "seconds=1e-9,memory=1e15");
    assert_ptr_equal(volt_place(&small), &volt_cpu_backend);
    const volt_backend *device = volt_place(&large);
    assert_string_equal(device->name, "fake");
    assert_ptr_equal(volt_place(&many), device);
    assert_ptr_equal(volt_backend_current(), &volt_cpu_backend); /* work without a cost estimate */
    check_ok(volt_set_device("cpu"));
    assert_ptr_equal(volt_place(&large), &volt_cpu_backend);
    check_ok(volt_set_device("gpu"));
    assert_string_equal(volt_place(&small)->name, "fake");

    plug(FAKE, "seconds=1e9,memory=1e15"); /* slower than the CPU */
    assert_ptr_equal(volt_place(&large), &volt_cpu_backend);
    plug(FAKE, "seconds=1e-9,memory=1e6"); /* it does not fit */
    assert_ptr_equal(volt_place(&large), &volt_cpu_backend);
    assert_string_equal(volt_place(&(volt_work){.n = 300, .d = 3, .factors = 1e9})->name, "fake");
    plug(FAKE, "open");
    assert_ptr_equal(volt_place(&large), &volt_cpu_backend);
    unplug();
    assert_ptr_equal(volt_place(&large), &volt_cpu_backend);
}

/* The same for landmarks, iterative solvers and free runs, which the back end must also support. */
static void test_automatic_parts(void **state)
{
    static const struct {
        const char *words, *name; /* of the back end that large work goes to */
    } cases[] = {{"optional,seconds=1e-9,memory=1e15", "fake"},
                 {"seconds=1e-9,memory=1e15", "cpu"},         /* none of them is supported */
                 {"optional,seconds=1e9,memory=1e15", "cpu"}, /* slower than the CPU */
                 {"optional,open,seconds=1e-9", "cpu"}};      /* there is none */
    const int64_t many = 1000000;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plug(FAKE, cases[c].words);
        assert_string_equal(volt_place_landmarks(many, 4000, 3)->name, cases[c].name);
        assert_string_equal(volt_place_products(many, 3)->name, cases[c].name);
        assert_string_equal(volt_place_run(many, many, 3)->name, cases[c].name);
        assert_ptr_equal(volt_place_landmarks(100, 10, 3), &volt_cpu_backend);
        assert_ptr_equal(volt_place_products(100, 3), &volt_cpu_backend);
        assert_ptr_equal(volt_place_run(100, 100, 3), &volt_cpu_backend);
    }
    /* Landmark matrices must fit in memory. Products and free runs adapt to the memory available. */
    plug(FAKE, "optional,seconds=1e-9,memory=1e6");
    assert_ptr_equal(volt_place_landmarks(many, 4000, 3), &volt_cpu_backend);
    assert_string_equal(volt_place_products(many, 3)->name, "fake");
    /* An explicitly requested device is used regardless of cost if it supports the operation. */
    plug(FAKE, "optional,seconds=1e9");
    check_ok(volt_set_device("gpu"));
    assert_string_equal(volt_place_landmarks(100, 10, 3)->name, "fake");
    assert_string_equal(volt_place_products(100, 3)->name, "fake");
    assert_string_equal(volt_place_run(100, 100, 3)->name, "fake");
    plug(FAKE, "seconds=1e9");
    check_ok(volt_set_device("gpu"));
    assert_ptr_equal(volt_place_landmarks(100, 10, 3), &volt_cpu_backend);
    assert_ptr_equal(volt_place_products(100, 3), &volt_cpu_backend);
    unplug();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_plugin_is_not_loaded_from_the_working_folder),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_device),
        cmocka_unit_test(test_device_choice_persists),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_results_match_the_cpu),
        cmocka_unit_test(test_failures_during_work),
        cmocka_unit_test(test_search_continues_after_device_failure),
        cmocka_unit_test(test_concurrent_trials),
        cmocka_unit_test(test_does_not_fit),
        cmocka_unit_test(test_automatic),
        cmocka_unit_test(test_automatic_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
