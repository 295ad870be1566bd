/* mpi/mpi_workers.c: channels between the first process and the lanes of the others. */
#include "mpi_workers.h"

#include "base/error.h"
#include "base/memory.h"
#include "select/search/worker_pool.h"
#include "tiles.h"

#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELLO = 1,      /* tag of the message that announces a process */
    FIRST_LANE = 2, /* tag of its first lane; the other lanes follow */
    PATIENCE = 5    /* seconds that a failed process waits for the others */
};

/* Announcement of a process. */
typedef struct hello {
    int64_t lanes; /* 0: the process does not serve; the text gives the reason */
    char search[VOLT_FINGERPRINT_LENGTH];
    char sentence[512];
} hello;

/* One end of a channel. */
typedef struct channel {
    int rank, tag;
    void *sent;          /* the bytes of ... */
    MPI_Request request; /* ... a pending message */
    bool is_over;        /* the last message ended the search */
} channel;

static struct {
    pthread_mutex_t lock; /* protects every MPI call during a search and the number of channels */
    channel *channels;
    int64_t count;
    hello *hellos;   /* in the first process: announcements by rank, from 1 on, ... */
    int arrived;     /* ... of which this number have arrived */
    bool has_come;   /* this process has announced itself ... */
    bool has_served; /* ... and has received the end of the search */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_channels(int rank, int64_t lanes)
{
    if (lanes == 0)
        return;
    channel *more = realloc(pool.channels, (size_t)(pool.count + lanes) * sizeof *more);
    if (!more)
        end_job("not enough memory for the channels between the processes");
    pool.channels = more;
    for (int64_t lane = 0; lane < lanes; lane++)
        pool.channels[pool.count++] =
            (channel){.rank = rank, .tag = FIRST_LANE + (int)lane, .request = MPI_REQUEST_NULL};
}

/* ---- messages --------------------------------------------------------------------------------- */

static void wait_for_sent(channel *c)
{
    for (int done = 0; !done;) {
        pthread_mutex_lock(&pool.lock);
        MPI_Test(&c->request, &done, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&pool.lock);
        if (!done)
            volt_sleep(VOLT_POLL_INTERVAL);
    }
    free(c->sent);
    c->sent = NULL;
}

static int64_t kind_of(const void *message)
{
    volt_message head;
    memcpy(&head, message, sizeof head);
    return head.kind;
}

/* Does not wait for the receiver, which may be busy: the message is copied. The previous message has arrived
 * once it is answered. */
static void pool_send(int64_t number, const void *message, size_t size)
{
    channel *c = &pool.channels[number];
    wait_for_sent(c);
    c->sent = malloc(size);
    if (!c->sent)
        end_job("not enough memory for a message");
    memcpy(c->sent, message, size);
    c->is_over = kind_of(message) == VOLT_MESSAGE_OVER;
    pthread_mutex_lock(&pool.lock);
    MPI_Isend(c->sent, (int)size, MPI_BYTE, c->rank, c->tag, MPI_COMM_WORLD, &c->request);
    pthread_mutex_unlock(&pool.lock);
}

static size_t pool_receive(int64_t number, void *message, size_t capacity)
{
    const channel *c = &pool.channels[number];
    int is_pending = 0, size = 0;
    MPI_Status status;
    pthread_mutex_lock(&pool.lock);
    MPI_Iprobe(c->rank, c->tag, MPI_COMM_WORLD, &is_pending, &status);
    if (is_pending) {
        MPI_Get_count(&status, MPI_BYTE, &size);
        if (size < 0 || (size_t)size > capacity)
            end_job("a message between the processes is too long");
        MPI_Recv(message, size, MPI_BYTE, c->rank, c->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pool.has_served = pool.has_served || (grid.rank > 0 && kind_of(message) == VOLT_MESSAGE_OVER);
    }
    pthread_mutex_unlock(&pool.lock);
    return (size_t)size;
}

static int64_t pool_process(int64_t number)
{
    return pool.channels[number].rank;
}

/* ---- announcements ---------------------------------------------------------------------------- */

static void announce(int64_t lanes, const char *search, const char *sentence)
{
    hello message = {.lanes = lanes};
    snprintf(message.search, sizeof message.search, "%s", search);
    snprintf(message.sentence, sizeof message.sentence, "%s", sentence);
    pool.has_come = true;
    pthread_mutex_lock(&pool.lock);
    MPI_Send(&message, (int)sizeof message, MPI_BYTE, 0, HELLO, MPI_COMM_WORLD);
    pthread_mutex_unlock(&pool.lock);
}

/* Receive one announcement; false: none is pending. */
static bool hear_hello(void)
{
    int is_pending = 0;
    MPI_Status status;
    if (!pool.hellos)
        pool.hellos = calloc((size_t)grid.size, sizeof *pool.hellos);
    if (!pool.hellos)
        end_job("not enough memory for the announcements of the processes");
    MPI_Iprobe(MPI_ANY_SOURCE, HELLO, MPI_COMM_WORLD, &is_pending, &status);
    if (!is_pending)
        return false;
    MPI_Recv(&pool.hellos[status.MPI_SOURCE], (int)sizeof *pool.hellos, MPI_BYTE, status.MPI_SOURCE, HELLO,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pool.arrived++;
    return true;
}

static bool all_have_come(void)
{
    return pool.arrived == grid.size - 1;
}

/* Channels are ordered by rank, because the order of arrival varies. */
static void open_channels(void)
{
    if (pool.count > 0)
        return;
    for (int rank = 1; rank < grid.size; rank++)
        add_channels(rank, pool.hellos[rank].lanes);
}

static volt_status gather(const char *search, volt_stage *stage)
{
    while (!all_have_come())
        if (!hear_hello()) {
            if (!volt_stage_poll(stage))
                return volt_stage_end(stage);
            volt_sleep(VOLT_POLL_INTERVAL);
        }
    open_channels();
    for (int rank = 1; rank < grid.size; rank++) {
        const hello *one = &pool.hellos[rank];
        VOLT_REQUIRE(
            one->lanes == 0 || strcmp(one->search, search) == 0, VOLT_ERR_DATA,
            "process %d has different data or options than process 0: all processes need the same files and "
            "arguments",
            rank);
        if (one->lanes == 0)
            volt_log(VOLT_LOG_WARNING, "process %d does not take part in the search: %s", rank, one->sentence);
    }
    return VOLT_OK;
}

static volt_status pool_connect(const char *search, int64_t lanes, volt_stage *stage, int64_t *channels)
{
    if (grid.rank == 0) {
        VOLT_TRY(gather(search, stage));
    } else {
        announce(lanes, search, "");
        add_channels(0, lanes);
    }
    *channels = pool.count;
    return VOLT_OK;
}

const volt_worker_pool *mpi_workers(void)
{
    static volt_worker_pool workers = {
        .connect = pool_connect, .send = pool_send, .receive = pool_receive, .process = pool_process};
    workers.serves = grid.rank > 0;
    return &workers;
}

/* ---- the end ---------------------------------------------------------------------------------- */

bool mpi_workers_have_served(void)
{
    return pool.has_served;
}

void mpi_workers_drain(void)
{
    int is_pending = 0, size = 0;
    MPI_Status status;
    for (int64_t i = 0; grid.rank == 0 && i < pool.count; i++) {
        MPI_Iprobe(pool.channels[i].rank, pool.channels[i].tag, MPI_COMM_WORLD, &is_pending, &status);
        if (!is_pending)
            continue;
        MPI_Get_count(&status, MPI_BYTE, &size);
        void *unused = malloc((size_t)size + 1);
        if (!unused)
            end_job("not enough memory for a message");
        MPI_Recv(unused, size, MPI_BYTE, pool.channels[i].rank, pool.channels[i].tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        free(unused);
    }
}

bool mpi_workers_end(bool patiently, const char *reason)
{
    volt_message over = {.kind = VOLT_MESSAGE_OVER};
    double begun = volt_seconds();
    if (grid.rank > 0 && !pool.has_come)
        announce(0, "", reason);
    if (grid.rank > 0)
        return true;
    while (!all_have_come())
        if (!hear_hello()) {
            if (!patiently && volt_seconds() - begun > PATIENCE)
                return false;
            volt_sleep(1000);
        }
    open_channels();
    for (int64_t i = 0; i < pool.count; i++)
        if (!pool.channels[i].is_over)
            pool_send(i, &over, sizeof over);
    return true;
}
