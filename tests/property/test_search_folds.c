/* tests/property/test_search_folds.c: scores from one factorisation equal those of a separate fit per fold,
 * for every kernel and both initial states, with and without intercept, washout, gap and scales, and for
 * training parts that do not begin at the first row.
 *
 * The tolerance of a score is 1e-9 relative plus the effect of rounding (support/plain_cv.h): where a kernel
 * cannot follow the targets and alpha is as small as 1e-6, coefficients are large, and the last digits of K
 * count. The test also checks that this is rare. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/plain_cv.h"
#include "support/sequences.h"
#include "text/text.h"
#include "volterra/model.h"
#include "volterra/stats.h"

enum { MAX_FOLDS = 8, STEP = UNDER_SANITIZERS ? 5 : 1 };

static const double tolerance = 1e-9;

/* ---- the forms of every kernel ---------------------------------------------------------------- */

typedef struct form {
    const char *text;
    double alpha; /* the least; kernels that need not be positive semidefinite need more */
    int raw;      /* valid on inputs as they are */
} form;

/* Parameters relative to the ball as well as absolute ones. */
static const form forms[] = {
    {"volterra:tau_coef=0.6,lambda_coef=0.9", 1e-6, 1},
    {"volterra:tau=0.1,lambda=0.7", 1e-6, 1},
    {"volterra:tau_coef=0.7,lambda_coef=0.8,lift=even", 1e-6, 1},
    {"volterra:tau_coef=0.8,lambda_coef=0.7,lift=exponential", 1e-6, 1},
    {"volterra:tau_coef=0.9,lambda_coef=0.8,lift=poly:3", 1e-6, 1},
    {"volterra:lift=rbf,gamma=0.7,lambda=0.8", 1e-6, 1},
    {"linear", 1e-6, 1},
    {"linear:window=4", 1e-6, 1},
    {"rbf:gamma=0.8", 1e-6, 1},
    {"rbf:gamma=0.3,window=5", 1e-6, 1},
    {"poly:degree=2,gamma=1,coef0=0.5", 1e-6, 0},
    {"poly:degree=3,gamma=0.5,coef0=1,window=3", 1e-6, 0},
    {"sigmoid:gamma=0.2,coef0=0.3", 30, 0},
    {"sigmoid:gamma=0.1,coef0=0,window=3", 30, 0},
    {"fading:gamma=0.6,rho=0.7", 1e-6, 1},
    {"memory:gamma=1,rho=0.5,mu=0.8", 1e-6, 1},
    {"fir:mu=0.8", 1e-6, 1},
    {"recurrent:input=0.8,radius=0.7,bias=0.3,leak=0.6", 1e-6, 1},
    {"recurrent:activation=relu,radius=0.8,leak=0.5 + fir:mu=0.5", 1e-6, 1},
    {"fir:mu=0.8,corr=0.5,pole=0.4", 1e-6, 1},
    {"2*fir:mu=0.7 + memory:gamma=1,rho=0.5,mu=0.8,pair=0.6,angle=0.2", 1e-6, 1},
    {"linear*rbf:gamma=0.8 + 0.5*fading:gamma=0.4,rho=0.7,pole=0.5", 1e-6, 1},
    {"gak:sigma=1,window=4", 1e-6, 1},
    {"gak:sigma=1,path=rows", 1e-6, 1},
    {"sig:level=3,window=4", 1e-6, 0},
    {"sig:level=3,order=1,window=3,augment=time", 1e-6, 0},
    {"sig:level=2,path=rows,prescale=0.7", 1e-6, 1},
    {"sig:level=4,order=2,features=rbf,gamma=0.5,scale=2,path=rows,prescale=0.4", 1e-6, 1},
    {"sigpde:window=4", 1, 0},
    {"sigpde:dyadic=1,static=rbf,sigma=1,window=3", 1, 1},
    {"sigpde:path=rows,prescale=0.5", 1, 1},
    {"sigpde:static=rbf,sigma=1,path=rows,prescale=0.8", 1, 1},
    {"cauchy:gamma=0.8", 1e-6, 1},
    {"cauchy:gamma=0.4,window=6", 1e-6, 1},
    {"esn:size=12,radius=0.8,seed=3", 1e-3, 1},
    {"esn:size=8,activation=identity,degree=2,leak=0.7", 1e-3, 1},
    {"sas:size=9,norm=0.8", 1e-3, 1},
    {"esn:size=6,leak=0.5 + 0.5*sas:size=5,norm=0.7", 1e-3, 1},
    {"esn:size=10,pole=0.4 + 0.5*sas:size=7,norm=0.7*rbf:gamma=0.8", 1e-3, 1},
};
enum { FORMS = (int)(sizeof forms / sizeof *forms) };

