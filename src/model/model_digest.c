/* src/model/model_digest.c: digest of everything that determines predictions except the state. */
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
