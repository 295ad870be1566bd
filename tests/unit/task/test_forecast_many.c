/* tests/unit/task/test_forecast_many.c: forecasts of many series: the same as of each one, times, series without a forecast,
 * errors. */
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/forecast.h"

enum { SERIES = 5, LONGEST = 70, STEPS = 4, MOST = 600, NAME = 24 };

/* Rows under construction, and what the callback received. */
typedef struct table {
    int64_t rows;
    char id_text[MOST][NAME], time_text[MOST][NAME];
    const char *ids[MOST], *times[MOST];
    double values[MOST];
} table;

typedef struct received {
    int64_t count;
    char ids[SERIES + 1][NAME], first_time[SERIES + 1][NAME], last_time[SERIES + 1][NAME],
        reason[SERIES + 1][120];
    volt_status status[SERIES + 1];
    int is_dated[SERIES + 1];
    int64_t missing[SERIES + 1], seasons[SERIES + 1];
    double values[SERIES + 1][STEPS], errors[SERIES + 1][STEPS];
    int64_t done[SERIES + 1];
    int64_t cancel_at; /* series; -1: never */
} received;

static int receive(const volt_forecast_result *result, void *context)
{
    received *all = context;
    int64_t s = all->count++;
    volt_forecast_info info = {.struct_size = sizeof info};
    assert_true(s <= SERIES);
    assert_int_equal(result->index, s);
    snprintf(all->ids[s], NAME, "%s", result->id);
    snprintf(all->reason[s], sizeof all->reason[s], "%s", result->message);
    all->status[s] = result->status;
    all->is_dated[s] = result->is_dated;
    all->missing[s] = result->missing_rows;
    all->done[s] = result->done;
    assert_int_equal(result->status == VOLT_OK && result->done < 0, result->forecast != NULL);
    if (result->forecast) {
        check_ok(volt_forecast_get_info(result->forecast, &info));
        assert_int_equal(info.steps, STEPS);
        all->seasons[s] = volt_forecast_series_at(result->forecast, 0)->season;
        for (int h = 0; h < STEPS; h++) {
            all->values[s][h] = volt_forecast_step_at(result->forecast, h, 0)->value;
            all->errors[s][h] = volt_forecast_step_at(result->forecast, h, 0)->rmse;
        }
        snprintf(all->first_time[s], NAME, "%s", result->times[0]);
        snprintf(all->last_time[s], NAME, "%s", result->times[STEPS - 1]);
    }
    return all->cancel_at == s;
}

static void add(table *rows, const char *id, const char *time, double value)
{
    int64_t i = rows->rows++;
    assert_true(i < MOST);
    snprintf(rows->id_text[i], NAME, "%s", id);
    snprintf(rows->time_text[i], NAME, "%s", time);
    rows->ids[i] = rows->id_text[i];
    rows->times[i] = rows->time_text[i];
    rows->values[i] = value;
}

static volt_long_rows view_of_rows(const table *rows)
{
    return (volt_long_rows){.struct_size = sizeof(volt_long_rows),
                            .rows = rows->rows,
                            .ids = rows->ids,
                            .times = rows->times,
                            .values = rows->values};
}

static volt_forecast_options few_steps(void)
{
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = STEPS;
    return options;
}

static int64_t length_of(int64_t s)
{
    return LONGEST - 9 * s;
}

/* Alternating rows of series of different lengths: a season of 12, a trend and noise, in months. */
static void add_months(table *rows, double values[SERIES][LONGEST])
{
    volt_rng rng = test_rng(31);
    char id[NAME], time[NAME];
    for (int64_t t = 0; t < LONGEST; t++)
        for (int64_t s = 0; s < SERIES; s++) {
            if (t >= length_of(s))
                continue;
            values[s][t] =
                20 * (double)(s + 1) + 0.1 * (double)t + 3 * sin(0.523599 * (double)t) + volt_rng_uniform(&rng);
            snprintf(id, sizeof id, "s%d", (int)s);
            snprintf(time, sizeof time, "%d-%02d", 2001 + (int)t / 12, (int)t % 12 + 1);
            add(rows, id, time, values[s][t]);
        }
}

