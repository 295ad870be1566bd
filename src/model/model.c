/* src/model/model.c: the model, its notes and errors, functions shared by all predictions, and sums of models. */
#include "base/error.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/strings.h"
#include "base/views.h"
#include "gram/engine/state.h"
#include "io/time/time_text.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "model/recipe.h"
#include "stats/stats_internal.h"
#include "text/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- notes -------------------------------------------------------------------------------------- */

/* Notes stored with a model. */

static const struct {
    const char *key;
    size_t offset;
} notes_of_a_model[VOLT_NOTES] = {
    {"time_end", offsetof(volt_model_notes, time_end)},
    {"time_target", offsetof(volt_model_notes, time_target)},
    {"time_step", offsetof(volt_model_notes, time_step)},
    {"calendar", offsetof(volt_model_notes, calendar)},
    {"calendar_scale", offsetof(volt_model_notes, calendar_scale)},
    {"first_rows", offsetof(volt_model_notes, first_rows)},
    {"horizons", offsetof(volt_model_notes, horizons)},
    {"target_ndim", offsetof(volt_model_notes, target_ndim)},
};

static const char **note(volt_model_notes *notes, int i)
{
    return (const char **)((char *)notes + notes_of_a_model[i].offset);
}

static const char *text_of(const volt_model_notes *notes, int i)
{
    return *(const char *const *)((const char *)notes + notes_of_a_model[i].offset);
}

static volt_status set_note(volt_model_notes *notes, int i, const char *text)
{
    *note(notes, i) = text ? volt_strdup(text) : NULL;
    return !text || *note(notes, i) ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_notes_copy(const volt_model_notes *from, volt_model_notes *to)
{
    volt_status status = VOLT_OK;
    for (int i = 0; i < VOLT_NOTES && !status; i++)
        status = set_note(to, i, text_of(from, i));
    return status;
}

static void notes_release(volt_model_notes *notes)
{
    for (int i = 0; i < VOLT_NOTES; i++)
        volt_free((void *)text_of(notes, i));
}

/* Removes the notes that differ from those of `other`. They must not be owned. */
static void notes_intersect(const volt_model_notes *other, volt_model_notes *notes)
{
    for (int i = 0; i < VOLT_NOTES; i++) {
        const char *a = text_of(notes, i), *b = text_of(other, i);
        if (a && (!b || strcmp(a, b) != 0))
            *note(notes, i) = NULL;
    }
}

int64_t volt_notes_list(const volt_model_notes *notes, volt_metadatum *metadata)
{
    int64_t count = 0;
    for (int i = 0; i < VOLT_NOTES; i++)
        if (text_of(notes, i))
            metadata[count++] = (volt_metadatum){notes_of_a_model[i].key, text_of(notes, i)};
    return count;
}

volt_status volt_notes_read(const volt_safetensors *file, volt_model_notes *notes)
{
    volt_status status = VOLT_OK;
    for (int i = 0; i < VOLT_NOTES && !status; i++)
        status = set_note(notes, i, volt_safetensors_metadata(file, notes_of_a_model[i].key));
    return status;
}

/* ---- times of the training rows ---------------------------------------------------------------- */

static volt_status replace(const char **note, const char *text)
{
    volt_free((void *)*note);
    *note = volt_strdup(text);
    return *note ? VOLT_OK : VOLT_ERR_MEMORY;
}

volt_status volt_notes_set_times(const volt_time *times, int64_t n, int64_t ahead, volt_model_notes *notes)
{
    char text[VOLT_TIME_LENGTH];
    volt_time_step step;
    VOLT_REQUIRE(n > ahead, VOLT_ERR_ARGUMENT,
                 "n_times must be above the horizon of %" PRId64 " rows (got %" PRId64 ")", ahead, n);
    VOLT_TRY(volt_time_step_find(times, n, &step));
    if (volt_time_step_is_known(step))
        VOLT_TRY(replace(&notes->time_step, volt_time_step_format(step, text)));
    VOLT_TRY(replace(&notes->time_end, volt_time_format(times[n - 1 - ahead], text)));
    return replace(&notes->time_target, volt_time_format(times[n - 1], text));
}

static volt_status parse_time(const char *key, const char *text, volt_time *time)
{
    volt_status status = text ? volt_times_parse(&text, 1, time) : VOLT_OK;
    return status ? volt_fail_prefix(status, "the model's \"%s\"", key) : VOLT_OK;
}

volt_status volt_notes_get_times(const volt_model_notes *notes, int64_t ahead, volt_training_times *times)
{
    volt_training_times parsed = {.end = {NAN, NAN}, .target = {NAN, NAN}};
    VOLT_TRY(parse_time("time_end", notes->time_end, &parsed.end));
    VOLT_TRY(parse_time("time_target", notes->time_target, &parsed.target));
    if (notes->time_step && volt_time_step_parse(notes->time_step, &parsed.step))
        return volt_fail_prefix(VOLT_ERR_FORMAT, "the model's \"time_step\"");
    if (!notes->time_target && volt_time_step_is_known(parsed.step)) /* a file of version 1.0 */
        parsed.target = volt_time_advance(parsed.end, parsed.step, ahead);
    if (times)
        *times = parsed;
    return VOLT_OK;
}

/* ---- digest of the first rows ------------------------------------------------------------------ */

/* Rows of a digest at most, and at least. */
enum { DIGEST_ROWS = 8, MIN_ROWS = 3, DIGEST_LENGTH = 48 };

/* "ROWS DIGEST" of the first rows; "" if they are too few or all equal, like those of a sensor that is still off. */
static void digest_rows(volt_view X, int64_t rows, char text[DIGEST_LENGTH])
{
    bool differ = false;
    uint64_t hash = volt_digest_start;
    *text = '\0';
    if (rows < MIN_ROWS || rows > X.rows)
        return;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < X.cols; j++) {
            double value = X.data[i * X.ld + j] + 0.0; /* -0 is 0 */
            uint64_t bits;
            differ |= value != X.data[j];
            memcpy(&bits, &value, sizeof bits);
            for (int byte = 0; byte < 8; byte++)
                hash = volt_digest_byte(hash, (unsigned char)(bits >> (8 * byte)));
        }
    if (differ)
        snprintf(text, DIGEST_LENGTH, "%lld %016llx", (long long)rows, (unsigned long long)hash);
}

