/* tests/fuzz/replay.c: run the fuzz targets over files, without a fuzzer.
 *
 *     fuzz_replay CORPUS                        every target over the folder of its name in CORPUS
 *     fuzz_replay TARGET FILE|DIRECTORY...      one target, e.g. csv
 *
 * prints one TAP line per file and the plan at the end. A crash or a failed check ends the program, and the
 * lines from that file on are missing. All targets are one program, as the check for leaks at its end takes
 * seconds on some machines. */
#include "fuzz/replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int n_files;

static int run_file(const fuzz_target *target, const char *path)
{
    FILE *stream = fopen(path, "rb");
    struct stat entry;
    if (!stream || fstat(fileno(stream), &entry) != 0) {
        perror(path);
        return 0;
    }
    size_t size = (size_t)entry.st_size;
    uint8_t *bytes = malloc(size ? size : 1); /* exactly as long as the file: the sanitizer sees the end */
    int is_read = bytes && fread(bytes, 1, size, stream) == size;
    fclose(stream);
    if (is_read)
        target->run(bytes, size);
    free(bytes);
    printf("%s %d - %s\n", is_read ? "ok" : "not ok", ++n_files, path);
    fflush(stdout);
    return is_read;
}

/* `folder` and a name below it, in `path`; 0 when that is too long. */
static int join(const char *folder, const char *name, char path[4096])
{
    int length = snprintf(path, 4096, "%s/%s", folder, name);
    return length >= 0 && length < 4096;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int run_directory(const fuzz_target *target, const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_visible, alphasort);
    int all_good = count > 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        all_good &= join(directory, entries[i]->d_name, path) && run_file(target, path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    else
        perror(directory);
    return all_good;
}

static int run_corpus(const char *corpus)
{
    int all_good = 1;
    for (const fuzz_target *target = fuzz_targets; target->name; target++) {
        char folder[4096];
        if (!join(corpus, target->name, folder) || !run_directory(target, folder)) {
            fprintf(stderr, "fuzz_replay: no seeds, or one that cannot be read: %s/%s\n", corpus, target->name);
            all_good = 0;
        }
    }
    return all_good;
}

static int run_target(const char *name, char **paths, int count)
{
    const fuzz_target *target = fuzz_target_find(name);
    if (!target) {
        fprintf(stderr, "fuzz_replay: there is no target '%s'\n", name);
        return 0;
    }
    int all_good = 1;
    for (int i = 0; i < count; i++) {
        struct stat entry;
        int is_folder = stat(paths[i], &entry) == 0 && S_ISDIR(entry.st_mode);
        all_good &= is_folder ? run_directory(target, paths[i]) : run_file(target, paths[i]);
    }
    return all_good;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: fuzz_replay CORPUS | fuzz_replay TARGET FILE|DIRECTORY...\n");
        return EXIT_FAILURE;
    }
    int all_good = argc == 2 ? run_corpus(argv[1]) : run_target(argv[1], argv + 2, argc - 2);
    printf("1..%d\n", n_files);
    return all_good && n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
