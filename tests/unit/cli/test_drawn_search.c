/* tests/unit/cli/test_drawn_search.c: the plot of a search for arbitrary kernel texts. Kernels in logs are
 * parsed before they are plotted; the plot must not depend on that. */
#define _POSIX_C_SOURCE 200809L
#include "search/search_plot.h"
#include "support/check.h"

enum { TRIALS = 6 };
enum { VALUE, PARAMETER, NAME, N_PLACES };

/* Parts of a kernel's text as axis labels and as its name. */
static const char *const hostile[] = {"`touch ran`",
                                      "x\nsystem('touch ran')\n",
                                      "x\"\nsystem('touch ran')\n\"",
                                      "x') ; system('touch ran') #",
                                      "x\", `touch ran` 1) #",
                                      "@macro%s%",
                                      "'''`touch ran`"};

/* Plots trials with `value` as the value, the parameter name or the kernel name. Returns the plot. */
static char *draw(const char *value, int place)
{
    char kernels[TRIALS][256];
    volt_trial trials[TRIALS];
    const volt_trial *list[TRIALS];
    memset(trials, 0, sizeof trials);
    for (int i = 0; i < TRIALS; i++) {
        if (place == VALUE)
            snprintf(kernels[i], sizeof kernels[i], "rbf:gamma=%s%d", value, i);
        else if (place == PARAMETER)
            snprintf(kernels[i], sizeof kernels[i], "rbf:%s=a%d", value, i);
        else
            snprintf(kernels[i], sizeof kernels[i], "%s%d:gamma=1", value, i);
        trials[i].index = i;
        trials[i].kernel = kernels[i];
        trials[i].alpha = 0.1 * (i + 1);
        trials[i].score = 0.5 + 0.05 * i;
        list[i] = &trials[i];
    }
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    svg_plot plot = {0};
    search_plot(&plot, list, TRIALS, list[TRIALS - 1], &(score_words){.label = "R2"}, 2);
    int failed = svg_write_inline(memory, &plot, "search");
    assert_int_equal(fclose(memory), 0);
    if (failed)
        fail_msg("no picture of trials with %s (place %d)", value, place);
    return svg;
}

static void any_kernel_text_is_drawn(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        for (int place = 0; place < N_PLACES; place++) {
            char *svg = draw(hostile[i], place);
            assert_non_null(strstr(svg, "</svg>"));
            assert_non_null(strstr(svg, "R2 of 6 draws: best 0.75"));
            assert_null(strstr(svg, "nan"));
            free(svg);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_kernel_text_is_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
