/* src/predict/sum_predict.c: predictions of a sum of models, member by member. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "model/model_internal.h"
#include "predict/predict_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Adds the warnings of member i. Of each kind the one with the first row is kept. */
static void add_warnings(const volt_predict_report *member, int64_t i, volt_predict_report *report)
{
    for (int64_t w = 0; w < member->n_warnings; w++) {
        const volt_predict_warning *from = &member->warnings[w];
        int64_t at = 0, rows = from->rows;
        while (at < report->n_warnings && report->warnings[at].code != from->code)
            at++;
        volt_predict_warning *to = &report->warnings[at];
        bool is_new = at == report->n_warnings;
        if (from->code == VOLT_WARNING_INPUT_RANGE) /* found for all members together */
            continue;
        if (!is_new)
            rows = volt_max(rows, to->rows);
        if (is_new || from->row < to->row) {
            *to = *from;
            snprintf(to->text, sizeof to->text, "member %" PRId64 ": %.280s", i + 1, from->text);
        }
        to->rows = rows;
        report->n_warnings += is_new;
    }
}

/* Predicts with member i into `part`. `known` (X.rows x q) are the known outputs of the member; NULL: none. */
static volt_status predict_member(const volt_model *model, int64_t i, volt_view X,
                                  const volt_predict_options *options, const double *known,
                                  volt_predict_report *report, volt_matrix part, int64_t *beyond)
{
    const volt_model *member = model->sum->models[i];
    volt_predict_report found = {.struct_size = sizeof found};
    volt_predict_options own = *options;
    bool feeds_back = known && volt_model_feedback_weight(member) > 0;
    int64_t counted = 0;
    own.report = &found;
    own.known = volt_view_of(feeds_back ? known : NULL, X.rows, model->q);
    own.warm_up = feeds_back ? options->warm_up : 0;
    volt_status status = volt_model_predict(member, X, &own, part, &counted);
    if (status != VOLT_OK)
        return volt_fail_prefix(status, "member %" PRId64, i + 1);
    add_warnings(&found, i, report);
    *beyond = volt_max(*beyond, counted);
    return VOLT_OK;
}

/* `known` is overwritten with what the members leave of it. */
static volt_status predict_members(const volt_model *model, volt_view X, const volt_predict_options *options,
                                   double *known, volt_predict_report *report, double *part, double *total,
                                   int64_t *beyond)
{
    const volt_members *sum = model->sum;
    int64_t count = X.rows * model->q;
    for (int64_t i = 0; i < sum->n; i++) {
        VOLT_TRY(predict_member(model, i, X, options, known, report, volt_matrix_of(part, X.rows, model->q),
                                beyond));
        volt_sum_add(sum->weights[i], part, count, i == 0, total);
        if (known && sum->kind == VOLT_SUM_RESIDUAL)
            volt_sum_add(-sum->weights[i], part, count, false, known);
    }
    for (int64_t t = 0; t < X.rows; t++)
        VOLT_TRY(volt_model_check_output(model, t, total + t * model->q));
    return VOLT_OK;
}

volt_status volt_sum_predict(const volt_model *model, volt_view X, const volt_predict_options *options,
                             volt_predict_report *report, volt_matrix out, int64_t *beyond)
{
    int64_t q = model->q, counted = 0;
    volt_view given = options->known;
    double *total = volt_alloc_doubles(X.rows, q), *part = volt_alloc_doubles(X.rows, q);
    double *known = given.data ? volt_alloc_doubles(X.rows, q) : NULL;
    volt_status status = total && part && (known || !given.data) ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t t = 0; status == VOLT_OK && known && t < X.rows; t++)
        memcpy(known + t * q, given.data + t * given.ld, (size_t)q * sizeof *known);
    if (status == VOLT_OK)
        status = predict_members(model, X, options, known, report, part, total, &counted);
    for (int64_t t = 0; status == VOLT_OK && t < X.rows; t++)
        memcpy(out.data + t * out.ld, total + t * q, (size_t)q * sizeof *total);
    if (status == VOLT_OK && beyond)
        *beyond = counted;
    volt_free(known);
    volt_free(part);
    volt_free(total);
    return status;
}