volt_status volt_notes_first_rows(volt_view X, volt_model_notes *notes)
{
    char text[DIGEST_LENGTH];
    if (notes->first_rows)
        return VOLT_OK;
    digest_rows(X, X.rows < DIGEST_ROWS ? X.rows : DIGEST_ROWS, text);
    notes->first_rows = *text ? volt_strdup(text) : NULL;
    return *text && !notes->first_rows ? VOLT_ERR_MEMORY : VOLT_OK;
}

int volt_model_begins(const volt_model_info *info, volt_view X)
{
    char text[DIGEST_LENGTH];
    if (!info || !info->notes.first_rows || !X.data || X.cols != info->d)
        return 0;
    digest_rows(X, strtoll(info->notes.first_rows, NULL, 10), text);
    return *text && strcmp(text, info->notes.first_rows) == 0;
}

/* ---- errors ------------------------------------------------------------------------------------- */

/* Errors of the training rows, and half-widths of intervals (docs/math.md,
 * "Intervals").
 *
 *     half-width = the ceil((N + 1) p)-th smallest of the last N |e_t|,     N <= min(max(m / 2, 100), 300)
 *     e_t        = y_t less the prediction from the rows before min(t - ahead + 1, m - min(m / 4, 300))
 *
 * of m rows. It covers a share p of new observations if their errors are exchangeable with these (split
 * conformal prediction). */

enum { FEW_SCORES = 100 }; /* used even if this is more than half of the rows */

/* Number of last rows that are predicted by a model of the rows before them. With more, that model would be
 * worse than the one of all rows; with fewer, errors far from the last known row would be missing. */
static int64_t held_back(int64_t fitted_rows)
{
    return volt_min(fitted_rows / 4, VOLT_INTERVAL_SCORES);
}

/* Largest number of scores: the later half of the rows. The first rows are predicted by a worse model. */
static int64_t max_scores(int64_t fitted_rows)
{
    return volt_min(volt_max(fitted_rows / 2, FEW_SCORES), VOLT_INTERVAL_SCORES);
}

volt_status volt_error_list_allocate(int64_t rows, int64_t q, volt_error_list *list)
{
    list->e = volt_alloc_doubles(rows, q);
    list->scale = volt_alloc_doubles(rows, q);
    list->rows = rows;
    return list->e && list->scale ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_errors_release(volt_model_errors *errors)
{
    for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
        volt_free(errors->lists[i].e);
        volt_free(errors->lists[i].scale);
    }
    *errors = (volt_model_errors){0};
}

volt_status volt_errors_prepare(int64_t fitted_rows, int64_t q, int64_t ahead, const bool *without,
                                int64_t most, volt_model_errors *errors,
                                volt_row_errors wanted[VOLT_ROW_ERRORS])
{
    int64_t first = fitted_rows;
    for (int64_t count = 0; first > 0 && count < max_scores(fitted_rows); first--)
        count += !(without && without[first - 1]);
    wanted[VOLT_ERRORS_NEAR] =
        (volt_row_errors){.ahead = ahead, .most = fitted_rows, .begin = volt_max(fitted_rows - most, 0)};
    wanted[VOLT_ERRORS_FAR] =
        (volt_row_errors){.ahead = ahead, .most = fitted_rows - held_back(fitted_rows), .begin = first};
    for (int i = 0; i < VOLT_ROW_ERRORS; i++) {
        volt_error_list *list = &errors->lists[i];
        int64_t rows = fitted_rows - wanted[i].begin;
        VOLT_TRY(volt_error_list_allocate(rows, q, list));
        wanted[i].e = volt_matrix_of(list->e, rows, q);
        wanted[i].scale = volt_matrix_of(list->scale, rows, q);
    }
    return VOLT_OK;
}

/* ---- scores ----------------------------------------------------------------------------------- */

int64_t volt_error_scores(const volt_model_errors *errors, int64_t q, int64_t k, double *scores)
{
    const volt_error_list *far = &errors->lists[VOLT_ERRORS_FAR];
    int64_t count = 0, first = far->rows;
    while (first > 0 && count < max_scores(errors->lists[VOLT_ERRORS_NEAR].rows))
        count += far->scale[--first * q + k] > 0;
    count = 0;
    for (int64_t t = first; t < far->rows; t++)
        if (far->scale[t * q + k] > 0)
            scores[count++] = fabs(far->e[t * q + k]);
    return count;
}

/* ---- intervals -------------------------------------------------------------------------------- */

/* Rounding may put the product just above an integer: 0.9 * (9 + 1) is 9. */
static double rank_of(int64_t n, double coverage)
{
    return ceil((double)(n + 1) * coverage * (1 - 1e-12));
}

double volt_interval_quantile(const double *sorted, int64_t n, double coverage)
{
    double rank = rank_of(n, coverage);
    return rank > (double)n ? INFINITY : sorted[rank > 1 ? (int64_t)rank - 1 : 0];
}

volt_status volt_coverages_check(const double *coverages, int64_t count)
{
    VOLT_REQUIRE(count >= 0 && (count == 0 || coverages), VOLT_ERR_ARGUMENT,
                 "n_coverages must be at least 0, and 0 if coverages are NULL (got %" PRId64 ")", count);
    for (int64_t c = 0; c < count; c++)
        VOLT_REQUIRE(coverages[c] > 0 && coverages[c] < 1, VOLT_ERR_ARGUMENT,
                     "the coverage of an interval must be between 0 and 1, such as 0.9 (got %g)", coverages[c]);
    return VOLT_OK;
}

