/* src/base/threads.c: the number of threads, for our loops and for BLAS. */
#include "base/blas.h"
#include "base/error.h"
#include "volterra/base.h"

#include <inttypes.h>
#include <omp.h>
#include <stdatomic.h>

enum { MOST_THREADS = 4096 };

static _Atomic int64_t wanted;   /* 0: the default */
static _Atomic int64_t standard; /* the default of OpenMP, kept because OpenBLAS changes it (it calls
                                    omp_set_num_threads); 0: not changed yet */

volt_status volt_set_threads(int64_t count)
{
    VOLT_REQUIRE(count >= 0 && count <= MOST_THREADS, VOLT_ERR_ARGUMENT,
                 "the number of threads is %" PRId64 ", and must be 0 (default) to %d", count, MOST_THREADS);
    int64_t unknown = 0;
    atomic_compare_exchange_strong(&standard, &unknown, omp_get_max_threads());
    atomic_store(&wanted, count);
    volt_blas_set_threads(volt_threads());
    return VOLT_OK;
}

int64_t volt_threads(void)
{
    int64_t count = atomic_load(&wanted);
    if (!count)
        count = atomic_load(&standard);
    return count ? count : omp_get_max_threads();
}
