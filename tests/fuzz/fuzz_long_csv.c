/* tests/fuzz/fuzz_long_csv.c: libFuzzer target for the reader of collections in long CSV files. */
#include "fuzz/fuzz_input.h"

#include "fuzz/fuzz_collection.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_collection(fuzz_input_path(bytes, size), volt_long_csv_read);
    return 0;
}