static volt_status check_half_widths(const volt_model *model, const double *coverages, int64_t count,
                                     volt_matrix half)
{
    VOLT_REQUIRE(model && coverages && count > 0, VOLT_ERR_ARGUMENT,
                 "the model or the coverages are NULL or empty");
    VOLT_TRY(volt_model_require_single(model, "an interval from the training errors"));
    VOLT_TRY(volt_check_output(half, count, model->q, "the half-widths"));
    VOLT_TRY(volt_coverages_check(coverages, count));
    VOLT_TRY(volt_model_require_squares(model, "an interval from the training errors"));
    VOLT_REQUIRE(model->errors.lists[VOLT_ERRORS_FAR].rows > 0, VOLT_ERR_ARGUMENT,
                 "the model has no training errors for intervals: fit it again, with a "
                 "kernel that is not centred or with an intercept");
    return VOLT_OK;
}

/* The half-width from n sorted absolute errors: an order statistic (conformal), or, with fewer errors than it needs, the
 * larger of the largest error and the half-width for normal errors, as in forecasts of series. */
static double half_width(const double *scores, int64_t n, double coverage)
{
    double squares = 0;
    if (rank_of(n, coverage) <= (double)n)
        return volt_interval_quantile(scores, n, coverage);
    for (int64_t i = 0; i < n; i++)
        squares += scores[i] * scores[i];
    return fmax(scores[n - 1], volt_error_quantile(coverage, (double)n) * sqrt(squares / (double)n));
}

/* Half-widths of output k, one per coverage. */
static volt_status find_halves(const volt_model *model, int64_t k, const double *coverages, int64_t count,
                               double *half)
{
    enum { MIN_ERRORS = 3 };
    double scores[VOLT_INTERVAL_SCORES];
    int64_t n = volt_error_scores(&model->errors, model->q, k, scores);
    VOLT_REQUIRE(n >= MIN_ERRORS, VOLT_ERR_DATA,
                 "an interval requires the errors of %d training rows, but output %" PRId64 " has %" PRId64,
                 MIN_ERRORS, k + 1, n);
    volt_sort(scores, n);
    for (int64_t c = 0; c < count; c++) {
        half[c] = model->target_scale[k] * half_width(scores, n, coverages[c]);
        VOLT_REQUIRE(isfinite(half[c]), VOLT_ERR_NOT_FINITE,
                     "the interval of output %" PRId64 " with coverage %g is not finite", k + 1, coverages[c]);
    }
    return VOLT_OK;
}

volt_status volt_model_interval(const volt_model *model, const double *coverages, int64_t count,
                                volt_matrix half)
{
    VOLT_TRY(check_half_widths(model, coverages, count, half));
    double *found = volt_alloc_doubles(model->q, count);
    volt_status status = found ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t k = 0; status == VOLT_OK && k < model->q; k++)
        status = find_halves(model, k, coverages, count, found + k * count);
    for (int64_t k = 0; status == VOLT_OK && k < model->q; k++)
        for (int64_t c = 0; c < count; c++)
            half.data[c * half.ld + k] = found[k * count + c];
    volt_free(found);
    return status;
}

int64_t volt_model_errors_read(const volt_model *model, volt_matrix out)
{
    if (!model)
        return 0;
    const volt_error_list *list = &model->errors.lists[VOLT_ERRORS_NEAR];
    for (int64_t i = 0; out.data && i < list->rows && i < out.rows; i++)
        for (int64_t k = 0; k < model->q; k++) {
            bool is_known = list->scale[i * model->q + k] > 0;
            out.data[i * out.ld + k] = is_known ? model->target_scale[k] * list->e[i * model->q + k] : NAN;
        }
    return list->rows;
}

/* ---- digest ------------------------------------------------------------------------------------- */

/* Digest of everything that determines predictions except the state. */

uint64_t volt_digest_numbers(uint64_t digest, const double *numbers, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int byte = 0; byte < 8; byte++)
            digest = volt_digest_byte(digest, (unsigned char)(bits >> (8 * byte)));
    }
    return digest;
}

static uint64_t digest_count(uint64_t digest, int64_t count)
{
    double number = (double)count;
    return volt_digest_numbers(digest, &number, 1);
}

static uint64_t digest_recipe(uint64_t digest, const volt_recipe *recipe)
{
    digest = digest_count(digest, recipe->inputs);
    digest = volt_digest_numbers(digest, recipe->fed_outputs.weight, recipe->fed_outputs.n);
    for (int64_t j = 0; !recipe->plain && j < volt_recipe_input_columns(recipe); j++) {
        const volt_column *column = &recipe->column[j];
        /* An unbounded range is saved as the largest numbers. */
        const double numbers[] = {(double)column->source,      (double)column->plus,
                                  (double)column->minus,       column->weight,
                                  fmax(column->low, -DBL_MAX), fmin(column->high, DBL_MAX)};
        digest = volt_digest_numbers(digest, numbers, sizeof numbers / sizeof *numbers);
    }
    return digest;
}

/* Of the members, weights and kind. */
static void digest_sum(const volt_members *sum, double *row, char text[VOLT_DIGEST_LENGTH])
{
    uint64_t digest = digest_count(volt_digest_start, (int64_t)sum->kind);
    digest = volt_digest_numbers(digest, sum->weights, sum->n);
    for (int64_t i = 0; i < sum->n; i++) {
        volt_model_digest(sum->models[i], row, text);
        for (const char *c = text; *c; c++)
            digest = volt_digest_byte(digest, (unsigned char)*c);
    }
    snprintf(text, VOLT_DIGEST_LENGTH, "%016" PRIx64, digest);
}

