/* bindings/call_data.c: model confidence sets, covolatility, simulated systems, versions. */
#include "call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- model confidence set --------------------------------------------------------------------- */

static const field_word methods[] = {{"R", VOLT_MCS_R}, {"max", VOLT_MCS_MAX}, {NULL, 0}};

static volt_status run_mcs(call *c)
{
    static const field fields[] = {FIELD_WORDS(volt_mcs_options, FIELD_CHOICE, method, methods),
                                   FIELD(volt_mcs_options, FIELD_REAL, size),
                                   FIELD(volt_mcs_options, FIELD_REAL, block),
                                   FIELD(volt_mcs_options, FIELD_COUNT, reps),
                                   FIELD(volt_mcs_options, FIELD_SEED, seed),
                                   OTHER("losses"),
                                   OTHER("indices"),
                                   FIELDS_END};
    const field *const tables[] = {fields};
    volt_view losses = {0};
    int64_t *indices = NULL, count = 0;
    volt_mcs *found = NULL;
    volt_mcs_options options = volt_mcs_options_default();
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = fields_set(c, fields, &options);
    if (!status)
        status = argument_view(c, "losses", true, &losses);
    if (!status)
        status = argument_lengths(c, "indices", &indices, &count); /* rows from 1 */
    if (!status && indices && (losses.rows < 1 || count % losses.rows != 0))
        status = call_fail(c, "indices must have a row for each replication and %lld columns",
                           (long long)losses.rows);
    if (!status && indices) {
        for (int64_t i = 0; i < count; i++)
            indices[i]--;
        options.indices = indices;
        options.reps = count / losses.rows;
    }
    if (!status)
        status = volt_mcs_compute(losses, &options, &found);
    free(indices);
    if (status)
        return status;
    value *included = value_vector(NULL, found->models), *order = value_vector(NULL, found->models);
    for (int64_t i = 0; i < found->models && included && order; i++) {
        included->numbers[i] = found->included[i];
        order->numbers[i] = (double)found->order[i] + 1;
    }
    value_add(c->result, "pvalue", value_vector(found->pvalues, found->models));
    value_add(c->result, "included", included);
    value_add(c->result, "order", order);
    value_add(c->result, "mean_loss", value_vector(found->mean_losses, found->models));
    value_add(c->result, "statistic", value_vector(found->statistics, found->models - 1));
    value_add(c->result, "block", value_number(found->block));
    volt_mcs_free(found);
    return VOLT_OK;
}

/* ---- BEKK ------------------------------------------------------------------------------------- */

static void add_bekk(value *result, const volt_bekk *bekk)
{
    value_add(result, "C", value_view(volt_view_of(bekk->C, bekk->d, bekk->d)));
    value_add(result, "a", value_vector(bekk->a, bekk->d));
    value_add(result, "b", value_vector(bekk->b, bekk->d));
    if (bekk->C_error) {
        value_add(result, "C_error", value_view(volt_view_of(bekk->C_error, bekk->d, bekk->d)));
        value_add(result, "a_error", value_vector(bekk->a_error, bekk->d));
        value_add(result, "b_error", value_vector(bekk->b_error, bekk->d));
    }
}

/* Reads the parameters C, a, b, or a preset. */
static volt_status read_bekk(call *c, volt_bekk **bekk)
{
    const char *preset = NULL;
    volt_view C = {0}, a = {0}, b = {0};
    volt_status status = argument_text(c, "preset", &preset);
    if (status || preset)
        return status ? status : volt_bekk_preset(preset, bekk);
    status = argument_view(c, "C", true, &C);
    if (!status)
        status = argument_view(c, "a", true, &a);
    if (!status)
        status = argument_view(c, "b", true, &b);
    if (!status && (C.rows != C.cols || a.rows * a.cols != C.rows || b.rows * b.cols != C.rows))
        status =
            call_fail(c, "C must be square, and a and b must have its number of rows, %lld", (long long)C.rows);
    if (!status)
        status = volt_bekk_create(C.rows, bekk);
    if (status)
        return status;
    memcpy((*bekk)->C, C.data, (size_t)(C.rows * C.cols) * sizeof(double));
    memcpy((*bekk)->a, a.data, (size_t)C.rows * sizeof(double));
    memcpy((*bekk)->b, b.data, (size_t)C.rows * sizeof(double));
    return VOLT_OK;
}

static volt_status run_bekk_fit(call *c)
{
    static const field fields[] = {FIELD(volt_bekk_fit_options, FIELD_COUNT, starts),
                                   FIELD(volt_bekk_fit_options, FIELD_SEED, seed),
                                   FIELD(volt_bekk_fit_options, FIELD_COUNT, rounds),
                                   FIELD(volt_bekk_fit_options, FIELD_FLAG, standard_errors),
                                   OTHER("returns"),
                                   FIELDS_END};
    const field *const tables[] = {fields};
    volt_view returns = {0};
    volt_bekk *bekk = NULL;
    volt_bekk_fit_info info = {.struct_size = sizeof info};
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = fields_set(c, fields, &options);
    if (!status)
        status = argument_view(c, "returns", true, &returns);
    if (!status)
        status = volt_bekk_fit(returns, &options, &bekk, &info);
    if (status)
        return status;
    add_bekk(c->result, bekk);
    value_add(c->result, "loglik", value_number(info.loglik));
    value_add(c->result, "converged", value_number(info.converged));
    value_add(c->result, "observations", value_number((double)bekk->observations));
    if (!info.converged)
        call_warn(c, "the estimation did not converge");
    volt_bekk_free(bekk);
    return VOLT_OK;
}

