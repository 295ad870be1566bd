/* bindings/call.h: one function for all languages: a name, named arguments, named results.
 *
 * The languages convert values (value.h) and report errors and warnings in their own form. Options have the names of the C
 * structs; decisions are made by the library. */
#ifndef BINDINGS_CALL_H
#define BINDINGS_CALL_H

#include "fields.h"

/* Calls `function` with a list of arguments. On success returns VOLT_OK and a list of results, whose item "warnings", if
 * present, has texts. On failure `message` has the reason. Free *result with value_free. */
volt_status volterra_call(const char *function, const value *arguments, volt_progress progress, value **result,
                          char message[CALL_MESSAGE]);

/* Returns the identifier of a status: "argument", "shape", ... */
const char *volterra_status_id(volt_status status);

/* -- functions, by file -- */

typedef volt_status (*call_fn)(call *c);
typedef struct call_entry {
    const char *name;
    call_fn run;
} call_entry;

extern const call_entry call_model_entries[];  /* fit, predict, continue, explain, save, load */
extern const call_entry call_tune_entries[];   /* tune */
extern const call_entry call_stream_entries[]; /* stream, feed, learn */
extern const call_entry call_task_entries[];   /* forecast, backtest, identify, compare */
extern const call_entry call_data_entries[];   /* mcs, bekk, returns, simulate, version */

/* Adds a warning text to the results. */
void call_warn(call *c, const char *text);
/* Adds the texts of warnings of the library. */
void call_warn_codes(call *c, const volt_warning *warnings, int64_t count);

#endif
