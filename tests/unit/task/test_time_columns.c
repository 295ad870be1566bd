/* tests/unit/task/test_time_columns.c: columns of numbers that are times of the rows: counters, clocks, dates as numbers. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "volterra/task.h"

enum { ROWS = 30, COLUMNS = 2 };

/* Two columns, the second of which are data. */
typedef struct two_columns {
    double values[ROWS * COLUMNS];
    int is_time[COLUMNS];
    volt_time_columns found;
} two_columns;

static const volt_warning *column_warning(const two_columns *t, volt_warning_code code)
{
    for (int64_t i = 0; i < t->found.n_warnings; i++)
        if (t->found.warnings[i].code == code)
            return &t->found.warnings[i];
    return NULL;
}

/* Column 0 is `first` + each * (i + more * (i >= later)), with this name (NULL: no names). */
static two_columns find_columns(const char *name, double first, double each, double more, int64_t later,
                                const int64_t *records, int64_t n_records)
{
    two_columns t = {.found.struct_size = sizeof t.found, .is_time = {7, 7}};
    const char *names[] = {name, "y"};
    for (int i = 0; i < ROWS; i++) {
        t.values[COLUMNS * i] = first + each * ((double)i + more * (i >= later));
        t.values[COLUMNS * i + 1] = sin(i);
    }
    check_ok(volt_time_columns_find(volt_view_of(t.values, ROWS, COLUMNS), name ? names : NULL, records,
                                    n_records, t.is_time, &t.found));
    assert_int_equal(t.is_time[1], 0);
    return t;
}

static void row_counters(void **state)
{
    static const char *const names[] = {NULL, "price", "Index", "t"}; /* the first column may have any name */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        two_columns t = find_columns(names[i], 10, 0.1, 0, 0, NULL, 0);
        assert_true(t.is_time[0] == 1 && t.found.counter == 0 && fabs(t.found.step - 0.1) < 1e-12);
        assert_int_equal(t.found.clock, i == 3 ? 0 : -1);
        const volt_warning *counter = column_warning(&t, VOLT_WARNING_ROW_COUNTER);
        assert_true(counter && counter->series == 0 && counter->value == t.found.step);
        assert_null(column_warning(&t, VOLT_WARNING_UNEVEN_CLOCK));
    }
    /* other columns count by their names; a single column and two rows are data */
    const char *const orders[2][2] = {{"y", "year"}, {"y", "price"}};
    double values[] = {5, 1990, 3, 1991, 9, 1992, 1, 1993};
    for (int i = 0; i < 2; i++) {
        volt_time_columns found = {.struct_size = sizeof found};
        int is_time[2];
        check_ok(volt_time_columns_find(volt_view_of(values, 4, 2), orders[i], NULL, 0, is_time, &found));
        assert_true(found.counter == (i == 0 ? 1 : -1) && is_time[0] == 0 && is_time[1] == (i == 0));
        check_ok(volt_time_columns_find(volt_view_of(values, 2, 2), orders[i], NULL, 0, NULL, &found));
        assert_true(found.counter == -1 && found.n_warnings == 0);
        volt_view one = {.data = values + 1, .rows = 4, .cols = 1, .ld = 2};
        check_ok(volt_time_columns_find(one, orders[0] + 1, NULL, 0, is_time, &found));
        assert_true(found.counter == -1 && is_time[0] == 0);
    }
}

/* Of several counters, a name of a time is preferred to one of a counter, and that to the first column. */
static void counters_are_chosen_by_name(void **state)
{
    static const struct {
        const char *names[3];
        int64_t counter;
    } cases[] = {{{"rownames", "time", "t"}, 1},    {{"rownames", "year", "y"}, 1},
                 {{"rownames", "year", "time"}, 2}, {{"index", "year", "y"}, 0},
                 {{"rownames", "times", "x"}, 0},   {{"t", "time", "year"}, 0},
                 {{"price", "value", "index"}, 2}};
    double values[30];
    for (int i = 0; i < 30; i++)
        values[i] = i / 3 + 1949 * (i % 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_time_columns found = {.struct_size = sizeof found};
        int is_time[3];
        check_ok(volt_time_columns_find(volt_view_of(values, 10, 3), cases[i].names, NULL, 0, is_time, &found));
        if (found.counter != cases[i].counter || found.n_warnings < 1 || !is_time[cases[i].counter])
            fail_msg("case %d: counter %d", (int)i, (int)found.counter);
        const volt_warning *last = &found.warnings[found.n_warnings - 1];
        assert_true(last->code == VOLT_WARNING_ROW_COUNTER && last->series == found.counter &&
                    last->value == found.step && found.step == 1);
    }
}

