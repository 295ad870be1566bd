/* tests/unit/io/test_write_cancelled.c: writing a file can be cancelled at every poll and then preserves the
 * old file. Every poll calls the user (volt_stage_set_interval), so the test does not wait. */
#include "base/progress.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/polling.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/io.h"
#include "volterra/model.h"

typedef struct user {
    int64_t calls, cancel_at; /* 0: never */
} user;

static int listen(const char *stage, double fraction, void *context)
{
    user *u = context;
    assert_string_equal(stage, "write");
    assert_true(fraction >= 0 && fraction <= 1);
    return ++u->calls == u->cancel_at;
}

typedef volt_status (*writer)(const char *path, const void *what, volt_progress progress);

/* A completed write gives the same file as without progress, after at least `least` calls. If it is
 * cancelled at any call, only the old file exists, and the user is not called again. */
static void check_writer(const char *name, writer write, const void *what, int64_t least)
{
    size_t size = 0, other = 0;
    const char *plain_path = scratch_path("plain");
    check_ok(write(plain_path, what, (volt_progress){NULL, NULL}));
    char *plain = scratch_read(plain_path, &size);
    remove(plain_path);

    user all = {0};
    const char *path = scratch_path(name);
    check_ok(write(path, what, (volt_progress){listen, &all}));
    char *watched = scratch_read(path, &other);
    assert_true(size == other && memcmp(plain, watched, size) == 0);
    free(watched);
    free(plain);
    if (all.calls < least)
        fail_msg("%s: %d calls for %zu bytes", name, (int)all.calls, size);

    path = scratch_write_text(name, "old");
    int files = scratch_count();
    for (int64_t j = 1; j <= all.calls; j += 1 + all.calls / 20) {
        user u = {.cancel_at = j};
        check_fails(write(path, what, (volt_progress){listen, &u}), VOLT_ERR_CANCELLED, "cancelled");
        assert_int_equal(u.calls, j);
        char *content = scratch_read(path, NULL);
        assert_string_equal(content, "old");
        free(content);
        assert_int_equal(scratch_count(), files);
    }
    remove(path);
}

static volt_status write_table(const char *path, const void *what, volt_progress progress)
{
    return volt_table_write(
        path, *(const volt_view *)what, NULL,
        &(volt_write_options){.struct_size = sizeof(volt_write_options), .progress = progress});
}

/* As CSV: the name determines the format, and both files of check_writer must have the same. */
static volt_status write_npy(const char *path, const void *what, volt_progress progress)
{
    char with_end[1024];
    snprintf(with_end, sizeof with_end, "%s.npy", path);
    volt_status status = volt_table_write(
        with_end, *(const volt_view *)what, NULL,
        &(volt_write_options){.struct_size = sizeof(volt_write_options), .progress = progress});
    if (status == VOLT_OK)
        rename(with_end, path);
    return status;
}

static volt_status write_mat(const char *path, const void *what, volt_progress progress)
{
    char with_end[1024];
    snprintf(with_end, sizeof with_end, "%s.mat", path);
    volt_status status = volt_table_write(
        with_end, *(const volt_view *)what, NULL,
        &(volt_write_options){.struct_size = sizeof(volt_write_options), .progress = progress});
    if (status == VOLT_OK)
        rename(with_end, path);
    return status;
}

static volt_status write_model(const char *path, const void *what, volt_progress progress)
{
    return volt_model_save(what, path, progress);
}

enum { ROWS = 3000, COLS = 100, MIB = 1 << 20 };

static void cancelled_table_write(void **state)
{
    volt_rng rng = test_rng(2401);
    double *rows = normal_rows(&rng, ROWS, COLS);
    volt_view values = volt_view_of(rows, ROWS, COLS);
    const int64_t bytes = ROWS * COLS * (int64_t)sizeof(double);
    check_writer("table", write_table, &values, 2 * bytes / MIB); /* at least 16 characters per number */
    check_writer("numbers", write_npy, &values, bytes / MIB);
    check_writer("matrix", write_mat, &values, bytes / MIB);
    free(rows);
}

/* A model whose state is larger than a piece: a long window of zeros. */
static void cancelled_model_write(void **state)
{
    volt_rng rng = test_rng(2402);
    double *rows = random_rows(&rng, 5, 3, 1);
    volt_kernel *kernel = plain_parse("linear:window=100000");
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(rows, 5, 3), volt_view_of(rows, 5, 3), NULL,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_writer("model", write_model, model, 3 * 100000 * 8 / MIB);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cancelled_table_write, poll_always, poll_as_usual),
        cmocka_unit_test_setup_teardown(cancelled_model_write, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests_name("write_cancelled", tests, NULL, NULL);
}
