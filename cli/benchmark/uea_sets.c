/* cli/benchmark/uea_sets.c: which sets of the UEA archive a folder holds, and their series. */
#define _POSIX_C_SOURCE 200809L
#include "benchmark/uea.h"

#include "terminal/messages.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* FOLDER/NAME/NAME_PART.ts, or .arff; NULL: neither is there, or memory is out. */
static char *find_part(const char *folder, const char *name, const char *part)
{
    static const char *const endings[] = {"ts", "arff"};
    for (int e = 0; e < 2; e++) {
        struct stat about;
        size_t size = strlen(folder) + 2 * strlen(name) + strlen(part) + 16;
        char *path = malloc(size);
        if (!path)
            return NULL;
        snprintf(path, size, "%s/%s/%s_%s.%s", folder, name, name, part, endings[e]);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
            return path;
        free(path);
    }
    return NULL;
}

static void release_run(uea_run *run)
{
    free(run->name);
    free(run->train);
    free(run->test);
    *run = (uea_run){0};
}

void uea_release(uea_runs *runs)
{
    for (int r = 0; r < runs->count; r++)
        release_run(&runs->runs[r]);
    runs->count = 0;
}

/* Add the set unless its files are not there; false: there are too many. */
static bool add_set(uea_runs *runs, const char *folder, const char *name)
{
    uea_run run = {.name = strdup(name),
                   .train = find_part(folder, name, "TRAIN"),
                   .test = find_part(folder, name, "TEST")};
    if (!run.name || !run.train || !run.test) {
        release_run(&run);
        return true;
    }
    if (runs->count == UEA_MOST_SETS) {
        release_run(&run);
        return false;
    }
    runs->runs[runs->count++] = run;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const uea_run *)a)->name, ((const uea_run *)b)->name);
}

static int find_all(uea_runs *runs, const char *folder)
{
    bool fits = true;
    DIR *directory = opendir(folder);
    if (!directory)
        return complain(EXIT_FAILED, "cannot read the folder %s: %s", folder, strerror(errno));
    for (struct dirent *entry; fits && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            fits = add_set(runs, folder, entry->d_name);
    closedir(directory);
    if (!fits)
        return complain(EXIT_FAILED, "the folder %s has more than %d sets: choose some with --only", folder,
                        UEA_MOST_SETS);
    qsort(runs->runs, (size_t)runs->count, sizeof *runs->runs, by_name);
    if (runs->count == 0)
        return complain(
            EXIT_FAILED,
            "the folder %s has no set: files are FOLDER/NAME/NAME_TRAIN.ts and NAME_TEST.ts (or .arff)",
            folder);
    return 0;
}

int uea_find(uea_runs *runs, const char *folder, const char *only)
{
    if (!only)
        return find_all(runs, folder);
    for (const char *at = only;; at++) {
        char word[128];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        int before = runs->count;
        if (length == 0 || length >= sizeof word || strchr(word, '/') || !add_set(runs, folder, word) ||
            runs->count == before)
            return complain(EXIT_USAGE,
                            "there is no set '%s' in %s: files are %s/NAME/NAME_TRAIN.ts and NAME_TEST.ts "
                            "(or .arff)",
                            word, folder, folder);
        at += length;
        if (!*at)
            return 0;
    }
}

/* ---- their series ----------------------------------------------------------------------------- */

int uea_series_read(uea_series *series, const uea_run *run)
{
    int failed = series_pair_read(&series->pair, run->train, NULL, run->test, NULL);
    if (failed)
        return failed;
    if (!series->pair.train.labels || !series->pair.test.labels)
        return complain(EXIT_FAILED, "%s has no classes", series->pair.train.labels ? run->test : run->train);
    failed = class_names_read(&series->classes, &series->pair.train);
    if (!failed)
        failed = class_numbers(&series->classes, &series->pair.train, &series->train);
    if (!failed)
        failed = class_numbers(&series->classes, &series->pair.test, &series->test);
    return failed;
}

void uea_series_release(uea_series *series)
{
    free(series->train);
    free(series->test);
    class_names_release(&series->classes);
    series_pair_release(&series->pair);
}
