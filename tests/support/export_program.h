/* tests/support/export_program.h: a C program that runs exported models and compares them with a live object.
 *
 * The folder receives CASE.c and CASE.h of every case, and run.c with inputs, expected outputs and bounds. run.c prints one
 * line per case that differs, and returns 1 if there is any. It needs no files, so it also runs on a microcontroller. */
#ifndef SUPPORT_EXPORT_PROGRAM_H
#define SUPPORT_EXPORT_PROGRAM_H

#include "volterra.h"

#include <stdbool.h>
#include <stdio.h>

enum { EXPORT_N = 40, EXPORT_H = 12 }; /* training rows, and rows of a run */

/* One case. Zeros are the defaults of a fit with two inputs and one output. */
typedef struct export_case {
    const char *name, *kernel;
    const char *second; /* kernel of a second model; the case is a sum of both */
    volt_sum_kind sum;
    int64_t d, q;
    double feedback;
    bool known; /* measured outputs are fed back after most rows */
    volt_initial initial;
    int64_t records; /* 0, 2 or 3 */
    bool scale_each, unscaled;
    int64_t washout, season;
    bool change; /* the target is the change of the first input */
    const char *loss, *solver;
    int64_t landmarks; /* of the fit */
    int64_t reduced;   /* of the export: run on the training rows */
    bool double_only;  /* not run in single precision: not continuous enough, or like another case */
    double coverage;   /* also an interval */
} export_case;

typedef struct export_program {
    const char *folder;
    bool single;
    FILE *run;
    int count;
    char names[64][32];
} export_program;

/* Begin run.c in the folder; add a case, which is fitted here; end. */
void export_program_begin(export_program *program, const char *folder, bool single);
void export_program_add(export_program *program, const export_case *wanted);
void export_program_end(export_program *program);

/* The model of a case; free it. */
volt_model *export_case_fit(const export_case *wanted);

#endif
