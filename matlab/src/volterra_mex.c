/* matlab/src/volterra_mex.c: converts values of MATLAB and Octave, and calls the library.
 *
 *     result = volterra_mex('call', FUNCTION, ARGUMENTS)     a struct of arguments, a struct of results
 *     volterra_mex('release', HANDLE)
 *
 * Models and streams are numbers of the class uint64. A failed call returns error_identifier (volterra:argument, volterra:shape,
 * ...) and error_message. */
#include "call.h"

#include <mex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- handles ---------------------------------------------------------------------------------- */

static handle **handles;
static uint64_t n_handles;

static void release_all(void)
{
    for (uint64_t i = 0; i < n_handles; i++)
        handle_release(handles[i]);
    free(handles);
    handles = NULL;
    n_handles = 0;
}

/* Stores a handle. Returns its number, from 1; 0: no memory. */
static uint64_t keep(handle *h)
{
    handle **grown = realloc(handles, (n_handles + 1) * sizeof *grown);
    if (!grown)
        return 0;
    handles = grown;
    handles[n_handles++] = h;
    return n_handles;
}

static handle *find(const mxArray *x)
{
    uint64_t number = *(const uint64_t *)mxGetData(x);
    return number >= 1 && number <= n_handles ? handles[number - 1] : NULL;
}

/* ---- from MATLAB ------------------------------------------------------------------------------ */

static value *from_mx(const mxArray *x);

static value *numbers_from_mx(const mxArray *x)
{
    size_t rows = mxGetM(x), cols = mxGetN(x);
    value *v = value_matrix((int64_t)rows, (int64_t)cols);
    if (!v)
        return NULL;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            size_t at = i + j * rows;
            v->numbers[i * cols + j] = mxIsLogical(x) ? mxGetLogicals(x)[at] : mxGetPr(x)[at];
        }
    return v;
}

static value *text_from_mx(const mxArray *x)
{
    char *text = mxArrayToString(x);
    value *v = text ? value_text(text) : NULL;
    mxFree(text);
    return v;
}

static value *cell_from_mx(const mxArray *x)
{
    size_t count = mxGetNumberOfElements(x);
    bool is_texts = true;
    for (size_t i = 0; i < count; i++)
        is_texts = is_texts && mxGetCell(x, i) && mxIsChar(mxGetCell(x, i));
    value *list = value_list();
    for (size_t i = 0; i < count; i++)
        value_add(list, "", mxGetCell(x, i) ? from_mx(mxGetCell(x, i)) : value_none());
    if (!value_list_ok(list) || !is_texts || count == 0)
        return list;
    const char **texts = malloc(count * sizeof *texts);
    for (size_t i = 0; texts && i < count; i++)
        texts[i] = list->items[i]->texts[0];
    value *v = texts ? value_texts(texts, (int64_t)count) : NULL;
    free(texts);
    value_free(list);
    return v;
}

static value *struct_from_mx(const mxArray *x)
{
    value *list = value_list();
    for (int i = 0; i < mxGetNumberOfFields(x); i++) {
        const mxArray *item = mxGetFieldByNumber(x, 0, i);
        value_add(list, mxGetFieldNameByNumber(x, i), item ? from_mx(item) : value_none());
    }
    return list;
}

static value *from_mx(const mxArray *x)
{
    if (mxGetNumberOfElements(x) == 0 && !mxIsStruct(x) && !mxIsChar(x))
        return value_none();
    if (mxIsClass(x, "uint64"))
        return value_handle(find(x), false);
    if (mxIsChar(x))
        return text_from_mx(x);
    if (mxIsCell(x))
        return cell_from_mx(x);
    if (mxIsStruct(x))
        return struct_from_mx(x);
    if ((mxIsDouble(x) || mxIsLogical(x)) && !mxIsComplex(x) && !mxIsSparse(x) &&
        mxGetNumberOfDimensions(x) == 2)
        return numbers_from_mx(x);
    return value_list(); /* rejected by the function: not a number, not a text */
}

/* ---- to MATLAB -------------------------------------------------------------------------------- */

static mxArray *to_mx(value *v);

static mxArray *numbers_to_mx(const value *v)
{
    mxArray *x = mxCreateDoubleMatrix((mwSize)v->rows, (mwSize)v->cols, mxREAL);
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t j = 0; j < v->cols; j++)
            mxGetPr(x)[i + j * v->rows] = v->numbers[i * v->cols + j];
    return x;
}

