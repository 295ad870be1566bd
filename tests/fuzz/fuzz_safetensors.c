/* tests/fuzz/fuzz_safetensors.c: libFuzzer target for the safetensors reader.
 *
 * The checksum rejects most mutations. The bytes are therefore read twice: unchanged, and with a corrected
 * checksum if the file has one. */
#include "fuzz/fuzz_input.h"
#include "io/safetensors/safetensors.h"

#include <stdlib.h>
#include <string.h>

static void read_file(const char *path)
{
    volt_safetensors *file = NULL;
    if (volt_safetensors_read(path, &file))
        return;
    double sum = 0;
    static const char *const names[] = {"a", "b", "X"};
    for (int i = 0; i < 3; i++) {
        const volt_tensor *tensor = volt_safetensors_tensor(file, names[i]);
        int64_t length = !tensor ? 0 : tensor->cols > 0 ? tensor->rows * tensor->cols : tensor->rows;
        for (int64_t k = 0; k < length; k++)
            sum += tensor->data[k];
    }
    volatile double kept = sum; /* the reading itself is the test */
    (void)kept;
    const char *checksum = volt_safetensors_metadata(file, "checksum");
    if (!checksum || strlen(checksum) != SAFETENSORS_DIGITS)
        abort();
    volt_safetensors_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    read_file(fuzz_input_path(bytes, size));
    if (size < SAFETENSORS_DIGITS_AT + SAFETENSORS_DIGITS)
        return 0;
    char digits[SAFETENSORS_DIGITS + 1];
    uint8_t *mended = malloc(size);
    if (!mended)
        return 0;
    memcpy(mended, bytes, size);
    memcpy(mended + SAFETENSORS_DIGITS_AT, SAFETENSORS_NO_CHECKSUM, SAFETENSORS_DIGITS);
    safetensors_crc_digits(safetensors_crc(0, mended, size), digits);
    memcpy(mended + SAFETENSORS_DIGITS_AT, digits, SAFETENSORS_DIGITS);
    read_file(fuzz_input_path(mended, size));
    free(mended);
    return 0;
}
