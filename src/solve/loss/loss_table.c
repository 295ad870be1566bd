/* src/solve/loss/loss_table.c: the table of losses, links, scores and best constants. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "solve/loss/loss.h"
#include "text/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENTRY(name) &volt_loss_##name,
const volt_loss_kind *const volt_loss_table[] = {VOLT_LOSS_LIST(ENTRY) NULL};

const volt_loss_info *volt_loss_at(int64_t index)
{
    int64_t count = (int64_t)(sizeof volt_loss_table / sizeof volt_loss_table[0]) - 1;
    return index >= 0 && index < count ? &volt_loss_table[index]->info : NULL;
}

volt_status volt_loss_get_info(const volt_loss *loss, volt_loss_info *info)
{
    VOLT_REQUIRE(loss, VOLT_ERR_ARGUMENT, "the loss is NULL");
    volt_loss_info now = loss->kind->info;
    now.text = loss->text;
    now.values = loss->count ? loss->values : NULL;
    now.n_values = loss->count;
    if (loss->count > 1)
        now.outputs = loss->count;
    return volt_result_copy(info, &now, sizeof now, "volt_loss_info");
}

bool volt_loss_is_squares(const char *text)
{
    const char *name = volt_loss_squares.info.name, *blanks = " \t\n\v\f\r";
    if (!text)
        return true;
    text += strspn(text, blanks);
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length + strspn(text + length, blanks)] == 0;
}

void volt_loss_link(const volt_loss *loss, int64_t outputs, double *u)
{
    const volt_loss_kind *kind = loss->kind;
    if (!kind->link)
        return;
    int64_t group = volt_loss_group(loss, outputs);
    for (int64_t k = 0; k < outputs; k += group)
        kind->link(group, u + k);
}

int64_t volt_loss_group(const volt_loss *loss, int64_t outputs)
{
    return loss->kind->info.classes ? outputs : loss->count > 1 ? loss->count : 1;
}

int64_t volt_loss_outputs(const volt_loss *loss, int64_t targets, int64_t classes)
{
    return loss && loss->kind->info.classes ? classes : targets * (loss ? volt_max(loss->count, 1) : 1);
}

int64_t volt_loss_first_column(const volt_loss *loss)
{
    return loss->kind->info.classes == 2 ? 1 : 0;
}

/* ---- checks ----------------------------------------------------------------------------------- */

volt_status volt_loss_check_weights(const double *weights, int64_t n)
{
    for (int64_t i = 0; weights && i < n; i++)
        VOLT_REQUIRE(weights[i] >= 0 && isfinite(weights[i]), VOLT_ERR_ARGUMENT,
                     "weight %" PRId64 " must be finite and at least 0 (got %g)", i + 1, weights[i]);
    return VOLT_OK;
}

volt_status volt_loss_check_class(double y, int64_t row, int64_t classes)
{
    VOLT_REQUIRE(isnan(y) || (y >= 0 && y < (double)classes && y == floor(y)), VOLT_ERR_ARGUMENT,
                 "the class of row %" PRId64 " must be a whole number from 0 to %" PRId64 " (got %g)", row + 1,
                 classes - 1, y);
    return VOLT_OK;
}

/* ---- scores ----------------------------------------------------------------------------------- */

double volt_loss_of_target(const volt_loss *loss, int64_t group, double y, const double *u)
{
    const volt_loss_kind *kind = loss->kind;
    if (kind->score)
        return kind->score(group, y, u);
    double sum = 0;
    for (int64_t j = 0; j < group; j++)
        sum += kind->value(loss->values[j], y, u[j]) / (double)group;
    return sum;
}

static volt_status check_score(const volt_loss *loss, volt_view Y, volt_view U, int64_t group)
{
    VOLT_REQUIRE(loss && Y.data && U.data, VOLT_ERR_ARGUMENT,
                 "the loss, the targets or the forecasts are NULL");
    VOLT_REQUIRE(Y.rows == U.rows && U.cols == Y.cols * group, VOLT_ERR_SHAPE,
                 "the predictions must be %" PRId64 " x %" PRId64 " for targets of %" PRId64 " x %" PRId64
                 " (got %" PRId64 " x %" PRId64 ")",
                 Y.rows, Y.cols * group, Y.rows, Y.cols, U.rows, U.cols);
    for (int64_t i = 0; loss->kind->info.classes && i < Y.rows; i++)
        VOLT_TRY(volt_loss_check_class(Y.data[i * Y.ld], i, group));
    return VOLT_OK;
}

