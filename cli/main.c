/* cli/main.c: entry point of the single-process program, and a check that must precede the start of OpenBLAS. */
#define _GNU_SOURCE
#include "program.h"

#include <stdlib.h>

/* OpenBLAS allocates a buffer for each of its threads before main(), and retries forever when that fails. The functions of
 * .preinit_array run before that; shared libraries, and C libraries other than glibc, do not have them. The C library is
 * not set up yet either: only system calls and functions of strings are safe. */
#if defined VOLT_HAVE_OPENBLAS && defined __GLIBC__ && defined __x86_64__
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const long buffer_mib = 132; /* the largest in use, with some pages around it */

/* The number of threads in OPENBLAS_NUM_THREADS or OMP_NUM_THREADS; 0 without one. */
static int threads_of(char **environment, const char *name)
{
    size_t length = strlen(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
            int count = 0;
            for (const char *digit = *environment + length + 1; *digit >= '0' && *digit <= '9' && count < 10000;
                 digit++)
                count = 10 * count + (*digit - '0');
            return count;
        }
    return 0;
}

static int blas_threads(char **environment)
{
    cpu_set_t processors;
    int all = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
    int wanted = threads_of(environment, "OPENBLAS_NUM_THREADS");
    wanted = wanted ? wanted : threads_of(environment, "OMP_NUM_THREADS");
    return wanted > 0 && wanted < all ? wanted : all;
}

static void check_address_space(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    int threads = blas_threads(environment);
    size_t size = (size_t)threads * (size_t)buffer_mib << 20;
    void *probe = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe != MAP_FAILED) {
        munmap(probe, size);
        return;
    }
    char message[256];
    int length = snprintf(
        message, sizeof message,
        "volterra: OpenBLAS requires %ld MiB of address space for %d thread%s, more than the limit of %llu MiB "
        "leaves: raise it (ulimit -v)%s\n",
        threads * buffer_mib, threads, threads == 1 ? "" : "s", (unsigned long long)(limit.rlim_cur >> 20),
        threads == 1 ? "" : " or set OMP_NUM_THREADS=1");
    if (write(STDERR_FILENO, message, (size_t)length) < 0)
        _exit(1);
    _exit(1);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const check_first)(int, char **, char **) = check_address_space;
#endif

int main(int argc, char **argv)
{
    return program_main(argc, argv, true);
}
