/* tests/unit/fit/test_nystrom.c: landmark fits compared with the explicit formula, exact fits and refits. */
#include "fit/landmarks.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/landmark_problem.h"
#include "support/plain_landmarks.h"
#include "support/scratch.h"
#include "support/sequences.h"

/* ---- explicit formula ------------------------------------------------------------------------- */

typedef struct setting {
    int64_t m, washout;
    volt_landmarks choice;
    bool intercept, holes;
    int64_t records[4], n_records;
} setting;

/* Results of the formula. */
typedef struct plain_fit {
    double forecasts[ALL * Q]; /* of all rows */
    double loo[Q], gcv[Q];
} plain_fit;

/* Predictions of all rows, and leave-one-out errors of the fitted rows. */
static void plain_ridge(const double *Kmm, int64_t m, const double *Knm, const double *Y, const bool *out,
                        int64_t first, bool intercept, double alpha, plain_fit *fit)
{
    bool fits[ALL];
    double h[ALL], rows = 0, freedom = 0, squares[Q] = {0};
    for (int64_t i = 0; i < ALL; i++)
        fits[i] = !out[i] && i >= first && i < N;
    plain_landmark_fit(Kmm, m, Knm, &(plain_rows){ALL, Q, Y, fits, intercept, alpha}, fit->forecasts, h);
    memset(fit->loo, 0, sizeof fit->loo);
    for (int64_t i = 0; i < ALL; i++) {
        rows += fits[i];
        freedom += fits[i] ? h[i] : 0;
        for (int64_t k = 0; k < Q; k++) {
            double e = fits[i] ? Y[i * Q + k] - fit->forecasts[i * Q + k] : 0;
            squares[k] += e * e;
            fit->loo[k] += e * e / ((1 - h[i]) * (1 - h[i]));
        }
    }
    for (int64_t k = 0; k < Q; k++) {
        fit->loo[k] /= rows;
        fit->gcv[k] = rows * squares[k] / pow(rows - freedom, 2);
    }
}

/* Consecutive training rows and runs are records of one matrix. */
static void plain_nystrom(const char *text, const problem *p, const setting *s, const bool *out, double alpha,
                          plain_fit *fit)
{
    volt_resolved resolved = resolve_on(text, volt_view_of(p->X, N, D));
    volt_records records;
    volt_landmark_set set;
    check_ok(volt_records_make(s->records, s->n_records, N, &records));
    check_ok(volt_landmark_set_choose(N, s->washout, &records, s->m, s->choice, volt_landmark_memory(&resolved),
                                      &set));
    int64_t rows = ALL + set.n, lengths[4 + N], n = 0, m = s->m;
    double *Z = new_matrix(rows, D);
    memcpy(Z, p->X, sizeof p->X);
    for (int64_t i = 0; i < set.n; i++)
        memcpy(Z + (ALL + i) * D, p->X + set.source[i] * D, D * sizeof *Z);
    for (int64_t r = 0; r < s->n_records; r++)
        lengths[n++] = s->records[r];
    if (n == 0)
        lengths[n++] = N;
    lengths[n - 1] += H;
    for (int64_t r = 0; r < set.n_runs; r++)
        lengths[n++] = set.runs[r];
    double *K = records_gram(text, volt_view_of(Z, rows, D), lengths, n);
    double *Kmm = new_matrix(m, m), *Knm = new_matrix(ALL, m);
    double common = s->intercept ? resolved.common : 0;
    for (int64_t a = 0; a < m; a++) {
        for (int64_t b = 0; b < m; b++)
            Kmm[a * m + b] = K[(ALL + set.column[a]) * rows + ALL + set.column[b]] - common;
        for (int64_t i = 0; i < ALL; i++)
            Knm[i * m + a] = K[i * rows + ALL + set.column[a]] - common;
    }
    plain_ridge(Kmm, m, Knm, p->Y, out, s->washout, s->intercept, alpha, fit);
    free(Knm);
    free(Kmm);
    free(K);
    free(Z);
    volt_landmark_set_release(&set);
    volt_records_release(&records);
    volt_resolved_release(&resolved);
}

