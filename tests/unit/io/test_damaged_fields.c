/* tests/unit/io/test_damaged_fields.c: files with valid checksums and invalid contents: models, streams,
 * learners and checkpoints with a missing or changed field. */
#include "io/safetensors/safetensors.h"
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "support/tensor_fields.h"
#include "volterra/live.h"
#include "volterra/model.h"

#include <unistd.h>

enum { ROWS = 14, D = 2, Q = 2 };
static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* ---- kinds of files --------------------------------------------------------------------------- */

static double X[(ROWS + 2) * D];
static volt_model *model; /* of a learner or stream */

typedef volt_status load_fn(const char *path);

static volt_status load_model(const char *path)
{
    volt_model *loaded = NULL;
    volt_status status = volt_model_load(path, &loaded);
    assert_true((status == VOLT_OK) == (loaded != NULL));
    volt_model_free(loaded);
    return status;
}

static volt_status load_stream(const char *path)
{
    volt_live *stream = NULL;
    volt_status status = volt_live_load(model, NULL, path, &stream);
    assert_true((status == VOLT_OK) == (stream != NULL));
    volt_live_free(stream);
    return status;
}

static volt_status load_learner(const char *path)
{
    volt_live *learner = NULL;
    volt_status status = volt_live_load(model, NULL, path, &learner);
    assert_true((status == VOLT_OK) == (learner != NULL));
    volt_live_free(learner);
    return status;
}

static volt_fit_options default_options(void)
{
    static const int64_t anchors[] = {0, 1};
    static const char *const names[] = {"first", "second"};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.input_names = options.output_names = names;
    options.anchors = anchors;
    options.ahead = 1;
    return options;
}

static volt_model *fit_model(const char *text, const volt_fit_options *options, const double *Y, int64_t q)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *fitted = NULL;
    check_ok(
        volt_model_fit(kernel, volt_view_of(X, ROWS, D), volt_view_of(Y, ROWS, q), options, nowhere, &fitted));
    volt_kernel_free(kernel);
    return fitted;
}

static const char *save_model(volt_model *fitted)
{
    static char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("whole"));
    check_ok(volt_model_save(fitted, path, (volt_progress){0}));
    volt_model_free(fitted);
    return path;
}

static volt_status refit(const char *path)
{
    volt_fit_options options = default_options();
    volt_kernel *kernel = plain_parse("volterra");
    volt_model *fitted = NULL;
    options.solver = "pcg";
    options.landmarks = 5;
    options.checkpoint = path;
    volt_status status = volt_model_fit(kernel, volt_view_of(X, ROWS, D), volt_view_of(X + D, ROWS, D),
                                        &options, nowhere, &fitted);
    assert_true((status == VOLT_OK) == (fitted != NULL));
    volt_model_free(fitted);
    volt_kernel_free(kernel);
    return status;
}

/* ---- every field ------------------------------------------------------------------------------ */

/* Kinds of damage to a field. */
typedef enum damage { NO_TEXT, OTHER_TEXT, NO_TENSOR, LONGER, NOT_FINITE, EMPTY, DAMAGES } damage;
static const char *const damage_words[] = {"no text",      "another text", "no tensor",
                                           "one more row", "not finite",   "empty"};

