/* src/predict/live/live_journal.c: a log of every change of an object that learns.
 *
 *     volterra-journal 1 MODEL EVENTS WINDOW FORGET WHAT CRC       number of events before the journal
 *     p X... CRC                                 a row was fed
 *     u X... Y... CRC                            a row was fed and learned
 *     a X... Y... CRC                            late targets, of the row `ahead` rows before, were learned and a row was fed
 *     w Y... CRC                                 late targets were learned, without a row
 *     l Y... CRC     d COUNT CRC     r CRC       a target was learned, rows were dropped, a record began
 *
 * Each line is written in one call after the change and synced before the function returns. A process that
 * dies loses at most one row and leaves at most one incomplete line, the last. Events are numbered from
 * EVENTS on. Those that a saved state includes are skipped, so a process may die before or after it empties
 * the journal. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "io/file/atomic_file.h"
#include "io/file/file_bytes.h"
#include "model/model_internal.h"
#include "predict/live/live_internal.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const char mark[] = "volterra-journal";
enum { VERSION = 1, CRC_DIGITS = 8, MAX_HEAD = 160 };

struct volt_journal {
    int file;
    char *path;
    char *line;      /* buffer for the longest */
    double *numbers; /* d + q: numbers of a line */
    int64_t length;  /* bytes of complete lines */
    bool behind;     /* a line could not be written: the object is ahead of the journal */
    char digest[VOLT_DIGEST_LENGTH];
};

void volt_journal_free(volt_journal *journal)
{
    if (!journal)
        return;
    if (journal->file >= 0)
        close(journal->file);
    volt_free(journal->path);
    volt_free(journal->line);
    volt_free(journal->numbers);
    volt_free(journal);
}

/* ---- write ------------------------------------------------------------------------------------ */

static volt_status io_failure(const volt_journal *journal, const char *what)
{
    return volt_fail(VOLT_ERR_IO, "%s: the journal cannot be %s: %s", journal->path, what, strerror(errno));
}

static unsigned long crc_of(const char *text, size_t length)
{
    return crc32(crc32(0, NULL, 0), (const unsigned char *)text, (unsigned)length);
}

