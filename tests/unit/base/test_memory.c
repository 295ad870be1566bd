/* tests/unit/base/test_memory.c: the allocator, its limits and its replacement. */
#include "base/memory.h"
#include "support/check.h"
#include "support/failing_alloc.h"

#include <sys/resource.h>
#include <unistd.h>

static void memory_is_aligned_and_writable(void **state)
{
    /* The largest exceeds the size from which the allocator requests huge pages. */
    static const int64_t counts[] = {0, 1, 7, 64, 1000, (int64_t)1 << 20};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double *memory = volt_alloc(counts[i], sizeof *memory);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        for (int64_t k = 0; k < counts[i]; k++)
            memory[k] = (double)k;
        volt_free(memory);
    }
    volt_free(NULL);
}

static void zero_size_objects(void **state)
{
    void *memory = volt_alloc(3, 0);
    assert_non_null(memory);
    volt_free(memory);
}

static void zeroed_memory_is_zero(void **state)
{
    for (int round = 0; round < 2; round++) { /* the second round reuses freed memory */
        unsigned char *memory = volt_alloc_zero(1000, 3);
        assert_non_null(memory);
        for (int i = 0; i < 3000; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, 3000);
        volt_free(memory);
    }
}

static void impossible_sizes_are_rejected(void **state)
{
    assert_null(volt_alloc(INT64_MAX, 8));
    assert_non_null(strstr(volt_error_detail(), "9223372036854775807 objects of 8 bytes"));
    assert_null(volt_alloc(((int64_t)1 << 61) + 1, 8)); /* the product wraps to 8 bytes */
    assert_null(volt_alloc(INT64_MAX, 2));
    assert_null(volt_alloc(-1, 1));
    assert_non_null(strstr(volt_error_detail(), "-1 objects"));
    assert_null(volt_alloc_zero((int64_t)1 << 62, 4));
    assert_null(volt_alloc_doubles((int64_t)1 << 32, (int64_t)1 << 32)); /* the product wraps to 0 */
    assert_non_null(strstr(volt_error_detail(), "4294967296 x 4294967296"));
    assert_null(volt_alloc_doubles(-1, 2));
    assert_null(volt_alloc_doubles(2, -1));
    assert_null(volt_alloc_doubles(-1, 0));
    assert_null(volt_alloc_doubles(0, -1));
}

static void matrices_may_be_empty(void **state)
{
    double *none = volt_alloc_doubles(INT64_MAX, 0);
    assert_non_null(none);
    volt_free(none);
}

static void growing_keeps_contents(void **state)
{
    int64_t *values = NULL, capacity = 0, last_capacity = 0;
    int moves = 0;
    for (int64_t n = 1; n <= 5000; n++) {
        void *memory = values;
        check_ok(volt_grow(&memory, &capacity, n, sizeof *values));
        values = memory;
        assert_true(capacity >= n);
        moves += capacity != last_capacity;
        last_capacity = capacity;
        values[n - 1] = n * n;
    }
    for (int64_t n = 1; n <= 5000; n++)
        assert_int_equal(values[n - 1], n * n);
    assert_in_range(moves, 2, 13); /* doubling from 1 reaches 5000 in 13 reallocations */
    volt_free(values);
}

static void failed_growing_changes_nothing(void **state)
{
    void *memory = volt_alloc(4, 8);
    void *before = memory;
    int64_t capacity = 4;
    memset(memory, 'a', 32);
    assert_int_equal(volt_grow(&memory, &capacity, INT64_MAX, 8), VOLT_ERR_MEMORY);
    assert_ptr_equal(memory, before);
    assert_int_equal(capacity, 4);
    for (int i = 0; i < 32; i++)
        assert_int_equal(((char *)memory)[i], 'a');
    check_ok(volt_grow(&memory, &capacity, 4, 8)); /* no-op */
    assert_ptr_equal(memory, before);
    volt_free(memory);
}

static void strings_are_copied(void **state)
{
    char text[] = "tau=0.4";
    char *copy = volt_strdup(text);
    text[0] = 'x';
    assert_string_equal(copy, "tau=0.4");
    volt_free(copy);
}

/* ---- replacement ------------------------------------------------------------------------------ */

static void every_function_uses_the_replacement(void **state)
{
    failing_alloc_start(0);
    void *grown = NULL;
    int64_t capacity = 0;
    void *blocks[] = {volt_alloc(3, 8), volt_alloc_zero(3, 8), volt_alloc_doubles(2, 2), volt_strdup("a")};
    check_ok(volt_grow(&grown, &capacity, 1, 8));
    check_ok(volt_grow(&grown, &capacity, capacity + 1, 8));
    int64_t asked = failing_alloc_count(), live = failing_alloc_live();
    for (int i = 0; i < 4; i++)
        volt_free(blocks[i]);
    volt_free(grown);
    int64_t left = failing_alloc_live();
    failing_alloc_stop();
    assert_int_equal(asked, 6);
    assert_int_equal(live, 5);
    assert_int_equal(left, 0);
}

static void failing_allocator_returns_null_with_message(void **state)
{
    failing_alloc_start(1);
    void *memory = volt_alloc(5, 16);
    failing_alloc_stop();
    assert_null(memory);
    assert_string_equal(volt_error_detail(), "could not allocate 5 objects of 16 bytes");
}

/* ---- available memory ------------------------------------------------------------------------- */

static void excessive_request_reports_required_and_available(void **state)
{
    check_ok(volt_memory_require(1, "a byte"));
    if (volt_memory_available() == 0)
        skip(); /* not available on this system */
    check_fails(volt_memory_require(1024.0 * 0x1p60, "the Gram matrix"), VOLT_ERR_MEMORY,
                "Gram 1024.0 EiB memory");
}

/* With this many processes the share of each is close to 0. */
static void processes_share_equally(void **state)
{
    volt_memory_set_sharers(INT64_MAX);
    assert_true(volt_memory_available() <= 2);
    volt_memory_set_sharers(0); /* single process */
    assert_true(volt_memory_available() > 2);
}

/* A limit on the address space leaves the unused part, up to the pages that the query itself uses. */
static void address_space_limit_counts_used_memory(void **state)
{
    const uint64_t more = 64 << 20;
    struct rlimit before, limit;
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        skip();
    assert_int_equal(fscanf(file, "%llu", &pages), 1);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = pages * (uint64_t)sysconf(_SC_PAGESIZE) + more;
    if (before.rlim_max != RLIM_INFINITY && limit.rlim_cur > before.rlim_max)
        skip();
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    uint64_t available = volt_memory_available();
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(available <= more + (1 << 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_writable),
        cmocka_unit_test(zero_size_objects),
        cmocka_unit_test(zeroed_memory_is_zero),
        cmocka_unit_test(impossible_sizes_are_rejected),
        cmocka_unit_test(matrices_may_be_empty),
        cmocka_unit_test(growing_keeps_contents),
        cmocka_unit_test(failed_growing_changes_nothing),
        cmocka_unit_test(strings_are_copied),
        cmocka_unit_test(every_function_uses_the_replacement),
        cmocka_unit_test(failing_allocator_returns_null_with_message),
        cmocka_unit_test(excessive_request_reports_required_and_available),
        cmocka_unit_test(processes_share_equally),
        cmocka_unit_test(address_space_limit_counts_used_memory),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