/* Writes the file with damage to field i and loads it. */
static volt_status load_damaged(const fields *f, damage how, int64_t i, load_fn *load)
{
    fields g = *f;
    double *numbers = NULL;
    if (how == NO_TEXT)
        g.metadata[i] = g.metadata[--g.n_metadata];
    else if (how == OTHER_TEXT)
        g.metadata[i].value = "?";
    else if (how == NO_TENSOR)
        g.tensors[i] = g.tensors[--g.n_tensors];
    else {
        volt_tensor *tensor = &g.tensors[i];
        int64_t count = numbers_of(tensor), more = tensor->cols > 0 ? tensor->cols : 1;
        numbers = calloc((size_t)(count + more), sizeof *numbers);
        assert_non_null(numbers);
        memcpy(numbers, tensor->data, (size_t)count * sizeof *numbers);
        if (how == NOT_FINITE)
            numbers[count > 0 ? count - 1 : 0] = NAN;
        tensor->rows = how == LONGER || (how == NOT_FINITE && count == 0) ? tensor->rows + 1 : tensor->rows;
        tensor->rows = how == EMPTY ? 0 : tensor->rows;
        tensor->data = numbers;
    }
    const char *path = scratch_path("damaged");
    check_ok(volt_safetensors_write(path, g.tensors, g.n_tensors, g.metadata, g.n_metadata));
    free(numbers);
    failing_alloc_start(0);
    volt_status status = load(path);
    assert_int_equal(failing_alloc_live(), 0);
    failing_alloc_stop();
    return status;
}

/* Fields that may be missing or different in every file and every model: predictions do not need them. */
static const char *const for_all = "no text library, another text library, ";
static const char *const for_models =
    "no text input_names, no text output_names, no tensor errors, no tensor input_range, no text first_rows, "
    "another text first_rows, ";

/* Every damage to every field is rejected with an error that names the file, except those listed here. */
static void damage_every_field(const char *kind, const char *path, load_fn *load, const char *fine)
{
    fields f = read_fields(path);
    check_ok(load(path));
    for (damage how = NO_TEXT; how < DAMAGES; how++)
        for (int64_t i = 0; i < (how <= OTHER_TEXT ? f.n_metadata : f.n_tensors); i++) {
            const char *name = how <= OTHER_TEXT ? f.metadata[i].key : f.tensors[i].name;
            char label[128];
            snprintf(label, sizeof label, "%s %s, ", damage_words[how], name);
            bool is_fine = strstr(fine, label) || strstr(for_all, label) ||
                           (load == load_model && strstr(for_models, label));
            volt_status status = load_damaged(&f, how, i, load);
            if (status != (is_fine ? VOLT_OK : VOLT_ERR_FORMAT) ||
                (!is_fine && !strstr(volt_error_detail(), "damaged")))
                fail_msg("%s, %sstatus %s (%s)", kind, label, volt_status_message(status), volt_error_detail());
        }
    free_fields(&f);
}

/* ---- changed fields ----------------------------------------------------------------------------- */

static double storage[1 << 12]; /* for changed tensors */
static int64_t storage_used;

static void set_text(fields *f, const char *key, const char *text)
{
    int64_t i = 0;
    while (i < f->n_metadata && strcmp(f->metadata[i].key, key) != 0)
        i++;
    if (i == f->n_metadata) /* an added tensor */
        f->n_metadata++;
    f->metadata[i] = (volt_metadatum){key, text};
}

/* The tensor in this shape, truncated or padded with zeros. */
static double *set_shape(fields *f, const char *name, int64_t rows, int64_t cols)
{
    int64_t i = 0, count = 0;
    while (i < f->n_tensors && strcmp(f->tensors[i].name, name) != 0)
        i++;
    if (i == f->n_tensors)
        f->n_tensors++;
    else
        count = numbers_of(&f->tensors[i]);
    volt_tensor fresh = {name, rows, cols, storage + storage_used};
    double *numbers = storage + storage_used;
    int64_t needed = numbers_of(&fresh);
    assert_true(storage_used + needed <= (int64_t)(sizeof storage / sizeof *storage));
    for (int64_t k = 0; k < needed; k++)
        numbers[k] = k < count ? f->tensors[i].data[k] : 0;
    storage_used += needed;
    f->tensors[i] = fresh;
    return numbers;
}

static void set_number(fields *f, const char *name, int64_t index, double value)
{
    const volt_tensor *tensor = volt_safetensors_tensor(f->file, name);
    assert_non_null(tensor);
    assert_true(index < numbers_of(tensor));
    set_shape(f, name, tensor->rows, tensor->cols)[index] = value;
}

