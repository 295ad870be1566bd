/* cli/files/outputs.c: write matrices and models to files or pipes. */
#define _POSIX_C_SOURCE 200809L
#include "files/outputs.h"

#include "files/file_names.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_standard_output(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

/* ---- checks before the work ------------------------------------------------------------------- */

/* Checks that an existing file is writable, because the atomic replacement would ignore its permissions. */
static int check_existing(const char *path, const struct stat *about)
{
    if (S_ISDIR(about->st_mode))
        return complain(EXIT_FAILED, "cannot write %s: it is a directory", path);
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

/* Checks that the directory is writable. New content is written to a temporary file there, which is then
 * renamed. */
static int check_folder(const char *path, const char *folder)
{
    struct stat about;
    if (stat(folder, &about) != 0)
        return complain(EXIT_FAILED, "cannot write %s: directory %s: %s", path, folder, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return complain(EXIT_FAILED, "cannot write %s: %s is not a directory", path, folder);
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        return complain(EXIT_FAILED, "cannot write %s: directory %s: %s", path, folder, strerror(errno));
    return 0;
}

int output_check(const char *path)
{
    struct stat about;
    if (is_standard_output(path))
        return 0;
    const char *ending = strrchr(path, '.');
    if (ending && (strcmp(ending, ".xlsx") == 0 || strcmp(ending, ".xls") == 0))
        return complain(EXIT_USAGE, "cannot write %s: spreadsheets are not supported; use .csv", path);
    if (stat(path, &about) == 0) {
        int failed = check_existing(path, &about);
        if (failed || !S_ISREG(about.st_mode))
            return failed;
    } else if (errno != ENOENT && errno != ENOTDIR) {
        return complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
    }
    char target[PATH_MAX], folder[PATH_MAX];
    if (!follow_links(path, target))
        return complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
    size_t length = strlen(target);
    if (length > 0 && target[length - 1] == '/')
        return complain(EXIT_FAILED, "cannot write %s: it is a directory", path);
    split_path(target, folder);
    return check_folder(path, folder);
}

static int check_pair(const output_option *first, const output_option *second)
{
    if (!first->path || !second->path || !same_file(first->path, second->path))
        return 0;
    bool is_same_name = strcmp(first->path, second->path) == 0;
    return complain(EXIT_USAGE, "%s and %s name the same file, %s%s%s", first->option, second->option,
                    first->path, is_same_name ? "" : " and ", is_same_name ? "" : second->path);
}

int outputs_check_distinct(const output_option *outputs, int count)
{
    int failed = 0;
    for (int i = 0; i < count && !failed; i++)
        for (int j = 0; j < i && !failed; j++)
            failed = check_pair(&outputs[j], &outputs[i]);
    return failed;
}

/* Both parts of PATH:COLUMNS may contain colons. */
bool source_path(const char *source, char *path, size_t size)
{
    struct stat about;
    for (const char *end = source + strlen(source); end;
         end = strchr(end == source + strlen(source) ? source : end + 1, ':')) {
        size_t length = (size_t)(end - source);
        if (length >= size)
            return false;
        memcpy(path, source, length);
        path[length] = '\0';
        if (stat(path, &about) == 0)
            return true;
    }
    return false;
}

static bool stat_source(const char *source, struct stat *about)
{
    char path[PATH_MAX];
    return source_path(source, path, sizeof path) && stat(path, about) == 0;
}

bool source_is_file(const char *source)
{
    struct stat input;
    return strcmp(source, "-") != 0 && stat_source(source, &input) && S_ISREG(input.st_mode);
}

int output_check_against(const char *path, const char *source)
{
    struct stat output, input;
    if (is_standard_output(path) || !source || strcmp(source, "-") == 0)
        return 0;
    if (stat(path, &output) == 0 && S_ISREG(output.st_mode) && stat_source(source, &input) &&
        output.st_dev == input.st_dev && output.st_ino == input.st_ino)
        return complain(EXIT_USAGE, "the output %s is also an input; choose another name", path);
    return 0;
}

/* ---- matrices --------------------------------------------------------------------------------- */

int output_matrix(const char *path, volt_view values, const char *const *names, bool json)
{
    return json && is_standard_output(path) ? print_matrix_json(values, names, NULL, NULL, 0)
                                            : output_labelled(path, values, names, NULL);
}

int output_labelled(const char *path, volt_view values, const char *const *names, const row_labels *labels)
{
    bool is_file = !is_standard_output(path);
    /* Defer interrupts so that no partial file remains. Writing to a pipe may block, so interrupts act
     * immediately there. */
    if (is_file)
        interrupt_defer(true);
    volt_write_options options = {.struct_size = sizeof options};
    if (labels && labels->name) {
        options.label_name = labels->name;
        options.labels = labels->texts;
    }
    options.progress = interrupt_watch();
    volt_status status = volt_table_write(path ? path : "-", values, names, &options);
    if (is_file)
        interrupt_defer(false);
    return status ? complain_status(status) : 0;
}

/* Returns one block: the pointers, followed by the generated names. */
const char **names_or_default(const char *const *given, const char *prefix, int64_t count)
{
    enum { NAME_LENGTH = 24 };
    size_t q = (size_t)count;
    const char **names = malloc(q * (sizeof *names + NAME_LENGTH));
    if (!names)
        return NULL;
    char *made = (char *)(names + q);
    for (size_t j = 0; j < q; j++) {
        snprintf(made + j * NAME_LENGTH, NAME_LENGTH, "%s%zu", prefix, j + 1);
        names[j] = given ? given[j] : made + j * NAME_LENGTH;
    }
    return names;
}

const char **output_names(const volt_model_info *model)
{
    return names_or_default(model->output_names, "y", model->q);
}

const char **input_names(const volt_model_info *model)
{
    return names_or_default(model->input_names, "x", model->d);
}

void output_names_free(const char **names)
{
    free((void *)names);
}

/* ---- texts ------------------------------------------------------------------------------------ */

int output_text(const char *path, const char *text)
{
    interrupt_defer(!is_standard_output(path));
    volt_status status = volt_text_write(path, text);
    interrupt_defer(false);
    return status ? complain_status(status) : 0;
}

/* ---- models ----------------------------------------------------------------------------------- */

static int copy_stream(FILE *from, FILE *to)
{
    char buffer[1 << 16];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, from)) > 0)
        if (fwrite(buffer, 1, count, to) != count)
            return -1;
    return ferror(from) || fflush(to) ? -1 : 0;
}

