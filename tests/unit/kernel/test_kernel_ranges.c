/* tests/unit/kernel/test_kernel_ranges.c: the texts of kernels other than volterra, parameter ranges, early
 * rejection of invalid arguments, and warnings in the log. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "text/text.h"
#include "volterra/model.h"

/* ---- texts ------------------------------------------------------------------------------------ */

/* Input and printed text: all parameters in table order, without choices at their default. */
static const struct {
    const char *given, *printed;
} forms[] = {
    {"linear", "linear:window=1"},
    {"linear:window=20", "linear:window=20"},
    {"rbf", "rbf:window=1"},
    {"rbf:gamma=0.1", "rbf:gamma=0.1,window=1"},
    {"rbf:window=20,gamma=0.1", "rbf:gamma=0.1,window=20"},
    {"poly:degree=2,gamma=1,coef0=1", "poly:degree=2,gamma=1,coef0=1,window=1"},
    {"poly:degree=2,gamma=1,coef0=0,window=20", "poly:degree=2,gamma=1,coef0=0,window=20"},
    {"poly", "poly:degree=3,coef0=1,window=1"},
    {"sigmoid:gamma=0.01,coef0=0", "sigmoid:gamma=0.01,coef0=0,window=1"},
    {"sigmoid:gamma=0.01,coef0=-2.5,window=20", "sigmoid:gamma=0.01,coef0=-2.5,window=20"},
    {"fading:gamma=0.1,rho=0.9", "fading:gamma=0.1,rho=0.9"},
    {"fading:rho=0", "fading:gamma=1,rho=0"},
    {"memory:gamma=1,rho=0.5,mu=0.85", "memory:gamma=1,rho=0.5,mu=0.85"},
    {"memory", "memory:gamma=1,rho=0.5,mu=0.85"},
    {"memory:mu=0,rho=0", "memory:gamma=1,rho=0,mu=0"},
    {"gak", "gak:sigma=1"},
    {"gak:sigma=1,window=20", "gak:sigma=1,window=20"},
    {"gak:sigma=0.3,path=rows", "gak:sigma=0.3,path=rows"},
    {"gak:path=sequence,window=2", "gak:sigma=1,window=2"},
    {"sig:level=4,order=4,window=20", "sig:level=4,order=4,window=20"},
    {"sig:level=3", "sig:level=3,order=3"},
    {"sig:order=1,level=16,window=2", "sig:level=16,order=1,window=2"},
    {"sig:path=rows,prescale=0.5", "sig:level=4,order=4,path=rows,prescale=0.5"},
    {"sig:window=3,augment=time+leadlag+basepoint",
     "sig:level=4,order=4,window=3,augment=time+leadlag+basepoint"},
    {"sig:window=3,augment=none", "sig:level=4,order=4,window=3,augment=none"},
    {"sig:features=linear,window=3", "sig:level=4,order=4,features=linear,scale=1,window=3"},
    {"sig:features=rbf,window=3", "sig:level=4,order=4,features=rbf,gamma=1,scale=1,window=3"},
    {"sig:scale=0.1,gamma=2,features=rbf,level=2,path=rows",
     "sig:level=2,order=2,features=rbf,gamma=2,scale=0.1,path=rows,prescale=1"},
    {"sigpde", "sigpde:dyadic=0"},
    {"sigpde:dyadic=1,static=rbf,sigma=1,window=20", "sigpde:dyadic=1,static=rbf,sigma=1,window=20"},
    {"sigpde:static=linear,dyadic=8,window=1", "sigpde:dyadic=8,window=1"},
    {"sigpde:path=rows,augment=basepoint", "sigpde:dyadic=0,path=rows,augment=basepoint,prescale=1"},
};

