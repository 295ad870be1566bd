/* cli/search/training_loss.h: the loss, weights and classes of a fit. */
#ifndef CLI_TRAINING_LOSS_H
#define CLI_TRAINING_LOSS_H

#include "args/options.h"
#include "files/inputs.h"
#include "terminal/results.h"
#include "volterra.h"

/* The arguments of a command about the loss. */
typedef struct loss_arguments {
    const char *text, *weights; /* NULL: not given */
    double tolerance;
} loss_arguments;

/* Rows for the tables of commands, filling a loss_arguments: --loss and --tolerance. */
extern const option_table loss_options;
#define LOSS_WEIGHTS "weights of the rows, at least 0; rows of weight 0 only update the state"

/* What the arguments come to. */
typedef struct loss_data {
    volt_loss *loss;     /* NULL: squares */
    volt_loss_info info; /* of `loss`; zero without */
    double *weights;     /* for each row that is fitted; NULL: all alike */
    char **texts;        /* the labels of the file ... */
    const char **labels; /* ... and of each row of x; NULL: targets are numbers */
    char *name;          /* of the column of labels; NULL: not known */
} loss_data;

/* Every function returns 0, or the exit status after saying what is wrong. Data that begin as {0} can always be
 * released. */
int loss_read(const loss_arguments *arguments, loss_data *data);
void loss_release(loss_data *data);

/* Is it another loss than squares? */
bool loss_is_other(const loss_data *data);
/* Are the targets classes? */
bool loss_has_classes(const loss_data *data);
/* The labels of the rows of x, of a source FILE:COLUMN. */
int loss_read_labels(loss_data *data, const char *source, const dataset *x);
/* Reads the weights of `count` rows, of which row rows[i] of x is row i; NULL: row i. */
int loss_read_weights(loss_data *data, const loss_arguments *arguments, const dataset *x, int64_t count,
                      const int64_t *rows);

/* loss, objective, duality_gap and the mean loss in sample. */
void loss_report(const volt_model_info *info, const volt_assessment *found, result_list *results);

#endif
