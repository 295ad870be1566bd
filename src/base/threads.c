/* src/base/threads.c: the number of threads, for our loops and for BLAS. */
#include "base/blas.h"
#include "base/error.h"
#include "volterra/base.h"

#include <inttypes.h>
#include <omp.h>
#include <stdatomic.h>

enum { MOST_THREADS = 4096 };

static _Atomic int64_t wanted; /* 0: the default of OpenMP */

volt_status volt_set_threads(int64_t count)
{
    VOLT_REQUIRE(count >= 0 && count <= MOST_THREADS, VOLT_ERR_ARGUMENT,
                 "the number of threads is %" PRId64 ", and must be 0 (default) to %d", count, MOST_THREADS);
    atomic_store(&wanted, count);
    volt_blas_set_threads(volt_threads());
    return VOLT_OK;
}

int64_t volt_threads(void)
{
    int64_t count = atomic_load(&wanted);
    return count ? count : omp_get_max_threads();
}
