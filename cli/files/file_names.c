/* cli/files/file_names.c: resolve paths, including those of files that do not exist yet. */
#define _POSIX_C_SOURCE 200809L
#include "files/file_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

const char *split_path(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        strcpy(folder, ".");
    else if (slash == path)
        strcpy(folder, "/");
    else
        snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path), path);
    return slash ? slash + 1 : path;
}

bool follow_links(const char *path, char target[PATH_MAX])
{
    char text[PATH_MAX], folder[PATH_MAX];
    int length = snprintf(target, PATH_MAX, "%s", path);
    for (int links = 0; length < PATH_MAX; links++) {
        ssize_t size = readlink(target, text, sizeof text - 1);
        if (size < 0)
            return errno != EIO; /* else not a link, or a path that cannot be opened either */
        if (links == MAX_LINKS) {
            errno = ELOOP;
            return false;
        }
        text[size] = '\0';
        split_path(target, folder);
        length = text[0] == '/' ? snprintf(target, PATH_MAX, "%s", text)
                                : snprintf(target, PATH_MAX, "%s/%s", folder, text);
    }
    errno = ENAMETOOLONG;
    return false;
}

bool same_file(const char *first, const char *second)
{
    struct stat one, other;
    char one_target[PATH_MAX], other_target[PATH_MAX], one_folder[PATH_MAX], other_folder[PATH_MAX];
    if (strcmp(first, "-") == 0 || strcmp(second, "-") == 0)
        return strcmp(first, second) == 0;
    bool exists = stat(first, &one) == 0;
    if (exists != (stat(second, &other) == 0))
        return false;
    if (exists)
        return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    if (!follow_links(first, one_target) || !follow_links(second, other_target))
        return strcmp(first, second) == 0;
    const char *one_name = split_path(one_target, one_folder);
    const char *other_name = split_path(other_target, other_folder);
    return strcmp(one_name, other_name) == 0 && stat(one_folder, &one) == 0 &&
           stat(other_folder, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