static void series_are_forecast_as_each_one(void **state)
{
    static table rows;
    static received found[3];
    static double values[SERIES][LONGEST];
    volt_forecast_options options = few_steps();
    rows.rows = 0;
    add_months(&rows, values);
    volt_long_rows data = view_of_rows(&rows);
    for (int i = 0; i < 3; i++) {
        found[i] = (received){.cancel_at = -1};
        check_ok(volt_set_threads(i + 1));
        check_ok(volt_forecast_many(&data, &options, receive, &found[i]));
        assert_int_equal(found[i].count, SERIES);
        assert_memory_equal(found[i].values, found[0].values, sizeof found[i].values);
        assert_memory_equal(found[i].errors, found[0].errors, sizeof found[i].errors);
    }
    check_ok(volt_set_threads(1));
    options.step = (volt_time_step){.months = 1};
    for (int64_t s = 0; s < SERIES; s++) {
        volt_forecast *forecast = NULL;
        volt_view one = volt_view_of(values[s], length_of(s), 1);
        check_ok(volt_forecast_run(one, &options, &forecast));
        for (int h = 0; h < STEPS; h++) {
            assert_true(found[0].values[s][h] == volt_forecast_step_at(forecast, h, 0)->value);
            assert_true(found[0].errors[s][h] == volt_forecast_step_at(forecast, h, 0)->rmse);
        }
        volt_forecast_free(forecast);
        char time[NAME];
        snprintf(time, sizeof time, "%d-%02d", 2001 + (int)length_of(s) / 12, (int)length_of(s) % 12 + 1);
        assert_string_equal(found[0].first_time[s], time);
        assert_true(found[0].is_dated[s]);
    }
    check_ok(volt_set_threads(0));
}

static void broken_series_have_reasons(void **state)
{
    static table rows;
    received found = {.cancel_at = -1};
    volt_forecast_options options = few_steps();
    rows.rows = 0;
    for (int t = 0; t < 5; t++) {
        char time[NAME];
        snprintf(time, sizeof time, "2020-01-%02d", t + 1);
        add(&rows, "hole", time, t == 2 ? (double)NAN : t);
        add(&rows, "good", time, t + 0.5 * (t % 2));
        add(&rows, "twice", t == 3 ? "2020-01-03" : time, t);
        add(&rows, "back", t == 3 ? "2020-01-01" : time, t);
        if (t < 2)
            add(&rows, "short", time, t);
        add(&rows, "words", t == 1 ? "tomorrow" : time, t);
    }
    volt_long_rows data = view_of_rows(&rows);
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    static const struct {
        const char *id, *term;
        volt_status status;
    } expected[] = {{"hole", "2020-01-03", VOLT_ERR_NOT_FINITE},
                    {"good", "", VOLT_OK},
                    {"twice", "2020-01-03", VOLT_ERR_DATA},
                    {"back", "2020-01-01", VOLT_ERR_DATA},
                    {"short", "3", VOLT_ERR_DATA},
                    {"words", "tomorrow", VOLT_ERR_FORMAT}};
    assert_int_equal(found.count, 6);
    for (int s = 0; s < 6; s++) {
        assert_string_equal(found.ids[s], expected[s].id);
        assert_int_equal(found.status[s], expected[s].status);
        assert_non_null(strstr(found.reason[s], expected[s].term));
    }
    assert_string_equal(found.first_time[1], "2020-01-06");
    /* without the good one, none is left */
    int64_t kept = 0;
    for (int64_t i = 0; i < rows.rows; i++)
        if (strcmp(rows.ids[i], "good") != 0) {
            rows.ids[kept] = rows.ids[i];
            rows.times[kept] = rows.times[i];
            rows.values[kept++] = rows.values[i];
        }
    rows.rows = kept;
    data = view_of_rows(&rows);
    found = (received){.cancel_at = -1};
    check_fails(volt_forecast_many(&data, &options, receive, &found), VOLT_ERR_DATA, "5 hole 2020-01-03");
    assert_int_equal(found.count, 5);
}

