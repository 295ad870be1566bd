/* src/series/classify/class_loss.h: the multinomial readout of series in classes. */
#ifndef CLASSIFY_CLASS_LOSS_H
#define CLASSIFY_CLASS_LOSS_H

#include "series/classify/class_splits.h"
#include "solve/loss/loss.h"

typedef struct volt_class_readout {
    volt_matrix A;   /* n x n_classes */
    double *c;       /* n_classes */
    double alpha;    /* the one given, or chosen: 0 before */
    double log_loss; /* mean -log probability over stratified folds, with that alpha */
} volt_class_readout;

/* K (n x n, both triangles). An alpha of 0 is chosen by the log loss over stratified folds, refitted for each. A and c are
 * the caller's. BLAS must be claimed. VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, VOLT_ERR_SINGULAR. */
volt_status volt_class_loss_fit(const volt_loss *loss, const volt_class_list *classes, volt_view K,
                                uint64_t seed, volt_progress progress, volt_class_readout *readout);

#endif
