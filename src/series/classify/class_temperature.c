/* src/series/classify/class_temperature.c: probabilities from the outputs of ridge regression. */
#include "series/classify/class_temperature.h"

#include <math.h>

void volt_class_softmax(double *u, int64_t q, double temperature)
{
    double largest = u[volt_class_of_largest(u, q)], sum = 0;
    for (int64_t k = 0; k < q; k++)
        sum += u[k] = exp((u[k] - largest) / temperature);
    for (int64_t k = 0; k < q; k++)
        u[k] /= sum;
}

/* The derivative of the log loss of all series with respect to s = 1 / t: sum over k of (p_k - target_k) u_k. */
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
    double low = -log(widest),
           high = log(widest); /* of s: the loss is convex in s, so that its slope changes sign once */
    for (int step = 0; step < HALVINGS; step++) {
        double middle = (low + high) / 2;
        if (slope(classes, outputs, exp(middle)) > 0)
            high = middle;
        else
            low = middle;
    }
    return exp(-(low + high) / 2);
}
