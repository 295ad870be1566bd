/* tests/unit/test_journal_calls.c: journals whose file cannot be written, synced or truncated, and journals
 * with well-formed but invalid lines. The program is linked with --wrap for the system calls replaced here. */
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/school.h"
#include "support/scratch.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- system calls ----------------------------------------------------------------------------- */

/* The failure of the next calls: fail `times` times with this errno. */
typedef struct trouble {
    int error, times;
} trouble;
static trouble writing, syncing, cutting;
static bool writes_little; /* one byte at a time */

ssize_t __real_write(int file, const void *bytes, size_t count);
int __real_ftruncate(int file, off_t length);
ssize_t __wrap_write(int file, const void *bytes, size_t count);
int __wrap_fsync(int file);
int __wrap_ftruncate(int file, off_t length);

static bool is_due(trouble *t)
{
    if (t->times == 0)
        return false;
    t->times--;
    errno = t->error;
    return true;
}

ssize_t __wrap_write(int file, const void *bytes, size_t count)
{
    return file > 2 && is_due(&writing) ? -1
                                        : __real_write(file, bytes, writes_little && count > 1 ? 1 : count);
}

int __wrap_fsync(int file)
{
    (void)file; /* test files need no sync */
    return is_due(&syncing) ? -1 : 0;
}

int __wrap_ftruncate(int file, off_t length)
{
    return is_due(&cutting) ? -1 : __real_ftruncate(file, length);
}

static int no_trouble(void **state)
{
    (void)state;
    writing = syncing = cutting = (trouble){0};
    writes_little = false;
    unlink(scratch_path("journal"));
    return 0;
}

/* ---- a learner with a journal ----------------------------------------------------------------- */

static school pupils;       /* forecasts the row itself */
static volt_model *distant; /* forecasts two rows ahead */

static volt_live *begin(const volt_model *model, int64_t window)
{
    volt_live *learner = new_learner(model, window, 1);
    check_ok(volt_journal_open(learner, scratch_path("journal"), NULL));
    return learner;
}

static const double *x_at(int64_t i)
{
    return pupils.X + (SCHOOL_TRAIN + i) * SCHOOL_D;
}

static const double *y_at(int64_t i)
{
    return pupils.Y + (SCHOOL_TRAIN + i) * SCHOOL_Q;
}

/* All operations that change a learner. */
typedef volt_status step_fn(volt_live *learner);

static volt_status push(volt_live *learner)
{
    double y[SCHOOL_Q];
    return volt_live_feed(learner, x_at(1), y);
}

static volt_status learn(volt_live *learner)
{
    return volt_live_learn(learner, 0, y_at(0));
}

static volt_status update(volt_live *learner)
{
    return volt_live_update(learner, x_at(1), 0, y_at(1), NULL);
}

static volt_status advance(volt_live *learner)
{
    return volt_live_update(learner, x_at(1), 1, y_at(1), NULL);
}

static volt_status drop(volt_live *learner)
{
    return volt_live_drop(learner, 1);
}

static volt_status restart(volt_live *learner)
{
    return volt_live_restart(learner);
}

static step_fn *const steps[] = {push, learn, update, advance, drop, restart};
enum { STEPS = sizeof steps / sizeof *steps };

/* The number of lines that the learner replays when it opens the journal. */
static int64_t lines_of(const volt_model *model)
{
    volt_live *learner = new_learner(model, 8, 1);
    int64_t replayed = -1;
    check_ok(volt_journal_open(learner, scratch_path("journal"), &replayed));
    volt_live_free(learner);
    return replayed;
}

/* Full disk: the learner completes the step and accepts no other until its journal is restarted. */
static void unwritable_line_fails(void **state)
{
    (void)state;
    for (int i = 0; i < STEPS; i++)
        for (int stays = 0; stays < 2; stays++) { /* the part that was written */
            unlink(scratch_path("journal"));
            volt_live *learner = begin(distant, 8);
            double y[SCHOOL_Q];
            check_ok(volt_live_feed(learner, x_at(0), y));
            int64_t events = info_of(learner).events;
            writing = (trouble){ENOSPC, 1};
            cutting = (trouble){EIO, stays};
            check_fails(steps[i](learner), VOLT_ERR_IO, "journal");
            assert_int_equal(cutting.times, 0);
            assert_int_equal(info_of(learner).events, events + 1);
            for (int k = 0; k < STEPS; k++)
                check_fails(steps[k](learner), VOLT_ERR_IO, "state ahead journal");
            assert_int_equal(info_of(learner).events, events + 1);
            cutting = (trouble){EIO, 1};
            check_fails(volt_journal_clear(learner), VOLT_ERR_IO, "journal");
            check_ok(volt_journal_clear(learner));
            check_ok(push(learner));
            volt_live_free(learner);
        }
}

