/* src/explain/impulse.c: the impulse response of the linear part of a model.
 *
 * A term with only fir factors is linear in the inputs, so its impulse response describes it completely. The
 * impulse passes through the filter and the state of the term, one kernel column at a time:
 *
 *     g[k] = sum_j A_j sum_l mu^{(k+l)/2} corr^{|k-l|} z_{j-l}
 *
 * The response is in the units of targets and inputs. A column of changes is the difference of two lags of
 * an input, and its response is distributed to both. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"
#include "model/recipe.h"

#include <inttypes.h>
#include <math.h>

/* A linear (fir) term against one training record. */
typedef struct linear_term {
    const volt_resolved *resolved;
    const volt_columns *columns;
    int64_t first; /* first model row of the columns */
    const volt_filter *filter;
    double weight;
} linear_term;

/* Finds the linear terms of the model against the record that starts at row `first` (VOLT_MAX_FACTORS at
 * most). Returns their number. */
static int64_t find_terms(const volt_model *model, int64_t first, linear_term *terms)
{
    static const volt_filter none;
    const volt_kernel *kernel = model->kernel;
    const volt_sum *sum = model->resolved.sum;
    const volt_resolved_records *records = model->resolved.records;
    const volt_resolved *resolved = records ? &records->each : &model->resolved;
    const volt_columns *columns =
        records ? model->columns->parts[volt_records_at(&records->rows, first)] : model->columns;
    int64_t count = 0;
    if (!sum && kernel->entry == &volt_kernel_fir)
        terms[count++] = (linear_term){resolved, columns, first, &none, 1};
    for (int64_t f = 0; sum && f < sum->n_factors; f++) {
        bool begins = f == 0 || sum->term[f - 1] != sum->term[f];
        bool ends = f + 1 == sum->n_factors || sum->term[f + 1] != sum->term[f];
        if (begins && ends && kernel->factors[f]->entry == &volt_kernel_fir)
            terms[count++] = (linear_term){&sum->factor[f], columns->parts[f], first,
                                           &kernel->filters[sum->slice[f]], sum->weight[sum->term[f]]};
    }
    return count;
}

/* Buffers for one row. */
typedef struct row_space {
    double *z; /* columns: the impulse, then zeros */
    double *u; /* columns: the same after the filter */
    double *k; /* n */
} row_space;

/* Adds the response to an impulse in kernel column c, in scaled units, to g (q x lags). */
static volt_status add_response(const volt_model *model, const linear_term *term, int64_t c, int64_t lags,
                                row_space workspace, double *g)
{
    int64_t d = model->recipe.columns, q = model->q, n = term->columns->m;
    const double *A = model->coefficients + term->first * q;
    volt_filter_bank bank = {0};
    volt_state *kernel_state = NULL;
    volt_status status = volt_state_create(term->resolved, term->columns, 1, &kernel_state);
    if (status == VOLT_OK)
        status = volt_filter_bank_create(term->filter, 1, d, NULL, &bank);
    for (int64_t lag = 0; status == VOLT_OK && lag < lags; lag++) {
        for (int64_t j = 0; j < d; j++)
            workspace.z[j] = lag == 0 && j == c;
        volt_filter_bank_row(&bank, workspace.z, workspace.u);
        volt_state_advance(kernel_state, volt_view_of(workspace.u, 1, d), false,
                           volt_matrix_of(workspace.k, 1, n), NULL);
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < q; k++)
                g[k * lags + lag] += term->weight * workspace.k[j] * A[j * q + k];
    }
    volt_filter_bank_release(&bank);
    volt_state_free(kernel_state);
    return status;
}

/* Distributes the response g of column c (q x lags, scaled) to its inputs. */
static void share_out(const volt_model *model, int64_t c, const double *g, int64_t lags, volt_matrix out)
{
    const volt_recipe *recipe = &model->recipe;
    volt_column column = {.source = c, .plus = 0, .minus = -1, .weight = 1};
    if (!recipe->plain)
        column = recipe->column[c];
    for (int64_t k = 0; k < model->q; k++) {
        double scale = column.weight * model->input.scale * model->target_scale[k];
        for (int64_t lag = 0; lag < lags; lag++) {
            double *to = out.data + (k * lags + lag) * out.ld + column.source;
            if (lag >= column.plus)
                *to += scale * g[k * lags + lag - column.plus];
            if (column.minus >= 0 && lag >= column.minus)
                *to -= scale * g[k * lags + lag - column.minus];
        }
    }
}

