/* bindings/call.h: one function for all languages: a name, named arguments, named results.
 *
 * The languages convert values (value.h) and report errors and warnings in their own form. Options have the names of the C
 * structs; decisions are made by the library. */
#ifndef BINDINGS_CALL_H
#define BINDINGS_CALL_H

#include "value.h"

#include <stddef.h>

enum { CALL_MESSAGE = 1024 };

/* Calls `function` with a list of arguments. On success returns VOLT_OK and a list of results, whose item "warnings", if
 * present, has texts. On failure `message` has the reason. Free *result with value_free. */
volt_status volterra_call(const char *function, const value *arguments, volt_progress progress, value **result,
                          char message[CALL_MESSAGE]);

/* Returns the identifier of a status: "argument", "shape", ... */
const char *volterra_status_id(volt_status status);

/* -- for the functions, in models.c and tasks.c -- */

enum { MAX_NAMES = 128 };

/* A call. Its first error is kept: after it, readers return nothing, and results are discarded. */
typedef struct call {
    const value *arguments;
    value *result, *scratch;
    volt_progress progress;
    volt_status status;
    char message[CALL_MESSAGE];
    const char *names[MAX_NAMES]; /* of the arguments that the function has */
    int n_names;
} call;

typedef struct call_entry {
    const char *name;
    void (*run)(call *c);
} call_entry;

extern const call_entry model_functions[], task_functions[];

static inline bool call_ok(const call *c)
{
    return c->status == VOLT_OK;
}
/* Records an error of the bindings. */
void call_fail(call *c, const char *format, ...) VOLT_PRINTF(2, 3);
/* Returns zeros that are freed at the end of the call; NULL: no memory, or an earlier error. */
void *call_array(call *c, int64_t count, size_t size);

/* -- arguments -- */

/* An argument; NULL if it is not given. Every reader makes the name of its argument known. */
const value *take(call *c, const char *name);
double take_number(call *c, const char *name, double fallback);
int64_t take_count(call *c, const char *name, int64_t fallback, int64_t smallest);
/* A number of rows to compute: 1 to 10^9. */
int64_t take_rows(call *c, const char *name, int64_t fallback);
const char *take_text(call *c, const char *name, bool required);
/* Numbers; a view without data if they are not given. */
volt_view take_view(call *c, const char *name, bool required);
/* `count` texts, or any number if count < 0, which `found` receives. */
const char *const *take_texts(call *c, const char *name, int64_t count, int64_t *found);
/* A season in rows, "auto" or "none". */
void take_season(call *c, int64_t *season);
/* Positive integers, such as the lengths of records. */
int64_t *take_lengths(call *c, const char *name, int64_t *count);
handle *take_stream(call *c);
handle *take_model(call *c);
volt_model_info model_info(const handle *model);

/* Names of fields for the languages where they differ: field, name, field, name, ... */
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Sets the numbers, texts and words that are given in an option struct of the library, `type`. Arguments that were read before
 * are no fields. names: NAMES or NULL. */
void take_options(call *c, const char *type, void *options, const char *const *names);
/* Ends the reading: rejects arguments that no reader has asked for. Returns whether there is no error. */
bool taken(call *c);

/* -- results -- */

void add_number(call *c, const char *name, double number);
void add_text(call *c, const char *name, const char *text);
/* Adds zeros; without data if there is no memory, or after an error. */
volt_matrix add_matrix(call *c, const char *name, int64_t rows, int64_t cols);
double *add_vector(call *c, const char *name, int64_t count);
/* Adds a list of `count` matrices, which `matrices` receives. */
void add_matrices(call *c, const char *name, int64_t count, int64_t rows, int64_t cols, volt_matrix *matrices);
/* Adds the numbers, texts and words of a result struct of the library, `type`. names: NAMES, a name "" leaves a field out. */
void add_fields(call *c, const char *type, const void *object, const char *const *names);
/* Adds the arrays of numbers whose lengths the struct has. */
void add_arrays(call *c, const char *type, const void *object, const char *const *names);
/* Adds a list with a column for each number, text and word of the structs `rows`. */
void add_table(call *c, const char *name, const char *type, const void *const *rows, int64_t count,
               const char *const *names);
void add_warning(call *c, const char *text);
void add_warning_codes(call *c, const volt_warning *warnings, int64_t count);

#endif