static void test_list_covers_every_kernel(void **state)
{
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        const char *name = volt_kernel_at(i)->name;
        int found = 0;
        for (int f = 0; f < FORMS; f++)
            found +=
                strcspn(forms[f].text, ":") == strlen(name) && strncmp(forms[f].text, name, strlen(name)) == 0;
        if (!found)
            fail_msg("no form of kernel %s is tested", name);
    }
}

/* ---- comparing -------------------------------------------------------------------------------- */

static double worst;          /* error over tolerance, of all comparisons */
static int compared, rounded; /* folds, and those further away than `tolerance` */

static void compare(const plain_problem *problem, const form *kernel, double alpha,
                    const volt_search_options *options, const char *what)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(&kernel->text, &alpha, NULL, 1, &candidates));
    check_ok(volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), options, &search));
    const volt_trial *trial = volt_search_trial(search, 0);
    int64_t folds = options->splits.folds;
    double expected[MAX_FOLDS], rounding[MAX_FOLDS], mean = 0, bounds = 0;
    plain_cv_folds(problem, kernel->text, alpha, options, expected, rounding);
    if (trial->failure || trial->stopped || trial->n_folds != folds)
        fail_msg("%s, %s: %s after %" PRId64 " folds", kernel->text, what,
                 trial->failure ? trial->failure : "stopped", trial->n_folds);
    for (int64_t f = 0; f < folds; f++) {
        double error = fabs(trial->folds[f] - expected[f]), near = tolerance * (1 + fabs(expected[f]));
        worst = fmax(worst, error / (near + rounding[f]));
        if (!(error <= near + rounding[f]))
            fail_msg("%s, alpha %g, %s, fold %" PRId64 ": %.17g, a separate fit gives %.17g; rounding %.2g",
                     kernel->text, alpha, what, f, trial->folds[f], expected[f], rounding[f]);
        compared++;
        rounded += error > near;
        mean += expected[f] / (double)folds;
        bounds += (near + rounding[f]) / (double)folds;
    }
    assert_true(fabs(trial->score - mean) <= bounds);
    volt_search_free(search);
    volt_candidates_free(candidates);
}

static double draw_alpha(volt_rng *rng, const form *kernel)
{
    return kernel->alpha * pow(10, 3 * volt_rng_uniform(rng));
}

static volt_search_options first_options(void)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 4;
    options.race = VOLT_RACE_NONE;
    return options;
}

static void print_worst(void)
{
    print_message("%d folds, %d of them off by more than 1e-9, the worst error is %.2g of the tolerance\n",
                  compared, rounded, worst);
    assert_true(compared > 0 && rounded <= compared / 50);
    compared = rounded = 0;
    worst = 0;
}

/* ---- expanding -------------------------------------------------------------------------------- */

/* choice: bits for start, intercept, washout, gap. */
static volt_search_options options_of(int choice, char what[96])
{
    volt_search_options options = first_options();
    options.start = choice & 1 ? VOLT_START_RESET : VOLT_START_CONTINUE;
    options.intercept = choice >> 1 & 1;
    options.washout = choice & 4 ? 7 : 0;
    options.splits.gap = choice & 8 ? 5 : 0;
    snprintf(what, 96, "%s, %s, washout %d, gap %d", choice & 1 ? "reset" : "continue",
             choice & 2 ? "intercept" : "no intercept", (int)options.washout, (int)options.splits.gap);
    return options;
}

static void expanding_folds_equal_separate_fits(void **state)
{
    volt_rng rng = test_rng(2201);
    for (int f = 0; f < FORMS; f++) {
        plain_problem problem = plain_problem_make(&rng, 80 + f, 2 + f % 2, 2 + f % 2);
        for (int choice = f % STEP; choice < 16; choice += STEP) {
            char what[96];
            volt_search_options options = options_of(choice, what);
            compare(&problem, &forms[f], draw_alpha(&rng, &forms[f]), &options, what);
        }
        plain_problem_free(&problem);
    }
    print_worst();
}

static void unscaled_inputs_and_targets(void **state)
{
    volt_rng rng = test_rng(2202);
    for (int f = 0; f < FORMS; f++)
        for (int choice = 0; choice < 4 && forms[f].raw; choice++) {
            plain_problem problem = plain_problem_make(&rng, 85, 2, 2);
            char what[96];
            volt_search_options options = options_of(choice, what);
            options.scale = 0;
            compare(&problem, &forms[f], 1e3 * draw_alpha(&rng, &forms[f]), &options, what);
            plain_problem_free(&problem);
        }
    print_worst();
}