static volt_status load_fields(const fields *f, load_fn *load)
{
    const char *path = scratch_path("damaged");
    check_ok(volt_safetensors_write(path, f->tensors, f->n_tensors, f->metadata, f->n_metadata));
    failing_alloc_start(0);
    volt_status status = load(path);
    assert_int_equal(failing_alloc_live(), 0);
    failing_alloc_stop();
    storage_used = 0;
    return status;
}

/* A tensor value or a text that is rejected with this message. */
typedef struct lie {
    const char *field;
    int64_t index; /* TEXT: metadata; ROWS_ONLY: `number` rows, same columns; COLS_ONLY */
    double number;
    const char *text, *sentence;
} lie;
enum { TEXT = -1, ROWS_ONLY = -2, COLS_ONLY = -3 };

static void refuse_lies(const char *path, load_fn *load, const lie *lies, size_t count)
{
    fields whole = read_fields(path);
    for (size_t i = 0; i < count; i++) {
        const lie *l = &lies[i];
        fields f = whole;
        const volt_tensor *tensor = volt_safetensors_tensor(f.file, l->field);
        if (l->index == TEXT)
            set_text(&f, l->field, l->text);
        else if (l->index == ROWS_ONLY)
            set_shape(&f, l->field, (int64_t)l->number, tensor ? tensor->cols : 0);
        else if (l->index == COLS_ONLY)
            set_shape(&f, l->field, tensor->rows, (int64_t)l->number);
        else
            set_number(&f, l->field, l->index, l->number);
        check_fails(load_fields(&f, load), VOLT_ERR_FORMAT, l->sentence);
        assert_non_null(strstr(volt_error_detail(), "damaged"));
    }
    free_fields(&whole);
}

#define REFUSE_LIES(path, load, lies) refuse_lies(path, load, lies, sizeof(lies) / sizeof *(lies))

/* ---- models ----------------------------------------------------------------------------------- */

static const int64_t lengths[] = {6, ROWS - 6};

