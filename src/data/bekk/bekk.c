/* src/data/bekk/bekk.c: BEKK parameters: creation, copies, presets, stationarity, simulation and JSON. */
#include "data/bekk/bekk.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/strings.h"
#include "base/symmetric_eigen.h"
#include "base/views.h"
#include "data/bekk/bekk_likelihood.h"
#include "data/process.h"
#include "text/text.h"
#include "volterra/data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters --------------------------------------------------------------------------------- */

volt_status volt_bekk_create(int64_t d, volt_bekk **bekk)
{
    VOLT_REQUIRE(bekk, VOLT_ERR_ARGUMENT, "the output for the BEKK parameters is NULL");
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MAX_ASSETS, VOLT_ERR_ARGUMENT,
                 "the number of assets must be 1 to %d (got %" PRId64 ")", VOLT_BEKK_MAX_ASSETS, d);
    volt_bekk *fresh = volt_alloc_zero(1, sizeof *fresh);
    double *numbers = volt_alloc_zero(d * (d + 2), sizeof *numbers);
    if (!fresh || !numbers) {
        volt_free(numbers);
        volt_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    fresh->struct_size = sizeof *fresh;
    fresh->d = d;
    fresh->C = numbers;
    fresh->a = numbers + d * d;
    fresh->b = fresh->a + d;
    fresh->loglik = NAN;
    fresh->converged = -1;
    *bekk = fresh;
    return VOLT_OK;
}

volt_status volt_bekk_allocate_errors(volt_bekk *bekk)
{
    int64_t d = bekk->d;
    if (bekk->C_error)
        return VOLT_OK;
    double *numbers = volt_alloc_zero(d * (d + 2), sizeof *numbers);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    bekk->C_error = numbers;
    bekk->a_error = numbers + d * d;
    bekk->b_error = bekk->a_error + d;
    return VOLT_OK;
}

void volt_bekk_free(volt_bekk *bekk)
{
    if (!bekk)
        return;
    volt_names_free(bekk->tickers, bekk->d);
    volt_free(bekk->first_date);
    volt_free(bekk->last_date);
    volt_free(bekk->command);
    volt_free(bekk->C_error);
    volt_free(bekk->C);
    volt_free(bekk);
}

volt_status volt_bekk_set_source(volt_bekk *bekk, const char *const *tickers, const char *first_date,
                                 const char *last_date, const char *command)
{
    VOLT_REQUIRE(bekk, VOLT_ERR_ARGUMENT, "the BEKK parameters are NULL");
    const char *const texts[] = {first_date, last_date, command};
    char *copies[3] = {NULL, NULL, NULL}, **names = NULL;
    volt_status status = volt_names_copy(tickers, bekk->d, &names);
    for (int i = 0; i < 3 && status == VOLT_OK; i++)
        if (texts[i]) {
            copies[i] = volt_strdup(texts[i]);
            status = copies[i] ? VOLT_OK : VOLT_ERR_MEMORY;
        }
    if (status != VOLT_OK) {
        for (int i = 0; i < 3; i++)
            volt_free(copies[i]);
        volt_names_free(names, bekk->d);
        return status;
    }
    volt_names_free(bekk->tickers, bekk->d);
    volt_free(bekk->first_date);
    volt_free(bekk->last_date);
    volt_free(bekk->command);
    bekk->tickers = names;
    bekk->first_date = copies[0];
    bekk->last_date = copies[1];
    bekk->command = copies[2];
    return VOLT_OK;
}

/* ---- built-in parameters of the BEKK model ----------------------------------------------------- */

const char *volt_bekk_preset_name(int64_t index)
{
    for (int64_t i = 0; volt_bekk_preset_texts[i].name; i++)
        if (i == index)
            return volt_bekk_preset_texts[i].name;
    return NULL;
}

