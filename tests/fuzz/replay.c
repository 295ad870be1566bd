/* tests/fuzz/replay.c: run the fuzz targets over their cases, without a fuzzer.
 *
 *     fuzz_replay CORPUS               every target over its cases, CORPUS/TARGET.tar
 *     fuzz_replay TARGET FILE...       one target, e.g. csv, over files and over the cases of archives (*.tar)
 *
 * prints a comment before and a TAP line after each case, and the plan at the end. A crash or a failed check ends the
 * program: the last comment names the case. All targets are one program, as the check for leaks at its end takes
 * seconds on some machines. */
#include "fuzz/replay.h"
#include "support/archive.h"

#include <sys/stat.h>

static int n_cases;

/* Takes the bytes. */
static void run_case(const fuzz_target *target, const char *name, uint8_t *bytes, size_t size)
{
    printf("# %s %s\n", target->name, name);
    fflush(stdout);
    target->run(bytes, size);
    free(bytes);
    printf("ok %d - %s %s\n", ++n_cases, target->name, name);
}

/* Runs the cases of an archive; 0 if it has none or is damaged. */
static int run_archive(const fuzz_target *target, FILE *archive)
{
    char name[ARCHIVE_NAME + 1];
    uint8_t *bytes;
    size_t size;
    int before = n_cases, more;
    while ((more = archive_next(archive, name, &bytes, &size)) > 0)
        run_case(target, name, bytes, size);
    return more == 0 && n_cases > before;
}

static int run_file(const fuzz_target *target, const char *path, FILE *stream)
{
    struct stat entry;
    if (fstat(fileno(stream), &entry) != 0)
        return 0;
    size_t size = (size_t)entry.st_size;
    uint8_t *bytes = malloc(size ? size : 1); /* as in archive_next */
    if (!bytes || fread(bytes, 1, size, stream) != size) {
        free(bytes);
        return 0;
    }
    run_case(target, path, bytes, size);
    return 1;
}

static int run_path(const fuzz_target *target, const char *path)
{
    const char *ending = strrchr(path, '.');
    FILE *stream = fopen(path, "rb");
    int is_good = stream && (ending && strcmp(ending, ".tar") == 0 ? run_archive(target, stream)
                                                                   : run_file(target, path, stream));
    if (stream)
        fclose(stream);
    if (!is_good)
        printf("not ok %d - %s: no cases, or damaged: %s\n", ++n_cases, target->name, path);
    return is_good;
}

static int run_corpus(const char *corpus)
{
    int all_good = 1;
    for (const fuzz_target *target = fuzz_targets; target->name; target++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.tar", corpus, target->name);
        all_good &= run_path(target, path);
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
    for (int i = 0; i < count; i++)
        all_good &= run_path(target, paths[i]);
    return all_good;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: fuzz_replay CORPUS | fuzz_replay TARGET FILE...\n");
        return EXIT_FAILURE;
    }
    int all_good = argc == 2 ? run_corpus(argv[1]) : run_target(argv[1], argv + 2, argc - 2);
    printf("1..%d\n", n_cases);
    return all_good && n_cases > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
