/* src/task/pairing.c: pairs input rows and target rows of a sequence, and rows of several tables. */
#include "base/error.h"
#include "base/memory.h"
#include "io/table/table.h"
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "solve/loss/loss.h"
#include "text/text.h"
#include "volterra/task.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pairing and its memory. */
typedef struct owned_pairing {
    volt_pairing pairing; /* first: the public part */
    int64_t *lengths, *rows, *anchors;
    double *inputs, *targets, *numbers;
    char **names; /* one block */
    const char **classes;
    char *loss;
} owned_pairing;

volt_pairing_options volt_pairing_options_default(void)
{
    return (volt_pairing_options){
        .struct_size = sizeof(volt_pairing_options), .ahead = VOLT_AHEAD_AUTO, .first_ahead = VOLT_AHEAD_AUTO};
}

/* ---- options ---------------------------------------------------------------------------------- */

static volt_status choose_horizons(volt_view X, bool has_targets, const volt_pairing_options *options,
                                   volt_pairing *pairing)
{
    int64_t ahead = options->ahead == VOLT_AHEAD_AUTO ? (has_targets ? 0 : 1) : options->ahead;
    int64_t first = options->first_ahead == VOLT_AHEAD_AUTO ? ahead : options->first_ahead;
    VOLT_REQUIRE(ahead >= 0, VOLT_ERR_ARGUMENT, "ahead must be at least 0 (got %lld)", (long long)ahead);
    VOLT_REQUIRE(first == ahead || (first >= 1 && first < ahead), VOLT_ERR_ARGUMENT,
                 "a range of ahead must have 1 <= first <= last (got %lld to %lld)", (long long)first,
                 (long long)ahead);
    VOLT_REQUIRE(has_targets || first > 0, VOLT_ERR_ARGUMENT,
                 "ahead must be at least 1 without targets (got 0)");
    VOLT_REQUIRE(ahead < X.rows, X.rows == 1 ? VOLT_ERR_DATA : VOLT_ERR_ARGUMENT,
                 "ahead must be less than the %lld row%s (got %lld)", (long long)X.rows, X.rows == 1 ? "" : "s",
                 (long long)ahead);
    pairing->first_ahead = first;
    pairing->ahead = ahead;
    pairing->gap = ahead > 1 ? ahead - 1 : 0;
    return VOLT_OK;
}

/* Fed-back outputs must be separate targets, known one row later. */
static volt_status check_fed_outputs(bool has_targets, const volt_pairing_options *options, int64_t ahead)
{
    VOLT_REQUIRE(
        !options->fed_outputs || has_targets, VOLT_ERR_ARGUMENT,
        "feedback requires y, targets separate from the inputs; a series without y is continued by continue");
    VOLT_REQUIRE(!options->fed_outputs || ahead == 0, VOLT_ERR_ARGUMENT,
                 "ahead must be 0 with feedback: the target of the row before must be known (got %lld)",
                 (long long)ahead);
    return VOLT_OK;
}

static volt_status check_records(volt_view X, const volt_pairing_options *options, int64_t ahead)
{
    int64_t rows = 0;
    for (int64_t r = 0; r < options->n_records; r++) {
        int64_t length = options->records[r];
        char name[64];
        if (options->record_names)
            snprintf(name, sizeof name, "'%.56s'", options->record_names[r]);
        else
            snprintf(name, sizeof name, "%lld", (long long)r);
        VOLT_REQUIRE(length > ahead, VOLT_ERR_DATA,
                     "record %s has %lld row%s; a target %lld ahead requires at least %lld", name,
                     (long long)length, length == 1 ? "" : "s", (long long)ahead, (long long)ahead + 1);
        VOLT_REQUIRE(length <= X.rows - rows, VOLT_ERR_SHAPE,
                     "record %s has %lld rows, but only %lld of the %lld rows of X are left", name,
                     (long long)length, (long long)(X.rows - rows), (long long)X.rows);
        rows += length;
    }
    VOLT_REQUIRE(options->n_records == 0 || rows == X.rows, VOLT_ERR_SHAPE,
                 "the records have %lld rows in total, but X has %lld", (long long)rows, (long long)X.rows);
    return VOLT_OK;
}

/* ---- classes ---------------------------------------------------------------------------------- */