volt_status volt_bekk_preset(const char *name, volt_bekk **bekk)
{
    enum { MAX_NAMES = 64 };
    const char *names[MAX_NAMES];
    int64_t count = 0;
    VOLT_REQUIRE(name && bekk, VOLT_ERR_ARGUMENT, "the name of the preset or the output for it is NULL");
    for (const volt_bekk_preset_text *preset = volt_bekk_preset_texts; preset->name; preset++) {
        if (strcmp(preset->name, name) == 0)
            return volt_bekk_from_json(preset->text, bekk);
        if (count < MAX_NAMES)
            names[count++] = preset->name;
    }
    const char *nearest = volt_nearest_name(name, names, count);
    if (nearest)
        return volt_fail(VOLT_ERR_ARGUMENT, "unknown preset '%s'; did you mean %s?", name, nearest);
    return volt_fail(VOLT_ERR_ARGUMENT, "unknown preset '%s' (the first is %s)", name, names[0]);
}

/* ---- stationarity ------------------------------------------------------------------------------- */

/* Stationarity of the BEKK model, and its stationary covariance.
 *
 * The diagonal model is covariance stationary if and only if a_i^2 + b_i^2 < 1 for every i (the spectral radius of
 * A (x) A + B (x) B is max_ij |a_i a_j + b_i b_j|, which is attained on the diagonal). */

volt_status volt_bekk_check(const volt_bekk *bekk)
{
    VOLT_REQUIRE(bekk && bekk->C && bekk->a && bekk->b, VOLT_ERR_ARGUMENT, "the BEKK parameters are NULL");
    int64_t d = bekk->d;
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MAX_ASSETS, VOLT_ERR_ARGUMENT,
                 "the number of assets must be 1 to %d (got %" PRId64 ")", VOLT_BEKK_MAX_ASSETS, d);
    for (int64_t i = 0; i < d; i++) {
        VOLT_REQUIRE(isfinite(bekk->a[i]) && isfinite(bekk->b[i]), VOLT_ERR_NOT_FINITE,
                     "a or b of asset %" PRId64 " is not finite", i + 1);
        for (int64_t j = 0; j < d; j++) {
            VOLT_REQUIRE(isfinite(bekk->C[i * d + j]), VOLT_ERR_NOT_FINITE,
                         "entry (%" PRId64 ", %" PRId64 ") of C is not finite", i + 1, j + 1);
            VOLT_REQUIRE(j >= i || bekk->C[i * d + j] == 0, VOLT_ERR_ARGUMENT,
                         "C must be upper triangular, but its entry (%" PRId64 ", %" PRId64 ") is %g", i + 1,
                         j + 1, bekk->C[i * d + j]);
        }
    }
    return VOLT_OK;
}

volt_status volt_bekk_check_stationary(const volt_bekk *bekk)
{
    VOLT_TRY(volt_bekk_check(bekk));
    for (int64_t i = 0; i < bekk->d; i++) {
        double a = bekk->a[i], b = bekk->b[i], sum = a * a + b * b;
        VOLT_REQUIRE(sum < 1, VOLT_ERR_ARGUMENT,
                     "the BEKK model is not covariance stationary: a^2 + b^2 of asset %" PRId64
                     "%s%s%s must be below 1 (got %.6g for a = %g, b = %g)",
                     i + 1, bekk->tickers ? " (" : "", bekk->tickers ? bekk->tickers[i] : "",
                     bekk->tickers ? ")" : "", sum, a, b);
    }
    return VOLT_OK;
}

static double stationary_entry(const volt_bekk *bekk, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = i > j ? i : j; k < bekk->d; k++)
        sum += bekk->C[i * bekk->d + k] * bekk->C[j * bekk->d + k];
    return sum / (1 - bekk->a[i] * bekk->a[j] - bekk->b[i] * bekk->b[j]);
}

