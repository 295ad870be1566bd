/* src/export/export_c.h: C99 source of an exported model. */
#ifndef MODEL_EXPORT_C_H
#define MODEL_EXPORT_C_H

#include "export/export_model.h"
#include "export/export_text.h"

/* Names of the files' contents. */
typedef struct volt_c_names {
    const char *name;  /* prefix of functions and types: name_step */
    const char *upper; /* the same in upper case, for constants */
    const char *file;  /* of the header, without its folder */
} volt_c_names;

/* Numbers and operations of a step, for the comment and the report. */
typedef struct volt_c_cost {
    int64_t state_bytes, table_bytes;
    double operations, calls; /* additions, multiplications and divisions; functions of <math.h> */
} volt_c_cost;

/* Write the header and the source file. `cost` is complete after both. */
void volt_c_header(const volt_export *made, const volt_c_names *names, volt_source *out, volt_c_cost *cost);
void volt_c_source(const volt_export *made, const volt_c_names *names, volt_source *out, volt_c_cost *cost);

/* ---- of one part (export_part.c); `p` is its number, from 1 --------------------------------------- */

bool volt_part_keeps_outputs(const volt_export *made);
/* The part has a flag for its first row. */
bool volt_part_has_begun(const volt_export_part *part);
/* The output before the first row of a sequence is found by iteration, unless it is known. */
bool volt_part_finds_first(const volt_export_part *part);
void volt_part_first(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out);
void volt_part_tables(const volt_export_part *part, int p, const volt_export *made, volt_source *out);
void volt_part_starts(const volt_export_part *part, int p, const volt_export *made, const volt_c_names *names,
                      volt_source *out);
void volt_part_inputs(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out);

/* ---- its kernel (export_kernel.c) ------------------------------------------------------------------ */

void volt_part_kernels(const volt_export_part *part, int p, volt_source *out);
void volt_part_begin(const volt_export_part *part, int p, const volt_c_names *names, volt_source *out);
void volt_part_advance(const volt_export_part *part, int p, const volt_export *made, const volt_c_names *names,
                       volt_source *out);
void volt_part_cost(const volt_export_part *part, volt_c_cost *cost);

#endif
