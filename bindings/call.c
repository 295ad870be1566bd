/* bindings/call.c: finds and runs the functions of the languages. */
#include "call.h"

#include <stdio.h>
#include <string.h>

const char *volterra_status_id(volt_status status)
{
    static const char *const ids[] = {"ok",     "argument", "kernel", "shape",  "not_finite", "data",  "domain",
                                      "memory", "singular", "io",     "format", "cancelled",  "device"};
    return (size_t)status < sizeof ids / sizeof *ids ? ids[status] : "unknown";
}

void call_warn(call *c, const char *text)
{
    value *warnings = (value *)value_get(c->result, "warnings");
    if (!warnings) {
        warnings = value_list();
        value_add(c->result, "warnings", warnings);
    }
    value_add(warnings, "", value_text(text));
}

void call_warn_codes(call *c, const volt_warning *warnings, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        volt_warning_code code = warnings[i].code;
        if (code != VOLT_WARNING_PAST_TARGETS && code != VOLT_WARNING_FREE_RUN) /* remarks on the baselines */
            call_warn(c, volt_warning_text(code));
    }
}

static call_fn find(const char *name)
{
    const call_entry *const tables[] = {call_model_entries, call_tune_entries, call_stream_entries,
                                        call_task_entries, call_data_entries};
    for (size_t t = 0; t < sizeof tables / sizeof(call_entry *); t++)
        for (const call_entry *entry = tables[t]; entry->name; entry++)
            if (strcmp(entry->name, name) == 0)
                return entry->run;
    return NULL;
}

volt_status volterra_call(const char *function, const value *arguments, volt_progress progress, value **result,
                          char message[CALL_MESSAGE])
{
    call c = {.arguments = arguments, .result = value_list(), .progress = progress};
    call_fn run = find(function);
    *result = NULL;
    volt_status status = VOLT_OK;
    if (!c.result)
        status = VOLT_ERR_MEMORY;
    else if (!run)
        status = call_fail(&c, "unknown function '%.80s'", function);
    else
        status = run(&c);
    if (!status && !value_list_ok(c.result))
        status = VOLT_ERR_MEMORY;
    if (status) {
        const char *detail = c.message[0] ? c.message : volt_error_detail();
        snprintf(message, CALL_MESSAGE, "%s",
                 status == VOLT_ERR_MEMORY || !detail[0] ? volt_status_message(status) : detail);
        value_free(c.result);
        return status;
    }
    *result = c.result;
    return VOLT_OK;
}