/* The distinct labels of n rows, and the index of each row's label. */
static volt_status number_labels(const char *const *labels, int64_t n, owned_pairing *self)
{
    volt_pairing *pairing = &self->pairing;
    int64_t *numbers = volt_alloc(n, sizeof *numbers);
    self->classes = volt_alloc(n, sizeof *self->classes);
    self->numbers = volt_alloc_doubles(n, 1);
    volt_status status = numbers && self->classes && self->numbers
                             ? volt_texts_number(labels, n, self->classes, &pairing->n_classes, numbers)
                             : VOLT_ERR_MEMORY;
    for (int64_t i = 0; !status && i < n; i++)
        self->numbers[i] = (double)numbers[i];
    volt_free(numbers);
    VOLT_TRY(status);
    VOLT_REQUIRE(pairing->n_classes >= 2, VOLT_ERR_DATA,
                 "at least two classes are required (all rows have class '%.60s')", labels[0]);
    pairing->classes = self->classes;
    return VOLT_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Copies the fitted rows of every record, starting `later` rows after its first, record by record. */
static double *join_records(const volt_pairing_options *options, const int64_t *lengths, volt_view rows,
                            int64_t later, int64_t count)
{
    double *joined = volt_alloc_doubles(count, rows.cols);
    for (int64_t r = 0, to = 0, from = 0; joined && r < options->n_records; from += options->records[r++])
        for (int64_t i = 0; i < lengths[r]; i++, to++)
            memcpy(joined + to * rows.cols, rows.data + (from + later + i) * rows.ld,
                   (size_t)rows.cols * sizeof(double));
    return joined;
}

/* Every column of the series at every horizon, as columns. */
static double *spread_horizons(const volt_pairing_options *options, const owned_pairing *self, volt_view series)
{
    int64_t first = self->pairing.first_ahead, horizons = self->pairing.ahead - first + 1;
    int64_t rows = self->pairing.inputs.rows, outputs = series.cols * horizons;
    double *spread = volt_alloc_doubles(rows, outputs);
    for (int64_t r = 0, to = 0, from = 0; spread && to < rows; r++) {
        int64_t count = self->lengths ? self->lengths[r] : rows;
        for (int64_t i = 0; i < count; i++, to++)
            for (int64_t k = 0; k < series.cols; k++)
                for (int64_t h = 0; h < horizons; h++)
                    spread[to * outputs + k * horizons + h] =
                        series.data[(from + i + first + h) * series.ld + k];
        from += options->n_records > 0 ? options->records[r] : 0;
    }
    return spread;
}

/* Number of rows with a missing value. */
static int64_t count_missing(volt_view Y)
{
    int64_t count = 0;
    for (int64_t i = 0; i < Y.rows; i++) {
        bool missing = false;
        for (int64_t k = 0; k < Y.cols; k++)
            missing |= isnan(Y.data[i * Y.ld + k]) != 0;
        count += missing;
    }
    return count;
}

static volt_status take_rows(volt_view X, volt_view series, const volt_pairing_options *options,
                             owned_pairing *self)
{
    volt_pairing *pairing = &self->pairing;
    int64_t ahead = pairing->ahead, count = X.rows - ahead;
    pairing->series = series;
    pairing->inputs = volt_view_rows(X, 0, count);
    pairing->pending = volt_view_rows(X, count, ahead);
    for (int64_t i = 0; i < ahead * X.cols; i++)
        if (!isfinite(X.data[(count + i / X.cols) * X.ld + i % X.cols]))
            pairing->pending = volt_view_of(NULL, 0, X.cols);
    pairing->targets = volt_view_rows(series, ahead, count);
    if (options->n_records > 0) {
        count = X.rows - options->n_records * ahead;
        self->lengths = volt_alloc(options->n_records, sizeof *self->lengths);
        self->rows = volt_alloc(count, sizeof *self->rows);
        if (!self->lengths || !self->rows)
            return VOLT_ERR_MEMORY;
        for (int64_t r = 0, to = 0; r < options->n_records; r++) {
            self->lengths[r] = options->records[r] - ahead;
            for (int64_t i = 0; i < self->lengths[r]; i++, to++)
                self->rows[to] = to + r * ahead;
        }
        self->inputs = join_records(options, self->lengths, X, 0, count);
        self->targets = join_records(options, self->lengths, series, ahead, count);
        if (!self->inputs || !self->targets)
            return VOLT_ERR_MEMORY;
        pairing->inputs = volt_view_of(self->inputs, count, X.cols);
        pairing->targets = volt_view_of(self->targets, count, series.cols);
        pairing->rows = self->rows;
        pairing->records = self->lengths;
        pairing->n_records = options->n_records;
    }
    return VOLT_OK;
}

/* ---- relations -------------------------------------------------------------------------------- */

static bool same_names(const char *const *first, const char *const *second, int64_t count)
{
    if (!first || !second)
        return false;
    for (int64_t j = 0; j < count; j++)
        if (strcmp(first[j], second[j]) != 0)
            return false;
    return true;
}

/* Whether every target is the next input of its record. */
static bool numbers_feed_back(const volt_pairing *pairing)
{
    volt_view inputs = pairing->inputs, targets = pairing->targets;
    int64_t pairs = 0;
    for (int64_t r = 0, first = 0; first < inputs.rows; r++) {
        int64_t count = pairing->records ? pairing->records[r] : inputs.rows;
        for (int64_t i = first; i + 1 < first + count; i++, pairs++)
            for (int64_t j = 0; j < inputs.cols; j++)
                if (targets.data[i * targets.ld + j] != inputs.data[(i + 1) * inputs.ld + j])
                    return false;
        first += count;
    }
    return pairs > 0;
}

/* Whether the outputs are the inputs one step later, by their names or their numbers. False for levels and
 * classes. */
static bool can_feed_back(const volt_pairing *pairing, const volt_pairing_options *options)
{
    if (pairing->inputs.cols != pairing->targets.cols || pairing->outputs != pairing->targets.cols ||
        options->fed_outputs)
        return false;
    return (pairing->ahead == 1 &&
            same_names(options->input_names, options->target_names, pairing->inputs.cols)) ||
           numbers_feed_back(pairing);
}

/* The input that column k of the series equals row by row; -1: none. */
static int64_t find_anchor(volt_view X, volt_view series, int64_t k)
{
    for (int64_t j = 0; j < X.cols; j++) {
        int64_t i = 0;
        while (i < X.rows && X.data[i * X.ld + j] == series.data[i * series.ld + k])
            i++;
        if (i == X.rows)
            return j;
    }
    return -1;
}

static volt_status refuse_target(const volt_pairing_options *options, int64_t target, int64_t input)
{
    char name[64];
    if (options->target_names)
        snprintf(name, sizeof name, "'%.56s'", options->target_names[target]);
    else
        snprintf(name, sizeof name, "%lld", (long long)target);
    return volt_fail(VOLT_ERR_ARGUMENT,
                     "target %s is also input %lld of the same row: use ahead of at least 1, remove it from "
                     "the inputs, or allow a target in the inputs",
                     name, (long long)input);
}

static volt_status find_anchors(volt_view X, volt_view series, bool has_targets,
                                const volt_pairing_options *options, owned_pairing *self)
{
    int64_t ahead = self->pairing.ahead, horizons = ahead - self->pairing.first_ahead + 1;
    bool all = ahead > 0;
    self->anchors = volt_alloc(series.cols * horizons, sizeof *self->anchors);
    if (!self->anchors)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < series.cols; k++) {
        int64_t anchor = has_targets ? find_anchor(X, series, k) : k;
        if (anchor >= 0 && ahead == 0 && series.rows > 1 && !options->allow_target_in_inputs)
            return refuse_target(options, k, anchor);
        for (int64_t h = 0; h < horizons; h++)
            self->anchors[k * horizons + h] = anchor;
        all = all && anchor >= 0;
    }
    self->pairing.anchors = all ? self->anchors : NULL;
    return VOLT_OK;
}

