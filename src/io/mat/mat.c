/* src/io/mat/mat.c: reads MATLAB files, version 5 (also compressed) and 7.3, through matio.
 *
 * The numeric matrices of the file become columns of one table, in file order; a row vector becomes a column.
 * Text, structures and cells are ignored. matio and HDF5 allocate with malloc. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "io/mat/mat.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/text_lines.h"
#include "io/table/table.h"
#include "volterra/status.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <matio.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* ---- matio -------------------------------------------------------------------------------------- */

/* Loads matio. */

/* As in matio.h, without the prefix Mat_. */
typedef struct volt_matio {
    mat_t *(*Open)(const char *path, int mode);
    int (*Close)(mat_t *file);
    int (*Rewind)(mat_t *file);
    enum mat_ft (*GetVersion)(mat_t *file);
    size_t (*SizeOfClass)(int class_type);
    matvar_t *(*VarReadNextInfo)(mat_t *file);
    int (*VarReadDataAll)(mat_t *file, matvar_t *variable);
    void (*VarFree)(matvar_t *variable);
    /* H5Eget_auto2 and H5Eset_auto2 of the HDF5 that matio uses; NULL without HDF5 */
    int (*get_reports)(long long stack, int (**print)(long long stack, void *context), void **context);
    int (*set_reports)(long long stack, int (*print)(long long stack, void *context), void *context);
} volt_matio;

/* Looks up a function. The address is copied through memory, because C has no conversion from data pointers to
 * function pointers. */
static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* HDF5 is a dependency of matio, which its headers do not mention. Reference: HDF5 reference manual, H5Eget_auto2
 * and H5Eset_auto2; error stack 0 is the default one, and an hid_t has 64 bits since version 1.10. */
static void find_reports(void *library, volt_matio *functions)
{
    find(library, "H5Eget_auto2", &functions->get_reports);
    find(library, "H5Eset_auto2", &functions->set_reports);
}

#ifdef VOLT_MATIO_LIBRARY
/* Loads matio once. VOLT_ERR_FORMAT with the reason. */
static volt_status matio_load(volt_matio *functions)
{
    volt_matio found;
    void *library = dlopen(VOLT_MATIO_LIBRARY, RTLD_NOW | RTLD_LOCAL); /* loaded once, and never unloaded */
    const struct {
        const char *name;
        void *function;
    } wanted[] = {
        {"Mat_Open", &found.Open},
        {"Mat_Close", &found.Close},
        {"Mat_Rewind", &found.Rewind},
        {"Mat_GetVersion", &found.GetVersion},
        {"Mat_SizeOfClass", &found.SizeOfClass},
        {"Mat_VarReadNextInfo", &found.VarReadNextInfo},
        {"Mat_VarReadDataAll", &found.VarReadDataAll},
        {"Mat_VarFree", &found.VarFree},
    };
    bool is_complete = library != NULL;
    for (size_t i = 0; is_complete && i < sizeof wanted / sizeof *wanted; i++)
        is_complete = find(library, wanted[i].name, wanted[i].function);
    if (!is_complete) {
        const char *reason = dlerror();
        return volt_fail(VOLT_ERR_FORMAT,
                         "reading MATLAB files requires matio (%s); install it, or save as CSV",
                         reason ? reason : VOLT_MATIO_LIBRARY);
    }
    find_reports(library, &found);
    *functions = found;
    return VOLT_OK;
}
#else
/* Loads matio once. VOLT_ERR_FORMAT with the reason. */
static volt_status matio_load(volt_matio *functions)
{
    *functions = (volt_matio){.Open = Mat_Open,
                              .Close = Mat_Close,
                              .Rewind = Mat_Rewind,
                              .GetVersion = Mat_GetVersion,
                              .SizeOfClass = Mat_SizeOfClass,
                              .VarReadNextInfo = Mat_VarReadNextInfo,
                              .VarReadDataAll = Mat_VarReadDataAll,
                              .VarFree = Mat_VarFree};
    find_reports(RTLD_DEFAULT, functions);
    return VOLT_OK;
}
#endif

/* ---- reading ------------------------------------------------------------------------------------ */

enum {
    LONGEST_NAME = 256,
    MAX_INFLATION = 1032 /* the largest expansion factor of deflate: a bound on the data in a file */
};

typedef struct mat_variable {
    matvar_t *info;
    int64_t rows, cols;  /* as columns of the table */
    const char *refusal; /* why it is not usable as data; NULL when it is */
    int is_number;       /* numeric, so it must not be ignored silently */
} mat_variable;