volt_status volt_bekk_stationary_covariance(const volt_bekk *bekk, volt_matrix covariance)
{
    VOLT_TRY(volt_bekk_check_stationary(bekk));
    int64_t d = bekk->d;
    VOLT_TRY(volt_check_output(covariance, d, d, "the covariance"));
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++)
            VOLT_REQUIRE(isfinite(stationary_entry(bekk, i, j)), VOLT_ERR_NOT_FINITE,
                         "entry (%" PRId64 ", %" PRId64 ") of the stationary covariance overflows", i + 1,
                         j + 1);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            covariance.data[i * covariance.ld + j] = stationary_entry(bekk, i, j);
    return VOLT_OK;
}

/* ---- simulation --------------------------------------------------------------------------------- */

/* Simulates returns and their covariances from the BEKK model.
 *
 *     r_t = H_t^{1/2} z_t,    H_{t+1} = C C' + (a o r_t)(a o r_t)' + (b b') o H_t
 *
 * H^{1/2} = V diag(sqrt(eigenvalues)) V' is the symmetric root, which, unlike the Cholesky factor, does not
 * depend on the order of the assets. The first H is the stationary covariance. Row t has z_t, r_t and
 * vech(H_t). */

typedef struct bekk_system {
    const volt_bekk *bekk;
    volt_rng rng;
    double *intercept; /* packed C C' */
    double *H;         /* packed, of this step */
    double *workspace; /* of the root */
    double *row;       /* z, r, vech(H) */
    double *memory;    /* all of the above */
} bekk_system;

volt_bekk_simulate_options volt_bekk_simulate_options_default(void)
{
    volt_bekk_simulate_options options = {
        .struct_size = sizeof(volt_bekk_simulate_options), .seed = 0, .stream = 0, .discard = 1000};
    return options;
}

/* ---- one step --------------------------------------------------------------------------------- */

volt_status volt_symmetric_root(int64_t d, const double *packed, const double *z, double *workspace, double *r)
{
    double *values = workspace, *vectors = workspace + d * d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            values[i * d + j] = packed[volt_packed(i, j)];
    VOLT_REQUIRE(volt_symmetric_eigen(d, values, vectors), VOLT_ERR_NOT_FINITE, "the covariance is not finite");

    memset(r, 0, (size_t)d * sizeof *r);
    for (int64_t k = 0; k < d; k++) {
        const double *vector = vectors + k * d;
        double part = 0;
        for (int64_t i = 0; i < d; i++)
            part += vector[i] * z[i];
        part *= sqrt(fmax(values[k * d + k], 0)); /* rounding may make a zero eigenvalue negative */
        for (int64_t i = 0; i < d; i++)
            r[i] += part * vector[i];
    }
    return VOLT_OK;
}

int64_t volt_symmetric_root_workspace(int64_t d)
{
    return 2 * d * d;
}

/* From H_t, r_t to H_{t+1}. */
static void next_covariance(bekk_system *system, const double *r)
{
    const double *a = system->bekk->a, *b = system->bekk->b;
    for (int64_t i = 0, e = 0; i < system->bekk->d; i++)
        for (int64_t j = 0; j <= i; j++, e++)
            system->H[e] = system->intercept[e] + (a[i] * r[i]) * (a[j] * r[j]) + b[i] * b[j] * system->H[e];
}

static volt_status bekk_step(void *state, volt_stage *stage)
{
    (void)stage;
    bekk_system *system = state;
    int64_t d = system->bekk->d;
    double *z = system->row, *r = z + d;
    for (int64_t i = 0; i < d; i++)
        z[i] = volt_rng_normal(&system->rng);
    VOLT_TRY(volt_symmetric_root(d, system->H, z, system->workspace, r));
    volt_packed_to_vech(d, system->H, r + d);
    next_covariance(system, r);
    return VOLT_OK;
}

/* ---- setting up ------------------------------------------------------------------------------- */

