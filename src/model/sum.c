/* src/model/sum.c: a model that is a weighted sum of models, f = sum_i w_i f_i.
 *
 * Models never change, so a sum shares its members and counts their owners. */
#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "model/model_notes.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const volt_sum_words[2] = {[VOLT_SUM_AVERAGE] = "average", [VOLT_SUM_RESIDUAL] = "residual"};

/* ---- members ---------------------------------------------------------------------------------- */

void volt_sum_free(volt_members *sum)
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

const char *volt_model_text(const volt_model *model)
{
    return model->sum ? model->sum->text : volt_kernel_text(model->kernel);
}

const volt_loss *volt_model_loss(const volt_model *model)
{
    return model->sum ? volt_model_loss(model->sum->models[0]) : model->loss;
}

volt_status volt_model_require_squares(const volt_model *model, const char *operation)
{
    const volt_loss *loss = volt_model_loss(model);
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

static bool same_records(const volt_model_info *a, const volt_model_info *b)
{
    return a->n_records == b->n_records &&
           (a->n_records == 0 ||
            memcmp(a->records, b->records, (size_t)a->n_records * sizeof *a->records) == 0);
}

void volt_sum_get_info(const volt_members *sum, volt_model_info *info)
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
        volt_notes_intersect(&member.notes, &info->notes);
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
    const volt_loss *a = volt_model_loss(first), *b = volt_model_loss(model);
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

static volt_status check(const volt_model *const *models, const double *weights, int64_t count,
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
    VOLT_TRY(check(models, weights, count, kind));
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