/* One row in ten may be missing: 2 of 21 rows, not 3. */
static void counters_with_missing_rows(void **state)
{
    const char *const names[] = {"rownames", "y"}, *const clock[] = {"t", "y"};
    for (int missing = 0; missing <= 3; missing++)
        for (int is_clock = 0; is_clock < 2; is_clock++) {
            double values[2 * 21];
            volt_time_columns found = {.struct_size = sizeof found};
            int is_time[2];
            for (int i = 0; i < 21; i++) {
                values[2 * i] =
                    0.25 * (i + (missing > 0 && i > 4) + 2 * (missing > 1 && i > 9) + (missing > 2 && i > 15));
                values[2 * i + 1] = i % 3;
            }
            check_ok(volt_time_columns_find(volt_view_of(values, 21, 2), is_clock ? clock : names, NULL, 0,
                                            is_time, &found));
            bool is_counter = missing < 3;
            assert_true(found.counter == (is_counter ? 0 : -1) && is_time[0] == (is_counter || is_clock));
            assert_true(found.clock == is_clock - 1 && is_time[1] == 0);
            assert_true(!is_counter || fabs(found.step - 0.25) < 1e-12);
            int gaps = 0, uneven = 0;
            for (int64_t i = 0; i < found.n_warnings; i++) {
                gaps += found.warnings[i].code == VOLT_WARNING_ROWS_MISSING && found.warnings[i].row == 5 &&
                        found.warnings[i].value == 1;
                uneven += found.warnings[i].code == VOLT_WARNING_UNEVEN_CLOCK;
            }
            assert_int_equal(gaps, missing > 0 && (is_clock || is_counter));
            assert_int_equal(uneven, is_clock && !is_counter);
        }
}

