/* cli/files/explained.h: Volterra kernels and variance shares of a model, with the names of its inputs and
 * outputs. */
#ifndef CLI_EXPLAINED_H
#define CLI_EXPLAINED_H

#include "volterra.h"

#include <stdbool.h>

typedef struct explained {
    const volt_explanation *series;
    volt_model_info info;
    const char **inputs, **outputs; /* names; generated if the model has none */
    char about[24];                 /* "mean", "zero" or "point" */
    volt_matrix parts;              /* contributions of the orders on other rows; data NULL: not requested */
} explained;

/* Functions that return int return 0, or the exit status after an error message. */

/* Sets the names from `info`. Free them with explained_release. */
int explained_name(explained *shown);
void explained_release(explained *shown);

/* Writes "order1", ..., or "higher" for number series->share_orders. */
enum { ORDER_NAME_LENGTH = 32 };
const char *explained_order(const explained *shown, int64_t number, char name[ORDER_NAME_LENGTH]);

/* Prints JSON on standard output. */
int explained_print_json(const explained *shown);

/* Write PREFIX.g1.csv, PREFIX.g2.csv, ..., PREFIX.shares.csv and PREFIX.orders.csv, or .npy. */
enum { EXPLAINED_PATH = 4096 };
const char *explained_path(const char *prefix, const char *what, char path[EXPLAINED_PATH]);
int explained_write_tables(const explained *shown, const char *prefix, const char *extension);

#endif
