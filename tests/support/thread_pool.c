/* tests/support/thread_pool.c: the lists, and a search of several threads. */
#include "support/thread_pool.h"

#include "support/check.h"

/* ---- a pool of threads ------------------------------------------------------------------------ */

typedef struct letter {
    size_t size;
    struct letter *next;
    _Alignas(8) char bytes[THREAD_POOL_BYTES];
} letter;

static letter *lists[THREAD_POOL_CHANNELS][2]; /* to those who serve, and to the leader */
thread_pool_state thread_pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local int64_t number; /* of a server */

static void put(int64_t channel, int to_leader, const void *message, size_t size)
{
    letter *fresh = calloc(1, sizeof *fresh);
    assert_true(fresh && size <= THREAD_POOL_BYTES);
    memcpy(fresh->bytes, message, size);
    fresh->size = size;
    letter **at = &lists[channel][to_leader];
    while (*at)
        at = &(*at)->next;
    *at = fresh;
    pthread_cond_broadcast(&thread_pool.changed);
}

static size_t take(int64_t channel, int to_leader, void *message, size_t space)
{
    pthread_mutex_lock(&thread_pool.lock);
    letter *first = lists[channel][to_leader];
    size_t size = first ? first->size : 0;
    if (first) {
        assert_true(size <= space);
        memcpy(message, first->bytes, size);
        lists[channel][to_leader] = first->next;
        free(first);
    }
    pthread_mutex_unlock(&thread_pool.lock);
    return size;
}

static int64_t kind_of(const void *message)
{
    volt_message head;
    memcpy(&head, message, sizeof head);
    return head.kind;
}

static volt_status lead_connect(const char *search, int64_t lanes, volt_stage *stage, int64_t *channels)
{
    (void)lanes;
    (void)stage;
    assert_int_equal(strlen(search), VOLT_FINGERPRINT_LENGTH - 1);
    pthread_mutex_lock(&thread_pool.lock);
    while (thread_pool.arrived + thread_pool.absent < thread_pool.servers)
        pthread_cond_wait(&thread_pool.changed, &thread_pool.lock);
    *channels = thread_pool.channels;
    thread_pool.met = true;
    pthread_mutex_unlock(&thread_pool.lock);
    return VOLT_OK;
}

void thread_pool_send(int64_t channel, const void *message, size_t size)
{
    pthread_mutex_lock(&thread_pool.lock);
    thread_pool.handed += kind_of(message) == VOLT_MESSAGE_CANDIDATE;
    put(channel, 0, message, size);
    pthread_mutex_unlock(&thread_pool.lock);
}

size_t thread_pool_receive(int64_t channel, void *message, size_t space)
{
    return take(channel, 1, message, space);
}

/* A server of one lane has the channel of its number; a server of several lanes is the only one. */
static int64_t own_channel(int64_t lane)
{
    return thread_pool.servers == 1 ? lane : number;
}

static volt_status serve_connect(const char *search, int64_t lanes, volt_stage *stage, int64_t *channels)
{
    (void)search;
    (void)stage;
    pthread_mutex_lock(&thread_pool.lock);
    thread_pool.arrived++;
    thread_pool.channels += lanes;
    assert_true(thread_pool.channels <= THREAD_POOL_CHANNELS);
    *channels = lanes;
    pthread_cond_broadcast(&thread_pool.changed);
    pthread_mutex_unlock(&thread_pool.lock);
    return VOLT_OK;
}

static void serve_send(int64_t lane, const void *message, size_t size)
{
    int64_t channel = own_channel(lane);
    volt_message broken = {.kind = VOLT_MESSAGE_SCORES, .status = VOLT_ERR_MEMORY};
    char bytes[THREAD_POOL_BYTES];
    pthread_mutex_lock(&thread_pool.lock);
    if (++thread_pool.answers[channel] == thread_pool.spoilt_at && channel == thread_pool.spoilt) {
        size = volt_message_pack(broken, NULL, "no memory in a test", bytes) - (thread_pool.garbage ? 1 : 0);
        message = bytes;
    }
    put(channel, 1, message, size);
    pthread_mutex_unlock(&thread_pool.lock);
}

