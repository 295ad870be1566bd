/* src/base/processors.c: CPU quotas of control groups. */
#define _GNU_SOURCE
#include "base/threads.h"

#include "base/numbers.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 4096 };

/* ---- one control group ------------------------------------------------------------------------ */

/* Reads the first line of a file; false when it cannot be read. */
static bool read_line(const char *path, char line[128])
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool has_line = fgets(line, 128, file) != NULL;
    fclose(file);
    return has_line;
}

static int64_t whole_processors(int64_t quota, int64_t period)
{
    return quota > 0 && period > 0 ? volt_max(quota / period, 1) : 0;
}

/* "max 100000" or "150000 100000". */
static int64_t quota_of_max(const char *folder)
{
    char path[LONGEST_PATH + 32], line[128];
    int64_t quota = 0, period = 0;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (!read_line(path, line) || sscanf(line, "%" SCNd64 " %" SCNd64, &quota, &period) != 2)
        return 0;
    return whole_processors(quota, period);
}

/* -1 means no quota. */
static int64_t quota_of_cfs(const char *folder)
{
    char path[LONGEST_PATH + 32], line[128];
    int64_t quota = 0, period = 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!read_line(path, line) || sscanf(line, "%" SCNd64, &quota) != 1)
        return 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    if (!read_line(path, line) || sscanf(line, "%" SCNd64, &period) != 1)
        return 0;
    return whole_processors(quota, period);
}

/* ---- parent groups ---------------------------------------------------------------------------- */

/* The least quota of the group at `path` below `mount` and of its parents. A container often has its own
 * group as the root, with a path that does not exist: unreadable files mean no quota. */
static int64_t min_quota(const char *mount, const char *path, int64_t (*quota_of)(const char *))
{
    char folder[LONGEST_PATH];
    size_t base = strlen(mount);
    int64_t least = 0;
    if (strstr(path, "/..")) /* a group that is not visible to this process */
        path = "";
    if (base + strlen(path) >= sizeof folder)
        return 0;
    snprintf(folder, sizeof folder, "%s%s", mount, path);
    for (size_t end = strlen(folder); end >= base; end--) {
        if (end > base && folder[end] != '/' && folder[end] != '\0')
            continue;
        folder[end] = '\0';
        int64_t quota = quota_of(folder);
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
        if (end == 0)
            break;
    }
    return least;
}

/* Whether `name` is in a comma-separated list. */
static bool lists(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

/* One line of /proc/self/cgroup: number:controllers:path. Version 2 has the number 0 and no controllers. */
static int64_t quota_of_line(const char *root, char *line)
{
    char mount[LONGEST_PATH];
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return 0;
    *path++ = '\0';
    controllers++;
    path[strcspn(path, "\n")] = '\0';
    bool is_second = line[0] == '0' && controllers[0] == '\0';
    if (!is_second && !lists(controllers, "cpu"))
        return 0;
    int64_t least = 0;
    const char *const second[] = {"", "/unified"}, *const first[] = {"/cpu", "/cpu,cpuacct"};
    for (int i = 0; i < 2; i++) {
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, is_second ? second[i] : first[i]);
        int64_t quota = min_quota(mount, path, is_second ? quota_of_max : quota_of_cfs);
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
    }
    return least;
}

int64_t volt_cgroup_processors(const char *root)
{
    char path[LONGEST_PATH], line[LONGEST_PATH];
    int64_t least = 0;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        int64_t quota = quota_of_line(root, line);
        if (quota > 0 && (least == 0 || quota < least))
            least = quota;
    }
    fclose(file);
    return least;
}

/* ---- resulting limit -------------------------------------------------------------------------- */

static _Atomic int64_t sharers = 1;
static int64_t quota;

static void look(void)
{
    quota = volt_cgroup_processors("");
}

void volt_processors_set_sharers(int64_t processes)
{
    atomic_store(&sharers, volt_max(processes, 1));
}

int64_t volt_processors_limit(int64_t count, const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    if (quota > 0 && quota < count) {
        count = quota;
        *why = "the CPU quota of its control group";
    }
    int64_t parts = atomic_load(&sharers);
    if (parts > 1 && count > 1) {
        count = volt_max(count / parts, 1);
        *why = "its share of the processors used by the processes of a job";
    }
    return count;
}
