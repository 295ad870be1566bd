/* src/export/export_text.h: writes C source into a growing text.
 *
 * All pieces are written for `double`. In single precision, identifiers and literals are translated: double to
 * float, exp to expf, DBL_MAX to FLT_MAX, 1.0 to 1.0f. Comments and preprocessor lines are not changed. */
#ifndef MODEL_EXPORT_TEXT_H
#define MODEL_EXPORT_TEXT_H

#include "base/strings.h"

typedef struct volt_source {
    volt_text_buffer text;
    bool single;
    bool in_comment;
    bool overflows;  /* a number is too large for the precision */
    bool not_finite; /* a number has no literal */
    int64_t table_bytes;
} volt_source;

void volt_source_release(volt_source *source);

/* Appends formatted code. */
void volt_source_put(volt_source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends the lines of `code`, each indented by `depth` times four spaces. */
void volt_source_code(volt_source *source, int depth, const char *code);

/* Appends text of a user inside a comment: without characters that could end it. */
void volt_source_comment(volt_source *source, const char *text);

/* A literal of the precision. */
enum { VOLT_LITERAL_LENGTH = 40 };
const char *volt_source_number(volt_source *source, double value, char literal[VOLT_LITERAL_LENGTH]);

/* "static const double NAME[rows][cols] = {...};", or NAME[rows] for cols of 0; and the same for integers. */
void volt_source_table(volt_source *source, const char *name, const double *numbers, int64_t rows,
                       int64_t cols);
void volt_source_integers(volt_source *source, const char *name, const int64_t *numbers, int64_t count);

#endif
