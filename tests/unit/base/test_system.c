/* tests/unit/base/test_system.c: system queries: available memory, number of processors, path of the library. The
 * test writes the system files under a directory that replaces the root, and calls fail on demand. */
#define _GNU_SOURCE
#include "backend/plugin.h"
#include "base/memory.h"
#include "base/threads.h"
#include "faults/failing_functions.h"
#include "support/check.h"
#include "support/child.h"
#include "support/scratch.h"
#include "volterra/base.h"
#include "volterra/kernel.h"
#include "volterra/select.h"

#include <errno.h>
#include <ftw.h>
#include <omp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[512];

static int remove_entry(const char *path, const struct stat *entry, int kind, struct FTW *place)
{
    (void)entry;
    (void)kind;
    (void)place;
    return remove(path);
}

static int remove_root(void **state)
{
    failing_function_root(NULL);
    nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}

/* Writes a file under the root with this text; NULL: no file. */
static void put(const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", root, name);
    if (!text) {
        remove(path);
        return;
    }
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0777);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void set_memory(const char *system, const char *limit, const char *used, const char *kinds)
{
    put("/proc/meminfo", system);
    put("/sys/fs/cgroup/memory.max", limit);
    put("/sys/fs/cgroup/memory.current", used);
    put("/sys/fs/cgroup/memory.stat", kinds);
}

/* The smaller of the free memory and the remainder of the control group. */
static void memory_is_minimum_of_system_files(void **state)
{
    static const struct {
        const char *system, *limit, *used, *kinds;
        uint64_t expected;
    } cases[] = {
        {NULL, NULL, NULL, NULL, 0}, /* unknown */
        {"", NULL, NULL, NULL, 0},
        {"MemTotal: 9 kB\n", NULL, NULL, NULL, 0},
        {"MemTotal: 9 kB\nMemAvailable: no number\n", NULL, NULL, NULL, 0},
        {"MemTotal: 9 kB\nMemAvailable:      7 kB\nCached: 1 kB\n", NULL, NULL, NULL, 7 * 1024},
        {"MemAvailable: 7 kB\n", "max\n", "100\n", NULL, 7 * 1024},
        {"MemAvailable: 7 kB\n", "5000\n", NULL, NULL, 7 * 1024},
        {"MemAvailable: 7 kB\n", "5000\n", "1000\n", NULL, 4000},
        {"MemAvailable: 7 kB\n", "50000\n", "1000\n", NULL, 7 * 1024},
        {NULL, "5000\n", "1000\n", NULL, 4000},
        {NULL, "5000\n", "4900\n", "anon 900\ninactive_file 4000\nactive_file 9\n",
         4100}, /* reclaimable pages */
        {NULL, "5000\n", "4900\n", "anon 900\n", 100},
        {NULL, "5000\n", "4900\n", "inactive_file 4901\n", 100}, /* more than the total: ignored */
        {NULL, "5000\n", "5000\n", NULL, 1}, /* zero memory, which is different from unknown */
        {NULL, "5000\n", "6000\n", NULL, 1},
        {"MemAvailable: 0 kB\n", NULL, NULL, NULL, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_memory(cases[i].system, cases[i].limit, cases[i].used, cases[i].kinds);
        if (volt_memory_available() != cases[i].expected)
            fail_msg("case %d: %llu bytes, expected %llu", (int)i, (unsigned long long)volt_memory_available(),
                     (unsigned long long)cases[i].expected);
    }
    check_fails(volt_memory_require(2, "a thing"), VOLT_ERR_MEMORY, "0.0 MiB memory");
    set_memory(NULL, NULL, NULL, NULL);
    check_ok(volt_memory_require(1e300, "a thing")); /* all sources are unavailable */
    set_memory("MemAvailable: 1 kB\n", NULL, NULL, NULL);
    check_ok(volt_memory_require(1024, "a thing"));
    check_fails(volt_memory_require(1025, "a thing"), VOLT_ERR_MEMORY, "thing");
}

/* Centring on m columns requires 8 m^2 bytes in addition to the result: at most m = 11 for 1024 bytes. */
static void centring_is_limited_by_memory(void **state)
{
    const double x[12] = {0.1, -0.4, 0.3, 0.8, -0.7, 0.2, 0.6, -0.1, 0.9, -0.5, 0.4, 0};
    double K[12];
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse("gak:window=2,sigma=1,centre=yes", &kernel));
    set_memory("MemAvailable: 1 kB\n", NULL, NULL, NULL);
    for (int64_t m = 11; m <= 12; m++) {
        volt_status status =
            volt_gram(kernel, volt_view_of(x, 1, 1), volt_view_of(x, m, 1), NULL, volt_matrix_of(K, 1, m));
        if (m == 11)
            check_ok(status);
        else
            check_fails(status, VOLT_ERR_MEMORY, "12 columns");
    }
    volt_kernel_free(kernel);
}

