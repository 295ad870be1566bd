/* src/select/candidates/candidates.c: functions shared by all sources of candidates. */
#include "select/candidates/candidates.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "io/csv/csv.h"
#include "io/file/text_lines.h"
#include "kernel/kernel_entry.h"
#include "text/text.h"
#include "volterra/select.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)VOLT_KERNEL_LENGTH >= (int)VOLT_EXPRESSION_LENGTH, "every kernel's text is a candidate's");

volt_status volt_candidates_make(const volt_candidates *source, volt_candidates **candidates)
{
    volt_candidates *fresh = volt_alloc(1, sizeof *fresh);
    if (!fresh) {
        source->release(source->context);
        return VOLT_ERR_MEMORY;
    }
    *fresh = *source;
    *candidates = fresh;
    return VOLT_OK;
}

void volt_candidates_free(volt_candidates *candidates)
{
    if (!candidates)
        return;
    candidates->release(candidates->context);
    volt_free(candidates->start);
    volt_free(candidates);
}

volt_status volt_candidates_start(volt_candidates *candidates, const char *kernel, const volt_setting *setting,
                                  double step)
{
    char *text = volt_strdup(kernel);
    if (!text)
        return VOLT_ERR_MEMORY;
    volt_free(candidates->start);
    candidates->start = text;
    candidates->start_setting = *setting;
    candidates->start_step = step;
    return VOLT_OK;
}

