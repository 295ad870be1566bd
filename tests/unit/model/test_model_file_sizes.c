/* tests/unit/model/test_model_file_sizes.c: memory and time to load a model file are bounded by its size. The
 * kernel text can name a window of a million rows. A file without the state of such a window is rejected
 * before memory of that size is allocated. */
#include "base/memory.h"
#include "io/safetensors/safetensors.h"
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/kernel.h"
#include "volterra/model.h"

enum { N = 4, D = 2 };

/* ---- an allocator that counts bytes ----------------------------------------------------------- */

static size_t bytes_asked;

static void *count_bytes(size_t bytes, void *context)
{
    (void)context;
    bytes_asked += bytes;
    void *memory = NULL;
    return posix_memalign(&memory, 64, bytes ? bytes : 64) == 0 ? memory : NULL;
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

/* ---- crafted files ---------------------------------------------------------------------------- */

/* A model of N rows whose state has `length` numbers, with a valid checksum. */
static void write_model(const char *path, const char *kernel, int64_t length)
{
    static const double inputs[N * D] = {0.5, -0.5, 0.25, 0.5, -0.5, 0.1, 0.3, 0.3}, half[N * D] = {0.5, 0.5};
    double *state = calloc((size_t)length + 1, sizeof *state);
    const volt_tensor tensors[] = {
        {"inputs", N, D, inputs},     {"coefficients", N, 1, inputs}, {"intercepts", 1, 0, half},
        {"input_shift", D, 0, half},  {"input_scale", 1, 0, half},    {"target_mean", 1, 0, half},
        {"target_scale", 1, 0, half}, {"last_target", 1, 0, half},    {"state", length, 0, state},
    };
    const volt_metadatum metadata[] = {
        {"format", "volterra-model"},
        {"version", "1"},
        {"library", "0"},
        {"kernel", kernel},
        {"radius", "1"},
        {"alpha", "1"},
        {"rcond", "1"},
        {"washout", "0"},
        {"ahead", "0"},
        {"scaled", "no"},
        {"intercept", "yes"},
        {"feedback", "no"},
    };
    check_ok(volt_safetensors_write(path, tensors, sizeof tensors / sizeof *tensors, metadata,
                                    sizeof metadata / sizeof *metadata));
    free(state);
}

static void check_refused(const char *path, const char *kernel, int64_t length)
{
    /* Memory for the file, its bytes and a model of its rows: tens of times the file size, without the
     * window. */
    const size_t most = 1 << 17;
    write_model(path, kernel, length);
    const volt_allocator counting = {count_bytes, release, NULL};
    volt_model *model = NULL;
    volt_set_allocator(&counting);
    bytes_asked = 0;
    volt_status status = volt_model_load(path, &model);
    volt_set_allocator(NULL);
    if (status != VOLT_ERR_FORMAT || !strstr(volt_error_detail(), "\"state\"") ||
        (length < 1000 && bytes_asked > most))
        fail_msg("%s, state of %" PRId64 ": status \"%s\", \"%s\", %zu bytes", kernel, length,
                 volt_status_message(status), volt_error_detail(), bytes_asked);
    assert_null(model);
}

static void window_larger_than_state_is_rejected(void **state)
{
    static const char *const kernels[] = {"linear", "poly", "rbf",    "sigmoid",          "cauchy",
                                          "gak",    "sig",  "sigpde", "sig:augment=time", "sigpde:static=rbf"};
    static const int64_t windows[] = {2, 600, 30000, 1000000};
    const char *path = scratch_path("model.safetensors");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
            char text[96];
            int64_t right = (windows[i] - 1) * D;
            snprintf(text, sizeof text, "%s%swindow=%" PRId64, kernels[k], strchr(kernels[k], ':') ? "," : ":",
                     windows[i]);
            check_refused(path, text, 0);
            check_refused(path, text, 1);
            check_refused(path, text, right < 4000 ? right - 1 : 4 * N);
        }
}

static void state_with_wrong_length_is_rejected(void **state)
{
    static const struct {
        const char *text;
        int64_t right;
    } kernels[] = {
        {"volterra:tau=0.5,lambda=0.5", N + 1},
        {"fading", N + 1},
        {"memory", 2 * (N + 1)},
        {"fir", N + 1},
        {"linear", 0},
        {"rbf:window=3", 2 * D},
        {"gak:window=3", 2 * D},
        {"gak:path=rows", 0},
        {"sig:window=4", 3 * D},
    };
    const char *path = scratch_path("model.safetensors");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (int64_t length = 0; length < 2 * kernels[k].right + 2; length++)
            if (length != kernels[k].right)
                check_refused(path, kernels[k].text, length);
        volt_model *model = NULL;
        write_model(path, kernels[k].text, kernels[k].right);
        check_ok(volt_model_load(path, &model));
        volt_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_larger_than_state_is_rejected),
        cmocka_unit_test(state_with_wrong_length_is_rejected),
    };
    return cmocka_run_group_tests_name("model_file_sizes", tests, NULL, NULL);
}
