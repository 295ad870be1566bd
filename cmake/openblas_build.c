/* cmake/openblas_build.c: run at configure time; prints the version and the threading of OpenBLAS. */
#include <stdio.h>
#include <string.h>

char *openblas_get_config(void);
int openblas_get_parallel(void);

int main(void)
{
    static const char *const threading[] = {"no threads", "pthreads", "OpenMP threads"};
    int parallel = openblas_get_parallel();
    const char *config = openblas_get_config(); /* "OpenBLAS 0.3.21 NO_AFFINITY USE_OPENMP ..." */
    const char *version_end = strchr(config, ' ');
    if (version_end)
        version_end = strchr(version_end + 1, ' ');
    int length = version_end ? (int)(version_end - config) : (int)strlen(config);
    printf("%.*s with %s", length, config,
           parallel >= 0 && parallel <= 2 ? threading[parallel] : "unknown threads");
    return 0;
}