/* VOLT_ERR_ARGUMENT for an invalid alpha or feedback weight. */
static volt_status setting_check(const volt_setting *setting)
{
    VOLT_REQUIRE(setting->alpha >= 0 && isfinite(setting->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive and finite, or 0 to be profiled (got %g)", setting->alpha);
    VOLT_REQUIRE(setting->feedback >= 0 && isfinite(setting->feedback), VOLT_ERR_ARGUMENT,
                 "the feedback weight must be positive and finite, or 0 for none (got %g)", setting->feedback);
    return VOLT_OK;
}

/* Checks a candidate of a source and completes the kernel text. */
static volt_status complete(const char *text, volt_setting value, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    VOLT_TRY(setting_check(&value));
    volt_kernel *parsed = NULL;
    VOLT_TRY(volt_kernel_parse(text, &parsed));
    snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", volt_kernel_text(parsed));
    *setting = value;
    volt_kernel_free(parsed);
    return VOLT_OK;
}

volt_status volt_candidates_take(const volt_candidates *candidates, int64_t index,
                                 char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting)
{
    VOLT_REQUIRE(index >= 0 && (candidates->count < 0 || index < candidates->count), VOLT_ERR_ARGUMENT,
                 "candidate %" PRId64 " is not among the %" PRId64 " candidates", index, candidates->count);
    char text[VOLT_KERNEL_LENGTH] = "";
    volt_setting value = {.alpha = NAN};
    if (index == 0 && candidates->start)
        return complete(candidates->start, candidates->start_setting, kernel, setting);
    VOLT_TRY(candidates->get(candidates, index, text, &value));
    return complete(text, value, kernel, setting);
}

volt_status volt_candidates_get(const volt_candidates *candidates, int64_t index,
                                char kernel[VOLT_KERNEL_LENGTH], double *alpha, double *feedback)
{
    VOLT_REQUIRE(candidates && kernel && alpha, VOLT_ERR_ARGUMENT, "the candidates or an output is NULL");
    volt_setting setting;
    VOLT_TRY(volt_candidates_take(candidates, index, kernel, &setting));
    *alpha = setting.alpha;
    if (feedback)
        *feedback = setting.feedback;
    return VOLT_OK;
}

volt_status volt_candidates_locate(const volt_candidates *candidates, const volt_trial *trial,
                                   volt_point *point)
{
    volt_setting setting = {trial->alpha, trial->feedback};
    volt_kernel *about = NULL;
    VOLT_TRY(volt_kernel_parse(trial->kernel, &about));
    volt_status status = candidates->locate(candidates, about, &setting, point);
    volt_kernel_free(about);
    return status;
}

volt_status volt_candidates_at(const volt_point *point, char kernel[VOLT_KERNEL_LENGTH], volt_setting *setting)
{
    char text[VOLT_KERNEL_LENGTH] = "";
    volt_setting value = {.alpha = NAN};
    VOLT_TRY(point->source->get_at(point->source, point->u, text, &value));
    return complete(text, value, kernel, setting);
}

/* One in five is an unrestricted draw, so that no part of the space is excluded. This choice has its own
 * stream of random numbers, separate from the draw and from the step. */
volt_status volt_candidates_follow(const volt_candidates *candidates, int64_t index,
                                   const volt_parents *parents, char kernel[VOLT_KERNEL_LENGTH],
                                   volt_setting *setting)
{
    static const uint64_t choosing = UINT64_C(0x9e3779b97f4a7c15);
    static const double share_near = 0.8;
    volt_rng rng;
    volt_rng_init(&rng, candidates->seed ^ choosing, (uint64_t)index);
    bool near = volt_rng_uniform(&rng) < share_near;
    int64_t which = (int64_t)(volt_rng_uniform(&rng) * (double)parents->count);
    if (!near || parents->count == 0)
        return volt_candidates_take(candidates, index, kernel, setting);

    const volt_trial *parent = parents->trials[which];
    volt_setting value = {.alpha = NAN}, about_setting = {parent->alpha, parent->feedback};
    volt_kernel *about = NULL;
    VOLT_TRY(volt_kernel_parse(parent->kernel, &about));
    char text[VOLT_KERNEL_LENGTH] = "";
    volt_status status = candidates->get_near(candidates, index, about, &about_setting, text, &value);
    volt_kernel_free(about);
    return status == VOLT_OK ? complete(text, value, kernel, setting) : status;
}

/* ---- candidates from a list -------------------------------------------------------------------------- */

typedef struct list {
    int64_t count;
    char **kernels;
    volt_setting *settings;
} list;

static void list_release(void *context)
{
    list *all = context;
    volt_names_free(all->kernels, all->count);
    volt_free(all->settings);
    volt_free(all);
}

static volt_status list_get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                            volt_setting *setting)
{
    const list *all = candidates->context;
    snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", all->kernels[index]);
    *setting = all->settings[index];
    return VOLT_OK;
}

static volt_status list_fill(const char *const *kernels, const double *alphas, const double *feedbacks,
                             list *all)
{
    for (int64_t i = 0; i < all->count; i++) {
        volt_kernel *parsed = NULL;
        volt_setting setting = {alphas[i], feedbacks ? feedbacks[i] : 0};
        volt_status status = volt_kernel_parse(kernels[i], &parsed);
        if (status == VOLT_OK)
            status = setting_check(&setting);
        if (status == VOLT_OK && !(all->kernels[i] = volt_strdup(volt_kernel_text(parsed))))
            status = VOLT_ERR_MEMORY;
        volt_kernel_free(parsed);
        if (status != VOLT_OK)
            return status == VOLT_ERR_MEMORY
                       ? status
                       : volt_fail_prefix(status, "candidate %" PRId64 " (counted from 1)", i + 1);
        all->settings[i] = setting;
    }
    return VOLT_OK;
}

volt_status volt_candidates_list(const char *const *kernels, const double *alphas, const double *feedbacks,
                                 int64_t count, volt_candidates **candidates)
{
    VOLT_REQUIRE(kernels && alphas && candidates, VOLT_ERR_ARGUMENT, "the list of candidates is NULL");
    VOLT_REQUIRE(count >= 1, VOLT_ERR_ARGUMENT, "the list must have at least 1 candidate (got %" PRId64 ")",
                 count);
    list *all = volt_alloc_zero(1, sizeof *all);
    if (!all)
        return VOLT_ERR_MEMORY;
    all->count = count;
    all->kernels = volt_alloc_zero(count, sizeof *all->kernels);
    all->settings = volt_alloc(count, sizeof *all->settings);
    volt_status status =
        all->kernels && all->settings ? list_fill(kernels, alphas, feedbacks, all) : VOLT_ERR_MEMORY;
    if (status != VOLT_OK) {
        list_release(all);
        return status;
    }
    volt_candidates source = {.count = count, .get = list_get, .release = list_release, .context = all};
    for (int64_t i = 0; i < count; i++)
        source.feeds |= all->settings[i].feedback > 0;
    return volt_candidates_make(&source, candidates);
}

/* ---- candidates from a CSV file, one per row --------------------------------------------------------- */

/* The header names parameters of the kernel, alpha, and the feedback weight, feedback. An empty cell selects
 * the default of the kernel; an alpha of `auto` is profiled. */

typedef struct reader {
    const char *kernel;  /* fixed kernel; NULL: that of a column */
    volt_kernel *parsed; /* the same */
    char **names;        /* of the columns */
    int64_t n_columns, column_capacity;
    int64_t alpha, feedback, text; /* columns of alpha, of feedback weights and of whole kernels, -1: none */
    bool in_header;

    char row[VOLT_KERNEL_LENGTH]; /* the candidate being read */
    double row_alpha, row_feedback;
    bool is_profiled; /* its alpha is the word auto */
    char **kernels;   /* those read */
    double *alphas, *feedbacks;
    int64_t count, kernel_capacity, alpha_capacity, feedback_capacity;
} reader;

static volt_status read_name(reader *r, int64_t line, int64_t column, const char *text, size_t length)
{
    VOLT_REQUIRE(length > 0 || column > 0, VOLT_ERR_FORMAT, "line %" PRId64 ": a column has no name", line);
    for (int64_t j = 0; j < r->n_columns; j++)
        VOLT_REQUIRE(strcmp(r->names[j], text) != 0, VOLT_ERR_FORMAT,
                     "line %" PRId64 ": two columns are named %s", line, text);
    VOLT_TRY(volt_grow((void **)&r->names, &r->column_capacity, column + 1, sizeof *r->names));
    r->names[column] = volt_utf8_copy(text, length);
    if (!r->names[column])
        return VOLT_ERR_MEMORY;
    r->n_columns = column + 1;
    if (strcmp(text, "alpha") == 0)
        r->alpha = column;
    else if (strcmp(text, "feedback") == 0)
        r->feedback = column;
    else if (strcmp(text, "kernel") == 0)
        r->text = column;
    return VOLT_OK;
}

static volt_status read_cell(void *context, int64_t line, int64_t column, const char *text, size_t length)
{
    reader *r = context;
    char shown[VOLT_EXCERPT_LENGTH];
    if (r->in_header)
        return read_name(r, line, column, text, length);
    VOLT_REQUIRE(column < r->n_columns, VOLT_ERR_FORMAT,
                 "line %" PRId64 " has more cells than the %" PRId64 " columns of the header", line,
                 r->n_columns);
    if (column == 0) {
        snprintf(r->row, sizeof r->row, "%s", r->kernel ? r->kernel : "");
        r->row_alpha = NAN;
        r->row_feedback = 0;
        r->is_profiled = false;
    }
    if (column == r->alpha && strcmp(text, "auto") == 0) {
        r->row_alpha = 0;
        r->is_profiled = true;
        return VOLT_OK;
    }
    if (column == r->alpha) {
        VOLT_REQUIRE(volt_parse_number(text, &r->row_alpha), VOLT_ERR_FORMAT,
                     "line %" PRId64 ": alpha is \"%s\", which is not a number", line,
                     volt_excerpt(text, length, shown));
        return VOLT_OK;
    }
    if (column == r->feedback) {
        VOLT_REQUIRE(volt_parse_number(text, &r->row_feedback) && r->row_feedback > 0 &&
                         isfinite(r->row_feedback),
                     VOLT_ERR_FORMAT, "line %" PRId64 ": feedback must be positive and finite (got \"%s\")",
                     line, volt_excerpt(text, length, shown));
        return VOLT_OK;
    }
    if (length == 0)
        return VOLT_OK;
    VOLT_REQUIRE(column == r->text || !strpbrk(text, ",="), VOLT_ERR_FORMAT,
                 "line %" PRId64 ": %s is \"%s\", which is not a valid value", line, r->names[column],
                 volt_excerpt(text, length, shown));
    bool fits = column == r->text ? (size_t)snprintf(r->row, sizeof r->row, "%s", text) < sizeof r->row
                                  : volt_kernel_text_add(r->row, sizeof r->row, r->names[column], text);
    VOLT_REQUIRE(fits, VOLT_ERR_FORMAT, "line %" PRId64 ": the kernel's text is longer than %d characters",
                 line, VOLT_KERNEL_LENGTH - 1);
    return VOLT_OK;
}

/* Checks that the column is a parameter of the given kernel. */
static volt_status check_name(const reader *r, const char *name, int64_t line)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    if (volt_kernel_get(r->parsed, name, &value) == VOLT_OK)
        return VOLT_OK;
    return volt_fail_prefix(VOLT_ERR_FORMAT, "line %" PRId64, line);
}

