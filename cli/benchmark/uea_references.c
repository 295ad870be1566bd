/* cli/benchmark/uea_references.c: accuracies of other methods on the archive's own splits. */
#include "benchmark/uea.h"

const uea_reference uea_references[] = {
    {"BasicMotions", 0.975, 1},
    {"ERing", 0.9148148148148149, 0.9777777777777777},
    {"JapaneseVowels", 0.9486486486486486, 0.9891891891891892}, /* MiniRocket: series brought to one length */
    {"NATOPS", 0.8833333333333333, 0.9444444444444444},
};
const int n_uea_references = (int)(sizeof uea_references / sizeof uea_references[0]);
const char uea_reference_source[] = "aeon 1.6.0 on the same files (bench/uea_peers.py)";
