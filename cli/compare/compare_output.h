/* cli/compare/compare_output.h: a comparison as text, JSON, CSV, LaTeX. */
#ifndef CLI_COMPARE_OUTPUT_H
#define CLI_COMPARE_OUTPUT_H

#include "compare/comparison.h"

#include <stdio.h>

/* Files that the command wrote; NULL: it did not. */
typedef struct compare_files {
    const char *report, *csv, *latex;
} compare_files;

/* The table for a terminal. */
void compare_print_text(FILE *out, const cli_comparison *comparison, const compare_files *files);

/* {"rows": [...], ...} on standard output; returns the exit status. */
int compare_print_json(const cli_comparison *comparison, const compare_files *files);

/* One line per kernel, numbers in the units of the targets, to full precision. */
void compare_write_csv(FILE *out, const cli_comparison *comparison);

/* A table for the LaTeX package booktabs, to be \input or compiled as it is. */
void compare_write_latex(FILE *out, const cli_comparison *comparison);

#endif
