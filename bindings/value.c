/* bindings/value.c: values that languages exchange with the library. */
#include "value.h"

#include <stdlib.h>
#include <string.h>

static value *create(value_kind kind)
{
    value *v = calloc(1, sizeof *v);
    if (v)
        v->kind = kind;
    return v;
}

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

handle *handle_create(volt_model *model, volt_live *stream, handle *owner)
{
    handle *h = calloc(1, sizeof *h);
    if (!h) {
        volt_live_free(stream);
        volt_model_free(model);
        return NULL;
    }
    h->references = 1;
    h->model = model;
    h->stream = stream;
    h->owner = owner;
    if (owner)
        owner->references++;
    return h;
}

void handle_release(handle *h)
{
    if (!h || --h->references > 0)
        return;
    volt_live_free(h->stream);
    volt_model_free(h->model);
    handle_release(h->owner);
    free(h);
}

value *value_none(void)
{
    return create(VALUE_NONE);
}

value *value_matrix(int64_t rows, int64_t cols)
{
    value *v = create(VALUE_NUMBERS);
    if (!v)
        return NULL;
    v->rows = rows;
    v->cols = cols;
    v->numbers = calloc((size_t)(rows * cols) + 1, sizeof(double));
    if (!v->numbers) {
        free(v);
        return NULL;
    }
    return v;
}

value *value_vector(const double *numbers, int64_t count)
{
    value *v = value_matrix(count, 1);
    if (!v)
        return NULL;
    v->is_vector = true;
    if (numbers && count > 0)
        memcpy(v->numbers, numbers, (size_t)count * sizeof(double));
    return v;
}

value *value_number(double number)
{
    return value_vector(&number, 1);
}

value *value_texts(const char *const *texts, int64_t count)
{
    value *v = create(VALUE_TEXTS);
    if (!v)
        return NULL;
    v->texts = calloc((size_t)count + 1, sizeof *v->texts);
    bool ok = v->texts != NULL;
    for (; ok && v->rows < count; v->rows++) {
        v->texts[v->rows] = copy_text(texts[v->rows] ? texts[v->rows] : "");
        ok = v->texts[v->rows] != NULL;
    }
    if (!ok) {
        value_free(v);
        return NULL;
    }
    return v;
}

value *value_text(const char *text)
{
    return text ? value_texts(&text, 1) : value_none();
}

value *value_handle(handle *object, bool owns)
{
    value *v = object || !owns ? create(VALUE_HANDLE) : NULL;
    if (v) {
        v->object = object;
        v->owns = owns;
    } else if (owns) {
        handle_release(object);
    }
    return v;
}

value *value_list(void)
{
    return create(VALUE_LIST);
}

void value_free(value *v)
{
    if (!v)
        return;
    for (int64_t i = 0; v->texts && i < v->rows; i++)
        free(v->texts[i]);
    for (int64_t i = 0; v->items && i < v->rows; i++) {
        free(v->names[i]);
        value_free(v->items[i]);
    }
    if (v->owns)
        handle_release(v->object);
    free(v->numbers);
    free(v->texts);
    free(v->names);
    free(v->items);
    free(v);
}

static bool grow(value *list)
{
    if (list->rows < list->capacity)
        return true;
    int64_t capacity = 2 * list->capacity + 8;
    char **names = realloc(list->names, (size_t)capacity * sizeof *names);
    if (names)
        list->names = names;
    value **items = names ? realloc(list->items, (size_t)capacity * sizeof(value *)) : NULL;
    if (!items)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

void value_add(value *list, const char *name, value *item)
{
    char *copy = list && item ? copy_text(name) : NULL;
    if (!copy || !grow(list)) {
        if (list)
            list->is_failed = true;
        free(copy);
        value_free(item);
        return;
    }
    list->names[list->rows] = copy;
    list->items[list->rows++] = item;
}

bool value_list_ok(const value *list)
{
    bool is_ok = list && !list->is_failed;
    for (int64_t i = 0; is_ok && list->kind == VALUE_LIST && i < list->rows; i++)
        is_ok = list->items[i]->kind != VALUE_LIST || value_list_ok(list->items[i]);
    return is_ok;
}

const value *value_get(const value *list, const char *name)
{
    for (int64_t i = 0; list && list->kind == VALUE_LIST && i < list->rows; i++)
        if (strcmp(list->names[i], name) == 0)
            return list->items[i]->kind == VALUE_NONE ? NULL : list->items[i];
    return NULL;
}