static void check_formula(const char *text, const setting *s, uint64_t seed)
{
    problem *p = make_problem(seed);
    volt_fit_options options = plain_options();
    bool out[ALL] = {false};
    double fitted[N * Q], later[H * Q];
    plain_fit plain;
    options.landmarks = s->m;
    options.landmark_choice = s->choice;
    options.washout = s->washout;
    options.intercept = s->intercept;
    options.records = s->n_records > 0 ? s->records : NULL;
    options.n_records = s->n_records;
    for (int64_t i = 3; s->holes && i < N; i += 9)
        out[i] = true;
    plain_nystrom(text, p, s, out, options.alpha, &plain);
    problem *holed = malloc(sizeof *holed);
    assert_non_null(holed);
    *holed = *p;
    for (int64_t i = 0; i < N; i++)
        if (out[i])
            holed->Y[i * Q] = NAN;
    options.missing_targets = s->holes;
    volt_model *model = fit_text(text, holed, &options, fitted);
    predict_rest(model, p, later);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    double gap =
        fmax(largest_gap(fitted, plain.forecasts, N * Q), largest_gap(later, plain.forecasts + N * Q, H * Q));
    double score_gap =
        fmax(largest_gap(info.report->loo_mse, plain.loo, Q), largest_gap(info.report->gcv, plain.gcv, Q));
    if (!(gap <= allowed && score_gap <= allowed))
        fail_msg("%s, %" PRId64 " landmarks, washout %" PRId64 ", %" PRId64
                 " records: forecasts are off by %g, scores by %g",
                 text, s->m, s->washout, s->n_records, gap, score_gap);
    assert_int_equal(info.n, N);
    assert_int_equal(info.landmarks, s->m);
    assert_int_equal(info.washout, s->washout);
    assert_int_equal(info.n_records, s->n_records);
    assert_true(info.kernel_rows >= s->m);
    volt_model_free(model);
    free(holed);
    free(p);
}

static void fits_equal_formula(void **state)
{
    static const setting settings[] = {
        {.m = 36, .intercept = true},
        {.m = 33, .washout = 9, .intercept = true, .choice = VOLT_LANDMARKS_LAST},
        {.m = 12, .intercept = false, .choice = VOLT_LANDMARKS_RANDOM},
        {.m = 40, .intercept = true, .records = {20, 35, 25}, .n_records = 3},
        {.m = 55, .washout = 5, .intercept = true, .holes = true},
        {.m = 1, .intercept = true},
    };
    for (int64_t k = 0; engine_kernels[k]; k++)
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
            check_formula(engine_kernels[k], &settings[s], 9100 + (uint64_t)s);
}

/* ---- all rows as landmarks -------------------------------------------------------------------- */

static void all_rows_give_the_exact_fit(void **state)
{
    problem *p = make_problem(9200);
    volt_fit_options options = plain_options(), exact = plain_options();
    static const char *const filtered =
        "fir:mu=0.8,pole=0.4 + 0.5*memory:gamma=1,rho=0.5,mu=0.8,pair=0.5,angle=0.2";
    exact.solver = "exact";
    options.scale = exact.scale = 1;
    options.landmarks = N;
    for (int64_t k = 0;; k++) {
        const char *text = engine_kernels[k] ? engine_kernels[k] : filtered;
        double fitted[2][N * Q], later[2][H * Q];
        volt_model *a = fit_text(text, p, &options, fitted[0]), *b = fit_text(text, p, &exact, fitted[1]);
        predict_rest(a, p, later[0]);
        predict_rest(b, p, later[1]);
        double gap = fmax(largest_gap(fitted[0], fitted[1], N * Q), largest_gap(later[0], later[1], H * Q));
        if (!(gap <= allowed))
            fail_msg("%s: %g away from the exact fit", text, gap);
        volt_model_free(a);
        volt_model_free(b);
        if (!engine_kernels[k])
            break;
    }
    free(p);
}

