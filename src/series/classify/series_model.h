/* src/series/classify/series_model.h: the readout on series that fits of classes and of numbers make.
 *
 *     outputs = sum over the parts of K_p(x, training series) / divisor A + c */
#ifndef CLASSIFY_SERIES_MODEL_H
#define CLASSIFY_SERIES_MODEL_H

#include "series/gram/objects_internal.h"
#include "solve/loss/loss.h"
#include "volterra/base.h"
#include "volterra/series.h"

#include <stdbool.h>

enum { VOLT_MAX_PREPARATIONS = 8, VOLT_MAX_BLEND = 8 };

typedef struct volt_series_part {
    const volt_objects *objects; /* one of the model's */
    volt_kernel *kernel;
} volt_series_part;

struct volt_series_model {
    volt_objects *objects[VOLT_MAX_PREPARATIONS]; /* NULL if no part uses it */
    volt_series_part parts[VOLT_MAX_BLEND];
    int64_t n_parts;
    double divisor;      /* number of parts, or the mean of K(x, x) over the training series */
    volt_loss *loss;     /* NULL: squares */
    int64_t columns;     /* series that carry the readout */
    double *A, *c;       /* columns x outputs, outputs */
    double *loo_outputs; /* n x outputs: leave-one-out outputs */
    volt_series_kernel kernels[VOLT_MAX_BLEND]; /* the parts, as info lists them */
    volt_warning *warnings;
    volt_series_info info; /* its pointers are to the above */
};

/* Memory of the readout of n series with `columns` of them carrying it. */
volt_status volt_series_model_allocate(volt_series_model *model, int64_t n, int64_t columns, int64_t outputs);
/* Fills the fields of info that follow from the parts. */
/* volt_series_fit for numbers. */
volt_status volt_series_ridge_fit(const volt_view *series, int64_t count, volt_view Y,
                                  const volt_series_options *given, volt_series_model **model);

void volt_series_model_describe(volt_series_model *model);

/* ---- rows left out of a ridge regression, in any blocks, from one factorisation ----------------
 * With R = (K + alpha I)^{-1}, r = R 1 and P = R - r r' / (1' r), the coefficients of the fit with an
 * intercept are A = P Y, and its intercepts c = r' Y / (1' r). A fit without the rows of a block B forecasts
 * them with the errors
 *
 *     e_B = P_BB^{-1} A_B            (one row: e_i = A_i / P_ii)
 *
 * exactly: with the targets of B moved by e_B the fit of all rows has A_B = 0, so that it is the fit without
 * them (docs/math.md, "Series as objects"). */

typedef struct volt_loo_readout {
    int64_t n, q;
    double *P; /* n x n, both triangles */
    double *A; /* n x q */
    double *c; /* q */
    double *r; /* n: workspace */
} volt_loo_readout;

volt_status volt_loo_create(int64_t n, int64_t q, volt_loo_readout *loo);
void volt_loo_release(volt_loo_readout *loo);

/* Solves for K (n x n, both triangles or the lower one) and targets Y (n x q). VOLT_ERR_SINGULAR. BLAS must
 * be claimed. */
volt_status volt_loo_solve(volt_loo_readout *loo, volt_view K, double alpha, volt_view Y);

/* Leave-one-out errors of every row (n x q). */
void volt_loo_each(const volt_loo_readout *loo, volt_matrix errors);

/* Errors of the m rows of a block, fewer than n, left out together (m x q). `workspace` has m x m numbers.
 * VOLT_ERR_SINGULAR when P_BB is singular to rounding. */
volt_status volt_loo_block(const volt_loo_readout *loo, const int64_t *rows, int64_t m, double *workspace,
                           volt_matrix errors);

/* ---- training series in classes: columns of targets, stratified splits, accuracies, ------------
 * probabilities. */

/* Series in classes. */
typedef struct volt_class_list {
    int64_t n, n_classes;
    const int64_t *of; /* n */
} volt_class_list;

/* 1 in the column of a series' class, 0 elsewhere: Y is n x n_classes. */
void volt_class_columns(const volt_class_list *classes, volt_matrix Y);

/* The class with the largest output; the first of several. */
int64_t volt_class_of_largest(const double *outputs, int64_t n_classes);

/* Number of rows (NULL: all) whose outputs Y - errors are largest in their class. errors is m x n_classes. */
int64_t volt_class_count_correct(const volt_class_list *classes, volt_view Y, const int64_t *rows, int64_t m,
                                 volt_view errors);

/* Split number `split` of a seed: draws `share` of each class of two or more series, rounded, but at least
 * one and not all, into `rows` (space for n); returns how many. */
int64_t volt_class_split(const volt_class_list *classes, double share, uint64_t seed, int64_t split,
                         int64_t *workspace, int64_t *rows);

/* Assigns the series of each class to `folds` folds in turn, in random order. fold (n) receives the fold of
 * each. */
void volt_class_folds(const volt_class_list *classes, int64_t folds, uint64_t seed, int64_t *workspace,
                      int64_t *fold);

/* A stratified sample of m series, in ascending order in `rows` (m): two of every class first, then classes
 * in proportion. VOLT_ERR_MEMORY. */
volt_status volt_class_sample(const volt_class_list *classes, int64_t m, uint64_t seed, int64_t *rows);

/* Replaces u (q) by softmax(u / temperature). */
void volt_class_softmax(double *u, int64_t q, double temperature);

/* The temperature, between 1e-3 and 1e3, of least log loss on leave-one-out outputs (n x n_classes; Guo et
 * al. 2017). The targets are smoothed, (n [k = class] + 1) / (n + classes), so that it stays above 0 when
 * all series are classified correctly (after Platt 1999). */
double volt_class_temperature(const volt_class_list *classes, volt_view outputs);

/* ---- ridge regression on Nystrom features, and rows left out of it -----------------------------
 * With Z the m landmarks among n rows and K_ZZ = L L', a row has the features f(x) = L^{-1} K_Z(x), so that
 * <f(x), f(y)> = K_xZ K_ZZ^{-1} K_Zy (Williams and Seeger, 2001). Ridge regression with an intercept on the
 * rows of a set C has, with F centred on its mean over C and F_C' F_C = U D U', V = F U,
 *
 *     b = (D + alpha)^{-1} V_C' (Y_C - mean of Y_C),    h_i = 1 / |C| + sum_j V_ij^2 / (D_j + alpha)
 *
 * and the errors Y_i - output_i of rows outside C, (Y_i - output_i) / (1 - h_i) of those of C, each left out.
 * One decomposition serves every alpha. */

typedef struct volt_landmark_readout {
    int64_t n, m, q;
    const int64_t *rows;         /* m: the landmarks among the n rows; owned by the caller */
    double *L, *F, *V, *U;       /* m x m, n x m, n x m, m x m */
    double *values, *mean;       /* m, m */
    double *B, *y_mean;          /* m x q, q */
    double *work;                /* for the decomposition */
    int64_t work_size, included; /* rows in C */
    void *integers;
} volt_landmark_readout;

volt_status volt_landmark_readout_create(int64_t n, int64_t m, int64_t q, const int64_t *rows,
                                         volt_landmark_readout *readout);
void volt_landmark_readout_release(volt_landmark_readout *readout);

/* Decomposes for the rows that are not `out` (n, NULL: all rows). VOLT_ERR_SINGULAR. */
volt_status volt_landmark_readout_decompose(volt_landmark_readout *readout, const bool *out, volt_view Y);

#endif
