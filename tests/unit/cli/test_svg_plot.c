/* tests/unit/cli/test_svg_plot.c: plots of any numbers are well-formed, have finite coordinates, readable ticks and a bounded size. */
#define _POSIX_C_SOURCE 200809L
#include "files/svg_plot.h"
#include "support/check.h"

/* Writes and releases a plot. Checks that its elements end in the reverse order of their beginnings, and that it has no number
 * that SVG does not know. */
static char *drawn(svg_plot *plot)
{
    char *made = NULL, names[16][8];
    size_t size = 0;
    int depth = 0;
    FILE *svg = open_memstream(&made, &size);
    assert_non_null(svg);
    assert_int_equal(svg_write_inline(svg, plot, "a <plot> & \"more\""), 0);
    assert_int_equal(fclose(svg), 0);
    assert_null(plot->panels);
    for (const char *at = strchr(made, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        char name[8];
        assert_non_null(end);
        assert_int_equal(sscanf(at, "<%7[a-z/]", name), 1);
        if (name[0] == '/') {
            assert_true(depth > 0);
            assert_string_equal(name + 1, names[--depth]);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            memcpy(names[depth++], name, sizeof name);
        }
    }
    assert_int_equal(depth, 0);
    if (strstr(made, "nan") || strstr(made, "inf"))
        fail_msg("the plot has a number that is not finite: %s", made);
    return made;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

/* Numbers, with gaps, that exceed what differences of doubles represent, and that a logarithm does not take. */
static void any_number_is_drawn_or_left_out(void **state)
{
    (void)state;
    static const double values[][4] = {
        {1.7e308, -1.7e308, 0, 1e300},
        {NAN, 1, NAN, 2},
        {INFINITY, -INFINITY, NAN, NAN},
        {5, 5, 5, 5},
        {-3, -2, -1, 0},
        {1e-310, 0, 1e-300, 1e-308},
        {1e15, 1e15 + 1, 1e15 + 2, 1e15},
        {0, 0, 0, 0},
    };
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (int mark = SVG_LINE; mark <= SVG_CELLS; mark++)
            for (int logs = 0; logs < 4; logs++)
                for (int count = 0; count <= 4; count += count ? 3 : 1) {
                    svg_plot plot = {.title = "title"};
                    svg_panel *panel = svg_add_panel(&plot, "panel");
                    panel->x.is_log = logs & 1;
                    panel->y.is_log = logs & 2;
                    panel->scale = mark == SVG_CELLS;
                    panel->has_zero = true;
                    panel->origin = values[v][0];
                    svg_series *series = svg_add_series(panel, (svg_mark)mark, SVG_BLUE, "series");
                    for (int i = 0; i < count; i++)
                        svg_add(series, values[v][3 - i], values[v][i], values[v][(i + 1) % 4]);
                    free(drawn(&plot));
                }
}

static void empty_plots_are_plots(void **state)
{
    (void)state;
    svg_plot nothing = {0}, panels = {.columns = 3};
    free(drawn(&nothing));
    for (int i = 0; i < 5; i++)
        svg_add_panel(&panels, "%d", i);
    char *svg = drawn(&panels);
    assert_int_equal(count_of(svg, "<svg"), 6);
    free(svg);
}

/* A line of a million rows keeps its peaks, and as many points as pixels need. */
static void long_lines_are_thinned(void **state)
{
    (void)state;
    enum { ROWS = 1000000, PEAK = 654321 };
    svg_plot plots[2] = {{0}};
    char *svgs[2];
    for (int p = 0; p < 2; p++) {
        svg_panel *panel = svg_add_panel(&plots[p], "rows");
        svg_series *line = svg_add_series(panel, SVG_LINE, SVG_BLUE, "line"),
                   *band = svg_add_series(panel, SVG_BAND, SVG_ORANGE, "band");
        panel->y.low = 0;
        panel->y.high = 10;
        for (int i = 0; i < ROWS; i++) {
            double y = i == PEAK ? 10 : 2 + sin(i);
            svg_add(line, i, y, 0);
            svg_add(band, i, y - 1, y + 1);
        }
        svgs[p] = drawn(&plots[p]);
    }
    assert_true(strlen(svgs[0]) < 100000);
    assert_non_null(strstr(svgs[0], " 0 ")); /* the peak, at the upper end */
    assert_string_equal(svgs[0], svgs[1]);
    free(svgs[0]);
    free(svgs[1]);
}

/* The labels of an axis from low to high, in the order of their values. */
static void check_ticks(svg_axis axis, const char *expected)
{
    char found[512] = "";
    svg_plot plot = {0};
    svg_panel *panel = svg_add_panel(&plot, "%s", "");
    panel->x = axis;
    panel->y = (svg_axis){.low = 0.1, .high = 0.11, .step = 100};
    char *svg = drawn(&plot);
    for (const char *at = svg; (at = strstr(at, "<text")); at++)
        if (strstr(at, "\"middle\"") < strchr(at, '>')) {
            const char *text = strchr(at, '>') + 1;
            sprintf(found + strlen(found), "%s%.*s", found[0] ? " " : "", (int)strcspn(text, "<"), text);
        }
    assert_string_equal(found, expected);
    free(svg);
}

static void ticks_are_round(void **state)
{
    (void)state;
    static const char *months[40], *hours[30], *words[] = {"first", "second", "third"};
    char names[70][24];
    for (int i = 0; i < 70; i++) {
        if (i < 40)
            snprintf(names[i], sizeof names[i], "%d-%02d", 1958 + i / 12, i % 12 + 1);
        else
            snprintf(names[i], sizeof names[i], "2020-03-%02d %02d:00", 1 + (i - 30) / 24, (i - 30) % 24);
        *(i < 40 ? &months[i] : &hours[i - 40]) = names[i];
    }
    check_ticks((svg_axis){.low = 0, .high = 1}, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0");
    check_ticks((svg_axis){.low = -3, .high = 47}, "0 5 10 15 20 25 30 35 40 45");
    check_ticks((svg_axis){.low = 0, .high = 3, .is_whole = true}, "0 1 2 3");
    check_ticks((svg_axis){.low = 0, .high = 4e9}, "0 0.5e9 1.0e9 1.5e9 2.0e9 2.5e9 3.0e9 3.5e9 4.0e9");
    check_ticks((svg_axis){.low = 1e-9, .high = 1e-3, .is_log = true}, "1e-9 1e-8 1e-7 1e-6 1e-5 0.0001 0.001");
    check_ticks((svg_axis){.low = 1, .high = 100, .is_log = true}, "1 2 5 10 20 50 100");
    check_ticks((svg_axis){.low = -0.5, .high = 2.5, .texts = words, .n_texts = 3}, "first second third");
    check_ticks((svg_axis){.low = 0, .high = 39, .texts = months, .n_texts = 40, .are_times = true},
                "1958-01 1958-07 1959-01 1959-07 1960-01 1960-07 1961-01");
    check_ticks((svg_axis){.low = 0, .high = 20, .texts = months, .n_texts = 40, .are_times = true},
                "1958-01 1958-04 1958-07 1958-10 1959-01 1959-04 1959-07");
    check_ticks((svg_axis){.low = 0, .high = 29, .texts = hours, .n_texts = 30, .are_times = true},
                "12:00 2020-03-01 18:00 00:00 2020-03-02 06:00 12:00");
}

static void key_names_each_series_once(void **state)
{
    (void)state;
    svg_plot plot = {0};
    for (int i = 0; i < 3; i++) {
        svg_panel *panel = svg_add_panel(&plot, "panel %d", i);
        svg_add(svg_add_series(panel, SVG_BAND, SVG_ORANGE, "interval"), i, 0, 1);
        svg_add(svg_add_series(panel, SVG_LINE, SVG_GREY, "measured"), i, 1, 0);
        svg_add(svg_add_series(panel, SVG_LINE, SVG_ORANGE, ""), i, 2, 0);
        svg_add_series(panel, SVG_LINE, SVG_BLUE, "without points");
    }
    char *svg = drawn(&plot);
    assert_int_equal(count_of(svg, ">measured<"), 1);
    assert_int_equal(count_of(svg, ">interval<"), 1);
    assert_true(strstr(svg, ">measured<") < strstr(svg, ">interval<")); /* lines before areas */
    assert_null(strstr(svg, "without points"));
    free(svg);
}

static void long_texts_are_shortened(void **state)
{
    (void)state;
    char name[400], text[SVG_TEXT];
    memset(name, 'w', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    svg_text(text, "%s", name);
    assert_int_equal(strlen(text), SVG_TEXT - 1);
    for (size_t i = 0; i < 100; i++)
        memcpy(name + 3 * i, "\xe6\xbc\xa2", 3);
    name[300] = '\0';
    svg_text(text, "%s", name);
    assert_true(strlen(text) < SVG_TEXT && strstr(text, "\xe2\x80\xa6"));
    svg_plot plot = {0};
    svg_panel *panel = svg_add_panel(&plot, "%s", name);
    svg_add(svg_add_series(panel, SVG_LINE, SVG_BLUE, name), 0, 0, 0);
    char *svg = drawn(&plot);
    assert_int_equal(count_of(svg, "<title>"), 2); /* the whole text as tooltip */
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_is_drawn_or_left_out), cmocka_unit_test(empty_plots_are_plots),
        cmocka_unit_test(long_lines_are_thinned),          cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(key_names_each_series_once),      cmocka_unit_test(long_texts_are_shortened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