/* Calls that are interrupted by a signal or write a part are repeated. Some file systems do not support
 * sync. */
static void line_written_despite_sync_failure(void **state)
{
    (void)state;
    volt_live *learner = begin(pupils.model, 8);
    writing = (trouble){EINTR, 3};
    check_ok(push(learner));
    assert_int_equal(writing.times, 0);
    writes_little = true;
    check_ok(push(learner));
    writes_little = false;
    syncing = (trouble){EINVAL, 1};
    check_ok(push(learner));
    syncing = (trouble){ENOTSUP, 1};
    check_ok(push(learner));
    assert_int_equal(syncing.times, 0);
    syncing = (trouble){EIO, 1};
    check_fails(push(learner), VOLT_ERR_IO, "journal");
    volt_live_free(learner);
    assert_int_equal(lines_of(pupils.model), 4); /* the fifth line is truncated */
}

/* An allocation fails within a step whose line cannot be written either. */
static void allocation_and_write_failures(void **state)
{
    (void)state;
    static step_fn *const halves[] = {update, advance};
    int64_t refused[2] = {0};
    for (int i = 0; i < 2; i++)
        for (int64_t k = 1, hit = 1; hit; k++) {
            const volt_model *model = halves[i] == update ? pupils.model : distant;
            unlink(scratch_path("journal"));
            volt_live *learner = begin(model, 0);
            double y[SCHOOL_Q];
            if (model == distant) { /* the first row waits for its target */
                check_ok(volt_live_feed(learner, x_at(0), y));
                check_ok(volt_live_feed(learner, x_at(1), y));
            } else { /* space for one more row than fitted */
                check_ok(volt_live_update(learner, x_at(0), 0, y_at(0), y));
            }
            int64_t events = info_of(learner).events;
            writing = (trouble){ENOSPC, 1};
            failing_alloc_start(k);
            volt_status status = halves[i](learner);
            hit = failing_alloc_hit();
            failing_alloc_stop();
            bool done = info_of(learner).events > events; /* at least partly */
            assert_int_equal(status, done ? VOLT_ERR_IO : VOLT_ERR_MEMORY);
            refused[i] += hit && done;
            writing = (trouble){0};
            if (done)
                check_fails(push(learner), VOLT_ERR_IO, "state ahead journal");
            else
                check_ok(push(learner));
            volt_live_free(learner);
        }
    assert_true(refused[0] > 0); /* pushed and not learned */
    assert_true(refused[1] > 0); /* learned and not pushed */
}

/* ---- lines ------------------------------------------------------------------------------------ */

static uint32_t crc_of(const char *text, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)text[i];
        for (int b = 0; b < 8; b++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

/* The first line that the learner writes, without its checksum. */
static void head_of(const volt_model *model, char head[256])
{
    size_t size = 0;
    unlink(scratch_path("journal"));
    volt_live_free(begin(model, 8));
    char *bytes = scratch_read(scratch_path("journal"), &size);
    assert_true(size > 10 && size < 256);
    snprintf(head, 256, "%.*s", (int)size - 10, bytes);
    free(bytes);
}

/* A journal of these lines, each with its checksum, followed by these bytes. */
static void write_journal(const char *head, const char *line, const char *rest)
{
    char text[1024];
    int length = snprintf(text, sizeof text, "%s %08" PRIx32 "\n", head, crc_of(head, strlen(head)));
    if (line)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %08" PRIx32 "\n", line,
                           crc_of(line, strlen(line)));
    length += snprintf(text + length, sizeof text - (size_t)length, "%s", rest);
    scratch_write("journal", text, (size_t)length);
}

static volt_status open_written(void)
{
    failing_alloc_start(0);
    volt_live *learner = new_learner(pupils.model, 8, 1);
    volt_status status = volt_journal_open(learner, scratch_path("journal"), NULL);
    volt_live_free(learner);
    assert_int_equal(failing_alloc_live(), 0);
    failing_alloc_stop();
    return status;
}

static void invalid_lines_are_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *line, *sentence;
    } cases[] = {
        {"x 1 2", "line 2 of the journal is not valid for this model"},
        {"p1 2", "is not valid for this model"},
        {"p 1", "is not valid for this model"},
        {"p 1 2 3", "is not valid for this model"},
        {"p 1 two", "is not valid for this model"},
        {"r 1", "is not valid for this model"},
        {"d -1", "has an invalid number of rows"},
        {"d 1e16", "has an invalid number of rows"},
        {"d 9", "line 2 of the journal: 9 rows are to be dropped"},
        {"l 1 2", "line 2 journal no row target pending"},
        {"u 1e400 0 1 2", "line 2 of the journal"},
    };
    char head[256];
    head_of(pupils.model, head);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_journal(head, cases[i].line, "");
        check_fails(open_written(), VOLT_ERR_FORMAT, cases[i].sentence);
    }
    write_journal(head, "d 8", "");
    check_ok(open_written());
}