/* A filter before the kernel uses all rows before a landmark, with or without ghost rows. */
static void filters_are_applied_before_landmarks(void **state)
{
    problem *p = make_problem(9210), *seen = make_problem(9210);
    volt_fit_options options = plain_options();
    double fitted[2][N * Q], later[2][H * Q];
    options.landmarks = 40;
    for (int64_t i = 0; i < ALL; i++)
        for (int64_t k = 0; k < D; k++)
            seen->X[i * D + k] = 0.4 * (i > 0 ? seen->X[(i - 1) * D + k] : 0) + 0.6 * p->X[i * D + k];
    volt_model *a = fit_text("memory:gamma=1,rho=0.5,mu=0.8,pole=0.4", p, &options, fitted[0]);
    volt_model *b = fit_text("memory:gamma=1,rho=0.5,mu=0.8", seen, &options, fitted[1]);
    predict_rest(a, p, later[0]);
    predict_rest(b, seen, later[1]);
    assert_true(largest_gap(fitted[0], fitted[1], N * Q) <= allowed);
    assert_true(largest_gap(later[0], later[1], H * Q) <= allowed);
    volt_model_free(a);
    volt_model_free(b);
    free(seen);
    free(p);
}

/* The model does not keep the rows before the fitted ones. A model with fewer landmarks than washout rows
 * loads. */
static void fewer_landmarks_than_washout_rows(void **state)
{
    problem *p = make_problem(9220);
    volt_fit_options options = plain_options();
    double fitted[N * Q], later[H * Q], again[H * Q];
    options.landmarks = 12;
    options.washout = 40;
    volt_model *model = fit_text("rbf:gamma=1", p, &options, fitted), *read = NULL;
    const char *path = scratch_path("landmarks.safetensors");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &read));
    predict_rest(model, p, later);
    predict_rest(read, p, again);
    assert_memory_equal(later, again, sizeof later);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(read, &info);
    assert_int_equal(info.washout, 40);
    assert_int_equal(info.landmarks, 12);
    volt_model_free(read);
    volt_model_free(model);
    free(p);
}

/* ---- leave-one-out ---------------------------------------------------------------------------- */

/* A missing target excludes its row from the fit. Landmarks are rows with or without a target. */
static void loo_equals_refit(void **state)
{
    problem *p = make_problem(9300);
    volt_fit_options options = plain_options();
    double fitted[N * Q], sum[Q] = {0}, rows = 0;
    options.landmarks = 24;
    options.washout = N - 30; /* the remaining rows are washout: 30 fits are enough */
    options.missing_targets = 1;
    volt_model *model = fit_text("memory:gamma=1,rho=0.5,mu=0.8", p, &options, fitted);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    for (int64_t t = options.washout; t < N; t++, rows++) {
        double kept = p->Y[t * Q];
        p->Y[t * Q] = NAN;
        volt_model *without = fit_text("memory:gamma=1,rho=0.5,mu=0.8", p, &options, fitted);
        p->Y[t * Q] = kept;
        for (int64_t k = 0; k < Q; k++)
            sum[k] += pow(p->Y[t * Q + k] - fitted[t * Q + k], 2);
        volt_model_free(without);
    }
    for (int64_t k = 0; k < Q; k++)
        if (!(fabs(sum[k] / rows - info.report->loo_mse[k]) <= allowed))
            fail_msg("output %" PRId64 ": refits give %.15g, leverages %.15g", k, sum[k] / rows,
                     info.report->loo_mse[k]);
    assert_int_equal(info.report->loo_rows, 30);
    volt_model_free(model);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_equal_formula),
        cmocka_unit_test(all_rows_give_the_exact_fit),
        cmocka_unit_test(filters_are_applied_before_landmarks),
        cmocka_unit_test(fewer_landmarks_than_washout_rows),
        cmocka_unit_test(loo_equals_refit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