/* Adds checksum and newline, writes the line and syncs it. */
static volt_status write_line(volt_journal *journal, size_t length)
{
    length += (size_t)sprintf(journal->line + length, " %08lx\n", crc_of(journal->line, length));
    for (size_t done = 0; done < length;) {
        ssize_t written = write(journal->file, journal->line + done, length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return io_failure(journal, "written");
        done += (size_t)written;
    }
    if (fsync(journal->file) != 0 && errno != EINVAL && errno != ENOTSUP)
        return io_failure(journal, "synced");
    journal->length += (int64_t)length;
    return VOLT_OK;
}

/* WINDOW FORGET WHAT */
static const char *settings_of(const volt_live *live, char text[MAX_HEAD])
{
    char forget[VOLT_NUMBER_LENGTH];
    snprintf(text, MAX_HEAD, "%" PRId64 " %s %s", live->window, volt_format_number(live->forget, forget),
             volt_forget_words[live->forget_what]);
    return text;
}

static volt_status begin_lines(volt_live *live)
{
    volt_journal *journal = live->journal;
    char settings[MAX_HEAD];
    if (ftruncate(journal->file, 0) != 0)
        return io_failure(journal, "emptied");
    journal->length = 0;
    int length = sprintf(journal->line, "%s %d %s %" PRId64 " %s", mark, VERSION, journal->digest, live->events,
                         settings_of(live, settings));
    return write_line(journal, (size_t)length);
}

static size_t put_numbers(char *line, size_t length, const double *numbers, int64_t count)
{
    char number[VOLT_NUMBER_LENGTH];
    for (int64_t i = 0; i < count; i++)
        length += (size_t)sprintf(line + length, " %s", volt_format_number(numbers[i], number));
    return length;
}

volt_status volt_journal_write(volt_live *live, char what, const double *first, int64_t n_first,
                               const double *second, int64_t n_second)
{
    volt_journal *journal = live->journal;
    live->events += live->learns;
    if (!journal)
        return VOLT_OK;
    journal->line[0] = what;
    size_t length = put_numbers(journal->line, 1, first, n_first);
    length = put_numbers(journal->line, length, second, n_second);
    volt_status status = write_line(journal, length);
    if (status != VOLT_OK) {
        journal->behind = true;
        if (ftruncate(journal->file, journal->length) != 0) /* else the last line is incomplete */
            return status;
    }
    return status;
}

volt_status volt_journal_check(const volt_live *live)
{
    const volt_journal *journal = live->journal;
    VOLT_REQUIRE(
        !journal || !journal->behind, VOLT_ERR_IO,
        "%s: a line could not be written, and the state is ahead of the journal: save the state to its "
        "own file",
        journal->path);
    return VOLT_OK;
}

/* ---- read ------------------------------------------------------------------------------------- */

static volt_status damaged(const volt_journal *journal, int64_t line, const char *why)
{
    return volt_fail(VOLT_ERR_FORMAT, "%s: line %" PRId64 " of the journal %s", journal->path, line, why);
}

/* Removes the checksum of a line. False: the line is incomplete. */
static bool strip_checksum(char *line, size_t length)
{
    char digits[CRC_DIGITS + 1];
    if (length < CRC_DIGITS + 2 || line[length - CRC_DIGITS - 1] != ' ')
        return false;
    size_t body = length - CRC_DIGITS - 1;
    snprintf(digits, sizeof digits, "%08lx", crc_of(line, body));
    if (memcmp(digits, line + body + 1, CRC_DIGITS) != 0)
        return false;
    line[body] = '\0';
    return true;
}

/* Reads exactly `count` numbers, each after a space. */
static bool read_numbers(char *text, int64_t count, double *numbers)
{
    for (int64_t i = 0; i < count; i++) {
        if (*text != ' ')
            return false;
        char *end = strchr(text + 1, ' ');
        if (end)
            *end = '\0';
        if (!volt_parse_number(text + 1, &numbers[i]))
            return false;
        if (end)
            *end = ' ';
        text = end ? end : text + strlen(text);
    }
    return *text == '\0';
}

/* Replays the event of a line. */
static volt_status do_again(volt_live *live, char what, const double *numbers, int64_t line)
{
    const double *after_x = numbers + live->model->recipe.inputs;
    int64_t pushed = live->pushed;
    bool learned, done;
    volt_status status = VOLT_OK;
    switch (what) {
    case 'p':
    case 'u':
        status = volt_live_do_feed(live, numbers, NULL);
        break;
    case 'a':
        status = volt_live_do_advance(live, numbers, after_x, NULL, &learned, &done);
        break;
    case 'l':
        return volt_live_do_learn(live, 0, numbers);
    case 'w':
        return volt_live_do_learn(live, volt_max(live->model->ahead, 1) - 1, numbers);
    case 'd':
        return numbers[0] >= 0 && numbers[0] < 9e15
                   ? volt_live_do_drop(live, (int64_t)numbers[0])
                   : damaged(live->journal, line, "has an invalid number of rows");
    default:
        return volt_live_do_restart(live);
    }
    if (live->pushed > pushed)
        status = VOLT_OK; /* the prediction may have overflowed then as well */
    return status == VOLT_OK && what == 'u' ? volt_live_do_learn(live, 0, after_x) : status;
}

static volt_status replay(volt_live *live, char *text, int64_t line)
{
    volt_journal *journal = live->journal;
    int64_t d = live->model->recipe.inputs, q = live->model->q;
    bool known = strchr("pulawdr", *text) != NULL; /* a complete line is not empty */
    int64_t count = 0;
    if (known)
        count = (strchr("pua", *text) ? d : 0) + (strchr("luaw", *text) ? q : 0) + (*text == 'd');
    if (!known || !read_numbers(text + 1, count, journal->numbers))
        return damaged(journal, line, "is not valid for this model");
    volt_status status = do_again(live, *text, journal->numbers, line);
    if (status == VOLT_OK)
        live->events++;
    else if (status != VOLT_ERR_MEMORY)
        return volt_fail_prefix(VOLT_ERR_FORMAT, "%s: line %" PRId64 " of the journal", journal->path, line);
    return status;
}

static volt_status read_head(const volt_live *live, const char *text, int64_t *events)
{
    const volt_journal *journal = live->journal;
    char name[32], digest[VOLT_DIGEST_LENGTH], settings[MAX_HEAD];
    int version = 0, end = 0;
    bool whole = strlen(text) < MAX_HEAD &&
                 sscanf(text, "%31s %d %16s %" SCNd64 "%n", name, &version, digest, events, &end) == 4 &&
                 text[end] == ' ' && *events >= 0;
    VOLT_REQUIRE(whole && strcmp(name, mark) == 0, VOLT_ERR_FORMAT, "%s is not a journal of volterra",
                 journal->path);
    VOLT_REQUIRE(version == VERSION, VOLT_ERR_FORMAT,
                 "%s has journal format %d, but this library (%s) reads format %d", journal->path, version,
                 volt_version(), VERSION);
    VOLT_REQUIRE(strcmp(digest, journal->digest) == 0, VOLT_ERR_FORMAT,
                 "%s belongs to another model (%s; this one is %s)", journal->path, digest, journal->digest);
    VOLT_REQUIRE(strcmp(text + end + 1, settings_of(live, settings)) == 0, VOLT_ERR_FORMAT,
                 "%s has window, forget and forget_what %.80s, but this object has %s", journal->path,
                 text + end + 1, settings);
    VOLT_REQUIRE(*events <= live->events, VOLT_ERR_FORMAT,
                 "%s begins after %" PRId64 " events, but this object has done %" PRId64
                 ": it belongs to a later state",
                 journal->path, *events, live->events);
    return VOLT_OK;
}

/* Reads all complete lines. *end: their end. An incomplete last line is ignored; elsewhere it is damage. */
static volt_status read_lines(volt_live *live, char *bytes, int64_t size, int64_t *end, int64_t *events)
{
    char *next = bytes, *stop = bytes + size;
    for (int64_t line = 1; next < stop; line++) {
        char *newline = memchr(next, '\n', (size_t)(stop - next));
        size_t length = newline ? (size_t)(newline - next) : 0;
        if (newline)
            *newline = '\0';
        if (!newline || strlen(next) != length || !strip_checksum(next, length)) {
            if (newline && newline + 1 < stop)
                return damaged(live->journal, line, "is damaged");
            break;
        }
        if (line == 1)
            VOLT_TRY(read_head(live, next, events));
        else if ((*events)++ >= live->events)
            VOLT_TRY(replay(live, next, line));
        next = newline + 1;
        *end = next - bytes;
    }
    return VOLT_OK;
}

/* ---- open ------------------------------------------------------------------------------------- */

static volt_status make_journal(const volt_live *live, const char *path, volt_journal **journal)
{
    const volt_model *model = live->model;
    int64_t most = model->recipe.inputs + model->q + 1;
    volt_journal *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->file = -1;
    fresh->path = volt_strdup(path);
    fresh->line = volt_alloc(most * (VOLT_NUMBER_LENGTH + 1) + MAX_HEAD, 1);
    fresh->numbers = volt_alloc_doubles(most, 1);
    if (!fresh->path || !fresh->line || !fresh->numbers) {
        volt_journal_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    *journal = fresh;
    return VOLT_OK;
}

/* An existing file must be a journal, or the incomplete first line of one. */
static volt_status take_file(volt_live *live)
{
    volt_journal *journal = live->journal;
    char *bytes = NULL;
    int64_t size = 0, end = 0, events = 0, done = live->events;
    VOLT_TRY(volt_file_load(journal->path, &bytes, &size));
    size_t known = size < (int64_t)sizeof mark - 1 ? (size_t)size : sizeof mark - 1;
    volt_status status = VOLT_OK;
    if (memcmp(bytes, mark, known) != 0)
        status = volt_fail(VOLT_ERR_FORMAT, "%s is not a journal of volterra", journal->path);
    if (status == VOLT_OK)
        status = read_lines(live, bytes, size, &end, &events);
    volt_free(bytes);
    VOLT_TRY(status);
    journal->length = end;
    /* Without a first line, or if the state is ahead of the journal, the journal is started again. */
    if (end == 0 || events < done)
        return begin_lines(live);
    return end == size || ftruncate(journal->file, end) == 0 ? VOLT_OK
                                                             : io_failure(journal, "cut to its whole lines");
}

static volt_status open_file(volt_live *live)
{
    volt_journal *journal = live->journal;
    struct stat about;
    journal->file = open(journal->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (journal->file < 0)
        return io_failure(journal, "opened");
    VOLT_REQUIRE(fstat(journal->file, &about) == 0 && S_ISREG(about.st_mode), VOLT_ERR_IO,
                 "%s: the journal must be a regular file", journal->path);
    VOLT_REQUIRE(volt_file_lock(journal->file) != VOLT_LOCK_BUSY, VOLT_ERR_IO,
                 "%s: another process or object is writing this journal", journal->path);
    volt_model_digest(live->model, live->z, journal->digest);
    return take_file(live);
}

volt_status volt_journal_open(volt_live *live, const char *path, int64_t *replayed)
{
    VOLT_REQUIRE(live && path, VOLT_ERR_ARGUMENT, "the live object or the path is NULL");
    VOLT_REQUIRE(live->learns, VOLT_ERR_ARGUMENT, "%s: a journal requires an object that learns", path);
    VOLT_REQUIRE(!live->journal, VOLT_ERR_ARGUMENT, "a journal is open already: %s", live->journal->path);
    int64_t done = live->events;
    VOLT_TRY(make_journal(live, path, &live->journal));
    volt_status status = open_file(live);
    if (status != VOLT_OK) {
        volt_journal_free(live->journal);
        live->journal = NULL;
        return status;
    }
    if (replayed)
        *replayed = live->events - done;
    return VOLT_OK;
}

volt_status volt_journal_clear(volt_live *live)
{
    VOLT_REQUIRE(live && live->journal, VOLT_ERR_ARGUMENT, "there is no journal");
    volt_status status = begin_lines(live);
    live->journal->behind = status != VOLT_OK; /* there is no complete first line to append to */
    return status;
}