/* The line, the column and the value of a fault; one row determines the order of day and month for all series. */
static void faults_have_lines(void **state)
{
    static table rows;
    static const char *faults[MOST];
    static int64_t lines[MOST];
    received found = {.cancel_at = -1};
    volt_forecast_options options = few_steps();
    rows.rows = 0;
    for (int t = 0; t < 5; t++) {
        char time[NAME];
        snprintf(time, sizeof time, "%02d/01/2020", t + 1); /* months, as the last row of `later` shows */
        add(&rows, "text", time, t == 3 ? (double)INFINITY : t);
        add(&rows, "date", t == 1 ? "13/13/2020" : time, t);
        add(&rows, "void", t == 2 ? "" : time, t);
        add(&rows, "twice", t == 4 ? "04/01/2020" : time, t);
        snprintf(time, sizeof time, "01/%02d/2020", t + 20);
        add(&rows, "later", time, t + t % 2);
    }
    for (int64_t i = 0; i < rows.rows; i++) {
        lines[i] = 100 + i;
        faults[i] = isinf(rows.values[i]) ? "'x' is not a number" : NULL;
    }
    volt_long_rows data = view_of_rows(&rows);
    data.lines = lines;
    data.faults = faults;
    data.time_name = "ds";
    data.value_name = "sold";
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    static const char *const terms[][3] = {{"115", "sold", "'x'"},
                                           {"106", "ds", "13/13/2020"},
                                           {"112", "ds", "missing"},
                                           {"123", "ds", "04/01/2020"}};
    for (int s = 0; s < 4; s++) {
        assert_int_equal(found.status[s], s < 3 ? VOLT_ERR_FORMAT : VOLT_ERR_DATA);
        for (int j = 0; j < 3; j++)
            assert_non_null(strstr(found.reason[s], terms[s][j]));
    }
    assert_int_equal(found.status[4], VOLT_OK);
    assert_string_equal(found.first_time[4], "01/25/2020");
    /* without lines, the time is named */
    data.lines = NULL;
    found = (received){.cancel_at = -1};
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    assert_non_null(strstr(found.reason[0], "04/01/2020"));
    assert_non_null(strstr(found.reason[0], "'x'"));
}

/* Without times, the row of the series is named. */
static void faults_have_rows(void **state)
{
    static table rows;
    static const char *faults[MOST];
    received found = {.cancel_at = -1};
    volt_forecast_options options = few_steps();
    rows.rows = 0;
    for (int t = 0; t < 6; t++) {
        faults[rows.rows] = t == 3 ? "'x' is not a number" : NULL;
        add(&rows, "text", "", t);
        add(&rows, "hole", "", t == 4 ? (double)NAN : t);
        add(&rows, "endless", "", t == 2 ? (double)INFINITY : t);
        add(&rows, "good", "", t + t % 2);
    }
    volt_long_rows data = view_of_rows(&rows);
    data.times = NULL;
    data.faults = faults;
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    static const char *const terms[][2] = {{"3", "'x'"}, {"4", "missing"}, {"2", "infinite"}, {"", ""}};
    static const volt_status expected[] = {VOLT_ERR_FORMAT, VOLT_ERR_NOT_FINITE, VOLT_ERR_NOT_FINITE, VOLT_OK};
    assert_int_equal(found.count, 4);
    for (int s = 0; s < 4; s++) {
        assert_int_equal(found.status[s], expected[s]);
        for (int j = 0; j < 2; j++)
            assert_non_null(strstr(found.reason[s], terms[s][j]));
    }
}

/* If the rows contradict each other, each series determines its own order of day and month. */
static void orders_of_dates(void **state)
{
    static table rows;
    received found = {.cancel_at = -1};
    volt_forecast_options options = few_steps();
    rows.rows = 0;
    for (int t = 0; t < 6; t++) {
        char time[NAME];
        snprintf(time, sizeof time, "%d/01/2020", t + 10);
        add(&rows, "day first", time, t + t % 2);
        snprintf(time, sizeof time, "01/%d/2020", t + 10);
        add(&rows, "month first", time, t + t % 2);
    }
    volt_long_rows data = view_of_rows(&rows);
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    assert_int_equal(found.count, 2);
    assert_string_equal(found.first_time[0], "16/01/2020");
    assert_string_equal(found.first_time[1], "01/16/2020");
}

/* A time limit that is over at once allows one forecast. Series that are done are not forecast again, unless their first step
 * now has another time. */
