/* src/series/classify/class_bench.c: leave-one-out scores of a Gram matrix of series in classes, also within
 * folds. */
#include "series/classify/class_bench.h"

#include "base/alpha_grid.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

volt_status volt_class_bench_create(const volt_class_setting *setting, volt_class_bench *bench)
{
    int64_t n = setting->classes.n, q = setting->classes.n_classes, m = setting->n_landmarks;
    int64_t columns = m > 0 ? m : n;
    *bench = (volt_class_bench){.setting = *setting,
                                .K = volt_matrix_of(volt_alloc_doubles(n, columns), n, columns),
                                .Y = volt_matrix_of(volt_alloc_doubles(n, q), n, q),
                                .E = volt_matrix_of(volt_alloc_doubles(n, q), n, q),
                                .rows = volt_alloc(n, sizeof *bench->rows),
                                .out = volt_alloc_zero(n, sizeof *bench->out)};
    if (!bench->K.data || !bench->Y.data || !bench->E.data || !bench->rows || !bench->out)
        return VOLT_ERR_MEMORY;
    volt_class_columns(&setting->classes, bench->Y);
    if (m > 0)
        return volt_landmark_readout_create(n, m, q, setting->landmarks, &bench->by_landmarks);
    VOLT_TRY(volt_loo_create(n, q, &bench->loo));
    bench->workspace = volt_alloc_doubles(n, 2 * n + q);
    return bench->workspace ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_class_bench_release(volt_class_bench *bench)
{
    volt_free(bench->K.data);
    volt_free(bench->Y.data);
    volt_free(bench->E.data);
    volt_free(bench->rows);
    volt_free(bench->out);
    volt_free(bench->workspace);
    volt_loo_release(&bench->loo);
    volt_landmark_readout_release(&bench->by_landmarks);
    *bench = (volt_class_bench){0};
}

bool volt_class_is_better(const volt_class_score *a, const volt_class_score *b)
{
    return a->right > b->right || (a->right == b->right && a->right >= 0 && a->error < b->error);
}

/* Marks the rows of a fold in `out`; list 0 has none. */
static int64_t mark_fold(volt_class_bench *bench, int64_t list)
{
    int64_t m = 0;
    for (int64_t i = 0; i < bench->setting.classes.n; i++) {
        bench->out[i] = list > 0 && bench->setting.fold[i] == list - 1;
        if (bench->out[i])
            bench->rows[m++] = i;
    }
    return m;
}

/* The score of the errors E of a list, with the rows outside it marked. */
static volt_class_score score_errors(const volt_class_bench *bench, double alpha)
{
    const volt_class_list *classes = &bench->setting.classes;
    volt_class_score score = {.alpha = alpha};
    double sum = 0;
    int64_t included = 0;
    for (int64_t i = 0; i < classes->n; i++) {
        const double *e = bench->E.data + i * bench->E.ld;
        int64_t right = volt_class_count_correct(classes, volt_as_view(bench->Y), &i, 1,
                                                 volt_view_of(e, 1, classes->n_classes));
        if (bench->out[i]) {
            score.held += right;
            continue;
        }
        score.right += right;
        included++;
        for (int64_t k = 0; k < classes->n_classes; k++)
            sum += e[k] * e[k];
    }
    score.error = sum / ((double)included * (double)classes->n_classes);
    if (!isfinite(score.error))
        score.right = -1;
    return score;
}

/* The lists to score. */
typedef struct list_scores {
    volt_class_bench *bench;
    int64_t first, last;
    volt_class_score *scores;
} list_scores;

static void offer_errors(const list_scores *lists, int64_t list, volt_alpha_choice *choice)
{
    volt_class_score now = score_errors(lists->bench, choice->alpha);
    if (now.right >= 0 && volt_alpha_offer(choice, list - lists->first, -(double)now.right, now.error))
        lists->scores[list] = now;
}

/* One alpha, all lists, from one factorisation. */
static volt_status evaluate_exactly(void *context, volt_alpha_choice *choice)
{
    const list_scores *lists = context;
    volt_class_bench *bench = lists->bench;
    VOLT_TRY(volt_loo_solve(&bench->loo, volt_as_view(bench->K), choice->alpha, volt_as_view(bench->Y)));
    for (int64_t list = lists->first; list <= lists->last; list++) {
        volt_status status = VOLT_OK;
        int64_t m = mark_fold(bench, list);
        if (list == 0)
            volt_loo_each(&bench->loo, bench->E);
        else
            status = volt_loo_excluding(&bench->loo, bench->rows, m, bench->workspace, bench->E);
        if (status == VOLT_OK)
            offer_errors(lists, list, choice);
    }
    return VOLT_OK;
}

/* One alpha, one list, from the decomposition for that list. */
static volt_status evaluate_landmarks(void *context, volt_alpha_choice *choice)
{
    const list_scores *lists = context;
    volt_class_bench *bench = lists->bench;
    volt_landmark_readout_errors(&bench->by_landmarks, choice->alpha, bench->out, volt_as_view(bench->Y),
                                 bench->E);
    offer_errors(lists, lists->first, choice);
    return VOLT_OK;
}

static volt_status require_finite(const volt_class_score *score, double alpha)
{
    VOLT_REQUIRE(score->right >= 0, VOLT_ERR_SINGULAR, "alpha = %g is too small for the rounding of the matrix",
                 alpha);
    return VOLT_OK;
}

volt_status volt_class_profile(volt_class_bench *bench, double alpha, int64_t first, int64_t last,
                               volt_class_score *scores)
{
    list_scores lists = {bench, first, last, scores};
    volt_alpha_best best[VOLT_MAX_LISTS] = {0};
    volt_alpha_choice choice = {.grid = VOLT_ALPHA_SERIES,
                                .given = alpha,
                                .unit = 1,
                                .evaluate = evaluate_exactly,
                                .context = &lists,
                                .columns = last - first + 1,
                                .best = best};
    for (int64_t list = first; list <= last; list++)
        scores[list] = (volt_class_score){.right = -1};
    if (bench->setting.n_landmarks > 0) {
        choice.evaluate = evaluate_landmarks;
        choice.columns = 1;
        VOLT_TRY(volt_landmark_readout_map(&bench->by_landmarks, volt_as_view(bench->K)));
        for (lists.first = first; lists.first <= last; lists.first++, choice.best++) {
            mark_fold(bench, lists.first);
            VOLT_TRY(volt_landmark_readout_decompose(&bench->by_landmarks, bench->out, volt_as_view(bench->Y)));
            VOLT_TRY(volt_alpha_choose(&choice));
        }
    } else {
        VOLT_TRY(volt_alpha_choose(&choice));
    }
    return require_finite(&scores[first], alpha > 0 ? alpha : volt_alpha_high(choice.grid));
}

volt_status volt_class_solve(volt_class_bench *bench, double alpha, volt_class_score *score)
{
    volt_view K = volt_as_view(bench->K), Y = volt_as_view(bench->Y);
    mark_fold(bench, 0);
    if (bench->setting.n_landmarks > 0) {
        VOLT_TRY(volt_landmark_readout_map(&bench->by_landmarks, K));
        VOLT_TRY(volt_landmark_readout_decompose(&bench->by_landmarks, NULL, Y));
        volt_landmark_readout_errors(&bench->by_landmarks, alpha, NULL, Y, bench->E);
    } else {
        VOLT_TRY(volt_loo_solve(&bench->loo, K, alpha, Y));
        volt_loo_each(&bench->loo, bench->E);
    }
    *score = score_errors(bench, alpha);
    return require_finite(score, alpha);
}

void volt_class_coefficients(const volt_class_bench *bench, double alpha, double *A, double *c)
{
    int64_t n = bench->setting.classes.n, q = bench->setting.classes.n_classes;
    if (bench->setting.n_landmarks > 0) {
        volt_landmark_readout_coefficients(&bench->by_landmarks, alpha, A, c);
        return;
    }
    for (int64_t i = 0; i < n * q; i++)
        A[i] = bench->loo.A[i];
    for (int64_t k = 0; k < q; k++)
        c[k] = bench->loo.c[k];
}

volt_status volt_class_held_out_errors(volt_class_bench *bench, double alpha, const int64_t *rows, int64_t m,
                                       volt_matrix errors)
{
    int64_t q = bench->setting.classes.n_classes;
    if (bench->setting.n_landmarks == 0)
        return volt_loo_block(&bench->loo, rows, m, bench->workspace, errors);
    mark_fold(bench, 0);
    for (int64_t i = 0; i < m; i++)
        bench->out[rows[i]] = true;
    VOLT_TRY(volt_landmark_readout_decompose(&bench->by_landmarks, bench->out, volt_as_view(bench->Y)));
    volt_landmark_readout_errors(&bench->by_landmarks, alpha, bench->out, volt_as_view(bench->Y), bench->E);
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < q; k++)
            errors.data[i * errors.ld + k] = bench->E.data[rows[i] * bench->E.ld + k];
    return VOLT_OK;
}