typedef struct mat_reader {
    volt_matio matio;
    mat_t *file;
    int64_t file_size;
    mat_variable *variables;
    int64_t n_variables, capacity;
    /* Columns of all variables; a refused variable has one. */
    int64_t n_columns;
    char (*names)[LONGEST_NAME];
    const char **name_of, **family_of, **refusal_of;
    int64_t *variable_of; /* index of the variable */
    int64_t *within;      /* column within it */
} mat_reader;

/* ---- variables -------------------------------------------------------------------------------- */

static int is_numeric_class(enum matio_classes class)
{
    return class == MAT_C_DOUBLE || class == MAT_C_SINGLE || (class >= MAT_C_INT8 && class <= MAT_C_UINT64);
}

/* Decides from the header whether a variable is usable. */
static void judge(mat_variable *variable)
{
    const matvar_t *info = variable->info;
    if (info->class_type == MAT_C_SPARSE) {
        variable->refusal = "is a sparse matrix; save it with full()";
        variable->is_number = 1;
    } else if (!is_numeric_class(info->class_type)) {
        variable->refusal = "is not numeric";
    } else if (info->isComplex) {
        variable->refusal = "is complex";
        variable->is_number = 1;
    } else if (info->rank != 2 || !info->dims) {
        variable->refusal = "has more than 2 dimensions";
        variable->is_number = 1;
    } else if (info->dims[0] == 0 || info->dims[1] == 0) {
        variable->refusal = "is empty";
    } else {
        int is_row = info->dims[0] == 1;
        variable->rows = (int64_t)info->dims[is_row ? 1 : 0];
        variable->cols = (int64_t)info->dims[is_row ? 0 : 1];
    }
}

/* Adds the header of a variable to the checksum of the variables before it. */
static unsigned long add_variable(unsigned long sum, const matvar_t *info)
{
    const char *name = info->name ? info->name : "";
    int facts[] = {info->class_type, info->isComplex, info->rank, info->dims != NULL};
    sum = crc32(sum, (const Bytef *)name, (uInt)strlen(name));
    sum = crc32(sum, (const Bytef *)facts, sizeof facts);
    for (int i = 0; info->dims && i < info->rank; i++)
        sum = crc32(sum, (const Bytef *)&info->dims[i], sizeof info->dims[i]);
    return sum;
}

/* matio 1.5.23 does not free the variables within a function handle of a file of version 5. */
static void free_variable(const mat_reader *reader, matvar_t *info)
{
    if (info->class_type == MAT_C_FUNCTION && info->data &&
        reader->matio.GetVersion(reader->file) == MAT_FT_MAT5) {
        matvar_t **within = info->data;
        for (size_t i = 0; i < info->nbytes / sizeof *within; i++) {
            reader->matio.VarFree(within[i]);
            within[i] = NULL;
        }
    }
    reader->matio.VarFree(info);
}

/* The checksum of the headers of all variables. */
static unsigned long survey_variables(const mat_reader *reader)
{
    unsigned long sum = 0;
    for (matvar_t *info; (info = reader->matio.VarReadNextInfo(reader->file)); free_variable(reader, info))
        sum = add_variable(sum, info);
    reader->matio.Rewind(reader->file);
    return sum;
}

/* The list is read twice: when out of memory, matio and HDF5 silently skip variables or parts of their
 * headers. */
static volt_status list_variables(mat_reader *reader)
{
    matvar_t *info;
    unsigned long surveyed = survey_variables(reader), sum = 0;
    while ((info = reader->matio.VarReadNextInfo(reader->file))) {
        sum = add_variable(sum, info);
        volt_status status = volt_grow((void **)&reader->variables, &reader->capacity, reader->n_variables + 1,
                                       sizeof *reader->variables);
        if (status || !info->name || !*info->name) { /* MATLAB stores the contents of objects without a name */
            free_variable(reader, info);
            if (status)
                return status;
            continue;
        }
        mat_variable variable = {.info = info};
        judge(&variable);
        reader->variables[reader->n_variables++] = variable;
        char shown[VOLT_EXCERPT_LENGTH];
        int64_t most = reader->file_size * MAX_INFLATION;
        VOLT_REQUIRE(variable.refusal || variable.rows <= most / variable.cols, VOLT_ERR_FORMAT,
                     "variable '%s' of %" PRId64 " x %" PRId64 " is larger than the file can hold",
                     volt_excerpt(info->name, strlen(info->name), shown), variable.rows, variable.cols);
    }
    VOLT_REQUIRE(sum == surveyed, VOLT_ERR_MEMORY, "not enough memory for the variables of the file");
    VOLT_REQUIRE(reader->n_variables > 0, VOLT_ERR_FORMAT, "the file has no readable variable");
    return VOLT_OK;
}