/* The loss of target k of row i, which is not NaN. */
static volt_status take_loss(const volt_loss *loss, int64_t group, volt_view Y, volt_view forecasts, int64_t i,
                             int64_t k, double *value)
{
    double y = Y.data[i * Y.ld + k];
    const double *u = forecasts.data + i * forecasts.ld + k * group;
    VOLT_REQUIRE(isfinite(y), VOLT_ERR_NOT_FINITE,
                 "row %" PRId64 ", column %" PRId64 " of the targets (counted from 1) is %g", i + 1, k + 1, y);
    for (int64_t j = 0; j < group; j++)
        VOLT_REQUIRE(isfinite(u[j]), VOLT_ERR_NOT_FINITE,
                     "row %" PRId64 ", column %" PRId64 " of the predictions (counted from 1) is %g", i + 1,
                     k * group + j + 1, u[j]);
    *value = volt_loss_of_target(loss, group, y, u);
    return VOLT_OK;
}

volt_status volt_loss_score(const volt_loss *loss, volt_view Y, volt_view forecasts, const double *weights,
                            double *score)
{
    int64_t group = loss ? volt_loss_group(loss, forecasts.cols) : 1;
    VOLT_REQUIRE(score, VOLT_ERR_ARGUMENT, "score is NULL");
    VOLT_TRY(check_score(loss, Y, forecasts, group));
    VOLT_TRY(volt_loss_check_weights(weights, Y.rows));
    double sum = 0, total = 0;
    for (int64_t i = 0; i < Y.rows; i++) {
        double w = weights ? weights[i] : 1;
        for (int64_t k = 0; w > 0 && k < Y.cols; k++) {
            double value = 0;
            if (isnan(Y.data[i * Y.ld + k]))
                continue;
            VOLT_TRY(take_loss(loss, group, Y, forecasts, i, k, &value));
            sum += w * value;
            total += w;
        }
    }
    VOLT_REQUIRE(total > 0, VOLT_ERR_DATA, "no row has both a target and a weight above 0");
    *score = sum / total;
    return VOLT_OK;
}

volt_status volt_loss_row_scores(const volt_loss *loss, volt_view Y, volt_view forecasts, double *scores)
{
    int64_t group = loss ? volt_loss_group(loss, forecasts.cols) : 1;
    VOLT_REQUIRE(scores, VOLT_ERR_ARGUMENT, "scores is NULL");
    VOLT_TRY(check_score(loss, Y, forecasts, group));
    for (int64_t i = 0; i < Y.rows; i++) {
        scores[i] = 0;
        for (int64_t k = 0; k < Y.cols; k++) {
            double value = NAN;
            if (!isnan(Y.data[i * Y.ld + k]))
                VOLT_TRY(take_loss(loss, group, Y, forecasts, i, k, &value));
            scores[i] += value / (double)Y.cols;
        }
    }
    return VOLT_OK;
}

/* ---- constants -------------------------------------------------------------------------------- */

/* For classes, their frequencies; for other targets, the number with the least mean loss, by golden section
 * search between the least and the largest target. */
enum { SECTIONS = 64 }; /* 0.618^64 = 4e-14 of the range remains */

/* The included rows of one target and one output. */
typedef struct constant_problem {
    const volt_loss *loss;
    volt_view Y;
    const double *weights;
    int64_t target, level;
} constant_problem;

static double weight_of(const constant_problem *problem, int64_t i)
{
    double y = problem->Y.data[i * problem->Y.ld + problem->target];
    return isnan(y) ? 0 : problem->weights ? problem->weights[i] : 1;
}

/* The total loss of the prediction u. */
static double total_at(const constant_problem *problem, double u)
{
    const volt_loss *loss = problem->loss;
    const volt_loss_kind *kind = loss->kind;
    double sum = 0;
    for (int64_t i = 0; i < problem->Y.rows; i++) {
        double w = weight_of(problem, i), y = problem->Y.data[i * problem->Y.ld + problem->target];
        if (w > 0)
            sum += w * (kind->score ? kind->score(1, y, &u) : kind->value(loss->values[problem->level], y, u));
    }
    return sum;
}

static double find_constant(const constant_problem *problem)
{
    static const double golden = 0.6180339887498949;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < problem->Y.rows; i++)
        if (weight_of(problem, i) > 0) {
            low = fmin(low, problem->Y.data[i * problem->Y.ld + problem->target]);
            high = fmax(high, problem->Y.data[i * problem->Y.ld + problem->target]);
        }
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = total_at(problem, left), at_right = total_at(problem, right);
    for (int s = 0; s < SECTIONS && low < high; s++) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = total_at(problem, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = total_at(problem, right);
        }
    }
    return 0.5 * (low + high);
}