/* NAME+H of every column and horizon. */
static char **spread_names(const char *const *names, int64_t cols, int64_t first, int64_t horizons)
{
    enum { NUMBER_LENGTH = 24 };
    size_t longest = NUMBER_LENGTH, outputs = (size_t)(cols * horizons);
    for (int64_t k = 0; names && k < cols; k++)
        longest = strlen(names[k]) > longest ? strlen(names[k]) : longest;
    size_t each = longest + NUMBER_LENGTH;
    char **spread = volt_alloc((int64_t)outputs, sizeof *spread + each);
    char *text = spread ? (char *)(spread + outputs) : NULL;
    for (int64_t i = 0; spread && i < cols * horizons; i++, text += each) {
        char number[NUMBER_LENGTH];
        snprintf(number, sizeof number, "y%lld", (long long)(i / horizons) + 1);
        snprintf(text, each, "%s+%lld", names ? names[i / horizons] : number, (long long)first + i % horizons);
        spread[i] = text;
    }
    return spread;
}

/* ---- public functions ------------------------------------------------------------------------- */

/* Creates the target columns of every horizon. */
static volt_status spread(volt_view series, const volt_pairing_options *options, owned_pairing *self)
{
    volt_pairing *pairing = &self->pairing;
    int64_t horizons = pairing->ahead - pairing->first_ahead + 1;
    double *targets = spread_horizons(options, self, series);
    self->names = spread_names(options->target_names, series.cols, pairing->first_ahead, horizons);
    volt_free(self->targets);
    self->targets = targets;
    if (!targets || !self->names)
        return VOLT_ERR_MEMORY;
    pairing->targets = volt_view_of(targets, pairing->inputs.rows, series.cols * horizons);
    pairing->output_names = (const char *const *)self->names;
    return VOLT_OK;
}

