/* bindings/fields.h: sets the fields of option structs from a named list. */
#ifndef BINDINGS_FIELDS_H
#define BINDINGS_FIELDS_H

#include "value.h"

#include <stddef.h>

typedef enum field_kind {
    FIELD_REAL,   /* double */
    FIELD_COUNT,  /* int64_t, or one of `words` */
    FIELD_SEED,   /* uint64_t */
    FIELD_FLAG,   /* int, 0 or 1 */
    FIELD_TEXT,   /* const char * */
    FIELD_CHOICE, /* enum, one of `words` */
    FIELD_OTHER   /* read by the caller */
} field_kind;

typedef struct field_word {
    const char *word; /* NULL: end of the list */
    int number;
} field_word;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset;
    const field_word *words;
} field;

#define FIELD(type, kind, member)                   \
    {                                               \
#member, kind, offsetof(type, member), NULL \
    }
#define FIELD_WORDS(type, kind, member, words)       \
    {                                                \
#member, kind, offsetof(type, member), words \
    }
#define FIELD_NAMED(type, kind, name, member, words) \
    {                                                \
        name, kind, offsetof(type, member), words    \
    }
#define OTHER(name)                \
    {                              \
        name, FIELD_OTHER, 0, NULL \
    }
#define FIELDS_END                 \
    {                              \
        NULL, FIELD_OTHER, 0, NULL \
    }

enum { CALL_MESSAGE = 1024 };

/* A call: its arguments, and the message of its first error. */
typedef struct call {
    const value *arguments;
    value *result;
    volt_progress progress;
    char message[CALL_MESSAGE];
} call;

/* Records an error of the bindings; returns VOLT_ERR_ARGUMENT. */
volt_status call_fail(call *c, const char *format, ...) VOLT_PRINTF(2, 3);

/* Rejects arguments that none of the `count` tables has, with the closest name. */
volt_status fields_check(call *c, const field *const *tables, int count);
/* Sets the fields of `options` that the arguments have. */
volt_status fields_set(call *c, const field *table, void *options);

/* Returns a number, or `fallback` without the argument. */
volt_status argument_number(call *c, const char *name, double fallback, double *number);
volt_status argument_count(call *c, const char *name, int64_t fallback, int64_t *count);
/* Returns a text that belongs to the argument; NULL without it. */
volt_status argument_text(call *c, const char *name, const char **text);
/* Returns numbers; a view without data if they are not given. */
volt_status argument_view(call *c, const char *name, bool required, volt_view *view);
/* Returns `count` texts; NULL without the argument. count < 0: any number, which `found` receives. */
volt_status argument_texts(call *c, const char *name, int64_t count, const char *const **texts, int64_t *found);
/* Returns the lengths of records; free them. */
volt_status argument_lengths(call *c, const char *name, int64_t **lengths, int64_t *count);
volt_status argument_model(call *c, const volt_model **model);
volt_status argument_model_handle(call *c, handle **model);
volt_status argument_stream(call *c, handle **stream);

#endif