static mxArray *texts_to_mx(const value *v)
{
    if (v->rows == 1)
        return mxCreateString(v->texts[0]);
    mxArray *x = mxCreateCellMatrix((mwSize)v->rows, 1);
    for (int64_t i = 0; i < v->rows; i++)
        mxSetCell(x, (mwIndex)i, mxCreateString(v->texts[i]));
    return x;
}

static mxArray *list_to_mx(value *v)
{
    bool is_named = true;
    for (int64_t i = 0; i < v->rows; i++)
        is_named = is_named && v->names[i][0] >= 'A';
    if (v->rows == 0 || !is_named) {
        mxArray *cell = mxCreateCellMatrix((mwSize)v->rows, 1);
        for (int64_t i = 0; i < v->rows; i++)
            mxSetCell(cell, (mwIndex)i, to_mx(v->items[i]));
        return cell;
    }
    mxArray *x = mxCreateStructMatrix(1, 1, 0, NULL);
    for (int64_t i = 0; i < v->rows; i++) {
        char name[64]; /* "seasonal naive" is no name of a field */
        size_t length = 0;
        for (const char *from = v->names[i]; *from && length + 1 < sizeof name; from++)
            name[length++] = *from == ' ' || *from == '-' ? '_' : *from;
        name[length] = '\0';
        mxAddField(x, name);
        mxSetField(x, 0, name, to_mx(v->items[i]));
    }
    return x;
}

static mxArray *handle_to_mx(value *v)
{
    mxArray *x = mxCreateNumericMatrix(1, 1, mxUINT64_CLASS, mxREAL);
    uint64_t number = keep(v->object);
    v->owns = number == 0;
    *(uint64_t *)mxGetData(x) = number;
    return x;
}

static mxArray *to_mx(value *v)
{
    switch (v->kind) {
    case VALUE_NUMBERS:
        return numbers_to_mx(v);
    case VALUE_TEXTS:
        return texts_to_mx(v);
    case VALUE_LIST:
        return list_to_mx(v);
    case VALUE_HANDLE:
        return handle_to_mx(v);
    case VALUE_NONE:
        break;
    }
    return mxCreateDoubleMatrix(0, 0, mxREAL);
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* Errors and warnings are fields of the result, because those of MEX files begin with the name of the file and have a call
 * stack; +internal/call.m raises them. */
static mxArray *failure_to_mx(volt_status status, const char *message)
{
    const char *names[] = {"error_identifier", "error_message"};
    char id[64];
    snprintf(id, sizeof id, "volterra:%s", volterra_status_id(status));
    mxArray *x = mxCreateStructMatrix(1, 1, 2, names);
    mxSetField(x, 0, names[0], mxCreateString(id));
    mxSetField(x, 0, names[1], mxCreateString(message));
    return x;
}

static void run_call(mxArray **result, const mxArray *function, const mxArray *arguments)
{
    char name[64] = "", message[CALL_MESSAGE] = "";
    value *found = NULL;
    mxGetString(function, name, sizeof name);
    value *given = from_mx(arguments);
    volt_status status = VOLT_ERR_MEMORY;
    if (value_list_ok(given))
        status = volterra_call(name, given, (volt_progress){0}, &found, message);
    value_free(given);
    *result = status ? failure_to_mx(status, message[0] ? message : volt_status_message(status)) : to_mx(found);
    value_free(found);
}

void mexFunction(int n_results, mxArray *results[], int n_arguments, const mxArray *arguments[])
{
    char action[16] = "";
    (void)n_results;
    mexAtExit(release_all);
    if (n_arguments > 0 && mxIsChar(arguments[0]))
        mxGetString(arguments[0], action, sizeof action);
    if (strcmp(action, "call") == 0 && n_arguments == 3 && mxIsChar(arguments[1]) && mxIsStruct(arguments[2])) {
        run_call(&results[0], arguments[1], arguments[2]);
    } else if (strcmp(action, "release") == 0 && n_arguments == 2 && mxIsClass(arguments[1], "uint64")) {
        handle *h = find(arguments[1]);
        if (h)
            handles[*(const uint64_t *)mxGetData(arguments[1]) - 1] = NULL;
        handle_release(h);
    } else {
        mexErrMsgIdAndTxt("volterra:argument",
                          "usage: volterra_mex('call', FUNCTION, STRUCT) or volterra_mex('release', HANDLE)");
    }
}