/* Names every column after its variable, with _1, _2, ... appended when it has several. */
static volt_status name_columns(mat_reader *reader)
{
    int64_t n = 0;
    for (int64_t v = 0; v < reader->n_variables; v++)
        n += reader->variables[v].refusal ? 1 : reader->variables[v].cols;
    reader->names = volt_alloc(n, sizeof *reader->names);
    reader->name_of = volt_alloc(n, sizeof *reader->name_of);
    reader->family_of = volt_alloc_zero(n, sizeof *reader->family_of);
    reader->refusal_of = volt_alloc(n, sizeof *reader->refusal_of);
    reader->variable_of = volt_alloc(n, sizeof *reader->variable_of);
    reader->within = volt_alloc(n, sizeof *reader->within);
    if (!reader->names || !reader->name_of || !reader->family_of || !reader->refusal_of ||
        !reader->variable_of || !reader->within)
        return VOLT_ERR_MEMORY;
    for (int64_t v = 0; v < reader->n_variables; v++) {
        const mat_variable *variable = &reader->variables[v];
        int64_t cols = variable->refusal ? 1 : variable->cols;
        for (int64_t c = 0; c < cols; c++) {
            int64_t j = reader->n_columns++;
            const char *name = variable->info->name;
            if (cols == 1)
                snprintf(reader->names[j], LONGEST_NAME, "%s", name);
            else
                snprintf(reader->names[j], LONGEST_NAME, "%.200s_%" PRId64, name, c + 1);
            reader->name_of[j] = reader->names[j];
            reader->family_of[j] = cols > 1 ? name : NULL;
            reader->refusal_of[j] = variable->refusal;
            reader->variable_of[j] = v;
            reader->within[j] = c;
        }
    }
    return VOLT_OK;
}

