/* cli/commands/live_model.c: a stream or a learner, its state and its journal. */
#define _POSIX_C_SOURCE 200809L
#include "commands/live_model.h"

#include "terminal/messages.h"

#include <sys/stat.h>

/* A journal does not grow beyond this many rows where a state can take over what it holds. */
enum { ROWS_BETWEEN_STATES = 10000 };

static volt_learner_info info_of(const live_model *live)
{
    volt_learner_info info;
    volt_learner_describe(live->learner, &info);
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

/* The intervals of a stream, which its state may hold already. */
static int track_stream(const live_model *live)
{
    const number_list *wanted = live->options.interval;
    const double *kept = NULL;
    int64_t count = volt_stream_coverages(live->stream, &kept);
    bool same = count == wanted->count;
    for (int64_t c = 0; same && c < count; c++)
        same = kept[c] == wanted->values[c];
    if (is_there(live->options.state) && !same)
        return complain(EXIT_USAGE, "%s was made with %s --interval: give the same, or another --state",
                        live->options.state,
                        count == 0           ? "no"
                        : wanted->count == 0 ? "an"
                                             : "another");
    if (wanted->count == 0 || count > 0)
        return 0;
    volt_status status = volt_stream_track(live->stream, wanted->values, wanted->count);
    return status ? complain_status(status) : 0;
}

static int track_learner(live_model *live, const volt_model *model)
{
    const number_list *wanted = live->options.interval;
    if (wanted->count == 0)
        return 0;
    if (live->options.state || live->options.journal)
        return complain(EXIT_USAGE,
                        "--interval with --learn has no --state and no --journal: they do not hold it");
    volt_status status = volt_interval_create(model, wanted->values, wanted->count, &live->interval);
    return status ? complain_status(status) : 0;
}

int live_open(live_model *live, const volt_model *model, const live_options *options)
{
    live->options = *options;
    if (options->learn) {
        int failed = track_learner(live, model);
        return failed ? failed : open_learner(live, model);
    }
    volt_status status = is_there(options->state)
                             ? volt_stream_load(model, &options->predict, options->state, &live->stream)
                             : volt_stream_create(model, &options->predict, &live->stream);
    return status ? complain_status(status) : track_stream(live);
}

void live_close(live_model *live)
{
    volt_stream_free(live->stream);
    volt_learner_free(live->learner);
    volt_interval_free(live->interval);
}

/* ---- rows ------------------------------------------------------------------------------------- */

live_answer live_push(live_model *live, const double *x, const double *target, double *y, volt_status *status)
{
    if (live->stream)
        *status = volt_stream_push(live->stream, x, y);
    else if (target)
        *status = volt_learner_update(live->learner, x, target, y);
    else
        *status = volt_learner_push(live->learner, x, y);
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

volt_status live_half(const live_model *live, double *half)
{
    if (live->stream)
        return volt_stream_interval(live->stream, half);
    volt_interval_half(live->interval, half);
    return VOLT_OK;
}

volt_status live_observe(live_model *live, const double *forecast, const double *truth)
{
    return live->stream ? volt_stream_observe(live->stream, 0, truth)
                        : volt_interval_learn(live->interval, forecast, truth);
}

volt_status live_restart(live_model *live)
{
    if (live->learner)
        return volt_learner_restart(live->learner);
    volt_stream_restart(live->stream);
    return VOLT_OK;
}

int live_last(const live_model *live, double *x)
{
    return live->learner ? volt_learner_last(live->learner, x) : volt_stream_last(live->stream, x);
}

int64_t live_beyond(const live_model *live)
{
    return live->learner ? info_of(live).beyond : volt_stream_beyond(live->stream);
}

/* ---- the moment ------------------------------------------------------------------------------- */

/* First the state, then the journal: whatever happens between the two, the journal only has steps that the state has
 * taken, and these are passed over. */
static volt_status keep_learner(live_model *live)
{
    volt_status status = volt_learner_save(live->learner, live->options.state);
    if (!status)
        live->saved = info_of(live).pushed;
    return !status && live->options.journal ? volt_learner_clear_journal(live->learner) : status;
}

volt_status live_keep(live_model *live, bool now)
{
    if (!live->options.state)
        return VOLT_OK;
    if (live->stream)
        return now ? volt_stream_save(live->stream, live->options.state) : VOLT_OK;
    bool is_long = live->options.journal && info_of(live).pushed - live->saved >= ROWS_BETWEEN_STATES;
    return now || is_long ? keep_learner(live) : VOLT_OK;
}
