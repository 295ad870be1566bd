/* src/select/search/crew_serve.c: a process that evaluates candidates of the leader. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "select/folds/cross_validation.h"
#include "select/search/crew.h"

#include <string.h>

/* One channel, and its last message. */
typedef struct lane {
    volt_run *run;
    int64_t channel;
    volt_workspace *space;
    double *folds;   /* scores of the candidate */
    void *message;   /* buffer of `most` bytes */
    double *rivals;  /* scores of the rival */
    volt_trial best; /* the rival: only its score and folds */
    volt_rival rival;
    char kernel[VOLT_KERNEL_LENGTH];
    volt_setting setting;
    bool is_asked, is_over;
} lane;

/* Reads the next message; false if there is none. A rival belongs to the preceding candidate. The leader
 * sends none after it has the scores, so a late one arrives before the next candidate and is discarded with
 * it. */
static bool hear(lane *own)
{
    volt_message head;
    const double *folds = NULL;
    const char *text = "";
    int64_t most = own->run->folds;
    size_t size = own->run->crew->receive(own->channel, own->message, volt_message_limit(most));
    if (size == 0)
        return false;
    if (!volt_message_unpack(own->message, size, most, &head, &folds, &text) ||
        head.kind == VOLT_MESSAGE_OVER) {
        own->is_over = true;
    } else if (head.kind == VOLT_MESSAGE_RIVAL) {
        memcpy(own->rivals, folds, (size_t)head.n_folds * sizeof(double));
        own->best = (volt_trial){.score = head.score, .folds = own->rivals, .n_folds = head.n_folds};
        own->rival = (volt_rival){.best = &own->best, .spread = head.spread};
    } else {
        memcpy(own->kernel, text, (size_t)head.length);
        own->setting = (volt_setting){.alpha = head.alpha, .feedback = head.feedback};
        own->rival = (volt_rival){0};
        own->is_asked = true;
    }
    return true;
}

static bool goes_on(const double *folds, int64_t done, void *context)
{
    lane *own = context;
    while (hear(own)) {
    }
    return !volt_rival_beats(&own->run->schedule.standings.rule, &own->rival, folds, done);
}

/* Polls for the end of the search during an evaluation. */
static int listen(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    lane *own = context;
    while (hear(own)) {
    }
    return own->is_over;
}

static void answer(lane *own)
{
    volt_stage stage;
    int64_t done = 0;
    volt_message head = {.kind = VOLT_MESSAGE_SCORES, .feedback = own->setting.feedback};
    volt_stage_begin(&stage, (volt_progress){.report = listen, .context = own}, "search", 0, 1, 1);
    volt_status status = volt_run_evaluate(own->run, own->space, own->kernel, &own->setting, goes_on, own,
                                           &stage, own->folds, &done, &head.cost);
    own->is_asked = false;
    if (own->is_over)
        return;
    head.status = (int64_t)status;
    head.alpha = own->setting.alpha;
    head.n_folds = done;
    size_t size =
        volt_message_pack(head, own->folds, status == VOLT_OK ? NULL : volt_error_detail(), own->message);
    own->run->crew->send(own->channel, own->message, size);
}

static void serve_lane(lane *own)
{
    while (!own->is_over) {
        if (own->is_asked)
            answer(own);
        else if (!hear(own))
            volt_sleep(VOLT_CREW_REST);
    }
}

/* ---- all lanes -------------------------------------------------------------------------------- */

static volt_status make_lanes(volt_run *run, volt_workspace **spaces, double *folds, int64_t count,
                              lane **lanes)
{
    int64_t most = run->folds;
    *lanes = volt_alloc_zero(count, sizeof **lanes);
    if (!*lanes)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        lane *own = &(*lanes)[i];
        *own = (lane){.run = run, .channel = i, .space = spaces[i], .folds = folds + i * most};
        own->message = volt_alloc(1, volt_message_limit(most));
        own->rivals = volt_alloc_doubles(most, 1);
        if (!own->message || !own->rivals)
            return VOLT_ERR_MEMORY;
    }
    return VOLT_OK;
}

static volt_status serve_all(volt_run *run, lane *lanes, int64_t count)
{
    volt_status status = VOLT_OK;
    int64_t channels = 0;
    if (count == 1) {
        status = run->crew->meet(run->fingerprint, 1, NULL, &channels);
        if (status == VOLT_OK)
            serve_lane(&lanes[0]);
        return status;
    }
    /* The number of lanes is the number of threads started: a channel without a thread would never answer. */
#pragma omp parallel num_threads((int)count)
    {
        int64_t own = 0;
        volt_set_threads_local(1, &own);
#pragma omp master
        status = run->crew->meet(run->fingerprint, omp_get_num_threads(), NULL, &channels);
#pragma omp barrier
        if (status == VOLT_OK)
            serve_lane(&lanes[omp_get_thread_num()]);
        volt_set_threads_local(own, NULL);
    }
    return status;
}

volt_status volt_crew_serve(volt_run *run, volt_workspace **spaces, double *folds, int64_t lanes)
{
    lane *all = NULL;
    volt_stage_begin(&run->stage, (volt_progress){0}, "search", 0, 1, 1); /* for threads that wait for memory */
    volt_status status = make_lanes(run, spaces, folds, lanes, &all);
    if (status == VOLT_OK)
        status = serve_all(run, all, lanes);
    for (int64_t i = 0; all && i < lanes; i++) {
        volt_free(all[i].message);
        volt_free(all[i].rivals);
    }
    volt_free(all);
    return status == VOLT_OK ? volt_fail(VOLT_ERR_CANCELLED, "the search of the first process is over")
                             : status;
}