void volt_model_digest(const volt_model *model, double *row, char text[VOLT_DIGEST_LENGTH])
{
    int64_t n = model->n, d = model->d, q = model->q;
    uint64_t digest = volt_digest_start;
    if (model->sum) {
        digest_sum(model->sum, row, text);
        return;
    }
    const double sizes[] = {(double)n, (double)d, (double)q, model->resolved.facts.radius, model->input.scale};
    digest = volt_digest_numbers(digest, sizes, sizeof sizes / sizeof *sizes);
    for (const char *c = volt_kernel_text(model->kernel); *c; c++)
        digest = volt_digest_byte(digest, (unsigned char)*c);
    for (int64_t j = 0; j < n; j++) {
        volt_columns_row(model->columns, j, row);
        digest = volt_digest_numbers(digest, row, d);
    }
    digest = volt_digest_numbers(digest, model->coefficients, n * q);
    digest = volt_digest_numbers(digest, model->intercepts, q);
    digest = volt_digest_numbers(digest, model->input.shift, model->recipe.columns);
    digest = volt_digest_numbers(digest, model->target_mean, q);
    digest = volt_digest_numbers(digest, model->target_scale, q);
    for (int64_t k = 0; k < q; k++)
        digest = digest_count(digest, model->anchors[k]);
    digest = digest_recipe(digest, &model->recipe);
    for (int64_t r = 0; r < model->n_records; r++)
        digest = digest_count(digest, model->records[r]);
    if (model->initial != VOLT_INITIAL_ZERO) { /* zero is omitted: digests of older files stay valid */
        digest = digest_count(digest, model->past.kind);
        digest = volt_digest_numbers(digest, model->past.input, model->past.n);
    }
    snprintf(text, VOLT_DIGEST_LENGTH, "%016" PRIx64, digest);
}

static void sum_free(volt_members *sum)
{
    if (!sum)
        return;
    for (int64_t i = 0; i < sum->n; i++)
        volt_model_free(sum->models[i]);
    volt_free(sum->models);
    volt_free(sum->weights);
    volt_free(sum->text);
    volt_free(sum);
}

/* The loss of the model or of all members; NULL: squares. */
static const volt_loss *model_loss(const volt_model *model)
{
    return model->sum ? model_loss(model->sum->models[0]) : model->loss;
}

static bool same_records(const volt_model_info *a, const volt_model_info *b)
{
    return a->n_records == b->n_records &&
           (a->n_records == 0 ||
            memcmp(a->records, b->records, (size_t)a->n_records * sizeof *a->records) == 0);
}

/* Sets the members, and what they have in common. */
static void sum_get_info(const volt_members *sum, volt_model_info *info)
{
    for (int64_t i = 0; i < sum->n; i++) {
        volt_model_info member = {.struct_size = sizeof member};
        volt_model_get_info(sum->models[i], &member);
        if (i == 0) {
            info->notes = member.notes;
            info->records = member.records;
            info->n_records = member.n_records;
        }
        info->n = member.n > info->n ? member.n : info->n;
        info->washout = member.washout > info->washout ? member.washout : info->washout;
        notes_intersect(&member.notes, &info->notes);
        if (!same_records(info, &member)) {
            info->records = NULL;
            info->n_records = 0;
        }
    }
    info->members = (const volt_model *const *)sum->models;
    info->member_weights = sum->weights;
    info->n_members = sum->n;
    info->sum_kind = sum->kind;
}

/* ---- the model ---------------------------------------------------------------------------------- */