static void model_of_changes(void **state)
{
    static const lie lies[] = {
        {"inputs", 0, 1e200, NULL, "beyond the model's radius"},
        {"inputs", COLS_ONLY, 0, NULL, "its tensors are empty"},
        {"coefficients", COLS_ONLY, 0, NULL, "its tensors are empty"},
        {"radii", 0, -1, NULL, "radius 1 -1"},
        {"kernel", TEXT, 0, "rbf:pole=0.3 + rbf:pole=0.1 + rbf:pole=0.2 + rbf:pole=0.4 + rbf:pole=0.5",
         "which 5 filters cannot share"},
        {"no_last_target", TEXT, 0, "perhaps", "\"no_last_target\" \"perhaps\""},
        {"washout", TEXT, 0, "14", "its washout or feedback do not fit its tensors"},
        {"target_scale", 1, 0, NULL, "\"target_scale\" above 0 got"},
        {"error_scales", COLS_ONLY, 3, NULL, "columns 1 2 3"},
        {"error_scales", 0, -1, NULL, "contains -1, which is below 0"},
        {"far_errors", ROWS_ONLY, 0, NULL, "does not fit the other tensors"},
        {"shares", ROWS_ONLY, 2, NULL, "a share of the readout 0"},
        {"shares", ROWS_ONLY, 1, NULL, "does not fit the other tensors"},
        {"recent", COLS_ONLY, 0, NULL, "\"recent\" is empty"},
        {"columns", 3, 0, NULL, "has weight 0"},
        {"columns", 4, 1e9, NULL, "column 1 of the recipe has weight"},
        {"alphas", 1, -1, NULL, "alpha of output 2 is -1"},
        {"anchors", 1, 2, NULL, "whole numbers from -1 to 1"},
        {"factor_alphas", 0, 0, NULL, "\"factor_alphas\" contains 0, which is not above 0"},
        {"factor_alphas", 0, 0.2, NULL, "\"factor_alphas\" has 0.2 for output 1, whose alpha is 0.1"},
        {"alphas", 0, 0.2, NULL, "\"alpha\" is 0.1, but that of the first output in tensor \"alphas\" 0.2"},
        {"alpha", TEXT, 0, "0.5", "\"alpha\" is 0.5"},
        {"reservoirs", TEXT, 0, "1", "\"reservoirs\" is 1, but its kernel has 0"},
        {"states_readout", ROWS_ONLY, 3, NULL, "\"states_readout\", but its kernel has no states"},
        {"factor_outputs", 0, 1, NULL, "whole numbers from -1 to 0"},
        {"factor_outputs", 1, 2, NULL, "whole numbers from 0 to 1"},
        {"factors", 0, -1, NULL, "-1 on its diagonal, which is below 0"},
        {"factors", ROWS_ONLY, 3, NULL, "there are 3 factors, and 2 outputs"},
        {"records", 0, 0, NULL, "damaged"},
        {"input", TEXT, 0, "level", "\"input\" is level, and has no tensor"},
        {"pending_inputs", ROWS_ONLY, 0, NULL, "\"pending_inputs\" has no rows"},
    };
    volt_fit_options options = default_options();
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_BOTH;
    options.season = 3;
    options.keep_factor = 1;
    options.records = lengths;
    options.n_records = 2;
    options.pending = volt_view_of(X, 2, D);
    const char *path = save_model(fit_model("fir:mu=0.5 + rbf:pole=0.3", &options, X + D, Q));
    damage_every_field("changes", path, load_model,
                       "no text radius, another text radius, no tensor factor_outputs, one more row recent, "
                       "no tensor pending_inputs, one more row pending_inputs, ");
    REFUSE_LIES(path, load_model, lies);
    fields f = read_fields(path); /* above 1 */
    double *shares = set_shape(&f, "shares", Q, 0);
    shares[0] = 0.5;
    shares[1] = 2;
    check_fails(load_fields(&f, load_model), VOLT_ERR_FORMAT, "share 2");
    set_shape(&f, "shares", Q, 0)[1] = 1;
    check_ok(load_fields(&f, load_model));
    set_shape(&f, "inputs", 0, D);
    set_shape(&f, "coefficients", 0, Q);
    check_fails(load_fields(&f, load_model), VOLT_ERR_FORMAT, "tensors");
    free_fields(&f);
    f = read_fields(path);
    /* as many scales as errors, and more of both than rows, or none */
    set_shape(&f, "far_errors", ROWS + 1, Q);
    set_shape(&f, "far_error_scales", ROWS + 1, 1);
    check_fails(load_fields(&f, load_model), VOLT_ERR_FORMAT, "15 rows 1 14");
    set_shape(&f, "far_errors", 0, Q);
    set_shape(&f, "far_error_scales", 0, 1);
    check_fails(load_fields(&f, load_model), VOLT_ERR_FORMAT, "0 rows 1 14");
    free_fields(&f);
    f = read_fields(path);
    set_text(&f, "errors_frozen", "yes"); /* written by earlier versions, now ignored */
    check_ok(load_fields(&f, load_model));
    set_text(&f, "errors_frozen", "no more");
    check_ok(load_fields(&f, load_model));
    free_fields(&f);
}

