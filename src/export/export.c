/* src/export/export.c: volt_model_export: checks, names and files. */
#include "volterra/export.h"
#include "base/error.h"
#include "base/memory.h"
#include "export/export_model.h"
#include "io/file/atomic_file.h"
#include "model/model_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_LENGTH = 64 };

/* ---- names --------------------------------------------------------------------------------------- */

static bool is_identifier(const char *name)
{
    bool valid = isalpha((unsigned char)*name) || *name == '_';
    for (const char *at = name; *at; at++)
        valid = valid && (isalnum((unsigned char)*at) || *at == '_') && (unsigned char)*at < 128;
    return valid && strlen(name) < NAME_LENGTH;
}

/* The name of a file without its folder. */
static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The prefix: `given`, or the name of the file with every other character replaced. */
static volt_status make_name(const char *given, const char *path, char name[NAME_LENGTH])
{
    VOLT_REQUIRE(!given || is_identifier(given), VOLT_ERR_ARGUMENT,
                 "name must be a C identifier of at most %d characters (got %s)", NAME_LENGTH - 1, given);
    const char *from = given ? given : file_of(path);
    size_t length = given ? strlen(given) : strcspn(from, ".");
    if (!given && length > NAME_LENGTH - 2) /* a letter may precede it */
        length = NAME_LENGTH - 2;
    size_t at = 0;
    if (length == 0 || isdigit((unsigned char)*from))
        name[at++] = 'm';
    for (size_t i = 0; i < length; i++) {
        bool letter = (unsigned char)from[i] < 128 && isalnum((unsigned char)from[i]);
        name[at++] = letter ? from[i] : '_';
    }
    name[at] = '\0';
    return VOLT_OK;
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), more = strlen(end);
    return length > more && strcmp(path + length - more, end) == 0;
}

/* ---- checks -------------------------------------------------------------------------------------- */

static volt_status check(const volt_export_options *options, const char *path)
{
    VOLT_REQUIRE(options->format == VOLT_EXPORT_C || options->format == VOLT_EXPORT_JSON, VOLT_ERR_ARGUMENT,
                 "the format must be VOLT_EXPORT_C (%d) or VOLT_EXPORT_JSON (%d), got %d", (int)VOLT_EXPORT_C,
                 (int)VOLT_EXPORT_JSON, (int)options->format);
    VOLT_REQUIRE(options->format == VOLT_EXPORT_JSON || ends_in(file_of(path), ".c"), VOLT_ERR_ARGUMENT,
                 "the path of C source must end in .c (got %s)", path);
    VOLT_REQUIRE(options->format == VOLT_EXPORT_C || (!options->single && !options->name), VOLT_ERR_ARGUMENT,
                 "single precision and the name apply to C source, not to JSON");
    VOLT_REQUIRE(options->landmarks >= 0, VOLT_ERR_ARGUMENT, "landmarks must be at least 1 (got %" PRId64 ")",
                 options->landmarks);
    return volt_coverages_check(options->coverages, options->n_coverages);
}

/* In single precision the recursion must still contract, with a margin of many roundings. */
static volt_status check_single(const volt_export *made)
{
    static const double margin = 1e-4;
    for (int64_t i = 0; i < made->n_parts; i++) {
        const volt_kernel_facts *facts = &made->parts[i].model->resolved.facts;
        const volt_sum *sum = made->parts[i].model->resolved.sum;
        for (int64_t f = 0; f < made->parts[i].n_factors; f++) {
            facts = sum ? &sum->factor[f].facts : facts;
            VOLT_REQUIRE(
                facts->contraction < 1 - margin && facts->tau * facts->radius < 1 - margin, VOLT_ERR_ARGUMENT,
                "single precision requires a contraction rate and tau M below %g: kernel %s has %g and %g",
                1 - margin, made->parts[i].factor[f].text, facts->contraction, facts->tau * facts->radius);
        }
    }
    return VOLT_OK;
}

/* ---- files --------------------------------------------------------------------------------------- */

static volt_status write_text(const char *path, const volt_text_buffer *text)
{
    volt_atomic_file file;
    VOLT_TRY(volt_atomic_open(&file, path));
    volt_atomic_write(&file, text->bytes, (size_t)text->size);
    return volt_atomic_close(&file);
}

