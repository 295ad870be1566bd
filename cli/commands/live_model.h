/* cli/commands/live_model.h: what takes the rows of volterra stream: a stream, or with --learn a learner, with the files
 * that keep its moment. */
#ifndef CLI_LIVE_MODEL_H
#define CLI_LIVE_MODEL_H

#include "args/options.h"
#include "volterra.h"

#include <stdbool.h>

/* What the command line says about it. */
typedef struct live_options {
    volt_predict_options predict;
    const char *state;   /* NULL: none */
    const char *journal; /* NULL: none */
    bool learn;
    int64_t window;              /* 0: not given */
    double forget;               /* 0: not given */
    int forget_what;             /* 1 + a volt_forget_what; 0: not given */
    const number_list *interval; /* coverages of intervals that adapt */
    bool late;                   /* a target is that of the row `ahead` rows before */
    bool known;                  /* outputs come back as they were measured */
} live_options;

typedef struct live_model {
    live_options options;
    volt_stream *stream; /* one of the two */
    volt_learner *learner;
    volt_state_lock *lock; /* of the state, until the stream or the learner holds it */
    int64_t back;          /* rows before the one at hand that a target belongs to */
    int64_t saved;         /* rows that were learned when the state was saved last */
} live_model;

/* A row, and what is known with it; NULL: nothing. */
typedef struct live_row {
    const double *x, *target;
} live_row;

/* What became of a row. */
typedef enum live_answer {
    LIVE_FORECAST,  /* y is its forecast, and its target, if it had one, is learned */
    LIVE_UNLEARNED, /* y is its forecast, and volt_error_detail says why it was not learned */
    LIVE_REFUSED,   /* volt_error_detail says why */
    LIVE_FAILED     /* memory, or the journal: nothing more can be done */
} live_answer;

/* At the moment that was kept, or as --start says. Returns 0, or the exit status after saying what is wrong. */
int live_open(live_model *live, const volt_model *model, const live_options *options);
void live_close(live_model *live);

/* The forecast y of a row, and where intervals are asked for the half-widths about it (coverages x q). *status: of the
 * library, where it failed. */
live_answer live_push(live_model *live, const live_row *row, double *y, double *half, volt_status *status);
volt_status live_restart(live_model *live);
/* The last input that was taken; NULL: none yet. */
const double *live_last(const live_model *live);
int64_t live_beyond(const live_model *live);

/* Keep the moment where that is asked for; the journal begins anew. With `now` false only when many rows have come since
 * the last time. The answers must be out. Where it fails, `saved` says whether the state was written: then it is the
 * journal that could not begin anew. */
volt_status live_keep(live_model *live, bool now, bool *saved);

#endif