static void same_kernel(const volt_kernel *a, const volt_kernel *b)
{
    assert_ptr_equal(a->entry, b->entry);
    assert_memory_equal(a->present, b->present, sizeof a->present);
    for (int p = 0; p < a->entry->info.n_parameters; p++)
        if (a->present[p])
            assert_memory_equal(&a->value[p], &b->value[p], sizeof(double));
    assert_string_equal(volt_kernel_text(a), volt_kernel_text(b));
}

static void every_form_is_read_and_printed(void **state)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        volt_kernel *kernel = plain_parse(forms[i].given), *again = plain_parse(volt_kernel_text(kernel));
        assert_string_equal(volt_kernel_text(kernel), forms[i].printed);
        same_kernel(kernel, again);
        volt_kernel_free(again);
        volt_kernel_free(kernel);
    }
}

/* Words in any order denote the same augmentations. */
static void augmentations_in_any_order(void **state)
{
    static const char *const orders[] = {"time+leadlag+basepoint", "time+basepoint+leadlag",
                                         "leadlag+time+basepoint", "leadlag+basepoint+time",
                                         "basepoint+time+leadlag", "basepoint+leadlag+time"};
    for (int o = 0; o < 6; o++) {
        char text[96];
        snprintf(text, sizeof text, "sigpde:window=3,augment=%s", orders[o]);
        volt_kernel *kernel = plain_parse(text);
        volt_resolved resolved;
        check_ok(volt_kernel_resolve(kernel, (volt_extent){1, 1}, 2, &resolved));
        assert_true(resolved.shape.time && resolved.shape.leadlag && resolved.shape.basepoint &&
                    !resolved.shape.rows);
        volt_kernel_free(kernel);
    }
    volt_kernel *kernel = plain_parse("sigpde:window=3,augment=leadlag+basepoint");
    volt_resolved resolved;
    check_ok(volt_kernel_resolve(kernel, (volt_extent){1, 1}, 2, &resolved));
    assert_true(!resolved.shape.time && resolved.shape.leadlag && resolved.shape.basepoint);
    volt_kernel_free(kernel);
    kernel = plain_parse("sig:window=3"); /* none by default */
    check_ok(volt_kernel_resolve(kernel, (volt_extent){1, 1}, 2, &resolved));
    assert_true(!resolved.shape.time && !resolved.shape.leadlag && !resolved.shape.basepoint);
    volt_kernel_free(kernel);
}

/* ---- ranges ----------------------------------------------------------------------------------- */

/* From the table: values just outside each end are rejected, values just inside and at closed ends are
 * accepted. */
static void check_bound(const char *kernel_name, const volt_parameter_info *parameter, double value, bool taken)
{
    char text[128], number[VOLT_NUMBER_LENGTH];
    snprintf(text, sizeof text, "%s:%s=%s", kernel_name, parameter->name, volt_format_number(value, number));
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(text, &kernel);
    bool needs_another = strcmp(kernel_name, "volterra") == 0 || strcmp(parameter->name, "prescale") == 0 ||
                         (strcmp(kernel_name, "sigpde") == 0 && strcmp(parameter->name, "sigma") == 0) ||
                         (strcmp(kernel_name, "sig") == 0 &&
                          (strcmp(parameter->name, "gamma") == 0 || strcmp(parameter->name, "scale") == 0));
    if (needs_another && taken) {
        /* gamma requires its lift or features=rbf, prescale path=rows, sigma static=rbf, scale features:
         * only rejections are checked there */
    } else if (strcmp(kernel_name, "sig") == 0 && strcmp(parameter->name, "order") == 0 && taken) {
        assert_int_equal(status, value <= 4 ? VOLT_OK : VOLT_ERR_KERNEL); /* the level is 4 */
    } else if (status != (taken ? VOLT_OK : VOLT_ERR_KERNEL)) {
        fail_msg("%s ended with \"%s\"", text, volt_status_message(status));
    }
    if (!taken) {
        assert_null(kernel);
        if (!strstr(volt_error_detail(), parameter->name))
            fail_msg("%s: the sentence \"%s\" does not name it", text, volt_error_detail());
    }
    volt_kernel_free(kernel);
}