static void other_scores(void **state)
{
    volt_rng rng = test_rng(2203);
    plain_problem problem = plain_problem_make(&rng, 100, 3, 3);
    static const volt_score scores[] = {VOLT_SCORE_NMSE, VOLT_SCORE_MSE};
    for (int i = 0; i < 2; i++)
        for (int choice = 0; choice < 16; choice++) {
            char what[96];
            volt_search_options options = options_of(choice, what);
            options.score = scores[i];
            compare(&problem, &forms[0], 1e-3, &options, what);
            compare(&problem, &forms[9], 1e-3, &options, what);
        }
    plain_problem_free(&problem);
    print_worst();
}

/* ---- training parts that begin later ---------------------------------------------------------- */

static void later_starts_equal_separate_fits(void **state)
{
    volt_rng rng = test_rng(2204);
    for (int f = 0; f < FORMS; f++) {
        plain_problem problem = plain_problem_make(&rng, 80 + f, 2, 2);
        for (int choice = f % STEP; choice < 16; choice += STEP) {
            char what[96];
            volt_search_options options = options_of(choice, what);
            options.splits.rolling = (choice >> 1 ^ choice >> 2) & 1;
            options.splits.max_train = options.splits.rolling ? 0 : 20;
            compare(&problem, &forms[f], draw_alpha(&rng, &forms[f]), &options, what);
        }
        plain_problem_free(&problem);
    }
    print_worst();
}

/* ---- the largest value ------------------------------------------------------------------------ */

/* 90 rows in 2 folds: rows 0 to 29, 30 to 59 and 60 to 89. Paths are divided by the largest value of all rows,
 * wherever it lies, however far the matrix has grown and wherever a block starts. */
static void largest_value_of_every_row(void **state)
{
    volt_rng rng = test_rng(2208);
    static const int64_t rows[] = {0, 12, 29, 30, 45, 59, 60, 75, 89};
    int tested = 0;
    for (int f = 0; f < FORMS; f++)
        for (size_t r = 0; strstr(forms[f].text, "path=rows") && r < sizeof rows / sizeof *rows; r += STEP) {
            plain_problem problem = plain_problem_make(&rng, 90, 3, 2);
            problem.X[rows[r] * 3 + 1] = 9;
            for (int choice = 0; choice < 4; choice++) {
                char what[128];
                volt_search_options options = options_of(choice, what);
                options.splits.folds = 2;
                snprintf(what + strlen(what), 32, ", largest in row %d", (int)rows[r]);
                compare(&problem, &forms[f], 100 * draw_alpha(&rng, &forms[f]), &options, what);
                tested++;
            }
            plain_problem_free(&problem);
        }
    assert_true(tested > 0);
    print_worst();
}

/* R^2 of the BLOCK rows after the first `rows`, from a model of those rows as they are. */
static double model_score(const char *text, double alpha, volt_start start, volt_view X, volt_view Y,
                          int64_t rows, int64_t block)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_metrics metrics = {.struct_size = sizeof metrics};
    volt_fit_options fit = volt_fit_options_default();
    volt_predict_options predict = volt_predict_options_default();
    fit.alpha = alpha;
    fit.scale = 0;
    predict.start = start;
    double *forecast = new_matrix(block, Y.cols);
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_rows(X, 0, rows), volt_view_rows(Y, 0, rows), &fit,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(volt_model_predict(model, volt_view_rows(X, rows, block), &predict,
                                volt_matrix_of(forecast, block, Y.cols), NULL));
    check_ok(
        volt_metrics_compute(volt_view_rows(Y, rows, block), volt_view_of(forecast, block, Y.cols), &metrics));
    free(forecast);
    volt_model_free(model);
    volt_kernel_free(kernel);
    return metrics.r2;
}

/* The same through models. A fit computes the scale on its own rows; multiplying prescale by the ratio
 * corrects for it. */
static void prescaled_folds_equal_models(void **state)
{
    volt_rng rng = test_rng(2209);
    enum { N = 90, D = 3, BLOCK = 30, LARGEST = 45 };
    static const char *const kernels[] = {"sig:level=3", "sig:level=3,features=rbf,gamma=1,scale=1",
                                          "sigpde:dyadic=0", "sigpde:static=rbf,sigma=1"};
    for (int choice = 0; choice < 8; choice++) {
        const char *kernel = kernels[choice / 2];
        double *x = random_rows(&rng, N, D, 1), *y = new_matrix(N, 1), alpha = choice < 4 ? 1e-2 : 1;
        for (int i = 0; i < N; i++)
            y[i] = x[i * D] * x[i * D + 1] + sin(3 * x[i * D + 2]);
        x[LARGEST * D + 1] = 3;
        volt_view X = volt_view_of(x, N, D), Y = volt_view_of(y, N, 1);

        char text[128], number[VOLT_NUMBER_LENGTH];
        snprintf(text, sizeof text, "%s,path=rows", kernel); /* prescale=1 */
        const char *list = text;
        volt_search_options options = first_options();
        options.splits.folds = 2;
        options.scale = 0;
        options.start = choice % 2 ? VOLT_START_RESET : VOLT_START_CONTINUE;
        volt_candidates *candidates = NULL;
        volt_search *search = NULL;
        check_ok(volt_candidates_list(&list, &alpha, NULL, 1, &candidates));
        check_ok(volt_search_run(candidates, X, Y, &options, &search));
        for (int f = 0; f < 2; f++) {
            int64_t rows = (f + 1) * BLOCK;
            double largest = 0, score = volt_search_trial(search, 0)->folds[f];
            for (int64_t i = 0; i < rows * D; i++)
                largest = fmax(largest, x[i]);
            snprintf(text, sizeof text, "%s,path=rows,prescale=%s", kernel,
                     volt_format_number(largest / 3, number));
            double expected = model_score(text, alpha, options.start, X, Y, rows, BLOCK);
            if (!(fabs(score - expected) <= tolerance * (1 + fabs(expected))))
                fail_msg("%s, %s, fold %d: %.17g, a model gives %.17g", text, choice % 2 ? "reset" : "continue",
                         f, score, expected);
        }
        volt_search_free(search);
        volt_candidates_free(candidates);
        free(y);
        free(x);
    }
}

