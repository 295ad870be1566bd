/* tests/fuzz/fuzz_ts.c: libFuzzer target for the reader of .ts files. */
#include "fuzz/fuzz_input.h"

#include "fuzz/fuzz_collection.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_collection(fuzz_input_path(bytes, size), volt_ts_read);
    return 0;
}