static void models_of_losses(void **state)
{
    static const lie of_classes[] = {
        {"loss", TEXT, 0, "multinomial:q=1", "loss multinomial has no parameter"},
        {"loss", TEXT, 0, "quantile:q=0.1/0.9", "its 3 outputs are not a multiple of 2 levels"},
        {"duality_gap", TEXT, 0, "-1", "must be a number of at least 0"},
        {"classes", TEXT, 0, "[\"a\"]", "is not a list of 3 names"},
        {"reservoir.1", COLS_ONLY, 0, NULL, "tensor \"reservoir.1\" is empty"},
        {"reservoir.1", COLS_ONLY, 2, NULL,
         "\"reservoir.1\" is a reservoir of size 2, but its kernel has size=3"},
        {"kernel", TEXT, 0, "esn:size=10000", "a reservoir of size 3, but its kernel has size=10000"},
        {"kernel", TEXT, 0, "esn", "a reservoir of size 3, but its kernel has size="},
        {"kernel", TEXT, 0, "sas:size=3", "weights"},
        {"reservoirs", TEXT, 0, "2", "\"reservoirs\" is 2, but its kernel has 1"},
        {"anchors", 1, 0, NULL, "tensor \"anchors\" has 0 for output 2"},
    };
    static const lie of_one[] = {{"loss", TEXT, 0, "multinomial", "its 1 outputs are not 2 to"}};
    static double labels[ROWS];
    for (int64_t i = 0; i < ROWS; i++)
        labels[i] = (double)(i % 3);
    volt_fit_options options = default_options();
    options.anchors = NULL;
    options.loss = "multinomial";
    const char *path = save_model(fit_model("esn:size=3", &options, labels, 1));
    damage_every_field("classes", path, load_model, "no text reservoirs, ");
    REFUSE_LIES(path, load_model, of_classes);
    options.loss = "quantile:q=0.2/0.8";
    path = save_model(fit_model("volterra", &options, X + D, Q));
    damage_every_field("levels", path, load_model, "");
    options.loss = "quantile:q=0.2";
    path = save_model(fit_model("volterra", &options, labels, 1));
    REFUSE_LIES(path, load_model, of_one);
}

static void model_with_feedback(void **state)
{
    static const lie lies[] = {
        {"feedback_weight", TEXT, 0, "0", "its feedback weight is 0"},
        {"inputs", COLS_ONLY, 2, NULL, "of its 2 columns 2 are fed back"},
        {"fed", 1, 0, NULL, "fed-back output 1 has weight 0"},
        {"fed", 2, 1e9, NULL, "and range 1e+09 to"},
        {"feedback", TEXT, 0, "yes", "not compatible with the feedback weight"},
        {"ahead", TEXT, 0, "1", "not compatible with the feedback weight"},
        {"no_last_target", TEXT, 0, "yes", "\"no_last_target\" is yes, and \"ends_without_target\" is no"},
    };
    volt_fit_options options = default_options();
    options.ahead = 0;
    options.feedback_weight = 0.3;
    const char *path = save_model(fit_model("volterra", &options, X + D, Q));
    damage_every_field("feedback", path, load_model, "");
    REFUSE_LIES(path, load_model, lies);
}

static void models_of_other_solvers(void **state)
{
    static const lie lies[] = {
        {"landmarks", ROWS_ONLY, 2, NULL, "landmarks 2 numbers 3"},
        {"landmarks", 0, 0, NULL, "whole numbers from 1 to"},
        {"landmarks", 1, 0.5, NULL, "whole numbers from 1 to"},
        {"landmarks", 2, 14, NULL, "whole numbers from 0 to 13"},
        {"landmarks", 3, 15, NULL, "whole numbers from 1 to 14"},
        {"landmarks", 3, 7, NULL, "\"landmarks\" has records of 15 rows in all, and 14 training rows"},
        {"landmarks", ROWS_ONLY, 4, NULL, "\"landmarks\" has records of 6 rows in all"},
        {"landmarks", 2, 10, NULL, "whole numbers from 1 to 4"},
    };
    volt_fit_options options = default_options();
    options.solver = "nystrom";
    options.landmarks = 5;
    options.records = lengths;
    options.n_records = 2;
    const char *path = save_model(fit_model("volterra", &options, X + D, Q));
    damage_every_field("landmarks", path, load_model, "");
    REFUSE_LIES(path, load_model, lies);
    fields f = read_fields(path); /* more errors than rows */
    set_shape(&f, "errors", 2 * ROWS, Q);
    set_shape(&f, "error_scales", 2 * ROWS, 1);
    check_fails(load_fields(&f, load_model), VOLT_ERR_FORMAT, "rows");
    free_fields(&f);
    options = default_options();
    options.solver = "features";
    path = save_model(fit_model("esn:size=3", &options, X + D, Q));
    damage_every_field("states", path, load_model, "no text reservoirs, no tensor states_readout, ");
}

