/* tests/unit/export/test_export.c: models as C source: the same outputs as a live object, on every kind of model. */
#include "export/export_model.h"
#include "support/check.h"
#include "support/export_program.h"
#include "support/scratch.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const export_case cases[] = {
    /* every kernel with a recursion, several in one model */
    {.name = "lifts",
     .kernel =
         "volterra:tau_coef=0.6,lambda_coef=0.8 + volterra:lift=even,tau_coef=0.6,lambda_coef=0.8"
         " + volterra:lift=exponential,tau_coef=0.6,lambda_coef=0.8"
         " + volterra:lift=poly:3,tau_coef=0.6,lambda_coef=0.8 + volterra:lift=rbf,gamma=0.7,lambda_coef=0.9",
     .washout = 3},
    {.name = "scans",
     .kernel = "2*fir:mu=0.8 + fading:gamma=1,rho=0.5 * memory:gamma=1,rho=0.5,mu=0.8",
     .q = 2},
    {.name = "recurrent",
     .kernel = "recurrent:input=0.8,radius=0.7,bias=0.3,leak=0.6"
               " + recurrent:activation=relu,input=0.8,radius=0.7,bias=0.3"},
    /* two factors with the same functions */
    {.name = "sign",
     .kernel =
         "recurrent:activation=sign,input=0.8,radius=0.7,bias=0.3 + recurrent:activation=sign,input=0.5,bias=1",
     .double_only = true},
    {.name = "memoryless",
     .kernel = "linear + rbf:gamma=0.5 + poly:degree=3,coef0=0.5,gamma=0.7 + sigmoid:gamma=0.1,coef0=0 + "
               "cauchy:gamma=0.8",
     .washout = 5},
    {.name = "windows", .kernel = "linear:window=4 + rbf:gamma=0.5,window=3 + cauchy:window=60", .records = 3},
    /* reservoirs: states that are read directly, and as factors */
    {.name = "states", .kernel = "0.5*esn:size=6,radius=0.7,leak=0.7 + 2*sas:size=5,norm=0.7,degree=2"},
    {.name = "products",
     .double_only = true,
     .kernel = "esn:size=5,radius=0.8,activation=erf,degree=2*rbf:gamma=0.5 + 0.5*linear:window=3*volterra",
     .records = 3},
    /* filters, scales, records, initial inputs */
    {.name = "filters",
     .double_only = true,
     .kernel = "rbf:gamma=0.5,pole=0.5 + fading:pair=0.6,angle=0.3 + fir:mu=0.8,corr=0.4",
     .d = 3},
    {.name = "unscaled", .double_only = true, .kernel = "fading", .unscaled = true},
    {.name = "scale_each", .kernel = "volterra", .scale_each = true, .d = 3},
    {.name = "records", .double_only = true, .kernel = "volterra + memory", .records = 3, .washout = 2},
    {.name = "first",
     .kernel =
         "volterra + memory:gamma=1 + linear:window=3 + recurrent + fading:pole=0.5 + fir:mu=0.8,corr=0.3",
     .records = 3,
     .initial = VOLT_INITIAL_FIRST},
    {.name = "first_two",
     .double_only = true,
     .kernel = "volterra",
     .records = 2,
     .initial = VOLT_INITIAL_FIRST},
    {.name = "first_esn",
     .double_only = true,
     .kernel = "esn:size=6,radius=0.6",
     .initial = VOLT_INITIAL_FIRST},
    {.name = "values",
     .double_only = true,
     .kernel = "volterra + recurrent + fading:pole=0.4 + rbf:window=3",
     .initial = VOLT_INITIAL_VALUES},
    {.name = "mean",
     .double_only = true,
     .kernel = "fading*esn:size=5,radius=0.6 + fir",
     .initial = VOLT_INITIAL_MEAN,
     .d = 1},
    /* changes and seasons */
    {.name = "season", .kernel = "volterra", .change = true, .season = 4},
    {.name = "season_values",
     .double_only = true,
     .kernel = "fir",
     .change = true,
     .season = 4,
     .initial = VOLT_INITIAL_VALUES},
    /* feedback, landmarks, losses, sums of models, intervals */
    {.name = "simulation", .double_only = true, .kernel = "fading:rho=0.5", .feedback = 0.3},
    {.name = "prediction", .kernel = "volterra", .feedback = 0.5, .known = true, .q = 2},
    {.name = "first_fed",
     .double_only = true,
     .kernel = "fading + fir",
     .feedback = 0.3,
     .initial = VOLT_INITIAL_FIRST},
    {.name = "landmarks",
     .double_only = true,
     .kernel = "memory:rho=0.5,mu=0.5",
     .solver = "nystrom",
     .landmarks = 12},
    {.name = "quantiles", .double_only = true, .kernel = "fading", .loss = "quantile:q=0.1/0.5/0.9"},
    {.name = "classes", .kernel = "fading", .loss = "multinomial"},
    {.name = "counts", .double_only = true, .kernel = "fading", .loss = "poisson"},
    {.name = "average", .double_only = true, .kernel = "volterra", .second = "rbf:gamma=0.5"},
    {.name = "residual",
     .double_only = true,
     .kernel = "fir",
     .second = "fading",
     .sum = VOLT_SUM_RESIDUAL,
     .feedback = 0.2,
     .known = true},
    {.name = "interval", .kernel = "fading", .coverage = 0.8},
    {.name = "reduced",
     .double_only = true,
     .kernel = "rbf:gamma=0.5 + volterra:tau_coef=0.5,lambda_coef=0.5",
     .reduced = 16,
     .q = 2},
};

