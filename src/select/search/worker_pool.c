/* src/select/search/worker_pool.c: messages, and the leader's end of a channel. */
#include "select/search/worker_pool.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/folds/cross_validation.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static _Thread_local const volt_worker_pool *next_pool;

void volt_worker_pool_use(const volt_worker_pool *pool)
{
    next_pool = pool;
}

const volt_worker_pool *volt_worker_pool_take(void)
{
    const volt_worker_pool *pool = next_pool;
    next_pool = NULL;
    return pool;
}

/* ---- messages --------------------------------------------------------------------------------- */

size_t volt_message_limit(int64_t folds)
{
    return sizeof(volt_message) + (size_t)folds * sizeof(double) + VOLT_KERNEL_LENGTH;
}

size_t volt_message_pack(volt_message head, const double *folds, const char *text, void *bytes)
{
    char *to = bytes;
    head.length = text ? (int64_t)strlen(text) + 1 : 0;
    if (head.length > VOLT_KERNEL_LENGTH)
        head.length = VOLT_KERNEL_LENGTH; /* an error message; kernels are shorter */
    size_t scores = (size_t)head.n_folds * sizeof(double), length = (size_t)head.length;
    memcpy(to, &head, sizeof head);
    if (scores > 0 && folds)
        memcpy(to + sizeof head, folds, scores);
    if (length > 0 && text) {
        memcpy(to + sizeof head + scores, text, length - 1);
        to[sizeof head + scores + length - 1] = '\0';
    }
    return sizeof head + scores + length;
}

bool volt_message_unpack(const void *bytes, size_t size, int64_t max_folds, volt_message *head,
                         const double **folds, const char **text)
{
    const char *from = bytes;
    if (size < sizeof *head)
        return false;
    memcpy(head, from, sizeof *head);
    if (head->n_folds < 0 || head->n_folds > max_folds || head->length < 0 ||
        head->length > VOLT_KERNEL_LENGTH ||
        size != sizeof *head + (size_t)head->n_folds * sizeof(double) + (size_t)head->length)
        return false;
    *folds = (const double *)(const void *)(from + sizeof *head);
    *text = head->length > 0 ? from + size - head->length : "";
    return head->length == 0 || from[size - 1] == '\0';
}

/* ---- one dispatcher --------------------------------------------------------------------------------- */

typedef struct dispatcher {
    volt_evaluator evaluator; /* first: the search uses its address */
    volt_run *run;
    volt_dispatch_fn work;
    int64_t channel;
    void *message;
    double *folds;
    pthread_t thread;
    char why[512]; /* reason for leaving */
} dispatcher;

/* Sends the reference of the candidate, if known. True: nothing more to send. */
static bool send_reference(const dispatcher *self, int64_t position)
{
    volt_run *r = self->run;
    volt_message head = {.kind = VOLT_MESSAGE_REFERENCE};
    if (r->schedule.standings.rule.race == VOLT_RACE_NONE)
        return true;
    omp_set_lock(&r->lock);
    const volt_reference *reference = volt_schedule_reference(&r->schedule, position);
    const volt_trial *best = reference ? reference->best : NULL;
    if (best) {
        head.score = best->score;
        head.spread = reference->spread;
        head.n_folds = best->n_folds;
        size_t size = volt_message_pack(head, best->folds, NULL, self->message);
        omp_unset_lock(&r->lock);
        r->pool->send(self->channel, self->message, size);
        return true;
    }
    omp_unset_lock(&r->lock);
    return reference != NULL;
}

/* Waits for the scores. False: the run is over. */
static bool receive_scores(const dispatcher *self, int64_t position, size_t *size)
{
    const volt_run *r = self->run;
    bool sent = false;
    while (volt_stage_should_continue(&r->stage)) {
        sent = sent || send_reference(self, position);
        *size = r->pool->receive(self->channel, self->message, volt_message_limit(r->folds));
        if (*size > 0)
            return true;
        volt_sleep(VOLT_POLL_INTERVAL);
    }
    return false;
}

static void leave(dispatcher *self, const char *why)
{
    self->evaluator.has_left = true;
    snprintf(self->why, sizeof self->why, "%s", why);
}

