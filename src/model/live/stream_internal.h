/* src/model/live/stream_internal.h: what a stream holds. */
#ifndef MODEL_STREAM_INTERNAL_H
#define MODEL_STREAM_INTERNAL_H

#include "model/interval/adaptive_interval.h"
#include "model/model_internal.h"

struct volt_stream {
    const volt_model *model;
    volt_state *past;
    volt_recent recent; /* rows before the next one, as far as the recipe looks back */
    volt_beyond policy;
    int64_t pushed, beyond;
    bool claimed;         /* BLAS is, by whoever pushes */
    int64_t handed_back;  /* rows that a back end left to us (device_run.h) */
    bool strays;          /* the forecast that would come back with the next row has left the range */
    double *last;         /* recipe.inputs: the last row as it was given, once one is pushed */
    double *z;            /* d: the scaled columns */
    double *y;            /* q: the forecast, until it is known to be finite */
    double *k;            /* the kernel of the past against each training row, or the states (readout.h) */
    double *coefficients; /* q x as many */

    volt_interval *interval;      /* NULL: none is tracked; with it ... */
    double *made;                 /* ... the forecasts whose truth is to come: ahead + 1 rows x q, a ring ... */
    struct volt_state_lock *lock; /* of the file that it is saved to, or NULL */
    int64_t n_made;               /* ... and how many were made since the past was zero or tracking began */
};

/* Stores prediction number `n_made` in the ring, where intervals are tracked; one that overflowed as DBL_MAX. */
void volt_stream_remember(volt_stream *stream, bool finite);
/* Track what another stream of the same model tracks, from where that stands; nothing where it tracks nothing. */
volt_status volt_stream_track_like(const volt_stream *source, volt_stream *stream);

/* The coverages that are tracked, which belong to the stream; returns how many, 0: none. */
int64_t volt_stream_coverages(const volt_stream *stream, const double **coverages);
/* Rows clipped or allowed so far. */
int64_t volt_stream_beyond(const volt_stream *stream);
/* The last input that was taken (d numbers) into x. Returns 0, and leaves x alone, when there was none yet. */
int volt_stream_last(const volt_stream *stream, double *x);

#endif
