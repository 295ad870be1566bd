/* src/select/search/crew.c: messages, and the leader's end of a channel. */
#include "select/search/crew.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static _Thread_local const volt_crew *next_crew;

void volt_crew_use(const volt_crew *crew)
{
    next_crew = crew;
}

const volt_crew *volt_crew_take(void)
{
    const volt_crew *crew = next_crew;
    next_crew = NULL;
    return crew;
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

bool volt_message_unpack(const void *bytes, size_t size, int64_t most_folds, volt_message *head,
                         const double **folds, const char **text)
{
    const char *from = bytes;
    if (size < sizeof *head)
        return false;
    memcpy(head, from, sizeof *head);
    if (head->n_folds < 0 || head->n_folds > most_folds || head->length < 0 ||
        head->length > VOLT_KERNEL_LENGTH ||
        size != sizeof *head + (size_t)head->n_folds * sizeof(double) + (size_t)head->length)
        return false;
    *folds = (const double *)(const void *)(from + sizeof *head);
    *text = head->length > 0 ? from + size - head->length : "";
    return head->length == 0 || from[size - 1] == '\0';
}

/* ---- one hand --------------------------------------------------------------------------------- */

typedef struct hand {
    volt_evaluator evaluator; /* first: the search uses its address */
    volt_run *run;
    volt_hand_fn work;
    int64_t channel;
    void *message;
    double *folds;
    pthread_t thread;
    char why[512]; /* reason for leaving */
} hand;

/* Sends the rival of the candidate, if known. True: nothing more to send. */
static bool tell_rival(const hand *own, int64_t position)
{
    volt_run *r = own->run;
    volt_message head = {.kind = VOLT_MESSAGE_RIVAL};
    if (r->schedule.standings.rule.race == VOLT_RACE_NONE)
        return true;
    omp_set_lock(&r->lock);
    const volt_rival *rival = volt_schedule_rival(&r->schedule, position);
    const volt_trial *best = rival ? rival->best : NULL;
    if (best) {
        head.score = best->score;
        head.spread = rival->spread;
        head.n_folds = best->n_folds;
        size_t size = volt_message_pack(head, best->folds, NULL, own->message);
        omp_unset_lock(&r->lock);
        r->crew->send(own->channel, own->message, size);
        return true;
    }
    omp_unset_lock(&r->lock);
    return rival != NULL;
}

/* Waits for the scores. False: the run is over. */
static bool hear(const hand *own, int64_t position, size_t *size)
{
    const volt_run *r = own->run;
    bool told = false;
    while (volt_stage_should_continue(&r->stage)) {
        told = told || tell_rival(own, position);
        *size = r->crew->receive(own->channel, own->message, volt_message_limit(r->folds));
        if (*size > 0)
            return true;
        volt_sleep(VOLT_CREW_REST);
    }
    return false;
}

static void leave(hand *own, const char *why)
{
    own->evaluator.has_left = true;
    snprintf(own->why, sizeof own->why, "%s", why);
}

static volt_status ask(volt_evaluator *evaluator, int64_t position, const char *kernel, volt_setting *setting,
                       double *folds, int64_t *done, volt_cost *cost)
{
    hand *own = (hand *)evaluator;
    volt_message head = {
        .kind = VOLT_MESSAGE_CANDIDATE, .alpha = setting->alpha, .feedback = setting->feedback};
    const double *scores = NULL;
    const char *sentence = "";
    size_t size = 0;
    size = volt_message_pack(head, NULL, kernel, own->message);
    own->run->crew->send(own->channel, own->message, size);
    if (!hear(own, position, &size))
        return VOLT_ERR_CANCELLED;
    if (!volt_message_unpack(own->message, size, own->run->folds, &head, &scores, &sentence) ||
        head.kind != VOLT_MESSAGE_SCORES) {
        leave(own, "it sent an invalid message");
        return VOLT_OK;
    }
    volt_status status = (volt_status)head.status;
    if (status != VOLT_OK && !volt_run_is_candidates_own(status)) {
        leave(own, sentence);
        return VOLT_OK;
    }
    setting->alpha = head.alpha;
    *done = head.n_folds;
    *cost = head.cost;
    memcpy(folds, scores, (size_t)head.n_folds * sizeof(double));
    return status == VOLT_OK ? VOLT_OK : volt_fail(status, "%s", sentence);
}

/* ---- all of them ------------------------------------------------------------------------------ */

volt_status volt_crew_meet(volt_run *run)
{
    volt_stage stage;
    int64_t channels = 0;
    volt_stage_begin(&stage, run->options->progress, "search", 0, 0, 1);
    VOLT_TRY(run->crew->meet(run->fingerprint, 0, &stage, &channels));
    run->hands = channels;
    run->returned = volt_alloc(channels, sizeof *run->returned);
    if (!run->returned)
        volt_hands_end(run, &(volt_hands){0});
    return run->returned ? VOLT_OK : VOLT_ERR_MEMORY;
}

static void *begin_work(void *context)
{
    hand *own = context;
    own->work(own->run, &own->evaluator, own->folds);
    return NULL;
}

/* A thread that cannot start is skipped with a warning. */
volt_status volt_hands_start(volt_run *run, volt_hand_fn work, volt_hands *hands)
{
    int64_t folds = run->folds;
    size_t room = volt_message_limit(folds);
    if (run->hands == 0)
        return VOLT_OK;
    hands->all = volt_alloc_zero(run->hands, sizeof(hand));
    if (!hands->all)
        return VOLT_ERR_MEMORY;
    hands->count = run->hands;
    for (int64_t h = 0; h < hands->count; h++) {
        hand *own = &hands->all[h];
        *own = (hand){.evaluator = {.evaluate = ask, .is_away = true}, .run = run, .work = work, .channel = h};
        own->message = volt_alloc(1, room);
        own->folds = volt_alloc_doubles(folds, 1);
        if (!own->message || !own->folds)
            return VOLT_ERR_MEMORY;
    }
    for (int64_t h = 0; h < hands->count; h++, hands->started++)
        if (pthread_create(&hands->all[h].thread, NULL, begin_work, &hands->all[h]) != 0) {
            volt_log(VOLT_LOG_WARNING, "%" PRId64 " of %" PRId64 " threads for other processes do not start",
                     hands->count - h, hands->count);
            break;
        }
    return VOLT_OK;
}

void volt_hands_end(volt_run *run, volt_hands *hands)
{
    volt_message over = {.kind = VOLT_MESSAGE_OVER};
    for (int64_t h = 0; h < hands->started; h++) {
        pthread_join(hands->all[h].thread, NULL);
        if (hands->all[h].evaluator.has_left)
            volt_log(VOLT_LOG_WARNING, "process %" PRId64 " left the search, and others took its candidate: %s",
                     run->crew->process(h), hands->all[h].why);
    }
    for (int64_t h = 0; h < run->hands; h++)
        run->crew->send(h, &over, sizeof over);
    run->hands = 0;
    for (int64_t h = 0; h < hands->count; h++) {
        volt_free(hands->all[h].message);
        volt_free(hands->all[h].folds);
    }
    volt_free(hands->all);
    *hands = (volt_hands){0};
    volt_free(run->returned);
    run->returned = NULL;
}
