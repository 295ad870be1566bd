/* cli/files/outputs.h: write matrices and models, with checks before the work begins. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "files/row_times.h"
#include "volterra.h"

#include <stdbool.h>

/* Functions that return int return 0, or the exit status after an error message. */

/* Checks that `path` can be written, before any long computation. Rejects a missing or read-only directory,
 * a directory in place of the file, and a read-only file. NULL and "-" are standard output. */
int output_check(const char *path);

/* An output option; path NULL: not given. */
typedef struct output_option {
    const char *option, *path;
} output_option;

/* Rejects two outputs that resolve to the same file. */
int outputs_check_distinct(const output_option *outputs, int count);

/* Rejects overwriting an input file. `source` may select columns and may be NULL. */
int output_check_against(const char *path, const char *source);

/* Returns whether a source, which may select columns, is a regular file that can be read again. */
bool source_is_file(const char *source);

/* Copies the path of a source, which may select columns. Returns false if there is no such file. */
bool source_path(const char *source, char *path, size_t size);

bool is_standard_output(const char *path);

#define OUTPUT_OPTION(type, member) \
    OPTION(type, "output", "FILE", member, "output file", .letter = 'o', .unset = "CSV on standard output")

/* Writes a matrix. On standard output with `json` it is a JSON object. */
int output_matrix(const char *path, volt_view values, const char *const *names, bool json);

/* Writes a matrix with a first column of labels if `labels` (optional) has a name. Numeric formats omit
 * it. */
int output_labelled(const char *path, volt_view values, const char *const *names, const row_labels *labels);

/* Writes a text to a file, which is replaced atomically ("-": standard output). */
int output_text(const char *path, const char *text);

/* Load or save a model; "-" is standard input or output. */
int model_read(const char *path, volt_model **model);
int model_write(const volt_model *model, const char *path);

/* Returns the given names, which must outlive the result, or generated ones if `given` is NULL: prefix1, prefix2, ...
 * Free the result with output_names_free. NULL: not enough memory. */
const char **names_or_default(const char *const *given, const char *prefix, int64_t count);

/* Return the model's output names (default y1, y2, ...) or input names (default x1, x2, ...). Free them with
 * output_names_free. */
const char **output_names(const volt_model_info *model);
const char **input_names(const volt_model_info *model);
void output_names_free(const char **names);

#endif
