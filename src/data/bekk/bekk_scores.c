/* src/data/bekk/bekk_scores.c: derivatives of single terms of the log-likelihood, exactly.
 *
 * In the diagonal model H_t(i, j) depends on a_i, a_j, b_i, b_j and (C C')(i, j) alone, so derivatives can be carried
 * forward in O(d^2) a step. With S_t the derivative of term t by H_t,
 *
 *     c_t(i, j)  = 1 + b_i b_j c_{t-1}(i, j)                          of H_t(i, j) by (C C')(i, j)
 *     Da_t(i, j) = a_j r_i r_j + b_i b_j Da_{t-1}(i, j)               by a_i (half of it for i = j)
 *     Db_t(i, j) = b_j H_{t-1}(i, j) + b_i b_j Db_{t-1}(i, j)         by b_i (half of it for i = j)
 *
 *     dC = triu(2 (S_t o c_t) C),   da_i = 2 sum_j S_t(i, j) Da_t(i, j),   db_i = 2 sum_j S_t(i, j) Db_t(i, j)
 *
 * Their sum over t is the gradient that the adjoint gives. */
#include "data/bekk/bekk_scores.h"

#include <string.h>

int64_t volt_bekk_scores_room(int64_t d)
{
    return 4 * d * d;
}

/* One step of the three recursions, full d x d matrices, from what happened at t - 1. */
static void advance(const volt_bekk_likelihood *likelihood, const double *a, const double *b, int64_t t,
                    double *c, double *Da, double *Db)
{
    int64_t d = likelihood->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            int64_t at = i * d + j;
            double beta = b[i] * b[j];
            double product = likelihood->returns[volt_bekk_lane_of(d, t - 1, i)] *
                             likelihood->returns[volt_bekk_lane_of(d, t - 1, j)];
            double H =
                likelihood->covariances[volt_bekk_lane_of(likelihood->entries, t - 1, volt_packed(i, j))];
            c[at] = 1 + beta * c[at];
            Da[at] = a[j] * product + beta * Da[at];
            Db[at] = b[j] * H + beta * Db[at];
        }
}

static void score_of_step(const volt_bekk_likelihood *likelihood, const double *C, int64_t t, const double *c,
                          const double *Da, const double *Db, double *S, double *score)
{
    int64_t d = likelihood->d;
    double *by_a = score + likelihood->entries, *by_b = by_a + d;
    for (int64_t i = 0; i < d; i++) {
        double sum_a = 0, sum_b = 0;
        for (int64_t j = 0; j < d; j++) {
            int64_t at = i * d + j;
            double slope = likelihood->slopes[volt_bekk_lane_of(likelihood->entries, t, volt_packed(i, j))];
            sum_a += slope * Da[at];
            sum_b += slope * Db[at];
            S[at] = slope * c[at];
        }
        by_a[i] = 2 * sum_a;
        by_b[i] = 2 * sum_b;
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            double sum = 0;
            for (int64_t k = 0; k <= j; k++)
                sum += S[i * d + k] * C[k * d + j];
            *score++ = 2 * sum;
        }
}

void volt_bekk_scores(const volt_bekk_likelihood *likelihood, const double *C, const double *a, const double *b,
                      double *room, double *scores)
{
    int64_t d = likelihood->d, n_parameters = volt_bekk_parameter_count(d);
    double *c = room, *Da = c + d * d, *Db = Da + d * d, *S = Db + d * d;
    memset(room, 0, (size_t)(3 * d * d) * sizeof *room);
    memset(scores, 0, (size_t)n_parameters * sizeof *scores);
    for (int64_t t = 1; t < likelihood->n; t++) {
        advance(likelihood, a, b, t, c, Da, Db);
        score_of_step(likelihood, C, t, c, Da, Db, S, scores + t * n_parameters);
    }
}
