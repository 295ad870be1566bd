/* tests/unit/base/test_json_memory.c: allocation failures within jansson, which has its own allocator: every
 * allocation fails once, in every reader and writer of JSON. The message reports it, no result is returned,
 * and nothing is leaked. */
#include "base/json.h"
#include "io/safetensors/safetensors.h"
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/data.h"

/* ---- jansson's allocator ---------------------------------------------------------------------- */

static int64_t fail_at, asked, live;

static void *counting_malloc(size_t size)
{
    void *memory = ++asked == fail_at ? NULL : malloc(size);
    live += memory != NULL;
    return memory;
}

static void counting_free(void *memory)
{
    live -= memory != NULL;
    free(memory);
}

/* ---- call sequences --------------------------------------------------------------------------- */

static volt_status parse(void)
{
    static const char text[] =
        "{\"a\": [1, 2.5, true, false, null, \"text\", \"\"], \"b\": {\"c\": {}, \"d\": []}, "
        "\"a longer name than others\": -3e-7, \"u\": \"\\u00fc\\n\"}";
    json_t *value = NULL;
    volt_status status = volt_json_parse(text, (int64_t)strlen(text), &value);
    assert_true((status == VOLT_OK) == (value != NULL));
    if (value)
        assert_int_equal(json_array_size(json_object_get(value, "a")), 7);
    json_decref(value);
    return status;
}

/* A scalar value has no container that would detect its absence. */
static volt_status parse_values(void)
{
    static const char *const texts[] = {"7", "-0.5", "\"text\"", "[]", "{}"};
    volt_status status = VOLT_OK;
    for (int i = 0; i < 5 && status == VOLT_OK; i++) {
        json_t *value = NULL;
        status = volt_json_parse(texts[i], (int64_t)strlen(texts[i]), &value);
        assert_true((status == VOLT_OK) == (value != NULL));
        json_decref(value);
    }
    return status;
}

static volt_status write_tensors(void)
{
    static const double numbers[] = {1, 2, 3, 4};
    const volt_tensor tensors[] = {{"matrix", 2, 2, numbers}, {"vector", 4, 0, numbers}};
    const volt_metadatum notes[] = {{"kind", "test"}, {"other", "text"}};
    remove(scratch_path("written.safetensors"));
    volt_status status = volt_safetensors_write(scratch_path("written.safetensors"), tensors, 2, notes, 2);
    char *bytes = scratch_read(scratch_path("written.safetensors"), NULL);
    assert_true((status == VOLT_OK) == (bytes != NULL)); /* complete or empty */
    free(bytes);
    return status;
}

static volt_status read_tensors(void)
{
    volt_safetensors *file = NULL;
    volt_status status = volt_safetensors_read(scratch_path("in.safetensors"), &file);
    assert_true((status == VOLT_OK) == (file != NULL));
    if (file)
        assert_true(volt_safetensors_tensor(file, "vector")->data[3] == 4);
    volt_safetensors_free(file);
    return status;
}

static volt_status read_arrays(void)
{
    volt_arrays *arrays = NULL;
    volt_status status = volt_arrays_read(scratch_path("in.safetensors"), &arrays);
    assert_true((status == VOLT_OK) == (arrays != NULL));
    if (arrays)
        assert_true(volt_arrays_find(arrays, "matrix")->data[3] == 4);
    volt_arrays_free(arrays);
    return status;
}

static volt_status read_bekk(void)
{
    volt_bekk *bekk = NULL;
    volt_status status =
        volt_bekk_from_json("{\"C\": [[1, 0.5], [0, 1]], \"a\": [0.1, 0.2], \"b\": [0.3, 0.4], "
                            "\"tickers\": [\"A\", \"B\"]}",
                            &bekk);
    assert_true((status == VOLT_OK) == (bekk != NULL));
    if (bekk)
        assert_true(bekk->b[1] == 0.4);
    volt_bekk_free(bekk);
    return status;
}

static void every_allocation_of_jansson_may_fail(void **state)
{
    static const struct {
        const char *name;
        volt_status (*run)(void);
    } scenarios[] = {{"parse", parse},
                     {"parse values", parse_values},
                     {"write tensors", write_tensors},
                     {"read tensors", read_tensors},
                     {"read arrays", read_arrays},
                     {"read BEKK parameters", read_bekk}};
    check_ok(write_tensors());
    assert_int_equal(rename(scratch_path("written.safetensors"), scratch_path("in.safetensors")), 0);
    json_set_alloc_funcs(counting_malloc, counting_free);
    for (size_t j = 0; j < sizeof scenarios / sizeof *scenarios; j++)
        for (fail_at = 1;; fail_at++) {
            asked = live = 0;
            volt_status status = scenarios[j].run();
            if (live != 0)
                fail_msg("%s: allocation %d fails, and %d blocks stay", scenarios[j].name, (int)fail_at,
                         (int)live);
            if (asked < fail_at) {
                check_ok(status);
                assert_true(fail_at > 3); /* at least one allocation */
                break;
            }
            check_fails(status, VOLT_ERR_MEMORY, "memory");
        }
    json_set_alloc_funcs(malloc, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_jansson_may_fail),
    };
    return cmocka_run_group_tests_name("json_memory", tests, NULL, NULL);
}