static volt_status run_bekk_loglik(call *c)
{
    static const field fields[] = {OTHER("returns"), OTHER("C"),      OTHER("a"),
                                   OTHER("b"),       OTHER("preset"), FIELDS_END};
    const field *const tables[] = {fields};
    volt_view returns = {0};
    volt_bekk *bekk = NULL;
    double loglik = NAN;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = argument_view(c, "returns", true, &returns);
    if (!status)
        status = read_bekk(c, &bekk);
    int64_t half = bekk ? bekk->d * (bekk->d + 1) / 2 : 0;
    value *covariances = status ? NULL : value_matrix(returns.rows, half);
    if (!status)
        status = covariances ? volt_bekk_loglik(bekk, returns, NULL, value_as_matrix(covariances), &loglik)
                             : VOLT_ERR_MEMORY;
    volt_bekk_free(bekk);
    if (status) {
        value_free(covariances);
        return status;
    }
    value_add(c->result, "loglik", value_number(loglik));
    value_add(c->result, "covariances", covariances);
    return VOLT_OK;
}

static volt_status run_bekk_simulate(call *c)
{
    static const field fields[] = {FIELD(volt_bekk_simulate_options, FIELD_SEED, seed),
                                   FIELD(volt_bekk_simulate_options, FIELD_COUNT, discard),
                                   OTHER("rows"),
                                   OTHER("C"),
                                   OTHER("a"),
                                   OTHER("b"),
                                   OTHER("preset"),
                                   FIELDS_END};
    const field *const tables[] = {fields};
    int64_t rows = 0;
    volt_bekk *bekk = NULL;
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = fields_set(c, fields, &options);
    if (!status)
        status = argument_count(c, "rows", 1000, &rows);
    if (!status && (rows < 1 || rows > 1000000000))
        status = call_fail(c, "rows must be at least 1 (got %lld)", (long long)rows);
    if (!status)
        status = read_bekk(c, &bekk);
    if (status)
        return status;
    int64_t d = bekk->d;
    value *z = value_matrix(rows, d), *r = value_matrix(rows, d), *h = value_matrix(rows, d * (d + 1) / 2);
    status = z && r && h ? volt_bekk_simulate(bekk, &options, value_as_matrix(z), value_as_matrix(r),
                                              value_as_matrix(h))
                         : VOLT_ERR_MEMORY;
    volt_bekk_free(bekk);
    value_add(c->result, "innovations", z);
    value_add(c->result, "returns", r);
    value_add(c->result, "covariances", h);
    return status;
}

static volt_status run_returns(call *c)
{
    volt_view prices = {0};
    volt_status status = argument_view(c, "prices", true, &prices);
    if (!status && prices.rows < 2)
        status = call_fail(c, "prices must have at least 2 rows (got %lld)", (long long)prices.rows);
    if (status)
        return status;
    value *returns = value_matrix(prices.rows - 1, prices.cols);
    status = returns ? volt_log_returns(prices, value_as_matrix(returns)) : VOLT_ERR_MEMORY;
    if (status)
        value_free(returns);
    else
        value_add(c->result, "returns", returns);
    return status;
}

/* ---- systems and versions --------------------------------------------------------------------- */

static volt_status run_simulate(call *c)
{
    static const field fields[] = {OTHER("system"), OTHER("rows"), OTHER("seed"), OTHER("discard"), FIELDS_END};
    const field *const tables[] = {fields};
    const char *text = NULL;
    int64_t rows = 0, seed = 0, columns = 0;
    volt_system system;
    volt_simulate_options options = {0};
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = argument_text(c, "system", &text);
    if (!status && !text)
        status = call_fail(c, "system is missing");
    if (!status)
        status = volt_system_parse(text, &system, &options);
    if (!status)
        status = argument_count(c, "rows", volt_system_at(system)->length, &rows);
    if (!status)
        status = argument_count(c, "seed", 0, &seed);
    if (!status)
        status = argument_count(c, "discard", options.discard, &options.discard);
    if (!status && (rows < 1 || rows > 1000000000 || seed < 0))
        status = call_fail(c, "rows must be at least 1 (got %lld) and seed at least 0 (got %lld)",
                           (long long)rows, (long long)seed);
    if (status)
        return status;
    options.seed = (uint64_t)seed;
    options.progress = c->progress;
    status = volt_simulate_columns(system, &options, &columns);
    if (status)
        return status;
    value *out = value_matrix(rows, columns);
    status = out ? volt_simulate(system, &options, value_as_matrix(out)) : VOLT_ERR_MEMORY;
    if (status) {
        value_free(out);
        return status;
    }
    value_add(c->result, "data", out);
    const volt_system_info *info = volt_system_at(system);
    if (!info->is_numbered)
        value_add(c->result, "columns", value_texts(info->columns, columns));
    return VOLT_OK;
}

static volt_status run_version(call *c)
{
    value_add(c->result, "version", value_text(volt_version()));
    return VOLT_OK;
}

static volt_status run_threads(call *c)
{
    int64_t count = 0;
    volt_status status = argument_count(c, "count", -1, &count);
    if (!status && value_get(c->arguments, "count"))
        status = volt_set_threads(count);
    if (!status)
        value_add(c->result, "threads", value_number((double)volt_threads()));
    return status;
}

const call_entry call_data_entries[] = {
    {"mcs", run_mcs},
    {"bekk_fit", run_bekk_fit},
    {"bekk_loglik", run_bekk_loglik},
    {"bekk_simulate", run_bekk_simulate},
    {"returns", run_returns},
    {"simulate", run_simulate},
    {"version", run_version},
    {"threads", run_threads},
    {NULL, NULL},
};
