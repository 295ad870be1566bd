/* src/series/classify/class_loss.c: the multinomial readout of series in classes.
 *
 * Unlike for squares, there is no exact formula for fits with rows left out. Alpha is therefore chosen over
 * five stratified folds with a refit for each, which is affordable for few series and small matrices. */
#include "series/classify/class_bench.h"

#include "base/alpha_grid.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/loss/loss_solve.h"

#include <math.h>

enum { FOLDS = 5 };

static const double tolerance = 1e-6;

/* Memory of a fit on some of the series. */
typedef struct class_workspace {
    double *K, *Y, *A, *U, *c; /* n x n; n x q, three of them; q */
    int64_t *fold, *train;     /* n each */
} class_workspace;

static void release(class_workspace *space)
{
    volt_free(space->K);
    volt_free(space->Y);
    volt_free(space->A);
    volt_free(space->U);
    volt_free(space->c);
    volt_free(space->fold);
    volt_free(space->train);
}

static volt_status allocate(int64_t n, int64_t q, class_workspace *space)
{
    *space = (class_workspace){volt_alloc_doubles(n, n),      volt_alloc_doubles(n, q),
                               volt_alloc_doubles(n, q),      volt_alloc_doubles(n, q),
                               volt_alloc_doubles(q, 1),      volt_alloc(n, sizeof(int64_t)),
                               volt_alloc(n, sizeof(int64_t))};
    return space->K && space->Y && space->A && space->U && space->c && space->fold && space->train
               ? VOLT_OK
               : VOLT_ERR_MEMORY;
}

/* The readout of series in classes. */
typedef struct class_fit {
    const volt_loss *loss;
    const volt_class_list *classes;
    volt_view K;
    volt_progress progress;
    class_workspace space;
} class_fit;

/* Fits the m series of space.train, with coefficients A (m x q) and c. */
static volt_status fit_series(class_fit *fit, double alpha, bool tried, int64_t m, volt_matrix A, double *c)
{
    class_workspace *space = &fit->space;
    volt_view K = fit->K;
    int64_t q = fit->classes->n_classes;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j <= i; j++)
            space->K[i * m + j] = K.data[space->train[i] * K.ld + space->train[j]];
        for (int64_t k = 0; k < q; k++)
            space->Y[i * q + k] = fit->classes->of[space->train[i]] == k;
    }
    volt_loss_task task = {.loss = fit->loss,
                           .Y = volt_view_of(space->Y, m, q),
                           .alpha = alpha,
                           .tolerance = tried ? 1e-3 : tolerance,
                           .intercept = true,
                           .tried = tried,
                           .progress = fit->progress,
                           .share = 1};
    volt_loss_result result = {.A = A, .U = volt_matrix_of(space->U, m, q), .c = c};
    return volt_loss_minimise(volt_matrix_of(space->K, m, m), &task, &result);
}

/* -log probability of series i's class by the fit on m series. */
static double row_loss(class_fit *fit, int64_t m, int64_t i)
{
    const class_workspace *space = &fit->space;
    int64_t q = fit->classes->n_classes;
    double *u = space->U;
    for (int64_t k = 0; k < q; k++)
        u[k] = space->c[k];
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < q; k++)
            u[k] += fit->K.data[i * fit->K.ld + space->train[j]] * space->A[j * q + k];
    volt_loss_link(fit->loss, q, u);
    return volt_loss_of_target(fit->loss, q, (double)fit->classes->of[i], u);
}

/* The mean loss over the folds. */
static volt_status cross_validate(void *context, volt_alpha_choice *choice)
{
    class_fit *fit = context;
    class_workspace *space = &fit->space;
    int64_t n = fit->classes->n, q = fit->classes->n_classes;
    double sum = 0;
    for (int64_t f = 0; f < FOLDS; f++) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++)
            if (space->fold[i] != f)
                space->train[m++] = i;
        VOLT_TRY(fit_series(fit, choice->alpha, true, m, volt_matrix_of(space->A, m, q), space->c));
        for (int64_t i = 0; i < n; i++)
            if (space->fold[i] == f)
                sum += row_loss(fit, m, i);
    }
    volt_alpha_offer(choice, 0, sum / (double)n, 0);
    return VOLT_OK;
}

static volt_status choose_and_fit(class_fit *fit, uint64_t seed, volt_class_readout *readout)
{
    class_workspace *space = &fit->space;
    int64_t n = fit->classes->n;
    volt_alpha_best best;
    volt_class_folds(fit->classes, FOLDS, seed, space->train, space->fold);
    VOLT_TRY(volt_alpha_choose_one(VOLT_ALPHA_CLASS_LOSS, readout->alpha, cross_validate, fit, &best));
    VOLT_REQUIRE(best.alpha > 0, VOLT_ERR_NOT_FINITE, "the loss of series in folds is not finite");
    readout->alpha = best.alpha;
    readout->log_loss = best.error;
    for (int64_t i = 0; i < n; i++)
        space->train[i] = i;
    return fit_series(fit, readout->alpha, false, n, readout->A, readout->c);
}

volt_status volt_class_loss_fit(const volt_loss *loss, const volt_class_list *classes, volt_view K,
                                uint64_t seed, volt_progress progress, volt_class_readout *readout)
{
    class_fit fit = {.loss = loss, .classes = classes, .K = K, .progress = progress};
    volt_status status = allocate(classes->n, classes->n_classes, &fit.space);
    if (status == VOLT_OK)
        status = choose_and_fit(&fit, seed, readout);
    release(&fit.space);
    return status;
}
