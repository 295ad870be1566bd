/* tests/reference/test_classical.c: Theta and exponential smoothing against statsforecast, autoregression against NumPy.
 *
 * Recursions with given parameters are compared directly. Fits are compared with the optimum of statsforecast's
 * likelihood near its own parameters: this library may find another optimum, but not a worse one. */
#include "stats/classical.h"
#include "support/check.h"
#include "support/golden.h"

enum { AHEAD = 8, MOST_EFFECTS = 64 };

/* -2 log L with the prior of beta/alpha (src/stats/ets.c). */
static double criterion_of(const volt_ets_info *info)
{
    const double share = info->beta / info->alpha;
    return info->likelihood + 16 * share * share;
}

/* One series of the file. */
typedef struct series_case {
    golden *file;
    int index;
    const char *name;
    golden_array y;
    int64_t season, forms;
    double scale; /* mean absolute seasonal difference */
} series_case;

static const char *path_of(const series_case *at, char path[128], const char *key)
{
    snprintf(path, 128, "inputs.series.%d.%s", at->index, key);
    return path;
}

static double number_at(const series_case *at, const char *key)
{
    char path[128];
    return golden_number(at->file, path_of(at, path, key));
}

static golden_array array_at(const series_case *at, const char *key)
{
    char path[128];
    return golden_array_of(at->file, path_of(at, path, key));
}

static series_case series_at(golden *file, int index)
{
    char path[128];
    series_case at = {.file = file, .index = index};
    at.name = golden_text(file, path_of(&at, path, "name"));
    at.y = array_at(&at, "y");
    at.season = (int64_t)number_at(&at, "season");
    at.forms = golden_length(file, path_of(&at, path, "forms"));
    for (int64_t t = at.season; t < at.y.count; t++)
        at.scale += fabs(at.y.data[t] - at.y.data[t - at.season]) / (double)(at.y.count - at.season);
    return at;
}

/* ---- Theta -------------------------------------------------------------------------------------- */

static void check_theta(const series_case *at, volt_theta_kind kind, const char *key)
{
    char field[64];
    double mean[AHEAD];
    volt_theta_info info;
    check_ok(volt_theta_forecast(kind, at->y.data, at->y.count, at->season, AHEAD, mean, &info));
    snprintf(field, sizeof field, "%s.season", key);
    assert_int_equal(info.season, number_at(at, field));
    snprintf(field, sizeof field, "%s.rmse", key);
    const double rmse = number_at(at, field);
    snprintf(field, sizeof field, "%s.theirs", key);
    const double theirs = number_at(at, field);
    print_message("%s, %s: rmse %.8g, optimum %.8g, statsforecast %.8g\n", at->name, key, info.rmse, rmse,
                  theirs);
    golden_check_number("rmse", rmse, info.rmse, golden_tol(at->file, "theta_rmse"), GOLDEN_RELATIVE);
    assert_true(info.rmse <= theirs * (1 + golden_tol(at->file, "theta_theirs")));
    snprintf(field, sizeof field, "%s.mean", key);
    golden_check(at->name, array_at(at, field).data, mean, AHEAD, golden_tol(at->file, "theta") * at->scale,
                 GOLDEN_ABSOLUTE);
}

static void theta_reaches_the_optimum(void **state)
{
    golden *file = golden_load("classical");
    for (int i = 0; i < golden_length(file, "inputs.series"); i++) {
        const series_case at = series_at(file, i);
        check_theta(&at, VOLT_THETA_OPTIMISED, "theta");
        check_theta(&at, VOLT_THETA_DYNAMIC, "dynamic");
    }
    golden_free(file);
}

/* ---- autoregression ----------------------------------------------------------------------------- */

static void autoregression_equals_separate_fits(void **state)
{
    enum { STEPS = 30 };
    golden *file = golden_load("seasonal_ar");
    for (int i = 0; i < golden_length(file, "inputs.series"); i++) {
        char path[128];
        double mean[STEPS], scale = 0;
        const series_case at = {.file = file,
                                .index = i,
                                .name = golden_text(file, path_of(&(series_case){.index = i}, path, "name"))};
        const golden_array y = array_at(&at, "y"), expected = array_at(&at, "mean");
        const int64_t season = (int64_t)number_at(&at, "season");
        assert_int_equal(expected.count, STEPS);
        for (int64_t t = season; t < y.count; t++)
            scale += fabs(y.data[t] - y.data[t - season]) / (double)(y.count - season);
        check_ok(volt_seasonal_ar_forecast(y.data, y.count, season, STEPS, mean));
        golden_check(at.name, expected.data, mean, STEPS, golden_tol(file, "mean") * scale, GOLDEN_ABSOLUTE);
    }
    golden_free(file);
}

/* ---- exponential smoothing ---------------------------------------------------------------------- */

typedef struct form_case {
    const series_case *of;
    int index;
    volt_ets_form form;
} form_case;

static const char *form_key(const form_case *at, char key[64], const char *field)
{
    snprintf(key, 64, "forms.%d.%s", at->index, field);
    return key;
}

static double form_number(const form_case *at, const char *field)
{
    char key[64];
    return number_at(at->of, form_key(at, key, field));
}

/* From "MAdA". */
static form_case form_at(const series_case *of, int index)
{
    char key[64], path[128];
    form_case at = {.of = of, .index = index};
    const char *text = golden_text(of->file, path_of(of, path, form_key(&at, key, "form")));
    const char season = text[strlen(text) - 1];
    at.form.relative = text[0] == 'M';
    at.form.trend = text[1] == 'N' ? VOLT_ETS_LEVEL : text[2] == 'd' ? VOLT_ETS_DAMPED : VOLT_ETS_TREND;
    at.form.season = season == 'N'   ? VOLT_SEASON_NONE
                     : season == 'A' ? VOLT_SEASON_ADDITIVE
                                     : VOLT_SEASON_MULTIPLICATIVE;
    return at;
}

