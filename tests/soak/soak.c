/* tests/soak/soak.c: the program of `make soak`: memory and drift of a stream and of a learner over many
 * rows.
 *
 *     soak stream ROWS       soak learn ROWS
 *
 * prints ten lines of measurements. The status is 1 when the drift exceeds the rounding bound or the memory
 * usage grows. */
#define _POSIX_C_SOURCE 200809L
#include "support/long_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 10, WINDOW = 500 };

typedef struct record {
    const char *name;
    double begin;
    int64_t held; /* at the first measurement */
    int seen, failed;
} record;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Memory of this process in bytes; 0: unknown. */
static long resident(void)
{
    long total = 0, pages = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    if (!stream || fscanf(stream, "%ld %ld", &total, &pages) != 2)
        pages = 0;
    if (stream)
        fclose(stream);
    return pages * sysconf(_SC_PAGESIZE);
}

static void print_sample(void *context, const soak_sample *sample)
{
    record *r = context;
    int is_off = !(sample->error <= sample->bound), has_grown = r->seen > 0 && sample->held > r->held;
    if (r->seen++ == 0) {
        r->held = sample->held;
        printf("%-8s %12s %10s %10s %12s %10s %8s\n", "part", "rows", "off by", "bound", "bytes held",
               "resident", "seconds");
    }
    printf("%-8s %12" PRId64 " %10.1e %10.1e %12" PRId64 " %6.1f MiB %8.0f%s%s\n", r->name, sample->rows,
           sample->error, sample->bound, sample->held, (double)resident() / (1 << 20), seconds_now() - r->begin,
           is_off ? "  OFF" : "", has_grown ? "  GROWN" : "");
    fflush(stdout);
    r->failed |= is_off || has_grown;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    int64_t rows = argc == 3 ? strtoll(argv[2], &end, 10) : 0;
    int is_stream = argc == 3 && strcmp(argv[1], "stream") == 0;
    if (argc != 3 || *end || (!is_stream && strcmp(argv[1], "learn") != 0) || rows < 10000) {
        fprintf(stderr, "usage: soak stream ROWS | soak learn ROWS (at least 10000)\n");
        return 2;
    }
    record r = {.name = argv[1], .begin = seconds_now()};
    soak_count();
    volt_status status = volt_set_threads(1);
    if (status == VOLT_OK)
        status = is_stream ? soak_stream(rows, SAMPLES, print_sample, &r)
                           : soak_learn(WINDOW, rows, SAMPLES, print_sample, &r);
    if (status)
        fprintf(stderr, "soak: %s\n", volt_error_detail());
    return status || r.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
