/* bindings/value.h: values that languages exchange with the library: numbers, texts, named lists, handles.
 *
 * R and MATLAB convert their own values to these and back (r/src, matlab/src); the functions in call.h work on them. Matrices
 * are row-major. A list owns its items. Functions that create values return NULL if there is no memory, and accept NULL as the
 * list or the item, so that a chain of calls needs one test at its end: value_list_ok. */
#ifndef BINDINGS_VALUE_H
#define BINDINGS_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <volterra.h>

typedef enum value_kind { VALUE_NONE, VALUE_NUMBERS, VALUE_TEXTS, VALUE_LIST, VALUE_HANDLE } value_kind;

/* Objects of the library that a language keeps and releases in any order: a stream holds its model. */
typedef struct handle {
    int references;
    volt_model *model;
    volt_live *stream;    /* NULL: a model */
    struct handle *owner; /* of a stream: the handle of its model */
} handle;

/* Takes over a model, or a stream of the model of `owner`. NULL: no memory, and the object is freed. */
handle *handle_create(volt_model *model, volt_live *stream, handle *owner);
void handle_release(handle *h);

typedef struct value {
    value_kind kind;
    bool is_vector;     /* numbers: one column (or row) without a second dimension */
    int64_t rows, cols; /* numbers; texts and lists: rows items */
    double *numbers;
    char **texts;
    char **names; /* list: names of the items, "" for none */
    struct value **items;
    int64_t capacity; /* list: allocated items */
    bool is_failed;   /* list: an item could not be added */
    handle *object;   /* VALUE_HANDLE */
    bool owns;        /* false: the language releases the handle */
} value;

value *value_none(void);
value *value_matrix(int64_t rows, int64_t cols);           /* zeros */
value *value_vector(const double *numbers, int64_t count); /* a copy; NULL: zeros */
value *value_number(double number);
value *value_text(const char *text); /* NULL: value_none */
value *value_texts(const char *const *texts, int64_t count);
value *value_handle(handle *object, bool owns); /* object NULL: NULL */
value *value_list(void);
void value_free(value *v);

/* Adds an item to a list, which takes it over. */
void value_add(value *list, const char *name, value *item);
/* Returns whether a list and the lists in it are complete: no allocation failed. */
bool value_list_ok(const value *list);
/* Returns an item; NULL if there is none or it is VALUE_NONE. */
const value *value_get(const value *list, const char *name);

#endif
