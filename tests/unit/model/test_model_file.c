/* tests/unit/model/test_model_file.c: saved models load unchanged, and invalid files are rejected. */
#define _GNU_SOURCE
#include "io/safetensors/safetensors.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* ---- a directory for the files ---------------------------------------------------------------- */

static char folder[512], path[600];

static int make_folder(void **state)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/volterra_model_XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    return 0;
}

static int remove_folder(void **state)
{
    unlink(path);
    return rmdir(folder); /* fails if a file is left */
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(dir);
    return count;
}

static char *read_bytes(const char *from, size_t *size)
{
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *to, const char *bytes, size_t size)
{
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- models ----------------------------------------------------------------------------------- */

static volt_model *fit_model(const char *text, volt_rng *rng, int64_t n, int64_t d,
                             const volt_fit_options *options)
{
    volt_kernel *kernel = plain_parse(text);
    double *X = random_rows(rng, n + 1, d, 3);
    volt_model *model = NULL;
    check_ok(
        volt_model_fit(kernel, volt_view_of(X, n, d), volt_view_of(X + d, n, d), options, nowhere, &model));
    free(X);
    volt_kernel_free(kernel);
    return model;
}

static volt_model *load(void)
{
    volt_model *model = NULL;
    check_ok(volt_model_load(path, &model));
    return model;
}

static void same_names(const char *const *a, const char *const *b, int64_t count)
{
    assert_true(!a == !b);
    for (int64_t i = 0; a && i < count; i++)
        assert_string_equal(a[i], b[i]);
}

static void same_info(const volt_model *a, const volt_model *b)
{
    volt_model_info x = {.struct_size = sizeof x}, y = {.struct_size = sizeof y};
    volt_model_get_info(a, &x);
    volt_model_get_info(b, &y);
    assert_true(x.n == y.n && x.d == y.d && x.q == y.q && x.washout == y.washout && x.ahead == y.ahead);
    assert_true(x.intercept == y.intercept && x.scaled == y.scaled && x.feedback == y.feedback);
    assert_string_equal(x.kernel, y.kernel);
    assert_string_equal(x.library, y.library);
    assert_memory_equal(x.facts, y.facts, sizeof *x.facts);
    assert_true(x.alpha == y.alpha && x.rcond == y.rcond && x.input_scale == y.input_scale);
    size_t q = (size_t)x.q * sizeof(double);
    assert_memory_equal(x.coefficients, y.coefficients, (size_t)x.n * q);
    assert_memory_equal(x.intercepts, y.intercepts, q);
    assert_memory_equal(x.target_mean, y.target_mean, q);
    assert_memory_equal(x.target_scale, y.target_scale, q);
    assert_memory_equal(x.input_shift, y.input_shift, (size_t)x.d * sizeof(double));
    const char *notes[2][sizeof x.notes / sizeof(char *)];
    memcpy(notes[0], &x.notes, sizeof x.notes);
    memcpy(notes[1], &y.notes, sizeof y.notes);
    for (size_t i = 0; i < sizeof notes[0] / sizeof *notes[0]; i++) {
        assert_true(!notes[0][i] == !notes[1][i]);
        if (notes[0][i])
            assert_string_equal(notes[0][i], notes[1][i]);
    }
    same_names(x.input_names, y.input_names, x.d);
    same_names(x.output_names, y.output_names, x.q);
}

enum { H = 40 };

static void same_forecasts(const volt_model *a, const volt_model *b, int64_t d, int feedback, volt_rng *rng)
{
    double *X = random_rows(rng, H, d, 4), *first = new_matrix(H, d), *second = new_matrix(H, d);
    size_t bytes = (size_t)(H * d) * sizeof(double);
    for (int start = 0; start < 2; start++) {
        volt_predict_options options = {.struct_size = sizeof(volt_predict_options),
                                        .start = start ? VOLT_START_RESET : VOLT_START_CONTINUE};
        check_ok(volt_model_predict(a, volt_view_of(X, H, d), &options, volt_matrix_of(first, H, d), NULL));
        check_ok(volt_model_predict(b, volt_view_of(X, H, d), &options, volt_matrix_of(second, H, d), NULL));
        assert_memory_equal(first, second, bytes);

        volt_live *s = NULL, *t = NULL;
        check_ok(volt_live_create(a, as_live(&options), &s));
        check_ok(volt_live_create(b, as_live(&options), &t));
        for (int i = 0; i < H; i++) {
            check_ok(volt_live_feed(s, X + i * d, first + i * d));
            check_ok(volt_live_feed(t, X + i * d, second + i * d));
        }
        assert_memory_equal(first, second, bytes);
        volt_live_free(t);
        volt_live_free(s);
    }
    if (feedback) {
        check_ok(volt_model_continue(a, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(first, H, d), NULL));
        check_ok(volt_model_continue(b, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(second, H, d), NULL));
        assert_memory_equal(first, second, bytes);
    }
    free(second);
    free(first);
    free(X);
}

static void a_loaded_model_forecasts_bit_by_bit_alike(void **state)
{
    volt_rng rng = test_rng(151);
    static const char *const coefs[] = {"volterra", "volterra:tau_coef=0.77,lambda_coef=0.999,lift=even",
                                        "volterra:lift=rbf,gamma=0.123456789,lambda_coef=0.9999"};
    for (int p = 0; p < PLAIN_KERNELS + 3; p++)
        for (int choice = 0; choice < 2; choice++) {
            const char *text = p < PLAIN_KERNELS ? plain_kernels[p].text : coefs[p - PLAIN_KERNELS];
            volt_fit_options options = volt_fit_options_default();
            options.alpha = 0.1 / 3;
            options.intercept = options.feedback = choice;
            options.washout = 3 * choice;
            options.ahead = choice;
            volt_model *model = fit_model(text, &rng, 23, 1 + p % 3, &options);
            check_ok(volt_model_save(model, path, (volt_progress){0}));
            volt_model *loaded = load();
            same_info(model, loaded);
            same_forecasts(model, loaded, 1 + p % 3, choice, &rng);

            size_t size, size_again; /* saving again writes the same file */
            char *bytes = read_bytes(path, &size);
            check_ok(volt_model_save(loaded, path, (volt_progress){0}));
            char *again = read_bytes(path, &size_again);
            assert_int_equal(size, size_again);
            assert_memory_equal(bytes, again, size);
            assert_int_equal(files_in_folder(), 1);
            free(again);
            free(bytes);
            volt_model_free(loaded);
            volt_model_free(model);
        }
}

static void names_survive(void **state)
{
    volt_rng rng = test_rng(152);
    const char *const inputs[] = {"a \"quoted\" name, with\\slash\t\n",
                                  "\xce\xb6\xcf\x84 \xe6\x97\xa5 \xf0\x9f\x93\x88"};
    const char *const outputs[] = {"", "{\"x\": [1, 2]}"};
    volt_fit_options options = volt_fit_options_default();
    options.input_names = inputs;
    options.output_names = outputs;
    options.ahead = 2;
    options.notes = (volt_model_notes){.time_end = "2020-01-01 12:00",
                                       .time_step = "3600 s",
                                       .calendar = "hour",
                                       .horizons = "1..\xe2\x88\x9e"};
    volt_model *model = fit_model("volterra", &rng, 9, 2, &options);
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    volt_model *loaded = load();
    same_info(model, loaded);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(loaded, &info);
    assert_string_equal(info.notes.time_end, "2020-01-01 12:00");
    assert_true(info.times.target.seconds == info.times.end.seconds + 7200);
    assert_string_equal(info.notes.horizons, "1..\xe2\x88\x9e");
    assert_non_null(info.notes.first_rows);
    assert_string_equal(info.input_names[0], inputs[0]);
    assert_string_equal(info.input_names[1], inputs[1]);
    assert_string_equal(info.output_names[1], outputs[1]);
    volt_model_free(loaded);
    volt_model_free(model);
}

/* For example a CSV header in Latin-1. The error is not VOLT_ERR_MEMORY. */
static void names_that_are_not_utf8_are_refused_as_such(void **state)
{
    volt_rng rng = test_rng(153);
    const char *const inputs[] = {"time", "temp\xe9rature"};
    volt_fit_options options = volt_fit_options_default();
    options.input_names = inputs;
    volt_model *model = fit_model("volterra", &rng, 9, 2, &options);
    check_fails(volt_model_save(model, path, (volt_progress){0}), VOLT_ERR_ARGUMENT, "input_names 2 UTF-8");
    assert_int_equal(files_in_folder(), 0);
    volt_model_free(model);
}

/* ---- damage ----------------------------------------------------------------------------------- */

static void refused_as_damaged(void)
{
    volt_model *model = (volt_model *)&path;
    volt_status status = volt_model_load(path, &model);
    if (status != VOLT_ERR_FORMAT || !volt_error_detail()[0])
        fail_msg("status \"%s\", sentence \"%s\"", volt_status_message(status), volt_error_detail());
    assert_ptr_equal(model, &path);
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
    volt_rng rng = test_rng(154);
    volt_model *model = fit_model("volterra:lift=rbf", &rng, 3, 1, NULL);
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    size_t size;
    char *bytes = read_bytes(path, &size);
    print_message("%zu bytes\n", size);
    for (size_t cut = size; cut-- > 0;) {
        assert_int_equal(truncate(path, (off_t)cut), 0);
        refused_as_damaged();
    }
    bytes[size] = 0; /* one byte too many */
    write_bytes(path, bytes, size + 1);
    refused_as_damaged();
    write_bytes(path, bytes, size);
    volt_model_free(load());
    free(bytes);
    volt_model_free(model);
}

static void a_file_with_any_bit_flipped_is_refused(void **state)
{
    volt_rng rng = test_rng(155);
    volt_model *model = fit_model("volterra", &rng, 2, 1, NULL);
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    size_t size;
    char *bytes = read_bytes(path, &size);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0);
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 9; bit++) { /* the ninth iteration restores the byte */
            int flipped = bit < 8 ? (unsigned char)bytes[at] ^ 1 << bit : (unsigned char)bytes[at];
            fseek(file, (long)at, SEEK_SET);
            assert_int_equal(fputc(flipped, file), flipped);
            if (bit < 8)
                refused_as_damaged();
        }
    fclose(file);
    volt_model_free(load());
    free(bytes);
    volt_model_free(model);
}

