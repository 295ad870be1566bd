/* bindings/call_stream.c: models row by row. */
#include "call.h"

#include <stdlib.h>

static volt_status run_stream(call *c)
{
    static const field_word starts[] = {
        {"continue", VOLT_START_CONTINUE}, {"reset", VOLT_START_RESET}, {NULL, 0}};
    static const field fields[] = {FIELD_WORDS(volt_live_options, FIELD_CHOICE, start, starts),
                                   FIELD(volt_live_options, FIELD_FLAG, learn),
                                   FIELD(volt_live_options, FIELD_COUNT, window),
                                   FIELD(volt_live_options, FIELD_REAL, forget),
                                   OTHER("model"),
                                   FIELDS_END};
    const field *const tables[] = {fields};
    handle *model = NULL;
    volt_live *live = NULL;
    volt_live_options options = volt_live_options_default();
    volt_model_info info = {.struct_size = sizeof info};
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = argument_model_handle(c, &model);
    if (!status)
        status = fields_set(c, fields, &options);
    if (status)
        return status;
    volt_model_get_info(model->model, &info);
    if (options.start == VOLT_START_CONTINUE && info.pending.rows > 0)
        options.pending = info.pending;
    status = volt_live_create(model->model, &options, &live);
    if (!status)
        value_add(c->result, "stream", value_handle(handle_create(NULL, live, model), true));
    return status;
}

/* Feeds rows one by one. */
static volt_status run_feed(call *c)
{
    static const field fields[] = {OTHER("stream"), OTHER("X"), FIELDS_END};
    const field *const tables[] = {fields};
    handle *stream = NULL;
    volt_view X = {0};
    volt_model_info info = {.struct_size = sizeof info};
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = argument_stream(c, &stream);
    if (!status)
        status = argument_view(c, "X", true, &X);
    if (status)
        return status;
    volt_model_get_info(stream->owner->model, &info);
    if (X.cols != info.d)
        return call_fail(c, "X must have %lld columns (got %lld)", (long long)info.d, (long long)X.cols);
    value *out = value_matrix(X.rows, info.q);
    status = out ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < X.rows && !status; i++)
        status = volt_live_feed(stream->stream, X.data + i * X.ld, out->numbers + i * info.q);
    if (status)
        value_free(out);
    else
        value_add(c->result, "prediction", out);
    return status;
}

/* Gives the target of the row fed last. */
static volt_status run_learn(call *c)
{
    static const field fields[] = {OTHER("stream"), OTHER("y"), FIELDS_END};
    const field *const tables[] = {fields};
    handle *stream = NULL;
    volt_view y = {0};
    volt_model_info info = {.struct_size = sizeof info};
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = argument_stream(c, &stream);
    if (!status)
        status = argument_view(c, "y", true, &y);
    if (status)
        return status;
    volt_model_get_info(stream->owner->model, &info);
    if (y.rows * y.cols != info.q)
        return call_fail(c, "y must have %lld numbers (got %lld)", (long long)info.q,
                         (long long)y.rows * y.cols);
    return volt_live_learn(stream->stream, 0, y.data);
}

const call_entry call_stream_entries[] = {
    {"stream", run_stream}, {"feed", run_feed}, {"learn", run_learn}, {NULL, NULL}};