/* ---- compilers --------------------------------------------------------------------------------------- */

static bool has_program(const char *name)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

static void run_command(const char *format, const char *folder)
{
    char command[4096];
    snprintf(command, sizeof command, format, folder);
    int status = system(command);
    if (status != 0)
        print_message("command: %s\n", command);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define STRICT " -std=c99 -Wall -Wextra -pedantic -Werror "

static void compare(const char *name, bool single)
{
    export_program program;
    char folder[1024];
    const char *kept =
        getenv("EXPORT_FOLDER"); /* tests/arm/run.sh compiles the same files for another processor */
    snprintf(folder, sizeof folder, "%s/%s", kept ? kept : scratch_directory(), name);
    assert_int_equal(mkdir(folder, 0700), 0);
    export_program_begin(&program, folder, single);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        export_program_add(&program, &cases[i]);
    export_program_end(&program);
    if (kept || UNDER_SANITIZERS) /* the compilers have nothing to add */
        return;
    if (!single && has_program("clang"))
        run_command("cd %s && clang" STRICT "-fsyntax-only *.c >&2", folder);
    if (!has_program("gcc"))
        skip();
    run_command("cd %s && gcc" STRICT "-O0 *.c -o run -lm >&2 && ./run >&2", folder);
    run_command("rm -r %s", folder);
}

static void double_equals_stream(void **state)
{
    compare("double", false);
}

static void single_is_near_stream(void **state)
{
    compare("single", true);
}

/* ---- invalid input ------------------------------------------------------------------------------------ */

static void refuses(void **state)
{
    volt_model *model = export_case_fit(&(export_case){.name = "m", .kernel = "fading", .washout = 3});
    volt_export_options options = {.struct_size = sizeof options};
    const char *path = scratch_path("m.c");
    check_fails(volt_model_export(NULL, NULL, path, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_model_export(model, NULL, "m.txt", NULL), VOLT_ERR_ARGUMENT, ".c m.txt");
    check_fails(volt_model_export(model, NULL, "/no/folder/m.c", NULL), VOLT_ERR_IO, "/no/folder/m.c");
    options.landmarks = -1;
    check_fails(volt_model_export(model, &options, path, NULL), VOLT_ERR_ARGUMENT, "landmarks -1");
    options.landmarks = EXPORT_N - 2;
    check_fails(volt_model_export(model, &options, path, NULL), VOLT_ERR_ARGUMENT, "landmarks 37 38");
    options.landmarks = 0;
    options.name = "2m";
    check_fails(volt_model_export(model, &options, path, NULL), VOLT_ERR_ARGUMENT, "name 2m");
    options.name = NULL;
    options.format = (volt_export_format)7;
    check_fails(volt_model_export(model, &options, path, NULL), VOLT_ERR_ARGUMENT, "format 7");
    options.format = VOLT_EXPORT_JSON;
    options.single = 1;
    check_fails(volt_model_export(model, &options, path, NULL), VOLT_ERR_ARGUMENT, "single JSON");
    options.single = 0;
    options.n_coverages = 1;
    check_fails(volt_model_export(model, &options, path, NULL), VOLT_ERR_ARGUMENT, "coverages NULL");
    const double coverage = 1.5;
    options.coverages = &coverage;
    check_fails(volt_model_export(model, &options, path, NULL), VOLT_ERR_ARGUMENT, "1.5");
    assert_int_equal(scratch_count(), 0);
    volt_model_free(model);
}

/* Residual models whose members are sums: only without feedback. */
static void refuses_trees_with_feedback(void **state)
{
    static const export_case members[] = {
        {.name = "m", .kernel = "fir", .second = "fading", .sum = VOLT_SUM_RESIDUAL, .feedback = 0.2},
        {.name = "m", .kernel = "fir", .second = "fading", .sum = VOLT_SUM_RESIDUAL}};
    for (int i = 0; i < 2; i++) {
        for (volt_sum_kind kind = VOLT_SUM_AVERAGE; kind <= VOLT_SUM_RESIDUAL; kind++) {
            volt_model *member = export_case_fit(&members[i]), *tree = NULL;
            check_ok(volt_model_sum((const volt_model *const[]){member, member}, NULL, 2, kind, &tree));
            volt_status status = volt_model_export(tree, NULL, scratch_path("tree.c"), NULL);
            if (i == 0 && kind == VOLT_SUM_RESIDUAL)
                check_fails(status, VOLT_ERR_ARGUMENT, "residual feedback member 1");
            else
                check_ok(status);
            volt_model_free(member);
            volt_model_free(tree);
        }
    }
    unlink(scratch_path("tree.c"));
    unlink(scratch_path("tree.h"));
}

static void refuses_models(void **state)
{
    static const struct {
        export_case wanted;
        int64_t landmarks;
        const char *terms;
    } refused[] = {
        {{.name = "m", .kernel = "gak:window=5,sigma=1"}, 0, "gak"},
        {{.name = "m", .kernel = "fir + sig:window=4,level=2"}, 0, "sig"},
        {{.name = "m", .kernel = "esn:size=5,radius=0.5"}, 4, "landmarks reservoir"},
        {{.name = "m", .kernel = "fading", .solver = "nystrom", .landmarks = 8}, 4, "landmarks 8"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        volt_model *model = export_case_fit(&refused[i].wanted);
        volt_export_options options = {.struct_size = sizeof options, .landmarks = refused[i].landmarks};
        check_fails(volt_model_export(model, &options, scratch_path("m.c"), NULL), VOLT_ERR_ARGUMENT,
                    refused[i].terms);
        volt_model_free(model);
    }
    volt_model *model =
        export_case_fit(&(export_case){.name = "m", .kernel = "volterra:tau_coef=0.3,lambda_coef=0.99999"});
    volt_export_options options = {.struct_size = sizeof options, .single = 1};
    check_fails(volt_model_export(model, &options, scratch_path("m.c"), NULL), VOLT_ERR_ARGUMENT,
                "single contraction");
    volt_model_free(model);

    double x[4] = {0.1, 0.7, -0.4, 0.3}, y[4] = {1e50, 3e50, -2e50, 1e50};
    volt_kernel *kernel = NULL;
    volt_fit_options fit = volt_fit_options_default();
    fit.alpha = 0.1;
    fit.scale = 0;
    check_ok(volt_kernel_parse("rbf", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(x, 4, 1), volt_view_of(y, 4, 1), &fit,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_fails(volt_model_export(model, &options, scratch_path("m.c"), NULL), VOLT_ERR_ARGUMENT, "single");
    volt_model_free(model);
    volt_kernel_free(kernel);
    assert_int_equal(scratch_count(), 0);
}

/* Words and numbers of comments and preprocessor lines are not translated, also where a comment is written in pieces. */
static void comments_are_not_translated(void **state)
{
    volt_source source = {.single = true};
    volt_source_put(&source, "#define exp 1.5\n/* exp of a double, ");
    volt_source_put(&source, "1.5 */ double x = exp(1.5);\n");
    volt_text_put_bytes(&source.text, "", 1);
    assert_string_equal(source.text.bytes,
                        "#define exp 1.5\n/* exp of a double, 1.5 */ float x = expf(1.5f);\n");
    volt_source_release(&source);
}

/* The iteration to the state before the first row does not begin with indeterminate numbers. */
static void iteration_has_a_start(void **state)
{
    volt_model *model =
        export_case_fit(&(export_case){.name = "m", .kernel = "recurrent", .initial = VOLT_INITIAL_FIRST});
    volt_export_options options = {.struct_size = sizeof options};
    const char *path = scratch_path("m.c");
    size_t size = 0;
    check_ok(volt_model_export(model, &options, path, NULL));
    char *text = scratch_read(path, &size), *rest = strstr(text, "_rest_0(double s,");
    assert_non_null(rest);
    char *start = strstr(rest, "a[0] = "), *loop = strstr(rest, "for (");
    assert_true(start && loop && start < loop);
    free(text);
    volt_model_free(model);
}

/* The header lists inputs, outputs and classes. */
static void header_describes_the_model(void **state)
{
    volt_model *model =
        export_case_fit(&(export_case){.name = "m", .kernel = "fading", .d = 3, .loss = "multinomial"});
    static const struct {
        const char *title, *value;
    } lines[] = {{"inputs", "3\n"}, {"outputs", "3: "}, {"classes", "3: 0, 1, 2\n"}, {"kernel", "fading"}};
    size_t size = 0;
    check_ok(volt_model_export(model, NULL, scratch_path("m.c"), NULL));
    char *text = scratch_read(scratch_path("m.h"), &size);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char title[16];
        snprintf(title, sizeof title, " *     %-8s", lines[i].title);
        const char *at = strstr(text, title);
        assert_non_null(at);
        at += strlen(title);
        at += strspn(at, " ");
        assert_memory_equal(at, lines[i].value, strlen(lines[i].value));
    }
    free(text);
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_models),
        cmocka_unit_test(refuses_trees_with_feedback),
        cmocka_unit_test(comments_are_not_translated),
        cmocka_unit_test(iteration_has_a_start),
        cmocka_unit_test(header_describes_the_model),
        cmocka_unit_test(double_equals_stream),
        cmocka_unit_test(single_is_near_stream),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
