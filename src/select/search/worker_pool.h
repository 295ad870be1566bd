/* src/select/search/worker_pool.h: other processes that evaluate candidates of a search.
 *
 * All processes of a job run the same search on the same data. The leader draws the candidates, races them,
 * and writes the log, as in a search with one process. The others receive candidates, one at a time on each
 * channel, and return their scores. Each candidate is evaluated completely by one process, so its scores
 * equal those that the leader would compute.
 *
 * The transport is implemented by the creator of the pool (mpi/mpi_workers.c); this file defines the messages.
 * A process that fails, for example for lack of memory, leaves the pool, and its candidate is given to
 * another. */
#ifndef SELECT_WORKER_POOL_H
#define SELECT_WORKER_POOL_H

#include "base/progress.h"
#include "select/search/search_run.h"

typedef struct volt_worker_pool {
    bool serves; /* this process serves; else it leads */

    /* Called by all processes before the first message. `search` identifies the search and must be the same
     * in all of them; `lanes` is the number of candidates that a serving process takes at a time. The leader
     * waits for the others (the stage may be cancelled) and receives the number of its channels, one per
     * lane; missing processes have none. A serving process has one channel per lane. VOLT_ERR_ARGUMENT,
     * VOLT_ERR_CANCELLED, VOLT_ERR_MEMORY. */
    volt_status (*connect)(const char *search, int64_t lanes, volt_stage *stage, int64_t *channels);

    /* Sends a message on a channel. The other end receives messages complete and in order, and the caller
     * may reuse the bytes at once. receive does not block: it returns 0 when there is no message. Each
     * channel belongs to one thread at a time. */
    void (*send)(int64_t channel, const void *message, size_t size);
    size_t (*receive)(int64_t channel, void *message, size_t room);

    int64_t (*process)(int64_t channel); /* its number, for messages */
} volt_worker_pool;

/* Sets the pool of the next search of the calling thread, or none (NULL). It must outlive the search. */
void volt_worker_pool_use(const volt_worker_pool *pool);
/* The pool of the search that is about to start. */
const volt_worker_pool *volt_worker_pool_take(void);

/* ---- the leader ------------------------------------------------------------------------------- */

/* Threads that each use a channel to send candidates and wait for the scores. */
typedef struct volt_dispatchers {
    struct dispatcher *all;
    int64_t count, started;
} volt_dispatchers;

/* The loop of one thread (search.c), until no candidate is left. */
typedef void (*volt_dispatch_fn)(volt_run *run, volt_evaluator *evaluator, double *folds);

/* Connects to the others and sets run->n_channels to their number. */
volt_status volt_worker_pool_connect(volt_run *run);
volt_status volt_dispatchers_start(volt_run *run, volt_dispatch_fn work, volt_dispatchers *dispatchers);
/* Waits for the threads and notifies the other processes of the end of the search. dispatchers may be empty. */
void volt_dispatchers_end(volt_run *run, volt_dispatchers *dispatchers);

/* ---- serving processes (worker_pool.c) ----------------------------------------------------------------- */

/* Evaluates candidates in `lanes` workspaces, with buffers for the scores of all folds each, until the
 * leader ends the search. Returns VOLT_ERR_CANCELLED then, since this process has no result. */
volt_status volt_worker_pool_serve(volt_run *run, volt_workspace **spaces, double *folds, int64_t lanes);

/* ---- messages --------------------------------------------------------------------------------- */

enum volt_message_kind {
    VOLT_MESSAGE_CANDIDATE = 1, /* to evaluate: kernel, alpha, feedback */
    VOLT_MESSAGE_REFERENCE,     /* reference of the candidate, when known: score, spread, folds */
    VOLT_MESSAGE_OVER,          /* end of the search */
    VOLT_MESSAGE_SCORES         /* result of the candidate: status and message, alpha, folds, cost */
};

/* Numbers in native representation: all processes run on the same kind of machine. */
typedef struct volt_message {
    int64_t kind, status;
    double alpha, feedback, score, spread;
    volt_cost cost;
    int64_t n_folds, length; /* of the data that follow: scores, and a text with its zero byte */
} volt_message;

/* Largest size of a message in bytes. */
size_t volt_message_limit(int64_t folds);
/* Writes head and data to `bytes` and returns the size. text may be NULL. */
size_t volt_message_pack(volt_message head, const double *folds, const char *text, void *bytes);
/* Reads a message; *folds and *text point into `bytes`. Returns false if it is invalid or has more than
 * `max_folds` folds. */
bool volt_message_unpack(const void *bytes, size_t size, int64_t max_folds, volt_message *head,
                         const double **folds, const char **text);

enum { VOLT_POLL_INTERVAL = 100 }; /* microseconds between polls of a channel */

#endif
