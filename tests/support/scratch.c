/* tests/support/scratch.c: a directory for the files of one test program. */
#define _XOPEN_SOURCE 700
#include "support/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATHS = 8, LONGEST_PATH = 4096 };

static char directory[LONGEST_PATH / 2];

static void give_up(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* Call `visit` for every entry of the directory; returns how many there are. */
static int each_entry(void (*visit)(const char *path))
{
    DIR *entries = opendir(directory);
    int count = 0;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (visit) {
            char path[LONGEST_PATH];
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
            visit(path);
        }
    }
    if (entries)
        closedir(entries);
    return count;
}

static void remove_entry(const char *path)
{
    if (unlink(path) != 0)
        (void)rmdir(path);
}

static void remove_directory(void)
{
    each_entry(remove_entry);
    (void)rmdir(directory);
}

const char *scratch_directory(void)
{
    if (!*directory) {
        const char *parent = getenv("TMPDIR");
        snprintf(directory, sizeof directory, "%s/volterra-test-XXXXXX", parent && *parent ? parent : "/tmp");
        if (!mkdtemp(directory))
            give_up(directory);
        atexit(remove_directory);
    }
    return directory;
}

const char *scratch_path(const char *name)
{
    static char paths[PATHS][LONGEST_PATH];
    static int next;
    char *path = paths[next++ % PATHS];
    snprintf(path, LONGEST_PATH, "%s/%s", scratch_directory(), name);
    return path;
}

const char *scratch_write(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0)
        give_up(path);
    return path;
}

const char *scratch_write_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

char *scratch_read(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    struct stat entry;
    if (!stream)
        return NULL;
    if (fstat(fileno(stream), &entry) != 0)
        give_up(path);
    size_t length = (size_t)entry.st_size;
    char *bytes = malloc(length + 1);
    if (!bytes || fread(bytes, 1, length, stream) != length)
        give_up(path);
    fclose(stream);
    bytes[length] = '\0';
    if (size)
        *size = length;
    return bytes;
}

int scratch_count(void)
{
    return each_entry(NULL);
}
