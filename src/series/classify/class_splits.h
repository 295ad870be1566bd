/* src/series/classify/class_splits.h: training series in classes: columns of targets, stratified splits, accuracies,
 * probabilities. */
#ifndef CLASSIFY_CLASS_SPLITS_H
#define CLASSIFY_CLASS_SPLITS_H

#include "volterra/base.h"

/* Series in classes. */
typedef struct volt_class_list {
    int64_t n, n_classes;
    const int64_t *of; /* n */
} volt_class_list;

/* 1 in the column of a series' class, 0 elsewhere: Y is n x n_classes. */
void volt_class_columns(const volt_class_list *classes, volt_matrix Y);

/* The class of the largest output; the first of several. */
int64_t volt_class_of_largest(const double *outputs, int64_t n_classes);

/* How many of the rows (NULL: all) have outputs Y - errors that are largest in their class. errors is m x n_classes. */
int64_t volt_class_count_right(const volt_class_list *classes, volt_view Y, const int64_t *rows, int64_t m,
                               volt_view errors);

/* Split number `split` of a seed: of each class of two or more series `share`, rounded, but at least one and not all, in
 * `rows` (room for n), drawn at random; returns how many. */
int64_t volt_class_split(const volt_class_list *classes, double share, uint64_t seed, int64_t split,
                         int64_t *room, int64_t *rows);

/* Fold number f of `folds`: series of each class are dealt out in turn, in random order. fold (n) says where each went. */
void volt_class_folds(const volt_class_list *classes, int64_t folds, uint64_t seed, int64_t *room,
                      int64_t *fold);

/* A stratified sample of m series, in ascending order in `rows` (m): two of every class first, then classes in proportion.
 * VOLT_ERR_MEMORY. */
volt_status volt_class_sample(const volt_class_list *classes, int64_t m, uint64_t seed, int64_t *rows);

/* u (q) becomes softmax(u / temperature). */
void volt_class_softmax(double *u, int64_t q, double temperature);

/* The temperature, between 1e-3 and 1e3, of least log loss on leave-one-out outputs (n x n_classes; Guo et al. 2017). The targets
 * have one count added to every class, (n [k = class] + 1) / (n + classes), so that it stays above 0 where all series are
 * classified correctly (after Platt 1999). */
double volt_class_temperature(const volt_class_list *classes, volt_view outputs);

#endif
