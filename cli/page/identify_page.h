/* cli/page/identify_page.h: HTML report of `identify`, and its numbers as JSON. */
#ifndef CLI_IDENTIFY_PAGE_H
#define CLI_IDENTIFY_PAGE_H

#include "files/explained.h"
#include "terminal/results.h"
#include "volterra.h"

#include <stdio.h>

typedef struct identify_report {
    const volt_identification *found;
    const volt_output_test *output_tests; /* one for each output */
    const volt_diagnosis *diagnosis;
    const explained *shown; /* names of inputs and outputs; series: that of the diagnosis, or NULL */
    const char *title;      /* name of the data */
    const char *command;    /* as typed */
    const char *fit;        /* command that fits the same model */
    const char *seed;
    bool has_clock; /* the times are numbers in an unknown unit */
} identify_report;

enum { IDENTIFY_WARNING_LENGTH = 512 };

/* Writes warning `number` of the result as a sentence and returns it. Names may be NULL. */
const char *identify_warning_text(const volt_identification *found, int64_t number, const char *const *inputs,
                                  const char *const *outputs, char text[IDENTIFY_WARNING_LENGTH]);

/* Writes the page to a file ("-": standard output). Returns 0, or the exit status after an error message. */
int identify_write_page(const identify_report *report, const char *path);

/* Adds the diagnosis to the results (JSON only). */
void identify_report_json(const identify_report *report, result_list *results);

#endif