static volt_status begin_system(bekk_system *system, const volt_bekk *bekk, uint64_t seed, uint64_t stream)
{
    int64_t d = bekk->d, entries = volt_packed_count(d), workspace = volt_symmetric_root_workspace(d);
    double *memory = volt_alloc_doubles(3 * entries + 2 * d + workspace, 1);
    if (!memory)
        return VOLT_ERR_MEMORY;
    system->bekk = bekk;
    system->memory = memory;
    system->intercept = memory;
    system->H = memory + entries;
    system->workspace = system->H + entries;
    system->row = system->workspace + workspace;

    volt_rng_init(&system->rng, seed, stream);
    volt_bekk_intercept(d, bekk->C, system->intercept);
    for (int64_t i = 0, e = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++, e++)
            system->H[e] = system->intercept[e] / (1 - bekk->a[i] * bekk->a[j] - bekk->b[i] * bekk->b[j]);
    return VOLT_OK;
}

static volt_status check_output(const char *what, volt_matrix out, int64_t cols, int64_t *rows)
{
    if (!out.data)
        return VOLT_OK;
    VOLT_REQUIRE(out.cols == cols && out.ld >= cols, VOLT_ERR_SHAPE,
                 "bekk: the matrix of %s must have %" PRId64 " columns (got %" PRId64 ")", what, cols,
                 out.cols);
    VOLT_REQUIRE(*rows < 0 || out.rows == *rows, VOLT_ERR_SHAPE,
                 "bekk: the matrix of %s has %" PRId64 " rows, but another has %" PRId64, what, out.rows,
                 *rows);
    *rows = out.rows;
    return VOLT_OK;
}

static void copy_columns(volt_matrix out, const double *rows, int64_t length, int64_t first)
{
    for (int64_t t = 0; out.data && t < out.rows; t++)
        memcpy(out.data + t * out.ld, rows + t * length + first, (size_t)out.cols * sizeof(double));
}

volt_status volt_bekk_simulate(const volt_bekk *bekk, const volt_bekk_simulate_options *options,
                               volt_matrix innovations, volt_matrix returns, volt_matrix covariances)
{
    volt_bekk_simulate_options opts = volt_bekk_simulate_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_bekk_simulate_options"));
    options = &opts;
    VOLT_TRY(volt_bekk_check_stationary(bekk));
    int64_t d = bekk->d, length = 2 * d + volt_packed_count(d), n = -1;
    VOLT_TRY(check_output("innovations", innovations, d, &n));
    VOLT_TRY(check_output("returns", returns, d, &n));
    VOLT_TRY(check_output("covariances", covariances, volt_packed_count(d), &n));
    VOLT_REQUIRE(n >= 1, VOLT_ERR_ARGUMENT, "bekk: %s",
                 n < 0 ? "there is no matrix to fill" : "the number of rows must be at least 1 (got 0)");
    VOLT_TRY(volt_memory_require(2.0 * (double)n * (double)length * sizeof(double), "the simulated rows"));

    bekk_system system = {.memory = NULL};
    double *rows = volt_alloc_doubles(n, length);
    volt_status status = rows ? begin_system(&system, bekk, options->seed, options->stream) : VOLT_ERR_MEMORY;
    volt_process process = {
        .name = "the BEKK model",
        .state = &system,
        .row = system.row,
        .cols = length,
        .lead = 1,
        .every = 1,
        .discard = options->discard,
        .step = bekk_step,
    };
    volt_matrix all = volt_matrix_of(rows, n, length);
    if (status == VOLT_OK)
        status = volt_process_check("bekk", all, length, 1, options->discard);
    if (status == VOLT_OK)
        status = volt_process_run(&process, options->progress, all);
    if (status == VOLT_OK) {
        copy_columns(innovations, rows, length, 0);
        copy_columns(returns, rows, length, d);
        copy_columns(covariances, rows, length, 2 * d);
    }
    volt_free(system.memory);
    volt_free(rows);
    return status;
}

/* ---- JSON --------------------------------------------------------------------------------------- */

