/* tests/unit/backend/test_backend_table.c: the table of back ends: registration and lookup. */
#include "backend/backend.h"
#include "support/check.h"

static void missing_required_entry_is_rejected(void **state)
{
#define ENTRY(name)                         \
    {                                       \
#name, offsetof(volt_backend, name) \
    }
    static const struct {
        const char *name;
        size_t at;
    } required[] = {ENTRY(alloc),   ENTRY(release), ENTRY(put),      ENTRY(get),  ENTRY(shift), ENTRY(mirror),
                    ENTRY(isolate), ENTRY(trsm),    ENTRY(potrf),    ENTRY(norm), ENTRY(rcond), ENTRY(invert),
                    ENTRY(update),  ENTRY(forward), ENTRY(backward), ENTRY(gemm)},
      optional[] = {ENTRY(gather),      ENTRY(accumulate), ENTRY(gram),      ENTRY(cross), ENTRY(run),
                    ENTRY(run_seconds), ENTRY(state),      ENTRY(available), ENTRY(bytes), ENTRY(seconds)};
    check_ok(volt_backend_check(&volt_cpu_backend));
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        volt_backend lame = volt_cpu_backend;
        lame.name = "lame";
        memset((char *)&lame + required[i].at, 0, sizeof lame.alloc);
        if (volt_backend_check(&lame) != VOLT_ERR_ARGUMENT)
            fail_msg("a back end without %s is taken", required[i].name);
        check_fails(volt_backend_register(&lame), VOLT_ERR_ARGUMENT, "lacks");
    }
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        volt_backend plain = volt_cpu_backend;
        memset((char *)&plain + optional[i].at, 0, sizeof plain.alloc);
        check_ok(volt_backend_check(&plain));
    }
}

static void backend_requires_a_name(void **state)
{
    volt_backend unnamed = volt_cpu_backend;
    check_fails(volt_backend_check(NULL), VOLT_ERR_ARGUMENT, "name");
    unnamed.name = NULL;
    check_fails(volt_backend_check(&unnamed), VOLT_ERR_ARGUMENT, "name");
    unnamed.name = "";
    check_fails(volt_backend_check(&unnamed), VOLT_ERR_ARGUMENT, "name");
    check_fails(volt_backend_register(&volt_cpu_backend), VOLT_ERR_ARGUMENT, "cpu");
}

/* Fills the table permanently, so it must be the last test. */
static void names_are_found_and_full_table_rejects(void **state)
{
    static volt_backend more[8];
    static char names[8][64];
    check_fails(volt_backend_use("nothing"), VOLT_ERR_ARGUMENT, "'nothing' available cpu");
    check_fails(volt_backend_use(NULL), VOLT_ERR_ARGUMENT, "back ''");
    int64_t first = 0;
    while (volt_backend_at(first))
        first++;
    for (int64_t i = first; i < 8; i++) {
        snprintf(names[i], sizeof names[i], "a back end with quite a long name, the one that is called %d",
                 (int)i);
        more[i] = volt_cpu_backend;
        more[i].name = names[i];
        check_ok(volt_backend_register(&more[i]));
        assert_ptr_equal(volt_backend_at(i), &more[i]);
        check_ok(volt_backend_use(names[i]));
        assert_ptr_equal(volt_backend_current(), &more[i]);
        assert_false(volt_backend_is_automatic());
    }
    volt_backend last = volt_cpu_backend;
    last.name = "last";
    check_fails(volt_backend_register(&last), VOLT_ERR_ARGUMENT, "back 8");
    assert_null(volt_backend_at(8));
    assert_null(volt_backend_at(-1));
    check_fails(volt_backend_use("nothing"), VOLT_ERR_ARGUMENT, "called 1"); /* truncated list */
    volt_backend_set(NULL);
    assert_true(volt_backend_is_automatic());
    assert_ptr_equal(volt_backend_current(), &volt_cpu_backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_required_entry_is_rejected),
        cmocka_unit_test(backend_requires_a_name),
        cmocka_unit_test(names_are_found_and_full_table_rejects),
    };
    return cmocka_run_group_tests_name("backend_table", tests, NULL, NULL);
}