/* Likelihood and forecasts with the parameters of statsforecast. */
static void recursions_equal_the_golden_file(void **state)
{
    golden *file = golden_load("classical");
    for (int i = 0; i < golden_length(file, "inputs.series"); i++) {
        const series_case of = series_at(file, i);
        for (int k = 0; k < of.forms; k++) {
            const form_case at = form_at(&of, k);
            char key[64];
            double effects[MOST_EFFECTS], mean[AHEAD], squares, logs;
            const golden_array initial = array_at(&of, form_key(&at, key, "effects"));
            assert_true(initial.count == (at.form.season == VOLT_SEASON_NONE ? 0 : of.season));
            if (initial.count > 0)
                memcpy(effects, initial.data, (size_t)initial.count * sizeof *effects);
            volt_ets_state run = {
                form_number(&at, "alpha"),
                form_number(&at, "beta"),
                form_number(&at, "gamma"),
                form_number(&at, "phi"),
                form_number(&at, "level"),
                form_number(&at, "slope"),
                effects,
            };
            assert_true(volt_ets_run(at.form, of.y.data, of.y.count, of.season, &run, NULL, &squares, &logs));
            golden_check_number("likelihood", form_number(&at, "likelihood"),
                                (double)of.y.count * log(squares) + 2 * logs, golden_tol(file, "recursion"),
                                GOLDEN_RELATIVE);
            volt_ets_path(at.form, &run, of.y.count, of.season, AHEAD, mean);
            golden_check(of.name, array_at(&of, form_key(&at, key, "mean")).data, mean, AHEAD,
                         golden_tol(file, "recursion"), GOLDEN_MAX_NORM);
        }
    }
    golden_free(file);
}

/* The automatic choice has no larger AICc than any form of statsforecast. Where the forms and the likelihoods
 * agree, so do the forecasts. */
static void choices_are_not_worse(void **state)
{
    int compared = 0;
    golden *file = golden_load("classical");
    const double tolerance = golden_tol(file, "refined");
    for (int i = 0; i < golden_length(file, "inputs.series"); i++) {
        const series_case of = series_at(file, i);
        double mean[AHEAD];
        volt_ets_info info;
        char name[VOLT_ETS_NAME_SIZE], key[64];
        check_ok(volt_ets_forecast(of.y.data, of.y.count, of.season, AHEAD, NULL, mean, NULL, &info));
        volt_ets_name(info.form, name);
        double lowest = INFINITY;
        for (int k = 0; k < of.forms; k++) {
            const form_case at = form_at(&of, k);
            lowest = fmin(lowest, form_number(&at, "aicc"));
            const bool same = at.form.relative == info.form.relative && at.form.trend == info.form.trend &&
                              at.form.season == info.form.season;
            if (!same)
                continue;
            assert_int_equal(info.parameters, form_number(&at, "parameters"));
            if (fabs(criterion_of(&info) - form_number(&at, "refined")) > 1e-3)
                continue;
            compared++;
            golden_check(of.name, array_at(&of, form_key(&at, key, "refined_mean")).data, mean, AHEAD,
                         golden_tol(file, "chosen") * of.scale, GOLDEN_ABSOLUTE);
        }
        print_message("%s: %s, AICc %.4f, statsforecast %.4f\n", of.name, name, info.aicc, lowest);
        assert_true(info.aicc <= lowest + tolerance);
    }
    print_message("%d forecasts compared\n", compared);
    assert_true(compared >= 8);
    golden_free(file);
}

/* The criterion of every form, from the best of three starts, is not worse than the refined one of
 * statsforecast. At most 5 % of the forms may end in another local minimum. */
static void forms_reach_the_likelihood(void **state)
{
    static const double starts[][3] = {{0.05, 0.005, 0.02}, {0.3, 0.03, 0.05}, {0.8, 0.3, 0.02}};
    golden *file = golden_load("classical");
    int worse = 0, forms = 0;
    for (int i = 0; i < golden_length(file, "inputs.series"); i++) {
        const series_case of = series_at(file, i);
        for (int k = 0; k < of.forms; k++, forms++) {
            const form_case at = form_at(&of, k);
            double best = INFINITY;
            for (int j = 0; j < 3; j++) {
                double mean[AHEAD];
                volt_ets_info info, start = {.form = at.form, .phi = 0.9};
                start.alpha = starts[j][0];
                start.beta = starts[j][1];
                start.gamma = starts[j][2];
                check_ok(volt_ets_forecast(of.y.data, of.y.count, of.season, AHEAD, &start, mean, NULL, &info));
                best = fmin(best, criterion_of(&info));
            }
            const double loss = best - form_number(&at, "refined");
            if (loss > golden_tol(file, "refined")) {
                char name[VOLT_ETS_NAME_SIZE];
                volt_ets_name(at.form, name);
                print_message("%s, %s: %.4f above\n", of.name, name, loss);
                worse++;
            }
        }
    }
    print_message("%d of %d forms\n", worse, forms);
    assert_true(forms > 100 && 20 * worse <= forms);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theta_reaches_the_optimum),
        cmocka_unit_test(autoregression_equals_separate_fits),
        cmocka_unit_test(recursions_equal_the_golden_file),
        cmocka_unit_test(choices_are_not_worse),
        cmocka_unit_test(forms_reach_the_likelihood),
    };
    return cmocka_run_group_tests_name("classical", tests, NULL, NULL);
}