static volt_status count_outputs(const volt_pairing_options *options, volt_pairing *pairing)
{
    volt_loss *loss = NULL;
    if (options->loss)
        VOLT_TRY(volt_loss_parse(options->loss, &loss));
    if (!pairing->classes)
        pairing->n_classes = options->n_classes;
    pairing->outputs = volt_loss_outputs(loss, pairing->targets.cols, pairing->n_classes);
    bool needs_classes = loss && loss->kind->info.classes;
    volt_loss_free(loss);
    VOLT_REQUIRE(!pairing->classes || needs_classes, VOLT_ERR_ARGUMENT,
                 "labels require a classification loss (got %s)", options->loss ? options->loss : "squares");
    return VOLT_OK;
}

static volt_status make(volt_view X, volt_view Y, const volt_pairing_options *options, owned_pairing *self)
{
    volt_pairing *pairing = &self->pairing;
    if (options->labels) {
        VOLT_TRY(number_labels(options->labels, X.rows, self));
        Y = volt_view_of(self->numbers, X.rows, 1);
    }
    bool has_targets = Y.data != NULL;
    volt_view series = has_targets ? Y : X;
    series.cols -= has_targets ? 0 : options->known_inputs;
    VOLT_TRY(choose_horizons(X, has_targets, options, pairing));
    VOLT_TRY(check_fed_outputs(has_targets, options, pairing->ahead));
    VOLT_TRY(check_records(X, options, pairing->ahead));
    VOLT_TRY(take_rows(X, series, options, self));
    pairing->missing_targets = has_targets ? count_missing(Y) : 0;
    pairing->output_names = options->target_names;
    VOLT_TRY(find_anchors(X, series, has_targets, options, self));
    if (pairing->first_ahead < pairing->ahead)
        VOLT_TRY(spread(series, options, self));
    VOLT_TRY(count_outputs(options, pairing));
    if (options->loss && !(self->loss = volt_strdup(options->loss)))
        return VOLT_ERR_MEMORY;
    pairing->loss = self->loss;
    pairing->fed_outputs = options->fed_outputs != 0;
    pairing->feedback = pairing->first_ahead == pairing->ahead && can_feed_back(pairing, options);
    return VOLT_OK;
}

volt_status volt_pairing_create(volt_view X, volt_view Y, const volt_pairing_options *options,
                                volt_pairing **pairing)
{
    volt_pairing_options chosen = volt_pairing_options_default();
    VOLT_REQUIRE(pairing, VOLT_ERR_ARGUMENT, "pairing is NULL");
    *pairing = NULL;
    VOLT_TRY(volt_options_take(&chosen, sizeof chosen, options, "volt_pairing_options"));
    VOLT_REQUIRE(X.data && X.rows >= 1 && X.cols >= 1, VOLT_ERR_SHAPE, "X must not be empty (got %lld x %lld)",
                 (long long)X.rows, (long long)X.cols);
    VOLT_REQUIRE(!Y.data || (Y.rows == X.rows && Y.cols >= 1), VOLT_ERR_SHAPE,
                 "Y must have %lld rows, as X, and at least one column (got %lld x %lld)", (long long)X.rows,
                 (long long)Y.rows, (long long)Y.cols);
    VOLT_REQUIRE(chosen.n_records >= 0 && (chosen.n_records == 0 || chosen.records), VOLT_ERR_ARGUMENT,
                 "n_records must be at least 0, with their lengths (got %lld)", (long long)chosen.n_records);
    VOLT_REQUIRE(chosen.known_inputs >= 0 && chosen.known_inputs < X.cols, VOLT_ERR_ARGUMENT,
                 "known_inputs must be at least 0 and less than the %lld columns of X (got %lld)",
                 (long long)X.cols, (long long)chosen.known_inputs);
    owned_pairing *self = volt_alloc_zero(1, sizeof *self);
    if (!self)
        return VOLT_ERR_MEMORY;
    self->pairing.struct_size = sizeof self->pairing;
    volt_status status = make(X, Y, &chosen, self);
    if (status)
        volt_pairing_free(&self->pairing);
    else
        *pairing = &self->pairing;
    return status;
}

