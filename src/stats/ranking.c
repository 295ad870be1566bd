/* src/stats/ranking.c: ranking quality of scores: areas below the ROC curve and the precision-recall curve.
 *
 * Scores are processed in descending order, in groups of equal scores. With m marked rows and o other rows in
 * all, and p and f of them so far,
 *
 *     ROC area            = sum over groups of (others of the group) (p before + half of the marked of the group) / (m o)
 *     average precision   = sum over groups of (marked of the group) / m * p / (p + f), p and f with the group */
#include "base/error.h"
#include "base/memory.h"
#include "volterra/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct scored_row {
    double score;
    bool is_marked;
} scored_row;

static int compare_downwards(const void *a, const void *b)
{
    double x = ((const scored_row *)a)->score, y = ((const scored_row *)b)->score;
    return (x < y) - (x > y);
}

static void sum_groups(const scored_row *rows, int64_t n, volt_ranking *ranking)
{
    int64_t marked = 0, others = 0; /* so far */
    double pairs = 0, precision = 0;
    for (int64_t i = 0; i < n;) {
        int64_t own = 0, others_before = others, begin = i;
        for (; i < n && rows[i].score == rows[begin].score; i++) {
            own += rows[i].is_marked;
            others += !rows[i].is_marked;
        }
        pairs += (double)(others - others_before) * ((double)marked + (double)own / 2);
        marked += own;
        precision += (double)own * (double)marked / (double)(marked + others);
    }
    ranking->roc_auc = pairs / ((double)marked * (double)others);
    ranking->pr_auc = precision / (double)marked;
    ranking->marked = marked;
    ranking->others = others;
}

volt_status volt_ranking_compute(const double *scores, const int *marked, int64_t n, volt_ranking *ranking)
{
    VOLT_REQUIRE(scores && marked && ranking, VOLT_ERR_ARGUMENT, "scores, marks or areas are NULL");
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        VOLT_REQUIRE(!isnan(scores[i]), VOLT_ERR_NOT_FINITE, "score %" PRId64 " is NaN", i);
        count += marked[i] != 0;
    }
    VOLT_REQUIRE(count > 0 && count < n, VOLT_ERR_DATA,
                 "%" PRId64 " of %" PRId64 " rows are marked: areas require both kinds of rows", count, n);
    scored_row *rows = volt_alloc(n, sizeof *rows);
    if (!rows)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        rows[i] = (scored_row){scores[i], marked[i] != 0};
    qsort(rows, (size_t)n, sizeof *rows, compare_downwards);
    volt_ranking found = {.struct_size = sizeof found};
    sum_groups(rows, n, &found);
    volt_free(rows);
    return volt_result_copy(ranking, &found, sizeof found, "volt_ranking");
}
