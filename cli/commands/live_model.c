/* cli/commands/live_model.c: a stream or a learner, its state and its journal. */
#define _POSIX_C_SOURCE 200809L
#include "commands/live_model.h"

#include "terminal/messages.h"

#include <sys/stat.h>

/* A journal does not grow beyond this many rows where a state can take over what it holds. */
enum { ROWS_BETWEEN_STATES = 10000 };

static volt_stream_info stream_info_of(const live_model *live)
{
    volt_stream_info info = {.struct_size = sizeof info};
    volt_stream_get_info(live->stream, &info);
    return info;
}

static volt_learner_info info_of(const live_model *live)
{
    volt_learner_info info = {.struct_size = sizeof info};
    volt_learner_get_info(live->learner, &info);
    return info;
}

/* ---- open ------------------------------------------------------------------------------------- */

static bool is_there(const char *path)
{
    struct stat about;
    return path && stat(path, &about) == 0;
}

/* A state has a window and a phi of its own: others cannot be asked for. */
static int check_kept(const live_model *live)
{
    const live_options *options = &live->options;
    volt_learner_info info = info_of(live);
    if (options->window > 0 && options->window != info.window)
        return complain(EXIT_USAGE, "%s was learned with %s%lld, and --window is %lld", options->state,
                        info.window ? "--window " : "all rows: window ", (long long)info.window,
                        (long long)options->window);
    if (options->forget > 0 && options->forget != info.forget)
        return complain(EXIT_USAGE, "%s was learned with --forget %g, and --forget is %g", options->state,
                        info.forget, options->forget);
    if (options->forget_what > 0 && options->forget_what != 1 + (int)info.forget_what)
        return complain(EXIT_USAGE, "%s was learned with --forget-what %s", options->state,
                        info.forget_what == VOLT_FORGET_ALL ? "all" : "dynamics");
    return 0;
}

/* Coverages of the intervals that are asked for, which the state may hold already. *begin: they are to begin now. */
static int check_tracked(const live_model *live, const double *kept, int64_t count, bool *begin)
{
    const number_list *wanted = live->options.interval;
    bool same = count == wanted->count;
    for (int64_t c = 0; same && c < count; c++)
        same = kept[c] == wanted->values[c];
    if (is_there(live->options.state) && !same)
        return complain(EXIT_USAGE, "%s was made with %s --interval: give the same, or another --state",
                        live->options.state,
                        count == 0           ? "no"
                        : wanted->count == 0 ? "an"
                                             : "another");
    *begin = wanted->count > 0 && count == 0;
    return 0;
}

static int open_learner(live_model *live, const volt_model *model)
{
    const live_options *options = &live->options;
    volt_learner_options learn = volt_learner_options_default();
    bool resumes = is_there(options->state);
    int64_t replayed = 0;
    learn.window = options->window;
    learn.forget = options->forget > 0 ? options->forget : 1;
    if (options->forget_what > 0)
        learn.forget_what = (volt_forget_what)(options->forget_what - 1);
    learn.beyond = options->predict.beyond;
    volt_status status = resumes ? volt_learner_load(model, &learn, options->state, &live->learner)
                                 : volt_learner_create(model, &learn, &live->learner);
    if (!status && resumes) {
        int failed = check_kept(live);
        if (failed)
            return failed;
    }
    live->saved = status ? 0 : info_of(live).pushed;
    if (!status) { /* before the journal, which replays what they learn from */
        bool begin = false;
        volt_learner_info info = info_of(live);
        int failed = check_tracked(live, info.coverages, info.n_coverages, &begin);
        if (failed)
            return failed;
        if (begin)
            status = volt_learner_track(live->learner, options->interval->values, options->interval->count);
    }
    if (!status && !resumes && options->predict.start == VOLT_START_RESET)
        status = volt_learner_restart(live->learner);
    if (!status && options->journal)
        status = volt_learner_open_journal(live->learner, options->journal, &replayed);
    if (status)
        return complain_status(status);
    if (replayed > 0)
        report("%s: %lld steps that no state had were taken again; %lld rows have come so far",
               options->journal, (long long)replayed, (long long)info_of(live).pushed);
    return 0;
}

