/* src/select/search/worker_serve.c: a process that evaluates candidates of the leader. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "select/folds/cross_validation.h"
#include "select/search/worker_pool.h"

#include <string.h>

/* One channel, and its last message. */
typedef struct lane {
    volt_run *run;
    int64_t channel;
    volt_workspace *space;
    double *folds;           /* scores of the candidate */
    void *message;           /* buffer */
    double *reference_folds; /* scores of the reference */
    volt_trial best;         /* the reference: only its score and folds */
    volt_reference reference;
    char kernel[VOLT_KERNEL_LENGTH];
    volt_setting setting;
    bool has_candidate, is_over;
} lane;

/* Reads the next message; false if there is none. A reference belongs to the preceding candidate. The leader
 * sends none after it has the scores, so a late one arrives before the next candidate and is discarded with
 * it. */
static bool receive_message(lane *self)
{
    volt_message head;
    const double *folds = NULL;
    const char *text = "";
    int64_t n_folds = self->run->folds;
    size_t size = self->run->pool->receive(self->channel, self->message, volt_message_limit(n_folds));
    if (size == 0)
        return false;
    if (!volt_message_unpack(self->message, size, n_folds, &head, &folds, &text) ||
        head.kind == VOLT_MESSAGE_OVER) {
        self->is_over = true;
    } else if (head.kind == VOLT_MESSAGE_REFERENCE) {
        memcpy(self->reference_folds, folds, (size_t)head.n_folds * sizeof(double));
        self->best = (volt_trial){.score = head.score, .folds = self->reference_folds, .n_folds = head.n_folds};
        self->reference = (volt_reference){.best = &self->best, .spread = head.spread};
    } else {
        memcpy(self->kernel, text, (size_t)head.length);
        self->setting = (volt_setting){.alpha = head.alpha, .feedback = head.feedback};
        self->reference = (volt_reference){0};
        self->has_candidate = true;
    }
    return true;
}

static bool should_continue(const double *folds, int64_t done, void *context)
{
    lane *self = context;
    while (receive_message(self)) {
    }
    return !volt_reference_beats(&self->run->schedule.standings.rule, &self->reference, folds, done);
}

/* Polls for the end of the search during an evaluation. */
static int poll_for_end(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    lane *self = context;
    while (receive_message(self)) {
    }
    return self->is_over;
}

static void evaluate_candidate(lane *self)
{
    volt_stage stage;
    int64_t done = 0;
    volt_message head = {.kind = VOLT_MESSAGE_SCORES, .feedback = self->setting.feedback};
    volt_stage_begin(&stage, (volt_progress){.report = poll_for_end, .context = self}, "search", 0, 1, 1);
    volt_status status = volt_run_evaluate(self->run, self->space, self->kernel, &self->setting,
                                           should_continue, self, &stage, self->folds, &done, &head.cost);
    self->has_candidate = false;
    if (self->is_over)
        return;
    head.status = (int64_t)status;
    head.alpha = self->setting.alpha;
    head.n_folds = done;
    size_t size =
        volt_message_pack(head, self->folds, status == VOLT_OK ? NULL : volt_error_detail(), self->message);
    self->run->pool->send(self->channel, self->message, size);
}

static void serve_lane(lane *self)
{
    while (!self->is_over) {
        if (self->has_candidate)
            evaluate_candidate(self);
        else if (!receive_message(self))
            volt_sleep(VOLT_POLL_INTERVAL);
    }
}

/* ---- all lanes -------------------------------------------------------------------------------- */

static volt_status make_lanes(volt_run *run, volt_workspace **spaces, double *folds, int64_t count,
                              lane **lanes)
{
    int64_t n_folds = run->folds;
    *lanes = volt_alloc_zero(count, sizeof **lanes);
    if (!*lanes)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        lane *self = &(*lanes)[i];
        *self = (lane){.run = run, .channel = i, .space = spaces[i], .folds = folds + i * n_folds};
        self->message = volt_alloc(1, volt_message_limit(n_folds));
        self->reference_folds = volt_alloc_doubles(n_folds, 1);
        if (!self->message || !self->reference_folds)
            return VOLT_ERR_MEMORY;
    }
    return VOLT_OK;
}

static volt_status serve_all(volt_run *run, lane *lanes, int64_t count)
{
    volt_status status = VOLT_OK;
    int64_t channels = 0;
    if (count == 1) {
        status = run->pool->connect(run->fingerprint, 1, NULL, &channels);
        if (status == VOLT_OK)
            serve_lane(&lanes[0]);
        return status;
    }
    /* The number of lanes is the number of threads started: a channel without a thread would never answer. */
#pragma omp parallel num_threads((int)count)
    {
        int64_t previous = 0;
        volt_set_threads_local(1, &previous);
#pragma omp master
        status = run->pool->connect(run->fingerprint, omp_get_num_threads(), NULL, &channels);
#pragma omp barrier
        if (status == VOLT_OK)
            serve_lane(&lanes[omp_get_thread_num()]);
        volt_set_threads_local(previous, NULL);
    }
    return status;
}

volt_status volt_worker_pool_serve(volt_run *run, volt_workspace **spaces, double *folds, int64_t lanes)
{
    lane *all = NULL;
    volt_stage_begin(&run->stage, (volt_progress){0}, "search", 0, 1, 1); /* for threads that wait for memory */
    volt_status status = make_lanes(run, spaces, folds, lanes, &all);
    if (status == VOLT_OK)
        status = serve_all(run, all, lanes);
    for (int64_t i = 0; all && i < lanes; i++) {
        volt_free(all[i].message);
        volt_free(all[i].reference_folds);
    }
    volt_free(all);
    return status == VOLT_OK ? volt_fail(VOLT_ERR_CANCELLED, "the search of the first process is over")
                             : status;
}