static void limit_and_resume(void **state)
{
    static table rows;
    static double values[SERIES][LONGEST];
    received all = {.cancel_at = -1}, first = all, found = all;
    volt_forecast_options options = few_steps();
    rows.rows = 0;
    add_months(&rows, values);
    volt_long_rows data = view_of_rows(&rows);
    check_ok(volt_set_threads(1));
    check_ok(volt_forecast_many(&data, &options, receive, &all));
    options.many_seconds = 1e-9;
    check_ok(volt_forecast_many(&data, &options, receive, &first));
    assert_int_equal(first.count, SERIES);
    for (int s = 0; s < SERIES; s++) {
        assert_int_equal(first.status[s], s == 0 ? VOLT_OK : VOLT_ERR_CANCELLED);
        assert_int_equal(first.done[s], -1);
    }
    assert_memory_equal(first.values[0], all.values[0], sizeof all.values[0]);
    const char *done[] = {"s3", "elsewhere", "s1", "s0"};
    const char *times[] = {all.first_time[3], "1", "2001-01", all.first_time[0]};
    options.many_seconds = 0;
    data.done = done;
    data.done_times = times;
    data.n_done = 4;
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    static const int64_t expected[SERIES] = {3, -1, -1, 0, -1};
    for (int s = 0; s < SERIES; s++) {
        assert_int_equal(found.status[s], VOLT_OK);
        assert_int_equal(found.done[s], expected[s]);
        if (expected[s] < 0)
            assert_memory_equal(found.values[s], all.values[s], sizeof all.values[s]);
    }
    data.done_times = NULL;
    check_fails(volt_forecast_many(&data, &options, receive, &found), VOLT_ERR_ARGUMENT, "done_times 4");
    data.n_done = 0;
    options.many_seconds = -1;
    check_fails(volt_forecast_many(&data, &options, receive, &found), VOLT_ERR_ARGUMENT, "many_seconds -1");
    check_ok(volt_set_threads(0));
}

static void times_continue(void **state)
{
    static table rows;
    received found = {.cancel_at = -1};
    volt_forecast_options options = few_steps();
    static const int days[] = {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22};
    int count = (int)(sizeof days / sizeof *days);
    rows.rows = 0;
    for (int t = 0; t < count; t++) {
        char time[NAME];
        snprintf(time, sizeof time, "%d", 10 + 5 * t);
        add(&rows, "numbers", time, t % 3);
        snprintf(time, sizeof time, "%d", t * t);
        add(&rows, "squares", time, t % 4);
        snprintf(time, sizeof time, "2020-01-%02d", days[t]);
        add(&rows, "gap", time, t % 5);
    }
    volt_long_rows data = view_of_rows(&rows);
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    assert_string_equal(found.first_time[0], "115");
    assert_string_equal(found.last_time[0], "130");
    assert_true(found.is_dated[0] && !found.is_dated[1] && found.is_dated[2]);
    assert_string_equal(found.first_time[1], "1");
    assert_string_equal(found.last_time[1], "4");
    assert_string_equal(found.first_time[2], "2020-01-23");
    assert_int_equal(found.missing[0], 0);
    assert_int_equal(found.missing[2], 1);
    /* without times the steps are numbered */
    found = (received){.cancel_at = -1};
    data.times = NULL;
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    assert_false(found.is_dated[0]);
    assert_string_equal(found.last_time[0], "4");
}