/* Reports the variables and their shapes, up to the length of the message. */
static volt_status shapes_differ(const mat_reader *reader)
{
    char list[512] = "", name[VOLT_EXCERPT_LENGTH];
    size_t used = 0;
    for (int64_t v = 0; v < reader->n_variables && used < sizeof list - 1; v++) {
        const mat_variable *variable = &reader->variables[v];
        if (variable->refusal)
            continue;
        volt_excerpt(variable->info->name, strlen(variable->info->name), name);
        int length = snprintf(list + used, sizeof list - used, "%s%s %" PRId64 " x %" PRId64, used ? ", " : "",
                              name, variable->rows, variable->cols);
        used += length > 0 ? (size_t)length : 0;
    }
    return volt_fail(VOLT_ERR_FORMAT,
                     "the variables have different numbers of rows, select some (FILE:NAME,...): %s", list);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Copies column `within` of a variable's column-major data into column `to` of the table. */
#define COPY_CASE(class, ctype)                                                      \
    case class:                                                                      \
        for (int64_t i = 0; i < rows; i++)                                           \
            out[i * table->cols] = (double)((const ctype *)data)[within * rows + i]; \
        break

static void copy_column(const mat_variable *variable, int64_t within, volt_table *table, int64_t to)
{
    const void *data = variable->info->data;
    int64_t rows = variable->rows;
    double *out = table->values + to;
    switch (variable->info->class_type) {
        COPY_CASE(MAT_C_DOUBLE, double);
        COPY_CASE(MAT_C_SINGLE, float);
        COPY_CASE(MAT_C_INT8, int8_t);
        COPY_CASE(MAT_C_UINT8, uint8_t);
        COPY_CASE(MAT_C_INT16, int16_t);
        COPY_CASE(MAT_C_UINT16, uint16_t);
        COPY_CASE(MAT_C_INT32, int32_t);
        COPY_CASE(MAT_C_UINT32, uint32_t);
        COPY_CASE(MAT_C_INT64, int64_t);
        COPY_CASE(MAT_C_UINT64, uint64_t);
    default:
        break; /* judge() refuses every other class */
    }
}

static volt_status load_data(const mat_reader *reader, mat_variable *variable)
{
    char shown[VOLT_EXCERPT_LENGTH];
    matvar_t *info = variable->info;
    size_t item = reader->matio.SizeOfClass((int)info->class_type);
    volt_excerpt(info->name, strlen(info->name), shown);
    if (info->data)
        return VOLT_OK;
    VOLT_TRY(
        volt_memory_require(2.0 * (double)variable->rows * (double)variable->cols * sizeof(double), shown));
    VOLT_REQUIRE(reader->matio.VarReadDataAll(reader->file, info) == 0 && info->data, VOLT_ERR_FORMAT,
                 "the values of variable '%s' cannot be read: the file is damaged", shown);
    VOLT_REQUIRE(!info->isComplex && info->nbytes == (size_t)variable->rows * (size_t)variable->cols * item,
                 VOLT_ERR_FORMAT,
                 "variable '%s' has %zu bytes where %" PRId64 " x %" PRId64 " values were expected", shown,
                 info->nbytes, variable->rows, variable->cols);
    return VOLT_OK;
}

static volt_status make_table(mat_reader *reader, const int64_t *chosen, int64_t n_chosen, volt_table **made)
{
    int64_t rows = reader->variables[reader->variable_of[chosen[0]]].rows;
    for (int64_t i = 1; i < n_chosen; i++)
        if (reader->variables[reader->variable_of[chosen[i]]].rows != rows)
            return shapes_differ(reader);
    volt_table *table = volt_table_new(rows, n_chosen);
    if (!table)
        return VOLT_ERR_MEMORY;
    *made = table;
    table->has_header = 1;
    for (int64_t i = 0; i < n_chosen; i++) {
        int64_t j = chosen[i];
        mat_variable *variable = &reader->variables[reader->variable_of[j]];
        table->names[i] = volt_utf8_copy(reader->names[j], strlen(reader->names[j]));
        if (!table->names[i])
            return VOLT_ERR_MEMORY;
        VOLT_TRY(load_data(reader, variable));
        copy_column(variable, reader->within[j], table, i);
    }
    return VOLT_OK;
}

/* ---- the file --------------------------------------------------------------------------------- */

/* Without a selection, all variables must be usable numbers. */
static volt_status refuse_variables(const mat_reader *reader)
{
    for (int64_t v = 0; v < reader->n_variables; v++) {
        const mat_variable *variable = &reader->variables[v];
        char shown[VOLT_EXCERPT_LENGTH];
        VOLT_REQUIRE(
            !variable->is_number, VOLT_ERR_FORMAT, "variable '%s' %s; to read others, name them: FILE:NAME,...",
            volt_excerpt(variable->info->name, strlen(variable->info->name), shown), variable->refusal);
    }
    return VOLT_OK;
}

static volt_status read_file(mat_reader *reader, const char *path, const char *selection,
                             const volt_read_options *options, volt_table **table)
{
    VOLT_TRY(list_variables(reader));
    VOLT_TRY(name_columns(reader));
    int64_t *chosen = NULL, n_chosen = 0;
    volt_column_list columns = {.count = reader->n_columns,
                                .names = reader->name_of,
                                .families = reader->family_of,
                                .refusals = reader->refusal_of,
                                .path = path};
    bool narrowed = false;
    volt_status status = volt_select_columns(&columns, selection, options, &chosen, &n_chosen, &narrowed);
    if (status != VOLT_ERR_MEMORY && !selection && !narrowed) {
        volt_status refused = refuse_variables(reader);
        status = refused ? refused : status;
    }
    if (!status)
        status = make_table(reader, chosen, n_chosen, table);
    volt_free(chosen);
    return status;
}

static void close_reader(mat_reader *reader)
{
    for (int64_t v = 0; v < reader->n_variables; v++)
        free_variable(reader, reader->variables[v].info);
    volt_free(reader->variables);
    volt_free(reader->names);
    volt_free(reader->name_of);
    volt_free(reader->family_of);
    volt_free(reader->refusal_of);
    volt_free(reader->variable_of);
    volt_free(reader->within);
    if (reader->file)
        reader->matio.Close(reader->file);
}

/* ---- suppression of HDF5's error output -------------------------------------------------------- */

/* The previous error reporting of HDF5. */
typedef struct hdf5_reports {
    int (*print)(long long stack, void *context);
    void *context;
    bool is_saved;
} hdf5_reports;

static void silence(const volt_matio *matio, hdf5_reports *reports)
{
    if (matio->get_reports && matio->set_reports &&
        matio->get_reports(0, &reports->print, &reports->context) >= 0)
        reports->is_saved = matio->set_reports(0, NULL, NULL) >= 0;
}

static void restore(const volt_matio *matio, const hdf5_reports *reports)
{
    if (reports->is_saved)
        matio->set_reports(0, reports->print, reports->context);
}

/* ---- the file --------------------------------------------------------------------------------- */

volt_status volt_mat_read(const char *path, const char *columns, const volt_read_options *options,
                          volt_table **table)
{
    mat_reader reader = {.file = NULL};
    volt_table *read = NULL;
    hdf5_reports reports = {0};
    VOLT_TRY(volt_mat_check(path, &reader.file_size));
    volt_status status = matio_load(&reader.matio);
    if (status)
        return volt_fail_prefix(status, "%s", path);

    silence(&reader.matio, &reports);
    reader.file = reader.matio.Open(path, MAT_ACC_RDONLY);
    status = reader.file ? read_file(&reader, path, columns, options, &read)
                         : volt_fail(VOLT_ERR_FORMAT, "the file is damaged: matio cannot open it");
    close_reader(&reader);
    restore(&reader.matio, &reports);
    if (!status)
        status = volt_table_keep_rows(read, options, path);
    return volt_table_finish(read, status, path, options, table);
}