static void ends_of_every_range(void **state)
{
    int checked = 0;
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        const volt_kernel_info *info = volt_kernel_at(i);
        for (int64_t p = 0; p < info->n_parameters; p++) {
            const volt_parameter_info *parameter = &info->parameters[p];
            if (parameter->kind == VOLT_PARAMETER_CHOICE || parameter->kind == VOLT_PARAMETER_TEXT)
                continue;
            bool whole = parameter->kind == VOLT_PARAMETER_INTEGER;
            check_bound(info->name, parameter, NAN, false);
            check_bound(info->name, parameter, INFINITY, false);
            if (isfinite(parameter->low)) {
                check_bound(info->name, parameter, parameter->low, whole || parameter->closed & 1);
                check_bound(info->name, parameter,
                            whole ? parameter->low - 1 : nextafter(parameter->low, -INFINITY), false);
                check_bound(info->name, parameter, whole ? parameter->low + 0.5 : parameter->low + 1e-9,
                            !whole);
            }
            if (isfinite(parameter->high)) {
                check_bound(info->name, parameter, parameter->high, whole || parameter->closed & 2);
                check_bound(info->name, parameter, whole ? parameter->high + 1 : parameter->high * 1.5, false);
            }
            checked++;
        }
    }
    assert_true(checked >= 25);
}

/* Searches stay inside the valid range. */
static void search_ranges_are_allowed(void **state)
{
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        const volt_kernel_info *info = volt_kernel_at(i);
        for (int64_t p = 0; p < info->n_parameters; p++) {
            const volt_parameter_info *parameter = &info->parameters[p];
            if (parameter->search == VOLT_SEARCH_NONE)
                continue;
            assert_true(parameter->search_low < parameter->search_high);
            assert_true(parameter->search_low >= parameter->low && parameter->search_high <= parameter->high);
            if (parameter->search == VOLT_SEARCH_LOG || parameter->search == VOLT_SEARCH_LOG_INTEGER)
                assert_true(parameter->search_low > 0);
        }
    }
}

static const struct {
    const char *text, *fragment;
} wrong[] = {
    {"sig:level=3,order=4", "order=4 must be at most level=3"},
    {"sig:order=5", "order=5 must be at most level=4"},
    {"sig:level=0", "level=0 lies outside 1 to 16"},
    {"sig:level=17", "level=17 lies outside 1 to 16"},
    {"sig:level=2.5", "level=2.5 lies outside"},
    {"sig:augment=time+time", "augment=time+time is not one of"},
    {"sig:augment=", "is not one of"},
    {"sig:path=columns,window=2", "path=columns is not one of sequence, rows"},
    {"sigpde:static=poly", "static=poly is not one of linear, rbf"},
    {"sigpde:dyadic=9", "dyadic=9 lies outside 0 to 8"},
    {"sigpde:dyadic=-1", "dyadic=-1 lies outside 0 to 8"},
    {"gak:sigma=0", "sigma=0 lies outside (0, inf)"},
    {"gak:augment=time", "no parameter \"augment\""},
    {"gak:prescale=1", "no parameter \"prescale\""},
    {"gak:window=2,path=rows", "not both"},
    {"sig:window=2,path=rows", "not both"},
    {"sigpde:window=2,path=rows", "not both"},
    {"sig:window=2,prescale=1", "prescale requires path=rows"},
    {"sig:window=2,gamma=1", "gamma requires features=rbf"},
    {"sig:window=2,features=linear,gamma=1", "gamma requires features=rbf"},
    {"sig:window=2,scale=2", "scale requires features=rbf or features=linear"},
    {"sig:window=2,features=poly", "features=poly is not one of linear, rbf"},
    {"sig:window=2,features=rbf,gamma=0", "gamma=0 lies outside (0, inf)"},
    {"sig:window=2,features=rbf,scale=0", "scale=0 lies outside (0, inf)"},
    {"sigpde:window=2,sigma=1", "sigma requires static=rbf"},
    {"linear:gamma=1", "no parameter \"gamma\""},
    {"volterra:window=3", "no parameter \"window\""},
    {"fading:window=3", "no parameter \"window\""},
    {"fading:rho=1", "rho=1 lies outside [0, 1)"},
    {"memory:mu=1", "mu=1 lies outside [0, 1)"},
    {"memory:mu=-0.1", "mu=-0.1 lies outside [0, 1)"},
    {"rbf:window=0", "window=0 lies outside 1 to 1000000"},
    {"rbf:window=2.5", "window=2.5 lies outside"},
    {"rbf:gama=1", "did you mean \"gamma\"?"},
    {"poly:coef0=-1", "coef0=-1 lies outside [0, inf)"},
    {"poly:degree=65", "degree=65 lies outside 1 to 64"},
    {"sigped", "did you mean \"sigpde\"?"},
};