/* ---- streams, learners, checkpoints ------------------------------------------------------------- */

static const double coverages[] = {0.5, 0.6};

static void streams(void **state)
{
    static const lie lies[] = {
        {"coverages", 0, 2, NULL, "coverage"},
        {"made", ROWS_ONLY, 1, NULL, "has 1 numbers, which are not predictions"},
        {"made", ROWS_ONLY, 4, NULL, "has 4 numbers, which are not predictions"},
        {"scores", 0, 0.5, NULL, "\"scores\" does not hold errors"},
        {"scores", 0, -1, NULL, "\"scores\" does not hold errors"},
        {"scores", 0, 1e9, NULL, "\"scores\" does not hold errors"},
        {"scores", 1, -1, NULL, "\"scores\" does not hold errors"},
        {"model", TEXT, 0, "0123", "belongs to another model (0123"},
        {"version", TEXT, 0, "2", "has state format 2"},
        {"format", TEXT, 0, "volterra-model", "its format is"},
        {"learns", TEXT, 0, "yes", "window"},
    };
    double y[Q];
    volt_fit_options options = default_options();
    volt_live *stream = NULL;
    options.ahead = 0;
    options.feedback_weight = 0.3;
    model = fit_model("volterra", &options, X + D, Q);
    check_ok(volt_live_create(model, NULL, &stream));
    check_ok(volt_live_track(stream, coverages, 2));
    check_ok(volt_live_feed(stream, X, y));
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("stream"));
    check_ok(volt_live_save(stream, path));
    volt_live_free(stream);
    damage_every_field("stream", path, load_stream,
                       "another text kernel, no tensor coverages, empty recent, empty made, ");
    REFUSE_LIES(path, load_stream, lies);
    volt_model_free(model);
}

static void learners(void **state)
{
    static const lie lies[] = {
        {"forget", TEXT, 0, "0", "\"forget\" above 0"},
        {"forget", TEXT, 0, "1.5", "\"forget\" above 1.5"},
        {"window", TEXT, 0, "3", "the window has 14 rows, more than there can be"},
        {"numbers", ROWS_ONLY, 18, NULL, "the window has 18 rows, more than there can be"},
        {"numbers", 0, -1, NULL, "row 1 of the window has number -1"},
        {"numbers", 0, 0.5, NULL, "row 1 of the window has number 0.5"},
        {"numbers", 13, 17, NULL, "row 14 of the window has number 17"},
        {"numbers", 13, 16, NULL, "row pending target missing"},
        {"late", 0, 13, NULL, "whole numbers from 15 to 15"},
        {"coverages", 0, 2, NULL, "coverage"},
        {"learned", TEXT, 0, "-1", "must be a number of at least 0"},
    };
    double y[Q];
    volt_fit_options options = default_options();
    volt_live *learner = NULL;
    options.ahead = 2;
    model = fit_model("volterra", &options, X + 2 * D, Q);
    check_ok(volt_live_create(model, with_learning(), &learner));
    check_ok(volt_live_track(learner, coverages, 2));
    for (int64_t i = 0; i < 3; i++)
        check_ok(volt_live_feed(learner, X + i * D, y));
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("learner"));
    check_ok(volt_live_save(learner, path));
    damage_every_field(
        "learner", path, load_learner,
        "another text kernel, no tensor late, no tensor coverages, no tensor history, empty recent, ");
    REFUSE_LIES(path, load_learner, lies);
    fields f = read_fields(path); /* a pending row, but no row received */
    set_text(&f, "rows", "0");
    set_shape(&f, "last", 0, 0);
    check_fails(load_fields(&f, load_learner), VOLT_ERR_FORMAT, "fed");
    set_shape(&f, "last", D, 0);
    set_text(&f, "rows", "3");
    set_text(&f, "forget_what", "dynamics");
    check_ok(load_fields(&f, load_learner));
    free_fields(&f);
    check_ok(volt_live_drop(learner, ROWS)); /* no row before the pending ones */
    check_ok(volt_live_save(learner, path));
    check_ok(load_learner(path));
    volt_live_free(learner);
    volt_model_free(model);
}