/* Parameters of the BEKK model as JSON, and back.
 *
 *     {"C": [[c11, c12], [0, c22]], "a": [a1, a2], "b": [b1, b2], "tickers": [...], "dates": [first, last],
 *      "loglik": ..., "observations": ..., "converged": true, "C_error": ..., "a_error": ..., "b_error": ...,
 *      "command": ...}
 *
 * C, a and b are required, the rest is optional. Unknown keys are ignored. */

/* ---- write ------------------------------------------------------------------------------------ */

/* Numbers as the shortest text that parses to the same value; standard errors with four digits. */
static void write_list(volt_text_buffer *out, const double *values, int64_t count, int digits)
{
    char text[VOLT_NUMBER_LENGTH];
    volt_text_put(out, "[");
    for (int64_t i = 0; i < count; i++) {
        double value = values[i];
        if (digits) { /* round through text, which then prints short */
            snprintf(text, sizeof text, "%.*g", digits, value);
            for (char *c = text; *c; c++)
                *c = *c == ',' ? '.' : *c; /* independent of the locale */
            volt_parse_number(text, &value);
        }
        volt_text_put(out, i ? ", " : "");
        volt_text_put(out, volt_format_number(value, text));
    }
    volt_text_put(out, "]");
}

static void write_matrix(volt_text_buffer *out, const double *values, int64_t d, int digits)
{
    volt_text_put(out, "[\n");
    for (int64_t i = 0; i < d; i++) {
        volt_text_put(out, "    ");
        write_list(out, values + i * d, d, digits);
        volt_text_put(out, i + 1 < d ? ",\n" : "\n");
    }
    volt_text_put(out, "  ]");
}

static volt_status write_origin(volt_text_buffer *out, const volt_bekk *bekk)
{
    if (bekk->tickers) {
        volt_text_put(out, ",\n  \"tickers\": [");
        for (int64_t i = 0; i < bekk->d; i++) {
            volt_text_put(out, i ? ", " : "");
            VOLT_TRY(volt_json_quote(out, bekk->tickers[i]));
        }
        volt_text_put(out, "]");
    }
    if (bekk->first_date && bekk->last_date) {
        volt_text_put(out, ",\n  \"dates\": [");
        VOLT_TRY(volt_json_quote(out, bekk->first_date));
        volt_text_put(out, ", ");
        VOLT_TRY(volt_json_quote(out, bekk->last_date));
        volt_text_put(out, "]");
    }
    if (bekk->command) {
        volt_text_put(out, ",\n  \"command\": ");
        VOLT_TRY(volt_json_quote(out, bekk->command));
    }
    return VOLT_OK;
}

static volt_status write_object(volt_text_buffer *out, const volt_bekk *bekk)
{
    char number[VOLT_NUMBER_LENGTH];
    int64_t d = bekk->d;
    volt_text_put(out, "{\n  \"C\": ");
    write_matrix(out, bekk->C, d, 0);
    volt_text_put(out, ",\n  \"a\": ");
    write_list(out, bekk->a, d, 0);
    volt_text_put(out, ",\n  \"b\": ");
    write_list(out, bekk->b, d, 0);
    if (bekk->C_error) {
        volt_text_put(out, ",\n  \"C_error\": ");
        write_matrix(out, bekk->C_error, d, 4);
        volt_text_put(out, ",\n  \"a_error\": ");
        write_list(out, bekk->a_error, d, 4);
        volt_text_put(out, ",\n  \"b_error\": ");
        write_list(out, bekk->b_error, d, 4);
    }
    if (isfinite(bekk->loglik)) {
        volt_text_put(out, ",\n  \"loglik\": ");
        volt_text_put(out, volt_format_number(bekk->loglik, number));
    }
    if (bekk->observations > 0) {
        snprintf(number, sizeof number, "%" PRId64, bekk->observations);
        volt_text_put(out, ",\n  \"observations\": ");
        volt_text_put(out, number);
    }
    if (bekk->converged >= 0)
        volt_text_put(out, bekk->converged ? ",\n  \"converged\": true" : ",\n  \"converged\": false");
    VOLT_TRY(write_origin(out, bekk));
    volt_text_put(out, "\n}\n");
    return out->failed ? VOLT_ERR_MEMORY : VOLT_OK;
}

