/* tests/reference/test_reservoirs_golden.c: Gram matrices of reservoirs whose states were run in 50 digits. */
#include "support/check.h"
#include "support/golden.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "support/tensor_file.h"
#include "volterra/kernel.h"

enum { MAX_TENSORS = 9 };

/* The arrays of "inputs" that are there, as a file of weights; Z is none of them. */
static const char *write_weights(golden *file)
{
    static const char *const names[] = {"A", "C", "b", "P0", "P1", "P2", "q0", "q1", "q2"};
    tensor_entry entries[MAX_TENSORS];
    int count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[32];
        snprintf(path, sizeof path, "inputs.%s", names[i]);
        if (!golden_has(file, path))
            continue;
        golden_array array = golden_array_of(file, path);
        entries[count] = (tensor_entry){.name = names[i], .dimensions = array.depth, .data = array.data};
        for (int k = 0; k < array.depth; k++)
            entries[count].shape[k] = array.shape[k];
        count++;
    }
    return tensor_file_write("weights.safetensors", entries, count);
}

/* The Gram matrix of the kernel against that at `path`. */
static void check_gram(golden *file, const char *text, const char *path)
{
    golden_array Z = golden_array_of(file, "inputs.Z"), wanted = golden_array_of(file, path);
    volt_kernel *kernel = plain_parse(text);
    double *K = new_matrix(Z.rows, Z.rows);
    check_ok(volt_gram(kernel, volt_view_of(Z.data, Z.rows, Z.cols), volt_view_of(NULL, 0, 0), NULL,
                       volt_matrix_of(K, Z.rows, Z.rows)));
    golden_check(text, wanted.data, K, wanted.count, golden_number(file, "tol"), GOLDEN_MAX_NORM);
    free(K);
    volt_kernel_free(kernel);
}

/* Every start that the file has. */
static void check_starts(const char *name, const char *kernel)
{
    golden *file = golden_load(name);
    char text[512], path[64];
    const char *weights = write_weights(file);
    for (int64_t i = 0; i < golden_length(file, "expected"); i++) {
        snprintf(path, sizeof path, "expected.%d.start", (int)i);
        snprintf(text, sizeof text, "%s,weights=%s,start=%s", kernel, weights, golden_text(file, path));
        snprintf(path, sizeof path, "expected.%d.gram", (int)i);
        check_gram(file, text, path);
    }
    golden_free(file);
}

static void echo_states(void **state)
{
    check_starts("m2_reservoir_esn", "esn:leak=1");
    check_starts("m2_reservoir_esn_leaky", "esn:leak=0.32");
}

static void state_affine(void **state)
{
    check_starts("m2_reservoir_sas", "sas:degree=2");
}

static void linear_with_polynomial_readout(void **state)
{
    golden *file = golden_load("m2_reservoir_linear_poly");
    char text[512];
    const char *weights = write_weights(file), *starts[] = {"rest", "zero"};
    for (int s = 0; s < 2; s++) {
        snprintf(text, sizeof text, "esn:activation=identity,degree=3,coef0=1.333,weights=%s,start=%s", weights,
                 starts[s]);
        check_gram(file, text, "expected.gram");
    }
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(echo_states),
        cmocka_unit_test(state_affine),
        cmocka_unit_test(linear_with_polynomial_readout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
