/* tests/fuzz/replay.c: run a fuzz target over files, without a fuzzer.
 *
 *     replay_csv FILE|DIRECTORY...
 *
 * prints one TAP line per file and the plan at the end. A crash or a failed check ends the program, and the
 * line of that file is missing. */
#include "fuzz/fuzz_input.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int n_files;

static int run_file(const char *path)
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
        LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    printf("%s %d - %s\n", is_read ? "ok" : "not ok", ++n_files, path);
    fflush(stdout);
    return is_read;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int run_directory(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_visible, alphasort);
    int all_good = count >= 0;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(directory) + strlen(entries[i]->d_name) + 2;
        char *path = malloc(length);
        if (path)
            snprintf(path, length, "%s/%s", directory, entries[i]->d_name);
        all_good &= path && run_file(path);
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    else
        perror(directory);
    return all_good;
}

int main(int argc, char **argv)
{
    int all_good = argc > 1;
    for (int i = 1; i < argc; i++) {
        struct stat entry;
        if (stat(argv[i], &entry) != 0) {
            perror(argv[i]);
            all_good = 0;
        } else {
            all_good &= S_ISDIR(entry.st_mode) ? run_directory(argv[i]) : run_file(argv[i]);
        }
    }
    printf("1..%d\n", n_files);
    return all_good && n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
