/* volterra/describe.h: the fields of the options and results as a table, for programs and bindings that translate them.
 *
 *     const volt_struct *options = volt_struct_find("volt_fit_options");
 *     for (int64_t i = 0; i < options->n_fields; i++)
 *         printf("%s: %s\n", options->fields[i].name, options->fields[i].meaning);
 *
 * The build writes the table from the declarations, the comments and the tags [...] of these headers (scripts/describe.py).
 * Defaults are those of the ..._default functions. */
#ifndef VOLTERRA_DESCRIBE_H
#define VOLTERRA_DESCRIBE_H

#include "volterra/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kind of a field, or of the elements of an array. */
typedef enum volt_kind {
    VOLT_KIND_DOUBLE,
    VOLT_KIND_INT64,
    VOLT_KIND_UINT64,
    VOLT_KIND_INT,
    VOLT_KIND_FLAG,   /* an int, 0 or 1 */
    VOLT_KIND_WORD,   /* an int or enum, one of `words` */
    VOLT_KIND_TEXT,   /* a char *, may be NULL */
    VOLT_KIND_CHARS,  /* a char[], null-terminated */
    VOLT_KIND_STRUCT, /* `inner` */
    VOLT_KIND_VIEW,   /* a volt_view or volt_matrix */
    VOLT_KIND_OTHER   /* callbacks, opaque objects, and shapes that the table cannot express */
} volt_kind;

/* A word for a value of an enum. */
typedef struct volt_word {
    const char *text;
    int value; /* of the constant [count] */
} volt_word;

/* One dimension of an array: `plus`, and the values of up to two fields of the same struct. */
typedef struct volt_dimension {
    const char *text; /* "degree + 1" */
    int64_t plus;
    int is_given;      /* 1: as above; 0: the text has a letter, such as "d", that no field gives */
    int64_t n_offsets; /* fields ... */
    size_t offsets[2]; /* ... and where they are [other] */
} volt_dimension;

/* Allowed values of a number; the default is always allowed. */
typedef struct volt_bounds {
    double low, high;
    int low_open, high_open; /* 1: the bound itself is excluded [flag] */
} volt_bounds;

/* A field of a struct. */
typedef struct volt_field {
    const char *name;
    volt_kind kind;
    int is_pointer; /* 1: the field points to the values, NULL: absent; 0: it contains them */
    size_t offset;
    size_t size;                     /* of one value */
    int64_t n_dimensions;            /* 0: one value */
    const volt_dimension *shape;     /* [array n_dimensions] */
    const struct volt_struct *inner; /* STRUCT; otherwise NULL */
    const volt_word *words;          /* WORD: ends with a text NULL [other] */
    const volt_bounds *range;        /* NULL: any [struct] */
    const char *json;                /* name in JSON; NULL: not written */
    const char *unit;                /* "s", or "" */
    const char *option;  /* option of the program, "max-train"; NULL: none, or one of its own tables */
    const char *value;   /* name of its value, "N" */
    const char *meaning; /* one sentence */
} volt_field;

/* A struct of these headers. */
typedef struct volt_struct {
    const char *name;
    size_t size;
    int is_sized; /* 1: begins with struct_size, which is not among the fields */
    int64_t n_fields;
    const volt_field *fields;           /* [array n_fields] */
    void (*set_default)(void *options); /* NULL: no ..._default function without arguments */
} volt_struct;

/* Returns the description of a struct of these headers; NULL for an unknown name. name NULL: the first one of the table, which
 * ends with an entry whose name is NULL. */
VOLT_API const volt_struct *volt_struct_find(const char *name);

/* Returns a dimension of an array in the struct at `object`; -1 if no field gives it. */
static inline int64_t volt_dimension_of(const volt_dimension *dimension, const void *object)
{
    int64_t length = dimension->is_given ? dimension->plus : -1;
    for (int64_t i = 0; dimension->is_given && i < dimension->n_offsets; i++)
        length += *(const int64_t *)(const void *)((const char *)object + dimension->offsets[i]);
    return length;
}

#ifdef __cplusplus
}
#endif
#endif