/* Creates a temporary directory for a model that is written to a pipe. */
static bool make_folder(char folder[PATH_MAX])
{
    const char *parent = getenv("TMPDIR");
    int length = snprintf(folder, PATH_MAX, "%s/volterra-XXXXXX", parent && *parent ? parent : "/tmp");
    return length > 0 && length < PATH_MAX - 16 && mkdtemp(folder);
}

/* Copies `path` to standard output. */
static int copy_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    int failed = !file || copy_stream(file, stdout);
    int error = errno;
    if (file && fclose(file) && !failed)
        failed = -1;
    errno = error;
    return failed;
}

static int write_model_to_output(const volt_model *model)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    if (isatty(STDOUT_FILENO))
        return complain(EXIT_USAGE, "-o - would write a binary file to the terminal");
    if (!make_folder(folder))
        return complain(EXIT_FAILED, "cannot create a temporary file: %s", strerror(errno));
    snprintf(path, sizeof path, "%s/model", folder);
    interrupt_defer(true);
    volt_progress watch = interrupt_watch();
    volt_status status = volt_model_save(model, path, watch);
    int result = status ? complain_status(status) : 0;
    if (!result && copy_file(path))
        result = complain(EXIT_FAILED, "cannot write the model to standard output: %s", strerror(errno));
    remove(path);
    rmdir(folder);
    interrupt_defer(false);
    return result;
}

int model_read(const char *path, volt_model **model)
{
    volt_status status = volt_model_load(path, model);
    if (!status)
        return 0;
    return strcmp(path, "-") == 0 ? complain_status_hint(status, " (that is standard input)")
                                  : complain_status(status);
}

int model_write(const volt_model *model, const char *path)
{
    if (is_standard_output(path))
        return write_model_to_output(model);
    interrupt_defer(true);
    volt_progress watch = interrupt_watch();
    volt_status status = volt_model_save(model, path, watch);
    int result = status ? complain_status(status) : 0;
    interrupt_defer(false);
    return result;
}
