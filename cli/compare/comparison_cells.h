/* cli/compare/comparison_cells.h: the cells of the table of a comparison, the same in every form that people read. */
#ifndef CLI_COMPARISON_CELLS_H
#define CLI_COMPARISON_CELLS_H

#include "compare/comparison.h"

enum { CELL_LENGTH = 64 };

/* A column of a measure in the tables for people. */
typedef struct measure_column {
    measure which;
    double factor; /* the values are shown times this */
    const char *label, *latex, *html;
} measure_column;

/* The columns, in their order, `*count` of them. Tables of a preset are those of the paper: MdAE times 100, NMSE, W1
 * times 100. On data of one's own everything is in the units of the targets, and RMSE and MAE come first. */
const measure_column *comparison_columns(const cli_comparison *comparison, int *count);

/* Is the value of the row the lowest of its column? Never where there is one row only. */
bool cell_is_lowest(const cli_comparison *comparison, const comparison_row *row, const measure_column *column);

/* The value of a row, with as many digits as the column needs and, over several samples, its standard error in
 * parentheses; "-" when there is none. Every function writes into `text` and returns it. */
char *cell_measure(const cli_comparison *comparison, const comparison_row *row, const measure_column *column,
                   char text[CELL_LENGTH]);

/* "0.413", or over several samples "2/5"; "-" without a result. */
char *cell_confidence(const cli_comparison *comparison, const comparison_row *row, char text[CELL_LENGTH]);

/* What one entry of the Gram matrix costs with the parameters that won: the kernel table has a clause for each
 * case, "O(d + window^2); path=rows: O(d^2)". */
char *cell_cost(const comparison_row *row, char text[CELL_LENGTH]);

char *cell_seconds(double seconds, char text[CELL_LENGTH]);

/* The winning parameters, numbers cut to three digits: "window=12 alpha=0.0123"; `kernel` says whether the kernel's
 * name stands before them. */
char *cell_winner(const volt_comparison_row *won, bool kernel, char *text, size_t capacity);

#endif