static void invalid_texts_are_rejected_with_message(void **state)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_kernel *kernel = NULL;
        volt_status status = volt_kernel_parse(wrong[i].text, &kernel);
        if (status != VOLT_ERR_KERNEL || !error_names(wrong[i].fragment))
            fail_msg("\"%s\" ended with status %d and \"%s\", expected \"%s\"", wrong[i].text, (int)status,
                     volt_error_detail(), wrong[i].fragment);
        assert_null(kernel);
    }
}

/* ---- paths require rows ----------------------------------------------------------------------- */

/* On a sequence, a path kernel requires the number of rows of a path. Nothing is computed or written. */
static void path_kernels_require_a_window(void **state)
{
    static const struct {
        const char *text, *fragment;
    } cases[] = {
        {"gak", "requires window=W or path=rows"},
        {"sig:level=2", "requires window=W or path=rows"},
        {"sigpde:static=rbf", "requires window=W or path=rows"},
        {"gak:path=sequence", "requires window=W or path=rows"},
    };
    double x[] = {1, 2, 3, 4}, K[4] = {7, 7, 7, 7};
    volt_view X = volt_view_of(x, 2, 2);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_kernel *kernel = plain_parse(cases[c].text);
        volt_kernel_facts facts = {.struct_size = sizeof facts};
        volt_model *model = NULL;
        check_fails(volt_kernel_query(kernel, 1, 2, 0.1, &facts), VOLT_ERR_KERNEL, cases[c].fragment);
        check_fails(volt_gram(kernel, X, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)),
                    VOLT_ERR_KERNEL, cases[c].fragment);
        check_fails(volt_gram(kernel, X, X, NULL, volt_matrix_of(K, 2, 2)), VOLT_ERR_KERNEL, cases[c].fragment);
        check_fails(volt_model_fit(kernel, X, X, NULL, volt_matrix_of(NULL, 0, 0), &model), VOLT_ERR_KERNEL,
                    cases[c].fragment);
        assert_null(model);
        for (int k = 0; k < 4; k++)
            assert_true(K[k] == 7);
        volt_kernel_free(kernel);
    }
}

/* ---- extremes --------------------------------------------------------------------------------- */

/* Widths so small that 1 / sigma^2 overflows: distinct rows have kernel 0, and equal rows still have
 * distance 0. */
