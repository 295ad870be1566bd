/* cli/files/outputs.h: matrices and models to files, checked before the work begins. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "files/row_times.h"
#include "volterra.h"

#include <stdbool.h>

/* Every function returns 0, or the exit status after saying what is wrong. */

/* Can `path` be written? Says no before hours of work: a directory that is not there or not ours, a
 * directory in place of the file, a file that is protected. NULL and "-" are standard output. */
int output_check(const char *path);

/* An option that names an output; path NULL: it was not given. */
typedef struct output_option {
    const char *option, *path;
} output_option;

/* Refuse two outputs that are one file, whatever names it has: the second would replace the first. */
int outputs_check_distinct(const output_option *outputs, int count);

/* Refuse to overwrite a file that the command reads (`source` may choose columns and may be NULL). */
int output_check_against(const char *path, const char *source);

/* Is a source, which may choose columns, a plain file, so that it can be read once more? */
bool source_is_file(const char *source);

bool is_standard_output(const char *path);

#define OUTPUT_OPTION(type, member) \
    OPTION(type, "output", "FILE", member, "output file", .letter = 'o', .unset = "CSV on standard output")

/* Write a matrix. On standard output with `json` it is a JSON object, with `extra` under extra_key. */
int output_matrix(const char *path, volt_view values, const char *const *names, bool json,
                  const char *extra_key, int64_t extra);

/* The same with a first column of times, where labels->name is not NULL; in JSON it is a list "time" of its own, and files
 * that hold numbers alone go without. */
int output_labelled(const char *path, volt_view values, const char *const *names, const row_labels *labels,
                    bool json, const char *extra_key, int64_t extra);

/* Write a text, to a file that is replaced as a whole or not at all ("-": standard output). */
int output_text(const char *path, const char *text);

/* Load or save a model; "-" is standard input or output. */
int model_read(const char *path, volt_model **model);
int model_write(const volt_model *model, const char *path);

/* The model's output names, or y1, y2, ... when it has none; its input names, or x1, x2, ... Free with
 * output_names_free. */
const char **output_names(const volt_model_info *model);
const char **input_names(const volt_model_info *model);
void output_names_free(const char **names);

#endif
