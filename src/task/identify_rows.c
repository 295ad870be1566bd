/* src/task/identify_rows.c: rows of an identification: test part, stretch of the searches, rows of the model. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/stats_internal.h"
#include "task/identify_check.h"
#include "task/identify_internal.h"

#include <inttypes.h>
#include <math.h>

enum {
    TEST_SHARE = 5,     /* the last fifth of the rows is the test part ... */
    WASHOUT_SHARE = 20, /* washout: a twentieth of the rows of a record ... */
    MOST_WASHOUT = 100, /* ... at most this many */
    FEWEST_TRIALS = 40, /* trials on the rows of the search that a time budget should allow */
    MOST_TEST_ROWS = 20000
};

/* ... or whole records if the test part is then within these shares of the rows. */
static const double least_test = 0.15, most_test = 0.25;
/* The last rows are fitted instead of the best-excited ones if they cover this share of their product. */
static const double nearly_covers = 0.8;

/* ---- checks ----------------------------------------------------------------------------------- */

static volt_status check_shapes(const volt_identify_options *options, volt_view U, volt_view Y)
{
    volt_view V = options->test_inputs, Z = options->test_outputs;
    VOLT_REQUIRE(U.data && Y.data, VOLT_ERR_ARGUMENT, "the inputs or the outputs are NULL");
    VOLT_REQUIRE(U.rows == Y.rows && U.cols > 0 && Y.cols > 0, VOLT_ERR_SHAPE,
                 "the inputs are %" PRId64 " x %" PRId64 " and the outputs %" PRId64 " x %" PRId64
                 ": both need the same rows and at least one column",
                 U.rows, U.cols, Y.rows, Y.cols);
    VOLT_REQUIRE(U.rows >= VOLT_IDENTIFY_MIN_ROWS, VOLT_ERR_DATA,
                 "there are %" PRId64 " rows, and an identification requires at least %d", U.rows,
                 VOLT_IDENTIFY_MIN_ROWS);
    VOLT_REQUIRE(!V.data == !Z.data, VOLT_ERR_ARGUMENT, "test inputs and test outputs must be given together");
    VOLT_REQUIRE(!V.data || (V.rows == Z.rows && V.rows > 0 && V.cols == U.cols && Z.cols == Y.cols),
                 VOLT_ERR_SHAPE,
                 "the test inputs are %" PRId64 " x %" PRId64 " and the test outputs %" PRId64 " x %" PRId64
                 ": both need the same rows, and the %" PRId64 " and %" PRId64 " columns of the training rows",
                 V.rows, V.cols, Z.rows, Z.cols, U.cols, Y.cols);
    VOLT_REQUIRE(options->draws >= 0, VOLT_ERR_ARGUMENT, "draws must be at least 0 (got %" PRId64 ")",
                 options->draws);
    VOLT_REQUIRE(options->draws > 0 || (options->seconds > 0 && isfinite(options->seconds)), VOLT_ERR_ARGUMENT,
                 "seconds must be positive (got %g)", options->seconds);
    VOLT_TRY(volt_require_finite("inputs", U));
    VOLT_TRY(volt_require_finite("outputs", Y));
    if (V.data) {
        VOLT_TRY(volt_require_finite("test inputs", V));
        VOLT_TRY(volt_require_finite("test outputs", Z));
    }
    return VOLT_OK;
}

/* ---- training and test part ------------------------------------------------------------------- */

/* First row of the last fifth, or a start of a record near it. */
static int64_t test_begin_of(const volt_records *records, int64_t rows)
{
    int64_t cut = rows - rows / TEST_SHARE, best = cut, nearest = INT64_MAX;
    for (int64_t r = 0; r + 1 < records->n; r++) {
        int64_t begin = records->ends[r], distance = begin > cut ? begin - cut : cut - begin;
        double share = (double)(rows - begin) / (double)rows;
        if (share >= least_test && share <= most_test && distance < nearest) {
            best = begin;
            nearest = distance;
        }
    }
    return best;
}

int64_t volt_identify_start_rows(const volt_identify_state *run, int64_t rows)
{
    enum { SHARE = 10 };
    return rows > 1 ? volt_min(run->found.washout, volt_max(1, rows / SHARE)) : 0;
}

/* Counts the rows that are compared, and ends the test where they are enough. */
static void count_test_rows(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    int64_t rows = run->test->U.rows;
    for (int64_t at = run->test_begin, end; at < rows && found->test_rows < MOST_TEST_ROWS; at = end) {
        end = volt_records_segment_end(&run->test->records, at, rows);
        int64_t start =
            volt_records_begins(&run->test->records, at) ? volt_identify_start_rows(run, end - at) : 0;
        int64_t count = volt_min(end - at - start, MOST_TEST_ROWS - found->test_rows);
        found->test_washout = volt_max(found->test_washout, start);
        found->test_rows += count;
        run->test_end = at + start + count;
    }
}

