/* tests/tsan/probe.c: the self-test of scripts/tsan.sh. `probe CASE` runs one loop or task graph on 4 threads.
 * ThreadSanitizer must report a data race in the cases that begin with "race", and nothing in the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 64, ROUNDS = 400 };

static double cells[CELLS];
static long created; /* written by the thread that creates the tasks */

static void update(long cell, long round)
{
    cells[cell] += (double)round;
}

static void loop(void)
{
    long sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (long i = 0; i < 1000; i++)
        sum += i;
    printf("%ld\n", sum);
}

static void race_loop(void)
{
    long sum = 0;
#pragma omp parallel for num_threads(4)
    for (long i = 0; i < 1000; i++)
        sum += i;
    printf("%ld\n", sum);
}

/* As src/backend/cholesky.c: one thread creates tasks that depend on cells. Their memory is reused many times. */
static void tasks(void)
{
#pragma omp parallel num_threads(4)
#pragma omp master
    for (long round = 0; round < ROUNDS; round++)
        for (long cell = 0; cell < CELLS; cell++) {
#pragma omp task depend(inout : cells[cell]) priority(cell == 3)
            update(cell, round);
        }
}

static void plain_tasks(void)
{
#pragma omp parallel num_threads(4)
#pragma omp master
    for (long round = 0; round < ROUNDS; round++) {
        for (long cell = 0; cell < CELLS; cell++) {
#pragma omp task
            update(cell, round);
        }
#pragma omp taskwait
    }
}

static void race_between_tasks(void)
{
#pragma omp parallel num_threads(4)
#pragma omp master
    for (long round = 0; round < ROUNDS; round++)
        for (long cell = 0; cell < CELLS; cell++) {
#pragma omp task depend(inout : cells[cell])
            update((cell + 1) % 2, round);
        }
}

static void race_with_creator(void)
{
#pragma omp parallel num_threads(4)
#pragma omp master
    for (long round = 0; round < ROUNDS; round++)
        for (long cell = 0; cell < CELLS; cell++) {
#pragma omp task depend(inout : cells[cell])
            update(cell, created);
            created++;
        }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"loop", loop},
        {"tasks", tasks},
        {"plain_tasks", plain_tasks},
        {"race_loop", race_loop},
        {"race_between_tasks", race_between_tasks},
        {"race_with_creator", race_with_creator},
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