static volt_status evaluate_remotely(volt_evaluator *evaluator, int64_t position, const char *kernel,
                                     volt_setting *setting, double *folds, int64_t *done, volt_cost *cost)
{
    dispatcher *self = (dispatcher *)evaluator;
    volt_message head = {
        .kind = VOLT_MESSAGE_CANDIDATE, .alpha = setting->alpha, .feedback = setting->feedback};
    const double *scores = NULL;
    const char *sentence = "";
    size_t size = 0;
    size = volt_message_pack(head, NULL, kernel, self->message);
    self->run->pool->send(self->channel, self->message, size);
    if (!receive_scores(self, position, &size))
        return VOLT_ERR_CANCELLED;
    if (!volt_message_unpack(self->message, size, self->run->folds, &head, &scores, &sentence) ||
        head.kind != VOLT_MESSAGE_SCORES) {
        leave(self, "it sent an invalid message");
        return VOLT_OK;
    }
    volt_status status = (volt_status)head.status;
    if (status != VOLT_OK && !volt_run_is_candidates_own(status)) {
        leave(self, sentence);
        return VOLT_OK;
    }
    setting->alpha = head.alpha;
    *done = head.n_folds;
    *cost = head.cost;
    memcpy(folds, scores, (size_t)head.n_folds * sizeof(double));
    return status == VOLT_OK ? VOLT_OK : volt_fail(status, "%s", sentence);
}

/* ---- all of them ------------------------------------------------------------------------------ */

volt_status volt_worker_pool_connect(volt_run *run)
{
    volt_stage stage;
    int64_t channels = 0;
    volt_stage_begin(&stage, run->options->progress, "search", 0, 0, 1);
    VOLT_TRY(run->pool->connect(run->fingerprint, 0, &stage, &channels));
    run->n_channels = channels;
    run->returned = volt_alloc(channels, sizeof *run->returned);
    if (!run->returned)
        volt_dispatchers_end(run, &(volt_dispatchers){0});
    return run->returned ? VOLT_OK : VOLT_ERR_MEMORY;
}

static void *begin_work(void *context)
{
    dispatcher *self = context;
    self->work(self->run, &self->evaluator, self->folds);
    return NULL;
}

/* A thread that cannot start is skipped with a warning. */
volt_status volt_dispatchers_start(volt_run *run, volt_dispatch_fn work, volt_dispatchers *dispatchers)
{
    int64_t folds = run->folds;
    size_t room = volt_message_limit(folds);
    if (run->n_channels == 0)
        return VOLT_OK;
    dispatchers->all = volt_alloc_zero(run->n_channels, sizeof(dispatcher));
    if (!dispatchers->all)
        return VOLT_ERR_MEMORY;
    dispatchers->count = run->n_channels;
    for (int64_t h = 0; h < dispatchers->count; h++) {
        dispatcher *self = &dispatchers->all[h];
        *self = (dispatcher){.evaluator = {.evaluate = evaluate_remotely, .is_away = true},
                             .run = run,
                             .work = work,
                             .channel = h};
        self->message = volt_alloc(1, room);
        self->folds = volt_alloc_doubles(folds, 1);
        if (!self->message || !self->folds)
            return VOLT_ERR_MEMORY;
    }
    for (int64_t h = 0; h < dispatchers->count; h++, dispatchers->started++)
        if (pthread_create(&dispatchers->all[h].thread, NULL, begin_work, &dispatchers->all[h]) != 0) {
            volt_log(VOLT_LOG_WARNING, "%" PRId64 " of %" PRId64 " threads for other processes do not start",
                     dispatchers->count - h, dispatchers->count);
            break;
        }
    return VOLT_OK;
}

void volt_dispatchers_end(volt_run *run, volt_dispatchers *dispatchers)
{
    volt_message over = {.kind = VOLT_MESSAGE_OVER};
    for (int64_t h = 0; h < dispatchers->started; h++) {
        pthread_join(dispatchers->all[h].thread, NULL);
        if (dispatchers->all[h].evaluator.has_left)
            volt_log(VOLT_LOG_WARNING, "process %" PRId64 " left the search, and others took its candidate: %s",
                     run->pool->process(h), dispatchers->all[h].why);
    }
    for (int64_t h = 0; h < run->n_channels; h++)
        run->pool->send(h, &over, sizeof over);
    run->n_channels = 0;
    for (int64_t h = 0; h < dispatchers->count; h++) {
        volt_free(dispatchers->all[h].message);
        volt_free(dispatchers->all[h].folds);
    }
    volt_free(dispatchers->all);
    *dispatchers = (volt_dispatchers){0};
    volt_free(run->returned);
    run->returned = NULL;
}

/* ---- a process that evaluates candidates of the leader ----------------------------------------------- */

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