static void divide_rows(volt_identify_state *run)
{
    volt_identification *found = &run->found;
    const volt_records *records = &run->given.records;
    found->rows = run->given.U.rows;
    found->test_is_separate = run->options.test_inputs.data != NULL;
    run->test = found->test_is_separate ? &run->other : &run->given;
    run->test_begin = found->test_is_separate ? 0 : test_begin_of(records, found->rows);
    found->train_rows = found->test_is_separate ? found->rows : run->test_begin;
    found->train_records = volt_records_at(records, found->train_rows - 1) + 1;
    found->washout = volt_min(MOST_WASHOUT, found->train_rows / found->train_records / WASHOUT_SHARE);
    found->washout = volt_max(1, found->washout);
    count_test_rows(run);
    run->U = volt_view_rows(run->given.U, 0, found->train_rows);
    run->Y = volt_view_rows(run->given.Y, 0, found->train_rows);
}

volt_status volt_identify_take_rows(volt_identify_state *run, volt_view U, volt_view Y)
{
    const volt_identify_options *options = &run->options;
    VOLT_TRY(check_shapes(options, U, Y));
    run->given.U = U;
    run->given.Y = Y;
    run->other.U = options->test_inputs;
    run->other.Y = options->test_outputs;
    VOLT_TRY(volt_records_make(options->records, options->n_records, U.rows, &run->given.records));
    if (run->other.U.data)
        VOLT_TRY(volt_records_make(options->test_records, options->n_test_records, run->other.U.rows,
                                   &run->other.records));
    divide_rows(run);
    run->output_tests = volt_alloc(Y.cols, sizeof *run->output_tests);
    if (!run->output_tests)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < Y.cols; k++)
        run->output_tests[k] = (volt_output_test){NAN, NAN, NAN};
    return VOLT_OK;
}

void volt_identify_release_rows(volt_identify_state *run)
{
    volt_records_release(&run->given.records);
    volt_records_release(&run->other.records);
    volt_free(run->search_records);
    volt_free(run->output_tests);
}

volt_status volt_identify_records(const volt_identify_state *run, int64_t first, int64_t count,
                                  int64_t **lengths, int64_t *n)
{
    return volt_records_slice(&run->given.records, first, first + count, lengths, n);
}

/* ---- rows of the searches and of the model ---------------------------------------------------- */

volt_fit_options volt_identify_fit_options(const volt_identify_state *run)
{
    volt_fit_options options = volt_fit_options_default();
    options.target = VOLT_TARGET_LEVEL;
    options.input = VOLT_INPUT_LEVEL;
    options.washout = run->found.washout;
    options.scale_each = run->found.scale_each;
    options.initial = run->found.initial;
    return options;
}

volt_search_options volt_identify_search_options(const volt_identify_state *run, int64_t rows)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = VOLT_IDENTIFY_BLOCKS;
    options.splits.min_train = rows - VOLT_IDENTIFY_BLOCKS * (rows / VOLT_IDENTIFY_BLOCK_SHARE);
    options.washout = run->found.washout;
    options.initial = run->found.initial;
    options.score = VOLT_SCORE_NMSE;
    options.solver = "exact";
    return options;
}

volt_status volt_identify_trial_seconds(const volt_identify_state *run, int64_t rows, double *seconds)
{
    volt_kernel *kernel = NULL;
    volt_search_plan plan = {.struct_size = sizeof plan};
    volt_search_options options = volt_identify_search_options(run, rows);
    options.draws = 1;
    VOLT_TRY(volt_kernel_parse("memory:pole=0.5,pair=0.5,angle=0.5 + fir", &kernel));
    volt_status status =
        volt_plan_search(kernel, rows, run->U.cols + run->Y.cols, run->Y.cols, 1, &options, 1, &plan);
    volt_kernel_free(kernel);
    *seconds = plan.candidate_seconds;
    return status;
}

static volt_status count_search_rows(const volt_identify_state *run, double share, int64_t *rows)
{
    static const int64_t lengths[] = {VOLT_IDENTIFY_SEARCH_ROWS, 2000, 1500, 1000};
    *rows = volt_min(run->found.train_rows, lengths[0]);
    if (run->options.draws > 0)
        return VOLT_OK;
    for (size_t i = 1; i < sizeof lengths / sizeof *lengths; i++) {
        double seconds = 0;
        if (lengths[i] >= *rows)
            continue;
        VOLT_TRY(volt_identify_trial_seconds(run, *rows, &seconds));
        if (seconds * FEWEST_TRIALS < run->options.seconds * share)
            break;
        *rows = lengths[i];
    }
    return VOLT_OK;
}

volt_status volt_identify_choose_search_rows(volt_identify_state *run, double share)
{
    volt_identification *found = &run->found;
    VOLT_TRY(count_search_rows(run, share, &found->search_rows));
    found->search_begin = volt_identify_stretch(run->U, run->Y, found->search_rows, NULL);
    run->search_U = volt_view_rows(run->U, found->search_begin, found->search_rows);
    run->search_Y = volt_view_rows(run->Y, found->search_begin, found->search_rows);
    return volt_identify_records(run, found->search_begin, found->search_rows, &run->search_records,
                                 &run->n_records);
}

/* Of more than `rows` training rows, the last ones if they are as well excited as the best stretch and the test
 * follows them. */
void volt_identify_place_fit(volt_identify_state *run, int64_t rows)
{
    volt_identification *found = &run->found;
    double best = 0;
    found->fit_rows = rows;
    found->fit_begin = volt_identify_stretch(run->U, run->Y, rows, &best);
    double last = volt_identify_coverage(run->U, run->Y, found->train_rows - rows, rows);
    if (!found->test_is_separate && last >= nearly_covers * best)
        found->fit_begin = found->train_rows - rows;
}
