/* examples/07_collections.c: kernels between whole series of unequal lengths, and a classifier based on them.
 *
 * The series in data/turns_train.ts and turns_test.ts are points that turn to the left or to the right. A new series has the
 * label of the nearest training series in the distance of the kernel: |x - y|^2 = K_xx + K_yy - 2 K_xy of the normalised
 * kernel is smallest where K_xy / sqrt(K_xx K_yy) is largest. */
#include <volterra.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static const char *const kernels[] = {"volterra:tau_coef=0.5,lambda_coef=0.9",
                                      "fading:gamma=0.3,rho=0.9",
                                      "memory:gamma=1,rho=0.5,mu=0.85",
                                      "gak:sigma=1",
                                      "sig:level=4",
                                      "sigpde:dyadic=1"};

/* `all` contains the training series, then the new ones. */
static volt_status classify(const char *text, const volt_view *all, char *const *labels, int64_t n_train,
                            int64_t n_new, int64_t *right)
{
    static double values[MOST][MOST];
    volt_matrix K = {values[0], n_train + n_new, n_train + n_new, MOST};
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(text, &kernel);
    if (!status)
        status = volt_gram_collection(kernel, all, n_train + n_new, NULL, 0, NULL, K);
    volt_kernel_free(kernel);
    *right = 0;
    for (int64_t i = n_train; !status && i < n_train + n_new; i++) {
        int64_t nearest = 0;
        double largest = -INFINITY;
        for (int64_t j = 0; j < n_train; j++) {
            double cosine = values[i][j] / sqrt(values[i][i] * values[j][j]);
            if (cosine > largest) {
                largest = cosine;
                nearest = j;
            }
        }
        *right += strcmp(labels[nearest], labels[i]) == 0;
    }
    return status;
}

static volt_status read_beside(const char *name, volt_collection **collection)
{
    char path[4096];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*sdata/%s", slash ? (int)(slash - __FILE__) + 1 : 0, __FILE__, name);
    return volt_collection_read(path, collection);
}

int main(void)
{
    volt_collection *train = NULL, *test = NULL;
    volt_status status = read_beside("turns_train.ts", &train);
    if (!status)
        status = read_beside("turns_test.ts", &test);
    int good = !status && train->count + test->count <= MOST;
    volt_view all[MOST];
    static char unknown[] = "?";
    char *labels[MOST];
    for (int i = 0; i < MOST; i++)
        labels[i] = unknown;
    for (int64_t i = 0; good && i < train->count + test->count; i++) {
        int is_new = i >= train->count;
        all[i] = is_new ? test->series[i - train->count] : train->series[i];
        labels[i] = is_new ? test->labels[i - train->count] : train->labels[i];
    }
    for (size_t k = 0; good && k < sizeof kernels / sizeof *kernels; k++) {
        int64_t right = 0;
        status = classify(kernels[k], all, labels, train->count, test->count, &right);
        if (!status)
            printf("%2lld of %lld  %s\n", (long long)right, (long long)test->count, kernels[k]);
        good = !status && (strncmp(kernels[k], "sig", 3) != 0 || right == test->count);
    }
    if (status)
        fprintf(stderr, "%s\n", volt_error_detail());
    volt_collection_free(test);
    volt_collection_free(train);
    return good ? 0 : 1;
}