static void incomplete_lines_are_rejected(void **state)
{
    (void)state;
    char head[256];
    head_of(pupils.model, head);
    static const char *const broken[] = {"r\n", "r 1 2 3 4 5 6 7 8\n", "r 00000000\n"};
    for (int i = 0; i < 3; i++) {
        char rest[64];
        snprintf(rest, sizeof rest, "%sr\n", broken[i]);
        write_journal(head, "r", rest); /* in the middle: an error */
        check_fails(open_written(), VOLT_ERR_FORMAT, "line 3 journal");
        write_journal(head, "r", broken[i]); /* at the end: truncated */
        assert_int_equal(lines_of(pupils.model), 1);
        write_journal(head, "r", broken[i]);
        cutting = (trouble){EIO, 1};
        check_fails(open_written(), VOLT_ERR_IO, "whole lines");
    }
    size_t size = 0;
    write_journal(head, "r", "r\n");
    char *bytes = scratch_read(scratch_path("journal"), &size);
    bytes[strlen(head) + 11] = '\0'; /* a zero byte in the second line */
    scratch_write("journal", bytes, size);
    free(bytes);
    check_fails(open_written(), VOLT_ERR_FORMAT, "line 2 journal");
}

static void headers_of_other_journals_are_rejected(void **state)
{
    (void)state;
    char head[256], changed[512], name[32], digest[32], settings[64];
    int version = 0;
    int64_t events = 0;
    head_of(pupils.model, head);
    assert_int_equal(
        sscanf(head, "%31s %d %31s %" SCNd64 " %63[^\n]", name, &version, digest, &events, settings), 5);
    static const struct {
        const char *name, *digest, *events, *settings, *sentence;
        int version;
    } cases[] = {
        {"volterra-journals", NULL, "0", NULL, "is not a journal of volterra", 1},
        {NULL, NULL, "-1", NULL, "is not a journal of volterra", 1},
        {NULL, NULL, "none", NULL, "is not a journal of volterra", 1},
        {NULL, NULL, "0;", NULL, "is not a journal of volterra", 1},
        {NULL, NULL, "0", NULL, "has journal format 2", 2},
        {NULL, "0123456789abcdef", "0", NULL, "belongs to another model", 1},
        {NULL, NULL, "0", "9 1 all", "has window, forget and forget_what 9 1 all", 1},
        {NULL, NULL, "5", NULL, "begins after 5 events, but this object has done 0", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(changed, sizeof changed, "%s %d %s %s %s", cases[i].name ? cases[i].name : name,
                 cases[i].version, cases[i].digest ? cases[i].digest : digest, cases[i].events,
                 cases[i].settings ? cases[i].settings : settings);
        write_journal(changed, NULL, "");
        check_fails(open_written(), VOLT_ERR_FORMAT, cases[i].sentence);
    }
    snprintf(changed, sizeof changed, "%s%200s", head, "all");
    write_journal(changed, NULL, "");
    check_fails(open_written(), VOLT_ERR_FORMAT, "journal volterra");
    mkfifo(scratch_path("pipe"), 0600);
    volt_live *learner = new_learner(pupils.model, 8, 1);
    check_fails(volt_journal_open(learner, scratch_path("pipe"), NULL), VOLT_ERR_IO, "pipe");
    check_fails(volt_journal_open(learner, "/dev/null", NULL), VOLT_ERR_IO, "regular");
    volt_live_free(learner);
}

static int make_models(void **state)
{
    open_school("volterra", 5401, &pupils);
    volt_kernel *kernel = NULL;
    volt_fit_options options = pupils.fit;
    options.ahead = 2;
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(pupils.X, SCHOOL_TRAIN, SCHOOL_D),
                            volt_view_of(pupils.Y, SCHOOL_TRAIN, SCHOOL_Q), &options,
                            volt_matrix_of(NULL, 0, 0), &distant));
    volt_kernel_free(kernel);
    return no_trouble(state);
}

static int free_models(void **state)
{
    (void)state;
    close_school(&pupils);
    volt_model_free(distant);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(unwritable_line_fails, no_trouble),
        cmocka_unit_test_teardown(line_written_despite_sync_failure, no_trouble),
        cmocka_unit_test_teardown(allocation_and_write_failures, no_trouble),
        cmocka_unit_test_teardown(invalid_lines_are_rejected, no_trouble),
        cmocka_unit_test_teardown(incomplete_lines_are_rejected, no_trouble),
        cmocka_unit_test_teardown(headers_of_other_journals_are_rejected, no_trouble),
    };
    return cmocka_run_group_tests_name("journal_calls", tests, make_models, free_models);
}