volt_status volt_bekk_to_json(const volt_bekk *bekk, char **text)
{
    VOLT_REQUIRE(text, VOLT_ERR_ARGUMENT, "the output for the text is NULL");
    VOLT_TRY(volt_bekk_check(bekk));
    volt_text_buffer written = {0};
    volt_status status = write_object(&written, bekk);
    if (status == VOLT_OK)
        *text = written.bytes;
    else
        volt_free(written.bytes);
    return status == VOLT_ERR_ARGUMENT
               ? volt_fail(status, "a ticker, date or command is not UTF-8, and cannot be written as JSON")
               : status;
}

/* ---- read ------------------------------------------------------------------------------------- */

/* Reads `count` finite numbers; `where` names the list in a message. */
static volt_status read_list(const json_t *list, int64_t count, const char *where, double *values)
{
    VOLT_REQUIRE(json_is_array(list) && (int64_t)json_array_size(list) == count, VOLT_ERR_FORMAT,
                 "%s must be a list of %" PRId64 " numbers", where, count);
    for (int64_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, (size_t)i);
        VOLT_REQUIRE(json_is_number(item), VOLT_ERR_FORMAT, "number %" PRId64 " of %s is not a number", i + 1,
                     where);
        values[i] = json_number_value(item) + 0.0; /* -0.0 becomes 0: '-0' would be an integer */
        VOLT_REQUIRE(isfinite(values[i]), VOLT_ERR_NOT_FINITE, "number %" PRId64 " of %s is not finite", i + 1,
                     where);
    }
    return VOLT_OK;
}

/* Reads the rows of a d x d upper triangular matrix. */
static volt_status read_matrix(const json_t *rows, int64_t d, const char *name, double *values)
{
    char where[64];
    VOLT_REQUIRE(json_is_array(rows) && (int64_t)json_array_size(rows) == d, VOLT_ERR_FORMAT,
                 "\"%s\" must be a list of %" PRId64 " rows (the length of \"a\")", name, d);
    for (int64_t i = 0; i < d; i++) {
        snprintf(where, sizeof where, "row %" PRId64 " of \"%s\"", i + 1, name);
        VOLT_TRY(read_list(json_array_get(rows, (size_t)i), d, where, values + i * d));
        for (int64_t j = 0; j < i; j++)
            VOLT_REQUIRE(values[i * d + j] == 0, VOLT_ERR_FORMAT,
                         "\"%s\" must be upper triangular, but its entry (%" PRId64 ", %" PRId64 ") is %g",
                         name, i + 1, j + 1, values[i * d + j]);
    }
    return VOLT_OK;
}

static volt_status read_errors(const json_t *object, volt_bekk *bekk)
{
    const json_t *C = json_object_get(object, "C_error");
    const json_t *a = json_object_get(object, "a_error"), *b = json_object_get(object, "b_error");
    if (!C && !a && !b)
        return VOLT_OK;
    VOLT_TRY(volt_bekk_allocate_errors(bekk));
    VOLT_TRY(read_matrix(C, bekk->d, "C_error", bekk->C_error));
    VOLT_TRY(read_list(a, bekk->d, "\"a_error\"", bekk->a_error));
    return read_list(b, bekk->d, "\"b_error\"", bekk->b_error);
}

/* Reads a list of `count` texts; a missing list is allowed. */
static volt_status read_texts(const json_t *object, const char *key, int64_t count, const char **texts,
                              int *found)
{
    const json_t *list = json_object_get(object, key);
    *found = list && !json_is_null(list);
    if (!*found)
        return VOLT_OK;
    VOLT_REQUIRE(json_is_array(list) && (int64_t)json_array_size(list) == count, VOLT_ERR_FORMAT,
                 "\"%s\" must be a list of %" PRId64 " texts", key, count);
    for (int64_t i = 0; i < count; i++) {
        texts[i] = json_string_value(json_array_get(list, (size_t)i));
        VOLT_REQUIRE(texts[i], VOLT_ERR_FORMAT, "entry %" PRId64 " of \"%s\" is not a text", i + 1, key);
    }
    return VOLT_OK;
}