/* Neither file is replaced if one of them cannot be created. */
static volt_status write_pair(const char *path, const volt_text_buffer *text, const char *header_path,
                              const volt_text_buffer *header)
{
    volt_atomic_file first, second;
    VOLT_TRY(volt_atomic_open(&first, path));
    volt_status status = volt_atomic_open(&second, header_path);
    if (status != VOLT_OK) {
        volt_atomic_discard(&first);
        return status;
    }
    volt_atomic_write(&first, text->bytes, (size_t)text->size);
    volt_atomic_write(&second, header->bytes, (size_t)header->size);
    status = volt_atomic_close(&first);
    if (status == VOLT_OK)
        return volt_atomic_close(&second);
    volt_atomic_discard(&second);
    return status;
}

static volt_status write_c(const volt_export *made, const volt_export_options *options, const char *path,
                           volt_c_cost *cost)
{
    char name[NAME_LENGTH] = "", upper[NAME_LENGTH];
    VOLT_TRY(make_name(options->name, path, name));
    for (size_t i = 0; i <= strlen(name); i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    char *header_path = volt_strdup(path);
    if (!header_path)
        return VOLT_ERR_MEMORY;
    header_path[strlen(path) - 1] = 'h';
    volt_c_names names = {name, upper, file_of(header_path)};
    volt_source header = {.single = options->single != 0}, source = {.single = options->single != 0};
    volt_c_header(made, &names, &header, cost);
    volt_c_source(made, &names, &source, cost);
    volt_status status = header.text.failed || source.text.failed ? VOLT_ERR_MEMORY : VOLT_OK;
    if (status == VOLT_OK && (header.not_finite || source.not_finite))
        status =
            volt_fail(VOLT_ERR_NOT_FINITE, "a number of the model is not finite: it cannot be written as C");
    if (status == VOLT_OK && (header.overflows || source.overflows))
        status = volt_fail(VOLT_ERR_ARGUMENT, "a number of the model is too large for single precision");
    if (status == VOLT_OK)
        status = write_pair(path, &source.text, header_path, &header.text);
    volt_source_release(&header);
    volt_source_release(&source);
    volt_free(header_path);
    return status;
}

static volt_status write_json(const volt_export *made, const char *path)
{
    volt_text_buffer text = {0};
    volt_status status = volt_export_json(made, &text);
    if (status == VOLT_OK)
        status = write_text(path, &text);
    volt_free(text.bytes);
    return status;
}

static volt_status write_files(const volt_export *made, const volt_export_options *options, const char *path,
                               volt_export_report *report)
{
    volt_c_cost cost = {0};
    if (options->single)
        VOLT_TRY(check_single(made));
    VOLT_TRY(options->format == VOLT_EXPORT_C ? write_c(made, options, path, &cost) : write_json(made, path));
    volt_export_report now = {.struct_size = sizeof now,
                              .parts = made->n_parts,
                              .state_bytes = cost.state_bytes,
                              .constant_bytes = cost.table_bytes,
                              .operations = cost.operations,
                              .calls = cost.calls};
    for (int64_t i = 0; i < made->n_parts; i++) {
        now.rows += made->parts[i].rows;
        now.landmark_error = fmax(now.landmark_error, made->parts[i].landmark_error);
    }
    return report ? volt_result_copy(report, &now, sizeof now, "volt_export_report") : VOLT_OK;
}

volt_status volt_model_export(const volt_model *model, const volt_export_options *options, const char *path,
                              volt_export_report *report)
{
    VOLT_REQUIRE(model && path, VOLT_ERR_ARGUMENT, "the model or the path is NULL");
    volt_export_options opts = {.struct_size = sizeof opts};
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_export_options"));
    VOLT_TRY(check(&opts, path));
    volt_export_task task = {.landmarks = opts.landmarks,
                             .coverages = opts.coverages,
                             .n_coverages = opts.n_coverages,
                             .progress = opts.progress};
    volt_export made;
    volt_status status = volt_export_make(model, &task, &made);
    if (status == VOLT_OK)
        status = write_files(&made, &opts, path, report);
    volt_export_release(&made);
    return status;
}