static size_t serve_receive(int64_t lane, void *message, size_t space)
{
    return take(own_channel(lane), 0, message, space);
}

static int64_t process_of(int64_t channel)
{
    return channel + 1;
}

static const volt_worker_pool leading = {
    .connect = lead_connect, .send = thread_pool_send, .receive = thread_pool_receive, .process = process_of};
static const volt_worker_pool serving = {.serves = true,
                                         .connect = serve_connect,
                                         .send = serve_send,
                                         .receive = serve_receive,
                                         .process = process_of};

/* ---- a search --------------------------------------------------------------------------------- */

void *thread_pool_serve(void *context)
{
    thread_pool_task *own = context;
    volt_search *search = NULL;
    number = own->number;
    check_ok(volt_set_threads_local(own->threads, NULL));
    volt_worker_pool_use(&serving);
    volt_status status = volt_search_run(own->candidates, own->X, own->Y, &own->options, &search);
    assert_null(search);
    if (status != VOLT_ERR_CANCELLED) { /* it has not joined the search */
        pthread_mutex_lock(&thread_pool.lock);
        thread_pool.absent++;
        pthread_cond_broadcast(&thread_pool.changed);
        pthread_mutex_unlock(&thread_pool.lock);
    }
    return NULL;
}

/* The candidate of the leader waits until the servers have received as many candidates as there are
 * channels, so that they take part. The first call precedes their start. */
static int wait_for_others(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    pthread_mutex_lock(&thread_pool.lock);
    if (thread_pool.met && thread_pool.waits && ++thread_pool.reports > 1)
        while (thread_pool.handed < thread_pool.channels)
            pthread_cond_wait(&thread_pool.changed, &thread_pool.lock);
    pthread_mutex_unlock(&thread_pool.lock);
    return 0;
}

void thread_pool_reset(void)
{
    for (int64_t channel = 0; channel < THREAD_POOL_CHANNELS; channel++)
        for (int to = 0; to < 2; to++)
            while (lists[channel][to]) {
                letter *first = lists[channel][to];
                lists[channel][to] = first->next;
                free(first);
            }
}

volt_status thread_pool_run(const volt_candidates *candidates, volt_view X, volt_view Y,
                            const volt_search_options *options, int64_t servers, int64_t lanes, int64_t missing,
                            int64_t spoilt_at, volt_search **search)
{
    pthread_t threads[THREAD_POOL_CHANNELS];
    thread_pool_task tasks[THREAD_POOL_CHANNELS];
    thread_pool_reset();
    memset(thread_pool.answers, 0, sizeof thread_pool.answers);
    thread_pool.servers = servers;
    thread_pool.arrived = thread_pool.absent = thread_pool.channels = thread_pool.handed = thread_pool.reports =
        0;
    thread_pool.spoilt = servers - missing - 1;
    thread_pool.spoilt_at = spoilt_at;
    thread_pool.met = false;
    thread_pool.waits = !options->progress.report;
    volt_stage_set_interval(0); /* while there is one thread */
    for (int64_t s = 0; s < servers; s++) {
        tasks[s] = (thread_pool_task){.candidates = candidates,
                                      .X = X,
                                      .Y = Y,
                                      .options = *options,
                                      .number = s - missing,
                                      .threads = lanes};
        if (s < missing)
            tasks[s].options.splits.folds = 10 * X.rows;
        assert_int_equal(pthread_create(&threads[s], NULL, thread_pool_serve, &tasks[s]), 0);
    }
    volt_search_options own = *options;
    if (!own.progress.report)
        own.progress = (volt_progress){.report = wait_for_others};
    check_ok(volt_set_threads_local(1, NULL));
    volt_worker_pool_use(&leading);
    volt_status status = volt_search_run(candidates, X, Y, &own, search);
    volt_message over = {.kind = VOLT_MESSAGE_OVER}; /* for servers whose leader failed before */
    for (int64_t channel = 0; channel < THREAD_POOL_CHANNELS; channel++)
        thread_pool_send(channel, &over, sizeof over);
    for (int64_t s = 0; s < servers; s++)
        pthread_join(threads[s], NULL);
    volt_stage_set_interval(0.05);
    check_ok(volt_set_threads_local(0, NULL));
    return status;
}
