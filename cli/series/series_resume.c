/* cli/series/series_resume.c: forecasts of many series that an earlier run has written. */
#define _POSIX_C_SOURCE 200809L
#include "series/series_resume.h"

#include "terminal/messages.h"
#include "volterra.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_newer(const struct stat *a, const struct stat *b)
{
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
        return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static int64_t count_lines(const char *text)
{
    int64_t count = 1;
    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

static int allocate(earlier_forecasts *earlier, int64_t lines)
{
    earlier->cells = calloc((size_t)lines, sizeof *earlier->cells);
    earlier->ids = calloc((size_t)lines, sizeof *earlier->ids);
    earlier->times = calloc((size_t)lines, sizeof *earlier->times);
    earlier->begin = calloc((size_t)lines + 1, sizeof *earlier->begin);
    if (!earlier->cells || !earlier->ids || !earlier->times || !earlier->begin)
        return complain(EXIT_FAILED, "not enough memory for the earlier forecasts");
    return 0;
}

/* Adds the line at `at`, which is a row of the last series or the first one of the next. Returns false for a line that is not
 * such a row. */
static bool add_line(earlier_forecasts *earlier, const char *header, int64_t n_columns, int64_t at)
{
    char **cells = NULL;
    int64_t n_cells = 0, last = earlier->count - 1;
    if (volt_csv_split_line(earlier->text + at, header, &cells, &n_cells) || n_cells != n_columns) {
        volt_free(cells);
        return false;
    }
    if (last >= 0 && strcmp(cells[0], earlier->ids[last]) == 0) {
        volt_free(cells);
        return true;
    }
    earlier->cells[earlier->count] = (char *)cells;
    earlier->ids[earlier->count] = cells[0];
    earlier->times[earlier->count] = cells[1];
    earlier->begin[earlier->count++] = at;
    return true;
}

/* Returns the end of the row at `at`, whose quoted cells may have several lines; NULL: none. */
static char *row_end(char *at)
{
    bool is_quoted = false;
    for (; *at && (*at != '\n' || is_quoted); at++)
        is_quoted ^= *at == '"';
    return *at ? at : NULL;
}

/* Reads the rows after the header, which ends at `at`. */
static bool read_rows(earlier_forecasts *earlier, const char *header, int64_t at)
{
    char **names = NULL;
    int64_t n_columns = 0;
    bool is_whole = volt_csv_split_line(header, NULL, &names, &n_columns) == VOLT_OK && n_columns > 2;
    volt_free(names);
    while (is_whole && earlier->text[at]) {
        char *end = row_end(earlier->text + at);
        if (!end)
            return false;
        *end = '\0';
        is_whole = add_line(earlier, header, n_columns, at);
        *end = '\n';
        at = end + 1 - earlier->text;
    }
    earlier->begin[earlier->count] = at;
    return is_whole;
}

static void forget(earlier_forecasts *earlier)
{
    for (int64_t s = 0; s < earlier->count; s++)
        volt_free(earlier->cells[s]);
    earlier->count = 0;
}

/* ---- options ---------------------------------------------------------------------------------- */

static void options_path(const char *path, char kept[PATH_MAX + 16])
{
    snprintf(kept, PATH_MAX + 16, "%s.options", path);
}

/* Compares the options of the earlier run. A warning names the first one that differs. */
static int has_options(const char *path, const char *options, bool *is_same)
{
    char kept_path[PATH_MAX + 16], *kept = NULL;
    struct stat about;
    *is_same = false;
    options_path(path, kept_path);
    if (stat(kept_path, &about)) {
        warn("--resume: %s is missing, and all series are forecast again", kept_path);
        return 0;
    }
    volt_status status = volt_text_read(kept_path, &kept);
    if (status)
        return complain_status(status);
    const char *a = kept, *b = options;
    while (*a && *a == *b && strcspn(a, "\n") == strcspn(b, "\n") && strncmp(a, b, strcspn(a, "\n") + 1) == 0) {
        b += strcspn(a, "\n") + 1;
        a += strcspn(a, "\n") + 1;
    }
    *is_same = strcmp(a, b) == 0;
    if (!*is_same)
        warn("--resume: the forecasts in %s have '%.*s' instead of '%.*s', and all series are forecast again",
             path, (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
    volt_free(kept);
    return 0;
}

int earlier_write(const char *path, const char *text, const char *options)
{
    char kept_path[PATH_MAX + 16];
    struct stat about;
    options_path(path, kept_path);
    bool is_kept = stat(kept_path, &about) == 0 && S_ISREG(about.st_mode);
    if (is_kept) /* never beside forecasts with other options */
        remove(kept_path);
    volt_status status = volt_text_write(path, text);
    if (!status && stat(path, &about) == 0 && S_ISREG(about.st_mode))
        status = volt_text_write(kept_path, options);
    return status ? complain_status(status) : 0;
}

/* ---- forecasts -------------------------------------------------------------------------------- */

int earlier_read(const char *path, const char *source, const char *header, const char *options,
                 earlier_forecasts *earlier)
{
    struct stat output, input;
    size_t length = strlen(header);
    *earlier = (earlier_forecasts){0};
    if (stat(path, &output))
        return 0;
    if (stat(source, &input) == 0 && is_newer(&input, &output)) {
        warn("--resume: %s is newer than %s, and all series are forecast again", source, path);
        return 0;
    }
    bool is_same = false;
    int failed = has_options(path, options, &is_same);
    if (failed || !is_same)
        return failed;
    volt_status status = volt_text_read(path, &earlier->text);
    if (status)
        return complain_status(status);
    failed = allocate(earlier, count_lines(earlier->text));
    if (failed)
        return failed;
    bool has_header = strncmp(earlier->text, header, length) == 0;
    if (!has_header || !read_rows(earlier, header, (int64_t)length)) {
        warn("--resume: %s is not the output of this command, and all series are forecast again", path);
        forget(earlier);
    }
    return 0;
}

void earlier_release(earlier_forecasts *earlier)
{
    forget(earlier);
    free(earlier->cells);
    free(earlier->ids);
    free(earlier->times);
    free(earlier->begin);
    volt_free(earlier->text);
}

void earlier_print(const earlier_forecasts *earlier, int64_t series, FILE *out)
{
    int64_t begin = earlier->begin[series];
    fwrite(earlier->text + begin, 1, (size_t)(earlier->begin[series + 1] - begin), out);
}