volt_status volt_model_allocate(int64_t n, int64_t d, int64_t q, volt_model **model)
{
    volt_model *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->n = n;
    fresh->d = d;
    fresh->q = q;
    fresh->recipe = (volt_recipe){.inputs = d, .columns = d, .plain = true};
    fresh->input.shift = volt_alloc_zero(d, sizeof(double));
    fresh->target_mean = volt_alloc_zero(q, sizeof(double));
    fresh->target_scale = volt_alloc_doubles(1, q);
    fresh->coefficients = volt_alloc_doubles(n, q);
    fresh->intercepts = volt_alloc_zero(q, sizeof(double));
    fresh->last_target = volt_alloc_zero(q, sizeof(double));
    fresh->alphas = volt_alloc_doubles(1, q);
    fresh->anchors = volt_alloc_zero(q, sizeof *fresh->anchors);
    fresh->shares = volt_alloc_doubles(1, q);
    fresh->report_numbers = volt_alloc_doubles(VOLT_REPORT_NUMBERS, q);
    if (!fresh->input.shift || !fresh->target_mean || !fresh->target_scale || !fresh->coefficients ||
        !fresh->intercepts || !fresh->last_target || !fresh->alphas || !fresh->anchors || !fresh->shares ||
        !fresh->report_numbers) {
        volt_model_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    for (int64_t k = 0; k < q; k++) {
        fresh->anchors[k] = -1;
        fresh->shares[k] = 1;
    }
    *model = fresh;
    return VOLT_OK;
}

volt_status volt_model_use_records(volt_model *model, const int64_t *lengths, int64_t n)
{
    volt_records records;
    VOLT_TRY(volt_records_make(lengths, n, model->n, &records));
    volt_status status = volt_resolved_split(&model->resolved, &records, 0);
    if (status == VOLT_OK && records.n > 0) {
        model->records = volt_alloc(n, sizeof *model->records);
        if (model->records) {
            memcpy(model->records, lengths, (size_t)n * sizeof *lengths);
            model->n_records = n;
        } else {
            status = VOLT_ERR_MEMORY;
        }
    }
    volt_records_release(&records);
    return status;
}

void volt_model_free(volt_model *model)
{
    if (!model || atomic_fetch_sub(&model->shared, 1) > 0)
        return;
    sum_free(model->sum);
    volt_state_free(model->end);
    volt_columns_free(model->columns);
    volt_columns_free(model->states);
    volt_free(model->states_readout);
    volt_resolved_release(&model->resolved);
    volt_kernel_free(model->kernel);
    volt_free(model->initial_values);
    volt_past_release(&model->past);
    volt_free(model->largest);
    volt_free(model->input.shift);
    volt_free(model->target_mean);
    volt_free(model->target_scale);
    volt_free(model->coefficients);
    volt_free(model->intercepts);
    volt_free(model->last_target);
    volt_free(model->pending);
    volt_free(model->input_range);
    volt_free(model->alphas);
    volt_free(model->anchors);
    volt_free(model->shares);
    volt_free(model->report_numbers);
    volt_names_free(model->input_names, model->recipe.inputs);
    volt_recent_release(&model->recent);
    volt_recipe_release(&model->recipe);
    volt_names_free(model->output_names, model->q);
    notes_release(&model->notes);
    volt_free(model->records);
    volt_free(model->trained.records);
    volt_errors_release(&model->errors);
    volt_loss_free(model->loss);
    volt_names_free(model->classes, model->n_classes);
    volt_stored_factors_release(&model->stored_factors);
    volt_free(model);
}

volt_status volt_model_pack(volt_model *model, volt_view Z, volt_progress progress)
{
    volt_stage stage; /* start of the Gram matrix; the solver adds its share */
    volt_stage_begin(&stage, progress, "gram", 0, 0, 1);
    VOLT_TRY(volt_columns_create(&model->resolved, Z, &stage, &model->columns));
    return volt_stage_should_continue(&stage) ? VOLT_OK : volt_stage_end(&stage);
}

volt_status volt_model_extend_range(volt_model *model, volt_view X)
{
    int64_t d = model->recipe.inputs;
    if (model->kind != VOLT_INPUT_LEVEL)
        return VOLT_OK;
    bool is_new = !model->input_range;
    if (is_new)
        model->input_range = volt_alloc_doubles(2, d);
    if (!model->input_range)
        return VOLT_ERR_MEMORY;
    double *low = model->input_range, *high = low + d;
    for (int64_t j = 0; is_new && j < d; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (int64_t i = 0; i < X.rows; i++)
        for (int64_t j = 0; j < d; j++) {
            low[j] = fmin(low[j], X.data[i * X.ld + j]);
            high[j] = fmax(high[j], X.data[i * X.ld + j]);
        }
    return VOLT_OK;
}

volt_status volt_model_check_inputs(const volt_model *model, volt_view X)
{
    VOLT_TRY(volt_check_shape(X, "the inputs"));
    VOLT_REQUIRE(X.cols == model->recipe.inputs, VOLT_ERR_SHAPE,
                 "the inputs have %" PRId64 " columns, but the model takes %" PRId64, X.cols,
                 model->recipe.inputs);
    return VOLT_OK;
}

int64_t volt_model_fitted_rows(const volt_model *model)
{
    const volt_trained *trained = &model->trained;
    return trained->landmarks > 0 ? trained->rows - trained->washout : model->n - model->washout;
}

volt_status volt_model_get_info(const volt_model *model, volt_model_info *info)
{
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    volt_model_info now = {
        .struct_size = sizeof(volt_model_info),
        .n = model->n,
        .d = model->recipe.inputs,
        .q = model->q,
        .kernel = volt_model_text(model),
        .facts = model->sum ? NULL : &model->resolved.facts,
        .alpha = model->alphas[0],
        .rcond = model->rcond,
        .washout = model->washout,
        .ahead = model->ahead,
        .intercept = model->intercept,
        .scaled = model->scaled,
        .feedback = model->feedback,
        .input_names = (const char *const *)model->input_names,
        .output_names = (const char *const *)model->output_names,
        .coefficients = model->coefficients,
        .intercepts = model->intercepts,
        .input_shift = model->input.shift,
        .input_scale = model->input.scale,
        .target_mean = model->target_mean,
        .target_scale = model->target_scale,
        .columns = model->recipe.columns,
        .season = model->season,
        .input = model->kind,
        .anchors = model->anchors,
        .alphas = model->alphas,
        .report = model->has_report ? &model->report : NULL,
        .notes = model->notes,
        .records = model->records,
        .n_records = model->n_records,
        .feedback_weight = volt_model_feedback_weight(model),
        .loss = model_loss(model) ? model_loss(model)->text : NULL,
        .objective = model->objective,
        .duality_gap = model->gap,
        .tolerance = model->tolerance,
        .classes = (const char *const *)model->classes,
        .n_classes = model->n_classes,
        .keeps_factor = model->stored_factors.of != NULL,
        .kernel_rows = model->n,
        .pending = volt_model_pending(model),
        .expansion_inputs = model->recipe.inputs + model->recipe.fed_outputs.n,
        .initial = model->initial,
        .initial_values = model->initial_values,
        .scale_each = model->scale_each,
        .library = model->library[0] ? model->library : volt_version(),
    };
    if (model->sum)
        sum_get_info(model->sum, &now);
    volt_notes_get_times(&now.notes, model->ahead, &now.times); /* valid: checked by fit and load */
    if (model->trained.landmarks > 0) {
        now.n = model->trained.rows;
        now.washout = model->trained.washout;
        now.records = model->trained.records;
        now.n_records = model->trained.n_records;
        now.landmarks = model->trained.landmarks;
    }
    return volt_result_copy(info, &now, sizeof now, "volt_model_info");
}

/* ---- inputs and outputs ----------------------------------------------------------------------- */

volt_predict_options volt_predict_options_default(void)
{
    volt_predict_options options = {
        .struct_size = sizeof(volt_predict_options), .start = VOLT_START_CONTINUE, .beyond = VOLT_BEYOND_CLIP};
    return options;
}

volt_status volt_model_check_start(const volt_model *model, volt_start start)
{
    VOLT_REQUIRE(start == VOLT_START_CONTINUE || start == VOLT_START_RESET, VOLT_ERR_ARGUMENT,
                 "the start must be VOLT_START_CONTINUE (%d) or VOLT_START_RESET (%d), got %d",
                 (int)VOLT_START_CONTINUE, (int)VOLT_START_RESET, (int)start);
    VOLT_REQUIRE(start == VOLT_START_RESET || !model->ends_without_target, VOLT_ERR_ARGUMENT,
                 "the last training row has no target: start by reset");
    return VOLT_OK;
}

volt_status volt_beyond_check(volt_beyond beyond)
{
    VOLT_REQUIRE(beyond >= VOLT_BEYOND_CLIP && beyond <= VOLT_BEYOND_ALLOW, VOLT_ERR_ARGUMENT,
                 "beyond must be one of volt_beyond, 0 to %d (got %d)", (int)VOLT_BEYOND_ALLOW, (int)beyond);
    return VOLT_OK;
}

static volt_status refuse_beyond(double radius, int64_t row, double norm, double kept)
{
    if (kept >= 1)
        return volt_fail(VOLT_ERR_DOMAIN,
                         "input row %" PRId64 " has scaled norm %.6g (largest in training: %.6g), and "
                         "lambda^2 kappa would reach %.6g there; it must stay below 1",
                         row + 1, norm, radius, kept);
    return volt_fail(VOLT_ERR_DOMAIN,
                     "input row %" PRId64 " has scaled norm %.6g, beyond the largest of training, %.6g",
                     row + 1, norm, radius);
}

/* For a row that the recipe clips. */
static volt_status refuse_range(int64_t row)
{
    return volt_fail(VOLT_ERR_DOMAIN,
                     "input row %" PRId64 " is outside the range of the training inputs or of their changes",
                     row + 1);
}

/* Applies the policy to one slice of the scaled and filtered row. *counted: it was outside its ball. */
static volt_status take_slice(const volt_model *model, int64_t s, volt_beyond policy, int64_t row, double *z,
                              bool *counted)
{
    int64_t d = model->recipe.columns;
    double norm = volt_row_norm(z, d), radius = volt_slice_radius(&model->resolved, s);
    VOLT_REQUIRE(isfinite(norm * norm), VOLT_ERR_NOT_FINITE,
                 "input row %" PRId64 " contains a value that is not finite or too large", row + 1);
    if (volt_is_within(norm, radius, d))
        return VOLT_OK;
    if (policy == VOLT_BEYOND_ERROR)
        return refuse_beyond(radius, row, norm, 0);
    double kept = volt_slice_gain(&model->resolved, s, norm);
    if (policy == VOLT_BEYOND_ALLOW) {
        if (!(kept < 1))
            return refuse_beyond(radius, row, norm, kept);
        *counted = true;
    } else if (kept >= 0) { /* a kernel that accepts any input has no limit to clip to */
        for (int64_t k = 0; k < d; k++)
            z[k] *= radius / norm;
        *counted = true;
    }
    return VOLT_OK;
}

static volt_status take_slices(const volt_model *model, volt_beyond policy, int64_t row, double *z,
                               bool *counted)
{
    for (int64_t s = 0; s < model->d / model->recipe.columns; s++)
        VOLT_TRY(take_slice(model, s, policy, row, z + s * model->recipe.columns, counted));
    return VOLT_OK;
}

volt_status volt_model_take_input(const volt_model *model, volt_recent *recent, const double *x,
                                  volt_beyond policy, int64_t row, double *z, int64_t *beyond)
{
    const volt_recipe *recipe = &model->recipe;
    volt_recipe_row(recipe, recent, x, z);
    for (int64_t j = 0; j < recipe->columns; j++) /* before clipping */
        VOLT_REQUIRE(isfinite(z[j]), VOLT_ERR_NOT_FINITE,
                     "input row %" PRId64 " contains a value that is not finite or too large", row + 1);
    bool counted = policy != VOLT_BEYOND_ALLOW && volt_recipe_clip(recipe, z);
    if (counted && policy == VOLT_BEYOND_ERROR)
        return refuse_range(row);
    volt_input_scale_row(&model->input, recipe->columns, z, z);
    volt_recent_filter(recipe, recent, z);
    volt_status status = take_slices(model, policy, row, z, &counted);
    if (status != VOLT_OK)
        volt_recent_unfilter(recipe, recent);
    else
        *beyond += counted;
    return status;
}

volt_status volt_model_finish_output(const volt_model *model, int64_t row, const double *x, double *v)
{
    for (int64_t k = 0; k < model->q; k++)
        v[k] += model->intercepts[k];
    return volt_model_unscale_output(model, row, x, v);
}

volt_status volt_model_check_output(const volt_model *model, int64_t row, const double *v)
{
    for (int64_t k = 0; k < model->q; k++)
        VOLT_REQUIRE(isfinite(v[k]), VOLT_ERR_NOT_FINITE,
                     "output %" PRId64 " of row %" PRId64 " is too large for a double", k + 1, row + 1);
    return VOLT_OK;
}

volt_status volt_model_record_pending(volt_model *model, volt_view rows)
{
    int64_t d = model->recipe.inputs;
    if (rows.rows == 0 || model->feedback) /* with feedback the last target is that row */
        return VOLT_OK;
    VOLT_REQUIRE(rows.data && rows.rows > 0 && rows.cols == d && rows.ld >= d, VOLT_ERR_SHAPE,
                 "the pending inputs must have %" PRId64 " columns, as X (got %" PRId64 " x %" PRId64 ")", d,
                 rows.rows, rows.cols);
    for (int64_t i = 0; i < rows.rows; i++)
        for (int64_t k = 0; k < d; k++)
            VOLT_REQUIRE(isfinite(rows.data[i * rows.ld + k]), VOLT_ERR_NOT_FINITE,
                         "pending input %" PRId64 " of row %" PRId64 " is not finite", k + 1, i + 1);
    model->pending = volt_alloc_doubles(rows.rows, d);
    if (!model->pending)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < rows.rows; i++)
        memcpy(model->pending + i * d, rows.data + i * rows.ld, (size_t)d * sizeof(double));
    model->n_pending = rows.rows;
    return VOLT_OK;
}

volt_view volt_model_pending(const volt_model *model)
{
    if (model->sum)
        return volt_model_pending(model->sum->models[0]);
    if (model->feedback && !model->no_last_target)
        return volt_view_of(model->last_target, 1, model->q);
    return volt_view_of(model->pending, model->n_pending, model->recipe.inputs);
}

volt_status volt_model_unscale_output(const volt_model *model, int64_t row, const double *x, double *v)
{
    for (int64_t k = 0; k < model->q; k++) {
        int64_t anchor = model->anchors[k];
        v[k] = model->target_mean[k] + model->target_scale[k] * v[k];
        if (anchor >= 0)
            v[k] += x[anchor];
    }
    if (model->loss)
        volt_loss_link(model->loss, model->q, v);
    return volt_model_check_output(model, row, v);
}

/* ---- coefficients of rows, or of states -------------------------------------------------------- */

volt_model_reader volt_model_reader_of(const volt_model *model)
{
    if (model->states)
        return (volt_model_reader){model->states, model->states_readout};
    return (volt_model_reader){model->columns, model->coefficients};
}

volt_status volt_readout_allocate(volt_model *model)
{
    int64_t count = volt_states_count(&model->resolved);
    if (count == 0)
        return VOLT_OK;
    model->states_readout = volt_alloc_doubles(count, model->q);
    return model->states_readout ? volt_states_columns(&model->resolved, &model->states) : VOLT_ERR_MEMORY;
}

int64_t volt_readout_state_length(const volt_model *model)
{
    return model->states ? volt_states_length(&model->resolved)
                         : volt_state_length_for(&model->resolved, model->n);
}

/* ---- sums --------------------------------------------------------------------------------------- */

/* A model that is a weighted sum of models, f = sum_i w_i f_i.
 *
 * Models never change, so a sum shares its members and counts their owners. */

const char *const volt_sum_words[2] = {[VOLT_SUM_AVERAGE] = "average", [VOLT_SUM_RESIDUAL] = "residual"};

/* ---- members ---------------------------------------------------------------------------------- */

const char *volt_model_text(const volt_model *model)
{
    return model->sum ? model->sum->text : volt_kernel_text(model->kernel);
}

volt_status volt_model_require_squares(const volt_model *model, const char *operation)
{
    const volt_loss *loss = model_loss(model);
    bool weights = loss && loss->kind == &volt_loss_squares;
    VOLT_REQUIRE(!loss, VOLT_ERR_ARGUMENT, "%s requires a fit with squares and without weights (it has %s%s)",
                 operation, weights ? "weights" : "the loss ", weights ? "" : loss->text);
    return VOLT_OK;
}

double volt_model_feedback_weight(const volt_model *model)
{
    double weight = model->recipe.fed_outputs.n > 0 ? model->recipe.fed_outputs.omega : 0;
    for (int64_t i = 0; model->sum && i < model->sum->n; i++)
        weight = fmax(weight, volt_model_feedback_weight(model->sum->models[i]));
    return weight;
}

volt_status volt_model_require_single(const volt_model *model, const char *operation)
{
    VOLT_REQUIRE(!model || !model->sum, VOLT_ERR_ARGUMENT,
                 "%s is not supported for a sum of models (this one has %" PRId64 " members)", operation,
                 model->sum->n);
    return VOLT_OK;
}

void volt_sum_add(double weight, const double *from, int64_t count, bool first, double *to)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = first ? weight * from[k] : to[k] + weight * from[k];
}