/* Numbers as times increase; what follows is in their steps. With lines but without names of columns, the line is named. */
static void numbers_as_times_are_checked(void **state)
{
    static table rows;
    static int64_t lines[MOST];
    received found = {.cancel_at = -1};
    volt_forecast_options options = few_steps();
    rows.rows = 0;
    for (int t = 0; t < 8; t++) {
        char time[NAME];
        snprintf(time, sizeof time, "%g", 7.5 + 0.5 * t);
        add(&rows, "halves", time, t % 3);
        add(&rows, "words", t == 3 ? "noon" : time, t % 3);
        add(&rows, "endless", t == 7 ? "inf" : time, t % 3);
        add(&rows, "twice", t == 5 ? "9.5" : time, t % 3);
        add(&rows, "back", t == 1 ? "6.25" : time, t % 3);
    }
    for (int64_t i = 0; i < rows.rows; i++)
        lines[i] = 100 + i;
    volt_long_rows data = view_of_rows(&rows);
    static const char *const terms[][2] = {
        {"", ""}, {"116", "noon"}, {"137", "inf"}, {"128", "9.5"}, {"109", "6.25"}};
    for (int i = 0; i < 2; i++) {
        found = (received){.cancel_at = -1};
        data.lines = i ? lines : NULL;
        check_ok(volt_forecast_many(&data, &options, receive, &found));
        for (int s = 1; s < 5; s++) {
            assert_int_equal(found.status[s], s < 3 ? VOLT_ERR_FORMAT : VOLT_ERR_DATA);
            assert_non_null(strstr(found.reason[s], terms[s][1]));
            assert_true(!i || strstr(found.reason[s], terms[s][0]));
        }
        assert_true(found.status[0] == VOLT_OK && found.is_dated[0]);
        assert_string_equal(found.first_time[0], "11.5");
        assert_string_equal(found.last_time[0], "13");
    }
}

static void long_season_is_dropped(void **state)
{
    static table rows;
    received found = {.cancel_at = -1};
    volt_forecast_options options = few_steps();
    options.season = 12;
    rows.rows = 0;
    for (int t = 0; t < 40; t++) {
        char time[NAME];
        snprintf(time, sizeof time, "%d", t);
        add(&rows, "long", time, sin(0.523599 * t) + 0.01 * t);
        if (t < 23)
            add(&rows, "short", time, sin(0.523599 * t) + 0.01 * t);
    }
    volt_long_rows data = view_of_rows(&rows);
    check_ok(volt_forecast_many(&data, &options, receive, &found));
    assert_int_equal(found.seasons[0], 12);
    assert_int_equal(found.seasons[1], 0);
}

static int cancel(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    ++*(int *)context;
    return 1;
}

static void invalid_calls_are_rejected(void **state)
{
    static table rows;
    static double values[SERIES][LONGEST];
    received found = {.cancel_at = -1};
    volt_forecast_options options = few_steps();
    int calls = 0;
    rows.rows = 0;
    add_months(&rows, values);
    volt_long_rows data = view_of_rows(&rows), none = {.struct_size = sizeof none};
    check_fails(volt_forecast_many(NULL, NULL, receive, &found), VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_forecast_many(&data, NULL, NULL, &found), VOLT_ERR_ARGUMENT, "report");
    check_fails(volt_forecast_many(&none, NULL, receive, &found), VOLT_ERR_DATA, "rows");
    none.rows = 1;
    check_fails(volt_forecast_many(&none, NULL, receive, &found), VOLT_ERR_ARGUMENT, "ids values");
    options.kernel = "nothing";
    check_fails(volt_forecast_many(&data, &options, receive, &found), VOLT_ERR_KERNEL, "nothing");
    options = few_steps();
    options.steps = -1;
    check_fails(volt_forecast_many(&data, &options, receive, &found), VOLT_ERR_ARGUMENT, "steps -1");
    options = few_steps();
    options.known = volt_view_of(rows.values, rows.rows, 1);
    check_fails(volt_forecast_many(&data, &options, receive, &found), VOLT_ERR_ARGUMENT, "known");
    assert_int_equal(found.count, 0);
    options = few_steps();
    options.progress = (volt_progress){cancel, &calls};
    assert_int_equal(volt_forecast_many(&data, &options, receive, &found), VOLT_ERR_CANCELLED);
    assert_int_equal(calls, 1);
    assert_int_equal(found.count, 0);
    options = few_steps();
    found.cancel_at = 2;
    check_fails(volt_forecast_many(&data, &options, receive, &found), VOLT_ERR_CANCELLED, "3 5");
    assert_int_equal(found.count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_are_forecast_as_each_one),
        cmocka_unit_test(broken_series_have_reasons),
        cmocka_unit_test(faults_have_lines),
        cmocka_unit_test(faults_have_rows),
        cmocka_unit_test(orders_of_dates),
        cmocka_unit_test(limit_and_resume),
        cmocka_unit_test(times_continue),
        cmocka_unit_test(numbers_as_times_are_checked),
        cmocka_unit_test(long_season_is_dropped),
        cmocka_unit_test(invalid_calls_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
