/* tests/unit/base/test_blas_buffers.c: BLAS buffers are allocated before the computation starts, or the call
 * fails. */
#define _GNU_SOURCE
#include "base/blas.h"
#include "base/memory.h"
#include "base/threads.h"
#include "support/check.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- the address space ------------------------------------------------------------------------ */

static int64_t address_space(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static bool can_be_limited(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false; /* shadow memory needs the address space */
#else
    return address_space() > 0;
#endif
}

static struct rlimit before;

/* Limits the address space to `bytes` more than the current size. */
static void limit_to(int64_t bytes)
{
    getrlimit(RLIMIT_AS, &before);
    struct rlimit limit = {.rlim_cur = (rlim_t)(address_space() + bytes), .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static int lift_limit(void **state)
{
    setrlimit(RLIMIT_AS, &before);
    return volt_set_threads(0) != VOLT_OK;
}

static int remember_limit(void **state)
{
    return getrlimit(RLIMIT_AS, &before);
}

/* ---- tests ------------------------------------------------------------------------------------ */

/* Must be the first test: no buffer is allocated yet. */
static void a_claim_without_room_is_refused(void **state)
{
    if (!can_be_limited())
        skip();
    volt_blas_use use;
    check_ok(volt_set_threads(1));
    limit_to(6 << 20);
    assert_false(volt_memory_can_map(16 << 20));
    volt_status status = volt_blas_claim(&use);
    if (strncmp(volt_blas_name(), "OpenBLAS", 8) == 0) {
        check_fails(status, VOLT_ERR_MEMORY, "1 132.0 MiB memory");
    } else { /* other BLAS libraries are not supported */
        check_ok(status);
        volt_blas_release(&use);
    }
    /* Each further BLAS thread would allocate a buffer. */
    check_ok(volt_set_threads(7));
    lift_limit(NULL);
    check_ok(volt_blas_claim(&use));
    volt_blas_release(&use);
}

static void threads_without_room_are_refused(void **state)
{
    if (!can_be_limited())
        skip();
    check_ok(volt_set_threads(40));
    limit_to(20 << 20);
    check_fails(volt_start_threads(), VOLT_ERR_MEMORY, "40 threads");
    check_ok(volt_set_threads(1));
    check_ok(volt_start_threads());
}

/* Buffers are kept: a second claim needs no memory. */
static void buffers_are_kept(void **state)
{
    if (!can_be_limited())
        skip();
    volt_blas_use use;
    check_ok(volt_blas_claim(&use));
    volt_blas_release(&use);
    limit_to(1 << 20);
    for (int i = 0; i < 3; i++) {
        check_ok(volt_blas_claim(&use));
        volt_blas_release(&use);
    }
}

static void claims_of_one_thread_nest(void **state)
{
    volt_blas_use outer, inner;
    check_ok(volt_blas_claim(&outer));
    assert_true(outer.is_outer);
    check_ok(volt_blas_claim(&inner));
    assert_false(inner.is_outer);
    assert_int_equal(inner.buffers, 0);
    volt_blas_release(&inner);
    check_ok(volt_blas_claim(&inner));
    assert_false(inner.is_outer); /* the outer claim is still held */
    volt_blas_release(&inner);
    volt_blas_release(&outer);
    check_ok(volt_blas_claim(&inner));
    assert_true(inner.is_outer);
    volt_blas_release(&inner);
}

enum { CALLERS = 4, ROWS = 96 };

static void *multiply(void *context)
{
    double *worst = context, A[ROWS], C[ROWS * ROWS];
    volt_blas_use use;
    *worst = 1;
    if (volt_blas_claim(&use) != VOLT_OK)
        return NULL;
    for (int i = 0; i < ROWS; i++)
        A[i] = i;
    *worst = 0;
    for (int round = 0; round < 50; round++) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, ROWS, ROWS, 1, 1, A, 1, A, 1, 0, C, ROWS);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ROWS; j++)
                *worst += C[i * ROWS + j] != (double)i * j;
    }
    volt_blas_release(&use);
    return NULL;
}

static void concurrent_claims_are_independent(void **state)
{
    pthread_t thread[CALLERS];
    double worst[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, multiply, &worst[i]), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < CALLERS; i++)
        assert_true(worst[i] == 0);
}

int main(void)
{
#define LIMITED(test) cmocka_unit_test_setup_teardown(test, remember_limit, lift_limit)
    const struct CMUnitTest tests[] = {
        LIMITED(a_claim_without_room_is_refused),
        LIMITED(threads_without_room_are_refused),
        LIMITED(buffers_are_kept),
        cmocka_unit_test(claims_of_one_thread_nest),
        cmocka_unit_test(concurrent_claims_are_independent),
    };
    return cmocka_run_group_tests_name("blas_buffers", tests, NULL, NULL);
}