void volt_pairing_free(volt_pairing *pairing)
{
    owned_pairing *self = (owned_pairing *)pairing;
    if (!self)
        return;
    volt_free(self->lengths);
    volt_free(self->rows);
    volt_free(self->anchors);
    volt_free(self->inputs);
    volt_free(self->targets);
    volt_free(self->numbers);
    volt_free(self->loss);
    volt_free((void *)self->classes);
    volt_free(self->names);
    volt_free(self);
}

/* ---- rows of several tables ------------------------------------------------------------------- */

/* Matches the rows by their numbers in the files. *are_same: all of them have the same times, as far as known. */
static int64_t match_numbers(const volt_table *first, const volt_table *other, int64_t *partner, bool *are_same)
{
    int64_t known = 0;
    *are_same = true;
    for (int64_t i = 0, j = 0; i < first->rows; i++) {
        while (j < other->rows && other->row_numbers[j] < first->row_numbers[i])
            j++;
        bool has_one = j < other->rows && other->row_numbers[j] == first->row_numbers[i];
        partner[i] = has_one ? j : -1;
        known += has_one;
        if (has_one && first->times && other->times)
            *are_same = *are_same && volt_time_is_same(first->times[i], other->times[j]);
    }
    return known;
}

static volt_status match_rows(const volt_table *first, const volt_table *other, const char *const names[2],
                              int64_t *partner)
{
    VOLT_REQUIRE(first->rows >= 1 && other->rows >= 1, VOLT_ERR_ARGUMENT, "%s and %s must have rows", names[0],
                 names[1]);
    bool are_dated = first->times && other->times, are_same = false;
    if (first->file_rows == other->file_rows && match_numbers(first, other, partner, &are_same) > 0 && are_same)
        return VOLT_OK;
    VOLT_REQUIRE(are_dated || first->file_rows == other->file_rows, VOLT_ERR_SHAPE,
                 "%s has %" PRId64 " rows but %s has %" PRId64
                 "; without dates in both they must match row by row",
                 names[0], first->file_rows, names[1], other->file_rows);
    VOLT_REQUIRE(are_dated, VOLT_ERR_SHAPE, "%s and %s have no row in common", names[0], names[1]);
    volt_status status = volt_times_match(first->times, first->rows, other->times, other->rows, partner);
    return status ? volt_fail_prefix(status, "%s and %s", names[0], names[1]) : VOLT_OK;
}

/* Keeps rows[0 .. count-1], which increase. */
static void keep_rows(volt_table *table, const int64_t *rows, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (rows[i] != i)
            volt_table_move_row(table, rows[i], i);
    for (int64_t i = count; i < table->rows; i++)
        volt_table_drop_fault(table, i);
    table->rows = count;
}

volt_status volt_tables_align(volt_table *const *tables, const char *const *names, int64_t n, int64_t *common,
                              int64_t *partners)
{
    VOLT_REQUIRE(tables && names && n >= 1 && (!partners || n == 2), VOLT_ERR_ARGUMENT,
                 "volt_tables_align requires tables and their names, two of them for the partners of rows");
    if (partners)
        return match_rows(tables[0], tables[1], names, partners);
    int64_t rows = tables[0]->rows, kept = 0;
    int64_t *partner = volt_alloc(n * rows, sizeof *partner);
    volt_status status = partner ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; !status && i < rows; i++)
        partner[i] = i;
    for (int64_t t = 1; !status && t < n; t++)
        status =
            match_rows(tables[0], tables[t], (const char *const[]){names[0], names[t]}, partner + t * rows);
    for (int64_t t = 0; !status && common && t < n; t++) {
        common[t] = 0;
        for (int64_t i = 0; i < rows; i++)
            common[t] += partner[t * rows + i] >= 0;
    }
    for (int64_t i = 0; !status && i < rows; i++) {
        bool is_common = true;
        for (int64_t t = 1; t < n; t++)
            is_common = is_common && partner[t * rows + i] >= 0;
        for (int64_t t = 0; is_common && t < n; t++)
            partner[t * rows + kept] = partner[t * rows + i];
        kept += is_common;
    }
    if (!status && kept == 0)
        status =
            volt_fail(VOLT_ERR_DATA, "%s and %s have no row in common with the others", names[0], names[1]);
    for (int64_t t = 0; !status && t < n; t++)
        keep_rows(tables[t], partner + t * rows, kept);
    volt_free(partner);
    return status;
}