static volt_status read_origin(const json_t *object, volt_bekk *bekk)
{
    const char *tickers[VOLT_BEKK_MAX_ASSETS], *dates[2] = {NULL, NULL};
    int has_tickers = 0, has_dates = 0;
    VOLT_TRY(read_texts(object, "tickers", bekk->d, tickers, &has_tickers));
    VOLT_TRY(read_texts(object, "dates", 2, dates, &has_dates));
    const json_t *loglik = json_object_get(object, "loglik"), *converged = json_object_get(object, "converged");
    const json_t *observations = json_object_get(object, "observations");
    VOLT_REQUIRE(!loglik || json_is_number(loglik) || json_is_null(loglik), VOLT_ERR_FORMAT,
                 "\"loglik\" must be a number");
    VOLT_REQUIRE(!observations || (json_is_integer(observations) && json_integer_value(observations) >= 0),
                 VOLT_ERR_FORMAT, "\"observations\" must be a whole number of at least 0");
    VOLT_REQUIRE(!converged || json_is_boolean(converged), VOLT_ERR_FORMAT,
                 "\"converged\" must be true or false");
    if (json_is_number(loglik))
        bekk->loglik = json_number_value(loglik) + 0.0; /* -0.0 becomes 0, as in read_list */
    if (observations)
        bekk->observations = (int64_t)json_integer_value(observations);
    if (converged)
        bekk->converged = json_is_true(converged);
    return volt_bekk_set_source(bekk, has_tickers ? tickers : NULL, dates[0], dates[1],
                                json_string_value(json_object_get(object, "command")));
}

static volt_status read_object(const json_t *object, volt_bekk **bekk)
{
    VOLT_REQUIRE(json_typeof(object) == JSON_OBJECT, VOLT_ERR_FORMAT,
                 "the BEKK parameters must be a JSON object");
    static const char *const keys[] = {"C", "a", "b"};
    for (int k = 0; k < 3; k++)
        VOLT_REQUIRE(json_is_array(json_object_get(object, keys[k])), VOLT_ERR_FORMAT,
                     "the BEKK parameters have no list \"%s\" (required: \"C\", \"a\" and \"b\")", keys[k]);
    const json_t *a = json_object_get(object, "a");
    int64_t d = (int64_t)json_array_size(a);
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MAX_ASSETS, VOLT_ERR_FORMAT,
                 "\"a\" must have 1 to %d numbers (got %" PRId64 ")", VOLT_BEKK_MAX_ASSETS, d);
    VOLT_TRY(volt_bekk_create(d, bekk));
    VOLT_TRY(read_list(a, d, "\"a\"", (*bekk)->a));
    VOLT_TRY(read_list(json_object_get(object, "b"), d, "\"b\"", (*bekk)->b));
    VOLT_TRY(read_matrix(json_object_get(object, "C"), d, "C", (*bekk)->C));
    VOLT_TRY(read_errors(object, *bekk));
    return read_origin(object, *bekk);
}

volt_status volt_bekk_from_json(const char *text, volt_bekk **bekk)
{
    VOLT_REQUIRE(text && bekk, VOLT_ERR_ARGUMENT, "the text or the output for the BEKK parameters is NULL");
    json_t *object = NULL;
    volt_status status = volt_json_parse(text, (int64_t)strlen(text), &object);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "the BEKK parameters are not JSON");
    VOLT_TRY(status);
    volt_bekk *fresh = NULL;
    status = read_object(object, &fresh);
    json_decref(object);
    if (status == VOLT_OK)
        *bekk = fresh;
    else
        volt_bekk_free(fresh);
    return status;
}