static void clocks_by_name(void **state)
{
    static const struct {
        const char *name;
        int is_clock;
    } cases[] = {{"t", 1},        {"Time (s)", 1}, {"time [h]", 1}, {"TIMESTAMP", 1}, {"date", 1},
                 {"datetime", 1}, {"ds", 1},       {"t1", 0},       {"t_oil", 0},     {"time of day", 0},
                 {"year", 0},     {"", 0},         {"times", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        two_columns t = find_columns(cases[i].name, 0, 1, 0.3, 20, NULL, 0);
        if (t.is_time[0] != cases[i].is_clock || t.found.clock != cases[i].is_clock - 1)
            fail_msg("'%s' is %d", cases[i].name, t.is_time[0]);
        assert_int_equal(column_warning(&t, VOLT_WARNING_UNEVEN_CLOCK) != NULL, cases[i].is_clock);
        assert_int_equal(t.found.counter, -1);
    }
    /* numbers that do not increase are data, and so are columns with a missing number */
    assert_int_equal(find_columns("time", 0, 1, -1, 20, NULL, 0).found.clock, -1);
    assert_int_equal(find_columns("time", 0, 1, NAN, 20, NULL, 0).found.clock, -1);
    assert_int_equal(find_columns("time", 0, 1, INFINITY, 29, NULL, 0).found.clock, -1);
}

/* Row 20 follows a gap of five rows. In two records, the second starts again. */
static void gaps_of_clocks(void **state)
{
    two_columns t = find_columns("t", 0, 0.01, 5, 20, NULL, 0);
    const volt_warning *gap = column_warning(&t, VOLT_WARNING_ROWS_MISSING);
    assert_true(gap && gap->row == 20 && gap->value == 5 && gap->series == 0);
    const int64_t records[] = {20, 10}, other[] = {12, 18};
    t = find_columns("t", 0, 0.01, 5, 20, records, 2);
    assert_true(t.found.clock == 0 && !column_warning(&t, VOLT_WARNING_ROWS_MISSING) && t.found.counter == -1);
    t = find_columns("t", 0, 0.01, -15, 20, records, 2);
    assert_int_equal(t.found.clock, 0);
    t = find_columns("t", 0, 0.01, 5, 20, other, 2);
    gap = column_warning(&t, VOLT_WARNING_ROWS_MISSING);
    assert_true(gap && gap->row == 20 && gap->value == 5);
}

/* 2024-01-01 as numbers. Days with closed weekends have no gaps. */
static void serial_dates(void **state)
{
    static const struct {
        double first, each;
        const char *form;
    } cases[] = {{45292, 1, "Excel"},
                 {739252, 1, "MATLAB"},
                 {1704067200, 86400, "seconds"},
                 {1704067200e3, 86400e3, "milliseconds"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int is_uneven = 0; is_uneven < 2; is_uneven++) {
            two_columns t = find_columns("Date", cases[i].first, cases[i].each, 0.25 * is_uneven, 9, NULL, 0);
            const volt_warning *serial = column_warning(&t, VOLT_WARNING_SERIAL_DATES);
            assert_true(serial && fabs(serial->value - 1704067200) < 1e-3 && serial->series == 0);
            assert_non_null(strstr(t.found.serial, cases[i].form));
            assert_int_equal(t.found.counter, is_uneven ? -1 : 0);
        }
    two_columns t = find_columns("Date", 0, 1, 0, 0, NULL, 0); /* row numbers */
    assert_true(!t.found.serial && !column_warning(&t, VOLT_WARNING_SERIAL_DATES));
    t = find_columns("level", 45292, 1, 0.25, 9, NULL, 0);
    assert_true(t.found.n_warnings == 0 && !t.found.serial);
    double week[2 * ROWS];
    const char *const names[] = {"date", "y"};
    for (int i = 0; i < ROWS; i++) {
        week[2 * i] = 45292 + i + 2 * (i / 5); /* a Monday */
        week[2 * i + 1] = cos(i);
    }
    check_ok(volt_time_columns_find(volt_view_of(week, ROWS, 2), names, NULL, 0, NULL, &t.found));
    assert_true(t.found.clock == 0 && t.found.n_warnings == 2 &&
                !column_warning(&t, VOLT_WARNING_ROWS_MISSING));
}

static void time_columns_fail_as_stated(void **state)
{
    double values[] = {0, 5, 1, 3, 2, 4, 9, 9};
    const char *const names[] = {"t", "y"};
    const int64_t records[] = {2, 1};
    const volt_view view = volt_view_of(values, 4, 2);
    volt_time_columns found = {.struct_size = sizeof found, .counter = 5};
    int is_time[] = {7, 7};
    check_fails(volt_time_columns_find(view, names, NULL, 0, is_time, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(
        volt_time_columns_find((volt_view){.rows = 4, .cols = 2, .ld = 2}, names, NULL, 0, is_time, &found),
        VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_time_columns_find(view, names, records, 2, is_time, &found), VOLT_ERR_ARGUMENT, "records");
    const volt_view wrong[] = {{values, -1, 2, 2}, {values, 4, -1, 2}, {values, 4, 2, 1}, {NULL, 4, 2, 2}};
    for (int i = 0; i < 4; i++)
        check_fails(volt_time_columns_find(wrong[i], names, NULL, 0, is_time, &found), VOLT_ERR_ARGUMENT,
                    "shape");
    volt_time_columns empty = {.struct_size = sizeof empty};
    check_ok(volt_time_columns_find((volt_view){.rows = 4}, NULL, NULL, 0, NULL, &empty));
    check_ok(volt_time_columns_find((volt_view){.cols = 2, .ld = 2}, NULL, NULL, 0, NULL, &empty));
    assert_true(empty.counter == -1 && empty.clock == -1);
    volt_status status = VOLT_ERR_MEMORY;
    for (int k = 1; status; k++) {
        assert_true(is_time[0] == 7 && found.counter == 5);
        failing_alloc_start(k);
        status = volt_time_columns_find(view, names, NULL, 0, is_time, &found);
        failing_alloc_stop();
        assert_true(status == VOLT_OK || status == VOLT_ERR_MEMORY);
    }
    assert_true(is_time[0] == 1 && is_time[1] == 0 && found.clock == 0 && found.counter == -1);
}

/* Months as numbers, which have lost the zero of October, are times. Decimal years are not. */
static void months_as_numbers(void **state)
{
    enum { MONTHS = 36 };
    const char *const names[] = {"month", "y"};
    for (int kind = 0; kind < 3; kind++) {
        double values[2 * MONTHS];
        int is_time[2];
        volt_time_columns found = {.struct_size = sizeof found};
        for (int i = 0; i < MONTHS; i++) {
            int year = 2020 + i / 12, month = i % 12 + 1;
            values[2 * i] = kind == 0   ? (100 * year + month) / 100.0
                            : kind == 1 ? year + month / (month < 10 ? 10.0 : 100.0)
                                        : year + (month - 1) / 12.0;
            values[2 * i + 1] = sin(0.5 * i);
        }
        check_ok(volt_time_columns_find(volt_view_of(values, MONTHS, 2), names, NULL, 0, is_time, &found));
        assert_int_equal(found.counter, kind == 2 ? 0 : -1);
        assert_int_equal(is_time[0], 1);
        assert_int_equal(is_time[1], 0);
        assert_int_equal(found.n_warnings, 1);
        assert_int_equal(found.warnings[0].code,
                         kind == 2 ? VOLT_WARNING_ROW_COUNTER : VOLT_WARNING_SERIAL_DATES);
        if (kind < 2)
            assert_true(found.warnings[0].value == 18262 * 86400.0); /* 2020-01-01 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_counters),
        cmocka_unit_test(counters_are_chosen_by_name),
        cmocka_unit_test(counters_with_missing_rows),
        cmocka_unit_test(clocks_by_name),
        cmocka_unit_test(gaps_of_clocks),
        cmocka_unit_test(serial_dates),
        cmocka_unit_test(time_columns_fail_as_stated),
        cmocka_unit_test(months_as_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