static void smallest_widths_give_no_nan(void **state)
{
    static const char *const texts[] = {"gak:sigma=1e-200,window=1", "gak:sigma=1e-310,path=rows",
                                        "sigpde:static=rbf,sigma=1e-310,window=1", "rbf:gamma=1e308",
                                        "fading:gamma=1e308,rho=0.5"};
    double x[] = {1, 2, 3, -4}, K[4];
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        volt_kernel *kernel = plain_parse(texts[t]);
        check_ok(
            volt_gram(kernel, volt_view_of(x, 2, 2), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)));
        bool pde = strncmp(texts[t], "sigpde", 6) == 0; /* paths of one point have the kernel 1 */
        if (!(fabs(K[0] - 1) < 1e-15 && fabs(K[3] - 1) < 1e-15 && K[2] == (pde ? 1 : 0)))
            fail_msg("%s: K is %g, %g, %g", texts[t], K[0], K[2], K[3]);
        volt_kernel_free(kernel);
    }
    volt_kernel *kernel = plain_parse("sigpde:static=rbf,sigma=1e-310,window=2");
    check_ok(volt_gram(kernel, volt_view_of(x, 2, 2), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)));
    assert_true(fabs(K[0] - 4) < 4e-15 && fabs(K[3] - 4) < 4e-15); /* 1 + g + g^2/4 at g = 2 ... */
    assert_true(fabs(K[2] - 0.25) < 1e-15);                        /* ... and at -1 */
    volt_kernel_free(kernel);
}

/* ---- warnings --------------------------------------------------------------------------------- */

static char last_warning[256];
static int warnings;

static void take_log(volt_log_level level, const char *message, void *context)
{
    (void)context;
    if (level == VOLT_LOG_WARNING) {
        warnings++;
        snprintf(last_warning, sizeof last_warning, "%s", message);
    }
}

static int silence(void **state)
{
    volt_set_log(NULL, NULL);
    return 0;
}

/* Kernels that may be indefinite warn once per call and continue; the others do not warn. */
static void indefinite_kernels_warn(void **state)
{
    static const struct {
        const char *text;
        bool warns, series;
    } cases[] = {
        {"sigmoid", true, false},
        {"sigmoid:window=2", true, false},
        {"sigpde:window=2", true, false},
        {"sigpde:path=rows", true, false},
        {"sigpde:dyadic=3,static=rbf", true, true},
        {"linear", false, false},
        {"rbf:window=2", false, false},
        {"poly", false, false},
        {"volterra", false, false},
        {"fading", false, true},
        {"memory", false, true},
        {"gak:window=2", false, false},
        {"gak", false, true},
        {"sig:window=2", false, false},
        {"sig", false, true},
    };
    volt_rng rng = test_rng(401);
    double *x = random_rows(&rng, 8, 2, 1), K[64];
    volt_view X = volt_view_of(x, 8, 2), series[] = {volt_view_of(x, 5, 2), volt_view_of(x + 10, 3, 2)};
    volt_set_log(take_log, NULL);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_kernel *kernel = plain_parse(cases[c].text);
        volt_model *model = NULL;
        volt_fit_options options = volt_fit_options_default();
        options.alpha = 10; /* for any smallest eigenvalue */
        warnings = 0;
        if (cases[c].series) {
            check_ok(volt_gram_collection(kernel, series, 2, NULL, 0, NULL, volt_matrix_of(K, 2, 2)));
            assert_int_equal(warnings, cases[c].warns);
        } else {
            check_ok(volt_gram(kernel, X, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 8, 8)));
            assert_int_equal(warnings, cases[c].warns);
            check_ok(volt_model_fit(kernel, X, X, &options, volt_matrix_of(NULL, 0, 0), &model));
            assert_int_equal(warnings, cases[c].warns ? 2 : 0);
        }
        if (cases[c].warns) {
            assert_non_null(strstr(last_warning, "positive semidefinite"));
            assert_non_null(strstr(last_warning, kernel->entry->info.name));
        }
        volt_model_free(model);
        volt_kernel_free(kernel);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read_and_printed),
        cmocka_unit_test(augmentations_in_any_order),
        cmocka_unit_test(ends_of_every_range),
        cmocka_unit_test(search_ranges_are_allowed),
        cmocka_unit_test(invalid_texts_are_rejected_with_message),
        cmocka_unit_test(path_kernels_require_a_window),
        cmocka_unit_test(smallest_widths_give_no_nan),
        cmocka_unit_test_teardown(indefinite_kernels_warn, silence),
    };
    return cmocka_run_group_tests_name("kernel_ranges", tests, NULL, NULL);
}