/* ---- facts ------------------------------------------------------------------------------------ */

/* ---- checks ----------------------------------------------------------------------------------- */

/* NULL lists are equal to any. */
static bool same_names(char *const *a, char *const *b, int64_t count)
{
    for (int64_t i = 0; a && b && i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static bool same_rows(volt_view a, volt_view b)
{
    bool same = a.rows == b.rows && (a.rows == 0 || a.cols == b.cols);
    for (int64_t i = 0; same && i < a.rows; i++)
        same = memcmp(a.data + i * a.ld, b.data + i * b.ld, (size_t)a.cols * sizeof(double)) == 0;
    return same;
}

/* Compares the loss of a member with that of the first one. */
static volt_status check_loss(const volt_model *first, const volt_model *model, volt_sum_kind kind)
{
    const volt_loss *a = model_loss(first), *b = model_loss(model);
    if (kind != VOLT_SUM_AVERAGE)
        VOLT_TRY(volt_model_require_squares(a ? first : model, "a member fitted on residuals"));
    VOLT_REQUIRE(!a == !b && (!a || strcmp(a->text, b->text) == 0), VOLT_ERR_ARGUMENT,
                 "the loss is %s, but that of the first member is %s", b ? b->text : "squares",
                 a ? a->text : "squares");
    VOLT_REQUIRE(first->n_classes == model->n_classes &&
                     same_names(first->classes, model->classes, model->n_classes),
                 VOLT_ERR_ARGUMENT, "the classes are not those of the first member");
    return VOLT_OK;
}

/* Compares a member with the first one. */
static volt_status check_member(const volt_model *first, const volt_model *model, volt_sum_kind kind)
{
    VOLT_REQUIRE(model->recipe.inputs == first->recipe.inputs && model->q == first->q, VOLT_ERR_SHAPE,
                 "it has %" PRId64 " inputs and %" PRId64 " outputs, but the first member has %" PRId64
                 " and %" PRId64,
                 model->recipe.inputs, model->q, first->recipe.inputs, first->q);
    VOLT_REQUIRE(same_names(first->input_names, model->input_names, model->recipe.inputs), VOLT_ERR_ARGUMENT,
                 "the names of its inputs are not those of the first member");
    VOLT_REQUIRE(kind == VOLT_SUM_RESIDUAL || same_names(first->output_names, model->output_names, model->q),
                 VOLT_ERR_ARGUMENT, "the names of its outputs are not those of the first member");
    VOLT_REQUIRE(model->ahead == first->ahead, VOLT_ERR_ARGUMENT,
                 "it predicts %" PRId64 " rows ahead, but the first member %" PRId64, model->ahead,
                 first->ahead);
    VOLT_REQUIRE(same_rows(volt_model_pending(model), volt_model_pending(first)), VOLT_ERR_ARGUMENT,
                 "its inputs after the last training row are not those of the first member");
    VOLT_REQUIRE(!model->sum || model->sum->depth < VOLT_SUM_DEPTH, VOLT_ERR_ARGUMENT,
                 "sums of sums must have at most %d levels", VOLT_SUM_DEPTH);
    return check_loss(first, model, kind);
}

static volt_status check_members(const volt_model *const *models, const double *weights, int64_t count,
                                 volt_sum_kind kind)
{
    VOLT_REQUIRE(count >= 1 && count <= VOLT_SUM_MEMBERS, VOLT_ERR_ARGUMENT,
                 "the number of members must be 1 to %d (got %" PRId64 ")", VOLT_SUM_MEMBERS, count);
    VOLT_REQUIRE(kind == VOLT_SUM_AVERAGE || kind == VOLT_SUM_RESIDUAL, VOLT_ERR_ARGUMENT,
                 "the kind must be VOLT_SUM_AVERAGE (%d) or VOLT_SUM_RESIDUAL (%d), got %d",
                 (int)VOLT_SUM_AVERAGE, (int)VOLT_SUM_RESIDUAL, (int)kind);
    for (int64_t i = 0; i < count; i++) {
        VOLT_REQUIRE(models[i], VOLT_ERR_ARGUMENT, "member %" PRId64 " is NULL", i + 1);
        VOLT_REQUIRE(!weights || isfinite(weights[i]), VOLT_ERR_NOT_FINITE,
                     "the weight of member %" PRId64 " is not finite", i + 1);
        volt_status status = check_member(models[0], models[i], kind);
        if (status != VOLT_OK)
            return volt_fail_prefix(status, "member %" PRId64, i + 1);
    }
    return VOLT_OK;
}

/* ---- creation --------------------------------------------------------------------------------- */

/* "sum of 2 models: 0.5 [volterra:lift=rbf], 0.5 [fir]", which is not a kernel text. */
static char *describe(const volt_members *sum)
{
    volt_text_buffer text = {0};
    char number[VOLT_NUMBER_LENGTH];
    volt_text_put(&text, sum->kind == VOLT_SUM_AVERAGE ? "sum of " : "residual sum of ");
    volt_text_put(&text, volt_format_number((double)sum->n, number));
    for (int64_t i = 0; i < sum->n; i++) {
        volt_text_put(&text, i == 0 ? " models: " : ", ");
        volt_text_put(&text, volt_format_number(sum->weights[i], number));
        volt_text_put(&text, " [");
        volt_text_put(&text, volt_model_text(sum->models[i]));
        volt_text_put(&text, "]");
    }
    if (!text.failed)
        return text.bytes;
    volt_free(text.bytes);
    return NULL;
}

static volt_status make_sum(const volt_model *const *models, const double *weights, int64_t count,
                            volt_sum_kind kind, volt_members *sum)
{
    sum->kind = kind;
    sum->depth = 1;
    sum->models = volt_alloc_zero(count, sizeof *sum->models);
    sum->weights = volt_alloc_doubles(count, 1);
    if (!sum->models || !sum->weights)
        return VOLT_ERR_MEMORY;
    for (sum->n = 0; sum->n < count; sum->n++) {
        volt_model *member = (volt_model *)models[sum->n]; /* only its count of owners changes */
        atomic_fetch_add(&member->shared, 1);
        sum->models[sum->n] = member;
        sum->weights[sum->n] = weights ? weights[sum->n] : kind == VOLT_SUM_AVERAGE ? 1 / (double)count : 1;
        if (member->sum && member->sum->depth >= sum->depth)
            sum->depth = member->sum->depth + 1;
    }
    sum->text = describe(sum);
    return sum->text ? VOLT_OK : VOLT_ERR_MEMORY;
}

/* Names, sizes and values that a sum has in place of those of a fit. */
static volt_status fill_model(const volt_members *sum, volt_model *model)
{
    const volt_model *named = sum->models[0], *first = sum->models[0];
    int64_t inputs = first->recipe.inputs;
    model->recipe.inputs = model->recipe.columns = inputs;
    model->ahead = first->ahead;
    model->rcond = NAN;
    model->input.scale = 1;
    for (int64_t k = 0; k < model->q; k++) {
        model->target_scale[k] = 1;
        model->alphas[k] = NAN;
    }
    for (int64_t i = 0; i < sum->n && !named->input_names; i++)
        named = sum->models[i];
    VOLT_TRY(volt_names_copy((const char *const *)named->input_names, inputs, &model->input_names));
    model->n_classes = first->n_classes;
    VOLT_TRY(volt_names_copy((const char *const *)first->classes, first->n_classes, &model->classes));
    return volt_names_copy((const char *const *)first->output_names, model->q, &model->output_names);
}

volt_status volt_model_sum(const volt_model *const *models, const double *weights, int64_t count,
                           volt_sum_kind kind, volt_model **sum)
{
    VOLT_REQUIRE(models && sum, VOLT_ERR_ARGUMENT, "the models or the output for their sum is NULL");
    VOLT_TRY(check_members(models, weights, count, kind));
    int64_t widest = models[0]->recipe.inputs;
    for (int64_t i = 0; i < count; i++)
        widest = models[i]->d > widest ? models[i]->d : widest;
    volt_model *fresh = NULL;
    VOLT_TRY(volt_model_allocate(0, widest, models[0]->q, &fresh));
    fresh->sum = volt_alloc_zero(1, sizeof *fresh->sum);
    volt_status status = fresh->sum ? make_sum(models, weights, count, kind, fresh->sum) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = fill_model(fresh->sum, fresh);
    if (status == VOLT_OK)
        *sum = fresh;
    else
        volt_model_free(fresh);
    return status;
}
