/* cli/search/training_loss.h: loss, weights and classes of a fit. */
#ifndef CLI_TRAINING_LOSS_H
#define CLI_TRAINING_LOSS_H

#include "args/options.h"
#include "files/inputs.h"
#include "terminal/results.h"
#include "volterra.h"

/* Option table that fills a training_arguments: --loss and --tolerance. */
extern const option_table loss_options;
#define LOSS_WEIGHTS "weights of the rows, at least 0; rows of weight 0 only update the state"

/* Parsed loss arguments. */
typedef struct loss_data {
    volt_loss *loss;     /* NULL: squared error */
    volt_loss_info info; /* of `loss`; zero if NULL */
    dataset weight_file; /* not read: equal weights */
    double *weights;     /* one per fitted row; NULL: equal weights */
    dataset label_file;  /* rows of the labels; not read: numeric targets */
    char **texts;        /* labels of the file */
    const char **labels; /* label of each row of x; NULL: numeric targets */
    char *name;          /* name of the label column; NULL: unknown */
} loss_data;

/* Every function returns 0, or the exit status after an error message. Data initialised to {0} can always be
 * released. */
/* `text` may be NULL: squares. */
int loss_read(const char *text, loss_data *data);
void loss_release(loss_data *data);

/* Returns true if the loss is not the squared error. */
bool loss_is_other(const loss_data *data);
/* Returns true if the targets are classes. */
bool loss_has_classes(const loss_data *data);
/* Reads the labels of the rows of x from FILE:COLUMN. Then align label_file with x, and set the labels. */
int loss_read_labels(loss_data *data, const char *source, const dataset *x);
int loss_set_labels(loss_data *data);
/* Reads the weights of the rows of x; source NULL: none. Then align weight_file with x, and set those of `count` rows. Row i is row rows[i] of x,
 * or row i if `rows` is NULL. */
int loss_read_weights(loss_data *data, const char *source, const dataset *x);
int loss_set_weights(loss_data *data, int64_t count, const int64_t *rows);

/* Reports loss, objective, duality_gap and the mean in-sample loss. */
void loss_report(const volt_model_info *info, const volt_assessment *found, result_list *results);

#endif