static void find_frequencies(volt_view Y, const double *weights, int64_t classes, double *forecast)
{
    double total = 0;
    for (int64_t k = 0; k < classes; k++)
        forecast[k] = 0;
    for (int64_t i = 0; i < Y.rows; i++) {
        double y = Y.data[i * Y.ld], w = isnan(y) ? 0 : weights ? weights[i] : 1;
        if (w > 0)
            forecast[(int64_t)y] += w;
        total += w;
    }
    for (int64_t k = 0; k < classes; k++)
        forecast[k] /= total;
}

static volt_status check_constant(const volt_loss *loss, volt_view Y, const double *weights, int64_t outputs)
{
    VOLT_REQUIRE(loss && Y.data, VOLT_ERR_ARGUMENT, "the loss or the targets are NULL");
    int64_t group = volt_loss_group(loss, outputs);
    VOLT_REQUIRE(outputs >= 1 && outputs == Y.cols * group, VOLT_ERR_SHAPE,
                 "the number of outputs must be %" PRId64 " for %" PRId64 " targets (got %" PRId64 ")",
                 Y.cols * group, Y.cols, outputs);
    VOLT_TRY(volt_loss_check_weights(weights, Y.rows));
    for (int64_t k = 0; k < Y.cols; k++) {
        double total = 0;
        for (int64_t i = 0; i < Y.rows; i++) {
            double y = Y.data[i * Y.ld + k];
            if (loss->kind->info.classes)
                VOLT_TRY(volt_loss_check_class(y, i, outputs));
            total += isnan(y) ? 0 : weights ? weights[i] : 1;
        }
        VOLT_REQUIRE(total > 0, VOLT_ERR_DATA, "no row has both a target and a weight above 0");
    }
    return VOLT_OK;
}

volt_status volt_loss_constant(const volt_loss *loss, volt_view Y, const double *weights, int64_t outputs,
                               double *forecast)
{
    VOLT_REQUIRE(forecast, VOLT_ERR_ARGUMENT, "forecast is NULL");
    VOLT_TRY(check_constant(loss, Y, weights, outputs));
    if (loss->kind->info.classes) {
        find_frequencies(Y, weights, outputs, forecast);
        return VOLT_OK;
    }
    int64_t group = volt_loss_group(loss, outputs);
    for (int64_t k = 0; k < outputs; k++) {
        constant_problem problem = {loss, Y, weights, k / group, k % group};
        forecast[k] = find_constant(&problem);
    }
    for (int64_t k = 0; k < outputs && group > 1; k += group)
        volt_sort(forecast + k, group);
    return VOLT_OK;
}

/* ---- parsing and printing of a loss, NAME or NAME:PARAMETER=VALUE[/VALUE...] ------------------------- */

enum { LONGEST_TEXT = 2048, MAX_LOSSES = 32 };