static volt_status finish_header(reader *r, int64_t line)
{
    r->in_header = false;
    VOLT_REQUIRE(r->alpha >= 0, VOLT_ERR_FORMAT, "line %" PRId64 ": there is no column alpha", line);
    VOLT_REQUIRE(!r->kernel || r->text < 0, VOLT_ERR_FORMAT,
                 "line %" PRId64 ": there is a column kernel, but the kernel %s is given as well", line,
                 r->kernel);
    VOLT_REQUIRE(r->text < 0 || r->n_columns == 2 + (r->feedback >= 0), VOLT_ERR_FORMAT,
                 "line %" PRId64 ": with a column kernel, only alpha and feedback are allowed", line);
    if (!r->kernel && r->text < 0)
        r->kernel = "volterra";
    if (r->kernel)
        VOLT_TRY(volt_kernel_parse(r->kernel, &r->parsed));
    for (int64_t j = 0; j < r->n_columns; j++)
        if (j != r->alpha && j != r->feedback && j != r->text)
            VOLT_TRY(check_name(r, r->names[j], line));
    return VOLT_OK;
}

static volt_status finish_row(void *context, int64_t line, int64_t n_cells)
{
    reader *r = context;
    if (r->in_header)
        return finish_header(r, line);
    VOLT_REQUIRE(n_cells == r->n_columns, VOLT_ERR_FORMAT,
                 "line %" PRId64 " has %" PRId64 " cells where the header has %" PRId64, line, n_cells,
                 r->n_columns);
    VOLT_REQUIRE(r->is_profiled || (r->row_alpha > 0 && isfinite(r->row_alpha)), VOLT_ERR_FORMAT,
                 "line %" PRId64 ": alpha must be positive and finite, or the word auto (got %g)", line,
                 r->row_alpha);
    volt_kernel *parsed = NULL;
    volt_status status = volt_kernel_parse(r->row, &parsed);
    volt_kernel_free(parsed);
    if (status != VOLT_OK)
        return status == VOLT_ERR_MEMORY ? status : volt_fail_prefix(VOLT_ERR_FORMAT, "line %" PRId64, line);

    VOLT_TRY(volt_grow((void **)&r->kernels, &r->kernel_capacity, r->count + 1, sizeof *r->kernels));
    VOLT_TRY(volt_grow((void **)&r->alphas, &r->alpha_capacity, r->count + 1, sizeof *r->alphas));
    VOLT_TRY(volt_grow((void **)&r->feedbacks, &r->feedback_capacity, r->count + 1, sizeof *r->feedbacks));
    r->kernels[r->count] = volt_strdup(r->row);
    if (!r->kernels[r->count])
        return VOLT_ERR_MEMORY;
    r->feedbacks[r->count] = r->row_feedback;
    r->alphas[r->count++] = r->row_alpha;
    return VOLT_OK;
}