static int open_stream(live_model *live, const volt_model *model)
{
    const live_options *options = &live->options;
    bool begin = false;
    volt_status status = is_there(options->state)
                             ? volt_stream_load(model, &options->predict, options->state, &live->stream)
                             : volt_stream_create(model, &options->predict, &live->stream);
    if (status)
        return complain_status(status);
    volt_stream_info info = stream_info_of(live);
    int failed = check_tracked(live, info.coverages, info.n_coverages, &begin);
    if (failed || !begin)
        return failed;
    status = volt_stream_track(live->stream, options->interval->values, options->interval->count);
    return status ? complain_status(status) : 0;
}

int live_open(live_model *live, const volt_model *model, const live_options *options)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    live->options = *options;
    live->back = options->late ? info.ahead : 0;
    if (options->state) { /* before it is read: what another stream saves afterwards would be lost */
        volt_status status = volt_state_lock_take(options->state, &live->lock);
        if (status)
            return complain_status(status);
    }
    int failed = options->learn ? open_learner(live, model) : open_stream(live, model);
    if (failed || !live->lock)
        return failed;
    if (live->learner)
        volt_learner_hold(live->learner, live->lock);
    else
        volt_stream_hold(live->stream, live->lock);
    live->lock = NULL;
    return 0;
}

void live_close(live_model *live)
{
    volt_state_lock_free(live->lock);
    volt_stream_free(live->stream);
    volt_learner_free(live->learner);
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* The forecast first; then a truth that is known before it is asked for the width, then the width, then its own truth. */
static volt_status push_stream(live_model *live, const live_row *row, double *y, double *half)
{
    bool tracks = live->options.interval->count > 0, late = live->back > 0;
    volt_status status = volt_stream_push(live->stream, row->x, y);
    if (!status && tracks && late && row->target)
        status = volt_stream_observe(live->stream, live->back, row->target);
    if (!status && tracks)
        status = volt_stream_interval(live->stream, half);
    if (!status && tracks && !late && row->target)
        status = volt_stream_observe(live->stream, 0, row->target);
    if (!status && live->options.known && row->target)
        status = volt_stream_feed(live->stream, row->target);
    return status;
}

static volt_status push_learner(live_model *live, const live_row *row, double *y, double *half)
{
    volt_status status = VOLT_OK;
    if (!row->target)
        status = volt_learner_push(live->learner, row->x, y);
    else if (live->back > 0)
        status = volt_learner_advance(live->learner, row->x, row->target, y);
    else
        status = volt_learner_update(live->learner, row->x, row->target, y);
    bool made = status == VOLT_OK || status == VOLT_ERR_SINGULAR;
    if (made && live->options.interval->count > 0)
        volt_learner_interval(live->learner, half);
    return status;
}

live_answer live_push(live_model *live, const live_row *row, double *y, double *half, volt_status *status)
{
    *status = live->stream ? push_stream(live, row, y, half) : push_learner(live, row, y, half);
    switch (*status) {
    case VOLT_OK:
        return LIVE_FORECAST;
    case VOLT_ERR_SINGULAR:
        return LIVE_UNLEARNED;
    case VOLT_ERR_MEMORY:
    case VOLT_ERR_IO:
        return LIVE_FAILED;
    default:
        return LIVE_REFUSED;
    }
}

volt_status live_restart(live_model *live)
{
    if (live->learner)
        return volt_learner_restart(live->learner);
    volt_stream_restart(live->stream);
    return VOLT_OK;
}

const double *live_last(const live_model *live)
{
    return live->learner ? info_of(live).last : stream_info_of(live).last;
}

int64_t live_beyond(const live_model *live)
{
    return live->learner ? info_of(live).beyond : stream_info_of(live).beyond;
}

/* ---- the moment ------------------------------------------------------------------------------- */

/* First the state, then the journal: whatever happens between the two, the journal only has steps that the state has
 * taken, and these are passed over. */
static volt_status keep_learner(live_model *live, bool *saved)
{
    volt_status status = volt_learner_save(live->learner, live->options.state);
    *saved = !status;
    if (!status)
        live->saved = info_of(live).pushed;
    return !status && live->options.journal ? volt_learner_clear_journal(live->learner) : status;
}

volt_status live_keep(live_model *live, bool now, bool *saved)
{
    *saved = false;
    if (!live->options.state)
        return VOLT_OK;
    if (live->stream)
        return now ? volt_stream_save(live->stream, live->options.state) : VOLT_OK;
    bool is_long = live->options.journal && info_of(live).pushed - live->saved >= ROWS_BETWEEN_STATES;
    return now || is_long ? keep_learner(live, saved) : VOLT_OK;
}
