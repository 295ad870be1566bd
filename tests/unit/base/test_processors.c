/* tests/unit/base/test_processors.c: control group quotas, read from files under a directory that replaces the
 * root. */
#define _GNU_SOURCE
#include "base/threads.h"
#include "support/check.h"
#include "support/scratch.h"

#include <ftw.h>
#include <sys/stat.h>

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
    if (root[0])
        nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}

/* Creates an empty root. */
static void begin(void)
{
    remove_root(NULL);
    static int count;
    snprintf(root, sizeof root, "%s/root%d", scratch_directory(), ++count);
}

/* Writes a file under the root and creates its parent directories. */
static void put(const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", root, name);
    mkdir(root, 0777);
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

static void missing_files_mean_no_quota(void **state)
{
    begin();
    assert_int_equal(volt_cgroup_processors(root), 0);
    put("/proc/self/cgroup", "0::/\n");
    assert_int_equal(volt_cgroup_processors(root), 0);
    put("/sys/fs/cgroup/cpu.max", "max 100000\n");
    assert_int_equal(volt_cgroup_processors(root), 0);
}

static void cgroup_version_2(void **state)
{
    const struct {
        const char *text;
        int64_t expected;
    } cases[] = {{"400000 100000\n", 4},
                 {"150000 100000\n", 1},
                 {"299999 100000\n", 2},
                 {"20000 100000\n", 1},
                 {"200000 50000\n", 4},
                 {"3 1\n", 3},
                 {"0 100000\n", 0},
                 {"-5 100000\n", 0},
                 {"400000 0\n", 0},
                 {"400000\n", 0},
                 {"\n", 0},
                 {"", 0},
                 {"four 100000\n", 0}};
    begin();
    put("/proc/self/cgroup", "0::/job\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("/sys/fs/cgroup/job/cpu.max", cases[i].text);
        assert_int_equal(volt_cgroup_processors(root), cases[i].expected);
    }
}

/* The smallest quota of the group and its ancestors applies. */
static void parent_groups_limit_quota(void **state)
{
    begin();
    put("/proc/self/cgroup", "0::/batch/job/step");
    put("/sys/fs/cgroup/batch/job/step/cpu.max", "max 100000");
    put("/sys/fs/cgroup/batch/job/cpu.max", "600000 100000");
    put("/sys/fs/cgroup/batch/cpu.max", "800000 100000");
    put("/sys/fs/cgroup/batch/job/other/cpu.max", "100000 100000");
    assert_int_equal(volt_cgroup_processors(root), 6);
    put("/sys/fs/cgroup/batch/cpu.max", "500000 100000");
    assert_int_equal(volt_cgroup_processors(root), 5);
    put("/sys/fs/cgroup/cpu.max", "300000 100000"); /* quota of the whole container */
    assert_int_equal(volt_cgroup_processors(root), 3);
    put("/sys/fs/cgroup/batch/job/step/cpu.max", "200000 100000");
    assert_int_equal(volt_cgroup_processors(root), 2);
}

/* A container may see a path that is not mounted: its own group is then the root of the hierarchy. */
static void missing_path(void **state)
{
    begin();
    put("/proc/self/cgroup", "0::/docker/0123\n");
    put("/sys/fs/cgroup/cpu.max", "300000 100000");
    assert_int_equal(volt_cgroup_processors(root), 3);
}

static void cgroup_version_1(void **state)
{
    begin();
    put("/proc/self/cgroup", "9:memory:/job\n4:cpu,cpuacct:/job\n2:cpuset:/narrow\n0::/system\n");
    put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n"); /* without its period */
    assert_int_equal(volt_cgroup_processors(root), 0);
    put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "none\n");
    assert_int_equal(volt_cgroup_processors(root), 0);
    put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "none\n");
    assert_int_equal(volt_cgroup_processors(root), 0);
    put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu/narrow/cpu.cfs_quota_us",
        "100000\n"); /* of the cpuset controller, not the CPU group */
    put("/sys/fs/cgroup/cpu/narrow/cpu.cfs_period_us", "100000\n");
    assert_int_equal(volt_cgroup_processors(root), 0);
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "700000\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(volt_cgroup_processors(root), 7);
    put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n");
    assert_int_equal(volt_cgroup_processors(root), 2);
    put("/sys/fs/cgroup/unified/system/cpu.max", "100000 100000\n"); /* both versions at once */
    assert_int_equal(volt_cgroup_processors(root), 1);
    begin();
    put("/proc/self/cgroup", "4:cpuacct,cpu:/job\n");
    put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "500000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    assert_int_equal(volt_cgroup_processors(root), 5);
}

/* A group outside the visible hierarchy has a path with "..": no file there is read. */
static void paths_outside_root_are_not_read(void **state)
{
    begin();
    put("/sys/fs/outside/cpu.max", "100000 100000");
    put("/sys/fs/cgroup/cpu.max", "400000 100000");
    put("/proc/self/cgroup", "0::/../outside\n");
    assert_int_equal(volt_cgroup_processors(root), 4);
    put("/proc/self/cgroup", "0:\nno line of this file\n:\n::\n\n0::\n");
    assert_int_equal(volt_cgroup_processors(root), 4);
    put("/proc/self/cgroup", "no line of this file\n");
    assert_int_equal(volt_cgroup_processors(root), 0);
}

/* Shares are relative to the quota of the machine that runs the test. */
static void processes_share_equally(void **state)
{
    const char *why = "nothing";
    int64_t all = volt_processors_limit(12, &why);
    assert_true(all >= 1 && all <= 12);
    volt_processors_set_sharers(3);
    assert_int_equal(volt_processors_limit(12, &why), all >= 3 ? all / 3 : 1);
    if (all > 1)
        assert_non_null(strstr(why, "share"));
    why = "nothing"; /* a single processor cannot be divided */
    assert_int_equal(volt_processors_limit(1, &why), 1);
    assert_string_equal(why, "nothing");
    volt_processors_set_sharers(100);
    assert_int_equal(volt_processors_limit(12, &why), 1);
    volt_processors_set_sharers(0);
    assert_int_equal(volt_processors_limit(12, &why), all);
    assert_int_equal(volt_processors_limit(1, &why), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_files_mean_no_quota),
        cmocka_unit_test(cgroup_version_2),
        cmocka_unit_test(parent_groups_limit_quota),
        cmocka_unit_test(missing_path),
        cmocka_unit_test(cgroup_version_1),
        cmocka_unit_test(paths_outside_root_are_not_read),
        cmocka_unit_test(processes_share_equally),
    };
    return cmocka_run_group_tests_name("processors", tests, NULL, remove_root);
}