static void what_is_no_model_is_refused(void **state)
{
    volt_model *model = NULL;
    check_fails(volt_model_load(path, &model), VOLT_ERR_IO, path);
    check_fails(volt_model_load("", &model), VOLT_ERR_IO, "");
    assert_true(volt_model_load(folder, &model) != VOLT_OK);
    check_fails(volt_model_load(NULL, &model), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_model_load(path, NULL), VOLT_ERR_ARGUMENT, "NULL");
    static const char *const contents[] = {"",
                                           "x",
                                           "t,u,v\n1,2,3\n",
                                           "\x93NUMPY\x01",
                                           "\xff\xff\xff\xff\xff\xff\xff\x7f{}",
                                           "\x02\0\0\0\0\0\0\0{}"};
    static const size_t sizes[] = {0, 1, 12, 7, 10, 10};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_bytes(path, contents[i], sizes[i]);
        refused_as_damaged();
    }
    assert_null(model);
}

/* ---- invalid files with a valid checksum ------------------------------------------------------ */

enum { TENSORS = 9, METADATA = 14 };

typedef struct crafted {
    volt_tensor tensors[TENSORS];
    volt_metadatum metadata[METADATA];
    int64_t n_tensors, n_metadata;
} crafted;

/* A model of two rows, built from its fields. */
static crafted craft(void)
{
    static const double inputs[] = {1, -0.5}, coefficients[] = {0.25, -0.25}, zero = 0, one = 1;
    static const double state[] = {1.2, 1.3, 4.0 / 3}; /* state of each row, then the border */
    crafted c = {
        .tensors = {{"inputs", 2, 1, inputs},
                    {"coefficients", 2, 1, coefficients},
                    {"intercepts", 1, 0, &zero},
                    {"input_shift", 1, 0, &zero},
                    {"input_scale", 1, 0, &one},
                    {"target_mean", 1, 0, &zero},
                    {"target_scale", 1, 0, &one},
                    {"last_target", 1, 0, &one},
                    {"state", 3, 0, state}},
        .metadata = {{"format", "volterra-model"},
                     {"version", "1"},
                     {"library", "0.1.0"},
                     {"kernel", "volterra:tau=0.5,lambda=0.5"},
                     {"radius", "1"},
                     {"alpha", "0.001"},
                     {"rcond", "0.1"},
                     {"washout", "0"},
                     {"ahead", "1"},
                     {"intercept", "yes"},
                     {"scaled", "no"},
                     {"feedback", "yes"},
                     {"input_names", "[\"a\"]"},
                     {"output_names", "[\"b\"]"}},
        .n_tensors = TENSORS,
        .n_metadata = METADATA,
    };
    return c;
}

