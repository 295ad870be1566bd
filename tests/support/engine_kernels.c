/* tests/support/engine_kernels.c: kernels that together run on every engine of the table. */
#include "support/engine_kernels.h"

#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

const char *const engine_kernels[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.8",
    "volterra:lift=rbf,gamma=0.7,lambda_coef=0.9",
    "memory:gamma=1,rho=0.5,mu=0.8",
    "recurrent:input=0.8,radius=0.7,bias=0.3,leak=0.6",
    "rbf:gamma=0.5",
    "linear:window=4",
    "cauchy:window=3",
    "gak:window=5,sigma=1",
    "sig:window=6,level=3,order=1",
    "sig:window=4,level=2,order=2",
    "gak:path=rows",
    "fir:mu=0.8",
    "esn:size=12,radius=0.8",
    "2*fir:mu=0.7 + memory:gamma=1,rho=0.5,mu=0.8",
    "esn:size=9,radius=0.7*rbf:gamma=0.5 + 2*sas:size=7,norm=0.8",
    "0.5*esn:size=6,radius=0.7 + 2*sas:size=5,norm=0.7",
    "linear:window=3*rbf:gamma=0.5 + 0.5*volterra:tau_coef=0.6,lambda_coef=0.8 + gak:window=5,sigma=1",
    NULL,
};

volt_resolved resolve_on(const char *text, volt_view Z)
{
    volt_kernel *kernel = plain_parse(text);
    volt_extent extents[VOLT_MAX_FACTORS];
    volt_resolved resolved = {0};
    check_ok(volt_extents_of(Z, 1, "the inputs", extents));
    check_ok(volt_kernel_resolve_slices(kernel, extents, Z.cols, &resolved));
    volt_kernel_free(kernel);
    return resolved;
}

double *full_gram(const char *text, volt_view Z)
{
    volt_kernel *kernel = plain_parse(text);
    double *K = new_matrix(Z.rows, Z.rows);
    check_ok(volt_gram(kernel, Z, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, Z.rows, Z.rows)));
    volt_kernel_free(kernel);
    return K;
}

double *records_gram(const char *text, volt_view Z, const int64_t *lengths, int64_t n)
{
    double radius;
    check_ok(volt_radius(Z, &radius)); /* one for all blocks */
    return records_gram_within(text, Z, lengths, n, radius);
}

double *records_gram_within(const char *text, volt_view Z, const int64_t *lengths, int64_t n, double radius)
{
    volt_kernel *kernel = plain_parse(text);
    volt_gram_options options = volt_gram_options_default();
    double *K = new_matrix(Z.rows, Z.rows);
    options.radius = radius;
    for (int64_t a = 0, i = 0; a < n; i += lengths[a++])
        for (int64_t b = 0, j = 0; b < n; j += lengths[b++]) {
            volt_matrix block = {K + i * Z.rows + j, lengths[a], lengths[b], Z.rows};
            check_ok(volt_gram(kernel, volt_view_rows(Z, i, lengths[a]), volt_view_rows(Z, j, lengths[b]),
                               &options, block));
        }
    volt_kernel_free(kernel);
    return K;
}
