/* cli/compare/trial_folder.c: creates and checks the log folders of a comparison. */
#define _POSIX_C_SOURCE 200809L
#include "compare/comparison.h"

#include "terminal/messages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folder(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0)
        return 0;
    int error = errno;
    if (error == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0)
            return 0;
        return complain(EXIT_FAILED, "cannot write logs to the directory %s: %s", path, strerror(errno));
    }
    return complain(EXIT_FAILED, "cannot create the directory %s for the logs: %s", path,
                    error == EEXIST ? "a file of that name exists" : strerror(error));
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

/* Locks the folder. Each log has its own lock while it is written; this lock covers the time between logs. File
 * systems without folder locks are accepted. */
static int lock_folder(trial_folders *folders)
{
    folders->lock = open(folders->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folders->lock >= 0 && flock(folders->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return complain(EXIT_FAILED,
                        "%s is in use by another comparison: wait for it, or choose another directory",
                        folders->folder);
    return 0;
}

static int open_sample(const trial_folders *folders, int64_t sample, bool resume)
{
    char path[TRIAL_FOLDER_LENGTH];
    trial_folders_path(folders, sample, path);
    int failed = make_folder(path);
    if (!failed && !resume && has_logs(path))
        failed = complain(
            EXIT_USAGE, "%s already contains logs: continue with --resume, or choose another directory", path);
    return failed;
}

int trial_folders_open(trial_folders *folders, const char *folder, uint64_t first_seed, int64_t samples,
                       bool resume)
{
    enum { NAME_SPACE = 128 }; /* for the seed's folder and the name of a log */
    *folders = (trial_folders){.folder = folder, .first_seed = first_seed, .samples = samples, .lock = -1};
    if (!folder)
        return 0;
    if (strlen(folder) + NAME_SPACE > TRIAL_FOLDER_LENGTH)
        return complain(EXIT_FAILED, "path of the logs too long: %s", folder);
    int failed = make_folder(folder);
    if (!failed)
        failed = lock_folder(folders);
    for (int64_t i = 0; i < samples && !failed; i++)
        failed = open_sample(folders, i, resume);
    return failed;
}

void trial_folders_close(trial_folders *folders)
{
    if (folders->folder && folders->lock >= 0)
        close(folders->lock);
    folders->folder = NULL;
}

const char *trial_folders_path(const trial_folders *folders, int64_t sample, char path[TRIAL_FOLDER_LENGTH])
{
    if (!folders->folder)
        return NULL;
    if (folders->samples > 1)
        snprintf(path, TRIAL_FOLDER_LENGTH, "%s/seed-%llu", folders->folder,
                 (unsigned long long)folders->first_seed + (unsigned long long)sample);
    else
        snprintf(path, TRIAL_FOLDER_LENGTH, "%s", folders->folder);
    return path;
}