static void write_crafted(const crafted *c)
{
    check_ok(volt_safetensors_write(path, c->tensors, c->n_tensors, c->metadata, c->n_metadata));
}

/* The file is rejected, and the message contains the path and `fragment`. */
static void check_foreign(const crafted *c, const char *what, const char *fragment)
{
    write_crafted(c);
    volt_model *model = (volt_model *)&path;
    volt_status status = volt_model_load(path, &model);
    if (status != VOLT_ERR_FORMAT || !strstr(volt_error_detail(), path) || !error_names(fragment))
        fail_msg("%s: status \"%s\", sentence \"%s\", expected \"%s\"", what, volt_status_message(status),
                 volt_error_detail(), fragment);
    assert_ptr_equal(model, &path);
}

static void the_crafted_model_itself_loads(void **state)
{
    crafted c = craft();
    write_crafted(&c);
    volt_model *model = load();
    double x = 0.5, y;
    check_ok(volt_model_predict(model, volt_view_of(&x, 1, 1), NULL, volt_matrix_of(&y, 1, 1), NULL));
    /* k_0 = 1 + (1/4)/(1 - 1/8) (4/3), k_1 = 1 + (1/4)/(1 + 1/16) 1.2 */
    assert_true(fabs(y - 0.25 * (1 + 2.0 / 7 * 4 / 3) + 0.25 * (1 + 0.3 / 1.0625)) < 1e-15);
    volt_model_free(model);
}

