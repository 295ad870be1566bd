/* src/kernel/kinds/static_kernel.c: what static kernels share. */
#include "kernel/kinds/static_kernel.h"

void volt_static_resolve(volt_scan scan, int64_t window, double radius, double largest, volt_resolved *resolved)
{
    volt_resolved made = {
        .facts = {.radius = radius, .largest = largest},
        .window = window,
        .scan = scan,
    };
    *resolved = made;
}

double volt_static_gamma(const volt_kernel *kernel, int p, int64_t d, int64_t window)
{
    return kernel->present[p] ? kernel->value[p] : 1 / ((double)d * (double)window);
}