/* A search whose matrix does not fit in memory uses landmarks, if the rows are enough for them. */
static void large_search_without_memory_uses_landmarks(void **state)
{
    enum { ROWS = 9000 };
    static const struct {
        const char *memory, *solver; /* the matrix of 8500 rows has 578 MB */
    } cases[] = {
        {"MemAvailable: 200000 kB\n", "nystrom"}, {"MemAvailable: 9000000 kB\n", "exact"}, {NULL, "exact"}};
    volt_kernel *kernel = NULL;
    volt_search_options options = volt_search_options_default();
    options.draws = 1;
    options.splits.folds = 1;
    options.splits.min_train = ROWS - 500;
    check_ok(volt_set_device("cpu"));
    check_ok(volt_kernel_parse("linear", &kernel));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_search_plan plan = {.struct_size = sizeof plan};
        set_memory(cases[i].memory, NULL, NULL, NULL);
        check_ok(volt_plan_search(kernel, ROWS, 1, 1, 1, &options, 0, &plan));
        assert_string_equal(plan.solver, cases[i].solver);
    }
    set_memory(NULL, NULL, NULL, NULL);
    check_ok(volt_set_device("auto"));
    volt_kernel_free(kernel);
}

static void processes_share_resources(void **state)
{
    set_memory("MemAvailable: 8 kB\n", NULL, NULL, NULL);
    volt_memory_set_sharers(4);
    assert_int_equal(volt_memory_available(), 2 * 1024);
    volt_memory_set_sharers(100000);
    assert_int_equal(volt_memory_available(), 1);
    set_memory(NULL, NULL, NULL, NULL);
    assert_int_equal(volt_memory_available(), 0);
    volt_memory_set_sharers(1);
}

/* An address space limit applies to the process: its current size is subtracted. */
static void address_space_may_be_limited(void **state)
{
    if (UNDER_SANITIZERS)
        skip(); /* sanitizer shadow memory exceeds any such limit */
    set_memory(NULL, NULL, NULL, NULL);
    put("/proc/self/statm", "3 2 1\n");
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)1 << 46;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    uint64_t usual = volt_memory_available();
    put("/proc/self/statm", NULL);
    uint64_t of_unknown_size = volt_memory_available();
    put("/proc/self/statm", "99999999999999 2 1\n");
    uint64_t of_too_much = volt_memory_available();
    failing_function_start("getrlimit", 1, EINVAL);
    uint64_t without = volt_memory_available();
    bool hit = failing_function_stop();
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(usual, ((uint64_t)1 << 46) - 3 * page);
    assert_int_equal(of_unknown_size, (uint64_t)1 << 46);
    assert_int_equal(of_too_much, 1);
    assert_true(hit);
    assert_int_equal(without, 0);
}

static void system_allocator_may_fail(void **state)
{
    static const int64_t sizes[] = {0, 100, (int64_t)8 << 20}; /* the last uses huge pages */
    for (int i = 0; i < 3; i++) {
        failing_function_start("posix_memalign", 1, ENOMEM);
        void *memory = volt_alloc(sizes[i], 1);
        assert_true(failing_function_stop());
        assert_null(memory);
        char expected[128];
        snprintf(expected, sizeof expected, "could not allocate %d objects of 1 bytes", (int)sizes[i]);
        assert_string_equal(volt_error_detail(), expected);
        memory = volt_alloc(sizes[i], 1);
        assert_non_null(memory);
        volt_free(memory);
    }
}

static void excessive_mapping_fails(void **state)
{
    assert_true(volt_memory_can_map(4096));
    assert_false(volt_memory_can_map(0x1p62)); /* larger than any address space */
    assert_false(volt_memory_can_map(0x1p64));
    assert_false(volt_memory_can_map(NAN));
}

/* ---- processors ------------------------------------------------------------------------------- */

