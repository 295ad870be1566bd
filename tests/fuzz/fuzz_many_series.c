/* tests/fuzz/fuzz_many_series.c: libFuzzer target for forecasts of the many series of a file, with --id and --resume.
 *
 * An input has up to three parts, separated by lines of "---": the name of the column of --id (empty: not given), the file, and
 * the output of an earlier run. A forecast that succeeds writes lines with as many cells as the header. */
#include "fuzz/fuzz_input.h"
#include "fuzz/fuzz_mute.h"
#include "fuzz/fuzz_own_file.h"

#include "series/series_many.h"
#include "terminal/messages.h"
#include "volterra.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1536, STEPS = 2, PARTS = 3 };
static const double coverages[] = {0.8};

/* Splits the input; a part that is missing is NULL. */
static void split(char *text, char *parts[PARTS])
{
    for (int i = 0; i < PARTS; i++) {
        parts[i] = text;
        char *end = text ? strstr(text, "---\n") : NULL;
        text = end ? end + 4 : NULL;
        if (end)
            *end = '\0';
    }
    char *line_end = parts[0] ? strchr(parts[0], '\n') : NULL;
    if (line_end)
        *line_end = '\0';
}

/* The summary of a run is discarded; the lines of the replay are not. */
static int run_muted(const many_request *request)
{
    static FILE *nowhere;
    FILE *before = stdout;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    FUZZ_CHECK(nowhere);
    stdout = nowhere;
    int failed = many_run(request);
    stdout = before;
    return failed;
}

static void check_output(const char *path)
{
    char *text = NULL, *header = NULL;
    int64_t columns = 0;
    FUZZ_CHECK(volt_text_read(path, &text) == VOLT_OK);
    for (char *line = text, *end = NULL; *line; line = end + 1) {
        char **cells = NULL;
        int64_t count = 0;
        end = strchr(line, '\n');
        FUZZ_CHECK(end);
        *end = '\0';
        FUZZ_CHECK(volt_csv_split_line(line, header, &cells, &count) == VOLT_OK);
        columns = header ? columns : count;
        FUZZ_CHECK(count == columns);
        header = header ? header : line;
        volt_free(cells);
    }
    FUZZ_CHECK(columns == 6);
    volt_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char output[sizeof fuzz_file + 4];
    if (size > MAX_BYTES || memchr(bytes, 0, size))
        return 0;
    fuzz_mute();
    char *text = malloc(size + 1), *parts[PARTS];
    FUZZ_CHECK(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    split(text, parts);
    const char *file = fuzz_own_path(), *data = parts[1] ? parts[1] : "";
    snprintf(output, sizeof output, "%s.csv", file);
    FUZZ_CHECK(volt_set_threads(1) == VOLT_OK);
    fuzz_write(file, data, strlen(data));
    if (parts[2])
        fuzz_write(output, parts[2], strlen(parts[2]));

    long_source *source = calloc(1, sizeof *source);
    FUZZ_CHECK(source);
    if (long_source_find(file, *parts[0] ? parts[0] : NULL, source) == 0 && source->path[0]) {
        many_request request = {.source = source,
                                .missing = VOLT_MISSING_KEEP,
                                .options = volt_forecast_options_default(),
                                .coverages = coverages,
                                .n_coverages = 1,
                                .output = output,
                                .resume = parts[2] != NULL,
                                .quiet = true};
        request.options.steps = STEPS;
        request.options.coverages = coverages;
        request.options.n_coverages = 1;
        request.options.many_seconds = 0.02;
        /* Names with line ends or quotes are quoted in the header, which then has more than one line. */
        bool is_plain = !strpbrk(data, "\"") && !strpbrk(parts[0], "\"");
        if (run_muted(&request) == 0 && is_plain)
            check_output(output);
    }
    free(source);
    unlink(output);
    free(text);
    return 0;
}
