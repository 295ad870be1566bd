/* tests/fuzz/fuzz_arff.c: libFuzzer target for the reader of .arff files. */
#include "fuzz/fuzz_input.h"

#include "fuzz/fuzz_collection.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_collection(fuzz_input_path(bytes, size), volt_arff_read);
    return 0;
}
