/* cli/benchmark/sysid_published.c: simulation errors that others have published on the same splits. */
#include "benchmark/sysid.h"

const char sysid_published_source[] = "arXiv 2405.10779, table of simulation errors";

/* Silverbox multisine, arrow, arrow without extrapolation (mV); Wiener-Hammerstein (mV); Cascaded Tanks (V, after 5 rows). */
const sysid_published sysid_published_rows[] = {
    {"LTI SS", {6.96, 14.4, 6.58, 43.4, 0.588}},
    {"LTI ARX", {6.95, 14.2, 6.59, 43.4, 0.685}},
    {"pNARX", {0.640, 2.25, 0.571, 27.3, 0.413}},
    {"GP NARX", {0.301, 0.60, 0.259, 23.1, 0.622}},
    {"MLP NARX", {2.80, 5.18, 2.40, 310, 2.04}},
    {"MLP FIR", {18.9, 20.2, 15.3, 24.8, 1.43}},
    {"RNN", {1.64, 4.88, 1.73, 6.87, 0.543}},
    {"GRU", {1.49, 2.80, 0.947, 3.97, 0.396}},
    {"LSTM", {1.50, 2.68, 0.960, 4.45, 0.490}},
    {"OLSTM", {1.51, 2.38, 1.08, 4.55, 0.471}},
    {"DT subnet (Beintema 2021)", {0.36, 1.4, 0.32, 0.241, 0.37}},
    {"CT subnet (Beintema 2023)", {0, 0, 0, 0, 0.306}},
    {"Grey-box (Worden 2018)", {0, 0, 0, 0, 0.191}},
    {"PNLSS (Paduart 2010/2012; Relan 2017)", {0, 0.26, 0, 0.42, 0.45}},
    {"TSEM (Forgione & Piga 2021a)", {0, 0, 0, 0, 0.33}},
    {"SCI (Forgione & Piga 2021a)", {0, 0, 0, 0, 0.4}},
    {"dynoNet (Forgione & Piga 2021b)", {0, 0, 0, 0.452, 0}},
};
const int n_sysid_published = (int)(sizeof sysid_published_rows / sizeof sysid_published_rows[0]);