/* Removes surrounding blanks; returns the start of the text. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    return text;
}

static volt_status find_kind(const char *name, const volt_loss_kind **kind)
{
    const char *names[MAX_LOSSES];
    int64_t count = 0;
    for (; volt_loss_table[count]; count++) {
        names[count] = volt_loss_table[count]->info.name;
        if (strcmp(names[count], name) == 0) {
            *kind = volt_loss_table[count];
            return VOLT_OK;
        }
    }
    const char *nearest = volt_nearest_name(name, names, count);
    volt_text_buffer all = {0};
    for (int64_t i = 0; i < count; i++) {
        volt_text_put(&all, i ? ", " : "");
        volt_text_put(&all, names[i]);
    }
    volt_status status =
        all.failed ? VOLT_ERR_MEMORY
        : nearest  ? volt_fail(VOLT_ERR_ARGUMENT, "unknown loss \"%s\"; did you mean \"%s\"?", name, nearest)
                   : volt_fail(VOLT_ERR_ARGUMENT, "unknown loss \"%s\"; known losses: %s", name, all.bytes);
    volt_free(all.bytes);
    return status;
}

static volt_status read_value(const volt_loss_kind *kind, const char *text, volt_loss *loss)
{
    const char *name = kind->info.name, *parameter = kind->info.parameter;
    double value;
    VOLT_REQUIRE(volt_parse_number(text, &value), VOLT_ERR_ARGUMENT, "loss %s: %s=%s is not a number", name,
                 parameter, text);
    if (isinf(kind->high))
        VOLT_REQUIRE(value > kind->low && isfinite(value), VOLT_ERR_ARGUMENT,
                     "loss %s: %s must be finite and greater than %g (got %s)", name, parameter, kind->low,
                     text);
    VOLT_REQUIRE(value > kind->low && value < kind->high, VOLT_ERR_ARGUMENT,
                 "loss %s: %s must be between %g and %g (got %s)", name, parameter, kind->low, kind->high,
                 text);
    VOLT_REQUIRE(loss->count < VOLT_MAX_LEVELS, VOLT_ERR_ARGUMENT,
                 "loss %s: more than %d values of %s are given", name, VOLT_MAX_LEVELS, parameter);
    VOLT_REQUIRE(loss->count == 0 || value > loss->values[loss->count - 1], VOLT_ERR_ARGUMENT,
                 "loss %s: the values of %s must increase (got %s after %g)", name, parameter, text,
                 loss->values[loss->count - 1]);
    loss->values[loss->count++] = value;
    return VOLT_OK;
}

static volt_status read_parameter(const volt_loss_kind *kind, char *text, volt_loss *loss)
{
    const char *name = kind->info.name, *parameter = kind->info.parameter;
    char *value = strchr(text, '=');
    VOLT_REQUIRE(parameter, VOLT_ERR_ARGUMENT, "loss %s has no parameter (got \"%s\")", name, text);
    VOLT_REQUIRE(value, VOLT_ERR_ARGUMENT, "loss %s: \"%s\" is not %s=VALUE", name, text, parameter);
    *value++ = 0;
    char *given = trim(text);
    VOLT_REQUIRE(strcmp(given, parameter) == 0, VOLT_ERR_ARGUMENT, "loss %s has no parameter \"%s\"; it has %s",
                 name, given, parameter);
    for (char *next; value; value = next) {
        next = strchr(value, '/');
        if (next)
            *next++ = 0;
        VOLT_REQUIRE(kind->info.several || !next, VOLT_ERR_ARGUMENT, "loss %s takes one value of %s", name,
                     parameter);
        VOLT_TRY(read_value(kind, trim(value), loss));
    }
    return VOLT_OK;
}

static volt_status read_loss(char *text, volt_loss *loss)
{
    char *parameter = strchr(text, ':');
    if (parameter)
        *parameter++ = 0;
    VOLT_TRY(find_kind(trim(text), &loss->kind));
    const volt_loss_info *info = &loss->kind->info;
    VOLT_REQUIRE(parameter || !info->parameter, VOLT_ERR_ARGUMENT,
                 "loss %s requires its parameter: %s:%s=VALUE", info->name, info->name, info->parameter);
    return parameter ? read_parameter(loss->kind, trim(parameter), loss) : VOLT_OK;
}

static volt_status print_loss(volt_loss *loss)
{
    const volt_loss_info *info = &loss->kind->info;
    volt_text_buffer text = {0};
    char number[VOLT_NUMBER_LENGTH];
    volt_text_put(&text, info->name);
    for (int64_t i = 0; i < loss->count; i++) {
        volt_text_put(&text, i ? "/" : ":");
        if (i == 0) {
            volt_text_put(&text, info->parameter);
            volt_text_put(&text, "=");
        }
        volt_text_put(&text, volt_format_number(loss->values[i], number));
    }
    loss->text = text.bytes;
    return text.failed ? VOLT_ERR_MEMORY : VOLT_OK;
}

volt_status volt_loss_parse(const char *text, volt_loss **loss)
{
    VOLT_REQUIRE(text && loss, VOLT_ERR_ARGUMENT, "text or loss is NULL");
    VOLT_REQUIRE(strlen(text) < LONGEST_TEXT, VOLT_ERR_ARGUMENT,
                 "the text of the loss must be shorter than %d characters (got %zu)", LONGEST_TEXT,
                 strlen(text));
    char copy[LONGEST_TEXT];
    snprintf(copy, sizeof copy, "%s", text);
    volt_loss *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    volt_status status = read_loss(copy, fresh);
    if (status == VOLT_OK)
        status = print_loss(fresh);
    if (status == VOLT_OK)
        *loss = fresh;
    else
        volt_loss_free(fresh);
    return status;
}

void volt_loss_free(volt_loss *loss)
{
    if (loss)
        volt_free(loss->text);
    volt_free(loss);
}
