/* src/model/fit/fit_loss.h: a fit with another loss than squares, or with weights.
 *
 * The outputs of such a model are not its targets: of levels there is one output each, of classes one each. The targets become
 * as many columns first (volt_loss_fit_begin), and everything else sees those. */
#ifndef MODEL_FIT_LOSS_H
#define MODEL_FIT_LOSS_H

#include "model/fit/fit_task.h"
#include "model/model_internal.h"
#include "solve/loss/loss_solve.h"
#include "solve/solver_table.h"

typedef struct volt_loss_fit {
    volt_loss *loss;          /* NULL: squares, and every row counts alike */
    volt_fit_options options; /* those given, with anchors and names of outputs in place of those of targets */
    volt_view Y;              /* n x outputs */
    volt_view
        truth; /* n x targets: those given, of classes their numbers from 0; NaN: missing, or of weight 0 */
    double *targets,
        *labels; /* behind Y, truth, options.anchors and options.output_names; NULL: the caller's */
    int64_t *anchors;
    char **names;
    char **classes; /* n_classes texts; NULL: the targets are numbers */
    int64_t n_classes;
} volt_loss_fit;

/* Check loss, weights and classes of the options, and make the columns. Release it in every case. */
volt_status volt_loss_fit_begin(volt_view Y, const volt_fit_options *options, volt_loss_fit *fit);
void volt_loss_fit_release(volt_loss_fit *fit);

/* Removes the anchors from the options where the loss does not learn changes (classes, counts).
 * VOLT_ERR_ARGUMENT when changes are asked for. */
volt_status volt_loss_fit_anchors(volt_fit_options *options);

/* The weights of the rows (n), 0 where a target is missing, to be released with volt_free; NULL stays where all are 1. Of those
 * after the washout one must be positive, and so must be one of each class. */
volt_status volt_loss_fit_weights(const volt_loss_fit *fit, const volt_holes *holes, double **weights);

/* Has one of the rows begin .. end - 1 with a weight above 0 (n; NULL: all) class k? */
bool volt_loss_fit_has_class(const volt_loss_fit *fit, const double *weights, int64_t begin, int64_t end,
                             int64_t k);

/* Readout, objective and report of the model, and the fitted values where they are wanted (n x q). The model takes loss and classes
 * over from the fit. */
volt_status volt_loss_fit_solve(const fit_task *task, volt_loss_fit *fit, const volt_solver *solver,
                                volt_view Z, volt_matrix fitted, volt_model *model);

#endif