static const struct {
    const char *key, *value, *fragment; /* value NULL: field omitted */
} wrong_metadata[] = {
    {"format", NULL, "\"format\""},
    {"format", "another", "format"},
    {"version", NULL, "\"version\""},
    {"version", "2", "\"input\""},
    {"version", "3", "\"input\""},
    {"version", "99", "format 99"},
    {"version", "0", "format 0"},
    {"version", "1.5", "whole"},
    {"version", "one", "\"one\""},
    {"version", "", "\"version\""},
    {"kernel", NULL, "\"kernel\""},
    {"kernel", "", "kernel"},
    {"kernel", "voltera:tau=0.5,lambda=0.5", "did you mean \"volterra\"?"},
    {"kernel", "volterra:tau=0.5,lambda=0.9", "lambda = 0.9"},
    {"kernel", "volterra:tau=1,lambda=0.1", "tau = 1"},
    {"radius", NULL, "\"radius\""},
    {"radius", "-1", "\"radius\""},
    {"radius", "nan", "\"radius\""},
    {"radius", "inf", "\"radius\""},
    {"radius", "0.75", "input 1 has norm 1"},
    {"alpha", "-1", "\"alpha\""},
    {"alpha", "x", "\"alpha\""},
    {"rcond", NULL, "\"rcond\""},
    {"washout", "2", "washout"},
    {"washout", "-1", "\"washout\""},
    {"washout", "0.5", "whole"},
    {"washout", "1e300", "whole"},
    {"ahead", NULL, "\"ahead\""},
    {"ahead", "-3", "\"ahead\""},
    {"ahead", "1000001", "1000001"},
    {"intercept", "1", "yes or no"},
    {"scaled", NULL, "\"scaled\""},
    {"feedback", "", "yes or no"},
    {"input_names", "[]", "1 names"},
    {"input_names", "[\"a\", \"b\"]", "1 names"},
    {"input_names", "[7]", "not a text"},
    {"input_names", "\"a\"", "1 names"},
    {"output_names", "[\"a\"", "1 names"},
};

static void wrong_metadata_are_refused(void **state)
{
    for (size_t i = 0; i < sizeof wrong_metadata / sizeof *wrong_metadata; i++) {
        crafted c = craft();
        for (int64_t m = 0; m < c.n_metadata; m++)
            if (strcmp(c.metadata[m].key, wrong_metadata[i].key) == 0) {
                if (wrong_metadata[i].value)
                    c.metadata[m].value = wrong_metadata[i].value;
                else
                    c.metadata[m] = c.metadata[--c.n_metadata];
                break;
            }
        check_foreign(&c, wrong_metadata[i].key, wrong_metadata[i].fragment);
    }
}

static void wrong_tensors_are_refused(void **state)
{
    static const double values[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, nan_values[3] = {NAN, 0.5, 0.5};
    static const double inf_values[3] = {0.5, -INFINITY, 0.5};
    for (int t = 0; t < TENSORS; t++) {
        crafted c = craft();
        volt_tensor *tensor = &c.tensors[t];
        const char *name = tensor->name;
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\"", name);
        int64_t rows = tensor->rows, cols = tensor->cols;

        tensor->data = nan_values;
        check_foreign(&c, name, "not finite");
        tensor->data = inf_values;
        if (rows * (cols ? cols : 1) > 1)
            check_foreign(&c, name, "not finite");

        tensor->data = values;
        tensor->rows = rows + 1;
        check_foreign(&c, name, t == 0 ? "\"coefficients\"" : quoted); /* first tensor: number of rows */
        tensor->rows = rows;
        if (t != 0) {                           /* more input columns are consistent up to input_shift */
            tensor->cols = cols ? cols + 1 : 1; /* a one-column matrix is not a vector */
            check_foreign(&c, name, t == 1 ? "feedback" : quoted); /* two outputs cannot feed one input */
        }
        tensor->cols = cols;
        c.tensors[t] = c.tensors[TENSORS - 1];
        c.n_tensors--;
        check_foreign(&c, name, "no tensor");
    }
}

