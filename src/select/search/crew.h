/* src/select/search/crew.h: other processes that evaluate candidates of a search.
 *
 * The processes of a job run the same search on the same data. One leads it: it draws the candidates, races them, and
 * writes the log, as it would alone. The others serve: they are handed candidates, one at a time on each channel, and say
 * what the folds came to. A candidate is evaluated as a whole by one of them, so its scores are those that the leader would
 * have found. What carries the messages is the business of whoever makes the crew (mpi/mpi_crew.c); here is what they say.
 *
 * A process that cannot go on, for want of memory say, leaves, and its candidate is given to another. */
#ifndef SELECT_CREW_H
#define SELECT_CREW_H

#include "base/progress.h"
#include "select/search/search_run.h"

typedef struct volt_crew {
    bool serves; /* this process; else it leads */

    /* All processes, before the first message. `search` says what is searched, and must be the same in all of them; `lanes`
     * are the candidates that this one takes at a time where it serves. The leader waits for the others (the stage may be
     * cancelled) and receives the number of its channels, one for each of their lanes; those who did not come have none. A
     * process that serves has a channel for each of its lanes. VOLT_ERR_ARGUMENT, VOLT_ERR_CANCELLED, VOLT_ERR_MEMORY. */
    volt_status (*meet)(const char *search, int64_t lanes, volt_stage *stage, int64_t *channels);

    /* A message on a channel, which the other end receives whole and in order; the bytes are the caller's again at once.
     * receive does not wait: 0 when there is none yet. Each channel belongs to one thread at a time. */
    void (*send)(int64_t channel, const void *message, size_t size);
    size_t (*receive)(int64_t channel, void *message, size_t room);

    int64_t (*process)(int64_t channel); /* its number, for sentences */
} volt_crew;

/* The next search of the calling thread has this crew, or none (NULL); it must outlive the search. */
void volt_crew_use(const volt_crew *crew);
/* For the search that is about to begin. */
const volt_crew *volt_crew_take(void);

/* ---- the leader ------------------------------------------------------------------------------- */

/* Threads that each have a channel, hand candidates out there and wait for the answers. */
typedef struct volt_hands {
    struct hand *all;
    int64_t count, started;
} volt_hands;

/* What one of them does until no candidate is left: search.c's loop. */
typedef void (*volt_hand_fn)(volt_run *run, volt_evaluator *evaluator, double *folds);

/* Meet the others: run->hands then says how many there are. */
volt_status volt_crew_meet(volt_run *run);
volt_status volt_hands_start(volt_run *run, volt_hand_fn work, volt_hands *hands);
/* Wait for them, and tell the others that it is over. hands may be empty. */
void volt_hands_end(volt_run *run, volt_hands *hands);

/* ---- those who serve (crew_serve.c) ----------------------------------------------------------- */

/* Evaluate what is asked, in `lanes` workspaces with room for the scores of all folds each, until the leader says that it is
 * over: VOLT_ERR_CANCELLED then, since there is no search here that has come to an end. */
volt_status volt_crew_serve(volt_run *run, volt_workspace **spaces, double *folds, int64_t lanes);

/* ---- messages --------------------------------------------------------------------------------- */

enum volt_message_kind {
    VOLT_MESSAGE_CANDIDATE = 1, /* to be evaluated: kernel, alpha, feedback */
    VOLT_MESSAGE_RIVAL, /* what the candidate is measured against, once that is known: score, spread, folds */
    VOLT_MESSAGE_OVER,  /* the search is */
    VOLT_MESSAGE_SCORES /* of the candidate: status with its sentence, alpha, folds, cost */
};

/* The numbers as they are in memory: all processes run on machines of one kind. */
typedef struct volt_message {
    int64_t kind, status;
    double alpha, feedback, score, spread;
    volt_cost cost;
    int64_t n_folds, length; /* of what follows: scores, and a text with its zero byte */
} volt_message;

/* The most bytes that a message takes. */
size_t volt_message_room(int64_t folds);
/* Write the head with what follows into `bytes`; how many. text may be NULL. */
size_t volt_message_pack(volt_message head, const double *folds, const char *text, void *bytes);
/* Read it again; *folds and *text lie in `bytes`. False for what is no message with at most so many folds. */
bool volt_message_unpack(const void *bytes, size_t size, int64_t most_folds, volt_message *head,
                         const double **folds, const char **text);

enum { VOLT_CREW_REST = 100 }; /* microseconds between two looks at a channel */

#endif
