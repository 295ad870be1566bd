/* src/series/classify/class_splits.c: series in classes: columns of targets, stratified splits, accuracies,
 * probabilities. */
#include "series/classify/series_model.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

void volt_class_columns(const volt_class_list *classes, volt_matrix Y)
{
    for (int64_t i = 0; i < classes->n; i++)
        for (int64_t k = 0; k < classes->n_classes; k++)
            Y.data[i * Y.ld + k] = classes->of[i] == k;
}

int64_t volt_class_of_largest(const double *outputs, int64_t n_classes)
{
    int64_t largest = 0;
    for (int64_t k = 1; k < n_classes; k++)
        if (outputs[k] > outputs[largest])
            largest = k;
    return largest;
}

int64_t volt_class_count_correct(const volt_class_list *classes, volt_view Y, const int64_t *rows, int64_t m,
                                 volt_view errors)
{
    int64_t right = 0;
    for (int64_t i = 0; i < m; i++) {
        int64_t row = rows ? rows[i] : i, largest = 0;
        const double *y = Y.data + row * Y.ld, *e = errors.data + i * errors.ld;
        for (int64_t k = 1; k < classes->n_classes; k++)
            if (y[k] - e[k] > y[largest] - e[largest])
                largest = k;
        right += largest == classes->of[row];
    }
    return right;
}

/* Writes the series of a class in random order to `members`; returns how many. Each split and class has its
 * own random stream. */
static int64_t shuffle_class(const volt_class_list *classes, int64_t class_number, uint64_t seed, int64_t split,
                             int64_t *members)
{
    int64_t count = 0;
    volt_rng rng;
    for (int64_t i = 0; i < classes->n; i++)
        if (classes->of[i] == class_number)
            members[count++] = i;
    volt_rng_init(&rng, seed, (uint64_t)(split * classes->n_classes + class_number));
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)(volt_rng_uniform(&rng) * (double)(i + 1)), kept = members[i];
        members[i] = members[j];
        members[j] = kept;
    }
    return count;
}

int64_t volt_class_split(const volt_class_list *classes, double share, uint64_t seed, int64_t split,
                         int64_t *workspace, int64_t *rows)
{
    int64_t held = 0;
    for (int64_t k = 0; k < classes->n_classes; k++) {
        int64_t count = shuffle_class(classes, k, seed, split, workspace);
        int64_t out = (int64_t)fmin(fmax(round(share * (double)count), 1), (double)(count - 1));
        for (int64_t i = 0; i < out; i++)
            rows[held++] = workspace[i];
    }
    return held;
}

void volt_class_folds(const volt_class_list *classes, int64_t folds, uint64_t seed, int64_t *workspace,
                      int64_t *fold)
{
    int64_t next = 0; /* counted over all classes, so that small classes are not all in the first folds */
    for (int64_t k = 0; k < classes->n_classes; k++) {
        int64_t count = shuffle_class(classes, k, seed, 0, workspace);
        for (int64_t i = 0; i < count; i++)
            fold[workspace[i]] = next++ % folds;
    }
}

/* A series and its key; the smallest key is taken first. */
typedef struct sampled {
    int64_t row;
    double key;
} sampled;

static int by_key(const void *a, const void *b)
{
    const sampled *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

volt_status volt_class_sample(const volt_class_list *classes, int64_t m, uint64_t seed, int64_t *rows)
{
    enum { OF_EACH = 2, SAMPLE = 1 << 20 }; /* the streams of splits are below */
    sampled *all = volt_alloc(classes->n, sizeof *all);
    int64_t *members = volt_alloc(classes->n, sizeof *members);
    volt_status status = all && members ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < classes->n_classes && status == VOLT_OK; k++) {
        int64_t count = shuffle_class(classes, k, seed, SAMPLE, members);
        for (int64_t i = 0; i < count; i++)
            all[members[i]] =
                (sampled){members[i], i < OF_EACH ? (double)(i - OF_EACH) : ((double)i + 0.5) / (double)count};
    }
    if (status == VOLT_OK) {
        qsort(all, (size_t)classes->n, sizeof *all, by_key);
        for (int64_t i = 0; i < m; i++)
            rows[i] = all[i].row;
        qsort(rows, (size_t)m, sizeof *rows, by_row);
    }
    volt_free(all);
    volt_free(members);
    return status;
}

/* ---- probabilities ------------------------------------------------------------------------------ */

void volt_class_softmax(double *u, int64_t q, double temperature)
{
    double largest = u[volt_class_of_largest(u, q)], sum = 0;
    for (int64_t k = 0; k < q; k++)
        sum += u[k] = exp((u[k] - largest) / temperature);
    for (int64_t k = 0; k < q; k++)
        u[k] /= sum;
}

/* The derivative of the log loss of all series with respect to s = 1 / t: sum over k of (p_k - target_k)
 * u_k. */
static double slope(const volt_class_list *classes, volt_view outputs, double s)
{
    int64_t n = classes->n, q = classes->n_classes;
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *u = outputs.data + i * outputs.ld;
        double largest = u[volt_class_of_largest(u, q)], sum = 0, mean = 0, target = 0;
        for (int64_t k = 0; k < q; k++) {
            double weight = exp(s * (u[k] - largest));
            sum += weight;
            mean += weight * u[k];
            target += u[k] * ((double)n * (classes->of[i] == k) + 1) / (double)(n + q);
        }
        total += mean / sum - target;
    }
    return total;
}

double volt_class_temperature(const volt_class_list *classes, volt_view outputs)
{
    enum { HALVINGS = 60 };
    const double widest = 1e3;
    double low = -log(widest), high = log(widest); /* the loss is convex in s, so its slope changes sign once */
    for (int step = 0; step < HALVINGS; step++) {
        double middle = (low + high) / 2;
        if (slope(classes, outputs, exp(middle)) > 0)
            high = middle;
        else
            low = middle;
    }
    return exp(-(low + high) / 2);
}