static void minimum_training_length_and_one_fold(void **state)
{
    volt_rng rng = test_rng(2205);
    plain_problem problem = plain_problem_make(&rng, 90, 2, 2);
    for (int choice = 0; choice < 16; choice++) {
        char what[96];
        volt_search_options options = options_of(choice, what);
        options.splits.min_train = 50;
        compare(&problem, &forms[0], 1e-4, &options, what);
        options.splits.folds = 1;
        compare(&problem, &forms[8], 1e-4, &options, what);
    }
    plain_problem_free(&problem);
    print_worst();
}

/* The least that can be trained on after the washout: one row, two with an intercept. */
static void minimum_training_rows(void **state)
{
    volt_rng rng = test_rng(2206);
    plain_problem problem = plain_problem_make(&rng, 60, 2, 2);
    for (int choice = 0; choice < 4; choice++) {
        char what[96];
        volt_search_options options = options_of(choice, what);
        options.washout = options.intercept ? 10 : 11; /* the first training part has 60 - 4 * 12 rows */
        compare(&problem, &forms[0], 1e-2, &options, what);
        compare(&problem, &forms[8], 1e-2, &options, what);
    }
    plain_problem_free(&problem);
    print_worst();
}

/* ---- several candidates at once --------------------------------------------------------------- */

/* Candidates with different kernels, windows and origins in one search do not disturb each other. */
static void candidates_of_all_kernels_in_one_search(void **state)
{
    volt_rng rng = test_rng(2207);
    plain_problem problem = plain_problem_make(&rng, 90, 2, 2);
    const char *texts[FORMS];
    double alphas[FORMS];
    for (int f = 0; f < FORMS; f++) {
        texts[f] = forms[f].text;
        alphas[f] = draw_alpha(&rng, &forms[f]);
    }
    for (int reset = 0; reset < 2; reset++) {
        volt_search_options options = first_options();
        options.start = reset ? VOLT_START_RESET : VOLT_START_CONTINUE;
        volt_candidates *candidates = NULL;
        volt_search *search = NULL;
        check_ok(volt_candidates_list(texts, alphas, NULL, FORMS, &candidates));
        check_ok(
            volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search));
        for (int f = 0; f < FORMS; f++) {
            const volt_trial *trial = volt_search_trial(search, f);
            double expected[MAX_FOLDS], rounding[MAX_FOLDS];
            plain_cv_folds(&problem, texts[f], alphas[f], &options, expected, rounding);
            assert_int_equal(trial->index, f);
            for (int k = 0; k < options.splits.folds; k++)
                if (!(fabs(trial->folds[k] - expected[k]) <= tolerance * (1 + fabs(expected[k])) + rounding[k]))
                    fail_msg("%s, fold %d: %.17g, a separate fit gives %.17g", texts[f], k, trial->folds[k],
                             expected[k]);
        }
        volt_search_free(search);
        volt_candidates_free(candidates);
    }
    plain_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_covers_every_kernel),
        cmocka_unit_test(expanding_folds_equal_separate_fits),
        cmocka_unit_test(unscaled_inputs_and_targets),
        cmocka_unit_test(other_scores),
        cmocka_unit_test(later_starts_equal_separate_fits),
        cmocka_unit_test(largest_value_of_every_row),
        cmocka_unit_test(prescaled_folds_equal_models),
        cmocka_unit_test(minimum_training_length_and_one_fold),
        cmocka_unit_test(minimum_training_rows),
        cmocka_unit_test(candidates_of_all_kernels_in_one_search),
    };
    return cmocka_run_group_tests_name("search_folds", tests, NULL, NULL);
}
