/* cli/trial_folder.c: make and check the folder of the logs of a comparison. */
#define _POSIX_C_SOURCE 200809L
#include "trial_folder.h"

#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int make_folder(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return 0;
    int error = errno;
    if (error == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return 0;
    return complain(EXIT_FAILED, "cannot make the folder %s for the logs: %s", path,
                    error == EEXIST ? "there is a file of that name" : strerror(error));
}

static bool has_logs(const char *path)
{
    bool found = false;
    DIR *entries = opendir(path);
    if (!entries)
        return false;
    for (const struct dirent *entry; !found && (entry = readdir(entries));) {
        const char *dot = strrchr(entry->d_name, '.');
        found = dot && strcmp(dot, ".jsonl") == 0;
    }
    closedir(entries);
    return found;
}

int trial_folder_open(const char *folder, bool by_seed, uint64_t seed, bool resume,
                      char path[TRIAL_FOLDER_LENGTH])
{
    int length = by_seed ? snprintf(path, TRIAL_FOLDER_LENGTH, "%s/seed-%llu", folder, (unsigned long long)seed)
                         : snprintf(path, TRIAL_FOLDER_LENGTH, "%s", folder);
    if (length >= TRIAL_FOLDER_LENGTH)
        return complain(EXIT_FAILED, "the path of the logs is too long: %s", folder);
    int failed = make_folder(folder);
    if (!failed && by_seed)
        failed = make_folder(path);
    if (!failed && !resume && has_logs(path))
        failed = complain(
            EXIT_USAGE, "%s holds logs already; go on from them with --resume, or choose another folder", path);
    return failed;
}