static volt_status read_file(const char *path, reader *r)
{
    volt_csv_text csv;
    volt_status status = volt_csv_text_open(path, &csv);
    if (status != VOLT_OK) /* VOLT_ERR_IO names the file */
        return status == VOLT_ERR_FORMAT ? volt_fail_prefix(status, "%s", path) : status;
    volt_csv_events events = {.cell = read_cell, .row = finish_row, .context = r};
    status = volt_csv_walk(&csv, &events);
    volt_csv_text_close(&csv);
    if (status == VOLT_OK && r->count == 0)
        status = volt_fail(VOLT_ERR_FORMAT, "there are no candidates in it");
    return status == VOLT_OK || status == VOLT_ERR_MEMORY ? status : volt_fail_prefix(status, "%s", path);
}

volt_status volt_candidates_read(const char *path, const char *kernel, volt_candidates **candidates)
{
    VOLT_REQUIRE(path && candidates, VOLT_ERR_ARGUMENT, "the path or the candidates are NULL");
    reader r = {.kernel = kernel, .alpha = -1, .feedback = -1, .text = -1, .in_header = true};
    volt_status status = read_file(path, &r);
    if (status == VOLT_OK)
        status =
            volt_candidates_list((const char *const *)r.kernels, r.alphas, r.feedbacks, r.count, candidates);
    volt_names_free(r.names, r.n_columns);
    volt_names_free(r.kernels, r.count);
    volt_free(r.alphas);
    volt_free(r.feedbacks);
    volt_kernel_free(r.parsed);
    return status;
}