/* A sum of two members, and its state. */
static void sums(void **state)
{
#define FINE(m)                                                                                              \
    "no text " m "library, another text " m "library, no text " m "input_names, no text " m "output_names, " \
    "no tensor " m "errors, no tensor " m "input_range, no text " m "first_rows, another text " m            \
    "first_rows, "
#define FINE_STATE(m) FINE(m) "another text " m "kernel, empty " m "recent, empty " m "made, "
    static const lie lies[] = {
        {"sum", TEXT, 0, "mean", "average residual \"mean\""},
        {"weights", ROWS_ONLY, 1001, NULL, "1 1000 1001"},
        {"member1.version", TEXT, 0, "7", "member 1"},
        {"member1.ahead", TEXT, 0, "3", "member 2 3 0"},
    };
    static const lie state_lies[] = {{"member2.rows", TEXT, 0, "3", "\"rows\" 2 3 1"}};
    double y[Q];
    volt_fit_options options = default_options();
    volt_live *stream = NULL;
    options.ahead = 0;
    const volt_model *members[2] = {fit_model("volterra", &options, X + D, Q)};
    options.feedback_weight = 0.3;
    members[1] = fit_model("volterra", &options, X + D, Q);
    check_ok(volt_model_sum(members, NULL, 2, VOLT_SUM_RESIDUAL, &model));
    check_ok(volt_live_create(model, NULL, &stream));
    check_ok(volt_live_feed(stream, X, y));
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("stream"));
    check_ok(volt_live_save(stream, path));
    damage_every_field("state of a sum", path, load_stream,
                       FINE_STATE("") FINE_STATE("member1.") FINE_STATE("member2."));
    REFUSE_LIES(path, load_stream, state_lies);
    volt_live_free(stream);
    volt_model_free((volt_model *)members[0]);
    volt_model_free((volt_model *)members[1]);
    const char *whole = save_model(model);
    damage_every_field("sum", whole, load_model, FINE("member1.") FINE("member2."));
    REFUSE_LIES(whole, load_model, lies);
}

static void checkpoints(void **state)
{
    enum { SIZE = 2, RESIDUAL = 3 }; /* indices within a column */
    static const lie lies[] = {
        {"version", TEXT, 0, "7", "has checkpoint format 7"},
        {"fit", TEXT, 0, "0123", "belongs to another fit (0123"},
        {"numbers", SIZE, -1, NULL, "\"numbers\" does not hold the state"},
        {"numbers", RESIDUAL, -1, NULL, "\"numbers\" does not hold the state"},
    };
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("checkpoint"));
    check_ok(refit(path));
    damage_every_field("checkpoint", path, refit, "another text kernel, ");
    REFUSE_LIES(path, refit, lies);
}

static int make_rows(void **state)
{
    volt_rng rng = test_rng(5201);
    double *rows = random_rows(&rng, ROWS + 2, D, 1);
    memcpy(X, rows, sizeof X);
    free(rows);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(model_of_changes),
                                       cmocka_unit_test(models_of_losses),
                                       cmocka_unit_test(model_with_feedback),
                                       cmocka_unit_test(models_of_other_solvers),
                                       cmocka_unit_test(streams),
                                       cmocka_unit_test(learners),
                                       cmocka_unit_test(sums),
                                       cmocka_unit_test(checkpoints)};
    return cmocka_run_group_tests_name("damaged_fields", tests, make_rows, NULL);
}
