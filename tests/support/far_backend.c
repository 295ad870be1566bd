/* tests/support/far_backend.c: back ends whose memory this process may not touch, in the table. */
#include "support/far_backend.h"

#include "base/error.h"
#include "support/check.h"

void far_backends_register(void)
{
    far_host = (volt_host){.cpu = &volt_cpu_backend, .fail = volt_fail, .advance = volt_stage_advance};
    far_backends_present(1);
    check_ok(volt_backend_register(&far_plain));
    check_ok(volt_backend_register(&far_device));
    /* A GPU, where VOLT_CUDA_PLUGIN names the plugin; it stays open. VOLT_TEST_DEVICE may name several. */
    const char *device = getenv("VOLT_TEST_DEVICE");
    if (getenv("VOLT_CUDA_PLUGIN") && volt_set_device(device ? device : "gpu") == VOLT_OK) {
        static volt_backend gpu;
        gpu = *volt_backend_current();
        gpu.run_seconds = NULL; /* regardless of cost */
        check_ok(volt_backend_register(&gpu));
        check_ok(volt_backend_use(volt_cpu_backend.name));
    } else
        printf("# no GPU: %s\n",
               getenv("VOLT_CUDA_PLUGIN") ? volt_error_detail() : "VOLT_CUDA_PLUGIN is not set");
}

static const char *only;

void only_backend(const char *name)
{
    only = name;
}

bool all_backends_run(void)
{
    return !only;
}

void for_each_backend(void (*test)(const volt_backend *backend))
{
    for (int64_t i = 0; volt_backend_at(i); i++) {
        const volt_backend *backend = volt_backend_at(i);
        if (only && strcmp(backend->name, only) != 0)
            continue;
        printf("# back end %s\n", backend->name);
        check_ok(volt_backend_use(backend->name));
        test(backend);
        assert_true(far_backends_live() == 0);
    }
    check_ok(volt_backend_use(volt_cpu_backend.name));
}
