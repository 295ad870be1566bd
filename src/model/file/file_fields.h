/* src/model/file/file_fields.h: the texts, numbers and tensors of a safetensors file, written and read.
 *
 *     volt_file_writer writer = {0};
 *     volt_put_tensor(&writer, "coefficients", n, q, model->coefficients);
 *     volt_put_count(&writer, "washout", model->washout);
 *     status = volt_writer_finish(&writer, path, progress);
 *     volt_writer_release(&writer);
 *
 * Fields that are members of a struct are lines of a table (volt_entry), which is both written and read. */
#ifndef MODEL_FILE_FIELDS_H
#define MODEL_FILE_FIELDS_H

#include "io/safetensors/safetensors.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- tables of fields ---------------------------------------------------------------------------- */

typedef enum volt_field_type {
    VOLT_FIELD_NUMBER, /* double */
    VOLT_FIELD_COUNT,  /* int64_t */
    VOLT_FIELD_FLAG,   /* bool */
    VOLT_FIELD_MARK,   /* bool; written only when true */
    VOLT_FIELD_VECTOR, /* double *, allocated before it is read */
    VOLT_FIELD_SCALAR  /* double, written as a tensor of one number */
} volt_field_type;

/* A member of a struct, stored under `name`: metadata, or a tensor for vectors and scalars. */
typedef struct volt_entry {
    const char *name;
    volt_field_type type;
    size_t at;     /* offset of the member */
    size_t length; /* of a vector: offset of an int64_t with its length */
    double least;  /* smallest value of a number */
} volt_entry;

/* ---- writing ----------------------------------------------------------------------------------- */

typedef struct volt_file_writer {
    volt_tensor *tensors;
    volt_metadatum *metadata;
    void **owned;
    int64_t n_tensors, n_metadata, n_owned;
    int64_t max_tensors, max_metadata, max_owned; /* allocated */
    bool failed;                                  /* an allocation failed */
} volt_file_writer;

/* Adds a tensor (cols = 0: a vector). Its numbers must stay valid until the file is written. */
void volt_put_tensor(volt_file_writer *writer, const char *name, int64_t rows, int64_t cols,
                     const double *data);
/* Adds a tensor and returns its buffer, owned by the writer; NULL: no memory. */
double *volt_put_buffer(volt_file_writer *writer, const char *name, int64_t rows, int64_t cols);
/* Returns a buffer of `count` numbers, owned by the writer, without adding a tensor; NULL: no memory. */
double *volt_writer_buffer(volt_file_writer *writer, int64_t count);

/* Adds a text that must stay valid until the file is written. */
void volt_put_text(volt_file_writer *writer, const char *key, const char *text);
/* Adds a copy of a text. */
void volt_put_copy(volt_file_writer *writer, const char *key, const char *text);
/* Adds a text and takes ownership (volt_free); NULL: no effect. */
void volt_put_text_owned(volt_file_writer *writer, const char *key, char *text);
void volt_put_count(volt_file_writer *writer, const char *key, int64_t value);
/* Adds a number as the shortest text that reads back exactly. */
void volt_put_number(volt_file_writer *writer, const char *key, double value);
void volt_put_flag(volt_file_writer *writer, const char *key, bool value);

/* Adds all fields of a table. `object` is the struct and must outlive the writer. */
void volt_put_fields(volt_file_writer *writer, const volt_entry *table, int count, const void *object);

/* Adds the contents of `part` with names that begin with `prefix`, and releases `part`. */
void volt_writer_append(volt_file_writer *writer, const char *prefix, volt_file_writer *part);

/* Writes the file. VOLT_ERR_MEMORY if an earlier allocation failed; otherwise as
 * volt_safetensors_write_watched. */
volt_status volt_writer_finish(const volt_file_writer *writer, const char *path, volt_progress progress);
void volt_writer_release(volt_file_writer *writer);

/* ---- reading -----------------------------------------------------------------------------------
 * A file that passed its checksum may still have been written by another program. Every function checks what it reads,
 * names the wrong field and fails with VOLT_ERR_FORMAT. */

typedef struct volt_file_fields {
    const volt_safetensors *file;
    const char *path;
    const char *kind; /* expected kind of file, e.g. "a volterra model" */
} volt_file_fields;

/* Prefix of the entries of member i, from 0, of a sum: "member1.". */
enum { VOLT_MEMBER_PREFIX = 32 };
const char *volt_member_prefix(int64_t i, char text[VOLT_MEMBER_PREFIX]);
/* Returns the fields of member i. Release them with volt_fields_member_free, before `fields`.
 * VOLT_ERR_MEMORY. */
volt_status volt_fields_member(const volt_file_fields *fields, int64_t i, volt_file_fields *member);
void volt_fields_member_free(const volt_file_fields *member);

/* Reports that the file is of another kind. */
volt_status volt_fields_wrong_kind(const volt_file_fields *fields, const char *why);
/* The same for a file whose "format" is `format`. */
volt_status volt_fields_wrong_format(const volt_file_fields *fields, const char *format);

volt_status volt_fields_text(const volt_file_fields *fields, const char *key, const char **text);
/* Reads a finite number of at least `least`. */
volt_status volt_fields_number(const volt_file_fields *fields, const char *key, double least, double *value);
volt_status volt_fields_count(const volt_file_fields *fields, const char *key, int64_t *value);
volt_status volt_fields_flag(const volt_file_fields *fields, const char *key, bool *value);

/* Finds the tensor `name` with this shape (-1: any) and finite numbers; owned by the file. */
volt_status volt_fields_tensor(const volt_file_fields *fields, const char *name, int64_t rows, int64_t cols,
                               const volt_tensor **tensor);
/* The same, copied to `to`. */
volt_status volt_fields_copy(const volt_file_fields *fields, const char *name, int64_t rows, int64_t cols,
                             double *to);
/* Converts a number of the tensor `name` that must be an integer from `least` to `most`. */
volt_status volt_fields_index(const volt_file_fields *fields, const char *name, double value, int64_t least,
                              int64_t most, int64_t *index);
/* Reads all fields of a table into the struct `object`. */
volt_status volt_fields_load(const volt_file_fields *fields, const volt_entry *table, int count, void *object);

#endif