/* Feedback with more inputs than outputs would push a row that is too short. */
static void feedback_must_fit_the_tensors(void **state)
{
    static const double inputs[] = {0.5, 0.5, 0.5, 0.5}, shift[] = {0, 0};
    crafted c = craft();
    c.tensors[0] = (volt_tensor){"inputs", 2, 2, inputs};
    c.tensors[3] = (volt_tensor){"input_shift", 2, 0, shift};
    c.metadata[12].value = "[\"a\", \"b\"]";
    check_foreign(&c, "feedback", "feedback");
}

/* Inputs that are valid for a distance kernel but outside the model's ball. */
static void inputs_beyond_the_radius_are_refused(void **state)
{
    static const double inputs[] = {1, -1.25};
    crafted c = craft();
    c.tensors[0].data = inputs;
    check_foreign(&c, "inputs", "input 2 has norm 1.25");
    c.metadata[3].value = "volterra:lift=rbf,gamma=1,lambda=0.5";
    check_foreign(&c, "inputs", "input 2 has norm 1.25");
}

/* ---- failed saves ----------------------------------------------------------------------------- */

static void saving_where_nothing_can_be_written_fails(void **state)
{
    volt_rng rng = test_rng(156);
    volt_model *model = fit_model("volterra", &rng, 5, 1, NULL);
    char nowhere_path[700];
    snprintf(nowhere_path, sizeof nowhere_path, "%s/missing/model.safetensors", folder);
    check_fails(volt_model_save(model, nowhere_path, (volt_progress){0}), VOLT_ERR_IO, "missing");
    check_fails(volt_model_save(model, folder, (volt_progress){0}), VOLT_ERR_IO, folder);
    check_fails(volt_model_save(model, "", (volt_progress){0}), VOLT_ERR_ARGUMENT, "empty");
    check_fails(volt_model_save(NULL, path, (volt_progress){0}), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_model_save(model, NULL, (volt_progress){0}), VOLT_ERR_ARGUMENT, "NULL");
    assert_int_equal(files_in_folder(), 0);
    volt_model_free(model);
}

static void the_old_file_survives_a_save_that_fails(void **state)
{
    volt_rng rng = test_rng(157);
    volt_model *small = fit_model("volterra", &rng, 5, 1, NULL),
               *large = fit_model("volterra", &rng, 300, 2, NULL);
    check_ok(volt_model_save(small, path, (volt_progress){0}));
    struct rlimit limit, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    tight = limit;
    tight.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    volt_status status = volt_model_save(large, path, (volt_progress){0});
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, VOLT_ERR_IO);
    assert_int_equal(files_in_folder(), 1);
    volt_model *loaded = load();
    same_info(small, loaded);
    volt_model_free(loaded);
    check_ok(volt_model_save(large, path, (volt_progress){0})); /* succeeds without the limit */
    loaded = load();
    same_info(large, loaded);
    volt_model_free(loaded);
    volt_model_free(large);
    volt_model_free(small);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_loaded_model_forecasts_bit_by_bit_alike),
        IN_FOLDER(names_survive),
        IN_FOLDER(names_that_are_not_utf8_are_refused_as_such),
        IN_FOLDER(a_file_cut_at_any_byte_is_refused),
        IN_FOLDER(a_file_with_any_bit_flipped_is_refused),
        IN_FOLDER(what_is_no_model_is_refused),
        IN_FOLDER(the_crafted_model_itself_loads),
        IN_FOLDER(wrong_metadata_are_refused),
        IN_FOLDER(wrong_tensors_are_refused),
        IN_FOLDER(feedback_must_fit_the_tensors),
        IN_FOLDER(inputs_beyond_the_radius_are_refused),
        IN_FOLDER(saving_where_nothing_can_be_written_fails),
        IN_FOLDER(the_old_file_survives_a_save_that_fails),
    };
    return cmocka_run_group_tests_name("model_file", tests, NULL, NULL);
}