/* Adds the responses of all training records. */
static volt_status add_records(const volt_model *model, int64_t c, int64_t lags, row_space workspace, double *g)
{
    linear_term terms[VOLT_MAX_FACTORS];
    for (int64_t first = 0, r = 0; first < model->n; r++) {
        int64_t n_terms = find_terms(model, first, terms);
        for (int64_t t = 0; t < n_terms; t++)
            VOLT_TRY(add_response(model, &terms[t], c, lags, workspace, g));
        first += model->records ? model->records[r] : model->n;
    }
    return VOLT_OK;
}

static volt_status fill(const volt_model *model, int64_t lags, row_space workspace, double *g, volt_matrix out)
{
    for (int64_t c = 0; c < volt_recipe_input_columns(&model->recipe); c++) {
        for (int64_t i = 0; i < model->q * lags; i++)
            g[i] = 0;
        VOLT_TRY(add_records(model, c, lags, workspace, g));
        share_out(model, c, g, lags, out);
    }
    for (int64_t k = 0; k < model->q; k++) /* a change is added to the level */
        if (model->anchors[k] >= 0)
            out.data[k * lags * out.ld + model->anchors[k]] += 1;
    return VOLT_OK;
}

volt_status volt_model_impulse(const volt_model *model, int64_t lags, volt_matrix out)
{
    linear_term terms[VOLT_MAX_FACTORS];
    VOLT_REQUIRE(model, VOLT_ERR_ARGUMENT, "the model is NULL");
    VOLT_TRY(volt_model_require_single(model, "an impulse response"));
    VOLT_TRY(volt_initial_require_zero(model));
    VOLT_REQUIRE(lags >= 1, VOLT_ERR_ARGUMENT, "the number of lags must be at least 1 (got %" PRId64 ")", lags);
    int64_t d = model->recipe.inputs, q = model->q;
    VOLT_REQUIRE(out.data && out.cols == d && out.ld >= d && out.rows % q == 0 && out.rows / q == lags,
                 VOLT_ERR_SHAPE,
                 "the impulse responses must be %" PRId64 " x %" PRId64 " (got %" PRId64 " x %" PRId64 ")",
                 q * lags, d, out.rows, out.cols);
    VOLT_REQUIRE(find_terms(model, 0, terms) > 0, VOLT_ERR_ARGUMENT,
                 "the kernel %s has no linear (fir) term, so there is no impulse response",
                 volt_kernel_text(model->kernel));

    row_space workspace = {volt_alloc_doubles(1, model->recipe.columns),
                           volt_alloc_doubles(1, model->recipe.columns), volt_alloc_doubles(1, model->n)};
    double *g = volt_alloc_doubles(q, lags), *result = volt_alloc_zero(q * lags * d, sizeof(double));
    bool allocated = workspace.z && workspace.u && workspace.k && g && result;
    volt_blas_use use;
    volt_status status = allocated ? volt_blas_claim(&use) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        status = fill(model, lags, workspace, g, volt_matrix_of(result, q * lags, d));
        volt_blas_release(&use);
    }
    for (int64_t i = 0; status == VOLT_OK && i < q * lags * d; i++)
        if (!isfinite(result[i]))
            status =
                volt_fail(VOLT_ERR_NOT_FINITE,
                          "the impulse response at lag %" PRId64 " is too large for a double", i / d % lags);
    for (int64_t i = 0; status == VOLT_OK && i < q * lags; i++)
        for (int64_t j = 0; j < d; j++)
            out.data[i * out.ld + j] = result[i * d + j];
    volt_free(result);
    volt_free(g);
    volt_free(workspace.k);
    volt_free(workspace.u);
    volt_free(workspace.z);
    return status;
}
