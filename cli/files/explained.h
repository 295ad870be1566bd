/* cli/files/explained.h: what a model has learned, with the names of its inputs and outputs, and its way into files. */
#ifndef CLI_EXPLAINED_H
#define CLI_EXPLAINED_H

#include "volterra.h"

#include <stdbool.h>

typedef struct explained {
    const volt_explanation *series;
    volt_model_info info;
    const char **inputs, **outputs; /* names, made up where the model has none */
    char about[24];                 /* "mean", "zero" or "point" */
    volt_matrix parts;              /* of the orders along other rows; no data: not asked for */
} explained;

/* Every function returns 0, or the exit status after saying what is wrong. */

/* The names, from info; free them with explained_release. */
int explained_name(explained *shown);
void explained_release(explained *shown);

/* Inputs of the series: those of the model, and the outputs that come back. */
int64_t explained_inputs(const volt_model_info *info);

/* "order1", ..., and "higher" for number series->share_orders. */
enum { ORDER_NAME_LENGTH = 32 };
const char *explained_order(const explained *shown, int64_t number, char name[ORDER_NAME_LENGTH]);

/* As JSON on standard output. */
int explained_print_json(const explained *shown);

/* PREFIX.g1.csv, PREFIX.g2.csv, ..., PREFIX.shares.csv and PREFIX.orders.csv, or .npy; the names of files. */
enum { EXPLAINED_PATH = 4096 };
const char *explained_path(const char *prefix, const char *what, char path[EXPLAINED_PATH]);
int explained_write_tables(const explained *shown, const char *prefix, const char *extension);

#endif