/* The first call here reads the quota, only once. */
static void quota_limits_thread_count(void **state)
{
    const char *why = "nothing";
    int all = omp_get_num_procs();
    put("/proc/self/cgroup", "0::/job\n");
    put("/sys/fs/cgroup/job/cpu.max", "100000 100000\n");
    omp_set_num_threads(all);
    assert_int_equal(volt_default_threads(), 1);
    assert_string_equal(volt_threads_from(),
                        all > 1 ? "the CPU quota of its control group" : "the processors that it may run on");
    assert_int_equal(volt_threads(), 1);
    assert_int_equal(omp_get_max_threads(), 1); /* BLAS receives it */
    assert_int_equal(volt_processors_limit(12, &why), 1);
    assert_string_equal(why, "the CPU quota of its control group");
    why = "nothing";
    assert_int_equal(volt_processors_limit(1, &why), 1);
    assert_string_equal(why, "nothing");
    omp_set_num_threads(all + 3); /* set by the user */
    assert_int_equal(volt_default_threads(), all + 3);
    assert_string_equal(volt_threads_from(), "a setting of OpenMP");
    setenv("OMP_NUM_THREADS", "2", 1);
    assert_string_equal(volt_threads_from(), "OMP_NUM_THREADS");
    unsetenv("OMP_NUM_THREADS");
}

/* ---- forks ------------------------------------------------------------------------------------ */

/* The number of threads is read from /proc; if that fails, a child assumes several threads. */
static void child_with_unknown_parent_uses_one_thread(void **state)
{
    int status = 0;
    failing_function_start("opendir", 1, EACCES);
    pid_t pid = fork();
    if (pid == 0)
        child_ends(volt_set_threads(3) == VOLT_OK && volt_threads() == 1 && volt_default_threads() == 1 &&
                           strcmp(volt_threads_from(), "the process was forked") == 0
                       ? 0
                       : 1);
    assert_true(failing_function_stop());
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- path of this library --------------------------------------------------------------------- */

static void library_without_path_has_no_plugin(void **state)
{
    static const struct {
        const char *function;
        int64_t call;
        const char *sentence;
    } cases[] = {{"dladdr", 1, "location of this library is unknown"},
                 {"realpath", 1, "location of this library is unknown"},
                 {"dladdr", 2, "loaded by a relative name"}}; /* not the program: its name is used */
    unsetenv("VOLT_CUDA_PLUGIN");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_plugin_reset();
        failing_function_start(cases[i].function, cases[i].call, ENOENT);
        const volt_plugin *plugin = volt_plugin_get();
        assert_true(failing_function_stop());
        assert_null(plugin);
        if (i < 2) /* a program name may be absolute */
            assert_non_null(strstr(volt_plugin_error(), cases[i].sentence));
        assert_string_equal(volt_plugin_path(), "");
        assert_int_equal(volt_plugin_devices(), 0);
    }
    volt_plugin_reset();
    char *longest = malloc(10000); /* not a file path */
    assert_non_null(longest);
    memset(longest, '/', 9999);
    longest[9999] = '\0';
    setenv("VOLT_CUDA_PLUGIN", longest, 1);
    assert_null(volt_plugin_get());
    assert_non_null(strstr(volt_plugin_error(), "VOLT_CUDA_PLUGIN names ////"));
    unsetenv("VOLT_CUDA_PLUGIN");
    free(longest);
    volt_plugin_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quota_limits_thread_count), /* before the first query */
        cmocka_unit_test(memory_is_minimum_of_system_files),
        cmocka_unit_test(centring_is_limited_by_memory),
        cmocka_unit_test(large_search_without_memory_uses_landmarks),
        cmocka_unit_test(processes_share_resources),
        cmocka_unit_test(address_space_may_be_limited),
        cmocka_unit_test(system_allocator_may_fail),
        cmocka_unit_test(excessive_mapping_fails),
        cmocka_unit_test(library_without_path_has_no_plugin),
        cmocka_unit_test(child_with_unknown_parent_uses_one_thread),
    };
    unsetenv("OMP_NUM_THREADS");
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0) { /* without the limit of the shell */
        space.rlim_cur = space.rlim_max;
        setrlimit(RLIMIT_AS, &space);
    }
    snprintf(root, sizeof root, "%s/root", scratch_directory());
    mkdir(root, 0777);
    failing_function_root(root);
    return cmocka_run_group_tests_name("system", tests, NULL, remove_root);
}
