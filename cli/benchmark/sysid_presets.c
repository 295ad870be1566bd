/* cli/benchmark/sysid_presets.c: settings that long searches found on training rows, so that a figure takes minutes. */
#include "benchmark/sysid.h"

#include <string.h>

const sysid_setting sysid_presets[] = {
    {.name = "wh-1",
     .set = "wh",
     .kernel = "memory:gamma=14.15,rho=0.01727,mu=0.8208,pole=0.72577,pair=0.8527,angle=0.17091 + "
               "7.353*fir:mu=0.9072,corr=0.2975",
     .alpha = 3.5e-5,
     .first = 28000,
     .washout = 300,
     .rows = 11700,
     .how = "Found by evolution strategies on training rows: fitted on 1700, simulated on three other "
            "stretches of 2250 rows."},
    {.name = "silverbox-1",
     .set = "silverbox",
     .kernel = "fading:gamma=0.25645,rho=0.27281 + 100000*fir:mu=0.11402,corr=0.072815",
     .alpha = 2.5e-7,
     .feedback_weight = 3.6538,
     .first = 67000,
     .washout = 300,
     .rows = 7700,
     .how = "Found by evolution strategies on training rows: fitted on 2000 rows of small amplitude, simulated "
            "on three stretches "
            "that contain the largest."},
    {.name = "tanks-1",
     .set = "tanks",
     .kernel = "volterra:lift=rbf,gamma=0.1969,lambda_coef=0.9781,pole=0.9314 + "
               "0.1176*volterra:lift=rbf,gamma=0.417,lambda_coef=0.97096,pole=0.4062 + "
               "0.042*fir:mu=0.9426,corr=0.5135",
     .alpha = 0.077,
     .first = 0,
     .washout = 0,
     .rows = 1024,
     .how = "Found by evolution strategies on training rows: eight blocks of 128 rows, each simulated by a "
            "model fitted on the "
            "others."},
    /* More rows, for a GPU: behind those that are run when none is named. */
    {.name = "wh-2",
     .set = "wh",
     .kernel = "memory:gamma=14.15,rho=0.01727,mu=0.8208,pole=0.72577,pair=0.8527,angle=0.17091 + "
               "7.353*fir:mu=0.9072,corr=0.2975",
     .alpha = 1.526e-5,
     .first = 28000,
     .washout = 300,
     .rows = 70000,
     .how = "The kernel of wh-1, which was better than the best of 7360 draws; alpha of a model of 40,000 "
            "rows, simulated "
            "on the 10,000 after them."},
    {.name = "silverbox-2",
     .set = "silverbox",
     .kernel = "fading:gamma=1.9799,rho=0.32819 + 700140*fir:mu=0.31972,corr=0.35146",
     .alpha = 3.906e-7,
     .feedback_weight = 3.1128,
     .first = 67000,
     .washout = 300,
     .rows = 38000,
     .how = "The best of 1154 draws on 16,000 training rows; alpha of a model of 28,000 rows, simulated on the "
            "10,000 "
            "after them. The best inside the amplitudes of training, not beyond them."},
};
const int n_sysid_presets = (int)(sizeof sysid_presets / sizeof sysid_presets[0]);

name_list sysid_preset_names(void)
{
    name_list list = {0};
    for (int i = 0; i < n_sysid_presets; i++)
        names_add(&list, sysid_presets[i].name);
    return list;
}

const sysid_setting *sysid_preset_of(const sysid_set *set)
{
    for (int i = 0; i < n_sysid_presets; i++)
        if (strcmp(sysid_presets[i].set, set->name) == 0)
            return &sysid_presets[i];
    return NULL;
}
